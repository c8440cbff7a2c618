//! Turns a batch of records into rows. Batches are independent: any thread can do any of them.

use crate::messages::json;
use crate::rows::writer::{Pen, RowWriter};
use charpipe::Hex;
use charpipe::fields::FieldError;
use charpipe::rows::{self, Batch, BatchRecord, Counts, RowReader, RowsError};
use serde::Serialize;
use std::ops::Range;

/// The settings that all workers share.
pub(super) struct Job {
    pub(super) rows: RowWriter,
    /// Whether records that cannot be read are set aside.
    pub(super) reject: bool,
    /// Whether the rows are those of `--nest`.
    pub(super) nest: bool,
}

/// The rows of a batch, and what happened.
#[derive(Default)]
pub(super) struct Done {
    /// The rows: one text for each stream.
    pub(super) texts: Vec<Vec<u8>>,
    /// The number of rows in each table of the [`RowWriter`].
    pub(super) rows: Vec<u64>,
    /// With `--nest`: the records in order. Those that were rejected are only here.
    pub(super) pieces: Vec<Piece>,
    /// With `--nest` and `--rejects`: the bytes of the records.
    pub(super) bytes: Vec<u8>,
    /// Lines of JSON for `--rejects`.
    pub(super) rejects: String,
    pub(super) counts: Counts,
    /// The first rejected records.
    pub(super) rejected: Vec<Rejected>,
    /// The number of rows whose record has no type, although others have one.
    pub(super) untyped: u64,
    /// The error that ended the work. The rows before it are complete.
    pub(super) error: Option<RowsError>,
    /// The size of the rows and of the lines for `--rejects`.
    len: usize,
}

/// The result for a record, with `--nest`.
pub(super) enum Piece {
    Row(RowPiece),
    /// It was rejected, with this line for `--rejects`.
    Rejected(Rejected, String),
}

/// A row of a record, with `--nest`.
pub(super) struct RowPiece {
    /// Its table in the [`RowWriter`], if its type is known.
    pub(super) table: Option<usize>,
    /// Where its text ends.
    pub(super) end: usize,
    pub(super) number: u64,
    pub(super) offset: u64,
    /// The number of its parent.
    pub(super) parent: Option<u64>,
    /// Where its bytes are.
    pub(super) data: Range<usize>,
}

/// How much output of a batch is collected before it is written. A short record can become a long row: an array has a
/// column for each occurrence that it could have.
const MAX_OUTPUT: usize = 1 << 20;

/// A rejected record in the report.
#[derive(Serialize)]
pub(super) struct Rejected {
    pub(super) record: u64,
    pub(super) offset: u64,
    pub(super) code: &'static str,
}

impl Rejected {
    /// Returns the line of `--rejects`.
    pub(super) fn line(&self, input: &str, field: Option<&str>, message: String, data: &[u8]) -> String {
        let Rejected { record, offset, code } = *self;
        json::line(&RejectLine { input, record, offset, code, field, message, bytes: format!("{:X}", Hex(data)) })
    }
}

/// A line of `--rejects`.
#[derive(Serialize)]
struct RejectLine<'a> {
    input: &'a str,
    record: u64,
    offset: u64,
    code: &'static str,
    field: Option<&'a str>,
    message: String,
    bytes: String,
}

/// How many rejected records the report lists.
pub(super) const MAX_LISTED: usize = 16;

/// Works on batches, one after the other.
pub(super) struct Worker<'a> {
    job: &'a Job,
    /// The name of the input in JSON.
    input: &'a str,
    reader: RowReader,
}

impl<'a> Worker<'a> {
    pub(super) fn new(job: &'a Job, input: &'a str, reader: RowReader) -> Self {
        Worker { job, input, reader }
    }

    /// Adds the row of a record; nothing if it has an error.
    fn record(&mut self, pen: &mut Pen<'_>, record: BatchRecord<'_>, done: &mut Done) -> Result<(), FieldError> {
        let Worker { job: Job { reject, nest, .. }, input, reader } = self;
        let row = pen.write(reader, record, input, &mut done.texts)?;
        done.len += row.len;
        if *nest {
            let end = done.texts[row.text].len();
            done.add_piece(record, row.table, end, *reject);
        }
        match row.table {
            Some(table) => done.rows[table] += 1,
            None => done.untyped += 1,
        }
        Ok(())
    }

    #[cold]
    fn reject(&mut self, record: BatchRecord<'_>, error: &FieldError, done: &mut Done) {
        self.reader.reject();
        let rejected = Rejected { record: record.number, offset: record.offset_of(0), code: error.code() };
        let field = Some(error.path()).filter(|path| !path.is_empty());
        let line = rejected.line(self.input, field, error.to_string(), record.data);
        done.len += line.len();
        match self.job.nest {
            true => done.pieces.push(Piece::Rejected(rejected, line)),
            false => done.add_rejected(rejected, &line),
        }
    }
}

impl rows::Worker for Worker<'_> {
    type Done = Done;

    /// Turns the records of a batch into rows, from the one with the index `first` on, until there is enough output.
    fn work(&mut self, batch: &Batch, first: usize, done: &mut Done) -> Option<usize> {
        done.clear(&self.job.rows);
        let (mut pen, mut next) = (self.job.rows.pen(), None);
        for (index, record) in (first..).zip(batch.records(first)) {
            if done.len >= MAX_OUTPUT {
                next = Some(index);
                break;
            }
            match self.record(&mut pen, record, done) {
                Ok(()) => {}
                Err(error) if self.job.reject => self.reject(record, &error, done),
                Err(error) => {
                    done.error = Some(RowsError::Record { offset: record.offset_of(error.offset()), error });
                    break;
                }
            }
        }
        done.counts = self.reader.take_counts();
        next
    }
}

impl Done {
    /// Adds a row whose text ends at `end`. Its bytes are kept if it may still be rejected.
    fn add_piece(&mut self, record: BatchRecord<'_>, table: Option<usize>, end: usize, keeps_bytes: bool) {
        let begin = self.bytes.len();
        if keeps_bytes {
            self.bytes.extend_from_slice(record.data);
        }
        let data = begin..self.bytes.len();
        let (number, offset, parent) = (record.number, record.offset_of(0), record.parent.number());
        self.pieces.push(Piece::Row(RowPiece { table, end, number, offset, parent, data }));
    }

    /// Adds a rejected record.
    pub(super) fn add_rejected(&mut self, rejected: Rejected, line: &str) {
        if self.rejected.len() < MAX_LISTED {
            self.rejected.push(rejected);
        }
        self.rejects += line;
    }

    fn clear(&mut self, rows: &RowWriter) {
        self.texts.resize_with(rows.texts(), Vec::new);
        self.texts.iter_mut().for_each(Vec::clear);
        self.rows.clear();
        self.rows.resize(rows.tables().len(), 0);
        self.pieces.clear();
        self.bytes.clear();
        self.rejects.clear();
        self.rejected.clear();
        self.untyped = 0;
        self.error = None;
        self.len = 0;
    }
}
