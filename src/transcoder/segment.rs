//! Decoded text on its way to the encoder, and the input position of each of its characters.
//!
//! The encoder reports a character that it cannot write by its place in the text it was fed. The way back leads through
//! the pieces that the stages cut to the decoded text, and from there through a copy of the source, made before the
//! text was decoded, which decodes the same bytes again one at a time. This is done only for faults; without faults,
//! the only cost is a copy of the bytes and of the source.

use crate::codec::{MIN_ROOM, Utf8Sink};
#[cfg(feature = "mojibake")]
use crate::text::Repairs;
use crate::text::{CharSource, Piece, Stage, Text, keep};
use crate::transcoder::fill::{Chunk, SourceStop};
use crate::transcoder::records::record::Mark;
use crate::transcoder::report::Place;
use crate::transcoder::source::Source;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Where decoded text came from.
pub(super) enum Origin {
    /// One place in the input: for inserted text, and for text that the decoder writes at the end of the input.
    At(Place),
    /// The text equals the input from this offset on: UTF-8.
    Same(u64),
    /// Decoded from `bytes` by a source in the state of `source`, after `skip` bytes of text that it made before.
    /// `eof`: nothing followed the bytes.
    Decoded { source: Box<Source>, bytes: Arc<Vec<u8>>, skip: usize, eof: bool },
}

impl Clone for Origin {
    fn clone(&self) -> Self {
        match self {
            Origin::At(place) => Origin::At(*place),
            Origin::Same(start) => Origin::Same(*start),
            Origin::Decoded { source, bytes, skip, eof } => {
                Origin::Decoded { source: Box::new(source.fork()), bytes: bytes.clone(), skip: *skip, eof: *eof }
            }
        }
    }
}

impl Origin {
    /// The origin of text that `source` decodes from `bytes`.
    pub(super) fn decoded(source: Box<Source>, bytes: &[u8], eof: bool, spare: &mut Spare) -> Self {
        Origin::Decoded { source, bytes: spare.bytes(bytes), skip: 0, eof }
    }

    /// The origin of what follows `text` bytes of text while spaces or other text are held back, whose places are found
    /// from here. `None` if too many bytes would have to be kept for that.
    pub(super) fn continued(self, text: usize) -> Option<Self> {
        match self {
            Origin::Decoded { source, bytes, skip, .. } if bytes.len() <= MAX_KEPT_BYTES => {
                Some(Origin::Decoded { source, bytes, skip: skip + text, eof: false })
            }
            _ => None,
        }
    }

    /// The same with more bytes at the end.
    pub(super) fn extended(mut self, more: &[u8], is_end: bool) -> Self {
        if let Origin::Decoded { bytes, eof, .. } = &mut self {
            if !more.is_empty() {
                Arc::make_mut(bytes).extend_from_slice(more);
            }
            *eof = is_end;
        }
        self
    }

    /// Returns where in the input the character at `index` of the text began.
    pub(super) fn place(&self, index: usize) -> Place {
        self.places(&[index])[0]
    }

    /// Returns where in the input the characters at `indices` of the text began, which ascend. The bytes are decoded
    /// once for all of them.
    fn places(&self, indices: &[usize]) -> Vec<Place> {
        let (source, bytes, skip, eof) = match self {
            Origin::At(place) => return vec![*place; indices.len()],
            // The index may be beyond the end, if nothing nearer is known.
            Origin::Same(start) => {
                return indices.iter().map(|index| start.saturating_add(*index as u64).into()).collect();
            }
            Origin::Decoded { source, bytes, skip, eof } => (source, bytes, *skip, *eof),
        };
        let mut search = Search::new(source.fork(), indices.iter().map(|index| index.saturating_add(skip)).collect());
        // First what was pending and takes no input, such as the end of a record after a fault: it does not belong to
        // what follows. Last the text that the decoder writes at the end.
        let is_found = search.byte(&[], false)
            || bytes
                .chunks(STRIDE)
                .any(|stride| !search.pass(stride) && stride.chunks(1).any(|byte| search.byte(byte, false)))
            || search.byte(&[], eof);
        let mut found = search.found;
        if !is_found {
            found.resize(indices.len(), search.source.place());
        }
        found
    }
}

/// The memory of segments that are done. Text that comes in small pieces needs no other.
#[derive(Default)]
pub(super) struct Spare {
    source: Option<Box<Source>>,
    bytes: Option<Arc<Vec<u8>>>,
    pieces: [Vec<Piece>; 2],
}

impl Spare {
    /// Returns a copy of `source`.
    pub(super) fn copy(&mut self, source: &Source) -> Box<Source> {
        match self.source.take() {
            Some(mut copy) => {
                copy.copy_from(source);
                copy
            }
            None => Box::new(source.fork()),
        }
    }

    fn bytes(&mut self, from: &[u8]) -> Arc<Vec<u8>> {
        if let Some(mut bytes) = self.bytes.take()
            && let Some(own) = Arc::get_mut(&mut bytes)
        {
            own.clear();
            own.extend_from_slice(from);
            return bytes;
        }
        Arc::new(from.to_vec())
    }

    /// Returns an empty list of pieces.
    fn pieces(&mut self, len: usize) -> Vec<Piece> {
        let longest = self.pieces.iter_mut().max_by_key(|list| list.capacity());
        let mut pieces = longest.map(std::mem::take).unwrap_or_default();
        pieces.reserve(len);
        pieces
    }

    /// Keeps a copy of the source that is not needed any more.
    pub(super) fn keep_source(&mut self, source: Box<Source>) {
        self.source = Some(source);
    }

    /// Keeps the memory of a segment that is done.
    pub(super) fn keep(&mut self, segment: Segment) {
        self.keep_pieces(segment.pieces);
        self.keep_origin(segment.origin);
    }

    /// Keeps the longest lists of pieces.
    fn keep_pieces(&mut self, mut pieces: Vec<Piece>) {
        let is_small = pieces.capacity() <= MAX_SPARE_PIECES;
        if let Some(least) = self.pieces.iter_mut().min_by_key(|list| list.capacity()).filter(|_| is_small)
            && least.capacity() < pieces.capacity()
        {
            pieces.clear();
            *least = pieces;
        }
    }

    /// Keeps the memory of the origin of text that is done.
    pub(super) fn keep_origin(&mut self, origin: Origin) {
        if let Origin::Decoded { source, bytes, .. } = origin {
            self.source = Some(source);
            self.bytes = Some(bytes).filter(|bytes| bytes.capacity() <= MAX_SPARE_BYTES);
        }
    }

    /// Forgets the copies of the source, because another one takes its place.
    pub(super) fn forget_source(&mut self) {
        self.source = None;
    }
}

/// The most bytes of input that are kept as memory for the next piece.
const MAX_SPARE_BYTES: usize = 16 * 1024;

/// The most pieces that a list may have that is kept.
const MAX_SPARE_PIECES: usize = 1024;

/// Text that is inserted.
pub(super) enum Inserted {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Inserted {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Inserted::Static(text) => text,
            Inserted::Shared(text) => text,
        }
    }
}

impl From<Cow<'static, str>> for Inserted {
    fn from(text: Cow<'static, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Inserted::Static(text),
            Cow::Owned(text) => Inserted::Shared(text.into()),
        }
    }
}

impl Origin {
    /// Returns how many malformed sequences were replaced in the first `len` bytes of the text.
    fn replaced(&self, len: usize) -> u64 {
        let Origin::Decoded { source, bytes, skip, .. } = self else { return 0 };
        let end = len.saturating_add(*skip);
        let mut search = Search::new(source.fork(), vec![end]);
        for byte in bytes.chunks(1) {
            if search.decoded >= end {
                break;
            }
            search.byte(byte, false);
        }
        search.source.take_replaced()
    }
}

/// How many bytes are decoded at a time until the character is near.
const STRIDE: usize = 256;

/// Looks for the places of characters: decodes again, and records where each character began.
struct Search {
    source: Source,
    /// The bytes of the text that are looked for, in ascending order, and the places of the first of them.
    indices: Vec<usize>,
    found: Vec<Place>,
    /// How many bytes of text were decoded.
    decoded: usize,
    /// Where the text that comes next begins.
    begin: Place,
    /// The places of trailing spaces that are held back: their text comes later than their bytes. How many begin at
    /// each.
    trailing: VecDeque<(Place, u64)>,
    /// The sum of these numbers.
    known: u64,
}

impl Search {
    fn new(source: Source, indices: Vec<usize>) -> Self {
        let trailing = VecDeque::from_iter(source.trailing());
        let known = trailing.iter().map(|(_, count)| count).sum();
        Search { begin: source.place(), known, trailing, source, indices, found: Vec::new(), decoded: 0 }
    }

    /// The next byte of the text that is looked for.
    fn next(&self) -> Option<usize> {
        self.indices.get(self.found.len()).copied()
    }

    /// Goes past `src` if the next character does not begin there. Returns whether it did; if not, nothing has changed.
    fn pass(&mut self, src: &[u8]) -> bool {
        let mut source = self.source.fork();
        let mut buffer = [0; 4 * STRIDE];
        let mut sink = Utf8Sink::new(&mut buffer);
        let Ok(filled) = source.fill(Chunk { bytes: src, eof: false, until: None }, &mut sink) else { return false };
        // Marks are of no use here, and every copy would have them all again.
        source.take_marks();
        let is_whole = filled.read == src.len() && matches!(filled.stop, SourceStop::NeedInput);
        let decoded = self.decoded + sink.written();
        if !is_whole
            || self.next().is_some_and(|index| decoded > index)
            || !self.trailing.is_empty()
            || source.trailing().is_some()
        {
            return false;
        }
        (self.source, self.decoded) = (source, decoded);
        true
    }

    /// Decodes one byte, or none to get pending text. Returns whether all characters are found.
    fn byte(&mut self, mut src: &[u8], eof: bool) -> bool {
        let source = &mut self.source;
        // A correct decoder does not need many rounds in which it neither reads nor writes.
        let mut idle = 0;
        while idle < MIN_ROOM {
            // Pending text was read in an earlier round, and keeps the place where it was read.
            if source.is_flushed() {
                self.begin = source.place();
            }
            let begin = self.begin;
            let mut buffer = [0; 4 * MIN_ROOM];
            let mut sink = Utf8Sink::new(&mut buffer);
            let chunk = Chunk { bytes: src, eof, until: None };
            let Ok(filled) = source.fill(chunk, &mut sink) else {
                self.found.resize(self.indices.len(), begin);
                return true;
            };
            source.take_marks();
            idle = if filled.read == 0 && sink.written() == 0 { idle + 1 } else { 0 };
            for ch in sink.as_str().chars() {
                self.decoded += ch.len_utf8();
                let place = match self.trailing.front_mut() {
                    Some((place, count)) if source.is_blank(ch) => {
                        let place = *place;
                        *count -= 1;
                        self.known -= 1;
                        if *count == 0 {
                            self.trailing.pop_front();
                        }
                        place
                    }
                    _ => begin,
                };
                while self.indices.get(self.found.len()).is_some_and(|index| self.decoded > *index) {
                    self.found.push(place);
                }
                if self.found.len() == self.indices.len() {
                    return true;
                }
            }
            match source.trailing() {
                None => {
                    self.trailing.clear();
                    self.known = 0;
                }
                Some((_, count)) if count > self.known => {
                    self.trailing.push_back((begin, count - self.known));
                    self.known = count;
                }
                Some(_) => {}
            }
            src = src.get(filled.read..).unwrap_or_default();
            let more = matches!(filled.stop, SourceStop::NeedRoom | SourceStop::Fault(_));
            if !more && src.is_empty() {
                break;
            }
        }
        false
    }
}

/// The most bytes that are kept to find the places of text that is held back.
const MAX_KEPT_BYTES: usize = 256 * 1024;

/// The text for the ends of records and for the moves of a printer.
#[derive(Clone, Copy)]
pub(super) struct RecordEnds {
    /// The text for the end of a record; `None` if it ends a record of the output.
    pub(super) end: Option<&'static str>,
    /// The line ending.
    pub(super) eol: &'static str,
}

/// A stretch of text to be encoded, cut into pieces.
pub(super) struct Segment {
    /// Inserted text. If there is none, the pieces are of the transcoder's decoded text.
    inserted: Option<Inserted>,
    origin: Origin,
    pieces: Vec<Piece>,
    /// The index of the piece that is being encoded, and how many bytes of it are done.
    piece: usize,
    done: usize,
    /// The encoder has begun with it.
    begun: bool,
    /// How much text the encoder had been fed before that.
    pub(super) fed_from: u64,
    /// How many malformed sequences were replaced in the text, and are not counted yet.
    replaced: u64,
    /// All U+FFFD in the text stand for malformed bytes.
    pub(super) stands_for_malformed: bool,
}

impl Segment {
    /// Cuts the part `range` of `text`, which was decoded from `origin`, by `stages`. `marks` are those of that part.
    pub(super) fn decoded(
        text: &str,
        range: Range<usize>,
        origin: Origin,
        stages: &mut [Box<dyn Stage>],
        marks: &[(usize, Mark, Place)],
        RecordEnds { end, eol }: RecordEnds,
        spare: &mut Spare,
    ) -> Self {
        let mut pieces = spare.pieces(1 + 2 * marks.len());
        let mut at = range.start;
        for (index, mark, place) in marks {
            let put = |text| Text::Put(text, *place);
            keep(&mut pieces, at..*index);
            at = *index;
            match mark {
                Mark::End => pieces.push(Piece { at, text: end.map_or(Text::End, put) }),
                Mark::Move(moved) => {
                    pieces.extend((0..moved.lines).map(|_| Piece { at, text: put(eol) }));
                    let then = moved.then.map(|ch| if ch == '\r' { "\r" } else { "\u{C}" });
                    pieces.extend(then.map(|text| Piece { at, text: put(text) }));
                }
            }
        }
        keep(&mut pieces, at..range.end);
        for stage in stages.iter_mut() {
            let mut cut = spare.pieces(0);
            for piece in pieces.drain(..) {
                match piece.text {
                    Text::Kept(len) => {
                        let range = piece.at..piece.at + len;
                        stage.cut(&text[range.clone()], range, &mut cut);
                    }
                    _ => stage.pass(piece, &mut cut),
                }
            }
            stage.settle(&|at| origin.places(at));
            spare.keep_pieces(std::mem::replace(&mut pieces, cut));
        }
        Segment { inserted: None, ..Segment::new(origin, pieces) }
    }

    /// Text that `stages` have held back, which ends here.
    pub(super) fn held(stages: &mut [Box<dyn Stage>]) -> Option<Self> {
        let mut pieces = Vec::new();
        for stage in stages {
            // What an earlier stage has held back comes after what this one holds.
            let mut cut = Vec::new();
            pieces.drain(..).for_each(|piece| stage.pass(piece, &mut cut));
            stage.flush(&mut cut);
            pieces = cut;
        }
        (!pieces.is_empty()).then(|| Segment::new(Origin::At(Place::default()), pieces))
    }

    /// A character that the malformed byte at `place` was read as, cut by `stages`.
    pub(super) fn read_as(ch: char, place: Place, stages: &mut [Box<dyn Stage>], ends: RecordEnds) -> Self {
        let text = ch.to_string();
        let segment =
            Segment::decoded(&text, 0..text.len(), Origin::At(place), stages, &[], ends, &mut Spare::default());
        Segment { inserted: Some(Inserted::Shared(text.into())), ..segment }
    }

    /// Text that is inserted at the place `at` of the input. No stage sees it.
    pub(super) fn inserted(text: Inserted, at: Place, spare: &mut Spare) -> Self {
        let mut pieces = spare.pieces(1);
        keep(&mut pieces, 0..text.as_str().len());
        let stands_for_malformed = true;
        Segment { inserted: Some(text), stands_for_malformed, ..Segment::new(Origin::At(at), pieces) }
    }

    fn new(origin: Origin, pieces: Vec<Piece>) -> Self {
        Segment {
            inserted: None,
            origin,
            pieces,
            piece: 0,
            done: 0,
            begun: false,
            fed_from: 0,
            replaced: 0,
            stands_for_malformed: false,
        }
    }

    /// The same text, in which this many malformed sequences were replaced. `has_marks`: by U+FFFD, and there is no
    /// other U+FFFD in the text unless the target has it.
    pub(super) fn with_replaced(self, replaced: u64, has_marks: bool) -> Self {
        Segment { replaced, stands_for_malformed: replaced > 0 && has_marks, ..self }
    }

    /// Returns how many malformed sequences were replaced in the text.
    pub(super) fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Returns how many of them precede the text that comes next.
    pub(super) fn replaced_so_far(&self) -> u64 {
        if self.replaced == 0 {
            return 0;
        }
        let end = |piece: &Piece| if let Text::Kept(len) = piece.text { piece.at + len } else { piece.at };
        let len = match self.pieces.get(self.piece) {
            Some(piece) => piece.at + self.done,
            None => self.pieces.last().map_or(0, end),
        };
        self.origin.replaced(len)
    }

    /// Begins with the segment, if that is not done. `fed`: how much text the encoder has been fed.
    pub(super) fn begin(&mut self, fed: u64) {
        if !std::mem::replace(&mut self.begun, true) {
            self.fed_from = fed;
        }
    }

    pub(super) fn is_inserted(&self) -> bool {
        self.inserted.is_some()
    }

    fn text_of<'a>(&'a self, piece: &'a Piece, decoded: &'a str) -> &'a str {
        match piece.text {
            Text::New(text) | Text::Put(text, ..) => text,
            Text::Made(ref made) => &made.text,
            Text::Kept(len) => &self.inserted.as_ref().map_or(decoded, Inserted::as_str)[piece.at..piece.at + len],
            Text::End | Text::Control(..) | Text::Newline(..) | Text::TooLong(_) => "",
            #[cfg(feature = "mojibake")]
            Text::Repaired(_) => "",
        }
    }

    /// Returns the next piece of work; `None` at the end. `decoded`: the transcoder's decoded text.
    pub(super) fn next<'a>(&'a self, decoded: &'a str) -> Option<Next<'a>> {
        let piece = self.pieces.get(self.piece)?;
        Some(match piece.text {
            Text::New(_) | Text::Put(..) | Text::Kept(_) | Text::Made(..) => {
                Next::Text(&self.text_of(piece, decoded)[self.done..])
            }
            Text::End => Next::End,
            Text::Control(ch, _) => Next::Control(ch),
            Text::Newline(ch, _) => Next::Newline(ch),
            Text::TooLong(_) => Next::TooLong,
            #[cfg(feature = "mojibake")]
            Text::Repaired(ref repairs) => Next::Repaired(repairs),
        })
    }

    /// Takes `read` bytes of the text that [`next`](Self::next) returned, or what was not text.
    pub(super) fn advance(&mut self, read: usize) {
        let Some(piece) = self.pieces.get(self.piece) else { return };
        self.done += read;
        let len = match piece.text {
            Text::Kept(len) => len,
            Text::New(text) | Text::Put(text, ..) => text.len(),
            Text::Made(ref made) => made.text.len(),
            Text::End | Text::Control(..) | Text::Newline(..) | Text::TooLong(_) => 0,
            #[cfg(feature = "mojibake")]
            Text::Repaired(_) => 0,
        };
        if self.done >= len {
            self.piece += 1;
            self.done = 0;
        }
    }

    /// Returns the input position of the next piece.
    pub(super) fn place_of_next(&self) -> Place {
        match self.pieces.get(self.piece) {
            Some(Piece { text: Text::TooLong(Some(place)), .. }) => *place,
            Some(Piece { text: Text::Control(_, Some(place)) | Text::Newline(_, Some(place)), .. }) => *place,
            piece => self.origin.place(piece.map_or(usize::MAX, |piece| piece.at)),
        }
    }

    /// Returns where in the input a character came from.
    pub(super) fn place_of(&self, source: CharSource) -> Place {
        match source {
            CharSource::Here(index) => self.origin.place(index),
            CharSource::There(place) => place,
        }
    }

    /// Returns the input position of the character that the encoder reached after `fed` bytes of text.
    pub(super) fn place(&self, fed: u64, decoded: &str) -> Place {
        let mut from = self.fed_from;
        for piece in &self.pieces {
            let len = self.text_of(piece, decoded).len() as u64;
            if fed < from + len {
                let within = (fed - from) as usize;
                let at = match &piece.text {
                    Text::Kept(_) => CharSource::Here(piece.at + within),
                    Text::Put(_, place) => CharSource::There(*place),
                    Text::Made(made) => made.source(within),
                    _ => CharSource::Here(piece.at),
                };
                return self.place_of(at);
            }
            from += len;
        }
        self.origin.place(usize::MAX)
    }

    /// Adds the places of the characters that the encoder was fed from `fed` on, and drops those of earlier ones.
    pub(super) fn origins_from(&self, fed: u64, decoded: &str, places: &mut Vec<(u64, Place)>) {
        places.retain(|(earlier, _)| *earlier >= fed);
        let mut from = self.fed_from;
        for piece in &self.pieces {
            let text = self.text_of(piece, decoded);
            for (index, _) in text.char_indices() {
                let at = from + index as u64;
                if at >= fed {
                    places.push((at, self.place(at, decoded)));
                }
            }
            from += text.len() as u64;
        }
    }
}

/// The next unit of work in a [`Segment`].
pub(super) enum Next<'a> {
    /// Text to encode.
    Text(&'a str),
    /// A record, or a line that becomes one, ends.
    End,
    /// A control character stood here.
    Control(char),
    /// A newline stood here, in a record.
    Newline(char),
    /// A sequence that is too long to be normalised begins here.
    TooLong,
    /// Repairs in the text that follows.
    #[cfg(feature = "mojibake")]
    Repaired(&'a Repairs),
}
