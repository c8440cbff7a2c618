//! The whole command against others, as a user meets them: `charpipe`, `iconv`, `uconv` and, for the floor, `cat`.
//!
//! `cargo bench --bench process`; `README.md` explains what it prints. It exits with 1 where charpipe's output is not
//! byte for byte iconv's, or a stream takes more memory than is promised. Run without `--bench`, as
//! `cargo test --benches` does, it does the same on 1 MiB and measures no time.
//!
//! | variable | what | default |
//! |---|---|---|
//! | `CHARPIPE_BENCH_MIB` | size of each input file, in MiB | 128 |
//! | `CHARPIPE_BENCH_STREAM_MIB` | length of the streams of the memory check, in MiB | 1024 |
//! | `CHARPIPE_BENCH_ROUNDS` | how often everything is measured; the median counts | 7 |
//!
//! # How memory is measured
//!
//! By `VmHWM` of `/proc/PID/status`, the peak of the resident set. The peak that `wait4` reports would be simpler, but a
//! child's starts at its parent's, which is this program. Of the tools on files it is polled every half millisecond of
//! a run of its own that is not timed; what a tool allocates in its last half millisecond is missed. Of the streams it
//! is exact: they are held open at their end until everything before it has come out, and read then.

mod text;

use charpipe::Registry;
use charpipe::codec::{ByteSink, Stop};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use text::Kind;

/// A text of this many bytes is repeated to the wanted size: long enough that no branch predictor learns it by heart.
const BLOCK: usize = 1024 * 1024;
/// What one job may take at the most, whatever its length.
const MEMORY: u64 = 8 * 1024;

/// From where to where; the names are charpipe's own.
struct Job {
    from: &'static str,
    to: &'static str,
    kind: Kind,
}

const JOBS: &[Job] = &[
    Job { from: "IBM037", to: "UTF-8", kind: Kind::French },
    Job { from: "UTF-8", to: "IBM037", kind: Kind::French },
    Job { from: "IBM1388", to: "UTF-8", kind: Kind::Cjk },
    Job { from: "UTF-8", to: "IBM1388", kind: Kind::Cjk },
    Job { from: "UTF-16LE", to: "UTF-8", kind: Kind::French },
    Job { from: "UTF-16LE", to: "UTF-8", kind: Kind::Cjk },
    Job { from: "UTF-32BE", to: "UTF-8", kind: Kind::French },
    Job { from: "UTF-32BE", to: "UTF-8", kind: Kind::Cjk },
    Job { from: "UTF-8", to: "UTF-8", kind: Kind::English },
    Job { from: "UTF-8", to: "UTF-8", kind: Kind::French },
    Job { from: "UTF-8", to: "UTF-8", kind: Kind::Cjk },
];

impl Job {
    fn name(&self) -> String {
        format!("{} → {}, {}", self.from, self.to, self.kind.name())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Charpipe,
    Iconv,
    Uconv,
    Cat,
}

impl Tool {
    const ALL: [Tool; 4] = [Tool::Charpipe, Tool::Iconv, Tool::Uconv, Tool::Cat];

    fn program(self) -> &'static str {
        match self {
            Tool::Charpipe => env!("CARGO_BIN_EXE_charpipe"),
            Tool::Iconv => "iconv",
            Tool::Uconv => "uconv",
            Tool::Cat => "cat",
        }
    }

    fn name(self) -> &'static str {
        if self == Tool::Charpipe { "charpipe" } else { self.program() }
    }

    /// The name that the tool knows a charset by.
    fn label(self, charset: &'static str) -> &'static str {
        // To ICU `IBM037` is page 37 with the newline of z/OS.
        if self == Tool::Uconv && charset == "IBM037" { "ibm-37_P100-1995" } else { charset }
    }

    fn is_installed(self) -> bool {
        let asked = Command::new(self.program()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }

    /// The job on `file`; the output goes to `output`.
    fn command(self, job: &Job, file: &Path, output: Stdio) -> Command {
        let mut command = Command::new(self.program());
        if self != Tool::Cat {
            command.args(["-f", self.label(job.from), "-t", self.label(job.to)]);
        }
        command.arg(file).stdin(Stdio::null()).stdout(output);
        command
    }
}

fn main() -> ExitCode {
    if !cfg!(unix) {
        println!("process: skipped; the tools to compare with are those of Unix");
        return ExitCode::SUCCESS;
    }
    match run(std::env::args().any(|arg| arg == "--bench")) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|what| eprintln!("process: {what}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("process: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Everything; answers what failed.
fn run(measure: bool) -> io::Result<Vec<String>> {
    let size = |variable: &str, default: usize| {
        let set = std::env::var(variable).ok().and_then(|value| value.parse().ok());
        if measure { set.unwrap_or(default) } else { 1 }
    };
    let (mib, stream_mib) = (size("CHARPIPE_BENCH_MIB", 128), size("CHARPIPE_BENCH_STREAM_MIB", 1024));
    let rounds = size("CHARPIPE_BENCH_ROUNDS", 7);

    let mut tools = Tool::ALL.to_vec();
    tools.retain(|tool| {
        let here = tool.is_installed();
        if !here {
            println!("process: {} is not installed: left out", tool.name());
        }
        here
    });
    if !tools.contains(&Tool::Charpipe) {
        return Ok(vec!["charpipe --version fails".into()]);
    }
    let scratch = tempfile::tempdir()?;
    let mut failures = Vec::new();
    let mut results = Vec::new();
    for job in JOBS {
        let file = scratch.path().join("input");
        let len = write_repeated(&file, &encoded(job.from, &job.kind.text(BLOCK)), mib)?;
        if tools.contains(&Tool::Iconv) {
            failures.extend(difference(job, &file, scratch.path())?);
        }
        if measure {
            results.push(measured(job, &file, len, &tools, rounds)?);
        }
    }
    if tools.contains(&Tool::Iconv) && failures.is_empty() {
        println!("{} jobs on files of {mib} MiB: the output is iconv's, byte for byte", JOBS.len());
    }
    if measure {
        print_times(&tools, &results, rounds);
        print_memory(&tools, &results);
        print_starts(&tools, scratch.path())?;
    }
    println!("\nStreams of {stream_mib} MiB through a pipe and out of one; under {} MiB is promised\n", MEMORY / 1024);
    for job in JOBS.iter().filter(|job| job.kind == Kind::French) {
        failures.extend(stream(job, stream_mib)?);
    }
    Ok(failures)
}

/// The text in that charset.
fn encoded(charset: &str, text: &str) -> Vec<u8> {
    let codec = Registry::builtin().codec(charset).expect("a built-in codec");
    let mut encoder = codec.encoder().expect("one that encodes");
    let mut room = vec![0; 4 * text.len()];
    let mut sink = ByteSink::new(&mut room);
    let step = encoder.feed(text, &mut sink);
    assert_eq!(step.stop, Stop::InputEmpty, "{charset} holds the text");
    let len = sink.written();
    room.truncate(len);
    room.shrink_to_fit();
    room
}

/// Writes `block` as often as makes so many MiB, whole blocks; answers the bytes.
fn write_repeated(path: &Path, block: &[u8], mib: usize) -> io::Result<usize> {
    let mut file = File::create(path)?;
    let times = (mib * 1024 * 1024).div_ceil(block.len());
    for _ in 0..times {
        file.write_all(block)?;
    }
    // Writing back must not go on under the measurements.
    file.sync_all()?;
    Ok(times * block.len())
}

/// What is different between the output of charpipe and of iconv.
fn difference(job: &Job, file: &Path, scratch: &Path) -> io::Result<Option<String>> {
    let mut outputs = Vec::new();
    for tool in [Tool::Charpipe, Tool::Iconv] {
        let output = scratch.join(tool.name());
        let status = tool.command(job, file, File::create(&output)?.into()).status()?;
        if !status.success() {
            return Ok(Some(format!("{}: {} fails with {status}", job.name(), tool.name())));
        }
        outputs.push(output);
    }
    let same = same_bytes(&outputs[0], &outputs[1])?;
    outputs.iter().try_for_each(fs::remove_file)?;
    Ok((!same).then(|| format!("{}: the output is not iconv's", job.name())))
}

fn same_bytes(one: &PathBuf, other: &PathBuf) -> io::Result<bool> {
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

/// A job's results, tool by tool.
struct Measured {
    job: &'static Job,
    /// Bytes of input.
    len: usize,
    /// Seconds of each round.
    times: Vec<Vec<f64>>,
    /// Peaks in KiB, where the system tells.
    peaks: Vec<Option<u64>>,
}

fn measured(job: &'static Job, file: &Path, len: usize, tools: &[Tool], rounds: usize) -> io::Result<Measured> {
    let mut times = vec![Vec::new(); tools.len()];
    let mut peaks = vec![Vec::new(); tools.len()];
    for round in 0..rounds {
        for (index, &tool) in tools.iter().enumerate() {
            let mut command = tool.command(job, file, Stdio::null());
            let start = Instant::now();
            let status = command.status()?;
            times[index].push(start.elapsed().as_secs_f64());
            assert!(status.success(), "{}: {} fails with {status}", job.name(), tool.name());
            if round < 3 {
                peaks[index].push(polled_peak(command.spawn()?)?);
            }
        }
    }
    let peaks = peaks.into_iter().map(|peaks| peaks.into_iter().max().flatten()).collect();
    Ok(Measured { job, len, times, peaks })
}

/// The highest `VmHWM` seen until the child ended.
fn polled_peak(mut child: Child) -> io::Result<Option<u64>> {
    let mut highest = None;
    while child.try_wait()?.is_none() {
        highest = highest.max(peak(child.id()));
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(highest)
}

/// `VmHWM` of a process that runs, in KiB.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn print_times(tools: &[Tool], results: &[Measured], rounds: usize) {
    println!("\nMB of input a second, whole process, median of {rounds}; `×` is charpipe's speed over the tool's\n");
    print!("| {:26} |", "job");
    tools.iter().for_each(|tool| print!(" {:>15} |", tool.name()));
    print!("\n|{:-<28}|", "");
    tools.iter().for_each(|_| print!("{:->16}:|", ""));
    println!();
    for result in results {
        print!("| {:26} |", result.job.name());
        for (index, times) in result.times.iter().enumerate() {
            let rate = result.len as f64 / median(times.iter().copied()) / 1e6;
            // Of each round by itself: tools that ran one after the other share the noise.
            let ratio = median(times.iter().zip(&result.times[0]).map(|(this, own)| this / own));
            match index {
                0 => print!(" {rate:15.0} |"),
                _ => print!(" {:>15} |", format!("{rate:.0} (×{ratio:.2})")),
            }
        }
        println!();
    }
}

fn print_memory(tools: &[Tool], results: &[Measured]) {
    println!("\nPeak memory on those files, MiB\n");
    print!("| {:26} |", "job");
    tools.iter().for_each(|tool| print!(" {:>8} |", tool.name()));
    print!("\n|{:-<28}|", "");
    tools.iter().for_each(|_| print!("{:->9}:|", ""));
    println!();
    for result in results {
        print!("| {:26} |", result.job.name());
        for peak in &result.peaks {
            match peak {
                Some(kib) => print!(" {:8.1} |", *kib as f64 / 1024.0),
                None => print!(" {:>8} |", "?"),
            }
        }
        println!();
    }
}

/// How long a file of ten bytes takes: the start of the process, and of its tables.
fn print_starts(tools: &[Tool], scratch: &Path) -> io::Result<()> {
    const ROUNDS: usize = 300;
    let file = scratch.join("ten");
    println!("\nA file of ten bytes, microseconds, median of {ROUNDS}; `×` is charpipe's time over the tool's\n");
    print!("| {:26} |", "job");
    tools.iter().for_each(|tool| print!(" {:>15} |", tool.name()));
    print!("\n|{:-<28}|", "");
    tools.iter().for_each(|_| print!("{:->16}:|", ""));
    println!();
    for (from, to) in [("UTF-8", "UTF-8"), ("IBM037", "UTF-8"), ("IBM1388", "UTF-8"), ("UTF-8", "IBM1388")] {
        let job = Job { from, to, kind: Kind::English };
        fs::write(&file, encoded(from, "Ten bytes."))?;
        let mut times = vec![Vec::new(); tools.len()];
        for _ in 0..ROUNDS {
            for (times, &tool) in times.iter_mut().zip(tools) {
                let mut command = tool.command(&job, &file, Stdio::null());
                let start = Instant::now();
                let status = command.status()?;
                times.push(start.elapsed().as_secs_f64());
                assert!(status.success(), "{}: {} fails with {status}", job.name(), tool.name());
            }
        }
        print!("| {:26} |", format!("{from} → {to}"));
        for (index, own) in times.iter().enumerate() {
            let micros = median(own.iter().copied()) * 1e6;
            let ratio = median(times[0].iter().zip(own).map(|(charpipe, this)| charpipe / this));
            match index {
                0 => print!(" {micros:15.0} |"),
                _ => print!(" {:>15} |", format!("{micros:.0} (×{ratio:.2})")),
            }
        }
        println!();
    }
    Ok(())
}

/// Sends a stream through charpipe, compares what comes out, and says what was wrong with it or with the memory.
fn stream(job: &Job, mib: usize) -> io::Result<Option<String>> {
    let text = job.kind.text(BLOCK);
    let (input, expected) = (encoded(job.from, &text), encoded(job.to, &text));
    drop(text);
    let times = (mib * 1024 * 1024).div_ceil(input.len());
    let total = (times * expected.len()) as u64;

    let mut child = Command::new(Tool::Charpipe.program())
        .args(["-f", job.from, "-t", job.to])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let pid = child.id();
    let (mut stdin, mut stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let came = AtomicU64::new(0);
    let start = Instant::now();
    let (fed, same) = std::thread::scope(|scope| {
        let feeder = scope.spawn(|| -> io::Result<(Option<u64>, f64)> {
            for _ in 0..times {
                stdin.write_all(&input)?;
            }
            // All of it is to come out before the end of the input is there to be seen.
            while came.load(Ordering::Acquire) < total && start.elapsed() < Duration::from_secs(600) {
                std::thread::sleep(Duration::from_micros(200));
                if peak(pid).is_none() && cfg!(target_os = "linux") {
                    break;
                }
            }
            let seconds = start.elapsed().as_secs_f64();
            let highest = peak(pid);
            drop(stdin);
            Ok((highest, seconds))
        });
        let same = compare_repeated(&mut stdout, &expected, &came);
        (feeder.join().expect("the feeder does not panic"), same)
    });
    let status = child.wait()?;
    let name = job.name();
    if !status.success() {
        return Ok(Some(format!("{name}, stream: charpipe fails with {status}")));
    }
    let (highest, seconds) = fed?;
    if !same? || came.load(Ordering::Acquire) != total {
        return Ok(Some(format!("{name}, stream: wrong output")));
    }
    let rate = (times * input.len()) as f64 / seconds / 1e6;
    let Some(kib) = highest else {
        println!("{name:26} {rate:6.0} MB/s; peak unknown: no /proc");
        return Ok(None);
    };
    println!("{name:26} {rate:6.0} MB/s; peak {:.1} MiB", kib as f64 / 1024.0);
    Ok((kib >= MEMORY).then(|| format!("{name}, stream: {kib} KiB of memory, {MEMORY} are promised")))
}

/// Whether `output` is `block` over and over, to its end; counts in `came` what was read.
fn compare_repeated(output: &mut impl Read, block: &[u8], came: &AtomicU64) -> io::Result<bool> {
    let mut room = vec![0; 64 * 1024];
    let mut at = 0;
    let mut same = true;
    loop {
        let len = output.read(&mut room)?;
        if len == 0 {
            return Ok(same);
        }
        let mut rest = &room[..len];
        while !rest.is_empty() {
            let take = rest.len().min(block.len() - at);
            same &= rest[..take] == block[at..at + take];
            rest = &rest[take..];
            at = (at + take) % block.len();
        }
        came.fetch_add(len as u64, Ordering::Release);
    }
}
