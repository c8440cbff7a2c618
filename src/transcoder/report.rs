//! The report of a run.

use crate::codec::Codec;
use crate::detect::{CONTENTS_CONTRADICT, Diagnostic, Verdict};
pub use crate::error::{RecordPosition, TextPosition};
pub(super) use crate::text::Place;
use std::sync::Arc;

/// The report of a run.
///
/// ```
/// use charpipe::{OnUnmappable, Transcode};
///
/// let job = Transcode::new().target_encoding("ISO-8859-1")?.on_unmappable(OnUnmappable::Replace);
/// let report = job.run("5 €".as_bytes(), Vec::new())?;
/// assert_eq!((report.from.as_deref(), &*report.to), (Some("UTF-8"), "ISO-8859-1"));
/// assert_eq!((report.bytes_in, report.bytes_out), (5, 3));
/// assert_eq!((report.unmappable.count, report.unmappable.first[0].ch), (1, '€'));
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Bytes taken from the input, byte order mark included. After an error that has an [offset](crate::Error::offset),
    /// the bytes before it: however the input was cut, the number is the same. (If reading or writing failed, it is how
    /// much was taken by then.)
    pub bytes_in: u64,
    /// Bytes delivered.
    pub bytes_out: u64,
    /// The charset of the input, once it is known.
    pub from: Option<String>,
    /// Whether the input was not recognised as text and was copied ([`OnUnknown::Pass`](crate::OnUnknown::Pass)).
    pub passed: bool,
    /// The charset of the output.
    pub to: String,
    /// Malformed input that the policy allowed.
    pub malformed: Faults,
    /// The charset that malformed bytes were read as, if the job asked for that and the input's charset allows it.
    pub read_as: Option<String>,
    /// Characters that the target lacks and that the policy allowed.
    pub unmappable: Faults<UnmappableAt>,
    /// Control characters that the policy replaced or dropped; `None` if they are kept.
    pub controls: Option<Faults<UnmappableAt>>,
    /// Damaged text that was repaired; `None` if the job did not ask for repairs.
    pub mojibake: Option<Faults<RepairedAt>>,
    /// How many records were read; `None` if the input is not records.
    pub records: Option<u64>,
    /// How many records were written; `None` if the output is not records.
    pub records_out: Option<u64>,
    /// Newlines inside records that were replaced by spaces; `None` if the job did not ask for that.
    pub record_newlines: Option<Faults<UnmappableAt>>,
    /// Records that were too long and were cut; `None` if the job did not ask for that.
    pub records_cut: Option<RecordsCut>,
    /// How the document's label was changed; `None` if nothing had to change.
    pub relabelled: Option<Relabelled>,
    /// The verdict of detection, once there is one.
    pub verdict: Option<Verdict>,
    /// Warnings and hints, including those of detection.
    pub diagnostics: Vec<Diagnostic>,
}

/// Faults that a policy allowed: how many, and the first of them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Faults<F = MalformedAt> {
    /// How many there were.
    pub count: u64,
    /// The first [`Faults::KEPT`].
    pub first: Vec<F>,
}

/// Malformed bytes in the input.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MalformedAt {
    /// The offset of the first byte, from 0.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The record and the column of the first byte, if the input is records.
    pub record: Option<RecordPosition>,
    /// The line and column of the first byte. `None` if they are not known, or if there are no lines.
    pub position: Option<TextPosition>,
}

/// A character that the target lacks, or that a policy replaced or dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnmappableAt {
    /// The offset of the first byte of the input that it came from, from 0.
    pub offset: u64,
    /// The character.
    pub ch: char,
    /// The record and the column of that byte, if the input is records.
    pub record: Option<RecordPosition>,
    /// The line and column of that byte. `None` if they are not known, or if there are no lines.
    pub position: Option<TextPosition>,
}

/// A character that was made from damaged text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RepairedAt {
    /// The offset of the first byte of the input that the damaged text came from, from 0.
    pub offset: u64,
    /// The damaged text.
    pub before: String,
    /// The text that replaced it.
    pub after: String,
    /// The record and the column of that byte, if the input is records.
    pub record: Option<RecordPosition>,
    /// The line and column of that byte. `None` if they are not known, or if there are no lines.
    pub position: Option<TextPosition>,
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
    /// The offset in the input at which its text begins, from 0.
    pub offset: u64,
    /// The number of the record in the output, from 1.
    pub record: u64,
    /// How many bytes it lost, as encoded in the target.
    pub bytes: u64,
    /// The line and column in the input at which its text begins. `None` if they are not known, or if there are no
    /// lines.
    pub position: Option<TextPosition>,
}

impl RecordsCut {
    pub(super) fn add(&mut self, cut: CutRecord) {
        self.append(RecordsCut { count: 1, bytes: cut.bytes, first: vec![cut] });
    }

    /// Adds those that follow.
    pub(super) fn append(&mut self, more: RecordsCut) {
        self.count += more.count;
        self.bytes += more.bytes;
        let free = Faults::<MalformedAt>::KEPT - self.first.len();
        self.first.extend(more.first.into_iter().take(free));
    }
}

/// A label that was changed to name the target.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Relabelled {
    /// The name that the declaration had.
    pub from: Option<String>,
    /// The name that it has now.
    pub to: String,
}

impl<F> Faults<F> {
    /// How many faults are kept with their places; the others are only counted.
    pub const KEPT: usize = 16;

    pub(super) fn new() -> Self {
        Faults { count: 0, first: Vec::new() }
    }

    fn clear(&mut self) {
        self.count = 0;
        self.first.clear();
    }

    /// Adds those that follow.
    fn append(&mut self, more: Faults<F>) {
        self.count += more.count;
        let free = Self::KEPT - self.first.len();
        self.first.extend(more.first.into_iter().take(free));
    }

    /// Whether later faults are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.first.len() >= Self::KEPT
    }

    /// Lists a fault that is counted, if it is one of the first.
    #[cfg(feature = "mojibake")]
    pub(super) fn list(&mut self, fault: impl FnOnce() -> F) {
        if self.first.len() < Self::KEPT {
            self.first.push(fault());
        }
    }

    /// Counts a fault. It is made, which costs time, only if it is one of the first and kept.
    pub(super) fn add(&mut self, fault: impl FnOnce() -> F) {
        self.count += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(fault());
        }
    }
}

impl Report {
    /// Adds a diagnostic about the contents to the verdict.
    pub(super) fn add_to_verdict(&mut self, note: &Diagnostic) {
        if let Some(verdict) = &mut self.verdict {
            verdict.ascii = false;
            verdict.diagnostics.push(note.clone());
        }
    }

    /// Sets the codec that decodes the input, and its names.
    pub(super) fn set_codec(&mut self, codec: &Arc<dyn Codec>) {
        let set_name = |name: &mut Option<String>| {
            if name.as_deref() != Some(codec.name()) {
                *name = Some(codec.name().to_owned());
            }
        };
        set_name(&mut self.from);
        if let Some(verdict) = &mut self.verdict {
            set_name(&mut verdict.encoding);
            verdict.codec = Some(codec.clone());
        }
    }

    /// Adds the report of the part of the input that follows.
    pub(super) fn append(&mut self, part: Report) {
        self.bytes_in = part.bytes_in;
        self.bytes_out += part.bytes_out;
        self.malformed.append(part.malformed);
        self.unmappable.append(part.unmappable);
        if let (Some(controls), Some(more)) = (&mut self.controls, part.controls) {
            controls.append(more);
        }
        if let (Some(mojibake), Some(more)) = (&mut self.mojibake, part.mojibake) {
            mojibake.append(more);
        }
        if let (Some(newlines), Some(more)) = (&mut self.record_newlines, part.record_newlines) {
            newlines.append(more);
        }
        if let (Some(cut), Some(more)) = (&mut self.records_cut, part.records_cut) {
            cut.append(more);
        }
        self.records = part.records;
        self.records_out = part.records_out;
        for note in part.diagnostics {
            // One transcoder would report it once, and so do the parts together.
            if self.diagnostics.iter().all(|known| known.code != note.code) {
                if note.code == CONTENTS_CONTRADICT {
                    self.add_to_verdict(&note);
                }
                self.diagnostics.push(note);
            }
        }
    }

    /// Empties the report, for another input of the same job.
    pub(super) fn reset(&mut self) {
        let to = std::mem::take(&mut self.to);
        let mut malformed = std::mem::replace(&mut self.malformed, Faults::new());
        let mut unmappable = std::mem::replace(&mut self.unmappable, Faults::new());
        malformed.clear();
        unmappable.clear();
        *self = Report { to, malformed, unmappable, ..Report::new("") };
    }

    pub(super) fn new(to: &str) -> Self {
        Report {
            bytes_in: 0,
            bytes_out: 0,
            from: None,
            passed: false,
            to: to.to_owned(),
            malformed: Faults::new(),
            read_as: None,
            unmappable: Faults::new(),
            controls: None,
            mojibake: None,
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
