//! The explanation as text. Marks under the bytes show the same as the colours.

use super::explanation::{Byte, COLUMNS, Explanation, Gravity, Part, PolicyRow, WIDTH};
use crate::messages::color::{self, paint};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// Returns what is printed about a file.
pub(crate) fn file(explanation: &Explanation<'_>, colored: bool) -> String {
    let mut out = format!("{}\n\n", paint(colored, color::NAME, explanation.name));
    for (row, line) in explanation.bytes.chunks(WIDTH).enumerate() {
        put_line(&mut out, row * WIDTH, line, colored);
    }
    for Part { mark, bytes, what } in &explanation.parts {
        let mark = paint(colored, style_of(Some(*mark)), mark);
        _ = writeln!(out, "  {mark}  bytes {}..{}: {what}", bytes.start, bytes.end);
    }
    if explanation.bytes.is_empty() {
        out.push_str("  no bytes\n");
    }
    out.push('\n');
    put_table(&mut out, &explanation.policies, colored);
    out
}

/// Appends bytes in hexadecimal with their text, and below them the marks of the parts.
fn put_line(out: &mut String, start: usize, line: &[Byte], colored: bool) {
    let pairs = spaced(line, colored, |byte| format!("{:02X}", byte.byte));
    let pad = 3 * (WIDTH - line.len());
    let offset = paint(colored, color::DIM, format!("{start:06X}"));
    _ = write!(out, "  {offset}  {pairs}{:pad$}  ", "");
    for run in line.chunk_by(|one, next| one.mark() == next.mark()) {
        let text: String = run.iter().map(|byte| &*byte.text).collect();
        if !text.is_empty() {
            _ = write!(out, "{}", paint(colored, style_of(run[0].mark()), text));
        }
    }
    out.push('\n');
    let Some(last) = line.iter().rposition(|byte| byte.mark().is_some()) else { return };
    let marks =
        spaced(&line[..=last], colored, |byte| byte.mark().map_or("  ".to_owned(), |mark| format!("{mark}{mark}")));
    _ = writeln!(out, "          {marks}");
}

/// Returns the pairs of characters for the bytes, separated by spaces, each run of one part in its colour.
fn spaced(line: &[Byte], colored: bool, pair: impl Fn(&Byte) -> String) -> String {
    let runs = line.chunk_by(|one, next| one.mark() == next.mark());
    let painted = runs.map(|run| {
        let pairs: Vec<String> = run.iter().map(&pair).collect();
        paint(colored, style_of(run[0].mark()), pairs.join(" ")).to_string()
    });
    painted.collect::<Vec<_>>().join(" ")
}

fn style_of(mark: Option<char>) -> Style {
    match mark {
        Some('B' | 'S') => AnsiColor::Magenta.on_default(),
        Some('D') => AnsiColor::Cyan.on_default(),
        Some(_) => AnsiColor::Green.on_default().bold(),
        None => color::PLAIN,
    }
}

/// Appends the verdicts of the policies.
fn put_table(out: &mut String, rows: &[PolicyRow], colored: bool) {
    let heads = COLUMNS.map(str::to_owned);
    let cells = || std::iter::once(&heads).chain(rows.iter().map(|row| &row.cells));
    let width = |column: usize| cells().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut put = |cells: &[String; 6], style: Style, remarks: Style| {
        let front = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        let front = front.collect::<Vec<_>>().join("  ");
        let line = match &*cells[5] {
            "" => paint(colored, style, front.trim_end()).to_string(),
            words => format!("{}  {}", paint(colored, style, front), paint(colored, remarks, words)),
        };
        _ = writeln!(out, "  {line}");
    };
    put(&heads, color::DIM, color::DIM);
    for row in rows {
        let remarks = match row.gravity {
            Some(Gravity::Error) => color::ERROR,
            Some(Gravity::Warning) => color::WARNING,
            Some(Gravity::Hint) => color::HINT,
            None => color::PLAIN,
        };
        put(&row.cells, if row.chosen { color::NAME } else { color::PLAIN }, remarks);
    }
}
