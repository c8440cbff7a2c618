//! The algorithm that validates UTF-8 with vectors, for vectors of any size.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, unused_macros))] // No vectors.

/// Returns where the character begins that `at` is within, or `at` if it is between two characters. Everything before
/// `at` is well-formed.
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

/// How many bytes are validated together. Every vector length divides it.
pub(super) const BLOCK: usize = 64;

/// From how many bytes on a block that is not full is worth it.
pub(super) const SHORTEST: usize = 16;

/// Defines `copy(src, dst)`, which copies whole, well-formed characters in blocks, for the instruction set `$features`.
///
/// It needs three lookups per byte (J. Keiser, D. Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte"). The
/// two nibbles of the byte before and the high nibble of this one rule out the errors of two bytes, one bit per error;
/// then it remains to check that third and fourth bytes are where they must be.
///
/// The module that calls the macro has the [operators](super::operators) of the instruction set.
macro_rules! copy_by_blocks {
    ($features:literal) => {
        /// See [`arch::utf8::copy`](crate::arch::utf8::copy). The slices are equally long.
        #[target_feature(enable = $features)]
        pub(in crate::arch) fn copy(src: &[u8], dst: &mut [u8]) -> usize {
            use $crate::arch::utf8_blocks::{BLOCK, SHORTEST, boundary};
            let mut at = 0;
            let mut was_ascii = true;
            while let Some(block) = src[at..].first_chunk::<BLOCK>()
                && let Some(room) = dst[at..].first_chunk_mut::<BLOCK>()
            {
                let mut all = splat(0);
                let mut from = 0;
                while from < BLOCK {
                    let bytes = load(block, from);
                    store(room, from, bytes);
                    all = or(all, bytes);
                    from += LEN;
                }
                if is_ascii(all) {
                    if !was_ascii && boundary(src, at) != at {
                        break;
                    }
                    was_ascii = true;
                } else {
                    let is_good = match src[..at + BLOCK].last_chunk() {
                        Some(window) => is_well_formed(window),
                        None => begins_well(block),
                    };
                    if !is_good {
                        break;
                    }
                    was_ascii = false;
                }
                at += BLOCK;
            }
            // Less than a block is left: validate it together with some of the bytes before it.
            if (1..BLOCK).contains(&(src.len() - at))
                && let Some(window) = src.last_chunk()
                && let Some(room) = dst.last_chunk_mut::<BLOCK>()
                && is_well_formed(window)
            {
                room.copy_from_slice(&window[3..]);
                at = src.len();
            }
            // A value that is too short for such a window.
            if at < src.len() && (SHORTEST..BLOCK + 3).contains(&src.len()) && (src.is_ascii() || is_value(src)) {
                dst.copy_from_slice(src);
                return src.len();
            }
            boundary(src, at)
        }

        /// Returns whether a block continues the three bytes before it without an error. Whether the character at its end
        /// is complete shows in the next block.
        #[inline]
        #[target_feature(enable = $features)]
        fn is_well_formed(window: &[u8; 3 + $crate::arch::utf8_blocks::BLOCK]) -> bool {
            let mut found = splat(0);
            let mut at = 3;
            while at < window.len() {
                found = or(found, faults_at(window, at));
                at += LEN;
            }
            is_zero(found)
        }

        /// Does the same with a block before which there is nothing.
        #[inline]
        #[target_feature(enable = $features)]
        fn begins_well(block: &[u8; $crate::arch::utf8_blocks::BLOCK]) -> bool {
            let mut found = faults_at_start(block);
            let mut at = LEN;
            while at < block.len() {
                found = or(found, faults_at(block, at));
                at += LEN;
            }
            is_zero(found)
        }

        /// Returns a vector that is zero if the bytes from `at` on continue the three before them without an error.
        #[inline]
        #[target_feature(enable = $features)]
        fn faults_at(text: &[u8], at: usize) -> Vector {
            faults_of([load(text, at - 3), load(text, at - 2), load(text, at - 1), load(text, at)])
        }

        /// Does the same with the first bytes. To copy them behind three others would take longer: the loads would wait
        /// for the stores.
        #[inline]
        #[target_feature(enable = $features)]
        fn faults_at_start(text: &[u8]) -> Vector {
            let this = load(text, 0);
            faults_of([after_zeros::<13>(this), after_zeros::<14>(this), after_zeros::<15>(this), this])
        }

        /// Is given the bytes three, two and one places before some bytes, and these.
        #[inline]
        #[target_feature(enable = $features)]
        fn faults_of([third, second, first, this]: [Vector; 4]) -> Vector {
            use $crate::arch::utf8_blocks::faults;
            let by_first_high = lookup(high_nibbles(first), &faults::FIRST_HIGH);
            let by_first_low = lookup(and(first, splat(0xF)), &faults::FIRST_LOW);
            let by_second_high = lookup(high_nibbles(this), &faults::SECOND_HIGH);
            let pair = and(and(by_first_high, by_first_low), by_second_high);
            // The high bit is set if the byte two, or three, before is a lead byte of at least three, or four.
            let of_three = minus(second, splat(0xE0 - 0x80));
            let of_four = minus(third, splat(0xF0 - 0x80));
            // There, and only there, a continuation byte must follow a continuation byte.
            let must = and(or(of_three, of_four), splat(0x80));
            xor(must, pair)
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use copy_by_blocks;

/// Defines `is_value(src)` for vectors of 16 bytes, with what [`copy_by_blocks`] defines.
macro_rules! values_by_vectors {
    ($features:literal) => {
        /// Returns whether a text of at least [`SHORTEST`](crate::arch::utf8_blocks::SHORTEST) bytes is well-formed.
        #[inline]
        #[target_feature(enable = $features)]
        pub(in crate::arch) fn is_value(src: &[u8]) -> bool {
            use $crate::arch::utf8_blocks::boundary;
            let mut found = faults_at_start(src);
            let mut at = LEN;
            while at + LEN <= src.len() {
                found = or(found, faults_at(src, at));
                at += LEN;
            }
            // The last bytes, with some that were looked at.
            let front = load(src, 0);
            let last = match src.len() - LEN {
                0 => found,
                1 => faults_of([after_zeros::<14>(front), after_zeros::<15>(front), front, load(src, 1)]),
                2 => faults_of([after_zeros::<15>(front), front, load(src, 1), load(src, 2)]),
                at => faults_at(src, at),
            };
            found = or(found, last);
            is_zero(found) && boundary(src, src.len()) == src.len()
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use values_by_vectors;

/// The errors that two bytes can show, one bit each, by the nibbles that reveal them: there is an error if all three
/// tables have its bit.
pub(super) mod faults {
    /// A lead byte without a continuation byte.
    const TOO_SHORT: u8 = 1 << 0;
    /// A continuation byte after ASCII.
    const TOO_LONG: u8 = 1 << 1;
    /// E0 and a second byte that encodes a character below U+0800.
    const OVERLONG_3: u8 = 1 << 2;
    /// F4 and a second byte for a character above U+10FFFF, or a lead byte from F5 on.
    const TOO_LARGE: u8 = 1 << 3;
    /// ED and the second byte of a surrogate.
    const SURROGATE: u8 = 1 << 4;
    /// C0 or C1.
    const OVERLONG_2: u8 = 1 << 5;
    /// F0 and a second byte that encodes a character below U+10000.
    const OVERLONG_4: u8 = 1 << 6;
    /// A lead byte from F5 on, and 80 to 8F. It shares the bit of `OVERLONG_4`, since only F0 can be that one.
    const TOO_LARGE_1000: u8 = 1 << 6;
    /// Two continuation bytes: wrong unless a third or fourth byte must be here. It is the high bit, for comparison with
    /// that.
    const TWO_CONTINUATIONS: u8 = 1 << 7;
    /// The errors that do not depend on the low nibble.
    const ANY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

    pub(in crate::arch) const FIRST_HIGH: [u8; 16] = {
        let mut table = [TOO_LONG; 16];
        (table[0x8], table[0x9], table[0xA], table[0xB]) =
            (TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS);
        table[0xC] = TOO_SHORT | OVERLONG_2;
        table[0xD] = TOO_SHORT;
        table[0xE] = TOO_SHORT | OVERLONG_3 | SURROGATE;
        table[0xF] = TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4;
        table
    };
    pub(in crate::arch) const FIRST_LOW: [u8; 16] = {
        let mut table = [ANY | TOO_LARGE | TOO_LARGE_1000; 16];
        table[0x0] = ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4;
        table[0x1] = ANY | OVERLONG_2;
        (table[0x2], table[0x3]) = (ANY, ANY);
        table[0x4] = ANY | TOO_LARGE;
        table[0xD] |= SURROGATE;
        table
    };
    pub(in crate::arch) const SECOND_HIGH: [u8; 16] = {
        const CONTINUATION: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
        let mut table = [TOO_SHORT; 16];
        table[0x8] = CONTINUATION | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4;
        table[0x9] = CONTINUATION | OVERLONG_3 | TOO_LARGE;
        (table[0xA], table[0xB]) = (CONTINUATION | SURROGATE | TOO_LARGE, CONTINUATION | SURROGATE | TOO_LARGE);
        table
    };
}
