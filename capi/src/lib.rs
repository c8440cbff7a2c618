//! The C interface of charpipe. `include/charpipe.h` is its documentation; the web's module has the same functions.
//!
//! | file | content |
//! |---|---|
//! | `border.rs` | the exported functions: the only place with `unsafe` |
//! | `handle.rs` | what a handle is: a conversion or a detection, and its last error |
//! | `options.rs` | reads options from `key=value` text |
//! | `failure.rs` | errors, and their JSON |
//! | `list.rs` | the lists of encodings and options |
//! | `inspect.rs` | what each byte of an input is, and where its records are |
//!
//! Nothing here is global. A handle may move from thread to thread, but only one thread may use it at a time.

mod border;
mod failure;
mod handle;
mod inspect;
mod list;
mod options;

pub use border::*;
