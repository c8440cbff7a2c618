//! Reads tables of POSIX and glibc: charmap files, as accepted by `localedef -f`.
//!
//! ```text
//! file     = head* "CHARMAP" mapping* "END CHARMAP" width*
//! head     = "<" key ">" value | comment-char " alias " label | comment
//! mapping  = [ comment-char "IRREVERSIBLE" comment-char ] names byte+ anything
//! names    = ( "<U" hex-digit+ ">" )+ | "<U" hex-digit+ ">" ellipsis "<U" hex-digit+ ">"
//! ellipsis = ".." (hexadecimal) | "..." | "...." (decimal) | "..(2).." | "....(2)...." (every other)
//! byte     = escape-char ( "x" hex-digit hex-digit | "d" digit+ | octal-digit+ )
//! ```
//!
//! * The comment character is `#` and the escape character is `\` until `<comment_char>` and `<escape_char>` change
//!   them.
//! * A range increments its last byte, with a carry into the byte before.
//! * `%IRREVERSIBLE%` marks a mapping that is used to decode only. The same goes, unmarked, for every further code of a
//!   character that already has one. One code for two characters is an error, as it is in any table.
//! * Old charmaps have their own names for characters. They can be read if the code point follows the bytes, as in
//!   `<NU> /x00 <U0000> NULL`. A name alone does not identify a character and is an error.
//! * A charmap has no states; they are derived from the codes. It has no substitute; the code of U+001A is used, or 1A.
//! * The part after the mappings is about columns on a screen, and is skipped.

use super::draft::{Bytes, Chars, Draft};
use super::limits::{MAX_ALIASES, MAX_BYTES, MAX_TEXT, no_more_aliases};
use super::lines::{Line, Lines, hex, hex_pair, is_blank, skip_blanks};
use super::{Table, Way};
use crate::error::Error;
use nom::branch::alt;
use nom::bytes::{tag, take_while, take_while_m_n, take_while1};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

/// Reads a table. `stem` is its name if the file contains none.
pub(super) fn parse(file: &[u8], stem: &str) -> Result<Table, Error> {
    let mut lines = Lines::new(file);
    let mut map = Charmap {
        draft: Draft::new(Table::new(stem.to_owned(), stem.to_owned())),
        comment: b'#',
        escape: b'\\',
        least: 1,
    };
    map.head(&mut lines)?;
    map.draft.table.mappings.reserve(file.len() / 40);
    map.body(&mut lines)?;
    trailer(&mut lines, map.comment)?;
    let escape = map.escape;
    let is_byte = |pair: &[u8]| pair[0] == escape && matches!(pair[1], b'x' | b'X' | b'd' | b'D' | b'0'..=b'7');
    map.draft.finish_derived(file, |line| line.bytes.windows(2).position(is_byte).unwrap_or(0))
}

struct Charmap {
    draft: Draft,
    comment: u8,
    escape: u8,
    /// The fewest bytes in a code.
    least: usize,
}

impl Charmap {
    /// Reads up to `CHARMAP`.
    fn head(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        while let Some(line) = lines.next().transpose()? {
            let rest = line.trimmed();
            match rest {
                [] => {}
                [b'<', ..] => match header(rest) {
                    Ok((_, (key, value))) => self.set(key, value, &line)?,
                    Err(_) => return line.error(rest, "a head line such as <escape_char> /, or CHARMAP"),
                },
                // Until the comment character is set, either of these is one.
                [first, ..] if *first == self.comment || matches!(first, b'#' | b'%') => {
                    if let Ok((_, label)) = alias(&rest[1..]) {
                        if self.draft.table.aliases.len() >= MAX_ALIASES {
                            return line.error(label, no_more_aliases());
                        }
                        let label = String::from_utf8_lossy(label).into_owned();
                        self.draft.table.aliases.push(label.into());
                    }
                }
                _ if words(rest).eq([&b"CHARMAP"[..]]) => return Ok(()),
                _ => return line.error(rest, "a head line such as <escape_char> /, or CHARMAP"),
            }
        }
        let end = lines.end();
        end.error(end.bytes, "CHARMAP")
    }

    fn set(&mut self, key: &[u8], value: &[u8], line: &Line<'_>) -> Result<(), Error> {
        let sign = || match value {
            [sign] if sign.is_ascii_punctuation() => Ok(*sign),
            _ => line.error(value, "one character such as / or %"),
        };
        let length = || match std::str::from_utf8(value).ok().and_then(|value| value.parse().ok()) {
            Some(length @ 1..=MAX_BYTES) => Ok(length),
            _ => line.error(value, format!("a number from 1 to {MAX_BYTES}")),
        };
        match key {
            b"code_set_name" => match std::str::from_utf8(value) {
                Ok("") | Err(_) => return line.error(value, "a name, in UTF-8"),
                Ok(name) => self.draft.table.name = name.to_owned().into(),
            },
            b"comment_char" => self.comment = sign()?,
            b"escape_char" => self.escape = sign()?,
            b"mb_cur_min" => self.least = length()?,
            // The maximum says nothing, because a mapping may consist of several codes.
            b"mb_cur_max" => drop(length()?),
            b"include" => return line.error(line.trimmed(), "no <include>: locking shifts are not supported"),
            [b'U', digits @ ..] if hex(digits).1 == digits.len() && digits.len() > 3 => {
                return line.error(line.trimmed(), "CHARMAP before the mappings");
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads up to `END CHARMAP`.
    fn body(&mut self, lines: &mut Lines<'_>) -> Result<(), Error> {
        while let Some(line) = lines.next().transpose()? {
            let rest = line.trimmed();
            match rest {
                [] => {}
                [b'<', ..] => self.mapping(rest, &line, Way::RoundTrip)?,
                [first, marked @ ..] if *first == self.comment => {
                    let marked = marked.strip_prefix(b"IRREVERSIBLE").and_then(|rest| rest.split_first());
                    if let Some((sign, rest)) = marked
                        && *sign == self.comment
                    {
                        self.mapping(skip_blanks(rest), &line, Way::ToText)?;
                    }
                }
                _ if words(rest).eq([&b"END"[..], b"CHARMAP"]) => return Ok(()),
                _ => return line.error(rest, "a mapping such as <U0041> /x41, or END CHARMAP"),
            }
        }
        let end = lines.end();
        end.error(end.bytes, "END CHARMAP")
    }

    fn mapping(&mut self, start: &[u8], line: &Line<'_>, way: Way) -> Result<(), Error> {
        let mut rest = start;
        let mut text = Chars::new();
        let first = self.name(&mut rest, line)?;
        let mut named = first;
        // Several characters.
        while let (Some(digits), [b'<', ..]) = (named, rest) {
            push(&mut text, code_point(digits, line)?, line, rest)?;
            named = self.name(&mut rest, line)?;
            if named.is_none() {
                return line.error(start, "code points such as <U0041>");
            }
        }
        let range = match rest {
            [b'.', ..] => Some(self.range(&mut rest, line)?),
            _ => None,
        };
        let at_bytes = skip_blanks(rest);
        rest = at_bytes;
        let mut bytes = self.bytes(&mut rest, line)?;
        if named.is_none() {
            // The name is not a code point. A code point may follow the bytes.
            rest = skip_blanks(rest);
            named = match rest {
                [b'<', b'U', ..] if range.is_none() => self.name(&mut rest, line)?,
                _ => None,
            };
        }
        let Some(digits) = named else {
            return line.error(start, "a code point such as <U0041>: other names do not identify a character");
        };
        let ch = code_point(digits, line)?;
        let Some((step, decimal, last)) = range else {
            push(&mut text, ch, line, digits)?;
            return self.draft.push((line, start), bytes.as_slice(), &text, way);
        };
        let (true, Some(last)) = (text.as_slice().is_empty(), last) else {
            return line.error(start, "a range from one code point to another, such as <U0041>..<U0043>");
        };
        let (from, to) = ends_of_range(line, digits, last, decimal)?;
        let mut number = from;
        loop {
            // Counted in decimal, but its digits are read as hexadecimal.
            let found = if decimal { hex(format!("{number:08}").as_bytes()).0 } else { number };
            let Some(ch) = char::from_u32(found) else {
                return line.error(start, "a range without surrogates, up to 10FFFF");
            };
            let mut text = Chars::new();
            push(&mut text, ch, line, start)?;
            self.draft.push((line, start), bytes.as_slice(), &text, way)?;
            number += step;
            if number > to {
                return Ok(());
            }
            if !bytes.increment() {
                return line.error(at_bytes, "bytes that can be incremented up to the end of the range");
            }
        }
    }

    /// Takes a name in angle brackets. Returns the digits of the code point that it names, or `None` for any other
    /// name.
    fn name<'l>(&self, rest: &mut &'l [u8], line: &Line<'_>) -> Result<Option<&'l [u8]>, Error> {
        let at = *rest;
        if let Some(digits) = at.strip_prefix(b"<U") {
            let (_, len) = hex(digits);
            if let (4..=8, Some(b'>')) = (len, digits.get(len)) {
                *rest = &digits[len + 1..];
                return Ok(Some(&digits[..len]));
            }
        }
        let mut escaped = false;
        for (index, byte) in at.iter().enumerate() {
            match byte {
                b'>' if !escaped && index > 1 => {
                    *rest = &at[index + 1..];
                    return Ok(None);
                }
                _ => escaped = *byte == self.escape && !escaped,
            }
        }
        line.error(at, "a name in angle brackets, such as <U0041>")
    }

    /// Takes an ellipsis and the name after it. Returns the step, whether it counts in decimal, and the digits of the
    /// last code point.
    fn range<'l>(&self, rest: &mut &'l [u8], line: &Line<'_>) -> Result<(u32, bool, Option<&'l [u8]>), Error> {
        let kinds: [(&[u8], u32, bool); 5] = [
            (b"....(2)....", 2, true),
            (b"..(2)..", 2, false),
            (b"....", 1, true),
            (b"...", 1, true),
            (b"..", 1, false),
        ];
        let at = *rest;
        let found = kinds.iter().find_map(|(dots, step, decimal)| Some((at.strip_prefix(*dots)?, *step, *decimal)));
        let Some((after @ [b'<', ..], step, decimal)) = found else {
            return line.error(at, "two dots and the last code point of a range");
        };
        *rest = after;
        Ok((step, decimal, self.name(rest, line)?))
    }

    fn bytes(&self, rest: &mut &[u8], line: &Line<'_>) -> Result<Bytes, Error> {
        let start = *rest;
        let mut bytes = Bytes::new();
        while let [first, digits @ ..] = *rest
            && *first == self.escape
        {
            let of = |digits: &[u8], most: usize, radix: u32| {
                let digits = digits.iter().take(most).map_while(|digit| char::from(*digit).to_digit(radix));
                digits.fold((0, 0), |(number, len), digit| (number * radix + digit, len + 1))
            };
            let (byte, len) = match digits {
                [b'x' | b'X', digits @ ..] => (hex_pair(digits), 3),
                [b'd' | b'D', digits @ ..] => match of(digits, 3, 10) {
                    (number, len @ 2..) => (u8::try_from(number).ok(), len + 1),
                    _ => (None, 0),
                },
                _ => match of(digits, 3, 8) {
                    (number, len @ 2..) => (u8::try_from(number).ok(), len),
                    _ => (None, 0),
                },
            };
            let Some(byte) = byte else {
                let escape = char::from(self.escape);
                return line.error(rest, format!("a byte such as {escape}x41, {escape}d065 or {escape}101"));
            };
            if !bytes.push(byte) {
                return line.error(rest, format!("at most {MAX_BYTES} bytes"));
            }
            *rest = &digits[len..];
        }
        if bytes.as_slice().len() < self.least {
            let escape = char::from(self.escape);
            return line.error(start, format!("{} bytes or more, such as {escape}x41", self.least));
        }
        Ok(bytes)
    }
}

/// Returns the first and the last number of a range. If it counts in decimal, the numbers are decimal as well.
fn ends_of_range(line: &Line<'_>, first: &[u8], last: &[u8], decimal: bool) -> Result<(u32, u32), Error> {
    let decimals = |digits: &[u8]| {
        digits.iter().try_fold(0, |number: u32, digit| {
            digit.is_ascii_digit().then_some(number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
        })
    };
    let (from, to) = match (decimal, decimals(first), decimals(last)) {
        (false, ..) => (code_point(first, line)? as u32, code_point(last, line)? as u32),
        (true, Some(from), Some(to)) => (from, to),
        (true, ..) => {
            return line
                .error(last, "decimal digits, because three dots count in decimal (two dots count in hexadecimal)");
        }
    };
    if to < from || first.len() != last.len() {
        return line.error(last, "the end of a range: the same number of digits, and not a lower number");
    }
    Ok((from, to))
}

fn code_point(digits: &[u8], line: &Line<'_>) -> Result<char, Error> {
    match char::from_u32(hex(digits).0) {
        Some(ch) => Ok(ch),
        None => line.error(digits, "a code point up to 10FFFF that is not a surrogate"),
    }
}

fn push(text: &mut Chars, ch: char, line: &Line<'_>, at: &[u8]) -> Result<(), Error> {
    if text.push(ch) { Ok(()) } else { line.error(at, format!("at most {MAX_TEXT} UTF-16 code units of text")) }
}

/// Parses a line of the head: the key and the value. A value is a single word or is in quotes.
fn header(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8])> {
    let key = delimited(tag("<"), take_while1(|byte| byte != b'>'), tag(">"));
    let quoted = delimited(tag("\""), take_while(|byte| byte != b'"'), tag("\""));
    let value = alt((quoted, take_while(|byte| !is_blank(byte))));
    (terminated(key, take_while(is_blank)), value).parse_complete(input)
}

/// Parses the label in a comment ` alias LABEL`.
fn alias(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let blanks = || take_while_m_n(1, usize::MAX, is_blank);
    let word = (take_while(is_blank), tag("alias"), blanks());
    preceded(word, take_while1(|byte| !is_blank(byte))).parse_complete(input)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty())
}

/// Checks the part after the mappings: widths.
fn trailer(lines: &mut Lines<'_>, comment: u8) -> Result<(), Error> {
    let mut within = false;
    while let Some(line) = lines.next().transpose()? {
        let rest = line.trimmed();
        match words(rest).next() {
            None => {}
            Some(word) if word[0] == comment => {}
            Some(b"WIDTH_DEFAULT") if !within => {}
            Some(b"WIDTH" | b"WIDTH_VARIABLE") if !within => within = true,
            Some(b"END") if within => within = false,
            Some(_) if within => {}
            Some(_) => return line.error(rest, "WIDTH or the end of the file"),
        }
    }
    Ok(())
}
