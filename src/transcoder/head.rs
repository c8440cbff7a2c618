//! The beginning of the input: the bytes that detection and the search for labels have read, and that are decoded
//! afterwards.

use crate::transcoder::options::Input;
use crate::transcoder::records::detection::{Looks, TextParts, feed_text};

/// The bytes taken so far, and how many of them are decoded.
pub(super) struct Head {
    bytes: Vec<u8>,
    decoded: usize,
    /// The reason why the last search ended.
    end: SearchEnd,
    /// Finds the text in them if they are records.
    parts: Option<TextParts>,
}

/// The reason why a search at the beginning of the input ended.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SearchEnd {
    /// The result, in an input that may continue.
    #[default]
    Found,
    /// The end of the input, which it would have gone on without.
    InputEnd,
    /// Both at once.
    Both,
}

/// The result of [`Head::show`].
pub(super) struct Shown {
    /// Bytes taken.
    pub(super) read: usize,
    /// Nothing more is shown: the search is done, the input or the limit is reached, or the framing is invalid.
    pub(super) is_last: bool,
    /// The input or the limit is reached.
    pub(super) is_over: bool,
}

impl Head {
    pub(super) fn new(input: &Input) -> Self {
        Head { parts: TextParts::new(input), ..Head::none() }
    }

    /// A head of which nothing is left.
    pub(super) fn none() -> Self {
        Head { bytes: Vec::new(), decoded: 0, end: SearchEnd::Found, parts: None }
    }

    /// Goes back to the beginning of another input, which has no records either.
    pub(super) fn reset(&mut self) {
        self.bytes.clear();
        (self.decoded, self.end) = (0, SearchEnd::Found);
    }

    /// Returns what ended the search that was last.
    pub(super) fn end(&self) -> SearchEnd {
        self.end
    }

    /// Takes all bytes out.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn has_records(&self) -> bool {
        self.parts.is_some()
    }

    /// Shows the text at the front of `src`. The bytes are kept if `keeps`, or if they are records. `limit`: how many
    /// bytes may be kept.
    pub(super) fn show(
        &mut self,
        looks: &mut dyn Looks,
        src: &[u8],
        eof: bool,
        (keeps, limit): (bool, usize),
    ) -> Shown {
        let read = match &mut self.parts {
            None => looks.feed(src),
            Some(parts) => feed_text(looks, parts, src, eof),
        };
        if keeps || self.has_records() {
            self.bytes.extend_from_slice(&src[..read]);
        }
        let is_over = (eof && read == src.len()) || self.bytes.len() >= limit;
        // Wrong framing is an error when its turn comes; what precedes it can be looked at.
        let is_wrong = self.has_records() && read < src.len();
        self.end = match (eof && is_over, looks.is_done()) {
            (false, _) => SearchEnd::Found,
            (true, false) => SearchEnd::InputEnd,
            (true, true) => SearchEnd::Both,
        };
        Shown { read, is_last: looks.is_done() || is_over || is_wrong, is_over }
    }

    /// Keeps the bytes that detection took, if they are not records: those are kept already.
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        if !self.has_records() {
            self.bytes.clear();
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Adds bytes that are held back, after those that are decoded.
    pub(super) fn hold(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Shows all bytes so far to another search. `eof`: nothing follows them.
    pub(super) fn show_again(&mut self, looks: &mut dyn Looks, input: &Input, eof: bool) {
        // From the beginning: detection stopped within a record.
        self.parts = TextParts::new(input);
        match &mut self.parts {
            None => _ = looks.feed(&self.bytes),
            Some(parts) => _ = feed_text(looks, parts, &self.bytes, eof),
        }
    }

    /// Leaves the byte order mark, the first `len` bytes, out of what is decoded. With records the source does that.
    pub(super) fn skip_bom(&mut self, len: usize) {
        self.decoded = if self.has_records() { 0 } else { len };
    }

    /// Whether all bytes are decoded.
    pub(super) fn is_decoded(&self) -> bool {
        self.decoded >= self.bytes.len()
    }

    /// How many of the bytes are decoded, or left out.
    pub(super) fn decoded(&self) -> usize {
        self.decoded
    }

    /// The bytes that are not decoded yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.decoded..]
    }

    /// Takes `len` bytes off the [`rest`](Self::rest).
    pub(super) fn consume(&mut self, len: usize) {
        self.decoded += len;
    }
}
