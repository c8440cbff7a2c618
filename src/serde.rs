//! Serialization of results and choices with serde (feature `serde`). This module defines the JSON keys once, both for
//! callers of the library and for the command.
//!
//! Results (verdicts, reports and errors) can only be serialized. Their keys always appear in the same order. A key
//! without a value is null, with two exceptions:
//!
//! * `controls`, `records_out`, `record_newlines` and `records_cut` appear only if the caller asked for them.
//! * `record` and `column` appear beside an offset only if the input consists of records.
//!
//! Programs depend on these keys, so a key is never renamed or removed. Choices (policies, shapes, columns) can also be
//! deserialized, from the same words that the command line uses.

use crate::codec::EbcdicNl;
use crate::detect::statistics::Candidate;
use crate::detect::{Diagnostic, Family, Kind, Looks, Policy, Severity, Source, Verdict};
use crate::error::{Error, RecordPosition};
use crate::hex::Hex;
use crate::records::overlong::OnOverlong;
use crate::records::{Carriage, Columns, Shape};
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, OnNewlineInRecord};
use crate::transcoder::{
    Bom, CutRecord, Faults, Gaps, MalformedAt, OnMalformed, OnUnknown, OnUnmappable, Padding, RecordsCut, Relabel,
    Relabelled, Report, UnmappableAt,
};
use crate::words::Word;
use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

// --- Results ---------------------------------------------------------------------------------------------------------

/// The keys of a [`Verdict`].
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
    ascii: Option<bool>,
    looks: Option<Looks>,
    policy: Option<Policy>,
    rule: Option<&'static str>,
    source: Option<Source>,
    /// The guesses of statistics. Empty if statistics did not decide.
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
            signature: verdict.signature.map(|row| format!("{:X}", Hex(row.bytes))),
            bom: verdict.bom().map(|bytes| format!("{:X}", Hex(bytes))),
            declared: verdict.declared.as_deref(),
            declared_span: verdict.declared_span.as_ref().map(|span| [span.start, span.end]),
            charset: verdict.charset.as_deref(),
            ascii: Some(verdict.ascii),
            looks: verdict.looks,
            policy: Some(verdict.policy),
            rule: verdict.rule,
            source: verdict.source,
            candidates: &verdict.candidates,
            diagnostics: &verdict.diagnostics,
            // The error of a verdict is always about the input. If its position is unknown, the offset is 0.
            error: verdict.error.as_ref().map(|error| ErrorKeys { offset: error.offset().or(Some(0)), ..error.into() }),
        }
    }
}

/// Writes the keys of `charpipe detect --json`, except for `input`.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VerdictKeys::from(self).serialize(serializer)
    }
}

/// The keys of malformed input: those of [`Faults`], and what it was read as.
#[derive(Serialize)]
struct MalformedKeys<'a> {
    #[serde(flatten)]
    faults: &'a Faults,
    read_as: Option<&'a str>,
}

impl<'a> From<&'a Report> for MalformedKeys<'a> {
    fn from(report: &'a Report) -> Self {
        MalformedKeys { faults: &report.malformed, read_as: report.read_as.as_deref() }
    }
}

/// The keys of a [`Report`].
#[derive(Serialize)]
struct ReportKeys<'a> {
    from: Option<&'a str>,
    to: &'a str,
    verdict: Option<&'a Verdict>,
    bytes_in: u64,
    bytes_out: u64,
    malformed: MalformedKeys<'a>,
    unmappable: &'a Faults<UnmappableAt>,
    relabelled: Option<&'a Relabelled>,
    /// Control characters that were replaced or dropped; absent if the caller keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<&'a Faults<UnmappableAt>>,
    /// The number of records read.
    records: Option<u64>,
    /// The number of records written; absent if the output does not consist of records.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_out: Option<u64>,
    /// Newlines inside records that became blanks; absent if the caller did not ask for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    record_newlines: Option<&'a Faults<UnmappableAt>>,
    /// Records that were cut because they were too long; absent if the caller did not ask for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_cut: Option<&'a RecordsCut>,
    /// Whether the input was not recognised as text and was copied.
    passed: bool,
    /// The warnings and hints of the run. The verdict has only those of detection.
    diagnostics: &'a [Diagnostic],
}

impl<'a> From<&'a Report> for ReportKeys<'a> {
    fn from(report: &'a Report) -> Self {
        ReportKeys {
            from: report.from.as_deref(),
            to: &report.to,
            verdict: report.verdict.as_ref(),
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            malformed: MalformedKeys::from(report),
            unmappable: &report.unmappable,
            relabelled: report.relabelled.as_ref(),
            controls: report.controls.as_ref(),
            records: report.records,
            records_out: report.records_out,
            record_newlines: report.record_newlines.as_ref(),
            records_cut: report.records_cut.as_ref(),
            passed: report.passed,
            diagnostics: &report.diagnostics,
        }
    }
}

/// Writes the keys of the command's `--report`, except for `input`, `output` and `error`, which a report does not have.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportKeys::from(self).serialize(serializer)
    }
}

/// The keys of an [`Error`]. The message leaves out the position, which has its own keys.
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

/// Writes `code`, `message` (without the position) and `offset`, and `record` and `column` if there are records.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ErrorKeys::from(self).serialize(serializer)
    }
}

/// Implements `Serialize` for structs that are written field by field.
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

/// Writes `offset`, `record` and `column` if there are records, and `bytes` in upper-case hex.
impl Serialize for MalformedAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fault(serializer, self.offset, self.record, "bytes", &format!("{:X}", Hex(&self.bytes)))
    }
}

/// Writes `offset`, `record` and `column` if there are records, and `char`.
impl Serialize for UnmappableAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fault(serializer, self.offset, self.record, "char", &self.ch)
    }
}

/// Writes the keys of an error that a policy let pass. `key` names the last one, whose value is `what`.
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

// --- Names and choices -----------------------------------------------------------------------------------------------

/// Serializes and deserializes a choice as the word for its value.
macro_rules! words {
    ($($type:ident)+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                word.parse().map_err(|_| D::Error::unknown_variant(&word, <$type as Word>::NAMES))
            }
        }
    )+};
}

words! {
    Kind Looks Source Severity Family Policy OnMalformed OnUnknown OnUnmappable Relabel Bom Eol EbcdicNl OnControl OnNewlineInRecord Padding Gaps
    OnOverlong Carriage
}

/// Serializes and deserializes a type by its `Display` and `FromStr`.
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
