//! Turns input bytes into text: the decoder and, if the input consists of records, the deframer before it.

use super::fill::{Chunk, Filled, SourceStop};
use super::line_counter::LineCounter;
use super::records::read::{RecordBytes, RecordsIn};
use super::records::record::Mark;
use crate::codec::{Malformed, Stop, Utf8Sink};
use crate::detect::Diagnostic;
use crate::error::{Error, TextPosition};
use crate::records::Deframer;
use crate::text::relabel::Edit;
use crate::transcoder::guard::{CheckedDecoder, Passing};
use crate::transcoder::records::packed_watch::Seen;
use crate::transcoder::report::{MalformedAt, Place};

/// Decodes the input.
pub(super) struct Source {
    decoder: CheckedDecoder,
    records: Option<Box<RecordsIn>>,
    /// Counts lines and characters, if the job wants that and there are no records.
    counter: Option<LineCounter>,
}

/// A copy of a [`Source`] to go back to.
pub(super) struct Checkpoint {
    pub(super) source: Box<Source>,
    /// The evidence that the original had collected by then and evaluates later.
    seen: Option<Seen>,
}

impl Source {
    pub(super) fn new(decoder: CheckedDecoder, records: Option<RecordsIn>) -> Self {
        Source { decoder, records: records.map(Box::new), counter: None }
    }

    /// Counts lines and characters from here on, if there are no records.
    pub(super) fn counting(mut self) -> Self {
        if self.records.is_none() {
            self.counter = LineCounter::new(&self.decoder);
        }
        self
    }

    /// A copy in the same state, which does not pause.
    pub(super) fn fork(&self) -> Source {
        let (records, counter) = (self.records.clone(), self.counter.clone());
        let mut source = Source { decoder: self.decoder.fork(), records, counter };
        source.pause_after(u64::MAX);
        source
    }

    /// A copy that starts afresh at input offset `at`; if there are records, between two of them, as `deframer` says.
    pub(super) fn fresh_at(&self, at: u64, deframer: Option<&Deframer>) -> Source {
        let records =
            self.records.as_ref().zip(deframer).map(|(records, deframer)| Box::new(records.fresh_at(at, deframer)));
        Source { decoder: self.decoder.fresh_at(at), records, counter: None }
    }

    /// A place to go back to. `copy`: a copy of this.
    pub(super) fn checkpoint(&self, copy: Box<Source>) -> Checkpoint {
        let seen = self.records.as_ref().and_then(|records| records.text.packed.seen());
        Checkpoint { source: copy, seen }
    }

    /// Becomes a copy of `other`, of which this is a copy from earlier, as [`fork`](Self::fork) makes one.
    pub(super) fn copy_from(&mut self, other: &Source) {
        let is_copied = other.records.is_none() && self.records.is_none() && self.decoder.copy_from(&other.decoder);
        match is_copied {
            true => self.counter.clone_from(&other.counter),
            false => *self = other.fork(),
        }
    }

    /// Goes back to the beginning, for another input whose text begins at the offset `start`. Returns `false` if it
    /// cannot.
    pub(super) fn restart(&mut self, start: u64) -> bool {
        self.decoder.restart(start);
        if let Some(counter) = &mut self.counter {
            counter.restart();
        }
        self.records.is_none()
    }

    /// Goes back to an earlier state.
    pub(super) fn rewind(&mut self, before: Checkpoint) {
        let packed = self.records.as_mut().map(|records| records.text.packed.take());
        *self = *before.source;
        if let (Some(records), Some(packed)) = (&mut self.records, packed) {
            records.text.packed = packed.rewound(before.seen);
        }
    }

    /// Whether what comes next depends on nothing before it, except the numbers of records and what is reported once.
    pub(super) fn is_at_boundary(&self) -> bool {
        match &self.records {
            None => self.decoder.is_initial(),
            // Each record begins anew.
            Some(records) => self.decoder.pending() == 0 && records.is_at_boundary(),
        }
    }

    /// Whether the input can be cut: between some characters, or between records.
    pub(super) fn can_be_cut(&self) -> bool {
        match &self.records {
            None => self.decoder.has_state(),
            // What a printer does depends on what it printed before.
            Some(records) => records.text.printer.is_none(),
        }
    }

    /// The size of a code unit if the input can be cut between any two characters.
    pub(super) fn code_unit(&self) -> Option<usize> {
        if self.has_records() { None } else { self.decoder.code_unit() }
    }

    /// The decoder, if there are no records.
    pub(super) fn plain_decoder(&mut self) -> Option<&mut CheckedDecoder> {
        if self.records.is_none() { Some(&mut self.decoder) } else { None }
    }

    /// How many bytes of an unfinished character were taken.
    pub(super) fn pending(&self) -> usize {
        self.decoder.pending()
    }

    /// A new decoder, for trials.
    pub(super) fn new_decoder(&self) -> CheckedDecoder {
        self.decoder.fresh_at(0)
    }

    /// Sets the changes of the label in a document of records, in order. Their offsets count data.
    pub(super) fn relabel(&mut self, edits: Vec<Edit>) {
        if let Some(records) = &mut self.records {
            records.relabel(edits);
        }
    }

    /// From here on replaces malformed bytes, and counts them only; or stops at each if `passing` is `None`. Copies do
    /// so too, so that they make the same text.
    pub(super) fn pass(&mut self, passing: Option<Passing>) {
        self.decoder.pass(passing);
    }

    /// Returns what happens to malformed bytes; `None` if each is reported.
    pub(super) fn passing(&self) -> Option<Passing> {
        self.decoder.passing()
    }

    /// Returns how many malformed sequences were replaced since it was asked last.
    pub(super) fn take_replaced(&mut self) -> u64 {
        std::mem::take(self.decoder.replaced())
    }

    /// Whether a change of the label is still to come in the records.
    pub(super) fn has_edits(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.text.edits.is_empty())
    }

    /// Whether nothing is left to do that concerns the beginning of the input only.
    pub(super) fn is_past_head(&self) -> bool {
        self.records.as_ref().is_none_or(|records| records.is_past_head())
    }

    /// Whether the text of the last fill has a newline within a record, if that is looked for. Then the text has to be
    /// decoded again, by a copy from before it, with the ends of records marked.
    pub(super) fn found_newline(&self) -> bool {
        self.records.as_ref().is_some_and(|records| records.text.found_newline)
    }

    /// Returns what the first `records` show if an error follows them.
    pub(super) fn note_before_error(&mut self, records: u64) -> Option<Diagnostic> {
        self.records.as_mut()?.text.packed.judge_first(records)
    }

    /// From here on marks the ends of records, which were written as ends of lines, and does not look for newlines.
    pub(super) fn mark_ends(&mut self) {
        if let Some(records) = &mut self.records {
            records.mark_ends();
        }
    }

    /// How many bytes of data were taken: bytes of the input, without framing.
    pub(super) fn read(&self) -> u64 {
        self.records.as_ref().map_or(self.decoder.read(), |records| records.text.position.data)
    }

    pub(super) fn has_records(&self) -> bool {
        self.records.is_some()
    }

    /// How many records have ended.
    pub(super) fn records(&self) -> Option<u64> {
        self.records.as_ref().map(|records| records.text.position.record - 1)
    }

    /// Decodes the front of `chunk` into `sink`.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`](crate::error::ErrorKind::Codec) from a decoder that breaks its contract.
    pub(super) fn fill(&mut self, chunk: Chunk<'_>, sink: &mut Utf8Sink<'_>) -> Result<Filled, Error> {
        if let Some(records) = &mut self.records {
            return records.fill(&mut self.decoder, chunk, sink);
        }
        let before = sink.written();
        let step = self.decoder.feed(chunk.up_to_limit(self.decoder.read()), sink)?;
        if let Some(counter) = &mut self.counter {
            counter.add(sink.as_str().get(before..).unwrap_or_default());
        }
        let stop = match step.stop {
            Stop::InputEmpty => SourceStop::NeedInput,
            Stop::OutputFull => SourceStop::NeedRoom,
            Stop::Fault(fault) => SourceStop::Fault(fault),
        };
        Ok(Filled { read: step.read, stop })
    }

    /// Ends the input, if there are no records.
    ///
    /// # Errors
    /// As of [`fill`](Self::fill).
    pub(super) fn finish(&mut self, sink: &mut Utf8Sink<'_>) -> Result<Stop<Malformed>, Error> {
        let before = sink.written();
        let stop = self.decoder.finish(sink)?;
        self.count(sink.as_str().get(before..).unwrap_or_default());
        Ok(stop)
    }

    /// Takes bytes that were converted without [`fill`](Self::fill), and whose text is [counted](Self::count) by the
    /// caller. There are no records, and nothing is pending.
    pub(super) fn skip(&mut self, bytes: &[u8]) {
        self.decoder.skip(bytes);
    }

    /// Takes bytes that a table has translated, each a character.
    pub(super) fn skip_translated(&mut self, bytes: &[u8]) {
        self.decoder.skip(bytes);
        if let Some(counter) = &mut self.counter {
            counter.add_bytes(bytes);
        }
    }

    /// Counts text that comes next, if lines are counted.
    pub(super) fn count(&mut self, text: &str) {
        if let Some(counter) = &mut self.counter {
            counter.add(text);
        }
    }

    /// Counts a character that is not a newline, likewise.
    pub(super) fn count_char(&mut self) {
        if let Some(counter) = &mut self.counter {
            counter.add_char();
        }
    }

    /// Whether lines are counted.
    pub(super) fn is_counting(&self) -> bool {
        self.counter.is_some()
    }

    /// Returns the line and column after `bytes`, of a single-byte charset, if lines are counted.
    pub(super) fn position_after(&self, bytes: &[u8]) -> Option<TextPosition> {
        let mut counter = self.counter.clone()?;
        counter.add_bytes(bytes);
        Some(counter.position())
    }

    /// Returns the line and column of the first byte that is not decoded to text yet, if they are counted.
    pub(super) fn text_position(&self) -> Option<TextPosition> {
        self.counter.as_ref().map(|counter| counter.position())
    }

    /// Hands whole records from the front of `src` to `each`, for as long as it takes one. Takes nothing unless it is
    /// between two records and nothing is looked for in their bytes. Returns how many bytes they take, framing
    /// included.
    #[inline]
    pub(super) fn whole_records(&mut self, src: &[u8], each: impl FnMut(&[u8]) -> bool) -> usize {
        self.records.as_mut().map_or(0, |records| records.whole_records(src, each))
    }

    /// Takes what comes next at the front of `src`, without decoding it. `eof`: nothing follows `src`. There are
    /// records, and nothing of them is decoded.
    pub(super) fn next_bytes(&mut self, src: &[u8], eof: bool) -> RecordBytes {
        self.records.as_mut().map_or(RecordBytes::Done, |records| records.next_bytes(src, eof))
    }

    /// Ends a record whose end [`next_bytes`](Self::next_bytes) returned.
    pub(super) fn end_record(&mut self) {
        if let Some(records) = &mut self.records {
            records.end_record();
        }
    }

    /// From here on a fill ends after this many records, at the latest.
    pub(super) fn pause_after(&mut self, records: u64) {
        if let Some(these) = &mut self.records {
            these.pause_after(records);
        }
    }

    /// The place of the first byte that is not decoded to text yet.
    pub(super) fn place(&self) -> Place {
        self.place_back(self.decoder.pending() as u64)
    }

    /// How far the input was read. Does not ask the decoder, which may have panicked.
    pub(super) fn reached(&self) -> Place {
        self.place_back(0)
    }

    /// The place `back` bytes of the record, or of the input, before how far the input was read.
    fn place_back(&self, back: u64) -> Place {
        match &self.records {
            None => {
                let offset = self.decoder.read().saturating_sub(back);
                Place { offset, record: None, position: self.text_position() }
            }
            Some(records) => records.text.position.back(back),
        }
    }

    /// How many trailing spaces are held back, and their approximate position.
    pub(super) fn trailing(&self) -> Option<(Place, u64)> {
        let records = self.records.as_ref()?;
        let count = records.text.pending.trailing_count();
        (count > 0).then(|| (records.text.position.back(0), count))
    }

    /// Whether all decoded text is written, apart from trailing spaces.
    pub(super) fn is_flushed(&self) -> bool {
        self.records.as_ref().is_none_or(|records| records.text.pending.is_flushed())
    }

    /// Whether `ch` is a space that is trimmed at the end of a record.
    pub(super) fn is_blank(&self, ch: char) -> bool {
        self.records.as_ref().is_some_and(|records| records.text.pending.is_blank(ch))
    }

    /// Describes a fault that was just reported.
    pub(super) fn fault(&self, fault: Malformed) -> MalformedAt {
        let back = u64::from(fault.len) + u64::from(fault.after);
        let Place { offset, record, position } = self.place_back(back);
        MalformedAt { offset, bytes: self.decoder.fault_bytes(fault), record, position }
    }

    /// Whether the last fill marked anything.
    pub(super) fn has_marks(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.text.marks.is_empty())
    }

    /// Takes the marks in the text of the last fill.
    pub(super) fn take_marks(&mut self) -> Vec<(usize, Mark, Place)> {
        self.records.as_mut().map_or_else(Vec::new, |records| std::mem::take(&mut records.text.marks))
    }

    /// Takes the diagnostics, if all text before them is written.
    pub(super) fn take_notes(&mut self) -> Vec<Diagnostic> {
        self.records.as_mut().map_or_else(Vec::new, |records| records.take_notes())
    }
}
