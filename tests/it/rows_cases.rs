//! Runs the jobs with rows of `spec/cases` in the library: record by record, in batches, with several threads, and with
//! input in pieces.

use crate::suite::{RowsCase, rows_cases};
use charpipe::Hex;
use charpipe::fields::{FieldError, Value, Visitor};
use charpipe::rows::{
    AddedColumn, Batch, Counts, Parent, Parents, RowReader, Rows, RowsError, RowsJob, Worker, in_order,
};
use serde_json::json;
use std::io::BufReader;
use std::path::Path;

/// Writes the values of a record as JSON, in the way of `charpipe rows`.
struct Line<'a> {
    rows: &'a Rows,
    text: String,
}

impl Line<'_> {
    fn lead(&mut self, item: usize, has_key: bool) {
        if !self.text.ends_with(['{', '[']) {
            self.text.push(',');
        }
        if has_key {
            self.text += &format!("{}:", quoted(&self.rows.key(item).unwrap()));
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

impl Visitor for Line<'_> {
    type Error = FieldError;

    fn value(&mut self, item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.lead(item, self.rows.layout().items()[item].occurs.is_none());
        self.text += &in_json(value);
        Ok(())
    }

    fn begin_group(&mut self, item: usize) -> Result<(), FieldError> {
        self.lead(item, true);
        self.text.push('{');
        Ok(())
    }

    fn end_group(&mut self, _: usize) -> Result<(), FieldError> {
        self.text.push('}');
        Ok(())
    }

    fn begin_array(&mut self, item: usize, _: usize) -> Result<(), FieldError> {
        self.lead(item, true);
        self.text.push('[');
        Ok(())
    }

    fn end_array(&mut self, _: usize) -> Result<(), FieldError> {
        self.text.push(']');
        Ok(())
    }

    fn begin_element(&mut self, item: usize) -> Result<(), FieldError> {
        self.lead(item, false);
        self.text.push('{');
        Ok(())
    }

    fn end_element(&mut self, _: usize) -> Result<(), FieldError> {
        self.text.push('}');
        Ok(())
    }
}

fn in_json(value: Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Raw(bytes) => format!("\"{:X}\"", Hex(bytes)),
        Value::Text(_) | Value::Date(_) | Value::Timestamp(_) => quoted(&value.to_string()),
        Value::Single(number) if !number.is_finite() => quoted(&non_finite(number.into())),
        Value::Double(number) if !number.is_finite() => quoted(&non_finite(number)),
        value => value.to_string(),
    }
}

fn non_finite(number: f64) -> String {
    match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
    .to_owned()
}

/// What a job gives.
#[derive(Default)]
struct Given {
    shape: String,
    lines: String,
    types: Vec<usize>,
    counts: Counts,
    error: Option<RowsError>,
}

/// A record as the two ways of reading have it.
struct Place<'a> {
    number: u64,
    data: &'a [u8],
    begin: u64,
    parent: Parent,
    key: &'a dyn Fn(usize) -> Value<'a>,
    offset_of: &'a dyn Fn(usize) -> u64,
}

fn read(rows: &Rows, reader: &mut RowReader, place: &Place<'_>, given: &mut Given) {
    let Place { number, data, begin, parent, key, offset_of } = *place;
    let mut line = Line { rows, text: "{".to_owned() };
    let found = reader.record_type(data);
    for column in rows.added() {
        let value = match column {
            AddedColumn::File => "\"-\"".to_owned(),
            AddedColumn::Number => number.to_string(),
            AddedColumn::Offset => begin.to_string(),
            AddedColumn::Type => quoted(found.map_or("", |item| rows.layout().path(item))),
            AddedColumn::Parent => parent.number().map_or("null".to_owned(), |number| number.to_string()),
            other => panic!("{other:?} is new here"),
        };
        let comma = if line.text == "{" { "" } else { "," };
        line.text += &format!("{comma}\"{}\":{value}", column.column());
    }
    for (index, column) in rows.key_columns().iter().enumerate() {
        line.text += &format!(",\"{}\":{}", column.name(), in_json(key(index)));
    }
    let checked = reader.check_parent(number, parent, &mut line);
    match checked.and_then(|()| reader.read(number, data, &mut line)) {
        Ok(row) => {
            given.lines += &format!("{}}}\n", line.text);
            given.types.extend(row.record_type);
        }
        Err(error) => given.error = Some(RowsError::Record { offset: offset_of(error.offset()), error }),
    }
}

fn by_records(rows: &Rows, input: &[u8], capacity: usize) -> Given {
    let mut given = Given::default();
    let opened = rows.open(BufReader::with_capacity(capacity, input));
    let (shape, input) = match opened {
        Ok(opened) => opened,
        Err(error) => return Given { error: Some(error), ..given },
    };
    given.shape = shape.to_string();
    let (mut records, mut reader) = (rows.records(input, &shape), rows.reader(&shape));
    let mut parents = rows.parents();
    while given.error.is_none() {
        match records.next_record() {
            Ok(Some(record)) => {
                let offset_of = |index| record.offset_of(index);
                let (number, data, begin) = (record.number, record.data, record.offset);
                let next = |parents: &mut Parents| parents.next(number, data);
                let parent = parents.as_mut().map(next).unwrap_or_default();
                let keys = parents.as_ref().map(Parents::keys);
                let key = |index| keys.map_or(Value::Null, |keys| keys.value(index));
                let place = Place { number, data, begin, parent, key: &key, offset_of: &offset_of };
                read(rows, &mut reader, &place, &mut given);
            }
            Ok(None) => break,
            Err(error) => given.error = Some(error.into()),
        }
    }
    given.counts = reader.take_counts();
    given
}

struct Hand(Rows, RowReader);

impl Worker for Hand {
    type Done = Given;

    fn work(&mut self, batch: &Batch, first: usize, done: &mut Given) -> Option<usize> {
        *done = Given::default();
        for record in batch.records(first) {
            let offset_of = |index| record.offset_of(index);
            let (number, data, begin, parent) = (record.number, record.data, record.offset, record.parent);
            let key = |index| record.key(index);
            let place = Place { number, data, begin, parent, key: &key, offset_of: &offset_of };
            read(&self.0, &mut self.1, &place, done);
            if done.error.is_some() {
                break;
            }
        }
        done.counts = self.1.take_counts();
        None
    }
}

fn by_batches(rows: &Rows, input: &[u8], capacity: usize, jobs: usize) -> Given {
    let mut given = Given::default();
    let (shape, input) = match rows.open(BufReader::with_capacity(capacity, input)) {
        Ok(opened) => opened,
        Err(error) => return Given { error: Some(error), ..given },
    };
    given.shape = shape.to_string();
    let mut batches = rows.batches(input, &shape);
    let take = &mut |done: &mut Given| -> Result<(), RowsError> {
        given.lines += &done.lines;
        given.types.append(&mut done.types);
        given.counts.add(&done.counts);
        done.error.take().map_or(Ok(()), Err)
    };
    let ended = in_order(&mut batches, jobs, &|| Hand(rows.clone(), rows.reader(&shape)), take);
    given.error = ended.err();
    given
}

fn check(case: &RowsCase, rows: &Rows, given: &Given, how: &str) {
    let what = format!("{}, {how}", case.name);
    assert_eq!(given.lines, case.jsonl, "{what}");
    let Counts { records, nulls, loose_numbers, malformed, cut, controls, newlines, .. } = given.counts;
    let count = |item: &usize| given.types.iter().filter(|one| *one == item).count();
    let types = rows.record_types().iter();
    let types: Vec<_> = types.map(|item| json!({ "type": rows.layout().path(*item), "rows": count(item) })).collect();
    let error = given
        .error
        .as_ref()
        .map(|error| json!({ "code": error.code(), "offset": error.offset(), "message": error.to_string() }));
    let report = json!({
        "shape": given.shape, "records": records, "rows": given.lines.lines().count(), "types": (!types.is_empty()).then_some(types),
        // A caller that sets records aside counts and lists them itself.
        "rejected": { "count": 0, "first": [] },
        "nulls": nulls, "loose_numbers": loose_numbers, "malformed": malformed, "controls": controls, "record_newlines": newlines, "records_cut": cut, "error": error,
    });
    case.check(&what, &report);
}

#[test]
fn every_case() {
    let (cases, left_out) = rows_cases(Path::new(env!("CARGO_MANIFEST_DIR")), "rows.jsonl", "library");
    assert!(left_out.is_empty(), "the library can do everything: {left_out:?}");
    for case in &cases {
        let options = case.options.iter().flat_map(|(name, value)| match &**name {
            "when" => value.lines().map(|rule| (&**name, rule)).collect(),
            _ => vec![(&**name, &**value)],
        });
        let rows = options
            .clone()
            .try_fold(RowsJob::new(), |job, (name, value)| job.set(name, value))
            .map_err(RowsError::from)
            .and_then(|job| job.rows(&job.layout(case.layout.as_bytes())?));
        if let Some(code) = &case.refused {
            assert_eq!(rows.err().unwrap_or_else(|| panic!("{}", case.name)).code(), code, "{}", case.name);
            continue;
        }
        let rows = rows.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        for capacity in [1, 2, 3, 7, 1 << 16] {
            check(case, &rows, &by_records(&rows, &case.input, capacity), &format!("records, pieces of {capacity}"));
            for jobs in [1, 3] {
                let given = by_batches(&rows, &case.input, capacity, jobs);
                check(case, &rows, &given, &format!("batches, pieces of {capacity}, {jobs} jobs"));
            }
        }
    }
    assert!(cases.len() > 100, "{}", cases.len());
}
