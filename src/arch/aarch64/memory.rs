//! Loads and stores whose length the compiler checks, so that kernels index slices and not pointers.
#![allow(unsafe_code)] // Each goes through a pointer to an array that is as long as it reads or writes.

use std::arch::aarch64::*;

/// The `N` bytes of `src` from `at` on, where it has them.
#[inline(always)]
pub(super) fn chunk<const N: usize>(src: &[u8], at: usize) -> Option<&[u8; N]> {
    src.get(at..)?.first_chunk()
}

/// The `N` bytes of `dst` from `at` on, where it has them.
#[inline(always)]
pub(super) fn chunk_mut<const N: usize>(dst: &mut [u8], at: usize) -> Option<&mut [u8; N]> {
    dst.get_mut(at..)?.first_chunk_mut()
}

/// Part of a block: `N` bytes from `at` on. What is not there is the caller's mistake, and panics.
#[inline(always)]
pub(super) fn part<const N: usize>(block: &[u8], at: usize) -> &[u8; N] {
    block[at..].first_chunk().expect("within the block")
}

/// The same, to be written.
#[inline(always)]
pub(super) fn part_mut<const N: usize>(block: &mut [u8], at: usize) -> &mut [u8; N] {
    block[at..].first_chunk_mut().expect("within the block")
}

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
