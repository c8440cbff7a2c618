//! What the tables of rules share: a rule, the evidence that it weighs, and its choice.

use crate::codec::{Codec, decode_strictly, decodes};
use crate::detect::content_type::MediaKind;
use crate::detect::declaration::{self, Declaration};
use crate::detect::html::Meta;
use crate::detect::signature::{Family, Signature};
use crate::detect::statistics::{self, Guess};
use crate::detect::verdict::{Diagnostic, Kind, Source};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use std::cell::OnceCell;
use std::sync::Arc;

/// One rule of a policy.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) decide: RuleFn,
}

/// Decides by the evidence. It may add diagnostics whether the rule applies or not.
pub(super) type RuleFn = fn(&Evidence<'_>, &mut Vec<Diagnostic>) -> Answer;

/// The rule's choice, or `None` if the rule does not apply.
pub(super) type Answer = Result<Option<Choice>, Error>;

pub(super) const fn rule(id: &'static str, decide: RuleFn) -> Rule {
    Rule { id, decide }
}

/// Everything that a rule may consider.
pub(in crate::detect) struct Evidence<'a> {
    pub(in crate::detect) registry: &'a Registry,
    pub(in crate::detect) family: Family,
    pub(in crate::detect) signature: Option<Signature>,
    /// The charset that the transport gave.
    pub(in crate::detect) charset: Option<&'a str>,
    /// The media type that the transport gave, if there is a Content-Type.
    pub(in crate::detect) media: Option<MediaKind>,
    /// The kind of document.
    pub(in crate::detect) kind: Kind,
    /// The `meta` that the prescan found.
    pub(in crate::detect) meta: Option<&'a Meta>,
    pub(in crate::detect) declaration: Option<&'a Declaration>,
    /// The bytes of the declaration, or those read while looking for one; without the byte order mark.
    pub(in crate::detect) head: &'a [u8],
    /// All bytes that were read, without the byte order mark. More than `head` if the policy looks further.
    pub(in crate::detect) window: &'a [u8],
    /// Whether the input ends where `window` ends.
    pub(in crate::detect) complete: bool,
    /// The result of statistics, if they are enabled. They run at most once, when a rule first needs them.
    pub(in crate::detect) guess: Option<&'a OnceCell<Guess>>,
    pub(in crate::detect) fallback: Option<&'a Arc<dyn Codec>>,
    pub(in crate::detect) ebcdic_fallback: Option<&'a Arc<dyn Codec>>,
}

/// The choice of a rule.
pub(in crate::detect) struct Choice {
    pub(in crate::detect) codec: Arc<dyn Codec>,
    /// The codec that the label names, before the bytes determined its byte order.
    pub(in crate::detect) named: Arc<dyn Codec>,
    pub(in crate::detect) source: Source,
    /// The label to report, or `None` if the policy has none. It may differ from the codec's name.
    pub(in crate::detect) label: Option<String>,
}

impl Choice {
    pub(super) fn of(codec: Arc<dyn Codec>, source: Source) -> Self {
        Choice { label: Some(codec.name().to_owned()), named: codec.clone(), codec, source }
    }

    /// The same choice, reported as `label`.
    pub(super) fn labelled(self, label: &str) -> Self {
        Choice { label: Some(label.to_owned()), ..self }
    }
}

/// The policy treats this as an error, for the reason `why`.
pub(super) fn rejected(why: &'static str) -> Error {
    ErrorKind::PolicyRejects { offset: 0, why }.into()
}

/// Resolves a label that leaves the byte order open: returns the codec of the order that `family` shows, or else of the
/// first order listed. Any other codec is returned unchanged.
pub(in crate::detect) fn in_order(
    registry: &Registry,
    family: Family,
    named: &Arc<dyn Codec>,
) -> Result<Arc<dyn Codec>, Error> {
    let Some(orders) = named.info().byte_orders else { return Ok(named.clone()) };
    let shown = family.reading_label();
    let name = orders.names.iter().find(|name| **name == shown).or(orders.names.first());
    name.map_or_else(|| Ok(named.clone()), |name| registry.codec(name))
}

impl Evidence<'_> {
    /// Returns the codec that the family alone determines.
    pub(super) fn family_codec(&self) -> Result<Arc<dyn Codec>, Error> {
        self.registry.codec(match self.family {
            Family::Utf8 | Family::Ascii | Family::Unknown => "UTF-8",
            family => family.reading_label(),
        })
    }

    /// Returns the codec in the byte order that the bytes show, if the label leaves it open.
    pub(super) fn in_order(&self, named: &Arc<dyn Codec>) -> Result<Arc<dyn Codec>, Error> {
        in_order(self.registry, self.family, named)
    }

    /// Returns the family of the byte order mark, if there is one.
    pub(super) fn bom(&self) -> Option<Family> {
        self.signature.filter(|row| row.bom).map(|row| row.family)
    }

    /// Returns the result of statistics, if they are enabled.
    pub(super) fn guess(&self) -> Option<&Guess> {
        let ask = || statistics::guess(self.window, self.complete, self.registry);
        self.guess.map(|asked| asked.get_or_init(ask))
    }

    /// Returns the declared name and its position.
    pub(super) fn declared_name(&self) -> Option<(&str, u64)> {
        let (name, span) = self.declaration?.name.as_ref()?;
        Some((name, span.start))
    }

    /// Returns the codec that decodes these bytes if a label names `named`: `named` itself, in the byte order that the
    /// bytes show, or else the codec of the bytes' own family. The tuple is for the diagnostic in the second
    /// case: its code, how its message begins ("the transport says"), and its offset.
    pub(super) fn decoded(
        &self,
        named: &Arc<dyn Codec>,
        (of, says, at): (&'static str, &str, u64),
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Arc<dyn Codec>, Error> {
        let codec = self.in_order(named)?;
        let fits = match (self.bom(), self.declared_name()) {
            (Some(_), _) => self.family_codec()?.name() == codec.name(),
            // Only a name in the document belongs to a whole declaration that can be checked against it.
            (None, Some((name, place))) if at == place && at > 0 => self.fits(&*codec, name),
            (None, _) => self.agrees_with_bytes(&*codec),
        };
        if fits {
            return Ok(codec);
        }
        let message = format!("{says} {}, but the first bytes are {}", named.name(), self.family.name());
        diagnostics.push(Diagnostic::warning(of, at, message));
        self.by_family(diagnostics)
    }

    /// Returns the codec for bytes that contradict the label. If the bytes themselves declare an encoding that they can
    /// be in, it is that one; otherwise it is the codec of their family. EBCDIC bytes do not show their page, so a page
    /// is assumed, with a diagnostic.
    pub(super) fn by_family(&self, diagnostics: &mut Vec<Diagnostic>) -> Result<Arc<dyn Codec>, Error> {
        if let Some((name, _)) = self.declared_name().filter(|_| self.bom().is_none())
            && let Some(named) = self.lookup(name)
        {
            let codec = self.in_order(&named)?;
            if self.fits(&*codec, name) {
                return Ok(codec);
            }
        }
        let codec = self.page_or_family()?;
        if self.family.is_ebcdic() {
            let message = format!("the input is EBCDIC but names no code page; assuming {}", codec.name());
            diagnostics.push(Diagnostic::warning("ebcdic-page-assumed", 0, message));
        }
        Ok(codec)
    }

    /// Returns the codec of the family. For EBCDIC, this is the caller's page if the bytes are consistent with it.
    pub(super) fn page_or_family(&self) -> Result<Arc<dyn Codec>, Error> {
        let page = self.ebcdic_fallback.filter(|_| self.family.is_ebcdic());
        let page = page.filter(|codec| self.agrees_with_bytes(&***codec));
        page.cloned().map_or_else(|| self.family_codec(), Ok)
    }

    /// Reports a transport or a declaration that contradicts the byte order mark of `codec`.
    pub(super) fn conflicts_with_bom(&self, codec: &dyn Codec, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(charset) = self.charset
            && !self.agrees_with_bom(charset, codec)
        {
            let message =
                format!("the transport says {charset:?}, but the byte order mark is that of {}", codec.name());
            diagnostics.push(Diagnostic::warning("charset-bom-conflict", 0, message));
        }
        if let Some((name, at)) = self.declared_name()
            && !self.agrees_with_bom(name, codec)
        {
            let message = format!("the declaration says {name:?}, but the byte order mark is that of {}", codec.name());
            diagnostics.push(Diagnostic::warning("bom-declaration-conflict", at, message));
        }
    }

    /// Reports a declaration that contradicts a charset that is decoded by `codec`.
    pub(super) fn conflicts_with_charset(&self, label: &str, codec: &dyn Codec, diagnostics: &mut Vec<Diagnostic>) {
        let Some((name, at)) = self.declared_name() else { return };
        let same = self.lookup(name).is_some_and(|declared| {
            declared.name() == codec.name()
                || declared.info().byte_orders.is_some_and(|orders| orders.names.contains(&codec.name()))
        });
        if !same {
            let message = format!("the declaration says {name:?}, but the transport says {label:?}");
            diagnostics.push(Diagnostic::warning("charset-declaration-conflict", at, message));
        }
    }

    /// Returns whether `codec` decodes the window without an error. A character that the end of the window cuts does
    /// not count as one.
    pub(super) fn decodes(&self, codec: &dyn Codec) -> bool {
        decodes(codec, self.window, self.complete)
    }

    /// Returns the codec that `label` names, or `None` if the label is unknown or unsupported.
    pub(super) fn lookup(&self, label: &str) -> Option<Arc<dyn Codec>> {
        self.registry.declared_if_known(label)
    }

    /// Returns whether `label` is consistent with a byte order mark of `codec`. RFC 2781 §3.3 forbids the mark with a
    /// label that already says the byte order, even if they agree.
    pub(super) fn agrees_with_bom(&self, label: &str, codec: &dyn Codec) -> bool {
        self.lookup(label).is_some_and(|named| match named.info().byte_orders {
            Some(orders) => orders.names.contains(&codec.name()),
            None => named.name() == codec.name() && !matches!(codec.name(), "UTF-16BE" | "UTF-16LE"),
        })
    }

    /// Returns whether `codec` decodes the declaration's bytes to a declaration with the same name. If so, name and
    /// bytes agree.
    pub(super) fn fits(&self, codec: &dyn Codec, name: &str) -> bool {
        decode_strictly(codec, self.head).is_some_and(|text| {
            text.starts_with("<?xml")
                && declaration::read(&text, self.family.is_ebcdic()).name.is_some_and(|range| &text[range] == name)
        })
    }

    /// Returns whether `codec` decodes the bytes of the signature to the same text as the family's codec does. Also
    /// true if there is no signature, or if it is a byte order mark.
    pub(super) fn agrees_with_bytes(&self, codec: &dyn Codec) -> bool {
        let Some(row) = self.signature.filter(|row| !row.bom) else { return true };
        let reader = self.registry.codec(self.family.reading_label());
        reader.is_ok_and(|reader| {
            let expected = decode_strictly(&*reader, row.bytes);
            expected.is_some() && decode_strictly(codec, row.bytes) == expected
        })
    }
}
pub(super) fn utf16_without_bom(offset: u64) -> Diagnostic {
    Diagnostic::warning("utf16-without-bom", offset, "UTF-16 without the required byte order mark")
}

/// Adds the position in the document to the error for an unknown or unsupported label.
pub(super) fn in_document(error: Error, at: u64) -> Error {
    match error.kind() {
        ErrorKind::UnknownLabel { label, near, .. } => {
            ErrorKind::UnknownLabel { label: label.clone(), offset: Some(at), near: near.clone() }.into()
        }
        ErrorKind::UnsupportedLabel { label, reason, .. } => {
            ErrorKind::UnsupportedLabel { label: label.clone(), reason, offset: Some(at) }.into()
        }
        _ => error,
    }
}
