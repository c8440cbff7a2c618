//! AVX-512: thirty-two units at a time. The output for each unit or byte is made in a lane with spare bytes, or spare
//! lanes, which `vpcompressb` or `vpcompressw` remove at the end.

use super::sse::back;
use crate::arch::array;
use crate::arch::shuffles::SWAP_UNITS;
use crate::arch::types::ByteOrder;
use crate::arch::x86_64::memory::*;
use std::arch::x86_64::*;

/// Indices of the less significant byte of each unit of two vectors, by order.
const LOW: [[u8; 64]; 2] =
    array!(order < 2 => array!(at < 64 => 2 * at as u8 + if order == ByteOrder::Big as usize { 1 } else { 0 }));

/// Indices of `(top byte, middle and last byte)` of sixteen characters, each from a unit of one of two vectors, followed
/// by the index of a zero; then those of the other sixteen.
const WEAVE: [[u8; 64]; 2] = array!(half < 2 => array!(at < 64 => {
    let unit = 32 * half as u8 + 2 * (at as u8 / 3);
    if at < 48 { [unit, 64 + unit, 64 + unit + 1][at % 3] } else { 1 }
}));

/// The least value with which a byte that `WEAVE` made counts: the last byte of a character always counts, the others if
/// they are not zero, and the one after them never.
const LEAST: [u8; 64] = array!(at < 64 => if at >= 48 { 0xFF } else { (at % 3 != 2) as u8 });

/// Indices of the lane before each lane.
const BEFORE: [u8; 64] = array!(at < 64 => at.saturating_sub(2) as u8);

/// See [`arch::utf16::to_utf8`](crate::arch::utf16::to_utf8).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn to_utf8(order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let native = _mm512_broadcast_i32x4(load16(&SWAP_UNITS[order as usize]));
    let low = load_512(&LOW[order as usize]);
    let not_ascii = _mm512_set1_epi16(match order {
        ByteOrder::Big => 0x80FFu16 as i16,
        ByteOrder::Little => 0xFF80u16 as i16,
    });
    let (mut read, mut written) = (0, 0);
    'all: loop {
        while let Some(block) = chunk::<128>(src, read)
            && let Some(window) = chunk_mut::<64>(dst, written)
        {
            let (first, second) = (load_512(part(block, 0)), load_512(part(block, 64)));
            if _mm512_test_epi16_mask(_mm512_or_si512(first, second), not_ascii) != 0 {
                break;
            }
            store_512(window, _mm512_permutex2var_epi8(first, low, second));
            read += 128;
            written += 64;
        }
        for _ in 0..2 {
            let Some(block) = chunk::<64>(src, read) else { break 'all };
            let Some(window) = chunk_mut::<128>(dst, written) else { break 'all };
            let units = _mm512_shuffle_epi8(load_512(block), native);
            let (taken, put) = put::<true>(units, window);
            if taken == 0 {
                break 'all;
            }
            read += 2 * taken;
            written += put;
        }
    }
    // Less than a block is left, with zeros after it.
    let rest = src.len() / 2 - read / 2;
    if (1..32).contains(&rest)
        && let Some(window) = chunk_mut::<128>(dst, written)
    {
        let units = _mm512_shuffle_epi8(load_part_512(&src[read..read + 2 * rest]), native);
        let (taken, put) = put::<true>(units, window);
        if taken > 0 {
            read += 2 * rest;
            // Each of the zeros became a byte.
            written += put - (32 - rest);
        }
    }
    (read, written)
}

/// Writes thirty-two units to the front of `window` as UTF-8; returns how many of them were read, and how many bytes were
/// written. Reads none if there is a lone surrogate or, without `PAIRS`, any surrogate. Leaves the last unit if it is the
/// first half of a pair.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(in crate::arch::x86_64) fn put<const PAIRS: bool>(units: __m512i, window: &mut [u8; 128]) -> (usize, usize) {
    let all = |value: u16| _mm512_set1_epi16(value as i16);
    let (up, down) = (_mm512_slli_epi16::<8>(units), _mm512_srli_epi16::<6>(units));
    // The last six bits in the upper byte of the lane, and the six before them in the lower byte, which is first in memory.
    let bits = _mm512_ternarylogic_epi32::<0xCA>(all(0x3F00), up, down);
    let ascii = _mm512_cmplt_epu16_mask(units, all(0x80));
    let long = _mm512_cmpge_epu16_mask(units, all(0x800));
    if long == 0 {
        // C0 with the first bits, and 80 with the last.
        let two = _mm512_or_si512(bits, all(0x80C0));
        let bytes = _mm512_mask_mov_epi16(two, ascii, units);
        let keep = _mm512_cmpge_epu8_mask(bytes, all(0x0100));
        store_512(part_mut(window, 0), _mm512_maskz_compress_epi8(keep, bytes));
        return (32, keep.count_ones() as usize);
    }
    // The middle and the last byte of three; or two bytes; or a zero and one byte.
    let mut rest = _mm512_ternarylogic_epi32::<0xEA>(bits, all(0x3F3F), all(0x8080));
    let short = _mm512_cmplt_epu16_mask(units, all(0x800));
    rest = _mm512_mask_add_epi16(rest, short, rest, all(0x0040));
    rest = _mm512_mask_slli_epi16::<8>(rest, ascii, units);
    let mut top = long;
    let (mut taken, mut cut) = (32, 0);
    let surrogates = _mm512_cmpeq_epi16_mask(_mm512_and_si512(units, all(0xF800)), all(0xD800));
    if surrogates != 0 {
        if !PAIRS {
            return (0, 0);
        }
        let low = _mm512_mask_test_epi16_mask(surrogates, units, all(0x0400));
        let high = surrogates & !low;
        if high << 1 != low {
            return (0, 0);
        }
        // Each half of a pair makes two of the four bytes. This is the code point without its last ten bits:
        let code = _mm512_sub_epi16(units, all(0xD800 - 0x40));
        let first =
            _mm512_ternarylogic_epi32::<0xCA>(all(0x3F00), _mm512_slli_epi16::<6>(code), _mm512_srli_epi16::<8>(code));
        rest = _mm512_mask_mov_epi16(rest, high, _mm512_or_si512(first, all(0x80F0)));
        let before = _mm512_permutexvar_epi8(load_512(&BEFORE), units);
        let second = _mm512_ternarylogic_epi32::<0xCA>(all(0x0030), _mm512_slli_epi16::<4>(before), rest);
        rest = _mm512_mask_mov_epi16(rest, low, second);
        top &= !surrogates;
        if high >> 31 != 0 {
            (taken, cut) = (31, 2);
        }
    }
    let top = _mm512_maskz_add_epi16(top, _mm512_srli_epi16::<12>(units), all(0xE0));
    let mut put = 0;
    for weave in &WEAVE {
        let bytes = _mm512_permutex2var_epi8(top, load_512(weave), rest);
        let keep = _mm512_cmpge_epu8_mask(bytes, load_512(&LEAST));
        store_512(part_mut(window, put), _mm512_maskz_compress_epi8(keep, bytes));
        put += keep.count_ones() as usize;
    }
    (taken, put - cut)
}

/// Indices that widen thirty-two bytes to units, by half of the vector; a mask zeroes one of the two bytes.
pub(in crate::arch::x86_64) const WIDEN: [[u8; 64]; 2] =
    array!(half < 2 => array!(at < 64 => 32 * half as u8 + at as u8 / 2));

/// A mask of the less significant byte of each unit, in the machine's order.
const LOW_BYTES: u64 = 0x5555_5555_5555_5555;

/// See [`arch::utf16::from_utf8`](crate::arch::utf16::from_utf8).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn from_utf8(order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    let src = src.as_bytes();
    let native = _mm512_broadcast_i32x4(load16(&SWAP_UNITS[order as usize]));
    let low_bytes = match order {
        ByteOrder::Big => LOW_BYTES << 1,
        ByteOrder::Little => LOW_BYTES,
    };
    let [first_half, second_half] = [load_512(&WIDEN[0]), load_512(&WIDEN[1])];
    let (mut read, mut written) = (0, 0);
    // Whether the last byte that was read begins a character of four bytes, whose second unit is still missing.
    let mut pair = 0;
    'all: loop {
        while let Some(block) = chunk::<64>(src, read)
            && let Some(window) = chunk_mut::<128>(dst, written)
        {
            let bytes = load_512(block);
            if _mm512_movepi8_mask(bytes) != 0 {
                break;
            }
            store_512(part_mut(window, 0), _mm512_maskz_permutexvar_epi8(low_bytes, first_half, bytes));
            store_512(part_mut(window, 64), _mm512_maskz_permutexvar_epi8(low_bytes, second_half, bytes));
            read += 64;
            written += 128;
        }
        for _ in 0..2 {
            let Some(window) = chunk_mut::<128>(dst, written) else { break 'all };
            let rest = &src[read..];
            let mut text = match rest.first_chunk() {
                Some(block) => Text::new(block),
                None if rest.is_empty() => break 'all,
                None => Text::of_last(rest),
            };
            let mut which = text.firsts;
            if text.longest == 4 || pair != 0 {
                if bmp_only {
                    break 'all;
                }
                text.longest = 4;
                let fours = _mm512_cmpge_epu8_mask(text.bytes[0], _mm512_set1_epi8(0xF0u8 as i8));
                which |= fours << 1 | pair;
                pair = fours >> 63;
            }
            let (places, count) = text.places(which);
            for (half, indices) in [first_half, second_half].into_iter().enumerate() {
                let units = text.units(_mm512_permutexvar_epi8(indices, places));
                store_512(part_mut(window, 64 * half), _mm512_shuffle_epi8(units, native));
                if count <= 32 {
                    break;
                }
            }
            read += rest.len().min(64);
            written += 2 * count;
        }
    }
    back(src, read, written, pair as u32)
}

/// Sixty-four bytes of UTF-8, or fewer at the end, and for each of them the two after it.
pub(in crate::arch::x86_64) struct Text {
    /// The bytes, the bytes after them, and those after these.
    pub(in crate::arch::x86_64) bytes: [__m512i; 3],
    /// A mask of the bytes that begin a character.
    pub(in crate::arch::x86_64) firsts: u64,
    /// The length of the longest character: 2, 3 or 4 bytes.
    pub(in crate::arch::x86_64) longest: u32,
}

impl Text {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub(in crate::arch::x86_64) fn new(block: &[u8; 66]) -> Text {
        Text::of([load_512(part(block, 0)), load_512(part(block, 1)), load_512(part(block, 2))], u64::MAX)
    }

    /// The front of the last bytes, with zeros after them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub(in crate::arch::x86_64) fn of_last(rest: &[u8]) -> Text {
        let from = |at| load_part_512(rest.get(at..).unwrap_or_default());
        Text::of([from(0), from(1), from(2)], low_bits(rest.len()))
    }

    /// `there` is a mask of the bytes that there are.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn of(bytes: [__m512i; 3], there: u64) -> Text {
        let all = |value: u8| _mm512_set1_epi8(value as i8);
        let mut longest = 2;
        if _mm512_cmpge_epu8_mask(bytes[0], all(0xE0)) != 0 {
            longest = if _mm512_cmpge_epu8_mask(bytes[0], all(0xF0)) != 0 { 4 } else { 3 };
        }
        Text { bytes, firsts: _mm512_mask_cmpgt_epi8_mask(there, bytes[0], all(0xBF)), longest }
    }

    /// Returns the numbers of the bytes in the mask `which`, and how many they are.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub(in crate::arch::x86_64) fn places(&self, which: u64) -> (__m512i, usize) {
        let bytes = _mm512_maskz_compress_epi8(which, load_512(&PLACES));
        (bytes, which.count_ones() as usize)
    }

    /// Returns the units of the characters that begin at the bytes `places`, which has each place twice. The second unit of
    /// a pair is at the second byte of the character.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub(in crate::arch::x86_64) fn units(&self, places: __m512i) -> __m512i {
        let all = |value: u16| _mm512_set1_epi16(value as i16);
        let one = _mm512_maskz_permutexvar_epi8(LOW_BYTES, places, self.bytes[0]);
        let next = _mm512_maskz_permutexvar_epi8(LOW_BYTES, places, self.bytes[1]);
        let next = _mm512_and_si512(next, all(0x3F));
        let two = _mm512_ternarylogic_epi32::<0xF8>(next, _mm512_slli_epi16::<6>(one), all(0x07C0));
        let units = _mm512_mask_mov_epi16(one, _mm512_cmpge_epu16_mask(one, all(0x80)), two);
        if self.longest == 2 {
            return units;
        }
        let last = _mm512_maskz_permutexvar_epi8(LOW_BYTES, places, self.bytes[2]);
        let last = _mm512_and_si512(last, all(0x3F));
        let (top, middle) = (_mm512_slli_epi16::<12>(one), _mm512_slli_epi16::<6>(next));
        let three = _mm512_ternarylogic_epi32::<0xFE>(top, middle, last);
        let units = _mm512_mask_mov_epi16(units, _mm512_cmpge_epu16_mask(one, all(0xE0)), three);
        if self.longest == 3 {
            return units;
        }
        // The high surrogate has the code point without its last ten bits, the low one the last ten.
        let code = _mm512_ternarylogic_epi32::<0xFE>(
            _mm512_and_si512(_mm512_slli_epi16::<8>(one), all(0x0700)),
            _mm512_slli_epi16::<2>(next),
            _mm512_srli_epi16::<4>(last),
        );
        let fours = _mm512_cmpge_epu16_mask(one, all(0xF0));
        let units = _mm512_mask_add_epi16(units, fours, code, all(0xD800 - 0x40));
        let low = _mm512_ternarylogic_epi32::<0xEA>(three, all(0x03FF), all(0xDC00));
        let seconds = _mm512_cmpeq_epi16_mask(_mm512_and_si512(one, all(0xC0)), all(0x80));
        _mm512_mask_mov_epi16(units, seconds, low)
    }
}

/// The numbers of the bytes of a vector.
const PLACES: [u8; 64] = array!(at < 64 => at as u8);
