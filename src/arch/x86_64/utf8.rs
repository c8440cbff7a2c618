//! UTF-8 with SSE, AVX2 and AVX-512: the same algorithm with vectors of three sizes.

use super::super::utf8::{Vector, copy_by, vector};
use std::arch::x86_64::*;

/// [`copy_by`] with 64 bytes at a time.
#[target_feature(enable = "avx512f,avx512bw")]
pub(in super::super) fn copy_avx512(src: &[u8], dst: &mut [u8]) -> usize {
    // SAFETY: AVX-512 with BW is what this function is of.
    unsafe { copy_by::<Avx512>(src, dst) }
}

/// [`copy_by`] with 32 bytes at a time.
#[target_feature(enable = "avx2")]
pub(in super::super) fn copy_avx2(src: &[u8], dst: &mut [u8]) -> usize {
    // SAFETY: AVX2 is what this function is of.
    unsafe { copy_by::<Avx2>(src, dst) }
}

/// [`copy_by`] with 16 bytes at a time.
#[target_feature(enable = "ssse3,sse4.1")]
pub(in super::super) fn copy_sse(src: &[u8], dst: &mut [u8]) -> usize {
    // SAFETY: SSSE3 and SSE4.1 are what this function is of.
    unsafe { copy_by::<Sse>(src, dst) }
}

vector!(
    Sse(__m128i), 16, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, _mm_and_si128, _mm_or_si128, _mm_xor_si128,
    _mm_subs_epu8,
    high_nibbles: |v| _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(0xF)),
    lookup: |v, table| _mm_shuffle_epi8(_mm_loadu_si128(table), v),
    is_zero: |v| _mm_testz_si128(v, v) == 1,
    is_ascii: |v| _mm_movemask_epi8(v) == 0
);

vector!(
    Avx2(__m256i), 32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8, _mm256_and_si256, _mm256_or_si256,
    _mm256_xor_si256, _mm256_subs_epu8,
    high_nibbles: |v| _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0xF)),
    lookup: |v, table| _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(table)), v),
    is_zero: |v| _mm256_testz_si256(v, v) == 1,
    is_ascii: |v| _mm256_movemask_epi8(v) == 0
);

vector!(
    Avx512(__m512i), 64, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi8, _mm512_and_si512, _mm512_or_si512,
    _mm512_xor_si512, _mm512_subs_epu8,
    high_nibbles: |v| _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(0xF)),
    lookup: |v, table| _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(table)), v),
    is_zero: |v| _mm512_test_epi8_mask(v, v) == 0,
    is_ascii: |v| _mm512_movepi8_mask(v) == 0
);
