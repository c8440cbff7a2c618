//! The kernels of UTF-16 and UTF-32, each of those that this machine can run, against a loop over `char`s.

#![allow(unsafe_code)] // The choice of an instruction set that the machine has.

use super::Isa;
use super::utf16::{self, ByteOrder};
use super::utf32::{self, OctetOrder};
use proptest::prelude::*;

/// The instruction sets that this machine has.
fn isas() -> Vec<Isa> {
    let (here, lacking): (Vec<Isa>, Vec<Isa>) = Isa::ALL.into_iter().partition(|isa| isa.is_available());
    println!("skipped, as this machine lacks them: {lacking:?}");
    here
}

/// How far from where it has to stop a kernel may stop: it goes in blocks. `None`: it may stop anywhere.
fn stride(isa: Isa) -> Option<usize> {
    (isa > Isa::Scalar).then_some(STRIDE)
}

/// Of the input, and of the room.
const STRIDE: usize = 512;

/// A charset and its orders, as the kernels know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Utf16(ByteOrder),
    Ucs2(ByteOrder),
    Utf32(OctetOrder),
}

impl Form {
    fn all() -> Vec<Form> {
        let utf16 = ByteOrder::ALL.into_iter().flat_map(|order| [Form::Utf16(order), Form::Ucs2(order)]);
        utf16.chain(OctetOrder::ALL.map(Form::Utf32)).collect()
    }

    /// The bytes of a code unit.
    fn unit(self, unit: u32) -> Vec<u8> {
        let [a, b, c, d] = unit.to_be_bytes();
        match self {
            Form::Utf16(ByteOrder::Big) | Form::Ucs2(ByteOrder::Big) => vec![c, d],
            Form::Utf16(ByteOrder::Little) | Form::Ucs2(ByteOrder::Little) => vec![d, c],
            Form::Utf32(OctetOrder::O1234) => vec![a, b, c, d],
            Form::Utf32(OctetOrder::O4321) => vec![d, c, b, a],
            Form::Utf32(OctetOrder::O2143) => vec![b, a, d, c],
            Form::Utf32(OctetOrder::O3412) => vec![c, d, a, b],
        }
    }

    /// The code units of a character.
    fn units(self, ch: char) -> Vec<u32> {
        match self {
            Form::Utf32(_) => vec![ch.into()],
            _ => ch.encode_utf16(&mut [0; 2]).iter().map(|unit| u32::from(*unit)).collect(),
        }
    }

    /// The code units as text, as far as they are characters, and how many bytes of them that is.
    fn text(self, units: &[u32]) -> (String, usize) {
        let chars: Vec<Option<char>> = match self {
            Form::Utf32(_) => units.iter().map(|unit| char::from_u32(*unit)).collect(),
            _ => char::decode_utf16(units.iter().map(|unit| *unit as u16)).map(Result::ok).collect(),
        };
        let text: String = chars.into_iter().map_while(|ch| ch).collect();
        let len = self.bytes(&text).len();
        (text, len)
    }

    fn bytes(self, text: &str) -> Vec<u8> {
        text.chars().flat_map(|ch| self.units(ch)).flat_map(|unit| self.unit(unit)).collect()
    }

    fn to_utf8(self, isa: Isa, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        assert!(isa.is_available());
        // SAFETY: it is there, as was just asked.
        unsafe {
            match self {
                Form::Utf16(order) | Form::Ucs2(order) => utf16::to_utf8_by(isa, order, src, dst),
                Form::Utf32(order) => utf32::to_utf8_by(isa, order, src, dst),
            }
        }
    }

    fn from_utf8(self, isa: Isa, src: &str, dst: &mut [u8]) -> (usize, usize) {
        assert!(isa.is_available());
        // SAFETY: it is there, as was just asked.
        unsafe {
            match self {
                Form::Utf16(order) => utf16::from_utf8_by(isa, order, false, src, dst),
                Form::Ucs2(order) => utf16::from_utf8_by(isa, order, true, src, dst),
                Form::Utf32(order) => utf32::from_utf8_by(isa, order, src, dst),
            }
        }
    }
}

/// Decodes code units at the given alignment into so much room, and says what is wrong with that.
fn decode(isa: Isa, form: Form, units: &[u32], room: usize, shift: usize) {
    let mut src = vec![0xA5; shift];
    src.extend(units.iter().flat_map(|unit| form.unit(*unit)));
    let src = &src[shift..];
    let mut dst = vec![0x5A; shift + room + 64];
    let (read, written) = form.to_utf8(isa, src, &mut dst[shift..][..room]);
    let what = || format!("{isa:?} {form:?} room {room} shift {shift}: {units:X?}");
    let (text, good) = form.text(units);
    assert!(read <= good && written <= room, "{read} read, {good} good, {written} written: {}", what());
    // What was read is whole characters, and what was written is they.
    let width = form.unit(0).len();
    assert_eq!(read % width, 0);
    let (expected, len) = form.text(&units[..read / width]);
    assert_eq!(len, read, "{}", what());
    assert!(dst[shift..][..written] == *expected.as_bytes(), "{}", what());
    assert!(dst[shift + room..].iter().chain(&dst[..shift]).all(|byte| *byte == 0x5A), "{}", what());
    if let Some(stride) = stride(isa).filter(|_| !text[written..].contains(|ch| ch > '\u{FFFF}')) {
        assert!(good - read < stride || room - written < stride, "{read} of {good}: {}", what());
    }
}

/// Encodes a text at the given alignment into so much room, and says what is wrong with that.
fn encode(isa: Isa, form: Form, text: &str, room: usize, shift: usize) {
    let mut src = "x".repeat(shift);
    src.push_str(text);
    let src = &src[shift..];
    let mut dst = vec![0x5A; shift + room + 64];
    let (read, written) = form.from_utf8(isa, src, &mut dst[shift..][..room]);
    let what = || format!("{isa:?} {form:?} room {room} shift {shift}: {text:?}");
    assert!(src.is_char_boundary(read) && written <= room, "{read} read: {}", what());
    assert!(dst[shift..][..written] == form.bytes(&src[..read]), "{}", what());
    assert!(dst[shift + room..].iter().chain(&dst[..shift]).all(|byte| *byte == 0x5A), "{}", what());
    let bmp = |text: &str| !text.contains(|ch| ch > '\u{FFFF}');
    assert!(bmp(&src[..read]) || !matches!(form, Form::Ucs2(_)), "{}", what());
    if let Some(stride) = stride(isa).filter(|_| bmp(&src[read..])) {
        assert!(src.len() - read < stride || room - written < stride, "{read}: {}", what());
    }
}

/// Both ways, of a text that every form can have.
fn both(text: &str, room: usize, shift: usize) {
    for isa in isas() {
        for form in Form::all() {
            let units: Vec<u32> = text.chars().flat_map(|ch| form.units(ch)).collect();
            decode(isa, form, &units, room, shift);
            encode(isa, form, text, room, shift);
        }
    }
}

/// One of each length and the edges of each length.
const EDGES: [char; 12] = [
    '\0',
    'a',
    '\u{7F}',
    '\u{80}',
    '\u{7FF}',
    '\u{800}',
    '\u{D7FF}',
    '\u{E000}',
    '\u{FFFF}',
    '\u{10000}',
    '\u{FFFFF}',
    '\u{10FFFF}',
];

#[test]
fn every_character() {
    let all: Vec<char> = (0..0x11_0000).filter_map(char::from_u32).collect();
    // Not in step with the blocks, so that each stands in many lanes and with others of another length.
    for filling in ["", "x", "é"] {
        for part in all.chunks(30011) {
            let text: String = part.iter().flat_map(|ch| std::iter::once(*ch).chain(filling.chars())).collect();
            both(&text, text.len() * 4 + 1024, 1);
        }
    }
}

#[test]
fn every_length_and_room_and_alignment() {
    for len in 0..200 {
        for fill in ["a", "é", "€", "😀", "aé", "a€😀é"] {
            let text: String = fill.chars().cycle().take(len).collect();
            both(&text, 4 * len + 256, len % 67);
            both(&text, text.len(), len % 5);
        }
    }
    let text: String = "abcdefgh é€ ü😀ß".chars().cycle().take(300).collect();
    for room in 0..1400 {
        both(&text, room, room % 64);
    }
}

#[test]
fn each_edge_in_each_place() {
    for filling in ['a', 'é', '€', '😀'] {
        for edge in EDGES {
            for at in 0..140 {
                let text: String = (0..330).map(|index| if index == at { edge } else { filling }).collect();
                both(&text, 2048, at % 3);
            }
        }
    }
}

#[test]
fn what_is_no_character_is_stopped_at() {
    let bad = [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x11_0000, 0x7FFF_FFFF, 0x8000_0041, 0xFFFF_FFFF, 0x0100_0041];
    for isa in isas() {
        for form in Form::all() {
            for filling in ['a', 'é', '€', '😀'] {
                let text: String = std::iter::repeat_n(filling, 400).collect();
                let units: Vec<u32> = text.chars().flat_map(|ch| form.units(ch)).collect();
                for at in 0..140 {
                    for unit in bad {
                        let mut units = units.clone();
                        units[at] = if matches!(form, Form::Utf32(_)) { unit } else { unit & 0xFFFF };
                        decode(isa, form, &units, 4096, 0);
                        // And cut right there.
                        units.truncate(at + 1);
                        decode(isa, form, &units, 4096, 0);
                    }
                }
            }
        }
    }
}

/// Texts in which runs of one length follow each other, as in the wild, or none do.
fn text() -> impl Strategy<Value = String> {
    let run = prop_oneof![
        ("[ -~]{0,150}", 1..2usize),
        ("[à-ÿа-я]{1,40}", 1..4usize),
        ("[一-龥ก-๛]{1,40}", 1..4usize),
        ("[😀-🙏]{1,10}", 1..8usize),
        ("[aé€😀]{1,40}", 1..4usize),
        (proptest::sample::select(&EDGES[..]).prop_map(String::from), 1..3usize),
    ];
    let run = run.prop_map(|(text, times)| text.repeat(times));
    proptest::collection::vec(run, 0..12).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..Default::default() })]

    #[test]
    fn any_text(text in text(), room in 0..3000usize, shift in 0..64usize) {
        both(&text, room, shift);
        both(&text, 8192, shift);
    }

    #[test]
    fn any_units(text in text(), bad in proptest::collection::vec((any::<usize>(), any::<u32>(), 0..32u32), 0..4)) {
        for isa in isas() {
            for form in Form::all() {
                let mut units: Vec<u32> = text.chars().flat_map(|ch| form.units(ch)).collect();
                for (at, unit, shift) in &bad {
                    let at = at % (units.len() + 1);
                    let unit = if matches!(form, Form::Utf32(_)) { unit >> shift } else { 0xD800 | unit & 0x7FF };
                    units.insert(at, unit);
                }
                decode(isa, form, &units, 4 * units.len() + 512, 0);
            }
        }
    }
}
