//! Fixed-length records without padding by spaces: digits and zeros, fields padded with NULs, packed decimals and
//! binary numbers.
//!
//! A length is judged by its columns. In real records, each byte of a field is of a few kinds in every record: a digit,
//! a letter, the last byte of a packed decimal. The gain of a length is a number of bits: how much better the column
//! predicts the kinds than their overall frequency does, minus the cost of learning each column. For data without such
//! a length, the gain is negative.

use super::gcd::gcd;

/// How many bytes are examined.
const SAMPLE_BYTES: usize = 1 << 16;
/// The shortest and the longest record that is tried.
const MIN_LRECL: usize = 8;
const MAX_LRECL: usize = 32760;
/// The fewest records.
const MIN_RECORDS: usize = 4;
/// The most lengths that are tried because they divide the length of the file, and because bytes repeat at that
/// distance.
const MAX_DIVISORS: usize = 256;
const MAX_ECHOES: usize = 24;
/// The longest distance at which repetition is looked for, and how many bytes are compared.
const MAX_ECHO_DISTANCE: usize = 4096;
const COMPARED_BYTES: usize = 4096;
/// The minimum gain in bits, of a length and of each of its columns. A lower gain may be chance.
const MIN_GAIN_BITS: f64 = 60.0;
const MIN_GAIN_BITS_PER_COLUMN: f64 = 0.5;
/// The largest share of the best gain that an unrelated length (not a multiple or divisor) may have.
const MAX_UNRELATED_SHARE: f64 = 0.5;
/// The largest share of the best gain that a length may have if it differs by at most three. Filler does not count.
const MAX_NEIGHBOUR_SHARE: f64 = 0.7;
/// From this share of the best gain on, a divisor or multiple may be the actual record length.
const MIN_NEAR_SHARE: f64 = 0.9;
/// The largest share of the gain that a single column may have.
const MAX_COLUMN_SHARE: f64 = 0.5;
/// The weight of the overall frequencies in a column, as a number of observations.
const PRIOR_WEIGHT: f64 = 2.0;
/// The minimum share of records that the other records predict.
const MIN_PREDICTED_SHARE: f64 = 0.9;
/// The fewest columns that differ from record to record but are of one kind.
const MIN_TELLING_COLUMNS: usize = 2;

/// The kind of a byte, in EBCDIC or in ASCII, whichever is more frequent in the sample.
const NUL: u8 = 0;
const HIGH: u8 = 1;
const BLANK: u8 = 2;
const ZERO: u8 = 3;
const DIGIT: u8 = 4;
const UPPER: u8 = 5;
const LOWER: u8 = 6;
const MARK: u8 = 7;
const PACKED_END: u8 = 8;
const PACKED: u8 = 9;
const LOW: u8 = 10;
const OTHER: u8 = 11;
const KINDS: usize = 12;

/// The lengths that the columns suggest, the best first.
pub(super) struct Lengths {
    pub(super) lrecls: Vec<usize>,
    /// Why none of them is valid nevertheless.
    pub(super) against: Option<&'static str>,
}

/// Returns the lengths that records in `data` may have. `whole`: the number that they have to divide.
pub(super) fn lengths(data: &[u8], whole: Option<usize>) -> Option<Lengths> {
    let sample = &data[..data.len().min(SAMPLE_BYTES)];
    let table = Table::of(sample)?;
    let mut tried: Vec<usize> = table.echoes().into_iter().collect();
    if let Some(whole) = whole {
        tried.extend(
            (MIN_LRECL..=MAX_LRECL.min(whole / MIN_RECORDS))
                .filter(|length| whole.is_multiple_of(*length))
                .take(MAX_DIVISORS),
        );
    }
    let most = MAX_LRECL.min(sample.len() / MIN_RECORDS);
    tried.retain(|length| (MIN_LRECL..=most).contains(length));
    crate::sort::by(&mut tried, Ord::cmp);
    tried.dedup();
    let mut scored: Vec<(usize, f64)> = tried.iter().map(|length| (*length, table.gain(*length))).collect();
    crate::sort::by(&mut scored, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let divides = |length: usize| whole.is_none_or(|whole| whole.is_multiple_of(length));
    let any = *scored.first()?;
    let best = *scored.iter().find(|one| divides(one.0))?;
    if best.1 < MIN_GAIN_BITS.max(MIN_GAIN_BITS_PER_COLUMN * best.0 as f64) {
        return None;
    }
    let (length, gain) = table.part_of(best, &scored);
    let mut lrecls = vec![length];
    // A multiple that gains no more is a group of these records.
    let is_rival =
        |one: &&(usize, f64)| divides(one.0) && !one.0.is_multiple_of(length) && one.1 >= gain * MIN_NEAR_SHARE;
    lrecls.extend(scored.iter().filter(is_rival).map(|one| one.0));
    let against = table.objection(length, gain, any);
    Some(Lengths { lrecls, against })
}

/// Returns whether nearly every record of this length is like the others.
pub(super) fn are_alike(data: &[u8], length: usize) -> bool {
    let table = Table::of(&data[..data.len().min(SAMPLE_BYTES)]);
    table.is_none_or(|table| table.is_everywhere(&table.columns(length)))
}

/// A sample with the kind of each byte, and the frequency of each kind.
struct Table<'a> {
    sample: &'a [u8],
    kinds: Vec<u8>,
    is_ascii: bool,
    /// The logarithm of the overall frequency of each kind.
    usual: [f64; KINDS],
    /// For each kind and each count: what that many bytes contribute to a column, apart from their overall frequency.
    worth: Vec<Vec<f64>>,
    /// The same for a number of records of any kind.
    cost: Vec<f64>,
}

fn kinds_of(is_ascii: bool) -> [u8; 256] {
    let is_decimal = |byte: u8| byte >> 4 < 10 && byte & 15 < 10;
    let is_last = |byte: u8| byte >> 4 < 10 && matches!(byte & 15, 0x0C | 0x0D | 0x0F);
    std::array::from_fn(|byte| {
        let byte = byte as u8;
        match (is_ascii, byte) {
            (_, 0) => NUL,
            (_, 0xFF) => HIGH,
            (true, b' ') | (false, 0x40) => BLANK,
            (true, b'0') | (false, 0xF0) => ZERO,
            (true, b'1'..=b'9') | (false, 0xF1..=0xF9) => DIGIT,
            (true, b'A'..=b'Z') | (false, 0xC0..=0xC9 | 0xD0..=0xD9 | 0xE2..=0xE9) => UPPER,
            (true, b'a'..=b'z') | (false, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9) => LOWER,
            (true, 0x21..=0x7E) | (false, 0x4A..=0x50 | 0x5A..=0x61 | 0x6A..=0x6F | 0x79..=0x7F) => MARK,
            _ if is_last(byte) => PACKED_END,
            _ if is_decimal(byte) => PACKED,
            (_, 0x01..=0x3F) => LOW,
            _ => OTHER,
        }
    })
}

impl<'a> Table<'a> {
    /// Returns `None` if there is too little data or only one kind of bytes.
    fn of(sample: &'a [u8]) -> Option<Self> {
        if sample.len() < MIN_LRECL * MIN_RECORDS {
            return None;
        }
        let count =
            |of: [u8; 256]| sample.iter().filter(|byte| (BLANK..=LOWER).contains(&of[usize::from(**byte)])).count();
        let is_ascii = count(kinds_of(true)) > count(kinds_of(false));
        let of = kinds_of(is_ascii);
        let kinds: Vec<u8> = sample.iter().map(|byte| of[usize::from(*byte)]).collect();
        let mut totals = [0usize; KINDS];
        for kind in &kinds {
            totals[usize::from(*kind)] += 1;
        }
        if totals.iter().filter(|total| **total > 0).count() < 2 {
            return None;
        }
        let rows = sample.len() / 2 + 1;
        let share = |total: usize| (total as f64).max(0.5) / sample.len() as f64;
        let sums = |from: f64, most: usize| {
            let mut sum = 0.0;
            let mut sums = vec![0.0];
            for count in 0..most {
                sum += libm::log2(from + count as f64);
                sums.push(sum);
            }
            sums
        };
        let worth = totals.iter().map(|total| sums(PRIOR_WEIGHT * share(*total), rows.min(*total))).collect();
        let usual = totals.map(|total| libm::log2(share(total)));
        Some(Table { sample, kinds, is_ascii, usual, worth, cost: sums(PRIOR_WEIGHT, rows) })
    }

    /// Counts each kind in each column.
    fn columns(&self, length: usize) -> Vec<[u32; KINDS]> {
        let mut columns = vec![[0u32; KINDS]; length];
        for row in self.kinds.chunks(length) {
            for (column, kind) in columns.iter_mut().zip(row) {
                column[usize::from(*kind)] += 1;
            }
        }
        columns
    }

    /// Returns the bits that a column gains.
    fn gain_of(&self, column: &[u32; KINDS]) -> f64 {
        let mut rows = 0;
        let mut gain = 0.0;
        for (kind, count) in column.iter().enumerate().filter(|(_, count)| **count > 0) {
            gain += self.worth[kind][*count as usize] - f64::from(*count) * self.usual[kind];
            rows += *count;
        }
        gain - self.cost[rows as usize]
    }

    /// Returns the bits that all columns of a length gain.
    fn gain(&self, length: usize) -> f64 {
        self.columns(length).iter().map(|column| self.gain_of(column)).sum()
    }

    /// Returns the same without columns that are mostly filler, since filler fits similar lengths equally well.
    fn sharp_gain(&self, length: usize) -> f64 {
        let columns = self.columns(length);
        let is_field = |column: &&[u32; KINDS]| {
            let filler = [NUL, BLANK, ZERO].map(|kind| column[usize::from(kind)]).into_iter().max().unwrap_or(0);
            filler * 2 < column.iter().sum()
        };
        columns.iter().filter(is_field).map(|column| self.gain_of(column)).sum()
    }

    /// Returns the divisor of the length `best` that is the record length, if `best` is a group of records that differ
    /// in only a few columns. (A number that counts the records has a separate period.)
    fn part_of(&self, best: (usize, f64), scored: &[(usize, f64)]) -> (usize, f64) {
        let whole = self.columns(best.0);
        let is_same = |part: usize| {
            let merged = self.columns(part);
            let split = |at: usize| whole[at..].iter().step_by(part).map(|column| self.gain_of(column)).sum::<f64>();
            let differ = (0..part).filter(|at| split(*at) > self.gain_of(&merged[*at])).count();
            differ <= 1.max(part / 4)
        };
        let is_near =
            |one: &&(usize, f64)| best.0.is_multiple_of(one.0) && one.0 < best.0 && one.1 >= best.1 * MIN_NEAR_SHARE;
        scored.iter().filter(is_near).filter(|one| is_same(one.0)).min_by_key(|one| one.0).copied().unwrap_or(best)
    }

    /// Returns the distances at which bytes of the same kind repeat most often.
    fn echoes(&self) -> Vec<usize> {
        let most = MAX_ECHO_DISTANCE.min(self.sample.len() / MIN_RECORDS);
        let compared = COMPARED_BYTES.min(self.sample.len() - most);
        let first = &self.kinds[..compared];
        // Count in chunks short enough for a one-byte counter, so that many bytes are processed at once.
        let same = |lag: usize| {
            let parts = first.chunks(128).zip(self.kinds[lag..].chunks(128));
            let count = |(one, other): (&[u8], &[u8])| one.iter().zip(other).map(|(a, b)| u8::from(a == b)).sum::<u8>();
            parts.map(|part| usize::from(count(part))).sum::<usize>()
        };
        let mut lags: Vec<(usize, usize)> = (MIN_LRECL..=most).map(|lag| (same(lag), lag)).collect();
        crate::sort::by_key(&mut lags, |(count, lag)| (std::cmp::Reverse(*count), *lag));
        lags.truncate(MAX_ECHOES);
        let mut lags: Vec<usize> = lags.into_iter().map(|(_, lag)| lag).collect();
        let common: Vec<usize> = lags.windows(2).take(8).map(|pair| gcd(pair[0], pair[1])).collect();
        lags.extend(common);
        lags
    }

    /// Returns the objection to a length with this gain, if there is one. `any`: the best of all lengths, whether or
    /// not it divides the length of the file.
    fn objection(&self, length: usize, gain: f64, any: (usize, f64)) -> Option<&'static str> {
        if any.0 != length && any.1 > gain / MAX_UNRELATED_SHARE && !any.0.is_multiple_of(length) {
            return Some("another length fits better but does not divide the length of the file");
        }
        let short = (2..MIN_LRECL).filter(|short| self.gain(*short) > gain * MAX_UNRELATED_SHARE).count();
        if short > 0 {
            return Some("the period is only a few bytes, as in multi-byte characters or numbers");
        }
        let beside = [1, 2, 3].into_iter().flat_map(|step| [length - step, length + step]);
        if beside.map(|length| self.sharp_gain(length)).fold(0.0, f64::max)
            > self.sharp_gain(length) * MAX_NEIGHBOUR_SHARE
        {
            return Some("neighbouring lengths fit as well");
        }
        let columns = self.columns(length);
        let gains: Vec<f64> = columns.iter().map(|column| self.gain_of(column)).collect();
        let positive: f64 = gains.iter().filter(|gain| **gain > 0.0).sum();
        if gains.iter().copied().fold(0.0, f64::max) > positive * MAX_COLUMN_SHARE {
            return Some("nearly all the regularity is in one column");
        }
        if !self.is_everywhere(&columns) {
            return Some("only part of the input has this period");
        }
        self.objection_of_bytes(length)
    }

    /// Returns whether nearly every record is predicted by all the others.
    fn is_everywhere(&self, columns: &[[u32; KINDS]]) -> bool {
        let records = self.kinds.chunks_exact(columns.len());
        let total = records.len();
        let is_predicted = |record: &[u8]| {
            let gain = |(kind, column): (&u8, &[u32; KINDS])| {
                let (kind, rows) = (usize::from(*kind), column.iter().sum::<u32>());
                let share = libm::exp2(self.usual[kind]);
                let seen = f64::from(column[kind] - 1) + PRIOR_WEIGHT * share;
                libm::log2(seen / (f64::from(rows - 1) + PRIOR_WEIGHT)) - self.usual[kind]
            };
            record.iter().zip(columns).map(gain).sum::<f64>() > 0.0
        };
        // The share must be as large in each quarter.
        let good: Vec<bool> = records.map(is_predicted).collect();
        let enough = |good: &[bool]| {
            good.iter().filter(|good| **good).count() as f64 >= good.len() as f64 * MIN_PREDICTED_SHARE - 1.0
        };
        good.iter().filter(|good| **good).count() as f64 >= total as f64 * MIN_PREDICTED_SHARE
            && good.chunks(total.div_ceil(4).max(1)).all(enough)
    }

    /// Returns the objection that follows from the bytes themselves, if there is one.
    fn objection_of_bytes(&self, length: usize) -> Option<&'static str> {
        let rows = self.sample.len() / length;
        let bytes = |column: usize| (0..rows).map(move |row| self.sample[row * length + column]);
        let kinds = |column: usize| (0..rows).map(move |row| self.kinds[row * length + column]);
        let mut telling = 0;
        let (mut constant, mut syntax) = (0, 0);
        let of_ascii: &[u8] = b"<>{}[]\"";
        let is_syntax = |byte: u8| if self.is_ascii { of_ascii } else { &[0x4C, 0x6E, 0x7F] }.contains(&byte);
        for column in 0..length {
            let first = bytes(column).next().unwrap_or(0);
            let is_newline = |byte: u8| matches!(byte, 0x0A | 0x0D | 0x15 | 0x25);
            if column + 1 == length && bytes(column).all(is_newline) {
                return Some("its lines end with newlines");
            }
            let kind = most_frequent(kinds(column));
            let is_number = |kind: u8| matches!(kind, ZERO | DIGIT);
            let same = kinds(column).filter(|other| *other == kind || is_number(kind) && is_number(*other)).count();
            let is_decimal = bytes(column).all(|byte| byte >> 4 < 10 && byte & 15 < 10);
            let is_one = is_decimal || same * 10 >= rows * 9;
            let changes = bytes(column).filter(|byte| *byte != first).count() * 8 >= rows;
            telling += usize::from(is_one && changes && !matches!(kind, LOW | OTHER | NUL));
            constant += usize::from(!changes);
            syntax += usize::from(is_one && !changes && is_syntax(first));
        }
        let text = self.kinds.iter().filter(|kind| (BLANK..=MARK).contains(*kind)).count();
        let is_text = text * 100 >= self.kinds.len() * 98;
        let is_filler = |pair: &[u8]| pair[0] == pair[1] && matches!(pair[0], NUL | BLANK | ZERO);
        let filler = self.kinds.windows(2).filter(|pair| is_filler(pair)).count();
        if is_text && (syntax > 1 || filler < rows / 2) {
            return Some("no fields are padded with blanks");
        }
        if telling < MIN_TELLING_COLUMNS || (telling + constant) * 3 < length {
            return Some("the columns do not look like fields of records");
        }
        None
    }
}

fn most_frequent(kinds: impl Iterator<Item = u8>) -> u8 {
    let mut counts = [0usize; KINDS];
    kinds.for_each(|kind| counts[usize::from(kind)] += 1);
    (0..KINDS as u8).max_by_key(|kind| counts[usize::from(*kind)]).unwrap_or(OTHER)
}
