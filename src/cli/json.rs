//! The objects of `detect --json`, `list --json` and `--report`: the keys that [`crate::serde`] gives verdicts, reports
//! and errors, and those that only the command knows. Every key is always there, in this order, null where there is
//! nothing, but for what is only there where it was asked for: `policies` with `detect --explain`, `controls` with
//! `--controls`, `records_out` with `--to-records`, and `record` and `column` beside an offset in an input of records.
//! Programs are built on them; a key is never renamed or left out.

use super::words::{self, Name};
use crate::detect::Verdict;
use crate::error::Error;
pub(super) use crate::serde::{ErrorKeys as ErrorObject, hex};
use crate::serde::{ReportKeys, VerdictKeys};
use crate::transcoder::Report;
use serde::Serialize;

/// What was found out about a file: a line of `detect --json`, and `verdict` in a report.
#[derive(Serialize)]
pub(super) struct VerdictObject<'a> {
    input: &'a str,
    #[serde(flatten)]
    verdict: VerdictKeys<'a>,
    /// What each policy says, where that was asked for; the one key that is left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<Vec<VerdictObject<'a>>>,
}

/// What became of a file: a line of `--report`.
#[derive(Serialize)]
pub(super) struct ReportObject<'a> {
    input: &'a str,
    output: &'a str,
    #[serde(flatten)]
    report: ReportKeys<'a, VerdictObject<'a>>,
    error: Option<ErrorObject>,
}

/// A codec, or a label that is known and not supported: a line of `list --json`.
#[derive(Serialize)]
pub(super) struct CodecObject<'a> {
    pub(super) name: &'a str,
    pub(super) aliases: Vec<&'a str>,
    pub(super) decode: bool,
    pub(super) encode: bool,
    pub(super) source: Option<&'a str>,
}

impl<'a> VerdictObject<'a> {
    /// The verdict on the file called `name`.
    pub(super) fn of(name: &'a Name, verdict: &'a Verdict) -> Self {
        let error = verdict.error.as_ref().map(ErrorObject::of);
        VerdictObject { input: &name.json, verdict: VerdictKeys::of(verdict, error), policies: None }
    }

    /// The same, with what each policy says.
    pub(super) fn explained(self, policies: Vec<VerdictObject<'a>>) -> Self {
        VerdictObject { policies: Some(policies), ..self }
    }

    /// No verdict: the file could not be read so far.
    pub(super) fn failed(name: &'a Name, error: Option<ErrorObject>) -> Self {
        VerdictObject { input: &name.json, verdict: VerdictKeys::failed(error), policies: None }
    }
}

impl ErrorObject {
    /// An error that has nothing to do with records.
    pub(super) fn new(code: &'static str, message: String, offset: Option<u64>) -> Self {
        ErrorObject { code, message, offset, record: None }
    }

    /// The error, with a place for whatever blames the data.
    pub(super) fn of(error: &Error) -> Self {
        ErrorObject { offset: words::offset(error), ..error.into() }
    }
}

impl<'a> ReportObject<'a> {
    /// The account of one run.
    pub(super) fn of(input: &'a Name, output: &'a Name, report: &'a Report, error: Option<ErrorObject>) -> Self {
        let report = ReportKeys::of(report, |verdict| VerdictObject::of(input, verdict));
        ReportObject { input: &input.json, output: &output.json, report, error }
    }
}

/// `value` on one line, with its end.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("strings, numbers and lists of them always serialise");
    line.push('\n');
    line
}
