//! Handles the text between record entries in real files: embedded SQL, file descriptions, and the divisions and
//! sections of a whole program. Also finds the records of a file, and chooses one of them.
//!
//! ```text
//! skipped = "EXEC" … "END-EXEC" ["."]
//!         | ("FD" | "SD" | "RD" | "CD") … "."
//!         | ("ID" | "IDENTIFICATION" | "ENVIRONMENT") "DIVISION" … up to "DATA" "DIVISION" "."
//!         | "CONFIGURATION" "SECTION" "." | ("SOURCE-COMPUTER" | "OBJECT-COMPUTER" | "SPECIAL-NAMES") "." [sentence "."]
//!         | ("FILE" | "WORKING-STORAGE" | "LOCAL-STORAGE" | "LINKAGE") "SECTION" "."
//!         | ("REPORT" | "SCREEN" | "COMMUNICATION") "SECTION" … up to the next section
//!         | "PROCEDURE" "DIVISION" … to the end
//! ```

use super::lexical::{BadText, gap, shortened, word};
use super::tokens::{Token, Tokens, after_sentence};
use super::words::{is_blank, is_one_of};

/// The text that was skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Skipped {
    /// Something that says nothing about the storage of the entries after it.
    Nothing,
    /// The description of a file: the records after it are those of the file, and share their place.
    File,
    /// The beginning of a section in which each record has its own place.
    Storage,
}

/// Skips what is not an entry at the beginning of `text`. Returns `None` if there is nothing to skip.
pub(super) fn skip(text: &str) -> Result<Option<(&str, Skipped)>, BadText<'_>> {
    let Ok((after, first)) = word(text) else { return Ok(None) };
    let second = word(after).map_or("", |(_, second)| second);
    let is_followed_by = |wanted: &str| second.eq_ignore_ascii_case(wanted);
    Ok(match first.to_ascii_uppercase().as_str() {
        "EXEC" | "EXECUTE" => Some((after_exec(text)?, Skipped::Nothing)),
        "FD" | "SD" | "RD" | "CD" => Some((after_sentence(after), Skipped::File)),
        "CBL" | "PROCESS" => Some((to_data_division(text)?, Skipped::Nothing)),
        "ID" | "IDENTIFICATION" | "ENVIRONMENT" if is_followed_by("DIVISION") => {
            Some((to_data_division(text)?, Skipped::Nothing))
        }
        "CONFIGURATION" if is_followed_by("SECTION") => Some((after_sentence(after), Skipped::Nothing)),
        "SOURCE-COMPUTER" | "OBJECT-COMPUTER" | "SPECIAL-NAMES" => Some((after_paragraph(after), Skipped::Nothing)),
        "DATA" if is_followed_by("DIVISION") => Some((after_sentence(after), Skipped::Nothing)),
        "PROCEDURE" if is_followed_by("DIVISION") => Some(("", Skipped::Nothing)),
        "FILE" if is_followed_by("SECTION") => Some((after_sentence(after), Skipped::File)),
        "WORKING-STORAGE" | "LOCAL-STORAGE" | "LINKAGE" if is_followed_by("SECTION") => {
            Some((after_sentence(after), Skipped::Storage))
        }
        "REPORT" | "SCREEN" | "COMMUNICATION" if is_followed_by("SECTION") => {
            Some((to_next_section(after), Skipped::Nothing))
        }
        _ => None,
    })
}

/// Returns the text after a paragraph of the configuration section: its name, and at most one sentence.
fn after_paragraph(after_name: &str) -> &str {
    let rest = after_sentence(after_name);
    let is_sentence = word(rest).is_ok_and(|(_, first)| first.starts_with(char::is_alphabetic) && !is_division(rest));
    if is_sentence { after_sentence(rest) } else { rest }
}

fn is_division(text: &str) -> bool {
    word(text).and_then(|(rest, _)| word(rest)).is_ok_and(|(_, second)| is_one_of(second, &["DIVISION", "SECTION"]))
}

/// Returns the text after `END-EXEC` and its period.
fn after_exec(text: &str) -> Result<&str, BadText<'_>> {
    let is_end = |(token, place): &(Token, std::ops::Range<usize>)| {
        *token == Token::Word && text[place.clone()].eq_ignore_ascii_case("END-EXEC")
    };
    let Some((_, end)) = Tokens::of(text).find(is_end) else {
        return Err(BadText::message(text, "found EXEC without END-EXEC"));
    };
    let rest = skip_gap(&text[end.end..]);
    Ok(rest.strip_prefix('.').map_or(rest, skip_gap))
}

/// Returns the text from the data division on, or from the procedure division on if there is no other. Comments before
/// that can have any quotes and periods, so that only its words are looked at.
pub(super) fn to_data_division(text: &str) -> Result<&str, BadText<'_>> {
    let mut before = ("", 0);
    for found in text.split(is_blank).filter(|found| !found.is_empty()) {
        let at = found.as_ptr() as usize - text.as_ptr() as usize;
        let is_division = is_one_of(found.trim_end_matches('.'), &["DIVISION"]);
        if is_division && is_one_of(before.0, &["DATA", "PROCEDURE"]) {
            return Ok(&text[before.1..]);
        }
        before = (found, at);
    }
    Err(BadText::message(text, "the program has no DATA DIVISION, which describes its records"))
}

/// Returns the text from the next section of the data division on, or from the procedure division on.
fn to_next_section(text: &str) -> &str {
    const SECTIONS: &[&str] = &["FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE", "REPORT", "SCREEN"];
    let mut rest = after_sentence(text);
    while let Ok((after, first)) = word(rest) {
        let second = word(after).map_or("", |(_, second)| second);
        let is_section = is_one_of(first, SECTIONS) && is_one_of(second, &["SECTION"]);
        if is_section || is_one_of(first, &["PROCEDURE"]) && is_one_of(second, &["DIVISION"]) {
            return rest;
        }
        rest = after_sentence(after);
    }
    ""
}

fn skip_gap(text: &str) -> &str {
    gap(text).map_or(text, |(rest, ())| rest)
}

// --- The records of a file
// --------------------------------------------------------------------------------------------

/// A record: an entry of level 01 or 77.
struct Record<'a> {
    /// The text from its entry on.
    rest: &'a str,
    name: Option<&'a str>,
    /// Records with the same number share their place.
    area: usize,
    /// The length of the text after it.
    end: usize,
}

/// Returns the part of a text that describes the wanted records: the text from its beginning on, and the length of what
/// follows it. Without a name it is the whole text, whose records must share their place.
pub(super) fn wanted<'a>(text: &'a str, name: Option<&str>) -> Result<(&'a str, usize), BadText<'a>> {
    let text = skip_gap(text);
    let records = records(text)?;
    let Some(name) = name else {
        return match records.iter().find(|record| record.area != records[0].area) {
            None => Ok((text, 0)),
            Some(other) => Err(BadText::message(
                other.rest,
                format!(
                    "found a second record, which does not share its place with the first one: choose one of them by \
                     its name (record-name): {}",
                    names(&records)
                ),
            )),
        };
    };
    match records.iter().find(|record| record.name.is_some_and(|own| own.eq_ignore_ascii_case(name))) {
        Some(record) => Ok((record.rest, record.end)),
        None if records.is_empty() => {
            Err(BadText::message(text, format!("there is no level 01 named {name}, and no other level 01")))
        }
        None => {
            let what = format!("there is no level 01 named {name}: expected one of {}", names(&records));
            Err(BadText::message(text, what))
        }
    }
}

/// Lists the names of records, for a message.
fn names(records: &[Record<'_>]) -> String {
    const MOST: usize = 30;
    let mut names: Vec<String> = records.iter().filter_map(|record| record.name).map(shortened).take(MOST).collect();
    if records.len() > MOST {
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// Finds the records of a text by the beginnings of its sentences, which may have mistakes.
fn records(text: &str) -> Result<Vec<Record<'_>>, BadText<'_>> {
    let mut records: Vec<Record<'_>> = Vec::new();
    let (mut rest, mut area, mut is_shared) = (text, 0, true);
    while !rest.is_empty() {
        let skipped = skip(rest)?;
        let top = if skipped.is_none() { top(rest) } else { None };
        let begins = top.is_some() || matches!(skipped, Some((_, Skipped::File | Skipped::Storage)));
        if let Some(last) = records.last_mut().filter(|last| begins && last.end == 0) {
            last.end = rest.len();
        }
        area += usize::from(begins && (top.is_none() || !is_shared));
        if let Some(name) = top {
            let target = redefined(rest, &records);
            records.push(Record { rest, name, area: target.unwrap_or(area), end: 0 });
        }
        rest = match skipped {
            Some((after, what)) => {
                is_shared = if what == Skipped::Nothing { is_shared } else { what == Skipped::File };
                after
            }
            None => after_sentence(rest),
        };
    }
    Ok(records)
}

/// Returns the number of the place of the record that the record at `text` redefines, if it does.
fn redefined(text: &str, records: &[Record<'_>]) -> Option<usize> {
    let (rest, _level) = word(text).ok()?;
    let (rest, _name) = word(rest).ok()?;
    let (rest, clause) = word(rest).ok()?;
    let (_, target) = word(rest).ok().filter(|_| is_one_of(clause, &["REDEFINES"]))?;
    let is_it = |record: &&Record<'_>| record.name.is_some_and(|name| name.eq_ignore_ascii_case(target));
    records.iter().rfind(is_it).map(|record| record.area)
}

/// Returns the name of the record that begins at `text`, if one does.
fn top(text: &str) -> Option<Option<&str>> {
    let (rest, level) = word(text).ok()?;
    let is_top = level.len() <= 2 && matches!(level.parse(), Ok(1 | 77));
    let (after, name) = word(rest).unwrap_or((rest, ""));
    let is_constant = word(after).is_ok_and(|(_, next)| next.eq_ignore_ascii_case("CONSTANT"));
    let is_name = name.contains(char::is_alphabetic) && !super::words::begins_clause(name);
    (is_top && !is_constant).then_some(Some(name).filter(|_| is_name))
}
