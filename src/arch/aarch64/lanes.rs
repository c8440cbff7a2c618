//! Lanes of characters and codes of different lengths: eight at a time.

use super::vector::*;
use crate::arch::lanes_blocks::lanes_by_blocks;
use crate::arch::scalar;
use crate::arch::shuffles::*;
use crate::arch::types::{Escapes, FOLLOWS, LEN, Leads, MAY_GO_ON, Shifts, Split, Switches};
use std::arch::aarch64::*;

type Vector = uint32x4_t;

#[inline]
#[target_feature(enable = "neon")]
fn load(lanes: &[u32], at: usize) -> Vector {
    load_four_lanes(lanes[at..].first_chunk().expect("within the block"))
}

#[inline]
#[target_feature(enable = "neon")]
fn and(a: Vector, b: Vector) -> Vector {
    vandq_u32(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn or(a: Vector, b: Vector) -> Vector {
    vorrq_u32(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(lane: u32) -> Vector {
    vdupq_n_u32(lane)
}

#[inline]
#[target_feature(enable = "neon")]
fn lens(vector: Vector) -> Option<u32> {
    // As a number without a sign, a lane of none or of more than three bytes becomes larger than the limit.
    let others = vsubq_u32(vector, splat(1 << LEN));
    let is_good = vmaxvq_u32(others) < 3 << LEN;
    let wide = vcgeq_u32(vector, splat(2 << LEN));
    let long = vcgeq_u32(vector, splat(3 << LEN));
    let bits = load_four_lanes(&[1, 2, 4, 8]);
    let sets = vorrq_u32(and(wide, bits), and(long, vshlq_n_u32::<4>(bits)));
    is_good.then_some(vaddvq_u32(sets))
}

#[inline]
#[target_feature(enable = "neon")]
fn either(vector: Vector, single: Vector, double: Vector) -> Vector {
    vbslq_u32(vcgeq_u32(vector, splat(2 << LEN)), double, single)
}

#[inline]
#[target_feature(enable = "neon")]
fn is_open(vector: Vector, next: Vector) -> bool {
    const { assert!(MAY_GO_ON == FOLLOWS << 1) };
    vmaxvq_u32(and(and(vshrq_n_u32::<1>(vector), next), splat(FOLLOWS))) != 0
}

#[inline]
#[target_feature(enable = "neon")]
fn put(vector: Vector, table: &[u8; 16], room: &mut [u8], at: usize) {
    store16(part_mut(room, at), shuffle(vreinterpretq_u8_u32(vector), table));
}

#[inline]
#[target_feature(enable = "neon")]
fn turn(vector: Vector) -> Vector {
    vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(vector)))
}

#[inline]
#[target_feature(enable = "neon")]
fn places_of(byte: u8, block: &[u8; 64]) -> u64 {
    let code = vdupq_n_u8(byte);
    let (parts, _) = block.as_chunks::<16>();
    let mut places = 0;
    for (at, part) in parts.iter().enumerate() {
        let which = u16::from_le_bytes(sets(vceqq_u8(load16(part), code)));
        places |= u64::from(which) << (16 * at);
    }
    places
}

#[inline]
#[target_feature(enable = "neon")]
fn places_of_leads(leads: &Leads, block: &[u8; 64]) -> u64 {
    let mut places = 0;
    for (at, part) in block.as_chunks::<16>().0.iter().enumerate() {
        let bytes = load16(part);
        let low = vqtbl1q_u8(load16(&leads.low), vandq_u8(bytes, vdupq_n_u8(0xF)));
        let high = vqtbl1q_u8(load16(&leads.high), vshrq_n_u8::<4>(bytes));
        places |= u64::from(u16::from_le_bytes(sets(vtstq_u8(low, high)))) << (16 * at);
    }
    places
}

#[inline]
#[target_feature(enable = "neon")]
fn units_of(bytes: &[u8; 16], nexts: &[u8; 16], doubles: u16, out: u8) -> [uint8x16_t; 2] {
    let (bytes, nexts) = (load16(bytes), load16(nexts));
    let [lower, upper] = doubles.to_le_bytes();
    let set = vcombine_u8(vdup_n_u8(lower), vdup_n_u8(upper));
    let is_double = vtstq_u8(set, load16(&BITS));
    let leads = vorrq_u8(bytes, vandq_u8(vceqzq_u8(bytes), vdupq_n_u8(out)));
    let (high, low) = (vandq_u8(leads, is_double), vbslq_u8(is_double, nexts, bytes));
    [vzip1q_u8(low, high), vzip2q_u8(low, high)]
}

#[inline]
#[target_feature(enable = "neon")]
fn put_units(units: uint8x16_t, table: &[u8; 16], room: &mut [u16; 64], at: usize) {
    let room = room[at..].first_chunk_mut().expect("within the block");
    store_eight_units(room, vreinterpretq_u16_u8(shuffle(units, table)));
}

lanes_by_blocks!("neon");
