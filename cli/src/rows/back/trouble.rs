//! Errors in rows.

use crate::ending::{Ending, Failure};
use crate::messages::json::ErrorObject;
use crate::rows::back::cells::RowPlace;
use crate::status::Status;
use charpipe::Error;
use charpipe::fields::{FieldError, Problem};
use std::fmt::{self, Display};

/// Something is wrong with a row.
#[derive(Debug)]
pub(super) struct Trouble(pub(super) RowPlace, pub(super) BadRow);

/// How the work on an input ends.
pub(super) type Ended = Result<(), Ending<Trouble>>;

/// The error in a row.
#[derive(Debug)]
pub(super) enum BadRow {
    /// A value that does not fit its field, or a field without a value.
    Field(FieldError),
    /// The record cannot be framed.
    Record(Error),
    /// It lacks the number of its record.
    NoNumber,
    /// It has children of several types, whose order nothing says.
    NoOrder,
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

impl From<Trouble> for Ending<Trouble> {
    fn from(trouble: Trouble) -> Self {
        Ending::Failed(trouble)
    }
}

impl Trouble {
    pub(super) fn malformed(place: RowPlace, what: impl Into<String>) -> Ending<Trouble> {
        Trouble(place, BadRow::Malformed(what.into())).into()
    }

    pub(super) fn hint(&self) -> &'static str {
        match &self.1 {
            BadRow::Field(error) if error.code() == "missing-value" => {
                " (only rows with all fields can be written back: leave out --select and --on-bad null)"
            }
            BadRow::Field(error) if error.code() == "unmappable" => " (name the code page of the records with -f)",
            BadRow::NoNumber => " (write the rows with --add-columns number, or leave out --merge)",
            BadRow::NoOrder => " (every record of the row needs the key _number, as `charpipe rows --nest` writes it)",
            BadRow::Record(_) => " (is the shape right? see --to-records)",
            _ => "",
        }
    }
}

impl Failure for Trouble {
    fn status(&self) -> Status {
        match self.1 {
            BadRow::NoNumber | BadRow::NoOrder => Status::Usage,
            _ => Status::Data,
        }
    }

    fn object(&self) -> ErrorObject {
        let code = match &self.1 {
            BadRow::Field(error) => error.code(),
            BadRow::Record(error) => error.code(),
            BadRow::NoNumber | BadRow::NoOrder | BadRow::Malformed(_) => "bad-row",
        };
        ErrorObject::new(code, self.to_string(), Some(self.0.offset)).in_text(Some(self.0.position()))
    }
}

impl Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trouble(place, what) = self;
        write!(f, "{place}{what}")
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
            BadRow::NoNumber => f.write_str("it has no _number, the number of its record"),
            BadRow::NoOrder => f.write_str("nothing says the order of its children, which have several types"),
            BadRow::Malformed(what) => f.write_str(what),
        }
    }
}
