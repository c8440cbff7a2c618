//! The engine for single-byte charsets whose characters are in the Basic Multilingual Plane.
//!
//! Decoding loads one ready UTF-8 character per byte. Encoding looks the code point up in a two-level table. If the
//! machine has a kernel for it, the kernel goes first, and this code continues where the kernel stops.

use crate::arch::{self, types::FromUtf8};
use crate::codec::runs::runs;
use crate::codec::table::packed::{Chart, Packed};
use crate::codec::table::{Mapping, Table, Way};
use crate::codec::{
    ByteSink, Decoder, Encoder, Malformed, Replaced, Replacement, Step, Stop, Unmappable, Utf8Char, Utf8Filled,
    Utf8Sink, Utf8Table, encode_whole,
};
use std::sync::Arc;

/// The characters of the bytes.
pub(super) type DecodeTable = Utf8Table;

/// Builds the decode table.
pub(super) fn decode_table(table: &Table) -> DecodeTable {
    let mut chars = [Utf8Char::NONE; 256];
    for Mapping { code, ch, .. } in table.mappings.iter().filter(|mapping| mapping.way.decodes()) {
        chars[code.number() as usize & 0xFF] = Utf8Char::new(*ch);
    }
    Utf8Table::new(chars)
}

/// Builds the decode table of a built-in page directly from its packed form.
pub(super) fn decode_table_of(page: Packed) -> DecodeTable {
    let mut chars = [Utf8Char::NONE; 256];
    let record = page.open();
    for (place, unit) in chars.iter_mut().zip(record.charts.iter().flat_map(Chart::quarters).flatten()) {
        // FFFF is not a character, so no page assigns it.
        if let Some(ch) = char::from_u32(unit.into()).filter(|_| unit != 0xFFFF) {
            *place = Utf8Char::new(ch);
        }
    }
    Utf8Table::new(chars)
}

/// Decodes a single-byte charset. It has no state.
#[derive(Clone, Debug)]
pub(super) struct SingleByteDecoder {
    table: Arc<DecodeTable>,
    /// The table with a replacement for the bytes that have no character, made when it is first needed.
    filled: Option<Arc<Utf8Filled>>,
}

impl SingleByteDecoder {
    pub(super) fn new(table: Arc<DecodeTable>) -> Self {
        SingleByteDecoder { table, filled: None }
    }
}

impl Decoder for SingleByteDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let read = dst.push_table(src, &self.table);
        match src.get(read) {
            None => Step { read, stop: Stop::InputEmpty },
            Some(&byte) if !self.table.has(byte) => {
                Step { read: read + 1, stop: Stop::Fault(Malformed { len: 1, after: 0 }) }
            }
            Some(_) => Step { read, stop: Stop::OutputFull },
        }
    }

    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        let make = || Arc::new(Utf8Filled::new(&self.table, replacement));
        let filled = match self.filled.take() {
            Some(filled) if filled.replacement() == replacement => filled,
            _ => make(),
        };
        let (read, count) = dst.push_filled(src, &self.table, &filled);
        self.filled = Some(filled);
        let stop = if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull };
        Replaced { step: Step { read, stop }, count }
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        0
    }

    fn is_bytewise(&self) -> bool {
        true
    }
}

/// The tables of an encoder: a block of 256 for each high byte that occurs.
#[derive(Debug)]
pub(super) struct EncodeTable {
    /// The block of each high byte of a code point; block 0 is empty.
    index: [u16; 256],
    /// For each low byte the code, or [`EncodeTable::NONE`].
    blocks: Vec<[u16; 256]>,
    /// The codes of ASCII again, for faster lookup; 0 from 80 on.
    ascii: [u16; 256],
    /// All mappings in the form that kernels need.
    lanes: FromUtf8,
    /// The one-way mappings, by character.
    best_fit: Vec<(u16, u8)>,
    substitute: u8,
    /// A second substitution character. It replaces the characters in `for_substitute1`, or all up to U+00FF if that is
    /// `None`.
    substitute1: Option<u8>,
    for_substitute1: Option<Vec<char>>,
}

impl EncodeTable {
    const NONE: u16 = u16::MAX;

    pub(super) fn new(table: &Table) -> Self {
        let byte_of = |mapping: &Mapping| (mapping.ch, mapping.code.number() as u8);
        let mut this = EncodeTable {
            index: [0; 256],
            blocks: vec![[Self::NONE; 256]],
            ascii: [0; 256],
            lanes: FromUtf8::new(table.mappings.iter().filter(|mapping| mapping.way.encodes(mapping.ch)).map(byte_of)),
            best_fit: Vec::new(),
            substitute: table.substitute.first().copied().unwrap_or(0x1A),
            substitute1: table.substitute1,
            for_substitute1: (table.substitute1.is_none() || table.lists_substitute1()).then(Vec::new),
        };
        for Mapping { code, ch, way } in &table.mappings {
            let (Ok(unit), byte) = (u16::try_from(*ch as u32), code.number() as u8) else { continue };
            match way {
                Way::ToText => {}
                Way::Substitute1 => this.for_substitute1.iter_mut().for_each(|listed| listed.push(*ch)),
                way if way.encodes(*ch) => this.set(unit, byte),
                _ => this.best_fit.push((unit, byte)),
            }
        }
        crate::sort::by_key(&mut this.best_fit, |(unit, _)| *unit);
        this.for_substitute1.iter_mut().for_each(|listed| crate::sort::by(listed, Ord::cmp));
        for ascii in 0..0x80 {
            this.ascii[ascii as usize] = this.unit(ascii);
        }
        this
    }

    fn set(&mut self, unit: u16, byte: u8) {
        let [high, low] = unit.to_be_bytes();
        let block = &mut self.index[high as usize];
        if *block == 0 {
            *block = self.blocks.len() as u16;
            self.blocks.push([Self::NONE; 256]);
        }
        self.blocks[*block as usize][low as usize] = byte.into();
    }

    #[inline(always)]
    fn unit(&self, unit: u16) -> u16 {
        let [high, low] = unit.to_be_bytes();
        self.blocks[self.index[high as usize] as usize][low as usize]
    }

    /// Returns the substitution character for `ch`.
    fn substitute_of(&self, ch: char) -> u8 {
        let Some(substitute1) = self.substitute1 else { return self.substitute };
        let listed = self.for_substitute1.as_ref().map_or(ch <= '\u{FF}', |listed| listed.binary_search(&ch).is_ok());
        if listed { substitute1 } else { self.substitute }
    }

    #[inline(always)]
    fn byte(&self, ch: char) -> Option<u8> {
        let byte = self.unit(u16::try_from(ch as u32).ok()?);
        (byte != Self::NONE).then_some(byte as u8)
    }
}

/// Encodes a single-byte charset. It has no state.
#[derive(Clone, Debug)]
pub(super) struct SingleByteEncoder {
    pub(super) table: Arc<EncodeTable>,
}

impl Encoder for SingleByteEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let table = &*self.table;
        let mut read = 0;
        let mut fault = None;
        dst.fill(|spare| {
            let mut at = 0;
            'all: while read < src.len() {
                let unit = |byte: u16| (byte as u8, byte & 0xFF00);
                let ascii = |byte: u8| unit(table.ascii[byte as usize]);
                let (taken, made) =
                    arch::single_byte::encode(arch::isa(), &table.lanes, &src[read..], &mut spare[at..]);
                (read, at) = (read + taken, at + made);
                runs(src, &mut read, spare, &mut at, ascii, |code| unit(table.unit(code)));
                for ch in src[read..].chars().take(16) {
                    let Some(byte) = table.byte(ch) else {
                        fault = Some(Unmappable { ch, after: 0 });
                        break 'all;
                    };
                    let Some(place) = spare.get_mut(at) else { break 'all };
                    *place = byte;
                    at += 1;
                    read += ch.len_utf8();
                }
            }
            at
        });
        match fault {
            Some(fault) => Step { read: read + fault.ch.len_utf8(), stop: Stop::Fault(fault) },
            None if read == src.len() => Step { read, stop: Stop::InputEmpty },
            None => Step { read, stop: Stop::OutputFull },
        }
    }

    fn feed_replacing(
        &mut self,
        src: &str,
        replacement: Option<Replacement<'_>>,
        dst: &mut ByteSink<'_>,
    ) -> Replaced<Unmappable> {
        let writes = match replacement {
            None => false,
            Some(Replacement::Substitute) => true,
            Some(_) => return Replaced { step: self.feed(src, dst), count: 0 },
        };
        let table = &*self.table;
        let (mut read, mut count) = (0, 0);
        dst.fill(|spare| {
            let mut at = 0;
            while read < src.len() && at < spare.len() {
                let (taken, made) =
                    arch::single_byte::encode(arch::isa(), &table.lanes, &src[read..], &mut spare[at..]);
                (read, at) = (read + taken, at + made);
                // From the first character that is lacking on, until a few are not: they often come together.
                let mut known = 0;
                for ch in src[read..].chars() {
                    let Some(place) = spare.get_mut(at).filter(|_| known < 32) else { break };
                    let byte = table.byte(ch);
                    *place = byte.unwrap_or_else(|| table.substitute_of(ch));
                    at += usize::from(byte.is_some() | writes);
                    count += u64::from(byte.is_none());
                    known = if byte.is_some() { known + 1 } else { 0 };
                    read += ch.len_utf8();
                }
            }
            at
        });
        let stop = if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull };
        Replaced { step: Step { read, stop }, count }
    }

    fn finish(&mut self, _dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        let byte = match which {
            Replacement::Text(text) => return encode_whole(self, text, dst),
            Replacement::Substitute => Some(self.table.substitute_of(ch)),
            Replacement::BestFit => {
                let best_fit = &self.table.best_fit;
                let at = best_fit.partition_point(|(unit, _)| u32::from(*unit) < ch as u32);
                best_fit.get(at).filter(|(unit, _)| u32::from(*unit) == ch as u32).map(|(_, byte)| *byte)
            }
        };
        byte.is_some_and(|byte| dst.push(&[byte]))
    }

    fn is_stateless(&self) -> bool {
        true
    }
}
