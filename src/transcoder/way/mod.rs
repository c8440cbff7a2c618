//! The ways from input to output.
//!
//! ```text
//! Way::Table                  bytes ───────────────── table ─────────────────── bytes
//! Way::RecordTable   records ─ bytes ──────────────── table ─────────────────── bytes ─ records
//! Way::Columns       records ─ columns of text ─ decoder ─ text ─ encoder ─────────── bytes ─ records
//! Way::Direct       [records] ─ decoder ──────────────────────────── the caller's buffer
//! Way::Staged       [records] ─ decoder ─ text ─ stages ─ queue ─ encoder ─ [records] ─ caller
//! ```
//!
//! A [`Route`] has one way, chosen when it is planned. Every route also has the staged way, for everything that its own
//! way cannot do: a byte that the table lacks, text that is replaced or inserted, an output buffer that is too small.

pub(super) mod at_once;
mod column_page;
mod column_text;
pub(super) mod columns;
pub(super) mod direct;
pub(super) mod staged;
pub(super) mod table;

use crate::codec::can_write;
use crate::codec::{MIN_ROOM, Stop, Utf8Sink};
use crate::detect::{Diagnostic, contents_contradict};
use crate::error::{Error, ErrorKind, RecordPosition};
use crate::records::Deframer;
use crate::text::relabel::Edit;
use crate::transcoder::byte_page::BytePage;
use crate::transcoder::charset::check_can_write;
use crate::transcoder::choices::OnMalformed;
use crate::transcoder::faults::{constant_replacement, count_marks, passing, replacement};
use crate::transcoder::fill::{Chunk, Filled, SourceStop};
use crate::transcoder::guard::Passing;
use crate::transcoder::newline_watch::NewlineWatch;
use crate::transcoder::report::{MalformedAt, Place};
use crate::transcoder::run::{Decoded, Out, Run, Work};
use crate::transcoder::segment::{Inserted, Origin};
use crate::transcoder::source::{Checkpoint, Source};
use crate::transcoder::target::Target;
use columns::ColumnWay;
use direct::Direct;
use staged::Staged;
use std::sync::Arc;
use table::{ByTable, ByteTable, RecordTable};

/// The machines between the encoding that was found and the target.
pub(super) struct Route {
    pub(super) source: Source,
    pub(super) way: Way,
    pub(super) staged: Staged,
    pub(super) target: Target,
    pub(super) newlines: NewlineWatch,
    /// Changes of the document's label that are still to come, in order. If there are records, the source has them.
    pub(super) edits: Edits,
    /// The page that malformed bytes are read as, if the input's charset allows that.
    pub(super) read_as: Option<Arc<BytePage>>,
    /// Up to this offset malformed bytes are not replaced in passing.
    pub(super) pass_from: u64,
    /// The name of the encoding, if the input or its transport names it. Malformed bytes contradict it.
    pub(super) believed: Option<String>,
    /// The decoder may hold text, for which there was no room.
    pub(super) holds_text: bool,
}

/// The changes of a label. They stay, for another document that begins alike.
#[derive(Clone, Default)]
pub(super) struct Edits {
    all: Vec<Edit>,
    /// The index of the next one, and whether its text was taken.
    next: usize,
    is_taken: bool,
    /// The target is known to have their text.
    are_checked: bool,
}

impl Edits {
    pub(super) fn new(all: Vec<Edit>) -> Self {
        Edits { all, ..Edits::default() }
    }

    fn next(&self) -> Option<&Edit> {
        self.all.get(self.next)
    }

    fn is_empty(&self) -> bool {
        self.next().is_none()
    }

    /// Returns the text of the next change; nothing the second time, or if there is no text.
    fn take_text(&mut self) -> Option<Arc<str>> {
        let is_taken = std::mem::replace(&mut self.is_taken, true);
        let edit = self.next().filter(|edit| !is_taken && !edit.text.is_empty())?;
        Some(edit.text.clone())
    }

    /// Continues to the change after the next.
    fn end(&mut self) {
        (self.next, self.is_taken) = (self.next + 1, false);
    }

    /// Goes back to the first change.
    fn restart(&mut self) {
        self.are_checked |= self.is_empty();
        (self.next, self.is_taken) = (0, false);
    }
}

/// How bytes get from input to output.
pub(super) enum Way {
    /// Single bytes become single bytes by a table.
    Table(ByteTable),
    /// The same from records to records.
    RecordTable(RecordTable),
    /// Columns of text are converted in their places, and all other bytes of the records are carried unchanged.
    Columns(Box<ColumnWay>),
    /// The decoder writes into the caller's buffer.
    Direct(Direct),
    /// Decoder, text stages, encoder.
    Staged,
}

/// The next action of [`Route::decode`] at the label.
enum Label {
    /// Nothing: there is no label here.
    None,
    /// The chunk is the bytes of the old label. They are decoded, so that the decoder's state is right; their text is
    /// dropped for this one.
    Replace(Option<Arc<str>>),
    /// A label was inserted, and nothing was decoded.
    Inserted,
}

impl Route {
    /// Whether the output is what the decoder writes into the caller's buffer.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self.way, Way::Direct(_))
    }

    /// Whether the bytes outside the columns are carried unchanged.
    pub(super) fn is_by_columns(&self) -> bool {
        matches!(self.way, Way::Columns(_))
    }

    /// Whether a change of the label is due before anything more is decoded.
    pub(super) fn has_edit_due(&self) -> bool {
        self.edits.next().is_some_and(|edit| edit.bytes.start <= self.source.read())
    }

    /// Decodes from the front of `src`, up to a boundary, a fault or the end of the output buffer. `eof`: nothing
    /// follows `src`.
    ///
    /// # Errors
    /// Those of codecs that break their contract, and of labels that the target cannot write.
    pub(super) fn decode(&mut self, run: &mut Run, src: &[u8], eof: bool, out: &mut Out<'_>) -> Result<Decoded, Error> {
        if let Way::Columns(columns) = &mut self.way {
            return Ok(columns.decode(run, &mut self.source, &mut self.target, src, eof));
        }
        let limit = self.staged.input_limit();
        let mut chunk = Chunk { bytes: &src[..src.len().min(limit)], eof: eof && src.len() <= limit, until: None };
        let label = self.next_label(run, &mut chunk)?;
        let is_watching = self.newlines.is_watching();
        let passing = self.passing(run);
        self.source.pass(passing);
        match (&label, &self.way) {
            (Label::Inserted, _) => return Ok(Decoded::default()),
            (Label::None, Way::Table(_) | Way::RecordTable(_)) => {
                if let Some(read) = self.decode_by_table(run, &mut chunk, is_watching, out) {
                    return Ok(Decoded { read, is_over: false });
                }
            }
            _ => {}
        }
        let before = self.needs_checkpoint(is_watching).then(|| self.source.checkpoint(run.spare.copy(&self.source)));
        if self.is_direct() && matches!(label, Label::None) && out.spare().len() >= MIN_ROOM {
            return self.decode_directly(run, chunk, before, out);
        }
        self.decode_staged(run, chunk, before, label)
    }

    /// Returns what happens to malformed bytes while they are counted only: after the first [`Faults::KEPT`], if it
    /// makes no difference that their replacement is part of the text.
    fn passing(&self, run: &Run) -> Option<Passing> {
        let passing = passing(run.settings.malformed).filter(|_| run.report.malformed.is_full())?;
        let is_labelled = self.edits.is_empty() && !self.source.has_edits();
        let is_plain = match &self.way {
            // Spaces before a malformed byte that is dropped do not end the record.
            Way::Direct(_) => passing != Passing::Drop || !self.source.has_records(),
            Way::Table(_) | Way::Staged | Way::RecordTable(_) | Way::Columns(_) => {
                let has_records = self.source.has_records() || self.target.records.is_some();
                self.staged.is_plain() && !has_records && self.source.read() >= self.pass_from
            }
        };
        (is_labelled && is_plain).then_some(passing)
    }

    /// Limits `chunk` to what comes before the next change of the label, or to the bytes of the label.
    fn next_label(&mut self, run: &mut Run, chunk: &mut Chunk<'_>) -> Result<Label, Error> {
        let at = self.source.read();
        let Some(edit) = self.edits.next() else { return Ok(Label::None) };
        if self.holds_text {
            // Text from before the label, for which there was no room. Nothing more is decoded now.
            chunk.until = Some(at);
            return Ok(Label::None);
        }
        if edit.bytes.start > at {
            chunk.until = Some(edit.bytes.start);
            return Ok(Label::None);
        }
        if edit.bytes.end > at {
            chunk.until = Some(edit.bytes.end);
            return Ok(Label::Replace(self.edits.take_text()));
        }
        let text = self.edits.take_text();
        self.edits.end();
        self.insert_label(run, text, at)?;
        Ok(Label::Inserted)
    }

    /// Whether a copy of the source is needed from before it decodes: to find places in the text, or to decode again.
    fn needs_checkpoint(&self, is_watching: bool) -> bool {
        match &self.way {
            Way::Direct(direct) => is_watching || direct.newlines.is_some(),
            _ => {
                let is_found_otherwise = self.staged.is_identity() && !self.source.is_counting();
                is_watching || !is_found_otherwise || self.source.passing().is_some()
            }
        }
    }

    /// Takes the front of `chunk` by the table. Returns `None` if the chunk, which may be shorter then, has to go the
    /// staged way.
    fn decode_by_table(
        &mut self,
        run: &mut Run,
        chunk: &mut Chunk<'_>,
        is_watching: bool,
        out: &mut Out<'_>,
    ) -> Option<usize> {
        match &mut self.way {
            Way::Table(table) if !is_watching => match table.decode(&mut self.source, *chunk, out) {
                ByTable::Bytes(read) => return Some(read),
                // No more than the byte that the table lacks, and a few.
                ByTable::Stopped(few) => chunk.bytes = &chunk.bytes[..chunk.bytes.len().min(few)],
                ByTable::None => {}
            },
            Way::RecordTable(table) => {
                let is_ready = !self.staged.has_pending() && self.target.encoder.pending() == 0;
                let mut detour = u64::MAX;
                if let Some(records) = self.target.records.as_mut().filter(|_| is_ready) {
                    let read = table.decode(&mut self.source, records, chunk.bytes, &mut run.spill.bytes);
                    if read > 0 {
                        return Some(read);
                    }
                    detour = table.detour();
                }
                self.source.pause_after(detour);
            }
            _ => {}
        }
        None
    }

    fn decode_directly(
        &mut self,
        run: &mut Run,
        chunk: Chunk<'_>,
        before: Option<Checkpoint>,
        out: &mut Out<'_>,
    ) -> Result<Decoded, Error> {
        let Way::Direct(direct) = &self.way else { return Ok(Decoded::default()) };
        let is_watching = self.newlines.is_watching();
        let mut sink = Utf8Sink::new(out.spare());
        // The places of what the watch sees are found by decoding again, which must not meet replacements.
        let replaces = !is_watching && !run.stops_at_fault;
        let filled = direct.decode(&mut self.source, chunk, &mut sink, replaces, &mut run.report.malformed)?;
        self.note_contradiction(run)?;
        if self.source.found_newline() {
            self.leave_direct(before);
            return Ok(Decoded::default());
        }
        run.report.malformed.count += self.source.take_replaced();
        if let Some(before) = before.filter(|_| is_watching) {
            let (mut source, spare) = (Some(before.source), &mut run.spare);
            self.newlines.see(sink.as_bytes(), |index| {
                let origin = source.take().map_or(Origin::At(Place::default()), |source| {
                    Origin::decoded(source, &chunk.bytes[..filled.read], chunk.eof, spare)
                });
                origin.place(index)
            });
            source.into_iter().for_each(|source| run.spare.keep_source(source));
        }
        let written = sink.written();
        out.written += written;
        self.stopped(run, filled, chunk)
    }

    /// Goes back to `before`, where a newline within a record was not met yet, and goes the staged way from there.
    fn leave_direct(&mut self, before: Option<Checkpoint>) {
        if let Some(before) = before {
            self.source.rewind(before);
        }
        self.source.mark_ends();
        if let Way::Direct(direct) = std::mem::replace(&mut self.way, Way::Staged)
            && let Some(stage) = direct.newlines
        {
            self.staged.add_newline_stage(stage);
        }
    }

    fn decode_staged(
        &mut self,
        run: &mut Run,
        chunk: Chunk<'_>,
        mut before: Option<Checkpoint>,
        label: Label,
    ) -> Result<Decoded, Error> {
        let (at, start) = (self.source.read(), self.source.place());
        let mut filled = self.staged.decode(&mut self.source, chunk)?;
        let mut replaced = self.source.take_replaced();
        if let Some(before) = before.as_mut().filter(|_| self.cannot_tell_marks(replaced)) {
            before.source.pass(None);
            self.source = before.source.fork();
            self.pass_from = at + chunk.bytes.len() as u64;
            filled = self.staged.decode(&mut self.source, chunk)?;
            replaced = 0;
        }
        if self.source.found_newline() {
            self.leave_direct(before);
            return Ok(Decoded::default());
        }
        if let Label::Replace(label) = label {
            before.into_iter().for_each(|before| run.spare.keep_source(before.source));
            self.insert_label(run, label, at)?;
            return self.stopped(run, filled, chunk);
        }
        let (is_direct, is_watching) = (self.is_direct(), self.newlines.is_watching());
        let before = before.filter(|_| is_watching || !is_direct).map(|before| before.source);
        let mut origin =
            Some(self.staged.origin(before, start, (&chunk.bytes[..filled.read], chunk.eof), &mut run.spare));
        if !is_direct {
            origin = origin.and_then(|origin| self.staged.keep_pending(&self.source, origin));
        }
        if let Some(origin) = origin {
            self.newlines.see(self.staged.text().as_bytes(), |index| origin.place(index));
            if self.staged.text().is_empty() {
                run.report.malformed.count += std::mem::take(&mut replaced);
            }
            self.staged.queue_text(&mut self.source, origin, (&mut run.queue, &mut run.spare), replaced);
        }
        self.stopped(run, filled, chunk)
    }

    /// Whether the text has U+FFFD that do not stand for one of the `replaced` malformed sequences, and the target
    /// lacks U+FFFD: then a policy applies to them, and not to the others.
    fn cannot_tell_marks(&mut self, replaced: u64) -> bool {
        let count = || count_marks(self.staged.text());
        let has_marks = replaced > 0 && self.source.passing() != Some(Passing::Drop);
        has_marks && !self.is_direct() && !self.target.has_mark() && count() != replaced
    }

    /// Queues what comes after the text that was just decoded.
    fn stopped(&mut self, run: &mut Run, filled: Filled, chunk: Chunk<'_>) -> Result<Decoded, Error> {
        self.holds_text = matches!(filled.stop, SourceStop::NeedRoom);
        let notes = self.source.take_notes();
        let is_stuck = chunk.eof && chunk.bytes.is_empty() && notes.is_empty() && self.source.has_records();
        run.queue.extend(notes.into_iter().map(Work::Note));
        let is_over = matches!(filled.stop, SourceStop::Done);
        let goes_on = match filled.stop {
            SourceStop::NeedInput | SourceStop::NeedRoom => true,
            SourceStop::Fault(_) => self.joins(run),
            SourceStop::Done | SourceStop::FileEnd | SourceStop::Failed(_) => false,
        };
        if !goes_on {
            self.queue_held(run);
        }
        match filled.stop {
            SourceStop::NeedInput if is_stuck => {
                // The deframer announced more data than there is.
                let Place { offset, record, .. } = self.source.place();
                let record = record.map_or(0, |record| record.number);
                return Err(
                    ErrorKind::RecordCut { offset, record, begun: offset, missing: 1, length_from: None }.into()
                );
            }
            SourceStop::NeedInput | SourceStop::NeedRoom | SourceStop::Done => {}
            SourceStop::Fault(fault) => run.queue.push_back(Work::Malformed(self.source.fault(fault))),
            SourceStop::FileEnd => run.queue.push_back(Work::FileEnd),
            SourceStop::Failed(error) => run.queue.push_back(Work::Failed(error)),
        }
        Ok(Decoded { read: filled.read, is_over })
    }

    /// Whether text continues after malformed bytes: they are dropped, or are text themselves.
    fn joins(&self, run: &Run) -> bool {
        run.settings.malformed == OnMalformed::Drop || self.read_as.is_some()
    }

    /// Queues text that the stages have held back, because it ends here.
    fn queue_held(&mut self, run: &mut Run) {
        run.queue.extend(self.staged.held().map(Work::Text));
    }

    /// Queues text that no bytes decode to. `at`: where in the input it is inserted.
    ///
    /// # Errors
    /// [`ErrorKind::Unmappable`] if the target cannot write it.
    pub(super) fn insert(&mut self, run: &mut Run, text: Inserted, at: u64) -> Result<(), Error> {
        check_can_write(&*run.settings.to, text.as_str(), at)?;
        self.insert_checked(run, text, at);
        Ok(())
    }

    /// Does the same with text that the target is known to have.
    pub(super) fn insert_checked(&mut self, run: &mut Run, text: Inserted, at: u64) {
        self.queue_held(run);
        run.queue.push_back(Work::Text(self.staged.inserted(text, at.into(), &mut run.spare)));
    }

    /// Queues the text of a label. It is checked for the first document only.
    fn insert_label(&mut self, run: &mut Run, text: Option<Arc<str>>, at: u64) -> Result<(), Error> {
        match text.map(Inserted::Shared) {
            Some(text) if self.edits.are_checked => self.insert_checked(run, text, at),
            Some(text) => self.insert(run, text, at)?,
            None => {}
        }
        Ok(())
    }

    /// Does the first item of the queue.
    ///
    /// # Errors
    /// What the policies do not allow.
    pub(super) fn work(&mut self, run: &mut Run, out: &mut Out<'_>) -> Result<(), Error> {
        if let Some(Work::Text(_)) = run.queue.front() {
            return self.target.encode(run, self.staged.text(), out);
        }
        match run.queue.pop_front() {
            Some(Work::Malformed(fault)) => self.replace(run, fault),
            Some(Work::Note(note)) => run.note(note),
            Some(Work::FileEnd) => {
                if let Some(records) = &mut self.target.records {
                    records.end_file(&mut run.spill.bytes);
                }
                Ok(())
            }
            Some(Work::Failed(error)) => Err(error),
            Some(Work::Text(_)) | None => Ok(()),
        }
    }

    /// Applies the policy to malformed bytes.
    fn replace(&mut self, run: &mut Run, fault: MalformedAt) -> Result<(), Error> {
        if let Some(page) = self.read_as.clone() {
            self.read_malformed(run, &page, fault);
            return self.note_contradiction(run);
        }
        let policy = run.settings.malformed;
        let Some(text) = replacement(policy, &fault.bytes) else {
            if let Some(page) = &run.settings.read_as {
                // The input's charset does not contain ASCII.
                let message = format!("malformed {} is not read as {}", run.source_name(), page.name());
                run.report
                    .diagnostics
                    .push(Diagnostic::hint("not-read-as", fault.offset, message).with_position(fault.position));
            }
            let kind = ErrorKind::Malformed { codec: run.source_name(), offset: fault.offset, bytes: fault.bytes };
            return Err(Error::at(kind, fault.record, fault.position));
        };
        if constant_replacement(policy).is_none() {
            check_can_write(&*run.settings.to, &text, fault.offset)?;
        }
        if !text.is_empty() {
            self.source.count_char();
            let place = Place { offset: fault.offset, record: fault.record, position: fault.position };
            run.queue.push_front(Work::Text(self.staged.inserted(text.into(), place, &mut run.spare)));
        }
        run.report.malformed.add(|| fault);
        self.note_contradiction(run)
    }

    /// Reports the first malformed bytes that are not an error, if the input or its transport names the encoding.
    fn note_contradiction(&mut self, run: &mut Run) -> Result<(), Error> {
        let Some(first) = run.report.malformed.first.first() else { return Ok(()) };
        let Some(codec) = self.believed.take() else { return Ok(()) };
        let note = contents_contradict(&codec, first.offset, &first.bytes).with_position(first.position);
        run.note_contents(note)
    }

    /// Puts the characters that malformed bytes are in `page` before everything that is queued. If the page lacks one,
    /// the run fails after those before it.
    fn read_malformed(&mut self, run: &mut Run, page: &BytePage, fault: MalformedAt) {
        let mut works = Vec::with_capacity(fault.bytes.len());
        let mut is_whole = true;
        for (at, byte) in fault.bytes.iter().enumerate() {
            let offset = fault.offset + at as u64;
            let record = fault.record.map(|record| RecordPosition { column: record.column + at as u64, ..record });
            let Some(ch) = page.char(*byte) else {
                works.extend(self.staged.held().map(Work::Text));
                let kind = ErrorKind::Malformed { codec: run.source_name(), offset, bytes: vec![*byte] };
                works.push(Work::Failed(Error::at(kind, record, self.source.text_position())));
                is_whole = false;
                break;
            };
            let position = self.source.text_position();
            works.push(Work::Text(self.staged.read_as(ch, Place { offset, record, position })));
            self.source.count(ch.encode_utf8(&mut [0; 4]));
        }
        works.into_iter().rev().for_each(|work| run.queue.push_front(work));
        if is_whole {
            run.report.malformed.add(|| fault);
        }
    }

    /// Ends the input. Returns whether the decoder is done. If not, call this again.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`] from a decoder that breaks its contract.
    pub(super) fn finish_decoder(&mut self, run: &mut Run) -> Result<bool, Error> {
        let place = self.source.place();
        let stop = self.staged.finish(&mut self.source)?;
        let fault = match stop {
            Stop::Fault(fault) => Some(self.source.fault(fault)),
            Stop::InputEmpty | Stop::OutputFull => None,
        };
        self.staged.queue_text(&mut self.source, Origin::At(place), (&mut run.queue, &mut run.spare), 0);
        let goes_on = stop == Stop::OutputFull || fault.is_some() && self.joins(run);
        if !goes_on {
            self.queue_held(run);
        }
        run.queue.extend(fault.map(Work::Malformed));
        Ok(stop == Stop::InputEmpty)
    }

    /// Ends the output. Returns whether that is done. If not, call this again.
    ///
    /// # Errors
    /// What the policies do not allow.
    pub(super) fn finish_encoder(&mut self, run: &mut Run) -> Result<bool, Error> {
        run.report.diagnostics.extend(self.newlines.finish());
        run.report.records = self.source.records();
        self.target.finish(run, self.staged.text())
    }

    /// Ends the output after an error: what is good is delivered, and the report says what was seen before the error.
    pub(super) fn close(&mut self, run: &mut Run, error: &Error) {
        if let Some(Work::Text(segment)) = run.queue.front() {
            run.report.malformed.count += segment.replaced_so_far();
        }
        // More records may be decoded than those before the error.
        let before = match (error.record(), error.kind(), &self.target.records) {
            (Some(at), ..) => Some(at.number - 1),
            (None, ErrorKind::RecordTooLong { .. } | ErrorKind::CannotPad { .. }, Some(records)) => {
                Some(records.records())
            }
            _ => self.source.records(),
        };
        run.report.records = self.source.records().and(before);
        // What was seen in the records before it may be the reason for it.
        let note = before.and_then(|before| self.source.note_before_error(before));
        let diagnostics = &mut run.report.diagnostics;
        diagnostics.extend(note.filter(|note| diagnostics.iter().all(|known| known.code != note.code)));
        let is_of_encoder = matches!(error.kind(), ErrorKind::Unmappable { .. } | ErrorKind::Codec { .. });
        self.target.close(run, is_of_encoder);
    }

    /// Goes back to the beginning, for another document of which detection found the same, and whose text begins at the
    /// offset `start`. `keeps_nel`: as when the route was planned. Returns `false` if it cannot; the route is of no use
    /// then.
    pub(super) fn restart(&mut self, start: u64, keeps_nel: bool) -> bool {
        let can_restart = match &mut self.way {
            Way::Table(table) => {
                table.restart();
                true
            }
            Way::Direct(direct) => direct.newlines.is_none(),
            Way::Staged => true,
            Way::RecordTable(_) | Way::Columns(_) => false,
        };
        self.newlines = NewlineWatch::new(keeps_nel);
        self.edits.restart();
        (self.pass_from, self.holds_text) = (0, false);
        can_restart && self.source.restart(start) && self.staged.restart() && self.target.restart()
    }

    /// Whether a copy of the route can begin in the middle of the input.
    pub(super) fn can_be_cut(&self) -> bool {
        let ends = self.staged.ends();
        let target_can = match &self.target.records {
            // Each record begins anew.
            Some(records) => self.source.has_records() && records.after(0).is_some(),
            // If the target lacks the end of a line, the error has the place of what follows it.
            None => {
                let has_eol = || can_write(&*self.target.codec, ends.eol);
                self.target.encoder.has_state() && (!self.source.has_records() || has_eol())
            }
        };
        self.target.xml.is_none() && !self.staged.holds_text() && target_can && self.source.can_be_cut()
    }

    /// Whether nothing is carried from one character to the next, so that a copy can begin at any of them.
    pub(super) fn carries_nothing(&self) -> bool {
        self.source.code_unit().is_some() && self.target.encoder.is_stateless()
    }

    /// Whether nothing is left to do that concerns the beginning of the input only.
    pub(super) fn is_past_head(&self) -> bool {
        let is_labelled = self.edits.is_empty() && self.source.is_past_head();
        is_labelled && !self.newlines.is_watching() && !self.target.hints_lf
    }

    /// Whether what comes next depends on nothing before it.
    pub(super) fn is_at_boundary(&self) -> bool {
        self.source.is_at_boundary()
            && self.staged.is_at_boundary()
            && self.target.encoder.is_initial()
            && self.target.records.as_ref().is_none_or(|records| !records.is_open())
    }

    /// A copy in the same state, if nothing is queued or pending. `None` if there are records, or if the encoder cannot
    /// be copied.
    pub(super) fn fork(&self) -> Option<Route> {
        if self.source.has_records() {
            return None;
        }
        Some(Route {
            source: self.source.fork(),
            way: self.way.fresh(),
            staged: self.staged.fresh(),
            target: self.target.fork()?,
            newlines: self.newlines.clone(),
            edits: self.edits.clone(),
            read_as: self.read_as.clone(),
            pass_from: self.pass_from,
            believed: self.believed.clone(),
            holds_text: self.holds_text,
        })
    }

    /// A copy that starts afresh at input offset `at`, which must be a boundary: between two records, as `deframer`
    /// says, or between two characters. `None` if there cannot be one.
    pub(super) fn fresh_at(&self, at: u64, deframer: Option<&Deframer>) -> Option<Route> {
        let records = match &self.target.records {
            Some(records) => Some(records.after(deframer.map_or(0, |deframer| deframer.record() - 1))?),
            None => None,
        };
        Some(Route {
            source: self.source.fresh_at(at, deframer),
            way: self.way.fresh(),
            staged: self.staged.fresh(),
            target: self.target.fresh(records)?,
            newlines: NewlineWatch::new(false),
            edits: Edits::default(),
            read_as: self.read_as.clone(),
            pass_from: 0,
            believed: self.believed.clone(),
            holds_text: false,
        })
    }
}

impl Way {
    /// A copy that starts afresh.
    fn fresh(&self) -> Way {
        match self {
            Way::Table(table) => Way::Table(table.fresh()),
            Way::RecordTable(table) => Way::RecordTable(table.fresh()),
            Way::Columns(columns) => Way::Columns(Box::new(columns.fresh())),
            Way::Direct(direct) => Way::Direct(direct.clone()),
            Way::Staged => Way::Staged,
        }
    }
}
