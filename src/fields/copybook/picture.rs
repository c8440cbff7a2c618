//! The grammar of picture strings, and the storage that a picture describes.
//!
//! ```text
//! picture = 1*( symbol ["(" digits ")"] )
//! symbol  = "A" | "X" | "9" | "S" | "V" | "P" | "Z" | "*" | "+" | "-" | "," | "." | "/" | "B" | "0" | "CR" | "DB" | "E"
//!         | "N" | "G" | currency
//! ```
//!
//! A picture string ends before white space. A period, comma or semicolon before that is a separator, not a symbol.

use super::lexical::{BadText, CONSTANT, PLACEHOLDER, Read, expected, fail, gap, required, shortened, word};
use super::limits::MAX_RECORD;
use super::special_names::SpecialNames;
use super::words::{begins_clause, is_blank};
use crate::fields::{Edited, EditedSign, FieldKind};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::{tag_no_case, take_till, take_while1};
use nom::character::{char, satisfy};
use nom::combinator::value;
use nom::sequence::delimited;
use std::borrow::Cow;

/// The storage that a picture describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Picture {
    /// Text: this many characters.
    Text(usize),
    /// A number that is edited to be read by people: this many characters, and how they can be read as a number. `None`
    /// if they include others than digits, spaces, a decimal point and a sign.
    Edited(usize, Option<Edited>),
    /// So many double-byte characters: `G`.
    Graphic(usize),
    /// So many characters of UTF-16, or double-byte characters: `N`.
    National(usize),
    /// A number.
    Number {
        /// The number of digits that are stored.
        digits: u8,
        /// The number of decimal places; negative if zeros follow the digits.
        scale: i8,
        /// Whether it begins with `S`.
        signed: bool,
    },
}

/// The most digits of a number, including those that `P` stands for. IBM's compilers allow 31, GnuCOBOL 38.
const MAX_DIGITS: usize = 38;

/// A symbol and how often it stands there.
struct Symbol<'a> {
    /// The text from the symbol on.
    rest: &'a str,
    /// In upper case; the first letter of `CR` and `DB`; `$` for each currency symbol.
    ch: char,
    /// The number of bytes in which it is stored.
    width: usize,
    count: usize,
}

impl Symbol<'_> {
    /// Exchanges the comma and the point, which have each other's meaning if the decimal point is a comma.
    fn exchange_comma(&mut self) {
        self.ch = match self.ch {
            ',' => '.',
            '.' => ',',
            other => other,
        };
    }
}

/// Reads a picture string and the gap after it. Returns the string too.
pub(super) fn picture<'a>(input: &'a str, names: &SpecialNames) -> Read<'a, (&'a str, Picture)> {
    let (_, run) = take_till(is_blank).parse_complete(input)?;
    let run = before_clause(run);
    let text = run.strip_suffix(['.', ',', ';']).unwrap_or(run);
    if text.is_empty() {
        return expected(input, "a picture such as X(10) or S9(7)V99");
    }
    let end = input.len() - text.len();
    let mut symbols = Vec::new();
    let mut rest = input;
    while rest.len() > end {
        let (after, symbol) = symbol(rest, names)?;
        symbols.push(symbol);
        rest = after;
    }
    symbols.extend(rest_of_currency_sign(&symbols, names));
    if names.decimal_comma {
        symbols.iter_mut().for_each(Symbol::exchange_comma);
    }
    let mut picture = classify(input, &symbols)?;
    if let Picture::Edited(_, Some(edited)) = &mut picture {
        edited.comma = names.decimal_comma && edited.point;
    }
    let (rest, ()) = gap(rest)?;
    Ok((rest, (text, picture)))
}

/// Returns `run` up to a clause that follows a parenthesis without a space: `S9(6)USAGE COMP`.
fn before_clause(run: &str) -> &str {
    let begins = |end: &usize| {
        let rest = &run[*end..];
        begins_clause(rest.split(|ch: char| !ch.is_alphanumeric() && ch != '-').next().unwrap_or_default())
    };
    run.match_indices(')').map(|(at, _)| at + 1).find(begins).map_or(run, |end| &run[..end])
}

/// Returns what stands for the characters of a currency sign after its first one. The first symbol of the picture
/// stands for the whole sign, and all others for one character.
fn rest_of_currency_sign<'a>(symbols: &[Symbol<'a>], names: &SpecialNames) -> Option<Symbol<'a>> {
    let first = symbols.iter().find(|symbol| symbol.ch == '$')?;
    let len = names.currency(first.rest.chars().next()?)?;
    Some(Symbol { width: len - 1, count: 1, ..*first }).filter(|symbol| symbol.width > 0)
}

/// Reads a symbol and its count.
fn symbol<'a>(input: &'a str, names: &SpecialNames) -> Read<'a, Symbol<'a>> {
    let double = value(2, alt((tag_no_case("CR"), tag_no_case("DB"))));
    let is_currency = |ch| names.currency(ch).is_some();
    let single = value(1, satisfy(|ch| is_currency(ch) || "AX9SVPZ*+-,./B0ENG".contains(ch.to_ascii_uppercase())));
    let found: Read<'_, usize> = alt((double, single)).parse_complete(input);
    let Ok((rest, width)) = found else { return fail(input, unknown(input)) };
    let ch = match input.chars().next().unwrap_or_default() {
        ch if is_currency(ch) => '$',
        ch => ch.to_ascii_uppercase(),
    };
    let width = if matches!(ch, 'S' | 'V' | 'P') { 0 } else { width };
    if !rest.starts_with('(') {
        return Ok((rest, Symbol { rest: input, ch, width, count: 1 }));
    }
    if rest.starts_with("(:") {
        return fail(&rest[1..], unknown(&rest[1..]));
    }
    if let Some(found) = rest[1..].split(')').next().filter(|found| found.starts_with(|ch: char| ch.is_alphabetic()))
        && word(found).is_ok_and(|(rest, _)| rest.is_empty())
    {
        return fail(&rest[1..], format!("found {}, which is no {CONSTANT}", shortened(found)));
    }
    let digits = take_while1(|ch: char| ch.is_ascii_digit());
    let (rest, digits) =
        required("a number between parentheses, as in X(10)", delimited(char('('), digits, char(')')))(rest)?;
    match digits.parse() {
        Ok(0) => fail(input, "a symbol of a picture cannot occur 0 times"),
        Ok(count @ ..=MAX_RECORD) => Ok((rest, Symbol { rest: input, ch, width, count })),
        _ => fail(input, format!("({digits}) is too large: a record has at most {MAX_RECORD} bytes")),
    }
}

/// Returns the error in an unknown symbol.
fn unknown(rest: &str) -> String {
    let ch = rest.chars().next().unwrap_or_default();
    match ch {
        ':' => PLACEHOLDER.into(),
        'U' | 'u' => "the picture symbol U (UTF-8) is not supported; expected X with the number of bytes".into(),
        '(' => "found ( without a symbol before it".into(),
        _ => format!("{ch:?} is not a symbol of a picture; is a blank missing before it?"),
    }
}

type Classified<'a> = Result<Picture, nom::Err<BadText<'a>>>;

/// Returns what the symbols say about the storage. `whole` is the text from the picture on.
fn classify<'a>(whole: &'a str, symbols: &[Symbol<'a>]) -> Classified<'a> {
    let has = |wanted: &str| symbols.iter().any(|symbol| wanted.contains(symbol.ch));
    let other = |allowed: &str| symbols.iter().find(|symbol| !allowed.contains(symbol.ch));
    if other("9SVP").is_none() {
        return number(whole, symbols);
    }
    let (allowed, is_double) = match () {
        () if has("N") => ("NB0/", true),
        () if has("G") => ("GB", true),
        () if has("XA") => ("XA9B0/", false),
        // C and D are the first letters of CR and DB.
        // S in an edited number is an extension.
        () => ("S9VPZ*+-,./B0CDE$", false),
    };
    if let Some(symbol) = other(allowed) {
        let what = format!("{:?} cannot be combined with the other symbols of this picture", symbol.ch);
        return reject(symbol.rest, what);
    }
    let len = symbols.iter().fold(0, |len: usize, symbol| len.saturating_add(symbol.width * symbol.count));
    match len {
        0 => reject(whole, "the picture has no characters"),
        1..=MAX_RECORD if has("N") => Ok(Picture::National(len)),
        1..=MAX_RECORD if is_double => Ok(Picture::Graphic(len)),
        1..=MAX_RECORD if has("XA") => Ok(Picture::Text(len)),
        1..=MAX_RECORD => Ok(Picture::Edited(len, edited(symbols))),
        _ => reject(whole, format!("the item has more than {MAX_RECORD} bytes")),
    }
}

/// Returns what an edited picture says, if it has the form `[sign] *Z *9 [point *9] [sign]` or
/// `[sign] 1*Z point 1*Z [sign]`, where the point is `V` or `.`.
fn edited(symbols: &[Symbol<'_>]) -> Option<Edited> {
    let (sign, symbols) = match symbols {
        [Symbol { ch: 'S', count: 1, .. }, rest @ ..] => (EditedSign::Zone, rest),
        [Symbol { ch: '+', count: 1, .. }, rest @ ..] => (EditedSign::PlusBefore, rest),
        [Symbol { ch: '-', count: 1, .. }, rest @ ..] => (EditedSign::MinusBefore, rest),
        [rest @ .., Symbol { ch: '+', count: 1, .. }] => (EditedSign::PlusAfter, rest),
        [rest @ .., Symbol { ch: '-', count: 1, .. }] => (EditedSign::MinusAfter, rest),
        _ => (EditedSign::Absent, symbols),
    };
    let point = symbols.iter().position(|symbol| matches!(symbol.ch, 'V' | '.') && symbol.count == 1);
    let (whole, places) = match point {
        Some(at) => (&symbols[..at], &symbols[at + 1..]),
        None => (symbols, &[][..]),
    };
    let (whole, places) = (positions(whole)?, positions(places)?);
    // A point at the end stands for no places.
    if places.1 == 0 && point.is_some_and(|at| symbols[at].ch == '.') {
        return None;
    }
    // After the point, Z is possible only if all digits are Z.
    let is_z = |(blanks, digits): (usize, usize)| blanks == digits;
    if places.0 > 0 && !(is_z(whole) && is_z(places)) {
        return None;
    }
    let digits = u8::try_from(whole.1 + places.1).ok().filter(|digits| (1..=FieldKind::MAX_DIGITS).contains(digits))?;
    Some(Edited {
        digits,
        scale: places.1 as i8,
        blanks: (whole.0 + places.0) as u8,
        point: point.is_some_and(|at| symbols[at].ch == '.'),
        comma: false,
        sign,
        blank_when_zero: false,
    })
}

/// Returns how many symbols are `Z`, and how many `Z` or `9`; `None` if there are others, or if a `Z` follows a `9`.
fn positions(symbols: &[Symbol<'_>]) -> Option<(usize, usize)> {
    symbols.iter().try_fold((0, 0), |(blanks, digits), symbol| match symbol.ch {
        'Z' if blanks == digits => Some((blanks + symbol.count, digits + symbol.count)),
        '9' => Some((blanks, digits + symbol.count)),
        _ => None,
    })
}

/// Returns the digits and the scale of a picture of the symbols `9`, `S`, `V` and `P`.
fn number<'a>(whole: &'a str, symbols: &[Symbol<'a>]) -> Classified<'a> {
    let (signed, symbols) = match symbols {
        [Symbol { ch: 'S', count: 1, .. }, rest @ ..] => (true, rest),
        _ => (false, symbols),
    };
    if let Some(symbol) = symbols.iter().find(|symbol| symbol.ch == 'S') {
        return reject(symbol.rest, "S must be the first symbol of the picture, and stand there once");
    }
    let points = symbols.iter().filter(|symbol| symbol.ch == 'V').map(|symbol| symbol.count).sum::<usize>();
    if points > 1 {
        return reject(whole, "the picture has more than one V");
    }
    // Runs of the same symbol count as one.
    let mut shape = String::new();
    for symbol in symbols {
        if !shape.ends_with(symbol.ch) {
            shape.push(symbol.ch);
        }
    }
    let count = |ch: char, symbols: &[Symbol<'_>]| {
        symbols.iter().filter(|symbol| symbol.ch == ch).fold(0, |sum: usize, symbol| sum.saturating_add(symbol.count))
    };
    let (digits, zeros) = (count('9', symbols), count('P', symbols));
    let after_point = symbols.iter().position(|symbol| symbol.ch == 'V').map_or(0, |at| count('9', &symbols[at..]));
    if digits == 0 {
        return reject(whole, "the number has no digits: expected 9 in its picture");
    }
    if digits.saturating_add(zeros) > MAX_DIGITS {
        let total = digits.saturating_add(zeros);
        return reject(whole, format!("the number has {total} digits; at most {MAX_DIGITS} are possible"));
    }
    let scale = match shape.as_str() {
        "9" | "V9" | "9V" | "9V9" => after_point as i8,
        "P9" | "VP9" => (digits + zeros) as i8,
        "9P" | "9PV" => -(zeros as i8),
        _ => return reject(whole, "V and P do not fit together: P stands before all digits or after all of them"),
    };
    Ok(Picture::Number { digits: digits as u8, scale, signed })
}

fn reject<'a>(rest: &'a str, what: impl Into<Cow<'static, str>>) -> Classified<'a> {
    Err(nom::Err::Failure(BadText::message(rest, what)))
}
