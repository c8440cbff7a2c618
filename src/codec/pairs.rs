//! The inner loop of encoders of single bytes and pairs without a state: to UTF-16, to codes by a table, and to bytes.
//!
//! It knows only what is plain. At anything else it stops between two characters, and the codec goes on in its own way.

use super::batches::{LEAST_REACH, WORTH};
use super::sink::ascii_blocks;
use crate::arch::types::{ByteOrder, NO_CODE};
use crate::arch::{self, Isa, lanes, utf16};

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

    /// Encodes characters from the front of `src` to `spare` in two steps: to UTF-16, and then by the table. Returns how many
    /// bytes were read and written. `reach` is how many characters to look at: few if the last stop was near.
    #[inline(never)]
    pub(super) fn encode(&self, src: &str, spare: &mut [u8], reach: &mut usize) -> (usize, usize) {
        let (mut room, mut codes, isa) = ([0; 2 * MOST], [0; MOST], arch::isa());
        let (mut read, mut written) = (0, 0);
        while src.len() - read >= WORTH {
            let ascii = ascii_blocks(&src.as_bytes()[read..], &mut spare[written..]);
            (read, written) = (read + ascii, written + ascii);
            let (taken, made) = to_units(&src[read..], &mut room[..2 * (*reach).clamp(LEAST_REACH, MOST)]);
            let units = room[..made].as_chunks().0;
            let codes = &mut codes[..units.len()];
            for (code, unit) in codes.iter_mut().zip(units) {
                *code = self.codes[usize::from(u16::from_ne_bytes(*unit))];
            }
            let (done, put) = lanes::short_codes(isa, codes, &mut spare[written..]);
            written += put;
            if done < units.len() {
                *reach = done + LEAST_REACH;
                return (read + units[..done].iter().map(utf8_len).sum::<usize>(), written);
            }
            if ascii + taken == 0 {
                break;
            }
            *reach = MOST;
            read += taken;
        }
        (read, written)
    }
}

impl std::fmt::Debug for PlainCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainCodes").finish_non_exhaustive()
    }
}

/// Converts the front of `src` to code units in the machine's order, up to a character that has two; returns how many bytes
/// were read and written.
#[inline(always)]
fn to_units(src: &str, room: &mut [u8]) -> (usize, usize) {
    let order = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
    match arch::isa() {
        Isa::Scalar => to_units_singly(src, room),
        isa => utf16::from_utf8(isa, order, true, src, room),
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
