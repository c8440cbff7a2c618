//! Decoded text on its way to the encoder, and where in the input each of its characters came from.
//!
//! The encoder reports a character it cannot write by its place in the text it was fed. From there the way back leads
//! through the pieces that the stages cut to the decoded text, and from there through a copy of the decoder, taken
//! before the text was decoded and run again over the same bytes one at a time. That happens on the fault path only;
//! the ordinary path pays for a copy of the bytes and a fork of the decoder.

use crate::codec::{MIN_ROOM, Utf8Sink};
use crate::text::{Piece, Stage, Text};
use crate::transcoder::records::read::{Front, FrontStop, Mark};
use crate::transcoder::report::Place;
use std::collections::VecDeque;
use std::ops::Range;

/// Where decoded text came from.
pub(super) enum Origin {
    /// One place in the input: text that was put in, or that the end of the input brought forth.
    At(Place),
    /// The input itself from there on: UTF-8.
    Same(u64),
    /// Made from `bytes` by a front in the state of `front`, behind `skip` bytes of text that it made before. `eof`:
    /// nothing followed them.
    Decoded { front: Box<Front>, bytes: Vec<u8>, skip: usize, eof: bool },
}

impl Clone for Origin {
    fn clone(&self) -> Self {
        match self {
            Origin::At(place) => Origin::At(*place),
            Origin::Same(start) => Origin::Same(*start),
            Origin::Decoded { front, bytes, skip, eof } => {
                Origin::Decoded { front: Box::new(front.fork()), bytes: bytes.clone(), skip: *skip, eof: *eof }
            }
        }
    }
}

impl Origin {
    pub(super) fn decoded(front: Front, bytes: &[u8], eof: bool) -> Self {
        Origin::Decoded { front: Box::new(front), bytes: bytes.to_vec(), skip: 0, eof }
    }

    /// What follows it, where `text` bytes of text were made so far and blanks are held back: the places of those are
    /// found from here. `None` where too much would have to be kept for that.
    pub(super) fn carry(self, text: usize) -> Option<Self> {
        match self {
            Origin::Decoded { front, bytes, skip, .. } if bytes.len() <= CARRY => {
                Some(Origin::Decoded { front, bytes, skip: skip + text, eof: false })
            }
            _ => None,
        }
    }

    /// The same with more bytes behind.
    pub(super) fn extended(mut self, more: &[u8], is_end: bool) -> Self {
        if let Origin::Decoded { bytes, eof, .. } = &mut self {
            bytes.extend_from_slice(more);
            *eof = is_end;
        }
        self
    }

    /// Where the character at `index` of the text began in the input.
    pub(super) fn place(&self, index: usize) -> Place {
        let (front, bytes, index, eof) = match self {
            Origin::At(place) => return *place,
            // Beyond the end: whoever asks has nothing nearer.
            Origin::Same(start) => return start.saturating_add(index as u64).into(),
            Origin::Decoded { front, bytes, skip, eof } => (front, bytes, index.saturating_add(*skip), *eof),
        };
        let mut search = Search::new(front.fork(), index);
        // At first what waited to be told and takes no input, as the end of a record behind a fault: it is no part of the
        // place of what follows. At last what the end brings forth.
        let found = search.byte(&[], false).or_else(|| {
            bytes.chunks(STRIDE).find_map(|stride| {
                if search.pass(stride) { None } else { stride.chunks(1).find_map(|byte| search.byte(byte, false)) }
            })
        });
        found.or_else(|| search.byte(&[], eof)).unwrap_or_else(|| search.front.place())
    }
}

/// How many bytes are decoded at a time that may be passed by.
const STRIDE: usize = 256;

/// Looks for the place of a character: decodes again, and remembers where each began.
struct Search {
    front: Front,
    /// Which byte of the text is looked for, and how many were made.
    index: usize,
    decoded: usize,
    /// The places of blanks that are held back: they come later than what they were made from.
    held: VecDeque<(Place, u64)>,
    /// How many those are, added up.
    known: u64,
}

impl Search {
    fn new(front: Front, index: usize) -> Self {
        let held = VecDeque::from_iter(front.held());
        Search { known: held.iter().map(|(_, count)| count).sum(), held, front, index, decoded: 0 }
    }

    /// Goes past bytes that have nothing of what is looked for; whether it could. Else nothing has happened.
    fn pass(&mut self, src: &[u8]) -> bool {
        let mut front = self.front.fork();
        let mut room = [0; 4 * STRIDE];
        let mut sink = Utf8Sink::new(&mut room);
        let Ok(filled) = front.fill(src, false, None, &mut sink) else { return false };
        // Nobody asks for them here, and the next copy would have them all again.
        front.take_marks();
        let is_whole = filled.read == src.len() && matches!(filled.stop, FrontStop::NeedInput);
        let decoded = self.decoded + sink.written();
        if !is_whole || decoded > self.index || !self.held.is_empty() || front.held().is_some() {
            return false;
        }
        (self.front, self.decoded) = (front, decoded);
        true
    }

    /// Decodes a byte, or none, which may bring something forth too; the place, where that is what is looked for.
    fn byte(&mut self, mut src: &[u8], eof: bool) -> Option<Place> {
        let front = &mut self.front;
        // A few rounds are all that an honest decoder needs for a byte.
        for _ in 0..MIN_ROOM {
            let begin = front.place();
            let mut room = [0; 4 * MIN_ROOM];
            let mut sink = Utf8Sink::new(&mut room);
            let Ok(filled) = front.fill(src, eof, None, &mut sink) else { return Some(begin) };
            front.take_marks();
            for ch in sink.as_str().chars() {
                self.decoded += ch.len_utf8();
                let place = match self.held.front_mut() {
                    Some((place, count)) if front.is_blank(ch) => {
                        let place = *place;
                        *count -= 1;
                        self.known -= 1;
                        if *count == 0 {
                            self.held.pop_front();
                        }
                        place
                    }
                    _ => begin,
                };
                if self.decoded > self.index {
                    return Some(place);
                }
            }
            match front.held() {
                None => {
                    self.held.clear();
                    self.known = 0;
                }
                Some((_, count)) if count > self.known => {
                    self.held.push_back((begin, count - self.known));
                    self.known = count;
                }
                Some(_) => {}
            }
            src = src.get(filled.read..).unwrap_or_default();
            let more = matches!(filled.stop, FrontStop::NeedRoom | FrontStop::Fault(_));
            if !more && src.is_empty() {
                break;
            }
        }
        None
    }
}

/// How many bytes are kept at the most to find the places of blanks that are held back.
const CARRY: usize = 256 * 1024;

/// A stretch of text to be encoded, cut into pieces.
pub(super) struct Segment {
    /// Text that was put in; where there is none, the pieces are of the transcoder's decoded text.
    inserted: Option<String>,
    origin: Origin,
    pieces: Vec<Piece>,
    /// The piece that is being encoded, and how many bytes of it are done.
    piece: usize,
    done: usize,
    pub(super) begun: bool,
    /// How much text the encoder had been fed before this.
    pub(super) fed_from: u64,
}

impl Segment {
    /// The part `range` of `text`, which was decoded from `origin`, through `stages`. `marks` are of that part; `end` is
    /// what the end of a record becomes, `eol` what a printer's new line.
    pub(super) fn decoded(
        text: &str,
        range: Range<usize>,
        origin: Origin,
        stages: &mut [Box<dyn Stage>],
        marks: &[(usize, Mark, Place)],
        // `None` for what ends a record that is to be written.
        (end, eol): (Option<&'static str>, &'static str),
    ) -> Self {
        let mut pieces = Vec::with_capacity(1 + 2 * marks.len());
        let mut at = range.start;
        for (index, mark, Place { offset, record }) in marks {
            let put = |text| Text::Put(text, *offset, *record);
            if at < *index {
                pieces.push(Piece { at, text: Text::Kept(index - at) });
            }
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
        if at < range.end {
            pieces.push(Piece { at, text: Text::Kept(range.end - at) });
        }
        for stage in stages {
            let mut cut = Vec::new();
            for piece in pieces {
                match piece.text {
                    Text::Kept(len) => {
                        let range = piece.at..piece.at + len;
                        stage.cut(&text[range.clone()], range, &mut cut);
                    }
                    _ => cut.push(piece),
                }
            }
            pieces = cut;
        }
        Segment { inserted: None, ..Segment::new(origin, pieces) }
    }

    /// `text`, put in at `at` of the input. No stage sees it.
    pub(super) fn inserted(text: String, at: Place) -> Self {
        let pieces = vec![Piece { at: 0, text: Text::Kept(text.len()) }];
        Segment { inserted: Some(text), ..Segment::new(Origin::At(at), pieces) }
    }

    fn new(origin: Origin, pieces: Vec<Piece>) -> Self {
        Segment { inserted: None, origin, pieces, piece: 0, done: 0, begun: false, fed_from: 0 }
    }

    pub(super) fn is_inserted(&self) -> bool {
        self.inserted.is_some()
    }

    fn text_of<'a>(&'a self, piece: &Piece, decoded: &'a str) -> &'a str {
        match piece.text {
            Text::New(text) | Text::Put(text, ..) => text,
            Text::Kept(len) => &self.inserted.as_deref().unwrap_or(decoded)[piece.at..piece.at + len],
            Text::End | Text::Control(_) | Text::Newline(_) => "",
        }
    }

    /// What is to be done next; `None` at the end.
    pub(super) fn next<'a>(&'a self, decoded: &'a str) -> Option<Next<'a>> {
        let piece = self.pieces.get(self.piece)?;
        Some(match piece.text {
            Text::New(_) | Text::Put(..) | Text::Kept(_) => Next::Text(&self.text_of(piece, decoded)[self.done..]),
            Text::End => Next::End,
            Text::Control(ch) => Next::Control(ch),
            Text::Newline(ch) => Next::Newline(ch),
        })
    }

    /// So many bytes of text are encoded, or what is no text is done.
    pub(super) fn advance(&mut self, read: usize) {
        let Some(piece) = self.pieces.get(self.piece) else { return };
        self.done += read;
        let len = match piece.text {
            Text::Kept(len) => len,
            Text::New(text) | Text::Put(text, ..) => text.len(),
            Text::End | Text::Control(_) | Text::Newline(_) => 0,
        };
        if self.done >= len {
            self.piece += 1;
            self.done = 0;
        }
    }

    /// Where the piece stands in the input that is to be done next.
    pub(super) fn place_of_next(&self) -> Place {
        self.origin.place(self.pieces.get(self.piece).map_or(usize::MAX, |piece| piece.at))
    }

    /// Where the character stands in the input that the encoder was fed at `fed`.
    pub(super) fn place(&self, fed: u64, decoded: &str) -> Place {
        let mut from = self.fed_from;
        for piece in &self.pieces {
            let len = self.text_of(piece, decoded).len() as u64;
            if fed < from + len {
                let within = match piece.text {
                    Text::Kept(_) => (fed - from) as usize,
                    Text::Put(_, offset, record) => return Place { offset, record },
                    _ => 0,
                };
                return self.origin.place(piece.at + within);
            }
            from += len;
        }
        self.origin.place(usize::MAX)
    }

    /// Adds to `held` where the characters came from that the encoder was fed from `fed` on.
    pub(super) fn origins_from(&self, fed: u64, decoded: &str, held: &mut Vec<(u64, Place)>) {
        held.retain(|(earlier, _)| *earlier >= fed);
        let mut from = self.fed_from;
        for piece in &self.pieces {
            let text = self.text_of(piece, decoded);
            for (index, _) in text.char_indices() {
                let at = from + index as u64;
                if at >= fed {
                    held.push((at, self.place(at, decoded)));
                }
            }
            from += text.len() as u64;
        }
    }
}

/// What of a [`Segment`] is to be done next.
pub(super) enum Next<'a> {
    /// To be encoded.
    Text(&'a str),
    /// A record, or a line that becomes one, ends.
    End,
    /// A control character stood here.
    Control(char),
    /// A newline stood here, in a record.
    Newline(char),
}
