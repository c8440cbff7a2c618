//! The Python functions that read records and cut files into parts.
//!
//! Options are pairs of text. The library has the table of their names and values ([`RowsJob::OPTIONS`]), so they are the
//! same as those of the command.

use super::batches::{Batches, State};
use super::columns::Columns;
use super::failure::{Failure, bad, refused};
use super::inputs::{Inputs, Opened, Part};
use super::stream::RecordStream;
use crate::registry;
use crate::source::{Source, found_shape};
use charpipe::records::{Shape, numbered_splits, splits};
use charpipe::rows::{RowsJob, SchemaFormat, StoredAs};
use pyo3::prelude::*;
use std::io::{Seek as _, SeekFrom};

/// Options by name.
pub(super) type Options = Vec<(String, String)>;

/// Returns the rows job that the options ask for, with the codecs of this process.
pub(super) fn job(options: &Options) -> PyResult<RowsJob> {
    let job = RowsJob::new().registry(registry::current());
    let set = |job: RowsJob, (name, value): &(String, String)| job.set(name, value);
    options.iter().try_fold(job, set).map_err(|error| refused(error, None))
}

/// Reads records from a path, a buffer or a file object. `name` is that of the input, if the source has another one.
/// `more` is an iterator of the sources that follow, and their names.
#[pyfunction]
#[pyo3(signature = (source, layout, options, batch_rows, name = None, part = None, more = None))]
pub(crate) fn read_records(
    source: &Bound<'_, PyAny>,
    layout: &[u8],
    options: Options,
    batch_rows: usize,
    name: Option<String>,
    part: Option<Part>,
    more: Option<Py<PyAny>>,
) -> PyResult<RecordStream> {
    let source = Source::of(source)?;
    let name = name.or_else(|| source.name());
    let refused = |error| refused(error, name.as_deref());
    let job = job(&options)?;
    let rows = job.layout(layout).and_then(|layout| job.rows(&layout)).map_err(refused)?;
    let inputs = Inputs::new(rows, more);
    let Opened { records, reader, parents, runs, shape, .. } = inputs.open(&source, name.clone(), part)?;
    let rows = inputs.rows();
    let columns = Columns::new(rows, &reader, name.as_deref().unwrap_or_default(), job.is_bad_error()).map_err(bad)?;
    // Errors have the numbers of records, which are those of the file only if the number of the first one is known.
    let name = match (part, name) {
        (Some((begin, _, None)), Some(name)) => Some(format!("{name}, records counted from byte {begin}")),
        (_, name) => name,
    };
    let keeps_unreadable = rows.keeps_unreadable();
    let rows = batch_rows.max(1);
    let state = State::Running;
    Ok(RecordStream::new(Batches {
        records,
        reader,
        parents,
        runs,
        columns,
        rows,
        shape,
        name,
        keeps_unreadable,
        inputs,
        state,
    }))
}

/// Returns the schema of the rows of a layout as text, for another program.
#[pyfunction]
pub(crate) fn rows_schema(layout: &[u8], format: &str, options: Options) -> PyResult<String> {
    let format: SchemaFormat = format.parse().map_err(|error| bad(format!("format: {error}")))?;
    let job = job(&options)?;
    let rows = job.layout(layout).and_then(|layout| job.rows(&layout));
    rows.and_then(|rows| rows.schema(format)).map_err(|error| refused(error, None))
}

/// Cuts a file into parts of about `bytes` bytes. Returns the beginning and the end of each, and the number of its first
/// record, if it is known or `numbers` asks for it.
#[pyfunction]
pub(crate) fn split_records(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    records: &str,
    bytes: u64,
    numbers: bool,
) -> PyResult<Vec<Part>> {
    let source = Source::of(source)?;
    let name = source.name();
    let shape = match records.parse() {
        Ok(StoredAs::Shape(shape)) => shape,
        Ok(StoredAs::Auto) => found_shape(&source.head()?, None).map_err(|why| refused(why, name.as_deref()))?,
        Ok(_) => return Err(bad("records: without a layout it must be said how they are stored")),
        Err(error) => return Err(bad(format!("records: {error}"))),
    };
    let mut input = source.open()?;
    let stood =
        if source.is_object() { Some(input.stream_position().map_err(|error| source.failed(&error))?) } else { None };
    let parts = py.detach(|| match (numbers, &shape) {
        // Of these the numbers are known anyway.
        (false, _) | (true, Shape::Fixed { .. } | Shape::FixedBlocks { .. } | Shape::AwsTape { .. }) => {
            splits(&mut input, &shape, bytes)
        }
        _ => {
            input.rewind().map_err(|error| charpipe::Error::read(0, error))?;
            numbered_splits(&mut input, &shape, bytes)
        }
    });
    let parts = parts.map_err(|error| Failure::from(error).raise(name.as_deref()))?;
    if let Some(stood) = stood {
        input.seek(SeekFrom::Start(stood)).map_err(|error| source.failed(&error))?;
    }
    Ok(parts.into_iter().map(|part| (part.begin, part.end, part.number)).collect())
}
