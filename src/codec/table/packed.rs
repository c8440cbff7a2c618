//! How the built-in tables lie in the program: `pages.bin`, which is made from `codecs/` and never edited. The test
//! `tables` writes it and proves it fresh.
//!
//! Everything is in words of 16 bits, little-endian. First two words, the number of blocks (low word first), then the
//! blocks: 64 code points each, FFFF where there is none. Equal blocks of different pages are one. Then the records, one
//! a page:
//!
//! | words | what |
//! |---|---|
//! | 1 | the shape: 0 single, 1 double, 2 shifted |
//! | 1 + n | the substitute: how many bytes, and the bytes |
//! | 1 | the single-byte substitute, or FFFF |
//! | 1 + 5 n | the charts: how many, and for each its lead byte (FFFF for that of single bytes) and four blocks |
//! | 1 + n | the codes that hold only to text: how many, and the codes |
//! | 1 + … | what is in no chart: how many, and for each its way (high octet) and number of UTF-16 units, its code, the units |

use super::{Code, Mapping, Shape, Table, Way};

/// A byte without a character, in a block. U+FFFF is a noncharacter: no page assigns it.
const NONE: u16 = 0xFFFF;

static WORDS: &[u8] = include_bytes!("../pages.bin");

/// A built-in page: its head, and where its record lies.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// The preferred name.
    pub name: &'static str,
    /// Further labels.
    pub aliases: &'static [&'static str],
    /// The table or standard that it was taken from.
    pub source: &'static str,
    /// Whether it has nothing but single bytes.
    pub is_single: bool,
    /// The first word of its record.
    pub(in crate::codec) record: u32,
}

/// Reads words one after the other.
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

impl Packed {
    /// The page as a table.
    ///
    /// ```
    /// use charpipe::codec::PAGES;
    ///
    /// let page = PAGES.iter().find(|page| page.name == "IBM037").unwrap();
    /// assert_eq!(page.table().mappings.iter().find(|mapping| mapping.ch == 'A').unwrap().code.number(), 0xC1);
    /// ```
    pub fn table(&self) -> Table {
        let mut words = Words { at: self.record as usize };
        let mut table = Table::new(self.name, self.source);
        table.aliases = self.aliases.iter().map(|alias| (*alias).into()).collect();
        table.shape = match words.next() {
            0 => Shape::Single,
            1 => Shape::Double,
            _ => Shape::Shifted,
        };
        table.substitute = (0..words.next()).map(|_| words.next() as u8).collect();
        table.substitute1 = u8::try_from(words.next()).ok();
        let charts = words.next();
        table.mappings.reserve(256 * usize::from(charts));
        for _ in 0..charts {
            let lead = words.next();
            for quarter in 0..4 {
                let mut block = Words { at: 2 + 64 * usize::from(words.next()) };
                for low in 0..64 {
                    let unit = block.next();
                    // No surrogates are in it: they would not be characters.
                    if let Some(ch) = char::from_u32(unit.into()).filter(|_| unit != NONE) {
                        let byte = quarter << 6 | low;
                        let code = u8::try_from(lead).map_or(Code::single(byte), |lead| Code::pair(lead, byte));
                        table.mappings.push(Mapping { code, ch, way: Way::RoundTrip });
                    }
                }
            }
        }
        let one_way = (0..words.next()).map(|_| code(words.next())).collect::<Vec<_>>();
        for code in one_way {
            // In the order of the codes, as the charts are.
            if let Ok(index) = table.mappings.binary_search_by_key(&code, |mapping| mapping.code) {
                table.mappings[index].way = Way::ToText;
            }
        }
        for _ in 0..words.next() {
            let [way, units] = words.next().to_be_bytes();
            let code = code(words.next());
            let units: Vec<u16> = (0..units).map(|_| words.next()).collect();
            let way = [Way::RoundTrip, Way::BestFit, Way::Substitute1, Way::ToText, Way::ToBytes][usize::from(way) % 5];
            table.add(&code.bytes()[..code.len()], &String::from_utf16_lossy(&units), way);
        }
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
