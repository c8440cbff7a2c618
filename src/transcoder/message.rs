//! Keeps what a transcoder can reuse from one message for the next.
//!
//! A program that [resets](crate::Transcoder::reset) a transcoder converts many short messages, which are mostly plain
//! text in one charset. Detection, the plan and the machines for each of them would take far longer than converting it.
//! So a message of plain text that is here as a whole is converted as a [value](super::io::plain) is, and the report is
//! that of an earlier message, whose verdict it shares. Whatever could make a difference goes the long way: the result,
//! and the report, are the same.

use super::io::plain;
use super::newline_watch::LONG_LINE;
use super::options::Settings;
use super::report::Report;
use crate::codec::{Codec, Decoder, Encoder, MIN_ROOM, Utf8Buf, Utf8Sink, is_ebcdic, is_utf8};
use crate::detect::{Detector, Diagnostic, Kind, Source, Verdict, binary_signature, is_single_byte};
use std::sync::Arc;

/// The longest message that is converted at once, in bytes.
pub(super) const LONGEST: usize = 4 * 1024;

/// The state that is kept for messages of plain text.
pub(super) struct Messages {
    /// The verdict that they share, while none of them is in the report.
    verdict: Option<Verdict>,
    /// The names in the report, likewise.
    from: Option<String>,
    read_as: Option<String>,
    /// The diagnostics in the report, likewise: they are due to the label.
    diagnostics: Vec<Diagnostic>,
    /// A new detector, in place of which the transcoder is at the end of a message.
    pub(super) detector: Option<Box<Detector>>,
    codec: Arc<dyn Codec>,
    decoder: Option<Box<dyn Decoder>>,
    encoder: Option<Box<dyn Encoder>>,
    text: Utf8Buf,
    bytes: Vec<u8>,
    looks_at_labels: bool,
    /// A hint may be due to the ends of lines.
    looks_at_newlines: bool,
}

impl Messages {
    /// Begins after a message whose report shows that it was plain text. Returns `None` if no message of the job can be
    /// plain text, or if this one was not.
    pub(super) fn after(settings: &Settings, report: &Report) -> Option<Self> {
        let verdict = report.verdict.as_ref()?;
        let is_known = match verdict.source {
            Some(Source::User) => !settings.hints.policy.traits().always_guesses,
            Some(Source::Default) => plain::is_open(settings),
            _ => false,
        };
        let is_all_of_label = report.diagnostics == verdict.diagnostics;
        if !is_known || !is_all_of_label || !is_plain(verdict) || plain::looks_at_controls(settings) {
            return None;
        }
        let from = verdict.codec.clone()?;
        let named = settings.hints.from.as_ref();
        if named.is_some_and(|named| !plain::is_one_charset(&**named)) {
            return None;
        }
        let target = plain::encodes(settings)?;
        let encoder = if settings.to_utf8 { None } else { Some(target.encoder()?) };
        let decoder = if is_utf8(&*from) { None } else { Some(plain::with_newline(&from, settings).decoder()) };
        Some(Messages {
            verdict: report.verdict.clone(),
            from: report.from.clone(),
            read_as: report.read_as.clone(),
            diagnostics: report.diagnostics.clone(),
            detector: None,
            looks_at_labels: is_single_byte(&*from),
            looks_at_newlines: is_ebcdic(&*from),
            codec: from,
            decoder,
            encoder,
            text: Utf8Buf::new(4 * LONGEST + MIN_ROOM),
            bytes: Vec::new(),
        })
    }

    /// Converts a message into `bytes`, or as it is. Returns whether the bytes that decided about its encoding are ASCII;
    /// `None` if it has to go the long way.
    pub(super) fn convert<'a>(&'a mut self, src: &'a [u8], detector: &Detector) -> Option<(bool, &'a [u8])> {
        let is_ascii = src.is_ascii();
        if self.looks_at_labels && !is_ascii && self.contradicts(src) {
            return None;
        }
        let text = match &mut self.decoder {
            None => std::str::from_utf8(src).ok()?,
            Some(decoder) => {
                let is_whole = self.text.fill(4 * src.len() + MIN_ROOM, |sink| {
                    let lent = sink.identity();
                    // A codec can exchange the sink for another one in safe code.
                    decoder.decode_whole(src, sink) && sink.identity() == lent
                });
                decoder.reset();
                if !is_whole {
                    return None;
                }
                self.text.as_str()
            }
        };
        // White space may come before a declaration.
        if !plain::is_plain(text, false) || text.starts_with(char::is_whitespace) {
            return None;
        }
        if self.looks_at_newlines && (text.contains('\u{85}') || text.len() >= LONG_LINE && !text.contains('\n')) {
            return None;
        }
        let is_named = self.verdict.as_ref().is_some_and(|verdict| verdict.source == Some(Source::User));
        if !is_named && (src.contains(&0) || binary_signature(src).is_some()) {
            return None;
        }
        let starts_with_ascii = match src[0] {
            first if !detector.shows_no_signature(first) => src[..detector.plain_start(src)?].is_ascii(),
            // The mark that a codec may have is not there, so as many bytes decide as the first character has.
            first if is_ascii || !first.is_ascii() => is_ascii,
            _ => self.decoder.as_deref_mut().is_none_or(|decoder| src[..first_len(decoder, src)].is_ascii()),
        };
        let Some(encoder) = &mut self.encoder else { return Some((starts_with_ascii, text.as_bytes())) };
        self.bytes.resize(2 * LONGEST, 0);
        let len = plain::encode_at_once(&mut **encoder, text, &mut self.bytes)?;
        Some((starts_with_ascii, &self.bytes[..len]))
    }

    /// Whether bytes that are not all ASCII may contradict a single-byte charset.
    fn contradicts(&self, src: &[u8]) -> bool {
        let has_c1 = || self.codec.name() == "ISO-8859-1" && src.iter().any(|byte| matches!(byte, 0x80..=0x9F));
        std::str::from_utf8(src).is_ok() || has_c1()
    }
}

/// Returns how many bytes at the beginning the decoder reads until it has a character. Resets the decoder.
fn first_len(decoder: &mut dyn Decoder, src: &[u8]) -> usize {
    let mut room = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    let has_char = |len: &usize| {
        _ = decoder.feed(&src[len - 1..*len], &mut sink);
        sink.written() > 0
    };
    let len = (1..src.len()).find(has_char).unwrap_or(src.len());
    decoder.reset();
    len
}

/// The diagnostics that any input gets that is read by the same label.
const OF_LABELS: [&str; 2] = ["superset-used", "shadowed-codec"];

/// Whether nothing in the input led to the verdict.
pub(super) fn is_plain(verdict: &Verdict) -> bool {
    verdict.kind == Kind::Text
        && verdict.signature.is_none()
        && verdict.declared.is_none()
        && verdict.declaration.is_none()
        && verdict.charset.is_none()
        && verdict.looks.is_none()
        && verdict.error.is_none()
        && verdict.diagnostics.iter().all(|note| OF_LABELS.contains(&note.code))
        && verdict.candidates.is_empty()
        && verdict.bom_len == 0
}

impl Messages {
    /// Makes the report of a message of `read` bytes that became `written`.
    pub(super) fn report(&mut self, report: &mut Report, (read, written): (usize, usize), is_ascii: bool) {
        if let Some(verdict) = &mut self.verdict {
            verdict.ascii = is_ascii;
        }
        report.verdict = self.verdict.take();
        report.from = self.from.take();
        report.read_as = self.read_as.take();
        report.diagnostics = std::mem::take(&mut self.diagnostics);
        report.bytes_in = read as u64;
        report.bytes_out = written as u64;
    }

    /// Takes back what is kept, and empties the report.
    pub(super) fn put_back(&mut self, report: &mut Report) {
        self.verdict = report.verdict.take();
        self.from = report.from.take();
        self.read_as = report.read_as.take();
        self.diagnostics = std::mem::take(&mut report.diagnostics);
        report.bytes_in = 0;
        report.bytes_out = 0;
    }
}
