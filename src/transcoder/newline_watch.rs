//! Watches for a text whose newlines most programs do not know, U+0085 of EBCDIC, kept, and nowhere U+000A; and for one
//! that has none, as records have.

use crate::detect::Diagnostic;

/// Watches for U+0085 that is kept where no U+000A is: to programs that know no such newline the text is one line.
#[derive(Clone, Default)]
pub(super) struct NelWatch {
    /// Where the first U+0085 stands.
    first: Option<u64>,
    /// How much text was looked at.
    looked: usize,
}

/// How much text is looked at.
const NEL_WATCH: usize = 1 << 20;

/// From how many bytes of text on it is odd that there is no newline at all.
const LONG_LINE: usize = 2048;

impl NelWatch {
    /// Looks at text, of which `offset` answers where in the input a byte of it came from; whether the question is
    /// settled: there is a U+000A.
    pub(super) fn see(&mut self, text: &[u8], offset: impl FnOnce(usize) -> u64) -> bool {
        let text = &text[..text.len().min(NEL_WATCH - self.looked)];
        self.looked += text.len();
        if text.contains(&b'\n') {
            return true;
        }
        // U+0085 is C2 85; no other character has C2 before 85.
        if self.first.is_none()
            && let Some(index) = text.windows(2).position(|pair| pair == [0xC2, 0x85])
        {
            self.first = Some(offset(index));
        }
        false
    }

    /// Whether it has seen all that it looks at.
    pub(super) fn is_over(&self) -> bool {
        self.looked == NEL_WATCH
    }

    pub(super) fn note(self) -> Option<Diagnostic> {
        let message = "lines end in U+0085 (NEL), none in U+000A";
        let kept = self.first.map(|offset| Diagnostic::hint("nel-kept", offset, message));
        let message = "no newline was found";
        kept.or_else(|| (self.looked >= LONG_LINE).then(|| Diagnostic::hint("no-newline", 0, message)))
    }
}
