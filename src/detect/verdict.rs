//! What detection answers: an encoding, with its reasons.

use super::rules::Policy;
use super::signature::{Family, Signature};
use super::statistics::Candidate;
use crate::codec::Codec;
use crate::error::Error;
use crate::words::words;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What kind of document a stream is. Relabelling and newlines hang on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Kind {
    /// It begins with `<?xml` in some family, or its media type is an XML one, or the caller says so.
    Xml,
    /// Its media type is HTML, or the policy is the web's and nothing says otherwise, or the caller says so.
    Html,
    /// Anything else.
    #[default]
    Text,
}

words! { Kind { Xml: "xml", Html: "html", Text: "text" } }

/// Who had the last word on the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Source {
    /// The caller's label.
    User,
    /// The byte order mark.
    Bom,
    /// The transport's charset.
    Charset,
    /// The declaration in the document.
    Declaration,
    /// The byte pattern alone.
    Signature,
    /// The `meta` of an HTML document.
    Meta,
    /// Statistics.
    Statistics,
    /// The caller's label for when nothing tells.
    Fallback,
    /// The policy's last resort.
    Default,
}

words! {
    Source {
        User: "user", Bom: "bom", Charset: "charset", Declaration: "declaration", Signature: "signature", Meta: "meta",
        Statistics: "statistics", Fallback: "fallback", Default: "default",
    }
}

/// How much a diagnostic weighs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// Something contradicts something; an error under `strict`.
    Warning,
    /// Something worth knowing; never an error.
    Hint,
}

words! { Severity { Warning: "warning", Hint: "hint" } }

/// Something that was seen on the way and did not stop it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A short name that does not change: `bom-declaration-conflict` …
    pub code: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// What it is about, for a person.
    pub message: String,
    /// Where in the input, in bytes from 0.
    pub offset: u64,
}

impl Diagnostic {
    /// A warning at `offset`.
    pub fn warning(code: &'static str, offset: u64, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Warning, message: message.into(), offset }
    }

    /// A hint at `offset`.
    pub fn hint(code: &'static str, offset: u64, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Hint, message: message.into(), offset }
    }
}

/// The answer of a [`Detector`](super::Detector): facts about the first bytes, and the choice that follows from them.
///
/// ```
/// use charpipe::detect::{Detector, Hints, Source};
/// use charpipe::Registry;
///
/// let mut detector = Detector::new(Registry::builtin(), Hints::default());
/// detector.feed(b"\xFF\xFE<\0a\0/\0>\0");
/// let verdict = detector.finish();
/// assert_eq!(verdict.encoding.as_deref(), Some("UTF-16LE"));
/// assert_eq!((verdict.source, verdict.rule), (Some(Source::Bom), Some("rfc7303:bom")));
/// assert_eq!(verdict.bom(), Some(&b"\xFF\xFE"[..]));
/// assert!(verdict.diagnostics.is_empty() && verdict.error.is_none());
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Verdict {
    /// The label that the policy reports.
    pub encoding: Option<String>,
    /// The codec that decodes the bytes; `None` where no rule found one. Under `strict` there may be both a codec and an
    /// [`error`](Verdict::error).
    pub codec: Option<Arc<dyn Codec>>,
    /// What the byte pattern tells.
    pub family: Family,
    /// What kind of document it is.
    pub kind: Kind,
    /// The row of the table that fits.
    pub signature: Option<Signature>,
    /// The name in the declaration, or in the `meta` of an HTML document.
    pub declared: Option<String>,
    /// Where that name stands in the input, in bytes from 0.
    pub declared_span: Option<Range<u64>>,
    /// The charset that the transport gave.
    pub charset: Option<String>,
    /// The policy.
    pub policy: Policy,
    /// The id of the rule that decided.
    pub rule: Option<&'static str>,
    /// Who had the last word.
    pub source: Option<Source>,
    /// What statistics make of it, the likeliest first; empty where they did not decide.
    pub candidates: Vec<Candidate>,
    /// What was seen on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// Why there is no answer.
    pub error: Option<Error>,
    /// The label was one that leaves out what UTF-16 can (ISO-10646-UCS-2): code points above FFFF are worth a warning.
    pub(crate) expects_bmp: bool,
    /// How many bytes of the input are a byte order mark.
    pub(crate) bom_len: usize,
    pub(crate) declaration: Option<super::declaration::Declaration>,
    /// The codec finds a declaration in the bytes of [`declaration`](Self::declaration) too, or there is none.
    pub(crate) declaration_is_read: bool,
}

impl Verdict {
    /// The bytes of the byte order mark that was found.
    pub fn bom(&self) -> Option<&'static [u8]> {
        self.signature.filter(|signature| signature.bom).map(|signature| signature.bytes)
    }

    /// Returns where the XML declaration is in the input, in bytes from 0, from its `<` to behind its `>`; `None` if there
    /// is none.
    pub fn xml_declaration(&self) -> Option<Range<u64>> {
        self.declaration.as_ref().map(|declaration| declaration.span.clone())
    }
}

impl fmt::Debug for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verdict")
            .field("encoding", &self.encoding)
            .field("codec", &self.codec.as_ref().map(|codec| codec.name().to_owned()))
            .field("family", &self.family)
            .field("kind", &self.kind)
            .field("signature", &self.signature)
            .field("declared", &self.declared)
            .field("declared_span", &self.declared_span)
            .field("charset", &self.charset)
            .field("policy", &self.policy)
            .field("rule", &self.rule)
            .field("source", &self.source)
            .field("candidates", &self.candidates)
            .field("diagnostics", &self.diagnostics)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}
