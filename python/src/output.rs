//! Outputs: paths, which the library replaces when the output is complete, and Python's file objects.

use crate::error::{named, raised_inside};
use charpipe::files::OutputFile;
use pyo3::exceptions::{PyBlockingIOError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How many bytes are collected before they are written to a file.
const BUFFER_BYTES: usize = 256 << 10;

/// Where output goes.
pub(crate) enum Output {
    /// A path. Dropped without [`commit`](Self::commit), the output leaves an old file as it was.
    File(BufWriter<OutputFile>, PathBuf),
    /// A binary file object.
    Object(Py<PyAny>),
}

impl Output {
    /// Opens a path, or takes a file object.
    pub(crate) fn of(output: &Bound<'_, PyAny>) -> PyResult<Self> {
        if output.hasattr("write")? {
            return Ok(Output::Object(output.clone().unbind()));
        }
        let path: PathBuf = output.extract()?;
        let file = opened(output.py(), &path, |path| OutputFile::open_unless(path, check_signals))?;
        Ok(Output::File(BufWriter::with_capacity(BUFFER_BYTES, file), path))
    }

    /// Returns the name of the path, for messages.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Output::File(_, path) => Some(path.display().to_string()),
            Output::Object(_) => None,
        }
    }

    /// Finishes the output: a new file takes the place of the old one.
    pub(crate) fn commit(mut self) -> PyResult<()> {
        match self {
            Output::File(file, path) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                file.and_then(OutputFile::commit).map_err(|error| named(&error, &path))
            }
            Output::Object(_) => self.flush().map_err(|error| raised_inside(&error).unwrap_or_else(|| error.into())),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file, _) => file.write(bytes),
            Output::Object(object) => Python::attach(|py| {
                let object = object.bind(py);
                let written = object.call_method1("write", (PyBytes::new(py, bytes),))?;
                how_many(object, &written, bytes.len())
            })
            .map_err(io::Error::other),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file, _) => file.flush(),
            Output::Object(object) => Python::attach(|py| match object.bind(py).hasattr("flush")? {
                true => object.bind(py).call_method0("flush").map(|_| ()),
                false => Ok(()),
            })
            .map_err(io::Error::other),
        }
    }
}

/// Returns how many of `len` bytes a file object wrote, by what its `write` returned. Raw files may write less.
fn how_many(object: &Bound<'_, PyAny>, returned: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    if returned.is_none() {
        // A raw file says with this that it took nothing, and would block. Other objects that return nothing wrote all.
        let raw = object.py().import("io")?.getattr("RawIOBase")?;
        return match object.is_instance(&raw)? {
            true => Err(PyBlockingIOError::new_err("write() would block")),
            false => Ok(len),
        };
    }
    // Python's own buffered files do not believe any other number either.
    returned.extract().ok().filter(|written| *written <= len).ok_or_else(|| {
        let shown = returned.repr().map_or_else(|_| "?".to_owned(), |repr| repr.to_string());
        PyOSError::new_err(format!("write() returned {shown} instead of a number from 0 to {len}"))
    })
}

/// Opens a path. Other threads of Python continue meanwhile, as a FIFO is waited for until someone reads it.
fn opened<T: Send>(py: Python<'_>, path: &Path, open: impl FnOnce(&Path) -> io::Result<T> + Send) -> PyResult<T> {
    py.detach(|| open(path)).map_err(|error| raised_inside(&error).unwrap_or_else(|| named(&error, path)))
}

/// Runs Python's signal handlers, so that Ctrl-C ends the waiting.
fn check_signals() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::other)
}

/// Opens a path in place for Python's `open`, in mode `w`, `a` or `x`, and returns the descriptor.
#[cfg(unix)]
#[pyfunction]
pub(crate) fn open_output(py: Python<'_>, path: PathBuf, mode: char) -> PyResult<i32> {
    use charpipe::files::Content;
    use std::os::fd::IntoRawFd;

    let content = match mode {
        'a' => Content::Kept,
        'x' => Content::None,
        _ => Content::Removed,
    };
    let open = |path: &Path| OutputFile::open_in_place_unless(path, content, check_signals);
    Ok(opened(py, &path, open)?.into_raw_fd())
}
