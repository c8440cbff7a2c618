//! UTF-8, validated by an automaton.

use crate::arch::utf8_blocks::boundary;

/// Copies well-formed characters from the front of `src`, which is not longer than `dst`; returns how many bytes.
pub(in super::super) fn copy(src: &[u8], dst: &mut [u8]) -> usize {
    let len = well_formed(src);
    dst[..len].copy_from_slice(&src[..len]);
    len
}

/// Returns the length of whole, well-formed characters at the front of `src`, found in blocks: the end, or something
/// ill-formed, is fewer than 64 bytes after them.
fn well_formed(src: &[u8]) -> usize {
    let mut state = automaton::ACCEPT;
    let mut len = 0;
    loop {
        if state == automaton::ACCEPT {
            while let Some(ascii) = src[len..].first_chunk::<128>()
                && ascii.iter().fold(0, |all, byte| all | byte) < 0x80
            {
                len += 128;
            }
        }
        let Some(block) = src[len..].first_chunk::<32>() else { break };
        let before = state;
        for &byte in block {
            state = automaton::TABLE[byte as usize] >> (state & 63);
        }
        state &= 63;
        if state == automaton::REJECT {
            state = before;
            break;
        }
        len += 32;
    }
    if state == automaton::ACCEPT { len } else { boundary(src, len) }
}

/// An automaton for the well-formed sequences of UTF-8 (Unicode Standard, table 3-7). A step is one load and one shift:
/// the row of a byte has the next state for each state, in six bits.
///
/// The number of a state is the position of its six bits, so that the shift brings the next state to the bottom (P. Vognsen,
/// "Shift-based DFAs").
mod automaton {
    use crate::arch::array;

    pub(super) const REJECT: u64 = 0;
    pub(super) const ACCEPT: u64 = 6;
    /// One, two or three continuation bytes must follow.
    const ONE: u64 = 12;
    const TWO: u64 = 18;
    const THREE: u64 = 24;
    /// After E0, ED, F0 or F4, after which not every continuation byte is allowed.
    const E0: u64 = 30;
    const ED: u64 = 36;
    const F0: u64 = 42;
    const F4: u64 = 48;

    pub(super) static TABLE: [u64; 256] = array!(byte < 256 => {
        let first = match byte {
            0x00..=0x7F => ACCEPT,
            0xC2..=0xDF => ONE,
            0xE0 => E0,
            0xED => ED,
            0xE1..=0xEF => TWO,
            0xF0 => F0,
            0xF1..=0xF3 => THREE,
            0xF4 => F4,
            _ => REJECT,
        };
        let mut row = first << ACCEPT;
        if byte >= 0x80 && byte <= 0xBF {
            row |= ACCEPT << ONE | ONE << TWO | TWO << THREE;
            row |= if byte >= 0xA0 { ONE << E0 } else { ONE << ED };
            row |= if byte >= 0x90 { TWO << F0 } else { TWO << F4 };
        }
        row
    });
}
