//! The transcoder with tokio's traits [`AsyncRead`], [`AsyncBufRead`] and [`AsyncWrite`] (feature `tokio`).
//!
//! [`AsyncDecodeReader`] and [`AsyncEncodeWriter`] have the same output, verdict, errors and offsets as their namesakes
//! for the traits of the standard library.

use super::buffer::OutputBuffer;
use super::feed::Feed;
use crate::detect::Verdict;
use crate::error::Error;
use crate::transcoder::{Line, LineCheckpoint, Lines, Report, Status, Transcode, Transcoder};
use futures_core::Stream;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// Reads from `R` and transcodes, with tokio's traits. Made by [`Transcode::tokio_reader`].
///
/// It has the same output, verdict, errors and offsets as [`DecodeReader`](crate::DecodeReader).
///
/// # Futures that are dropped
/// If a future is dropped, nothing is lost, and the next call continues. But methods of tokio that collect several
/// reads in the future itself, or in a buffer that they took, lose that part. Cancel safe are `read`, `read_buf` and
/// `fill_buf`. Not cancel safe are `read_line`, `read_until`, `read_exact`, `read_to_end` and `read_to_string`; the
/// methods of tokio's `Lines` and `Split` are, and so is [`Lines::next_line_async`].
///
/// # Long inputs
/// Converting keeps the processor busy, at some hundred MB a second and 64 KiB at a time, in the task that polls. If a
/// task converts a lot, run it on a thread for blocking work, with [`Transcode::run`].
///
/// `R` is not read before all output of its earlier bytes was read from here.
///
/// # Errors
/// Every read can fail with an error of `R`, which is passed on as it is; nothing is lost, and a later read continues.
/// What the policies do not allow is an [`io::Error`] that contains an [`Error`]; it comes after all good output, and
/// every later read fails with it again.
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
pub struct AsyncDecodeReader<R> {
    input: R,
    feed: Feed,
    /// Output on its way to the caller.
    output: OutputBuffer,
}

impl<R> AsyncDecodeReader<R> {
    fn new(input: R, transcoder: Transcoder) -> Self {
        AsyncDecodeReader { input, feed: Feed::new(transcoder), output: OutputBuffer::new() }
    }

    /// Returns the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.input
    }

    /// Returns the underlying reader. Bytes that are read from it directly are not transcoded.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// Returns the underlying reader. Output that was not read is lost.
    pub fn into_inner(self) -> R {
        self.input
    }

    /// Returns the report so far. Its `bytes_out` were transcoded, but not all of them may have been read.
    pub fn report(&self) -> &Report {
        self.feed.transcoder.report()
    }

    /// Returns the verdict of detection, once there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.feed.transcoder.verdict()
    }

    /// Begins a new message at the current position of the underlying reader, as [`Transcoder::reset`] does. Output
    /// that was not read is lost.
    pub fn reset(&mut self) {
        self.feed.reset();
        self.output.clear();
    }
}

impl<R: AsyncBufRead + Unpin> AsyncBufRead for AsyncDecodeReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        while this.output.is_empty() {
            let needs_input = this.feed.needs_input();
            let src = if needs_input { ready!(Pin::new(&mut this.input).poll_fill_buf(cx))? } else { &[] };
            let (read, written) = this.feed.step(src, this.output.spare())?;
            if needs_input {
                Pin::new(&mut this.input).consume(read);
            }
            if let Some(written) = written {
                this.output.fill(written);
                break;
            }
        }
        Poll::Ready(Ok(this.output.ready()))
    }

    fn consume(self: Pin<&mut Self>, len: usize) {
        self.get_mut().output.consume(len);
    }
}

impl<R: AsyncBufRead + Unpin> AsyncRead for AsyncDecodeReader<R> {
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

/// Takes bytes, transcodes them and writes them to `W`, with tokio's traits. Made by [`Transcode::tokio_writer`].
///
/// It has the same output, verdict, errors and offsets as [`EncodeWriter`](crate::EncodeWriter). It loses nothing if a
/// future of `write`, `write_buf`, `flush` or `shutdown` is dropped; `write_all` loses what it had not written yet.
///
/// Only `shutdown` ends the input. Dropping the writer writes and flushes nothing: buffered output is lost, and an
/// input that is cut in the middle goes unnoticed. `shutdown` writes everything, then shuts down the underlying writer.
/// It may be called again after an error or a cancellation; after it no more bytes are taken.
///
/// Up to 64 KiB are buffered before they are written. `flush` writes all output that is decided, as that of
/// [`EncodeWriter`](crate::EncodeWriter) does.
///
/// # Errors
/// `write`, `flush` and `shutdown` can fail with an error of `W`, which is passed on as it is. Such a call took
/// nothing, and what `W` did not take is kept for the next call. What the policies do not allow is an [`io::Error`]
/// that contains an [`Error`]. It comes from the call that took the bytes or from a later one, `shutdown` at the
/// latest; all good output was written and flushed before it, and every later call fails with it again. `W` is not shut
/// down then.
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
pub struct AsyncEncodeWriter<W> {
    output: W,
    transcoder: Transcoder,
    /// Output on its way to the underlying writer.
    buffer: OutputBuffer,
    /// `shutdown` was called.
    is_ended: bool,
}

impl<W> AsyncEncodeWriter<W> {
    fn new(output: W, transcoder: Transcoder) -> Self {
        AsyncEncodeWriter { output, transcoder, buffer: OutputBuffer::new(), is_ended: false }
    }

    /// Returns the underlying writer.
    pub fn get_ref(&self) -> &W {
        &self.output
    }

    /// Returns the underlying writer. Bytes that you write to it directly precede the buffered output.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    /// Returns the underlying writer. Buffered output is lost; after `shutdown` there is none.
    pub fn into_inner(self) -> W {
        self.output
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

impl<W: AsyncWrite + Unpin> AsyncEncodeWriter<W> {
    /// Writes the buffer.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.buffer.is_empty() {
            match ready!(Pin::new(&mut self.output).poll_write(cx, self.buffer.ready()))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                len => self.buffer.consume(len),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Does one step. An error of the transcoder is returned after everything before it is written and flushed. If that
    /// is pending, the next step fails again and continues here.
    fn poll_step(&mut self, cx: &mut Context<'_>, src: &[u8]) -> Poll<io::Result<(usize, Status)>> {
        match self.transcoder.step(src, self.buffer.spare(), self.is_ended) {
            Ok(step) => {
                self.buffer.fill(step.written);
                Poll::Ready(Ok((step.read, step.state)))
            }
            Err(error) => {
                ready!(self.poll_drain(cx))?;
                ready!(Pin::new(&mut self.output).poll_flush(cx))?;
                Poll::Ready(Err(error.into()))
            }
        }
    }

    /// Writes the output of all bytes so far.
    fn poll_write_all(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let (_, state) = ready!(self.poll_step(cx, &[]))?;
            ready!(self.poll_drain(cx))?;
            if state != Status::NeedRoom {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for AsyncEncodeWriter<W> {
    /// Takes bytes from `src`; none once `shutdown` was called.
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, src: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if src.is_empty() || this.is_ended {
            return Poll::Ready(Ok(0));
        }
        loop {
            if this.buffer.is_full() {
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
        ready!(this.poll_write_all(cx))?;
        Pin::new(&mut this.output).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.is_ended = true;
        ready!(this.poll_write_all(cx))?;
        Pin::new(&mut this.output).poll_shutdown(cx)
    }
}

/// The same lines from an [`AsyncRead`].
impl<R: AsyncRead + Unpin> Lines<R> {
    /// Does the same as [`next_line`](Lines::next_line) with a blocking reader. Cancel safe: if the future is dropped,
    /// nothing is lost, and the next call continues.
    ///
    /// # Errors
    /// Those of [`next_line`](Lines::next_line).
    ///
    /// ```
    /// # let rt = tokio::runtime::Builder::new_current_thread().build()?;
    /// # rt.block_on(async {
    /// let mut lines = charpipe::Transcode::new().tokio_lines(&b"one\ntwo"[..])?;
    /// let mut found = Vec::new();
    /// while let Some(line) = lines.next_line_async().await? {
    ///     found.push((line.offset, line.text.into_owned()));
    /// }
    /// assert_eq!(found, [(0, "one".to_owned()), (4, "two".to_owned())]);
    /// # Ok::<(), charpipe::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn next_line_async(&mut self) -> Result<Option<Line<'_>>, Error> {
        let is_line = poll_fn(|cx| self.poll_advance(cx)).await?;
        Ok(is_line.then(|| self.line()))
    }

    /// Continues to the next line. Returns whether there is one.
    fn poll_advance(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Error>> {
        self.advance_with(|input, spare| {
            let mut room = ReadBuf::new(spare);
            ready!(Pin::new(input).poll_read(cx, &mut room))?;
            Poll::Ready(Ok(room.filled().len()))
        })
    }
}

/// The lines as a stream, each with a copy of its text. After an error it ends.
///
/// ```
/// use futures_util::TryStreamExt;
///
/// # let rt = tokio::runtime::Builder::new_current_thread().build()?;
/// # rt.block_on(async {
/// let lines = charpipe::Transcode::new().source_encoding("IBM037")?.tokio_lines(&b"\x96\x95\x85\x25\xA3\xA6\x96"[..])?;
/// let texts: Vec<String> = lines.map_ok(|line| line.text.into_owned()).try_collect().await?;
/// assert_eq!(texts, ["one", "two"]);
/// # Ok::<(), charpipe::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<R: AsyncRead + Unpin> Stream for Lines<R> {
    type Item = Result<Line<'static>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_failed() {
            return Poll::Ready(None);
        }
        let is_line = ready!(this.poll_advance(cx));
        Poll::Ready(is_line.map(|is_line| is_line.then(|| this.line().into_owned())).transpose())
    }
}

impl Transcode {
    /// Does the same as [`lines`](Self::lines), with tokio's traits: [`Lines::next_line_async`] returns the lines.
    ///
    /// # Errors
    /// Those of [`lines`](Self::lines).
    pub fn tokio_lines<R: AsyncRead>(&self, input: R) -> Result<Lines<R>, Error> {
        Lines::of(self, input)
    }

    /// Does the same as [`resume_lines`](Self::resume_lines), with tokio's traits.
    ///
    /// # Errors
    /// Those of [`resume_lines`](Self::resume_lines).
    pub fn tokio_resume_lines<R: AsyncRead>(&self, input: R, at: &LineCheckpoint) -> Result<Lines<R>, Error> {
        Lines::resumed(self, input, at)
    }

    /// Does the same as [`reader`](Self::reader), with tokio's traits.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder).
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use tokio::io::AsyncBufReadExt;
    ///
    /// # let rt = tokio::runtime::Builder::new_current_thread().build()?;
    /// # rt.block_on(async {
    /// let mut reader = Transcode::new().source_encoding("IBM037")?.tokio_reader(&b"\xC8\x85\x93\x93\x96\x25\xA6"[..])?;
    /// let mut line = String::new();
    /// reader.read_line(&mut line).await?;
    /// assert_eq!(line, "Hello\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokio_reader<R: AsyncBufRead>(&self, input: R) -> Result<AsyncDecodeReader<R>, Error> {
        Ok(AsyncDecodeReader::new(input, self.transcoder()?))
    }

    /// Does the same as [`writer`](Self::writer), with tokio's traits.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder).
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use tokio::io::AsyncWriteExt;
    ///
    /// # let rt = tokio::runtime::Builder::new_current_thread().build()?;
    /// # rt.block_on(async {
    /// let mut writer = Transcode::new().source_encoding("UTF-8")?.target_encoding("IBM037")?.tokio_writer(Vec::new())?;
    /// writer.write_all(b"Hello").await?;
    /// writer.shutdown().await?;
    /// assert_eq!(writer.into_inner(), b"\xC8\x85\x93\x93\x96");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokio_writer<W: AsyncWrite>(&self, output: W) -> Result<AsyncEncodeWriter<W>, Error> {
        Ok(AsyncEncodeWriter::new(output, self.transcoder()?))
    }
}
