//! Reuses the plan and the machines of an earlier message, for messages that arrive in pieces.
//!
//! Detection depends on the first bytes alone, and so does the plan that follows from it. A message that begins with
//! the same bytes as an earlier one, as far as detection took them, has the same verdict and the same plan, and the
//! machines of the earlier message can convert it, once they are back at their beginning. For plain text, fewer bytes
//! have to be alike: if nothing in a text decides about its encoding, it shares the verdict with any other such text.
//! Every other message takes the long way. The result, and the report, are the same. `recall.rs` has the steps.

use super::candidates::Candidates;
use super::doubts::Beginning;
use super::io::plain;
use super::message::is_plain;
use super::options::Settings;
use super::report::{Relabelled, Report};
use super::way::Route;
use crate::detect::{Detector, Diagnostic, LabelWatch, Looks, Source, Verdict};
use crate::transcoder::choices::OnUnknown;

/// The verdict and the plan of a message, as far as they change while it is converted.
#[derive(Clone, Copy)]
pub(super) struct Planned {
    /// How many bytes detection had taken.
    pub(super) head: usize,
    pub(super) bom_len: usize,
    /// How many diagnostics the report and the verdict had.
    pub(super) notes: (usize, usize),
    pub(super) looks: Option<Looks>,
    pub(super) is_ascii: bool,
    pub(super) doubts: Beginning,
    pub(super) is_believed: bool,
    pub(super) keeps_nel: bool,
    pub(super) hints_lf: bool,
    /// The output begins with a byte order mark.
    pub(super) is_marked: bool,
}

/// The state of a message that is kept for the next ones.
pub(super) struct Kept {
    /// The bytes that detection took.
    pub(super) head: Vec<u8>,
    /// Only the end of the input ended detection.
    pub(super) is_whole: bool,
    /// Any plain text has the same verdict.
    pub(super) is_plain: bool,
    pub(super) planned: Planned,
    /// What follows is in the transcoder and in its report while a message goes this way.
    pub(super) route: Option<Route>,
    pub(super) label: Option<LabelWatch>,
    pub(super) choice: Option<Candidates>,
    pub(super) verdict: Option<Verdict>,
    pub(super) from: Option<String>,
    pub(super) read_as: Option<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) relabelled: Option<Relabelled>,
    /// A detector, while the transcoder needs none.
    pub(super) detector: Option<Box<Detector>>,
    pub(super) state: State,
}

/// Which way a message goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// So far, it begins with the same bytes.
    Same,
    /// So far, it may be plain text.
    Plain,
    /// The kept one.
    InUse,
    /// The long one.
    Long,
}

impl Kept {
    /// Takes the parts of the report that were planned out of it, as they were then.
    pub(super) fn take_report(&mut self, report: &mut Report) {
        let Planned { notes, looks, is_ascii, .. } = self.planned;
        self.verdict = report.verdict.take().map(|mut verdict| {
            verdict.diagnostics.truncate(notes.1);
            Verdict { looks, ascii: is_ascii, ..verdict }
        });
        self.diagnostics = std::mem::take(&mut report.diagnostics);
        self.diagnostics.truncate(notes.0);
        self.from = report.from.take();
        self.read_as = report.read_as.take();
        self.relabelled = report.relabelled.take();
    }

    /// Puts them into an empty report.
    pub(super) fn put_report(&mut self, report: &mut Report, is_ascii: bool) {
        report.verdict = self.verdict.take().map(|verdict| Verdict { ascii: is_ascii, ..verdict });
        report.diagnostics = std::mem::take(&mut self.diagnostics);
        report.from = self.from.take();
        report.read_as = self.read_as.take();
        report.relabelled = self.relabelled.take();
    }

    /// Whether any plain text has this verdict.
    pub(super) fn is_for_plain_text(&self, settings: &Settings) -> bool {
        let Some(verdict) = &self.verdict else { return false };
        let hints = &settings.hints;
        let is_open = !hints.guess && hints.charset.is_none() && hints.policy.traits().checks_contents;
        let is_known = match verdict.source {
            Some(Source::User) => {
                let is_read_further = hints.policy.traits().always_guesses;
                !is_read_further && hints.from.as_ref().is_some_and(|from| plain::is_one_charset(&**from))
            }
            Some(Source::Default) => is_open && hints.fallback.is_none(),
            // Among several fallbacks, the text decides. If there is no choice to take back, it has decided already, for
            // that message only.
            Some(Source::Fallback) => {
                is_open && hints.fallback.is_some() && (hints.further_fallbacks.is_empty() || self.choice.is_some())
            }
            _ => false,
        };
        is_known
            && settings.unknown != OnUnknown::Pass
            && self.diagnostics == verdict.diagnostics
            && is_plain(verdict)
            && plain::keeps_plain_text(settings)
    }
}
