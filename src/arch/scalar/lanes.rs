//! Lanes, one at a time.

use crate::arch::types::{Escapes, FOLLOWS, LEN, Leads, MAY_GO_ON, NO_CODE, Shifts, Split};

/// See [`arch::lanes::text`](crate::arch::lanes::text).
pub(in super::super) fn text(lanes: &[u32], dst: &mut [u8]) -> (usize, usize) {
    let mut written = 0;
    for (done, lane) in lanes.iter().enumerate() {
        let len = (lane >> LEN) as usize;
        let Some(place) = dst[written..].first_chunk_mut::<4>().filter(|_| (1..=3).contains(&len)) else {
            return (done, written);
        };
        *place = lane.to_le_bytes();
        written += len;
    }
    (lanes.len(), written)
}

/// See [`arch::lanes::codes`](crate::arch::lanes::codes).
pub(in super::super) fn codes(
    lanes: &[u32],
    shifts: Option<Shifts>,
    is_double: &mut bool,
    dst: &mut [u8],
) -> (usize, usize) {
    let is_shifted = shifts.is_some();
    let Shifts { out, back } = shifts.unwrap_or(Shifts { out: 0, back: 0 });
    let mut written = 0;
    for (done, (lane, next)) in lanes.iter().zip(lanes.iter().skip(1)).enumerate() {
        let len = (lane >> LEN & 7) as usize;
        let is_open = lane & MAY_GO_ON != 0 && next & FOLLOWS != 0;
        let Some(place) = dst[written..].first_chunk_mut::<8>().filter(|_| !is_open && (1..=3).contains(&len)) else {
            return (done, written);
        };
        // Store a shift code and four bytes, and count only those that are needed.
        let wanted = is_shifted && len > 1;
        let shift = usize::from(wanted != *is_double);
        *is_double = wanted;
        place[0] = if wanted { out } else { back };
        place[shift..shift + 4].copy_from_slice(&(lane << (8 * (4 - len))).to_be_bytes());
        written += shift + len;
    }
    (lanes.len().saturating_sub(1), written)
}

/// See [`arch::lanes::short_codes`](crate::arch::lanes::short_codes).
pub(in super::super) fn short_codes(codes: &[u16], dst: &mut [u8]) -> (usize, usize) {
    let (mut done, mut written) = (0, 0);
    // Blocks that fit in the worst case are checked once and not per code.
    while let Some(block) = codes[done..].first_chunk::<32>()
        && let Some(window) = dst[written..].first_chunk_mut::<65>()
        && !block.iter().fold(false, |any, code| any | (*code == NO_CODE))
    {
        let mut filled = 0;
        for code in block {
            // At most 31 × 2; the mask tells the compiler.
            let start = filled & 63;
            window[start..start + 2].copy_from_slice(&code.to_le_bytes());
            filled += 1 + usize::from(*code > 0xFF);
        }
        (done, written) = (done + 32, written + filled);
    }
    for code in &codes[done..] {
        let Some(place) = dst[written..].first_chunk_mut().filter(|_| *code != NO_CODE) else { break };
        *place = code.to_le_bytes();
        (done, written) = (done + 1, written + 1 + usize::from(*code > 0xFF));
    }
    (done, written)
}

/// See [`arch::lanes::split`](crate::arch::lanes::split).
pub(in super::super) fn split(shifts: Shifts, is_double: bool, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
    let Shifts { out, back } = shifts;
    let mut split = Split { is_double, ..Split::default() };
    let mut count = 0;
    while split.read < 64 {
        let at = split.read;
        let byte = block[at];
        if byte == out || byte == back {
            split.is_double = byte == out;
            split.read += 1;
            continue;
        }
        let next = block[at + 1];
        if split.is_double && (next == out || next == back) {
            break;
        }
        let lead = if byte == 0 { out } else { byte };
        units[count] = if split.is_double { u16::from_be_bytes([lead, next]) } else { byte.into() };
        count += 1;
        split.firsts |= 1 << at;
        split.doubles |= u64::from(split.is_double) << at;
        split.read += 1 + usize::from(split.is_double);
    }
    split
}

/// See [`arch::lanes::split_escapes`](crate::arch::lanes::split_escapes).
pub(in super::super) fn split_escapes(
    escapes: Escapes,
    is_double: bool,
    block: &[u8; 65],
    units: &mut [u16; 64],
) -> Split {
    let len = escapes.len();
    // Whether pairs follow the code here, if there is one that ends before the block does.
    let pairs_follow = |at: usize| match block[at..64] {
        [first, second, last, _, ..] if first == escapes.first && len == 3 => {
            let [either, only_out] = escapes.last?;
            let is_out = second == escapes.out && (last == either || last == only_out);
            (is_out || (second == escapes.back && last == either)).then_some(is_out)
        }
        [first, second, _, ..] if first == escapes.first && len == 2 => {
            (second == escapes.out || second == escapes.back).then_some(second == escapes.out)
        }
        _ => None,
    };
    let code = |at: usize| pairs_follow(at).filter(|_| at < len || pairs_follow(at - len).is_none());
    // Whether the next block decides what begins here, or what follows a code here at once.
    let is_last = |at: usize| block[at] == escapes.first && at + len >= 64;
    let is_late = |at: usize| is_last(at) || (code(at).is_some() && is_last(at + len));
    let mut split = Split { is_double, ..Split::default() };
    let mut count = 0;
    while split.read < 64 && !is_late(split.read) {
        let at = split.read;
        if let Some(is_out) = code(at) {
            split.is_double = is_out;
            split.read += len;
            continue;
        }
        let next = at + 1;
        if split.is_double && (is_late(next) || code(next).is_some()) {
            break;
        }
        let lead = if block[at] == 0 { escapes.first } else { block[at] };
        units[count] = if split.is_double { u16::from_be_bytes([lead, block[next]]) } else { block[at].into() };
        count += 1;
        split.firsts |= 1 << at;
        split.doubles |= u64::from(split.is_double) << at;
        split.read += 1 + usize::from(split.is_double);
    }
    split
}

/// See [`arch::lanes::split_pairs`](crate::arch::lanes::split_pairs).
pub(in super::super) fn split_pairs(leads: &Leads, block: &[u8; 65], units: &mut [u16; 64]) -> Split {
    let (mut split, mut count) = (Split::default(), 0);
    while split.read < 64 {
        let at = split.read;
        let is_lead = leads.has(block[at]);
        units[count] = if is_lead { u16::from_be_bytes([block[at], block[at + 1]]) } else { block[at].into() };
        count += 1;
        split.firsts |= 1 << at;
        split.doubles |= u64::from(is_lead) << at;
        split.read += 1 + usize::from(is_lead);
    }
    split
}
