//! The objects of `detect --json`, `list --json` and `--report`: every key always there, in this order, null where there
//! is nothing, but for what is only there where it was asked for: `policies` with `detect --explain`, `controls` with `--controls`,
//! `records_out` with `--to-records`, and `record` and `column` beside an offset in an input of records. Programs are built on them; a key is never renamed
//! or left out.

use super::words::{self, Name};
use crate::detect::{Candidate, Diagnostic, Verdict};
use crate::error::{Error, RecordPosition};
use crate::transcoder::{Faults, Report, UnmappableChar};
use serde::Serialize;
use std::fmt::Write as _;

/// What was found out about a file: a line of `detect --json`, and `verdict` in a report.
#[derive(Serialize)]
pub(super) struct VerdictObject<'a> {
    input: &'a str,
    encoding: Option<&'a str>,
    codec: Option<&'a str>,
    family: Option<&'static str>,
    kind: Option<&'static str>,
    signature: Option<String>,
    bom: Option<String>,
    declared: Option<&'a str>,
    declared_span: Option<[u64; 2]>,
    charset: Option<&'a str>,
    policy: Option<&'static str>,
    rule: Option<&'static str>,
    source: Option<&'static str>,
    /// What statistics say, where they were asked.
    candidates: Vec<CandidateObject<'a>>,
    diagnostics: Vec<DiagnosticObject<'a>>,
    error: Option<ErrorObject>,
    /// What each policy says, where that was asked for; the one key that is left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<Vec<VerdictObject<'a>>>,
}

#[derive(Serialize)]
struct DiagnosticObject<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    offset: u64,
}

#[derive(Serialize)]
pub(super) struct ErrorObject {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) offset: Option<u64>,
    #[serde(flatten)]
    pub(super) record: Option<RecordObject>,
}

/// Two keys more wherever there is an offset in an input of records; both from 1.
#[derive(Serialize)]
pub(super) struct RecordObject {
    record: u64,
    column: u64,
}

impl RecordObject {
    fn of(at: RecordPosition) -> Self {
        RecordObject { record: at.number, column: at.column }
    }
}

/// What became of a file: a line of `--report`.
#[derive(Serialize)]
pub(super) struct ReportObject<'a> {
    input: &'a str,
    output: &'a str,
    from: Option<&'a str>,
    to: &'a str,
    verdict: Option<VerdictObject<'a>>,
    bytes_in: u64,
    bytes_out: u64,
    malformed: FaultsObject<MalformedObject>,
    unmappable: FaultsObject<UnmappableObject>,
    relabelled: Option<RelabelledObject<'a>>,
    /// Control characters that were replaced or dropped, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<FaultsObject<UnmappableObject>>,
    /// How many were read.
    records: Option<u64>,
    /// How many were written, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_out: Option<u64>,
    error: Option<ErrorObject>,
}

#[derive(Serialize)]
struct FaultsObject<F> {
    count: u64,
    first: Vec<F>,
}

#[derive(Serialize)]
struct MalformedObject {
    offset: u64,
    #[serde(flatten)]
    record: Option<RecordObject>,
    bytes: String,
}

#[derive(Serialize)]
struct UnmappableObject {
    offset: u64,
    #[serde(flatten)]
    record: Option<RecordObject>,
    char: char,
}

#[derive(Serialize)]
struct RelabelledObject<'a> {
    from: Option<&'a str>,
    to: &'a str,
}

#[derive(Serialize)]
struct CandidateObject<'a> {
    codec: &'a str,
    score: f32,
}

impl<'a> CandidateObject<'a> {
    fn of(candidate: &'a Candidate) -> Self {
        CandidateObject { codec: &candidate.codec, score: candidate.score }
    }
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
        VerdictObject {
            encoding: verdict.encoding.as_deref(),
            codec: verdict.codec.as_ref().map(|codec| codec.name()),
            family: Some(verdict.family.name()),
            kind: Some(verdict.kind.name()),
            signature: verdict.signature.map(|row| hex(row.bytes)),
            bom: verdict.bom().map(hex),
            declared: verdict.declared.as_deref(),
            declared_span: verdict.declared_span.as_ref().map(|span| [span.start, span.end]),
            charset: verdict.charset.as_deref(),
            policy: Some(verdict.policy.name()),
            rule: verdict.rule,
            source: verdict.source.map(|source| source.name()),
            candidates: verdict.candidates.iter().map(CandidateObject::of).collect(),
            diagnostics: verdict.diagnostics.iter().map(DiagnosticObject::of).collect(),
            ..VerdictObject::failed(name, verdict.error.as_ref().map(ErrorObject::of))
        }
    }

    /// The same, with what each policy says.
    pub(super) fn explained(self, policies: Vec<VerdictObject<'a>>) -> Self {
        VerdictObject { policies: Some(policies), ..self }
    }

    /// No verdict: the file could not be read so far.
    pub(super) fn failed(name: &'a Name, error: Option<ErrorObject>) -> Self {
        VerdictObject {
            input: &name.json,
            encoding: None,
            codec: None,
            family: None,
            kind: None,
            signature: None,
            bom: None,
            declared: None,
            declared_span: None,
            charset: None,
            policy: None,
            rule: None,
            source: None,
            candidates: Vec::new(),
            diagnostics: Vec::new(),
            error,
            policies: None,
        }
    }
}

impl<'a> DiagnosticObject<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        let Diagnostic { code, severity, message, offset } = diagnostic;
        DiagnosticObject { code, severity: severity.name(), message, offset: *offset }
    }
}

impl ErrorObject {
    /// An error that has nothing to do with records.
    pub(super) fn new(code: &'static str, message: String, offset: Option<u64>) -> Self {
        ErrorObject { code, message, offset, record: None }
    }

    /// The error without its place in the words, which has a key of its own.
    pub(super) fn of(error: &Error) -> Self {
        ErrorObject {
            record: error.record().map(RecordObject::of),
            ..ErrorObject::new(error.code(), error.kind().to_string(), words::offset(error))
        }
    }
}

impl<'a> ReportObject<'a> {
    /// The account of one run.
    pub(super) fn of(input: &'a Name, output: &'a Name, report: &'a Report, error: Option<ErrorObject>) -> Self {
        ReportObject {
            input: &input.json,
            output: &output.json,
            from: report.from.as_deref(),
            to: &report.to,
            verdict: report.verdict.as_ref().map(|verdict| VerdictObject::of(input, verdict)),
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            malformed: FaultsObject::of(&report.malformed, |fault| MalformedObject {
                offset: fault.offset,
                record: fault.record.map(RecordObject::of),
                bytes: hex(&fault.bytes),
            }),
            unmappable: FaultsObject::of(&report.unmappable, UnmappableObject::of),
            controls: report.controls.as_ref().map(|faults| FaultsObject::of(faults, UnmappableObject::of)),
            relabelled: report
                .relabelled
                .as_ref()
                .map(|label| RelabelledObject { from: label.from.as_deref(), to: &label.to }),
            records: report.records,
            records_out: report.records_out,
            error,
        }
    }
}

impl UnmappableObject {
    fn of(fault: &UnmappableChar) -> Self {
        UnmappableObject { offset: fault.offset, record: fault.record.map(RecordObject::of), char: fault.ch }
    }
}

impl<F> FaultsObject<F> {
    fn of<G>(faults: &Faults<G>, object: impl Fn(&G) -> F) -> Self {
        FaultsObject { count: faults.count, first: faults.first.iter().map(object).collect() }
    }
}

/// `value` on one line, with its end.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("strings, numbers and lists of them always serialise");
    line.push('\n');
    line
}

/// Bytes as pairs of upper-case digits, nothing between.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        _ = write!(text, "{byte:02X}");
        text
    })
}
