//! UTF-8 with SSE, AVX2 and AVX-512: the same algorithm with vectors of three sizes.

use super::super::utf8::{Vector, copy_by};
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

/// The vector `$name` of `$len` bytes out of intrinsics.
macro_rules! vector {
    ($name:ident($inner:ty), $len:literal: $load:ident, $store:ident, $splat:ident, $and:ident, $or:ident, $xor:ident,
        $minus:ident, $shift:ident, $shuffle:ident, |$table:ident| $broadcast:expr, |$v:ident| $is_zero:expr, $is_ascii:expr
    ) => {
        #[derive(Clone, Copy)]
        struct $name($inner);

        // Inlined whatever happens, into functions that have the instruction set: without it they would be calls.
        impl Vector for $name {
            const LEN: usize = $len;

            #[inline(always)]
            unsafe fn load(bytes: &[u8]) -> Self {
                let bytes = &bytes[..$len];
                // SAFETY: as many bytes are there; the caller's promise.
                unsafe { $name($load(bytes.as_ptr().cast())) }
            }

            #[inline(always)]
            unsafe fn store(self, place: &mut [u8]) {
                let place = &mut place[..$len];
                // SAFETY: as many bytes are there; the caller's promise.
                unsafe { $store(place.as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            unsafe fn splat(byte: u8) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name($splat(byte as i8)) }
            }

            #[inline(always)]
            unsafe fn and(self, other: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name($and(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn or(self, other: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name($or(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name($xor(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn minus(self, other: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name($minus(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn high_nibbles(self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $name($and($shift(self.0, 4), $splat(0xF))) }
            }

            #[inline(always)]
            unsafe fn lookup(self, table: &[u8; 16]) -> Self {
                // SAFETY: the table has 16 bytes; the caller's promise.
                unsafe {
                    let $table = _mm_loadu_si128(table.as_ptr().cast());
                    $name($shuffle($broadcast, self.0))
                }
            }

            #[inline(always)]
            unsafe fn is_zero(self) -> bool {
                let $v = self.0;
                // SAFETY: the caller's promise.
                unsafe { $is_zero }
            }

            #[inline(always)]
            unsafe fn is_ascii(self) -> bool {
                let $v = self.0;
                // SAFETY: the caller's promise.
                unsafe { $is_ascii }
            }
        }
    };
}

vector!(
    Sse(__m128i), 16: _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, _mm_and_si128, _mm_or_si128, _mm_xor_si128,
    _mm_subs_epu8, _mm_srli_epi16, _mm_shuffle_epi8, |table| table, |v| _mm_testz_si128(v, v) == 1,
    _mm_movemask_epi8(v) == 0
);
vector!(
    Avx2(__m256i), 32: _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8, _mm256_and_si256, _mm256_or_si256,
    _mm256_xor_si256, _mm256_subs_epu8, _mm256_srli_epi16, _mm256_shuffle_epi8,
    |table| _mm256_broadcastsi128_si256(table), |v| _mm256_testz_si256(v, v) == 1, _mm256_movemask_epi8(v) == 0
);
vector!(
    Avx512(__m512i), 64: _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi8, _mm512_and_si512, _mm512_or_si512,
    _mm512_xor_si512, _mm512_subs_epu8, _mm512_srli_epi16, _mm512_shuffle_epi8,
    |table| _mm512_broadcast_i32x4(table), |v| _mm512_test_epi8_mask(v, v) == 0, _mm512_movepi8_mask(v) == 0
);
