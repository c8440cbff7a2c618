//! Converts records to lines: removes the block and record headers of a mainframe file, and writes the columns that are
//! not text as two hex digits per byte.
//!
//!     cargo run --example unblock

use charpipe::records::Shape;
use charpipe::{Gaps, Transcode};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customers.vb");
    let shape: Shape = "vb".parse()?;
    let job = Transcode::new().source_encoding("IBM037")?.records(shape).columns("1-51,57-".parse()?).gaps(Gaps::Hex);
    let report = job.run(BufReader::new(File::open(path)?), stdout().lock())?;
    eprintln!("{} records in {} bytes", report.records.unwrap_or_default(), report.bytes_in);
    Ok(())
}
