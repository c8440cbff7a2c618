//! The staged way: the decoder fills a buffer with text, the text stages cut it into pieces, and the encoder takes them
//! from the queue. Every run can use this way; the others are faster if they apply.

use crate::codec::{MIN_ROOM, Utf8Buf, Utf8Sink};
use crate::detect::Diagnostic;
use crate::error::Error;
use crate::text::Stage;
use crate::text::eol::InRecordStage;
use crate::transcoder::fill::{Chunk, Filled};
use crate::transcoder::guard::Passing;
use crate::transcoder::report::Place;
use crate::transcoder::run::Work;
use crate::transcoder::segment::{Inserted, Origin, RecordEnds, Segment, Spare};
use crate::transcoder::source::Source;
use std::collections::VecDeque;

/// How much text is decoded at a time, in bytes, and the most input for it.
const TEXT_BYTES: usize = 128 * 1024;

/// The most input at a time if stages may cut the text. They may cut it at every character, and a piece takes several
/// times the memory of a character.
const STAGED_INPUT_BYTES: usize = 16 * 1024;

/// The decoded text and what happens to it before it is encoded.
pub(in crate::transcoder) struct Staged {
    /// The text that is being encoded.
    text: Utf8Buf,
    stages: Vec<Box<dyn Stage>>,
    ends: RecordEnds,
    /// The text equals the input, byte for byte: UTF-8 without records.
    is_identity: bool,
    /// Warn at the first code point above FFFF.
    expects_bmp: bool,
    /// Where the spaces and the text that are held back came from.
    pending_origin: Option<Origin>,
}

impl Staged {
    pub(in crate::transcoder) fn new(
        stages: Vec<Box<dyn Stage>>,
        ends: RecordEnds,
        is_identity: bool,
        expects_bmp: bool,
    ) -> Self {
        Staged { text: Utf8Buf::new(TEXT_BYTES), stages, ends, is_identity, expects_bmp, pending_origin: None }
    }

    /// A copy that starts afresh, with nothing pending.
    pub(in crate::transcoder) fn fresh(&self) -> Self {
        let stages = self.stages.iter().map(|stage| stage.fork()).collect();
        Staged::new(stages, self.ends, self.is_identity, self.expects_bmp)
    }

    /// The text that was decoded last.
    pub(in crate::transcoder) fn text(&self) -> &str {
        self.text.as_str()
    }

    pub(in crate::transcoder) fn ends(&self) -> RecordEnds {
        self.ends
    }

    /// The most input to decode at a time, in bytes.
    pub(in crate::transcoder) fn input_limit(&self) -> usize {
        if self.stages.is_empty() { TEXT_BYTES } else { STAGED_INPUT_BYTES }
    }

    /// Whether the text equals the input, byte for byte: then it need not be decoded, and its origin is an offset alone,
    /// so that no copy of the source is needed to find it.
    pub(in crate::transcoder) fn is_identity(&self) -> bool {
        self.is_identity
    }

    /// Whether nothing looks at the text but the encoder, so that replacements can be part of it.
    pub(in crate::transcoder) fn is_plain(&self) -> bool {
        self.stages.is_empty() && !self.expects_bmp
    }

    /// Whether spaces or text are held back whose origin is known.
    pub(in crate::transcoder) fn has_pending(&self) -> bool {
        self.pending_origin.is_some()
    }

    /// Whether the next text does not depend on earlier text.
    pub(in crate::transcoder) fn is_at_boundary(&self) -> bool {
        self.pending_origin.is_none() && self.stages.iter().all(|stage| stage.is_between())
    }

    /// Returns the text that the stages have held back, which ends here.
    pub(in crate::transcoder) fn held(&mut self) -> Option<Segment> {
        Segment::held(&mut self.stages)
    }

    /// Whether a stage may hold back text, so that a copy cannot begin in the middle of the input.
    pub(in crate::transcoder) fn holds_text(&self) -> bool {
        self.stages.iter().any(|stage| stage.holds_text())
    }

    /// Goes back to the beginning, for another input. Returns `false` if it cannot.
    pub(in crate::transcoder) fn restart(&mut self) -> bool {
        self.is_at_boundary()
    }

    /// Stops warning of code points above FFFF.
    pub(in crate::transcoder) fn allow_supplementary(&mut self) {
        self.expects_bmp = false;
    }

    /// Decodes from the front of `chunk` into the text buffer.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`](crate::error::ErrorKind::Codec) from a decoder that breaks its contract.
    pub(in crate::transcoder) fn decode(&mut self, source: &mut Source, chunk: Chunk<'_>) -> Result<Filled, Error> {
        // Most text has less than four bytes for one of the input; the rest comes in several parts.
        let wanted = (4 * chunk.bytes.len()).max(4 * MIN_ROOM);
        self.text.fill(wanted, |sink| source.fill(chunk, sink))
    }

    /// Lends the text buffer to `fill`: `wanted` bytes, unless that is too much.
    pub(in crate::transcoder) fn fill_text<T>(
        &mut self,
        wanted: usize,
        fill: impl FnOnce(&mut Utf8Sink<'_>) -> T,
    ) -> T {
        self.text.fill(wanted, fill)
    }

    /// Decodes what the decoder still holds at the end of the input.
    ///
    /// # Errors
    /// As of [`decode`](Self::decode).
    pub(in crate::transcoder) fn finish(
        &mut self,
        source: &mut Source,
    ) -> Result<crate::codec::Stop<crate::codec::Malformed>, Error> {
        self.text.fill(4 * MIN_ROOM, |sink| source.finish(sink))
    }

    /// Returns the origin of the text that was decoded last from `read`. `before`: a copy of the source from before
    /// that; `start`: where in the input the text began.
    pub(in crate::transcoder) fn origin(
        &mut self,
        before: Option<Box<Source>>,
        start: Place,
        (read, eof): (&[u8], bool),
        spare: &mut Spare,
    ) -> Origin {
        match (self.pending_origin.take(), before) {
            (Some(pending), Some(_)) => pending.extended(read, eof),
            (None, Some(before)) => Origin::decoded(before, read, eof, spare),
            (_, None) if self.is_identity && start.position.is_none() => Origin::Same(start.offset),
            (_, None) => Origin::At(start),
        }
    }

    /// Keeps the origin of what is still held back after the text. Returns the origin of the text to queue; `None` if
    /// there is none.
    pub(in crate::transcoder) fn keep_pending(&mut self, source: &Source, origin: Origin) -> Option<Origin> {
        if source.trailing().is_none() && source.is_flushed() {
            return Some(origin);
        }
        if self.text.as_str().is_empty() && !source.has_marks() {
            self.pending_origin = origin.continued(0);
            return None;
        }
        self.pending_origin = origin.clone().continued(self.text.as_str().len());
        Some(origin)
    }

    /// Puts the text that was decoded last into the queue. `replaced`: how many malformed sequences were replaced in
    /// it.
    pub(in crate::transcoder) fn queue_text(
        &mut self,
        source: &mut Source,
        origin: Origin,
        (queue, spare): (&mut VecDeque<Work>, &mut Spare),
        replaced: u64,
    ) {
        let text = self.text.as_str();
        let marks = source.take_marks();
        let mut marks = &marks[..];
        let mut begin = 0;
        if self.expects_bmp
            && let Some(index) = text.bytes().position(|byte| byte >= 0xF0)
        {
            self.expects_bmp = false;
            let message = "surrogates in input labelled ISO-10646-UCS-2; read as UTF-16";
            let place = origin.place(index);
            let note = Diagnostic::warning("ucs2-surrogates", place.offset, message).with_position(place.position);
            let (before, after) = marks.split_at(marks.partition_point(|(at, ..)| *at <= index));
            let segment = Segment::decoded(text, 0..index, origin.clone(), &mut self.stages, before, self.ends, spare);
            queue.push_back(Work::Text(segment));
            queue.push_back(Work::Note(note));
            begin = index;
            marks = after;
        }
        if begin < text.len() || !marks.is_empty() {
            let segment = Segment::decoded(text, begin..text.len(), origin, &mut self.stages, marks, self.ends, spare);
            let has_marks = source.passing() != Some(Passing::Drop);
            queue.push_back(Work::Text(segment.with_replaced(replaced, has_marks)));
        } else {
            spare.keep_origin(origin);
        }
    }

    /// Makes a segment of text that no bytes decode to. `place`: where in the input it is inserted. The stages hold
    /// back nothing.
    pub(in crate::transcoder) fn inserted(&mut self, text: Inserted, place: Place, spare: &mut Spare) -> Segment {
        // It comes after all text that the stages have seen.
        self.stages.iter_mut().for_each(|stage| stage.inserted());
        Segment::inserted(text, place, spare)
    }

    /// Makes a segment of a character that a malformed byte was read as. The stages take it like any text of the input.
    pub(in crate::transcoder) fn read_as(&mut self, ch: char, place: Place) -> Segment {
        Segment::read_as(ch, place, &mut self.stages, self.ends)
    }

    /// Handles newlines within records from here on.
    pub(in crate::transcoder) fn add_newline_stage(&mut self, stage: InRecordStage) {
        self.stages.push(Box::new(stage));
    }
}
