//! `charpipe rows`: the fields of records as rows of CSV or JSON lines, and back. The library reads and writes the fields;
//! see [`charpipe::fields`].
//!
//! | file | job |
//! |---|---|
//! | `setup.rs`, `foreign.rs` | the layout, the code page, the shape of the records; layouts of other programs |
//! | `types.rs` | which items are record types |
//! | `forward.rs`, `parallel.rs` | from records to rows: goes through the inputs, with one thread or several |
//! | `batch.rs`, `work.rs` | cuts an input into batches of records; turns a batch into rows |
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
mod trouble;
mod types;
mod work;

use crate::args::Rows;
use crate::messages::say;
use crate::rows::setup::Setup;
use crate::status::Status;

/// Refuses options with which `--exact` could not hold: they change or leave out what is in a record, and go on.
fn check_exact(args: &Rows) -> Result<(), Status> {
    use charpipe::{OnControl, OnNewlineInRecord, OnOverlong};

    let changes = [
        ("--overlong cut", args.overlong == OnOverlong::Cut),
        ("--null-on-bad", args.null_on_bad),
        ("--controls space, drop or xml", !matches!(args.controls, OnControl::Keep | OnControl::Error)),
        ("--record-newlines space", args.record_newlines == OnNewlineInRecord::Space),
    ];
    let Some((option, _)) = changes.iter().find(|(_, is_used)| args.exact && *is_used) else { return Ok(()) };
    say(format_args!("--exact cannot be used with {option}: records would not come back byte for byte"));
    Err(Status::Usage)
}

/// Runs the command.
pub(crate) fn run(args: &Rows) -> Status {
    let ran = check_exact(args).and_then(|()| Setup::new(args)).and_then(|setup| match args.from_rows {
        _ if args.show_layout => show::run(args, &setup),
        Some(format) => back::run(args, &setup, format),
        None => forward::run(args, &setup),
    });
    ran.unwrap_or_else(|status| status)
}
