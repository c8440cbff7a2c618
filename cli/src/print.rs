//! Writes whole texts, and decides what a failed write means.

use crate::files::name::Name;
use crate::files::output::{self, Output};
use crate::files::read_files::ReadFiles;
use crate::messages::{say, say_problem};
use crate::status::Status;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes `text` to standard output.
pub(crate) fn to_stdout(text: &str) -> Status {
    finish(&Name::stdout(), Output::stdout().and_then(|output| write(output, text)))
}

/// Writes `text` to the file at `path`, which is replaced once all of it is written. It must not be one of the files `read`.
pub(crate) fn to_path(path: &Path, read: &ReadFiles, text: &str) -> Status {
    let output = Output::path(path);
    if let Some(objection) = output.as_ref().ok().and_then(|output| read.objection_to(output)) {
        say(objection);
        return Status::Usage;
    }
    finish(&Name::of_path(path.as_os_str()), output.and_then(|output| write(output, text)))
}

/// Writes `text` to an output that is open, and finishes it.
pub(crate) fn to_output(output: Output, text: &str) -> Status {
    finish(&output.name.clone(), write(output, text))
}

fn write(mut output: Output, text: &str) -> io::Result<bool> {
    output.write_all(text.as_bytes())?;
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
