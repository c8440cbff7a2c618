//! The policy `rfc7303`: the byte order mark, then the charset, and without either what the document says (RFC 7303 §3).
//! See `spec/rfc7303.md`. Other policies share some of its rules.

use super::rule::{Answer, Choice, Evidence, Rule, in_document, rule, utf16_without_bom};
use crate::codec::{Codec, decode_strictly};
use crate::detect::statistics::Guess;
use crate::detect::verdict::{Diagnostic, Kind, Source};

pub(super) const RULES: &[Rule] = &[
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

pub(super) fn bom(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if evidence.bom().is_none() {
        return Ok(None);
    }
    let codec = evidence.family_codec()?;
    evidence.conflicts_with_bom(&*codec, diagnostics);
    let declared = evidence.declared_name().filter(|(name, _)| evidence.agrees_with_bom(name, &*codec));
    let named = declared.and_then(|(name, _)| evidence.lookup(name)).unwrap_or_else(|| codec.clone());
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Bom) }))
}

pub(super) fn charset(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(label) = evidence.charset else { return Ok(None) };
    let named = evidence.registry.declared(label).map_err(|error| in_document(error, 0))?;
    let codec = evidence.in_order(&named)?;
    if !evidence.agrees_with_bytes(&*codec) {
        let message = format!("the transport says {label:?}, but the first bytes are {}", evidence.family.name());
        diagnostics.push(Diagnostic::warning("charset-family-conflict", 0, message));
        return Ok(None);
    }
    if named.name() == "UTF-16" {
        diagnostics.push(utf16_without_bom(0));
    }
    evidence.conflicts_with_charset(label, &*codec, diagnostics);
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Charset) }))
}

pub(super) fn declared(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some((name, span)) = evidence.declaration.and_then(|declaration| declaration.name.as_ref()) else {
        return Ok(None);
    };
    let named = evidence.registry.declared(name).map_err(|error| in_document(error, span.start))?;
    let codec = evidence.in_order(&named)?;
    if !evidence.fits(&*codec, name) {
        let message = format!("the declaration says {name:?}, but its bytes are {}", evidence.family.name());
        diagnostics.push(Diagnostic::warning("family-declaration-conflict", span.start, message));
        return Ok(None);
    }
    if named.name() == "UTF-16" {
        diagnostics.push(utf16_without_bom(span.start));
    }
    Ok(Some(Choice { named, ..Choice::of(codec, Source::Declaration) }))
}

pub(super) fn family(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let contradicted = evidence.declaration.is_some_and(|declaration| declaration.name.is_some());
    let family = evidence.family;
    if family.is_ebcdic() {
        return Ok(Some(Choice::of(evidence.by_family(diagnostics)?, Source::Signature)));
    }
    if family.is_wide() && !contradicted {
        let message = format!("the input is {} without a byte order mark or a declared encoding", family.name());
        diagnostics.push(Diagnostic::warning("unlabelled-family", 0, message));
    }
    if family.is_wide() || contradicted {
        return Ok(Some(Choice::of(evidence.family_codec()?, Source::Signature)));
    }
    Ok(None)
}

/// Chooses the encoding that the `meta` of an HTML document names, if it can be that of the bytes of the `meta` itself.
pub(super) fn meta(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
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

pub(super) fn default(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if let Some(named) = evidence.fallback {
        let codec = evidence.in_order(named)?;
        if evidence.agrees_with_bytes(&*codec) {
            return Ok(Some(Choice { named: named.clone(), ..Choice::of(codec, Source::Fallback) }));
        }
        let message = format!("the fallback is {}, but the first bytes are {}", codec.name(), evidence.family.name());
        diagnostics.push(Diagnostic::warning("fallback-family-conflict", 0, message));
    }
    Ok(Some(Choice::of(evidence.registry.codec("UTF-8")?, Source::Default)))
}

/// Chooses the first candidate of statistics, if they are enabled and have one.
pub(super) fn statistics(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(guess) = evidence.guess() else { return Ok(None) };
    let Some(first) = guess.candidates().first() else { return Ok(None) };
    let codec = evidence.registry.codec(&first.codec)?;
    if !evidence.agrees_with_bytes(&*codec) {
        return Ok(None);
    }
    if let Guess::Ambiguous(_) = guess {
        // In the others that read the same text, the guess is as good.
        let others = guess.candidates().iter().skip(1).filter(|other| !other.same_text);
        let others: Vec<&str> = others.take(3).map(|other| &*other.codec).collect();
        let message = match &others[..] {
            [] => format!("weak guess: {}", first.codec),
            others => format!("ambiguous guess: {} (also possible: {})", first.codec, others.join(", ")),
        };
        diagnostics.push(Diagnostic::warning("guess-ambiguous", 0, message));
    }
    Ok(Some(Choice::of(codec, Source::Statistics)))
}
