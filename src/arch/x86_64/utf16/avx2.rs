//! AVX2: ASCII thirty-two units at a time; what else there is as with SSE4.1, in the wider encoding.

use super::sse;
use crate::arch::utf16::ByteOrder;
use crate::arch::x86_64::memory::*;
use std::arch::x86_64::*;

/// See [`arch::utf16::to_utf8`](crate::arch::utf16::to_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn to_utf8(order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let native = load16(&sse::NATIVE[order as usize]);
    let wide = _mm256_broadcastsi128_si256(native);
    let not_ascii = _mm256_set1_epi16(sse::not_ascii(order));
    let (mut read, mut written) = (0, 0);
    loop {
        while let Some(block) = chunk::<64>(src, read)
            && let Some(window) = chunk_mut::<32>(dst, written)
        {
            let (first, second) = (load32(part(block, 0)), load32(part(block, 32)));
            if _mm256_testz_si256(_mm256_or_si256(first, second), not_ascii) == 0 {
                break;
            }
            let (first, second) = (_mm256_shuffle_epi8(first, wide), _mm256_shuffle_epi8(second, wide));
            let bytes = _mm256_packus_epi16(first, second);
            store32(window, _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
            read += 64;
            written += 32;
        }
        if !sse::blocks(native, src, dst, &mut read, &mut written) {
            return (read, written);
        }
    }
}

/// See [`arch::utf16::from_utf8`](crate::arch::utf16::from_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn from_utf8(order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = load16(&sse::NATIVE[order as usize]);
    let wide = _mm256_broadcastsi128_si256(native);
    let (mut read, mut written) = (0, 0);
    // Whether the last byte read begins a character of four bytes, whose second unit is still to come.
    let mut pair = 0;
    'all: loop {
        while let Some(block) = chunk::<32>(src, read)
            && let Some(window) = chunk_mut::<64>(dst, written)
        {
            let bytes = load32(block);
            if _mm256_movemask_epi8(bytes) != 0 {
                break;
            }
            let (first, second) = (_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes));
            let (first, second) = (_mm256_cvtepu8_epi16(first), _mm256_cvtepu8_epi16(second));
            store32(part_mut(window, 0), _mm256_shuffle_epi8(first, wide));
            store32(part_mut(window, 32), _mm256_shuffle_epi8(second, wide));
            read += 32;
            written += 64;
        }
        for _ in 0..8 {
            let Some(block) = chunk::<18>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<32>(dst, written) else { break 'all };
            let Some((which, pairs)) = sse::which(block, &mut pair, bmp_only) else { break 'all };
            let units = units(block, pairs);
            let halves = [_mm256_castsi256_si128(units), _mm256_extracti128_si256::<1>(units)];
            let mut put = 0;
            for (half, units) in halves.into_iter().enumerate() {
                let set = which >> (8 * half) & 0xFF;
                let units = _mm_shuffle_epi8(units, load16(&sse::SQUEEZE_UNITS[set as usize]));
                store16(part_mut(window, 2 * put), _mm_shuffle_epi8(units, native));
                put += set.count_ones() as usize;
            }
            read += 16;
            written += 2 * put;
        }
    }
    sse::back(src, read, written, pair)
}

/// For each of the first sixteen bytes the unit of the character that begins there; with `pairs` the second unit of
/// those of four bytes where their second byte is, else nothing that means anything for them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in crate::arch::x86_64) fn units(block: &[u8; 18], pairs: bool) -> __m256i {
    let all = |value: u16| _mm256_set1_epi16(value as i16);
    let one = _mm256_cvtepu8_epi16(load16(part(block, 0)));
    let next = _mm256_and_si256(_mm256_cvtepu8_epi16(load16(part(block, 1))), all(0x3F));
    let last = _mm256_and_si256(_mm256_cvtepu8_epi16(load16(part(block, 2))), all(0x3F));
    let two = _mm256_or_si256(next, _mm256_and_si256(_mm256_slli_epi16::<6>(one), all(0x07C0)));
    let (top, middle) = (_mm256_slli_epi16::<12>(one), _mm256_slli_epi16::<6>(next));
    let three = _mm256_or_si256(_mm256_or_si256(top, middle), last);
    let units = _mm256_blendv_epi8(one, two, _mm256_cmpgt_epi16(one, all(0x7F)));
    let mut units = _mm256_blendv_epi8(units, three, _mm256_cmpgt_epi16(one, all(0xDF)));
    if pairs {
        // The code point without its last ten bits, and its last ten.
        let code = _mm256_or_si256(_mm256_slli_epi16::<2>(next), _mm256_srli_epi16::<4>(last));
        let code = _mm256_or_si256(code, _mm256_and_si256(_mm256_slli_epi16::<8>(one), all(0x0700)));
        let high = _mm256_add_epi16(code, all(0xD800 - 0x40));
        units = _mm256_blendv_epi8(units, high, _mm256_cmpgt_epi16(one, all(0xEF)));
        let low = _mm256_or_si256(_mm256_and_si256(three, all(0x03FF)), all(0xDC00));
        let seconds = _mm256_cmpeq_epi16(_mm256_and_si256(one, all(0xC0)), all(0x80));
        units = _mm256_blendv_epi8(units, low, seconds);
    }
    units
}
