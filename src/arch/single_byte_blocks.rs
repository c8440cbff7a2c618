//! The algorithm that converts single-byte charsets with vectors whose look-ups have entries of one byte, for vectors of
//! any size.

/// Defines `decode(table, src, dst)` and `encode(table, src, dst)` for the instruction set `$features`, see
/// [`arch::single_byte`](super::single_byte), and `translate(table, src, dst)`, see [`arch::bytes`](super::bytes). They
/// go in blocks of two vectors.
///
/// Decoding looks up a code that has all of a character, see [`DecodeCodes`](super::compact::DecodeCodes). A block with
/// other characters needs one look-up for each byte of UTF-8. Encoding makes the code of each character where its first
/// byte is, from that byte and the next one, and looks it up; see [`EncodeCodes`](super::compact::EncodeCodes). The
/// characters of other pages are looked up page by page. In both directions, a shuffle from a table removes the bytes
/// that do not count.
///
/// The module that calls the macro has the [operators](super::operators) of the instruction set, and defines what else
/// the algorithm does with vectors, each a function with the same `target_feature`:
///
/// | name | meaning |
/// |---|---|
/// | `lookup256(table, [vector; 2])` | the table's entry for each byte |
/// | `lookup128(table, [vector; 2])` | the same for bytes below 0x80 |
/// | `ascii(codes, [vector; 2])` | the same as `lookup256(codes.codes, …)`, if it also returns that all of it is ASCII |
/// | `put_two(firsts, seconds, wide, room)` | writes the first byte of each character, and the second one of those in the set `wide`; returns how many bytes |
/// | `put_three([vector; 3], wide, long, room)` | the same with the third byte of each character, the second one of those in `wide`, and the first one of those in `long` |
/// | `squeeze(vector, kept, room)` | writes the bytes that are in the set `kept`; returns how many |
macro_rules! single_bytes_by_blocks {
    ($features:literal) => {
        const BLOCK: usize = 2 * LEN;
        /// What a block may write: three bytes for each character, and four more, as each store is one of 16 bytes.
        const ROOM: usize = 3 * BLOCK + 4;

        /// After more blocks than this with many characters of three bytes, one after the other, `decode` leaves the rest to
        /// its caller, which is at least as fast there.
        const MOST_LONG: u32 = 2;

        /// See [`arch::single_byte::decode`](crate::arch::single_byte::decode).
        #[target_feature(enable = $features)]
        pub fn decode(table: &ToUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
            if src.len() < BLOCK || dst.len() < ROOM {
                return (0, 0);
            }
            let codes = table.codes();
            let leads = codes.leads.map(|lead| splat(lead));
            let none = splat(codes.none.unwrap_or_default());
            // For how many blocks not to try the codes, as they do not suit the text; and for how many the next time.
            let (mut aside, mut pause) = (0, 1);
            // How many of the last blocks, one after the other, had many characters of three bytes.
            let mut long_blocks = 0;
            let (mut read, mut written) = (0, 0);
            while let Some(block) = chunk::<BLOCK>(src, read)
                && let Some(room) = chunk_mut::<ROOM>(dst, written)
            {
                let bytes = [load(block, 0), load(block, LEN)];
                if aside == 0 {
                    let made = lookup256(&codes.codes, bytes);
                    let wide = [mask(made[0]), mask(made[1])];
                    if wide == [0, 0] {
                        store(room, 0, made[0]);
                        store(room, LEN, made[1]);
                        let run = BLOCK + ascii_run(codes, &src[read + BLOCK..], &mut dst[written + BLOCK..]);
                        (read, written) = (read + run, written + run);
                        continue;
                    }
                    if codes.none.is_none() || !any(or(equal(made[0], none), equal(made[1], none))) {
                        let firsts = made.map(|code| select(code, code, select(up::<1>(code), leads[0], leads[1])));
                        let seconds = made.map(|code| and(code, splat(0xBF)));
                        (read, written) = (read + BLOCK, written + put_both(firsts, seconds, wide, room));
                        (pause, long_blocks) = (1, 0);
                        continue;
                    }
                    (aside, pause) = (pause, u32::min(2 * pause, 32));
                } else {
                    aside -= 1;
                }
                let lasts = lookup256(&table.last, bytes);
                let wide = [mask(lasts[0]), mask(lasts[1])];
                let befores = lookup256(&table.before, bytes);
                // A lead byte of two bytes, or absent; otherwise the character has three bytes, or there is none.
                if all(and(and(befores[0], up::<1>(befores[0])), and(befores[1], up::<1>(befores[1])))) {
                    let firsts = [0, 1].map(|at| select(lasts[at], lasts[at], befores[at]));
                    (read, written) = (read + BLOCK, written + put_both(firsts, lasts, wide, room));
                    long_blocks = 0;
                    continue;
                }
                if long_blocks > MOST_LONG {
                    return (read, written);
                }
                let firsts = lookup256(&table.first, bytes);
                let long = firsts.map(|first| !mask(equal(first, splat(ToUtf8::ABSENT))) & ALL);
                let is_dense = both(long).count_ones() as usize > BLOCK / 4;
                long_blocks = if is_dense { long_blocks + 1 } else { 0 };
                let mut at = 0;
                for half in [0, 1] {
                    let bytes = [firsts[half], befores[half], lasts[half]];
                    at += put_three(bytes, wide[half], long[half], part_mut(room, at));
                }
                let unknown = both(firsts.map(|first| mask(equal(first, splat(ToUtf8::NONE)))));
                if unknown != 0 {
                    let good = unknown.trailing_zeros();
                    let [wide, long] = [wide, long].map(|set| (both(set) & low_bits(good)).count_ones());
                    return (read + good as usize, written + (good + wide + long) as usize);
                }
                (read, written) = (read + BLOCK, written + at);
            }
            (read, written)
        }

        /// See [`arch::bytes::translate`](crate::arch::bytes::translate). The slices are equally long.
        #[target_feature(enable = $features)]
        pub fn translate(table: &Translation, src: &[u8], dst: &mut [u8]) -> usize {
            let none = splat(table.none.unwrap_or_default());
            let mut at = 0;
            while let Some(block) = chunk::<BLOCK>(src, at)
                && let Some(room) = chunk_mut::<BLOCK>(dst, at)
            {
                let made = lookup256(&table.bytes, [load(block, 0), load(block, LEN)]);
                store(room, 0, made[0]);
                store(room, LEN, made[1]);
                if table.none.is_some() {
                    let bad = both(made.map(|made| mask(equal(made, none))));
                    if bad != 0 {
                        return at + bad.trailing_zeros() as usize;
                    }
                }
                at += BLOCK;
            }
            at + scalar::bytes::translate(table, &src[at..], &mut dst[at..])
        }

        /// Decodes ASCII, which usually comes in long runs, up to a block with anything else in it; returns how much.
        #[inline]
        #[target_feature(enable = $features)]
        fn ascii_run(codes: &DecodeCodes, src: &[u8], dst: &mut [u8]) -> usize {
            let mut len = 0;
            while let Some(block) = chunk::<BLOCK>(src, len)
                && let Some(room) = chunk_mut::<BLOCK>(dst, len)
            {
                let bytes = [load(block, 0), load(block, LEN)];
                let (made, is_ascii) =
                    if codes.is_ascii { (bytes, !any(or(bytes[0], bytes[1]))) } else { ascii(codes, bytes) };
                if !is_ascii {
                    break;
                }
                store(room, 0, made[0]);
                store(room, LEN, made[1]);
                len += BLOCK;
            }
            len
        }

        /// See `put_two`, for a block.
        #[inline]
        #[target_feature(enable = $features)]
        fn put_both(firsts: [Vector; 2], seconds: [Vector; 2], wide: [u32; 2], room: &mut [u8; ROOM]) -> usize {
            let at = put_two(firsts[0], seconds[0], wide[0], part_mut(room, 0));
            at + put_two(firsts[1], seconds[1], wide[1], part_mut(room, at))
        }

        /// See [`arch::single_byte::encode`](crate::arch::single_byte::encode).
        #[target_feature(enable = $features)]
        pub fn encode(table: &FromUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
            // The last character of a block may have two bytes after it.
            const WINDOW: usize = BLOCK + 2;
            if src.len() < WINDOW || dst.len() < BLOCK {
                return (0, 0);
            }
            let codes = table.codes();
            let [none, lead] = [codes.none.unwrap_or_default(), codes.lead].map(|byte| splat(byte));
            // Whether a byte that was found means that there is none.
            let holes = splat(if codes.none.is_some() { 0xFF } else { 0 });
            let is_none = |found: Vector| and(equal(found, none), holes);
            let (mut read, mut written) = (0, 0);
            while let Some(window) = chunk::<WINDOW>(src, read)
                && let Some(room) = chunk_mut::<BLOCK>(dst, written)
            {
                let bytes = [load(window, 0), load(window, LEN)];
                if !any(or(bytes[0], bytes[1])) {
                    let made = lookup128(part(&codes.bytes, 0), bytes);
                    store(room, 0, made[0]);
                    store(room, LEN, made[1]);
                    let bad = made.map(|made| is_none(made));
                    if any(or(bad[0], bad[1])) {
                        let good = both([mask(bad[0]), mask(bad[1])]).trailing_zeros() as usize;
                        return (read + good, written + good);
                    }
                    (read, written) = (read + BLOCK, written + BLOCK);
                    continue;
                }
                let nexts = [load(window, 1), load(window, LEN + 1)];
                let here = bytes.map(|byte| equal(and(byte, splat(0xFE)), lead));
                let code = |at: usize| or(place(bytes[at], nexts[at]), splat(0x80));
                let mut made = lookup256(&codes.bytes, [0, 1].map(|at| select(bytes[at], bytes[at], code(at))));
                // The second and third bytes of characters have bit 6 clear; the lead bytes of other pages have it set.
                let trail = bytes.map(|byte| but(byte, up::<1>(byte)));
                let far = [0, 1].map(|at| but(and(bytes[at], up::<1>(bytes[at])), here[at]));
                let mut bad = [0, 1].map(|at| but(is_none(made[at]), or(trail[at], far[at])));
                if any(or(far[0], far[1])) {
                    put_far(table, window, bytes, nexts, far, &mut made, &mut bad);
                }
                let kept = trail.map(|trail| !mask(trail) & ALL);
                let at = squeeze(made[0], kept[0], part_mut(room, 0));
                let at = at + squeeze(made[1], kept[1], part_mut(room, at));
                if any(or(bad[0], bad[1])) {
                    let good = both([mask(bad[0]), mask(bad[1])]).trailing_zeros();
                    let kept = both(kept) & low_bits(good);
                    return (read + good as usize, written + kept.count_ones() as usize);
                }
                (read, written) = (read + BLOCK, written + at);
            }
            // The last block may have ended within a character, which was encoded.
            while src.get(read).is_some_and(|byte| byte & 0xC0 == 0x80) {
                read += 1;
            }
            (read, written)
        }

        /// Looks up the characters in `far`, page by page: puts their bytes to `made`, and those without one to `bad`.
        #[inline]
        #[target_feature(enable = $features)]
        fn put_far(
            table: &FromUtf8,
            window: &[u8; BLOCK + 2],
            bytes: [Vector; 2],
            nexts: [Vector; 2],
            far: [Vector; 2],
            made: &mut [Vector; 2],
            bad: &mut [Vector; 2],
        ) {
            let mut left = both([mask(far[0]), mask(far[1])]);
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                let (first, next) = (window[at], window[at + 1]);
                let is_two = first < 0xE0;
                let (page, same, places) = if is_two {
                    let same = bytes.map(|byte| equal(and(byte, splat(0xFE)), splat(first & 0xFE)));
                    (usize::from(first & 0x1F) >> 1, same, [0, 1].map(|at| place(bytes[at], nexts[at])))
                } else {
                    let lasts = [load(window, 2), load(window, LEN + 2)];
                    let is_same = |at: usize| {
                        and(equal(bytes[at], splat(first)), equal(and(nexts[at], splat(0xFE)), splat(next & 0xFE)))
                    };
                    let page = usize::from(first & 0xF) << 5 | usize::from(next & 0x3F) >> 1;
                    (page, [0, 1].map(|at| is_same(at)), [0, 1].map(|at| place(nexts[at], lasts[at])))
                };
                left &= !both(same.map(|same| mask(same)));
                if first >= 0xF0 {
                    // Four bytes: on no page.
                    *bad = [0, 1].map(|at| or(bad[at], same[at]));
                    continue;
                }
                let page = table.page(page);
                let found = lookup128(&page.bytes, places);
                for at in [0, 1] {
                    made[at] = select(same[at], made[at], found[at]);
                    bad[at] = or(bad[at], and(same[at], equal(found[at], splat(page.none))));
                }
            }
        }

        /// Returns the place of each character on its page of 128: the low bit of its last byte but one, and six bits of
        /// the last byte.
        #[inline]
        #[target_feature(enable = $features)]
        fn place(before: Vector, last: Vector) -> Vector {
            or(and(up::<6>(before), splat(0x40)), and(last, splat(0x3F)))
        }

        /// Returns whether the answer for all bytes is yes.
        #[inline]
        #[target_feature(enable = $features)]
        fn all(which: Vector) -> bool {
            mask(which) == ALL
        }

        /// A set of all bytes of a vector.
        const ALL: u32 = u32::MAX >> (32 - LEN);

        #[inline(always)]
        fn both(sets: [u32; 2]) -> u64 {
            u64::from(sets[0]) | u64::from(sets[1]) << LEN
        }

        /// Returns a set of the first `len` bytes of a block, but not of all.
        #[inline(always)]
        fn low_bits(len: u32) -> u64 {
            (1 << len) - 1
        }
    };
}
pub(super) use single_bytes_by_blocks;
