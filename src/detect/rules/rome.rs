//! The policies `rome-strict` and `rome-lenient`: the algorithms of ROME's XmlReader, with the rule numbers of its
//! documentation. `spec/rome.md` describes them, including how ROME's code differs from its documentation. Rules 1.2
//! and 1.7 also cover UCS-4 and EBCDIC, as the documentation suggests.
//!
//! The label reported is the one that ROME would report. The bytes are decoded as the encoding that they show. If the
//! two differ, ROME would decode the text wrongly, and a diagnostic reports it.

use super::rfc7303;
use super::rule::{Answer, Choice, Evidence, Rule, RuleFn, in_document, rejected, rule, utf16_without_bom};
use crate::codec::Codec;
use crate::detect::content_type::MediaKind;
use crate::detect::signature::{Family, Recognised, recognise};
use crate::detect::verdict::{Diagnostic, Source};
use crate::error::{Error, ErrorKind};
use std::sync::Arc;

pub(super) const STRICT: &[Rule] = &[
    // XML over HTTP.
    rule("rome:2.6", other_type),
    rule("rome:2.1", text_xml),
    rule("rome:2.2", explicit_order_with_bom),
    rule("rome:2.3", utf16_with_bom),
    rule("rome:2.4", utf16_without),
    rule("rome:2.5", charset),
    // Raw XML. An application type without a charset is handled here too (2.0).
    rule("rome:1.3", utf8_bom_and_guess),
    rule("rome:1.4", utf8_bom_and_name),
    rule("rome:1.5", utf16_bom_and_guess),
    rule("rome:1.6", utf16_bom_and_name),
    rule("rome:1.7", ucs4_bom_and_others),
    rule("rome:bom", bom),
    rule("rome:1.1", utf16_declared),
    rule("rome:1.2", declared),
    // Statistics, if they are enabled.
    rule("rome:statistics", statistics),
    rule("rome:1.0", default),
];

pub(super) const LENIENT: &[Rule] = &[
    // Strict first; a document that strict would reject passes through to the rules below.
    rule("rome:2.1", |evidence, diagnostics| text_xml(&as_text_xml(evidence), diagnostics)),
    rule("rome:2.3", |evidence, diagnostics| accepted(evidence, utf16_with_bom, diagnostics)),
    rule("rome:2.5", |evidence, diagnostics| accepted(evidence, charset, diagnostics)),
    rule("rome:bom", |evidence, diagnostics| accepted(evidence, bom, diagnostics)),
    rule("rome:1.1", |evidence, diagnostics| accepted(evidence, utf16_declared, diagnostics)),
    rule("rome:1.2", |evidence, diagnostics| accepted(evidence, declared, diagnostics)),
    rule("rome:statistics", |evidence, diagnostics| accepted(evidence, statistics, diagnostics)),
    rule("rome:1.0", |evidence, diagnostics| accepted(evidence, default, diagnostics)),
    // For documents that strict rejects: the declaration, then the charset, then UTF-8.
    rule("rome:lenient-declaration", any_name),
    rule("rome:lenient-charset", any_charset),
    rule("rome:lenient-default", default),
];

/// Treats `text/html` as `text/xml`, as lenient ROME does.
fn as_text_xml<'a>(evidence: &Evidence<'a>) -> Evidence<'a> {
    let media = evidence.media.map(|media| if media == MediaKind::Html { MediaKind::TextXml } else { media });
    Evidence { media, ..*evidence }
}

/// Applies a rule to a document that strict detection does not reject.
fn accepted(evidence: &Evidence<'_>, decide: RuleFn, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let evidence = as_text_xml(evidence);
    let refusals = [
        other_type,
        explicit_order_with_bom,
        utf16_without,
        utf8_bom_and_guess,
        utf8_bom_and_name,
        utf16_bom_and_guess,
        utf16_bom_and_name,
        ucs4_bom_and_others,
    ];
    // With a charset, the algorithm for raw XML is never used.
    let asked = if evidence.charset.is_some() { &refusals[..3] } else { &refusals };
    if asked.iter().any(|refuse| refuse(&evidence, &mut Vec::new()).is_err()) {
        return Ok(None);
    }
    decide(&evidence, diagnostics)
}

// --- The documentation's BOMEnc, XMLGuessEnc, XMLEnc, CTMime and CTEnc -----------------------------------------------

fn is_16(family: Option<Family>) -> bool {
    matches!(family, Some(Family::Utf16Be | Family::Utf16Le))
}

fn is_ucs4(family: Option<Family>) -> bool {
    use Family::*;
    matches!(family, Some(Ucs4_1234 | Ucs4_4321 | Ucs4_2143 | Ucs4_3412))
}

/// Returns the family by the first bytes of the declaration, after any byte order mark.
fn guess(evidence: &Evidence<'_>) -> Option<Family> {
    match evidence.bom() {
        Some(_) => match recognise(evidence.window, true) {
            Recognised::Row(row) if !row.bom => Some(row.family),
            _ => None,
        },
        None => evidence.signature.map(|row| row.family),
    }
}

fn xml_enc(evidence: &Evidence<'_>) -> Option<(String, u64)> {
    evidence.declared_name().map(|(name, at)| (name.to_ascii_uppercase(), at))
}

fn ct_enc(evidence: &Evidence<'_>) -> Option<String> {
    evidence.charset.map(str::to_ascii_uppercase)
}

/// Returns ROME's name for the charset of a byte order mark.
fn name_of(family: Family) -> &'static str {
    match family {
        Family::Utf16Be => "UTF-16BE",
        Family::Utf16Le => "UTF-16LE",
        _ => "UTF-8",
    }
}

/// Refuses the document, if there is a place `at` which shows that it is wrong.
fn refused(at: Option<u64>, why: &'static str) -> Answer {
    at.map_or(Ok(None), |offset| Err(ErrorKind::PolicyRejects { offset, why }.into()))
}

/// Chooses the codec that `label` names and reports that label. Fails if there is no such codec.
fn named(
    evidence: &Evidence<'_>,
    label: &str,
    at: u64,
    source: Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Choice, Error> {
    let codec = evidence.registry.declared(label).map_err(|error| in_document(error, at))?;
    chosen(evidence, &codec, label, at, source, diagnostics)
}

/// Does the same for a codec that has already been looked up.
fn chosen(
    evidence: &Evidence<'_>,
    named: &Arc<dyn Codec>,
    label: &str,
    at: u64,
    source: Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Choice, Error> {
    let (code, says) = match (source, evidence.bom()) {
        (Source::Charset, Some(_)) => ("charset-bom-conflict", "the transport says"),
        (Source::Charset, None) => ("charset-family-conflict", "the transport says"),
        (Source::Declaration, Some(_)) => ("bom-declaration-conflict", "the declaration says"),
        (Source::Declaration, None) => ("family-declaration-conflict", "the declaration says"),
        (Source::Fallback, None) => ("fallback-family-conflict", "the fallback is"),
        (_, Some(_)) => ("charset-bom-conflict", "the policy says"),
        (_, None) => ("charset-family-conflict", "the policy says"),
    };
    let codec = match evidence.bom() {
        Some(_) if matches!(source, Source::Charset | Source::Declaration) => {
            let marked = evidence.family_codec()?;
            evidence.conflicts_with_bom(&*marked, diagnostics);
            marked
        }
        _ => evidence.decoded(named, (code, says, at), diagnostics)?,
    };
    if matches!(source, Source::Charset | Source::Declaration)
        && named.name() == "UTF-16"
        && evidence.bom().is_none()
        && is_16(Some(evidence.family))
    {
        diagnostics.push(utf16_without_bom(at));
    }
    Ok(Choice { named: named.clone(), ..Choice::of(codec, source) }.labelled(label))
}

// --- XML over HTTP ---------------------------------------------------------------------------------------------------

fn other_type(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    match evidence.media {
        None | Some(MediaKind::AppXml | MediaKind::TextXml) => Ok(None),
        Some(_) => Err(rejected("the media type is not an XML type")),
    }
}

fn text_xml(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if evidence.media != Some(MediaKind::TextXml) || evidence.charset.is_some() {
        return Ok(None);
    }
    last_resort(evidence, "US-ASCII", diagnostics).map(Some)
}

/// Chooses the caller's fallback, or else the policy's.
fn last_resort(evidence: &Evidence<'_>, label: &str, diagnostics: &mut Vec<Diagnostic>) -> Result<Choice, Error> {
    match evidence.fallback {
        Some(fallback) => chosen(evidence, fallback, fallback.name(), 0, Source::Fallback, diagnostics),
        None => named(evidence, label, 0, Source::Default, diagnostics),
    }
}

fn explicit_order_with_bom(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let has_order = matches!(ct_enc(evidence).as_deref(), Some("UTF-16BE" | "UTF-16LE"));
    let is_wrong = has_order && evidence.bom().is_some();
    refused(is_wrong.then_some(0), "RFC 3023 forbids a byte order mark with UTF-16BE and UTF-16LE")
}

fn utf16_with_bom(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let family = evidence.bom().filter(|family| is_16(Some(*family)));
    match (ct_enc(evidence).as_deref(), family) {
        (Some("UTF-16"), Some(family)) => {
            let codec = evidence.family_codec()?;
            evidence.conflicts_with_bom(&*codec, diagnostics);
            Ok(Some(Choice::of(codec, Source::Bom).labelled(name_of(family))))
        }
        _ => Ok(None),
    }
}

fn utf16_without(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let is_wrong = ct_enc(evidence).as_deref() == Some("UTF-16") && !is_16(evidence.bom());
    refused(is_wrong.then_some(0), "the transport says UTF-16, but there is no UTF-16 byte order mark")
}

fn charset(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    match ct_enc(evidence) {
        Some(label) if label != "UTF-16" => by_charset(evidence, &label, diagnostics).map(Some),
        _ => Ok(None),
    }
}

fn by_charset(evidence: &Evidence<'_>, label: &str, diagnostics: &mut Vec<Diagnostic>) -> Result<Choice, Error> {
    let choice = named(evidence, label, 0, Source::Charset, diagnostics)?;
    evidence.conflicts_with_charset(label, &*evidence.in_order(&choice.named)?, diagnostics);
    Ok(choice)
}

// --- Raw XML ---------------------------------------------------------------------------------------------------------

fn utf8_bom_and_guess(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let is_wrong =
        evidence.bom() == Some(Family::Utf8) && guess(evidence).is_some_and(|family| family != Family::Ascii);
    let why = "the byte order mark is that of UTF-8, but the declaration is written in another family";
    refused(is_wrong.then_some(0), why)
}

fn utf8_bom_and_name(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let other = xml_enc(evidence).filter(|(name, _)| evidence.bom() == Some(Family::Utf8) && name != "UTF-8");
    let why = "the byte order mark is that of UTF-8, but the declaration names another encoding";
    refused(other.map(|(_, at)| at), why)
}

fn utf16_bom_and_guess(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let is_wrong = is_16(evidence.bom()) && guess(evidence).is_some_and(|family| Some(family) != evidence.bom());
    let why = "the byte order mark is that of UTF-16, but the declaration is written in another family";
    refused(is_wrong.then_some(0), why)
}

fn utf16_bom_and_name(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    let Some(family) = evidence.bom().filter(|family| is_16(Some(*family))) else { return Ok(None) };
    let other = xml_enc(evidence).filter(|(name, _)| name != "UTF-16" && name != name_of(family));
    let why = "the byte order mark is that of UTF-16, but the declaration names another encoding";
    refused(other.map(|(_, at)| at), why)
}

/// Does what 1.5 and 1.6 do for UTF-16, for the byte order marks that ROME leaves out.
fn ucs4_bom_and_others(evidence: &Evidence<'_>, _: &mut Vec<Diagnostic>) -> Answer {
    if !is_ucs4(evidence.bom()) {
        return Ok(None);
    }
    if guess(evidence).is_some_and(|family| Some(family) != evidence.bom()) {
        let why = "the byte order mark is that of UCS-4, but the declaration is written in another family";
        return refused(Some(0), why);
    }
    let codec = evidence.family_codec()?;
    let other = evidence.declared_name().filter(|(name, _)| !evidence.agrees_with_bom(name, &*codec));
    let why = "the byte order mark is that of UCS-4, but the declaration names another encoding";
    refused(other.map(|(_, at)| at), why)
}

fn bom(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let Some(family) = evidence.bom() else { return Ok(None) };
    let codec = evidence.family_codec()?;
    evidence.conflicts_with_bom(&*codec, diagnostics);
    let choice = Choice::of(codec, Source::Bom);
    Ok(Some(if is_ucs4(Some(family)) { choice } else { choice.labelled(name_of(family)) }))
}

fn utf16_declared(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    match (xml_enc(evidence), guess(evidence)) {
        (Some((name, at)), Some(family)) if name == "UTF-16" && is_16(Some(family)) => {
            diagnostics.push(utf16_without_bom(at));
            let codec = evidence.family_codec()?;
            Ok(Some(Choice::of(codec, Source::Declaration).labelled(name_of(family))))
        }
        _ => Ok(None),
    }
}

fn declared(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    match (xml_enc(evidence), guess(evidence)) {
        (Some((name, at)), Some(_)) => named(evidence, &name, at, Source::Declaration, diagnostics).map(Some),
        _ => Ok(None),
    }
}

/// Consults statistics only if the byte pattern does not already determine the encoding.
fn statistics(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if evidence.family.is_wide() || evidence.family.is_ebcdic() {
        return Ok(None);
    }
    rfc7303::statistics(evidence, diagnostics)
}

/// Chooses UTF-8 or the caller's fallback. Input whose bytes show UTF-16, UCS-4 or EBCDIC is decoded as such.
fn default(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    let family = evidence.family;
    if evidence.bom().is_some() || !family.is_wide() && !family.is_ebcdic() {
        return last_resort(evidence, "UTF-8", diagnostics).map(Some);
    }
    let codec = evidence.page_or_family()?;
    let message = format!("the input is {} but names no encoding; reading it as {}", family.name(), codec.name());
    diagnostics.push(Diagnostic::warning("unlabelled-family", 0, message));
    let (label, source) = match evidence.fallback {
        Some(fallback) => (fallback.name(), Source::Fallback),
        None => ("UTF-8", Source::Default),
    };
    Ok(Some(Choice::of(codec, source).labelled(label)))
}

// --- Lenient ---------------------------------------------------------------------------------------------------------

fn any_name(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    if let (Some(family), Some(guess)) = (evidence.bom(), guess(evidence))
        && guess != family
        && (family, guess) != (Family::Utf8, Family::Ascii)
    {
        // Rules 1.3 and 1.5. The declaration's contents are not read, because nothing in this document can be read.
        let at = evidence.signature.map_or(0, |row| row.bytes.len() as u64);
        let message = format!(
            "the declaration is written in {}, but the byte order mark is that of {}",
            guess.name(),
            family.name()
        );
        diagnostics.push(Diagnostic::warning("bom-declaration-conflict", at, message));
    }
    let Some((name, at)) = xml_enc(evidence) else { return Ok(None) };
    let choice = named(evidence, &name, at, Source::Declaration, diagnostics)?;
    if let Some(label) = evidence.charset {
        let named = evidence.lookup(label).unwrap_or_else(|| choice.named.clone());
        evidence.conflicts_with_charset(label, &*evidence.in_order(&named)?, diagnostics);
    }
    Ok(Some(choice))
}

fn any_charset(evidence: &Evidence<'_>, diagnostics: &mut Vec<Diagnostic>) -> Answer {
    match ct_enc(evidence) {
        Some(label) => by_charset(evidence, &label, diagnostics).map(Some),
        None => Ok(None),
    }
}
