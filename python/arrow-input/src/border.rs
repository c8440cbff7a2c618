//! The streams and batches that the structures of Arrow's C interface hold.

#![allow(unsafe_code, reason = "Arrow's C interface consists of pointers")]

use crate::buffers::Array;
use crate::interface::{ArrowArray, ArrowArrayStream, ArrowSchema, entry, reference, text};
use crate::schema::{Field, Kind};
use crate::{Malformed, Result};
use std::ffi::c_int;
use std::sync::Arc;

/// How deep structs and lists may lie in each other. No layout has as many levels.
const MAX_DEPTH: usize = 64;

/// A stream of batches that another library makes.
///
/// # The promise
/// Of what the other library passes on, this cannot be checked. It holds for every stream, and the comments below call
/// it the promise of the producer:
///
/// * Pointers are null, or lead to what the interface says, until the structure is released, and no one writes there.
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
    /// `pointer` leads to a stream that no one else uses at the moment, and its producer keeps the
    /// [promise](Self#the-promise).
    pub unsafe fn from_raw(pointer: *mut ArrowArrayStream) -> Result<Stream> {
        if pointer.is_null() || !pointer.is_aligned() {
            return Err(Malformed::new("the stream is an invalid pointer"));
        }
        // SAFETY: The caller promises that there is a stream. An empty one is left behind, so that only this one is
        // released.
        Self::of(unsafe { std::ptr::replace(pointer, ArrowArrayStream::default()) })
    }

    fn of(mut stream: ArrowArrayStream) -> Result<Stream> {
        let (Some(get_schema), Some(_)) = (stream.get_schema, stream.release) else {
            return Err(Malformed::new("the stream was read before, or has no schema"));
        };
        let mut schema = ArrowSchema::default();
        // SAFETY: The stream was not released, and both pointers lead to what the function expects.
        let code = unsafe { get_schema(&mut stream, &mut schema) };
        if code != 0 {
            // The interface does not say what a function leaves there if it fails.
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
        let mut array = ArrowArray::default();
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
