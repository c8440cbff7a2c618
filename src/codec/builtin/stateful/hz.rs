//! HZ (RFC 1843): ASCII, and GB 2312 as pairs of ASCII bytes between `~{` and `~}`.
//!
//! `~~` is a tilde, and `~` before a line end joins two lines. A line end among pairs ends them.

use super::sets::Set;
use super::{ByteDecoder, Carried, CharEncoder, Reader, Reading, Writer, copy_plain};
use crate::codec::{ByteSink, Codec, CodecInfo, Decoder, Encoder, Utf8Sink};

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

    fn run(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        match self.is_double {
            true => 0,
            false => copy_plain(src, dst, |byte| (byte != b'~') & byte.is_ascii()),
        }
    }
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

    fn run(&mut self, _src: &str, _out: &mut ByteSink<'_>) -> usize {
        0
    }

    fn end(&mut self, out: &mut ByteSink<'_>) {
        if std::mem::take(&mut self.is_double) {
            out.push(b"~}");
        }
    }
}
