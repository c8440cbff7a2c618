//! The words, names, numbers and literals of COBOL, for the grammars of this folder, and the errors of these grammars.
//!
//! ```text
//! gap     = *( blank | ("," | ";") blank )           between any two of these
//! word    = 1*( letter | digit | "-" | "_" | "#" | "@" | "$" )
//! literal = [prefix] quoted *( "&" quoted ) | number | figurative
//!           quoted     = quote *character quote      a quote inside is doubled; both are ' or both are "
//!           prefix     = "X" | "N" | "NX" | "Z" | "G" | "U" | "UX" | "B" | "BX" | "H"
//!           number     = ["+" | "-"] digits [("." | ",") digits] ["E" ["+" | "-"] digits]
//!           figurative = ["ALL"] word                ZERO, SPACES, LOW-VALUES …, or a symbolic character
//! ```
//!
//! The input of every parser here is the text of the copybook from some position to its end.

use super::words::{begins_clause, is_blank, is_one_of};
use nom::branch::alt;
use nom::bytes::{tag, take_while, take_while1};
use nom::character::{char, one_of, satisfy};
use nom::combinator::{eof, not, opt, peek, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::many0_count;
use nom::sequence::{pair, preceded, terminated};
use nom::{IResult, Parser};
use std::borrow::Cow;

/// The result of a parser.
pub(super) type Read<'a, T> = IResult<&'a str, T, BadText<'a>>;

/// Text that is wrong: where it is, and what was found or expected.
#[derive(Debug)]
pub(super) struct BadText<'a> {
    /// The text from its place on.
    pub(super) rest: &'a str,
    pub(super) what: What,
}

impl<'a> BadText<'a> {
    /// Makes the error for `rest`, where `what` should be.
    pub(super) fn expected(rest: &'a str, what: &'static str) -> Self {
        BadText { rest, what: What::Expected(what) }
    }

    /// Makes the error for `rest` with a whole message.
    pub(super) fn message(rest: &'a str, message: impl Into<Cow<'static, str>>) -> Self {
        BadText { rest, what: What::Message(message.into()) }
    }
}

/// A description of the error.
#[derive(Debug)]
pub(super) enum What {
    /// This was expected there.
    Expected(&'static str),
    /// A whole message.
    Message(Cow<'static, str>),
}

impl<'a> ParseError<&'a str> for BadText<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        BadText::expected(rest, "another word")
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Fails for good: no other alternative is tried.
pub(super) fn fail<'a, T>(rest: &'a str, message: impl Into<Cow<'static, str>>) -> Read<'a, T> {
    Err(nom::Err::Failure(BadText::message(rest, message)))
}

/// Fails for good, because `expected` should be here.
pub(super) fn expected<'a, T>(rest: &'a str, expected: &'static str) -> Read<'a, T> {
    Err(nom::Err::Failure(BadText::expected(rest, expected)))
}

/// Makes a parser whose result is required: if it fails, no other alternative is tried.
pub(super) fn required<'a, T>(
    what: &'static str,
    mut parser: impl Parser<&'a str, Output = T, Error = BadText<'a>>,
) -> impl FnMut(&'a str) -> Read<'a, T> {
    move |input| match parser.parse_complete(input) {
        Err(nom::Err::Error(_)) => expected(input, what),
        other => other,
    }
}

/// Skips white space, and commas and semicolons before white space.
pub(super) fn gap(input: &str) -> Read<'_, ()> {
    let blank = || recognize(satisfy(is_blank));
    let separator = terminated(recognize(one_of(",;")), peek(alt((blank(), eof))));
    let (input, _) = many0_count(alt((take_while1(is_blank), separator))).parse_complete(input)?;
    Ok((input, ()))
}

pub(super) fn is_word_char(ch: char) -> bool {
    ch.is_alphanumeric() || matches!(ch, '-' | '_' | '#' | '@' | '$')
}

/// Reads a word and the gap after it.
pub(super) fn word(input: &str) -> Read<'_, &str> {
    terminated(take_while1(is_word_char), gap).parse_complete(input)
}

/// Makes a parser of this word, in any case.
pub(super) fn keyword<'a>(wanted: &'static str) -> impl FnMut(&'a str) -> Read<'a, &'a str> {
    move |input| verify(word, |found: &str| found.eq_ignore_ascii_case(wanted)).parse_complete(input)
}

/// Makes a parser of one of these words, in any case.
pub(super) fn keywords<'a>(wanted: &'static [&'static str]) -> impl FnMut(&'a str) -> Read<'a, &'a str> {
    move |input| verify(word, |found: &str| is_one_of(found, wanted)).parse_complete(input)
}

/// Makes a parser that skips this word if it is there.
pub(super) fn optional<'a>(wanted: &'static str) -> impl FnMut(&'a str) -> Read<'a, bool> {
    move |input| opt(keyword(wanted)).map(|found| found.is_some()).parse_complete(input)
}

/// Reads a name: a word with a letter that begins no clause. A placeholder is an error that says so.
pub(super) fn name(input: &str) -> Read<'_, &str> {
    let is_part = |ch| is_word_char(ch) || ch == ':';
    let (_, run) = take_while(is_part).parse_complete(input)?;
    if run.contains(':') {
        return placeholder(input);
    }
    verify(word, is_name).parse_complete(input)
}

fn is_name(word: &str) -> bool {
    word.contains(char::is_alphabetic) && !begins_clause(word)
}

pub(super) const PLACEHOLDER: &str = "found a placeholder between colons, which COPY REPLACING fills in: say what it stands for, as in \
     ==:TAG:== BY ==CUSTOMER== (replacing)";

/// Fails at a word such as `:TAG:-NAME`, which is not complete.
fn placeholder<T>(input: &str) -> Read<'_, T> {
    fail(input, PLACEHOLDER)
}

/// Reads a whole number without a sign.
pub(super) fn integer(input: &str) -> Read<'_, u32> {
    let (rest, digits) =
        verify(word, |word: &str| word.bytes().all(|byte| byte.is_ascii_digit())).parse_complete(input)?;
    match digits.parse() {
        Ok(number) => Ok((rest, number)),
        Err(_) => fail(input, format!("the number {} is too large", shortened(digits))),
    }
}

/// Returns the error in a `COPY` whose member was not found.
pub(super) fn not_copied(input: &str) -> String {
    let after = word(input).map_or("", |(rest, _)| rest);
    let in_quotes = after.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"', '\n']).next());
    // A path is not the name of a member.
    let is_plain = |member: &&str| !member.is_empty() && !member.contains(['/', '\\']);
    let Some(member) = in_quotes.filter(is_plain).or_else(|| Some(word(after).ok()?.1)) else {
        return "COPY needs the name of a member, such as CUSTOMER; name its directory with copy-path".into();
    };
    no_file("COPY", member)
}

/// Returns the error in a statement whose member was not found.
pub(super) fn no_file(statement: &str, member: &str) -> String {
    let member = shortened(member);
    let file = if member.contains('.') { "it".to_owned() } else { format!("{member}.cpy or the like") };
    format!("there is no file for {statement} {member}: name the directory that has {file} (copy-path)")
}

/// The expected kind of name where a number is expected.
pub(super) const CONSTANT: &str =
    "constant of this file: expected a number, or a name with level 78 or CONSTANT whose value is an integer";

/// Reads a literal of any form, or a word that stands for one.
pub(super) fn literal(input: &str) -> Read<'_, ()> {
    let figurative = preceded(optional("ALL"), alt((text, constant)));
    alt((text, number, figurative)).parse_complete(input)
}

/// Reads `ZERO`, `SPACES` …, or a symbolic character.
fn constant(input: &str) -> Read<'_, ()> {
    verify(word, is_name).map(|_| ()).parse_complete(input)
}

/// Reads a literal in quotes, or several that are joined by `&` or by the `-` of free form.
fn text(input: &str) -> Read<'_, ()> {
    let joined = |input| -> Read<'_, ()> {
        let (input, _) = (alt((tag("&"), tag("-"))), gap).parse_complete(input)?;
        quoted(input)
    };
    let (input, _) = (quoted, many0_count(joined)).parse_complete(input)?;
    Ok((input, ()))
}

/// Reads one literal in quotes, with its prefix.
fn quoted(input: &str) -> Read<'_, ()> {
    let (open, _) = take_while(|ch: char| "XNZGUBH".contains(ch.to_ascii_uppercase())).parse_complete(input)?;
    let (body, quote) = one_of("'\"").parse_complete(open)?;
    let inside = take_while1(|ch: char| ch != quote && ch != '\n');
    let doubled = recognize((char(quote), char(quote)));
    let (end, _) = many0_count(alt((inside, doubled))).parse_complete(body)?;
    match end.strip_prefix(quote) {
        Some(rest) => gap(rest),
        None => fail(
            open,
            format!("the literal does not end on its line, expected {quote}: is the literal in the right columns?"),
        ),
    }
}

/// Reads a number with a sign, decimal places and an exponent.
fn number(input: &str) -> Read<'_, ()> {
    let digits = || take_while1(|ch: char| ch.is_ascii_digit());
    let places = || pair(one_of(".,"), digits());
    let exponent = (one_of("Ee"), opt(one_of("+-")), digits());
    let mantissa = alt((recognize((digits(), opt(places()))), recognize(places())));
    let whole = (opt(one_of("+-")), mantissa, opt(exponent), not(take_while1(is_word_char)));
    let (input, _) = terminated(recognize(whole), gap).parse_complete(input)?;
    Ok((input, ()))
}

/// Returns `text` for a message: at most 30 characters of it.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(30) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns what is at the beginning of `rest`, for a message: a word, or all text up to a space.
pub(super) fn found(rest: &str) -> String {
    let rest = rest.trim_start_matches(is_blank);
    let run = rest.split(is_blank).next().unwrap_or("");
    let word = run.split(|ch| !is_word_char(ch)).next().unwrap_or("");
    match (word, run) {
        ("", "") => "the end of the copybook".to_owned(),
        ("", ".") => "a period".to_owned(),
        ("", run) => shortened(run.strip_suffix('.').unwrap_or(run)),
        (word, _) => shortened(word),
    }
}
