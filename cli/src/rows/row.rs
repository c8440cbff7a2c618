//! A row while it is written: the text of a record as CSV or JSON, from the values that the library's reader delivers.
//!
//! Nothing is allocated for a value: numbers and text are appended to the row.

use crate::args::rows::{self as args, Formulas, RowFormat};
use crate::rows::quote::{is_formula, push_csv, push_few, push_json};
use charpipe::Hex;
use charpipe::fields::{Column, FieldError, Value, Visitor};
use charpipe::rows::{AddedColumn, BatchRecord, KeyColumn, Rows};
use std::io::Write as _;

/// The settings that all rows of a run share.
pub(super) struct RowPlan {
    pub(super) format: RowFormat,
    /// How to write text in CSV that a spreadsheet would run as a formula.
    formulas: Formulas,
    /// Whether empty text is written as `""` in CSV.
    quote_empty: bool,
    columns: Vec<Column>,
    /// Whether rows are in others. Those that do need not say their type.
    nest: bool,
    /// Whether the rows of each table go to a separate stream.
    by_type: bool,
    /// The columns after the fields, which are not fields.
    after: Vec<AddedColumn>,
    /// For each item: its key and a colon, as JSON has them.
    keys: Vec<Vec<u8>>,
    /// For each item, whether it is an array.
    is_array: Vec<bool>,
    /// The record types, and what the rows of each have.
    tables: Vec<Table>,
}

/// The rows of one record type; or of all records, if they are written together or if there are no types.
pub(super) struct Table {
    /// The item whose condition holds for the records.
    pub(super) record_type: Option<usize>,
    /// Its name: the path of the item, or of the record as a whole.
    pub(super) name: String,
    /// The columns before the fields, which are not fields.
    before: Vec<AddedColumn>,
    /// The columns after these with fields of the parent, by their index, and their names.
    keys: Vec<(usize, String)>,
    /// For each column, and for the end: how many columns before it the rows have.
    cells: Vec<usize>,
}

impl RowPlan {
    /// `columns`: those of the selected fields.
    pub(super) fn new(job: &Rows, columns: Vec<Column>, args: &args::Rows) -> Self {
        let by_type = args.output_dir.is_some();
        let layout = job.layout();
        let key = |item| json_key(&job.key(item).unwrap_or_default());
        let types = job.record_types();
        let table = |record_type: Option<usize>| {
            let is_other = |one: &usize| by_type && types.contains(one) && Some(*one) != record_type;
            let cells = columns.iter().scan(0, |count, column| {
                *count += usize::from(!column.types.iter().any(is_other));
                Some(*count)
            });
            let name = match record_type {
                Some(item) => layout.path(item).to_owned(),
                None => layout.name().unwrap_or("rows").to_owned(),
            };
            let is_before = |one: &AddedColumn| one.is_before_fields() && job.has_added(*one, record_type);
            let before = job.added().iter().copied().filter(is_before).collect();
            let has_key = |key: &(usize, &KeyColumn)| job.has_key(key.1, record_type);
            let keys = job.key_columns().iter().enumerate().filter(has_key);
            let keys = keys.map(|(index, key)| (index, key.name().to_owned())).collect();
            Table { record_type, name, before, keys, cells: std::iter::once(0).chain(cells).collect() }
        };
        let tables = match types.is_empty() {
            true => vec![table(None)],
            false => types.iter().map(|one| table(Some(*one))).collect(),
        };
        RowPlan {
            format: args.format,
            formulas: args.formulas,
            quote_empty: args.quote_empty,
            by_type,
            nest: args.nest,
            after: job.added().iter().copied().filter(|one| !one.is_before_fields()).collect(),
            keys: (0..layout.items().len()).map(key).collect(),
            is_array: layout.items().iter().map(|item| item.occurs.is_some()).collect(),
            tables,
            columns,
        }
    }

    /// Returns the tables: one for each record type, or one.
    pub(super) fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns how many streams the rows go to.
    pub(super) fn streams(&self) -> usize {
        if self.by_type { self.tables.len() } else { 1 }
    }

    /// Returns the stream that the rows of this table go to.
    pub(super) fn stream(&self, table: usize) -> usize {
        if self.by_type { table } else { 0 }
    }

    /// Whether there are record types.
    pub(super) fn has_types(&self) -> bool {
        self.tables[0].record_type.is_some()
    }

    /// Returns the header of a table in CSV; nothing for JSON.
    pub(super) fn header(&self, table: &Table) -> Vec<u8> {
        let mut header = Vec::new();
        if self.format == RowFormat::Jsonl {
            return header;
        }
        let is_in = |index: &usize| table.cells[*index] < table.cells[index + 1];
        let paths = (0..self.columns.len()).filter(is_in).map(|index| &*self.columns[index].path);
        let [before, after] = [&table.before, &self.after].map(|added| added.iter().map(|one| one.column()));
        let keys = table.keys.iter().map(|(_, name)| &**name);
        for (index, name) in before.chain(keys).chain(paths).chain(after).enumerate() {
            if index > 0 {
                header.push(b',');
            }
            push_csv(&mut header, name);
        }
        if header.is_empty() {
            // There are no columns, and an empty line is not a header.
            header.extend_from_slice(b"\"\"");
        }
        header.push(b'\n');
        header
    }
}

/// Returns a key and a colon, as JSON has them.
fn json_key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    push_json(&mut key, name);
    key.push(b':');
    key
}

/// A row while it receives the values of a record.
pub(super) struct Row<'a> {
    plan: &'a RowPlan,
    table: &'a Table,
    record: BatchRecord<'a>,
    /// The rows so far, and this one.
    text: &'a mut Vec<u8>,
    /// Where this row begins.
    begin: usize,
    /// The number of columns that were written or skipped.
    column: usize,
    /// The errors of fields that could not be read.
    errors: &'a mut Vec<FieldError>,
}

/// Where a row comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The name of the input.
    pub(super) input: &'a str,
    pub(super) record: BatchRecord<'a>,
    /// The table of the row; its record type is not known for certain if `is_typed` is false.
    pub(super) table: &'a Table,
    pub(super) is_typed: bool,
}

impl<'a> Row<'a> {
    /// Begins a row at the end of `text`. `errors` is cleared.
    #[inline]
    pub(super) fn begin(
        plan: &'a RowPlan,
        origin: Origin<'a>,
        text: &'a mut Vec<u8>,
        errors: &'a mut Vec<FieldError>,
    ) -> Self {
        let begin = text.len();
        errors.clear();
        let mut row = Row { plan, table: origin.table, record: origin.record, text, begin, column: 0, errors };
        row.put_beginning(&origin);
        row
    }

    /// Writes what precedes the fields.
    #[inline]
    fn put_beginning(&mut self, origin: &Origin<'_>) {
        if self.plan.format == RowFormat::Jsonl {
            self.text.push(b'{');
        }
        let is_inside = self.plan.nest && origin.record.parent.number().is_some();
        for column in self.table.before.iter().filter(|one| !(is_inside && **one == AddedColumn::Type)) {
            self.put_before(*column, origin);
        }
        for (index, name) in &self.table.keys {
            self.begin_added(name);
            self.put(origin.record.key(*index));
            self.end_added();
        }
    }

    /// Writes a column that precedes the fields.
    fn put_before(&mut self, column: AddedColumn, origin: &Origin<'_>) {
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
            AddedColumn::Record => self.put_bytes(self.record.data),
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
    pub(super) fn end_unreadable(mut self, error: FieldError, origin: &Origin<'_>) {
        self.text.truncate(self.begin);
        self.column = 0;
        *self.errors = vec![error];
        self.put_beginning(origin);
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

    /// Removes the row.
    pub(super) fn abandon(self) {
        self.text.truncate(self.begin);
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
        match self.plan.format {
            RowFormat::Csv => {
                self.skip_to(column);
                self.column = column + 1;
            }
            RowFormat::Jsonl if self.plan.is_array[item] => {}
            RowFormat::Jsonl => push_few(self.text, &self.plan.keys[item]),
        }
        self.put(value);
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
