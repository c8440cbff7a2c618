//! The results for a caller: lines, their ends, and checkpoints to continue from.

use std::borrow::Cow;

/// A line, and where in the input it is. From [`Lines`](crate::Lines).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Line<'a> {
    /// The offset in the input of the line's first byte. A byte order mark counts, but is not part of the first line.
    pub offset: u64,
    /// The number of the line, from 1. The pieces of a line that was [cut](LineEnd::Cut) have the same number.
    pub number: u64,
    /// The text, without the end of the line.
    pub text: Cow<'a, str>,
    /// How the line ends.
    pub end: LineEnd,
    /// How many malformed sequences were replaced or dropped in it.
    pub malformed: u64,
}

impl Line<'_> {
    /// Returns the line with a copy of its text, which can be kept.
    #[must_use]
    pub fn into_owned(self) -> Line<'static> {
        Line { text: Cow::Owned(self.text.into_owned()), ..self }
    }
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LineEnd {
    /// U+000A.
    Lf,
    /// U+000D U+000A.
    CrLf,
    /// U+000D.
    Cr,
    /// U+0085, the newline of EBCDIC.
    Nel,
    /// U+000D U+0085.
    CrNel,
    /// The input ends here.
    None,
    /// The line is longer than the limit, and continues in the next item.
    Cut,
}

/// Which characters end a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum LineEnds {
    /// CRLF, CR NEL, NEL, CR and LF, as for [`Eol::Lf`](crate::Eol::Lf). After a CR, the next character is awaited.
    #[default]
    All,
    /// LF and CRLF, and in EBCDIC also NEL and CR NEL. Any other CR or NEL is text.
    Lf,
}

/// Where to continue between two lines. From [`Lines::checkpoint`](crate::Lines::checkpoint), for
/// [`Transcode::resume_lines`](crate::Transcode::resume_lines).
///
/// With the feature `serde` it can be stored in any format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineCheckpoint {
    pub(crate) offset: u64,
    pub(crate) number: u64,
    pub(crate) encoding: Option<String>,
    pub(crate) state: u64,
}

impl LineCheckpoint {
    /// Returns the offset in the input at which the next line begins: where the input has to be read on.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of the next line, from 1.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the encoding, once it is known.
    #[must_use]
    pub fn encoding(&self) -> Option<&str> {
        self.encoding.as_deref()
    }
}
