//! Guesses the encoding from byte statistics over a bounded window, for input that names no encoding
//! (`spec/statistics.md`).
//!
//! [`guess()`] tries these in order, and the first that recognises the window decides:
//!
//! | file | recognises |
//! |---|---|
//! | `../binary.rs` | files that are not text |
//! | `unicode.rs` | UTF-32 and UTF-16 without a byte order mark, UTF-8 |
//! | `escapes.rs` | ISO-2022-JP, -KR and -CN, and HZ, by their escape sequences |
//! | `ebcdic.rs` | EBCDIC, and which page |
//! | `legacy/` | the charsets of the web, of DOS and of the Macintosh (feature `guess`) |
//!
//! `pairs.rs` counts pairs of bytes. `models.rs` builds the language models for `ebcdic.rs` from `texts.txt`; `legacy/`
//! has its own. The result is never UTF-7: text in it can look harmless and so slip past filters.

mod ebcdic;
mod escapes;
mod guess;
#[cfg(feature = "guess")]
mod legacy;
mod models;
mod pairs;
mod unicode;

pub use guess::{Candidate, Guess, Looks, MARGIN, MINIMUM, MOST};

use super::binary;
use crate::registry::Registry;

/// How many bytes of the input are examined. More bytes would be slower without improving the result.
pub const WINDOW: usize = 64 * 1024;

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
    assess(window, complete, registry).guess
}

/// What a window looks like, and the guess from statistics. The two never contradict each other.
pub(super) struct Assessment {
    /// `None` if the window is valid UTF-8, or empty.
    pub(super) looks: Option<Looks>,
    pub(super) guess: Guess,
}

impl Assessment {
    fn new(looks: Looks, guess: Guess) -> Self {
        Assessment { looks: Some(looks), guess }
    }

    fn certain(looks: Looks, codec: &str, score: f32) -> Self {
        Assessment::new(looks, Guess::certain(codec, score))
    }
}

/// Examines the beginning of an input, as [`guess()`] does.
pub(super) fn assess(window: &[u8], complete: bool, registry: &Registry) -> Assessment {
    let assessment = assess_roughly(window, complete, registry);
    #[cfg(feature = "guess")]
    if assessment.looks == Some(Looks::Legacy) && assessment.guess == Guess::Nothing {
        let complete = complete && window.len() <= WINDOW;
        let guess = legacy::guess(&window[..window.len().min(WINDOW)], complete, registry);
        return Assessment { guess: guess.unwrap_or(Guess::Nothing), ..assessment };
    }
    assessment
}

/// Does the same without the pages that are neither Unicode nor EBCDIC.
fn assess_roughly(window: &[u8], complete: bool, registry: &Registry) -> Assessment {
    let complete = complete && window.len() <= WINDOW;
    let window = &window[..window.len().min(WINDOW)];
    let known = |name: &str| registry.codec(name).is_ok();
    if binary::signature(window).is_some() {
        return Assessment::new(Looks::Binary, Guess::Nothing);
    }
    if let Some(looks) = wide(window).filter(|looks| known(looks.codec())) {
        return Assessment::certain(looks, looks.codec(), 0.95);
    }
    let text = unicode::utf8(window, complete);
    if text == unicode::Utf8::Text {
        let guess = if known("UTF-8") { Guess::certain("UTF-8", 1.0) } else { Guess::Nothing };
        return Assessment { looks: None, guess };
    }
    if let Some(name) = escapes::find(window).filter(|name| known(name)) {
        return Assessment::certain(Looks::Legacy, name, 0.95);
    }
    if let Some(guess) = ebcdic::guess(window, complete, registry) {
        return Assessment::new(Looks::Ebcdic, guess);
    }
    if text == unicode::Utf8::Ascii {
        return Assessment { looks: None, guess: Guess::Nothing };
    }
    // Too short to tell the page.
    if ebcdic::looks_like_ebcdic(window) {
        return Assessment::new(Looks::Ebcdic, Guess::Nothing);
    }
    if let Some(looks) = unicode::cjk_utf16(window).filter(|looks| known(looks.codec())) {
        return Assessment::certain(looks, looks.codec(), 0.9);
    }
    if malformed_at(window).is_some_and(|at| is_binary(binary::sample(window, at), registry)) {
        return Assessment::new(Looks::Binary, Guess::Nothing);
    }
    if unicode::is_mixed(window) {
        return Assessment::new(Looks::Mixed, Guess::Nothing);
    }
    Assessment::new(Looks::Legacy, Guess::Nothing)
}

/// Returns where the window stops being UTF-8, even if its end cuts a character.
fn malformed_at(window: &[u8]) -> Option<usize> {
    str::from_utf8(window).err().map(|error| error.valid_up_to())
}

/// Returns whether the bytes around the first malformed byte of an input show that it is binary. They are all that a
/// conversion has of the input, so that detection asks no others.
pub(crate) fn is_binary(sample: &[u8], registry: &Registry) -> bool {
    binary::is_binary(sample)
        && !unicode::is_mixed(sample)
        && wide(sample).is_none()
        && unicode::cjk_utf16(sample).is_none()
        && !ebcdic::looks_like_ebcdic(sample)
        && ebcdic::guess(sample, false, registry).is_none()
}

/// Returns what a window looks like, regardless of any label; `None` for UTF-8, and for an empty window.
///
/// ```
/// use charpipe::Registry;
/// use charpipe::detect::{Looks, statistics::looks};
///
/// let registry = Registry::builtin();
/// assert_eq!(looks("café".as_bytes(), &registry), None);
/// assert_eq!(looks(b"caf\xE9 cr\xE8me", &registry), Some(Looks::Legacy));
/// assert_eq!(looks(b"\x1F\x8B\x08\0\0\0\0\0", &registry), Some(Looks::Binary));
/// ```
#[must_use]
pub fn looks(window: &[u8], registry: &Registry) -> Option<Looks> {
    let window = &window[..window.len().min(WINDOW)];
    let is_utf8 = str::from_utf8(window).is_ok() && binary::signature(window).is_none() && wide(window).is_none();
    if is_utf8 { None } else { Some(looks_of(window, registry)) }
}

/// Returns what an input looks like of which `sample` is a part that is not UTF-8.
pub(crate) fn looks_of(sample: &[u8], registry: &Registry) -> Looks {
    assess_roughly(sample, false, registry).looks.unwrap_or(Looks::Legacy)
}

/// Returns whether a [`Detector`](crate::Detector) may find that an input is binary that begins with `head`. If `head`
/// has no byte that text lacks (the binary data bytes of the MIME Sniffing Standard, section 3), and no signature of a
/// format that is not text, then none does. This is one pass over the bytes.
///
/// ```
/// use charpipe::detect::statistics::may_be_binary;
///
/// assert!(!may_be_binary(b"caf\xE9 cr\xE8me"));
/// assert!(may_be_binary(b"\x1F\x8B\x08") && may_be_binary(b"A\0B\0"));
/// ```
#[must_use]
pub fn may_be_binary(head: &[u8]) -> bool {
    // All bytes of a piece, so that the compiler takes several at once.
    let has_one = |piece: &[u8]| piece.iter().fold(false, |found, byte| found | binary::is_binary_byte(*byte));
    binary::signature(head).is_some() || head.chunks(256).any(has_one)
}

/// Returns the charset whose escape sequences an ASCII window has.
pub(super) fn escapes(window: &[u8]) -> Option<&'static str> {
    escapes::find(&window[..window.len().min(WINDOW)])
}

/// Returns whether the window is UTF-16 or UTF-32, as zero bytes show.
pub(super) fn wide(window: &[u8]) -> Option<Looks> {
    unicode::wide(&window[..window.len().min(WINDOW)])
}

/// Returns whether the bytes look like EBCDIC, UTF-16 or UTF-32. Counts bytes in a single pass, without tables.
///
/// ```
/// use charpipe::detect::Looks;
/// use charpipe::detect::statistics::looks_like;
///
/// assert_eq!(looks_like(b"\xC4\x85\x81\x99\x40\xD4\x99\x4B\x40\xE2\x94\x89\xA3\x88\x6B"), Some(Looks::Ebcdic));
/// assert_eq!(looks_like(b"D\0e\0a\0r\0 \0s\0i\0r\0"), Some(Looks::Utf16Le));
/// assert_eq!(looks_like(b"Dear Mr. Smith,"), None);
/// ```
#[must_use]
pub fn looks_like(window: &[u8]) -> Option<Looks> {
    let window = &window[..window.len().min(WINDOW)];
    wide(window).or_else(|| ebcdic::looks_like_ebcdic(window).then_some(Looks::Ebcdic))
}
