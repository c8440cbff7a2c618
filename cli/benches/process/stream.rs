//! Streams data through charpipe, from this program and back, and reads the peak memory at the end.

use crate::run::peak_now;
use crate::tools::Tool;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The cost of a stream.
pub(crate) struct Taken {
    /// Seconds until all output had arrived, or until the end of the process if the input was not held open.
    pub(crate) seconds: f64,
    /// Peak memory in KiB, if the system reports it.
    pub(crate) peak: Option<u64>,
}

/// How long to wait for output before the end of the input is signalled: charpipe holds back the first bytes of a
/// stream, because detection may depend on the bytes after them.
const PATIENCE: Duration = Duration::from_millis(200);

/// Sends `input` `times` times and compares the output with `expected` repeated as often. Returns the cost, or a
/// message if the output is wrong. If `holds`, the input is kept open until all output has arrived, so that the peak
/// can be read.
pub(crate) fn stream(
    from: &str,
    to: &str,
    input: &[u8],
    expected: &[u8],
    times: usize,
    holds: bool,
) -> io::Result<Result<Taken, String>> {
    let total = (times * expected.len()) as u64;
    let start = Instant::now();
    let mut child = Command::new(Tool::Charpipe.program())
        .args(["-f", from, "-t", to])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let pid = child.id();
    let (mut stdin, mut stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let received = AtomicU64::new(0);
    let (fed, same) = std::thread::scope(|scope| {
        let feeder = scope.spawn(|| -> io::Result<Taken> {
            for _ in 0..times {
                stdin.write_all(input)?;
            }
            let (mut before, mut since) = (0, Instant::now());
            while holds && before < total && since.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_micros(100));
                let now = received.load(Ordering::Acquire);
                if now > before {
                    (before, since) = (now, Instant::now());
                }
            }
            let taken = Taken { seconds: start.elapsed().as_secs_f64(), peak: peak_now(pid).filter(|_| holds) };
            drop(stdin);
            Ok(taken)
        });
        let same = compare_repeated(&mut stdout, expected, &received);
        (feeder.join().expect("the feeder does not panic"), same)
    });
    let status = child.wait()?;
    if !status.success() {
        return Ok(Err(format!("charpipe fails with {status}")));
    }
    let mut taken = fed?;
    if !holds {
        taken.seconds = start.elapsed().as_secs_f64();
    }
    if !same? || received.load(Ordering::Acquire) != total {
        return Ok(Err("wrong output".into()));
    }
    Ok(Ok(taken))
}

/// Returns whether `output` consists of `block` repeated until the end. Counts the bytes read in `received`.
fn compare_repeated(output: &mut impl Read, block: &[u8], received: &AtomicU64) -> io::Result<bool> {
    let mut buffer = vec![0; 64 * 1024];
    let mut at = 0;
    let mut same = true;
    loop {
        let len = output.read(&mut buffer)?;
        if len == 0 {
            return Ok(same);
        }
        let mut rest = &buffer[..len];
        while !rest.is_empty() {
            let take = rest.len().min(block.len() - at);
            same &= rest[..take] == block[at..at + take];
            rest = &rest[take..];
            at = (at + take) % block.len();
        }
        received.fetch_add(len as u64, Ordering::Release);
    }
}
