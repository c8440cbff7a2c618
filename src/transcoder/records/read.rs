//! The loop over the framing of a stream of records: what comes next.
//!
//! What moves together: `left` and the position in `text` follow what the deframer has announced, byte by byte. A fill
//! stops before anything that the caller has to know before the next text (`stop_before`).

use super::declaration::LabelEdits;
use super::position::Position;
use super::quick::{self, Quick};
use super::record::{Charset, EndOf, RecordText};
use crate::codec::{Stop, Utf8Sink};
use crate::detect::Diagnostic;
use crate::error::Error;
use crate::records::{Deframer, Part};
use crate::text::relabel::Edit;
use crate::transcoder::fill::{Chunk, Filled, SourceStop};
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::Input;

/// The records of an input.
#[derive(Clone)]
pub(in crate::transcoder) struct RecordsIn {
    deframer: Deframer,
    pub(in crate::transcoder) text: RecordText,
    /// Takes whole records at once, if that is possible.
    quick: Option<Quick>,
    /// The ends of files stop a fill.
    has_files: bool,
    /// How many bytes the deframer has announced as data that are still to come.
    left: usize,
    /// A fill ends before this record.
    pause: u64,
    is_over: bool,
}

/// The next stretch of the records, for a way that reads them as bytes.
pub(in crate::transcoder) enum RecordBytes {
    /// This many bytes of data.
    Data(usize),
    /// This many bytes of framing.
    Framing(usize),
    /// A record ends.
    End,
    /// A file ends. Only if the ends of files are written.
    FileEnd,
    NeedInput,
    /// The records are over.
    Done,
    /// The framing is invalid.
    Failed(Error),
}

/// The end of a long input is decoded in a separate fill of about this many bytes.
const LAST_BYTES: usize = 4 * 1024;

/// How many marks are made before the text is handed on.
const MAX_MARKS: usize = 4096;

impl RecordsIn {
    /// Returns `None` if the input has no records. `decoder`: a new one. For the others see [`RecordText::new`].
    pub(in crate::transcoder) fn new(
        input: &Input,
        decoder: &CheckedDecoder,
        (eol, finds_newlines): (Option<&'static str>, bool),
        bom_len: usize,
        charset: Charset,
    ) -> Option<Self> {
        let deframer = input.deframer()?;
        let text = RecordText::new(input, decoder, (eol, finds_newlines), bom_len, charset);
        let is_plain = input.columns.is_none() && input.carriage.is_none() && text.pending.trims_at_most_spaces();
        let quick = eol.filter(|_| is_plain).and_then(|eol| Quick::new(decoder, eol));
        Some(RecordsIn { deframer, text, quick, has_files: false, left: 0, pause: u64::MAX, is_over: false })
    }

    /// Stops a fill at the ends of files if `has_files`.
    pub(in crate::transcoder) fn with_files(self, has_files: bool) -> Self {
        RecordsIn { has_files, ..self }
    }

    /// A copy that starts afresh between two records, at input offset `at`, as `deframer` says.
    pub(in crate::transcoder) fn fresh_at(&self, at: u64, deframer: &Deframer) -> Self {
        let mut copy = self.clone();
        copy.deframer = deframer.clone();
        copy.text.position = Position::at_record(deframer.record(), at);
        copy
    }

    /// Whether it is between two records and holds nothing back.
    pub(in crate::transcoder) fn is_at_boundary(&self) -> bool {
        self.left == 0 && self.text.is_at_boundary() && self.is_past_head()
    }

    pub(in crate::transcoder) fn is_past_head(&self) -> bool {
        self.text.edits.is_empty() && !self.text.packed.is_on()
    }

    pub(in crate::transcoder) fn relabel(&mut self, edits: Vec<Edit>) {
        self.text.edits = LabelEdits::new(edits);
    }

    pub(in crate::transcoder) fn mark_ends(&mut self) {
        self.quick = None;
        self.text.mark_ends();
    }

    pub(in crate::transcoder) fn pause_after(&mut self, records: u64) {
        self.pause = self.text.position.record.saturating_add(records);
    }

    pub(in crate::transcoder) fn take_notes(&mut self) -> Vec<Diagnostic> {
        if !self.text.pending.is_flushed() {
            return Vec::new();
        }
        self.text.notes.extend(self.text.packed.judge());
        std::mem::take(&mut self.text.notes)
    }

    #[inline]
    pub(in crate::transcoder) fn whole_records(&mut self, src: &[u8], each: impl FnMut(&[u8]) -> bool) -> usize {
        if !self.is_at_boundary() {
            return 0;
        }
        quick::take_while(&mut self.deframer, &mut self.text.position, src, each)
    }

    /// Takes what comes next at the front of `src`, without decoding it. `eof`: nothing follows `src`.
    pub(in crate::transcoder) fn next_bytes(&mut self, src: &[u8], eof: bool) -> RecordBytes {
        loop {
            match self.deframer.next(src, eof) {
                Ok(Part::Data(len)) => {
                    self.text.position.take_data(len);
                    return RecordBytes::Data(len);
                }
                Ok(Part::Framing(len)) => {
                    self.text.position.take_framing(len as u64);
                    return RecordBytes::Framing(len);
                }
                Ok(Part::End) => return RecordBytes::End,
                Ok(Part::FileEnd) if !self.has_files => {}
                Ok(Part::FileEnd) => return RecordBytes::FileEnd,
                Ok(Part::NeedInput) => return RecordBytes::NeedInput,
                Ok(Part::Done) => return RecordBytes::Done,
                Err(error) => return RecordBytes::Failed(error),
            }
        }
    }

    /// Ends a record whose end [`next_bytes`](Self::next_bytes) returned.
    pub(in crate::transcoder) fn end_record(&mut self) {
        self.text.position.end_record();
    }

    pub(in crate::transcoder) fn fill(
        &mut self,
        decoder: &mut CheckedDecoder,
        chunk: Chunk<'_>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Filled, Error> {
        self.text.pending.begin_here(sink);
        let (begin, first) = (sink.written(), self.text.position.record);
        let mut read = 0;
        let stop = loop {
            if let Some(stop) = self.stop_before(first, read, chunk.bytes.len(), sink) {
                break stop;
            }
            let (len, stop) = self.next(decoder, chunk.after(read), sink)?;
            read += len;
            if let Some(stop) = stop {
                break stop;
            }
        };
        if !matches!(stop, SourceStop::Fault(_)) {
            self.text.pending.hold_trailing(sink);
        }
        self.text.find_newlines(&sink.as_bytes()[begin..], self.text.position.record - first);
        Ok(Filled { read, stop })
    }

    /// Writes what is pending. Returns the reason to stop before anything more is decoded, if there is one. `first`:
    /// the record in which the fill began; `read`: how many of the `given` bytes it took.
    #[inline]
    fn stop_before(&mut self, first: u64, read: usize, given: usize, sink: &mut Utf8Sink<'_>) -> Option<SourceStop> {
        if !self.text.pending.flush_pending(sink) || self.text.marks.len() >= MAX_MARKS {
            return Some(SourceStop::NeedRoom);
        }
        if let Some(fault) = self.text.pending.fault.take() {
            return Some(SourceStop::Fault(fault));
        }
        // If the output is records, the place of a record that continues after this text has to be looked for in all of
        // it. So the text ends with a record if it can: the records after that are a text by themselves.
        let is_long = self.text.eol.is_none() && given > 4 * LAST_BYTES;
        let is_enough = is_long && read >= given - LAST_BYTES && self.text.position.record > first;
        if self.text.position.record >= self.pause || (is_enough && self.text.position.is_at_record() && self.left == 0)
        {
            return Some(SourceStop::NeedRoom);
        }
        if !self.text.notes.is_empty() {
            // The notes come after the text so far, regardless of what follows in this input.
            return Some(SourceStop::NeedInput);
        }
        (self.text.found_newline || self.text.packed.is_due()).then_some(SourceStop::NeedRoom)
    }

    /// Does what comes next. Returns how many bytes of the chunk that takes, and why to stop, if it has to.
    #[inline]
    fn next(
        &mut self,
        decoder: &mut CheckedDecoder,
        chunk: Chunk<'_>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<(usize, Option<SourceStop>), Error> {
        if let Some(ended) = self.text.ended {
            return Ok(match self.text.finish(ended, decoder, sink)? {
                Stop::InputEmpty => (0, None),
                Stop::OutputFull => (0, Some(SourceStop::NeedRoom)),
                Stop::Fault(fault) => (0, Some(SourceStop::Fault(fault))),
            });
        }
        if !self.text.edits.is_empty() && self.text.write_label(self.left > 0 && !chunk.bytes.is_empty(), self.is_over)
        {
            return Ok((0, None));
        }
        if self.left > 0 {
            return self.next_data(decoder, chunk, sink);
        }
        if chunk.until.is_none()
            && let Some(read) = self.decode_quickly(decoder, chunk.bytes, sink)?
        {
            return Ok((read, None));
        }
        Ok(self.next_part(chunk, sink))
    }

    #[inline]
    fn next_data(
        &mut self,
        decoder: &mut CheckedDecoder,
        chunk: Chunk<'_>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<(usize, Option<SourceStop>), Error> {
        let data = chunk.up_to_limit(self.text.position.data);
        let data = &data[..data.len().min(self.left)];
        if data.is_empty() {
            return Ok((0, Some(SourceStop::NeedInput)));
        }
        let (read, stop) = self.text.data(decoder, data, sink)?;
        self.left -= read;
        let stop = match stop {
            Stop::InputEmpty => None,
            Stop::OutputFull => Some(SourceStop::NeedRoom),
            Stop::Fault(fault) if self.text.pending.is_flushed() => Some(SourceStop::Fault(fault)),
            Stop::Fault(fault) => {
                self.text.pending.fault = Some(fault);
                None
            }
        };
        Ok((read, stop))
    }

    /// Asks the deframer what comes next.
    fn next_part(&mut self, chunk: Chunk<'_>, sink: &Utf8Sink<'_>) -> (usize, Option<SourceStop>) {
        match self.deframer.next(chunk.bytes, chunk.eof) {
            Ok(Part::Data(len)) => self.left = len,
            Ok(Part::Framing(len)) => {
                self.text.position.take_framing(len as u64);
                return (len, None);
            }
            Ok(Part::End) => self.text.ended = Some(EndOf::Record),
            Ok(Part::FileEnd) if self.has_files => return (0, Some(SourceStop::FileEnd)),
            Ok(Part::FileEnd) => {}
            Ok(Part::NeedInput) => return (0, Some(SourceStop::NeedInput)),
            Ok(Part::Done) if !std::mem::replace(&mut self.is_over, true) => {
                self.text.end_input(sink);
            }
            Ok(Part::Done) => return (0, Some(SourceStop::Done)),
            Err(error) => return (0, Some(SourceStop::Failed(error))),
        }
        (0, None)
    }

    /// Decodes whole records at once, if it is between two of them. Returns how many bytes they take; `None`, with
    /// nothing changed, if they have to go one by one.
    #[inline]
    fn decode_quickly(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Option<usize>, Error> {
        if !self.text.is_at_start() || !self.is_past_head() {
            return Ok(None);
        }
        let Some(quick) = self.quick.as_mut().filter(|quick| quick.is_due(self.text.position.record)) else {
            return Ok(None);
        };
        let trims = self.text.pending.trims();
        let read = quick.decode(decoder, &mut self.deframer, &mut self.text.position, trims, src, sink)?;
        if read.is_some() {
            self.text.pending.begin_here(sink);
        }
        Ok(read)
    }
}
