//! Mainframe records as Arrow record batches, and back.
//!
//! ```text
//! Python object ─ Source ─ Records ─ RowReader ─ Columns ─ RecordBatch ─ stream ─ PyCapsule
//! ```
//!
//! A rows job of the library cuts records and reads their fields; here their values become columns. Nothing is copied on the way to
//! the program that reads the batches: they are passed on by Arrow's C interface.
//!
//! | file | contents |
//! |---|---|
//! | `setup.rs` | the Python functions that read records and cut files into parts |
//! | `leaf.rs` | the values of one field as a column |
//! | `columns.rs` | the columns of a batch while they receive the values of records |
//! | `runs.rs` | reads many records at once into the columns |
//! | `inputs.rs` | opens the inputs, one after another |
//! | `batches.rs` | reads batches from an input |
//! | `stream.rs` | the Python classes, and Arrow's C interface |
//! | `write.rs` | from batches to records |
//! | `dates.rs` | dates and moments on their way to a record |
//! | `capsule.rs` | takes over the batches of another library; has `unsafe` |
//! | `failure.rs` | what can go wrong, as Python exceptions |

mod batches;
mod capsule;
mod columns;
mod dates;
mod failure;
mod inputs;
mod leaf;
mod runs;
mod setup;
mod stream;
mod write;

pub(crate) use setup::{read_records, rows_schema, split_records};
pub(crate) use stream::{Batch, RecordStream};
pub(crate) use write::write_records;
