//! What may these bytes be, when nothing names it? Statistics over a bounded window (`spec/statistics.md`).
//!
//! [`guess`] asks in this order, and the first that answers decides:
//!
//! | file | what |
//! |---|---|
//! | `unicode.rs` | UTF-32 and UTF-16 without a byte order mark, UTF-8 |
//! | `ebcdic.rs` | EBCDIC or not, and which page |
//! | `web.rs` | the charsets of the web, through chardetng (feature `guess`) |
//!
//! `models.rs` makes the languages' models for it from `texts.txt`. UTF-7 and ISO-2022-JP are never an answer: text
//! that only looks harmless is how filters are passed.

mod ebcdic;
mod models;
mod unicode;
#[cfg(feature = "guess")]
mod web;

use crate::registry::Registry;

/// How much of the input is looked at, in bytes. More than that is not better, only slower.
pub const WINDOW: usize = 64 * 1024;

/// From fewer bytes than these nothing is guessed, except UTF-8 (by its form, any length), UTF-16 (12 bytes), UTF-32
/// (24), and EBCDIC that begins like XML.
pub const MINIMUM: usize = 24;

/// How near, in score, a page that reads the window otherwise may come to the first before the answer is ambiguous.
pub const MARGIN: f32 = 0.5;

/// The most candidates that are answered.
pub const MOST: usize = 12;

/// A charset that the bytes may be in.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The name of a codec in the registry.
    pub codec: String,
    /// How likely it is, from 0 to 1. Scores compare with each other; they are no probabilities.
    pub score: f32,
    /// It reads the window to the very text that the first candidate does.
    pub same_text: bool,
}

/// What [`guess`] answers; candidates are in order, the best first, and never none.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Guess {
    /// The first candidate is it. Others that read the window to the same text may follow.
    Certain(Vec<Candidate>),
    /// The first candidate is the best, but another that reads the window otherwise is within [`MARGIN`] of it; or the
    /// window, which is not all of the input, has nothing in which the usual pages differ.
    Ambiguous(Vec<Candidate>),
    /// Nothing that could be told.
    Nothing,
}

impl Guess {
    /// The candidates, the best first.
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

/// Guesses what the beginning of an input is encoded in, among the codecs of `registry`. `complete` says that `window`
/// is the whole input. Of a window longer than [`WINDOW`] the rest is not looked at.
///
/// Time is linear in the window, and memory does not depend on it.
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

/// What bytes that could not be converted look like: enough for a hint, not for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Looks {
    /// EBCDIC, of whatever page.
    Ebcdic,
    /// UTF-16, the low octet first.
    Utf16Le,
    /// UTF-16, the high octet first.
    Utf16Be,
}

/// Whether the bytes look like EBCDIC or UTF-16: one pass that counts, without tables.
///
/// ```
/// use charpipe::detect::statistics::{Looks, looks_like};
///
/// assert_eq!(looks_like(b"\xC4\x85\x81\x99\x40\xD4\x99\x4B\x40\xE2\x94\x89\xA3\x88\x6B"), Some(Looks::Ebcdic));
/// assert_eq!(looks_like(b"D\0e\0a\0r\0 \0s\0i\0r\0"), Some(Looks::Utf16Le));
/// assert_eq!(looks_like(b"Dear Mr. Smith,"), None);
/// ```
pub fn looks_like(window: &[u8]) -> Option<Looks> {
    let window = &window[..window.len().min(WINDOW)];
    match unicode::wide(window) {
        Some("UTF-16LE") => return Some(Looks::Utf16Le),
        Some("UTF-16BE") => return Some(Looks::Utf16Be),
        _ => {}
    }
    ebcdic::looks(window).then_some(Looks::Ebcdic)
}
