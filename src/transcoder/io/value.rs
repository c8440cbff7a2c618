//! Values in memory, such as the fields of records: one decoder or encoder converts many short values independently of
//! each other.
//!
//! The result for a value is the same as that of a [`Transcoder`]; `plain.rs` says how it is found without one.

use super::plain;
use crate::codec::{Encoder, MIN_ROOM, Stop, Utf8Buf, Utf8Sink};
use crate::error::{Error, ErrorKind};
use crate::transcoder::faults::constant_replacement;
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::{Settings, Transcode};
use crate::transcoder::{Status, Transcoder};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Decodes values one after the other: fields of records, columns of a table. Made by [`Transcode::values`].
///
/// Each value is decoded independently: no shift state is carried from one to the next. The result is the same as with
/// [`Transcode::decode`], and error offsets count from the first byte of the value. A value that takes
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
        if value.len() > SHORT
            && let Some(text) = plain::decode(&self.settings, value)
        {
            return Ok(text.into_owned());
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
        HAS_RECORDS
    } else if settings.to.name() != "UTF-8" {
        return Err(ErrorKind::NotUtf8 { codec: settings.to.name().to_owned() }.into());
    } else {
        return Ok(());
    };
    Err(ErrorKind::Options { what }.into())
}

const HAS_RECORDS: &str = "values are fields, not records";

/// Encodes values one after the other: fields of records, columns of a table. Made by [`Transcode::value_encoder`].
///
/// Each value is encoded independently, with the same result as [`Transcode::encode`]: at its end, a charset with shift
/// codes is back in its initial state. Offsets of errors count bytes of the value in UTF-8, from 0. A short value takes
/// tens of nanoseconds, and no allocation, because the encoder and its buffer are kept.
///
/// ```
/// use charpipe::Transcode;
///
/// let mut values = Transcode::new().target_encoding("IBM037")?.value_encoder()?;
/// assert_eq!(values.encode("0042")?, b"\xF0\xF0\xF4\xF2");
/// // Several at once, in a buffer of the caller's.
/// let mut record = Vec::new();
/// values.encode_into("0042", &mut record)?;
/// values.encode_into("Joe", &mut record)?;
/// assert_eq!(record, b"\xF0\xF0\xF4\xF2\xD1\x96\x85");
/// // What the charset lacks is an error, unless a policy says what to write.
/// let error = values.encode("5 €").unwrap_err();
/// assert_eq!((error.code(), error.offset()), ("unmappable", Some(2)));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub struct ValueEncoder {
    /// `None` if every value has to go through a transcoder.
    encoder: Option<Box<dyn Encoder>>,
    looks_at_controls: bool,
    settings: Arc<Settings>,
    /// The bytes of a value that fitted into it.
    short: Box<[u8]>,
    /// The bytes of any other value.
    long: Vec<u8>,
}

impl ValueEncoder {
    /// `settings` are those of a text.
    pub(in crate::transcoder) fn new(settings: Settings) -> Result<Self, Error> {
        if settings.to_records.is_some() {
            return Err(ErrorKind::Options { what: HAS_RECORDS }.into());
        }
        Ok(ValueEncoder {
            encoder: plain::encodes(&settings).and_then(|codec| codec.encoder()),
            looks_at_controls: plain::looks_at_controls(&settings),
            settings: Arc::new(settings),
            short: vec![0; SHORT].into(),
            long: Vec::new(),
        })
    }

    /// Encodes a value. The bytes are valid until the next call.
    ///
    /// # Errors
    /// Those of [`Transcode::encode`]. The next value can still be encoded.
    #[inline]
    pub fn encode(&mut self, value: &str) -> Result<&[u8], Error> {
        match self.encode_short(value) {
            Some(len) => Ok(&self.short[..len]),
            None => {
                self.long = self.encode_long(value)?;
                Ok(&self.long)
            }
        }
    }

    /// Encodes a value and appends its bytes to `bytes`. On an error nothing is appended.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    #[inline]
    pub fn encode_into(&mut self, value: &str, bytes: &mut Vec<u8>) -> Result<(), Error> {
        bytes.extend_from_slice(self.encode(value)?);
        Ok(())
    }

    /// Encodes a value of plain text that fits into the buffer. Returns the length in bytes, or `None` if that is not
    /// possible.
    #[inline]
    fn encode_short(&mut self, value: &str) -> Option<usize> {
        let encoder = self.encoder.as_deref_mut()?;
        if value.len() > SHORT / 2 || !plain::is_plain(value, self.looks_at_controls) {
            return None;
        }
        plain::encode_at_once(encoder, value, &mut self.short)
    }

    #[cold]
    fn encode_long(&mut self, value: &str) -> Result<Vec<u8>, Error> {
        match plain::encode(&self.settings, value) {
            Some(bytes) => Ok(bytes.into_owned()),
            None => encode_whole(Transcoder::new(self.settings.clone()), value).map(Cow::into_owned),
        }
    }
}

impl fmt::Debug for ValueEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueEncoder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Encodes all of `text` by a new `transcoder` of text.
///
/// # Errors
/// What the policies do not allow.
pub(in crate::transcoder) fn encode_whole(mut transcoder: Transcoder, text: &str) -> Result<Cow<'_, [u8]>, Error> {
    let (mut bytes, mut buffer, mut read) = (Vec::new(), [0; BUFFER_BYTES], 0);
    loop {
        let step = transcoder.step(&text.as_bytes()[read..], &mut buffer, true);
        let step = step.map_err(|error| transcoder.located(text.as_bytes(), error))?;
        read += step.read;
        bytes.extend_from_slice(&buffer[..step.written]);
        if step.state != Status::NeedRoom {
            break;
        }
    }
    Ok(if bytes == text.as_bytes() { Cow::Borrowed(text.as_bytes()) } else { Cow::Owned(bytes) })
}

/// Decodes a value by a new `transcoder`.
///
/// # Errors
/// [`ErrorKind::NotUtf8`]; what the policies do not allow.
pub(in crate::transcoder) fn decode_whole(mut transcoder: Transcoder, bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    if transcoder.report().to != "UTF-8" {
        return Err(ErrorKind::NotUtf8 { codec: transcoder.report().to.clone() }.into());
    }
    let mut buffer = [0; BUFFER_BYTES];
    let mut read = 0;
    // From the first difference from the input on, the output is kept.
    let mut same = 0;
    let mut changed: Option<Vec<u8>> = None;
    loop {
        let step = transcoder.step(&bytes[read..], &mut buffer, true);
        let step = step.map_err(|error| transcoder.located(bytes, error))?;
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
    // The target may be a codec of the user's under the name of UTF-8.
    let text = match changed {
        None if same == bytes.len() => plain::as_utf8(bytes).map(Cow::Borrowed),
        None => plain::as_utf8(&bytes[..same]).map(|text| Cow::Owned(text.to_owned())),
        Some(text) => plain::as_utf8(&text).map(|text| Cow::Owned(text.to_owned())),
    };
    text.ok_or_else(|| {
        let report = transcoder.report();
        let what = "writes bytes that are not UTF-8";
        ErrorKind::Codec { codec: report.to.clone(), offset: report.bytes_in, what }.into()
    })
}

/// The size of the buffer of a transcoder for a value, on the stack, in bytes.
const BUFFER_BYTES: usize = 4 * 1024;

/// The longest value that is decoded at once, in bytes.
const SHORT: usize = 4 * 1024;

/// The size of the buffer for the text of one of them, in bytes.
const TEXT_BYTES: usize = 4 * SHORT + MIN_ROOM;

/// Decodes values of plain text.
struct Short {
    decoder: CheckedDecoder,
    is_bytewise: bool,
    /// The replacement for malformed bytes; `None` if they need a transcoder.
    malformed: Option<&'static str>,
    /// Ends of lines or control characters need a transcoder.
    looks_at_controls: bool,
    /// The decoder broke its contract.
    is_broken: bool,
}

impl Short {
    /// Returns `None` if every value has to go through a transcoder.
    fn new(settings: &Settings) -> Option<Self> {
        // Without a name, because an error of this decoder is not reported: the transcoder finds its own.
        let decoder = CheckedDecoder::new("", plain::decodes(settings)?.decoder(), 0);
        Some(Short {
            is_bytewise: decoder.is_bytewise(),
            decoder,
            malformed: constant_replacement(settings.malformed),
            looks_at_controls: plain::looks_at_controls(settings),
            is_broken: false,
        })
    }

    /// Decodes a value. Returns `false` if it has to go through a transcoder.
    #[inline]
    fn decode(&mut self, value: &[u8], sink: &mut Utf8Sink<'_>) -> bool {
        let lent = sink.identity();
        let is_whole = self.decoder.whole(value, sink, self.is_bytewise) || self.decode_damaged(value, sink);
        // A codec can exchange the sink for another one in safe code.
        is_whole && sink.identity() == lent && plain::is_plain(sink.as_str(), self.looks_at_controls)
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
}
