//! The result of statistics: the candidates of a guess, and what an input looks like.

use crate::words::words;

/// The fewest bytes from which anything is guessed. Exceptions: UTF-8 (recognised by its structure at any length),
/// UTF-16 (12 bytes), UTF-32 (24 bytes), and EBCDIC that begins like XML.
pub const MINIMUM: usize = 24;

/// The margin in score. If another page decodes the window differently and its score is within this margin of the
/// first, the guess is ambiguous.
pub const MARGIN: f32 = 0.5;

/// The most candidates in a guess.
pub const MOST: usize = 12;

/// A charset that the bytes may be in.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The name of a codec in the registry.
    pub codec: String,
    /// How likely the charset is, from 0 to 1. Scores can be compared with each other, but they are not probabilities.
    pub score: f32,
    /// Whether this charset decodes the window to exactly the same text as the first candidate.
    pub same_text: bool,
}

/// The result of [`guess`](super::guess()). The candidates are in order, the best first, and there is at least one.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Guess {
    /// The first candidate is certain. Others that decode the window to the same text may follow.
    Certain(Vec<Candidate>),
    /// The first candidate is only the best. Either another one decodes the window differently and is within [`MARGIN`]
    /// of it, or the window is only the beginning of the input and contains nothing in which the usual pages differ.
    Ambiguous(Vec<Candidate>),
    /// No encoding could be identified.
    Nothing,
}

impl Guess {
    /// Returns the candidates, the best first.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Guess::Certain(candidates) | Guess::Ambiguous(candidates) => candidates,
            Guess::Nothing => &[],
        }
    }

    pub(super) fn certain(codec: &str, score: f32) -> Guess {
        Guess::Certain(vec![Candidate { codec: codec.to_owned(), score, same_text: true }])
    }
}

/// What an input looks like if nothing names its encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Looks {
    /// A format that is not text, or bytes that text does not contain.
    Binary,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
    /// EBCDIC of any page.
    Ebcdic,
    /// Text in a charset other than Unicode.
    Legacy,
    /// Mostly valid UTF-8, with some other bytes outside ASCII.
    Mixed,
}

words! {
    Looks {
        Binary: "binary", Utf16Le: "utf-16le", Utf16Be: "utf-16be", Utf32Le: "utf-32le", Utf32Be: "utf-32be",
        Ebcdic: "ebcdic", Legacy: "legacy", Mixed: "mixed",
    }
}

impl Looks {
    /// Returns what a message says the input looks like.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Looks::Binary => "binary data",
            Looks::Utf16Le | Looks::Utf16Be | Looks::Utf32Le | Looks::Utf32Be => self.codec(),
            Looks::Ebcdic => "EBCDIC",
            Looks::Legacy => "text in a legacy charset",
            Looks::Mixed => "UTF-8 mixed with another charset",
        }
    }

    /// Returns the name of the codec that the input is in; empty if that is not known.
    pub(super) fn codec(self) -> &'static str {
        match self {
            Looks::Utf16Le => "UTF-16LE",
            Looks::Utf16Be => "UTF-16BE",
            Looks::Utf32Le => "UTF-32LE",
            Looks::Utf32Be => "UTF-32BE",
            Looks::Binary | Looks::Ebcdic | Looks::Legacy | Looks::Mixed => "",
        }
    }
}
