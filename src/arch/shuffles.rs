//! Indices for the shuffle of sixteen bytes, which is the same in SSSE3 and NEON: index 0x80 makes a zero.

use super::types::{ByteOrder, OctetOrder};

/// A shuffle for each set of eight items: row `0b101` is for the first and the third.
pub(super) type Shuffles = [[u8; 16]; 256];

/// From eight units, of one or two bytes each: both bytes of those in the set, and the first byte of the others.
pub(super) static SQUEEZE_TWO: Shuffles = {
    let mut table = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 16 {
            if from % 2 == 0 || set >> (from / 2) & 1 != 0 {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};

/// From four lanes, of which the first byte never counts and the last one always: the third byte of those in the lower
/// half of the set, and the second byte of those in the upper half.
pub(super) static SQUEEZE_THREE: Shuffles = {
    let mut table = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 16 {
            let counts = match from % 4 {
                0 => false,
                1 => set >> 4 >> (from / 4) & 1 != 0,
                2 => set >> (from / 4) & 1 != 0,
                _ => true,
            };
            if counts {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};

/// From four lanes, of which the first byte always counts and the last one never: the second byte of those in the lower
/// half of the set, and the third byte of those in the upper half.
pub(super) static SQUEEZE_LANES: Shuffles = {
    let mut table = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 16 {
            let counts = match from % 4 {
                0 => true,
                1 => set >> (from / 4) & 1 != 0,
                2 => set >> 4 >> (from / 4) & 1 != 0,
                _ => false,
            };
            if counts {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};

/// From eight bytes, those in the set.
pub(super) static SQUEEZE_BYTES: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if set >> from & 1 != 0 {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};

/// From eight units, those in the set, in the machine's order.
pub(super) static SQUEEZE_UNITS: Shuffles = {
    let mut table = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 16 {
            if set >> (from / 2) & 1 != 0 {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};

/// The size of each set. Not all machines with SSE4.1 can count bits.
pub(super) static ONES: [u8; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        table[set] = (set as u8).count_ones() as u8;
        set += 1;
    }
    table
};

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
pub(super) static LOW_OCTETS: [Indices; 4] = {
    let mut table = [[[0x80; 16]; 4]; 4];
    let mut row = 0;
    while row < 4 {
        let places = OctetOrder::ALL[row].places();
        let mut at = 0;
        while at < 16 {
            table[row][at / 4][at] = 4 * (at as u8 % 4) + places[3];
            at += 1;
        }
        row += 1;
    }
    table
};

/// Indices of the two less significant octets of four units, the least first, to the lower half of a vector.
pub(super) static LOW_HALVES: Indices = {
    let mut table = [[0x80; 16]; 4];
    let mut row = 0;
    while row < 4 {
        let places = OctetOrder::ALL[row].places();
        let mut at = 0;
        while at < 8 {
            table[row][at] = 4 * (at as u8 / 2) + places[3 - at % 2];
            at += 1;
        }
        row += 1;
    }
    table
};

/// Indices that bring the octets of four units into the machine's order, or back.
pub(super) static SWAP_OCTETS: Indices = {
    let mut table = [[0; 16]; 4];
    let mut row = 0;
    while row < 4 {
        let places = OctetOrder::ALL[row].places();
        let mut at = 0;
        while at < 16 {
            table[row][at] = (at as u8 & !3) + places[3 - at % 4];
            at += 1;
        }
        row += 1;
    }
    table
};

/// Indices that widen bytes to units, by order and by half of the vector.
pub(super) static WIDEN_UNITS: [[[u8; 16]; 2]; 2] = {
    let mut table = [[[0x80; 16]; 2]; 2];
    let mut at = 0;
    while at < 16 {
        table[ByteOrder::Big as usize][at / 8][2 * (at % 8) + 1] = at as u8;
        table[ByteOrder::Little as usize][at / 8][2 * (at % 8)] = at as u8;
        at += 1;
    }
    table
};

/// Indices that widen bytes to units of four octets, by order and by quarter of the vector.
pub(super) static WIDEN_OCTETS: [[[u8; 16]; 4]; 4] = {
    let mut table = [[[0x80; 16]; 4]; 4];
    let mut row = 0;
    while row < 4 {
        let places = OctetOrder::ALL[row].places();
        let mut at = 0;
        while at < 16 {
            table[row][at / 4][4 * (at % 4) + places[3] as usize] = at as u8;
            at += 1;
        }
        row += 1;
    }
    table
};

/// From four units, those in the set.
pub(super) static SQUEEZE_CODES: [[u8; 16]; 16] = {
    let mut table = [[0x80; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut from, mut to) = (0, 0);
        while from < 16 {
            if set >> (from / 4) & 1 != 0 {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};
