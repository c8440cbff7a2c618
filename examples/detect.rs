//! Detects the encoding of files, and prints the evidence for it.
//!
//!     cargo run --example detect

use charpipe::detect::{Detector, Hints};
use charpipe::{Registry, Verdict};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

const FILES: [&str; 7] = [
    "hello-ibm1047.xml",
    "katakana-ibm290.xml",
    "no-declaration-name-ibm037.xml",
    "ucs4-2143.xml",
    "utf16be-declared-utf16.xml",
    "latin1.xml",
    "damaged-utf8.txt",
];

fn main() -> io::Result<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data");
    for name in FILES {
        let verdict = detect(File::open(data.join(name))?)?;
        let decided = verdict.rule.zip(verdict.source.map(|source| source.name()));
        println!("{name}: {}", verdict.encoding.as_deref().unwrap_or("unknown"));
        println!("  family {}, {}", verdict.family.name(), verdict.kind.name());
        if let Some((declared, span)) = verdict.declared.zip(verdict.declared_span) {
            println!("  declares {declared:?} in bytes {}..{}", span.start, span.end);
        }
        if let Some((rule, source)) = decided {
            println!("  by {source}, rule {rule}");
        }
        for note in &verdict.diagnostics {
            println!("  {} at byte {}: {} ({})", note.severity.name(), note.offset, note.message, note.code);
        }
        if let Some(error) = &verdict.error {
            println!("  error: {error} ({})", error.code());
        }
    }
    Ok(())
}

/// Detects the encoding of `input`. Reads no further than the verdict needs, in chunks of sixteen bytes.
fn detect(mut input: impl Read) -> io::Result<Verdict> {
    let mut detector = Detector::new(Registry::builtin(), Hints::default());
    let mut chunk = [0; 16];
    while !detector.is_done() {
        let len = input.read(&mut chunk)?;
        if len == 0 {
            break;
        }
        // The detector stores the bytes that it takes: detector.prefix() and the rest of this chunk are everything that
        // was read.
        let _taken = detector.feed(&chunk[..len]);
    }
    Ok(detector.finish())
}
