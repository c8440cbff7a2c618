//! Records of one length that are not filled with blanks: digits and zeros, fields padded with NULs, packed decimals
//! and binary numbers.
//!
//! A length is judged by its columns. In records each byte of a field is of few kinds, whatever the record: a digit, a
//! letter, the last byte of a packed decimal. The gain of a length is a number of bits: how much better the kinds are
//! predicted by the column than by how frequent they are at large, with what it costs to learn each column. Data that
//! has no such length gains less than nothing.

use std::collections::BTreeSet;

/// So much is looked at.
const SAMPLE: usize = 1 << 16;
/// The shortest and the longest record that is tried.
const SHORTEST: usize = 8;
const LONGEST: usize = 32760;
/// Records that there must be.
const ROWS: usize = 4;
/// Lengths that are tried because they divide that of the file, and because the bytes come again at that distance.
const DIVISORS: usize = 256;
const ECHOES: usize = 24;
/// The longest distance at which bytes are looked for that come again, and how many are compared.
const FARTHEST: usize = 4096;
const COMPARED: usize = 4096;
/// Bits from which on a length is no accident; as many for each of its columns.
const ENOUGH: f64 = 60.0;
const ENOUGH_EACH: f64 = 0.5;
/// How much of the best gain another length may have that is no multiple of it and no part.
const APART: f64 = 0.5;
/// How much of it lengths may have that differ by no more than three, filler aside.
const BESIDE: f64 = 0.7;
/// How much of the best gain a part of it, or a multiple, has that may as well be meant.
const NEAR: f64 = 0.9;
/// How much of the gain one column may have.
const ONE_COLUMN: f64 = 0.5;
/// How many observations the frequencies at large are worth to a column.
const PRIOR: f64 = 2.0;
/// The share of the records that the others have to predict.
const PREDICTED: f64 = 0.9;
/// The fewest columns that differ from record to record and are of one kind all the same.
const TELLING: usize = 2;

/// What a byte is. Which of EBCDIC and ASCII it is in depends on which is more frequent.
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

/// The lengths that the columns speak for, the best first.
pub(super) struct Found {
    pub(super) lrecls: Vec<usize>,
    /// Why it is none of them all the same.
    pub(super) against: Option<&'static str>,
}

/// The lengths that records in `data` may have. `whole`: what they have to divide.
pub(super) fn lengths(data: &[u8], whole: Option<usize>) -> Option<Found> {
    let sample = &data[..data.len().min(SAMPLE)];
    let table = Table::of(sample)?;
    let mut tried: BTreeSet<usize> = table.echoes().into_iter().collect();
    if let Some(whole) = whole {
        tried.extend(
            (SHORTEST..=LONGEST.min(whole / ROWS)).filter(|length| whole.is_multiple_of(*length)).take(DIVISORS),
        );
    }
    let most = LONGEST.min(sample.len() / ROWS);
    tried.retain(|length| (SHORTEST..=most).contains(length));
    let mut scored: Vec<(usize, f64)> = tried.iter().map(|length| (*length, table.gain(*length))).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let divides = |length: usize| whole.is_none_or(|whole| whole.is_multiple_of(length));
    let any = *scored.first()?;
    let best = *scored.iter().find(|one| divides(one.0))?;
    if best.1 < ENOUGH.max(ENOUGH_EACH * best.0 as f64) {
        return None;
    }
    let (length, gain) = table.part_of(best, &scored);
    let mut lrecls = vec![length];
    // A multiple that gains no more is groups of these records.
    let is_rival = |one: &&(usize, f64)| divides(one.0) && !one.0.is_multiple_of(length) && one.1 >= gain * NEAR;
    lrecls.extend(scored.iter().filter(is_rival).map(|one| one.0));
    let against = table.objection(length, gain, any);
    Some(Found { lrecls, against })
}

/// Whether nearly each record of this length is like the others.
pub(super) fn are_alike(data: &[u8], length: usize) -> bool {
    let table = Table::of(&data[..data.len().min(SAMPLE)]);
    table.is_none_or(|table| table.is_everywhere(&table.columns(length)))
}

/// The bytes of a sample as their kinds, and how frequent each kind is.
struct Table<'a> {
    sample: &'a [u8],
    kinds: Vec<u8>,
    is_ascii: bool,
    /// Logarithms of how frequent each kind is at large.
    usual: [f64; KINDS],
    /// For each kind and each number of times: what as many of it are worth to a column, its frequency at large aside.
    worth: Vec<Vec<f64>>,
    /// The same of a number of records of any kind.
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
    /// Nothing if there is too little, or only one kind of bytes.
    fn of(sample: &'a [u8]) -> Option<Self> {
        if sample.len() < SHORTEST * ROWS {
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
        let worth = totals.iter().map(|total| sums(PRIOR * share(*total), rows.min(*total))).collect();
        let usual = totals.map(|total| libm::log2(share(total)));
        Some(Table { sample, kinds, is_ascii, usual, worth, cost: sums(PRIOR, rows) })
    }

    /// How often each kind is in each column.
    fn columns(&self, length: usize) -> Vec<[u32; KINDS]> {
        let mut columns = vec![[0u32; KINDS]; length];
        for row in self.kinds.chunks(length) {
            for (column, kind) in columns.iter_mut().zip(row) {
                column[usize::from(*kind)] += 1;
            }
        }
        columns
    }

    /// The bits that a column gains.
    fn gain_of(&self, column: &[u32; KINDS]) -> f64 {
        let mut rows = 0;
        let mut gain = 0.0;
        for (kind, count) in column.iter().enumerate().filter(|(_, count)| **count > 0) {
            gain += self.worth[kind][*count as usize] - f64::from(*count) * self.usual[kind];
            rows += *count;
        }
        gain - self.cost[rows as usize]
    }

    /// The bits that all columns of a length gain.
    fn gain(&self, length: usize) -> f64 {
        self.columns(length).iter().map(|column| self.gain_of(column)).sum()
    }

    /// The same without the columns that are mostly filler, which is as good at lengths that differ little.
    fn sharp_gain(&self, length: usize) -> f64 {
        let columns = self.columns(length);
        let is_field = |column: &&[u32; KINDS]| {
            let filler = [NUL, BLANK, ZERO].map(|kind| column[usize::from(kind)]).into_iter().max().unwrap_or(0);
            filler * 2 < column.iter().sum()
        };
        columns.iter().filter(is_field).map(|column| self.gain_of(column)).sum()
    }

    /// The part of the length `best` that is the record, if that is one of several groups that differ in a few columns
    /// only: a number that counts the records has a period of its own.
    fn part_of(&self, best: (usize, f64), scored: &[(usize, f64)]) -> (usize, f64) {
        let whole = self.columns(best.0);
        let is_same = |part: usize| {
            let merged = self.columns(part);
            let split = |at: usize| whole[at..].iter().step_by(part).map(|column| self.gain_of(column)).sum::<f64>();
            let differ = (0..part).filter(|at| split(*at) > self.gain_of(&merged[*at])).count();
            differ <= 1.max(part / 4)
        };
        let is_near = |one: &&(usize, f64)| best.0.is_multiple_of(one.0) && one.0 < best.0 && one.1 >= best.1 * NEAR;
        scored.iter().filter(is_near).filter(|one| is_same(one.0)).min_by_key(|one| one.0).copied().unwrap_or(best)
    }

    /// The distances at which bytes come again most often, the rarer a byte the more that is worth.
    fn echoes(&self) -> Vec<usize> {
        let most = FARTHEST.min(self.sample.len() / ROWS);
        let compared = COMPARED.min(self.sample.len() - most);
        let first = &self.kinds[..compared];
        // In parts that a byte can count, which takes many bytes at once.
        let same = |lag: usize| {
            let parts = first.chunks(128).zip(self.kinds[lag..].chunks(128));
            let count = |(one, other): (&[u8], &[u8])| one.iter().zip(other).map(|(a, b)| u8::from(a == b)).sum::<u8>();
            parts.map(|part| usize::from(count(part))).sum::<usize>()
        };
        let mut lags: Vec<(usize, usize)> = (SHORTEST..=most).map(|lag| (same(lag), lag)).collect();
        lags.sort_by_key(|(count, lag)| (std::cmp::Reverse(*count), *lag));
        lags.truncate(ECHOES);
        let mut lags: Vec<usize> = lags.into_iter().map(|(_, lag)| lag).collect();
        let common: Vec<usize> = lags.windows(2).take(8).map(|pair| super::fixed::gcd(pair[0], pair[1])).collect();
        lags.extend(common);
        lags
    }

    /// Returns why a length with so much gain is none of records. `any`: the best of all lengths, whether it divides
    /// that of the file or not.
    fn objection(&self, length: usize, gain: f64, any: (usize, f64)) -> Option<&'static str> {
        if any.0 != length && any.1 > gain / APART && !any.0.is_multiple_of(length) {
            return Some("another length explains more, and it does not divide that of the file");
        }
        let short = (2..SHORTEST).filter(|short| self.gain(*short) > gain * APART).count();
        if short > 0 {
            return Some("the period is that of a few bytes: those of a character, or a number");
        }
        let beside = [1, 2, 3].into_iter().flat_map(|step| [length - step, length + step]);
        if beside.map(|length| self.sharp_gain(length)).fold(0.0, f64::max) > self.sharp_gain(length) * BESIDE {
            return Some("lengths beside it fit as well");
        }
        let columns = self.columns(length);
        let gains: Vec<f64> = columns.iter().map(|column| self.gain_of(column)).collect();
        let positive: f64 = gains.iter().filter(|gain| **gain > 0.0).sum();
        if gains.iter().copied().fold(0.0, f64::max) > positive * ONE_COLUMN {
            return Some("one column has nearly all that comes again");
        }
        if !self.is_everywhere(&columns) {
            return Some("only a part of it has that period");
        }
        self.objection_of_bytes(length)
    }

    /// Whether nearly each record is predicted by all others.
    fn is_everywhere(&self, columns: &[[u32; KINDS]]) -> bool {
        let records = self.kinds.chunks_exact(columns.len());
        let total = records.len();
        let is_predicted = |record: &[u8]| {
            let gain = |(kind, column): (&u8, &[u32; KINDS])| {
                let (kind, rows) = (usize::from(*kind), column.iter().sum::<u32>());
                let share = libm::exp2(self.usual[kind]);
                let seen = f64::from(column[kind] - 1) + PRIOR * share;
                libm::log2(seen / (f64::from(rows - 1) + PRIOR)) - self.usual[kind]
            };
            record.iter().zip(columns).map(gain).sum::<f64>() > 0.0
        };
        // As many in each quarter.
        let good: Vec<bool> = records.map(is_predicted).collect();
        let enough =
            |good: &[bool]| good.iter().filter(|good| **good).count() as f64 >= good.len() as f64 * PREDICTED - 1.0;
        good.iter().filter(|good| **good).count() as f64 >= total as f64 * PREDICTED
            && good.chunks(total.div_ceil(4).max(1)).all(enough)
    }

    /// What the bytes themselves have against it.
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
                return Some("newlines end the lines");
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
            return Some("nothing is filled with blanks");
        }
        if telling < TELLING || (telling + constant) * 3 < length {
            return Some("the columns are of no kind that records have");
        }
        None
    }
}

fn most_frequent(kinds: impl Iterator<Item = u8>) -> u8 {
    let mut counts = [0usize; KINDS];
    kinds.for_each(|kind| counts[usize::from(kind)] += 1);
    (0..KINDS as u8).max_by_key(|kind| counts[usize::from(*kind)]).unwrap_or(OTHER)
}
