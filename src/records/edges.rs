//! Bytes that are not data: bytes and records to skip at the beginning and end of an input, and bytes around each
//! record.

use crate::error::{Count, Error, ErrorKind};
use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::str::FromStr;

/// The beginning or the end of an input that is not read, such as a header or a trailer.
///
/// ```
/// use charpipe::records::Skip;
///
/// assert_eq!("80".parse(), Ok(Skip::Bytes(80)));
/// assert_eq!("1r".parse(), Ok(Skip::Records(1)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Skip {
    /// This many bytes, without a check. At the beginning, the records follow them.
    Bytes(u32),
    /// This many records.
    Records(u32),
}

/// The most bytes, and the most records. Those at the end have to be held back.
const MAX_BYTES: u32 = 1 << 20;
const MAX_RECORDS: u32 = 1000;
/// The most bytes of records that are held back.
const MAX_HELD: usize = 4 << 20;

/// The error for text that is not a [`Skip`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSkip(String);

impl fmt::Display for BadSkip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSkip {}

impl Skip {
    fn is_small(self) -> bool {
        match self {
            Skip::Bytes(bytes) => bytes <= MAX_BYTES,
            Skip::Records(records) => records <= MAX_RECORDS,
        }
    }
}

impl FromStr for Skip {
    type Err = BadSkip;

    fn from_str(text: &str) -> Result<Self, BadSkip> {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let skip = match text.strip_suffix(['r', 'R']) {
            Some(records) => records.parse().ok().filter(|_| is_number(records)).map(Skip::Records),
            None => text.parse().ok().filter(|_| is_number(text)).map(Skip::Bytes),
        };
        skip.filter(|skip| skip.is_small()).ok_or_else(|| {
            let most = format!("at most {MAX_BYTES}, or of records, at most {MAX_RECORDS}");
            BadSkip(format!("{text:?} is neither a number of bytes, such as 80, {most}, such as 1r"))
        })
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skip::Bytes(bytes) => write!(f, "{bytes}"),
            Skip::Records(records) => write!(f, "{records}r"),
        }
    }
}

/// How much is skipped at the edges of an input, and of each record.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Edges {
    pub(crate) head_bytes: usize,
    pub(crate) head_records: u64,
    pub(crate) tail_bytes: usize,
    pub(crate) tail_records: usize,
    /// The bytes before and after the data of each record.
    pub(crate) prefix: usize,
    pub(crate) suffix: usize,
}

impl Edges {
    pub(crate) fn new(head: Skip, tail: Skip) -> Self {
        let split = |skip| match skip {
            Skip::Bytes(bytes) => (bytes as usize, 0),
            Skip::Records(records) => (0, records),
        };
        let ((head_bytes, head_records), (tail_bytes, tail_records)) = (split(head), split(tail));
        let (head_records, tail_records) = (head_records.into(), tail_records as usize);
        Edges { head_bytes, head_records, tail_bytes, tail_records, prefix: 0, suffix: 0 }
    }

    /// Adds the bytes before and after the data of each record.
    pub(crate) fn of_records(self, prefix: u16, suffix: u16) -> Self {
        Edges { prefix: prefix.into(), suffix: suffix.into(), ..self }
    }

    /// Returns the place of the data in a record of `len` bytes, which it has.
    #[inline]
    pub(crate) fn data(&self, len: usize) -> Range<usize> {
        let end = len.saturating_sub(self.suffix);
        self.prefix.min(end)..end
    }

    /// Checks that a record has the bytes before and after its data.
    #[inline]
    pub(crate) fn check_record(&self, len: usize, record: u64, begun: u64) -> Result<(), Error> {
        if len < self.prefix + self.suffix { Err(self.too_short(len, record, begun)) } else { Ok(()) }
    }

    #[cold]
    fn too_short(&self, len: usize, record: u64, begun: u64) -> Error {
        let (len, Edges { prefix, suffix, .. }) = (Count(len, "byte"), self);
        let why = format!("it has {len}, but there should be {prefix} before its data and {suffix} after it");
        let (offset, field) = (begun, String::new());
        ErrorKind::BadRecordLength { offset, record, begun, field, why }.into()
    }

    /// Checks that an input of `found` records in all has those that are skipped at its beginning.
    pub(crate) fn check_head(&self, found: u64, offset: u64) -> Result<(), Error> {
        check_found(found, self.head_records, "records", "beginning", offset)
    }

    /// Checks that `found` records are those that are skipped at the end.
    pub(crate) fn check_tail(&self, found: usize, offset: u64) -> Result<(), Error> {
        check_found(found as u64, self.tail_records as u64, "records", "end", offset)
    }

    /// Checks that the bytes of the records that are held back are not too many.
    pub(crate) fn check_held(&self, bytes: usize, limit: usize, offset: u64) -> Result<(), Error> {
        match bytes > MAX_HELD.max(limit) {
            true => {
                let why = format!("the last {} records have too many bytes to be held back", self.tail_records);
                Err(ErrorKind::CannotSkip { offset, why }.into())
            }
            false => Ok(()),
        }
    }
}

/// Fails if the input ends at `offset` before everything was found that is skipped.
pub(super) fn check_found(found: u64, wanted: u64, what: &str, edge: &str, offset: u64) -> Result<(), Error> {
    match found < wanted {
        true => {
            let why = format!("the input has only {found} of the {wanted} {what} to skip at its {edge}");
            Err(ErrorKind::CannotSkip { offset, why }.into())
        }
        false => Ok(()),
    }
}

/// A reader without the last bytes of its input.
#[derive(Debug)]
pub(crate) struct WithoutTail<R> {
    input: R,
    /// How many bytes are left out.
    tail: usize,
    /// The bytes read from `input`, if any bytes are skipped. Those before `taken` were passed on.
    held: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl<R: BufRead> WithoutTail<R> {
    pub(crate) fn new(input: R, tail: usize) -> Self {
        WithoutTail { input, tail, held: Vec::new(), taken: 0, ended: false }
    }

    pub(crate) fn into_inner(self) -> R {
        self.input
    }

    /// Checks, at the end of the input, that it has the bytes that are left out. Returns how many these are.
    pub(crate) fn check(&self, offset: u64) -> Result<u64, Error> {
        let rest = (self.held.len() - self.taken) as u64;
        check_found(rest, self.tail as u64, "bytes", "end", offset).map(|()| rest)
    }

    /// Reads until there are more bytes than are left out.
    fn fill(&mut self) -> io::Result<()> {
        while !self.ended && self.held.len() - self.taken <= self.tail {
            self.held.drain(..std::mem::take(&mut self.taken));
            let read = self.input.fill_buf()?;
            let len = read.len();
            self.held.extend_from_slice(read);
            self.ended = len == 0;
            self.input.consume(len);
        }
        Ok(())
    }
}

impl<R: BufRead> Read for WithoutTail<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(into)?;
        self.consume(len);
        Ok(len)
    }
}

impl<R: BufRead> BufRead for WithoutTail<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.tail == 0 {
            return self.input.fill_buf();
        }
        self.fill()?;
        let end = self.held.len().saturating_sub(self.tail).max(self.taken);
        Ok(&self.held[self.taken..end])
    }

    fn consume(&mut self, len: usize) {
        if self.tail == 0 { self.input.consume(len) } else { self.taken += len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn notation() {
        for (text, skip) in [("0", Skip::Bytes(0)), ("1048576", Skip::Bytes(1 << 20)), ("1000r", Skip::Records(1000))] {
            assert_eq!((text.parse(), &*skip.to_string()), (Ok(skip), text));
        }
        for text in ["", "r", "-1", "+1", "1 r", "1048577", "1001r", "80b", "99999999999999"] {
            assert!(text.parse::<Skip>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_last_bytes_are_left_out() {
        for (tail, capacity) in [(0, 1), (1, 1), (3, 1), (3, 2), (3, 100), (9, 4), (10, 3), (11, 3)] {
            let mut reader = WithoutTail::new(BufReader::with_capacity(capacity, &b"0123456789"[..]), tail);
            let mut read = Vec::new();
            reader.read_to_end(&mut read).unwrap();
            assert_eq!(read, &b"0123456789"[..10usize.saturating_sub(tail)], "{tail} {capacity}");
            assert_eq!(reader.check(0).ok(), (tail <= 10).then_some(tail as u64), "{tail} {capacity}");
        }
    }
}
