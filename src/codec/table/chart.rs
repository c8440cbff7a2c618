//! Reads the format of the pages in `codecs/`. `codecs/README.md` describes it for users.
//!
//! A page has a head (`name`, `alias`, `about`, `source`, `sha256`, `shape`, `state`, `substitute`, `substitute1`,
//! `like`), followed by sections. The charts have the layout in which IBM prints them: columns are the high half of a
//! byte, and rows its low half. If bytes follow the word `chart`, the chart has the codes that begin with these bytes.
//! `like` starts from the contents of another page, and `but` lists the cells that differ.

use super::limits::{MAX_ALIASES, MAX_BASES, MAX_STATES, MAX_TEXT, no_more_aliases};
use super::{Cell, Code, Mapping, Sequence, State, Table, TableShape, Way};
use crate::error::{Error, ErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// Reads a page. `resolve` returns the pages that it names with `like`.
///
/// # Errors
/// [`ErrorKind::Table`] with the line and column (from 1) and what was expected there.
///
/// ```standalone_crate
/// use charpipe::codec::table::chart;
///
/// let table = chart::parse(include_str!("../../../codecs/IBM037.txt"), &|_| None)?;
/// assert_eq!(table.name, "IBM037");
/// assert!(table.mappings.iter().any(|mapping| mapping.code.number() == 0xC1 && mapping.ch == 'A'));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn parse(text: &str, resolve: &dyn Fn(&str) -> Option<Table>) -> Result<Table, Error> {
    let mut page = Page::default();
    let mut section = Section::Head;
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("");
        let mut words = content.split_whitespace().map(|text| Word {
            text,
            line: index + 1,
            // The word is a slice of the line.
            column: text.as_ptr() as usize - line.as_ptr() as usize + 1,
        });
        let Some(first) = words.next() else { continue };
        let new_section = match first.text {
            "chart" => {
                let lead = words.next().map(|word| word.lead()).transpose()?;
                Some(Section::Chart(lead))
            }
            "but" => Some(Section::But),
            "to-text" => Some(Section::ToText),
            "both" => Some(Section::Items(Way::RoundTrip)),
            "to-bytes" => Some(Section::Items(Way::ToBytes)),
            "best-fit" => Some(Section::Items(Way::BestFit)),
            // If a byte follows, it is a line of the head.
            "substitute1" if words.clone().next().is_none() => Some(Section::Substitute1),
            _ => None,
        };
        if let Some(new_section) = new_section {
            page.end_of_section(section, first)?;
            (section, page.chart_rows, page.first_column) = (new_section, 0, None);
            if let Some(more) = words.next() {
                return more.expected("the end of the line");
            }
            continue;
        }
        match section {
            Section::Head => page.head(first, &mut words, resolve)?,
            Section::Chart(lead) => page.row(lead, first, &mut words)?,
            _ => {
                for word in std::iter::once(first).chain(words) {
                    page.item(section, word)?;
                }
            }
        }
    }
    let end = Word { text: "", line: text.lines().count().max(1), column: 1 };
    page.end_of_section(section, end)?;
    page.into_table(end)
}

/// The part of the page that is currently read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Head,
    /// Single bytes, or the codes that begin with these bytes.
    Chart(Option<Code>),
    But,
    ToText,
    Items(Way),
    Substitute1,
}

/// A word and its position.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Word<'a> {
    fn expected<T>(self, expected: impl Into<String>) -> Result<T, Error> {
        Err(ErrorKind::Table { line: self.line, column: self.column, expected: expected.into() }.into())
    }

    /// Returns the part of the word from `at` on that is `len` bytes long.
    fn part(self, at: usize, len: usize) -> Word<'a> {
        Word { text: &self.text[at..at + len], line: self.line, column: self.column + at }
    }

    fn byte(self) -> Result<u8, Error> {
        match u8::from_str_radix(self.text, 16) {
            Ok(byte) if self.text.len() == 2 => Ok(byte),
            _ => self.expected("a byte of two hex digits"),
        }
    }

    fn bytes(self) -> Result<Vec<u8>, Error> {
        let digits = self.text.as_bytes();
        let fits = matches!(digits.len(), 2..=62) && digits.iter().all(u8::is_ascii_hexdigit);
        if !fits || !digits.len().is_multiple_of(2) {
            return self.expected("one to 31 bytes of two hex digits each");
        }
        (0..digits.len() / 2).map(|index| self.part(index * 2, 2).byte()).collect()
    }

    /// Reads the bytes before the last one of a code.
    fn lead(self) -> Result<Code, Error> {
        match Code::new(&self.bytes()?) {
            Some(code) if code.len() < Code::MAX_LEN => Ok(code),
            _ => self.expected("one to three bytes of two hex digits each"),
        }
    }

    /// Reads what some bytes do in a state: `HH` or `HH-HH`, and `:N` for the next state or `.u` for no character.
    fn state_entry(self) -> Result<(u8, u8, Cell), Error> {
        let mut range = self;
        let cell = if let Some(plain) = self.text.strip_suffix(".u") {
            range = self.part(0, plain.len());
            Cell::Unassigned
        } else if let Some(at) = self.text.find(':') {
            let next = self.part(at + 1, self.text.len() - at - 1);
            range = self.part(0, at);
            match next.text.parse() {
                Ok(next) => Cell::Next(next),
                Err(_) => return next.expected("the number of a state, from 0"),
            }
        } else {
            Cell::End
        };
        let (first, last) = match range.text.find('-') {
            Some(at) => (range.part(0, at).byte()?, range.part(at + 1, range.text.len() - at - 1).byte()?),
            None => (range.byte()?, range.byte()?),
        };
        Ok((first, last, cell))
    }

    fn code(self) -> Result<Code, Error> {
        match Code::new(&self.bytes()?) {
            Some(code) => Ok(code),
            None => self.expected("one to four bytes"),
        }
    }

    fn ch(self) -> Result<char, Error> {
        let digits = matches!(self.text.len(), 4..=6) && self.text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code_point = u32::from_str_radix(self.text, 16).ok().filter(|_| digits);
        match code_point.and_then(char::from_u32) {
            Some(ch) => Ok(ch),
            None => self.expected("a code point of four to six hex digits that is not a surrogate"),
        }
    }

    fn chars(self) -> Result<String, Error> {
        let mut at = 0;
        let mut units = 0;
        let mut text = String::new();
        for part in self.text.split('+') {
            let part_word = self.part(at, part.len());
            let ch = part_word.ch()?;
            units += ch.len_utf16();
            if units > MAX_TEXT {
                return part_word.expected(format!("at most {MAX_TEXT} UTF-16 code units of text"));
            }
            text.push(ch);
            at += part.len() + 1;
        }
        Ok(text)
    }

    /// Splits `BYTES=WHAT` into its halves.
    fn halves(self) -> Result<(Word<'a>, Word<'a>), Error> {
        match self.text.find('=') {
            Some(at) => Ok((self.part(0, at), self.part(at + 1, self.text.len() - at - 1))),
            None => self.expected("bytes, an equals sign, and a code point"),
        }
    }
}

/// The contents read so far.
#[derive(Default)]
struct Page {
    name: Option<String>,
    aliases: Vec<String>,
    /// The number of pages that it builds on.
    bases: usize,
    source: String,
    shape: Option<TableShape>,
    /// Whether `shape` is to be described by `state` lines.
    has_states: bool,
    states: Vec<State>,
    substitute: Option<Vec<u8>>,
    substitute1: Option<u8>,
    /// The cells of the charts, and those that are used to decode only.
    cells: BTreeMap<Code, char>,
    to_text: BTreeSet<Code>,
    /// The mappings outside the charts, by way. Those of [`Way::Substitute1`] have no bytes.
    items: BTreeSet<(Way, String, Vec<u8>)>,
    chart_rows: u8,
    /// The first column of the chart, if its line of column heads was read.
    first_column: Option<u8>,
}

const SHAPES: &str = "single, double, shifted, led or states";

/// The contents of a chart cell whose byte has no character.
const NO_CHARACTER: &str = "----";

impl Page {
    fn head<'a>(
        &mut self,
        key: Word<'a>,
        words: &mut impl Iterator<Item = Word<'a>>,
        resolve: &dyn Fn(&str) -> Option<Table>,
    ) -> Result<(), Error> {
        let mut only = |what: &str| match (words.next(), words.next()) {
            (Some(word), None) => Ok(word),
            (None, _) => key.expected(format!("{what} after it")),
            (_, Some(more)) => more.expected("the end of the line"),
        };
        match key.text {
            "name" => self.name = Some(only("a name")?.text.to_owned()),
            "alias" => {
                for word in words {
                    if self.aliases.len() >= MAX_ALIASES {
                        return word.expected(no_more_aliases());
                    }
                    self.aliases.push(word.text.to_owned());
                }
            }
            "source" => self.source = only("a source")?.text.to_owned(),
            "sha256" => drop(only("a digest")?),
            // A description for people.
            "about" => words.for_each(drop),
            "state" => self.state(key, words)?,
            "substitute" => self.substitute = Some(only("bytes")?.bytes()?),
            "substitute1" => self.substitute1 = Some(only("a byte")?.byte()?),
            "shape" => self.shape(only(SHAPES)?)?,
            "like" => {
                for word in words {
                    self.bases += 1;
                    if self.bases > MAX_BASES {
                        return word
                            .expected(format!("the end of the line: a page may build on at most {MAX_BASES} pages"));
                    }
                    match resolve(word.text) {
                        Some(table) => self.begin_with(table),
                        None => return word.expected("the name of an existing page"),
                    }
                }
            }
            _ => {
                return key.expected(
                    "name, alias, about, source, sha256, shape, state, substitute, substitute1, like, or a section: \
                     chart, but, both, to-text, to-bytes, best-fit or substitute1",
                );
            }
        }
        Ok(())
    }

    fn shape(&mut self, word: Word<'_>) -> Result<(), Error> {
        self.shape = Some(match word.text {
            "single" => TableShape::Single,
            "double" => TableShape::Double,
            "shifted" => TableShape::Shifted,
            // The charts show which bytes are lead bytes.
            "led" => TableShape::Multi(Vec::new()),
            "states" => {
                self.has_states = true;
                TableShape::Multi(Vec::new())
            }
            _ => return word.expected(SHAPES),
        });
        Ok(())
    }

    /// Reads what the bytes do in the next state.
    fn state<'a>(&mut self, key: Word<'a>, words: &mut impl Iterator<Item = Word<'a>>) -> Result<(), Error> {
        if self.states.len() == MAX_STATES {
            return key.expected(format!("at most {MAX_STATES} states"));
        }
        let mut cells = [Cell::Illegal; 256];
        for word in words {
            let (first, last, cell) = word.state_entry()?;
            if first > last {
                return word.expected("a range of bytes in ascending order");
            }
            cells[usize::from(first)..=usize::from(last)].fill(cell);
        }
        self.states.push(cells);
        Ok(())
    }

    fn begin_with(&mut self, table: Table) {
        for Mapping { code, ch, way } in table.mappings {
            // Whatever fits in a cell goes into a cell.
            if way.decodes() && ((ch as u32) < 0x1_0000 || self.has_states) {
                self.cells.insert(code, ch);
                if way == Way::ToText {
                    self.to_text.insert(code);
                }
            } else {
                let bytes = if way == Way::Substitute1 { Vec::new() } else { code.bytes()[..code.len()].to_vec() };
                self.items.insert((way, ch.to_string(), bytes));
            }
        }
        for Sequence { bytes, text, way } in table.sequences {
            self.items.insert((way, text, bytes));
        }
    }

    fn row<'a>(
        &mut self,
        lead: Option<Code>,
        label: Word<'a>,
        words: &mut impl Iterator<Item = Word<'a>>,
    ) -> Result<(), Error> {
        if self.chart_rows == 0
            && let Some(digit) = label.text.strip_suffix('-')
            && let (1, Ok(column)) = (digit.len(), u8::from_str_radix(digit, 16))
        {
            self.first_column = Some(column);
            return Ok(());
        }
        let first = self.first_column.unwrap_or(if lead.is_some() { 4 } else { 0 });
        let columns = 16 - first;
        if self.chart_rows > 15 {
            return label.expected("the next section, because the chart is complete");
        }
        if label.text != format!("-{:X}", self.chart_rows) {
            return label.expected(format!("row -{:X}", self.chart_rows));
        }
        for column in 0..columns {
            let Some(word) = words.next() else { return label.expected(format!("{columns} columns")) };
            let byte = (first + column) << 4 | self.chart_rows;
            let code = match lead {
                Some(lead) => Code { len: lead.len + 1, number: lead.number << 8 | u32::from(byte) },
                None => Code::single(byte),
            };
            let is_new = self.set(code, word)?;
            if !is_new {
                return word.expected("each byte in one chart only");
            }
        }
        self.chart_rows += 1;
        words.next().map_or(Ok(()), |more| more.expected(format!("{columns} columns")))
    }

    /// Sets a cell. Returns whether it was empty.
    fn set(&mut self, code: Code, cell: Word<'_>) -> Result<bool, Error> {
        if cell.text == NO_CHARACTER {
            return Ok(self.cells.remove(&code).is_none());
        }
        let ch = cell.ch()?;
        if ch as u32 > 0xFFFF && !self.has_states {
            return cell.expected("a code point of four digits (a longer one goes under `both`)");
        }
        Ok(self.cells.insert(code, ch).is_none())
    }

    fn item(&mut self, section: Section, word: Word<'_>) -> Result<(), Error> {
        let (away, word) = match word.text.strip_prefix('-') {
            Some(rest) if section != Section::But => (true, word.part(1, rest.len())),
            _ => (false, word),
        };
        let way = match section {
            Section::But => {
                let (bytes, cell) = word.halves()?;
                return self.set(bytes.code()?, cell).map(drop);
            }
            Section::Substitute1 => {
                let (first, last) = match word.text.find("..") {
                    Some(at) => (word.part(0, at).ch()?, word.part(at + 2, word.text.len() - at - 2).ch()?),
                    None => (word.ch()?, word.ch()?),
                };
                for ch in first..=last {
                    let item = (Way::Substitute1, ch.to_string(), Vec::new());
                    put(&mut self.items, item, away, word, "each character once")?;
                }
                return Ok(());
            }
            Section::ToText if !word.text.contains('=') => {
                return put(&mut self.to_text, word.code()?, away, word, "each code once");
            }
            Section::ToText => Way::ToText,
            Section::Items(way) => way,
            Section::Head | Section::Chart(_) => return word.expected("a section"),
        };
        let (bytes, chars) = word.halves()?;
        let item = (way, chars.chars()?, bytes.bytes()?);
        put(&mut self.items, item, away, word, "each mapping once")
    }

    fn end_of_section(&self, section: Section, next: Word<'_>) -> Result<(), Error> {
        match section {
            Section::Chart(_) if self.chart_rows < 16 => next.expected(format!("row -{:X}", self.chart_rows)),
            _ => Ok(()),
        }
    }

    fn into_table(self, end: Word<'_>) -> Result<Table, Error> {
        let Some(name) = self.name else { return end.expected("a name") };
        let Some(substitute) = self.substitute else { return end.expected("a substitute") };
        if self.cells.is_empty() {
            return end.expected("a chart");
        }
        let leads = self.cells.keys().filter(|code| code.len() == 2).map(|code| code.bytes()[0]);
        let shape = match self.shape.unwrap_or(TableShape::Single) {
            TableShape::Multi(_) if self.has_states => match states_problem(&self.states) {
                Some(problem) => return end.expected(problem),
                None => TableShape::Multi(self.states),
            },
            TableShape::Multi(_) => TableShape::led_by(leads),
            shape => shape,
        };
        let fits = |len: usize| match shape {
            TableShape::Single => len == 1,
            TableShape::Double => len == 2,
            TableShape::Shifted => len <= 2,
            TableShape::Multi(_) => true,
        };
        let mut table = Table::new(name, self.source);
        table.substitute = substitute;
        table.substitute1 = self.substitute1;
        table.aliases = self.aliases.into_iter().map(Into::into).collect();
        if let Some(code) = self.to_text.iter().find(|code| !self.cells.contains_key(code)) {
            return end.expected(format!(
                "a character for {:0w$X}, which to-text lists",
                code.number(),
                w = 2 * code.len()
            ));
        }
        table.mappings.reserve(self.cells.len() + self.items.len());
        for (code, ch) in self.cells {
            if !fits(code.len()) {
                return end.expected("codes of the page's shape");
            }
            let way = if self.to_text.contains(&code) { Way::ToText } else { Way::RoundTrip };
            table.mappings.push(Mapping { code, ch, way });
        }
        for (way, text, bytes) in self.items {
            match way {
                Way::Substitute1 => table.add(&[self.substitute1.unwrap_or(table.substitute[0])], &text, way),
                _ => table.add(&bytes, &text, way),
            }
        }
        table.shape = shape;
        match table.check() {
            Ok(()) => Ok(table),
            Err(error) => match error.kind() {
                ErrorKind::Table { expected, .. } => end.expected(expected.clone()),
                _ => Err(error),
            },
        }
    }
}

/// Adds an item to a set, or takes it away. `once`: what is expected if it is there already.
fn put<T: Ord>(set: &mut BTreeSet<T>, item: T, away: bool, word: Word<'_>, once: &str) -> Result<(), Error> {
    match away {
        true if !set.remove(&item) => word.expected("an existing entry to remove"),
        false if !set.insert(item) => word.expected(once),
        _ => Ok(()),
    }
}

/// Returns what would have to be different in the states: they must lead to an end after at most four bytes.
fn states_problem(states: &[State]) -> Option<String> {
    let next = |cell: &Cell| match cell {
        Cell::Next(next) => Some(usize::from(*next)),
        _ => None,
    };
    if states.iter().flatten().filter_map(next).any(|next| next >= states.len()) {
        return Some("a line `state` for each state that another one names".into());
    }
    // How many bytes can be read from state 0 on without an end.
    let mut reached = vec![0];
    for _ in 0..Code::MAX_LEN {
        reached = reached.iter().flat_map(|state| states.get(*state).into_iter().flatten().filter_map(next)).collect();
        crate::sort::by(&mut reached, Ord::cmp);
        reached.dedup();
    }
    (!reached.is_empty() || states.is_empty())
        .then(|| "states in which every code ends after at most four bytes".into())
}
