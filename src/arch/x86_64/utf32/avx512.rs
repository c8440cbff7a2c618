//! AVX-512: thirty-two units at a time through the kernel of UTF-16 if all are in the Basic Multilingual Plane, and
//! sixteen otherwise.

use super::sse::mask;
use crate::arch::array;
use crate::arch::shuffles::{SWAP_OCTETS, place};
use crate::arch::types::OctetOrder;
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::utf16::avx512::{self as utf16, Text};
use crate::arch::x86_64::utf16::sse::back;
use std::arch::x86_64::*;

/// Indices for shuffles, one row per order.
type Indices<const N: usize> = [[u8; N]; 4];

/// Indices of the two less significant octets of the units of two vectors, the least first.
const LOW_HALF: Indices<64> = array!(row < 4 => array!(at < 64 => 4 * (at as u8 / 2) + place(row, 3 - at % 2)));

/// Indices of the least significant octet of the units of two vectors, twice.
const LOW: Indices<64> = array!(row < 4 => array!(at < 64 => 4 * (at as u8 % 32) + place(row, 3)));

/// See [`arch::utf32::to_utf8`](crate::arch::utf32::to_utf8).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn to_utf8(order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let low = load_512(&LOW[order as usize]);
    let low_half = load_512(&LOW_HALF[order as usize]);
    let native = _mm512_broadcast_i32x4(load16(&SWAP_OCTETS[order as usize]));
    let not_ascii = _mm512_set1_epi32(mask(order, [0xFF, 0xFF, 0xFF, 0x80]));
    let high_half = _mm512_set1_epi32(mask(order, [0xFF, 0xFF, 0, 0]));
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<256>(src, read)
            && let Some(window) = chunk_mut::<64>(dst, written)
        {
            let (a, b) = (load_512(part(block, 0)), load_512(part(block, 64)));
            let (c, d) = (load_512(part(block, 128)), load_512(part(block, 192)));
            let any = _mm512_or_si512(_mm512_ternarylogic_epi32::<0xFE>(a, b, c), d);
            if _mm512_test_epi32_mask(any, not_ascii) != 0 {
                break;
            }
            let first = _mm512_permutex2var_epi8(a, low, b);
            let second = _mm512_permutex2var_epi8(c, low, d);
            store_512(window, _mm512_mask_mov_epi64(first, 0xF0, second));
            read += 256;
            written += 64;
        }
        for _ in 0..2 {
            let Some(block) = chunk::<128>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<128>(dst, written) else { break 'all };
            let (first, second) = (load_512(part(block, 0)), load_512(part(block, 64)));
            if _mm512_test_epi32_mask(_mm512_or_si512(first, second), high_half) == 0 {
                let units = _mm512_permutex2var_epi8(first, low_half, second);
                let (taken, put) = utf16::put::<false>(units, window);
                if taken == 0 {
                    break 'all;
                }
                read += 4 * taken;
                written += put;
            } else {
                let units = _mm512_shuffle_epi8(first, native);
                let Some(put) = put(units, part_mut(window, 0)) else { break 'all };
                read += 64;
                written += put;
            }
        }
    }
    (read, written)
}

/// Writes sixteen code points to the front of `window` as UTF-8; returns how many bytes were written. `None` if one of
/// them is not a character.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put(units: __m512i, window: &mut [u8; 64]) -> Option<usize> {
    let all = |value: u32| _mm512_set1_epi32(value as i32);
    let ranked = _mm512_sub_epi32(_mm512_xor_si512(units, all(0xD800)), all(0x800));
    if _mm512_cmpge_epu32_mask(ranked, all(0x10_F800)) != 0 {
        return None;
    }
    // The bits of each byte; those of the last byte are in the last octet of the lane.
    let shifts = _mm512_set1_epi64(i64::from_le_bytes([18, 12, 6, 0, 50, 44, 38, 32]));
    let bits = _mm512_multishift_epi64_epi8(shifts, units);
    let bytes = _mm512_ternarylogic_epi32::<0xEA>(bits, all(0x3F3F_3F07), all(0x8080_80F0));
    let three = _mm512_cmplt_epu32_mask(units, all(0x1_0000));
    let bytes = _mm512_mask_ternarylogic_epi32::<0xEA>(bytes, three, all(0xFFFF_FF00), all(0x0000_E000));
    let two = _mm512_cmplt_epu32_mask(units, all(0x800));
    let bytes = _mm512_mask_ternarylogic_epi32::<0xEA>(bytes, two, all(0xFFFF_0000), all(0x00C0_0000));
    let ascii = _mm512_cmplt_epu32_mask(units, all(0x80));
    let bytes = _mm512_mask_slli_epi32::<24>(bytes, ascii, units);
    // The last byte always counts, the others if they are not zero.
    let keep = _mm512_cmpge_epu8_mask(bytes, all(0x0001_0101));
    store_512(window, _mm512_maskz_compress_epi8(keep, bytes));
    Some(keep.count_ones() as usize)
}

/// Indices that widen sixteen bytes, by quarter of the vector; the other octets are zeroed.
const WIDEN: [[u8; 64]; 4] = array!(quarter < 4 => array!(at < 64 => 16 * quarter as u8 + at as u8 / 4));

/// Indices that widen the sixteen units of UTF-16 of half a vector, in the machine's order; the upper octets are
/// zeroed.
const WIDEN_UNITS: [Indices<64>; 2] = array!(half < 2 => array!(row < 4 => array!(at < 64 => {
    // Octet 4 is the lower byte of the unit, octet 3 the upper one.
    let upper = (place(row, at % 4) == 2) as u8;
    32 * half as u8 + 2 * (at as u8 / 4) + upper
})));

/// See [`arch::utf32::from_utf8`](crate::arch::utf32::from_utf8).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn from_utf8(order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = _mm512_broadcast_i32x4(load16(&SWAP_OCTETS[order as usize]));
    let halves = utf16::WIDEN.each_ref().map(|indices| load_512(indices));
    let widen = [load_512(&WIDEN_UNITS[0][order as usize]), load_512(&WIDEN_UNITS[1][order as usize])];
    let low = 0x1111_1111_1111_1111 << order.places()[3];
    let low_half = low | 0x1111_1111_1111_1111 << order.places()[2];
    let quarters = WIDEN.each_ref().map(|indices| load_512(indices));
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<64>(src, read)
            && let Some(window) = chunk_mut::<256>(dst, written)
        {
            let bytes = load_512(block);
            if _mm512_movepi8_mask(bytes) != 0 {
                break;
            }
            for (quarter, indices) in quarters.into_iter().enumerate() {
                let units = _mm512_maskz_permutexvar_epi8(low, indices, bytes);
                store_512(part_mut(window, 64 * quarter), units);
            }
            read += 64;
            written += 256;
        }
        for _ in 0..2 {
            let Some(block) = chunk::<67>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<256>(dst, written) else { break 'all };
            let text = Text::new(part(block, 0));
            let (places, count) = text.places(text.firsts);
            if text.longest < 4 {
                for (half, indices) in halves.into_iter().enumerate() {
                    let units = text.units(_mm512_permutexvar_epi8(indices, places));
                    for (quarter, widen) in widen.into_iter().enumerate() {
                        let units = _mm512_maskz_permutexvar_epi8(low_half, widen, units);
                        store_512(part_mut(window, 128 * half + 64 * quarter), units);
                    }
                    if count <= 32 {
                        break;
                    }
                }
            } else {
                let fourths = load_512(part(block, 3));
                for (quarter, indices) in quarters.into_iter().enumerate() {
                    let units = units(&text, fourths, _mm512_permutexvar_epi8(indices, places));
                    store_512(part_mut(window, 64 * quarter), _mm512_shuffle_epi8(units, native));
                    if count <= 16 * (quarter + 1) {
                        break;
                    }
                }
            }
            read += 64;
            written += 4 * count;
        }
    }
    back(src, read, written, 0)
}

/// Returns the code points of the characters that begin at the bytes `places`, which has each place four times;
/// `fourths` are the bytes three places after those of the text.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn units(text: &Text, fourths: __m512i, places: __m512i) -> __m512i {
    let all = |value: u32| _mm512_set1_epi32(value as i32);
    let low = 0x1111_1111_1111_1111;
    let one = _mm512_maskz_permutexvar_epi8(low, places, text.bytes[0]);
    let second = _mm512_and_si512(_mm512_maskz_permutexvar_epi8(low, places, text.bytes[1]), all(0x3F));
    let third = _mm512_and_si512(_mm512_maskz_permutexvar_epi8(low, places, text.bytes[2]), all(0x3F));
    let fourth = _mm512_and_si512(_mm512_maskz_permutexvar_epi8(low, places, fourths), all(0x3F));
    let two = _mm512_ternarylogic_epi32::<0xF8>(second, _mm512_slli_epi32::<6>(one), all(0x07C0));
    let three = _mm512_ternarylogic_epi32::<0xFE>(
        _mm512_and_si512(_mm512_slli_epi32::<12>(one), all(0xF000)),
        _mm512_slli_epi32::<6>(second),
        third,
    );
    let four = _mm512_ternarylogic_epi32::<0xFE>(
        _mm512_and_si512(_mm512_slli_epi32::<18>(one), all(0x1C_0000)),
        _mm512_slli_epi32::<12>(second),
        _mm512_ternarylogic_epi32::<0xF8>(fourth, _mm512_slli_epi32::<6>(third), all(0x0FC0)),
    );
    let units = _mm512_mask_mov_epi32(one, _mm512_cmpge_epu32_mask(one, all(0x80)), two);
    let units = _mm512_mask_mov_epi32(units, _mm512_cmpge_epu32_mask(one, all(0xE0)), three);
    _mm512_mask_mov_epi32(units, _mm512_cmpge_epu32_mask(one, all(0xF0)), four)
}
