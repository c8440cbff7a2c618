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
use serde_json::ser::{Formatter, Serializer};
use std::io;

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

/// Controls, what changes the direction of text, ends of lines and paragraphs, and signs without a shape.
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
