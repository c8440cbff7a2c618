//! Bytes to bytes: translation between single-byte charsets, padding, and newlines.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
use super::types::Translation;
#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Isa, dispatch, scalar};

/// Translates the front of `src` to the front of `dst` with the kernel of `isa`; returns how many bytes. Stops at the
/// first byte without a translation or at the end of either slice. Bytes of `dst` after those written may be
/// overwritten.
#[inline]
pub fn translate(isa: Isa, table: &Translation, src: &[u8], dst: &mut [u8]) -> usize {
    let len = src.len().min(dst.len());
    let (src, dst) = (&src[..len], &mut dst[..len]);
    dispatch!(isa, {
        "x86_64" Sse => x86_64::single_byte::sse::translate(table, src, dst),
        "x86_64" Avx2 => x86_64::single_byte::avx2::translate(table, src, dst),
        "x86_64" Avx512 => x86_64::bytes::translate_avx512(table, src, dst),
        "aarch64" Neon => aarch64::single_byte::translate(table, src, dst),
        _ => scalar::bytes::translate(table, src, dst),
    })
}

/// Returns how many bytes at the end of `bytes` are `padding`, with the kernel of `isa`.
#[inline]
#[must_use]
pub fn padding_len(isa: Isa, bytes: &[u8], padding: u8) -> usize {
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::bytes::padding_len_avx512(bytes, padding),
        "x86_64" Avx2 => x86_64::bytes::padding_len_avx2(bytes, padding),
        _ => scalar::bytes::padding_len(bytes, padding),
    })
}

/// Returns how many newlines there are in `text`, which is UTF-8: U+000A, U+000D and U+0085 (C2 85).
#[must_use]
pub fn count_newlines(isa: Isa, text: &[u8]) -> usize {
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::bytes::count_newlines_avx2(text),
        "x86_64" Avx2 => x86_64::bytes::count_newlines_avx2(text),
        _ => scalar::bytes::count_newlines(text),
    })
}

/// Returns how many lines end in `text`, which is UTF-8: each CRLF, CR NEL, NEL, CR and LF ends one.
#[must_use]
pub fn count_line_ends(isa: Isa, text: &[u8]) -> usize {
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::bytes::count_line_ends_avx2(text),
        "x86_64" Avx2 => x86_64::bytes::count_line_ends_avx2(text),
        _ => scalar::bytes::count_line_ends(text),
    })
}

/// Returns how many characters `text` has, which is UTF-8; `None` if a line may end in it, or if it is longer than 255
/// bytes. This is faster than counting the ends of lines and then the characters.
#[inline]
#[must_use]
pub fn chars_of_one_line(text: &[u8]) -> Option<usize> {
    scalar::bytes::chars_of_one_line(text)
}

/// Returns how many lines end in bytes that are a character each: `cr` ends one, and one of `others` does unless `cr`
/// comes before it.
#[must_use]
pub fn count_ends_of_bytes(isa: Isa, bytes: &[u8], cr: u8, others: [u8; 2]) -> usize {
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::bytes::count_ends_of_bytes_avx2(bytes, cr, others),
        "x86_64" Avx2 => x86_64::bytes::count_ends_of_bytes_avx2(bytes, cr, others),
        _ => scalar::bytes::count_ends_of_bytes(bytes, cr, others),
    })
}

#[cfg(test)]
mod tests {
    use super::super::each_isa;
    use super::*;
    use proptest::prelude::*;

    fn translates(byte_of: impl Fn(u8) -> Option<u8>, src: &[u8], room: usize) {
        let table = Translation::new(&byte_of);
        let expected: Vec<u8> = src.iter().map_while(|byte| byte_of(*byte)).take(room).collect();
        each_isa(|isa| {
            let mut dst = vec![0xA5; room + 80];
            let len = translate(isa, &table, src, &mut dst[..room]);
            assert_eq!(dst[..len], expected, "{isa:?}");
            assert!(dst[room..].iter().all(|byte| *byte == 0xA5), "{isa:?}");
        });
    }

    /// A little of each kind, for Miri, which is too slow for all of it.
    #[test]
    fn a_few() {
        let all: Vec<u8> = (0..=255).cycle().take(300).collect();
        for (len, room) in [(0, 0), (1, 1), (64, 63), (130, 200), (300, 300)] {
            translates(|byte| Some(byte.wrapping_mul(37)), &all[..len], room);
            translates(|byte| (byte != 99).then_some(byte ^ 0x55), &all[..len], room);
            each_isa(|isa| assert_eq!(padding_len(isa, &[&all[1..20], &vec![0; len]].concat(), 0), len, "{isa:?}"));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn translation_of_every_byte_and_every_length() {
        let all: Vec<u8> = (0..=255).cycle().take(600).collect();
        for len in 0..300 {
            translates(|byte| Some(byte.wrapping_mul(37).wrapping_add(11)), &all[len..2 * len], 300);
            translates(|byte| Some(byte / 2), &all[..len], 300 - len);
            translates(|byte| (usize::from(byte) != len).then_some(byte ^ 0x55), &all[..len + 10], 320);
        }
        translates(|_| None, &all, 600);
        translates(|byte| (byte > 0).then_some(0), &all[1..], 600);
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "too much of it")]
        fn any_translation(
            table in prop::collection::vec(prop::option::weighted(0.99, any::<u8>()), 256),
            src in prop::collection::vec(any::<u8>(), 0..400),
            room in 0usize..400,
        ) {
            translates(|byte| table[usize::from(byte)], &src, room);
        }

        #[test]
        #[cfg_attr(miri, ignore = "too much of it")]
        fn padding(front in prop::collection::vec(0u8..3, 0..300), len in 0usize..300, byte in 0u8..3, cut in 0usize..80) {
            let bytes = [front, vec![byte; len]].concat();
            let bytes = &bytes[cut.min(bytes.len())..];
            for padding in 0..3 {
                let expected = bytes.iter().rev().take_while(|byte| **byte == padding).count();
                each_isa(|isa| assert_eq!(padding_len(isa, bytes, padding), expected, "{isa:?}"));
            }
        }

        #[test]
        #[cfg_attr(miri, ignore = "too much of it")]
        fn newlines(
            signs in prop::collection::vec(prop::sample::select(&["\n", "\r", "\u{85}", "\u{C5}", "\u{105}", "a"][..]), 0..400),
            cut in 0usize..80,
        ) {
            let text = signs[cut.min(signs.len())..].concat();
            let expected = text.chars().filter(|ch| matches!(ch, '\n' | '\r' | '\u{85}')).count();
            each_isa(|isa| assert_eq!(count_newlines(isa, text.as_bytes()), expected, "{isa:?}"));
            let ends = text.replace("\r\n", "\n").replace("\r\u{85}", "\n");
            let expected = ends.chars().filter(|ch| matches!(ch, '\n' | '\r' | '\u{85}')).count();
            each_isa(|isa| assert_eq!(count_line_ends(isa, text.as_bytes()), expected, "{isa:?}"));
            if let Some(chars) = chars_of_one_line(text.as_bytes()) {
                assert_eq!((chars, 0), (text.chars().count(), expected));
            }
            let line: String = text.chars().filter(|ch| !ch.is_control()).collect();
            if line.len() <= 255 {
                assert_eq!(chars_of_one_line(line.as_bytes()), Some(line.chars().count()));
            }
            let latin: Vec<u8> = text.chars().map(|ch| u8::try_from(u32::from(ch)).unwrap_or(b'?')).collect();
            each_isa(|isa| {
                assert_eq!(count_ends_of_bytes(isa, &latin, b'\r', [b'\n', 0x85]), expected, "{isa:?}");
            });
        }
    }
}
