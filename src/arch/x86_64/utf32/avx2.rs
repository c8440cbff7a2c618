//! AVX2: sixteen units at a time, in the same way as SSE4.1 and with its tables.

use super::sse;
use crate::arch::shuffles::*;
use crate::arch::types::OctetOrder;
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::utf16;
use std::arch::x86_64::*;

/// See [`arch::utf32::to_utf8`](crate::arch::utf32::to_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn to_utf8(order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    // How many bits are below the octet that ASCII has.
    let below = _mm_cvtsi32_si128(8 * i32::from(order.places()[3]));
    let not_ascii = _mm256_set1_epi32(sse::mask(order, [0xFF, 0xFF, 0xFF, 0x80]));
    let low_half = _mm256_broadcastsi128_si256(load16(&LOW_HALVES[order as usize]));
    let high_half = _mm256_set1_epi32(sse::mask(order, [0xFF, 0xFF, 0, 0]));
    // Brings the quarters, which are together in each half, into order.
    let in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<128>(src, read)
            && let Some(window) = chunk_mut::<32>(dst, written)
        {
            let units = [0, 32, 64, 96].map(|at| load32(part(block, at)));
            let either = [_mm256_or_si256(units[0], units[1]), _mm256_or_si256(units[2], units[3])];
            if _mm256_testz_si256(_mm256_or_si256(either[0], either[1]), not_ascii) == 0 {
                break;
            }
            // Not by shuffles from a table, which the compiler would merge into something far slower.
            let codes = units.map(|units| _mm256_srl_epi32(units, below));
            let halves = [_mm256_packus_epi32(codes[0], codes[1]), _mm256_packus_epi32(codes[2], codes[3])];
            store32(window, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(halves[0], halves[1]), in_turn));
            read += 128;
            written += 32;
        }
        for _ in 0..4 {
            let Some(block) = chunk::<64>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<64>(dst, written) else { break 'all };
            let (first, second) = (load32(part(block, 0)), load32(part(block, 32)));
            if _mm256_testz_si256(_mm256_or_si256(first, second), high_half) == 0 {
                break 'all;
            }
            let (first, second) = (_mm256_shuffle_epi8(first, low_half), _mm256_shuffle_epi8(second, low_half));
            let units = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_unpacklo_epi64(first, second));
            let (taken, put) = utf16::avx2::put::<false>(units, window);
            if taken == 0 {
                break 'all;
            }
            read += 4 * taken;
            written += put;
        }
    }
    (read, written)
}

/// See [`arch::utf32::from_utf8`](crate::arch::utf32::from_utf8).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn from_utf8(order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = _mm256_broadcastsi128_si256(load16(&SWAP_OCTETS[order as usize]));
    let widen = WIDEN_OCTETS[order as usize].each_ref().map(|indices| load16(indices));
    let widen = [_mm256_set_m128i(widen[1], widen[0]), _mm256_set_m128i(widen[3], widen[2])];
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<32>(src, read)
            && let Some(window) = chunk_mut::<128>(dst, written)
        {
            if _mm256_movemask_epi8(load32(block)) != 0 {
                break;
            }
            for half in [0, 1] {
                let bytes = _mm256_broadcastsi128_si256(load16(part(block, 16 * half)));
                store32(part_mut(window, 64 * half), _mm256_shuffle_epi8(bytes, widen[0]));
                store32(part_mut(window, 64 * half + 32), _mm256_shuffle_epi8(bytes, widen[1]));
            }
            read += 32;
            written += 128;
        }
        for _ in 0..8 {
            let Some(block) = chunk::<19>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<64>(dst, written) else { break 'all };
            let (which, has_fours) = sse::which(block);
            if has_fours {
                read += 16;
                written += sse::put_fours(block, which, _mm256_castsi256_si128(native), window);
                continue;
            }
            let units = utf16::avx2::units(part(block, 0), false);
            let halves = [_mm256_castsi256_si128(units), _mm256_extracti128_si256::<1>(units)];
            let mut put = 0;
            for (half, units) in halves.into_iter().enumerate() {
                let set = which >> (8 * half) & 0xFF;
                let units = _mm_shuffle_epi8(units, load16(&SQUEEZE_UNITS[set as usize]));
                store32(part_mut(window, 4 * put), _mm256_shuffle_epi8(_mm256_cvtepu16_epi32(units), native));
                put += set.count_ones() as usize;
            }
            read += 16;
            written += 4 * put;
        }
    }
    utf16::sse::back(src, read, written, 0)
}
