//! Reads rows of JSON lines: an object on each line. Numbers are taken as they are written, so that none is rounded.

use crate::ending::Ending;
use crate::files::input::fill;
use crate::rows::back::cells::{Cells, RowPlace, Target};
use crate::rows::back::reader::RowReader;
use crate::rows::back::trouble::{Ended, Trouble, shorten};
use charpipe::Error;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

/// The longest line, in bytes.
const MAX_LINE: usize = 16 << 20;

pub(super) struct JsonReader {
    line: Vec<u8>,
    lines: u64,
    rows: u64,
    offset: u64,
}

impl JsonReader {
    pub(super) fn new() -> Self {
        JsonReader { line: Vec::new(), lines: 0, rows: 0, offset: 0 }
    }

    /// Reads a line, without its end. Returns where it is, or `None` at the end of the input.
    fn line(
        &mut self,
        input: &mut dyn BufRead,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<Option<RowPlace>, Ending<Trouble>> {
        self.line.clear();
        let place = RowPlace { row: self.rows + 1, line: self.lines + 1, offset: self.offset };
        loop {
            let src = fill(input).map_err(|error| Ending::NotRead(Error::read(self.offset, error)))?;
            if src.is_empty() {
                break;
            }
            let end = src.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(src.len(), |end| end + 1);
            self.line.extend_from_slice(&src[..end.unwrap_or(taken)]);
            input.consume(taken);
            self.offset += taken as u64;
            if self.line.len() > MAX_LINE {
                return Err(Trouble::malformed(place, format!("it is longer than {MAX_LINE} bytes")));
            }
            if end.is_some() {
                break;
            }
            blocks()?;
        }
        self.lines += 1;
        Ok((self.offset > place.offset).then_some(place))
    }
}

impl RowReader for JsonReader {
    fn read(
        &mut self,
        input: &mut dyn BufRead,
        cells: &mut Cells<'_>,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<bool, Ending<Trouble>> {
        let place = loop {
            let Some(place) = self.line(input, blocks)? else { return Ok(false) };
            if !self.line.trim_ascii().is_empty() {
                break place;
            }
        };
        self.rows += 1;
        cells.begin(place);
        let bad = |what: String| Trouble::malformed(place, what);
        let text = std::str::from_utf8(&self.line).map_err(|_| bad("it is not valid UTF-8".into()))?;
        let text = if place.line == 1 { text.trim_start_matches('\u{FEFF}') } else { text };
        if !text.trim_start().starts_with('{') {
            return Err(bad(format!("found {}; expected an object of JSON", shorten(text.trim()))));
        }
        let object: Object<'_> = serde_json::from_str(text).map_err(|error| bad(not_json(&error)))?;
        put_object(&object, &mut String::new(), cells).map_err(bad)?;
        Ok(true)
    }
}

fn not_json(error: &serde_json::Error) -> String {
    // Its text ends with the place: the line is always 1, and the column counts bytes.
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("column {}: {what}; expected an object of JSON", error.column())
}

/// The members of an object, in order.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((member.0.0, member.1));
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Sets the values of an object whose path is `path`.
fn put_object(object: &Object<'_>, path: &mut String, cells: &mut Cells<'_>) -> Result<(), String> {
    let len = path.len();
    for (key, value) in &object.0 {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        put(value, path, cells)?;
        path.truncate(len);
    }
    Ok(())
}

fn put(value: &RawValue, path: &mut String, cells: &mut Cells<'_>) -> Result<(), String> {
    let text = value.get();
    let is_null = text == "null";
    let column = match cells.target(path) {
        // Occurrences beyond the largest count have no value either.
        Err(_) if is_null => return Ok(()),
        target => match target? {
            Target::Number => {
                cells.set_number(text);
                return Ok(());
            }
            Target::Ignored => return Ok(()),
            Target::Column(column) => Some(column),
            Target::Group => None,
        },
    };
    let wrong = |expected: &str| Err(format!("field {path}: found {}; expected {expected}", shorten(text)));
    match (text.as_bytes().first(), column) {
        _ if is_null => Ok(()),
        (Some(b'{'), None) => put_object(&parse(text)?, path, cells),
        (Some(b'['), None) => put_array(&parse::<Vec<&RawValue>>(text)?, path, cells),
        (Some(b'"'), Some(column)) => cells.set(column, &parse::<Key<'_>>(text)?.0),
        (Some(b'-' | b'0'..=b'9'), Some(column)) => cells.set(column, text),
        (_, Some(_)) => wrong("text or a number"),
        (_, None) => wrong("an object or an array"),
    }
}

fn put_array(elements: &[&RawValue], path: &mut String, cells: &mut Cells<'_>) -> Result<(), String> {
    let len = path.len();
    for (index, element) in elements.iter().enumerate() {
        path.push_str(&format!("[{}]", index + 1));
        put(element, path, cells)?;
        path.truncate(len);
    }
    Ok(())
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| not_json(&error))
}
