//! `charpipe rows`: the fields of records as rows of CSV or JSON lines, and back. The library reads and writes the fields;
//! see [`charpipe::fields`].
//!
//! | file | job |
//! |---|---|
//! | `setup.rs`, `foreign.rs` | the layout, the code page, the shape of the records; layouts of other programs |
//! | `types.rs` | which items are record types |
//! | `forward.rs`, `parallel.rs` | from records to rows: goes through the inputs, with one thread or several |
//! | `batch.rs`, `work.rs` | cuts an input into batches of records; turns a batch into rows |
//! | `tail.rs` | the end of a record that its type does not describe |
//! | `row.rs`, `policy.rs` | a row of CSV or JSON; characters in text |
//! | `streams.rs` | the outputs: rows, rejected records, the report |
//! | `trouble.rs`, `account.rs` | what can go wrong; what is printed and reported about an input |
//! | `back/` | from rows to records |
//! | `show/` | `--show-layout` |

mod account;
mod back;
mod batch;
mod foreign;
mod forward;
mod parallel;
mod policy;
mod row;
mod setup;
mod show;
mod streams;
mod tail;
mod trouble;
mod types;
mod work;

use crate::args::Rows;
use crate::rows::setup::Setup;
use crate::status::Status;

/// Runs the command.
pub(crate) fn run(args: &Rows) -> Status {
    let ran = Setup::new(args).and_then(|setup| match args.from_rows {
        _ if args.show_layout => show::run(args, &setup),
        Some(format) => back::run(args, &setup, format),
        None => forward::run(args, &setup),
    });
    ran.unwrap_or_else(|status| status)
}
