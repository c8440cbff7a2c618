//! Creates the input files: a text that is long enough to defeat branch predictors, repeated.

use crate::text::Kind;
use charpipe::Registry;
use charpipe::codec::{ByteSink, Stop};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Size of the text that is repeated, in bytes.
pub(crate) const BLOCK: usize = 1024 * 1024;

/// A conversion. The charsets have charpipe's names.
pub(crate) struct Job {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) kind: Kind,
}

impl Job {
    pub(crate) fn name(&self) -> String {
        format!("{} → {}, {}", self.from, self.to, self.kind.name())
    }

    /// Returns the block that is repeated.
    pub(crate) fn block(&self) -> Vec<u8> {
        encoded(self.from, &self.kind.text(BLOCK))
    }
}

/// Encodes the text.
pub(crate) fn encoded(charset: &str, text: &str) -> Vec<u8> {
    let codec = Registry::builtin().codec(charset).expect("a built-in codec");
    let mut encoder = codec.encoder().expect("one that encodes");
    let mut buffer = vec![0; 4 * text.len() + 64];
    let mut sink = ByteSink::new(&mut buffer);
    let step = encoder.feed(text, &mut sink);
    assert_eq!(step.stop, Stop::InputEmpty, "{charset} has all characters of the text");
    // Returns to single bytes if the charset has shift codes, so that the block can be repeated.
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty, "the buffer is large enough");
    let len = sink.written();
    buffer.truncate(len);
    buffer.shrink_to_fit();
    buffer
}

/// Returns how often `block` must be repeated to get at least `mib` MiB.
pub(crate) fn times(block: &[u8], mib: usize) -> usize {
    (mib * 1024 * 1024).div_ceil(block.len())
}

/// Writes `block` `times` times and returns the number of bytes.
pub(crate) fn write_repeated(path: &Path, block: &[u8], times: usize) -> io::Result<usize> {
    let mut file = File::create(path)?;
    for _ in 0..times {
        file.write_all(block)?;
    }
    // The file must be on disk before measurements begin.
    file.sync_all()?;
    Ok(times * block.len())
}

/// Records of a text, and the expected result: one line each, with trailing blanks trimmed.
pub(crate) struct Records {
    pub(crate) bytes: Vec<u8>,
    pub(crate) lines: Vec<u8>,
}

impl Records {
    /// Returns records of 80 bytes, padded with blanks.
    pub(crate) fn fixed() -> Records {
        Records::of(|line, bytes| {
            bytes.extend_from_slice(line);
            bytes.resize(bytes.len() + 80 - line.len(), 0x40);
        })
    }

    /// Returns records with a length field, each with a line and a few trailing blanks.
    pub(crate) fn variable() -> Records {
        Records::of(|line, bytes| {
            let blanks = line.len() % 7;
            let len = (4 + line.len() + blanks) as u16;
            bytes.extend(len.to_be_bytes());
            bytes.extend([0, 0]);
            bytes.extend_from_slice(line);
            bytes.resize(bytes.len() + blanks, 0x40);
        })
    }

    fn of(add: impl Fn(&[u8], &mut Vec<u8>)) -> Records {
        let mut this = Records { bytes: Vec::new(), lines: Vec::new() };
        for line in Kind::English.text(BLOCK).lines() {
            let line = &line[..line.len().min(80)];
            add(&encoded("IBM037", line), &mut this.bytes);
            this.lines.extend_from_slice(line.trim_end().as_bytes());
            this.lines.push(b'\n');
        }
        this
    }
}
