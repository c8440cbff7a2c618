//! The inner loop of encoders of single bytes and pairs: to UTF-16, to codes by a table, and to bytes.
//!
//! It handles only plain characters. At anything else it stops between two characters, and the codec continues.

use super::batches::{FEW, LEAST_REACH, WORTH};
use super::sink::ascii_blocks;
use crate::arch::types::{ByteOrder, NO_CODE};
use crate::arch::{self, Isa, lanes, utf16};
use std::str::Chars;

/// The most characters of a batch.
const MOST: usize = 512;

/// The codes of the plain characters of a charset, by code unit: those of one or two bytes.
pub(super) struct PlainCodes {
    /// As [`lanes::short_codes`] takes them.
    codes: Box<[u16; 1 << 16]>,
}

impl PlainCodes {
    /// Makes the table from characters and their codes. Others than plain ones are left out.
    pub(super) fn new<C: AsRef<[u8]>>(chars: impl IntoIterator<Item = (char, C)>) -> Self {
        let mut codes = vec![NO_CODE; 1 << 16];
        for (ch, code) in chars {
            if let Some(place) = codes.get_mut(ch as usize) {
                *place = match *code.as_ref() {
                    [byte] => byte.into(),
                    // A second byte of 0 would mean a single byte.
                    [first, second] if second > 0 => u16::from_le_bytes([first, second]),
                    _ => NO_CODE,
                };
            }
        }
        PlainCodes { codes: codes.try_into().expect("as many as there are units") }
    }

    /// Encodes characters from the front of `src` to `spare`, up to one that is not plain or within a block of the end
    /// of `spare`; returns how many bytes were read and written. `reach` is how many characters to look at: few if the
    /// last stop was near.
    #[cfg_attr(not(feature = "whatwg"), allow(dead_code))] // HZ has a state.
    #[inline(never)]
    pub(super) fn encode(&self, src: &str, spare: &mut [u8], reach: &mut usize) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        if src.len() >= FEW {
            let isa = arch::isa();
            (read, written) = self.batches(
                src,
                spare,
                reach,
                &mut (),
                |(), src, spare| ascii_blocks(src, spare),
                |(), codes, spare| lanes::short_codes(isa, codes, spare),
            );
        }
        if src.len() - read < FEW {
            let (more, put) = self.one_by_one(&src[read..], &mut spare[written..]);
            (read, written) = (read + more, written + put);
        }
        (read, written)
    }

    /// Encodes characters from the front of `src`, up to one that is not plain, or for which there may not be room.
    #[cfg_attr(not(feature = "whatwg"), allow(dead_code))]
    fn one_by_one(&self, src: &str, spare: &mut [u8]) -> (usize, usize) {
        let (mut rest, mut written) = (src.chars(), 0);
        loop {
            let spare = &mut spare[written..];
            // The room is asked for once for many characters, and near the end for each.
            let put = match spare.first_chunk_mut() {
                Some(window) => self.put_chars(&mut rest, window),
                None => spare.first_chunk_mut().map_or(0, |place| self.put_char(&mut rest, place)),
            };
            written += put;
            if put == 0 {
                return (src.len() - rest.as_str().len(), written);
            }
        }
    }

    /// Encodes up to 32 characters, up to one that is not plain; returns how many bytes were written.
    #[inline(always)]
    fn put_chars(&self, rest: &mut Chars<'_>, window: &mut [u8; 66]) -> usize {
        let mut written = 0;
        for _ in 0..32 {
            // At most 31 × 2; the mask tells the compiler.
            let place = window[written & 63..].first_chunk_mut().expect("two bytes");
            let len = self.put_char(rest, place);
            if len == 0 {
                break;
            }
            written += len;
        }
        written
    }

    /// Encodes one character, unless it is not plain; returns how many bytes were written. The second of the two
    /// places may be overwritten even if the code is one byte.
    #[inline(always)]
    fn put_char(&self, rest: &mut Chars<'_>, place: &mut [u8; 2]) -> usize {
        let before = rest.clone();
        match rest.next().and_then(|ch| self.codes.get(ch as usize)) {
            Some(code) if *code != NO_CODE => {
                *place = code.to_le_bytes();
                1 + usize::from(*code > 0xFF)
            }
            _ => {
                *rest = before;
                0
            }
        }
    }

    /// Encodes in a charset that switches between ASCII and pairs, up to a character that is not plain or within a
    /// block of the end of `spare`. `is_double` says whether bytes are pairs, before and after.
    #[inline(never)]
    pub(super) fn encode_switched(
        &self,
        switch: &Switch,
        is_double: &mut bool,
        src: &str,
        spare: &mut [u8],
        reach: &mut usize,
    ) -> (usize, usize) {
        let ascii = |is_double: &mut bool, src: &[u8], spare: &mut [u8]| match is_double {
            true => 0,
            false => switch.copy(src, spare),
        };
        let put = |is_double: &mut bool, codes: &[u16], spare: &mut [u8]| switch.put(is_double, codes, spare);
        let (mut read, mut written) = (0, 0);
        if src.len() >= FEW {
            (read, written) = self.batches(src, spare, reach, is_double, ascii, put);
        }
        if src.len() - read < FEW {
            let (more, put) = self.switched_one_by_one(switch, is_double, &src[read..], &mut spare[written..]);
            (read, written) = (read + more, written + put);
        }
        (read, written)
    }

    /// Does so one character after another, up to one that is not plain or within eight bytes of the end of `spare`.
    fn switched_one_by_one(
        &self,
        switch: &Switch,
        is_double: &mut bool,
        src: &str,
        spare: &mut [u8],
    ) -> (usize, usize) {
        let mut chars = src.chars();
        let mut next = || {
            let before = src.len() - chars.as_str().len();
            (before, chars.next().and_then(|ch| self.codes.get(ch as usize)).copied().unwrap_or(NO_CODE))
        };
        let ((mut read, mut code), mut written) = (next(), 0);
        while code != NO_CODE
            && let Some(place) = spare[written..].first_chunk_mut::<8>()
        {
            let put = switch.put_code(is_double, code, place);
            written += put;
            (read, code) = next();
        }
        (read, written)
    }

    /// Encodes in two steps: to UTF-16, and then by the table. `ascii` copies blocks of ASCII, and `put` writes codes;
    /// both are given the state.
    #[inline(always)]
    fn batches<S>(
        &self,
        src: &str,
        spare: &mut [u8],
        reach: &mut usize,
        state: &mut S,
        ascii: impl Fn(&mut S, &[u8], &mut [u8]) -> usize,
        put: impl Fn(&mut S, &[u16], &mut [u8]) -> (usize, usize),
    ) -> (usize, usize) {
        let (mut room, mut codes) = ([0; 2 * MOST], [0; MOST]);
        let (mut read, mut written) = (0, 0);
        while src.len() - read >= WORTH {
            let copied = ascii(state, &src.as_bytes()[read..], &mut spare[written..]);
            (read, written) = (read + copied, written + copied);
            let (taken, made) = to_units(&src[read..], &mut room[..2 * (*reach).clamp(LEAST_REACH, MOST)]);
            let units = room[..made].as_chunks().0;
            let codes = &mut codes[..units.len()];
            for (code, unit) in codes.iter_mut().zip(units) {
                *code = self.codes[usize::from(u16::from_ne_bytes(*unit))];
            }
            let (done, put) = put(state, codes, &mut spare[written..]);
            written += put;
            if done < units.len() {
                *reach = done + LEAST_REACH;
                return (read + units[..done].iter().map(utf8_len).sum::<usize>(), written);
            }
            if copied + taken == 0 {
                break;
            }
            *reach = (2 * (*reach).clamp(LEAST_REACH, MOST)).min(MOST);
            read += taken;
        }
        (read, written)
    }
}

/// How a charset switches between ASCII and pairs of such bytes.
pub(super) struct Switch {
    /// The codes to ASCII and to pairs, with zeros after them.
    codes: [[u8; 4]; 2],
    /// The length of both.
    len: usize,
    /// The bytes of ASCII that are not plain; some may occur there twice.
    others: [u8; 5],
}

impl Switch {
    /// The codes have at most four bytes, and the same length.
    pub(super) const fn new<const N: usize>(to_ascii: &[u8; N], to_pairs: &[u8; N], others: [u8; 5]) -> Self {
        let (mut codes, mut at) = ([[0; 4]; 2], 0);
        while at < N {
            (codes[0][at], codes[1][at]) = (to_ascii[at], to_pairs[at]);
            at += 1;
        }
        Switch { codes, len: N, others }
    }

    #[cfg_attr(not(feature = "legacy"), allow(dead_code))] // encoding_rs itself says what it encodes.
    pub(super) fn others(&self) -> &[u8] {
        &self.others
    }

    /// Copies blocks of plain ASCII; returns how many bytes.
    fn copy(&self, src: &[u8], spare: &mut [u8]) -> usize {
        let [a, b, c, d, e] = self.others;
        let is_plain = |byte: u8| (byte < 0x80) & (byte != a) & (byte != b) & (byte != c) & (byte != d) & (byte != e);
        let mut len = 0;
        for (block, place) in src.as_chunks::<64>().0.iter().zip(spare.as_chunks_mut::<64>().0) {
            // No branch per byte, so that the compiler vectorizes it.
            if !block.iter().fold(true, |all, byte| all & is_plain(*byte)) {
                break;
            }
            *place = *block;
            len += block.len();
        }
        len
    }

    /// Writes codes of one byte or two, and switches where they need it. Stops at [`NO_CODE`], or when the room may not
    /// be enough; returns how many codes were written and how many bytes that was.
    #[inline(always)]
    fn put(&self, is_double: &mut bool, codes: &[u16], spare: &mut [u8]) -> (usize, usize) {
        let (mut done, mut written) = (0, 0);
        loop {
            if let Some(block) = codes[done..].first_chunk()
                && let Some(window) = spare[written..].first_chunk_mut()
            {
                let (len, size) = if *is_double { put_pairs(block, window) } else { put_singles(block, window) };
                (done, written) = (done + len, written + size);
                if len == BLOCK {
                    continue;
                }
            }
            // Where runs are short, one code after another takes less time.
            for code in &codes[done..codes.len().min(done + BLOCK)] {
                let Some(place) = spare[written..].first_chunk_mut().filter(|_| *code != NO_CODE) else {
                    return (done, written);
                };
                (done, written) = (done + 1, written + self.put_code(is_double, *code, place));
            }
            if done == codes.len() {
                return (done, written);
            }
        }
    }

    /// Writes a code, after what switches to it; returns how many bytes that is. Others may be overwritten.
    #[inline(always)]
    fn put_code(&self, is_double: &mut bool, code: u16, place: &mut [u8; 8]) -> usize {
        let (is_pair, mut at) = (code > 0xFF, 0);
        if is_pair != *is_double {
            *is_double = is_pair;
            place[..4].copy_from_slice(&self.codes[usize::from(is_pair)]);
            at = self.len.min(4);
        }
        place[at..at + 2].copy_from_slice(&code.to_le_bytes());
        at + 1 + usize::from(is_pair)
    }
}

/// How many codes are looked at together.
const BLOCK: usize = 16;

/// Writes the pairs at the front of a block; returns how many, and how many bytes that was.
#[inline(always)]
fn put_pairs(block: &[u16; BLOCK], window: &mut [u8; 2 * BLOCK]) -> (usize, usize) {
    for (place, code) in window.as_chunks_mut().0.iter_mut().zip(block) {
        *place = code.to_le_bytes();
    }
    let len = front(block, |code| code > 0xFF && code != NO_CODE);
    (len, 2 * len)
}

/// Does the same with single bytes.
#[inline(always)]
fn put_singles(block: &[u16; BLOCK], window: &mut [u8; 2 * BLOCK]) -> (usize, usize) {
    for (place, code) in window.iter_mut().zip(block) {
        *place = *code as u8;
    }
    let len = front(block, |code| code <= 0xFF);
    (len, len)
}

/// Returns how many codes at the front of a block are such.
#[inline(always)]
fn front(block: &[u16; BLOCK], is_such: impl Fn(u16) -> bool) -> usize {
    // No branch per code, so that the compiler vectorizes it.
    let bits = block.iter().zip(0..).map(|(code, at)| u16::from(is_such(*code)) << at);
    bits.fold(0u16, |all, bit| all | bit).trailing_ones() as usize
}

impl std::fmt::Debug for PlainCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainCodes").finish_non_exhaustive()
    }
}

/// Converts the front of `src` to code units in the machine's order; returns how many bytes were read and written. No
/// surrogate has a code, so a batch stops there. Without vectors the conversion stops earlier, before a character that
/// has two units.
#[inline(always)]
fn to_units(src: &str, room: &mut [u8]) -> (usize, usize) {
    let order = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
    match arch::isa() {
        Isa::Scalar => to_units_singly(src, room),
        isa => utf16::from_utf8(isa, order, false, src, room),
    }
}

fn to_units_singly(src: &str, room: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    for (ch, place) in src.chars().zip(room.as_chunks_mut().0) {
        let Ok(unit) = u16::try_from(ch as u32) else { break };
        *place = unit.to_ne_bytes();
        (read, written) = (read + ch.len_utf8(), written + 2);
    }
    (read, written)
}

/// Returns how many bytes a code unit in the machine's order has in UTF-8.
fn utf8_len(unit: &[u8; 2]) -> usize {
    match u16::from_ne_bytes(*unit) {
        0..0x80 => 1,
        0x80..0x800 => 2,
        _ => 3,
    }
}
