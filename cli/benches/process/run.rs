//! Running commands: their time, their output and their peak of memory.
//!
//! # How memory is measured
//!
//! By `VmHWM` of `/proc/PID/status`, the peak of the resident set. The peak that `wait4` reports would be simpler, but a
//! child's starts at its parent's, which is this program. Of the tools on files it is polled every half millisecond of
//! a run of its own that is not timed; what a tool allocates in its last half millisecond is missed. Of the streams it
//! is exact: they are held open at their end until everything before it has come out, and read then.

use crate::tools::Line;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a run took, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Until all of it had ended.
    pub(crate) wall: f64,
    /// Of CPU, all of its processes together; not a number where the system does not tell.
    pub(crate) cpu: f64,
}

/// Runs a pipeline with its output to `/dev/null`.
pub(crate) fn cost(lines: &[Line]) -> io::Result<Cost> {
    let start = Instant::now();
    let mut children: Vec<Child> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut command = line.command()?;
        if let Some(before) = children.last_mut().and_then(|before| before.stdout.take()) {
            command.stdin(before);
        }
        command.stdout(if index + 1 < lines.len() { Stdio::piped() } else { Stdio::null() });
        // Its end is that of the process, which is seen there without being waited for.
        children.push(command.stderr(Stdio::piped()).spawn()?);
    }
    let mut cost = Cost { wall: 0.0, cpu: 0.0 };
    for child in &mut children {
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said)?;
        cost.cpu += cpu_of_ended(child.id()).unwrap_or(f64::NAN);
        expect_success(child.wait()?, &said)?;
    }
    cost.wall = start.elapsed().as_secs_f64();
    Ok(cost)
}

/// The seconds of CPU that a process took which has just ended and is not yet waited for; of one thread alone.
fn cpu_of_ended(pid: u32) -> Option<f64> {
    for _ in 0..10_000 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The state follows the name in brackets.
        if stat.rsplit_once(')')?.1.trim_start().starts_with('Z') {
            let times = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
            return Some(times.split(' ').next()?.parse::<f64>().ok()? / 1e9);
        }
        std::thread::yield_now();
    }
    None
}

/// Runs a command with its output into a file, or away; answers its peak in KiB, where the system tells.
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

fn expect_success(status: ExitStatus, said: &str) -> io::Result<()> {
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("a command fails with {status}: {said}"))) }
}

/// `VmHWM` of a process that runs, in KiB.
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

/// The middle one; not a number where there is none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
