//! Watches the text for newlines that most programs do not recognise, and for missing newlines: U+0085 from EBCDIC is
//! kept and there is no U+000A anywhere, or the text has no newline at all, as the data of records has none.

use crate::detect::Diagnostic;
use crate::transcoder::report::Place;

/// Watches the first MiB of the text for U+0085 without U+000A. To programs that do not know U+0085 as a newline such a
/// text is one line.
#[derive(Clone)]
pub(super) struct NewlineWatch {
    /// There is nothing to watch for, or there was a U+000A.
    is_settled: bool,
    /// Where in the input the first U+0085 is.
    first_nel: Option<Place>,
    /// How many bytes of text were looked at.
    looked: usize,
}

/// How many bytes of text are looked at.
const WATCHED_BYTES: usize = 1 << 20;

/// A text of at least this many bytes without any newline is reported.
pub(super) const LONG_LINE: usize = 2048;

impl NewlineWatch {
    /// A watch that is on or, if the question does not arise, off.
    pub(super) fn new(is_on: bool) -> Self {
        NewlineWatch { is_settled: !is_on, first_nel: None, looked: 0 }
    }

    /// Whether the text that comes next has to be shown to it.
    pub(super) fn is_watching(&self) -> bool {
        !self.is_settled && self.looked < WATCHED_BYTES
    }

    /// Looks at the text that was decoded next. `place` returns where in the input a byte of it is.
    pub(super) fn see(&mut self, text: &[u8], place: impl FnOnce(usize) -> Place) {
        if !self.is_watching() {
            return;
        }
        let text = &text[..text.len().min(WATCHED_BYTES - self.looked)];
        self.looked += text.len();
        if text.contains(&b'\n') {
            self.is_settled = true;
            return;
        }
        if self.first_nel.is_none()
            && let Some(index) = first_nel(text)
        {
            self.first_nel = Some(place(index));
        }
    }

    /// Whether [`see`](Self::see) would ask for a place in this text.
    pub(super) fn wants_offset(&self, text: &[u8]) -> bool {
        self.is_watching() && self.first_nel.is_none() && !text.contains(&b'\n') && first_nel(text).is_some()
    }

    /// Ends the watch. Returns the hint for the report, if there is one.
    pub(super) fn finish(&mut self) -> Option<Diagnostic> {
        let watch = std::mem::replace(self, NewlineWatch::new(false));
        if watch.is_settled {
            return None;
        }
        let message = "lines end in U+0085 (NEL), none in U+000A";
        let hint = |place: Place| Diagnostic::hint("nel-kept", place.offset, message).with_position(place.position);
        let kept = watch.first_nel.map(hint);
        let message = "no newline was found";
        kept.or_else(|| (watch.looked >= LONG_LINE).then(|| Diagnostic::hint("no-newline", 0, message)))
    }
}

/// Returns where the first U+0085 is. It is C2 85; no other character has C2 before 85.
fn first_nel(text: &[u8]) -> Option<usize> {
    text.windows(2).position(|pair| pair == [0xC2, 0x85])
}
