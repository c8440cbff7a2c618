//! Reads and makes Python's strings and buffers. This is the only file with `unsafe`.
//!
//! Python's strings are Latin-1, UCS-2 or UCS-4. The stable ABI reads and makes all of them by Latin-1 and UTF-16, at the
//! speed of a copy, and by UTF-8 at a third of that. `benches/codecs.py` measures what that is worth.

#![allow(unsafe_code)]

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ffi::c_char;

/// The bytes of a Python object, without a copy.
pub(crate) enum Data<'a, 'py> {
    Bytes(&'a Bound<'py, PyBytes>),
    Buffer(Buffer),
}

/// A contiguous buffer that a Python object lends.
pub(crate) struct Buffer(ffi::Py_buffer);

// SAFETY: The object that lends the buffer keeps it where it is until it is released, whichever thread does that; the GIL is
// held then (see `drop`). The bytes are only read.
unsafe impl Send for Buffer {}

// SAFETY: As above; a shared reference only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Borrows the bytes of anything that has the buffer protocol.
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut view = std::mem::MaybeUninit::uninit();
        // SAFETY: The object is alive and the GIL is held. If the call succeeds, it has filled in the view. A simple view
        // has no pointers into itself, so it can be moved.
        unsafe {
            match ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), ffi::PyBUF_SIMPLE) {
                0 => Ok(Buffer(view.assume_init())),
                _ => Err(PyErr::fetch(object.py())),
            }
        }
    }

    fn as_slice(&self) -> &[u8] {
        match usize::try_from(self.0.len) {
            Ok(len @ 1..) => {
                // SAFETY: The view has this many bytes, and is not released before `self` is dropped. Nothing writes to it
                // in that time: who uses the slice runs no Python code and keeps the GIL, unless it is read-only.
                unsafe { std::slice::from_raw_parts(self.0.buf.cast::<u8>(), len) }
            }
            _ => &[],
        }
    }

    fn is_read_only(&self) -> bool {
        self.0.readonly != 0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: The view was filled in, is released once, and the GIL is held.
        Python::attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut self.0) });
    }
}

impl<'a, 'py> Data<'a, 'py> {
    /// Borrows the bytes of anything that has the buffer protocol.
    pub(crate) fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Data::Bytes(bytes));
        }
        Ok(Data::Buffer(Buffer::of(object)?))
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Data::Bytes(bytes) => bytes.as_bytes(),
            Data::Buffer(buffer) => buffer.as_slice(),
        }
    }

    /// Returns whether nobody can change the bytes, so that they can be read without the GIL and across calls of Python.
    pub(crate) fn is_constant(&self) -> bool {
        match self {
            Data::Bytes(_) => true,
            Data::Buffer(buffer) => buffer.is_read_only(),
        }
    }
}

/// Makes a string of Latin-1.
pub(crate) fn from_latin1<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: The pointer and the length are those of a slice, the GIL is held, and the result is a new string or null.
    let text = unsafe {
        let text = ffi::PyUnicode_DecodeLatin1(bytes.as_ptr().cast::<c_char>(), bytes.len() as isize, std::ptr::null());
        Bound::from_owned_ptr_or_err(py, text)?
    };
    Ok(text.cast_into::<PyString>()?)
}

/// Makes a string of UTF-16 in the byte order of this machine, without a byte order mark.
pub(crate) fn from_utf16<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let mut order = if cfg!(target_endian = "big") { 1 } else { -1 };
    // SAFETY: The pointer and the length are those of a slice, which needs no alignment; the GIL is held, and the result is
    // a new string or null.
    let text = unsafe {
        let (bytes, len) = (bytes.as_ptr().cast::<c_char>(), bytes.len() as isize);
        Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_DecodeUTF16(bytes, len, std::ptr::null(), &raw mut order))?
    };
    Ok(text.cast_into::<PyString>()?)
}

/// Returns the string as Latin-1 after `change` has gone over the bytes; `None` if it has other characters. `change` may
/// release the GIL.
pub(crate) fn to_latin1<'py, T>(
    text: &Bound<'py, PyString>,
    change: impl FnOnce(&mut [u8]) -> T,
) -> PyResult<Option<(Bound<'py, PyBytes>, T)>> {
    // SAFETY: The argument is a string, the GIL is held, and the result is a new `bytes` object or null.
    let bytes = encoded(text, unsafe { ffi::PyUnicode_AsLatin1String(text.as_ptr()) })?;
    let Some(bytes) = bytes else { return Ok(None) };
    // Python shares `bytes` of one character and of none.
    // SAFETY: The object is alive and the GIL is held.
    let is_shared = unsafe { ffi::Py_REFCNT(bytes.as_ptr()) } != 1;
    if bytes.as_bytes().len() < 2 || is_shared {
        let mut copy = bytes.as_bytes().to_vec();
        let done = change(&mut copy);
        return Ok(Some((PyBytes::new(text.py(), &copy), done)));
    }
    // SAFETY: The object was just made, nobody else has it, and its hash was not asked for: it may still be filled in.
    let slice = unsafe {
        std::slice::from_raw_parts_mut(ffi::PyBytes_AsString(bytes.as_ptr()).cast::<u8>(), bytes.as_bytes().len())
    };
    let done = change(slice);
    Ok(Some((bytes, done)))
}

/// Returns the string as UTF-16 in the byte order of this machine, after a byte order mark; `None` if it has lone
/// surrogates.
pub(crate) fn to_utf16<'py>(text: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    // SAFETY: The argument is a string, the GIL is held, and the result is a new `bytes` object or null.
    encoded(text, unsafe { ffi::PyUnicode_AsUTF16String(text.as_ptr()) })
}

/// Returns the string as UTF-8; `None` if it has lone surrogates. Unlike `to_str`, this leaves no copy in the string.
pub(crate) fn to_utf8<'py>(text: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    // SAFETY: The argument is a string, the GIL is held, and the result is a new `bytes` object or null.
    encoded(text, unsafe { ffi::PyUnicode_AsUTF8String(text.as_ptr()) })
}

/// Takes what Python's encoder returned.
fn encoded<'py>(text: &Bound<'py, PyString>, bytes: *mut ffi::PyObject) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = text.py();
    // SAFETY: The pointer is a new reference, or null after an error.
    match unsafe { Bound::from_owned_ptr_or_err(py, bytes) } {
        Ok(bytes) => Ok(Some(bytes.cast_into::<PyBytes>()?)),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Copies the code points of a string that has at most `room.len()`, and returns them; `None` if it has more.
pub(crate) fn short_ucs4<'r>(text: &Bound<'_, PyString>, room: &'r mut [u32]) -> PyResult<Option<&'r [u32]>> {
    let len = text.code_point_len()?;
    if len > room.len() {
        return Ok(None);
    }
    // SAFETY: The argument is a string, the GIL is held, and the room is at least as long as the string.
    let copied = unsafe { ffi::PyUnicode_AsUCS4(text.as_ptr(), room.as_mut_ptr(), room.len() as isize, 0) };
    match copied.is_null() {
        true => Err(PyErr::fetch(text.py())),
        false => Ok(Some(&room[..len])),
    }
}

/// Returns all code points of a string, surrogates included.
pub(crate) fn to_ucs4(text: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
    let mut room = vec![0; text.code_point_len()?];
    short_ucs4(text, &mut room)?;
    Ok(room)
}

/// The bytes of a Python object, kept as long as this lives.
pub(crate) struct Memory(Kept);

enum Kept {
    Buffer(Buffer),
    Copy(Vec<u8>),
}

impl Memory {
    /// Keeps the bytes of anything that has the buffer protocol: without a copy, unless somebody may write to them.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = Buffer::of(object)?;
        match buffer.is_read_only() {
            true => Ok(Memory(Kept::Buffer(buffer))),
            false => Ok(Memory(Kept::Copy(buffer.as_slice().to_vec()))),
        }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Kept::Copy(bytes) => bytes,
            Kept::Buffer(buffer) => buffer.as_slice(),
        }
    }
}
