//! The exit status.

use charpipe::{Error, ErrorKind};
use std::process::ExitCode;

/// The result of the work on a file, or of the run, in the order of the exit statuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    Done = 0,
    /// The data could not be converted under the policies given.
    Data = 1,
    /// The command line is invalid.
    Usage = 2,
    /// Opening, reading or writing failed.
    Io = 3,
}

impl Status {
    /// Returns the status of a run that ended with `error`.
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Read { .. } | ErrorKind::Write { .. } => Status::Io,
            _ => Status::Data,
        }
    }
}

/// The number of the exit status.
impl From<Status> for i32 {
    fn from(status: Status) -> Self {
        status as i32
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}
