//! x86-64: what its kernels share, loads and stores that keep to their slices.

pub(super) mod bytes;
pub(super) mod lanes;
mod memory;
pub(super) mod single_byte;
pub mod utf16;
pub mod utf32;
pub(super) mod utf8;

use std::arch::x86_64::*;

/// The low `len` bits set, or all of them.
#[inline(always)]
pub(super) fn low_bits(len: usize) -> u64 {
    if len < 64 { (1 << len) - 1 } else { u64::MAX }
}

/// A block of 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_512(src: &[u8; 64]) -> __m512i {
    // SAFETY: the reference is good for 64 bytes.
    unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
}

/// The beginning of `src`, up to 64 bytes of it, and zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn load_part_512(src: &[u8]) -> __m512i {
    // SAFETY: what the mask leaves out is not touched, and it has no more bits than `src` has bytes.
    unsafe { _mm512_maskz_loadu_epi8(low_bits(src.len()), src.as_ptr().cast()) }
}

/// Stores a block of 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_512(dst: &mut [u8; 64], block: __m512i) {
    // SAFETY: the reference is good for 64 bytes.
    unsafe { _mm512_storeu_si512(dst.as_mut_ptr().cast(), block) }
}

/// Stores the beginning of a block, as much as `dst` has room for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn store_part_512(dst: &mut [u8], block: __m512i) {
    // SAFETY: what the mask leaves out is not touched, and it has no more bits than `dst` has bytes.
    unsafe { _mm512_mask_storeu_epi8(dst.as_mut_ptr().cast(), low_bits(dst.len()), block) }
}

/// Four vectors of a table: a byte is looked up in all 256 of its entries.
#[derive(Clone, Copy)]
pub(super) struct Lookup256([__m512i; 4]);

impl Lookup256 {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(table: &[u8; 256]) -> Self {
        let (parts, _) = table.as_chunks::<64>();
        Lookup256([load_512(&parts[0]), load_512(&parts[1]), load_512(&parts[2]), load_512(&parts[3])])
    }

    /// The entries of 64 bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn get(&self, bytes: __m512i) -> __m512i {
        let [a, b, c, d] = self.0;
        let low = _mm512_permutex2var_epi8(a, bytes, b);
        let high = _mm512_permutex2var_epi8(c, bytes, d);
        _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(bytes), high)
    }
}
