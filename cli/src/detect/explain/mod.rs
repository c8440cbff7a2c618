//! `charpipe detect --explain`: the head of a file as bytes, with what they were taken for, and what each policy says.
//! What there is to show is gathered here; `text.rs` and `html.rs` say how it looks.

mod html;
mod text;

pub(crate) use html::{failed as html_of_failure, file as html, head as html_head};
pub(crate) use text::file as text;

use crate::messages::hexdump::Hex;
use crate::messages::{InWords, Name, harmless, printable};
use charpipe::codec::{Codec, MIN_ROOM, Stop, Utf8Sink};
use charpipe::detect::{Policy, Severity, Verdict};
use std::ops::Range;

/// Bytes in a line.
const WIDTH: usize = 16;
/// Bytes that are shown at the least, where there are so many, and at the most.
const SHOWN: Range<usize> = 64..512;

/// What is shown of a file; nothing in it that a terminal obeys.
pub(crate) struct Account<'a> {
    name: &'a Name,
    /// The verdict in a line.
    verdict: String,
    /// The first bytes.
    bytes: Vec<Byte>,
    parts: Vec<Part>,
    policies: Vec<PolicyRow>,
    /// What was seen on the way, and what is wrong.
    remarks: Vec<Remark>,
    /// What statistics take it for: a codec and its score.
    candidates: Vec<(String, f32)>,
}

struct Byte {
    byte: u8,
    /// What it completes.
    text: String,
    /// The marks of the parts that it is in, the innermost last.
    marks: String,
}

impl Byte {
    /// The mark of the innermost part.
    fn mark(&self) -> Option<char> {
        self.marks.chars().next_back()
    }
}

/// What some bytes were taken for.
struct Part {
    /// Stands under each of them.
    mark: char,
    bytes: Range<usize>,
    what: String,
}

/// What a policy says, by which rule, in the order of [`COLUMNS`].
struct PolicyRow {
    cells: [String; 6],
    /// It is the one that was asked for.
    chosen: bool,
    /// The gravest of what is among the remarks.
    gravity: Option<Gravity>,
}

const COLUMNS: [&str; 6] = ["policy", "encoding", "read as", "rule", "source", "remarks"];

struct Remark {
    gravity: Gravity,
    words: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gravity {
    Hint,
    Warning,
    Error,
}

impl Gravity {
    fn of(severity: Severity) -> Self {
        if severity == Severity::Warning { Gravity::Warning } else { Gravity::Hint }
    }
}

impl<'a> Account<'a> {
    /// The account of a file that begins with `head`: `chosen` is the verdict asked for, `all` that of each policy.
    pub(crate) fn new(name: &'a Name, head: &[u8], chosen: &Verdict, all: &[Verdict]) -> Self {
        debug_assert!(all.is_empty() || all.len() == Policy::ALL.len());
        let parts = parts(chosen);
        let last = parts.iter().map(|part| part.bytes.end).max().unwrap_or(0);
        let shown = &head[..last.clamp(SHOWN.start, SHOWN.end).min(head.len())];
        let texts =
            chosen.codec.as_deref().map_or_else(|| vec![String::new(); shown.len()], |codec| text_of(codec, shown));
        let marks = |at: usize| parts.iter().filter(|part| part.bytes.contains(&at)).map(|part| part.mark).collect();
        let bytes = shown.iter().zip(texts).enumerate();
        let bytes = bytes.map(|(at, (byte, text))| Byte { byte: *byte, text, marks: marks(at) }).collect();
        Account {
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
            "byte {}: error: {} ({})",
            error.offset().unwrap_or(0),
            printable(&error.kind().to_string()),
            error.code()
        ),
    });
    let diagnostics = verdict.diagnostics.iter().map(|diagnostic| Remark {
        gravity: Gravity::of(diagnostic.severity),
        words: format!(
            "byte {}: {}: {} ({})",
            diagnostic.offset,
            diagnostic.severity.name(),
            printable(&diagnostic.message),
            diagnostic.code
        ),
    });
    error.into_iter().chain(diagnostics).collect()
}

/// For each byte the text that it completes; a dot for what cannot be shown.
pub(crate) fn text_of(codec: &dyn Codec, bytes: &[u8]) -> Vec<String> {
    let mut decoder = codec.decoder();
    let mut texts = Vec::with_capacity(bytes.len());
    for byte in bytes {
        let mut room = [0; 2 * MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let mut bad = String::new();
        let mut src = std::slice::from_ref(byte);
        // A byte can end more than one sequence that is no character, but not many.
        for _ in 0..4 {
            let step = decoder.feed(src, &mut sink);
            src = src.get(step.read..).unwrap_or_default();
            match step.stop {
                Stop::Fault(_) => bad.push('.'),
                _ => break,
            }
        }
        let shown = bad
            .chars()
            .chain(sink.as_str().chars())
            .map(|ch| if ch.is_control() || ch == '\u{FEFF}' { '.' } else { ch });
        texts.push(printable(&shown.collect::<String>()));
    }
    texts
}
