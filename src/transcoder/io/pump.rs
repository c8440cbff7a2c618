//! The loop from `BufRead` to `Write`.

use crate::error::{Error, ErrorKind};
use crate::transcoder::{Report, Status, Transcode, Transcoder};
use std::io::{self, BufRead, Write};

/// Bytes of output between two writes. The size of the reads is the reader's. So large that the system hands it out zeroed
/// and page by page, as it is touched: a short run touches little.
pub(in crate::transcoder) const OUT_ROOM: usize = 256 * 1024;

/// Detects what `input` is encoded in and writes it to `output` in UTF-8, with its label made true.
///
/// The default of everything: policy `rfc7303`, and ill-formed input is an error. [`Transcode`] has the choices. A
/// reader or writer can be lent (`&mut reader`).
///
/// # Errors
/// What [`Transcode::run`] says.
///
/// ```
/// let input = b"\xFF\xFE<\x00?\x00x\x00m\x00l\x00 \x00v\x00e\x00r\x00s\x00i\x00o\x00n\x00=\x00'\x001\x00.\x000\x00'\x00?\x00>\x00";
/// let mut output = Vec::new();
/// let report = charpipe::transcode(&input[..], &mut output)?;
/// assert_eq!(output, b"<?xml version='1.0'?>");
/// assert_eq!(report.from.as_deref(), Some("UTF-16LE"));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn transcode<R: BufRead, W: Write>(input: R, output: W) -> Result<Report, Error> {
    Transcode::new().run(input, output)
}

impl Transcoder {
    /// Reads `input` to its end and writes what comes of it to `output`; flushes before every read that may block and
    /// at the end. [`io::ErrorKind::Interrupted`] is tried again.
    ///
    /// # Errors
    /// [`ErrorKind::Read`]: everything read was transcoded and written, and a later call with the same reader goes on.
    /// [`ErrorKind::Write`]: what was read is lost. Any other: all good output was written.
    pub fn run<R, W>(&mut self, input: &mut R, output: &mut W) -> Result<(), Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        if self.settings.jobs.get() > 1 && self.is_new() {
            return self.run_in_parts(input, output);
        }
        self.run_alone(input, output)
    }

    /// The same, by one job.
    pub(in crate::transcoder) fn run_alone<R, W>(&mut self, input: &mut R, output: &mut W) -> Result<(), Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let mut room = vec![0; OUT_ROOM];
        while !self.is_done() {
            self.flush(output)?;
            let src = match input.fill_buf() {
                Ok(src) => src,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(ErrorKind::Read { offset: self.report().bytes_in, source }.into()),
            };
            let eof = src.is_empty();
            let mut read = 0;
            let answer = loop {
                let step = match self.step(&src[read..], &mut room, eof) {
                    Ok(step) => step,
                    Err(error) => break Err(error),
                };
                read += step.read;
                if let Err(source) = output.write_all(&room[..step.written]) {
                    let written = self.report().bytes_out - step.written as u64;
                    break Err(ErrorKind::Write { written, source }.into());
                }
                if step.state != Status::NeedRoom {
                    break Ok(step.state);
                }
            };
            input.consume(read);
            match answer {
                Ok(_) => {}
                Err(error) => {
                    if !matches!(error.kind(), ErrorKind::Write { .. }) {
                        self.flush(output)?;
                    }
                    return Err(error);
                }
            }
        }
        self.flush(output)
    }

    pub(in crate::transcoder) fn flush<W: Write + ?Sized>(&self, output: &mut W) -> Result<(), Error> {
        loop {
            match output.flush() {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(ErrorKind::Write { written: self.report().bytes_out, source }.into()),
            }
        }
    }
}
