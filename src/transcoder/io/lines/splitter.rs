//! Splits bytes into lines, without I/O.

use super::buffer::Buffer;
use super::line::{Line, LineCheckpoint, LineEnd, LineEnds};
use super::newlines::Newlines;
use super::start::Start;
use super::text::{Input, Next, TextLines};
use super::utf8::{self, Found};
use crate::codec::{Codec, EbcdicNl, apply_newline, is_ebcdic, is_utf8};
use crate::detect::Verdict;
use crate::error::{Error, ErrorKind};
use crate::text::controls::OnControl;
use crate::text::eol::Eol;
use crate::transcoder::byte_page::contains_ascii;
use crate::transcoder::choices::{Bom, OnUnknown};
use crate::transcoder::options::{Settings, Transcode};
use crate::transcoder::report::Faults;
use std::borrow::Cow;
use std::sync::Arc;

/// The longest line by default, in bytes of the input. The docs of `Lines` name it.
const LIMIT: u64 = 1 << 20;

/// The result of [`Splitter::advance`].
pub(super) enum Advance {
    /// Found a line, which [`Splitter::line`] returns.
    Line,
    /// Needs more input, or to know that there is none.
    NeedInput,
    /// Nothing follows.
    Done,
}

/// Splits an input into lines.
pub(super) struct Splitter {
    settings: Arc<Settings>,
    buffer: Buffer,
    /// Detection, as long as it looks at the input.
    start: Option<Start>,
    verdict: Option<Verdict>,
    /// The encoding, once it is known.
    encoding: Option<Encoding>,
    ends: LineEnds,
    limit: u64,
    /// Where the next line begins, and its number.
    begin: u64,
    number: u64,
    line: Span,
    /// How many bytes of the line have no newline, if it is looked for in the bytes.
    scanned: usize,
    is_ended: bool,
    failed: Option<Error>,
    /// A line is being looked for. If this is still set at the beginning of the next one, a codec panicked.
    is_running: bool,
}

struct Encoding {
    codec: Arc<dyn Codec>,
    is_utf8: bool,
    lines: TextLines,
}

/// The line that was found last.
#[derive(Clone, Copy)]
struct Span {
    offset: u64,
    number: u64,
    /// How long its text is: in the buffer, from the offset on, if it is UTF-8 that was not decoded.
    text: usize,
    is_decoded: bool,
    end: LineEnd,
    malformed: u64,
}

impl Splitter {
    /// # Errors
    /// [`ErrorKind::Options`] and [`ErrorKind::NotUtf8`] for options that lines do not have.
    pub(super) fn new(job: &Transcode) -> Result<Self, Error> {
        job.validate()?;
        check(&job.settings)?;
        let settings = Arc::new(job.settings.clone());
        let line = Span { offset: 0, number: 0, text: 0, is_decoded: true, end: LineEnd::None, malformed: 0 };
        Ok(Splitter {
            buffer: Buffer::new(0),
            start: Some(Start::new(&settings)),
            settings,
            verdict: None,
            encoding: None,
            ends: LineEnds::default(),
            limit: LIMIT,
            begin: 0,
            number: 1,
            line,
            scanned: 0,
            is_ended: false,
            failed: None,
            is_running: false,
        })
    }

    /// # Errors
    /// Those of [`new`](Self::new); [`ErrorKind::UnknownLabel`] and [`ErrorKind::Options`] for a checkpoint of another
    /// encoding, or of none.
    pub(super) fn resume(job: &Transcode, at: &LineCheckpoint) -> Result<Self, Error> {
        let mut splitter = Splitter::new(job)?;
        (splitter.begin, splitter.number) = (at.offset, at.number);
        splitter.buffer = Buffer::new(at.offset);
        let Some(label) = &at.encoding else {
            splitter.start = Some(Start::at(&splitter.settings, at.offset)?);
            return Ok(splitter);
        };
        splitter.start = None;
        splitter.enter(codec_of(&splitter.settings, label)?, at.offset);
        let is_known = splitter.encoding.as_mut().is_some_and(|encoding| encoding.lines.resume(at.state));
        let what = "the checkpoint has a state that its encoding does not have";
        is_known.then_some(splitter).ok_or_else(|| ErrorKind::Options { what }.into())
    }

    pub(super) fn set_ends(&mut self, ends: LineEnds) {
        self.ends = ends;
        if let Some(encoding) = &mut self.encoding {
            let newlines = Newlines::new(ends, is_ebcdic(&*encoding.codec));
            encoding.lines.set_newlines(&*encoding.codec, newlines);
            self.scanned = 0;
        }
    }

    pub(super) fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes.max(1);
    }

    /// Space to read into.
    pub(super) fn spare(&mut self) -> &mut [u8] {
        self.buffer.spare(self.begin)
    }

    /// Takes the first `len` bytes of the [`spare`](Self::spare) space.
    pub(super) fn fill(&mut self, len: usize) {
        self.buffer.fill(len);
    }

    /// Nothing follows what was read.
    pub(super) fn end(&mut self) {
        self.is_ended = true;
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// How many bytes were read.
    pub(super) fn read(&self) -> u64 {
        self.buffer.end()
    }

    pub(super) fn is_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub(super) fn faults(&self) -> Option<&Faults> {
        self.encoding.as_ref().map(|encoding| &encoding.lines.faults)
    }

    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.start.as_ref().map_or(self.verdict.as_ref(), Start::verdict)
    }

    /// Where the next line begins; `None` if the decoder cannot tell its state.
    pub(super) fn checkpoint(&self) -> Option<LineCheckpoint> {
        let is_open = self.start.as_ref().is_some_and(Start::is_choosing);
        let encoding = self.encoding.as_ref().filter(|_| !is_open);
        let state = encoding.map_or(Some(0), |encoding| encoding.lines.begin().1)?;
        let encoding = encoding.map(|encoding| label_of(&*encoding.codec));
        Some(LineCheckpoint { offset: self.begin, number: self.number, encoding, state })
    }

    /// Looks for the next line.
    ///
    /// # Errors
    /// What the policies do not allow. Every later call fails with the same error.
    pub(super) fn advance(&mut self) -> Result<Advance, Error> {
        if std::mem::replace(&mut self.is_running, true) {
            let codec = self.encoding.as_ref().map_or_else(String::new, |encoding| encoding.codec.name().to_owned());
            self.failed = Some(ErrorKind::Codec { codec, offset: self.begin, what: "panicked" }.into());
        }
        let result = match &self.failed {
            Some(error) => Err(error.clone()),
            None => self.try_advance(),
        };
        self.failed = result.as_ref().err().cloned();
        self.is_running = false;
        result
    }

    fn try_advance(&mut self) -> Result<Advance, Error> {
        self.look_at_start();
        let end = self.start.as_ref().map_or(self.buffer.end(), Start::clear_to);
        let found = match &self.encoding {
            Some(_) => self.next(end),
            None => Ok(Advance::NeedInput),
        };
        match (found?, self.start.as_ref().and_then(Start::error)) {
            (Advance::NeedInput, Some(error)) => Err(error.clone()),
            (found, _) => Ok(found),
        }
    }

    /// Shows detection what was read, and enters the encoding that it finds.
    fn look_at_start(&mut self) {
        let Some(start) = &mut self.start else { return };
        start.show(self.buffer.slice(start.taken().max(self.begin), self.buffer.end()), self.is_ended);
        if self.encoding.is_none()
            && let Some((codec, bom_len)) = start.codec()
        {
            self.begin += bom_len;
            self.enter(codec, self.begin);
        }
        let Some(start) = self.start.as_ref().filter(|start| start.is_over()) else { return };
        let (chosen, verdict) = (start.chosen(), start.verdict().cloned());
        (self.start, self.verdict) = (None, verdict);
        let name = self.encoding.as_ref().map(|encoding| encoding.codec.name());
        // What was read so far is the same in both.
        if let Some(codec) = chosen.filter(|codec| Some(codec.name()) != name) {
            self.enter(codec, self.begin);
        }
    }

    /// Reads from the offset `at` on, where a line begins, in an encoding.
    fn enter(&mut self, codec: Arc<dyn Codec>, at: u64) {
        let is_ebcdic = is_ebcdic(&*codec);
        let is_changed = is_ebcdic && self.settings.ebcdic_nl != EbcdicNl::Table;
        let codec = if is_changed { apply_newline(codec, self.settings.ebcdic_nl) } else { codec };
        let page = self.settings.read_as.clone().filter(|_| contains_ascii(&*codec));
        let newlines = Newlines::new(self.ends, is_ebcdic);
        let lines = TextLines::new(&*codec, at, self.settings.malformed, page, newlines);
        self.scanned = 0;
        self.encoding = Some(Encoding { is_utf8: is_utf8(&*codec), codec, lines });
    }

    /// Looks for a line in the bytes up to the offset `end`.
    fn next(&mut self, end: u64) -> Result<Advance, Error> {
        let Some(encoding) = &mut self.encoding else { return Ok(Advance::NeedInput) };
        encoding.lines.pass();
        let is_last = self.is_ended && end >= self.buffer.end();
        let input = Input { buffer: &self.buffer, end: end.max(self.begin), is_last, limit: self.limit };
        if encoding.is_utf8 && encoding.lines.is_fresh() {
            let bytes = input.buffer.slice(self.begin, input.end);
            let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
            match utf8::find(bytes, self.scanned, is_last, encoding.lines.newlines(), limit) {
                Found::Line { text, len, end } if std::str::from_utf8(&bytes[..text]).is_ok() => {
                    let next = self.begin + len as u64;
                    encoding.lines.skip(next, end == LineEnd::Cut);
                    return Ok(self.found(Span { text, end, is_decoded: false, malformed: 0, ..self.line }, next));
                }
                Found::Line { .. } => {}
                Found::Needs { scanned } => {
                    self.scanned = scanned;
                    return Ok(Advance::NeedInput);
                }
                Found::Done => return Ok(Advance::Done),
            }
        }
        let (text, end) = match encoding.lines.next(input)? {
            Next::Line { text, end } => (text, end),
            Next::NeedInput => return Ok(Advance::NeedInput),
            Next::Done => return Ok(Advance::Done),
        };
        let malformed = encoding.lines.malformed();
        let next = encoding.lines.settle();
        Ok(self.found(Span { text, end, is_decoded: true, malformed, ..self.line }, next))
    }

    /// Takes a line that was found. The next one begins at the offset `next`.
    fn found(&mut self, span: Span, next: u64) -> Advance {
        self.line = Span { offset: self.begin, number: self.number, ..span };
        self.number += u64::from(span.end != LineEnd::Cut);
        (self.begin, self.scanned) = (next, 0);
        Advance::Line
    }

    /// The line that was found last.
    pub(super) fn line(&self) -> Line<'_> {
        let Span { offset, number, text, is_decoded, end, malformed } = self.line;
        let decoded = self.encoding.as_ref().map_or("", |encoding| encoding.lines.text());
        let text = match is_decoded {
            true => &decoded[..text],
            // It was valid when it was found.
            false => std::str::from_utf8(self.buffer.slice(offset, offset + text as u64)).unwrap_or_default(),
        };
        Line { offset, number, text: Cow::Borrowed(text), end, malformed }
    }
}

/// Fails if lines cannot be read with these options. Nothing that was asked for is left undone in silence.
fn check(settings: &Settings) -> Result<(), Error> {
    let what = if settings.input.shape.is_some() || settings.to_records.is_some() {
        "lines are read from text, not from records"
    } else if matches!(settings.bom, Bom::Add | Bom::Keep) {
        "the text of lines has no byte order mark"
    } else if matches!(settings.eol, Eol::Crlf | Eol::Nel) {
        "the text of lines has no line ends that could be replaced"
    } else if settings.controls != OnControl::Keep || settings.normalizes() || settings.repairs() {
        "the text of lines is neither repaired nor normalised nor freed of control characters"
    } else if settings.unknown == OnUnknown::Pass {
        "input that is not text has no lines"
    } else if settings.hints.strict {
        "lines are read before all warnings are known, so warnings cannot be errors"
    } else if !is_utf8(&*settings.to) {
        return Err(ErrorKind::NotUtf8 { codec: settings.to.name().to_owned() }.into());
    } else {
        return Ok(());
    };
    Err(ErrorKind::Options { what }.into())
}

/// Returns a label for the codec, with the newline convention that its own label asked for.
fn label_of(codec: &dyn Codec) -> String {
    match codec.info().newline {
        Some(nl) => format!("{},nl={nl}", codec.name()),
        None => codec.name().to_owned(),
    }
}

/// Returns the codec with this label: one that the options name, which need not be registered, or a registered one.
fn codec_of(settings: &Settings, label: &str) -> Result<Arc<dyn Codec>, Error> {
    let hints = &settings.hints;
    let mut named = hints.from.iter().chain(&hints.fallback).chain(&hints.further_fallbacks);
    named
        .find(|codec| label_of(&***codec) == label)
        .map_or_else(|| settings.registry.codec(label), |codec| Ok(codec.clone()))
}
