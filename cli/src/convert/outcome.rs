//! The outcome of one input.

use crate::convert::ended::Ended;
use crate::files::name::Name;
use crate::messages::hexdump::Piece;
use crate::status::Status;
use charpipe::Report;

pub(crate) struct Outcome {
    /// The name of the output.
    pub(crate) output: Name,
    pub(crate) report: Report,
    pub(crate) ended: Ended,
    /// Decisions that were made for this input; they are printed first.
    pub(crate) notes: Vec<String>,
    /// What to try, if the input turned out not to be in the encoding that was found.
    pub(crate) advice: Option<String>,
    /// The length of the input, if its end was reached.
    pub(crate) len: Option<u64>,
    /// The bytes around the error, if they will be shown.
    pub(crate) piece: Option<Piece>,
}

impl Outcome {
    /// Returns whether there is nothing to print, without `--verbose`.
    pub(crate) fn is_silent(&self) -> bool {
        self.ended.status() == Status::Done
            && self.notes.is_empty()
            && self.report.diagnostics.is_empty()
            && self.counts().next().is_none()
    }

    /// Returns how much the policies let pass, of each kind of which there is any.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (u64, &'static str)> {
        let Report { malformed, unmappable, controls, record_newlines, records_cut, .. } = &self.report;
        let counts = [
            (malformed.count, "malformed"),
            (unmappable.count, "unmappable"),
            (controls.as_ref().map_or(0, |controls| controls.count), "controls"),
            (record_newlines.as_ref().map_or(0, |newlines| newlines.count), "newlines in records"),
            (records_cut.as_ref().map_or(0, |cut| cut.count), "records cut"),
        ];
        counts.into_iter().filter(|(count, _)| *count > 0)
    }
}
