//! Compares UTF-EBCDIC with a slow implementation of `spec/utf-ebcdic.md`, on scalar values and on bytes of all kinds;
//! tests its newlines, and documents that declare it.

use crate::common::vectors::rows;
use crate::common::{self, sample};

use charpipe::codec::{ByteSink, Malformed, Stop, Utf8Sink, is_ebcdic};
use charpipe::{Eol, OnMalformed, Registry, Transcode};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Step 2, from the table in `spec/`.
static BYTES: LazyLock<HashMap<u8, u8>> = LazyLock::new(|| {
    rows("utf-ebcdic-bytes.tsv").iter().map(|row| (row.bytes("i8")[0], row.bytes("byte")[0])).collect()
});

/// Does steps 1 and 2, by writing out the bits.
fn slow_sequence(ch: char) -> Vec<u8> {
    let (code, mut bits) = (ch as u32, format!("{:b}", ch as u32));
    let i8: Vec<String> = if code < 0xA0 {
        vec![format!("{code:08b}")]
    } else {
        let len = [0x400, 0x4000, 0x4_0000, 0x11_0000].iter().position(|bound| code < *bound).unwrap() + 2;
        bits = format!("{bits:0>width$}", width = 7 - len + 5 * (len - 1));
        let (lead, trail) = bits.split_at(7 - len);
        let trail = trail.as_bytes().chunks(5).map(|five| format!("101{}", str::from_utf8(five).unwrap()));
        std::iter::once(format!("{}0{lead}", "1".repeat(len))).chain(trail).collect()
    };
    i8.iter().map(|byte| BYTES[&u8::from_str_radix(byte, 2).unwrap()]).collect()
}

fn scalars() -> impl Iterator<Item = char> {
    (0..0x11_0000).filter_map(char::from_u32)
}

/// Packs up to seven bytes into a number that is unique for each sequence. As a key it is much faster than a `Vec`.
fn key(bytes: &[u8]) -> u64 {
    assert!(bytes.len() < 8);
    bytes.iter().fold(1, |key, byte| key << 8 | u64::from(*byte))
}

/// All sequences and all their proper prefixes, as keys.
struct Sequences {
    whole: HashMap<u64, char>,
    beginnings: HashSet<u64>,
}

static SEQUENCES: LazyLock<Sequences> = LazyLock::new(|| {
    let (mut whole, mut beginnings) = (HashMap::new(), HashSet::new());
    for ch in scalars() {
        let sequence = slow_sequence(ch);
        for len in (1..sequence.len()).rev() {
            if !beginnings.insert(key(&sequence[..len])) {
                break;
            }
        }
        assert!(whole.insert(key(&sequence), ch).is_none(), "the sequence of {ch:?} is already in use");
    }
    Sequences { whole, beginnings }
});

/// Decodes bytes to characters, or the lengths of malformed sequences.
fn slow_decode(mut bytes: &[u8]) -> Vec<Result<char, u8>> {
    let Sequences { whole, beginnings } = &*SEQUENCES;
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let len = (1..bytes.len()).find(|len| !beginnings.contains(&key(&bytes[..*len]))).unwrap_or(bytes.len());
        let (result, len) = match whole.get(&key(&bytes[..len])) {
            Some(ch) => (Ok(*ch), len),
            // The byte that does not continue the sequence is not part of it.
            None if len > 1 && !beginnings.contains(&key(&bytes[..len])) => (Err(len as u8 - 1), len - 1),
            None => (Err(len as u8), len),
        };
        found.push(result);
        bytes = &bytes[len..];
    }
    found
}

fn decode(bytes: &[u8]) -> Vec<Result<char, u8>> {
    let codec = Registry::builtin().codec("UTF-EBCDIC").unwrap();
    let mut decoder = codec.decoder();
    let mut found = Vec::new();
    let mut rest = bytes;
    loop {
        let mut buffer = [0; 64];
        let mut sink = Utf8Sink::new(&mut buffer);
        let (read, stop) = match rest {
            [] => (0, decoder.finish(&mut sink)),
            _ => {
                let step = decoder.feed(rest, &mut sink);
                (step.read, step.stop)
            }
        };
        found.extend(sink.as_str().chars().map(Ok));
        let ended = rest.is_empty();
        rest = &rest[read..];
        match stop {
            Stop::InputEmpty if ended => return found,
            Stop::Fault(Malformed { len, after: 0 }) => found.push(Err(len)),
            Stop::InputEmpty | Stop::OutputFull => {}
            stop => panic!("{stop:?}"),
        }
    }
}

#[test]
fn every_scalar_value_is_encoded_as_in_the_report_and_round_trips() {
    let codec = Registry::builtin().codec("UTF-EBCDIC").unwrap();
    let text: String = sample::scalars("UTF-EBCDIC").collect();
    let expected: Vec<u8> = sample::scalars("UTF-EBCDIC").flat_map(slow_sequence).collect();
    let mut bytes = vec![0; expected.len()];
    let mut sink = ByteSink::new(&mut bytes);
    assert_eq!(codec.encoder().unwrap().feed(&text, &mut sink).stop, Stop::InputEmpty);
    assert!(sink.as_bytes() == expected);
    let found = decode(&bytes);
    assert!(found.into_iter().eq(sample::scalars("UTF-EBCDIC").map(Ok)));
}

/// The table of step 2 is page 1047 with its newlines exchanged, followed by the remaining bytes in ascending order.
#[test]
fn the_table_agrees_with_page_1047() {
    let page = Registry::builtin().codec("IBM1047,nl=zos").unwrap();
    let singles: Vec<u8> = (0..0xA0).map(char::from).flat_map(|ch| common::encode(&*page, &ch.to_string())).collect();
    let rest = (0..=255).filter(|byte| !singles.contains(byte));
    let expected: Vec<u8> = singles.iter().copied().chain(rest).collect();
    assert_eq!((0..=255).map(|i8| BYTES[&i8]).collect::<Vec<_>>(), expected);
}

#[test]
fn every_two_bytes_are_decoded_as_in_the_report() {
    for [first, second] in sample::pairs("UTF-EBCDIC") {
        for bytes in [&[first, second][..], &[0xC1, first, second, 0xC2]] {
            assert_eq!(decode(bytes), slow_decode(bytes), "{bytes:02X?}");
        }
    }
}

/// The I8 bytes at which a range begins or ends.
const EDGES: [u8; 26] = [
    0x0A, 0x41, 0x85, 0x9F, 0xA0, 0xA1, 0xA2, 0xA7, 0xA8, 0xAF, 0xB0, 0xB5, 0xB6, 0xB7, 0xB8, 0xBF, 0xC4, 0xC5, 0xE0,
    0xE1, 0xEF, 0xF0, 0xF1, 0xF8, 0xF9, 0xFA,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample::cases(4000)))]

    #[test]
    fn any_bytes_are_decoded_as_in_the_report(bytes in prop::collection::vec(prop_oneof![
        4 => prop::sample::select(EDGES.to_vec()).prop_map(|i8| BYTES[&i8]),
        1 => any::<u8>(),
    ], 0..40)) {
        prop_assert_eq!(decode(&bytes), slow_decode(&bytes));
    }
}

#[test]
fn utf_ebcdic_is_ebcdic_with_other_newlines() {
    let registry = Registry::builtin();
    for label in ["UTF-EBCDIC", "utf_ebcdic", "IBM1210", "ccsid 1210", "1210", "UTFE"] {
        assert_eq!(registry.codec(label).unwrap().name(), "UTF-EBCDIC", "{label}");
    }
    assert!(is_ebcdic(&*registry.codec("UTF-EBCDIC").unwrap()));
    // The text that 15 and 25 decode to, and the bytes that the two newlines encode to. `Å` is 8A 46 (C7 A5 in I8).
    for (label, read, written) in [
        ("UTF-EBCDIC", "\n\u{85}", *b"\x15\x25"),
        ("UTF-EBCDIC,nl=table", "\n\u{85}", *b"\x15\x25"),
        ("UTF-EBCDIC,nl=zos", "\n\u{85}", *b"\x15\x25"),
        ("UTF-EBCDIC,nl=fold", "\n\n", *b"\x15\x15"),
    ] {
        let from = Transcode::new().source_encoding(label).unwrap();
        assert_eq!(common::whole(&from, b"\x8A\x46\x15\x25").text(), format!("Å{read}"), "{label}");
        let to = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(label).unwrap().eol(Eol::Keep);
        let expected = [&b"\x8A\x46"[..], &written].concat();
        assert_eq!(common::whole(&to, "Å\n\u{85}".as_bytes()).output, expected, "{label}");
    }
}

/// In XML, byte 25 ends a line, as in other EBCDIC encodings. Byte 15 is LF in any text.
#[test]
fn a_document_that_declares_utf_ebcdic() {
    let registry = Registry::builtin();
    let codec = registry.codec("UTF-EBCDIC").unwrap();
    let document = "<?xml version=\"1.0\" encoding=\"utf-ebcdic\"?>\u{85}<a b=\"[é]\">漢字 😀</a>\n";
    let input = common::encode(&*codec, document);
    assert!(input.starts_with(b"\x4C\x6F\xA7\x94\x93"));
    let outcome = common::invariant(&Transcode::new(), &input, "to UTF-8");
    let expected = document.replace("utf-ebcdic", "UTF-8").replace('\u{85}', "\n");
    assert_eq!(outcome.text(), expected);
    // And back: the label is corrected again, and every character is encoded.
    let back = Transcode::new().target_encoding("UTF-EBCDIC").unwrap();
    let again = common::invariant(&back, expected.as_bytes(), "to UTF-EBCDIC");
    assert_eq!(again.error, None);
    assert_eq!(common::whole(&Transcode::new(), &again.output).text(), expected);
    // The substitute.
    let replacing = Transcode::new()
        .source_encoding("UTF-8")
        .unwrap()
        .target_encoding("UTF-EBCDIC")
        .unwrap()
        .on_malformed(OnMalformed::Replace);
    assert_eq!(common::whole(&replacing, b"a\xFFb").output, b"\x81\xDD\x73\x73\x71\x82");
}
