//! UTF-32 (UCS-4) to and from UTF-8: eight units at a time through the kernel of UTF-16. Blocks with characters outside
//! the Basic Multilingual Plane are encoded four lanes at a time, and not decoded here.

use super::vector::*;
use crate::arch::shuffles::*;
use crate::arch::types::OctetOrder;
use std::arch::aarch64::*;

/// Returns the mask that has these octets of a unit, as it is in memory.
#[inline]
#[target_feature(enable = "neon")]
fn mask(order: OctetOrder, octets: [u8; 4]) -> uint8x16_t {
    vreinterpretq_u8_u32(vdupq_n_u32(u32::from_le_bytes(order.write(u32::from_be_bytes(octets)))))
}

/// Returns whether any bit of `mask` is set in `vector`.
#[inline]
#[target_feature(enable = "neon")]
fn any(vector: uint8x16_t, mask: uint8x16_t) -> bool {
    vmaxvq_u8(vandq_u8(vector, mask)) != 0
}

/// See [`arch::utf32::to_utf8`](crate::arch::utf32::to_utf8).
#[target_feature(enable = "neon")]
pub fn to_utf8(order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let low = &LOW_OCTETS[order as usize];
    let low_half = &LOW_HALVES[order as usize];
    let not_ascii = mask(order, [0xFF, 0xFF, 0xFF, 0x80]);
    let high_half = mask(order, [0xFF, 0xFF, 0, 0]);
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<64>(src, read)
            && let Some(window) = chunk_mut::<16>(dst, written)
        {
            let units = [0, 16, 32, 48].map(|at| load16(part(block, at)));
            if any(vorrq_u8(vorrq_u8(units[0], units[1]), vorrq_u8(units[2], units[3])), not_ascii) {
                break;
            }
            let quarters = [0, 1, 2, 3].map(|quarter| shuffle(units[quarter], &low[quarter]));
            store16(window, vorrq_u8(vorrq_u8(quarters[0], quarters[1]), vorrq_u8(quarters[2], quarters[3])));
            read += 64;
            written += 16;
        }
        for _ in 0..8 {
            let Some(block) = chunk::<32>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<32>(dst, written) else { break 'all };
            let [first, second] = [0, 16].map(|at| load16(part(block, at)));
            if any(vorrq_u8(first, second), high_half) {
                break 'all;
            }
            let [first, second] = [first, second].map(|units| vget_low_u8(shuffle(units, low_half)));
            let units = vreinterpretq_u16_u8(vcombine_u8(first, second));
            let (taken, put) = put::<false>(units, window);
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
#[target_feature(enable = "neon")]
pub fn from_utf8(order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = &SWAP_OCTETS[order as usize];
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<16>(src, read)
            && let Some(window) = chunk_mut::<64>(dst, written)
        {
            let bytes = load16(block);
            if vmaxvq_u8(bytes) >= 0x80 {
                break;
            }
            for (quarter, widen) in WIDEN_OCTETS[order as usize].iter().enumerate() {
                store16(part_mut(window, 16 * quarter), shuffle(bytes, widen));
            }
            read += 16;
            written += 64;
        }
        for _ in 0..4 {
            let Some(block) = chunk::<19>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<64>(dst, written) else { break 'all };
            let bytes = load16(part(block, 0));
            let sets = sets(firsts(bytes));
            let mut put = 0;
            if vmaxvq_u8(bytes) >= 0xF0 {
                let which = u16::from_le_bytes(sets);
                for quarter in 0..4 {
                    let set = which >> (4 * quarter) & 0xF;
                    let codes = vreinterpretq_u8_u32(codes(block, quarter));
                    let codes = shuffle(codes, &SQUEEZE_CODES[set as usize]);
                    store16(part_mut(window, 4 * put), shuffle(codes, native));
                    put += ones(set.into());
                }
            } else {
                for (set, units) in sets.into_iter().zip(units(part(block, 0), false)) {
                    let units = shuffle(vreinterpretq_u8_u16(units), &SQUEEZE_UNITS[set as usize]);
                    put_units(vreinterpretq_u16_u8(units), native, part_mut(window, 4 * put));
                    put += ones(set.into());
                }
            }
            read += 16;
            written += 4 * put;
        }
    }
    back(src, read, written, false)
}

/// Writes eight units of UTF-16 to the front of `window`.
#[inline]
#[target_feature(enable = "neon")]
fn put_units(units: uint16x8_t, native: &[u8; 16], window: &mut [u8; 32]) {
    let halves = [vmovl_u16(vget_low_u16(units)), vmovl_u16(vget_high_u16(units))];
    for (half, codes) in halves.into_iter().enumerate() {
        store16(part_mut(window, 16 * half), shuffle(vreinterpretq_u8_u32(codes), native));
    }
}

/// Returns for each of the four bytes from `4 * quarter` on the code point of the character, of any length, that begins
/// there.
#[inline]
#[target_feature(enable = "neon")]
fn codes(block: &[u8; 19], quarter: usize) -> uint32x4_t {
    let all = |value: u32| vdupq_n_u32(value);
    let from = 4 * quarter as u8;
    let indices =
        [from, 0x80, 0x80, 0x80, from + 1, 0x80, 0x80, 0x80, from + 2, 0x80, 0x80, 0x80, from + 3, 0x80, 0x80, 0x80];
    let bytes = [0, 1, 2, 3].map(|at| vreinterpretq_u32_u8(shuffle(load16(part(block, at)), &indices)));
    let one = bytes[0];
    let [second, third, fourth] = [1, 2, 3].map(|at| vandq_u32(bytes[at], all(0x3F)));
    let two = vorrq_u32(vandq_u32(vshlq_n_u32::<6>(one), all(0x07C0)), second);
    let middle = vorrq_u32(vshlq_n_u32::<6>(second), third);
    let three = vorrq_u32(vandq_u32(vshlq_n_u32::<12>(one), all(0xF000)), middle);
    let last = vorrq_u32(vshlq_n_u32::<6>(middle), fourth);
    let four = vorrq_u32(vandq_u32(vshlq_n_u32::<18>(one), all(0x1C_0000)), last);
    let codes = vbslq_u32(vcgeq_u32(one, all(0x80)), two, one);
    let codes = vbslq_u32(vcgeq_u32(one, all(0xE0)), three, codes);
    vbslq_u32(vcgeq_u32(one, all(0xF0)), four, codes)
}
