//! AVX2: ASCII thirty-two units at a time; what else there is as with SSE4.1, in the wider encoding.

use super::sse;
use crate::arch::utf32::OctetOrder;
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::utf16;
use std::arch::x86_64::*;

/// See [`arch::utf32::to_utf8`](crate::arch::utf32::to_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn to_utf8(order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let low = sse::LOW[order as usize].each_ref().map(|indices| _mm256_broadcastsi128_si256(load16(indices)));
    let not_ascii = _mm256_set1_epi32(sse::mask(order, [0xFF, 0xFF, 0xFF, 0x80]));
    // The quarters of either half stand together.
    let in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let (mut read, mut written) = (0, 0);
    loop {
        while let Some(block) = chunk::<128>(src, read)
            && let Some(window) = chunk_mut::<32>(dst, written)
        {
            let units = [0, 32, 64, 96].map(|at| load32(part(block, at)));
            let either = [_mm256_or_si256(units[0], units[1]), _mm256_or_si256(units[2], units[3])];
            if _mm256_testz_si256(_mm256_or_si256(either[0], either[1]), not_ascii) == 0 {
                break;
            }
            let quarters = [0, 1, 2, 3].map(|quarter| _mm256_shuffle_epi8(units[quarter], low[quarter]));
            let halves = [_mm256_or_si256(quarters[0], quarters[1]), _mm256_or_si256(quarters[2], quarters[3])];
            store32(window, _mm256_permutevar8x32_epi32(_mm256_or_si256(halves[0], halves[1]), in_turn));
            read += 128;
            written += 32;
        }
        if !sse::blocks(order, src, dst, &mut read, &mut written) {
            return (read, written);
        }
    }
}

/// See [`arch::utf32::from_utf8`](crate::arch::utf32::from_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn from_utf8(order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = _mm256_broadcastsi128_si256(load16(&sse::NATIVE[order as usize]));
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<32>(src, read)
            && let Some(window) = chunk_mut::<128>(dst, written)
        {
            if _mm256_movemask_epi8(load32(block)) != 0 {
                break;
            }
            for half in 0..2 {
                let bytes = load16(part(block, 16 * half));
                let (first, second) = (_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128::<8>(bytes)));
                store32(part_mut(window, 64 * half), _mm256_shuffle_epi8(first, native));
                store32(part_mut(window, 64 * half + 32), _mm256_shuffle_epi8(second, native));
            }
            read += 32;
            written += 128;
        }
        for _ in 0..8 {
            let Some(block) = chunk::<18>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<64>(dst, written) else { break 'all };
            let Some((which, _)) = utf16::sse::which(block, &mut 0, true) else { break 'all };
            let units = utf16::avx2::units(block, false);
            let halves = [_mm256_castsi256_si128(units), _mm256_extracti128_si256::<1>(units)];
            let mut put = 0;
            for (half, units) in halves.into_iter().enumerate() {
                let set = which >> (8 * half) & 0xFF;
                let units = _mm_shuffle_epi8(units, load16(&utf16::sse::SQUEEZE_UNITS[set as usize]));
                store32(part_mut(window, 4 * put), _mm256_shuffle_epi8(_mm256_cvtepu16_epi32(units), native));
                put += set.count_ones() as usize;
            }
            read += 16;
            written += 4 * put;
        }
    }
    utf16::sse::back(src, read, written, 0)
}
