//! How the work on an input ended if it failed: [`Ending`].

use crate::escape::printable;
use crate::files::http_head::NotHttp;
use crate::files::name::Name;
use crate::files::output;
use crate::messages::json::ErrorObject;
use crate::messages::{say_error, say_not_opened, say_problem};
use crate::panics::Panic;
use crate::status::Status;
use charpipe::Error;
use std::ffi::OsStr;
use std::io;

/// Why the work on an input ended early. `F` is what else can go wrong in a command.
#[derive(Debug)]
pub(crate) enum Ending<F> {
    /// The reader of the output wants no more.
    Stopped,
    NotOpened(io::Error),
    NotRead(Error),
    /// The input is not an HTTP response that can be read.
    NotHttp(NotHttp),
    /// The output with this name cannot be written.
    NotWritten(Name, Error),
    /// There is a bug in charpipe.
    Panicked(Panic),
    Failed(F),
}

/// Other errors of a command.
pub(crate) trait Failure {
    /// Whether the command searches directories with `-r`.
    const SEARCHES: bool = false;

    fn status(&self) -> Status;
    /// Returns the error for the report.
    fn object(&self) -> ErrorObject;
}

impl<F> Ending<F> {
    /// Returns the ending after a failed write to the output called `output`.
    pub(crate) fn of_write(output: &Name, error: io::Error) -> Self {
        match output::is_closed_pipe(&error) {
            true => Ending::Stopped,
            false => Ending::not_written(output, error),
        }
    }

    pub(crate) fn not_written(output: &Name, error: io::Error) -> Self {
        Ending::NotWritten(output.clone(), Error::write(0, error))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self, Ending::Stopped)
    }

    /// Returns whether the output takes no more data, so that there is no point in another input.
    pub(crate) fn is_of_output(&self) -> bool {
        matches!(self, Ending::Stopped | Ending::NotWritten(..))
    }
}

impl<F: Failure> Ending<F> {
    pub(crate) fn status(&self) -> Status {
        match self {
            Ending::Stopped => Status::Done,
            Ending::NotOpened(_) | Ending::NotRead(_) | Ending::NotWritten(..) => Status::Io,
            Ending::NotHttp(NotHttp::Read(_)) => Status::Io,
            Ending::NotHttp(_) | Ending::Panicked(_) => Status::Data,
            Ending::Failed(failure) => failure.status(),
        }
    }

    /// Returns the error for the report.
    pub(crate) fn object(&self) -> Option<ErrorObject> {
        Some(match self {
            Ending::Stopped => return None,
            Ending::NotOpened(error) => ErrorObject::new("open", format!("cannot open: {error}"), None),
            Ending::NotRead(error) | Ending::NotWritten(_, error) => ErrorObject::of(error),
            Ending::NotHttp(why) => ErrorObject::new("http", why.to_string(), Some(0)),
            Ending::Panicked(panic) => panic.object(),
            Ending::Failed(failure) => failure.object(),
        })
    }

    /// Prints the error of the input `name`, which the user called `operand`. `say_failure` prints what else went
    /// wrong.
    pub(crate) fn say(&self, name: &Name, operand: &OsStr, say_failure: impl FnOnce(&F)) {
        match self {
            Ending::Stopped => {}
            Ending::NotOpened(error) if F::SEARCHES && error.kind() == io::ErrorKind::IsADirectory => {
                say_problem(name, None, &format_args!("cannot open: {error}"), " (use -r for the files in it)");
            }
            Ending::NotOpened(error) => say_not_opened(name, operand, error),
            Ending::NotRead(error) => say_error(name, error),
            Ending::NotHttp(why) => say_problem(name, None, &printable(&why.to_string()), ""),
            Ending::NotWritten(output, error) => say_problem(output, None, error.kind(), ""),
            Ending::Panicked(panic) => panic.say(name),
            Ending::Failed(failure) => say_failure(failure),
        }
    }
}

/// Returns the status of the work on an input.
pub(crate) fn status<F: Failure>(ended: &Result<(), Ending<F>>) -> Status {
    ended.as_ref().map_or_else(Ending::status, |()| Status::Done)
}
