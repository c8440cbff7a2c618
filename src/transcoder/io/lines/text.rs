//! Decodes one line after the other.

use super::buffer::Buffer;
use super::line::LineEnd;
use super::newlines::{Finder, Newlines};
use super::utf8::joined;
use crate::codec::{Codec, Malformed, Stop, Utf8Sink};
use crate::error::{Error, ErrorKind};
use crate::transcoder::byte_page::BytePage;
use crate::transcoder::choices::OnMalformed;
use crate::transcoder::faults::{constant_replacement, replacement};
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::report::{Faults, MalformedAt};
use std::sync::Arc;

/// Room for the text of a step, in bytes.
const ROOM: usize = 8 * 1024;

/// The input as far as it may be decoded.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) buffer: &'a Buffer,
    /// The offset after the last byte.
    pub(super) end: u64,
    /// Nothing follows.
    pub(super) is_last: bool,
    /// The longest line, in bytes.
    pub(super) limit: u64,
}

/// The result of [`TextLines::next`].
pub(super) enum Next {
    /// A line, of which this much is text, and how it ends.
    Line { text: usize, end: LineEnd },
    /// More input is needed.
    NeedInput,
    /// Nothing follows.
    Done,
}

/// The decoder, and the line that it is in.
pub(super) struct TextLines {
    decoder: CheckedDecoder,
    policy: Policy,
    newlines: Newlines,
    finder: Finder,
    pub(super) faults: Faults,
    scratch: Vec<u8>,
    /// The text of the line so far, and of what follows it if that is decoded already.
    text: String,
    /// How much of it has no newline.
    scanned: usize,
    /// How much of it belongs to the line that was found, its end included.
    done: usize,
    /// Where the line begins.
    begin: Place,
    /// A CR was found, and the next character may belong to it.
    cr: Option<Cr>,
    /// Newlines come from bytes that do not look like it. The decoder is fed byte by byte.
    is_bytewise: bool,
    /// Where the last step began, and whether the text that it made ends where the step does.
    step: (u64, bool),
    /// How far the decoder was taken back after malformed bytes.
    taken_back: u64,
    /// The decoder is finished.
    is_finished: bool,
    /// The line continues after a cut.
    is_cut: bool,
}

/// How malformed bytes are handled.
struct Policy {
    /// The name of the charset.
    name: String,
    malformed: OnMalformed,
    page: Option<Arc<BytePage>>,
}

/// A place between two characters.
#[derive(Clone, Copy)]
struct Place {
    offset: u64,
    /// The state of the decoder, if it can tell.
    state: Option<u64>,
    /// The faults so far: how many, and how many are kept.
    faults: (u64, usize),
}

/// A CR that may be the first half of a newline.
struct Cr {
    place: Place,
    /// How much text there is up to it.
    text: usize,
    /// The decoder, if it cannot tell its state.
    decoder: Option<CheckedDecoder>,
}

impl TextLines {
    /// Begins at the offset `at`, in the initial state. `page`: what malformed bytes are read as.
    pub(super) fn new(
        codec: &dyn Codec,
        at: u64,
        malformed: OnMalformed,
        page: Option<Arc<BytePage>>,
        newlines: Newlines,
    ) -> Self {
        let decoder = CheckedDecoder::new(codec.name(), codec.decoder(), at);
        let state = decoder.state();
        TextLines {
            finder: Finder::new(codec, newlines, page.as_deref()),
            policy: Policy { name: codec.name().to_owned(), malformed, page },
            newlines,
            faults: Faults::new(),
            scratch: vec![0; ROOM],
            text: String::new(),
            scanned: 0,
            done: 0,
            begin: Place { offset: at, state, faults: (0, 0) },
            cr: None,
            is_bytewise: state.is_none(),
            step: (at, true),
            taken_back: 0,
            is_finished: false,
            is_cut: false,
            decoder,
        }
    }

    /// Puts the decoder into a state that it told earlier, at the beginning of a line. Returns `false` if there is no
    /// such state.
    pub(super) fn resume(&mut self, state: u64) -> bool {
        self.begin.state = Some(state);
        self.decoder.go_on_at(self.begin.offset, state)
    }

    /// The text that was decoded last.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where the line begins, and the state there if the decoder can tell it.
    pub(super) fn begin(&self) -> (u64, Option<u64>) {
        (self.begin.offset, self.begin.state)
    }

    /// How many malformed sequences are in the line so far.
    pub(super) fn malformed(&self) -> u64 {
        self.faults.count - self.begin.faults.0
    }

    /// Whether nothing of the line is decoded.
    pub(super) fn is_fresh(&self) -> bool {
        self.decoder.read() == self.begin.offset && self.text.is_empty() && !self.is_finished
    }

    /// Goes past a line that needs no decoding, of a charset without a state. It [is fresh](Self::is_fresh).
    pub(super) fn skip(&mut self, to: u64, is_cut: bool) {
        self.decoder.go_on_at(to, 0);
        self.begin.offset = to;
        self.is_cut = is_cut;
    }

    /// Goes to the beginning of the next line, and returns its offset. The text of the line that was found is kept.
    pub(super) fn settle(&mut self) -> u64 {
        let is_clean = self.text.len() == self.done;
        let offset = match is_clean {
            true => self.decoder.read() - self.decoder.pending() as u64,
            // What follows the line is decoded already.
            false => self.step.0.max(self.begin.offset),
        };
        let state = self.decoder.state().filter(|_| is_clean);
        self.begin = Place { offset, state, faults: self.counted() };
        offset
    }

    /// Forgets the text of the line that was found.
    pub(super) fn pass(&mut self) {
        if self.done > 0 {
            self.text.drain(..self.done);
            (self.scanned, self.done) = (0, 0);
        }
    }

    pub(super) fn newlines(&self) -> Newlines {
        self.newlines
    }

    /// Looks for other newlines, from the beginning of the line on if that is possible.
    pub(super) fn set_newlines(&mut self, codec: &dyn Codec, newlines: Newlines) {
        self.pass();
        self.newlines = newlines;
        self.finder = Finder::new(codec, newlines, self.policy.page.as_deref());
        if self.begin.state.is_some() {
            self.go_back(self.begin, 0);
        }
        self.scanned = 0;
    }

    /// Decodes a line.
    ///
    /// # Errors
    /// What the policy does not allow; a decoder that breaks its contract.
    pub(super) fn next(&mut self, input: Input<'_>) -> Result<Next, Error> {
        loop {
            if let Some(line) = self.find() {
                return Ok(line);
            }
            let at = self.decoder.read();
            let is_full = at - self.begin.offset.min(at) >= input.limit && self.cr.is_none();
            if at >= input.end {
                return if input.is_last { self.finish() } else { Ok(Next::NeedInput) };
            }
            if is_full && self.decoder.pending() == 0 {
                self.is_cut = true;
                return Ok(self.line(self.text.len(), self.text.len(), LineEnd::Cut));
            }
            if let Some(line) = self.peek_after_cr(input, at) {
                return Ok(line);
            }
            let (to, is_exact) = self.target(input, at, is_full);
            self.step = (at, is_exact);
            self.feed(input.buffer, to)?;
        }
    }

    /// How far the decoder is fed next, and whether a newline can end there.
    fn target(&self, input: Input<'_>, at: u64, is_full: bool) -> (u64, bool) {
        if self.feeds_bytes() || is_full {
            return (at + 1, true);
        }
        let unit = self.finder.unit() as u64;
        let from = self.begin.offset + (at - self.begin.offset) / unit * unit;
        let to = input.end.min(self.begin.offset + input.limit);
        match self.finder.find(input.buffer.slice(from, to)) {
            Some(end) => (from + end as u64, true),
            None => (to, false),
        }
    }

    fn feeds_bytes(&self) -> bool {
        self.is_bytewise || self.cr.is_some()
    }

    /// Ends the line after a CR, if the next byte shows that nothing belongs to it.
    fn peek_after_cr(&mut self, input: Input<'_>, at: u64) -> Option<Next> {
        let cr = self.cr.as_ref()?;
        let next = input.buffer.slice(at, at + 1)[0];
        // Behind a malformed byte that is dropped, or is read as another one, there may be the LF.
        let is_text = self.policy.malformed != OnMalformed::Drop && self.policy.page.is_none();
        let is_next = cr.place.offset == at && self.decoder.is_bytewise();
        (is_next && is_text && !self.finder.has(next)).then(|| self.lone_cr())
    }

    /// Looks for a newline in the text that was decoded last.
    fn find(&mut self) -> Option<Next> {
        if let Some(cr) = &self.cr {
            let at = cr.text;
            return match Newlines::after_cr(&self.text[at..]) {
                _ if self.text.len() == at => None,
                Some((end, len)) => Some(self.line(at - 1, at + len, end)),
                None => Some(self.lone_cr()),
            };
        }
        let Some((at, ch)) = self.newlines.find(&self.text.as_bytes()[self.scanned..]) else {
            self.scanned = self.text.len();
            return None;
        };
        let at = self.scanned + at;
        let end = at + ch.len_utf8();
        let is_exact = end == self.text.len() && self.step.1 && self.decoder.pending() == 0;
        if !is_exact && !self.is_bytewise && !self.is_finished && self.begin.state.is_some() {
            // Its end is somewhere in the step.
            self.is_bytewise = true;
            self.go_back(self.begin, 0);
            return None;
        }
        if ch != '\r' {
            let (text, kind) = joined(&self.text.as_bytes()[..at], if ch == '\n' { LineEnd::Lf } else { LineEnd::Nel });
            return Some(self.line(text, end, kind));
        }
        if !self.newlines.cr {
            self.scanned = end;
            return self.find();
        }
        if end == self.text.len() && !self.is_finished {
            self.await_after_cr(end);
            return None;
        }
        let (kind, len) = Newlines::after_cr(&self.text[end..]).unwrap_or((LineEnd::Cr, 0));
        Some(self.line(at, end + len, kind))
    }

    /// Continues until the next character shows whether it belongs to the CR at the end of the text.
    fn await_after_cr(&mut self, text: usize) {
        let (offset, state) = (self.decoder.read() - self.decoder.pending() as u64, self.decoder.state());
        let decoder = if state.is_none() { Some(self.decoder.fork()) } else { None };
        self.cr = Some(Cr { place: Place { offset, state, faults: self.counted() }, text, decoder });
    }

    /// Ends the line with the CR, before what was decoded after it.
    fn lone_cr(&mut self) -> Next {
        let Some(Cr { place, text, decoder }) = self.cr.take() else { return Next::NeedInput };
        if self.decoder.read() != place.offset || self.text.len() != text {
            self.go_back(place, text);
            if let Some(decoder) = decoder {
                self.decoder = decoder;
            }
        }
        self.line(text - 1, text, LineEnd::Cr)
    }

    fn line(&mut self, text: usize, done: usize, end: LineEnd) -> Next {
        self.cr = None;
        self.done = done;
        self.is_cut = end == LineEnd::Cut;
        Next::Line { text, end }
    }

    /// Goes back to `place`, at which there was so much text.
    fn go_back(&mut self, place: Place, text: usize) {
        if let Some(state) = place.state {
            self.decoder.go_on_at(place.offset, state);
        }
        self.text.truncate(text);
        self.scanned = self.scanned.min(text);
        self.taken_back = place.offset;
        self.faults.count = place.faults.0;
        self.faults.first.truncate(place.faults.1);
        self.step = (place.offset, true);
        self.cr = None;
    }

    fn counted(&self) -> (u64, usize) {
        (self.faults.count, self.faults.first.len())
    }

    /// Ends the input.
    fn finish(&mut self) -> Result<Next, Error> {
        if self.cr.is_some() {
            return Ok(self.lone_cr());
        }
        while !self.is_finished {
            let mut sink = Utf8Sink::new(&mut self.scratch);
            let stop = self.decoder.finish(&mut sink)?;
            self.text.push_str(sink.as_str());
            match stop {
                Stop::InputEmpty => self.is_finished = true,
                Stop::OutputFull => {}
                Stop::Fault(fault) => self.replace(fault)?,
            }
        }
        if let Some(line) = self.find() {
            return Ok(line);
        }
        let is_line = !self.text.is_empty() || self.malformed() > 0 || self.is_cut;
        let len = self.text.len();
        Ok(if is_line { self.line(len, len, LineEnd::None) } else { Next::Done })
    }

    /// Decodes the bytes up to the offset `to`. Stops at malformed bytes if newlines may come from anywhere.
    fn feed(&mut self, buffer: &Buffer, to: u64) -> Result<(), Error> {
        loop {
            let src = buffer.slice(self.decoder.read(), to);
            let mut sink = Utf8Sink::new(&mut self.scratch);
            let step = self.decoder.feed(src, &mut sink)?;
            self.text.push_str(sink.as_str());
            match step.stop {
                Stop::InputEmpty => return Ok(()),
                Stop::OutputFull => {}
                Stop::Fault(fault) => {
                    self.replace(fault)?;
                    self.take_back()?;
                    if self.feeds_bytes() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Has the decoder read the bytes again that it holds after malformed ones, so that it is where its text ends.
    fn take_back(&mut self) -> Result<(), Error> {
        let at = self.decoder.read() - self.decoder.pending() as u64;
        let state = self.decoder.state_before_pending().filter(|_| at < self.decoder.read() && at > self.taken_back);
        let Some(state) = state else { return Ok(()) };
        self.taken_back = at;
        if self.decoder.go_on_at(at, state) {
            return Ok(());
        }
        let what = "does not go back to a state that it told";
        Err(ErrorKind::Codec { codec: self.policy.name.clone(), offset: at, what }.into())
    }

    /// Applies the policy to malformed bytes.
    fn replace(&mut self, fault: Malformed) -> Result<(), Error> {
        let constant = constant_replacement(self.policy.malformed).filter(|_| self.policy.page.is_none());
        let is_counted = self.faults.is_full();
        if let Some(text) = constant.filter(|_| is_counted) {
            self.text.push_str(text);
            self.faults.count += 1;
            return Ok(());
        }
        let bytes = self.decoder.fault_bytes(fault);
        let offset = self.decoder.read() - u64::from(fault.len) - u64::from(fault.after);
        self.policy.write(&bytes, offset, &mut self.text)?;
        self.faults.add(|| MalformedAt { offset, bytes, record: None, position: None });
        Ok(())
    }
}

impl Policy {
    /// Writes what stands for the malformed `bytes`, which are at `offset`.
    fn write(&self, bytes: &[u8], offset: u64, text: &mut String) -> Result<(), Error> {
        let malformed = |offset, bytes: &[u8]| {
            let (codec, bytes) = (self.name.clone(), bytes.to_vec());
            Error::from(ErrorKind::Malformed { codec, offset, bytes })
        };
        let Some(page) = &self.page else {
            text.push_str(&replacement(self.malformed, bytes).ok_or_else(|| malformed(offset, bytes))?);
            return Ok(());
        };
        for (at, byte) in bytes.iter().enumerate() {
            text.push(page.char(*byte).ok_or_else(|| malformed(offset + at as u64, &[*byte]))?);
        }
        Ok(())
    }
}
