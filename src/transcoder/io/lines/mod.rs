//! Lines with their offsets in the input, in any encoding.
//!
//! The *input* is cut after each code unit that can be a newline, and the decoder is fed exactly up to there. Whether its
//! text ends with a newline then decides. So the offsets are exact without a map from text to bytes, and the state of the
//! decoder there is all that a later run needs to continue.
//!
//! | file | content |
//! |---|---|
//! | `line.rs` | what a caller gets: [`Line`], its end, a checkpoint |
//! | `newlines.rs` | finds newlines in bytes and in text |
//! | `buffer.rs` | the bytes that were read and are not part of a line yet |
//! | `text.rs` | decodes one line after the other |
//! | `utf8.rs` | finds lines of UTF-8, which need not be decoded |
//! | `start.rs` | detection, as in a conversion |
//! | `splitter.rs` | all of this together, without I/O |
//! | `reader.rs` | [`Lines`] over `Read` |

mod buffer;
mod line;
mod newlines;
mod reader;
mod splitter;
mod start;
mod text;
mod utf8;

pub use line::{Line, LineCheckpoint, LineEnd, LineEnds};
pub use reader::Lines;
