//! Rows as batches of Arrow: [`RowArrow`], an IPC stream.
//!
//! The stream is that of Arrow's columnar format 1.0, with metadata of version 5: the message with the schema, those with
//! the batches, and the mark of the end.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | the rows of a job, and when a batch is complete |
//! | `columns.rs`, `origin.rs` | the columns while they receive the values of records, and those that are not fields |
//! | `leaf.rs`, `bits.rs` | the values of one field; which of them are null, and where texts end |
//! | `message.rs` | a batch as a message |
//! | `flat_buffer.rs` | the metadata of messages; [the schema](super::schema) is made with it, too |

mod bits;
mod columns;
pub(super) mod flat_buffer;
#[cfg(test)]
pub(super) mod flat_buffer_tests;
mod leaf;
mod message;
mod origin;
#[cfg(test)]
mod tests;

use super::error::contradicts;
use super::{BatchRecord, RowReader, RowTable, Rows, RowsError, WrittenRow, schema};
use crate::fields::{BadLayout, FieldError};
use columns::Columns;
use origin::Origin;

/// Writes rows as batches of Arrow: an IPC stream.
///
/// Groups are structs, and arrays are lists; the schema is that of [`Rows::arrow_schema`]. A batch has
/// [`MAX_ROWS`](Self::MAX_ROWS) rows, or fewer if they are long. This depends only on the records, so the bytes are the
/// same however the input is cut.
///
/// ```
/// use charpipe::rows::{Batch, RowArrow, RowsJob};
///
/// let job = RowsJob::new();
/// let rows = job.rows(&job.layout(b"NAME 1 5 text\nPRICE 6 3 zoned.2,unsigned")?)?;
/// let mut arrow = RowArrow::new(&rows)?;
/// // IBM1047: TEA, 1.95.
/// let (shape, input) = rows.open(&b"\xE3\xC5\xC1\x40\x40\xF1\xF9\xF5"[..])?;
/// let (mut batches, mut reader) = (rows.batches(input, &shape), rows.reader(&shape));
/// let (mut batch, mut stream) = (Batch::default(), arrow.header().to_vec());
/// while batches.read(&mut batch)? {
///     for record in batch.records(0) {
///         arrow.write(&mut reader, record, "prices", &mut stream)?;
///     }
/// }
/// arrow.finish(&mut stream);
/// assert!(stream.windows(3).any(|bytes| bytes == b"TEA"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowArrow {
    header: Vec<u8>,
    keep_unreadable: bool,
    tables: Vec<RowTable>,
    columns: Columns,
}

impl RowArrow {
    /// The most rows in a batch.
    pub const MAX_ROWS: usize = 1 << 16;

    /// About how many bytes of values a batch has if its rows are long. One record more fits into the offsets of its
    /// columns.
    const MAX_BYTES: usize = 32 << 20;

    /// The longest record that a layout may have, in bytes. A table of the user's maps a byte to at most 19 code units,
    /// which are 57 bytes of UTF-8, so the offsets of a column (signed, 32 bits) reach the end of any batch.
    pub const MAX_RECORD: usize = 32 << 20;

    /// Returns an object that writes the rows of a job: a record that cannot be read is written as [the job
    /// says](Rows::keeps_unreadable).
    ///
    /// # Errors
    /// Those of [`Rows::arrow_schema`], and [`ErrorKind::BadOption`](crate::ErrorKind::BadOption) if the rows of each
    /// record type have [a separate output](super::RowsJob::separate_types), or are
    /// [in those of their parents](super::RowsJob::nest); [`RowsError::Layout`] if records can be longer than
    /// [`MAX_RECORD`](Self::MAX_RECORD).
    pub fn new(rows: &Rows) -> Result<Self, RowsError> {
        for (option, is_set) in [("separate_types", rows.has_separate_types()), ("nest", rows.nests())] {
            if is_set {
                return Err(contradicts(option, "the rows of Arrow are in one stream, one for each record").into());
            }
        }
        let (len, most) = (rows.layout().max_len(), RowArrow::MAX_RECORD);
        if len > most {
            let what = format!(
                "its records have up to {len} bytes; rows of Arrow need records of at most {most} (use CSV or JSON)"
            );
            return Err(BadLayout::at(0, 0, what).into());
        }
        let types = rows.record_types();
        let tables = match types.is_empty() {
            true => vec![RowTable::new(rows, &[], None)],
            false => types.iter().map(|one| RowTable::new(rows, &[], Some(*one))).collect(),
        };
        let keep_unreadable = rows.keeps_unreadable();
        Ok(RowArrow {
            header: schema::header(rows)?,
            keep_unreadable,
            tables,
            columns: Columns::new(rows, rows.on_bad()),
        })
    }

    /// Sets whether a record that cannot be read becomes a row without values. Otherwise it is an error.
    #[must_use]
    pub fn keep_unreadable(self, keep_unreadable: bool) -> Self {
        RowArrow { keep_unreadable, ..self }
    }

    /// Returns the tables: one for each record type, in the order of [`Rows::record_types`]; one if there are none.
    #[must_use]
    pub fn tables(&self) -> &[RowTable] {
        &self.tables
    }

    /// Returns the beginning of the stream: the message with the schema.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// Returns how many rows wait for their batch to be complete.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.columns.rows()
    }

    /// Adds the row of a record, and the batch to `stream` if it is complete. `input` is the name of the input, for the
    /// column [`File`](super::AddedColumn::File). The row is read with `reader`, which has to read all records in their
    /// order. Returns as length what was added to `stream`.
    ///
    /// A number that does not fit its column is a field that cannot be read.
    ///
    /// # Errors
    /// The record cannot be read, and such records are [not kept](Self::keep_unreadable). Nothing is added then.
    pub fn write(
        &mut self,
        reader: &mut RowReader,
        record: BatchRecord<'_>,
        input: &str,
        stream: &mut Vec<u8>,
    ) -> Result<WrittenRow, FieldError> {
        let RowArrow { columns, tables, .. } = self;
        columns.begin_row();
        let checked = reader.check_parent(record.number, record.parent, columns);
        let read = checked.and_then(|()| reader.read(record.number, record.data, columns));
        let (misfits, misfit) = columns.report_misfits(reader, &record);
        let table_of = |record_type| tables.iter().position(|table| table.record_type() == record_type);
        let origin = |table: Option<usize>| {
            let typed = table.map(|table| &tables[table]).filter(|table| table.record_type().is_some());
            Origin { record, input, record_type: typed.map(RowTable::name) }
        };
        let table = match read {
            Ok(row) => {
                reader.counts.nulls += misfits as u64;
                let table = table_of(row.record_type);
                columns.end_row(&origin(table));
                table
            }
            Err(error) if self.keep_unreadable => {
                let table = table_of(reader.record_type(record.data));
                columns.end_unreadable(misfit.unwrap_or(error), &origin(table));
                reader.read_as_null();
                table
            }
            Err(error) => {
                columns.undo_row();
                return Err(misfit.unwrap_or(error));
            }
        };
        let begin = stream.len();
        if self.columns.rows() >= RowArrow::MAX_ROWS || self.columns.size() >= RowArrow::MAX_BYTES {
            self.end_batch(stream);
        }
        Ok(WrittenRow { table, text: 0, len: stream.len() - begin })
    }

    /// Adds the rows that [wait](Self::waiting) to `stream`, if there are any, as a batch. After this the stream can
    /// stop, because of an error for example; readers that insist on the mark of the end then notice that it is not
    /// complete.
    pub fn end_batch(&mut self, stream: &mut Vec<u8>) {
        if self.columns.rows() > 0 {
            message::put_batch(self.columns.rows(), self.columns.nodes(), stream);
            self.columns.clear();
        }
    }

    /// Adds the rows that wait and the mark of the end to `stream`. This object can then write another stream.
    pub fn finish(&mut self, stream: &mut Vec<u8>) {
        self.end_batch(stream);
        stream.extend_from_slice(&flat_buffer::END);
    }

    /// Forgets the rows that wait, so that this object can write another stream.
    pub fn clear(&mut self) {
        self.columns.clear();
    }
}
