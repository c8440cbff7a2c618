//! Strips what is no text from records, so that detection sees their text alone, and maps offsets back to the input.

use crate::detect::{Detector, Verdict};
use crate::records::{Columns, Deframer, Part};
use crate::transcoder::options::Input;
use std::ops::Range;

/// How much detection may take of a stream of records, which can be all framing and no data.
pub(in crate::transcoder) const HEAD_LIMIT: usize = 1 << 20;

/// What looks at the beginning of the data.
pub(in crate::transcoder) trait Looks {
    /// Takes bytes; answers how many. Fewer than were given means that no more are wanted.
    fn feed(&mut self, src: &[u8]) -> usize;

    fn is_done(&self) -> bool;
}

impl Looks for Detector {
    fn feed(&mut self, src: &[u8]) -> usize {
        Detector::feed(self, src)
    }

    fn is_done(&self) -> bool {
        Detector::is_done(self)
    }
}

/// Cuts a stream of records into what is text and what is not: framing, and the columns that are left out.
pub(in crate::transcoder) struct TextParts {
    deframer: Deframer,
    columns: Option<Columns>,
    /// Bytes of the record so far.
    column: u64,
    /// Bytes at the front of the input that are data, and have not been told yet whether they are text.
    left: usize,
}

/// What comes next in the input: so many bytes, never 0.
enum Cut {
    Framing(usize),
    /// Columns that are left out.
    Gap(usize),
    Text(usize),
}

impl TextParts {
    /// At the beginning of an input; `None` if it has no records.
    pub(in crate::transcoder) fn new(input: &Input) -> Option<Self> {
        Some(TextParts { deframer: input.deframer()?, columns: input.columns.clone(), column: 0, left: 0 })
    }

    /// Returns what is at the front of `src`, which the caller takes; nothing if there is no more, or the framing is
    /// wrong.
    fn next(&mut self, src: &[u8], eof: bool) -> Option<Cut> {
        while self.left == 0 {
            match self.deframer.next(src, eof) {
                Ok(Part::Framing(len)) => return Some(Cut::Framing(len)),
                Ok(Part::Data(len)) => self.left = len,
                Ok(Part::End) => self.column = 0,
                Ok(Part::FileEnd) => {}
                Ok(Part::NeedInput | Part::Done) | Err(_) => return None,
            }
        }
        let all = (true, u64::MAX);
        let (is_text, most) = self.columns.as_ref().map_or(all, |columns| columns.stretch(self.column));
        let len = most.min(self.left as u64) as usize;
        self.left -= len;
        self.column += len as u64;
        Some(if is_text { Cut::Text(len) } else { Cut::Gap(len) })
    }
}

/// Shows the text in `src` to what looks at it. Returns how many bytes of `src` were looked at: all of them, unless it is
/// done or the framing is wrong.
pub(in crate::transcoder) fn feed_text(looks: &mut dyn Looks, parts: &mut TextParts, src: &[u8], eof: bool) -> usize {
    let mut read = 0;
    while !looks.is_done() {
        match parts.next(&src[read..], eof) {
            Some(Cut::Framing(len) | Cut::Gap(len)) => read += len,
            Some(Cut::Text(len)) => {
                let fed = looks.feed(&src[read..read + len]);
                read += fed;
                if fed < len {
                    break;
                }
            }
            None => break,
        }
    }
    read
}

/// Where the text that detection saw lies in the first bytes of a stream of records: for what it says of places.
pub(in crate::transcoder) struct Framed {
    /// Where each stretch of text begins. Nothing where there are no records.
    stretches: Vec<Stretch>,
}

/// Where a stretch of text begins.
#[derive(Clone, Copy)]
struct Stretch {
    /// In the text.
    text: u64,
    /// In the data of the records, the columns that are left out included.
    data: u64,
    /// In the input.
    input: u64,
}

impl Framed {
    /// Maps the offsets of what is in `head`, the beginning of the input.
    pub(in crate::transcoder) fn new(head: &[u8], input: &Input) -> Self {
        let mut stretches = Vec::new();
        if let Some(mut parts) = TextParts::new(input) {
            let (mut text, mut data, mut at) = (0, 0, 0);
            while let Some(cut) = parts.next(&head[at..], false) {
                match cut {
                    Cut::Framing(len) => at += len,
                    Cut::Gap(len) => {
                        data += len as u64;
                        at += len;
                    }
                    Cut::Text(len) => {
                        stretches.push(Stretch { text, data, input: at as u64 });
                        text += len as u64;
                        data += len as u64;
                        at += len;
                    }
                }
            }
        }
        Framed { stretches }
    }

    fn map(&self, text: u64, to: fn(&Stretch) -> u64) -> u64 {
        let after = self.stretches.partition_point(|stretch| stretch.text <= text);
        match after.checked_sub(1).and_then(|index| self.stretches.get(index)) {
            Some(stretch) => to(stretch) + (text - stretch.text),
            None => text,
        }
    }

    /// The end is behind the last byte, which may be the last of a record.
    fn map_span(&self, span: Range<u64>, to: fn(&Stretch) -> u64) -> Range<u64> {
        let start = self.map(span.start, to);
        let end = if span.is_empty() { start } else { self.map(span.end - 1, to) + 1 };
        start..end
    }

    /// A span of the text as one of the data of the records, the columns that are left out included.
    pub(in crate::transcoder) fn in_data(&self, span: Range<u64>) -> Range<u64> {
        self.map_span(span, |stretch| stretch.data)
    }

    /// Where in the input the text at `text` stands.
    pub(in crate::transcoder) fn in_input(&self, text: u64) -> u64 {
        self.map(text, |stretch| stretch.input)
    }

    /// The verdict with its places in the input.
    pub(in crate::transcoder) fn translate(&self, mut verdict: Verdict) -> Verdict {
        let in_input = |stretch: &Stretch| stretch.input;
        if let Some(span) = &mut verdict.declared_span {
            *span = self.map_span(span.clone(), in_input);
        }
        for diagnostic in &mut verdict.diagnostics {
            diagnostic.offset = self.map(diagnostic.offset, in_input);
        }
        verdict
    }
}
