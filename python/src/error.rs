//! Errors of the library as Python's exceptions. The classes are in `charpipe/_errors.py`.

use charpipe::{Error, ErrorKind};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::io;
use std::path::Path;

/// Returns the exception for an error of the library.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    made(py, error).unwrap_or_else(|failure| failure)
}

fn made(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    // An error of Python's own, from a file object or Ctrl-C, comes back as it was.
    if let ErrorKind::Read { source, .. } | ErrorKind::Write { source, .. } = error.kind()
        && let Some(inner) = source.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>())
    {
        return Ok(inner.clone_ref(py));
    }
    let record = error.record();
    let arguments = (
        error.to_string(),
        error.code(),
        error.offset(),
        record.map(|record| record.number),
        record.map(|record| record.column),
    );
    let os_error = match error.kind() {
        ErrorKind::Read { source, .. } | ErrorKind::Write { source, .. } | ErrorKind::TableFile { source, .. } => {
            source.raw_os_error()
        }
        _ => None,
    };
    let errors = py.import("charpipe._errors")?;
    let exception = errors.call_method1("made", (arguments, os_error))?;
    Ok(PyErr::from_value(exception))
}

/// Returns Python's own exception if that is what the error is.
pub(crate) fn raised_inside(error: &io::Error) -> Option<PyErr> {
    let raised = error.get_ref()?.downcast_ref::<PyErr>()?;
    Some(Python::attach(|py| raised.clone_ref(py)))
}

/// Returns the `OSError` for a file, with its name.
pub(crate) fn named(error: &io::Error, path: &Path) -> PyErr {
    let text = error.to_string();
    // Errors of the library's own rules have no number, but Python chooses the class by it. These are the same everywhere.
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

/// Returns the exception for a codec that broke its contract.
pub(crate) fn broken(name: &str, what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("the codec {name} is broken: it {what}"))
}

/// Returns what an error handler returned: a replacement and the position at which to go on, which is within `len`. The
/// length is asked for after the call.
pub(crate) fn handled<'py>(
    py: Python<'py>,
    errors: &str,
    exception: &PyErr,
    len: impl FnOnce() -> PyResult<usize>,
    kind: &str,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    use pyo3::exceptions::{PyIndexError, PyTypeError};
    let handler = py.import("codecs")?.call_method1("lookup_error", (errors,))?;
    let result = handler.call1((exception.value(py),))?;
    let len = len()?;
    let expected = || {
        PyTypeError::new_err(format!(
            "{kind} error handler must return ({expected}, int) tuple",
            expected = if kind == "decoding" { "str" } else { "str/bytes" }
        ))
    };
    let tuple = result.cast::<pyo3::types::PyTuple>().map_err(|_| expected())?;
    if tuple.len() != 2 {
        return Err(expected());
    }
    let replacement = tuple.get_item(0)?;
    let is_text = replacement.is_instance_of::<PyString>();
    if !is_text && (kind == "decoding" || !replacement.is_instance_of::<pyo3::types::PyBytes>()) {
        return Err(expected());
    }
    let position = tuple.get_item(1)?;
    if !position.is_instance_of::<pyo3::types::PyInt>() {
        return Err(expected());
    }
    let out_of_bounds = |position: &Bound<'_, PyAny>| {
        PyIndexError::new_err(format!("position {position} from error handler out of bounds"))
    };
    let Ok(mut at) = position.extract::<isize>() else { return Err(out_of_bounds(&position)) };
    if at < 0 {
        at = at.saturating_add_unsigned(len);
    }
    match usize::try_from(at).ok().filter(|at| *at <= len) {
        Some(at) => Ok((replacement, at)),
        None => Err(out_of_bounds(&position)),
    }
}
