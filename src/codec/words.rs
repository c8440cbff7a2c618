//! Characters as ready UTF-8: what the tables of the engines hold.
//!
//! A decoder that finds a character in its table copies four bytes and advances by the character's length, for any
//! script. [`Utf8Sink`](super::Utf8Sink) accepts these types without checking their bytes, so their possible values are
//! its safety argument: only the functions in this file make them, and each makes them from a `char` or a code unit.
//!
//! They are private to the crate, because code outside of it could otherwise choose the bytes and the length.
//!
//! ```compile_fail,E0603
//! use charpipe::codec::Utf8Word;
//! ```
//! ```compile_fail,E0603
//! use charpipe::codec::words::{Utf8Batch, Utf8Char, Utf8Table};
//! ```

use crate::arch::types::{Split, ToUtf8};
use std::hint::select_unpredictable;
use std::ops::Range;

/// One character as ready UTF-8: what a single-byte table holds for each byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Utf8Char(
    /// The bytes, from the low octet on; from bit 32 on, their number. One word, so that one load reads both.
    u64,
);

impl Utf8Char {
    /// No character: the byte is unassigned. Its length exceeds that of sixteen characters together, so that one
    /// comparison finds it among them.
    pub(crate) const NONE: Utf8Char = Utf8Char(128 << 32);

    /// Returns the UTF-8 form of `ch`.
    pub(crate) fn new(ch: char) -> Self {
        let (bytes, len) = packed(ch.into());
        Utf8Char(u64::from(len) << 32 | u64::from(bytes))
    }

    /// Returns the bytes, and zeros after them.
    #[inline(always)]
    pub(super) fn bytes(self) -> [u8; 4] {
        (self.0 as u32).to_le_bytes()
    }

    /// Returns the number of bytes: 1 to 4 for a character.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        (self.0 >> 32) as usize
    }
}

/// The characters of a single-byte charset, one for each byte.
#[derive(Clone, Debug)]
pub(crate) struct Utf8Table {
    chars: [Utf8Char; 256],
    keeps_ascii: bool,
    lanes: ToUtf8,
}

impl Utf8Table {
    /// Makes the table from its characters; [`Utf8Char::NONE`] for unassigned bytes.
    pub(crate) fn new(chars: [Utf8Char; 256]) -> Self {
        let mut utf8 = [[0; 4]; 256];
        utf8.iter_mut().zip(&chars).for_each(|(utf8, ch)| *utf8 = ch.bytes());
        // The length of NONE is out of range, which makes it empty here.
        let lanes = ToUtf8::new(|byte| {
            let byte = usize::from(byte);
            utf8[byte].get(..chars[byte].len()).unwrap_or_default()
        });
        let keeps_ascii = (0u8..0x80).zip(&chars).all(|(byte, entry)| *entry == Utf8Char::new(byte.into()));
        Utf8Table { chars, keeps_ascii, lanes }
    }

    /// Returns whether `byte` has a character.
    #[inline(always)]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.chars[byte as usize] != Utf8Char::NONE
    }

    /// Returns the character of each byte.
    #[inline(always)]
    pub(super) fn chars(&self) -> &[Utf8Char; 256] {
        &self.chars
    }

    /// Returns whether the ASCII bytes are the ASCII characters.
    #[inline(always)]
    pub(super) fn keeps_ascii(&self) -> bool {
        self.keeps_ascii
    }

    /// Returns the same table in the form that kernels need.
    #[inline(always)]
    pub(super) fn lanes(&self) -> &ToUtf8 {
        &self.lanes
    }
}

/// The characters of a [`Utf8Table`], with a replacement, or nothing, for the bytes that have none.
#[derive(Debug)]
pub(crate) struct Utf8Filled {
    /// The bytes of the UTF-8 form, from the low octet on; from bit 32 on, their number; from bit 40 on, 1 if the
    /// character is the replacement. So a sum of sixteen of them also counts the replaced bytes.
    chars: [u64; 256],
    replacement: Option<char>,
}

impl Utf8Filled {
    /// Fills the gaps of `table`.
    pub(crate) fn new(table: &Utf8Table, replacement: Option<char>) -> Self {
        let filling = 1 << 40 | replacement.map_or(0, |ch| Utf8Char::new(ch).0);
        let chars = table.chars.map(|ch| if ch == Utf8Char::NONE { filling } else { ch.0 });
        Utf8Filled { chars, replacement }
    }

    /// Returns what fills the gaps.
    pub(crate) fn replacement(&self) -> Option<char> {
        self.replacement
    }

    /// Stores the characters of sixteen bytes at the front of `window`, one after the other. Returns their length in
    /// bytes, at most 64, and how many of them are replacements.
    #[inline(always)]
    pub(super) fn store(&self, block: &[u8; 16], window: &mut [u8; 68]) -> (usize, u64) {
        let mut sum = 0;
        for byte in block {
            let entry = self.chars[usize::from(*byte)];
            // At most 15 × 4; the mask tells the compiler.
            let start = (sum & 63) as usize;
            window[start..start + 4].copy_from_slice(&(entry as u32).to_le_bytes());
            sum += entry >> 32;
        }
        ((sum & 0xFF) as usize, sum >> 8)
    }

    /// Returns the character of a byte, and whether it is the replacement. Its length may be 0.
    #[inline(always)]
    pub(super) fn get(&self, byte: u8) -> ([u8; 4], usize, bool) {
        let entry = self.chars[usize::from(byte)];
        ((entry as u32).to_le_bytes(), (entry >> 32 & 0xFF) as usize, entry >> 40 > 0)
    }
}

/// A character of the Basic Multilingual Plane as ready UTF-8, or a note in its place: what a multi-byte table holds,
/// in half the space of a [`Utf8Char`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Utf8Word(
    /// For a character, its bytes in the low 24 bits, from the low octet on, and their number, 1 to 3, above them. For
    /// a note, its value in the low 24 bits and its kind plus 4 above them.
    u32,
);

impl Utf8Word {
    /// Returns the UTF-8 form of `ch` if it has at most three bytes.
    pub(crate) fn new(ch: char) -> Option<Self> {
        let (bytes, len) = packed(ch.into());
        (len <= 3).then_some(Utf8Word(len << 24 | bytes))
    }

    /// Returns an ASCII character. Only the low seven bits of `byte` count.
    #[cfg_attr(not(any(feature = "legacy", feature = "whatwg")), allow(dead_code))] // Only charsets with a state need it.
    #[inline(always)]
    pub(crate) fn of_ascii(byte: u8) -> Self {
        Utf8Word(1 << 24 | u32::from(byte & 0x7F))
    }

    /// Returns the characters of these code units, and `none` for surrogates and for FFFF, which is not a character.
    /// Sixty-four at a time for speed.
    pub(crate) fn of_units(units: &[u16; 64], none: Utf8Word) -> [Utf8Word; 64] {
        units.map(|unit| {
            let (bytes, len) = packed(unit.into());
            let is_char = unit != 0xFFFF && unit & 0xF800 != 0xD800;
            if is_char { Utf8Word(len << 24 | bytes) } else { none }
        })
    }

    /// Makes a note, whose meaning is up to the owner of the table. Only the low 24 bits of `value` count.
    ///
    /// # Panics
    /// If `kind` is above 251: plus 4, it would not fit into eight bits, and the rest would look like the length of a
    /// character.
    pub(crate) const fn note(kind: u8, value: u32) -> Self {
        assert!(kind < 252, "a note of a kind above 251");
        Utf8Word((kind as u32 + 4) << 24 | value & 0xFF_FFFF)
    }

    /// Returns the kind and the value of a note; `None` for a character.
    #[inline(always)]
    pub(crate) fn as_note(self) -> Option<(u8, u32)> {
        let kind = ((self.0 >> 24) as u8).checked_sub(4)?;
        Some((kind, self.0 & 0xFF_FFFF))
    }

    /// Returns the character; [`Utf8Char::NONE`] for a note.
    pub(crate) fn to_char(self) -> Utf8Char {
        let len = u64::from(self.0 >> 24);
        if self.is_char() { Utf8Char(len << 32 | u64::from(self.0 & 0xFF_FFFF)) } else { Utf8Char::NONE }
    }

    /// Returns the character as a `char`; `None` for a note.
    #[cfg_attr(not(feature = "legacy"), allow(dead_code))] // As above.
    pub(crate) fn char(self) -> Option<char> {
        let bytes = self.bytes();
        std::str::from_utf8(bytes.get(..self.len())?).ok()?.chars().next().filter(|_| self.is_char())
    }

    /// Returns whether it is a character.
    #[inline(always)]
    pub(crate) fn is_char(self) -> bool {
        self.len() <= 3
    }

    /// Returns the bytes of a character. The last of the four is not one of them.
    #[inline(always)]
    pub(super) fn bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Returns the number of bytes of a character; more than 3 for a note.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        (self.0 >> 24) as usize
    }
}

/// The characters of a charset with shift codes, by unit: a pair with its first byte in the high octet, or a single
/// byte. One load finds a character.
#[derive(Clone)]
pub(crate) struct Utf8Units {
    /// As in a [`Utf8Batch`]. Memory that nothing was written to is not used: the system maps zeros when it is read.
    words: Box<[u32; 1 << 16]>,
}

impl Utf8Units {
    /// Makes an empty table: no unit has a character.
    pub(crate) fn new() -> Self {
        Utf8Units { words: vec![0; 1 << 16].try_into().expect("as many as there are units") }
    }

    /// Puts the characters among `words` at the units from `first` on.
    pub(crate) fn put(&mut self, first: u16, words: &[Utf8Word]) {
        for (place, word) in self.words[first.into()..].iter_mut().zip(words) {
            if word.is_char() {
                *place = word.0;
            }
        }
    }

    /// Returns the character of a unit; a note if it has none.
    #[cfg_attr(not(feature = "whatwg"), allow(dead_code))] // Only encodings of the web are decoded unit by unit.
    #[inline(always)]
    pub(crate) fn word(&self, unit: u16) -> Utf8Word {
        match self.words[usize::from(unit)] {
            0 => Utf8Word::note(0, 0),
            word => Utf8Word(word),
        }
    }
}

impl std::fmt::Debug for Utf8Units {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Utf8Units").finish_non_exhaustive()
    }
}

/// The tables of codes of one unit, and of codes of two units: a table for each of two first halves.
pub(crate) struct Halves<'a> {
    /// The first halves; 0 if there are fewer.
    firsts: [u16; 2],
    /// The table of units, and those of the units after each first half.
    tables: [&'a Utf8Units; 3],
}

impl<'a> Halves<'a> {
    pub(crate) fn new(units: &'a Utf8Units, after: &'a [(u16, Utf8Units); 2]) -> Self {
        let [(first, one), (second, two)] = after;
        Halves { firsts: [*first, *second], tables: [units, one, two] }
    }

    /// Returns the number of the table for what follows a unit.
    #[inline(always)]
    fn table_after(&self, unit: u16) -> usize {
        // A unit of 0 is a character.
        let [first, second] = self.firsts.map(|first| usize::from((first == unit) & (first > 0)));
        first | second << 1
    }
}

/// Words that were looked up without waiting for each other, for [`Utf8Sink::push_batch`](super::Utf8Sink::push_batch).
pub(crate) struct Utf8Batch {
    words: [u32; Self::LEN],
}

impl Utf8Batch {
    /// How many words a batch holds.
    pub(crate) const LEN: usize = 256;

    /// Makes an empty batch: no place has a character.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Utf8Batch { words: [0; Self::LEN] }
    }

    /// Puts `word` at a place. Only the low eight bits of `at` count.
    #[cfg(test)]
    pub(crate) fn set(&mut self, at: usize, word: Utf8Word) {
        self.words[at % Self::LEN] = word.0;
    }

    /// Puts the characters of the first `len` units from place `at` on, and others after them. There must be space for
    /// all units.
    #[inline(always)]
    pub(crate) fn look_up(&mut self, at: usize, units: &[u16; 64], len: usize, table: &Utf8Units) {
        let places: &mut [u32; 64] = self.words[at..].first_chunk_mut().expect("space for all units");
        // Eight at a time, so that blocks of different lengths take the same way.
        for at in (0..len.min(64)).step_by(8) {
            for (place, unit) in places[at..at + 8].iter_mut().zip(&units[at..at + 8]) {
                *place = table.words[usize::from(*unit)];
            }
        }
    }

    /// Does the same with units that may be the first halves of codes of two units. Such a unit is not a first of a
    /// word, and the last one is left to the next block. `split` is what the units are, before and after.
    #[inline(always)]
    pub(crate) fn look_up_halves(&mut self, at: usize, units: &[u16; 64], split: &mut Split, halves: &Halves<'_>) {
        let places: &mut [u32; 64] = self.words[at..].first_chunk_mut().expect("space for all units");
        let (mut word, mut of, mut rest) = (0, 0, split.firsts);
        for unit in &units[..split.firsts.count_ones() as usize] {
            // No branch, which would often be guessed wrong.
            places[word & 63] = halves.tables[of].words[usize::from(*unit)];
            let place = rest & rest.wrapping_neg();
            rest ^= place;
            split.firsts &= !select_unpredictable(of > 0, place, 0);
            of = select_unpredictable(of > 0, 0, halves.table_after(*unit));
            word += usize::from(of == 0);
        }
        if of > 0 {
            split.read = 63 - split.firsts.leading_zeros() as usize;
            split.firsts &= !(1 << split.read);
        }
    }

    /// Returns the words at these places as lanes of a kernel. An empty place is 0, a lane of no bytes.
    #[inline(always)]
    pub(super) fn lanes(&self, places: Range<usize>) -> &[u32] {
        self.words.get(places).unwrap_or_default()
    }
}

/// Returns the UTF-8 form of the character `code`, from the low octet of the word on, and its length; without a branch.
#[inline(always)]
pub(super) fn packed(code: u32) -> (u32, u32) {
    let (last, third, second, first) = (code & 0x3F, code >> 6 & 0x3F, code >> 12 & 0x3F, code >> 18);
    let two = 0x80C0 | code >> 6 | last << 8;
    let three = 0x80_80E0 | code >> 12 | third << 8 | last << 16;
    let four = 0x8080_80F0 | first | second << 8 | third << 16 | last << 24;
    let short = if code < 0x80 { code } else { two };
    let long = if code < 0x1_0000 { three } else { four };
    let len = 1 + u32::from(code >= 0x80) + u32::from(code >= 0x800) + u32::from(code >= 0x1_0000);
    (if code < 0x800 { short } else { long }, len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Utf8Sink;

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn words_are_characters_or_notes() {
        for ch in (0..0x11_0000).filter_map(char::from_u32) {
            let Some(word) = Utf8Word::new(ch) else {
                assert!(ch as u32 > 0xFFFF);
                continue;
            };
            let mut room = [0; 7];
            let mut sink = Utf8Sink::new(&mut room);
            assert!(word.as_note().is_none() && sink.push_word(word));
            assert_eq!(word.to_char(), Utf8Char::new(ch));
            assert_eq!(sink.as_str(), ch.encode_utf8(&mut [0; 4]));
        }
        for block in (0..=u16::MAX).collect::<Vec<_>>().as_chunks::<64>().0 {
            let none = Utf8Word::note(3, 5);
            let expected = block.map(|unit| char::from_u32(unit.into()).filter(|_| unit != 0xFFFF));
            let expected = expected.map(|ch| ch.map_or(none, |ch| Utf8Word::new(ch).unwrap()));
            assert_eq!(Utf8Word::of_units(block, none), expected);
        }
        for kind in 0..252 {
            let note = Utf8Word::note(kind, 0xABCDEF);
            assert_eq!(note.as_note(), Some((kind, 0xABCDEF)));
            assert_eq!(note.to_char(), Utf8Char::NONE);
            assert!(!Utf8Sink::new(&mut [0; 4]).push_word(note));
        }
        assert!(!Utf8Sink::new(&mut [0; 3]).push_word(Utf8Word::new('a').unwrap()));
    }

    #[test]
    fn units_are_looked_up() {
        let mut table = Utf8Units::new();
        let a = Utf8Word::new('a').unwrap();
        table.put(0x4181, &[a, Utf8Word::note(1, 2), Utf8Word::new('€').unwrap()]);
        // The last unit: what does not fit the table is left out.
        table.put(0xFFFF, &[a, a]);
        let mut batch = Utf8Batch::new();
        for (unit, text) in [(0x4181, "a"), (0x4182, ""), (0x4183, "€"), (0x4180, ""), (0x81, ""), (0xFFFF, "a")] {
            let mut units = [0; 64];
            units[11] = unit;
            units[..11].fill(0x4183);
            batch.look_up(192, &units, 12, &table);
            let mut expected = Utf8Batch::new();
            expected.words[192..203].fill(Utf8Word::new('€').unwrap().0);
            expected.words[203] = text.chars().next().and_then(Utf8Word::new).map_or(0, |word| word.0);
            assert_eq!(batch.words, expected.words, "{unit:04X}");
        }
    }

    /// A note has its kind where a character has its length. A kind that did not fit would look like the length of a
    /// character with arbitrary bytes.
    #[test]
    fn a_note_has_a_bound() {
        for kind in 252..=255 {
            let made = std::panic::catch_unwind(|| Utf8Word::note(kind, 0xFF));
            assert!(made.is_err(), "{kind}: {made:?}");
        }
        assert_eq!(Utf8Word::note(251, 0xFF).as_note(), Some((251, 0xFF)));
    }
}
