//! Tables without words: 256 entries of one byte or two.
//!
//! # 256 bytes
//!
//! A translation: at each byte's place stands the byte of another page that it becomes. The page is ISO-8859-1 unless
//! another is named. Bytes become characters by that page, and its unassigned bytes none.
//!
//! Such tables send whatever they cannot say to one and the same byte: a blank, a dot, SUB. Where several bytes become
//! one character, one of them has to be its code: the one that has it in IBM037, in a table that is EBCDIC by its blank
//! and its `A`, or in ASCII; otherwise the first. The others hold from bytes to text only.
//!
//! # 512 bytes
//!
//! A code point of 16 bits at each byte's place. U+FFFF, U+FFFE and U+FFFD say that there is none, and so does U+0000
//! after its first place. The first byte of a character is its code; the others hold from bytes to text only.
//!
//! The byte order is said by a byte order mark in front (then the file has 514 bytes), or else is the one that puts more
//! zeros where high bytes are: the half of nearly every page is ASCII or Latin-1, whose high bytes are 0. Where that is
//! undecided it is big-endian.

use super::draft::{Chars, Draft};
use super::lines::Line;
use super::{Code, Mapping, Table, Way};
use crate::error::Error;

/// The page that a translation of 256 bytes leads to.
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
        // Its usual code, where the table has it there; or the first.
        let at_usual = usual.iter().position(|usual| *usual == Some(ch)).filter(|usual| found[*usual] == Some(ch));
        let code = at_usual.or_else(|| found.iter().position(|found| *found == Some(ch)));
        let way = if code == Some(byte) { Way::RoundTrip } else { Way::ToText };
        table.mappings.push(Mapping { code: Code::single(byte as u8), ch, way });
    }
    Draft::new(table).finish_by_itself(b"", |_| 0)
}

/// The characters of a page's single bytes.
fn chars(page: &Table) -> [Option<char>; 256] {
    let mut chars = [None; 256];
    for mapping in page.mappings.iter().filter(|mapping| mapping.way.decodes() && mapping.code.len() == 1) {
        chars[mapping.code.number() as usize] = Some(mapping.ch);
    }
    chars
}

/// A page of 16-bit code points, a byte order mark before them or not.
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
            return start.error(entry, format!("a code point that is no surrogate, as {unit:04X} is"));
        };
        let mut text = Chars::new();
        let _ = text.push(ch);
        draft.push((&start, entry), &[byte as u8], &text, Way::RoundTrip)?;
    }
    draft.finish_by_itself(b"", |_| 0)
}
