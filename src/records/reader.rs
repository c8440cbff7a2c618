//! Reads records from a reader and writes them to a writer: [`Records`] and [`RecordWriter`].

use super::buffered::buffered;
use super::edges::{Edges, WithoutTail};
use super::places::Places;
use super::record::{Pieces, Record};
use super::{Deframer, Framer, Part, RECORD_LIMIT, RecordRun, Shape, Split, TapeFile};
use crate::error::{Error, ErrorKind};
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::mem::take;

/// Iterates over the records that `R` contains.
///
/// One record is held in memory, up to a [limit](Records::limit). The length in a header costs no memory until the
/// bytes are actually there.
///
/// ```
/// use charpipe::records::{Records, Shape};
///
/// let mut records = Records::new(&b"\x00\x06\x00\x00\xC1\xC2\x00\x04\x00\x00"[..], &Shape::RDW);
/// while let Some(record) = records.next_record()? {
///     match record.number {
///         1 => assert_eq!((record.data, record.offset), (&b"\xC1\xC2"[..], 0)),
///         _ => assert_eq!((record.data, record.offset), (&b""[..], 6)),
///     }
/// }
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug)]
pub struct Records<R> {
    input: WithoutTail<R>,
    deframer: Deframer,
    limit: usize,
    /// The record so far.
    held: Vec<u8>,
    /// Where its bytes are in the input.
    places: Places,
    /// Whether it is complete.
    whole: bool,
    file: u64,
    /// The length of the last record in the input, with its framing, if it was lent from there and not copied.
    lent: usize,
    /// The length of each of the records that were lent, if they are a run.
    run: usize,
    /// The bytes and records to skip at the edges of the input.
    edges: Edges,
    /// The records that are held back because they may be at the end, if any are skipped there.
    tail: Option<Box<Tail>>,
    /// The part of the input that is read, if it is not the whole.
    part: Option<Split>,
    /// Whether the input has ended. It is not read again after that.
    ended: bool,
    /// The error in the input, if there was one. It is permanent.
    failed: Option<Error>,
}

impl<R: BufRead> Records<R> {
    /// Creates a reader for the records of a stream of this shape.
    pub fn new(input: R, shape: &Shape) -> Self {
        Records::of(input, Deframer::new(shape), Edges::default())
    }

    /// Creates a reader for the records that a deframer finds, except those at the edges of the input.
    pub(crate) fn of(input: R, deframer: Deframer, edges: Edges) -> Self {
        Records {
            input: WithoutTail::new(input, edges.tail_bytes),
            deframer: deframer.skip(edges.head_bytes),
            edges,
            tail: (edges.tail_records > 0).then(Box::default),
            limit: RECORD_LIMIT,
            held: Vec::new(),
            places: Places::default(),
            whole: false,
            file: 1,
            lent: 0,
            run: 0,
            part: None,
            ended: false,
            failed: None,
        }
    }

    /// Sets the maximum length of a record in bytes. The default is [`RECORD_LIMIT`].
    ///
    /// ```
    /// use charpipe::records::{Records, Shape};
    ///
    /// let mut records = Records::new(&b"\x00\x06\x00\x00\xC1\xC2"[..], &Shape::RDW).limit(1);
    /// assert_eq!(records.next_record().unwrap_err().code(), "record-too-long");
    /// ```
    #[must_use]
    pub fn limit(self, bytes: usize) -> Self {
        Records { limit: bytes, ..self }
    }

    /// Reads only a part of a stream, as [`splits`](super::splits) finds them. `R` must begin where the part begins.
    ///
    /// A record must end exactly at the end of the part. Otherwise the result is [`ErrorKind::SplitMismatch`], before
    /// any record that also belongs to the next part. So if all parts of a file are read without an error, each record
    /// was read once.
    ///
    /// Numbers of records count from [`Split::number`], or from 1 if it is unknown.
    #[must_use]
    pub fn part(self, part: &Split) -> Self {
        let deframer = self.deframer.at(part.begin, part.number.unwrap_or(1));
        Records { deframer, part: Some(part.clone()), ..self }
    }

    /// Reads the records of a single file of a tape image only, as [`Deframer::file`] does.
    #[must_use]
    pub fn file(self, file: Option<TapeFile>) -> Self {
        Records { deframer: self.deframer.file(file), ..self }
    }

    /// Returns the next record, or `None` at the end of the input.
    ///
    /// A record that the buffer of `R` has as a whole is not copied.
    ///
    /// # Errors
    /// [`ErrorKind::BadHeader`], [`ErrorKind::RecordCut`], [`ErrorKind::RecordTooLong`] and
    /// [`ErrorKind::SplitMismatch`] after all valid records, and again from every later call. [`ErrorKind::Read`] if
    /// `R` fails; nothing is lost then, and a later call continues.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        if self.tail.is_some() { self.next_before_tail() } else { self.next_in_input() }
    }

    /// Returns the next record before those that are skipped at the end.
    fn next_before_tail(&mut self) -> Result<Option<Record<'_>>, Error> {
        let mut tail = self.tail.take().unwrap_or_default();
        let found = tail.advance(self);
        let tail = self.tail.insert(tail);
        Ok(if found? { Some(tail.record(self.edges)) } else { None })
    }

    /// Returns the next record of the input. It is compiled into its callers, so that the record need not pass through
    /// memory.
    #[inline(always)]
    fn next_in_input(&mut self) -> Result<Option<Record<'_>>, Error> {
        let mut framing = self.advance()?;
        // The records at the beginning that are skipped.
        while self.deframer.record() <= self.edges.head_records + 1 && (framing.is_some() || self.whole) {
            framing = self.advance()?;
        }
        // The deframer has already counted the record at its end.
        let (number, offset, file) = (self.deframer.record() - 1, self.deframer.begun(), self.file);
        let (data, pieces) = match framing {
            Some(framing) => {
                let begin = self.deframer.offset() - (self.lent - framing) as u64;
                let src = self.input.fill_buf().map_err(|source| Error::read(offset, source))?;
                let shrunk = || Error::read(offset, io::Error::other("the reader's buffer has lost bytes"));
                (src.get(framing..self.lent).ok_or_else(shrunk)?, Pieces::One(begin))
            }
            None if self.whole => (&self.held[..], Pieces::of(&self.places, self.deframer.offset())),
            None => {
                let (found, offset) = (self.deframer.record() - 1, self.deframer.offset());
                let checked = self.edges.check_head(found, offset).and_then(|()| self.input.check(offset));
                return checked.map(|_| None).map_err(|error| self.fail(error));
            }
        };
        let (edges, len) = (self.edges, data.len());
        let place = match edges.tail_records {
            0 => edges.data(len),
            // It is not known yet whether this record is data.
            _ => 0..len,
        };
        if edges.tail_records == 0
            && let Err(error) = edges.check_record(len, number, offset)
        {
            self.failed = Some(error.clone());
            return Err(error);
        }
        let pieces = pieces.from(place.start);
        Ok(Some(Record { data: &data[place], number, offset, file, pieces }))
    }

    /// Returns the next records in a single piece, at most `most` of them, if all records of the input have `len`
    /// bytes, nothing frames them, and the buffer of `R` has at least one of them as a whole. Otherwise, and at the end
    /// of the input, returns `None`; then [`next_record`](Self::next_record) returns the next record. Both can be
    /// called in turn.
    ///
    /// ```
    /// use charpipe::records::{Records, Shape};
    ///
    /// let mut records = Records::new(&b"AABBC"[..], &Shape::Fixed { lrecl: 2 });
    /// let run = records.next_run(2, 100)?.unwrap();
    /// assert_eq!((run.data, run.count(), run.number), (&b"AABB"[..], 2, 1));
    /// assert_eq!(records.next_run(2, 100)?, None);
    /// assert_eq!(records.next_record().unwrap_err().code(), "record-cut");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Read`] if `R` fails. What else is wrong in the input is an error of the next record.
    pub fn next_run(&mut self, len: usize, most: usize) -> Result<Option<RecordRun<'_>>, Error> {
        if !self.can_run(len) {
            return Ok(None);
        }
        self.input.consume(take(&mut self.lent));
        self.run = 0;
        if take(&mut self.whole) {
            self.held.clear();
            self.places.clear();
        }
        let (number, offset, file) = (self.deframer.record(), self.deframer.offset(), self.file);
        // No record of the next part.
        let left = self.part.as_ref().map_or(u64::MAX, |part| part.end.saturating_sub(offset));
        let most = most.min(usize::try_from(left / len as u64).unwrap_or(usize::MAX));
        if most == 0 || !self.held.is_empty() {
            return Ok(None);
        }
        let Some(src) = buffered(&mut self.input, offset)? else { return Ok(None) };
        self.ended = src.is_empty();
        let bytes = self.deframer.run(src, len, most) * len;
        if bytes == 0 {
            return Ok(None);
        }
        (self.lent, self.run) = (bytes, len);
        let src = self.input.fill_buf().map_err(|source| Error::read(offset, source))?;
        let shrunk = || Error::read(offset, io::Error::other("the reader's buffer has lost bytes"));
        let data = src.get(..bytes).ok_or_else(shrunk)?;
        Ok(Some(RecordRun { data, record_len: len, number, offset, file }))
    }

    /// Puts the records of the [run](Self::next_run) back that was returned last, if no record was read after it: the
    /// next record is the first of them.
    pub fn put_back_run(&mut self) {
        if let len @ 1.. = take(&mut self.run) {
            self.deframer.before_run(len, take(&mut self.lent) / len);
        }
    }

    /// Returns whether records of this length may be returned as they are in the input, without a look at each.
    fn can_run(&self, len: usize) -> bool {
        let Edges { head_records, prefix, suffix, .. } = self.edges;
        let has_edges = prefix > 0 || suffix > 0 || self.tail.is_some() || self.deframer.record() <= head_records;
        !has_edges && !self.ended && self.failed.is_none() && (1..=self.limit).contains(&len)
    }

    /// Returns the reader, which continues after the last record.
    pub fn into_inner(mut self) -> R {
        self.input.consume(self.lent);
        self.input.into_inner()
    }

    /// Goes to the next record. Returns the length of its framing if it is lent from the buffer of the input; otherwise
    /// `whole` says whether there is one.
    #[inline]
    fn advance(&mut self) -> Result<Option<usize>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.input.consume(take(&mut self.lent));
        if take(&mut self.whole) {
            self.held.clear();
            self.places.clear();
        }
        let framing = self.find_in_buffer()?;
        if framing.is_none() {
            self.whole = self.find()?;
        }
        Ok(framing)
    }

    /// Finds the next record if the buffer of the input has all of it. Returns the length of its framing, and leaves
    /// its whole length in `lent`.
    #[inline]
    fn find_in_buffer(&mut self) -> Result<Option<usize>, Error> {
        if self.ended || !self.held.is_empty() || self.part_ends() {
            return Ok(None);
        }
        let Some(src) = buffered(&mut self.input, self.deframer.offset())? else { return Ok(None) };
        self.ended = src.is_empty();
        let Some((framing, len)) = self.deframer.whole(src) else { return Ok(None) };
        if len > self.limit {
            // The deframer has already counted the record.
            let (offset, record) = (self.deframer.begun(), self.deframer.record() - 1);
            return Err(self.fail(ErrorKind::RecordTooLong { offset, record, limit: self.limit }.into()));
        }
        self.check_part()?;
        (self.lent, self.run) = (framing + len, 0);
        Ok(Some(framing))
    }

    /// Returns whether the end of the part, or a later place, was reached where a part can end.
    #[inline]
    fn part_ends(&self) -> bool {
        self.part.as_ref().is_some_and(|part| self.deframer.offset() >= part.end && self.deframer.is_at_split())
    }

    /// Fails if the part has gone beyond its end.
    #[inline]
    fn check_part(&mut self) -> Result<(), Error> {
        match &self.part {
            Some(part) if self.deframer.offset() > part.end => Err(self.mismatch()),
            _ => Ok(()),
        }
    }

    /// Returns the error for a part that does not end where it should.
    #[cold]
    fn mismatch(&mut self) -> Error {
        let Split { begin, end, .. } = self.part.clone().unwrap_or_default();
        self.fail(ErrorKind::SplitMismatch { offset: self.deframer.offset(), begin, end }.into())
    }

    fn fail(&mut self, error: Error) -> Error {
        self.failed = Some(error.clone());
        error
    }

    /// Reads up to the end of a record. Returns `false` if there is none.
    #[inline(never)]
    fn find(&mut self) -> Result<bool, Error> {
        loop {
            let src = match self.ended {
                true => Some(&[][..]),
                false => buffered(&mut self.input, self.deframer.offset())?,
            };
            let Some(src) = src else { continue };
            self.ended = src.is_empty();
            let mut at = 0;
            let outcome = loop {
                let is_at_end = |part: &Split| self.deframer.offset() >= part.end && self.deframer.is_at_split();
                if self.part.as_ref().is_some_and(is_at_end) {
                    break Ok(Some(false));
                }
                match self.deframer.next(&src[at..], self.ended) {
                    Ok(Part::Framing(len)) => at += len,
                    Ok(Part::Data(len)) if self.held.len() + len > self.limit => {
                        let (offset, record) = (self.deframer.begun(), self.deframer.record());
                        break Err(ErrorKind::RecordTooLong { offset, record, limit: self.limit }.into());
                    }
                    Ok(Part::Data(len)) => {
                        self.places.push(self.held.len(), self.deframer.offset() - len as u64);
                        self.held.extend_from_slice(&src[at..at + len]);
                        at += len;
                    }
                    Ok(Part::End) => break Ok(Some(true)),
                    Ok(Part::FileEnd) => self.file += 1,
                    Ok(Part::NeedInput) => break Ok(None),
                    Ok(Part::Done) => break Ok(Some(false)),
                    Err(error) => break Err(error),
                }
            };
            self.input.consume(at);
            match outcome {
                Ok(None) => {}
                Ok(Some(found)) => {
                    self.check_part()?;
                    return match &self.part {
                        Some(part) if !found && self.deframer.offset() != part.end => Err(self.mismatch()),
                        _ => Ok(found),
                    };
                }
                Err(error) => return Err(self.fail(error)),
            }
        }
    }
}

/// Records that are held back, because they are skipped if no others follow them.
#[derive(Default, Debug)]
struct Tail {
    /// The record that was found last, and those after it.
    records: VecDeque<Held>,
    /// Whether the first of them was handed out.
    is_taken: bool,
    bytes: usize,
}

/// A record that is held back.
#[derive(Debug)]
struct Held {
    data: Vec<u8>,
    number: u64,
    offset: u64,
    file: u64,
    places: Vec<(usize, u64)>,
}

impl Tail {
    /// Reads on until more records are held back than are skipped. Returns whether there are so many.
    fn advance<R: BufRead>(&mut self, input: &mut Records<R>) -> Result<bool, Error> {
        if take(&mut self.is_taken) {
            self.bytes -= self.records.pop_front().map_or(0, |held| held.data.len());
        }
        let (edges, limit) = (input.edges, input.limit);
        while self.records.len() <= edges.tail_records {
            let Some(record) = input.next_in_input()? else {
                let offset = input.deframer.offset();
                return edges.check_tail(self.records.len(), offset).map(|()| false).map_err(|error| input.fail(error));
            };
            let Record { data, number, offset, file, pieces } = record;
            let places = match pieces {
                Pieces::One(begin) => vec![(0, begin)],
                Pieces::Several(pieces, _) => pieces.to_vec(),
            };
            self.records.push_back(Held { data: data.to_vec(), number, offset, file, places });
            self.bytes += data.len();
            let checked = edges.check_held(self.bytes, limit, offset);
            checked.map_err(|error| input.fail(error))?;
        }
        self.is_taken = true;
        let first = &self.records[0];
        let checked = edges.check_record(first.data.len(), first.number, first.offset);
        checked.map(|()| true).map_err(|error| input.fail(error))
    }

    /// Returns the first record.
    fn record(&self, edges: Edges) -> Record<'_> {
        let Held { data, number, offset, file, places } = &self.records[0];
        let (place, pieces) = (edges.data(data.len()), Pieces::Several(places, 0));
        Record { data, number: *number, offset: *offset, file: *file, pieces }.part(place)
    }
}

/// How many bytes are collected before they are written.
const WRITE_BATCH_BYTES: usize = 64 * 1024;

/// Writes framed records to `W`.
///
/// Without a call of [`finish`](RecordWriter::finish), the end of the output may be missing.
///
/// ```
/// use charpipe::records::{RecordWriter, Shape};
///
/// let mut writer = RecordWriter::new(Vec::new(), &Shape::U16, b"")?;
/// writer.write_record(b"\xC1\xC2")?;
/// writer.write_record(b"")?;
/// assert_eq!(writer.finish()?, b"\x00\x02\xC1\xC2\x00\x00");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordWriter<W> {
    output: W,
    framer: Framer,
    /// Bytes that are still to be written.
    pending: Vec<u8>,
    written: u64,
    /// The number of bytes in all records so far.
    taken: u64,
}

impl<W: Write> RecordWriter<W> {
    /// Creates a writer for records of this shape. `pad` fills up short records of fixed length; see [`Framer::new`].
    ///
    /// # Errors
    /// The errors of [`Framer::new`].
    pub fn new(output: W, shape: &Shape, pad: &[u8]) -> Result<Self, Error> {
        Ok(RecordWriter::of(output, Framer::new(shape, pad)?))
    }

    /// Creates a writer for records that `framer` frames.
    pub fn of(output: W, framer: Framer) -> Self {
        RecordWriter { output, framer, pending: Vec::new(), written: 0, taken: 0 }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The errors of [`Framer::record`], with the total length of all preceding records as the offset; the record was
    /// not accepted then. [`ErrorKind::Write`]: the record was accepted, and the next call tries again to write the
    /// rest.
    pub fn write_record(&mut self, data: &[u8]) -> Result<(), Error> {
        self.framer.record(data, self.taken, &mut self.pending)?;
        self.taken += data.len() as u64;
        if self.pending.len() < WRITE_BATCH_BYTES {
            return Ok(());
        }
        self.write()
    }

    /// Writes all remaining bytes, and ends the file.
    ///
    /// # Errors
    /// [`ErrorKind::Write`].
    pub fn finish(mut self) -> Result<W, Error> {
        self.framer.finish(&mut self.pending);
        self.write()?;
        let written = self.written;
        self.output.flush().map_err(|source| ErrorKind::Write { written, source })?;
        Ok(self.output)
    }

    fn write(&mut self) -> Result<(), Error> {
        let mut at = 0;
        let result = loop {
            if at == self.pending.len() {
                break Ok(());
            }
            match self.output.write(&self.pending[at..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => at += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.pending.drain(..at);
        self.written += at as u64;
        result.map_err(|source| ErrorKind::Write { written: self.written, source }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_only_with_bytes_read() {
        let mut records = Records::new(&b"\xFF\xFF\xFF\xFF\xC1\xC2"[..], &Shape::U32).limit(usize::MAX);
        assert_eq!(records.next_record().unwrap_err().code(), "record-cut");
        assert!((2..64).contains(&records.held.capacity()), "{}", records.held.capacity());
    }
}
