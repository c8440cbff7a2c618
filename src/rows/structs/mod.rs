//! Rows as the user's own types, and back, with serde (feature `serde`).
//!
//! ```text
//! record ─ RowReader ─ Tape ─ Cell ─ the user's Deserialize
//! the user's Serialize ─ Place ─ Cells ─ fields::Writer ─ record
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `read.rs` | [`DeserializeRows`]: the rows of an input |
//! | `tape.rs` | the values of a record, in memory that all records share |
//! | `cell.rs` | the deserializer, of a record and of a [`RowValues`] |
//! | `scalar.rs` | the deserializer of one value |
//! | `names.rs` | which field of a struct a name in a layout means |
//! | `values.rs` | [`RowValues`]: a row with its values, owned |
//! | `write.rs` | [`RowSerializer`] and [`SerializeRows`]: records of rows |
//! | `place.rs`, `entry.rs` | the serializer, and the tree of names that it follows |
//! | `exact.rs` | how numbers, dates and bytes are serialized, exactly where that can be |
//! | `error.rs` | [`BadRow`] |

mod cell;
mod entry;
mod error;
mod exact;
mod names;
mod place;
mod read;
mod scalar;
mod tape;
mod values;
mod write;

pub use error::BadRow;
pub use read::DeserializeRows;
pub use values::{RowValue, RowValues};
pub use write::{RowSerializer, SerializeRows};
