//! The information that is available before the first byte is read: the hints, as the policy interprets them.

use super::content_type::{self, ContentType, MediaKind};
use super::declaration::Scanner;
use super::hints::{Hints, PRESCAN, PRESCAN_LIMIT};
use super::html;
use super::rules::{self, Traits};
use super::verdict::{Diagnostic, Kind};
use crate::registry::Registry;

/// The information that is available before the first byte is read.
pub(super) struct Known {
    pub(super) registry: Registry,
    /// With the charset of the Content-Type, if the transport gave no other.
    pub(super) hints: Hints,
    /// Those of the policy.
    pub(super) traits: Traits,
    media: Option<MediaKind>,
    /// The same as `media`, but as the policy interprets it.
    pub(super) media_of_policy: Option<MediaKind>,
}

impl Known {
    pub(super) fn new(registry: Registry, mut hints: Hints) -> Self {
        let traits = hints.policy.traits();
        let content_type = hints.content_type.as_deref().map(ContentType::parse);
        let media = content_type.as_ref().map(ContentType::kind);
        let media_of_policy = content_type.as_ref().map(|content_type| traits.media(content_type));
        hints.charset = hints.charset.or(content_type.and_then(|content_type| content_type.charset));
        Known { registry, hints, traits, media, media_of_policy }
    }

    /// Returns whether white space may precede the declaration.
    pub(super) fn skips_space(&self) -> bool {
        self.traits.skips_space && self.hints.from.is_none()
    }

    /// Returns how many bytes of an HTML document to search for a `meta`.
    pub(super) fn prescan(&self) -> usize {
        self.hints.prescan.unwrap_or(PRESCAN).min(PRESCAN_LIMIT)
    }

    /// Returns the kind of document whose beginning was scanned.
    pub(super) fn kind(&self, scanner: &Scanner) -> Kind {
        let is_xml = scanner.is_xml();
        let assumes_html = self.traits.assumes_html;
        self.hints.kind.unwrap_or(match self.media {
            Some(MediaKind::AppXml | MediaKind::TextXml) => Kind::Xml,
            Some(MediaKind::Html) if assumes_html || !is_xml => Kind::Html,
            _ if is_xml => Kind::Xml,
            None | Some(MediaKind::Missing) if assumes_html || scanner.is_html() => Kind::Html,
            _ => Kind::Text,
        })
    }

    /// Returns what the prescan of an HTML document finds.
    pub(super) fn find_meta(&self, window: &[u8]) -> Option<html::Meta> {
        html::prescan(&window[..window.len().min(self.prescan())], &|label| self.meaning_of_meta(label))
    }

    /// Returns the name of the encoding that a label in a `meta` means to the policy.
    fn meaning_of_meta(&self, label: &str) -> Option<String> {
        if self.traits.web_labels {
            return rules::web_name(&self.registry, label);
        }
        match self.registry.declared_if_known(label) {
            Some(codec) => Some(codec.name().to_owned()),
            None => meaning_of_label(&self.registry, label),
        }
    }

    /// Returns the warning that the caller's Content-Type begins with something other than a media type.
    pub(super) fn content_type_is_nonsense(&self) -> Option<Diagnostic> {
        let essence = ContentType::parse(self.hints.content_type.as_deref()?).essence?;
        let message = format!("{essence:?} is not a media type; expected one such as text/html");
        (!content_type::is_media_type(&essence)).then(|| Diagnostic::warning("content-type-malformed", 0, message))
    }
}

/// Returns the encoding that a label in a `meta` names, if the registry or the web's table knows the label.
pub(crate) fn meaning_of_label(registry: &Registry, label: &str) -> Option<String> {
    if registry.knows(label) { Some(label.to_owned()) } else { rules::web_name(registry, label) }
}
