//! Converts a listing with carriage control to what a printer would print. The first column of each record is an ASA
//! control character: it moves to the next line or page, or back to the beginning of the line, to print over it.
//!
//!     cargo run --example print_listing

use charpipe::Transcode;
use charpipe::records::{Carriage, Shape};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/listing.fba");
    let job = Transcode::new().source_encoding("IBM037")?.records(Shape::Fixed { lrecl: 133 }).carriage(Carriage::Asa);
    let report = job.run(BufReader::new(File::open(path)?), stdout().lock())?;
    eprintln!("{} records printed", report.records.unwrap_or_default());
    Ok(())
}
