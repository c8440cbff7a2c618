//! A transcoder for a part of the input: whether one can begin, and what it needs to end.

use super::cut::{Begin, Cutter};
use crate::error::Error;
use crate::records::Deframer;
use crate::transcoder::head::Head;
use crate::transcoder::report::{Faults, RecordsCut};
use crate::transcoder::run::Out;
use crate::transcoder::{Phase, Transcoder};

impl Transcoder {
    /// Whether parts may begin at the next boundary: the bytes that detection took are decoded, and so is the label.
    pub(super) fn is_cuttable(&self) -> bool {
        matches!(self.phase, Phase::Decode)
            && self.choice.is_none()
            && self.suspicion.is_over(self.run.bytes_in)
            && self.head.is_decoded()
            && self.route.as_ref().is_some_and(|route| route.is_past_head() && route.can_be_cut())
    }

    /// Whether it is at a boundary, with everything written.
    pub(super) fn is_at_boundary(&self) -> bool {
        self.is_cuttable()
            && self.run.queue.is_empty()
            && self.run.spill.is_empty()
            && self.route.as_ref().is_some_and(|route| route.is_at_boundary())
    }

    /// Finishes what stopped because the output was full when all input was taken. Returns how many bytes it wrote.
    pub(super) fn flush_text(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut written = 0;
        for _ in 0..4 {
            if self.is_at_boundary() || !matches!(self.phase, Phase::Decode) {
                break;
            }
            let mut out = Out::new(&mut buffer[written..]);
            if let Some(route) = &mut self.route {
                let is_over = route.decode(&mut self.run, &[], false, &mut out)?.is_over;
                self.decoded(0, is_over);
            }
            let len = out.written;
            self.run.report.bytes_out += len as u64;
            written += len;
            written += self.step(&[], &mut buffer[written..], false)?.written;
        }
        Ok(written)
    }

    /// Returns what finds the places to cut at; `None` before the verdict.
    pub(super) fn cutter(&self, deframer: Option<Deframer>) -> Option<Cutter> {
        self.route.as_ref().map(|route| Cutter::new(deframer, route))
    }

    /// How many bytes come before the next code unit.
    pub(super) fn first_unit(&self) -> usize {
        self.route.as_ref().map_or(0, |route| {
            let unit = route.source.code_unit().unwrap_or(1);
            (unit - route.source.pending() % unit) % unit
        })
    }

    /// A copy that starts afresh at input offset `at`, in the state `begin`.
    pub(super) fn fresh_at(&self, at: u64, begin: &Begin) -> Transcoder {
        let mut part = Transcoder::new(self.run.settings.clone());
        part.phase = Phase::Decode;
        part.head = Head::none();
        part.route = self.route.as_ref().and_then(|route| route.fresh_at(at, begin.as_ref()));
        part.run.bytes_in = at;
        let (report, whole) = (&mut part.run.report, &self.run.report);
        report.bytes_in = at;
        report.from.clone_from(&whole.from);
        report.read_as.clone_from(&whole.read_as);
        report.controls = whole.controls.as_ref().map(|_| Faults::new());
        report.record_newlines = whole.record_newlines.as_ref().map(|_| Faults::new());
        report.records_cut = whole.records_cut.as_ref().map(|_| RecordsCut::default());
        part
    }
}
