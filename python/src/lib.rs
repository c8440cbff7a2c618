//! The module `charpipe._charpipe`: the library for Python.
//!
//! The package `python/charpipe/` is what people import; this module has only what Python cannot do itself. Nothing here
//! decides anything about encodings: that is the library's work.

mod arrow;

use pyo3::prelude::*;

/// The part of the package that is written in Rust.
#[pymodule]
mod _charpipe {
    #[pymodule_export]
    const __VERSION__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::arrow::{Batch, RecordError, RecordStream, read_records, split_records, write_records};
}
