//! The structures of Arrow's C interface, and the data behind their pointers.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface.html> and `CStreamInterface.html` define them.

#![allow(unsafe_code, reason = "Arrow's C interface consists of pointers")]

use std::ffi::{CStr, c_char, c_int, c_void};

/// A schema: the name and the type of a column, and of its children.
#[repr(C)]
#[derive(Default)]
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
#[derive(Default)]
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
#[derive(Default)]
pub struct ArrowArrayStream {
    pub(crate) get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(crate) get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(crate) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(crate) private_data: *mut c_void,
}

/// Calls the `release` of a structure that was not released yet.
macro_rules! release_on_drop {
    ($($structure:ty)*) => {
        $(impl Drop for $structure {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: The interface demands that a structure with this function be released once, with a
                    // pointer to it. The function sets `release` to null, and no one else has this structure.
                    unsafe { release(self) }
                }
            }
        })*
    };
}

release_on_drop!(ArrowSchema ArrowArray ArrowArrayStream);

// SAFETY: The interface promises that a structure may be used and released in another thread than it was made in, if no
// two threads use it at the same time. A single owner meets this condition.
unsafe impl Send for ArrowArray {}
// SAFETY: As above.
unsafe impl Send for ArrowArrayStream {}

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

/// Returns a copy of a text of C; `None` for a null pointer.
///
/// # Safety
/// A pointer that is not null leads to a text that ends with a zero.
pub(crate) unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: The caller promises it.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
