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
        let Report { malformed, unmappable, controls, record_newlines, records_cut, diagnostics, .. } = &self.report;
        let counted = [controls, record_newlines].into_iter().flatten().map(|counted| counted.count).sum::<u64>();
        let cut = records_cut.as_ref().map_or(0, |cut| cut.count);
        let counts = malformed.count + unmappable.count + counted + cut;
        self.ended.status() == Status::Done && self.notes.is_empty() && diagnostics.is_empty() && counts == 0
    }
}
