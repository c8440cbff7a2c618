//! Tests that the tables and encoding_rs give the same results.

use super::multi_byte::MultiByte;
use super::plain::Plain;
use crate::arch::{is_full, tried};
use crate::codec::dice::Dice;
use crate::codec::{ByteSink, Codec, Decoder, Replaced, Stop, Utf8Sink};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS};
use std::sync::Arc;

/// The encodings with plain characters.
const PLAIN: [&Encoding; 6] = [SHIFT_JIS, EUC_JP, EUC_KR, GBK, GB18030, BIG5];

/// Those that are also encoded with tables.
const ENCODED: [&Encoding; 7] = [SHIFT_JIS, EUC_JP, EUC_KR, GBK, GB18030, BIG5, ISO_2022_JP];

/// The codec, with tables after this many bytes.
fn with_tables_after(encoding: &'static Encoding, enough: usize) -> MultiByte {
    MultiByte { encoding, plain: Arc::new(Plain::new(encoding, enough)), triples: None }
}

/// A codec with the tables of another one after this many bytes.
fn with_tables_of(codec: &MultiByte, enough: usize) -> MultiByte {
    MultiByte { encoding: codec.encoding, plain: Arc::new(Plain::sharing(&codec.plain, enough)), triples: None }
}

/// The codec that never has tables: encoding_rs itself.
fn without_tables(encoding: &'static Encoding) -> MultiByte {
    with_tables_after(encoding, usize::MAX)
}

/// Encodes pieces of at most this many bytes, with this much room; returns the bytes, and the place of each fault in
/// the text and in the bytes.
fn encoded(codec: &MultiByte, text: &str, piece: usize, room: usize) -> (Vec<u8>, Vec<(usize, usize, char)>) {
    let (mut encoder, mut room) = (codec.encoder().unwrap(), vec![0; room]);
    let (mut bytes, mut faults, mut read) = (Vec::new(), Vec::new(), 0);
    while read < text.len() {
        let end = (read + piece..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
        while read < end {
            let mut sink = ByteSink::new(&mut room);
            let step = encoder.feed(&text[read..end], &mut sink);
            bytes.extend(sink.as_bytes());
            read += step.read;
            if let Stop::Fault(fault) = step.stop {
                faults.push((read, bytes.len(), fault.ch));
            }
        }
    }
    (bytes, faults)
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn every_character_is_encoded_as_without_tables() {
    let all = || (0..0x11_0000).filter_map(char::from_u32);
    let step = if is_full() { 1 } else { 5 * 256 / tried(256) as u32 };
    let sampled = all().filter(|ch| (*ch as u32).is_multiple_of(step) || *ch < '\u{3100}');
    // In a row, where all that has no code of two bytes ends a batch; and between plain characters. Of what is above
    // the second supplementary plane, an encoding has everything, by arithmetic, or nothing.
    let far = if is_full() { 1 } else { 61 };
    let near = if tried(2) == 2 { '\u{30000}' } else { '\u{10400}' };
    let row: String = all().filter(|ch| (*ch as u32).is_multiple_of(far) || *ch < near).collect();
    let among: String = sampled.flat_map(|ch| ['あ', 'a', ch]).collect();
    for encoding in ENCODED {
        for text in [&row, &among] {
            // It has nothing of what is above the first plane, and each fault takes it a while.
            let end = text.find(|ch| encoding == ISO_2022_JP && ch > '\u{FFFF}').unwrap_or(text.len());
            let text = &text[..end];
            let expected = encoded(&without_tables(encoding), text, 1 << 16, 1 << 16);
            // In pieces of 60 bytes, one by one.
            for piece in [1 << 16, 60] {
                let made = encoded(&with_tables_after(encoding, 0), text, piece, 1 << 16);
                assert!(made == expected, "{encoding:?} {piece}");
            }
        }
    }
}

/// A text with words of ASCII, plain characters of all lengths, and others among them.
fn random_text(dice: &mut Dice, len: usize) -> String {
    let mut text = String::new();
    while text.len() < len {
        let (from, range) = match dice.below(12) {
            0..3 => (0x4E00, 0x5200),
            3 => (0x3041, 0xB0),
            4 => (0xAC00, 0x2BA4),
            5 => (0xFF01, 0xA0),
            6 => (0x391, 0xC0),
            7 => (0xA0, 0x60),
            8 => (0x2000, 0x300),
            9 if dice.below(4) == 0 => (0x1F300, 0x400),
            10 if dice.below(4) == 0 => (0, 0x2_FFFF),
            // What ISO-2022-JP has in another set, and what it lacks.
            11 if dice.below(4) == 0 => (0xA5, 1),
            11 if dice.below(4) == 0 => (0xE, 2),
            _ => (0x20, 0x5F),
        };
        text.extend((0..dice.below(30)).filter_map(|_| char::from_u32(from + dice.below(range) as u32)));
    }
    text
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn random_text_is_encoded_as_without_tables() {
    let mut dice = Dice::new();
    for encoding in ENCODED {
        let (plain, codec) = (without_tables(encoding), with_tables_after(encoding, 0));
        let count = if encoding == ISO_2022_JP { 5_000 } else { 20_000 };
        for _ in 0..tried(if is_full() { count } else { 300 }) {
            let len = dice.below(1500);
            let text = random_text(&mut dice, len);
            let (piece, room) = (1 + dice.below(700), 16 + dice.below(900));
            let expected = encoded(&plain, &text, usize::MAX / 2, 1 << 16);
            assert_eq!(encoded(&codec, &text, usize::MAX / 2, 1 << 16), expected, "{encoding:?} {text:?}");
            assert_eq!(encoded(&codec, &text, piece, room), expected, "{encoding:?} {piece} {room} {text:?}");
        }
    }
}

/// Text of ISO-2022-JP with escape sequences put in anywhere, and other damage.
#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn damaged_iso_2022_jp_is_decoded_as_without_tables() {
    const PARTS: [&[u8]; 16] = [
        b"\x1B(B",
        b"\x1B(J",
        b"\x1B(I",
        b"\x1B$B",
        b"\x1B$@",
        b"\x1B",
        b"\x1B$",
        b"\x0E",
        b"\x0F",
        b"\x80",
        b"\n",
        b"\x7F",
        b"\0",
        b"\0!",
        b"$\"",
        b"plain text of some length, longer than a block of sixty-four bytes, and then more of it",
    ];
    let (plain, tabled) = (without_tables(ISO_2022_JP), with_tables_after(ISO_2022_JP, 0));
    let mut dice = Dice::new();
    for _ in 0..tried(if is_full() { 100_000 } else { 1000 }) {
        let most = [100, 700][dice.below(2)];
        let (mut bytes, len) = (Vec::new(), dice.below(most));
        while bytes.len() < len {
            match dice.below(3) {
                0 => bytes.extend((0..2 * dice.below(30)).map(|_| 0x21 + dice.below(0x54) as u8)),
                1 => bytes.extend(b"\x1B$B$\"$$\x1B(B a "),
                _ => bytes.extend(PARTS[dice.below(PARTS.len())]),
            }
        }
        // The tables come in somewhere, or are there from the beginning.
        match dice.below(2) * dice.below(700) {
            0 => assert_decoded_alike(&mut dice, &plain, &tabled, &bytes),
            enough => assert_decoded_alike(&mut dice, &plain, &with_tables_of(&tabled, enough), &bytes),
        }
        assert_eq!(value_of(&mut *tabled.decoder(), &bytes), value_of(&mut *plain.decoder(), &bytes), "{bytes:?}");
    }
}

/// Decodes a value; `None` if it has faults.
fn value_of(decoder: &mut dyn Decoder, bytes: &[u8]) -> Option<String> {
    let mut room = [0; 6000];
    let mut sink = Utf8Sink::new(&mut room);
    let is_whole = decoder.decode_whole(bytes, &mut sink);
    decoder.reset();
    is_whole.then(|| sink.as_str().to_owned())
}

/// The tables come in between at any place, whatever the pieces are.
#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn tables_for_decoding_come_in_at_any_place() {
    let mut dice = Dice::new();
    for (encoding, piece) in PLAIN.into_iter().flat_map(|encoding| [1, 70, 200].map(|piece| (encoding, piece))) {
        let bytes = damaged(&mut dice, encoding, 1000);
        let expected = decoded(&without_tables(encoding), &bytes, 1 << 16, 1 << 16);
        let tabled = with_tables_after(encoding, 0);
        for enough in (0..1000).step_by(if is_full() { 1 } else { 37 }) {
            let made = decoded(&with_tables_of(&tabled, enough), &bytes, piece, 300);
            assert_eq!(made, expected, "{encoding:?} {enough} {piece}");
        }
    }
}

/// The tables come in between at any place, whatever the pieces are.
#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn tables_for_encoding_come_in_at_any_place() {
    let text = random_text(&mut Dice::new(), 1000);
    for (encoding, piece) in ENCODED.into_iter().flat_map(|encoding| [1, 70, 200].map(|piece| (encoding, piece))) {
        let expected = encoded(&without_tables(encoding), &text, 1 << 16, 1 << 16);
        let tabled = with_tables_after(encoding, 0);
        for enough in (0..1000).step_by(if is_full() { 1 } else { 37 }) {
            let made = encoded(&with_tables_of(&tabled, enough), &text, piece, 300);
            assert_eq!(made, expected, "{encoding:?} {enough} {piece}");
        }
    }
}

/// Decodes pieces of this many bytes, with this much room; returns the text, and the place of each fault in the bytes
/// and in the text, and its length.
fn decoded(codec: &MultiByte, bytes: &[u8], piece: usize, room: usize) -> (String, Vec<(usize, usize, u8)>) {
    let (mut decoder, mut room) = (codec.decoder(), vec![0; room]);
    let (mut text, mut faults, mut read) = (String::new(), Vec::new(), 0);
    for piece in bytes.chunks(piece) {
        let is_last = read + piece.len() == bytes.len();
        let is_done = crate::codec::drive(&mut *decoder, piece, is_last, &mut room, |step| {
            text.push_str(step.text);
            read += step.read;
            if let Some(fault) = step.fault {
                faults.push((read - usize::from(fault.after), text.len(), fault.len));
            }
            true
        });
        assert!(is_done);
    }
    (text, faults)
}

/// Returns a text with `replacement` at the places of its faults.
fn filled((text, faults): &(String, Vec<(usize, usize, u8)>), replacement: Option<char>) -> String {
    let (mut filled, mut from) = (String::new(), 0);
    for (_, at, _) in faults {
        filled.push_str(&text[from..*at]);
        filled.extend(replacement);
        from = *at;
    }
    filled + &text[from..]
}

/// Decodes pieces of this many bytes, with this much room, where faults are replaced; returns the text, and how many
/// faults there were.
fn replaced(codec: &MultiByte, bytes: &[u8], piece: usize, room: usize, replacement: Option<char>) -> (String, usize) {
    let (mut decoder, mut room, mut text, mut count) = (codec.decoder(), vec![0; room], String::new(), 0);
    for mut piece in bytes.chunks(piece) {
        while !piece.is_empty() {
            let mut sink = Utf8Sink::new(&mut room);
            let Replaced { step, count: more } = decoder.feed_replacing(piece, replacement, &mut sink);
            text.push_str(sink.as_str());
            (piece, count) = (&piece[step.read..], count + more as usize);
            if let Stop::Fault(_) = step.stop {
                text.extend(replacement);
                count += 1;
            }
        }
    }
    loop {
        let mut sink = Utf8Sink::new(&mut room);
        let stop = decoder.finish(&mut sink);
        text.push_str(sink.as_str());
        match stop {
            Stop::InputEmpty => return (text, count),
            Stop::Fault(_) => {
                text.extend(replacement);
                count += 1;
            }
            _ => {}
        }
    }
}

/// Compares decoding with tables to decoding without, in pieces and at once, with faults reported and with faults
/// replaced.
fn assert_decoded_alike(dice: &mut Dice, plain: &MultiByte, codec: &MultiByte, bytes: &[u8]) {
    let encoding = plain.encoding;
    let (piece, room) = (1 + dice.below(700), 64 + dice.below(900));
    let expected = decoded(plain, bytes, usize::MAX, 1 << 16);
    assert_eq!(decoded(codec, bytes, usize::MAX, 1 << 16), expected, "{encoding:?} {bytes:?}");
    assert_eq!(decoded(codec, bytes, piece, room), expected, "{encoding:?} {piece} {room} {bytes:?}");
    let replacement = [None, Some('\u{FFFD}'), Some('?')][dice.below(3)];
    let filled = (filled(&expected, replacement), expected.1.len());
    for (piece, room) in [(usize::MAX, 1 << 16), (piece, room)] {
        assert_eq!(replaced(codec, bytes, piece, room, replacement), filled, "{encoding:?} {piece} {room} {bytes:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn values_are_decoded_as_without_tables() {
    let mut dice = Dice::new();
    for encoding in PLAIN.into_iter().chain([ISO_2022_JP]) {
        let mut decoders = [without_tables(encoding), with_tables_after(encoding, 0)].map(|codec| codec.decoder());
        let (mut whole, count) = (0, tried(if is_full() { 20_000 } else { 500 }));
        for _ in 0..count {
            let len = dice.below(100);
            // Half of them are as they were encoded.
            let bytes = match dice.below(2) {
                0 => encoding.encode(&random_text(&mut dice, len)).0.into_owned(),
                _ => damaged(&mut dice, encoding, len),
            };
            let [expected, found] = decoders.each_mut().map(|decoder| value_of(&mut **decoder, &bytes));
            assert_eq!(found, expected, "{encoding:?} {bytes:?}");
            whole += usize::from(found.is_some());
        }
        assert!(whole > count / 4, "{encoding:?}: {whole} of {count}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn every_pair_is_decoded_as_without_tables() {
    // Before ASCII and before the end of a line, at both parities; back to back; and alone amid plain text.
    let pairs = || (0..=u16::MAX).map(u16::to_be_bytes);
    let spaced: Vec<u8> = pairs().flat_map(|[a, b]| [a, b, b'x', b'y', a, b, b'\n']).collect();
    let row: Vec<u8> = pairs().flatten().collect();
    let step = if is_full() { 1 } else { 7 };
    for encoding in PLAIN {
        let (plain, codec) = (without_tables(encoding), with_tables_after(encoding, 0));
        for bytes in [&spaced, &row, &row[1..].to_vec()] {
            assert!(
                decoded(&codec, bytes, 1 << 16, 1 << 18) == decoded(&plain, bytes, 1 << 16, 1 << 18),
                "{encoding:?}"
            );
        }
        let (amid, _, _) = encoding.encode("平平a平平平b平平平平c平平平平d平平平平e平平平平f平");
        let amid: Vec<u8> = pairs().skip(0x8000).step_by(step).flat_map(|[a, b]| [&[a, b], &*amid].concat()).collect();
        assert!(decoded(&codec, &amid, 1 << 16, 1 << 18) == decoded(&plain, &amid, 1 << 16, 1 << 18), "{encoding:?}");
    }
}

/// Damages some bytes of a text in the encoding: replaced, removed and added ones, and sequences that are not plain.
fn damaged(dice: &mut Dice, encoding: &'static Encoding, len: usize) -> Vec<u8> {
    const OTHERS: [&[u8]; 12] = [
        b"\x81\x30\x81\x30",
        b"\x8F\xA2\xAF",
        b"\x88\x62",
        b"\x88\xA3",
        b"\x8B\xA2",
        b"\x80",
        b"\xFF",
        b"\x90\x30\x81\x30",
        b"\x84\x31\xA4\x37",
        b"\x8E\xB1",
        b"\xA1",
        b"\x1A",
    ];
    let text = random_text(dice, len);
    let mut bytes = encoding.encode(&text).0.into_owned();
    for _ in 0..dice.below(12) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(5) {
            0 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at, dice.below(256) as u8),
            3 => drop(bytes.splice(at..at, (0..dice.below(40)).map(|_| dice.below(256) as u8).collect::<Vec<_>>())),
            _ => drop(bytes.splice(at..at, OTHERS[dice.below(OTHERS.len())].iter().copied())),
        }
    }
    bytes
}

#[test]
#[cfg_attr(miri, ignore = "too much of it")]
fn damaged_text_is_decoded_as_without_tables() {
    let mut dice = Dice::new();
    for encoding in PLAIN {
        let (plain, codec) = (without_tables(encoding), with_tables_after(encoding, 0));
        for _ in 0..tried(if is_full() { 20_000 } else { 300 }) {
            let len = dice.below(1500);
            let bytes = damaged(&mut dice, encoding, len);
            assert_decoded_alike(&mut dice, &plain, &codec, &bytes);
        }
    }
}
