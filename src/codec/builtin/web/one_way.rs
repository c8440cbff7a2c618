//! The characters that encoding_rs maps to the code of another character.

use encoding_rs::{EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS};
use std::ops::RangeInclusive;

/// The characters of an encoding that encoding_rs encodes as others. `spec/one-way.md` lists them with the reasons.
pub(super) struct OneWay {
    of: &'static Encoding,
    chars: &'static [RangeInclusive<char>],
    /// The bytes that their UTF-8 begins with. In text for these encodings, few other characters begin with them.
    leads: [u8; 2],
}

static ONE_WAY: &[OneWay] = &[
    OneWay { of: SHIFT_JIS, chars: &SIGNS, leads: [0xC2, 0xE2] },
    OneWay { of: EUC_JP, chars: &SIGNS, leads: [0xC2, 0xE2] },
    OneWay { of: ISO_2022_JP, chars: &['\u{2212}'..='\u{2212}', '\u{FF61}'..='\u{FF9F}'], leads: [0xE2, 0xEF] },
];

/// The yen sign and the overline, which are encoded as ASCII, and the minus sign, which is encoded as the full-width one.
const SIGNS: [RangeInclusive<char>; 3] = ['\u{A5}'..='\u{A5}', '\u{203E}'..='\u{203E}', '\u{2212}'..='\u{2212}'];

impl OneWay {
    pub(super) fn of(encoding: &'static Encoding) -> Option<&'static OneWay> {
        ONE_WAY.iter().find(|one_way| one_way.of == encoding)
    }

    pub(super) fn has(&self, ch: char) -> bool {
        self.chars.iter().any(|range| range.contains(&ch))
    }

    /// Returns the place of the first of them in `text`, and the character.
    pub(super) fn first_in(&self, text: &str) -> Option<(usize, char)> {
        const BLOCK: usize = 64;
        let [a, b] = self.leads;
        for (index, block) in text.as_bytes().chunks(BLOCK).enumerate() {
            // No branch per byte, so that the compiler vectorizes it. Most blocks have none of them.
            if !block.iter().fold(false, |any, byte| any | (*byte == a) | (*byte == b)) {
                continue;
            }
            for at in (0..block.len()).filter(|at| block[*at] == a || block[*at] == b) {
                let at = index * BLOCK + at;
                if let Some(ch) = text[at..].chars().next().filter(|ch| self.has(*ch)) {
                    return Some((at, ch));
                }
            }
        }
        None
    }
}
