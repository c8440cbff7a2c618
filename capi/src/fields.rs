//! The fields of a record by a layout, as JSON.

use crate::failure::{Failure, bad_field, wrong};
use crate::options::parse_for_record;
use charpipe::fields::{FieldError, Item, OnBad, Problem, Visitor};
use charpipe::records::Shape;
use charpipe::rows::Rows;
use serde_json::{Value, json};
use std::ops::Range;

/// The most fields in a result, and the most bytes of their values. A short layout can describe millions of fields.
const MAX_FIELDS: usize = 10_000;
const MAX_TEXT: usize = 16 << 20;

/// Returns the fields of the record: `{"codec", "record", "lengths", "length", "type", "fields", "cut", "error"}`, or
/// only `{"error"}` if the layout or an option is invalid.
pub(crate) fn fields(options: &str, layout: &[u8], record: &[u8]) -> Value {
    read(options, layout, record).unwrap_or_else(|error| json!({ "error": error }))
}

fn read(options: &str, layout: &[u8], record: &[u8]) -> Result<Value, Value> {
    let job = parse_for_record(options).map_err(|failure| failure.json())?;
    job.validate().map_err(|error| Failure::from(error).json())?;
    let layout = job.layout(layout).map_err(wrong)?;
    // A bad field has a separate error, and the others are read all the same.
    let rows = job.clone().on_bad(OnBad::Report).rows(&layout).map_err(wrong)?;
    let mut reader = rows.reader(&rows.fixed_shape().unwrap_or(Shape::RDW));
    let mut seen = Seen::new(&rows);
    let (length, is_cut, error) = match reader.read(0, record, &mut seen) {
        Ok(row) => (Some(row.len), false, None),
        Err(Stop::Full) => (None, true, None),
        Err(Stop::Bad(error)) => (described(&error), false, Some(error)),
    };
    // It is also what the record is refused for, unless bad fields are null.
    let error = seen.first_bad.filter(|_| job.is_bad_error()).or(error);
    Ok(json!({
        "codec": rows.codec().name(),
        "record": layout.name(),
        "lengths": [layout.min_len(), layout.max_len()],
        "length": length,
        "type": reader.record_type(record).map(|item| layout.path(item)),
        "fields": seen.fields,
        "cut": is_cut,
        "error": error.as_ref().map(bad_field),
    }))
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
    rows: &'a Rows,
    /// The occurrences of the arrays that the reader is in, from 1.
    at: Vec<usize>,
    fields: Vec<Value>,
    /// The error of the first bad field.
    first_bad: Option<FieldError>,
    /// How many bytes the names, pictures and values have.
    text_len: usize,
}

impl<'a> Seen<'a> {
    fn new(rows: &'a Rows) -> Self {
        Seen { rows, at: Vec::new(), fields: Vec::new(), text_len: 0, first_bad: None }
    }

    /// Returns the name of a field, as the result has it.
    fn shown(&self, path: String) -> String {
        if self.rows.underscores() { path.replace('-', "_") } else { path }
    }
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
        let Item { kind, occurs, picture, .. } = &self.rows.layout().items()[index];
        if occurs.is_some() {
            self.begin_element(index)?;
        }
        let at: Vec<usize> = self.at.iter().map(|occurrence| occurrence - 1).collect();
        let name = self.shown(self.rows.layout().path_at(index, &at));
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
        // It is the last field, except for a count, which is checked when its array begins.
        let name = self.shown(error.path().to_owned());
        if let Some(field) = self.fields.iter_mut().rev().find(|field| field["name"] == *name) {
            field["error"] = json!({ "code": error.code(), "message": error.message() });
        }
        self.first_bad.get_or_insert(error);
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
