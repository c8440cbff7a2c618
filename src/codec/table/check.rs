//! Checks a table: no two of its mappings contradict each other, and all of them fit its shape.

use super::limits::{MAX_BYTES, MAX_TEXT};
use super::model::{Cell, Code, Mapping, SI, SO, Sequence, State, Table, TableShape, Way};
use crate::error::{Error, ErrorKind};
use crate::hex::Hex;
use std::borrow::Cow;

impl Table {
    /// Returns whether the single-byte substitute is used only for the listed characters. Otherwise it is used for all
    /// missing characters up to U+00FF.
    ///
    /// This follows ICU, which keeps the list in the extension of a table: a table without an extension has no list.
    /// Whatever ICU's own structure cannot hold goes into the extension. Nearly every table has something of that kind,
    /// such as U+0000 at 00.
    pub(crate) fn lists_substitute1(&self) -> bool {
        let fit = Fit::new(&self.shape);
        // Up to this character, ICU has a fast structure for UTF-8, which cannot hold a 00 or approximations.
        let quick = if self.shape == TableShape::Single { '\u{1FFF}' } else { '\u{D7FF}' };
        let extends = |bytes: &[u8], ch: char, way: Way| match way {
            Way::Substitute1 | Way::ToBytes => true,
            _ if bytes.len() > 1 => bytes[0] == 0 || fit.codes(bytes) != Some(1) || way == Way::BestFit && ch <= quick,
            Way::BestFit => bytes[0] == 0 || ch <= quick,
            Way::RoundTrip => bytes[0] == 0 && ch <= quick,
            Way::ToText => false,
        };
        !self.sequences.is_empty()
            || self.mappings.iter().any(|Mapping { code, ch, way }| extends(&code.bytes()[..code.len()], *ch, *way))
    }

    /// Checks that no two mappings contradict each other, and that all of them and the substitute fit the shape.
    ///
    /// [`Table::read`] and [`Registry::register_table`](crate::Registry::register_table) call this themselves.
    ///
    /// ```
    /// use charpipe::codec::table::{Code, Mapping, Table, Way};
    ///
    /// let mut table = Table::from_fn("X-HALF", "made up", |byte| byte.is_ascii().then_some(byte.into()));
    /// table.check()?;
    /// // With a second code for A, it is not clear which one to write.
    /// table.mappings.push(Mapping { code: Code::single(0xC1), ch: 'A', way: Way::RoundTrip });
    /// assert!(table.check().is_err());
    /// // A code that is used to decode only is not a problem.
    /// table.mappings.last_mut().unwrap().way = Way::ToText;
    /// table.check()?;
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Table`] at line 0 and column 0 (a table has no lines) if the same bytes map to two characters; if
    /// the same character maps to two byte sequences, counting approximations; or if bytes are not a sequence of the
    /// shape.
    pub fn check(&self) -> Result<(), Error> {
        match fault(self) {
            Some(fault) => Err(ErrorKind::Table { line: 0, column: 0, expected: fault.expected(None) }.into()),
            None => Ok(()),
        }
    }
}

/// Splits bytes into the codes of a shape.
pub(super) struct Fit<'a> {
    states: Cow<'a, [State]>,
    shifted: bool,
}

impl<'a> Fit<'a> {
    pub(super) fn new(shape: &'a TableShape) -> Self {
        Fit { states: shape.states(), shifted: *shape == TableShape::Shifted }
    }

    /// Returns how many codes `bytes` consist of, or `None` if they are not a whole number of codes.
    ///
    /// In a shifted shape, the bytes are a single byte or pairs, without shift codes.
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

    /// Returns whether one of the codes in `bytes` is marked as unassigned.
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

/// A problem in a table. Mappings are identified by their number, and sequences are numbered after the last mapping.
pub(super) struct Fault {
    /// The mapping that contradicts an earlier one or is wrong on its own; `None` if the substitute is wrong.
    pub(super) at: Option<usize>,
    /// The earlier mapping.
    pub(super) earlier: Option<usize>,
    what: Problem,
}

enum Problem {
    Decode { bytes: Vec<u8>, texts: [String; 2] },
    Encode { text: String, codes: [Vec<u8>; 2] },
    Misfit(Vec<u8>),
    Unassigned(Vec<u8>),
    Text,
    Substitute(Vec<u8>),
    Substitute1(u8),
}

impl Fault {
    /// Returns what was expected in its place. `line` is the line of the earlier mapping, if there is a file.
    pub(super) fn expected(&self, line: Option<usize>) -> String {
        let place = line.map_or(String::new(), |line| format!(" (line {line})"));
        match &self.what {
            Problem::Decode { bytes, texts: [first, second] } if first == second => {
                format!("{} only once: it is already {}{place}", Hex(bytes), points(first))
            }
            Problem::Decode { bytes, texts: [first, second] } => {
                format!("one character for {}, not both {}{place} and {}", Hex(bytes), points(first), points(second))
            }
            Problem::Encode { text, codes: [first, second] } if first == second => {
                format!("{} only once: it is already {}{place}", points(text), Hex(first))
            }
            Problem::Encode { text, codes: [first, second] } => {
                format!("one code for {}, not both {}{place} and {}", points(text), Hex(first), Hex(second))
            }
            Problem::Misfit(bytes) => format!("bytes that the table's states allow, which {} are not", Hex(bytes)),
            Problem::Unassigned(bytes) => {
                format!("no character for {}, which the states mark as unassigned", Hex(bytes))
            }
            Problem::Text => format!("at least one character, and at most {MAX_TEXT} UTF-16 code units of text"),
            Problem::Substitute(bytes) => {
                format!("a substitute that is one code of the table, which {} is not", Hex(bytes))
            }
            Problem::Substitute1(byte) => {
                format!("a single-byte substitute that is a code of the table, which {byte:02X} is not")
            }
        }
    }
}

/// Returns the code points of a text: `U+0041 U+0300`.
pub(super) fn points(text: &str) -> String {
    let points: Vec<String> = text.chars().map(|ch| format!("U+{:04X}", ch as u32)).collect();
    points.join(" ")
}

/// Returns the first problem: a mapping that does not fit, one that contradicts an earlier one, or a substitute that
/// does not fit.
pub(super) fn fault(table: &Table) -> Option<Fault> {
    misfit(table).or_else(|| contradiction(table)).or_else(|| substitute(table))
}

fn misfit(table: &Table) -> Option<Fault> {
    let fit = Fit::new(&table.shape);
    let of = |at: usize, what: Problem| Some(Fault { at: Some(at), earlier: None, what });
    for (at, mapping) in table.mappings.iter().enumerate() {
        let bytes = mapping.code.bytes();
        let bytes = &bytes[..mapping.code.len()];
        if mapping.way == Way::Substitute1 {
            continue;
        }
        if fit.codes(bytes).is_none() {
            return of(at, Problem::Misfit(bytes.to_vec()));
        }
        if mapping.way.decodes() && fit.is_unassigned(bytes) {
            return of(at, Problem::Unassigned(bytes.to_vec()));
        }
    }
    for (at, Sequence { bytes, text, way }) in table.sequences.iter().enumerate() {
        let at = table.mappings.len() + at;
        if !(1..=MAX_TEXT).contains(&text.encode_utf16().count()) {
            return of(at, Problem::Text);
        }
        if fit.codes(bytes).is_none() || bytes.len() > MAX_BYTES {
            return of(at, Problem::Misfit(bytes.clone()));
        }
        if way.decodes() && fit.is_unassigned(bytes) {
            return of(at, Problem::Unassigned(bytes.clone()));
        }
    }
    None
}

fn contradiction(table: &Table) -> Option<Fault> {
    // A character for which only the single-byte substitute is written has no bytes, and a mapping for both directions
    // takes precedence over it.
    let encodes = |way: Way| !matches!(way, Way::ToText | Way::Substitute1);
    // Sorted with their numbers, so that contradictory mappings are neighbours, the earlier one first.
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
    crate::sort::by(&mut by_code, Ord::cmp);
    crate::sort::by(&mut by_char, Ord::cmp);
    let code_pairs = by_code.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
    let char_pairs = by_char.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
    let mut decode: Vec<(usize, usize)> = code_pairs.collect();
    let mut encode: Vec<(usize, usize)> = char_pairs.collect();

    let all = |way: &dyn Fn(Way) -> bool| -> Vec<usize> {
        (0..table.sequences.len()).filter(|at| way(table.sequences[*at].way)).collect()
    };
    let number = |sequence: usize| table.mappings.len() + sequence;
    let mut decoding = all(&Way::decodes);
    crate::sort::by(&mut decoding, |a, b| table.sequences[*a].bytes.cmp(&table.sequences[*b].bytes));
    let mut encoding = all(&encodes);
    crate::sort::by(&mut encoding, |a, b| table.sequences[*a].text.cmp(&table.sequences[*b].text));
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
    // Two identical lines contradict each other in both directions. Then the bytes are reported.
    if let Some((earlier, at)) = decode.filter(|(_, at)| encode.is_none_or(|(_, other)| *at <= other)) {
        let texts = [text(table, earlier), text(table, at)];
        let what = Problem::Decode { bytes: bytes(table, at), texts };
        return Some(Fault { at: Some(at), earlier: Some(earlier), what });
    }
    let (earlier, at) = encode?;
    let what = Problem::Encode { text: text(table, at), codes: [bytes(table, earlier), bytes(table, at)] };
    Some(Fault { at: Some(at), earlier: Some(earlier), what })
}

fn substitute(table: &Table) -> Option<Fault> {
    let fit = Fit::new(&table.shape);
    let of = |what: Problem| Some(Fault { at: None, earlier: None, what });
    if fit.codes(&table.substitute) != Some(1) {
        return of(Problem::Substitute(table.substitute.clone()));
    }
    let byte = table.substitute1.filter(|byte| fit.codes(&[*byte]) != Some(1))?;
    of(Problem::Substitute1(byte))
}

/// Returns the bytes of the mapping or sequence with this number.
fn bytes(table: &Table, at: usize) -> Vec<u8> {
    match table.mappings.get(at) {
        Some(mapping) => mapping.code.bytes()[..mapping.code.len()].to_vec(),
        None => table.sequences[at - table.mappings.len()].bytes.clone(),
    }
}

/// Returns the text of the mapping or sequence with this number.
fn text(table: &Table, at: usize) -> String {
    match table.mappings.get(at) {
        Some(mapping) => mapping.ch.into(),
        None => table.sequences[at - table.mappings.len()].text.clone(),
    }
}
