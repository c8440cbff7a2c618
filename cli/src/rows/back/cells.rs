//! The values of a row, by the columns of the layout.

use crate::rows::row::{NUMBER, TYPE};
use charpipe::fields::{Column, Layout, Value, ValueSource};
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::ops::Range;

/// Where a row is in its input.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct RowPlace {
    /// Its number, from 1, without a header; 0 for the header.
    pub(super) row: u64,
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// Where it begins, in bytes from 0.
    pub(super) offset: u64,
}

impl Display for RowPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            0 => f.write_str("the header: "),
            row if row == self.line => write!(f, "row {row}: "),
            row => write!(f, "row {row} on line {}: ", self.line),
        }
    }
}

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A column of the layout.
    Column(usize),
    /// A group, an array, or an element of one.
    Group,
    /// The number or the type of the record, which follow from the rest.
    Ignored,
}

/// The values of a row.
pub(super) struct Cells {
    targets: HashMap<String, Target>,
    place: RowPlace,
    text: String,
    /// For each column where its value is in `text`; an empty range if it has none.
    ranges: Vec<Range<usize>>,
    /// The columns that have a value.
    set: Vec<usize>,
    /// The name of the record in the layout, for messages.
    layout: String,
}

impl Cells {
    pub(super) fn new(layout: &Layout, columns: &[Column]) -> Self {
        let mut targets = HashMap::new();
        for name in [NUMBER, TYPE] {
            targets.insert(name.to_owned(), Target::Ignored);
        }
        for (index, column) in columns.iter().enumerate() {
            for (end, _) in column.path.match_indices(['.', '[']) {
                targets.insert(column.path[..end].to_owned(), Target::Group);
            }
            targets.insert(column.path.clone(), Target::Column(index));
        }
        Cells {
            targets,
            place: RowPlace::default(),
            text: String::new(),
            ranges: vec![0..0; columns.len()],
            set: Vec::new(),
            layout: layout.name().unwrap_or("the layout").to_owned(),
        }
    }

    /// Begins a row.
    pub(super) fn begin(&mut self, place: RowPlace) {
        self.place = place;
        self.text.clear();
        for column in self.set.drain(..) {
            self.ranges[column] = 0..0;
        }
    }

    /// Returns how many columns the layout has.
    pub(super) fn columns(&self) -> usize {
        self.ranges.len()
    }

    pub(super) fn place(&self) -> RowPlace {
        self.place
    }

    /// Returns what a path leads to; an error in words if it leads nowhere.
    pub(super) fn target(&self, path: &str) -> Result<Target, String> {
        self.targets.get(path).copied().ok_or_else(|| format!("there is no field {path:?} in {}", self.layout))
    }

    /// Sets the value of a column. Returns `false` if it has one already. An empty text is not a value.
    pub(super) fn set(&mut self, column: usize, text: &str) -> bool {
        if text.is_empty() {
            return true;
        }
        let begin = self.text.len();
        self.text.push_str(text);
        self.set.push(column);
        let before = std::mem::replace(&mut self.ranges[column], begin..self.text.len());
        before.is_empty()
    }

    /// Returns the values for the writer of the library.
    pub(super) fn source(&self) -> RowSource<'_> {
        RowSource(self)
    }
}

/// Supplies the values of a row.
pub(super) struct RowSource<'a>(&'a Cells);

impl ValueSource for RowSource<'_> {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        let range = self.0.ranges.get(column).filter(|range| !range.is_empty())?;
        Some(Value::Text(&self.0.text[range.clone()]))
    }
}
