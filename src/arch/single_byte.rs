//! Single-byte charsets: their tables as vectors want them, and the kernels that go between their bytes and UTF-8.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_variables))] // No other has kernels for them.

use super::Isa;
#[cfg(target_arch = "x86_64")]
use super::x86_64;

/// For decoding: the bytes of each byte's character in UTF-8, counted from its end.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct ToUtf8 {
    /// The last byte. Its high bit is set but for ASCII.
    pub(super) last: [u8; 256],
    /// The one before: a lead byte of two, a continuation byte, or [`ABSENT`](Self::ABSENT).
    pub(super) before: [u8; 256],
    /// The first of three, or absent; [`NONE`](Self::NONE) where there is no character, or one of four bytes.
    pub(super) first: [u8; 256],
}

impl ToUtf8 {
    /// The character has no byte there.
    pub(super) const ABSENT: u8 = 0xFF;
    /// Not for kernels.
    pub(super) const NONE: u8 = 0xFE;

    /// From the UTF-8 of each byte, empty where it has no character.
    pub fn new<'a>(utf8: impl Fn(u8) -> &'a [u8]) -> Self {
        // What is none looks like a character of three bytes until its first is looked at.
        let mut this = ToUtf8 { last: [0x80; 256], before: [0x80; 256], first: [Self::NONE; 256] };
        for byte in 0..=u8::MAX {
            let (first, before, last) = match *utf8(byte) {
                [last] => (Self::ABSENT, Self::ABSENT, last),
                [before, last] => (Self::ABSENT, before, last),
                [first, before, last] => (first, before, last),
                _ => continue,
            };
            let at = usize::from(byte);
            (this.first[at], this.before[at], this.last[at]) = (first, before, last);
        }
        this
    }
}

/// 128 code points of one charset.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Page {
    pub(super) bytes: [u8; 128],
    /// The byte that stands for no byte: none of the others.
    pub(super) none: u8,
}

/// For encoding: the byte of each character, by pages.
#[derive(Clone, Debug)]
pub struct FromUtf8 {
    /// Which page the code points have, by what is above their low seven bits; page 0 is empty.
    index: [u16; 512],
    pages: Vec<Page>,
    /// A byte that stands for no byte up to U+00FF; `None` where all of these have one.
    pub(super) latin_none: Option<u8>,
    /// Which of those with characters of two bytes has the most of them, without U+0080 to U+00FF: where it is in
    /// `index`.
    pub(super) common: usize,
}

impl FromUtf8 {
    /// From the characters and their bytes; of two bytes for one character the last counts. Characters outside the Basic
    /// Multilingual Plane are left out.
    pub fn new(chars: impl IntoIterator<Item = (char, u8)>) -> Self {
        let mut index = [0; 512];
        let mut pages: Vec<[Option<u8>; 128]> = vec![[None; 128]];
        for (ch, byte) in chars {
            let code = ch as usize;
            let Some(page) = index.get_mut(code >> 7) else { continue };
            if *page == 0 {
                *page = pages.len() as u16;
                pages.push([None; 128]);
            }
            pages[usize::from(*page)][code & 0x7F] = Some(byte);
        }
        let count = |at: &usize| pages[usize::from(index[*at])].iter().flatten().count();
        let common = (2..16).max_by_key(count).unwrap_or(2);
        // A byte that is on none of these pages, of 128 entries each. 256 bytes at most: where there is no other, two
        // pages are full.
        let free = |of: &[[Option<u8>; 128]]| {
            let mut taken = [false; 256];
            of.iter().flatten().flatten().for_each(|byte| taken[usize::from(*byte)] = true);
            taken.iter().position(|taken| !taken).map(|byte| byte as u8)
        };
        let latin_none = free(&[0, 1].map(|at| pages[usize::from(index[at])]));
        let page = |(at, page): (usize, &[Option<u8>; 128])| {
            let none = if index[..2].contains(&(at as u16)) { latin_none } else { free(&[*page]) };
            let none = none.unwrap_or_default();
            Page { bytes: page.map(|byte| byte.unwrap_or(none)), none }
        };
        let pages = pages.iter().enumerate().map(page).collect();
        FromUtf8 { index, pages, latin_none, common }
    }

    /// The page of the code points from `128 * at` on.
    #[inline(always)]
    pub(super) fn page(&self, at: usize) -> &Page {
        &self.pages[usize::from(self.index[at & 0x1FF])]
    }
}

/// Decodes `src` into `dst` with the kernel of `isa`; answers how much was read and written. Stops at a byte that has no
/// character, at one of four bytes, or where the room may not do; beyond what was written `dst` may be scribbled on.
#[inline]
pub fn decode(isa: Isa, table: &ToUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    match isa.usable() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Avx512 => unsafe { x86_64::single_byte::decode_avx512(table, src, dst) },
        _ => (0, 0),
    }
}

/// Encodes `src` into `dst` with the kernel of `isa`; answers how much was read and written. Stops at a character that
/// the table lacks, or where the room may not do; beyond what was written `dst` may be scribbled on.
#[inline]
pub fn encode(isa: Isa, table: &FromUtf8, src: &str, dst: &mut [u8]) -> (usize, usize) {
    match isa.usable() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Avx512 => unsafe { x86_64::single_byte::encode_avx512(table, src.as_bytes(), dst) },
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::each_isa;
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    type Chars = [Option<char>; 256];

    /// Beyond the end of the room: nothing may be written there.
    const GUARD: [u8; 80] = [0xA5; 80];

    fn to_utf8(chars: &Chars) -> ToUtf8 {
        let utf8 = chars.map(|ch| ch.map(String::from).unwrap_or_default());
        ToUtf8::new(|byte| utf8[usize::from(byte)].as_bytes())
    }

    /// What a kernel does is right, goes on up to what it has to leave, and stays in its room.
    fn decodes(chars: &Chars, src: &[u8], room: usize) {
        let table = to_utf8(chars);
        let known = |byte: &u8| chars[usize::from(*byte)].filter(|ch| ch.len_utf8() < 4);
        let text = |src: &[u8]| src.iter().map_while(known).collect::<String>();
        each_isa(|isa| {
            let mut dst = [&vec![0; room][..], &GUARD].concat();
            let (read, written) = decode(isa, &table, src, &mut dst[..room]);
            assert_eq!(dst[room..], GUARD, "{isa:?}");
            assert!(src[..read].iter().all(|byte| known(byte).is_some()), "{isa:?}");
            assert_eq!(dst[..written], *text(&src[..read]).as_bytes(), "{isa:?}");
            if isa == Isa::Avx512 {
                let next = &src[read..src.len().min(read + 64)];
                let fits = text(next).len() <= room - written;
                assert!(text(next).is_empty() || !fits, "{isa:?}: {read} of {}", src.len());
            }
        });
    }

    fn encodes(bytes: &HashMap<char, u8>, src: &str, room: usize) {
        let table = FromUtf8::new(bytes.iter().map(|(ch, byte)| (*ch, *byte)));
        each_isa(|isa| {
            let mut dst = [&vec![0; room][..], &GUARD].concat();
            let (read, written) = encode(isa, &table, src, &mut dst[..room]);
            assert_eq!(dst[room..], GUARD, "{isa:?}");
            let expected: Option<Vec<u8>> = src[..read].chars().map(|ch| bytes.get(&ch).copied()).collect();
            assert_eq!(Some(&dst[..written]), expected.as_deref(), "{isa:?}");
            if isa == Isa::Avx512 {
                let rest = &src[read..];
                let known = rest.chars().take_while(|ch| ch.len_utf8() < 4 && bytes.contains_key(ch)).count();
                assert!(rest.is_empty() || known == 0 || room - written < 64, "{isa:?}: {read} of {}", src.len());
            }
        });
    }

    /// Latin-1 in another order, as EBCDIC has it.
    fn latin() -> Chars {
        std::array::from_fn(|byte| Some(char::from((byte as u8).wrapping_mul(37).wrapping_add(11))))
    }

    /// Characters of every length, neighbours of every other.
    fn mixed() -> Chars {
        let starts = ['\0', '\u{80}', '\u{400}', '\u{E01}', '\u{2500}', '\u{FF61}', ' ', '\u{7FE}', '\u{FFFC}'];
        std::array::from_fn(|byte| char::from_u32(starts[byte % 9] as u32 + byte as u32 / 9))
    }

    fn holes() -> Chars {
        let mut chars = mixed();
        (chars[3], chars[200], chars[90], chars[255]) = (None, None, Some('😀'), None);
        chars
    }

    /// These, and others as to what 0 is: vectors are filled up with zeros.
    fn tables() -> [Chars; 6] {
        let (mut two, mut three, mut none) = (mixed(), mixed(), mixed());
        two.rotate_left(1);
        three.rotate_left(3);
        none[0] = None;
        [latin(), mixed(), holes(), two, three, none]
    }

    fn bytes_of(chars: &Chars) -> HashMap<char, u8> {
        chars.iter().zip(0..=255).filter_map(|(ch, byte)| Some(((*ch)?, byte))).collect()
    }

    /// A little of each kind, for where all of it takes too long: under Miri.
    #[test]
    fn a_few() {
        let chars = holes();
        let src: Vec<u8> = (0..=255).cycle().take(300).collect();
        for (from, len, room) in [(4, 150, 450), (100, 130, 131), (7, 0, 0)] {
            decodes(&chars, &src[from..][..len], room);
        }
        let bytes = bytes_of(&chars);
        let text: String = chars.iter().flatten().take(100).collect();
        encodes(&bytes, &text, 300);
        encodes(&bytes, &format!("{text}\u{3042}{text}"), 130);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_byte_and_every_length() {
        for chars in tables() {
            let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
            for len in 0..=200 {
                for from in [0, 1, 17, 63, 100, 201, 255] {
                    decodes(&chars, &all[from..from + len], 3 * len);
                    decodes(&chars, &all[from..from + len], len + len / 2);
                }
            }
            for byte in 0..=255 {
                for other in [b'a', 0x81, 0xC0] {
                    let mut src = [other; 150];
                    (src[70], src[149]) = (byte, byte);
                    decodes(&chars, &src, 450);
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_room() {
        for chars in tables() {
            let src: Vec<u8> = (4..=199).filter(|byte| *byte != 90).collect();
            let text: String =
                src.iter().filter_map(|byte| chars[usize::from(*byte)]).filter(|ch| *ch != '😀').collect();
            for room in 0..600 {
                decodes(&chars, &src, room);
                encodes(&bytes_of(&chars), &text, room.min(300));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_character() {
        for chars in tables() {
            let bytes = bytes_of(&chars);
            let good: String = chars.iter().flatten().filter(|ch| **ch < '\u{80}').collect();
            for code in (0..0x3000).chain(0xFF00..0x1_0100) {
                let Some(ch) = char::from_u32(code) else { continue };
                let at = code as usize % (good.len() + 1);
                encodes(&bytes, &format!("{}{ch}{good}{ch}", &good[..at]), 600);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn cut_at_the_end_of_a_block() {
        for chars in tables() {
            let bytes = bytes_of(&chars);
            let mut known: Vec<char> = bytes.keys().copied().collect();
            known.sort();
            for (index, ch) in known.iter().enumerate() {
                for ascii in 55..70 {
                    let front = if bytes.contains_key(&'a') { "a" } else { " " }.repeat(ascii);
                    let other = known[(index * 7 + ascii) % known.len()];
                    for end in ["", " ", "\u{7FF}", "😀", "ab"] {
                        encodes(&bytes, &format!("{front}{ch}{other}{end}"), 200);
                    }
                }
            }
        }
    }

    fn any_char() -> impl Strategy<Value = char> {
        prop_oneof![
            4 => prop::char::range('\0', '\u{7F}'),
            4 => prop::char::range('\u{80}', '\u{FF}'),
            4 => prop::char::range('\u{400}', '\u{480}'),
            2 => prop::char::range('\u{80}', '\u{7FF}'),
            2 => prop::char::range('\u{2010}', '\u{2122}'),
            2 => prop::char::range('\u{800}', '\u{FFFF}'),
            1 => prop::char::range('\u{10000}', '\u{10FFFF}'),
        ]
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "too much of it")]
        fn any_table_and_any_text(
            chars in prop::collection::vec(prop::option::weighted(0.98, any_char()), 256),
            src in prop::collection::vec(any::<u8>(), 0..400),
            runs in prop::collection::vec((any::<u8>(), 0usize..90), 0..8),
            others in prop::collection::vec((0usize..400, any_char()), 0..3),
            room in 0usize..1300,
        ) {
            let chars: Chars = chars.try_into().unwrap();
            let src: Vec<u8> = src.into_iter().chain(runs.iter().flat_map(|(byte, len)| vec![*byte; *len])).collect();
            decodes(&chars, &src, room);
            let mut text: Vec<char> = src.iter().filter_map(|byte| chars[usize::from(*byte)]).collect();
            encodes(&bytes_of(&chars), &text.iter().collect::<String>(), room);
            // And characters that are not there.
            for (at, other) in others {
                text.insert(at.min(text.len()), other);
            }
            encodes(&bytes_of(&chars), &text.iter().collect::<String>(), room);
        }
    }
}
