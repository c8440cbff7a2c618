//! UTF-8, validated and copied, with NEON.

use super::vector::*;
use crate::arch::utf8_blocks::copy_by_blocks;
use std::arch::aarch64::*;

type Vector = uint8x16_t;
const LEN: usize = 16;

#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8], at: usize) -> Vector {
    load16(part(bytes, at))
}

#[inline]
#[target_feature(enable = "neon")]
fn store(bytes: &mut [u8], at: usize, vector: Vector) {
    store16(part_mut(bytes, at), vector);
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(byte: u8) -> Vector {
    vdupq_n_u8(byte)
}

#[inline]
#[target_feature(enable = "neon")]
fn and(a: Vector, b: Vector) -> Vector {
    vandq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn or(a: Vector, b: Vector) -> Vector {
    vorrq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn xor(a: Vector, b: Vector) -> Vector {
    veorq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn minus(a: Vector, b: Vector) -> Vector {
    vqsubq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn high_nibbles(vector: Vector) -> Vector {
    vshrq_n_u8::<4>(vector)
}

#[inline]
#[target_feature(enable = "neon")]
fn lookup(vector: Vector, table: &[u8; 16]) -> Vector {
    vqtbl1q_u8(load16(table), vector)
}

#[inline]
#[target_feature(enable = "neon")]
fn is_zero(vector: Vector) -> bool {
    vmaxvq_u8(vector) == 0
}

#[inline]
#[target_feature(enable = "neon")]
fn is_ascii(vector: Vector) -> bool {
    vmaxvq_u8(vector) < 0x80
}

copy_by_blocks!("neon");
