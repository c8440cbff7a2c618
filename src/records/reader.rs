//! Records alone, out of a reader and into a writer: [`Records`] and [`RecordWriter`].

use super::{Deframer, Framer, Part, RECORD_LIMIT, Shape};
use crate::error::{Error, ErrorKind};
use std::io::{self, BufRead, Write};
use std::mem::take;

/// One record of [`Records`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// Its bytes, as they are in the input.
    pub data: &'a [u8],
    /// Its number, from 1; files do not matter to it.
    pub number: u64,
    /// Where it begins in the input, in bytes from 0: its first header.
    pub offset: u64,
    /// The number of its file, from 1: more than 1 behind a tape mark or FTP's end of file.
    pub file: u64,
}

/// The records of what `R` gives, one after the other.
///
/// One record is held, up to a [limit](Records::limit). What a header says of a length costs no memory, only bytes that
/// are there do.
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
    input: R,
    deframer: Deframer,
    limit: usize,
    /// The record so far.
    held: Vec<u8>,
    /// It is whole.
    whole: bool,
    file: u64,
    /// The input has ended; it is not asked again.
    ended: bool,
    /// What is wrong with the input. It stays wrong.
    failed: Option<Error>,
}

impl<R: BufRead> Records<R> {
    /// The records of a stream of that shape.
    pub fn new(input: R, shape: &Shape) -> Self {
        Records {
            input,
            deframer: Deframer::new(shape),
            limit: RECORD_LIMIT,
            held: Vec::new(),
            whole: false,
            file: 1,
            ended: false,
            failed: None,
        }
    }

    /// How long a record may be, in bytes; [`RECORD_LIMIT`] where this is not called.
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

    /// The next record; `None` at the end of the input.
    ///
    /// # Errors
    /// [`ErrorKind::BadHeader`], [`ErrorKind::RecordCut`], [`ErrorKind::RecordTooLong`]: after all good records, and
    /// again from every later call. [`ErrorKind::Read`] is what `R` says; nothing is lost, and a later call goes on.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if take(&mut self.whole) {
            self.held.clear();
        }
        self.whole = self.find()?;
        // The end of a record counts it.
        let (number, offset) = (self.deframer.record() - 1, self.deframer.begun());
        Ok(self.whole.then_some(Record { data: &self.held, number, offset, file: self.file }))
    }

    /// What `R` gives behind the last record.
    pub fn into_inner(self) -> R {
        self.input
    }

    /// Goes on to the end of a record; `false` where there is none.
    fn find(&mut self) -> Result<bool, Error> {
        loop {
            let src = match self.ended {
                true => &[],
                false => match self.input.fill_buf() {
                    Ok(src) => src,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(source) => return Err(ErrorKind::Read { offset: self.deframer.offset(), source }.into()),
                },
            };
            self.ended = src.is_empty();
            let mut at = 0;
            let answer = loop {
                match self.deframer.next(&src[at..], self.ended) {
                    Ok(Part::Framing(len)) => at += len,
                    Ok(Part::Data(len)) if self.held.len() + len > self.limit => {
                        let (offset, record) = (self.deframer.begun(), self.deframer.record());
                        break Err(ErrorKind::RecordTooLong { offset, record, limit: self.limit }.into());
                    }
                    Ok(Part::Data(len)) => {
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
            match answer {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(found),
                Err(error) => {
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            }
        }
    }
}

/// How much is collected before it is written.
const ROOM: usize = 64 * 1024;

/// Writes records to `W`, framed.
///
/// What is not [finished](RecordWriter::finish) may lack its end.
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
    /// What is still to be written.
    room: Vec<u8>,
    written: u64,
    /// Bytes of records so far.
    taken: u64,
}

impl<W: Write> RecordWriter<W> {
    /// Writes records of that shape. `pad` fills up short ones of fixed length: see [`Framer::new`].
    ///
    /// # Errors
    /// As there.
    pub fn new(output: W, shape: &Shape, pad: &[u8]) -> Result<Self, Error> {
        Ok(RecordWriter { output, framer: Framer::new(shape, pad)?, room: Vec::new(), written: 0, taken: 0 })
    }

    /// Writes a record.
    ///
    /// # Errors
    /// As of [`Framer::record`], with the bytes of all records before for an offset: nothing was taken then.
    /// [`ErrorKind::Write`]: the record was taken, and what could not be written is tried again with the next.
    pub fn write_record(&mut self, data: &[u8]) -> Result<(), Error> {
        self.framer.record(data, self.taken, &mut self.room)?;
        self.taken += data.len() as u64;
        if self.room.len() < ROOM {
            return Ok(());
        }
        self.write()
    }

    /// Writes what is left, and ends the file.
    ///
    /// # Errors
    /// [`ErrorKind::Write`].
    pub fn finish(mut self) -> Result<W, Error> {
        self.framer.finish(&mut self.room);
        self.write()?;
        let written = self.written;
        self.output.flush().map_err(|source| ErrorKind::Write { written, source })?;
        Ok(self.output)
    }

    fn write(&mut self) -> Result<(), Error> {
        let mut at = 0;
        let result = loop {
            if at == self.room.len() {
                break Ok(());
            }
            match self.output.write(&self.room[at..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => at += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.room.drain(..at);
        self.written += at as u64;
        result.map_err(|source| ErrorKind::Write { written: self.written, source }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_for_bytes_that_are_there() {
        let mut records = Records::new(&b"\xFF\xFF\xFF\xFF\xC1\xC2"[..], &Shape::U32).limit(usize::MAX);
        assert_eq!(records.next_record().unwrap_err().code(), "record-cut");
        assert!((2..64).contains(&records.held.capacity()), "{}", records.held.capacity());
    }
}
