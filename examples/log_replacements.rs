//! Continues after malformed input and unmappable characters, and logs them: how many there were, and the first ones
//! with line and column, as an editor shows them.
//!
//!     cargo run --example log_replacements
//!
//! It prints the text to standard output and the log to standard error.

use charpipe::{OnMalformed, OnUnmappable, Transcode};

const INPUT: &[u8] = b"Caf\xC3\xA9 5\n\xFF and \xC0\xAF\n7 \xE2\x82\xAC\n";

fn main() -> Result<(), charpipe::Error> {
    let job = Transcode::new()
        .target_encoding("ISO-8859-1")?
        .on_malformed(OnMalformed::Escape)
        .on_unmappable(OnUnmappable::Escape);
    let mut latin1 = Vec::new();
    let report = job.run(INPUT, &mut latin1)?;
    print!("{}", Transcode::new().source_encoding("ISO-8859-1")?.decode(&latin1)?);

    // The count is exact. The first sixteen are stored with their offset, in bytes of the input.
    let (malformed, unmappable) = (&report.malformed, &report.unmappable);
    eprintln!("malformed: {}; not in {}: {}", malformed.count, report.to, unmappable.count);
    for fault in &malformed.first {
        eprintln!("{}: {:02X?}", place(fault.offset), fault.bytes);
    }
    for fault in &unmappable.first {
        eprintln!("{}: {:?}", place(fault.offset), fault.ch);
    }
    Ok(())
}

/// Returns the line and column of a byte. Lines must end in 0A, as in UTF-8 and other supersets of ASCII.
fn place(offset: u64) -> String {
    let before = &INPUT[..offset as usize];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    format!("line {line}, byte {column}")
}
