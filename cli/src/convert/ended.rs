//! The result of one input: its status, its error in reports, and a hint that comes from the bytes themselves.

use crate::ending::{self, Ending};
use crate::files::backup::BackupExists;
use crate::files::name::Name;
use crate::files::output::is_closed_pipe;
use crate::files::sampled_input::SampledInput;
use crate::messages::hints;
use crate::messages::json::ErrorObject;
use crate::status::Status;
use charpipe::detect::Source;
use charpipe::records::NoShape;
use charpipe::{Error, ErrorKind, Kind, Report, Verdict};
use std::io;

/// How the work on an input ended.
pub(crate) enum Ended {
    Done,
    /// Done, and the file that was to be replaced equals its conversion.
    Unchanged,
    /// The file was found in a directory, is binary, and was left alone.
    LeftAlone(Box<Verdict>),
    Early(Ending<Failure>),
}

/// Other errors of a conversion.
pub(crate) enum Failure {
    /// The shape of the records is not known.
    NoShape(NoShape),
    /// The output could not be opened.
    NoOutput(io::Error),
    /// The file has a backup already, and is left as it is.
    HasBackup(BackupExists),
    /// The conversion has begun and failed.
    Stuck(Error),
}

impl From<Ending<Failure>> for Ended {
    fn from(ending: Ending<Failure>) -> Self {
        Ended::Early(ending)
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Early(Ending::Failed(failure))
    }
}

impl ending::Failure for Failure {
    const SEARCHES: bool = true;

    fn status(&self) -> Status {
        match self {
            Failure::NoOutput(_) => Status::Io,
            Failure::NoShape(_) | Failure::HasBackup(_) => Status::Data,
            Failure::Stuck(error) => Status::of(error),
        }
    }

    fn object(&self) -> ErrorObject {
        match self {
            Failure::NoShape(why) => ErrorObject::new(why.code(), why.to_string(), Some(0)),
            Failure::NoOutput(error) => ErrorObject::new("write", format!("cannot open for writing: {error}"), None),
            Failure::HasBackup(objection) => ErrorObject::new("backup-exists", objection.to_string(), Some(0)),
            Failure::Stuck(error) => ErrorObject::of(error),
        }
    }
}

impl Ended {
    /// Returns the ending of a conversion into the output called `output`, with this result.
    pub(crate) fn of(result: Result<(), Error>, output: &Name) -> Self {
        let Err(error) = result else { return Ended::Done };
        let ErrorKind::Write { source, .. } = error.kind() else { return Failure::Stuck(error).into() };
        match BackupExists::of(source) {
            Some(objection) => Failure::HasBackup(objection.clone()).into(),
            None if is_closed_pipe(source) => Ending::Stopped.into(),
            None => Ending::NotWritten(output.clone(), error).into(),
        }
    }

    /// Returns why the work ended early.
    pub(crate) fn early(&self) -> Option<&Ending<Failure>> {
        match self {
            Ended::Early(ending) => Some(ending),
            Ended::Done | Ended::Unchanged | Ended::LeftAlone(_) => None,
        }
    }

    pub(crate) fn status(&self) -> Status {
        self.early().map_or(Status::Done, Ending::status)
    }

    /// Returns the error of the conversion.
    pub(crate) fn error(&self) -> Option<&Error> {
        match self {
            Ended::Early(Ending::Failed(Failure::Stuck(error))) => Some(error),
            _ => None,
        }
    }

    /// Returns whether the conversion had begun.
    pub(crate) fn has_begun(&self) -> bool {
        match self {
            Ended::Done | Ended::Unchanged => true,
            Ended::Early(Ending::Stopped | Ending::NotWritten(..) | Ending::Failed(Failure::Stuck(_))) => true,
            Ended::Early(Ending::Panicked(panic)) => panic.offset().is_some(),
            Ended::LeftAlone(_) | Ended::Early(_) => false,
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
