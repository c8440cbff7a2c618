//! Recognises the charsets of the web with chardetng, in a window that is neither Unicode, EBCDIC nor binary data.

use super::{Candidate, Guess, MINIMUM};
use crate::registry::Registry;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

/// The fewest bytes outside ASCII for a guess to be certain.
const MIN_NON_ASCII: usize = 12;

/// Guesses the charset. `None`: the window does not look like text, or the registry lacks the charset.
pub(super) fn guess(window: &[u8], complete: bool, registry: &Registry) -> Option<Guess> {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    let controls = window.iter().filter(is_control).count();
    // Form feeds and a stray SUB occur in text. More than one zero or similar control in a hundred bytes does not.
    if window.len() < MINIMUM || controls * 100 > window.len() {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, complete);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let codec = registry.codec(encoding.name()).ok()?;
    let non_ascii = window.iter().filter(|byte| !byte.is_ascii()).count();
    let is_certain = non_ascii >= MIN_NON_ASCII;
    let score = if is_certain { 0.8 } else { 0.4 };
    let candidates = vec![Candidate { codec: codec.name().to_owned(), score, same_text: true }];
    Some(if is_certain { Guess::Certain(candidates) } else { Guess::Ambiguous(candidates) })
}
