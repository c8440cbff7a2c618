//! The result for one input: what is printed about it, and its line of the report.

use crate::args::Rows;
use crate::files::name::Name;
use crate::messages::json::{self, ErrorObject};
use crate::messages::{self, Count, color, hints, say, say_parts};
use crate::panics::Panic;
use crate::print;
use crate::rows::streams::NotWritten;
use crate::rows::trouble::Trouble;
use crate::rows::work::{Counts, Rejected};
use crate::status::Status;
use charpipe::OnControl;
use charpipe::records::NoShape;
use serde::Serialize;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io;

/// How the work on an input ended.
pub(super) enum Ending {
    Done,
    /// The reader of the output wants no more.
    Stopped,
    NotOpened(io::Error),
    NoShape(NoShape),
    /// The output called so cannot be written.
    NotWritten(Name, io::Error),
    Failed(Trouble),
    Panicked(Panic),
}

/// What happened with one input.
pub(super) struct Account {
    pub(super) ending: Ending,
    pub(super) counts: Counts,
    /// How many records there were of each table, with its name.
    pub(super) rows: Vec<(String, u64)>,
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

impl From<NotWritten> for Ending {
    fn from(why: NotWritten) -> Self {
        match why {
            NotWritten::Stopped => Ending::Stopped,
            NotWritten::Failed(output, error) => Ending::NotWritten(output, error),
        }
    }
}

impl Ending {
    pub(super) fn status(&self) -> Status {
        match self {
            Ending::Done | Ending::Stopped => Status::Done,
            Ending::NotOpened(_) | Ending::NotWritten(..) => Status::Io,
            Ending::NoShape(_) | Ending::Panicked(_) => Status::Data,
            Ending::Failed(Trouble::Input(error)) => Status::of(error),
            Ending::Failed(_) => Status::Data,
        }
    }

    /// Whether the output takes no more data, so that there is no point in another input.
    pub(super) fn is_of_output(&self) -> bool {
        matches!(self, Ending::Stopped | Ending::NotWritten(..))
    }

    fn object(&self) -> Option<ErrorObject> {
        let object = |code, message: String, offset| Some(ErrorObject::new(code, message, offset));
        match self {
            Ending::Done | Ending::Stopped => None,
            Ending::NotOpened(error) => object("open", format!("cannot open: {error}"), None),
            Ending::NoShape(why) => object(why.code(), why.to_string(), Some(0)),
            Ending::NotWritten(_, error) => object("write", format!("cannot write: {error}"), None),
            Ending::Failed(trouble) => Some(trouble.object()),
            Ending::Panicked(panic) => Some(panic.object()),
        }
    }
}

impl Account {
    /// Returns the account of an input of which nothing was read.
    pub(super) fn not_begun(ending: Ending) -> Self {
        Account {
            ending,
            counts: Counts::default(),
            rows: Vec::new(),
            rejected: Vec::new(),
            bytes_in: 0,
            bytes_out: 0,
            shape: None,
        }
    }

    /// Notes whether the outputs were put in their places. After an error of the input, this is printed at once.
    pub(super) fn end(&mut self, committed: Result<(), NotWritten>) -> Status {
        match (&self.ending, committed) {
            (Ending::Done, Err(why)) => self.ending = why.into(),
            (_, Err(NotWritten::Failed(output, error))) => return print::cannot_write(output, &error),
            _ => {}
        }
        self.ending.status()
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
            rows: self.rows.iter().map(|(_, rows)| rows).sum(),
            types: has_types.then_some(types),
            rejected: RejectedCount { count: self.counts.rejected, first: &self.rejected },
            nulls: self.counts.nulls,
            controls: self.counts.changed.controls,
            record_newlines: self.counts.changed.newlines,
            records_cut: self.counts.cut,
            error: self.ending.object(),
            stopped: matches!(self.ending, Ending::Stopped),
        })
    }

    /// Prints the messages about the input `name`, the error last.
    pub(super) fn say(&self, args: &Rows, name: &Name, path: &OsStr) {
        if !args.messages.quiet {
            self.say_counts(args, name);
        }
        let plain = |error: &dyn Display, offset: u64, hint: &str| {
            let place = format_args!("{name}: byte {offset}: ");
            say_parts(&[(color::PLAIN, &place), (color::ERROR, &error), (color::HINT, &hint)]);
        };
        match &self.ending {
            Ending::Done | Ending::Stopped => {}
            Ending::NotOpened(error) => messages::say_not_opened(name, path, error),
            Ending::NoShape(why) => plain(why, 0, hints::for_shape(why)),
            Ending::NotWritten(output, error) => _ = print::cannot_write(output, error),
            Ending::Failed(Trouble::Input(error)) => messages::say_error(name, error),
            Ending::Failed(trouble @ Trouble::Limit { offset, .. }) => {
                plain(trouble, *offset, " (is the shape right? see `charpipe detect --records`)");
            }
            Ending::Failed(trouble @ Trouble::Record { offset, error, .. }) => {
                plain(trouble, *offset, error.hint(args.exact))
            }
            Ending::Panicked(panic) => panic.say(name),
        }
    }

    fn say_counts(&self, args: &Rows, name: &Name) {
        let Counts { records, rejected, nulls, cut, changed } = self.counts;
        let count = |count: u64, one: &str, many: &str, became: &str| {
            if count > 0 {
                say(format_args!("{name}: {count} {} {became}", if count == 1 { one } else { many }));
            }
        };
        let dropped = args.controls == OnControl::Drop;
        let controls = if dropped { "dropped" } else { "replaced by blanks" };
        count(changed.controls, "control character", "control characters", controls);
        count(changed.newlines, "newline", "newlines", "in text replaced by blanks");
        let (one, many) = ("field that could not be read was", "fields that could not be read were");
        count(nulls, one, many, "left empty");
        count(cut, "record", "records", "longer than the layout: the rest was left out");
        if let Some(path) = &args.rejects {
            let became = match self.ending.is_of_output() {
                true => "rejected".to_owned(),
                false => format!("rejected, written to {}", Name::of_path(path.as_os_str())),
            };
            count(rejected, "record", "records", &became);
        }
        if args.messages.verbose {
            let rows: u64 = self.rows.iter().map(|(_, rows)| rows).sum();
            for (record_type, rows) in self.rows.iter().filter(|_| self.rows.len() > 1) {
                say(format_args!("{name}: rows of type {record_type}: {rows}"));
            }
            say(format_args!("{name}: {} in, {} out", Count(records, "record"), Count(rows, "row")));
        }
    }
}
