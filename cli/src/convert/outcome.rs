//! The outcome of one input.

use crate::convert::ended::Ended;
use crate::files::name::Name;
use crate::messages::hexdump::Piece;
use crate::status::Status;
use charpipe::Report;

pub(crate) struct Outcome {
    /// The name of the output.
    pub(crate) output: Name,
    /// Boxed, because outcomes are moved often.
    pub(crate) report: Box<Report>,
    pub(crate) ended: Ended,
    /// Decisions that were made for this input; they are printed first.
    pub(crate) notes: Vec<String>,
    /// Advice, if the input turned out not to be in the encoding that was found.
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
        let Report { malformed, unmappable, controls, mojibake, record_newlines, records_cut, .. } = &*self.report;
        let counts = [
            (malformed.count, "malformed"),
            (unmappable.count, "unmappable"),
            (controls.as_ref().map_or(0, |controls| controls.count), "controls"),
            (mojibake.as_ref().map_or(0, |mojibake| mojibake.count), "repaired"),
            (record_newlines.as_ref().map_or(0, |newlines| newlines.count), "newlines in records"),
            (records_cut.as_ref().map_or(0, |cut| cut.count), "records cut"),
        ];
        counts.into_iter().filter(|(count, _)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe::{OnOverlong, Transcode};

    /// One of anything that is counted is printed, whatever else there is none of.
    #[test]
    fn each_count_is_printed() {
        let job = Transcode::new().target_encoding("IBM037").unwrap();
        let job = job.to_records("fb:3".parse().unwrap()).on_overlong(OnOverlong::Cut);
        let cut = job.run(&b"ABCD\n"[..], &mut Vec::new()).unwrap();
        let mut none = cut.clone();
        none.records_cut = None;
        let mut one = none.unmappable.clone();
        one.count = 1;
        let with = |change: &dyn Fn(&mut Report)| {
            let mut report = none.clone();
            change(&mut report);
            report
        };
        let is_silent = |report: Report| {
            let (output, report, notes) = (Name::stdout(), Box::new(report), Vec::new());
            Outcome { output, report, ended: Ended::Done, notes, advice: None, len: None, piece: None }.is_silent()
        };
        assert!(is_silent(none.clone()));
        assert!(!is_silent(cut.clone()));
        assert!(!is_silent(with(&|report| report.malformed.count = 1)));
        assert!(!is_silent(with(&|report| report.unmappable.count = 1)));
        assert!(!is_silent(with(&|report| report.controls = Some(one.clone()))));
        assert!(!is_silent(with(&|report| report.record_newlines = Some(one.clone()))));
    }
}
