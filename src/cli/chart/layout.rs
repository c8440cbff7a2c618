//! Charts as text, as wide as IBM prints them: the columns are the high half of a byte, the rows its low half. No line is
//! wider than 100 columns unless a character needs that.

use super::data::{Cell, ChartData, Difference, Differences, Lead, Text};
use super::glyph::{self, Glyph, glyph};
use crate::error::Hex;
use std::fmt::Write as _;

/// How wide a line may be.
const WIDTH: usize = 100;

/// The chart of a codec, and where its lead bytes are.
pub(super) fn chart(data: &ChartData<'_>) -> String {
    let mut page = title(data);
    let texts = || data.cells.iter().filter_map(|cell| if let Cell::Text(text) = cell { Some(text) } else { None });
    // A charset of pairs has nothing to show in the first byte.
    if texts().next().is_some() || !data.lead.is_empty() {
        page.push('\n');
        let shown = |byte: u8| (glyph_of(byte, &data.cells[byte as usize]), code_of(&data.cells[byte as usize]));
        page += &grid(!data.lead.is_empty(), shown);
        page += &legend(data);
    }
    let own: Vec<Option<Lead>> =
        data.cells.iter().map(|cell| if let Cell::Lead(lead) = cell { Some(*lead) } else { None }).collect();
    let sets = data.shifted.iter().map(|set| (&*set.shift, &set.leads));
    for (shift, leads) in std::iter::once((&[][..], &own)).chain(sets) {
        let characters = |byte: &u8| leads[*byte as usize].map_or(0, |lead| lead.characters);
        // The first of those that have the most: a good example.
        let Some(best) = (0..=255).rev().filter(|byte| leads[*byte as usize].is_some()).max_by_key(characters) else {
            continue;
        };
        let behind = if shift.is_empty() { String::new() } else { format!(", behind {}", shift_name(shift)) };
        _ = writeln!(page, "\nLead bytes{behind}, and how many characters each has\n");
        let count = |lead: Lead| format!("{}{}", lead.characters, if lead.longer { "+" } else { "" });
        let counted = |byte: u8| Glyph::named(&leads[byte as usize].map(count).unwrap_or_default());
        page += &grid(true, |byte| (counted(byte), String::new()));
        if leads.iter().flatten().any(|lead| lead.longer) {
            page += "\n+    more that have two bytes or three behind it\n";
        }
        let example = Hex(&[&*data.lead, &[best]].concat()).to_string().replace(' ', "");
        _ = writeln!(page, "\nOne of them by itself: charpipe chart {} --lead {example}", data.name);
    }
    page
}

fn title(data: &ChartData<'_>) -> String {
    let mut title = data.name.to_owned();
    if !data.lead.is_empty() {
        _ = write!(title, ", lead byte{} {}", if data.lead.len() > 1 { "s" } else { "" }, Hex(&data.lead));
    }
    if !data.shift.is_empty() {
        _ = write!(title, ", behind {}", shift_name(&data.shift));
    }
    if let Some(source) = data.source {
        _ = write!(title, ", from {source}");
    }
    title.push('\n');
    if !data.aliases.is_empty() {
        wrap(&mut title, "also ", data.aliases.iter().map(|alias| alias.to_string()));
    }
    title
}

/// Words with commas between, in lines that fit.
fn wrap(page: &mut String, first: &str, words: impl Iterator<Item = String>) {
    let mut column = first.len();
    page.push_str(first);
    let mut words = words.peekable();
    let mut begun = true;
    while let Some(word) = words.next() {
        let word = if words.peek().is_some() { word + "," } else { word };
        if !begun && column + 1 + word.len() > WIDTH {
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

/// What a shift code is called.
fn shift_name(shift: &[u8]) -> String {
    match shift {
        [byte] => format!("{byte:02X} ({})", glyph::shift(*byte)),
        _ => Hex(shift).to_string(),
    }
}

/// Sixteen by sixteen cells, each of one line or two; with `trim` without the columns that have nothing in them at
/// either end.
fn grid(trim: bool, shown: impl Fn(u8) -> (Glyph, String)) -> String {
    let shown: Vec<(Glyph, String)> = (0..=255).map(shown).collect();
    let two_lines = shown.iter().any(|(_, code)| !code.is_empty());
    let is_used = |column: &usize| shown[column * 16..][..16].iter().any(|(glyph, _)| glyph.width > 0);
    let first = (0..16).find(is_used).filter(|_| trim).unwrap_or(0);
    let last = (0..16).rfind(is_used).filter(|_| trim).unwrap_or(15);
    let width = shown.iter().map(|(glyph, code)| glyph.width.max(code.len()) + 1).max().unwrap_or(0).max(5);
    let mut page = String::new();
    let mut line = |label: String, cells: &mut dyn Iterator<Item = (&str, usize)>| {
        let mut line = format!("{label:<4}");
        for (text, columns) in cells {
            _ = write!(line, "{text}{:pad$}", "", pad = width.saturating_sub(columns));
        }
        page.push_str(line.trim_end_matches(' '));
        page.push('\n');
    };
    let heads: Vec<String> = (first..=last).map(|column| format!("{column:X}-")).collect();
    line(String::new(), &mut heads.iter().map(|head| (&**head, 2)));
    for row in 0..16 {
        let row_of = || (first..=last).map(|column| &shown[column * 16 + row]);
        line(format!("-{row:X}"), &mut row_of().map(|(glyph, _)| (&*glyph.text, glyph.width)));
        if two_lines {
            line(String::new(), &mut row_of().map(|(_, code)| (&**code, code.len())));
        }
    }
    page
}

fn glyph_of(byte: u8, cell: &Cell) -> Glyph {
    match cell {
        Cell::None => Glyph::named(""),
        Cell::Text(text) => starred(text),
        Cell::Lead(_) => Glyph { text: "»".to_owned(), width: 1 },
        Cell::Shift => Glyph::named(glyph::shift(byte)),
    }
}

/// The glyph, with a sign where it is written otherwise.
fn starred(text: &Text) -> Glyph {
    let Glyph { text: shown, width } = glyph(&text.text);
    if text.one_way { Glyph { text: shown + "*", width: width + 1 } } else { Glyph { text: shown, width } }
}

fn code_of(cell: &Cell) -> String {
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

/// The signs that the chart has in it.
fn legend(data: &ChartData<'_>) -> String {
    let mut lines = Vec::new();
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

const ONE_WAY: &str = "*    read so, and written as other bytes";

/// `U+0041`, with blanks between where there are several.
pub(super) fn code_points(text: &str) -> String {
    text.chars().map(|ch| format!("U+{:04X}", ch as u32)).collect::<Vec<_>>().join(" ")
}

/// How many bytes that only one of two codecs has are shown with their characters.
const SHOWN: usize = 256;

/// Where two codecs differ: what both have, and differently; then what only one has.
pub(super) fn differences([first, second]: [&str; 2], Differences { found, more }: &Differences) -> String {
    let mut page = String::new();
    if found.is_empty() {
        _ = writeln!(page, "{first} and {second}: no difference");
    }
    let both: Vec<&Difference> = found.iter().filter(|row| row.texts.iter().all(Option::is_some)).collect();
    let shown = both.iter().map(|row| row.texts.each_ref().map(|text| text.as_ref().map(in_words).unwrap_or_default()));
    let shown: Vec<[(String, usize); 2]> = shown.collect();
    let any_one_way =
        |rows: &[&Difference]| rows.iter().flat_map(|row| row.texts.iter().flatten()).any(|text| text.one_way);
    let mut starred = any_one_way(&both);
    if !both.is_empty() {
        _ = writeln!(page, "{first} and {second} differ in {}:\n", count(both.len()));
        let bytes = both.iter().map(|row| row.bytes.len() * 3 + 1).max().unwrap_or(0);
        let column = shown.iter().map(|[(_, width), _]| width + 3).max().unwrap_or(0).max(first.len() + 3);
        _ = writeln!(page, "{:bytes$}{first:column$}{second}", "");
        for (row, [(ours, width), (theirs, _)]) in both.iter().zip(&shown) {
            let hex = Hex(&row.bytes).to_string();
            _ = writeln!(page, "{hex:bytes$}{ours}{:pad$}{theirs}", "", pad = column - width);
        }
    }
    for (name, at) in [(first, 0), (second, 1)] {
        let only: Vec<&Difference> = found.iter().filter(|row| row.texts[1 - at].is_none()).collect();
        if only.is_empty() {
            continue;
        }
        let gap = if page.is_empty() { "" } else { "\n" };
        _ = writeln!(page, "{gap}Only {name} has a character in {}:\n", count(only.len()));
        if only.len() > SHOWN {
            wrap(&mut page, "", ranges(&only).into_iter());
            continue;
        }
        starred |= any_one_way(&only);
        for row in only {
            let text = row.texts[at].as_ref().map(in_words).unwrap_or_default().0;
            _ = writeln!(page, "{}  {text}", Hex(&row.bytes));
        }
    }
    if starred {
        _ = writeln!(page, "\n{ONE_WAY}");
    }
    if *more {
        page += "\nCharacters of four bytes are compared where --lead says what they begin with.\n";
    }
    page
}

fn count(places: usize) -> String {
    format!("{places} place{}", if places == 1 { "" } else { "s" })
}

/// A glyph and its code points, and how wide that is.
fn in_words(text: &Text) -> (String, usize) {
    let Glyph { text: shown, width } = starred(text);
    let codes = code_points(&text.text);
    let pad = 6usize.saturating_sub(width).max(1);
    (format!("{shown}{:pad$}{codes}", ""), width + pad + codes.len())
}

/// Runs of bytes of which only the last counts up.
fn ranges(rows: &[&Difference]) -> Vec<String> {
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
