//! Fixed-length records with nothing between them: their length is the period in which spaces, digits and fields
//! repeat.

use super::columns;
use super::gcd::gcd;
use super::hypothesis::Hypothesis;
use crate::error::ErrorKind;
use crate::records::Shape;

/// How many bytes are examined for a period.
const SAMPLE_BYTES: usize = 1 << 17;
/// The longest record of z/OS, and the shortest length at which a period means anything. Shorter periods are those of
/// characters.
const MAX_LRECL: usize = 32760;
const MIN_LRECL: usize = 8;
/// The fewest records.
const MIN_RECORDS: usize = 4;
/// With fewer records than this, each one is examined.
const FEW_RECORDS: usize = 16;
/// The most periods that are tried.
const MAX_CANDIDATES: usize = 40;
/// The most fields that are compared with one another.
const MAX_FIELDS: usize = 4096;
/// The minimum score of a period, in bits. A lower score may be chance.
const MIN_BITS: f64 = 30.0;
/// If the best period does not divide the length of the input, a period that does divide it is preferred, provided that
/// it has at least this share of the best period's bits.
const MIN_DIVISOR_SHARE: f64 = 0.2;
/// Lines that are not longer than this on average are taken to end with their newlines.
const MAX_LINE_BYTES: usize = 100;
/// The bits that a column contributes by chance, on a generous average.
const CHANCE_BITS_PER_COLUMN: f64 = 0.03;
/// Common record lengths: cards, listings with and without a control column, and so on.
const USUAL_LRECLS: [usize; 16] = [80, 132, 133, 121, 120, 100, 72, 128, 137, 150, 200, 255, 256, 400, 500, 1000];

/// The objection to text whose records are not padded.
const NO_PADDING: &str = "no fields are padded with blanks";

/// A record length, and the evidence for it.
#[derive(Clone, Debug)]
pub(super) struct Period {
    pub(super) lrecl: usize,
    pub(super) why: Vec<String>,
}

/// The rough kind of a byte. Whichever blank is more frequent decides between EBCDIC and ASCII.
const BLANK: u8 = 0;
const ZERO: u8 = 1;
const DIGIT: u8 = 2;
const TEXT: u8 = 3;
const OTHER: u8 = 4;
const KINDS: usize = 5;

/// Returns the hypotheses of fixed-length records: those that fit, or the best one and why it is not valid. `framing`:
/// the shape that the input has already.
pub(super) fn sniff(prefix: &[u8], eof: bool, framing: Option<&Shape>) -> Vec<Hypothesis> {
    let (periods, against) = best(prefix, eof.then_some(prefix.len()));
    let against = against.map(str::to_owned);
    let against = against.or_else(|| framing.map(|shape| format!("its period comes from the headers of {shape}")));
    periods.into_iter().map(|period| hypothesis(prefix, eof, period, against.clone())).collect()
}

/// Returns the possible record lengths in `data`, and an objection that applies to all of them. They are found by
/// padding and fields or, without padding, by the columns.
fn best(data: &[u8], whole: Option<usize>) -> (Vec<Period>, Option<&'static str>) {
    let (period, against) = match periods(data, whole) {
        Ok(period) if data.len() / period.lrecl < FEW_RECORDS && !columns::are_alike(data, period.lrecl) => {
            return (vec![period], Some("the records are not alike"));
        }
        Ok(period) => return (vec![period], None),
        Err(Some((period, against))) if against != NO_PADDING => return (vec![period], Some(against)),
        Err(Some((period, against))) => (vec![period], Some(against)),
        Err(None) => (Vec::new(), None),
    };
    let Some(found) = columns::lengths(data, whole) else { return (period, against) };
    let period_of = |lrecl: usize| {
        let mut why = vec![format!("LRECL {lrecl}")];
        if let Some(whole) = whole.filter(|whole| whole.is_multiple_of(lrecl)) {
            why.push(format!("{whole} bytes are {} records", whole / lrecl));
        }
        why.push("each column contains only a few kinds of bytes: digits, letters, packed decimals, filler".to_owned());
        Period { lrecl, why }
    };
    (found.lrecls.into_iter().map(period_of).collect(), found.against)
}

fn hypothesis(prefix: &[u8], eof: bool, period: Period, against: Option<String>) -> Hypothesis {
    let Period { lrecl, mut why } = period;
    let records = (prefix.len() / lrecl) as u64;
    let rest = prefix.len() % lrecl;
    let begun = records * lrecl as u64;
    let failed = (eof && rest > 0).then(|| {
        let missing = (lrecl - rest) as u64;
        ErrorKind::RecordCut { offset: prefix.len() as u64, record: records + 1, begun, missing, length_from: None }
            .into()
    });
    let survives = failed.is_none() && against.is_none();
    why.extend(against);
    let bytes = if failed.is_some() { begun } else { prefix.len() as u64 };
    Hypothesis { shape: Shape::Fixed { lrecl: lrecl as u32 }, survives, records, bytes, failed, why }
}

/// Returns the period of `data`. `whole`: the number that it has to divide. If no divisor is a period, another period
/// is returned, with the objection.
///
/// A result that is not a period, or not one of records, comes with the objection to it.
pub(super) fn periods(data: &[u8], whole: Option<usize>) -> Result<Period, Option<(Period, &'static str)>> {
    let sample = &data[..data.len().min(SAMPLE_BYTES)];
    let kinds = Kinds::of(sample).ok_or(None)?;
    let mut lags = kinds.candidates();
    lags.extend(USUAL_LRECLS);
    if let Some(whole) = whole {
        // Only divisors count, so all of them are tried.
        lags.extend((MIN_LRECL..=MAX_LRECL.min(whole)).filter(|lag| whole.is_multiple_of(*lag)));
    }
    crate::sort::by(&mut lags, Ord::cmp);
    lags.dedup();
    lags.retain(|lag| (MIN_LRECL..=MAX_LRECL.min(sample.len() / MIN_RECORDS)).contains(lag));
    let scored: Vec<(usize, f64)> = lags.iter().map(|lag| (*lag, kinds.bits(*lag))).collect();
    let divides = |lag: usize| whole.is_none_or(|whole| whole.is_multiple_of(lag));
    let best_of = |which: &dyn Fn(usize) -> bool| {
        let better = |best: Option<(usize, f64)>, one: &(usize, f64)| match best {
            Some(best) if best.1 >= one.1 => Some(best),
            _ => Some(*one),
        };
        scored.iter().filter(|one| which(one.0)).fold(None, better)
    };
    let any = best_of(&|_| true).ok_or(None)?;
    // A period that does not divide the length is reported only if no divisor comes near it. The end of the input is
    // probably missing then.
    let best = best_of(&divides).filter(|best| best.1 >= any.1 * MIN_DIVISOR_SHARE).unwrap_or(any);
    let (mut lrecl, mut bits) = best;
    if bits < MIN_BITS {
        return Err(None);
    }
    // A page of a listing is a period as well, and so is a group of records. Take the shortest period that explains a
    // good part of it.
    for (lag, part) in scored.iter().filter(|one| best.0.is_multiple_of(one.0)) {
        let enough = if USUAL_LRECLS.contains(lag) { 0.6 } else { 0.85 };
        if *part >= MIN_BITS.max(best.1 * enough) {
            (lrecl, bits) = (*lag, *part);
            break;
        }
    }
    let mut why = Vec::new();
    // If two periods are almost equally good, prefer the more common one.
    let near = |one: &&(usize, f64)| one.1 >= bits - (bits / 200.0).max(10.0) && divides(one.0);
    let usual = |one: &&(usize, f64)| USUAL_LRECLS.contains(&one.0);
    if let Some(usual) =
        scored.iter().filter(near).find(usual).filter(|_| lrecl == best.0 && !USUAL_LRECLS.contains(&lrecl))
    {
        why.push(format!("{lrecl} fits as well, but {} is more common", usual.0));
        lrecl = usual.0;
    }
    why.insert(0, format!("LRECL {lrecl}"));
    if let Some(whole) = whole.filter(|whole| divides(lrecl) && *whole > lrecl) {
        why.push(format!("{whole} bytes are {} records", whole / lrecl));
    }
    why.extend(kinds.blank_columns(lrecl));
    why.push(format!("blanks, digits and fields repeat every {lrecl} bytes"));
    let period = Period { lrecl, why };
    match doubt(&kinds, lrecl, bits, sample.len()) {
        Some(why) => Err(Some((period, why))),
        None => Ok(period),
    }
}

/// Returns why the period of `lrecl` bytes is not that of records, if there is a reason.
fn doubt(kinds: &Kinds, lrecl: usize, bits: f64, len: usize) -> Option<&'static str> {
    let short = (2..MIN_LRECL).map(|lag| kinds.bits(lag)).fold(0.0, f64::max);
    if short > bits / 2.0 {
        return Some("the period is only a few bytes, as in multi-byte characters or numbers");
    }
    // If there is enough for two halves, each half must have the period.
    let (first, second) = kinds.kinds.split_at(len / lrecl / 2 * lrecl);
    let weaker = kinds.bits_of(first, lrecl).min(kinds.bits_of(second, lrecl));
    if bits > 20.0 * MIN_BITS && weaker < bits / 8.0 {
        return Some("only part of the input has this period");
    }
    if kinds.newlines * (lrecl * 2).max(MAX_LINE_BYTES) > len {
        return Some("its lines end with newlines");
    }
    if kinds.filler * lrecl * 2 < len {
        return Some(NO_PADDING);
    }
    None
}

/// A sample with the kind of each byte.
struct Kinds {
    kinds: Vec<u8>,
    totals: [usize; KINDS],
    /// Newlines between characters of text.
    newlines: usize,
    /// Spaces that follow a space.
    filler: usize,
}

impl Kinds {
    /// Returns `None` for a sample that is not text.
    fn of(sample: &[u8]) -> Option<Self> {
        let count = |value: u8| sample.iter().filter(|byte| **byte == value).count();
        let (ebcdic, ascii) = (count(0x40), count(0x20));
        let is_ebcdic = ebcdic > ascii;
        let kind = |byte: u8| match (is_ebcdic, byte) {
            (_, 0) => ZERO,
            (true, 0x40) | (false, 0x20) => BLANK,
            (true, 0xF0..=0xF9) | (false, b'0'..=b'9') => DIGIT,
            (true, 0x41..=0xFE) | (false, 0x21..=0x7E | 0x80..) => TEXT,
            _ => OTHER,
        };
        let table: [u8; 256] = std::array::from_fn(|byte| kind(byte as u8));
        let mut kinds: Vec<u8> = sample.iter().map(|byte| table[usize::from(*byte)]).collect();
        if is_ebcdic {
            merge_shifted(sample, &mut kinds);
        }
        let mut totals = [0; KINDS];
        for kind in &kinds {
            totals[usize::from(*kind)] += 1;
        }
        let shifts = if is_ebcdic { count(0x0E) + count(0x0F) } else { count(0x09) };
        let is_newline = |byte: u8| if is_ebcdic { [0x15, 0x25, 0x0D] } else { [0x0A, 0x0D, 0x0C] }.contains(&byte);
        let is_text = |at: usize| matches!(kinds[at], BLANK | DIGIT | TEXT) || is_newline(sample[at]);
        let inner = 1..sample.len().saturating_sub(1);
        let newlines = inner.filter(|at| is_newline(sample[*at]) && is_text(at - 1) && is_text(at + 1)).count();
        let filler = kinds.windows(2).filter(|pair| **pair == [BLANK; 2]).count();
        let controls = (totals[usize::from(OTHER)] - newlines).saturating_sub(shifts);
        let blanks = totals[usize::from(BLANK)];
        let non_zero = sample.len() - totals[usize::from(ZERO)];
        // Text contains spaces. Packed fields may be a part of it, but not more.
        let is_text = blanks * 200 > sample.len() && controls * 5 < non_zero && non_zero * 2 > sample.len();
        is_text.then_some(Kinds { kinds, totals, newlines, filler })
    }

    /// Returns periods worth trying: distances that often lie between fields that begin after padding.
    fn candidates(&self) -> Vec<usize> {
        // The positions at which fields begin, with the amount of padding before them. The longer the padding, the
        // rarer and the more significant the position.
        let mut begins = Vec::new();
        let mut run: usize = 0;
        for (at, kind) in self.kinds.iter().enumerate() {
            match *kind {
                BLANK | ZERO => run += 1,
                OTHER => run = run.max(1),
                _ => {
                    if run > 1 {
                        begins.push((at, run));
                    }
                    run = 0;
                }
            }
        }
        let mut least = 2;
        while begins.len() > MAX_FIELDS {
            least += 1 + least / 4;
            let fewer: Vec<_> = begins.iter().filter(|(_, run)| *run >= least).copied().collect();
            if fewer.len() < MAX_FIELDS / 16 {
                begins.truncate(MAX_FIELDS);
            } else {
                begins = fewer;
            }
        }
        let mut counts = vec![0u32; MAX_LRECL + 1];
        for (count, (first, _)) in begins.iter().enumerate() {
            for (second, _) in &begins[count + 1..] {
                match counts.get_mut(second - first) {
                    Some(count) => *count += 1,
                    None => break,
                }
            }
        }
        let mut lags: Vec<usize> = (MIN_LRECL..=MAX_LRECL).filter(|lag| counts[*lag] > 1).collect();
        crate::sort::by_key(&mut lags, |lag| (std::cmp::Reverse(counts[*lag]), *lag));
        lags.truncate(MAX_CANDIDATES);
        // The period itself may be rarer than its double or triple.
        let common: Vec<usize> = lags.windows(2).take(8).map(|pair| gcd(pair[0], pair[1])).collect();
        lags.extend(common);
        lags
    }

    /// Returns how many bits are saved by describing the kinds of bytes column by column. Columns that save nothing do
    /// not count.
    fn bits(&self, period: usize) -> f64 {
        self.bits_of(&self.kinds, period)
    }

    /// Does the same for a part of the bytes.
    fn bits_of(&self, kinds: &[u8], period: usize) -> f64 {
        let mut columns = vec![[0u32; KINDS]; period];
        for row in kinds.chunks(period) {
            for (column, kind) in columns.iter_mut().zip(row) {
                column[usize::from(*kind)] += 1;
            }
        }
        let all = self.kinds.len() as f64;
        let usual = self.totals.map(|total| if total > 0 { libm::log2(total as f64 / all) } else { 0.0 });
        let present = self.totals.iter().filter(|total| **total > 0).count();
        // The cost of describing a column.
        let price = 0.5 * (present - 1) as f64 * libm::log2(kinds.len() as f64 / period as f64) + 3.0;
        let saved = columns.iter().map(|column| {
            let rows = f64::from(column.iter().sum::<u32>());
            let own = column.iter().zip(usual).filter(|(count, _)| **count > 0).map(|(count, usual)| {
                let count = f64::from(*count);
                count * (libm::log2(count / rows) - usual)
            });
            (own.sum::<f64>() - price).max(0.0)
        });
        saved.sum::<f64>() - period as f64 * CHANCE_BITS_PER_COLUMN
    }

    /// Describes the columns that are blank in nine of ten records.
    fn blank_columns(&self, period: usize) -> Option<String> {
        let mut blanks = vec![0; period];
        for row in self.kinds.chunks_exact(period) {
            for (column, kind) in blanks.iter_mut().zip(row) {
                *column += usize::from(*kind == BLANK);
            }
        }
        let rows = self.kinds.len() / period;
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for column in (0..period).filter(|column| blanks[*column] * 10 >= rows * 9) {
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == column => *end = column,
                _ => ranges.push((column, column)),
            }
        }
        let range_text = |(first, last): &(usize, usize)| match first == last {
            true => format!("{}", first + 1),
            false => format!("{}-{}", first + 1, last + 1),
        };
        let more = if ranges.len() > 4 { " and others" } else { "" };
        let shown: Vec<String> = ranges.iter().take(4).map(range_text).collect();
        (!shown.is_empty())
            .then(|| format!("columns {}{more} are blank in at least 90 % of the records", shown.join(", ")))
    }
}

/// Between shift codes every byte is half of a character or half of a space.
fn merge_shifted(sample: &[u8], kinds: &mut [u8]) {
    let mut shifted = false;
    for (byte, kind) in sample.iter().zip(kinds) {
        match byte {
            0x0E | 0x0F => shifted = *byte == 0x0E,
            0x41..=0xFE if shifted => *kind = TEXT,
            0x40 => {}
            // Any other byte means that these are not shift codes.
            _ => shifted = false,
        }
    }
}
