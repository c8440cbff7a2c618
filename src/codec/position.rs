//! Lines and columns: counts them in decoded text, and finds the positions of bytes in a text that is read again.

use super::{Codec, Decoder, MAX_FAULT, MIN_ROOM, Malformed, drive};
use crate::arch::bytes::{chars_of_one_line, count_ends_of_bytes, count_line_ends, count_newlines};
use crate::arch::isa;
use crate::error::TextPosition;
use std::io::{self, Read};

/// Counts lines and characters in text that comes in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextCounter {
    /// How many lines have ended.
    ended: u64,
    /// How many characters of the last line there are.
    chars: u64,
    /// The text so far ends with a CR. An LF or NEL that follows is part of the same line end.
    after_cr: bool,
}

impl TextCounter {
    /// Takes the text that comes next.
    #[inline]
    pub(crate) fn add(&mut self, mut text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.after_cr) {
            text = text.strip_prefix(['\n', '\u{85}']).unwrap_or(text);
        }
        if let Some(count) = chars_of_one_line(text.as_bytes()) {
            self.chars += count as u64;
            return;
        }
        let ended = count_line_ends(isa(), text.as_bytes());
        if ended > 0 {
            self.ended += ended as u64;
            self.chars = 0;
            self.after_cr = text.ends_with('\r');
            text = &text[end_of_last_line(text)..];
        }
        self.chars += text.chars().count() as u64;
    }

    /// Takes `count` characters that are not line ends.
    pub(crate) fn add_chars(&mut self, count: u64) {
        self.after_cr &= count == 0;
        self.chars += count;
    }

    /// Takes bytes that are a character each, and of which `newlines` says which end lines.
    pub(crate) fn add_bytes(&mut self, mut bytes: &[u8], newlines: ByteNewlines) {
        let ByteNewlines { cr, others } = newlines;
        let Some(first) = bytes.first() else { return };
        if std::mem::take(&mut self.after_cr) && others.contains(first) {
            bytes = &bytes[1..];
        }
        let ended = count_ends_of_bytes(isa(), bytes, cr, others);
        if ended > 0 {
            self.ended += ended as u64;
            self.chars = 0;
            self.after_cr = bytes.last() == Some(&cr);
            let last = bytes.iter().rposition(|byte| *byte == cr || others.contains(byte));
            bytes = &bytes[last.map_or(0, |last| last + 1)..];
        }
        self.chars += bytes.len() as u64;
    }

    /// Returns the position of the character that comes next.
    pub(crate) fn position(&self) -> TextPosition {
        TextPosition::new(self.ended + 1, self.chars + 1)
    }
}

/// The bytes of a single-byte page that end lines.
#[derive(Clone, Copy)]
pub(crate) struct ByteNewlines {
    /// That of CR.
    cr: u8,
    /// Those of LF and NEL. Twice the same if there is only one.
    others: [u8; 2],
}

impl ByteNewlines {
    /// `char_of` returns what a byte stands for. `None` for a page with other bytes for line ends than one for CR, and
    /// one or two for LF and NEL.
    pub(crate) fn of(char_of: impl Fn(u8) -> Option<char>) -> Option<Self> {
        let bytes_of =
            |chars: &[char]| (0..=0xFF).filter(|byte| char_of(*byte).is_some_and(|ch| chars.contains(&ch))).collect();
        let (crs, others): (Vec<u8>, Vec<u8>) = (bytes_of(&['\r']), bytes_of(&['\n', '\u{85}']));
        match (&crs[..], &others[..]) {
            ([cr], [one]) => Some(ByteNewlines { cr: *cr, others: [*one; 2] }),
            ([cr], [one, other]) => Some(ByteNewlines { cr: *cr, others: [*one, *other] }),
            _ => None,
        }
    }
}

/// Returns where the last newline of `text` ends; 0 if there is none.
fn end_of_last_line(text: &str) -> usize {
    const BLOCK: usize = 512;
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    while end > 0 {
        let begin = end.saturating_sub(BLOCK);
        // With the byte before them, which may be the first of U+0085.
        let block = &bytes[begin.saturating_sub(1)..end];
        if count_newlines(isa(), block) > 0 {
            let is_newline = |at: &usize| match bytes[*at] {
                b'\n' | b'\r' => true,
                0x85 => *at > 0 && bytes[*at - 1] == 0xC2,
                _ => false,
            };
            return (0..end).rev().find(is_newline).map_or(0, |at| at + 1);
        }
        end = begin;
    }
    0
}

/// How many characters malformed bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MalformedChars {
    /// None: they are dropped.
    None,
    /// One for each sequence.
    One,
    /// One for each byte: they are read as a single-byte charset.
    Each,
}

/// Finds the positions of bytes in a text that is read again from its beginning.
pub(crate) struct PositionFinder {
    decoder: Box<dyn Decoder>,
    malformed: MalformedChars,
    counter: TextCounter,
    /// The length of the byte order mark, as far as it is still to come.
    mark: u64,
    /// The offset of the byte that comes next.
    read: u64,
    /// The decoder broke its contract.
    is_broken: bool,
    /// For decoded text.
    room: Vec<u8>,
}

/// How many bytes are read and decoded at a time, at most. A decoder makes at most four bytes of text of one, apart from few
/// tables.
const READ_BYTES: usize = 16 * 1024;

impl PositionFinder {
    /// `mark`: the length of the byte order mark at the beginning, which is not a character of the text.
    pub(crate) fn new(codec: &dyn Codec, mark: u64, malformed: MalformedChars) -> Self {
        let (decoder, counter) = (codec.decoder(), TextCounter::default());
        PositionFinder { decoder, malformed, counter, mark, read: 0, is_broken: false, room: Vec::new() }
    }

    /// Reads `input` up to the last of `offsets`, which ascend, and returns the position of each. A byte within a
    /// character has the position of that character, and a byte after the end that of the end. `None` if the decoder
    /// breaks its contract.
    ///
    /// # Errors
    /// Those of `input`.
    pub(crate) fn find(&mut self, input: &mut dyn Read, offsets: &[u64]) -> io::Result<Vec<Option<TextPosition>>> {
        let mut found = Vec::with_capacity(offsets.len());
        // Most positions are near the beginning, and then little memory is enough.
        let read_bytes = offsets.last().map_or(0, |last| last.saturating_add(2 * MAX_FAULT as u64));
        let read_bytes = read_bytes.min(READ_BYTES as u64) as usize;
        self.room.resize(4 * read_bytes, 0);
        let (mut buffer, mut kept) = (vec![0; read_bytes], 0);
        while found.len() < offsets.len() {
            let len = match input.read(&mut buffer[kept..]) {
                Ok(len) => len.min(read_bytes - kept),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let (bytes, is_end) = (&buffer[..kept + len], len == 0);
            let taken = self.take(bytes, is_end, offsets, &mut found);
            kept = bytes.len() - taken;
            buffer.copy_within(taken..taken + kept, 0);
            if is_end {
                found.resize(offsets.len(), self.position(&[]));
            }
        }
        Ok(found)
    }

    /// Takes from the front of `bytes`, and appends to `found` the positions of the next `offsets` that are there.
    /// Leaves the last bytes unless `is_end`, because what comes before them may depend on them. Returns how many
    /// bytes it took.
    fn take(&mut self, bytes: &[u8], is_end: bool, offsets: &[u64], found: &mut Vec<Option<TextPosition>>) -> usize {
        let (mut rest, start) = (bytes, self.read);
        let len = if is_end { bytes.len() } else { bytes.len().saturating_sub(MAX_FAULT) };
        let end = start + len as u64;
        while let Some(offset) = offsets.get(found.len()).filter(|offset| **offset < end) {
            let (before, after) = rest.split_at(offset.saturating_sub(self.read) as usize);
            self.feed(before);
            rest = after;
            found.push(self.position(&rest[..rest.len().min(MAX_FAULT)]));
        }
        self.feed(&rest[..(end - self.read) as usize]);
        len
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mark = self.mark.min(bytes.len() as u64);
        self.mark -= mark;
        self.read += bytes.len() as u64;
        let PositionFinder { decoder, malformed, counter, room, .. } = self;
        self.is_broken |= !drive(&mut **decoder, &bytes[mark as usize..], false, room, |step| {
            counter.add(step.text);
            step.fault.iter().for_each(|fault| counter.add_chars(malformed.count(fault)));
            true
        });
    }

    /// Returns the position of the byte that comes next, after which come `next`.
    fn position(&self, next: &[u8]) -> Option<TextPosition> {
        if self.is_broken {
            return None;
        }
        let (mut counter, mut decoder) = (self.counter.clone(), self.decoder.fork());
        // What is pending may be a character already, which another one may follow in the same code, or be malformed.
        // The bytes after it show that, or the end.
        let (mut ahead, mut is_over) = (0, false);
        let mut bytes = next.chunks(1);
        while decoder.pending() > ahead && !is_over {
            let byte = bytes.next().unwrap_or_default();
            let is_end = byte.is_empty();
            is_over |= is_end;
            drive(&mut *decoder, byte, is_end, &mut [0; MIN_ROOM], |step| {
                ahead += step.read;
                match step.fault {
                    // The text comes from what is before the byte, or takes it in.
                    None if is_end || step.pending == ahead => counter.add(step.text),
                    None => is_over |= !step.text.is_empty(),
                    Some(fault) => {
                        counter.add(step.text);
                        let is_before = usize::from(fault.after) >= ahead && !is_end;
                        counter.add_chars(if is_before { self.malformed.count(&fault) } else { 0 });
                        is_over |= !is_before;
                    }
                }
                !is_over || is_end && step.fault.is_none()
            });
        }
        Some(counter.position())
    }
}

impl MalformedChars {
    fn count(self, fault: &Malformed) -> u64 {
        match self {
            MalformedChars::None => 0,
            MalformedChars::One => 1,
            MalformedChars::Each => fault.len.into(),
        }
    }
}

/// The positions of some offsets.
pub(crate) struct Positions(Vec<(u64, Option<TextPosition>)>);

impl Positions {
    /// Finds the positions of `offsets` in `input`, in any order. Reads nothing if there are none.
    ///
    /// # Errors
    /// Those of `input`.
    pub(crate) fn find(mut finder: PositionFinder, input: &mut dyn Read, mut offsets: Vec<u64>) -> io::Result<Self> {
        crate::sort::by_key(&mut offsets, |offset| *offset);
        offsets.dedup();
        let found = finder.find(input, &offsets)?;
        Ok(Positions(offsets.into_iter().zip(found).collect()))
    }

    /// Returns the position of an offset.
    pub(crate) fn of(&self, offset: u64) -> Option<TextPosition> {
        let at = self.0.binary_search_by_key(&offset, |(offset, _)| *offset).ok()?;
        self.0[at].1
    }
}
