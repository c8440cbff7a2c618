//! Converts a file to UTF-8, whatever it is encoded in, and corrects its declaration.
//!
//!     cargo run --example convert_file [FILE]

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/hello-ibm1047.xml");
    let path = std::env::args_os().nth(1).unwrap_or_else(|| example.into());
    let report = charpipe::transcode(BufReader::new(File::open(path)?), stdout().lock())?;
    eprintln!("{} bytes of {} became {} bytes", report.bytes_in, report.from.unwrap_or_default(), report.bytes_out);
    Ok(())
}
