//! Converts a mainframe extract to CSV. The records have a fixed length and contain text in EBCDIC and a packed decimal,
//! as the copybook says.
//!
//!     cargo run --example records_to_csv [COPYBOOK FILE]
//!
//! This is what `charpipe rows --layout COPYBOOK FILE` does.

use charpipe::rows::{Batch, RowFormat, RowText, RowsJob};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Write as _, stdout};

const COPYBOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customer.cpy");
const CUSTOMERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customers.fb");

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (copybook, path) = (args.next().unwrap_or(COPYBOOK.into()), args.next().unwrap_or(CUSTOMERS.into()));

    let job = RowsJob::new().encoding("IBM037")?;
    let rows = job.rows(&job.layout(&std::fs::read(copybook)?)?)?;
    let text = RowText::new(&rows, RowFormat::Csv)?;

    let (shape, input) = rows.open(BufReader::new(File::open(&path)?))?;
    let (mut batches, mut reader, mut batch) = (rows.batches(input, &shape), rows.reader(&shape), Batch::default());
    let (mut out, mut lines) = (stdout().lock(), [text.header(0)]);
    while batches.read(&mut batch)? {
        for record in batch.records(0) {
            text.write(&mut reader, record, &path, &mut lines)?;
        }
        out.write_all(&lines[0])?;
        lines[0].clear();
    }
    Ok(out.flush()?)
}
