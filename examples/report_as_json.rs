//! Reads options from a configuration file, and writes the report of a run as JSON, with the feature `serde`. The keys
//! are those of the JSON that the command `charpipe` writes.
//!
//!     cargo run --features serde --example report_as_json
//!
//! It prints the report of a run that replaces malformed input.

use charpipe::records::Shape;
use charpipe::{OnMalformed, Transcode};
use std::error::Error;

const CONFIG: &str = r#"{ "from": "US-ASCII", "records": "fb:10", "malformed": "replace" }"#;

#[derive(serde::Deserialize)]
struct Config {
    from: String,
    records: Shape,
    malformed: OnMalformed,
}

fn main() -> Result<(), Box<dyn Error>> {
    let config: Config = serde_json::from_str(CONFIG)?;
    let job = Transcode::new().source_encoding(&config.from)?.records(config.records).on_malformed(config.malformed);
    let mut text = Vec::new();
    let report = job.run(&b"CLOSED    CAF\x90      "[..], &mut text)?;
    print!("{}", String::from_utf8(text)?);
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}
