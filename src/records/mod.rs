//! Records, as mainframes keep text: no newline ends a line, but a length in front of it or one for all.
//!
//! | file | what |
//! |---|---|
//! | `shape.rs` | [`Shape`]: the framings, and how they are written down |
//! | `columns.rs`, `carriage.rs` | what in a record is text, and what its first column tells a printer |
//! | `deframe.rs` | [`Deframer`]: from bytes to records, one state machine for all shapes |
//! | `frame.rs` | [`Framer`]: from records to bytes |
//! | `label.rs` | [`DataSet`] and [`TapeFile`]: what the labels of a tape say, and which of its files is meant |
//! | `reader.rs` | [`Records`] and [`RecordWriter`]: both, for a reader and a writer |
//! | `sniff.rs`, `sniff/` | [`sniff()`]: which shape a file has, as far as its first bytes tell |

mod carriage;
mod columns;
mod deframe;
mod frame;
mod label;
pub(crate) mod packed;
mod reader;
mod shape;
mod sniff;

pub use carriage::Carriage;
pub(crate) use carriage::{Move, Printer};
pub use columns::{BadColumns, Columns};
pub use deframe::{Deframer, Part};
pub use frame::Framer;
pub use label::{DataSet, TapeFile};
pub use reader::{Record, RecordWriter, Records};
pub use shape::{BadShape, MAX_BLKSIZE, Shape};
pub use sniff::{Hypothesis, NoShape, SNIFFED, Sniffed, look, sniff, sniff_one};

/// How long a record may be that has to be held as a whole, in bytes, where its shape sets no lower limit: 1 MiB.
pub const RECORD_LIMIT: usize = 1 << 20;
