//! Policies: who is believed when byte order mark, transport, declaration and byte pattern are all there to be asked.
//!
//! A [`Policy`] is a table of rules with ids over the same [`Evidence`]; the first rule that answers decides. Here are
//! `rfc7303` (`spec/rfc7303.md`) and what the tables have in common; each other policy has a file of its own.

mod feedparser;
mod rfc3023;
mod rome;
mod whatwg;

use super::content_type::{ContentType, MediaKind};
use super::declaration::{self, Declaration};
use super::html::Meta;
use super::signature::{Family, Signature};
use super::statistics::{self, Guess};
use super::verdict::{Diagnostic, Kind, Source};
use crate::codec::{Codec, Stop, Utf8Sink, decode_strictly};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use crate::words::words;
use std::cell::OnceCell;
use std::sync::Arc;

/// A named rule set.
///
/// No one rule set agrees with all the software that is out there, so the rule set is a value. Each has its rules, with
/// ids, in `spec/`.
///
/// ```
/// use charpipe::detect::Policy;
///
/// assert_eq!("rome-strict".parse(), Ok(Policy::RomeStrict));
/// assert_eq!(Policy::default().to_string(), "rfc7303");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// RFC 7303 §3: byte order mark, then charset; without either XML 1.0 §4.3.3 and Appendix F.
    #[default]
    Rfc7303,
    /// RFC 3023 §3, which RFC 7303 replaced: the charset is authoritative, and `text/xml` without one is US-ASCII.
    Rfc3023,
    /// The algorithms of ROME's XmlReader as its document has them (rules 1.0 to 1.7 and 2.0 to 2.6): what contradicts
    /// itself is an error.
    RomeStrict,
    /// The same with ROME's lenient order after it, so that nothing is.
    RomeLenient,
    /// Universal Feed Parser: RFC 3023 first, then one encoding after the other, until one can decode.
    Feedparser,
    /// The web's: byte order mark, charset, `meta`, and labels as the Encoding Standard means them.
    Whatwg,
}

words! {
    Policy {
        Rfc7303: "rfc7303", Rfc3023: "rfc3023", RomeStrict: "rome-strict", RomeLenient: "rome-lenient",
        Feedparser: "feedparser", Whatwg: "whatwg",
    }
}

impl Policy {
    /// What the media type means to this policy. RFC 3023 and RFC 7303 know `+xml` under any top-level type; ROME and
    /// feedparser only know `application/…+xml` and `text/…+xml`.
    pub(super) fn media(self, content_type: &ContentType) -> MediaKind {
        let is_narrow = matches!(self, Policy::RomeStrict | Policy::RomeLenient | Policy::Feedparser);
        match content_type.kind() {
            MediaKind::AppXml if is_narrow && !content_type.is_application() => MediaKind::Other,
            kind => kind,
        }
    }

    /// Whether it asks in which family a declaration behind a byte order mark is written.
    pub(super) fn looks_behind_bom(self) -> bool {
        matches!(self, Policy::RomeStrict | Policy::RomeLenient)
    }

    fn rules(self) -> &'static [Rule] {
        match self {
            Policy::Rfc7303 => RFC7303,
            Policy::Rfc3023 => rfc3023::RULES,
            Policy::RomeStrict => rome::STRICT,
            Policy::RomeLenient => rome::LENIENT,
            Policy::Feedparser => feedparser::RULES,
            Policy::Whatwg => whatwg::RULES,
        }
    }
}

/// One step of a policy.
#[derive(Debug)]
struct Rule {
    id: &'static str,
    decide: Decide,
}

/// The choice, where the rule applies. It may leave diagnostics either way.
type Decide = fn(&Evidence<'_>, &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error>;

const fn rule(id: &'static str, decide: Decide) -> Rule {
    Rule { id, decide }
}

static RFC7303: &[Rule] = &[
    // RFC 7303 §3.3: a byte order mark is authoritative.
    rule("rfc7303:bom", bom),
    // RFC 7303 §3.2: else the charset parameter is.
    rule("rfc7303:charset", charset),
    // XML 1.0 §4.3.3: else the declared name, where the bytes can be what it says (Appendix F.1).
    rule("rfc7303:declaration", declared),
    // Appendix F.1: else the family, where it alone tells, or where the name contradicts it.
    rule("rfc7303:family", family),
    // Statistics, where they may speak.
    rule("rfc7303:statistics", statistics),
    // XML 1.0 §4.3.3: else UTF-8.
    rule("rfc7303:default", default),
];

/// All that a rule may look at.
pub(super) struct Evidence<'a> {
    pub(super) registry: &'a Registry,
    pub(super) family: Family,
    pub(super) signature: Option<Signature>,
    /// What the transport says.
    pub(super) charset: Option<&'a str>,
    /// Its media type, where there is a Content-Type.
    pub(super) media: Option<MediaKind>,
    /// What kind of document it is.
    pub(super) kind: Kind,
    /// The `meta` that the prescan found.
    pub(super) meta: Option<&'a Meta>,
    pub(super) declaration: Option<&'a Declaration>,
    /// The bytes of the declaration, or what was read in search of one; without byte order mark.
    pub(super) head: &'a [u8],
    /// All bytes that were read, without byte order mark; more than `head` where the policy looks further.
    pub(super) window: &'a [u8],
    /// The input ends with them.
    pub(super) complete: bool,
    /// What statistics say, where they may speak: asked once, and only by the rule that needs it.
    pub(super) guess: Option<&'a OnceCell<Guess>>,
    pub(super) fallback: Option<&'a Arc<dyn Codec>>,
    pub(super) ebcdic_fallback: Option<&'a Arc<dyn Codec>>,
}

/// What a rule chose.
pub(super) struct Choice {
    pub(super) codec: Arc<dyn Codec>,
    /// What the label named before the bytes told its order.
    pub(super) named: Arc<dyn Codec>,
    pub(super) source: Source,
    /// The label to report; none where the policy knows none. It need not be the codec's name.
    pub(super) label: Option<String>,
}

impl Choice {
    fn of(codec: Arc<dyn Codec>, source: Source) -> Self {
        Choice { label: Some(codec.name().to_owned()), named: codec.clone(), codec, source }
    }

    /// The same, reported as `label`.
    fn labelled(self, label: &str) -> Self {
        Choice { label: Some(label.to_owned()), ..self }
    }
}

impl Policy {
    /// The first rule that answers, and its answer; a rule may answer with an error.
    pub(super) fn decide(
        self,
        evidence: &Evidence<'_>,
        notes: &mut Vec<Diagnostic>,
    ) -> (Option<&'static str>, Result<Choice, Error>) {
        for rule in self.rules() {
            match (rule.decide)(evidence, notes) {
                Ok(None) => {}
                Ok(Some(choice)) => return (Some(rule.id), Ok(choice)),
                // That a label is unknown is no rule's doing.
                Err(error) => {
                    let is_rule = matches!(error.kind(), ErrorKind::PolicyRejects { .. });
                    return (Some(rule.id).filter(|_| is_rule), Err(error));
                }
            }
        }
        (None, Err(rejected("nothing tells what the encoding is")))
    }
}

/// The policy says that this is an error, and why.
fn rejected(why: &'static str) -> Error {
    ErrorKind::PolicyRejects { offset: 0, why }.into()
}

impl Evidence<'_> {
    /// The codec that the family names by itself.
    fn family_codec(&self) -> Result<Arc<dyn Codec>, Error> {
        self.registry.codec(match self.family {
            Family::Utf8 | Family::Ascii | Family::Unknown => "UTF-8",
            family => family.reading_label(),
        })
    }

    /// For a label that leaves the order to the bytes, the codec of the order they show, else of the first; any other
    /// codec as it is.
    pub(super) fn in_order(&self, named: &Arc<dyn Codec>) -> Result<Arc<dyn Codec>, Error> {
        let Some(orders) = named.orders() else { return Ok(named.clone()) };
        let shown = self.family.reading_label();
        let name = orders.names.iter().find(|name| **name == shown).or(orders.names.first());
        name.map_or_else(|| Ok(named.clone()), |name| self.registry.codec(name))
    }

    /// What the bytes themselves show before any name: the row of a byte order mark, or of a declaration without one.
    pub(super) fn bom(&self) -> Option<Family> {
        self.signature.filter(|row| row.bom).map(|row| row.family)
    }

    /// What statistics say, where they may speak.
    pub(super) fn guess(&self) -> Option<&Guess> {
        let ask = || statistics::guess(self.window, self.complete, self.registry);
        self.guess.map(|asked| asked.get_or_init(ask))
    }

    /// The declared name and where it stands.
    pub(super) fn declared_name(&self) -> Option<(&str, u64)> {
        let (name, span) = self.declaration?.name.as_ref()?;
        Some((name, span.start))
    }

    /// What `named` decodes these bytes as: itself, in the order that they show, or else what their family says, since
    /// bytes don't lie. `of` is the diagnostic for that, `says` who said so, at which byte.
    pub(super) fn decoded(
        &self,
        named: &Arc<dyn Codec>,
        (of, says, at): (&'static str, &str, u64),
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Arc<dyn Codec>, Error> {
        let codec = self.in_order(named)?;
        let fits = match (self.bom(), self.declared_name()) {
            (Some(_), _) => self.family_codec()?.name() == codec.name(),
            // Only a name in the document has a whole declaration to be held against.
            (None, Some((name, place))) if at == place && at > 0 => self.fits(&*codec, name),
            (None, _) => self.agrees_with_bytes(&*codec),
        };
        if fits {
            return Ok(codec);
        }
        let message = format!("{says} says {}, the first bytes are {}", named.name(), self.family.name());
        notes.push(Diagnostic::warning(of, at, message));
        self.by_family(notes)
    }

    /// What the bytes are where they contradict whoever had the say: what they themselves declare, if they can be that,
    /// or else their family. EBCDIC tells no page, so one is assumed, and a diagnostic says so.
    pub(super) fn by_family(&self, notes: &mut Vec<Diagnostic>) -> Result<Arc<dyn Codec>, Error> {
        if let Some((name, _)) = self.declared_name().filter(|_| self.bom().is_none())
            && let Some(named) = self.lookup(name)
        {
            let codec = self.in_order(&named)?;
            if self.fits(&*codec, name) {
                return Ok(codec);
            }
        }
        let codec = self.page_or_family()?;
        if self.family.is_ebcdic() {
            notes.push(Diagnostic::warning(
                "ebcdic-page-assumed",
                0,
                format!("EBCDIC whose page nothing names; {} is assumed", codec.name()),
            ));
        }
        Ok(codec)
    }

    /// The codec of the family; for EBCDIC the page that the caller has for it, where that can be right.
    pub(super) fn page_or_family(&self) -> Result<Arc<dyn Codec>, Error> {
        let page = self.ebcdic_fallback.filter(|_| self.family.is_ebcdic());
        let page = page.filter(|codec| self.agrees_with_bytes(&***codec));
        page.cloned().map_or_else(|| self.family_codec(), Ok)
    }

    /// What transport and declaration say beside the byte order mark of `codec`.
    pub(super) fn conflicts_with_bom(&self, codec: &dyn Codec, notes: &mut Vec<Diagnostic>) {
        if let Some(charset) = self.charset
            && !self.agrees_with_bom(charset, codec)
        {
            let message = format!("the transport says {charset:?}, the byte order mark {}", codec.name());
            notes.push(Diagnostic::warning("charset-bom-conflict", 0, message));
        }
        if let Some((name, at)) = self.declared_name()
            && !self.agrees_with_bom(name, codec)
        {
            let message = format!("the declaration says {name:?}, the byte order mark {}", codec.name());
            notes.push(Diagnostic::warning("bom-declaration-conflict", at, message));
        }
    }

    /// What the declaration says beside a charset that is decoded by `codec`.
    pub(super) fn conflicts_with_charset(&self, label: &str, codec: &dyn Codec, notes: &mut Vec<Diagnostic>) {
        let Some((name, at)) = self.declared_name() else { return };
        let same = self.lookup(name).is_some_and(|declared| {
            declared.name() == codec.name()
                || declared.orders().is_some_and(|orders| orders.names.contains(&codec.name()))
        });
        if !same {
            let message = format!("the declaration says {name:?}, the transport {label:?}");
            notes.push(Diagnostic::warning("charset-declaration-conflict", at, message));
        }
    }

    /// Whether `codec` decodes the window; a character that the end of the window cuts does not count.
    pub(super) fn decodes(&self, codec: &dyn Codec) -> bool {
        let mut decoder = codec.decoder();
        let mut room = [0; 4096];
        let mut rest = self.window;
        loop {
            let mut sink = Utf8Sink::new(&mut room);
            let step = decoder.feed(rest, &mut sink);
            match (step.stop, rest.get(step.read..)) {
                (Stop::InputEmpty, _) => break,
                (Stop::OutputFull, Some(more)) if step.read > 0 || sink.written() > 0 => rest = more,
                _ => return false,
            }
        }
        !self.complete || decoder.finish(&mut Utf8Sink::new(&mut room)) == Stop::InputEmpty
    }

    /// The codec that `label` names; `None`, too, where it names none.
    fn lookup(&self, label: &str) -> Option<Arc<dyn Codec>> {
        self.registry.codec(label).ok()
    }

    /// Whether `label` may stand beside a byte order mark of `codec`. RFC 2781 §3.3 forbids the mark under a label that
    /// already says the order, even if they agree.
    pub(super) fn agrees_with_bom(&self, label: &str, codec: &dyn Codec) -> bool {
        self.lookup(label).is_some_and(|named| match named.orders() {
            Some(orders) => orders.names.contains(&codec.name()),
            None => named.name() == codec.name() && !matches!(codec.name(), "UTF-16BE" | "UTF-16LE"),
        })
    }

    /// Whether the declaration's bytes, decoded by `codec`, are a declaration that gives the same name: then name and
    /// bytes agree, whatever the codec.
    fn fits(&self, codec: &dyn Codec, name: &str) -> bool {
        decode_strictly(codec, self.head).is_some_and(|text| {
            text.starts_with("<?xml")
                && declaration::read(&text, self.family.is_ebcdic()).name.is_some_and(|range| &text[range] == name)
        })
    }

    /// Whether `codec` reads in the bytes of the signature what the family says that they are; true, too, where there
    /// is no signature, or one that is a byte order mark.
    pub(super) fn agrees_with_bytes(&self, codec: &dyn Codec) -> bool {
        let Some(row) = self.signature.filter(|row| !row.bom) else { return true };
        let reader = self.registry.codec(self.family.reading_label());
        reader.is_ok_and(|reader| {
            let expected = decode_strictly(&*reader, row.bytes);
            expected.is_some() && decode_strictly(codec, row.bytes) == expected
        })
    }
}

fn bom(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    if evidence.bom().is_none() {
        return Ok(None);
    }
    let codec = evidence.family_codec()?;
    evidence.conflicts_with_bom(&*codec, notes);
    let declared = evidence.declared_name().filter(|(name, _)| evidence.agrees_with_bom(name, &*codec));
    let named = declared.and_then(|(name, _)| evidence.lookup(name)).unwrap_or_else(|| codec.clone());
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Bom) }))
}

fn charset(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some(label) = evidence.charset else { return Ok(None) };
    let named = evidence.registry.codec(label).map_err(|error| in_document(error, 0))?;
    let codec = evidence.in_order(&named)?;
    if !evidence.agrees_with_bytes(&*codec) {
        notes.push(Diagnostic::warning(
            "charset-family-conflict",
            0,
            format!("the transport says {label:?}, the first bytes are {}", evidence.family.name()),
        ));
        return Ok(None);
    }
    if named.name() == "UTF-16" {
        notes.push(utf16_without_bom(0));
    }
    evidence.conflicts_with_charset(label, &*codec, notes);
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }))
}

fn declared(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some((name, span)) = evidence.declaration.and_then(|declaration| declaration.name.as_ref()) else {
        return Ok(None);
    };
    let named = evidence.registry.codec(name).map_err(|error| in_document(error, span.start))?;
    let codec = evidence.in_order(&named)?;
    if !evidence.fits(&*codec, name) {
        notes.push(Diagnostic::warning(
            "family-declaration-conflict",
            span.start,
            format!("the declaration says {name:?}, its bytes are {}", evidence.family.name()),
        ));
        return Ok(None);
    }
    if named.name() == "UTF-16" {
        notes.push(utf16_without_bom(span.start));
    }
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Declaration) }))
}

fn family(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let contradicted = evidence.declaration.is_some_and(|declaration| declaration.name.is_some());
    let family = evidence.family;
    if family.is_ebcdic() {
        return Ok(Some(Choice::of(evidence.by_family(notes)?, Source::Signature)));
    }
    if family.is_wide() && !contradicted {
        notes.push(Diagnostic::warning(
            "unlabelled-family",
            0,
            format!("{} without byte order mark or declared name", family.name()),
        ));
    }
    if family.is_wide() || contradicted {
        return Ok(Some(Choice::of(evidence.family_codec()?, Source::Signature)));
    }
    Ok(None)
}

fn default(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    if let Some(named) = evidence.fallback {
        let codec = evidence.in_order(named)?;
        if evidence.agrees_with_bytes(&*codec) {
            return Ok(Some(Choice { named: named.clone(), ..Choice::of(codec, Source::Fallback) }));
        }
        notes.push(Diagnostic::warning(
            "fallback-family-conflict",
            0,
            format!("{} was to be taken, but the first bytes are {}", codec.name(), evidence.family.name()),
        ));
    }
    Ok(Some(Choice::of(evidence.registry.codec("UTF-8")?, Source::Default)))
}

/// The first candidate of statistics, where they may speak and have one.
fn statistics(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some(guess) = evidence.guess() else { return Ok(None) };
    let Some(first) = guess.candidates().first() else { return Ok(None) };
    let codec = evidence.registry.codec(&first.codec)?;
    if !evidence.agrees_with_bytes(&*codec) {
        return Ok(None);
    }
    if let Guess::Ambiguous(_) = guess {
        let others: Vec<&str> = guess.candidates().iter().skip(1).take(3).map(|other| &*other.codec).collect();
        let message = match &others[..] {
            [] => format!("a guess that little speaks for: {}", first.codec),
            others => format!("a guess that others come close to: {}, or {}", first.codec, others.join(", ")),
        };
        notes.push(Diagnostic::warning("guess-ambiguous", 0, message));
    }
    Ok(Some(Choice::of(codec, Source::Statistics)))
}

fn utf16_without_bom(offset: u64) -> Diagnostic {
    Diagnostic::warning("utf16-without-bom", offset, "UTF-16 without the byte order mark that it must have")
}

/// An unknown or unsupported label, with the place where the document gives it.
fn in_document(error: Error, at: u64) -> Error {
    match error.kind() {
        ErrorKind::UnknownLabel { label, near, .. } => {
            ErrorKind::UnknownLabel { label: label.clone(), offset: Some(at), near: near.clone() }.into()
        }
        ErrorKind::UnsupportedLabel { label, .. } => {
            ErrorKind::UnsupportedLabel { label: label.clone(), offset: Some(at) }.into()
        }
        _ => error,
    }
}

/// The name of what `label` means under the web's rules.
pub(super) fn web_name(registry: &Registry, label: &str) -> Option<String> {
    whatwg::codec_of(registry, label).map(|codec| codec.name().to_owned())
}
