//! Takes batches from other libraries through Arrow's C interface, checks them, and reads them row by row.
//!
//! ```text
//! ArrowArrayStream ─ Stream ─ Batch ─ Finder ─ Access (one for each column of the layout) ─ Row ─ Writer
//! ```
//!
//! The producer of a batch may have read it from a file without checking it. So everything that can be checked is
//! checked here: numbers of buffers and children, lengths, offsets, keys, views, and UTF-8. The interface does not give
//! the size of most buffers, so it cannot be checked here. For these, this crate relies on the
//! [promise](Stream#the-promise) of the producer.
//!
//! | file | contents |
//! |---|---|
//! | `interface.rs` | the structures of the interface; has `unsafe` |
//! | `border.rs` | streams and batches; has `unsafe` |
//! | `buffers.rs` | arrays, and their buffers as slices; has `unsafe` |
//! | `schema.rs` | names and types of columns |
//! | `access.rs` | where the values of a column of the layout are |
//! | `check.rs` | compares columns with the layout |
//! | `leaf.rs` | the values of one array |
//! | `row.rs` | a row, as the source of a record |
//! | `produce.rs` | makes arrays of any buffers, for tests; has `unsafe` |

mod access;
mod border;
mod buffers;
mod check;
mod interface;
mod leaf;
mod row;
mod schema;

#[cfg(any(test, feature = "produce"))]
pub mod produce;
#[cfg(test)]
mod tests;

pub use access::{Access, Finder};
pub use border::{Batch, Stream};
pub use interface::ArrowArrayStream;
pub use leaf::BadValue;
pub use row::Row;

use std::fmt;

/// The data is not what Arrow's specification says, or does not fit the layout. The message names the column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed(String);

impl Malformed {
    fn new(what: impl Into<String>) -> Self {
        Malformed(what.into())
    }

    /// Puts the name of the column before the message.
    fn of(self, path: &str) -> Self {
        Malformed(format!("the column of {path} is invalid: {}", self.0))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

type Result<T> = std::result::Result<T, Malformed>;
