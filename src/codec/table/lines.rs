//! Splits a table file into lines, and reports errors at a position in them.

use super::limits::MAX_LINE;
use crate::error::{Error, ErrorKind};

/// Iterates over the lines of a file, which end with LF, CR LF or CR. Each line has its number. A line that is too long
/// is an error.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    /// Creates an iterator over the lines of `bytes`. A UTF-8 byte order mark before them is ignored.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Lines { rest: bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), number: 0 }
    }

    /// Returns the position after the last line so far.
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
            line.error(&bytes[MAX_LINE..], format!("the end of the line: a line may have at most {MAX_LINE} bytes"))
        } else {
            Ok(line)
        })
    }
}

/// A line without its line ending.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    pub(super) bytes: &'a [u8],
}

impl<'a> Line<'a> {
    /// Returns an error at the position where `rest`, a part of this line, begins.
    pub(super) fn error<T>(&self, rest: &[u8], expected: impl Into<String>) -> Result<T, Error> {
        let before = (rest.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        let column = before.min(self.bytes.len()) + 1;
        Err(ErrorKind::Table { line: self.number, column, expected: expected.into() }.into())
    }

    /// Returns the line from its first character that is not a space.
    pub(super) fn trimmed(&self) -> &'a [u8] {
        skip_blanks(self.bytes)
    }
}

/// Returns what follows the spaces and tabs.
pub(super) fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    &bytes[blanks..]
}

/// Returns whether a byte is white space within a line.
pub(super) fn is_blank(byte: u8) -> bool {
    // Old files contain form feeds and DOS's end-of-file character.
    matches!(byte, b' ' | b'\t' | b'\x0B' | b'\x0C' | b'\x1A')
}

/// Returns the value of the hexadecimal digits at the front, at most eight, and their number.
pub(super) fn hex(bytes: &[u8]) -> (u32, usize) {
    let digits = bytes.iter().take(8).map_while(|byte| char::from(*byte).to_digit(16));
    digits.fold((0, 0), |(number, len), digit| (number << 4 | digit, len + 1))
}

/// Returns the value of the two hexadecimal digits at the front.
pub(super) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    Some((digit(0)? << 4 | digit(1)?) as u8)
}
