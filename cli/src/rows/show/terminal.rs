//! The table as text, with colour on a terminal.

use crate::escape::printable;
use crate::messages::color::{self, paint};
use crate::rows::show::sample::Shown;
use crate::rows::show::table::{Line, Table};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// How many bytes of a field are shown.
const MAX_BYTES: usize = 8;

/// How many characters of a value are shown.
const MAX_VALUE: usize = 32;

/// A cell: its text, its style, and whether it is at the right of its column.
struct Cell {
    text: String,
    style: Style,
    is_right: bool,
}

/// Returns the table.
pub(super) fn text(table: &Table, colored: bool) -> String {
    let mut rows = vec![headings(table)];
    rows.extend(table.lines.iter().map(|line| cells(line, table.has_record)));
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().map(|row| row[column].text.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();

    let mut out = String::new();
    _ = writeln!(out, "{}", paint(colored, color::NAME, &table.title));
    for line in &table.about {
        _ = writeln!(out, "{}", paint(colored, color::DIM, line));
    }
    out.push('\n');
    for row in &rows {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if index > 0 {
                line.push_str("  ");
            }
            let gap = " ".repeat(width - cell.text.chars().count());
            let is_last = row[index + 1..].iter().all(|cell| cell.text.is_empty());
            match (cell.is_right, is_last) {
                (true, _) => _ = write!(line, "{gap}{}", paint(colored, cell.style, &cell.text)),
                (false, true) => _ = write!(line, "{}", paint(colored, cell.style, &cell.text)),
                (false, false) => _ = write!(line, "{}{gap}", paint(colored, cell.style, &cell.text)),
            }
            if is_last {
                break;
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for note in &table.notes {
        _ = writeln!(out, "{}", paint(colored, color::DIM, note));
    }
    out
}

fn headings(table: &Table) -> Vec<Cell> {
    let mut cells: Vec<Cell> =
        [("level", true), ("name", false), ("from", true), ("length", true), ("kind", false), ("picture", false)]
            .map(|(text, is_right)| Cell { text: text.to_owned(), style: color::DIM, is_right })
            .into();
    if table.has_record {
        cells.extend(["bytes", "value"].map(|text| Cell { text: text.to_owned(), style: color::DIM, is_right: false }));
    }
    cells
}

fn cells(line: &Line, has_record: bool) -> Vec<Cell> {
    let cell = |text: &str, style| Cell { text: text.to_owned(), style, is_right: false };
    let (name_style, style) = match (line.is_absent, line.is_group) {
        (true, _) => (color::DIM, color::DIM),
        (false, true) => (color::NAME, color::PLAIN),
        (false, false) => (color::PLAIN, color::PLAIN),
    };
    let right = |text: &str| Cell { is_right: true, ..cell(text, style) };
    // The star stands outside of the column, so that digits are below digits.
    let from = match line.from.strip_suffix('*') {
        Some(number) => format!("{number}*"),
        None => format!("{} ", line.from),
    };
    let mut cells = vec![
        Cell { is_right: true, ..cell(&format!("{:02}", line.level), color::DIM) },
        cell(&format!("{}{}", "  ".repeat(line.depth), line.name), name_style),
        right(&from),
        right(&line.len),
        cell(&line.kind, if line.is_absent { color::DIM } else { kind_style(line.class) }),
        cell(&line.picture, color::DIM),
    ];
    if has_record {
        cells.push(cell(&bytes(&line.bytes), color::DIM));
        let (value, value_style) = value(line);
        cells.push(cell(&value, value_style));
    }
    cells
}

fn kind_style(class: &str) -> Style {
    let ansi = match class {
        "text" => AnsiColor::Green,
        "zoned" | "edited" | "packed" | "binary" => AnsiColor::Cyan,
        "float" => AnsiColor::Magenta,
        "raw" => AnsiColor::Yellow,
        _ => return color::DIM,
    };
    ansi.on_default()
}

fn bytes(bytes: &[String]) -> String {
    match bytes.len() {
        0..=MAX_BYTES => bytes.join(" "),
        // The sign of a number is at the end.
        len => format!("{} … {}", bytes[..MAX_BYTES - 3].join(" "), bytes[len - 2..].join(" ")),
    }
}

fn value(line: &Line) -> (String, Style) {
    match &line.value {
        Some(Shown::Text(text)) => (format!("\"{}\"", shorten(&printable(text))), color::PLAIN),
        Some(Shown::Other(text)) => (shorten(text), color::PLAIN),
        Some(Shown::Bad(why)) => ((*why).to_owned(), color::ERROR),
        Some(Shown::Missing) => ("the record ends before it".to_owned(), color::ERROR),
        None if line.is_absent => ("-".to_owned(), color::DIM),
        None => (String::new(), color::PLAIN),
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
