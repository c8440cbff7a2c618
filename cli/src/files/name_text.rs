//! The text of a file name: for people, and for JSON.

use crate::escape::printable;
use std::ffi::OsStr;
use std::fmt::Write as _;

#[derive(Clone)]
pub(super) struct Texts {
    pub(super) shown: String,
    pub(super) json: String,
}

impl Texts {
    pub(super) fn of(path: &OsStr) -> Self {
        let text = path.to_str();
        let json = match text.filter(|text| !has_escaped_byte(text)) {
            Some(text) => text.to_owned(),
            None => with_bytes_escaped(path, double_backslashes),
        };
        let is_plain =
            |text: &&str| !has_escaped_byte(text) && !text.contains("\\u{") && with_characters_escaped(text) == **text;
        let shown = match text.filter(is_plain) {
            Some(text) => text.to_owned(),
            None => with_bytes_escaped(path, |valid| with_characters_escaped(&double_backslashes(valid))),
        };
        Texts { shown, json }
    }
}

/// Returns `path` with `\xNN` for every byte that is not UTF-8, and the rest as `escape` returns it.
fn with_bytes_escaped(path: &OsStr, escape: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for chunk in path.as_encoded_bytes().utf8_chunks() {
        text.push_str(&escape(chunk.valid()));
        for byte in chunk.invalid() {
            _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

fn double_backslashes(text: &str) -> String {
    text.replace('\\', "\\\\")
}

/// Returns whether something in `text` looks like an escaped byte.
fn has_escaped_byte(text: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    text.as_bytes().windows(4).any(|bytes| bytes.starts_with(b"\\x") && bytes[2..].iter().all(is_digit))
}

/// Returns `text` with `\u{N}` for every character that a terminal might obey or cannot show.
fn with_characters_escaped(text: &str) -> String {
    const SHORT_ESCAPES: [char; 4] = ['\0', '\t', '\n', '\r'];

    let mut shown = String::with_capacity(text.len());
    // `printable` has short escapes for these, such as `\n`, which would look like a backslash and a letter.
    for part in text.split_inclusive(SHORT_ESCAPES) {
        let rest = part.trim_end_matches(SHORT_ESCAPES);
        shown.push_str(&printable(rest));
        shown.extend(part[rest.len()..].chars().flat_map(char::escape_unicode));
    }
    shown
}
