//! `charpipe detect --records`: which shape the records of a file have, how far each fits, and why no further.

use crate::args::Detect;
use crate::args::records;
use crate::detect::Failure;
use crate::files::input;
use crate::messages::json::{self, ErrorObject};
use crate::messages::{Name, printable};
use crate::status::Status;
use charpipe::Error;
use charpipe::records::{DataSet, Hypothesis, NoShape, SNIFFED, Shape, Sniffed, look};
use serde::Serialize;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// A line of `detect --records --json`.
#[derive(Serialize)]
struct RecordsObject<'a> {
    input: &'a str,
    /// The shape that survives, where one does and no other.
    records: Option<String>,
    hypotheses: Vec<HypothesisObject<'a>>,
    /// What the labels of a tape say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    data_sets: Vec<DataSetObject<'a>>,
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

/// A data set of a tape.
#[derive(Serialize)]
struct DataSetObject<'a> {
    file: u32,
    name: &'a str,
    recfm: &'a str,
    lrecl: Option<u32>,
    blksize: Option<u32>,
    blocks: u64,
}

/// Returns what is printed of the file at `path`.
pub(crate) fn found(args: &Detect, name: &Name, path: &OsStr) -> Result<(String, Status), Failure> {
    let mut input = input::open(path, SNIFFED.min(1 << 16)).map_err(Failure::NotOpened)?;
    let not_read = |source| Failure::NotRead(Error::read(0, source));
    let (head, eof) = records::head(&mut *input).map_err(not_read)?;
    let found = look(&head, eof, args.file.as_ref());
    let answer = found.shape();
    let status = if answer.is_ok() { Status::Done } else { Status::Data };
    let out = if args.json {
        json::line(&RecordsObject {
            input: &name.json,
            records: answer.as_ref().ok().map(Shape::to_string),
            hypotheses: found.hypotheses.iter().map(HypothesisObject::of).collect(),
            data_sets: found.data_sets.iter().map(DataSetObject::of).collect(),
            error: answer.err().map(|why| ErrorObject::new(why.code(), why.to_string(), Some(0))),
        })
    } else {
        let all = format!("{}{} bytes", if eof { "all of " } else { "the first " }, head.len().min(SNIFFED));
        in_words(args, name, &found, answer.err().as_ref(), &all)
    };
    Ok((out, status))
}

/// The object of a file that could not be read.
pub(crate) fn failed(name: &Name, error: ErrorObject) -> String {
    let (hypotheses, data_sets) = (Vec::new(), Vec::new());
    json::line(&RecordsObject { input: &name.json, records: None, hypotheses, data_sets, error: Some(error) })
}

impl<'a> DataSetObject<'a> {
    fn of(set: &'a DataSet) -> Self {
        let DataSet { file, name, recfm, lrecl, blksize, blocks, .. } = set;
        DataSetObject { file: *file, name, recfm, lrecl: *lrecl, blksize: *blksize, blocks: *blocks }
    }
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

/// The answer on the first line; below it the data sets of a tape, and why it is none of the other shapes.
fn in_words(args: &Detect, name: &Name, found: &Sniffed, error: Option<&NoShape>, all: &str) -> String {
    let (quiet, verbose) = (args.messages.quiet, args.messages.verbose);
    let hypotheses = &found.hypotheses;
    let mut out = match error {
        // They are listed below.
        Some(NoShape::DataSets(sets)) => {
            format!("{name}: the tape has {} data sets: choose one with --file N or --file NAME\n", sets.len())
        }
        Some(error) => format!("{name}: {}\n", printable(&error.to_string())),
        None => format!("{name}: {}: {}; {all}\n", hypotheses[0].shape, hypotheses[0].why.join("; ")),
    };
    for set in found.data_sets.iter().filter(|_| !quiet || matches!(error, Some(NoShape::DataSets(_)))) {
        let _ = writeln!(out, "  data set {}", printable(&set.to_string()));
    }
    let others = hypotheses.iter().skip(usize::from(error.is_none()));
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
