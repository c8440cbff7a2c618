//! The fields of a record by a layout, as JSON.

use crate::failure::Failure;
use crate::options::pairs;
use charpipe::fields::{BadLayout, Copybook, FieldError, Item, Layout, OnBad, Problem, ReadOptions, Visitor};
use charpipe::{Hex, OnOverlong, Registry};
use serde_json::{Value, json};
use std::fmt::Display;
use std::ops::Range;

/// The page of records if none was named: that of the command.
const DEFAULT_PAGE: &str = "IBM037";

/// The most fields in a result, and the most bytes of their values. A short layout can describe millions of fields.
const MAX_FIELDS: usize = 10_000;
const MAX_TEXT: usize = 16 << 20;

/// Returns the fields of the record: `{"codec", "record", "lengths", "length", "type", "fields", "cut", "error"}`, or
/// only `{"error"}` if the layout or an option is wrong.
pub(crate) fn fields(options: &str, layout: &[u8], record: &[u8]) -> Value {
    read(options, layout, record).unwrap_or_else(|error| json!({ "error": error }))
}

fn read(options: &str, layout: &[u8], record: &[u8]) -> Result<Value, Value> {
    let (mut label, mut copybook, mut rules) = (DEFAULT_PAGE, Copybook::new(), Vec::new());
    let mut overlong = OnOverlong::default();
    for (name, value) in pairs(options) {
        match name {
            "from" => label = value,
            "float" => copybook = copybook.float(value.parse().map_err(|why| bad_option(name, why))?),
            "overlong" => overlong = value.parse().map_err(|why| bad_option(name, why))?,
            "when" => rules.push(value.parse().map_err(|why| bad_option(name, why))?),
            _ => return Err(bad_option(name, "there is no such option")),
        }
    }
    let registry = Registry::builtin();
    let codec = registry.codec(label).map_err(|error| Failure::from(error).json())?;
    let layout = Layout::read(layout, &copybook).map_err(bad_layout)?;
    let apply = |layout: Layout, rule| layout.apply(rule).map_err(|error| bad_option("when", error));
    let layout = rules.iter().try_fold(layout, apply)?;

    let options = ReadOptions::new().on_bad(OnBad::Report).fillers(true).overlong(overlong);
    let mut reader = layout.reader(&registry, &codec, &options).map_err(bad_layout)?;
    let mut seen = Seen { layout: &layout, at: Vec::new(), fields: Vec::new(), text_len: 0 };
    let (length, is_cut, error) = match reader.read(0, record, &mut seen) {
        Ok(row) => (Some(row.len), false, Value::Null),
        Err(Stop::Full) => (None, true, Value::Null),
        Err(Stop::Bad(error)) => (described(&error), false, bad_field(&error)),
    };
    Ok(json!({
        "codec": codec.name(),
        "record": layout.name(),
        "lengths": [layout.min_len(), layout.max_len()],
        "length": length,
        "type": reader.record_type(record).map(|item| layout.path(item)),
        "fields": seen.fields,
        "cut": is_cut,
        "error": error,
    }))
}

fn bad_option(name: &str, why: impl Display) -> Value {
    json!({ "code": "bad-option", "message": format!("option {name}: {why}"), "offset": null })
}

/// The line and the column count from 1. They are null if they are not known.
fn bad_layout(error: BadLayout) -> Value {
    let known = |number: usize| (number > 0).then_some(number);
    let (line, column) = (known(error.line), known(error.column));
    json!({ "code": "bad-layout", "message": error.what, "offset": null, "line": line, "column": column })
}

fn bad_field(error: &FieldError) -> Value {
    json!({
        "code": error.code(),
        "message": error.message(),
        "offset": error.offset(),
        "bytes": format!("{:X}", Hex(error.bytes())),
        "field": Some(error.path()).filter(|path| !path.is_empty()),
    })
}

/// Returns the length that the layout gives a record which is longer than that.
fn described(error: &FieldError) -> Option<usize> {
    match error.problem() {
        Problem::RecordTooLong { described, .. } => Some(*described),
        _ => None,
    }
}

/// Collects the fields.
struct Seen<'a> {
    layout: &'a Layout,
    /// The occurrences of the arrays that the reader is in, from 1.
    at: Vec<usize>,
    fields: Vec<Value>,
    /// How many bytes the names, pictures and values have.
    text_len: usize,
}

/// Why a reader stopped.
enum Stop {
    /// A count or the type of the record is wrong, so that the rest cannot be read.
    Bad(FieldError),
    /// There are as many fields as a result may have.
    Full,
}

impl From<FieldError> for Stop {
    fn from(error: FieldError) -> Self {
        Stop::Bad(error)
    }
}

impl Visitor for Seen<'_> {
    type Error = Stop;

    fn place(&mut self, index: usize, _column: usize, place: Range<usize>) -> Result<(), Stop> {
        if self.fields.len() == MAX_FIELDS || self.text_len > MAX_TEXT {
            return Err(Stop::Full);
        }
        let Item { kind, occurs, picture, .. } = &self.layout.items()[index];
        if occurs.is_some() {
            self.begin_element(index)?;
        }
        let at: Vec<usize> = self.at.iter().map(|occurrence| occurrence - 1).collect();
        let name = self.layout.path_at(index, &at);
        self.text_len += name.len() + picture.len();
        self.fields.push(json!({
            "name": name,
            "offset": place.start,
            "length": place.len(),
            "kind": kind.as_ref().map(ToString::to_string),
            "picture": picture,
            "value": null,
            "error": null,
        }));
        Ok(())
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), Stop> {
        if let Some(field) = self.fields.last_mut() {
            field["error"] = json!({ "code": error.code(), "message": error.message() });
        }
        Ok(())
    }

    fn value(&mut self, _item: usize, _column: usize, value: charpipe::fields::Value<'_>) -> Result<(), Stop> {
        if let (Some(field), false) = (self.fields.last_mut(), value == charpipe::fields::Value::Null) {
            let text = value.to_string();
            self.text_len += text.len();
            field["value"] = text.into();
        }
        Ok(())
    }

    fn begin_array(&mut self, _item: usize, _count: usize) -> Result<(), Stop> {
        self.at.push(0);
        Ok(())
    }

    fn begin_element(&mut self, _item: usize) -> Result<(), Stop> {
        if let Some(occurrence) = self.at.last_mut() {
            *occurrence += 1;
        }
        Ok(())
    }

    fn end_array(&mut self, _item: usize) -> Result<(), Stop> {
        self.at.pop();
        Ok(())
    }
}
