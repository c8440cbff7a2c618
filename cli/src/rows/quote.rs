//! How text is written in CSV and JSON.

use std::fmt::Write as _;

/// Appends `text` as a string of JSON (RFC 8259 §7).
pub(super) fn push_json(out: &mut String, text: &str) {
    out.push('"');
    let is_plain = text.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'"') & (byte != b'\\'));
    if is_plain {
        out.push_str(text);
    } else {
        for ch in text.chars() {
            match ch {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                ch if ch < ' ' => _ = write!(out, "\\u{:04x}", ch as u32),
                ch => out.push(ch),
            }
        }
    }
    out.push('"');
}

/// Appends `text` as a field of CSV (RFC 4180 §2).
pub(super) fn push_csv(out: &mut String, text: &str) {
    let needs_quotes = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.bytes().fold(false, |any, byte| any | needs_quotes(byte)) {
        return out.push_str(text);
    }
    out.push('"');
    let mut parts = text.split('"');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("\"\"");
        out.push_str(part);
    }
    out.push('"');
}

/// Returns whether a spreadsheet would run the text as a formula.
pub(super) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        let csv = |text: &str| {
            let mut out = String::new();
            push_csv(&mut out, text);
            out
        };
        assert_eq!(
            [csv("a b"), csv("a,b"), csv("a\"b\""), csv("a\nb")],
            ["a b", "\"a,b\"", "\"a\"\"b\"\"\"", "\"a\nb\""]
        );
        for text in ["", "é\"\\\n\u{1}\u{7F}\u{85}x", "plain"] {
            let mut out = String::new();
            push_json(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
    }
}
