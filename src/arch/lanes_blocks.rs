//! The algorithm that writes lanes of different lengths with vectors of four lanes.

/// Defines `text(lanes, dst)`, `codes(lanes, shifts, is_double, dst)`, `split(shifts, is_double, block, units)`,
/// `split_escapes(escapes, is_double, block, units)` and `split_pairs(leads, block, units)` for the instruction set
/// `$features`; see [`arch::lanes`](super::lanes).
///
/// The first two go in blocks of eight lanes. A shuffle from a table removes the bytes that do not count. From the first
/// block that needs a decision, or is not whole, the scalar kernel does the rest.
///
/// The module that calls the macro defines the vector and what the algorithm does with it, each a function with the same
/// `target_feature`:
///
/// | name | meaning |
/// |---|---|
/// | `Vector` | the type |
/// | `load(lanes, at)` | reads four lanes from `at` on |
/// | `and(a, b)`, `or(a, b)`, `splat(lane)` | of two vectors; the same lane everywhere |
/// | `lens(vector)` | the lanes with more than one byte and, from bit 4 on, those with more than two; `None` unless each has one to three bytes and nothing above |
/// | `either(vector, single, double)` | a lane of `double` where there is more than one byte, of `single` elsewhere |
/// | `is_open(vector, next)` | whether any lane may combine with the next one, and that with the lane before it |
/// | `put(vector, table, room, at)` | writes the vector, shuffled |
/// | `turn(vector)` | reverses the bytes of each lane |
/// | `places_of(byte, block)` | where a byte is in 64 bytes, one bit each |
/// | `places_of_leads(leads, block)` | where the bytes of a set are in 64 bytes, one bit each |
/// | `units_of(bytes, nexts, doubles, out)` | for each of sixteen bytes a unit: the byte, or, if its bit in `doubles` is set, the byte or for 0 `out`, and the next byte; eight units in each vector |
/// | `put_units(units, table, room, at)` | writes eight units, shuffled |
macro_rules! lanes_by_blocks {
    ($features:literal) => {
        /// What a block may write: three bytes of each lane, and four more, as each store is one of 16 bytes.
        const ROOM: usize = 24 + 4;

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
            // At the place of the second byte, where a shift code is in a lane that was turned.
            let (out, back) = (splat(u32::from(out) << 8), splat(u32::from(back) << 8));
            let no_flags = splat(!(MAY_GO_ON | FOLLOWS));
            let (mut done, mut written) = (0, 0);
            // The ninth lane only shows what follows the eighth.
            while let Some(block) = lanes[done..].first_chunk::<9>()
                && let Some(room) = chunk_mut::<ROOM>(dst, written)
            {
                let halves = [load(block, 0), load(block, 4)];
                if is_open(halves[0], load(block, 1)) || is_open(halves[1], load(block, 5)) {
                    break;
                }
                let halves = [and(halves[0], no_flags), and(halves[1], no_flags)];
                let (Some(first), Some(second)) = (lens(halves[0]), lens(halves[1])) else { break };
                let (mut sets, mut codes) = ([first, second], [turn(halves[0]), turn(halves[1])]);
                if is_shifted {
                    // No code has three bytes, so there is space for a shift code in each lane.
                    if (first | second) >> 4 != 0 {
                        break;
                    }
                    let double = first | second << 4;
                    let changes = double ^ (double << 1 | u32::from(*is_double));
                    *is_double = double >> 7 != 0;
                    for half in 0..2 {
                        sets[half] |= (changes >> (4 * half) & 0xF) << 4;
                        codes[half] = or(codes[half], either(halves[half], back, out));
                    }
                }
                let middle = 4 + ones(sets[0]);
                put(codes[0], &SQUEEZE_THREE[sets[0] as usize & 0xFF], room, 0);
                put(codes[1], &SQUEEZE_THREE[sets[1] as usize & 0xFF], room, middle);
                (done, written) = (done + 8, written + middle + 4 + ones(sets[1]));
            }
            let (more, put) = scalar::lanes::codes(&lanes[done..], shifts, is_double, &mut dst[written..]);
            (done + more, written + put)
        }

        /// See [`arch::lanes::split`](crate::arch::lanes::split).
        #[target_feature(enable = $features)]
        pub fn split(shifts: Shifts, is_double: bool, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
            let Shifts { out, back } = shifts;
            let front = block.first_chunk().expect("64 of 65");
            let switches = Switches { outs: places_of(out, front), backs: places_of(back, front), len: 1, late: 0 };
            let split = Split::of(switches, block[64] == out || block[64] == back, is_double);
            put_all(&split, block, out, units);
            split
        }

        /// See [`arch::lanes::split_escapes`](crate::arch::lanes::split_escapes).
        #[target_feature(enable = $features)]
        pub fn split_escapes(escapes: Escapes, is_double: bool, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
            let Escapes { first, out, back, last } = escapes;
            let front = block.first_chunk().expect("64 of 65");
            let last = last.map(|[either, only_out]| [places_of(either, front), places_of(only_out, front)]);
            let switches = escapes.places(places_of(first, front), places_of(out, front), places_of(back, front), last);
            let split = Split::of(switches, block[64] == first, is_double);
            put_all(&split, block, first, units);
            split
        }

        /// See [`arch::lanes::split_pairs`](crate::arch::lanes::split_pairs).
        #[target_feature(enable = $features)]
        pub fn split_pairs(leads: &Leads, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
            let split = Split::of_pairs(places_of_leads(leads, block.first_chunk().expect("64 of 65")));
            // No lead is 0, so nothing replaces it.
            put_all(&split, block, 0, units);
            split
        }

        /// Writes the units that begin at `split.firsts`.
        #[inline]
        #[target_feature(enable = $features)]
        fn put_all(split: &Split, block: &[u8; 65], out: u8, units: &mut [u16; 64]) {
            let mut count = 0;
            for at in [0, 16, 32, 48] {
                let firsts = (split.firsts >> at) as u16;
                let halves = units_of(part(block, at), part(block, at + 1), (split.doubles >> at) as u16, out);
                for (half, set) in halves.into_iter().zip([firsts & 0xFF, firsts >> 8]) {
                    // Before a group of eight bytes there are at most as many units as bytes, so eight units fit.
                    put_units(half, &SQUEEZE_UNITS[set as usize & 0xFF], units, count);
                    count += ones(set.into());
                }
            }
        }
    };
}
pub(super) use lanes_by_blocks;
