//! The [operators](crate::arch::operators) of SSE4.1, AVX2 and AVX-512, for vectors of 16, 32 and 64 bytes.

use crate::arch::operators::operators;

pub(in crate::arch) mod sse {
    use super::super::memory::{load16, part, part_mut, store16};
    use std::arch::x86_64::*;

    pub(in crate::arch) type Vector = __m128i;
    pub(in crate::arch) const LEN: usize = 16;

    super::operators! { "sse4.1,ssse3":
        fn load(bytes: &[u8], at: usize) -> Vector { load16(part(bytes, at)) }
        fn store(bytes: &mut [u8], at: usize, vector: Vector) { store16(part_mut(bytes, at), vector) }
        fn splat(byte: u8) -> Vector { _mm_set1_epi8(byte as i8) }
        fn and(a: Vector, b: Vector) -> Vector { _mm_and_si128(a, b) }
        fn or(a: Vector, b: Vector) -> Vector { _mm_or_si128(a, b) }
        fn xor(a: Vector, b: Vector) -> Vector { _mm_xor_si128(a, b) }
        fn but(a: Vector, b: Vector) -> Vector { _mm_andnot_si128(b, a) }
        fn add(a: Vector, b: Vector) -> Vector { _mm_add_epi8(a, b) }
        fn add_up_to_ff(a: Vector, b: Vector) -> Vector { _mm_adds_epu8(a, b) }
        fn minus(a: Vector, b: Vector) -> Vector { _mm_subs_epu8(a, b) }
        fn up<const N: i32>(vector: Vector) -> Vector { _mm_slli_epi16::<N>(vector) }
        fn after_zeros<const N: i32>(vector: Vector) -> Vector { _mm_alignr_epi8::<N>(vector, splat(0)) }
        fn high_nibbles(vector: Vector) -> Vector { and(_mm_srli_epi16::<4>(vector), splat(0xF)) }
        fn equal(a: Vector, b: Vector) -> Vector { _mm_cmpeq_epi8(a, b) }
        fn select(which: Vector, no: Vector, yes: Vector) -> Vector { _mm_blendv_epi8(no, yes, which) }
        fn mask(vector: Vector) -> u32 { _mm_movemask_epi8(vector) as u32 }
        fn any(vector: Vector) -> bool { mask(vector) != 0 }
        fn is_zero(vector: Vector) -> bool { _mm_testz_si128(vector, vector) == 1 }
        fn is_ascii(vector: Vector) -> bool { !any(vector) }
        fn row(table: &[u8], at: usize) -> Vector { load16(part(table, 16 * at)) }
        fn shuffle(row: Vector, indices: Vector) -> Vector { _mm_shuffle_epi8(row, indices) }
        fn lookup(vector: Vector, table: &[u8; 16]) -> Vector { shuffle(load16(table), vector) }
    }
}

pub(in crate::arch) mod avx2 {
    use super::super::memory::{load16, load32, part, part_mut, store32};
    use std::arch::x86_64::*;

    pub(in crate::arch) type Vector = __m256i;
    pub(in crate::arch) const LEN: usize = 32;

    super::operators! { "avx2":
        fn load(bytes: &[u8], at: usize) -> Vector { load32(part(bytes, at)) }
        fn store(bytes: &mut [u8], at: usize, vector: Vector) { store32(part_mut(bytes, at), vector) }
        fn splat(byte: u8) -> Vector { _mm256_set1_epi8(byte as i8) }
        fn and(a: Vector, b: Vector) -> Vector { _mm256_and_si256(a, b) }
        fn or(a: Vector, b: Vector) -> Vector { _mm256_or_si256(a, b) }
        fn xor(a: Vector, b: Vector) -> Vector { _mm256_xor_si256(a, b) }
        fn but(a: Vector, b: Vector) -> Vector { _mm256_andnot_si256(b, a) }
        fn add(a: Vector, b: Vector) -> Vector { _mm256_add_epi8(a, b) }
        fn add_up_to_ff(a: Vector, b: Vector) -> Vector { _mm256_adds_epu8(a, b) }
        fn minus(a: Vector, b: Vector) -> Vector { _mm256_subs_epu8(a, b) }
        fn up<const N: i32>(vector: Vector) -> Vector { _mm256_slli_epi16::<N>(vector) }
        fn after_zeros<const N: i32>(vector: Vector) -> Vector {
            _mm256_alignr_epi8::<N>(vector, _mm256_permute2x128_si256::<0x08>(vector, vector))
        }
        fn high_nibbles(vector: Vector) -> Vector { and(_mm256_srli_epi16::<4>(vector), splat(0xF)) }
        fn equal(a: Vector, b: Vector) -> Vector { _mm256_cmpeq_epi8(a, b) }
        fn select(which: Vector, no: Vector, yes: Vector) -> Vector { _mm256_blendv_epi8(no, yes, which) }
        fn mask(vector: Vector) -> u32 { _mm256_movemask_epi8(vector) as u32 }
        fn any(vector: Vector) -> bool { mask(vector) != 0 }
        fn is_zero(vector: Vector) -> bool { _mm256_testz_si256(vector, vector) == 1 }
        fn is_ascii(vector: Vector) -> bool { !any(vector) }
        fn row(table: &[u8], at: usize) -> Vector { _mm256_broadcastsi128_si256(load16(part(table, 16 * at))) }
        fn shuffle(row: Vector, indices: Vector) -> Vector { _mm256_shuffle_epi8(row, indices) }
        fn lookup(vector: Vector, table: &[u8; 16]) -> Vector { shuffle(row(table, 0), vector) }
    }
}

pub(in crate::arch) mod avx512 {
    use super::super::memory::{load_512, load16, part, part_mut, store_512};
    use std::arch::x86_64::*;

    pub(in crate::arch) type Vector = __m512i;
    pub(in crate::arch) const LEN: usize = 64;

    super::operators! { "avx512f,avx512bw":
        fn load(bytes: &[u8], at: usize) -> Vector { load_512(part(bytes, at)) }
        fn store(bytes: &mut [u8], at: usize, vector: Vector) { store_512(part_mut(bytes, at), vector) }
        fn splat(byte: u8) -> Vector { _mm512_set1_epi8(byte as i8) }
        fn and(a: Vector, b: Vector) -> Vector { _mm512_and_si512(a, b) }
        fn or(a: Vector, b: Vector) -> Vector { _mm512_or_si512(a, b) }
        fn xor(a: Vector, b: Vector) -> Vector { _mm512_xor_si512(a, b) }
        fn minus(a: Vector, b: Vector) -> Vector { _mm512_subs_epu8(a, b) }
        fn after_zeros<const N: i32>(vector: Vector) -> Vector {
            // Each quarter with the one before it.
            let before = _mm512_maskz_shuffle_i64x2::<0b10_01_00_00>(0b1111_1100, vector, vector);
            _mm512_alignr_epi8::<N>(vector, before)
        }
        fn high_nibbles(vector: Vector) -> Vector { and(_mm512_srli_epi16::<4>(vector), splat(0xF)) }
        fn is_zero(vector: Vector) -> bool { _mm512_test_epi8_mask(vector, vector) == 0 }
        fn is_ascii(vector: Vector) -> bool { _mm512_movepi8_mask(vector) == 0 }
        fn lookup(vector: Vector, table: &[u8; 16]) -> Vector {
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(load16(table)), vector)
        }
    }
}
