//! Several records of the same length, one after another: [`RecordRun`].

use super::record::{Pieces, Record};

/// Records of one length, with nothing between them, from [`Records::next_run`](super::Records::next_run).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordRun<'a> {
    /// The bytes of all records, unchanged from the input.
    pub data: &'a [u8],
    /// The length of each of them, at least 1.
    pub record_len: usize,
    /// The number of the first record, from 1.
    pub number: u64,
    /// The position in the input where the first record begins, in bytes from 0.
    pub offset: u64,
    /// The number of the file that they are in, from 1.
    pub file: u64,
}

impl<'a> RecordRun<'a> {
    /// Returns how many records there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.data.len() / self.record_len.max(1)
    }

    /// Returns the records one by one.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> {
        let RecordRun { data, record_len, number, offset, file } = *self;
        (0u64..).zip(data.chunks_exact(record_len.max(1))).map(move |(index, data)| {
            let offset = offset + index * record_len as u64;
            Record { data, number: number + index, offset, file, pieces: Pieces::One(offset) }
        })
    }
}
