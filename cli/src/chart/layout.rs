//! Charts as text, laid out as IBM prints them: columns for the high half of a byte, rows for its low half. Lines are
//! at most 100 columns wide unless a cell needs more.

use super::data::{Cell, ChartData, Difference, Differences, Lead, Text};
use super::glyph::{self, Class, Glyph, glyph};
use crate::messages::Count;
use crate::messages::color::{self, paint};
use anstyle::{AnsiColor, Style};
use charpipe::Hex;
use std::fmt::Write as _;

/// The greatest width of a line, in columns.
const WIDTH: usize = 100;

/// Returns the chart of a codec and those of its lead bytes.
pub(crate) fn chart(data: &ChartData<'_>, colored: bool) -> String {
    let mut page = title(data, colored);
    // In a charset of two-byte characters, no single byte is a character.
    if data.has_texts() {
        page.push('\n');
        let ebcdic = data.is_ebcdic();
        let shown = |byte: u8| {
            let cell = &data.cells[byte as usize];
            GridCell { glyph: glyph_of(byte, cell), style: style_of(cell, ebcdic), code: code_of(cell) }
        };
        page += &grid(!data.lead.is_empty(), colored, shown);
        page += &legend(data, ebcdic && colored);
    }
    for Leads { shift, leads, example } in leads(data) {
        let after = if shift.is_empty() { String::new() } else { format!(" after {}", shift_name(shift)) };
        _ = writeln!(page, "\nLead bytes{after}, with the number of characters of each\n");
        let counted = |byte: u8| Glyph::named(&leads[byte as usize].map(count_of).unwrap_or_default());
        let shown = |byte: u8| GridCell { glyph: counted(byte), style: color::PLAIN, code: String::new() };
        page += &grid(true, colored, shown);
        if leads.iter().flatten().any(|lead| lead.longer) {
            page += "\n+    and longer characters, with two or three more bytes\n";
        }
        _ = writeln!(page, "\nTo show the characters of one: charpipe chart {} --lead {example}", data.name);
    }
    page
}

/// The lead bytes of a set.
pub(crate) struct Leads<'a> {
    /// The code that shifts to the set; empty for the initial set.
    pub(crate) shift: &'a [u8],
    pub(crate) leads: Vec<Option<Lead>>,
    /// A value for `--lead`: the first of the bytes with the most characters, after the bytes before it.
    pub(crate) example: String,
}

/// Returns the sets that have lead bytes.
pub(crate) fn leads<'a>(data: &'a ChartData<'_>) -> Vec<Leads<'a>> {
    let own = data.cells.iter().map(|cell| if let Cell::Lead(lead) = cell { Some(*lead) } else { None });
    let shifted = data.shifted.iter().map(|set| (&*set.shift, set.leads.clone()));
    let sets = std::iter::once((&[][..], own.collect())).chain(shifted);
    let with_example = |(shift, leads): (&'a [u8], Vec<Option<Lead>>)| {
        let characters = |byte: &u8| leads[*byte as usize].map_or(0, |lead| lead.characters);
        let best = (0..=255).rev().filter(|byte| leads[*byte as usize].is_some()).max_by_key(characters)?;
        let example = format!("{:X}", Hex(&[&*data.lead, &[best]].concat()));
        Some(Leads { shift, leads, example })
    };
    sets.filter_map(with_example).collect()
}

/// Returns the number of characters of a lead byte, with a plus if there are longer ones.
pub(crate) fn count_of(lead: Lead) -> String {
    format!("{}{}", lead.characters, if lead.longer { "+" } else { "" })
}

/// Returns the name of the charset, and which byte is charted.
pub(crate) fn heading(data: &ChartData<'_>) -> String {
    let mut heading = data.name.to_string();
    if !data.lead.is_empty() {
        _ = write!(heading, ", lead byte{} {}", if data.lead.len() > 1 { "s" } else { "" }, Hex(&data.lead));
    }
    if !data.shift.is_empty() {
        _ = write!(heading, ", after {}", shift_name(&data.shift));
    }
    heading
}

fn title(data: &ChartData<'_>, colored: bool) -> String {
    let mut title = paint(colored, color::NAME, heading(data)).to_string();
    if let Some(source) = &data.source {
        _ = write!(title, ", from {source}");
    }
    title.push('\n');
    if !data.aliases.is_empty() {
        wrap(&mut title, "also ", data.aliases.iter().map(|alias| alias.to_string()), WIDTH, ",");
    }
    title
}

/// Appends words, separated by `between`, in lines of up to `columns` columns. `first` begins the first line, and the
/// other lines are indented as far.
pub(crate) fn wrap(page: &mut String, first: &str, words: impl Iterator<Item = String>, columns: usize, between: &str) {
    let mut column = first.len();
    page.push_str(first);
    let mut words = words.peekable();
    let mut begun = true;
    while let Some(word) = words.next() {
        let word = if words.peek().is_some() { word + between } else { word };
        if !begun && column + 1 + word.len() > columns {
            _ = write!(page, "\n{:indent$}", "", indent = first.len());
            (column, begun) = (first.len(), true);
        }
        let gap = usize::from(!begun);
        _ = write!(page, "{:gap$}{word}", "");
        column += gap + word.len();
        begun = false;
    }
    page.push('\n');
}

/// Returns the name of a shift code.
pub(crate) fn shift_name(shift: &[u8]) -> String {
    match shift {
        [byte] => format!("{byte:02X} ({})", glyph::shift(*byte)),
        _ => Hex(shift).to_string(),
    }
}

/// A cell: a glyph and, on the line below, a code if there is one.
struct GridCell {
    glyph: Glyph,
    style: Style,
    code: String,
}

/// Returns sixteen by sixteen cells, each of one line or two. With `trim`, without empty columns at either end.
fn grid(trim: bool, colored: bool, shown: impl Fn(u8) -> GridCell) -> String {
    let shown: Vec<GridCell> = (0..=255).map(shown).collect();
    let two_lines = shown.iter().any(|cell| !cell.code.is_empty());
    let is_used = |column: &usize| shown[column * 16..][..16].iter().any(|cell| cell.glyph.width > 0);
    let first = (0..16).find(is_used).filter(|_| trim).unwrap_or(0);
    let last = (0..16).rfind(is_used).filter(|_| trim).unwrap_or(15);
    let width = shown.iter().map(|cell| cell.glyph.width.max(cell.code.len()) + 1).max().unwrap_or(0).max(5);
    let mut page = String::new();
    let mut line = |label: &str, cells: &mut dyn Iterator<Item = (&str, usize, Style)>| {
        let mut line = if label.is_empty() { String::new() } else { paint(colored, color::NAME, label).to_string() };
        // Spaces are written before the next text, and so never at the end of a line.
        let mut gap = 4usize.saturating_sub(label.len());
        for (text, columns, style) in cells {
            if !text.is_empty() {
                _ = write!(line, "{:gap$}{}", "", paint(colored, style, text));
                gap = 0;
            }
            gap += width.saturating_sub(columns);
        }
        page.push_str(&line);
        page.push('\n');
    };
    let heads: Vec<String> = (first..=last).map(|column| format!("{column:X}-")).collect();
    line("", &mut heads.iter().map(|head| (&**head, 2, color::NAME)));
    for row in 0..16 {
        let row_of = || (first..=last).map(|column| &shown[column * 16 + row]);
        line(&format!("-{row:X}"), &mut row_of().map(|cell| (&*cell.glyph.text, cell.glyph.width, cell.style)));
        if two_lines {
            line("", &mut row_of().map(|cell| (&*cell.code, cell.code.len(), color::DIM)));
        }
    }
    page
}

/// Returns the style of a cell. The colours, for everything except letters, are legible on light and dark backgrounds.
fn style_of(cell: &Cell, ebcdic: bool) -> Style {
    let text = match cell {
        Cell::Text(Text { text, .. }) => text,
        Cell::Lead(_) => return AnsiColor::Blue.on_default(),
        Cell::Shift => return AnsiColor::Yellow.on_default(),
        Cell::None => return color::DIM,
    };
    let style = match glyph::class(text) {
        Class::Digit => AnsiColor::Cyan.on_default(),
        Class::Sign => AnsiColor::Magenta.on_default(),
        Class::Combining => AnsiColor::Green.on_default(),
        Class::Blank | Class::Control | Class::Private => color::DIM,
        _ => color::PLAIN,
    };
    if ebcdic && glyph::is_variant(text) { style.bold().underline() } else { style }
}

fn glyph_of(byte: u8, cell: &Cell) -> Glyph {
    match cell {
        Cell::None => Glyph::named(""),
        Cell::Text(text) => starred(text),
        Cell::Lead(_) => Glyph { text: "»".to_owned(), width: 1 },
        Cell::Shift => Glyph::named(glyph::shift(byte)),
    }
}

/// Returns the glyph, with a star if the text is one-way.
fn starred(text: &Text) -> Glyph {
    let Glyph { text: shown, width } = glyph(&text.text);
    if text.one_way { Glyph { text: shown + "*", width: width + 1 } } else { Glyph { text: shown, width } }
}

/// Returns the code point, with a plus if there are more.
pub(crate) fn code_of(cell: &Cell) -> String {
    match cell {
        Cell::None => "----".to_owned(),
        Cell::Text(Text { text, .. }) => {
            let mut chars = text.chars();
            let first = chars.next().map_or(0, u32::from);
            format!("{first:04X}{}", if chars.as_str().is_empty() { "" } else { "+" })
        }
        Cell::Lead(_) | Cell::Shift => String::new(),
    }
}

/// Returns the legend of the signs in the chart. With `variant`, including that of variant characters, which only a
/// coloured chart has.
fn legend(data: &ChartData<'_>, variant: bool) -> String {
    let mut lines = Vec::new();
    if variant {
        let sample = paint(true, color::PLAIN.bold().underline(), "[");
        lines.push(format!("{sample}    underlined: EBCDIC pages differ in its byte"));
    }
    let has = |is: &dyn Fn(&Cell) -> bool| data.cells.iter().any(is);
    if has(&|cell| matches!(cell, Cell::Text(text) if text.one_way)) {
        lines.push(ONE_WAY.to_owned());
    }
    if has(&|cell| matches!(cell, Cell::Lead(_))) {
        lines.push("»    a lead byte: more bytes follow".to_owned());
    }
    let shifts = (0..=255).filter(|byte| data.cells[usize::from(*byte)] == Cell::Shift);
    let shifts: Vec<String> = shifts.map(|byte: u8| format!("{byte:02X}")).collect();
    if !shifts.is_empty() {
        lines.push(format!("{}, without a code point: shift codes", shifts.join(" and ")));
    }
    for (byte, cell) in data.cells.iter().enumerate() {
        if let Cell::Text(Text { text, .. }) = cell
            && text.chars().nth(1).is_some()
        {
            lines.push(format!("{byte:02X}   {}", code_points(text)));
        }
    }
    if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join("\n")) }
}

const ONE_WAY: &str = "*    one-way: written as other bytes";

/// Returns the code points of a text, such as `U+0041`, separated by spaces.
pub(crate) fn code_points(text: &str) -> String {
    text.chars().map(|ch| format!("U+{:04X}", ch as u32)).collect::<Vec<_>>().join(" ")
}

/// How many sequences that only one of two codecs has are listed with their characters; more are listed as ranges.
pub(crate) const MAX_LISTED: usize = 256;

/// Returns the differences of two codecs: first the sequences that both have, then those that only one has.
pub(crate) fn differences([first, second]: [&str; 2], all: &Differences, colored: bool) -> String {
    let named = |text| paint(colored, color::NAME, text);
    let bytes_of =
        |bytes: &[u8], width: usize| paint(colored, color::NAME, format!("{:width$}", Hex(bytes).to_string()));
    let in_words = |text: &Text| in_words(text, colored);
    let mut page = String::new();
    if all.found.is_empty() {
        _ = writeln!(page, "{first} and {second}: no difference");
    }
    let both = all.both();
    let shown = both.iter().map(|row| row.texts.each_ref().map(|text| text.as_ref().map(in_words).unwrap_or_default()));
    let shown: Vec<[(String, usize); 2]> = shown.collect();
    let any_one_way =
        |rows: &[&Difference]| rows.iter().flat_map(|row| row.texts.iter().flatten()).any(|text| text.one_way);
    let mut starred = any_one_way(&both);
    if !both.is_empty() {
        _ = writeln!(page, "{first} and {second} differ in {}:\n", Count(both.len() as u64, "place"));
        let bytes = both.iter().map(|row| row.bytes.len() * 3 + 1).max().unwrap_or(0);
        let column = shown.iter().map(|[(_, width), _]| width + 3).max().unwrap_or(0).max(first.len() + 3);
        let pad = column - first.len();
        _ = writeln!(page, "{:bytes$}{}{:pad$}{}", "", named(first), "", named(second));
        for (row, [(ours, width), (theirs, _)]) in both.iter().zip(&shown) {
            let pad = column - width;
            _ = writeln!(page, "{}{ours}{:pad$}{theirs}", bytes_of(&row.bytes, bytes), "");
        }
    }
    for (name, at) in [(first, 0), (second, 1)] {
        let only = all.only(at);
        if only.is_empty() {
            continue;
        }
        let gap = if page.is_empty() { "" } else { "\n" };
        _ = writeln!(page, "{gap}Only {name} has a character in {}:\n", Count(only.len() as u64, "place"));
        if only.len() > MAX_LISTED {
            wrap(&mut page, "", ranges(&only).into_iter(), WIDTH, ",");
            continue;
        }
        starred |= any_one_way(&only);
        for row in only {
            let text = row.texts[at].as_ref().map(in_words).unwrap_or_default().0;
            _ = writeln!(page, "{}  {text}", bytes_of(&row.bytes, 0));
        }
    }
    if starred {
        _ = writeln!(page, "\n{ONE_WAY}");
    }
    if all.more {
        page += "\nFour-byte characters are compared only with --lead, which chooses their first bytes.\n";
    }
    page
}

/// Returns a glyph with its code points, and their width in columns.
fn in_words(text: &Text, colored: bool) -> (String, usize) {
    let Glyph { text: shown, width } = starred(text);
    let codes = code_points(&text.text);
    let pad = 6usize.saturating_sub(width).max(1);
    let shown = paint(colored, color::PLAIN.bold(), shown);
    (format!("{shown}{:pad$}{}", "", paint(colored, color::DIM, &codes)), width + pad + codes.len())
}

/// Returns the ranges of sequences that differ only in the last byte, which increases by one.
pub(crate) fn ranges(rows: &[&Difference]) -> Vec<String> {
    let follows = |a: &&Difference, b: &&Difference| match (a.bytes.split_last(), b.bytes.split_last()) {
        (Some((a, front)), Some((b, same))) => front == same && a.checked_add(1) == Some(*b),
        _ => false,
    };
    let run = |rows: &[&Difference]| match rows {
        [first, .., last] => format!("{}-{}", Hex(&first.bytes), Hex(&last.bytes[last.bytes.len() - 1..])),
        _ => rows.iter().map(|row| Hex(&row.bytes).to_string()).collect(),
    };
    rows.chunk_by(follows).map(run).collect()
}
