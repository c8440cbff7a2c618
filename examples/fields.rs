//! Reads a customer file of a mainframe field by field. The records have a fixed or variable length, and may be blocked
//! or spanned. Each contains text in EBCDIC and a packed decimal, which is not text and is read as an exact number.
//!
//!     cargo run --example fields [FILE SHAPE]
//!
//! `examples/data/records/customer.cpy` is the copybook.

use charpipe::fields::{FieldError, Value, Visitor};
use charpipe::rows::RowsJob;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _, stdout};

/// The fields of the file: name, first byte, length, kind.
const LAYOUT: &str = "
ID       1  7 zoned,unsigned
NAME     8 20 text
ADDRESS 28 24 text
BALANCE 52  5 packed.2
NOTE    57 20 text
";

/// Puts the values of a record into a line. Columns are those of `select`, in the order of the layout.
struct Line(String);

impl Visitor for Line {
    type Error = FieldError;

    fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        let value = value.to_string();
        let _ = match column {
            0 => write!(self.0, "{value:0>7}"),
            1 => write!(self.0, "  {value:20}"),
            2 => write!(self.0, "  {value:>11}"),
            _ => write!(self.0, "  {value}"),
        };
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customers.vbs");
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| example.into());
    let shape = args.next().unwrap_or_else(|| "vbs".into());

    // Records of variable length end where the note ends.
    let options = [("records", &*shape), ("select", "ID,NAME,BALANCE,NOTE"), ("short-records", "null")];
    let job = options.into_iter().try_fold(RowsJob::new(), |job, (name, value)| job.set(name, value))?;
    let rows = job.rows(&job.layout(LAYOUT.as_bytes())?)?;

    let (shape, input) = rows.open(BufReader::new(File::open(path)?))?;
    let (mut records, mut reader) = (rows.records(input, &shape), rows.reader(&shape));
    let (mut line, mut out) = (Line(String::new()), BufWriter::new(stdout().lock()));
    while let Some(record) = records.next_record()? {
        line.0.clear();
        reader.read(record.number, record.data, &mut line)?;
        writeln!(out, "{}", line.0.trim_end_matches(' '))?;
    }
    Ok(out.flush()?)
}
