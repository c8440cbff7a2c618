//! Multi-byte charsets, for text without errors. If there is an error, `decode` and `encode` start again; they support
//! Python's error handlers.
//!
//! The library's text is UTF-8. Short strings are made from that; longer ones by way of UTF-16, which Python reads and
//! makes five times as fast.

use crate::encode::Encoded;
use crate::page::WITHOUT_GIL;
use crate::scratch::Scratch;
use crate::strings;
use charpipe::codec::{ByteSink, Decoder, Encoder, Stop, Utf8Sink};
use charpipe::{Codec, Registry};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::sync::{Arc, OnceLock};

/// Up to this many bytes, or characters, a string is short.
const SHORT: usize = 512;

/// Up to this many bytes, a string is decoded in a smaller room.
const SHORTER: usize = 64;

/// The room for a piece of text, in bytes of UTF-8.
const PIECE: usize = 32 << 10;

/// How many bytes are encoded until Ctrl-C is looked for.
const STRETCH: usize = 8 << 20;

/// How many bytes are decoded at a time, so that they are still in the cache when the string is made. A very long
/// string is not lengthened more often than `PARTS`. Ctrl-C is looked for after this many of them.
const PART: usize = 256 << 10;
const PARTS: usize = 64;
const SIGNALS: usize = 32;

/// UTF-16 in the byte order of this machine.
fn utf16() -> &'static Arc<dyn Codec> {
    static UTF16: OnceLock<Arc<dyn Codec>> = OnceLock::new();
    let name = if cfg!(target_endian = "big") { "UTF-16BE" } else { "UTF-16LE" };
    UTF16.get_or_init(|| Registry::builtin().codec(name).expect("UTF-16 is built in"))
}

/// Decodes `src`, which no one changes, with a new decoder; returns `None` if it is not whole.
pub(crate) fn decode<'py>(
    py: Python<'py>,
    decoder: &mut dyn Decoder,
    src: &[u8],
) -> PyResult<Option<Bound<'py, PyString>>> {
    let short = if src.len() <= SHORTER {
        decode_short::<{ 4 * SHORTER }>(py, decoder, src)
    } else if src.len() <= SHORT {
        decode_short::<{ 4 * SHORT }>(py, decoder, src)
    } else {
        None
    };
    if short.is_some() {
        return Ok(short);
    }
    let (mut units, mut text) = (Units::new(), strings::LongText::new());
    let is_free = src.len() >= WITHOUT_GIL;
    let len = (src.len() / PARTS).max(PART);
    for (at, part) in src.chunks(len).enumerate() {
        let is_last = (at + 1) * len >= src.len();
        let mut run = || units.decode(decoder, part, is_last);
        if !(if is_free { py.detach(run) } else { run() }) {
            return Ok(None);
        }
        text.push(strings::from_utf16(py, &units.text[..units.len])?)?;
        if at % SIGNALS == 0 {
            py.check_signals()?;
        }
    }
    Ok(Some(text.whole(py)))
}

/// Decodes a short string with a new decoder. Returns `None` if it is not whole or does not fit; the decoder is in its
/// initial state then.
fn decode_short<'py, const ROOM: usize>(
    py: Python<'py>,
    decoder: &mut dyn Decoder,
    src: &[u8],
) -> Option<Bound<'py, PyString>> {
    // Clearing a large room would take longer than decoding a value.
    let mut room = [0; ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    if decoder.feed(src, &mut sink).stop == Stop::InputEmpty && decoder.finish(&mut sink) == Stop::InputEmpty {
        return Some(PyString::new(py, sink.as_str()));
    }
    decoder.reset();
    None
}

/// Text on its way to UTF-16.
struct Units {
    /// The units, `len` bytes of them.
    text: Scratch,
    len: usize,
    piece: Box<[u8; PIECE]>,
    encoder: Box<dyn Encoder>,
}

impl Units {
    fn new() -> Self {
        let encoder = utf16().encoder().expect("UTF-16 can be encoded");
        Units { text: Scratch::new(2 * PART), len: 0, piece: Box::new([0; PIECE]), encoder }
    }

    /// Takes what `src` decodes to, in place of what was there; returns whether all of it is well-formed.
    fn decode(&mut self, decoder: &mut dyn Decoder, src: &[u8], is_last: bool) -> bool {
        let mut at = 0;
        self.len = 0;
        loop {
            let mut sink = Utf8Sink::new(&mut self.piece[..]);
            let step = decoder.feed(&src[at..], &mut sink);
            at += step.read;
            let mut stop = step.stop;
            if stop == Stop::InputEmpty && is_last {
                stop = decoder.finish(&mut sink);
            }
            let text = sink.as_str();
            // A unit of two bytes for each byte of text is the most.
            self.text.reach(self.len + 2 * text.len());
            let mut units = ByteSink::new(&mut self.text[self.len..]);
            let _ = self.encoder.feed(text, &mut units);
            self.len += units.written();
            match stop {
                Stop::InputEmpty => return true,
                Stop::OutputFull => {}
                Stop::Fault(_) => return false,
            }
        }
    }
}

/// Encodes `text` with a new encoder; returns `None` if a character is unmappable.
pub(crate) fn encode<'py>(
    encoder: &mut dyn Encoder,
    text: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = text.py();
    if text.code_point_len()? <= SHORT {
        let Some(utf8) = strings::to_utf8(text)? else { return Ok(None) };
        let Ok(utf8) = str::from_utf8(utf8.as_bytes()) else { return Ok(None) };
        let mut out = Encoded::new(2 * utf8.len() + 64);
        let is_whole = out.push(encoder, utf8).1.is_none() && out.finish(encoder).is_none();
        return Ok(is_whole.then(|| out.to_bytes(py)));
    }
    let Some(units) = strings::to_utf16(text)? else { return Ok(None) };
    // The first unit is the byte order mark.
    let src = units.as_bytes().get(2..).unwrap_or_default();
    let mut out = Encoded::new(src.len() + 64);
    let mut decoder = utf16().decoder();
    for stretch in src.chunks(STRETCH) {
        let mut run = || encode_units(&mut *decoder, encoder, stretch, &mut out);
        if !(if src.len() >= WITHOUT_GIL { py.detach(run) } else { run() }) {
            return Ok(None);
        }
        py.check_signals()?;
    }
    Ok(out.finish(encoder).is_none().then(|| out.to_bytes(py)))
}

fn encode_units(decoder: &mut dyn Decoder, encoder: &mut dyn Encoder, src: &[u8], out: &mut Encoded) -> bool {
    let mut piece = vec![0; PIECE];
    let mut at = 0;
    loop {
        let mut sink = Utf8Sink::new(&mut piece);
        let step = decoder.feed(&src[at..], &mut sink);
        at += step.read;
        if out.push(encoder, sink.as_str()).1.is_some() {
            return false;
        }
        match step.stop {
            Stop::InputEmpty => return true,
            Stop::OutputFull => {}
            Stop::Fault(_) => return false,
        }
    }
}
