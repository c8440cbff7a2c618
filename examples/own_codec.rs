//! Implements a codec by hand: ASCII, with each accent before the letter that it belongs to (in the manner of ISO
//! 6937). Once registered under its labels, it is used like any other codec, including for documents that declare it.
//!
//! A charset that a table can describe needs no code: see `table_at_run_time.rs`. For a charset with shift codes see
//! `keis.rs`.

use charpipe::codec::{ByteSink, Malformed, Step, Stop, Unmappable, Utf8Sink};
use charpipe::{Codec, Decoder, Encoder, Registry, Transcode};
use std::sync::Arc;

/// Accent, letter, and the character that they form.
const ACCENTED: [(u8, u8, char); 5] =
    [(0xC2, b'a', 'á'), (0xC2, b'e', 'é'), (0xC8, b'o', 'ö'), (0xC8, b'u', 'ü'), (0xCA, b'A', 'Å')];

struct Accents;

impl Codec for Accents {
    fn name(&self) -> &str {
        "X-Accents"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(AccentsDecoder { accent: None })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(AccentsEncoder))
    }
}

#[derive(Clone)]
struct AccentsDecoder {
    /// An accent that was read and whose letter may come with the next input.
    accent: Option<u8>,
}

const FAULT: Stop<Malformed> = Stop::Fault(Malformed { len: 1, after: 0 });

impl Decoder for AccentsDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        for (read, &byte) in src.iter().enumerate() {
            let ch = match self.accent {
                None if byte.is_ascii() => byte as char,
                None if ACCENTED.iter().any(|(accent, ..)| *accent == byte) => {
                    self.accent = Some(byte);
                    continue;
                }
                None => return Step { read: read + 1, stop: FAULT },
                Some(accent) => match ACCENTED.iter().find(|row| (row.0, row.1) == (accent, byte)) {
                    Some(row) => row.2,
                    None => {
                        // The accent is invalid. This byte has not been read yet and may be valid.
                        self.accent = None;
                        return Step { read, stop: FAULT };
                    }
                },
            };
            if !dst.push(ch) {
                return Step { read, stop: Stop::OutputFull };
            }
            self.accent = None;
        }
        Step { read: src.len(), stop: Stop::InputEmpty }
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        if self.accent.take().is_some() { FAULT } else { Stop::InputEmpty }
    }

    fn reset(&mut self) {
        self.accent = None;
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        usize::from(self.accent.is_some())
    }
}

struct AccentsEncoder;

impl Encoder for AccentsEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        for (read, ch) in src.char_indices() {
            let fits = match ACCENTED.iter().find(|row| row.2 == ch) {
                Some(row) => dst.push(&[row.0, row.1]),
                None if ch.is_ascii() => dst.push(&[ch as u8]),
                None => {
                    let fault = Unmappable { ch, after: 0 };
                    return Step { read: read + ch.len_utf8(), stop: Stop::Fault(fault) };
                }
            };
            if !fits {
                return Step { read, stop: Stop::OutputFull };
            }
        }
        Step { read: src.len(), stop: Stop::InputEmpty }
    }

    fn finish(&mut self, _dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn is_stateless(&self) -> bool {
        true
    }
}

fn main() -> Result<(), charpipe::Error> {
    let mut registry = Registry::builtin();
    registry.register(Arc::new(Accents), &["accents"])?;
    let transcode = Transcode::new().registry(registry);

    // The declaration names the encoding.
    let document = b"<?xml version='1.0' encoding='x-accents'?><name>Jos\xC2e M\xC8uller</name>";
    let mut text = Vec::new();
    transcode.run(&document[..], &mut text)?;
    println!("{}", String::from_utf8_lossy(&text));

    // Convert it back.
    let mut bytes = Vec::new();
    transcode.clone().target_encoding("accents")?.run(&text[..], &mut bytes)?;
    println!("{}", bytes.escape_ascii());

    // Errors have their offset in the input.
    let error = transcode.source_encoding("accents")?.run(&b"caf\xC2e \xC2x"[..], Vec::new()).unwrap_err();
    println!("{error}");
    Ok(())
}
