//! The transcoder where a `Read`, a `Write` or a value in memory is wanted: [`DecodeReader`], [`EncodeWriter`] and
//! [`decode`], shells on [`Transcoder::step`].

use crate::codec::{MIN_ROOM, Utf8Sink};
use crate::detect::Verdict;
use crate::error::{Error, ErrorKind};
use crate::transcoder::io::value::Short;
use crate::transcoder::{Report, Status, Transcode, Transcoder};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Read, Write};

/// Bytes of output that an adapter holds at the most.
pub(in crate::transcoder) const OUT_ROOM: usize = 64 * 1024;

/// The same for a value in memory, on the stack.
const VALUE_ROOM: usize = 4 * 1024;

/// Reads what `R` gives, transcoded. Made by [`Transcode::reader`].
///
/// Nothing is asked of `R` before all that could be made of its earlier bytes was read.
///
/// # Errors
/// Of every read: what `R` says, [`io::ErrorKind::Interrupted`] included, as it says it; nothing is lost, and a later
/// read goes on. What the policies do not allow is an [`io::Error`] that carries an [`Error`]; it comes after all good
/// output, and again from every later read.
///
/// ```
/// use charpipe::{Error, Transcode};
/// use std::io::{BufRead, Read};
///
/// let mut reader = Transcode::new().from("IBM037")?.reader(&b"\xC8\x85\x93\x93\x96\x25\xA6"[..])?;
/// let mut line = String::new();
/// reader.read_line(&mut line)?;
/// assert_eq!(line, "Hello\n");
///
/// let mut reader = Transcode::new().reader(&b"good\xFF"[..])?;
/// let mut text = Vec::new();
/// let error = reader.read_to_end(&mut text).unwrap_err();
/// assert_eq!(text, b"good");
/// let error = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
/// assert_eq!(error.and_then(Error::offset), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DecodeReader<R> {
    source: Source<R>,
    /// Output on its way to the caller, and which part of it is still to be read.
    room: Box<[u8]>,
    at: usize,
    end: usize,
}

/// Where a reader's bytes come from.
struct Source<R> {
    input: R,
    feed: Feed,
}

/// A transcoder that is fed from a reader of any kind.
pub(in crate::transcoder) struct Feed {
    pub(in crate::transcoder) transcoder: Transcoder,
    /// What the transcoder wants next. It is asked before the input is: the input may block.
    state: Status,
    /// The input has ended.
    ended: bool,
}

impl Feed {
    pub(in crate::transcoder) fn new(transcoder: Transcoder) -> Self {
        Feed { transcoder, state: Status::NeedInput, ended: false }
    }

    /// Whether a step needs the input to be asked.
    pub(in crate::transcoder) fn is_hungry(&self) -> bool {
        self.state == Status::NeedInput
    }

    /// One step: how many bytes of `src` were taken, and how many put into `dst` if that is an answer; none only at the
    /// end. `src` is what the input gave if the feed is hungry, empty at its end; else nothing.
    pub(in crate::transcoder) fn step(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(usize, Option<usize>), Error> {
        self.ended |= self.is_hungry() && src.is_empty();
        // An error is said again by the next step, without asking the input.
        self.state = Status::NeedRoom;
        let step = self.transcoder.step(src, dst, self.ended)?;
        self.state = step.state;
        let answers = step.written > 0 || step.state == Status::Done;
        Ok((step.read, answers.then_some(step.written)))
    }

    pub(in crate::transcoder) fn reset(&mut self) {
        self.transcoder.reset();
        self.state = Status::NeedInput;
        self.ended = false;
    }
}

impl<R: BufRead> Source<R> {
    /// Puts bytes into `dst`, which has room; none only at the end.
    fn produce(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        loop {
            let hungry = self.feed.is_hungry();
            let src = if hungry { self.input.fill_buf()? } else { &[] };
            let (read, written) = self.feed.step(src, dst)?;
            if hungry {
                self.input.consume(read);
            }
            if let Some(written) = written {
                return Ok(written);
            }
        }
    }
}

impl<R> DecodeReader<R> {
    fn new(input: R, transcoder: Transcoder) -> Self {
        DecodeReader {
            source: Source { input, feed: Feed::new(transcoder) },
            room: vec![0; OUT_ROOM].into(),
            at: 0,
            end: 0,
        }
    }

    /// The reader below.
    pub fn get_ref(&self) -> &R {
        &self.source.input
    }

    /// The reader below. Bytes read from it are not transcoded.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.source.input
    }

    /// The reader below; what was transcoded and not read is lost.
    pub fn into_inner(self) -> R {
        self.source.input
    }

    /// The account so far; its `bytes_out` are transcoded and may not all be read.
    pub fn report(&self) -> &Report {
        self.source.feed.transcoder.report()
    }

    /// What detection answered, once it did.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.source.feed.transcoder.verdict()
    }

    /// Begins a new message where the reader below stands, as [`Transcoder::reset`]; what was transcoded and not read is
    /// lost.
    pub fn reset(&mut self) {
        self.source.feed.reset();
        (self.at, self.end) = (0, 0);
    }
}

impl<R: BufRead> BufRead for DecodeReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end {
            (self.at, self.end) = (0, 0);
            self.end = self.source.produce(&mut self.room)?;
        }
        Ok(&self.room[self.at..self.end])
    }

    fn consume(&mut self, len: usize) {
        self.at = self.at.saturating_add(len).min(self.end);
    }
}

impl<R: BufRead> Read for DecodeReader<R> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        if dst.is_empty() {
            return Ok(0);
        }
        if self.at == self.end && dst.len() >= self.room.len() {
            return self.source.produce(dst);
        }
        let ready = self.fill_buf()?;
        let len = ready.len().min(dst.len());
        dst[..len].copy_from_slice(&ready[..len]);
        self.consume(len);
        Ok(len)
    }
}

/// Takes bytes, transcodes them and writes them to `W`. Made by [`Transcode::writer`].
///
/// The input ends with [`finish`](Self::finish), and only there: dropping the writer writes and flushes nothing, so that
/// what it still holds is lost, and an input that stops in the middle goes unnoticed.
///
/// Up to 64 KiB are held before they are written; [`flush`](Write::flush) writes all that could be made of what was taken.
///
/// # Errors
/// Of `write` and `flush`: what `W` says, as it says it, but that [`io::ErrorKind::Interrupted`] is tried again; the
/// call took nothing, and what `W` did not take is kept for the next call. What the policies do not allow is an
/// [`io::Error`] that carries an [`Error`], from the call that took the bytes or from a later one, `finish` at the
/// latest; all good output was written before it, and every later call says it again.
///
/// ```
/// use charpipe::Transcode;
/// use std::io::Write;
///
/// let mut writer = Transcode::new().from("UTF-8")?.to("IBM037")?.writer(Vec::new())?;
/// write!(writer, "Hel")?;
/// write!(writer, "lo")?;
/// assert_eq!(writer.finish()?, b"\xC8\x85\x93\x93\x96");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EncodeWriter<W> {
    output: W,
    transcoder: Transcoder,
    /// Output on its way to the writer below, and which part of it is still to be written.
    room: Box<[u8]>,
    at: usize,
    end: usize,
    /// The end of the input was said.
    ended: bool,
}

impl<W: Write> EncodeWriter<W> {
    /// Ends the input, writes and flushes everything, and gives back the writer below.
    ///
    /// # Errors
    /// [`ErrorKind::Write`], and what the policies do not allow; with the writer. After [`ErrorKind::Write`] it
    /// [can go on](FinishError::into_writer).
    pub fn finish(mut self) -> Result<W, FinishError<W>> {
        self.ended = true;
        match self.write_out().and_then(|()| self.flush_output()) {
            Ok(()) => Ok(self.output),
            Err(failure) => {
                let error = match failure {
                    Failure::Transcoder(error) => error,
                    Failure::Output(source) => {
                        let held = (self.end - self.at) as u64;
                        ErrorKind::Write { written: self.report().bytes_out - held, source }.into()
                    }
                };
                Err(FinishError(Box::new((error, self))))
            }
        }
    }

    /// Writes what is held.
    fn drain(&mut self) -> Result<(), Failure> {
        while self.at < self.end {
            match self.output.write(&self.room[self.at..self.end]) {
                Ok(0) => return Err(Failure::Output(io::ErrorKind::WriteZero.into())),
                Ok(len) => self.at = self.at.saturating_add(len).min(self.end),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Output(error)),
            }
        }
        (self.at, self.end) = (0, 0);
        Ok(())
    }

    /// One step behind what is held; an error comes when that is written and flushed.
    fn step(&mut self, src: &[u8]) -> Result<(usize, Status), Failure> {
        match self.transcoder.step(src, &mut self.room[self.end..], self.ended) {
            Ok(step) => {
                self.end += step.written;
                Ok((step.read, step.state))
            }
            Err(error) => {
                self.drain()?;
                self.flush_output()?;
                Err(Failure::Transcoder(error))
            }
        }
    }

    /// Writes all that can be made of what was taken.
    fn write_out(&mut self) -> Result<(), Failure> {
        loop {
            let (_, state) = self.step(&[])?;
            self.drain()?;
            if state != Status::NeedRoom {
                return Ok(());
            }
        }
    }

    fn flush_output(&mut self) -> Result<(), Failure> {
        loop {
            match self.output.flush() {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Output(error)),
            }
        }
    }
}

impl<W> EncodeWriter<W> {
    fn new(output: W, transcoder: Transcoder) -> Self {
        EncodeWriter { output, transcoder, room: vec![0; OUT_ROOM].into(), at: 0, end: 0, ended: false }
    }

    /// The writer below.
    pub fn get_ref(&self) -> &W {
        &self.output
    }

    /// The writer below. What is written to it comes before what is held.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    /// The account so far; its `bytes_out` are transcoded and may not all be written.
    pub fn report(&self) -> &Report {
        self.transcoder.report()
    }

    /// What detection answered, once it did.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.transcoder.verdict()
    }
}

impl<W: Write> Write for EncodeWriter<W> {
    /// Takes bytes from `src`. Takes none once [`finish`](Self::finish) was called, and failed.
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        if src.is_empty() || self.ended {
            return Ok(0);
        }
        loop {
            if self.end == self.room.len() {
                self.drain()?;
            }
            let (read, _) = self.step(src)?;
            if read > 0 {
                return Ok(read);
            }
            self.drain()?;
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.flush_output()?;
        Ok(())
    }
}

/// Whose failure it is.
enum Failure {
    Transcoder(Error),
    Output(io::Error),
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Transcoder(error) => error.into(),
            Failure::Output(error) => error,
        }
    }
}

/// Why [`EncodeWriter::finish`] failed, and the writer. One word wide.
///
/// ```
/// use charpipe::Transcode;
/// use std::io::Write;
///
/// let mut writer = Transcode::new().writer(Vec::new())?;
/// writer.write_all(b"cut short: \xE2\x82")?;
/// let error = writer.finish().unwrap_err();
/// assert_eq!(error.error().offset(), Some(11));
/// assert_eq!(error.into_inner(), b"cut short: ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FinishError<W>(Box<(Error, EncodeWriter<W>)>);

impl<W> FinishError<W> {
    /// What went wrong.
    pub fn error(&self) -> &Error {
        &self.0.0
    }

    /// The writer below. What it did not take is lost.
    pub fn into_inner(self) -> W {
        self.0.1.output
    }

    /// The writer with what is still to be written, to [`finish`](EncodeWriter::finish) again where the writer below
    /// could not take it then.
    pub fn into_writer(self) -> EncodeWriter<W> {
        self.0.1
    }
}

impl<W> fmt::Debug for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FinishError").field(self.error()).finish()
    }
}

impl<W> fmt::Display for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error().fmt(f)
    }
}

impl<W> std::error::Error for FinishError<W> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error().source()
    }
}

/// The error without the writer.
impl<W> From<FinishError<W>> for io::Error {
    fn from(error: FinishError<W>) -> Self {
        error.0.0.into()
    }
}

/// Detects what `bytes` are encoded in and makes them a string, with its label made true.
///
/// [`Transcode::decode`] with the default of everything: borrowed where nothing changed.
///
/// # Errors
/// What [`Transcode::decode`] says.
///
/// ```
/// use std::borrow::Cow;
///
/// assert!(matches!(charpipe::decode("déjà UTF-8".as_bytes())?, Cow::Borrowed("déjà UTF-8")));
/// assert_eq!(charpipe::decode(b"\xFE\xFF\x20\xAC")?, "€");
/// assert_eq!(charpipe::decode(b"\xE2\x82").unwrap_err().offset(), Some(0));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    Transcode::new().decode(bytes)
}

impl Transcode {
    /// A reader of what `input` gives, transcoded. The reader below can be lent (`&mut input`).
    ///
    /// # Errors
    /// What [`transcoder`](Self::transcoder) says.
    pub fn reader<R: BufRead>(&self, input: R) -> Result<DecodeReader<R>, Error> {
        Ok(DecodeReader::new(input, self.transcoder()?))
    }

    /// A writer that transcodes to `output`. The writer below can be lent (`&mut output`).
    ///
    /// # Errors
    /// What [`transcoder`](Self::transcoder) says.
    pub fn writer<W: Write>(&self, output: W) -> Result<EncodeWriter<W>, Error> {
        Ok(EncodeWriter::new(output, self.transcoder()?))
    }

    /// Makes all of `bytes` a string: [`Cow::Borrowed`] where it is `bytes` as they are, and only there; nothing is
    /// copied then. For many short values in one encoding, [`values`](Self::values) makes a decoder once.
    ///
    /// # Errors
    /// [`ErrorKind::NotUtf8`] where the target is another charset; what the policies do not allow.
    ///
    /// ```
    /// use charpipe::{OnMalformed, Transcode};
    ///
    /// let lossy = Transcode::new().from("UTF-8")?.malformed(OnMalformed::Replace);
    /// assert_eq!(lossy.decode(b"a\xFFb")?, "a\u{FFFD}b");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        if let Some(text) = self.decode_short(bytes) {
            return Ok(text);
        }
        self.decode_by_machine(bytes)
    }

    /// The text of a short value without anything in it that a machine is needed for, where that is known beforehand.
    fn decode_short<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        const SHORT: usize = (VALUE_ROOM - MIN_ROOM) / 4;
        let mut short = if bytes.len() <= SHORT { Short::new(&self.settings)? } else { return None };
        let mut room = [0; VALUE_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        if !short.decode(bytes, &mut sink) {
            return None;
        }
        let text = sink.as_str();
        let borrowed = std::str::from_utf8(bytes).ok().filter(|same| *same == text);
        Some(borrowed.map_or_else(|| Cow::Owned(text.to_owned()), Cow::Borrowed))
    }

    /// [`decode`](Self::decode) by the machine for everything.
    pub(in crate::transcoder) fn decode_by_machine<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        let mut transcoder = self.transcoder()?;
        if transcoder.report().to != "UTF-8" {
            return Err(ErrorKind::NotUtf8 { codec: transcoder.report().to.clone() }.into());
        }
        let mut room = [0; VALUE_ROOM];
        let mut read = 0;
        // So much of the output is the beginning of the input; from the first difference on it is kept.
        let mut same = 0;
        let mut changed: Option<Vec<u8>> = None;
        loop {
            let step = transcoder.step(&bytes[read..], &mut room, true)?;
            read += step.read;
            let output = &room[..step.written];
            match &mut changed {
                Some(text) => text.extend_from_slice(output),
                None if bytes[same..].starts_with(output) => same += output.len(),
                None => {
                    let mut text = Vec::with_capacity(bytes.len().max(same + output.len()));
                    text.extend_from_slice(&bytes[..same]);
                    text.extend_from_slice(output);
                    changed = Some(text);
                }
            }
            if step.state != Status::NeedRoom {
                break;
            }
        }
        let text = match changed {
            None if same == bytes.len() => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
            None => String::from_utf8(bytes[..same].to_vec()).map(Cow::Owned).ok(),
            Some(text) => String::from_utf8(text).map(Cow::Owned).ok(),
        };
        text.ok_or_else(|| {
            // The target is somebody's own, under the name of UTF-8.
            let report = transcoder.report();
            let what = "writes what is not UTF-8";
            ErrorKind::Codec { codec: report.to.clone(), offset: report.bytes_in, what }.into()
        })
    }
}
