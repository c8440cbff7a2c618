//! From batches to records: [`write_records`].
//!
//! The crate `charpipe-arrow-input` takes the batches over, and checks them.

use super::capsule::import;
use super::dates::{Columns, Dated};
use super::failure::{Failure, bad, refused};
use super::setup::{Options, job};
use crate::output::Output;
use charpipe::fields::Writer;
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
    py.detach(|| {
        let (number, output) = run(batches, columns, writer, output).map_err(|failure| match failure {
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

fn run(
    mut batches: Stream,
    columns: Columns,
    mut writer: Writer,
    mut output: RecordWriter<Output>,
) -> Result<(u64, Output), Problem> {
    let Columns { columns, patterns, underscores } = columns;
    let (mut number, mut record) = (0, Vec::new());
    while let Some(batch) = batches.next_batch()? {
        let mut finder = Finder::new(&batch, underscores);
        finder.check(writer.layout(), &columns)?;
        let found = columns.iter().map(|column| finder.access(&column.path)).collect::<Result<Vec<_>, _>>()?;
        for index in 0..batch.rows()? {
            if index % ROWS_AT_ONCE == 0 {
                let interrupted = Python::attach(|py| py.check_signals());
                interrupted.map_err(|error| Failure::from(charpipe::Error::write(0, io::Error::other(error))))?;
            }
            number += 1;
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
