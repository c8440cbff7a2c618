//! UTF-7 (RFC 2152), and its form for the names of mailboxes (RFC 3501, 5.1.3).
//!
//! Some ASCII characters stand for themselves. Everything else is UTF-16 in base64, between `+` and the first character
//! that is not base64; if that is `-`, it is dropped. `+-` is a plus sign. In names of mailboxes the signs are `&` and `,`
//! in place of `+` and `/`, all printable ASCII stands for itself, and base64 always ends with `-`.
//!
//! Malformed are bytes above 7F; `\` and `~`, which UTF-7 never contains; a `+` with nothing of base64 after it; half a
//! surrogate pair; and base64 digits beyond the last character. The bits that fill up a last digit are not looked at.

use super::{ByteDecoder, Carried, CharEncoder, Reader, Reading, Writer, copy_plain, plain_len};
use crate::arch::types::ByteOrder;
use crate::codec::batches::Pace;
use crate::codec::faults::Faults;
use crate::codec::{ByteSink, Codec, CodecInfo, Decoder, Encoder, Utf8Sink, Utf8Word};

/// UTF-7.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Utf7 {
    is_imap: bool,
}

impl Utf7 {
    pub(crate) const MAIL: Utf7 = Utf7 { is_imap: false };
    pub(crate) const IMAP: Utf7 = Utf7 { is_imap: true };

    fn kinds(self) -> &'static Kinds {
        static ALL: [Kinds; 2] = [Kinds::new(Utf7::MAIL), Kinds::new(Utf7::IMAP)];
        &ALL[usize::from(self.is_imap)]
    }

    /// The sign that begins base64.
    const fn sign(self) -> u8 {
        if self.is_imap { b'&' } else { b'+' }
    }

    /// Returns the value of a digit of base64.
    fn value(self, byte: u8) -> Option<u32> {
        let value = self.kinds().values[usize::from(byte)];
        (value != NO_DIGIT).then_some(value.into())
    }

    /// Returns the digits of 48 bits, the first one in the highest octet. All eight at once, which takes hardly longer than
    /// one.
    fn digits(self, bits: u64) -> u64 {
        const ONES: u64 = 0x0101_0101_0101_0101;
        // Spread to groups of 24, of 12 and then of 6 bits.
        let halves = (bits & 0xFFFF_FF00_0000) << 8 | bits & 0xFF_FFFF;
        let quarters = (halves & 0x00FF_F000_00FF_F000) << 4 | halves & 0x0000_0FFF_0000_0FFF;
        let values = (quarters & 0x0FC0_0FC0_0FC0_0FC0) << 2 | quarters & 0x003F_003F_003F_003F;
        // 1 in each octet that is at least `least`: the sum reaches bit 7.
        let from = |least: u64| ((values + ONES * (128 - least)) >> 7) & ONES;
        // A to Z, a to z, 0 to 9, and the last two. The sums of the octets are in range, so borrows cancel.
        let last = if self.is_imap { 0 } else { from(63) * 3 };
        values + ONES * u64::from(b'A') + from(26) * 6 + last - from(52) * 75 - from(62) * 15
    }

    /// Returns whether a byte outside base64 stands for itself.
    fn is_read_as_itself(self, byte: u8) -> bool {
        self.kinds().is_read[usize::from(byte)]
    }

    /// Returns whether a character is written as itself: RFC 2152's set D, and white space. Some gateways change the
    /// other characters.
    fn is_written_as_itself(self, ch: char) -> bool {
        u8::try_from(ch).is_ok_and(|byte| self.kinds().is_written[usize::from(byte)])
    }
}

/// The value of a byte that is no digit of base64. It has a bit that no value has.
const NO_DIGIT: u8 = 0x80;

/// What each byte is, as tables.
struct Kinds {
    /// The values of the digits of base64.
    values: [u8; 256],
    /// Which bytes stand for themselves outside base64.
    is_read: [bool; 256],
    /// Which of them are written as themselves.
    is_written: [bool; 256],
}

impl Kinds {
    const fn new(of: Utf7) -> Self {
        let mut this = Kinds { values: [NO_DIGIT; 256], is_read: [false; 256], is_written: [false; 256] };
        let mut at = 0;
        while at < 0x80 {
            let byte = at as u8;
            this.values[at] = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' if !of.is_imap => 63,
                b',' if of.is_imap => 63,
                _ => NO_DIGIT,
            };
            let is_printable = matches!(byte, b' '..=b'~') && byte != of.sign();
            this.is_read[at] = if of.is_imap { is_printable } else { !matches!(byte, b'+' | b'\\' | b'~') };
            this.is_written[at] = match byte {
                _ if of.is_imap => is_printable,
                b'\'' | b'(' | b')' | b',' | b'-' | b'.' | b'/' | b':' | b'?' => true,
                b' ' | b'\t' | b'\r' | b'\n' => true,
                _ => byte.is_ascii_alphanumeric(),
            };
            at += 1;
        }
        this
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
#[derive(Clone, Copy, Debug)]
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
        let before = *self;
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

    fn run(&mut self, src: &[u8], pace: &mut Pace, _faults: &mut Option<Faults>, dst: &mut Utf8Sink<'_>) -> usize {
        let (kinds, mut read) = (self.of.kinds(), 0);
        loop {
            let before = read;
            if !self.is_on {
                read += copy_plain(&src[read..], dst, |byte| kinds.is_read[usize::from(byte)]);
            }
            read += self.read_groups(kinds, &src[read..], dst);
            let mut singles = 0;
            dst.push_words(|| self.next_word(kinds, src, &mut read, &mut singles, pace));
            if read == before {
                return read;
            }
        }
    }
}

/// What [`Base64::next_word`] returns if it read no character.
const STOP: Utf8Word = Utf8Word::note(0, 0);

/// After so many bytes that stand for themselves, the others with them are copied.
const MANY_SINGLES: usize = 16;

impl Base64 {
    /// Reads a character, and a code that ends or begins base64 before it; `singles` counts the bytes that stand for
    /// themselves since the last such code. `pace` says when to look whether base64 that begins is long.
    #[inline(always)]
    fn next_word(
        &mut self,
        kinds: &Kinds,
        src: &[u8],
        read: &mut usize,
        singles: &mut usize,
        pace: &mut Pace,
    ) -> Utf8Word {
        let Some(&byte) = src.get(*read) else { return STOP };
        if self.is_on {
            if kinds.values[usize::from(byte)] != NO_DIGIT {
                return self.next_of_digits(kinds, src, read);
            }
            let is_dropped = byte == b'-';
            if !is_dropped && (self.of.is_imap || !kinds.is_read[usize::from(byte)]) {
                return STOP;
            }
            (self.is_on, self.bits, self.count, *singles) = (false, 0, 0, 0);
            *read += 1;
            if !is_dropped {
                return Utf8Word::of_ascii(byte);
            }
        }
        let Some(&byte) = src.get(*read) else { return STOP };
        if kinds.is_read[usize::from(byte)] && *singles < MANY_SINGLES {
            (*read, *singles) = (*read + 1, *singles + 1);
            return Utf8Word::of_ascii(byte);
        }
        match src.get(*read + 1) {
            Some(b'-') if byte == self.of.sign() => {
                *read += 2;
                Utf8Word::of_ascii(byte)
            }
            // For `read_groups`.
            Some(_) if byte == self.of.sign() && is_long(kinds, &src[*read + 1..], pace) => STOP,
            Some(_) if byte == self.of.sign() => {
                let (mut begun, mut at) = (Base64 { is_on: true, ..*self }, *read + 1);
                let word = begun.next_of_digits(kinds, src, &mut at);
                if word != STOP {
                    (*self, *read) = (begun, at);
                }
                word
            }
            _ => STOP,
        }
    }

    /// Reads groups of eight digits, which are three code units, from the front of `src`, and the sign before the first one if
    /// base64 is not on. Returns how many bytes were read.
    #[inline(always)]
    fn read_groups(&mut self, kinds: &Kinds, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let sign = usize::from(!self.is_on);
        let is_due = if self.is_on { self.count == 0 } else { src.first() == Some(&self.of.sign()) };
        let mut read = 0;
        while is_due && begins_groups(kinds, &src[(read + sign).min(src.len())..]) {
            let start = read + if read == 0 { sign } else { 0 };
            let (units, len) = Units::read(kinds, &src[start..]);
            let done = units.push(len, dst);
            if done == 0 {
                break;
            }
            // Of the last digit some bits may be left.
            let digits = (16 * done).div_ceil(6);
            let count = 6 * digits as u32 - 16 * done as u32;
            let last = u32::from(kinds.values[usize::from(src[start + digits - 1])]);
            (self.is_on, self.bits, self.count) = (true, last & ((1 << count) - 1), count);
            read = start + digits;
            if done < len || len < Units::MOST {
                break;
            }
        }
        read
    }

    /// Reads a character of two or three digits, unless the next digits are not one.
    #[inline(always)]
    fn next_of_digits(&mut self, kinds: &Kinds, src: &[u8], read: &mut usize) -> Utf8Word {
        let Some([a, b, c]) = src.get(*read..).and_then(<[u8]>::first_chunk) else { return STOP };
        // After half a pair that was malformed, more bits are left.
        if self.count > 4 {
            return STOP;
        }
        let [a, b, c] = [a, b, c].map(|byte| u32::from(kinds.values[usize::from(*byte)]));
        // Four bits are left from the character before it, or two, or none.
        let is_short = self.count == 4;
        // A third byte that is no digit must not reach the bits of the second.
        let bits = self.bits << 18 | a << 12 | b << 6 | c & 0x3F;
        let (bits, count) = if is_short { (bits >> 6, 0) } else { (bits, self.count + 2) };
        let bad = a | b | if is_short { 0 } else { c };
        let ch = char::from_u32(bits >> count & 0xFFFF).filter(|_| bad & u32::from(NO_DIGIT) == 0);
        let Some(word) = ch.and_then(Utf8Word::new) else { return STOP };
        (self.bits, self.count) = (bits & ((1 << count) - 1), count);
        *read += if is_short { 2 } else { 3 };
        word
    }
}

/// Returns whether `src` begins with enough digits for [`Base64::read_groups`].
#[inline(always)]
fn begins_groups(kinds: &Kinds, src: &[u8]) -> bool {
    let values = |byte: &u8| kinds.values[usize::from(*byte)];
    let are_digits = |group: &[u8; 8]| group.iter().fold(0, |all, byte| all | values(byte)) & NO_DIGIT == 0;
    src.first_chunk::<48>().is_some_and(|digits| digits.as_chunks().0.iter().all(are_digits))
}

/// Returns the same, if it is time to look.
#[inline(always)]
fn is_long(kinds: &Kinds, src: &[u8], pace: &mut Pace) -> bool {
    pace.is_due() && is_long_now(kinds, src, pace)
}

#[inline(never)]
fn is_long_now(kinds: &Kinds, src: &[u8], pace: &mut Pace) -> bool {
    let is_long = begins_groups(kinds, src);
    pace.tried(if is_long { usize::MAX } else { 0 });
    is_long
}

/// Code units from groups of digits, in big-endian order.
struct Units([u8; 2 * Units::MOST + Units::MARGIN]);

impl Units {
    /// How many units there can be.
    const MOST: usize = 96;
    /// A group is stored with two bytes after it.
    const MARGIN: usize = 2;

    /// Reads whole groups from the front of `src`; returns the units, and how many.
    #[inline(always)]
    fn read(kinds: &Kinds, src: &[u8]) -> (Units, usize) {
        let (mut units, mut len) = (Units([0; 2 * Self::MOST + Self::MARGIN]), 0);
        for group in src.as_chunks::<8>().0.iter().take(Self::MOST / 3) {
            let values = group.map(|byte| kinds.values[usize::from(byte)]);
            if values.iter().fold(0, |all, value| all | value) & NO_DIGIT != 0 {
                break;
            }
            let bits = values.iter().fold(0, |bits, value| bits << 6 | u64::from(*value));
            units.0[2 * len..2 * len + 8].copy_from_slice(&(bits << 16).to_be_bytes());
            len += 3;
        }
        (units, len)
    }

    /// Writes the first `len` units, up to half a surrogate pair or the end of the room; returns how many were written.
    #[inline(always)]
    fn push(&self, len: usize, dst: &mut Utf8Sink<'_>) -> usize {
        let bytes = &self.0[..2 * len];
        let mut done = dst.push_utf16(ByteOrder::Big, bytes) / 2;
        dst.push_words(|| {
            let unit = bytes.as_chunks().0.get(done).map(|unit| u32::from(u16::from_be_bytes(*unit)));
            let word = unit.and_then(char::from_u32).and_then(Utf8Word::new).unwrap_or(STOP);
            done += usize::from(word != STOP);
            word
        });
        done
    }
}

impl Base64 {
    /// Writes the digits that are whole.
    fn put(&mut self, out: &mut ByteSink<'_>) {
        let (len, left) = (self.count / 6, self.count % 6);
        let digits = self.of.digits(u64::from(self.bits >> left) << (48 - 6 * len));
        out.push(&digits.to_be_bytes()[..len as usize]);
        (self.bits, self.count) = (self.bits & ((1 << left) - 1), left);
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

    fn run(&mut self, src: &str, _pace: &mut Pace, out: &mut ByteSink<'_>) -> usize {
        let mut read = 0;
        out.fill(|spare| {
            let mut run = Run { of: self.of, kinds: self.of.kinds(), src: src.as_bytes(), read, spare, at: 0 };
            run.all(self);
            read = run.read;
            run.at
        });
        read
    }

    fn end(&mut self, out: &mut ByteSink<'_>) {
        self.turn_off(None, out);
    }
}

/// A run of the encoder: the text, and the room.
struct Run<'a> {
    of: Utf7,
    kinds: &'static Kinds,
    /// UTF-8.
    src: &'a [u8],
    read: usize,
    spare: &'a mut [u8],
    at: usize,
}

impl Run<'_> {
    /// The room for a turn of a loop: stores of eight digits, the signs around base64, and a block of plain bytes.
    const ROOM: usize = 48;

    fn all(&mut self, state: &mut Base64) {
        while let Some(&byte) = self.src.get(self.read)
            && self.has_room()
        {
            if self.kinds.is_written[usize::from(byte)] {
                self.turn_off(state, byte);
                self.plain();
            } else if byte == self.of.sign() && (!state.is_on || self.of.is_imap) {
                self.turn_off(state, byte);
                self.put(&[byte, b'-']);
                self.read += 1;
            } else if byte >= 0xF0 {
                return;
            } else {
                if !std::mem::replace(&mut state.is_on, true) {
                    self.put(&[self.of.sign()]);
                }
                self.base64(state);
            }
        }
    }

    fn has_room(&self) -> bool {
        self.spare.len() - self.at >= Self::ROOM
    }

    fn put(&mut self, bytes: &[u8]) {
        self.spare[self.at..][..bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Stores the first digits of `bits`, of which there are `count`, at most 48. The digits after them are overwritten.
    #[inline(always)]
    fn put_digits(&mut self, bits: u64, count: u32, len: u32) {
        let digits = self.of.digits(bits << (48 - count));
        self.spare[self.at..][..8].copy_from_slice(&digits.to_be_bytes());
        self.at += len as usize;
    }

    /// Ends base64, if it is on, before a character that is written as itself or as the sign and `-`.
    fn turn_off(&mut self, state: &mut Base64, next: u8) {
        if std::mem::take(&mut state.is_on) {
            self.put_digits(state.bits.into(), state.count, state.count.div_ceil(6));
            (state.bits, state.count) = (0, 0);
            if self.of.is_imap || next == b'-' || self.kinds.values[usize::from(next)] != NO_DIGIT {
                self.put(b"-");
            }
        }
    }

    /// Copies characters that are written as themselves.
    fn plain(&mut self) {
        while let Some(block) = self.src[self.read..].first_chunk::<16>()
            && self.has_room()
        {
            self.spare[self.at..][..16].copy_from_slice(block);
            let len = block.iter().position(|byte| !self.kinds.is_written[usize::from(*byte)]).unwrap_or(16);
            (self.read, self.at) = (self.read + len, self.at + len);
            if len < 16 {
                return;
            }
        }
        let rest = &self.src[self.read..];
        let rest = &rest[..rest.len().min(self.spare.len() - self.at)];
        let len = plain_len(rest, |byte| self.kinds.is_written[usize::from(byte)]);
        self.spare[self.at..][..len].copy_from_slice(&rest[..len]);
        (self.read, self.at) = (self.read + len, self.at + len);
    }

    /// Writes characters in base64, which is on.
    fn base64(&mut self, state: &mut Base64) {
        let (mut bits, mut count) = (u64::from(state.bits), state.count);
        while self.has_room() {
            // Three characters of three bytes each are eight digits.
            if let Some(three) = self.src[self.read..].first_chunk::<9>()
                && let Some(units) = three_units(three)
            {
                bits = bits << 48 | units;
                // At most four bits are left from before, so all of them fit.
                self.put_digits(bits >> count, 48, 8);
                (bits, self.read) = (bits & ((1 << count) - 1), self.read + 9);
                continue;
            }
            let Some((unit, len)) = self.unit() else { break };
            (bits, count) = (bits << 16 | u64::from(unit), count + 16);
            // Two or three digits are whole.
            self.put_digits(bits, count, count / 6);
            count %= 6;
            (bits, self.read) = (bits & ((1 << count) - 1), self.read + len);
        }
        (state.bits, state.count) = (bits as u32, count);
    }

    /// Returns the next character as a code unit, and its length, if it is one that is written in base64. A character
    /// of four bytes has two units, and is left to [`Writer::write`].
    #[inline(always)]
    fn unit(&self) -> Option<(u16, usize)> {
        let unit = |first: u8, rest: &[u8]| {
            rest.iter().fold(u16::from(first), |unit, byte| unit << 6 | u16::from(byte & 0x3F))
        };
        match self.src[self.read..] {
            [byte @ 0..0x80, ..] => {
                let ends = self.kinds.is_written[usize::from(byte)] || (self.of.is_imap && byte == self.of.sign());
                (!ends).then_some((byte.into(), 1))
            }
            [first @ 0x80..0xE0, a, ..] => Some((unit(first & 0x1F, &[a]), 2)),
            [first @ 0xE0..0xF0, a, b, ..] => Some((unit(first & 0xF, &[a, b]), 3)),
            _ => None,
        }
    }
}

/// Returns the code units of three characters if each has three bytes of UTF-8, the first one in the highest bits.
#[inline(always)]
fn three_units(utf8: &[u8; 9]) -> Option<u64> {
    let [a, b, c, d, e, f, g, h, i] = utf8.map(u64::from);
    let unit = |first: u64, second: u64, third: u64| (first & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F;
    let is_long = |byte: u64| byte & 0xF0 == 0xE0;
    (is_long(a) & is_long(d) & is_long(g)).then(|| unit(a, b, c) << 32 | unit(d, e, f) << 16 | unit(g, h, i))
}
