//! `charpipe detect --explain`: the head of a file as bytes, with what they were taken for, and what each policy says.

use super::words::{Name, printable};
use crate::codec::{Codec, MIN_ROOM, Stop, Utf8Sink};
use crate::detect::{Policy, Verdict};
use crate::error::Hex;
use std::fmt::Write as _;
use std::ops::Range;

/// Bytes in a line.
const WIDTH: usize = 16;
/// Bytes that are shown at the least, where there are so many, and at the most.
const SHOWN: Range<usize> = 64..512;

/// What some bytes were taken for.
struct Part {
    /// Stands under each of them.
    mark: char,
    bytes: Range<usize>,
    what: String,
}

/// The account of a file that begins with `head`: `chosen` is the verdict asked for, `all` that of each policy.
pub(super) fn explain(name: &Name, head: &[u8], chosen: &Verdict, all: &[Verdict]) -> String {
    let parts = parts(chosen);
    let mut out = format!("{name}\n\n");
    let last = parts.iter().map(|part| part.bytes.end).max().unwrap_or(0);
    let shown = &head[..last.clamp(SHOWN.start, SHOWN.end).min(head.len())];
    dump(&mut out, shown, chosen.codec.as_deref(), &parts);
    for Part { mark, bytes, what } in &parts {
        let _ = writeln!(out, "  {mark}  bytes {}..{}: {what}", bytes.start, bytes.end);
    }
    if head.is_empty() {
        out.push_str("  no bytes\n");
    }
    out.push('\n');
    table(&mut out, all);
    out
}

fn parts(verdict: &Verdict) -> Vec<Part> {
    let as_bytes = |span: &Range<u64>| span.start as usize..span.end as usize;
    let mut parts = Vec::new();
    if let Some(row) = verdict.signature {
        let (mark, what) = if row.bom { ('B', "byte order mark") } else { ('S', "begins as") };
        let what = format!("{what} {}, {}", Hex(row.bytes), verdict.family.name());
        parts.push(Part { mark, bytes: 0..row.bytes.len(), what });
    }
    if let Some(declaration) = &verdict.declaration {
        parts.push(Part { mark: 'D', bytes: as_bytes(&declaration.span), what: "XML declaration".to_owned() });
    }
    if let Some((declared, span)) = verdict.declared.as_ref().zip(verdict.declared_span.as_ref()) {
        let what = if verdict.declaration.is_some() { "encoding declared" } else { "encoding in a meta" };
        parts.push(Part { mark: 'N', bytes: as_bytes(span), what: format!("{what}: {}", printable(declared)) });
    }
    parts
}

/// The bytes in hexadecimal, the text beside them, and under them the marks of the parts, the last part's on top.
fn dump(out: &mut String, bytes: &[u8], codec: Option<&dyn Codec>, parts: &[Part]) {
    let text = codec.map_or_else(Vec::new, |codec| text_of(codec, bytes));
    for (row, line) in bytes.chunks(WIDTH).enumerate() {
        let start = row * WIDTH;
        let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02X}")).collect();
        let text: String = text.iter().skip(start).take(line.len()).map(String::as_str).collect();
        let _ = writeln!(out, "  {start:06X}  {:<47}  {text}", hex.join(" "));
        let mark_of = |at: usize| parts.iter().rev().find(|part| part.bytes.contains(&at)).map(|part| part.mark);
        let marks: Vec<String> = (start..start + line.len())
            .map(|at| mark_of(at).map_or("  ".to_owned(), |mark| format!("{mark}{mark}")))
            .collect();
        let marks = marks.join(" ");
        if !marks.trim().is_empty() {
            let _ = writeln!(out, "          {}", marks.trim_end());
        }
    }
}

/// For each byte the text that it completes; a dot for what cannot be shown.
pub(super) fn text_of(codec: &dyn Codec, bytes: &[u8]) -> Vec<String> {
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

/// What each policy says, by which rule.
fn table(out: &mut String, all: &[Verdict]) {
    let mut rows = vec![["policy", "encoding", "read as", "rule", "source", "remarks"].map(str::to_owned)];
    for verdict in all {
        let codec = verdict.codec.as_ref().map_or("-", |codec| codec.name());
        let error = verdict.error.as_ref().map(|error| format!("{}: {}", error.code(), error.kind()));
        let codes = verdict.diagnostics.iter().map(|diagnostic| diagnostic.code.to_owned());
        let candidates = verdict.candidates.iter().take(3);
        let candidates = candidates.map(|candidate| format!("{} {:.2}", candidate.codec, candidate.score));
        let remarks: Vec<String> = error.into_iter().chain(codes).chain(candidates).collect();
        rows.push([
            verdict.policy.name().to_owned(),
            printable(verdict.encoding.as_deref().unwrap_or("-")),
            codec.to_owned(),
            verdict.rule.unwrap_or("-").to_owned(),
            verdict.source.map_or("-", |source| source.name()).to_owned(),
            printable(&remarks.join(", ")),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "  {}", format!("{line}  {}", row[5]).trim_end());
    }
    debug_assert!(all.is_empty() || all.len() == Policy::ALL.len());
}
