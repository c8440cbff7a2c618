//! The objects of `detect --json`, `list --json` and `--report`. They have the keys that [`charpipe::serde`] gives to
//! verdicts, reports and errors, and some keys that only the command knows.
//!
//! Every key is always present, in this order, and null if there is no value. The exceptions are keys that an option
//! asks for: `policies` with `detect --explain`, `controls` with `--controls`, `mojibake` with `--mojibake repair`,
//! `records_out` with `--to-records`, `left_alone` with `-r`; and `record`, which accompanies an offset in an input of
//! records. There `column` counts bytes of the record, and `line` is null. Other programs rely on the keys: none is
//! ever renamed or left out.

use crate::files::name::Name;
use crate::messages::{self, Place};
use crate::selection::left_alone::LeftAlone;
use charpipe::detect::Diagnostic;
use charpipe::{
    Error, Faults, RecordPosition, RecordsCut, Relabelled, RepairedAt, Report, TextPosition, UnmappableAt, Verdict,
};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// The verdict on a file: a line of `detect --json`, and `verdict` in a report.
#[derive(Serialize)]
pub(crate) struct VerdictObject<'a> {
    input: &'a str,
    #[serde(flatten)]
    verdict: VerdictKeys<'a>,
    /// The verdicts of all policies, with `--explain`; otherwise the key is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<Vec<VerdictObject<'a>>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum VerdictKeys<'a> {
    /// The library provides the keys.
    Known(&'a Verdict),
    Unknown(NoVerdict),
}

/// The keys of a verdict, if there is none because the file could not be read.
#[derive(Default, Serialize)]
struct NoVerdict {
    encoding: (),
    codec: (),
    family: (),
    kind: (),
    signature: (),
    bom: (),
    declared: (),
    declared_span: (),
    charset: (),
    ascii: (),
    looks: (),
    policy: (),
    rule: (),
    source: (),
    candidates: [(); 0],
    diagnostics: [(); 0],
    error: Option<ErrorObject>,
}

/// The conversion of a file: a line of `--report`. Apart from the names of the files, the verdict and the error, these
/// are the keys of a [`Report`], in its order.
#[derive(Serialize)]
pub(crate) struct ReportObject<'a> {
    input: &'a str,
    output: &'a str,
    from: Option<&'a str>,
    to: &'a str,
    verdict: Option<VerdictObject<'a>>,
    bytes_in: u64,
    bytes_out: u64,
    malformed: MalformedKeys<'a>,
    unmappable: &'a Faults<UnmappableAt>,
    relabelled: Option<&'a Relabelled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<&'a Faults<UnmappableAt>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mojibake: Option<&'a Faults<RepairedAt>>,
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_newlines: Option<&'a Faults<UnmappableAt>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records_cut: Option<&'a RecordsCut>,
    passed: bool,
    diagnostics: &'a [Diagnostic],
    /// The reader of the output has closed the pipe before the end.
    stopped: bool,
    error: Option<ErrorObject>,
    /// Why the file was left alone, or null, with `-r`; otherwise the key is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_alone: Option<Option<&'static str>>,
}

/// The last line of a report with `-r`, if anything was left alone: how much, and why.
#[derive(Serialize)]
pub(crate) struct LeftAloneObject {
    /// Null: it is not a line about an input.
    input: (),
    left_alone: LeftAlone,
}

/// `malformed` in a report.
#[derive(Serialize)]
struct MalformedKeys<'a> {
    #[serde(flatten)]
    faults: &'a Faults,
    /// The charset that malformed bytes were read as.
    read_as: Option<&'a str>,
}

/// An error: `error` in a verdict and in a report.
#[derive(Serialize)]
pub(crate) struct ErrorObject {
    pub(crate) code: &'static str,
    /// Without the place, which has its own keys.
    pub(crate) message: String,
    pub(crate) offset: Option<u64>,
    line: Option<u64>,
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
}

/// A codec, or a label that is known but not supported: a line of `list --json`.
#[derive(Serialize)]
pub(crate) struct CodecObject<'a> {
    pub(crate) name: &'a str,
    pub(crate) aliases: Vec<&'a str>,
    pub(crate) decode: bool,
    pub(crate) encode: bool,
    pub(crate) source: Option<&'a str>,
}

impl<'a> VerdictObject<'a> {
    /// Returns the object for the verdict on the file called `name`.
    pub(crate) fn of(name: &'a Name, verdict: &'a Verdict) -> Self {
        VerdictObject { input: name.json(), verdict: VerdictKeys::Known(verdict), policies: None }
    }

    /// Adds the verdicts of all policies.
    pub(crate) fn explained(self, policies: Vec<VerdictObject<'a>>) -> Self {
        VerdictObject { policies: Some(policies), ..self }
    }

    /// Returns the object for a file that could not be read.
    pub(crate) fn failed(name: &'a Name, error: Option<ErrorObject>) -> Self {
        let verdict = VerdictKeys::Unknown(NoVerdict { error, ..NoVerdict::default() });
        VerdictObject { input: name.json(), verdict, policies: None }
    }
}

impl ErrorObject {
    /// Returns an error of which only the offset is known.
    pub(crate) fn new(code: &'static str, message: String, offset: Option<u64>) -> Self {
        ErrorObject { code, message, offset, line: None, column: None, record: None }
    }

    /// Returns the same error with its place in the records.
    pub(crate) fn in_record(self, record: Option<RecordPosition>) -> Self {
        let Some(RecordPosition { number, column, .. }) = record else { return self };
        ErrorObject { column: Some(column), record: Some(number), ..self }
    }

    /// Returns the same error with its place in the text.
    pub(crate) fn in_text(self, position: Option<TextPosition>) -> Self {
        let Some(TextPosition { line, column, .. }) = position else { return self };
        ErrorObject { line: Some(line), column: Some(column), ..self }
    }

    /// Returns where the error is, if it has a place in the input.
    pub(crate) fn place(&self) -> Option<Place> {
        let position = self.line.zip(self.column).map(|(line, column)| TextPosition::new(line, column));
        Some(Place::new(self.offset?, None, position))
    }

    /// Returns the object for an error. An error in the data always has an offset.
    pub(crate) fn of(error: &Error) -> Self {
        let message = error.kind().to_string();
        let object = ErrorObject::new(error.code(), message, messages::offset(error));
        object.in_record(error.record()).in_text(error.position())
    }
}

impl<'a> ReportObject<'a> {
    /// Returns the object for one conversion. The last arguments are keys of [`ReportObject`].
    pub(crate) fn of(
        input: &'a Name,
        output: &'a Name,
        report: &'a Report,
        stopped: bool,
        error: Option<ErrorObject>,
        left_alone: Option<Option<&'static str>>,
    ) -> Self {
        ReportObject {
            input: input.json(),
            output: output.json(),
            from: report.from.as_deref(),
            to: &report.to,
            verdict: report.verdict.as_ref().map(|verdict| VerdictObject::of(input, verdict)),
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            malformed: MalformedKeys { faults: &report.malformed, read_as: report.read_as.as_deref() },
            unmappable: &report.unmappable,
            relabelled: report.relabelled.as_ref(),
            controls: report.controls.as_ref(),
            mojibake: report.mojibake.as_ref(),
            records: report.records,
            records_out: report.records_out,
            record_newlines: report.record_newlines.as_ref(),
            records_cut: report.records_cut.as_ref(),
            passed: report.passed,
            diagnostics: &report.diagnostics,
            stopped,
            error,
            left_alone,
        }
    }
}

impl LeftAloneObject {
    pub(crate) fn new(left_alone: LeftAlone) -> Self {
        LeftAloneObject { input: (), left_alone }
    }
}

/// Returns `value` on one line, including the newline.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut line = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut line, EscapingFormatter));
    written.expect("strings, numbers and lists of them always serialise");
    line.push(b'\n');
    String::from_utf8(line).expect("strings are escaped by characters")
}

/// Formats JSON on one line, with every character escaped that a terminal obeys or that is invisible. (serde_json
/// escapes only those below U+0020.)
struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, ch)) = rest.char_indices().find(|(_, ch)| is_obeyed_or_invisible(*ch)) {
            to.write_all(&rest.as_bytes()[..at])?;
            for unit in ch.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
            rest = &rest[at + ch.len_utf8()..];
        }
        to.write_all(rest.as_bytes())
    }
}

/// Returns whether `ch` is a control character, changes the direction of text, ends a line or paragraph, or has no
/// shape.
fn is_obeyed_or_invisible(ch: char) -> bool {
    ch.is_control()
        || matches!(
            ch,
            '\u{61C}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_written_as_it_is() {
        for ch in (0..0x11_0000).filter_map(char::from_u32) {
            let text = format!("a{ch}\"é");
            let line = line(&text);
            assert!(line.trim_end_matches('\n').chars().all(|ch| !is_obeyed_or_invisible(ch)), "{line:?}");
            assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }
        assert_eq!(line(&"\u{7F}\u{85}\u{202E}\u{E0001}é"), "\"\\u007f\\u0085\\u202e\\udb40\\udc01é\"\n");
    }
}
