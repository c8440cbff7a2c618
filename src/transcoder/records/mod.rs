//! Reads and writes records in the transcoder.
//!
//! | file | content |
//! |---|---|
//! | `detection.rs` | records as detection sees them: their text alone |
//! | `read.rs` | the loop over the framing: what comes next |
//! | `record.rs` | turns the data of a record into text |
//! | `position.rs` | where in the input and in the record the loop is |
//! | `trailing.rs` | text that is not written yet: spaces that may be the last of their record, and what follows them |
//! | `quick.rs` | whole records at once, for single-byte charsets |
//! | `declaration.rs` | the changes of the document's encoding declaration, which records may cut in two |
//! | `print.rs` | the first byte of a record as carriage control |
//! | `packed_search.rs` | looks for packed decimals, which converting destroys |
//! | `packed_watch.rs` | what packed decimals look like in columns of records
//! | `stretch.rs` | the stretches of framing and data of a stream |
//! | `write.rs` | from encoded bytes to records |

mod declaration;
pub(super) mod detection;
mod packed_search;
pub(super) mod packed_watch;
mod position;
mod print;
mod quick;
pub(super) mod read;
pub(super) mod record;
pub(super) mod stretch;
mod trailing;
pub(super) mod write;
