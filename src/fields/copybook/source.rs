//! Turns the lines of a copybook into one text without comments, sequence numbers and continuations, and keeps the line
//! and column of each character in it.
//!
//! In fixed form, columns 1 to 6 and 73 onwards are not part of the text, and column 7 shows the kind of the line. In
//! free form, all columns are text. A tab goes to the next column after a multiple of eight. A statement of a source
//! library that includes a member, such as `-INC MEMBER`, becomes a `COPY`.

use super::form::{Columns, begins_with_level, is_sequence};
use super::lexical::is_word_char;
use super::limits::{MAX_EDITS, MAX_FILE};
use super::words::{begins_clause, begins_include, is_blank, is_one_of};
use crate::fields::BadLayout;
use std::borrow::Cow;
use std::ops::Range;

/// The text of a copybook: each line of code with a newline at its end.
#[derive(Default)]
pub(super) struct Source {
    pub(super) text: String,
    pieces: Vec<Piece>,
    /// The names of the files that were copied. Pieces of the first one have the number 1.
    pub(super) files: Vec<String>,
}

/// Where a part of the text comes from.
#[derive(Clone, Copy)]
struct Piece {
    /// Where the part begins in the text.
    start: usize,
    /// The number of its file; 0 for the copybook itself.
    file: usize,
    /// Its line, from 1.
    line: usize,
    /// The column of its first character, from 1.
    column: usize,
    /// Whether it stands for other text, so that all of it is in that column.
    is_inserted: bool,
}

/// A change of the text: what takes the place of a part of it.
pub(super) struct Edit<'a> {
    pub(super) place: Range<usize>,
    pub(super) text: Cow<'a, str>,
}

impl Edit<'_> {
    pub(super) fn into_owned(self) -> Edit<'static> {
        Edit { place: self.place, text: self.text.into_owned().into() }
    }
}

impl Source {
    /// Reads the lines of a file. Fails at a line of fixed form that has an unknown indicator.
    pub(super) fn read(file: &str, is_fixed: bool) -> Result<Source, BadLayout> {
        let mut builder = Builder::default();
        for (number, line) in lines(file).enumerate() {
            builder.line(line, number + 1, is_fixed)?;
        }
        Ok(Source { text: builder.text, pieces: builder.pieces, files: Vec::new() })
    }

    /// Makes the error for `rest`, the text from the place of the mistake on.
    pub(super) fn error(&self, rest: &str, what: impl Into<String>) -> BadLayout {
        let (place, column) = self.place(self.text.len() - rest.len());
        let error = BadLayout::at(place.line, column, what);
        match place.file.checked_sub(1).and_then(|at| self.files.get(at)) {
            Some(file) => error.in_file(file.clone()),
            None => error,
        }
    }

    /// Returns the number of the file that the text at `offset` comes from.
    pub(super) fn file_at(&self, offset: usize) -> usize {
        self.place(offset).0.file
    }

    /// Returns the line of the copybook itself in which `rest` begins, or in which its file is copied.
    pub(super) fn line_of_copybook(&self, rest: &str) -> usize {
        let at = self.pieces.partition_point(|piece| piece.start <= self.text.len() - rest.len());
        self.pieces[..at].iter().rfind(|piece| piece.file == 0).map_or(1, |piece| piece.line)
    }

    /// Returns the piece and the column, in characters from 1, of the character at `offset`. The end of the text is
    /// after its last character. A tab counts as one character.
    fn place(&self, mut offset: usize) -> (Piece, usize) {
        if self.text[offset..].trim_matches(is_blank).is_empty() {
            offset = self.text.trim_end_matches(is_blank).len();
        }
        let at = self.pieces.partition_point(|piece| piece.start <= offset);
        let Some(piece) = at.checked_sub(1).map(|at| self.pieces[at]) else { return (Piece::FIRST, 1) };
        (piece, piece.column_after(&self.text[piece.start..offset]))
    }

    /// Returns the same source as that of a copied file.
    pub(super) fn of_file(mut self, number: usize) -> Source {
        self.pieces.iter_mut().for_each(|piece| piece.file = number);
        self
    }

    /// Appends another source.
    pub(super) fn append(&mut self, other: &Source) {
        let start = self.text.len();
        self.pieces.extend(other.pieces.iter().map(|piece| Piece { start: start + piece.start, ..*piece }));
        self.text.push_str(&other.text);
    }

    /// Returns the same source with changes, which are in order. Fails if it becomes too long.
    pub(super) fn edited(self, edits: &[Edit<'_>]) -> Result<Source, BadLayout> {
        let mut len = self.text.len();
        for (number, edit) in edits.iter().enumerate() {
            len += edit.text.len();
            if len > MAX_FILE || number >= MAX_EDITS {
                let what = format!(
                    "with its replacements, the text is longer than {MAX_FILE} bytes, or more than {MAX_EDITS} places of it change"
                );
                return Err(self.error(&self.text[edit.place.start..], what));
            }
        }
        if edits.is_empty() {
            return Ok(self);
        }
        let (mut made, mut copied) = (Source::default(), Copied::of(&self));
        for edit in edits {
            copied.up_to(edit.place.start, &mut made);
            made.pieces.push(Piece { start: made.text.len(), is_inserted: true, ..copied.place() });
            made.text.push_str(&edit.text);
            copied.skip_to(edit.place.end);
        }
        copied.up_to(self.text.len(), &mut made);
        Ok(Source { files: self.files, ..made })
    }
}

impl Piece {
    const FIRST: Piece = Piece { start: 0, file: 0, line: 1, column: 1, is_inserted: false };

    /// Returns the column after `text`, which is at the beginning of the piece.
    fn column_after(&self, text: &str) -> usize {
        self.column + if self.is_inserted { 0 } else { text.chars().count() }
    }
}

/// How far a source has been copied.
pub(super) struct Copied<'a> {
    source: &'a Source,
    /// The piece that it has got to, the place in the text, and the column there.
    piece: usize,
    at: usize,
    column: usize,
}

impl<'a> Copied<'a> {
    pub(super) fn of(source: &'a Source) -> Self {
        Copied { source, piece: 0, at: 0, column: 1 }
    }

    /// Appends the text up to `end`, with its places.
    pub(super) fn up_to(&mut self, end: usize, made: &mut Source) {
        while self.at < end {
            self.settle();
            let next = self.source.pieces.get(self.piece + 1).map_or(end, |next| next.start.min(end));
            made.pieces.push(Piece { start: made.text.len(), ..self.place() });
            made.text.push_str(&self.source.text[self.at..next]);
            self.skip_to(next);
        }
    }

    /// Continues to `end` without copying. Each character is counted once, however many changes a line has.
    pub(super) fn skip_to(&mut self, end: usize) {
        self.settle();
        while let Some(next) = self.source.pieces.get(self.piece + 1).filter(|next| next.start <= end) {
            (self.piece, self.at, self.column) = (self.piece + 1, next.start, next.column);
        }
        if self.source.pieces.get(self.piece).is_some_and(|piece| !piece.is_inserted) {
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
        let piece = self.source.pieces.get(self.piece).copied().unwrap_or(Piece::FIRST);
        Piece { start: self.at, column: self.column, ..piece }
    }
}

/// Fails for a file that cannot be a copybook, before its lines are read.
pub(super) fn check_file(file: &[u8]) -> Result<(), BadLayout> {
    if file.len() > MAX_FILE {
        return Err(BadLayout::at(1, 1, format!("the copybook is longer than {} bytes", MAX_FILE)));
    }
    let Some(at) = file.iter().position(|byte| *byte == 0) else { return check_ebcdic(file) };
    let line = file[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    Err(BadLayout::at(
        line,
        0,
        "found a byte 00, which a copybook cannot contain: if this is a copybook, convert it to UTF-8",
    ))
}

/// Fails for a file that is in EBCDIC: it has spaces of EBCDIC, and none of ASCII.
fn check_ebcdic(file: &[u8]) -> Result<(), BadLayout> {
    let count = |wanted: u8| file.iter().filter(|byte| **byte == wanted).count();
    if count(0x40) > file.len() / 10 && count(b' ') == 0 {
        return Err(BadLayout::at(1, 1, "the copybook is in EBCDIC: convert it to UTF-8 first"));
    }
    Ok(())
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
        let column = line[..from].chars().count() + 1;
        if let Some(member) = included(code) {
            self.push(&format!("COPY {member}."), number, column);
            self.pieces.last_mut().into_iter().for_each(|piece| piece.is_inserted = true);
        } else if !code.trim_matches(is_blank).is_empty() && !is_listing_control(code) {
            self.push(code, number, column);
        }
        Ok(())
    }

    fn is_between_entries(&self) -> bool {
        self.text.is_empty() || self.text.ends_with(".\n")
    }

    /// Appends a continuation line: the rest of a literal after its quote, or the rest of a word. Returns false if
    /// there is no line that it could continue.
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

    /// Appends text, without the spaces at its end.
    fn push(&mut self, code: &str, line: usize, column: usize) {
        self.pieces.push(Piece { start: self.text.len(), file: 0, line, column, is_inserted: false });
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
        if begins_include(line) {
            return Area::Code(0, columns.margin);
        }
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

/// Returns whether text or a directive begins in column 7. A `D` there begins text only if it is that of a clause, such
/// as `DEPENDING`.
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

/// Returns the member that a statement of a source library includes; `None` for other text. What follows the name after
/// a space is a comment, unless it looks like code, which must not be lost: nothing may follow a full stop, and neither
/// `REPLACING` nor a level number the name.
fn included(code: &str) -> Option<&str> {
    let code = code.trim_start_matches(is_blank);
    let rest = code.split_once(is_blank).filter(|_| begins_include(code))?.1.trim_start_matches(is_blank);
    let (member, rest) = rest.split_at(rest.find(|ch| !is_word_char(ch)).unwrap_or(rest.len()));
    let next = rest.split(is_blank).find(|word| !word.is_empty()).unwrap_or("");
    let is_level = (1..=2).contains(&next.len()) && next.bytes().all(|byte| byte.is_ascii_digit());
    let is_end = match rest.chars().next() {
        None | Some(',') => true,
        Some('.' | ';') => rest[1..].chars().all(is_blank),
        Some(ch) => is_blank(ch) && !is_level && !is_one_of(next, &["REPLACING"]),
    };
    (is_end && !member.is_empty()).then_some(member)
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
