//! `--show-layout`: the layout as a table, with the first record of a file beside it. A user looks at this before
//! trusting a job.
//!
//! | file | job |
//! |---|---|
//! | `table.rs` | the lines of the table, with text for each column |
//! | `sample.rs` | the first record: where each item is in it, and its value |
//! | `terminal.rs`, `html.rs` | the table as text, and as a page for a browser |

mod html;
mod sample;
mod table;
mod terminal;

use crate::args::Rows;
use crate::ending::Failure as _;
use crate::files::input;
use crate::files::name::Name;
use crate::messages::{Place, color, say, say_not_opened, say_problem};
use crate::print;
use crate::rows::setup::Setup;
use crate::rows::show::sample::Sample;
use crate::rows::show::table::Table;
use crate::rows::streams;
use crate::rows::trouble;
use crate::status::Status;
use charpipe::rows::RowsError;
use std::ffi::OsStr;

const READ_BYTES: usize = 64 * 1024;

/// Prints the table.
pub(super) fn run(args: &Rows, setup: &Setup) -> Result<Status, Status> {
    let files = if args.operands.is_given() { args.files() } else { Vec::new() };
    if files.len() > 1 {
        say("--show-layout shows the first record of one FILE; leave out the others");
        return Err(Status::Usage);
    }
    let sample = files.first().map(|path| first_record(args, setup, path)).transpose()?;
    let table = Table::new(setup, sample.as_ref());
    let text = if args.html { html::page(&table) } else { terminal::text(&table, color::on_stdout()) };
    let output = streams::open_output(args)?;
    streams::protect_inputs(args, &[&output], &[&output])?;
    let status = print::to_output(output, text.as_bytes());
    let Some((sample, path)) = sample.as_ref().zip(files.first()) else { return Ok(status) };
    let Some(why) = sample.trouble() else { return Ok(status) };
    let name = Name::of_operand(path);
    say_problem(&name, Some(Place::byte(sample.offset)), &why, "");
    Ok(status.max(Status::Data))
}

/// Reads the first record of a file.
fn first_record(args: &Rows, setup: &Setup, path: &OsStr) -> Result<Sample, Status> {
    setup.check_stored_as()?;
    if !args.messages.quiet {
        setup.say_assumptions();
    }
    let name = Name::of_operand(path);
    let opened = input::open(path, READ_BYTES).map_err(|error| {
        say_not_opened(&name, path, &error);
        Status::Io
    })?;
    let failed = |error: RowsError| {
        trouble::say(&name, &error, args);
        error.status()
    };
    let (shape, reader) = setup.job.open(opened.reader).map_err(failed)?;
    let mut records = setup.job.records(reader, &shape);
    match records.next_record().map_err(|error| failed(error.into()))? {
        Some(record) => Sample::new(args, setup, &name, &record),
        None => {
            say_problem(&name, Some(Place::byte(0)), &"there are no records", "");
            Err(Status::Data)
        }
    }
}
