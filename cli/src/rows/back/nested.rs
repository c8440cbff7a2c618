//! `--nest`: finds the records in a line of JSON with nested rows, and their order.

use crate::rows::back::object::{Object, parse};
use crate::rows::back::trouble::{BadRow, shorten};
use serde_json::value::RawValue;
use std::ops::Range;

/// A record in a line.
struct Found {
    /// The value of its key `_number`, if it has one.
    number: Option<u64>,
    place: Range<usize>,
}

/// The records of a line, the parent before its children.
struct Line<'a> {
    text: &'a str,
    /// Where it begins in the line that was read.
    begin: usize,
    /// The names of the lists with children.
    lists: &'a [String],
    found: Vec<Found>,
    /// Whether some record has children of several types.
    has_several: bool,
}

/// Returns the places of the records in a line, the last one first. `text` begins at `begin`.
///
/// Their order is that of `_number`. Without it, children follow their parent in the order of their list, which is the
/// only order that they can have if no record has children of several types.
pub(super) fn records(text: &str, begin: usize, lists: &[String]) -> Result<Vec<Range<usize>>, BadRow> {
    let mut line = Line { text, begin, lists, found: Vec::new(), has_several: false };
    line.add(text, 0, None).map_err(BadRow::Malformed)?;
    let Line { mut found, has_several, .. } = line;
    let numbers = found.iter().filter(|one| one.number.is_some()).count();
    if numbers == found.len() {
        found.sort_by_key(|one| one.number);
        if let Some(pair) = found.windows(2).find(|pair| pair[0].number == pair[1].number) {
            let number = pair[0].number.unwrap_or_default();
            return Err(BadRow::Malformed(format!("_number {number} occurs twice; every record has its own")));
        }
    } else if has_several {
        return Err(BadRow::NoOrder);
    }
    Ok(found.into_iter().rev().map(|one| one.place).collect())
}

impl Line<'_> {
    /// Adds the record of an object and its children. `depth`: how many records it is in.
    fn add(&mut self, text: &str, depth: usize, parent: Option<u64>) -> Result<(), String> {
        // A type is in no record of its own type, so there is no need for more.
        if depth >= self.lists.len() {
            return Err(format!("records stand in each other more than {depth} deep; the layout has {depth} types"));
        }
        let object: Object<'_> = parse(text)?;
        let number = object.0.iter().find(|(key, _)| key == "_number");
        let number = number.and_then(|(_, value)| value.get().parse().ok());
        if parent.zip(number).is_some_and(|(parent, number)| number < parent) {
            return Err("a child has a smaller _number than the record that it stands in".into());
        }
        let start = self.begin + (text.as_ptr() as usize - self.text.as_ptr() as usize);
        self.found.push(Found { number, place: start..start + text.len() });
        let is_list =
            |key: &str, value: &RawValue| value.get().starts_with('[') && self.lists.iter().any(|list| list == key);
        let lists: Vec<&RawValue> =
            object.0.iter().filter(|(key, value)| is_list(key, value)).map(|(_, value)| *value).collect();
        let mut used = 0;
        for list in lists {
            let children = parse::<Vec<&RawValue>>(list.get())?;
            used += usize::from(!children.is_empty());
            for child in children {
                match child.get().starts_with('{') {
                    true => self.add(child.get(), depth + 1, number)?,
                    false => return Err(format!("found {}; expected an object of JSON", shorten(child.get()))),
                }
            }
        }
        self.has_several |= used > 1;
        Ok(())
    }
}
