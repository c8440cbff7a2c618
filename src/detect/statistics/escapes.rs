//! Recognises the seven-bit charsets that switch by escape sequences: ISO-2022-JP, ISO-2022-KR, ISO-2022-CN and HZ.
//!
//! Such a sequence does not occur in other text, so it is proof if some characters of two bytes follow. A single one
//! may have been put there to hide something from a filter.

/// A charset and the sequences that only it has.
struct Escaped {
    name: &'static str,
    /// One of these must occur.
    proofs: &'static [&'static [u8]],
}

/// In this order: an extension of a charset comes after it, for text that does not need the extension.
const CHARSETS: &[Escaped] = &[
    Escaped { name: "ISO-2022-KR", proofs: &[b"\x1B$)C"] },
    Escaped { name: "ISO-2022-CN", proofs: &[b"\x1B$)A", b"\x1B$)G", b"\x1B$*H"] },
    Escaped { name: "ISO-2022-JP", proofs: &[b"\x1B$@", b"\x1B$B"] },
    Escaped { name: "ISO-2022-JP-1", proofs: &[b"\x1B$(D"] },
    Escaped { name: "ISO-2022-JP-2", proofs: &[b"\x1B$A", b"\x1B$(C", b"\x1B.A", b"\x1B.F"] },
];

/// The fewest characters of two bytes that are proof.
const MIN_PAIRS: usize = 3;

/// Returns the charset of a window of seven-bit text with such sequences.
pub(super) fn find(window: &[u8]) -> Option<&'static str> {
    // Without the codecs, no one is helped by a name.
    let has_codecs = cfg!(any(feature = "whatwg", feature = "legacy"));
    if !has_codecs || !window.is_ascii() {
        return None;
    }
    if window.contains(&0x1B) {
        let occurs = |proof: &&[u8]| window.windows(proof.len()).any(|bytes| bytes == *proof);
        // The last one that occurs: a text in an extension also has the sequences of what it extends.
        let found = CHARSETS.iter().rfind(|charset| charset.proofs.iter().any(occurs))?;
        return Some(found.name).filter(|_| pairs(window) >= MIN_PAIRS);
    }
    is_hz(window).then_some("HZ-GB-2312")
}

/// Returns how many characters of two bytes the window has: between `ESC $` and `ESC (`, and between SO and SI.
fn pairs(window: &[u8]) -> usize {
    let (mut is_double, mut bytes) = (false, 0);
    let mut rest = window;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            // The designations of ISO-2022-KR and -CN take effect after SO.
            0x1B if after.starts_with(b"$)") || after.starts_with(b"$*") => rest = &after[3.min(after.len())..],
            0x1B if after.starts_with(b"$") => {
                is_double = true;
                rest = &after[if after.get(1) == Some(&b'(') { 3 } else { 2 }.min(after.len())..];
            }
            0x1B | 0x0F => is_double = false,
            0x0E => is_double = true,
            0x21..=0x7E if is_double => bytes += 1,
            _ => {}
        }
    }
    bytes / 2
}

/// Returns whether the window is HZ: runs of byte pairs between `~{` and `~}`, each pair in GB 2312. The end of the
/// window may cut a run.
fn is_hz(window: &[u8]) -> bool {
    let mut rest = window;
    let mut all = 0;
    while let Some(at) = rest.windows(2).position(|bytes| bytes == b"~{") {
        rest = &rest[at + 2..];
        let mut pairs = 0;
        loop {
            match rest {
                [b'~', b'}', after @ ..] => {
                    rest = after;
                    break;
                }
                [0x21..=0x77, 0x21..=0x7E, after @ ..] => {
                    pairs += 1;
                    rest = after;
                }
                [] | [_] => break,
                _ => return false,
            }
        }
        if pairs == 0 {
            return false;
        }
        all += pairs;
    }
    all >= MIN_PAIRS
}

#[cfg(all(test, any(feature = "whatwg", feature = "legacy")))]
mod tests {
    use super::find;

    #[test]
    fn sequences_are_proof() {
        assert_eq!(find(b"\x1B$BF|K\\8l\x1B(B"), Some("ISO-2022-JP"));
        assert_eq!(find(b"\x1B$)C\x0EGQ1[>n\x0F"), Some("ISO-2022-KR"));
        assert_eq!(find(b"\x1B$(D0!\x1B$BF|K\\\x1B(B"), Some("ISO-2022-JP-1"));
        assert_eq!(find(b"This is ~{<:Ky2;~}."), Some("HZ-GB-2312"));
        // A terminal's colours, a home directory in a script, and a template.
        for text in [&b"\x1B[1mbold\x1B[0m"[..], b"cp ~{a,b}/c d", b"x ~{ y ~} z", b"\x1B$B\xC6", b"\x1B$BF|K\\\x1B(B"]
        {
            assert_eq!(find(text), None, "{text:?}");
        }
    }
}
