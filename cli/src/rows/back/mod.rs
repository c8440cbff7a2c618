//! From rows to records: `--from-rows`.
//!
//! | file | job |
//! |---|---|
//! | `reader.rs`, `csv.rs`, `json.rs` | reads rows: of CSV, or JSON lines |
//! | `split.rs` | splits CSV into rows and fields |
//! | `cells.rs` | the values of a row, by the columns of the layout |
//! | `trouble.rs` | what can be wrong with rows |

mod cells;
mod csv;
mod json;
mod reader;
mod split;
mod trouble;

use crate::args::Rows;
use crate::args::rows::RowFormat;
use crate::ending::{self, Ending};
use crate::files::input;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::messages::json as lines;
use crate::messages::json::ErrorObject;
use crate::messages::{Count, Place, say, say_problem};
use crate::panics;
use crate::print::Report;
use crate::rows::back::cells::Cells;
use crate::rows::back::reader::RowReader;
use crate::rows::back::trouble::{BadRow, Ended, Trouble};
use crate::rows::setup::Setup;
use crate::rows::streams;
use crate::status::Status;
use charpipe::fields::Writer;
use charpipe::files::signals;
use charpipe::records::{Framer, Shape};
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, BufRead, Write as _};

/// How many bytes are read at a time.
const READ_BYTES: usize = 64 * 1024;

/// How many bytes of records are collected before they are written.
const BATCH_BYTES: usize = 64 * 1024;

/// A line of the report.
#[derive(Serialize)]
struct ReportLine<'a> {
    input: &'a str,
    output: &'a str,
    to: &'a str,
    shape: String,
    rows: u64,
    records_out: u64,
    bytes_out: u64,
    error: Option<ErrorObject>,
    /// Whether the reader of the output wanted no more; the rest of the input was not read.
    stopped: bool,
}

/// Writes the records of all inputs.
pub(super) fn run(args: &Rows, setup: &Setup, format: RowFormat) -> Result<Status, Status> {
    let shape = setup.job.target_shape().map_err(|_| setup.say_no_shape("--to-records"))?;
    let writer = setup.job.writer().map_err(|error| setup.say_unusable(&error))?;
    let columns = setup.job.target_columns(&writer).map_err(|error| setup.say_unusable(&error))?;
    let framer = setup.job.framer(&shape).map_err(|error| {
        say_problem(&"--to-records", None, error.kind(), "");
        Status::Usage
    })?;
    if args.output.is_some() || args.report.is_some() {
        signals::watch();
    }
    let output = streams::open_output(args)?;
    let mut report = Report::open(args.report.as_deref())?;
    report.check_apart_from(&output)?;
    let extras: Vec<&Output> = report.output().into_iter().collect();
    streams::protect_inputs(args, &[&[&output][..], &extras].concat(), &extras)?;
    if !args.messages.quiet {
        let is_assumed = !args.is_given("to-records") && shape != Shape::Unframed;
        setup.say_assumed_target(is_assumed.then_some(&shape));
    }
    let mut run = Run { setup, shape, writer, framer, output, bytes: Vec::new(), written: 0, rows: 0 };
    let mut worst = Status::Done;
    let mut files = args.files().into_iter().peekable();
    while let Some(path) = files.next() {
        let (name, before) = (Name::of_operand(&path), (run.rows, run.written));
        let mut cells = Cells::new(&setup.job, &columns);
        let ended = panics::catch(|| run.input(&path, format, &mut cells));
        let mut ended = ended.unwrap_or_else(|panic| Err(Ending::Panicked(panic)));
        worst = worst.max(ending::status(&ended));
        let is_cut = ended.as_ref().is_err_and(Ending::is_of_output);
        let is_last = files.peek().is_none() || is_cut;
        if is_last && !is_cut {
            // Before the last line of the report, which then says if it failed.
            let finished = run.finish(worst);
            worst = worst.max(ending::status(&finished));
            match (&ended, finished) {
                (Ok(()), finished) => ended = finished,
                (Err(_), Err(ending)) => ending.say(&name, &path, |_| {}),
                _ => {}
            }
        }
        if args.messages.verbose {
            say(format_args!("{name}: {} in", Count(run.rows - before.0, "row")));
        }
        let ending = ended.err();
        worst = worst.max(report.write(|| run.line(&name, before, ending.as_ref())));
        if let Some(ending) = ending {
            let say_trouble = |trouble: &Trouble| {
                say_problem(&name, Some(Place(trouble.0.offset, None)), trouble, trouble.hint());
            };
            ending.say(&name, &path, say_trouble);
        }
        if is_last {
            break;
        }
    }
    Ok(worst.max(report.finish()))
}

/// The work on all inputs, whose records go to one output.
struct Run<'a> {
    setup: &'a Setup,
    shape: Shape,
    writer: Writer,
    framer: Framer,
    output: Output,
    /// Records that are still to be written.
    bytes: Vec<u8>,
    written: u64,
    rows: u64,
}

impl Run<'_> {
    fn input(&mut self, path: &OsStr, format: RowFormat, cells: &mut Cells<'_>) -> Ended {
        let opened = input::open(path, READ_BYTES).map_err(Ending::NotOpened)?;
        if opened.metadata.as_ref().is_some_and(|input| self.output.feeds(input)) {
            let why = io::Error::other("it is also the output (use -o to replace it)");
            return Err(Ending::NotOpened(why));
        }
        let mut input = opened.reader;
        let mut reader: Box<dyn RowReader> = match format {
            RowFormat::Csv => Box::new(csv::CsvReader::new()),
            RowFormat::Jsonl => Box::new(json::JsonReader::new()),
        };
        let ended = self.rows(&mut *input, &mut *reader, cells);
        // The records before an error are delivered.
        self.flush().and(ended)
    }

    fn rows(&mut self, input: &mut dyn BufRead, reader: &mut dyn RowReader, cells: &mut Cells<'_>) -> Ended {
        let mut record = Vec::new();
        loop {
            let more = {
                let Run { output, bytes, written, .. } = &mut *self;
                let mut blocks = || flush(output, bytes, written);
                reader.read(input, cells, &mut blocks)?
            };
            if !more {
                return Ok(());
            }
            let place = cells.place();
            let bad = |what: BadRow| Trouble(place, what);
            self.writer.write(place.row, &mut cells.source(), &mut record).map_err(|error| bad(error.into()))?;
            self.framer.record(&record, place.offset, &mut self.bytes).map_err(|error| bad(error.into()))?;
            self.rows += 1;
            if self.bytes.len() >= BATCH_BYTES {
                self.flush()?;
            }
        }
    }

    fn flush(&mut self) -> Ended {
        flush(&mut self.output, &mut self.bytes, &mut self.written)
    }

    /// Ends the output, and puts it in its place unless an input failed.
    fn finish(&mut self, worst: Status) -> Ended {
        self.framer.finish(&mut self.bytes);
        let flushed = self.flush();
        let nothing = Output::nothing(self.output.name.clone());
        let output = std::mem::replace(&mut self.output, nothing);
        if worst != Status::Done && output.is_replacing() {
            return Ok(());
        }
        flushed?;
        Output::commit_all(vec![output]).map_err(|(name, error)| Ending::not_written(&name, error))
    }

    /// Returns the line of the report.
    fn line(&self, name: &Name, before: (u64, u64), ending: Option<&Ending<Trouble>>) -> String {
        let rows = self.rows - before.0;
        lines::line(&ReportLine {
            input: name.json(),
            output: self.output.name.json(),
            to: self.setup.page(),
            shape: self.shape.to_string(),
            rows,
            records_out: rows,
            bytes_out: self.written - before.1,
            error: ending.and_then(Ending::object),
            stopped: ending.is_some_and(Ending::is_stopped),
        })
    }
}

fn flush(output: &mut Output, bytes: &mut Vec<u8>, written: &mut u64) -> Ended {
    let result = output.write_all(bytes);
    *written += if result.is_ok() { bytes.len() as u64 } else { 0 };
    bytes.clear();
    result.map_err(|error| Ending::of_write(&output.name, error))
}
