//! Shared code of the tests: a driver that cuts input and output in every way that must not change the result, hostile
//! readers, samples, and calls of other programs.

#![allow(dead_code)] // Each test uses its part.

pub mod broken;
pub mod layouts;
pub mod process;
pub mod records;
pub mod sample;
pub mod shapes;
pub mod signals;
pub mod small;
pub mod vectors;
pub mod work;

use charpipe::codec::{ByteSink, MIN_ROOM, Stop};
use charpipe::{Codec, Error, Registry, Report, Status, Transcode, Transcoder};
use std::io::{self, BufRead, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Everything that a run shows to the outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub output: Vec<u8>,
    /// The error message, which contains the offset and the bytes.
    pub error: Option<String>,
    pub offset: Option<u64>,
    /// The verdict of detection, with its reasons.
    pub verdict: String,
    /// What the report counts: errors that a policy let pass, with their positions; diagnostics; records.
    pub faults: String,
    /// How much of the input the report accounts for.
    pub bytes_in: u64,
}

impl Outcome {
    /// Returns the outcome of a transcoder that has written `output`, and then failed with `error` if there is one.
    pub fn of(transcoder: &Transcoder, output: Vec<u8>, error: Option<Error>) -> Outcome {
        Outcome {
            output,
            offset: error.as_ref().and_then(Error::offset),
            error: error.map(|error| error.to_string()),
            verdict: format!("{:?}", transcoder.verdict()),
            faults: faults(transcoder.report()),
            bytes_in: transcoder.report().bytes_in,
        }
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.output).unwrap()
    }
}

/// Converts `input` in one piece, into a large buffer.
pub fn whole(job: &Transcode, input: &[u8]) -> Outcome {
    drive(job, input, &mut std::iter::repeat(usize::MAX), &mut std::iter::repeat(1 << 20), false)
}

/// Converts `input` in pieces of `cuts` bytes, into buffers of `buffer_sizes`. With `late_eof`, the end of the
/// input is announced by a separate call without data.
pub fn drive(
    job: &Transcode,
    input: &[u8],
    cuts: &mut dyn Iterator<Item = usize>,
    buffer_sizes: &mut dyn Iterator<Item = usize>,
    late_eof: bool,
) -> Outcome {
    let mut transcoder = job.transcoder().unwrap();
    drive_this(&mut transcoder, input, cuts, buffer_sizes, late_eof)
}

pub fn drive_this(
    transcoder: &mut Transcoder,
    input: &[u8],
    cuts: &mut dyn Iterator<Item = usize>,
    buffer_sizes: &mut dyn Iterator<Item = usize>,
    late_eof: bool,
) -> Outcome {
    let mut output = Vec::new();
    let mut at = 0;
    let mut error: Option<Error> = None;
    let mut idle = 0;
    'input: loop {
        let len = cuts.next().unwrap().min(input.len() - at);
        let chunk = &input[at..at + len];
        let eof = at + len == input.len() && !(late_eof && len > 0);
        let mut read = 0;
        loop {
            let mut buffer = vec![0xAA; buffer_sizes.next().unwrap()];
            match transcoder.step(&chunk[read..], &mut buffer, eof) {
                Err(found) => {
                    error = Some(found);
                    break 'input;
                }
                Ok(step) => {
                    assert!(step.written <= buffer.len() && step.read <= chunk.len() - read);
                    idle = if step.read + step.written > 0 || buffer.is_empty() { 0 } else { idle + 1 };
                    assert!(idle < 1000, "no progress");
                    read += step.read;
                    output.extend_from_slice(&buffer[..step.written]);
                    match step.state {
                        Status::Done => break 'input,
                        Status::NeedInput => {
                            assert_eq!(read, chunk.len());
                            assert!(!eof, "asks for more input after the end");
                            break;
                        }
                        Status::NeedRoom => {}
                    }
                }
            }
        }
        at += len;
    }
    assert_eq!(transcoder.report().bytes_out, output.len() as u64);
    Outcome::of(transcoder, output, error)
}

/// Returns what a report counts, as text.
pub fn faults(report: &Report) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        report.malformed,
        report.read_as,
        report.unmappable,
        report.controls,
        report.mojibake,
        report.diagnostics,
        report.relabelled,
        report.records,
        report.records_out,
        report.record_newlines,
        report.records_cut
    )
}

/// Asserts that the outcome does not depend on how the input is cut: at every single position, one byte at a time, with
/// empty pieces in between, and into output buffers of small sizes. Returns the outcome.
pub fn invariant(job: &Transcode, input: &[u8], what: &str) -> Outcome {
    let expected = whole(job, input);
    let check = |outcome: Outcome, how: &str| assert_eq!(outcome, expected, "{what}, {how}");
    let all = || std::iter::repeat(usize::MAX);
    for cut in 0..=input.len() {
        let mut cuts = [cut].into_iter().chain(all());
        check(drive(job, input, &mut cuts, &mut std::iter::repeat(4096), false), &format!("cut at {cut}"));
    }
    for buffer in [1, 2, 3, 4, 5, 7, 16, 63, 64, 65, 127, 128, 129] {
        check(drive(job, input, &mut all(), &mut std::iter::repeat(buffer), false), &format!("buffers of {buffer}"));
    }
    for (cuts, buffer_sizes) in
        [(&[1][..], &[4096][..]), (&[1], &[1]), (&[0, 1, 0, 2], &[0, 1, 70]), (&[3, 0, 5], &[0, 0, 3])]
    {
        let mut cuts_of = cuts.iter().copied().cycle();
        let mut buffer_sizes_of = buffer_sizes.iter().copied().cycle();
        check(
            drive(job, input, &mut cuts_of, &mut buffer_sizes_of, true),
            &format!("cuts {cuts:?}, buffers of {buffer_sizes:?}"),
        );
    }
    expected
}

/// Returns all built-in codecs.
pub fn codecs() -> Vec<Arc<dyn Codec>> {
    Registry::builtin().codecs().cloned().collect()
}

/// Encodes the characters of a text that a codec can write, and leaves out the others.
pub fn encode(codec: &dyn Codec, text: &str) -> Vec<u8> {
    let mut encoder = codec.encoder().unwrap();
    let mut bytes = Vec::new();
    let mut utf8 = [0; 4];
    for ch in text.chars() {
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let _ = encoder.feed(ch.encode_utf8(&mut utf8), &mut sink);
        bytes.extend_from_slice(sink.as_bytes());
    }
    let mut buffer = [0; MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    bytes.extend_from_slice(sink.as_bytes());
    bytes
}

/// A text with something for every codec.
pub const TEXT: &str = "<?xml version='1.0'?>\r\n<a b=\"é\">ﾊﾛｰ \u{85}€ 漢字 😀 [x]</a>\n";

/// Returns valid and malformed inputs of every kind for a codec.
pub fn samples(codec: &dyn Codec) -> Vec<Vec<u8>> {
    let good = encode(codec, TEXT);
    let mut bad = good.clone();
    for at in [1, 7, 8, 20, 21, 22, 40] {
        let at = at.min(bad.len());
        bad.splice(at..at, [0xFF, 0xD8, 0x00, 0xDC]);
    }
    // A few charsets, such as that of Braille, have none of the text.
    let cut_short = good[..good.len().saturating_sub(1)].to_vec();
    let all_bytes = (0..=255).collect();
    vec![Vec::new(), good, bad, cut_short, all_bytes]
}

/// A reader that returns one to three bytes at a time, and `Interrupted` before each.
pub struct Stutter<'a> {
    rest: &'a [u8],
    calls: usize,
}

impl<'a> Stutter<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Stutter { rest: input, calls: 0 }
    }
}

impl BufRead for Stutter<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.calls += 1;
        if self.calls % 2 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(&self.rest[..self.rest.len().min(1 + self.calls % 3)])
    }

    fn consume(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }
}

impl Read for Stutter<'_> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("the pump fills and consumes")
    }
}

/// Says that a test, or a part of it, does not run here. Not through `eprintln!`, whose output the test runner captures: what
/// was skipped must be visible.
pub fn skipped(why: impl std::fmt::Display) {
    _ = writeln!(io::stderr(), "skipped: {why}");
}

/// Returns whether `probe` runs; prints a message if it does not.
pub fn installed(peer: &str, probe: &[&str]) -> bool {
    let ran = Command::new(probe[0]).args(&probe[1..]).stdin(Stdio::null()).output();
    let is_installed = ran.is_ok_and(|output| output.status.success());
    if !is_installed {
        skipped(format_args!("{peer} is not installed"));
    }
    is_installed
}
