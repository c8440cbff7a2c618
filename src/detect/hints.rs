//! The caller's knowledge about the input.

use super::policy::Policy;
use super::verdict::Kind;
use crate::codec::Codec;
use std::sync::Arc;

/// The caller's knowledge about the input, and options for detection.
///
/// ```
/// use charpipe::detect::{Detector, Hints, Policy};
/// use charpipe::Registry;
///
/// let mut hints = Hints::default();
/// hints.policy = Policy::Rfc3023;
/// hints.content_type = Some("text/xml; charset=iso-8859-1".to_owned());
/// let mut detector = Detector::new(Registry::builtin(), hints);
/// detector.feed(b"<a/>");
/// assert_eq!(detector.finish().rule, Some("rfc3023:charset"));
/// ```
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Hints {
    /// The encoding, if the caller knows it. Overrides everything else.
    pub from: Option<Arc<dyn Codec>>,
    /// The policy: which source of evidence takes precedence.
    pub policy: Policy,
    /// The Content-Type exactly as the transport gave it: media type and parameters.
    pub content_type: Option<String>,
    /// The charset that the transport gave, if only the charset is known. Takes precedence over the charset in the
    /// Content-Type.
    pub charset: Option<String>,
    /// The kind of document, if the caller knows it.
    pub kind: Option<Kind>,
    /// The encoding to use if nothing else identifies one. Replaces the policy's own default.
    pub fallback: Option<Arc<dyn Codec>>,
    /// More fallbacks, in order, for input that the ones before do not decode without error. Under the default policy a
    /// [`Detector`](super::Detector) chooses by the first 64 KiB; a conversion chooses by 64 KiB from the first byte on that they read
    /// differently.
    pub further_fallbacks: Vec<Arc<dyn Codec>>,
    /// The page to assume for EBCDIC input that names no page, instead of IBM037. Ignored if it cannot be right: in the
    /// katakana family, for example, the letters are at other bytes.
    pub ebcdic_fallback: Option<Arc<dyn Codec>>,
    /// How many bytes of an HTML document to search for a `meta`. The default is [`PRESCAN`] and the maximum is
    /// [`PRESCAN_LIMIT`].
    pub prescan: Option<usize>,
    /// Guess from byte statistics if nothing else identifies the encoding.
    pub guess: bool,
    /// Treat every warning as an error.
    pub strict: bool,
}

/// How many bytes of an HTML document are searched for a `meta` by default. Browsers wait for the same number of bytes.
pub const PRESCAN: usize = 1024;

/// The maximum value of [`Hints::prescan`]: how many bytes of an HTML document are searched at most. They are held in
/// memory.
pub const PRESCAN_LIMIT: usize = 1 << 20;
