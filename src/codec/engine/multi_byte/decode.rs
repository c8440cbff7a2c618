//! Decodes bytes to text: the tree of nodes, the code that builds it, and the decoder.

use super::draft::{Keys, Tables};
use super::{InUse, SHIFTS, Shared, WORTH, fits};
use crate::arch::{self, lanes};
use crate::codec::batches::{Batches, Pace, PlainPairs};
use crate::codec::faults::{Faults, replacing};
use crate::codec::table::limits::MAX_BYTES;
use crate::codec::table::packed::Chart;
use crate::codec::table::{Cell, Mapping, SI, SO, Sequence, State, Table, TableShape};
use crate::codec::{Decoder, Malformed, Packed, Replaced, Step, Stop, Utf8Sink, Utf8Table, Utf8Units, Utf8Word};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// The notes that a node has for bytes that are not a character.
mod note {
    use crate::codec::Utf8Word;

    /// No sequence continues with this byte.
    pub(super) const ILLEGAL: u8 = 0;
    /// The sequence is whole, but has no character.
    pub(super) const UNASSIGNED: u8 = 1;
    /// The sequence continues in the node of this number.
    pub(super) const NEXT: u8 = 2;
    /// A shift code for the set of this number.
    pub(super) const SHIFT: u8 = 3;
    /// A character beyond the Basic Multilingual Plane.
    pub(super) const CHAR: u8 = 4;
    /// Several characters: the text of this number.
    pub(super) const TEXT: u8 = 5;
    /// The sequence is whole, and a longer one may begin with it: the index in `longer`.
    pub(super) const LONGER: u8 = 6;
    /// The longer sequence does not continue with this byte; the shorter one counts.
    pub(super) const STOP: u8 = 7;

    pub(super) const fn of(kind: u8) -> Utf8Word {
        Utf8Word::note(kind, 0)
    }
}

/// The tables of a decoder.
#[derive(Clone, Debug)]
pub(in crate::codec::engine) struct DecodeTable {
    /// The node where a character begins, for each set: one set, or two if there are shift codes.
    sets: Vec<u32>,
    /// For each set and lead byte, where in `words` its pairs start, one for each of 256 trail bytes. For all other
    /// bytes it is 0, where there are 256 notes.
    pairs: Vec<[u32; 256]>,
    /// The characters of a shifted charset by unit, for long runs. Made when it is needed.
    units: OnceLock<Utf8Units>,
    /// The single bytes and pairs of a charset without shift codes, for long texts. Made when it is needed; `None` if
    /// bytes of ASCII begin pairs.
    plain: OnceLock<Option<PlainPairs>>,
    /// The single bytes of a shifted charset, for long runs of them. Made when it is needed.
    singles: OnceLock<Box<Utf8Table>>,
    nodes: Vec<Node>,
    /// For each node and byte, the character or the note.
    words: Vec<Utf8Word>,
    texts: Vec<Box<str>>,
    /// For a whole sequence that may begin a longer one: what it is, and the node where the longer one continues.
    longer: Vec<(Utf8Word, u32)>,
}

/// The tables of a built-in page, directly from its packed form. The keys are lead bytes.
impl Tables for DecodeTable {
    type Draft = Draft;

    fn draft(page: Packed) -> Draft {
        let record = page.open();
        let mut build = Build::new(&record.shape);
        // Once, as a vector that grows is copied again and again.
        build.done.words.reserve(256 * record.charts.len());
        record.others(|way, code, text| {
            if way.decodes() {
                build.insert_text(&code.bytes()[..code.len()], text);
            }
        });
        Draft { build, charts: record.charts }
    }

    fn add(Draft { build, charts }: &mut Draft, keys: &Keys) {
        charts.retain(|chart| {
            // Every text needs the chart of the single bytes.
            let is_wanted = chart.lead.is_none_or(|lead| keys.contains(lead.into()));
            if is_wanted {
                build.insert_chart(chart);
            }
            !is_wanted
        });
    }

    fn add_all(Draft { build, charts }: &mut Draft) {
        for chart in std::mem::take(charts) {
            build.insert_chart(&chart);
        }
    }

    fn finish(draft: Draft) -> Self {
        draft.build.finish()
    }
}

/// What there is of the tables of a built-in page, and the charts that are not in it yet.
#[derive(Clone, Debug)]
pub(in crate::codec::engine) struct Draft {
    build: Build,
    charts: Vec<Chart>,
}

/// The bytes that may occur at one place: those from `first` to `last`, whose words begin at `start`. If `first` is
/// greater than `last`, there are none.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    first: u8,
    last: u8,
}

impl DecodeTable {
    /// Builds the tables. Mappings that do not fit the table's shape are left out; [`Table::check`] finds them.
    pub(in crate::codec::engine) fn new(table: &Table) -> Self {
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

    #[inline(always)]
    fn word(&self, node: u32, byte: u8) -> Utf8Word {
        let node = self.nodes[node as usize];
        if byte < node.first || byte > node.last {
            return note::of(note::ILLEGAL);
        }
        self.words[node.start as usize + usize::from(byte - node.first)]
    }

    /// Returns the characters of a shifted charset by unit, as [`lanes::split`] makes them.
    fn by_unit(&self) -> &Utf8Units {
        self.units.get_or_init(|| {
            let mut units = Utf8Units::new();
            // Neither 0 nor a shift code begins a pair, so SO stands for 0, and 0 for a single byte.
            let leads = (1..=255).filter(|lead| *lead != SO);
            let starts = leads.map(|lead| (lead, self.pairs[1][usize::from(lead)]));
            let single = self.nodes[self.sets[0] as usize].start;
            for (lead, start) in starts.filter(|(_, start)| *start != 0).chain([(0, single)]) {
                units.put(u16::from_be_bytes([lead, 0]), &self.words[start as usize..][..256]);
            }
            units
        })
    }

    fn singles(&self) -> &Utf8Table {
        self.singles.get_or_init(|| {
            let start = self.nodes[self.sets[0] as usize].start as usize;
            Box::new(Utf8Table::new(std::array::from_fn(|byte| self.words[start + byte].to_char())))
        })
    }

    /// Returns the single bytes and pairs of a charset without shift codes, if they are there or worth their time for
    /// `len` bytes.
    fn plain(&self, len: usize) -> Option<&PlainPairs> {
        const LONG: usize = 16 * 1024;
        let make = || {
            let next = |lead: u8| self.next(self.sets[0], lead);
            if (0..0x80).any(|byte| next(byte).is_some()) {
                return None;
            }
            let mut units = Utf8Units::new();
            for lead in 0..=0xFF {
                units.put(lead.into(), &[self.word(self.sets[0], lead)]);
                let Some(next) = next(lead) else { continue };
                let Node { start, first, last } = self.nodes[next as usize];
                let len = (usize::from(last) + 1).saturating_sub(first.into());
                units.put(u16::from_be_bytes([lead, first]), &self.words[start as usize..][..len]);
            }
            let singles = |byte: u8| self.word(self.sets[0], byte).to_char();
            let plain = PlainPairs::new(units, singles, |byte| next(byte).is_some());
            Some(match self.halves() {
                [(0, _), _] => plain,
                halves => plain.with_halves(halves),
            })
        };
        match self.plain.get() {
            None if len >= LONG => self.plain.get_or_init(make).as_ref(),
            plain => plain?.as_ref(),
        }
    }

    /// Returns the first two pairs with which codes of four bytes begin, or 0, and the characters of the pairs after
    /// each.
    fn halves(&self) -> [(u16, Utf8Units); 2] {
        let mut firsts = (0x8000..=u16::MAX).filter_map(|pair| {
            let [lead, trail] = pair.to_be_bytes();
            Some((pair, self.next(self.next(self.sets[0], lead)?, trail)?))
        });
        [(); 2].map(|()| {
            let Some((pair, node)) = firsts.next() else { return (0, Utf8Units::new()) };
            let mut units = Utf8Units::new();
            for third in 0x80..=0xFF {
                let Some(next) = self.next(node, third) else { continue };
                let Node { start, first, last } = self.nodes[next as usize];
                let len = (usize::from(last) + 1).saturating_sub(first.into());
                units.put(u16::from_be_bytes([third, first]), &self.words[start as usize..][..len]);
            }
            (pair, units)
        })
    }

    /// Returns the node where a sequence continues after `byte`.
    fn next(&self, node: u32, byte: u8) -> Option<u32> {
        match self.word(node, byte).as_note() {
            Some((note::NEXT, next)) => Some(next),
            _ => None,
        }
    }

    /// Returns whether `byte` could begin a sequence or is a shift code.
    fn begins(&self, set: u8, byte: u8) -> bool {
        self.word(self.sets[set as usize], byte) != note::of(note::ILLEGAL)
    }

    /// Returns how many bytes at the front of `src`, where a character begins in the first set, are malformed, if that
    /// does not depend on what follows.
    fn malformed(&self, src: &[u8]) -> Option<usize> {
        match self.first(0, src, false) {
            First::Malformed { len } => Some(len),
            First::Whole { word, len } if word == note::of(note::UNASSIGNED) => Some(len),
            _ => None,
        }
    }

    /// Returns the first sequence of `bytes`, which is not empty. If `last` is true, nothing follows them.
    fn first(&self, set: u8, bytes: &[u8], last: bool) -> First {
        let mut node = self.sets[set as usize];
        let mut whole = None;
        for (at, &byte) in bytes.iter().enumerate() {
            // The states of a table may form a loop. Stop at what can be held.
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
                    // This byte, or one before it, may begin another sequence.
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

/// The sequence at the front of some bytes.
#[derive(Clone, Copy)]
enum First {
    /// A whole sequence: a character, a text, or unassigned.
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
    /// The bytes that follow decide.
    Open,
}

/// Builds a [`DecodeTable`].
#[derive(Clone, Debug)]
struct Build {
    done: DecodeTable,
    states: Vec<State>,
    /// The state in which each set begins.
    starts: Vec<usize>,
    /// For each state a node without characters, which all sequences without characters share. Made when needed.
    empty: Vec<Option<u32>>,
}

impl Build {
    fn new(shape: &TableShape) -> Self {
        let (mut states, starts) = match shape {
            TableShape::Shifted => {
                let mut states = TableShape::Single.states().into_owned();
                for state in TableShape::Double.states().iter() {
                    states.push(state.map(|cell| match cell {
                        Cell::Next(next) => Cell::Next(next + 1),
                        cell => cell,
                    }));
                }
                (states, vec![0, 1])
            }
            shape => (shape.states().into_owned(), vec![0]),
        };
        // A table made by hand may have no states, or refer to a state that does not exist.
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
            units: OnceLock::new(),
            plain: OnceLock::new(),
            singles: OnceLock::new(),
            nodes: Vec::new(),
            words: vec![note::of(note::STOP); 256],
            texts: Vec::new(),
            longer: Vec::new(),
        };
        let mut build = Build { done, empty: vec![None; states.len()], states, starts };
        for set in 0..build.starts.len() {
            let node = build.node(build.starts[set], false);
            build.done.sets.push(node);
            if *shape == TableShape::Shifted {
                for (code, to) in [(SO, 1), (SI, 0)] {
                    build.put(node, code, Utf8Word::note(note::SHIFT, to));
                }
            }
        }
        build
    }

    /// Adds a node for a state, with nothing assigned. `after` is true if a whole sequence ends before it.
    fn node(&mut self, state: usize, after: bool) -> u32 {
        if after {
            // A table may have millions of these, most of them with one or two bytes, so they begin empty and grow.
            self.done.nodes.push(Node { start: 0, first: 1, last: 0 });
            return self.done.nodes.len() as u32 - 1;
        }
        let cells = &self.states[state];
        let first = cells.iter().position(|cell| *cell != Cell::Illegal).unwrap_or(0);
        let last = cells.iter().rposition(|cell| *cell != Cell::Illegal).unwrap_or(0);
        // A wide node gets words for all bytes, so that a lookup needs no check of its bounds. So do the nodes of the
        // sets, and those after a lead byte of a shifted charset: U+3000 is often the only character after its 40.
        let is_wide = last - first >= 128 || self.done.sets.len() < self.starts.len() || self.starts.len() == 2;
        let (first, last) = if is_wide { (0, 255) } else { (first, last) };
        let start = self.done.words.len() as u32;
        let node = self.done.nodes.len() as u32;
        self.done.nodes.push(Node { start, first: first as u8, last: last as u8 });
        // Most nodes begin as a copy of the one without characters.
        if let Some(empty) = self.empty[state].filter(|empty| *empty != node) {
            let like = self.done.nodes[empty as usize];
            if (usize::from(like.first), usize::from(like.last)) == (first, last) {
                let start = like.start as usize;
                self.done.words.extend_from_within(start..=start + last - first);
                return node;
            }
        }
        self.done.words.extend(cells[first..=last].iter().map(|cell| match cell {
            Cell::Illegal => note::of(note::ILLEGAL),
            Cell::End | Cell::Unassigned => note::of(note::UNASSIGNED),
            Cell::Next(_) => note::of(note::NEXT),
        }));
        for byte in 0..=255 {
            if let Cell::Next(next) = self.states[state][usize::from(byte)] {
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
        // Before the node is made, because a state may refer to itself.
        self.empty[state] = Some(self.done.nodes.len() as u32);
        self.node(state, false)
    }

    fn put(&mut self, node: u32, byte: u8, word: Utf8Word) {
        let place = &mut self.done.nodes[node as usize];
        if byte < place.first || byte > place.last {
            let old = *place;
            let len = (usize::from(old.last) + 1).saturating_sub(old.first.into());
            // Double the size, so that not every byte moves the node.
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

    /// Inserts those cells of a chart that have nothing yet.
    fn insert_chart(&mut self, chart: &Chart) {
        let set = usize::from(self.starts.len() == 2 && chart.lead.is_some());
        let node = match chart.lead {
            None => self.done.sets[set],
            Some(lead) => {
                let Cell::Next(next) = self.states[self.starts[set]][lead as usize] else { return };
                match self.done.next(self.done.sets[set], lead) {
                    Some(node) if self.empty[usize::from(next)] != Some(node) => node,
                    _ => {
                        let node = self.node(next.into(), false);
                        self.put(self.done.sets[set], lead, Utf8Word::note(note::NEXT, node));
                        node
                    }
                }
            }
        };
        let Node { start, first, last } = self.done.nodes[node as usize];
        let (start, first, end) = (start as usize, usize::from(first), usize::from(last) + 1);
        // A character may only be assigned where a sequence ends, which the notes in the node show.
        let (none, open) = (note::of(note::STOP), note::of(note::UNASSIGNED));
        for (at, units) in (0..).step_by(64).zip(chart.quarters()) {
            let (from, to) = (first.max(at), end.min(at + 64));
            if from < to && units != [0xFFFF; 64] {
                let places = &mut self.done.words[start + from - first..start + to - first];
                let words = Utf8Word::of_units(&units, none);
                // Without a branch, so that the compiler vectorizes it.
                for (place, word) in places.iter_mut().zip(&words[from - at..]) {
                    *place = if *word != none && *place == open { *word } else { *place };
                }
            }
        }
    }

    /// Returns the tables, after it added `pairs`, `starts` and `singles`. Makes pairs without a character illegal if
    /// their second byte is ASCII, so that the fault is the first byte alone: the second may be markup. The WHATWG
    /// Encoding Standard does the same.
    fn spare_ascii(&mut self) {
        let [set] = self.done.sets[..] else { return };
        for lead in 0x80..=0xFF {
            let Some((note::NEXT, node)) = self.done.word(set, lead).as_note() else { continue };
            let Node { start, first, last } = self.done.nodes[node as usize];
            for byte in first..=last.min(0x7E) {
                let is_ascii = Utf8Word::new(char::from(byte)) == Some(self.done.word(set, byte));
                let word = &mut self.done.words[start as usize + usize::from(byte - first)];
                if is_ascii && *word == note::of(note::UNASSIGNED) {
                    *word = note::of(note::ILLEGAL);
                }
            }
        }
    }

    fn finish(mut self) -> DecodeTable {
        self.spare_ascii();
        for &set in &self.done.sets {
            self.done.pairs.push(std::array::from_fn(|byte| match self.done.word(set, byte as u8).as_note() {
                Some((note::NEXT, node)) => {
                    let Node { start, first, last } = self.done.nodes[node as usize];
                    if (first, last) == (0, 255) { start } else { 0 }
                }
                _ => 0,
            }));
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
        // Whether a whole sequence ends before this place.
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

fn word_of(ch: char) -> Utf8Word {
    Utf8Word::new(ch).unwrap_or(Utf8Word::note(note::CHAR, ch as u32))
}

/// Decodes a multi-byte charset.
#[derive(Clone, Debug)]
pub(in crate::codec::engine) struct MultiByteDecoder {
    tables: InUse<DecodeTable>,
    position: Position,
}

/// How many bytes are between two characters of three bytes or more, at least, if such characters are rare; and how
/// many characters are decoded one after the other where they are not.
const NEAR: usize = 24;
const MANY: usize = 64;

/// How many bytes a short value has, at most.
const SHORT_VALUE: usize = 64;

/// Whether short values take a way of their own. The smallest module of a web page, where every byte of it has to be
/// loaded, does without.
const SHORTENS: bool = cfg!(any(not(target_family = "wasm"), feature = "whatwg"));

/// The state of a decoder between two calls.
#[derive(Clone, Debug)]
struct Position {
    set: u8,
    /// Bytes that were read and not decided.
    held: [u8; 2 * MAX_BYTES],
    len: usize,
    /// When to try a batch, and how many words to look up before any is written.
    pace: Pace,
}

impl MultiByteDecoder {
    pub(in crate::codec::engine) fn new(tables: Arc<Shared<DecodeTable>>) -> Self {
        let tables = InUse::new(tables);
        MultiByteDecoder { tables, position: Position { set: 0, held: [0; 2 * MAX_BYTES], len: 0, pace: Pace::new() } }
    }

    #[inline(always)]
    fn prepare(&mut self, src: &[u8]) {
        if !self.tables.have_all() {
            self.prepare_part(src);
        }
    }

    #[cold]
    #[inline(never)]
    fn prepare_part(&mut self, src: &[u8]) {
        let Position { set, held, len, .. } = &self.position;
        self.tables.prepare(src.len(), &|page, keys| {
            let (is_shifted, mut bytes) = (page.is_shifted(), held[..*len].iter().chain(src));
            // Without SO, there are no pairs in the first set.
            if is_shifted && *set == 0 && !bytes.clone().any(|byte| *byte == SO) {
                return;
            }
            // A lead byte at the end is held, and counts when more follows.
            bytes.next_back();
            for byte in bytes.filter(|byte| !is_shifted || ![SO, SI].contains(byte)) {
                keys.insert(usize::from(*byte));
            }
        });
    }
}

impl Position {
    /// Writes the character or the text of `word`. Returns `None` if there is no room, and `Some(false)` if the
    /// sequence is unassigned.
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

    /// Decodes the front of `src` in batches while nothing is held. Stops at anything that needs a decision; returns
    /// how many bytes were read.
    fn batches(
        &mut self,
        table: &DecodeTable,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        faults: &mut Option<Faults>,
    ) -> usize {
        let isa = arch::isa();
        if table.sets.len() == 1 {
            let Some(plain) = table.plain(src.len()) else { return 0 };
            let (mut reach, mut left) = (self.pace.reach, src.len());
            let read = plain.decode(isa, &mut reach, src, dst, &mut |_, rest, dst| {
                let is_near = left - rest.len() < NEAR;
                let mut len = self.others(table, rest, if is_near { MANY } else { 1 }, dst);
                left = rest.len() - len;
                if len == 0 && faults.is_some() {
                    let mut fault = |at: usize, dst: &mut Utf8Sink<'_>| {
                        table.malformed(&rest[at..]).filter(|_| Faults::replace(faults, dst)).unwrap_or(0)
                    };
                    len = fault(0, dst);
                    // In a damaged pair, the second byte is mostly malformed too. Only after it, what was looked up is
                    // good.
                    len += if len > 0 { fault(len, dst) } else { 0 };
                    // What follows a fault is mostly not rare.
                    left = usize::MAX;
                }
                if len > 0 { ControlFlow::Continue(len) } else { ControlFlow::Break(0) }
            });
            self.pace.reach = reach;
            return read;
        }
        let (mut is_double, by_unit, singles) = (self.set == 1, table.by_unit(), Some(table.singles()));
        let mut batches =
            Batches { by_unit, halves: None, singles, reach: &mut self.pace.reach, is_double: &mut is_double };
        let read = batches.decode_shifted(isa, SHIFTS, src, dst);
        self.set = is_double.into();
        read
    }

    /// Decodes the front of `src` while nothing is held, as long as there are whole characters. Returns how many bytes
    /// were read.
    #[inline(always)]
    fn common(
        &mut self,
        table: &DecodeTable,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        faults: &mut Option<Faults>,
    ) -> usize {
        let mut read = 0;
        loop {
            if src.len() - read >= WORTH && lanes::are_worth_it(arch::isa()) && self.pace.is_due() {
                let len = self.batches(table, &src[read..], dst, faults);
                self.pace.tried(len);
                read += len;
            }
            self.short(table, src, &mut read, dst);
            match self.longer(table, &src[read..]) {
                Some((word, len)) if Self::write(table, word, dst).is_some() => read += len,
                _ => return read,
            }
        }
    }

    /// Decodes from `read` on, which it advances, as long as it is simple: one byte or two, for a character of up to
    /// three bytes in UTF-8.
    #[inline(always)]
    fn short(&self, table: &DecodeTable, src: &[u8], read: &mut usize, dst: &mut Utf8Sink<'_>) {
        let start = table.nodes[table.sets[self.set as usize] as usize].start as usize;
        let set: &[Utf8Word; 256] = table.words[start..].first_chunk().expect("a set has 256 words");
        let pairs = &table.pairs[self.set as usize];
        dst.push_words(|| {
            let Some(&byte) = src.get(*read) else { return note::of(note::STOP) };
            let word = set[byte as usize];
            if word.is_char() {
                *read += 1;
                return word;
            }
            let (start, Some(&trail)) = (pairs[byte as usize], src.get(*read + 1)) else { return word };
            let word = table.words[start as usize + trail as usize];
            // A branch, so that the next byte need not wait for this word.
            if word.is_char() {
                *read += 2;
            }
            word
        });
    }

    /// Decodes characters of any length from the front of `src`, at most this many; returns how many bytes were read.
    #[inline(never)]
    fn others(&self, table: &DecodeTable, src: &[u8], most: usize, dst: &mut Utf8Sink<'_>) -> usize {
        let (mut read, mut count) = (0, 0);
        dst.push_words(|| {
            count += 1;
            let next = if count <= most { self.longer(table, &src[read..]) } else { None };
            let (word, len) = next.unwrap_or((note::of(note::STOP), 0));
            read += if word.is_char() { len } else { 0 };
            word
        });
        match self.longer(table, src) {
            Some((word, len)) if read == 0 && Self::write(table, word, dst).is_some() => len,
            _ => read,
        }
    }

    /// Returns the character of three bytes or more, or outside the Basic Multilingual Plane, that `src` begins with,
    /// and its length, if nothing else can begin so.
    fn longer(&self, table: &DecodeTable, src: &[u8]) -> Option<(Utf8Word, usize)> {
        let mut node = table.sets[self.set as usize];
        for (at, &byte) in src.iter().take(MAX_BYTES).enumerate() {
            let word = table.word(node, byte);
            match word.as_note() {
                Some((note::NEXT, next)) => node = next,
                None | Some((note::CHAR, _)) => return Some((word, at + 1)),
                Some(_) => return None,
            }
        }
        None
    }

    /// Removes the first `len` bytes that are held.
    fn drop_held(&mut self, len: usize) {
        self.held.copy_within(len..self.len, 0);
        self.len -= len;
    }

    // Once in a program, not for each of the two ways to call it.
    #[inline(never)]
    fn feed(
        &mut self,
        table: &DecodeTable,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        faults: &mut Option<Faults>,
    ) -> Step<Malformed> {
        let mut read = 0;
        while read < src.len() {
            if self.len == 0 {
                read += self.short_shifted(table, &src[read..], dst);
                if read < src.len() {
                    read += self.common(table, &src[read..], dst, faults);
                }
                let Some(&byte) = src.get(read) else { break };
                // A shift code of a longer text, or where there is little room. There may be many.
                if let Some((note::SHIFT, set)) = table.word(table.sets[self.set as usize], byte).as_note() {
                    self.set = set as u8;
                    read += 1;
                    continue;
                }
            }
            // Everything else: one sequence at a time, from the held bytes and the new ones.
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
                    // No sequence is longer than what can be held, so these are the last bytes.
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

    /// Decodes a short text with shift codes, or the end of a longer one, up to anything that is not simple. Returns how
    /// many bytes were read: 0 if something is held. What [`feed`](Self::feed) does between two runs would take longer
    /// than the runs.
    #[inline(always)]
    fn short_shifted(&mut self, table: &DecodeTable, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        if !SHORTENS || src.len() > SHORT_VALUE || table.sets.len() == 1 || self.len > 0 {
            return 0;
        }
        let start = table.nodes[table.sets[0] as usize].start as usize;
        let singles: &[Utf8Word; 256] = table.words[start..].first_chunk().expect("a set has 256 words");
        let (pairs, words) = (&table.pairs[1], &table.words[..]);
        let (mut set, mut rest) = (self.set, src);
        // Without room, nothing changes.
        dst.push_short(|text| {
            loop {
                // Branches, so that the next byte need not wait for this word.
                if set == 0 {
                    while let [byte, after @ ..] = rest
                        && text.push(singles[usize::from(*byte)])
                    {
                        rest = after;
                    }
                } else {
                    while let [lead, trail, after @ ..] = rest
                        && text.push(words[pairs[usize::from(*lead)] as usize + usize::from(*trail)])
                    {
                        rest = after;
                    }
                }
                let [code @ (SO | SI), after @ ..] = rest else { break };
                (set, rest) = (u8::from(*code == SO), after);
            }
        });
        self.set = set;
        src.len() - rest.len()
    }

    fn finish(&mut self, table: &DecodeTable, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
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
}

impl Decoder for MultiByteDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        self.prepare(src);
        self.position.feed(self.tables.get(), src, dst, &mut None)
    }

    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        self.prepare(src);
        let MultiByteDecoder { tables, position } = self;
        replacing(src, replacement, dst, |src, dst, faults| position.feed(tables.get(), src, dst, faults))
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        self.prepare(&[]);
        self.position.finish(self.tables.get(), dst)
    }

    fn decode_whole(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> bool {
        self.prepare(src);
        let (table, position) = (self.tables.get(), &mut self.position);
        // Tried here too, as the call of `feed` takes as long as a short value.
        let read = position.short_shifted(table, src, dst);
        read == src.len()
            || position.feed(table, &src[read..], dst, &mut None)
                == Step { read: src.len() - read, stop: Stop::InputEmpty }
                && position.finish(table, dst) == Stop::InputEmpty
    }

    fn reset(&mut self) {
        (self.position.set, self.position.len) = (0, 0);
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        self.position.len
    }

    /// The number of the set that the last shift code invoked.
    fn state(&self) -> Option<u64> {
        Some(self.position.set.into())
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        self.prepare(&[]);
        let set = u8::try_from(state).ok().filter(|set| usize::from(*set) < self.tables.get().sets.len());
        self.position.set = set.unwrap_or(0);
        set.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::pages;

    /// A batch ends only where something needs a decision. U+3000 does not, though no other pair has its lead byte.
    #[test]
    fn the_ideographic_space_does_not_end_a_batch() {
        let page = pages().find(|page| page.name() == "IBM939").expect("a built-in page");
        let src = b"\x0E\x40\x40\x45\x66\x40\x40\x0F\x81\x40".repeat(100);
        let mut room = vec![0; 3 * src.len()];
        let mut sink = Utf8Sink::new(&mut room);
        let table = DecodeTable::of_page(page);
        let mut decoder = MultiByteDecoder::new(Arc::new(Shared::of_page(page)));
        let read = decoder.position.batches(&table, &src, &mut sink, &mut None);
        assert!(src.len() - read < WORTH, "{read} of {}", src.len());
        assert!(sink.as_str().matches('\u{3000}').count() >= read / 10 * 2);
    }
}
