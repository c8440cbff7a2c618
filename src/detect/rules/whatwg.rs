//! The policy `whatwg`: what browsers do. Byte order mark, charset, `meta`; labels as the Encoding Standard means them.
//! `spec/whatwg.md`.

use super::{Choice, Diagnostic, Evidence, Rule, family, rule, statistics};
use crate::codec::Codec;
use crate::detect::signature::Family;
use crate::detect::verdict::{Kind, Source};
use crate::error::{Error, ErrorKind};
use std::sync::Arc;

type Answer = Result<Option<Choice>, Error>;

pub(super) static RULES: &[Rule] = &[
    // Encoding Standard, "BOM sniff": it wins over everything, and there are three.
    rule("whatwg:bom", bom),
    // HTML Standard §13.2.3.2, step 4: the transport.
    rule("whatwg:charset", charset),
    // Step 5: the prescan. XML has its declaration instead.
    rule("whatwg:meta", meta),
    rule("whatwg:declaration", declaration),
    rule("whatwg:family", xml_family),
    // Step 8: autodetection, where it is asked for.
    rule("whatwg:statistics", statistics),
    // Step 9.
    rule("whatwg:default", default),
];

/// The codec that the Encoding Standard means by `label`.
pub(in crate::detect) fn codec_of(evidence_registry: &crate::Registry, label: &str) -> Option<Arc<dyn Codec>> {
    #[cfg(feature = "whatwg")]
    {
        let _ = evidence_registry;
        crate::codec::whatwg::for_web_label(label)
    }
    // Without the web's charsets the labels mean what they mean elsewhere.
    #[cfg(not(feature = "whatwg"))]
    evidence_registry.codec(label).ok()
}

/// What the label names, refused where that must not be decoded at all.
fn named(evidence: &Evidence<'_>, label: &str, at: u64) -> Result<Option<Arc<dyn Codec>>, Error> {
    match codec_of(evidence.registry, label) {
        Some(codec) if codec.name() == "replacement" => {
            Err(ErrorKind::UnsupportedLabel { label: label.to_owned(), offset: Some(at) }.into())
        }
        found => Ok(found),
    }
}

fn bom(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    Ok(match evidence.bom() {
        Some(Family::Utf8 | Family::Utf16Be | Family::Utf16Le) => {
            Some(Choice::of(evidence.family_codec()?, Source::Bom))
        }
        _ => None,
    })
}

fn charset(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Answer {
    let Some(label) = evidence.charset else { return Ok(None) };
    let Some(codec) = named(evidence, label, 0)? else {
        let message = format!("the transport says {label:?}, which is no label of the web");
        notes.push(Diagnostic::warning("encoding-unknown", 0, message));
        return Ok(None);
    };
    Ok(Some(Choice::of(codec, Source::Charset)))
}

fn meta(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let Some(meta) = evidence.meta.filter(|_| evidence.kind != Kind::Xml) else { return Ok(None) };
    let (label, at) = meta.label.as_ref().map_or((&meta.encoding, 0), |(label, span)| (label, span.start as u64));
    // Refused by the name that it is written by.
    named(evidence, label, at)?;
    let codec = named(evidence, &meta.encoding, at)?;
    Ok(codec.map(|codec| Choice::of(codec, Source::Meta)))
}

fn declaration(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Answer {
    let Some((name, at)) = evidence.declared_name().filter(|_| evidence.kind == Kind::Xml) else { return Ok(None) };
    let Some(named) = named(evidence, name, at)? else { return Ok(None) };
    let codec = evidence.decoded(&named, ("family-declaration-conflict", "the declaration", at), notes)?;
    Ok(Some(Choice::of(codec, Source::Declaration)))
}

fn xml_family(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Answer {
    // A browser's XML parser knows UTF-16 by its first bytes, and nothing else.
    let is_utf16 = matches!(evidence.family, Family::Utf16Be | Family::Utf16Le);
    if evidence.kind == Kind::Xml && is_utf16 { family(evidence, notes) } else { Ok(None) }
}

fn default(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    if let Some(fallback) = evidence.fallback {
        return Ok(Some(Choice::of(evidence.in_order(fallback)?, Source::Fallback)));
    }
    let label = if evidence.kind == Kind::Xml { "UTF-8" } else { "windows-1252" };
    Ok(Some(Choice::of(evidence.registry.codec(label)?, Source::Default)))
}
