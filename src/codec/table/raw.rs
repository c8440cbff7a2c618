//! Raw tables: 256 entries of one or two bytes each.
//!
//! # 256 bytes
//!
//! A translation: the entry for each byte is the byte of another page that it becomes. The page is ISO-8859-1 unless
//! the caller names another one. Each byte becomes a character by way of that page, or none if the page does not assign
//! the entry.
//!
//! Such tables map everything they cannot represent to the same byte: a space, a dot or SUB. If several bytes become
//! the same character, one of them must be chosen as its code. In a table whose blank and `A` are those of EBCDIC,
//! that is the character's code in IBM037. In any other table, it is its code in ASCII. If the table does not have the
//! character there, it is the first of the bytes. The other bytes are used to decode only.
//!
//! # 512 bytes
//!
//! The entry for each byte is a 16-bit code point. U+FFFF, U+FFFE and U+FFFD mean that there is none, and so does every
//! U+0000 but the first. The first byte of a character is its code; the others are used to decode only.
//!
//! A byte order mark at the beginning shows the byte order (the file then has 514 bytes). Without one, charpipe chooses
//! the byte order in which more high bytes are 0, because half of nearly every page is ASCII or Latin-1, whose high
//! bytes are 0. If both orders have equally many, it is big-endian.

use super::draft::{Chars, Draft};
use super::lines::Line;
use super::{Code, Mapping, Table, Way};
use crate::error::Error;

/// Builds the table of a translation of 256 bytes into the page `to`.
pub(super) fn translation(
    entries: &[u8; 256],
    stem: &str,
    to: &Table,
    resolve: &dyn Fn(&str) -> Option<Table>,
) -> Result<Table, Error> {
    let of_page = chars(to);
    let found: Vec<Option<char>> = entries.iter().map(|entry| of_page[usize::from(*entry)]).collect();
    let is_ebcdic = found[0x40] == Some(' ') && found[0xC1] == Some('A');
    let usual = match resolve("IBM037") {
        Some(page) if is_ebcdic => chars(&page),
        _ => std::array::from_fn(|byte| u8::try_from(byte).ok().filter(u8::is_ascii).map(char::from)),
    };
    let mut table = Table::new(stem.to_owned(), stem.to_owned());
    for (byte, ch) in found.iter().enumerate() {
        let Some(ch) = *ch else { continue };
        // Its usual code, if the table has the character there; otherwise the first.
        let at_usual = usual.iter().position(|usual| *usual == Some(ch)).filter(|usual| found[*usual] == Some(ch));
        let code = at_usual.or_else(|| found.iter().position(|found| *found == Some(ch)));
        let way = if code == Some(byte) { Way::RoundTrip } else { Way::ToText };
        table.mappings.push(Mapping { code: Code::single(byte as u8), ch, way });
    }
    Draft::new(table).finish_derived(b"", |_| 0)
}

/// Returns the characters of a page's single bytes.
fn chars(page: &Table) -> [Option<char>; 256] {
    let mut chars = [None; 256];
    for mapping in page.mappings.iter().filter(|mapping| mapping.way.decodes() && mapping.code.len() == 1) {
        chars[mapping.code.number() as usize] = Some(mapping.ch);
    }
    chars
}

/// Builds the table of 16-bit code points, with or without a byte order mark before them.
pub(super) fn ucs2(file: &[u8], stem: &str) -> Result<Table, Error> {
    let (big_endian, entries) = match file {
        [0xFE, 0xFF, entries @ ..] if entries.len() == 512 => (true, entries),
        [0xFF, 0xFE, entries @ ..] if entries.len() == 512 => (false, entries),
        _ => {
            let zeros = |at: usize| file.iter().skip(at).step_by(2).filter(|byte| **byte == 0).count();
            (zeros(0) >= zeros(1), file)
        }
    };
    let mut draft = Draft::new(Table::new(stem.to_owned(), stem.to_owned()));
    let start = Line { number: 1, bytes: file };
    let mut nul = false;
    for (byte, entry) in entries.as_chunks().0.iter().enumerate() {
        let unit = if big_endian { u16::from_be_bytes(*entry) } else { u16::from_le_bytes(*entry) };
        if unit >= 0xFFFD || (unit == 0 && std::mem::replace(&mut nul, true)) {
            continue;
        }
        let Some(ch) = char::from_u32(unit.into()) else {
            return start.error(entry, format!("a code point that is not a surrogate, as {unit:04X} is"));
        };
        let mut text = Chars::new();
        let _ = text.push(ch);
        draft.push((&start, entry), &[byte as u8], &text, Way::RoundTrip)?;
    }
    draft.finish_derived(b"", |_| 0)
}
