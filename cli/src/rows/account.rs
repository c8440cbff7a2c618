//! The result for one input: its messages and its line of the report.

use crate::args::Rows;
use crate::ending::{self, Ending};
use crate::files::name::Name;
use crate::messages::json::{self, ErrorObject};
use crate::messages::{Count, say, say_count};
use crate::print;
use crate::rows::trouble;
use crate::rows::work::Rejected;
use crate::status::Status;
use charpipe::rows::{Counts, RowsError};
use serde::Serialize;
use std::ffi::OsStr;
use std::io;

/// The outcome of one input.
pub(super) struct Account {
    pub(super) ended: Result<(), Ending<RowsError>>,
    pub(super) counts: Counts,
    /// How many records there were of each table, with its name.
    pub(super) rows: Vec<(String, u64)>,
    /// How many rows there were of records without a type, although others have one.
    pub(super) untyped: u64,
    pub(super) rejected: Vec<Rejected>,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    /// The shape of the records, if it is known.
    pub(super) shape: Option<String>,
}

/// A line of `--report`. Keys that a report of `convert` has too mean the same.
#[derive(Serialize)]
struct ReportLine<'a> {
    input: &'a str,
    output: &'a str,
    from: &'a str,
    shape: Option<&'a str>,
    bytes_in: u64,
    bytes_out: u64,
    records: u64,
    rows: u64,
    types: Option<Vec<TypeCount<'a>>>,
    rejected: RejectedCount<'a>,
    nulls: u64,
    loose_numbers: u64,
    malformed: u64,
    controls: u64,
    record_newlines: u64,
    records_cut: u64,
    error: Option<ErrorObject>,
    /// Whether the reader of the output wanted no more; the rest of the input was not read.
    stopped: bool,
}

#[derive(Serialize)]
struct TypeCount<'a> {
    #[serde(rename = "type")]
    name: &'a str,
    rows: u64,
}

#[derive(Serialize)]
struct RejectedCount<'a> {
    count: u64,
    first: &'a [Rejected],
}

impl Account {
    /// Returns the account of an input of which nothing was read.
    pub(super) fn not_begun(ended: Result<(), Ending<RowsError>>) -> Self {
        Account {
            ended,
            counts: Counts::default(),
            rows: Vec::new(),
            untyped: 0,
            rejected: Vec::new(),
            bytes_in: 0,
            bytes_out: 0,
            shape: None,
        }
    }

    /// Notes whether the outputs were put in their places. After an error of the input, this is printed at once.
    pub(super) fn end(&mut self, committed: Result<(), (Name, io::Error)>) -> Status {
        match (&self.ended, committed) {
            (Ok(()), Err((output, error))) => self.ended = Err(Ending::not_written(&output, error)),
            (Err(_), Err((output, error))) => return print::cannot_write(output, &error),
            _ => {}
        }
        self.status()
    }

    pub(super) fn status(&self) -> Status {
        ending::status(&self.ended)
    }

    /// Whether the output takes no more data.
    pub(super) fn is_cut(&self) -> bool {
        self.ended.as_ref().is_err_and(Ending::is_of_output)
    }

    fn row_count(&self) -> u64 {
        self.untyped + self.rows.iter().map(|(_, rows)| rows).sum::<u64>()
    }

    /// Returns the line of the report.
    pub(super) fn line(&self, input: &Name, output: &Name, page: &str, has_types: bool) -> String {
        let types = self.rows.iter().map(|(name, rows)| TypeCount { name, rows: *rows }).collect();
        json::line(&ReportLine {
            input: input.json(),
            output: output.json(),
            from: page,
            shape: self.shape.as_deref(),
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            records: self.counts.records,
            rows: self.row_count(),
            types: has_types.then_some(types),
            rejected: RejectedCount { count: self.counts.rejected, first: &self.rejected },
            nulls: self.counts.nulls,
            loose_numbers: self.counts.loose_numbers,
            malformed: self.counts.malformed,
            controls: self.counts.controls,
            record_newlines: self.counts.newlines,
            records_cut: self.counts.cut,
            error: self.ended.as_ref().err().and_then(Ending::object),
            stopped: self.ended.as_ref().is_err_and(Ending::is_stopped),
        })
    }

    /// Prints the messages about the input `name`, the error last.
    pub(super) fn say(&self, args: &Rows, name: &Name, path: &OsStr) {
        if !args.messages.quiet {
            self.say_counts(args, name);
        }
        if let Err(ending) = &self.ended {
            ending.say(name, path, |error| trouble::say(name, error, args));
        }
    }

    fn say_counts(&self, args: &Rows, name: &Name) {
        let Counts { records, rejected, nulls, loose_numbers, malformed, cut, controls, newlines, .. } = self.counts;
        let count = |count, one, many, became| say_count(name, count, one, many, became);
        let dropped = args.value("controls") == Some("drop");
        let became = |count| match (dropped, count) {
            (true, _) => "dropped",
            (false, 1) => "replaced by a space",
            (false, _) => "replaced by spaces",
        };
        count(controls, "control character", "control characters", became(controls));
        let (one, many) = ("newline in text replaced by a space", "newlines in text replaced by spaces");
        count(newlines, one, many, "");
        let (one, many) = ("field that could not be read was", "fields that could not be read were");
        count(nulls, one, many, "left empty");
        let became = match args.value("malformed") {
            Some("drop") => "dropped".to_owned(),
            Some("escape") => "escaped".to_owned(),
            Some("replace") | None => "replaced".to_owned(),
            Some(label) => format!("read as {label}"),
        };
        count(malformed, "malformed sequence", "malformed sequences", &became);
        count(loose_numbers, "number", "numbers", "read although spaces follow the digits");
        count(cut, "record", "records", "longer than the layout: the rest was left out");
        if let Some(path) = &args.rejects {
            let became = match self.is_cut() {
                true => "rejected".to_owned(),
                false => format!("rejected, written to {}", Name::of_path(path.as_os_str())),
            };
            count(rejected, "record", "records", &became);
        }
        if args.messages.verbose {
            let rows = self.row_count();
            for (record_type, rows) in self.rows.iter().filter(|_| self.rows.len() > 1) {
                say(format_args!("{name}: rows of type {record_type}: {rows}"));
            }
            say(format_args!("{name}: {} in, {} out", Count(records, "record"), Count(rows, "row")));
        }
    }
}
