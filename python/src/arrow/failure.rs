//! Errors in records, as Python exceptions.

use crate::error::raised;
use crate::source::not_read;
use charpipe::fields::FieldError;
use charpipe::rows::RowsError;
use charpipe::{Error, ErrorKind};
use charpipe_arrow_input::BadValue;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fmt;
use std::sync::Arc;

/// The error that ends a run.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The input, or a record in it.
    Rows(RowsError),
    /// A field of a record that is written.
    Field(FieldError),
    /// A value of a batch that is not what its type says.
    Value { record: u64, field: String, code: &'static str, bytes: Vec<u8>, what: String },
    /// The values cannot be put together.
    Batch(String),
    /// The next input cannot be opened. The exception names it.
    NotOpened(Arc<PyErr>),
}

/// Says where, then what: `byte 506: record 2, field AMOUNT, columns 6-8: 40 40 40 is not a number; …`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Rows(error) => error.fmt(f),
            Failure::Field(error) => error.fmt(f),
            Failure::Value { record, field, what, .. } => write!(f, "record {record}, field {field}: {what}"),
            Failure::Batch(what) => f.write_str(what),
            Failure::NotOpened(error) => Python::attach(|py| error.value(py).fmt(f)),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Rows(error.into())
    }
}

impl Failure {
    /// Makes the error for a value of a batch that cannot be written, because it is not what its type says.
    pub(super) fn of_value(record: u64, path: &str, bad: BadValue<'_>) -> Self {
        let (code, bytes) = match bad {
            BadValue::NotUtf8(bytes) => ("malformed", bytes.to_vec()),
            _ => ("bad-batch", Vec::new()),
        };
        Failure::Value { record, field: path.to_owned(), code, bytes, what: bad.to_string() }
    }

    /// Makes the error for a value that is not a date of the pattern of its field.
    pub(super) fn of_date(record: u64, path: &str, what: String) -> Self {
        Failure::Value { record, field: path.to_owned(), code: "bad-date", bytes: Vec::new(), what }
    }

    /// Returns the message. `name` is that of the input, if it has one.
    pub(super) fn message(&self, name: Option<&str>) -> String {
        match name {
            Some(name) if !matches!(self, Failure::NotOpened(_)) => format!("{name}: {self}"),
            _ => self.to_string(),
        }
    }

    /// Makes the exception. `name` is that of the input, if it has one.
    pub(super) fn raise(&self, name: Option<&str>) -> PyErr {
        if let Failure::Rows(RowsError::Stream(error)) = self
            && let ErrorKind::Read { source, .. } | ErrorKind::Write { source, .. } = error.kind()
        {
            return not_read(source, name);
        }
        if let Failure::NotOpened(error) = self {
            return Python::attach(|py| error.clone_ref(py));
        }
        let message = self.message(name);
        Python::attach(|py| self.exception(py, message)).unwrap_or_else(|failure| failure)
    }

    fn exception(&self, py: Python<'_>, message: String) -> PyResult<PyErr> {
        let bytes_of = |bytes| Some(PyBytes::new(py, bytes));
        let path_of = |error: &FieldError| Some(error.path().to_owned()).filter(|path| !path.is_empty());
        let (code, offset, record, field, bytes) = match self {
            Failure::Rows(RowsError::Record { offset, error }) => {
                (error.code(), Some(*offset), Some(error.record()), path_of(error), bytes_of(error.bytes()))
            }
            Failure::Rows(RowsError::Stream(error)) => {
                let header =
                    if let ErrorKind::BadHeader { header, .. } = error.kind() { bytes_of(header) } else { None };
                (error.code(), error.offset(), record_of(error), None, header)
            }
            Failure::Rows(error) => (error.code(), error.offset(), None, None, None),
            Failure::Field(error) => {
                (error.code(), None, Some(error.record()), path_of(error), bytes_of(error.bytes()))
            }
            Failure::Value { record, field, code, bytes, .. } => {
                (*code, None, Some(*record), Some(field.clone()), bytes_of(bytes))
            }
            Failure::Batch(_) | Failure::NotOpened(_) => ("bad-batch", None, None, None, None),
        };
        let arguments = (message, code, offset, record, field, bytes);
        Ok(PyErr::from_value(py.import("charpipe._errors")?.call_method1("in_record", arguments)?))
    }
}

fn record_of(error: &Error) -> Option<u64> {
    match *error.kind() {
        ErrorKind::BadHeader { record, .. }
        | ErrorKind::RecordCut { record, .. }
        | ErrorKind::BadRecordLength { record, .. }
        | ErrorKind::RecordTooLong { record, .. } => Some(record),
        _ => error.record().map(|place| place.number),
    }
}

/// Makes the exception for a job that cannot begin. `name` is that of the input, if it has one.
pub(super) fn refused(error: impl Into<RowsError>, name: Option<&str>) -> PyErr {
    match error.into() {
        RowsError::Stream(error) => match error.kind() {
            ErrorKind::Read { source, .. } => not_read(source, name),
            _ => Python::attach(|py| raised(py, &error)),
        },
        RowsError::NoShape(why) => {
            let name = name.map_or_else(String::new, |name| format!("{name}: "));
            bad(format!("{name}records=\"auto\": {why}"))
        }
        error => bad(error),
    }
}

pub(super) fn bad(what: impl ToString) -> PyErr {
    PyValueError::new_err(what.to_string())
}
