//! The grammar of data description entries.
//!
//! ```text
//! copybook  = *(entry | skipped | ".")               skipped: see `program.rs`
//! entry     = level [name | "FILLER"] *clause "."    level: 1 to 49, or 77
//!           | "66" name "RENAMES" name ["THRU" name] "."
//!           | "88" name value "."
//!           | constant                               see `constants.rs`
//! ```
//!
//! Entries of levels 66 and 88 describe no storage. They are checked for their syntax, and skipped.

use super::clauses::{clauses, renames, values};
use super::entry::{Entry, Placed};
use super::lexical::{BadText, Read, expected, fail, found, gap, keyword, name, not_copied, required, word};
use super::limits::MAX_ENTRIES;
use super::program::skip;
use super::special_names::SpecialNames;
use super::tokens::after_sentence;
use super::words::{INCLUDES, is_blank, is_one_of};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::tag;
use nom::combinator::{opt, value};

/// Reads the entries that describe storage. `end` is the length of the text that follows them; `names` says what their
/// pictures mean.
pub(super) fn entries<'a>(text: &'a str, end: usize, names: &SpecialNames) -> Result<Vec<Entry<'a>>, BadText<'a>> {
    let mut entries = Vec::new();
    let begin = skip_gap(text);
    let mut rest = begin;
    while rest.len() > end {
        if let Some(after) = after_period(rest) {
            rest = after;
            continue;
        }
        if let Some((after, _)) = skip(rest)? {
            rest = after;
            continue;
        }
        let (after, entry) = entry(rest, names).map_err(bad_text)?;
        entries.extend(entry);
        if entries.len() > MAX_ENTRIES {
            return Err(BadText::message(rest, format!("a copybook may have at most {MAX_ENTRIES} entries")));
        }
        rest = after;
    }
    match (entries.is_empty(), begin.is_empty()) {
        (false, _) => Ok(entries),
        (true, true) => Err(BadText::expected(begin, LEVEL)),
        (true, false) => Err(BadText::message(begin, NO_STORAGE)),
    }
}

const NO_STORAGE: &str = "the copybook describes no storage: expected an entry of level 01 to 49, or 77";
const LEVEL: &str = "a level number (01 to 49, 66, 77 or 88) at the beginning of an entry";

/// Returns the text after a period that ends no entry, if there is one.
fn after_period(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('.')?;
    rest.chars().next().is_none_or(|next| next == '.' || is_blank(next)).then(|| skip_gap(rest))
}

fn skip_gap(text: &str) -> &str {
    gap(text).map_or(text, |(rest, ())| rest)
}

fn bad_text(error: nom::Err<BadText<'_>>) -> BadText<'_> {
    match error {
        nom::Err::Error(bad) | nom::Err::Failure(bad) => bad,
        nom::Err::Incomplete(_) => BadText::expected("", "a period"),
    }
}

/// Reads an entry; `None` if it describes no storage.
fn entry<'a>(input: &'a str, names: &SpecialNames) -> Read<'a, Option<Entry<'a>>> {
    let (rest, level) = level(input)?;
    match level {
        66 => {
            let (rest, _) = (required("a name", name), renames, period).parse_complete(rest)?;
            Ok((rest, None))
        }
        88 => {
            let (rest, _) = (required("a name", name), required("VALUE", values), period).parse_complete(rest)?;
            Ok((rest, None))
        }
        78 => Ok((after_sentence(rest), None)),
        1 if is_constant(rest) => Ok((after_sentence(rest), None)),
        _ => {
            let filler = value(None, keyword("FILLER"));
            let (rest, found) = opt(alt((filler, name.map(Some)))).parse_complete(rest)?;
            let (rest, clauses) = clauses(rest, names)?;
            let (rest, ()) = period(rest)?;
            let level = Placed { rest: input, value: level };
            Ok((rest, Some(Entry { level, name: found.flatten(), clauses })))
        }
    }
}

/// Returns whether an entry, from its name on, is that of a constant.
fn is_constant(rest: &str) -> bool {
    (word, keyword("CONSTANT")).parse_complete(rest).is_ok()
}

/// Reads the period at the end of an entry.
fn period(input: &str) -> Read<'_, ()> {
    let (rest, _) = required("a period at the end of the entry", tag("."))(input)?;
    gap(rest)
}

/// Reads a level number.
fn level(input: &str) -> Read<'_, u8> {
    let Ok((rest, found)) = word(input) else { return foreign(input, &found(input)) };
    let digits = found.bytes().all(|byte| byte.is_ascii_digit());
    match found.parse::<u8>() {
        Ok(level @ (1..=49 | 66 | 77 | 78 | 88)) if found.len() <= 2 => Ok((rest, level)),
        _ if digits => fail(input, format!("{found} is not a level number: expected 01 to 49, 66, 77 or 88")),
        _ => foreign(input, found),
    }
}

/// Fails at a word that belongs to a program, or to something else.
fn foreign<'a>(input: &'a str, found: &str) -> Read<'a, u8> {
    if is_one_of(found, &["COPY"]) {
        return fail(input, not_copied(input));
    }
    if is_one_of(found, INCLUDES) || is_one_of(found, &["REPLACE"]) {
        return fail(
            input,
            format!(
                "{found} is not supported: put the text that it stands for in its place, as the compiler's listing has it"
            ),
        );
    }
    const PROGRAM: &[&str] = &[
        "ID",
        "IDENTIFICATION",
        "ENVIRONMENT",
        "DATA",
        "PROCEDURE",
        "FILE",
        "WORKING-STORAGE",
        "LOCAL-STORAGE",
        "LINKAGE",
        "SELECT",
    ];
    if is_one_of(found, PROGRAM) {
        return fail(
            input,
            format!(
                "found {found}, which belongs to a program: keep only the record description, from its level 01 on"
            ),
        );
    }
    expected(input, LEVEL)
}
