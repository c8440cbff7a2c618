//! Tests that every single code point, encoded in any codec without best fit, decodes to the same code point.
//! `spec/one-way.tsv` lists those that do not, and `spec/one-way.md` gives the reasons.
//!
//! `CHARPIPE_WRITE_ONE_WAY=1 cargo test -p charpipe one_way::` rewrites the list.

use crate::common::sample;
use crate::common::vectors::{code_points, hex};
use charpipe::Registry;
use charpipe::codec::{ByteSink, Codec, Encoder, MIN_ROOM, Stop, can_encode, decode_strictly, is_ebcdic};
#[cfg(feature = "whatwg")]
use charpipe::{OnUnmappable, Transcode};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// A code point, its encoded bytes, and the text that they decode to.
type Changed = (char, Vec<u8>, String);

/// The number of code points that are tried together. If a group changes, its code points are tried one by one.
const TOGETHER: usize = 128;

/// Encodes `text` without the characters that `encoder` cannot write. Returns the bytes and the encoded characters.
fn written(encoder: &mut dyn Encoder, text: &str) -> (Vec<u8>, String) {
    let mut buffer = vec![0; (text.len() + 2) * MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    let (mut read, mut kept) = (0, String::new());
    encoder.reset();
    loop {
        let is_over = read == text.len();
        let stop = if is_over {
            encoder.finish(&mut sink)
        } else {
            let step = encoder.feed(&text[read..], &mut sink);
            kept.push_str(&text[read..read + step.read]);
            read += step.read;
            step.stop
        };
        match stop {
            Stop::InputEmpty if is_over => return (sink.as_bytes().to_vec(), kept),
            Stop::InputEmpty => {}
            Stop::OutputFull => panic!("the buffer is large enough"),
            Stop::Fault(fault) => {
                let at = kept.len() - usize::from(fault.after) - fault.ch.len_utf8();
                assert_eq!(kept.remove(at), fault.ch);
            }
        }
    }
}

/// Returns the characters that do not round-trip.
fn changed(codec: &dyn Codec, chars: &[char]) -> Vec<Changed> {
    let mut encoder = codec.encoder().unwrap();
    let mut found = Vec::new();
    for some in chars.chunks(TOGETHER) {
        let (bytes, kept) = written(&mut *encoder, &String::from_iter(some));
        if decode_strictly(codec, &bytes).is_some_and(|back| back == kept) {
            continue;
        }
        for &ch in some {
            let (bytes, kept) = written(&mut *encoder, ch.encode_utf8(&mut [0; 4]));
            let back = decode_strictly(codec, &bytes).expect("encoded bytes can be decoded");
            if back != kept {
                found.push((ch, bytes, back));
            }
        }
    }
    found
}

/// Returns the characters to try. For a codec that is made from a table, these are the characters in the table, because
/// its encoder writes no others (`tests/it/tables.rs` tests that). For any other codec, they are all of Unicode. A
/// sample has only some of Unicode, but all private-use characters, because `spec/one-way.tsv` lists only those.
fn candidates(codec: &dyn Codec) -> Vec<char> {
    let Some(table) = codec.info().table() else {
        let sampled: BTreeSet<char> = sample::scalars(codec.name()).collect();
        let all = (0..0x11_0000).filter_map(char::from_u32);
        return all.filter(|ch| sampled.contains(ch) || is_private_use(*ch)).collect();
    };
    let mut chars: Vec<char> = table.mappings.iter().map(|mapping| mapping.ch).collect();
    chars.extend(table.sequences.iter().flat_map(|sequence| sequence.text.chars()));
    chars.sort_unstable();
    chars.dedup();
    chars
}

fn is_private_use(ch: char) -> bool {
    matches!(ch, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
}

#[test]
fn every_character_that_does_not_round_trip_is_listed() {
    let registry = Registry::builtin();
    let mut rows: BTreeMap<Changed, BTreeSet<&str>> = BTreeMap::new();
    for codec in registry.codecs().filter(|codec| can_encode(&***codec)) {
        for (ch, bytes, back) in changed(&**codec, &candidates(&**codec)) {
            assert!(is_private_use(ch), "{} changes U+{:04X}", codec.name(), ch as u32);
            assert!(!back.is_ascii(), "{} makes U+{:04X} ASCII", codec.name(), ch as u32);
            rows.entry((ch, bytes, back)).or_default().insert(codec.name());
        }
    }
    let mut list = "# Written by tests/it/one_way.rs.\nchar\tbytes\tback\tcodecs\n".to_owned();
    for ((ch, bytes, back), codecs) in &rows {
        let codecs = Vec::from_iter(codecs.iter().copied()).join(" ");
        writeln!(list, "{:04X}\t{}\t{}\t{codecs}", *ch as u32, hex(bytes), code_points(back)).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/one-way.tsv");
    if std::env::var_os("CHARPIPE_WRITE_ONE_WAY").is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    // If a feature is off, there are fewer codecs.
    if cfg!(all(feature = "whatwg", feature = "dos")) {
        assert!(std::fs::read_to_string(&path).unwrap() == list, "spec/one-way.tsv differs from the codecs");
    }
}

/// `nl=zos` and `nl=fold` affect only newlines. With `zos`, all of them round-trip; with `fold`, all but U+0085.
#[test]
fn another_newline_changes_newlines_only() {
    let registry = Registry::builtin();
    let chars: Vec<char> = ('\0'..='\u{FF}').collect();
    for codec in registry.codecs().filter(|codec| can_encode(&***codec) && is_ebcdic(&***codec)) {
        let of_page = changed(&**codec, &chars);
        assert_eq!(of_page, [], "{}", codec.name());
        let zos = registry.codec(&format!("{},nl=zos", codec.name())).unwrap();
        assert_eq!(changed(&*zos, &chars), [], "{}", codec.name());
        let fold = registry.codec(&format!("{},nl=fold", codec.name())).unwrap();
        let folded = changed(&*fold, &chars);
        assert!(folded.iter().all(|(ch, _, back)| (*ch, &**back) == ('\u{85}', "\n")), "{}: {folded:?}", codec.name());
    }
}

/// A character that the web's encoders write as a different character counts as an approximation.
#[test]
#[cfg(feature = "whatwg")]
fn approximations_by_encoders_of_the_web() {
    for (label, text, bytes) in [
        ("Shift_JIS", "¥‾−", &b"\\~\x81\x7C"[..]),
        ("windows-31j", "¥‾−", b"\\~\x81\x7C"),
        ("CP932", "¥‾−", b"\\~\x81\x7C"),
        ("EUC-JP", "¥‾−", b"\\~\xA1\xDD"),
        ("ISO-2022-JP", "−ｱﾞ", b"\x1B$B!]%\"!+\x1B(B"),
    ] {
        let job = || Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(label).unwrap();
        let text = format!("a漢{text}");
        for (index, ch) in text.char_indices().skip(2) {
            let input = format!("{}{ch}b", &text[..4]);
            let error = job().run(input.as_bytes(), &mut Vec::new()).unwrap_err();
            assert_eq!((error.code(), error.offset()), ("unmappable", Some(4)), "{label} {index} {ch}");
            for (policy, expected) in [
                (OnUnmappable::Xml, format!("a漢&#x{:X};b", ch as u32)),
                (OnUnmappable::Escape, format!("a漢\\u{{{:X}}}b", ch as u32)),
                (OnUnmappable::Replace, "a漢\u{1A}b".to_owned()),
                (OnUnmappable::Drop, "a漢b".to_owned()),
            ] {
                let mut out = Vec::new();
                let report = job().on_unmappable(policy).run(input.as_bytes(), &mut out).unwrap();
                let codec = Registry::builtin().codec(label).unwrap();
                assert_eq!(decode_strictly(&*codec, &out).as_deref(), Some(&*expected), "{label} {ch}");
                let first = &report.unmappable.first[0];
                assert_eq!((report.unmappable.count, first.offset, first.ch), (1, 4, ch));
            }
        }
        let mut out = Vec::new();
        let report = job().best_fit(true).run(text.as_bytes(), &mut out).unwrap();
        assert_eq!(report.unmappable.count, text.chars().count() as u64 - 2, "{label}");
        let expected = match label {
            "ISO-2022-JP" => [b"a\x1B$B4A", &bytes[3..]].concat(),
            "EUC-JP" => [b"a\xB4\xC1", bytes].concat(),
            _ => [b"a\x8A\xBF", bytes].concat(),
        };
        assert_eq!(out, expected, "{label}");
    }
}

/// ISO-2022-JP has a yen sign and an overline, in the Roman set of JIS X 0201.
#[test]
#[cfg(feature = "whatwg")]
fn the_roman_set_of_iso_2022_jp() {
    let codec = Registry::builtin().codec("ISO-2022-JP").unwrap();
    let signs = ['¥', '‾', '\\', '~', 'a', '\n', '漢', 'é'];
    for (a, b, c) in signs.iter().flat_map(|a| signs.iter().flat_map(move |b| signs.map(|c| (*a, *b, c)))) {
        let (bytes, kept) = written(&mut *codec.encoder().unwrap(), &String::from_iter([a, b, c]));
        assert_eq!(decode_strictly(&*codec, &bytes), Some(kept), "{a:?} {b:?} {c:?}");
    }
}
