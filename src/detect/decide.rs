//! Applies the rules of the policy to the bytes read, and makes the verdict.

use super::declaration::{self, DECLARATION_LIMIT, Declaration, Scanner};
use super::html::Meta;
use super::known::Known;
use super::rules::{Choice, Evidence};
use super::start::Start;
use super::statistics::{Candidate, Guess};
use super::verdict::{Diagnostic, Kind, Source, Verdict};
use crate::codec::{Codec, decode_strictly};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use std::cell::OnceCell;
use std::ops::Range;

/// The bytes read from an input.
pub(super) struct Input<'a> {
    pub(super) known: &'a Known,
    pub(super) start: &'a Start,
    /// All bytes, with the byte order mark.
    pub(super) prefix: &'a [u8],
    /// Whether the input ends with the prefix.
    pub(super) ended: bool,
}

/// The choice of a rule, and its id.
type Ruling = (Option<&'static str>, Result<Choice, Error>);

/// The document's own declarations.
#[derive(Default)]
struct DocumentFacts {
    declaration: Option<Declaration>,
    /// The range of the bytes that the declaration was read from.
    head: Range<usize>,
    /// The label in a `meta`, and its position in the input.
    meta: Option<(String, Range<usize>)>,
    kind: Kind,
    candidates: Vec<Candidate>,
}

/// The parts of the document that a rule may consider.
struct Document<'a> {
    kind: Kind,
    meta: Option<&'a Meta>,
    declaration: Option<&'a Declaration>,
    /// The bytes that the declaration was read from.
    head: &'a [u8],
}

impl Input<'_> {
    /// Returns the verdict. `too_long`: the declaration does not end within [`DECLARATION_LIMIT`].
    pub(super) fn decide(&self, scanner: &Scanner, too_long: bool) -> Verdict {
        let &Input { known, start, prefix, .. } = self;
        let bom_len = start.bom_len;
        let kind = known.kind(scanner);
        // The bytes that the declaration was read from. The window may be longer.
        let head_start = scanner.start();
        let head = &prefix[head_start..prefix.len().min(head_start + scanner.taken())];
        let meta = (kind == Kind::Html).then(|| known.find_meta(&prefix[bom_len..])).flatten();
        // A declaration that is too long was not read, so nothing is taken from it.
        let mut declaration = (scanner.is_declaration() && !too_long).then(|| scanner.declaration());
        let mut diagnostics = Vec::new();
        if scanner.has_skipped() && scanner.is_declaration() {
            let message = "white space precedes the XML declaration, which parsers of XML reject";
            diagnostics.push(Diagnostic::warning("declaration-not-first", head_start as u64, message));
        }
        let guess = OnceCell::new();
        let (rule, choice) = if too_long {
            let limit = DECLARATION_LIMIT;
            (None, Err(ErrorKind::DeclarationTooLong { offset: head_start as u64, limit }.into()))
        } else {
            let document = Document { kind, meta: meta.as_ref(), declaration: declaration.as_ref(), head };
            self.choose(&document, &guess, &mut diagnostics)
        };
        if choice.is_ok() && diagnostics.iter().all(|note| note.code != "media-type-not-xml") {
            diagnostics.extend(known.content_type_is_nonsense());
        }
        if let Ok(choice) = &choice {
            diagnostics.extend(superset_used(choice, declaration.as_ref()));
            diagnostics.extend(shadowed_codec(&known.registry, choice));
        }
        if let Some(found) = &mut declaration {
            let codec = choice.as_ref().ok().map(|choice| &*choice.codec);
            diagnostics.extend(malformed_declaration(found, codec, head, scanner.is_ebcdic()));
        }
        let meta = meta.and_then(|meta| meta.label);
        let meta = meta.map(|(label, span)| (label, bom_len + span.start..bom_len + span.end));
        let head = head_start..head_start + head.len();
        // Candidates are reported only if statistics decided.
        let speaks = choice.as_ref().is_ok_and(|choice| choice.source == Source::Statistics);
        let candidates = guess.get().filter(|_| speaks).map_or_else(Vec::new, |guess| guess.candidates().to_vec());
        self.conclude(DocumentFacts { declaration, head, meta, kind, candidates }, (rule, choice), diagnostics)
    }

    /// Returns the choice of the caller, or else that of the rules. Statistics are slow, so `guess` is filled only if
    /// a rule asks for it.
    fn choose(&self, document: &Document<'_>, guess: &OnceCell<Guess>, diagnostics: &mut Vec<Diagnostic>) -> Ruling {
        let &Input { known: Known { registry, hints, traits, media_of_policy, .. }, start, prefix, ended } = self;
        if let Some((codec, named)) = start.from.clone().zip(hints.from.clone()) {
            if start.bom_len == 0 && start.has_bom() {
                diagnostics.push(foreign_byte_order_mark(&*codec));
            }
            let label = Some(codec.name().to_owned());
            return (Some("user"), Ok(Choice { codec, named, source: Source::User, label }));
        }
        let may_guess = hints.from.is_none() && !start.has_bom() && (hints.guess || traits.always_guesses);
        let &Document { kind, meta, declaration, head } = document;
        let evidence = Evidence {
            registry,
            family: start.family(),
            signature: start.signature,
            charset: hints.charset.as_deref(),
            media: *media_of_policy,
            kind,
            meta,
            declaration,
            head,
            window: &prefix[start.bom_len..],
            complete: ended,
            guess: may_guess.then_some(guess),
            fallback: hints.fallback.as_ref(),
            ebcdic_fallback: hints.ebcdic_fallback.as_ref(),
        };
        traits.decide(&evidence, diagnostics)
    }

    /// Returns the verdict on an input that no codec can read.
    pub(super) fn fail(&self, error: Error) -> Verdict {
        self.conclude(DocumentFacts::default(), (None, Err(error)), Vec::new())
    }

    fn conclude(&self, found: DocumentFacts, (rule, choice): Ruling, diagnostics: Vec<Diagnostic>) -> Verdict {
        let &Input { known: Known { hints, .. }, start, prefix, .. } = self;
        let DocumentFacts { declaration, head, meta, kind, candidates } = found;
        let (choice, error) = match choice {
            Ok(choice) => (Some(choice), None),
            Err(error) => (None, Some(error)),
        };
        // The codec that the caller or the transport named may decode these bytes differently from the family's codec.
        let declaration_is_read = declaration.is_none()
            || choice.as_ref().is_some_and(|choice| {
                decode_strictly(&*choice.codec, &prefix[head]).is_some_and(|text| text.starts_with("<?xml"))
            });
        let name = declaration.as_ref().and_then(|declaration| declaration.name.clone());
        let as_input = |span: Range<usize>| span.start as u64..span.end as u64;
        let (declared, declared_span) = name.or_else(|| meta.map(|(label, span)| (label, as_input(span)))).unzip();
        Verdict {
            encoding: choice.as_ref().and_then(|choice| choice.label.clone()),
            family: start.family(),
            kind,
            signature: start.signature,
            declared,
            declared_span,
            charset: hints.charset.clone(),
            ascii: prefix[start.bom_len..].is_ascii() && !start.family().is_wide(),
            looks: None,
            policy: hints.policy,
            candidates,
            rule,
            source: choice.as_ref().map(|choice| choice.source),
            diagnostics,
            error,
            expects_bmp: choice.as_ref().is_some_and(|choice| choice.named.name() == "ISO-10646-UCS-2"),
            bom_len: start.bom_len,
            declaration,
            declaration_is_read,
            codec: choice.map(|choice| choice.codec),
        }
    }
}

/// Returns the warning that the caller's encoding is not that of the byte order mark.
fn foreign_byte_order_mark(codec: &dyn Codec) -> Diagnostic {
    let name = codec.name();
    let message = format!("{name} was requested, but the input begins with the byte order mark of another encoding");
    Diagnostic::warning("charset-bom-conflict", 0, message)
}

/// Returns the warning that the input is read as a superset of the encoding that a label names.
fn superset_used(choice: &Choice, declaration: Option<&Declaration>) -> Option<Diagnostic> {
    let superset = choice.named.info().read_as_superset?;
    let name = declaration.and_then(|declaration| declaration.name.as_ref());
    let declared = name.filter(|_| choice.source == Source::Declaration);
    let message = format!("read as {superset}, a superset of the encoding that the label names");
    Some(Diagnostic::warning("superset-used", declared.map_or(0, |(_, span)| span.start), message))
}

/// Returns the hint that the codec was registered under labels of other codecs.
fn shadowed_codec(registry: &Registry, choice: &Choice) -> Option<Diagnostic> {
    let [first, more @ ..] = registry.shadowed(&*choice.named) else { return None };
    let name = choice.named.name();
    let others = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let message = if first == name {
        format!("{name} is a registered codec that replaces the built-in of the same name")
    } else {
        format!("the registered codec {name} takes over labels of {first}{others}")
    };
    Some(Diagnostic::hint("shadowed-codec", 0, message))
}

/// Returns the warning about a malformed declaration in `head`, read by the codec of its family. The chosen page knows
/// where its own quotes are, and the family's codec may have taken another character for one. If the declaration is
/// well-formed when `codec`, the chosen one, reads it, it counts as well-formed.
fn malformed_declaration(
    found: &mut Declaration,
    codec: Option<&dyn Codec>,
    head: &[u8],
    ebcdic: bool,
) -> Option<Diagnostic> {
    let offset = found.malformed?;
    let text = codec.and_then(|codec| decode_strictly(codec, head));
    let is_well_formed =
        |text: &String| text.starts_with("<?xml") && declaration::read(text, ebcdic).malformed.is_none();
    if text.as_ref().is_some_and(is_well_formed) {
        found.malformed = None;
        return None;
    }
    Some(Diagnostic::warning("declaration-malformed", offset, "the XML declaration is malformed here"))
}
