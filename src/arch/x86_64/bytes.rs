//! Bytes to bytes, padding and newlines, with AVX-512 and AVX2.

use super::memory::{Lookup256, load_512, load_part_512, load32, low_bits, store_512, store_part_512};
use crate::arch::scalar;
use crate::arch::types::Translation;
use std::arch::x86_64::*;

/// Translates `src` to `dst`, which is equally long, up to the first byte without a translation; returns how many bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(in super::super) fn translate_avx512(table: &Translation, src: &[u8], dst: &mut [u8]) -> usize {
    let lookup = Lookup256::new(&table.bytes);
    let none = _mm512_set1_epi8(table.none.unwrap_or_default() as i8);
    let holes = if table.none.is_some() { u64::MAX } else { 0 };
    let mut at = 0;
    while let Some(block) = src[at..].first_chunk()
        && let Some(room) = dst[at..].first_chunk_mut()
    {
        let made = lookup.get(load_512(block));
        store_512(room, made);
        let bad = _mm512_cmpeq_epi8_mask(made, none) & holes;
        if bad != 0 {
            return at + bad.trailing_zeros() as usize;
        }
        at += 64;
    }
    let rest = &src[at..];
    let made = lookup.get(load_part_512(rest));
    store_part_512(&mut dst[at..], made);
    let bad = _mm512_cmpeq_epi8_mask(made, none) & holes;
    at + (bad.trailing_zeros() as usize).min(rest.len())
}

/// Returns how many bytes at the end are `padding`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,popcnt")]
pub(in super::super) fn padding_len_avx512(bytes: &[u8], padding: u8) -> usize {
    let wanted = _mm512_set1_epi8(padding as i8);
    let mut rest = bytes;
    while let Some((front, block)) = rest.split_last_chunk() {
        let others = _mm512_cmpneq_epi8_mask(load_512(block), wanted);
        if others != 0 {
            return bytes.len() - rest.len() + others.leading_zeros() as usize;
        }
        rest = front;
    }
    let others = _mm512_cmpneq_epi8_mask(load_part_512(rest), wanted) & low_bits(rest.len());
    // Up to the last byte that is not padding.
    bytes.len() - (64 - others.leading_zeros() as usize)
}

/// Returns how many bytes at the end are `padding`.
#[target_feature(enable = "avx2,bmi1")]
pub(in super::super) fn padding_len_avx2(bytes: &[u8], padding: u8) -> usize {
    let wanted = _mm256_set1_epi8(padding as i8);
    let mut rest = bytes;
    while let Some((front, block)) = rest.split_last_chunk::<32>() {
        let others = !_mm256_movemask_epi8(_mm256_cmpeq_epi8(load32(block), wanted)) as u32;
        if others != 0 {
            return bytes.len() - rest.len() + others.leading_zeros() as usize;
        }
        rest = front;
    }
    bytes.len() - rest.len() + scalar::bytes::padding_len(rest, padding)
}

/// Returns how many newlines there are in `text`.
#[target_feature(enable = "avx2,bmi1")]
pub(in super::super) fn count_newlines_avx2(text: &[u8]) -> usize {
    scalar::bytes::count_newlines(text)
}

/// Returns how many lines end in `text`.
#[target_feature(enable = "avx2,bmi1")]
pub(in super::super) fn count_line_ends_avx2(text: &[u8]) -> usize {
    scalar::bytes::count_line_ends(text)
}

/// Returns how many lines end in bytes that are a character each.
#[target_feature(enable = "avx2,bmi1")]
pub(in super::super) fn count_ends_of_bytes_avx2(bytes: &[u8], cr: u8, others: [u8; 2]) -> usize {
    scalar::bytes::count_ends_of_bytes(bytes, cr, others)
}
