//! Searches text for the places where a damaged sequence may begin, as far as two characters after it show. Most text has
//! none, so blocks of bytes are looked through for the few characters that matter: those that can continue a sequence
//! (`Tables::signs`), and controls.

use super::tables::{ALONE, LOSING, LOST, Signs, Tables, WESTERN, has_entry};

/// How many bytes are looked through at once.
const BLOCK: usize = 32;

/// Returns where in `text`, from `from` on, the next character is that may begin a damaged sequence. `None` if there is
/// none.
pub(super) fn find(tables: &Tables, text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    search(bytes, from, |at| begin_among_others(tables, bytes, from, at)).or_else(|| unfinished(tables, bytes, from))
}

/// Calls `found` with the place of each character that matters and whose neighbours may belong to it, from `from` on, until
/// it returns something.
#[inline]
fn search<T>(bytes: &[u8], from: usize, mut found: impl FnMut(usize) -> Option<T>) -> Option<T> {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    // What comes before `from` does not count.
    if matters(0, byte(from), byte(from + 1), byte(from + 2))
        && let Some(found) = found(from)
    {
        return Some(found);
    }
    let mut block = from + 1;
    while let Some(around) = bytes.get(block - 1..).and_then(<[u8]>::first_chunk) {
        let mut marks = marks(around);
        while marks != 0 {
            let result = found(block + marks.trailing_zeros() as usize);
            marks &= marks - 1;
            if result.is_some() {
                return result;
            }
        }
        block += BLOCK;
    }
    let is_mark = |at: &usize| matters(bytes[at - 1], bytes[*at], byte(at + 1), byte(at + 2));
    (block..bytes.len()).filter(is_mark).find_map(found)
}

/// Returns a bit for each byte of a block, the first one in the lowest bit: whether a character begins there that matters.
/// `around` also has the byte before the block, and the two after it.
#[inline]
fn marks(around: &[u8; BLOCK + 3]) -> u32 {
    if around[1..=BLOCK].iter().fold(0, |all, byte| all | byte) < 0x80 {
        return 0;
    }
    // Two tests without branches, so that the compiler vectorizes them. Undamaged text in Latin letters mostly ends at the
    // first one. It misses nothing that `matters`: after a byte of ASCII, a character matters only as `is_control` or
    // `loses`, and then its second byte is below A0.
    let near = |at: usize| (around[at + 1] >= 0xC2) & ((around[at] >= 0x80) | (around[at + 2] < 0xA0));
    if !(0..BLOCK).fold(false, |any, at| any | near(at)) {
        return 0;
    }
    let mut found = [0; BLOCK];
    for (at, found) in found.iter_mut().enumerate() {
        *found = u8::from(matters(around[at], around[at + 1], around[at + 2], around[at + 3]));
    }
    if found == [0; BLOCK] {
        return 0;
    }
    let (eights, _) = found.as_chunks::<8>();
    eights.iter().rev().fold(0, |marks, eight| {
        // Moves the lowest bit of each byte into the highest byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks << 8 | gathered as u32
    })
}

/// Whether the character that begins with `first` and `second` may continue a sequence with the one before it, may be
/// damaged alone, or may have lost the blank that follows it. `third`: the byte after these.
#[inline]
fn matters(before: u8, first: u8, second: u8, third: u8) -> bool {
    let is_control = (first == 0xC2) & (second < 0xA0);
    // What loses a blank has two bytes: `LOSING`.
    let loses =
        (first == 0xC3) & ((second == 0x82) | (second == 0x83) | (second == 0x90)) | (first == 0xD0) & (second == 0x93);
    may_matter(first, second) & ((before >= 0x80) | is_control | loses & (third == b' '))
}

/// Whether a character that begins with these two bytes may do so, whatever is beside it. It is true for all that may,
/// and for others: see the test.
#[inline]
fn may_matter(first: u8, second: u8) -> bool {
    let is_of_two = (0xC2..=0xD2).contains(&first) & (first != 0xD0) & (first != 0xD1);
    // The letters of Russian but for Г.
    let is_cyrillic = (first == 0xD0) & ((second < 0x90) | (second == 0x93)) | (first == 0xD1) & (second >= 0x90);
    let is_private = (first == 0xEF) & ((second == 0xA3) | (second == 0xAC) | (second == 0xBF));
    is_of_two | is_cyrillic | (first == 0xE2) | is_private
}

/// Returns where a sequence may begin that the character at `at`, or a blank after it, shows.
fn begin_among_others(tables: &Tables, bytes: &[u8], from: usize, at: usize) -> Option<usize> {
    let (signs, len) = tables.signs(&bytes[at..]);
    let (before, before_at) = before(tables, bytes, from, at);
    let (first, first_at) = if before.tail != 0 { self::before(tables, bytes, from, before_at) } else { (before, at) };
    // What the two characters before it begin, if they do.
    let long = if before.tail != 0 { first.long_lead & before.tail } else { 0 };
    let is_before_blank = bytes.get(at + len) == Some(&b' ');
    if long & signs.tail != 0 {
        Some(first_at)
    } else if before.lead & signs.tail != 0 {
        Some(before_at)
    } else if signs.lead & ALONE != 0 {
        Some(if before.long_lead & signs.tail != 0 { before_at } else { at })
    } else if is_before_blank && before.long_lead & signs.tail & WESTERN != 0 {
        Some(before_at)
    } else if is_before_blank && signs.lead & LOST != 0 {
        Some(at)
    } else {
        None
    }
}

/// Returns what the character before `at` can be, and where it is. Nothing, if it is ASCII or before `from`.
#[inline]
fn before(tables: &Tables, bytes: &[u8], from: usize, at: usize) -> (Signs, usize) {
    let mut begin = at;
    while begin > from {
        begin -= 1;
        if bytes[begin] < 0x80 {
            break;
        }
        if bytes[begin] >= 0xC0 {
            return (tables.signs(&bytes[begin..]).0, begin);
        }
    }
    (Signs::default(), at)
}

/// Returns where a sequence may begin that the end of the text cuts.
fn unfinished(tables: &Tables, bytes: &[u8], from: usize) -> Option<usize> {
    let (last, last_at) = before(tables, bytes, from, bytes.len());
    let (first, first_at) = before(tables, bytes, from, last_at);
    if first.long_lead & last.tail != 0 { Some(first_at) } else { (last.lead | last.long_lead != 0).then_some(last_at) }
}

/// The characters up to U+04BF that begin a sequence of UTF-8 in some page, as a bit each, and those that continue one.
/// A test compares them with the tables.
const LEADS: [u64; 19] = [
    0,
    0,
    0x48F2_B851_0000_0000,
    0xE0BF_FFFF_FFFF_FFFF,
    0x1EC3_8C0C_CFCF_F0EF,
    0x2F05_4407_452D_31FA,
    0x4_0000,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0xFFFF_FFFB_FFFC_0000,
    0x5F,
    0xFFFF_FFFF_FFFC_0000,
    0x1F,
    0,
];
const TAILS: [u64; 19] = [
    0,
    0,
    0xFFFF_FFFF_FFFF_FFFF,
    0x9F7E_FFFF_91C2_02F7,
    0x6000_0000_0000_0030,
    0x7F00_0033_CCCC_0006,
    0x4_0000,
    0,
    0,
    0,
    0,
    0x3900_00C0,
    0,
    0,
    0x200_0000_D770,
    1,
    0xDFFE,
    0xDFFE_0000,
    0x3_0000,
];

/// Whether `text` may have a damaged sequence, as far as can be said without the tables. Most text has none. `alone`: a
/// control, or a character that lost what followed it, is damaged, too.
pub(crate) fn may_be_in(text: &str, alone: bool) -> bool {
    // Of the others, all that may be in a page.
    let is_in = |set: &[u64; 19], ch: char| {
        let is_other = || ch >= '\u{800}' && has_entry(ch);
        set.get(ch as usize >> 6).map_or_else(is_other, |bits| bits >> (ch as u32 & 63) & 1 != 0)
    };
    let is_damaged = |at: usize| {
        let mut chars = text[at..].chars();
        let (before, ch) = (text[..at].chars().next_back().unwrap_or(' '), chars.next().unwrap_or(' '));
        is_in(&LEADS, before) && is_in(&TAILS, ch)
            || alone && (chars.next() == Some(' ') && LOSING.contains(&ch) || ('\u{80}'..='\u{9F}').contains(&ch))
    };
    search(text.as_bytes(), 0, |at| is_damaged(at).then_some(())).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::tables::Pages;
    use super::*;
    use proptest::prelude::*;

    /// The sets have the characters of the tables, and no others.
    #[test]
    fn sets_are_those_of_the_tables() {
        let set_of = |is_in: &dyn Fn(Signs) -> bool| -> Vec<char> {
            ('\0'..'\u{800}').filter(|ch| is_in(Tables::get().signs_of(*ch))).collect()
        };
        let chars_of = |set: &[u64; 19]| -> Vec<char> {
            ('\0'..'\u{4C0}').filter(|ch| set[*ch as usize >> 6] >> (*ch as u32 & 63) & 1 != 0).collect()
        };
        let is_page = |pages: Pages| pages & !(LOST | ALONE) != 0;
        assert_eq!(chars_of(&LEADS), set_of(&|signs| is_page(signs.lead | signs.long_lead)));
        assert_eq!(chars_of(&TAILS), set_of(&|signs| is_page(signs.tail)));
    }

    /// Where the search finds something that a repair begins with, the text may have it.
    #[test]
    fn what_is_found_may_be_there() {
        for text in ["Ã©", "a Â\u{A0}b", "â‚¬", "РџСЂРёРІРµС‚", "├®", "Ã\u{201C}", "È™"] {
            assert!(may_be_in(text, false), "{text}");
        }
        for text in
            ["Größe", "größer als 40 €", "naïve café – ‘so’", "Привет, мир", "日本語", "שלום", "مرحبا", "Ã ", "\u{92}"]
        {
            assert!(!may_be_in(text, false), "{text}");
        }
        assert!(may_be_in("Ã ", true) && may_be_in("\u{92}", true) && !may_be_in("größer été à la Maß ", true));
    }

    /// What [`find`] does, character by character.
    fn found_by_characters(tables: &Tables, text: &str, from: usize) -> Option<usize> {
        // What the last character may begin, and the one before it together with the last one; and where they are.
        let (mut short, mut long, mut begun) = (0, 0, 0);
        let (mut last, mut before_last) = (from, from);
        for (index, ch) in text[from..].char_indices().map(|(index, ch)| (from + index, ch)) {
            if ch.is_ascii() {
                if long & WESTERN != 0 && ch == ' ' {
                    return Some(before_last);
                }
                if short & LOST != 0 && ch == ' ' {
                    return Some(last);
                }
                (short, long, begun) = (0, 0, 0);
                continue;
            }
            let signs = tables.signs_of(ch);
            if long & signs.tail != 0 {
                return Some(before_last);
            }
            if short & signs.tail != 0 {
                return Some(last);
            }
            if signs.lead & ALONE != 0 {
                return Some(if begun & signs.tail != 0 { last } else { index });
            }
            (short, long, begun) = (signs.lead, begun & signs.tail, signs.long_lead);
            (before_last, last) = (last, index);
        }
        // The text may go on with what is missing.
        match (long, short | begun) {
            (0, 0) => None,
            (0, _) => Some(last),
            _ => Some(before_last),
        }
    }

    /// Every character that may continue a sequence, or be damaged alone, or lose what follows it, matters.
    #[test]
    fn no_character_is_missed() {
        let tables = Tables::get();
        for ch in ('\u{80}'..=char::MAX).filter(|ch| !ch.is_ascii()) {
            let signs = tables.signs_of(ch);
            let mut bytes = [0; 4];
            let bytes = ch.encode_utf8(&mut bytes).as_bytes();
            let is_needed = signs.tail != 0 || signs.lead & (ALONE | LOST) != 0;
            assert!(may_matter(bytes[0], bytes[1]) || !is_needed, "{ch:?}");
            let is_before_blank = signs.lead & LOST != 0;
            assert_eq!(matters(b' ', bytes[0], bytes[1], b' '), is_before_blank || signs.lead & ALONE != 0, "{ch:?}");
        }
    }

    #[test]
    fn marks_are_where_characters_begin() {
        let mut bytes = [b'a'; BLOCK + 3];
        for at in 0..BLOCK {
            (bytes[at + 1], bytes[at + 2]) = (0xC2, 0x92);
            assert_eq!(marks(&bytes), 1 << at);
            (bytes[at + 1], bytes[at + 2]) = (b'a', b'a');
        }
        bytes[..3].copy_from_slice(&[0xA9, 0xC3, 0xA9]);
        assert_eq!(marks(&bytes), 1);
    }

    proptest! {
        #[test]
        fn the_same_as_by_characters(
            text in "[a-b  ÃÂÐГг©é£âï»¿½ž’€”ЂіїДвРВ°ОІ─╨α┬\u{85}\u{92}\u{A0}\u{FFFD}日あ😀π]{0,80}",
            from in 0_usize..40,
        ) {
            let from = (from..).find(|at| text.is_char_boundary((*at).min(text.len()))).unwrap().min(text.len());
            let tables = Tables::get();
            prop_assert_eq!(find(tables, &text, from), found_by_characters(tables, &text, from));
            // `may_be_in` misses no sequence that is whole.
            let bytes = text.as_bytes();
            let is_found = search(bytes, 0, |at| begin_among_others(tables, bytes, 0, at)).is_some();
            prop_assert!(!is_found || may_be_in(&text, true));
        }

        #[test]
        fn the_same_in_long_undamaged_text(text in "[a-zßäöü йцукенгшщзхъфывапролджэячсмитьбю ієї]{0,300}") {
            let tables = Tables::get();
            prop_assert_eq!(find(tables, &text, 0), found_by_characters(tables, &text, 0));
        }
    }
}
