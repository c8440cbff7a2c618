//! Reads rows of CSV: a header, then a row for each record.

use crate::rows::back::RowReader;
use crate::rows::back::cells::{Cells, RowPlace, Target};
use crate::rows::back::trouble::Trouble;
use csv_core::{ReadRecordResult, Reader};
use std::io::{self, BufRead};

/// The longest row, in bytes.
const MAX_ROW: usize = 16 << 20;

pub(super) struct CsvReader {
    reader: Reader,
    /// The text of the row, without quotes.
    text: Vec<u8>,
    /// Where each field ends in `text`.
    ends: Vec<usize>,
    /// What each field of the header leads to; empty before the header was read.
    header: Vec<Target>,
    rows: u64,
    offset: u64,
}

impl CsvReader {
    pub(super) fn new() -> Self {
        CsvReader {
            reader: Reader::new(),
            text: vec![0; 4096],
            ends: vec![0; 64],
            header: Vec::new(),
            rows: 0,
            offset: 0,
        }
    }

    /// Reads a row. Returns where it is and how many fields it has; `None` at the end of the input.
    fn row(
        &mut self,
        input: &mut dyn BufRead,
        blocks: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<Option<(RowPlace, usize)>, Trouble> {
        let place = |reader: &CsvReader| RowPlace {
            row: if reader.header.is_empty() { 0 } else { reader.rows + 1 },
            line: reader.reader.line(),
            offset: reader.offset,
        };
        let (mut begin, mut text_len, mut ends_len) = (place(self), 0, 0);
        loop {
            let src = match input.fill_buf() {
                Ok(src) => src,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Trouble::NotRead(self.offset, error)),
            };
            let src_len = src.len();
            let (result, read, written, ended) =
                self.reader.read_record(src, &mut self.text[text_len..], &mut self.ends[ends_len..]);
            input.consume(read);
            self.offset += read as u64;
            text_len += written;
            ends_len += ended;
            match result {
                ReadRecordResult::Record => return Ok(Some((begin, ends_len))),
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty if src_len > 0 => blocks()?,
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.text.len() < MAX_ROW => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputFull => {
                    return Err(Trouble::malformed(
                        begin,
                        format!("it is longer than {MAX_ROW} bytes; is a quote not closed?"),
                    ));
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
            }
            // Empty lines are skipped.
            if text_len == 0 && ends_len == 0 {
                begin = place(self);
            }
        }
    }

    fn fields(&self, place: RowPlace, count: usize) -> Result<Vec<&str>, Trouble> {
        let begins = std::iter::once(0).chain(self.ends[..count].iter().copied());
        let field = |(begin, end): (usize, &usize)| {
            std::str::from_utf8(&self.text[begin..*end]).map_err(|_| Trouble::malformed(place, "it is not valid UTF-8"))
        };
        begins.zip(&self.ends[..count]).map(field).collect()
    }

    fn read_header(&mut self, place: RowPlace, count: usize, cells: &Cells) -> Result<(), Trouble> {
        let fields = self.fields(place, count)?;
        let mut header: Vec<Target> = Vec::with_capacity(count);
        for (index, name) in fields.iter().enumerate() {
            let name = if index == 0 { name.trim_start_matches('\u{FEFF}') } else { name };
            let target = cells.target(name).map_err(|what| Trouble::malformed(place, what))?;
            if target == Target::Group {
                return Err(Trouble::malformed(place, format!("{name} is a group; expected the fields in it")));
            }
            if target != Target::Ignored && header.contains(&target) {
                return Err(Trouble::malformed(place, format!("{name} occurs twice")));
            }
            header.push(target);
        }
        self.header = header;
        Ok(())
    }
}

impl RowReader for CsvReader {
    fn read(
        &mut self,
        input: &mut dyn BufRead,
        cells: &mut Cells,
        blocks: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<bool, Trouble> {
        if self.header.is_empty() {
            match self.row(input, blocks)? {
                Some((place, count)) => self.read_header(place, count, cells)?,
                None => return Ok(false),
            }
        }
        let Some((place, count)) = self.row(input, blocks)? else { return Ok(false) };
        self.rows += 1;
        cells.begin(place);
        if count != self.header.len() {
            let what = format!("it has {count} fields, but the header has {}", self.header.len());
            return Err(Trouble::malformed(place, what));
        }
        let mut begin = 0;
        for (target, end) in self.header.iter().zip(&self.ends) {
            let Ok(text) = std::str::from_utf8(&self.text[begin..*end]) else {
                return Err(Trouble::malformed(place, "it is not valid UTF-8"));
            };
            if let Target::Column(column) = target {
                cells.set(*column, text);
            }
            begin = *end;
        }
        Ok(true)
    }
}
