//! Tells whether one thread already converts at about the speed of memory. More threads would then gain nothing, and
//! their buffers would cost memory.

use std::time::Duration;

/// How many pieces of the head are timed. The first ones also wait for the system to map the buffers, so the fastest counts.
const TIMED_PIECES: u32 = 8;

/// A shorter piece is not worth timing, in bytes.
const MIN_TIMED_BYTES: usize = 32 * 1024;

/// The speed from which more threads gain nothing, in bytes per microsecond: 3 GB/s, of the input or of the output, whichever
/// is longer.
const MEMORY_SPEED: u128 = 3000;

/// How fast the head is converted.
#[derive(Default)]
pub(super) struct Pace {
    timed: u32,
    is_fast: bool,
}

impl Pace {
    /// Whether the time that it takes to convert `len` bytes of input says something, and is still to be learned.
    pub(super) fn wants(&self, len: usize) -> bool {
        // There is no clock on that target.
        len >= MIN_TIMED_BYTES && self.timed < TIMED_PIECES && !cfg!(target_family = "wasm")
    }

    /// Notes that `len` bytes of input or of output, whichever is longer, took `time`.
    pub(super) fn add(&mut self, len: usize, time: Duration) {
        self.timed += 1;
        self.is_fast |= len as u128 * 1_000_000 >= MEMORY_SPEED * time.as_nanos() * 1000;
    }

    /// Whether one thread is fast enough.
    pub(super) fn is_fast(&self) -> bool {
        #[cfg(test)]
        if tests::ALL_ARE_FAST.load(std::sync::atomic::Ordering::Relaxed) {
            return true;
        }
        self.is_fast
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcoder::{OnMalformed, Transcode};
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Set while a test does not want to depend on the clock.
    pub(super) static ALL_ARE_FAST: AtomicBool = AtomicBool::new(false);

    /// The output and the report are those of one job if the head turns out to be fast.
    #[test]
    fn fast_input_is_converted_by_one_job() {
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
            let alone = run(&several);
            ALL_ARE_FAST.store(false, Ordering::Relaxed);
            assert!(alone == expected && run(&several) == expected, "{block}");
        }
    }

    #[test]
    fn the_fastest_piece_counts() {
        let paced = |pieces: &[(usize, u64)]| {
            let mut pace = Pace::default();
            for (len, nanos) in pieces {
                assert!(pace.wants(*len));
                pace.add(*len, Duration::from_nanos(*nanos));
            }
            pace.is_fast
        };
        assert!(!paced(&[]) && !paced(&[(60_000, 20_001), (60_000, 90_000)]));
        assert!(paced(&[(60_000, 90_000), (60_000, 20_000), (60_000, 90_000)]));
        let mut pace = Pace::default();
        assert!(!pace.wants(MIN_TIMED_BYTES - 1));
        (0..TIMED_PIECES).for_each(|_| pace.add(MIN_TIMED_BYTES, Duration::from_secs(1)));
        assert!(!pace.wants(MIN_TIMED_BYTES));
    }
}
