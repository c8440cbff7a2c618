//! What rows of text are written by: their format, and what all rows of a job have in common.

use crate::fields::Column;
use crate::rows::{AddedColumn, BatchRecord};
use crate::words::words;

/// The format of rows as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RowFormat {
    /// CSV as in RFC 4180, whose lines end with a line feed: a header, then a line for each record, with a column for
    /// each elementary field.
    Csv,
    /// A JSON object (RFC 8259) on a line for each record; groups are objects, and `OCCURS` are arrays.
    Jsonl,
}

words! { RowFormat { Csv: "csv", Jsonl: "jsonl" } }

/// How to write text in CSV that a spreadsheet would run as a formula: text that begins with `=`, `+`, `-`, `@` (or
/// their full-width forms), a tab or a carriage return. Numbers are not changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Formulas {
    /// As it is.
    Keep,
    /// With an apostrophe before it, so that a spreadsheet shows it as text.
    Quote,
}

words! { Formulas { Keep: "keep", Quote: "quote" } }

/// Writes rows as lines of CSV or JSON.
///
/// If the rows of each record type have [a separate output](crate::rows::Rows::has_separate_types), there is a text for each
/// [table](Self::tables); otherwise there is one text.
///
/// ```
/// use charpipe::rows::{Batch, RowFormat, RowText, RowsJob};
///
/// let job = RowsJob::new();
/// let rows = job.rows(&job.layout(b"NAME 1 5 text\nPRICE 6 3 zoned.2,unsigned")?)?;
/// let text = RowText::new(&rows, RowFormat::Csv)?;
/// // IBM1047: TEA, 1.95.
/// let (shape, input) = rows.open(&b"\xE3\xC5\xC1\x40\x40\xF1\xF9\xF5"[..])?;
/// let (mut batches, mut reader) = (rows.batches(input, &shape), rows.reader(&shape));
/// let (mut batch, mut lines) = (Batch::default(), [text.header(0)]);
/// while batches.read(&mut batch)? {
///     for record in batch.records(0) {
///         text.write(&mut reader, record, "prices", &mut lines)?;
///     }
/// }
/// assert_eq!(lines[0], b"NAME,PRICE\nTEA,1.95\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowText {
    pub(super) format: RowFormat,
    pub(super) formulas: Formulas,
    pub(super) quote_empty: bool,
    pub(super) keep_unreadable: bool,
    pub(super) columns: Vec<Column>,
    /// Whether rows are put into others. Those that are need not say their type.
    pub(super) nest: bool,
    /// Whether the rows of each table go to a separate text.
    pub(super) by_type: bool,
    /// The columns after the fields, which are not fields.
    pub(super) after: Vec<AddedColumn>,
    /// For each item: its key and a colon, as JSON has them.
    pub(super) keys: Vec<Vec<u8>>,
    /// For each item, whether it is an array.
    pub(super) is_array: Vec<bool>,
    pub(super) tables: Vec<RowTable>,
}

/// The rows of one record type; or of all records, if there are no types.
#[derive(Clone, Debug)]
pub struct RowTable {
    pub(super) record_type: Option<usize>,
    pub(super) name: String,
    /// The columns before the fields, which are not fields.
    pub(super) before: Vec<AddedColumn>,
    /// The columns after these with fields of the parent, by their index, and their names.
    pub(super) keys: Vec<(usize, String)>,
    /// For each column, and for the end: how many columns before it the rows have.
    pub(super) cells: Vec<usize>,
}

/// Where a row comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The name of the input.
    pub(super) input: &'a str,
    pub(super) record: BatchRecord<'a>,
    /// The table of the row. The type of the record is not known for certain if `is_typed` is false.
    pub(super) table: &'a RowTable,
    pub(super) is_typed: bool,
}
