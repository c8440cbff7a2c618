//! Why nothing could be found out about a file.

use crate::escape::printable;
use crate::files::http_head::NotHttp;
use crate::files::name::Name;
use crate::messages::json::ErrorObject;
use crate::messages::{self, say};
use crate::panics::Panic;
use crate::status::Status;
use charpipe::Error;
use std::ffi::OsStr;
use std::io;

pub(crate) enum Failure {
    NotOpened(io::Error),
    NotRead(Error),
    NotHttp(NotHttp),
    /// There is a bug in charpipe.
    Panicked(Panic),
}

impl Failure {
    pub(crate) fn status(&self) -> Status {
        match self {
            Failure::NotOpened(_) | Failure::NotRead(_) | Failure::NotHttp(NotHttp::Read(_)) => Status::Io,
            Failure::NotHttp(_) | Failure::Panicked(_) => Status::Data,
        }
    }

    /// Prints the failure of the file `name`.
    pub(crate) fn say(&self, name: &Name, verbose: bool) {
        match self {
            Failure::NotOpened(error) if error.kind() == io::ErrorKind::IsADirectory => {
                messages::say_input_not_opened(name, OsStr::new(""), error);
            }
            Failure::NotOpened(error) => say(format_args!("{name}: cannot open: {error}")),
            Failure::NotRead(error) => messages::say_error(name, error),
            Failure::NotHttp(why) => say(format_args!("{name}: {}", printable(&why.to_string()))),
            Failure::Panicked(panic) => {
                if let Some(note) = panic.note().filter(|_| verbose) {
                    say(format_args!("{name}: {note}"));
                }
                panic.say(name);
            }
        }
    }

    /// Returns the error for JSON.
    pub(crate) fn object(&self) -> ErrorObject {
        match self {
            Failure::NotOpened(error) => ErrorObject::new("open", format!("cannot open: {error}"), None),
            Failure::NotRead(error) => ErrorObject::of(error),
            Failure::NotHttp(why) => ErrorObject::new("http", why.to_string(), Some(0)),
            Failure::Panicked(panic) => panic.object(),
        }
    }
}
