//! What can go wrong with records, as Python exceptions.

use charpipe::fields::FieldError;
use charpipe::{Error, ErrorKind};
use charpipe_arrow_input::BadValue;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fmt;

/// What is wrong with a field of a record, or with the record as a whole.
#[derive(Clone, Debug)]
pub(super) struct BadField {
    pub(super) record: u64,
    pub(super) field: String,
    pub(super) code: &'static str,
    pub(super) bytes: Vec<u8>,
    /// The whole message, with the record and the field.
    pub(super) message: String,
}

impl From<FieldError> for BadField {
    fn from(error: FieldError) -> Self {
        BadField {
            record: error.record(),
            field: error.path().to_owned(),
            code: error.code(),
            bytes: error.bytes().to_vec(),
            message: error.to_string(),
        }
    }
}

impl BadField {
    /// Makes the error for a value of a batch that cannot be written, because it is not what its type says.
    pub(super) fn of_value(record: u64, path: &str, bad: BadValue<'_>) -> Self {
        let (code, bytes) = match bad {
            BadValue::NotUtf8(bytes) => ("malformed", bytes.to_vec()),
            _ => ("bad-batch", Vec::new()),
        };
        let message = format!("record {record}, field {path}: {bad}");
        BadField { record, field: path.to_owned(), code, bytes, message }
    }
}

/// What ends a run.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The records, or how they are stored.
    Input(Error),
    /// A field of the record that begins at this offset of the input.
    Field(Box<BadField>, Option<u64>),
    /// The values cannot be put together.
    Batch(String),
}

/// Says where, then what: `byte 500: record 2, field AMOUNT, columns 6-8: 40 40 40 is not a number; …`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(error) => error.fmt(f),
            Failure::Field(bad, Some(offset)) => write!(f, "byte {offset}: {}", bad.message),
            Failure::Field(bad, None) => f.write_str(&bad.message),
            Failure::Batch(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Input(error)
    }
}

impl Failure {
    /// Makes the exception. `name` is that of the input, if it has one.
    pub(super) fn raise(&self, name: Option<&str>) -> PyErr {
        if let Failure::Input(error) = self
            && let ErrorKind::Read { source, .. } | ErrorKind::Write { source, .. } = error.kind()
        {
            return not_read(source, name);
        }
        let message = match name {
            Some(name) => format!("{name}: {self}"),
            None => self.to_string(),
        };
        Python::attach(|py| self.exception(py, message)).unwrap_or_else(|failure| failure)
    }

    fn exception(&self, py: Python<'_>, message: String) -> PyResult<PyErr> {
        let (code, offset, record, field, bytes) = match self {
            Failure::Input(error) => (error.code(), error.offset(), record_of(error), None, None),
            Failure::Field(bad, offset) => (
                bad.code,
                *offset,
                Some(bad.record),
                Some(&*bad.field).filter(|field| !field.is_empty()),
                Some(PyBytes::new(py, &bad.bytes)),
            ),
            Failure::Batch(_) => ("bad-batch", None, None, None, None),
        };
        let arguments = (message, code, offset, record, field, bytes);
        Ok(PyErr::from_value(py.import("charpipe._errors")?.call_method1("in_record", arguments)?))
    }
}

fn record_of(error: &Error) -> Option<u64> {
    match *error.kind() {
        ErrorKind::BadHeader { record, .. }
        | ErrorKind::RecordCut { record, .. }
        | ErrorKind::RecordTooLong { record, .. } => Some(record),
        _ => error.record().map(|place| place.number),
    }
}

/// Makes the `OSError` for an input that cannot be read; if Python raised it, that exception.
pub(super) fn not_read(error: &std::io::Error, name: Option<&str>) -> PyErr {
    if let Some(raised) = error.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>()) {
        return Python::attach(|py| raised.clone_ref(py));
    }
    match (error.raw_os_error(), name) {
        (Some(number), Some(name)) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            pyo3::exceptions::PyOSError::new_err((number, text, name.to_owned()))
        }
        _ => pyo3::exceptions::PyOSError::new_err(error.to_string()),
    }
}
