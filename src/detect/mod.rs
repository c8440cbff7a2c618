//! What is it encoded in? A push machine over a bounded prefix.
//!
//! ```text
//! bytes ─ signature.rs ─ declaration.rs ─ html.rs, statistics.rs ─ rules/ ─ Verdict
//!         Appendix F      in the family    a bounded window, where   a policy,
//!         by nom          found            the policy looks there    rule by rule
//!                                  content_type.rs ─────────────────┘
//! ```
//!
//! A [`Detector`] takes bytes until it has its verdict and not one more: those that settle the signature; where a
//! declaration follows, those up to its `>`; where the kind of document or the policy asks for it, those of the prescan or
//! of the window of statistics. It keeps them and gives them back. How they were cut makes no difference.

mod content_type;
mod declaration;
mod html;
mod rules;
mod signature;
pub mod statistics;
#[cfg(test)]
mod vectors;
mod verdict;

pub use content_type::{ContentType, MediaKind};
pub use declaration::DECLARATION_LIMIT;
pub use rules::Policy;
pub use signature::{Family, Signature};
pub use statistics::Candidate;

use statistics::WINDOW;
pub use verdict::{Diagnostic, Kind, Severity, Source, Verdict};

pub(crate) use declaration::{Declaration, Vacancy};
pub(crate) use html::{Syntax, meta_labels};
pub(crate) use signature::is_byte_order_mark;

use crate::codec::{Codec, begins_with, byte_order_mark, decode_strictly};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use declaration::{Scanned, Scanner};
use rules::Evidence;
use signature::Recognised;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// What the caller knows or wants of detection.
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
    /// The encoding, where the caller knows it. Authoritative.
    pub from: Option<Arc<dyn Codec>>,
    /// Who is believed.
    pub policy: Policy,
    /// The Content-Type that the transport gave, as it gave it: media type and parameters.
    pub content_type: Option<String>,
    /// The charset that the transport gave, where there is no more than that to know. It goes before that of the
    /// Content-Type.
    pub charset: Option<String>,
    /// The kind of document, where the caller knows it.
    pub kind: Option<Kind>,
    /// What to take when nothing tells, instead of the policy's last resort.
    pub fallback: Option<Arc<dyn Codec>>,
    /// What to take for EBCDIC whose page nothing names, instead of IBM037. Where it cannot be right (the katakana
    /// family has its letters elsewhere) it is not taken.
    pub ebcdic_fallback: Option<Arc<dyn Codec>>,
    /// How many bytes of an HTML document are searched for a `meta`; [`PRESCAN`] where it is not said,
    /// [`PRESCAN_LIMIT`] at the most.
    pub prescan: Option<usize>,
    /// Statistics may speak where nothing else does.
    pub guess: bool,
    /// Every warning is an error.
    pub strict: bool,
}

/// How many bytes of an HTML document are searched for a `meta` where nobody says: as many as browsers wait for.
pub const PRESCAN: usize = 1024;

/// How many bytes of it are searched at the most, whatever [`Hints::prescan`] says: they are held in memory.
pub const PRESCAN_LIMIT: usize = 1 << 20;

/// What a label in a `meta` means, where it means something to the registry or to the web.
pub(crate) fn meaning_of_label(registry: &Registry, label: &str) -> Option<String> {
    if registry.knows(label) { Some(label.to_owned()) } else { rules::web_name(registry, label) }
}

/// Finds out what a stream is encoded in.
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
/// // It took the declaration and no more, and has it still.
/// assert_eq!(detector.prefix(), &input[..taken]);
/// ```
pub struct Detector {
    registry: Registry,
    hints: Hints,
    media: Option<MediaKind>,
    /// The same as the policy sees it.
    media_of_policy: Option<MediaKind>,
    prefix: Vec<u8>,
    /// The input ends with the prefix.
    ended: bool,
    state: State,
}

enum State {
    Signature,
    Declaration {
        beginning: Beginning,
        scanner: Scanner,
    },
    /// The declaration is read; the policy looks at so many bytes in all.
    Window {
        beginning: Beginning,
        scanner: Scanner,
        wanted: usize,
    },
    Done(Box<Verdict>),
}

/// What the first bytes are.
#[derive(Clone)]
struct Beginning {
    signature: Option<Signature>,
    /// How many bytes are a byte order mark of the encoding that is read.
    bom_len: usize,
    /// The caller's codec, in the order that the bytes show.
    from: Option<Arc<dyn Codec>>,
}

/// What the document says of itself.
#[derive(Default)]
struct Found {
    declaration: Option<Declaration>,
    /// How many bytes that was read from.
    head: usize,
    /// The label in a `meta`, and where it stands in the input.
    meta: Option<(String, Range<usize>)>,
    kind: Kind,
    candidates: Vec<Candidate>,
}

/// The longest byte order mark that a codec may have: UCS-4's, UTF-EBCDIC's and GB18030's.
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
    /// A detector that looks labels up in `registry`.
    pub fn new(registry: Registry, hints: Hints) -> Self {
        let content_type = hints.content_type.as_deref().map(ContentType::parse);
        let media = content_type.as_ref().map(ContentType::kind);
        let media_of_policy = content_type.as_ref().map(|content_type| hints.policy.media(content_type));
        let mut hints = hints;
        hints.charset = hints.charset.or(content_type.and_then(|content_type| content_type.charset));
        Detector { registry, hints, media, media_of_policy, prefix: Vec::new(), ended: false, state: State::Signature }
    }

    /// Takes bytes up to the verdict; answers how many. Fewer than were given means that the verdict is there, and the
    /// rest is the caller's.
    pub fn feed(&mut self, src: &[u8]) -> usize {
        let mut taken = 0;
        while taken < src.len() && !self.is_done() {
            if let State::Window { wanted, .. } = self.state {
                let len = (wanted - self.prefix.len()).min(src.len() - taken);
                self.prefix.extend_from_slice(&src[taken..taken + len]);
                taken += len;
                if self.prefix.len() == wanted {
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
                State::Window { .. } | State::Done(_) => {}
            }
        }
        taken
    }

    /// Whether the verdict is there.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_))
    }

    /// The verdict, where it is there.
    pub fn verdict(&self) -> Option<&Verdict> {
        match &self.state {
            State::Done(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// The verdict. Where it is not there yet, the input ends here.
    pub fn finish(&mut self) -> Verdict {
        self.ended |= !self.is_done();
        if matches!(self.state, State::Signature) {
            self.recognise(true);
        }
        if let State::Declaration { .. } | State::Window { .. } = self.state {
            self.decide(false);
        }
        match &self.state {
            State::Done(verdict) => (**verdict).clone(),
            _ => unreachable!("decide leaves a verdict"),
        }
    }

    /// Every byte taken so far, byte order mark included.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    fn recognise(&mut self, eof: bool) {
        let signature = match signature::recognise(&self.prefix, eof) {
            Recognised::NeedMore => return,
            Recognised::Row(row) if self.hints.policy == Policy::Whatwg => signature::of_the_web(row),
            Recognised::Row(row) => Some(row),
            Recognised::Other => None,
        };
        if self.hints.from.is_some() && self.prefix.len() < LONGEST_BOM && !eof {
            return;
        }
        let family = signature.map_or(Family::Unknown, |row| row.family);
        let mut beginning = Beginning { signature, bom_len: 0, from: None };
        let reader = match &self.hints.from {
            Some(from) => self.of_user(from, &beginning),
            None => self.registry.codec(family.reading_label()).map(|codec| {
                let bom_len = signature.filter(|row| row.bom).map_or(0, |row| row.bytes.len());
                (codec, bom_len)
            }),
        };
        let (reader, bom_len) = match reader {
            Ok(reader) => reader,
            Err(error) => return self.conclude(&beginning, Found::default(), None, Err(error), Vec::new()),
        };
        beginning.bom_len = bom_len;
        beginning.from = self.hints.from.as_ref().map(|_| reader.clone());
        let mut scanner = Scanner::new(&*reader, bom_len as u64);
        let mut scanned = Scanned::NeedMore;
        for &byte in &self.prefix[bom_len..] {
            scanned = scanner.take(byte);
            if scanned != Scanned::NeedMore {
                break;
            }
        }
        // Without a signature only a caller's codec can find `<?xml` in the bytes.
        if signature.is_none() && self.hints.from.is_none() {
            scanned = Scanned::None;
        }
        self.state = State::Declaration { beginning, scanner };
        self.scanned(scanned);
    }

    /// The caller's codec, in the order that a byte order mark of its own or the byte pattern shows, and the length of
    /// that mark. What its bytes are, the codec itself says.
    fn of_user(&self, from: &Arc<dyn Codec>, beginning: &Beginning) -> Result<(Arc<dyn Codec>, usize), Error> {
        let candidates = match from.orders() {
            Some(orders) => orders.names.iter().map(|name| self.registry.codec(name)).collect::<Result<_, _>>()?,
            None => vec![from.clone()],
        };
        for codec in candidates {
            // Asking the decoder first spares most pages the making of an encoder.
            let is_marked = begins_with(&*codec, &self.prefix, '\u{FEFF}');
            let bom = is_marked.then(|| byte_order_mark(&*codec)).flatten();
            if let Some(bom) = bom.filter(|bom| self.prefix.starts_with(bom)) {
                return Ok((codec, bom.len()));
            }
        }
        Ok((self.evidence(beginning, None, &[]).in_order(from)?, 0))
    }

    fn scanned(&mut self, scanned: Scanned) {
        match scanned {
            Scanned::NeedMore => {}
            Scanned::None | Scanned::Whole => self.look_further(),
            Scanned::TooLong => self.decide(true),
        }
    }

    /// Decides, or first reads as much as the policy and the kind of document ask for.
    fn look_further(&mut self) {
        let State::Declaration { beginning, scanner } = &self.state else { return };
        let mut wanted = 0;
        if self.kind(scanner.is_xml()) == Kind::Html {
            wanted = self.prescan();
        }
        let is_told = self.hints.from.is_some() || beginning.signature.is_some_and(|row| row.bom);
        if self.hints.policy == Policy::Feedparser || self.hints.guess && !is_told {
            wanted = wanted.max(WINDOW);
        }
        if self.hints.policy.looks_behind_bom() && beginning.bom_len > 0 {
            wanted = wanted.max(signature::LONGEST_TEXT);
        }
        let wanted = beginning.bom_len + wanted;
        if wanted <= self.prefix.len() {
            return self.decide(false);
        }
        let state = std::mem::replace(&mut self.state, State::Signature);
        if let State::Declaration { beginning, scanner } = state {
            self.state = State::Window { beginning, scanner, wanted };
        }
    }

    fn prescan(&self) -> usize {
        self.hints.prescan.unwrap_or(PRESCAN).min(PRESCAN_LIMIT)
    }

    /// What kind of document it is, where it begins with `<?xml` or does not.
    fn kind(&self, is_xml: bool) -> Kind {
        let is_web = self.hints.policy == Policy::Whatwg;
        self.hints.kind.unwrap_or(match self.media {
            Some(MediaKind::AppXml | MediaKind::TextXml) => Kind::Xml,
            Some(MediaKind::Html) if is_web || !is_xml => Kind::Html,
            _ if is_xml => Kind::Xml,
            None | Some(MediaKind::Missing) if is_web => Kind::Html,
            _ => Kind::Text,
        })
    }

    fn evidence<'a>(
        &'a self,
        beginning: &Beginning,
        declaration: Option<&'a Declaration>,
        head: &'a [u8],
    ) -> Evidence<'a> {
        Evidence {
            registry: &self.registry,
            family: beginning.signature.map_or(Family::Unknown, |row| row.family),
            signature: beginning.signature,
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
        let (State::Declaration { beginning, scanner } | State::Window { beginning, scanner, .. }) = &self.state else {
            return;
        };
        let beginning = beginning.clone();
        let bom_len = beginning.bom_len;
        let kind = self.kind(scanner.is_xml());
        let window = &self.prefix[bom_len..];
        // What the declaration was read from; a window may be longer.
        let head = &window[..window.len().min(scanner.taken())];
        let meta = (kind == Kind::Html)
            .then(|| {
                let searched = &window[..window.len().min(self.prescan())];
                html::prescan(searched, &|label| rules::web_name(&self.registry, label))
            })
            .flatten();
        let asks_statistics = self.hints.from.is_none() && beginning.signature.is_none_or(|row| !row.bom);
        // They take their time, so the policy that has them in its chain asks only where it gets there.
        let guess = OnceCell::new();
        if asks_statistics && self.hints.guess {
            guess.get_or_init(|| statistics::guess(window, self.ended, &self.registry));
        }
        let may_guess = asks_statistics && (self.hints.guess || self.hints.policy == Policy::Feedparser);
        let ebcdic = scanner.is_ebcdic();
        // A declaration that is too long was not read, so it says nothing.
        let mut declaration = (scanner.is_declaration() && !too_long).then(|| scanner.declaration());
        let mut notes = Vec::new();
        let (rule, choice) = if too_long {
            let limit = DECLARATION_LIMIT;
            (None, Err(ErrorKind::DeclarationTooLong { offset: bom_len as u64, limit }.into()))
        } else {
            match beginning.from.clone().zip(self.hints.from.clone()) {
                Some((codec, named)) => {
                    if bom_len == 0 && beginning.signature.is_some_and(|row| row.bom) {
                        let message = format!(
                            "{} was asked for; the first bytes are the byte order mark of another",
                            codec.name()
                        );
                        notes.push(Diagnostic::warning("charset-bom-conflict", 0, message));
                    }
                    let label = Some(codec.name().to_owned());
                    (Some("user"), Ok(rules::Choice { codec, named, source: Source::User, label }))
                }
                None => {
                    let evidence = self.evidence(&beginning, declaration.as_ref(), head);
                    let (guess, meta) = (may_guess.then_some(&guess), meta.as_ref());
                    self.hints.policy.decide(&Evidence { kind, meta, guess, window, ..evidence }, &mut notes)
                }
            }
        };
        if let Ok(choice) = &choice
            && let Some(superset) = choice.named.superset()
        {
            let name = declaration.as_ref().and_then(|declaration| declaration.name.as_ref());
            let declared = name.filter(|_| choice.source == Source::Declaration);
            notes.push(Diagnostic::warning(
                "superset-used",
                declared.map_or(0, |(_, span)| span.start),
                format!("read as {superset}, a superset of what the label names"),
            ));
        }
        if let Ok(choice) = &choice
            && let [first, more @ ..] = self.registry.shadowed(&*choice.named)
        {
            let name = choice.named.name();
            let others = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            let message = if first == name {
                format!("{name} is one that was registered, in place of the built-in of that name")
            } else {
                format!("{name} was registered over labels of {first}{others}")
            };
            notes.push(Diagnostic::hint("shadowed-codec", 0, message));
        }
        if let Some(found) = &mut declaration {
            // The chosen page knows its own quotes; the family's reading may have taken one for something else.
            let strange_only_to_family = found.malformed.is_some()
                && choice.as_ref().is_ok_and(|choice| {
                    decode_strictly(&*choice.codec, head).is_some_and(|text| {
                        text.starts_with("<?xml") && declaration::read(&text, ebcdic).malformed.is_none()
                    })
                });
            if strange_only_to_family {
                found.malformed = None;
            }
            if let Some(offset) = found.malformed {
                notes.push(Diagnostic::warning(
                    "declaration-malformed",
                    offset,
                    "the XML declaration breaks the grammar here",
                ));
            }
        }
        let meta = meta.and_then(|meta| meta.label);
        let meta = meta.map(|(label, span)| (label, bom_len + span.start..bom_len + span.end));
        let head = head.len();
        // Only where they decided.
        let speaks = choice.as_ref().is_ok_and(|choice| choice.source == Source::Statistics);
        let candidates = guess.get().filter(|_| speaks).map_or_else(Vec::new, |guess| guess.candidates().to_vec());
        self.conclude(&beginning, Found { declaration, head, meta, kind, candidates }, rule, choice, notes);
    }

    fn conclude(
        &mut self,
        beginning: &Beginning,
        found: Found,
        rule: Option<&'static str>,
        choice: Result<rules::Choice, Error>,
        notes: Vec<Diagnostic>,
    ) {
        let Found { declaration, head, meta, kind, candidates } = found;
        let (choice, mut error) = match choice {
            Ok(choice) => (Some(choice), None),
            Err(error) => (None, Some(error)),
        };
        let worst = notes.iter().find(|note| note.severity == Severity::Warning);
        if let Some(note) = worst.filter(|_| self.hints.strict && error.is_none()) {
            let Diagnostic { code, offset, message, .. } = note.clone();
            error = Some(ErrorKind::Strict { code, message, offset }.into());
        }
        // A caller's or a transport's codec may make something else of the bytes that the family's reading found.
        let head = &self.prefix[beginning.bom_len..beginning.bom_len + head];
        let declaration_is_read = declaration.is_none()
            || choice.as_ref().is_some_and(|choice| {
                decode_strictly(&*choice.codec, head).is_some_and(|text| text.starts_with("<?xml"))
            });
        let name = declaration.as_ref().and_then(|declaration| declaration.name.clone());
        let as_input = |span: Range<usize>| span.start as u64..span.end as u64;
        let (declared, declared_span) = name.or_else(|| meta.map(|(label, span)| (label, as_input(span)))).unzip();
        self.state = State::Done(Box::new(Verdict {
            encoding: choice.as_ref().and_then(|choice| choice.label.clone()),
            family: beginning.signature.map_or(Family::Unknown, |row| row.family),
            kind,
            signature: beginning.signature,
            declared,
            declared_span,
            charset: self.hints.charset.clone(),
            policy: self.hints.policy,
            candidates,
            rule,
            source: choice.as_ref().map(|choice| choice.source),
            diagnostics: notes,
            error,
            expects_bmp: choice.as_ref().is_some_and(|choice| choice.named.name() == "ISO-10646-UCS-2"),
            bom_len: beginning.bom_len,
            declaration,
            declaration_is_read,
            codec: choice.map(|choice| choice.codec),
        }));
    }
}
