//! Values in memory, above all the fields of records: one decoder decodes many short values, each independently of the
//! others.
//!
//! The result for a value is the same as that of a [`Transcoder`]. For a short value of plain text, making a transcoder
//! takes a hundred times as long as decoding the text. So the text is decoded first, by a decoder that is kept. That
//! text is the result, unless it contains something that needs more work (a byte order mark, an XML declaration, an
//! error). Such a value goes through a transcoder.

use crate::codec::Utf8Buf;
use crate::codec::is_utf8;
use crate::codec::{EbcdicNl, apply_newline};
use crate::codec::{MIN_ROOM, Stop, Utf8Sink, is_ebcdic};
use crate::detect::Kind;
use crate::error::{Error, ErrorKind};
use crate::text::controls::OnControl;
use crate::text::eol::Eol;
use crate::transcoder::choices::Bom;
use crate::transcoder::faults::constant_replacement;
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::{Settings, Transcode};
use crate::transcoder::{Status, Transcoder};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Decodes values one after the other: fields of records, columns of a table. Made by [`Transcode::values`].
///
/// Each value is decoded independently: no shift state is carried from one to the next. It becomes what
/// [`Transcode::decode`] makes of it, and offsets of errors count from its first byte. A value that takes
/// [`Transcode::decode`] microseconds takes tens of nanoseconds here, because the decoder and the text buffer are kept.
///
/// ```
/// use charpipe::Transcode;
///
/// let record = b"\xF0\xF0\xF4\xF2\xD1\x96\x85\x40\x40\x40";
/// let mut values = Transcode::new().source_encoding("IBM037")?.values()?;
/// assert_eq!(values.decode(&record[..4])?, "0042");
/// assert_eq!(values.decode(&record[4..])?.trim_end_matches(' '), "Joe");
/// // Several at once, in a buffer of the caller's.
/// let mut line = String::new();
/// values.decode_into(&record[..4], &mut line)?;
/// line.push(';');
/// values.decode_into(&record[4..7], &mut line)?;
/// assert_eq!(line, "0042;Joe");
/// # Ok::<(), charpipe::Error>(())
/// ```
pub struct ValueDecoder {
    /// `None` if every value has to go through a transcoder.
    short: Option<Short>,
    settings: Arc<Settings>,
    text: Utf8Buf,
    /// The text of a value that went through a transcoder.
    long: String,
}

impl ValueDecoder {
    pub(in crate::transcoder) fn new(job: &Transcode) -> Result<Self, Error> {
        job.validate()?;
        check(&job.settings)?;
        let (short, settings) = (Short::new(&job.settings), Arc::new(job.settings.clone()));
        Ok(ValueDecoder { short, settings, text: Utf8Buf::new(TEXT_BYTES), long: String::new() })
    }

    /// Decodes a value. The text is valid until the next call.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`] and the other errors of [`Transcode::decode`]. The next value can still be decoded.
    ///
    /// ```
    /// use charpipe::{OnMalformed, Transcode};
    ///
    /// let job = Transcode::new().source_encoding("IBM939")?;
    /// let mut values = job.values()?;
    /// // Cut within its double bytes.
    /// assert_eq!(values.decode(b"\xC1\x0E\x45\x66\x45").unwrap_err().offset(), Some(4));
    /// assert_eq!(values.decode(b"\xC1")?, "A");
    /// let mut lossy = job.on_malformed(OnMalformed::Replace).values()?;
    /// assert_eq!(lossy.decode(b"\xC1\x0E\x45\x66\x45")?, "A本\u{FFFD}");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[inline]
    pub fn decode(&mut self, value: &[u8]) -> Result<&str, Error> {
        if let Some(short) = &mut self.short
            && value.len() <= SHORT
        {
            let wanted = 4 * value.len() + MIN_ROOM;
            if self.text.fill(wanted, |sink| short.decode(value, sink)) {
                return Ok(self.text.as_str());
            }
        }
        self.long = self.decode_long(value)?;
        Ok(&self.long)
    }

    /// Decodes a value and appends its text to `text`. On an error nothing is appended.
    ///
    /// # Errors
    /// Those of [`decode`](Self::decode).
    #[inline]
    pub fn decode_into(&mut self, value: &[u8], text: &mut String) -> Result<(), Error> {
        text.push_str(self.decode(value)?);
        Ok(())
    }

    #[cold]
    fn decode_long(&mut self, value: &[u8]) -> Result<String, Error> {
        // A decoder that broke its contract may not reset either.
        if self.short.as_ref().is_some_and(|short| short.is_broken) {
            self.short = None;
        }
        decode_whole(Transcoder::new(self.settings.clone()), value).map(Cow::into_owned)
    }
}

impl fmt::Debug for ValueDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueDecoder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Fails if values cannot be decoded with these settings.
fn check(settings: &Settings) -> Result<(), Error> {
    let what = if settings.hints.from.is_none() {
        "a decoder of values needs the name of the encoding"
    } else if settings.input.shape.is_some() || settings.to_records.is_some() {
        "a decoder of values decodes fields, not records"
    } else if settings.to.name() != "UTF-8" {
        return Err(ErrorKind::NotUtf8 { codec: settings.to.name().to_owned() }.into());
    } else {
        return Ok(());
    };
    Err(ErrorKind::Options { what }.into())
}

/// Decodes a short value without a transcoder. Returns `None` if that is not possible.
pub(in crate::transcoder) fn decode_short<'a>(settings: &Settings, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    // Filling a buffer of 4 KiB takes longer than decoding the value of a field.
    match bytes.len() {
        len if len <= FIELD_BYTES => decode_in::<{ 4 * FIELD_BYTES + MIN_ROOM }>(settings, bytes),
        len if len <= VALUE_BYTES => decode_in::<{ 4 * VALUE_BYTES + MIN_ROOM }>(settings, bytes),
        _ => None,
    }
}

/// Decodes a value in a buffer of `N` bytes on the stack, which is enough for it.
fn decode_in<'a, const N: usize>(settings: &Settings, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    let mut short = Short::new(settings)?;
    let mut buffer = [0; N];
    let mut sink = Utf8Sink::new(&mut buffer);
    if !short.decode(bytes, &mut sink) {
        return None;
    }
    let text = sink.as_str();
    Some(if bytes == text.as_bytes() {
        Cow::Borrowed(std::str::from_utf8(bytes).ok()?)
    } else {
        text.to_owned().into()
    })
}

/// Decodes a value by a new `transcoder`.
///
/// # Errors
/// [`ErrorKind::NotUtf8`]; what the policies do not allow.
pub(in crate::transcoder) fn decode_whole(mut transcoder: Transcoder, bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    if transcoder.report().to != "UTF-8" {
        return Err(ErrorKind::NotUtf8 { codec: transcoder.report().to.clone() }.into());
    }
    let mut buffer = [0; VALUE_BUFFER_BYTES];
    let mut read = 0;
    // How many bytes of the output are the same as the input; from the first difference on, the output is kept.
    let mut same = 0;
    let mut changed: Option<Vec<u8>> = None;
    loop {
        let step = transcoder.step(&bytes[read..], &mut buffer, true)?;
        read += step.read;
        let output = &buffer[..step.written];
        match &mut changed {
            Some(text) => text.extend_from_slice(output),
            None if bytes[same..].starts_with(output) => same += output.len(),
            None => {
                let mut text = Vec::with_capacity(bytes.len().max(same + output.len()));
                text.extend_from_slice(&bytes[..same]);
                text.extend_from_slice(output);
                changed = Some(text);
            }
        }
        if step.state != Status::NeedRoom {
            break;
        }
    }
    let text = match changed {
        None if same == bytes.len() => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
        None => String::from_utf8(bytes[..same].to_vec()).map(Cow::Owned).ok(),
        Some(text) => String::from_utf8(text).map(Cow::Owned).ok(),
    };
    text.ok_or_else(|| {
        // The target is a codec of the user's under the name of UTF-8.
        let report = transcoder.report();
        let what = "writes bytes that are not UTF-8";
        ErrorKind::Codec { codec: report.to.clone(), offset: report.bytes_in, what }.into()
    })
}

/// The size of the buffer for a value in memory, on the stack, in bytes.
const VALUE_BUFFER_BYTES: usize = 4 * 1024;

/// The longest value that is decoded in a small buffer on the stack, in bytes, and the longest in one of 4 KiB.
const FIELD_BYTES: usize = 48;
const VALUE_BYTES: usize = (VALUE_BUFFER_BYTES - MIN_ROOM) / 4;

/// The longest value that is decoded without a transcoder, in bytes. For a longer one, making a transcoder costs little in
/// comparison.
pub(in crate::transcoder) const SHORT: usize = 4 * 1024;

/// The size of the buffer for the text of one of them, in bytes.
const TEXT_BYTES: usize = 4 * SHORT + MIN_ROOM;

/// Decodes values of plain text.
pub(in crate::transcoder) struct Short {
    decoder: CheckedDecoder,
    is_bytewise: bool,
    /// What replaces malformed bytes; `None` if they need a transcoder.
    malformed: Option<&'static str>,
    /// Ends of lines or control characters need a transcoder.
    looks_at_controls: bool,
    /// The decoder broke its contract.
    is_broken: bool,
}

impl Short {
    /// Returns `None` if every value has to go through a transcoder.
    pub(in crate::transcoder) fn new(settings: &Settings) -> Option<Self> {
        let hints = &settings.hints;
        let from = hints.from.as_ref()?;
        // Otherwise any text may be that of a document whose label has to be found.
        let is_plain = matches!(hints.kind, None | Some(Kind::Text))
            && hints.content_type.is_none()
            && !hints.policy.traits().assumes_html
            && !hints.strict
            && settings.bom != Bom::Add
            && !settings.normalizes();
        let is_one_charset =
            from.info().byte_orders.is_none() && from.name() != "ISO-10646-UCS-2" && is_utf8(&*settings.to);
        if !is_plain || !is_one_charset || settings.input.shape.is_some() || settings.to_records.is_some() {
            return None;
        }
        let is_surface = settings.ebcdic_nl != EbcdicNl::Table && is_ebcdic(&**from);
        let from = if is_surface { apply_newline(from.clone(), settings.ebcdic_nl) } else { from.clone() };
        // Without a name, because an error of this decoder is not reported: the transcoder finds its own.
        let decoder = CheckedDecoder::new("", from.decoder(), 0);
        Some(Short {
            is_bytewise: decoder.is_bytewise(),
            decoder,
            malformed: constant_replacement(settings.malformed),
            looks_at_controls: settings.controls != OnControl::Keep || !matches!(settings.eol, Eol::Auto | Eol::Keep),
            is_broken: false,
        })
    }

    /// Decodes a value. Returns `false` if it has to go through a transcoder.
    #[inline]
    pub(in crate::transcoder) fn decode(&mut self, value: &[u8], sink: &mut Utf8Sink<'_>) -> bool {
        let lent = sink.identity();
        let is_whole = self.decoder.whole(value, sink, self.is_bytewise) || self.decode_damaged(value, sink);
        // A codec can exchange the sink for another one in safe code.
        is_whole && sink.identity() == lent && self.is_plain(sink.as_str())
    }

    /// Does the same for a value with malformed bytes, if something replaces them.
    #[cold]
    fn decode_damaged(&mut self, value: &[u8], sink: &mut Utf8Sink<'_>) -> bool {
        self.malformed.is_some() && {
            sink.truncate(0);
            self.decoder.reset();
            let is_whole = self.replace_damage(value, sink);
            self.decoder.reset();
            is_whole.unwrap_or_else(|_| {
                self.is_broken = true;
                false
            })
        }
    }

    fn replace_damage(&mut self, mut value: &[u8], sink: &mut Utf8Sink<'_>) -> Result<bool, Error> {
        loop {
            let step = self.decoder.feed(value, sink)?;
            match step.stop {
                Stop::InputEmpty => break,
                Stop::Fault(_) if self.replace(sink) => value = &value[step.read..],
                Stop::Fault(_) | Stop::OutputFull => return Ok(false),
            }
        }
        loop {
            match self.decoder.finish(sink)? {
                Stop::InputEmpty => return Ok(true),
                Stop::Fault(_) if self.replace(sink) => {}
                Stop::Fault(_) | Stop::OutputFull => return Ok(false),
            }
        }
    }

    /// Writes what replaces malformed bytes. Returns `false` if they need a transcoder.
    fn replace(&self, sink: &mut Utf8Sink<'_>) -> bool {
        self.malformed.is_some_and(|text| sink.push_str(text) == text.len())
    }

    /// Whether a transcoder would make the same text of the value.
    #[inline]
    fn is_plain(&self, text: &str) -> bool {
        // A document, XML or HTML, may begin with white space, and may have a label to correct.
        let begins_document = matches!(text.trim_start().as_bytes(), [b'<', ..]) || text.starts_with('\u{FEFF}');
        !(begins_document || self.looks_at_controls && has_controls(text))
    }
}

/// Whether the text has anything that a policy for ends of lines or for control characters may change.
fn has_controls(text: &str) -> bool {
    let is_suspicious = text.bytes().fold(false, |any, byte| any | (byte < 0x20) | matches!(byte, 0x7F | 0xC2 | 0xEF));
    is_suspicious && text.chars().any(|ch| ch.is_control() || matches!(ch, '\u{FFFE}' | '\u{FFFF}'))
}
