//! Turns a batch of records into rows. Batches are independent: any thread can do any of them.

use crate::messages::json;
use crate::rows::batch::{Batch, Record};
use crate::rows::policy::Changed;
use crate::rows::row::{Row, RowPlan, Scratch};
use crate::rows::trouble::{BadRecord, Trouble};
use charpipe::Hex;
use charpipe::fields::Reader;
use serde::Serialize;

/// What all workers have in common.
pub(super) struct Job {
    pub(super) rows: RowPlan,
    /// Whether records with errors are set aside; otherwise the first one ends the work.
    pub(super) has_rejects: bool,
}

/// The rows of a batch, and what happened.
#[derive(Default)]
pub(super) struct Done {
    /// The rows: one text for each stream.
    pub(super) texts: Vec<String>,
    /// The number of rows in each table of the [`RowPlan`].
    pub(super) rows: Vec<u64>,
    /// Lines of JSON for `--rejects`.
    pub(super) rejects: String,
    pub(super) counts: Counts,
    /// The first rejected records.
    pub(super) rejected: Vec<Rejected>,
    /// The error that ended the work. The rows before it are complete.
    pub(super) trouble: Option<Trouble>,
    /// The size of the rows and of the lines for `--rejects`.
    len: usize,
}

/// How much output of a batch is collected before it is written. A short record can become a long row: an array has a
/// column for each occurrence that it could have.
const MAX_OUTPUT: usize = 1 << 20;

/// Counts of what was not as it should be, but let pass.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub(super) records: u64,
    pub(super) rejected: u64,
    /// Fields that could not be read and were left empty.
    pub(super) nulls: u64,
    /// Records that were longer than the layout.
    pub(super) cut: u64,
    pub(super) changed: Changed,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.records += other.records;
        self.rejected += other.rejected;
        self.nulls += other.nulls;
        self.cut += other.cut;
        self.changed.controls += other.changed.controls;
        self.changed.newlines += other.changed.newlines;
    }
}

/// A rejected record in the report.
#[derive(Serialize)]
pub(super) struct Rejected {
    pub(super) record: u64,
    pub(super) offset: u64,
    pub(super) code: &'static str,
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
    reader: Reader,
    scratch: Scratch,
}

impl<'a> Worker<'a> {
    pub(super) fn new(job: &'a Job, input: &'a str, reader: Reader) -> Self {
        Worker { job, input, reader, scratch: Scratch::default() }
    }

    /// Turns the records of a batch into rows, from the one with the index `first` on, until there is enough output.
    /// Returns the index of the record to go on with, if there are more. `done` is overwritten; its memory is used again.
    pub(super) fn work(&mut self, batch: &Batch, first: usize, done: &mut Done) -> Option<usize> {
        done.clear(&self.job.rows);
        self.scratch.changed = Changed::default();
        let mut next = None;
        for (index, record) in (first..).zip(batch.records(first)) {
            if done.len >= MAX_OUTPUT {
                next = Some(index);
                break;
            }
            match self.record(record, done) {
                Ok(()) => done.counts.records += 1,
                Err(error) if self.job.has_rejects => self.reject(record, &error, done),
                Err(error) => {
                    let offset = record.offset_of(error.place());
                    done.trouble = Some(Trouble::Record { offset, record: record.number, error });
                    break;
                }
            }
        }
        done.counts.changed = self.scratch.changed;
        next
    }

    /// Adds the row of a record; nothing if it has an error.
    fn record(&mut self, record: Record<'_>, done: &mut Done) -> Result<(), BadRecord> {
        let Worker { job: Job { rows, .. }, reader, scratch, .. } = self;
        let found = if rows.has_types() { reader.record_type(record.data) } else { None };
        // If there is no such table, the reader fails, or the type that it finds is another one.
        let index = rows.tables().iter().position(|table| table.record_type == found).unwrap_or(0);
        let text = &mut done.texts[rows.stream(index)];
        let len = text.len();
        let before = scratch.changed;
        let mut row = Row::begin(rows, &rows.tables()[index], record.number, text, scratch);
        let mut error = match reader.read(record.number, record.data, &mut row) {
            Ok(read) if rows.has_types() && read.record_type != rows.tables()[index].record_type => {
                BadRecord::OtherType { path: read.record_type.map(|item| reader.layout().path(item).to_owned()) }
            }
            Ok(read) => {
                row.end();
                done.len += text.len() - len;
                done.rows[index] += 1;
                done.counts.nulls += read.bad;
                done.counts.cut += u64::from(read.cut > 0);
                return Ok(());
            }
            Err(error) => error,
        };
        row.abandon();
        error.locate(reader.layout());
        scratch.changed = before;
        Err(error)
    }

    #[cold]
    fn reject(&self, record: Record<'_>, error: &BadRecord, done: &mut Done) {
        let (number, offset) = (record.number, record.offset_of(0));
        done.counts.records += 1;
        done.counts.rejected += 1;
        if done.rejected.len() < MAX_LISTED {
            done.rejected.push(Rejected { record: number, offset, code: error.code() });
        }
        let line = json::line(&RejectLine {
            input: self.input,
            record: number,
            offset,
            code: error.code(),
            field: error.field(),
            message: error.to_string(),
            bytes: format!("{:X}", Hex(record.data)),
        });
        done.len += line.len();
        done.rejects += &line;
    }
}

impl Done {
    fn clear(&mut self, plan: &RowPlan) {
        self.texts.resize_with(plan.streams(), String::new);
        self.texts.iter_mut().for_each(String::clear);
        self.rows.clear();
        self.rows.resize(plan.tables().len(), 0);
        self.rejects.clear();
        self.counts = Counts::default();
        self.rejected.clear();
        self.trouble = None;
        self.len = 0;
    }
}
