//! Records, as mainframes keep text: no newline ends a line, but a length in front of it or one for all.
//!
//! | file | what |
//! |---|---|
//! | `shape.rs` | [`Shape`]: the framings, and how they are written down |
//! | `deframe.rs` | [`Deframer`]: from bytes to records, one state machine for all shapes |
//! | `sniff.rs`, `sniff/` | [`sniff()`]: which shape a file has, as far as its first bytes tell |

mod deframe;
mod shape;
mod sniff;

pub use deframe::{Deframer, Part};
pub use shape::{BadShape, MAX_BLKSIZE, Shape};
pub use sniff::{Hypothesis, SNIFFED, sniff, sniff_one};

/// How long a record may be that has to be held as a whole, in bytes, where its shape sets no lower limit: 1 MiB.
pub const RECORD_LIMIT: usize = 1 << 20;
