//! Tests the kernels: with any instruction set, a kernel reads a part of the input that is valid, writes exactly what
//! the general path writes for it, and writes nothing past the end of its buffer.

#![no_main]

use charpipe::arch::types::{
    ByteOrder, Escapes, FOLLOWS, FromUtf8, LEN, Leads, MAY_GO_ON, OctetOrder, Shifts, ToUtf8, Translation,
};
use charpipe::arch::{Isa, bytes, lanes, single_byte, utf8, utf16, utf32};
use charpipe::codec::{MIN_ROOM, Utf8Sink, can_encode};
use charpipe::{Codec, OnMalformed, OnUnmappable, Transcode};
use charpipe_fuzz::{CODECS, Choices, encode};
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// A single-byte charset: its characters, and the tables that the kernels use.
struct Page {
    codec: Arc<dyn Codec>,
    chars: [Option<char>; 256],
    to_utf8: ToUtf8,
    from_utf8: FromUtf8,
    bytes: HashMap<char, u8>,
}

static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| CODECS.iter().filter_map(page).collect());

fn page(codec: &Arc<dyn Codec>) -> Option<Page> {
    if !codec.decoder().is_bytewise() {
        return None;
    }
    let texts: Vec<String> = (0..=255).map(|byte| alone(&**codec, byte)).collect();
    let chars: [Option<char>; 256] = std::array::from_fn(|byte| texts[byte].chars().next());
    let pairs = || chars.iter().zip(0..=255).filter_map(|(ch, byte)| ch.map(|ch| (ch, byte)));
    Some(Page {
        codec: codec.clone(),
        chars,
        to_utf8: ToUtf8::new(|byte| texts[usize::from(byte)].as_bytes()),
        from_utf8: FromUtf8::new(pairs()),
        bytes: pairs().collect(),
    })
}

fn alone(codec: &dyn Codec, byte: u8) -> String {
    let mut buffer = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut buffer);
    let _ = codec.decoder().feed(&[byte], &mut sink);
    sink.as_str().to_owned()
}

/// A buffer of `len` bytes, followed by guard bytes that must not change.
struct GuardedBuffer {
    bytes: Vec<u8>,
    len: usize,
}

const GUARD: [u8; 96] = [0xA5; 96];

impl GuardedBuffer {
    fn new(len: usize) -> Self {
        GuardedBuffer { bytes: [vec![0; len], GUARD.to_vec()].concat(), len }
    }

    fn writable(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    /// Checks that the bytes written are `expected`.
    fn check(&self, written: usize, expected: &[u8], what: &str) {
        assert_eq!(&self.bytes[self.len..], GUARD, "{what}: written past the end of the buffer");
        assert_eq!(&self.bytes[..written], expected, "{what}");
    }
}

/// Decodes UTF-16 code units in `order`, up to the first invalid one.
fn of_utf16(order: ByteOrder, src: &[u8]) -> String {
    let units = src.chunks_exact(2).map(|pair| match order {
        ByteOrder::Big => u16::from_be_bytes([pair[0], pair[1]]),
        ByteOrder::Little => u16::from_le_bytes([pair[0], pair[1]]),
    });
    char::decode_utf16(units).map_while(Result::ok).collect()
}

fn in_utf16(order: ByteOrder, text: &str) -> Vec<u8> {
    let octets = |unit: u16| if order == ByteOrder::Big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    text.encode_utf16().flat_map(octets).collect()
}

/// Checks the kernels of mixed pages by the scalar ones.
fn mixed(isa: Isa, src: &[u8], len: usize) {
    let what = |kernel: &str| format!("{kernel} by {}", isa.name());
    // Each lane has three bytes and a length, which is seldom a bad one, and seldom flags.
    let lanes_of = |flags: u32| {
        let lane = |four: &[u8; 4]| {
            let lane = match u32::from_le_bytes(*four) {
                lane if lane >> 30 == 3 => lane & flags,
                lane => lane & 0xFF_FFFF | (1 + (lane >> LEN) % 3) << LEN,
            };
            // The bytes after those that count are 0.
            let count = (lane >> LEN & 7).min(3);
            lane & !(0xFF_FFFF >> (8 * count) << (8 * count))
        };
        src.as_chunks().0.iter().map(lane).collect::<Vec<u32>>()
    };
    let text = lanes_of(u32::MAX);
    let mut buffer = GuardedBuffer::new(len);
    let (done, written) = lanes::text(isa, &text, buffer.writable());
    let mut expected = vec![0; 4 * text.len() + 4];
    let (all, len_of_it) = lanes::text(Isa::Scalar, &text[..done], &mut expected);
    assert_eq!((all, len_of_it), (done, written), "{}", what("text"));
    buffer.check(written, &expected[..written], &what("text"));

    let codes = lanes_of(7 << LEN | MAY_GO_ON | FOLLOWS | 0xFF_FFFF);
    for shifts in [None, Some(Shifts { out: 0x0E, back: 0x0F })] {
        let (mut is_double, mut expected_double) = (false, false);
        let mut buffer = GuardedBuffer::new(len);
        let (done, written) = lanes::codes(isa, &codes, shifts, &mut is_double, buffer.writable());
        let mut expected = vec![0; 5 * codes.len() + 8];
        // The lane after the last one only shows what follows.
        let seen = &codes[..codes.len().min(done + 1)];
        let found = lanes::codes(Isa::Scalar, seen, shifts, &mut expected_double, &mut expected);
        assert_eq!((found, expected_double), ((done, written), is_double), "{}", what("codes"));
        buffer.check(written, &expected[..written], &what("codes"));
    }

    let shifts = Shifts { out: 0x0E, back: 0x0F };
    for is_double in [false, true] {
        let (mut units, mut expected) = ([0; 64], [0; 64]);
        let split = lanes::split(isa, shifts, is_double, src, &mut units);
        assert_eq!(split, lanes::split(Isa::Scalar, shifts, is_double, src, &mut expected), "{}", what("split"));
        let count = split.firsts.count_ones() as usize;
        assert_eq!(units[..count], expected[..count], "{}", what("split"));
    }

    // Parts of codes are frequent.
    const BYTES: &[u8; 16] = b"\x1B$B\x1B(B~{a0~}@0J\0";
    let parts: Vec<u8> = src.iter().map(|byte| BYTES[usize::from(byte & 0xF)]).collect();
    let three = Escapes { first: 0x1B, out: b'$', back: b'(', last: Some([b'B', b'@']) };
    let two = Escapes { first: b'~', out: b'{', back: b'}', last: None };
    for (escapes, is_double) in [(three, false), (three, true), (two, false), (two, true)] {
        let (mut units, mut expected) = ([0; 64], [0; 64]);
        let split = lanes::split_escapes(isa, escapes, is_double, &parts, &mut units);
        let found = lanes::split_escapes(Isa::Scalar, escapes, is_double, &parts, &mut expected);
        assert_eq!(split, found, "{}", what("split_escapes"));
        let count = split.firsts.count_ones() as usize;
        assert_eq!(units[..count], expected[..count], "{}", what("split_escapes"));
    }
}

/// Checks the kernels of pages with pairs and without shift codes by the scalar ones.
fn pairs(isa: Isa, src: &[u8], len: usize) {
    let what = |kernel: &str| format!("{kernel} by {}", isa.name());
    // The leads of GBK, Shift_JIS and EUC-JP, and a set that the input chooses.
    let chosen = |byte: u8| src.first().is_some_and(|first| byte.wrapping_mul(first | 1) & 0x30 == 0);
    let sets: [&dyn Fn(u8) -> bool; 4] = [
        &|byte| (0x81..=0xFE).contains(&byte),
        &|byte| (0x81..=0x9F).contains(&byte) || (0xE0..=0xFC).contains(&byte),
        &|byte| (0xA1..=0xFE).contains(&byte) || byte == 0x8E,
        &chosen,
    ];
    for is_lead in sets {
        let leads = Leads::new(is_lead);
        let (mut units, mut expected) = ([0; 64], [0; 64]);
        let split = lanes::split_pairs(isa, &leads, src, &mut units);
        assert_eq!(split, lanes::split_pairs(Isa::Scalar, &leads, src, &mut expected), "{}", what("split_pairs"));
        let count = split.firsts.count_ones() as usize;
        assert_eq!(units[..count], expected[..count], "{}", what("split_pairs"));
    }

    // A code of one byte every now and then, and seldom none.
    let code = |pair: &[u8; 2]| if pair[0] < 0x40 { u16::from(pair[1]) } else { u16::from_be_bytes(*pair) };
    let codes: Vec<u16> = src.as_chunks().0.iter().map(code).collect();
    let mut buffer = GuardedBuffer::new(len);
    let (done, written) = lanes::short_codes(isa, &codes, buffer.writable());
    let mut expected = vec![0; 2 * codes.len() + 8];
    let found = lanes::short_codes(Isa::Scalar, &codes[..done], &mut expected);
    assert_eq!(found, (done, written), "{}", what("short_codes"));
    buffer.check(written, &expected[..written], &what("short_codes"));
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let len = usize::from(choices.byte()) * 3;
    let page = choices.one(&PAGES);
    let padding = choices.byte();
    let repeat = 1 + usize::from(choices.byte()) % 16;
    let skip = usize::from(choices.byte()) % 64;
    // Repeated, so that there are whole blocks, and starting anywhere, so that their alignment varies.
    let src = choices.payload().repeat(repeat);
    let src = src.get(skip..).unwrap_or_default();
    let lossy = String::from_utf8_lossy(src);
    let text: &str = &lossy;
    let valid = src.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let in_page: String = src.iter().filter_map(|byte| page.chars[usize::from(*byte)]).collect();

    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let what = |kernel: &str| format!("{kernel} by {}", isa.name());

        let mut buffer = GuardedBuffer::new(len);
        let copied = utf8::copy(isa, src, buffer.writable());
        assert!(valid.is_char_boundary(copied));
        let front = &src[..src.len().min(len)];
        assert_eq!(utf8::is_valid(isa, front), std::str::from_utf8(front).is_ok(), "{}", what("is_valid"));
        buffer.check(copied, &valid.as_bytes()[..copied], &what("copy"));

        let table = Translation::new(|byte| page.bytes.get(&char::from(byte)).copied());
        let mut buffer = GuardedBuffer::new(len);
        let translated = bytes::translate(isa, &table, src, buffer.writable());
        let fits = src.len().min(len);
        let expected = src[..fits].iter().map_while(|byte| page.bytes.get(&char::from(*byte)).copied());
        buffer.check(translated, &expected.collect::<Vec<_>>(), &what("translate"));

        let padded = src.iter().rev().take_while(|byte| **byte == padding).count();
        assert_eq!(bytes::padding_len(isa, src, padding), padded, "{}", what("padding"));

        let mut buffer = GuardedBuffer::new(len);
        let (read, written) = single_byte::decode(isa, &page.to_utf8, src, buffer.writable());
        let expected: Option<String> = src[..read].iter().map(|byte| page.chars[usize::from(*byte)]).collect();
        buffer.check(written, expected.expect("only characters").as_bytes(), &what(page.codec.name()));

        for text in [text, &in_page] {
            let mut buffer = GuardedBuffer::new(len);
            let (read, written) = single_byte::encode(isa, &page.from_utf8, text, buffer.writable());
            let expected: Option<Vec<u8>> = text[..read].chars().map(|ch| page.bytes.get(&ch).copied()).collect();
            buffer.check(written, &expected.expect("only what the page has"), &what(page.codec.name()));
        }
    }

    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        mixed(isa, src, len);
        pairs(isa, src, len);
        for order in ByteOrder::ALL {
            let mut buffer = GuardedBuffer::new(len);
            let (read, written) = utf16::to_utf8(isa, order, src, buffer.writable());
            buffer.check(written, of_utf16(order, &src[..read]).as_bytes(), &format!("from UTF-16, {isa:?}"));
            for bmp_only in [false, true] {
                let mut buffer = GuardedBuffer::new(len);
                let (read, written) = utf16::from_utf8(isa, order, bmp_only, text, buffer.writable());
                assert!(!bmp_only || text[..read].chars().all(|ch| ch <= '\u{FFFF}'));
                buffer.check(written, &in_utf16(order, &text[..read]), &format!("to UTF-16, {isa:?}"));
            }
            let units = in_utf16(order, text);
            let mut buffer = GuardedBuffer::new(len);
            let (read, written) = utf16::to_utf8(isa, order, &units, buffer.writable());
            buffer.check(
                written,
                of_utf16(order, &units[..read]).as_bytes(),
                &format!("from well-formed UTF-16, {isa:?}"),
            );
        }
        for order in OctetOrder::ALL {
            let in_utf32 = |text: &str| text.chars().flat_map(|ch| order.write(ch.into())).collect::<Vec<u8>>();
            for src in [src.to_vec(), in_utf32(text)] {
                let mut buffer = GuardedBuffer::new(len);
                let (read, written) = utf32::to_utf8(isa, order, &src, buffer.writable());
                let units = src[..read].chunks(4).map(|unit| order.read(unit.try_into().expect("whole units")));
                let expected: Option<String> = units.map(char::from_u32).collect();
                buffer.check(written, expected.expect("only characters").as_bytes(), &format!("from UTF-32, {isa:?}"));
            }
            let mut buffer = GuardedBuffer::new(len);
            let (read, written) = utf32::from_utf8(isa, order, text, buffer.writable());
            buffer.check(written, &in_utf32(&text[..read]), &format!("to UTF-32, {isa:?}"));
        }
    }

    // The codec that uses the kernels converts everything: encoding to the page and back gives the same text.
    if !in_page.is_empty() && can_encode(&*page.codec) {
        let bytes = encode(&*page.codec, &in_page);
        let job = Transcode::new().source_encoding(page.codec.name()).expect("it is registered");
        let job = job.on_malformed(OnMalformed::Fail).on_unmappable(OnUnmappable::Fail);
        let mut back = Vec::new();
        job.run(&bytes[..], &mut back).expect("encoded text can be decoded");
        let expected: String = bytes.iter().filter_map(|byte| page.chars[usize::from(*byte)]).collect();
        assert_eq!(String::from_utf8(back).expect("UTF-8"), expected);
    }
});
