//! Policies: which evidence takes precedence when the byte order mark, the transport, the declaration and the byte
//! pattern each suggest an encoding.
//!
//! A [`Policy`] is a row of [`Policy::traits`]: a table of rules with ids, and what else it asks of detection. The first
//! rule that applies decides. All rules work on the same [`Evidence`] (`rule.rs`), and each policy has a file with its
//! own.

mod feedparser;
mod rfc3023;
mod rfc7303;
mod rome;
mod rule;
mod whatwg;

pub(super) use rule::{Choice, Evidence, in_order};
pub(super) use whatwg::web_name;

use super::content_type::{ContentType, MediaKind};
use super::policy::Policy;
use super::verdict::Diagnostic;
use crate::codec::Codec;
use crate::error::{Error, ErrorKind};
use rule::{Rule, rejected};
use std::sync::Arc;

/// All that distinguishes one policy from another. Detection asks for these, never for a policy by its name.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    rules: &'static [Rule],
    /// White space may precede the declaration, although XML forbids it, and HTML is recognised by its first tags.
    pub(super) skips_space: bool,
    /// The contents are compared with the encoding that was found.
    pub(crate) checks_contents: bool,
    /// The rules ask statistics even if the caller does not.
    pub(crate) always_guesses: bool,
    /// The rules ask in which family a declaration after a byte order mark is written.
    pub(super) looks_past_bom: bool,
    /// `+xml` counts only in `application/…+xml` and `text/…+xml`, not under any top-level type.
    pub(super) narrow_xml: bool,
    /// The label in a `meta` means what the Encoding Standard says.
    pub(super) web_labels: bool,
    /// Text is encoded as browsers encode it.
    web_targets: bool,
    /// The first bytes show only what browsers recognise in them.
    pub(super) web_signatures: bool,
    /// A document of no other known kind is HTML.
    pub(crate) assumes_html: bool,
}

/// A policy of XML: what most of them have in common.
const OF_XML: Traits = Traits {
    rules: &[],
    skips_space: false,
    checks_contents: false,
    always_guesses: false,
    looks_past_bom: false,
    narrow_xml: false,
    web_labels: true,
    web_targets: false,
    web_signatures: false,
    assumes_html: false,
};

impl Policy {
    /// Returns the traits of the policy: its row of the table.
    pub(crate) const fn traits(self) -> Traits {
        match self {
            Policy::Rfc7303 => {
                Traits { rules: rfc7303::RULES, skips_space: true, checks_contents: true, web_labels: false, ..OF_XML }
            }
            Policy::Rfc3023 => Traits { rules: rfc3023::RULES, ..OF_XML },
            Policy::RomeStrict => Traits { rules: rome::STRICT, looks_past_bom: true, narrow_xml: true, ..OF_XML },
            Policy::RomeLenient => Traits { rules: rome::LENIENT, looks_past_bom: true, narrow_xml: true, ..OF_XML },
            Policy::Feedparser => Traits { rules: feedparser::RULES, always_guesses: true, narrow_xml: true, ..OF_XML },
            Policy::Whatwg => {
                Traits { rules: whatwg::RULES, web_targets: true, web_signatures: true, assumes_html: true, ..OF_XML }
            }
        }
    }
}

impl Traits {
    /// Returns the codec that the policy encodes with, if it is not `named` itself.
    pub(crate) fn target(&self, named: &dyn Codec) -> Option<Arc<dyn Codec>> {
        #[cfg(feature = "whatwg")]
        if self.web_targets {
            return crate::codec::web::as_browsers_encode(named);
        }
        let _ = (named, self.web_targets);
        None
    }

    /// Returns what the media type means to the policy.
    pub(super) fn media(&self, content_type: &ContentType) -> MediaKind {
        match content_type.kind() {
            MediaKind::AppXml if self.narrow_xml && !content_type.is_application() => MediaKind::Other,
            kind => kind,
        }
    }

    /// Applies the rules in order. Returns the id of the first rule that applies, and its choice or error.
    pub(super) fn decide(
        &self,
        evidence: &Evidence<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> (Option<&'static str>, Result<Choice, Error>) {
        for rule in self.rules {
            match (rule.decide)(evidence, diagnostics) {
                Ok(None) => {}
                Ok(Some(choice)) => return (Some(rule.id), Ok(choice)),
                // An unknown label is an error of the label, not of a rule, so no rule is reported.
                Err(error) => {
                    let is_rule = matches!(error.kind(), ErrorKind::PolicyRejects { .. });
                    return (Some(rule.id).filter(|_| is_rule), Err(error));
                }
            }
        }
        (None, Err(rejected("nothing identifies the encoding")))
    }
}
