//! The contents of `detect --explain` for a file.

use crate::escape::{harmless, printable};
use crate::files::name::Name;
use crate::messages::hexdump::text_of;
use crate::messages::{InWords, Place};
use charpipe::Hex;
use charpipe::detect::{Policy, Severity, Verdict};
use std::ops::Range;

/// How many bytes a line shows.
pub(super) const WIDTH: usize = 16;
/// The least number of bytes that are shown, if the file has as many, and the most.
const SHOWN_BYTES: Range<usize> = 64..512;

/// The explanation of a file. Its texts contain no control characters.
pub(crate) struct Explanation<'a> {
    pub(super) name: &'a Name,
    /// The verdict on one line.
    pub(super) verdict: String,
    /// The first bytes.
    pub(super) bytes: Vec<Byte>,
    pub(super) parts: Vec<Part>,
    pub(super) policies: Vec<PolicyRow>,
    /// The error and the diagnostics.
    pub(super) remarks: Vec<Remark>,
    /// The encodings that statistics suggest, with their scores.
    pub(super) candidates: Vec<(String, f32)>,
}

pub(super) struct Byte {
    pub(super) byte: u8,
    /// The text that this byte completes.
    pub(super) text: String,
    /// The marks of the parts that contain it, the innermost last.
    pub(super) marks: String,
}

impl Byte {
    /// Returns the mark of the innermost part that contains the byte.
    pub(super) fn mark(&self) -> Option<char> {
        self.marks.chars().next_back()
    }
}

/// A range of bytes, and what they were taken for.
pub(super) struct Part {
    /// Printed under each of the bytes.
    pub(super) mark: char,
    pub(super) bytes: Range<usize>,
    pub(super) what: String,
}

/// The verdict of a policy.
pub(super) struct PolicyRow {
    /// In the order of [`COLUMNS`].
    pub(super) cells: [String; 6],
    /// This is the chosen policy.
    pub(super) chosen: bool,
    /// The gravity of the gravest remark.
    pub(super) gravity: Option<Gravity>,
}

pub(super) const COLUMNS: [&str; 6] = ["policy", "encoding", "read as", "rule", "source", "remarks"];

pub(super) struct Remark {
    pub(super) gravity: Gravity,
    pub(super) words: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gravity {
    Hint,
    Warning,
    Error,
}

impl Gravity {
    fn of(severity: Severity) -> Self {
        if severity == Severity::Warning { Gravity::Warning } else { Gravity::Hint }
    }
}

impl<'a> Explanation<'a> {
    /// Explains a file that begins with `head`. `chosen` is the verdict of the chosen policy, and `all` are the
    /// verdicts of all policies.
    pub(crate) fn new(name: &'a Name, head: &[u8], chosen: &Verdict, all: &[Verdict]) -> Self {
        debug_assert!(all.is_empty() || all.len() == Policy::ALL.len());
        let parts = parts(chosen);
        let last = parts.iter().map(|part| part.bytes.end).max().unwrap_or(0);
        let shown = &head[..last.clamp(SHOWN_BYTES.start, SHOWN_BYTES.end).min(head.len())];
        let texts =
            chosen.codec.as_deref().map_or_else(|| vec![String::new(); shown.len()], |codec| text_of(codec, shown));
        let marks = |at: usize| parts.iter().filter(|part| part.bytes.contains(&at)).map(|part| part.mark).collect();
        let bytes = shown.iter().zip(texts).enumerate();
        let bytes = bytes.map(|(at, (byte, text))| Byte { byte: *byte, text, marks: marks(at) }).collect();
        Explanation {
            name,
            verdict: harmless(&InWords { verdict: chosen, verbose: true }.to_string()),
            bytes,
            policies: all.iter().map(|verdict| PolicyRow::of(verdict, chosen.policy)).collect(),
            remarks: remarks(chosen),
            candidates: chosen.candidates.iter().map(|found| (harmless(&found.codec), found.score)).collect(),
            parts,
        }
    }
}

impl PolicyRow {
    fn of(verdict: &Verdict, chosen: Policy) -> Self {
        let codec = verdict.codec.as_ref().map_or("-", |codec| codec.name());
        let error = verdict.error.as_ref().map(|error| format!("{}: {}", error.code(), error.kind()));
        let severities = verdict.diagnostics.iter().map(|diagnostic| Gravity::of(diagnostic.severity));
        let gravity = severities.chain(error.as_ref().map(|_| Gravity::Error)).max();
        let codes = verdict.diagnostics.iter().map(|diagnostic| diagnostic.code.to_owned());
        let candidates = verdict.candidates.iter().take(3);
        let candidates = candidates.map(|candidate| format!("{} {:.2}", candidate.codec, candidate.score));
        let remarks: Vec<String> = error.into_iter().chain(codes).chain(candidates).collect();
        let cells = [
            verdict.policy.name().to_owned(),
            printable(verdict.encoding.as_deref().unwrap_or("-")),
            harmless(codec),
            verdict.rule.unwrap_or("-").to_owned(),
            verdict.source.map_or("-", |source| source.name()).to_owned(),
            printable(&remarks.join(", ")),
        ];
        PolicyRow { cells, chosen: verdict.policy == chosen, gravity }
    }
}

fn parts(verdict: &Verdict) -> Vec<Part> {
    let as_bytes = |span: &Range<u64>| span.start as usize..span.end as usize;
    let mut parts = Vec::new();
    if let Some(row) = verdict.signature {
        let (mark, what) = if row.bom { ('B', "byte order mark") } else { ('S', "begins as") };
        let what = format!("{what} {}, {}", Hex(row.bytes), verdict.family.name());
        parts.push(Part { mark, bytes: 0..row.bytes.len(), what });
    }
    if let Some(span) = verdict.xml_declaration() {
        parts.push(Part { mark: 'D', bytes: as_bytes(&span), what: "XML declaration".to_owned() });
    }
    if let Some((declared, span)) = verdict.declared.as_ref().zip(verdict.declared_span.as_ref()) {
        let what = if verdict.xml_declaration().is_some() { "encoding declared" } else { "encoding in a meta" };
        parts.push(Part { mark: 'N', bytes: as_bytes(span), what: format!("{what}: {}", printable(declared)) });
    }
    parts
}

fn remarks(verdict: &Verdict) -> Vec<Remark> {
    let error = verdict.error.as_ref().map(|error| Remark {
        gravity: Gravity::Error,
        words: format!(
            "{}: error: {} ({})",
            Place::of_error(error).unwrap_or(Place::byte(0)),
            printable(&error.kind().to_string()),
            error.code()
        ),
    });
    let diagnostics = verdict.diagnostics.iter().map(|diagnostic| Remark {
        gravity: Gravity::of(diagnostic.severity),
        words: format!(
            "{}: {}: {} ({})",
            Place::of_note(diagnostic),
            diagnostic.severity.name(),
            printable(&diagnostic.message),
            diagnostic.code
        ),
    });
    error.into_iter().chain(diagnostics).collect()
}
