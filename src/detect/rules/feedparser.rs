//! The policy `feedparser`: what the documentation of Universal Feed Parser says. It tries RFC 3023 first, then one
//! encoding after another, and uses the first that decodes all bytes read. See `spec/feedparser.md`.
//!
//! Any of the diagnostics `encoding-overridden`, `encoding-unknown`, `media-type-not-xml` and `media-type-missing`
//! corresponds to its "bozo" bit. Labels are reported as found, in lower case.

use super::rule::{Answer, Choice, Evidence, Rule, rule};
use crate::detect::content_type::MediaKind;
use crate::detect::signature::Family;
use crate::detect::statistics::Candidate;
use crate::detect::verdict::{Diagnostic, Source};

pub(super) const RULES: &[Rule] = &[
    rule("feedparser:rfc3023", rfc3023),
    rule("feedparser:declaration", |evidence, diagnostics| {
        overriding(evidence, declared(evidence).map(|label| (label, Source::Declaration)), diagnostics)
    }),
    rule("feedparser:sniffed", |evidence, diagnostics| {
        overriding(evidence, sniffed(evidence).map(|label| (label, Source::Signature)), diagnostics)
    }),
    rule("feedparser:statistics", |evidence, diagnostics| {
        // Escape sequences can hide text from a filter, so they count only if the caller asks for a guess.
        let is_safe = |first: &&Candidate| !first.codec.starts_with("ISO-2022-") && first.codec != "HZ-GB-2312";
        let first = evidence.guess().and_then(|guess| guess.candidates().first()).filter(is_safe);
        overriding(evidence, first.map(|first| (first.codec.to_ascii_lowercase(), Source::Statistics)), diagnostics)
    }),
    rule("feedparser:utf-8", |evidence, diagnostics| {
        overriding(evidence, Some(("utf-8".to_owned(), Source::Default)), diagnostics)
    }),
    rule("feedparser:windows-1252", last_resort),
    rule("feedparser:unknown", unknown),
];

/// The proposal of a step in the chain: a label and its source.
type Proposal = (String, Source);

/// Returns the label that RFC 3023 determines from the media type, and its source.
fn by_rfc3023(evidence: &Evidence<'_>) -> Proposal {
    let default = |label: &str| match evidence.fallback {
        Some(fallback) => (fallback.name().to_ascii_lowercase(), Source::Fallback),
        None => (label.to_owned(), Source::Default),
    };
    if let Some(charset) = evidence.charset {
        return (widened(evidence, charset), Source::Charset);
    }
    match (evidence.media, declared(evidence)) {
        (Some(MediaKind::TextXml), _) => default("us-ascii"),
        (Some(MediaKind::Html | MediaKind::Text), _) => default("iso-8859-1"),
        (_, Some(label)) => (label, Source::Declaration),
        (_, None) => default("utf-8"),
    }
}

/// Returns the label in lower case. GB 2312 is widened to GB 18030, which such documents really use.
fn widened(evidence: &Evidence<'_>, label: &str) -> String {
    let is_gb2312 = evidence.lookup(label).is_some_and(|codec| codec.info().read_as_superset == Some("GBK"));
    if is_gb2312 { "gb18030".to_owned() } else { label.to_ascii_lowercase() }
}

/// Returns the declared name. If the name leaves the byte order open, returns the name with the order that the bytes
/// show.
fn declared(evidence: &Evidence<'_>) -> Option<String> {
    let name = evidence.declared_name()?.0;
    let shown = evidence.lookup(name).filter(|codec| codec.info().byte_orders.is_some()).and_then(|codec| {
        let codec = evidence.in_order(&codec).ok()?;
        let family = evidence.family_codec().ok()?;
        (codec.name() == family.name()).then(|| sniffed(evidence)).flatten()
    });
    Some(shown.unwrap_or_else(|| widened(evidence, name)))
}

/// Returns the label by Appendix F: from the byte order mark or the first four bytes.
fn sniffed(evidence: &Evidence<'_>) -> Option<String> {
    let label = match evidence.family {
        Family::Utf8 | Family::Ascii => "utf-8",
        Family::Utf16Be => "utf-16be",
        Family::Utf16Le => "utf-16le",
        Family::Ucs4_1234 => "utf-32be",
        Family::Ucs4_4321 => "utf-32le",
        // Python has no codec for the odd orders, but we do.
        Family::Ucs4_2143 => "x-iso-10646-ucs-4-2143",
        Family::Ucs4_3412 => "x-iso-10646-ucs-4-3412",
        // The family's page, unless the caller gave another one.
        Family::Ebcdic | Family::EbcdicKatakana => {
            let page = evidence.page_or_family().ok()?;
            return Some(match page.name() {
                "IBM037" => "cp037".to_owned(),
                "IBM290" => "cp290".to_owned(),
                name => name.to_ascii_lowercase(),
            });
        }
        Family::Unknown => return None,
    };
    Some(label.to_owned())
}

/// Chooses `label`, if it names a codec that decodes the bytes read.
fn tried(evidence: &Evidence<'_>, (label, source): &Proposal) -> Answer {
    let named = match evidence.fallback.filter(|_| *source == Source::Fallback) {
        Some(fallback) => fallback.clone(),
        None => match evidence.lookup(label) {
            Some(named) => named,
            None => return Ok(None),
        },
    };
    let codec = evidence.in_order(&named)?;
    let fits = match (evidence.bom(), evidence.declared_name()) {
        // The codec's own mark is skipped. A mark of another encoding is not text.
        (Some(_), _) => evidence.family_codec()?.name() == codec.name(),
        (None, Some((name, _))) if *source == Source::Declaration => evidence.fits(&*codec, name),
        // UTF-8 decodes UTF-16 without an error, and ISO-8859-1 decodes anything. That does not count as success.
        (None, _) => evidence.agrees_with_bytes(&*codec),
    };
    if !fits || !evidence.decodes(&*codec) {
        return Ok(None);
    }
    Ok(Some(Choice { named, ..Choice::of(codec, *source) }.labelled(label)))
}

fn rfc3023(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    match evidence.media {
        Some(MediaKind::Missing) => {
            diagnostics.push(Diagnostic::warning("media-type-missing", 0, "the Content-Type has no media type"));
        }
        Some(MediaKind::Html | MediaKind::Text | MediaKind::Other) => {
            diagnostics.push(Diagnostic::warning("media-type-not-xml", 0, "the media type is not an XML type"));
        }
        _ => {}
    }
    let choice = tried(evidence, &by_rfc3023(evidence))?;
    if let (Some(choice), Some(_)) = (&choice, evidence.bom()) {
        evidence.conflicts_with_bom(&*choice.codec, diagnostics);
    }
    Ok(choice)
}

fn overriding(evidence: &Evidence<'_>, proposed: Option<Proposal>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(proposed) = proposed else { return Ok(None) };
    let choice = tried(evidence, &proposed)?;
    if let Some(choice) = &choice {
        let (first, _) = by_rfc3023(evidence);
        let message = format!(
            "RFC 3023 calls for {first:?}, but the first {} bytes decode as {}",
            evidence.window.len(),
            choice.codec.name()
        );
        diagnostics.push(Diagnostic::warning("encoding-overridden", 0, message));
        if evidence.bom().is_some() {
            evidence.conflicts_with_bom(&*choice.codec, diagnostics);
        }
        if evidence.family.is_ebcdic() && choice.source == Source::Signature {
            let message = format!("the input is EBCDIC but names no code page; assuming {}", choice.codec.name());
            diagnostics.push(Diagnostic::warning("ebcdic-page-assumed", 0, message));
        }
    }
    Ok(choice)
}

/// Proposes windows-1252, or the caller's fallback instead.
fn last_resort(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let proposed = match evidence.fallback {
        Some(fallback) => (fallback.name().to_ascii_lowercase(), Source::Fallback),
        None => ("windows-1252".to_owned(), Source::Default),
    };
    overriding(evidence, Some(proposed), diagnostics)
}

/// Nothing decodes the document without an error, so no label is right. If the bytes show a family, it is decoded as
/// that family; otherwise each byte becomes a character.
fn unknown(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let tells = evidence.bom().is_some() || evidence.family.is_wide() || evidence.family.is_ebcdic();
    let codec = if tells { evidence.page_or_family()? } else { evidence.registry.codec("ISO-8859-1")? };
    let message = format!("no encoding decodes the input without errors; reading it as {}", codec.name());
    diagnostics.push(Diagnostic::warning("encoding-unknown", 0, message));
    Ok(Some(Choice { label: None, ..Choice::of(codec, Source::Default) }))
}
