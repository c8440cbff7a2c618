//! AVX2: 64 bytes at a time.

use super::rows::look_ups_by_rows;
use crate::arch::compact::{DecodeCodes, Nibbles};
use crate::arch::scalar;
use crate::arch::shuffles::*;
use crate::arch::single_byte_blocks::single_bytes_by_blocks;
use crate::arch::types::{FromUtf8, ToUtf8, Translation};
use crate::arch::x86_64::memory::*;
use std::arch::x86_64::*;

type Vector = __m256i;
const LEN: usize = 32;

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8], at: usize) -> Vector {
    load32(part(bytes, at))
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8], at: usize, vector: Vector) {
    store32(part_mut(bytes, at), vector);
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(byte: u8) -> Vector {
    _mm256_set1_epi8(byte as i8)
}

#[inline]
#[target_feature(enable = "avx2")]
fn and(a: Vector, b: Vector) -> Vector {
    _mm256_and_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn or(a: Vector, b: Vector) -> Vector {
    _mm256_or_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: Vector, b: Vector) -> Vector {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn but(a: Vector, b: Vector) -> Vector {
    _mm256_andnot_si256(b, a)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm256_add_epi8(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_up_to_ff(a: Vector, b: Vector) -> Vector {
    _mm256_adds_epu8(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn up<const N: i32>(vector: Vector) -> Vector {
    _mm256_slli_epi16::<N>(vector)
}

#[inline]
#[target_feature(enable = "avx2")]
fn high_nibbles(vector: Vector) -> Vector {
    and(_mm256_srli_epi16::<4>(vector), splat(0xF))
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(a: Vector, b: Vector) -> Vector {
    _mm256_cmpeq_epi8(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn select(which: Vector, no: Vector, yes: Vector) -> Vector {
    _mm256_blendv_epi8(no, yes, which)
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask(vector: Vector) -> u32 {
    _mm256_movemask_epi8(vector) as u32
}

#[inline]
#[target_feature(enable = "avx2")]
fn any(vector: Vector) -> bool {
    mask(vector) != 0
}

#[inline]
#[target_feature(enable = "avx2")]
fn row(table: &[u8], at: usize) -> Vector {
    _mm256_broadcastsi128_si256(load16(part(table, 16 * at)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn shuffle(row: Vector, indices: Vector) -> Vector {
    _mm256_shuffle_epi8(row, indices)
}

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
