//! Finds lines of UTF-8, which are borrowed directly from the input.

use super::line::LineEnd;
use super::newlines::Newlines;

/// The kind of bytes from the beginning of a line.
pub(super) enum Found {
    /// A line: the length of its text, and the length with its end. The text may be malformed.
    Line { text: usize, len: usize, end: LineEnd },
    /// More bytes are needed. The first so many have no newline.
    Needs { scanned: usize },
    /// Nothing.
    Done,
}

/// Finds the first line in `bytes`, of which the first `scanned` have no newline. `is_end`: nothing follows.
pub(super) fn find(bytes: &[u8], scanned: usize, is_end: bool, newlines: Newlines, limit: usize) -> Found {
    match newlines.find(&bytes[scanned..]) {
        Some((at, ch)) if scanned + at < limit => line(bytes, scanned + at, ch, is_end),
        _ if bytes.len() > limit => cut(bytes, limit, is_end),
        _ if !is_end => Found::Needs { scanned: bytes.len().saturating_sub(1) },
        _ if bytes.is_empty() => Found::Done,
        _ => Found::Line { text: bytes.len(), len: bytes.len(), end: LineEnd::None },
    }
}

/// The line that `ch` ends, a newline at the index `at`.
fn line(bytes: &[u8], at: usize, ch: char, is_end: bool) -> Found {
    let (len, end) = match (ch, &bytes[at..]) {
        ('\n', _) => (1, LineEnd::Lf),
        ('\r', [_, b'\n', ..]) => (2, LineEnd::CrLf),
        ('\r', [_, 0xC2, 0x85, ..]) => (3, LineEnd::CrNel),
        ('\r', [_] | [_, 0xC2]) if !is_end => return Found::Needs { scanned: at },
        ('\r', _) => (1, LineEnd::Cr),
        (_, _) => (2, LineEnd::Nel),
    };
    let (text, end) = joined(&bytes[..at], end);
    Found::Line { text, len: at + len, end }
}

/// Returns how long `text` is, and how it ends, if a CR before its end is part of it. `text` has a CR at its end only
/// if a CR does not end a line by itself.
pub(super) fn joined(text: &[u8], end: LineEnd) -> (usize, LineEnd) {
    match (text, end) {
        ([before @ .., b'\r'], LineEnd::Lf) => (before.len(), LineEnd::CrLf),
        ([before @ .., b'\r'], LineEnd::Nel) => (before.len(), LineEnd::CrNel),
        _ => (text.len(), end),
    }
}

/// The first `limit` bytes of a line that is longer, and the rest of the character that the limit cuts.
fn cut(bytes: &[u8], limit: usize, is_end: bool) -> Found {
    let is_continued = |byte: &&u8| **byte & 0xC0 == 0x80;
    let len = limit + bytes[limit..].iter().take(3).take_while(is_continued).count();
    match bytes.len() == len {
        true if is_end => Found::Line { text: len, len, end: LineEnd::None },
        true => Found::Needs { scanned: limit },
        false => Found::Line { text: len, len, end: LineEnd::Cut },
    }
}
