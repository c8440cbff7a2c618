//! The policy `feedparser`: what Universal Feed Parser's document says. RFC 3023 first, then one encoding after the other,
//! and the first that decodes what was read is taken. `spec/feedparser.md`.
//!
//! Its "bozo" bit is any of the diagnostics `encoding-overridden`, `encoding-unknown`, `media-type-not-xml` and
//! `media-type-missing`. Labels are reported as they were found, in lower case.

use super::{Choice, Diagnostic, Evidence, Rule, rule};
use crate::detect::content_type::MediaKind;
use crate::detect::signature::Family;
use crate::detect::verdict::Source;
use crate::error::Error;

type Answer = Result<Option<Choice>, Error>;

pub(super) static RULES: &[Rule] = &[
    rule("feedparser:rfc3023", rfc3023),
    rule("feedparser:declaration", |evidence, notes| {
        overriding(evidence, declared(evidence).map(|label| (label, Source::Declaration)), notes)
    }),
    rule("feedparser:sniffed", |evidence, notes| {
        overriding(evidence, sniffed(evidence).map(|label| (label.to_owned(), Source::Signature)), notes)
    }),
    rule("feedparser:statistics", |evidence, notes| {
        let first = evidence.guess.and_then(|guess| guess.candidates().first());
        overriding(evidence, first.map(|first| (first.codec.to_ascii_lowercase(), Source::Statistics)), notes)
    }),
    rule("feedparser:utf-8", |evidence, notes| last_resort(evidence, "utf-8", notes)),
    rule("feedparser:windows-1252", |evidence, notes| last_resort(evidence, "windows-1252", notes)),
    rule("feedparser:unknown", unknown),
];

/// What RFC 3023 says, by media type, and who had the say.
fn by_rfc3023(evidence: &Evidence<'_>) -> (String, Source) {
    if let Some(charset) = evidence.charset {
        return (charset.trim().to_ascii_lowercase(), Source::Charset);
    }
    let or_declared = |default: &str| match declared(evidence) {
        Some(label) => (label, Source::Declaration),
        None => (default.to_owned(), Source::Default),
    };
    match evidence.media {
        Some(MediaKind::TextXml) => ("us-ascii".to_owned(), Source::Default),
        Some(MediaKind::Html | MediaKind::Text) => ("iso-8859-1".to_owned(), Source::Default),
        _ => or_declared("utf-8"),
    }
}

/// The declared name; for one that leaves the order to the bytes, what they show.
fn declared(evidence: &Evidence<'_>) -> Option<String> {
    let name = evidence.declared_name()?.0.to_ascii_lowercase();
    let leaves_order = evidence.lookup(&name).is_some_and(|codec| codec.orders().is_some());
    Some(sniffed(evidence).filter(|_| leaves_order).map_or(name, str::to_owned))
}

/// By Appendix F: the byte order mark, or the first four bytes.
fn sniffed(evidence: &Evidence<'_>) -> Option<&'static str> {
    Some(match evidence.family {
        Family::Utf8 | Family::Ascii => "utf-8",
        Family::Utf16Be => "utf-16be",
        Family::Utf16Le => "utf-16le",
        Family::Ucs4_1234 => "utf-32be",
        Family::Ucs4_4321 => "utf-32le",
        // Python has no codec for the odd orders; we have.
        Family::Ucs4_2143 => "x-iso-10646-ucs-4-2143",
        Family::Ucs4_3412 => "x-iso-10646-ucs-4-3412",
        Family::Ebcdic => "cp037",
        Family::EbcdicKatakana => "cp290",
        Family::Unknown => return None,
    })
}

/// The choice of `label`, where it names a codec that decodes what was read.
fn tried(evidence: &Evidence<'_>, label: &str, source: Source) -> Answer {
    // It widens GB 2312 to what is really used.
    let is_gb2312 = evidence.lookup(label).is_some_and(|codec| codec.superset() == Some("GBK"));
    let label = if is_gb2312 || label == "gb2312" { "gb18030" } else { label };
    let Some(named) = evidence.lookup(label) else { return Ok(None) };
    let codec = match evidence.bom() {
        // A mark of its own is taken off, another is no text.
        Some(_) if evidence.family_codec()?.name() != evidence.in_order(&named)?.name() => return Ok(None),
        _ => evidence.in_order(&named)?,
    };
    if !evidence.decodes(&*codec) {
        return Ok(None);
    }
    Ok(Some(Choice { named, ..Choice::of(codec, source) }.labelled(label)))
}

fn rfc3023(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Answer {
    match evidence.media {
        Some(MediaKind::Missing) => {
            notes.push(Diagnostic::warning("media-type-missing", 0, "the Content-Type has no media type"));
        }
        Some(MediaKind::Html | MediaKind::Text | MediaKind::Other) => {
            notes.push(Diagnostic::warning("media-type-not-xml", 0, "the media type is no XML one"));
        }
        _ => {}
    }
    let (label, source) = by_rfc3023(evidence);
    tried(evidence, &label, source)
}

fn overriding(evidence: &Evidence<'_>, found: Option<(String, Source)>, notes: &mut Vec<Diagnostic>) -> Answer {
    let Some((label, source)) = found else { return Ok(None) };
    let choice = tried(evidence, &label, source)?;
    if let Some(choice) = &choice {
        let (first, _) = by_rfc3023(evidence);
        let message =
            format!("RFC 3023 says {first:?}, the first {} bytes are {}", evidence.window.len(), choice.codec.name());
        notes.push(Diagnostic::warning("encoding-overridden", 0, message));
    }
    Ok(choice)
}

/// UTF-8 and windows-1252; the caller's last resort comes in their place.
fn last_resort(evidence: &Evidence<'_>, label: &str, notes: &mut Vec<Diagnostic>) -> Answer {
    match evidence.fallback {
        Some(fallback) => overriding(evidence, Some((fallback.name().to_owned(), Source::Fallback)), notes),
        None => overriding(evidence, Some((label.to_owned(), Source::Default)), notes),
    }
}

/// Nothing decodes it: there are no characters, and the bytes come out as they are.
fn unknown(evidence: &Evidence<'_>, notes: &mut Vec<Diagnostic>) -> Answer {
    let message = "no encoding decodes it; each byte is taken for a character".to_owned();
    notes.push(Diagnostic::warning("encoding-unknown", 0, message));
    let codec = evidence.registry.codec("ISO-8859-1")?;
    Ok(Some(Choice { label: None, ..Choice::of(codec, Source::Default) }))
}
