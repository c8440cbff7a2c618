//! How the work on an input ended: [`Ending`].

use crate::files::name::Name;
use crate::messages::json::ErrorObject;
use crate::messages::{self, color, say_parts};
use crate::panics::Panic;
use crate::print;
use crate::status::Status;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io;

/// Why the work on an input ended before its end. `F` is what can be wrong with the input itself.
#[derive(Debug)]
pub(super) enum Ending<F> {
    /// The reader of the output wants no more.
    Stopped,
    NotOpened(io::Error),
    /// The output called so cannot be written.
    NotWritten(Name, io::Error),
    Panicked(Panic),
    Failed(F),
}

/// What is wrong with an input.
pub(super) trait Failure {
    fn status(&self) -> Status;
    /// Returns the error for the report.
    fn object(&self) -> ErrorObject;
}

impl<F: Failure> Ending<F> {
    pub(super) fn status(&self) -> Status {
        match self {
            Ending::Stopped => Status::Done,
            Ending::NotOpened(_) | Ending::NotWritten(..) => Status::Io,
            Ending::Panicked(_) => Status::Data,
            Ending::Failed(failure) => failure.status(),
        }
    }

    /// Whether the output takes no more data, so that there is no point in another input.
    pub(super) fn is_of_output(&self) -> bool {
        matches!(self, Ending::Stopped | Ending::NotWritten(..))
    }

    pub(super) fn is_stopped(&self) -> bool {
        matches!(self, Ending::Stopped)
    }

    /// Returns the error for the report.
    pub(super) fn object(&self) -> Option<ErrorObject> {
        let object = |code, message| Some(ErrorObject::new(code, message, None));
        match self {
            Ending::Stopped => None,
            Ending::NotOpened(error) => object("open", format!("cannot open: {error}")),
            Ending::NotWritten(_, error) => object("write", format!("cannot write: {error}")),
            Ending::Panicked(panic) => Some(panic.object()),
            Ending::Failed(failure) => Some(failure.object()),
        }
    }

    /// Prints the error of the input `name`. `failed` prints what is wrong with the input itself.
    pub(super) fn say(&self, name: &Name, path: &OsStr, failed: impl FnOnce(&F)) {
        match self {
            Ending::Stopped => {}
            Ending::NotOpened(error) => messages::say_not_opened(name, path, error),
            Ending::NotWritten(output, error) => _ = print::cannot_write(output, error),
            Ending::Panicked(panic) => panic.say(name),
            Ending::Failed(failure) => failed(failure),
        }
    }
}

/// Returns the status of the work on an input.
pub(super) fn status<F: Failure>(ended: &Result<(), Ending<F>>) -> Status {
    ended.as_ref().map_or_else(Ending::status, |()| Status::Done)
}

/// Prints an error at a place in the input, and what to do about it.
pub(super) fn say_at(name: &Name, offset: Option<u64>, error: &dyn Display, hint: &str) {
    let place = offset.map_or_else(String::new, |offset| format!("byte {offset}: "));
    let place = format_args!("{name}: {place}");
    say_parts(&[(color::PLAIN, &place), (color::ERROR, error), (color::HINT, &hint)]);
}
