//! SSE4.1: eight lanes at a time.

use crate::arch::lanes_blocks::lanes_by_blocks;
use crate::arch::scalar;
use crate::arch::shuffles::*;
use crate::arch::types::{Escapes, FOLLOWS, LEN, Leads, MAY_GO_ON, Shifts, Split, Switches};
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::vectors::sse::{Vector, and, or};
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn load(lanes: &[u32], at: usize) -> Vector {
    load_four_lanes(lanes[at..].first_chunk().expect("within the block"))
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn splat(lane: u32) -> Vector {
    _mm_set1_epi32(lane as i32)
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn lens(vector: Vector) -> Option<u32> {
    // As a number without a sign, a lane of none or of more than three bytes becomes larger than the limit.
    let others = _mm_sub_epi32(vector, splat(1 << LEN));
    let limit = splat((3 << LEN) - 1);
    let bad = _mm_xor_si128(_mm_min_epu32(others, limit), others);
    // Lengths of two and three have bit 1 set; those that have bit 0 set, too, are three.
    let bit_1 = _mm_slli_epi32::<{ 31 - LEN as i32 - 1 }>(vector);
    let both = and(bit_1, _mm_slli_epi32::<{ 31 - LEN as i32 }>(vector));
    let wide = _mm_movemask_ps(_mm_castsi128_ps(bit_1)) as u32;
    let long = _mm_movemask_ps(_mm_castsi128_ps(both)) as u32;
    (_mm_test_all_zeros(bad, bad) == 1).then_some(wide | long << 4)
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn either(vector: Vector, single: Vector, double: Vector) -> Vector {
    let is_wide = _mm_cmpgt_epi32(vector, splat((2 << LEN) - 1));
    _mm_blendv_epi8(single, double, is_wide)
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn is_open(vector: Vector, next: Vector) -> bool {
    const { assert!(MAY_GO_ON == FOLLOWS << 1) };
    let open = and(_mm_srli_epi32::<1>(vector), next);
    _mm_test_all_zeros(open, splat(FOLLOWS)) == 0
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn put(vector: Vector, table: &[u8; 16], room: &mut [u8], at: usize) {
    store16(part_mut(room, at), _mm_shuffle_epi8(vector, load16(table)));
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn turn(vector: Vector) -> Vector {
    _mm_shuffle_epi8(vector, _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3))
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn places_of(byte: u8, block: &[u8; 64]) -> u64 {
    let code = _mm_set1_epi8(byte as i8);
    let (parts, _) = block.as_chunks::<16>();
    let mut places = 0;
    for (at, part) in parts.iter().enumerate() {
        let which = _mm_movemask_epi8(_mm_cmpeq_epi8(load16(part), code)) as u16;
        places |= u64::from(which) << (16 * at);
    }
    places
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn places_of_leads(leads: &Leads, block: &[u8; 64]) -> u64 {
    let [low, high] = [load16(&leads.low), load16(&leads.high)];
    let nibbles = _mm_set1_epi8(0xF);
    let mut places = 0;
    for (at, part) in block.as_chunks::<16>().0.iter().enumerate() {
        let bytes = load16(part);
        let low = _mm_shuffle_epi8(low, and(bytes, nibbles));
        let high = _mm_shuffle_epi8(high, and(_mm_srli_epi16::<4>(bytes), nibbles));
        let others = _mm_cmpeq_epi8(and(low, high), _mm_setzero_si128());
        places |= u64::from(!_mm_movemask_epi8(others) as u16) << (16 * at);
    }
    places
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn units_of(bytes: &[u8; 16], nexts: &[u8; 16], doubles: u16, out: u8) -> [__m128i; 2] {
    let (bytes, nexts) = (load16(bytes), load16(nexts));
    // Copies the lower or the upper half of the set to each byte, where the bit of the byte is tested.
    let set = _mm_shuffle_epi8(_mm_cvtsi32_si128(doubles.into()), _mm_set_epi64x(0x0101_0101_0101_0101, 0));
    let bits = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let is_double = _mm_cmpeq_epi8(and(set, bits), bits);
    let is_zero = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());
    let leads = or(bytes, and(is_zero, _mm_set1_epi8(out as i8)));
    let (high, low) = (and(leads, is_double), _mm_blendv_epi8(bytes, nexts, is_double));
    [_mm_unpacklo_epi8(low, high), _mm_unpackhi_epi8(low, high)]
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn put_units(units: __m128i, table: &[u8; 16], room: &mut [u16; 64], at: usize) {
    let room = room[at..].first_chunk_mut().expect("within the block");
    store_eight_units(room, _mm_shuffle_epi8(units, load16(table)));
}

lanes_by_blocks!("sse4.1,ssse3");
