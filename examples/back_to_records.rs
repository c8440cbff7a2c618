//! Converts lines to records: records of a fixed length, padded with blanks of the target charset, and records that
//! follow their length. A line that is too long for its record is an error that names the record.
//!
//!     cargo run --example back_to_records

use charpipe::records::{Records, Shape};
use charpipe::{OnOverlong, Transcode};
use std::error::Error;

const LINES: &str = "PAY 山田 12\nPAY Ms. O'Brien 7\n";

fn main() -> Result<(), Box<dyn Error>> {
    // Page 939 has two-byte characters between shift codes; the shift codes count towards the length.
    let job = Transcode::new().target_encoding("IBM939")?;
    for name in ["fb:18", "rdw", "vbs:24"] {
        let shape: Shape = name.parse()?;
        let mut bytes = Vec::new();
        let report = job.clone().to_records(shape.clone()).run(LINES.as_bytes(), &mut bytes)?;
        println!("{shape}: {} records in {} bytes", report.records_out.unwrap_or_default(), bytes.len());
        let mut records = Records::new(&bytes[..], &shape);
        while let Some(record) = records.next_record()? {
            println!("  {:3} {}", record.offset, hex(record.data));
        }
    }

    let short = job.to_records(Shape::Fixed { lrecl: 12 });
    let mut bytes = Vec::new();
    let error = short.run(LINES.as_bytes(), &mut bytes).unwrap_err();
    println!("fb:12: {error}");
    let mut bytes = Vec::new();
    short.on_overlong(OnOverlong::Cut).run(LINES.as_bytes(), &mut bytes)?;
    bytes.chunks(12).for_each(|record| println!("      {}", hex(record)));
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
