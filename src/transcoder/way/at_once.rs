//! Converts short pieces of plain text at once: the decoder and the encoder convert whole characters, with nothing
//! between them, and go back if they cannot. This needs neither a copy of the machines nor the queue, so it takes tens
//! of nanoseconds.

use super::table::ByTable;
use super::{Route, Way};
use crate::codec::{ByteSink, MIN_ROOM, Stop, Utf8Sink, short_text};
use crate::error::Error;
use crate::transcoder::fill::Chunk;
use crate::transcoder::guard::{CheckedDecoder, CheckedEncoder};
use crate::transcoder::newline_watch::NewlineWatch;
use crate::transcoder::report::Place;
use crate::transcoder::run::Out;

/// The result of an attempt to convert some input. Only [`Done`](Self::Done) changes anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::transcoder) enum Tried {
    /// Took this many bytes of the input, and wrote this many bytes. The rest is the beginning of a character, or the
    /// next attempt's.
    Done(usize, usize),
    /// The input is the beginning of a character.
    Unfinished,
    /// The output does not fit.
    NoRoom,
    /// The input is malformed, or the target lacks a character.
    Fault,
    /// Only the other ways can tell.
    Unable,
}

/// The longest input that is converted in buffers on the stack, in bytes: filling larger ones with zeros takes longer
/// than converting a character.
const SHORT: usize = 64;

/// The size of such a buffer. A character has at most four bytes in most charsets; anything longer goes another way.
const SHORT_ROOM: usize = 4 * SHORT + MIN_ROOM;

impl Route {
    /// Whether plain text goes from the decoder to the encoder, and nothing is held back.
    pub(in crate::transcoder) fn is_plain(&self) -> bool {
        let Route { source, target, staged, .. } = self;
        let is_open = match &self.way {
            Way::Direct(direct) => direct.newlines.is_none(),
            Way::Table(_) | Way::Staged => true,
            Way::RecordTable(_) | Way::Columns(_) => false,
        };
        let has_records = source.has_records() || target.records.is_some();
        let follows_markup = target.xml.is_some() || target.hints_lf || !self.edits.is_empty();
        let holds = self.holds_text || staged.has_pending();
        is_open && !has_records && !follows_markup && !holds && staged.is_plain()
    }

    /// Converts whole characters from the front of `src` to `dst`, or nothing. The route is [plain](Self::is_plain).
    ///
    /// # Errors
    /// Those of codecs that break their contract.
    pub(in crate::transcoder) fn convert_at_once(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Tried, Error> {
        if let Some(done) = self.translate(src, dst) {
            return Ok(done);
        }
        let Some(decoder) = self.source.plain_decoder() else { return Ok(Tried::Unable) };
        let (Some(decoded), Some(encoded)) = (decoder.state(), self.target.encoder.state()) else {
            return Ok(Tried::Unable);
        };
        let fed = self.target.encoder.fed();
        let tried = if self.is_direct() { self.decode_at_once(src, dst) } else { self.convert_text(src, dst) };
        let tried = tried.unwrap_or_else(|tried| tried);
        if let Tried::Done(read, _) = tried {
            self.source.skip(&src[..read]);
            return Ok(tried);
        }
        if let Some(decoder) = self.source.plain_decoder() {
            decoder.go_back(decoded)?;
        }
        self.target.encoder.go_back(encoded, fed)?;
        Ok(tried)
    }

    /// Writes what leads the encoder back to its initial state, and takes both machines there; or does nothing. The
    /// route is [plain](Self::is_plain).
    ///
    /// # Errors
    /// Those of codecs that break their contract.
    pub(in crate::transcoder) fn end_at_once(&mut self, dst: &mut [u8]) -> Result<Tried, Error> {
        let is_direct = self.is_direct();
        let Some(decoder) = self.source.plain_decoder() else { return Ok(Tried::Unable) };
        let encoder = &mut self.target.encoder;
        let (Some(_), Some(encoded)) = (decoder.state(), encoder.state()) else { return Ok(Tried::Unable) };
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let is_ended = is_direct || encoder.finish(&mut sink, decoder.read())? == Stop::InputEmpty;
        let end = sink.as_bytes();
        match dst.get_mut(..end.len()) {
            Some(dst) if is_ended => dst.copy_from_slice(end),
            fits => {
                let tried = if fits.is_some() { Tried::Unable } else { Tried::NoRoom };
                encoder.go_back(encoded, encoder.fed())?;
                return Ok(tried);
            }
        }
        let len = end.len();
        encoder.reset();
        decoder.reset();
        Ok(Tried::Done(0, len))
    }

    /// Converts by the table, if there is one. Each byte is a character.
    fn translate(&mut self, src: &[u8], dst: &mut [u8]) -> Option<Tried> {
        let Way::Table(table) = &mut self.way else { return None };
        if self.newlines.is_watching() {
            return None;
        }
        let mut out = Out::new(dst);
        match table.decode(&mut self.source, Chunk { bytes: src, eof: false, until: None }, &mut out) {
            ByTable::Bytes(read) => Some(Tried::Done(read, out.written)),
            ByTable::Stopped(_) | ByTable::None => None,
        }
    }

    /// Decodes to `dst`.
    fn decode_at_once(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Tried, Tried> {
        let decoder = self.source.plain_decoder().ok_or(Tried::Unable)?;
        if src.len() > SHORT || dst.len() >= SHORT_ROOM {
            let mut sink = Utf8Sink::new(dst);
            let read = decode(decoder, src, &mut sink, Tried::NoRoom)?;
            see(&mut self.newlines, sink.as_str())?;
            self.source.count(sink.as_str());
            Ok(Tried::Done(read, sink.written()))
        } else {
            let mut room = [0; SHORT_ROOM];
            let mut sink = Utf8Sink::new(&mut room);
            let read = decode(decoder, src, &mut sink, Tried::Unable)?;
            let text = sink.as_str();
            dst.get_mut(..text.len()).ok_or(Tried::NoRoom)?.copy_from_slice(text.as_bytes());
            see(&mut self.newlines, text)?;
            self.source.count(text);
            Ok(Tried::Done(read, text.len()))
        }
    }

    /// Returns `src` as text if the source is UTF-8 and `src` is whole characters. The decoder holds nothing.
    fn as_text<'a>(&self, src: &'a [u8]) -> Option<&'a str> {
        if self.staged.is_identity() { short_text(src) } else { None }
    }

    /// Decodes to a buffer, and encodes from there to `dst`.
    fn convert_text(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Tried, Tried> {
        if src.len() <= SHORT {
            if let Some(text) = self.as_text(src) {
                return Ok(Tried::Done(src.len(), self.write_short(text, dst)?));
            }
            let mut room = [0; SHORT_ROOM];
            let mut sink = Utf8Sink::new(&mut room);
            let decoder = self.source.plain_decoder().ok_or(Tried::Unable)?;
            let read = decode(decoder, src, &mut sink, Tried::Unable)?;
            return Ok(Tried::Done(read, self.write_short(sink.as_str(), dst)?));
        }
        let decoder = self.source.plain_decoder().ok_or(Tried::Unable)?;
        let read = self.staged.fill_text(4 * src.len() + MIN_ROOM, |sink| decode(decoder, src, sink, Tried::Unable))?;
        let written = encode(&mut self.target.encoder, self.staged.text(), dst, Tried::NoRoom)?;
        see(&mut self.newlines, self.staged.text())?;
        self.source.count(self.staged.text());
        Ok(Tried::Done(read, written))
    }

    /// Encodes a short decoded text to `dst`, and counts it. Returns how many bytes were written.
    #[inline(always)]
    fn write_short(&mut self, text: &str, dst: &mut [u8]) -> Result<usize, Tried> {
        let encoder = &mut self.target.encoder;
        let len = if dst.len() >= SHORT_ROOM {
            encode(encoder, text, dst, Tried::Unable)?
        } else {
            // An encoder may need more space than it fills.
            let mut room = [0; SHORT_ROOM];
            let len = encode(encoder, text, &mut room, Tried::Unable)?;
            dst.get_mut(..len).ok_or(Tried::NoRoom)?.copy_from_slice(&room[..len]);
            len
        };
        see(&mut self.newlines, text)?;
        self.source.count(text);
        Ok(len)
    }
}

/// Shows `text` to the watch for newlines, unless that has to know where in the input a newline is.
fn see(newlines: &mut NewlineWatch, text: &str) -> Result<(), Tried> {
    if newlines.wants_offset(text.as_bytes()) {
        return Err(Tried::Unable);
    }
    newlines.see(text.as_bytes(), |_| Place::default());
    Ok(())
}

/// Decodes the whole characters at the front of `src`. Returns how many bytes they have. `full`: what it means if
/// `sink` is full.
fn decode(decoder: &mut CheckedDecoder, src: &[u8], sink: &mut Utf8Sink<'_>, full: Tried) -> Result<usize, Tried> {
    match decoder.feed_unrecorded(src, sink).ok_or(Tried::Unable)? {
        Stop::InputEmpty => {}
        Stop::OutputFull => return Err(full),
        Stop::Fault(_) => return Err(Tried::Fault),
    }
    match decoder.drop_pending().ok_or(Tried::Unable)? {
        0 => Ok(src.len()),
        pending if pending == src.len() => Err(Tried::Unfinished),
        pending => src.len().checked_sub(pending).ok_or(Tried::Unable),
    }
}

/// Encodes all of `text`. Returns how many bytes it wrote. `full`: what it means if `dst` is full.
fn encode(encoder: &mut CheckedEncoder, text: &str, dst: &mut [u8], full: Tried) -> Result<usize, Tried> {
    let mut sink = ByteSink::new(dst);
    match encoder.feed_at_once(text, &mut sink).ok_or(Tried::Unable)? {
        Stop::InputEmpty => Ok(sink.written()),
        Stop::OutputFull => Err(full),
        Stop::Fault(_) => Err(Tried::Fault),
    }
}
