//! NEON: 32 bytes at a time, with tables in registers.

use super::vector::*;
use crate::arch::compact::DecodeCodes;
use crate::arch::scalar;
use crate::arch::shuffles::*;
use crate::arch::single_byte_blocks::single_bytes_by_blocks;
use crate::arch::types::{FromUtf8, ToUtf8, Translation};
use std::arch::aarch64::*;

/// Looks bytes up in four registers of a table; 0 for those that are above.
#[inline]
#[target_feature(enable = "neon")]
fn lookup64(table: &[u8], quarter: usize, bytes: Vector) -> Vector {
    let rows = [0, 16, 32, 48].map(|at| load16(part(table, 64 * quarter + at)));
    let [a, b, c, d] = rows;
    vqtbl4q_u8(uint8x16x4_t(a, b, c, d), veorq_u8(bytes, splat(64 * quarter as u8)))
}

#[inline]
#[target_feature(enable = "neon")]
fn lookup256(table: &[u8; 256], bytes: [Vector; 2]) -> [Vector; 2] {
    bytes.map(|bytes| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|quarter| lookup64(table, quarter, bytes));
        or(or(a, b), or(c, d))
    })
}

#[inline]
#[target_feature(enable = "neon")]
fn lookup128(table: &[u8; 128], bytes: [Vector; 2]) -> [Vector; 2] {
    bytes.map(|bytes| or(lookup64(table, 0, bytes), lookup64(table, 1, bytes)))
}

#[inline]
#[target_feature(enable = "neon")]
fn ascii(codes: &DecodeCodes, bytes: [Vector; 2]) -> ([Vector; 2], bool) {
    let made = lookup256(&codes.codes, bytes);
    (made, !any(or(made[0], made[1])))
}

#[inline]
#[target_feature(enable = "neon")]
fn put_two(firsts: Vector, seconds: Vector, wide: u32, room: &mut [u8; 2 * LEN]) -> usize {
    let mut at = 0;
    for (half, pairs) in [vzip1q_u8(firsts, seconds), vzip2q_u8(firsts, seconds)].into_iter().enumerate() {
        let set = wide >> (8 * half) & 0xFF;
        store16(part_mut(room, at), shuffle(pairs, &SQUEEZE_TWO[set as usize]));
        at += 8 + ones(set);
    }
    at
}

#[inline]
#[target_feature(enable = "neon")]
fn put_three(bytes: [Vector; 3], wide: u32, long: u32, room: &mut [u8; 3 * LEN + 4]) -> usize {
    let [firsts, seconds, thirds] = bytes;
    // The first byte of a lane does not count.
    let halves = [
        [vzip1q_u8(firsts, firsts), vzip1q_u8(seconds, thirds)],
        [vzip2q_u8(firsts, firsts), vzip2q_u8(seconds, thirds)],
    ];
    let mut at = 0;
    for (half, bytes) in halves.into_iter().enumerate() {
        let [fronts, backs] = bytes.map(|bytes| vreinterpretq_u16_u8(bytes));
        for (quarter, lanes) in [vzip1q_u16(fronts, backs), vzip2q_u16(fronts, backs)].into_iter().enumerate() {
            let from = 8 * half + 4 * quarter;
            let set = wide >> from & 0xF | (long >> from & 0xF) << 4;
            store16(part_mut(room, at), shuffle(vreinterpretq_u8_u16(lanes), &SQUEEZE_THREE[set as usize]));
            at += 4 + ones(set);
        }
    }
    at
}

#[inline]
#[target_feature(enable = "neon")]
fn squeeze(vector: Vector, kept: u32, room: &mut [u8; LEN]) -> usize {
    let mut at = 0;
    for (half, bytes) in [vget_low_u8(vector), vget_high_u8(vector)].into_iter().enumerate() {
        let set = kept >> (8 * half) & 0xFF;
        let indices = vcreate_u8(u64::from_le_bytes(SQUEEZE_BYTES[set as usize]));
        *part_mut(room, at) = vget_lane_u64::<0>(vreinterpret_u64_u8(vtbl1_u8(bytes, indices))).to_le_bytes();
        at += ones(set);
    }
    at
}

single_bytes_by_blocks!("neon");
