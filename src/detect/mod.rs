//! What is it encoded in? A push machine over a bounded prefix.
//!
//! ```text
//! bytes ─ signature.rs ─ declaration.rs ─ rules.rs ─ Verdict
//!         Appendix F      in the family    a policy,
//!         by nom          found            rule by rule
//! ```
//!
//! A [`Detector`] takes bytes until it has its verdict and not one more: those that settle the signature and, where a
//! declaration follows, those up to its `>`. It keeps them and gives them back. How they were cut makes no difference.

mod declaration;
mod rules;
mod signature;
pub mod statistics;
mod verdict;

pub use declaration::DECLARATION_LIMIT;
pub use signature::{Family, Signature};
pub use verdict::{Diagnostic, Kind, Severity, Source, Verdict};

pub(crate) use declaration::{Declaration, Vacancy};
pub(crate) use signature::is_byte_order_mark;

use crate::codec::{Codec, begins_with, byte_order_mark, decode_strictly};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use declaration::{Scanned, Scanner};
use rules::{Evidence, Policy};
use signature::Recognised;
use std::sync::Arc;

/// What the caller knows or wants of detection.
#[derive(Clone, Default, Debug)]
pub struct Hints {
    /// The encoding, where the caller knows it. Authoritative.
    pub from: Option<Arc<dyn Codec>>,
    /// The charset that the transport gave.
    pub charset: Option<String>,
    /// The kind of document, where the caller knows it.
    pub kind: Option<Kind>,
    /// What to take when nothing tells, instead of the policy's last resort.
    pub fallback: Option<Arc<dyn Codec>>,
    /// What to take for EBCDIC whose page nothing names, instead of IBM037. Where it cannot be right (the katakana
    /// family has its letters elsewhere) it is not taken.
    pub ebcdic_fallback: Option<Arc<dyn Codec>>,
    /// Every warning is an error.
    pub strict: bool,
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
    policy: &'static Policy,
    prefix: Vec<u8>,
    state: State,
}

enum State {
    Signature,
    Declaration { beginning: Beginning, scanner: Scanner },
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

/// The longest byte order mark that a codec may have: UCS-4's, UTF-EBCDIC's and GB18030's.
const LONGEST_BOM: usize = 4;

impl Detector {
    /// A detector that looks labels up in `registry`.
    pub fn new(registry: Registry, hints: Hints) -> Self {
        Detector { registry, hints, policy: &rules::RFC7303, prefix: Vec::new(), state: State::Signature }
    }

    /// Takes bytes up to the verdict; answers how many. Fewer than were given means that the verdict is there, and the
    /// rest is the caller's.
    pub fn feed(&mut self, src: &[u8]) -> usize {
        let mut taken = 0;
        while taken < src.len() && !self.is_done() {
            let byte = src[taken];
            self.prefix.push(byte);
            taken += 1;
            match &mut self.state {
                State::Signature => self.recognise(false),
                State::Declaration { scanner, .. } => {
                    let scanned = scanner.take(byte);
                    self.scanned(scanned);
                }
                State::Done(_) => {}
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
        if matches!(self.state, State::Signature) {
            self.recognise(true);
        }
        if let State::Declaration { .. } = self.state {
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
            Err(error) => return self.conclude(&beginning, None, false, Err(error), Vec::new()),
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
            Scanned::None | Scanned::Whole => self.decide(false),
            Scanned::TooLong => self.decide(true),
        }
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
            declaration,
            head,
            fallback: self.hints.fallback.as_ref(),
            ebcdic_fallback: self.hints.ebcdic_fallback.as_ref(),
        }
    }

    fn decide(&mut self, too_long: bool) {
        let State::Declaration { beginning, scanner } = &self.state else { return };
        let beginning = beginning.clone();
        let bom_len = beginning.bom_len;
        let is_xml = scanner.is_xml();
        let head = &self.prefix[bom_len..];
        let ebcdic = scanner.is_ebcdic();
        // A declaration that is too long was not read, so it says nothing.
        let mut declaration = (scanner.is_declaration() && !too_long).then(|| scanner.declaration());
        let mut notes = Vec::new();
        let choice = if too_long {
            Err(ErrorKind::DeclarationTooLong { offset: bom_len as u64, limit: DECLARATION_LIMIT }.into())
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
                    Ok(("user", rules::Choice { codec, named, source: Source::User }))
                }
                None => self.policy.decide(&self.evidence(&beginning, declaration.as_ref(), head), &mut notes),
            }
        };
        if let Ok((_, choice)) = &choice
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
        if let Ok((_, choice)) = &choice
            && let [first, more @ ..] = self.registry.shadowed(&*choice.named)
        {
            let others = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            let message = format!("{} was registered over labels of {first}{others}", choice.named.name());
            notes.push(Diagnostic::hint("shadowed-codec", 0, message));
        }
        if let Some(found) = &mut declaration {
            // The chosen page knows its own quotes; the family's reading may have taken one for something else.
            let strange_only_to_family = found.malformed.is_some()
                && choice.as_ref().is_ok_and(|choice| {
                    decode_strictly(&*choice.1.codec, head).is_some_and(|text| {
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
        self.conclude(&beginning, declaration, is_xml, choice, notes);
    }

    fn conclude(
        &mut self,
        beginning: &Beginning,
        declaration: Option<Declaration>,
        is_xml: bool,
        choice: Result<(&'static str, rules::Choice), Error>,
        notes: Vec<Diagnostic>,
    ) {
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
        let head = &self.prefix[beginning.bom_len..];
        let declaration_is_read = declaration.is_none()
            || choice.as_ref().is_some_and(|(_, choice)| {
                decode_strictly(&*choice.codec, head).is_some_and(|text| text.starts_with("<?xml"))
            });
        let name = declaration.as_ref().and_then(|declaration| declaration.name.clone());
        let (declared, declared_span) = name.unzip();
        let (rule, choice) = choice.unzip();
        let found = if is_xml { Kind::Xml } else { Kind::Text };
        self.state = State::Done(Box::new(Verdict {
            encoding: choice.as_ref().map(|choice| choice.codec.name().to_owned()),
            family: beginning.signature.map_or(Family::Unknown, |row| row.family),
            kind: self.hints.kind.unwrap_or(found),
            signature: beginning.signature,
            declared,
            declared_span,
            charset: self.hints.charset.clone(),
            policy: self.policy.name,
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
