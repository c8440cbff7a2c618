//! Finds newlines: the bytes of the input that can end one, and the characters in text.

use super::line::{LineEnd, LineEnds};
use crate::codec::{ByteSink, Codec, Stop, char_of_byte};
use crate::transcoder::byte_page::BytePage;
use memchr::{memchr, memchr2, memchr3};

/// The characters that end a line.
#[derive(Clone, Copy)]
pub(super) struct Newlines {
    /// U+000D does, by itself or before another one.
    pub(super) cr: bool,
    /// U+0085 does.
    pub(super) nel: bool,
}

impl Newlines {
    pub(super) fn new(ends: LineEnds, is_ebcdic: bool) -> Self {
        Newlines { cr: ends == LineEnds::All, nel: ends == LineEnds::All || is_ebcdic }
    }

    fn has(self, ch: char) -> bool {
        match ch {
            '\n' => true,
            '\r' => self.cr,
            NEL => self.nel,
            _ => false,
        }
    }

    /// Returns the first newline in UTF-8 that has not to be valid, and the offset of its first byte. A CR is returned
    /// by itself. `None` even if the end cuts U+0085.
    pub(super) fn find(self, bytes: &[u8]) -> Option<(usize, char)> {
        let mut from = 0;
        loop {
            let rest = &bytes[from..];
            let found = match (self.cr, self.nel) {
                (true, _) => memchr3(b'\n', b'\r', NEL_LEAD, rest),
                (false, true) => memchr2(b'\n', NEL_LEAD, rest),
                (false, false) => memchr(b'\n', rest),
            };
            let at = from + found?;
            match bytes[at] {
                b'\n' => return Some((at, '\n')),
                b'\r' => return Some((at, '\r')),
                // In no other character does 85 follow C2.
                _ if bytes.get(at + 1) == Some(&0x85) && self.nel => return Some((at, NEL)),
                _ => from = at + 1,
            }
        }
    }

    /// Returns the newline that goes with a CR, if `text` begins with it.
    pub(super) fn after_cr(text: &str) -> Option<(LineEnd, usize)> {
        match text.as_bytes() {
            [b'\n', ..] => Some((LineEnd::CrLf, 1)),
            [NEL_LEAD, 0x85, ..] => Some((LineEnd::CrNel, 2)),
            _ => None,
        }
    }
}

pub(super) const NEL: char = '\u{85}';
pub(super) const NEL_LEAD: u8 = 0xC2;

/// Finds code units that can be the last of a newline.
pub(super) enum Finder {
    /// One of these bytes. Some may be the same.
    Few([u8; 3]),
    Many(Box<[bool; 256]>),
    /// One of these code units, which have several bytes. `keys`: a byte of each that is rare elsewhere.
    Units {
        size: usize,
        keys: [u8; 3],
        units: Vec<Vec<u8>>,
    },
}

impl Finder {
    /// `page`: what malformed bytes are read as.
    pub(super) fn new(codec: &dyn Codec, newlines: Newlines, page: Option<&BytePage>) -> Self {
        let decoder = codec.decoder();
        let unit = decoder.code_unit().unwrap_or(1);
        // For a codec with a table, an encoder would build another one. What only the encoder knows is found in the
        // text.
        let encoded = || {
            let chars = ['\n', '\r', NEL].into_iter().filter(|ch| newlines.has(*ch));
            chars.filter_map(|ch| encode(codec, ch)).filter(|bytes| !bytes.is_empty())
        };
        if unit > 1 {
            let units: Vec<Vec<u8>> = encoded().filter(|bytes| bytes.len() == unit).collect();
            let key = |unit: &Vec<u8>| unit.iter().copied().max().unwrap_or(0);
            let keys: Vec<u8> = units.iter().map(key).collect();
            return Finder::Units { size: unit, keys: three(&keys).unwrap_or_default(), units };
        }
        let mut ends = [false; 256];
        for byte in 0..=255 {
            let is_newline = |ch: Option<char>| ch.is_some_and(|ch| newlines.has(ch));
            let read = page.and_then(|page| page.char(byte));
            ends[usize::from(byte)] = is_newline(char_of_byte(&*decoder, byte)) || is_newline(read);
        }
        if codec.info().table.is_none() {
            encoded().filter_map(|bytes| bytes.last().copied()).for_each(|byte| ends[usize::from(byte)] = true);
        }
        let bytes: Vec<u8> = (0..=255).filter(|byte| ends[usize::from(*byte)]).collect();
        three(&bytes).map_or_else(|| Finder::Many(Box::new(ends)), Finder::Few)
    }

    /// Whether a byte can be the last of a newline, if code units are bytes.
    pub(super) fn has(&self, byte: u8) -> bool {
        match self {
            Finder::Few(bytes) => bytes.contains(&byte),
            Finder::Many(ends) => ends[usize::from(byte)],
            Finder::Units { .. } => true,
        }
    }

    /// The size of a code unit.
    pub(super) fn unit(&self) -> usize {
        if let Finder::Units { size, .. } = self { *size } else { 1 }
    }

    /// Returns the end of the first such code unit in `bytes`, which begins with a whole one.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Finder::Few([first, second, third]) => memchr3(*first, *second, *third, bytes).map(|at| at + 1),
            Finder::Many(ends) => bytes.iter().position(|byte| ends[usize::from(*byte)]).map(|at| at + 1),
            Finder::Units { size, keys: [first, second, third], units } => {
                let mut from = 0;
                loop {
                    let at = from + memchr3(*first, *second, *third, &bytes[from..])?;
                    let begin = at / size * size;
                    let end = begin + size;
                    let found = bytes.get(begin..end)?;
                    if units.iter().any(|unit| unit == found) {
                        return Some(end);
                    }
                    from = at + 1;
                }
            }
        }
    }
}

/// Returns the bytes as three, if there are one to three.
fn three(bytes: &[u8]) -> Option<[u8; 3]> {
    let [first, .., last] = bytes else { return bytes.first().map(|byte| [*byte; 3]) };
    (bytes.len() <= 3).then(|| [*first, bytes[1], *last])
}

/// Returns the bytes of a character; `None` if the charset does not have it or cannot encode.
fn encode(codec: &dyn Codec, ch: char) -> Option<Vec<u8>> {
    let mut room = [0; 4 * crate::codec::MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let step = codec.encoder()?.feed(ch.encode_utf8(&mut [0; 4]), &mut sink);
    (step.stop == Stop::InputEmpty).then(|| sink.as_bytes().to_vec())
}
