//! [`Lines`]: lines from a `Read`.

use super::line::{Line, LineCheckpoint, LineEnds};
use super::splitter::{Advance, Splitter};
use crate::detect::Verdict;
use crate::error::{Error, ErrorKind};
use crate::transcoder::{Faults, Transcode};
use std::io::{self, Read};
use std::task::{Poll, ready};

/// Reads lines from `R`, with their offsets in it, in any encoding. Made by [`Transcode::lines`].
///
/// The encoding is found as in a conversion, and the job's policy for malformed input applies. The lines have the same
/// text as a conversion, but labels in it (`encoding="..."`) are not changed. `R` needs no buffer of its own: at least
/// 16 KiB are read at a time.
///
/// [`next_line`](Self::next_line) lends each line; if the input is UTF-8, the text is not even copied. The iterator
/// returns lines that can be kept.
///
/// ```
/// use charpipe::{LineEnd, Transcode};
///
/// let job = Transcode::new().source_encoding("IBM1047")?;
/// let mut lines = job.lines(&b"\xC8\x89\x15\xA3\x88\x85\x99\x85"[..])?;
/// let line = lines.next_line()?.unwrap();
/// assert_eq!((line.offset, line.number, &*line.text, line.end), (0, 1, "Hi", LineEnd::Nel));
/// let line = lines.next_line()?.unwrap();
/// assert_eq!((line.offset, line.number, &*line.text, line.end), (3, 2, "there", LineEnd::None));
/// assert!(lines.next_line()?.is_none());
///
/// // The byte order mark counts, but it is not part of the line.
/// let lines = Transcode::new().lines(&b"\xEF\xBB\xBFa\r\nb"[..])?;
/// let offsets = lines.map(|line| Ok(line?.offset)).collect::<Result<Vec<u64>, charpipe::Error>>()?;
/// assert_eq!(offsets, [3, 6]);
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # A file that grows
///
/// With [`follow`](Self::follow), the end of the input is only the end for now. A [checkpoint](Self::checkpoint)
/// between two lines is all that is needed to continue later, even in another process; `examples/tail_log.rs` does so.
///
/// # Memory
///
/// A line of more than 1 MiB of input comes in several pieces, so memory is bounded; [`limit`](Self::limit) changes
/// that.
///
/// # Errors
/// [`ErrorKind::Read`], with the error of `R`: nothing is lost, and a later call continues. Anything else is final:
/// malformed input that the policy does not allow, input that is not text, and what else ends a conversion. All lines
/// that end before the error were returned. After it the iterator is finished, and `next_line` fails with the same
/// error again.
pub struct Lines<R> {
    input: R,
    splitter: Splitter,
    follows: bool,
}

impl<R> Lines<R> {
    /// Sets which characters end a line. The default is [`LineEnds::All`].
    ///
    /// ```
    /// use charpipe::{LineEnds, Transcode};
    ///
    /// let lines = Transcode::new().lines(&b"50%\r100%\r\n"[..])?.line_ends(LineEnds::Lf);
    /// let texts = lines.map(|line| Ok(line?.text)).collect::<Result<Vec<_>, charpipe::Error>>()?;
    /// assert_eq!(texts, ["50%\r100%"]);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn line_ends(mut self, ends: LineEnds) -> Self {
        self.splitter.set_ends(ends);
        self
    }

    /// Sets the maximum length of a line in input bytes, including its end. The default is 1 MiB. A longer line is
    /// [cut](crate::LineEnd::Cut) after the character that reaches the limit. A CRLF is never cut.
    ///
    /// ```
    /// use charpipe::{LineEnd, Transcode};
    ///
    /// let mut lines = Transcode::new().lines("ab€cd\n".as_bytes())?.limit(3);
    /// let line = lines.next_line()?.unwrap();
    /// assert_eq!((&*line.text, line.number, line.end), ("ab€", 1, LineEnd::Cut));
    /// let line = lines.next_line()?.unwrap();
    /// assert_eq!((&*line.text, line.number, line.end), ("cd", 1, LineEnd::Lf));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn limit(mut self, bytes: u64) -> Self {
        self.splitter.set_limit(bytes);
        self
    }

    /// Sets whether the input may grow, so that its end may be temporary. There, [`next_line`](Self::next_line) returns
    /// `None` and keeps the unfinished line, and a later call continues. [`finish`](Self::finish) returns what is left.
    ///
    /// A CR at the end waits for the character after it, and detection for as much as it waits for in a conversion: the
    /// first two bytes, or 64 KiB with [`guess`](Transcode::guess) and after the first byte that several
    /// [`fallbacks`](Transcode::fallbacks) read differently. With [`source_encoding`](Transcode::source_encoding), it
    /// waits for nothing but the rest of what begins like a byte order mark or a declaration.
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use std::io::Write;
    ///
    /// let (mut file, log) = (tempfile::NamedTempFile::new()?, |file: &mut tempfile::NamedTempFile, text: &str| write!(file, "{text}"));
    /// let mut lines = Transcode::new().lines(file.reopen()?)?.follow(true);
    /// log(&mut file, "one\ntw")?;
    /// assert_eq!(lines.next_line()?.unwrap().text, "one");
    /// assert!(lines.next_line()?.is_none());
    /// log(&mut file, "o\nthree")?;
    /// assert_eq!(lines.next_line()?.unwrap().text, "two");
    /// assert!(lines.next_line()?.is_none());
    /// assert_eq!(lines.finish()?.unwrap().text, "three");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn follow(mut self, yes: bool) -> Self {
        self.follows = yes;
        self
    }

    /// Ends the input, which is not read any more, and returns the next of the lines that are left, like
    /// [`next_line`](Self::next_line). Usually that is one; there are more if detection was still waiting.
    ///
    /// # Errors
    /// As described [above](Lines#errors).
    pub fn finish(&mut self) -> Result<Option<Line<'_>>, Error> {
        self.splitter.end();
        let is_line = matches!(self.splitter.advance()?, Advance::Line);
        Ok(is_line.then(|| self.splitter.line()))
    }

    /// Returns where to continue: at the beginning of the line that comes next. It does not matter how much of that
    /// line was read already. `None` only if the codec is not built in and does not tell its
    /// [state](crate::Decoder::state), or if it has decoded more than the line.
    ///
    /// [`Transcode::resume_lines`] continues there, with a reader that begins at its [offset](LineCheckpoint::offset).
    ///
    /// ```
    /// use charpipe::Transcode;
    ///
    /// // The second line begins in double-byte text.
    /// let log = b"\x0E\x45\x62\x0F\x25\xC1\x0E\x45\x66\x0F\x25";
    /// let job = Transcode::new().source_encoding("IBM939")?;
    /// let mut lines = job.lines(&log[..])?;
    /// lines.next_line()?;
    /// let at = lines.checkpoint().unwrap();
    /// assert_eq!((at.offset(), at.number(), at.encoding()), (5, 2, Some("IBM939")));
    ///
    /// let mut lines = Transcode::new().resume_lines(&log[at.offset() as usize..], &at)?;
    /// let line = lines.next_line()?.unwrap();
    /// assert_eq!((line.offset, line.number, &*line.text), (5, 2, "A本"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn checkpoint(&self) -> Option<LineCheckpoint> {
        self.splitter.checkpoint()
    }

    /// Returns the malformed input so far that the policy allowed; `None` before the encoding is known.
    pub fn faults(&self) -> Option<&Faults> {
        self.splitter.faults()
    }

    /// Returns the verdict of detection, once there is one. There is none after
    /// [`resume_lines`](Transcode::resume_lines).
    pub fn verdict(&self) -> Option<&Verdict> {
        self.splitter.verdict()
    }

    /// Returns the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.input
    }

    /// Returns the underlying reader. Bytes that are read from it directly are not part of any line.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// Returns the underlying reader, which was read beyond the last line.
    pub fn into_inner(self) -> R {
        self.input
    }
}

impl<R: Read> Lines<R> {
    /// Returns the next line; `None` at the end. The line is valid until the next call.
    ///
    /// [`io::ErrorKind::Interrupted`] is retried.
    ///
    /// # Errors
    /// As described [above](Lines#errors).
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, Error> {
        match self.advance_with(|input, spare| Poll::Ready(input.read(spare))) {
            Poll::Ready(is_line) => Ok(is_line?.then(|| self.line())),
            Poll::Pending => Ok(None),
        }
    }
}

impl<R> Lines<R> {
    pub(in crate::transcoder) fn of(job: &Transcode, input: R) -> Result<Self, Error> {
        Ok(Lines { input, splitter: Splitter::new(job)?, follows: false })
    }

    pub(in crate::transcoder) fn resumed(job: &Transcode, input: R, at: &LineCheckpoint) -> Result<Self, Error> {
        Ok(Lines { input, splitter: Splitter::resume(job, at)?, follows: false })
    }

    /// Returns the line that [`advance_with`](Self::advance_with) continued to.
    pub(in crate::transcoder) fn line(&self) -> Line<'_> {
        self.splitter.line()
    }

    /// Returns whether an error has ended the lines.
    pub(in crate::transcoder) fn is_failed(&self) -> bool {
        self.splitter.is_failed()
    }

    /// Continues to the next line, and returns whether there is one. `read` reads once from the input into a buffer; if
    /// it is pending, nothing is lost, and a later call continues.
    pub(in crate::transcoder) fn advance_with(
        &mut self,
        mut read: impl FnMut(&mut R, &mut [u8]) -> Poll<io::Result<usize>>,
    ) -> Poll<Result<bool, Error>> {
        loop {
            match self.splitter.advance()? {
                Advance::Line => return Poll::Ready(Ok(true)),
                Advance::Done => return Poll::Ready(Ok(false)),
                Advance::NeedInput if self.splitter.is_ended() => return Poll::Ready(Ok(false)),
                Advance::NeedInput => {}
            }
            let offset = self.splitter.read();
            match ready!(read(&mut self.input, self.splitter.spare())) {
                Ok(0) if self.follows => return Poll::Ready(Ok(false)),
                Ok(0) => self.splitter.end(),
                Ok(len) => self.splitter.fill(len),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Poll::Ready(Err(ErrorKind::Read { offset, source }.into())),
            }
        }
    }
}

/// With [`follow`](Lines::follow), `None` is not final.
impl<R: Read> Iterator for Lines<R> {
    type Item = Result<Line<'static>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_failed() {
            return None;
        }
        match self.next_line() {
            Ok(line) => line.map(|line| Ok(line.into_owned())),
            Err(error) => Some(Err(error)),
        }
    }
}

impl Transcode {
    /// Makes a reader of lines from `input`, with their offsets in it. The underlying reader can be borrowed
    /// (`&mut input`).
    ///
    /// Only the options of this job that concern the input apply. Labels are not changed.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder). [`ErrorKind::NotUtf8`] if the target is another charset.
    /// [`ErrorKind::Options`] for what lines do not have: records; a byte order mark; line ends to replace
    /// ([`eol`](Self::eol) with `Crlf` or `Nel`); control characters to replace; damaged text to repair; normalization;
    /// [`OnUnknown::Pass`](crate::OnUnknown::Pass); and [`strict`](Self::strict), because some warnings depend on the
    /// whole input.
    pub fn lines<R: Read>(&self, input: R) -> Result<Lines<R>, Error> {
        Lines::of(self, input)
    }

    /// Makes a reader of lines that continues at a [checkpoint](Lines::checkpoint). The next byte of `input` must be
    /// the one at its [offset](LineCheckpoint::offset). Offsets and numbers of lines continue;
    /// [`faults`](Lines::faults) begin anew.
    ///
    /// The encoding is that of the checkpoint, whatever this job says. Its other options count.
    ///
    /// # Errors
    /// Those of [`lines`](Self::lines). [`ErrorKind::UnknownLabel`] if no codec has the encoding of the checkpoint, and
    /// [`ErrorKind::Options`] if the checkpoint fits neither the encoding nor this job.
    pub fn resume_lines<R: Read>(&self, input: R, at: &LineCheckpoint) -> Result<Lines<R>, Error> {
        Lines::resumed(self, input, at)
    }
}
