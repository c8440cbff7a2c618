//! How the work on one input ended: its status, its error in reports, and a hint from the bytes themselves.

use crate::files::backup::BackupExists;
use crate::files::http_head::NotHttp;
use crate::files::sampled_input::SampledInput;
use crate::messages::hints;
use crate::messages::json::ErrorObject;
use crate::panics::Panic;
use crate::print;
use crate::status::Status;
use charpipe::detect::Source;
use charpipe::records::NoShape;
use charpipe::{Error, ErrorKind, Kind, Report, Verdict};
use std::fmt::{self, Display};
use std::io;

/// How the work on an input ended.
pub(crate) enum Ending {
    Done,
    /// Done, and the file that was to be replaced equals its conversion.
    Unchanged,
    /// The file was found in a directory, is binary, and was left alone.
    LeftAlone(Box<Verdict>),
    /// The reader of the output has closed the pipe.
    Closed,
    /// The input could not be opened.
    NotOpened(io::Error),
    /// The beginning of the input could not be read for the shape of its records.
    NotRead(Error),
    /// The shape of its records is not known.
    NoShape(NoShape),
    /// The input is not an HTTP response that can be converted.
    NotHttp(NotHttp),
    /// The output could not be opened.
    NoOutput(io::Error),
    /// The file has a backup already, and is left as it is.
    HasBackup(BackupExists),
    /// The output could not be put in its place.
    NotCommitted(io::Error),
    Failed(Error),
    /// There is a bug in charpipe.
    Panicked(Panic),
}

impl Ending {
    /// Returns the ending of a conversion with this result.
    pub(crate) fn of(result: Result<(), Error>) -> Self {
        let Err(error) = result else { return Ending::Done };
        let ErrorKind::Write { source, .. } = error.kind() else { return Ending::Failed(error) };
        match BackupExists::of(source) {
            Some(objection) => Ending::HasBackup(objection.clone()),
            None if print::is_closed_pipe(source) => Ending::Closed,
            None => Ending::Failed(error),
        }
    }

    /// Returns the ending of a conversion whose output could not be put in its place.
    pub(crate) fn not_committed(error: io::Error) -> Self {
        match BackupExists::of(&error) {
            Some(objection) => Ending::HasBackup(objection.clone()),
            None => Ending::NotCommitted(error),
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self {
            Ending::Done | Ending::Unchanged | Ending::LeftAlone(_) | Ending::Closed => Status::Done,
            Ending::NotOpened(_) | Ending::NotRead(_) | Ending::NoOutput(_) | Ending::NotCommitted(_) => Status::Io,
            Ending::NotHttp(NotHttp::Read(_)) => Status::Io,
            Ending::NoShape(_) | Ending::NotHttp(_) | Ending::HasBackup(_) | Ending::Panicked(_) => Status::Data,
            Ending::Failed(error) => Status::of(error),
        }
    }

    /// Returns whether the reader of the output wanted no more.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self, Ending::Closed)
    }

    /// Returns the error of the conversion.
    pub(crate) fn error(&self) -> Option<&Error> {
        match self {
            Ending::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Returns whether the output takes no more data, so that there is no point in another input.
    pub(crate) fn is_of_output(&self) -> bool {
        self.is_stopped() || self.error().is_some_and(|error| matches!(error.kind(), ErrorKind::Write { .. }))
    }

    /// Returns whether the conversion had begun.
    pub(crate) fn has_begun(&self) -> bool {
        match self {
            Ending::Done | Ending::Unchanged | Ending::Closed | Ending::NotCommitted(_) | Ending::Failed(_) => true,
            Ending::Panicked(panic) => panic.offset().is_some(),
            Ending::LeftAlone(_)
            | Ending::NotOpened(_)
            | Ending::NotRead(_)
            | Ending::NoShape(_)
            | Ending::NotHttp(_)
            | Ending::HasBackup(_)
            | Ending::NoOutput(_) => false,
        }
    }

    /// Returns the error for the report.
    pub(crate) fn object(&self) -> Option<ErrorObject> {
        let object = |code, offset| Some(ErrorObject::new(code, self.to_string(), offset));
        match self {
            Ending::Done | Ending::Unchanged | Ending::LeftAlone(_) | Ending::Closed => None,
            Ending::NotOpened(_) => object("open", None),
            Ending::NoShape(why) => object(why.code(), Some(0)),
            Ending::NotHttp(_) => object("http", Some(0)),
            Ending::HasBackup(_) => object("backup-exists", Some(0)),
            Ending::NoOutput(_) | Ending::NotCommitted(_) => object("write", None),
            Ending::NotRead(error) | Ending::Failed(error) => Some(ErrorObject::of(error)),
            Ending::Panicked(panic) => Some(panic.object()),
        }
    }

    /// Returns what to try if the input is not in the encoding that was found, as its bytes around the error show.
    pub(crate) fn advice(&self, report: &Report, input: &mut SampledInput) -> Option<String> {
        let error = self.error()?;
        let offset = error.offset().filter(|_| report.records.is_none())?;
        match error.kind() {
            ErrorKind::UnknownEncoding { .. } => hints::for_bytes(&input.sample_around(offset), None, false),
            ErrorKind::Malformed { codec, .. } => {
                let source = report.verdict.as_ref().and_then(|verdict| verdict.source);
                let is_xml = report.verdict.as_ref().is_some_and(|verdict| verdict.kind == Kind::Xml);
                let is_open = matches!(source, Some(Source::Default | Source::Fallback));
                let is_named = !is_open || is_xml;
                hints::for_bytes(&input.sample_around(offset), Some(codec), is_named)
            }
            _ => None,
        }
    }
}

/// The error; nothing if there was none.
impl Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Done | Ending::Unchanged | Ending::LeftAlone(_) | Ending::Closed => Ok(()),
            Ending::NotOpened(error) => write!(f, "cannot open: {error}"),
            Ending::NoShape(why) => Display::fmt(why, f),
            Ending::NotHttp(why) => Display::fmt(why, f),
            Ending::HasBackup(objection) => Display::fmt(objection, f),
            Ending::NoOutput(error) => write!(f, "cannot open for writing: {error}"),
            Ending::NotCommitted(error) => write!(f, "cannot write: {error}"),
            Ending::NotRead(error) | Ending::Failed(error) => Display::fmt(error, f),
            Ending::Panicked(panic) => Display::fmt(panic, f),
        }
    }
}
