//! `charpipe detect --records`: reports the shape of the records of a file, how far each shape fits, and why no
//! further.

use crate::args::Detect;
use crate::detect::examine::Ending;
use crate::escape::printable;
use crate::files::input;
use crate::files::name::Name;
use crate::files::record_head::RecordHead;
use crate::messages::Count;
use crate::messages::json::{self, ErrorObject};
use crate::status::Status;
use charpipe::records::{DataSet, Hypothesis, NoShape, Shape};
use serde::Serialize;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// How many bytes are read at a time.
const READ_BYTES: usize = 1 << 16;

/// A line of `detect --records --json`.
#[derive(Serialize)]
struct RecordsObject<'a> {
    input: &'a str,
    /// The shape that survives, if exactly one does.
    records: Option<String>,
    hypotheses: Vec<HypothesisObject<'a>>,
    /// From the labels of a tape.
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

/// Returns what is printed about the records of the file at `path`.
pub(crate) fn answer(args: &Detect, name: &Name, path: &OsStr) -> Result<(String, Status), Ending> {
    let mut input = input::open(path, READ_BYTES).map_err(Ending::NotOpened)?.reader;
    let head = RecordHead::read(&mut *input, args.tape_file.as_ref()).map_err(Ending::NotRead)?;
    let shape = head.sniffed.shape();
    let status = if shape.is_ok() { Status::Done } else { Status::Data };
    let text = if args.json {
        json::line(&RecordsObject {
            input: name.json(),
            records: shape.as_ref().ok().map(Shape::to_string),
            hypotheses: head.sniffed.hypotheses.iter().map(HypothesisObject::of).collect(),
            data_sets: head.sniffed.data_sets.iter().map(DataSetObject::of).collect(),
            error: shape.err().map(|why| ErrorObject::new(why.code(), why.to_string(), Some(0))),
        })
    } else {
        in_words(args, name, &head, shape.err().as_ref())
    };
    Ok((text, status))
}

/// Returns the line of JSON for a file that could not be read.
pub(crate) fn failure_line(name: &Name, error: Option<ErrorObject>) -> String {
    let (hypotheses, data_sets) = (Vec::new(), Vec::new());
    json::line(&RecordsObject { input: name.json(), records: None, hypotheses, data_sets, error })
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

/// Returns the answer on the first line; below it, the data sets of a tape, and why the other shapes do not fit.
fn in_words(args: &Detect, name: &Name, head: &RecordHead, error: Option<&NoShape>) -> String {
    let (quiet, verbose) = (args.messages.quiet, args.messages.verbose);
    let hypotheses = &head.sniffed.hypotheses;
    let mut out = match error {
        // They are listed below.
        Some(NoShape::DataSets(sets)) => {
            format!(
                "{name}: the tape has {} data sets: choose one with --tape-file N or --tape-file NAME\n",
                sets.len()
            )
        }
        Some(error) => format!("{name}: {}\n", printable(&error.to_string())),
        None => {
            let (shape, why) = (&hypotheses[0].shape, hypotheses[0].why.join("; "));
            let part = if head.is_whole { "all of" } else { "the first" };
            format!("{name}: {shape}: {why}; {part} {}\n", Count(head.examined() as u64, "byte"))
        }
    };
    for set in head.sniffed.data_sets.iter().filter(|_| !quiet || matches!(error, Some(NoShape::DataSets(_)))) {
        _ = writeln!(out, "  data set {}", printable(&set.to_string()));
    }
    let others = hypotheses.iter().skip(usize::from(error.is_none()));
    for one in others.filter(|one| one.survives || !quiet && (verbose || is_plausible(one))) {
        let mark = if one.survives { "* " } else { "  " };
        _ = write!(out, "{mark}{}: {}", one.shape, one.why.join("; "));
        if let Some(error) = &one.failed {
            let offset = error.offset().unwrap_or(one.bytes);
            _ = write!(out, "; fails at byte {offset}: {}", printable(&error.kind().to_string()));
        }
        out.push('\n');
    }
    out
}

/// Returns whether a shape fits far enough that a user may have considered it.
fn is_plausible(one: &Hypothesis) -> bool {
    one.records > 0 || one.failed.is_none()
}
