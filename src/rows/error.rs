//! The error of a rows job: [`RowsError`].

use crate::error::{Error, ErrorKind};
use crate::fields::{BadLayout, FieldError};
use crate::records::NoShape;
use std::fmt;

/// Why a rows job cannot begin, or ended before the end of its input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RowsError {
    /// An option is invalid, or the input cannot be read or split into records.
    Stream(Error),
    /// The layout is invalid, or an option asks for something that it does not have.
    Layout(BadLayout),
    /// The shape of the records was to be found from the input, and is not certain.
    NoShape(NoShape),
    /// A record has an error.
    Record {
        /// The offset of the field in the input, in bytes from 0. If the error is not in a field, this is the offset of
        /// the bytes that cause it (such as the first byte after the layout), or else of the first byte of the record's
        /// data.
        offset: u64,
        /// The error, with the number of the record, the field and its bytes.
        error: FieldError,
    },
    /// A [nested](super::RowsJob::nest) row would be too long.
    NestTooLong {
        /// The number of the record with which it is, from 1.
        record: u64,
        /// Where this record begins in the input, in bytes from 0.
        offset: u64,
        /// The number of the first record in the row.
        first: u64,
        /// The most bytes that a row can have.
        limit: usize,
    },
}

impl RowsError {
    /// Returns a short name for programs, which never changes: `bad-number`, `bad-layout`, `record-cut` …
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            RowsError::Stream(error) => error.code(),
            RowsError::Layout(_) => "bad-layout",
            RowsError::NoShape(why) => why.code(),
            RowsError::Record { error, .. } => error.code(),
            RowsError::NestTooLong { .. } => "row-too-long",
        }
    }

    /// Returns the place in the input, in bytes from 0; `None` if the error is not in the input.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            RowsError::Stream(error) => error.offset(),
            RowsError::Layout(_) => None,
            RowsError::NoShape(_) => Some(0),
            RowsError::Record { offset, .. } | RowsError::NestTooLong { offset, .. } => Some(*offset),
        }
    }
}

impl From<Error> for RowsError {
    fn from(error: Error) -> Self {
        RowsError::Stream(error)
    }
}

impl From<BadLayout> for RowsError {
    fn from(error: BadLayout) -> Self {
        RowsError::Layout(error)
    }
}

impl From<NoShape> for RowsError {
    fn from(why: NoShape) -> Self {
        RowsError::NoShape(why)
    }
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowsError::Stream(error) => error.fmt(f),
            RowsError::Layout(error) => write!(f, "layout: {error}"),
            RowsError::NoShape(why) => why.fmt(f),
            RowsError::Record { offset, error } => write!(f, "byte {offset}: {error}"),
            RowsError::NestTooLong { record, first, limit, .. } => {
                write!(
                    f,
                    "record {record}: with it, the row that begins with record {first} has more than {limit} bytes"
                )
            }
        }
    }
}

impl std::error::Error for RowsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RowsError::Stream(error) => Some(error),
            RowsError::Layout(error) => Some(error),
            RowsError::NoShape(_) | RowsError::NestTooLong { .. } => None,
            RowsError::Record { error, .. } => Some(error),
        }
    }
}

/// Makes the error for options that contradict each other.
pub(super) fn contradicts(option: &str, why: impl Into<String>) -> Error {
    ErrorKind::BadOption { option: option.to_owned(), why: why.into() }.into()
}
