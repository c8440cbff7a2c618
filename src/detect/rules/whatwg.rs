//! The policy `whatwg`: what browsers do. The byte order mark, the charset, then `meta`; labels mean what the Encoding
//! Standard says. See `spec/whatwg.md`.

use super::rfc7303::{self, family, statistics};
use super::rule::{Answer, Choice, Evidence, Rule, rule};
use crate::codec::Codec;
use crate::detect::html::{Meta, Via};
use crate::detect::signature::Family;
use crate::detect::verdict::{Diagnostic, Kind, Source};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use std::sync::Arc;

pub(super) const RULES: &[Rule] = &[
    // Encoding Standard, "BOM sniff": it overrides everything else, and there are three marks.
    rule("whatwg:bom", bom),
    // HTML Standard §13.2.3.2, step 4: the transport.
    rule("whatwg:charset", charset),
    // Step 5: the prescan. XML has its declaration instead.
    rule("whatwg:meta", meta),
    rule("whatwg:declaration", declaration),
    rule("whatwg:family", xml_family),
    // Step 8: autodetection, if it is enabled.
    rule("whatwg:statistics", statistics),
    // Step 9.
    rule("whatwg:default", default),
];

/// Returns the codec that `label` means in the Encoding Standard.
pub(in crate::detect) fn codec_of(registry: &Registry, label: &str) -> Option<Arc<dyn Codec>> {
    #[cfg(feature = "whatwg")]
    {
        let _ = registry;
        crate::codec::web::for_web_label(label)
    }
    // Without the web's charsets, labels mean what they mean elsewhere.
    #[cfg(not(feature = "whatwg"))]
    registry.declared_if_known(label)
}

/// Returns the name of the encoding that `label` means under the web's rules.
pub(in crate::detect) fn web_name(registry: &Registry, label: &str) -> Option<String> {
    codec_of(registry, label).map(|codec| codec.name().to_owned())
}

/// Why a label that the Encoding Standard maps to `replacement` is refused.
const REPLACED: &str = "the Encoding Standard lets no document choose it; name the encoding yourself to read it";

/// Returns the codec that the label names. Fails for an encoding that must not be decoded at all.
fn named(evidence: &Evidence<'_>, label: &str, at: u64) -> Result<Option<Arc<dyn Codec>>, Error> {
    match codec_of(evidence.registry, label) {
        Some(codec) if codec.name() == "replacement" => {
            Err(ErrorKind::UnsupportedLabel { label: label.to_owned(), reason: REPLACED, offset: Some(at) }.into())
        }
        found => Ok(found),
    }
}

fn bom(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if evidence.bom().is_none() {
        return Ok(None);
    }
    let codec = evidence.family_codec()?;
    evidence.conflicts_with_bom(&*codec, diagnostics);
    if let Some(meta) = evidence.meta
        && meta.encoding != codec.name()
    {
        let message =
            format!("the document says {:?}, but the byte order mark is that of {}", meta.encoding, codec.name());
        diagnostics.push(Diagnostic::warning("bom-declaration-conflict", meta_at(evidence, meta), message));
    }
    Ok(Some(Choice::of(codec, Source::Bom)))
}

fn charset(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(label) = evidence.charset else { return Ok(None) };
    let Some(named) = named(evidence, label, 0)? else {
        diagnostics.push(unknown("the transport", label, 0));
        return Ok(None);
    };
    let codec = evidence.decoded(&named, ("charset-family-conflict", "the transport says", 0), diagnostics)?;
    // What the document says about itself, in the web's sense of its label.
    let declared = evidence.declared_name().filter(|_| evidence.kind == Kind::Xml);
    let declared = declared.map(|(name, at)| (web_name(evidence.registry, name), at));
    let found = declared.or_else(|| evidence.meta.map(|meta| (Some(meta.encoding.clone()), meta_at(evidence, meta))));
    if let Some((says, at)) = found
        && says.as_deref() != Some(named.name())
    {
        let says = says.as_deref().unwrap_or("an unknown label");
        let message = format!("the document says {says}, but the transport says {label:?}");
        diagnostics.push(Diagnostic::warning("charset-declaration-conflict", at, message));
    }
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }.labelled(&label)))
}

fn meta(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(meta) = evidence.meta.filter(|_| evidence.kind == Kind::Html) else { return Ok(None) };
    let at = meta_at(evidence, meta);
    let label = meta.label.as_ref().map_or(&*meta.encoding, |(label, _)| label);
    if meta.encoding == "replacement" {
        return Err(ErrorKind::UnsupportedLabel { label: label.to_owned(), reason: REPLACED, offset: Some(at) }.into());
    }
    // The prescan returns one of the web's own names.
    let Some(codec) = named(evidence, &meta.encoding, at)? else { return Ok(None) };
    if meta.via == Via::Utf16Pattern {
        let message =
            format!("the input is {} without a byte order mark or a declared encoding", evidence.family.name());
        diagnostics.push(Diagnostic::warning("unlabelled-family", 0, message));
        return Ok(Some(Choice::of(codec, Source::Signature)));
    }
    Ok(Some(Choice::of(codec, Source::Meta)))
}

/// Returns the position of its label in the input.
fn meta_at(evidence: &Evidence<'_>, meta: &Meta) -> u64 {
    let bom = evidence.signature.filter(|row| row.bom).map_or(0, |row| row.bytes.len());
    (bom + meta.label.as_ref().map_or(0, |(_, span)| span.start)) as u64
}

fn unknown(says: &str, label: &str, at: u64) -> Diagnostic {
    let message = format!("{says} says {label:?}, which is not a label of the Encoding Standard");
    Diagnostic::warning("encoding-unknown", at, message)
}

fn declaration(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some((name, at)) = evidence.declared_name().filter(|_| evidence.kind == Kind::Xml) else { return Ok(None) };
    let Some(named) = named(evidence, name, at)? else {
        diagnostics.push(unknown("the declaration", name, at));
        return Ok(None);
    };
    let codec = evidence.decoded(&named, ("family-declaration-conflict", "the declaration says", at), diagnostics)?;
    Ok(Some(Choice::of(codec, Source::Declaration)))
}

fn xml_family(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    // A browser's XML parser recognises UTF-16 by its first bytes, and nothing else.
    let is_utf16 = matches!(evidence.family, Family::Utf16Be | Family::Utf16Le);
    if evidence.kind == Kind::Xml && is_utf16 { family(evidence, diagnostics) } else { Ok(None) }
}

fn default(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let (label, is_xml) = if evidence.kind == Kind::Xml { ("UTF-8", true) } else { ("windows-1252", false) };
    if is_xml || evidence.fallback.is_some() {
        // As in the other policies: the caller's fallback if the bytes are consistent with it, otherwise UTF-8.
        return rfc7303::default(evidence, diagnostics);
    }
    Ok(Some(Choice::of(evidence.registry.codec(label)?, Source::Default)))
}
