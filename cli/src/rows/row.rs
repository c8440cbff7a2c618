//! A row while it is written: the text of a record as CSV or JSON, from the values that the library's reader delivers.
//!
//! Nothing is allocated for a value: numbers and text are appended to the row.

use crate::args::Rows;
use crate::args::rows::RowFormat;
use crate::rows::policy::{Changed, TextPolicy, push_csv, push_json};
use crate::rows::trouble::BadRecord;
use crate::rows::types;
use charpipe::Hex;
use charpipe::fields::{Column, Layout, Value, Visitor};
use std::fmt::Write as _;

/// The name of the column with the number of the record. No name in COBOL begins like this.
pub(super) const NUMBER: &str = "_number";
/// The name of the column with the type of the record.
pub(super) const TYPE: &str = "_type";

/// What all rows of a run have in common.
pub(super) struct RowPlan {
    pub(super) format: RowFormat,
    pub(super) columns: Vec<Column>,
    policy: TextPolicy,
    /// Whether the rows of each table go to a stream of its own.
    by_type: bool,
    /// Whether rows begin with the number of the record.
    has_number: bool,
    /// Whether rows have the type of the record, after the number.
    has_type: bool,
    /// For each item: its key and a colon, as JSON has them.
    keys: Vec<String>,
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
    /// For each column, and for the end: how many columns before it the rows have.
    cells: Vec<usize>,
}

impl RowPlan {
    pub(super) fn new(args: &Rows, layout: &Layout, columns: Vec<Column>) -> Self {
        let items = 0..layout.items().len();
        let key = |item| {
            let mut key = String::new();
            push_json(&mut key, layout.key(item).unwrap_or_default());
            key + ":"
        };
        let by_type = args.output_dir.is_some();
        let types = types::record_types(layout);
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
            Table { record_type, name, cells: std::iter::once(0).chain(cells).collect() }
        };
        let tables = match types.is_empty() {
            true => vec![table(None)],
            false => types.iter().map(|one| table(Some(*one))).collect(),
        };
        RowPlan {
            format: args.format,
            policy: TextPolicy { controls: args.controls, newlines: args.record_newlines },
            by_type,
            has_number: args.number,
            has_type: !types.is_empty() && !by_type,
            keys: items.map(key).collect(),
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

    /// Returns the columns that rows begin with, which are not fields.
    pub(super) fn own_columns(&self) -> impl Iterator<Item = &str> {
        [(NUMBER, self.has_number), (TYPE, self.has_type)].into_iter().filter(|one| one.1).map(|one| one.0)
    }

    /// Returns the header of a table in CSV; nothing for JSON.
    pub(super) fn header(&self, table: &Table) -> String {
        let mut header = String::new();
        if self.format == RowFormat::Jsonl {
            return header;
        }
        let is_in = |index: &usize| table.cells[*index] < table.cells[index + 1];
        let paths = (0..self.columns.len()).filter(is_in).map(|index| &*self.columns[index].path);
        for (index, path) in self.own_columns().chain(paths).enumerate() {
            if index > 0 {
                header.push(',');
            }
            push_csv(&mut header, path);
        }
        if header.is_empty() {
            // There are no columns, and an empty line is not a header.
            header.push_str("\"\"");
        }
        header.push('\n');
        header
    }
}

/// A row while it receives the values of a record.
pub(super) struct Row<'a> {
    plan: &'a RowPlan,
    table: &'a Table,
    /// The rows so far, and this one.
    text: &'a mut String,
    /// Where this row begins.
    begin: usize,
    /// The number of columns that were written or skipped.
    column: usize,
    scratch: &'a mut Scratch,
}

/// What rows share while they are written.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) changed: Changed,
    room: String,
}

impl<'a> Row<'a> {
    /// Begins a row at the end of `text`.
    pub(super) fn begin(
        plan: &'a RowPlan,
        table: &'a Table,
        number: u64,
        text: &'a mut String,
        scratch: &'a mut Scratch,
    ) -> Self {
        let begin = text.len();
        match plan.format {
            RowFormat::Csv => {
                if plan.has_number {
                    _ = write!(text, "{number},");
                }
                if plan.has_type {
                    push_csv(text, &table.name);
                    text.push(',');
                }
            }
            RowFormat::Jsonl => {
                text.push('{');
                if plan.has_number {
                    _ = write!(text, "\"{NUMBER}\":{number}");
                }
                if plan.has_type {
                    text.push_str(if plan.has_number { ",\"_type\":" } else { "\"_type\":" });
                    push_json(text, &table.name);
                }
            }
        }
        Row { plan, table, text, begin, column: 0, scratch }
    }

    /// Ends the row.
    pub(super) fn end(mut self) {
        match self.plan.format {
            RowFormat::Csv => {
                self.skip_to(self.plan.columns.len());
                if self.text.len() > self.begin {
                    // The comma after the last cell.
                    self.text.pop();
                }
                if self.text.len() == self.begin {
                    // An empty line is not a row.
                    self.text.push_str("\"\"");
                }
                self.text.push('\n');
            }
            RowFormat::Jsonl => self.text.push_str("}\n"),
        }
    }

    /// Removes the row.
    pub(super) fn abandon(self) {
        self.text.truncate(self.begin);
    }

    /// Leaves the columns empty from the last one that was written up to `column`.
    fn skip_to(&mut self, column: usize) {
        let cells = &self.table.cells;
        for _ in cells[self.column]..cells[column] {
            self.text.push(',');
        }
        self.column = column;
    }

    /// Writes what is before a value of JSON.
    fn lead(&mut self, item: usize, has_key: bool) {
        if !matches!(self.text.as_bytes().last(), Some(b'{' | b'[')) {
            self.text.push(',');
        }
        if has_key {
            self.text.push_str(&self.plan.keys[item]);
        }
    }

    fn put(&mut self, column: usize, value: Value<'_>) -> Result<(), BadRecord> {
        let is_json = self.plan.format == RowFormat::Jsonl;
        match value {
            Value::Text(text) => return self.put_text(column, text),
            Value::Number(number) => number.append_to(self.text),
            Value::Raw(bytes) if is_json => {
                self.text.push('"');
                Hex(bytes).push_to(self.text);
                self.text.push('"');
            }
            Value::Raw(bytes) => Hex(bytes).push_to(self.text),
            Value::Single(number) if number.is_finite() => _ = write!(self.text, "{value}"),
            Value::Double(number) if number.is_finite() => _ = write!(self.text, "{value}"),
            Value::Single(number) => self.put_non_finite(number.into()),
            Value::Double(number) => self.put_non_finite(number),
            _ if is_json => self.text.push_str("null"),
            _ => {}
        }
        Ok(())
    }

    /// Writes infinity, or what is not a number. JSON has no numbers for these.
    fn put_non_finite(&mut self, number: f64) {
        let word = match number {
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => "NaN",
        };
        let quote = if self.plan.format == RowFormat::Jsonl { "\"" } else { "" };
        _ = write!(self.text, "{quote}{word}{quote}");
    }

    fn put_text(&mut self, column: usize, text: &str) -> Result<(), BadRecord> {
        let policy = &self.plan.policy;
        let text = if policy.keeps_all() {
            text
        } else {
            policy.apply(text, &mut self.scratch.room, &mut self.scratch.changed).map_err(|refused| {
                BadRecord::Character {
                    column: self.plan.columns[column].clone(),
                    ch: refused.ch,
                    is_newline: refused.is_newline,
                    offset: 0,
                }
            })?
        };
        match self.plan.format {
            RowFormat::Csv => push_csv(self.text, text),
            RowFormat::Jsonl => push_json(self.text, text),
        }
        Ok(())
    }
}

impl Visitor for Row<'_> {
    type Error = BadRecord;

    fn value(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), BadRecord> {
        match self.plan.format {
            RowFormat::Csv => {
                self.skip_to(column);
                self.put(column, value)?;
                self.text.push(',');
                self.column = column + 1;
                Ok(())
            }
            RowFormat::Jsonl => {
                self.lead(item, !self.plan.is_array[item]);
                self.put(column, value)
            }
        }
    }

    fn begin_group(&mut self, item: usize) -> Result<(), BadRecord> {
        if self.plan.format == RowFormat::Jsonl {
            self.lead(item, true);
            self.text.push('{');
        }
        Ok(())
    }

    fn end_group(&mut self, _: usize) -> Result<(), BadRecord> {
        if self.plan.format == RowFormat::Jsonl {
            self.text.push('}');
        }
        Ok(())
    }

    fn begin_array(&mut self, item: usize, _: usize) -> Result<(), BadRecord> {
        if self.plan.format == RowFormat::Jsonl {
            self.lead(item, true);
            self.text.push('[');
        }
        Ok(())
    }

    fn end_array(&mut self, _: usize) -> Result<(), BadRecord> {
        if self.plan.format == RowFormat::Jsonl {
            self.text.push(']');
        }
        Ok(())
    }

    fn begin_element(&mut self, item: usize) -> Result<(), BadRecord> {
        if self.plan.format == RowFormat::Jsonl {
            self.lead(item, false);
            self.text.push('{');
        }
        Ok(())
    }

    fn end_element(&mut self, _: usize) -> Result<(), BadRecord> {
        if self.plan.format == RowFormat::Jsonl {
            self.text.push('}');
        }
        Ok(())
    }
}
