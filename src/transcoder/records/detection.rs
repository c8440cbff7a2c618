//! Records as detection sees them: only their text, with a map from its offsets to those of the input.

use super::stretch::{Stretch, next_stretch};
use crate::detect::{Detector, Verdict};
use crate::records::{Columns, Deframer};
use crate::transcoder::options::Input;
use std::ops::Range;

/// How many bytes of a stream of records detection may take; a stream can be all framing and no data.
pub(in crate::transcoder) const HEAD_LIMIT: usize = 1 << 20;

/// A search that looks at the beginning of the data.
pub(in crate::transcoder) trait Looks {
    /// Takes bytes. Returns how many; fewer than were given means that it wants no more.
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
    /// How many bytes of the record's data were taken.
    column: u64,
    /// How many bytes at the front of the input are data that was not divided into text and gaps yet.
    left: usize,
}

/// The next stretch of the input, and its length in bytes, at least one.
enum Cut {
    Framing(usize),
    /// Columns that are left out.
    Gap(usize),
    Text(usize),
}

impl TextParts {
    /// Starts at the beginning of an input. Returns `None` if the input has no records.
    pub(in crate::transcoder) fn new(input: &Input) -> Option<Self> {
        let columns = input.columns.as_ref().map(Columns::without_pages);
        Some(TextParts { deframer: input.deframer()?, columns, column: 0, left: 0 })
    }

    /// Returns what is at the front of `src`, which the caller takes; nothing if there is no more, or the framing is
    /// wrong.
    fn next(&mut self, src: &[u8], eof: bool) -> Option<Cut> {
        while self.left == 0 {
            match next_stretch(&mut self.deframer, src, eof)? {
                Stretch::Framing(len) => return Some(Cut::Framing(len)),
                Stretch::Data(len) => self.left = len,
                Stretch::End => self.column = 0,
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

/// Shows the text in `src` to `looks`. Returns how many bytes of `src` were looked at: all of them, unless it is done
/// or the framing is invalid.
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

/// Maps offsets in the text that detection saw to offsets in the stream of records.
pub(in crate::transcoder) struct OffsetMap {
    /// Where each stretch of text begins. Empty if there are no records; then the offsets are equal.
    stretches: Vec<TextStretch>,
}

/// Where a stretch of text begins.
#[derive(Clone, Copy)]
struct TextStretch {
    /// In the text.
    text: u64,
    /// In the data of the records, including the columns that are left out.
    data: u64,
    /// In the input.
    input: u64,
}

impl OffsetMap {
    /// Maps the offsets of the text in `head`, the beginning of the input.
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
                        stretches.push(TextStretch { text, data, input: at as u64 });
                        text += len as u64;
                        data += len as u64;
                        at += len;
                    }
                }
            }
        }
        OffsetMap { stretches }
    }

    fn map(&self, text: u64, to: fn(&TextStretch) -> u64) -> u64 {
        let after = self.stretches.partition_point(|stretch| stretch.text <= text);
        match after.checked_sub(1).and_then(|index| self.stretches.get(index)) {
            Some(stretch) => to(stretch) + (text - stretch.text),
            None => text,
        }
    }

    /// Maps a span. Its end follows its last byte, which may be the last of a record.
    fn map_span(&self, span: Range<u64>, to: fn(&TextStretch) -> u64) -> Range<u64> {
        let start = self.map(span.start, to);
        let end = if span.is_empty() { start } else { self.map(span.end - 1, to) + 1 };
        start..end
    }

    /// Maps a span of the text to one of the data, including the columns that are left out.
    pub(in crate::transcoder) fn in_data(&self, span: Range<u64>) -> Range<u64> {
        self.map_span(span, |stretch| stretch.data)
    }

    /// Maps an offset in the text to one in the input.
    pub(in crate::transcoder) fn in_input(&self, text: u64) -> u64 {
        self.map(text, |stretch| stretch.input)
    }

    /// Maps the offsets in the verdict to those in the input.
    pub(in crate::transcoder) fn translate(&self, mut verdict: Verdict) -> Verdict {
        let in_input = |stretch: &TextStretch| stretch.input;
        if let Some(span) = &mut verdict.declared_span {
            *span = self.map_span(span.clone(), in_input);
        }
        for diagnostic in &mut verdict.diagnostics {
            diagnostic.offset = self.map(diagnostic.offset, in_input);
        }
        verdict
    }
}
