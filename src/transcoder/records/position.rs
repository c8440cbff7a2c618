//! The position of the reader of records in the input and in the record.

use crate::codec::MAX_FAULT;
use crate::transcoder::report::{Place, RecordPosition};

/// A position between two bytes. All of it moves together: each byte is counted by exactly one of the methods.
#[derive(Clone)]
pub(in crate::transcoder) struct Position {
    /// The number of the record, from 1.
    pub(in crate::transcoder) record: u64,
    /// How many bytes of the record's data were taken.
    pub(in crate::transcoder) column: u64,
    /// How many bytes of the input were taken.
    pub(in crate::transcoder) offset: u64,
    /// How many of those were data.
    pub(in crate::transcoder) data: u64,
    /// Framing within the record: after how many bytes of its data, and how long.
    jumps: Vec<(u64, u64)>,
}

/// A place that is asked for is at most this many bytes of data back: no fault and no space reaches farther.
const MAX_REACH: u64 = 4 * MAX_FAULT as u64;

impl Position {
    pub(in crate::transcoder) fn start() -> Self {
        Position { record: 1, column: 0, offset: 0, data: 0, jumps: Vec::new() }
    }

    /// The beginning of record number `record`, at `offset` of the input. Data is counted from here on.
    pub(in crate::transcoder) fn at_record(record: u64, offset: u64) -> Self {
        Position { record, offset, ..Position::start() }
    }

    /// Takes data of the record.
    #[inline]
    pub(in crate::transcoder) fn take_data(&mut self, len: usize) {
        self.column += len as u64;
        self.offset += len as u64;
        self.data += len as u64;
    }

    /// Takes framing.
    pub(in crate::transcoder) fn take_framing(&mut self, len: u64) {
        self.offset += len;
        if self.column > 0 {
            let column = self.column;
            self.jumps.retain(|(after, _)| after + MAX_REACH >= column);
            // Any number of segments without data may follow each other.
            match self.jumps.last_mut() {
                Some((after, so_far)) if *after == column => *so_far += len,
                _ => self.jumps.push((column, len)),
            }
        }
    }

    /// Takes whole records.
    #[inline]
    pub(in crate::transcoder) fn take_records(&mut self, records: u64, data: usize, framing: usize) {
        self.record += records;
        self.offset += (data + framing) as u64;
        self.data += data as u64;
    }

    /// Ends the record.
    pub(in crate::transcoder) fn end_record(&mut self) {
        self.record += 1;
        self.column = 0;
        self.jumps.clear();
    }

    /// Whether no byte of the record was taken.
    pub(in crate::transcoder) fn is_at_record(&self) -> bool {
        self.column == 0
    }

    /// The place that is `back` bytes of the record's data before this.
    pub(in crate::transcoder) fn back(&self, back: u64) -> Place {
        let column = self.column.saturating_sub(back);
        let framing: u64 = self.jumps.iter().filter(|(after, _)| *after > column).map(|(_, len)| len).sum();
        let offset = self.offset.saturating_sub(self.column - column + framing);
        Place { offset, record: Some(RecordPosition { number: self.record, column: column + 1 }), position: None }
    }
}
