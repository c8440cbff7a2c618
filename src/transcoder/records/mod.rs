//! Records on their way through the transcoder.
//!
//! | file | content |
//! |---|---|
//! | `head.rs` | records as detection sees them: their text alone |
//! | `fill.rs` | what a fill is given and returns |
//! | `source.rs` | from input bytes to text, with or without records: the decoder, and the records before it |
//! | `read.rs` | the loop over the framing: what comes next |
//! | `record.rs` | turns the data of a record into text |
//! | `position.rs` | where in the input and in the record the loop is |
//! | `trailing.rs` | text that is not written yet: blanks that may be the last of their record, and what follows them |
//! | `quick.rs` | whole records at once, for single-byte charsets |
//! | `label.rs` | the changes of the document's label, which records may cut in two |
//! | `print.rs` | the first byte of a record as carriage control |
//! | `packed.rs` | looks for packed decimals, which converting destroys |
//! | `stretch.rs` | the stretches of framing and data of a stream |
//! | `write.rs` | from encoded bytes to records |

pub(super) mod fill;
pub(super) mod head;
mod label;
mod packed;
mod position;
mod print;
mod quick;
pub(super) mod read;
pub(super) mod record;
pub(super) mod source;
pub(super) mod stretch;
mod trailing;
pub(super) mod write;
