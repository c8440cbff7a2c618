//! The format of the built-in tables in the program: `pages.bin`, which is generated from `codecs/` and never edited.
//! The test `tables` writes it and checks that it is up to date.
//!
//! All data is in 16-bit words, little-endian. The first two words are the number of blocks (low word first). The
//! blocks follow: 64 code points each, with FFFF for a missing one. Equal blocks of different pages are stored once.
//! Then come the records, one per page:
//!
//! | words | contents |
//! |---|---|
//! | 1 | the shape: 0 single, 1 double, 2 shifted, 3 led by the bytes that have charts |
//! | 1 + n | the substitute: the number of bytes, and the bytes |
//! | 1 | the single-byte substitute, or FFFF |
//! | 1 + 5 n | the charts: their number, and for each its lead byte (FFFF for the single bytes) and four blocks |
//! | 1 + n | the codes that are used to decode only: their number, and the codes |
//! | 1 + … | the mappings outside the charts: their number, and for each its way (high byte) and number of UTF-16 code units, its code, and the code units |

use super::{Code, Mapping, Shape, Table, Way};

/// A byte without a character, in a block. U+FFFF is a noncharacter, so no page assigns it.
const NO_CHARACTER: u16 = 0xFFFF;

static WORDS: &[u8] = include_bytes!("../builtin/pages.bin");

/// A built-in page: its head, and the position of its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    /// The preferred name.
    pub name: &'static str,
    /// Other labels, separated by blanks.
    pub aliases: &'static str,
    /// The table or standard that it was taken from.
    pub source: &'static str,
    /// Whether the page has only single bytes and characters of the Basic Multilingual Plane.
    pub is_single: bool,
    /// The index of the first word of its record.
    pub(in crate::codec) record: u32,
}

/// Reads one word after another.
#[derive(Clone, Copy)]
struct Words {
    at: usize,
}

impl Words {
    fn next(&mut self) -> u16 {
        let word = WORDS[2 * self.at..].first_chunk().map_or(NO_CHARACTER, |bytes| u16::from_le_bytes(*bytes));
        self.at += 1;
        word
    }
}

/// An opened record: the small parts have been read, the rest has only been located.
pub(in crate::codec) struct Record {
    pub(in crate::codec) shape: Shape,
    pub(in crate::codec) substitute: Vec<u8>,
    pub(in crate::codec) substitute1: Option<u8>,
    pub(in crate::codec) charts: Vec<Chart>,
    /// The sorted codes of the chart cells that are used to decode only.
    pub(in crate::codec) to_text: Vec<Code>,
    others: Words,
}

/// The chart of the single bytes, or of the pairs of a lead byte.
#[derive(Clone, Copy)]
pub(in crate::codec) struct Chart {
    pub(in crate::codec) lead: Option<u8>,
    blocks: [u16; 4],
}

impl Chart {
    /// Returns its code units, a quarter at a time, with FFFF for a byte without a character.
    pub(in crate::codec) fn quarters(&self) -> impl Iterator<Item = [u16; 64]> {
        self.blocks.into_iter().map(|block| {
            let at = 2 * (2 + 64 * usize::from(block));
            let bytes: &[u8; 128] = WORDS[at..].first_chunk().expect("blocks are whole");
            std::array::from_fn(|index| u16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]))
        })
    }

    /// Returns the code of a byte in this chart.
    pub(in crate::codec) fn code(&self, byte: u8) -> Code {
        self.lead.map_or(Code::single(byte), |lead| Code::pair(lead, byte))
    }
}

impl Record {
    /// Calls `each` with way, code and text of the mappings outside the charts.
    pub(in crate::codec) fn others(&self, mut each: impl FnMut(Way, Code, &str)) {
        let mut words = self.others;
        let mut text = String::new();
        for _ in 0..words.next() {
            let [way, units] = words.next().to_be_bytes();
            let code = code(words.next());
            let way = [Way::RoundTrip, Way::BestFit, Way::Substitute1, Way::ToText, Way::ToBytes][usize::from(way) % 5];
            text.clear();
            let units = (0..units).map(|_| words.next());
            text.extend(char::decode_utf16(units).map(|ch| ch.unwrap_or('\u{FFFD}')));
            each(way, code, &text);
        }
    }
}

impl Packed {
    pub(in crate::codec) fn open(&self) -> Record {
        let mut words = Words { at: self.record as usize };
        let shape = words.next();
        let substitute = (0..words.next()).map(|_| words.next() as u8).collect();
        let substitute1 = u8::try_from(words.next()).ok();
        let charts: Vec<Chart> = (0..words.next())
            .map(|_| Chart { lead: u8::try_from(words.next()).ok(), blocks: std::array::from_fn(|_| words.next()) })
            .collect();
        let to_text = (0..words.next()).map(|_| code(words.next())).collect();
        let shape = match shape {
            0 => Shape::Single,
            1 => Shape::Double,
            2 => Shape::Shifted,
            _ => Shape::led_by(charts.iter().filter_map(|chart| chart.lead)),
        };
        Record { shape, substitute, substitute1, charts, to_text, others: words }
    }

    /// Returns the page as a table.
    pub fn table(&self) -> Table {
        let record = self.open();
        let mut table = Table::new(self.name, self.source);
        table.aliases = self.aliases.split(' ').filter(|alias| !alias.is_empty()).map(Into::into).collect();
        table.mappings.reserve(256 * record.charts.len());
        for chart in &record.charts {
            for (byte, unit) in (0..=255).zip(chart.quarters().flatten()) {
                // Blocks contain no surrogates, which would not be characters.
                if let Some(ch) = char::from_u32(unit.into()).filter(|_| unit != NO_CHARACTER) {
                    table.mappings.push(Mapping { code: chart.code(byte), ch, way: Way::RoundTrip });
                }
            }
        }
        for code in &record.to_text {
            // The mappings are sorted by code, as the charts are.
            if let Ok(index) = table.mappings.binary_search_by_key(code, |mapping| mapping.code) {
                table.mappings[index].way = Way::ToText;
            }
        }
        record.others(|way, code, text| table.add(&code.bytes()[..code.len()], text, way));
        table.shape = record.shape;
        table.substitute = record.substitute;
        table.substitute1 = record.substitute1;
        table
    }
}

/// Returns a code. The lead byte of a pair is never 0.
fn code(word: u16) -> Code {
    match word.to_be_bytes() {
        [0, byte] => Code::single(byte),
        [lead, trail] => Code::pair(lead, trail),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_page_is_a_table() {
        let page = crate::codec::builtin::PAGES.iter().find(|page| page.name == "IBM037").unwrap();
        assert_eq!(page.table().mappings.iter().find(|mapping| mapping.ch == 'A').unwrap().code.number(), 0xC1);
    }
}
