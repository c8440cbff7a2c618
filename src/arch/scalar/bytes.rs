//! Bytes for bytes.

use crate::arch::types::Translation;

/// Translates `src` into `dst`, which is as long, up to the first byte that has none; answers how many.
pub(in super::super) fn translate(table: &Translation, src: &[u8], dst: &mut [u8]) -> usize {
    let mut len = 0;
    // Without a branch a byte: whether there was one that has none is looked at once for eight.
    for (bytes, places) in src.as_chunks::<8>().0.iter().zip(dst.as_chunks_mut::<8>().0) {
        *places = bytes.map(|byte| table.bytes[usize::from(byte)]);
        if let Some(none) = table.none
            && places.contains(&none)
        {
            break;
        }
        len += 8;
    }
    for (byte, place) in src[len..].iter().zip(&mut dst[len..]) {
        *place = table.bytes[usize::from(*byte)];
        if table.none == Some(*place) {
            break;
        }
        len += 1;
    }
    len
}

/// How many bytes at the end are `padding`.
pub(in super::super) fn padding_len(bytes: &[u8], padding: u8) -> usize {
    let wide = u64::from_ne_bytes([padding; 8]);
    let words = bytes.as_rchunks::<8>().1.iter().rev().take_while(|word| u64::from_ne_bytes(**word) == wide).count();
    let rest = &bytes[..bytes.len() - 8 * words];
    8 * words + rest.iter().rev().take_while(|byte| **byte == padding).count()
}

/// How many newlines there are in `text`. Its other callers are compiled for machines with wider registers.
#[inline(always)]
pub(in super::super) fn count_newlines(text: &[u8]) -> usize {
    // Without a branch a byte; so few at a time that their number fits into one.
    const SOME: usize = 128;
    let is_newline =
        |before: u8, byte: u8| u8::from((byte == b'\n') | (byte == b'\r') | ((before == 0xC2) & (byte == 0x85)));
    let Some((first, behind)) = text.split_first() else { return 0 };
    let pairs = text.chunks(SOME).zip(behind.chunks(SOME));
    let counts = pairs.map(|(before, some)| before.iter().zip(some).map(|(a, b)| is_newline(*a, *b)).sum::<u8>());
    usize::from(is_newline(0, *first)) + counts.map(usize::from).sum::<usize>()
}
