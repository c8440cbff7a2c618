//! UTF-8, validated and copied: the same algorithm with vectors of three sizes.

/// With 16 bytes at a time.
pub(in super::super) mod sse {
    use super::super::memory::{load16, part, part_mut, store16};
    use crate::arch::utf8_blocks::copy_by_blocks;
    use std::arch::x86_64::*;

    type Vector = __m128i;
    const LEN: usize = 16;

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn load(bytes: &[u8], at: usize) -> Vector {
        load16(part(bytes, at))
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn store(bytes: &mut [u8], at: usize, vector: Vector) {
        store16(part_mut(bytes, at), vector);
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn splat(byte: u8) -> Vector {
        _mm_set1_epi8(byte as i8)
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn and(a: Vector, b: Vector) -> Vector {
        _mm_and_si128(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn or(a: Vector, b: Vector) -> Vector {
        _mm_or_si128(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn xor(a: Vector, b: Vector) -> Vector {
        _mm_xor_si128(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn minus(a: Vector, b: Vector) -> Vector {
        _mm_subs_epu8(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn high_nibbles(vector: Vector) -> Vector {
        and(_mm_srli_epi16::<4>(vector), splat(0xF))
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn lookup(vector: Vector, table: &[u8; 16]) -> Vector {
        _mm_shuffle_epi8(load16(table), vector)
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn is_zero(vector: Vector) -> bool {
        _mm_testz_si128(vector, vector) == 1
    }

    #[inline]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn is_ascii(vector: Vector) -> bool {
        _mm_movemask_epi8(vector) == 0
    }

    copy_by_blocks!("sse4.1,ssse3");
}

/// With 32 bytes at a time.
pub(in super::super) mod avx2 {
    use super::super::memory::{load16, load32, part, part_mut, store32};
    use crate::arch::utf8_blocks::copy_by_blocks;
    use std::arch::x86_64::*;

    type Vector = __m256i;
    const LEN: usize = 32;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8], at: usize) -> Vector {
        load32(part(bytes, at))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(bytes: &mut [u8], at: usize, vector: Vector) {
        store32(part_mut(bytes, at), vector);
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn splat(byte: u8) -> Vector {
        _mm256_set1_epi8(byte as i8)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn and(a: Vector, b: Vector) -> Vector {
        _mm256_and_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn or(a: Vector, b: Vector) -> Vector {
        _mm256_or_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor(a: Vector, b: Vector) -> Vector {
        _mm256_xor_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn minus(a: Vector, b: Vector) -> Vector {
        _mm256_subs_epu8(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn high_nibbles(vector: Vector) -> Vector {
        and(_mm256_srli_epi16::<4>(vector), splat(0xF))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lookup(vector: Vector, table: &[u8; 16]) -> Vector {
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load16(table)), vector)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn is_zero(vector: Vector) -> bool {
        _mm256_testz_si256(vector, vector) == 1
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn is_ascii(vector: Vector) -> bool {
        _mm256_movemask_epi8(vector) == 0
    }

    copy_by_blocks!("avx2");
}

/// With 64 bytes at a time.
pub(in super::super) mod avx512 {
    use super::super::memory::{load_512, load16, part, part_mut, store_512};
    use crate::arch::utf8_blocks::copy_by_blocks;
    use std::arch::x86_64::*;

    type Vector = __m512i;
    const LEN: usize = 64;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(bytes: &[u8], at: usize) -> Vector {
        load_512(part(bytes, at))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn store(bytes: &mut [u8], at: usize, vector: Vector) {
        store_512(part_mut(bytes, at), vector);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn splat(byte: u8) -> Vector {
        _mm512_set1_epi8(byte as i8)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn and(a: Vector, b: Vector) -> Vector {
        _mm512_and_si512(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn or(a: Vector, b: Vector) -> Vector {
        _mm512_or_si512(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn xor(a: Vector, b: Vector) -> Vector {
        _mm512_xor_si512(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn minus(a: Vector, b: Vector) -> Vector {
        _mm512_subs_epu8(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn high_nibbles(vector: Vector) -> Vector {
        and(_mm512_srli_epi16::<4>(vector), splat(0xF))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn lookup(vector: Vector, table: &[u8; 16]) -> Vector {
        _mm512_shuffle_epi8(_mm512_broadcast_i32x4(load16(table)), vector)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn is_zero(vector: Vector) -> bool {
        _mm512_test_epi8_mask(vector, vector) == 0
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn is_ascii(vector: Vector) -> bool {
        _mm512_movepi8_mask(vector) == 0
    }

    copy_by_blocks!("avx512f,avx512bw");
}
