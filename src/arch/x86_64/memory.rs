//! Loads and stores whose length the compiler checks, so that kernels index slices and not pointers.
#![allow(unsafe_code)] // Each goes through a pointer to an array that is as long as it reads or writes.

use std::arch::x86_64::*;

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
#[target_feature(enable = "sse2")]
pub(super) fn load16(from: &[u8; 16]) -> __m128i {
    // SAFETY: sixteen bytes are there to be read, at any alignment.
    unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx")]
pub(super) fn load32(from: &[u8; 32]) -> __m256i {
    // SAFETY: thirty-two bytes are there to be read, at any alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load64(from: &[u8; 64]) -> __m512i {
    // SAFETY: sixty-four bytes are there to be read, at any alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn store16(to: &mut [u8; 16], vector: __m128i) {
    // SAFETY: sixteen bytes are there to be written, at any alignment.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx")]
pub(super) fn store32(to: &mut [u8; 32], vector: __m256i) {
    // SAFETY: thirty-two bytes are there to be written, at any alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store64(to: &mut [u8; 64], vector: __m512i) {
    // SAFETY: sixty-four bytes are there to be written, at any alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}
