//! The sets of characters that ISO-2022 and HZ switch between.
//!
//! A set of pairs is a part of a page in `codecs/legacy/` that has the same pairs with the high bits set. It is built when
//! it is first used.

use crate::codec::builtin::pages;
use crate::codec::table::{Code, Mapping, Sequence, Table, TableShape, Way};
use crate::codec::{Utf8Sink, Utf8Units, Utf8Word};
use std::ops::RangeInclusive;
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
    /// The characters that are read, in rows of 94; empty if there is no such set. A note stands where there is none, and
    /// one of the kind [`LONG`] for a character of four bytes.
    words: Vec<Utf8Word>,
    codes: Codes,
    /// The pairs that are two characters.
    sequences: Vec<([u8; 2], [char; 2])>,
    /// The first characters of these.
    starts: Vec<char>,
}

/// How many bytes can begin a pair, or end one.
const ROW: usize = 94;

/// The kind of a note with the code point of a character of four bytes.
const LONG: u8 = 1;

/// No character.
const NONE: Utf8Word = Utf8Word::note(0, 0);

/// Returns the place of a pair in `words`, if its last byte is in range. If its first byte is not, the place is beyond
/// them.
#[inline(always)]
fn place(lead: u8, trail: u8) -> Option<usize> {
    let [row, column] = [lead, trail].map(|byte| usize::from(byte.wrapping_sub(0x21)));
    (column < ROW).then_some(ROW * row + column)
}

/// The pairs of characters.
#[derive(Default)]
struct Codes {
    /// The block of each 64 code points; block 0 is empty.
    index: Vec<u16>,
    /// A pair with its first byte in the high octet, or 0.
    blocks: Vec<[u16; 64]>,
}

impl Codes {
    fn put(&mut self, ch: char, code: [u8; 2]) {
        let at = ch as usize / 64;
        if self.blocks.is_empty() {
            self.blocks.push([0; 64]);
        }
        if self.index.len() <= at {
            self.index.resize(at + 1, 0);
        }
        if self.index[at] == 0 {
            self.index[at] = self.blocks.len() as u16;
            self.blocks.push([0; 64]);
        }
        self.blocks[usize::from(self.index[at])][ch as usize % 64] = u16::from_be_bytes(code);
    }

    /// Returns all characters that have a pair.
    fn all(&self) -> impl Iterator<Item = (char, [u8; 2])> {
        let blocks = (0..).step_by(64).zip(&self.index);
        let places = blocks.flat_map(|(first, block)| (first..).zip(self.blocks[usize::from(*block)]));
        places.filter(|(_, code)| *code != 0).filter_map(|(ch, code)| Some((char::from_u32(ch)?, code.to_be_bytes())))
    }

    #[inline(always)]
    fn get(&self, ch: char) -> Option<[u8; 2]> {
        let block = self.index.get(ch as usize / 64)?;
        let code = self.blocks[usize::from(*block)][ch as usize % 64];
        (code != 0).then(|| code.to_be_bytes())
    }
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
        static EMPTY: Pairs = Pairs {
            words: Vec::new(),
            codes: Codes { index: Vec::new(), blocks: Vec::new() },
            sequences: Vec::new(),
            starts: Vec::new(),
        };
        let at = (self as usize).checked_sub(Set::Gb2312 as usize);
        at.map_or(&EMPTY, |at| ALL[at].get_or_init(|| build(PAGES[at])))
    }

    /// Returns the characters of the pairs by unit.
    pub(super) fn units(self) -> Utf8Units {
        let mut units = Utf8Units::new();
        for (lead, row) in (0x21..).zip(self.pairs().words.chunks(ROW)) {
            units.put(u16::from_be_bytes([lead, 0x21]), row);
        }
        units
    }

    /// Returns the characters that have a pair, and the pairs.
    pub(super) fn codes(self) -> impl Iterator<Item = (char, [u8; 2])> {
        self.pairs().codes.all()
    }

    /// Returns a table with shift codes that has ASCII, without `codes`, and the pairs of this set.
    pub(super) fn with_ascii(self, codes: &[u8]) -> Table {
        let mut table = Table::new("", "");
        table.shape = TableShape::Shifted;
        let ascii = (0..0x80).filter(|byte| !codes.contains(byte));
        let ascii = ascii.map(|byte| Mapping { code: Code::single(byte), ch: char::from(byte), way: Way::RoundTrip });
        table.mappings.extend(ascii);
        let page = (self as usize).checked_sub(Set::Gb2312 as usize).map(|at| PAGES[at]);
        for mapping in page.into_iter().flat_map(|(_, page, prefix)| mappings(page, prefix)) {
            table.mappings.extend(Code::new(&mapping.0).map(|code| Mapping { code, ..mapping.1 }));
        }
        table
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
        let word = *self.pairs().words.get(place(lead, trail)?)?;
        match word.as_note() {
            Some((LONG, code)) => char::from_u32(code),
            Some(_) => None,
            None => word.char(),
        }
    }

    /// Reads pairs from `src`, from `read` on, which it advances, while they are characters of at most three bytes and
    /// there is room. `other` returns what a byte is that does not begin a pair; a note ends the run.
    #[inline(always)]
    pub(super) fn read_pairs(
        self,
        src: &[u8],
        read: &mut usize,
        dst: &mut Utf8Sink<'_>,
        other: impl Fn(u8) -> Option<Utf8Word>,
    ) {
        let words = &*self.pairs().words;
        dst.push_words(|| {
            let Some(&[lead, trail]) = src.get(*read..).and_then(<[u8]>::first_chunk) else { return NONE };
            let (word, len) = match other(lead) {
                Some(word) => (word, 1),
                None => (place(lead, trail).and_then(|at| words.get(at)).copied().unwrap_or(NONE), 2),
            };
            *read += if word.is_char() { len } else { 0 };
            word
        });
    }

    /// Writes the pairs of the characters at the front of `src`, except `others`, while the set has them and there is
    /// room; returns the lengths of what was read and written.
    pub(super) fn write_pairs(self, src: &str, others: &[char], spare: &mut [u8]) -> (usize, usize) {
        let codes = &self.pairs().codes;
        let (mut chars, mut written) = (src.chars(), 0);
        loop {
            let rest = chars.as_str();
            let code = chars.next().filter(|ch| !others.contains(ch)).and_then(|ch| codes.get(ch));
            let (Some(code), Some(place)) = (code, spare.get_mut(written..written + 2)) else {
                return (src.len() - rest.len(), written);
            };
            place.copy_from_slice(&code);
            written += 2;
        }
    }

    /// Returns the two characters of a pair that has two.
    pub(super) fn two_of_pair(self, lead: u8, trail: u8) -> Option<[char; 2]> {
        self.pairs().sequences.iter().find(|(code, _)| *code == [lead, trail]).map(|(_, text)| *text)
    }

    /// Returns the pair of a character.
    pub(super) fn code(self, ch: char) -> Option<[u8; 2]> {
        self.pairs().codes.get(ch)
    }

    /// Returns the pair of two characters.
    pub(super) fn code_of_two(self, text: [char; 2]) -> Option<[u8; 2]> {
        self.pairs().sequences.iter().find(|(_, found)| *found == text).map(|(code, _)| *code)
    }

    /// Returns the characters with which two begin that share a pair.
    pub(super) fn starts(self) -> &'static [char] {
        &self.pairs().starts
    }

    /// Returns the byte of a character of a set of single bytes.
    pub(super) fn byte(self, ch: char) -> Option<u8> {
        // Most characters are in none of these sets.
        let may_have = match self {
            Set::Katakana => '\u{FF61}'..='\u{FF9F}',
            Set::Greek => '\u{A0}'..='\u{2019}',
            _ => '!'..='\u{203E}',
        };
        if !may_have.contains(&ch) {
            return None;
        }
        let range = if self.has_96() { 0x20..=0x7F } else { 0x21..=0x7E };
        range.into_iter().find(|byte| self.single(*byte) == Some(ch))
    }
}

/// The upper half of ISO-8859-7 (1987), with `-` where there is no character.
const GREEK: &str = "\u{A0}\u{2018}\u{2019}£--¦§¨©-«¬\u{AD}-―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ\
                     ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ-ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ-";

/// Returns the pair of a set that bytes of its page are.
fn pair_of(bytes: &[u8], prefix: &[u8]) -> Option<[u8; 2]> {
    match bytes.strip_prefix(prefix) {
        Some(&[lead @ 0xA1..=0xFE, trail @ 0xA1..=0xFE]) => Some([lead & 0x7F, trail & 0x7F]),
        _ => None,
    }
}

/// Returns the mappings of a page that are in a set, with their pairs.
fn mappings(page: &str, prefix: &'static [u8]) -> impl Iterator<Item = ([u8; 2], Mapping)> {
    let page = pages().find(|found| found.name() == page);
    let mappings = page.map(|page| page.table().mappings).unwrap_or_default();
    mappings.into_iter().filter_map(move |mapping| {
        let bytes = mapping.code.bytes();
        Some((pair_of(&bytes[..mapping.code.len()], prefix)?, mapping))
    })
}

/// The pairs of plane 1 of CNS 11643 that are read, but not written: glibc or ICU lacks them, or reads another character. These
/// are rows of symbols, radicals and pictures of control characters. Only Chinese ISO-2022 has this set.
const UNREAD: [RangeInclusive<u16>; 13] = [
    0x2126..=0x2126,
    0x2131..=0x2131,
    0x2137..=0x213D,
    0x216A..=0x216A,
    0x2223..=0x2226,
    0x222B..=0x222C,
    0x2242..=0x2244,
    0x2253..=0x2253,
    0x225E..=0x2261,
    0x243E..=0x2440,
    0x2571..=0x2573,
    0x267E..=0x2B4D,
    0x4242..=0x4243,
];

fn build((set, page, prefix): (Set, &str, &[u8])) -> Pairs {
    let Some(page) = pages().find(|found| found.name() == page) else { return Pairs::default() };
    let table = page.table();
    let pair = |bytes: &[u8]| pair_of(bytes, prefix);
    let mut pairs = Pairs { words: vec![NONE; ROW * ROW], ..Pairs::default() };
    for Mapping { code, ch, way } in table.mappings {
        let Some(code) = pair(&code.bytes()[..code.len()]) else { continue };
        if let Some(at) = place(code[0], code[1])
            && way.decodes()
        {
            pairs.words[at] = Utf8Word::new(ch).unwrap_or(Utf8Word::note(LONG, ch.into()));
        }
        let is_unread = set == Set::Cns1 && UNREAD.iter().any(|range| range.contains(&u16::from_be_bytes(code)));
        if way.encodes(ch) && !is_unread {
            pairs.codes.put(ch, code);
        }
    }
    for Sequence { bytes, text, .. } in table.sequences {
        let mut chars = text.chars();
        if let (Some(code), Some(first), Some(second), None) = (pair(&bytes), chars.next(), chars.next(), chars.next())
        {
            pairs.sequences.push((code, [first, second]));
            pairs.starts.push(first);
        }
    }
    pairs
}
