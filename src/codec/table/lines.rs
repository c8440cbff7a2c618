//! The lines of a table file, and the place in them where something is wrong.

use super::read::MAX_LINE;
use crate::error::{Error, ErrorKind};

/// The lines of a file: LF, CR LF and CR end them. Each has its number; one that is too long is an error.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    /// The lines of `bytes`; a byte order mark of UTF-8 before them counts for nothing.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Lines { rest: bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), number: 0 }
    }

    /// Where the lines so far end: behind the last one.
    pub(super) fn end(&self) -> Line<'a> {
        Line { number: self.number + 1, bytes: b"" }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<Line<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(self.rest.len());
        let (bytes, rest) = self.rest.split_at(end);
        self.rest = match rest {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => rest,
        };
        self.number += 1;
        let line = Line { number: self.number, bytes };
        Some(if bytes.len() > MAX_LINE {
            line.error(&bytes[MAX_LINE..], format!("the end of the line: lines have {MAX_LINE} bytes at the most"))
        } else {
            Ok(line)
        })
    }
}

/// One line, without its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    pub(super) bytes: &'a [u8],
}

impl<'a> Line<'a> {
    /// An error where `rest`, a part of this line, begins.
    pub(super) fn error<T>(&self, rest: &[u8], expected: impl Into<String>) -> Result<T, Error> {
        let before = (rest.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        let column = before.min(self.bytes.len()) + 1;
        Err(ErrorKind::Table { line: self.number, column, expected: expected.into() }.into())
    }

    /// The line from its first sign that is no blank.
    pub(super) fn trimmed(&self) -> &'a [u8] {
        skip_blanks(self.bytes)
    }
}

/// What follows the blanks and tabs.
pub(super) fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    &bytes[blanks..]
}

/// Whether a byte is white space within a line.
pub(super) fn is_blank(byte: u8) -> bool {
    // The form feed and the end-of-file sign of DOS stand in old files.
    matches!(byte, b' ' | b'\t' | b'\x0B' | b'\x0C' | b'\x1A')
}

/// The number that hexadecimal digits at the front say, eight at the most, and how many they are.
pub(super) fn hex(bytes: &[u8]) -> (u32, usize) {
    let digits = bytes.iter().take(8).map_while(|byte| char::from(*byte).to_digit(16));
    digits.fold((0, 0), |(number, len), digit| (number << 4 | digit, len + 1))
}

/// The two hexadecimal digits at the front.
pub(super) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    Some((digit(0)? << 4 | digit(1)?) as u8)
}
