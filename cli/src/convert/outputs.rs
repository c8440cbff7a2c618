//! Opens what all inputs of a run share: the output, the report, and the directory of the outputs.

use crate::args::Convert;
use crate::convert::plan::Plan;
use crate::convert::task::Task;
use crate::files::input;
use crate::files::make_dir::open_or_make;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::messages::say;
use crate::print;
use crate::status::Status;
use charpipe::files::Folder;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Opens the output of all inputs.
pub(crate) fn open_shared(args: &Convert, plan: &Plan, report: Option<&Output>) -> Result<Output, Status> {
    let output = match &args.output {
        None => open_stdout()?,
        Some(path) if args.many.check => Output::rehearsal(path).map_err(|error| not_opened(path, &error))?,
        Some(path) => open(path)?,
    };
    if report.is_some_and(|report| output.collides(report)) {
        say(format_args!("{}: output and report cannot be the same file", output.name));
        return Err(Status::Usage);
    }
    must_not_be_read(plan, &output)?;
    Ok(output)
}

pub(crate) fn open_stdout() -> Result<Output, Status> {
    Output::stdout().map_err(|error| print::cannot_write(Name::stdout(), &error))
}

/// Opens the output of `--report`.
pub(crate) fn open_report(args: &Convert, plan: &Plan) -> Result<Option<Output>, Status> {
    let report = match &args.report {
        None => return Ok(None),
        Some(_) if args.report_is_said() => {
            Output::stderr().map_err(|error| print::cannot_write(Name::stderr(), &error))?
        }
        Some(path) => open(path)?,
    }
    .written_to_the_end();
    // The report is written even if a conversion fails, and the input would be lost.
    let is_input = |task: &Task| {
        let input = task.path.to_open().and_then(|path| input::metadata(&path));
        input.is_some_and(|input| report.replaces(&input))
    };
    if plan.tasks.iter().any(is_input) {
        say(format_args!("{}: input and report cannot be the same file", report.name));
        return Err(Status::Usage);
    }
    must_not_be_read(plan, &report)?;
    Ok(Some(report))
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
        Err(error) => {
            say(format_args!("{}: cannot make the directory: {error}", Name::of_path(dir.as_os_str())));
            Err(Status::Io)
        }
    }
}

fn open(path: &Path) -> Result<Output, Status> {
    Output::path(path).map_err(|error| not_opened(path, &error))
}

fn not_opened(path: &Path, error: &io::Error) -> Status {
    let is_dir = error.kind() == io::ErrorKind::IsADirectory;
    let hint = if is_dir { " (use --output-dir to write a file for each FILE into it)" } else { "" };
    say(format_args!("{}: cannot open for writing: {error}{hint}", Name::of_path(path.as_os_str())));
    Status::Io
}
