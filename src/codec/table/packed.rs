//! The format of the built-in tables in the program: `pages.bin` and `legacy.bin`, which are generated from `codecs/`
//! and `codecs/legacy/` and never edited. The test `tables` writes them and checks that they are up to date.
//!
//! The first four bytes are the number of blocks (low byte first). The blocks follow: 64 words each, one for each code
//! point. Equal blocks of different pages are stored once. Then come the records, one per page, in 16-bit words.
//!
//! A word of a block is FFFF for a missing code point. Otherwise it says how far the code point is from the one before
//! it in the block, or from 0: `FFFE - 2 n` is n further on, and `FFFF - 2 n` is n back. Neighbours in a chart are
//! mostly near each other in Unicode, so that most high bytes are FF, and blocks of them take less room when
//! compressed. They are not 0, because programs that shrink WebAssembly cut data in pieces wherever there are zeros.
//!
//! The blocks together have first the low bytes of all words, and then the high bytes; the records do so, too.
//! Compressed, as in a package, this takes half as much room as words one after another. The order of the blocks has no
//! meaning; the test chooses it for the same reason.
//!
//! | words | contents |
//! |---|---|
//! | 1 | the shape: 0 single, 1 double, 2 shifted, 3 led by the bytes that have charts, 4 with states |
//! | 1 + n | the substitute: the number of bytes, and the bytes |
//! | 1 | the single-byte substitute, or FFFF |
//! | 1 + 5 n | the charts: their number, and for each its lead byte (FFFF for the single bytes) and four blocks |
//! | 1 + n | the codes that are used to decode only: their number, and the codes |
//! | 1 + … | the mappings outside the charts: their number; for each its way (high byte) and number of UTF-16 code units; then for each its code; then for each the code units |
//!
//! A page with states may have codes of up to four bytes and characters beyond the Basic Multilingual Plane. After the
//! single-byte substitute its record has these parts instead, in which a code takes two words (high word first):
//!
//! | words | contents |
//! |---|---|
//! | 1 + … | the states: their number, and for each the number of its runs of equal bytes, and for each run its first (high byte) and last byte, and what the bytes do: 1 end a sequence, 2 end one without a character, 256 + n continue in state n |
//! | 1 + 7 n | the charts: their number, and for each its lead bytes as a code (FFFF FFFF for the single bytes), the plane of Unicode that its cells are in, and four blocks. A chart with characters of several planes is there once for each |
//! | 1 + 2 n | the codes that are used to decode only |
//! | 1 + … | the mappings outside the charts |

use super::{Cell, Code, Mapping, State, Table, TableShape, Way};

/// A byte without a character, in a block. U+FFFF is a noncharacter, so no page assigns it.
const NO_CHARACTER: u16 = 0xFFFF;

/// The file that has a page's record and blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Blob {
    /// `pages.bin`.
    Pages,
    /// `legacy.bin`.
    #[cfg(feature = "legacy")]
    Legacy,
}

impl Blob {
    fn bytes(self) -> &'static [u8] {
        match self {
            Blob::Pages => include_bytes!("../builtin/pages.bin"),
            #[cfg(feature = "legacy")]
            Blob::Legacy => include_bytes!("../builtin/legacy.bin"),
        }
    }
}

/// The pages of a folder, by name. They are written as rows, by the macro `pages`.
///
/// A pointer would have to be set in memory whenever a program starts, in most pages for nothing. So one text has the
/// words of all rows, one after another, and the heads have only numbers.
#[derive(Debug)]
pub(crate) struct Pages {
    pub(in crate::codec) text: &'static str,
    pub(in crate::codec) heads: &'static [Head],
    pub(in crate::codec) blob: Blob,
}

/// The properties of a page that are available without opening it.
#[derive(Debug)]
pub(in crate::codec) struct Head {
    /// Where its words begin in the text of all pages.
    at: u32,
    /// Where its name, other labels and description end, and then all of its words, counted from there.
    ends: [u16; 4],
    is_single: bool,
    record: u32,
}

/// Makes the pages of a folder of rows. A row has the name; the other labels, separated by spaces; the languages or the
/// use of the page, in a few words; the table or standard that it was taken from; whether it has only single bytes and
/// characters of the Basic Multilingual Plane; and the index of the first word of its record, in the words of all
/// records.
macro_rules! pages {
    ($blob:expr, $(($name:literal, $aliases:literal, $about:literal, $source:literal, $is_single:literal, $record:literal),)*) => {
        $crate::codec::table::packed::Pages {
            text: concat!($($name, $aliases, $about, $source),*),
            heads: &const {
                $crate::codec::table::packed::heads([
                    $(([$name.len(), $aliases.len(), $about.len(), $source.len()], $is_single, $record)),*
                ])
            },
            blob: $blob,
        }
    };
}
pub(in crate::codec) use pages;

/// Makes the heads of pages whose words have these lengths, and stand one after another.
pub(in crate::codec) const fn heads<const N: usize>(rows: [([usize; 4], bool, u32); N]) -> [Head; N] {
    let mut heads = [const { Head { at: 0, ends: [0; 4], is_single: false, record: 0 } }; N];
    let (mut at, mut row) = (0, 0);
    while row < N {
        let (lens, is_single, record) = rows[row];
        let (mut ends, mut end, mut word) = ([0; 4], 0, 0);
        while word < 4 {
            end += lens[word];
            ends[word] = end as u16;
            word += 1;
        }
        assert!(end <= u16::MAX as usize, "the words of a page are too long");
        heads[row] = Head { at, ends, is_single, record };
        at += end as u32;
        row += 1;
    }
    heads
}

impl Pages {
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn get(&'static self, index: usize) -> Option<Packed> {
        Some(Packed { head: self.heads.get(index)?, of: self })
    }

    pub(in crate::codec) fn iter(&'static self) -> impl Iterator<Item = Packed> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// A built-in page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    head: &'static Head,
    of: &'static Pages,
}

/// Reads one word after another.
#[derive(Clone, Copy, Debug)]
struct Words {
    low: &'static [u8],
    high: &'static [u8],
    at: usize,
    /// The blocks that the words refer to.
    blocks: &'static [u8],
}

impl Words {
    fn next(&mut self) -> u16 {
        let byte = |bytes: &[u8]| bytes.get(self.at).copied().unwrap_or(0xFF);
        let word = u16::from_le_bytes([byte(self.low), byte(self.high)]);
        self.at += 1;
        word
    }

    fn next_long(&mut self) -> u32 {
        u32::from(self.next()) << 16 | u32::from(self.next())
    }

    /// Reads the place of a chart's cells.
    fn blocks(&mut self) -> Blocks {
        Blocks { of: self.blocks, numbers: std::array::from_fn(|_| self.next()) }
    }
}

/// An opened record: the small parts have been read, the rest has only been located.
#[derive(Clone, Debug)]
pub(in crate::codec) struct Record {
    pub(in crate::codec) shape: TableShape,
    pub(in crate::codec) substitute: Vec<u8>,
    pub(in crate::codec) substitute1: Option<u8>,
    pub(in crate::codec) charts: Vec<Chart>,
    /// The sorted codes of the chart cells that are used to decode only.
    pub(in crate::codec) to_text: Vec<Code>,
    others: Words,
}

/// The chart of the single bytes, or of the pairs of a lead byte.
#[derive(Clone, Copy, Debug)]
pub(in crate::codec) struct Chart {
    pub(in crate::codec) lead: Option<u8>,
    blocks: Blocks,
}

/// The cells of a chart: four blocks.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    of: &'static [u8],
    numbers: [u16; 4],
}

impl Blocks {
    /// Returns the code units, a quarter at a time, with FFFF for a byte without a character.
    fn quarters(self) -> impl Iterator<Item = [u16; 64]> {
        let (low, high) = self.of.split_at(self.of.len() / 2);
        self.numbers.into_iter().map(move |block| {
            let [low, high] =
                [low, high].map(|half| half[64 * usize::from(block)..].first_chunk::<64>().expect("blocks are whole"));
            code_points(std::array::from_fn(|index| u16::from_le_bytes([low[index], high[index]])))
        })
    }
}

/// Returns the code points of a block.
fn code_points(words: [u16; 64]) -> [u16; 64] {
    // Three loops, of which the compiler vectorizes the first and the last. A missing one is not a step, so that the
    // next is counted from the same place.
    let mut units = words.map(|word| {
        let is_back = (word & 1).wrapping_neg();
        ((!word >> 1) ^ is_back).wrapping_sub(is_back)
    });
    let mut last = 0_u16;
    for unit in &mut units {
        last = last.wrapping_add(*unit);
        *unit = last;
    }
    for (unit, word) in units.iter_mut().zip(words) {
        *unit |= if word == NO_CHARACTER { NO_CHARACTER } else { 0 };
    }
    units
}

impl Chart {
    /// Returns its code units, a quarter at a time, with FFFF for a byte without a character.
    pub(in crate::codec) fn quarters(&self) -> impl Iterator<Item = [u16; 64]> {
        self.blocks.quarters()
    }

    /// Returns the code of a byte in this chart.
    pub(in crate::codec) fn code(&self, byte: u8) -> Code {
        self.lead.map_or(Code::single(byte), |lead| Code::pair(lead, byte))
    }
}

impl Record {
    /// Calls `each` with way, code and text of the mappings outside the charts.
    pub(in crate::codec) fn others(&self, each: impl FnMut(Way, Code, &str)) {
        read_others(self.others, 1, |words| code(words.next()), each);
    }
}

/// Reads the mappings outside the charts, whose codes take `code_len` words and are read by `code`.
fn read_others(mut words: Words, code_len: usize, code: fn(&mut Words) -> Code, mut each: impl FnMut(Way, Code, &str)) {
    let count = words.next();
    let (mut heads, len) = (words, usize::from(count));
    let mut codes = Words { at: heads.at + len, ..heads };
    let mut words = Words { at: codes.at + code_len * len, ..codes };
    let mut text = String::new();
    for _ in 0..count {
        let [way, units] = heads.next().to_be_bytes();
        let code = code(&mut codes);
        let way = [Way::RoundTrip, Way::BestFit, Way::Substitute1, Way::ToText, Way::ToBytes][usize::from(way) % 5];
        text.clear();
        let units = (0..units).map(|_| words.next());
        text.extend(char::decode_utf16(units).map(|ch| ch.unwrap_or('\u{FFFD}')));
        each(way, code, &text);
    }
}

const SHIFTED: u16 = 2;
const WITH_STATES: u16 = 4;

impl Packed {
    /// Returns the preferred name.
    pub fn name(self) -> &'static str {
        self.text(0, self.head.ends[0])
    }

    /// Returns the other labels, separated by spaces.
    pub fn aliases(self) -> &'static str {
        self.text(self.head.ends[0], self.head.ends[1])
    }

    /// Returns the languages or the use of the page, in a few words.
    pub fn about(self) -> &'static str {
        self.text(self.head.ends[1], self.head.ends[2])
    }

    /// Returns the table or standard that it comes from.
    pub fn source(self) -> &'static str {
        self.text(self.head.ends[2], self.head.ends[3])
    }

    fn text(self, start: u16, end: u16) -> &'static str {
        let at = self.head.at as usize;
        self.of.text.get(at + usize::from(start)..at + usize::from(end)).unwrap_or_default()
    }

    /// Returns whether the page has only single bytes and characters of the Basic Multilingual Plane.
    pub fn is_single(self) -> bool {
        self.head.is_single
    }

    fn words(self) -> Words {
        let (count, rest) = self.of.blob.bytes().split_first_chunk().expect("it has the number of blocks");
        let (blocks, words) = rest.split_at(128 * u32::from_le_bytes(*count) as usize);
        let (low, high) = words.split_at(words.len() / 2);
        Words { low, high, at: self.head.record as usize, blocks }
    }

    /// Returns whether the page has shift codes.
    pub fn is_shifted(self) -> bool {
        self.words().next() == SHIFTED
    }

    /// Returns whether the page has states. If so, only [`table`](Self::table) can read it.
    pub fn has_states(self) -> bool {
        self.words().next() == WITH_STATES
    }

    /// Opens the record of a page without states.
    pub(in crate::codec) fn open(self) -> Record {
        let mut words = self.words();
        let shape = words.next();
        let substitute = (0..words.next()).map(|_| words.next() as u8).collect();
        let substitute1 = u8::try_from(words.next()).ok();
        let charts: Vec<Chart> = (0..words.next())
            .map(|_| Chart { lead: u8::try_from(words.next()).ok(), blocks: words.blocks() })
            .collect();
        let to_text = (0..words.next()).map(|_| code(words.next())).collect();
        let shape = match shape {
            0 => TableShape::Single,
            1 => TableShape::Double,
            SHIFTED => TableShape::Shifted,
            _ => TableShape::led_by(charts.iter().filter_map(|chart| chart.lead)),
        };
        Record { shape, substitute, substitute1, charts, to_text, others: words }
    }

    /// Returns the character of each single byte in the charts.
    pub(in crate::codec) fn single_bytes(self) -> [Option<char>; 256] {
        let record = self.open();
        let mut units = record.charts.iter().filter(|chart| chart.lead.is_none()).flat_map(Chart::quarters).flatten();
        let mut next = || char::from_u32(units.next()?.into()).filter(|ch| *ch != '\u{FFFF}');
        std::array::from_fn(|_| next())
    }

    /// Returns the page as a table.
    pub fn table(self) -> Table {
        let mut table = Table::new(self.name(), self.source());
        table.aliases = self.aliases().split(' ').filter(|alias| !alias.is_empty()).map(Into::into).collect();
        match self.has_states() {
            true => self.fill_with_states(&mut table),
            false => self.fill(&mut table),
        }
        table
    }

    fn fill(self, table: &mut Table) {
        let record = self.open();
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
    }

    fn fill_with_states(self, table: &mut Table) {
        let mut words = self.words();
        words.next();
        table.substitute = (0..words.next()).map(|_| words.next() as u8).collect();
        table.substitute1 = u8::try_from(words.next()).ok();
        table.shape = TableShape::Multi((0..words.next()).map(|_| state(&mut words)).collect());
        for _ in 0..words.next() {
            let lead = words.next_long();
            let lead = if lead == u32::MAX { 0 } else { lead << 8 };
            let plane = u32::from(words.next()) << 16;
            for (byte, unit) in (0..=255).zip(words.blocks().quarters().flatten()) {
                if let Some(ch) = char::from_u32(plane | u32::from(unit)).filter(|_| unit != NO_CHARACTER) {
                    table.mappings.push(Mapping { code: long_code(lead | byte), ch, way: Way::RoundTrip });
                }
            }
        }
        table.mappings.sort_unstable_by_key(|mapping| mapping.code);
        for _ in 0..words.next() {
            let code = long_code(words.next_long());
            if let Ok(index) = table.mappings.binary_search_by_key(&code, |mapping| mapping.code) {
                table.mappings[index].way = Way::ToText;
            }
        }
        read_others(
            words,
            2,
            |words| long_code(words.next_long()),
            |way, code, text| table.add(&code.bytes()[..code.len()], text, way),
        );
    }
}

/// Reads the runs of a state.
fn state(words: &mut Words) -> State {
    let mut cells = [Cell::Illegal; 256];
    for _ in 0..words.next() {
        let [first, last] = words.next().to_be_bytes();
        let cell = match words.next() {
            1 => Cell::End,
            2 => Cell::Unassigned,
            next => Cell::Next(next as u8),
        };
        cells[usize::from(first)..=usize::from(last)].fill(cell);
    }
    cells
}

/// Returns a code of up to four bytes. The first byte of several is never 0.
fn long_code(number: u32) -> Code {
    let bytes = number.to_be_bytes();
    let zeros = bytes[..3].iter().take_while(|byte| **byte == 0).count();
    Code::new(&bytes[zeros..]).expect("one to four bytes")
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
        let page = crate::codec::builtin::pages().find(|page| page.name() == "IBM037").unwrap();
        assert_eq!(page.table().mappings.iter().find(|mapping| mapping.ch == 'A').unwrap().code.number(), 0xC1);
    }
}
