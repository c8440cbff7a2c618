//! Changes the label of a document that consists of records. Only the reader knows where records end within the label.

use crate::text::relabel::Edit;
use std::collections::VecDeque;

/// The changes that are still to come, in order. Offsets count data. The text of a change is taken out when it is written;
/// the change stays until the bytes of the old label are passed.
#[derive(Clone, Default)]
pub(in crate::transcoder) struct LabelEdits(VecDeque<Edit>);

impl LabelEdits {
    pub(in crate::transcoder) fn new(edits: Vec<Edit>) -> Self {
        LabelEdits(edits.into())
    }

    pub(in crate::transcoder) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Limits `data`, which begins at `at`, to what comes before the next label or belongs to it. Returns it, and whether
    /// it is bytes of a label whose replacement is written.
    pub(in crate::transcoder) fn limit<'a>(&self, data: &'a [u8], at: u64) -> (&'a [u8], bool) {
        let Some(Edit { bytes, text }) = self.0.front() else { return (data, false) };
        let is_label = text.is_empty() && at >= bytes.start;
        let most = if is_label { bytes.end } else { bytes.start } - at;
        (&data[..(data.len() as u64).min(most) as usize], is_label)
    }

    /// Returns the new label if it is due at `at`, or an empty text if an old label was passed there. `has_data`: more data
    /// of the record is there; `is_over`: there are no more records.
    pub(in crate::transcoder) fn due(&mut self, at: u64, has_data: bool, is_over: bool) -> Option<String> {
        let Edit { bytes, text } = self.0.front_mut()?;
        if text.is_empty() {
            let is_past = at >= bytes.end;
            if is_past {
                self.0.pop_front();
            }
            return is_past.then(String::new);
        }
        // A label that is replaced begins with its first byte, after the end of a record that comes before that; a label
        // that is inserted follows what comes before it.
        let is_due = at >= bytes.start && (bytes.is_empty() || is_over || has_data);
        is_due.then(|| std::mem::take(text).as_ref().to_owned())
    }
}
