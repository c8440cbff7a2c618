//! Mainframe records as Arrow record batches, and back.
//!
//! ```text
//! Python object ─ source ─ Records ─ Reader ─ Columns ─ RecordBatch ─ stream ─ PyCapsule
//! ```
//!
//! The library cuts records and reads their fields; here their values become columns. Nothing is copied on the way to
//! the program that reads the batches: they are passed on by Arrow's C interface.
//!
//! | file | contents |
//! |---|---|
//! | `setup.rs` | what a caller says about records: layout, shape, code page, columns |
//! | `source.rs` | inputs: files, buffers, and Python's file objects |
//! | `leaf.rs` | the values of one field as a column |
//! | `date.rs` | dates in text and numbers |
//! | `columns.rs` | the columns of a batch while they receive the values of records |
//! | `batches.rs` | reads batches from an input |
//! | `stream.rs` | the Python classes, and Arrow's C interface |
//! | `write.rs` | from batches to records |
//! | `capsule.rs` | takes over the batches of another library; has `unsafe` |
//! | `failure.rs` | what can go wrong, as Python exceptions |

mod batches;
mod capsule;
mod columns;
mod date;
mod failure;
mod leaf;
mod setup;
mod source;
mod stream;
mod write;

pub(crate) use setup::{read_records, split_records};
pub(crate) use stream::{Batch, RecordStream};
pub(crate) use write::write_records;
