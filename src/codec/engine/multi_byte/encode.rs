//! Encodes text to bytes: the two-level table, the code that builds it, and the encoder.

use super::draft::{Keys, Tables};
use super::{InUse, LEAST_REACH, SHIFTS, Shared, WORTH, fits};
use crate::arch::types::ByteOrder;
use crate::arch::{self, lanes, utf16};
use crate::codec::batches::Pace;
use crate::codec::sink::ascii_blocks;
use crate::codec::table::packed::Record;
use crate::codec::table::{Mapping, SI, SO, Sequence, Table, TableShape, Way};
use crate::codec::{ByteSink, Encoder, MIN_ROOM, Packed, Replacement, Step, Stop, Unmappable};
use std::str::Chars;
use std::sync::Arc;

/// An entry of the table: what a code point becomes, in the lane layout of the kernel.
mod bytes {
    use crate::arch::types;

    /// No code.
    pub(super) const NONE: u32 = 0;
    /// The position of the number of bytes. The bytes are below it, the last one lowest.
    pub(super) const SHIFT: u32 = types::LEN;
    /// As a number of bytes: four; the entry has the index in `fours`.
    pub(super) const FOUR: u32 = 4;
    /// As a number of bytes: more; the entry has the index in `long`.
    pub(super) const LONG: u32 = 5;
    /// The character may begin a mapping of several; the entry is that of the character alone.
    pub(super) const START: u32 = types::MAY_GO_ON;
    /// The character may be the second of a mapping.
    pub(super) const FOLLOWS: u32 = types::FOLLOWS;
    /// The index of a longer code.
    pub(super) const INDEX: u32 = (1 << SHIFT) - 1;
    /// The rest of the lane.
    pub(super) const ENTRY: u32 = !(START | FOLLOWS);
}

/// How many code points are looked up in one block.
const BLOCK: usize = 64;
/// The number of blocks in the Basic Multilingual Plane.
const PLANE: usize = 0x1_0000 / BLOCK;

/// The room that [`EncodeTable::runs`] needs: a pair may begin at any index that is a `u8`, so no store needs a check.
const WINDOW: usize = 0x100 + 1;

/// The tables of an encoder.
#[derive(Clone, Debug)]
pub(in crate::codec::engine) struct EncodeTable {
    /// The block of each 64 code points, at least for the Basic Multilingual Plane; block 0 is empty.
    index: Vec<u16>,
    blocks: Vec<[u32; BLOCK]>,
    fours: Vec<[u8; 4]>,
    long: Vec<Box<[u8]>>,
    /// The mappings of several characters, by the first one.
    starts: Vec<(char, Start)>,
    /// One-way mappings, by character.
    best_fit: Vec<(char, u32)>,
    substitute: Box<[u8]>,
    substitute1: Option<u8>,
    /// The characters that `substitute1` replaces, in order; `None` if it replaces all up to U+00FF.
    for_substitute1: Option<Vec<char>>,
    is_shifted: bool,
    /// Whether a character of ASCII has its own byte as code, at any position.
    keeps_ascii: bool,
}

/// The tables of a built-in page, directly from its packed form. The keys are blocks of code points.
impl Tables for EncodeTable {
    type Draft = Draft;

    fn draft(page: Packed) -> Draft {
        let record = page.open();
        let mut one_way = vec![0; if record.to_text.is_empty() { 0 } else { 0x1_0000 / 64 }];
        for code in &record.to_text {
            one_way[code.number() as usize / 64] |= 1 << (code.number() % 64);
        }
        let mut table = Self::empty(&record.shape, &record.substitute, record.substitute1);
        // Once, as a vector that grows is copied again and again. A chart of 256 cells may be spread over as many blocks;
        // what is not needed costs nothing.
        table.blocks.reserve(PLANE.min(256 * record.charts.len()));
        Draft { table, record, one_way, keys: Keys::default() }
    }

    fn add(draft: &mut Draft, wanted: &Keys) {
        let mut blocks: Vec<u16> = wanted.iter().filter(|key| !draft.keys.contains(usize::from(*key))).collect();
        blocks.iter().for_each(|key| draft.keys.insert(usize::from(*key)));
        let Draft { table, record, one_way, .. } = draft;
        each_quarter(record, one_way, |mut quarter| {
            if blocks.iter().any(|block| has_some_in(&quarter.units, *block)) {
                let is_wanted = |unit| blocks.contains(&(unit / BLOCK as u16));
                quarter.units = quarter.units.map(|unit| if is_wanted(unit) { unit } else { 0xFFFF });
                table.set_quarter(&quarter);
                // Each code point is in one cell only, so the charts that follow have nothing for a block without gaps.
                // Those of ASCII mostly have none after the first chart.
                blocks.retain(|block| table.has_gap(*block));
            }
            !blocks.is_empty()
        });
    }

    fn add_all(draft: &mut Draft) {
        let Draft { table, record, one_way, .. } = draft;
        each_quarter(record, one_way, |quarter| {
            table.set_quarter(&quarter);
            true
        });
    }

    fn finish(Draft { mut table, record, .. }: Draft) -> Self {
        record.others(|way, code, text| {
            let mut chars = text.chars();
            if let Some(first) = chars.next() {
                table.insert(&code.bytes()[..code.len()], first, chars.as_str(), way);
            }
        });
        table.in_order()
    }
}

/// What there is of the tables of a built-in page.
#[derive(Clone, Debug)]
pub(in crate::codec::engine) struct Draft {
    /// With the charts alone: the mappings outside them count for more.
    table: EncodeTable,
    record: Record,
    /// A bit for each code that is used to decode only.
    one_way: Vec<u64>,
    /// The blocks that the table has.
    keys: Keys,
}

/// Calls `each` with the cells of a record, a quarter of a chart at a time, until it returns false.
fn each_quarter(record: &Record, one_way: &[u64], mut each: impl FnMut(Quarter) -> bool) {
    for chart in &record.charts {
        let first = chart.code(0);
        let len = (first.len() as u32) << bytes::SHIFT;
        for (first, units) in (first.number()..).step_by(BLOCK).zip(chart.quarters()) {
            let one_way = one_way.get(first as usize / BLOCK).copied().unwrap_or(0);
            if !each(Quarter { units, entry: len | first, one_way }) {
                return;
            }
        }
    }
}

/// The cells of a quarter of a chart.
struct Quarter {
    /// The code units, with FFFF where there is none.
    units: [u16; BLOCK],
    /// The entry of the first one; the others have those after it.
    entry: u32,
    /// A bit for each cell that is used to decode only.
    one_way: u64,
}

impl Quarter {
    /// Returns the code units to encode, and the entry of each.
    fn entries(&self) -> impl Iterator<Item = (u16, u32)> {
        let units = (0..).zip(&self.units).filter(|(low, unit)| **unit != 0xFFFF && self.one_way >> low & 1 == 0);
        units.map(|(low, unit)| (*unit, self.entry + low))
    }
}

/// Returns whether a code unit is in this block.
#[cfg_attr(target_family = "wasm", allow(dead_code))] // Web pages add all.
fn has_some_in(units: &[u16; BLOCK], block: u16) -> bool {
    // Without a branch, and in numbers as wide as the units, so that the compiler vectorizes it.
    units.iter().fold(0, |some, unit| some | u16::from(unit / BLOCK as u16 == block)) != 0
}

/// The mappings of several characters that begin with the same character.
#[derive(Clone, Debug)]
struct Start {
    /// The characters after the first, in order, and the entry of the whole mapping.
    longer: Vec<(Box<str>, u32)>,
    /// The length of the longest of them.
    longest: usize,
}

impl EncodeTable {
    pub(in crate::codec::engine) fn new(table: &Table) -> Self {
        let mut this = Self::empty(&table.shape, &table.substitute, table.substitute1);
        if table.substitute1.is_some() && !table.lists_substitute1() {
            this.for_substitute1 = None;
        }
        for Mapping { code, ch, way } in &table.mappings {
            this.insert(&code.bytes()[..code.len()], *ch, "", *way);
        }
        for Sequence { bytes, text, way } in &table.sequences {
            let mut chars = text.chars();
            if fits(bytes, text)
                && let Some(first) = chars.next()
            {
                this.insert(bytes, first, chars.as_str(), *way);
            }
        }
        this.in_order()
    }

    fn empty(shape: &TableShape, substitute: &[u8], substitute1: Option<u8>) -> Self {
        EncodeTable {
            index: vec![0; PLANE],
            blocks: vec![[bytes::NONE; BLOCK]],
            fours: Vec::new(),
            long: Vec::new(),
            starts: Vec::new(),
            best_fit: Vec::new(),
            substitute: substitute.into(),
            substitute1,
            // `None` does not occur in built-in pages: each has U+0000 at 00.
            for_substitute1: Some(Vec::new()),
            is_shifted: *shape == TableShape::Shifted,
            keeps_ascii: false,
        }
    }

    fn insert(&mut self, code: &[u8], first: char, rest: &str, way: Way) {
        let is_shift = self.is_shifted && (code == [SO] || code == [SI]);
        match way {
            Way::Substitute1 => self.for_substitute1.iter_mut().for_each(|listed| listed.push(first)),
            Way::ToText => {}
            _ if is_shift => {}
            way if way.encodes(first) => {
                let entry = self.entry(code);
                if rest.is_empty() {
                    self.set(first, entry);
                } else {
                    self.add_start(first, rest, entry);
                }
            }
            // A one-way mapping of several characters is never used: a replacement is for one character.
            _ if !rest.is_empty() => {}
            _ => {
                let entry = self.entry(code);
                self.best_fit.push((first, entry));
            }
        }
    }

    fn in_order(mut self) -> Self {
        crate::sort::by_key(&mut self.starts, |(ch, _)| *ch);
        for (_, start) in &mut self.starts {
            crate::sort::by(&mut start.longer, Ord::cmp);
            start.longest = start.longer.iter().map(|(longer, _)| longer.len()).max().unwrap_or(0);
        }
        crate::sort::by(&mut self.best_fit, Ord::cmp);
        self.for_substitute1.iter_mut().for_each(|listed| crate::sort::by(listed, Ord::cmp));
        let is_kept = |byte: u8| self.find(byte.into()) & !bytes::FOLLOWS == 1 << bytes::SHIFT | u32::from(byte);
        self.keeps_ascii = !self.is_shifted && (0..0x80).all(is_kept);
        self
    }

    fn entry(&mut self, code: &[u8]) -> u32 {
        if code.len() <= 3 {
            let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
            return (code.len() as u32) << bytes::SHIFT | number;
        }
        if let Ok(code) = code.try_into() {
            self.fours.push(code);
            return bytes::FOUR << bytes::SHIFT | (self.fours.len() as u32 - 1);
        }
        self.long.push(code.into());
        bytes::LONG << bytes::SHIFT | (self.long.len() as u32 - 1)
    }

    /// Returns the place of the lane of a code point.
    fn place(&mut self, code_point: u32) -> &mut u32 {
        let (index, low) = (code_point as usize / BLOCK, code_point as usize % BLOCK);
        if index >= self.index.len() {
            self.index.resize(index + 1, 0);
        }
        if self.index[index] == 0 {
            self.index[index] = self.blocks.len() as u16;
            self.blocks.push([bytes::NONE; BLOCK]);
        }
        &mut self.blocks[self.index[index] as usize][low]
    }

    /// Sets the entries of some cells. Nothing else may have been set.
    fn set_quarter(&mut self, quarter: &Quarter) {
        for (unit, entry) in quarter.entries() {
            *self.place(u32::from(unit)) = entry;
        }
    }

    /// Returns whether a character of a block has no entry. Shift codes are not characters.
    #[cfg_attr(target_family = "wasm", allow(dead_code))] // Web pages add all.
    fn has_gap(&self, block: u16) -> bool {
        let lanes = &self.blocks[usize::from(self.index[usize::from(block)])];
        let is_shift = |low| self.is_shifted && block == 0 && (low == SO || low == SI);
        (0..).zip(lanes).any(|(low, lane)| *lane == bytes::NONE && !is_shift(low))
    }

    /// Sets the entry of `ch` alone.
    fn set(&mut self, ch: char, entry: u32) {
        let place = self.place(ch.into());
        *place = *place & !bytes::ENTRY | entry;
    }

    fn add_start(&mut self, first: char, rest: &str, entry: u32) {
        if let Some(second) = rest.chars().next() {
            *self.place(second.into()) |= bytes::FOLLOWS;
        }
        let place = self.place(first.into());
        let is_new = *place & bytes::START == 0;
        *place |= bytes::START;
        let index = if is_new {
            self.starts.push((first, Start { longer: Vec::new(), longest: 0 }));
            self.starts.len() - 1
        } else {
            // Usually that of the previous mapping.
            self.starts.iter().rposition(|(ch, _)| *ch == first).unwrap_or(0)
        };
        self.starts[index].1.longer.push((rest.into(), entry));
    }

    /// Writes codes of up to four bytes. Stops at anything else, at a lane that may combine with the next one, or when
    /// the room may not be enough; returns how many lanes were written and how many bytes that was.
    fn any_codes(&self, lanes: &[u32], spare: &mut [u8]) -> (usize, usize) {
        let mut written = 0;
        for (done, lane) in lanes.iter().enumerate() {
            let len = (lane & !bytes::FOLLOWS) >> bytes::SHIFT;
            let Some(place) = spare[written..].first_chunk_mut::<4>() else { return (done, written) };
            // Also where a character may combine with the next one, which makes `len` too large.
            if len.wrapping_sub(1) >= bytes::FOUR {
                return (done, written);
            }
            // No branch on the length, which would often be guessed wrong.
            let is_four = len == bytes::FOUR;
            let four = self.fours[if is_four { (lane & bytes::INDEX) as usize } else { 0 }];
            let short = lane << (32 - 8 * len.min(3));
            *place = if is_four { four } else { short.to_be_bytes() };
            written += len as usize;
        }
        (lanes.len(), written)
    }

    /// Encodes a text of fewer than [`WORTH`] bytes in runs of single bytes and of pairs, up to a character that has no
    /// code or a longer one, or that may combine with the next; returns how many bytes were read and written.
    #[inline(always)]
    fn runs<'a>(&self, is_double: &mut bool, src: &'a str, window: &mut [u8; WINDOW]) -> (usize, usize) {
        // Each byte of `src` becomes three bytes at most, a shift code and a pair, so that a `u8` counts them.
        const { assert!(3 * (WORTH - 1) <= u8::MAX as usize) };
        debug_assert!(src.len() < WORTH);
        let index: &[u16; PLANE] = self.index.first_chunk().expect("the plane is there");
        let (blocks, is_shifted, mut was_double) = (&self.blocks[..], self.is_shifted, *is_double);
        // Returns the code of a lane that has `len` bytes; of any other lane, a number that is too large for `len` bytes.
        let code = |lane: u32, len: u32| lane & !bytes::FOLLOWS ^ len << bytes::SHIFT;
        let (mut rest, mut ahead) = (src.chars(), src.chars());
        let mut next_lane = |rest: &mut Chars<'a>| {
            *rest = ahead.clone();
            let ch = ahead.next().map_or(usize::MAX, |ch| ch as usize);
            let block = index.get(ch / BLOCK).map_or(0, |block| usize::from(*block));
            blocks[block][ch % BLOCK]
        };
        let (mut lane, mut written) = (next_lane(&mut rest), 0_u8);
        loop {
            if code(lane, 1) <= 0xFF {
                if was_double {
                    window[usize::from(written)] = SI;
                    written += 1;
                    was_double = false;
                }
                while let single @ 0..=0xFF = code(lane, 1) {
                    window[usize::from(written)] = single as u8;
                    written += 1;
                    lane = next_lane(&mut rest);
                }
            }
            if code(lane, 2) > 0xFFFF {
                break;
            }
            if is_shifted && !was_double {
                window[usize::from(written)] = SO;
                written += 1;
                was_double = true;
            }
            while let pair @ 0..=0xFFFF = code(lane, 2) {
                window[usize::from(written)..][..2].copy_from_slice(&(pair as u16).to_be_bytes());
                written += 2;
                lane = next_lane(&mut rest);
            }
            if code(lane, 1) > 0xFF {
                break;
            }
        }
        *is_double = was_double;
        (src.len() - rest.as_str().len(), written.into())
    }

    /// Encodes characters one after another, up to one with a longer code, one that may combine with the next, or one
    /// within eight bytes of the end of the room; returns how many bytes were read and written.
    #[inline(always)]
    fn few(&self, is_double: &mut bool, src: &str, spare: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written, mut was_double) = (0, 0, *is_double);
        for ch in src.chars() {
            let lane = self.find(ch) & !bytes::FOLLOWS;
            let len = lane >> bytes::SHIFT;
            let Some(place) = spare[written..].first_chunk_mut::<8>() else { break };
            // A character that may combine has a bit above its length.
            if len.wrapping_sub(1) >= 3 {
                break;
            }
            let mut shift = 0;
            if self.is_shifted && (len > 1) != was_double {
                was_double = !was_double;
                place[0] = if was_double { SO } else { SI };
                shift = 1;
            }
            place[shift..shift + 4].copy_from_slice(&(lane << (32 - 8 * len)).to_be_bytes());
            (read, written) = (read + ch.len_utf8(), written + shift + len as usize);
        }
        *is_double = was_double;
        (read, written)
    }

    #[inline(always)]
    fn find(&self, ch: char) -> u32 {
        let block = self.index.get(ch as usize / BLOCK).copied().unwrap_or(0);
        self.blocks[block as usize][ch as usize % BLOCK]
    }

    /// Returns the entry for the beginning of `text`, which is not empty, and the length of that beginning; `None` if
    /// the text that follows decides. If `last` is true, nothing follows.
    fn first(&self, text: &str, last: bool) -> Option<(u32, usize)> {
        let ch = text.chars().next()?;
        let (lane, rest) = (self.find(ch), &text[ch.len_utf8()..]);
        let alone = (lane & bytes::ENTRY, ch.len_utf8());
        if lane & bytes::START == 0 {
            return Some(alone);
        }
        let Ok(start) = self.starts.binary_search_by_key(&ch, |(ch, _)| *ch) else { return Some(alone) };
        let start = &self.starts[start].1;
        // In the sorted list, entries that begin with the rest and are longer come directly after it.
        let after = start.longer.partition_point(|(longer, _)| **longer <= *rest);
        if !last && start.longer.get(after).is_some_and(|(longer, _)| longer.starts_with(rest)) {
            return None;
        }
        let found = (1..=start.longest).rev().filter_map(|len| rest.get(..len)).find_map(|begin| {
            let at = start.longer.binary_search_by(|(longer, _)| (**longer).cmp(begin)).ok()?;
            Some(&start.longer[at])
        });
        Some(found.map_or(alone, |(longer, entry)| (*entry, ch.len_utf8() + longer.len())))
    }

    fn best_fit(&self, ch: char) -> Option<u32> {
        let index = self.best_fit.binary_search_by_key(&ch, |(ch, _)| *ch).ok()?;
        Some(self.best_fit[index].1)
    }

    /// Returns the substitution character for `ch`.
    fn substitute(&self, ch: char) -> &[u8] {
        let listed = self.for_substitute1.as_ref();
        match &self.substitute1 {
            Some(single) if listed.map_or(ch <= '\u{FF}', |listed| listed.binary_search(&ch).is_ok()) => {
                std::slice::from_ref(single)
            }
            _ => &self.substitute,
        }
    }
}

/// Encodes a multi-byte charset.
#[derive(Clone, Debug)]
pub(in crate::codec::engine) struct MultiByteEncoder {
    tables: InUse<EncodeTable>,
    /// Whether the last shift code was that for pairs.
    is_double: bool,
    /// Text that was read and not decided.
    held: String,
    /// When to try a batch, and how many characters to look up before any is written.
    pace: Pace,
}

/// Returns how many bytes there are up to some ASCII in a row, and the front of that, if it is among the first `most`
/// characters. Else the length of `src`.
#[inline(always)]
fn until_ascii(src: &str, most: usize) -> usize {
    let blocks = src.as_bytes().as_chunks::<64>().0;
    let is_ascii = |at: usize| blocks.get(at).is_some_and(|block| block.iter().fold(0, |all, byte| all | byte) < 0x80);
    // Two blocks, of which a kernel converts at least a part. One of them has an odd number, so most of the others need
    // no look: all of this text is read again.
    let odd = (1..=3 * most / 64).step_by(2).find(|at| is_ascii(*at) && (is_ascii(at - 1) || is_ascii(at + 1)));
    odd.map_or(src.len(), |at| 64 * at + if is_ascii(at - 1) { 64 } else { 128 })
}

/// Encodes the front of `src` to `spare` in three steps: to UTF-16, to lanes, to bytes. Stops at anything that needs a
/// decision, and at the latest within a block of the end of either slice; returns how many bytes were read and written.
#[inline(never)]
fn batch(table: &EncodeTable, is_double: &mut bool, reach: &mut usize, src: &str, spare: &mut [u8]) -> (usize, usize) {
    const UNITS: usize = 320;
    let isa = arch::isa();
    let order = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
    let index: &[u16; PLANE] = table.index.first_chunk().expect("the plane is there");
    let shifts = table.is_shifted.then_some(SHIFTS);
    let mut units = [0; 2 * UNITS];
    let mut looked_up = [0; UNITS + 1];
    let (mut read, mut written) = (0, 0);
    while src.len() - read >= WORTH {
        let most = (*reach).clamp(LEAST_REACH, UNITS);
        let mut end = src.len();
        if table.keeps_ascii {
            let len = ascii_blocks(&src.as_bytes()[read..], &mut spare[written..]);
            if len > 0 {
                (read, written) = (read + len, written + len);
                continue;
            }
            end = read + until_ascii(&src[read..], most);
        }
        // The kernel of UTF-16 goes in blocks, so in a small buffer it makes few units.
        let room = &mut units[..2 * most];
        let (taken, made) = utf16::from_utf8(isa, order, true, &src[read..end], room);
        let (units, _) = room[..made].as_chunks::<2>();
        if units.is_empty() {
            break;
        }
        let lanes = &mut looked_up[..=units.len()];
        for (lane, unit) in lanes.iter_mut().zip(units) {
            let unit = usize::from(u16::from_ne_bytes(*unit));
            *lane = table.blocks[usize::from(index[unit / BLOCK])][unit % BLOCK];
        }
        // The kernel needs to see the lane after the last one. At the end of `src`, assume that it combines.
        lanes[units.len()] = src[read + taken..].chars().next().map_or(bytes::FOLLOWS, |ch| table.find(ch));
        let (mut done, put) = lanes::codes(isa, lanes, shifts, is_double, &mut spare[written..]);
        written += put;
        if done < units.len() && !table.fours.is_empty() && shifts.is_none() {
            let (more, put) = table.any_codes(&lanes[done..units.len()], &mut spare[written..]);
            (done, written) = (done + more, written + put);
        }
        if done < units.len() {
            *reach = done + LEAST_REACH;
            let len = |unit: &[u8; 2]| match u16::from_ne_bytes(*unit) {
                0..0x80 => 1,
                0x80..0x800 => 2,
                _ => 3,
            };
            return (read + units[..done].iter().map(len).sum::<usize>(), written);
        }
        *reach = (2 * (*reach).clamp(LEAST_REACH, UNITS)).min(UNITS);
        read += taken;
    }
    (read, written)
}

/// The batches of an encoder with shift codes, for a codec that has a state machine of its own for everything else.
#[cfg(feature = "legacy")]
#[derive(Debug)]
pub(in crate::codec) struct ShiftedCodes(EncodeTable);

#[cfg(feature = "legacy")]
impl ShiftedCodes {
    /// Makes the tables from one with shift codes.
    pub(in crate::codec) fn new(table: &Table) -> Self {
        ShiftedCodes(EncodeTable::new(table))
    }

    /// Encodes the front of `src`, up to a character that the table lacks, or within a block of the end of `src` or of
    /// the room; returns how many bytes were read and written.
    pub(in crate::codec) fn encode(&self, is_double: &mut bool, src: &str, spare: &mut [u8]) -> (usize, usize) {
        batch(&self.0, is_double, &mut { LEAST_REACH }, src, spare)
    }
}

/// Lets `put` write to the room of `dst` from the index that it is given, which it advances. Returns what `put`
/// returns.
fn put_in(dst: &mut ByteSink<'_>, put: impl FnOnce(&mut [u8], &mut usize) -> bool) -> bool {
    let (mut at, mut done) = (0, false);
    dst.fill(|spare| {
        done = put(spare, &mut at);
        at
    });
    done
}

impl MultiByteEncoder {
    pub(in crate::codec::engine) fn new(tables: Arc<Shared<EncodeTable>>) -> Self {
        MultiByteEncoder { tables: InUse::new(tables), is_double: false, held: String::new(), pace: Pace::new() }
    }

    #[inline(always)]
    fn prepare(&mut self, src: &str) {
        if !self.tables.have_all() {
            self.prepare_part(src);
        }
    }

    #[cold]
    #[inline(never)]
    fn prepare_part(&mut self, src: &str) {
        self.tables.prepare(src.len(), &|_, keys| {
            // Beyond the Basic Multilingual Plane, no character is in a chart.
            for block in src.chars().map(|ch| ch as usize / BLOCK).filter(|block| *block < PLANE) {
                keys.insert(block);
                // Letters and spaces of ASCII are in different blocks, and mostly there is soon one of the others.
                if block < 2 {
                    keys.insert(1 - block);
                }
            }
        });
    }

    /// Writes the bytes of `entry`, which has some, to `spare` from `at` on, after the shift code that they need;
    /// returns whether they fit.
    #[inline(always)]
    fn put(table: &EncodeTable, is_double: &mut bool, entry: u32, spare: &mut [u8], at: &mut usize) -> bool {
        let len = (entry >> bytes::SHIFT) as usize;
        // With room for the longest code, store a shift code and four bytes, and count only those that are needed.
        if let Some(place) = spare[*at..].first_chunk_mut::<8>()
            && len < bytes::FOUR as usize
        {
            let wanted = table.is_shifted && len > 1;
            let shift = usize::from(wanted != *is_double);
            *is_double = wanted;
            place[0] = if wanted { SO } else { SI };
            place[shift..shift + 4].copy_from_slice(&(entry << (8 * (4 - len))).to_be_bytes());
            *at += shift + len;
            return true;
        }
        let index = (entry & bytes::INDEX) as usize;
        match len as u32 {
            bytes::FOUR => return Self::put_bytes(table, is_double, &table.fours[index], spare, at),
            bytes::LONG => return Self::put_bytes(table, is_double, &table.long[index], spare, at),
            _ => {}
        }
        let code = (entry << (8 * (4 - len))).to_be_bytes();
        Self::put_bytes(table, is_double, &code[..len], spare, at)
    }

    #[inline(always)]
    fn put_bytes(table: &EncodeTable, is_double: &mut bool, code: &[u8], spare: &mut [u8], at: &mut usize) -> bool {
        let wanted = table.is_shifted && code.len() > 1;
        let shift = usize::from(wanted != *is_double);
        let Some(place) = spare.get_mut(*at..*at + shift + code.len()) else { return false };
        if shift == 1 {
            place[0] = if wanted { SO } else { SI };
            *is_double = wanted;
        }
        place[shift..].copy_from_slice(code);
        *at += place.len();
        true
    }

    fn push(&mut self, code: &[u8], dst: &mut ByteSink<'_>) -> bool {
        put_in(dst, |spare, at| Self::put_bytes(self.tables.get(), &mut self.is_double, code, spare, at))
    }

    fn push_entry(&mut self, entry: u32, dst: &mut ByteSink<'_>) -> bool {
        put_in(dst, |spare, at| Self::put(self.tables.get(), &mut self.is_double, entry, spare, at))
    }

    /// Encodes the front of `src` to `spare` while nothing is held, up to a character that depends on text which is not
    /// there yet. Returns what it did and how many bytes were written.
    #[inline(always)]
    fn common(&mut self, src: &str, spare: &mut [u8]) -> (Step<Unmappable>, usize) {
        let (mut read, mut stop) = (0, Stop::InputEmpty);
        let (table, mut at) = (self.tables.get(), 0);
        let mut chars = src.chars();
        loop {
            if self.pace.is_due() && src.len() - read >= WORTH && arch::isa() != arch::Isa::Scalar {
                let reach = &mut self.pace.reach;
                let (taken, made) = batch(table, &mut self.is_double, reach, &src[read..], &mut spare[at..]);
                self.pace.tried(taken);
                (read, at) = (read + taken, at + made);
                chars = src[read..].chars();
            }
            // A web page can do without this code.
            if src.len() - read < WORTH && !cfg!(target_family = "wasm") {
                let is_double = &mut self.is_double;
                if let Some(window) = spare[at..].first_chunk_mut() {
                    let (taken, made) = table.runs(is_double, &src[read..], window);
                    (read, at) = (read + taken, at + made);
                    if read == src.len() {
                        break;
                    }
                }
                let (taken, made) = table.few(is_double, &src[read..], &mut spare[at..]);
                (read, at) = (read + taken, at + made);
                chars = src[read..].chars();
            }
            let Some(ch) = chars.next() else { break };
            let (lane, mut len) = (table.find(ch), ch.len_utf8());
            let (mut entry, may_go_on) = (lane & bytes::ENTRY, lane & bytes::START != 0);
            if may_go_on {
                // The text after it is usually there to look at.
                match table.first(&src[read..], false) {
                    Some(found) => (entry, len) = found,
                    None => break,
                }
            }
            if entry == bytes::NONE {
                read += len;
                stop = Stop::Fault(Unmappable { ch, after: 0 });
                break;
            }
            if !Self::put(table, &mut self.is_double, entry, spare, &mut at) {
                stop = Stop::OutputFull;
                break;
            }
            read += len;
            if may_go_on {
                chars = src[read..].chars();
            }
        }
        (Step { read, stop }, at)
    }

    /// Writes the held text as far as it is decided.
    fn drain(&mut self, last: bool, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        while !self.held.is_empty() {
            let Some((entry, len)) = self.tables.get().first(&self.held, last) else { break };
            if entry == bytes::NONE {
                let ch = self.held.remove(0);
                return Stop::Fault(Unmappable { ch, after: self.held.len() as u8 });
            }
            if !self.push_entry(entry, dst) {
                return Stop::OutputFull;
            }
            self.held.drain(..len);
        }
        Stop::InputEmpty
    }
}

impl Encoder for MultiByteEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        self.prepare(src);
        let mut read = 0;
        while read < src.len() {
            if self.held.is_empty() {
                let mut step = Step { read: 0, stop: Stop::InputEmpty };
                dst.fill(|spare| {
                    let (done, written) = self.common(&src[read..], spare);
                    step = done;
                    written
                });
                read += step.read;
                if step.stop != Stop::InputEmpty || read == src.len() {
                    return Step { read, stop: step.stop };
                }
            }
            // One character at a time, until it is clear what they become.
            match self.drain(false, dst) {
                Stop::InputEmpty => {}
                stop => return Step { read, stop },
            }
            if let Some(ch) = src[read..].chars().next() {
                self.held.push(ch);
                read += ch.len_utf8();
                match self.drain(false, dst) {
                    Stop::InputEmpty => {}
                    stop => return Step { read, stop },
                }
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        match self.drain(true, dst) {
            Stop::InputEmpty => {}
            stop => return stop,
        }
        if self.is_double {
            if !dst.push(&[SI]) {
                return Stop::OutputFull;
            }
            self.is_double = false;
        }
        Stop::InputEmpty
    }

    fn reset(&mut self) {
        self.is_double = false;
        self.held.clear();
    }

    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        self.prepare("");
        let tables = self.tables.clone();
        match which {
            Replacement::Substitute => {
                let substitute = tables.get().substitute(ch);
                !substitute.is_empty() && self.push(substitute, dst)
            }
            Replacement::BestFit => tables.get().best_fit(ch).is_some_and(|entry| self.push_entry(entry, dst)),
            Replacement::Text(text) => {
                // It goes before the held text and stands alone: the text after it does not combine with its end.
                let mut trial = MultiByteEncoder { held: String::new(), ..self.clone() };
                let mut room = [0; 2 * MIN_ROOM];
                let mut sink = ByteSink::new(&mut room);
                let done = trial.feed(text, &mut sink).stop == Stop::InputEmpty
                    && trial.drain(true, &mut sink) == Stop::InputEmpty
                    && sink.written() > 0
                    && dst.push(sink.as_bytes());
                if done {
                    self.is_double = trial.is_double;
                }
                done
            }
        }
    }

    fn pending(&self) -> usize {
        self.held.len()
    }

    fn fork(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(self.clone()))
    }

    /// 1 after the shift code for pairs.
    fn state(&self) -> Option<u64> {
        Some(self.is_double.into())
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        self.prepare("");
        self.is_double = state == 1 && self.tables.get().is_shifted;
        state == u64::from(self.is_double)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::pages;
    use crate::codec::table::Code;

    /// A part of a table is complete when its blocks are, whatever charts are left.
    #[test]
    fn a_code_point_is_in_one_cell() {
        for page in pages().filter(|page| !page.has_states()) {
            let draft = EncodeTable::draft(page);
            let mut seen = vec![false; 0x1_0000];
            // A shift code must not be in any cell.
            seen[usize::from(SO)] = draft.table.is_shifted;
            seen[usize::from(SI)] = draft.table.is_shifted;
            each_quarter(&draft.record, &draft.one_way, |quarter| {
                for (unit, entry) in quarter.entries() {
                    let is_again = std::mem::replace(&mut seen[usize::from(unit)], true);
                    assert!(!is_again, "{}: U+{unit:04X} at {entry:X}", page.name());
                }
                true
            });
        }
    }

    /// Text in ASCII needs no chart of pairs.
    #[test]
    fn ascii_is_in_the_first_chart() {
        for name in ["IBM1388", "IBM939"] {
            let page = pages().find(|page| page.name() == name).expect("a built-in page");
            let mut draft = EncodeTable::draft(page);
            draft.record.charts.retain(|chart| chart.lead.is_none());
            EncodeTable::add_all(&mut draft);
            assert!(!draft.table.has_gap(0) && !draft.table.has_gap(1), "{name}");
        }
    }

    /// A short text of which each byte becomes a pair, or in turn a single byte and a pair.
    #[test]
    fn short_texts_of_ascii_in_pairs() {
        let mut table = Table::new("", "");
        table.shape = TableShape::Shifted;
        let codes = [('a', Code::single(0x81)), ('b', Code::new(b"\x45\x66").expect("two bytes"))];
        table.mappings.extend(codes.map(|(ch, code)| Mapping { code, ch, way: Way::RoundTrip }));
        let table = EncodeTable::new(&table);
        let all = [b"\x0E".to_vec(), b"\x45\x66".repeat(64)].concat();
        let mut in_turn = b"\x81\x0E\x45\x66\x0F".repeat(32);
        in_turn.pop();
        for (text, expected) in [("b".repeat(64), all), ("ab".repeat(32), in_turn)] {
            let (mut is_double, mut window) = (false, [0; WINDOW]);
            let (read, written) = table.runs(&mut is_double, &text, &mut window);
            assert_eq!((read, is_double), (text.len(), true));
            assert_eq!(window[..written], expected);
        }
    }

    /// A batch ends only where something needs a decision, which U+3000 does not. Its kernels go in blocks.
    #[test]
    fn the_ideographic_space_does_not_end_a_batch() {
        let page = pages().find(|page| page.name() == "IBM939").expect("a built-in page");
        let table = EncodeTable::of_page(page);
        let text = "\u{3000}東\u{3000}京 a".repeat(200);
        let mut spare = vec![0; 2 * text.len()];
        let (mut is_double, mut reach) = (false, LEAST_REACH);
        let (read, _) = batch(&table, &mut is_double, &mut reach, &text, &mut spare);
        let is_scalar = arch::isa() == arch::Isa::Scalar;
        assert!(is_scalar || text.len() - read < 2 * WORTH, "{read} of {}", text.len());
    }
}
