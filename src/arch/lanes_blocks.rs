//! The algorithm that writes lanes of different lengths with vectors of four lanes.

/// Defines `text(lanes, dst)` and `codes(lanes, shifts, is_double, dst)` for the instruction set `$features`; see
/// [`arch::lanes`](super::lanes). They go in blocks of eight lanes. A shuffle from a table removes the bytes that do not
/// count. What does not fit that, near the end or where the shift state changes within a block, is left to the scalar
/// kernel.
///
/// The module that calls the macro defines the vector and what the algorithm does with it, each a function with the same
/// `target_feature`:
///
/// | name | meaning |
/// |---|---|
/// | `Vector` | the type |
/// | `load(lanes, at)` | reads four lanes from `at` on |
/// | `and(a, b)`, `splat(lane)` | of two vectors; the same lane everywhere |
/// | `lens(vector)` | the lanes with more than one byte and, from bit 4 on, those with more than two; `None` unless each has one to three bytes and nothing above |
/// | `is_open(vector, next)` | whether any lane may combine with the next one, and that with the lane before it |
/// | `put(vector, table, room, at)` | writes the vector, shuffled |
/// | `turn(vector)` | reverses the bytes of each lane |
macro_rules! lanes_by_blocks {
    ($features:literal) => {
        /// What a block may write: a shift code, three bytes of each lane, and four more, as each store is one of 16 bytes.
        const ROOM: usize = 1 + 24 + 4;

        /// See [`arch::lanes::text`](crate::arch::lanes::text).
        #[target_feature(enable = $features)]
        pub fn text(lanes: &[u32], dst: &mut [u8]) -> (usize, usize) {
            let (mut done, mut written) = (0, 0);
            while let Some(block) = lanes[done..].first_chunk::<8>()
                && let Some(room) = chunk_mut::<ROOM>(dst, written)
            {
                let halves = [load(block, 0), load(block, 4)];
                let (Some(first), Some(second)) = (lens(halves[0]), lens(halves[1])) else { break };
                let middle = 4 + ones(first);
                put(halves[0], &SQUEEZE_LANES[first as usize & 0xFF], room, 0);
                put(halves[1], &SQUEEZE_LANES[second as usize & 0xFF], room, middle);
                (done, written) = (done + 8, written + middle + 4 + ones(second));
            }
            let (more, put) = scalar::lanes::text(&lanes[done..], &mut dst[written..]);
            (done + more, written + put)
        }

        /// See [`arch::lanes::codes`](crate::arch::lanes::codes).
        #[target_feature(enable = $features)]
        pub fn codes(lanes: &[u32], shifts: Option<Shifts>, is_double: &mut bool, dst: &mut [u8]) -> (usize, usize) {
            let is_shifted = shifts.is_some();
            let Shifts { out, back } = shifts.unwrap_or(Shifts { out: 0, back: 0 });
            let no_flags = splat(!(MAY_GO_ON | FOLLOWS));
            let (mut done, mut written) = (0, 0);
            // The ninth lane only shows what follows the eighth.
            while let Some(block) = lanes[done..].first_chunk::<9>()
                && let Some(room) = chunk_mut::<ROOM>(dst, written)
            {
                let halves = [load(block, 0), load(block, 4)];
                let is_open = is_open(halves[0], load(block, 1)) || is_open(halves[1], load(block, 5));
                let halves = [and(halves[0], no_flags), and(halves[1], no_flags)];
                let (Some(first), Some(second)) = (lens(halves[0]), lens(halves[1])) else { break };
                let double = first & 0xF | (second & 0xF) << 4;
                if is_open || (is_shifted && !matches!(double, 0 | 0xFF)) {
                    let (more, put) = scalar::lanes::codes(block, shifts, is_double, &mut dst[written..]);
                    (done, written) = (done + more, written + put);
                    if more < 8 {
                        return (done, written);
                    }
                    continue;
                }
                // Store a shift code, and count it only if it is needed.
                let wanted = is_shifted && double != 0;
                let shift = usize::from(wanted != *is_double);
                *is_double = wanted;
                room[0] = if wanted { out } else { back };
                let middle = shift + 4 + ones(first);
                put(turn(halves[0]), &SQUEEZE_THREE[first as usize & 0xFF], room, shift);
                put(turn(halves[1]), &SQUEEZE_THREE[second as usize & 0xFF], room, middle);
                (done, written) = (done + 8, written + middle + 4 + ones(second));
            }
            let (more, put) = scalar::lanes::codes(&lanes[done..], shifts, is_double, &mut dst[written..]);
            (done + more, written + put)
        }
    };
}
pub(super) use lanes_by_blocks;
