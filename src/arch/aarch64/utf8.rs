//! UTF-8 with NEON.

use super::super::utf8::{Vector, copy_by, vector};
use std::arch::aarch64::*;

/// [`copy_by`] with 16 bytes at a time.
#[target_feature(enable = "neon")]
pub(in super::super) fn copy_neon(src: &[u8], dst: &mut [u8]) -> usize {
    // SAFETY: NEON is what this function is of.
    unsafe { copy_by::<Neon>(src, dst) }
}

vector!(
    Neon(uint8x16_t), 16, vld1q_u8, vst1q_u8, vdupq_n_u8, vandq_u8, vorrq_u8, veorq_u8, vqsubq_u8,
    high_nibbles: |v| vshrq_n_u8::<4>(v),
    lookup: |v, table| vqtbl1q_u8(vld1q_u8(table), v),
    is_zero: |v| vmaxvq_u8(v) == 0,
    is_ascii: |v| vmaxvq_u8(v) < 0x80
);
