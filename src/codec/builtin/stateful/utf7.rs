//! UTF-7 (RFC 2152), and its form for the names of mailboxes (RFC 3501, 5.1.3).
//!
//! Some ASCII characters stand for themselves. Everything else is UTF-16 in base64, between `+` and the first character
//! that is not base64; if that is `-`, it is dropped. `+-` is a plus sign. In names of mailboxes the signs are `&` and
//! `,` in place of `+` and `/`, all printable ASCII stands for itself, and base64 always ends with `-`.
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

    /// Returns the digits of 48 bits, the first one in the highest octet. All eight at once, which takes hardly longer
    /// than one.
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

/// The value of a byte that is not a digit of base64. It has a bit that no value has.
const NO_DIGIT: u8 = 0x80;

/// The same in each octet.
const NO_DIGITS: u64 = each(NO_DIGIT);

/// Returns a number with the byte in each octet.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The meaning of each byte, as tables.
struct Kinds {
    /// The values of the digits of base64.
    values: [u8; 256],
    /// The digits, by value.
    digits: [u8; 64],
    /// Which bytes stand for themselves outside base64.
    is_read: [bool; 256],
    /// The same, for eight bytes at once.
    read: Front,
    /// Which of them are written as themselves.
    is_written: [bool; 256],
}

impl Kinds {
    const fn new(of: Utf7) -> Self {
        let read = if of.is_imap { Front::new(b' ', [b'&', 0x7F, 0x7F]) } else { Front::new(0, *b"+\\~") };
        let mut this =
            Kinds { values: [NO_DIGIT; 256], digits: [0; 64], is_read: [false; 256], read, is_written: [false; 256] };
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
            if this.values[at] != NO_DIGIT {
                this.digits[this.values[at] as usize] = byte;
            }
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

/// Bytes of ASCII: those from a first one on, but three.
struct Front {
    /// The difference between 80 and the first one, in each octet.
    to_high: u64,
    others: [u64; 3],
}

impl Front {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;

    const fn new(first: u8, others: [u8; 3]) -> Self {
        let [a, b, c] = others;
        Front { to_high: each(0x80 - first), others: [each(a), each(b), each(c)] }
    }

    /// Returns how many bytes at the front are such bytes. All eight at once, and without a look-up to wait for.
    #[inline(always)]
    fn len(&self, bytes: [u8; 8]) -> usize {
        let all = u64::from_le_bytes(bytes);
        // The highest bit of an octet is set by sums of what is below it, where those are large enough.
        let differs = |other: &u64| ((all ^ other) & Self::LOW) + Self::LOW;
        let is_one =
            self.others.iter().fold(((all & Self::LOW) + self.to_high) & !all, |is, other| is & differs(other));
        ((!is_one & !Self::LOW).trailing_zeros() / 8) as usize
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
        let mut read = 0;
        // After half a pair that was malformed, more bits are left.
        while self.count <= 4 {
            let before = read;
            if !self.is_on {
                let kinds = self.of.kinds();
                read += copy_plain(&src[read..], dst, |byte| kinds.is_read[usize::from(byte)]);
            }
            read += self.read_batch(&src[read..], &mut pace.reach, dst);
            if read == before {
                break;
            }
        }
        read
    }
}

impl Base64 {
    /// Reads characters from the front of `src` as code units, and writes them together; returns how many bytes were
    /// read. `reach` is for the next call: how many units are worth reading at once.
    #[inline(always)]
    fn read_batch(&mut self, src: &[u8], reach: &mut usize, dst: &mut Utf8Sink<'_>) -> usize {
        // No unit takes more room than three bytes.
        let most = (dst.room() / 3).min(Units::MOST).min(*reach);
        if src.len() < Units::AHEAD || most < Units::STEP {
            return 0;
        }
        let mut units = [0; _];
        let mut batch = Units::new(*self, src, &mut units);
        batch.fill(most);
        let written = batch.push(dst);
        if written == batch.len {
            *reach = usize::MAX;
            *self = batch.state;
            return batch.read;
        }
        // Half a pair without the other half. In damaged text most of what is read after it would be in vain.
        *reach = written + 2 * Units::STEP;
        self.read_units(src, written)
    }

    /// Reads this many code units, which are whole characters, from the front of `src`; returns how many bytes that is.
    #[cold]
    #[inline(never)]
    fn read_units(&mut self, src: &[u8], mut units: usize) -> usize {
        let (mut read, mut undecided) = (0, 1);
        while units > 0 {
            match self.read(&src[read..read + undecided]) {
                Reading::More => {
                    undecided += 1;
                    continue;
                }
                Reading::Text(ch, _) => units -= ch.len_utf16(),
                _ => (),
            }
            (read, undecided) = (read + undecided, 1);
        }
        read
    }
}

/// Code units, read from the front of some bytes.
struct Units<'a> {
    kinds: &'static Kinds,
    src: &'a [u8],
    /// How many bytes were read, and the state after them.
    read: usize,
    state: Base64,
    /// The code units in big-endian order, of which `len` count. Lent, so that all else can be in registers.
    units: &'a mut [u8; 2 * (Units::MOST + Units::BLOCK)],
    len: usize,
}

impl<'a> Units<'a> {
    /// How many units there can be.
    const MOST: usize = 512;
    /// The most units of a step: eight plain bytes, or three units of base64 and the byte after them.
    const STEP: usize = 8;
    /// The most bytes that a step looks at: a sign, eight digits and the byte after them.
    const AHEAD: usize = 10;
    /// A kernel writes this many units at once, or a fraction of them.
    const BLOCK: usize = 32;
    /// After this many steps with nothing but plain bytes, what follows is copied instead.
    const MANY: usize = 8;

    #[inline(always)]
    fn new(state: Base64, src: &'a [u8], units: &'a mut [u8; 2 * (Units::MOST + Units::BLOCK)]) -> Self {
        Units { kinds: state.of.kinds(), src, read: 0, state, units, len: 0 }
    }

    /// Reads at most this many units. Stops before anything rare, which is left to [`Reader::read`].
    #[inline(always)]
    fn fill(&mut self, most: usize) {
        let (mut is_begun, mut plain) = (self.state.is_on, 0);
        loop {
            if is_begun && !self.base64(most) {
                return;
            }
            let Some(ahead) = self.ahead(most).filter(|_| plain < Self::MANY) else { return };
            let len = self.plain(ahead);
            plain = if len == 8 { plain + 1 } else { 0 };
            is_begun = len < 8 && ahead[len + 1] != b'-';
            if len < 8 && ahead[len] != self.state.of.sign() {
                return;
            }
            if len < 8 && !is_begun {
                self.put(u64::from(ahead[len]) << 32);
                (self.read, self.len) = (self.read + 2, self.len + 1);
            }
        }
    }

    /// Returns the bytes that a step looks at, if there are so many, and not too many units.
    #[inline(always)]
    fn ahead(&self, most: usize) -> Option<&'a [u8; Units::AHEAD]> {
        self.src[self.read..].first_chunk().filter(|_| self.len + Self::STEP <= most)
    }

    /// Reads at most eight bytes that stand for themselves; returns how many.
    #[inline(always)]
    fn plain(&mut self, ahead: &[u8; Units::AHEAD]) -> usize {
        let bytes: &[u8; 8] = ahead.first_chunk().expect("as many bytes");
        // What is stored too much is overwritten.
        let len = self.kinds.read.len(*bytes);
        let places: &mut [u8; 16] = self.units[2 * self.len..].first_chunk_mut().expect("space for a step");
        let wide: [[u8; 2]; 8] = std::array::from_fn(|at| [0, bytes[at]]);
        places.copy_from_slice(wide.as_flattened());
        (self.read, self.len) = (self.read + len, self.len + len);
        len
    }

    /// Reads the sign, if base64 is not on, the digits after it, and the end. Returns `false` if it did not get there.
    #[inline(always)]
    fn base64(&mut self, most: usize) -> bool {
        while let Some(ahead) = self.ahead(most) {
            let Base64 { is_on, bits, count, .. } = self.state;
            let sign = usize::from(!is_on);
            let digits: &[u8; 8] = ahead[sign..].first_chunk().expect("as many bytes");
            let value = |at: usize| u64::from(self.kinds.values[usize::from(digits[at])]);
            let two = |at: usize| value(at) << 8 | value(at + 1);
            let four = |at: usize| two(at) << 16 | two(at + 2);
            let values = four(0) << 32 | four(4);
            let all = u64::from(bits) << 48 | joined(values);
            self.put(all >> count);
            if values & NO_DIGITS != 0 {
                let len = ((values & NO_DIGITS).leading_zeros() / 8) as usize;
                return self.end(sign + len, count as usize + 6 * len, all, ahead[sign + len]);
            }
            (self.read, self.len) = (self.read + sign + 8, self.len + 3);
            self.state = Base64 { is_on: true, bits: all as u32 & ((1 << count) - 1), ..self.state };
        }
        false
    }

    /// Reads this many bytes, the last of base64, and the byte after them. There are so many bits, and `all` begins
    /// with them; they are stored. Returns `false` if what follows is rare, and then reads nothing of it.
    #[inline(always)]
    fn end(&mut self, read: usize, bits: usize, all: u64, next: u8) -> bool {
        let Base64 { of, is_on, .. } = self.state;
        // The bits that are left over are part of the last digit. No character, or bits of another digit: that is
        // malformed. No branches here that would be guessed wrong.
        let (units, left) = (bits / 16, bits % 16);
        if (left > 4) | ((units == 0) & !is_on) {
            return false;
        }
        (self.read, self.len) = (self.read + read, self.len + units);
        let is_dropped = next == b'-';
        if !(self.kinds.is_read[usize::from(next)] & (is_dropped | !of.is_imap)) {
            let bits = all >> (48 + self.state.count as usize - bits) & ((1 << left) - 1);
            self.state = Base64 { is_on: true, bits: bits as u32, count: left as u32, ..self.state };
            return false;
        }
        self.put(u64::from(next) << 32);
        (self.read, self.len) = (self.read + 1, self.len + usize::from(!is_dropped));
        self.state = Base64 { is_on: false, bits: 0, count: 0, ..self.state };
        true
    }

    /// Stores the three units in the low 48 bits after those that count, and another one.
    #[inline(always)]
    fn put(&mut self, units: u64) {
        *self.units[2 * self.len..].first_chunk_mut().expect("space for a step") = (units << 16).to_be_bytes();
    }

    /// Writes the units up to half a surrogate pair; returns how many were written.
    #[inline(always)]
    fn push(&mut self, dst: &mut Utf8Sink<'_>) -> usize {
        // Up to the end of a block with zeros, each of which is one byte, so that a kernel writes all.
        let (len, all) = (self.len, self.len.next_multiple_of(Self::BLOCK));
        self.units[2 * len..2 * all].fill(0);
        let mut done = dst.push_utf16(ByteOrder::Big, &self.units[..2 * all]) / 2;
        if done > len {
            dst.truncate(dst.written() - (done - len));
            return len;
        }
        let bytes = &self.units[..2 * len];
        let unit = |at: usize| bytes.as_chunks().0.get(at).map(|unit| u16::from_be_bytes(*unit));
        loop {
            dst.push_words(|| {
                let word = unit(done).and_then(|unit| char::from_u32(unit.into())).and_then(Utf8Word::new);
                done += usize::from(word.is_some());
                word.unwrap_or(STOP)
            });
            let pair = char::decode_utf16([unit(done), unit(done + 1)].into_iter().flatten()).next();
            match pair {
                Some(Ok(ch)) if dst.push(ch) => done += ch.len_utf16(),
                _ => return done,
            }
        }
    }
}

/// The result of a loop over words.
const STOP: Utf8Word = Utf8Word::note(0, 0);

/// Returns the values of eight digits, each in an octet, as 48 bits.
#[inline(always)]
fn joined(values: u64) -> u64 {
    // To groups of 12 bits, of 24 and then of 48.
    let pairs = (values & 0x3F00_3F00_3F00_3F00) >> 2 | values & 0x003F_003F_003F_003F;
    let quarters = (pairs & 0x0FFF_0000_0FFF_0000) >> 4 | pairs & 0x0000_0FFF_0000_0FFF;
    quarters >> 8 & 0xFFFF_FF00_0000 | quarters & 0xFF_FFFF
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
                if byte < 0x80 {
                    self.put_unit(&mut state.bits, &mut state.count, byte.into(), 1);
                } else {
                    self.base64(state);
                }
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

    /// Stores the first digits of `bits`, of which there are `count`, at most 48. The digits after them are
    /// overwritten.
    #[inline(always)]
    fn put_digits(&mut self, bits: u64, count: u32, len: u32) {
        let digits = self.of.digits(bits << (48 - count));
        self.spare[self.at..][..8].copy_from_slice(&digits.to_be_bytes());
        self.at += len as usize;
    }

    /// Ends base64, if it is on, before a character that is written as itself or as the sign and `-`.
    fn turn_off(&mut self, state: &mut Base64, next: u8) {
        if std::mem::take(&mut state.is_on) {
            // Fewer bits than those of a digit are left. No branches here that would be guessed wrong.
            let last: &mut [u8; 2] = self.spare[self.at..].first_chunk_mut().expect("room for a turn");
            let needs_end = self.of.is_imap | (next == b'-') | (self.kinds.values[usize::from(next)] != NO_DIGIT);
            let has_digit = usize::from(state.count > 0);
            *last = [self.kinds.digits[(state.bits << (6 - state.count) & 0x3F) as usize], b'-'];
            last[has_digit] = b'-';
            self.at += has_digit + usize::from(needs_end);
            (state.bits, state.count) = (0, 0);
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
        let (mut bits, mut count) = (state.bits, state.count);
        while self.has_room() {
            // Three characters of three bytes each are eight digits.
            if let Some(three) = self.src[self.read..].first_chunk::<9>()
                && let Some(units) = three_units(three)
            {
                // At most four bits are left from before, so all of them fit.
                let all = u64::from(bits) << 48 | units;
                self.put_digits(all >> count, 48, 8);
                (bits, self.read) = (all as u32 & ((1 << count) - 1), self.read + 9);
                continue;
            }
            let Some((unit, len)) = self.unit() else { break };
            self.put_unit(&mut bits, &mut count, unit, len);
        }
        (state.bits, state.count) = (bits, count);
    }

    /// Stores the digits that are whole after a character of this many bytes, two or three of them.
    #[inline(always)]
    fn put_unit(&mut self, bits: &mut u32, count: &mut u32, unit: u16, len: usize) {
        (*bits, *count, self.read) = (*bits << 16 | u32::from(unit), *count + 16, self.read + len);
        self.put_digits(u64::from(*bits), *count, *count / 6);
        *count %= 6;
        *bits &= (1 << *count) - 1;
    }

    /// Returns the next character as a code unit, and its length, if it has two or three bytes. A character of four
    /// bytes has two units, and is left to [`Writer::write`].
    #[inline(always)]
    fn unit(&self) -> Option<(u16, usize)> {
        let unit = |first: u8, rest: &[u8]| {
            rest.iter().fold(u16::from(first), |unit, byte| unit << 6 | u16::from(byte & 0x3F))
        };
        match self.src[self.read..] {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_stand_for_themselves_are_those_of_the_table() {
        for kinds in [Utf7::MAIL, Utf7::IMAP].map(Utf7::kinds) {
            for (byte, place) in (0..=0xFF).flat_map(|byte| (0..8).map(move |place| (byte, place))) {
                let mut bytes = [b'a'; 8];
                bytes[place..].fill(byte);
                let expected = if kinds.is_read[usize::from(byte)] { 8 } else { place };
                assert_eq!(kinds.read.len(bytes), expected, "{byte:02X} from {place}");
                bytes[place + 1..].fill(b'a');
                assert_eq!(kinds.read.len(bytes), expected, "{byte:02X} at {place}");
            }
        }
    }
}
