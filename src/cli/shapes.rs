//! `charpipe detect --records`: which shape the records of a file have, how far each fits, and why no further.

use super::Status;
use super::args::Detect;
use super::detect::Failure;
use super::input;
use super::json::{self, ErrorObject};
use super::words::{Name, printable};
use crate::error::ErrorKind;
use crate::records::{Hypothesis, SNIFFED, sniff};
use serde::Serialize;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, Read as _};

/// A line of `detect --records --json`.
#[derive(Serialize)]
struct RecordsObject<'a> {
    input: &'a str,
    /// The shape that survives, where one does and no other.
    records: Option<String>,
    hypotheses: Vec<HypothesisObject<'a>>,
    error: Option<ErrorObject>,
}

#[derive(Serialize)]
struct HypothesisObject<'a> {
    shape: String,
    survives: bool,
    records: u64,
    bytes: u64,
    why: &'a [String],
    error: Option<ErrorObject>,
}

/// What is printed of the file at `path`.
pub(super) fn found(args: &Detect, name: &Name, path: &OsStr) -> Result<(String, Status), Failure> {
    let mut input = input::open(path, SNIFFED.min(1 << 16)).map_err(Failure::NotOpened)?;
    // One byte more tells whether that was all.
    let mut head = Vec::new();
    let read = io::Read::take(&mut input, SNIFFED as u64 + 1).read_to_end(&mut head);
    read.map_err(|source| Failure::NotRead(ErrorKind::Read { offset: head.len() as u64, source }.into()))?;
    let eof = head.len() <= SNIFFED;
    head.truncate(SNIFFED);
    let found = sniff(&head, eof);
    let survivors: Vec<&Hypothesis> = found.iter().filter(|one| one.survives).collect();
    let error = match survivors[..] {
        [_] => None,
        [] => Some(("no-record-shape", "no shape of records fits".to_owned())),
        _ => {
            let shapes: Vec<String> = survivors.iter().map(|one| one.shape.to_string()).collect();
            Some(("record-shape-ambiguous", format!("several shapes of records fit: {}", shapes.join(", "))))
        }
    };
    let status = if error.is_none() { Status::Done } else { Status::Data };
    let out = if args.json {
        json::line(&RecordsObject {
            input: &name.json,
            records: survivors.first().filter(|_| error.is_none()).map(|one| one.shape.to_string()),
            hypotheses: found.iter().map(HypothesisObject::of).collect(),
            error: error.map(|(code, message)| ErrorObject::new(code, message, None)),
        })
    } else {
        let all = format!("{}{} bytes", if eof { "all of " } else { "the first " }, head.len());
        in_words(args, name, &found, error.map(|(_, message)| message).as_deref(), &all)
    };
    Ok((out, status))
}

/// The object of a file that could not be read.
pub(super) fn failed(name: &Name, error: ErrorObject) -> String {
    json::line(&RecordsObject { input: &name.json, records: None, hypotheses: Vec::new(), error: Some(error) })
}

impl<'a> HypothesisObject<'a> {
    fn of(one: &'a Hypothesis) -> Self {
        HypothesisObject {
            shape: one.shape.to_string(),
            survives: one.survives,
            records: one.records,
            bytes: one.bytes,
            why: &one.why,
            error: one.failed.as_ref().map(ErrorObject::of),
        }
    }
}

/// The answer on the first line, and below it why it is none of the others.
fn in_words(args: &Detect, name: &Name, found: &[Hypothesis], error: Option<&str>, all: &str) -> String {
    let (quiet, verbose) = (args.reading.quiet, args.reading.verbose);
    let mut out = match error {
        Some(error) => format!("{name}: {error}\n"),
        None => format!("{name}: {}: {}; {all}\n", found[0].shape, found[0].why.join("; ")),
    };
    let others = found.iter().skip(usize::from(error.is_none()));
    for one in others.filter(|one| one.survives || !quiet && (verbose || came_far(one))) {
        let mark = if one.survives { "* " } else { "  " };
        let _ = write!(out, "{mark}{}: {}", one.shape, one.why.join("; "));
        if let Some(error) = &one.failed {
            let offset = error.offset().unwrap_or(one.bytes);
            let _ = write!(out, "; fails at byte {offset}: {}", printable(&error.kind().to_string()));
        }
        out.push('\n');
    }
    out
}

/// Whether it fits so far that somebody may have thought of it.
fn came_far(one: &Hypothesis) -> bool {
    one.records > 0 || one.failed.is_none()
}
