//! Writes rows in the format of `--format`: [`RowWriter`].

use crate::args::Rows;
use crate::args::rows::Format;
use charpipe::fields::FieldError;
use charpipe::rows::{self, BatchRecord, RowArrow, RowReader, RowTable, RowText, RowsError, WrittenRow};
use std::sync::{Mutex, MutexGuard};

/// Writes the rows of a run.
pub(super) struct RowWriter {
    kind: Kind,
    tables: Vec<RowTable>,
}

enum Kind {
    Text(RowText),
    /// One after the other writes to its columns.
    Arrow(Box<Mutex<RowArrow>>),
}

/// What a worker writes rows with, as long as it has it.
pub(super) enum Pen<'a> {
    Text(&'a RowText),
    Arrow(MutexGuard<'a, RowArrow>),
}

impl RowWriter {
    pub(super) fn new(args: &Rows, job: &rows::Rows) -> Result<Self, RowsError> {
        let rejects = args.rejects.is_some();
        match args.format {
            Format::Text(format) => {
                let text = RowText::new(job, format)?.formulas(args.formulas).quote_empty(args.quote_empty);
                let text = if rejects { text.keep_unreadable(false) } else { text };
                Ok(RowWriter { tables: text.tables().to_vec(), kind: Kind::Text(text) })
            }
            Format::Arrow => {
                let arrow = RowArrow::new(job)?;
                let arrow = if rejects { arrow.keep_unreadable(false) } else { arrow };
                Ok(RowWriter { tables: arrow.tables().to_vec(), kind: Kind::Arrow(Box::new(Mutex::new(arrow))) })
            }
        }
    }

    /// Returns the tables of the rows.
    pub(super) fn tables(&self) -> &[RowTable] {
        &self.tables
    }

    /// Returns whether there are record types.
    pub(super) fn has_types(&self) -> bool {
        self.tables[0].record_type().is_some()
    }

    /// Returns how many outputs the rows go to.
    pub(super) fn texts(&self) -> usize {
        match &self.kind {
            Kind::Text(text) => text.texts(),
            Kind::Arrow(_) => 1,
        }
    }

    /// Returns what is at the beginning of an output.
    pub(super) fn header(&self, text: usize) -> Vec<u8> {
        match self.pen() {
            Pen::Text(rows) => rows.header(text),
            Pen::Arrow(rows) => rows.header().to_vec(),
        }
    }

    /// Whether any thread can write any rows.
    pub(super) fn is_parallel(&self) -> bool {
        matches!(self.kind, Kind::Text(_))
    }

    pub(super) fn pen(&self) -> Pen<'_> {
        match &self.kind {
            Kind::Text(text) => Pen::Text(text),
            Kind::Arrow(arrow) => Pen::Arrow(arrow.lock().unwrap_or_else(|poisoned| {
                // A panic is reported where it happens. What it left half done must not be written.
                arrow.clear_poison();
                let mut arrow = poisoned.into_inner();
                arrow.clear();
                arrow
            })),
        }
    }

    /// Returns what follows the rows of all inputs. After an error, the mark of the end is missing.
    pub(super) fn end(&self, is_complete: bool) -> Vec<u8> {
        let mut end = Vec::new();
        if let Pen::Arrow(mut arrow) = self.pen() {
            match is_complete {
                true => arrow.finish(&mut end),
                false => arrow.end_batch(&mut end),
            }
        }
        end
    }
}

impl Pen<'_> {
    /// Adds the row of a record, as [`RowText::write`] does.
    #[inline]
    pub(super) fn write(
        &mut self,
        reader: &mut RowReader,
        record: BatchRecord<'_>,
        input: &str,
        texts: &mut [Vec<u8>],
    ) -> Result<WrittenRow, FieldError> {
        match self {
            Pen::Text(rows) => rows.write(reader, record, input, texts),
            Pen::Arrow(rows) => rows.write(reader, record, input, &mut texts[0]),
        }
    }
}
