//! Text that is not written yet: spaces that may turn out to be the last of their record, and text that follows them.
//!
//! A record can have any length, so spaces are counted, not kept. Text passes through these in order:
//!
//! ```text
//! sink ─── pending blanks ─── pending text ─── [fault] ─── trailing blanks
//! written  to be written, in this order                    dropped if the record ends here
//! ```
//!
//! Trailing spaces become pending as soon as anything follows them.

use crate::arch::{bytes::padding_len, isa};
use crate::codec::{Malformed, Utf8Sink};
use std::collections::VecDeque;

/// Spaces of one kind in a row: which kind, and how many.
type Blanks = (u8, u64);

/// Text that waits to be written.
#[derive(Clone)]
pub(in crate::transcoder) struct Pending {
    /// The kinds of spaces that are trimmed at the end of a record, as UTF-8. None if spaces are kept.
    kinds: &'static [&'static [u8]],
    /// Where in the sink the text begins that may end in trailing spaces.
    begin: usize,
    pending_blanks: VecDeque<Blanks>,
    pending_text: String,
    /// A fault after the pending text.
    pub(in crate::transcoder) fault: Option<Malformed>,
    trailing: VecDeque<Blanks>,
}

/// How many times spaces and NULs may alternate at the end of a record that is trimmed.
const MAX_RUNS: usize = 8;

impl Pending {
    pub(in crate::transcoder) fn new(kinds: &'static [&'static [u8]]) -> Self {
        Pending {
            kinds,
            begin: 0,
            pending_blanks: VecDeque::new(),
            pending_text: String::new(),
            fault: None,
            trailing: VecDeque::new(),
        }
    }

    /// Whether spaces are trimmed.
    pub(in crate::transcoder) fn trims(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Whether nothing but U+0020 is trimmed.
    pub(in crate::transcoder) fn trims_at_most_spaces(&self) -> bool {
        matches!(self.kinds, [] | [b" "])
    }

    /// Whether `ch` is trimmed.
    pub(in crate::transcoder) fn is_blank(&self, ch: char) -> bool {
        self.kinds.contains(&ch.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// Whether nothing is pending; trailing spaces may still be held.
    #[inline]
    pub(in crate::transcoder) fn is_flushed(&self) -> bool {
        self.pending_blanks.is_empty() && self.pending_text.is_empty()
    }

    /// Whether there is pending text, not counting spaces.
    pub(in crate::transcoder) fn has_text(&self) -> bool {
        !self.pending_text.is_empty()
    }

    /// Whether nothing at all is held.
    pub(in crate::transcoder) fn is_empty(&self) -> bool {
        self.is_flushed() && self.fault.is_none() && self.trailing.is_empty()
    }

    /// How many trailing spaces there are.
    pub(in crate::transcoder) fn trailing_count(&self) -> u64 {
        self.trailing.iter().map(|(_, count)| count).sum()
    }

    #[inline]
    pub(in crate::transcoder) fn has_trailing(&self) -> bool {
        !self.trailing.is_empty()
    }

    /// Text before what is in `sink` now is not trimmed.
    pub(in crate::transcoder) fn begin_here(&mut self, sink: &Utf8Sink<'_>) {
        self.begin = sink.written();
    }

    /// Writes what is pending. Returns whether that is all written.
    #[inline]
    pub(in crate::transcoder) fn flush_pending(&mut self, sink: &mut Utf8Sink<'_>) -> bool {
        self.is_flushed() || self.flush_all(sink)
    }

    fn flush_all(&mut self, sink: &mut Utf8Sink<'_>) -> bool {
        while let Some((kind, count)) = self.pending_blanks.front_mut() {
            let blank = std::str::from_utf8(self.kinds[*kind as usize]).unwrap_or_default();
            while *count > 0 {
                if sink.room() < blank.len() {
                    return false;
                }
                sink.push_str(blank);
                *count -= 1;
            }
            self.pending_blanks.pop_front();
            // Text or a fault follows them: they are not the last of the record.
            self.begin = sink.written();
        }
        let written = sink.push_str(&self.pending_text);
        self.pending_text.drain(..written);
        self.pending_text.is_empty()
    }

    /// Appends text that nothing is trimmed from. It follows the trailing spaces only after
    /// [`release_trailing`](Self::release_trailing).
    pub(in crate::transcoder) fn push_str(&mut self, text: &str) {
        self.pending_text.push_str(text);
    }

    pub(in crate::transcoder) fn push(&mut self, ch: char) {
        self.pending_text.push(ch);
    }

    /// The trailing spaces are not the last of the record: something follows them.
    pub(in crate::transcoder) fn release_trailing(&mut self) {
        self.pending_blanks.extend(self.trailing.drain(..));
    }

    /// Appends text of the record after the trailing spaces. Spaces at its end are trailing again.
    pub(in crate::transcoder) fn push_record_text(&mut self, text: &str) {
        self.release_trailing();
        let mut trailing = VecDeque::new();
        let len = trim_end(self.kinds, text.as_bytes(), |kind, count| trailing.push_front((kind, count)));
        self.pending_text.push_str(&text[..len]);
        self.trailing = trailing;
    }

    /// Counts the spaces at the front of `text`, which follows trailing spaces, as trailing ones. Returns the rest.
    pub(in crate::transcoder) fn take_blanks<'a>(&mut self, mut text: &'a str) -> &'a str {
        while let Some(kind) = self.kinds.iter().position(|blank| text.as_bytes().starts_with(blank)) {
            text = &text[self.kinds[kind].len()..];
            self.push_trailing(kind);
        }
        text
    }

    /// Appends U+0020, which may be the last of the record, without a sink to write it to.
    pub(in crate::transcoder) fn push_blank(&mut self, sink: &mut Utf8Sink<'_>) {
        match self.kinds.iter().position(|blank| *blank == b" ") {
            Some(kind) => {
                self.hold_trailing(sink);
                self.push_trailing(kind);
            }
            None => self.pending_text.push(' '),
        }
    }

    fn push_trailing(&mut self, kind: usize) {
        match self.trailing.back_mut() {
            Some((last, count)) if usize::from(*last) == kind => *count += 1,
            _ => self.trailing.push_back((kind as u8, 1)),
        }
        if self.trailing.len() > MAX_RUNS {
            self.pending_blanks.extend(self.trailing.pop_front());
        }
    }

    /// Takes the spaces at the end of the text back from `sink`: they may be the last of the record. Does nothing if
    /// something is held already, which comes after the text.
    pub(in crate::transcoder) fn hold_trailing(&mut self, sink: &mut Utf8Sink<'_>) {
        if !self.trims() || !self.is_empty() || sink.written() == self.begin {
            return;
        }
        let mut trailing = VecDeque::new();
        let text = &sink.as_bytes()[self.begin..];
        let len = self.begin + trim_end(self.kinds, text, |kind, count| trailing.push_front((kind, count)));
        self.trailing = trailing;
        sink.truncate(len);
    }

    /// Drops the spaces at the end of the record.
    pub(in crate::transcoder) fn trim(&mut self, sink: &mut Utf8Sink<'_>) {
        if self.trailing.is_empty() {
            let len = self.begin + trim_end(self.kinds, &sink.as_bytes()[self.begin..], |_, _| {});
            sink.truncate(len);
        }
        self.trailing.clear();
    }
}

/// Returns the length of `text` without the spaces at its end. Calls `run` with each run of them, the last one first.
#[inline]
fn trim_end(kinds: &[&[u8]], text: &[u8], mut run: impl FnMut(u8, u64)) -> usize {
    let mut len = text.len();
    if let [b" "] = kinds {
        let blanks = padding_len(isa(), text, b' ');
        if blanks > 0 {
            run(0, blanks as u64);
        }
        return len - blanks;
    }
    for _ in 0..MAX_RUNS {
        let Some(kind) = kinds.iter().position(|blank| text[..len].ends_with(blank)) else { break };
        let mut count = 0;
        while text[..len].ends_with(kinds[kind]) {
            len -= kinds[kind].len();
            count += 1;
        }
        run(kind as u8, count);
    }
    len
}
