//! Policies: who is believed when byte order mark, transport, declaration and byte pattern are all there to be asked.
//!
//! A [`Policy`] is a table of rules with ids; the first rule that answers decides. `rfc7303` is the first of them
//! (`spec/rfc7303.md`); another policy is another table over the same [`Evidence`].

use super::declaration::{self, Declaration};
use super::signature::{Family, Signature};
use super::verdict::{Diagnostic, Source};
use crate::codec::{Codec, decode_strictly};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use std::sync::Arc;

/// A named rule set.
#[derive(Debug)]
pub(super) struct Policy {
    /// Its name, as `--policy` takes it.
    pub(super) name: &'static str,
    rules: &'static [Rule],
}

/// One step of a policy.
#[derive(Debug)]
struct Rule {
    id: &'static str,
    /// The choice, where the rule applies. It may leave diagnostics either way.
    decide: fn(&Evidence<'_>, &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error>,
}

/// RFC 7303 §3: byte order mark, then charset; without either XML 1.0 §4.3.3 and Appendix F.
pub(super) static RFC7303: Policy = Policy {
    name: "rfc7303",
    rules: &[
        // RFC 7303 §3.3: a byte order mark is authoritative.
        Rule { id: "rfc7303:bom", decide: bom },
        // RFC 7303 §3.2: else the charset parameter is.
        Rule { id: "rfc7303:charset", decide: charset },
        // XML 1.0 §4.3.3: else the declared name, where the bytes can be what it says (Appendix F.1).
        Rule { id: "rfc7303:declaration", decide: declared },
        // Appendix F.1: else the family, where it alone tells, or where the name contradicts it.
        Rule { id: "rfc7303:family", decide: family },
        // XML 1.0 §4.3.3: else UTF-8.
        Rule { id: "rfc7303:default", decide: default },
    ],
};

/// All that a rule may look at.
pub(super) struct Evidence<'a> {
    pub(super) registry: &'a Registry,
    pub(super) family: Family,
    pub(super) signature: Option<Signature>,
    pub(super) charset: Option<&'a str>,
    pub(super) declaration: Option<&'a Declaration>,
    /// The bytes of the declaration, or what was read in search of one; without byte order mark.
    pub(super) head: &'a [u8],
    pub(super) fallback: Option<&'a Arc<dyn Codec>>,
    pub(super) ebcdic_fallback: Option<&'a Arc<dyn Codec>>,
}

/// What a rule chose.
pub(super) struct Choice {
    pub(super) codec: Arc<dyn Codec>,
    /// What the label named before the bytes told its order.
    pub(super) named: Arc<dyn Codec>,
    pub(super) source: Source,
}

impl Choice {
    fn of(codec: Arc<dyn Codec>, source: Source) -> Self {
        Choice { named: codec.clone(), codec, source }
    }
}

impl Policy {
    /// The first rule that answers, and its answer.
    pub(super) fn decide(
        &self,
        evidence: &Evidence<'_>,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<(&'static str, Choice), Error> {
        for rule in self.rules {
            if let Some(choice) = (rule.decide)(evidence, notes)? {
                return Ok((rule.id, choice));
            }
        }
        Err(ErrorKind::PolicyRejects { offset: 0 }.into())
    }
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
    if !evidence.signature.is_some_and(|signature| signature.bom) {
        return Ok(None);
    }
    let codec = evidence.family_codec()?;
    let mut named = codec.clone();
    if let Some(charset) = evidence.charset
        && !evidence.agrees_with_bom(charset, &*codec)
    {
        notes.push(Diagnostic::warning(
            "charset-bom-conflict",
            0,
            format!("the transport says {charset:?}, the byte order mark {}", codec.name()),
        ));
    }
    if let Some((name, span)) = evidence.declaration.and_then(|declaration| declaration.name.as_ref()) {
        if !evidence.agrees_with_bom(name, &*codec) {
            notes.push(Diagnostic::warning(
                "bom-declaration-conflict",
                span.start,
                format!("the declaration says {name:?}, the byte order mark {}", codec.name()),
            ));
        } else if let Some(declared) = evidence.lookup(name) {
            named = declared;
        }
    }
    Ok(Some(Choice { codec, named, source: Source::Bom }))
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
    if let Some((name, span)) = evidence.declaration.and_then(|declaration| declaration.name.as_ref()) {
        let same = evidence.lookup(name).is_some_and(|declared| {
            declared.name() == codec.name()
                || declared.orders().is_some_and(|orders| orders.names.contains(&codec.name()))
        });
        if !same {
            notes.push(Diagnostic::warning(
                "charset-declaration-conflict",
                span.start,
                format!("the declaration says {name:?}, the transport {label:?}"),
            ));
        }
    }
    Ok(Some(Choice { codec, named, source: Source::Charset }))
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
    Ok(Some(Choice { codec, named, source: Source::Declaration }))
}

fn family(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let contradicted = evidence.declaration.is_some_and(|declaration| declaration.name.is_some());
    let family = evidence.family;
    if family.is_ebcdic() {
        let asked = evidence.ebcdic_fallback.filter(|codec| evidence.agrees_with_bytes(&***codec));
        let codec = asked.cloned().map_or_else(|| evidence.family_codec(), Ok)?;
        notes.push(Diagnostic::warning(
            "ebcdic-page-assumed",
            0,
            format!("EBCDIC whose page nothing names; {} is assumed", codec.name()),
        ));
        return Ok(Some(Choice::of(codec, Source::Signature)));
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
            return Ok(Some(Choice { codec, named: named.clone(), source: Source::Fallback }));
        }
        notes.push(Diagnostic::warning(
            "fallback-family-conflict",
            0,
            format!("{} was to be taken, but the first bytes are {}", codec.name(), evidence.family.name()),
        ));
    }
    Ok(Some(Choice::of(evidence.registry.codec("UTF-8")?, Source::Default)))
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
