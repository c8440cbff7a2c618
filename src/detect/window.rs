//! How many bytes of the input a verdict needs.

use super::binary;
use super::known::Known;
use super::signature;
use super::start::Start;
use super::statistics::WINDOW;
use super::verdict::Kind;

/// How far a detector reads to compare the contents with the encoding that it found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// No further than the policy needs. A conversion notices by itself if the contents contradict the encoding.
    Head,
    /// The first [`WINDOW`] bytes.
    Window,
    /// To the end, without keeping the bytes after the window.
    Whole,
}

/// Returns how many bytes of the input are needed, from its beginning, to decide about a document of that kind.
pub(super) fn needed(known: &Known, reach: Reach, start: &Start, kind: Kind, prefix: &[u8]) -> usize {
    let (hints, traits) = (&known.hints, &known.traits);
    let mut needed = 0;
    if kind == Kind::Html {
        needed = known.prescan();
    }
    let is_told = hints.from.is_some() || start.has_bom();
    if traits.always_guesses || hints.guess && !is_told {
        needed = needed.max(WINDOW);
    }
    if traits.looks_past_bom && start.bom_len > 0 {
        needed = needed.max(signature::LONGEST_TEXT);
    }
    let is_unmarked = hints.from.is_none() && hints.charset.is_none() && start.signature.is_none();
    let looks_closer = reach != Reach::Head || is_unmarked && kind != Kind::Xml && may_be_wide(prefix);
    if traits.checks_contents && looks_closer {
        needed = needed.max(WINDOW);
    }
    start.bom_len + needed
}

/// Returns whether the first bytes of an unmarked input may be those of UTF-16 or UTF-32: text does not begin with a
/// control character.
pub(super) fn may_be_wide(prefix: &[u8]) -> bool {
    prefix.iter().take(2).any(|byte| binary::is_binary_byte(*byte))
}
