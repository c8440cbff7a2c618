//! [`EncodeWriter`]: the transcoder as a `Write`.

use super::buffer::OutputBuffer;
use crate::detect::Verdict;
use crate::error::{Error, ErrorKind};
use crate::transcoder::{Report, Status, Transcoder};
use std::fmt;
use std::io::{self, Write};

/// Takes bytes, transcodes them and writes them to `W`. Made by
/// [`Transcode::writer`](crate::Transcode::writer).
///
/// Only [`finish`](Self::finish) ends the input. Dropping the writer writes and flushes nothing: buffered output is lost,
/// and an input that is cut in the middle goes unnoticed.
///
/// Up to 64 KiB are buffered before they are written. [`flush`](Write::flush) writes all output that is decided: that of
/// all bytes so far, except those that mean nothing before more bytes come. These are the beginning of a character, and at
/// the beginning of the input what may become a byte order mark, a declaration or the beginning of HTML: see
/// [`Transcoder::pending`]. Text whose form depends on what follows is not decided either, such as a carriage return that
/// may become part of a newline. Flushing never changes what the whole output is.
///
/// # Errors
/// `write` and `flush` can fail with an error of `W`, which is passed on as it is, except that
/// [`io::ErrorKind::Interrupted`] is retried. Such a call took nothing, and what `W` did not take is kept for the next
/// call. What the policies do not allow is an [`io::Error`] that contains an [`Error`]. It comes from the call that took
/// the bytes or from a later one, `finish` at the latest; all good output was written before it, and every later call
/// fails with it again.
///
/// ```
/// use charpipe::Transcode;
/// use std::io::Write;
///
/// let mut writer = Transcode::new().source_encoding("UTF-8")?.target_encoding("IBM037")?.writer(Vec::new())?;
/// write!(writer, "Hel")?;
/// write!(writer, "lo")?;
/// assert_eq!(writer.finish()?, b"\xC8\x85\x93\x93\x96");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EncodeWriter<W> {
    output: W,
    transcoder: Transcoder,
    /// Output on its way to the underlying writer.
    buffer: OutputBuffer,
    /// [`finish`](Self::finish) was called.
    is_ended: bool,
}

impl<W: Write> EncodeWriter<W> {
    /// Ends the input, writes and flushes everything, and returns the underlying writer.
    ///
    /// # Errors
    /// [`ErrorKind::Write`], and what the policies do not allow. The error contains the writer, which can
    /// [continue](FinishError::into_writer) after [`ErrorKind::Write`].
    pub fn finish(mut self) -> Result<W, FinishError<W>> {
        self.is_ended = true;
        match self.write_all().and_then(|()| self.flush_output()) {
            Ok(()) => Ok(self.output),
            Err(failure) => {
                let error = match failure {
                    WriteError::Transcoder(error) => error,
                    WriteError::Output(source) => self.write_error(source),
                };
                Err(FinishError(Box::new((error, self))))
            }
        }
    }

    /// Returns `error`, of a call that lost what it was given, as the error of [`finish`](Self::finish).
    pub(super) fn fail(mut self, error: io::Error) -> FinishError<W> {
        self.is_ended = true;
        // The transcoder keeps its own.
        let error = error.downcast::<Error>().unwrap_or_else(|source| self.write_error(source));
        FinishError(Box::new((error, self)))
    }

    fn write_error(&self, source: io::Error) -> Error {
        let buffered = self.buffer.ready().len() as u64;
        ErrorKind::Write { written: self.report().bytes_out - buffered, source }.into()
    }

    /// Writes the buffer.
    fn drain(&mut self) -> Result<(), WriteError> {
        while !self.buffer.is_empty() {
            match self.output.write(self.buffer.ready()) {
                Ok(0) => return Err(WriteError::Output(io::ErrorKind::WriteZero.into())),
                Ok(len) => self.buffer.consume(len),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(WriteError::Output(error)),
            }
        }
        Ok(())
    }

    /// Does one step. An error of the transcoder is returned after everything before it is written and flushed.
    fn step(&mut self, src: &[u8]) -> Result<(usize, Status), WriteError> {
        match self.transcoder.step(src, self.buffer.spare(), self.is_ended) {
            Ok(step) => {
                self.buffer.fill(step.written);
                Ok((step.read, step.state))
            }
            Err(error) => {
                self.drain()?;
                self.flush_output()?;
                Err(WriteError::Transcoder(error))
            }
        }
    }

    /// Writes the output of all bytes so far.
    fn write_all(&mut self) -> Result<(), WriteError> {
        loop {
            let (_, state) = self.step(&[])?;
            self.drain()?;
            if state != Status::NeedRoom {
                return Ok(());
            }
        }
    }

    fn flush_output(&mut self) -> Result<(), WriteError> {
        loop {
            match self.output.flush() {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(WriteError::Output(error)),
            }
        }
    }
}

impl<W> EncodeWriter<W> {
    pub(in crate::transcoder) fn new(output: W, transcoder: Transcoder) -> Self {
        EncodeWriter { output, transcoder, buffer: OutputBuffer::new(), is_ended: false }
    }

    /// Returns the underlying writer.
    pub fn get_ref(&self) -> &W {
        &self.output
    }

    /// Returns the underlying writer. Bytes that you write to it directly precede the buffered output.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    /// Returns the report so far. Its `bytes_out` were transcoded, but not all of them may have been written.
    pub fn report(&self) -> &Report {
        self.transcoder.report()
    }

    /// Returns the verdict of detection, once there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.transcoder.verdict()
    }
}

impl<W: Write> Write for EncodeWriter<W> {
    /// Takes bytes from `src`; none after a call of [`finish`](Self::finish) that failed.
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        if src.is_empty() || self.is_ended {
            return Ok(0);
        }
        loop {
            if self.buffer.is_full() {
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
        self.write_all()?;
        self.flush_output()?;
        Ok(())
    }
}

/// An error of the transcoder or of the output.
enum WriteError {
    Transcoder(Error),
    Output(io::Error),
}

impl From<WriteError> for io::Error {
    fn from(failure: WriteError) -> Self {
        match failure {
            WriteError::Transcoder(error) => error.into(),
            WriteError::Output(error) => error,
        }
    }
}

/// The error of [`EncodeWriter::finish`], with the writer. One word wide.
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
    /// Returns the error.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.0.0
    }

    /// Returns the underlying writer. Output that it did not accept is lost.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.0.1.output
    }

    /// Returns the writer with the output that is still to be written, so that you can call
    /// [`finish`](EncodeWriter::finish) again if the underlying writer failed.
    #[must_use]
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

/// Takes the error and drops the writer, for `?`.
impl<W> From<FinishError<W>> for Error {
    fn from(error: FinishError<W>) -> Self {
        error.0.0
    }
}

/// Takes the error and drops the writer.
impl<W> From<FinishError<W>> for io::Error {
    fn from(error: FinishError<W>) -> Self {
        error.0.0.into()
    }
}
