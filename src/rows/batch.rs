//! Cuts an input into batches of whole records. A batch owns its bytes, so that another thread can work on it.

use crate::error::{Error, ErrorKind};
use crate::records::buffered::buffered;
use crate::records::places::{Places, offset_of};
use crate::records::{Deframer, Part};
use std::io::BufRead;
use std::ops::Range;

/// Whole records of an input, in order.
#[derive(Default, Debug)]
pub struct Batch {
    /// The data of all records, and of a record whose end was not read yet.
    bytes: Vec<u8>,
    /// Where each record ends in `bytes`.
    ends: Vec<usize>,
    /// Where each record begins in the input: its first header.
    begins: Vec<u64>,
    /// The number of the first record, from 1.
    first: u64,
    places: Places,
}

/// A record of a [`Batch`].
#[derive(Clone, Copy, Debug)]
pub struct BatchRecord<'a> {
    /// Its bytes, unchanged from the input.
    pub data: &'a [u8],
    /// Its number in the input, from 1.
    pub number: u64,
    /// Where it begins in the input, in bytes from 0: its first header.
    pub offset: u64,
    batch: &'a Batch,
    begin: usize,
}

impl BatchRecord<'_> {
    /// Returns the position in the input of the byte with this index in [`data`](Self::data), in bytes from 0. An index
    /// after the last byte is the position after it.
    #[must_use]
    pub fn offset_of(&self, index: usize) -> u64 {
        offset_of(self.batch.places.as_slice(), self.begin + index)
    }
}

impl Batch {
    /// Returns the records from the one with this index on.
    #[inline]
    pub fn records(&self, first: usize) -> impl Iterator<Item = BatchRecord<'_>> {
        (first..self.ends.len()).map(|index| {
            let Range { start, end } = self.range(index);
            let (number, offset) = (self.first + index as u64, self.begins[index]);
            BatchRecord { data: &self.bytes[start..end], number, offset, batch: self, begin: start }
        })
    }

    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        index.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[index]
    }

    fn whole_len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Moves the record whose end is still to come to `next`, which is cleared first.
    fn hand_over(&mut self, next: &mut Batch) {
        let end = self.whole_len();
        next.clear(self.first + self.ends.len() as u64);
        next.bytes.extend_from_slice(&self.bytes[end..]);
        self.places.hand_over(end, &mut next.places);
        self.bytes.truncate(end);
    }

    fn clear(&mut self, first: u64) {
        self.bytes.clear();
        self.ends.clear();
        self.begins.clear();
        self.places.clear();
        self.first = first;
    }
}

/// Reads batches from an input. Made by [`Rows::batches`](super::Rows::batches).
#[derive(Debug)]
pub struct Batches<R> {
    input: R,
    deframer: Deframer,
    /// The longest record allowed.
    limit: usize,
    /// The beginning of the next batch.
    rest: Batch,
    ended: bool,
}

impl<R: BufRead> Batches<R> {
    pub(super) fn new(input: R, deframer: Deframer, limit: usize) -> Self {
        Batches { input, deframer, limit, rest: Batch { first: 1, ..Batch::default() }, ended: false }
    }

    /// Reads the next records into `batch`: all that end in the next bytes that the input has. Returns `false` if there
    /// are no more.
    ///
    /// # Errors
    /// [`ErrorKind::Read`], [`ErrorKind::RecordTooLong`], and the errors of [`Deframer::next`]. `batch` has the records
    /// before the error.
    pub fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        std::mem::swap(batch, &mut self.rest);
        let result = loop {
            match self.read_once(batch) {
                Ok(()) if batch.ends.is_empty() && !self.ended => {}
                result => break result,
            }
        };
        batch.hand_over(&mut self.rest);
        result.map(|()| !batch.ends.is_empty())
    }

    /// Returns how many bytes of the input were read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.deframer.offset()
    }

    fn read_once(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let Some(src) = buffered(&mut self.input, self.deframer.offset())? else { return Ok(()) };
        self.ended = src.is_empty();
        let mut at = 0;
        let result = loop {
            match self.deframer.next(&src[at..], self.ended) {
                Ok(Part::Framing(len)) => at += len,
                Ok(Part::Data(len)) => {
                    let held = batch.bytes.len() - batch.whole_len();
                    if held + len > self.limit {
                        let (offset, record) = (self.deframer.begun(), self.deframer.record());
                        break Err(ErrorKind::RecordTooLong { offset, record, limit: self.limit }.into());
                    }
                    batch.places.push(batch.bytes.len(), self.deframer.offset() - len as u64);
                    batch.bytes.extend_from_slice(&src[at..at + len]);
                    at += len;
                }
                Ok(Part::End) => {
                    batch.ends.push(batch.bytes.len());
                    batch.begins.push(self.deframer.begun());
                }
                Ok(Part::FileEnd) => {}
                Ok(Part::NeedInput | Part::Done) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.input.consume(at);
        result
    }
}
