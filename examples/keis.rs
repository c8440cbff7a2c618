//! Implements a codec that no table can describe: Hitachi's KEIS, a Japanese mainframe encoding whose shift codes have
//! two bytes. `0A 42` shifts to pairs of bytes and `0A 41` shifts back to single bytes. A pair is the row and the cell
//! of a character in JIS X 0208 (1 to 94), each with A0 added. Single bytes are a page of EBCDIC.
//!
//! The codec takes its tables from built-in codecs: the pairs of EUC-JP have the same bytes, and the single-byte page
//! is page 037 here. A site would use its own page instead, and put its own characters into the rows that the standard
//! leaves free.
//!
//! Once registered under its labels, the codec works like a built-in one: it is found by its name in a declaration, can
//! be written, and its name is put into the declaration. The encoding of another vendor, such as Fujitsu's JEF (shift
//! codes `28` and `29`), differs in little more than the shift codes.

use charpipe::codec::{ByteSink, Malformed, Step, Stop, Unmappable, Utf8Sink, decode_strictly, is_ebcdic};
use charpipe::{Codec, Decoder, Detector, Encoder, Eol, Registry, Transcode};
use std::collections::HashMap;
use std::sync::Arc;

/// The first byte of each shift code, and the second byte of each.
const SHIFT: u8 = 0x0A;
const TO_SINGLE: u8 = 0x41;
const TO_DOUBLE: u8 = 0x42;

/// The double-byte blank: two EBCDIC blanks. The pair that JIS has for it can be read too, but this one is written.
const BLANK: [u8; 2] = [0x40, 0x40];

/// The bytes of a character.
#[derive(Clone, Copy)]
enum Bytes {
    Single(u8),
    Pair([u8; 2]),
}

/// The tables that all decoders and encoders of the codec share.
struct Tables {
    single: Vec<Option<char>>,
    pairs: HashMap<[u8; 2], char>,
    bytes: HashMap<char, Bytes>,
}

struct Keis {
    tables: Arc<Tables>,
}

impl Keis {
    fn new(registry: &Registry) -> Result<Self, charpipe::Error> {
        let (page, kanji) = (registry.codec("IBM037")?, registry.codec("EUC-JP")?);
        let char_of = |codec: &dyn Codec, bytes: &[u8]| {
            let text = decode_strictly(codec, bytes)?;
            let mut chars = text.chars();
            chars.next().filter(|_| chars.as_str().is_empty())
        };
        let single = (0..=255).map(|byte| char_of(&*page, &[byte]).filter(|_| byte != SHIFT)).collect::<Vec<_>>();
        let mut pairs = HashMap::from([(BLANK, '\u{3000}')]);
        let mut bytes = HashMap::from([('\u{3000}', Bytes::Pair(BLANK))]);
        // The rows of the standard: signs and letters, then the two levels of kanji.
        for row in (1..=8).chain(16..=84) {
            for cell in 1..=94 {
                let pair = [0xA0 + row, 0xA0 + cell];
                if let Some(ch) = char_of(&*kanji, &pair) {
                    pairs.insert(pair, ch);
                    bytes.entry(ch).or_insert(Bytes::Pair(pair));
                }
            }
        }
        // A character that both the page and the pairs have is written as a single byte.
        bytes.extend((0..=255).zip(&single).filter_map(|(byte, ch)| Some(((*ch)?, Bytes::Single(byte)))));
        Ok(Keis { tables: Arc::new(Tables { single, pairs, bytes }) })
    }
}

impl Codec for Keis {
    fn name(&self) -> &str {
        "X-KEIS83"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(KeisDecoder { tables: self.tables.clone(), double: false, held: None })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(KeisEncoder { tables: self.tables.clone(), double: false }))
    }
}

#[derive(Clone)]
struct KeisDecoder {
    tables: Arc<Tables>,
    double: bool,
    /// The first byte of a shift code or of a pair; the second may come with the next input.
    held: Option<u8>,
}

const FAULT: Stop<Malformed> = Stop::Fault(Malformed { len: 1, after: 0 });

impl Decoder for KeisDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        for (read, &byte) in src.iter().enumerate() {
            let ch = match (self.held, self.double) {
                (Some(SHIFT), _) if matches!(byte, TO_SINGLE | TO_DOUBLE) => {
                    self.double = byte == TO_DOUBLE;
                    self.held = None;
                    continue;
                }
                (Some(lead), _) => match self.tables.pairs.get(&[lead, byte]) {
                    Some(ch) => *ch,
                    None => {
                        // The first byte is invalid. This byte has not been read yet and may be valid.
                        self.held = None;
                        return Step { read, stop: FAULT };
                    }
                },
                (None, _) if byte == SHIFT => {
                    self.held = Some(byte);
                    continue;
                }
                (None, true) if matches!(byte, 0x40 | 0xA1..=0xFE) => {
                    self.held = Some(byte);
                    continue;
                }
                (None, true) => return Step { read: read + 1, stop: FAULT },
                (None, false) => match self.tables.single[usize::from(byte)] {
                    Some(ch) => ch,
                    None => return Step { read: read + 1, stop: FAULT },
                },
            };
            if !dst.push(ch) {
                return Step { read, stop: Stop::OutputFull };
            }
            self.held = None;
        }
        Step { read: src.len(), stop: Stop::InputEmpty }
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        if self.held.take().is_some() { FAULT } else { Stop::InputEmpty }
    }

    fn reset(&mut self) {
        (self.double, self.held) = (false, None);
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    /// A complete shift code is not pending; the first half of one is.
    fn pending(&self) -> usize {
        usize::from(self.held.is_some())
    }
}

#[derive(Clone)]
struct KeisEncoder {
    tables: Arc<Tables>,
    double: bool,
}

impl KeisEncoder {
    /// Writes the bytes, after a shift code if one is needed. Returns `false` and writes nothing if they do not fit.
    fn push(&mut self, bytes: Bytes, dst: &mut ByteSink<'_>) -> bool {
        let fits = match (bytes, self.double) {
            (Bytes::Single(byte), false) => dst.push(&[byte]),
            (Bytes::Single(byte), true) => dst.push(&[SHIFT, TO_SINGLE, byte]),
            (Bytes::Pair(pair), true) => dst.push(&pair),
            (Bytes::Pair([lead, trail]), false) => dst.push(&[SHIFT, TO_DOUBLE, lead, trail]),
        };
        if fits {
            self.double = matches!(bytes, Bytes::Pair(_));
        }
        fits
    }
}

impl Encoder for KeisEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        for (read, ch) in src.char_indices() {
            let Some(bytes) = self.tables.bytes.get(&ch).copied() else {
                return Step { read: read + ch.len_utf8(), stop: Stop::Fault(Unmappable { ch, after: 0 }) };
            };
            if !self.push(bytes, dst) {
                return Step { read, stop: Stop::OutputFull };
            }
        }
        Step { read: src.len(), stop: Stop::InputEmpty }
    }

    /// Shifts back to single bytes, because the next record begins with them.
    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        if self.double && !dst.push(&[SHIFT, TO_SINGLE]) {
            return Stop::OutputFull;
        }
        self.double = false;
        Stop::InputEmpty
    }

    fn reset(&mut self) {
        self.double = false;
    }

    /// Returns a copy, on which a replacement is tried first.
    fn fork(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(self.clone()))
    }

    /// Returns a question mark, or 〓 among pairs, which Japanese text uses for a missing character.
    fn substitute(&self) -> Option<&str> {
        Some(if self.double { "〓" } else { "?" })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::builtin();
    let keis = Arc::new(Keis::new(&registry)?);
    println!("EBCDIC: {}", is_ebcdic(&*keis));
    registry.register(keis, &["KEIS83", "KEIS"])?;

    // The document declares the encoding. Detection reads the declaration as EBCDIC and then uses the declared name.
    let document = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/keis.xml"))?;
    let mut detector = Detector::new(registry.clone(), Default::default());
    detector.feed(&document);
    let verdict = detector.finish();
    println!("{}, by {}", verdict.encoding.as_deref().unwrap_or("?"), verdict.rule.unwrap_or("?"));

    let transcode = Transcode::new().registry(registry);
    let mut text = Vec::new();
    transcode.run(&document[..], &mut text)?;
    print!("{}", String::from_utf8_lossy(&text));

    // Convert it back, with the newline of EBCDIC: the bytes are the same, including the label and the shift codes.
    let mut bytes = Vec::new();
    transcode.clone().target_encoding("KEIS")?.eol(Eol::Nel).run(&text[..], &mut bytes)?;
    println!("the same bytes: {}", bytes == document);

    // Errors have their offset in the input, whatever the shift state.
    let error = transcode
        .clone()
        .source_encoding("KEIS")?
        .run(&b"\x0A\x42\xC5\xEC\xB5\x0A\x41\xC1"[..], Vec::new())
        .unwrap_err();
    println!("{error}");
    let error = transcode.target_encoding("KEIS")?.run("東京 😀".as_bytes(), Vec::new()).unwrap_err();
    println!("{error}");
    Ok(())
}
