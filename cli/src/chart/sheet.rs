//! A chart as a sheet that can be printed: titles, grids of cells and a key, which `html.rs` and `svg.rs` draw.
//! Everything that a colour shows is also shown in another way.

use super::data::{Cell, ChartData, Difference, Differences, Text};
use super::glyph::{self, Class, class, glyph};
use super::layout::{self, code_points, shift_name};
use crate::messages::Count;
use charpipe::Hex;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// The contents of a sheet.
pub(crate) struct Sheet {
    pub(crate) title: String,
    /// Lines below the title: the source of the table, and aliases.
    pub(crate) lines: Vec<String>,
    pub(crate) grids: Vec<Grid>,
    /// Samples, whose titles explain them.
    pub(crate) key: Vec<Place>,
    /// Lists of differences.
    pub(crate) lists: Vec<List>,
}

/// A grid with sixteen rows for the low half of a byte, and columns for its high half.
pub(crate) struct Grid {
    pub(crate) heading: Option<String>,
    pub(crate) columns: RangeInclusive<usize>,
    /// One place for each of the 256 bytes.
    pub(crate) places: Vec<Place>,
    /// The cells contain only numbers.
    pub(crate) numbers: bool,
    pub(crate) notes: Vec<String>,
}

/// The place of a byte: one face, or two if two charsets differ.
pub(crate) struct Place {
    pub(crate) faces: Vec<Face>,
    /// Both charsets have the same here, so it is shown faded.
    pub(crate) faded: bool,
    /// A description, for a tooltip.
    pub(crate) title: String,
}

/// The contents of a cell.
pub(crate) struct Face {
    pub(crate) class: Class,
    pub(crate) glyph: String,
    /// The code point, such as `0041`; empty if this is not a character.
    pub(crate) code: String,
    /// The text is written as other bytes.
    pub(crate) one_way: bool,
    /// EBCDIC pages have it at different bytes.
    pub(crate) variant: bool,
}

/// Rows below a heading: bytes, and their texts in one charset or in both.
pub(crate) struct List {
    pub(crate) heading: String,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Class {
    /// Returns the description for the key and for tooltips.
    fn words(self) -> &'static str {
        match self {
            Class::Letter => "letter",
            Class::Digit => "digit or number",
            Class::Sign => "punctuation or symbol",
            Class::Blank => "blank",
            Class::Control => "control or format character",
            Class::Combining => "combining, drawn on the character before it",
            Class::Private => "private use",
            Class::Lead => "lead byte, more bytes follow",
            Class::Shift => "shift code",
            Class::None => "unassigned",
        }
    }

    /// Returns the name in style sheets.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Letter => "letter",
            Class::Digit => "digit",
            Class::Sign => "sign",
            Class::Blank => "blank",
            Class::Control => "control",
            Class::Combining => "combining",
            Class::Private => "private",
            Class::Lead => "lead",
            Class::Shift => "shift",
            Class::None => "none",
        }
    }

    /// Returns the glyph for the key.
    fn sample(self) -> &'static str {
        match self {
            Class::Letter => "A",
            Class::Digit => "7",
            Class::Sign => "%",
            Class::Blank => "SP",
            Class::Control => "NUL",
            Class::Combining => "\u{25CC}\u{301}",
            Class::Private => "priv",
            Class::Lead => "»",
            Class::Shift => "SO",
            Class::None => "",
        }
    }
}

impl Face {
    fn bare(class: Class, glyph: &str) -> Self {
        Face { class, glyph: glyph.to_owned(), code: String::new(), one_way: false, variant: false }
    }

    fn of(byte: u8, cell: &Cell, ebcdic: bool) -> Self {
        match cell {
            Cell::None => Face::bare(Class::None, ""),
            Cell::Lead(_) => Face::bare(Class::Lead, "»"),
            Cell::Shift => Face::bare(Class::Shift, glyph::shift(byte)),
            Cell::Text(Text { text, one_way }) => Face {
                class: class(text),
                // Here, each cell has its own direction.
                glyph: glyph(text).text.replace('\u{200E}', ""),
                code: layout::code_of(cell),
                one_way: *one_way,
                variant: ebcdic && glyph::is_variant(text),
            },
        }
    }

    /// Returns whether this is an abbreviation rather than a glyph.
    pub(crate) fn is_word(&self) -> bool {
        self.glyph.is_ascii() && (self.glyph.len() > 1 || self.class == Class::Lead)
    }
}

/// Describes a cell.
fn in_words(cell: &Cell, face: &Face) -> String {
    let mut words = match cell {
        Cell::Text(Text { text, .. }) if face.is_word() => format!("{} {}, ", code_points(text), face.glyph),
        Cell::Text(Text { text, .. }) => format!("{}, ", code_points(text)),
        _ => String::new(),
    };
    words += face.class.words();
    if let Cell::Lead(lead) = cell {
        _ = write!(words, "; {}", several(&layout::count_of(*lead), "character"));
    }
    for (is, what) in [(face.one_way, "written as other bytes"), (face.variant, "variant")] {
        if is {
            _ = write!(words, ", {what}");
        }
    }
    words
}

/// Returns the bytes of a place, including those before it.
fn hex(lead: &[u8], byte: u8) -> String {
    Hex(&[lead, &[byte]].concat()).to_string()
}

/// Returns the sheet of one charset.
pub(crate) fn chart(data: &ChartData<'_>) -> Sheet {
    let ebcdic = data.is_ebcdic();
    let place = |byte: u8| {
        let cell = &data.cells[usize::from(byte)];
        let face = Face::of(byte, cell, ebcdic);
        let title = format!("{}: {}", hex(&data.lead, byte), in_words(cell, &face));
        Place { faces: vec![face], faded: false, title }
    };
    let mut grids = Vec::new();
    if data.has_texts() {
        let mut notes = Vec::new();
        for (byte, cell) in (0..=255).zip(&data.cells) {
            if let Cell::Text(Text { text, .. }) = cell
                && text.chars().nth(1).is_some()
            {
                notes.push(format!("{}: {}", hex(&data.lead, byte), code_points(text)));
            }
        }
        grids.push(grid(None, !data.lead.is_empty(), place, notes));
    }
    for layout::Leads { shift, leads, example } in layout::leads(data) {
        let after = if shift.is_empty() { String::new() } else { format!(" after {}", shift_name(shift)) };
        let heading = format!("Lead bytes{after}, with the number of characters of each");
        let count = |byte: u8| leads[usize::from(byte)].map(layout::count_of);
        let mut notes = vec![format!("To show the characters of one: charpipe chart {} --lead {example}", data.name)];
        if leads.iter().flatten().any(|lead| lead.longer) {
            notes.insert(0, "+ : and longer characters, with two or three more bytes".to_owned());
        }
        grids.push(grid(Some(heading), true, |byte| counted(&data.lead, byte, count(byte), "character"), notes));
    }
    let mut lines = Vec::new();
    if let Some(source) = &data.source {
        lines.push(format!("Table: {source}"));
    }
    if !data.aliases.is_empty() {
        lines.push(format!("Also {}", data.aliases.join(", ")));
    }
    Sheet { title: layout::heading(data), lines, key: key(&grids, None), grids, lists: Vec::new() }
}

/// Returns a place in a grid of numbers.
fn counted(lead: &[u8], byte: u8, count: Option<String>, of_what: &str) -> Place {
    let bytes = hex(lead, byte);
    let (face, title) = match count {
        Some(count) => (Face::bare(Class::Lead, &count), format!("{bytes}: {}", several(&count, of_what))),
        None => (Face::bare(Class::None, ""), bytes),
    };
    Place { faces: vec![face], faded: false, title }
}

/// Returns a count with its noun.
fn several(count: &str, what: &str) -> String {
    format!("{count} {what}{}", if count == "1" { "" } else { "s" })
}

/// Returns a grid. With `trim`, without empty columns at either end.
fn grid(heading: Option<String>, trim: bool, place: impl Fn(u8) -> Place, notes: Vec<String>) -> Grid {
    let places: Vec<Place> = (0..=255).map(place).collect();
    let is_used = |column: &usize| {
        places[column * 16..][..16].iter().flat_map(|place| &place.faces).any(|face| face.class != Class::None)
    };
    let first = (0..16).find(is_used).filter(|_| trim).unwrap_or(0);
    let last = (0..16).rfind(is_used).filter(|_| trim).unwrap_or(15);
    let numbers = places.iter().all(|place| place.faces.iter().all(|face| face.code.is_empty()));
    Grid { heading, columns: first..=last, places, numbers, notes }
}

/// Returns the key to the grids. `names` are those of two charsets that differ in them.
fn key(grids: &[Grid], names: Option<[&str; 2]>) -> Vec<Place> {
    let faces = || {
        let used = |grid: &Grid| grid.columns.start() * 16..grid.columns.end() * 16 + 16;
        grids.iter().flat_map(move |grid| &grid.places[used(grid)]).flat_map(|place| &place.faces)
    };
    let face = |class: Class| Face::bare(class, class.sample());
    let mut classes: Vec<Class> = faces().map(|face| face.class).collect();
    classes.sort_unstable();
    classes.dedup();
    let sample = |faces: Vec<Face>, words: &str| Place { faces, faded: false, title: words.to_owned() };
    let mut key: Vec<Place> = classes.into_iter().map(|class| sample(vec![face(class)], class.words())).collect();
    if faces().any(|face| face.variant) {
        let variant = Face { glyph: "[".to_owned(), variant: true, ..face(Class::Sign) };
        key.push(sample(vec![variant], "variant: EBCDIC pages differ in its byte"));
    }
    if faces().any(|face| face.one_way) {
        let one_way = Face { one_way: true, ..face(Class::Letter) };
        key.push(sample(vec![one_way], "one-way: written as other bytes"));
    }
    if let Some([first, second]) = names {
        let two = ["a", "b"].map(|glyph| Face { glyph: glyph.to_owned(), ..face(Class::Letter) });
        key.push(sample(two.into(), &format!("they differ: left {first}, right {second}")));
    }
    key
}

/// Returns the sheet that compares two charsets. A chart is `None` if the charset has no characters that begin with `lead`.
pub(crate) fn differences(
    names: [&str; 2],
    lead: &[u8],
    charts: &[Option<ChartData<'_>>; 2],
    all: &Differences,
) -> Sheet {
    let [first, second] = names;
    let ebcdic = charts.each_ref().map(|chart| chart.as_ref().is_some_and(ChartData::is_ebcdic));
    let cell = |at: usize, byte: u8| charts[at].as_ref().map_or(&Cell::None, |chart| &chart.cells[usize::from(byte)]);
    let mut grids = Vec::new();
    if charts.iter().flatten().any(ChartData::has_texts) {
        let place = |byte: u8| {
            let cells = [0, 1].map(|at| cell(at, byte));
            let mut faces = vec![Face::of(byte, cells[0], ebcdic[0]), Face::of(byte, cells[1], ebcdic[1])];
            let bytes = hex(lead, byte);
            let [ours, theirs] = [0, 1].map(|at| in_words(cells[at], &faces[at]));
            // The grid of lead bytes shows how many characters follow each.
            let same = cells[0] == cells[1] || cells.iter().all(|cell| matches!(cell, Cell::Lead(_)));
            if same {
                faces.truncate(1);
                return Place { faces, faded: true, title: format!("{bytes}: {ours}") };
            }
            Place { faces, faded: false, title: format!("{bytes}: {first} {ours}; {second} {theirs}") }
        };
        grids.push(grid(None, !lead.is_empty(), place, Vec::new()));
    }
    grids.extend(lead_grid(names, lead, all));
    let mut title = format!("{first} and {second}");
    if !lead.is_empty() {
        _ = write!(title, ", lead {}", Hex(lead));
    }
    let mut lines = match all.found.len() {
        0 => vec!["No difference".to_owned()],
        places => vec![format!("They differ in {}", Count(places as u64, "place"))],
    };
    if all.more {
        lines.push("Four-byte characters are compared only with --lead, which chooses their first bytes".to_owned());
    }
    for (name, chart) in names.iter().zip(charts) {
        if let Some(source) = chart.as_ref().and_then(|chart| chart.source.as_deref()) {
            lines.push(format!("Table of {name}: {source}"));
        }
    }
    let differ = grids.iter().flat_map(|grid| &grid.places).any(|place| place.faces.len() > 1);
    Sheet { title, lines, key: key(&grids, differ.then_some(names)), grids, lists: lists(names, all) }
}

/// Returns the grid of lead bytes, with the number of differences after each, if there are any.
fn lead_grid([first, second]: [&str; 2], lead: &[u8], all: &Differences) -> Option<Grid> {
    let mut counts = [0usize; 256];
    for found in &all.found {
        if found.bytes.len() > lead.len() + 1 {
            counts[usize::from(found.bytes[lead.len()])] += 1;
        }
    }
    let best =
        (0..=255).rev().max_by_key(|byte| counts[usize::from(*byte)]).filter(|byte| counts[usize::from(*byte)] > 0)?;
    let place = |byte: u8| {
        let count = Some(counts[usize::from(byte)]).filter(|count| *count > 0);
        counted(lead, byte, count.map(|count| count.to_string()), "difference")
    };
    let heading = "Lead bytes, with the number of differences after each".to_owned();
    let example = hex(lead, best).replace(' ', "");
    let notes = vec![format!("To show the differences after one: charpipe chart {first} {second} --lead {example}")];
    Some(grid(Some(heading), true, place, notes))
}

/// Returns the lists of differences.
fn lists(names: [&str; 2], all: &Differences) -> Vec<List> {
    let [first, second] = names;
    let shown = |text: &Option<Text>| {
        let text = text.as_ref()?;
        let star = if text.one_way { "*" } else { "" };
        Some(format!("{}{star} {}", glyph(&text.text).text, code_points(&text.text)))
    };
    let mut lists = Vec::new();
    let both = |places| format!("Both have a character, and not the same, in {places}: {first}, {second}");
    let only = |name, places| format!("Only {name} has a character in {places}");
    for (at, rows) in
        [all.both(), all.only(0), all.only(1)].into_iter().enumerate().filter(|(_, rows)| !rows.is_empty())
    {
        let places = Count(rows.len() as u64, "place");
        let heading = if at == 0 { both(places) } else { only(names[at - 1], places) };
        let row = |row: &&Difference| -> Vec<String> {
            std::iter::once(Hex(&row.bytes).to_string()).chain(row.texts.iter().filter_map(shown)).collect()
        };
        let rows = if rows.len() > layout::MAX_LISTED {
            vec![vec![layout::ranges(&rows).join(", ")]]
        } else {
            rows.iter().map(row).collect()
        };
        lists.push(List { heading, rows });
    }
    lists
}
