//! Loads, stores and table lookups that the kernels share.
//!
//! Each load and store goes through a reference to an array of its length, or through a mask of the slice's length, so
//! the kernels index slices and use no pointers.
#![allow(unsafe_code)] // The intrinsics take pointers.

use crate::arch::operators::{loads, stores};
pub(super) use crate::arch::slices::*;
use std::arch::x86_64::*;

loads! {
    "sse2" load16: [u8; 16] => __m128i, _mm_loadu_si128;
    "sse2" load_four_lanes: [u32; 4] => __m128i, _mm_loadu_si128;
    "avx" load32: [u8; 32] => __m256i, _mm256_loadu_si256;
    "avx512f" load_512: [u8; 64] => __m512i, _mm512_loadu_si512;
    "avx512f" load_units: [u16; 32] => __m512i, _mm512_loadu_si512;
    "avx512f" load_lanes: [u32; 16] => __m512i, _mm512_loadu_si512;
}

stores! {
    "sse2" store16: __m128i => [u8; 16], _mm_storeu_si128;
    "sse2" store_eight_units: __m128i => [u16; 8], _mm_storeu_si128;
    "avx" store32: __m256i => [u8; 32], _mm256_storeu_si256;
    "avx512f" store_512: __m512i => [u8; 64], _mm512_storeu_si512;
    "avx512f" store_units: __m512i => [u16; 32], _mm512_storeu_si512;
}

/// Returns a mask with the low `len` bits set, or all of them.
#[inline(always)]
pub(super) fn low_bits(len: usize) -> u64 {
    if len < 64 { (1 << len) - 1 } else { u64::MAX }
}

/// Loads the front of `from`, at most 64 bytes of it, and zeros after it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn load_part_512(from: &[u8]) -> __m512i {
    // SAFETY: the mask has a bit for each of the first 64 bytes that `from` has; no other byte is accessed.
    unsafe { _mm512_maskz_loadu_epi8(low_bits(from.len()), from.as_ptr().cast()) }
}

/// Stores the front of a vector, as much as `to` has room for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn store_part_512(to: &mut [u8], vector: __m512i) {
    // SAFETY: the mask has a bit for each of the first 64 bytes that `to` has; no other byte is accessed.
    unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), low_bits(to.len()), vector) }
}

/// Loads the front of `from`, at most sixteen lanes, and zeros after it.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_part_lanes(from: &[u32]) -> __m512i {
    // SAFETY: the mask has a bit for each of the first 16 lanes that `from` has; no other lane is accessed.
    unsafe { _mm512_maskz_loadu_epi32(low_bits(from.len()) as u16, from.as_ptr().cast()) }
}

/// A table of 256 bytes in four vectors.
#[derive(Clone, Copy)]
pub(super) struct Lookup256([__m512i; 4]);

impl Lookup256 {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(table: &[u8; 256]) -> Self {
        let (parts, _) = table.as_chunks::<64>();
        Lookup256([load_512(&parts[0]), load_512(&parts[1]), load_512(&parts[2]), load_512(&parts[3])])
    }

    /// Returns the entries of 64 bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn get(&self, bytes: __m512i) -> __m512i {
        let [a, b, c, d] = self.0;
        let low = _mm512_permutex2var_epi8(a, bytes, b);
        let high = _mm512_permutex2var_epi8(c, bytes, d);
        _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(bytes), high)
    }
}
