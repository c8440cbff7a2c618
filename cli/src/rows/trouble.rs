//! What can be wrong with a record, and with an input.

use crate::messages::hints;
use crate::messages::json::ErrorObject;
use charpipe::Error;
use charpipe::fields::{Column, FieldError, Layout};
use std::fmt::{self, Display};

/// What is wrong with a record.
#[derive(Debug)]
pub(super) enum BadRecord {
    /// A field that cannot be read, or a record of no known type.
    Field(FieldError),
    /// A character in text that `--controls error` or `--record-newlines error` does not allow.
    Character { column: Column, ch: char, is_newline: bool, offset: usize },
    /// The record has a type whose rows go nowhere: this one.
    OtherType { path: Option<String> },
}

impl From<FieldError> for BadRecord {
    fn from(error: FieldError) -> Self {
        BadRecord::Field(error)
    }
}

impl BadRecord {
    /// Adds where in the record the field is, if its place does not depend on counts.
    pub(super) fn locate(&mut self, layout: &Layout) {
        if let BadRecord::Character { column, offset, .. } = self {
            *offset = place_of(layout, column).unwrap_or(0);
        }
    }

    /// Returns where in the record the error is, in bytes from 0; 0 if that is not known.
    pub(super) fn place(&self) -> usize {
        match self {
            BadRecord::Field(error) => error.offset(),
            BadRecord::Character { offset, .. } => *offset,
            BadRecord::OtherType { .. } => 0,
        }
    }

    /// Returns the path of the field.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            BadRecord::Field(error) => Some(error.path()).filter(|path| !path.is_empty()),
            BadRecord::Character { column, .. } => Some(&column.path),
            BadRecord::OtherType { .. } => None,
        }
    }

    pub(super) fn code(&self) -> &'static str {
        match self {
            BadRecord::Field(error) => error.code(),
            BadRecord::Character { is_newline: true, .. } => "newline-in-record",
            BadRecord::Character { is_newline: false, .. } => "control",
            BadRecord::OtherType { .. } => "unknown-type",
        }
    }

    /// Returns what to do about it. `is_exact` is `--exact`.
    pub(super) fn hint(&self, is_exact: bool) -> &'static str {
        match self {
            BadRecord::Field(error) => match error.code() {
                "bad-number" => {
                    " (is the layout right? see --show-layout; use --null-on-bad or --rejects PATH to go on)"
                }
                "malformed" => " (name the code page with -f; use --null-on-bad or --rejects PATH to go on)",
                "unknown-type" => {
                    " (add a rule with --when, such as `--when 'otherwise: NAME'`, or use --rejects PATH)"
                }
                "record-too-short" => {
                    " (is the shape right? see `charpipe detect --records`; use --rejects PATH to go on)"
                }
                "longer-than-layout" if is_exact => {
                    " (is the layout complete? see --show-layout; use --rejects PATH to go on)"
                }
                "longer-than-layout" => {
                    " (is the layout complete? see --show-layout; use --overlong cut to leave out the rest)"
                }
                _ => " (use --rejects PATH to go on)",
            },
            BadRecord::Character { is_newline: true, .. } => hints::NEWLINE,
            BadRecord::Character { is_newline: false, .. } => " (use --controls space to replace it)",
            BadRecord::OtherType { .. } => " (use --rejects PATH to go on)",
        }
    }
}

/// Returns where a column is in a record, in bytes from 0; `None` if that depends on a count.
fn place_of(layout: &Layout, column: &Column) -> Option<usize> {
    let items = layout.items();
    let mut arrays: Vec<usize> = std::iter::successors(Some(column.item), |item| layout.parent(*item))
        .filter(|item| items[*item].occurs.is_some())
        .collect();
    arrays.reverse();
    let is_in = |item, array| std::iter::successors(Some(item), |item| layout.parent(*item)).any(|item| item == array);
    let varies =
        |array: usize| (array + 1..items.len()).any(|item| layout.counter(item).is_some() && is_in(item, array));
    let occurrences = column.path.split('[').skip(1).filter_map(|rest| rest.split_once(']')?.0.parse::<usize>().ok());
    let mut place = layout.offset(column.item)?;
    for (array, occurrence) in arrays.into_iter().zip(occurrences) {
        if occurrence > 1 && varies(array) {
            return None;
        }
        place += (occurrence - 1) * layout.len_of(array);
    }
    Some(place)
}

impl Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRecord::Field(error) => error.fmt(f),
            BadRecord::Character { column: Column { path, .. }, ch, is_newline, .. } => {
                let what = if *is_newline { "newline" } else { "control character" };
                write!(f, "field {path} has the {what} U+{:04X}", *ch as u32)
            }
            BadRecord::OtherType { path: Some(path) } => write!(f, "its type is {path}, for which there are no rows"),
            BadRecord::OtherType { path: None } => f.write_str("it has no record type"),
        }
    }
}

/// What ended the work on an input before its end.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The input could not be read, or its records are not what the shape says.
    Input(Error),
    /// A record is longer than the limit.
    Limit { offset: u64, record: u64, limit: usize },
    /// A record has an error. `offset` is its place in the input, in bytes from 0.
    Record { offset: u64, record: u64, error: BadRecord },
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Input(error)
    }
}

impl Trouble {
    /// Returns the error for the report.
    pub(super) fn object(&self) -> ErrorObject {
        match self {
            Trouble::Input(error) => ErrorObject::of(error),
            Trouble::Limit { offset, .. } => ErrorObject::new("record-too-long", self.to_string(), Some(*offset)),
            Trouble::Record { offset, error, .. } => ErrorObject::new(error.code(), self.to_string(), Some(*offset)),
        }
    }
}

impl Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Input(error) => error.kind().fmt(f),
            Trouble::Limit { record, limit, .. } => write!(f, "record {record} is longer than {limit} bytes"),
            Trouble::Record { record, error: BadRecord::Field(error), .. } => error.clone().in_record(*record).fmt(f),
            Trouble::Record { record, error, .. } => write!(f, "record {record}: {error}"),
        }
    }
}
