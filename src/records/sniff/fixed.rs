//! Records of one length, with nothing between them: the length is the period in which blanks, digits and fields come
//! again.

use super::{Hypothesis, columns};
use crate::error::ErrorKind;
use crate::records::Shape;

/// So much is looked at for a period.
const SAMPLE: usize = 1 << 17;
/// The longest record of z/OS, and the shortest in which a period says anything: shorter ones are those of characters.
const LONGEST: usize = 32760;
const SHORTEST: usize = 8;
/// Records that there must be.
const ROWS: usize = 4;
/// So few that each of them is looked at.
const FEW: usize = 16;
/// Periods that are tried.
const TRIED: usize = 40;
/// Fields that are compared with one another.
const FIELDS: usize = 4096;
/// Bits from which on a period is no accident.
const ENOUGH: f64 = 30.0;
/// How much of the best period's bits one must have that divides the length, where the best does not.
const PART: f64 = 0.2;
/// Lines that are no longer than this, on average, are ended by their newlines.
const LINE: usize = 100;
/// Bits that a column brings by chance, on average and generously.
const BY_CHANCE: f64 = 0.03;
/// What people take: cards, listings with and without control column, and so on.
const USUAL: [usize; 16] = [80, 132, 133, 121, 120, 100, 72, 128, 137, 150, 200, 255, 256, 400, 500, 1000];

/// What speaks against text whose records are not filled up.
const NO_FILLER: &str = "nothing is filled with blanks";

/// A length, and what speaks for it.
#[derive(Clone, Debug)]
pub(super) struct Period {
    pub(super) lrecl: usize,
    pub(super) why: Vec<String>,
}

/// What a byte is, roughly. What it is in EBCDIC or in ASCII is for the blank to say.
const BLANK: u8 = 0;
const ZERO: u8 = 1;
const DIGIT: u8 = 2;
const TEXT: u8 = 3;
const OTHER: u8 = 4;
const KINDS: usize = 5;

/// The hypotheses of records of one length: those that fit, or the best and why it is none. `framing`: the shape that
/// the input has already.
pub(super) fn sniff(prefix: &[u8], eof: bool, framing: Option<&Shape>) -> Vec<Hypothesis> {
    let (periods, against) = best(prefix, eof.then_some(prefix.len()));
    let against = against.map(str::to_owned);
    let against = against.or_else(|| framing.map(|shape| format!("its period is that of the headers: {shape}")));
    periods.into_iter().map(|period| hypothesis(prefix, eof, period, against.clone())).collect()
}

/// The lengths of records in `data`, and what speaks against all of them. Filler and fields tell them, or, where there
/// is no filler, the columns.
fn best(data: &[u8], whole: Option<usize>) -> (Vec<Period>, Option<&'static str>) {
    let (period, against) = match periods(data, whole) {
        Ok(period) if data.len() / period.lrecl < FEW && !columns::are_alike(data, period.lrecl) => {
            return (vec![period], Some("the records are not alike"));
        }
        Ok(period) => return (vec![period], None),
        Err(Some((period, against))) if against != NO_FILLER => return (vec![period], Some(against)),
        Err(Some((period, against))) => (vec![period], Some(against)),
        Err(None) => (Vec::new(), None),
    };
    let Some(found) = columns::lengths(data, whole) else { return (period, against) };
    let told = |lrecl: usize| {
        let mut why = vec![format!("LRECL {lrecl}")];
        if let Some(whole) = whole.filter(|whole| whole.is_multiple_of(lrecl)) {
            why.push(format!("{whole} bytes are {} records", whole / lrecl));
        }
        why.push("each column has few kinds of bytes: digits, letters, packed decimals, filler".to_owned());
        Period { lrecl, why }
    };
    (found.lrecls.into_iter().map(told).collect(), found.against)
}

fn hypothesis(prefix: &[u8], eof: bool, period: Period, against: Option<String>) -> Hypothesis {
    let Period { lrecl, mut why } = period;
    let records = (prefix.len() / lrecl) as u64;
    let rest = prefix.len() % lrecl;
    let begun = records * lrecl as u64;
    let failed = (eof && rest > 0).then(|| {
        let missing = (lrecl - rest) as u64;
        ErrorKind::RecordCut { offset: prefix.len() as u64, record: records + 1, begun, missing }.into()
    });
    let survives = failed.is_none() && against.is_none();
    why.extend(against);
    let bytes = if failed.is_some() { begun } else { prefix.len() as u64 };
    Hypothesis { shape: Shape::Fixed { lrecl: lrecl as u32 }, survives, records, bytes, failed, why }
}

/// The period of `data`. `whole`: what it has to divide; where no divisor is a period, any is told, with the reason.
///
/// What is no period, or no record, comes with what speaks against it.
pub(super) fn periods(data: &[u8], whole: Option<usize>) -> Result<Period, Option<(Period, &'static str)>> {
    let sample = &data[..data.len().min(SAMPLE)];
    let kinds = Kinds::of(sample).ok_or(None)?;
    let mut lags = kinds.candidates();
    lags.extend(USUAL);
    if let Some(whole) = whole {
        // Only what divides it counts, so there is room for all that do.
        lags.extend((SHORTEST..=LONGEST.min(whole)).filter(|lag| whole.is_multiple_of(*lag)));
    }
    lags.sort_unstable();
    lags.dedup();
    lags.retain(|lag| (SHORTEST..=LONGEST.min(sample.len() / ROWS)).contains(lag));
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
    // What does not divide the length is told where nothing that does comes near it: then the end is missing.
    let best = best_of(&divides).filter(|best| best.1 >= any.1 * PART).unwrap_or(any);
    let (mut lrecl, mut bits) = best;
    if bits < ENOUGH {
        return Err(None);
    }
    // A page of a listing is a period as well, and so are groups of records: the shortest that says a good part of it.
    for (lag, part) in scored.iter().filter(|one| best.0.is_multiple_of(one.0)) {
        let enough = if USUAL.contains(lag) { 0.6 } else { 0.85 };
        if *part >= ENOUGH.max(best.1 * enough) {
            (lrecl, bits) = (*lag, *part);
            break;
        }
    }
    let mut why = Vec::new();
    // Where two say nearly the same, habit decides.
    let near = |one: &&(usize, f64)| one.1 >= bits - (bits / 200.0).max(10.0) && divides(one.0);
    let usual = |one: &&(usize, f64)| USUAL.contains(&one.0);
    if let Some(usual) = scored.iter().filter(near).find(usual).filter(|_| lrecl == best.0 && !USUAL.contains(&lrecl)) {
        why.push(format!("{lrecl} fits as well, and {} is the usual one", usual.0));
        lrecl = usual.0;
    }
    why.insert(0, format!("LRECL {lrecl}"));
    if let Some(whole) = whole.filter(|whole| divides(lrecl) && *whole > lrecl) {
        why.push(format!("{whole} bytes are {} records", whole / lrecl));
    }
    why.extend(kinds.blank_columns(lrecl));
    why.push(format!("a period of {lrecl} bytes in blanks, digits and fields"));
    let period = Period { lrecl, why };
    let short = (2..SHORTEST).map(|lag| kinds.bits(lag)).fold(0.0, f64::max);
    if short > bits / 2.0 {
        return Err(Some((period, "the period is that of a few bytes: those of a character, or a number")));
    }
    // Where there is enough for two halves, each has to have it.
    let (first, second) = kinds.kinds.split_at(sample.len() / lrecl / 2 * lrecl);
    let weaker = kinds.bits_of(first, lrecl).min(kinds.bits_of(second, lrecl));
    if bits > 20.0 * ENOUGH && weaker < bits / 8.0 {
        return Err(Some((period, "only a part of it has that period")));
    }
    if kinds.newlines * (lrecl * 2).max(LINE) > sample.len() {
        return Err(Some((period, "newlines end the lines")));
    }
    if kinds.filler * lrecl * 2 < sample.len() {
        return Err(Some((period, NO_FILLER)));
    }
    Ok(period)
}

/// The bytes of a sample as their kinds.
struct Kinds {
    kinds: Vec<u8>,
    totals: [usize; KINDS],
    /// Newlines between characters of text.
    newlines: usize,
    /// Blanks behind blanks.
    filler: usize,
}

impl Kinds {
    /// Nothing of what is no text.
    fn of(sample: &[u8]) -> Option<Self> {
        let count = |wanted: u8| sample.iter().filter(|byte| **byte == wanted).count();
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
        let said = sample.len() - totals[usize::from(ZERO)];
        // Text has blanks; packed fields may be a part of it, and no more.
        let is_text = blanks * 200 > sample.len() && controls * 5 < said && said * 2 > sample.len();
        is_text.then_some(Kinds { kinds, totals, newlines, filler })
    }

    /// Periods worth to be tried: distances at which fields begin behind filler again and again.
    fn candidates(&self) -> Vec<usize> {
        // Where something begins, by how much filler is before it. The longer that is, the rarer, the better.
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
        while begins.len() > FIELDS {
            least += 1 + least / 4;
            let fewer: Vec<_> = begins.iter().filter(|(_, run)| *run >= least).copied().collect();
            if fewer.len() < FIELDS / 16 {
                begins.truncate(FIELDS);
            } else {
                begins = fewer;
            }
        }
        let mut counts = vec![0u32; LONGEST + 1];
        for (count, (first, _)) in begins.iter().enumerate() {
            for (second, _) in &begins[count + 1..] {
                match counts.get_mut(second - first) {
                    Some(count) => *count += 1,
                    None => break,
                }
            }
        }
        let mut lags: Vec<usize> = (SHORTEST..=LONGEST).filter(|lag| counts[*lag] > 1).collect();
        lags.sort_by_key(|lag| (std::cmp::Reverse(counts[*lag]), *lag));
        lags.truncate(TRIED);
        // The period itself may be rarer than what is twice or three times as long.
        let common: Vec<usize> = lags.windows(2).take(8).map(|pair| gcd(pair[0], pair[1])).collect();
        lags.extend(common);
        lags
    }

    /// How many bits are saved by saying of each column what kinds of bytes it has, where that saves any.
    fn bits(&self, period: usize) -> f64 {
        self.bits_of(&self.kinds, period)
    }

    /// The same of a part of them.
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
        // What it costs to say of a column what it has.
        let price = 0.5 * (present - 1) as f64 * libm::log2(kinds.len() as f64 / period as f64) + 3.0;
        let saved = columns.iter().map(|column| {
            let rows = f64::from(column.iter().sum::<u32>());
            let own = column.iter().zip(usual).filter(|(count, _)| **count > 0).map(|(count, usual)| {
                let count = f64::from(*count);
                count * (libm::log2(count / rows) - usual)
            });
            (own.sum::<f64>() - price).max(0.0)
        });
        saved.sum::<f64>() - period as f64 * BY_CHANCE
    }

    /// The columns that are blank in nine records of ten.
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
        let said = |(first, last): &(usize, usize)| match first == last {
            true => format!("{}", first + 1),
            false => format!("{}-{}", first + 1, last + 1),
        };
        let more = if ranges.len() > 4 { " and others" } else { "" };
        let shown: Vec<String> = ranges.iter().take(4).map(said).collect();
        (!shown.is_empty()).then(|| format!("columns {}{more} blank in 90 % of the records or more", shown.join(", ")))
    }
}

/// Between shift codes every byte is half of a character, or of a blank.
fn merge_shifted(sample: &[u8], kinds: &mut [u8]) {
    let mut shifted = false;
    for (byte, kind) in sample.iter().zip(kinds) {
        match byte {
            0x0E | 0x0F => shifted = *byte == 0x0E,
            0x41..=0xFE if shifted => *kind = TEXT,
            0x40 => {}
            // These are no shift codes.
            _ => shifted = false,
        }
    }
}

pub(super) fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
