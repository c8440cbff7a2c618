//! The objects of `detect --json`, `list --json` and `--report`: the keys that [`charpipe::serde`] gives verdicts, reports
//! and errors, and those that only the command knows. Every key is always there, in this order, null where there is
//! nothing, but for what is only there where it was asked for: `policies` with `detect --explain`, `controls` with
//! `--controls`, `records_out` with `--to-records`, and `record` and `column` beside an offset in an input of records.
//! Programs are built on them; a key is never renamed or left out.

use crate::messages::{self, Name};
use charpipe::{Error, Faults, RecordPosition, RecordsCut, Relabelled, Report, UnmappableAt, Verdict};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::fmt::Write as _;
use std::io;

/// What was found out about a file: a line of `detect --json`, and `verdict` in a report.
#[derive(Serialize)]
pub(crate) struct VerdictObject<'a> {
    input: &'a str,
    #[serde(flatten)]
    verdict: VerdictKeys<'a>,
    /// What each policy says, where that was asked for; the one key that is left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<Vec<VerdictObject<'a>>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum VerdictKeys<'a> {
    /// The library knows the keys.
    Known(&'a Verdict),
    Unknown(NoVerdict),
}

/// The keys of a verdict where there is none: the file could not be read so far.
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
    policy: (),
    rule: (),
    source: (),
    candidates: [(); 0],
    diagnostics: [(); 0],
    error: Option<ErrorObject>,
}

/// What became of a file: a line of `--report`. But for the names of the files, the verdict's and the error these are the
/// keys of a [`Report`], in its order.
#[derive(Serialize)]
pub(crate) struct ReportObject<'a> {
    input: &'a str,
    output: &'a str,
    from: Option<&'a str>,
    to: &'a str,
    verdict: Option<VerdictObject<'a>>,
    bytes_in: u64,
    bytes_out: u64,
    malformed: &'a Faults,
    unmappable: &'a Faults<UnmappableAt>,
    relabelled: Option<&'a Relabelled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<&'a Faults<UnmappableAt>>,
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_newlines: Option<&'a Faults<UnmappableAt>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records_cut: Option<&'a RecordsCut>,
    error: Option<ErrorObject>,
}

/// An error: `error` in a verdict and in a report.
#[derive(Serialize)]
pub(crate) struct ErrorObject {
    pub(crate) code: &'static str,
    /// Leaves out the place, which has keys of its own.
    pub(crate) message: String,
    pub(crate) offset: Option<u64>,
    #[serde(flatten)]
    pub(crate) record: Option<RecordPosition>,
}

/// A codec, or a label that is known and not supported: a line of `list --json`.
#[derive(Serialize)]
pub(crate) struct CodecObject<'a> {
    pub(crate) name: &'a str,
    pub(crate) aliases: Vec<&'a str>,
    pub(crate) decode: bool,
    pub(crate) encode: bool,
    pub(crate) source: Option<&'a str>,
}

impl<'a> VerdictObject<'a> {
    /// The verdict on the file called `name`.
    pub(crate) fn of(name: &'a Name, verdict: &'a Verdict) -> Self {
        VerdictObject { input: &name.json, verdict: VerdictKeys::Known(verdict), policies: None }
    }

    /// The same, with what each policy says.
    pub(crate) fn explained(self, policies: Vec<VerdictObject<'a>>) -> Self {
        VerdictObject { policies: Some(policies), ..self }
    }

    /// No verdict: the file could not be read so far.
    pub(crate) fn failed(name: &'a Name, error: Option<ErrorObject>) -> Self {
        let verdict = VerdictKeys::Unknown(NoVerdict { error, ..NoVerdict::default() });
        VerdictObject { input: &name.json, verdict, policies: None }
    }
}

impl ErrorObject {
    /// An error that has nothing to do with records.
    pub(crate) fn new(code: &'static str, message: String, offset: Option<u64>) -> Self {
        ErrorObject { code, message, offset, record: None }
    }

    /// The error, with a place for whatever blames the data.
    pub(crate) fn of(error: &Error) -> Self {
        let message = error.kind().to_string();
        ErrorObject { code: error.code(), message, offset: messages::offset(error), record: error.record() }
    }
}

impl<'a> ReportObject<'a> {
    /// The account of one run.
    pub(crate) fn of(input: &'a Name, output: &'a Name, report: &'a Report, error: Option<ErrorObject>) -> Self {
        ReportObject {
            input: &input.json,
            output: &output.json,
            from: report.from.as_deref(),
            to: &report.to,
            verdict: report.verdict.as_ref().map(|verdict| VerdictObject::of(input, verdict)),
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
            error,
        }
    }
}

/// Bytes as pairs of upper-case digits, nothing between.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        _ = write!(text, "{byte:02X}");
        text
    })
}

/// `value` on one line, with its end.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut line = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut line, Legible));
    written.expect("strings, numbers and lists of them always serialise");
    line.push(b'\n');
    String::from_utf8(line).expect("strings are escaped by characters")
}

/// JSON on one line, with all escaped that a terminal obeys or that is not seen: serde_json does so below U+0020 only.
struct Legible;

impl Formatter for Legible {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, ch)) = rest.char_indices().find(|(_, ch)| is_obeyed_or_unseen(*ch)) {
            to.write_all(&rest.as_bytes()[..at])?;
            for unit in ch.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
            rest = &rest[at + ch.len_utf8()..];
        }
        to.write_all(rest.as_bytes())
    }
}

/// Control characters, what changes the direction of text, ends of lines and paragraphs, and signs without a shape.
fn is_obeyed_or_unseen(ch: char) -> bool {
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
            assert!(line.trim_end_matches('\n').chars().all(|ch| !is_obeyed_or_unseen(ch)), "{line:?}");
            assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }
        assert_eq!(line(&"\u{7F}\u{85}\u{202E}\u{E0001}é"), "\"\\u007f\\u0085\\u202e\\udb40\\udc01é\"\n");
    }
}
