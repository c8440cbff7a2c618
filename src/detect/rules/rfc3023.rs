//! The policy `rfc3023`: the transport's charset is authoritative, and without one the media type has a default (RFC
//! 3023 §3, obsolete). See `spec/rfc3023.md`.

use super::rfc7303::{bom, declared, default, family, statistics};
use super::rule::{Answer, Choice, Evidence, Rule, in_document, rule, utf16_without_bom};
use crate::detect::content_type::MediaKind;
use crate::detect::verdict::{Diagnostic, Source};

pub(super) const RULES: &[Rule] = &[
    // §3.1, §3.2: the charset parameter is authoritative, whatever the document says.
    rule("rfc3023:charset", charset),
    // §3.1: text/xml without a charset is US-ASCII, whatever the document says.
    rule("rfc3023:text-xml", text_xml),
    // §3.2: otherwise as in XML 1.0 §4.3.3 and Appendix F.
    rule("rfc3023:bom", bom),
    rule("rfc3023:declaration", declared),
    rule("rfc3023:family", family),
    rule("rfc3023:statistics", statistics),
    rule("rfc3023:default", default),
];

fn charset(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(label) = evidence.charset else { return Ok(None) };
    let named = evidence.registry.declared(label).map_err(|error| in_document(error, 0))?;
    let codec = evidence.in_order(&named)?;
    let fits = match evidence.bom() {
        Some(_) => {
            let marked = evidence.family_codec()?;
            if !evidence.agrees_with_bom(label, &*marked) {
                // §4 forbids the mark with UTF-16BE and UTF-16LE, whether or not they agree.
                let message =
                    format!("the transport says {label:?}, but the byte order mark is that of {}", marked.name());
                diagnostics.push(Diagnostic::warning("charset-bom-conflict", 0, message));
            }
            marked.name() == codec.name()
        }
        None => {
            let fits = evidence.agrees_with_bytes(&*codec);
            if !fits {
                let message =
                    format!("the transport says {label:?}, but the first bytes are {}", evidence.family.name());
                diagnostics.push(Diagnostic::warning("charset-family-conflict", 0, message));
            } else if named.name() == "UTF-16" {
                diagnostics.push(utf16_without_bom(0));
            }
            fits
        }
    };
    evidence.conflicts_with_charset(label, &*codec, diagnostics);
    // The transport's label is reported, but the bytes are decoded as the encoding that they show.
    let codec = if fits { codec } else { evidence.by_family(diagnostics)? };
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }.labelled(&label)))
}

fn text_xml(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if evidence.media != Some(MediaKind::TextXml) {
        return Ok(None);
    }
    let (named, source) = match evidence.fallback {
        Some(fallback) => (fallback.clone(), Source::Fallback),
        None => (evidence.registry.codec("US-ASCII")?, Source::Default),
    };
    let (conflict, says) = match (evidence.bom(), source) {
        (Some(_), _) => ("charset-bom-conflict", "text/xml without a charset means"),
        (None, Source::Fallback) => ("fallback-family-conflict", "the fallback is"),
        (None, _) => ("charset-family-conflict", "text/xml without a charset means"),
    };
    let codec = evidence.decoded(&named, (conflict, says, 0), diagnostics)?;
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, source) }.labelled(&label)))
}
