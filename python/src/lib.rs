//! The module `charpipe._charpipe`: the library for Python.
//!
//! The package `python/charpipe/` is what people import; this module has only what Python cannot do itself. All
//! decisions about encodings are made by the library, not here.
//!
//! | module | contents |
//! |---|---|
//! | `codec` | [`codec::Codec`]: a charset as Python's codecs need it |
//! | `charset` | a codec of the library, and the tables that Python's strings are made with |
//! | `page` | single-byte charsets by a table of 256 characters, without going through UTF-8 |
//! | `multi` | all other charsets, as long as nothing is wrong with the text |
//! | `decode`, `encode` | text with faults, and Python's error handlers |
//! | `incremental` | decoders and encoders that keep their state between calls |
//! | `strings` | reads and makes Python's strings and buffers; has `unsafe`, as `arrow/capsule` does |
//! | `scratch` | memory that is kept between calls |
//! | `convert` | whole conversions: `decode`, `detect`, `transcode`, `records`, and the stream behind `open` |
//! | `source` | inputs: paths, buffers, and file objects |
//! | `output` | outputs: paths that are replaced when the output is complete, and file objects |
//! | `registry` | the codecs of the process, and the tables that were loaded |
//! | `arrow` | records as Arrow record batches, and back |
//! | `error` | errors of the library as Python's exceptions |

mod arrow;
mod charset;
mod codec;
mod convert;
mod decode;
mod encode;
mod error;
mod incremental;
mod multi;
mod output;
mod page;
mod registry;
mod scratch;
mod source;
mod strings;

/// Python allocates objects of its classes, and aligns them to this many bytes, or to twice as many. A reference to what
/// needs more would be undefined behaviour; put it into a box.
const ALIGNMENT: usize = 8;

/// Fails to compile if a class needs more.
macro_rules! aligned {
    ($($class:ty)*) => { $(const _: () = assert!(align_of::<$class>() <= ALIGNMENT);)* };
}

aligned!(arrow::Batch arrow::RecordStream codec::Codec convert::Records convert::Stream);
aligned!(incremental::IncrementalDecoder incremental::IncrementalEncoder);

/// The part of the package that is written in Rust.
#[pyo3::pymodule]
mod _charpipe {
    #[pymodule_export]
    const __VERSION__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const SHAPE_BYTES: usize = crate::source::SHAPE_BYTES;

    #[pymodule_export]
    use crate::arrow::{Batch, RecordStream, read_records, rows_schema, split_records, write_records};
    #[pymodule_export]
    use crate::codec::Codec;
    #[pymodule_export]
    use crate::convert::{Records, Stream, decode, detect, find_shape, options, rows_options, transcode};
    #[pymodule_export]
    use crate::incremental::{IncrementalDecoder, IncrementalEncoder};
    #[cfg(unix)]
    #[pymodule_export]
    use crate::output::open_output;
    #[pymodule_export]
    use crate::registry::{description, labels, load_table, lookup, names};
}
