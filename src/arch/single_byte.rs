//! Single-byte charsets, to and from UTF-8, by tables.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_variables))] // No kernels.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
use super::types::{FromUtf8, ToUtf8};
#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Isa, dispatch};

/// Decodes `src` into `dst` with the kernel of `isa`; returns how many bytes were read and written. Stops at a byte that
/// has no character or one of four bytes in UTF-8, or when the room may not be enough, or less than a block of `src` is
/// left. Bytes of `dst` after those written may be overwritten.
#[inline]
pub fn decode(isa: Isa, table: &ToUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    if src.len() < block_len(isa) {
        return (0, 0);
    }
    dispatch!(isa, {
        "x86_64" Sse => x86_64::single_byte::sse::decode(table, src, dst),
        "x86_64" Avx2 => x86_64::single_byte::avx2::decode(table, src, dst),
        "x86_64" Avx512 => x86_64::single_byte::avx512::decode(table, src, dst),
        "aarch64" Neon => aarch64::single_byte::decode(table, src, dst),
        _ => (0, 0),
    })
}

/// Encodes `src` into `dst` with the kernel of `isa`; returns how many bytes were read and written. Stops at a character
/// that the table does not have, or when the room may not be enough, or less than a block of `src` is left. Bytes of `dst`
/// after those written may be overwritten.
#[inline]
pub fn encode(isa: Isa, table: &FromUtf8, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    match src.len() {
        len if len > block_len(isa) => encode_blocks(isa, table, src, dst),
        len if len >= SHORT => encode_short(isa, table, src, dst),
        _ => (0, 0),
    }
}

/// With fewer bytes, filling a block takes longer than it saves.
const SHORT: usize = 16;

/// Encodes at most a block, as a block that is filled up with spaces.
#[inline(never)]
fn encode_short(isa: Isa, table: &FromUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let block = block_len(isa);
    // A kernel looks at two bytes after a block.
    let (mut filled, mut made) = ([b' '; 66], [0; 64]);
    filled[..src.len()].copy_from_slice(src);
    let (read, written) = encode_blocks(isa, table, &filled[..block + 2], &mut made[..block]);
    // Each space that was read became one byte.
    let (read, written) = (read.min(src.len()), written - read.saturating_sub(src.len()));
    match dst.get_mut(..written) {
        Some(dst) => dst.copy_from_slice(&made[..written]),
        None => return (0, 0),
    }
    (read, written)
}

/// Calls the kernel.
#[inline]
fn encode_blocks(isa: Isa, table: &FromUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    dispatch!(isa, {
        "x86_64" Sse => x86_64::single_byte::sse::encode(table, src, dst),
        "x86_64" Avx2 => x86_64::single_byte::avx2::encode(table, src, dst),
        "x86_64" Avx512 => x86_64::single_byte::avx512::encode(table, src, dst),
        "aarch64" Neon => aarch64::single_byte::encode(table, src, dst),
        _ => (0, 0),
    })
}

/// Returns the length of the blocks of a kernel that leaves the rest of a block, at the end, to its caller; 0 for others. A
/// short value should not pay for a call that does nothing.
#[inline(always)]
fn block_len(isa: Isa) -> usize {
    match isa {
        Isa::Scalar | Isa::Avx512 => 0,
        Isa::Sse | Isa::Neon => 32,
        Isa::Avx2 => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::super::each_isa;
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    type Chars = [Option<char>; 256];

    /// The bytes after the end of the room, which must not be written to.
    const GUARD: [u8; 80] = [0xA5; 80];

    /// A charset, and its tables for the kernels.
    struct Page {
        chars: Chars,
        bytes: HashMap<char, u8>,
        to_utf8: ToUtf8,
        from_utf8: FromUtf8,
    }

    impl Page {
        fn new(chars: Chars) -> Page {
            let bytes: HashMap<char, u8> =
                chars.iter().zip(0..=255).filter_map(|(ch, byte)| Some(((*ch)?, byte))).collect();
            let utf8 = chars.map(|ch| ch.map(String::from).unwrap_or_default());
            Page {
                to_utf8: ToUtf8::new(|byte| utf8[usize::from(byte)].as_bytes()),
                from_utf8: FromUtf8::new(bytes.iter().map(|(ch, byte)| (*ch, *byte))),
                chars,
                bytes,
            }
        }
    }

    /// Checks that a kernel is correct, stops only where it must, and stays in its room.
    fn decodes(Page { chars, to_utf8: table, .. }: &Page, src: &[u8], room: usize) {
        let known = |byte: &u8| chars[usize::from(*byte)].filter(|ch| ch.len_utf8() < 4);
        let text = |src: &[u8]| src.iter().map_while(known).collect::<String>();
        each_isa(|isa| {
            let mut dst = [&vec![0; room][..], &GUARD].concat();
            let (read, written) = decode(isa, table, src, &mut dst[..room]);
            assert_eq!(dst[room..], GUARD, "{isa:?}");
            assert!(src[..read].iter().all(|byte| known(byte).is_some()), "{isa:?}");
            assert_eq!(dst[..written], *text(&src[..read]).as_bytes(), "{isa:?}");
            let next = &src[read..src.len().min(read + 64)];
            let is_over = match block_len(isa) {
                0 => text(next).len() > room - written,
                block => src.len() - read < block || room - written < 3 * block + 4,
            };
            // Where there are many characters of three bytes, or bytes without one, its caller is faster.
            let is_long = |byte: &u8| known(byte).is_none_or(|ch| ch.len_utf8() == 3);
            let is_slow = src[read..].iter().take(block_len(isa)).any(is_long);
            let may_stop = isa == Isa::Scalar || is_over || is_slow || text(next).is_empty();
            assert!(may_stop, "{isa:?}: {read} of {}, {written} of {room}", src.len());
        });
    }

    fn encodes(Page { bytes, from_utf8: table, .. }: &Page, src: &str, room: usize) {
        each_isa(|isa| {
            let mut dst = [&vec![0; room][..], &GUARD].concat();
            let (read, written) = encode(isa, table, src, &mut dst[..room]);
            assert_eq!(dst[room..], GUARD, "{isa:?}");
            let expected: Option<Vec<u8>> = src[..read].chars().map(|ch| bytes.get(&ch).copied()).collect();
            assert_eq!(Some(&dst[..written]), expected.as_deref(), "{isa:?}");
            let is_known = |ch: char| ch.len_utf8() < 4 && bytes.contains_key(&ch);
            let is_over = match block_len(isa) {
                0 => room - written < 64,
                block => src.len() - read < block + 2 || room - written < block,
            };
            let may_stop = isa == Isa::Scalar || is_over || !src[read..].chars().next().is_some_and(is_known);
            assert!(may_stop, "{isa:?}: {read} of {}, {written} of {room}", src.len());
        });
    }

    /// Latin-1 in another order, as in EBCDIC.
    fn latin() -> Chars {
        std::array::from_fn(|byte| Some(char::from((byte as u8).wrapping_mul(37).wrapping_add(11))))
    }

    /// Characters of every length, next to those of every other length.
    fn mixed() -> Chars {
        let starts = ['\0', '\u{80}', '\u{400}', '\u{E01}', '\u{2500}', '\u{FF61}', ' ', '\u{7FE}', '\u{FFFC}'];
        std::array::from_fn(|byte| char::from_u32(starts[byte % 9] as u32 + byte as u32 / 9))
    }

    fn holes() -> Chars {
        let mut chars = mixed();
        (chars[3], chars[200], chars[90], chars[255]) = (None, None, Some('😀'), None);
        chars
    }

    /// Latin-1 without U+0000, so that all codes of two bytes are taken where one is needed for the other byte.
    fn crowded() -> Chars {
        let mut chars = latin();
        chars.iter_mut().filter(|ch| **ch == Some('\0')).for_each(|ch| *ch = Some('€'));
        chars
    }

    /// These tables, and variants with other characters at byte 0, because vectors are padded with zeros.
    fn pages() -> [Page; 7] {
        let (mut two, mut three, mut none) = (mixed(), mixed(), mixed());
        two.rotate_left(1);
        three.rotate_left(3);
        none[0] = None;
        [latin(), mixed(), holes(), crowded(), two, three, none].map(Page::new)
    }

    #[test]
    fn short_texts_are_encoded_at_once() {
        for page in pages() {
            let text: String = page.chars.iter().flatten().filter(|ch| ch.len_utf8() < 4).cycle().take(64).collect();
            for end in (SHORT..=32).filter(|end| text.is_char_boundary(*end)) {
                encodes(&page, &text[..end], end);
                each_isa(|isa| {
                    let read = encode(isa, &page.from_utf8, &text[..end], &mut [0; 64]).0;
                    assert!(isa == Isa::Scalar || read == end, "{isa:?}: {read} of {end}");
                });
            }
        }
    }

    /// A little of each kind, for Miri, which is too slow for all of it.
    #[test]
    fn a_few() {
        let page = Page::new(holes());
        let src: Vec<u8> = (0..=255).cycle().take(300).collect();
        for (from, len, room) in [(4, 150, 500), (100, 130, 231), (7, 0, 0)] {
            decodes(&page, &src[from..][..len], room);
        }
        let text: String = page.chars.iter().flatten().take(100).collect();
        encodes(&page, &text, 300);
        encodes(&page, &format!("{text}\u{3042}{text}"), 130);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_byte_and_every_length() {
        for page in pages() {
            let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
            for len in 0..=200 {
                for from in [0, 1, 17, 63, 100, 201, 255] {
                    decodes(&page, &all[from..from + len], 3 * len + 200);
                    decodes(&page, &all[from..from + len], len + len / 2);
                }
            }
            for byte in 0..=255 {
                for other in [b'a', 0x81, 0xC0] {
                    let mut src = [other; 150];
                    (src[70], src[149]) = (byte, byte);
                    decodes(&page, &src, 650);
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_room() {
        for page in pages() {
            let src: Vec<u8> = (4..=199).filter(|byte| *byte != 90).collect();
            let text: String =
                src.iter().filter_map(|byte| page.chars[usize::from(*byte)]).filter(|ch| *ch != '😀').collect();
            for room in 0..600 {
                decodes(&page, &src, room);
                encodes(&page, &text, room.min(300));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_character() {
        for page in pages() {
            let good: String = page.chars.iter().flatten().filter(|ch| **ch < '\u{80}').collect();
            for code in (0..0x3000).chain(0xFF00..0x1_0100) {
                let Some(ch) = char::from_u32(code) else { continue };
                let at = code as usize % (good.len() + 1);
                encodes(&page, &format!("{}{ch}{good}{ch}", &good[..at]), 600);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn cut_at_the_end_of_a_block() {
        for page in pages() {
            let mut known: Vec<char> = page.bytes.keys().copied().collect();
            known.sort();
            for (index, ch) in known.iter().enumerate() {
                for ascii in 55..70 {
                    let front = if page.bytes.contains_key(&'a') { "a" } else { " " }.repeat(ascii);
                    let other = known[(index * 7 + ascii) % known.len()];
                    for end in ["", " ", "\u{7FF}", "😀", "ab"] {
                        encodes(&page, &format!("{front}{ch}{other}{end}"), 200);
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
            let page = Page::new(chars);
            decodes(&page, &src, room);
            let mut text: Vec<char> = src.iter().filter_map(|byte| page.chars[usize::from(*byte)]).collect();
            encodes(&page, &text.iter().collect::<String>(), room);
            // And characters that the table does not have.
            for (at, other) in others {
                text.insert(at.min(text.len()), other);
            }
            encodes(&page, &text.iter().collect::<String>(), room);
        }
    }
}
