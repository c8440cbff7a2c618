//! The steps of the machine that reuse an earlier message's plan, and the steps that keep it.

use super::head::SearchEnd;
use super::kept::{Kept, Planned, State};
use super::run::Out;
use super::segment::Inserted;
use super::{Advance, Phase, Status, Transcoder, plan};
use crate::detect::{Detector, PlainStart};

/// The most bytes of the beginning that are kept.
const MAX_HEAD_BYTES: usize = 4 * 1024;

/// How many bytes are looked at to see whether a text is plain.
const PLAIN_BYTES: usize = 16;

impl Transcoder {
    /// Describes what was just planned; `None` if that depends on more than the head. `bom_len`: the length of the byte order
    /// mark.
    pub(super) fn describe_plan(&self, bom_len: usize) -> Option<Planned> {
        let Transcoder { route, run, head, .. } = self;
        let (route, verdict) = (route.as_ref()?, run.report.verdict.as_ref()?);
        if head.has_records() || run.settings.to_records.is_some() || verdict.expects_bmp {
            return None;
        }
        Some(Planned {
            head: head.bytes().len(),
            bom_len,
            notes: (run.report.diagnostics.len(), verdict.diagnostics.len()),
            looks: verdict.looks,
            is_ascii: verdict.ascii,
            doubts: self.suspicion.beginning(),
            is_believed: route.believed.is_some(),
            keeps_nel: route.newlines.is_watching(),
            hints_lf: route.target.hints_lf,
            is_marked: !run.queue.is_empty(),
        })
    }

    /// Takes what can be kept of the message that ends here, or of an earlier one.
    pub(super) fn keep(&mut self) -> Option<Box<Kept>> {
        let mut kept = self.kept.take();
        let is_done = self.is_done();
        if kept.as_ref().is_some_and(|kept| kept.state == State::InUse) {
            return kept.filter(|_| is_done).filter(|kept| self.restart(kept.planned)).map(|kept| self.take_back(kept));
        }
        let planned = self.planned.filter(|planned| is_done && planned.head <= MAX_HEAD_BYTES);
        let planned = planned.filter(|planned| self.head.end() != SearchEnd::Both && self.restart(*planned));
        let Some(planned) = planned else {
            self.run.spare.forget_source();
            if let Some(kept) = &mut kept {
                kept.state = State::Same;
            }
            return kept;
        };
        let mut head = self.head.take();
        head.truncate(planned.head);
        let mut kept = self.take_back(Box::new(Kept {
            head,
            is_whole: self.head.end() == SearchEnd::InputEnd,
            is_plain: false,
            planned,
            route: None,
            label: None,
            choice: None,
            verdict: None,
            from: None,
            read_as: None,
            diagnostics: Vec::new(),
            relabelled: None,
            detector: kept.and_then(|kept| kept.detector),
            state: State::Same,
        }));
        kept.is_plain = kept.is_for_plain_text(&self.run.settings);
        Some(kept)
    }

    /// Takes the machines of the last message back to their beginning. Returns `false` if that is not possible.
    fn restart(&mut self, planned: Planned) -> bool {
        let Some(route) = &mut self.route else { return false };
        route.target.hints_lf = planned.hints_lf;
        if planned.is_believed && route.believed.is_none() {
            route.believed = self.run.report.from.clone();
        }
        route.restart(planned.bom_len as u64, planned.keeps_nel)
    }

    /// Takes back what the last message needed.
    fn take_back(&mut self, mut kept: Box<Kept>) -> Box<Kept> {
        kept.choice = self.choice.take().or(self.past_choice.take());
        if let Some(choice) = &kept.choice {
            // Copies of the source may have made the choice already.
            self.run.spare.forget_source();
            choice.restart();
            self.run.report.set_codec(&choice.codecs()[0]);
            if let Some(verdict) = &mut self.run.report.verdict
                && verdict.encoding.as_deref() != choice.label()
            {
                verdict.encoding = choice.label().map(str::to_owned);
            }
        }
        kept.take_report(&mut self.run.report);
        (kept.route, kept.label) = (self.route.take(), self.label.take());
        kept.state = State::Same;
        kept
    }

    /// Goes the way of an earlier message, as far as this one is known to be like it. Returns `None` if it is not.
    pub(super) fn recall(&mut self, src: &[u8], eof: bool) -> Option<Advance> {
        let kept = self.kept.as_deref_mut()?;
        let held = self.head.bytes().len();
        if kept.state == State::Same {
            let rest = kept.head.get(held..).unwrap_or_default();
            let same = rest.iter().zip(src).take_while(|(one, other)| one == other).count();
            let is_end = eof && same == src.len();
            if same == rest.len() && is_end == kept.is_whole {
                let is_ascii = kept.planned.is_ascii;
                return Some(self.go_kept_way(&src[..same], is_ascii));
            }
            if same == src.len() && !is_end {
                return Some(self.wait_for_more(src));
            }
            kept.state = State::Plain;
        }
        if kept.state != State::Plain {
            return None;
        }
        let (mut bytes, Phase::Detect(detector)) = ([0; PLAIN_BYTES], &self.phase) else { return None };
        if !kept.is_plain || held >= PLAIN_BYTES {
            return Some(self.go_long_way());
        }
        let taken = src.len().min(PLAIN_BYTES - held);
        bytes[..held].copy_from_slice(self.head.bytes());
        bytes[held..][..taken].copy_from_slice(&src[..taken]);
        match detector.plain_so_far(&bytes[..held + taken]) {
            PlainStart::Plain(len) if len >= held => {
                Some(self.go_kept_way(&src[..len - held], bytes[..len].is_ascii()))
            }
            PlainStart::Open if !eof && taken == src.len() => Some(self.wait_for_more(src)),
            _ => Some(self.go_long_way()),
        }
    }

    /// Holds `src`, which does not show yet which way the message goes.
    fn wait_for_more(&mut self, src: &[u8]) -> Advance {
        if src.is_empty() {
            return Advance::Pause(Status::NeedInput);
        }
        self.head.hold(src);
        Advance::Read(src.len())
    }

    /// Begins to convert, as an earlier message was converted. `src`: what else belongs to the head.
    fn go_kept_way(&mut self, src: &[u8], is_ascii: bool) -> Advance {
        let Some(kept) = self.kept.as_deref_mut() else { return Advance::Read(0) };
        kept.state = State::InUse;
        let Planned { bom_len, doubts, is_marked, .. } = kept.planned;
        let at = bom_len as u64;
        self.head.hold(src);
        self.head.skip_bom(bom_len);
        kept.put_report(&mut self.run.report, is_ascii);
        plan::start_counters(&self.run.settings, &mut self.run.report);
        // As long as several fallbacks are possible, there is no label to watch.
        let label = kept.label.take().filter(|_| kept.choice.is_none());
        self.label = label.map(|label| label.restarted(at));
        self.suspicion.restart(doubts, at);
        self.run.stops_at_fault = self.suspicion.asks_decoder();
        (self.route, self.choice) = (kept.route.take(), kept.choice.take());
        if let Some(route) = self.route.as_mut().filter(|_| is_marked) {
            route.insert_checked(&mut self.run, Inserted::Static("\u{FEFF}"), 0);
        }
        if let Phase::Detect(detector) = std::mem::replace(&mut self.phase, Phase::Decode) {
            kept.detector = Some(detector);
        }
        Advance::Read(src.len())
    }

    /// Shows what is held to detection.
    fn go_long_way(&mut self) -> Advance {
        if let Some(kept) = &mut self.kept {
            kept.state = State::Long;
        }
        let held = self.head.take();
        let mut rest = &held[..];
        // None of it decides, so nothing is converted here, and nothing fails.
        while !rest.is_empty()
            && let Ok(Advance::Read(len)) = self.advance(rest, &mut Out::new(&mut []), false)
        {
            rest = &rest[len..];
        }
        Advance::Read(0)
    }

    /// Returns a new detector: one that is kept, if there is one.
    pub(super) fn new_detector(&mut self) -> Box<Detector> {
        let settings = &self.run.settings;
        let phase = std::mem::replace(&mut self.phase, Phase::Done);
        let used = if let Phase::Detect(detector) = phase { Some(detector) } else { None };
        match used.or_else(|| self.kept.as_mut()?.detector.take()) {
            Some(mut detector) => {
                detector.reset();
                detector
            }
            None => Box::new(Detector::for_conversion(settings.registry.clone(), settings.hints.clone())),
        }
    }
}
