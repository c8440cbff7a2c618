//! Opens what all inputs of a run share: the output, the report, and the directory of the outputs.

use crate::args::Convert;
use crate::convert::plan::Plan;
use crate::convert::task::Task;
use crate::files::input;
use crate::files::make_dir::open_or_make;
use crate::files::output::Output;
use crate::messages::say;
use crate::print::{self, Report};
use crate::status::Status;
use charpipe::files::Folder;
use std::io;
use std::sync::Arc;

/// Opens the output of all inputs.
pub(crate) fn open_shared(args: &Convert, plan: &Plan, report: &Report) -> Result<Output, Status> {
    let output = match &args.output {
        None => print::open_stdout()?,
        Some(path) => {
            let output = if args.many.check { Output::rehearsal(path) } else { Output::path(path) };
            print::opened(path, output, " (use --output-dir to write a file for each FILE into it)")?
        }
    };
    report.check_apart_from(&output)?;
    must_not_be_read(plan, &output)?;
    Ok(output)
}

/// Opens the output of `--report`.
pub(crate) fn open_report(args: &Convert, plan: &Plan) -> Result<Report, Status> {
    let opened = Report::open(args.report.as_deref())?;
    let Some(report) = opened.output() else { return Ok(opened) };
    // The report is written even if a conversion fails, and the input would be lost.
    let is_input = |task: &Task| {
        let input = task.path.to_open().and_then(|path| input::metadata(&path));
        input.is_some_and(|input| report.replaces(&input))
    };
    if plan.tasks.iter().any(is_input) {
        say(format_args!("{}: input and report cannot be the same file", report.name));
        return Err(Status::Usage);
    }
    must_not_be_read(plan, report)?;
    Ok(opened)
}

/// Reports an output that would be written over a list or a table.
fn must_not_be_read(plan: &Plan, output: &Output) -> Result<(), Status> {
    let Some(objection) = plan.read.objection_to(output) else { return Ok(()) };
    say(objection);
    Err(Status::Usage)
}

/// Opens the directory of `--output-dir`, which is made if it does not exist. In a check it need not exist.
pub(crate) fn open_dir(args: &Convert) -> Result<Option<Arc<Folder>>, Status> {
    let Some(dir) = &args.many.output_dir else { return Ok(None) };
    let opened = if args.many.check { Folder::open(dir) } else { open_or_make(dir) };
    match opened {
        Ok(folder) => Ok(Some(Arc::new(folder))),
        Err(error) if args.many.check && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(print::no_directory(dir, &error)),
    }
}
