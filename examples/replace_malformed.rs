//! Goes on where the input is ill-formed: a replacement for each fault, and an account of them.

use charpipe::{OnMalformed, Transcode};

fn main() -> Result<(), charpipe::Error> {
    let damaged = include_bytes!("data/damaged-utf8.txt");
    for policy in [OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape] {
        let mut output = Vec::new();
        let report = Transcode::new().malformed(policy).run(&damaged[..], &mut output)?;
        print!("{policy:?}: {}", String::from_utf8_lossy(&output));
        println!("  {} faults", report.malformed.count);
        // The first of them are kept with their place.
        for fault in &report.malformed.first {
            println!("  byte {}: {:02X?}", fault.offset, fault.bytes);
        }
    }
    Ok(())
}
