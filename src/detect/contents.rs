//! Compares the contents of an input with the encoding that was found, so that a verdict does not claim more than the
//! bytes allow. `spec/contents.md` has the rules.

use super::binary;
use super::statistics::{self, Assessment, Looks};
use super::verdict::{Diagnostic, Kind, Source, Verdict};
use crate::codec::{Codec, Decoder, Stop, Utf8Sink, is_ebcdic, is_utf8};
use crate::error::ErrorKind;
use crate::registry::Registry;
use std::sync::Arc;

/// Reads the contents of an input, piece by piece, and notes where they contradict the encoding.
#[derive(Default)]
pub(super) struct Contents {
    /// The codec whose errors count; `None` for UTF-8, which `utf8` checks.
    decoder: Option<Box<dyn Decoder>>,
    /// The position of the first bytes that the decoder rejects, and those bytes.
    malformed: Option<(u64, Vec<u8>)>,
    utf8: Utf8Watch,
    /// The position of the first byte from 80 to 9F.
    c1: Option<u64>,
    is_ascii: bool,
    /// How many bytes were taken, including the byte order mark.
    taken: u64,
    is_single_byte: bool,
}

impl Contents {
    /// Starts at `offset` of an input that `codec` decodes: after the byte order mark.
    pub(super) fn new(codec: Option<&Arc<dyn Codec>>, offset: usize) -> Self {
        let other = codec.filter(|codec| !is_utf8(&***codec));
        Contents {
            decoder: other.map(|codec| codec.decoder()),
            malformed: None,
            utf8: Utf8Watch::new(offset as u64),
            c1: None,
            is_ascii: true,
            taken: offset as u64,
            is_single_byte: other.is_some_and(|codec| is_single_byte(&**codec)),
        }
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, src: &[u8]) {
        let ascii = src.iter().position(|byte| !byte.is_ascii());
        self.is_ascii &= ascii.is_none();
        self.utf8.feed(src);
        if self.c1.is_none() {
            self.c1 = src.iter().position(|byte| (0x80..0xA0).contains(byte)).map(|at| self.taken + at as u64);
        }
        if self.malformed.is_none() && self.decoder.is_some() {
            self.decode(src, false);
        }
        self.taken += src.len() as u64;
    }

    /// Takes the end of the input.
    pub(super) fn end(&mut self) {
        self.utf8.end();
        if self.malformed.is_none() && self.decoder.is_some() {
            self.decode(&[], true);
        }
    }

    /// Decodes `src` up to the first error.
    fn decode(&mut self, src: &[u8], ended: bool) {
        let Some(decoder) = &mut self.decoder else { return };
        let mut room = [0; 4096];
        let mut read = 0;
        loop {
            let mut sink = Utf8Sink::new(&mut room);
            let rest = src.get(read..).unwrap_or_default();
            let (len, stop) = match rest.is_empty() && ended {
                true => (0, decoder.finish(&mut sink)),
                false => {
                    let step = decoder.feed(rest, &mut sink);
                    (step.read, step.stop)
                }
            };
            read += len;
            match stop {
                Stop::InputEmpty => return,
                Stop::OutputFull if len > 0 || sink.written() > 0 => {}
                // A codec that makes no progress has broken its contract, which the transcoder reports.
                Stop::OutputFull => return,
                Stop::Fault(fault) => {
                    let end = self.taken + read as u64;
                    let start = end.saturating_sub(u64::from(fault.len) + u64::from(fault.after));
                    let bytes = (start..start + u64::from(fault.len))
                        .filter_map(|at| src.get(usize::try_from(at.checked_sub(self.taken)?).ok()?).copied());
                    self.malformed = Some((start, bytes.collect()));
                    return;
                }
            }
        }
    }

    /// Completes the verdict. `window`: the first bytes of the input, without the byte order mark; `complete`: they are
    /// all of it.
    pub(super) fn judge(&self, verdict: &mut Verdict, window: &[u8], complete: bool, registry: &Registry) {
        verdict.ascii &= self.is_ascii;
        if binary::has_signature(window) && verdict.source == Some(Source::Default) {
            verdict.looks = Some(Looks::Binary);
        }
        let Some(codec) = verdict.codec.clone() else { return };
        let malformed = match self.decoder {
            Some(_) => self.malformed.clone(),
            None => self.utf8.malformed.clone(),
        };
        match malformed {
            Some((offset, _)) if verdict.source == Some(Source::Default) && verdict.kind != Kind::Xml => {
                let Assessment { looks, .. } = statistics::assess(window, complete, registry);
                // The window itself may be valid, if the whole input was read.
                let valid = if window.is_ascii() { Looks::Legacy } else { Looks::Mixed };
                let looks = looks.or(verdict.looks).unwrap_or(valid);
                verdict.looks = Some(looks);
                verdict.encoding = None;
                verdict.codec = None;
                verdict.diagnostics.extend(looks_wide(looks));
                if looks == Looks::Ebcdic {
                    verdict.diagnostics.push(Diagnostic::hint("looks-like-ebcdic", 0, "looks like EBCDIC"));
                }
                verdict
                    .error
                    .get_or_insert_with(|| ErrorKind::UnknownEncoding { offset, looks: looks.in_words() }.into());
            }
            Some((offset, bytes)) if verdict.is_believed() || verdict.source == Some(Source::User) => {
                verdict.diagnostics.push(contents_contradict(codec.name(), offset, &bytes));
            }
            Some(_) => {}
            None => self.judge_valid(verdict, &*codec, window),
        }
    }

    /// Adds what is odd about contents that the codec decodes.
    fn judge_valid(&self, verdict: &mut Verdict, codec: &dyn Codec, window: &[u8]) {
        if let Some(looks) = statistics::wide(window).filter(|_| verdict.source == Some(Source::Default)) {
            verdict.looks = Some(looks);
            verdict.ascii = false;
            verdict.diagnostics.extend(looks_wide(looks));
        }
        // A short word in EBCDIC can be valid UTF-8, such as C8 89 for "Hi", but has none of these bytes.
        let has_ascii = window.iter().any(|byte| matches!(byte, b' ' | b'\n' | b'e'));
        let is_utf8 = self.utf8.malformed.is_none() && (has_ascii || !is_ebcdic(codec));
        if let Some(offset) = self.utf8.multi_byte.filter(|_| is_utf8 && self.is_single_byte) {
            let message = format!("decoded as {}, but every byte outside ASCII is part of valid UTF-8", codec.name());
            verdict.diagnostics.push(Diagnostic::hint("looks-like-utf8", offset, message));
        } else if let Some(offset) = self.c1.filter(|_| codec.name() == "ISO-8859-1") {
            let message = "bytes from 80 to 9F are control characters in ISO-8859-1 and letters in windows-1252";
            verdict.diagnostics.push(Diagnostic::hint("looks-like-windows-1252", offset, message));
        }
    }
}

/// Returns the warning that `bytes` at `offset` are malformed in the encoding that was found, `codec`.
pub(crate) fn contents_contradict(codec: &str, offset: u64, bytes: &[u8]) -> Diagnostic {
    let message = format!("the input is not valid {codec}: {}", in_hex(bytes));
    Diagnostic::warning("contents-contradict", offset, message)
}

/// Returns the warning that the input looks like UTF-16 or UTF-32.
pub(super) fn looks_wide(looks: Looks) -> Option<Diagnostic> {
    let (code, name) = match looks {
        Looks::Utf16Le => ("looks-like-utf16", "UTF-16LE"),
        Looks::Utf16Be => ("looks-like-utf16", "UTF-16BE"),
        Looks::Utf32Le => ("looks-like-utf32", "UTF-32LE"),
        Looks::Utf32Be => ("looks-like-utf32", "UTF-32BE"),
        _ => return None,
    };
    Some(Diagnostic::warning(code, 0, format!("looks like {name} without a byte order mark")))
}

fn in_hex(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    if hex.is_empty() { "it ends within a character".to_owned() } else { hex.join(" ") }
}

/// Returns whether the codec has a character, or an error, for each byte by itself.
fn is_single_byte(codec: &dyn Codec) -> bool {
    let mut decoder = codec.decoder();
    let mut room = [0; 4 * crate::codec::MIN_ROOM];
    (0x80..=0xFFu8).all(|byte| {
        decoder.reset();
        _ = decoder.feed(&[byte], &mut Utf8Sink::new(&mut room));
        decoder.pending() == 0
    })
}

/// Looks for the first invalid sequence of UTF-8, and the first valid one of several bytes.
#[derive(Default)]
struct Utf8Watch {
    /// A sequence that the end of a piece cut.
    cut: Vec<u8>,
    taken: u64,
    malformed: Option<(u64, Vec<u8>)>,
    multi_byte: Option<u64>,
}

impl Utf8Watch {
    fn new(taken: u64) -> Self {
        Utf8Watch { cut: Vec::new(), taken, malformed: None, multi_byte: None }
    }

    fn feed(&mut self, src: &[u8]) {
        let mut rest = src;
        while self.malformed.is_none() && !self.cut.is_empty() && !rest.is_empty() {
            let mut sequence = std::mem::take(&mut self.cut);
            sequence.push(rest[0]);
            let start = self.taken - (sequence.len() as u64 - 1);
            match str::from_utf8(&sequence) {
                Ok(_) => _ = self.multi_byte.get_or_insert(start),
                Err(error) if error.error_len().is_none() => self.cut = sequence,
                Err(error) => {
                    sequence.truncate(error.error_len().unwrap_or(1));
                    self.malformed = Some((start, sequence));
                }
            }
            rest = &rest[1..];
            self.taken += 1;
        }
        if self.malformed.is_some() {
            return;
        }
        let valid = match str::from_utf8(rest) {
            Ok(text) => text.len(),
            Err(error) => {
                let at = error.valid_up_to();
                match error.error_len() {
                    None => self.cut = rest[at..].to_vec(),
                    Some(len) => self.malformed = Some((self.taken + at as u64, rest[at..at + len].to_vec())),
                }
                at
            }
        };
        if self.multi_byte.is_none() {
            let first = rest[..valid].iter().position(|byte| !byte.is_ascii());
            self.multi_byte = first.map(|at| self.taken + at as u64);
        }
        self.taken += rest.len() as u64;
    }

    fn end(&mut self) {
        if self.malformed.is_none() && !self.cut.is_empty() {
            let sequence = std::mem::take(&mut self.cut);
            self.malformed = Some((self.taken - sequence.len() as u64, sequence));
        }
    }
}
