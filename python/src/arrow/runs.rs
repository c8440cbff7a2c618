//! Reads many records at once into the columns of a batch: [`Runs`].

use super::columns::Columns;
use super::failure::Failure;
use charpipe::fields::RunReader;
use charpipe::records::Records;
use std::io::BufRead;

/// The most bytes of a run, so that what is read again for each field is in the fastest memory.
const RUN: usize = 32 << 10;

/// The most records that are read one by one after runs of which none could be read.
const MAX_SINGLE: usize = 1 << 16;

/// Reads runs of records.
pub(super) struct Runs {
    reader: RunReader,
    /// How many records are read one by one before the next run is tried.
    left: usize,
    /// How many those were, the last time.
    single: usize,
}

/// How much a batch has room for, none of it 0. One record more fits too.
pub(super) struct Room {
    pub(super) rows: usize,
    pub(super) bytes: usize,
    pub(super) values: usize,
}

impl Runs {
    pub(super) fn new(reader: RunReader) -> Self {
        Runs { reader, left: 0, single: 0 }
    }

    /// Returns whether the next records can be a run. If not, one of them is read.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// Reads a run into the columns of a batch. Returns its length, or `None` if the next record has to be read by itself.
    pub(super) fn read(
        &mut self,
        records: &mut Records<Box<dyn BufRead + Send>>,
        columns: &mut Columns,
        room: &Room,
    ) -> Result<Option<usize>, Failure> {
        let (len, values) = (self.reader.record_len(), self.reader.values());
        let most = (RUN / len).max(1).min(room.rows);
        let most = most.min(room.bytes.div_ceil(len)).min(room.values.div_ceil(values));
        let Some(run) = records.next_run(len, most)? else { return Ok(None) };
        if columns.push_run(&mut self.reader, &run) {
            self.single = 0;
            return Ok(Some(run.data.len()));
        }
        // If most records need a closer look, there is no point in trying.
        self.single = (2 * self.single).clamp(run.count(), MAX_SINGLE.max(run.count()));
        self.left = self.single - 1;
        records.put_back_run();
        Ok(None)
    }
}
