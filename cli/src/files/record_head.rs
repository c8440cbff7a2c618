//! The beginning of an input of records, from which the shape of the records is found. `convert --records auto` and
//! `detect --records` both use it, so that they always agree.

use charpipe::Error;
use charpipe::records::{SNIFFED, Sniffed, TapeFile, look};
use std::io::{BufRead, Read as _};

/// The first bytes of an input, and what they tell about its records.
pub(crate) struct RecordHead {
    /// At most one byte more than [`SNIFFED`].
    pub(crate) bytes: Vec<u8>,
    /// There are no more than [`SNIFFED`] bytes in the input.
    pub(crate) is_whole: bool,
    pub(crate) sniffed: Sniffed,
}

impl RecordHead {
    /// Reads the beginning of `input`: one byte more than is examined, which tells whether that is all. `file` chooses a
    /// file of a tape image.
    pub(crate) fn read(input: &mut dyn BufRead, file: Option<&TapeFile>) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        input
            .take(SNIFFED as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| Error::read(bytes.len() as u64, source))?;
        let is_whole = bytes.len() <= SNIFFED;
        let sniffed = look(&bytes, is_whole, file);
        Ok(RecordHead { bytes, is_whole, sniffed })
    }

    /// Returns the number of bytes that were examined.
    pub(crate) fn examined(&self) -> usize {
        self.bytes.len().min(SNIFFED)
    }
}
