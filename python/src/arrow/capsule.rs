//! Takes over a stream from another library, by Arrow's C interface.

#![allow(unsafe_code, reason = "Arrow's C interface consists of pointers")]

use super::failure::bad;
use charpipe_arrow_input::{ArrowArrayStream, Stream};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Takes the stream of an object with `__arrow_c_stream__`.
pub(super) fn import(data: &Bound<'_, PyAny>) -> PyResult<Stream> {
    if !data.hasattr("__arrow_c_stream__")? {
        let what = data.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "expected a table or a stream of Arrow, such as pyarrow.Table or polars.DataFrame, not {what}"
        )));
    }
    let capsule = data.call_method0("__arrow_c_stream__")?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = pointer.cast::<ArrowArrayStream>().as_ptr();
    // SAFETY: A capsule of this name has a pointer to a stream, and whoever made it promises that the stream is what
    // Arrow's interface says. No one else uses it while Python's lock is held. It is moved out, which leaves a released
    // one.
    let stream = unsafe { Stream::from_raw(stream) };
    stream.map_err(|error| bad(error.to_string()))
}
