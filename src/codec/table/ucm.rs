//! Reads tables of ICU: `.ucm` files, as ICU's `makeconv` reads them.
//!
//! ```text
//! file    = header* "CHARMAP" mapping* "END CHARMAP" [ "CHARMAP" mapping* "END CHARMAP" ]
//! header  = "<" key ">" value                        value: the rest of the line, or in quotes
//! mapping = code-point+ byte+ text [ "|" flag text ] flag: 0 to 4, on all lines or on none
//!           code-point = ["+"] "<U" hex-digit+ ">"
//!           byte       = ["+"] "\x" hex-digit hex-digit
//! row     = [ ("initial" | "surrogates") "," ] [ entry ("," entry)* ]     the value of <icu:state>
//! entry   = hex [ "-" hex ] [ ":" [hex] ] [ "." ["u" | "s" | "p" | "i"] ]
//! ```
//!
//! * Keys without a meaning here are skipped: `char_name_mask`, `icu:charsetFamily` and any unknown key.
//! * Without flags, every mapping is used in both directions. If two contradict each other, the later one wins in that
//!   direction. Mappings of several characters or several codes, a second `CHARMAP` and a table with `<icu:base>` need
//!   flags.
//! * With flags, a contradiction is an error. The exception is a mapping in a second `CHARMAP` or in a table with
//!   `<icu:base>` that merely repeats an earlier one.
//! * `|2` with several bytes only means that the character has no bytes, and is ignored.
//! * `<icu:base>` names a table that this one extends. The base's states apply, whatever rows are here. With the class
//!   `DBCS` on a mixed base, only the base's pairs are used.
//! * For a table without `<subchar>`, the substitute is the bytes of U+001A, or 1A, or FE FE.
//! * In a mixed page, a mapping may consist of several pairs, which ICU's documentation allows and `makeconv` rejects.
//! * Text after the bytes or the flag is skipped, unless it looks like more of the mapping: `\x`, `<U`, or a character
//!   that follows the bytes without a space.
//! * In a mixed page, mappings of the shift codes 0E and 0F are ignored.
//!
//! Two things that `makeconv` accepts are rejected: shift codes with other states than those implied by the class
//! `EBCDIC_STATEFUL`, and bytes that only change the state in any other class. A table without mappings is rejected
//! too.

use super::check::Fit;
use super::draft::{Bytes, Chars, Draft};
use super::limits::{MAX_ALIASES, MAX_BYTES, MAX_STATES, MAX_TEXT, no_more_aliases};
use super::lines::{Line, Lines, hex, hex_pair, is_blank, skip_blanks};
use super::{Cell, SI, SO, State, Table, TableShape, Way};
use crate::error::Error;
use crate::hex::Hex;
use nom::branch::alt;
use nom::bytes::{tag, take_while, take_while_m_n, take_while1};
use nom::combinator::{map_opt, opt, value};
use nom::multi::separated_list1;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};
use std::cell::Cell as Place;

/// Reads a table. `stem` is its name if the file contains none, and `resolve` returns the table that `<icu:base>`
/// names.
pub(super) fn parse(file: &[u8], stem: &str, resolve: &dyn Fn(&str) -> Option<Table>) -> Result<Table, Error> {
    let mut lines = Lines::new(file);
    let (head, charmap) = Head::read(&mut lines)?;
    let (mut table, legal) = head.table(charmap, stem, resolve)?;
    table.mappings.reserve(file.len() / 20);
    let mut body = Body { draft: Draft::new(table), fit: Fit::new(&legal), flags: None };
    let of_base = body.draft.counts();
    body.read(&mut lines, head.base.is_some())?;
    let before_extension = body.draft.counts();
    let mut extended = false;
    while let Some(line) = lines.next().transpose()? {
        match line.trimmed() {
            [] | [b'#', ..] => {}
            rest if is_word(rest, b"CHARMAP") && !extended && head.base.is_none() => {
                body.read(&mut lines, true)?;
                extended = true;
            }
            rest => return line.error(rest, if extended { "the end of the file" } else { "CHARMAP or the end" }),
        }
    }
    let Body { mut draft, flags, .. } = body;
    if draft.len() == 0 {
        return charmap.error(charmap.bytes, "a mapping");
    }
    if flags == Some(false) {
        draft.last_wins();
    }
    if head.base.is_some() || extended {
        draft.drop_repeated(if extended { before_extension } else { of_base });
    }
    let place = head.substitute(&mut draft.table, charmap)?;
    let column = |line: &Line<'_>| line.bytes.iter().position(|byte| *byte == b'\\').unwrap_or(0);
    draft.finish(file, place, column)
}

/// Returns whether this is `word`, followed only by spaces or a comment.
fn is_word(rest: &[u8], word: &[u8]) -> bool {
    rest.strip_prefix(word).is_some_and(|rest| matches!(skip_blanks(rest), [] | [b'#', ..]))
}

// --- The head
// ---------------------------------------------------------------------------------------------------------

/// A value of the head, and its line.
type Located<'a, T> = Option<(T, Line<'a>)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Single,
    Double,
    Multi,
    Shifted,
}

/// The part of the file before the mappings.
#[derive(Default)]
struct Head<'a> {
    name: Option<String>,
    aliases: Vec<String>,
    class: Located<'a, Class>,
    min: Located<'a, u8>,
    max: Located<'a, u8>,
    substitute: Located<'a, Vec<u8>>,
    substitute1: Located<'a, u8>,
    base: Located<'a, String>,
    rows: Vec<Row<'a>>,
}

impl<'a> Head<'a> {
    /// Reads up to the line `CHARMAP`, and returns that line too.
    fn read(lines: &mut Lines<'a>) -> Result<(Head<'a>, Line<'a>), Error> {
        let mut head = Head::default();
        while let Some(line) = lines.next().transpose()? {
            match line.trimmed() {
                [] | [b'#', ..] => {}
                rest if is_word(rest, b"CHARMAP") => return Ok((head, line)),
                rest => match header(rest) {
                    Ok((_, (key, value))) => head.set(key, value, line)?,
                    Err(nom::Err::Error(error) | nom::Err::Failure(error)) if error.input.len() < rest.len() => {
                        let what = if error.input.is_empty() { "a closing > or quote" } else { "the end of the line" };
                        return line.error(error.input, what);
                    }
                    Err(_) => return line.error(rest, "a header line such as <mb_cur_max> 1, or CHARMAP"),
                },
            }
        }
        let end = lines.end();
        end.error(end.bytes, "CHARMAP")
    }

    fn set(&mut self, key: &[u8], value: &'a [u8], line: Line<'a>) -> Result<(), Error> {
        let word = || match std::str::from_utf8(value) {
            Ok("") => line.error(value, "a value"),
            Ok(word) => Ok(word),
            Err(_) => line.error(value, "a value in UTF-8"),
        };
        let length = || match value {
            [digit @ b'1'..=b'4'] => Ok(digit - b'0'),
            _ => line.error(value, "a number from 1 to 4"),
        };
        match key {
            b"code_set_name" => self.name = Some(word()?.to_owned()),
            b"icu:alias" => {
                for alias in word()?.split_whitespace() {
                    if self.aliases.len() >= MAX_ALIASES {
                        return line.error(alias.as_bytes(), no_more_aliases());
                    }
                    self.aliases.push(alias.to_owned());
                }
            }
            b"icu:base" => self.base = Some((word()?.to_owned(), line)),
            b"mb_cur_min" => self.min = Some((length()?, line)),
            b"mb_cur_max" => self.max = Some((length()?, line)),
            b"uconv_class" => {
                let class = match value {
                    b"SBCS" => Class::Single,
                    b"DBCS" => Class::Double,
                    b"MBCS" => Class::Multi,
                    b"EBCDIC_STATEFUL" => Class::Shifted,
                    _ => return line.error(value, "SBCS, DBCS, MBCS or EBCDIC_STATEFUL"),
                };
                self.class = Some((class, line));
            }
            b"subchar" => match all_bytes(value, &line)?.as_slice() {
                bytes @ [_, ..] if bytes.len() <= 4 => self.substitute = Some((bytes.to_vec(), line)),
                _ => return line.error(value, "one to four bytes such as \\x1A"),
            },
            b"subchar1" => match all_bytes(value, &line)?.as_slice() {
                [byte] => self.substitute1 = Some((*byte, line)),
                _ => return line.error(value, "one byte such as \\x1A"),
            },
            b"icu:state" => {
                if self.rows.len() == MAX_STATES {
                    return line.error(line.bytes, format!("CHARMAP: at most {MAX_STATES} states are allowed"));
                }
                self.rows.push(Row::read(value, line)?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the table without its own mappings, but with those of the base; and the legal byte sequences.
    fn table(
        &self,
        charmap: Line<'a>,
        stem: &str,
        resolve: &dyn Fn(&str) -> Option<Table>,
    ) -> Result<(Table, TableShape), Error> {
        let mut table = Table::new(self.name.clone().unwrap_or_else(|| stem.to_owned()), stem.to_owned());
        table.aliases = self.aliases.iter().cloned().map(Into::into).collect();
        table.substitute1 = self.substitute1.map(|(byte, _)| byte);
        if let (Some((min, _)), Some((max, line))) = (self.min, self.max)
            && min > max
        {
            return line.error(line.trimmed(), format!("<mb_cur_max> of {min} or more, because <mb_cur_min> is {min}"));
        }
        if let Some((name, line)) = &self.base {
            let Some(mut base) = resolve(name) else {
                return line.error(line.trimmed(), format!("an <icu:base> that exists, which {name:?} does not"));
            };
            if base.shape == TableShape::Shifted && self.class.is_some_and(|(class, _)| class == Class::Double) {
                base.shape = TableShape::Double;
                base.mappings.retain(|mapping| mapping.code.len() == 2 && mapping.way != Way::Substitute1);
                base.sequences.retain(|sequence| sequence.bytes.len() > 1);
            }
            (table.shape, table.substitute) = (base.shape, base.substitute);
            (table.mappings, table.sequences) = (base.mappings, base.sequences);
            let legal = table.shape.clone();
            return Ok((table, legal));
        }
        let Some((class, line)) = self.class else {
            return charmap.error(charmap.trimmed(), "<uconv_class> before CHARMAP");
        };
        let implied = match class {
            _ if !self.rows.is_empty() => None,
            Class::Single => Some((TableShape::Single, [1, 1])),
            Class::Double => Some((TableShape::Double, [2, 2])),
            Class::Shifted => Some((TableShape::Shifted, [1, 2])),
            Class::Multi => return line.error(line.trimmed(), "<icu:state> too, because MBCS implies no states"),
        };
        if let Some((byte, line)) = self.substitute1
            && (matches!(implied, Some((TableShape::Single | TableShape::Double, _)))
                || self.min.is_some_and(|(min, _)| min > 1))
        {
            let expected = format!("no <subchar1> (here {byte:02X}): only MBCS and EBCDIC_STATEFUL have one");
            return line.error(line.trimmed(), expected);
        }
        let Some((shape, lengths)) = implied else {
            let (shape, legal) = shape_of(&self.rows)?;
            table.shape = shape;
            return Ok((table, legal));
        };
        for (declared, implied) in [self.min, self.max].into_iter().zip(lengths) {
            if let Some((declared, line)) = declared
                && declared != implied
            {
                return line.error(line.trimmed(), format!("{implied}, which the <uconv_class> implies"));
            }
        }
        table.shape = shape.clone();
        Ok((table, shape))
    }

    /// Sets the substitute of the table. Returns the line to blame if it does not fit.
    fn substitute(&self, table: &mut Table, charmap: Line<'a>) -> Result<Line<'a>, Error> {
        if let Some((bytes, line)) = &self.substitute {
            table.substitute = bytes.clone();
            return Ok(*line);
        }
        let line = self.substitute1.map_or(charmap, |(_, line)| line);
        if self.base.is_none() || Fit::new(&table.shape).codes(&table.substitute) != Some(1) {
            match table.usual_substitute() {
                Some(bytes) => table.substitute = bytes,
                None => return charmap.error(charmap.trimmed(), "<subchar> before CHARMAP"),
            }
        }
        Ok(line)
    }
}

/// Parses the key and the value of a line.
fn header(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8])> {
    let key = delimited(tag("<"), take_while1(|byte| byte != b'>'), tag(">"));
    let quoted = delimited(tag("\""), take_while(|byte| byte != b'"'), tag("\""));
    let bare = take_while(|byte| byte != b'#').map(|value: &[u8]| {
        let blanks = value.iter().rev().take_while(|byte| is_blank(**byte)).count();
        &value[..value.len() - blanks]
    });
    let (input, key) = terminated(key, take_while(is_blank)).parse_complete(input)?;
    let (input, value) = if input.starts_with(b"\"") {
        terminated(quoted, take_while(is_blank)).parse_complete(input)?
    } else {
        let mut bare = bare;
        bare.parse_complete(input)?
    };
    match input {
        [] | [b'#', ..] => Ok((input, (key, value))),
        _ => Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Eof))),
    }
}

/// Parses bytes in the notation of mappings. Nothing else may follow.
fn all_bytes(value: &[u8], line: &Line<'_>) -> Result<Bytes, Error> {
    let mut rest = value;
    let bytes = bytes(&mut rest, line)?;
    if !rest.is_empty() { line.error(rest, "the end of the bytes") } else { Ok(bytes) }
}

// --- The states
// -------------------------------------------------------------------------------------------------------

/// A row of states.
struct Row<'a> {
    line: Line<'a>,
    is_initial: bool,
    entries: Vec<Entry<'a>>,
}

/// An entry of a row: what some bytes do in a state, and its position in the file.
#[derive(Clone)]
struct Entry<'a> {
    at: &'a [u8],
    first: u8,
    last: u8,
    step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Illegal,
    Next(u8),
    /// The sequence ends, and the next one begins in this state.
    Final(u8, Action),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Valid,
    Unassigned,
    ChangeOnly,
    Illegal,
}

impl<'a> Row<'a> {
    fn read(value: &'a [u8], line: Line<'a>) -> Result<Row<'a>, Error> {
        let (rest, word) = match directive(value) {
            Ok((rest, word)) => (rest, word),
            Err(_) => (value, None),
        };
        let mut row = Row { line, is_initial: word == Some(true), entries: Vec::new() };
        let mut rest = skip_blanks(rest);
        if word.is_some() || !rest.is_empty() {
            match separated_list1(spaced(tag(",")), entry).parse_complete(rest) {
                Ok((after, entries)) => (rest, row.entries) = (skip_blanks(after), entries),
                Err(_) => return line.error(rest, "an entry such as 0-7f or 81-fe:1"),
            }
        }
        if let Some(entry) = row.entries.iter().find(|entry| entry.last < entry.first) {
            return line.error(entry.at, "a range from the lower byte to the higher");
        }
        match rest {
            [] => Ok(row),
            [b',', rest @ ..] => line.error(skip_blanks(rest), "an entry such as 0-7f or 81-fe:1"),
            _ => line.error(rest, "a comma or the end of the row"),
        }
    }

    fn steps(&self) -> [Step; 256] {
        let mut steps = [Step::Illegal; 256];
        for entry in &self.entries {
            steps[usize::from(entry.first)..=usize::from(entry.last)].fill(entry.step);
        }
        steps
    }
}

/// Allows spaces before what `parser` reads.
fn spaced<'a, O>(
    parser: impl Parser<&'a [u8], Output = O, Error = nom::error::Error<&'a [u8]>>,
) -> impl Parser<&'a [u8], Output = O, Error = nom::error::Error<&'a [u8]>> {
    preceded(take_while(is_blank), parser)
}

/// Parses `initial,` (true), `surrogates,` (false), or nothing.
fn directive(input: &[u8]) -> IResult<&[u8], Option<bool>> {
    let word = spaced(alt((value(true, tag("initial")), value(false, tag("surrogates")))));
    opt(terminated(word, spaced(tag(",")))).parse_complete(input)
}

fn number(input: &[u8]) -> IResult<&[u8], u8> {
    let digits = take_while_m_n(1, 2, |byte: u8| byte.is_ascii_hexdigit());
    map_opt(spaced(digits), |digits: &[u8]| u8::try_from(hex(digits).0).ok()).parse_complete(input)
}

fn entry(input: &[u8]) -> IResult<&[u8], Entry<'_>> {
    let at = skip_blanks(input);
    let (input, first) = number(input)?;
    let (input, last) = opt(preceded(spaced(tag("-")), number)).parse_complete(input)?;
    let (input, next) = opt(preceded(spaced(tag(":")), opt(number))).parse_complete(input)?;
    let action = alt((
        value(Action::Unassigned, tag("u")),
        value(Action::ChangeOnly, tag("s")),
        value(Action::Illegal, tag("i")),
        // Here a surrogate pair is a character like any other.
        value(Action::Valid, tag("p")),
    ));
    let (input, action) = opt(preceded(spaced(tag(".")), opt(spaced(action)))).parse_complete(input)?;
    let state = next.flatten().unwrap_or(0);
    let step = match (next, action) {
        (_, Some(action)) => Step::Final(state, action.unwrap_or(Action::Valid)),
        (Some(_), None) => Step::Next(state),
        (None, None) => Step::Final(0, Action::Valid),
    };
    Ok((input, Entry { at, first, last: last.unwrap_or(first), step }))
}

/// Returns the shape of these states, and the legal byte sequences. The two differ if the shape has a name, as for
/// single bytes: there, an illegal byte is just as malformed as one without a character.
fn shape_of(rows: &[Row<'_>]) -> Result<(TableShape, TableShape), Error> {
    let is_shifted = rows.get(1).is_some_and(|row| row.is_initial);
    let is_initial = |state: u8| state == 0 || (state == 1 && is_shifted);
    for (state, row) in rows.iter().enumerate() {
        if state > 1 && row.is_initial {
            return row.line.error(row.line.trimmed(), "`initial` only in the rows of states 0 and 1");
        }
        for Entry { at, step, .. } in &row.entries {
            let (Step::Next(next) | Step::Final(next, _)) = *step else { continue };
            if usize::from(next) >= rows.len() {
                return row.line.error(at, format!("a next state up to {:x}, the last one", rows.len() - 1));
            }
            match step {
                Step::Next(_) if is_initial(next) => {
                    return row.line.error(at, "a dot, because a sequence begins in the next state");
                }
                Step::Final(_, Action::ChangeOnly) if !is_shifted => {
                    return row.line.error(at, "no .s: bytes that only change the state are not supported here");
                }
                Step::Final(_, Action::Illegal) => {}
                Step::Final(..) if !is_initial(next) => {
                    return row.line.error(at, "a next state in which a sequence begins, because this sequence ends");
                }
                _ => {}
            }
        }
    }
    let steps: Vec<[Step; 256]> = rows.iter().map(Row::steps).collect();
    let first = &rows[0].line;
    let double = TableShape::Double.states();
    if is_shifted {
        let changes = |steps: &[Step; 256]| {
            steps[usize::from(SO)] == Step::Final(1, Action::ChangeOnly)
                && steps[usize::from(SI)] == Step::Final(0, Action::ChangeOnly)
        };
        let singles = steps[0].iter().filter(|step| **step == Step::Final(0, Action::Valid)).count();
        let pairs = states(&steps, 1, first)?;
        if !changes(&steps[0]) || !changes(&steps[1]) || singles != 254 || !same(&pairs, 0, &double, 0) {
            let supported = "the states that EBCDIC_STATEFUL implies: single bytes except 0E and 0F, and between those two \
                             the pairs of 41 to FE, and 40 40 (others are not supported)";
            return first.error(first.trimmed(), supported);
        }
        return Ok((TableShape::Shifted, TableShape::Shifted));
    }
    let legal = TableShape::Multi(states(&steps, 0, first)?);
    let found = legal.states();
    let shape = if !found[0].iter().any(|cell| matches!(cell, Cell::Next(_))) {
        TableShape::Single
    } else if same(&found, 0, &double, 0) {
        TableShape::Double
    } else {
        legal.clone()
    };
    drop(found);
    Ok((shape, legal))
}

/// Returns the states that can be reached from `start`, which comes first. A byte that leads nowhere is illegal.
fn states(steps: &[[Step; 256]], start: u8, line: &Line<'_>) -> Result<Vec<State>, Error> {
    let mut found = Vec::new();
    let mut heights = vec![None; steps.len()];
    let height = height(steps, start, &mut heights);
    if height.is_none_or(|height| height > super::Code::MAX_LEN) {
        return line.error(line.trimmed(), "states in which a sequence ends after at most four bytes");
    }
    let mut numbers = vec![None; steps.len()];
    let mut order = vec![start];
    numbers[usize::from(start)] = Some(0u8);
    while let Some(state) = order.get(found.len()) {
        let row = steps[usize::from(*state)];
        found.push(row.map(|step| match step {
            Step::Final(_, Action::Valid) => Cell::End,
            Step::Final(_, Action::Unassigned) => Cell::Unassigned,
            Step::Next(next) if heights[usize::from(next)] != Some(0) => {
                let number = *numbers[usize::from(next)].get_or_insert_with(|| {
                    order.push(next);
                    (order.len() - 1) as u8
                });
                Cell::Next(number)
            }
            _ => Cell::Illegal,
        }));
    }
    Ok(found)
}

/// Returns the largest number of bytes from this state to an end, or 0 if there is no end. `None`: the states form a
/// cycle.
fn height(steps: &[[Step; 256]], state: u8, known: &mut [Option<usize>]) -> Option<usize> {
    const IN_PROGRESS: usize = usize::MAX;
    let at = usize::from(state);
    match known[at] {
        Some(IN_PROGRESS) => return None,
        Some(height) => return Some(height),
        None => known[at] = Some(IN_PROGRESS),
    }
    let mut most = 0;
    for step in &steps[at] {
        most = most.max(match step {
            Step::Next(next) => match height(steps, *next, known)? {
                0 => 0,
                height => height + 1,
            },
            Step::Final(_, Action::Valid | Action::Unassigned) => 1,
            _ => 0,
        });
    }
    known[at] = Some(most);
    Some(most)
}

/// Returns whether the same bytes are legal from both states on.
fn same(a: &[State], state_a: u8, b: &[State], state_b: u8) -> bool {
    let known = Place::new(None);
    a[usize::from(state_a)].iter().zip(&b[usize::from(state_b)]).all(|cells| match cells {
        (Cell::Next(a_next), Cell::Next(b_next)) => {
            known.get() == Some((a_next, b_next)) || {
                known.set(Some((a_next, b_next)));
                same(a, *a_next, b, *b_next)
            }
        }
        (a, b) => a == b,
    })
}

// --- The mappings
// -----------------------------------------------------------------------------------------------------

/// The mappings while they are being read.
struct Body<'a> {
    draft: Draft,
    fit: Fit<'a>,
    /// Whether mappings have flags. Either all of them have flags or none.
    flags: Option<bool>,
}

impl Body<'_> {
    /// Reads up to `END CHARMAP`. `extends`: the mappings extend others.
    fn read(&mut self, lines: &mut Lines<'_>, extends: bool) -> Result<(), Error> {
        while let Some(line) = lines.next().transpose()? {
            match line.trimmed() {
                [] | [b'#', ..] => {}
                [b'<', ..] => self.mapping(&line, extends)?,
                rest if rest.strip_prefix(b"END").is_some_and(|rest| is_word(skip_blanks(rest), b"CHARMAP")) => {
                    return Ok(());
                }
                rest => return line.error(rest, "a mapping such as <U0041> \\x41 |0, or END CHARMAP"),
            }
        }
        let end = lines.end();
        end.error(end.bytes, "END CHARMAP")
    }

    fn mapping(&mut self, line: &Line<'_>, extends: bool) -> Result<(), Error> {
        let start = line.trimmed();
        let mut rest = start;
        let text = code_points(&mut rest, line)?;
        let at_bytes = skip_blanks(rest);
        rest = at_bytes;
        let bytes = bytes(&mut rest, line)?;
        let bytes = bytes.as_slice();
        if bytes.is_empty() {
            return line.error(at_bytes, "bytes such as \\x41");
        }
        let at_flag = skip_blanks(rest);
        if at_flag.len() == rest.len() && !matches!(rest, [] | [b'|' | b'#', ..]) {
            return line.error(rest, "a blank, or a byte of two hex digits, such as \\x41");
        }
        let flag = flag(at_flag, line)?;
        match (flag, self.flags) {
            (Some(_), Some(false)) => return line.error(at_flag, "no flag, because the earlier mappings have none"),
            (None, Some(true)) => {
                return line.error(at_flag, "a flag from |0 to |4, because the earlier mappings have one");
            }
            _ => self.flags = Some(flag.is_some()),
        }
        if matches!(bytes, [SO | SI]) && self.draft.table.shape == TableShape::Shifted {
            // These bytes always shift, whatever they are mapped to. ICU ignores such mappings too.
            return Ok(());
        }
        let Some(codes) = self.fit.codes(bytes) else {
            return line.error(at_bytes, format!("bytes that the table's states allow, which {} are not", Hex(bytes)));
        };
        let several = text.as_slice().len() > 1;
        if flag.is_none() && (several || codes > 1 || extends) {
            let expected = "a flag from |0 to |4, which is required for several characters or codes, and in extensions";
            return line.error(at_flag, expected);
        }
        let way = flag.unwrap_or(Way::RoundTrip);
        if way == Way::Substitute1 && several {
            return line.error(at_flag, "a flag other than |2, which is for one character");
        }
        if way == Way::Substitute1 && bytes.len() > 1 {
            return Ok(());
        }
        if way.decodes() && self.fit.is_unassigned(bytes) {
            return line.error(at_bytes, format!("bytes other than {}, which are .u in the states", Hex(bytes)));
        }
        self.draft.push((line, start), bytes, &text, way)
    }
}

/// Takes the code points at the front of `rest`.
fn code_points(rest: &mut &[u8], line: &Line<'_>) -> Result<Chars, Error> {
    const EXAMPLE: &str = "a code point such as <U0041>";
    let mut text = Chars::new();
    loop {
        let at = *rest;
        let after_plus = match at {
            [b'+', after @ ..] if !text.as_slice().is_empty() => after,
            _ => at,
        };
        let Some(digits) = after_plus.strip_prefix(b"<U") else {
            // A plus without another code point after it, or text that only looks like a code point.
            let is_broken = after_plus.len() < at.len() || at.starts_with(b"<") || text.as_slice().is_empty();
            return if is_broken { line.error(after_plus, EXAMPLE) } else { Ok(text) };
        };
        let (number, len) = hex(digits);
        let (1.., Some(b'>')) = (len, digits.get(len)) else { return line.error(after_plus, EXAMPLE) };
        let Some(ch) = char::from_u32(number) else {
            return line.error(after_plus, "a code point up to 10FFFF that is not a surrogate");
        };
        if !text.push(ch) {
            return line
                .error(after_plus, format!("bytes: a mapping has at most {MAX_TEXT} UTF-16 code units of text"));
        }
        *rest = &digits[len + 1..];
    }
}

/// Takes the bytes at the front of `rest`.
fn bytes(rest: &mut &[u8], line: &Line<'_>) -> Result<Bytes, Error> {
    const EXAMPLE: &str = "a byte of two hex digits, such as \\x41";
    let mut bytes = Bytes::new();
    loop {
        let at = *rest;
        let after_plus = match at {
            [b'+', after @ ..] if !bytes.as_slice().is_empty() => after,
            _ => at,
        };
        let [b'\\', digits @ ..] = after_plus else {
            return if after_plus.len() < at.len() { line.error(after_plus, EXAMPLE) } else { Ok(bytes) };
        };
        let Some(byte) = digits.strip_prefix(b"x").and_then(hex_pair) else { return line.error(after_plus, EXAMPLE) };
        if !bytes.push(byte) {
            return line.error(after_plus, format!("at most {MAX_BYTES} bytes"));
        }
        *rest = &digits[3..];
    }
}

/// Returns the flag after the bytes. As in `makeconv`, text before and after it is skipped, even a comment, because old
/// tables have the flag there. But text that looks like more of the mapping is an error, because skipping it would lose
/// a part of the mapping.
fn flag(rest: &[u8], line: &Line<'_>) -> Result<Option<Way>, Error> {
    let text = |of: &[u8]| of.iter().take_while(|byte| **byte != b'#').count();
    let is_more = |pair: &[u8]| matches!(pair, b"\\x" | b"<U");
    if let Some(at) = rest[..text(rest)].windows(2).position(is_more) {
        return line.error(&rest[at..], "a flag from |0 to |4, a comment or the end of the line");
    }
    let Some(bar) = rest.iter().position(|byte| *byte == b'|') else { return Ok(None) };
    let way = match rest[bar + 1..] {
        [b'0', ..] => Way::RoundTrip,
        [b'1', ..] => Way::BestFit,
        [b'2', ..] => Way::Substitute1,
        [b'3', ..] => Way::ToText,
        [b'4', ..] => Way::ToBytes,
        // A comment may contain a vertical bar of its own.
        _ if text(rest) < bar => return Ok(None),
        _ => return line.error(&rest[bar..], "a flag from |0 to |4"),
    };
    match rest.get(bar + 2) {
        Some(b'0'..=b'9') => line.error(&rest[bar..], "a flag from |0 to |4"),
        _ => Ok(Some(way)),
    }
}
