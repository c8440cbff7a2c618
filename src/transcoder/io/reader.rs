//! [`DecodeReader`]: the transcoder as a `Read`.

use super::buffer::OutputBuffer;
use super::feed::Feed;
use crate::detect::Verdict;
use crate::transcoder::{Report, Transcoder};
use std::io::{self, BufRead, Read};

/// Reads from `R` and transcodes. Made by [`Transcode::reader`](crate::Transcode::reader).
///
/// `R` is read only after all output of its earlier bytes has been read from here. The first end of `R` is final: data
/// appended to a file later is not read. [`Transcode::lines`](crate::Transcode::lines) can follow a file that grows.
///
/// # Errors
/// Every read can fail with an error of `R`, [`io::ErrorKind::Interrupted`] included, which is passed on as it is; nothing
/// is lost, and a later read continues. What the policies do not allow is an [`io::Error`] that contains an
/// [`Error`](crate::Error); it comes after all good output, and every later read fails with it again.
///
/// ```
/// use charpipe::{Error, Transcode};
/// use std::io::{BufRead, Read};
///
/// let mut reader = Transcode::new().source_encoding("IBM037")?.reader(&b"\xC8\x85\x93\x93\x96\x25\xA6"[..])?;
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
    /// Output on its way to the caller.
    output: OutputBuffer,
}

/// Where the output comes from.
struct Source<R> {
    input: R,
    feed: Feed,
}

impl<R: BufRead> Source<R> {
    /// Puts output into `dst`, which is not empty. Returns how many bytes; 0 only at the end.
    fn produce(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        loop {
            let needs_input = self.feed.needs_input();
            let src = if needs_input { self.input.fill_buf()? } else { &[] };
            let (read, written) = self.feed.step(src, dst)?;
            if needs_input {
                self.input.consume(read);
            }
            if let Some(written) = written {
                return Ok(written);
            }
        }
    }
}

impl<R> DecodeReader<R> {
    pub(in crate::transcoder) fn new(input: R, transcoder: Transcoder) -> Self {
        DecodeReader { source: Source { input, feed: Feed::new(transcoder) }, output: OutputBuffer::new() }
    }

    /// Returns the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.source.input
    }

    /// Returns the underlying reader. Bytes that are read from it directly are not transcoded.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.source.input
    }

    /// Returns the underlying reader. Output that was not read is lost.
    pub fn into_inner(self) -> R {
        self.source.input
    }

    /// Returns the report so far. Its `bytes_out` were transcoded, but not all of them may have been read.
    pub fn report(&self) -> &Report {
        self.source.feed.transcoder.report()
    }

    /// Returns the verdict of detection, once there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.source.feed.transcoder.verdict()
    }

    /// Begins a new message at the current position of the underlying reader, as [`Transcoder::reset`] does. Output that
    /// was not read is lost.
    pub fn reset(&mut self) {
        self.source.feed.reset();
        self.output.clear();
    }
}

impl<R: BufRead> BufRead for DecodeReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.output.is_empty() {
            let written = self.source.produce(self.output.spare())?;
            self.output.fill(written);
        }
        Ok(self.output.ready())
    }

    fn consume(&mut self, len: usize) {
        self.output.consume(len);
    }
}

impl<R: BufRead> Read for DecodeReader<R> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        if dst.is_empty() {
            return Ok(0);
        }
        if self.output.is_empty() && dst.len() >= self.output.spare().len() {
            return self.source.produce(dst);
        }
        let ready = self.fill_buf()?;
        let len = ready.len().min(dst.len());
        dst[..len].copy_from_slice(&ready[..len]);
        self.consume(len);
        Ok(len)
    }
}
