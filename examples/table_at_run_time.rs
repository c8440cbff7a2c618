//! Loads a table from a file at run time: a code page of your own that needs no code.
//!
//! `examples/data/x-site.txt` is page 1047, as a chart, with two characters replaced; `codecs/README.md` describes the
//! format. ICU tables (`.ucm`), charmaps and columns of numbers are loaded in the same way. A charset that no table can
//! describe needs code: see `own_codec.rs` and `keis.rs`.

use charpipe::{Registry, Transcode};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut registry = Registry::builtin();
    let codec = registry.load(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/x-site.txt"))?;
    let labels: Vec<&str> = registry.labels(codec.name()).collect();
    println!("{} has the labels {}", codec.name(), labels.join(" "));

    let transcode = Transcode::new().registry(registry);
    let mut bytes = Vec::new();
    transcode.clone().target_encoding("X-SITE")?.run("✓ 50 €".as_bytes(), &mut bytes)?;
    println!("{bytes:02X?}");
    let mut text = Vec::new();
    transcode.source_encoding("site")?.run(&bytes[..], &mut text)?;
    println!("{}", String::from_utf8(text)?);
    Ok(())
}
