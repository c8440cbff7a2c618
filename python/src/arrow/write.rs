//! From batches to records: [`write_records`].
//!
//! The crate `charpipe-arrow-input` takes the batches over, and checks them.

use super::capsule::import;
use super::dates::{Columns, Dated};
use super::failure::{Failure, bad, refused};
use super::setup::{Options, job};
use crate::output::Output;
use charpipe::fields::{ValueSource as _, Writer};
use charpipe::records::RecordWriter;
use charpipe_arrow_input::{Finder, Malformed, Row, Stream};
use pyo3::prelude::*;
use std::io;

/// After how many rows Ctrl-C is heard. A batch can claim any number of rows without values.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Writes the rows of an Arrow stream as records, to a path or a file object. Returns how many there are.
#[pyfunction]
pub(crate) fn write_records(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    layout: &[u8],
    options: Options,
) -> PyResult<u64> {
    let job = job(&options)?;
    let rows = job.layout(layout).and_then(|layout| job.rows(&layout)).map_err(|error| refused(error, None))?;
    let ready = rows.target_shape().and_then(|shape| Ok((shape, rows.writer()?)));
    let (shape, writer) = ready.map_err(|error| refused(error, None))?;
    let batches = import(data)?;
    let output = Output::of(target)?;
    let name = output.name();
    let framer = rows.framer(&shape).map_err(|error| Failure::from(error).raise(None))?;
    let output = RecordWriter::of(output, framer);
    let columns = Columns::new(&rows, writer.columns().map_err(bad)?);
    let order = rows.parents().map(|_| 0);
    py.detach(|| {
        let (number, output) = run(batches, columns, order, writer, output).map_err(|failure| match failure {
            Problem::Failure(failure) => failure.raise(name.as_deref()),
            Problem::Value(what) => bad(what),
        })?;
        output.commit()?;
        Ok(number)
    })
}

enum Problem {
    Failure(Failure),
    /// The data does not fit the layout.
    Value(String),
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Problem::Failure(failure)
    }
}

impl From<Malformed> for Problem {
    fn from(error: Malformed) -> Self {
        Problem::Value(error.to_string())
    }
}

/// `order`: the number of the last record, if the records are to come in the order of their numbers.
fn run(
    mut batches: Stream,
    columns: Columns,
    mut order: Option<u64>,
    mut writer: Writer,
    mut output: RecordWriter<Output>,
) -> Result<(u64, Output), Problem> {
    let Columns { columns, patterns, underscores } = columns;
    let (mut number, mut record) = (0, Vec::new());
    while let Some(batch) = batches.next_batch()? {
        let mut finder = Finder::new(&batch, underscores);
        finder.check(writer.layout(), &columns)?;
        let found = columns.iter().map(|column| finder.access(&column.path)).collect::<Result<Vec<_>, _>>()?;
        let numbers = [finder.access("_number")?];
        for index in 0..batch.rows()? {
            if index % ROWS_AT_ONCE == 0 {
                let interrupted = Python::attach(|py| py.check_signals());
                interrupted.map_err(|error| Failure::from(charpipe::Error::write(0, io::Error::other(error))))?;
            }
            number += 1;
            if let Some(last) = &mut order {
                let found = Row::new(&numbers, index).value(0, 0).map(|value| value.to_string());
                *last = following(*last, found).map_err(|what| Problem::Value(format!("row {number}: {what}")))?;
            }
            record.clear();
            let mut row = Dated::new(Row::new(&found, index), &patterns);
            let written = writer.write(number, &mut row, &mut record);
            let path = |column: usize| columns.get(column).map_or("", |column| &*column.path);
            if let Some((column, bad)) = row.row().bad() {
                return Err(Failure::of_value(number, path(column), bad).into());
            }
            if let Some((column, what)) = row.take_bad() {
                return Err(Failure::of_date(number, path(column), what).into());
            }
            written.map_err(Failure::Field)?;
            output.write_record(&record).map_err(Failure::from)?;
        }
    }
    Ok((number, output.finish().map_err(Failure::from)?))
}

/// Returns the number of a record, which comes after the record with the number `last`. A child belongs to the last parent
/// before it, so that rows in another order would become other hierarchies.
fn following(last: u64, found: Option<String>) -> Result<u64, String> {
    let number = found.as_ref().and_then(|found| found.parse().ok()).filter(|number| *number > last);
    number.ok_or_else(|| match found {
        Some(found) => format!("its _number {found} does not come after {last}: with parent, sort the rows by _number"),
        None => "it has no _number, which is needed with parent: charpipe.read adds this column".to_owned(),
    })
}
