//! From input bytes to text: the decoder, and the records before it.
//!
//! Where there are records, each is decoded afresh: at its end the decoder is finished and reset. Blanks at its end are
//! trimmed as text, whatever bytes they were. A record need not fit anywhere: blanks that may turn out to be its last
//! are counted, not kept.

use crate::arch::{bytes::count_newlines, bytes::padding_len, isa};
use crate::codec::{MAX_FAULT, MIN_ROOM, Malformed, Stop, Utf8Sink};
use crate::detect::Diagnostic;
use crate::error::Error;
use crate::records::packed::{PackedField, PackedWatch, Seen};
use crate::records::{Columns, Deframer, Move, Part, Printer};
use crate::text::relabel::Edit;
use crate::transcoder::choices::{Gaps, Padding};
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::options::Input;
use crate::transcoder::report::{MalformedAt, Place, RecordPosition};
use std::collections::VecDeque;
use std::sync::Arc;

/// The way from input bytes to text.
pub(in crate::transcoder) struct Front {
    decoder: CheckedDecoder,
    records: Option<Box<RecordsIn>>,
}

/// What a [`Front::fill`] did.
pub(in crate::transcoder) struct Filled {
    /// Bytes taken.
    pub(in crate::transcoder) read: usize,
    pub(in crate::transcoder) stop: FrontStop,
}

/// Why it stopped.
pub(in crate::transcoder) enum FrontStop {
    /// All was taken that there was, or as much as was asked for.
    NeedInput,
    NeedRoom,
    /// Behind the text.
    Fault(Malformed),
    /// The records are over. (Without records, who feeds the decoder knows when to finish it.)
    Done,
    /// Behind the text: a file ends, and the ends of files are written.
    FileEnd,
    /// Behind the text: the framing is wrong.
    Failed(Error),
}

/// Something at a place in the text that a fill made.
#[derive(Clone, Copy, Debug)]
pub(in crate::transcoder) enum Mark {
    /// A record ends.
    End,
    /// A printer moves.
    Move(Move),
}

impl Front {
    pub(in crate::transcoder) fn new(decoder: CheckedDecoder, records: Option<RecordsIn>) -> Self {
        Front { decoder, records: records.map(Box::new) }
    }

    /// A copy in the same state, which does not pause.
    pub(in crate::transcoder) fn fork(&self) -> Front {
        let mut front = Front { decoder: self.decoder.fork(), records: self.records.clone() };
        front.pause_after(u64::MAX);
        front
    }

    /// The same in the middle of an input, at `at` of it; where there are records, between two of them, as `deframer` says.
    pub(in crate::transcoder) fn part(&self, at: u64, deframer: Option<&Deframer>) -> Front {
        let records = self.records.clone().zip(deframer).map(|(records, deframer)| {
            Box::new(RecordsIn { deframer: deframer.clone(), number: deframer.record(), at, ..*records })
        });
        Front { decoder: self.decoder.part(at), records }
    }

    /// Whether nothing is under way: what comes next depends on nothing before it, but for numbers of records, and for
    /// what is said once.
    pub(in crate::transcoder) fn is_between(&self) -> bool {
        self.decoder.pending() == 0 && self.records.as_ref().is_none_or(|records| records.is_between())
    }

    /// The bytes of a code unit where the input is cut between characters; 1 where it is cut between records. `None`
    /// where it cannot be cut.
    pub(in crate::transcoder) fn code_unit(&self) -> Option<usize> {
        match &self.records {
            None => self.decoder.code_unit(),
            // A printer knows what is on the paper.
            Some(records) => records.printer.is_none().then_some(1),
        }
    }

    /// Bytes of an unfinished character.
    pub(in crate::transcoder) fn pending(&self) -> usize {
        self.decoder.pending()
    }

    /// A new decoder, for trials.
    pub(in crate::transcoder) fn decoder(&self) -> CheckedDecoder {
        self.decoder.part(0)
    }

    /// The changes of the document's label, in order: where there are records, what its bytes become is put in and left
    /// out here, as only here it is known where records end within it.
    pub(in crate::transcoder) fn relabel(&mut self, edits: Vec<Edit>) {
        self.records.iter_mut().for_each(|records| records.edits = edits.clone().into());
    }

    /// Whether there is nothing left that concerns the beginning of the input only.
    pub(in crate::transcoder) fn is_past_head(&self) -> bool {
        self.records.as_ref().is_none_or(|records| records.edits.is_empty() && !records.watch.is_on())
    }

    /// Whether the text of the last fill has a newline within a record, where that is looked for. Then it is to be
    /// made again, by a copy from before it, with the ends of records marked.
    pub(in crate::transcoder) fn found_newline(&self) -> bool {
        self.records.as_ref().is_some_and(|records| records.found_newline)
    }

    /// What it has seen so far to be judged later, for [`back_to`](Self::back_to).
    pub(in crate::transcoder) fn seen(&self) -> Option<Seen> {
        Some(self.records.as_ref()?.watch.0.as_ref()?.seen())
    }

    /// Becomes `before` again, a copy, when it had seen so much.
    pub(in crate::transcoder) fn back_to(&mut self, before: Front, seen: Option<Seen>) {
        let watch = self.records.as_mut().and_then(|records| records.watch.0.take());
        *self = before;
        if let (Some(records), Some(mut watch), Some(seen)) = (&mut self.records, watch, seen) {
            watch.forget(seen);
            records.watch.0 = Some(watch);
        }
    }

    /// What the first `records` show where an error follows them.
    pub(in crate::transcoder) fn note_before_error(&mut self, records: u64) -> Option<Diagnostic> {
        let watch = self.records.as_mut()?.watch.0.take()?;
        watch.judge_first(records).map(looks_packed)
    }

    /// From here on the ends of records are marked, where they were written, and nothing is looked for.
    pub(in crate::transcoder) fn mark_ends(&mut self) {
        if let Some(records) = &mut self.records {
            (records.eol, records.quick, records.finds_newlines) = (None, None, false);
        }
    }

    /// How many bytes of data were taken: of the input without what frames it.
    pub(in crate::transcoder) fn read(&self) -> u64 {
        self.records.as_ref().map_or(self.decoder.read(), |records| records.data_at)
    }

    pub(in crate::transcoder) fn has_records(&self) -> bool {
        self.records.is_some()
    }

    /// Records that ended.
    pub(in crate::transcoder) fn records(&self) -> Option<u64> {
        self.records.as_ref().map(|records| records.number - 1)
    }

    /// Makes text of the front of `src`. `eof`: nothing follows it. `until`: no more data is taken than up to there.
    pub(in crate::transcoder) fn fill(
        &mut self,
        src: &[u8],
        eof: bool,
        until: Option<u64>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Filled, Error> {
        if let Some(records) = &mut self.records {
            return records.fill(&mut self.decoder, src, eof, until, sink);
        }
        let most = until.map_or(u64::MAX, |until| until.saturating_sub(self.decoder.read()));
        let src = &src[..(src.len() as u64).min(most) as usize];
        let step = self.decoder.feed(src, sink)?;
        let stop = match step.stop {
            Stop::InputEmpty => FrontStop::NeedInput,
            Stop::OutputFull => FrontStop::NeedRoom,
            Stop::Fault(fault) => FrontStop::Fault(fault),
        };
        Ok(Filled { read: step.read, stop })
    }

    /// These bytes were dealt with another way, where there are no records and nothing is pending.
    pub(in crate::transcoder) fn skip(&mut self, bytes: &[u8]) {
        self.decoder.skip(bytes);
    }

    /// Takes whole records from the front of `src` another way, from between two of them on: as long as `each` takes one,
    /// and nothing in it is to be said. Returns how many bytes they take, with what frames them.
    #[inline]
    pub(in crate::transcoder) fn whole_records(&mut self, src: &[u8], mut each: impl FnMut(&[u8]) -> bool) -> usize {
        let Some(records) = self.records.as_mut().filter(|records| records.can_pass()) else { return 0 };
        let mut read = 0;
        loop {
            let before = records.deframer.clone();
            let rest = &src[read..];
            if let Some((header, len)) = records.deframer.whole(rest) {
                let record = &rest[header..][..len];
                if each(record) {
                    records.passed(header, len);
                    read += header + len;
                    continue;
                }
            } else if let Ok(Part::Framing(len)) = records.deframer.next(rest, false) {
                // The header of a block.
                records.framing(len as u64);
                read += len;
                continue;
            }
            records.deframer = before;
            return read;
        }
    }

    /// From here on a fill ends behind so many records, at the latest.
    pub(in crate::transcoder) fn pause_after(&mut self, records: u64) {
        self.records.iter_mut().for_each(|these| these.pause = these.number.saturating_add(records));
    }

    /// Ends the input, where there are no records.
    pub(in crate::transcoder) fn finish(&mut self, sink: &mut Utf8Sink<'_>) -> Result<Stop<Malformed>, Error> {
        self.decoder.finish(sink)
    }

    /// Where the first byte stands, or will, that is not accounted for yet.
    pub(in crate::transcoder) fn place(&self) -> Place {
        self.place_back(self.decoder.pending() as u64)
    }

    /// How far the input was read, without asking the decoder, which may have panicked.
    pub(in crate::transcoder) fn reached(&self) -> Place {
        self.place_back(0)
    }

    /// The place `back` bytes of the record, or of the input, before where it is.
    fn place_back(&self, back: u64) -> Place {
        match &self.records {
            None => Place { offset: self.decoder.read().saturating_sub(back), record: None },
            Some(records) => records.place_back(back),
        }
    }

    /// How many blanks are held back, and about where they stand.
    pub(in crate::transcoder) fn held(&self) -> Option<(Place, u64)> {
        let records = self.records.as_ref()?;
        let count = records.held.iter().map(|(_, count)| count).sum();
        (count > 0).then(|| (records.place_back(0), count))
    }

    /// Whether it is one of those that are trimmed.
    pub(in crate::transcoder) fn is_blank(&self, ch: char) -> bool {
        let blanks = self.records.as_ref().map_or(&[][..], |records| records.blanks);
        blanks.contains(&ch.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// A fault that was just reported.
    pub(in crate::transcoder) fn fault(&self, fault: Malformed) -> MalformedAt {
        let back = u64::from(fault.len) + u64::from(fault.after);
        let Place { offset, record } = self.place_back(back);
        MalformedAt { offset, bytes: self.decoder.fault_bytes(fault), record }
    }

    /// Whether something was marked in the last fill.
    pub(in crate::transcoder) fn has_marks(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.marks.is_empty())
    }

    /// What was marked in the text of the last fill.
    pub(in crate::transcoder) fn take_marks(&mut self) -> Vec<(usize, Mark, Place)> {
        self.records.as_mut().map_or_else(Vec::new, |records| std::mem::take(&mut records.marks))
    }

    /// What was seen so far, once all text before it is out.
    pub(in crate::transcoder) fn take_notes(&mut self) -> Vec<Diagnostic> {
        match &mut self.records {
            Some(records) if records.owed.is_empty() && records.owed_blanks.is_empty() => {
                records.judge();
                std::mem::take(&mut records.notes)
            }
            _ => Vec::new(),
        }
    }
}

/// The records of an input.
#[derive(Clone)]
pub(in crate::transcoder) struct RecordsIn {
    deframer: Deframer,
    /// What is trimmed at the end of a record; nothing where blanks are kept.
    blanks: &'static [&'static [u8]],
    /// What ends a line; `None`: it is marked.
    eol: Option<&'static str>,
    columns: Option<Arc<Columns>>,
    gaps: Gaps,
    printer: Option<Printer>,
    /// What each byte is to a printer.
    controls: Option<Arc<[char; 256]>>,
    /// Shift codes become blanks.
    spaced: bool,
    /// The ends of files are told.
    files: bool,
    /// The quick way, where there is one.
    quick: Option<Quick>,
    /// Bytes of data that are a byte order mark and still to come.
    mark: u64,
    /// Bytes that the deframer has said are data and that are still to come.
    left: usize,
    /// The decoder is to be finished, as a record or a field ends.
    finishing: Option<Ended>,
    /// Before which record a fill ends.
    pause: u64,
    /// Something was decoded since the decoder was reset.
    decoding: bool,
    /// Text that comes before all that is decoded from here on: blanks, then this.
    owed_blanks: VecDeque<(u8, u64)>,
    owed: String,
    /// A fault behind what is owed.
    fault: Option<Malformed>,
    /// Blanks which are the record's last so far.
    held: VecDeque<(u8, u64)>,
    /// Where in the sink the text of the record begins.
    begin: usize,
    /// This record's text is not printed.
    silent: bool,
    /// The number of the record, from 1.
    number: u64,
    /// Bytes taken of the record.
    column: u64,
    /// Bytes taken of the input, and those of them that were data.
    at: u64,
    data_at: u64,
    /// Where in the record framing stands: behind how many bytes of it, and how many.
    jumps: Vec<(u64, u64)>,
    marks: Vec<(usize, Mark, Place)>,
    notes: Vec<Diagnostic>,
    /// Changes of the document's label that are still to come, in order. The text of one is taken when it is put in.
    edits: VecDeque<Edit>,
    /// Newlines within records are looked for in text that goes straight into the output; and one was found.
    finds_newlines: bool,
    found_newline: bool,
    /// Looks for packed decimals.
    watch: Watch,
    /// Unknown carriage controls are still worth a word.
    warns: bool,
    over: bool,
}

/// What the first records are kept in to look for packed decimals. A copy of a front does not look: the first one does.
struct Watch(Option<Box<PackedWatch>>);

impl Watch {
    /// Whether there is more to look at.
    fn is_on(&self) -> bool {
        self.0.as_ref().is_some_and(|watch| !watch.is_judged())
    }
}

impl Clone for Watch {
    fn clone(&self) -> Self {
        Watch(None)
    }
}

/// What there is to know of the charset of records.
#[derive(Clone, Copy)]
pub(in crate::transcoder) struct Charset {
    pub(in crate::transcoder) is_ebcdic: bool,
    /// It has U+0020; pure double-byte charsets have U+3000 instead.
    pub(in crate::transcoder) has_blank: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Record,
    Field,
}

/// The quick way for charsets whose bytes are decoded one by one: records, without the blanks at their ends and with the
/// bytes of a newline in their place, are put together and decoded at once. Where anything in them is worth more than
/// that, nothing has happened, and they go the other way.
struct Quick {
    blank: u8,
    eol: Vec<u8>,
    text: Vec<u8>,
    /// From which record on it is tried again.
    from: u64,
}

/// How many bytes are put together.
const QUICK_ROOM: usize = 32 * 1024;

/// How far a shift code is looked for that is to become a blank.
const SPACED: usize = 256;

impl Quick {
    fn new(decoder: &CheckedDecoder, eol: &str) -> Option<Self> {
        if !decoder.is_bytewise() {
            return None;
        }
        let of = |ch: char| {
            let mut bytes = (0..=255).filter(|byte| decoder.alone(*byte) == Some(ch));
            bytes.next().map(|byte| (byte, bytes.next().is_none()))
        };
        let (blank, is_only) = of(' ')?;
        let eol: Vec<u8> = eol.chars().map(|ch| of(ch).map(|(byte, _)| byte)).collect::<Option<_>>()?;
        is_only.then(|| Quick { blank, eol, text: Vec::with_capacity(QUICK_ROOM), from: 0 })
    }
}

impl Clone for Quick {
    fn clone(&self) -> Self {
        // What was put together is of no use to a copy.
        let Quick { blank, from, .. } = *self;
        Quick { blank, eol: self.eol.clone(), text: Vec::new(), from }
    }
}

/// How often blanks and NULs may take turns in the tail of a record that is trimmed.
const RUNS: usize = 8;

/// How many bytes at the end of an input are a text by themselves, if it is long.
const LAST: usize = 4 * 1024;

/// How many marks are made before the text is handed on.
const MARKS: usize = 4096;

impl RecordsIn {
    /// `decoder`: one like those to come, new. `eol`: what ends a line, where it is to be written, and whether newlines
    /// within records are looked for; `mark`: how many bytes of data are a byte order mark.
    pub(in crate::transcoder) fn new(
        input: &Input,
        decoder: &CheckedDecoder,
        (eol, finds_newlines): (Option<&'static str>, bool),
        mark: usize,
        charset: Charset,
    ) -> Option<Self> {
        let deframer = input.deframer()?;
        let blanks: &[&[u8]] = match (input.blanks, charset.has_blank) {
            (Padding::Keep, _) => &[],
            (Padding::Trim, true) => &[b" "],
            (Padding::Trim, false) => const { &["\u{3000}".as_bytes()] },
            (Padding::TrimNuls, true) => &[b" ", b"\0"],
            (Padding::TrimNuls, false) => const { &["\u{3000}".as_bytes(), b"\0"] },
        };
        let controls = input.carriage.map(|_| {
            Arc::new(std::array::from_fn(|byte| decoder.alone(byte as u8).unwrap_or(char::REPLACEMENT_CHARACTER)))
        });
        let is_plain = input.columns.is_none() && input.carriage.is_none();
        let watch =
            (charset.is_ebcdic && input.columns.is_none()).then(|| Box::new(PackedWatch::new(decoder.shifts())));
        let quick = eol.filter(|_| is_plain && matches!(blanks, [] | [b" "])).and_then(|eol| Quick::new(decoder, eol));
        Some(RecordsIn {
            quick,
            deframer,
            blanks,
            eol,
            files: false,
            columns: input.columns.clone().map(Arc::new),
            gaps: input.gaps,
            printer: input.carriage.map(Printer::new),
            controls,
            spaced: input.shifts_as_blanks && decoder.shifts(),
            mark: mark as u64,
            left: 0,
            finishing: None,
            pause: u64::MAX,
            decoding: false,
            owed_blanks: VecDeque::new(),
            owed: String::new(),
            fault: None,
            held: VecDeque::new(),
            begin: 0,
            silent: false,
            number: 1,
            column: 0,
            at: 0,
            data_at: 0,
            jumps: Vec::new(),
            marks: Vec::new(),
            notes: Vec::new(),
            edits: VecDeque::new(),
            finds_newlines: finds_newlines && eol.is_some(),
            found_newline: false,
            watch: Watch(watch),
            warns: true,
            over: false,
        })
    }

    /// With the ends of files told, where `files`.
    pub(in crate::transcoder) fn with_files(self, files: bool) -> Self {
        RecordsIn { files, ..self }
    }

    /// Whether it stands between two records and owes nothing.
    fn is_between(&self) -> bool {
        let none_begun = self.column == 0 && self.left == 0 && self.mark == 0 && !self.decoding && !self.silent;
        let none_owed = self.owed.is_empty() && self.owed_blanks.is_empty() && self.held.is_empty();
        let none_waits = self.finishing.is_none() && self.fault.is_none() && self.notes.is_empty();
        let none_looked_for = self.edits.is_empty() && !self.watch.is_on() && !self.found_newline;
        none_begun && none_owed && none_waits && none_looked_for && self.marks.is_empty() && self.jumps.is_empty()
    }

    fn fill(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        eof: bool,
        until: Option<u64>,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Filled, Error> {
        self.begin = sink.written();
        let begin = self.begin;
        let mut read = 0;
        // Where records are written, the place of one that goes on behind this text has to be found in all of it. So this
        // ends with a record where it can: the few behind that are a text by themselves.
        let (first, enough) = (self.number, if self.eol.is_none() { src.len().max(LAST) - LAST } else { usize::MAX });
        let stop = loop {
            if !self.pay(sink) || self.marks.len() >= MARKS {
                break FrontStop::NeedRoom;
            }
            if let Some(fault) = self.fault.take() {
                break FrontStop::Fault(fault);
            }
            let is_enough = read >= enough && self.number > first && self.column == 0 && self.left == 0;
            if self.number >= self.pause || (is_enough && src.len() > 4 * LAST) {
                break FrontStop::NeedRoom;
            }
            if !self.notes.is_empty() {
                // What was seen comes behind the text so far, whatever follows in this input.
                break FrontStop::NeedInput;
            }
            if self.found_newline || self.watch.0.as_ref().is_some_and(|watch| watch.is_due()) {
                // There is something to do before anything more is made.
                break FrontStop::NeedRoom;
            }
            if let Some(ended) = self.finishing {
                match self.finish(ended, decoder, sink)? {
                    Stop::InputEmpty => continue,
                    Stop::OutputFull => break FrontStop::NeedRoom,
                    Stop::Fault(fault) => break FrontStop::Fault(fault),
                }
            }
            let rest = &src[read..];
            if !self.edits.is_empty() && self.put_label(!rest.is_empty()) {
                continue;
            }
            if self.left == 0
                && until.is_none()
                && let Some(taken) = self.quickly(decoder, rest, sink)?
            {
                read += taken;
                continue;
            }
            if self.left > 0 {
                let most = until.map_or(u64::MAX, |until| until.saturating_sub(self.data_at));
                let len = (rest.len().min(self.left) as u64).min(most) as usize;
                if len == 0 {
                    break FrontStop::NeedInput;
                }
                let (taken, stop) = self.data(decoder, &rest[..len], sink)?;
                read += taken;
                match stop {
                    Stop::InputEmpty => continue,
                    Stop::OutputFull => break FrontStop::NeedRoom,
                    Stop::Fault(fault) if self.owed.is_empty() && self.owed_blanks.is_empty() => {
                        break FrontStop::Fault(fault);
                    }
                    Stop::Fault(fault) => self.fault = Some(fault),
                }
                continue;
            }
            match self.deframer.next(rest, eof) {
                Ok(Part::Data(len)) => self.left = len,
                Ok(Part::Framing(len)) => {
                    read += len;
                    self.framing(len as u64);
                }
                Ok(Part::End) => self.finishing = Some(Ended::Record),
                Ok(Part::FileEnd) if self.files => break FrontStop::FileEnd,
                Ok(Part::FileEnd) => {}
                Ok(Part::NeedInput) => break FrontStop::NeedInput,
                Ok(Part::Done) if !std::mem::replace(&mut self.over, true) => {
                    if let Some(moved) = self.printer.as_mut().map(Printer::finish) {
                        self.move_printer(moved, sink);
                    }
                    self.watch.0.iter_mut().for_each(|watch| watch.end());
                }
                Ok(Part::Done) => break FrontStop::Done,
                Err(error) => break FrontStop::Failed(error),
            }
        };
        if !matches!(stop, FrontStop::Fault(_)) {
            self.hold(sink);
        }
        self.find_newlines(&sink.as_bytes()[begin..], self.number - first);
        Ok(Filled { read, stop })
    }

    /// Looks for newlines in `text`, beside those that end the `records` that ended in it. All of it at once: a search in
    /// each record would take longer than decoding it.
    fn find_newlines(&mut self, text: &[u8], records: u64) {
        if let Some(eol) = self.eol.filter(|_| self.finds_newlines) {
            let ends = records * count_newlines(isa(), eol.as_bytes()) as u64;
            self.found_newline |= count_newlines(isa(), text) as u64 > ends;
        }
    }

    /// Whether records can be taken another way: it is between two of them, and nothing is looked for in their bytes.
    fn can_pass(&self) -> bool {
        self.mark == 0 && self.is_between()
    }

    /// A record was taken another way.
    #[inline]
    fn passed(&mut self, header: usize, len: usize) {
        self.number += 1;
        self.at += (header + len) as u64;
        self.data_at += len as u64;
    }

    /// Whole records the quick way; answers how many bytes of `src` they take. `None`, and nothing changed, where they go
    /// the other way.
    #[inline]
    fn quickly(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Option<usize>, Error> {
        let between = self.column == 0 && self.mark == 0 && !self.decoding;
        if between
            && self.edits.is_empty()
            && !self.watch.is_on()
            && self.quick.as_ref().is_some_and(|quick| quick.from <= self.number)
        {
            self.whole_records(decoder, src, sink)
        } else {
            Ok(None)
        }
    }

    fn whole_records(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Option<usize>, Error> {
        let Some(quick) = &mut self.quick else { return Ok(None) };
        // No character of a table has more than four bytes.
        let room = QUICK_ROOM.min(sink.room() / 4);
        let (before, begin) = (self.deframer.clone(), sink.written());
        let trims = !self.blanks.is_empty();
        let (mut read, mut data, mut records) = (0, 0, 0);
        quick.text.clear();
        while let left = room.saturating_sub(quick.text.len() + quick.eol.len())
            && left > 0
            && let Some((header, len)) = self.deframer.whole(&src[read..(read + left).min(src.len())])
        {
            let record = &src[read + header..][..len];
            let blanks = if trims { padding_len(isa(), record, quick.blank) } else { 0 };
            quick.text.extend_from_slice(&record[..len - blanks]);
            quick.text.extend_from_slice(&quick.eol);
            read += header + len;
            data += len;
            records += 1;
        }
        if records == 0 {
            return Ok(None);
        }
        let step = decoder.feed(&quick.text, sink)?;
        if step.read == quick.text.len() && step.stop == Stop::InputEmpty {
            self.number += records;
            self.at += read as u64;
            self.data_at += data as u64;
            self.begin = sink.written();
            return Ok(Some(read));
        }
        // There is a fault in them: these go the other way.
        quick.from = self.number + records;
        sink.truncate(begin);
        self.deframer = before;
        Ok(None)
    }

    /// Some of the data, up to where something changes in the record.
    #[inline]
    fn data(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<(usize, Stop<Malformed>), Error> {
        let mut src = src;
        let mut is_label = false;
        if let Some(Edit { bytes, text }) = self.edits.front() {
            // Up to where the label begins; or some of it, if what it becomes is put in.
            is_label = text.is_empty() && self.data_at >= bytes.start;
            let most = if is_label { bytes.end } else { bytes.start } - self.data_at;
            src = &src[..(src.len() as u64).min(most) as usize];
        }
        if self.mark > 0 {
            let len = (src.len() as u64).min(self.mark) as usize;
            self.mark -= len as u64;
            self.took(len);
            return Ok((len, Stop::InputEmpty));
        }
        if let (0, Some(printer), Some(controls)) = (self.column, &mut self.printer, &self.controls) {
            let (moved, prints, known) = printer.begin(src[0], controls[src[0] as usize]);
            if !known && std::mem::take(&mut self.warns) {
                let message = format!("{:02X} is no carriage control; taken for the next line", src[0]);
                self.notes.push(Diagnostic::warning("carriage-control-unknown", self.at, message));
            }
            self.silent = !prints;
            self.move_printer(moved, sink);
            self.took(1);
            return Ok((1, Stop::InputEmpty));
        }
        if self.silent {
            self.took(src.len());
            return Ok((src.len(), Stop::InputEmpty));
        }
        if let Some(columns) = &self.columns {
            let (is_text, len) = columns.stretch(self.column);
            src = &src[..(src.len() as u64).min(len) as usize];
            if !is_text {
                if self.decoding {
                    self.finishing = Some(Ended::Field);
                    return Ok((0, Stop::InputEmpty));
                }
                return Ok((if is_label { self.drop(src) } else { self.gap(src) }, Stop::InputEmpty));
            }
        }
        self.decoding = true;
        if is_label {
            return self.old_label(decoder, &src[..src.len().min(MIN_ROOM)]);
        }
        let mut shift = None;
        if self.spaced {
            // No farther than is decoded at a time: behind a fault it begins again.
            src = &src[..src.len().min(SPACED)];
            looked_at(src.len());
            if let Some(at) = src.iter().position(|byte| matches!(byte, 0x0E | 0x0F)) {
                src = &src[..at + 1];
                shift = Some(at + 1);
            }
        }
        if !self.held.is_empty() {
            let few = src.len().min(MIN_ROOM);
            return self.behind_held(decoder, &src[..few], shift.filter(|at| *at <= few));
        }
        let step = decoder.feed(src, sink)?;
        self.decoded(&src[..step.read]);
        if step.stop == Stop::InputEmpty && shift == Some(step.read) {
            self.shift_blank(sink);
        }
        Ok((step.read, step.stop))
    }

    /// A blank in place of a shift code. It may be one of the record's last.
    fn shift_blank(&mut self, sink: &mut Utf8Sink<'_>) {
        if sink.room() > 0 {
            sink.push(' ');
        } else if let Some(which) = self.blanks.iter().position(|blank| *blank == b" ") {
            self.hold(sink);
            self.hold_blank(which);
        } else {
            self.owed.push(' ');
        }
    }

    /// One more blank that may be the record's last.
    fn hold_blank(&mut self, which: usize) {
        push_run(&mut self.held, which as u8, 1);
        if self.held.len() > RUNS {
            self.owed_blanks.extend(self.held.pop_front());
        }
    }

    /// Data behind blanks that may be the record's last: by the side, until it is known whether they are.
    fn behind_held(
        &mut self,
        decoder: &mut CheckedDecoder,
        src: &[u8],
        shift: Option<usize>,
    ) -> Result<(usize, Stop<Malformed>), Error> {
        let mut room = [0; 4 * MIN_ROOM];
        let mut side = Utf8Sink::new(&mut room);
        let step = decoder.feed(src, &mut side)?;
        self.decoded(&src[..step.read]);
        self.found_newline |= self.finds_newlines && count_newlines(isa(), side.as_bytes()) > 0;
        if step.stop == Stop::InputEmpty && shift == Some(step.read) {
            // There is room for what a few bytes decode to, and for this.
            side.push(' ');
        }
        let mut text = side.as_str();
        while let Some(which) = self.blanks.iter().position(|blank| text.as_bytes().starts_with(blank)) {
            text = &text[self.blanks[which].len()..];
            self.hold_blank(which);
        }
        if matches!(step.stop, Stop::Fault(_)) {
            self.owed_blanks.extend(self.held.drain(..));
            self.owed.push_str(text);
        } else if !text.is_empty() {
            self.owe(text);
        }
        // What it took and wrote is a step forward, whatever it says of this room.
        let stop = if step.stop == Stop::OutputFull { Stop::InputEmpty } else { step.stop };
        Ok((step.read, stop))
    }

    /// Text is to come, and before it the blanks that were held back; those at its end may be the record's last again.
    fn owe(&mut self, text: &str) {
        self.owed_blanks.extend(self.held.drain(..));
        let mut held = VecDeque::new();
        let len = tail(self.blanks, text.as_bytes(), |which, count| held.push_front((which, count)));
        self.owed.push_str(&text[..len]);
        self.held = held;
    }

    /// Puts in what the label becomes, if it is due; whether it was. `more`: there is input left.
    fn put_label(&mut self, more: bool) -> bool {
        let Some(Edit { bytes, text }) = self.edits.front_mut() else { return false };
        if text.is_empty() {
            let is_past = self.data_at >= bytes.end;
            if is_past {
                self.edits.pop_front();
            }
            return is_past;
        }
        // A label that is replaced begins with its first byte, behind the end of a record before that; one that is put in
        // stands behind what is before it.
        let is_due = self.data_at >= bytes.start && (bytes.is_empty() || self.over || (self.left > 0 && more));
        if is_due {
            let text = std::mem::take(text);
            self.owed_blanks.extend(self.held.drain(..));
            self.owed.push_str(&text);
        }
        is_due
    }

    /// Bytes of the label, which has become another one: decoded, so that the decoder's state is right, and their text
    /// is dropped.
    fn old_label(&mut self, decoder: &mut CheckedDecoder, src: &[u8]) -> Result<(usize, Stop<Malformed>), Error> {
        let mut room = [0; 4 * MIN_ROOM];
        let step = decoder.feed(src, &mut Utf8Sink::new(&mut room))?;
        self.decoded(&src[..step.read]);
        let stop = if step.stop == Stop::OutputFull { Stop::InputEmpty } else { step.stop };
        Ok((step.read, stop))
    }

    /// Columns that nothing becomes of.
    fn drop(&mut self, src: &[u8]) -> usize {
        self.took(src.len());
        src.len()
    }

    /// Columns that are no text.
    fn gap(&mut self, src: &[u8]) -> usize {
        if self.gaps == Gaps::Drop {
            return self.drop(src);
        }
        let src = &src[..src.len().min(MIN_ROOM)];
        self.owed_blanks.extend(self.held.drain(..));
        for byte in src {
            for digit in [byte >> 4, byte & 15] {
                self.owed.extend(char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()));
            }
        }
        self.took(src.len());
        src.len()
    }

    /// Finishes the decoder, and the record where that ends.
    fn finish(
        &mut self,
        ended: Ended,
        decoder: &mut CheckedDecoder,
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Stop<Malformed>, Error> {
        if self.decoding {
            let before = sink.written();
            let stop = decoder.finish(sink)?;
            if sink.written() > before && !self.held.is_empty() {
                // What the end brings forth stands behind the blanks.
                let text = sink.as_str()[before..].to_owned();
                sink.truncate(before);
                self.owe(&text);
            }
            match stop {
                Stop::InputEmpty => {
                    decoder.reset();
                    self.decoding = false;
                }
                Stop::OutputFull => return Ok(stop),
                Stop::Fault(fault) => {
                    self.owed_blanks.extend(self.held.drain(..));
                    if !self.owed_blanks.is_empty() || !self.owed.is_empty() {
                        self.fault = Some(fault);
                        return Ok(Stop::InputEmpty);
                    }
                    return Ok(stop);
                }
            }
        }
        self.finishing = None;
        if ended == Ended::Record {
            if !self.owed.is_empty() {
                // The last text of the record is still owed, and its blanks are to be trimmed behind it.
                self.finishing = Some(ended);
                return Ok(Stop::InputEmpty);
            }
            if self.printer.is_none() && self.eol.is_some_and(|eol| sink.room() < eol.len()) {
                // What is owed is text of records, among which a newline would be one of theirs.
                self.finishing = Some(ended);
                return Ok(Stop::OutputFull);
            }
            self.end_record(sink);
        }
        Ok(Stop::InputEmpty)
    }

    fn end_record(&mut self, sink: &mut Utf8Sink<'_>) {
        if self.held.is_empty() {
            let len = self.begin + tail(self.blanks, &sink.as_bytes()[self.begin..], |_, _| {});
            sink.truncate(len);
        }
        self.held.clear();
        if self.column == 0
            && let Some(printer) = &mut self.printer
        {
            // A record without a first column is an empty line.
            let (moved, _, _) = printer.begin(0x09, ' ');
            self.move_printer(moved, sink);
        }
        match self.printer.as_mut().map(Printer::end) {
            Some(moved) => self.move_printer(moved, sink),
            None => match self.eol {
                None => self.mark(Mark::End, sink),
                Some(eol) => _ = sink.push_str(eol),
            },
        }
        self.silent = false;
        self.watch.0.iter_mut().for_each(|watch| watch.end_record());
        self.number += 1;
        self.column = 0;
        self.jumps.clear();
        self.begin = sink.written();
    }

    /// Takes back the blanks at the end of the text: they may be the record's last. Not where text is still owed: that
    /// stands behind them.
    fn hold(&mut self, sink: &mut Utf8Sink<'_>) {
        let owes = !self.owed_blanks.is_empty() || !self.owed.is_empty() || self.fault.is_some();
        if self.blanks.is_empty() || owes || !self.held.is_empty() || sink.written() == self.begin {
            return;
        }
        let mut held = VecDeque::new();
        let text = &sink.as_bytes()[self.begin..];
        let len = self.begin + tail(self.blanks, text, |which, count| held.push_front((which, count)));
        self.held = held;
        sink.truncate(len);
    }

    /// Judges the first records, if they are all there.
    fn judge(&mut self) {
        if let Some(watch) = self.watch.0.as_mut().filter(|watch| watch.is_due()) {
            self.notes.extend(watch.judge().map(looks_packed));
        }
    }

    /// Writes what is owed; whether that is all.
    #[inline]
    fn pay(&mut self, sink: &mut Utf8Sink<'_>) -> bool {
        (self.owed_blanks.is_empty() && self.owed.is_empty()) || self.pay_all(sink)
    }

    fn pay_all(&mut self, sink: &mut Utf8Sink<'_>) -> bool {
        while let Some((which, count)) = self.owed_blanks.front_mut() {
            let blank = std::str::from_utf8(self.blanks[*which as usize]).unwrap_or_default();
            while *count > 0 {
                if sink.room() < blank.len() {
                    return false;
                }
                sink.push_str(blank);
                *count -= 1;
            }
            self.owed_blanks.pop_front();
            // Text follows them, or a fault: they are not the record's last.
            self.begin = sink.written();
        }
        let paid = sink.push_str(&self.owed);
        self.owed.drain(..paid);
        self.owed.is_empty()
    }

    fn mark(&mut self, mark: Mark, sink: &Utf8Sink<'_>) {
        let place = self.place_back(0);
        self.marks.push((sink.written(), mark, place));
    }

    fn move_printer(&mut self, moved: Move, sink: &Utf8Sink<'_>) {
        if moved == Move::default() {
            return;
        }
        let Some(eol) = self.eol else {
            self.mark(Mark::Move(moved), sink);
            return;
        };
        (0..moved.lines).for_each(|_| self.owed.push_str(eol));
        self.owed.extend(moved.then);
    }

    /// These bytes were decoded.
    #[inline]
    fn decoded(&mut self, bytes: &[u8]) {
        if let Some(watch) = &mut self.watch.0 {
            looked_at(bytes.len());
            watch.see(self.at, bytes);
        }
        self.took(bytes.len());
    }

    /// So many bytes of data are done with.
    #[inline]
    fn took(&mut self, len: usize) {
        self.left -= len;
        self.column += len as u64;
        self.at += len as u64;
        self.data_at += len as u64;
    }

    fn framing(&mut self, len: u64) {
        self.at += len;
        if self.column > 0 {
            // No fault and no blank reaches farther back than these.
            let column = self.column;
            self.jumps.retain(|(behind, _)| behind + (4 * MAX_FAULT) as u64 >= column);
            // Segments without data follow each other for as long as the input likes.
            match self.jumps.last_mut() {
                Some((behind, so_far)) if *behind == column => *so_far += len,
                _ => self.jumps.push((column, len)),
            }
        }
    }

    fn place_back(&self, back: u64) -> Place {
        let column = self.column.saturating_sub(back);
        let framing: u64 = self.jumps.iter().filter(|(behind, _)| *behind > column).map(|(_, len)| len).sum();
        let offset = self.at.saturating_sub(self.column - column + framing);
        Place { offset, record: Some(RecordPosition { number: self.number, column: column + 1 }) }
    }
}

/// Where in `text` the blanks begin that are its last; `run` is told of each run of them, last first.
#[inline]
fn tail(blanks: &[&[u8]], text: &[u8], mut run: impl FnMut(u8, u64)) -> usize {
    let mut len = text.len();
    if let [b" "] = blanks {
        let blanks = padding_len(isa(), text, b' ');
        if blanks > 0 {
            run(0, blanks as u64);
        }
        return len - blanks;
    }
    let mut runs = 0;
    while let Some(which) = blanks.iter().position(|blank| text[..len].ends_with(blank)) {
        if runs == RUNS {
            break;
        }
        let mut count = 0;
        while text[..len].ends_with(blanks[which]) {
            len -= blanks[which].len();
            count += 1;
        }
        run(which as u8, count);
        runs += 1;
    }
    len
}

/// So many bytes were looked at, beside being decoded: tests add them up.
#[inline]
fn looked_at(bytes: usize) {
    #[cfg(test)]
    tests::LOOKED_AT.set(tests::LOOKED_AT.get() + bytes);
    _ = bytes;
}

fn looks_packed(found: PackedField) -> Diagnostic {
    let (first, last) = found.columns.into_inner();
    let (some, all) = found.records;
    let message = format!(
        "columns {first}-{last} look like a packed decimal (COMP-3) in {some} of {all} records, which converting destroys: \
         say which columns are text"
    );
    Diagnostic::warning("looks-packed", found.offset, message)
}

fn push_run(runs: &mut VecDeque<(u8, u64)>, which: u8, count: u64) {
    match runs.back_mut() {
        Some((last, so_far)) if *last == which => *so_far += count,
        _ => runs.push_back((which, count)),
    }
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

    /// What is looked for in records is not looked for again behind every shift code and every fault.
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
                    assert!(each <= 2 + super::SPACED, "{charset}, {unit:02X?}, {spaced}, {len}: {each}");
                }
            }
        }
    }
}
