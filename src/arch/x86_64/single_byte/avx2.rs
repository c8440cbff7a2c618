//! AVX2: 64 bytes at a time.

use super::rows::look_ups_by_rows;
use crate::arch::compact::{DecodeCodes, Nibbles};
use crate::arch::scalar;
use crate::arch::shuffles::*;
use crate::arch::single_byte_blocks::single_bytes_by_blocks;
use crate::arch::types::{FromUtf8, ToUtf8, Translation};
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::vectors::avx2::*;
use std::arch::x86_64::*;

/// Shuffles each half.
#[inline]
#[target_feature(enable = "avx2")]
fn shuffle_halves(vector: Vector, low: &[u8; 16], high: &[u8; 16]) -> [__m128i; 2] {
    let made = _mm256_shuffle_epi8(vector, _mm256_set_m128i(load16(high), load16(low)));
    [_mm256_castsi256_si128(made), _mm256_extracti128_si256::<1>(made)]
}

/// Returns how many of the bytes before `at` are in `set`.
#[inline]
#[target_feature(enable = "popcnt,bmi2")]
fn before(set: u32, at: usize) -> usize {
    (u64::from(set) & ((1 << at) - 1)).count_ones() as usize
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn put_two(firsts: Vector, seconds: Vector, wide: u32, room: &mut [u8; 2 * LEN]) -> usize {
    let of = |at: usize| &SQUEEZE_TWO[(wide >> at) as usize & 0xFF];
    let [first, third] = shuffle_halves(_mm256_unpacklo_epi8(firsts, seconds), of(0), of(16));
    let [second, fourth] = shuffle_halves(_mm256_unpackhi_epi8(firsts, seconds), of(8), of(24));
    // In this order, as each store overwrites what does not count of the one before.
    for (at, bytes) in [(0, first), (8, second), (16, third), (24, fourth)] {
        store16(part_mut(room, at + before(wide, at)), bytes);
    }
    LEN + before(wide, LEN)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn put_three(bytes: [Vector; 3], wide: u32, long: u32, room: &mut [u8; 3 * LEN + 4]) -> usize {
    let [firsts, seconds, thirds] = bytes;
    // The first byte of a lane does not count.
    let low = [_mm256_unpacklo_epi8(firsts, firsts), _mm256_unpacklo_epi8(seconds, thirds)];
    let high = [_mm256_unpackhi_epi8(firsts, firsts), _mm256_unpackhi_epi8(seconds, thirds)];
    let lanes = [
        _mm256_unpacklo_epi16(low[0], low[1]),
        _mm256_unpackhi_epi16(low[0], low[1]),
        _mm256_unpacklo_epi16(high[0], high[1]),
        _mm256_unpackhi_epi16(high[0], high[1]),
    ];
    let set = |at: usize| (wide >> at & 0xF | (long >> at & 0xF) << 4) as usize;
    let mut upper = [_mm_setzero_si128(); 4];
    let mut end = 0;
    for quarter in 0..4 {
        let sets = [set(4 * quarter), set(4 * quarter + 16)];
        let bytes = shuffle_halves(lanes[quarter], &SQUEEZE_THREE[sets[0]], &SQUEEZE_THREE[sets[1]]);
        store16(part_mut(room, end), bytes[0]);
        end += 4 + sets[0].count_ones() as usize;
        upper[quarter] = bytes[1];
    }
    for (quarter, bytes) in upper.into_iter().enumerate() {
        store16(part_mut(room, end), bytes);
        end += 4 + set(4 * quarter + 16).count_ones() as usize;
    }
    end
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn squeeze(vector: Vector, kept: u32, room: &mut [u8; LEN]) -> usize {
    let of = |at: usize| u64::from_le_bytes(SQUEEZE_BYTES[(kept >> at) as usize & 0xFF]) as i64;
    // The indices of the upper eight bytes of each half.
    const UPPER: i64 = 0x0808_0808_0808_0808;
    let indices = _mm256_set_epi64x(of(24) | UPPER, of(16), of(8) | UPPER, of(0));
    let made = _mm256_shuffle_epi8(vector, indices);
    let halves = [_mm256_castsi256_si128(made), _mm256_extracti128_si256::<1>(made)];
    for (half, bytes) in halves.into_iter().enumerate() {
        let at = 16 * half;
        *part_mut(room, before(kept, at)) = _mm_cvtsi128_si64(bytes).to_le_bytes();
        *part_mut(room, before(kept, at + 8)) = _mm_extract_epi64::<1>(bytes).to_le_bytes();
    }
    before(kept, LEN)
}

look_ups_by_rows!("avx2");
single_bytes_by_blocks!("avx2,bmi1,bmi2,popcnt");
