//! Loads and stores whose length the compiler checks, so that kernels index slices and not pointers.
#![allow(unsafe_code)] // Each goes through a pointer to an array that is as long as it reads or writes.

pub(super) use crate::arch::slices::*;
use std::arch::aarch64::*;

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load16(from: &[u8; 16]) -> uint8x16_t {
    // SAFETY: sixteen bytes are there to be read, at any alignment.
    unsafe { vld1q_u8(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn store16(to: &mut [u8; 16], vector: uint8x16_t) {
    // SAFETY: sixteen bytes are there to be written, at any alignment.
    unsafe { vst1q_u8(to.as_mut_ptr(), vector) }
}
