//! `charpipe rows`: the fields of records as rows of CSV, JSON lines or Arrow, and back. The library implements the job
//! itself; see [`charpipe::rows`].
//!
//! | file | job |
//! |---|---|
//! | `setup.rs` | the job and its layout; prints the errors in them, and what was assumed |
//! | `forward.rs`, `work.rs` | from records to rows: goes through the inputs; turns a batch of records into rows |
//! | `writer.rs` | `--format`: rows as CSV, JSON or Arrow |
//! | `nest.rs` | `--nest`: rows in the rows of their parents |
//! | `streams.rs` | the outputs: rows, rejected records, the report |
//! | `trouble.rs` | what can be wrong with records |
//! | `account.rs` | what is printed and reported about an input |
//! | `back/` | from rows to records |
//! | `show/` | `--show-layout` |
//! | `schema.rs` | `--schema` |

mod account;
mod back;
mod forward;
mod nest;
mod schema;
mod setup;
mod show;
mod streams;
mod trouble;
mod work;
mod writer;

use crate::args::Rows;
use crate::rows::setup::Setup;
use crate::status::Status;

/// Runs the command.
pub(crate) fn run(args: &Rows) -> Status {
    let ran = Setup::new(args).and_then(|setup| match (args.from_rows, args.schema) {
        _ if args.show_layout => show::run(args, &setup),
        (_, Some(schema)) => schema::run(args, &setup, schema),
        (Some(format), None) => back::run(args, &setup, format),
        (None, None) => forward::run(args, &setup),
    });
    ran.unwrap_or_else(|status| status)
}
