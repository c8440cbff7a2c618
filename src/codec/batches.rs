//! The inner loop of decoders of single bytes and pairs, with or without codes between them: a kernel splits blocks
//! into units, the characters of the units are looked up without waiting for each other, and another kernel writes them
//! together.
//!
//! # What moves together
//!
//! * A batch has at most [`Block::REACH`] blocks of 64 bytes, and at most [`Utf8Batch::LEN`] words; [`Block::MOST`]
//!   leaves 64 of them for the last block.
//! * [`WORTH`] is 65, the least with which [`lanes::split`] does anything, and at least [`LEAST_REACH`], one block.

use super::sink::BATCH_ROOM;
use super::words::Halves;
use super::{Utf8Batch, Utf8Char, Utf8Sink, Utf8Table, Utf8Units, Utf8Word};
use crate::arch::types::{Escapes, Leads, Shifts, Split};
use crate::arch::{Isa, lanes};
use std::ops::ControlFlow;

/// The shortest batch, in characters: the kernels do nothing with less than a block.
pub(super) const LEAST_REACH: usize = 64;

/// After a stop, this many characters more than there were before it are looked up, in whole blocks. In damaged text
/// most of them would be in vain.
const LEAST_MORE: usize = 16;

/// The shortest input, in bytes, for which a batch is tried.
pub(super) const WORTH: usize = 65;

/// With fewer bytes, one character after another is as fast.
#[cfg_attr(not(any(feature = "legacy", feature = "whatwg")), allow(dead_code))]
pub(super) const FEW: usize = 96;

/// When to try a batch again: not soon where the last ones ended early.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "legacy"), allow(dead_code))] // What has one only calls some of it.
pub(super) struct Pace {
    /// For the next batch; see [`Batches::reach`].
    pub(super) reach: usize,
    /// How many characters or codes until the next try.
    pause: usize,
    /// The pause after the next batch that ends early.
    next: usize,
}

impl Pace {
    /// A batch that got so far, in bytes, is worth another try at once.
    const FAR: usize = 24;
    /// The shortest pause and the longest one. Each is twice as long as the one before.
    const PAUSES: (usize, usize) = (8, 128);

    pub(super) const fn new() -> Self {
        Pace { reach: usize::MAX, pause: 0, next: Self::PAUSES.0 }
    }

    /// Counts a character or a code; returns whether it is time for a batch.
    #[inline(always)]
    pub(super) fn is_due(&mut self) -> bool {
        self.pause = self.pause.saturating_sub(1);
        self.pause == 0
    }

    /// Takes account of a batch that read `len` bytes.
    pub(super) fn tried(&mut self, len: usize) {
        (self.pause, self.next) = match len {
            Self::FAR.. => (0, Self::PAUSES.0),
            _ => (self.next, (2 * self.next).min(Self::PAUSES.1)),
        };
    }

    /// Lets `read` read a batch, if it is time and there can be one; returns how many bytes that was.
    #[cfg_attr(not(feature = "legacy"), allow(dead_code))] // Only charsets with a state need it.
    pub(super) fn turn(&mut self, read: impl FnOnce(&mut usize) -> Option<usize>) -> usize {
        if !self.is_due() {
            return 0;
        }
        let Some(len) = read(&mut self.reach) else { return 0 };
        self.tried(len);
        len
    }
}

/// About 64 bytes of a batch.
#[derive(Clone, Copy, Default)]
struct Block {
    split: Split,
    /// The place of its first word in the batch.
    word: usize,
    /// The place of its first byte in the input.
    byte: usize,
}

impl Block {
    /// A batch that has this many words takes no more blocks: another one might not fit.
    const MOST: usize = Utf8Batch::LEN - 64;
    /// The most blocks of a batch. Each but the last has at least 32 characters, apart from shift codes.
    const REACH: usize = 8;
}

/// Where the words of a batch begin in the input. They are asked for in ascending order.
struct Places<'a> {
    blocks: &'a [Block],
    /// The block of the last word that was asked for, that word, and the bits of it and of those after it.
    index: usize,
    word: usize,
    firsts: u64,
}

impl<'a> Places<'a> {
    fn new(blocks: &'a [Block]) -> Self {
        Places { blocks, index: 0, word: 0, firsts: blocks[0].split.firsts }
    }

    /// Returns the place of a word that the batch has, and whether it is a pair.
    fn of(&mut self, word: usize) -> (usize, bool) {
        while let Some(next) = self.blocks.get(self.index + 1).filter(|next| next.word <= word) {
            (self.index, self.word, self.firsts) = (self.index + 1, next.word, next.split.firsts);
        }
        for _ in self.word..word {
            self.firsts &= self.firsts.wrapping_sub(1);
        }
        self.word = word;
        let (block, at) = (&self.blocks[self.index], self.firsts.trailing_zeros());
        (block.byte + at as usize, block.split.doubles.checked_shr(at).is_some_and(|doubles| doubles & 1 == 1))
    }
}

/// Reads a code that is not plain, with bytes after it. It is given whether bytes are pairs there; returns how many
/// bytes it read, and whether the batch continues after them.
pub(super) type Others<'a> = &'a mut dyn FnMut(bool, &[u8], &mut Utf8Sink<'_>) -> ControlFlow<usize, usize>;

/// Ends a batch before any other code.
pub(super) fn none(_: bool, _: &[u8], _: &mut Utf8Sink<'_>) -> ControlFlow<usize, usize> {
    ControlFlow::Break(0)
}

/// A decoder of batches.
pub(super) struct Batches<'a> {
    pub(super) by_unit: &'a Utf8Units,
    /// The same with codes of two units, if there are any.
    pub(super) halves: Option<Halves<'a>>,
    /// The single bytes, for long runs of them.
    pub(super) singles: Option<&'a Utf8Table>,
    /// How many words to look up before any is written: few if the last stop was near.
    pub(super) reach: &'a mut usize,
    /// Whether the bytes are pairs, after a shift code.
    pub(super) is_double: &'a mut bool,
}

impl Batches<'_> {
    /// Decodes the front of `src` in a charset with shift codes.
    #[inline(never)]
    pub(super) fn decode_shifted(&mut self, isa: Isa, shifts: Shifts, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let split = |is_double, src: &[u8], units: &mut _| lanes::split(isa, shifts, is_double, src, units);
        self.decode(src, dst, split, &mut none)
    }

    /// Decodes the front of `src`: looks up the characters of some blocks, and then writes them. `split` splits a
    /// block, and `others` reads what is not plain. Stops at anything that needs another decision; returns how many
    /// bytes were read.
    #[inline(always)]
    fn decode(
        &mut self,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        split: impl Fn(bool, &[u8], &mut [u16; 64]) -> Split,
        others: Others<'_>,
    ) -> usize {
        let mut batch = Utf8Batch::new();
        let mut units = [0; 64];
        let mut blocks = [Block::default(); Block::REACH];
        let mut read = 0;
        'batches: while src.len() - read >= WORTH {
            let mut block =
                Block { split: Split { is_double: *self.is_double, ..Split::default() }, word: 0, byte: read };
            let mut count = 0;
            while let Some(place) = blocks.get_mut(count)
                && block.word < (*self.reach).min(Block::MOST)
            {
                block.split = split(block.split.is_double, &src[block.byte..], &mut units);
                // Only single bytes: decode as many of them as there are, after what was looked up.
                if (block.split.firsts, block.split.doubles) == (u64::MAX, 0)
                    && let Some(singles) = self.singles
                {
                    if count > 0 {
                        break;
                    }
                    let len = dst.push_table(&src[read..], singles);
                    if len > 0 {
                        read += len;
                        continue 'batches;
                    }
                }
                match &self.halves {
                    Some(halves) => batch.look_up_halves(block.word, &units, &mut block.split, halves),
                    None => {
                        let len = block.split.firsts.count_ones() as usize;
                        batch.look_up(block.word, &units, len, self.by_unit);
                    }
                }
                let len = block.split.firsts.count_ones() as usize;
                *place = block;
                count += 1;
                (block.word, block.byte) = (block.word + len, block.byte + block.split.read);
                if block.split.read == 0 {
                    break;
                }
            }
            let (mut done, mut places) = (0, Places::new(&blocks[..count]));
            loop {
                done += dst.push_batch(&batch, done..block.word);
                if done >= block.word {
                    break;
                }
                let (at, is_double) = places.of(done);
                (*self.is_double, *self.reach) = (is_double, done + LEAST_MORE);
                if dst.room() < BATCH_ROOM {
                    return at;
                }
                match others(is_double, &src[at..], dst) {
                    ControlFlow::Break(len) => return at + len,
                    ControlFlow::Continue(len) => read = at + len,
                }
                // What was looked up is good if a word begins right after the code.
                let next = (done + 1..block.word).find(|word| places.of(*word).0 >= read);
                match next.filter(|word| places.of(*word).0 == read) {
                    Some(word) => done = word,
                    None => continue 'batches,
                }
            }
            *self.is_double = block.split.is_double;
            *self.reach = usize::MAX;
            if block.byte == read {
                break;
            }
            read = block.byte;
        }
        read
    }
}

/// The codes between single bytes and pairs.
#[cfg_attr(not(feature = "legacy"), allow(dead_code))] // Only charsets with a state need all of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Codes {
    Shifts(Shifts),
    Escapes(Escapes),
}

impl Codes {
    /// The escape sequences between ASCII and JIS X 0208.
    #[cfg_attr(not(any(feature = "legacy", feature = "whatwg")), allow(dead_code))] // As above.
    pub(super) const JIS_X_0208: Codes =
        Codes::Escapes(Escapes { first: 0x1B, out: b'$', back: b'(', last: Some([b'B', b'@']) });

    /// Returns whether pairs follow the code that `src` begins with, and its length.
    fn at(self, src: &[u8]) -> Option<(bool, usize)> {
        match self {
            Codes::Shifts(Shifts { out, back }) => {
                let byte = *src.first()?;
                (byte == out || byte == back).then_some((byte == out, 1))
            }
            Codes::Escapes(Escapes { first, out, back, last }) => {
                let is_out = match *src {
                    [start, second, ..] if start == first && (second == out || second == back) => second == out,
                    _ => return None,
                };
                let Some([either, only_out]) = last else { return Some((is_out, 2)) };
                let third = *src.get(2)?;
                (third == either || is_out && third == only_out).then_some((is_out, 3))
            }
        }
    }
}

/// A charset that switches between ASCII and pairs of such bytes.
#[cfg_attr(not(any(feature = "legacy", feature = "whatwg")), allow(dead_code))] // As above.
#[derive(Debug)]
pub(super) struct Switched {
    by_unit: Utf8Units,
    singles: Box<Utf8Table>,
    codes: Codes,
}

#[cfg_attr(not(any(feature = "legacy", feature = "whatwg")), allow(dead_code))] // As above.
impl Switched {
    /// Makes the tables from those of the pairs. A batch stops at the bytes of ASCII in `others`: codes, and what
    /// changes the state.
    pub(super) fn new(mut pairs: Utf8Units, codes: Codes, others: &[u8]) -> Self {
        let mut singles = [Utf8Char::NONE; 256];
        for byte in (0..0x80).filter(|byte| !others.contains(byte)) {
            pairs.put(byte.into(), &[Utf8Word::of_ascii(byte)]);
            singles[usize::from(byte)] = Utf8Char::new(char::from(byte));
        }
        Switched { by_unit: pairs, singles: Box::new(Utf8Table::new(singles)), codes }
    }

    /// Decodes characters and codes from the front of `src`, and what `others` reads, up to anything else, or within a
    /// block of the end of `src` or of the room; returns how many bytes were read. `reach` is for the next call;
    /// `is_double` says whether bytes are pairs, before and after.
    #[inline(never)]
    pub(super) fn decode(
        &self,
        isa: Isa,
        reach: &mut usize,
        is_double: &mut bool,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        others: Others<'_>,
    ) -> usize {
        let mut batches =
            Batches { by_unit: &self.by_unit, halves: None, singles: Some(&*self.singles), reach, is_double };
        match self.codes {
            Codes::Shifts(shifts) => {
                let split = |is_double, src: &[u8], units: &mut _| lanes::split(isa, shifts, is_double, src, units);
                batches.decode(src, dst, split, others)
            }
            Codes::Escapes(escapes) => {
                let split =
                    |is_double, src: &[u8], units: &mut _| lanes::split_escapes(isa, escapes, is_double, src, units);
                batches.decode(src, dst, split, others)
            }
        }
    }

    /// Does the same with less than a block: one character after another, up to the second of two codes in a row. Reads
    /// nothing with little room.
    #[cfg_attr(not(feature = "whatwg"), allow(dead_code))] // Only ISO-2022-JP of the web is decoded so.
    pub(super) fn decode_few(&self, is_double: &mut bool, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let (mut rest, mut is_pairs) = (src, *is_double);
        // How many bytes there were after the last code.
        let mut after_code = usize::MAX;
        let done = dst.push_short(|text| {
            loop {
                if is_pairs {
                    // After 0 a byte would be taken for a single one.
                    while let [first @ 1..=0xFF, second, after @ ..] = rest
                        && text.push(self.by_unit.word(u16::from_be_bytes([*first, *second])))
                    {
                        rest = after;
                    }
                } else {
                    while let [byte, after @ ..] = rest
                        && text.push(self.by_unit.word((*byte).into()))
                    {
                        rest = after;
                    }
                }
                match self.codes.at(rest) {
                    Some((is_out, len)) if rest.len() < after_code => (is_pairs, rest) = (is_out, &rest[len..]),
                    _ => break,
                }
                after_code = rest.len();
            }
        });
        if done.is_none() {
            return 0;
        }
        *is_double = is_pairs;
        src.len() - rest.len()
    }
}

/// The plain characters of a charset of single bytes and pairs without shift codes.
#[derive(Clone, Debug)]
pub(super) struct PlainPairs {
    by_unit: Utf8Units,
    singles: Box<Utf8Table>,
    leads: Leads,
    /// Two first halves of codes of two pairs, and the characters of what follows each.
    halves: Option<Box<[(u16, Utf8Units); 2]>>,
}

impl PlainPairs {
    /// Makes the tables. `singles` returns the character of a single byte, and [`Utf8Char::NONE`] for others, also
    /// leads.
    pub(super) fn new(
        by_unit: Utf8Units,
        singles: impl Fn(u8) -> Utf8Char,
        is_lead: impl Fn(u8) -> bool,
    ) -> PlainPairs {
        let singles = Box::new(Utf8Table::new(std::array::from_fn(|byte| singles(byte as u8))));
        PlainPairs { by_unit, singles, leads: Leads::new(is_lead), halves: None }
    }

    /// Adds codes of two pairs: two first halves, or one and 0, and the characters of the pairs after each.
    #[cfg_attr(not(feature = "legacy"), allow(dead_code))] // Only legacy pages have them.
    pub(super) fn with_halves(self, halves: [(u16, Utf8Units); 2]) -> PlainPairs {
        PlainPairs { halves: Some(Box::new(halves)), ..self }
    }

    /// Decodes the front of `src`, where a character begins, up to one that is neither plain nor read by `others`, or
    /// within a block of the end of `src` or of the room; returns how many bytes were read. `reach` is for the next
    /// call.
    #[inline(never)]
    pub(super) fn decode(
        &self,
        isa: Isa,
        reach: &mut usize,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        others: Others<'_>,
    ) -> usize {
        let (by_unit, singles, mut is_double) = (&self.by_unit, Some(&*self.singles), false);
        let halves = self.halves.as_deref().map(|halves| Halves::new(by_unit, halves));
        let mut batches = Batches { by_unit, halves, singles, reach, is_double: &mut is_double };
        batches.decode(src, dst, |_, src, units| lanes::split_pairs(isa, &self.leads, src, units), others)
    }

    /// Decodes the front of `src`, where a character begins, up to one that is not plain or within a block of the end of
    /// the room; returns how many bytes were read. For less than a block: one character after another.
    #[cfg_attr(not(feature = "whatwg"), allow(dead_code))] // Only encodings of the web have single bytes among the units.
    pub(super) fn decode_few(&self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let mut read = 0;
        dst.push_words(|| {
            let rest = src.get(read..).unwrap_or_default();
            let single = rest.first().map(|byte| self.by_unit.word((*byte).into())).filter(|word| word.is_char());
            let (word, len) = match (single, rest) {
                (Some(word), _) => (word, 1),
                (None, [first, second, ..]) => (self.by_unit.word(u16::from_be_bytes([*first, *second])), 2),
                (None, _) => (Utf8Word::note(0, 0), 0),
            };
            if word.is_char() {
                read += len;
            }
            word
        });
        read
    }
}
