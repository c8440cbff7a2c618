//! The grammar of the clauses of a data description entry.
//!
//! ```text
//! clause    = "REDEFINES" name | ("PIC" | "PICTURE") ["IS"] picture | usage | sign | occurs | sync
//!           | "BLANK" ["WHEN"] zero | note
//! usage     = ["USAGE" ["IS"]] ("DISPLAY" | "COMP-3" | …)
//! sign      = ["SIGN" ["IS"]] ("LEADING" | "TRAILING") ["SEPARATE" ["CHARACTER"]]
//! occurs    = "OCCURS" integer ["TO" integer] ["TIMES"] *phrase
//!             phrase = "DEPENDING" ["ON"] name *(("OF" | "IN") name)
//!                    | ("ASCENDING" | "DESCENDING") ["KEY"] ["IS"] 1*name | "INDEXED" ["BY"] 1*name
//! sync      = ("SYNC" | "SYNCHRONIZED") ["LEFT" | "RIGHT"]
//! note      = value | ("JUST" | "JUSTIFIED") ["RIGHT"] | ["IS"] shared | "DATE" "FORMAT" ["IS"] word
//!           | "GROUP-USAGE" ["IS"] usage
//! shared    = "GLOBAL" | "EXTERNAL" ["AS" literal] | "VOLATILE" | "BASED" | "SPECIAL-NAMES" ("CURSOR" | word word)
//! value     = ("VALUE" | "VALUES") ["IS" | "ARE"] 1*(literal [("THRU" | "THROUGH") literal])
//! ```
//!
//! The clauses can have any order.

use super::entry::{Clauses, Occurs, Placed};
use super::lexical::{
    BadText, CONSTANT, Read, expected, fail, integer, keyword, keywords, literal, name, not_copied, optional, required,
    shortened, word,
};
use super::picture;
use super::special_names::SpecialNames;
use super::words::{USAGES, Usage, is_one_of};
use crate::fields::SignPlace;
use nom::Parser;
use nom::branch::alt;
use nom::combinator::{opt, value};
use nom::multi::{many0, many1_count};
use nom::sequence::preceded;

/// Reads the clauses of an entry, up to its period.
pub(super) fn clauses<'a>(mut input: &'a str, names: &SpecialNames) -> Read<'a, Clauses<'a>> {
    let mut clauses = Clauses::default();
    while !input.is_empty() && !input.starts_with('.') {
        input = clauses.read(input, names)?.0;
    }
    Ok((input, clauses))
}

impl<'a> Clauses<'a> {
    /// Reads one clause.
    fn read(&mut self, input: &'a str, names: &SpecialNames) -> Read<'a, ()> {
        let Ok((rest, first)) = word(input) else { return expected(input, CLAUSE) };
        let first = first.to_ascii_uppercase();
        match first.as_str() {
            "REDEFINES" => {
                let (end, target) = required("the name of an item", name)(rest)?;
                put(&mut self.redefines, rest, input, target, "REDEFINES")?;
                Ok((end, ()))
            }
            "PIC" | "PICTURE" => {
                let (rest, _) = optional("IS")(rest)?;
                let (end, picture) = picture::picture(rest, names)?;
                put(&mut self.picture, rest, input, picture, "PICTURE")?;
                Ok((end, ()))
            }
            "SIGN" | "LEADING" | "TRAILING" => {
                let (end, sign) = sign(input)?;
                put(&mut self.sign, input, input, sign, "SIGN")?;
                Ok((end, ()))
            }
            "OCCURS" => {
                let (end, occurs) = occurs(rest)?;
                put(&mut self.occurs, input, input, occurs, "OCCURS")?;
                Ok((end, ()))
            }
            "SYNC" | "SYNCHRONIZED" => {
                let (end, _) = opt(keywords(&["LEFT", "RIGHT"])).parse_complete(rest)?;
                put(&mut self.sync, input, input, (), "SYNCHRONIZED")?;
                Ok((end, ()))
            }
            "BLANK" => {
                let zero = required("ZERO", keywords(&["ZERO", "ZEROS", "ZEROES"]));
                let (end, _) = (optional("WHEN"), zero).parse_complete(rest)?;
                self.blank_when_zero = true;
                Ok((end, ()))
            }
            "USAGE" | "GROUP-USAGE" => {
                let (rest, _) = optional("IS")(rest)?;
                self.usage(rest, input)
            }
            "COPY" => fail(input, not_copied(input)),
            _ if begins_usage(&first) => self.usage(input, input),
            _ => note(input),
        }
    }

    /// Reads a usage at `input`, whose clause begins at `clause`.
    fn usage(&mut self, input: &'a str, clause: &'a str) -> Read<'a, ()> {
        let (end, usage) = required("a usage such as DISPLAY, COMP or COMP-3", usage)(input)?;
        put(&mut self.usage, input, clause, usage, "USAGE")?;
        Ok((end, ()))
    }
}

/// The expected text where a clause could begin.
const CLAUSE: &str = "a clause such as PIC, COMP-3, OCCURS, REDEFINES or VALUE, or a period at the end of the entry";

/// Stores a clause, which an entry has at most once.
fn put<'a, T>(
    slot: &mut Option<Placed<'a, T>>,
    rest: &'a str,
    clause: &'a str,
    value: T,
    called: &'static str,
) -> Result<(), nom::Err<BadText<'a>>> {
    if slot.is_some() {
        let what = format!("found a second {called} clause: an entry has at most one; is a period missing before it?");
        return Err(nom::Err::Failure(BadText::message(clause, what)));
    }
    *slot = Some(Placed { rest, value });
    Ok(())
}

fn begins_usage(word: &str) -> bool {
    word == "OBJECT" || USAGES.iter().any(|(words, _)| words.contains(&word))
}

/// Reads the words of a usage.
fn usage(input: &str) -> Read<'_, Usage> {
    let (rest, found) = word(input)?;
    if found.eq_ignore_ascii_case("OBJECT") {
        let (rest, _) = required("REFERENCE", keyword("REFERENCE"))(rest)?;
        let (rest, _) = opt(name).parse_complete(rest)?;
        return Ok((rest, Usage::Address(4)));
    }
    let Some((_, usage)) = USAGES.iter().find(|(words, _)| is_one_of(found, words)) else {
        return expected(input, "a usage such as DISPLAY, COMP or COMP-3");
    };
    let Usage::Integer(len, _) = *usage else { return Ok((rest, *usage)) };
    let (rest, signed) = opt(keywords(&["SIGNED", "UNSIGNED"])).parse_complete(rest)?;
    let is_signed = signed.is_none_or(|word| word.eq_ignore_ascii_case("SIGNED"));
    Ok((rest, Usage::Integer(len, is_signed)))
}

fn sign(input: &str) -> Read<'_, SignPlace> {
    let (input, _) = opt((keyword("SIGN"), optional("IS"))).parse_complete(input)?;
    let place = alt((value(true, keyword("LEADING")), value(false, keyword("TRAILING"))));
    let (input, is_leading) = required("LEADING or TRAILING", place)(input)?;
    let (input, separate) = opt((keyword("SEPARATE"), optional("CHARACTER"))).parse_complete(input)?;
    let sign = match (is_leading, separate.is_some()) {
        (true, true) => SignPlace::LeadingSeparate,
        (true, false) => SignPlace::Leading,
        (false, true) => SignPlace::TrailingSeparate,
        (false, false) => SignPlace::Trailing,
    };
    Ok((input, sign))
}

/// Reads what follows `OCCURS`.
fn occurs(input: &str) -> Read<'_, Occurs<'_>> {
    let (mut rest, (first, to)) = (count, opt(preceded(keyword("TO"), count))).parse_complete(input)?;
    let mut depending = None;
    rest = optional("TIMES")(rest)?.0;
    loop {
        let (end, phrase) = opt(keywords(&["DEPENDING", "ASCENDING", "DESCENDING", "INDEXED"])).parse_complete(rest)?;
        match phrase.map(str::to_ascii_uppercase).as_deref() {
            None => break,
            Some("DEPENDING") => {
                let (end, _) = optional("ON")(end)?;
                let (after, value) = required("the name of the item with the count", qualified)(end)?;
                depending = Some(Placed { rest: end, value });
                rest = after;
            }
            Some("INDEXED") => rest = names(optional("BY")(end)?.0)?.0,
            Some(_) => rest = names((optional("KEY"), optional("IS")).parse_complete(end)?.0)?.0,
        }
    }
    match (to, &depending) {
        (Some(max), _) if max < first => fail(input, format!("OCCURS {first} TO {max}: the second number is smaller")),
        (Some(max), None) if max > first => {
            fail(rest, format!("OCCURS {first} TO {max} needs DEPENDING ON and a name"))
        }
        (None, None) if first == 0 => fail(input, "OCCURS 0: a table has at least one element, or a varying number"),
        // Without a smallest number, IBM's compilers take 1, but they also accept records without elements.
        (None, Some(_)) => Ok((rest, Occurs { min: 0, max: first, depending })),
        (max, _) => Ok((rest, Occurs { min: first, max: max.unwrap_or(first), depending })),
    }
}

/// Reads a number of occurrences.
fn count(input: &str) -> Read<'_, u32> {
    if let Ok((_, _)) = keyword("UNBOUNDED")(input) {
        return fail(
            input,
            "UNBOUNDED is not supported: a file has no such tables; give the largest number of elements",
        );
    }
    if let Ok((_, found)) = name(input) {
        return fail(input, format!("found {}, which is no {CONSTANT}", shortened(found)));
    }
    required("the number of occurrences", integer)(input)
}

/// Reads a name and the groups that it is in.
fn qualified(input: &str) -> Read<'_, Vec<&str>> {
    let (input, first) = name(input)?;
    let group = preceded(keywords(&["OF", "IN"]), required("the name of a group", name));
    let (input, mut names) = many0(group).parse_complete(input)?;
    names.insert(0, first);
    Ok((input, names))
}

/// Skips the names of keys or indexes.
fn names(input: &str) -> Read<'_, ()> {
    let next = (opt(keywords(&["OF", "IN"])), name);
    let (input, _) = required("a name", many1_count(next))(input)?;
    Ok((input, ()))
}

/// Skips a clause that says nothing about the storage.
fn note(input: &str) -> Read<'_, ()> {
    let date = (keyword("DATE"), keyword("FORMAT"), optional("IS"), required("a date pattern", word));
    let external = (keyword("EXTERNAL"), opt((keyword("AS"), required("a literal", literal))));
    let console = (keyword("SPECIAL-NAMES"), alt((value((), keyword("CURSOR")), value((), (word, word)))));
    let other = keywords(&["GLOBAL", "VOLATILE", "BASED"]);
    let shared = (optional("IS"), alt((value((), external), value((), console), value((), other))));
    let skipped = alt((
        values,
        value((), (keywords(&["JUST", "JUSTIFIED"]), optional("RIGHT"))),
        value((), date),
        value((), shared),
    ));
    required(CLAUSE, skipped)(input)
}

/// Skips a `VALUE` clause: one literal, or for level 88 several and ranges of them.
pub(super) fn values(input: &str) -> Read<'_, ()> {
    let (input, _) = keywords(&["VALUE", "VALUES"])(input)?;
    let (input, _) = opt(keywords(&["IS", "ARE"])).parse_complete(input)?;
    let range = (literal, opt((keywords(&["THRU", "THROUGH"]), required("a literal", literal))));
    let (input, _) = required("a literal", many1_count(range))(input)?;
    let switch = (keyword("WHEN"), optional("SET"), optional("TO"), keyword("FALSE"), optional("IS"));
    let (input, _) = opt((switch, required("a literal", literal))).parse_complete(input)?;
    Ok((input, ()))
}

/// Skips what follows the name in an entry of level 66.
pub(super) fn renames(input: &str) -> Read<'_, ()> {
    let (input, _) = required("RENAMES", keyword("RENAMES"))(input)?;
    let (input, _) = required("the name of an item", qualified)(input)?;
    let through = (keywords(&["THRU", "THROUGH"]), required("the name of an item", qualified));
    let (input, _) = opt(through).parse_complete(input)?;
    Ok((input, ()))
}
