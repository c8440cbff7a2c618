//! Serialization of results and choices with serde (feature `serde`). This module defines the JSON keys once, both for
//! callers of the library and for the command.
//!
//! Results (verdicts, reports and errors) can only be serialized, except for a checkpoint of lines. Their keys always
//! appear in the same order. A key without a value is null, with two exceptions:
//!
//! * `controls`, `mojibake`, `records_out`, `record_newlines` and `records_cut` appear only if the caller asked for
//!   them.
//! * `record` appears beside an offset only if the input consists of records. Then `column` is the column of the byte
//!   in the record, and `line` is null. Otherwise `line` and `column` count lines and characters of text, and both are
//!   null if they are not known.
//!
//! Programs depend on these keys, so a key is never renamed or removed. Choices (policies, shapes, columns) can also be
//! deserialized, from the same words that the command line uses.

use crate::codec::EbcdicNl;
use crate::detect::statistics::Candidate;
use crate::detect::{Diagnostic, Family, Kind, Looks, Policy, Severity, Source, Verdict};
use crate::error::{Error, RecordPosition, TextPosition};
use crate::hex::Hex;
use crate::records::overlong::OnOverlong;
use crate::records::{Carriage, Columns, Shape};
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, OnNewlineInRecord};
use crate::transcoder::{
    Bom, CutRecord, Faults, Gaps, LineCheckpoint, MalformedAt, OnMalformed, OnUnknown, OnUnmappable, Padding,
    RecordsCut, Relabel, Relabelled, RepairedAt, Report, UnmappableAt,
};
use crate::words::Word;
use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

// --- Results ---------------------------------------------------------------------------------------------------------

/// Implements `Serialize` for types that always have the same keys.
macro_rules! keys {
    ($($type:ty as $it:ident { $($key:literal: $value:expr),+ $(,)? })+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $it = self;
                let mut keys = serializer.serialize_struct(stringify!($type), [$($key),+].len())?;
                $(keys.serialize_field($key, &$value)?;)+
                keys.end()
            }
        }
    )+};
}

keys! {
    // Those of `charpipe detect --json`, except for `input`.
    Verdict as it {
        "encoding": it.encoding,
        "codec": it.codec.as_ref().map(|codec| codec.name()),
        "family": it.family,
        "kind": it.kind,
        "signature": it.signature.map(|row| format!("{:X}", Hex(row.bytes))),
        "bom": it.bom().map(|bytes| format!("{:X}", Hex(bytes))),
        "declared": it.declared,
        "declared_span": it.declared_span.as_ref().map(|span| [span.start, span.end]),
        "charset": it.charset,
        "ascii": it.ascii,
        "looks": it.looks,
        "policy": it.policy,
        "rule": it.rule,
        "source": it.source,
        // The guesses of statistics. Empty if statistics did not decide.
        "candidates": it.candidates,
        "diagnostics": it.diagnostics,
        // The error of a verdict is always about the input. If its position is unknown, the offset is 0.
        "error": it.error.as_ref().map(|error| ErrorKeys { offset: error.offset().or(Some(0)), ..error.into() }),
    }
    MalformedKeys<'_> as it { "count": it.0.malformed.count, "first": it.0.malformed.first, "read_as": it.0.read_as }
    Candidate as it { "codec": it.codec, "score": it.score }
    Diagnostic as it {
        "code": it.code,
        "severity": it.severity,
        "message": it.message,
        "offset": it.offset,
        "line": it.position.map(|at| at.line),
        "column": it.position.map(|at| at.column),
    }
    Relabelled as it { "from": it.from, "to": it.to }
    RecordPosition as it { "record": it.number, "column": it.column }
    Faults<MalformedAt> as it { "count": it.count, "first": it.first }
    Faults<UnmappableAt> as it { "count": it.count, "first": it.first }
    Faults<RepairedAt> as it { "count": it.count, "first": it.first }
    RecordsCut as it { "count": it.count, "bytes": it.bytes, "first": it.first }
    CutRecord as it {
        "offset": it.offset,
        "line": it.position.map(|at| at.line),
        "column": it.position.map(|at| at.column),
        "record": it.record,
        "bytes": it.bytes,
    }
    LineCheckpoint as it { "offset": it.offset, "line": it.number, "encoding": it.encoding, "state": it.state }
}

/// The entry of a report about malformed input.
struct MalformedKeys<'a>(&'a Report);

/// Writes the keys of the command's `--report`, except for `input`, `output` and `error`, which a report does not have.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (controls, mojibake) = (&self.controls, &self.mojibake);
        let (newlines, cut) = (&self.record_newlines, &self.records_cut);
        let asked =
            [controls.is_some(), mojibake.is_some(), self.records_out.is_some(), newlines.is_some(), cut.is_some()];
        let mut keys =
            serializer.serialize_struct("Report", 11 + asked.iter().filter(|is_there| **is_there).count())?;
        keys.serialize_field("from", &self.from)?;
        keys.serialize_field("to", &self.to)?;
        keys.serialize_field("verdict", &self.verdict)?;
        keys.serialize_field("bytes_in", &self.bytes_in)?;
        keys.serialize_field("bytes_out", &self.bytes_out)?;
        keys.serialize_field("malformed", &MalformedKeys(self))?;
        keys.serialize_field("unmappable", &self.unmappable)?;
        keys.serialize_field("relabelled", &self.relabelled)?;
        // Control characters that were replaced or dropped.
        if_some(&mut keys, "controls", controls)?;
        // Damaged text that was repaired.
        if_some(&mut keys, "mojibake", mojibake)?;
        keys.serialize_field("records", &self.records)?;
        if_some(&mut keys, "records_out", &self.records_out)?;
        // Newlines inside records that became spaces.
        if_some(&mut keys, "record_newlines", newlines)?;
        if_some(&mut keys, "records_cut", cut)?;
        keys.serialize_field("passed", &self.passed)?;
        // The warnings and hints of the run. The verdict has only those of detection.
        keys.serialize_field("diagnostics", &self.diagnostics)?;
        keys.end()
    }
}

fn if_some<S: SerializeStruct>(
    keys: &mut S,
    key: &'static str,
    value: &Option<impl Serialize>,
) -> Result<(), S::Error> {
    value.as_ref().map_or(Ok(()), |value| keys.serialize_field(key, value))
}

/// The keys of an [`Error`]. The message leaves out the position, which has its own keys.
#[derive(Serialize)]
struct ErrorKeys {
    code: &'static str,
    message: String,
    offset: Option<u64>,
    #[serde(flatten)]
    place: PlaceKeys,
}

impl From<&Error> for ErrorKeys {
    fn from(error: &Error) -> Self {
        let (message, offset) = (error.kind().to_string(), error.offset());
        ErrorKeys { code: error.code(), message, offset, place: PlaceKeys::of(error.record(), error.position()) }
    }
}

/// The keys of a place beside its offset.
#[derive(Serialize)]
struct PlaceKeys {
    line: Option<u64>,
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
}

impl PlaceKeys {
    fn of(record: Option<RecordPosition>, position: Option<TextPosition>) -> Self {
        PlaceKeys {
            line: position.map(|at| at.line),
            column: position.map(|at| at.column).or(record.map(|at| at.column)),
            record: record.map(|at| at.number),
        }
    }
}

/// Writes `code`, `message` (without the position), `offset`, `line` and `column`, and `record` if there are records.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ErrorKeys::from(self).serialize(serializer)
    }
}

/// The keys of a [`LineCheckpoint`].
#[derive(Deserialize)]
struct CheckpointKeys {
    offset: u64,
    line: u64,
    encoding: Option<String>,
    state: u64,
}

/// A checkpoint that no run has made is refused when a run is to continue there.
impl<'de> Deserialize<'de> for LineCheckpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let CheckpointKeys { offset, line, encoding, state } = CheckpointKeys::deserialize(deserializer)?;
        Ok(LineCheckpoint { offset, number: line, encoding, state })
    }
}

/// Writes `offset`, `line` and `column`, `record` if there are records, and `bytes` in upper-case hex.
impl Serialize for MalformedAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = PlaceKeys::of(self.record, self.position);
        fault(serializer, self.offset, &place, &[("bytes", &format!("{:X}", Hex(&self.bytes)))])
    }
}

/// Writes `offset`, `line` and `column`, `record` if there are records, and `char`.
impl Serialize for UnmappableAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = PlaceKeys::of(self.record, self.position);
        fault(serializer, self.offset, &place, &[("char", self.ch.encode_utf8(&mut [0; 4]))])
    }
}

/// Writes `offset`, `line` and `column`, `record` if there are records, `before` and `after`.
impl Serialize for RepairedAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = PlaceKeys::of(self.record, self.position);
        fault(serializer, self.offset, &place, &[("before", &self.before), ("after", &self.after)])
    }
}

/// Writes the keys of what a policy let pass or changed, with those of `what` at the end.
fn fault<S: Serializer>(
    serializer: S,
    offset: u64,
    PlaceKeys { line, column, record }: &PlaceKeys,
    what: &[(&'static str, &str)],
) -> Result<S::Ok, S::Error> {
    let len = what.len() + if record.is_some() { 4 } else { 3 };
    let mut keys = serializer.serialize_struct("MalformedAt", len)?;
    keys.serialize_field("offset", &offset)?;
    keys.serialize_field("line", line)?;
    keys.serialize_field("column", column)?;
    if_some(&mut keys, "record", record)?;
    for (key, value) in what {
        keys.serialize_field(key, value)?;
    }
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
