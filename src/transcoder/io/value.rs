//! Values, fields of records above all: many short ones by one decoder, each by itself.
//!
//! [`Transcode::decode`] says what a value becomes, and [`Transcoder`](crate::Transcoder) does it. For a short value of
//! plain text it takes a hundred times as long to make that machine as to decode the text. So the text is decoded first,
//! by a decoder that is kept. If nothing in it asks for more than that, it is the answer. If something does (a byte order
//! mark, an XML declaration, an error), the value goes through the machine.

use crate::codec::{EbcdicNl, MIN_ROOM, Stop, Utf8Buf, Utf8Sink, apply_newline, is_ebcdic, is_utf8};
use crate::detect::{Kind, Policy};
use crate::error::{Error, ErrorKind};
use crate::text::controls::OnControl;
use crate::text::eol::Eol;
use crate::transcoder::choices::OnMalformed;
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::Settings;
use crate::transcoder::{Bom, Transcode};
use std::borrow::Cow;
use std::fmt;

/// Decodes values, one after the other: fields of records, columns of a table. Made by [`Transcode::values`].
///
/// Each value is decoded by itself: no shift state is carried from one to the next. It becomes what [`Transcode::decode`]
/// makes of it, and offsets of errors count from its first byte. What that takes microseconds for takes tens of nanoseconds
/// here, because the decoder and the room for the text are kept.
///
/// ```
/// use charpipe::Transcode;
///
/// let record = b"\xF0\xF0\xF4\xF2\xD1\x96\x85\x40\x40\x40";
/// let mut values = Transcode::new().from("IBM037")?.values()?;
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
    /// `None` if no value can be decoded the short way.
    short: Option<Short>,
    job: Transcode,
    room: Utf8Buf,
    /// A value that went through the machine.
    long: String,
}

impl ValueDecoder {
    fn new(job: &Transcode) -> Result<Self, Error> {
        job.check_values()?;
        let short = Short::new(&job.settings);
        Ok(ValueDecoder { short, job: job.clone(), room: Utf8Buf::new(ROOM), long: String::new() })
    }

    /// Decodes a value. The text is there until the next call.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`] and whatever else [`Transcode::decode`] returns for that value. The next value is decoded
    /// all the same.
    ///
    /// ```
    /// use charpipe::{OnMalformed, Transcode};
    ///
    /// let job = Transcode::new().from("IBM939")?;
    /// let mut values = job.values()?;
    /// // Cut within its double bytes.
    /// assert_eq!(values.decode(b"\xC1\x0E\x45\x66\x45").unwrap_err().offset(), Some(4));
    /// assert_eq!(values.decode(b"\xC1")?, "A");
    /// let mut lossy = job.malformed(OnMalformed::Replace).values()?;
    /// assert_eq!(lossy.decode(b"\xC1\x0E\x45\x66\x45")?, "A本\u{FFFD}");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[inline]
    pub fn decode(&mut self, value: &[u8]) -> Result<&str, Error> {
        if let Some(short) = &mut self.short
            && value.len() <= SHORT
        {
            let wanted = 4 * value.len() + MIN_ROOM;
            if self.room.fill(wanted, |sink| short.decode(value, sink)) {
                return Ok(self.room.as_str());
            }
        }
        self.long = self.decode_long(value)?;
        Ok(&self.long)
    }

    /// Decodes a value and appends its text to `text`. On an error nothing is appended.
    ///
    /// # Errors
    /// As of [`decode`](Self::decode).
    #[inline]
    pub fn decode_into(&mut self, value: &[u8], text: &mut String) -> Result<(), Error> {
        text.push_str(self.decode(value)?);
        Ok(())
    }

    #[cold]
    fn decode_long(&mut self, value: &[u8]) -> Result<String, Error> {
        // A decoder that broke its contract may never be as new again.
        if self.short.as_ref().is_some_and(|short| short.is_broken) {
            self.short = None;
        }
        self.job.decode_by_machine(value).map(Cow::into_owned)
    }
}

impl fmt::Debug for ValueDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueDecoder").field("job", &self.job).finish_non_exhaustive()
    }
}

impl Transcode {
    /// A decoder of values in the encoding that [`from`](Self::from) names. It is made once, and decodes a short value in
    /// tens of nanoseconds.
    ///
    /// # Errors
    /// What [`transcoder`](Self::transcoder) says. [`ErrorKind::NotUtf8`] if the target is another charset.
    /// [`ErrorKind::Options`] without [`from`](Self::from), as fields are too short to be detected one by one; and with
    /// [`records`](Self::records) or [`to_records`](Self::to_records), as a value is no stream of records.
    ///
    /// ```
    /// use charpipe::{EbcdicNl, Transcode};
    ///
    /// let mut values = Transcode::new().from("IBM1047")?.ebcdic_nl(EbcdicNl::Zos).values()?;
    /// assert_eq!(values.decode(b"\xC1\x15\xC2")?, "A\nB");
    /// assert_eq!(Transcode::new().values().unwrap_err().code(), "options");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn values(&self) -> Result<ValueDecoder, Error> {
        ValueDecoder::new(self)
    }

    /// Whether values can be decoded like this.
    fn check_values(&self) -> Result<(), Error> {
        self.validate()?;
        let settings = &self.settings;
        let what = if settings.hints.from.is_none() {
            "a decoder of values needs to be told the encoding"
        } else if settings.input.shape.is_some() || settings.to_records.is_some() {
            "a decoder of values decodes fields, not records"
        } else if settings.to.name() != "UTF-8" {
            return Err(ErrorKind::NotUtf8 { codec: settings.to.name().to_owned() }.into());
        } else {
            return Ok(());
        };
        Err(ErrorKind::Options { what }.into())
    }
}

/// The longest value that is decoded the short way, in bytes. Making the machine costs little beside a longer one.
pub(in crate::transcoder) const SHORT: usize = 4 * 1024;

/// Room for the text of one of them.
const ROOM: usize = 4 * SHORT + MIN_ROOM;

/// Decodes values of plain text.
pub(in crate::transcoder) struct Short {
    decoder: CheckedDecoder,
    is_bytewise: bool,
    /// What stands for malformed bytes; `None` if they are for the machine.
    malformed: Option<&'static str>,
    /// Ends of line or control characters are for the machine.
    looks_at_controls: bool,
    /// The decoder broke its contract.
    is_broken: bool,
}

impl Short {
    /// `None` if every value has to go through the machine.
    pub(in crate::transcoder) fn new(settings: &Settings) -> Option<Self> {
        let hints = &settings.hints;
        let from = hints.from.as_ref()?;
        // Whatever the text is, it may be that of a document whose label is to be found.
        let is_plain = matches!(hints.kind, None | Some(Kind::Text))
            && hints.content_type.is_none()
            && hints.policy != Policy::Whatwg
            && !hints.strict
            && settings.bom != Bom::Add;
        let is_one_charset =
            from.info().byte_orders.is_none() && from.name() != "ISO-10646-UCS-2" && is_utf8(&*settings.to);
        if !is_plain || !is_one_charset || settings.input.shape.is_some() || settings.to_records.is_some() {
            return None;
        }
        let is_surface = settings.ebcdic_nl != EbcdicNl::Table && is_ebcdic(&**from);
        let from = if is_surface { apply_newline(from.clone(), settings.ebcdic_nl) } else { from.clone() };
        let decoder = CheckedDecoder::new(from.name(), from.decoder(), 0);
        Some(Short {
            is_bytewise: decoder.is_bytewise(),
            decoder,
            malformed: match settings.malformed {
                OnMalformed::Replace => Some("\u{FFFD}"),
                OnMalformed::Drop => Some(""),
                OnMalformed::Fail | OnMalformed::Escape => None,
            },
            looks_at_controls: settings.controls != OnControl::Keep || !matches!(settings.eol, Eol::Auto | Eol::Keep),
            is_broken: false,
        })
    }

    /// Decodes a value. `false`: it has to go through the machine.
    #[inline]
    pub(in crate::transcoder) fn decode(&mut self, value: &[u8], sink: &mut Utf8Sink<'_>) -> bool {
        let lent = sink.identity();
        let is_whole = self.decoder.whole(value, sink, self.is_bytewise) || self.decode_damaged(value, sink);
        // Safe code can put another sink into the place of this one.
        is_whole && sink.identity() == lent && self.is_plain(sink.as_str())
    }

    /// The same for a value with malformed bytes in it, if there is something to stand for them.
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
                Stop::Fault(_) if self.stands_in(sink) => value = &value[step.read..],
                Stop::Fault(_) | Stop::OutputFull => return Ok(false),
            }
        }
        loop {
            match self.decoder.finish(sink)? {
                Stop::InputEmpty => return Ok(true),
                Stop::Fault(_) if self.stands_in(sink) => {}
                Stop::Fault(_) | Stop::OutputFull => return Ok(false),
            }
        }
    }

    /// Writes what stands for malformed bytes; `false` if they are for the machine.
    fn stands_in(&self, sink: &mut Utf8Sink<'_>) -> bool {
        self.malformed.is_some_and(|text| sink.push_str(text) == text.len())
    }

    /// Whether the text is all that becomes of the value.
    #[inline]
    fn is_plain(&self, text: &str) -> bool {
        let begins_document = match text.as_bytes().first() {
            Some(b'<') => text.starts_with("<?xml"),
            Some(0xEF) => text.starts_with('\u{FEFF}'),
            _ => false,
        };
        !(begins_document || self.looks_at_controls && has_controls(text))
    }
}

/// Whether there is anything in the text that a policy for ends of line or for control characters may change.
fn has_controls(text: &str) -> bool {
    let is_suspicious = text.bytes().fold(false, |any, byte| any | (byte < 0x20) | matches!(byte, 0x7F | 0xC2 | 0xEF));
    is_suspicious && text.chars().any(|ch| ch.is_control() || matches!(ch, '\u{FFFE}' | '\u{FFFF}'))
}
