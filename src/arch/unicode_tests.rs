//! Compares the kernels of UTF-16 and UTF-32 that this machine can run with a loop over `char`s.

use super::types::{ByteOrder, OctetOrder};
use super::{Isa, is_full, utf16, utf32};
use proptest::prelude::*;

static SAID: std::sync::Once = std::sync::Once::new();

/// Returns the instruction sets that this machine has.
fn isas() -> Vec<Isa> {
    let (here, lacking): (Vec<Isa>, Vec<Isa>) = Isa::ALL.into_iter().partition(|isa| isa.is_available());
    SAID.call_once(|| println!("skipped, as this machine lacks them: {lacking:?}"));
    here
}

/// How far before the place where it must stop a kernel may stop, in the input and in the room: it goes in blocks.
const STRIDE: usize = 512;

/// A charset and its byte order, as the kernels know them.
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

    fn is_utf32(self) -> bool {
        matches!(self, Form::Utf32(_))
    }

    /// Adds the bytes of a code unit.
    fn unit(self, unit: u32, bytes: &mut Vec<u8>) {
        let [a, b, c, d] = unit.to_be_bytes();
        match self {
            Form::Utf16(ByteOrder::Big) | Form::Ucs2(ByteOrder::Big) => bytes.extend([c, d]),
            Form::Utf16(ByteOrder::Little) | Form::Ucs2(ByteOrder::Little) => bytes.extend([d, c]),
            Form::Utf32(OctetOrder::O1234) => bytes.extend([a, b, c, d]),
            Form::Utf32(OctetOrder::O4321) => bytes.extend([d, c, b, a]),
            Form::Utf32(OctetOrder::O2143) => bytes.extend([b, a, d, c]),
            Form::Utf32(OctetOrder::O3412) => bytes.extend([c, d, a, b]),
        }
    }

    /// Returns how many bytes a character takes.
    fn len(self, ch: char) -> usize {
        if self.is_utf32() { 4 } else { 2 * ch.len_utf16() }
    }

    fn units(self, text: &str) -> Vec<u32> {
        if self.is_utf32() {
            text.chars().map(u32::from).collect()
        } else {
            text.encode_utf16().map(u32::from).collect()
        }
    }

    fn bytes(self, units: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 * units.len());
        units.iter().for_each(|unit| self.unit(*unit, &mut bytes));
        bytes
    }

    /// Decodes code units as far as they are characters.
    fn text(self, units: &[u32]) -> String {
        if self.is_utf32() {
            return units.iter().map_while(|unit| char::from_u32(*unit)).collect();
        }
        char::decode_utf16(units.iter().map(|unit| *unit as u16)).map_while(Result::ok).collect()
    }

    fn decode(self, isa: Isa, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        assert!(isa.is_available());
        match self {
            Form::Utf16(order) | Form::Ucs2(order) => utf16::to_utf8(isa, order, src, dst),
            Form::Utf32(order) => utf32::to_utf8(isa, order, src, dst),
        }
    }

    fn encode(self, isa: Isa, src: &str, dst: &mut [u8]) -> (usize, usize) {
        assert!(isa.is_available());
        match self {
            Form::Utf16(order) => utf16::from_utf8(isa, order, false, src, dst),
            Form::Ucs2(order) => utf16::from_utf8(isa, order, true, src, dst),
            Form::Utf32(order) => utf32::from_utf8(isa, order, src, dst),
        }
    }
}

/// Decodes code units and, if all of them are characters, encodes them again, with every kernel, the given room and the
/// given alignment.
fn check(isas: &[Isa], form: Form, units: &[u32], room: usize, shift: usize) {
    let bytes = form.bytes(units);
    let text = form.text(units);
    let all_good = text.chars().map(|ch| form.len(ch)).sum::<usize>() == bytes.len();
    for isa in isas {
        let what = || format!("{isa:?} {form:?} room {room} shift {shift}: {units:X?}");
        let mut dst = vec![0x5A; shift + room + 64];
        let (read, written) = form.decode(*isa, &aligned(&bytes, shift)[shift..], &mut dst[shift..][..room]);
        kept(&text, &bytes, form, (written, read), &what);
        assert!(dst[shift..].starts_with(&text.as_bytes()[..written]), "decoding, {}", what());
        assert!(dst[shift + room..].iter().chain(&dst[..shift]).all(|byte| *byte == 0x5A), "{}", what());
        // With vectors of 64 bytes, a value needs no other loop.
        if *isa == Isa::Avx512 && !form.is_utf32() && all_good && room - written >= 128 {
            assert_eq!(written, text.len(), "decoding, {}", what());
        }
        // A kernel may stop at characters outside the Basic Multilingual Plane.
        if *isa != Isa::Scalar && !text[written..].contains(|ch| ch > '\u{FFFF}') {
            assert!(text.len() - written < STRIDE || room - written < STRIDE, "decoding, {read}: {}", what());
        }
        if !all_good {
            continue;
        }

        let mut dst = vec![0x5A; shift + room + 64];
        let src = aligned(text.as_bytes(), shift);
        let src = std::str::from_utf8(&src[shift..]).unwrap();
        let (read, written) = form.encode(*isa, src, &mut dst[shift..][..room]);
        kept(&text, &bytes, form, (read, written), &what);
        assert!(dst[shift..].starts_with(&bytes[..written]), "encoding, {}", what());
        assert!(dst[shift + room..].iter().chain(&dst[..shift]).all(|byte| *byte == 0x5A), "{}", what());
        let is_bmp = |text: &str| !text.contains(|ch| ch > '\u{FFFF}');
        assert!(!matches!(form, Form::Ucs2(_)) || is_bmp(&text[..read]), "{}", what());
        if *isa != Isa::Scalar && (!matches!(form, Form::Ucs2(_)) || is_bmp(&text[read..])) {
            // It goes back by half of a pair.
            if *isa == Isa::Avx512 && !form.is_utf32() && room - written >= 128 + 2 {
                assert_eq!(read, text.len(), "encoding, {}", what());
            }
            assert!(text.len() - read < STRIDE || room - written < STRIDE, "encoding, {read}: {}", what());
        }
    }
}

/// Returns a copy of `bytes` after `shift` other bytes.
fn aligned(bytes: &[u8], shift: usize) -> Vec<u8> {
    [&[0xA5].repeat(shift), bytes].concat()
}

/// Checks that these lengths of `text` and `bytes` end between characters, and are the same characters.
fn kept(text: &str, bytes: &[u8], form: Form, (of_text, of_bytes): (usize, usize), what: &dyn Fn() -> String) {
    assert!(of_text <= text.len() && of_bytes <= bytes.len(), "{of_text} {of_bytes} {}", what());
    assert!(text.is_char_boundary(of_text), "{of_text} {}", what());
    let len: usize = text[..of_text].chars().map(|ch| form.len(ch)).sum();
    assert_eq!(of_bytes, len, "{}", what());
}

/// Checks both directions with a text that every form has.
fn both(text: &str, room: usize, shift: usize) {
    let isas = isas();
    for form in Form::all() {
        check(&isas, form, &form.units(text), room, shift);
    }
}

/// Characters of each length, and the first and last ones of each length.
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

/// A little of each kind, for Miri, which is too slow for all of it.
#[test]
fn a_few() {
    let text = "aé€😀".repeat(13) + &"a".repeat(130);
    both(&text, 3, 1);
    both(&text, 4 * text.len() + 64, 0);
    let isas = isas();
    for form in Form::all() {
        let mut units = form.units(&"aé".repeat(40));
        units[57] = if form.is_utf32() { 0x11_0000 } else { 0xDFFF };
        check(&isas, form, &units, 512, 0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn every_character() {
    let all: Vec<char> = (0..0x11_0000).filter_map(char::from_u32).collect();
    // Not in step with the blocks, so that each character is in many lanes and next to others of other lengths. By default
    // the first 90,033 characters, and one in 7 of the others, which are all alike.
    for filling in ["", "xé"] {
        for (index, part) in all.chunks(30011).enumerate() {
            if !is_full() && index >= 3 && index % 7 != 0 {
                continue;
            }
            let text: String = part.iter().flat_map(|ch| std::iter::once(*ch).chain(filling.chars())).collect();
            both(&text, text.len() * 4 + 1024, 1);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
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
#[cfg_attr(miri, ignore = "too much of it")]
fn each_edge_in_each_place() {
    for filling in ['a', 'é', '€', '😀'] {
        for (number, edge) in EDGES.into_iter().enumerate() {
            // By default one place in 3, and other places for each edge.
            for at in (0..140).filter(|at| is_full() || (at + number) % 3 == 0) {
                let text: String = (0..330).map(|index| if index == at { edge } else { filling }).collect();
                both(&text, 2048, at % 3);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn what_is_no_character_is_stopped_at() {
    let bad = [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x11_0000, 0x7FFF_FFFF, 0x8000_0041, 0xFFFF_FFFF, 0x0100_0041];
    let isas = isas();
    for form in Form::all() {
        for filling in ["a", "é", "€", "😀"] {
            let good = form.units(&filling.repeat(400));
            for at in 0..140 {
                for unit in bad {
                    let mut units = good.clone();
                    units[at] = if form.is_utf32() { unit } else { unit & 0xFFFF };
                    check(&isas, form, &units, 4096, 0);
                    // And cut there.
                    check(&isas, form, &units[..at + 1], 4096, 0);
                }
            }
        }
    }
}

/// Each code unit of UTF-32 near the bounds of the code space, and some far outside, alone among characters.
#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn every_code_unit_that_is_no_character() {
    let isas = isas();
    let bad = (0xD800..0xE000).chain(0x11_0000..0x12_0000).chain((0..32).flat_map(|bit| {
        let high = 1u32 << bit;
        [high | 0x11_0000, high | 0xD800, high | 0x8000_0000, high.wrapping_neg() | 0x20_0000]
    }));
    for (index, unit) in bad.filter(|unit| char::from_u32(*unit).is_none()).enumerate() {
        let form = Form::Utf32(OctetOrder::ALL[index % 4]);
        let filling = [0x41, 0xE9, 0x20AC, 0x1_F600][index / 4 % 4];
        let mut units = [filling; 48];
        units[index % 47] = unit;
        check(&isas, form, &units, 256, 0);
    }
}

/// Texts with runs of characters of one length, as in real text, and texts without such runs.
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
    #[cfg_attr(miri, ignore = "too much of it")]
    fn any_text(text in text(), room in 0..3000usize, shift in 0..64usize) {
        both(&text, room, shift);
        both(&text, 8192, shift);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn any_units(text in text(), bad in proptest::collection::vec((any::<usize>(), any::<u32>(), 0..32u32), 0..4)) {
        let isas = isas();
        for form in Form::all() {
            let mut units = form.units(&text);
            for (at, unit, shift) in &bad {
                let at = at % (units.len() + 1);
                units.insert(at, if form.is_utf32() { unit >> shift } else { 0xD800 | unit & 0x7FF });
            }
            check(&isas, form, &units, 4 * units.len() + 512, 0);
        }
    }
}
