//! AVX2: sixteen units at a time, in the same way as SSE4.1 and with its tables.

use super::sse;
use crate::arch::shuffles::*;
use crate::arch::types::ByteOrder;
use crate::arch::x86_64::memory::*;
use std::arch::x86_64::*;

/// See [`arch::utf16::to_utf8`](crate::arch::utf16::to_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn to_utf8(order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let native = _mm256_broadcastsi128_si256(load16(&SWAP_UNITS[order as usize]));
    let not_ascii = _mm256_set1_epi16(sse::not_ascii(order));
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<64>(src, read)
            && let Some(window) = chunk_mut::<32>(dst, written)
        {
            let (first, second) = (load32(part(block, 0)), load32(part(block, 32)));
            if _mm256_testz_si256(_mm256_or_si256(first, second), not_ascii) == 0 {
                break;
            }
            let (first, second) = (_mm256_shuffle_epi8(first, native), _mm256_shuffle_epi8(second, native));
            let bytes = _mm256_packus_epi16(first, second);
            store32(window, _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
            read += 64;
            written += 32;
        }
        for _ in 0..4 {
            let Some(block) = chunk::<32>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<64>(dst, written) else { break 'all };
            let (taken, put) = put::<true>(_mm256_shuffle_epi8(load32(block), native), window);
            if taken == 0 {
                break 'all;
            }
            read += 2 * taken;
            written += put;
        }
    }
    (read, written)
}

/// Writes sixteen units to the front of `window` as UTF-8, as [`sse::put`] does with eight.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in crate::arch::x86_64) fn put<const PAIRS: bool>(units: __m256i, window: &mut [u8; 64]) -> (usize, usize) {
    let all = |value: u16| _mm256_set1_epi16(value as i16);
    let halves = |vector: __m256i| [_mm256_castsi256_si128(vector), _mm256_extracti128_si256::<1>(vector)];
    let zero = _mm256_setzero_si256();
    let (up, down) = (_mm256_slli_epi16::<8>(units), _mm256_srli_epi16::<6>(units));
    let bits = _mm256_or_si256(_mm256_and_si256(up, all(0x3F00)), _mm256_and_si256(down, all(0x003F)));
    let ascii = _mm256_cmpeq_epi16(_mm256_and_si256(units, all(0xFF80)), zero);
    let mut short = _mm256_cmpeq_epi16(_mm256_and_si256(units, all(0xF800)), zero);
    // For each half, the units that are not ASCII, and those that are long.
    let mut sets = !_mm256_movemask_epi8(_mm256_packs_epi16(ascii, short)) as u32;
    if sets & 0xFF00_FF00 == 0 {
        let bytes = _mm256_blendv_epi8(_mm256_or_si256(bits, all(0x80C0)), units, ascii);
        let mut put = 0;
        for (set, bytes) in [sets & 0xFF, sets >> 16].into_iter().zip(halves(bytes)) {
            let bytes = _mm_shuffle_epi8(bytes, load16(&SQUEEZE_TWO[set as usize & 0xFF]));
            store16(part_mut(window, put), bytes);
            put += 8 + set.count_ones() as usize;
        }
        return (16, put);
    }
    let mut rest = _mm256_or_si256(bits, all(0x8080));
    rest = _mm256_or_si256(rest, _mm256_and_si256(short, all(0x0040)));
    rest = _mm256_blendv_epi8(rest, up, ascii);
    let (mut taken, mut cut) = (16, 0);
    let surrogates = _mm256_cmpeq_epi16(_mm256_and_si256(units, all(0xF800)), all(0xD800));
    if _mm256_movemask_epi8(surrogates) != 0 {
        if !PAIRS {
            return (0, 0);
        }
        let low = _mm256_cmpeq_epi16(_mm256_and_si256(units, all(0xFC00)), all(0xDC00));
        let high = _mm256_andnot_si256(low, surrogates);
        let highs = _mm256_movemask_epi8(high) as u32;
        if highs << 2 != _mm256_movemask_epi8(low) as u32 {
            return (0, 0);
        }
        let code = _mm256_sub_epi16(units, all(0xD800 - 0x40));
        let first = _mm256_and_si256(_mm256_slli_epi16::<6>(code), all(0x3F00));
        let first = _mm256_or_si256(first, _mm256_srli_epi16::<8>(code));
        rest = _mm256_blendv_epi8(rest, _mm256_or_si256(first, all(0x80F0)), high);
        // The unit before each one: the lower half moves up to be shifted into the upper half.
        let before = _mm256_alignr_epi8::<14>(units, _mm256_permute2x128_si256::<0x08>(units, units));
        let before = _mm256_and_si256(_mm256_slli_epi16::<4>(before), all(0x0030));
        let second = _mm256_or_si256(_mm256_andnot_si256(all(0x0030), rest), before);
        rest = _mm256_blendv_epi8(rest, second, low);
        short = _mm256_or_si256(short, surrogates);
        sets = !_mm256_movemask_epi8(_mm256_packs_epi16(ascii, short)) as u32;
        if highs >> 31 != 0 {
            (taken, cut) = (15, 2);
        }
    }
    let top = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16::<4>(units), all(0x0F00)), all(0xE000));
    let [first, third] = halves(_mm256_unpacklo_epi16(top, rest));
    let [second, fourth] = halves(_mm256_unpackhi_epi16(top, rest));
    let mut put = 0;
    for (quarter, lanes) in [first, second, third, fourth].into_iter().enumerate() {
        let sets = sets >> [0, 4, 16, 20][quarter];
        let set = sets & 0xF | sets >> 4 & 0xF0;
        store16(part_mut(window, put), _mm_shuffle_epi8(lanes, load16(&SQUEEZE_THREE[set as usize])));
        put += 4 + set.count_ones() as usize;
    }
    (taken, put - cut)
}

/// See [`arch::utf16::from_utf8`](crate::arch::utf16::from_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn from_utf8(order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = load16(&SWAP_UNITS[order as usize]);
    let [first, second] = WIDEN_UNITS[order as usize].each_ref().map(|indices| load16(indices));
    let widen = _mm256_set_m128i(second, first);
    let (mut read, mut written) = (0, 0);
    // Whether the last byte that was read begins a character of four bytes, whose second unit is still missing.
    let mut pair = 0;
    'all: loop {
        while let Some(block) = chunk::<32>(src, read)
            && let Some(window) = chunk_mut::<64>(dst, written)
        {
            if _mm256_movemask_epi8(load32(block)) != 0 {
                break;
            }
            for half in [0, 1] {
                let bytes = _mm256_broadcastsi128_si256(load16(part(block, 16 * half)));
                store32(part_mut(window, 32 * half), _mm256_shuffle_epi8(bytes, widen));
            }
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
                let units = _mm_shuffle_epi8(units, load16(&SQUEEZE_UNITS[set as usize]));
                store16(part_mut(window, 2 * put), _mm_shuffle_epi8(units, native));
                put += set.count_ones() as usize;
            }
            read += 16;
            written += 2 * put;
        }
    }
    sse::back(src, read, written, pair)
}

/// Returns for each of the first sixteen bytes the unit of the character that begins there. With `pairs`, a character of
/// four bytes has its second unit at its second byte; without, its units are meaningless.
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
        // The high surrogate has the code point without its last ten bits, the low one the last ten.
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
