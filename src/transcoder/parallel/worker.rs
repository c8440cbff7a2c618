//! Converts one part of the input.

use crate::error::Error;
use crate::transcoder::io::pump::PUMP_BUFFER_BYTES;
use crate::transcoder::report::Report;
use crate::transcoder::{Status, Transcoder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// A part to convert.
pub(super) struct Work {
    pub(super) transcoder: Transcoder,
    pub(super) input: Vec<u8>,
    /// Nothing follows the part.
    pub(super) is_last: bool,
    /// A buffer for the output.
    pub(super) output: Vec<u8>,
    /// The most bytes of output.
    pub(super) limit: usize,
    pub(super) done: Sender<Converted>,
}

/// A part that was worked on.
pub(super) struct Converted {
    pub(super) input: Vec<u8>,
    /// The output, and free space after it: [`Report::bytes_out`] says how much is output.
    pub(super) output: Vec<u8>,
    /// The report, if the part counts: it was converted without an error, and it ends at a boundary.
    pub(super) report: Option<Box<Report>>,
    /// It was converted about as fast as memory is.
    pub(super) is_fast: bool,
}

/// The speed from which memory is the limit, and a second thread gains nothing: 4 GB/s, in bytes per nanosecond, of the
/// input or of the output, whichever is longer.
const MEMORY_SPEED: u128 = 4;

/// A shorter part is not worth timing, in bytes.
const MIN_TIMED_BYTES: usize = 512 * 1024;

fn is_fast(bytes: usize, time: Duration) -> bool {
    #[cfg(test)]
    if tests::ALL_ARE_FAST.load(Ordering::Relaxed) {
        return true;
    }
    bytes >= MIN_TIMED_BYTES && bytes as u128 >= MEMORY_SPEED * time.as_nanos()
}

impl Work {
    /// Converts the part, unless `stop` is set by then.
    pub(super) fn run(mut self, stop: &AtomicBool) {
        let (mut report, mut is_quick) = (None, false);
        // The first part in a buffer also waits for the system to map the buffer.
        let is_warm = self.output.len() >= self.input.len() && !cfg!(target_family = "wasm");
        if !stop.load(Ordering::Relaxed) {
            // A panic of a codec is caught here; the fallback run reproduces it at the right place.
            let begun = is_warm.then(Instant::now);
            let counts = catch_unwind(AssertUnwindSafe(|| self.convert()));
            if matches!(counts, Ok(Ok(true))) {
                let part = self.transcoder.report().clone();
                let bytes = self.input.len().max(part.bytes_out as usize);
                is_quick = begun.is_some_and(|begun| is_fast(bytes, begun.elapsed()));
                report = Some(Box::new(part));
            }
        }
        // If the run is over, there is no receiver.
        _ = self.done.send(Converted { input: self.input, output: self.output, report, is_fast: is_quick });
    }

    /// Returns whether the part counts.
    fn convert(&mut self) -> Result<bool, Error> {
        let Work { transcoder, input, output, .. } = self;
        let (mut read, mut written) = (0, 0);
        loop {
            if output.len() < written + PUMP_BUFFER_BYTES {
                output.resize((2 * output.len()).max(written + input.len() + PUMP_BUFFER_BYTES), 0);
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
        output.resize(output.len().max(written + PUMP_BUFFER_BYTES), 0);
        transcoder.flush_text(&mut output[written..])?;
        Ok(!self.is_last && transcoder.is_at_boundary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OnMalformed, Transcode};
    use std::num::NonZeroUsize;

    /// Set while a test does not want to depend on the clock.
    pub(super) static ALL_ARE_FAST: AtomicBool = AtomicBool::new(false);

    /// The output and the report are those of one job, wherever the parts are given up.
    #[test]
    fn fast_parts_are_given_up() {
        let mut input: Vec<u8> = "Grüße, €, 漢字\n".bytes().cycle().take(90_000).collect();
        (0..input.len()).step_by(997).for_each(|at| input[at] = 0xFF);
        let one = Transcode::new().source_encoding("UTF-8").unwrap().on_malformed(OnMalformed::Replace);
        let run = |job: &Transcode| {
            let mut output = Vec::new();
            let report = job.run(&input[..], &mut output).unwrap();
            (output, report.malformed, report.bytes_in, report.bytes_out)
        };
        let expected = run(&one);
        for block in [700, 4096, 20_000] {
            let several = one.clone().jobs(NonZeroUsize::new(2).unwrap()).block_bytes(block);
            ALL_ARE_FAST.store(true, Ordering::Relaxed);
            let given_up = run(&several);
            ALL_ARE_FAST.store(false, Ordering::Relaxed);
            assert!(given_up == expected, "{block}");
        }
    }

    #[test]
    fn what_counts_as_fast() {
        for (mib, micros, expected) in
            [(1, 262, true), (1, 263, false), (4, 1048, true), (4, 1049, false), (1, 0, true)]
        {
            assert_eq!(is_fast(mib << 20, Duration::from_micros(micros)), expected, "{mib} MiB in {micros} µs");
        }
        assert!(!is_fast(MIN_TIMED_BYTES - 1, Duration::ZERO));
    }
}
