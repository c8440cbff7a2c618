//! [`TextWriter`]: a transcoder with the interface of `fmt::Write` and `io::Write`, for text that is already Unicode.

use super::writer::{EncodeWriter, FinishError};
use crate::transcoder::Report;
use std::fmt;
use std::io::{self, Write};

/// Takes text, encodes it and writes it to `W`. Made by [`Transcode::text_writer`](crate::Transcode::text_writer).
///
/// The text is Unicode, so nothing is detected: an encoding declaration in the text (of XML, or in a `meta`) is
/// ignored, and corrected to name the target. It can be written as `str` ([`fmt::Write`]) or as UTF-8 ([`io::Write`]),
/// in pieces of any size. Everything else is as with [`EncodeWriter`]: only [`finish`](Self::finish) ends the text, and
/// dropping the writer loses what is buffered.
///
/// # Errors
/// Those of [`EncodeWriter`]. [`fmt::Error`] says nothing about its cause: [`finish`](Self::finish) returns it.
///
/// ```
/// use charpipe::Transcode;
/// use std::fmt::Write;
///
/// // What a program writes, and what it says, need not agree.
/// let mut writer = Transcode::new().target_encoding("ISO-8859-1")?.text_writer(Vec::new())?;
/// write!(writer, "<?xml version='1.0' encoding='UTF-8'?><p>{}</p>", "café")?;
/// assert_eq!(writer.finish()?, b"<?xml version='1.0' encoding='ISO-8859-1'?><p>caf\xE9</p>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TextWriter<W> {
    writer: EncodeWriter<W>,
    /// The error that a [`fmt::Error`] could not carry. The text of that call is lost, so nothing is written after it.
    failed: Option<io::Error>,
}

impl<W> TextWriter<W> {
    pub(in crate::transcoder) fn new(writer: EncodeWriter<W>) -> Self {
        TextWriter { writer, failed: None }
    }

    /// Returns the underlying writer.
    pub fn get_ref(&self) -> &W {
        self.writer.get_ref()
    }

    /// Returns the underlying writer. Bytes that you write to it directly precede the buffered output.
    pub fn get_mut(&mut self) -> &mut W {
        self.writer.get_mut()
    }

    /// Returns the report so far; see [`EncodeWriter::report`].
    pub fn report(&self) -> &Report {
        self.writer.report()
    }
}

impl<W: Write> TextWriter<W> {
    /// Ends the text, writes and flushes everything, and returns the underlying writer.
    ///
    /// # Errors
    /// Those of [`EncodeWriter::finish`]. After a [`fmt::Error`], its cause.
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use std::fmt::Write;
    ///
    /// let mut writer = Transcode::new().target_encoding("US-ASCII")?.text_writer(Vec::new())?;
    /// let text = "plain, café";
    /// // Whether this call fails, or a later one, depends on how much is buffered.
    /// let _ = writer.write_str(text);
    /// let error = writer.finish().unwrap_err();
    /// assert_eq!(error.error().to_string(), "byte 10: U+00E9 'é' is not in US-ASCII");
    /// assert_eq!(error.into_inner(), b"plain, caf");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn finish(self) -> Result<W, FinishError<W>> {
        match self.failed {
            Some(error) => Err(self.writer.fail(error)),
            None => self.writer.finish(),
        }
    }
}

impl<W: Write> fmt::Write for TextWriter<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.failed.is_none() {
            self.failed = self.writer.write_all(text.as_bytes()).err();
        }
        if self.failed.is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

impl<W: Write> Write for TextWriter<W> {
    /// Takes UTF-8 from `src`. Bytes that are not UTF-8 are malformed, and the policy for these applies.
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        match &self.failed {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => self.writer.write(src),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
