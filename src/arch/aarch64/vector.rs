//! What the kernels share: the [operators](crate::arch::operators) for vectors of 16 bytes, and the conversion of eight characters at a time between units of UTF-16 and
//! UTF-8.
//!
//! Loads and stores go through references to arrays of their length, so the kernels index slices and use no pointers.
#![allow(unsafe_code)] // The intrinsics take pointers.

use crate::arch::operators::{loads, operators, stores};
use crate::arch::shuffles::*;
pub(super) use crate::arch::slices::*;
use std::arch::aarch64::*;

loads! {
    "neon" load16: [u8; 16] => uint8x16_t, vld1q_u8;
    "neon" load_four_lanes: [u32; 4] => uint32x4_t, vld1q_u32;
}

stores! {
    "neon" store16: uint8x16_t => [u8; 16], vst1q_u8;
    "neon" store_eight_units: uint16x8_t => [u16; 8], vst1q_u16;
}

pub(super) type Vector = uint8x16_t;
pub(super) const LEN: usize = 16;

operators! { "neon":
    fn load(bytes: &[u8], at: usize) -> Vector { load16(part(bytes, at)) }
    fn store(bytes: &mut [u8], at: usize, vector: Vector) { store16(part_mut(bytes, at), vector) }
    fn splat(byte: u8) -> Vector { vdupq_n_u8(byte) }
    fn and(a: Vector, b: Vector) -> Vector { vandq_u8(a, b) }
    fn or(a: Vector, b: Vector) -> Vector { vorrq_u8(a, b) }
    fn xor(a: Vector, b: Vector) -> Vector { veorq_u8(a, b) }
    fn but(a: Vector, b: Vector) -> Vector { vbicq_u8(a, b) }
    fn minus(a: Vector, b: Vector) -> Vector { vqsubq_u8(a, b) }
    fn up<const N: i32>(vector: Vector) -> Vector { vshlq_n_u8::<N>(vector) }
    fn after_zeros<const N: i32>(vector: Vector) -> Vector { vextq_u8::<N>(splat(0), vector) }
    fn high_nibbles(vector: Vector) -> Vector { vshrq_n_u8::<4>(vector) }
    fn equal(a: Vector, b: Vector) -> Vector { vceqq_u8(a, b) }
    fn select(which: Vector, no: Vector, yes: Vector) -> Vector { vbslq_u8(high_bits(which), yes, no) }
    /// Sets each byte whose high bit is set.
    fn high_bits(vector: Vector) -> Vector { vcltzq_s8(vreinterpretq_s8_u8(vector)) }
    fn mask(vector: Vector) -> u32 { u16::from_le_bytes(sets(high_bits(vector))).into() }
    fn any(vector: Vector) -> bool { vmaxvq_u8(vector) >= 0x80 }
    fn is_zero(vector: Vector) -> bool { vmaxvq_u8(vector) == 0 }
    fn is_ascii(vector: Vector) -> bool { !any(vector) }
    fn lookup(vector: Vector, table: &[u8; 16]) -> Vector { vqtbl1q_u8(load16(table), vector) }
}

/// One bit for each of eight lanes.
pub(super) const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn all(value: u16) -> uint16x8_t {
    vdupq_n_u16(value)
}

/// Shuffles `vector`.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn shuffle(vector: uint8x16_t, indices: &[u8; 16]) -> uint8x16_t {
    vqtbl1q_u8(vector, load16(indices))
}

/// Writes eight units to the front of `window` as UTF-8; returns how many of them were read, and how many bytes were
/// written. Reads none if there is a lone surrogate or, without `PAIRS`, any surrogate. Leaves the last unit if it is the
/// first half of a pair.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn put<const PAIRS: bool>(units: uint16x8_t, window: &mut [u8; 32]) -> (usize, usize) {
    let zero = vdupq_n_u16(0);
    let (up, down) = (vshlq_n_u16::<8>(units), vshrq_n_u16::<6>(units));
    // The last six bits in the upper byte of the lane, and the six before them in the lower byte, which is first in memory.
    let bits = vorrq_u16(vandq_u16(up, all(0x3F00)), vandq_u16(down, all(0x003F)));
    let wide = vcgeq_u16(units, all(0x80));
    if vmaxvq_u16(units) < 0x800 {
        // C0 with the first bits, and 80 with the last.
        let bytes = vbslq_u16(wide, vorrq_u16(bits, all(0x80C0)), units);
        let set = vaddv_u8(vand_u8(vmovn_u16(wide), vget_low_u8(load16(&BITS))));
        store16(part_mut(window, 0), shuffle(vreinterpretq_u8_u16(bytes), &SQUEEZE_TWO[set as usize]));
        return (8, 8 + ones(set.into()));
    }
    // The middle and the last byte of three; or two bytes; or any byte and one byte.
    let mut long = vcgeq_u16(units, all(0x800));
    let mut rest = vorrq_u16(bits, all(0x8080));
    rest = vorrq_u16(rest, vbicq_u16(all(0x0040), long));
    rest = vbslq_u16(wide, rest, up);
    let (mut taken, mut cut) = (8, 0);
    let surrogates = vceqq_u16(vandq_u16(units, all(0xF800)), all(0xD800));
    if vmaxvq_u16(surrogates) != 0 {
        if !PAIRS {
            return (0, 0);
        }
        let low = vceqq_u16(vandq_u16(units, all(0xFC00)), all(0xDC00));
        let high = vbicq_u16(surrogates, low);
        if vmaxvq_u16(veorq_u16(vextq_u16::<7>(zero, high), low)) != 0 {
            return (0, 0);
        }
        // Each half of a pair makes two of the four bytes. This is the code point without its last ten bits:
        let code = vsubq_u16(units, all(0xD800 - 0x40));
        let first = vorrq_u16(vandq_u16(vshlq_n_u16::<6>(code), all(0x3F00)), vshrq_n_u16::<8>(code));
        rest = vbslq_u16(high, vorrq_u16(first, all(0x80F0)), rest);
        let before = vandq_u16(vshlq_n_u16::<4>(vextq_u16::<7>(zero, units)), all(0x0030));
        let second = vorrq_u16(vbicq_u16(rest, all(0x0030)), before);
        rest = vbslq_u16(low, second, rest);
        long = vbicq_u16(long, surrogates);
        if vgetq_lane_u16::<7>(high) != 0 {
            (taken, cut) = (7, 2);
        }
    }
    // For each four lanes, those that are not ASCII, and those that are long.
    let bits = vmovl_u8(vget_low_u8(load16(&[1, 2, 4, 8, 1, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0])));
    let sets = vorrq_u16(vandq_u16(wide, bits), vandq_u16(long, vshlq_n_u16::<4>(bits)));
    let sets = [vaddv_u16(vget_low_u16(sets)), vaddv_u16(vget_high_u16(sets))];
    let top = vorrq_u16(vandq_u16(vshrq_n_u16::<4>(units), all(0x0F00)), all(0xE000));
    let mut put = 0;
    for (set, lanes) in sets.into_iter().zip([vzip1q_u16(top, rest), vzip2q_u16(top, rest)]) {
        let bytes = shuffle(vreinterpretq_u8_u16(lanes), &SQUEEZE_THREE[set as usize & 0xFF]);
        store16(part_mut(window, put), bytes);
        put += 4 + ones(set.into());
    }
    (taken, put - cut)
}

/// Sets the lanes of the bytes that begin a character.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn firsts(bytes: uint8x16_t) -> uint8x16_t {
    vcgtq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0xBFu8 as i8))
}

/// Returns the lanes that are set, one bit each, for each half.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn sets(which: uint8x16_t) -> [u8; 2] {
    let bits = vandq_u8(which, load16(&BITS));
    [vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits))]
}

/// Returns for each of the first sixteen bytes the unit of the character that begins there. With `pairs`, a character of
/// four bytes has its second unit at its second byte; without, its units are meaningless.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn units(block: &[u8; 18], pairs: bool) -> [uint16x8_t; 2] {
    let [one, next, last] = [0, 1, 2].map(|at| load16(part(block, at)));
    let units = |one: uint8x8_t, next: uint8x8_t, last: uint8x8_t| {
        let [one, next, last] = [vmovl_u8(one), vmovl_u8(next), vmovl_u8(last)];
        let (next, last) = (vandq_u16(next, all(0x3F)), vandq_u16(last, all(0x3F)));
        let two = vorrq_u16(next, vandq_u16(vshlq_n_u16::<6>(one), all(0x07C0)));
        let three = vorrq_u16(vorrq_u16(vshlq_n_u16::<12>(one), vshlq_n_u16::<6>(next)), last);
        let units = vbslq_u16(vcgeq_u16(one, all(0x80)), two, one);
        let mut units = vbslq_u16(vcgeq_u16(one, all(0xE0)), three, units);
        if pairs {
            // The high surrogate has the code point without its last ten bits, the low one the last ten.
            let code = vorrq_u16(vshlq_n_u16::<2>(next), vshrq_n_u16::<4>(last));
            let code = vorrq_u16(code, vandq_u16(vshlq_n_u16::<8>(one), all(0x0700)));
            let high = vaddq_u16(code, all(0xD800 - 0x40));
            units = vbslq_u16(vcgeq_u16(one, all(0xF0)), high, units);
            let low = vorrq_u16(vandq_u16(three, all(0x03FF)), all(0xDC00));
            let seconds = vceqq_u16(vandq_u16(one, all(0xC0)), all(0x80));
            units = vbslq_u16(seconds, low, units);
        }
        units
    };
    [
        units(vget_low_u8(one), vget_low_u8(next), vget_low_u8(last)),
        units(vget_high_u8(one), vget_high_u8(next), vget_high_u8(last)),
    ]
}

/// Returns how much was read and written in whole characters: including the one that ends after `read`, unless half of
/// its pair is missing.
#[inline(always)]
pub(super) fn back(src: &[u8], mut read: usize, written: usize, pair: bool) -> (usize, usize) {
    if pair {
        return (read - 1, written - 2);
    }
    while src.get(read).is_some_and(|byte| byte & 0xC0 == 0x80) {
        read += 1;
    }
    (read, written)
}
