//! The transcoder where tokio's [`AsyncRead`], [`AsyncBufRead`] or [`AsyncWrite`] is wanted (feature `tokio`):
//! [`DecodeReader`] and [`EncodeWriter`], shells on [`Transcoder::step`] like their namesakes of the standard library's
//! traits, with the same output, verdict, errors and offsets.
//!
//! Both are cancel safe: a future that is dropped has lost nothing, and what is called next goes on. Converting is work
//! of the processor, some hundred MB a second, done where it is polled, 64 KiB at a time; a task that has much of it
//! belongs on a thread for blocking work, with [`Transcode::run`].
//!
//! ```
//! use charpipe::Transcode;
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
//!
//! # let rt = tokio::runtime::Builder::new_current_thread().build()?;
//! # rt.block_on(async {
//! let mut reader = Transcode::new().from("IBM037")?.tokio_reader(&b"\xC8\x85\x93\x93\x96\x25\xA6"[..])?;
//! let mut line = String::new();
//! reader.read_line(&mut line).await?;
//! assert_eq!(line, "Hello\n");
//!
//! let mut writer = Transcode::new().from("UTF-8")?.to("IBM037")?.tokio_writer(Vec::new())?;
//! writer.write_all(b"Hello").await?;
//! writer.shutdown().await?;
//! assert_eq!(writer.into_inner(), b"\xC8\x85\x93\x93\x96");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::detect::Verdict;
use crate::error::Error;
use crate::transcoder::io::adapters::{Feed, OUT_ROOM};
use crate::transcoder::{Report, Status, Transcode, Transcoder};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// Reads what `R` gives, transcoded. Made by [`Transcode::tokio_reader`].
///
/// Nothing is asked of `R` before all that could be made of its earlier bytes was read.
///
/// # Errors
/// Of every read: what `R` says, as it says it; nothing is lost, and a later read goes on. What the policies do not
/// allow is an [`io::Error`] that carries an [`Error`]; it comes after all good output, and again from every later
/// read.
///
/// ```
/// use charpipe::{Error, Transcode};
/// use tokio::io::AsyncReadExt;
///
/// # let rt = tokio::runtime::Builder::new_current_thread().build()?;
/// # rt.block_on(async {
/// let mut reader = Transcode::new().tokio_reader(&b"good\xFF"[..])?;
/// let mut text = Vec::new();
/// let error = reader.read_to_end(&mut text).await.unwrap_err();
/// assert_eq!(text, b"good");
/// let error = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
/// assert_eq!(error.and_then(Error::offset), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DecodeReader<R> {
    input: R,
    feed: Feed,
    /// Output on its way to the caller, and which part of it is still to be read.
    room: Box<[u8]>,
    at: usize,
    end: usize,
}

impl<R> DecodeReader<R> {
    fn new(input: R, transcoder: Transcoder) -> Self {
        DecodeReader { input, feed: Feed::new(transcoder), room: vec![0; OUT_ROOM].into(), at: 0, end: 0 }
    }

    /// The reader below.
    pub fn get_ref(&self) -> &R {
        &self.input
    }

    /// The reader below. Bytes read from it are not transcoded.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// The reader below; what was transcoded and not read is lost.
    pub fn into_inner(self) -> R {
        self.input
    }

    /// The account so far; its `bytes_out` are transcoded and may not all be read.
    pub fn report(&self) -> &Report {
        self.feed.transcoder.report()
    }

    /// What detection answered, once it did.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.feed.transcoder.verdict()
    }

    /// Begins a new message where the reader below stands, as [`Transcoder::reset`]; what was transcoded and not read
    /// is lost.
    pub fn reset(&mut self) {
        self.feed.reset();
        (self.at, self.end) = (0, 0);
    }
}

impl<R: AsyncBufRead + Unpin> AsyncBufRead for DecodeReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        while this.at == this.end {
            let hungry = this.feed.is_hungry();
            let src = if hungry { ready!(Pin::new(&mut this.input).poll_fill_buf(cx))? } else { &[] };
            let (read, written) = this.feed.step(src, &mut this.room)?;
            if hungry {
                Pin::new(&mut this.input).consume(read);
            }
            if let Some(written) = written {
                (this.at, this.end) = (0, written);
                break;
            }
        }
        Poll::Ready(Ok(&this.room[this.at..this.end]))
    }

    fn consume(self: Pin<&mut Self>, len: usize) {
        let this = self.get_mut();
        this.at = this.at.saturating_add(len).min(this.end);
    }
}

impl<R: AsyncBufRead + Unpin> AsyncRead for DecodeReader<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, dst: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if dst.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let ready = ready!(self.as_mut().poll_fill_buf(cx))?;
        let len = ready.len().min(dst.remaining());
        dst.put_slice(&ready[..len]);
        self.consume(len);
        Poll::Ready(Ok(()))
    }
}

/// Takes bytes, transcodes them and writes them to `W`. Made by [`Transcode::tokio_writer`].
///
/// The input ends with `shutdown`, and only there: dropping the writer writes and flushes nothing, so that what it
/// still holds is lost, and an input that stops in the middle goes unnoticed. `shutdown` writes everything, then shuts
/// down the writer below; it may be called again after an error or a cancellation, and after it nothing more is taken.
///
/// Up to 64 KiB are held before they are written; `flush` writes all that could be made of what was taken.
///
/// # Errors
/// Of all three: what `W` says, as it says it; the call took nothing, and what `W` did not take is kept for the next
/// call. What the policies do not allow is an [`io::Error`] that carries an [`Error`], from the call that took the
/// bytes or from a later one, `shutdown` at the latest; all good output was written and flushed before it, and every
/// later call says it again. `W` is not shut down then.
///
/// ```
/// use charpipe::Transcode;
/// use tokio::io::AsyncWriteExt;
///
/// # let rt = tokio::runtime::Builder::new_current_thread().build()?;
/// # rt.block_on(async {
/// let mut writer = Transcode::new().tokio_writer(Vec::new())?;
/// writer.write_all(b"cut short: \xE2\x82").await?;
/// let error = writer.shutdown().await.unwrap_err();
/// assert_eq!(error.to_string(), "byte 11: E2 82 is not valid UTF-8");
/// assert_eq!(writer.into_inner(), b"cut short: ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
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

    /// The writer below; what is held is lost. After `shutdown` nothing is.
    pub fn into_inner(self) -> W {
        self.output
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

impl<W: AsyncWrite + Unpin> EncodeWriter<W> {
    /// Writes what is held.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.at < self.end {
            match ready!(Pin::new(&mut self.output).poll_write(cx, &self.room[self.at..self.end]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                len => self.at = self.at.saturating_add(len).min(self.end),
            }
        }
        (self.at, self.end) = (0, 0);
        Poll::Ready(Ok(()))
    }

    /// One step behind what is held; an error comes when that is written and flushed. Until then the next step, which
    /// says the error again, brings it here again.
    fn poll_step(&mut self, cx: &mut Context<'_>, src: &[u8]) -> Poll<io::Result<(usize, Status)>> {
        match self.transcoder.step(src, &mut self.room[self.end..], self.ended) {
            Ok(step) => {
                self.end += step.written;
                Poll::Ready(Ok((step.read, step.state)))
            }
            Err(error) => {
                ready!(self.poll_drain(cx))?;
                ready!(Pin::new(&mut self.output).poll_flush(cx))?;
                Poll::Ready(Err(error.into()))
            }
        }
    }

    /// Writes all that can be made of what was taken.
    fn poll_write_out(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let (_, state) = ready!(self.poll_step(cx, &[]))?;
            ready!(self.poll_drain(cx))?;
            if state != Status::NeedRoom {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for EncodeWriter<W> {
    /// Takes bytes from `src`; none once `shutdown` was called.
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, src: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if src.is_empty() || this.ended {
            return Poll::Ready(Ok(0));
        }
        loop {
            if this.end == this.room.len() {
                ready!(this.poll_drain(cx))?;
            }
            let (read, _) = ready!(this.poll_step(cx, src))?;
            if read > 0 {
                return Poll::Ready(Ok(read));
            }
            ready!(this.poll_drain(cx))?;
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(cx))?;
        Pin::new(&mut this.output).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.ended = true;
        ready!(this.poll_write_out(cx))?;
        Pin::new(&mut this.output).poll_shutdown(cx)
    }
}

impl Transcode {
    /// A reader of what `input` gives, transcoded, by tokio's traits. The reader below can be lent (`&mut input`).
    ///
    /// # Errors
    /// What [`transcoder`](Self::transcoder) says.
    pub fn tokio_reader<R: AsyncBufRead>(&self, input: R) -> Result<DecodeReader<R>, Error> {
        Ok(DecodeReader::new(input, self.transcoder()?))
    }

    /// A writer that transcodes to `output`, by tokio's traits. The writer below can be lent (`&mut output`).
    ///
    /// # Errors
    /// What [`transcoder`](Self::transcoder) says.
    pub fn tokio_writer<W: AsyncWrite>(&self, output: W) -> Result<EncodeWriter<W>, Error> {
        Ok(EncodeWriter::new(output, self.transcoder()?))
    }
}
