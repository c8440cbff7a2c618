//! Turns the lines of a copybook into one text without comments, sequence numbers and continuations, and knows the line
//! and column of each character in it.
//!
//! In fixed form, columns 1 to 6 and those from 73 on are not part of the text, and column 7 says what kind of line it is. In
//! free form, all columns are text. A tab goes to the next column after a multiple of eight.

use super::form::{Columns, begins_with_level, is_sequence};
use super::words::{begins_clause, is_blank};
use crate::fields::BadLayout;
use std::borrow::Cow;
use std::ops::Range;

/// The text of a copybook: each line of code with a newline at its end.
#[derive(Default)]
pub(super) struct Source {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

/// Where a part of the text comes from.
struct Piece {
    /// Where the part begins in the text.
    start: usize,
    /// Its line, from 1.
    line: usize,
    /// The column of its first character, from 1.
    column: usize,
    /// Whether it stands for other text, so that all of it is in that column.
    is_inserted: bool,
}

/// A change of the text: what takes the place of a part of it.
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) text: String,
}

impl Source {
    /// Reads the lines of a file. Fails at a line of fixed form that has an unknown indicator.
    pub(super) fn read(file: &str, is_fixed: bool) -> Result<Source, BadLayout> {
        let mut builder = Builder::default();
        for (number, line) in lines(file).enumerate() {
            builder.line(line, number + 1, is_fixed)?;
        }
        Ok(Source { text: builder.text, pieces: builder.pieces })
    }

    /// Makes the error for `rest`, the text from the place of the mistake on.
    pub(super) fn error(&self, rest: &str, what: impl Into<String>) -> BadLayout {
        let (line, column) = self.place(self.text.len() - rest.len());
        BadLayout::at(line, column, what)
    }

    /// Returns the line and the column, in characters from 1, of the character at `offset`. The end of the text is after
    /// its last character. A tab counts as one character.
    fn place(&self, mut offset: usize) -> (usize, usize) {
        if self.text[offset..].trim_matches(is_blank).is_empty() {
            offset = self.text.trim_end_matches(is_blank).len();
        }
        let at = self.pieces.partition_point(|piece| piece.start <= offset);
        let Some(piece) = at.checked_sub(1).map(|at| &self.pieces[at]) else { return (1, 1) };
        (piece.line, piece.column_after(&self.text[piece.start..offset]))
    }

    /// Returns the same source with these changes, which are in order.
    pub(super) fn edited(self, edits: &[Edit]) -> Source {
        if edits.is_empty() {
            return self;
        }
        let (mut made, mut copied) = (Source::default(), Copied { source: &self, piece: 0, at: 0, column: 1 });
        for edit in edits {
            copied.up_to(edit.place.start, &mut made);
            made.pieces.push(Piece { start: made.text.len(), is_inserted: true, ..copied.place() });
            made.text.push_str(&edit.text);
            copied.skip_to(edit.place.end);
        }
        copied.up_to(self.text.len(), &mut made);
        made
    }
}

impl Piece {
    /// Returns the column after `text`, which is at the beginning of the piece.
    fn column_after(&self, text: &str) -> usize {
        self.column + if self.is_inserted { 0 } else { text.chars().count() }
    }
}

/// How far a source has been copied.
struct Copied<'a> {
    source: &'a Source,
    /// The piece that it has got to, the place in the text, and the column there.
    piece: usize,
    at: usize,
    column: usize,
}

impl Copied<'_> {
    /// Appends the text up to `end`, with its places.
    fn up_to(&mut self, end: usize, made: &mut Source) {
        while self.at < end {
            self.settle();
            let next = self.source.pieces.get(self.piece + 1).map_or(end, |next| next.start.min(end));
            made.pieces.push(Piece { start: made.text.len(), ..self.place() });
            made.text.push_str(&self.source.text[self.at..next]);
            self.skip_to(next);
        }
    }

    /// Goes on to `end` without copying. Each character is counted once, however many changes a line has.
    fn skip_to(&mut self, end: usize) {
        self.settle();
        while let Some(next) = self.source.pieces.get(self.piece + 1).filter(|next| next.start <= end) {
            (self.piece, self.at, self.column) = (self.piece + 1, next.start, next.column);
        }
        if let Some(piece) = self.source.pieces.get(self.piece).filter(|piece| !piece.is_inserted) {
            debug_assert!(piece.start <= self.at);
            self.column += self.source.text[self.at..end].chars().count();
        }
        self.at = end;
    }

    /// Takes over the column of a piece that begins here.
    fn settle(&mut self) {
        if let Some(piece) = self.source.pieces.get(self.piece).filter(|piece| piece.start == self.at) {
            self.column = piece.column;
        }
    }

    /// Returns the place that it has got to.
    fn place(&self) -> Piece {
        let piece = self.source.pieces.get(self.piece);
        let (line, is_inserted) = piece.map_or((1, false), |piece| (piece.line, piece.is_inserted));
        Piece { start: self.at, line, column: self.column, is_inserted }
    }
}

/// Returns the characters of a file: UTF-8, or else ISO 8859-1, in which old comments are written.
pub(super) fn decode(file: &[u8]) -> Cow<'_, str> {
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    match std::str::from_utf8(file) {
        Ok(text) => text.into(),
        Err(_) => file.iter().copied().map(char::from).collect::<String>().into(),
    }
}

/// Returns the lines of a text, which end with LF, CR LF or CR.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split_inclusive('\n').flat_map(|line| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line).split('\r')
    })
}

/// Collects the text.
#[derive(Default)]
struct Builder {
    text: String,
    pieces: Vec<Piece>,
    /// The quote of the literal that the line so far has left open.
    open: Option<char>,
}

impl Builder {
    fn line(&mut self, line: &str, number: usize, is_fixed: bool) -> Result<(), BadLayout> {
        let (from, to) = match if is_fixed { Area::fixed(line) } else { Area::free(line) } {
            Area::Ignored => return Ok(()),
            Area::Code(from, to) => (from, to),
            Area::Continuation(from, to) if self.continues(line, from, to, number) => return Ok(()),
            Area::Continuation(from, to) => (from, to),
            Area::Unknown(at, indicator) => {
                let column = line[..at].chars().count() + 1;
                return Err(BadLayout::at(number, column, unknown_indicator(indicator)));
            }
        };
        let code = &line[from..to];
        let begin = code.trim_matches(is_blank);
        if begin.is_empty() || begin.starts_with('*') && self.is_between_entries() {
            return Ok(());
        }
        self.open = None;
        let code = self.without_comment(code);
        if !code.trim_matches(is_blank).is_empty() && !is_listing_control(code) {
            self.push(code, number, line[..from].chars().count() + 1);
        }
        Ok(())
    }

    fn is_between_entries(&self) -> bool {
        self.text.is_empty() || self.text.ends_with(".\n")
    }

    /// Appends a continuation line: the rest of a literal after its quote, or the rest of a word. Returns false if there
    /// is no line that it could continue.
    fn continues(&mut self, line: &str, from: usize, to: usize, number: usize) -> bool {
        if self.text.is_empty() {
            return false;
        }
        let rest = line[from..to].trim_start_matches(is_blank);
        let quote = self.open.filter(|quote| rest.starts_with(*quote));
        let from = to - rest.len() + quote.map_or(0, char::len_utf8);
        let code = self.without_comment(&line[from..to]);
        if !code.is_empty() {
            self.text.pop();
            self.push(code, number, line[..from].chars().count() + 1);
        }
        true
    }

    /// Appends text, without the blanks at its end.
    fn push(&mut self, code: &str, line: usize, column: usize) {
        self.pieces.push(Piece { start: self.text.len(), line, column, is_inserted: false });
        self.text.push_str(code.trim_end_matches(is_blank));
        self.text.push('\n');
    }

    /// Returns `code` up to a comment that begins with `*>`, and notes whether it ends within a literal.
    fn without_comment<'a>(&mut self, code: &'a str) -> &'a str {
        let mut before = ' ';
        for (at, ch) in code.char_indices() {
            match self.open {
                Some(quote) if ch == quote => self.open = None,
                Some(_) => {}
                None if matches!(ch, '\'' | '"') => self.open = Some(ch),
                None if code[at..].starts_with("*>") && is_blank(before) => return &code[..at],
                None => {}
            }
            before = ch;
        }
        code
    }
}

/// The part of a line that is text.
enum Area {
    /// None: the line is a comment, or blank.
    Ignored,
    /// These bytes.
    Code(usize, usize),
    /// These bytes continue the line before.
    Continuation(usize, usize),
    /// The line has this character in column 7, which is at this byte.
    Unknown(usize, char),
}

impl Area {
    fn fixed(line: &str) -> Area {
        let columns = Columns::new(line);
        let numbers = &line[..columns.area];
        let is_starred = numbers.trim_start_matches(is_blank).starts_with('*');
        match columns.indicator {
            Some(ch) if is_starred && !(is_blank(ch) && is_sequence(numbers)) => Area::Ignored,
            _ if begins_in_column_7(line, &columns) => Area::Code(columns.area, columns.margin),
            None | Some('*' | '/' | 'D' | 'd') => Area::Ignored,
            Some('-') => Area::Continuation(columns.code, columns.margin),
            Some(ch) if is_blank(ch) => Area::Code(columns.code, columns.margin),
            Some(ch) => Area::Unknown(columns.area, ch),
        }
    }

    fn free(line: &str) -> Area {
        // Comments of fixed form also occur in copybooks that have lost their first columns.
        if line.starts_with('*') { Area::Ignored } else { Area::Code(0, line.len()) }
    }
}

/// Returns whether text or a directive begins in column 7. A `D` there begins text only if it is that of a clause, such as
/// `DEPENDING`.
fn begins_in_column_7(line: &str, columns: &Columns) -> bool {
    let (numbers, rest) = line.split_at(columns.area);
    let is_unnumbered = numbers.trim_matches(is_blank).is_empty();
    match columns.indicator {
        Some('$' | '>') => true,
        Some('D' | 'd') => {
            is_unnumbered && begins_clause(rest.split(|ch| is_blank(ch) || ch == '.').next().unwrap_or(""))
        }
        Some('0'..='9') => {
            (is_unnumbered || numbers.bytes().all(|byte| byte.is_ascii_digit())) && begins_with_level(rest)
        }
        Some(ch) => is_unnumbered && ch.is_alphabetic(),
        None => false,
    }
}

fn unknown_indicator(indicator: char) -> String {
    format!(
        "found {indicator:?} in column 7, expected a blank, *, /, D or -: in fixed form, text begins in column 8; if the \
         copybook is in free form, its layout format is copybook-free"
    )
}

/// Returns whether a line only controls the compiler's listing, or repeats the form: `EJECT`, `SKIP2`, `TITLE 'x'`,
/// `>>SOURCE FORMAT IS FREE`.
fn is_listing_control(code: &str) -> bool {
    let code = code.trim_matches(is_blank);
    let (word, rest) = code.split_once(is_blank).unwrap_or((code, ""));
    let alone = rest.trim_start_matches(is_blank);
    match word.trim_end_matches('.').to_ascii_uppercase().as_str() {
        "EJECT" | "SKIP1" | "SKIP2" | "SKIP3" => matches!(alone, "" | "."),
        "TITLE" => alone.starts_with(['\'', '"']),
        ">>SOURCE" | ">>PAGE" | ">>LISTING" | "$SET" => true,
        _ => false,
    }
}
