//! What can be wrong with rows.

use crate::files::name::Name;
use crate::messages::json::ErrorObject;
use crate::panics::Panic;
use crate::rows::back::cells::{Cells, RowPlace};
use crate::status::Status;
use charpipe::Error;
use charpipe::fields::{FieldError, Problem};
use std::fmt::{self, Display};
use std::io;

/// What ended the work on an input.
#[derive(Debug)]
pub(super) enum Trouble {
    NotOpened(io::Error),
    /// The input cannot be read after this many bytes.
    NotRead(u64, io::Error),
    NotWritten(Name, io::Error),
    /// The reader of the output wants no more.
    Stopped,
    Panicked(Panic),
    /// Something is wrong with a row.
    Row(RowPlace, BadRow),
}

/// What is wrong with a row.
#[derive(Debug)]
pub(super) enum BadRow {
    /// A value that does not fit its field, or a field without a value.
    Field(FieldError),
    /// The record cannot be framed.
    Record(Error),
    /// It is not a row of this format or layout.
    Malformed(String),
}

impl From<FieldError> for BadRow {
    fn from(error: FieldError) -> Self {
        BadRow::Field(error)
    }
}

impl From<Error> for BadRow {
    fn from(error: Error) -> Self {
        BadRow::Record(error)
    }
}

impl Trouble {
    /// Returns the error for the row in `cells`.
    pub(super) fn row(cells: &Cells, what: BadRow) -> Self {
        Trouble::Row(cells.place(), what)
    }

    pub(super) fn malformed(place: RowPlace, what: impl Into<String>) -> Self {
        Trouble::Row(place, BadRow::Malformed(what.into()))
    }

    pub(super) fn status(&self) -> Status {
        match self {
            Trouble::Stopped => Status::Done,
            Trouble::NotOpened(_) | Trouble::NotRead(..) | Trouble::NotWritten(..) => Status::Io,
            Trouble::Panicked(_) | Trouble::Row(..) => Status::Data,
        }
    }

    /// Whether the output takes no more data.
    pub(super) fn is_of_output(&self) -> bool {
        matches!(self, Trouble::Stopped | Trouble::NotWritten(..))
    }

    /// Returns where in the input it is: for a row, where that begins.
    pub(super) fn offset(&self) -> Option<u64> {
        match self {
            Trouble::NotRead(offset, _) => Some(*offset),
            Trouble::Row(place, _) => Some(place.offset),
            _ => None,
        }
    }

    pub(super) fn hint(&self) -> &'static str {
        match self {
            Trouble::Row(_, BadRow::Field(error)) if error.code() == "missing-value" => {
                " (only rows with all fields can be written back: leave out --select and --null-on-bad)"
            }
            Trouble::Row(_, BadRow::Field(error)) if error.code() == "unmappable" => {
                " (name the code page of the records with -f)"
            }
            Trouble::Row(_, BadRow::Record(_)) => " (is the shape right? see --to-records)",
            _ => "",
        }
    }

    /// Returns the error for the report.
    pub(super) fn object(&self) -> Option<ErrorObject> {
        let code = match self {
            Trouble::Stopped => return None,
            Trouble::Panicked(panic) => return Some(panic.object()),
            Trouble::NotOpened(_) => "open",
            Trouble::NotRead(..) => "read",
            Trouble::NotWritten(..) => "write",
            Trouble::Row(_, BadRow::Field(error)) => error.code(),
            Trouble::Row(_, BadRow::Record(error)) => error.code(),
            Trouble::Row(_, BadRow::Malformed(_)) => "bad-row",
        };
        Some(ErrorObject::new(code, self.to_string(), self.offset()))
    }
}

impl Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NotOpened(error) => write!(f, "cannot open: {error}"),
            Trouble::NotRead(_, error) => write!(f, "cannot read: {error}"),
            Trouble::NotWritten(_, error) => write!(f, "cannot write: {error}"),
            Trouble::Stopped => Ok(()),
            Trouble::Panicked(panic) => panic.fmt(f),
            Trouble::Row(place, what) => write!(f, "{place}{what}"),
        }
    }
}

/// Returns the beginning of a value for messages.
pub(super) fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 80;

    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRow::Field(error) => match error.problem() {
                Problem::DoesNotFit { value, expected } => {
                    write!(f, "field {}: {:?} does not fit; expected {expected}", error.path(), shorten(value))
                }
                problem => write!(f, "field {}: {problem}", error.path()),
            },
            BadRow::Record(error) => error.kind().fmt(f),
            BadRow::Malformed(what) => f.write_str(what),
        }
    }
}
