//! Characters or codes of different lengths, each in a lane of four bytes as a table has it, written one after the
//! other.
//!
//! This is where the codec of mixed pages spends its time once its table lookups do not wait for each other.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
use super::types::{Escapes, Leads, Shifts, Split};
#[cfg(test)]
use super::types::{FOLLOWS, LEN, MAY_GO_ON, NO_CODE};
#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Isa, dispatch, scalar};

/// Writes UTF-8 to `dst` with the kernel of `isa`: of each lane as many bytes as its top octet says, from the low octet
/// on. Stops at a lane of no bytes or more than three, or when the room may not be enough; returns how many lanes were
/// written and how many bytes that was. Bytes of `dst` after those written may be overwritten.
#[inline]
pub fn text(isa: Isa, lanes: &[u32], dst: &mut [u8]) -> (usize, usize) {
    dispatch!(isa, {
        "x86_64" Sse => x86_64::lanes::sse::text(lanes, dst),
        "x86_64" Avx2 => x86_64::lanes::sse::text(lanes, dst),
        "x86_64" Avx512 => x86_64::lanes::avx512::text(lanes, dst),
        "aarch64" Neon => aarch64::lanes::text(lanes, dst),
        _ => scalar::lanes::text(lanes, dst),
    })
}

/// Writes codes to `dst` with the kernel of `isa`: of each lane as many bytes as the three bits at
/// [`LEN`](super::types::LEN) say, the low octet last, after a shift code if `is_double`, which is updated, does not
/// fit the lane. The last lane only shows what follows the one before it. Stops at a lane of no bytes or more than
/// three, at a lane that combines with the next one, or when the room may not be enough; returns how many lanes were
/// written and how many bytes that was. The bytes of a lane that do not count must be 0. Bytes of `dst` after those
/// written may be overwritten.
#[inline]
pub fn codes(isa: Isa, lanes: &[u32], shifts: Option<Shifts>, is_double: &mut bool, dst: &mut [u8]) -> (usize, usize) {
    dispatch!(isa, {
        "x86_64" Sse => x86_64::lanes::sse::codes(lanes, shifts, is_double, dst),
        "x86_64" Avx2 => x86_64::lanes::sse::codes(lanes, shifts, is_double, dst),
        "x86_64" Avx512 => x86_64::lanes::avx512::codes(lanes, shifts, is_double, dst),
        "aarch64" Neon => aarch64::lanes::codes(lanes, shifts, is_double, dst),
        _ => scalar::lanes::codes(lanes, shifts, is_double, dst),
    })
}

/// Writes codes of one byte or two to `dst` with the kernel of `isa`: the low octet of each, and the high one unless it
/// is 0. Stops at [`NO_CODE`](super::types::NO_CODE), or when the room may not be enough; returns how many codes were
/// written and how many bytes that was. Bytes of `dst` after those written may be overwritten.
#[inline]
pub fn short_codes(isa: Isa, codes: &[u16], dst: &mut [u8]) -> (usize, usize) {
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::lanes::avx512::short_codes(codes, dst),
        _ => scalar::lanes::short_codes(codes, dst),
    })
}

/// Returns whether [`split`] and [`text`] with `isa` are faster than one character at a time.
#[inline(always)]
#[must_use]
pub fn are_worth_it(isa: Isa) -> bool {
    // So that the compiler leaves out what uses them elsewhere.
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && isa != Isa::Scalar
}

/// Splits 64 bytes, or 65 if the last is the first half of a pair, into single bytes, pairs and shift codes with the
/// kernel of `isa`, and writes the characters to `units`: a pair with its first byte in the high octet, or a single
/// byte. In a pair whose first byte is 0, `shifts.out` replaces the 0. Stops before half a pair; does nothing with
/// fewer than 65 bytes. Units after those written may be overwritten.
#[inline]
pub fn split(isa: Isa, shifts: Shifts, is_double: bool, src: &[u8], units: &mut [u16; 64]) -> Split {
    let Some(block) = src.first_chunk() else { return Split { is_double, ..Split::default() } };
    dispatch!(isa, {
        "x86_64" Sse => x86_64::lanes::sse::split(shifts, is_double, block, units),
        "x86_64" Avx2 => x86_64::lanes::sse::split(shifts, is_double, block, units),
        "aarch64" Neon => aarch64::lanes::split(shifts, is_double, block, units),
        "x86_64" Avx512 => x86_64::lanes::avx512::split(shifts, is_double, block, units),
        _ => scalar::lanes::split(shifts, is_double, block, units),
    })
}

/// Splits as [`split`] does, at codes of two or three bytes; `escapes.first` replaces a first byte of a pair that is 0.
/// Stops before one that does not end before the 64 bytes do, or may be one, and before half a pair. A code right after
/// another is none: its bytes are characters.
#[inline]
pub fn split_escapes(isa: Isa, escapes: Escapes, is_double: bool, src: &[u8], units: &mut [u16; 64]) -> Split {
    let Some(block) = src.first_chunk() else { return Split { is_double, ..Split::default() } };
    dispatch!(isa, {
        "x86_64" Sse => x86_64::lanes::sse::split_escapes(escapes, is_double, block, units),
        "x86_64" Avx2 => x86_64::lanes::sse::split_escapes(escapes, is_double, block, units),
        "aarch64" Neon => aarch64::lanes::split_escapes(escapes, is_double, block, units),
        "x86_64" Avx512 => x86_64::lanes::avx512::split_escapes(escapes, is_double, block, units),
        _ => scalar::lanes::split_escapes(escapes, is_double, block, units),
    })
}

/// Splits 64 bytes, or 65 if the last is a lead, into single bytes and pairs with the kernel of `isa`, and writes the
/// characters to `units` as [`split`] does. Does nothing with fewer than 65 bytes. Units after those written may be
/// overwritten.
#[inline]
pub fn split_pairs(isa: Isa, leads: &Leads, src: &[u8], units: &mut [u16; 64]) -> Split {
    let Some(block) = src.first_chunk() else { return Split::default() };
    dispatch!(isa, {
        "x86_64" Sse => x86_64::lanes::sse::split_pairs(leads, block, units),
        "x86_64" Avx2 => x86_64::lanes::sse::split_pairs(leads, block, units),
        "aarch64" Neon => aarch64::lanes::split_pairs(leads, block, units),
        "x86_64" Avx512 => x86_64::lanes::avx512::split_pairs(leads, block, units),
        _ => scalar::lanes::split_pairs(leads, block, units),
    })
}

#[cfg(test)]
mod tests {
    use super::super::each_isa;
    use super::*;
    use proptest::prelude::*;

    /// The bytes after the end of the room, which must not be written to.
    const GUARD: [u8; 80] = [0xA5; 80];

    /// Makes a lane, in a simple way.
    fn lane(bytes: &[u8], flags: u32) -> u32 {
        (bytes.len() as u32) << LEN | bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)) | flags
    }

    fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            1 => Just(vec![]),
            40 => prop::collection::vec(any::<u8>(), 1..2),
            40 => prop::collection::vec(any::<u8>(), 2..3),
            10 => prop::collection::vec(any::<u8>(), 3..4),
        ]
    }

    proptest! {
        #[test]
        fn text_of_any_lanes(
            lanes in prop::collection::vec((any_bytes(), prop::option::weighted(0.01, 4u32..256)), 0..90),
            room in 0usize..300,
        ) {
            let raw: Vec<u32> = lanes.iter().map(|(bytes, note)| {
                let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
                note.unwrap_or(bytes.len() as u32) << LEN | value
            }).collect();
            let good = lanes.iter().take_while(|(bytes, note)| note.is_none() && !bytes.is_empty()).count();
            each_isa(|isa| {
                let mut dst = [&vec![0; room][..], &GUARD].concat();
                let (done, written) = text(isa, &raw, &mut dst[..room]);
                assert_eq!(dst[room..], GUARD, "{isa:?}");
                let expected: Vec<u8> = lanes[..done].iter().flat_map(|(bytes, _)| bytes.clone()).collect();
                assert_eq!(dst[..written], expected, "{isa:?}");
                assert!(done <= good && (done == good || room - written < 64), "{isa:?}: {done} of {good}");
            });
        }

        #[test]
        fn codes_of_any_lanes(
            lanes in prop::collection::vec(
                (any_bytes(), prop::bool::weighted(0.1), prop::bool::weighted(0.1), prop::bool::weighted(0.01)), 1..90),
            shifted in any::<bool>(),
            from_double in any::<bool>(),
            room in 0usize..400,
        ) {
            let raw: Vec<u32> = lanes.iter().map(|(bytes, goes_on, follows, long)| {
                let flags = if *goes_on { MAY_GO_ON } else { 0 } | if *follows { FOLLOWS } else { 0 };
                if *long { 4 << LEN | flags } else { lane(bytes, flags) }
            }).collect();
            let good = lanes.windows(2).take_while(|pair| {
                let (bytes, goes_on, _, long) = &pair[0];
                !(bytes.is_empty() || *long || (*goes_on && pair[1].2))
            }).count();
            let shifts = shifted.then_some(Shifts { out: 0x0E, back: 0x0F });
            each_isa(|isa| {
                let mut dst = [&vec![0; room][..], &GUARD].concat();
                let mut is_double = from_double && shifted;
                let (done, written) = codes(isa, &raw, shifts, &mut is_double, &mut dst[..room]);
                assert_eq!(dst[room..], GUARD, "{isa:?}");
                let (mut expected, mut state) = (Vec::new(), from_double && shifted);
                for (bytes, ..) in &lanes[..done] {
                    if shifted && state != (bytes.len() > 1) {
                        state = !state;
                        expected.push(if state { 0x0E } else { 0x0F });
                    }
                    expected.extend(bytes);
                }
                assert_eq!(dst[..written], expected, "{isa:?}");
                assert_eq!(is_double, state, "{isa:?}");
                assert!(done <= good && (done == good || room - written < 64), "{isa:?}: {done} of {good}");
            });
        }

        #[test]
        fn short_codes_of_any_length(
            codes in prop::collection::vec(
                prop_oneof![20 => 0u16..256, 20 => 256u16..0xFFFF, 1 => prop::bool::weighted(0.1).prop_map(|none| 65535 * u16::from(none))],
                0..200,
            ),
            room in 0usize..500,
        ) {
            let good = codes.iter().take_while(|code| **code != NO_CODE).count();
            each_isa(|isa| {
                let mut dst = [&vec![0; room][..], &GUARD].concat();
                let (done, written) = short_codes(isa, &codes, &mut dst[..room]);
                assert_eq!(dst[room..], GUARD, "{isa:?}");
                let bytes = |code: &u16| code.to_le_bytes().into_iter().take(1 + usize::from(*code > 0xFF));
                assert_eq!(dst[..written], codes[..done].iter().flat_map(bytes).collect::<Vec<u8>>(), "{isa:?}");
                assert!(done <= good && (done == good || room - written < 2), "{isa:?}: {done} of {good}");
            });
        }

        #[test]
        fn blocks_are_split_into_pairs(
            block in prop::collection::vec(prop_oneof![2 => 0x20u8..0x7F, 3 => 0x80u8..=0xFF], 65),
            set in any::<[bool; 128]>(),
        ) {
            let is_lead = |byte: u8| byte >= 0x80 && set[usize::from(byte & 0x7F)];
            let leads = Leads::new(is_lead);
            let (mut expected, mut made) = (Split::default(), Vec::new());
            while expected.read < 64 {
                let at = expected.read;
                expected.firsts |= 1 << at;
                if is_lead(block[at]) {
                    expected.doubles |= 1 << at;
                    made.push(u16::from_be_bytes([block[at], block[at + 1]]));
                    expected.read += 2;
                } else {
                    made.push(block[at].into());
                    expected.read += 1;
                }
            }
            each_isa(|isa| {
                let mut units = [0; 64];
                assert_eq!(split_pairs(isa, &leads, &block, &mut units), expected, "{isa:?}");
                assert_eq!(units[..made.len()], made, "{isa:?}");
                assert_eq!(split_pairs(isa, &leads, &block[1..], &mut units), Split::default(), "{isa:?}");
            });
        }

        #[test]
        fn blocks_are_split(
            src in prop::collection::vec(prop_oneof![30 => Just(0x42u8), 1 => Just(14), 1 => Just(15), 1 => Just(0)], 65),
            more in prop::collection::vec((0usize..65, any::<u8>()), 0..3),
            is_double in any::<bool>(),
        ) {
            let mut block: [u8; 65] = src.try_into().unwrap();
            more.iter().for_each(|(at, byte)| block[*at] = *byte);
            let shifts = Shifts { out: 14, back: 15 };
            // One byte at a time.
            let (mut expected, mut made) = (Split { is_double, ..Split::default() }, Vec::new());
            while expected.read < 64 {
                let at = expected.read;
                let (byte, next) = (block[at], block[at + 1]);
                match (byte, expected.is_double) {
                    (14 | 15, _) => expected.is_double = byte == 14,
                    (_, true) if [14, 15].contains(&next) => break,
                    (_, true) => {
                        made.push(u16::from_be_bytes([if byte == 0 { 14 } else { byte }, next]));
                        expected.doubles |= 1 << at;
                        expected.read += 1;
                    }
                    (_, false) => made.push(byte.into()),
                }
                if ![14, 15].contains(&byte) {
                    expected.firsts |= 1 << at;
                }
                expected.read += 1;
            }
            each_isa(|isa| {
                let mut units = [0; 64];
                assert_eq!(split(isa, shifts, is_double, &block, &mut units), expected, "{isa:?}");
                assert_eq!(units[..made.len()], made, "{isa:?}");
                let none = Split { is_double, ..Split::default() };
                assert_eq!(split(isa, shifts, is_double, &block[1..], &mut units), none, "{isa:?}");
            });
        }

        #[test]
        fn blocks_with_escapes_are_split(
            bytes in prop::collection::vec(prop_oneof![
                6 => prop::sample::select(&b"aaaa00~{}BJ@\0"[..]).prop_map(|byte| vec![byte]),
                2 => prop::sample::select(&["\x1B$B", "\x1B$@", "\x1B(B", "\x1B(J", "\x1B", "\x1B$", "~{", "~}", "~~"][..])
                    .prop_map(|code| code.as_bytes().to_vec()),
            ], 65),
            from in 0usize..8,
            is_double in any::<bool>(),
        ) {
            let bytes = bytes.concat();
            let block = &bytes[from.min(bytes.len() - 65)..][..65];
            let three = Escapes { first: 0x1B, out: b'$', back: b'(', last: Some([b'B', b'@']) };
            let two = Escapes { first: b'~', out: b'{', back: b'}', last: None };
            for escapes in [three, two] {
                let mut expected = [0; 64];
                let found = split_escapes(Isa::Scalar, escapes, is_double, block, &mut expected);
                let count = found.firsts.count_ones() as usize;
                // Between characters there are only codes.
                let mut at = 0;
                while at < found.read {
                    let is_first = found.firsts >> at & 1 != 0;
                    at += match is_first {
                        true => 1 + (found.doubles >> at & 1) as usize,
                        false => escapes.len(),
                    };
                    prop_assert!(is_first || block[at - escapes.len()] == escapes.first);
                }
                prop_assert_eq!(at, found.read);
                each_isa(|isa| {
                    let mut units = [0; 64];
                    assert_eq!(split_escapes(isa, escapes, is_double, block, &mut units), found, "{isa:?}");
                    assert_eq!(units[..count], expected[..count], "{isa:?}");
                    let none = Split { is_double, ..Split::default() };
                    assert_eq!(split_escapes(isa, escapes, is_double, &block[1..], &mut units), none, "{isa:?}");
                });
            }
        }
    }
}
