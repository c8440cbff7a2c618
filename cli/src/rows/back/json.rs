//! Reads rows of JSON lines: an object on each line. Numbers are kept as text, so that none is rounded.

use crate::ending::Ending;
use crate::files::input::fill;
use crate::rows::back::cells::{Cells, RowPlace, Target};
use crate::rows::back::nested;
use crate::rows::back::object::{Key, Object, parse};
use crate::rows::back::reader::RowReader;
use crate::rows::back::trouble::{Ended, Trouble, shorten};
use charpipe::Error;
use serde_json::value::RawValue;
use std::io::BufRead;
use std::ops::Range;

/// The longest line, in bytes.
const MAX_LINE: usize = 16 << 20;

pub(super) struct JsonReader {
    line: Vec<u8>,
    /// The records of the line that were not read yet, the next one last: places in it. Without `--nest` there is one.
    records: Vec<Range<usize>>,
    /// Where the line begins.
    begin: RowPlace,
    /// A place in the line, and the number of the character there, from which the next one is counted.
    counted: (usize, u64),
    lines: u64,
    rows: u64,
    offset: u64,
}

impl JsonReader {
    pub(super) fn new() -> Self {
        JsonReader {
            line: Vec::new(),
            records: Vec::new(),
            begin: RowPlace::default(),
            counted: (0, 1),
            lines: 0,
            rows: 0,
            offset: 0,
        }
    }

    /// Reads a line, without its end. Returns where it is, or `None` at the end of the input.
    fn line(
        &mut self,
        input: &mut dyn BufRead,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<Option<RowPlace>, Ending<Trouble>> {
        self.line.clear();
        let place = RowPlace { row: self.rows + 1, line: self.lines + 1, column: 1, offset: self.offset };
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
        if self.records.is_empty() && !self.next_line(input, cells, blocks)? {
            return Ok(false);
        }
        let Some(range) = self.records.pop() else { return Ok(false) };
        self.rows += 1;
        let shift = self.shift(&range);
        let column = self.column(shift);
        let place = RowPlace { row: self.rows, column, offset: self.begin.offset + shift as u64, ..self.begin };
        cells.begin(place);
        let bad = |what: String| Trouble::malformed(place, what);
        let text = std::str::from_utf8(&self.line[range]).map_err(|_| bad("it is not valid UTF-8".into()))?;
        let object: Object<'_> = parse(text).map_err(bad)?;
        put_object(&object, &mut String::new(), cells).map_err(bad)?;
        Ok(true)
    }
}

impl JsonReader {
    /// Reads the next line that is not empty, and finds its records. Returns `false` at the end of the input.
    fn next_line(
        &mut self,
        input: &mut dyn BufRead,
        cells: &Cells<'_>,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<bool, Ending<Trouble>> {
        let place = loop {
            let Some(place) = self.line(input, blocks)? else { return Ok(false) };
            if !self.line.trim_ascii().is_empty() {
                break place;
            }
        };
        (self.begin, self.counted) = (place, (0, 1));
        let bad = |what: String| Trouble::malformed(place, what);
        let text = std::str::from_utf8(&self.line).map_err(|_| bad("it is not valid UTF-8".into()))?;
        let text = if place.line == 1 { text.trim_start_matches('\u{FEFF}') } else { text };
        if !text.trim_start().starts_with('{') {
            return Err(bad(format!("found {}; expected an object of JSON", shorten(text.trim()))));
        }
        let begin = self.line.len() - text.len();
        match cells.lists() {
            [] => self.records.push(begin..self.line.len()),
            lists => self.records = nested::records(text, begin, lists).map_err(|what| Trouble(place, what))?,
        }
        Ok(true)
    }

    /// Returns the number of the character at a place in the line. The places ascend, so a long line is counted once.
    fn column(&mut self, at: usize) -> u64 {
        let (from, column) = if self.counted.0 <= at { self.counted } else { (0, 1) };
        let is_first = |byte: &&u8| **byte & 0xC0 != 0x80;
        self.counted = (at, column + self.line[from..at].iter().filter(is_first).count() as u64);
        self.counted.1
    }

    /// Returns how far the place of a record is from that of its line. The first one is the line.
    fn shift(&self, record: &Range<usize>) -> usize {
        if record.end == self.line.len() { 0 } else { record.start }
    }
}

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
    if text.starts_with('[') && cells.lists().contains(path) {
        // The children are separate rows.
        return Ok(());
    }
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
