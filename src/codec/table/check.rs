//! Whether a table can be believed: no two of its mappings contradict each other, and all fit its shape.

use super::read::{MAX_BYTES, MAX_TEXT};
use super::{Cell, Code, SI, SO, Sequence, Shape, State, Table, Way};
use crate::error::Hex;
use std::borrow::Cow;

/// How bytes part into the codes of a shape.
pub(super) struct Fit<'a> {
    states: Cow<'a, [State]>,
    shifted: bool,
}

impl<'a> Fit<'a> {
    pub(super) fn new(shape: &'a Shape) -> Self {
        Fit { states: shape.states(), shifted: *shape == Shape::Shifted }
    }

    /// How many codes `bytes` are; `None` where they are not a whole number of them.
    ///
    /// In a shifted shape they are one single byte or pairs, without the shifts.
    pub(super) fn codes(&self, bytes: &[u8]) -> Option<usize> {
        if self.shifted && bytes.len() == 1 {
            return (!matches!(bytes[0], SO | SI)).then_some(1);
        }
        let mut codes = 0;
        let mut state = 0;
        for byte in bytes {
            match self.states.get(state as usize)?[*byte as usize] {
                Cell::Illegal => return None,
                Cell::Next(next) => state = next,
                Cell::End | Cell::Unassigned => {
                    codes += 1;
                    state = 0;
                }
            }
        }
        (state == 0 && codes > 0).then_some(codes)
    }

    /// Whether one of the codes that `bytes` are is one that no character has.
    pub(super) fn is_unassigned(&self, bytes: &[u8]) -> bool {
        if self.shifted {
            return false;
        }
        let mut state = 0;
        bytes.iter().any(|byte| {
            let cell = self.states[state as usize][*byte as usize];
            state = if let Cell::Next(next) = cell { next } else { 0 };
            cell == Cell::Unassigned
        })
    }
}

/// What is wrong with a table. Mappings go by their number, sequences by theirs behind the last mapping.
pub(super) struct Fault {
    /// The mapping that contradicts an earlier one, or is wrong by itself; `None` where it is the substitute.
    pub(super) at: Option<usize>,
    /// The earlier one.
    pub(super) earlier: Option<usize>,
    what: What,
}

enum What {
    Decode { bytes: Vec<u8>, texts: [String; 2] },
    Encode { text: String, codes: [Vec<u8>; 2] },
    Unfit(Vec<u8>),
    Unassigned(Vec<u8>),
    Text,
    Substitute(Vec<u8>),
    Substitute1(u8),
}

impl Fault {
    /// What should be in its place; `line` is the earlier mapping's, where there is a file.
    pub(super) fn expected(&self, line: Option<usize>) -> String {
        let stands = line.map_or(String::new(), |line| format!(" (line {line})"));
        match &self.what {
            What::Decode { bytes, texts: [first, second] } if first == second => {
                format!("{} once: it is {} already{stands}", Hex(bytes), points(first))
            }
            What::Decode { bytes, texts: [first, second] } => {
                format!("one character for {}, not both {}{stands} and {}", Hex(bytes), points(first), points(second))
            }
            What::Encode { text, codes: [first, second] } if first == second => {
                format!("{} once: it is {} already{stands}", points(text), Hex(first))
            }
            What::Encode { text, codes: [first, second] } => {
                format!("one code for {}, not both {}{stands} and {}", points(text), Hex(first), Hex(second))
            }
            What::Unfit(bytes) => format!("bytes that are codes of the table's states, as {} are not", Hex(bytes)),
            What::Unassigned(bytes) => format!("no character for {}, which the states have as unassigned", Hex(bytes)),
            What::Text => format!("one character or more, {MAX_TEXT} UTF-16 units of text at the most"),
            What::Substitute(bytes) => {
                format!("a substitute that is one code of the table's, as {} is not", Hex(bytes))
            }
            What::Substitute1(byte) => {
                format!("a single-byte substitute that is a code of the table's, as {byte:02X} is not")
            }
        }
    }
}

/// A text as its code points: `U+0041 U+0300`.
pub(super) fn points(text: &str) -> String {
    let points: Vec<String> = text.chars().map(|ch| format!("U+{:04X}", ch as u32)).collect();
    points.join(" ")
}

/// The first mapping that contradicts an earlier one, or one that does not fit, or a substitute that does not.
pub(super) fn fault(table: &Table) -> Option<Fault> {
    unfit(table).or_else(|| contradiction(table)).or_else(|| substitute(table))
}

fn unfit(table: &Table) -> Option<Fault> {
    let fit = Fit::new(&table.shape);
    let of = |at: usize, what: What| Some(Fault { at: Some(at), earlier: None, what });
    for (at, mapping) in table.mappings.iter().enumerate() {
        let bytes = mapping.code.bytes();
        let bytes = &bytes[..mapping.code.len()];
        if mapping.way == Way::Substitute1 {
            continue;
        }
        if fit.codes(bytes).is_none() {
            return of(at, What::Unfit(bytes.to_vec()));
        }
        if mapping.way.decodes() && fit.is_unassigned(bytes) {
            return of(at, What::Unassigned(bytes.to_vec()));
        }
    }
    for (at, Sequence { bytes, text, way }) in table.sequences.iter().enumerate() {
        let at = table.mappings.len() + at;
        if !(1..=MAX_TEXT).contains(&text.encode_utf16().count()) {
            return of(at, What::Text);
        }
        if fit.codes(bytes).is_none() || bytes.len() > MAX_BYTES {
            return of(at, What::Unfit(bytes.clone()));
        }
        if way.decodes() && fit.is_unassigned(bytes) {
            return of(at, What::Unassigned(bytes.clone()));
        }
    }
    None
}

fn contradiction(table: &Table) -> Option<Fault> {
    // What only the single-byte substitute stands for has no bytes, and mappings both ways come before it.
    let encodes = |way: Way| !matches!(way, Way::ToText | Way::Substitute1);
    // Sorted with their numbers, so that what contradicts stands side by side, the earlier first.
    let mut by_code: Vec<(Code, usize)> = Vec::with_capacity(table.mappings.len());
    let mut by_char: Vec<(char, usize)> = Vec::with_capacity(table.mappings.len());
    for (at, mapping) in table.mappings.iter().enumerate() {
        if mapping.way.decodes() {
            by_code.push((mapping.code, at));
        }
        if encodes(mapping.way) {
            by_char.push((mapping.ch, at));
        }
    }
    by_code.sort_unstable();
    by_char.sort_unstable();
    let code_pairs = by_code.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
    let char_pairs = by_char.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
    let mut decode: Vec<(usize, usize)> = code_pairs.collect();
    let mut encode: Vec<(usize, usize)> = char_pairs.collect();

    let all = |way: &dyn Fn(Way) -> bool| -> Vec<usize> {
        (0..table.sequences.len()).filter(|at| way(table.sequences[*at].way)).collect()
    };
    let number = |sequence: usize| table.mappings.len() + sequence;
    let mut decoding = all(&Way::decodes);
    decoding.sort_unstable_by_key(|at| (&table.sequences[*at].bytes, *at));
    let mut encoding = all(&encodes);
    encoding.sort_unstable_by_key(|at| (&table.sequences[*at].text, *at));
    let same_bytes = |pair: &&[usize]| table.sequences[pair[0]].bytes == table.sequences[pair[1]].bytes;
    let same_text = |pair: &&[usize]| table.sequences[pair[0]].text == table.sequences[pair[1]].text;
    decode.extend(decoding.windows(2).filter(same_bytes).map(|pair| (number(pair[0]), number(pair[1]))));
    encode.extend(encoding.windows(2).filter(same_text).map(|pair| (number(pair[0]), number(pair[1]))));
    // A sequence may contradict a mapping: the same bytes for several characters and for one.
    for at in decoding {
        let Some(code) = Code::new(&table.sequences[at].bytes) else { continue };
        if let Ok(found) = by_code.binary_search_by_key(&code, |entry| entry.0) {
            decode.push((by_code[found].1, number(at)));
        }
    }
    for at in encoding {
        let mut chars = table.sequences[at].text.chars();
        let (Some(ch), None) = (chars.next(), chars.next()) else { continue };
        if let Ok(found) = by_char.binary_search_by_key(&ch, |entry| entry.0) {
            encode.push((by_char[found].1, number(at)));
        }
    }
    let first = |pairs: &[(usize, usize)]| pairs.iter().copied().min_by_key(|pair| pair.1);
    let (decode, encode) = (first(&decode), first(&encode));
    // Two lines that say the same contradict each other both ways: then the bytes are what is told.
    if let Some((earlier, at)) = decode.filter(|(_, at)| encode.is_none_or(|(_, other)| *at <= other)) {
        let texts = [text(table, earlier), text(table, at)];
        let what = What::Decode { bytes: bytes(table, at), texts };
        return Some(Fault { at: Some(at), earlier: Some(earlier), what });
    }
    let (earlier, at) = encode?;
    let what = What::Encode { text: text(table, at), codes: [bytes(table, earlier), bytes(table, at)] };
    Some(Fault { at: Some(at), earlier: Some(earlier), what })
}

fn substitute(table: &Table) -> Option<Fault> {
    let fit = Fit::new(&table.shape);
    let of = |what: What| Some(Fault { at: None, earlier: None, what });
    if fit.codes(&table.substitute) != Some(1) {
        return of(What::Substitute(table.substitute.clone()));
    }
    let byte = table.substitute1.filter(|byte| fit.codes(&[*byte]) != Some(1))?;
    of(What::Substitute1(byte))
}

/// The bytes of the mapping or sequence of that number.
fn bytes(table: &Table, at: usize) -> Vec<u8> {
    match table.mappings.get(at) {
        Some(mapping) => mapping.code.bytes()[..mapping.code.len()].to_vec(),
        None => table.sequences[at - table.mappings.len()].bytes.clone(),
    }
}

/// The text of the mapping or sequence of that number.
fn text(table: &Table, at: usize) -> String {
    match table.mappings.get(at) {
        Some(mapping) => mapping.ch.into(),
        None => table.sequences[at - table.mappings.len()].text.clone(),
    }
}
