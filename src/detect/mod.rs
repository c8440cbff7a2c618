//! Detection of a stream's encoding, from a bounded prefix that the caller passes in chunks.
//!
//! ```text
//! bytes ─ signature.rs ─ declaration.rs ─ html.rs, statistics.rs ─ rules/ ─ contents.rs ─ Verdict
//!         Appendix F      in the family    a bounded window, if      a policy,  does the window
//!         with nom        found            the policy needs it       by rules   contradict it?
//!                                  content_type.rs ─────────────────┘
//! ```
//!
//! A [`Detector`] takes bytes only until it has a verdict. It always needs the bytes of the signature. If a declaration
//! follows, it needs the bytes up to the declaration's `>`. If the kind of document or the policy calls for it, it also
//! needs the bytes of the HTML prescan or of the window for statistics. Under the default policy it takes the first 64
//! KiB, if there are that many, and compares them with the encoding that it found. The detector keeps these bytes, and
//! the caller can get them back with [`prefix`](Detector::prefix). The verdict does not depend on how the input was
//! split into chunks.

mod binary;
mod content_type;
mod contents;
mod declaration;
mod html;
mod html_start;
mod policy;
mod rules;
mod signature;
pub mod statistics;
#[cfg(test)]
#[path = "../../tests/it/common/vectors.rs"]
mod vectors;
mod verdict;

pub use content_type::{ContentType, MediaKind};
pub use declaration::DECLARATION_LIMIT;
pub use policy::Policy;
pub use signature::{Family, Signature};
pub use statistics::{Candidate, Looks};

use statistics::WINDOW;
pub use verdict::{Diagnostic, Kind, Severity, Source, Verdict};

pub(crate) use binary::{
    SAMPLE_BYTES as BINARY_SAMPLE_BYTES, SIGNATURE_BYTES, SignatureScan, signature as binary_signature,
};
pub(crate) use contents::{
    CONTENTS_CONTRADICT, LabelWatch, Sample, Utf8Watch, contents_contradict, has_readable_binary, looks_like,
    may_be_binary, refuse_binary,
};
pub(crate) use declaration::{Declaration, Vacancy};
pub(crate) use html::{Syntax, meta_labels};
pub(crate) use signature::is_byte_order_mark;

use crate::codec::{Codec, FirstChar, byte_order_mark, decode_strictly, decodes, first_char};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use contents::Contents;
use declaration::{Scanned, Scanner};
use rules::{Evidence, Traits};
use signature::Recognised;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// What the caller knows about the input, and how detection should treat it.
///
/// ```
/// use charpipe::detect::{Detector, Hints, Policy};
/// use charpipe::Registry;
///
/// let mut hints = Hints::default();
/// hints.policy = Policy::Rfc3023;
/// hints.content_type = Some("text/xml; charset=iso-8859-1".to_owned());
/// let mut detector = Detector::new(Registry::builtin(), hints);
/// detector.feed(b"<a/>");
/// assert_eq!(detector.finish().rule, Some("rfc3023:charset"));
/// ```
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Hints {
    /// The encoding, if the caller knows it. Overrides everything else.
    pub from: Option<Arc<dyn Codec>>,
    /// The policy: which source of evidence takes precedence.
    pub policy: Policy,
    /// The Content-Type exactly as the transport gave it: media type and parameters.
    pub content_type: Option<String>,
    /// The charset that the transport gave, if only the charset is known. Takes precedence over the charset in the
    /// Content-Type.
    pub charset: Option<String>,
    /// The kind of document, if the caller knows it.
    pub kind: Option<Kind>,
    /// The encoding to use if nothing else identifies one. Replaces the policy's own default.
    pub fallback: Option<Arc<dyn Codec>>,
    /// More fallbacks, in order, for input that the ones before do not decode without error. Under the default policy a
    /// [`Detector`] chooses by the first 64 KiB; a conversion chooses by 64 KiB from the first byte on that they read
    /// differently.
    pub further_fallbacks: Vec<Arc<dyn Codec>>,
    /// The page to assume for EBCDIC input that names no page, instead of IBM037. Ignored if it cannot be right: in the
    /// katakana family, for example, the letters are at other bytes.
    pub ebcdic_fallback: Option<Arc<dyn Codec>>,
    /// How many bytes of an HTML document to search for a `meta`. The default is [`PRESCAN`] and the maximum is
    /// [`PRESCAN_LIMIT`].
    pub prescan: Option<usize>,
    /// Guess from byte statistics if nothing else identifies the encoding.
    pub guess: bool,
    /// Treat every warning as an error.
    pub strict: bool,
}

/// How many bytes of an HTML document are searched for a `meta` by default. Browsers wait for the same number of bytes.
pub const PRESCAN: usize = 1024;

/// The most bytes of an HTML document that are searched, whatever [`Hints::prescan`] says. They are held in memory.
pub const PRESCAN_LIMIT: usize = 1 << 20;

/// Returns the encoding that a label in a `meta` names, if the registry or the web's table knows the label.
pub(crate) fn meaning_of_label(registry: &Registry, label: &str) -> Option<String> {
    if registry.knows(label) { Some(label.to_owned()) } else { rules::web_name(registry, label) }
}

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
    registry: Registry,
    hints: Hints,
    /// Those of the policy.
    traits: Traits,
    media: Option<MediaKind>,
    /// The same as `media`, but as the policy interprets it.
    media_of_policy: Option<MediaKind>,
    reach: Reach,
    prefix: Vec<u8>,
    /// How many bytes of EBCDIC white space the input begins with.
    white_space: usize,
    /// Whether the input ends with the prefix.
    ended: bool,
    state: State,
}

/// How far a detector reads to compare the contents with the encoding that it found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// No further than the policy needs. A conversion notices by itself if the contents contradict the encoding.
    Head,
    /// The first [`WINDOW`] bytes.
    Window,
    /// To the end, without keeping the bytes after the window.
    Whole,
}

enum State {
    Signature,
    Declaration {
        start: Prefix,
        scanner: Scanner,
    },
    /// The declaration has been read; the policy needs `needed` bytes in total.
    Window {
        start: Prefix,
        scanner: Scanner,
        needed: usize,
    },
    /// The verdict is known, and the rest of the input is compared with it.
    Whole(Box<(Verdict, Contents)>),
    Done(Box<Verdict>),
}

/// What the first bytes show.
#[derive(Clone)]
struct Prefix {
    signature: Option<Signature>,
    /// The row of the family that white space at the beginning suggests. It counts only if a declaration follows.
    after_space: Option<Signature>,
    /// The length in bytes of the byte order mark, if it belongs to the encoding that is read.
    bom_len: usize,
    /// The caller's codec, in the byte order that the input shows.
    from: Option<Arc<dyn Codec>>,
}

/// What the document says about itself.
#[derive(Default)]
struct DocumentFacts {
    declaration: Option<Declaration>,
    /// The range of the bytes that the declaration was read from.
    head: Range<usize>,
    /// The label in a `meta`, and its position in the input.
    meta: Option<(String, Range<usize>)>,
    kind: Kind,
    candidates: Vec<Candidate>,
}

/// A codec, and the length in bytes of its byte order mark at the beginning of the input; 0 if there is none.
type CodecAndBom = (Arc<dyn Codec>, usize);

/// The longest byte order mark that a codec may have: 4 bytes for UCS-4, UTF-EBCDIC and GB18030.
const LONGEST_BOM: usize = 4;

/// Detects what `bytes`, the whole of an input, is encoded in, by the default policy and the built-in registry.
///
/// ```
/// let verdict = charpipe::detect(b"\xEF\xBB\xBFtext");
/// assert_eq!(verdict.encoding.as_deref(), Some("UTF-8"));
/// assert_eq!(verdict.rule, Some("rfc7303:bom"));
/// ```
#[must_use]
pub fn detect(bytes: &[u8]) -> Verdict {
    let mut detector = Detector::new(Registry::builtin(), Hints::default());
    detector.feed(bytes);
    detector.finish()
}

impl Detector {
    /// Creates a detector that looks labels up in `registry`.
    ///
    /// Under the default policy it takes the first 64 KiB of the input, to compare them with the encoding that it found.
    pub fn new(registry: Registry, hints: Hints) -> Self {
        Detector::reaching(Reach::Window, registry, hints)
    }

    /// Creates a detector that takes the whole input and compares it with the encoding that it found, under the default
    /// policy. It keeps the first 64 KiB only.
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

    /// Creates a detector for a conversion, which finds out by itself what is wrong with the contents. It takes no more
    /// bytes than the policy needs, so that output can begin.
    pub(crate) fn for_conversion(registry: Registry, hints: Hints) -> Self {
        Detector::reaching(Reach::Head, registry, hints)
    }

    fn reaching(reach: Reach, registry: Registry, hints: Hints) -> Self {
        let traits = hints.policy.traits();
        let content_type = hints.content_type.as_deref().map(ContentType::parse);
        let media = content_type.as_ref().map(ContentType::kind);
        let media_of_policy = content_type.as_ref().map(|content_type| traits.media(content_type));
        let mut hints = hints;
        hints.charset = hints.charset.or(content_type.and_then(|content_type| content_type.charset));
        Detector {
            registry,
            hints,
            traits,
            media,
            media_of_policy,
            reach,
            prefix: Vec::new(),
            white_space: 0,
            ended: false,
            state: State::Signature,
        }
    }

    /// Takes bytes until there is a verdict and returns how many it took. If it took fewer than it was given, there is
    /// a verdict, and the caller still has to handle the remaining bytes.
    pub fn feed(&mut self, src: &[u8]) -> usize {
        let mut taken = 0;
        while taken < src.len() && !self.is_done() {
            if let State::Whole(whole) = &mut self.state {
                whole.1.feed(&src[taken..]);
                return src.len();
            }
            if let State::Window { needed, .. } = self.state {
                let len = (needed - self.prefix.len()).min(src.len() - taken);
                self.prefix.extend_from_slice(&src[taken..taken + len]);
                taken += len;
                if self.prefix.len() == needed {
                    self.decide(false);
                }
                continue;
            }
            let byte = src[taken];
            self.prefix.push(byte);
            taken += 1;
            match &mut self.state {
                State::Signature => self.recognise(false),
                State::Declaration { scanner, .. } => {
                    let scanned = scanner.take(byte);
                    self.scanned(scanned);
                }
                State::Window { .. } | State::Whole(_) | State::Done(_) => {}
            }
        }
        taken
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
        if let State::Declaration { .. } | State::Window { .. } = self.state {
            self.decide(false);
        }
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
        let looks_after_space = self.traits.skips_space && self.hints.from.is_none();
        if looks_after_space && self.skip_ebcdic_white_space() && !eof {
            return;
        }
        let mut after_space = None;
        let signature = match signature::recognise(&self.prefix[self.white_space..], eof) {
            Recognised::NeedMore => return,
            Recognised::Row(row) if self.traits.web_signatures => signature::of_the_web(row),
            Recognised::Row(row) if self.white_space == 0 => Some(row),
            Recognised::Row(row) => {
                after_space = Some(row).filter(|row| row.family.is_ebcdic());
                None
            }
            Recognised::Other => None,
        };
        if looks_after_space && self.prefix.len() < 2 && !eof {
            return;
        }
        if looks_after_space && signature.is_none() && after_space.is_none() {
            match signature::white_space(&self.prefix, eof) {
                Recognised::NeedMore => return,
                Recognised::Row(row) => after_space = Some(row),
                Recognised::Other => {}
            }
        }
        let family = signature.or(after_space).map_or(Family::Unknown, |row| row.family);
        let mut start = Prefix { signature, after_space, bom_len: 0, from: None };
        let reader = match &self.hints.from {
            Some(from) => self.of_user(from, &start, eof),
            None => self.registry.codec(family.reading_label()).map(|codec| {
                let bom_len = signature.filter(|row| row.bom).map_or(0, |row| row.bytes.len());
                Some((codec, bom_len))
            }),
        };
        let (reader, bom_len) = match reader {
            Ok(Some(reader)) => reader,
            Ok(None) => return,
            Err(error) => return self.conclude(&start, DocumentFacts::default(), None, Err(error), Vec::new()),
        };
        start.bom_len = bom_len;
        start.from = self.hints.from.as_ref().map(|_| reader.clone());
        let mut scanner = Scanner::new(&*reader, bom_len as u64);
        if self.traits.skips_space {
            scanner = scanner.leniently();
        }
        let mut scanned = Scanned::NeedMore;
        for &byte in &self.prefix[bom_len..] {
            scanned = scanner.take(byte);
            if scanned != Scanned::NeedMore {
                break;
            }
        }
        // Without a signature, only the caller's codec can find `<?xml` in the bytes, or white space precedes it.
        if signature.is_none() && self.hints.from.is_none() && !self.traits.skips_space {
            scanned = Scanned::None;
        }
        self.state = State::Declaration { start, scanner };
        self.scanned(scanned);
    }

    /// Counts the last byte of the prefix as white space if all of the prefix is white space in EBCDIC. Returns whether
    /// it is.
    fn skip_ebcdic_white_space(&mut self) -> bool {
        let is_space = self.prefix.len() == self.white_space + 1
            && self.prefix.last().is_some_and(|byte| signature::is_ebcdic_white_space(*byte));
        let skips = is_space && self.white_space < DECLARATION_LIMIT;
        self.white_space += usize::from(skips);
        skips
    }

    /// Returns the caller's codec, in the byte order shown by its own byte order mark or else by the byte pattern, and
    /// the length of that mark. The codec itself says what the bytes of the mark are. Returns `None` if these bytes may
    /// still become a mark; what cannot is not waited for, because the peer that sends it may wait for an answer.
    fn of_user(&self, from: &Arc<dyn Codec>, start: &Prefix, eof: bool) -> Result<Option<CodecAndBom>, Error> {
        let candidates = match from.info().byte_orders {
            Some(orders) => orders.names.iter().map(|name| self.registry.codec(name)).collect::<Result<_, _>>()?,
            None => vec![from.clone()],
        };
        let may_grow = !eof && self.prefix.len() < LONGEST_BOM;
        for codec in candidates {
            // Ask the decoder first: for most pages that avoids building an encoder.
            match first_char(&*codec, &self.prefix) {
                FirstChar::Is('\u{FEFF}') => {
                    let bom = byte_order_mark(&*codec).filter(|bom| self.prefix.starts_with(bom));
                    match bom {
                        Some(bom) => return Ok(Some((codec, bom.len()))),
                        None if may_grow => return Ok(None),
                        None => {}
                    }
                }
                FirstChar::Open if may_grow => return Ok(None),
                FirstChar::Is(_) | FirstChar::Malformed | FirstChar::Open => {}
            }
        }
        Ok(Some((self.evidence(start, None, &[]).in_order(from)?, 0)))
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
        let State::Declaration { start, scanner } = &mut self.state else { return };
        // White space in a family shows the family only if a declaration follows.
        if let Some(row) = start.after_space.take().filter(|_| scanner.is_declaration()) {
            start.signature = Some(row);
        }
        let State::Declaration { start, scanner } = &self.state else { return };
        let mut needed = 0;
        let kind = self.kind(scanner);
        if kind == Kind::Html {
            needed = self.prescan();
        }
        let is_told = self.hints.from.is_some() || start.signature.is_some_and(|row| row.bom);
        if self.traits.always_guesses || self.hints.guess && !is_told {
            needed = needed.max(WINDOW);
        }
        if self.traits.looks_past_bom && start.bom_len > 0 {
            needed = needed.max(signature::LONGEST_TEXT);
        }
        let is_unmarked = self.hints.from.is_none() && self.hints.charset.is_none() && start.signature.is_none();
        if self.traits.checks_contents
            && (self.reach != Reach::Head || is_unmarked && kind != Kind::Xml && may_be_wide(&self.prefix))
        {
            needed = needed.max(WINDOW);
        }
        let needed = start.bom_len + needed;
        if needed <= self.prefix.len() {
            return self.decide(false);
        }
        let state = std::mem::replace(&mut self.state, State::Signature);
        if let State::Declaration { start, scanner } = state {
            self.state = State::Window { start, scanner, needed };
        }
    }

    fn prescan(&self) -> usize {
        self.hints.prescan.unwrap_or(PRESCAN).min(PRESCAN_LIMIT)
    }

    /// Returns the kind of document whose beginning was scanned.
    fn kind(&self, scanner: &Scanner) -> Kind {
        let is_xml = scanner.is_xml();
        let is_web = self.traits.assumes_html;
        self.hints.kind.unwrap_or(match self.media {
            Some(MediaKind::AppXml | MediaKind::TextXml) => Kind::Xml,
            Some(MediaKind::Html) if is_web || !is_xml => Kind::Html,
            _ if is_xml => Kind::Xml,
            None | Some(MediaKind::Missing) if is_web || scanner.is_html() => Kind::Html,
            _ => Kind::Text,
        })
    }

    fn evidence<'a>(&'a self, start: &Prefix, declaration: Option<&'a Declaration>, head: &'a [u8]) -> Evidence<'a> {
        Evidence {
            registry: &self.registry,
            family: start.signature.map_or(Family::Unknown, |row| row.family),
            signature: start.signature,
            charset: self.hints.charset.as_deref(),
            media: self.media_of_policy,
            kind: Kind::Text,
            meta: None,
            declaration,
            head,
            window: head,
            complete: self.ended,
            guess: None,
            fallback: self.hints.fallback.as_ref(),
            ebcdic_fallback: self.hints.ebcdic_fallback.as_ref(),
        }
    }

    fn decide(&mut self, too_long: bool) {
        let (State::Declaration { start, scanner } | State::Window { start, scanner, .. }) = &self.state else {
            return;
        };
        let start = start.clone();
        let bom_len = start.bom_len;
        let kind = self.kind(scanner);
        let window = &self.prefix[bom_len..];
        // The bytes that the declaration was read from. The window may be longer.
        let head_start = scanner.start();
        let head = &self.prefix[head_start..self.prefix.len().min(head_start + scanner.taken())];
        let meta = (kind == Kind::Html).then(|| self.find_meta(window)).flatten();
        let asks_statistics = self.hints.from.is_none() && start.signature.is_none_or(|row| !row.bom);
        // Statistics are slow, so a policy that has them in its chain asks for them only when it gets that far.
        let guess = OnceCell::new();
        if asks_statistics && self.hints.guess {
            guess.get_or_init(|| statistics::guess(window, self.ended, &self.registry));
        }
        let may_guess = asks_statistics && (self.hints.guess || self.traits.always_guesses);
        let ebcdic = scanner.is_ebcdic();
        // A declaration that is too long was not read, so nothing is taken from it.
        let mut declaration = (scanner.is_declaration() && !too_long).then(|| scanner.declaration());
        let mut diagnostics = Vec::new();
        if scanner.has_skipped() && scanner.is_declaration() {
            let message = "white space precedes the XML declaration, which parsers of XML reject";
            diagnostics.push(Diagnostic::warning("declaration-not-first", head_start as u64, message));
        }
        let (rule, choice) = if too_long {
            let limit = DECLARATION_LIMIT;
            (None, Err(ErrorKind::DeclarationTooLong { offset: head_start as u64, limit }.into()))
        } else if let Some((codec, named)) = start.from.clone().zip(self.hints.from.clone()) {
            if bom_len == 0 && start.signature.is_some_and(|row| row.bom) {
                diagnostics.push(foreign_byte_order_mark(&*codec));
            }
            let label = Some(codec.name().to_owned());
            (Some("user"), Ok(rules::Choice { codec, named, source: Source::User, label }))
        } else {
            let evidence = self.evidence(&start, declaration.as_ref(), head);
            let (guess, meta) = (may_guess.then_some(&guess), meta.as_ref());
            self.traits.decide(&Evidence { kind, meta, guess, window, ..evidence }, &mut diagnostics)
        };
        if choice.is_ok() && diagnostics.iter().all(|note| note.code != "media-type-not-xml") {
            diagnostics.extend(self.content_type_is_nonsense());
        }
        if let Ok(choice) = &choice {
            diagnostics.extend(superset_used(choice, declaration.as_ref()));
            diagnostics.extend(shadowed_codec(&self.registry, choice));
        }
        if let Some(found) = &mut declaration {
            let codec = choice.as_ref().ok().map(|choice| &*choice.codec);
            diagnostics.extend(malformed_declaration(found, codec, head, ebcdic));
        }
        let meta = meta.and_then(|meta| meta.label);
        let meta = meta.map(|(label, span)| (label, bom_len + span.start..bom_len + span.end));
        let head = head_start..head_start + head.len();
        // Candidates are reported only if statistics decided.
        let speaks = choice.as_ref().is_ok_and(|choice| choice.source == Source::Statistics);
        let candidates = guess.get().filter(|_| speaks).map_or_else(Vec::new, |guess| guess.candidates().to_vec());
        self.conclude(&start, DocumentFacts { declaration, head, meta, kind, candidates }, rule, choice, diagnostics);
    }

    fn conclude(
        &mut self,
        start: &Prefix,
        found: DocumentFacts,
        rule: Option<&'static str>,
        choice: Result<rules::Choice, Error>,
        diagnostics: Vec<Diagnostic>,
    ) {
        let DocumentFacts { declaration, head, meta, kind, candidates } = found;
        let (choice, error) = match choice {
            Ok(choice) => (Some(choice), None),
            Err(error) => (None, Some(error)),
        };
        // The codec that the caller or the transport named may decode these bytes differently from the family's codec.
        let head = &self.prefix[head];
        let declaration_is_read = declaration.is_none()
            || choice.as_ref().is_some_and(|choice| {
                decode_strictly(&*choice.codec, head).is_some_and(|text| text.starts_with("<?xml"))
            });
        let name = declaration.as_ref().and_then(|declaration| declaration.name.clone());
        let as_input = |span: Range<usize>| span.start as u64..span.end as u64;
        let (declared, declared_span) = name.or_else(|| meta.map(|(label, span)| (label, as_input(span)))).unzip();
        let verdict = Verdict {
            encoding: choice.as_ref().and_then(|choice| choice.label.clone()),
            family: start.signature.map_or(Family::Unknown, |row| row.family),
            kind,
            signature: start.signature,
            declared,
            declared_span,
            charset: self.hints.charset.clone(),
            ascii: self.prefix[start.bom_len..].is_ascii() && !start.signature.is_some_and(|row| row.family.is_wide()),
            looks: None,
            policy: self.hints.policy,
            candidates,
            rule,
            source: choice.as_ref().map(|choice| choice.source),
            diagnostics,
            error,
            expects_bmp: choice.as_ref().is_some_and(|choice| choice.named.name() == "ISO-10646-UCS-2"),
            bom_len: start.bom_len,
            declaration,
            declaration_is_read,
            codec: choice.map(|choice| choice.codec),
        };
        self.compare(verdict);
    }

    /// Compares the contents with the encoding that was found, as far as they are to be read.
    fn compare(&mut self, mut verdict: Verdict) {
        let window = &self.prefix[verdict.bom_len..];
        if !self.traits.checks_contents {
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
        contents.judge(&mut verdict, window, is_all, &self.registry);
        self.choose_fallback(&mut verdict);
        self.complete_strictly(verdict);
    }

    /// Chooses among several fallbacks: the first that decodes the bytes that were examined, or else the last. A conversion
    /// chooses by itself, from more bytes.
    fn choose_fallback(&self, verdict: &mut Verdict) {
        let further = &self.hints.further_fallbacks;
        let first = self.hints.fallback.as_ref().filter(|_| !further.is_empty() && !matches!(self.reach, Reach::Head));
        let is_used = verdict.source == Some(Source::Fallback) && verdict.error.is_none();
        let Some(first) = first.filter(|_| is_used) else { return };
        if verdict.codec.as_ref().is_some_and(|codec| codec.name() == first.name()) {
            let fits = |codec: &&Arc<dyn Codec>| decodes(&***codec, &self.prefix, self.ended);
            let chosen = [first].into_iter().chain(further).find(fits).or(further.last());
            verdict.encoding = chosen.map(|codec| codec.name().to_owned());
            verdict.codec = chosen.cloned();
        }
    }

    /// Makes the first warning an error, if warnings are errors.
    fn complete_strictly(&mut self, mut verdict: Verdict) {
        let worst = verdict.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Warning);
        if let Some(diagnostic) = worst.filter(|_| self.hints.strict && verdict.error.is_none()) {
            let Diagnostic { code, offset, message, .. } = diagnostic.clone();
            verdict.error = Some(ErrorKind::Strict { code, message, offset }.into());
        }
        self.state = State::Done(Box::new(verdict));
    }

    /// Returns what the prescan of an HTML document finds.
    fn find_meta(&self, window: &[u8]) -> Option<html::Meta> {
        html::prescan(&window[..window.len().min(self.prescan())], &|label| self.meaning_of_meta(label))
    }

    /// Returns the name of the encoding that a label in a `meta` means to the policy.
    fn meaning_of_meta(&self, label: &str) -> Option<String> {
        if self.traits.web_labels {
            return rules::web_name(&self.registry, label);
        }
        match self.registry.declared_if_known(label) {
            Some(codec) => Some(codec.name().to_owned()),
            None => meaning_of_label(&self.registry, label),
        }
    }

    /// Returns the warning that the caller's Content-Type begins with something other than a media type.
    fn content_type_is_nonsense(&self) -> Option<Diagnostic> {
        let essence = ContentType::parse(self.hints.content_type.as_deref()?).essence?;
        let message = format!("{essence:?} is not a media type; expected one such as text/html");
        (!content_type::is_media_type(&essence)).then(|| Diagnostic::warning("content-type-malformed", 0, message))
    }
}

/// Returns whether the first bytes of an unmarked input may be those of UTF-16 or UTF-32: text does not begin with a
/// control character.
fn may_be_wide(prefix: &[u8]) -> bool {
    prefix.iter().take(2).any(|byte| binary::is_binary_byte(*byte))
}

/// Returns the warning that the caller's encoding is not that of the byte order mark.
fn foreign_byte_order_mark(codec: &dyn Codec) -> Diagnostic {
    let name = codec.name();
    let message = format!("{name} was requested, but the input begins with the byte order mark of another encoding");
    Diagnostic::warning("charset-bom-conflict", 0, message)
}

/// Returns the warning that the input is read as a superset of the encoding that a label names.
fn superset_used(choice: &rules::Choice, declaration: Option<&Declaration>) -> Option<Diagnostic> {
    let superset = choice.named.info().read_as_superset?;
    let name = declaration.and_then(|declaration| declaration.name.as_ref());
    let declared = name.filter(|_| choice.source == Source::Declaration);
    let message = format!("read as {superset}, a superset of the encoding that the label names");
    Some(Diagnostic::warning("superset-used", declared.map_or(0, |(_, span)| span.start), message))
}

/// Returns the hint that the codec was registered under labels of other codecs.
fn shadowed_codec(registry: &Registry, choice: &rules::Choice) -> Option<Diagnostic> {
    let [first, more @ ..] = registry.shadowed(&*choice.named) else { return None };
    let name = choice.named.name();
    let others = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let message = if first == name {
        format!("{name} is a registered codec that replaces the built-in of the same name")
    } else {
        format!("the registered codec {name} takes over labels of {first}{others}")
    };
    Some(Diagnostic::hint("shadowed-codec", 0, message))
}

/// Returns the warning about a malformed declaration in `head`, read by the codec of its family. The chosen page knows
/// where its own quotes are, and the family's codec may have taken another character for one. If the declaration is
/// well-formed when `codec`, the chosen one, reads it, it counts as well-formed.
fn malformed_declaration(
    found: &mut Declaration,
    codec: Option<&dyn Codec>,
    head: &[u8],
    ebcdic: bool,
) -> Option<Diagnostic> {
    let offset = found.malformed?;
    let text = codec.and_then(|codec| decode_strictly(codec, head));
    let is_well_formed =
        |text: &String| text.starts_with("<?xml") && declaration::read(text, ebcdic).malformed.is_none();
    if text.as_ref().is_some_and(is_well_formed) {
        found.malformed = None;
        return None;
    }
    Some(Diagnostic::warning("declaration-malformed", offset, "the XML declaration is malformed here"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
