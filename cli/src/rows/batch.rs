//! Cuts an input into batches of whole records. A batch owns its bytes, so that another thread can work on it.

use crate::rows::trouble::Trouble;
use charpipe::Error;
use charpipe::records::{Deframer, Part, RECORD_LIMIT, Shape, TapeFile};
use std::io::{self, BufRead};
use std::ops::Range;

/// Whole records of an input, in order.
#[derive(Default)]
pub(super) struct Batch {
    /// The data of all records, and of a record whose end was not read yet.
    bytes: Vec<u8>,
    /// Where each record ends in `bytes`.
    ends: Vec<usize>,
    /// The number of the first record, from 1.
    first: u64,
    /// Which byte of the input `bytes` has from which index on, wherever that is not simply the next byte.
    places: Vec<(usize, u64)>,
}

/// A record of a batch.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) data: &'a [u8],
    /// Its number in the input, from 1.
    pub(super) number: u64,
    batch: &'a Batch,
    begin: usize,
}

impl Record<'_> {
    /// Returns where the byte with this index is in the input. The offset of a byte after the record's last one follows
    /// that one.
    pub(super) fn offset_of(&self, index: usize) -> u64 {
        let index = self.begin + index;
        let place = self.batch.places.partition_point(|(from, _)| *from <= index);
        match place.checked_sub(1).map(|place| self.batch.places[place]) {
            Some((from, offset)) => offset + (index - from) as u64,
            None => 0,
        }
    }
}

impl Batch {
    /// Returns the records from the one with this index on.
    pub(super) fn records(&self, first: usize) -> impl Iterator<Item = Record<'_>> {
        (first..self.ends.len()).map(|index| {
            let Range { start, end } = self.range(index);
            Record { data: &self.bytes[start..end], number: self.first + index as u64, batch: self, begin: start }
        })
    }

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
        let from = self.places.partition_point(|(index, _)| *index <= end).saturating_sub(1);
        for (index, offset) in &self.places[from..] {
            let before = end.saturating_sub(*index);
            next.places.push((index.saturating_sub(end), offset + before as u64));
        }
        self.bytes.truncate(end);
    }

    fn clear(&mut self, first: u64) {
        self.bytes.clear();
        self.ends.clear();
        self.places.clear();
        self.first = first;
    }
}

/// Reads batches from an input.
pub(super) struct Cutter {
    input: Box<dyn BufRead>,
    deframer: Deframer,
    /// The longest record allowed.
    limit: usize,
    /// The beginning of the next batch.
    rest: Batch,
    /// Where the next byte of data is expected in the input.
    expected: u64,
    ended: bool,
}

impl Cutter {
    /// Creates a cutter for records of this shape, of which the layout describes up to `longest` bytes.
    pub(super) fn new(input: Box<dyn BufRead>, shape: &Shape, file: Option<TapeFile>, longest: usize) -> Self {
        Cutter {
            input,
            deframer: Deframer::new(shape).file(file),
            limit: longest.max(RECORD_LIMIT),
            rest: Batch { first: 1, ..Batch::default() },
            expected: u64::MAX,
            ended: false,
        }
    }

    /// Reads the next records into `batch`: all that end in the next bytes that the input has. Returns `false` if there
    /// are no more. After an error, `batch` has the records before it.
    pub(super) fn read(&mut self, batch: &mut Batch) -> Result<bool, Trouble> {
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

    /// How many bytes of the input were read.
    pub(super) fn offset(&self) -> u64 {
        self.deframer.offset()
    }

    fn read_once(&mut self, batch: &mut Batch) -> Result<(), Trouble> {
        let src = match self.input.fill_buf() {
            Ok(src) => src,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(source) => return Err(Error::read(self.deframer.offset(), source).into()),
        };
        self.ended = src.is_empty();
        let mut at = 0;
        let result = loop {
            match self.deframer.next(&src[at..], self.ended) {
                Ok(Part::Framing(len)) => at += len,
                Ok(Part::Data(len)) => {
                    let held = batch.bytes.len() - batch.whole_len();
                    if held + len > self.limit {
                        let (offset, record) = (self.deframer.begun(), self.deframer.record());
                        break Err(Trouble::Limit { offset, record, limit: self.limit });
                    }
                    let offset = self.deframer.offset() - len as u64;
                    if offset != self.expected {
                        batch.places.push((batch.bytes.len(), offset));
                    }
                    self.expected = offset + len as u64;
                    batch.bytes.extend_from_slice(&src[at..at + len]);
                    at += len;
                }
                Ok(Part::End) => batch.ends.push(batch.bytes.len()),
                Ok(Part::FileEnd) => {}
                Ok(Part::NeedInput | Part::Done) => break Ok(()),
                Err(error) => break Err(error.into()),
            }
        };
        self.input.consume(at);
        result
    }
}
