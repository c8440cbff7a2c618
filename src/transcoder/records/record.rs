//! Turns the data of a record into text.
//!
//! Records are decoded independently: at the end of each record the decoder is finished and reset. If columns are left
//! out, this also happens at the end of each stretch of text within a record. Spaces at the end of a record are trimmed
//! after decoding, so their bytes do not matter; `trailing.rs` holds them back until it is known whether they are the
//! last.
//!
//! What moves together: only `take` and `decoded` take bytes, and they keep `position` in step with the reader. Text
//! that does not come straight from the decoder goes through `pending`, so that it stays in order with trailing spaces.

use super::declaration::LabelEdits;
use super::packed_search::{PackedSearch, looked_at};
use super::position::Position;
use super::print::RecordPrinter;
use super::trailing::Pending;
use crate::arch::{bytes::count_newlines, isa};
use crate::codec::{MIN_ROOM, Malformed, Stop, Utf8Sink};
use crate::detect::Diagnostic;
use crate::error::Error;
use crate::hex;
use crate::records::{Columns, Move};
use crate::transcoder::choices::{Gaps, Padding};
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::Input;
use crate::transcoder::records::packed_watch::PackedWatch;
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

/// The properties of the records' charset that the reader needs.
#[derive(Clone, Copy)]
pub(in crate::transcoder) struct Charset {
    pub(in crate::transcoder) is_ebcdic: bool,
    /// It has U+0020; pure double-byte charsets have U+3000 instead.
    pub(in crate::transcoder) has_blank: bool,
}

/// The unit that has ended, so that the decoder has to be finished.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::transcoder) enum EndOf {
    Record,
    /// A stretch of columns that are text.
    Field,
}

/// The record that is being read.
#[derive(Clone)]
pub(in crate::transcoder) struct RecordText {
    pub(in crate::transcoder) position: Position,
    pub(in crate::transcoder) pending: Pending,
    /// The end of a line, which the end of a record becomes; `None` if it is marked instead.
    pub(in crate::transcoder) eol: Option<&'static str>,
    columns: Option<Arc<Columns>>,
    gaps: Gaps,
    pub(in crate::transcoder) printer: Option<RecordPrinter>,
    /// Shift codes become spaces.
    shifts_as_blanks: bool,
    /// How many bytes of data are a byte order mark and still to come.
    bom: u64,
    /// The unit that has ended, if the decoder is not finished yet.
    pub(in crate::transcoder) ended: Option<EndOf>,
    /// Something was decoded since the decoder was reset.
    is_decoding: bool,
    pub(in crate::transcoder) edits: LabelEdits,
    /// Newlines within records are looked for, in text that goes straight into the output.
    finds_newlines: bool,
    /// There was one.
    pub(in crate::transcoder) found_newline: bool,
    pub(in crate::transcoder) packed: PackedSearch,
    pub(in crate::transcoder) marks: Vec<(usize, Mark, Place)>,
    pub(in crate::transcoder) notes: Vec<Diagnostic>,
}

/// The kind of data at the front.
enum NonText {
    /// This many bytes were not text and are taken.
    Taken(usize),
    /// This many bytes are text.
    Text(usize),
}

/// How far ahead a shift code is looked for that becomes a space, in bytes.
pub(in crate::transcoder) const SHIFT_SEARCH_BYTES: usize = 256;

impl RecordText {
    /// The first record. `eol`: the end of a line, if the ends of records are written, and whether newlines within
    /// records are looked for. `bom_len`: how many bytes of data are a byte order mark.
    pub(in crate::transcoder) fn new(
        input: &Input,
        decoder: &CheckedDecoder,
        (eol, finds_newlines): (Option<&'static str>, bool),
        bom_len: usize,
        charset: Charset,
    ) -> Self {
        let packed = (charset.is_ebcdic && input.columns.is_none()).then(|| PackedWatch::new(decoder.shifts()));
        RecordText {
            position: Position::start(),
            pending: Pending::new(trimmed(input.blanks, charset)),
            eol,
            columns: input.columns.clone().map(Arc::new),
            gaps: input.gaps,
            printer: input.carriage.map(|kind| RecordPrinter::new(kind, decoder)),
            shifts_as_blanks: input.shifts_as_blanks && decoder.shifts(),
            bom: bom_len as u64,
            ended: None,
            is_decoding: false,
            edits: LabelEdits::default(),
            finds_newlines: finds_newlines && eol.is_some(),
            found_newline: false,
            packed: PackedSearch::new(packed),
            marks: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Whether nothing of the record was taken, and the decoder is new.
    pub(in crate::transcoder) fn is_at_start(&self) -> bool {
        self.position.is_at_record() && self.bom == 0 && !self.is_decoding
    }

    /// Whether nothing of earlier records is held back either.
    pub(in crate::transcoder) fn is_at_boundary(&self) -> bool {
        let is_silent = self.printer.as_ref().is_some_and(|printer| printer.is_silent);
        let is_told = self.notes.is_empty() && self.marks.is_empty() && !self.found_newline;
        self.is_at_start() && !is_silent && is_told && self.ended.is_none() && self.pending.is_empty()
    }

    /// From here on marks the ends of records, and does not look for newlines.
    pub(in crate::transcoder) fn mark_ends(&mut self) {
        (self.eol, self.finds_newlines) = (None, false);
    }

    /// Ends the input.
    pub(in crate::transcoder) fn end_input(&mut self, sink: &Utf8Sink<'_>) {
        if let Some(moved) = self.printer.as_mut().map(RecordPrinter::finish) {
            self.move_printer(moved, sink);
        }
        self.packed.end();
    }

    /// Takes data of the record, up to where something changes in it.
    #[inline]
    pub(in crate::transcoder) fn data(
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
            self.ended = Some(EndOf::Field);
            return NonText::Taken(0);
        }
        if is_old_label || self.gaps != Gaps::Hex {
            return self.take(src.len());
        }
        self.write_hex(&src[..src.len().min(MIN_ROOM)])
    }

    /// Writes columns that are not text as hex digits.
    fn write_hex(&mut self, src: &[u8]) -> NonText {
        self.pending.release_trailing();
        for byte in src {
            for digit in hex::digits(*byte) {
                self.pending.push(digit);
            }
        }
        self.take(src.len())
    }

    /// Decodes data after trailing spaces into a separate buffer, because it may be more of them.
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

    /// Writes the new label if it is due. Returns whether anything changed. `has_data`: more data of the record is
    /// there; `is_over`: there are no more records.
    pub(in crate::transcoder) fn write_label(&mut self, has_data: bool, is_over: bool) -> bool {
        let due = self.edits.due(self.position.data, has_data, is_over);
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
    pub(in crate::transcoder) fn finish(
        &mut self,
        ended: EndOf,
        decoder: &mut CheckedDecoder,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Stop<Malformed>, Error> {
        if self.is_decoding {
            let stop = self.finish_decoder(decoder, sink)?;
            if self.is_decoding {
                return Ok(stop);
            }
        }
        if ended == EndOf::Record {
            if self.pending.has_text() {
                // The last text of the record is not written yet, and its spaces are to be trimmed after that.
                return Ok(Stop::InputEmpty);
            }
            if self.printer.is_none() && self.eol.is_some_and(|eol| sink.room() < eol.len()) {
                // The end of the line must not become pending: it would be taken for a newline within a record.
                return Ok(Stop::OutputFull);
            }
            self.end_record(sink);
        }
        self.ended = None;
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
            // The text that the decoder writes at the end comes after the spaces.
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

    /// Looks for newlines in `text`, other than those that end the `records` that ended in it. In all of it at once: a
    /// search in each record would take longer than decoding it.
    pub(in crate::transcoder) fn find_newlines(&mut self, text: &[u8], records: u64) {
        if let Some(eol) = self.eol.filter(|_| self.finds_newlines) {
            let ends = records * count_newlines(isa(), eol.as_bytes()) as u64;
            self.found_newline |= count_newlines(isa(), text) as u64 > ends;
        }
    }

    /// Takes bytes that were decoded.
    #[inline]
    fn decoded(&mut self, bytes: &[u8]) {
        self.packed.see(self.position.offset, bytes);
        self.position.take_data(bytes.len());
    }

    /// Takes data that is not decoded.
    #[inline]
    fn take(&mut self, len: usize) -> NonText {
        self.position.take_data(len);
        NonText::Taken(len)
    }
}

/// The spaces that are trimmed at the end of a record, as UTF-8.
fn trimmed(blanks: Padding, charset: Charset) -> &'static [&'static [u8]] {
    match (blanks, charset.has_blank) {
        (Padding::Keep, _) => &[],
        (Padding::Trim, true) => &[b" "],
        (Padding::Trim, false) => const { &["\u{3000}".as_bytes()] },
        (Padding::Nuls, _) => &[b"\0"],
        (Padding::TrimNuls, true) => &[b" ", b"\0"],
        (Padding::TrimNuls, false) => const { &["\u{3000}".as_bytes(), b"\0"] },
    }
}

/// The stop of a decoder that wrote to a small separate buffer. That the buffer is full is not a reason to stop: what
/// was taken and written is progress.
fn in_own_buffer(stop: Stop<Malformed>) -> Stop<Malformed> {
    if stop == Stop::OutputFull { Stop::InputEmpty } else { stop }
}
