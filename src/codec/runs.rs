//! The inner loop of several encoders, for text that is mostly ASCII.

/// The high bit of each byte, which is set outside ASCII.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;

/// Converts characters of `src` from `read` on to units of a charset, writes them to `out` from `at` on, and advances
/// both. Each step converts a run of ASCII and the character after it.
///
/// `ascii` converts an ASCII byte (its result for other bytes does not matter), and `two` a character of two bytes. Both
/// also return whether the charset does not have the character: if any bit is set.
///
/// Stops at the beginning of a character: one that the charset does not have or that is longer than two bytes, one of two
/// in a row that are not ASCII, and near the end of `src` or `out`. The caller then encodes one character at a time, about
/// sixteen of them, before it tries this again.
#[inline(always)]
pub(in crate::codec) fn runs<T>(
    src: &str,
    read: &mut usize,
    out: &mut [T],
    at: &mut usize,
    ascii: impl Fn(u8) -> (T, u16),
    two: impl Fn(u16) -> (T, u16),
) {
    while let Some(block) = src.as_bytes()[*read..].first_chunk::<32>()
        && let Some(places) = out[*at..].first_chunk_mut::<32>()
    {
        if block[0] >= 0x80 && block[2] >= 0x80 {
            break;
        }
        let mut bad = 0;
        let words = block.as_chunks::<8>().0;
        if words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word)) & NOT_ASCII == 0 {
            for (place, byte) in places.iter_mut().zip(block) {
                let (made, is_bad) = ascii(*byte);
                *place = made;
                bad |= is_bad;
            }
            if bad != 0 {
                break;
            }
            *read += 32;
            *at += 32;
            continue;
        }
        // Convert all eight bytes; the next step overwrites the results that do not count. A branch on how many count
        // would be mispredicted.
        let run = ((u64::from_le_bytes(words[0]) & NOT_ASCII).trailing_zeros() / 8) as usize;
        for (place, byte) in places.iter_mut().zip(words[0]) {
            let (made, is_bad) = ascii(byte);
            *place = made;
            bad |= is_bad;
        }
        let (first, second, is_two) = (block[run], block[run + 1], run < 8);
        let (made, is_bad) = two(u16::from(first & 0x1F) << 6 | u16::from(second & 0x3F));
        bad |= (is_bad | u16::from(first >= 0xE0)) & u16::from(is_two).wrapping_neg();
        if bad != 0 {
            break;
        }
        places[run] = made;
        *read += run + 2 * usize::from(is_two);
        *at += run + usize::from(is_two);
    }
}
