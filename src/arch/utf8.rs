//! UTF-8, validated and copied in one pass.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, unused_macros))] // No vectors.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Isa, scalar};

/// Copies whole, well-formed characters from the front of `src` to that of `dst` with the kernel of `isa`, in blocks;
/// answers how many bytes. Behind them lies the end of either or something ill-formed, fewer than 72 bytes on; beyond
/// them `dst` may be scribbled on.
#[inline]
pub fn copy(isa: Isa, src: &[u8], dst: &mut [u8]) -> usize {
    let len = src.len().min(dst.len());
    let (src, dst) = (&src[..len], &mut dst[..len]);
    match isa.usable() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Avx512 => unsafe { x86_64::utf8::copy_avx512(src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Avx2 => unsafe { x86_64::utf8::copy_avx2(src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Sse => unsafe { x86_64::utf8::copy_sse(src, dst) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the machine has it.
        Isa::Neon => unsafe { aarch64::utf8::copy_neon(src, dst) },
        _ => scalar::utf8::copy(src, dst),
    }
}

/// Where the character begins that `at` is within; `at` where it is between two. Before it all is well-formed.
pub(super) fn boundary(src: &[u8], at: usize) -> usize {
    for (back, byte) in (1..4).zip(src[..at].iter().rev()) {
        let len = match byte {
            0x80..0xC0 => continue,
            0x00..0x80 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
        };
        return if len > back { at - back } else { at };
    }
    at
}

/// A vector of bytes, for the algorithm of [`copy_by`].
///
/// # Safety
/// Its functions may be called where the machine has the instruction set that the vector is of.
pub(super) trait Vector: Copy {
    /// How many bytes.
    const LEN: usize;
    /// The front of `bytes`, which are no fewer.
    unsafe fn load(bytes: &[u8]) -> Self;
    /// To the front of `place`, which is no shorter.
    unsafe fn store(self, place: &mut [u8]);
    unsafe fn splat(byte: u8) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Not below 0.
    unsafe fn minus(self, other: Self) -> Self;
    /// Of each byte the high four bits, as a number.
    unsafe fn high_nibbles(self) -> Self;
    /// What the table has for each byte, which is below 16.
    unsafe fn lookup(self, table: &[u8; 16]) -> Self;
    unsafe fn is_zero(self) -> bool;
    /// No high bit.
    unsafe fn is_ascii(self) -> bool;
}

/// The vector `$name` out of intrinsics.
macro_rules! vector {
    (
        $name:ident($inner:ty), $len:literal, $load:ident, $store:ident, $splat:ident, $and:ident, $or:ident, $xor:ident,
        $minus:ident,
        high_nibbles: |$high:ident| $high_nibbles:expr,
        lookup: |$place:ident, $table:ident| $lookup:expr,
        is_zero: |$zero:ident| $is_zero:expr,
        is_ascii: |$ascii:ident| $is_ascii:expr
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
                unsafe { $name($splat(byte as _)) }
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
                let $high = self.0;
                // SAFETY: the caller's promise.
                unsafe { $name($high_nibbles) }
            }

            #[inline(always)]
            unsafe fn lookup(self, table: &[u8; 16]) -> Self {
                let ($place, $table) = (self.0, table.as_ptr().cast());
                // SAFETY: the table has 16 bytes; the caller's promise.
                unsafe { $name($lookup) }
            }

            #[inline(always)]
            unsafe fn is_zero(self) -> bool {
                let $zero = self.0;
                // SAFETY: the caller's promise.
                unsafe { $is_zero }
            }

            #[inline(always)]
            unsafe fn is_ascii(self) -> bool {
                let $ascii = self.0;
                // SAFETY: the caller's promise.
                unsafe { $is_ascii }
            }
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use vector;

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// [`copy`], with three lookups for each byte (J. Keiser, D. Lemire, "Validating UTF-8 In Less Than One Instruction Per
/// Byte"): the nibbles of the byte before and the high one of this rule out faults of two bytes, each fault a bit; what
/// is left is whether a third and a fourth byte are where they must be.
///
/// # Safety
/// The machine has the instruction set that `V` is of.
#[inline(always)]
pub(super) unsafe fn copy_by<V: Vector>(src: &[u8], dst: &mut [u8]) -> usize {
    // Three bytes in front of the first block.
    let mut front = [0; 3 + BLOCK];
    let mut at = 0;
    let mut was_ascii = true;
    while let Some(block) = src[at..].first_chunk::<BLOCK>()
        && let Some(room) = dst[at..].first_chunk_mut::<BLOCK>()
    {
        // SAFETY: the caller's promise; each vector is within the block, or within it and the three bytes before.
        unsafe {
            let mut all = V::splat(0);
            let mut from = 0;
            while from < BLOCK {
                let bytes = V::load(&block[from..]);
                bytes.store(&mut room[from..]);
                all = all.or(bytes);
                from += V::LEN;
            }
            if all.is_ascii() {
                if !was_ascii && boundary(src, at) != at {
                    break;
                }
                was_ascii = true;
            } else {
                let window = match src[..at + BLOCK].last_chunk() {
                    Some(window) => window,
                    None => {
                        front[3..].copy_from_slice(block);
                        &front
                    }
                };
                if !is_well_formed::<V>(window) {
                    break;
                }
                was_ascii = false;
            }
        }
        at += BLOCK;
    }
    // Less than a block is left: with some of what is done before it.
    if (1..BLOCK).contains(&(src.len() - at))
        && let Some(window) = src.last_chunk()
        && let Some(room) = dst.last_chunk_mut::<BLOCK>()
    {
        // SAFETY: the caller's promise.
        if unsafe { is_well_formed::<V>(window) } {
            room.copy_from_slice(&window[3..]);
            at = src.len();
        }
    }
    boundary(src, at)
}

/// Whether a block goes on well from the three bytes before it; whether what it ends with goes on, the next one tells.
///
/// # Safety
/// The machine has the instruction set that `V` is of.
#[inline(always)]
unsafe fn is_well_formed<V: Vector>(window: &[u8; 3 + BLOCK]) -> bool {
    // SAFETY: the caller's promise; loads end with the window.
    unsafe {
        let mut faults = V::splat(0);
        let mut from = 0;
        while from < BLOCK {
            let (third, second) = (V::load(&window[from..]), V::load(&window[from + 1..]));
            let (first, this) = (V::load(&window[from + 2..]), V::load(&window[from + 3..]));
            let pair = (first.high_nibbles().lookup(&faults::FIRST_HIGH))
                .and(first.and(V::splat(0xF)).lookup(&faults::FIRST_LOW))
                .and(this.high_nibbles().lookup(&faults::SECOND_HIGH));
            // The high bit where two, or three, before is the lead byte of as many.
            let of_three = second.minus(V::splat(0xE0 - 0x80));
            let of_four = third.minus(V::splat(0xF0 - 0x80));
            // There, and only there, a continuation byte follows a continuation byte.
            let must = of_three.or(of_four).and(V::splat(0x80));
            faults = faults.or(must.xor(pair));
            from += V::LEN;
        }
        faults.is_zero()
    }
}

/// What may be wrong with two bytes, by the nibbles that tell: a fault is there where all three tables have its bit.
mod faults {
    /// A lead byte, and no continuation byte.
    const TOO_SHORT: u8 = 1 << 0;
    /// ASCII, and a continuation byte.
    const TOO_LONG: u8 = 1 << 1;
    /// E0, and what is below U+0800.
    const OVERLONG_3: u8 = 1 << 2;
    /// F4 and what is above U+10FFFF, or F5 on.
    const TOO_LARGE: u8 = 1 << 3;
    /// ED, and a surrogate.
    const SURROGATE: u8 = 1 << 4;
    /// C0 or C1.
    const OVERLONG_2: u8 = 1 << 5;
    /// F0, and what is below U+10000.
    const OVERLONG_4: u8 = 1 << 6;
    /// F5 on, and 80 to 8F; shares its bit, as F0 is never both.
    const TOO_LARGE_1000: u8 = 1 << 6;
    /// Two continuation bytes: wrong but where a third or a fourth byte must be. The high bit, for that.
    const TWO_CONTINUATIONS: u8 = 1 << 7;
    /// These do not depend on the low nibble.
    const ANY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

    pub(super) const FIRST_HIGH: [u8; 16] = {
        let mut table = [TOO_LONG; 16];
        (table[0x8], table[0x9], table[0xA], table[0xB]) =
            (TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS);
        table[0xC] = TOO_SHORT | OVERLONG_2;
        table[0xD] = TOO_SHORT;
        table[0xE] = TOO_SHORT | OVERLONG_3 | SURROGATE;
        table[0xF] = TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4;
        table
    };
    pub(super) const FIRST_LOW: [u8; 16] = {
        let mut table = [ANY | TOO_LARGE | TOO_LARGE_1000; 16];
        table[0x0] = ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4;
        table[0x1] = ANY | OVERLONG_2;
        (table[0x2], table[0x3]) = (ANY, ANY);
        table[0x4] = ANY | TOO_LARGE;
        table[0xD] |= SURROGATE;
        table
    };
    pub(super) const SECOND_HIGH: [u8; 16] = {
        const CONTINUATION: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
        let mut table = [TOO_SHORT; 16];
        table[0x8] = CONTINUATION | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4;
        table[0x9] = CONTINUATION | OVERLONG_3 | TOO_LARGE;
        (table[0xA], table[0xB]) = (CONTINUATION | SURROGATE | TOO_LARGE, CONTINUATION | SURROGATE | TOO_LARGE);
        table
    };
}

#[cfg(test)]
mod tests {
    use super::super::each_isa;
    use super::*;
    use proptest::prelude::*;

    /// Where the automaton of table 3-7 has an edge.
    const EDGES: [u8; 24] = [
        0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
        0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ];

    /// The standard library is the oracle.
    fn agrees(src: &[u8], room: usize) {
        let fits = &src[..src.len().min(room)];
        let good = std::str::from_utf8(fits).map_or_else(|error| error.valid_up_to(), str::len);
        let mut dst = vec![0xA5; room + 80];
        each_isa(|isa| {
            dst.fill(0xA5);
            let len = copy(isa, src, &mut dst[..room]);
            assert!(dst[room..].iter().all(|byte| *byte == 0xA5), "{isa:?}");
            assert!(len <= good && good - len < 72, "{isa:?}: {len} of {good}, {src:X?}");
            assert!(src[..len] == dst[..len] && std::str::from_utf8(&src[..len]).is_ok(), "{isa:?}: {src:X?}");
            if isa != Isa::Scalar && fits.len() >= 67 && std::str::from_utf8(fits).is_ok() {
                assert_eq!(len, good, "{isa:?}: {src:X?}");
            }
        });
    }

    /// A little of each kind, for where all of it takes too long: under Miri.
    #[test]
    fn a_few() {
        for text in ["aé€😀", "€", "a"] {
            let src = text.repeat(260 / text.len()).into_bytes();
            for room in [0, 63, 64, 100, 200, 300] {
                agrees(&src, room);
                agrees(&src[1..], room);
            }
            for (at, byte) in [(0, 0xFF), (66, 0xE0), (130, 0x80)] {
                let mut src = src.clone();
                src[at] = byte;
                agrees(&src, 300);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_four_edges() {
        // Across the end of a block, and at the end of all.
        for (len, at) in [(200, 62), (200, 125), (96, 92)] {
            let mut src = vec![b'a'; len];
            for (a, b) in EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b))) {
                for (c, d) in EDGES.iter().flat_map(|c| EDGES.map(|d| (*c, d))) {
                    src[at..at + 4].copy_from_slice(&[a, b, c, d]);
                    agrees(&src, len);
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_place_and_every_length() {
        let texts =
            ["aé€😀", "é", "€", "😀", "a", "ab\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"].map(|text| text.repeat(220));
        for text in &texts {
            for cut in 0..200 {
                agrees(&text.as_bytes()[..cut], 200);
                agrees(&text.as_bytes()[cut..], 220 - cut);
                agrees(text.as_bytes(), cut);
            }
            for at in 0..200 {
                for byte in [b'a', 0x80, 0xBF, 0xC0, 0xC3, 0xE0, 0xED, 0xF0, 0xF4, 0xFF] {
                    let mut src = text.as_bytes()[..220].to_vec();
                    src[at] = byte;
                    agrees(&src, 220);
                }
            }
        }
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "too much of it")]
        fn any_text_with_something_wrong(
            text in "[a-z]{0,80}[é€😀а-я\u{80}-\u{10FFFF}]{0,200}[a-z]{0,300}[ aé€😀]{0,100}",
            wrong in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(EDGES.to_vec())), 0..3),
            cut in any::<prop::sample::Index>(),
            room in 0usize..1500,
        ) {
            let mut src = text.into_bytes();
            src.push(b' ');
            for (at, byte) in wrong {
                let at = at.index(src.len());
                src[at] = byte;
            }
            agrees(&src[cut.index(src.len())..], room);
        }
    }
}
