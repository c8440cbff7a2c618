//! Opens outputs, writes whole texts and reports, and prints errors.

use crate::files::name::Name;
use crate::files::output::{self, Output};
use crate::files::read_files::ReadFiles;
use crate::messages::{say, say_problem};
use crate::status::Status;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;

/// Opens standard output. Reports why that fails.
pub(crate) fn open_stdout() -> Result<Output, Status> {
    Output::stdout().map_err(|error| cannot_write(Name::stdout(), &error))
}

/// Reports why the output at `path` was not opened, if so, with `hint` if it is a directory.
pub(crate) fn opened(path: &Path, output: io::Result<Output>, hint: &str) -> Result<Output, Status> {
    output.map_err(|error| {
        let hint = if error.kind() == io::ErrorKind::IsADirectory { hint } else { "" };
        let name = Name::of_path(path.as_os_str());
        say_problem(&name, None, &format_args!("cannot open for writing: {error}"), hint);
        Status::Io
    })
}

/// Reports that the directory at `path` cannot be made.
pub(crate) fn no_directory(path: &Path, error: &io::Error) -> Status {
    let name = Name::of_path(path.as_os_str());
    say_problem(&name, None, &format_args!("cannot make the directory: {error}"), "");
    Status::Io
}

/// Writes `text` to standard output.
pub(crate) fn to_stdout(text: &str) -> Status {
    finish(&Name::stdout(), Output::stdout().and_then(|output| write(output, text.as_bytes())))
}

/// Writes `text` to the file at `path`, which is replaced once all of it is written. It must not be one of the files `read`.
pub(crate) fn to_path(path: &Path, read: &ReadFiles, text: &str) -> Status {
    let output = Output::path(path);
    if let Some(objection) = output.as_ref().ok().and_then(|output| read.objection_to(output)) {
        say(objection);
        return Status::Usage;
    }
    finish(&Name::of_path(path.as_os_str()), output.and_then(|output| write(output, text.as_bytes())))
}

/// Writes `bytes` to an output that is open, and finishes it.
pub(crate) fn to_output(output: Output, bytes: &[u8]) -> Status {
    finish(&output.name.clone(), write(output, bytes))
}

fn write(mut output: Output, bytes: &[u8]) -> io::Result<bool> {
    output.write_all(bytes)?;
    output.commit()
}

/// Returns the status after writing to the output called `name`, and reports a failure. That the reader of a pipe has
/// closed it is not a failure: it has read all that it wanted.
pub(crate) fn finish<T>(name: &Name, written: io::Result<T>) -> Status {
    match written {
        Err(error) if !output::is_closed_pipe(&error) => cannot_write(name, &error),
        _ => Status::Done,
    }
}

/// Reports that the output called `name` cannot be written.
pub(crate) fn cannot_write(name: impl Display, error: &io::Error) -> Status {
    say_problem(&name, None, &format_args!("cannot write: {error}"), "");
    Status::Io
}

/// The output of `--report`, if there is one. It gets a line for each input.
pub(crate) struct Report(Option<Output>);

impl Report {
    /// Opens the output at `path`, where `-` is standard error. Reports why that fails.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Status> {
        let output = match path {
            None => return Ok(Report(None)),
            Some(path) if path.as_os_str() == "-" => {
                Output::stderr().map_err(|error| cannot_write(Name::stderr(), &error))?
            }
            Some(path) => opened(path, Output::path(path), "")?,
        };
        Ok(Report(Some(output.written_to_the_end())))
    }

    pub(crate) fn output(&self) -> Option<&Output> {
        self.0.as_ref()
    }

    /// Refuses an `output` that is the same file.
    pub(crate) fn check_apart_from(&self, output: &Output) -> Result<(), Status> {
        if self.output().is_some_and(|report| output.collides(report)) {
            say(format_args!("{}: output and report cannot be the same file", output.name));
            return Err(Status::Usage);
        }
        Ok(())
    }

    /// Writes a line. After a failed write there is no report: what was cut does not replace a whole one.
    pub(crate) fn write(&mut self, line: impl FnOnce() -> String) -> Status {
        let Some(output) = &mut self.0 else { return Status::Done };
        let Err(error) = output.write_all(line().as_bytes()) else { return Status::Done };
        let name = output.name.clone();
        self.0 = None;
        cannot_write(name, &error)
    }

    /// Puts the report in its place, however the work has ended.
    pub(crate) fn finish(self) -> Status {
        self.0.map_or(Status::Done, |output| finish(&output.name.clone(), output.commit()))
    }
}
