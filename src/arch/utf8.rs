//! UTF-8: validated, and validated and copied in one pass.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
use super::utf8_blocks::SHORTEST;
#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Isa, dispatch, scalar};

/// Copies whole, well-formed characters from the front of `src` to the front of `dst` with the kernel of `isa`, in
/// blocks; returns how many bytes. The end of either slice, or something ill-formed, is fewer than 72 bytes after them.
/// Bytes of `dst` after those written may be overwritten.
#[inline]
pub fn copy(isa: Isa, src: &[u8], dst: &mut [u8]) -> usize {
    let len = src.len().min(dst.len());
    let (src, dst) = (&src[..len], &mut dst[..len]);
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::utf8::avx512::copy(src, dst),
        "x86_64" Avx2 => x86_64::utf8::avx2::copy(src, dst),
        "x86_64" Sse => x86_64::utf8::sse::copy(src, dst),
        "aarch64" Neon => aarch64::utf8::copy(src, dst),
        _ => scalar::utf8::copy(src, dst),
    })
}

/// Returns whether `src` is well-formed, as [`std::str::from_utf8`] does. Faster for short texts if `isa` has a kernel.
#[inline]
#[must_use]
pub fn is_valid(isa: Isa, src: &[u8]) -> bool {
    if src.len() < SHORTEST {
        return std::str::from_utf8(src).is_ok();
    }
    dispatch!(isa, {
        "x86_64" Avx512 => x86_64::utf8::sse::is_value(src),
        "x86_64" Avx2 => x86_64::utf8::sse::is_value(src),
        "x86_64" Sse => x86_64::utf8::sse::is_value(src),
        "aarch64" Neon => aarch64::utf8::is_value(src),
        _ => std::str::from_utf8(src).is_ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::each_isa;
    use super::*;
    use proptest::prelude::*;

    /// The bounds of the byte ranges in table 3-7.
    const EDGES: [u8; 24] = [
        0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
        0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ];

    /// Compares with the standard library.
    fn agrees(src: &[u8], room: usize) {
        let fits = &src[..src.len().min(room)];
        let good = std::str::from_utf8(fits).map_or_else(|error| error.valid_up_to(), str::len);
        let mut dst = vec![0xA5; room + 80];
        each_isa(|isa| {
            assert_eq!(is_valid(isa, src), std::str::from_utf8(src).is_ok(), "{isa:?}: {src:X?}");
            dst.fill(0xA5);
            let len = copy(isa, src, &mut dst[..room]);
            assert!(dst[room..].iter().all(|byte| *byte == 0xA5), "{isa:?}");
            assert!(len <= good && good - len < 72, "{isa:?}: {len} of {good}, {src:X?}");
            assert!(src[..len] == dst[..len] && std::str::from_utf8(&src[..len]).is_ok(), "{isa:?}: {src:X?}");
            if isa != Isa::Scalar && fits.len() >= SHORTEST && std::str::from_utf8(fits).is_ok() {
                assert_eq!(len, good, "{isa:?}: {src:X?}");
            }
        });
    }

    /// A little of each kind, for Miri, which is too slow for all of it.
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
        // Across the end of a block, and at the end of the input.
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

    /// Short texts are validated at once, in vectors that overlap at the end.
    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn three_edges_anywhere_in_short_texts() {
        for len in SHORTEST..=67 {
            let mut src = vec![b'a'; len];
            for at in (0..4).chain(12..18).chain(len - 4..len - 2).filter(|at| at + 3 <= len) {
                for (a, b) in EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b))) {
                    for c in EDGES {
                        src[at..at + 3].copy_from_slice(&[a, b, c]);
                        let is_good = std::str::from_utf8(&src).is_ok();
                        each_isa(|isa| assert_eq!(is_valid(isa, &src), is_good, "{isa:?}: {src:X?}"));
                    }
                }
                src[at..at + 3].fill(b'a');
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
