//! Single-byte charsets by a table of 256 characters, without going through UTF-8.

use crate::scratch::Scratch;
use crate::strings::{self, Data};
use charpipe::codec::{ByteSink, ByteTable, Codec, Stop, chars_of_bytes};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// From this many bytes on, other threads run meanwhile.
pub(crate) const WITHOUT_GIL: usize = 64 << 10;

/// Up to this many bytes, a value needs no memory but the stack.
const SHORT: usize = 256;

/// How many bytes are decoded at a time, so that they are still in the cache when the string is made. A very long
/// string is not lengthened more often than this.
const PIECE: usize = 256 << 10;
const PIECES: usize = 64;

/// How much is copied at a time when bytes are translated where they are.
const BLOCK: usize = 4 << 10;

/// No character, or no byte.
const NONE: u16 = u16::MAX;

/// The result of decoding bytes.
enum Made {
    Latin1,
    Utf16,
    /// A byte has no character.
    Nothing,
}

/// A single-byte charset whose characters are in the Basic Multilingual Plane.
pub(crate) struct Page {
    /// The characters of the bytes, or `NONE`.
    chars: Box<[u16; 256]>,
    /// To and from Latin-1, for characters of Latin-1.
    to_latin1: ByteTable,
    of_latin1: ByteTable,
    /// For each high byte of a character the block of its bytes; block 0 is empty.
    index: Box<[u8; 256]>,
    /// For each low byte the byte, or `NONE`.
    blocks: Vec<[u16; 256]>,
}

impl Page {
    /// Makes the tables of a codec; `None` if it is another kind of charset.
    pub(crate) fn of(codec: &dyn Codec) -> Option<Page> {
        let chars = chars_of_bytes(codec)?;
        let unit = |ch: char| u16::try_from(ch as u32).ok().filter(|unit| *unit != NONE);
        if chars.iter().flatten().any(|ch| unit(*ch).is_none()) {
            return None;
        }
        let mut page = Page {
            chars: Box::new(chars.map(|ch| ch.and_then(unit).unwrap_or(NONE))),
            to_latin1: ByteTable::new(|byte| u8::try_from(chars[usize::from(byte)]?).ok()),
            of_latin1: ByteTable::new(|_| None),
            index: Box::new([0; 256]),
            blocks: vec![[NONE; 256]],
        };
        // Characters that are only written, and never read, are left to the encoder.
        if let Some(mut encoder) = codec.encoder() {
            for ch in chars.iter().flatten() {
                let mut room = [0; 64];
                let mut sink = ByteSink::new(&mut room);
                let step = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink);
                if let (Stop::InputEmpty, [byte]) = (step.stop, sink.as_bytes()) {
                    page.set(*ch as u16, *byte);
                }
                encoder.reset();
            }
        }
        page.of_latin1 = ByteTable::new(|latin1| u8::try_from(page.byte(latin1.into())).ok());
        Some(page)
    }

    fn set(&mut self, unit: u16, byte: u8) {
        let [high, low] = unit.to_be_bytes();
        let block = &mut self.index[usize::from(high)];
        if *block == 0 {
            // At most 256 characters, so at most as many blocks; the last number stands for the slow way.
            *block = u8::try_from(self.blocks.len()).unwrap_or(0);
            self.blocks.push([NONE; 256]);
        }
        if *block > 0 {
            self.blocks[usize::from(*block)][usize::from(low)] = byte.into();
        }
    }

    #[inline(always)]
    fn byte(&self, unit: u16) -> u16 {
        let [high, low] = unit.to_be_bytes();
        self.blocks[usize::from(self.index[usize::from(high)])][usize::from(low)]
    }

    /// Decodes `data`; returns `None` if a byte has no character.
    pub(crate) fn decode<'py>(&self, py: Python<'py>, data: &Data<'_, 'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let (len, constant) = (data.len(), data.constant());
        let mut short = [0; SHORT];
        if let Some(room) = short.get_mut(..len) {
            // Without a copy, which takes as long as the rest of this function.
            if data.translate(py, &self.to_latin1, room) == len {
                return strings::from_latin1(py, room).map(Some);
            }
            data.copy(py, 0, room);
            let mut units = [0; 2 * SHORT];
            return self.made(py, room, self.units(room, &mut units), &units);
        }
        let piece = (len / PIECES).clamp(PIECE.min(len), len);
        // Bytes that others may change are to be what they were when the call began, so no one else runs meanwhile.
        let is_free = len >= WITHOUT_GIL && constant.is_some();
        let (mut copy, mut room, mut text) = (Vec::new(), Scratch::new(2 * piece), strings::LongText::new());
        for at in (0..len).step_by(piece) {
            let range = at..(at + piece).min(len);
            let src = match constant {
                Some(all) => &all[range],
                None => {
                    copy.resize(range.len(), 0);
                    data.copy(py, at, &mut copy);
                    &copy[..]
                }
            };
            let made = if is_free { py.detach(|| self.piece(src, &mut room)) } else { self.piece(src, &mut room) };
            let Some(piece) = self.made(py, src, made, &room)? else { return Ok(None) };
            text.push(piece)?;
        }
        Ok(Some(text.whole(py)))
    }

    /// Decodes to Latin-1, or to UTF-16, which takes twice as much room.
    fn piece(&self, src: &[u8], room: &mut [u8]) -> Made {
        if self.to_latin1.translate(src, room) == src.len() {
            return Made::Latin1;
        }
        self.units(src, room)
    }

    /// Decodes to UTF-16.
    fn units(&self, src: &[u8], room: &mut [u8]) -> Made {
        let mut is_whole = true;
        let mut exchange = |byte: u8, place: &mut [u8; 2]| {
            let unit = self.chars[usize::from(byte)];
            is_whole &= unit != NONE;
            *place = unit.to_ne_bytes();
        };
        let (blocks, rest) = src.as_chunks::<8>();
        let (places, _) = room.as_chunks_mut::<2>();
        let (places, last) = places.split_at_mut(8 * blocks.len());
        // This crate is made small, so that the compiler does not do eight at a time by itself.
        for (block, places) in blocks.iter().zip(places.as_chunks_mut::<8>().0) {
            for at in 0..8 {
                exchange(block[at], &mut places[at]);
            }
        }
        rest.iter().zip(last).for_each(|(byte, place)| exchange(*byte, place));
        if is_whole { Made::Utf16 } else { Made::Nothing }
    }

    /// Makes a string of what was decoded from `src`.
    fn made<'py>(
        &self,
        py: Python<'py>,
        src: &[u8],
        made: Made,
        room: &[u8],
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        match made {
            Made::Latin1 => strings::from_latin1(py, &room[..src.len()]).map(Some),
            Made::Utf16 => strings::from_utf16(py, &room[..2 * src.len()]).map(Some),
            Made::Nothing => Ok(None),
        }
    }

    /// Encodes; returns `None` if there is a character that the table does not have.
    pub(crate) fn encode<'py>(&self, text: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (py, len) = (text.py(), text.code_point_len()?);
        let mut short = [0; 256];
        if let Some(chars) = strings::short_ucs4(text, &mut short)? {
            let mut bytes = [0; 256];
            let byte = |code: &u32| u16::try_from(*code).map_or(NONE, |unit| self.byte(unit));
            return Ok(fill(chars, &mut bytes, byte).then(|| PyBytes::new(py, &bytes[..chars.len()])));
        }
        let change = |bytes: &mut [u8]| {
            let mut run = || exchange(bytes, &self.of_latin1);
            if len >= WITHOUT_GIL { py.detach(run) } else { run() }
        };
        if let Some((bytes, is_whole)) = strings::to_latin1(text, change)? {
            return Ok(is_whole.then_some(bytes));
        }
        let Some(utf16) = strings::to_utf16(text)? else { return Ok(None) };
        // The first unit is the byte order mark.
        let src = utf16.as_bytes().as_chunks::<2>().0.get(1..).unwrap_or_default();
        let mut is_whole = false;
        let bytes = PyBytes::new_with(py, src.len(), |dst| {
            let mut run = || fill(src, dst, |unit| self.byte(u16::from_ne_bytes(*unit)));
            is_whole = if src.len() >= WITHOUT_GIL { py.detach(run) } else { run() };
            Ok(())
        })?;
        Ok(is_whole.then_some(bytes))
    }
}

/// Exchanges Latin-1 for the bytes of a page; returns whether it has all of them.
fn exchange(bytes: &mut [u8], table: &ByteTable) -> bool {
    let mut copy = [0; BLOCK];
    bytes.chunks_mut(BLOCK).all(|part| {
        let copy = &mut copy[..part.len()];
        copy.copy_from_slice(part);
        table.translate(copy, part) == part.len()
    })
}

/// Writes a byte for each item of `src`; returns whether all have one.
#[inline]
fn fill<T>(src: &[T], dst: &mut [u8], byte: impl Fn(&T) -> u16) -> bool {
    let mut all = 0;
    for (item, place) in src.iter().zip(dst) {
        let byte = byte(item);
        all |= byte;
        *place = byte as u8;
    }
    all < 0x100
}
