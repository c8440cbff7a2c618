//! Lanes with AVX-512: sixteen at a time; `vpcompressb` removes the bytes that do not count.

use crate::arch::scalar;
use crate::arch::types::{Escapes, FOLLOWS, LEN, Leads, MAY_GO_ON, NO_CODE, Shifts, Split, Switches};
use crate::arch::x86_64::memory::{
    load_512, load_lanes, load_part_lanes, load_units, load16, low_bits, store_512, store_units,
};
use std::arch::x86_64::*;

/// See [`text`](crate::arch::lanes::text).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn text(lanes: &[u32], dst: &mut [u8]) -> (usize, usize) {
    let (mut done, mut written) = (0, 0);
    while let Some(block) = lanes[done..].first_chunk::<16>()
        && let Some(room) = dst[written..].first_chunk_mut()
    {
        let block = load_lanes(block);
        let (bad, keep) = bytes_of_text(block);
        // A branch, so that the next step need not wait for this one.
        if bad != 0 {
            break;
        }
        store_512(room, _mm512_maskz_compress_epi8(keep, block));
        (done, written) = (done + 16, written + keep.count_ones() as usize);
    }
    // The zeros after the end are not characters either.
    let block = load_part_lanes(&lanes[done..]);
    let (bad, keep) = bytes_of_text(block);
    if let Some(room) = dst[written..].first_chunk_mut()
        && bad != 0
    {
        let good = bad.trailing_zeros() as usize;
        let keep = keep & low_bits(4 * good);
        store_512(room, _mm512_maskz_compress_epi8(keep, block));
        (done, written) = (done + good, written + keep.count_ones() as usize);
    }
    (done, written)
}

/// Returns which of sixteen lanes are not characters, and which bytes are theirs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn bytes_of_text(block: __m512i) -> (u16, u64) {
    // Copies the top octet of a lane, the length, to all of its bytes. A byte counts if its place is below the length.
    let top = _mm512_set4_epi32(0x0F0F_0F0F, 0x0B0B_0B0B, 0x0707_0707, 0x0303_0303);
    let place = _mm512_set1_epi32(0x7F02_0100);
    let lens = _mm512_srli_epi32::<LEN>(block);
    let bad = _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(lens, _mm512_set1_epi32(1)), _mm512_set1_epi32(2));
    (bad, _mm512_cmpgt_epi8_mask(_mm512_shuffle_epi8(block, top), place))
}

/// See [`codes`](crate::arch::lanes::codes).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn codes(lanes: &[u32], shifts: Option<Shifts>, is_double: &mut bool, dst: &mut [u8]) -> (usize, usize) {
    let count = lanes.len().saturating_sub(1);
    let (mut done, mut written) = (0, 0);
    // The shift state before the next lane, in bit 0.
    let mut state = u32::from(*is_double);
    while let Some(both) = lanes[done..].first_chunk::<17>()
        && let Some(room) = dst[written..].first_chunk_mut()
    {
        let (block, next) = (both.first_chunk().expect("of 17"), both.last_chunk().expect("of 17"));
        let codes = Codes::of(load_lanes(block), load_lanes(next), shifts, state);
        // A branch, so that the next step need not wait for this one.
        if codes.bad != 0 {
            break;
        }
        store_512(room, _mm512_maskz_compress_epi8(codes.keep, codes.bytes));
        (done, written) = (done + 16, written + codes.keep.count_ones() as usize);
        state = codes.states >> 16;
    }
    // The zeros after the end are not codes either.
    let next = load_part_lanes(lanes.get(done + 1..).unwrap_or_default());
    let codes = Codes::of(load_part_lanes(&lanes[done..count]), next, shifts, state);
    if let Some(room) = dst[written..].first_chunk_mut()
        && codes.bad != 0
    {
        let good = codes.bad.trailing_zeros();
        let keep = codes.keep & low_bits(4 * good as usize);
        store_512(room, _mm512_maskz_compress_epi8(keep, codes.bytes));
        (done, written) = (done + good as usize, written + keep.count_ones() as usize);
        state = codes.states >> good & 1;
    }
    *is_double = state == 1;
    (done, written)
}

/// The codes of sixteen lanes.
struct Codes {
    /// The lanes that are not written.
    bad: u16,
    /// The bytes of each lane in their order, after a shift code; and which of them count.
    bytes: __m512i,
    keep: u64,
    /// The shift state before each lane, from bit 0 on, and after the last.
    states: u32,
}

impl Codes {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn of(block: __m512i, next: __m512i, shifts: Option<Shifts>, state: u32) -> Codes {
        let shifted = if shifts.is_some() { u16::MAX } else { 0 };
        let Shifts { out, back } = shifts.unwrap_or(Shifts { out: 0, back: 0 });
        let (out, back) = (_mm512_set1_epi32(out.into()), _mm512_set1_epi32(back.into()));
        // Reverses the code, with a zero before it.
        let turn = _mm512_broadcast_i32x4(_mm_set_epi32(0x0C0D_0E80, 0x0809_0A80, 0x0405_0680, 0x0001_0280));
        let lens = _mm512_and_si512(_mm512_srli_epi32::<LEN>(block), _mm512_set1_epi32(7));
        let none = _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(lens, _mm512_set1_epi32(1)), _mm512_set1_epi32(2));
        let open = _mm512_test_epi32_mask(block, _mm512_set1_epi32(MAY_GO_ON as i32));
        let bad = none | _mm512_mask_test_epi32_mask(open, next, _mm512_set1_epi32(FOLLOWS as i32));
        let double = _mm512_mask_cmpgt_epu32_mask(shifted, lens, _mm512_set1_epi32(1));
        // Bit 0 is the state before the first lane, bit 1 that of the first lane, and so on.
        let states = u32::from(double) << 1 | state;
        let changes = double ^ states as u16;
        let shift = _mm512_mask_mov_epi32(back, double, out);
        let bytes = _mm512_or_si512(_mm512_shuffle_epi8(block, turn), shift);
        // All ones from the first byte of the code on, and before it if there is a shift code.
        let bits = _mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_slli_epi32::<3>(lens));
        let ones = _mm512_set1_epi32(-1);
        let kept = _mm512_sllv_epi32(ones, bits);
        let kept = _mm512_mask_or_epi32(kept, changes, kept, _mm512_set1_epi32(0xFF));
        Codes { bad, bytes, keep: _mm512_movepi8_mask(kept), states }
    }
}

/// See [`short_codes`](crate::arch::lanes::short_codes).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn short_codes(codes: &[u16], dst: &mut [u8]) -> (usize, usize) {
    const FIRST_BYTES: u64 = 0x5555_5555_5555_5555;
    let none = _mm512_set1_epi16(NO_CODE as i16);
    let (mut done, mut written) = (0, 0);
    while let Some(block) = codes[done..].first_chunk()
        && let Some(room) = dst[written..].first_chunk_mut()
    {
        let units = load_units(block);
        if _mm512_cmpeq_epi16_mask(units, none) != 0 {
            break;
        }
        let keep = FIRST_BYTES | _mm512_test_epi8_mask(units, units);
        store_512(room, _mm512_maskz_compress_epi8(keep, units));
        (done, written) = (done + block.len(), written + keep.count_ones() as usize);
    }
    let (more, put) = scalar::lanes::short_codes(&codes[done..], &mut dst[written..]);
    (done + more, written + put)
}

/// See [`split`](crate::arch::lanes::split).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn split(shifts: Shifts, is_double: bool, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
    let (front, back) = (block.first_chunk().expect("of 65"), block.last_chunk().expect("of 65"));
    let (bytes, nexts) = (load_512(front), load_512(back));
    let [out, back] = [shifts.out, shifts.back].map(|code| _mm512_set1_epi8(code as i8));
    let [outs, backs] = [out, back].map(|code| _mm512_cmpeq_epi8_mask(bytes, code));
    let is_next = block[64] == shifts.out || block[64] == shifts.back;
    let split = Split::of(Switches { outs, backs, len: 1, late: 0 }, is_next, is_double);
    put_all(&split, bytes, nexts, out, units);
    split
}

/// See [`split_escapes`](crate::arch::lanes::split_escapes).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn split_escapes(escapes: Escapes, is_double: bool, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
    let (front, back) = (block.first_chunk().expect("of 65"), block.last_chunk().expect("of 65"));
    let (bytes, nexts) = (load_512(front), load_512(back));
    let places = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
    let last = escapes.last.map(|[either, only_out]| [places(either), places(only_out)]);
    let switches = escapes.places(places(escapes.first), places(escapes.out), places(escapes.back), last);
    let split = Split::of(switches, block[64] == escapes.first, is_double);
    put_all(&split, bytes, nexts, _mm512_set1_epi8(escapes.first as i8), units);
    split
}

/// See [`split_pairs`](crate::arch::lanes::split_pairs).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn split_pairs(leads: &Leads, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
    let (front, back) = (block.first_chunk().expect("of 65"), block.last_chunk().expect("of 65"));
    let (bytes, nexts) = (load_512(front), load_512(back));
    let [low, high] = [&leads.low, &leads.high].map(|table| _mm512_broadcast_i32x4(load16(table)));
    let nibbles = _mm512_set1_epi8(0xF);
    let low = _mm512_shuffle_epi8(low, _mm512_and_si512(bytes, nibbles));
    let high = _mm512_shuffle_epi8(high, _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibbles));
    let split = Split::of_pairs(_mm512_test_epi8_mask(low, high));
    // No lead is 0, so nothing replaces it.
    put_all(&split, bytes, nexts, _mm512_setzero_si512(), units);
    split
}

/// Writes the units that begin at `split.firsts`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_all(split: &Split, bytes: __m512i, nexts: __m512i, out: __m512i, units: &mut [u16; 64]) {
    let (firsts, leads) = (split.firsts, split.doubles);
    let zeros = _mm512_testn_epi8_mask(bytes, bytes);
    let high = _mm512_mask_mov_epi8(_mm512_maskz_mov_epi8(leads, bytes), leads & zeros, out);
    let low = _mm512_mask_mov_epi8(bytes, leads, nexts);
    let (high, low) = (_mm512_maskz_compress_epi8(firsts, high), _mm512_maskz_compress_epi8(firsts, low));
    let unit = |high: __m256i, low: __m256i| {
        _mm512_or_si512(_mm512_slli_epi16::<8>(_mm512_cvtepu8_epi16(high)), _mm512_cvtepu8_epi16(low))
    };
    let (first, second) = units.split_at_mut(32);
    let first_units = unit(_mm512_castsi512_si256(high), _mm512_castsi512_si256(low));
    store_units(first.first_chunk_mut().expect("half"), first_units);
    if firsts.count_ones() > 32 {
        let second_units = unit(_mm512_extracti64x4_epi64::<1>(high), _mm512_extracti64x4_epi64::<1>(low));
        store_units(second.first_chunk_mut().expect("half"), second_units);
    }
}
