//! Rows: what a job with mainframe records and their fields means, whichever program asks for it.
//!
//! A [`RowsJob`] has all options, by method or [by name](RowsJob::set). It reads a layout, and together they make
//! [`Rows`]: the columns, the shape of the records, and a reader that applies every rule of the job. [`RowText`] writes
//! rows as CSV or JSON, and [`RowArrow`] as Arrow; any other form of a row is a
//! [`Visitor`](crate::fields::Visitor) of the caller.
//!
//! ```text
//! layout ─ RowsJob ─ Rows
//!                     ├ open ──── Shape
//! input ──────────────┼ batches ─ Batch ─ in_order ─ Worker ─┐
//!                     ├ records ─ Record ────────────────────┤
//!                     └ reader ──────────────────────── RowReader ─ RowText, RowArrow, or a Visitor
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `job.rs`, `options.rs` | [`RowsJob`]: the options, by method and by name |
//! | `shape.rs`, `added.rs`, `date.rs` | [`StoredAs`], [`AddedColumn`] and [`DatePattern`]: the values of some options |
//! | `types.rs` | which items of a layout are record types |
//! | `parent.rs`, `parents.rs` | [`Parents`]: which record is the [`Parent`] of another one |
//! | `keys.rs` | [`ParentKeys`]: fields of the parent as columns of its children |
//! | `foreign.rs` | layouts of other programs, in JSON |
//! | `read.rs`, `text.rs` | [`RowReader`]: from a record to values; characters in text |
//! | `batch.rs`, `parallel.rs` | [`Batches`] of records, and work on them [`in_order`] with several threads |
//! | `ready.rs` | [`Rows`]: a job and a layout together |
//! | `as_text/` | [`RowText`]: rows as lines of CSV or JSON |
//! | `as_arrow/` | [`RowArrow`]: rows as batches of Arrow |
//! | `schema/` | [`ColumnType`], and [schemas](Rows::schema) for databases and other programs |
//! | `structs/` | rows as the user's own types, and back (feature `serde`) |
//! | `error.rs` | [`RowsError`] |

mod added;
mod as_arrow;
mod as_text;
mod batch;
mod date;
mod error;
#[cfg(feature = "json-layouts")]
mod foreign;
mod job;
mod keys;
mod options;
mod parallel;
mod parent;
mod parents;
mod read;
mod ready;
mod schema;
mod shape;
#[cfg(feature = "serde")]
mod structs;
mod text;
mod types;

pub use added::AddedColumn;
pub use as_arrow::RowArrow;
pub use as_text::{Formulas, RowFormat, RowTable, RowText, WrittenRow};
pub use batch::{Batch, BatchRecord, Batches};
pub use date::{BadDatePattern, DatePattern};
pub use error::RowsError;
pub use job::{LayoutFormat, RowsJob};
pub use keys::{KeyColumn, ParentKeys};
pub use parallel::{Worker, in_order};
pub use parent::Parent;
pub use parents::Parents;
pub use read::{Counts, RowReader};
pub use ready::{Opened, Rows};
pub use schema::{ColumnType, SchemaFormat};
pub use shape::StoredAs;
#[cfg(feature = "serde")]
pub use structs::{BadRow, DeserializeRows, RowSerializer, RowValue, RowValues, SerializeRows};
