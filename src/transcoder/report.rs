//! The account of a run.

use crate::detect::{Diagnostic, Verdict};
pub use crate::error::RecordPosition;

/// What a run did.
///
/// ```
/// use charpipe::{OnUnmappable, Transcode};
///
/// let job = Transcode::new().to("ISO-8859-1")?.unmappable(OnUnmappable::Replace);
/// let report = job.run("5 €".as_bytes(), Vec::new())?;
/// assert_eq!((report.from.as_deref(), &*report.to), (Some("UTF-8"), "ISO-8859-1"));
/// assert_eq!((report.bytes_in, report.bytes_out), (5, 3));
/// assert_eq!((report.unmappable.count, report.unmappable.first[0].ch), (1, '€'));
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Bytes taken from the input, byte order mark included.
    pub bytes_in: u64,
    /// Bytes delivered.
    pub bytes_out: u64,
    /// The charset that was decoded, once it was known.
    pub from: Option<String>,
    /// The charset that was written.
    pub to: String,
    /// Ill-formed input that a policy let pass.
    pub malformed: Faults,
    /// Characters that the target lacks and that a policy let pass.
    pub unmappable: Faults<UnmappableAt>,
    /// Control characters that a policy replaced or dropped; `None` where they are kept.
    pub controls: Option<Faults<UnmappableAt>>,
    /// Records that were read; `None` where the input was not taken for records.
    pub records: Option<u64>,
    /// Records that were written; `None` where the output is none.
    pub records_out: Option<u64>,
    /// Newlines within records that became blanks; `None` where that was not asked for.
    pub record_newlines: Option<Faults<UnmappableAt>>,
    /// Records that were written and had to be cut; `None` where that was not asked for.
    pub records_cut: Option<RecordsCut>,
    /// What became of the document's label; `None` where nothing had to change.
    pub relabelled: Option<Relabelled>,
    /// What detection answered, once it did.
    pub verdict: Option<Verdict>,
    /// What was seen on the way, detection's included.
    pub diagnostics: Vec<Diagnostic>,
}

/// Faults that a policy let pass: how many, and the first of them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Faults<F = MalformedAt> {
    /// How many there were.
    pub count: u64,
    /// The first [`Faults::KEPT`].
    pub first: Vec<F>,
}

/// A fault in the input.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MalformedAt {
    /// Its first byte, from 0.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The record and the column of the first byte, where there are records.
    pub record: Option<RecordPosition>,
}

/// A character that the target lacks, or that is not wanted there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnmappableAt {
    /// The first byte of the input that it came from, from 0.
    pub offset: u64,
    /// The character.
    pub ch: char,
    /// The record and the column of that byte, where there are records.
    pub record: Option<RecordPosition>,
}

/// Records that were cut because their text was too long for them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RecordsCut {
    /// How many records were cut.
    pub count: u64,
    /// How many bytes they lost together, as encoded in the target.
    pub bytes: u64,
    /// The first [`Faults::KEPT`] of them.
    pub first: Vec<CutRecord>,
}

/// A record that was cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CutRecord {
    /// Where its text begins in the input, from 0.
    pub offset: u64,
    /// Which record of the output it is, from 1.
    pub record: u64,
    /// How many bytes it lost, as encoded in the target.
    pub bytes: u64,
}

impl RecordsCut {
    pub(super) fn add(&mut self, cut: CutRecord) {
        self.append(RecordsCut { count: 1, bytes: cut.bytes, first: vec![cut] });
    }

    /// Adds those that follow.
    pub(super) fn append(&mut self, more: RecordsCut) {
        self.count += more.count;
        self.bytes += more.bytes;
        let room = Faults::<MalformedAt>::KEPT - self.first.len();
        self.first.extend(more.first.into_iter().take(room));
    }
}

/// A place in the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) record: Option<RecordPosition>,
}

impl From<u64> for Place {
    fn from(offset: u64) -> Self {
        Place { offset, record: None }
    }
}

/// A label that was made true.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Relabelled {
    /// The name that the declaration had.
    pub from: Option<String>,
    /// The name that it has now.
    pub to: String,
}

impl<F> Faults<F> {
    /// How many faults are kept with their place; the others are counted.
    pub const KEPT: usize = 16;

    pub(super) fn new() -> Self {
        Faults { count: 0, first: Vec::new() }
    }

    /// Counts a fault, and keeps it where it is one of the first; its place costs something to find.
    pub(super) fn add(&mut self, fault: impl FnOnce() -> F) {
        self.count += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(fault());
        }
    }
}

impl Report {
    pub(super) fn new(to: &str) -> Self {
        Report {
            bytes_in: 0,
            bytes_out: 0,
            from: None,
            to: to.to_owned(),
            malformed: Faults::new(),
            unmappable: Faults::new(),
            controls: None,
            records: None,
            records_out: None,
            record_newlines: None,
            records_cut: None,
            relabelled: None,
            verdict: None,
            diagnostics: Vec::new(),
        }
    }
}
