//! `--nest`: puts the rows of children into the row of their parent.
//!
//! Workers write each record as a separate row, as they do otherwise. The thread that takes the rows in order builds
//! the lines, so that they are the same with any number of threads.

use crate::rows::work::{Done, Piece, Rejected, RowPiece};
use charpipe::rows::{Rows, RowsError};
use std::collections::VecDeque;

/// The longest line, in bytes, with those that wait for it.
const MAX_LINE: usize = 16 << 20;

/// The lines of an input that are not complete.
pub(super) struct Nest {
    types: Vec<Type>,
    /// The name of the input in JSON.
    input: String,
    /// For each type, the last record of it, which can still have children.
    open: Vec<Option<Open>>,
    /// The lines, in the order in which they began.
    lines: VecDeque<Line>,
    /// How many lines were before them.
    before: usize,
    /// How many bytes they have.
    len: usize,
}

/// A line.
struct Line {
    /// The number of the first record in it.
    first: u64,
    /// `None` if it is not complete.
    text: Option<Vec<u8>>,
}

/// A record type.
struct Type {
    /// Its name, for messages.
    name: String,
    /// The beginning of the list of its records in their parent: its name in JSON, a colon and a bracket.
    list: Vec<u8>,
    parent: Option<usize>,
    children: Vec<usize>,
    /// How many bytes a row gets after its own text: the names of the lists, the brackets, and a comma or newline.
    end_len: usize,
}

/// The length of a brace, and of a comma or newline.
const END_LEN: usize = 2;

impl Type {
    /// Returns how many bytes its list adds to a row if it is empty, with a comma before it.
    fn list_len(&self) -> usize {
        self.list.len() + ",]".len()
    }
}

/// A record that can still have children.
struct Open {
    number: u64,
    /// Its row, without the closing brace.
    row: Vec<u8>,
    /// For each type of its children, their rows with commas between them.
    lists: Vec<Vec<u8>>,
    /// The line that it begins, unless it is in another record.
    line: Option<usize>,
}

impl Nest {
    pub(super) fn new(job: &Rows, input: &str) -> Self {
        let items = job.record_types();
        let name = |item: usize| {
            let name = job.layout().path(item);
            if job.underscores() { name.replace('-', "_") } else { name.to_owned() }
        };
        let parent = |item: usize| job.parent_type(item).and_then(|parent| items.iter().position(|one| *one == parent));
        let parents: Vec<Option<usize>> = items.iter().map(|item| parent(*item)).collect();
        let children = |own: usize| (0..items.len()).filter(|child| parents[*child] == Some(own)).collect();
        let types = items.iter().enumerate().map(|(own, item)| Type {
            list: format!("{}:[", serde_json::json!(name(*item))).into_bytes(),
            name: name(*item),
            parent: parents[own],
            children: children(own),
            end_len: 0,
        });
        let mut types: Vec<Type> = types.collect();
        for own in 0..types.len() {
            types[own].end_len = END_LEN + types[own].children.iter().map(|one| types[*one].list_len()).sum::<usize>();
        }
        Nest {
            types,
            input: input.to_owned(),
            open: items.iter().map(|_| None).collect(),
            lines: VecDeque::new(),
            before: 0,
            len: 0,
        }
    }

    /// Takes the rows of a batch out of `done`, and puts the lines there that are complete now.
    pub(super) fn take(&mut self, done: &mut Done) {
        let (rows, pieces) = (std::mem::take(&mut done.texts[0]), std::mem::take(&mut done.pieces));
        let mut begin = 0;
        for piece in pieces {
            match piece {
                Piece::Row(piece) => {
                    let row = rows[begin..piece.end].strip_suffix(b"}\n").unwrap_or_default();
                    begin = piece.end;
                    if let Err(error) = self.add(&piece, row, done) {
                        // It comes before an error of a later record.
                        done.error = Some(error);
                        break;
                    }
                }
                Piece::Rejected(rejected, line) => done.add_rejected(rejected, &line),
            }
            self.flush(&mut done.texts[0]);
        }
    }

    /// Completes all lines at the end of the input.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        self.close_all();
        self.flush(&mut lines);
        lines
    }

    /// Adds a record to its parent, or begins a line with it.
    fn add(&mut self, piece: &RowPiece, row: &[u8], done: &mut Done) -> Result<(), RowsError> {
        let parent = piece.table.and_then(|own| self.types[own].parent).filter(|_| piece.parent.is_some());
        let is_there = |parent: usize| self.open[parent].as_ref().is_some_and(|open| Some(open.number) == piece.parent);
        if let Some(parent) = parent.filter(|parent| !is_there(*parent)) {
            done.reject_row(piece, &self.input, &self.types[parent].name);
            return Ok(());
        }
        let line = if parent.is_some() { None } else { Some(self.begin_line(piece)) };
        self.len += row.len() + piece.table.map_or(END_LEN, |own| self.types[own].end_len);
        match piece.table {
            Some(own) => {
                self.close(own);
                let lists = vec![Vec::new(); self.types[own].children.len()];
                self.open[own] = Some(Open { number: piece.number, row: row.to_owned(), lists, line });
                if self.types[own].children.is_empty() {
                    self.close(own);
                }
            }
            None => self.end_line(line, [row, b"}\n"].concat()),
        }
        match self.len > MAX_LINE {
            true => Err(RowsError::NestTooLong {
                record: piece.number,
                offset: piece.offset,
                first: self.lines.front().map_or(piece.number, |line| line.first),
                limit: MAX_LINE,
            }),
            false => Ok(()),
        }
    }

    /// Begins a line. One that begins with a record of a type without a parent ends those before.
    fn begin_line(&mut self, piece: &RowPiece) -> usize {
        if piece.table.is_some_and(|own| self.types[own].parent.is_none()) {
            self.close_all();
        }
        self.lines.push_back(Line { first: piece.number, text: None });
        self.before + self.lines.len() - 1
    }

    fn end_line(&mut self, line: Option<usize>, text: Vec<u8>) {
        if let Some(line) = line.and_then(|line| self.lines.get_mut(line - self.before)) {
            line.text = Some(text);
        }
    }

    fn close_all(&mut self) {
        (0..self.types.len()).for_each(|own| self.close(own));
    }

    /// Completes the last record of a type: it has no more children.
    fn close(&mut self, own: usize) {
        for index in 0..self.types[own].children.len() {
            self.close(self.types[own].children[index]);
        }
        let Some(Open { mut row, lists, line, .. }) = self.open[own].take() else { return };
        for (child, list) in self.types[own].children.iter().zip(&lists) {
            row.extend_from_slice(if row.ends_with(b"{") { b"" } else { b"," });
            row.extend_from_slice(&self.types[*child].list);
            row.extend_from_slice(list);
            row.push(b']');
        }
        row.push(b'}');
        let parent = self.types[own].parent.filter(|_| line.is_none());
        match parent.and_then(|parent| Some((&self.types[parent], self.open[parent].as_mut()?))) {
            Some((parent, open)) => {
                let place = parent.children.iter().position(|child| *child == own).unwrap_or_default();
                let list = &mut open.lists[place];
                list.extend_from_slice(if list.is_empty() { b"" } else { b"," });
                list.extend_from_slice(&row);
            }
            None => {
                row.push(b'\n');
                self.end_line(line, row);
            }
        }
    }

    /// Moves the complete lines at the front to `text`.
    fn flush(&mut self, text: &mut Vec<u8>) {
        while let Some(line) = self.lines.front().and_then(|line| line.text.as_deref()) {
            text.extend_from_slice(line);
            self.len = self.len.saturating_sub(line.len());
            self.lines.pop_front();
            self.before += 1;
        }
        if self.lines.is_empty() {
            self.len = 0;
        }
    }
}

impl Done {
    /// Rejects a row whose parent, a record of the type `parent`, was rejected.
    fn reject_row(&mut self, piece: &RowPiece, input: &str, parent: &str) {
        let number = piece.parent.unwrap_or_default();
        let message =
            format!("record {}: the {parent} that it belongs to, record {number}, was rejected", piece.number);
        let rejected = Rejected { record: piece.number, offset: piece.offset, code: "no-parent" };
        let line = rejected.line(input, None, message, &self.bytes[piece.data.clone()]);
        self.counts.rejected += 1;
        if let Some(table) = piece.table {
            self.rows[table] -= 1;
        }
        self.add_rejected(rejected, &line);
    }
}
