//! The entry points: the methods with which a [`Transcode`] creates or runs a conversion, and functions that do the
//! same with the default options.

use super::io::plain;
use super::io::reader::DecodeReader;
use super::io::text_writer::TextWriter;
use super::io::value::{self, ValueDecoder, ValueEncoder};
use super::io::writer::EncodeWriter;
use super::{Report, Transcode, Transcoder};
use crate::detect::Detector;
use crate::error::Error;
#[cfg(doc)]
use crate::error::ErrorKind;
use std::borrow::Cow;
use std::io::{BufRead, Write};
use std::sync::Arc;

/// Detects the encoding of `input`, and writes it to `output` in UTF-8 with its label corrected.
///
/// Uses the defaults: policy `rfc7303`, and malformed input is an error. [`Transcode`] has the options. The reader and
/// the writer can be borrowed (`&mut reader`).
///
/// # Errors
/// Those of [`Transcode::run`].
///
/// ```
/// let input = b"\xFF\xFE<\x00?\x00x\x00m\x00l\x00 \x00v\x00e\x00r\x00s\x00i\x00o\x00n\x00=\x00'\x001\x00.\x000\x00'\x00?\x00>\x00";
/// let mut output = Vec::new();
/// let report = charpipe::transcode(&input[..], &mut output)?;
/// assert_eq!(output, b"<?xml version='1.0'?>");
/// assert_eq!(report.from.as_deref(), Some("UTF-16LE"));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn transcode<R: BufRead, W: Write>(input: R, output: W) -> Result<Report, Error> {
    Transcode::new().run(input, output)
}

/// Detects the encoding of `bytes` and decodes them to a string with its label corrected.
///
/// This is [`Transcode::decode`] with the defaults: the string is borrowed if nothing changed.
///
/// # Errors
/// Those of [`Transcode::decode`].
///
/// ```
/// use std::borrow::Cow;
///
/// assert!(matches!(charpipe::decode("déjà UTF-8".as_bytes())?, Cow::Borrowed("déjà UTF-8")));
/// assert_eq!(charpipe::decode(b"\xFE\xFF\x20\xAC")?, "€");
/// assert_eq!(charpipe::decode(b"\xE2\x82").unwrap_err().offset(), Some(0));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    Transcode::new().decode(bytes)
}

impl Transcode {
    /// Makes a transcoder, for callers that do their own I/O.
    ///
    /// # Errors
    /// [`ErrorKind::NoBom`] for [`Bom::Add`](crate::Bom::Add) on a charset that cannot write U+FEFF; [`ErrorKind::Options`]
    /// for choices that contradict each other; [`ErrorKind::CannotFrame`] for records of a shape that cannot be written.
    pub fn transcoder(&self) -> Result<Transcoder, Error> {
        self.validate()?;
        let mut settings = self.settings.clone();
        settings.name_source_by_columns()?;
        Ok(Transcoder::new(Arc::new(settings)))
    }

    /// Makes a detector with the same registry and the same hints: the options about the output do not concern it.
    ///
    /// ```
    /// let mut detector = charpipe::Transcode::new().content_type("text/xml; charset=ISO-8859-1").detector();
    /// detector.feed(b"<a/>");
    /// assert_eq!(detector.finish().encoding.as_deref(), Some("ISO-8859-1"));
    /// ```
    #[must_use]
    pub fn detector(&self) -> Detector {
        Detector::new(self.settings.registry.clone(), self.settings.hints.clone())
    }

    /// Makes a detector that reads the whole input and checks whether it is valid in the encoding found, as
    /// [`Detector::whole`] does.
    ///
    /// ```
    /// let mut detector = charpipe::Transcode::new().whole_detector();
    /// detector.feed(&[&[b'a'; 70_000][..], b"\xE9"].concat());
    /// assert_eq!(detector.finish().error.unwrap().offset(), Some(70_000));
    /// ```
    #[must_use]
    pub fn whole_detector(&self) -> Detector {
        Detector::whole(self.settings.registry.clone(), self.settings.hints.clone())
    }

    /// Transcodes `input` to `output`.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder) and [`Transcoder::run`].
    pub fn run<R: BufRead, W: Write>(&self, mut input: R, mut output: W) -> Result<Report, Error> {
        let mut transcoder = self.transcoder()?;
        transcoder.run(&mut input, &mut output)?;
        Ok(transcoder.report().clone())
    }

    /// Makes a reader that reads from `input` and transcodes. The underlying reader can be borrowed (`&mut input`).
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder).
    pub fn reader<R: BufRead>(&self, input: R) -> Result<DecodeReader<R>, Error> {
        Ok(DecodeReader::new(input, self.transcoder()?))
    }

    /// Makes a writer that transcodes to `output`. The underlying writer can be borrowed (`&mut output`).
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder).
    pub fn writer<W: Write>(&self, output: W) -> Result<EncodeWriter<W>, Error> {
        Ok(EncodeWriter::new(output, self.transcoder()?))
    }

    /// Makes a writer that encodes text to `output`, for a program that writes Unicode: nothing is detected, and a
    /// label in the text is corrected. Options about the encoding of the input have no effect.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder); [`ErrorKind::Options`] with [`records`](Self::records), because text has
    /// none.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// let mut writer = charpipe::Transcode::new().target_encoding("windows-1251")?.text_writer(Vec::new())?;
    /// writer.write_all("<meta charset=utf-8>Я".as_bytes())?;
    /// assert_eq!(writer.finish()?, b"<meta charset=windows-1251>\xDF");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text_writer<W: Write>(&self, output: W) -> Result<TextWriter<W>, Error> {
        Ok(TextWriter::new(EncodeWriter::new(output, self.text_transcoder()?)))
    }

    /// Makes a transcoder for text in UTF-8.
    pub(super) fn text_transcoder(&self) -> Result<Transcoder, Error> {
        self.validate()?;
        Ok(Transcoder::new(Arc::new(self.settings.of_text()?)))
    }

    /// Encodes all of `text` in the target's charset. Nothing is detected in it, and a label in it is corrected, as
    /// [`text_writer`](Self::text_writer) does. The result is [`Cow::Borrowed`], and nothing is copied, exactly if it equals
    /// `text`. For many short texts, [`value_encoder`](Self::value_encoder) makes an encoder once.
    ///
    /// # Errors
    /// Those of [`text_writer`](Self::text_writer), and what the policies do not allow. Offsets count bytes of `text`.
    ///
    /// ```
    /// use charpipe::{OnUnmappable, Transcode};
    ///
    /// let job = Transcode::new().target_encoding("ISO-8859-1")?;
    /// assert_eq!(*job.encode("café")?, *b"caf\xE9");
    /// let error = job.encode("5 €").unwrap_err();
    /// assert_eq!(error.to_string(), "line 1, column 3 (byte 2): U+20AC '€' is not in ISO-8859-1");
    /// assert_eq!(*job.on_unmappable(OnUnmappable::Escape).encode("5 €")?, *br"5 \u{20AC}");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn encode<'a>(&self, text: &'a str) -> Result<Cow<'a, [u8]>, Error> {
        match plain::encode(&self.settings, text) {
            Some(bytes) => Ok(bytes),
            None => value::encode_whole(self.text_transcoder()?, text),
        }
    }

    /// Encodes all of `text`, as [`encode`](Self::encode) does, and returns an owned vector.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    pub fn encode_to_vec(&self, text: &str) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.encode_into(text, &mut bytes)?;
        Ok(bytes)
    }

    /// Encodes all of `text`, as [`encode`](Self::encode) does, and appends it to `bytes`. On an error nothing is appended.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    pub fn encode_into(&self, text: &str, bytes: &mut Vec<u8>) -> Result<(), Error> {
        if !plain::encode_into(&self.settings, text, bytes) {
            bytes.extend_from_slice(&value::encode_whole(self.text_transcoder()?, text)?);
        }
        Ok(())
    }

    /// Makes an encoder of values for the target's charset. It is made once, and encodes a short value in tens of
    /// nanoseconds.
    ///
    /// # Errors
    /// Those of [`text_writer`](Self::text_writer); [`ErrorKind::Options`] with [`to_records`](Self::to_records), because a
    /// value is not a stream of records.
    pub fn value_encoder(&self) -> Result<ValueEncoder, Error> {
        self.validate()?;
        ValueEncoder::new(self.settings.of_text()?)
    }

    /// Decodes all of `bytes` to a string. The result is [`Cow::Borrowed`], and nothing is copied, exactly if it equals
    /// `bytes`. For many short values in one encoding, [`values`](Self::values) makes a decoder once.
    ///
    /// # Errors
    /// [`ErrorKind::NotUtf8`] if the target is another charset; what the policies do not allow.
    ///
    /// ```
    /// use charpipe::{OnMalformed, Transcode};
    ///
    /// let lossy = Transcode::new().source_encoding("UTF-8")?.on_malformed(OnMalformed::Replace);
    /// assert_eq!(lossy.decode(b"a\xFFb")?, "a\u{FFFD}b");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        match plain::decode(&self.settings, bytes) {
            Some(text) => Ok(text),
            None => value::decode_whole(self.transcoder()?, bytes),
        }
    }

    /// Makes a decoder of values in the encoding that [`source_encoding`](Self::source_encoding) names. It is made once, and decodes a short value
    /// in tens of nanoseconds.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder). [`ErrorKind::NotUtf8`] if the target is another charset.
    /// [`ErrorKind::Options`] without [`source_encoding`](Self::source_encoding), because fields are too short to be detected one by one; and with
    /// [`records`](Self::records) or [`to_records`](Self::to_records), because a value is not a stream of records.
    ///
    /// ```
    /// use charpipe::{EbcdicNl, Transcode};
    ///
    /// let mut values = Transcode::new().source_encoding("IBM1047")?.ebcdic_nl(EbcdicNl::Zos).values()?;
    /// assert_eq!(values.decode(b"\xC1\x15\xC2")?, "A\nB");
    /// assert_eq!(Transcode::new().values().unwrap_err().code(), "options");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn values(&self) -> Result<ValueDecoder, Error> {
        ValueDecoder::new(self)
    }
}

impl Transcoder {
    /// Reads `input` to its end and writes the result to `output`. Flushes before every read, because a read may block, and
    /// at the end. [`io::ErrorKind::Interrupted`](std::io::ErrorKind::Interrupted) is retried.
    ///
    /// # Errors
    /// [`ErrorKind::Read`]: everything that was read was transcoded and written, and a later call with the same reader
    /// continues. [`ErrorKind::Write`]: what was read is lost. After any other error all good output was written.
    pub fn run<R, W>(&mut self, input: &mut R, output: &mut W) -> Result<(), Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let settings = &self.run.settings;
        if settings.jobs.get() > 1 && !settings.counts_lines && self.is_new() {
            return self.run_in_parts(&mut &mut *input, &mut &mut *output);
        }
        self.run_alone(input, output)
    }
}
