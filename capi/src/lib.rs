//! The C interface of charpipe. `include/charpipe.h` is its documentation; the web's module has the same functions.
//!
//! | file | content |
//! |---|---|
//! | `border.rs` | the exported functions: the only place with `unsafe` |
//! | `handle.rs` | what a handle is: a conversion or a detection, and its last error |
//! | `options.rs` | reads options from `key=value` text |
//! | `failure.rs` | errors, and their JSON |
//! | `list.rs` | the lists of encodings and options |
//! | `cells.rs` | what each byte of an input is, and code charts |
//! | `inspect.rs` | where the records of an input are |
//! | `fields.rs` | the fields of a record, by a copybook or a field list |
//! | `rows.rs` | the records of an input as rows |
//! | `format.rs` | the format of rows: CSV, JSON lines or Arrow |
//! | `schema.rs` | the columns of the rows of a layout, for another program |
//!
//! Nothing here is global. A handle may move from thread to thread, but only one thread may use it at a time.

mod border;
mod cells;
mod failure;
#[cfg(feature = "inspect")]
mod fields;
#[cfg(feature = "inspect")]
mod format;
mod handle;
#[cfg(feature = "inspect")]
mod inspect;
mod list;
mod options;
#[cfg(feature = "inspect")]
mod rows;
#[cfg(feature = "inspect")]
mod schema;

pub use border::*;
