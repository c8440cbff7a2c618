//! A code page of one's own without code: its chart, read from a text file at run time, and registered.
//!
//! `examples/data/x-site.txt` is page 1047 with two places taken for other signs. `codecs/README.md` has the format.

use charpipe::codec::table::chart;
use charpipe::{Registry, Transcode};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/x-site.txt"))?;
    let page = chart::parse(&text, &|_| None)?;
    println!("{} also answers to {}", page.name, page.aliases.join(" "));

    let mut registry = Registry::builtin();
    registry.register_table(page)?;

    let transcode = Transcode::new().registry(registry);
    let mut bytes = Vec::new();
    transcode.clone().to("X-SITE")?.run("✓ 50 €".as_bytes(), &mut bytes)?;
    println!("{bytes:02X?}");
    let mut text = Vec::new();
    transcode.from("site")?.run(&bytes[..], &mut text)?;
    println!("{}", String::from_utf8(text)?);
    Ok(())
}
