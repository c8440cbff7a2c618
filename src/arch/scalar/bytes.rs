//! Bytes to bytes.

use crate::arch::types::Translation;

/// Translates `src` to `dst`, which is equally long, up to the first byte without a translation; returns how many bytes.
pub(in super::super) fn translate(table: &Translation, src: &[u8], dst: &mut [u8]) -> usize {
    let mut len = 0;
    // No branch per byte: eight bytes are checked together for one without a translation.
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

/// Returns how many bytes at the end are `padding`.
pub(in super::super) fn padding_len(bytes: &[u8], padding: u8) -> usize {
    let wide = u64::from_ne_bytes([padding; 8]);
    let words = bytes.as_rchunks::<8>().1.iter().rev().take_while(|word| u64::from_ne_bytes(**word) == wide).count();
    let rest = &bytes[..bytes.len() - 8 * words];
    8 * words + rest.iter().rev().take_while(|byte| **byte == padding).count()
}

/// Returns how many newlines there are in `text`. Inlined, because the AVX2 kernel is this function compiled for AVX2.
#[inline(always)]
pub(in super::super) fn count_newlines(text: &[u8]) -> usize {
    // No branch per byte. The count of so few bytes at a time fits into one byte.
    const SOME: usize = 128;
    let is_newline =
        |before: u8, byte: u8| u8::from((byte == b'\n') | (byte == b'\r') | ((before == 0xC2) & (byte == 0x85)));
    let Some((first, rest)) = text.split_first() else { return 0 };
    let pairs = text.chunks(SOME).zip(rest.chunks(SOME));
    let counts = pairs.map(|(before, some)| before.iter().zip(some).map(|(a, b)| is_newline(*a, *b)).sum::<u8>());
    usize::from(is_newline(0, *first)) + counts.map(usize::from).sum::<usize>()
}

/// Returns how many lines end in bytes that are a character each: `cr` ends one, and one of `others` does unless `cr`
/// comes before it. Inlined for the same reason.
#[inline(always)]
pub(in super::super) fn count_ends_of_bytes(bytes: &[u8], cr: u8, others: [u8; 2]) -> usize {
    const SOME: usize = 128;
    let is_end =
        |before: u8, byte: u8| u8::from((byte == cr) | (((byte == others[0]) | (byte == others[1])) & (before != cr)));
    let Some((first, rest)) = bytes.split_first() else { return 0 };
    let is_first = *first == cr || others.contains(first);
    let pairs = bytes.chunks(SOME).zip(rest.chunks(SOME));
    let counts = pairs.map(|(before, some)| before.iter().zip(some).map(|(a, b)| is_end(*a, *b)).sum::<u8>());
    usize::from(is_first) + counts.map(usize::from).sum::<usize>()
}

/// Returns how many characters there are in `text`, which is UTF-8; `None` if a line may end in it, or if it is long.
#[inline]
pub(in super::super) fn chars_of_one_line(text: &[u8]) -> Option<usize> {
    let (may_end, continuations) = match text.len() {
        256.. => return None,
        // Without vectors that would be a longer loop.
        _ if cfg!(target_family = "wasm") => ends_and_continuations::<1>(text),
        32.. => ends_and_continuations::<32>(text),
        8.. => ends_and_continuations::<8>(text),
        _ => ends_and_continuations::<1>(text),
    };
    (!may_end).then(|| text.len() - continuations)
}

/// Returns whether a line may end in `text`, and how many bytes of it continue a character, in vectors of `N` bytes. It
/// has 255 bytes at most.
#[inline(always)]
fn ends_and_continuations<const N: usize>(text: &[u8]) -> (bool, usize) {
    // The count fits into one byte, so the compiler makes vectors of bytes.
    let (mut may_end, mut continuations) = ([0u8; N], [0u8; N]);
    // `seen`: how many bytes of the block were looked at before.
    let mut look_at = |block: &[u8; N], seen: usize| {
        for at in 0..N {
            let byte = block[at];
            // C2 is the first byte of U+0085.
            may_end[at] |= u8::from((byte == b'\n') | (byte == b'\r') | (byte == 0xC2));
            continuations[at] += u8::from((byte & 0xC0 == 0x80) & (at as u8 >= seen as u8));
        }
    };
    let (blocks, rest) = text.as_chunks::<N>();
    blocks.iter().for_each(|block| look_at(block, 0));
    if let Some(last) = text.last_chunk::<N>()
        && !rest.is_empty()
    {
        look_at(last, N - rest.len());
    }
    let all = |counts: [u8; N]| counts.iter().sum::<u8>();
    (all(may_end) > 0, usize::from(all(continuations)))
}

/// Returns how many lines end in `text`. Inlined for the same reason.
#[inline(always)]
pub(in super::super) fn count_line_ends(text: &[u8]) -> usize {
    const SOME: usize = 128;
    // CR ends a line; LF and NEL do unless a CR comes before them.
    let is_end = |[last, before, byte]: [u8; 3]| {
        let is_nel = (before == 0xC2) & (byte == 0x85) & (last != b'\r');
        u8::from((byte == b'\r') | (byte == b'\n') & (before != b'\r') | is_nel)
    };
    let first = text.first().map_or(0, |first| is_end([0, 0, *first]));
    let second = text.first_chunk().map_or(0, |[first, second]| is_end([0, *first, *second]));
    let (Some(befores), Some(bytes)) = (text.get(1..), text.get(2..)) else { return usize::from(first + second) };
    let some = text.chunks(SOME).zip(befores.chunks(SOME)).zip(bytes.chunks(SOME));
    let counts = some.map(|((lasts, befores), bytes)| {
        let threes = lasts.iter().zip(befores).zip(bytes);
        threes.map(|((last, before), byte)| is_end([*last, *before, *byte])).sum::<u8>()
    });
    usize::from(first + second) + counts.map(usize::from).sum::<usize>()
}
