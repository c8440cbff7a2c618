//! Converts a document from gzip to gzip. The adapters can be stacked like any other `Read` and `Write`, and the
//! document is never held in memory as a whole.
//!
//!     cargo run --example gzip_stream
//!
//! It prints the number of bytes on each side, and the converted document.

use charpipe::Transcode;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::error::Error;
use std::io::{BufReader, Read, Write};

fn main() -> Result<(), Box<dyn Error>> {
    // The input that somebody sent: EBCDIC, compressed with gzip.
    let mut sent = GzEncoder::new(Vec::new(), Compression::default());
    sent.write_all(include_bytes!("data/hello-ibm1047.xml"))?;
    let sent = sent.finish()?;

    let input = BufReader::new(GzDecoder::new(&sent[..]));
    let mut output = GzEncoder::new(Vec::new(), Compression::default());
    let report = Transcode::new().target_encoding("UTF-16")?.run(input, &mut output)?;
    let compressed = output.finish()?;
    println!("{} bytes of {}, {} of {}", report.bytes_in, report.from.unwrap_or_default(), report.bytes_out, report.to);

    // Offsets count bytes of the document, not of the compressed file.
    let mut text = String::new();
    Transcode::new().reader(BufReader::new(GzDecoder::new(&compressed[..])))?.read_to_string(&mut text)?;
    print!("{text}");
    Ok(())
}
