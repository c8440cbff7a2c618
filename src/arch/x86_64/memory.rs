//! Loads and stores whose length the compiler checks, so that the kernels of UTF-16 and UTF-32 index slices and not
//! pointers.
#![allow(unsafe_code)] // Each goes through a pointer to an array that is as long as it reads or writes.

pub(super) use super::{load_512, store_512};
pub(super) use crate::arch::slices::*;
use std::arch::x86_64::*;

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
