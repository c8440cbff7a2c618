//! Records of rows of the user's type: [`RowSerializer`] and [`SerializeRows`].

use super::entry::Entry;
use super::place::{Cells, Place, PlaceKind};
use crate::error::Error;
use crate::fields::{FieldError, Problem, Writer};
use crate::records::Framer;
use crate::rows::{Rows, RowsError};
use serde::Serialize;
use std::io::Write;

impl Rows {
    /// Feature `serde`. Returns a writer that makes records of rows: structs, maps, [`RowValues`](super::RowValues),
    /// and anything else that implements `Serialize`.
    ///
    /// # Errors
    /// Those of [`writer`](Rows::writer) and [`target_columns`](Rows::target_columns).
    pub fn row_serializer(&self) -> Result<RowSerializer, RowsError> {
        let writer = self.writer()?;
        let cells = Cells::new(self.target_columns(&writer)?.len());
        Ok(RowSerializer { writer, row: Entry::of_row(self), cells })
    }

    /// Feature `serde`. Returns a writer of a whole output: records in the [shape of the job](Rows::target_shape), each
    /// made of a row.
    ///
    /// ```
    /// use charpipe::fields::Decimal;
    /// use charpipe::rows::RowsJob;
    /// use serde::Serialize;
    ///
    /// #[derive(Serialize)]
    /// struct Payment {
    ///     name: &'static str,
    ///     amount: Decimal,
    /// }
    ///
    /// let job = RowsJob::new();
    /// let rows = job.rows(&job.layout(b"NAME 1 4 text\nAMOUNT 5 3 packed.2\n")?)?;
    /// let mut output = rows.serialize(Vec::new())?;
    /// output.write(&Payment { name: "Joe", amount: Decimal::new(-12345, 2) })?;
    /// output.write(&serde_json::json!({ "NAME": "Ann", "AMOUNT": 0.5 }))?;
    /// let error = output.write(&serde_json::json!({ "NAME": "Ann", "AMOUNT": 0.125 })).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "byte 14: record 3, field AMOUNT, column 5: \"0.125\" does not fit; expected at most 2 decimal places"
    /// );
    /// assert_eq!(output.finish()?, b"\xD1\x96\x85\x40\x12\x34\x5D\xC1\x95\x95\x40\x00\x05\x0C");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`row_serializer`](Rows::row_serializer), of [`target_shape`](Rows::target_shape), and of
    /// [`Framer::new`].
    pub fn serialize<W: Write>(&self, output: W) -> Result<SerializeRows<W>, RowsError> {
        let framer = self.framer(&self.target_shape()?)?;
        let (rows, record, bytes) = (self.row_serializer()?, Vec::new(), Vec::new());
        Ok(SerializeRows { output, framer, rows, record, bytes, number: 0, written: 0 })
    }
}

/// Makes records from rows. Made by [`Rows::row_serializer`].
///
/// A row has the names and values that [`Rows::deserialize`] gives, and the rules are those of the command's
/// `--from-rows`: a field of text that has no value is blank, other fields need one, and a value that does not fit is
/// an error, and so is a name that the layout does not have. Fields of structs match names in any case, keys of maps
/// only exactly. Numbers can be text, bytes can be text in hex, and dates are text such as `2024-02-29`. Added columns
/// are ignored. `None` and unit are not values.
///
/// An enum stands for a record type: the row is the contents of its variant. A row can also be a tuple, with a value
/// for each name in the order of the layout.
pub struct RowSerializer {
    writer: Writer,
    row: Entry,
    cells: Cells,
}

impl RowSerializer {
    /// Replaces the contents of `record` with the record of a row. `number` is the number of the row, from 1, for
    /// errors.
    ///
    /// # Errors
    /// [`FieldError`]: those of [`Writer::write`], and [`Problem::NotInLayout`]. The next row can be written.
    pub fn write<T: Serialize + ?Sized>(
        &mut self,
        number: u64,
        row: &T,
        record: &mut Vec<u8>,
    ) -> Result<(), FieldError> {
        let RowSerializer { writer, row: entry, cells } = self;
        cells.clear();
        let kind = PlaceKind::Row;
        row.serialize(Place { cells: &mut *cells, entry: Some(entry), column: 0, kind, is_exact: false }).map_err(
            |error| {
                let problem = Problem::NotInLayout { why: error.what().to_owned() };
                FieldError::new(error.path().to_owned(), 0, &[], problem).in_record(number)
            },
        )?;
        writer.write(number, cells, record)
    }
}

impl std::fmt::Debug for RowSerializer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowSerializer").field("layout", self.writer.layout()).finish_non_exhaustive()
    }
}

/// Writes records of rows to an output. Made by [`Rows::serialize`].
#[derive(Debug)]
pub struct SerializeRows<W> {
    output: W,
    framer: Framer,
    rows: RowSerializer,
    record: Vec<u8>,
    /// Records that are still to be written.
    bytes: Vec<u8>,
    number: u64,
    written: u64,
}

/// How many bytes of records are collected before they are written.
const BATCH: usize = 64 * 1024;

impl<W: Write> SerializeRows<W> {
    /// Writes the record of a row.
    ///
    /// # Errors
    /// [`RowsError::Record`] with the errors of [`RowSerializer::write`], at the place in the output where the record
    /// would begin, and [`RowsError::Stream`] for a record that does not fit the shape; the next row can be written
    /// then. Also [`ErrorKind::Write`](crate::ErrorKind::Write), after which the output is not complete.
    pub fn write<T: Serialize + ?Sized>(&mut self, row: &T) -> Result<(), RowsError> {
        self.number += 1;
        let offset = self.written + self.bytes.len() as u64;
        let made = self.rows.write(self.number, row, &mut self.record);
        made.map_err(|error| RowsError::Record { offset, error })?;
        self.framer.record(&self.record, offset, &mut self.bytes)?;
        if self.bytes.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Writes the remaining bytes, and returns the output.
    ///
    /// # Errors
    /// [`ErrorKind::Write`](crate::ErrorKind::Write).
    pub fn finish(mut self) -> Result<W, RowsError> {
        self.framer.finish(&mut self.bytes);
        self.flush()?;
        self.output.flush().map_err(|source| Error::write(self.written, source))?;
        Ok(self.output)
    }

    fn flush(&mut self) -> Result<(), RowsError> {
        self.output.write_all(&self.bytes).map_err(|source| Error::write(self.written, source))?;
        self.written += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}
