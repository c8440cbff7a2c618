//! Rows as text: [`RowText`], lines of CSV or JSON.
//!
//! | file | contents |
//! |---|---|
//! | `plan.rs` | what the rows of a job have in common: their format and their tables |
//! | `mod.rs` | makes that from a job; headers, and the row of a record |
//! | `row.rs` | a row while it receives the values of a record |
//! | `quote.rs` | text in CSV and JSON |

mod plan;
mod quote;
mod row;

use super::{AddedColumn, BatchRecord, RowReader, Rows, RowsError};
use crate::fields::{Column, FieldError};
use plan::Origin;
use quote::{push_csv, push_json};
use row::Row;

pub use plan::{Formulas, RowFormat, RowTable, RowText};

/// A row that was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrittenRow {
    /// Its table; `None` if the type of the record is not known.
    pub table: Option<usize>,
    /// The text that it was added to.
    pub text: usize,
    /// How many bytes were added to the text.
    pub len: usize,
}

impl RowText {
    /// Returns an object that writes the rows of a job: text that looks like a formula as it is, empty text like a missing
    /// value, and a record that cannot be read as [the job says](Rows::keeps_unreadable).
    ///
    /// # Errors
    /// Those of [`Rows::columns`].
    pub fn new(rows: &Rows, format: RowFormat) -> Result<Self, RowsError> {
        let (layout, columns) = (rows.layout(), rows.columns()?);
        let key = |item| json_key(&rows.key(item).unwrap_or_default());
        let types = rows.record_types();
        let tables = match types.is_empty() {
            true => vec![RowTable::new(rows, &columns, None)],
            false => types.iter().map(|one| RowTable::new(rows, &columns, Some(*one))).collect(),
        };
        Ok(RowText {
            format,
            formulas: Formulas::Keep,
            quote_empty: false,
            keep_unreadable: rows.keeps_unreadable(),
            nest: rows.nests(),
            by_type: rows.has_separate_types(),
            after: rows.added().iter().copied().filter(|one| !one.is_before_fields()).collect(),
            keys: (0..layout.items().len()).map(key).collect(),
            is_array: layout.items().iter().map(|item| item.occurs.is_some()).collect(),
            tables,
            columns,
        })
    }

    /// Sets how text in CSV is written that a spreadsheet would run as a formula.
    #[must_use]
    pub fn formulas(self, formulas: Formulas) -> Self {
        RowText { formulas, ..self }
    }

    /// Sets whether empty text in CSV is `""`, so that it differs from a missing value.
    #[must_use]
    pub fn quote_empty(self, quote_empty: bool) -> Self {
        RowText { quote_empty, ..self }
    }

    /// Sets whether a record that cannot be read becomes a row without values. Otherwise it is an error.
    #[must_use]
    pub fn keep_unreadable(self, keep_unreadable: bool) -> Self {
        RowText { keep_unreadable, ..self }
    }

    /// Returns the tables: one for each record type, in the order of [`Rows::record_types`]; one if there are none.
    #[must_use]
    pub fn tables(&self) -> &[RowTable] {
        &self.tables
    }

    /// Returns whether there are record types.
    #[must_use]
    pub fn has_types(&self) -> bool {
        self.tables[0].record_type.is_some()
    }

    /// Returns how many texts the rows are added to.
    #[must_use]
    pub fn texts(&self) -> usize {
        if self.by_type { self.tables.len() } else { 1 }
    }

    /// Returns the header of a text in CSV; nothing for JSON.
    ///
    /// # Panics
    /// There is no such text.
    #[must_use]
    pub fn header(&self, text: usize) -> Vec<u8> {
        let mut header = Vec::new();
        if self.format == RowFormat::Jsonl {
            return header;
        }
        let table = &self.tables[text];
        let is_in = |index: &usize| table.cells[*index] < table.cells[index + 1];
        let paths = (0..self.columns.len()).filter(is_in).map(|index| &*self.columns[index].path);
        let [before, after] = [&table.before, &self.after].map(|added| added.iter().map(|one| one.column()));
        let keys = table.keys.iter().map(|(_, name)| &**name);
        for name in before.chain(keys).chain(paths).chain(after) {
            push_csv(&mut header, name);
            header.push(b',');
        }
        // The comma after the last name.
        if header.pop().is_none() {
            // There are no columns, and an empty line is not a header.
            header.extend_from_slice(b"\"\"");
        }
        header.push(b'\n');
        header
    }

    /// Adds the row of a record to its text. `input` is the name of the input, for the column
    /// [`File`](AddedColumn::File). The row is read with `reader`, which has to read all records in their order.
    ///
    /// # Errors
    /// The record cannot be read, and such records are [not kept](Self::keep_unreadable), or have no text because their type
    /// is not known. Nothing is added then.
    ///
    /// # Panics
    /// `texts` has fewer elements than [`texts`](Self::texts) says.
    pub fn write(
        &self,
        reader: &mut RowReader,
        record: BatchRecord<'_>,
        input: &str,
        texts: &mut [Vec<u8>],
    ) -> Result<WrittenRow, FieldError> {
        let found = if self.has_types() { reader.record_type(record.data) } else { None };
        // If there is no such table, the reader fails.
        let table = self.tables.iter().position(|table| table.record_type == found);
        let index = if self.by_type { table.unwrap_or(0) } else { 0 };
        let text = &mut texts[index];
        let begin = text.len();
        let origin = Origin { input, record, table: &self.tables[table.unwrap_or(0)], is_typed: table.is_some() };
        let mut errors = Vec::new();
        let mut row = Row::begin(self, &origin, text, &mut errors);
        let checked = reader.check_parent(record.number, record.parent, &mut row);
        match checked.and_then(|()| reader.read(record.number, record.data, &mut row)) {
            Ok(_) => row.end(),
            Err(error) if self.keep_unreadable && (table.is_some() || !self.by_type) => {
                row.end_unreadable(error);
                reader.read_as_null();
            }
            Err(error) => {
                text.truncate(begin);
                return Err(error);
            }
        }
        Ok(WrittenRow { table, text: index, len: text.len() - begin })
    }
}

impl RowTable {
    pub(super) fn new(rows: &Rows, columns: &[Column], record_type: Option<usize>) -> Self {
        let (by_type, types) = (rows.has_separate_types(), rows.record_types());
        let is_other = |one: &usize| by_type && types.contains(one) && Some(*one) != record_type;
        let cells = columns.iter().scan(0, |count, column| {
            *count += usize::from(!column.types.iter().any(is_other));
            Some(*count)
        });
        let name = match record_type {
            Some(item) => rows.layout().path(item),
            None => rows.layout().name().unwrap_or("rows"),
        };
        let is_before = |one: &AddedColumn| one.is_before_fields() && rows.has_added(*one, record_type);
        let keys = rows.key_columns().iter().enumerate().filter(|(_, key)| rows.has_key(key, record_type));
        RowTable {
            record_type,
            name: name.to_owned(),
            before: rows.added().iter().copied().filter(is_before).collect(),
            keys: keys.map(|(index, key)| (index, key.name().to_owned())).collect(),
            cells: std::iter::once(0).chain(cells).collect(),
        }
    }

    /// Returns the item whose condition holds for the records.
    #[must_use]
    pub fn record_type(&self) -> Option<usize> {
        self.record_type
    }

    /// Returns its name: the path of the item; or the name of the layout, or `rows`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Returns a key and a colon, as JSON has them.
fn json_key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    push_json(&mut key, name);
    key.push(b':');
    key
}
