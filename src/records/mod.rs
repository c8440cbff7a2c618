//! Records, the form in which mainframes keep text: not lines that end with a newline, but records that follow a
//! header with their length, or that all have the same length.
//!
//! | file | contents |
//! |---|---|
//! | `shape.rs` | [`Shape`]: the framings and their notation |
//! | `columns.rs`, `carriage.rs` | which bytes of a record are text, and what its first column tells a printer |
//! | `deframe.rs` | [`Deframer`]: from bytes to records, a single state machine for all shapes |
//! | `frame.rs` | [`Framer`]: from records to bytes |
//! | `tape_label.rs` | [`DataSet`] and [`TapeFile`]: the labels of a tape, and how to choose one of its files |
//! | `overlong.rs` | [`OnOverlong`](crate::OnOverlong): what to do with what does not fit into a record |
//! | `reader.rs`, `buffered.rs` | [`Records`] and [`RecordWriter`]: both directions, for a reader and a writer |
//! | `record.rs`, `places.rs` | [`Record`]: one record; where in the input the data of records is |
//! | `split.rs` | [`RecordSlices`] and [`resync`]: records in memory, and in parts of a stream |
//! | `parts.rs` | [`splits`] and [`Split`]: where a file can be cut into parts that are read side by side |
//! | `sniff/` | [`look`]: guesses a file's shape from its first bytes |

pub(crate) mod buffered;
mod carriage;
mod columns;
mod deframe;
pub(crate) mod edges;
mod frame;
pub(crate) mod measure;
pub(crate) mod overlong;
mod parts;
pub(crate) mod places;
mod reader;
mod record;
mod run;
mod shape;
mod sniff;
mod split;
mod tape_label;

pub use carriage::Carriage;
pub(crate) use carriage::{Move, Printer};
pub use columns::{BadColumns, Columns};
pub use deframe::{Deframer, Part};
pub use edges::{BadSkip, Skip};
pub use frame::Framer;
pub use parts::{Split, numbered_splits, splits};
pub use reader::{RecordWriter, Records};
pub use record::Record;
pub use run::RecordRun;
pub use shape::{BadShape, MAX_BLKSIZE, Shape};
pub use sniff::{Hypothesis, NoShape, SNIFFED, Sniffed, look};
pub use split::{RecordSlices, resync};
pub use tape_label::{DataSet, TapeFile};

/// The default limit in bytes for a record that must be held as a whole, if its shape sets no lower limit: 1 MiB.
pub const RECORD_LIMIT: usize = 1 << 20;
