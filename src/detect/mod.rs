//! Detection of a stream's encoding, from a bounded prefix that the caller passes in chunks.
//!
//! ```text
//! bytes ─ start.rs ── declaration.rs ── window.rs ── decide.rs ──────── contents.rs ─ Verdict
//!         the first   a scan in the     how many     the policy's       does the window
//!         bytes       family found      are needed   rules (rules/)     contradict it?
//!         │                                          │
//!         signature.rs: Appendix F                   html.rs, statistics/: what rules ask for
//! ```
//!
//! `detector.rs` takes the bytes and goes this way. `known.rs` is what is known before the first byte: the hints
//! (`hints.rs`), with the media type (`content_type.rs`), as the policy (`policy.rs`) takes them.
//!
//! A [`Detector`] takes bytes only until it has a verdict. It always needs the bytes of the signature. If a declaration
//! follows, it needs the bytes up to the declaration's `>`. If the kind of document or the policy calls for it, it also
//! needs the bytes of the HTML prescan or of the window for statistics. Under the default policy it takes the first 64
//! KiB, if there are that many, and compares them with the encoding that it found. The detector keeps these bytes, and
//! the caller can get them back with [`prefix`](Detector::prefix). The verdict does not depend on how the input was
//! split into chunks.

mod binary;
mod content_type;
mod contents;
mod decide;
mod declaration;
mod detector;
mod hints;
mod html;
mod html_start;
mod known;
#[cfg(feature = "mojibake")]
mod mojibake;
mod policy;
mod rules;
mod signature;
mod start;
pub mod statistics;
#[cfg(test)]
#[path = "../../tests/it/common/vectors.rs"]
mod vectors;
mod verdict;
mod window;

pub use content_type::{ContentType, MediaKind};
pub use declaration::DECLARATION_LIMIT;
pub use detector::Detector;
pub use hints::{Hints, PRESCAN, PRESCAN_LIMIT};
#[cfg(feature = "mojibake")]
pub use mojibake::looks_like_mojibake;
pub use policy::Policy;
pub use signature::{Family, Signature};
pub use statistics::{Candidate, Looks};
pub use verdict::{Diagnostic, Kind, Severity, Source, Verdict};

pub(crate) use binary::{
    SAMPLE_BYTES as BINARY_SAMPLE_BYTES, SIGNATURE_BYTES, SignatureScan, signature as binary_signature,
};
pub(crate) use contents::{
    CONTENTS_CONTRADICT, LabelWatch, Sample, Utf8Watch, contents_contradict, has_readable_binary, is_single_byte,
    looks_like, may_be_binary, refuse_binary,
};
pub(crate) use declaration::{Declaration, Vacancy};
pub(crate) use detector::PlainStart;
pub(crate) use html::{Syntax, meta_labels};
pub(crate) use known::meaning_of_label;
pub(crate) use signature::is_byte_order_mark;

use crate::registry::Registry;

/// Detects the encoding of `bytes`, which is a whole input, with the default policy and the built-in registry.
///
/// ```
/// let verdict = charpipe::detect(b"\xEF\xBB\xBFtext");
/// assert_eq!(verdict.encoding.as_deref(), Some("UTF-8"));
/// assert_eq!(verdict.rule, Some("rfc7303:bom"));
/// ```
#[must_use]
pub fn detect(bytes: &[u8]) -> Verdict {
    let mut detector = Detector::new(Registry::builtin(), Hints::default());
    detector.feed(bytes);
    detector.finish()
}
