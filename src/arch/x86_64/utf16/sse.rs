//! SSE4.1: eight units at a time. As with AVX-512, the output for each unit is made in a lane with spare bytes; here a
//! shuffle from a table removes them.

use crate::arch::shuffles::*;
use crate::arch::types::ByteOrder;
use crate::arch::x86_64::memory::*;
use std::arch::x86_64::*;

/// Returns the bits of a unit in memory that are zero for ASCII.
#[inline(always)]
pub(super) fn not_ascii(order: ByteOrder) -> i16 {
    match order {
        ByteOrder::Big => 0x80FFu16 as i16,
        ByteOrder::Little => 0xFF80u16 as i16,
    }
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn all(value: u16) -> __m128i {
    _mm_set1_epi16(value as i16)
}

/// See [`arch::utf16::to_utf8`](crate::arch::utf16::to_utf8).
#[target_feature(enable = "sse4.1,ssse3")]
pub fn to_utf8(order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let native = load16(&SWAP_UNITS[order as usize]);
    let not_ascii = _mm_set1_epi16(not_ascii(order));
    let (mut read, mut written) = (0, 0);
    loop {
        while let Some(block) = chunk::<32>(src, read)
            && let Some(window) = chunk_mut::<16>(dst, written)
        {
            let (first, second) = (load16(part(block, 0)), load16(part(block, 16)));
            if _mm_test_all_zeros(_mm_or_si128(first, second), not_ascii) == 0 {
                break;
            }
            let (first, second) = (_mm_shuffle_epi8(first, native), _mm_shuffle_epi8(second, native));
            store16(window, _mm_packus_epi16(first, second));
            read += 32;
            written += 16;
        }
        if !blocks(native, src, dst, &mut read, &mut written) {
            return (read, written);
        }
    }
}

/// Decodes some blocks of eight units, of any characters; returns whether there may be more.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn blocks(native: __m128i, src: &[u8], dst: &mut [u8], read: &mut usize, written: &mut usize) -> bool {
    for _ in 0..8 {
        let Some(block) = chunk::<16>(src, *read) else { return false };
        let Some(window) = chunk_mut::<32>(dst, *written) else { return false };
        let (taken, put) = put::<true>(_mm_shuffle_epi8(load16(block), native), window);
        if taken == 0 {
            return false;
        }
        *read += 2 * taken;
        *written += put;
    }
    true
}

/// Writes eight units to the front of `window` as UTF-8; returns how many of them were read, and how many bytes were
/// written. Reads none if there is a lone surrogate or, without `PAIRS`, any surrogate. Leaves the last unit if it is the
/// first half of a pair.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
pub(in crate::arch::x86_64) fn put<const PAIRS: bool>(units: __m128i, window: &mut [u8; 32]) -> (usize, usize) {
    let zero = _mm_setzero_si128();
    let (up, down) = (_mm_slli_epi16::<8>(units), _mm_srli_epi16::<6>(units));
    // The last six bits in the upper byte of the lane, and the six before them in the lower byte, which is first in memory.
    let bits = _mm_or_si128(_mm_and_si128(up, all(0x3F00)), _mm_and_si128(down, all(0x003F)));
    let ascii = _mm_cmpeq_epi16(_mm_and_si128(units, all(0xFF80)), zero);
    let mut short = _mm_cmpeq_epi16(_mm_and_si128(units, all(0xF800)), zero);
    let sets = !_mm_movemask_epi8(_mm_packs_epi16(ascii, short)) as u32 & 0xFFFF;
    if sets >> 8 == 0 {
        // C0 with the first bits, and 80 with the last.
        let bytes = _mm_blendv_epi8(_mm_or_si128(bits, all(0x80C0)), units, ascii);
        let bytes = _mm_shuffle_epi8(bytes, load16(&SQUEEZE_TWO[sets as usize & 0xFF]));
        store16(part_mut(window, 0), bytes);
        return (8, 8 + ones(sets));
    }
    // The middle and the last byte of three; or two bytes; or any byte and one byte.
    let mut rest = _mm_or_si128(bits, all(0x8080));
    rest = _mm_or_si128(rest, _mm_and_si128(short, all(0x0040)));
    rest = _mm_blendv_epi8(rest, up, ascii);
    let (mut taken, mut cut) = (8, 0);
    let surrogates = _mm_cmpeq_epi16(_mm_and_si128(units, all(0xF800)), all(0xD800));
    let mut sets = sets;
    if _mm_movemask_epi8(surrogates) != 0 {
        if !PAIRS {
            return (0, 0);
        }
        let low = _mm_cmpeq_epi16(_mm_and_si128(units, all(0xFC00)), all(0xDC00));
        let high = _mm_andnot_si128(low, surrogates);
        if _mm_movemask_epi8(_mm_xor_si128(_mm_slli_si128::<2>(high), low)) != 0 {
            return (0, 0);
        }
        // Each half of a pair makes two of the four bytes. This is the code point without its last ten bits:
        let code = _mm_sub_epi16(units, all(0xD800 - 0x40));
        let first = _mm_or_si128(_mm_and_si128(_mm_slli_epi16::<6>(code), all(0x3F00)), _mm_srli_epi16::<8>(code));
        rest = _mm_blendv_epi8(rest, _mm_or_si128(first, all(0x80F0)), high);
        let before = _mm_and_si128(_mm_slli_epi16::<4>(_mm_slli_si128::<2>(units)), all(0x0030));
        let second = _mm_or_si128(_mm_andnot_si128(all(0x0030), rest), before);
        rest = _mm_blendv_epi8(rest, second, low);
        short = _mm_or_si128(short, surrogates);
        sets = !_mm_movemask_epi8(_mm_packs_epi16(ascii, short)) as u32 & 0xFFFF;
        if _mm_extract_epi16::<7>(high) != 0 {
            (taken, cut) = (7, 2);
        }
    }
    let top = _mm_or_si128(_mm_and_si128(_mm_srli_epi16::<4>(units), all(0x0F00)), all(0xE000));
    let mut put = 0;
    for (half, lanes) in [_mm_unpacklo_epi16(top, rest), _mm_unpackhi_epi16(top, rest)].into_iter().enumerate() {
        let sets = sets >> (4 * half);
        let set = sets & 0xF | sets >> 4 & 0xF0;
        store16(part_mut(window, put), _mm_shuffle_epi8(lanes, load16(&SQUEEZE_THREE[set as usize & 0xFF])));
        put += 4 + ones(set);
    }
    (taken, put - cut)
}

/// See [`arch::utf16::from_utf8`](crate::arch::utf16::from_utf8).
#[target_feature(enable = "sse4.1,ssse3")]
pub fn from_utf8(order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = load16(&SWAP_UNITS[order as usize]);
    let widen = WIDEN_UNITS[order as usize].each_ref().map(|indices| load16(indices));
    let (mut read, mut written) = (0, 0);
    // Whether the last byte that was read begins a character of four bytes, whose second unit is still missing.
    let mut pair = 0;
    'all: loop {
        while let Some(block) = chunk::<16>(src, read)
            && let Some(window) = chunk_mut::<32>(dst, written)
        {
            let bytes = load16(block);
            if _mm_movemask_epi8(bytes) != 0 {
                break;
            }
            store16(part_mut(window, 0), _mm_shuffle_epi8(bytes, widen[0]));
            store16(part_mut(window, 16), _mm_shuffle_epi8(bytes, widen[1]));
            read += 16;
            written += 32;
        }
        for _ in 0..4 {
            let Some(block) = chunk::<18>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<32>(dst, written) else { break 'all };
            let Some((which, pairs)) = which(block, &mut pair, bmp_only) else { break 'all };
            let mut put = 0;
            for (half, units) in units(block, pairs).into_iter().enumerate() {
                let set = which >> (8 * half) & 0xFF;
                let units = _mm_shuffle_epi8(units, load16(&SQUEEZE_UNITS[set as usize]));
                store16(part_mut(window, 2 * put), _mm_shuffle_epi8(units, native));
                put += ones(set);
            }
            read += 16;
            written += 2 * put;
        }
    }
    back(src, read, written, pair)
}

/// Returns at which of the first sixteen bytes there is a unit, and whether there are pairs. A character of four bytes has
/// its second unit at its second byte. `pair` says whether the first byte of the block is such a second byte, and is set
/// to whether that of the next block is. Returns `None` if there is a pair although `bmp_only` is true.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
pub(in crate::arch::x86_64) fn which(block: &[u8; 18], pair: &mut u32, bmp_only: bool) -> Option<(u32, bool)> {
    let bytes = load16(part(block, 0));
    let firsts = _mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(0xBFu8 as i8))) as u32;
    let least = _mm_set1_epi8(0xF0u8 as i8);
    let fours = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(bytes, least), bytes)) as u32;
    let seconds = (fours << 1 | *pair) & 0xFFFF;
    if fours | seconds == 0 {
        return Some((firsts, false));
    }
    if bmp_only {
        return None;
    }
    *pair = fours >> 15;
    Some((firsts | seconds, true))
}

/// Returns for each of the first sixteen bytes the unit of the character that begins there. With `pairs`, a character of
/// four bytes has its second unit at its second byte; without, its units are meaningless.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
pub(in crate::arch::x86_64) fn units(block: &[u8; 18], pairs: bool) -> [__m128i; 2] {
    let zero = _mm_setzero_si128();
    let [one, next, last] = [load16(part(block, 0)), load16(part(block, 1)), load16(part(block, 2))];
    let units = |one: __m128i, next: __m128i, last: __m128i| {
        let (next, last) = (_mm_and_si128(next, all(0x3F)), _mm_and_si128(last, all(0x3F)));
        let two = _mm_or_si128(next, _mm_and_si128(_mm_slli_epi16::<6>(one), all(0x07C0)));
        let (top, middle) = (_mm_slli_epi16::<12>(one), _mm_slli_epi16::<6>(next));
        let three = _mm_or_si128(_mm_or_si128(top, middle), last);
        let units = _mm_blendv_epi8(one, two, _mm_cmpgt_epi16(one, all(0x7F)));
        let mut units = _mm_blendv_epi8(units, three, _mm_cmpgt_epi16(one, all(0xDF)));
        if pairs {
            // The high surrogate has the code point without its last ten bits, the low one the last ten.
            let code = _mm_or_si128(_mm_slli_epi16::<2>(next), _mm_srli_epi16::<4>(last));
            let code = _mm_or_si128(code, _mm_and_si128(_mm_slli_epi16::<8>(one), all(0x0700)));
            let high = _mm_add_epi16(code, all(0xD800 - 0x40));
            units = _mm_blendv_epi8(units, high, _mm_cmpgt_epi16(one, all(0xEF)));
            let low = _mm_or_si128(_mm_and_si128(three, all(0x03FF)), all(0xDC00));
            let seconds = _mm_cmpeq_epi16(_mm_and_si128(one, all(0xC0)), all(0x80));
            units = _mm_blendv_epi8(units, low, seconds);
        }
        units
    };
    [
        units(_mm_unpacklo_epi8(one, zero), _mm_unpacklo_epi8(next, zero), _mm_unpacklo_epi8(last, zero)),
        units(_mm_unpackhi_epi8(one, zero), _mm_unpackhi_epi8(next, zero), _mm_unpackhi_epi8(last, zero)),
    ]
}

/// Returns how much was read and written in whole characters: including the one that ends after `read`, unless half of
/// its pair is missing.
#[inline(always)]
pub(in crate::arch::x86_64) fn back(src: &[u8], mut read: usize, written: usize, pair: u32) -> (usize, usize) {
    if pair != 0 {
        return (read - 1, written - 2);
    }
    while src.get(read).is_some_and(|byte| byte & 0xC0 == 0x80) {
        read += 1;
    }
    (read, written)
}
