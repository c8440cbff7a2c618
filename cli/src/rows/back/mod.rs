//! Turns rows into records: `--from-rows`.
//!
//! | file | job |
//! |---|---|
//! | `reader.rs`, `csv.rs`, `json.rs` | reads rows: of CSV, or JSON lines |
//! | `object.rs` | an object of JSON |
//! | `nested.rs` | `--nest`: the records in a line of JSON |
//! | `split.rs` | splits CSV into rows and fields |
//! | `run.rs` | from rows to records |
//! | `merge.rs` | the rows of several files in the order of their numbers |
//! | `cells.rs` | the values of a row, by the columns of the layout |
//! | `trouble.rs` | what can be wrong with rows |

mod cells;
mod csv;
mod json;
mod merge;
mod nested;
mod object;
mod reader;
mod run;
mod split;
mod trouble;

use crate::args::Rows;
use crate::ending::{self, Ending};
use crate::files::name::Name;
use crate::files::output::Output;
use crate::messages::{say, say_problem};
use crate::panics;
use crate::print::Report;
use crate::rows::back::cells::Cells;
use crate::rows::back::run::Run;
use crate::rows::setup::Setup;
use crate::rows::streams;
use crate::status::Status;
use charpipe::files::signals;
use charpipe::records::Shape;
use charpipe::rows::RowFormat;

/// Writes the records of all inputs.
pub(super) fn run(args: &Rows, setup: &Setup, format: RowFormat) -> Result<Status, Status> {
    if args.nest && setup.job.record_types().is_empty() {
        say("--nest: the layout has no record types; say with --when which group applies to which records");
        return Err(Status::Usage);
    }
    let shape = setup.job.target_shape().map_err(|_| setup.say_no_shape("--to-records"))?;
    let writer = setup.job.writer().map_err(|error| setup.say_unusable(&error))?;
    let columns = setup.job.target_columns(&writer).map_err(|error| setup.say_unusable(&error))?;
    let framer = setup.job.framer(&shape).map_err(|error| {
        say_problem(&"--to-records", None, error.kind(), "");
        Status::Usage
    })?;
    if args.output.is_some() || args.report.is_some() {
        signals::watch();
    }
    let output = streams::open_output(args)?;
    let mut report = Report::open(args.report.as_deref())?;
    report.check_apart_from(&output)?;
    let extras: Vec<&Output> = report.output().into_iter().collect();
    streams::protect_inputs(args, &[&[&output][..], &extras].concat(), &extras)?;
    if !args.messages.quiet {
        let is_assumed = !args.is_given("to-records") && shape != Shape::Unframed;
        setup.say_assumed_target(is_assumed.then_some(&shape));
    }
    let mut run =
        Run { setup, shape, writer, framer, output, bytes: Vec::new(), record: Vec::new(), written: 0, rows: 0 };
    if args.merge {
        return merge::run(args, run, format, &columns, report);
    }
    let mut worst = Status::Done;
    let mut files = args.files().into_iter().peekable();
    while let Some(path) = files.next() {
        let (name, before) = (Name::of_operand(&path), run.counts());
        let mut cells = Cells::new(&setup.job, &columns);
        if args.nest {
            cells = cells.nested(&setup.job);
        }
        let ended = panics::catch(|| run.input(&path, format, &mut cells));
        let mut ended = ended.unwrap_or_else(|panic| Err(Ending::Panicked(panic)));
        worst = worst.max(ending::status(&ended));
        let is_cut = ended.as_ref().is_err_and(Ending::is_of_output);
        let is_last = files.peek().is_none() || is_cut;
        if is_last && !is_cut {
            // Before the last line of the report, which then says if it failed.
            let finished = run.finish(worst);
            worst = worst.max(ending::status(&finished));
            match (&ended, finished) {
                (Ok(()), finished) => ended = finished,
                (Err(_), Err(ending)) => ending.say(&name, &path, |_| {}),
                _ => {}
            }
        }
        let counts = run.counts().since(before);
        worst = worst.max(run.account(args, &mut report, &name, &path, counts, ended.as_ref().err()));
        if is_last {
            break;
        }
    }
    Ok(worst.max(report.finish()))
}
