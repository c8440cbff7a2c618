//! Checks whether the contents of an input are valid in the encoding that was found. `spec/contents.md` describes the
//! rules.

use super::binary::{self, SAMPLE_BYTES};
use super::statistics::{self, Assessment, Looks, WINDOW};
use super::verdict::{Diagnostic, Kind, Source, Verdict};
use crate::codec::{Codec, Decoder, Utf8Sink, char_of_byte, decode_strictly, drive, is_ebcdic, is_utf8};
use crate::error::ErrorKind;
use crate::hex::Hex;
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
    sample: Sample,
    label: Option<LabelWatch>,
    is_ascii: bool,
    /// How many bytes were taken, including the byte order mark.
    taken: u64,
}

impl Contents {
    /// Starts at `offset` of an input that `codec` decodes: after the byte order mark.
    pub(super) fn new(codec: Option<&Arc<dyn Codec>>, offset: usize) -> Self {
        let other = codec.filter(|codec| !is_utf8(&***codec));
        Contents {
            decoder: other.map(|codec| codec.decoder()),
            malformed: None,
            utf8: Utf8Watch::new(offset as u64),
            sample: Sample::default(),
            label: other.and_then(|codec| LabelWatch::new(&**codec, offset as u64)),
            is_ascii: true,
            taken: offset as u64,
        }
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, src: &[u8]) {
        self.is_ascii &= src.is_ascii();
        self.utf8.feed(src);
        if let Some(label) = &mut self.label {
            label.feed(src);
        }
        if self.malformed.is_none() && self.decoder.is_some() {
            self.decode(src, false);
        }
        self.taken += src.len() as u64;
        self.sample.feed(src, self.taken, self.utf8.malformed_at());
    }

    /// Takes the end of the input.
    pub(super) fn end(&mut self) {
        self.utf8.end();
        self.sample.feed(&[], self.taken, self.utf8.malformed_at());
        if let Some(label) = &mut self.label {
            label.end();
        }
        if self.malformed.is_none() && self.decoder.is_some() {
            self.decode(&[], true);
        }
    }

    /// Decodes `src` up to the first error. The transcoder reports a codec that breaks its contract.
    fn decode(&mut self, src: &[u8], ended: bool) {
        let Some(decoder) = &mut self.decoder else { return };
        let mut read = self.taken;
        drive(&mut **decoder, src, ended, &mut [0; 4096], |step| {
            read += step.read as u64;
            let Some(fault) = step.fault else { return true };
            let start = read.saturating_sub(u64::from(fault.len) + u64::from(fault.after));
            let bytes = (start..start + u64::from(fault.len))
                .filter_map(|at| src.get(usize::try_from(at.checked_sub(self.taken)?).ok()?).copied());
            self.malformed = Some((start, bytes.collect()));
            false
        });
    }

    /// Completes the verdict. `window`: the first bytes of the input, without the byte order mark; `complete`: they are
    /// all of it.
    pub(super) fn judge(&self, verdict: &mut Verdict, window: &[u8], complete: bool, registry: &Registry) {
        verdict.ascii &= self.is_ascii;
        let Some(codec) = verdict.codec.clone() else { return };
        if let Some(looks) = self.binary(verdict, &*codec, window, registry) {
            return self.refuse(verdict, looks);
        }
        let malformed = match self.decoder {
            Some(_) => self.malformed.clone(),
            None => self.utf8.malformed.map(|(at, sequence)| (at, sequence.as_bytes().to_vec())),
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
                verdict.diagnostics.extend(looks_like(looks));
                verdict.error.get_or_insert_with(|| {
                    ErrorKind::UnknownEncoding { offset, looks: looks.in_words(), is_utf8: false }.into()
                });
            }
            Some((offset, bytes)) if verdict.is_believed() || verdict.source == Some(Source::User) => {
                verdict.diagnostics.push(contents_contradict(codec.name(), offset, &bytes));
            }
            Some(_) => {}
            None => self.judge_valid(verdict, &*codec, window),
        }
    }

    /// Returns what a message calls the input, if it is not text and nothing says what it is.
    fn binary(&self, verdict: &Verdict, codec: &dyn Codec, window: &[u8], registry: &Registry) -> Option<&'static str> {
        if !may_be_binary(verdict) {
            return None;
        }
        binary::signature(window).or_else(|| {
            let is_binary = has_readable_binary(codec)
                && self.utf8.malformed_at().is_some_and(|at| at < WINDOW as u64)
                && self.sample.bytes().is_some_and(|sample| statistics::is_binary(sample, registry))
                && !matches!(
                    statistics::assess(window, false, registry).looks,
                    Some(Looks::Ebcdic | Looks::Utf16Le | Looks::Utf16Be | Looks::Utf32Le | Looks::Utf32Be)
                );
            is_binary.then(|| Looks::Binary.in_words())
        })
    }

    /// Makes it the verdict that the input is not text.
    fn refuse(&self, verdict: &mut Verdict, looks: &'static str) {
        refuse_binary(verdict, self.utf8.malformed_at(), looks);
    }

    /// Adds what is odd about contents that the codec decodes.
    fn judge_valid(&self, verdict: &mut Verdict, codec: &dyn Codec, window: &[u8]) {
        if let Some(looks) = statistics::wide(window).filter(|_| verdict.source == Some(Source::Default)) {
            verdict.looks = Some(looks);
            verdict.ascii = false;
            verdict.diagnostics.extend(looks_like(looks));
        }
        if verdict.ascii && verdict.source == Some(Source::Default) && verdict.kind == Kind::Text {
            verdict.diagnostics.extend(statistics::escapes(window).map(looks_like_escapes));
        }
        let doubt = self.label.as_ref().and_then(|label| label.doubt(codec, verdict.source, None));
        verdict.diagnostics.extend(doubt);
    }
}

/// Whether an input that is not text may be refused: nothing names its encoding, marks it or declares it.
pub(crate) fn may_be_binary(verdict: &Verdict) -> bool {
    let is_open = matches!(verdict.source, Some(Source::Default | Source::Fallback | Source::Statistics));
    is_open && verdict.kind != Kind::Xml && verdict.error.is_none()
}

/// Makes it the verdict that the input is not text. `malformed_at`: the position of the first bytes that are not UTF-8.
pub(crate) fn refuse_binary(verdict: &mut Verdict, malformed_at: Option<u64>, looks: &'static str) {
    verdict.looks = Some(Looks::Binary);
    verdict.encoding = None;
    verdict.codec = None;
    verdict.ascii &= malformed_at.is_none();
    let (offset, is_utf8) = (malformed_at.unwrap_or(0), malformed_at.is_none());
    verdict.error = Some(ErrorKind::UnknownEncoding { offset, looks, is_utf8 }.into());
}

/// Whether input in this charset shows by its bytes that it is not text. In UTF-16, UTF-32, EBCDIC and the charsets of
/// escape sequences, bytes that are control characters in ASCII are a part of text.
pub(crate) fn has_readable_binary(codec: &dyn Codec) -> bool {
    let escapes = ["ISO-2022", "HZ-", "UTF-7"];
    decode_strictly(codec, b"Az 09~").as_deref() == Some("Az 09~")
        && !escapes.iter().any(|prefix| codec.name().starts_with(prefix))
}

/// Returns the warning that `bytes` at `offset` are malformed in the encoding that was found, `codec`.
pub(crate) fn contents_contradict(codec: &str, offset: u64, bytes: &[u8]) -> Diagnostic {
    let message = format!("the input is not valid {codec}: {}", in_hex(bytes));
    Diagnostic::warning(CONTENTS_CONTRADICT, offset, message)
}

/// The code of that warning.
pub(crate) const CONTENTS_CONTRADICT: &str = "contents-contradict";

/// Returns the diagnostic about what an input looks like that nothing identifies, if there is one.
pub(crate) fn looks_like(looks: Looks) -> Option<Diagnostic> {
    if looks == Looks::Ebcdic {
        return Some(Diagnostic::hint("looks-like-ebcdic", 0, "looks like EBCDIC"));
    }
    let (code, name) = match looks {
        Looks::Utf16Le => ("looks-like-utf16", "UTF-16LE"),
        Looks::Utf16Be => ("looks-like-utf16", "UTF-16BE"),
        Looks::Utf32Le => ("looks-like-utf32", "UTF-32LE"),
        Looks::Utf32Be => ("looks-like-utf32", "UTF-32BE"),
        _ => return None,
    };
    Some(Diagnostic::warning(code, 0, format!("looks like {name} without a byte order mark")))
}

/// Returns the hint that ASCII has the escape sequences of another charset. The charset is not chosen for that: a
/// filter that takes the text for ASCII sees other text.
fn looks_like_escapes(codec: &str) -> Diagnostic {
    Diagnostic::hint("looks-like-escapes", 0, format!("looks like {codec}, but is read as ASCII unless you ask for it"))
}

fn in_hex(bytes: &[u8]) -> String {
    if bytes.is_empty() { "it ends within a character".to_owned() } else { Hex(bytes).to_string() }
}

/// Returns whether the codec has a character, or an error, for each byte by itself.
pub(crate) fn is_single_byte(codec: &dyn Codec) -> bool {
    let mut is_single_byte = false;
    codec.with_decoder(&mut |decoder| {
        let mut room = [0; 4 * crate::codec::MIN_ROOM];
        let is_bytewise = decoder.is_bytewise();
        let mut is_whole = |byte: u8| {
            decoder.reset();
            _ = decoder.feed(&[byte], &mut Utf8Sink::new(&mut room));
            decoder.pending() == 0
        };
        is_single_byte = is_bytewise || (0x80..=0xFF).all(&mut is_whole);
    });
    is_single_byte
}

/// Reads an input that is decoded by a single-byte charset, and notes the evidence against that label.
#[derive(Clone)]
pub(crate) struct LabelWatch {
    utf8: Utf8Watch,
    /// The position of the first byte from 80 to 9F, which are letters in windows-1252; looked for in ISO-8859-1 only.
    c1: Option<u64>,
    looks_for_c1: bool,
    is_ebcdic: bool,
    /// Whether every byte outside ASCII becomes several bytes of UTF-8, once that was asked.
    grows: Option<bool>,
    /// The position of the first byte in the window that is a space, a newline or `e` in ASCII; looked for in EBCDIC
    /// only.
    ascii: Option<u64>,
    taken: u64,
}

impl LabelWatch {
    /// Starts at `offset` of an input. Returns `None` if `codec` is not a single-byte charset.
    pub(crate) fn new(codec: &dyn Codec, offset: u64) -> Option<Self> {
        is_single_byte(codec).then(|| LabelWatch {
            utf8: Utf8Watch::new(offset),
            c1: None,
            looks_for_c1: codec.name() == "ISO-8859-1",
            is_ebcdic: is_ebcdic(codec),
            grows: None,
            ascii: None,
            taken: offset,
        })
    }

    /// The same watch, which starts at `offset` of another input.
    pub(crate) fn restarted(self, offset: u64) -> Self {
        LabelWatch { utf8: Utf8Watch::new(offset), c1: None, ascii: None, taken: offset, ..self }
    }

    /// The offsets that it may report, as far as they are known.
    pub(crate) fn found(&self) -> [Option<u64>; 2] {
        [self.utf8.multi_byte.map(|(at, _)| at), self.c1]
    }

    /// How many bytes it has seen, with those before its beginning.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether no byte that follows makes a difference.
    pub(crate) fn is_settled(&self) -> bool {
        self.utf8.malformed.is_some() && (self.c1.is_some() || !self.looks_for_c1)
    }

    /// Whether bytes that `codec` decodes to as many bytes of UTF-8 make no difference to it: they are ASCII, because
    /// every other byte becomes several.
    pub(crate) fn ignores_same(&mut self, codec: &dyn Codec) -> bool {
        let grows = || {
            let decoder = codec.decoder();
            let is_same = |byte: u8| char_of_byte(&*decoder, byte).is_some_and(|ch| ch.is_ascii());
            decoder.is_bytewise() && !(0x80..=0xFF).any(is_same)
        };
        self.utf8.cut.is_empty() && !self.is_ebcdic && *self.grows.get_or_insert_with(grows)
    }

    /// Goes past ASCII.
    pub(crate) fn pass(&mut self, len: usize) {
        self.utf8.taken += len as u64;
        self.taken += len as u64;
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, src: &[u8]) {
        self.utf8.feed(src);
        if self.is_ebcdic && self.ascii.is_none() {
            // After the first malformed sequence it makes no difference any more.
            let malformed = self.utf8.malformed.map(|(at, sequence)| at + sequence.len as u64);
            let end = malformed.unwrap_or(u64::MAX).min(WINDOW as u64).saturating_sub(self.taken);
            let window = &src[..(src.len() as u64).min(end) as usize];
            let at = window.iter().position(|byte| matches!(byte, b' ' | b'\n' | b'e'));
            self.ascii = at.map(|at| self.taken + at as u64);
        }
        if self.looks_for_c1 && self.c1.is_none() {
            self.c1 = first_c1(src).map(|at| self.taken + at as u64);
        }
        self.taken += src.len() as u64;
    }

    /// Takes the end of the input.
    pub(crate) fn end(&mut self) {
        self.utf8.end();
    }

    /// Returns the evidence against `codec`, which `source` named, in the bytes up to the one at the offset `last`, or
    /// in all of them. Bytes after it make no difference.
    pub(crate) fn doubt(&self, codec: &dyn Codec, source: Option<Source>, last: Option<u64>) -> Option<Diagnostic> {
        let is_known = |at: u64| last.is_none_or(|last| at <= last);
        let is_named = matches!(source, Some(Source::Charset | Source::Declaration | Source::Meta));
        let note = if is_named { Diagnostic::warning } else { Diagnostic::hint };
        let has_malformed = self.utf8.malformed.is_some_and(|(at, sequence)| is_known(at + sequence.len as u64));
        // A short word in EBCDIC can be valid UTF-8, such as C8 89 for "Hi", but has none of these bytes.
        let is_utf8 = !has_malformed && (!self.is_ebcdic || self.ascii.is_some_and(is_known));
        let multi_byte = self.utf8.multi_byte.filter(|(at, len)| is_utf8 && is_known(at + len - 1));
        if let Some((offset, _)) = multi_byte {
            let message = format!("decoded as {}, but every byte outside ASCII is part of valid UTF-8", codec.name());
            return Some(note("looks-like-utf8", offset, message));
        }
        let message = "bytes from 80 to 9F are control characters in ISO-8859-1 and letters in windows-1252";
        let c1 = self.c1.filter(|at| is_known(*at));
        c1.map(|offset| note("looks-like-windows-1252", offset, message.to_owned()))
    }
}

/// Returns where the first byte from 80 to 9F is.
fn first_c1(src: &[u8]) -> Option<usize> {
    const STRIDE: usize = 1024;
    let is_c1 = |byte: &u8| byte ^ 0x80 < 0x20;
    // A minimum without an exit within a stride is what the compiler makes the fewest instructions of.
    let has_c1 = |stride: &[u8]| stride.iter().fold(0xFF, |least, byte| (byte ^ 0x80).min(least)) < 0x20;
    let at = src.chunks(STRIDE).position(has_c1)? * STRIDE;
    src[at..].iter().position(is_c1).map(|index| at + index)
}

/// The bytes around the first sequence that is not UTF-8. They show whether an input is binary.
#[derive(Clone, Default)]
pub(crate) struct Sample {
    bytes: Vec<u8>,
    /// How many of them come before the sequence, once that is found.
    before: Option<usize>,
}

impl Sample {
    /// Takes the bytes that end at offset `taken` of the input, as far as they belong to it. `malformed_at`: where the
    /// first sequence is that is not UTF-8, if it begins before `taken`.
    pub(crate) fn feed(&mut self, src: &[u8], taken: u64, malformed_at: Option<u64>) {
        let Some(at) = malformed_at else { return self.pass(src) };
        match self.before {
            Some(_) => _ = self.take(src),
            None => {
                let from = (taken - at) as usize;
                let (passed, rest) = src.split_at(src.len() - from.min(src.len()));
                self.pass(passed);
                self.begin(from - rest.len());
                self.take(rest);
            }
        }
    }

    /// Forgets everything, for another input.
    pub(crate) fn reset(&mut self) {
        self.bytes.clear();
        self.before = None;
    }

    /// Takes bytes that come before the sequence.
    pub(crate) fn pass(&mut self, src: &[u8]) {
        if src.len() >= SAMPLE_BYTES {
            self.bytes.clear();
        } else if self.bytes.len() >= 4 * SAMPLE_BYTES {
            self.bytes.drain(..self.bytes.len() - SAMPLE_BYTES);
        }
        self.bytes.extend_from_slice(&src[src.len().saturating_sub(SAMPLE_BYTES)..]);
    }

    /// The sequence began with the last `len` bytes.
    pub(crate) fn begin(&mut self, len: usize) {
        let before = self.bytes.len().saturating_sub(len);
        let extra = before.saturating_sub(SAMPLE_BYTES);
        self.bytes.drain(..extra);
        self.before = Some(before - extra);
    }

    /// Takes bytes from there on, as many as are wanted. Returns how many.
    pub(crate) fn take(&mut self, src: &[u8]) -> usize {
        let Some(before) = self.before else { return 0 };
        let len = src.len().min((before + SAMPLE_BYTES).saturating_sub(self.bytes.len()));
        self.bytes.extend_from_slice(&src[..len]);
        len
    }

    /// Returns the bytes, if the sequence was found.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.before.map(|_| &self.bytes[..])
    }

    /// Returns the bytes that have passed so far.
    pub(crate) fn passed(&self) -> &[u8] {
        &self.bytes
    }
}

/// The bytes of a sequence of UTF-8 that is not complete, or malformed. It has four bytes at most.
#[derive(Clone, Copy, Default)]
struct Cut {
    bytes: [u8; 4],
    len: usize,
}

impl Cut {
    fn of(bytes: &[u8]) -> Self {
        let mut cut = Cut::default();
        bytes.iter().for_each(|byte| cut.push(*byte));
        cut
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Looks for the first invalid sequence of UTF-8, and the first valid one of several bytes.
#[derive(Clone, Default)]
pub(crate) struct Utf8Watch {
    /// A sequence that the end of a piece cut.
    cut: Cut,
    taken: u64,
    malformed: Option<(u64, Cut)>,
    /// Where the first sequence of several bytes begins, and its length.
    multi_byte: Option<(u64, u64)>,
}

impl Utf8Watch {
    pub(crate) fn new(taken: u64) -> Self {
        Utf8Watch { cut: Cut::default(), taken, malformed: None, multi_byte: None }
    }

    /// How many bytes it has seen, with those before its beginning, up to the first malformed sequence.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// How many of the last bytes are a sequence that may still become valid.
    pub(crate) fn pending(&self) -> usize {
        self.cut.len
    }

    /// Returns where the first malformed sequence begins.
    pub(crate) fn malformed_at(&self) -> Option<u64> {
        self.malformed.as_ref().map(|(offset, _)| *offset)
    }

    pub(crate) fn feed(&mut self, src: &[u8]) {
        if self.malformed.is_none() && self.cut.is_empty() && src.is_ascii() {
            self.taken += src.len() as u64;
            return;
        }
        let mut rest = src;
        while self.malformed.is_none() && !self.cut.is_empty() && !rest.is_empty() {
            let mut sequence = std::mem::take(&mut self.cut);
            sequence.push(rest[0]);
            let start = self.taken - (sequence.len as u64 - 1);
            match str::from_utf8(sequence.as_bytes()) {
                Ok(_) => _ = self.multi_byte.get_or_insert((start, sequence.len as u64)),
                Err(error) if error.error_len().is_none() => self.cut = sequence,
                Err(error) => {
                    let len = error.error_len().unwrap_or(1);
                    self.malformed = Some((start, Cut::of(&sequence.as_bytes()[..len])));
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
                    None => self.cut = Cut::of(&rest[at..]),
                    Some(len) => self.malformed = Some((self.taken + at as u64, Cut::of(&rest[at..at + len]))),
                }
                at
            }
        };
        if self.multi_byte.is_none() {
            let first = rest[..valid].iter().position(|byte| !byte.is_ascii());
            // The lead byte says how long the sequence is: two bytes from C2 on, three from E0 on, four from F0 on.
            let len = |lead: u8| 2 + u64::from(lead >= 0xE0) + u64::from(lead >= 0xF0);
            self.multi_byte = first.map(|at| (self.taken + at as u64, len(rest[at])));
        }
        self.taken += rest.len() as u64;
    }

    pub(crate) fn end(&mut self) {
        if self.malformed.is_none() && !self.cut.is_empty() {
            let sequence = std::mem::take(&mut self.cut);
            self.malformed = Some((self.taken - sequence.len as u64, sequence));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_c1() {
        for byte in 0..=255u8 {
            let is_c1 = (0x80..=0x9F).contains(&byte);
            for at in [0, 1, 1023, 1024, 2500] {
                let mut input = [b'a', 0xA0, 0x7F].repeat(1000);
                input[at] = byte;
                assert_eq!(first_c1(&input), is_c1.then_some(at), "{byte:02X} at {at}");
            }
        }
        assert_eq!(first_c1(b"ab\x9F\x80"), Some(2));
    }

    /// The sample has as many bytes on either side of the sequence, or all that there are, however the input is cut.
    #[test]
    fn a_sample_is_around_the_sequence() {
        let n = SAMPLE_BYTES;
        for (at, len) in
            [(0, 1), (0, 3 * n), (n - 1, n + 3), (n, 2 * n), (n + 1, 2 * n), (5 * n, 7 * n), (5 * n + 7, 6 * n)]
        {
            let input: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let expected = &input[at.saturating_sub(n)..len.min(at + n)];
            // The sequence is found with its last byte.
            for (piece, sequence) in [(1, 1), (1, 4), (3, 2), (700, 1), (n, 3), (n + 1, 1), (len, 1)] {
                let (mut sample, mut taken) = (Sample::default(), 0);
                for src in input.chunks(piece) {
                    taken += src.len();
                    let malformed_at = (taken >= (at + sequence).min(len)).then_some(at as u64);
                    sample.feed(src, taken as u64, malformed_at);
                }
                assert!(sample.bytes() == Some(expected), "{len} bytes, {sequence} at {at}, pieces of {piece}");
            }
        }
    }
}
