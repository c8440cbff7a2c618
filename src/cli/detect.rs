//! `charpipe detect`: what is it encoded in, and how do you know. Reads no more than that takes.

use super::Status;
use super::args::Detect;
use super::input;
use super::json::{self, ErrorObject, VerdictObject};
use super::output::{Output, STDOUT};
use super::words::{self, InWords, Name, say};
use crate::detect::Hints;
use crate::error::{Error, ErrorKind};
use crate::{Detector, Registry, Verdict};
use std::ffi::OsStr;
use std::io::{self, BufRead, Write};

/// How much is read at a time: most declarations and all signatures fit.
const READ_SIZE: usize = 512;

/// Runs it.
pub(super) fn run(args: &Detect) -> Status {
    let registry = match args.reading.tables.registry() {
        Ok(registry) => registry,
        Err(status) => return status,
    };
    let hints = match args.reading.hints(&registry) {
        Ok(hints) => hints,
        Err(status) => return status,
    };
    let mut output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return not_written(&error),
    };
    let mut worst = Status::Done;
    for path in args.reading.files() {
        let name = input::name(&path);
        let (line, status) = match verdict_on(&path, &registry, &hints) {
            Ok(verdict) => found(args, &name, &verdict),
            Err(failure) => failed(args, &name, &failure),
        };
        worst = worst.max(status);
        match output.write_all(line.as_bytes()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(error) => return worst.max(not_written(&error)),
        }
    }
    worst
}

/// Why there is no verdict at all.
enum Failure {
    NotOpened(io::Error),
    NotRead(Error),
}

fn verdict_on(path: &OsStr, registry: &Registry, hints: &Hints) -> Result<Verdict, Failure> {
    let mut input = input::open(path, READ_SIZE).map_err(Failure::NotOpened)?;
    let mut detector = Detector::new(registry.clone(), hints.clone());
    while !detector.is_done() {
        let len = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => detector.feed(bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => {
                let offset = detector.prefix().len() as u64;
                return Err(Failure::NotRead(ErrorKind::Read { offset, source }.into()));
            }
        };
        input.consume(len);
    }
    Ok(detector.finish())
}

/// The line on standard output, after what there is to say.
fn found(args: &Detect, name: &Name, verdict: &Verdict) -> (String, Status) {
    let verbose = args.reading.verbose;
    if !args.reading.quiet {
        words::say_diagnostics(name, &verdict.diagnostics, verdict.error.as_ref());
    }
    if let Some(error) = &verdict.error {
        words::say_error(name, error);
    }
    let line = if args.json {
        json::line(&VerdictObject::of(name, verdict))
    } else if verdict.error.is_none() {
        format!("{name}: {}\n", InWords { verdict, verbose })
    } else {
        String::new()
    };
    (line, verdict.error.as_ref().map_or(Status::Done, Status::of))
}

fn failed(args: &Detect, name: &Name, failure: &Failure) -> (String, Status) {
    let object = match failure {
        Failure::NotOpened(error) => {
            say(format_args!("{name}: cannot open: {error}"));
            ErrorObject { code: "open", message: format!("cannot open: {error}"), offset: None }
        }
        Failure::NotRead(error) => {
            words::say_error(name, error);
            ErrorObject::of(error)
        }
    };
    let line = if args.json { json::line(&VerdictObject::failed(name, Some(object))) } else { String::new() };
    (line, Status::Io)
}

fn not_written(error: &io::Error) -> Status {
    say(format_args!("{STDOUT}: cannot write: {error}"));
    Status::Io
}
