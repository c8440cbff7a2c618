//! Counts the lines and characters of the text that is decoded, while it is decoded. Without the feature `lines` there
//! is no such counter, and its code takes no space.

use super::guard::CheckedDecoder;
#[cfg(feature = "lines")]
use crate::codec::{ByteNewlines, TextCounter};
use crate::error::TextPosition;
#[cfg(feature = "lines")]
use std::sync::Arc;

/// Counts lines and characters.
#[cfg(feature = "lines")]
#[derive(Clone)]
pub(super) struct LineCounter {
    text: TextCounter,
    /// For bytes that are translated and not decoded.
    newlines: Newlines,
}

/// The newline that each byte of a single-byte page is.
#[cfg(feature = "lines")]
#[derive(Clone)]
enum Newlines {
    Few(ByteNewlines),
    /// Of a page that has unusual ones.
    Any(Arc<[Option<char>; 256]>),
}

#[cfg(feature = "lines")]
impl LineCounter {
    /// Counts the text that `decoder` makes.
    pub(super) fn new(decoder: &CheckedDecoder) -> Option<Self> {
        let newline = |byte| decoder.alone(byte).filter(|ch| matches!(ch, '\n' | '\r' | '\u{85}'));
        let any = || Newlines::Any(Arc::new(std::array::from_fn(|byte| newline(byte as u8))));
        let newlines = ByteNewlines::of(newline).map_or_else(any, Newlines::Few);
        Some(LineCounter { text: TextCounter::default(), newlines })
    }

    /// Counts text that comes next.
    pub(super) fn add(&mut self, text: &str) {
        self.text.add(text);
    }

    /// Counts a character that is not a newline.
    pub(super) fn add_char(&mut self) {
        self.text.add_chars(1);
    }

    /// Counts bytes that are a character each.
    pub(super) fn add_bytes(&mut self, mut bytes: &[u8]) {
        let newlines = match &self.newlines {
            Newlines::Few(few) => return self.text.add_bytes(bytes, *few),
            Newlines::Any(newlines) => newlines,
        };
        let newline = |byte: &u8| newlines[usize::from(*byte)];
        while let Some(at) = bytes.iter().position(|byte| newline(byte).is_some()) {
            self.text.add_chars(at as u64);
            if let Some(ch) = newline(&bytes[at]) {
                self.text.add(ch.encode_utf8(&mut [0; 4]));
            }
            bytes = &bytes[at + 1..];
        }
        self.text.add_chars(bytes.len() as u64);
    }

    /// Returns the line and column of what comes next.
    pub(super) fn position(&self) -> TextPosition {
        self.text.position()
    }

    /// Goes back to the beginning.
    pub(super) fn restart(&mut self) {
        self.text = TextCounter::default();
    }
}

/// There is none.
#[cfg(not(feature = "lines"))]
#[derive(Clone)]
pub(super) enum LineCounter {}

#[cfg(not(feature = "lines"))]
impl LineCounter {
    pub(super) fn new(_: &CheckedDecoder) -> Option<Self> {
        None
    }

    pub(super) fn add(&mut self, _: &str) {
        match *self {}
    }

    pub(super) fn add_char(&mut self) {
        match *self {}
    }

    pub(super) fn add_bytes(&mut self, _: &[u8]) {
        match *self {}
    }

    pub(super) fn position(&self) -> TextPosition {
        match *self {}
    }

    pub(super) fn restart(&mut self) {
        match *self {}
    }
}
