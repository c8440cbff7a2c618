//! Which bytes can be in EUC-TW and Johab. Their tables take megabytes of memory, which a window that cannot be in them
//! must not cost.

/// One in this many sequences may be impossible. It is five times what a reading may have of malformed ones, so that this
/// changes no result.
const IMPOSSIBLE_SHARE: usize = 10;

/// A sequence at the beginning of some bytes: its length, and whether it can be in the charset.
type Sequence = (usize, bool);

/// Returns whether the window may be in the charset with this label. `true` for a charset whose structure is not known
/// here.
pub(super) fn may_be(label: &str, window: &[u8]) -> bool {
    let sequence: fn(u8, &[u8]) -> Sequence = match label {
        "EUC-TW" => euc_tw,
        "JOHAB" => johab,
        _ => return true,
    };
    let (mut all, mut impossible) = (0usize, 0usize);
    let mut rest = window;
    while let [first, after @ ..] = rest {
        if first.is_ascii() {
            rest = after;
            continue;
        }
        let (len, is_possible) = sequence(*first, after);
        all += 1;
        impossible += usize::from(!is_possible);
        rest = rest.get(len..).unwrap_or_default();
    }
    impossible * IMPOSSIBLE_SHARE <= all
}

/// The second byte of a sequence that the window cuts off counts as any.
fn euc_tw(first: u8, after: &[u8]) -> Sequence {
    let is_high = |byte: Option<&u8>| byte.is_none_or(|byte| (0xA1..=0xFE).contains(byte));
    match first {
        0x8E => {
            let is_possible = after.iter().take(3).all(|byte| is_high(Some(byte)));
            (if is_possible { 4 } else { 1 }, is_possible)
        }
        // Control characters.
        0x80..=0xA0 => (1, true),
        // Rows of plane 1 without characters.
        0xAC..=0xC1 | 0xC3 | 0xFE if is_high(after.first()) => (2, false),
        0xA1..=0xFE if is_high(after.first()) => (2, true),
        _ => (1, false),
    }
}

fn johab(first: u8, after: &[u8]) -> Sequence {
    let Some(second) = after.first() else { return (1, true) };
    let is_possible = match first {
        // Three letters of five bits each.
        0x84..=0xD3 => {
            let code = u16::from(first) << 8 | u16::from(*second);
            let (vowel, last) = (code >> 5 & 31, code & 31);
            matches!(vowel, 2..=7 | 10..=15 | 18..=23 | 26..=29) && matches!(last, 1..=17 | 19..=29)
        }
        0xD8..=0xDE | 0xE0..=0xF9 => matches!(second, 0x31..=0x7E | 0x91..=0xFE),
        _ => false,
    };
    (if is_possible || !second.is_ascii() { 2 } else { 1 }, is_possible)
}

#[cfg(all(test, feature = "legacy"))]
mod tests {
    use super::*;
    use crate::codec::{Stop, Utf8Sink};
    use crate::registry::Registry;

    /// What is called impossible is malformed in the codec.
    #[test]
    fn nothing_that_has_a_character_is_impossible() {
        for label in ["EUC-TW", "JOHAB"] {
            let codec = Registry::builtin().codec(label).unwrap();
            let sequence = if label == "JOHAB" { johab } else { euc_tw };
            for first in 0x80..=0xFF {
                for second in 0x20..=0xFF {
                    let mut room = [0; 64];
                    let mut decoder = codec.decoder();
                    let mut sink = Utf8Sink::new(&mut room);
                    let step = decoder.feed(&[first, second], &mut sink);
                    let is_whole = step.stop == Stop::InputEmpty && decoder.finish(&mut sink) == Stop::InputEmpty;
                    let (len, is_possible) = sequence(first, &[second]);
                    assert!(is_possible || !is_whole || len == 1, "{label} {first:02X} {second:02X}");
                    assert!(is_possible || !is_whole || second.is_ascii(), "{label} {first:02X} {second:02X}");
                }
            }
        }
    }

    #[test]
    fn text_in_other_charsets_is_impossible() {
        // "これは日本語のテキストです" in Shift_JIS, "für Müller" in windows-1252, and "한국어" in EUC-KR.
        let japanese = b"\x82\xB1\x82\xEA\x82\xCD\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7";
        for window in [&japanese[..], b"f\xFCr M\xFCller", b"\xC7\xD1\xB1\xB9\xBE\xEE"] {
            assert!(!may_be("EUC-TW", window), "{window:X?}");
        }
        assert!(may_be("Big5", japanese) && may_be("EUC-TW", b"abc \xC4\xE3\x8E\xA2\xA1\xA1"));
    }
}
