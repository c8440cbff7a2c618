//! Indices for the shuffle of sixteen bytes, which is the same in SSSE3 and NEON: index 0x80 makes a zero.

use super::array;
use super::types::OctetOrder;

/// Returns the indices of the bytes whose bits are set, at the front; zeros come after them.
const fn squeeze<const N: usize>(bytes: usize) -> [u8; N] {
    let mut row = [0x80; N];
    let (mut from, mut to) = (0, 0);
    while from < N {
        if bytes >> from & 1 != 0 {
            row[to] = from as u8;
            to += 1;
        }
        from += 1;
    }
    row
}

/// Returns a set of eight items with every item `step` places after the one before.
const fn spread(set: usize, step: usize) -> usize {
    let (mut apart, mut item) = (0, 0);
    while item < 8 {
        apart |= (set >> item & 1) << (step * item);
        item += 1;
    }
    apart
}

/// Returns where a unit has an octet, from 0 for the most significant, in the order of this number.
pub(super) const fn place(order: usize, octet: usize) -> u8 {
    OctetOrder::ALL[order].places()[octet]
}

/// A shuffle for each set of eight items: row `0b101` is for the first and the third.
pub(super) type Shuffles = [[u8; 16]; 256];

/// From eight units, of one or two bytes each: both bytes of those in the set, and the first byte of the others.
pub(super) static SQUEEZE_TWO: Shuffles = array!(set < 256 => squeeze(0x5555 | spread(set, 2) << 1));

/// From four lanes, of which the first byte never counts and the last one always: the third byte of those in the lower
/// half of the set, and the second byte of those in the upper half.
pub(super) static SQUEEZE_THREE: Shuffles =
    array!(set < 256 => squeeze(0x8888 | spread(set >> 4, 4) << 1 | spread(set & 0xF, 4) << 2));

/// From four lanes, of which the first byte always counts and the last one never: the second byte of those in the lower
/// half of the set, and the third byte of those in the upper half.
pub(super) static SQUEEZE_LANES: Shuffles =
    array!(set < 256 => squeeze(0x1111 | spread(set & 0xF, 4) << 1 | spread(set >> 4, 4) << 2));

/// From eight bytes, those in the set.
pub(super) static SQUEEZE_BYTES: [[u8; 8]; 256] = array!(set < 256 => squeeze(set));

/// From eight units, those in the set, in the machine's order.
pub(super) static SQUEEZE_UNITS: Shuffles = array!(set < 256 => squeeze(0b11 * spread(set, 2)));

/// The size of each set. Not all machines with SSE4.1 can count bits.
pub(super) static ONES: [u8; 256] = array!(set < 256 => (set as u8).count_ones() as u8);

/// Returns the size of a set of eight items.
#[inline(always)]
pub(super) fn ones(set: u32) -> usize {
    ONES[set as usize & 0xFF].into()
}

/// Indices that swap the bytes of each unit or leave them, by order.
pub(super) static SWAP_UNITS: [[u8; 16]; 2] =
    [[1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]];

/// Indices for shuffles, one row per order.
pub(super) type Indices = [[u8; 16]; 4];

/// Indices of the least significant octet of four units, for each quarter of the vector that they may go to; the others
/// are zeroed.
pub(super) static LOW_OCTETS: [Indices; 4] = array!(row < 4 => array!(quarter < 4 => array!(at < 16 => {
    if at / 4 == quarter { 4 * (at as u8 % 4) + place(row, 3) } else { 0x80 }
})));

/// Indices of the two less significant octets of four units, the least first, to the lower half of a vector.
pub(super) static LOW_HALVES: Indices = array!(row < 4 => array!(at < 16 => {
    if at < 8 { 4 * (at as u8 / 2) + place(row, 3 - at % 2) } else { 0x80 }
}));

/// Indices that bring the octets of four units into the machine's order, or back.
pub(super) static SWAP_OCTETS: Indices = array!(row < 4 => array!(at < 16 => (at as u8 & !3) + place(row, 3 - at % 4)));

/// Indices that widen bytes to units, by order and by half of the vector.
pub(super) static WIDEN_UNITS: [[[u8; 16]; 2]; 2] = array!(order < 2 => array!(half < 2 => array!(at < 16 => {
    // The byte is the second of a unit that is big-endian, and the first of the other.
    if at % 2 != order { 8 * half as u8 + at as u8 / 2 } else { 0x80 }
})));

/// Indices that widen bytes to units of four octets, by order and by quarter of the vector.
pub(super) static WIDEN_OCTETS: [[[u8; 16]; 4]; 4] = array!(row < 4 => array!(quarter < 4 => array!(at < 16 => {
    if at as u8 % 4 == place(row, 3) { 4 * quarter as u8 + at as u8 / 4 } else { 0x80 }
})));

/// From four units, those in the set.
pub(super) static SQUEEZE_CODES: [[u8; 16]; 16] = array!(set < 16 => squeeze(0xF * spread(set, 4)));
