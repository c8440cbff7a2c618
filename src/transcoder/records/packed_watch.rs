//! Finds packed decimals (COMP-3) in the text of EBCDIC records, by looking at whole columns.
//!
//! A single record proves little: `00 00 01 6D` may be a packed number or a binary one. The same position in many
//! records proves more. In every record, a packed field ends in a byte with a digit and a sign (`C` or `D`, or `F` in
//! an unsigned field), after a byte with two digits. The last byte of a binary number looks like that in only one of
//! twelve records. Only the beginning of an input is examined, so the rest of it costs nothing.

use std::ops::{Range, RangeInclusive};

/// How many bytes of data are examined.
const WINDOW_BYTES: usize = 64 * 1024;

/// How many records are examined, however short they are.
const MAX_RECORDS: usize = 4096;

/// The longest packed field in bytes: 31 digits and a sign.
const MAX_FIELD_BYTES: usize = 16;

/// The fewest records in which a field is certain if its last bytes differ.
const MIN_CERTAIN_RECORDS: u16 = 5;

/// Collects the first records of an input until they can be judged.
#[derive(Default)]
pub(in crate::transcoder) struct PackedWatch {
    /// Whether the page has shift codes, one of which looks like the last byte of a field.
    shifts: bool,
    bytes: Vec<u8>,
    /// For each record, the index in `bytes` at which it ends.
    ends: Vec<usize>,
    /// Positions in the input: an index in `bytes`, and the input offset of that byte.
    places: Vec<(usize, u64)>,
    is_over: bool,
    is_judged: bool,
}

/// A state of a [`PackedWatch`] that can be restored.
#[derive(Clone, Copy)]
pub(in crate::transcoder) struct Seen {
    bytes: usize,
    ends: usize,
    places: usize,
}

/// A packed field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::transcoder) struct PackedField {
    /// Its first position in the input.
    pub(in crate::transcoder) offset: u64,
    /// The columns of the field, from 1.
    pub(in crate::transcoder) columns: RangeInclusive<usize>,
    /// The number of records in which it is packed, and the number of all records.
    pub(in crate::transcoder) records: (usize, usize),
}

impl PackedWatch {
    /// `shifts`: the page is a mixed one, with shift codes.
    pub(in crate::transcoder) fn new(shifts: bool) -> Self {
        PackedWatch { shifts, ..PackedWatch::default() }
    }

    /// Adds bytes of the current record, which are at `at` in the input.
    pub(in crate::transcoder) fn see(&mut self, at: u64, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(WINDOW_BYTES - self.bytes.len())];
        if bytes.is_empty() || self.is_judged {
            return;
        }
        let follows = self.places.last().is_some_and(|(from, offset)| offset + (self.bytes.len() - from) as u64 == at);
        if !follows {
            self.places.push((self.bytes.len(), at));
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Ends the current record.
    pub(in crate::transcoder) fn end_record(&mut self) {
        if self.is_judged {
            return;
        }
        self.ends.push(self.bytes.len());
        self.is_over |= self.bytes.len() >= WINDOW_BYTES || self.ends.len() >= MAX_RECORDS;
    }

    /// Ends the input. The current record does not count.
    pub(in crate::transcoder) fn end(&mut self) {
        self.is_over = true;
    }

    /// Returns whether there is enough to judge, but no judgement yet.
    pub(in crate::transcoder) fn is_due(&self) -> bool {
        self.is_over && !self.is_judged
    }

    /// Returns whether it has been judged. After that, further bytes are ignored.
    pub(in crate::transcoder) fn is_judged(&self) -> bool {
        self.is_judged
    }

    pub(in crate::transcoder) fn seen(&self) -> Seen {
        Seen { bytes: self.bytes.len(), ends: self.ends.len(), places: self.places.len() }
    }

    /// Forgets everything seen since then.
    pub(in crate::transcoder) fn forget(&mut self, since: Seen) {
        self.bytes.truncate(since.bytes);
        self.ends.truncate(since.ends);
        self.places.truncate(since.places);
        self.is_over = self.is_judged;
    }

    /// Returns the first packed field of all records examined.
    pub(in crate::transcoder) fn judge(&mut self) -> Option<PackedField> {
        self.is_judged = true;
        self.find()
    }

    /// Returns the first packed field of the first `records` records, for an input that ends there with an error.
    pub(in crate::transcoder) fn judge_first(mut self, records: u64) -> Option<PackedField> {
        self.ends.truncate(usize::try_from(records).unwrap_or(usize::MAX));
        self.find()
    }

    /// Returns the first packed field by column. Takes time linear in the bytes seen.
    fn find(&self) -> Option<PackedField> {
        // Text contains no controls, so there is nothing to count. A single record shows nothing.
        if self.ends.len() < 2 || self.bytes.iter().all(|byte| !is_low(*byte)) {
            return None;
        }
        let mut columns: Vec<Column> = Vec::new();
        for record in self.records().map(|range| &self.bytes[range]) {
            columns.resize_with(columns.len().max(record.len()), Column::default);
            // The position of the last control in the run of digits that ends here.
            let mut low = None;
            for (at, byte) in record.iter().enumerate() {
                let is_near = low.is_some_and(|low| at - low < MAX_FIELD_BYTES);
                if at > 0 && (is_low(*byte) || is_low(record[at - 1]) || is_near) {
                    columns[at].count(&record[..=at], self.shifts);
                }
                low = match has_digits(*byte) {
                    true if is_low(*byte) => Some(at),
                    true => low,
                    false => None,
                };
            }
        }
        let last = columns.iter().position(Column::is_packed)?;
        Some(self.field(last))
    }

    fn records(&self) -> impl Iterator<Item = Range<usize>> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| begin..*end)
    }

    /// Returns the field whose last byte is at index `last` of the records.
    fn field(&self, last: usize) -> PackedField {
        let has_field = |range: &Range<usize>| {
            let record = &self.bytes[range.start..range.end.min(range.start + last + 1)];
            record.len() > last && is_field(record, self.shifts) && is_no_text(record)
        };
        let begins: Vec<usize> = self.records().filter(has_field).map(|range| range.start).collect();
        // Scan backwards for the beginning of the field. The scan stops if some record has no digits at a position, or
        // if all records may have text there (40 is two digits, but also a space).
        let is_of_it = |at: &usize| {
            let bytes = || begins.iter().map(|begin| self.bytes[begin + at]);
            bytes().all(has_digits) && bytes().any(is_low)
        };
        let first =
            (last.saturating_sub(MAX_FIELD_BYTES - 1)..last).rev().take_while(is_of_it).last().unwrap_or(last - 1);
        let index = begins.first().map_or(0, |begin| begin + first);
        let place = self.places.partition_point(|(from, _)| *from <= index).saturating_sub(1);
        let offset = self.places.get(place).map_or(0, |(from, offset)| offset + (index - from) as u64);
        PackedField { offset, columns: first + 1..=last + 1, records: (begins.len(), self.ends.len()) }
    }
}

/// The bytes of all records at a position that may be the end of a field. Records with text at that position do not
/// count.
#[derive(Default)]
struct Column {
    /// How often it was a digit and a sign, and how often a digit and F, each after two digits.
    signed: u16,
    unsigned: u16,
    /// How often it was something else that is not text.
    others: u16,
    /// How often it was not text and came after two bytes of digits that were not text either.
    long: u16,
    /// Which bytes it was, one bit each; and roughly which bytes preceded it.
    seen: u64,
    seen_before: u32,
    /// Whether one of the preceding bytes was not text.
    has_low: bool,
}

impl Column {
    /// Counts the last byte of `record`.
    fn count(&mut self, record: &[u8], shifts: bool) {
        let [.., before, last] = *record else { return };
        if is_of_text(before, last, shifts) {
            return;
        }
        if !is_field(record, shifts) {
            self.others += 1;
            return;
        }
        match last & 15 {
            15 => self.unsigned += 1,
            _ => self.signed += 1,
        }
        self.seen |= 1 << (6 * u32::from(last >> 4) + u32::from(last & 15) - 10);
        self.seen_before |= 1 << ((10 * u32::from(before >> 4) + u32::from(before & 15)) % 32);
        self.has_low |= is_low(before);
        let [.., second, _, _] = *record else { return };
        if is_low(last) && is_low(before) && is_low(second) && has_digits(second) {
            self.long += 1;
        }
    }

    fn is_packed(&self) -> bool {
        let (are, others) = match self.signed >= self.unsigned {
            true => (self.signed, self.others + self.unsigned),
            false => (self.unsigned, self.others + self.signed),
        };
        // Numbers that end in zeros all have the same last byte.
        let before_differ = self.has_low && self.seen_before.count_ones() >= 3;
        let differ = are >= MIN_CERTAIN_RECORDS && (self.seen.count_ones() >= 3 || before_differ);
        are >= 2 && are / 9 >= others && (differ || self.long == self.signed + self.unsigned)
    }
}

/// Returns whether the last bytes of `record` may be those of a packed number.
fn is_field(record: &[u8], shifts: bool) -> bool {
    let [.., before, last] = *record else { return false };
    let is_sign = matches!(last & 15, 0x0C | 0x0D | 0x0F) && last >> 4 <= 9;
    // Minus zero does not occur, but the binary number 13 does.
    let is_minus_zero = last == 0x0D && before == 0 && record.len() > 2 && record[record.len() - 3] == 0;
    is_sign && has_digits(before) && !is_minus_zero && !is_of_text(before, last, shifts)
}

/// Returns whether there is a control among the last bytes of `record`, if these are a field.
fn is_no_text(record: &[u8]) -> bool {
    let field = &record[record.len().saturating_sub(MAX_FIELD_BYTES)..];
    let Some((last, digits)) = field.split_last() else { return false };
    is_low(*last) || digits.iter().rev().take_while(|byte| has_digits(**byte)).any(|byte| is_low(*byte))
}

/// Returns whether a control at this position is part of text after all: a shift code, or a newline after text.
fn is_of_text(before: u8, last: u8, shifts: bool) -> bool {
    let is_shift = |byte| shifts && matches!(byte, 0x0E | 0x0F);
    is_shift(before) || is_shift(last) || (last == 0x0D && !is_low(before))
}

fn has_digits(byte: u8) -> bool {
    byte >> 4 <= 9 && byte & 15 <= 9
}

/// Returns whether the byte is a control in EBCDIC.
fn is_low(byte: u8) -> bool {
    byte < 0x40
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(records: &[&[u8]]) -> Option<PackedField> {
        let mut watch = PackedWatch::new(false);
        let mut at = 100;
        for record in records {
            // In two pieces, as records may arrive.
            let (one, two) = record.split_at(record.len() / 2);
            watch.see(at, one);
            watch.see(at + one.len() as u64, two);
            watch.end_record();
            at += record.len() as u64 + 4;
        }
        watch.judge()
    }

    /// Returns a packed number with the sign C or D.
    fn packed(number: i64, len: usize) -> Vec<u8> {
        let digits =
            format!("{:0width$}{}", number.unsigned_abs(), if number < 0 { 'D' } else { 'C' }, width = 2 * len - 1);
        digits
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    fn columns(of: impl Fn(u32) -> Vec<u8>) -> Option<RangeInclusive<usize>> {
        let records: Vec<Vec<u8>> =
            (0..20).map(|n| [b"\xC1\x81\x40".to_vec(), of(n), b"\xC2".to_vec()].concat()).collect();
        judge(&records.iter().map(|record| &record[..]).collect::<Vec<_>>()).map(|field| field.columns)
    }

    #[test]
    fn packed_fields() {
        for len in 3..9 {
            assert_eq!(columns(|n| packed(i64::from(n) * 7919 - 50_000, len)), Some(4..=3 + len), "{len}");
        }
        assert_eq!(columns(|n| packed(i64::from(n * 37 % 1000), 2)), Some(4..=5));
        // The largest numbers: no byte is 00.
        assert!(columns(|n| packed(9_876_543_210 - i64::from(n) * 123_456_789, 6)).is_some());
        // The same in every record, and in only two records.
        assert_eq!(columns(|_| packed(0, 5)), Some(4..=8));
        assert!(judge(&[b"\xC1\xC2\x40\x00\x12\x3C", b"\xC1\xC2\x40\x00\x12\x3C"]).is_some());
        // Spaces if there is no number, and other kinds of records.
        assert_eq!(columns(|n| if n % 4 == 0 { b"\x40\x40\x40".into() } else { packed(n.into(), 3) }), Some(4..=6));
        // One record with low values at this position, and numbers that end in zeros.
        let zeros = |n: u32| if n == 0 { vec![0; 5] } else { vec![0, (n % 10) as u8, 0, 0, 15] };
        assert_eq!(columns(zeros), Some(4..=8));
        assert_eq!(columns(|n| packed(i64::from(n) * 100 + 40_000, 4)).map(|columns| *columns.end()), Some(7));
        // Without a sign.
        assert_eq!(columns(|n| vec![0, (n % 10) as u8, (n as u8 % 10) << 4 | 15]), Some(4..=6));
    }

    #[test]
    fn no_packed_fields() {
        let big = |n: u32| n.to_be_bytes().to_vec();
        assert_eq!(columns(big), None);
        assert_eq!(columns(|n| big(n * 17)), None);
        assert_eq!(columns(|n| big(n.wrapping_mul(0x9E37_79B9))), None);
        assert_eq!(columns(|_| big(0x16D)), None);
        assert_eq!(columns(|n| big(12 + n % 2)), None);
        assert_eq!(columns(|n| vec![0, 0, 1, [0x6D, 0x15, 0x4C, 0x22][n as usize % 4]]), None);
        assert_eq!(columns(|n| (n as u16).to_be_bytes().to_vec()), None);
        // Low values before something that is not a letter, and lines of text within records.
        assert_eq!(columns(|_| b"\x00\x00\x00\x5C".into()), None);
        assert_eq!(columns(|_| b"\x81\x82\x0D\x25".into()), None);
        assert_eq!(columns(|_| b"\x40\x40\x0D".into()), None);
        assert_eq!(columns(|n| vec![0x81, 0x82, 0x4C + (n as u8 % 2)]), None);
        // A single record is not enough to tell.
        assert_eq!(judge(&[b"\xC1\x00\x12\x3C"]), None);
    }
}
