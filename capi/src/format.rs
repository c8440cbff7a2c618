//! The format of rows: [`RowWriter`].

use crate::failure::Failure;
use crate::options::option;
use charpipe::fields::FieldError;
use charpipe::rows::{BatchRecord, Formulas, RowArrow, RowFormat, RowReader, RowText, Rows};
use charpipe::{UnknownWord, Word};

/// The options of the format, which are not among those of a rows job.
pub(crate) const OPTIONS: [&str; 3] = ["format", "formulas", "quote-empty"];

/// Writes rows to one output.
pub(crate) enum RowWriter {
    Text(RowText),
    Arrow(Box<RowArrow>),
}

impl RowWriter {
    /// Makes what writes the rows of a job in the format that the options ask for.
    pub(crate) fn new(options: &str, rows: &Rows) -> Result<Self, Failure> {
        let formulas = word(options, "formulas")?.unwrap_or(Formulas::Keep);
        let quote_empty = match option(options, "quote-empty") {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                return Err(Failure::Usage(format!("option quote-empty: {other:?} is not one of true, false")));
            }
        };
        if option(options, "format") == Some("arrow") {
            if let Some(name) = OPTIONS[1..].iter().find(|name| option(options, name).is_some()) {
                return Err(Failure::Usage(format!("option {name}: it has no meaning for rows of Arrow")));
            }
            return Ok(RowWriter::Arrow(Box::new(RowArrow::new(rows).map_err(Failure::Rows)?)));
        }
        let format = option(options, "format").map_or(Ok(RowFormat::Csv), str::parse);
        let format = format.map_err(|error: UnknownWord| Failure::Usage(format!("option format: {error}, arrow")))?;
        let text = RowText::new(rows, format).map_err(Failure::Rows)?;
        Ok(RowWriter::Text(text.formulas(formulas).quote_empty(quote_empty)))
    }

    /// Begins an output anew, and returns its beginning.
    pub(crate) fn begin(&mut self) -> Vec<u8> {
        match self {
            RowWriter::Text(text) => text.header(0),
            RowWriter::Arrow(arrow) => {
                arrow.clear();
                arrow.header().to_vec()
            }
        }
    }

    /// Adds the row of a record to the output. The input has no name.
    pub(crate) fn write(
        &mut self,
        reader: &mut RowReader,
        record: BatchRecord<'_>,
        output: &mut [Vec<u8>; 1],
    ) -> Result<(), FieldError> {
        match self {
            RowWriter::Text(text) => text.write(reader, record, "", output)?,
            RowWriter::Arrow(arrow) => arrow.write(reader, record, "", &mut output[0])?,
        };
        Ok(())
    }

    /// Ends the output. After an error, it has no mark of the end.
    pub(crate) fn end(&mut self, is_complete: bool, output: &mut Vec<u8>) {
        match self {
            RowWriter::Text(_) => {}
            RowWriter::Arrow(arrow) if is_complete => arrow.finish(output),
            RowWriter::Arrow(arrow) => arrow.end_batch(output),
        }
    }
}

/// Returns the value of an option whose values are words.
fn word<T: Word>(options: &str, name: &str) -> Result<Option<T>, Failure> {
    let word = option(options, name).map(str::parse).transpose();
    word.map_err(|error| Failure::Usage(format!("option {name}: {error}")))
}
