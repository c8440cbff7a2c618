//! Runs commands and measures their time, their output and their peak memory.
//!
//! # How memory is measured
//!
//! From `VmHWM` in `/proc/PID/status`, the peak of the resident set. The peak that `wait4` reports would be simpler,
//! but the peak of a child process starts at that of its parent, which is this program. For the tools that read files,
//! `VmHWM` is polled every half millisecond, in a separate run that is not timed; memory allocated in the last half
//! millisecond is missed. For the streams the value is exact: their input is kept open until all output has arrived,
//! and the peak is read then.

use crate::tools::Line;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The duration of a run, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Time until all processes had ended.
    pub(crate) wall: f64,
    /// CPU time of all processes together, user and system; NaN if the system does not report it.
    pub(crate) cpu: f64,
}

/// Runs a pipeline with its output to `/dev/null`.
pub(crate) fn cost(lines: &[Line]) -> io::Result<Cost> {
    let (start, cpu_before) = (Instant::now(), cpu_of_children());
    let mut children: Vec<Child> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut command = line.command()?;
        if let Some(before) = children.last_mut().and_then(|before| before.stdout.take()) {
            command.stdin(before);
        }
        command.stdout(if index + 1 < lines.len() { Stdio::piped() } else { Stdio::null() });
        children.push(command.stderr(Stdio::piped()).spawn()?);
    }
    for child in &mut children {
        let mut stderr = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut stderr)?;
        expect_success(child.wait()?, &stderr)?;
    }
    Ok(Cost { wall: start.elapsed().as_secs_f64(), cpu: cpu_of_children() - cpu_before })
}

/// Returns the CPU seconds of all child processes that have ended and were waited for, with all their threads.
#[cfg(unix)]
fn cpu_of_children() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};

    let seconds = |usage: nix::sys::resource::Usage| {
        let times = [usage.user_time(), usage.system_time()];
        times.iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum()
    };
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(f64::NAN, seconds)
}

#[cfg(not(unix))]
fn cpu_of_children() -> f64 {
    f64::NAN
}

/// Runs a command with its output into a file, or discarded; returns its peak memory in KiB if the system reports it.
pub(crate) fn peak(line: &Line, output: Option<&Path>) -> io::Result<Option<u64>> {
    let output = match output {
        Some(path) => File::create(path)?.into(),
        None => Stdio::null(),
    };
    let mut child = line.command()?.stdout(output).stderr(Stdio::null()).spawn()?;
    let mut highest = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        highest = highest.max(peak_now(child.id()));
        std::thread::sleep(Duration::from_micros(500));
    };
    expect_success(status, "")?;
    Ok(highest)
}

fn expect_success(status: ExitStatus, stderr: &str) -> io::Result<()> {
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("a command fails with {status}: {stderr}"))) }
}

/// Returns `VmHWM` of a running process, in KiB.
pub(crate) fn peak_now(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

pub(crate) fn same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let len = one.read(&mut left)?;
        if len == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..len])?;
        if left[..len] != right[..len] {
            return Ok(false);
        }
    }
}

/// Returns the median; NaN if there are no values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the least value; NaN if there are none.
pub(crate) fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NAN, f64::min)
}
