//! The steps of the machine that look for binary input, and the steps that report evidence against a label.

use super::doubts::{Suspicion, TAR_END, TAR_OFFSET, applies, show_label};
use super::head::Head;
use super::records::detection::HEAD_LIMIT;
use super::run::{Out, Work};
use super::{Advance, Phase, Status, Transcoder, candidates};
use crate::codec::Codec;
use crate::detect::statistics::{WINDOW, is_binary, looks_of};
use crate::detect::{
    BINARY_SAMPLE_BYTES, Detector, Diagnostic, LabelWatch, Looks, Severity, SignatureScan, Source, Verdict,
    binary_signature, contents_contradict, looks_like, refuse_binary,
};
use crate::error::{Error, ErrorKind};
use crate::transcoder::choices::OnMalformed;
use crate::transcoder::report::MalformedAt;
use std::sync::Arc;

/// How many of the next bytes may be decoded.
enum Clear {
    /// So many, at least one.
    Bytes(usize),
    /// It is not known before so many are there, or the input ends.
    Needs(usize),
    /// None: the input is not text, and the run has ended.
    Refused,
    /// None: the input is a tar archive.
    Tar,
}

impl Transcoder {
    /// Shows input to the scan for signatures of formats that are not text.
    pub(super) fn scan_signature(&mut self, src: &[u8], eof: bool) -> Advance {
        let Phase::Signature(scan) = &mut self.phase else { return Advance::Read(0) };
        let shown = self.head.show(&mut scan.1, src, eof, (true, HEAD_LIMIT));
        if shown.is_last {
            if let Phase::Signature(scan) = std::mem::replace(&mut self.phase, Phase::Decode) {
                let (verdict, scan) = *scan;
                self.scanned(verdict, &scan, shown.is_over && eof);
            }
        } else if shown.read == 0 {
            return Advance::Pause(Status::NeedInput);
        }
        Advance::Read(shown.read)
    }

    /// Continues after the scan: if it found a signature, detection says all that there is to say.
    pub(super) fn scanned(&mut self, verdict: Verdict, scan: &SignatureScan, ended: bool) {
        if scan.has_found() { self.recognise(verdict, ended) } else { self.consider_fallbacks(verdict, ended) }
    }

    /// Ends the run, because the input is not text.
    pub(super) fn refuse(&mut self, seen: Verdict, error: Error) {
        self.run.report.from = None;
        self.run.report.verdict = Some(seen);
        self.run.queue.clear();
        self.label = None;
        self.settle();
        self.fail(error);
    }

    /// There is no doubt left whether the input is text.
    fn settle(&mut self) {
        self.suspicion.settle();
        self.run.stops_at_fault = false;
    }

    /// Begins to look for what contradicts `codec`, which was found, from the offset `at` on. `is_chosen`: several
    /// fallbacks were possible until now.
    pub(super) fn begin_doubts(&mut self, codec: &Arc<dyn Codec>, is_chosen: bool, at: u64) {
        let settings = &self.run.settings;
        let Some(verdict) = self.run.report.verdict.as_ref() else { return };
        if is_chosen {
            self.suspicion.chosen(&**codec);
        } else {
            let codecs = self.choice.as_ref().map_or(std::slice::from_ref(codec), |choice| choice.codecs());
            self.suspicion = Suspicion::new(settings, verdict, codecs, at);
        }
        self.run.stops_at_fault = self.suspicion.asks_decoder();
        self.label = None;
        if applies(settings) && self.choice.is_none() {
            self.label = LabelWatch::new(&**codec, at);
        }
    }

    /// Where in the input the byte is that is decoded next.
    pub(super) fn position(&self) -> u64 {
        self.run.bytes_in - self.head.rest().len() as u64
    }

    /// Decodes the head, then input, as far as nothing that follows can forbid that.
    pub(super) fn decode(&mut self, src: &[u8], eof: bool, out: &mut Out<'_>) -> Result<Advance, Error> {
        if self.suspicion.is_over(self.position()) {
            self.settle();
        }
        if self.choice.is_none() && !self.suspicion.limits(self.position()) {
            return self.decode_all(src, eof, out);
        }
        let at = self.position();
        if self.head.is_decoded() {
            return match self.clear(src, eof, at)? {
                _ if src.is_empty() => self.decode_all(src, eof, out),
                Clear::Bytes(len) => self.decode_all(&src[..len], eof && len == src.len(), out),
                Clear::Needs(len) => Ok(self.hold(src, len)),
                Clear::Refused => Ok(Advance::Read(0)),
                Clear::Tar => Ok(self.refuse_tar(false)),
            };
        }
        // The head is set aside, because looking at it may change everything else.
        let head = std::mem::replace(&mut self.head, Head::none());
        let (held, is_end) = (head.rest().len(), eof && src.is_empty());
        let clear = self.clear(head.rest(), is_end, at);
        self.head = head;
        match clear? {
            Clear::Bytes(len) => self.decode_head(len, out),
            Clear::Needs(_) if src.is_empty() => Ok(Advance::Pause(Status::NeedInput)),
            Clear::Needs(len) => Ok(self.hold(src, len.saturating_sub(held).max(1))),
            Clear::Refused => Ok(Advance::Read(0)),
            Clear::Tar => Ok(self.refuse_tar(is_end)),
        }
    }

    /// Holds the first `len` bytes of `src` back, or all of it.
    fn hold(&mut self, src: &[u8], len: usize) -> Advance {
        let held = &src[..src.len().min(len)];
        self.head.hold(held);
        Advance::Read(held.len())
    }

    /// Returns how many bytes of `next`, which begins at offset `at`, may be decoded. `is_end`: nothing follows them.
    fn clear(&mut self, next: &[u8], is_end: bool, at: u64) -> Result<Clear, Error> {
        if next.is_empty() {
            return Ok(Clear::Needs(1));
        }
        let len = match self.clear_of_tar(next, is_end, at) {
            Clear::Bytes(len) => len,
            other => return Ok(other),
        };
        let len = match self.clear_ahead(next, len, is_end, at)? {
            Clear::Bytes(len) => len,
            other => return Ok(other),
        };
        let Some(choice) = &self.choice else { return Ok(Clear::Bytes(len)) };
        let common = choice.common_len(&next[..len]);
        if common > 0 {
            return Ok(Clear::Bytes(common));
        }
        let window = &next[..next.len().min(candidates::WINDOW_BYTES)];
        let is_end = is_end && window.len() == next.len();
        if window.len() < candidates::WINDOW_BYTES && !is_end {
            return Ok(Clear::Needs(candidates::WINDOW_BYTES));
        }
        // If the next byte, or the end, can make a difference, it is awaited.
        if window.len() == next.len() && !is_end && choice.depends_on_end(window) {
            return Ok(Clear::Needs(candidates::WINDOW_BYTES + 1));
        }
        self.choose(window, is_end, at);
        Ok(Clear::Bytes(len))
    }

    /// As far as the input cannot be a tar archive: up to the zero byte that may belong to the first name in it.
    fn clear_of_tar(&mut self, next: &[u8], is_end: bool, at: u64) -> Clear {
        if !self.suspicion.may_be_tar(at) {
            return Clear::Bytes(next.len());
        }
        let beginning = &next[..next.len().min((TAR_OFFSET - at) as usize)];
        match beginning.iter().position(|byte| *byte == 0) {
            None => Clear::Bytes(beginning.len()),
            Some(0) if next.len() < (TAR_END - at) as usize && !is_end => Clear::Needs((TAR_END - at) as usize),
            Some(0) if binary_signature(&[self.suspicion.sample.passed(), next].concat()).is_some() => Clear::Tar,
            Some(0) => {
                self.suspicion.is_no_tar();
                Clear::Bytes(next.len())
            }
            Some(zero) => Clear::Bytes(zero),
        }
    }

    /// As far as the watch that runs ahead of the decoder finds UTF-8 in the first `len` bytes of `next`.
    fn clear_ahead(&mut self, next: &[u8], len: usize, is_end: bool, at: u64) -> Result<Clear, Error> {
        let Some(watch) = self.suspicion.ahead() else { return Ok(Clear::Bytes(len)) };
        // It sees all that is there: what ends `len` is no end of the input.
        if watch.malformed_at().is_none() {
            let seen = (watch.taken().saturating_sub(at) as usize).min(next.len());
            watch.feed(&next[seen..]);
            if is_end {
                watch.end();
            }
        }
        let (malformed, decided) = (watch.malformed_at(), next.len().saturating_sub(watch.pending()));
        Ok(match malformed {
            Some(malformed) if malformed > at => Clear::Bytes(len.min((malformed - at) as usize)),
            Some(malformed) if malformed >= WINDOW as u64 => Clear::Bytes(len),
            Some(_) if next.len() < BINARY_SAMPLE_BYTES && !is_end => Clear::Needs(BINARY_SAMPLE_BYTES),
            Some(malformed) if self.judge(malformed, 0, next)? => Clear::Refused,
            Some(_) => Clear::Bytes(len),
            None if decided == 0 => Clear::Needs(next.len() + 1),
            None => Clear::Bytes(len.min(decided)),
        })
    }

    /// Lets detection report a tar archive. `is_end`: nothing follows what is held back.
    fn refuse_tar(&mut self, is_end: bool) -> Advance {
        let settings = &self.run.settings;
        let mut detector = Detector::new(settings.registry.clone(), settings.hints.clone());
        detector.feed(self.suspicion.sample.passed());
        detector.feed(self.head.rest());
        let Some(verdict) = self.run.report.verdict.clone() else { return Advance::Read(0) };
        if detector.is_done() || is_end {
            self.recognised(verdict, detector, is_end);
        } else {
            self.phase = Phase::Recognise(Box::new((verdict, detector)));
        }
        Advance::Read(0)
    }

    /// Whether the decoder has found the first sequence that is not UTF-8, and everything before it is written.
    pub(super) fn is_suspect(&self) -> bool {
        let is_in_window = |fault: &MalformedAt| !self.suspicion.is_over(fault.offset);
        self.suspicion.asks_decoder()
            && matches!(self.run.queue.front(), Some(Work::Malformed(fault)) if is_in_window(fault))
    }

    /// How many bytes of that sequence the decoder has read.
    pub(super) fn suspect_bytes(&self) -> usize {
        match self.run.queue.front() {
            Some(Work::Malformed(fault)) if self.is_suspect() => self.position().saturating_sub(fault.offset) as usize,
            _ => 0,
        }
    }

    /// Collects the bytes after that sequence, and judges.
    pub(super) fn suspect(&mut self, src: &[u8], eof: bool) -> Result<Advance, Error> {
        let Some(Work::Malformed(fault)) = self.run.queue.front() else { return Ok(Advance::Read(0)) };
        let offset = fault.offset;
        let back = self.position().saturating_sub(offset) as usize;
        let needed = BINARY_SAMPLE_BYTES.saturating_sub(back);
        let held = self.head.rest().len();
        if held < needed && !src.is_empty() {
            return Ok(self.hold(src, needed - held));
        }
        if held < needed && !eof {
            return Ok(Advance::Pause(Status::NeedInput));
        }
        // The head is set aside, because the judgement may change everything else.
        let head = std::mem::replace(&mut self.head, Head::none());
        let judged = self.judge(offset, back, &head.rest()[..held.min(needed)]);
        self.head = head;
        judged.map(|_| Advance::Read(0))
    }

    /// Judges by the bytes around the first sequence that is not UTF-8, at `offset`: `next`, and the last `back` bytes
    /// before them, whether the input is binary. Returns whether it is, and ends the run then.
    fn judge(&mut self, offset: u64, back: usize, next: &[u8]) -> Result<bool, Error> {
        let sample = &mut self.suspicion.sample;
        sample.begin(back);
        sample.take(next);
        let (bytes, registry) = (self.suspicion.sample.bytes().unwrap_or_default(), &self.run.settings.registry);
        let Some(verdict) = &self.run.report.verdict else { return Ok(false) };
        if is_binary(bytes, registry) {
            let mut verdict = verdict.clone();
            refuse_binary(&mut verdict, Some(offset), Looks::Binary.in_words());
            if let Some(error) = verdict.error.clone() {
                self.refuse(verdict, error);
            }
            return Ok(true);
        }
        let is_assumed = verdict.source == Some(Source::Default) && self.suspicion.asks_decoder();
        let looks = is_assumed.then(|| looks_of(bytes, registry));
        self.settle();
        looks.map_or(Ok(()), |looks| self.note_looks(looks))?;
        Ok(false)
    }

    /// Reports what an input looks like that nothing identifies and that is not UTF-8.
    fn note_looks(&mut self, looks: Looks) -> Result<(), Error> {
        let Some(verdict) = &mut self.run.report.verdict else { return Ok(()) };
        verdict.looks = Some(looks);
        let note = looks_like(looks).filter(|note| verdict.diagnostics.iter().all(|known| known.code != note.code));
        verdict.diagnostics.extend(note.clone());
        match note {
            // The malformed bytes are the error.
            Some(note) if self.run.settings.malformed == OnMalformed::Fail && self.run.settings.read_as.is_none() => {
                self.run.report.diagnostics.push(note);
                Ok(())
            }
            Some(note) => self.run.note(note),
            None => Ok(()),
        }
    }

    /// Reports the evidence against the label in the bytes up to `error`, as far as they were read or are at the front
    /// of `src`.
    pub(super) fn doubt_before(&mut self, error: &Error, src: &[u8]) {
        if let ErrorKind::Malformed { offset, bytes, .. } = error.kind() {
            // They contradict the label by themselves. The error says so; detection has it in the verdict.
            let believed = self.route.as_mut().and_then(|route| route.believed.take());
            let note =
                believed.map(|codec| contents_contradict(&codec, *offset, bytes).with_position(error.position()));
            return note.iter().for_each(|note| self.run.report.add_to_verdict(note));
        }
        let Some(end) = error.offset() else { return };
        let (at, held) = (self.position(), self.head.rest());
        let Some(label) = &mut self.label else { return };
        if !label.is_settled() {
            show_label(label, held, at, end.saturating_add(1));
            show_label(label, src, at + held.len() as u64, end.saturating_add(1));
        }
        if let Some(note) = self.doubt(Some(end)) {
            self.run.report.add_to_verdict(&note);
            self.run.report.diagnostics.push(note);
        }
        self.label = None;
    }

    /// Reports what the whole input has shown.
    ///
    /// # Errors
    /// [`ErrorKind::Strict`](crate::error::ErrorKind::Strict).
    pub(super) fn conclude(&mut self) -> Result<(), Error> {
        if let Some(label) = &mut self.label {
            label.end();
        }
        let concluded = match self.doubt(None) {
            Some(note) => self.run.note_contents(note),
            None => Ok(()),
        };
        self.locate_in_head(None);
        concluded
    }

    /// Returns the evidence against the label in the bytes up to the one at `end`, or in all of them.
    fn doubt(&self, end: Option<u64>) -> Option<Diagnostic> {
        // Malformed bytes contradict the label by themselves.
        let verdict = self.run.report.verdict.as_ref().filter(|_| self.run.report.malformed.count == 0)?;
        let note = self.label.as_ref()?.doubt(&**verdict.codec.as_ref()?, verdict.source, end)?;
        let known = &self.run.report.diagnostics;
        let note = Diagnostic { position: self.label_places.position(note.offset), ..note };
        known.iter().all(|other| other.code != note.code || other.severity == Severity::Hint).then_some(note)
    }
}
