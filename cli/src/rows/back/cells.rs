//! The values of a row, by the columns of the layout.

use charpipe::TextPosition;
use charpipe::fields::{Column, Value, ValueSource};
use charpipe::rows::{AddedColumn, DatePattern, KeyColumn, Rows};
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::ops::Range;

/// Where a row is in its input.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct RowPlace {
    /// Its number, from 1, without a header; 0 for the header.
    pub(super) row: u64,
    /// The line on which it begins, from 1, and the character of the line, from 1.
    pub(super) line: u64,
    pub(super) column: u64,
    /// Where it begins, in bytes from 0.
    pub(super) offset: u64,
}

impl RowPlace {
    /// Returns where it begins in the text.
    pub(super) fn position(&self) -> TextPosition {
        TextPosition::new(self.line, self.column)
    }
}

impl Display for RowPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            0 => f.write_str("the header: "),
            row => write!(f, "row {row}: "),
        }
    }
}

/// The item that a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A column of the layout.
    Column(usize),
    /// A group, an array, or an element of one.
    Group,
    /// The number of the record.
    Number,
    /// Another column that is not a field.
    Ignored,
}

/// The values of a row.
pub(super) struct Cells<'a> {
    columns: &'a [Column],
    targets: HashMap<String, Target>,
    place: RowPlace,
    /// The number of the record, if the row has one.
    number: Option<u64>,
    text: String,
    /// For each column where its value is in `text`; an empty range if it has none.
    ranges: Vec<Range<usize>>,
    /// The columns that have a value.
    set: Vec<usize>,
    /// For each column, the pattern of its dates; empty if no field contains any.
    dates: Vec<Option<DatePattern>>,
    /// The name of the record in the layout, for messages.
    layout: String,
    /// With `--nest`: the names of the record types, which are those of the lists with children.
    types: Vec<String>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(job: &Rows, columns: &'a [Column]) -> Self {
        let added = AddedColumn::ALL.iter().map(|one| (one.column().to_owned(), Target::Ignored));
        let mut targets: HashMap<String, Target> = added.collect();
        targets.insert(AddedColumn::Number.column().to_owned(), Target::Number);
        for (index, column) in columns.iter().enumerate() {
            for (end, _) in column.path.match_indices(['.', '[']) {
                targets.insert(column.path[..end].to_owned(), Target::Group);
            }
            targets.insert(column.path.clone(), Target::Column(index));
        }
        Cells {
            columns,
            targets,
            place: RowPlace::default(),
            number: None,
            text: String::new(),
            ranges: vec![0..0; columns.len()],
            set: Vec::new(),
            dates: match columns.iter().any(|column| job.date(column.item).is_some()) {
                true => columns.iter().map(|column| job.date(column.item).cloned()).collect(),
                false => Vec::new(),
            },
            layout: job.layout().name().unwrap_or("the layout").to_owned(),
            types: Vec::new(),
        }
    }

    /// Sets that the rows of children are in those of their parents.
    pub(super) fn nested(mut self, job: &Rows) -> Self {
        let name = |item: &usize| match job.underscores() {
            true => job.layout().path(*item).replace('-', "_"),
            false => job.layout().path(*item).to_owned(),
        };
        self.types = job.record_types().iter().map(name).collect();
        self
    }

    /// Returns the names of the lists that a row can have, of the children of its record.
    pub(super) fn lists(&self) -> &[String] {
        &self.types
    }

    /// Begins a row.
    pub(super) fn begin(&mut self, place: RowPlace) {
        self.place = place;
        self.number = None;
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

    /// Returns the number of the record, if the row has one.
    pub(super) fn number(&self) -> Option<u64> {
        self.number
    }

    /// Sets the number of the record. What is not a number is none.
    pub(super) fn set_number(&mut self, text: &str) {
        self.number = text.parse().ok();
    }

    /// Returns what a path leads to; an error in words if it leads nowhere.
    pub(super) fn target(&self, path: &str) -> Result<Target, String> {
        match self.targets.get(path) {
            Some(target) => Ok(*target),
            None if path.starts_with(KeyColumn::PREFIX) => Ok(Target::Ignored),
            None => Err(format!("there is no field {path:?} in {}", self.layout)),
        }
    }

    /// Sets the value of a column. An empty text is not a value.
    pub(super) fn set(&mut self, column: usize, text: &str) -> Result<(), String> {
        let path = &self.columns[column].path;
        let date = match self.dates.get(column) {
            Some(Some(pattern)) => Some(pattern.write_iso(text).map_err(|what| format!("field {path}: {what}"))?),
            _ => None,
        };
        let text = date.as_deref().unwrap_or(text);
        if text.is_empty() {
            return Ok(());
        }
        let begin = self.text.len();
        self.text.push_str(text);
        self.set.push(column);
        let before = std::mem::replace(&mut self.ranges[column], begin..self.text.len());
        if before.is_empty() { Ok(()) } else { Err(format!("field {path} occurs twice")) }
    }

    /// Returns the values for the writer of the library.
    pub(super) fn source(&self) -> RowSource<'_> {
        RowSource(self)
    }
}

/// Supplies the values of a row.
pub(super) struct RowSource<'a>(&'a Cells<'a>);

impl ValueSource for RowSource<'_> {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        let range = self.0.ranges.get(column).filter(|range| !range.is_empty())?;
        Some(Value::Text(&self.0.text[range.clone()]))
    }
}
