//! Plain text in memory, which a [`Transcoder`](crate::Transcoder) would only decode or only encode.
//!
//! For a short text, making a transcoder takes far longer than converting the text. So the text is converted by a
//! decoder or an encoder alone. That is the result, unless there is something that needs more work: a byte order mark,
//! a declaration, an error. Such a text goes through a transcoder, so the result is always the same.

use crate::codec::{
    ByteSink, Codec, Decoder, EbcdicNl, Encoder, MIN_ROOM, SameText, Stop, Utf8, Utf8Sink, apply_newline, drive,
    is_ebcdic, is_utf8,
};
use crate::detect::{Kind, binary_signature};
use crate::text::controls::OnControl;
use crate::text::eol::Eol;
use crate::transcoder::choices::Bom;
use crate::transcoder::options::Settings;
use std::borrow::Cow;
use std::sync::Arc;

/// Whether the options change nothing in text that does not begin like a document and has no control characters.
pub(in crate::transcoder) fn keeps_plain_text(settings: &Settings) -> bool {
    let hints = &settings.hints;
    // Otherwise any text may be that of a document whose label has to be found.
    matches!(hints.kind, None | Some(Kind::Text))
        && hints.content_type.is_none()
        && !hints.policy.traits().assumes_html
        && !hints.strict
        && settings.bom != Bom::Add
        && !settings.normalizes()
        && !settings.repairs()
        && settings.input.shape.is_none()
        && settings.to_records.is_none()
}

/// Returns the codec with the newline convention of the job.
pub(in crate::transcoder) fn with_newline(codec: &Arc<dyn Codec>, settings: &Settings) -> Arc<dyn Codec> {
    let is_surface = settings.ebcdic_nl != EbcdicNl::Table && is_ebcdic(&**codec);
    if is_surface { apply_newline(codec.clone(), settings.ebcdic_nl) } else { codec.clone() }
}

/// Whether the label of the codec names one charset, in one byte order.
pub(in crate::transcoder) fn is_one_charset(codec: &dyn Codec) -> bool {
    codec.info().byte_orders.is_none() && codec.name() != "ISO-10646-UCS-2"
}

/// Whether nothing but the bytes of an input that nothing names can decide about its encoding, and UTF-8 is the last
/// resort.
pub(in crate::transcoder) fn is_open(settings: &Settings) -> bool {
    let hints = &settings.hints;
    let is_told = hints.from.is_some() || hints.charset.is_some() || hints.fallback.is_some();
    !is_told && !hints.guess && hints.policy.traits().checks_contents
}

/// Returns the codec that decodes plain text to UTF-8; `None` if all text needs a transcoder.
pub(super) fn decodes(settings: &Settings) -> Option<Arc<dyn Codec>> {
    let from = settings.hints.from.as_ref()?;
    let decodes = is_one_charset(&**from) && settings.to_utf8 && keeps_plain_text(settings);
    decodes.then(|| with_newline(from, settings))
}

/// Returns the codec that encodes plain text; `None` if all text needs a transcoder.
pub(in crate::transcoder) fn encodes(settings: &Settings) -> Option<Arc<dyn Codec>> {
    let has_bom = settings.bom == Bom::Auto && settings.to.info().byte_orders.is_some_and(|orders| orders.bom);
    (!has_bom && keeps_plain_text(settings)).then(|| with_newline(&settings.to, settings))
}

/// Returns whether ends of lines or control characters are looked at.
pub(in crate::transcoder) fn looks_at_controls(settings: &Settings) -> bool {
    settings.controls != OnControl::Keep || !matches!(settings.eol, Eol::Auto | Eol::Keep)
}

/// Returns whether a transcoder would not change the text. `looks_at_controls`: see [`looks_at_controls`].
#[inline]
pub(in crate::transcoder) fn is_plain(text: &str, looks_at_controls: bool) -> bool {
    !(begins_document(text) || looks_at_controls && has_controls(text))
}

/// Returns whether the text begins as a document, XML or HTML, which may have a label to correct.
#[inline]
fn begins_document(text: &str) -> bool {
    // White space may come first. It and U+FEFF begin with these bytes, as few values do.
    let may_begin = |first: &u8| matches!(*first, 0..=b' ' | b'<' | 0xC2 | 0xE1..=0xE3 | 0xEF);
    text.as_bytes().first().is_some_and(may_begin) && begins_so(text)
}

#[inline(never)]
fn begins_so(text: &str) -> bool {
    text.trim_start().starts_with('<') || text.starts_with('\u{FEFF}')
}

/// Returns whether the text has anything that a policy for ends of lines or for control characters may change.
fn has_controls(text: &str) -> bool {
    let is_suspicious = text.bytes().fold(false, |any, byte| any | (byte < 0x20) | matches!(byte, 0x7F | 0xC2 | 0xEF));
    is_suspicious && text.chars().any(|ch| ch.is_control() || matches!(ch, '\u{FFFE}' | '\u{FFFF}'))
}

/// Decodes a value without a transcoder. Returns `None` if that is not possible.
pub(in crate::transcoder) fn decode<'a>(settings: &Settings, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    let text = match &settings.hints.from {
        // As the next arm, with less to ask.
        Some(from) if bytes.len() <= FIELD_BYTES && is_utf8(&**from) => {
            (settings.to_utf8 && keeps_plain_text(settings)).then_some(())?;
            Cow::Borrowed(as_utf8(bytes)?)
        }
        Some(_) => decode_by(&*decodes(settings)?, bytes)?,
        None => Cow::Borrowed(detected(settings, bytes)?),
    };
    Some(text).filter(|text| is_plain(text, looks_at_controls(settings)))
}

/// Returns bytes that nothing names as text, if detection would certainly find that they are UTF-8: no other rule can
/// apply to UTF-8 without zero bytes that does not [begin like a document](is_plain) or like a file that is not text.
fn detected<'a>(settings: &Settings, bytes: &'a [u8]) -> Option<&'a str> {
    if !(is_open(settings) && settings.to_utf8 && keeps_plain_text(settings)) {
        return None;
    }
    // A fold over blocks, which the compiler vectorizes.
    let has_zero = bytes.chunks(256).any(|block| block.iter().fold(false, |any, byte| any | (*byte == 0)));
    if has_zero || binary_signature(bytes).is_some() { None } else { as_utf8(bytes) }
}

/// Returns the bytes as text if they are UTF-8.
pub(super) fn as_utf8(bytes: &[u8]) -> Option<&str> {
    // The standard library begins faster, and our decoder continues faster.
    if bytes.len() <= FIELD_BYTES {
        return str::from_utf8(bytes).ok();
    }
    match decode_by(&Utf8, bytes)? {
        Cow::Borrowed(text) => Some(text),
        Cow::Owned(_) => None,
    }
}

/// Decodes all of `bytes`. The text is borrowed if it is the same bytes.
fn decode_by<'a>(codec: &dyn Codec, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    let mut text = Made::Same(SameText::new(bytes));
    let mut is_whole = false;
    codec.with_decoder(&mut |decoder| {
        is_whole = match bytes.len() {
            len if len <= FIELD_BYTES => decode_all(decoder, bytes, &mut [0; 4 * FIELD_BYTES + MIN_ROOM], &mut text),
            _ => decode_all(decoder, bytes, &mut [0; BUFFER_BYTES], &mut text),
        };
    });
    match text {
        _ if !is_whole => None,
        Made::Same(same) if same.is_all() => Some(Cow::Borrowed(same.as_str())),
        Made::Same(same) => Some(Cow::Owned(same.as_str().to_owned())),
        Made::Other(text) => Some(Cow::Owned(text)),
    }
}

/// Encodes a value without a transcoder. Returns `None` if that is not possible.
pub(in crate::transcoder) fn encode<'a>(settings: &Settings, text: &'a str) -> Option<Cow<'a, [u8]>> {
    if settings.to_utf8 && encodes(settings).is_some() && is_plain(text, looks_at_controls(settings)) {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let mut bytes = Vec::new();
    let is_whole = encode_into(settings, text, &mut bytes);
    is_whole.then(|| if bytes == text.as_bytes() { Cow::Borrowed(text.as_bytes()) } else { Cow::Owned(bytes) })
}

/// Encodes a value without a transcoder, and appends it to `bytes`. Returns `false`, and appends nothing, if that is
/// not possible.
pub(in crate::transcoder) fn encode_into(settings: &Settings, text: &str, bytes: &mut Vec<u8>) -> bool {
    let codec = encodes(settings).filter(|_| is_plain(text, looks_at_controls(settings)));
    if settings.to_utf8 && codec.is_some() {
        bytes.extend_from_slice(text.as_bytes());
        return true;
    }
    let (before, mut is_whole) = (bytes.len(), false);
    let has_encoder = codec.is_some_and(|codec| {
        codec.with_encoder(&mut |encoder| {
            is_whole = match text.len() {
                len if len <= FIELD_BYTES => encode_all(encoder, text, &mut [0; 4 * FIELD_BYTES + MIN_ROOM], bytes),
                _ => encode_all(encoder, text, &mut [0; BUFFER_BYTES], bytes),
            };
        })
    });
    if !is_whole {
        bytes.truncate(before);
    }
    has_encoder && is_whole
}

/// The longest value that is converted in a small buffer on the stack, in bytes: filling the large one with zeros takes
/// longer than converting the value of a field.
const FIELD_BYTES: usize = 64;

/// The size of the large buffer, in bytes.
const BUFFER_BYTES: usize = 4 * 1024;

/// The text that was decoded so far.
enum Made<'a> {
    /// It is the same as the bytes.
    Same(SameText<'a>),
    Other(String),
}

impl Made<'_> {
    fn push(&mut self, text: &str) {
        match self {
            Made::Other(all) => all.push_str(text),
            Made::Same(same) => {
                if !same.push(text) {
                    *self = Made::Other(same.as_str().to_owned() + text);
                }
            }
        }
    }
}

/// Decodes all of `bytes` with a new decoder, a piece at a time, and adds it to `text`. Returns `false` if anything is
/// wrong with the bytes or with the decoder; the text is meaningless then.
fn decode_all(decoder: &mut dyn Decoder, bytes: &[u8], buffer: &mut [u8], text: &mut Made<'_>) -> bool {
    if 4 * bytes.len() + MIN_ROOM <= buffer.len() {
        let mut sink = Utf8Sink::new(buffer);
        let lent = sink.identity();
        // A codec can exchange the sink for another one in safe code.
        let is_whole = decoder.decode_whole(bytes, &mut sink) && sink.identity() == lent;
        text.push(sink.as_str());
        return is_whole;
    }
    drive(decoder, bytes, true, buffer, |step| {
        text.push(step.text);
        step.fault.is_none()
    })
}

/// Encodes all of `text` into `room`, with an encoder in its initial state, to which it returns. Returns the length in
/// bytes; `None` if anything is wrong with the text or with the encoder, or if there is not enough room.
#[inline]
pub(in crate::transcoder) fn encode_at_once(encoder: &mut dyn Encoder, text: &str, room: &mut [u8]) -> Option<usize> {
    let mut sink = ByteSink::new(room);
    let lent = sink.identity();
    let step = encoder.feed(text, &mut sink);
    let is_whole = step.read == text.len()
        && step.stop == Stop::InputEmpty
        && (encoder.is_stateless() && encoder.pending() == 0
            || encoder.finish(&mut sink) == Stop::InputEmpty && encoder.pending() == 0);
    // A codec can exchange the sink for another one in safe code.
    let (len, is_lent) = (sink.written(), sink.identity() == lent);
    encoder.reset();
    (is_whole && is_lent).then_some(len)
}

/// Encodes all of `text` with a new encoder, as [`decode_all`] decodes.
fn encode_all(encoder: &mut dyn Encoder, mut text: &str, buffer: &mut [u8], bytes: &mut Vec<u8>) -> bool {
    let mut is_fed = false;
    loop {
        let mut sink = ByteSink::new(buffer);
        let lent = sink.identity();
        let (stop, read) = match is_fed {
            false => {
                let step = encoder.feed(text, &mut sink);
                (step.stop, step.read)
            }
            true => (encoder.finish(&mut sink), 0),
        };
        if sink.identity() != lent || !text.is_char_boundary(read) {
            return false;
        }
        bytes.extend_from_slice(sink.as_bytes());
        text = &text[read..];
        match stop {
            Stop::InputEmpty if is_fed => return encoder.pending() == 0,
            Stop::InputEmpty if text.is_empty() => is_fed = true,
            Stop::OutputFull if read > 0 || sink.written() > 0 => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_begin_a_document_is_looked_at() {
        for ch in '\0'..=char::MAX {
            let (alone, before) = (ch.to_string(), format!("{ch}<"));
            assert_eq!(begins_document(&alone), begins_so(&alone), "{ch:?}");
            assert_eq!(begins_document(&before), begins_so(&before), "{ch:?}");
        }
        assert!(!begins_document("") && !begins_document("a<"));
        assert!(begins_document(" \t\u{3000}\u{A0}<") && begins_document("\u{FEFF}"));
    }
}
