//! Single-byte charsets with AVX-512: tables of 256 bytes are in registers (VBMI), and bytes that do not count are removed
//! by `vpcompressb` (VBMI2).

use crate::arch::array;
use crate::arch::types::{FromUtf8, Page, ToUtf8};
use crate::arch::x86_64::memory::{Lookup256, load_512, load_part_512, low_bits, store_512, store_part_512};
use std::arch::x86_64::*;

/// Returns indices that interleave vectors, with `parts` bytes per character; the block `index` of the result. The byte
/// of part 0 comes from the first vector, that of part 1 from the second; that of part 2 does not matter.
const fn side_by_side(parts: usize, index: usize) -> [u8; 64] {
    array!(place < 64 => {
        let slot = 64 * index + place;
        (slot / parts + if slot % parts == 1 { 64 } else { 0 }) as u8
    })
}

/// Returns a mask of the places of part 2 of 3 in the block `index`.
const fn third_parts(index: usize) -> u64 {
    let mut places = 0;
    let mut place = 0;
    while place < 64 {
        if (64 * index + place) % 3 == 2 {
            places |= 1 << place;
        }
        place += 1;
    }
    places
}

static PAIRS: [[u8; 64]; 2] = array!(index < 2 => side_by_side(2, index));
static TRIPLES: [[u8; 64]; 3] = array!(index < 3 => side_by_side(3, index));
const THIRDS: [u64; 3] = [third_parts(0), third_parts(1), third_parts(2)];

/// Decodes up to the first byte without a character of up to three bytes, or until the output of a block does not fit.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn decode(table: &ToUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    // One function without calls, so that the tables stay in registers.
    let (firsts, befores) = (Lookup256::new(&table.first), Lookup256::new(&table.before));
    let lasts = Lookup256::new(&table.last);
    let pairs = [load_512(&PAIRS[0]), load_512(&PAIRS[1])];
    let absent = _mm512_set1_epi8(ToUtf8::ABSENT as i8);
    let (mut read, mut written) = (0, 0);
    while read < src.len() {
        let rest = &src[read..];
        let room = &mut dst[written..];
        let bytes = match rest.first_chunk() {
            Some(block) => load_512(block),
            None => load_part_512(rest),
        };
        let len = rest.len().min(64);
        let last = lasts.get(bytes);
        // The last byte of a character has its high bit set unless it is the only one.
        let wide = _mm512_movepi8_mask(last);
        if len == 64
            && wide == 0
            && let Some(room) = room.first_chunk_mut()
        {
            store_512(room, last);
            (read, written) = (read + 64, written + 64);
            // ASCII usually comes in long runs: test four blocks at a time.
            while let Some(blocks) = src[read..].first_chunk::<256>()
                && let Some(room) = dst[written..].first_chunk_mut::<256>()
            {
                let (blocks, _) = blocks.as_chunks::<64>();
                let (a, b) = (lasts.get(load_512(&blocks[0])), lasts.get(load_512(&blocks[1])));
                let (c, d) = (lasts.get(load_512(&blocks[2])), lasts.get(load_512(&blocks[3])));
                let any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
                if _mm512_movepi8_mask(any) != 0 {
                    break;
                }
                let (rooms, _) = room.as_chunks_mut::<64>();
                store_512(&mut rooms[0], a);
                store_512(&mut rooms[1], b);
                store_512(&mut rooms[2], c);
                store_512(&mut rooms[3], d);
                (read, written) = (read + 256, written + 256);
            }
            continue;
        }
        let taken = low_bits(len);
        if wide & taken == 0
            && let Some(room) = room.first_chunk_mut()
        {
            // A short value, or the end of a long one. What is stored after it does not count.
            store_512(room, last);
            return (read + len, written + len);
        }
        // `before` is absent for ASCII, or a lead byte of two. Otherwise the character has three bytes, or there is none.
        let before = befores.get(bytes);
        let long = _mm512_cmplt_epi8_mask(before, _mm512_set1_epi8(0xC0u8 as i8));
        if long & taken == 0
            && let Some(room) = room.first_chunk_mut()
        {
            // The bytes after these come from the zeros after the end of `src`.
            put_pairs(room, before, last, pairs, wide);
            (read, written) = (read + len, written + len + (wide & taken).count_ones() as usize);
            continue;
        }
        let first = firsts.get(bytes);
        let none = _mm512_cmpeq_epi8_mask(first, _mm512_set1_epi8(ToUtf8::NONE as i8));
        let good = len.min(none.trailing_zeros() as usize);
        let taken = low_bits(good);
        let threes = _mm512_cmpneq_epi8_mask(first, absent) & taken;
        let wides = _mm512_cmpneq_epi8_mask(before, absent) & taken;
        let made = good + (wides.count_ones() + threes.count_ones()) as usize;
        if made > room.len() {
            break;
        }
        let mut filled = 0;
        for (index, (places, thirds)) in TRIPLES.iter().zip(THIRDS).enumerate() {
            let places = load_512(places);
            let two = _mm512_permutex2var_epi8(first, places, before);
            let all = _mm512_mask_permutexvar_epi8(two, thirds, places, last);
            let slots = (3 * good).saturating_sub(64 * index);
            let kept = _mm512_cmpneq_epi8_mask(all, absent) & low_bits(slots);
            let all = _mm512_maskz_compress_epi8(kept, all);
            let end = filled + kept.count_ones() as usize;
            match room[filled..].first_chunk_mut() {
                Some(room) => store_512(room, all),
                None => store_part_512(&mut room[filled..end], all),
            }
            filled = end;
        }
        (read, written) = (read + good, written + made);
        if good < len {
            break;
        }
    }
    (read, written)
}

/// Writes characters of one and two bytes. `wide` is the mask of those of two bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
fn put_pairs(room: &mut [u8; 128], before: __m512i, last: __m512i, pairs: [__m512i; 2], wide: u64) {
    let absent = _mm512_set1_epi8(ToUtf8::ABSENT as i8);
    let low = _mm512_permutex2var_epi8(before, pairs[0], last);
    let high = _mm512_permutex2var_epi8(before, pairs[1], last);
    let low = _mm512_maskz_compress_epi8(_mm512_cmpneq_epi8_mask(low, absent), low);
    let high = _mm512_maskz_compress_epi8(_mm512_cmpneq_epi8_mask(high, absent), high);
    let middle = 32 + (wide as u32).count_ones() as usize;
    store_512(room.first_chunk_mut().expect("64 of 128"), low);
    // It is at most 64; `min` saves a bounds check.
    store_512(room[middle.min(64)..].first_chunk_mut().expect("64 of 128"), high);
}

/// Encodes up to the first character that the table does not have, or until the output of a block does not fit.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn encode(table: &FromUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (ascii, latin) = (Half::new(table.page(0)), Half::new(table.page(1)));
    let common = Half::new(table.page(table.common));
    let common_lead = _mm512_set1_epi8((0xC0 | table.common << 1) as i8);
    let (latin_none, latin_holes) = match table.latin_none {
        Some(none) => (_mm512_set1_epi8(none as i8), u64::MAX),
        None => (_mm512_setzero_si512(), 0),
    };
    let low_cleared = _mm512_set1_epi8(!1);
    let (mut read, mut written) = (0, 0);
    while read < src.len() {
        let rest = &src[read..];
        let room = &mut dst[written..];
        let bytes = match rest.first_chunk() {
            Some(block) => load_512(block),
            None => load_part_512(rest),
        };
        let wide = _mm512_movepi8_mask(bytes);
        let is_whole = rest.len() >= 64;
        if wide == 0
            && is_whole
            && let Some(room) = room.first_chunk_mut()
        {
            let made = ascii.get(bytes);
            let bad = _mm512_cmpeq_epi8_mask(made, latin_none) & latin_holes;
            store_512(room, made);
            if bad != 0 {
                let good = bad.trailing_zeros() as usize;
                return (read + good, written + good);
            }
            (read, written) = (read + 64, written + 64);
            // ASCII usually comes in long runs: test four blocks at a time.
            while let Some(blocks) = src[read..].first_chunk::<256>()
                && let Some(room) = dst[written..].first_chunk_mut::<256>()
            {
                let (blocks, _) = blocks.as_chunks::<64>();
                let (a, b) = (load_512(&blocks[0]), load_512(&blocks[1]));
                let (c, d) = (load_512(&blocks[2]), load_512(&blocks[3]));
                let any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
                let made = [ascii.get(a), ascii.get(b), ascii.get(c), ascii.get(d)];
                let is_bad = |made| _mm512_cmpeq_epi8_mask(made, latin_none);
                let bad = (is_bad(made[0]) | is_bad(made[1]) | is_bad(made[2]) | is_bad(made[3])) & latin_holes;
                if _mm512_movepi8_mask(any) | bad != 0 {
                    break;
                }
                let (rooms, _) = room.as_chunks_mut::<64>();
                store_512(&mut rooms[0], made[0]);
                store_512(&mut rooms[1], made[1]);
                store_512(&mut rooms[2], made[2]);
                store_512(&mut rooms[3], made[3]);
                (read, written) = (read + 256, written + 256);
            }
            continue;
        }
        // The bytes one place further. The code of a character is made at the place of its first byte.
        let next = match rest[1..].first_chunk() {
            Some(block) => load_512(block),
            None => load_part_512(&rest[1..]),
        };
        let mut kept = _mm512_cmpge_epi8_mask(bytes, _mm512_set1_epi8(0xC0u8 as i8));
        // ASCII is looked up directly, other characters up to U+00FF by their place on the second page.
        let place = page_place(bytes, next);
        let mut made = _mm512_mask_mov_epi8(ascii.get(bytes), wide, latin.get(place));
        let mut bad = _mm512_mask_cmpeq_epi8_mask(kept & latin_holes, made, latin_none);
        let beyond = _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(0xC3u8 as i8));
        if beyond != 0 {
            // For most charsets, these are all other characters of two bytes.
            let lead = _mm512_and_si512(bytes, low_cleared);
            let here = _mm512_cmpeq_epi8_mask(lead, common_lead);
            made = _mm512_mask_mov_epi8(made, here, common.get(place));
            bad = bad & !beyond | _mm512_mask_cmpeq_epi8_mask(here, made, common.none);
            let mut far = beyond & !here;
            // The rest, page by page. Characters after a bad one do not matter.
            while far.trailing_zeros() < bad.trailing_zeros() {
                let at = far.trailing_zeros() as usize;
                let (page, len) = match rest[at] {
                    lead @ 0xC0..=0xDF => (usize::from(lead & 0x1F) >> 1, 2),
                    lead @ 0xE0..=0xEF => (usize::from(lead & 0xF) << 5 | usize::from(rest[at + 1] & 0x3F) >> 1, 3),
                    // Four bytes: not on any page.
                    _ => {
                        bad |= 1 << at;
                        break;
                    }
                };
                let page = Half::new(table.page(page));
                let same = if len == 2 {
                    let same = _mm512_cmpeq_epi8_mask(lead, _mm512_set1_epi8((rest[at] & !1) as i8));
                    made = _mm512_mask_mov_epi8(made, same, page.get(place));
                    same
                } else {
                    let middle = _mm512_and_si512(next, low_cleared);
                    let same = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(rest[at] as i8))
                        & _mm512_cmpeq_epi8_mask(middle, _mm512_set1_epi8((rest[at + 1] & !1) as i8));
                    let last = match rest[2..].first_chunk() {
                        Some(block) => load_512(block),
                        None => load_part_512(&rest[2..]),
                    };
                    made = _mm512_mask_mov_epi8(made, same, page.get(page_place(next, last)));
                    same
                };
                bad |= _mm512_mask_cmpeq_epi8_mask(same, made, page.none);
                far &= !same;
            }
        }
        if bad == 0
            && is_whole
            && let Some(room) = room.first_chunk_mut()
        {
            store_512(room, _mm512_maskz_compress_epi8(kept, made));
            (read, written) = (read + 64, written + kept.count_ones() as usize);
            continue;
        }
        bad &= low_bits(rest.len());
        kept &= low_bits(rest.len().min(bad.trailing_zeros() as usize));
        let count = kept.count_ones() as usize;
        let made = _mm512_maskz_compress_epi8(kept, made);
        match room.first_chunk_mut() {
            Some(room) => store_512(room, made),
            None => match room.get_mut(..count) {
                Some(room) => store_part_512(room, made),
                None => break,
            },
        }
        written += count;
        if bad != 0 {
            return (read + bad.trailing_zeros() as usize, written);
        }
        read += rest.len().min(64);
    }
    // The last block may have ended within a character, which was encoded.
    while src.get(read).is_some_and(|byte| byte & 0xC0 == 0x80) {
        read += 1;
    }
    (read, written)
}

/// A [`Page`] in registers.
struct Half {
    bytes: [__m512i; 2],
    none: __m512i,
}

impl Half {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn new(page: &Page) -> Self {
        let (parts, _) = page.bytes.as_chunks::<64>();
        Half { bytes: [load_512(&parts[0]), load_512(&parts[1])], none: _mm512_set1_epi8(page.none as i8) }
    }

    /// Looks bytes up by their low seven bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn get(&self, low: __m512i) -> __m512i {
        _mm512_permutex2var_epi8(self.bytes[0], low, self.bytes[1])
    }
}

/// Returns the place of each character on its page of 128: the low bit of its last byte but one, and six bits of the last
/// byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn page_place(before: __m512i, last: __m512i) -> __m512i {
    // 0xF8: the first operand, or the second and the third. The high bit of the result does not matter.
    const OR_AND: i32 = 0xF8;
    _mm512_ternarylogic_epi64(last, _mm512_slli_epi16(before, 6), _mm512_set1_epi8(0x40), OR_AND)
}
