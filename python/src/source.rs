//! Inputs: paths, objects with the buffer protocol, and Python's file objects. Every function of the package reads them
//! here, by these rules:
//!
//! | object | what is read |
//! |---|---|
//! | has the buffer protocol, such as `bytes`, `array` or `mmap` | all of it, regardless of the position of an `mmap` |
//! | has `read` | from its current position |
//! | `str`, or has `__fspath__` | the file of this name |

use crate::error::{named, raised_inside};
use crate::strings::{Input, Lent, Memory};
use charpipe::records::{NoShape, SNIFFED, Shape, TapeFile, look};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes are read at a time.
const PIECE: usize = 256 << 10;

/// How many bytes show the shape of records: one more than is examined, to know whether there are more.
pub(crate) const SHAPE_BYTES: usize = SNIFFED + 1;

/// An input that was not opened yet.
#[derive(Clone)]
pub(crate) enum Source {
    Path(PathBuf),
    Memory(Arc<Memory>),
    /// A buffer that is copied piece by piece.
    Lent(Arc<Lent>),
    /// A binary file object, and the method that reads from it.
    Object(Arc<Py<PyAny>>, &'static str),
}

impl Source {
    /// Takes a path, an object with the buffer protocol, or a file object.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match Input::of(object) {
            Ok(Input::Memory(memory)) => return Ok(Source::Memory(Arc::new(memory))),
            Ok(Input::Lent(lent)) => return Ok(Source::Lent(Arc::new(lent))),
            Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => return Err(error),
            Err(_) => {}
        }
        if object.hasattr("read")? {
            // `read` of a buffered pipe waits for as many bytes as are asked for, and the sender may wait, too.
            let is_buffered = object.is_instance(&object.py().import("io")?.getattr("BufferedReader")?)?;
            let read = if is_buffered { "read1" } else { "read" };
            return Ok(Source::Object(Arc::new(object.clone().unbind()), read));
        }
        object.extract().map(Source::Path).or_else(|_| {
            let what = object.get_type().name()?;
            Err(PyTypeError::new_err(format!(
                "expected a path, an object with the buffer protocol such as bytes, or a binary file object, not {what}"
            )))
        })
    }

    /// Returns its name, for messages.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Source::Path(path) => Some(path.display().to_string()),
            Source::Memory(_) | Source::Lent(_) => None,
            Source::Object(object, _) => Python::attach(|py| object.bind(py).getattr("name").ok()?.extract().ok()),
        }
    }

    /// Whether it is a file object, which reading moves.
    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Source::Object(..))
    }

    /// Opens it: at its beginning, or a file object where it is.
    pub(crate) fn open(&self) -> PyResult<Reader> {
        let from = match self {
            Source::Path(path) => From::File(File::open(path).map_err(|error| named(&error, path))?),
            Source::Memory(memory) => From::Memory(memory.clone()),
            Source::Lent(lent) => From::Lent(lent.clone(), 0),
            Source::Object(object, read) => From::Object(object.clone(), read),
        };
        Ok(Reader { from, piece: Vec::new(), at: 0 })
    }

    /// Opens it at this offset.
    pub(crate) fn open_at(&self, offset: u64) -> PyResult<Reader> {
        let mut reader = self.open()?;
        reader.seek(SeekFrom::Start(offset)).map_err(|error| self.failed(&error))?;
        Ok(reader)
    }

    /// Reads the first bytes, by which the [shape](found_shape) of records is found. A file object stands where it
    /// preceded.
    pub(crate) fn head(&self) -> PyResult<Vec<u8>> {
        let mut reader = self.open()?;
        let at = if self.is_object() { reader.stream_position() } else { Ok(0) };
        let mut head = Vec::new();
        at.and_then(|at| {
            reader.by_ref().take(SHAPE_BYTES as u64).read_to_end(&mut head)?;
            reader.seek(SeekFrom::Start(at))
        })
        .map_err(|error| self.failed(&error))?;
        Ok(head)
    }

    /// Makes the exception for an input that cannot be read.
    pub(crate) fn failed(&self, error: &io::Error) -> PyErr {
        not_read(error, self.name().as_deref())
    }
}

/// Makes the exception for an input of this name that cannot be read: Python's own if it raised one, else `OSError`.
pub(crate) fn not_read(error: &io::Error, name: Option<&str>) -> PyErr {
    raised_inside(error).unwrap_or_else(|| match name {
        Some(name) => named(error, Path::new(name)),
        None => pyo3::exceptions::PyOSError::new_err(error.to_string()),
    })
}

/// Finds how the records of an input are stored, which begins with [these bytes](Source::head).
pub(crate) fn found_shape(head: &[u8], file: Option<&TapeFile>) -> Result<Shape, NoShape> {
    look(head, head.len() < SHAPE_BYTES, file).shape()
}

/// An open input. Small reads are not buffered, as it may be read in a few places only; [`BufRead`] reads whole pieces.
pub(crate) struct Reader {
    from: From,
    /// What was read: of memory nothing.
    piece: Vec<u8>,
    /// Where the rest of the piece begins, or that of the memory.
    at: usize,
}

enum From {
    File(File),
    Memory(Arc<Memory>),
    /// A buffer, and where its next piece begins.
    Lent(Arc<Lent>, usize),
    Object(Arc<Py<PyAny>>, &'static str),
}

impl Reader {
    /// Returns what was read of the input, or all of its memory, from where it is on.
    fn rest(&self) -> &[u8] {
        let all = if let From::Memory(memory) = &self.from { memory.as_slice() } else { &self.piece };
        all.get(self.at..).unwrap_or_default()
    }

    /// Whether the next piece is to be read.
    fn is_used_up(&self) -> bool {
        self.at == self.piece.len() && !matches!(self.from, From::Memory(_))
    }

    /// Reads the next piece, of about this length, when the last one is used up.
    fn fill(&mut self, len: usize) -> io::Result<()> {
        let Reader { from, piece, at } = self;
        *at = 0;
        if let From::Object(object, read) = from {
            let next = Python::attach(|py| {
                let data = object.bind(py).call_method1(*read, (len,))?;
                Ok::<_, PyErr>(Memory::of(&data)?.as_slice().to_vec())
            });
            piece.clear();
            *piece = next.map_err(io::Error::other)?;
            return Ok(());
        }
        piece.resize(len, 0);
        let read = match from {
            From::File(file) => retried(|| file.read(piece)),
            From::Lent(lent, next) => Ok(lent.read_at(*next, piece)).inspect(|read| *next += read),
            From::Memory(_) | From::Object(..) => Ok(0),
        };
        piece.truncate(*read.as_ref().unwrap_or(&0));
        read.map(drop)
    }
}

/// Tries again what a signal interrupted.
fn retried(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

impl Read for Reader {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.is_used_up() && !room.is_empty() {
            self.fill(room.len().min(PIECE))?;
        }
        let len = self.rest().read(room)?;
        self.at += len;
        Ok(len)
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_used_up() {
            self.fill(PIECE)?;
        }
        let rest = self.rest();
        Ok(&rest[..rest.len().min(PIECE)])
    }

    fn consume(&mut self, len: usize) {
        self.at += len;
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let unread = match self.from {
            From::Memory(_) => 0,
            _ => (self.piece.len() - self.at) as i64,
        };
        let to = match to {
            SeekFrom::Current(offset) => SeekFrom::Current(offset - unread),
            to => to,
        };
        let inside = |to, len: usize, at: usize| {
            let place = match to {
                SeekFrom::Start(offset) => Some(offset),
                SeekFrom::Current(offset) => (at as u64).checked_add_signed(offset),
                SeekFrom::End(offset) => (len as u64).checked_add_signed(offset),
            };
            place.and_then(|place| usize::try_from(place).ok()).ok_or(io::Error::from(io::ErrorKind::InvalidInput))
        };
        let place = match &mut self.from {
            From::File(file) => file.seek(to)?,
            From::Memory(memory) => {
                self.at = inside(to, memory.as_slice().len(), self.at)?;
                return Ok(self.at as u64);
            }
            From::Lent(lent, next) => {
                *next = inside(to, lent.len(), *next)?;
                *next as u64
            }
            From::Object(object, _) => seek(object, to).map_err(io::Error::other)?,
        };
        self.piece.clear();
        self.at = 0;
        Ok(place)
    }
}

/// Moves a file object; returns where it is.
fn seek(object: &Py<PyAny>, to: SeekFrom) -> PyResult<u64> {
    let (offset, whence) = match to {
        SeekFrom::Start(offset) => (offset.cast_signed(), 0),
        SeekFrom::Current(offset) => (offset, 1),
        SeekFrom::End(offset) => (offset, 2),
    };
    Python::attach(|py| {
        let object = object.bind(py);
        object.call_method1("seek", (offset, whence))?;
        object.call_method0("tell")?.extract()
    })
}
