//! Follows one framing through a prefix, and computes how likely it is that its headers are not a coincidence.
//!
//! The evidence is a number of bits: how much more likely the headers are as lengths than as bytes of the data. The
//! likelihood as data is estimated from pairs of successive bytes, without the headers.

use super::hypothesis::Hypothesis;
use crate::error::{Error, ErrorKind};
use crate::records::{Deframer, MAX_BLKSIZE, Part, RECORD_LIMIT, Shape};
use std::collections::HashMap;

/// The minimum evidence of the headers, in bits. Less may be chance.
const MIN_EVIDENCE_BITS: f64 = 24.0;
/// The number of bits that each header must contribute on average.
const MIN_BITS_PER_HEADER: f64 = 2.0;
/// The fewest headers that can be judged.
const MIN_HEADERS: usize = 3;
/// The number of headers that are weighed. The rest are only followed.
const MAX_WEIGHED_HEADERS: usize = 1 << 14;
/// From this length on, the first byte of a length is a byte that also occurs in data. If a header consists only of its
/// length, such a length is not evidence.
const TEXT_LIKE_LENGTH: u32 = 0x2000;

/// How often each byte follows each other byte in a prefix.
#[derive(Clone)]
pub(super) struct Pairs(Vec<u32>);

impl Pairs {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut pairs = vec![0; 1 << 16];
        for pair in bytes.windows(2) {
            pairs[index(pair[0], pair[1])] += 1;
        }
        Pairs(pairs)
    }

    /// Returns the same counts without the headers.
    fn without(&self, bytes: &[u8], headers: &[Header]) -> Self {
        let mut pairs = self.0.clone();
        let mut done = 0;
        for header in headers {
            let (from, to) = (header.at.saturating_sub(1).max(done), (header.at + header.len + 1).min(bytes.len()));
            for pair in bytes[from..to].windows(2) {
                pairs[index(pair[0], pair[1])] -= 1;
            }
            done = to - 1;
        }
        Pairs(pairs)
    }
}

fn index(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

/// A header that fits.
struct Header {
    at: usize,
    len: usize,
    /// The length that it contains.
    length: u32,
    /// Whether it belongs to an empty record and consists only of zeros.
    is_zero: bool,
}

/// A framing that was followed as far as it fits.
pub(super) struct Walk {
    pub(super) shape: Shape,
    /// Whether it fits all of the prefix, and not by accident. [`resolve_nested`](super::resolve_nested) may change
    /// this to false.
    pub(super) fits: bool,
    pub(super) why: Vec<String>,
    /// In bits.
    pub(super) evidence: f64,
    pub(super) records: u64,
    pub(super) bytes: u64,
    pub(super) failed: Option<Error>,
}

/// The counts while a framing is followed.
#[derive(Default)]
struct Counts {
    records: u64,
    empty: u64,
    blocks: u64,
    /// The number of records that have several segments.
    spanned: u64,
    shortest: Option<u64>,
    longest: u64,
}

impl Walk {
    pub(super) fn new(prefix: &[u8], eof: bool, shape: &Shape, pairs: &Pairs) -> Self {
        let mut headers = Vec::new();
        let (counts, failed) = follow(prefix, eof, shape, &mut headers);
        let bytes = failed.as_ref().and_then(Error::offset).unwrap_or(prefix.len() as u64);
        let evidence = if headers.len() < MIN_HEADERS { 0.0 } else { weigh(prefix, shape, &headers, pairs) };
        let mut why = vec![counts.summary(shape)];
        let reason = if failed.is_some() {
            None
        } else if headers.len() < MIN_HEADERS {
            Some("too few headers to tell")
        } else if counts.empty > 3 * (counts.records - counts.empty) {
            Some("most records are empty")
        } else if evidence < MIN_EVIDENCE_BITS.max(MIN_BITS_PER_HEADER * headers.len().min(MAX_WEIGHED_HEADERS) as f64)
        {
            Some("the headers could just as well be data")
        } else if matches!(shape, Shape::Vbs { .. }) && counts.spanned == 0 {
            Some("no record is spanned, so this is vb")
        } else {
            None
        };
        let fits = failed.is_none() && reason.is_none();
        why.extend(reason.map(str::to_owned));
        Walk { shape: shape.clone(), fits, why, evidence, records: counts.records, bytes, failed }
    }

    /// Returns whether this is probably the framing of `len` bytes, although it does not fit all of them.
    pub(super) fn is_convincing(&self, len: usize) -> bool {
        self.evidence >= (2.0 * MIN_EVIDENCE_BITS).max(4.0 * self.records as f64) && self.bytes > len as u64 / 2
    }

    pub(super) fn into_hypothesis(self) -> Hypothesis {
        let Walk { shape, fits, why, records, bytes, failed, .. } = self;
        Hypothesis { shape, survives: fits, records, bytes, failed, why }
    }
}

impl Counts {
    fn summary(&self, shape: &Shape) -> String {
        let mut words = format!("{} {}", self.records, if self.records == 1 { "record" } else { "records" });
        match self.shortest {
            Some(shortest) if shortest == self.longest => words += &format!(" of {shortest} bytes"),
            Some(shortest) => words += &format!(" of {shortest} to {} bytes", self.longest),
            None => {}
        }
        if self.spanned > 0 {
            words += &format!(", {} of them spanned", self.spanned);
        }
        if matches!(shape, Shape::Vb { .. } | Shape::Vbs { .. }) {
            // This is separate from the record length, because it is about the blocks.
            let comma = if self.shortest.is_some() { "," } else { "" };
            words += &format!("{comma} in {} {}", self.blocks, if self.blocks == 1 { "block" } else { "blocks" });
        }
        words
    }
}

/// Follows `shape`, counts records, and collects the first [`MAX_WEIGHED_HEADERS`] headers.
fn follow(prefix: &[u8], eof: bool, shape: &Shape, headers: &mut Vec<Header>) -> (Counts, Option<Error>) {
    let mut deframer = Deframer::new(shape);
    let mut counts = Counts::default();
    let (mut at, mut len, mut segments, mut block_end) = (0, 0, 0, 0);
    loop {
        match deframer.next(&prefix[at..], eof) {
            Err(error) => return (counts, Some(error)),
            Ok(Part::Done | Part::NeedInput) => return (counts, None),
            Ok(Part::Framing(taken)) => {
                let bytes = &prefix[at..at + taken];
                let in_blocks = matches!(shape, Shape::Vb { .. } | Shape::Vbs { .. });
                let is_block = in_blocks && at >= block_end;
                if let Some((length, data)) = read(shape, bytes, is_block) {
                    if let Some(what) = implausible(shape, bytes, length) {
                        let (offset, record) = (at as u64, deframer.record());
                        let kind = ErrorKind::BadHeader { offset, record, header: bytes.to_vec(), what };
                        return (counts, Some(kind.into()));
                    }
                    if is_block {
                        block_end = at.saturating_add(length as usize);
                        counts.blocks += 1;
                    } else {
                        segments += 1;
                    }
                    if headers.len() < MAX_WEIGHED_HEADERS {
                        let is_zero = data == Some(0) && bytes.iter().all(|byte| *byte == 0);
                        headers.push(Header { at, len: taken, length, is_zero });
                    }
                }
                at += taken;
            }
            Ok(Part::Data(taken)) => {
                at += taken;
                len += taken as u64;
            }
            Ok(Part::End) => {
                counts.records += 1;
                counts.empty += u64::from(len == 0);
                counts.spanned += u64::from(matches!(shape, Shape::Vbs { .. }) && segments > 1);
                counts.shortest = Some(counts.shortest.map_or(len, |shortest| shortest.min(len)));
                counts.longest = counts.longest.max(len);
                (len, segments) = (0, 0);
            }
            Ok(Part::FileEnd) => {}
        }
    }
}

/// Returns the length in a complete header, and the length of the data that follows, if the header shows that. `None`:
/// the bytes are not a header.
fn read(shape: &Shape, header: &[u8], is_block: bool) -> Option<(u32, Option<u32>)> {
    let big = |at: usize| u32::from(header[at]) << 8 | u32::from(header[at + 1]);
    match (shape, header.len()) {
        (Shape::U16, 2) => Some((big(0), Some(big(0)))),
        (Shape::ModeB, 3) => Some((big(1), Some(big(1)))),
        (Shape::U32, 4) => Some((big(0) << 16 | big(2), Some(big(0) << 16 | big(2)))),
        (Shape::Rdw { little, inclusive }, 4) => {
            let length = if *little { u32::from(header[3]) << 8 | u32::from(header[2]) } else { big(0) };
            Some((length, Some(length.saturating_sub(if *inclusive { 4 } else { 0 }))))
        }
        (Shape::Vb { .. } | Shape::Vbs { .. }, 4) if is_block && header[0] & 0x80 != 0 => {
            Some(((big(0) << 16 | big(2)) & 0x7FFF_FFFF, None))
        }
        (Shape::Vb { .. } | Shape::Vbs { .. }, 4) => Some((big(0), None)),
        _ => None,
    }
}

/// Returns why a valid header means that the framing must be a different one.
fn implausible(shape: &Shape, header: &[u8], length: u32) -> Option<&'static str> {
    match shape {
        Shape::Rdw { .. } if length > MAX_BLKSIZE => Some("z/OS records are at most 32760 bytes long"),
        Shape::U16 if length > MAX_BLKSIZE => Some("text records are at most 32760 bytes long"),
        Shape::U32 if length as usize > RECORD_LIMIT => Some("text records are at most 1 MiB long"),
        Shape::ModeB if header[0] & 0x20 != 0 => Some("the flag for suspect data is set, which no real sender uses"),
        _ => None,
    }
}

/// Returns the evidence of the headers in bits.
fn weigh(prefix: &[u8], shape: &Shape, headers: &[Header], pairs: &Pairs) -> f64 {
    let pairs = pairs.without(prefix, headers).0;
    let firsts: Vec<f64> = pairs.chunks(256).map(|row| row.iter().map(|n| f64::from(*n)).sum()).collect();
    let mut singles = [0.5; 256];
    for row in pairs.chunks(256) {
        for (single, count) in singles.iter_mut().zip(row) {
            *single += f64::from(*count);
        }
    }
    let all: f64 = singles.iter().sum();
    // The likelihood of a byte of the data after another byte. Rare pairs are estimated from the frequency of the byte
    // alone.
    let as_data = |before: Option<&u8>, byte: u8| {
        let single = singles[usize::from(byte)] / all;
        before.map_or(single, |before| {
            (f64::from(pairs[index(*before, byte)]) + 4.0 * single) / (firsts[usize::from(*before)] + 4.0)
        })
    };
    // A length that has occurred before is likely to occur again. Any other length is less likely the longer it is.
    let mut seen: HashMap<u32, u32> = HashMap::new();
    let mut evidence = 0.0;
    for (count, header) in headers.iter().enumerate() {
        let before = |at: usize| at.checked_sub(1).map(|at| &prefix[at]);
        let data: f64 =
            (header.at..header.at + header.len).map(|at| as_data(before(at), prefix[at])).map(libm::log2).sum();
        let new = 1.0 / (12.0 * (f64::from(header.length) + 1.0));
        let times = seen.entry(header.length).or_default();
        let mut as_length = (f64::from(*times) + 8.0 * new) / (count as f64 + 8.0);
        *times += 1;
        as_length *= match (shape, prefix[header.at]) {
            (Shape::ModeB, 0x80) => 0.5,
            (Shape::ModeB, 0x00) => 0.25,
            (Shape::ModeB, _) => 0.05,
            (Shape::Vbs { .. }, _) => 0.25,
            _ => 1.0,
        };
        let bits = libm::log2(as_length) - data;
        let says_little =
            header.is_zero || matches!(shape, Shape::U16 | Shape::ModeB) && header.length >= TEXT_LIKE_LENGTH;
        evidence += if says_little { bits.min(0.0) } else { bits };
    }
    evidence
}
