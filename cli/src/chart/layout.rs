//! Charts as text, as wide as IBM prints them: the columns are the high half of a byte, the rows its low half. No line is
//! wider than 100 columns unless a character needs that.

use super::data::{Cell, ChartData, Difference, Differences, Lead, Text};
use super::glyph::{self, Class, Glyph, glyph};
use crate::messages::color::{self, paint};
use crate::messages::hexdump::Hex;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// How wide a line may be.
const WIDTH: usize = 100;

/// The chart of a codec, and where its lead bytes are; in colour, where it is asked for.
pub(crate) fn chart(data: &ChartData<'_>, colored: bool) -> String {
    let mut page = title(data, colored);
    // A charset of pairs has nothing to show in the first byte.
    if data.has_texts() {
        page.push('\n');
        let ebcdic = data.is_ebcdic();
        let shown = |byte: u8| {
            let cell = &data.cells[byte as usize];
            Shown { glyph: glyph_of(byte, cell), style: style_of(cell, ebcdic), code: code_of(cell) }
        };
        page += &grid(!data.lead.is_empty(), colored, shown);
        page += &legend(data, ebcdic && colored);
    }
    for Leads { shift, leads, example } in leads(data) {
        let behind = if shift.is_empty() { String::new() } else { format!(", behind {}", shift_name(shift)) };
        _ = writeln!(page, "\nLead bytes{behind}, and how many characters each has\n");
        let counted = |byte: u8| Glyph::named(&leads[byte as usize].map(count_of).unwrap_or_default());
        let shown = |byte: u8| Shown { glyph: counted(byte), style: color::PLAIN, code: String::new() };
        page += &grid(true, colored, shown);
        if leads.iter().flatten().any(|lead| lead.longer) {
            page += "\n+    more that have two bytes or three behind it\n";
        }
        _ = writeln!(page, "\nOne of them by itself: charpipe chart {} --lead {example}", data.name);
    }
    page
}

/// The lead bytes of a set.
pub(crate) struct Leads<'a> {
    /// What shifts to it, if anything does.
    pub(crate) shift: &'a [u8],
    pub(crate) leads: Vec<Option<Lead>>,
    /// The first of those that have the most characters, with those in front of it: what `--lead` takes.
    pub(crate) example: String,
}

/// The sets that have lead bytes.
pub(crate) fn leads<'a>(data: &'a ChartData<'_>) -> Vec<Leads<'a>> {
    let own = data.cells.iter().map(|cell| if let Cell::Lead(lead) = cell { Some(*lead) } else { None });
    let shifted = data.shifted.iter().map(|set| (&*set.shift, set.leads.clone()));
    let sets = std::iter::once((&[][..], own.collect())).chain(shifted);
    let with_example = |(shift, leads): (&'a [u8], Vec<Option<Lead>>)| {
        let characters = |byte: &u8| leads[*byte as usize].map_or(0, |lead| lead.characters);
        let best = (0..=255).rev().filter(|byte| leads[*byte as usize].is_some()).max_by_key(characters)?;
        let example = Hex(&[&*data.lead, &[best]].concat()).to_string().replace(' ', "");
        Some(Leads { shift, leads, example })
    };
    sets.filter_map(with_example).collect()
}

/// How many characters a lead byte has; with a plus where there are longer ones.
pub(crate) fn count_of(lead: Lead) -> String {
    format!("{}{}", lead.characters, if lead.longer { "+" } else { "" })
}

/// The name, and which of its bytes are charted.
pub(crate) fn heading(data: &ChartData<'_>) -> String {
    let mut heading = data.name.to_string();
    if !data.lead.is_empty() {
        _ = write!(heading, ", lead byte{} {}", if data.lead.len() > 1 { "s" } else { "" }, Hex(&data.lead));
    }
    if !data.shift.is_empty() {
        _ = write!(heading, ", behind {}", shift_name(&data.shift));
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

/// Words with `between` between, in lines of up to `columns` columns.
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

/// What a shift code is called.
pub(crate) fn shift_name(shift: &[u8]) -> String {
    match shift {
        [byte] => format!("{byte:02X} ({})", glyph::shift(*byte)),
        _ => Hex(shift).to_string(),
    }
}

/// A cell: a glyph, and below it in another line a code, where there is one.
struct Shown {
    glyph: Glyph,
    style: Style,
    code: String,
}

/// Sixteen by sixteen cells, each of one line or two; with `trim` without the columns that have nothing in them at
/// either end.
fn grid(trim: bool, colored: bool, shown: impl Fn(u8) -> Shown) -> String {
    let shown: Vec<Shown> = (0..=255).map(shown).collect();
    let two_lines = shown.iter().any(|cell| !cell.code.is_empty());
    let is_used = |column: &usize| shown[column * 16..][..16].iter().any(|cell| cell.glyph.width > 0);
    let first = (0..16).find(is_used).filter(|_| trim).unwrap_or(0);
    let last = (0..16).rfind(is_used).filter(|_| trim).unwrap_or(15);
    let width = shown.iter().map(|cell| cell.glyph.width.max(cell.code.len()) + 1).max().unwrap_or(0).max(5);
    let mut page = String::new();
    let mut line = |label: &str, cells: &mut dyn Iterator<Item = (&str, usize, Style)>| {
        let mut line = if label.is_empty() { String::new() } else { paint(colored, color::NAME, label).to_string() };
        // Blanks that come to nothing at the end of the line are left out.
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

/// Quiet colours, which are legible on light and dark, for what is no letter.
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

/// The glyph, with a sign where it is written otherwise.
fn starred(text: &Text) -> Glyph {
    let Glyph { text: shown, width } = glyph(&text.text);
    if text.one_way { Glyph { text: shown + "*", width: width + 1 } } else { Glyph { text: shown, width } }
}

/// The code point, and a plus where there are more.
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

/// The signs that the chart has in it; with `variant` that of variant characters, which is there in colour only.
fn legend(data: &ChartData<'_>, variant: bool) -> String {
    let mut lines = Vec::new();
    if variant {
        let sample = paint(true, color::PLAIN.bold().underline(), "[");
        lines.push(format!("{sample}    underlined: EBCDIC pages differ on its byte"));
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

const ONE_WAY: &str = "*    read so, and written as other bytes";

/// `U+0041`, with blanks between where there are several.
pub(crate) fn code_points(text: &str) -> String {
    text.chars().map(|ch| format!("U+{:04X}", ch as u32)).collect::<Vec<_>>().join(" ")
}

/// How many bytes that only one of two codecs has are shown with their characters.
pub(crate) const SHOWN: usize = 256;

/// Where two codecs differ: what both have, and differently; then what only one has.
pub(crate) fn differences(
    [first, second]: [&str; 2],
    Differences { found, more }: &Differences,
    colored: bool,
) -> String {
    let named = |text| paint(colored, color::NAME, text);
    let bytes_of =
        |bytes: &[u8], width: usize| paint(colored, color::NAME, format!("{:width$}", Hex(bytes).to_string()));
    let in_words = |text: &Text| in_words(text, colored);
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
        let pad = column - first.len();
        _ = writeln!(page, "{:bytes$}{}{:pad$}{}", "", named(first), "", named(second));
        for (row, [(ours, width), (theirs, _)]) in both.iter().zip(&shown) {
            let pad = column - width;
            _ = writeln!(page, "{}{ours}{:pad$}{theirs}", bytes_of(&row.bytes, bytes), "");
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
    if *more {
        page += "\nCharacters of four bytes are compared where --lead says what they begin with.\n";
    }
    page
}

/// How many places, in words.
pub(crate) fn count(places: usize) -> String {
    format!("{places} place{}", if places == 1 { "" } else { "s" })
}

/// A glyph and its code points, and how wide that is.
fn in_words(text: &Text, colored: bool) -> (String, usize) {
    let Glyph { text: shown, width } = starred(text);
    let codes = code_points(&text.text);
    let pad = 6usize.saturating_sub(width).max(1);
    let shown = paint(colored, color::PLAIN.bold(), shown);
    (format!("{shown}{:pad$}{}", "", paint(colored, color::DIM, &codes)), width + pad + codes.len())
}

/// Runs of bytes of which only the last counts up.
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
