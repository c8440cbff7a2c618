//! The detector: reads bytes until it has a verdict.

use super::binary;
use super::contents::{self, Contents};
use super::decide::Input;
use super::declaration::{Scanned, Scanner};
use super::hints::Hints;
use super::known::Known;
use super::signature;
use super::start::{self, Start};
use super::statistics;
use super::verdict::{Diagnostic, Severity, Source, Verdict};
use super::window::{self, Reach, may_be_wide};
use crate::codec::{Codec, FirstChar, decodes, first_char};
use crate::error::ErrorKind;
use crate::registry::Registry;
use std::sync::Arc;

/// Detects the encoding of a stream.
///
/// ```
/// use charpipe::{Detector, Registry, detect::Hints};
///
/// let mut detector = Detector::new(Registry::builtin(), Hints::default());
/// let input = b"\x00\x3C\x00\x3F\x00x\x00m\x00l\x00?\x00>\x00<";
/// let taken = input.chunks(3).map(|chunk| detector.feed(chunk)).sum::<usize>();
/// let verdict = detector.finish();
/// assert_eq!(verdict.codec.as_ref().map(|codec| codec.name()), Some("UTF-16BE"));
/// assert_eq!(verdict.rule, Some("rfc7303:family"));
/// // It still holds what it took: all of this short input.
/// assert_eq!(detector.prefix(), &input[..taken]);
/// ```
pub struct Detector {
    known: Known,
    reach: Reach,
    prefix: Vec<u8>,
    /// How many bytes of EBCDIC white space the input begins with.
    white_space: usize,
    /// Whether the input ends with the prefix.
    ended: bool,
    state: State,
}

/// The findings from the first bytes of an input that may be plain text.
pub(crate) enum PlainStart {
    /// It is plain text: nothing in it decides about its encoding. So many bytes show that.
    Plain(usize),
    /// More bytes are needed.
    Open,
    /// It is something else, or may be.
    Other,
}

#[allow(clippy::large_enum_variant, reason = "a detector has one, and it grows large in any case")]
enum State {
    Signature,
    Document {
        start: Start,
        scanner: Scanner,
        /// How many bytes a decision needs in total. Known when the declaration has been read.
        needed: Option<usize>,
    },
    /// The verdict is known, and the rest of the input is compared with it.
    Whole(Box<(Verdict, Contents)>),
    Done(Box<Verdict>),
}

impl Detector {
    /// Creates a detector that looks labels up in `registry`.
    ///
    /// Under the default policy it reads the first 64 KiB of the input, and checks whether they are valid in the
    /// encoding that it found.
    pub fn new(registry: Registry, hints: Hints) -> Self {
        Detector::reaching(Reach::Window, registry, hints)
    }

    /// Creates a detector that reads the whole input and, under the default policy, checks whether it is valid in the
    /// encoding that was found. It keeps only the first 64 KiB in memory.
    ///
    /// ```
    /// use charpipe::{Detector, Registry, detect::Hints};
    ///
    /// let input = [&[b'a'; 70_000][..], b"\xE9"].concat();
    /// let mut detector = Detector::whole(Registry::builtin(), Hints::default());
    /// assert_eq!(detector.feed(&input), 70_001);
    /// let error = detector.finish().error.unwrap();
    /// assert_eq!((error.code(), error.offset()), ("unknown-encoding", Some(70_000)));
    /// ```
    pub fn whole(registry: Registry, hints: Hints) -> Self {
        Detector::reaching(Reach::Whole, registry, hints)
    }

    /// Creates a detector for a conversion, which finds errors in the contents itself. It takes no more
    /// bytes than the policy needs, so that output can begin.
    pub(crate) fn for_conversion(registry: Registry, hints: Hints) -> Self {
        Detector::reaching(Reach::Head, registry, hints)
    }

    fn reaching(reach: Reach, registry: Registry, hints: Hints) -> Self {
        let known = Known::new(registry, hints);
        Detector { known, reach, prefix: Vec::new(), white_space: 0, ended: false, state: State::Signature }
    }

    /// Goes back to the beginning, for another input.
    pub(crate) fn reset(&mut self) {
        self.prefix.clear();
        (self.white_space, self.ended, self.state) = (0, false, State::Signature);
    }

    /// Takes bytes until there is a verdict and returns how many it took. If it took fewer than it was given, there is
    /// a verdict, and the caller still has to handle the remaining bytes.
    pub fn feed(&mut self, src: &[u8]) -> usize {
        let mut taken = 0;
        while taken < src.len() && !self.is_done() {
            taken += self.take(&src[taken..]);
        }
        taken
    }

    /// Takes bytes from the beginning of `src`, which is not empty, and returns how many.
    fn take(&mut self, src: &[u8]) -> usize {
        match &mut self.state {
            State::Signature => {
                self.prefix.push(src[0]);
                self.recognise(false);
                1
            }
            State::Document { scanner, needed: None, .. } => {
                self.prefix.push(src[0]);
                let scanned = scanner.take(src[0]);
                self.scanned(scanned);
                1
            }
            State::Document { needed: Some(needed), .. } => {
                let len = (*needed - self.prefix.len()).min(src.len());
                self.prefix.extend_from_slice(&src[..len]);
                if self.prefix.len() == *needed {
                    self.decide(false);
                }
                len
            }
            State::Whole(whole) => {
                whole.1.feed(src);
                src.len()
            }
            State::Done(_) => 0,
        }
    }

    /// Returns how many bytes of `input`, all of an input, decide about it, if they show nothing: no signature, no byte
    /// order mark, and no white space before a declaration. The detector must be new, and stays so.
    pub(crate) fn plain_start(&self, input: &[u8]) -> Option<usize> {
        let mut white_space = 0;
        // Without the end first: it is known only after all bytes were looked at.
        let ends = (1..=input.len()).map(|len| (len, false)).chain([(input.len(), true)]);
        for (len, eof) in ends {
            let found = start::recognise(&self.known, &input[..len], &mut white_space, eof);
            if let Some((start, reader)) = found {
                let is_plain = start.signature.is_none() && start.after_space.is_none() && start.bom_len == 0;
                let is_wide = self.known.hints.from.is_none() && may_be_wide(&input[..len]);
                let codec = reader.ok().filter(|_| is_plain && !is_wide)?;
                // The search for a declaration ends with the first character.
                let has_char = |len: &usize| first_char(&*codec, &input[..*len]) != FirstChar::Open;
                return (len..input.len()).find(has_char).or(Some(input.len()));
            }
        }
        None
    }

    /// Returns whether the caller named the codec, and [`plain_start`](Self::plain_start) finds no signature in any input
    /// that begins with this byte: then only the mark of the codec itself can make it return `None`.
    pub(crate) fn shows_no_signature(&self, first: u8) -> bool {
        self.known.hints.from.is_some() && !signature::may_begin(first)
    }

    /// Returns what the first bytes of an input that continues show, as [`plain_start`](Self::plain_start) does for a
    /// whole one. The detector must be new, and stays so.
    pub(crate) fn plain_so_far(&self, input: &[u8]) -> PlainStart {
        let mut white_space = 0;
        for len in 1..=input.len() {
            let prefix = &input[..len];
            let Some((start, reader)) = start::recognise(&self.known, prefix, &mut white_space, false) else {
                continue;
            };
            let is_plain = start.signature.is_none() && start.after_space.is_none() && start.bom_len == 0;
            let Some(codec) = reader.ok().filter(|_| is_plain) else { return PlainStart::Other };
            if self.known.hints.from.is_none() && (may_be_wide(prefix) || binary::may_begin_signature(prefix)) {
                return PlainStart::Other;
            }
            // The search for a declaration ends with the first character.
            for len in len..=input.len() {
                match first_char(&*codec, &input[..len]) {
                    FirstChar::Is('<' | '\u{FEFF}') | FirstChar::Malformed => return PlainStart::Other,
                    FirstChar::Is(ch) if ch.is_whitespace() => return PlainStart::Other,
                    FirstChar::Is(_) => return PlainStart::Plain(len),
                    FirstChar::Open => {}
                }
            }
            return PlainStart::Open;
        }
        PlainStart::Open
    }

    /// Returns whether there is a verdict.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_))
    }

    /// Returns the verdict, if there is one.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        match &self.state {
            State::Done(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// Returns the verdict. If there is none yet, the input is taken to end here.
    pub fn finish(&mut self) -> Verdict {
        self.ended |= !self.is_done();
        if matches!(self.state, State::Signature) {
            self.recognise(true);
        }
        self.decide(false);
        if let State::Whole(whole) = &mut self.state {
            let (verdict, mut contents) = (whole.0.clone(), std::mem::take(&mut whole.1));
            contents.end();
            self.complete(verdict, &contents);
        }
        match &self.state {
            State::Done(verdict) => (**verdict).clone(),
            _ => unreachable!("decide leaves a verdict"),
        }
    }

    /// Returns every byte taken so far, including the byte order mark.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    fn recognise(&mut self, eof: bool) {
        let found = start::recognise(&self.known, &self.prefix, &mut self.white_space, eof);
        let Some((start, reader)) = found else { return };
        let reader = match reader {
            Ok(reader) => reader,
            Err(error) => {
                let verdict = self.input(&start).fail(error);
                return self.compare(verdict);
            }
        };
        let mut scanner = Scanner::new(&*reader, start.bom_len as u64);
        if self.known.traits.skips_space {
            scanner = scanner.leniently();
        }
        let mut scanned = Scanned::NeedMore;
        for &byte in &self.prefix[start.bom_len..] {
            scanned = scanner.take(byte);
            if scanned != Scanned::NeedMore {
                break;
            }
        }
        // Without a signature, only the caller's codec can find `<?xml` in the bytes, or white space precedes it.
        if start.signature.is_none() && self.known.hints.from.is_none() && !self.known.traits.skips_space {
            scanned = Scanned::None;
        }
        self.state = State::Document { start, scanner, needed: None };
        self.scanned(scanned);
    }

    fn scanned(&mut self, scanned: Scanned) {
        match scanned {
            Scanned::NeedMore => {}
            Scanned::None | Scanned::Whole => self.look_further(),
            Scanned::TooLong => self.decide(true),
        }
    }

    /// Decides, or first reads as many bytes as the policy and the kind of document require.
    fn look_further(&mut self) {
        let State::Document { start, scanner, needed } = &mut self.state else { return };
        // White space in a family shows the family only if a declaration follows.
        if let Some(row) = start.after_space.take().filter(|_| scanner.is_declaration()) {
            start.signature = Some(row);
        }
        let total = window::needed(&self.known, self.reach, start, self.known.kind(scanner), &self.prefix);
        *needed = Some(total);
        if total <= self.prefix.len() {
            self.decide(false);
        }
    }

    /// Decides by what was read of the document, if the state is that.
    fn decide(&mut self, too_long: bool) {
        if let State::Document { start, scanner, .. } = &self.state {
            let verdict = self.input(start).decide(scanner, too_long);
            self.compare(verdict);
        }
    }

    fn input<'a>(&'a self, start: &'a Start) -> Input<'a> {
        Input { known: &self.known, start, prefix: &self.prefix, ended: self.ended }
    }

    /// Compares the contents with the encoding that was found, as far as they are to be read.
    fn compare(&mut self, mut verdict: Verdict) {
        let window = &self.prefix[verdict.bom_len..];
        if !self.known.traits.checks_contents {
            return self.complete_strictly(verdict);
        }
        if self.reach == Reach::Head {
            let may_be_wide = verdict.source == Some(Source::Default) && may_be_wide(window);
            verdict.looks = may_be_wide.then(|| statistics::wide(window)).flatten();
            verdict.ascii &= verdict.looks.is_none();
            verdict.diagnostics.extend(verdict.looks.and_then(contents::looks_like));
            return self.complete_strictly(verdict);
        }
        let mut contents = Contents::new(verdict.codec.as_ref(), verdict.bom_len);
        contents.feed(window);
        if self.reach == Reach::Whole && !self.ended {
            self.state = State::Whole(Box::new((verdict, contents)));
            return;
        }
        if self.ended {
            contents.end();
        }
        self.complete(verdict, &contents);
    }

    /// Completes the verdict by what was found in the contents.
    fn complete(&mut self, mut verdict: Verdict, contents: &Contents) {
        let window = &self.prefix[verdict.bom_len..];
        let is_all = self.ended && self.reach != Reach::Whole;
        contents.judge(&mut verdict, window, is_all, &self.known.registry);
        self.choose_fallback(&mut verdict);
        self.complete_strictly(verdict);
    }

    /// Chooses among several fallbacks: the first that decodes the bytes that were examined, or else the last. A
    /// conversion chooses by itself, from more bytes.
    fn choose_fallback(&self, verdict: &mut Verdict) {
        let further = &self.known.hints.further_fallbacks;
        let first =
            self.known.hints.fallback.as_ref().filter(|_| !further.is_empty() && !matches!(self.reach, Reach::Head));
        let is_used = verdict.source == Some(Source::Fallback) && verdict.error.is_none();
        let Some(first) = first.filter(|_| is_used) else { return };
        if verdict.codec.as_ref().is_some_and(|codec| codec.name() == first.name()) {
            let fits = |codec: &&Arc<dyn Codec>| decodes(&***codec, &self.prefix, self.ended);
            let chosen = [first].into_iter().chain(further).find(fits).or(further.last());
            verdict.encoding = chosen.map(|codec| codec.name().to_owned());
            verdict.codec = chosen.cloned();
        }
    }

    /// Finds the lines and columns of what is within the prefix. (A conversion finds those of all that it reports.)
    fn locate(&self, verdict: &mut Verdict) {
        let is_here = |offset: u64| self.ended || offset <= self.prefix.len() as u64;
        if verdict.offsets().all(is_here) {
            // Slices can be read.
            _ = verdict.locate(&self.prefix[..]);
        }
    }

    /// Makes the first warning an error, if warnings are errors.
    fn complete_strictly(&mut self, mut verdict: Verdict) {
        let worst = verdict.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Warning);
        if let Some(diagnostic) = worst.filter(|_| self.known.hints.strict && verdict.error.is_none()) {
            let Diagnostic { code, offset, message, .. } = diagnostic.clone();
            verdict.error = Some(ErrorKind::Strict { code, message, offset }.into());
        }
        if self.reach != Reach::Head {
            self.locate(&mut verdict);
        }
        self.state = State::Done(Box::new(verdict));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::statistics::WINDOW;

    /// A conversion pays for no look at the contents: whatever the length of the input, detection takes the same few
    /// bytes, as counted here.
    #[test]
    fn a_conversion_takes_no_more_bytes_than_its_rules_need() {
        let plain = |len: usize| b"id;name\n".iter().copied().cycle().take(len).collect::<Vec<u8>>();
        let taken = |input: &[u8]| {
            let mut detector = Detector::for_conversion(Registry::builtin(), Hints::default());
            let taken = detector.feed(input);
            assert!(detector.is_done());
            taken
        };
        for len in [1024, 64 * 1024, 1 << 20] {
            assert_eq!(taken(&plain(len)), 2);
            let declaration = b"<?xml version='1.0' encoding='ISO-8859-1'?>";
            assert_eq!(taken(&[declaration, &plain(len)[..]].concat()), declaration.len());
            assert_eq!(taken(&[b"<a>", &plain(len)[..]].concat()), 2);
        }
        // Only what begins like no text is looked at more closely.
        assert_eq!(taken(&b"a\0".repeat(WINDOW)), WINDOW);
    }
}
