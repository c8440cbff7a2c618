//! SSE4.1: eight units at a time through the kernel of UTF-16. Blocks with characters outside the Basic Multilingual Plane
//! are encoded four lanes at a time, and not decoded here.

use crate::arch::shuffles::*;
use crate::arch::types::OctetOrder;
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::utf16::sse as utf16;
use std::arch::x86_64::*;

/// Returns the mask that has these octets of a unit, as it is in memory.
#[inline(always)]
pub(in crate::arch::x86_64) fn mask(order: OctetOrder, octets: [u8; 4]) -> i32 {
    i32::from_le_bytes(order.write(u32::from_be_bytes(octets)))
}

/// See [`arch::utf32::to_utf8`](crate::arch::utf32::to_utf8).
#[target_feature(enable = "sse4.1,ssse3")]
pub fn to_utf8(order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let low = LOW_OCTETS[order as usize].each_ref().map(|indices| load16(indices));
    let not_ascii = _mm_set1_epi32(mask(order, [0xFF, 0xFF, 0xFF, 0x80]));
    let (mut read, mut written) = (0, 0);
    loop {
        while let Some(block) = chunk::<64>(src, read)
            && let Some(window) = chunk_mut::<16>(dst, written)
        {
            let units = [0, 16, 32, 48].map(|at| load16(part(block, at)));
            let either = [_mm_or_si128(units[0], units[1]), _mm_or_si128(units[2], units[3])];
            if _mm_test_all_zeros(_mm_or_si128(either[0], either[1]), not_ascii) == 0 {
                break;
            }
            let quarters = [0, 1, 2, 3].map(|quarter| _mm_shuffle_epi8(units[quarter], low[quarter]));
            let halves = [_mm_or_si128(quarters[0], quarters[1]), _mm_or_si128(quarters[2], quarters[3])];
            store16(window, _mm_or_si128(halves[0], halves[1]));
            read += 64;
            written += 16;
        }
        if !blocks(order, src, dst, &mut read, &mut written) {
            return (read, written);
        }
    }
}

/// Decodes some blocks of eight units, of any characters; returns whether there may be more.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn blocks(order: OctetOrder, src: &[u8], dst: &mut [u8], read: &mut usize, written: &mut usize) -> bool {
    let low_half = load16(&LOW_HALVES[order as usize]);
    let high_half = _mm_set1_epi32(mask(order, [0xFF, 0xFF, 0, 0]));
    for _ in 0..8 {
        let Some(block) = chunk::<32>(src, *read) else { return false };
        let Some(window) = chunk_mut::<32>(dst, *written) else { return false };
        let (first, second) = (load16(part(block, 0)), load16(part(block, 16)));
        if _mm_test_all_zeros(_mm_or_si128(first, second), high_half) == 0 {
            return false;
        }
        let (first, second) = (_mm_shuffle_epi8(first, low_half), _mm_shuffle_epi8(second, low_half));
        let (taken, put) = utf16::put::<false>(_mm_unpacklo_epi64(first, second), window);
        if taken == 0 {
            return false;
        }
        *read += 4 * taken;
        *written += put;
    }
    true
}

/// See [`arch::utf32::from_utf8`](crate::arch::utf32::from_utf8).
#[target_feature(enable = "sse4.1,ssse3")]
pub fn from_utf8(order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = load16(&SWAP_OCTETS[order as usize]);
    let widen = WIDEN_OCTETS[order as usize].each_ref().map(|indices| load16(indices));
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<16>(src, read)
            && let Some(window) = chunk_mut::<64>(dst, written)
        {
            let bytes = load16(block);
            if _mm_movemask_epi8(bytes) != 0 {
                break;
            }
            for (quarter, widen) in widen.into_iter().enumerate() {
                store16(part_mut(window, 16 * quarter), _mm_shuffle_epi8(bytes, widen));
            }
            read += 16;
            written += 64;
        }
        for _ in 0..4 {
            let Some(block) = chunk::<19>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<64>(dst, written) else { break 'all };
            let (which, has_fours) = which(block);
            if has_fours {
                read += 16;
                written += put_fours(block, which, native, window);
                continue;
            }
            let block = part(block, 0);
            let mut put = 0;
            for (half, units) in utf16::units(block, false).into_iter().enumerate() {
                let set = which >> (8 * half) & 0xFF;
                let units = _mm_shuffle_epi8(units, load16(&SQUEEZE_UNITS[set as usize]));
                let (first, second) = (_mm_cvtepu16_epi32(units), _mm_cvtepu16_epi32(_mm_srli_si128::<8>(units)));
                store16(part_mut(window, 4 * put), _mm_shuffle_epi8(first, native));
                store16(part_mut(window, 4 * put + 16), _mm_shuffle_epi8(second, native));
                put += ones(set);
            }
            read += 16;
            written += 4 * put;
        }
    }
    utf16::back(src, read, written, 0)
}

/// Returns at which of the first sixteen bytes a character begins, and whether one has four bytes.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
pub(super) fn which(block: &[u8; 19]) -> (u32, bool) {
    let bytes = load16(part(block, 0));
    let firsts = _mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(0xBFu8 as i8))) as u32;
    let least = _mm_set1_epi8(0xF0u8 as i8);
    (firsts, _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(bytes, least), bytes)) != 0)
}

/// Writes the units of the characters, of any length, that begin at `which` of the first sixteen bytes to the front of
/// `window`; returns how many bytes were written.
#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
pub(super) fn put_fours(block: &[u8; 19], which: u32, native: __m128i, window: &mut [u8; 64]) -> usize {
    let all = |value: u32| _mm_set1_epi32(value as i32);
    let bytes = [load16(part(block, 0)), load16(part(block, 1)), load16(part(block, 2)), load16(part(block, 3))];
    let mut put = 0;
    for quarter in 0..4 {
        let quarter_of = _mm_set1_epi32(0x8080_8000u32 as i32);
        let indices =
            _mm_add_epi8(quarter_of, _mm_setr_epi32(4 * quarter, 4 * quarter + 1, 4 * quarter + 2, 4 * quarter + 3));
        let [one, second, third, fourth] = bytes.map(|bytes| _mm_shuffle_epi8(bytes, indices));
        let [second, third, fourth] = [second, third, fourth].map(|bytes| _mm_and_si128(bytes, all(0x3F)));
        let two = _mm_or_si128(_mm_and_si128(_mm_slli_epi32::<6>(one), all(0x07C0)), second);
        let middle = _mm_or_si128(_mm_slli_epi32::<6>(second), third);
        let three = _mm_or_si128(_mm_and_si128(_mm_slli_epi32::<12>(one), all(0xF000)), middle);
        let last = _mm_or_si128(_mm_slli_epi32::<6>(middle), fourth);
        let four = _mm_or_si128(_mm_and_si128(_mm_slli_epi32::<18>(one), all(0x1C_0000)), last);
        let units = _mm_blendv_epi8(one, two, _mm_cmpgt_epi32(one, all(0x7F)));
        let units = _mm_blendv_epi8(units, three, _mm_cmpgt_epi32(one, all(0xDF)));
        let units = _mm_blendv_epi8(units, four, _mm_cmpgt_epi32(one, all(0xEF)));
        let set = which >> (4 * quarter) & 0xF;
        let units = _mm_shuffle_epi8(units, load16(&SQUEEZE_CODES[set as usize]));
        store16(part_mut(window, 4 * put), _mm_shuffle_epi8(units, native));
        put += ones(set);
    }
    4 * put
}
