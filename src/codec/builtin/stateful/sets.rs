//! The sets of characters that ISO-2022 and HZ switch between.
//!
//! A set of pairs is a part of a page in `codecs/legacy/` that has the same pairs with the high bits set. It is built when
//! it is first used.

use crate::codec::builtin::pages;
use crate::codec::table::{Mapping, Sequence};
use std::sync::OnceLock;

/// A set of characters: bytes, or pairs of bytes, from 20 or 21 up to 7E or 7F.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Set {
    Ascii,
    /// ASCII with a yen sign and an overline.
    Roman,
    Katakana,
    /// The upper halves of ISO-8859-1 and ISO-8859-7.
    Latin1,
    Greek,
    // Sets of pairs.
    Gb2312,
    Ks1001,
    Jis0208,
    Jis0212,
    /// The two planes of JIS X 0213.
    Jis0213a,
    Jis0213b,
    /// The planes of CNS 11643.
    Cns1,
    Cns2,
    Cns3,
    Cns4,
    Cns5,
    Cns6,
    Cns7,
}

/// For the sets of pairs, in their order: the page, and the bytes before a pair there.
const PAGES: [(Set, &str, &[u8]); 13] = [
    (Set::Gb2312, "glibc-EUC_CN-2.3.3", b""),
    (Set::Ks1001, "glibc-EUC_KR-2.3.3", b""),
    (Set::Jis0208, "glibc-EUC_JP-2.3.3", b""),
    (Set::Jis0212, "glibc-EUC_JP-2.3.3", b"\x8F"),
    (Set::Jis0213a, "EUC-JIS-2004", b""),
    (Set::Jis0213b, "EUC-JIS-2004", b"\x8F"),
    (Set::Cns1, "EUC-TW", b""),
    (Set::Cns2, "EUC-TW", b"\x8E\xA2"),
    (Set::Cns3, "EUC-TW", b"\x8E\xA3"),
    (Set::Cns4, "EUC-TW", b"\x8E\xA4"),
    (Set::Cns5, "EUC-TW", b"\x8E\xA5"),
    (Set::Cns6, "EUC-TW", b"\x8E\xA6"),
    (Set::Cns7, "EUC-TW", b"\x8E\xA7"),
];

/// A set of pairs.
#[derive(Default)]
struct Pairs {
    /// The pairs that are read, and their characters, in order of the pairs.
    chars: Vec<([u8; 2], char)>,
    /// The characters that are written, and their pairs, in order of the characters.
    codes: Vec<(char, [u8; 2])>,
    /// The pairs that are two characters.
    sequences: Vec<([u8; 2], [char; 2])>,
}

impl Set {
    pub(super) fn is_double(self) -> bool {
        self as usize >= Set::Gb2312 as usize
    }

    /// Returns whether the set has 96 characters, with 20 and 7F.
    pub(super) fn has_96(self) -> bool {
        matches!(self, Set::Latin1 | Set::Greek)
    }

    fn pairs(self) -> &'static Pairs {
        static ALL: [OnceLock<Pairs>; PAGES.len()] = [const { OnceLock::new() }; PAGES.len()];
        static NONE: Pairs = Pairs { chars: Vec::new(), codes: Vec::new(), sequences: Vec::new() };
        let at = (self as usize).checked_sub(Set::Gb2312 as usize);
        at.map_or(&NONE, |at| ALL[at].get_or_init(|| build(PAGES[at].1, PAGES[at].2)))
    }

    /// Returns the character of a byte of a set of single bytes.
    pub(super) fn single(self, byte: u8) -> Option<char> {
        match self {
            Set::Ascii => Some(char::from(byte)),
            Set::Roman => Some(match byte {
                b'\\' => '¥',
                b'~' => '‾',
                _ => char::from(byte),
            }),
            Set::Katakana => char::from_u32(0xFF40 + u32::from(byte)).filter(|_| matches!(byte, 0x21..=0x5F)),
            Set::Latin1 => Some(char::from(byte | 0x80)),
            Set::Greek => GREEK.chars().nth(usize::from(byte) - 0x20).filter(|ch| *ch != '-'),
            _ => None,
        }
    }

    /// Returns the character of a pair.
    pub(super) fn pair(self, lead: u8, trail: u8) -> Option<char> {
        let chars = &self.pairs().chars;
        chars.binary_search_by_key(&[lead, trail], |entry| entry.0).ok().map(|at| chars[at].1)
    }

    /// Returns the two characters of a pair that has two.
    pub(super) fn two_of_pair(self, lead: u8, trail: u8) -> Option<[char; 2]> {
        self.pairs().sequences.iter().find(|(code, _)| *code == [lead, trail]).map(|(_, text)| *text)
    }

    /// Returns the pair of a character.
    pub(super) fn code(self, ch: char) -> Option<[u8; 2]> {
        let codes = &self.pairs().codes;
        codes.binary_search_by_key(&ch, |entry| entry.0).ok().map(|at| codes[at].1)
    }

    /// Returns the pair of two characters.
    pub(super) fn code_of_two(self, text: [char; 2]) -> Option<[u8; 2]> {
        self.pairs().sequences.iter().find(|(_, found)| *found == text).map(|(code, _)| *code)
    }

    /// Returns whether two characters that share a pair begin with `ch`.
    pub(super) fn begins_two(self, ch: char) -> bool {
        self.pairs().sequences.iter().any(|(_, text)| text[0] == ch)
    }

    /// Returns the byte of a character of a set of single bytes.
    pub(super) fn byte(self, ch: char) -> Option<u8> {
        let range = if self.has_96() { 0x20..=0x7F } else { 0x21..=0x7E };
        range.into_iter().find(|byte| self.single(*byte) == Some(ch))
    }
}

/// The upper half of ISO-8859-7 (1987), with `-` where there is no character.
const GREEK: &str = "\u{A0}\u{2018}\u{2019}£--¦§¨©-«¬\u{AD}-―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ\
                     ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ-ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ-";

fn build(page: &str, prefix: &[u8]) -> Pairs {
    let Some(page) = pages().find(|found| found.name == page) else { return Pairs::default() };
    let table = page.table();
    let pair = |bytes: &[u8]| match bytes.strip_prefix(prefix) {
        Some(&[lead @ 0xA1..=0xFE, trail @ 0xA1..=0xFE]) => Some([lead & 0x7F, trail & 0x7F]),
        _ => None,
    };
    let mut pairs = Pairs::default();
    for Mapping { code, ch, way } in table.mappings {
        let Some(code) = pair(&code.bytes()[..code.len()]) else { continue };
        if way.decodes() {
            pairs.chars.push((code, ch));
        }
        if way.encodes(ch) {
            pairs.codes.push((ch, code));
        }
    }
    for Sequence { bytes, text, .. } in table.sequences {
        let mut chars = text.chars();
        if let (Some(code), Some(first), Some(second), None) = (pair(&bytes), chars.next(), chars.next(), chars.next())
        {
            pairs.sequences.push((code, [first, second]));
        }
    }
    crate::sort::by(&mut pairs.chars, Ord::cmp);
    crate::sort::by(&mut pairs.codes, Ord::cmp);
    pairs
}
