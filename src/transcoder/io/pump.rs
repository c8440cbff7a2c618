//! The loop from `BufRead` to `Write`.

use super::next_chunk;
use crate::codec::PageBuffer;
use crate::error::{Error, ErrorKind};
use crate::transcoder::{Status, Transcoder};
use std::io::{self, BufRead, Write};
use std::mem::take;

/// The size of the output buffer, which is the most output between two writes, in bytes. (The reader decides on the size of
/// the reads.) So large that the system returns zeroed pages that are mapped when they are touched: a short run touches
/// few of them.
pub(in crate::transcoder) const PUMP_BUFFER_BYTES: usize = 256 * 1024;

/// The least size of the output buffer: less than a page.
const SHORT_BUFFER_BYTES: usize = 4095;

/// The size of the longest output buffer that is kept for the next input.
const KEPT_BUFFER_BYTES: usize = 16 * 1024;

/// Makes `buffer` large enough for the output of `read` bytes, unless they become more than four times as long, as in few
/// charsets. It is not made larger than that: memory that the process has already must be cleared, which takes longer than
/// to convert a short file.
pub(in crate::transcoder) fn make_room(buffer: &mut PageBuffer, read: usize) {
    let len = 4 * read.min(PUMP_BUFFER_BYTES / 4);
    let len = if len <= SHORT_BUFFER_BYTES { SHORT_BUFFER_BYTES } else { len.next_power_of_two() };
    if buffer.len() < len {
        *buffer = PageBuffer::for_output(len);
    }
}

impl Transcoder {
    /// Does what [`run`](Self::run) does, in this thread.
    ///
    /// # Errors
    /// As of `run`.
    pub(in crate::transcoder) fn run_alone<R, W>(&mut self, input: &mut R, output: &mut W) -> Result<(), Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let mut buffer = take(&mut self.run.buffer);
        while !self.is_done() {
            self.flush(output)?;
            next_chunk(input, self.report().bytes_in, |chunk| {
                make_room(&mut buffer, chunk.len());
                let (read, fed) = self.deliver(chunk, chunk.is_empty(), &mut buffer, &mut 0, output);
                (read, fed)
            })??;
        }
        if buffer.len() <= KEPT_BUFFER_BYTES {
            self.run.buffer = buffer;
        }
        self.flush(output)
    }

    /// Takes `src` and writes its output, except the first `skip` bytes. Returns how many bytes it took, and
    /// whether the run is done. On an error, all output before it is flushed.
    pub(in crate::transcoder) fn deliver<W: Write + ?Sized>(
        &mut self,
        src: &[u8],
        eof: bool,
        buffer: &mut [u8],
        skip: &mut u64,
        output: &mut W,
    ) -> (usize, Result<bool, Error>) {
        let mut read = 0;
        loop {
            let step = match self.step(&src[read..], buffer, eof) {
                Ok(step) => step,
                Err(error) => return (read, Err(self.flush(output).err().unwrap_or(error))),
            };
            read += step.read;
            let known = (step.written as u64).min(*skip);
            *skip -= known;
            if let Err(error) = self.write(&buffer[known as usize..step.written], output) {
                return (read, Err(error));
            }
            if step.state != Status::NeedRoom {
                return (read, Ok(step.state == Status::Done));
            }
        }
    }

    /// Writes `bytes`, the last that [`step`](Self::step) made.
    ///
    /// # Errors
    /// [`ErrorKind::Write`].
    pub(in crate::transcoder) fn write<W: Write + ?Sized>(&self, bytes: &[u8], output: &mut W) -> Result<(), Error> {
        output.write_all(bytes).map_err(|source| {
            let written = self.report().bytes_out - bytes.len() as u64;
            ErrorKind::Write { written, source }.into()
        })
    }

    /// Flushes `output`. [`io::ErrorKind::Interrupted`] is retried.
    ///
    /// # Errors
    /// [`ErrorKind::Write`].
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
