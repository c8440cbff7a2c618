//! UTF-8: with AVX-512 by masks, with AVX2 and SSE by lookups.

use super::super::utf8::{Vector, boundary, copy_by};
use super::{load_512, load_part_512, low_bits, store_512, store_part_512};
use std::arch::x86_64::*;

/// Copies all that is well-formed of `src`, which is as long as `dst`; answers how many bytes.
///
/// Which bytes are of which kind is compared into words of 64 bits; that continuation bytes are exactly where lead bytes
/// ask for them is then a few shifts.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,popcnt")]
pub(in super::super) fn copy_avx512(src: &[u8], dst: &mut [u8]) -> usize {
    let at_least = |bytes, least: u8| _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(least as i8));
    let equal = |bytes, byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
    let mut at = 0;
    // The continuation bytes that the next block has to begin with, as bits.
    let mut owed = 0;
    while at < src.len() {
        let rest = &src[at..];
        if owed == 0
            && let (Some(block), Some(room)) = (rest.first_chunk::<256>(), dst[at..].first_chunk_mut::<256>())
        {
            let blocks = block.as_chunks::<64>().0;
            let [a, b] = [load_512(&blocks[0]), load_512(&blocks[1])];
            let [c, d] = [load_512(&blocks[2]), load_512(&blocks[3])];
            if _mm512_movepi8_mask(_mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d))) == 0 {
                let (rooms, _) = room.as_chunks_mut::<64>();
                store_512(&mut rooms[0], a);
                store_512(&mut rooms[1], b);
                store_512(&mut rooms[2], c);
                store_512(&mut rooms[3], d);
                at += 256;
                continue;
            }
        }
        let bytes = match (rest.first_chunk(), dst[at..].first_chunk_mut()) {
            (Some(block), Some(room)) => {
                let bytes = load_512(block);
                store_512(room, bytes);
                bytes
            }
            _ => {
                let bytes = load_part_512(rest);
                store_part_512(&mut dst[at..], bytes);
                bytes
            }
        };
        let wide = _mm512_movepi8_mask(bytes);
        // 80 to BF.
        let continuations = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0xC0u8 as i8));
        let twos = at_least(bytes, 0xC2);
        let threes = at_least(bytes, 0xE0);
        let mut wanted = twos << 1 | owed;
        // C0 and C1 are of neither kind.
        let mut bad = wide ^ twos ^ continuations;
        owed = twos >> 63;
        if threes != 0 {
            let next = match rest[1..].first_chunk() {
                Some(block) => load_512(block),
                None => load_part_512(&rest[1..]),
            };
            let fours = at_least(bytes, 0xF0);
            wanted |= threes << 2 | fours << 3;
            owed |= threes >> 62 | fours >> 61;
            // Second bytes that have a range of their own.
            let high = at_least(next, 0xA0);
            let mut wrong = equal(bytes, 0xE0) & !high | equal(bytes, 0xED) & high;
            if fours != 0 {
                let high = at_least(next, 0x90);
                wrong |= equal(bytes, 0xF0) & !high | equal(bytes, 0xF4) & high;
                bad |= at_least(bytes, 0xF5);
            }
            // The last byte of all has none after it.
            bad |= wrong & low_bits(rest.len() - 1);
        }
        bad |= continuations ^ wanted;
        bad &= low_bits(rest.len());
        if bad != 0 {
            return boundary(src, at + bad.trailing_zeros() as usize);
        }
        at += rest.len().min(64);
    }
    boundary(src, at)
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

#[derive(Clone, Copy)]
struct Avx2(__m256i);

#[derive(Clone, Copy)]
struct Sse(__m128i);

// Inlined whatever happens, into functions that have the instruction set: without it they would be calls.
impl Vector for Avx2 {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn load(bytes: &[u8]) -> Self {
        let bytes = &bytes[..32];
        // SAFETY: 32 bytes are there; the caller's promise.
        unsafe { Avx2(_mm256_loadu_si256(bytes.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, place: &mut [u8]) {
        let place = &mut place[..32];
        // SAFETY: 32 bytes are there; the caller's promise.
        unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Avx2(_mm256_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Avx2(_mm256_and_si256(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Avx2(_mm256_or_si256(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Avx2(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Avx2(_mm256_subs_epu8(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Avx2(_mm256_and_si256(_mm256_srli_epi16(self.0, 4), _mm256_set1_epi8(0xF))) }
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the table has 16 bytes; the caller's promise.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            Avx2(_mm256_shuffle_epi8(table, self.0))
        }
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
    }

    #[inline(always)]
    unsafe fn is_ascii(self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { _mm256_movemask_epi8(self.0) == 0 }
    }
}

impl Vector for Sse {
    const LEN: usize = 16;

    #[inline(always)]
    unsafe fn load(bytes: &[u8]) -> Self {
        let bytes = &bytes[..16];
        // SAFETY: 16 bytes are there; the caller's promise.
        unsafe { Sse(_mm_loadu_si128(bytes.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, place: &mut [u8]) {
        let place = &mut place[..16];
        // SAFETY: 16 bytes are there; the caller's promise.
        unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Sse(_mm_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Sse(_mm_and_si128(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Sse(_mm_or_si128(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Sse(_mm_xor_si128(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Sse(_mm_subs_epu8(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Sse(_mm_and_si128(_mm_srli_epi16(self.0, 4), _mm_set1_epi8(0xF))) }
    }

    #[inline(always)]
    unsafe fn lookup(self, table: &[u8; 16]) -> Self {
        // SAFETY: the table has 16 bytes; the caller's promise.
        unsafe { Sse(_mm_shuffle_epi8(_mm_loadu_si128(table.as_ptr().cast()), self.0)) }
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { _mm_testz_si128(self.0, self.0) == 1 }
    }

    #[inline(always)]
    unsafe fn is_ascii(self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { _mm_movemask_epi8(self.0) == 0 }
    }
}
