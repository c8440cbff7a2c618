//! Reads tables of Unicode and of the Encoding Standard: lines of columns.
//!
//! ```text
//! line      = bytes character column* [ comment ] | bytes [ comment ] | comment
//! bytes     = "0x" ( hex-digit hex-digit )+ | pointer
//! character = ( "<LR>" | "<RL>" | "+" )* code-point ( "+" code-point )*
//! code-point = ( "0x" | "U+" ) hex-digit+
//! comment   = "#" anything
//! ```
//!
//! * The files of unicode.org's `MAPPINGS`: bytes and the character. If the second column is empty or contains U+FFFD,
//!   the bytes have no character. Apple's tags for text direction are ignored.
//! * If there are more than two columns, the first is the bytes and the last is the character: `JIS0208.TXT` has
//!   Shift-JIS, JIS and Unicode.
//! * `index-*.txt` of the Encoding Standard has pointers in decimal: the byte minus 80 (hexadecimal). The lower bytes
//!   are ASCII. An index of several bytes cannot be read, because it does not say how its pointers are composed of
//!   bytes.
//! * The first code of a character is used in both directions, and every further one to decode only.
//! * There are no states; as in a charmap, they are derived from the codes. The substitute is the code of U+001A, or
//!   1A.

use super::draft::{Bytes, Chars, Draft};
use super::limits::{MAX_BYTES, MAX_TEXT};
use super::lines::{Line, Lines, hex, hex_pair, skip_blanks};
use super::{Table, Way};
use crate::error::Error;

/// Reads a table. The file contains no name, so the table is named `stem`.
pub(super) fn parse(file: &[u8], stem: &str) -> Result<Table, Error> {
    let mut draft = Draft::new(Table::new(stem.to_owned(), stem.to_owned()));
    draft.table.mappings.reserve(file.len() / 30);
    // The first line decides: the rest of the file must be all bytes or all pointers too.
    let mut pointers = None;
    for line in Lines::new(file) {
        let line = line?;
        let start = line.trimmed();
        if matches!(start, [] | [b'#', ..]) {
            continue;
        }
        let is_pointer = start[0].is_ascii_digit() && !is_prefixed(start);
        match pointers {
            None => {
                pointers = Some(is_pointer);
                for byte in (0..0x80).filter(|_| is_pointer) {
                    let (mut bytes, mut text) = (Bytes::new(), Chars::new());
                    let _ = (bytes.push(byte), text.push(byte.into()));
                    draft.push((&line, start), bytes.as_slice(), &text, Way::RoundTrip)?;
                }
            }
            Some(true) if !is_pointer => return line.error(start, "a pointer, as in the lines before"),
            Some(false) if is_pointer => return line.error(start, "bytes such as 0x41, as in the lines before"),
            Some(_) => {}
        }
        let mut rest = start;
        let bytes = if is_pointer { pointer(&mut rest, &line)? } else { bytes(&mut rest, &line)? };
        rest = skip_blanks(rest);
        if matches!(rest, [] | [b'#', ..]) {
            continue;
        }
        let mut text = characters(&mut rest, &line)?;
        while is_prefixed(skip_blanks(rest)) {
            rest = skip_blanks(rest);
            text = characters(&mut rest, &line)?;
        }
        // In an index, the character itself and its name follow.
        if !is_pointer && !matches!(skip_blanks(rest), [] | [b'#', ..]) {
            return line.error(skip_blanks(rest), "a comment or the end of the line");
        }
        if text.as_slice() != ['\u{FFFD}'] {
            draft.push((&line, start), bytes.as_slice(), &text, Way::RoundTrip)?;
        }
    }
    draft.finish_derived(file, |line| line.bytes.len() - line.trimmed().len())
}

/// Returns whether a number with a prefix is at the front.
fn is_prefixed(rest: &[u8]) -> bool {
    [b"0x", b"0X", b"U+"].iter().any(|prefix| rest.starts_with(*prefix))
}

/// Returns the byte for a pointer into a single-byte index.
fn pointer(rest: &mut &[u8], line: &Line<'_>) -> Result<Bytes, Error> {
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let (pointer, after) = rest.split_at(digits);
    let number = pointer.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    let mut bytes = Bytes::new();
    match u8::try_from(number) {
        Ok(number @ 0..0x80) if !after.starts_with(b".") => {
            let _ = bytes.push(0x80 | number);
            *rest = after;
            Ok(bytes)
        }
        _ => line.error(rest, "a pointer up to 127: multi-byte indexes are not supported"),
    }
}

/// Takes the bytes at the front of `rest`.
fn bytes(rest: &mut &[u8], line: &Line<'_>) -> Result<Bytes, Error> {
    let start = *rest;
    let mut bytes = Bytes::new();
    let Some(mut digits) = start.strip_prefix(b"0x").or_else(|| start.strip_prefix(b"0X")) else {
        return line.error(start, "bytes such as 0x41");
    };
    while let Some(byte) = hex_pair(digits) {
        if !bytes.push(byte) {
            return line.error(digits, format!("at most {MAX_BYTES} bytes"));
        }
        digits = &digits[2..];
    }
    match digits {
        [] | [b' ' | b'\t' | b'#', ..] if !bytes.as_slice().is_empty() => {
            *rest = digits;
            Ok(bytes)
        }
        _ => line.error(digits, "two hex digits for each byte, and a tab"),
    }
}

/// Takes the character, or characters, at the front of `rest`.
fn characters(rest: &mut &[u8], line: &Line<'_>) -> Result<Chars, Error> {
    let mut text = Chars::new();
    loop {
        let at = *rest;
        if text.as_slice().is_empty()
            && let Some(after) = at.strip_prefix(b"<LR>").or_else(|| at.strip_prefix(b"<RL>"))
        {
            *rest = after.strip_prefix(b"+").unwrap_or(after);
            continue;
        }
        let (number, len) = if is_prefixed(at) { hex(&at[2..]) } else { (0, 0) };
        if len == 0 {
            return line.error(at, "a code point such as 0x0041");
        }
        let Some(ch) = char::from_u32(number) else {
            return line.error(at, "a code point up to 10FFFF that is not a surrogate");
        };
        if !text.push(ch) {
            return line.error(at, format!("at most {MAX_TEXT} UTF-16 code units of text"));
        }
        match &at[2 + len..] {
            [b'+', after @ ..] => *rest = after,
            after => {
                *rest = after;
                return Ok(text);
            }
        }
    }
}
