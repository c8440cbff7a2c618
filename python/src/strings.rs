//! Reads and makes Python's strings and buffers. Besides `arrow/capsule.rs`, this is the only file with `unsafe`.
//!
//! Python's strings are Latin-1, UCS-2 or UCS-4. The stable ABI reads and makes all of them by Latin-1 and UTF-16, at
//! the speed of a copy, and by UTF-8 at a third of that. `benches/codecs.py` measures what that is worth.

#![allow(unsafe_code)]

use charpipe::codec::ByteTable;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use std::ffi::c_char;
use std::io::Read;

/// So many bytes are copied whether they are constant or not.
const FEW: usize = 256;

/// The bytes of a Python object, without a copy.
///
/// Only `bytes` never change. Memory of any other object may be written to as soon as other Python code runs: in
/// another thread once the GIL is released, in an error handler, and in the handlers of signals that `check_signals`
/// calls. A read-only view is not an exception, because others can write to what it is a view of.
pub(crate) enum Data<'a, 'py> {
    Bytes(&'a Bound<'py, PyBytes>),
    Buffer(&'a Buffer),
}

/// Returns whether a buffer that the object lends has the bytes of a `bytes` object.
fn is_constant(object: &Bound<'_, PyAny>) -> bool {
    // A class derived from `bytes` can lend something else.
    let is_bytes = |object: &Bound<'_, PyAny>| object.is_exact_instance_of::<PyBytes>();
    is_bytes(object)
        || object.is_exact_instance_of::<PyMemoryView>() && object.getattr("obj").is_ok_and(|owner| is_bytes(&owner))
}

/// A contiguous buffer that a Python object lends, or none.
pub(crate) struct Buffer {
    view: ffi::Py_buffer,
    /// Whether these are known to be the bytes of a `bytes` object, which never change.
    is_constant: bool,
}

// SAFETY: The object that lends the buffer keeps it where it is until it is released, whichever thread does that; the
// GIL is held then (see `drop`). The bytes are only read.
unsafe impl Send for Buffer {}

// SAFETY: As above; a shared reference only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Returns one without bytes.
    pub(crate) fn none() -> Self {
        Buffer { view: ffi::Py_buffer::new(), is_constant: false }
    }

    /// Borrows the bytes of anything that has the buffer protocol.
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut buffer = Buffer::none();
        buffer.borrow(object)?;
        Ok(buffer)
    }

    /// Borrows the bytes of anything that has the buffer protocol, instead of those that it has. For a short value, to
    /// move the buffer would take longer than to decode it.
    fn borrow(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.release();
        // SAFETY: The object is alive and the GIL is held. If the call succeeds, it has filled in the view. A simple view
        // has no pointers into itself, so it can be moved.
        match unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut self.view, ffi::PyBUF_SIMPLE) } {
            0 => {
                // To copy a few bytes takes less time than to look.
                self.is_constant = self.len() > FEW && is_constant(object);
                Ok(())
            }
            _ => {
                // Whatever the object left in it.
                self.view = ffi::Py_buffer::new();
                Err(PyErr::fetch(object.py()))
            }
        }
    }

    /// Gives the bytes back.
    fn release(&mut self) {
        if !self.view.obj.is_null() {
            // After the interpreter has ended, which is when the traceback of an error may let go of a stream, there is
            // nothing to give the view back to. SAFETY: The view was filled in, the GIL is held, and the call leaves
            // the view without an object, so it is released once.
            let _ = Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut self.view) });
        }
    }

    fn len(&self) -> usize {
        usize::try_from(self.view.len).unwrap_or(0)
    }

    /// Returns the bytes.
    ///
    /// # Safety
    /// They are constant; or the GIL is held, and no Python code runs, for as long as the slice is used.
    unsafe fn as_slice(&self) -> &[u8] {
        match self.len() {
            0 => &[],
            // SAFETY: The view has this many bytes, and is not released before `self` is dropped. Nothing writes to
            // them meanwhile: see above. (C code that writes without the GIL, and another process that writes to a file
            // mapped into memory, could. Python's own modules rely on that not happening, too.)
            len => unsafe { std::slice::from_raw_parts(self.view.buf.cast::<u8>(), len) },
        }
    }

    fn to_vec(&self, _: Python<'_>) -> Vec<u8> {
        // SAFETY: The GIL is held, and copying runs no Python code.
        unsafe { self.as_slice() }.to_vec()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.release();
    }
}

impl<'a, 'py> Data<'a, 'py> {
    /// Borrows the bytes of anything that has the buffer protocol. `buffer` is the place for what the object lends.
    pub(crate) fn of(object: &'a Bound<'py, PyAny>, buffer: &'a mut Buffer) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Data::Bytes(bytes));
        }
        buffer.borrow(object)?;
        Ok(Data::Buffer(buffer))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Data::Bytes(bytes) => bytes.as_bytes().len(),
            Data::Buffer(buffer) => buffer.len(),
        }
    }

    /// Returns the bytes if they never change.
    pub(crate) fn constant(&self) -> Option<&[u8]> {
        match self {
            Data::Bytes(bytes) => Some(bytes.as_bytes()),
            // SAFETY: They are constant.
            Data::Buffer(buffer) => buffer.is_constant.then(|| unsafe { buffer.as_slice() }),
        }
    }

    /// Returns the bytes.
    ///
    /// # Safety
    /// The GIL is held, and no Python code runs, for as long as the slice is used.
    unsafe fn as_slice(&self) -> &[u8] {
        match self {
            Data::Bytes(bytes) => bytes.as_bytes(),
            // SAFETY: The caller promises it.
            Data::Buffer(buffer) => unsafe { buffer.as_slice() },
        }
    }

    /// Translates the bytes to the front of `room`, up to the first that the table lacks; returns how many.
    pub(crate) fn translate(&self, _: Python<'_>, table: &ByteTable, room: &mut [u8]) -> usize {
        // SAFETY: The GIL is held, and a table runs no Python code.
        table.translate(unsafe { self.as_slice() }, room)
    }

    /// Copies the bytes from `at` on, as many as fit and are there.
    pub(crate) fn copy(&self, _: Python<'_>, at: usize, room: &mut [u8]) {
        // SAFETY: The GIL is held, and copying runs no Python code.
        let all = unsafe { self.as_slice() };
        let part = all.get(at..).unwrap_or_default();
        let len = part.len().min(room.len());
        room[..len].copy_from_slice(&part[..len]);
    }

    /// Calls `run` with bytes that stay as they are while Python code runs: these, or a copy of them.
    pub(crate) fn with_constant<T>(&self, py: Python<'_>, run: impl FnOnce(&[u8]) -> T) -> T {
        match self {
            Data::Bytes(bytes) => run(bytes.as_bytes()),
            // SAFETY: They are constant.
            Data::Buffer(buffer) if buffer.is_constant => run(unsafe { buffer.as_slice() }),
            Data::Buffer(buffer) => {
                let mut few = [0; FEW];
                match few.get_mut(..buffer.len()) {
                    Some(few) => {
                        self.copy(py, 0, few);
                        run(few)
                    }
                    None => run(&buffer.to_vec(py)),
                }
            }
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
    // SAFETY: The pointer and the length are those of a slice, which needs no alignment; the GIL is held, and the
    // result is a new string or null.
    let text = unsafe {
        let (bytes, len) = (bytes.as_ptr().cast::<c_char>(), bytes.len() as isize);
        Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_DecodeUTF16(bytes, len, std::ptr::null(), &raw mut order))?
    };
    Ok(text.cast_into::<PyString>()?)
}

/// A string that is made in pieces. The memory of the whole is written once, and no second one of its size is needed:
/// both take longer than decoding.
pub(crate) struct LongText<'py>(Option<Bound<'py, PyString>>);

impl<'py> LongText<'py> {
    pub(crate) fn new() -> Self {
        LongText(None)
    }

    /// Adds a piece.
    pub(crate) fn push(&mut self, piece: Bound<'py, PyString>) -> PyResult<()> {
        let py = piece.py();
        let Some(text) = self.0.take() else {
            self.0 = Some(piece);
            return Ok(());
        };
        let mut whole = text.into_ptr();
        // SAFETY: Both are strings, and the GIL is held. The call takes the reference to the first and returns another
        // one in its place, or null after an error; a string that no one else has grows where it is.
        let whole = unsafe {
            ffi::PyUnicode_Append(&raw mut whole, piece.as_ptr());
            Bound::from_owned_ptr_or_err(py, whole)?
        };
        self.0 = Some(whole.cast_into::<PyString>()?);
        Ok(())
    }

    /// Returns the string.
    pub(crate) fn whole(self, py: Python<'py>) -> Bound<'py, PyString> {
        self.0.unwrap_or_else(|| PyString::new(py, ""))
    }
}

/// Returns the string as Latin-1 after `change` has gone over the bytes; `None` if it has other characters. `change`
/// may release the GIL.
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
    // SAFETY: The object was just made, no one else has it, and its hash was not asked for: it may still be filled in.
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

/// The bytes of a Python object, kept as long as this lives. They never change.
pub(crate) struct Memory(Kept);

enum Kept {
    /// Constant.
    Buffer(Buffer),
    Copy(Vec<u8>),
}

impl Memory {
    /// Keeps the bytes of anything that has the buffer protocol: without a copy, unless someone may write to them.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Memory::kept(Buffer::of(object)?, object.py()))
    }

    fn kept(buffer: Buffer, py: Python<'_>) -> Self {
        Memory(if buffer.is_constant { Kept::Buffer(buffer) } else { Kept::Copy(buffer.to_vec(py)) })
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Kept::Copy(bytes) => bytes,
            // SAFETY: They are constant.
            Kept::Buffer(buffer) => unsafe { buffer.as_slice() },
        }
    }
}

/// The bytes of a Python object that are read from beginning to end, of which there may be more than fit into memory.
pub(crate) enum Input {
    Memory(Memory),
    Lent(Lent),
}

impl Input {
    /// Keeps the bytes of anything that has the buffer protocol. Those that the object itself does not let anybody
    /// change, such as those of a file mapped into memory, are copied piece by piece, and others at once.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = Buffer::of(object)?;
        Ok(match buffer.view.readonly != 0 && !buffer.is_constant {
            true => Input::Lent(Lent(buffer)),
            false => Input::Memory(Memory::kept(buffer, object.py())),
        })
    }
}

/// Bytes that others may change.
pub(crate) struct Lent(Buffer);

impl Lent {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Copies the bytes from `at` on, as many as there are and fit. Returns how many.
    pub(crate) fn read_at(&self, at: usize, room: &mut [u8]) -> usize {
        Python::attach(|_| {
            // SAFETY: The GIL is held, and copying runs no Python code.
            let mut rest = unsafe { self.0.as_slice() }.get(at..).unwrap_or_default();
            rest.read(room).unwrap_or(0)
        })
    }
}
