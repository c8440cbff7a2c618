//! Errors as a caller in another language sees them.

use charpipe::{Error, ErrorKind, Hex};
#[cfg(feature = "inspect")]
use charpipe::{fields::FieldError, rows::RowsError};
use serde::Serialize;
#[cfg(feature = "inspect")]
use serde_json::json;
use serde_json::{Map, Value};

/// The last error of a handle.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// An error of the library: the input, or the options.
    Library(Error),
    /// An error of a conversion to rows: the layout, or the input.
    #[cfg(feature = "inspect")]
    Rows(RowsError),
    /// The caller called a function in a way that it does not allow.
    Usage(String),
    /// A panic, which is a bug.
    Internal,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

impl Failure {
    /// Returns a short name for programs, which never changes.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Failure::Library(error) => error.code(),
            #[cfg(feature = "inspect")]
            Failure::Rows(error) => error.code(),
            Failure::Usage(_) => "usage",
            Failure::Internal => "internal",
        }
    }

    /// Returns the message for people, which begins with the position if there is one.
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Library(error) => error.to_string(),
            #[cfg(feature = "inspect")]
            Failure::Rows(error) => error.to_string(),
            Failure::Usage(message) => message.clone(),
            Failure::Internal => "a bug in charpipe: it panicked".to_owned(),
        }
    }

    /// Returns the position in the input, in bytes from 0.
    pub(crate) fn offset(&self) -> Option<u64> {
        match self {
            Failure::Library(error) => error.offset(),
            #[cfg(feature = "inspect")]
            Failure::Rows(error) => error.offset(),
            Failure::Usage(_) | Failure::Internal => None,
        }
    }

    /// Returns the line, from 1.
    pub(crate) fn line(&self) -> Option<u64> {
        if let Failure::Library(error) = self { error.position().map(|at| at.line) } else { None }
    }

    /// Returns the column in the line or in the record, from 1.
    pub(crate) fn column(&self) -> Option<u64> {
        let Failure::Library(error) = self else { return None };
        error.position().map(|at| at.column).or(self.record().map(|(_, column)| column))
    }

    /// Returns the number of the record and the column in it, both from 1.
    pub(crate) fn record(&self) -> Option<(u64, u64)> {
        let Failure::Library(error) = self else { return None };
        error.record().map(|place| (place.number, place.column))
    }

    /// Returns the error as JSON: the keys of the command's reports, and `bytes` (in hex) or `char` if it is about
    /// malformed bytes or about a character. The message leaves out the position.
    pub(crate) fn json(&self) -> Value {
        #[cfg(feature = "inspect")]
        if let Failure::Rows(error) = self {
            return wrong(error.clone());
        }
        let Failure::Library(error) = self else {
            let pairs = [("code", self.code().into()), ("message", self.message().into()), ("offset", Value::Null)];
            return Value::Object(pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect());
        };
        let mut keys = object(error);
        match error.kind() {
            ErrorKind::Malformed { bytes, .. } | ErrorKind::BadHeader { header: bytes, .. } => {
                keys.insert("bytes".to_owned(), format!("{:X}", Hex(bytes)).into());
            }
            ErrorKind::Unmappable { ch, .. } | ErrorKind::Control { ch, .. } => {
                keys.insert("char".to_owned(), ch.to_string().into());
            }
            _ => {}
        }
        Value::Object(keys)
    }
}

/// Returns the keys and values of what is written as an object.
pub(crate) fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

/// Returns the error of a rows job: of the layout, of an option, or of the input. The line and the column count from 1. They
/// are null if they are not known.
#[cfg(feature = "inspect")]
pub(crate) fn wrong(error: RowsError) -> Value {
    match error {
        RowsError::Layout(error) => {
            let known = |number: usize| (number > 0).then_some(number);
            let (line, column) = (known(error.line), known(error.column));
            json!({ "code": "bad-layout", "message": error.what, "offset": null, "line": line, "column": column })
        }
        RowsError::Stream(error) => Failure::from(error).json(),
        RowsError::Record { offset, error } => {
            let mut keys = bad_field(&error);
            keys["message"] = error.to_string().into();
            (keys["offset"], keys["record"]) = (offset.into(), error.record().into());
            keys
        }
        other => json!({ "code": other.code(), "message": other.to_string(), "offset": other.offset() }),
    }
}

/// Returns the error of a field. The offset is that in the record.
#[cfg(feature = "inspect")]
pub(crate) fn bad_field(error: &FieldError) -> Value {
    json!({
        "code": error.code(),
        "message": error.message(),
        "offset": error.offset(),
        "bytes": format!("{:X}", Hex(error.bytes())),
        "field": Some(error.path()).filter(|path| !path.is_empty()),
    })
}
