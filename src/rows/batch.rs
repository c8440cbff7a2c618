//! Cuts an input into batches of whole records. A batch owns its bytes, so that another thread can work on it.

use crate::error::{Error, ErrorKind};
use crate::fields::Value;
use crate::records::buffered::buffered;
use crate::records::edges::{Edges, WithoutTail};
use crate::records::places::{Places, offset_of};
use crate::records::{Deframer, Part};

use crate::rows::{Parent, ParentKeys, Parents};
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
    /// The parent of each record; empty if none is looked for.
    parents: Vec<(Parent, ParentKeys)>,
    /// The number of the first record, from 1.
    first: u64,
    /// How many of the records, from the first one on, are skipped.
    skipped: usize,
    /// The bytes to skip at the edges of each record.
    edges: Edges,
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
    /// Its parent, if the job [has any](super::RowsJob::parent).
    pub parent: Parent,
    keys: Option<&'a ParentKeys>,
    batch: &'a Batch,
    begin: usize,
}

impl BatchRecord<'_> {
    /// Returns the position in the input of the byte with this index in [`data`](Self::data), in bytes from 0. Any
    /// index after the last byte is the position after it.
    #[must_use]
    pub fn offset_of(&self, index: usize) -> u64 {
        let place_of = |index| offset_of(self.batch.places.as_slice(), self.begin + index);
        // What stands there in the batch is the next record.
        match self.data.len().checked_sub(1) {
            Some(last) if index > last => place_of(last) + 1,
            _ => place_of(index),
        }
    }
}

impl<'a> BatchRecord<'a> {
    /// Returns its parent's value for the [key column](super::Rows::key_columns) with this index.
    #[must_use]
    pub fn key(&self, column: usize) -> Value<'a> {
        self.keys.map_or(Value::Null, |keys| keys.value(column))
    }
}

impl Batch {
    /// Returns the records from the one with this index on.
    #[inline]
    pub fn records(&self, first: usize) -> impl Iterator<Item = BatchRecord<'_>> {
        (self.skipped + first..self.ends.len()).map(|index| {
            let Range { start, end } = self.range(index);
            let (number, offset) = (self.first + index as u64, self.begins[index]);
            let place = self.edges.data(end - start);
            let (begin, end) = (start + place.start, start + place.end);
            let found = self.parents.get(index);
            let (parent, keys) = (found.map(|found| found.0).unwrap_or_default(), found.map(|found| &found.1));
            BatchRecord { data: &self.bytes[begin..end], number, offset, parent, keys, batch: self, begin }
        })
    }

    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        index.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[index]
    }

    fn whole_len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns how many bytes the last `count` records have.
    fn len_of_last(&self, count: usize) -> usize {
        let before = self.ends.len().saturating_sub(count);
        self.whole_len() - before.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    /// Moves the last `held` records, and the record whose end is still to come, to `next`, which is cleared first.
    fn hand_over(&mut self, held: usize, next: &mut Batch) {
        let kept = self.ends.len() - held;
        let end = kept.checked_sub(1).map_or(0, |last| self.ends[last]);
        next.clear(self.first + kept as u64);
        next.bytes.extend_from_slice(&self.bytes[end..]);
        next.ends.extend(self.ends.drain(kept..).map(|one| one - end));
        next.begins.extend(self.begins.drain(kept..));
        next.parents.extend(self.parents.drain(kept.min(self.parents.len())..));
        self.places.hand_over(end, &mut next.places);
        self.bytes.truncate(end);
    }

    /// Checks that all records have the bytes before and after their data. Keeps those before an error.
    fn check_records(&mut self) -> Result<(), Error> {
        for index in self.skipped..self.ends.len() {
            let (len, number) = (self.range(index).len(), self.first + index as u64);
            if let Err(error) = self.edges.check_record(len, number, self.begins[index]) {
                self.ends.truncate(index);
                self.begins.truncate(index);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Adds the records at the front of `src`, if all records have the same length and nothing frames them. Returns how
    /// many bytes they have.
    fn push_run(&mut self, deframer: &mut Deframer, src: &[u8], limit: usize) -> usize {
        let begin = deframer.offset();
        let Some(len) = deframer.equal_len().filter(|len| *len <= limit) else { return 0 };
        let bytes = deframer.run(src, len, usize::MAX) * len;
        if bytes > 0 {
            let (from, to) = (self.bytes.len(), self.bytes.len() + bytes);
            self.places.push(from, begin);
            self.bytes.extend_from_slice(&src[..bytes]);
            self.ends.extend((from + len..=to).step_by(len));
            self.begins.extend((begin..begin + bytes as u64).step_by(len));
        }
        bytes
    }

    fn clear(&mut self, first: u64) {
        self.bytes.clear();
        self.ends.clear();
        self.begins.clear();
        self.parents.clear();
        self.places.clear();
        (self.first, self.skipped) = (first, 0);
    }
}

/// Reads batches from an input. Made by [`Rows::batches`](super::Rows::batches).
#[derive(Debug)]
pub struct Batches<R> {
    input: WithoutTail<R>,
    deframer: Deframer,
    /// The longest record allowed.
    limit: usize,
    /// Finds the parents of records. One thread reads all of them, so that it knows those before.
    parents: Option<Parents>,
    /// The beginning of the next batch.
    rest: Batch,
    ended: bool,
    /// The bytes and records to skip at the edges of the input, and how many bytes at its end were skipped.
    edges: Edges,
    skipped: u64,
}

impl<R: BufRead> Batches<R> {
    pub(super) fn new(input: R, deframer: Deframer, limit: usize, edges: Edges, parents: Option<Parents>) -> Self {
        let (input, deframer) = (WithoutTail::new(input, edges.tail_bytes), deframer.skip(edges.head_bytes));
        let rest = Batch { first: 1, ..Batch::default() };
        Batches { input, deframer, limit, parents, rest, ended: false, edges, skipped: 0 }
    }

    /// Reads the next records into `batch`: all records that end within the next bytes of the input. Returns `false` if
    /// there are no more.
    ///
    /// # Errors
    /// [`ErrorKind::Read`], [`ErrorKind::RecordTooLong`], [`ErrorKind::CannotSkip`], and the errors of
    /// [`Deframer::next`]. `batch` has the records before the error.
    pub fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        std::mem::swap(batch, &mut self.rest);
        let result = loop {
            match self.read_once(batch) {
                Ok(()) if batch.ends.len() <= self.edges.tail_records && !self.ended => {}
                result => break result,
            }
        };
        let result = result.and_then(|()| self.check_edges());
        batch.hand_over(self.edges.tail_records.min(batch.ends.len()), &mut self.rest);
        batch.skipped = usize::try_from(self.edges.head_records.saturating_sub(batch.first - 1))
            .map_or(batch.ends.len(), |skipped| skipped.min(batch.ends.len()));
        batch.edges = self.edges;
        let result = batch.check_records().and(result);
        if self.ended && result.is_ok() {
            // What is held back now is at the end.
            self.rest.clear(self.rest.first);
        }
        result.map(|()| !batch.ends.is_empty())
    }

    /// At the end of the input, checks that what is skipped at the edges is there.
    fn check_edges(&mut self) -> Result<(), Error> {
        let (edges, offset) = (self.edges, self.deframer.offset());
        let found = self.deframer.record() - 1;
        if self.ended && self.skipped == 0 {
            edges.check_head(found, offset)?;
            let tail = found - edges.head_records.min(found);
            edges.check_tail(usize::try_from(tail).unwrap_or(usize::MAX), offset)?;
            self.skipped = self.input.check(offset)?;
        }
        Ok(())
    }

    /// Returns how many bytes of the input were read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.deframer.offset() + self.skipped
    }

    fn read_once(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let Some(src) = buffered(&mut self.input, self.deframer.offset())? else { return Ok(()) };
        self.ended = src.is_empty();
        let holds_back = self.parents.is_some() || self.edges.tail_records > 0;
        let mut at = if holds_back { 0 } else { batch.push_run(&mut self.deframer, src, self.limit) };
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
                    if let Some(parents) = &mut self.parents {
                        let number = batch.first + batch.ends.len() as u64;
                        let record = &batch.bytes[batch.whole_len()..];
                        let record = &record[self.edges.data(record.len())];
                        // What is skipped is the parent of nothing.
                        let is_skipped = number <= self.edges.head_records;
                        batch.parents.push(match is_skipped {
                            true => Default::default(),
                            false => (parents.next(number, record), parents.keys().clone()),
                        });
                    }
                    batch.ends.push(batch.bytes.len());
                    batch.begins.push(self.deframer.begun());
                    // They are held back, and so is the one after them.
                    let held = self.edges.tail_records;
                    if held > 0
                        && let bytes = batch.len_of_last(held + 1)
                        && let Err(error) = self.edges.check_held(bytes, self.limit, self.deframer.begun())
                    {
                        break Err(error);
                    }
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
