//! The structures of Arrow's C interface, and the streams and batches that they hold.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface.html> and `CStreamInterface.html` define them.

#![allow(unsafe_code, reason = "Arrow's C interface consists of pointers")]

use crate::buffers::Array;
use crate::schema::{Field, Kind};
use crate::{Malformed, Result};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// How deep structs and lists may lie in each other. No layout has as many levels.
const MAX_DEPTH: usize = 64;

/// A schema: the name and the type of a column, and of its children.
#[repr(C)]
pub(crate) struct ArrowSchema {
    pub(crate) format: *const c_char,
    pub(crate) name: *const c_char,
    pub(crate) metadata: *const c_char,
    pub(crate) flags: i64,
    pub(crate) n_children: i64,
    pub(crate) children: *mut *mut ArrowSchema,
    pub(crate) dictionary: *mut ArrowSchema,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(crate) private_data: *mut c_void,
}

/// An array: its lengths, its buffers, and its children.
#[repr(C)]
pub(crate) struct ArrowArray {
    pub(crate) length: i64,
    pub(crate) null_count: i64,
    pub(crate) offset: i64,
    pub(crate) n_buffers: i64,
    pub(crate) n_children: i64,
    pub(crate) buffers: *mut *const c_void,
    pub(crate) children: *mut *mut ArrowArray,
    pub(crate) dictionary: *mut ArrowArray,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(crate) private_data: *mut c_void,
}

/// A stream of arrays of the same schema. It is released when it is dropped.
#[repr(C)]
pub struct ArrowArrayStream {
    pub(crate) get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(crate) get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(crate) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(crate) private_data: *mut c_void,
}

impl ArrowSchema {
    pub(crate) const EMPTY: ArrowSchema = ArrowSchema {
        format: null(),
        name: null(),
        metadata: null(),
        flags: 0,
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    };
}

impl ArrowArray {
    pub(crate) const EMPTY: ArrowArray = ArrowArray {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: null_mut(),
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    };
}

impl ArrowArrayStream {
    pub(crate) const EMPTY: ArrowArrayStream = ArrowArrayStream {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private_data: null_mut(),
    };
}

/// Calls the `release` of a structure that was not released yet.
macro_rules! release_on_drop {
    ($($structure:ty)*) => {
        $(impl Drop for $structure {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: The interface demands that a structure with this function be released once, with a
                    // pointer to it. The function sets `release` to null, and nobody else has this structure.
                    unsafe { release(self) }
                }
            }
        })*
    };
}

release_on_drop!(ArrowSchema ArrowArray ArrowArrayStream);

// SAFETY: The interface promises that a structure may be used and released in another thread than it was made in, if no
// two threads use it at the same time. Whoever has it alone has that.
unsafe impl Send for ArrowArray {}
// SAFETY: As above.
unsafe impl Send for ArrowArrayStream {}

/// A stream of batches that another library makes.
///
/// # The promise
/// Of what the other library passes on, this cannot be checked. It holds for every stream, and the comments below call
/// it the promise of the producer:
///
/// * Pointers are null, or lead to what the interface says, until the structure is released, and nobody writes there.
/// * The arrays `buffers` and `children` have as many entries as `n_buffers` and `n_children` say. Arrays have the
///   types of the schema.
/// * Buffers have the size that follows from the type, from `offset` and from `length`. The bytes of a run of text end
///   with its last offset, and the lengths of the buffers of views are those in the last buffer.
pub struct Stream {
    stream: ArrowArrayStream,
    schema: Arc<Field>,
    is_done: bool,
}

impl Stream {
    /// Moves a stream out of `pointer`, and reads its schema.
    ///
    /// # Errors
    /// [`Malformed`] if it was released, lacks a function, or does not consist of rows; what the producer says if it
    /// has no schema.
    ///
    /// # Safety
    /// `pointer` leads to a stream that nobody else uses at the moment, and its producer keeps the
    /// [promise](Self#the-promise).
    pub unsafe fn from_raw(pointer: *mut ArrowArrayStream) -> Result<Stream> {
        if pointer.is_null() || !pointer.is_aligned() {
            return Err(Malformed::new("the stream is an invalid pointer"));
        }
        // SAFETY: The caller promises that there is a stream. An empty one is left behind, so that only this one is
        // released.
        Self::of(unsafe { std::ptr::replace(pointer, ArrowArrayStream::EMPTY) })
    }

    fn of(mut stream: ArrowArrayStream) -> Result<Stream> {
        let (Some(get_schema), Some(_)) = (stream.get_schema, stream.release) else {
            return Err(Malformed::new("the stream was read before, or has no schema"));
        };
        let mut schema = ArrowSchema::EMPTY;
        // SAFETY: The stream was not released, and both pointers lead to what the function expects.
        let code = unsafe { get_schema(&mut stream, &mut schema) };
        if code != 0 {
            // What a function that fails leaves there is not said.
            std::mem::forget(schema);
            return Err(last_error(&mut stream, code));
        }
        if schema.release.is_none() {
            return Err(Malformed::new("the stream has no schema"));
        }
        let schema = Arc::new(field(&schema, 0)?);
        if schema.kind != Kind::Struct || schema.dictionary.is_some() {
            return Err(Malformed::new(format!("expected columns, but the stream is {schema}")));
        }
        Ok(Stream { stream, schema, is_done: false })
    }

    /// Returns the next batch; `None` at the end, and after an error.
    ///
    /// # Errors
    /// What the producer says.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let Some(get_next) = self.stream.get_next.filter(|_| !self.is_done) else { return Ok(None) };
        let mut array = ArrowArray::EMPTY;
        // SAFETY: The stream was not released, and both pointers lead to what the function expects.
        let code = unsafe { get_next(&mut self.stream, &mut array) };
        if code != 0 {
            self.is_done = true;
            std::mem::forget(array);
            return Err(last_error(&mut self.stream, code));
        }
        self.is_done = array.release.is_none();
        Ok((!self.is_done).then(|| Batch { array, schema: self.schema.clone() }))
    }
}

/// Returns what the producer says about its last error.
fn last_error(stream: &mut ArrowArrayStream, code: c_int) -> Malformed {
    let text = stream.get_last_error.and_then(|get_last_error| {
        // SAFETY: The stream was not released. The text is valid until the next call, and is copied before.
        unsafe { text(get_last_error(stream)) }
    });
    Malformed(text.unwrap_or_else(|| format!("the stream failed with the error number {code}")))
}

/// Returns a copy of a text of C; `None` for a null pointer.
///
/// # Safety
/// A pointer that is not null leads to a text that ends with a zero.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: The caller promises it.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// Reads a schema. The children of types that no field can contain are left out.
fn field(schema: &ArrowSchema, depth: usize) -> Result<Field> {
    // SAFETY: The promise of the producer: texts, or null pointers.
    let (format, name) = unsafe { (text(schema.format), text(schema.name)) };
    let (name, format) = (name.unwrap_or_default(), format.unwrap_or_default());
    if depth > MAX_DEPTH {
        return Err(Malformed::new(format!("the column {name:?} has more than {MAX_DEPTH} levels")));
    }
    let kind = Kind::of(&format);
    let count = match kind {
        Kind::Struct => usize::try_from(schema.n_children).ok(),
        Kind::List(_) => usize::try_from(schema.n_children).ok().filter(|count| *count == 1),
        _ => Some(0),
    };
    let wrong = || Malformed::new(format!("the column {name:?} is {kind} with {} children", schema.n_children));
    let count = count.ok_or_else(wrong)?;
    let children = (0..count).map(|index| {
        // SAFETY: The promise of the producer: there are `n_children` pointers to schemas, which live as long as this
        // one.
        let child = unsafe { entry(schema.children, index) };
        field(child.ok_or_else(wrong)?, depth + 1)
    });
    let children = children.collect::<Result<_>>()?;
    // SAFETY: The promise of the producer: a pointer to a schema that lives as long as this one, or null.
    let dictionary = match unsafe { reference(schema.dictionary) } {
        Some(values) => Some(Box::new(field(values, depth + 1)?)),
        None => None,
    };
    Ok(Field { name, kind, children, dictionary })
}

/// Returns the structure that an entry in a table of pointers leads to; `None` if it leads nowhere.
///
/// # Safety
/// A table that is not null has more than `index` entries, and entries that are not null lead to structures that live
/// as long as `'a`.
pub(crate) unsafe fn entry<'a, T>(table: *const *mut T, index: usize) -> Option<&'a T> {
    if table.is_null() {
        return None;
    }
    // SAFETY: The caller promises that there is such an entry. It does not have to be aligned.
    let pointer = unsafe { table.add(index).read_unaligned() };
    // SAFETY: The caller promises it.
    unsafe { reference(pointer) }
}

/// Returns the structure that a pointer leads to; `None` if it leads nowhere.
///
/// # Safety
/// A pointer that is not null leads to a structure that lives as long as `'a`.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> Option<&'a T> {
    // SAFETY: The caller promises it, and the pointer is aligned.
    if pointer.is_aligned() { unsafe { pointer.as_ref() } } else { None }
}

/// A batch: rows of the columns of a stream.
pub struct Batch {
    array: ArrowArray,
    schema: Arc<Field>,
}

impl Batch {
    /// Returns the struct of all columns.
    pub(crate) fn root(&self) -> Array<'_> {
        // SAFETY: The promise of the producer: the array has the type of the schema.
        unsafe { Array::new(&self.array, &self.schema) }
    }

    /// Returns how many rows it has.
    ///
    /// # Errors
    /// [`Malformed`]: a number that rows cannot have.
    pub fn rows(&self) -> Result<usize> {
        self.root().span().map(|span| span.len)
    }
}
