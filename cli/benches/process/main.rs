//! Compares the whole command with other tools, as a user runs them: `charpipe`, `iconv`, `uconv`, `recode`, `dd` and,
//! as a lower limit, `cat`.
//!
//! `cargo bench --bench process [-- PART...]`; `benches/README.md` explains its output. It exits with 1 if charpipe's
//! output is wrong or if a stream takes more memory than promised. A speed goal that is not met is only reported. Run
//! without `--bench`, as by `cargo test --benches`, it makes the same checks with 1 MiB and measures no times.
//!
//! | part | what it measures |
//! |---|---|
//! | `files` | files of every kind, to `/dev/null` |
//! | `charsets` | the charsets of East Asia, with texts of several forms |
//! | `records` | the same with records, for the tools that can convert them |
//! | `reframed` | records to records, compared with the same records to lines |
//! | `jobs` | `--jobs 2` compared with `--jobs 1` |
//! | `pipe` | in a pipe between two `cat` |
//! | `starts` | files of ten bytes |
//! | `many` | 10,000 files of 2 KiB |
//! | `streams` | long streams, and their memory |
//! | `sizes` | streams from 1 KiB to 4 GiB; runs only if it is named |
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `CHARPIPE_BENCH_MIB` | size of each input file, in MiB | 256 |
//! | `CHARPIPE_BENCH_STREAM_MIB` | length of the streams of the memory check, in MiB | 1024 |
//! | `CHARPIPE_BENCH_LARGEST_MIB` | the largest of the sizes, in MiB | 4096 |
//! | `CHARPIPE_BENCH_ROUNDS` | number of measurements; the median counts | 7 |
//! | `CHARPIPE_BENCH_CHARSETS` | the charsets of the part `charsets` that are measured, separated by commas | all |
//! | `CHARPIPE_BENCH_START` | another program that the part `starts` measures, such as the static command | the one that was built |
//! | `CHARPIPE_ISA` | the instruction set that charpipe uses | in `files` all that the machine has, a row for each; in the other parts the largest |

mod charsets;
mod input;
mod many;
mod parts;
#[path = "../program/mod.rs"]
mod program;
mod run;
mod stream;
mod table;
#[path = "../../../benches/text/mod.rs"]
mod text;
mod tools;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use tools::Tool;

/// What is measured, with which sizes.
struct Plan {
    /// The directory of the files.
    scratch: tempfile::TempDir,
    /// The tools, charpipe first.
    tools: Vec<Tool>,
    /// Whether times are measured, or only the output is checked.
    measures: bool,
    mib: usize,
    stream_mib: usize,
    largest_mib: usize,
    rounds: usize,
}

impl Plan {
    fn new(measures: bool) -> io::Result<Plan> {
        if measures {
            program::build()?;
        }
        let size = |variable: &str, default: usize| {
            let set = std::env::var(variable).ok().and_then(|value| value.parse().ok());
            if measures { set.unwrap_or(default) } else { 1 }
        };
        let mut tools = Tool::ALL.to_vec();
        tools.retain(|tool| {
            let here = tool.is_installed();
            if !here {
                println!("process: {} is not installed and is left out", tool.name());
            }
            here
        });
        Ok(Plan {
            scratch: tempfile::tempdir()?,
            tools,
            measures,
            mib: size("CHARPIPE_BENCH_MIB", 256),
            stream_mib: size("CHARPIPE_BENCH_STREAM_MIB", 1024),
            largest_mib: size("CHARPIPE_BENCH_LARGEST_MIB", 4096),
            rounds: size("CHARPIPE_BENCH_ROUNDS", 7),
        })
    }

    fn path(&self) -> &Path {
        self.scratch.path()
    }

    fn has(&self, tool: Tool) -> bool {
        self.tools.contains(&tool)
    }
}

/// A part: its name, whether it only measures time, and its function, which returns the failures.
type Part = (&'static str, bool, fn(&Plan) -> io::Result<Vec<String>>);

const PARTS: &[Part] = &[
    ("files", false, parts::files),
    ("charsets", false, charsets::charsets),
    ("records", false, parts::records),
    ("reframed", false, parts::reframed),
    ("jobs", false, parts::jobs),
    ("pipe", true, parts::pipe),
    ("starts", true, parts::starts),
    ("many", false, many::many),
    ("streams", false, parts::streams),
    ("sizes", true, parts::sizes),
];

fn main() -> ExitCode {
    if !cfg!(unix) {
        println!("process: skipped; the other tools exist only on Unix");
        return ExitCode::SUCCESS;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<&str> = args.iter().map(String::as_str).filter(|arg| !arg.starts_with('-')).collect();
    if let Some(unknown) = asked.iter().find(|part| !PARTS.iter().any(|(name, ..)| name == *part)) {
        eprintln!("process: there is no part {unknown}");
        return ExitCode::FAILURE;
    }
    match run(args.iter().any(|arg| arg == "--bench"), &asked) {
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

/// Runs the parts that were named, or all except the longest; returns the failures.
fn run(measures: bool, asked: &[&str]) -> io::Result<Vec<String>> {
    let plan = Plan::new(measures)?;
    if !plan.has(Tool::Charpipe) {
        return Ok(vec!["charpipe --version fails".into()]);
    }
    println!("Processor: {}", tools::processor());
    println!("Instruction sets: {}", tools::instruction_sets().join(", "));
    let mut failures = Vec::new();
    for (name, is_time, part) in PARTS {
        let wanted = if asked.is_empty() { *name != "sizes" } else { asked.contains(name) };
        if wanted && (measures || !is_time) {
            failures.extend(part(&plan)?);
        }
    }
    Ok(failures)
}
