//! Reads batches from an input: [`Batches`].

use super::columns::Columns;
use super::failure::Failure;
use super::inputs::{Inputs, Opened};
use super::runs::{Room, Runs};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use charpipe::records::{Records, Shape};
use charpipe::rows::{Parents, RowReader, RowsError};
use std::io::BufRead;

/// The most bytes of records, the most bytes of a column that is not a field, and the most values in a batch, so that
/// the offsets of its columns fit into 32 bits. One record more fits too.
const MAX_BYTES: usize = 64 << 20;
const MAX_VALUES: usize = 16 << 20;

/// The batches of an input. After an error there are no more.
pub(super) struct Batches {
    pub(super) records: Records<Box<dyn BufRead + Send>>,
    pub(super) reader: RowReader,
    /// Finds the parents of records, if there are any.
    pub(super) parents: Option<Parents>,
    /// Reads many records at once, if they have the form for it.
    pub(super) runs: Option<Runs>,
    pub(super) columns: Columns,
    /// The most rows in a batch.
    pub(super) rows: usize,
    /// How the records are stored.
    pub(super) shape: Shape,
    /// The name of the input.
    pub(super) name: Option<String>,
    /// Whether a record that cannot be read becomes a row without values.
    pub(super) keeps_unreadable: bool,
    /// The inputs after this one.
    pub(super) inputs: Inputs,
    pub(super) state: State,
}

/// How far a stream is.
pub(super) enum State {
    Running,
    /// The rows before the error were delivered or are about to be.
    Failed(Failure),
    /// A panic left the columns half filled.
    Broken,
    Ended,
}

impl Batches {
    pub(super) fn schema(&self) -> SchemaRef {
        self.columns.schema().clone()
    }

    /// Whether all batches were delivered.
    pub(super) fn is_ended(&self) -> bool {
        matches!(self.state, State::Ended) && self.columns.rows() == 0
    }

    /// Returns the next batch, or `None` after the last. Rows before an error are delivered first.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>, Failure> {
        if matches!(self.state, State::Broken) {
            return Err(Failure::Batch("a panic, which is a bug in charpipe, left this stream unusable".to_owned()));
        }
        if matches!(self.state, State::Running) {
            match self.fill() {
                Ok(true) => {}
                Ok(false) => self.state = State::Ended,
                Err(failure) => self.state = State::Failed(failure),
            }
        }
        if self.columns.rows() > 0 {
            return self.columns.finish().map(Some).map_err(|error| Failure::Batch(error.to_string()));
        }
        match &self.state {
            State::Failed(failure) => Err(failure.clone()),
            _ => Ok(None),
        }
    }

    /// Reads records until the batch is full. Returns `false` at the end of the last input.
    fn fill(&mut self) -> Result<bool, Failure> {
        let mut bytes = 0;
        while !self.fill_from_input(&mut bytes)? {
            let Some(Opened { records, reader, parents, runs, shape, name }) = self.inputs.open_next()? else {
                return Ok(false);
            };
            self.columns.set_file(name.as_deref().unwrap_or_default());
            (self.records, self.reader, self.parents, self.runs) = (records, reader, parents, runs);
            (self.shape, self.name) = (shape, name);
        }
        Ok(true)
    }

    /// Reads records of an input until the batch is full, which has this many bytes of records. Returns `false` at the
    /// end of the input.
    fn fill_from_input(&mut self, bytes: &mut usize) -> Result<bool, Failure> {
        let Batches { records, reader, parents, runs, columns, .. } = self;
        while columns.rows() < self.rows
            && (*bytes).max(columns.added_bytes()) < MAX_BYTES
            && columns.values() < MAX_VALUES
        {
            if let Some(runs) = runs
                && runs.is_due()
            {
                let (rows, values) = (self.rows - columns.rows(), MAX_VALUES - columns.values());
                let room = Room { rows, bytes: MAX_BYTES - *bytes, values };
                if let Some(read) = runs.read(records, columns, &room)? {
                    *bytes += read;
                    continue;
                }
            }
            let Some(record) = records.next_record()? else { return Ok(false) };
            *bytes += record.data.len();
            columns.begin_row();
            let find = |parents: &mut Parents| parents.next(record.number, record.data);
            let parent = parents.as_mut().map(find).unwrap_or_default();
            let found = (parent, parents.as_ref().map(Parents::keys));
            let checked = reader.check_parent(record.number, parent, columns);
            let read = checked.and_then(|()| reader.read(record.number, record.data, columns));
            let misfit = if columns.has_misfits() { columns.report_misfits(reader, &record) } else { None };
            match read {
                Ok(read) => columns.end_row(&record, read.record_type, found),
                Err(error) if self.keeps_unreadable => {
                    let record_type = reader.record_type(record.data);
                    columns.end_unreadable(&record, record_type, found, error);
                }
                Err(error) => {
                    columns.undo_row();
                    let error = misfit.unwrap_or(error);
                    let offset = record.offset_of(error.offset());
                    return Err(Failure::Rows(RowsError::Record { offset, error }));
                }
            }
        }
        Ok(true)
    }
}
