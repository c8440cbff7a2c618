//! Records without headers ([`Shape::Unframed`](super::Shape::Unframed)), whose own bytes determine their length.

use crate::error::ErrorKind;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Finds out how long records are from their bytes.
pub(crate) trait Measure: Send {
    /// Finds out how long the record is that begins with `bytes`, after which others may follow. More bytes never
    /// change the result, once it is not [`Measured::Needs`].
    fn measure(&mut self, bytes: &[u8]) -> Result<Measured, NoLength>;

    /// Returns the path of the field that the length comes from; nothing if it is the layout as a whole.
    fn field(&self) -> &str;

    fn boxed(&self) -> Box<dyn Measure>;
}

/// The length of a record, as far as its first bytes determine it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measured {
    /// The length, which is at least 1, and no less than the number of bytes that decide it.
    Length(usize),
    /// The record must have this many bytes, more than were given, before its length is known.
    Needs(usize),
}

/// Why the length of a record is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoLength {
    /// The path of the field that should say it; empty if it is the layout as a whole.
    pub(crate) field: String,
    /// Where that is in the record, in bytes from 0.
    pub(crate) offset: usize,
    /// The error in it.
    pub(crate) why: String,
}

impl NoLength {
    /// Returns the error for the record with this number, which begins at `begun` of the input.
    pub(crate) fn in_record(self, record: u64, begun: u64) -> ErrorKind {
        let NoLength { field, offset, why } = self;
        ErrorKind::BadRecordLength { offset: begun + offset as u64, record, begun, field, why }
    }
}

/// Measures one record after the other. Holds the bytes of a record that are not enough to know its length.
pub(super) struct Measuring {
    /// Locked by no one: it makes this type `Sync`.
    measure: Mutex<Box<dyn Measure>>,
    pub(super) held: Vec<u8>,
    /// How many bytes must be held before there is something to find out.
    pub(super) needed: usize,
    /// How many bytes are before and after the data of each record.
    around: (usize, usize),
}

impl Measuring {
    pub(super) fn new(measure: Box<dyn Measure>, around: (usize, usize)) -> Self {
        Measuring { measure: Mutex::new(measure), held: Vec::new(), needed: 0, around }
    }

    /// Measures the record that begins with `bytes`.
    pub(super) fn measure(&mut self, bytes: &[u8]) -> Result<Measured, NoLength> {
        measured(self.measure.get_mut().unwrap_or_else(PoisonError::into_inner), self.around, bytes)
    }

    /// Measures the record that begins with the held bytes.
    pub(super) fn measure_held(&mut self) -> Result<Measured, NoLength> {
        measured(self.measure.get_mut().unwrap_or_else(PoisonError::into_inner), self.around, &self.held)
    }

    /// Returns the path of the field that the length comes from.
    pub(super) fn field(&self) -> String {
        self.measure.lock().unwrap_or_else(PoisonError::into_inner).field().to_owned()
    }
}

/// Measures a record with `around` bytes before and after its data.
fn measured(measure: &mut Box<dyn Measure>, around: (usize, usize), bytes: &[u8]) -> Result<Measured, NoLength> {
    let (prefix, suffix) = around;
    let Some(data) = bytes.get(prefix..).filter(|data| !data.is_empty()) else {
        return Ok(Measured::Needs(prefix + 1));
    };
    match measure.measure(data) {
        Ok(Measured::Length(len)) => Ok(Measured::Length(prefix + len + suffix)),
        Ok(Measured::Needs(len)) => Ok(Measured::Needs(prefix + len)),
        Err(NoLength { field, offset, why }) => Err(NoLength { field, offset: prefix + offset, why }),
    }
}

impl Clone for Measuring {
    fn clone(&self) -> Self {
        let measure = self.measure.lock().unwrap_or_else(PoisonError::into_inner).boxed();
        Measuring { measure: Mutex::new(measure), held: self.held.clone(), needed: self.needed, around: self.around }
    }
}

impl fmt::Debug for Measuring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measuring").field("held", &self.held).field("needed", &self.needed).finish_non_exhaustive()
    }
}
