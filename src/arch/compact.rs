//! Single-byte charsets in tables of one byte per entry, for kernels that have no larger look-up: SSE4.1, AVX2 and
//! NEON.
//!
//! They are made from [`ToUtf8`] and [`FromUtf8`] by the first kernel that needs them.

pub(super) use super::types::{DecodeCodes, EncodeCodes, Nibbles};

use super::types::{FromUtf8, ToUtf8};

impl ToUtf8 {
    /// Returns the table for kernels whose look-ups have entries of one byte.
    #[inline]
    pub(super) fn codes(&self) -> &DecodeCodes {
        self.codes.get_or_init(|| Box::new(DecodeCodes::new(self)))
    }
}

impl FromUtf8 {
    /// Returns the table for kernels whose look-ups have entries of one byte.
    #[inline]
    pub(super) fn codes(&self) -> &EncodeCodes {
        self.codes.get_or_init(|| Box::new(EncodeCodes::new(self)))
    }
}

impl DecodeCodes {
    #[cold]
    pub(super) fn new(table: &ToUtf8) -> Self {
        let leads = common_leads(table);
        let code = |byte: usize| match (table.first[byte], table.before[byte], table.last[byte]) {
            (ToUtf8::ABSENT, ToUtf8::ABSENT, last) => Some(last),
            (ToUtf8::ABSENT, before, last) if before == leads[0] => Some(last & 0xBF),
            (ToUtf8::ABSENT, before, last) if before == leads[1] => Some(last | 0x40),
            _ => None,
        };
        let mut taken = [false; 256];
        (0..256).filter_map(code).for_each(|code| taken[usize::from(code)] = true);
        let is_any = (0..256).any(|byte| code(byte).is_none());
        // If no code is free, the character of the last one is treated as one of the others.
        let free = (0x80..0xFF).find(|code| !taken[usize::from(*code)]).unwrap_or(0xFF);
        let none = is_any.then_some(free);
        let codes = std::array::from_fn(|byte| code(byte).unwrap_or(free));
        let is_ascii = (0..=255).zip(codes).all(|(byte, code)| if byte < 0x80 { code == byte } else { code >= 0x80 });
        DecodeCodes { nibbles: Nibbles::new(&codes), codes, leads, none, is_ascii }
    }
}

/// Returns the two lead bytes that begin the most letters of two bytes.
fn common_leads(table: &ToUtf8) -> [u8; 2] {
    let mut counts = [0u16; 32];
    for byte in 0..256 {
        let (lead, last) = (table.before[byte], table.last[byte]);
        if (0xC2..0xE0).contains(&lead) && is_letter(u32::from(lead & 0x1F) << 6 | u32::from(last & 0x3F)) {
            counts[usize::from(lead & 0x1F)] += 1;
        }
    }
    // Without letters C2 and C3, the symbols of Latin-1.
    let most = |but: usize| (2..32).filter(|lead| *lead != but).rev().max_by_key(|lead| counts[*lead]).unwrap_or(2);
    let first = most(0);
    [first, most(first)].map(|lead| 0xC0 | lead as u8)
}

fn is_letter(code: u32) -> bool {
    char::from_u32(code).is_some_and(char::is_alphabetic)
}

impl Nibbles {
    fn new(codes: &[u8; 256]) -> Self {
        let mut this = Nibbles { bases: [0; 16], rows: [[0; 16]; 4], low: [0; 16], high: [0; 16] };
        let (rows, _) = codes.as_chunks::<16>();
        let newline = codes.iter().position(|code| *code == b'\n');
        let mut sets = Vec::with_capacity(8);
        // The most frequent rows first: there are only eight sets of low nibbles.
        for row in [8, 9, 10, 4, 15, 12, 13, 14, 6, 2, 1, 5, 7, 0, 3, 11] {
            let added = |low: usize| rows[row][low].wrapping_sub(low as u8);
            let mut fits: [bool; 16] = rows[row].map(|code| code < 0x80);
            if let Some(place) = row.checked_sub(4).and_then(|at| this.rows.get_mut(at)) {
                *place = std::array::from_fn(added);
            } else {
                // In a row of letters or digits the byte in the middle is one; another row may have the newline.
                let chosen = newline.filter(|at| at / 16 == row).map_or(5, |at| at % 16);
                this.bases[row] = added(chosen);
                (0..16).for_each(|low| fits[low] &= added(low) == added(chosen));
            }
            let known = sets.iter().position(|set| *set == fits);
            let set = known.unwrap_or(sets.len());
            if fits.contains(&true) && set < 8 {
                this.high[row] = 1 << set;
                if known.is_none() {
                    (0..16).for_each(|low| this.low[low] |= u8::from(fits[low]) << set);
                    sets.push(fits);
                }
            }
        }
        this
    }
}

impl EncodeCodes {
    #[cold]
    pub(super) fn new(table: &FromUtf8) -> Self {
        let letters = |at: usize| {
            let page = table.page(at);
            let is_there = |low: &usize| page.bytes[*low] != page.none && is_letter((at << 7 | low) as u32);
            (0..128).filter(is_there).count()
        };
        // If every character up to U+00FF has a byte, there is no value for "no byte" on the page of Latin-1.
        let is_latin = table.latin_none.is_none() || letters(1) >= letters(table.common);
        let at = if is_latin { 1 } else { table.common };
        let (front, back) = (table.page(0), table.page(at));
        let byte = |place: usize| match place {
            0..0x80 => Some(front.bytes[place]).filter(|byte| table.latin_none != Some(*byte)),
            _ if is_latin => Some(back.bytes[place - 0x80]).filter(|byte| table.latin_none != Some(*byte)),
            _ => Some(back.bytes[place - 0x80]).filter(|byte| *byte != back.none),
        };
        let mut taken = [false; 256];
        (0..256).filter_map(byte).for_each(|byte| taken[usize::from(byte)] = true);
        // If all 256 bytes are taken, each of the 256 characters has one.
        let none = taken.iter().position(|taken| !taken).map(|byte| byte as u8);
        let bytes = std::array::from_fn(|place| byte(place).or(none).unwrap_or_default());
        EncodeCodes { bytes, none, lead: 0xC0 | (at << 1) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The letters, digits and some signs of EBCDIC.
    fn ebcdic() -> [u8; 256] {
        let mut codes = [0xFF; 256];
        for (from, text) in [
            (0x25, "\n"),
            (0x40, " "),
            (0x4B, ".<(+"),
            (0x5B, "$*);"),
            (0x60, "-/"),
            (0x6B, ",%_>?"),
            (0x7A, ":#@'=\""),
            (0x81, "abcdefghi"),
            (0x91, "jklmnopqr"),
            (0xA2, "stuvwxyz"),
            (0xC1, "ABCDEFGHI"),
            (0xD1, "JKLMNOPQR"),
            (0xE2, "STUVWXYZ"),
            (0xF0, "0123456789"),
        ] {
            codes[from..][..text.len()].copy_from_slice(text.as_bytes());
        }
        codes
    }

    /// Tests the use of the tables in the kernels.
    fn by_nibbles(table: &Nibbles, byte: u8) -> Option<u8> {
        let [low, high] = [byte & 0xF, byte >> 4].map(usize::from);
        let row = high.checked_sub(4).and_then(|row| table.rows.get(row));
        let code = (low as u8).wrapping_add(table.bases[high]).wrapping_add(row.map_or(0, |row| row[low]));
        (table.low[low] & table.high[high] != 0).then_some(code)
    }

    #[test]
    fn nibbles_have_all_text_of_ebcdic() {
        let codes = ebcdic();
        let table = Nibbles::new(&codes);
        for (byte, code) in (0..=255).zip(codes) {
            assert_eq!(by_nibbles(&table, byte), Some(code).filter(|code| *code < 0x80), "{byte:02X}");
        }
    }

    /// In a table with more kinds of rows than there are sets, some bytes are left out, and the others are right.
    #[test]
    fn nibbles_are_right_or_left_out() {
        for factor in [1, 3, 7, 37, 91, 255] {
            let codes: [u8; 256] = std::array::from_fn(|byte| (byte as u8).wrapping_mul(factor));
            let table = Nibbles::new(&codes);
            for (byte, code) in (0..=255).zip(codes) {
                assert!(by_nibbles(&table, byte).is_none_or(|made| made == code && code < 0x80), "{byte:02X}");
            }
        }
    }

    fn utf8_of(chars: impl Fn(u8) -> char) -> ToUtf8 {
        let utf8: Vec<String> = (0..=255).map(|byte| chars(byte).into()).collect();
        ToUtf8::new(|byte| utf8[usize::from(byte)].as_bytes())
    }

    /// Letters count, and neither controls nor symbols do.
    #[test]
    fn leads_are_those_of_letters() {
        let greek = utf8_of(|byte| match byte {
            0xC0.. => char::from_u32(0x391 + u32::from(byte & 0x3F)).unwrap(),
            byte => byte.into(),
        });
        assert_eq!(greek.codes().leads, [0xCE, 0xCF]);
        assert_eq!(utf8_of(char::from).codes().leads, [0xC3, 0xC2]);
        assert_eq!(utf8_of(|byte| (byte % 0x80).into()).codes().leads, [0xC2, 0xC3]);
    }
}
