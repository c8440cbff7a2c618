//! UTF-EBCDIC, an encoding of Unicode for EBCDIC systems (Unicode Technical Report #16).
//!
//! It has two steps. First, a character becomes an *I8 sequence* of one to five bytes. I8 is much like UTF-8, but trail
//! bytes have five bits instead of six, so that U+0080 to U+009F are single bytes like ASCII. Then a table translates each
//! byte, so that the single bytes are where EBCDIC has them. Newlines are as in z/OS UNIX: 15 is U+000A and 25 is U+0085.
//! Ill-formed bytes are reported one maximal subpart at a time, as in UTF-8. `spec/utf-ebcdic.md` has the rules.

use super::held::{Form, FormDecoder, FormEncoder, Held};
use crate::codec::runs::runs;
use crate::codec::{
    ByteSink, Codec, CodecInfo, Decoder, Encoder, Malformed, Step, Stop, Unmappable, Utf8Char, Utf8Sink, Utf8Table,
};
use std::sync::LazyLock;

/// UTF-EBCDIC.
///
/// ```
/// use charpipe::{Registry, codec::decode_strictly};
///
/// let codec = Registry::builtin().codec("UTF-EBCDIC")?;
/// assert_eq!(decode_strictly(&*codec, b"\xC1\x15\xCA\x46\x53").as_deref(), Some("A\n€"));
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct UtfEbcdic;

impl Codec for UtfEbcdic {
    fn name(&self) -> &str {
        "UTF-EBCDIC"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        FormDecoder::boxed(UtfEbcdicForm)
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        work(&mut FormDecoder::new(UtfEbcdicForm));
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(FormEncoder::boxed(encode_text))
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: "UTR #16", ..CodecInfo::new(self.name()) }
    }
}

/// From I8 to UTF-EBCDIC, one to one (step 2 of the report). The first 160 are the bytes of those characters on page 1047,
/// except that the two newlines are swapped; the others are the remaining bytes in ascending order.
#[rustfmt::skip]
const FROM_I8: [u8; 256] = [
    0x00, 0x01, 0x02, 0x03, 0x37, 0x2D, 0x2E, 0x2F, 0x16, 0x05, 0x15, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
    0x10, 0x11, 0x12, 0x13, 0x3C, 0x3D, 0x32, 0x26, 0x18, 0x19, 0x3F, 0x27, 0x1C, 0x1D, 0x1E, 0x1F,
    0x40, 0x5A, 0x7F, 0x7B, 0x5B, 0x6C, 0x50, 0x7D, 0x4D, 0x5D, 0x5C, 0x4E, 0x6B, 0x60, 0x4B, 0x61,
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x5E, 0x4C, 0x7E, 0x6E, 0x6F,
    0x7C, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6,
    0xD7, 0xD8, 0xD9, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xAD, 0xE0, 0xBD, 0x5F, 0x6D,
    0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
    0x97, 0x98, 0x99, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xC0, 0x4F, 0xD0, 0xA1, 0x07,
    0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x06, 0x17, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x09, 0x0A, 0x1B,
    0x30, 0x31, 0x1A, 0x33, 0x34, 0x35, 0x36, 0x08, 0x38, 0x39, 0x3A, 0x3B, 0x04, 0x14, 0x3E, 0xFF,
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56,
    0x57, 0x58, 0x59, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x70, 0x71, 0x72, 0x73,
    0x74, 0x75, 0x76, 0x77, 0x78, 0x80, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x9A, 0x9B, 0x9C,
    0x9D, 0x9E, 0x9F, 0xA0, 0xAA, 0xAB, 0xAC, 0xAE, 0xAF, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6,
    0xB7, 0xB8, 0xB9, 0xBA, 0xBB, 0xBC, 0xBE, 0xBF, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xCF, 0xDA, 0xDB,
    0xDC, 0xDD, 0xDE, 0xDF, 0xE1, 0xEA, 0xEB, 0xEC, 0xED, 0xEE, 0xEF, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE,
];

/// From UTF-EBCDIC to I8.
const TO_I8: [u8; 256] = {
    let mut table = [0; 256];
    let mut i8 = 0;
    while i8 < 256 {
        table[FROM_I8[i8] as usize] = i8 as u8;
        i8 += 1;
    }
    table
};

/// The characters that have one byte, by that byte.
static SINGLE: LazyLock<Utf8Table> = LazyLock::new(|| {
    Utf8Table::new(TO_I8.map(|byte| if byte < FIRST_TRAIL { Utf8Char::new(byte.into()) } else { Utf8Char::NONE }))
});

/// The first trail byte of I8. A byte below it is a character; the lead bytes come after the trail bytes.
const FIRST_TRAIL: u8 = 0xA0;

/// The length of the longest sequence.
const MAX_LEN: usize = 5;

/// Returns the length of the sequence that `lead` begins, and the range of its second byte, which rules out overlong
/// sequences and characters above U+10FFFF. `None` if `lead` begins no sequence.
#[inline(always)]
fn sequence(lead: u8) -> Option<(usize, std::ops::RangeInclusive<u8>)> {
    match lead {
        0xC5..=0xDF => Some((2, 0xA0..=0xBF)),
        0xE1..=0xEF => Some((3, 0xA0..=0xBF)),
        0xF0 => Some((4, 0xB0..=0xBF)),
        0xF1..=0xF7 => Some((4, 0xA0..=0xBF)),
        0xF8 => Some((5, 0xA8..=0xBF)),
        0xF9 => Some((5, 0xA0..=0xA1)),
        _ => None,
    }
}

/// Returns whether `byte` continues `held`, which is the beginning of a well-formed sequence and not empty.
#[inline(always)]
fn continues(held: &[u8], byte: u8) -> bool {
    match (held, sequence(held[0])) {
        // D800 to DFFF.
        ([0xF1], _) if matches!(byte, 0xB6 | 0xB7) => false,
        ([_], Some((_, second))) => second.contains(&byte),
        _ => matches!(byte, 0xA0..=0xBF),
    }
}

/// Returns the character of a well-formed I8 sequence of more than one byte.
#[inline(always)]
fn character(sequence: &[u8]) -> char {
    // The lead byte of n bytes begins with n ones and a zero, so 7 - n bits are left.
    let lead = u32::from(sequence[0]) & (0x7F >> sequence.len());
    let code = sequence[1..].iter().fold(lead, |code, byte| code << 5 | u32::from(byte & 0x1F));
    char::from_u32(code).expect("`sequence` and `continues` let no surrogate and nothing above U+10FFFF through")
}

/// Writes the sequence of `ch` to the front of `bytes`; returns its length.
#[inline(always)]
fn encode(ch: char, bytes: &mut [u8; MAX_LEN]) -> usize {
    let code = ch as u32;
    let (len, lead) = match code {
        0..=0x9F => {
            bytes[0] = FROM_I8[code as usize];
            return 1;
        }
        0xA0..=0x3FF => (2, 0xC0),
        0x400..=0x3FFF => (3, 0xE0),
        0x4000..=0x3_FFFF => (4, 0xF0),
        _ => (5, 0xF8),
    };
    let mut rest = code;
    for place in bytes[1..len].iter_mut().rev() {
        *place = FROM_I8[FIRST_TRAIL as usize | (rest & 0x1F) as usize];
        rest >>= 5;
    }
    bytes[0] = FROM_I8[lead | rest as usize];
    len
}

/// Decodes UTF-EBCDIC. Between calls it holds the well-formed beginning of at most one sequence.
/// They are in I8.
#[derive(Clone)]
struct UtfEbcdicForm;

impl Form<MAX_LEN> for UtfEbcdicForm {
    const CODE_UNIT: Option<usize> = None;

    fn feed(&self, held: &mut Held<MAX_LEN>, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let single = &*SINGLE;
        let mut read = 0;
        while let Some(&byte) = src.get(read) {
            let i8 = TO_I8[byte as usize];
            let len = held.len();
            if len == 0 {
                if i8 < FIRST_TRAIL {
                    let taken = dst.push_table(&src[read..], single);
                    if taken == 0 {
                        return Step { read, stop: Stop::OutputFull };
                    }
                    read += taken;
                    continue;
                }
                if sequence(i8).is_none() {
                    return Step { read: read + 1, stop: Stop::Fault(Malformed { len: 1, after: 0 }) };
                }
            } else if !continues(held.bytes(), i8) {
                // The byte does not continue the sequence. It stays unread; the held bytes are the fault.
                held.clear();
                return Step { read, stop: Stop::Fault(Malformed { len: len as u8, after: 0 }) };
            }
            let mut longer = held.clone();
            longer.extend(&[i8]);
            if sequence(longer.bytes()[0]).is_some_and(|(whole, _)| len + 1 < whole) {
                *held = longer;
            } else if dst.push(character(longer.bytes())) {
                held.clear();
            } else {
                return Step { read, stop: Stop::OutputFull };
            }
            read += 1;
        }
        Step { read, stop: Stop::InputEmpty }
    }
}

/// Encodes UTF-EBCDIC, which has all characters.
fn encode_text(src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
    let mut read = 0;
    dst.fill(|spare| {
        let mut at = 0;
        'all: while read < src.len() {
            // Of the characters with two bytes in UTF-8, the C1 controls have one byte here. They are too rare to need
            // a fast way.
            let ascii = |byte: u8| (FROM_I8[byte as usize], 0);
            runs(src, &mut read, spare, &mut at, ascii, |_| (0, 1));
            for ch in src[read..].chars().take(16) {
                let mut bytes = [0; MAX_LEN];
                let len = encode(ch, &mut bytes);
                let Some(places) = spare.get_mut(at..at + len) else { break 'all };
                places.copy_from_slice(&bytes[..len]);
                at += len;
                read += ch.len_utf8();
            }
        }
        at
    });
    Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
}
