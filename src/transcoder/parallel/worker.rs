//! Converts one part of the input.

use super::block::{Block, enlarge};
use crate::codec::PageBuffer;
use crate::error::Error;
use crate::transcoder::io::pump::PUMP_BUFFER_BYTES;
use crate::transcoder::report::Report;
use crate::transcoder::{Status, Transcoder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// A part to convert.
pub(super) struct Work {
    pub(super) transcoder: Transcoder,
    pub(super) input: Block,
    /// Nothing follows the part.
    pub(super) is_last: bool,
    /// A buffer for the output.
    pub(super) output: PageBuffer,
    /// The most bytes of output.
    pub(super) limit: usize,
    pub(super) done: Sender<Converted>,
}

/// A part that was worked on.
pub(super) struct Converted {
    pub(super) input: Block,
    /// The output, and free space after it: [`Report::bytes_out`] says how much is output.
    pub(super) output: PageBuffer,
    /// The report, if the part counts: it was converted without an error, and it ends at a boundary.
    pub(super) report: Option<Box<Report>>,
}

impl Work {
    /// Converts the part, unless `stop` is set by then.
    pub(super) fn run(mut self, stop: &AtomicBool) {
        let mut report = None;
        if !stop.load(Ordering::Relaxed) {
            // A panic of a codec is caught here; the fallback run reproduces it at the right place.
            let counts = catch_unwind(AssertUnwindSafe(|| self.convert()));
            if matches!(counts, Ok(Ok(true))) {
                report = Some(Box::new(self.transcoder.report().clone()));
            }
        }
        // If the run is over, there is no receiver.
        _ = self.done.send(Converted { input: self.input, output: self.output, report });
    }

    /// Returns whether the part counts.
    fn convert(&mut self) -> Result<bool, Error> {
        let Work { transcoder, input, output, .. } = self;
        let (mut read, mut written) = (0, 0);
        loop {
            if output.len() < written + PUMP_BUFFER_BYTES {
                let len = (2 * output.len()).max(written + input.len() + PUMP_BUFFER_BYTES);
                enlarge(output, written, len);
            }
            let eof = self.is_last && read == input.len();
            let step = transcoder.step(&input[read..], &mut output[written..], eof)?;
            read += step.read;
            written += step.written;
            if written > self.limit {
                return Ok(false);
            }
            match step.state {
                Status::Done => return Ok(true),
                Status::NeedInput if read < input.len() || (self.is_last && !eof) => {}
                Status::NeedInput => break,
                Status::NeedRoom => {}
            }
        }
        enlarge(output, written, written + PUMP_BUFFER_BYTES);
        transcoder.flush_text(&mut output[written..])?;
        Ok(!self.is_last && transcoder.is_at_boundary())
    }
}
