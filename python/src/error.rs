//! Errors of the library as Python's exceptions. The classes are in `charpipe/_errors.py`.

use charpipe::{Error, ErrorKind};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyIndexError, PyOSError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};
use std::io;
use std::ops::Range;
use std::path::Path;

/// Returns the exception for an error of the library.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    made(py, error).unwrap_or_else(|failure| failure)
}

fn made(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let source = match error.kind() {
        ErrorKind::Read { source, .. } | ErrorKind::Write { source, .. } | ErrorKind::TableFile { source, .. } => {
            Some(source)
        }
        _ => None,
    };
    // An error of Python's own, from a file object or Ctrl-C, comes back as it was.
    if let Some(raised) = source.and_then(raised_inside) {
        return Ok(raised);
    }
    let (number, column) = error.record().map(|record| (record.number, record.column)).unzip();
    let (line, text_column) = error.position().map(|at| (at.line, at.column)).unzip();
    let arguments = (error.to_string(), error.code(), error.offset(), line, number, text_column.or(column));
    let os_error = source.and_then(io::Error::raw_os_error);
    py.import("charpipe._errors")?.call_method1("made", (arguments, os_error)).map(PyErr::from_value)
}

/// Returns Python's own exception if that is what the error is.
pub(crate) fn raised_inside(error: &io::Error) -> Option<PyErr> {
    let raised = error.get_ref()?.downcast_ref::<PyErr>()?;
    Some(Python::attach(|py| raised.clone_ref(py)))
}

/// Returns the `OSError` for a file, with its name.
pub(crate) fn named(error: &io::Error, path: &Path) -> PyErr {
    let text = error.to_string();
    // Errors of the library's own rules have no number, but Python chooses the class by it. These are the same
    // everywhere.
    let number = error.raw_os_error().or(match error.kind() {
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::AlreadyExists => Some(17),
        io::ErrorKind::IsADirectory => Some(21),
        _ => None,
    });
    match number {
        Some(number) => {
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}

/// Returns the exception for the error in a part of bytes or text: a `UnicodeDecodeError` or `UnicodeEncodeError`.
pub(crate) fn wrong_part<T: PyTypeInfo>(
    name: &str,
    object: &Bound<'_, PyAny>,
    part: Range<usize>,
    reason: &str,
) -> PyResult<PyErr> {
    let arguments = (name, object, part.start, part.end, reason);
    object.py().get_type::<T>().call1(arguments).map(PyErr::from_value)
}

/// Returns the exception for a codec that broke its contract.
pub(crate) fn broken(name: &str, what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("the codec {name} is broken: it {what}"))
}

/// Returns what an error handler returned: a replacement and the position at which to continue, which is within `len`.
/// The length is asked for after the call.
pub(crate) fn handled<'py>(
    py: Python<'py>,
    errors: &str,
    exception: &PyErr,
    len: impl FnOnce() -> PyResult<usize>,
    kind: &str,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let handler = py.import("codecs")?.call_method1("lookup_error", (errors,))?;
    let result = handler.call1((exception.value(py),))?;
    let len = len()?;
    let is_decoding = kind == "decoding";
    let unexpected = || {
        let expected = if is_decoding { "str" } else { "str/bytes" };
        PyTypeError::new_err(format!("{kind} error handler must return ({expected}, int) tuple"))
    };
    let (replacement, position): (Bound<'py, PyAny>, Bound<'py, PyAny>) = result.extract().map_err(|_| unexpected())?;
    let is_text = replacement.is_instance_of::<PyString>();
    let is_replacement = is_text || !is_decoding && replacement.is_instance_of::<PyBytes>();
    if !is_replacement || !position.is_instance_of::<PyInt>() {
        return Err(unexpected());
    }
    let at = position.extract::<isize>().ok().map(|at| if at < 0 { at.saturating_add_unsigned(len) } else { at });
    match at.and_then(|at| usize::try_from(at).ok()).filter(|at| *at <= len) {
        Some(at) => Ok((replacement, at)),
        None => Err(PyIndexError::new_err(format!("position {position} from error handler out of bounds"))),
    }
}
