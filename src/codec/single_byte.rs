//! Every single-byte charset: one engine over a [`Page`].
//!
//! Decoding loads one ready UTF-8 character a byte. Encoding looks the code point up in a two-level table. Both tables
//! are made from the page when a machine is first asked for, so a page that isn't used costs nothing. A page that lies
//! in a library is itself made no earlier.

use super::page::{Page, UNASSIGNED};
use super::utf8::runs;
use super::{
    ByteSink, Codec, Decoder, Encoder, Malformed, StandIn, Step, Stop, Unmappable, Utf8Char, Utf8Sink, encode_whole,
};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A single-byte charset.
///
/// ```
/// use charpipe::codec::{Codec, decode_strictly, page::Page, single_byte::SingleByte};
///
/// let page = Page::parse(include_str!("../../codecs/IBM1047.txt"))?;
/// assert_eq!(decode_strictly(&SingleByte::new(page), b"\xC8\x89").as_deref(), Some("Hi"));
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug)]
pub struct SingleByte {
    source: Source,
    decode: OnceLock<Arc<DecodeTable>>,
    encode: OnceLock<Arc<EncodeTable>>,
}

/// Where the page comes from.
#[derive(Debug)]
enum Source {
    Given(Cow<'static, Page>),
    /// Made by name when it is first looked at.
    Made {
        name: &'static str,
        make: fn(&'static str) -> Page,
        page: OnceLock<Page>,
    },
}

type DecodeTable = [Utf8Char; 256];

impl SingleByte {
    /// The charset of a page made or read at run time.
    pub fn new(page: Page) -> Self {
        Self::from(Source::Given(Cow::Owned(page)))
    }

    /// The charset of a built-in page.
    pub const fn of(page: &'static Page) -> Self {
        Self::from(Source::Given(Cow::Borrowed(page)))
    }

    /// The charset `name`, whose page `make` makes when it is first needed. The page's own name does not count.
    pub const fn made(name: &'static str, make: fn(&'static str) -> Page) -> Self {
        Self::from(Source::Made { name, make, page: OnceLock::new() })
    }

    const fn from(source: Source) -> Self {
        SingleByte { source, decode: OnceLock::new(), encode: OnceLock::new() }
    }

    /// The page.
    pub fn page(&self) -> &Page {
        match &self.source {
            Source::Given(page) => page,
            Source::Made { name, make, page } => page.get_or_init(|| make(name)),
        }
    }
}

impl Codec for SingleByte {
    fn name(&self) -> &str {
        match &self.source {
            Source::Given(page) => &page.name,
            Source::Made { name, .. } => name,
        }
    }

    fn source(&self) -> &str {
        &self.page().source
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        let table = self.decode.get_or_init(|| {
            let char_of = |ch: u16| char::from_u32(ch.into()).filter(|_| ch != UNASSIGNED);
            Arc::new(self.page().chars.map(|ch| char_of(ch).map_or(Utf8Char::NONE, Utf8Char::new)))
        });
        Box::new(SingleByteDecoder { table: table.clone() })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        let table = self.encode.get_or_init(|| Arc::new(EncodeTable::new(self.page())));
        Some(Box::new(SingleByteEncoder { table: table.clone() }))
    }
}

/// Decodes a single-byte charset; no state.
#[derive(Clone, Debug)]
pub struct SingleByteDecoder {
    table: Arc<DecodeTable>,
}

impl Decoder for SingleByteDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let read = dst.push_table(src, &self.table);
        match src.get(read) {
            None => Step { read, stop: Stop::InputEmpty },
            Some(&byte) if self.table[byte as usize] == Utf8Char::NONE => {
                Step { read: read + 1, stop: Stop::Fault(Malformed { len: 1, after: 0 }) }
            }
            Some(_) => Step { read, stop: Stop::OutputFull },
        }
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
}

/// From code point to byte: a block of 256 for each high byte that occurs.
#[derive(Debug)]
struct EncodeTable {
    /// Which block a code point's high byte has; block 0 is empty.
    index: [u16; 256],
    /// The byte, or [`EncodeTable::NONE`].
    blocks: Vec<[u16; 256]>,
    /// ASCII again, by itself; 0 for what is none.
    ascii: [u16; 256],
    best_fit: Vec<(u16, u8)>,
    substitute: u8,
}

impl EncodeTable {
    const NONE: u16 = u16::MAX;

    fn new(page: &Page) -> Self {
        let mut table = EncodeTable {
            index: [0; 256],
            blocks: vec![[Self::NONE; 256]],
            ascii: [0; 256],
            best_fit: page.best_fit.to_vec(),
            substitute: page.substitute,
        };
        for (byte, &ch) in (0u16..).zip(&page.chars) {
            if ch != UNASSIGNED {
                let [high, low] = ch.to_be_bytes();
                let block = &mut table.index[high as usize];
                if *block == 0 {
                    *block = table.blocks.len() as u16;
                    table.blocks.push([Self::NONE; 256]);
                }
                table.blocks[*block as usize][low as usize] = byte;
            }
        }
        for ascii in 0..0x80 {
            table.ascii[ascii as usize] = table.unit(ascii);
        }
        table
    }

    #[inline(always)]
    fn unit(&self, unit: u16) -> u16 {
        let [high, low] = unit.to_be_bytes();
        self.blocks[self.index[high as usize] as usize][low as usize]
    }

    #[inline(always)]
    fn byte(&self, ch: char) -> Option<u8> {
        let byte = self.unit(u16::try_from(ch as u32).ok()?);
        (byte != Self::NONE).then_some(byte as u8)
    }
}

/// Encodes a single-byte charset; no state.
#[derive(Clone, Debug)]
pub struct SingleByteEncoder {
    table: Arc<EncodeTable>,
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

    fn finish(&mut self, _dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn stand_in(&mut self, ch: char, which: StandIn<'_>, dst: &mut ByteSink<'_>) -> bool {
        let byte = match which {
            StandIn::Text(text) => return encode_whole(self, text, dst),
            StandIn::Substitute => Some(self.table.substitute),
            StandIn::BestFit => {
                let mapping = self.table.best_fit.iter().find(|(from, _)| u32::from(*from) == ch as u32);
                mapping.map(|(_, byte)| *byte)
            }
        };
        byte.is_some_and(|byte| dst.push(&[byte]))
    }
}
