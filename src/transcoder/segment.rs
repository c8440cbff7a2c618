//! Decoded text on its way to the encoder, and where in the input each of its characters came from.
//!
//! The encoder reports a character it cannot write by its place in the text it was fed. From there the way back leads
//! through the pieces that the stages cut to the decoded text, and from there through a copy of the decoder, taken
//! before the text was decoded and run again over the same bytes one at a time. That happens on the fault path only;
//! the ordinary path pays for a copy of the bytes and a fork of the decoder.

use crate::codec::{Decoder, MIN_ROOM, Stop, Utf8Sink};
use crate::text::{Piece, Stage, Text};
use std::ops::Range;

/// Where decoded text came from.
pub(super) enum Origin {
    /// One place in the input: text that was put in, or that the end of the input brought forth.
    At(u64),
    /// Decoded from `bytes`, which stand at `start` in the input, by a decoder in the state of `fork`.
    Decoded { fork: Box<dyn Decoder>, start: u64, bytes: Vec<u8> },
}

impl Clone for Origin {
    fn clone(&self) -> Self {
        match self {
            Origin::At(offset) => Origin::At(*offset),
            Origin::Decoded { fork, start, bytes } => {
                Origin::Decoded { fork: fork.fork(), start: *start, bytes: bytes.clone() }
            }
        }
    }
}

impl Origin {
    /// The input offset of the first byte of the character at `index` of the text.
    pub(super) fn offset(&self, index: usize) -> u64 {
        let (fork, start, bytes) = match self {
            Origin::At(offset) => return *offset,
            Origin::Decoded { fork, start, bytes } => (fork, *start, bytes),
        };
        let mut decoder = fork.fork();
        let mut decoded = 0;
        for (at, &byte) in (start..).zip(bytes) {
            let mut src: &[u8] = &[byte];
            // A few rounds are all that an honest decoder needs for a byte.
            for _ in 0..MIN_ROOM {
                let taken = u64::from(src.is_empty());
                let begin = (at + taken).saturating_sub(decoder.pending() as u64);
                let mut room = [0; MIN_ROOM];
                let mut sink = Utf8Sink::new(&mut room);
                let step = decoder.feed(src, &mut sink);
                decoded += sink.written();
                if decoded > index {
                    return begin;
                }
                src = src.get(step.read..).unwrap_or_default();
                if step.stop != Stop::OutputFull {
                    break;
                }
            }
        }
        start + bytes.len() as u64
    }
}

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
    /// The part `range` of `text`, which was decoded from `origin`, through `stages`.
    pub(super) fn decoded(text: &str, range: Range<usize>, origin: Origin, stages: &mut [Box<dyn Stage>]) -> Self {
        let mut pieces = vec![Piece { at: range.start, text: Text::Kept(range.len()) }];
        for stage in stages {
            let mut cut = Vec::new();
            for piece in pieces {
                match piece.text {
                    Text::Kept(len) => {
                        let range = piece.at..piece.at + len;
                        stage.cut(&text[range.clone()], range, &mut cut);
                    }
                    Text::New(_) => cut.push(piece),
                }
            }
            pieces = cut;
        }
        Segment { inserted: None, ..Segment::new(origin, pieces) }
    }

    /// `text`, put in at `at` of the input. No stage sees it.
    pub(super) fn inserted(text: String, at: u64) -> Self {
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
            Text::New(text) => text,
            Text::Kept(len) => &self.inserted.as_deref().unwrap_or(decoded)[piece.at..piece.at + len],
        }
    }

    /// What is to be encoded next; `None` at the end.
    pub(super) fn rest<'a>(&'a self, decoded: &'a str) -> Option<&'a str> {
        let piece = self.pieces.get(self.piece)?;
        Some(&self.text_of(piece, decoded)[self.done..])
    }

    /// So many bytes of [`rest`](Self::rest) are encoded.
    pub(super) fn advance(&mut self, read: usize) {
        let Some(piece) = self.pieces.get(self.piece) else { return };
        self.done += read;
        let len = match piece.text {
            Text::Kept(len) => len,
            Text::New(text) => text.len(),
        };
        if self.done >= len {
            self.piece += 1;
            self.done = 0;
        }
    }

    /// The input offset of the character that the encoder was fed at `fed`.
    pub(super) fn offset(&self, fed: u64, decoded: &str) -> u64 {
        let mut from = self.fed_from;
        for piece in &self.pieces {
            let len = self.text_of(piece, decoded).len() as u64;
            if fed < from + len {
                let within = match piece.text {
                    Text::Kept(_) => (fed - from) as usize,
                    Text::New(_) => 0,
                };
                return self.origin.offset(piece.at + within);
            }
            from += len;
        }
        self.origin.offset(usize::MAX)
    }

    /// Adds to `held` where the characters came from that the encoder was fed from `fed` on.
    pub(super) fn origins_from(&self, fed: u64, decoded: &str, held: &mut Vec<(u64, u64)>) {
        held.retain(|(earlier, _)| *earlier >= fed);
        let mut from = self.fed_from;
        for piece in &self.pieces {
            let text = self.text_of(piece, decoded);
            for (index, _) in text.char_indices() {
                let at = from + index as u64;
                if at >= fed {
                    held.push((at, self.offset(at, decoded)));
                }
            }
            from += text.len() as u64;
        }
    }
}
