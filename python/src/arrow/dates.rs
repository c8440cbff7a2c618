//! Dates and moments that are being written to a record: [`Dated`].

use charpipe::fields::{Column, Value, ValueSource};
use charpipe::rows::{DatePattern, Rows};
use charpipe_arrow_input::Row;

/// The columns of the layout.
pub(super) struct Columns {
    pub(super) columns: Vec<Column>,
    /// For each of them the pattern of its dates.
    pub(super) patterns: Vec<Option<DatePattern>>,
    /// Whether batches have no hyphens in their names.
    pub(super) underscores: bool,
}

impl Columns {
    pub(super) fn new(rows: &Rows, columns: Vec<Column>) -> Self {
        let patterns = columns.iter().map(|column| rows.date(column.item).cloned()).collect();
        Columns { columns, patterns, underscores: rows.underscores() }
    }
}

/// A row whose dates are texts as their patterns say.
pub(super) struct Dated<'a, 'b> {
    row: Row<'a, 'b>,
    patterns: &'b [Option<DatePattern>],
    text: String,
    /// The first value that is not a date of its pattern: its column, and the error.
    bad: Option<(usize, String)>,
}

impl<'a, 'b> Dated<'a, 'b> {
    pub(super) fn new(row: Row<'a, 'b>, patterns: &'b [Option<DatePattern>]) -> Self {
        Dated { row, patterns, text: String::new(), bad: None }
    }

    pub(super) fn row(&self) -> &Row<'a, 'b> {
        &self.row
    }

    /// Takes the first value that is not a date of its pattern, as [`Row::bad`] returns bad values.
    pub(super) fn take_bad(&mut self) -> Option<(usize, String)> {
        self.bad.take()
    }
}

impl ValueSource for Dated<'_, '_> {
    fn value(&mut self, item: usize, column: usize) -> Option<Value<'_>> {
        let Some(Some(pattern)) = self.patterns.get(column) else { return self.row.value(item, column) };
        match self.row.value(item, column).map(|value| pattern.write_value(value))? {
            Ok(text) => self.text = text,
            Err(what) => {
                self.bad.get_or_insert((column, what));
                return None;
            }
        }
        (!self.text.is_empty()).then_some(Value::Text(&self.text))
    }
}
