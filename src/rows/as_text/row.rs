//! A row while it is written: the text of a record as CSV or JSON, from the values that the reader delivers.
//!
//! Nothing is allocated for a value: numbers and text are appended to the row.

use super::plan::{Formulas, Origin, RowFormat, RowTable, RowText};
use super::quote::{is_formula, push_csv, push_few, push_json};
use crate::fields::{FieldError, Value, Visitor};
use crate::hex::Hex;
use crate::rows::AddedColumn;
use std::io::Write as _;

/// A row while it receives the values of a record.
pub(super) struct Row<'a> {
    plan: &'a RowText,
    origin: &'a Origin<'a>,
    table: &'a RowTable,
    /// The rows so far, and this one.
    text: &'a mut Vec<u8>,
    /// Where this row begins.
    begin: usize,
    /// The number of columns that were written or skipped.
    column: usize,
    /// The errors of fields that could not be read.
    errors: &'a mut Vec<FieldError>,
}

impl<'a> Row<'a> {
    /// Begins a row at the end of `text`.
    #[inline]
    pub(super) fn begin(
        plan: &'a RowText,
        origin: &'a Origin<'a>,
        text: &'a mut Vec<u8>,
        errors: &'a mut Vec<FieldError>,
    ) -> Self {
        let begin = text.len();
        let mut row = Row { plan, origin, table: origin.table, text, begin, column: 0, errors };
        row.put_beginning();
        row
    }

    /// Writes what precedes the fields.
    #[inline]
    fn put_beginning(&mut self) {
        let Origin { record, table, .. } = *self.origin;
        if self.plan.format == RowFormat::Jsonl {
            self.text.push(b'{');
        }
        let is_inside = self.plan.nest && record.parent.number().is_some();
        for column in table.before.iter().filter(|one| !(is_inside && **one == AddedColumn::Type)) {
            self.put_before(*column);
        }
        for (index, name) in &table.keys {
            self.begin_added(name);
            self.put(record.key(*index));
            self.end_added();
        }
    }

    /// Writes a column that precedes the fields.
    fn put_before(&mut self, column: AddedColumn) {
        let origin = self.origin;
        self.begin_added(column.column());
        match column {
            AddedColumn::File => self.put_text(origin.input),
            AddedColumn::Number => _ = write!(self.text, "{}", origin.record.number),
            AddedColumn::Offset => _ = write!(self.text, "{}", origin.record.offset),
            AddedColumn::Parent => match origin.record.parent.number() {
                Some(number) => _ = write!(self.text, "{number}"),
                None => self.put_null(),
            },
            AddedColumn::Type if origin.is_typed => self.put_text(&origin.table.name),
            _ => self.put_null(),
        }
        self.end_added();
    }

    /// Writes a column that follows the fields.
    fn put_after(&mut self, column: AddedColumn) {
        self.begin_added(column.column());
        match column {
            AddedColumn::Record => self.put_bytes(self.origin.record.data),
            AddedColumn::Errors if !self.errors.is_empty() => self.put_errors(),
            _ => self.put_null(),
        }
        self.end_added();
    }

    fn begin_added(&mut self, name: &str) {
        if self.plan.format == RowFormat::Jsonl {
            push_json(self.text, name);
            self.text.push(b':');
        }
    }

    fn end_added(&mut self) {
        self.text.push(b',');
    }

    /// Writes the errors of the row as an array of JSON.
    #[cold]
    fn put_errors(&mut self) {
        let mut array = vec![b'['];
        for error in self.errors.iter() {
            let separator = if array.len() > 1 { "," } else { "" };
            _ = write!(array, "{separator}{{\"field\":");
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
            RowFormat::Csv => push_csv(self.text, &String::from_utf8_lossy(&array)),
            RowFormat::Jsonl => self.text.extend_from_slice(&array),
        }
    }

    /// Makes this the row of a record that could not be read because of `error`: it has no values.
    #[cold]
    pub(super) fn end_unreadable(mut self, error: FieldError) {
        self.text.truncate(self.begin);
        self.column = 0;
        *self.errors = vec![error];
        self.put_beginning();
        self.end();
    }

    /// Ends the row.
    pub(super) fn end(mut self) {
        let plan = self.plan;
        if plan.format == RowFormat::Csv {
            self.skip_to(plan.columns.len());
        }
        for column in &plan.after {
            self.put_after(*column);
        }
        match plan.format {
            RowFormat::Csv => {
                if self.text.len() > self.begin {
                    // The comma after the last cell.
                    self.text.pop();
                }
                match &self.text[self.begin..] {
                    // An empty line is not a row, unless empty text is told from a missing value.
                    b"" if !plan.quote_empty => self.text.extend_from_slice(b"\"\""),
                    // PostgreSQL would read this line as the end of the rows.
                    b"\\." => self.text.splice(self.begin.., *b"\"\\.\"").for_each(drop),
                    _ => {}
                }
                self.text.push(b'\n');
            }
            RowFormat::Jsonl => {
                self.end_list(b'}');
                self.text.push(b'\n');
            }
        }
    }

    /// Leaves the columns empty from the last one that was written up to `column`.
    #[inline]
    fn skip_to(&mut self, column: usize) {
        if column > self.column {
            self.skip(column);
        }
    }

    fn skip(&mut self, column: usize) {
        let cells = &self.table.cells;
        for _ in cells[self.column]..cells[column] {
            self.text.push(b',');
        }
        self.column = column;
    }

    /// Writes the key of an item in JSON, and the bracket that opens its value.
    fn open(&mut self, item: usize, has_key: bool, bracket: u8) -> Result<(), FieldError> {
        if self.plan.format == RowFormat::Jsonl {
            if has_key {
                push_few(self.text, &self.plan.keys[item]);
            }
            self.text.push(bracket);
        }
        Ok(())
    }

    /// Closes what [`open`](Self::open) has opened.
    fn close(&mut self, bracket: u8) -> Result<(), FieldError> {
        if self.plan.format == RowFormat::Jsonl {
            self.end_list(bracket);
            self.text.push(b',');
        }
        Ok(())
    }

    /// Writes a closing bracket of JSON, in place of the comma after the last value.
    fn end_list(&mut self, bracket: u8) {
        if self.text.last() == Some(&b',') {
            self.text.pop();
        }
        self.text.push(bracket);
    }

    /// Writes what precedes the value of a field.
    #[inline(always)]
    fn begin_value(&mut self, item: usize, column: usize) {
        match self.plan.format {
            RowFormat::Csv => {
                self.skip_to(column);
                self.column = column + 1;
            }
            RowFormat::Jsonl if self.plan.is_array[item] => {}
            RowFormat::Jsonl => push_few(self.text, &self.plan.keys[item]),
        }
    }

    #[inline(always)]
    fn put(&mut self, value: Value<'_>) {
        match value {
            Value::Number(number) => number.push_to_bytes(self.text),
            Value::Text(text) => self.put_text(text),
            other => self.put_other(other),
        }
    }

    fn put_other(&mut self, value: Value<'_>) {
        match value {
            Value::Raw(bytes) => self.put_bytes(bytes),
            Value::Single(number) if number.is_finite() => _ = write!(self.text, "{value}"),
            Value::Double(number) if number.is_finite() => _ = write!(self.text, "{value}"),
            Value::Single(number) => self.put_non_finite(number.into()),
            Value::Double(number) => self.put_non_finite(number),
            Value::Date(date) => self.put_word(format_args!("{date}")),
            Value::Timestamp(timestamp) => self.put_word(format_args!("{timestamp}")),
            _ => self.put_null(),
        }
    }

    fn put_null(&mut self) {
        if self.plan.format == RowFormat::Jsonl {
            self.text.extend_from_slice(b"null");
        }
    }

    /// Writes bytes in hex.
    fn put_bytes(&mut self, bytes: &[u8]) {
        match self.plan.format {
            RowFormat::Csv => Hex(bytes).push_to_bytes(self.text),
            RowFormat::Jsonl => {
                self.text.push(b'"');
                Hex(bytes).push_to_bytes(self.text);
                self.text.push(b'"');
            }
        }
    }

    /// Writes infinity, or what is not a number. JSON has no numbers for these.
    fn put_non_finite(&mut self, number: f64) {
        self.put_word(format_args!(
            "{}",
            match number {
                f64::INFINITY => "Infinity",
                f64::NEG_INFINITY => "-Infinity",
                _ => "NaN",
            }
        ));
    }

    /// Writes text in which no character needs to be quoted.
    fn put_word(&mut self, word: std::fmt::Arguments<'_>) {
        let quote = if self.plan.format == RowFormat::Jsonl { "\"" } else { "" };
        _ = write!(self.text, "{quote}{word}{quote}");
    }

    fn put_text(&mut self, text: &str) {
        match self.plan.format {
            RowFormat::Csv if self.plan.formulas == Formulas::Quote && is_formula(text) => {
                push_csv(self.text, &format!("'{text}"));
            }
            RowFormat::Csv if text.is_empty() && self.plan.quote_empty => self.text.extend_from_slice(b"\"\""),
            RowFormat::Csv => push_csv(self.text, text),
            RowFormat::Jsonl => push_json(self.text, text),
        }
    }
}

impl Visitor for Row<'_> {
    type Error = FieldError;

    #[inline(always)]
    fn value(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        // Numbers are matched first, so that a caller that has a number passes it in registers.
        match value {
            Value::Number(number) => {
                self.begin_value(item, column);
                number.push_to_bytes(self.text);
            }
            other => {
                self.begin_value(item, column);
                self.put(other);
            }
        }
        // Commas are after values, so that nothing has to find out whether a value is the first one.
        self.text.push(b',');
        Ok(())
    }

    fn bad(&mut self, _: usize, _: usize, error: FieldError) -> Result<(), FieldError> {
        self.errors.push(error);
        Ok(())
    }

    fn begin_group(&mut self, item: usize) -> Result<(), FieldError> {
        self.open(item, true, b'{')
    }

    fn end_group(&mut self, _: usize) -> Result<(), FieldError> {
        self.close(b'}')
    }

    fn begin_array(&mut self, item: usize, _: usize) -> Result<(), FieldError> {
        self.open(item, true, b'[')
    }

    fn end_array(&mut self, _: usize) -> Result<(), FieldError> {
        self.close(b']')
    }

    fn begin_element(&mut self, item: usize) -> Result<(), FieldError> {
        self.open(item, false, b'{')
    }

    fn end_element(&mut self, _: usize) -> Result<(), FieldError> {
        self.close(b'}')
    }
}
