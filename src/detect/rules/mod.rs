//! Policies: which evidence takes precedence when the byte order mark, the transport, the declaration and the byte
//! pattern each suggest an encoding.
//!
//! A [`Policy`] is a row of [`Policy::traits`]: a table of rules with ids, and what else it asks of detection. All rules work on the same [`Evidence`], and the first rule that applies
//! decides. This file contains `rfc7303` (`spec/rfc7303.md`) and what the tables share. Each other policy has its own
//! file.

mod feedparser;
mod rfc3023;
mod rome;
mod whatwg;

use super::content_type::{ContentType, MediaKind};
use super::declaration::{self, Declaration};
use super::html::Meta;
use super::policy::Policy;
use super::signature::{Family, Signature};
use super::statistics::{self, Guess};
use super::verdict::{Diagnostic, Kind, Source};
use crate::codec::{Codec, Stop, Utf8Sink, decode_strictly};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use std::cell::OnceCell;
use std::sync::Arc;

/// All that distinguishes one policy from another. Detection asks for these, never for a policy by its name.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    rules: &'static [Rule],
    /// White space may precede the declaration, although XML forbids it, and HTML is recognised by its first tags.
    pub(super) skips_space: bool,
    /// The contents are compared with the encoding that was found.
    pub(crate) checks_contents: bool,
    /// The rules ask statistics even if the caller does not.
    pub(super) always_guesses: bool,
    /// The rules ask in which family a declaration after a byte order mark is written.
    pub(super) looks_past_bom: bool,
    /// `+xml` counts only in `application/…+xml` and `text/…+xml`, not under any top-level type.
    pub(super) narrow_xml: bool,
    /// The label in a `meta` means what the Encoding Standard says.
    pub(super) web_labels: bool,
    /// The first bytes show only what browsers recognise in them.
    pub(super) web_signatures: bool,
    /// A document of no other known kind is HTML.
    pub(crate) assumes_html: bool,
}

/// A policy of XML: what most of them have in common.
const OF_XML: Traits = Traits {
    rules: &[],
    skips_space: false,
    checks_contents: false,
    always_guesses: false,
    looks_past_bom: false,
    narrow_xml: false,
    web_labels: true,
    web_signatures: false,
    assumes_html: false,
};

impl Policy {
    /// Returns the traits of the policy: its row of the table.
    pub(crate) const fn traits(self) -> Traits {
        match self {
            Policy::Rfc7303 => {
                Traits { rules: RFC7303, skips_space: true, checks_contents: true, web_labels: false, ..OF_XML }
            }
            Policy::Rfc3023 => Traits { rules: rfc3023::RULES, ..OF_XML },
            Policy::RomeStrict => Traits { rules: rome::STRICT, looks_past_bom: true, narrow_xml: true, ..OF_XML },
            Policy::RomeLenient => Traits { rules: rome::LENIENT, looks_past_bom: true, narrow_xml: true, ..OF_XML },
            Policy::Feedparser => Traits { rules: feedparser::RULES, always_guesses: true, narrow_xml: true, ..OF_XML },
            Policy::Whatwg => Traits { rules: whatwg::RULES, web_signatures: true, assumes_html: true, ..OF_XML },
        }
    }
}

impl Traits {
    /// Returns what the media type means to the policy.
    pub(super) fn media(&self, content_type: &ContentType) -> MediaKind {
        match content_type.kind() {
            MediaKind::AppXml if self.narrow_xml && !content_type.is_application() => MediaKind::Other,
            kind => kind,
        }
    }
}

/// One rule of a policy.
#[derive(Debug)]
struct Rule {
    id: &'static str,
    decide: RuleFn,
}

/// Returns the rule's choice, or `None` if the rule does not apply. It may add diagnostics in both cases.
type RuleFn = fn(&Evidence<'_>, &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error>;

const fn rule(id: &'static str, decide: RuleFn) -> Rule {
    Rule { id, decide }
}

const RFC7303: &[Rule] = &[
    // RFC 7303 §3.3: a byte order mark is authoritative.
    rule("rfc7303:bom", bom),
    // RFC 7303 §3.2: otherwise the charset parameter is authoritative.
    rule("rfc7303:charset", charset),
    // XML 1.0 §4.3.3: otherwise the declared name, if the bytes are consistent with it (Appendix F.1).
    rule("rfc7303:declaration", declared),
    // Appendix F.1: otherwise the family, if it alone determines the encoding or if the name contradicts it.
    rule("rfc7303:family", family),
    // HTML Standard §13.2.3.2: otherwise the `meta` of an HTML document.
    rule("rfc7303:meta", meta),
    // Statistics, if they are enabled.
    rule("rfc7303:statistics", statistics),
    // XML 1.0 §4.3.3: otherwise UTF-8.
    rule("rfc7303:default", default),
];

/// Everything that a rule may consider.
pub(super) struct Evidence<'a> {
    pub(super) registry: &'a Registry,
    pub(super) family: Family,
    pub(super) signature: Option<Signature>,
    /// The charset that the transport gave.
    pub(super) charset: Option<&'a str>,
    /// The media type that the transport gave, if there is a Content-Type.
    pub(super) media: Option<MediaKind>,
    /// The kind of document.
    pub(super) kind: Kind,
    /// The `meta` that the prescan found.
    pub(super) meta: Option<&'a Meta>,
    pub(super) declaration: Option<&'a Declaration>,
    /// The bytes of the declaration, or those read while looking for one; without the byte order mark.
    pub(super) head: &'a [u8],
    /// All bytes that were read, without the byte order mark. More than `head` if the policy looks further.
    pub(super) window: &'a [u8],
    /// Whether the input ends where `window` ends.
    pub(super) complete: bool,
    /// The result of statistics, if they are enabled. They run at most once, when a rule first needs them.
    pub(super) guess: Option<&'a OnceCell<Guess>>,
    pub(super) fallback: Option<&'a Arc<dyn Codec>>,
    pub(super) ebcdic_fallback: Option<&'a Arc<dyn Codec>>,
}

/// The choice of a rule.
pub(super) struct Choice {
    pub(super) codec: Arc<dyn Codec>,
    /// The codec that the label names, before the bytes determined its byte order.
    pub(super) named: Arc<dyn Codec>,
    pub(super) source: Source,
    /// The label to report, or `None` if the policy has none. It may differ from the codec's name.
    pub(super) label: Option<String>,
}

impl Choice {
    fn of(codec: Arc<dyn Codec>, source: Source) -> Self {
        Choice { label: Some(codec.name().to_owned()), named: codec.clone(), codec, source }
    }

    /// The same choice, reported as `label`.
    fn labelled(self, label: &str) -> Self {
        Choice { label: Some(label.to_owned()), ..self }
    }
}

impl Traits {
    /// Applies the rules in order. Returns the id of the first rule that applies, and its choice or error.
    pub(super) fn decide(
        &self,
        evidence: &Evidence<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> (Option<&'static str>, Result<Choice, Error>) {
        for rule in self.rules {
            match (rule.decide)(evidence, diagnostics) {
                Ok(None) => {}
                Ok(Some(choice)) => return (Some(rule.id), Ok(choice)),
                // An unknown label is an error of the label, not of a rule, so no rule is reported.
                Err(error) => {
                    let is_rule = matches!(error.kind(), ErrorKind::PolicyRejects { .. });
                    return (Some(rule.id).filter(|_| is_rule), Err(error));
                }
            }
        }
        (None, Err(rejected("nothing identifies the encoding")))
    }
}

/// The policy treats this as an error, for the reason `why`.
fn rejected(why: &'static str) -> Error {
    ErrorKind::PolicyRejects { offset: 0, why }.into()
}

impl Evidence<'_> {
    /// Returns the codec that the family alone determines.
    fn family_codec(&self) -> Result<Arc<dyn Codec>, Error> {
        self.registry.codec(match self.family {
            Family::Utf8 | Family::Ascii | Family::Unknown => "UTF-8",
            family => family.reading_label(),
        })
    }

    /// Resolves a label that leaves the byte order open: returns the codec of the order that the bytes show, or else of
    /// the first order listed. Any other codec is returned unchanged.
    pub(super) fn in_order(&self, named: &Arc<dyn Codec>) -> Result<Arc<dyn Codec>, Error> {
        let Some(orders) = named.info().byte_orders else { return Ok(named.clone()) };
        let shown = self.family.reading_label();
        let name = orders.names.iter().find(|name| **name == shown).or(orders.names.first());
        name.map_or_else(|| Ok(named.clone()), |name| self.registry.codec(name))
    }

    /// Returns the family of the byte order mark, if there is one.
    pub(super) fn bom(&self) -> Option<Family> {
        self.signature.filter(|row| row.bom).map(|row| row.family)
    }

    /// Returns the result of statistics, if they are enabled.
    pub(super) fn guess(&self) -> Option<&Guess> {
        let ask = || statistics::guess(self.window, self.complete, self.registry);
        self.guess.map(|asked| asked.get_or_init(ask))
    }

    /// Returns the declared name and its position.
    pub(super) fn declared_name(&self) -> Option<(&str, u64)> {
        let (name, span) = self.declaration?.name.as_ref()?;
        Some((name, span.start))
    }

    /// Returns the codec that decodes these bytes if a label names `named`: `named` itself, in the byte order that the
    /// bytes show, or else the codec of the bytes' own family. The tuple is for the diagnostic in the second
    /// case: its code, how its message begins ("the transport says"), and its offset.
    pub(super) fn decoded(
        &self,
        named: &Arc<dyn Codec>,
        (of, says, at): (&'static str, &str, u64),
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Arc<dyn Codec>, Error> {
        let codec = self.in_order(named)?;
        let fits = match (self.bom(), self.declared_name()) {
            (Some(_), _) => self.family_codec()?.name() == codec.name(),
            // Only a name in the document belongs to a whole declaration that can be checked against it.
            (None, Some((name, place))) if at == place && at > 0 => self.fits(&*codec, name),
            (None, _) => self.agrees_with_bytes(&*codec),
        };
        if fits {
            return Ok(codec);
        }
        let message = format!("{says} {}, but the first bytes are {}", named.name(), self.family.name());
        diagnostics.push(Diagnostic::warning(of, at, message));
        self.by_family(diagnostics)
    }

    /// Returns the codec for bytes that contradict the label. If the bytes themselves declare an encoding that they can
    /// be in, it is that one; otherwise it is the codec of their family. EBCDIC bytes do not show their page, so a page
    /// is assumed, with a diagnostic.
    pub(super) fn by_family(&self, diagnostics: &mut Vec<Diagnostic>) -> Result<Arc<dyn Codec>, Error> {
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
            diagnostics.push(Diagnostic::warning(
                "ebcdic-page-assumed",
                0,
                format!("the input is EBCDIC but names no code page; assuming {}", codec.name()),
            ));
        }
        Ok(codec)
    }

    /// Returns the codec of the family. For EBCDIC, this is the caller's page if the bytes are consistent with it.
    pub(super) fn page_or_family(&self) -> Result<Arc<dyn Codec>, Error> {
        let page = self.ebcdic_fallback.filter(|_| self.family.is_ebcdic());
        let page = page.filter(|codec| self.agrees_with_bytes(&***codec));
        page.cloned().map_or_else(|| self.family_codec(), Ok)
    }

    /// Reports a transport or a declaration that contradicts the byte order mark of `codec`.
    pub(super) fn conflicts_with_bom(&self, codec: &dyn Codec, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(charset) = self.charset
            && !self.agrees_with_bom(charset, codec)
        {
            let message =
                format!("the transport says {charset:?}, but the byte order mark is that of {}", codec.name());
            diagnostics.push(Diagnostic::warning("charset-bom-conflict", 0, message));
        }
        if let Some((name, at)) = self.declared_name()
            && !self.agrees_with_bom(name, codec)
        {
            let message = format!("the declaration says {name:?}, but the byte order mark is that of {}", codec.name());
            diagnostics.push(Diagnostic::warning("bom-declaration-conflict", at, message));
        }
    }

    /// Reports a declaration that contradicts a charset that is decoded by `codec`.
    pub(super) fn conflicts_with_charset(&self, label: &str, codec: &dyn Codec, diagnostics: &mut Vec<Diagnostic>) {
        let Some((name, at)) = self.declared_name() else { return };
        let same = self.lookup(name).is_some_and(|declared| {
            declared.name() == codec.name()
                || declared.info().byte_orders.is_some_and(|orders| orders.names.contains(&codec.name()))
        });
        if !same {
            let message = format!("the declaration says {name:?}, but the transport says {label:?}");
            diagnostics.push(Diagnostic::warning("charset-declaration-conflict", at, message));
        }
    }

    /// Returns whether `codec` decodes the window without an error. A character that the end of the window cuts does
    /// not count as one.
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

    /// Returns the codec that `label` names, or `None` if the label is unknown or unsupported.
    fn lookup(&self, label: &str) -> Option<Arc<dyn Codec>> {
        self.registry.declared_if_known(label)
    }

    /// Returns whether `label` is consistent with a byte order mark of `codec`. RFC 2781 §3.3 forbids the mark with a
    /// label that already says the byte order, even if they agree.
    pub(super) fn agrees_with_bom(&self, label: &str, codec: &dyn Codec) -> bool {
        self.lookup(label).is_some_and(|named| match named.info().byte_orders {
            Some(orders) => orders.names.contains(&codec.name()),
            None => named.name() == codec.name() && !matches!(codec.name(), "UTF-16BE" | "UTF-16LE"),
        })
    }

    /// Returns whether `codec` decodes the declaration's bytes to a declaration with the same name. If so, name and
    /// bytes agree.
    fn fits(&self, codec: &dyn Codec, name: &str) -> bool {
        decode_strictly(codec, self.head).is_some_and(|text| {
            text.starts_with("<?xml")
                && declaration::read(&text, self.family.is_ebcdic()).name.is_some_and(|range| &text[range] == name)
        })
    }

    /// Returns whether `codec` decodes the bytes of the signature to the same text as the family's codec does. Also
    /// true if there is no signature, or if it is a byte order mark.
    pub(super) fn agrees_with_bytes(&self, codec: &dyn Codec) -> bool {
        let Some(row) = self.signature.filter(|row| !row.bom) else { return true };
        let reader = self.registry.codec(self.family.reading_label());
        reader.is_ok_and(|reader| {
            let expected = decode_strictly(&*reader, row.bytes);
            expected.is_some() && decode_strictly(codec, row.bytes) == expected
        })
    }
}

fn bom(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    if evidence.bom().is_none() {
        return Ok(None);
    }
    let codec = evidence.family_codec()?;
    evidence.conflicts_with_bom(&*codec, diagnostics);
    let declared = evidence.declared_name().filter(|(name, _)| evidence.agrees_with_bom(name, &*codec));
    let named = declared.and_then(|(name, _)| evidence.lookup(name)).unwrap_or_else(|| codec.clone());
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Bom) }))
}

fn charset(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some(label) = evidence.charset else { return Ok(None) };
    let named = evidence.registry.declared(label).map_err(|error| in_document(error, 0))?;
    let codec = evidence.in_order(&named)?;
    if !evidence.agrees_with_bytes(&*codec) {
        diagnostics.push(Diagnostic::warning(
            "charset-family-conflict",
            0,
            format!("the transport says {label:?}, but the first bytes are {}", evidence.family.name()),
        ));
        return Ok(None);
    }
    if named.name() == "UTF-16" {
        diagnostics.push(utf16_without_bom(0));
    }
    evidence.conflicts_with_charset(label, &*codec, diagnostics);
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }))
}

fn declared(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some((name, span)) = evidence.declaration.and_then(|declaration| declaration.name.as_ref()) else {
        return Ok(None);
    };
    let named = evidence.registry.declared(name).map_err(|error| in_document(error, span.start))?;
    let codec = evidence.in_order(&named)?;
    if !evidence.fits(&*codec, name) {
        diagnostics.push(Diagnostic::warning(
            "family-declaration-conflict",
            span.start,
            format!("the declaration says {name:?}, but its bytes are {}", evidence.family.name()),
        ));
        return Ok(None);
    }
    if named.name() == "UTF-16" {
        diagnostics.push(utf16_without_bom(span.start));
    }
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Declaration) }))
}

fn family(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let contradicted = evidence.declaration.is_some_and(|declaration| declaration.name.is_some());
    let family = evidence.family;
    if family.is_ebcdic() {
        return Ok(Some(Choice::of(evidence.by_family(diagnostics)?, Source::Signature)));
    }
    if family.is_wide() && !contradicted {
        diagnostics.push(Diagnostic::warning(
            "unlabelled-family",
            0,
            format!("the input is {} without a byte order mark or a declared encoding", family.name()),
        ));
    }
    if family.is_wide() || contradicted {
        return Ok(Some(Choice::of(evidence.family_codec()?, Source::Signature)));
    }
    Ok(None)
}

/// Chooses the encoding that the `meta` of an HTML document names, if it can be that of the bytes of the `meta` itself.
fn meta(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some(meta) = evidence.meta.filter(|_| evidence.kind == Kind::Html) else { return Ok(None) };
    let Some((label, span)) = &meta.label else { return Ok(None) };
    let at = span.start as u64;
    let named = evidence.registry.declared(&meta.encoding).map_err(|error| in_document(error, at))?;
    let reads_label = |codec: &dyn Codec| decode_strictly(codec, label.as_bytes()).as_ref() == Some(label);
    if named.name() == "UTF-7" || !reads_label(&*named) {
        let message = format!("the meta says {label:?}, but its bytes are ASCII");
        diagnostics.push(Diagnostic::warning("family-declaration-conflict", at, message));
        return Ok(None);
    }
    Ok(Some(Choice::of(named, Source::Meta)))
}

fn default(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    if let Some(named) = evidence.fallback {
        let codec = evidence.in_order(named)?;
        if evidence.agrees_with_bytes(&*codec) {
            return Ok(Some(Choice { named: named.clone(), ..Choice::of(codec, Source::Fallback) }));
        }
        diagnostics.push(Diagnostic::warning(
            "fallback-family-conflict",
            0,
            format!("the fallback is {}, but the first bytes are {}", codec.name(), evidence.family.name()),
        ));
    }
    Ok(Some(Choice::of(evidence.registry.codec("UTF-8")?, Source::Default)))
}

/// Chooses the first candidate of statistics, if they are enabled and have one.
fn statistics(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some(guess) = evidence.guess() else { return Ok(None) };
    let Some(first) = guess.candidates().first() else { return Ok(None) };
    let codec = evidence.registry.codec(&first.codec)?;
    if !evidence.agrees_with_bytes(&*codec) {
        return Ok(None);
    }
    if let Guess::Ambiguous(_) = guess {
        let others: Vec<&str> = guess.candidates().iter().skip(1).take(3).map(|other| &*other.codec).collect();
        let message = match &others[..] {
            [] => format!("weak guess: {}", first.codec),
            others => format!("ambiguous guess: {} (also possible: {})", first.codec, others.join(", ")),
        };
        diagnostics.push(Diagnostic::warning("guess-ambiguous", 0, message));
    }
    Ok(Some(Choice::of(codec, Source::Statistics)))
}

fn utf16_without_bom(offset: u64) -> Diagnostic {
    Diagnostic::warning("utf16-without-bom", offset, "UTF-16 without the required byte order mark")
}

/// Adds the position in the document to the error for an unknown or unsupported label.
fn in_document(error: Error, at: u64) -> Error {
    match error.kind() {
        ErrorKind::UnknownLabel { label, near, .. } => {
            ErrorKind::UnknownLabel { label: label.clone(), offset: Some(at), near: near.clone() }.into()
        }
        ErrorKind::UnsupportedLabel { label, reason, .. } => {
            ErrorKind::UnsupportedLabel { label: label.clone(), reason, offset: Some(at) }.into()
        }
        _ => error,
    }
}

/// Returns the name of the encoding that `label` means under the web's rules.
pub(super) fn web_name(registry: &Registry, label: &str) -> Option<String> {
    whatwg::codec_of(registry, label).map(|codec| codec.name().to_owned())
}
