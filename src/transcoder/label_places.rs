//! The lines of the bytes that contradict the label of a single-byte charset, if lines are counted. They have to be
//! kept, because they are reported only at the end of the input.

use super::source::Source;
use crate::detect::LabelWatch;
use crate::error::TextPosition;

/// The lines and columns of these bytes.
#[derive(Default)]
pub(super) struct LabelPlaces {
    places: [Option<(u64, TextPosition)>; 2],
    /// The source before the bytes that are being decoded, and their offset.
    before: Option<(Source, u64)>,
}

impl LabelPlaces {
    /// Bytes from the offset `at` on will be decoded and shown to `label`.
    pub(super) fn begin(&mut self, label: &Option<LabelWatch>, source: &Source, at: u64) {
        let is_open = |label: &LabelWatch| !label.is_settled();
        let wants = source.is_counting() && label.as_ref().is_some_and(is_open) && self.places.contains(&None);
        self.before = wants.then(|| (source.fork(), at));
    }

    /// They were.
    pub(super) fn end(&mut self, label: &Option<LabelWatch>, bytes: &[u8]) {
        let (Some((source, at)), Some(label)) = (self.before.take(), label) else { return };
        for (place, found) in self.places.iter_mut().zip(label.found()) {
            if let (None, Some(offset)) = (&place, found) {
                let text = &bytes[..(offset.saturating_sub(at) as usize).min(bytes.len())];
                // A sequence that began before the bytes has no newline in it.
                let earlier = at.saturating_sub(offset);
                let found = source.position_after(text);
                *place = found.map(|mut found| {
                    // Malformed bytes that were left out are not characters.
                    found.column = found.column.saturating_sub(earlier).max(1);
                    (offset, found)
                });
            }
        }
    }

    /// Returns the position of what was found at an offset.
    pub(super) fn position(&self, offset: u64) -> Option<TextPosition> {
        self.places.iter().flatten().find(|(at, _)| *at == offset).map(|(_, position)| *position)
    }
}
