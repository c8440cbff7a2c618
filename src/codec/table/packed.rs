//! How the built-in tables lie in the program: `pages.bin`, which is made from `codecs/` and never edited. The test
//! `tables` writes it and proves it fresh.
//!
//! Everything is in words of 16 bits, little-endian. First two words, the number of blocks (low word first), then the
//! blocks: 64 code points each, FFFF where there is none. Equal blocks of different pages are one. Then the records, one
//! a page:
//!
//! | words | what |
//! |---|---|
//! | 1 | the shape: 0 single, 1 double, 2 shifted, 3 led by the bytes that have charts |
//! | 1 + n | the substitute: how many bytes, and the bytes |
//! | 1 | the single-byte substitute, or FFFF |
//! | 1 + 5 n | the charts: how many, and for each its lead byte (FFFF for that of single bytes) and four blocks |
//! | 1 + n | the codes that hold only to text: how many, and the codes |
//! | 1 + … | what is in no chart: how many, and for each its way (high octet) and number of UTF-16 units, its code, the units |

use super::{Code, Mapping, Shape, Table, Way};

/// A byte without a character, in a block. U+FFFF is a noncharacter: no page assigns it.
const NONE: u16 = 0xFFFF;

static WORDS: &[u8] = include_bytes!("../builtin/pages.bin");

/// A built-in page: its head, and where its record lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    /// The preferred name.
    pub name: &'static str,
    /// Further labels, with blanks between.
    pub aliases: &'static str,
    /// The table or standard that it was taken from.
    pub source: &'static str,
    /// Whether it has nothing but single bytes and characters of the Basic Multilingual Plane.
    pub is_single: bool,
    /// The first word of its record.
    pub(in crate::codec) record: u32,
}

/// Reads words one after the other.
#[derive(Clone, Copy)]
struct Words {
    at: usize,
}

impl Words {
    fn next(&mut self) -> u16 {
        let word = WORDS[2 * self.at..].first_chunk().map_or(NONE, |bytes| u16::from_le_bytes(*bytes));
        self.at += 1;
        word
    }
}

/// A record, opened: what is small is read, the rest is where it lies.
pub(in crate::codec) struct Record {
    pub(in crate::codec) shape: Shape,
    pub(in crate::codec) substitute: Vec<u8>,
    pub(in crate::codec) substitute1: Option<u8>,
    pub(in crate::codec) charts: Vec<Chart>,
    /// The codes whose cells hold only from bytes to text, in order.
    pub(in crate::codec) to_text: Vec<Code>,
    others: Words,
}

/// A chart: of the single bytes, or of the pairs of a lead byte.
#[derive(Clone, Copy)]
pub(in crate::codec) struct Chart {
    pub(in crate::codec) lead: Option<u8>,
    blocks: [u16; 4],
}

impl Chart {
    /// Its code units, a quarter at a time; FFFF where a byte has none.
    pub(in crate::codec) fn quarters(&self) -> impl Iterator<Item = [u16; 64]> {
        self.blocks.into_iter().map(|block| {
            let at = 2 * (2 + 64 * usize::from(block));
            let bytes: &[u8; 128] = WORDS[at..].first_chunk().expect("blocks are whole");
            std::array::from_fn(|index| u16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]))
        })
    }

    /// The code of its byte.
    pub(in crate::codec) fn code(&self, byte: u8) -> Code {
        self.lead.map_or(Code::single(byte), |lead| Code::pair(lead, byte))
    }
}

impl Record {
    /// What is in no chart: way, code and text of each.
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

    /// The page as a table.
    ///
    /// ```
    /// use charpipe::codec::PAGES;
    ///
    /// let page = PAGES.iter().find(|page| page.name == "IBM037").unwrap();
    /// assert_eq!(page.table().mappings.iter().find(|mapping| mapping.ch == 'A').unwrap().code.number(), 0xC1);
    /// ```
    pub fn table(&self) -> Table {
        let record = self.open();
        let mut table = Table::new(self.name, self.source);
        table.aliases = self.aliases.split(' ').filter(|alias| !alias.is_empty()).map(Into::into).collect();
        table.mappings.reserve(256 * record.charts.len());
        for chart in &record.charts {
            for (byte, unit) in (0..=255).zip(chart.quarters().flatten()) {
                // No surrogates are in it: they would not be characters.
                if let Some(ch) = char::from_u32(unit.into()).filter(|_| unit != NONE) {
                    table.mappings.push(Mapping { code: chart.code(byte), ch, way: Way::RoundTrip });
                }
            }
        }
        for code in &record.to_text {
            // In the order of the codes, as the charts are.
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

/// A pair has a lead byte: it is never 0.
fn code(word: u16) -> Code {
    match word.to_be_bytes() {
        [0, byte] => Code::single(byte),
        [lead, trail] => Code::pair(lead, trail),
    }
}
