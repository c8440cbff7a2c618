//! The time of a call, by the clock and by the processor.
#![allow(dead_code, reason = "each benchmark uses a part")]

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

/// Returns the seconds of processor time that this thread has used; by the clock where the system does not say.
pub fn processor() -> f64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    // The system counts what a thread has used when it leaves the processor.
    std::thread::yield_now();
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    used.map_or_else(|| BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}
