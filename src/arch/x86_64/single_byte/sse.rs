//! SSE4.1: 32 bytes at a time.

use super::rows::look_ups_by_rows;
use crate::arch::compact::{DecodeCodes, Nibbles};
use crate::arch::scalar;
use crate::arch::shuffles::*;
use crate::arch::single_byte_blocks::single_bytes_by_blocks;
use crate::arch::types::{FromUtf8, ToUtf8, Translation};
use crate::arch::x86_64::memory::*;
use crate::arch::x86_64::vectors::sse::*;
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn put_two(firsts: Vector, seconds: Vector, wide: u32, room: &mut [u8; 2 * LEN]) -> usize {
    let pairs = [_mm_unpacklo_epi8(firsts, seconds), _mm_unpackhi_epi8(firsts, seconds)];
    let mut at = 0;
    for (half, pairs) in pairs.into_iter().enumerate() {
        let set = wide >> (8 * half) & 0xFF;
        store16(part_mut(room, at), shuffle(pairs, load16(&SQUEEZE_TWO[set as usize])));
        at += 8 + ones(set);
    }
    at
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn put_three(bytes: [Vector; 3], wide: u32, long: u32, room: &mut [u8; 3 * LEN + 4]) -> usize {
    let [firsts, seconds, thirds] = bytes;
    // The first byte of a lane does not count.
    let low = [_mm_unpacklo_epi8(firsts, firsts), _mm_unpacklo_epi8(seconds, thirds)];
    let high = [_mm_unpackhi_epi8(firsts, firsts), _mm_unpackhi_epi8(seconds, thirds)];
    let lanes = [
        _mm_unpacklo_epi16(low[0], low[1]),
        _mm_unpackhi_epi16(low[0], low[1]),
        _mm_unpacklo_epi16(high[0], high[1]),
        _mm_unpackhi_epi16(high[0], high[1]),
    ];
    let mut at = 0;
    for (quarter, lanes) in lanes.into_iter().enumerate() {
        let set = wide >> (4 * quarter) & 0xF | (long >> (4 * quarter) & 0xF) << 4;
        store16(part_mut(room, at), shuffle(lanes, load16(&SQUEEZE_THREE[set as usize])));
        at += 4 + ones(set);
    }
    at
}

#[inline]
#[target_feature(enable = "sse4.1,ssse3")]
fn squeeze(vector: Vector, kept: u32, room: &mut [u8; LEN]) -> usize {
    let of = |set: u32| u64::from_le_bytes(SQUEEZE_BYTES[set as usize & 0xFF]) as i64;
    // The indices of the upper eight bytes.
    const UPPER: i64 = 0x0808_0808_0808_0808;
    let made = shuffle(vector, _mm_set_epi64x(of(kept >> 8) | UPPER, of(kept)));
    let at = ones(kept);
    *part_mut(room, 0) = _mm_cvtsi128_si64(made).to_le_bytes();
    *part_mut(room, at) = _mm_extract_epi64::<1>(made).to_le_bytes();
    at + ones(kept >> 8)
}

look_ups_by_rows!("sse4.1,ssse3");
single_bytes_by_blocks!("sse4.1,ssse3");
