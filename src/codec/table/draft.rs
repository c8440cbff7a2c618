//! A table while it is being read: its mappings and the line of each, so that a contradiction can be reported at its
//! position.

use super::check;
use super::derive;
use super::limits::{MAX_BYTES, MAX_MAPPINGS, MAX_TEXT};
use super::lines::{Line, Lines};
use super::{Code, Mapping, Sequence, Table, Way};
use crate::error::Error;
use crate::sort;
use std::collections::HashSet;

/// A table whose file is being read.
pub(super) struct Draft {
    pub(super) table: Table,
    /// The line of each mapping of the table; 0 if it comes from another file.
    lines: Vec<u32>,
    sequence_lines: Vec<u32>,
}

impl Table {
    /// Returns the bytes to write in place of a character that the table lacks, if the file does not say: those of
    /// U+001A, or those that IBM uses.
    pub(super) fn usual_substitute(&self) -> Option<Vec<u8>> {
        let of_sub = self.mappings.iter().find(|mapping| mapping.ch == '\u{1A}' && mapping.way.encodes(mapping.ch));
        let of_sub = of_sub.map(|mapping| mapping.code.bytes()[..mapping.code.len()].to_vec());
        let fit = check::Fit::new(&self.shape);
        let usual = [of_sub, Some(vec![0x1A]), Some(vec![0xFE, 0xFE])];
        usual.into_iter().flatten().find(|bytes| fit.codes(bytes) == Some(1))
    }
}

impl Draft {
    pub(super) fn new(table: Table) -> Self {
        let (lines, sequence_lines) = (vec![0; table.mappings.len()], vec![0; table.sequences.len()]);
        Draft { table, lines, sequence_lines }
    }

    /// Adds a mapping from `line`. `at` is the rest of that line, at whose beginning an error is reported.
    pub(super) fn push(
        &mut self,
        (line, at): (&Line<'_>, &[u8]),
        bytes: &[u8],
        text: &Chars,
        way: Way,
    ) -> Result<(), Error> {
        if self.len() >= MAX_MAPPINGS {
            return line.error(at, format!("the end of the table: it may have at most {MAX_MAPPINGS} mappings"));
        }
        match (Code::new(bytes), text.as_slice()) {
            (Some(code), [ch]) => {
                self.table.mappings.push(Mapping { code, ch: *ch, way });
                self.lines.push(line.number as u32);
            }
            (_, chars) => {
                let text = chars.iter().collect();
                self.table.sequences.push(Sequence { bytes: bytes.to_vec(), text, way });
                self.sequence_lines.push(line.number as u32);
            }
        }
        Ok(())
    }

    /// Returns the number of mappings.
    pub(super) fn len(&self) -> usize {
        self.lines.len() + self.sequence_lines.len()
    }

    /// Returns the line of the mapping or sequence with this number. Sequences are numbered after the mappings.
    pub(super) fn line(&self, number: usize) -> usize {
        let sequence = || self.sequence_lines.get(number - self.lines.len());
        self.lines.get(number).or_else(sequence).map_or(0, |line| *line as usize)
    }

    /// Among mappings for both directions, the last one of each code and of each character wins. The others are used in
    /// whichever direction remains.
    pub(super) fn last_wins(&mut self) {
        let mappings = &mut self.table.mappings;
        let mut decodes = vec![false; mappings.len()];
        let mut encodes = vec![false; mappings.len()];
        let order = sort::order(mappings.len(), &|a, b| mappings[a].code.cmp(&mappings[b].code));
        last_of_each(&order, |a, b| mappings[a].code == mappings[b].code, |at| decodes[at] = true);
        let order = sort::order(mappings.len(), &|a, b| mappings[a].ch.cmp(&mappings[b].ch));
        last_of_each(&order, |a, b| mappings[a].ch == mappings[b].ch, |at| encodes[at] = true);
        for (mapping, (decodes, encodes)) in mappings.iter_mut().zip(decodes.iter().zip(&encodes)) {
            mapping.way = match (decodes, encodes) {
                (true, true) => Way::RoundTrip,
                (true, false) => Way::ToText,
                // If neither, the mapping is removed below.
                (false, _) => Way::ToBytes,
            };
        }
        self.retain(|at, _| decodes[at] || encodes[at]);
    }

    /// Among mappings for both directions, the first one of each character is used in both, and the others only to
    /// decode. Repeated mappings count once.
    pub(super) fn first_wins(&mut self) {
        let mappings = &mut self.table.mappings;
        let code_and_char = |at: usize| (mappings[at].code, mappings[at].ch);
        let mut order = sort::order(mappings.len(), &|a, b| code_and_char(a).cmp(&code_and_char(b)));
        let mut kept = vec![true; mappings.len()];
        for same in order.chunk_by(|a, b| code_and_char(*a) == code_and_char(*b)) {
            same[1..].iter().for_each(|at| kept[*at] = false);
        }
        order.retain(|at| kept[*at] && mappings[*at].way == Way::RoundTrip);
        sort::by_key(&mut order, |at| (mappings[*at].ch, *at));
        let mut chars: Vec<char> = Vec::with_capacity(order.len());
        for at in order {
            match chars.last() {
                Some(last) if *last == mappings[at].ch => mappings[at].way = Way::ToText,
                _ => chars.push(mappings[at].ch),
            }
        }
        self.retain(|at, _| kept[at]);

        let mut known = HashSet::new();
        let sequences = self.table.sequences.iter();
        let kept: Vec<bool> =
            sequences.map(|sequence| known.insert((sequence.bytes.clone(), sequence.text.clone()))).collect();
        keep(&mut self.table.sequences, &kept);
        keep(&mut self.sequence_lines, &kept);
        let mut texts = HashSet::new();
        for sequence in self.table.sequences.iter_mut().filter(|sequence| sequence.way == Way::RoundTrip) {
            let mut of_text = sequence.text.chars();
            let is_known = match (of_text.next(), of_text.next()) {
                (Some(ch), None) => chars.binary_search(&ch).is_ok(),
                _ => false,
            };
            if is_known || !texts.insert(sequence.text.clone()) {
                sequence.way = Way::ToText;
            }
        }
    }

    /// Removes mappings from number `added` on that repeat an earlier one.
    pub(super) fn drop_repeated(&mut self, added: (usize, usize)) {
        let known: HashSet<(Code, char, Way)> =
            self.table.mappings[..added.0].iter().map(|mapping| (mapping.code, mapping.ch, mapping.way)).collect();
        self.retain(|at, mapping| at < added.0 || !known.contains(&(mapping.code, mapping.ch, mapping.way)));
        let of = |sequence: &Sequence| (sequence.bytes.clone(), sequence.text.clone(), sequence.way);
        let known: HashSet<(Vec<u8>, String, Way)> = self.table.sequences[..added.1].iter().map(of).collect();
        let sequences = self.table.sequences.iter().enumerate();
        let kept: Vec<bool> = sequences.map(|(at, found)| at < added.1 || !known.contains(&of(found))).collect();
        keep(&mut self.table.sequences, &kept);
        keep(&mut self.sequence_lines, &kept);
    }

    fn retain(&mut self, keeps: impl Fn(usize, &Mapping) -> bool) {
        let kept: Vec<bool> = self.table.mappings.iter().enumerate().map(|(at, mapping)| keeps(at, mapping)).collect();
        keep(&mut self.table.mappings, &kept);
        keep(&mut self.lines, &kept);
    }

    /// Returns the number of mappings and the number of sequences.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.lines.len(), self.sequence_lines.len())
    }

    /// Returns the table after checking it. A contradiction is reported in `file`, in the line of the later mapping, at
    /// `column` (from 0).
    ///
    /// # Errors
    /// A substitute that does not fit is reported at `substitute`.
    pub(super) fn finish(
        self,
        file: &[u8],
        substitute: Line<'_>,
        column: impl Fn(&Line<'_>) -> usize,
    ) -> Result<Table, Error> {
        let Some(fault) = check::fault(&self.table) else { return Ok(self.table) };
        let earlier = fault.earlier.map(|number| self.line(number)).filter(|line| *line > 0);
        let line = fault.at.map_or(0, |number| self.line(number));
        error_in(file, line, substitute, column, fault.expected(earlier))
    }

    /// Does the same for a file without states and substitute: both are derived from the mappings. Among mappings for
    /// both directions, the first one wins.
    pub(super) fn finish_derived(mut self, file: &[u8], column: impl Fn(&Line<'_>) -> usize) -> Result<Table, Error> {
        let start = Line { number: 1, bytes: b"" };
        if self.len() == 0 {
            return start.error(b"", "a table with mappings");
        }
        self.first_wins();
        self.table.shape = match derive::shape(&self.table, |number| self.line(number)) {
            Ok(shape) => shape,
            Err(no_shape) => {
                return error_in(file, self.line(no_shape.number), start, column, no_shape.expected);
            }
        };
        // If nothing else fits, use the first code, because there must be a substitute.
        let first = self.table.mappings.first().map(|mapping| mapping.code.bytes()[..mapping.code.len()].to_vec());
        let substitute = self.table.usual_substitute().or(first);
        self.table.substitute = substitute.unwrap_or_default();
        self.finish(file, start, column)
    }
}

/// Returns an error in the line with this number, or at `elsewhere` if there is none.
fn error_in<T>(
    file: &[u8],
    number: usize,
    elsewhere: Line<'_>,
    column: impl Fn(&Line<'_>) -> usize,
    expected: String,
) -> Result<T, Error> {
    match Lines::new(file).flatten().find(|line| line.number == number) {
        Some(line) => line.error(line.bytes.get(column(&line)..).unwrap_or_default(), expected),
        None => elsewhere.error(elsewhere.trimmed(), expected),
    }
}

fn last_of_each(order: &[usize], same: impl Fn(usize, usize) -> bool, mut found: impl FnMut(usize)) {
    for (place, at) in order.iter().enumerate() {
        if order.get(place + 1).is_none_or(|next| !same(*at, *next)) {
            found(*at);
        }
    }
}

fn keep<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| *kept.next().unwrap_or(&true));
}

/// The characters of one mapping.
#[derive(Clone, Copy)]
pub(super) struct Chars {
    chars: [char; MAX_TEXT],
    len: usize,
    units: usize,
}

impl Chars {
    pub(super) fn new() -> Self {
        Chars { chars: ['\0'; MAX_TEXT], len: 0, units: 0 }
    }

    /// Adds a character, if there is space for it.
    pub(super) fn push(&mut self, ch: char) -> bool {
        let units = self.units + ch.len_utf16();
        if units > MAX_TEXT {
            return false;
        }
        self.chars[self.len] = ch;
        (self.len, self.units) = (self.len + 1, units);
        true
    }

    pub(super) fn as_slice(&self) -> &[char] {
        &self.chars[..self.len]
    }
}

/// The bytes of one mapping.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    bytes: [u8; MAX_BYTES],
    len: usize,
}

impl Bytes {
    pub(super) fn new() -> Self {
        Bytes { bytes: [0; MAX_BYTES], len: 0 }
    }

    /// Adds a byte, if there is space for it.
    pub(super) fn push(&mut self, byte: u8) -> bool {
        let Some(place) = self.bytes.get_mut(self.len) else { return false };
        *place = byte;
        self.len += 1;
        true
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Increments the last byte, with a carry. Returns whether that is possible.
    pub(super) fn increment(&mut self) -> bool {
        for byte in self.bytes[..self.len].iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                return true;
            }
        }
        false
    }
}
