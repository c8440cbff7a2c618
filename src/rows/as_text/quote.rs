//! How text is written in CSV and JSON.

use std::io::Write as _;

/// Appends bytes, and does it without a call if they are few, as most names and values are.
#[inline(always)]
pub(super) fn push_few(out: &mut Vec<u8>, bytes: &[u8]) {
    let len = bytes.len();
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) if len <= 16 => {
            // Two halves, which may overlap, in room of a fixed size.
            let begin = out.len();
            out.extend_from_slice(&[0; 16]);
            out[begin..begin + 8].copy_from_slice(first);
            out[begin + len - 8..begin + len].copy_from_slice(last);
            out.truncate(begin + len);
        }
        _ => out.extend_from_slice(bytes),
    }
}

/// Returns whether a test of eight bytes is other than 0 for any eight of `bytes`. Fewer than eight are filled up with
/// spaces.
#[inline(always)]
fn any(bytes: &[u8], test: impl Fn(u64) -> u64) -> bool {
    let Some(last) = bytes.last_chunk() else {
        let few = bytes.iter().fold(u64::from_ne_bytes([b' '; 8]), |few, byte| few << 8 | u64::from(*byte));
        return test(few) != 0;
    };
    // The last eight may overlap those before them.
    let found = bytes
        .as_chunks()
        .0
        .iter()
        .fold(test(u64::from_ne_bytes(*last)), |found, eight| found | test(u64::from_ne_bytes(*eight)));
    found != 0
}

/// Returns other than 0 if one of eight bytes is below `limit`, which is at most 80 hex.
#[inline(always)]
fn any_below(eight: u64, limit: u8) -> u64 {
    eight.wrapping_sub(u64::from_ne_bytes([limit; 8])) & !eight & u64::from_ne_bytes([0x80; 8])
}

/// Returns other than 0 if one of eight bytes is this one.
#[inline(always)]
fn any_equal(eight: u64, byte: u8) -> u64 {
    any_below(eight ^ u64::from_ne_bytes([byte; 8]), 1)
}

/// Appends `text` as a string of JSON (RFC 8259 §7).
pub(super) fn push_json(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    if !any(text.as_bytes(), |eight| any_below(eight, b' ') | any_equal(eight, b'"') | any_equal(eight, b'\\')) {
        push_few(out, text.as_bytes());
    } else {
        for byte in text.bytes() {
            match byte {
                b'"' => out.extend_from_slice(b"\\\""),
                b'\\' => out.extend_from_slice(b"\\\\"),
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                b'\t' => out.extend_from_slice(b"\\t"),
                byte if byte < b' ' => _ = write!(out, "\\u{byte:04x}"),
                byte => out.push(byte),
            }
        }
    }
    out.push(b'"');
}

/// Appends `text` as a field of CSV (RFC 4180 §2).
pub(super) fn push_csv(out: &mut Vec<u8>, text: &str) {
    if !any(text.as_bytes(), |eight| {
        any_equal(eight, b',') | any_equal(eight, b'"') | any_equal(eight, b'\n') | any_equal(eight, b'\r')
    }) {
        return push_few(out, text.as_bytes());
    }
    out.push(b'"');
    let mut parts = text.split('"');
    out.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        out.extend_from_slice(b"\"\"");
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'"');
}

/// Returns whether a spreadsheet would run the text as a formula.
pub(super) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bytes() {
        for len in 0..40 {
            let bytes: Vec<u8> = (0..len).collect();
            let mut out = b"ab".to_vec();
            push_few(&mut out, &bytes);
            assert_eq!(out, [b"ab", &*bytes].concat());
        }
    }

    #[test]
    fn quoting() {
        let csv = |text: &str| {
            let mut out = Vec::new();
            push_csv(&mut out, text);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            [csv("a b"), csv("a,b"), csv("a\"b\""), csv("a\nb")],
            ["a b", "\"a,b\"", "\"a\"\"b\"\"\"", "\"a\nb\""]
        );
        // Each character that needs quotes, at each place, is found.
        for len in 1..20 {
            for at in 0..len {
                for ch in ('\0'..='\u{7F}').chain(['\u{80}', 'é', '€', '😀']) {
                    let text: String = (0..len).map(|place| if place == at { ch } else { '~' }).collect();
                    let mut out = Vec::new();
                    push_json(&mut out, &text);
                    assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
                    assert_eq!(csv(&text).starts_with('"'), matches!(ch, ',' | '"' | '\n' | '\r'), "{text:?}");
                }
            }
        }
        for text in ["", "é\"\\\n\u{1}\u{7F}\u{85}x", "plain"] {
            let mut out = Vec::new();
            push_json(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}
