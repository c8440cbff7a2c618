//! The policy `rfc3023`: the transport's charset is authoritative, and where it is silent the media type has a default
//! (RFC 3023 §3, obsolete). `spec/rfc3023.md`.

use super::{Choice, Diagnostic, Evidence, Rule, bom, declared, default, family, rule, statistics, utf16_without_bom};
use crate::detect::content_type::MediaKind;
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
    let codec = evidence.in_order(&named)?;
    let fits = match evidence.bom() {
        Some(_) => {
            let marked = evidence.family_codec()?;
            if !evidence.agrees_with_bom(label, &*marked) {
                // §4 forbids the mark under UTF-16BE and UTF-16LE, agreeing or not.
                let message = format!("the transport says {label:?}, the byte order mark {}", marked.name());
                notes.push(Diagnostic::warning("charset-bom-conflict", 0, message));
            }
            marked.name() == codec.name()
        }
        None => {
            let fits = evidence.agrees_with_bytes(&*codec);
            if !fits {
                let message = format!("the transport says {label:?}, the first bytes are {}", evidence.family.name());
                notes.push(Diagnostic::warning("charset-family-conflict", 0, message));
            } else if named.name() == "UTF-16" {
                notes.push(utf16_without_bom(0));
            }
            fits
        }
    };
    evidence.conflicts_with_charset(label, &*codec, notes);
    // What the bytes are is decoded, what the transport says reported.
    let codec = if fits { codec } else { evidence.by_family(notes)? };
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }.labelled(&label)))
}

fn text_xml(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Result<Option<Choice>, Error> {
    if evidence.media != Some(MediaKind::TextXml) {
        return Ok(None);
    }
    let (named, source) = match evidence.fallback {
        Some(fallback) => (fallback.clone(), Source::Fallback),
        None => (evidence.registry.codec("US-ASCII")?, Source::Default),
    };
    let (conflict, says) = match (evidence.bom(), source) {
        (Some(_), _) => ("charset-bom-conflict", "text/xml without a charset"),
        (None, Source::Fallback) => ("fallback-family-conflict", "the last resort"),
        (None, _) => ("charset-family-conflict", "text/xml without a charset"),
    };
    let codec = evidence.decoded(&named, (conflict, says, 0), notes)?;
    let label = named.name().to_owned();
    Ok(Some(Choice { named, ..Choice::of(codec, source) }.labelled(&label)))
}
