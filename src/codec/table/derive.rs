//! Derives the states of a charset from its byte sequences, for a file that has no states.
//!
//! A byte that ends a sequence and also begins a longer one would be ambiguous. If the longer one consists of whole
//! sequences, it is a mapping of several codes, such as `C1 41` next to `C1` and `41`. Otherwise the table is rejected.

use super::check::Fit;
use super::limits::MAX_STATES;
use super::{Cell, Code, State, Table, TableShape};
use crate::hex::Hex;
use std::collections::HashMap;

/// Why there is no shape: the number of the mapping to blame, and what was expected there.
pub(super) struct BadMapping {
    pub(super) number: usize,
    pub(super) expected: String,
}

/// A byte sequence of up to four bytes, ordered by bytes: a prefix of another sequence comes before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    bytes: [u8; Code::MAX_LEN],
    len: usize,
}

impl Key {
    fn new(bytes: &[u8]) -> Option<Key> {
        let code = Code::new(bytes)?;
        Some(Key { bytes: code.bytes(), len: code.len() })
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Returns the shape of the mappings in `table`. `line` returns the line of a mapping, given its number.
pub(super) fn shape(table: &Table, line: impl Fn(usize) -> usize) -> Result<TableShape, BadMapping> {
    let of_mappings = table.mappings.iter().map(|mapping| Key::new(&mapping.code.bytes()[..mapping.code.len()]));
    let of_sequences = table.sequences.iter().map(|sequence| Key::new(&sequence.bytes));
    let numbered = of_mappings.chain(of_sequences).enumerate();
    let mut keys: Vec<(Key, usize)> = numbered.filter_map(|(number, key)| Some((key?, number))).collect();
    crate::sort::by(&mut keys, Ord::cmp);
    let mut codes: Vec<(Key, usize)> = Vec::new();
    let mut longer: Vec<(usize, Option<(Key, usize)>)> = Vec::new();
    for (key, number) in keys {
        match codes.last() {
            Some((last, _)) if *last == key => {}
            Some(last) if key.as_slice().starts_with(last.0.as_slice()) => longer.push((number, Some(*last))),
            _ => codes.push((key, number)),
        }
    }
    let is_long = |number: &usize| table.sequences[*number].bytes.len() > Code::MAX_LEN;
    let long = (0..table.sequences.len()).filter(is_long).map(|number| (table.mappings.len() + number, None));
    longer.extend(long);
    crate::sort::by_key(&mut longer, |(number, _)| *number);

    let keys: Vec<Key> = codes.iter().map(|(key, _)| *key).collect();
    let Some(states) = by_lengths(&keys).or_else(|| exact(&keys)) else {
        let number = codes.iter().map(|(_, number)| *number).max().unwrap_or(0);
        return Err(BadMapping { number, expected: format!("bytes that {MAX_STATES} states can tell apart") });
    };
    let legal = TableShape::Multi(states);
    let fit = Fit::new(&legal);
    for (number, begins) in longer {
        let bytes = match number.checked_sub(table.mappings.len()) {
            Some(sequence) => &table.sequences[sequence].bytes[..],
            None => &table.mappings[number].code.bytes()[..table.mappings[number].code.len()],
        };
        if fit.codes(bytes).is_none() {
            let expected = match begins {
                Some((key, earlier)) => format!(
                    "no code that begins with {}, which is a character on its own (line {}), unless it consists of whole codes",
                    Hex(key.as_slice()),
                    line(earlier)
                ),
                None => "one to four bytes, or several codes of the table".into(),
            };
            return Err(BadMapping { number, expected });
        }
    }
    drop(fit);
    Ok(if keys.iter().all(|key| key.len == 1) { TableShape::Single } else { legal })
}

/// Groups the sorted codes of `keys` by their byte at `depth`.
fn groups(keys: &[Key], depth: usize) -> impl Iterator<Item = (u8, &[Key])> {
    keys.chunk_by(move |a, b| a.bytes[depth] == b.bytes[depth]).map(move |group| (group[0].bytes[depth], group))
}

/// Derives states by how many bytes may still follow. Positions with the same possible lengths share a state, so a
/// trail byte that is allowed after one lead byte is allowed after all of them. `None`: a byte would both end a
/// sequence and continue it.
fn by_lengths(keys: &[Key]) -> Option<Vec<State>> {
    let mut states: Vec<State> = vec![[Cell::Illegal; 256]];
    let mut numbers: HashMap<u8, u8> = HashMap::new();
    let mut open: Vec<(&[Key], usize, u8)> = vec![(keys, 0, 0)];
    while let Some((keys, depth, state)) = open.pop() {
        for (byte, group) in groups(keys, depth) {
            let cell = if group[0].len == depth + 1 {
                Cell::End
            } else {
                let lengths = group.iter().fold(0, |lengths, key| lengths | 1 << (key.len - depth - 1));
                let next = *numbers.entry(lengths).or_insert_with(|| {
                    states.push([Cell::Illegal; 256]);
                    (states.len() - 1) as u8
                });
                open.push((group, depth + 1, next));
                Cell::Next(next)
            };
            let place = &mut states[usize::from(state)][usize::from(byte)];
            if *place != Cell::Illegal && *place != cell {
                return None;
            }
            *place = cell;
        }
    }
    Some(states)
}

/// Derives states with exactly these codes. Equal states are merged. `None`: there are too many.
fn exact(keys: &[Key]) -> Option<Vec<State>> {
    let mut states: Vec<State> = vec![[Cell::Illegal; 256]];
    let mut numbers: HashMap<Vec<u16>, u8> = HashMap::new();
    states[0] = row(keys, 0, &mut states, &mut numbers)?;
    Some(states)
}

fn row(keys: &[Key], depth: usize, states: &mut Vec<State>, numbers: &mut HashMap<Vec<u16>, u8>) -> Option<State> {
    let mut cells = [Cell::Illegal; 256];
    for (byte, group) in groups(keys, depth) {
        cells[usize::from(byte)] = if group[0].len == depth + 1 {
            Cell::End
        } else {
            let below = row(group, depth + 1, states, numbers)?;
            let key = below.iter().map(|cell| match cell {
                Cell::Next(next) => 0x100 | u16::from(*next),
                cell => u16::from(*cell == Cell::End),
            });
            let key: Vec<u16> = key.collect();
            let number = match numbers.get(&key) {
                Some(number) => *number,
                None => {
                    let number = u8::try_from(states.len()).ok()?;
                    states.push(below);
                    numbers.insert(key, number);
                    number
                }
            };
            Cell::Next(number)
        };
    }
    Some(cells)
}
