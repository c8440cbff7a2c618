//! Makes streams of any buffers, as a hostile producer could: for tests, and for the fuzz target.
//!
//! Buffers get the size that the interface promises, so that nothing here can break [the promise](crate::Stream). All
//! else is as it is given: lengths, numbers of buffers and children, null pointers, and what buffers contain.

#![allow(unsafe_code, reason = "Arrow's C interface consists of pointers")]

use crate::Malformed;
use crate::border::Stream;
use crate::buffers::offset;
use crate::interface::{ArrowArray, ArrowArrayStream, ArrowSchema};
use crate::schema::{Kind, Width};
use std::collections::VecDeque;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// The largest length and the largest offset for which buffers are made.
const MOST: i64 = 4096;

/// An array, and its type.
#[derive(Clone, Default, Debug)]
pub struct Node {
    /// The type, in the notation of the interface.
    pub format: String,
    /// The name.
    pub name: String,
    /// How many values it has: up to 4096. Any other number is passed on as one that is not possible.
    pub length: i64,
    /// How many values of its buffers are before them: as `length`.
    pub offset: i64,
    /// How many of them are null; -1 if that is not known.
    pub null_count: i64,
    /// The contents of the buffers; `None` for null pointers. They are filled up with zeros.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// The fields of a struct, or the elements of a list.
    pub children: Vec<Node>,
    /// How many of `children` the array has. All, if it is `None`.
    pub passed: Option<usize>,
    /// The values of a dictionary.
    pub dictionary: Option<Box<Node>>,
    /// Whether the array lacks its dictionary.
    pub lacks_dictionary: bool,
}

impl Node {
    /// Makes an array of as many values.
    #[must_use]
    pub fn new(format: &str, length: i64, buffers: Vec<Option<Vec<u8>>>) -> Self {
        Node { format: format.to_owned(), length, null_count: -1, buffers, ..Node::default() }
    }

    /// Names it.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Gives it children.
    #[must_use]
    pub fn with(mut self, children: impl IntoIterator<Item = Node>) -> Self {
        self.children.extend(children);
        self
    }

    /// Brings the lengths into the range for which there are buffers, or makes them impossible.
    fn lengths(&self) -> (i64, i64) {
        match (self.length > MOST, self.offset > MOST) {
            (false, false) => (self.length, self.offset),
            // Their sum is too large. A single large number would be possible for values of one byte.
            (true, _) => (i64::MAX, self.offset.max(1)),
            (false, true) => (self.length.max(1), i64::MAX),
        }
    }

    /// Returns the buffers with the sizes that the interface promises.
    fn sized(&self) -> Vec<Option<Vec<u8>>> {
        let mut buffers = self.buffers.clone();
        let (length, offset) = self.lengths();
        let (Ok(len), Ok(offset)) = (usize::try_from(length), usize::try_from(offset)) else { return buffers };
        let Some(count) = len.checked_add(offset).filter(|count| *count <= 2 * MOST as usize) else { return buffers };
        grow(&mut buffers, 0, count.div_ceil(8));
        match Kind::of(&self.format) {
            Kind::Number(number) => grow(&mut buffers, 1, count * number.bytes()),
            Kind::FixedBytes(width) => grow(&mut buffers, 1, count.saturating_mul(width)),
            Kind::List(width) => grow(&mut buffers, 1, (count + 1) * width.bytes()),
            Kind::Run { width, .. } => size_run(&mut buffers, count, width),
            Kind::View { .. } => size_views(&mut buffers, count),
            Kind::Null | Kind::Struct | Kind::Other(_) => {}
        }
        buffers
    }
}

fn grow(buffers: &mut [Option<Vec<u8>>], index: usize, len: usize) {
    if let Some(Some(buffer)) = buffers.get_mut(index)
        && buffer.len() < len
    {
        buffer.resize(len, 0);
    }
}

/// Lets the last offset be a place in the bytes, or before them.
fn size_run(buffers: &mut [Option<Vec<u8>>], count: usize, width: Width) {
    grow(buffers, 1, (count + 1) * width.bytes());
    // A missing buffer may be said to have any number of bytes.
    let Some(have) = buffers.get(2).and_then(Option::as_ref).map(Vec::len) else { return };
    let Some(Some(offsets)) = buffers.get_mut(1) else { return };
    // The array can end with any of them. Only the one where it does is promised, but the others may be larger.
    if offset(offsets, width, count).is_some_and(|end| end > have as i64) {
        let end = (have as i64).to_ne_bytes();
        let end = if cfg!(target_endian = "big") { &end[8 - width.bytes()..] } else { &end[..width.bytes()] };
        offsets[count * width.bytes()..][..width.bytes()].copy_from_slice(end);
    }
}

/// Lets the last buffer have the lengths of those before it, unless they are shorter or negative.
fn size_views(buffers: &mut [Option<Vec<u8>>], count: usize) {
    grow(buffers, 1, count * 16);
    let last = buffers.len().max(3) - 1;
    let have: Vec<_> = buffers.iter().take(last).skip(2).map(|buffer| buffer.as_ref().map(Vec::len)).collect();
    grow(buffers, last, have.len() * 8);
    let Some(Some(lengths)) = buffers.get_mut(last) else { return };
    for (have, length) in have.into_iter().zip(lengths.as_chunks_mut::<8>().0) {
        if let Some(have) = have {
            *length = i64::from_ne_bytes(*length).min(have as i64).to_ne_bytes();
        }
    }
}

/// The memory that a structure owns.
struct Owned<T> {
    children: Vec<*mut T>,
    dictionary: *mut T,
    texts: [CString; 2],
    buffers: Vec<Option<Vec<u8>>>,
    pointers: Vec<*const c_void>,
}

impl<T> Owned<T> {
    /// Frees this and its children.
    ///
    /// # Safety
    /// `owned` is from `Box::into_raw`, and so are the pointers in it. No one uses them any more.
    unsafe fn free(owned: *mut c_void) {
        // SAFETY: The caller promises it.
        let owned = unsafe { Box::from_raw(owned.cast::<Owned<T>>()) };
        for child in owned.children.iter().chain(Some(&owned.dictionary)).filter(|child| !child.is_null()) {
            // SAFETY: As above.
            drop(unsafe { Box::from_raw(*child) });
        }
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: The consumer passes the schema that `Node::schema` made, once.
    unsafe {
        Owned::<ArrowSchema>::free((*schema).private_data);
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: The consumer passes the array that `Node::array` made, once.
    unsafe {
        Owned::<ArrowArray>::free((*array).private_data);
        (*array).release = None;
    }
}

fn boxed<T>(structure: T) -> *mut T {
    Box::into_raw(Box::new(structure))
}

impl Node {
    fn schema(&self) -> ArrowSchema {
        let text = |text: &str| CString::new(text.replace('\0', "?")).unwrap_or_default();
        let mut owned = Box::new(Owned {
            children: self.children.iter().map(|child| boxed(child.schema())).collect(),
            dictionary: self.dictionary.as_ref().map_or(null_mut(), |values| boxed(values.schema())),
            texts: [text(&self.format), text(&self.name)],
            buffers: Vec::new(),
            pointers: Vec::new(),
        });
        ArrowSchema {
            format: owned.texts[0].as_ptr(),
            name: owned.texts[1].as_ptr(),
            n_children: self.children.len() as i64,
            children: owned.children.as_mut_ptr(),
            dictionary: owned.dictionary,
            release: Some(release_schema),
            private_data: Box::into_raw(owned).cast(),
            metadata: null(),
            flags: 0,
        }
    }

    fn array(&self) -> ArrowArray {
        let (length, offset) = self.lengths();
        let passed = self.passed.unwrap_or(usize::MAX);
        let buffers = self.sized();
        let start = |buffer: &Option<Vec<u8>>| buffer.as_ref().map_or(null(), |buffer| buffer.as_ptr().cast());
        let values = self.dictionary.as_ref().filter(|_| !self.lacks_dictionary);
        let mut owned = Box::new(Owned {
            children: self.children.iter().take(passed).map(|child| boxed(child.array())).collect(),
            dictionary: values.map_or(null_mut(), |values| boxed(values.array())),
            texts: Default::default(),
            pointers: buffers.iter().map(start).collect(),
            buffers,
        });
        ArrowArray {
            length,
            null_count: self.null_count,
            offset,
            n_buffers: owned.buffers.len() as i64,
            n_children: owned.children.len() as i64,
            buffers: owned.pointers.as_mut_ptr(),
            children: owned.children.as_mut_ptr(),
            dictionary: owned.dictionary,
            release: Some(release_array),
            private_data: Box::into_raw(owned).cast(),
        }
    }
}

/// The memory that a stream owns.
struct Batches {
    batches: VecDeque<Node>,
    schema: Node,
    error: CString,
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, schema: *mut ArrowSchema) -> c_int {
    // SAFETY: The consumer passes the stream that `stream` made, and a place for a schema.
    unsafe { schema.write((*(*stream).private_data.cast::<Batches>()).schema.schema()) };
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, array: *mut ArrowArray) -> c_int {
    // SAFETY: The consumer passes the stream that `stream` made.
    let batches = unsafe { &mut *(*stream).private_data.cast::<Batches>() };
    let (code, next) = match batches.batches.pop_front() {
        Some(batch) if batch.format == "error" => (5, ArrowArray::default()),
        Some(batch) => (0, batch.array()),
        None => (0, ArrowArray::default()),
    };
    // SAFETY: The consumer passes a place for an array.
    unsafe { array.write(next) };
    code
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: The consumer passes the stream that `stream` made.
    unsafe { (*(*stream).private_data.cast::<Batches>()).error.as_ptr() }
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: The consumer passes the stream that `stream` made, once.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Batches>()));
        (*stream).release = None;
    }
}

/// Makes a stream of batches. The first one has the schema of all, so the types of the others have to be the same.
/// A batch whose format is `error` is an error, with its name as the message.
///
/// # Errors
/// Those of [`Stream::from_raw`].
///
/// # Panics
/// If the types are not the same.
pub fn stream(batches: impl IntoIterator<Item = Node>) -> Result<Stream, Malformed> {
    let batches: VecDeque<_> = batches.into_iter().collect();
    let schema = batches.front().cloned().unwrap_or_default();
    let error = batches.iter().find(|batch| batch.format == "error").map(|batch| batch.name.clone());
    assert!(batches.iter().all(|batch| batch.format == "error" || same_type(batch, &schema)), "one schema for all");
    let error = CString::new(error.unwrap_or_default()).unwrap_or_default();
    let mut stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: boxed(Batches { batches, schema, error }).cast(),
    };
    // SAFETY: This is a stream. The sizes of its buffers are those that the types promise.
    unsafe { Stream::from_raw(&mut stream) }
}

fn same_type(one: &Node, other: &Node) -> bool {
    let dictionaries = match (&one.dictionary, &other.dictionary) {
        (Some(one), Some(other)) => same_type(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    dictionaries
        && one.format == other.format
        && one.children.len() == other.children.len()
        && one.children.iter().zip(&other.children).all(|(one, other)| same_type(one, other))
}
