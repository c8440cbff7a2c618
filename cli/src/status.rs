//! The exit status.

use charpipe::{Error, ErrorKind};
use std::process::ExitCode;

/// How a file, and the run, came out. The order is that of the exit statuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    Done = 0,
    /// The data could not be converted under the policies given.
    Data = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Opening, reading or writing failed.
    Io = 3,
}

impl Status {
    /// The status of a run that `error` ended.
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Read { .. } | ErrorKind::Write { .. } => Status::Io,
            _ => Status::Data,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}
