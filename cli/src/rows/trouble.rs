//! Errors in records: the library's [`RowsError`], with the status, the message and the hints of the command.

use crate::args::Rows;
use crate::ending::Failure;
use crate::files::name::Name;
use crate::messages::json::ErrorObject;
use crate::messages::{Place, hints, say_error, say_problem};
use crate::status::Status;
use charpipe::ErrorKind;
use charpipe::fields::{FieldError, Problem};
use charpipe::rows::RowsError;

impl Failure for RowsError {
    fn status(&self) -> Status {
        match self {
            RowsError::Stream(error) => Status::of(error),
            _ => Status::Data,
        }
    }

    fn object(&self) -> ErrorObject {
        match self {
            RowsError::Stream(error) => ErrorObject::of(error),
            RowsError::Record { error, .. } => ErrorObject::new(self.code(), error.to_string(), self.offset()),
            other => ErrorObject::new(other.code(), other.to_string(), other.offset()),
        }
    }
}

/// Prints the errors in an input of a run with these options.
pub(super) fn say(name: &Name, error: &RowsError, args: &Rows) {
    let at = error.offset().map(Place::byte);
    match error {
        RowsError::Stream(error) => match error.kind() {
            kind @ ErrorKind::RecordTooLong { .. } => {
                say_problem(name, at, kind, " (is the shape right? see `charpipe detect --records`)");
            }
            _ => say_error(name, error),
        },
        RowsError::NoShape(why) => say_problem(name, at, why, hints::for_shape(why)),
        RowsError::Record { error, .. } => say_problem(name, at, error, hint(error, args)),
        RowsError::NestTooLong { .. } => say_problem(name, at, error, " (leave out --nest)"),
        other => say_problem(name, at, other, ""),
    }
}

/// Returns whether `--short-records null` is allowed, and not given yet.
fn can_be_short(args: &Rows) -> bool {
    !args.is_given("short-records") && !args.is_given("exact")
}

/// Returns what to do about a record with an error.
fn hint(error: &FieldError, args: &Rows) -> &'static str {
    match (error.problem(), error.code()) {
        (_, "bad-number") => {
            " (is the layout right? see --show-layout; use --on-bad null or --rejects PATH to continue)"
        }
        (_, "malformed") => {
            " (name the code page with -f; use --malformed replace, --on-bad null or --rejects PATH to continue)"
        }
        (_, "bad-date") => " (is the pattern of --dates right? use --on-bad null or --rejects PATH to continue)",
        (Problem::UnknownType { .. }, _) => {
            " (add a rule with --when, such as `--when 'otherwise: NAME'`, or use --rejects PATH)"
        }
        (_, "record-too-short") if error.bytes().is_empty() && can_be_short(args) => {
            " (is the shape right? see `charpipe detect --records`; use --short-records null or --rejects PATH to continue)"
        }
        (_, "record-too-short") => {
            " (is the shape right? see `charpipe detect --records`; use --rejects PATH to continue)"
        }
        (_, "longer-than-layout") if args.is_given("exact") => {
            " (is the layout complete? see --show-layout; use --rejects PATH to continue)"
        }
        (_, "longer-than-layout") => {
            " (is the layout complete? see --show-layout; use --overlong cut to leave out the rest)"
        }
        (Problem::NoParent { .. }, _) if args.nest => {
            " (are the records in order? use --on-bad null to write it on a line of its own, or --rejects PATH to continue)"
        }
        (Problem::NoParent { .. }, _) => {
            " (are the records in order? use --on-bad null to leave _parent empty, or --rejects PATH to continue)"
        }
        (Problem::CountOutOfBounds { count, .. }, _) if count == "0" && !args.is_given("exact") => {
            " (use --on-bad null to leave the table empty, or --rejects PATH to continue)"
        }
        (_, "newline-in-record") => hints::NEWLINE,
        (_, "control") => " (use --controls space to replace it)",
        _ => " (use --rejects PATH to continue)",
    }
}
