//! What serde makes of the answers and of the choices (feature `serde`): one definition of the keys, for a caller's own
//! reports and for the command's `detect --json` and `--report`.
//!
//! Answers are written: every key is always there, in this order, null where there is nothing, but for `controls`,
//! `records_out`, `record_newlines` and `records_cut`, which are there where they were asked for, and for `record` and `column`, which stand beside an
//! offset in an input of records. Programs are built on them; a key is never renamed or left out. Choices (policies,
//! shapes, columns) are read as well, by the words of the command line.

use crate::codec::EbcdicNl;
use crate::detect::statistics::Candidate;
use crate::detect::{Diagnostic, Family, Kind, Policy, Severity, Source, Verdict};
use crate::error::{Error, RecordPosition};
use crate::records::{Carriage, Columns, Shape};
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, OnNewlineInRecord};
use crate::transcoder::{
    Bom, CutRecord, Faults, Gaps, MalformedAt, OnMalformed, OnOverlong, OnUnmappable, Padding, RecordsCut, Relabel,
    Relabelled, Report, UnmappableAt,
};
use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Write as _;

// --- Answers ----------------------------------------------------------------------------------------------------------

/// A verdict's keys.
#[derive(Serialize)]
struct VerdictKeys<'a> {
    encoding: Option<&'a str>,
    codec: Option<&'a str>,
    family: Option<Family>,
    kind: Option<Kind>,
    signature: Option<String>,
    bom: Option<String>,
    declared: Option<&'a str>,
    declared_span: Option<[u64; 2]>,
    charset: Option<&'a str>,
    policy: Option<Policy>,
    rule: Option<&'static str>,
    source: Option<Source>,
    /// What statistics say, where they were asked.
    candidates: &'a [Candidate],
    diagnostics: &'a [Diagnostic],
    error: Option<ErrorKeys>,
}

impl<'a> From<&'a Verdict> for VerdictKeys<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        VerdictKeys {
            encoding: verdict.encoding.as_deref(),
            codec: verdict.codec.as_ref().map(|codec| codec.name()),
            family: Some(verdict.family),
            kind: Some(verdict.kind),
            signature: verdict.signature.map(|row| hex(row.bytes)),
            bom: verdict.bom().map(hex),
            declared: verdict.declared.as_deref(),
            declared_span: verdict.declared_span.as_ref().map(|span| [span.start, span.end]),
            charset: verdict.charset.as_deref(),
            policy: Some(verdict.policy),
            rule: verdict.rule,
            source: verdict.source,
            candidates: &verdict.candidates,
            diagnostics: &verdict.diagnostics,
            // What a verdict blames is in the input: at its beginning if no nearer place is known.
            error: verdict.error.as_ref().map(|error| ErrorKeys { offset: error.offset().or(Some(0)), ..error.into() }),
        }
    }
}

/// The keys of `charpipe detect --json`, but `input`.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VerdictKeys::from(self).serialize(serializer)
    }
}

/// A report's keys.
#[derive(Serialize)]
struct ReportKeys<'a> {
    from: Option<&'a str>,
    to: &'a str,
    verdict: Option<&'a Verdict>,
    bytes_in: u64,
    bytes_out: u64,
    malformed: &'a Faults,
    unmappable: &'a Faults<UnmappableAt>,
    relabelled: Option<&'a Relabelled>,
    /// Control characters that were replaced or dropped, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<&'a Faults<UnmappableAt>>,
    /// How many were read.
    records: Option<u64>,
    /// How many were written, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_out: Option<u64>,
    /// Newlines in them that became blanks, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    record_newlines: Option<&'a Faults<UnmappableAt>>,
    /// Those that were cut, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_cut: Option<&'a RecordsCut>,
}

impl<'a> From<&'a Report> for ReportKeys<'a> {
    fn from(report: &'a Report) -> Self {
        ReportKeys {
            from: report.from.as_deref(),
            to: &report.to,
            verdict: report.verdict.as_ref(),
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            malformed: &report.malformed,
            unmappable: &report.unmappable,
            relabelled: report.relabelled.as_ref(),
            controls: report.controls.as_ref(),
            records: report.records,
            records_out: report.records_out,
            record_newlines: report.record_newlines.as_ref(),
            records_cut: report.records_cut.as_ref(),
        }
    }
}

/// The keys of the command's `--report`, but `input`, `output` and `error`, which a report does not know.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportKeys::from(self).serialize(serializer)
    }
}

/// An error's keys. The words leave out the place, which has keys of its own.
#[derive(Serialize)]
struct ErrorKeys {
    code: &'static str,
    message: String,
    offset: Option<u64>,
    #[serde(flatten)]
    record: Option<RecordPosition>,
}

impl From<&Error> for ErrorKeys {
    fn from(error: &Error) -> Self {
        let (message, offset) = (error.kind().to_string(), error.offset());
        ErrorKeys { code: error.code(), message, offset, record: error.record() }
    }
}

/// `code`, `message` (without the place), `offset`, and `record` and `column` where there are records.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ErrorKeys::from(self).serialize(serializer)
    }
}

/// Writes the keys of types all of whose fields are keys.
macro_rules! keys {
    ($($type:ty { $($key:literal: $field:ident),+ })+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut keys = serializer.serialize_struct(stringify!($type), [$($key),+].len())?;
                $(keys.serialize_field($key, &self.$field)?;)+
                keys.end()
            }
        }
    )+};
}

keys! {
    Candidate { "codec": codec, "score": score }
    Diagnostic { "code": code, "severity": severity, "message": message, "offset": offset }
    Relabelled { "from": from, "to": to }
    RecordPosition { "record": number, "column": column }
    Faults<MalformedAt> { "count": count, "first": first }
    Faults<UnmappableAt> { "count": count, "first": first }
    RecordsCut { "count": count, "bytes": bytes, "first": first }
    CutRecord { "offset": offset, "record": record, "bytes": bytes }
}

/// `offset`, `record` and `column` where there are records, `bytes` in upper-case hex.
impl Serialize for MalformedAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fault(serializer, self.offset, self.record, "bytes", &hex(&self.bytes))
    }
}

/// `offset`, `record` and `column` where there are records, `char`.
impl Serialize for UnmappableAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fault(serializer, self.offset, self.record, "char", &self.ch)
    }
}

fn fault<S: Serializer>(
    serializer: S,
    offset: u64,
    record: Option<RecordPosition>,
    key: &'static str,
    what: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut keys = serializer.serialize_struct("MalformedAt", if record.is_some() { 4 } else { 2 })?;
    keys.serialize_field("offset", &offset)?;
    if let Some(RecordPosition { number, column }) = record {
        keys.serialize_field("record", &number)?;
        keys.serialize_field("column", &column)?;
    }
    keys.serialize_field(key, what)?;
    keys.end()
}

/// Bytes as pairs of upper-case digits, nothing between.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        _ = write!(text, "{byte:02X}");
        text
    })
}

// --- Names and choices ------------------------------------------------------------------------------------------------

/// Serializes the values of a choice as their words.
macro_rules! words {
    ($($type:ident)+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )+};
}

words! {
    Kind Source Severity Family Policy OnMalformed OnUnmappable Relabel Bom Eol EbcdicNl OnControl OnNewlineInRecord Padding Gaps
    OnOverlong Carriage
}

/// Writes and reads the values of a type as the text that it is made of.
macro_rules! texts {
    ($($type:ident)+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )+};
}

texts! { Shape Columns }
