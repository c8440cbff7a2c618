//! The charsets of the web, by chardetng: a window that is neither Unicode nor EBCDIC, and no binary data.

use super::{Candidate, Guess, MINIMUM};
use crate::registry::Registry;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

/// The fewest bytes outside ASCII of which anything is said for certain.
const FEWEST: usize = 12;

/// `None` where it looks like no text, or the registry has no such charset.
pub(super) fn guess(window: &[u8], complete: bool, registry: &Registry) -> Option<Guess> {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    let controls = window.iter().filter(is_control).count();
    // Form feeds and a stray SUB are met in text; zeros and the like, one in a hundred, are not.
    if window.len() < MINIMUM || controls * 100 > window.len() {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, complete);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let codec = registry.codec(encoding.name()).ok()?;
    let strange = window.iter().filter(|byte| !byte.is_ascii()).count();
    let is_certain = strange >= FEWEST;
    let score = if is_certain { 0.8 } else { 0.4 };
    let candidates = vec![Candidate { codec: codec.name().to_owned(), score, same_text: true }];
    Some(if is_certain { Guess::Certain(candidates) } else { Guess::Ambiguous(candidates) })
}
