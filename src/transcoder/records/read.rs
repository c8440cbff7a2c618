//! The loop over the framing of a stream of records: what comes next, and what becomes of it.
//!
//! Each record is decoded by itself: at its end the decoder is finished and reset. If columns are left out, each stretch
//! of text within a record is. Blanks at the end of a record are trimmed as text, whatever bytes they were; `trailing.rs`
//! holds them back until it is known whether they are the last.
//!
//! What moves together: bytes are taken by `take` and `decoded` alone, which keep `left` and `position` in step with the
//! deframer. Text that does not come straight from the decoder goes through `pending`, so that it stays in order with
//! trailing blanks. A fill stops before anything that the caller has to know before the next text (`stop_before`).

use super::label::LabelEdits;
use super::packed::PackedSearch;
use super::position::Position;
use super::print::RecordPrinter;
use super::quick::{self, Quick};
use super::source::{Chunk, Filled, SourceStop};
use super::trailing::Pending;
use crate::arch::{bytes::count_newlines, isa};
use crate::codec::{MIN_ROOM, Malformed, Stop, Utf8Sink};
use crate::detect::Diagnostic;
use crate::error::Error;
use crate::records::packed::PackedWatch;
use crate::records::{Columns, Deframer, Move, Part};
use crate::text::relabel::Edit;
use crate::transcoder::choices::{Gaps, Padding};
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::Input;
use crate::transcoder::report::Place;
use std::sync::Arc;

/// Something at a place in the text of a fill.
#[derive(Clone, Copy, Debug)]
pub(in crate::transcoder) enum Mark {
    /// A record ends.
    End,
    /// A printer moves.
    Move(Move),
}

/// What the reader has to know about the charset of the records.
#[derive(Clone, Copy)]
pub(in crate::transcoder) struct Charset {
    pub(in crate::transcoder) is_ebcdic: bool,
    /// It has U+0020; pure double-byte charsets have U+3000 instead.
    pub(in crate::transcoder) has_blank: bool,
}

/// What has ended, so that the decoder has to be finished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Record,
    /// A stretch of columns that are text.
    Field,
}

/// The records of an input.
#[derive(Clone)]
pub(in crate::transcoder) struct RecordsIn {
    deframer: Deframer,
    pub(super) position: Position,
    pending: Pending,
    /// The ends of lines that the ends of records become; `None` if they are marked instead.
    eol: Option<&'static str>,
    columns: Option<Arc<Columns>>,
    gaps: Gaps,
    printer: Option<RecordPrinter>,
    /// Shift codes become blanks.
    shifts_as_blanks: bool,
    /// The ends of files stop a fill.
    has_files: bool,
    /// Takes whole records at once, if that is possible.
    quick: Option<Quick>,
    /// How many bytes of data are a byte order mark and still to come.
    bom: u64,
    /// How many bytes the deframer has announced as data that are still to come.
    left: usize,
    /// What has ended, if the decoder is not finished yet.
    finishing: Option<Ended>,
    /// A fill ends before this record.
    pause: u64,
    /// Something was decoded since the decoder was reset.
    is_decoding: bool,
    edits: LabelEdits,
    /// Newlines within records are looked for, in text that goes straight into the output.
    finds_newlines: bool,
    /// There was one.
    found_newline: bool,
    pub(super) packed: PackedSearch,
    pub(super) marks: Vec<(usize, Mark, Place)>,
    notes: Vec<Diagnostic>,
    is_over: bool,
}

/// The end of a long input is decoded in a fill of its own, of about this many bytes.
const LAST_BYTES: usize = 4 * 1024;

/// How many marks are made before the text is handed on.
const MAX_MARKS: usize = 4096;

/// How far ahead a shift code is looked for that becomes a blank, in bytes.
const SHIFT_SEARCH_BYTES: usize = 256;

impl RecordsIn {
    /// Returns `None` if the input has no records. `decoder`: a new one. `eol`: the end of a line, if the ends of records
    /// are written, and whether newlines within records are looked for. `bom_len`: how many bytes of data are a byte order
    /// mark.
    pub(in crate::transcoder) fn new(
        input: &Input,
        decoder: &CheckedDecoder,
        (eol, finds_newlines): (Option<&'static str>, bool),
        bom_len: usize,
        charset: Charset,
    ) -> Option<Self> {
        let deframer = input.deframer()?;
        let blanks = trimmed(input.blanks, charset);
        let is_plain = input.columns.is_none() && input.carriage.is_none() && matches!(blanks, [] | [b" "]);
        let packed = (charset.is_ebcdic && input.columns.is_none()).then(|| PackedWatch::new(decoder.shifts()));
        Some(RecordsIn {
            deframer,
            position: Position::start(),
            pending: Pending::new(blanks),
            eol,
            columns: input.columns.clone().map(Arc::new),
            gaps: input.gaps,
            printer: input.carriage.map(|kind| RecordPrinter::new(kind, decoder)),
            shifts_as_blanks: input.shifts_as_blanks && decoder.shifts(),
            has_files: false,
            quick: eol.filter(|_| is_plain).and_then(|eol| Quick::new(decoder, eol)),
            bom: bom_len as u64,
            left: 0,
            finishing: None,
            pause: u64::MAX,
            is_decoding: false,
            edits: LabelEdits::default(),
            finds_newlines: finds_newlines && eol.is_some(),
            found_newline: false,
            packed: PackedSearch::new(packed),
            marks: Vec::new(),
            notes: Vec::new(),
            is_over: false,
        })
    }

    /// Stops a fill at the ends of files if `has_files`.
    pub(in crate::transcoder) fn with_files(self, has_files: bool) -> Self {
        RecordsIn { has_files, ..self }
    }

    /// A copy that starts between two records, at input offset `at`, as `deframer` says.
    pub(super) fn at(&self, at: u64, deframer: &Deframer) -> Self {
        let position = Position::at_record(deframer.record(), at);
        RecordsIn { deframer: deframer.clone(), position, ..self.clone() }
    }

    /// Whether it is between two records and holds nothing back.
    pub(super) fn is_at_boundary(&self) -> bool {
        let is_silent = self.printer.as_ref().is_some_and(|printer| printer.is_silent);
        let is_begun = !self.position.is_at_record() || self.left > 0 || self.bom > 0 || self.is_decoding || is_silent;
        let is_told = self.notes.is_empty() && self.marks.is_empty() && !self.found_newline;
        !is_begun && is_told && self.finishing.is_none() && self.pending.is_empty() && self.is_past_head()
    }

    pub(super) fn is_past_head(&self) -> bool {
        self.edits.is_empty() && !self.packed.is_on()
    }

    pub(super) fn is_printed(&self) -> bool {
        self.printer.is_some()
    }

    pub(super) fn is_blank(&self, ch: char) -> bool {
        self.pending.is_blank(ch)
    }

    pub(super) fn trailing_count(&self) -> u64 {
        self.pending.trailing_count()
    }

    pub(super) fn found_newline(&self) -> bool {
        self.found_newline
    }

    pub(super) fn relabel(&mut self, edits: Vec<Edit>) {
        self.edits = LabelEdits::new(edits);
    }

    pub(super) fn mark_ends(&mut self) {
        (self.eol, self.quick, self.finds_newlines) = (None, None, false);
    }

    pub(super) fn pause_after(&mut self, records: u64) {
        self.pause = self.position.record.saturating_add(records);
    }

    pub(super) fn take_notes(&mut self) -> Vec<Diagnostic> {
        if !self.pending.is_flushed() {
            return Vec::new();
        }
        self.notes.extend(self.packed.judge());
        std::mem::take(&mut self.notes)
    }

    #[inline]
    pub(super) fn whole_records(&mut self, src: &[u8], each: impl FnMut(&[u8]) -> bool) -> usize {
        if !self.is_at_boundary() {
            return 0;
        }
        quick::take_while(&mut self.deframer, &mut self.position, src, each)
    }

    pub(super) fn fill(
        &mut self,
        decoder: &mut CheckedDecoder,
        chunk: Chunk<'_>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Filled, Error> {
        self.pending.begin_here(sink);
        let (begin, first) = (sink.written(), self.position.record);
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
            self.pending.hold_trailing(sink);
        }
        self.find_newlines(&sink.as_bytes()[begin..], self.position.record - first);
        Ok(Filled { read, stop })
    }

    /// Writes what is pending. Returns the reason to stop before anything more is decoded, if there is one. `first`: the
    /// record in which the fill began; `read`: how many of the `given` bytes it took.
    #[inline]
    fn stop_before(&mut self, first: u64, read: usize, given: usize, sink: &mut Utf8Sink<'_>) -> Option<SourceStop> {
        if !self.pending.flush_pending(sink) || self.marks.len() >= MAX_MARKS {
            return Some(SourceStop::NeedRoom);
        }
        if let Some(fault) = self.pending.fault.take() {
            return Some(SourceStop::Fault(fault));
        }
        // If the output is records, the place of a record that continues after this text has to be looked for in all of
        // it. So the text ends with a record if it can: the records after that are a text by themselves.
        let is_long = self.eol.is_none() && given > 4 * LAST_BYTES;
        let is_enough = is_long && read >= given - LAST_BYTES && self.position.record > first;
        if self.position.record >= self.pause || (is_enough && self.position.is_at_record() && self.left == 0) {
            return Some(SourceStop::NeedRoom);
        }
        if !self.notes.is_empty() {
            // The notes come after the text so far, whatever follows in this input.
            return Some(SourceStop::NeedInput);
        }
        (self.found_newline || self.packed.is_due()).then_some(SourceStop::NeedRoom)
    }

    /// Does what comes next. Returns how many bytes of the chunk that takes, and why to stop, if it has to.
    #[inline]
    fn next(
        &mut self,
        decoder: &mut CheckedDecoder,
        chunk: Chunk<'_>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<(usize, Option<SourceStop>), Error> {
        if let Some(ended) = self.finishing {
            return Ok(match self.finish(ended, decoder, sink)? {
                Stop::InputEmpty => (0, None),
                Stop::OutputFull => (0, Some(SourceStop::NeedRoom)),
                Stop::Fault(fault) => (0, Some(SourceStop::Fault(fault))),
            });
        }
        if !self.edits.is_empty() && self.write_label(!chunk.bytes.is_empty()) {
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
        let data = chunk.up_to_limit(self.position.data);
        let data = &data[..data.len().min(self.left)];
        if data.is_empty() {
            return Ok((0, Some(SourceStop::NeedInput)));
        }
        let (read, stop) = self.data(decoder, data, sink)?;
        let stop = match stop {
            Stop::InputEmpty => None,
            Stop::OutputFull => Some(SourceStop::NeedRoom),
            Stop::Fault(fault) if self.pending.is_flushed() => Some(SourceStop::Fault(fault)),
            Stop::Fault(fault) => {
                self.pending.fault = Some(fault);
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
                self.position.take_framing(len as u64);
                return (len, None);
            }
            Ok(Part::End) => self.finishing = Some(Ended::Record),
            Ok(Part::FileEnd) if self.has_files => return (0, Some(SourceStop::FileEnd)),
            Ok(Part::FileEnd) => {}
            Ok(Part::NeedInput) => return (0, Some(SourceStop::NeedInput)),
            Ok(Part::Done) if !std::mem::replace(&mut self.is_over, true) => {
                if let Some(moved) = self.printer.as_mut().map(RecordPrinter::finish) {
                    self.move_printer(moved, sink);
                }
                self.packed.end();
            }
            Ok(Part::Done) => return (0, Some(SourceStop::Done)),
            Err(error) => return (0, Some(SourceStop::Failed(error))),
        }
        (0, None)
    }

    /// Looks for newlines in `text`, other than those that end the `records` that ended in it. In all of it at once: a
    /// search in each record would take longer than decoding it.
    fn find_newlines(&mut self, text: &[u8], records: u64) {
        if let Some(eol) = self.eol.filter(|_| self.finds_newlines) {
            let ends = records * count_newlines(isa(), eol.as_bytes()) as u64;
            self.found_newline |= count_newlines(isa(), text) as u64 > ends;
        }
    }

    /// Decodes whole records at once, if it is between two of them. Returns how many bytes they take; `None`, with nothing
    /// changed, if they have to go one by one.
    #[inline]
    fn decode_quickly(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Option<usize>, Error> {
        let is_between = self.position.is_at_record() && self.bom == 0 && !self.is_decoding;
        if !is_between || !self.is_past_head() {
            return Ok(None);
        }
        let Some(quick) = self.quick.as_mut().filter(|quick| quick.is_due(self.position.record)) else {
            return Ok(None);
        };
        let trims = self.pending.trims();
        let read = quick.decode(decoder, &mut self.deframer, &mut self.position, trims, src, sink)?;
        if read.is_some() {
            self.pending.begin_here(sink);
        }
        Ok(read)
    }

    /// Takes data of the record, up to where something changes in it.
    #[inline]
    fn data(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<(usize, Stop<Malformed>), Error> {
        let (src, is_old_label) = self.edits.limit(src, self.position.data);
        let mut src = match self.take_non_text(src, is_old_label, sink) {
            NonText::Taken(len) => return Ok((len, Stop::InputEmpty)),
            NonText::Text(len) => &src[..len],
        };
        self.is_decoding = true;
        if is_old_label {
            return self.drop_label(decoder, &src[..src.len().min(MIN_ROOM)]);
        }
        let mut shift = None;
        if self.shifts_as_blanks {
            // No farther than is decoded at a time: after a fault the search begins again.
            src = &src[..src.len().min(SHIFT_SEARCH_BYTES)];
            looked_at(src.len());
            if let Some(at) = src.iter().position(|byte| matches!(byte, 0x0E | 0x0F)) {
                src = &src[..at + 1];
                shift = Some(at + 1);
            }
        }
        if self.pending.has_trailing() {
            let few = src.len().min(MIN_ROOM);
            return self.after_trailing(decoder, &src[..few], shift.filter(|at| *at <= few));
        }
        let step = decoder.feed(src, sink)?;
        self.decoded(&src[..step.read]);
        if step.stop == Stop::InputEmpty && shift == Some(step.read) && !sink.push(' ') {
            self.pending.push_blank(sink);
        }
        Ok((step.read, step.stop))
    }

    /// Takes what is not text at the front of `src`, which has at least one byte.
    #[inline]
    fn take_non_text(&mut self, src: &[u8], is_old_label: bool, sink: &Utf8Sink<'_>) -> NonText {
        if self.bom > 0 {
            let len = (src.len() as u64).min(self.bom) as usize;
            self.bom -= len as u64;
            return self.take(len);
        }
        if let Some(printer) = &mut self.printer {
            if self.position.is_at_record() {
                let (moved, note) = printer.begin(src[0], self.position.offset);
                self.notes.extend(note);
                self.move_printer(moved, sink);
                return self.take(1);
            }
            if printer.is_silent {
                return self.take(src.len());
            }
        }
        let Some(columns) = &self.columns else { return NonText::Text(src.len()) };
        let (is_text, len) = columns.stretch(self.position.column);
        let src = &src[..(src.len() as u64).min(len) as usize];
        if is_text {
            return NonText::Text(src.len());
        }
        if self.is_decoding {
            self.finishing = Some(Ended::Field);
            return NonText::Taken(0);
        }
        if is_old_label || self.gaps == Gaps::Drop {
            return self.take(src.len());
        }
        self.write_hex(&src[..src.len().min(MIN_ROOM)])
    }

    /// Writes columns that are not text as hex digits.
    fn write_hex(&mut self, src: &[u8]) -> NonText {
        self.pending.release_trailing();
        for byte in src {
            for digit in [byte >> 4, byte & 15] {
                let digit = char::from_digit(digit.into(), 16).unwrap_or_default();
                self.pending.push(digit.to_ascii_uppercase());
            }
        }
        self.take(src.len())
    }

    /// Decodes data after trailing blanks into a buffer of its own: it may be more of them.
    fn after_trailing(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        shift: Option<usize>,
    ) -> Result<(usize, Stop<Malformed>), Error> {
        let mut buffer = [0; 4 * MIN_ROOM];
        let mut side = Utf8Sink::new(&mut buffer);
        let step = decoder.feed(src, &mut side)?;
        self.decoded(&src[..step.read]);
        self.found_newline |= self.finds_newlines && count_newlines(isa(), side.as_bytes()) > 0;
        if step.stop == Stop::InputEmpty && shift == Some(step.read) {
            // There is space for this after the text of a few bytes.
            side.push(' ');
        }
        let text = self.pending.take_blanks(side.as_str());
        if matches!(step.stop, Stop::Fault(_)) {
            self.pending.release_trailing();
            self.pending.push_str(text);
        } else if !text.is_empty() {
            self.pending.push_record_text(text);
        }
        Ok((step.read, in_own_buffer(step.stop)))
    }

    /// Writes the new label if it is due. Returns whether anything changed. `has_input`: there is input left.
    fn write_label(&mut self, has_input: bool) -> bool {
        let due = self.edits.due(self.position.data, self.left > 0 && has_input, self.is_over);
        if let Some(label) = due.as_ref().filter(|label| !label.is_empty()) {
            self.pending.release_trailing();
            self.pending.push_str(label);
        }
        due.is_some()
    }

    /// Decodes bytes of the old label, so that the decoder's state is right, and drops their text.
    fn drop_label(&mut self, decoder: &mut CheckedDecoder, src: &[u8]) -> Result<(usize, Stop<Malformed>), Error> {
        let mut buffer = [0; 4 * MIN_ROOM];
        let step = decoder.feed(src, &mut Utf8Sink::new(&mut buffer))?;
        self.decoded(&src[..step.read]);
        Ok((step.read, in_own_buffer(step.stop)))
    }

    /// Finishes the decoder and, if that has ended, the record.
    fn finish(
        &mut self,
        ended: Ended,
        decoder: &mut CheckedDecoder,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Stop<Malformed>, Error> {
        if self.is_decoding {
            let stop = self.finish_decoder(decoder, sink)?;
            if self.is_decoding {
                return Ok(stop);
            }
        }
        if ended == Ended::Record {
            if self.pending.has_text() {
                // The last text of the record is not written yet, and its blanks are to be trimmed after that.
                return Ok(Stop::InputEmpty);
            }
            if self.printer.is_none() && self.eol.is_some_and(|eol| sink.room() < eol.len()) {
                // The end of the line must not become pending: it would be taken for a newline within a record.
                return Ok(Stop::OutputFull);
            }
            self.end_record(sink);
        }
        self.finishing = None;
        Ok(Stop::InputEmpty)
    }

    /// Finishes the decoder; once that is done, nothing is decoding.
    fn finish_decoder(
        &mut self,
        decoder: &mut CheckedDecoder,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Stop<Malformed>, Error> {
        let before = sink.written();
        let stop = decoder.finish(sink)?;
        if sink.written() > before && self.pending.has_trailing() {
            // What the end brings forth stands after the blanks.
            let text = sink.as_str()[before..].to_owned();
            sink.truncate(before);
            self.pending.push_record_text(&text);
        }
        match stop {
            Stop::InputEmpty => {
                decoder.reset();
                self.is_decoding = false;
            }
            Stop::OutputFull => {}
            Stop::Fault(fault) => {
                self.pending.release_trailing();
                if !self.pending.is_flushed() {
                    self.pending.fault = Some(fault);
                    return Ok(Stop::InputEmpty);
                }
            }
        }
        Ok(stop)
    }

    fn end_record(&mut self, sink: &mut Utf8Sink<'_>) {
        self.pending.trim(sink);
        match &mut self.printer {
            Some(printer) => {
                let begun = self.position.is_at_record().then(|| printer.begin_empty());
                let moved = printer.end();
                begun.into_iter().chain([moved]).for_each(|moved| self.move_printer(moved, sink));
            }
            None => match self.eol {
                None => self.mark(Mark::End, sink),
                Some(eol) => _ = sink.push_str(eol),
            },
        }
        self.packed.end_record();
        self.position.end_record();
        self.pending.begin_here(sink);
    }

    fn mark(&mut self, mark: Mark, sink: &Utf8Sink<'_>) {
        self.marks.push((sink.written(), mark, self.position.back(0)));
    }

    fn move_printer(&mut self, moved: Move, sink: &Utf8Sink<'_>) {
        if moved == Move::default() {
            return;
        }
        let Some(eol) = self.eol else {
            self.mark(Mark::Move(moved), sink);
            return;
        };
        (0..moved.lines).for_each(|_| self.pending.push_str(eol));
        moved.then.into_iter().for_each(|ch| self.pending.push(ch));
    }

    /// Takes bytes that were decoded.
    #[inline]
    fn decoded(&mut self, bytes: &[u8]) {
        self.packed.see(self.position.offset, bytes);
        self.left -= bytes.len();
        self.position.take_data(bytes.len());
    }

    /// Takes data that is not decoded.
    #[inline]
    fn take(&mut self, len: usize) -> NonText {
        self.left -= len;
        self.position.take_data(len);
        NonText::Taken(len)
    }
}

/// What the front of the data is.
enum NonText {
    /// This many bytes were not text and are taken.
    Taken(usize),
    /// This many bytes are text.
    Text(usize),
}

/// The blanks that are trimmed at the end of a record, as UTF-8.
fn trimmed(blanks: Padding, charset: Charset) -> &'static [&'static [u8]] {
    match (blanks, charset.has_blank) {
        (Padding::Keep, _) => &[],
        (Padding::Trim, true) => &[b" "],
        (Padding::Trim, false) => const { &["\u{3000}".as_bytes()] },
        (Padding::TrimNuls, true) => &[b" ", b"\0"],
        (Padding::TrimNuls, false) => const { &["\u{3000}".as_bytes(), b"\0"] },
    }
}

/// The stop of a decoder that wrote to a small buffer of its own. That the buffer is full is no reason to stop: what was
/// taken and written is progress.
fn in_own_buffer(stop: Stop<Malformed>) -> Stop<Malformed> {
    if stop == Stop::OutputFull { Stop::InputEmpty } else { stop }
}

/// Tells the tests how many bytes are looked at, apart from being decoded.
#[inline]
pub(super) fn looked_at(bytes: usize) {
    #[cfg(test)]
    tests::LOOKED_AT.set(tests::LOOKED_AT.get() + bytes);
    _ = bytes;
}

#[cfg(test)]
mod tests {
    use crate::records::Shape;
    use crate::text::eol::OnNewlineInRecord;
    use crate::transcoder::{OnMalformed, Transcode};
    use std::cell::Cell;

    thread_local! {
        pub(in crate::transcoder) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    /// What is looked for in records is not looked for again after every shift code and every fault.
    #[test]
    fn the_work_is_linear_whatever_the_bytes() {
        for (charset, unit) in [
            ("IBM930", &b"\x0E\x42\x81\x0F"[..]),
            ("IBM930", b"\x0E\x42"),
            ("IBM930", b"\x0E\x0F"),
            ("IBM930", b"\xFF"),
            ("IBM875", b"\xFC"),
            ("IBM875", b"\x40\xFC\x00\x12"),
            ("IBM037", b"\x00\x12\x3C\x25"),
        ] {
            for spaced in [false, true] {
                for len in [1 << 14, 1 << 16] {
                    let input = unit.repeat(len / unit.len());
                    let job = Transcode::new().from(charset).unwrap().records(Shape::Fixed { lrecl: len as u32 });
                    let job = job.shifts_as_blanks(spaced).malformed(OnMalformed::Drop);
                    LOOKED_AT.set(0);
                    job.newlines_in_records(OnNewlineInRecord::Space).run(&input[..], std::io::sink()).unwrap();
                    let each = LOOKED_AT.get() / len;
                    assert!(each <= 2 + super::SHIFT_SEARCH_BYTES, "{charset}, {unit:02X?}, {spaced}, {len}: {each}");
                }
            }
        }
    }
}
