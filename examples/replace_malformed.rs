//! Continues after malformed input: replaces each malformed sequence, and reports the replacements.

use charpipe::{OnMalformed, Transcode};

fn main() -> Result<(), charpipe::Error> {
    let damaged = include_bytes!("data/damaged-utf8.txt");
    for policy in [OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape] {
        let mut output = Vec::new();
        let report = Transcode::new().on_malformed(policy).run(&damaged[..], &mut output)?;
        print!("{policy:?}: {}", String::from_utf8_lossy(&output));
        println!("  {} malformed sequences", report.malformed.count);
        // The first ones are stored with their offsets.
        for fault in &report.malformed.first {
            println!("  byte {}: {:02X?}", fault.offset, fault.bytes);
        }
    }
    Ok(())
}
