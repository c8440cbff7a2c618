//! UTF-7 (RFC 2152), and its form for the names of mailboxes (RFC 3501, 5.1.3).
//!
//! Some ASCII characters stand for themselves. Everything else is UTF-16 in base64, between `+` and the first character
//! that is not base64; if that is `-`, it is dropped. `+-` is a plus sign. In names of mailboxes the signs are `&` and `,`
//! in place of `+` and `/`, all printable ASCII stands for itself, and base64 always ends with `-`.
//!
//! Malformed are bytes above 7F; `\` and `~`, which UTF-7 never contains; a `+` with nothing of base64 after it; half a
//! surrogate pair; and base64 digits beyond the last character. The bits that fill up a last digit are not looked at.

use super::{ByteDecoder, Carried, CharEncoder, Reader, Reading, Writer};
use crate::codec::{ByteSink, Codec, CodecInfo, Decoder, Encoder};

/// UTF-7.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Utf7 {
    is_imap: bool,
}

impl Utf7 {
    pub(crate) const MAIL: Utf7 = Utf7 { is_imap: false };
    pub(crate) const IMAP: Utf7 = Utf7 { is_imap: true };

    /// The sign that begins base64.
    fn sign(self) -> u8 {
        if self.is_imap { b'&' } else { b'+' }
    }

    /// The last two digits of base64.
    fn last_digits(self) -> [u8; 2] {
        if self.is_imap { *b"+," } else { *b"+/" }
    }

    fn value(self, byte: u8) -> Option<u32> {
        let [d62, d63] = self.last_digits();
        Some(u32::from(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            _ if byte == d62 => 62,
            _ if byte == d63 => 63,
            _ => return None,
        }))
    }

    fn digit(self, value: u32) -> u8 {
        match (value & 63) as u8 {
            value @ 0..26 => b'A' + value,
            value @ 26..52 => b'a' + value - 26,
            value @ 52..62 => b'0' + value - 52,
            value => self.last_digits()[usize::from(value - 62)],
        }
    }

    /// Returns whether a byte outside base64 stands for itself.
    fn is_read_as_itself(self, byte: u8) -> bool {
        match self.is_imap {
            true => matches!(byte, b' '..=b'~') && byte != b'&',
            false => byte.is_ascii() && !matches!(byte, b'+' | b'\\' | b'~'),
        }
    }

    /// Returns whether a character is written as itself: RFC 2152's set D, and white space. Some gateways change the
    /// other characters.
    fn is_written_as_itself(self, ch: char) -> bool {
        match self.is_imap {
            true => matches!(ch, ' '..='~') && ch != '&',
            false => ch.is_ascii_alphanumeric() || "'(),-./:? \t\r\n".contains(ch),
        }
    }
}

impl Codec for Utf7 {
    fn name(&self) -> &str {
        if self.is_imap { "UTF-7-IMAP" } else { "UTF-7" }
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ByteDecoder::new(Base64 { of: *self, is_on: false, bits: 0, count: 0, high: None }))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(CharEncoder::new(Base64 { of: *self, is_on: false, bits: 0, count: 0, high: None })))
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: if self.is_imap { "RFC 3501" } else { "RFC 2152" }, ..CodecInfo::new(self.name()) }
    }
}

/// The state of base64.
#[derive(Clone, Debug)]
struct Base64 {
    of: Utf7,
    is_on: bool,
    /// The bits of digits that are not part of a unit yet, or not of a digit.
    bits: u32,
    count: u32,
    /// The first half of a surrogate pair that was read.
    high: Option<u16>,
}

impl Base64 {
    /// Reads a digit.
    fn read_digit(&mut self, value: u32) -> Reading {
        let before = self.clone();
        (self.bits, self.count) = (self.bits << 6 | value, self.count + 6);
        if self.count < 16 {
            return Reading::More;
        }
        self.count -= 16;
        let unit = (self.bits >> self.count) as u16;
        self.bits &= (1 << self.count) - 1;
        match (self.high.take(), unit) {
            (None, 0xD800..0xDC00) => {
                self.high = Some(unit);
                Reading::More
            }
            (None, _) => Reading::of(char::from_u32(unit.into())),
            (Some(high), 0xDC00..0xE000) => {
                let code = 0x1_0000 + (u32::from(high & 0x3FF) << 10 | u32::from(unit & 0x3FF));
                Reading::of(char::from_u32(code))
            }
            // The first half is malformed. The bits of this unit that came with it are kept.
            (Some(_), _) => {
                *self = Base64 { high: None, ..before };
                Reading::MalformedBefore
            }
        }
    }

    /// Reads a byte that is not a digit, after `undecided` bytes.
    fn read_end(&mut self, byte: u8, undecided: usize) -> Reading {
        let is_on = undecided > 0;
        *self = Base64 { is_on, bits: 0, count: 0, high: None, ..*self };
        match byte {
            // The byte ends base64 when it is read again.
            _ if undecided > 0 => Reading::MalformedBefore,
            b'-' => Reading::Shift,
            _ if self.of.is_imap => Reading::Malformed,
            _ => Reading::of(Some(char::from(byte)).filter(|_| self.of.is_read_as_itself(byte))),
        }
    }
}

impl Carried for Base64 {
    /// The bits, their number in the next four bits, and whether base64 is on.
    fn to_number(&self) -> u64 {
        match self.is_on {
            true => u64::from(self.bits) | u64::from(self.count) << 16 | 1 << 20,
            false => 0,
        }
    }

    fn with_number(&self, number: u64) -> Option<Self> {
        let (bits, count) = ((number & 0xFFFF) as u32, (number >> 16 & 0xF) as u32);
        let state = Base64 { is_on: number >> 20 == 1, bits, count, high: None, ..*self };
        (state.to_number() == number && bits >> count == 0).then_some(state)
    }
}

impl Reader for Base64 {
    fn read(&mut self, bytes: &[u8]) -> Reading {
        let byte = bytes[bytes.len() - 1];
        match (self.is_on, self.of.value(byte)) {
            (true, Some(value)) => self.read_digit(value),
            (true, None) => self.read_end(byte, bytes.len() - 1),
            (false, value) if bytes.len() > 1 => match value {
                _ if byte == b'-' => Reading::Text(char::from(self.of.sign()), None),
                Some(value) => {
                    self.is_on = true;
                    self.read_digit(value)
                }
                None => Reading::MalformedBefore,
            },
            (false, _) if byte == self.of.sign() => Reading::More,
            (false, _) => Reading::of(Some(char::from(byte)).filter(|_| self.of.is_read_as_itself(byte))),
        }
    }

    fn plain(&self, src: &[u8]) -> usize {
        match self.is_on {
            true => 0,
            false => src.iter().position(|byte| !self.of.is_read_as_itself(*byte)).unwrap_or(src.len()),
        }
    }
}

impl Base64 {
    /// Writes the digits that are whole.
    fn put(&mut self, out: &mut ByteSink<'_>) {
        while self.count >= 6 {
            self.count -= 6;
            out.push(&[self.of.digit(self.bits >> self.count)]);
        }
        self.bits &= (1 << self.count) - 1;
    }

    /// Ends base64, if it is on; with `-` if it must, because of the character after it.
    fn turn_off(&mut self, next: Option<char>, out: &mut ByteSink<'_>) {
        if !std::mem::take(&mut self.is_on) {
            return;
        }
        if self.count > 0 {
            (self.bits, self.count) = (self.bits << (6 - self.count), 6);
            self.put(out);
        }
        let ends_itself =
            |next: char| next != '-' && u8::try_from(next).is_ok_and(|next| self.of.value(next).is_none());
        if self.of.is_imap || !next.is_some_and(ends_itself) {
            out.push(b"-");
        }
    }
}

impl Writer for Base64 {
    fn write(&mut self, ch: char, out: &mut ByteSink<'_>) -> bool {
        if self.of.is_written_as_itself(ch) {
            self.turn_off(Some(ch), out);
            return out.push(&[ch as u8]);
        }
        let sign = self.of.sign();
        if ch == char::from(sign) && (!self.is_on || self.of.is_imap) {
            self.turn_off(Some(ch), out);
            return out.push(&[sign, b'-']);
        }
        if !std::mem::replace(&mut self.is_on, true) {
            out.push(&[sign]);
        }
        for unit in ch.encode_utf16(&mut [0; 2]) {
            (self.bits, self.count) = (self.bits << 16 | u32::from(*unit), self.count + 16);
            self.put(out);
        }
        true
    }

    fn end(&mut self, out: &mut ByteSink<'_>) {
        self.turn_off(None, out);
    }
}
