//! The policy `rfc3023`: the transport's charset is authoritative, and where it is silent the media type has a default
//! (RFC 3023 §3, obsolete). `spec/rfc3023.md`.

use super::{Choice, Diagnostic, Evidence, Rule, bom, declared, default, family, rule, statistics, utf16_without_bom};
use crate::detect::content_type::MediaKind;
use crate::detect::signature::Family;
use crate::detect::verdict::Source;
use crate::error::Error;

pub(super) static RULES: &[Rule] = &[
    // §3.1, §3.2: the charset parameter is authoritative, whatever the document says.
    rule("rfc3023:charset", charset),
    // §3.1: text/xml without a charset is US-ASCII, whatever the document says.
    rule("rfc3023:text-xml", text_xml),
    // §3.2: else as XML 1.0 §4.3.3 and Appendix F have it.
    rule("rfc3023:bom", bom),
    rule("rfc3023:declaration", declared),
    rule("rfc3023:family", family),
    rule("rfc3023:statistics", statistics),
    rule("rfc3023:default", default),
];

fn charset(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    let Some(label) = evidence.charset else { return Ok(None) };
    let named = evidence.registry.codec(label).map_err(|error| super::in_document(error, 0))?;
    let is_explicit = matches!(named.name(), "UTF-16BE" | "UTF-16LE");
    if is_explicit && evidence.bom().is_some() {
        // §4: a byte order mark is forbidden there.
        let message = format!("the transport says {label:?}, under which there must be no byte order mark");
        notes.push(Diagnostic::warning("charset-bom-conflict", 0, message));
    }
    let is_wide = matches!(evidence.bom(), Some(Family::Utf16Be | Family::Utf16Le));
    if named.name() == "UTF-16" && !is_wide {
        notes.push(utf16_without_bom(0));
    }
    let conflict = if evidence.bom().is_some() { "charset-bom-conflict" } else { "charset-family-conflict" };
    let codec = evidence.decoded(&named, (conflict, "the transport", 0), notes)?;
    if let Some((name, at)) = evidence.declared_name()
        && evidence.lookup(name).is_none_or(|declared| declared.name() != named.name())
    {
        let message = format!("the declaration says {name:?}, the transport {label:?}");
        notes.push(Diagnostic::warning("charset-declaration-conflict", at, message));
    }
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }.labelled(&label)))
}

fn text_xml(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    if evidence.media != Some(MediaKind::TextXml) {
        return Ok(None);
    }
    let named = match evidence.fallback {
        Some(fallback) => fallback.clone(),
        None => evidence.registry.codec("US-ASCII")?,
    };
    let source = if evidence.fallback.is_some() { Source::Fallback } else { Source::Default };
    let codec = evidence.decoded(&named, ("charset-family-conflict", "text/xml without a charset", 0), notes)?;
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, source) }.labelled(&label)))
}
