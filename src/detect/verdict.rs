//! The result of detection: an encoding and the reasons for it.

use super::policy::Policy;
use super::signature::{Family, Signature};
use super::statistics::{Candidate, Looks};
use crate::codec::Codec;
#[cfg(feature = "lines")]
use crate::codec::{MalformedChars, PositionFinder, Positions};
use crate::error::{Error, TextPosition};
#[cfg(feature = "lines")]
use crate::registry::Registry;
use crate::words::words;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// The kind of document. It determines how labels and newlines are handled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Kind {
    /// XML: the input begins with `<?xml` in some family, the media type is an XML one, or the caller says so.
    Xml,
    /// HTML: the media type is HTML, the caller says so, or the policy is the web's and nothing says otherwise.
    Html,
    /// Anything else.
    #[default]
    Text,
}

words! { Kind { Xml: "xml", Html: "html", Text: "text" } }

/// The source of evidence that determined the encoding.
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
    /// Byte statistics.
    Statistics,
    /// The caller's fallback label, used if nothing else identifies the encoding.
    Fallback,
    /// The policy's own default.
    Default,
}

words! {
    Source {
        User: "user", Bom: "bom", Charset: "charset", Declaration: "declaration", Signature: "signature", Meta: "meta",
        Statistics: "statistics", Fallback: "fallback", Default: "default",
    }
}

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// Two pieces of evidence contradict each other. An error under `strict`.
    Warning,
    /// Useful to know; never an error.
    Hint,
}

words! { Severity { Warning: "warning", Hint: "hint" } }

/// A problem or an observation that did not stop detection or conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A short code that never changes: `bom-declaration-conflict` …
    pub code: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// A description for people to read.
    pub message: String,
    /// The position in the input, in bytes from 0.
    pub offset: u64,
    /// The line and column of that byte. `None` if they are not known, or if the input is not text.
    pub position: Option<TextPosition>,
}

impl Diagnostic {
    /// A warning at `offset`.
    pub fn warning(code: &'static str, offset: u64, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Warning, message: message.into(), offset, position: None }
    }

    /// A hint at `offset`.
    pub fn hint(code: &'static str, offset: u64, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Hint, message: message.into(), offset, position: None }
    }

    /// The same with a line and a column.
    #[must_use]
    pub fn with_position(self, position: Option<TextPosition>) -> Self {
        Diagnostic { position, ..self }
    }
}

/// The result of a [`Detector`](super::Detector): facts about the first bytes, and the encoding that follows from them.
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
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// The label that the policy reports.
    pub encoding: Option<String>,
    /// The codec that decodes the bytes, or `None` if no rule found one. Under `strict` there may be both a codec and
    /// an [`error`](Verdict::error).
    pub codec: Option<Arc<dyn Codec>>,
    /// The family that the byte pattern shows.
    pub family: Family,
    /// The kind of document.
    pub kind: Kind,
    /// The matching row of the table of signatures.
    pub signature: Option<Signature>,
    /// The encoding named in the declaration, or in the `meta` of an HTML document.
    pub declared: Option<String>,
    /// The position of that name in the input, in bytes from 0.
    pub declared_span: Option<Range<u64>>,
    /// The charset that the transport gave.
    pub charset: Option<String>,
    /// Whether all that was examined is ASCII, without the byte order mark. False for UTF-16 and UTF-32.
    pub ascii: bool,
    /// What the input looks like, if nothing identifies its encoding and it is not plain UTF-8, or if it begins like a
    /// known binary format.
    pub looks: Option<Looks>,
    /// The policy that was applied.
    pub policy: Policy,
    /// The id of the rule that decided.
    pub rule: Option<&'static str>,
    /// The source of evidence that determined the encoding.
    pub source: Option<Source>,
    /// The candidates that statistics found, the most likely first. Empty if statistics did not decide.
    pub candidates: Vec<Candidate>,
    /// Warnings and hints from detection.
    pub diagnostics: Vec<Diagnostic>,
    /// Why no encoding was found, or, under `strict`, which warning is treated as an error.
    pub error: Option<Error>,
    /// Whether the label names an encoding without surrogates (ISO-10646-UCS-2). If so, code points above FFFF deserve
    /// a warning.
    pub(crate) expects_bmp: bool,
    /// The length in bytes of the byte order mark in the input.
    pub(crate) bom_len: usize,
    pub(crate) declaration: Option<super::declaration::Declaration>,
    /// Whether the codec, too, finds a declaration in the bytes of [`declaration`](Self::declaration). Also true if
    /// there is no declaration.
    pub(crate) declaration_is_read: bool,
}

impl Verdict {
    /// Returns the bytes of the byte order mark that was found.
    #[must_use]
    pub fn bom(&self) -> Option<&'static [u8]> {
        self.signature.filter(|signature| signature.bom).map(|signature| signature.bytes)
    }

    /// Finds the line and column for every offset in the verdict. `input` is the same input from its beginning, and is
    /// read as far as needed. Afterwards [`Error::position`] and [`Diagnostic::position`] have them, unless the input
    /// is not text.
    ///
    /// A [`Detector`](super::Detector) does this for what is within the bytes that it keeps.
    ///
    /// # Errors
    /// Those of `input`.
    ///
    /// ```
    /// use charpipe::{Detector, Registry, detect::Hints};
    ///
    /// let input = [&b"0123456\n".repeat(10_000)[..], b"caf\xE9"].concat();
    /// let mut detector = Detector::whole(Registry::builtin(), Hints::default());
    /// detector.feed(&input);
    /// let mut verdict = detector.finish();
    /// verdict.locate(&input[..])?;
    /// let at = verdict.error.unwrap().position().unwrap();
    /// assert_eq!((at.line, at.column), (10_001, 4));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg_attr(not(feature = "lines"), allow(unused_mut, unused_variables, clippy::unnecessary_wraps))]
    pub fn locate<R: Read>(&mut self, mut input: R) -> io::Result<()> {
        #[cfg(feature = "lines")]
        if let Some(codec) = self.text_codec() {
            let finder = PositionFinder::new(&*codec, self.bom_len as u64, MalformedChars::One);
            let positions = Positions::find(finder, &mut input, self.offsets().collect())?;
            self.set_positions(&|offset, _| positions.of(offset));
        }
        Ok(())
    }

    /// The offsets whose lines and columns are looked for.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = u64> {
        let error = self.error.as_ref().and_then(Error::offset_in_text);
        self.diagnostics.iter().map(|note| note.offset).chain(error)
    }

    /// Sets the lines and columns that `find` returns for an offset, given those that are known.
    #[cfg(feature = "lines")]
    pub(crate) fn set_positions(&mut self, find: &impl Fn(u64, Option<TextPosition>) -> Option<TextPosition>) {
        if let Some(error) = &mut self.error {
            let position = error.offset_in_text().and_then(|offset| find(offset, error.position()));
            *error = error.with_position(position);
        }
        for note in &mut self.diagnostics {
            note.position = find(note.offset, note.position);
        }
    }

    /// Returns what decodes the input to find lines and columns in it. Without a codec that is any one of the family,
    /// and UTF-8 for bytes of which no one knows what they are: so much of them is known. `None` if the input is not
    /// text.
    #[cfg(feature = "lines")]
    pub(crate) fn text_codec(&self) -> Option<Arc<dyn Codec>> {
        if self.looks == Some(Looks::Binary) {
            return None;
        }
        let is_readable = self.family.is_wide() || self.family.is_ebcdic();
        let label = if is_readable { self.family.reading_label() } else { "UTF-8" };
        self.codec.clone().or_else(|| Registry::builtin().codec(label).ok())
    }

    /// Returns whether the input itself or its transport names the encoding, or it is the rule for XML.
    pub(crate) fn is_believed(&self) -> bool {
        match self.source {
            Some(Source::Bom | Source::Charset | Source::Declaration | Source::Signature | Source::Meta) => true,
            Some(Source::Default) => self.kind == Kind::Xml,
            Some(Source::User | Source::Statistics | Source::Fallback) | None => false,
        }
    }

    /// Returns the range of the XML declaration in the input, in bytes from 0, including its `<` and `>`; `None` if
    /// there is none.
    #[must_use]
    pub fn xml_declaration(&self) -> Option<Range<u64>> {
        self.declaration.as_ref().map(|declaration| declaration.span.clone())
    }
}
