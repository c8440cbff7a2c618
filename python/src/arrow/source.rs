//! Inputs of records: files, objects with the buffer protocol, and Python's file objects.

use super::failure::not_read;
use crate::strings::{Input, Lent, Memory};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much is read from a file at once.
const FILE_BUFFER: usize = 256 * 1024;
/// How much is read from a Python object at once: each call takes the interpreter's lock.
const OBJECT_BUFFER: usize = 4 << 20;

/// An input that was not opened yet.
pub(super) enum Source {
    Path(PathBuf),
    Buffer(Arc<Memory>),
    /// A buffer that is copied piece by piece.
    Lent(Arc<Lent>),
    /// An object with `read`, and for parts of it `seek`.
    Object(Py<PyAny>),
}

pub(super) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

impl Source {
    /// Takes a path, bytes, or a file object.
    pub(super) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(path) = object.extract::<PathBuf>() {
            return Ok(Source::Path(path));
        }
        match Input::of(object) {
            Ok(Input::Memory(memory)) => return Ok(Source::Buffer(Arc::new(memory))),
            Ok(Input::Lent(lent)) => return Ok(Source::Lent(Arc::new(lent))),
            Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => return Err(error),
            Err(_) => {}
        }
        if object.hasattr("read")? {
            return Ok(Source::Object(object.clone().unbind()));
        }
        let what = object.get_type().name()?;
        Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "expected a path, an object with the buffer protocol such as bytes, or a binary file object, not {what}"
        )))
    }

    /// Returns its name, for messages.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Source::Path(path) => Some(path.display().to_string()),
            Source::Buffer(_) | Source::Lent(_) => None,
            Source::Object(object) => Python::attach(|py| object.bind(py).getattr("name").ok()?.extract().ok()),
        }
    }

    /// Opens it, for looking at several places.
    pub(super) fn open(&self) -> PyResult<Box<dyn ReadSeek>> {
        Ok(match self {
            Source::Path(path) => Box::new(open(path)?),
            Source::Buffer(buffer) => Box::new(Cursor::new(Shared(buffer.clone()))),
            Source::Lent(lent) => Box::new(Pieces { lent: lent.clone(), at: 0 }),
            Source::Object(object) => Box::new(Object(Python::attach(|py| object.clone_ref(py)))),
        })
    }

    /// Opens it for reading: at byte `begin`, or a file object where it is, so that a pipe can be read.
    pub(super) fn reader(&self, begin: Option<u64>) -> PyResult<Box<dyn BufRead + Send>> {
        if let Source::Buffer(buffer) = self {
            let mut cursor = Cursor::new(Shared(buffer.clone()));
            cursor.set_position(begin.unwrap_or(0));
            return Ok(Box::new(cursor));
        }
        let room = if matches!(self, Source::Object(_) | Source::Lent(_)) { OBJECT_BUFFER } else { FILE_BUFFER };
        let mut input = self.open()?;
        if let Some(begin) = begin {
            input.seek(SeekFrom::Start(begin)).map_err(|error| not_read(&error, self.name().as_deref()))?;
        }
        Ok(Box::new(BufReader::with_capacity(room, input)))
    }

    /// Reads the first bytes, at most `len`. A file object is where it was afterwards.
    pub(super) fn head(&self, len: u64) -> PyResult<Vec<u8>> {
        let mut head = Vec::new();
        let mut input = self.open()?;
        let at = self.position(&mut input)?;
        let read = input.by_ref().take(len).read_to_end(&mut head);
        read.map_err(|error| not_read(&error, self.name().as_deref()))?;
        self.go_to(&mut input, at)?;
        Ok(head)
    }

    /// Returns where a file object is; `None` for other sources, which are opened anew each time.
    pub(super) fn position(&self, input: &mut Box<dyn ReadSeek>) -> PyResult<Option<u64>> {
        let Source::Object(_) = self else { return Ok(None) };
        let at = input.stream_position().map_err(|error| not_read(&error, self.name().as_deref()))?;
        Ok(Some(at))
    }

    /// Leads a file object back to where it was.
    pub(super) fn go_to(&self, input: &mut Box<dyn ReadSeek>, at: Option<u64>) -> PyResult<()> {
        let Some(at) = at else { return Ok(()) };
        input.seek(SeekFrom::Start(at)).map(drop).map_err(|error| not_read(&error, self.name().as_deref()))
    }
}

fn open(path: &Path) -> PyResult<File> {
    let name = path.display().to_string();
    File::open(path).map_err(|error| not_read(&error, Some(&name)))
}

/// A buffer that several readers share.
struct Shared(Arc<Memory>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

/// A buffer that is copied piece by piece, which several readers share.
struct Pieces {
    lent: Arc<Lent>,
    at: u64,
}

impl Read for Pieces {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let Ok(at) = usize::try_from(self.at) else { return Ok(0) };
        let len = self.lent.read_at(at, room);
        self.at += len as u64;
        Ok(len)
    }
}

impl Seek for Pieces {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let from = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(offset) => self.at.checked_add_signed(offset),
            SeekFrom::End(offset) => (self.lent.len() as u64).checked_add_signed(offset),
        };
        self.at = from.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A Python file object.
struct Object(Py<PyAny>);

fn raised(error: PyErr) -> io::Error {
    io::Error::other(error)
}

impl Read for Object {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (room.len(),)).map_err(raised)?;
            let bytes = read.cast::<PyBytes>().map_err(|error| raised(error.into()))?.as_bytes();
            let Some(start) = room.get_mut(..bytes.len()) else {
                return Err(io::Error::other("read() returned more bytes than it was asked for"));
            };
            start.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

impl Seek for Object {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (offset.cast_signed(), 0),
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        Python::attach(|py| {
            let object = self.0.bind(py);
            object.call_method1("seek", (offset, whence)).map_err(raised)?;
            object.call_method0("tell").and_then(|at| at.extract::<u64>()).map_err(raised)
        })
    }
}
