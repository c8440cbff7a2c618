//! UTF-16 to and from UTF-8: eight units at a time. The output for each unit is made in a lane with spare bytes; a shuffle
//! from a table removes them.

use super::vector::*;
use crate::arch::shuffles::*;
use crate::arch::types::ByteOrder;
use std::arch::aarch64::*;

/// See [`arch::utf16::to_utf8`](crate::arch::utf16::to_utf8).
#[target_feature(enable = "neon")]
pub fn to_utf8(order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let native = &SWAP_UNITS[order as usize];
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<32>(src, read)
            && let Some(window) = chunk_mut::<16>(dst, written)
        {
            let [first, second] = [0, 16].map(|at| vreinterpretq_u16_u8(shuffle(load16(part(block, at)), native)));
            if vmaxvq_u16(vorrq_u16(first, second)) >= 0x80 {
                break;
            }
            store16(window, vcombine_u8(vmovn_u16(first), vmovn_u16(second)));
            read += 32;
            written += 16;
        }
        for _ in 0..8 {
            let Some(block) = chunk::<16>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<32>(dst, written) else { break 'all };
            let units = vreinterpretq_u16_u8(shuffle(load16(block), native));
            let (taken, put) = put::<true>(units, window);
            if taken == 0 {
                break 'all;
            }
            read += 2 * taken;
            written += put;
        }
    }
    (read, written)
}

/// See [`arch::utf16::from_utf8`](crate::arch::utf16::from_utf8).
#[target_feature(enable = "neon")]
pub fn from_utf8(order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = &SWAP_UNITS[order as usize];
    let (mut read, mut written) = (0, 0);
    // Whether the last byte that was read begins a character of four bytes, whose second unit is still missing.
    let mut pair = false;
    'all: loop {
        while let Some(block) = chunk::<16>(src, read)
            && let Some(window) = chunk_mut::<32>(dst, written)
        {
            let bytes = load16(block);
            if vmaxvq_u8(bytes) >= 0x80 {
                break;
            }
            for (half, widen) in WIDEN_UNITS[order as usize].iter().enumerate() {
                store16(part_mut(window, 16 * half), shuffle(bytes, widen));
            }
            read += 16;
            written += 32;
        }
        for _ in 0..4 {
            let Some(block) = chunk::<18>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<32>(dst, written) else { break 'all };
            let bytes = load16(part(block, 0));
            let mut which = firsts(bytes);
            let pairs = pair || vmaxvq_u8(bytes) >= 0xF0;
            if pairs {
                if bmp_only {
                    break 'all;
                }
                let before = vdupq_n_u8(if pair { 0xFF } else { 0 });
                let fours = vcgeq_u8(bytes, vdupq_n_u8(0xF0));
                which = vorrq_u8(which, vextq_u8::<15>(before, fours));
                pair = vgetq_lane_u8::<15>(fours) != 0;
            }
            let mut put = 0;
            for (set, units) in sets(which).into_iter().zip(units(block, pairs)) {
                let units = shuffle(vreinterpretq_u8_u16(units), &SQUEEZE_UNITS[set as usize]);
                store16(part_mut(window, 2 * put), shuffle(units, native));
                put += ones(set.into());
            }
            read += 16;
            written += 2 * put;
        }
    }
    back(src, read, written, pair)
}
