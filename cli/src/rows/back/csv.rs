//! Reads rows of CSV: a header, then a row for each record.

use crate::ending::Ending;
use crate::files::input::fill;
use crate::messages::Count;
use crate::rows::back::cells::{Cells, RowPlace, Target};
use crate::rows::back::reader::RowReader;
use crate::rows::back::split::{Malformed, Splitter};
use crate::rows::back::trouble::{Ended, Trouble};
use charpipe::Error;
use charpipe::rows::AddedColumn;
use std::io::BufRead;

pub(super) struct CsvReader {
    splitter: Splitter,
    /// The column of each field of the header; empty before the header was read.
    header: Vec<Target>,
    rows: u64,
}

/// Returns how many columns a header may have: those of the layout, as fields of the row or of its parent, and the
/// others.
fn most_columns(layout: usize) -> usize {
    2 * layout + AddedColumn::ALL.len()
}

impl CsvReader {
    pub(super) fn new() -> Self {
        CsvReader { splitter: Splitter::new(), header: Vec::new(), rows: 0 }
    }

    /// Reads a row of at most `max_fields` fields. Returns `false` at the end of the input.
    fn row(
        &mut self,
        input: &mut dyn BufRead,
        max_fields: usize,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<bool, Ending<Trouble>> {
        loop {
            let src = fill(input).map_err(|error| Ending::NotRead(Error::read(self.splitter.offset(), error)))?;
            if src.is_empty() {
                let ended = self.splitter.finish(max_fields);
                return ended.map_err(|what| self.malformed(what, max_fields));
            }
            let (read, has_ended) =
                self.splitter.feed(src, max_fields).map_err(|what| self.malformed(what, max_fields))?;
            input.consume(read);
            if has_ended {
                return Ok(true);
            }
            blocks()?;
        }
    }

    /// Returns where the row is.
    fn place(&self) -> RowPlace {
        let begin = self.splitter.begin();
        let row = if self.header.is_empty() { 0 } else { self.rows + 1 };
        RowPlace { row, line: begin.line, column: 1, offset: begin.offset }
    }

    #[cold]
    fn malformed(&self, what: Malformed, max_fields: usize) -> Ending<Trouble> {
        let what = match (what, self.header.len()) {
            (Malformed::TooManyFields, 0) => {
                let (most, layout) = (Count(max_fields as u64, "field"), (max_fields - most_columns(0)) / 2);
                format!("it has more than {most}, but the layout has {layout}")
            }
            (Malformed::TooManyFields, count) => {
                format!("it has more than {}, but the header has {count}", Count(count as u64, "field"))
            }
            (what, _) => what.to_string(),
        };
        Trouble::malformed(self.place(), what)
    }

    fn read_header(&self, cells: &Cells<'_>) -> Result<Vec<Target>, Ending<Trouble>> {
        let bad = |what: String| Trouble::malformed(self.place(), what);
        let mut header: Vec<Target> = Vec::with_capacity(self.splitter.count());
        let mut is_seen = vec![false; cells.columns()];
        for (index, name) in self.splitter.fields().enumerate() {
            let name = name.map_err(|_| bad("it is not valid UTF-8".into()))?;
            let name = if index == 0 { name.trim_start_matches('\u{FEFF}') } else { name };
            let target = match cells.target(name) {
                // The header of rows without columns.
                Err(_) if name.is_empty() && self.splitter.count() == 1 => Target::Ignored,
                target => target.map_err(bad)?,
            };
            match target {
                Target::Group => return Err(bad(format!("{name} is a group; expected the fields in it"))),
                Target::Column(column) if std::mem::replace(&mut is_seen[column], true) => {
                    return Err(bad(format!("{name} occurs twice")));
                }
                Target::Column(_) | Target::Number | Target::Ignored => header.push(target),
            }
        }
        Ok(header)
    }
}

impl RowReader for CsvReader {
    fn read(
        &mut self,
        input: &mut dyn BufRead,
        cells: &mut Cells<'_>,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<bool, Ending<Trouble>> {
        if self.header.is_empty() {
            if !self.row(input, most_columns(cells.columns()), blocks)? {
                return Err(Trouble::malformed(
                    self.place(),
                    "there is none; expected a line with the names of the fields",
                ));
            }
            self.header = self.read_header(cells)?;
            if self.header.len() == 1 {
                self.splitter.take_empty_rows();
            }
        }
        if !self.row(input, self.header.len(), blocks)? {
            return Ok(false);
        }
        let (place, count) = (self.place(), self.splitter.count());
        self.rows += 1;
        cells.begin(place);
        if count != self.header.len() {
            let found = Count(count as u64, "field");
            let what = format!("it has {found}, but the header has {}", self.header.len());
            return Err(Trouble::malformed(place, what));
        }
        for (target, text) in self.header.iter().zip(self.splitter.fields()) {
            let text = text.map_err(|_| Trouble::malformed(place, "it is not valid UTF-8"))?;
            match target {
                Target::Column(column) => {
                    cells.set(*column, text).map_err(|what| Trouble::malformed(place, what))?;
                }
                Target::Number => cells.set_number(text),
                Target::Group | Target::Ignored => {}
            }
        }
        Ok(true)
    }
}
