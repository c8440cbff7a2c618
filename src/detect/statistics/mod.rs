//! Guesses the encoding from byte statistics over a bounded window, for input that names no encoding
//! (`spec/statistics.md`).
//!
//! [`guess`] tries these in order, and the first that recognises the window decides:
//!
//! | file | recognises |
//! |---|---|
//! | `unicode.rs` | UTF-32 and UTF-16 without a byte order mark, UTF-8 |
//! | `ebcdic.rs` | EBCDIC, and which page |
//! | `web.rs` | the charsets of the web, through chardetng (feature `guess`) |
//!
//! `models.rs` builds the language models for `ebcdic.rs` from `texts.txt`. The result is never UTF-7 or ISO-2022-JP:
//! text in them can look harmless and so slip past filters.

mod ebcdic;
mod models;
mod unicode;
#[cfg(feature = "guess")]
mod web;

use crate::registry::Registry;

/// How many bytes of the input are examined. More bytes would be slower without improving the result.
pub const WINDOW: usize = 64 * 1024;

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

/// The result of [`guess`]. The candidates are in order, the best first, and there is at least one.
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

    fn certain(codec: &str, score: f32) -> Guess {
        Guess::Certain(vec![Candidate { codec: codec.to_owned(), score, same_text: true }])
    }
}

/// Guesses the encoding of the beginning of an input, among the codecs of `registry`. `complete` says that `window` is
/// the whole input. Only the first [`WINDOW`] bytes of `window` are examined.
///
/// Time is linear in the size of the window, and memory does not depend on it.
///
/// ```
/// use charpipe::{Registry, detect::statistics::{Guess, guess}};
///
/// let registry = Registry::builtin();
/// // "Der fällige Betrag für Müller und Schröder ist größer als im Frühjahr." in page 273.
/// let bytes = b"\xC4\x85\x99\x40\x86\xC0\x93\x93\x89\x87\x85\x40\xC2\x85\xA3\x99\x81\x87\x40\x86\xD0\x99\x40\xD4\xD0\x93\
///               \x93\x85\x99\x40\xA4\x95\x84\x40\xE2\x83\x88\x99\x6A\x84\x85\x99\x40\x89\xA2\xA3\x40\x87\x99\x6A\xA1\x85\
///               \x99\x40\x81\x93\xA2\x40\x89\x94\x40\xC6\x99\xD0\x88\x91\x81\x88\x99\x4B";
/// let Guess::Certain(candidates) = guess(bytes, true, &registry) else { panic!() };
/// assert_eq!(candidates[0].codec, "IBM273");
/// assert_eq!(guess(b"b\");\"", true, &registry), Guess::Nothing);
/// ```
#[must_use]
pub fn guess(window: &[u8], complete: bool, registry: &Registry) -> Guess {
    let complete = complete && window.len() <= WINDOW;
    let window = &window[..window.len().min(WINDOW)];
    let known = |name: &str| registry.codec(name).is_ok();
    if let Some(name) = unicode::wide(window).filter(|name| known(name)) {
        return Guess::certain(name, 0.95);
    }
    let text = unicode::utf8(window, complete);
    if text == unicode::Utf8::Text {
        return if known("UTF-8") { Guess::certain("UTF-8", 1.0) } else { Guess::Nothing };
    }
    if let Some(guess) = ebcdic::guess(window, complete, registry) {
        return guess;
    }
    if text == unicode::Utf8::Ascii {
        return Guess::Nothing;
    }
    if let Some(name) = unicode::cjk_utf16(window).filter(|name| known(name)) {
        return Guess::certain(name, 0.9);
    }
    #[cfg(feature = "guess")]
    if let Some(guess) = web::guess(window, complete, registry) {
        return guess;
    }
    Guess::Nothing
}

/// What bytes that could not be converted look like. Good enough for a hint, not for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Looks {
    /// EBCDIC of any page.
    Ebcdic,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

/// Returns whether the bytes look like EBCDIC or UTF-16. Counts bytes in a single pass, without tables.
///
/// ```
/// use charpipe::detect::statistics::{Looks, looks_like};
///
/// assert_eq!(looks_like(b"\xC4\x85\x81\x99\x40\xD4\x99\x4B\x40\xE2\x94\x89\xA3\x88\x6B"), Some(Looks::Ebcdic));
/// assert_eq!(looks_like(b"D\0e\0a\0r\0 \0s\0i\0r\0"), Some(Looks::Utf16Le));
/// assert_eq!(looks_like(b"Dear Mr. Smith,"), None);
/// ```
#[must_use]
pub fn looks_like(window: &[u8]) -> Option<Looks> {
    let window = &window[..window.len().min(WINDOW)];
    match unicode::wide(window) {
        Some("UTF-16LE") => return Some(Looks::Utf16Le),
        Some("UTF-16BE") => return Some(Looks::Utf16Be),
        _ => {}
    }
    ebcdic::looks_like_ebcdic(window).then_some(Looks::Ebcdic)
}
