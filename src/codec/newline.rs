//! The newline conventions of EBCDIC: a layer over a codec that swaps bytes, so no extra tables are needed.
//!
//! By default a page maps newlines as in its table: IBM's pages have U+0085 at 15 and U+000A at 25. z/OS UNIX swaps the
//! two; other systems fold both to a line feed. The layer swaps these bytes before the decoder and after the encoder.
//! It asks the codec which convention the page itself follows.

use super::table::{Cell, Code, Mapping, Table, TableShape, Way};
use super::{
    ByteSink, Codec, CodecInfo, Decoder, EbcdicNl, Encoder, MIN_ROOM, Malformed, Replaced, Replacement, Step, Stop,
    TableSource, Unmappable, Utf8Sink, decode_strictly,
};
use std::borrow::Cow;
use std::sync::Arc;

/// Returns `codec` with the newline convention that an option asks for. A convention that the codec's label asked for
/// takes precedence.
pub(crate) fn apply_newline(codec: Arc<dyn Codec>, nl: EbcdicNl) -> Arc<dyn Codec> {
    if codec.info().newline.is_some() || nl == EbcdicNl::Table { codec } else { newline_surface(codec, nl) }
}

/// Returns `codec` with the newline convention that its label asks for. If the convention changes nothing for this
/// codec, the result only says that it was asked for.
pub(crate) fn newline_surface(codec: Arc<dyn Codec>, nl: EbcdicNl) -> Arc<dyn Codec> {
    let (decode, encode) = match (nl, newline_bytes(&*codec)) {
        // One of IBM's pages. A page that has its newlines as z/OS has them, or elsewhere, stays as it is.
        (EbcdicNl::Zos, Some(NewlineBytes { lf: lf @ 0x25, nel })) => {
            let swapped = [(lf, nel), (nel, lf)];
            (ByteMap::new(&swapped), ByteMap::new(&swapped))
        }
        (EbcdicNl::Fold, Some(NewlineBytes { lf, nel })) => {
            (ByteMap::new(&[(nel, lf)]), ByteMap::new(&[(lf, 0x15), (nel, 0x15)]))
        }
        _ => (ByteMap::new(&[]), ByteMap::new(&[])),
    };
    Arc::new(Surface { codec, nl, decode, encode })
}

/// The bytes of U+000A and U+0085.
struct NewlineBytes {
    lf: u8,
    nel: u8,
}

/// Returns the bytes of U+000A and U+0085 if they are the single bytes 15 and 25, in either order, and these bytes are
/// nothing else.
fn newline_bytes(codec: &dyn Codec) -> Option<NewlineBytes> {
    if continues_with_newlines(codec) {
        return None;
    }
    match decode_strictly(codec, b"\x15\x25")?.as_str() {
        "\n\u{85}" => Some(NewlineBytes { lf: 0x15, nel: 0x25 }),
        "\u{85}\n" => Some(NewlineBytes { lf: 0x25, nel: 0x15 }),
        _ => None,
    }
}

/// Returns whether 15 or 25 can also be the second byte of a sequence, or a later one: exchanging it there would change
/// the character. No IBM page does this.
fn continues_with_newlines(codec: &dyn Codec) -> bool {
    let mut decoder = codec.decoder();
    let begins_sequence = (0..=255).any(|lead| {
        let mut room = [0; MIN_ROOM];
        decoder.reset();
        let _ = decoder.feed(&[lead], &mut Utf8Sink::new(&mut room));
        decoder.pending() > 0
    });
    // For most codecs the table need not be looked at, which would build it.
    let table = if begins_sequence { codec.info().table() } else { None };
    match table.as_deref().map(|table| &table.shape) {
        Some(TableShape::Multi(states)) => {
            states.iter().skip(1).any(|state| [0x15, 0x25].map(|byte| state[byte]) != [Cell::Illegal; 2])
        }
        _ => false,
    }
}

/// A translation of 256 bytes that changes only a few of them.
#[derive(Clone)]
struct ByteMap {
    to: Arc<[u8; 256]>,
    is_identity: bool,
}

impl ByteMap {
    fn new(pairs: &[(u8, u8)]) -> Self {
        let mut to: [u8; 256] = std::array::from_fn(|byte| byte as u8);
        for &(from, byte) in pairs {
            to[from as usize] = byte;
        }
        ByteMap { to: Arc::new(to), is_identity: pairs.is_empty() }
    }

    fn apply(&self, bytes: &mut [u8]) {
        if !self.is_identity {
            for byte in bytes {
                *byte = self.to[*byte as usize];
            }
        }
    }
}

/// A codec with a newline convention.
struct Surface {
    codec: Arc<dyn Codec>,
    nl: EbcdicNl,
    /// Applied to bytes before the decoder.
    decode: ByteMap,
    /// Applied to bytes after the encoder.
    encode: ByteMap,
}

impl Codec for Surface {
    /// The name of the codec underneath: the convention is not part of the name.
    fn name(&self) -> &str {
        self.codec.name()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        let decoder = self.codec.decoder();
        Box::new(SurfaceDecoder { decoder, map: self.decode.clone() })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        let encoder = self.codec.encoder()?;
        Some(Box::new(SurfaceEncoder { encoder, map: self.encode.clone() }))
    }

    fn info(&self) -> CodecInfo<'_> {
        let info = self.codec.info();
        let table = info.table.map(|_| self as &dyn TableSource);
        CodecInfo { newline: Some(self.nl), table, ..info }
    }
}

impl TableSource for Surface {
    /// The table of the codec underneath, with its single bytes exchanged.
    fn table(&self) -> Cow<'_, Table> {
        let table = self.codec.info().table().expect("`info` names this source only if the codec has a table");
        if self.decode.is_identity {
            return table;
        }
        let mut table = table.into_owned();
        let mut mappings = Vec::with_capacity(table.mappings.len() + 1);
        for mapping in std::mem::take(&mut table.mappings) {
            if mapping.code.len() > 1 || mapping.way == Way::Substitute1 {
                mappings.push(mapping);
                continue;
            }
            let below = mapping.code.number() as u8;
            let written = self.encode.to[usize::from(below)];
            let read = (0..=255).filter(|byte| mapping.way.decodes() && self.decode.to[usize::from(*byte)] == below);
            let read: Vec<u8> = read.collect();
            for byte in &read {
                let both = mapping.way == Way::RoundTrip && *byte == written;
                let way = if both { Way::RoundTrip } else { Way::ToText };
                mappings.push(Mapping { code: Code::single(*byte), way, ..mapping });
            }
            let way = if mapping.way == Way::RoundTrip { Way::ToBytes } else { mapping.way };
            if mapping.way != Way::ToText && !(mapping.way == Way::RoundTrip && read.contains(&written)) {
                mappings.push(Mapping { code: Code::single(written), way, ..mapping });
            }
        }
        table.mappings = mappings;
        Cow::Owned(table)
    }
}

struct SurfaceDecoder {
    decoder: Box<dyn Decoder>,
    map: ByteMap,
}

impl SurfaceDecoder {
    /// Exchanges the bytes of `src`, a window at a time, and gives them to `feed`.
    fn mapped(
        &mut self,
        src: &[u8],
        mut feed: impl FnMut(&mut dyn Decoder, &[u8]) -> Step<Malformed>,
    ) -> Step<Malformed> {
        let mut window = [0; 1024];
        let mut read = 0;
        // Right after a fault the next one may be near, and what is copied after it would be wasted: start small.
        let mut size = 64;
        loop {
            let len = (src.len() - read).min(size);
            size = window.len();
            let window = &mut window[..len];
            window.copy_from_slice(&src[read..read + len]);
            self.map.apply(window);
            let step = feed(&mut *self.decoder, window);
            if step.read > len {
                // The codec breaks the contract. Pass that on, so that the caller notices.
                return Step { read: usize::MAX, stop: step.stop };
            }
            read += step.read;
            if step.stop != Stop::InputEmpty || step.read != len || read == src.len() {
                return Step { read, stop: step.stop };
            }
        }
    }
}

impl Decoder for SurfaceDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        self.mapped(src, |decoder, window| decoder.feed(window, dst))
    }

    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        let mut count = 0;
        let step = self.mapped(src, |decoder, window| {
            let replaced = decoder.feed_replacing(window, replacement, dst);
            count += replaced.count;
            replaced.step
        });
        Replaced { step, count }
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        self.decoder.finish(dst)
    }

    fn reset(&mut self) {
        self.decoder.reset();
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(SurfaceDecoder { decoder: self.decoder.fork(), map: self.map.clone() })
    }

    fn pending(&self) -> usize {
        self.decoder.pending()
    }

    fn state(&self) -> Option<u64> {
        self.decoder.state()
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.decoder.set_state(state)
    }

    fn is_bytewise(&self) -> bool {
        self.decoder.is_bytewise()
    }

    fn code_unit(&self) -> Option<usize> {
        self.decoder.code_unit()
    }
}

struct SurfaceEncoder {
    encoder: Box<dyn Encoder>,
    map: ByteMap,
}

impl SurfaceEncoder {
    /// Runs the encoder and exchanges the bytes that it wrote.
    fn mapped<T>(&mut self, dst: &mut ByteSink<'_>, run: impl FnOnce(&mut dyn Encoder, &mut ByteSink<'_>) -> T) -> T {
        let from = dst.written();
        let result = run(&mut *self.encoder, dst);
        self.map.apply(dst.as_bytes_mut().get_mut(from..).unwrap_or_default());
        result
    }
}

impl Encoder for SurfaceEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        self.mapped(dst, |encoder, dst| encoder.feed(src, dst))
    }

    fn feed_replacing(
        &mut self,
        src: &str,
        replacement: Option<Replacement<'_>>,
        dst: &mut ByteSink<'_>,
    ) -> Replaced<Unmappable> {
        self.mapped(dst, |encoder, dst| encoder.feed_replacing(src, replacement, dst))
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        self.mapped(dst, |encoder, dst| encoder.finish(dst))
    }

    fn reset(&mut self) {
        self.encoder.reset();
    }

    fn fork(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(SurfaceEncoder { encoder: self.encoder.fork()?, map: self.map.clone() }))
    }

    fn substitute(&self) -> Option<&str> {
        self.encoder.substitute()
    }

    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        self.mapped(dst, |encoder, dst| encoder.encode_replacement(ch, which, dst))
    }

    fn pending(&self) -> usize {
        self.encoder.pending()
    }

    fn state(&self) -> Option<u64> {
        self.encoder.state()
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.encoder.set_state(state)
    }

    fn is_stateless(&self) -> bool {
        self.encoder.is_stateless()
    }
}
