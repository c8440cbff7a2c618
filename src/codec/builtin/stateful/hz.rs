//! HZ (RFC 1843): ASCII, and GB 2312 as pairs of ASCII bytes between `~{` and `~}`.
//!
//! `~~` is a tilde, and `~` before a line end joins two lines. A line end among pairs ends them.

use super::batch::{Batch, WriteBatch};
use super::sets::Set;
use super::{ByteDecoder, Carried, CharEncoder, Reader, Reading, Writer, copied, copy_plain, replace_fault};
use crate::arch::types::Escapes;
use crate::codec::batches::{Codes, Pace};
use crate::codec::faults::Faults;
use crate::codec::pairs::Switch;
use crate::codec::{ByteSink, Codec, CodecInfo, Decoder, Encoder, MIN_ROOM, Utf8Sink, Utf8Word};

/// HZ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hz;

impl Codec for Hz {
    fn name(&self) -> &str {
        "HZ-GB-2312"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ByteDecoder::new(State { is_double: false }))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(CharEncoder::new(State { is_double: false })))
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: "RFC 1843", ..CodecInfo::new(self.name()) }
    }
}

#[derive(Clone, Copy, Debug)]
struct State {
    is_double: bool,
}

impl Carried for State {
    fn to_number(&self) -> u64 {
        self.is_double.into()
    }

    fn with_number(&self, number: u64) -> Option<Self> {
        (number < 2).then_some(State { is_double: number == 1 })
    }
}

impl Reader for State {
    fn read(&mut self, bytes: &[u8]) -> Reading {
        match (self.is_double, bytes) {
            (_, [b'~']) | (true, [0x21..=0x7D]) => Reading::More,
            (true, [b'\n']) => {
                self.is_double = false;
                Reading::Text('\n', None)
            }
            (false, [byte]) if byte.is_ascii() => Reading::Text(char::from(*byte), None),
            (_, [_]) => Reading::Malformed,
            (_, [b'~', sign @ (b'{' | b'}')]) => {
                self.is_double = *sign == b'{';
                Reading::Shift
            }
            (false, b"~~") => Reading::Text('~', None),
            (false, b"~\n") => Reading::Shift,
            (true, [lead @ 0x21..=0x7D, trail @ 0x21..=0x7E]) => Reading::of(Set::Gb2312.pair(*lead, *trail)),
            _ => Reading::MalformedBefore,
        }
    }

    fn run(&mut self, src: &[u8], pace: &mut Pace, faults: &mut Option<Faults>, dst: &mut Utf8Sink<'_>) -> usize {
        const STOP: Utf8Word = Utf8Word::note(0, 0);
        static BATCH: Batch =
            Batch::new(Set::Gb2312, Codes::Escapes(Escapes { first: b'~', out: b'{', back: b'}', last: None }), b"~");
        let mut read = 0;
        loop {
            let before = read;
            read += pace.turn(|reach| {
                let others = &mut |is_double, rest: &[u8], dst: &mut Utf8Sink<'_>| {
                    replace_fault(State { is_double }, rest, faults, dst)
                };
                Some(BATCH.read(&mut self.is_double, &src[read..], reach, others, dst))
            });
            match self.is_double {
                true => Set::Gb2312.read_pairs(src, &mut read, dst, |byte| (byte == b'~').then_some(STOP)),
                false => read += copy_plain(&src[read..], dst, is_plain),
            }
            match src[read..] {
                [b'~', sign @ (b'{' | b'}'), ..] => {
                    self.is_double = sign == b'{';
                    read += 2;
                }
                [b'\n', ..] if self.is_double && dst.push('\n') => {
                    self.is_double = false;
                    read += 1;
                }
                _ => {}
            }
            if read == before {
                return read;
            }
        }
    }
}

/// Returns whether a byte stands for itself, except among pairs.
fn is_plain(byte: u8) -> bool {
    (byte != b'~') & byte.is_ascii()
}

impl Writer for State {
    fn write(&mut self, ch: char, out: &mut ByteSink<'_>) -> bool {
        if ch.is_ascii() {
            self.end(out);
            return if ch == '~' { out.push(b"~~") } else { out.push(&[ch as u8]) };
        }
        let Some(code) = Set::Gb2312.code(ch) else { return false };
        if !std::mem::replace(&mut self.is_double, true) {
            out.push(b"~{");
        }
        out.push(&code)
    }

    fn run(&mut self, src: &str, pace: &mut Pace, out: &mut ByteSink<'_>) -> usize {
        static BATCH: WriteBatch = WriteBatch::new(Set::Gb2312, Switch::new(b"~}", b"~{", [b'~'; 5]));
        let mut read = 0;
        loop {
            read += pace.turn(|reach| Some(BATCH.write(&mut self.is_double, &src[read..], reach, out)));
            read += self.run_in_set(&src[read..], out);
            // The next character probably needs a code before it.
            let Some(ch) = src[read..].chars().next().filter(|_| out.room() >= MIN_ROOM) else { return read };
            if !self.write(ch, out) {
                return read;
            }
            read += ch.len_utf8();
        }
    }

    fn end(&mut self, out: &mut ByteSink<'_>) {
        if std::mem::take(&mut self.is_double) {
            out.push(b"~}");
        }
    }
}

impl State {
    /// Writes characters from the front of `src` that need no code before them; returns how many bytes were read.
    fn run_in_set(&self, src: &str, out: &mut ByteSink<'_>) -> usize {
        let mut read = 0;
        out.fill(|spare| {
            let written;
            (read, written) = match self.is_double {
                true => Set::Gb2312.write_pairs(src, &[], spare),
                false => copied(src, spare, is_plain),
            };
            written
        });
        read
    }
}
