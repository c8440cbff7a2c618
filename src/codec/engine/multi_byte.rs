//! Every charset of several bytes a character that a [`Table`] can say: pairs, single bytes and pairs between shift
//! codes, sequences as a state table has them, and mappings of several characters. One engine.
//!
//! Decoding walks a tree of nodes, one byte a step; its leaves are ready UTF-8. Encoding looks the code point up in a
//! two-level table. What the two have in common: the longest mapping wins, so where one mapping begins another both wait
//! for what follows.
//!
//! # What is malformed
//!
//! Bytes that end no sequence of the charset: as many as began one, up to the first that cannot go on or that could
//! begin one itself. That byte is looked at again, so nothing good is swallowed. A whole sequence that no character has
//! is malformed as a whole; so is what the end of the input cuts.
//!
//! In a shifted charset a shift code that changes nothing is obeyed all the same, and the end may come in either state.
//! Between the shift codes controls do not occur: one there is malformed.

use crate::arch::utf16::{self, ByteOrder};
use crate::arch::{self, lanes, lanes::Split};
use crate::codec::table::limits::{MAX_BYTES, MAX_TEXT};
use crate::codec::table::packed::{Chart, Packed};
use crate::codec::table::{Cell, Mapping, SI, SO, Sequence, Shape, State, Table, Way};
use crate::codec::{ByteSink, Decoder, Encoder, MIN_ROOM, Malformed, Replacement, Step, Stop, Unmappable};
use crate::codec::{Utf8Batch, Utf8Sink, Utf8Table, Utf8Word};
use std::sync::Arc;

/// What stands in a node where no character does.
mod note {
    use crate::codec::Utf8Word;

    /// No sequence goes on with this byte.
    pub(super) const ILLEGAL: u8 = 0;
    /// The sequence is whole, and no character has it.
    pub(super) const UNASSIGNED: u8 = 1;
    /// It goes on in the node of this number.
    pub(super) const NEXT: u8 = 2;
    /// A shift code to the set of this number.
    pub(super) const SHIFT: u8 = 3;
    /// A character beyond the Basic Multilingual Plane.
    pub(super) const CHAR: u8 = 4;
    /// Several characters: the text of this number.
    pub(super) const TEXT: u8 = 5;
    /// Whole, and a longer one may begin with it: see `longer`.
    pub(super) const LONGER: u8 = 6;
    /// The longer one does not go on with this byte; what was whole before counts.
    pub(super) const STOP: u8 = 7;

    pub(super) const fn of(kind: u8) -> Utf8Word {
        Utf8Word::note(kind, 0)
    }
}

/// From bytes to text.
#[derive(Debug)]
pub(super) struct DecodeTable {
    /// The node that a character begins at, in each set: one, or two where there are shift codes.
    sets: Vec<u32>,
    /// For each set and lead byte, where the words of its pairs start, one for each of 256 trail bytes; for a lead byte
    /// of longer sequences, and for none, 0, where 256 notes are.
    pairs: Vec<[u32; 256]>,
    /// The same for the pairs of a shifted charset; in the place of 0, which begins none, the single bytes.
    starts: [u32; 256],
    /// Of a shifted charset the single bytes, for long runs of them.
    singles: Option<Box<Utf8Table>>,
    nodes: Vec<Node>,
    /// What each byte does in each node.
    words: Vec<Utf8Word>,
    texts: Vec<Box<str>>,
    /// What a whole sequence is, and the node that a longer one goes on in.
    longer: Vec<(Utf8Word, u32)>,
}

/// The bytes that may stand at one place: those from `first` to `last`, whose words begin at `start`; none where `first`
/// is the greater.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    first: u8,
    last: u8,
}

impl DecodeTable {
    /// Mappings that do not fit the table's shape are left out; [`Table::check`] finds them.
    pub(super) fn new(table: &Table) -> Self {
        let mut build = Build::new(&table.shape);
        for Mapping { code, ch, way } in &table.mappings {
            if way.decodes() {
                build.insert(&code.bytes()[..code.len()], word_of(*ch));
            }
        }
        for Sequence { bytes, text, way } in &table.sequences {
            if way.decodes() {
                build.insert_text(bytes, text);
            }
        }
        build.finish()
    }

    /// That of a built-in page, straight from where it lies.
    pub(super) fn of_page(page: &Packed) -> Self {
        let record = page.open();
        let mut build = Build::new(&record.shape);
        for chart in &record.charts {
            build.insert_chart(chart);
        }
        record.others(|way, code, text| {
            if way.decodes() {
                build.insert_text(&code.bytes()[..code.len()], text);
            }
        });
        build.finish()
    }

    #[inline(always)]
    fn word(&self, node: u32, byte: u8) -> Utf8Word {
        let node = self.nodes[node as usize];
        if byte < node.first || byte > node.last {
            return note::of(note::ILLEGAL);
        }
        self.words[node.start as usize + usize::from(byte - node.first)]
    }

    /// Whether `byte` could begin a sequence, or is a shift code.
    fn begins(&self, set: u8, byte: u8) -> bool {
        self.word(self.sets[set as usize], byte) != note::of(note::ILLEGAL)
    }

    /// What the first sequence of `bytes` is, which are not empty; `last` says that nothing follows them.
    fn first(&self, set: u8, bytes: &[u8], last: bool) -> First {
        let mut node = self.sets[set as usize];
        let mut whole = None;
        for (at, &byte) in bytes.iter().enumerate() {
            // States that lead to each other without end must not lead past what can be held.
            let word = if at < MAX_BYTES { self.word(node, byte) } else { note::of(note::ILLEGAL) };
            let found = |word| First::Whole { word, len: at + 1 };
            match word.as_note() {
                Some((note::NEXT, next)) => node = next,
                Some((note::LONGER, index)) => {
                    let (word, next) = self.longer[index as usize];
                    if word != note::of(note::STOP) {
                        whole = Some(found(word));
                    }
                    node = next;
                }
                Some((note::SHIFT, set)) => return First::Shift { set: set as u8 },
                Some((note::ILLEGAL | note::STOP, _)) => {
                    // The byte may begin another sequence, or one before it may.
                    let len = (1..at).find(|at| self.begins(set, bytes[*at])).unwrap_or(at.max(1));
                    return whole.unwrap_or(First::Malformed { len });
                }
                Some((note::UNASSIGNED, _)) => return whole.unwrap_or(found(word)),
                _ => return found(word),
            }
        }
        match whole {
            _ if !last => First::Open,
            Some(whole) => whole,
            None => First::Malformed { len: bytes.len() },
        }
    }
}

/// What stands at the front of some bytes.
#[derive(Clone, Copy)]
enum First {
    /// A sequence: a character, a text, or none that is assigned.
    Whole {
        word: Utf8Word,
        len: usize,
    },
    Shift {
        set: u8,
    },
    Malformed {
        len: usize,
    },
    /// What follows decides.
    Open,
}

/// A table in the making.
struct Build {
    done: DecodeTable,
    states: Vec<State>,
    /// The state that each set begins in.
    starts: Vec<usize>,
    /// For each state a node without characters, which all places share that lead to none; made when needed.
    empty: Vec<Option<u32>>,
}

impl Build {
    fn new(shape: &Shape) -> Self {
        let (mut states, starts) = match shape {
            Shape::Shifted => {
                let mut states = Shape::Single.states().into_owned();
                for state in Shape::Double.states().iter() {
                    states.push(state.map(|cell| match cell {
                        Cell::Next(next) => Cell::Next(next + 1),
                        cell => cell,
                    }));
                }
                (states, vec![0, 1])
            }
            shape => (shape.states().into_owned(), vec![0]),
        };
        // A table made by hand may have no states, or a next one that is not there.
        if states.is_empty() {
            states.push([Cell::Illegal; 256]);
        }
        let count = states.len();
        for cell in states.as_flattened_mut() {
            if matches!(cell, Cell::Next(next) if usize::from(*next) >= count) {
                *cell = Cell::Illegal;
            }
        }
        let done = DecodeTable {
            sets: Vec::new(),
            pairs: Vec::new(),
            starts: [0; 256],
            singles: None,
            nodes: Vec::new(),
            words: vec![note::of(note::STOP); 256],
            texts: Vec::new(),
            longer: Vec::new(),
        };
        let mut build = Build { done, empty: vec![None; states.len()], states, starts };
        for set in 0..build.starts.len() {
            let node = build.node(build.starts[set], false);
            build.done.sets.push(node);
            if *shape == Shape::Shifted {
                for (code, to) in [(SO, 1), (SI, 0)] {
                    build.put(node, code, Utf8Word::note(note::SHIFT, to));
                }
            }
        }
        build
    }

    /// A new node for a state, nothing assigned; `after` a sequence that is whole already.
    fn node(&mut self, state: usize, after: bool) -> u32 {
        if after {
            // A table may have millions of these, most with a byte or two: they grow when something is put in.
            self.done.nodes.push(Node { start: 0, first: 1, last: 0 });
            return self.done.nodes.len() as u32 - 1;
        }
        let cells = self.states[state];
        let first = cells.iter().position(|cell| *cell != Cell::Illegal).unwrap_or(0);
        let last = cells.iter().rposition(|cell| *cell != Cell::Illegal).unwrap_or(0);
        // What is wide anyway has words for all bytes, which are looked up without a look at their bounds; so have the
        // sets, and whatever follows a lead byte of a shifted charset: U+3000 is often alone behind its 40.
        let is_wide = last - first >= 128 || self.done.sets.len() < self.starts.len() || self.starts.len() == 2;
        let (first, last) = if is_wide { (0, 255) } else { (first, last) };
        let start = self.done.words.len() as u32;
        self.done.nodes.push(Node { start, first: first as u8, last: last as u8 });
        let node = self.done.nodes.len() as u32 - 1;
        for cell in &cells[first..=last] {
            self.done.words.push(match cell {
                Cell::Illegal => note::of(note::ILLEGAL),
                Cell::End | Cell::Unassigned => note::of(note::UNASSIGNED),
                Cell::Next(_) => note::of(note::NEXT),
            });
        }
        for (byte, cell) in (0..=255).zip(cells) {
            if let Cell::Next(next) = cell {
                let empty = self.empty_node(next.into());
                self.put(node, byte, Utf8Word::note(note::NEXT, empty));
            }
        }
        node
    }

    fn empty_node(&mut self, state: usize) -> u32 {
        if let Some(node) = self.empty[state] {
            return node;
        }
        // In front of the making, as a state may lead to itself.
        self.empty[state] = Some(self.done.nodes.len() as u32);
        self.node(state, false)
    }

    fn put(&mut self, node: u32, byte: u8, word: Utf8Word) {
        let place = &mut self.done.nodes[node as usize];
        if byte < place.first || byte > place.last {
            let old = *place;
            let len = (usize::from(old.last) + 1).saturating_sub(old.first.into());
            // By as much as there is already, so that not every byte costs a move.
            (place.first, place.last) = match len as u8 {
                0 => (byte, byte),
                more if byte < old.first => (byte.min(old.first.saturating_sub(more)), old.last),
                more => (old.first, byte.max(old.last.saturating_add(more))),
            };
            let start = self.done.words.len();
            place.start = start as u32;
            let before = usize::from(old.first.saturating_sub(place.first));
            self.done.words.resize(start + usize::from(place.last - place.first) + 1, note::of(note::STOP));
            self.done.words.copy_within(old.start as usize..old.start as usize + len, start + before);
        }
        let node = self.done.nodes[node as usize];
        self.done.words[node.start as usize + usize::from(byte - node.first)] = word;
    }

    /// What [`insert`](Self::insert) does, for all the cells of a chart: its lead byte has no node yet.
    fn insert_chart(&mut self, chart: &Chart) {
        let set = usize::from(self.starts.len() == 2 && chart.lead.is_some());
        let node = match chart.lead {
            None => self.done.sets[set],
            Some(lead) => {
                let Cell::Next(next) = self.states[self.starts[set]][lead as usize] else { return };
                let node = self.node(next.into(), false);
                self.put(self.done.sets[set], lead, Utf8Word::note(note::NEXT, node));
                node
            }
        };
        let Node { start, first, last } = self.done.nodes[node as usize];
        // Nothing may be assigned where a sequence does not end; what is there already says so.
        let none = note::of(note::STOP);
        for (quarter, units) in (0..4).zip(chart.quarters()) {
            for (byte, word) in (quarter << 6..).zip(Utf8Word::of_units(&units, none)) {
                if word != none && byte >= first.into() && byte <= last.into() {
                    let place = &mut self.done.words[start as usize + byte - usize::from(first)];
                    if *place == note::of(note::UNASSIGNED) {
                        *place = word;
                    }
                }
            }
        }
    }

    /// The table, with the short way to its pairs.
    fn finish(mut self) -> DecodeTable {
        for &set in &self.done.sets {
            self.done.pairs.push(std::array::from_fn(|byte| match self.done.word(set, byte as u8).as_note() {
                Some((note::NEXT, node)) => {
                    let Node { start, first, last } = self.done.nodes[node as usize];
                    if (first, last) == (0, 255) { start } else { 0 }
                }
                _ => 0,
            }));
        }
        if let [_, pairs] = &self.done.pairs[..] {
            // Neither is a shift code the first of a pair: it stands for what is none.
            let start = self.done.nodes[self.done.sets[0] as usize].start;
            let char_of = |byte: usize| self.done.words[start as usize + byte].to_char();
            self.done.singles = Some(Box::new(Utf8Table::new(std::array::from_fn(char_of))));
            self.done.starts = *pairs;
            self.done.starts[0] = start;
            self.done.starts[usize::from(SO)] = 0;
        }
        self.done
    }

    fn insert_text(&mut self, bytes: &[u8], text: &str) {
        if !fits(bytes, text) {
            return;
        }
        let mut chars = text.chars();
        let word = match (chars.next(), chars.next()) {
            (Some(ch), None) => word_of(ch),
            _ => {
                self.done.texts.push(text.into());
                Utf8Word::note(note::TEXT, self.done.texts.len() as u32 - 1)
            }
        };
        self.insert(bytes, word);
    }

    fn insert(&mut self, bytes: &[u8], word: Utf8Word) {
        let set = usize::from(self.starts.len() == 2 && bytes.len() > 1);
        let mut state = self.starts[set];
        let mut node = self.done.sets[set];
        // A sequence that goes on after a whole one.
        let mut after = false;
        for (at, &byte) in bytes.iter().enumerate() {
            let is_last = at + 1 == bytes.len();
            let found = match self.done.word(node, byte) {
                word if after && word == note::of(note::ILLEGAL) => note::of(note::STOP),
                word => word,
            };
            match (self.states[state][byte as usize], is_last) {
                (Cell::End, true) => match found.as_note() {
                    Some((note::LONGER, index)) => self.done.longer[index as usize].0 = word,
                    Some((note::SHIFT, _)) => {}
                    _ => self.put(node, byte, word),
                },
                (Cell::End, false) => {
                    let index = match found.as_note() {
                        Some((note::LONGER, index)) => index,
                        _ => {
                            let next = self.node(self.starts[set], true);
                            self.done.longer.push((found, next));
                            let index = self.done.longer.len() as u32 - 1;
                            self.put(node, byte, Utf8Word::note(note::LONGER, index));
                            index
                        }
                    };
                    (node, state, after) = (self.done.longer[index as usize].1, self.starts[set], true);
                }
                (Cell::Next(next), false) => {
                    let next = usize::from(next);
                    node = match found.as_note() {
                        Some((note::NEXT, child)) if self.empty[next] != Some(child) => child,
                        _ => {
                            let child = self.node(next, after);
                            self.put(node, byte, Utf8Word::note(note::NEXT, child));
                            child
                        }
                    };
                    state = next;
                }
                _ => return,
            }
        }
    }
}

/// Whether a mapping is within the bounds that room and faults are reckoned with. A table made by hand may have others,
/// which [`Table::check`] finds.
fn fits(bytes: &[u8], text: &str) -> bool {
    // A UTF-16 unit is three bytes of UTF-8 at the most.
    (1..=MAX_BYTES).contains(&bytes.len()) && (1..=3 * MAX_TEXT).contains(&text.len())
}

fn word_of(ch: char) -> Utf8Word {
    Utf8Word::new(ch).unwrap_or(Utf8Word::note(note::CHAR, ch as u32))
}

/// Decodes a charset of several bytes a character.
#[derive(Clone, Debug)]
pub(super) struct MultiByteDecoder {
    table: Arc<DecodeTable>,
    set: u8,
    /// Bytes read and undecided.
    held: [u8; 2 * MAX_BYTES],
    len: usize,
    /// How many words are worth looking up before any is written: few where faults are near.
    reach: usize,
}

/// Some sixty-four bytes of a batch.
#[derive(Clone, Copy, Default)]
struct Block {
    split: Split,
    /// Where its words begin in the batch.
    word: usize,
    /// Where it begins in the input.
    byte: usize,
}

impl Block {
    /// With so many words in it a batch takes no further block, so that all of them fit.
    const MOST: usize = Utf8Batch::LEN - 64;
    /// How many blocks a batch has at the most; each but the last is of 32 characters or more, shift codes apart.
    const REACH: usize = 8;
}

const SHIFTS: lanes::Shifts = lanes::Shifts { out: SO, back: SI };

/// The least of a batch: what the kernels need to do anything.
const LEAST_REACH: usize = 64;

/// Fewer bytes than these are not worth a batch.
const WORTH: usize = 65;

impl MultiByteDecoder {
    pub(super) fn new(table: Arc<DecodeTable>) -> Self {
        MultiByteDecoder { table, set: 0, held: [0; 2 * MAX_BYTES], len: 0, reach: Block::MOST }
    }

    /// Writes what `word` says; `None` where there is no room, `Some(false)` where no character has the sequence.
    fn write(table: &DecodeTable, word: Utf8Word, dst: &mut Utf8Sink<'_>) -> Option<bool> {
        let done = match word.as_note() {
            None => dst.push_word(word),
            Some((note::CHAR, code)) => dst.push(char::from_u32(code).unwrap_or('\u{FFFD}')),
            Some((note::TEXT, index)) => {
                let text = &table.texts[index as usize];
                dst.room() >= text.len() && dst.push_str(text) == text.len()
            }
            Some(_) => return Some(false),
        };
        done.then_some(true)
    }

    /// Decodes the front of `src`, of a shifted charset, nothing being held: characters are looked up first, blocks of
    /// them, and then written. Stops where something has to be decided; answers how many bytes were read.
    fn blocks(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let (table, isa) = (&*self.table, arch::isa());
        let mut batch = Utf8Batch::new();
        let mut units = [0; 64];
        let mut blocks = [Block::default(); Block::REACH];
        let mut read = 0;
        'batches: while src.len() - read >= WORTH {
            let mut block =
                Block { split: Split { is_double: self.set == 1, ..Split::default() }, word: 0, byte: read };
            let mut count = 0;
            while let Some(place) = blocks.get_mut(count)
                && block.word < self.reach
            {
                block.split = lanes::split(isa, SHIFTS, block.split.is_double, &src[block.byte..], &mut units);
                let len = block.split.firsts.count_ones() as usize;
                // Nothing but single bytes: as many as there are.
                if count == 0
                    && (block.split.firsts, block.split.doubles) == (u64::MAX, 0)
                    && let Some(singles) = &table.singles
                {
                    let len = dst.push_table(&src[read..], singles);
                    if len > 0 {
                        read += len;
                        continue 'batches;
                    }
                }
                for (at, unit) in units[..len].iter().enumerate() {
                    let [lead, trail] = unit.to_be_bytes();
                    let start = table.starts[lead as usize] as usize;
                    batch.set(block.word + at, table.words[start + usize::from(trail)]);
                }
                *place = block;
                count += 1;
                (block.word, block.byte) = (block.word + len, block.byte + block.split.read);
                if block.split.read < 64 {
                    break;
                }
            }
            let done = dst.push_batch(&batch, block.word);
            if done < block.word {
                let stopped = blocks[..count].iter().rfind(|block| block.word <= done).unwrap_or(&blocks[0]);
                let first =
                    (stopped.word..done).fold(stopped.split.firsts, |firsts, _| firsts & firsts.wrapping_sub(1));
                let at = first.trailing_zeros();
                self.set = u8::from(stopped.split.doubles.checked_shr(at).is_some_and(|doubles| doubles & 1 == 1));
                self.reach = (done + LEAST_REACH).min(Block::MOST);
                return stopped.byte + at as usize;
            }
            self.set = block.split.is_double.into();
            self.reach = Block::MOST;
            if block.byte == read {
                break;
            }
            read = block.byte;
        }
        read
    }

    /// What is held but for the first `len` bytes.
    fn drop_held(&mut self, len: usize) {
        self.held.copy_within(len..self.len, 0);
        self.len -= len;
    }
}

impl Decoder for MultiByteDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let table = &*self.table.clone();
        let mut read = 0;
        while read < src.len() {
            if self.len == 0 {
                if table.sets.len() == 2 && src.len() - read >= WORTH && lanes::are_worth_it(arch::isa()) {
                    read += self.blocks(&src[read..], dst);
                }
                // What is common: one byte or two, a character of up to three bytes.
                let start = table.nodes[table.sets[self.set as usize] as usize].start as usize;
                let set: &[Utf8Word; 256] = table.words[start..].first_chunk().expect("a set has 256 words");
                let pairs = &table.pairs[self.set as usize];
                dst.push_words(|| {
                    let Some(&byte) = src.get(read) else { return note::of(note::STOP) };
                    let word = set[byte as usize];
                    if word.is_char() {
                        read += 1;
                        return word;
                    }
                    let (start, Some(&trail)) = (pairs[byte as usize], src.get(read + 1)) else { return word };
                    let word = table.words[start as usize + trail as usize];
                    // A branch, so that the next byte need not wait for this word.
                    if word.is_char() {
                        read += 2;
                    }
                    word
                });
                if read == src.len() {
                    break;
                }
            }
            // All else: one sequence at a time, of what is held and what is new.
            let held = self.len;
            let new = (src.len() - read).min(MAX_BYTES);
            let mut both = [0; 2 * MAX_BYTES];
            let bytes = if held == 0 {
                &src[read..]
            } else {
                both[..held].copy_from_slice(&self.held[..held]);
                both[held..held + new].copy_from_slice(&src[read..read + new]);
                &both[..held + new]
            };
            let (len, malformed) = match table.first(self.set, bytes, false) {
                First::Open => {
                    // No sequence is longer than what may be held, so this is all that is left.
                    self.held[held..held + new].copy_from_slice(&src[read..read + new]);
                    self.len += new;
                    read += new;
                    break;
                }
                First::Shift { set } => {
                    self.set = set;
                    (1, false)
                }
                First::Malformed { len } => (len, true),
                First::Whole { word, len } => match Self::write(table, word, dst) {
                    None => return Step { read, stop: Stop::OutputFull },
                    Some(assigned) => (len, !assigned),
                },
            };
            if len < held {
                self.drop_held(len);
            } else {
                self.len = 0;
                read += len - held;
            }
            if malformed {
                let fault = Malformed { len: len as u8, after: self.len as u8 };
                return Step { read, stop: Stop::Fault(fault) };
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        let table = &*self.table.clone();
        while self.len > 0 {
            let (len, malformed) = match table.first(self.set, &self.held[..self.len], true) {
                First::Shift { set } => {
                    self.set = set;
                    (1, false)
                }
                First::Malformed { len } => (len, true),
                First::Whole { word, len } => match Self::write(table, word, dst) {
                    None => return Stop::OutputFull,
                    Some(assigned) => (len, !assigned),
                },
                First::Open => (self.len, true),
            };
            self.drop_held(len);
            if malformed {
                return Stop::Fault(Malformed { len: len as u8, after: self.len as u8 });
            }
        }
        Stop::InputEmpty
    }

    fn reset(&mut self) {
        self.set = 0;
        self.len = 0;
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        self.len
    }
}

/// What a code point becomes: a lane for the kernel.
mod bytes {
    use crate::arch::lanes;

    /// Nothing.
    pub(super) const NONE: u32 = 0;
    /// Where the number of bytes stands; they lie below it, the last lowest. More than three: this.
    pub(super) const SHIFT: u32 = lanes::LEN;
    /// The bytes of this number in `long`.
    pub(super) const LONG: u32 = 4;
    /// It may be the first of several; what it is by itself stands there.
    pub(super) const START: u32 = lanes::MAY_GO_ON;
    /// It may be the second of several.
    pub(super) const FOLLOWS: u32 = lanes::FOLLOWS;
    /// Of a lane the rest.
    pub(super) const ENTRY: u32 = !(START | FOLLOWS);
}

const BLOCK: usize = 64;
/// How many blocks the Basic Multilingual Plane has.
const PLANE: usize = 0x1_0000 / BLOCK;

/// From text to bytes.
#[derive(Debug)]
pub(super) struct EncodeTable {
    /// Which block each 64 code points have, those of the Basic Multilingual Plane at least; block 0 is empty.
    index: Vec<u16>,
    blocks: Vec<[u32; BLOCK]>,
    long: Vec<Box<[u8]>>,
    /// By the first character.
    starts: Vec<(char, Start)>,
    /// One-way mappings, by character.
    best_fit: Vec<(char, u32)>,
    substitute: Box<[u8]>,
    substitute1: Option<u8>,
    /// The characters that it stands for, in order; or it stands for all up to U+00FF.
    for_substitute1: Option<Vec<char>>,
    is_shifted: bool,
}

/// The mappings of several characters that begin with the same one.
#[derive(Debug)]
struct Start {
    /// What follows it, in order, and the bytes of both.
    longer: Vec<(Box<str>, u32)>,
    /// How long the longest of them is.
    longest: usize,
}

impl EncodeTable {
    pub(super) fn new(table: &Table) -> Self {
        let mut this = Self::empty(&table.shape, &table.substitute, table.substitute1);
        if table.substitute1.is_some() && !table.lists_substitute1() {
            this.for_substitute1 = None;
        }
        for Mapping { code, ch, way } in &table.mappings {
            this.insert(&code.bytes()[..code.len()], *ch, "", *way);
        }
        for Sequence { bytes, text, way } in &table.sequences {
            let mut chars = text.chars();
            if fits(bytes, text)
                && let Some(first) = chars.next()
            {
                this.insert(bytes, first, chars.as_str(), *way);
            }
        }
        this.in_order()
    }

    /// That of a built-in page, straight from where it lies.
    pub(super) fn of_page(page: &Packed) -> Self {
        let record = page.open();
        let mut this = Self::empty(&record.shape, &record.substitute, record.substitute1);
        let mut is_one_way = vec![false; if record.to_text.is_empty() { 0 } else { 0x1_0000 }];
        for code in &record.to_text {
            is_one_way[code.number() as usize] = true;
        }
        for chart in &record.charts {
            for (byte, unit) in (0..=255).zip(chart.quarters().flatten()) {
                let code = chart.code(byte);
                let is_one_way = is_one_way.get(code.number() as usize).is_some_and(|is| *is);
                if let Some(ch) = char::from_u32(unit.into()).filter(|_| unit != 0xFFFF && !is_one_way) {
                    this.set(ch, (code.len() as u32) << bytes::SHIFT | code.number());
                }
            }
        }
        record.others(|way, code, text| {
            let mut chars = text.chars();
            if let Some(first) = chars.next() {
                this.insert(&code.bytes()[..code.len()], first, chars.as_str(), way);
            }
        });
        this.in_order()
    }

    fn empty(shape: &Shape, substitute: &[u8], substitute1: Option<u8>) -> Self {
        EncodeTable {
            index: vec![0; PLANE],
            blocks: vec![[bytes::NONE; BLOCK]],
            long: Vec::new(),
            starts: Vec::new(),
            best_fit: Vec::new(),
            substitute: substitute.into(),
            substitute1,
            // Each built-in page has U+0000 at 00, which makes it so.
            for_substitute1: Some(Vec::new()),
            is_shifted: *shape == Shape::Shifted,
        }
    }

    fn insert(&mut self, code: &[u8], first: char, rest: &str, way: Way) {
        let is_shift = self.is_shifted && (code == [SO] || code == [SI]);
        match way {
            Way::Substitute1 => self.for_substitute1.iter_mut().for_each(|listed| listed.push(first)),
            Way::ToText => {}
            _ if is_shift => {}
            way if way.encodes(first) => {
                let entry = self.entry(code);
                if rest.is_empty() {
                    self.set(first, entry);
                } else {
                    self.add_start(first, rest, entry);
                }
            }
            // An approximation for several characters at once is none that a single one could ask for.
            _ if !rest.is_empty() => {}
            _ => {
                let entry = self.entry(code);
                self.best_fit.push((first, entry));
            }
        }
    }

    fn in_order(mut self) -> Self {
        self.starts.sort_unstable_by_key(|(ch, _)| *ch);
        for (_, start) in &mut self.starts {
            start.longer.sort();
            start.longest = start.longer.iter().map(|(longer, _)| longer.len()).max().unwrap_or(0);
        }
        self.best_fit.sort_unstable();
        self.for_substitute1.iter_mut().for_each(|listed| listed.sort_unstable());
        self
    }

    fn entry(&mut self, code: &[u8]) -> u32 {
        if code.len() <= 3 {
            let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
            return (code.len() as u32) << bytes::SHIFT | number;
        }
        self.long.push(code.into());
        bytes::LONG << bytes::SHIFT | (self.long.len() as u32 - 1)
    }

    /// Where the lane of `ch` stands.
    fn place(&mut self, ch: char) -> &mut u32 {
        let (index, low) = (ch as usize / BLOCK, ch as usize % BLOCK);
        if index >= self.index.len() {
            self.index.resize(index + 1, 0);
        }
        if self.index[index] == 0 {
            self.index[index] = self.blocks.len() as u16;
            self.blocks.push([bytes::NONE; BLOCK]);
        }
        &mut self.blocks[self.index[index] as usize][low]
    }

    /// What `ch` is by itself.
    fn set(&mut self, ch: char, entry: u32) {
        let place = self.place(ch);
        *place = *place & !bytes::ENTRY | entry;
    }

    fn add_start(&mut self, first: char, rest: &str, entry: u32) {
        if let Some(second) = rest.chars().next() {
            *self.place(second) |= bytes::FOLLOWS;
        }
        let place = self.place(first);
        let is_new = *place & bytes::START == 0;
        *place |= bytes::START;
        let index = if is_new {
            self.starts.push((first, Start { longer: Vec::new(), longest: 0 }));
            self.starts.len() - 1
        } else {
            // Mostly that of the mapping before.
            self.starts.iter().rposition(|(ch, _)| *ch == first).unwrap_or(0)
        };
        self.starts[index].1.longer.push((rest.into(), entry));
    }

    #[inline(always)]
    fn find(&self, ch: char) -> u32 {
        let block = self.index.get(ch as usize / BLOCK).copied().unwrap_or(0);
        self.blocks[block as usize][ch as usize % BLOCK]
    }

    /// What the beginning of `text`, which is not empty, becomes, and how much of it; `None` where what follows
    /// decides. `last` says that nothing does.
    fn first(&self, text: &str, last: bool) -> Option<(u32, usize)> {
        let ch = text.chars().next()?;
        let (lane, rest) = (self.find(ch), &text[ch.len_utf8()..]);
        let alone = (lane & bytes::ENTRY, ch.len_utf8());
        if lane & bytes::START == 0 {
            return Some(alone);
        }
        let Ok(start) = self.starts.binary_search_by_key(&ch, |(ch, _)| *ch) else { return Some(alone) };
        let start = &self.starts[start].1;
        // What begins with the rest and is longer stands right behind it.
        let behind = start.longer.partition_point(|(longer, _)| **longer <= *rest);
        if !last && start.longer.get(behind).is_some_and(|(longer, _)| longer.starts_with(rest)) {
            return None;
        }
        let found = (1..=start.longest).rev().filter_map(|len| rest.get(..len)).find_map(|begin| {
            let at = start.longer.binary_search_by(|(longer, _)| (**longer).cmp(begin)).ok()?;
            Some(&start.longer[at])
        });
        Some(found.map_or(alone, |(longer, entry)| (*entry, ch.len_utf8() + longer.len())))
    }

    fn best_fit(&self, ch: char) -> Option<u32> {
        let index = self.best_fit.binary_search_by_key(&ch, |(ch, _)| *ch).ok()?;
        Some(self.best_fit[index].1)
    }

    /// The bytes that stand for a character that the charset lacks.
    fn substitute(&self, ch: char) -> &[u8] {
        let listed = self.for_substitute1.as_ref();
        match &self.substitute1 {
            Some(single) if listed.map_or(ch <= '\u{FF}', |listed| listed.binary_search(&ch).is_ok()) => {
                std::slice::from_ref(single)
            }
            _ => &self.substitute,
        }
    }
}

/// Encodes a charset of several bytes a character.
#[derive(Clone, Debug)]
pub(super) struct MultiByteEncoder {
    table: Arc<EncodeTable>,
    /// In the set of pairs.
    is_double: bool,
    /// Text read and undecided.
    held: String,
    /// How many characters are worth looking up before any is written: few where faults are near.
    reach: usize,
}

/// After so many characters one by one a batch is tried again.
const PAUSE: usize = 8;

/// Encodes the front of `src` into `spare`: UTF-16 first, then the lanes, and then what they become. Stops where
/// something has to be decided, at the latest within a block of the end of either; answers how much was read and
/// written.
#[inline(never)]
fn batch(table: &EncodeTable, is_double: &mut bool, reach: &mut usize, src: &str, spare: &mut [u8]) -> (usize, usize) {
    const UNITS: usize = 320;
    let isa = arch::isa();
    let order = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
    let index: &[u16; PLANE] = table.index.first_chunk().expect("the plane is there");
    let shifts = table.is_shifted.then_some(SHIFTS);
    let mut units = [0; 2 * UNITS];
    let mut looked_up = [0; UNITS + 1];
    let (mut read, mut written) = (0, 0);
    while src.len() - read >= WORTH {
        // The kernel of UTF-16 goes in blocks: in a small room it makes few units.
        let room = &mut units[..2 * (*reach).clamp(LEAST_REACH, UNITS)];
        let (taken, made) = utf16::from_utf8(order, true, &src[read..], room);
        let (units, _) = room[..made].as_chunks::<2>();
        if units.is_empty() {
            break;
        }
        let lanes = &mut looked_up[..=units.len()];
        for (lane, unit) in lanes.iter_mut().zip(units) {
            let unit = usize::from(u16::from_ne_bytes(*unit));
            *lane = table.blocks[usize::from(index[unit / BLOCK])][unit % BLOCK];
        }
        // What comes behind is known where it is there to be looked at.
        lanes[units.len()] = src[read + taken..].chars().next().map_or(bytes::FOLLOWS, |ch| table.find(ch));
        let (done, put) = lanes::codes(isa, lanes, shifts, is_double, &mut spare[written..]);
        written += put;
        if done < units.len() {
            *reach = done + LEAST_REACH;
            let len = |unit: &[u8; 2]| match u16::from_ne_bytes(*unit) {
                0..0x80 => 1,
                0x80..0x800 => 2,
                _ => 3,
            };
            return (read + units[..done].iter().map(len).sum::<usize>(), written);
        }
        *reach = UNITS;
        read += taken;
    }
    (read, written)
}

impl MultiByteEncoder {
    pub(super) fn new(table: Arc<EncodeTable>) -> Self {
        MultiByteEncoder { table, is_double: false, held: String::new(), reach: LEAST_REACH }
    }

    /// Puts the bytes of `entry`, which is not none, into `spare` from `at` on, behind the shift code that they need;
    /// whether they fit.
    #[inline(always)]
    fn put(table: &EncodeTable, is_double: &mut bool, entry: u32, spare: &mut [u8], at: &mut usize) -> bool {
        let len = (entry >> bytes::SHIFT) as usize;
        // With room for the longest and more, the shift code and the bytes are stored whether or not they count.
        if let Some(place) = spare[*at..].first_chunk_mut::<8>()
            && len < bytes::LONG as usize
        {
            let wanted = table.is_shifted && len > 1;
            let shift = usize::from(wanted != *is_double);
            *is_double = wanted;
            place[0] = if wanted { SO } else { SI };
            place[shift..shift + 4].copy_from_slice(&(entry << (8 * (4 - len))).to_be_bytes());
            *at += shift + len;
            return true;
        }
        if len == bytes::LONG as usize {
            return Self::put_bytes(table, is_double, &table.long[(entry & 0xFF_FFFF) as usize], spare, at);
        }
        let code = (entry << (8 * (4 - len))).to_be_bytes();
        Self::put_bytes(table, is_double, &code[..len], spare, at)
    }

    #[inline(always)]
    fn put_bytes(table: &EncodeTable, is_double: &mut bool, code: &[u8], spare: &mut [u8], at: &mut usize) -> bool {
        let wanted = table.is_shifted && code.len() > 1;
        let shift = usize::from(wanted != *is_double);
        let Some(place) = spare.get_mut(*at..*at + shift + code.len()) else { return false };
        if shift == 1 {
            place[0] = if wanted { SO } else { SI };
            *is_double = wanted;
        }
        place[shift..].copy_from_slice(code);
        *at += place.len();
        true
    }

    fn push(&mut self, code: &[u8], dst: &mut ByteSink<'_>) -> bool {
        let mut done = false;
        dst.fill(|spare| {
            let mut at = 0;
            done = Self::put_bytes(&self.table, &mut self.is_double, code, spare, &mut at);
            at
        });
        done
    }

    /// Writes what is held, as far as it is decided.
    fn drain(&mut self, last: bool, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        while !self.held.is_empty() {
            let Some((entry, len)) = self.table.first(&self.held, last) else { break };
            if entry == bytes::NONE {
                let ch = self.held.remove(0);
                return Stop::Fault(Unmappable { ch, after: self.held.len() as u8 });
            }
            let mut done = false;
            dst.fill(|spare| {
                let mut at = 0;
                done = Self::put(&self.table, &mut self.is_double, entry, spare, &mut at);
                at
            });
            if !done {
                return Stop::OutputFull;
            }
            self.held.drain(..len);
        }
        Stop::InputEmpty
    }
}

impl Encoder for MultiByteEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let mut read = 0;
        while read < src.len() {
            // What is common: a character that nothing has to be waited for.
            if self.held.is_empty() {
                let mut stop = Stop::InputEmpty;
                dst.fill(|spare| {
                    let (table, mut at) = (&*self.table, 0);
                    let mut chars = src[read..].chars();
                    // How many characters until a batch is worth it again.
                    let mut pause = 0;
                    loop {
                        if pause == 0 && src.len() - read >= WORTH && arch::isa() != arch::Isa::Scalar {
                            pause = PAUSE;
                            let (taken, made) =
                                batch(table, &mut self.is_double, &mut self.reach, &src[read..], &mut spare[at..]);
                            (read, at) = (read + taken, at + made);
                            chars = src[read..].chars();
                        }
                        pause = pause.saturating_sub(1);
                        let Some(ch) = chars.next() else { break };
                        let (lane, mut len) = (table.find(ch), ch.len_utf8());
                        let (mut entry, may_go_on) = (lane & bytes::ENTRY, lane & bytes::START != 0);
                        if may_go_on {
                            // What follows is mostly there to be looked at.
                            match table.first(&src[read..], false) {
                                Some(found) => (entry, len) = found,
                                None => break,
                            }
                        }
                        if entry == bytes::NONE {
                            read += len;
                            stop = Stop::Fault(Unmappable { ch, after: 0 });
                            break;
                        }
                        if !Self::put(table, &mut self.is_double, entry, spare, &mut at) {
                            stop = Stop::OutputFull;
                            break;
                        }
                        read += len;
                        if may_go_on {
                            chars = src[read..].chars();
                        }
                    }
                    at
                });
                if stop != Stop::InputEmpty {
                    return Step { read, stop };
                }
            }
            // A character at a time, until it is clear what they are.
            match self.drain(false, dst) {
                Stop::InputEmpty => {}
                stop => return Step { read, stop },
            }
            if let Some(ch) = src[read..].chars().next() {
                self.held.push(ch);
                read += ch.len_utf8();
                match self.drain(false, dst) {
                    Stop::InputEmpty => {}
                    stop => return Step { read, stop },
                }
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        match self.drain(true, dst) {
            Stop::InputEmpty => {}
            stop => return stop,
        }
        if self.is_double {
            if !dst.push(&[SI]) {
                return Stop::OutputFull;
            }
            self.is_double = false;
        }
        Stop::InputEmpty
    }

    fn reset(&mut self) {
        self.is_double = false;
        self.held.clear();
    }

    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        let table = self.table.clone();
        match which {
            Replacement::Substitute => {
                let substitute = table.substitute(ch);
                !substitute.is_empty() && self.push(substitute, dst)
            }
            Replacement::BestFit => match table.best_fit(ch) {
                Some(entry) => {
                    let (mut at, mut done) = (0, false);
                    dst.fill(|spare| {
                        done = Self::put(&table, &mut self.is_double, entry, spare, &mut at);
                        at
                    });
                    done
                }
                None => false,
            },
            Replacement::Text(text) => {
                // It goes in front of what is held, and by itself: what its end could begin is not waited for.
                let mut trial = MultiByteEncoder { held: String::new(), ..self.clone() };
                let mut room = [0; 2 * MIN_ROOM];
                let mut sink = ByteSink::new(&mut room);
                let done = trial.feed(text, &mut sink).stop == Stop::InputEmpty
                    && trial.drain(true, &mut sink) == Stop::InputEmpty
                    && sink.written() > 0
                    && dst.push(sink.as_bytes());
                if done {
                    self.is_double = trial.is_double;
                }
                done
            }
        }
    }

    fn pending(&self) -> usize {
        self.held.len()
    }
}
