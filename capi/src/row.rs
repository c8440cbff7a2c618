//! A row as a line of CSV or JSON, as `charpipe rows` writes it.

use charpipe::Hex;
use charpipe::fields::{Column, FieldError, Value, Visitor};
use charpipe::rows::{AddedColumn, BatchRecord, Rows};
use std::fmt::Display;
use std::io::Write as _;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Csv,
    Jsonl,
}

/// What all rows of an input share.
pub(crate) struct Plan {
    pub(crate) format: Format,
    /// Whether text in CSV that a spreadsheet would run as a formula gets an apostrophe.
    pub(crate) quotes_formulas: bool,
    /// Whether empty text in CSV is `""`, so that it differs from a missing value.
    pub(crate) quotes_empty: bool,
    columns: Vec<Column>,
    added: Vec<AddedColumn>,
    /// For each column with a field of the parent, its name.
    parent_keys: Vec<String>,
    /// For each item: its key and a colon, as JSON has them; and whether it is an array.
    items: Vec<(Vec<u8>, bool)>,
}

impl Plan {
    /// With the default of every setting but the format.
    pub(crate) fn new(rows: &Rows, columns: Vec<Column>, format: Format) -> Self {
        let key = |item| {
            let mut key = Vec::new();
            push_json(&mut key, &rows.key(item).unwrap_or_default());
            key.push(b':');
            key
        };
        let items = rows.layout().items().iter().enumerate();
        Plan {
            format,
            quotes_formulas: false,
            quotes_empty: false,
            columns,
            added: rows.added().to_vec(),
            parent_keys: rows.key_columns().iter().map(|column| column.name().to_owned()).collect(),
            items: items.map(|(index, item)| (key(index), item.occurs.is_some())).collect(),
        }
    }

    /// Returns the columns that are not fields, before or after these.
    fn added(&self, before: bool) -> impl Iterator<Item = AddedColumn> {
        self.added.iter().copied().filter(move |one| one.is_before_fields() == before)
    }

    /// Returns the first line of CSV; nothing for JSON.
    pub(crate) fn header(&self) -> Vec<u8> {
        let mut header = Vec::new();
        if self.format == Format::Csv {
            let [before, after] = [true, false].map(|before| self.added(before).map(|one| -> &str { one.column() }));
            let keys = self.parent_keys.iter().map(|name| &**name);
            let fields = self.columns.iter().map(|column| &*column.path);
            for name in before.chain(keys).chain(fields).chain(after) {
                push_csv(&mut header, name);
                header.push(b',');
            }
            end_line(&mut header, 0, false);
        }
        header
    }
}

/// Ends a line of CSV. An empty line is no row, so it becomes `""`, unless `is_empty_kept`. PostgreSQL reads a line `\.` as
/// the end of the rows, so it is quoted.
fn end_line(text: &mut Vec<u8>, begin: usize, is_empty_kept: bool) {
    if text.len() > begin {
        // The comma after the last cell.
        text.pop();
    }
    match &text[begin..] {
        b"" if !is_empty_kept => text.extend_from_slice(b"\"\""),
        b"\\." => text.splice(begin.., *b"\"\\.\"").for_each(drop),
        _ => {}
    }
    text.push(b'\n');
}

/// A row while it receives the values of a record.
pub(crate) struct Row<'a> {
    plan: &'a Plan,
    record: BatchRecord<'a>,
    /// The name of the record's type, if it has one.
    record_type: Option<&'a str>,
    /// The rows so far, and this one from `begin` on.
    text: &'a mut Vec<u8>,
    begin: usize,
    /// How many columns of CSV were written.
    column: usize,
    errors: Vec<FieldError>,
}

impl<'a> Row<'a> {
    pub(crate) fn begin(
        plan: &'a Plan,
        record: BatchRecord<'a>,
        record_type: Option<&'a str>,
        text: &'a mut Vec<u8>,
    ) -> Self {
        let begin = text.len();
        let mut row = Row { plan, record, record_type, text, begin, column: 0, errors: Vec::new() };
        row.put_beginning();
        row
    }

    /// Writes what precedes the fields.
    fn put_beginning(&mut self) {
        if self.plan.format == Format::Jsonl {
            self.text.push(b'{');
        }
        for column in self.plan.added(true) {
            self.put_name(column.column());
            match column {
                AddedColumn::Number => self.put_display(self.record.number),
                AddedColumn::Offset => self.put_display(self.record.offset),
                AddedColumn::Parent if let Some(number) = self.record.parent.number() => self.put_display(number),
                AddedColumn::Type if let Some(name) = self.record_type => self.put_text(name),
                _ => self.put_null(),
            }
            self.text.push(b',');
        }
        for (index, name) in self.plan.parent_keys.iter().enumerate() {
            self.put_name(name);
            self.put(self.record.key(index));
            self.text.push(b',');
        }
    }

    /// Makes this the row of a record that could not be read: it has no values.
    pub(crate) fn end_unreadable(mut self, error: FieldError) {
        self.text.truncate(self.begin);
        self.column = 0;
        self.errors = vec![error];
        self.put_beginning();
        self.end();
    }

    /// Removes the row.
    pub(crate) fn abandon(self) {
        self.text.truncate(self.begin);
    }

    pub(crate) fn end(mut self) {
        if self.plan.format == Format::Csv {
            self.skip_to(self.plan.columns.len());
        }
        for column in self.plan.added(false) {
            self.put_name(column.column());
            match column {
                AddedColumn::Record => self.put_bytes(self.record.data),
                AddedColumn::Errors if !self.errors.is_empty() => self.put_errors(),
                _ => self.put_null(),
            }
            self.text.push(b',');
        }
        match self.plan.format {
            Format::Csv => end_line(self.text, self.begin, self.plan.quotes_empty),
            Format::Jsonl => {
                self.end_list(b'}');
                self.text.push(b'\n');
            }
        }
    }

    /// Writes the errors of the row as an array of JSON.
    fn put_errors(&mut self) {
        let mut array = Vec::new();
        for error in &self.errors {
            array.extend_from_slice(if array.is_empty() { b"[{\"field\":" } else { b",{\"field\":" });
            match error.path() {
                "" => array.extend_from_slice(b"null"),
                path => push_json(&mut array, path),
            }
            _ = write!(array, ",\"code\":\"{}\",\"message\":", error.code());
            push_json(&mut array, &error.message());
            _ = write!(array, ",\"bytes\":\"{:X}\"}}", Hex(error.bytes()));
        }
        array.push(b']');
        match self.plan.format {
            Format::Csv => push_csv(self.text, &String::from_utf8_lossy(&array)),
            Format::Jsonl => self.text.extend_from_slice(&array),
        }
    }

    fn put_name(&mut self, name: &str) {
        if self.plan.format == Format::Jsonl {
            push_json(self.text, name);
            self.text.push(b':');
        }
    }

    /// Leaves the columns of CSV empty up to this one.
    fn skip_to(&mut self, column: usize) {
        if column > self.column {
            self.text.resize(self.text.len() + column - self.column, b',');
            self.column = column;
        }
    }

    fn put(&mut self, value: Value<'_>) {
        match value {
            Value::Number(_) => self.put_display(value),
            Value::Text(text) => self.put_text(text),
            Value::Raw(bytes) => self.put_bytes(bytes),
            Value::Single(number) if number.is_finite() => self.put_display(value),
            Value::Double(number) if number.is_finite() => self.put_display(value),
            Value::Single(number) => self.put_non_finite(number.into()),
            Value::Double(number) => self.put_non_finite(number),
            Value::Date(_) | Value::Timestamp(_) => self.put_word(value),
            _ => self.put_null(),
        }
    }

    fn put_display(&mut self, value: impl Display) {
        _ = write!(self.text, "{value}");
    }

    /// Writes text in which no character needs to be quoted.
    fn put_word(&mut self, word: impl Display) {
        let quote = if self.plan.format == Format::Jsonl { "\"" } else { "" };
        _ = write!(self.text, "{quote}{word}{quote}");
    }

    /// Writes bytes in hex.
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.put_word(format_args!("{:X}", Hex(bytes)));
    }

    /// Writes infinity, or what is not a number. JSON has no numbers for these.
    fn put_non_finite(&mut self, number: f64) {
        self.put_word(match number {
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => "NaN",
        });
    }

    fn put_null(&mut self) {
        if self.plan.format == Format::Jsonl {
            self.text.extend_from_slice(b"null");
        }
    }

    fn put_text(&mut self, text: &str) {
        match self.plan.format {
            Format::Csv if self.plan.quotes_formulas && is_formula(text) => push_csv(self.text, &format!("'{text}")),
            Format::Csv if text.is_empty() && self.plan.quotes_empty => self.text.extend_from_slice(b"\"\""),
            Format::Csv => push_csv(self.text, text),
            Format::Jsonl => push_json(self.text, text),
        }
    }

    /// Opens an object or an array of JSON. An element of an array has no key.
    fn open(&mut self, item: Option<usize>, bracket: u8) {
        if self.plan.format == Format::Jsonl {
            if let Some(item) = item {
                self.text.extend_from_slice(&self.plan.items[item].0);
            }
            self.text.push(bracket);
        }
    }

    fn close(&mut self, bracket: u8) {
        if self.plan.format == Format::Jsonl {
            self.end_list(bracket);
            self.text.push(b',');
        }
    }

    /// Writes a closing bracket of JSON, in place of the comma after the last value.
    fn end_list(&mut self, bracket: u8) {
        if self.text.last() == Some(&b',') {
            self.text.pop();
        }
        self.text.push(bracket);
    }
}

impl Visitor for Row<'_> {
    type Error = FieldError;

    fn value(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        let (key, is_array) = &self.plan.items[item];
        match self.plan.format {
            Format::Csv => {
                self.skip_to(column);
                self.column = column + 1;
            }
            Format::Jsonl if *is_array => {}
            Format::Jsonl => self.text.extend_from_slice(key),
        }
        self.put(value);
        self.text.push(b',');
        Ok(())
    }

    fn bad(&mut self, _: usize, _: usize, error: FieldError) -> Result<(), FieldError> {
        self.errors.push(error);
        Ok(())
    }

    fn begin_group(&mut self, item: usize) -> Result<(), FieldError> {
        self.open(Some(item), b'{');
        Ok(())
    }

    fn end_group(&mut self, _: usize) -> Result<(), FieldError> {
        self.close(b'}');
        Ok(())
    }

    fn begin_array(&mut self, item: usize, _: usize) -> Result<(), FieldError> {
        self.open(Some(item), b'[');
        Ok(())
    }

    fn end_array(&mut self, _: usize) -> Result<(), FieldError> {
        self.close(b']');
        Ok(())
    }

    fn begin_element(&mut self, _: usize) -> Result<(), FieldError> {
        self.open(None, b'{');
        Ok(())
    }

    fn end_element(&mut self, _: usize) -> Result<(), FieldError> {
        self.close(b'}');
        Ok(())
    }
}

/// Appends `text` as a string of JSON (RFC 8259 §7).
fn push_json(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte if byte < b' ' => _ = write!(out, "\\u{byte:04x}"),
            byte => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Appends `text` as a field of CSV (RFC 4180 §2).
fn push_csv(out: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Returns whether a spreadsheet would run the text as a formula.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
}
