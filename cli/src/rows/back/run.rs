//! Writes the records of rows: [`Run`].

use crate::args::Rows;
use crate::ending::Ending;
use crate::files::input;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::messages::json as lines;
use crate::messages::json::ErrorObject;
use crate::messages::{Count, Place, say, say_problem};
use crate::print::Report;
use crate::rows::back::cells::Cells;
use crate::rows::back::csv::CsvReader;
use crate::rows::back::json::JsonReader;
use crate::rows::back::reader::RowReader;
use crate::rows::back::trouble::{BadRow, Ended, Trouble};
use crate::rows::setup::Setup;
use crate::status::Status;
use charpipe::fields::Writer;
use charpipe::records::{Framer, Shape};
use charpipe::rows::RowFormat;
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, BufRead, Write as _};

/// How many bytes are read at a time.
const READ_BYTES: usize = 64 * 1024;

/// How many bytes of records are collected before they are written.
const BATCH_BYTES: usize = 64 * 1024;

/// A line of the report.
#[derive(Serialize)]
struct ReportLine<'a> {
    input: &'a str,
    output: &'a str,
    to: &'a str,
    shape: String,
    rows: u64,
    records_out: u64,
    bytes_out: u64,
    error: Option<ErrorObject>,
    /// Whether the reader of the output wanted no more; the rest of the input was not read.
    stopped: bool,
}

/// How many rows there were, and how many bytes of records they became.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl Counts {
    pub(super) fn since(self, before: Counts) -> Counts {
        Counts { rows: self.rows.saturating_sub(before.rows), bytes: self.bytes.saturating_sub(before.bytes) }
    }

    pub(super) fn add(&mut self, more: Counts) {
        self.rows += more.rows;
        self.bytes += more.bytes;
    }
}

/// A file of rows.
pub(super) struct RowFile {
    input: Box<dyn BufRead>,
    reader: Box<dyn RowReader>,
}

/// The work on all inputs, whose records go to one output.
pub(super) struct Run<'a> {
    pub(super) setup: &'a Setup,
    pub(super) shape: Shape,
    pub(super) writer: Writer,
    pub(super) framer: Framer,
    pub(super) output: Output,
    /// Records that are still to be written.
    pub(super) bytes: Vec<u8>,
    /// The record that was written last.
    pub(super) record: Vec<u8>,
    pub(super) written: u64,
    pub(super) rows: u64,
}

impl Run<'_> {
    /// Opens an input.
    pub(super) fn open(&self, path: &OsStr, format: RowFormat) -> Result<RowFile, Ending<Trouble>> {
        let opened = input::open(path, READ_BYTES).map_err(Ending::NotOpened)?;
        if opened.metadata.as_ref().is_some_and(|input| self.output.feeds(input)) {
            let why = io::Error::other("it is also the output (use -o to replace it)");
            return Err(Ending::NotOpened(why));
        }
        let reader: Box<dyn RowReader> = match format {
            RowFormat::Csv => Box::new(CsvReader::new()),
            _ => Box::new(JsonReader::new()),
        };
        Ok(RowFile { input: opened.reader, reader })
    }

    /// Writes the records of an input.
    pub(super) fn input(&mut self, path: &OsStr, format: RowFormat, cells: &mut Cells<'_>) -> Ended {
        let mut file = self.open(path, format)?;
        let ended = self.rows(&mut file, cells);
        // The records before an error are delivered.
        self.flush().and(ended)
    }

    fn rows(&mut self, file: &mut RowFile, cells: &mut Cells<'_>) -> Ended {
        while self.read(file, cells)? {
            self.write(cells)?;
        }
        Ok(())
    }

    /// Reads the next row into `cells`. Returns `false` if there is none.
    pub(super) fn read(&mut self, file: &mut RowFile, cells: &mut Cells<'_>) -> Result<bool, Ending<Trouble>> {
        let Run { output, bytes, written, .. } = self;
        file.reader.read(&mut *file.input, cells, &mut || flush(output, bytes, written))
    }

    /// Writes the record of a row.
    pub(super) fn write(&mut self, cells: &Cells<'_>) -> Ended {
        let place = cells.place();
        let bad = |what: BadRow| Trouble(place, what);
        self.writer.write(place.row, &mut cells.source(), &mut self.record).map_err(|error| bad(error.into()))?;
        self.framer.record(&self.record, place.offset, &mut self.bytes).map_err(|error| bad(error.into()))?;
        self.rows += 1;
        if self.bytes.len() >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Returns the counts so far.
    pub(super) fn counts(&self) -> Counts {
        Counts { rows: self.rows, bytes: self.written + self.bytes.len() as u64 }
    }

    pub(super) fn flush(&mut self) -> Ended {
        flush(&mut self.output, &mut self.bytes, &mut self.written)
    }

    /// Ends the output, and puts it in its place unless an input failed.
    pub(super) fn finish(&mut self, worst: Status) -> Ended {
        self.framer.finish(&mut self.bytes);
        let flushed = self.flush();
        let nothing = Output::nothing(self.output.name.clone());
        let output = std::mem::replace(&mut self.output, nothing);
        if worst != Status::Done && output.is_replacing() {
            return Ok(());
        }
        flushed?;
        Output::commit_all(vec![output]).map_err(|(name, error)| Ending::not_written(&name, error))
    }

    /// Prints and reports what happened with an input.
    pub(super) fn account(
        &self,
        args: &Rows,
        report: &mut Report,
        name: &Name,
        path: &OsStr,
        counts: Counts,
        ending: Option<&Ending<Trouble>>,
    ) -> Status {
        if args.messages.verbose {
            say(format_args!("{name}: {} in", Count(counts.rows, "row")));
        }
        let status = report.write(|| self.line(name, counts, ending));
        if let Some(ending) = ending {
            let say_trouble = |trouble: &Trouble| {
                say_problem(
                    name,
                    Some(Place::new(trouble.0.offset, None, Some(trouble.0.position()))),
                    trouble,
                    trouble.hint(),
                );
            };
            ending.say(name, path, say_trouble);
        }
        status
    }

    /// Returns the line of the report.
    fn line(&self, name: &Name, counts: Counts, ending: Option<&Ending<Trouble>>) -> String {
        lines::line(&ReportLine {
            input: name.json(),
            output: self.output.name.json(),
            to: self.setup.page(),
            shape: self.shape.to_string(),
            rows: counts.rows,
            records_out: counts.rows,
            bytes_out: counts.bytes,
            error: ending.and_then(Ending::object),
            stopped: ending.is_some_and(Ending::is_stopped),
        })
    }
}

fn flush(output: &mut Output, bytes: &mut Vec<u8>, written: &mut u64) -> Ended {
    let result = output.write_all(bytes);
    *written += if result.is_ok() { bytes.len() as u64 } else { 0 };
    bytes.clear();
    result.map_err(|error| Ending::of_write(&output.name, error))
}
