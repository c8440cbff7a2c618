//! The time of a call, for benchmarks of small things.

use std::time::Instant;

/// Returns the nanoseconds of one of `times` calls, in the fastest of `rounds`.
pub fn fastest(rounds: usize, times: usize, mut run: impl FnMut()) -> f64 {
    let times = if rounds == 1 { 1 } else { times };
    let round = |_| {
        let begun = Instant::now();
        (0..times).for_each(|_| run());
        begun.elapsed().as_secs_f64() * 1e9 / times as f64
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}
