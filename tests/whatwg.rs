//! The charsets of the web against encoding_rs itself: every label, every byte, every character, every pair of bytes,
//! and hostile bytes in pieces.
#![cfg(feature = "whatwg")]

mod common;

use charpipe::codec::{ByteSink, MIN_ROOM, StandIn, Stop, Utf8Sink, decode_strictly};
use charpipe::{Bom, Codec, Decoder, ErrorKind, OnMalformed, Registry, Relabel, Transcode};
use common::whole;
use encoding_rs::{DecoderResult, EncoderResult, Encoding, ISO_2022_JP};
use std::sync::Arc;

const LABELS: &str = include_str!("whatwg-labels.tsv");

/// Label and the Encoding Standard's name for it.
fn labels() -> impl Iterator<Item = (&'static str, &'static str)> {
    LABELS.lines().skip(2).map(|line| line.split_once('\t').unwrap())
}

/// Every encoding that encoding_rs runs or is read out for.
fn encodings() -> Vec<&'static Encoding> {
    let mut names: Vec<&str> = labels().map(|(_, name)| name).collect();
    names.dedup();
    names.retain(|name| !name.starts_with("UTF-") && *name != "replacement");
    names.into_iter().map(|name| Encoding::for_label(name.as_bytes()).unwrap()).collect()
}

fn codec(encoding: &'static Encoding) -> Arc<dyn Codec> {
    let codec = Registry::builtin().codec(encoding.name()).unwrap();
    assert_eq!(codec.name(), encoding.name());
    codec
}

fn multi_byte() -> impl Iterator<Item = &'static Encoding> {
    encodings().into_iter().filter(|encoding| !encoding.is_single_byte())
}

/// What IANA means by a label that the web reads as a superset, and by the labels of UCS-2.
fn iana(label: &str) -> Option<&'static str> {
    Some(match label {
        "ansi_x3.4-1968" | "ascii" | "us-ascii" => "US-ASCII",
        "cp819" | "ibm819" | "csisolatin1" | "l1" | "latin1" | "iso-ir-100" => "ISO-8859-1",
        "iso-8859-1" | "iso8859-1" | "iso88591" | "iso_8859-1" | "iso_8859-1:1987" => "ISO-8859-1",
        "csisolatin5" | "l5" | "latin5" | "iso-ir-148" => "ISO-8859-9",
        "iso-8859-9" | "iso8859-9" | "iso88599" | "iso_8859-9" | "iso_8859-9:1989" => "ISO-8859-9",
        "iso-8859-11" | "iso8859-11" | "iso885911" => "ISO-8859-11",
        "tis-620" => "TIS-620",
        "utf-16" => "UTF-16",
        "csunicode" | "iso-10646-ucs-2" | "ucs-2" => "ISO-10646-UCS-2",
        _ => return None,
    })
}

#[test]
fn every_label_resolves() {
    let registry = Registry::builtin();
    let mut count = 0;
    for (label, name) in labels() {
        assert_eq!(Encoding::for_label(label.as_bytes()).unwrap().name(), name, "{label}");
        if name == "replacement" {
            let error = registry.codec(label).unwrap_err();
            assert_eq!((error.code(), error.offset()), ("unsupported-label", None), "{label}");
            assert!(matches!(error.kind(), ErrorKind::UnsupportedLabel { .. }));
        } else {
            assert_eq!(registry.codec(label).unwrap().name(), iana(label).unwrap_or(name), "{label}");
        }
        count += 1;
    }
    assert_eq!(count, 228);
    assert_eq!(encodings().len(), 36);
}

/// The names of two codecs, or a name and another's alias, are never the same label.
#[test]
fn no_label_is_claimed_twice() {
    let registry = Registry::builtin();
    for codec in registry.codecs() {
        for label in registry.labels(codec.name()) {
            assert_eq!(registry.codec(label).unwrap().name(), codec.name(), "{label}");
        }
    }
}

#[test]
fn a_document_with_an_unsupported_label_is_refused_at_its_place() {
    let outcome = whole(&Transcode::new(), b"<?xml version='1.0' encoding='ISO-2022-KR'?><a/>");
    assert_eq!(outcome.offset, Some(30));
    assert_eq!(outcome.error.as_deref(), Some("byte 30: \"ISO-2022-KR\" is not supported"));
}

#[test]
fn utf_8_and_utf_16_are_ours() {
    for (name, bytes) in [("UTF-16LE", &b"\xE9\0"[..]), ("UTF-16BE", b"\0\xE9"), ("unicode", b"\xE9\0")] {
        let job = Transcode::new().from("UTF-8").unwrap().to(name).unwrap();
        assert_eq!(whole(&job, "é".as_bytes()).output, bytes, "{name}");
    }
}

#[test]
fn single_byte_tables_are_those_of_encoding_rs() {
    for encoding in encodings().into_iter().filter(|encoding| encoding.is_single_byte()) {
        let codec = codec(encoding);
        for byte in 0..=255 {
            let expected = encoding.decode_without_bom_handling_and_without_replacement(&[byte]).map(String::from);
            assert_eq!(decode_strictly(&*codec, &[byte]), expected, "{} {byte:02X}", encoding.name());
        }
    }
}

/// All of Unicode in one go: what is written, and what cannot be.
#[test]
fn every_character_is_written_as_encoding_rs_writes_it() {
    let all: String = (0..0x110000).filter_map(char::from_u32).collect();
    for encoding in encodings() {
        let name = encoding.name();
        let (mut ours, mut theirs) = (codec(encoding).encoder().unwrap(), encoding.new_encoder());
        let (mut our_rest, mut their_rest) = (&*all, &*all);
        let (mut our_room, mut their_room) = (vec![0; 8 << 20], vec![0; 8 << 20]);
        loop {
            let mut sink = ByteSink::new(&mut our_room);
            let step = ours.feed(our_rest, &mut sink);
            let (result, read, written) =
                theirs.encode_from_utf8_without_replacement(their_rest, &mut their_room, false);
            assert_eq!((step.read, sink.as_bytes()), (read, &their_room[..written]), "{name}");
            match (step.stop, result) {
                (Stop::InputEmpty, EncoderResult::InputEmpty) => break,
                (Stop::Fault(fault), EncoderResult::Unmappable(ch)) => {
                    let told = ch == fault.ch || (encoding == ISO_2022_JP && "\x0E\x0F\x1B".contains(fault.ch));
                    assert!(told && all[..all.len() - our_rest.len() + read].ends_with(fault.ch), "{name} {ch:?}");
                }
                other => panic!("{name}: {other:?}"),
            }
            (our_rest, their_rest) = (&our_rest[read..], &their_rest[read..]);
        }
    }
}

/// One event of a decoder: text, or a fault by its place and length.
#[derive(PartialEq, Eq, Debug)]
enum Event {
    Text(String),
    Fault { at: usize, len: usize },
}

fn push(events: &mut Vec<Event>, text: &str) {
    match events.last_mut() {
        _ if text.is_empty() => {}
        Some(Event::Text(before)) => before.push_str(text),
        _ => events.push(Event::Text(text.to_owned())),
    }
}

fn theirs(encoding: &'static Encoding, bytes: &[u8]) -> Vec<Event> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut events = Vec::new();
    let mut read = 0;
    loop {
        let mut room = vec![0; 4 * bytes.len() + 64];
        let (result, more, written) = decoder.decode_to_utf8_without_replacement(&bytes[read..], &mut room, true);
        read += more;
        push(&mut events, std::str::from_utf8(&room[..written]).unwrap());
        match result {
            DecoderResult::InputEmpty => return events,
            DecoderResult::OutputFull => panic!("there is room"),
            DecoderResult::Malformed(len, after) => {
                events.push(Event::Fault { at: read - usize::from(after) - usize::from(len), len: len.into() });
            }
        }
    }
}

/// Ours, in pieces of `cuts` bytes; a copy of the decoder goes on in its place after each where `forks`.
fn ours(codec: &dyn Codec, bytes: &[u8], cuts: &[usize], room: usize, forks: bool) -> Vec<Event> {
    let mut decoder = codec.decoder();
    let mut events = Vec::new();
    let mut read = 0;
    let mut cuts = cuts.iter().cycle();
    let mut room = vec![0; room];
    while read < bytes.len() {
        let end = (read + cuts.next().unwrap()).min(bytes.len());
        loop {
            let mut sink = Utf8Sink::new(&mut room);
            let step = decoder.feed(&bytes[read..end], &mut sink);
            read += step.read;
            push(&mut events, sink.as_str());
            assert!(decoder.pending() <= read && decoder.pending() < 8);
            match step.stop {
                Stop::InputEmpty => break,
                Stop::OutputFull => assert!(step.read > 0 || sink.written() > 0),
                Stop::Fault(fault) => events.push(Event::Fault {
                    at: read - usize::from(fault.len) - usize::from(fault.after),
                    len: fault.len.into(),
                }),
            }
        }
        if forks {
            decoder = decoder.fork();
        }
    }
    finish(&mut *decoder, read, &mut events);
    decoder.reset();
    assert_eq!(decoder.pending(), 0);
    events
}

fn finish(decoder: &mut dyn Decoder, read: usize, events: &mut Vec<Event>) {
    loop {
        let mut room = [0; MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let stop = decoder.finish(&mut sink);
        push(events, sink.as_str());
        match stop {
            Stop::InputEmpty => return,
            Stop::OutputFull => {}
            Stop::Fault(fault) => events.push(Event::Fault {
                at: read - usize::from(fault.len) - usize::from(fault.after),
                len: fault.len.into(),
            }),
        }
    }
}

#[test]
fn every_pair_decodes_as_by_encoding_rs() {
    for encoding in multi_byte() {
        let codec = codec(encoding);
        let prefix: &[u8] = if encoding == ISO_2022_JP { b"\x1B$B" } else { b"" };
        for lead in 0..=255 {
            let mut all = prefix.to_vec();
            for trail in 0..=255 {
                // Between the pairs what leads back to the beginning of a character.
                all.extend_from_slice(&[lead, trail]);
                all.extend_from_slice(if prefix.is_empty() { b"\n" } else { b"!!\x1B$B" });
            }
            assert_eq!(ours(&*codec, &all, &[1 << 16], 1 << 16, false), theirs(encoding, &all), "{}", encoding.name());
        }
    }
}

/// A walk that no one chose: bytes of the kinds that matter, in pieces of all sizes, in rooms of all sizes, through
/// copies.
#[test]
fn hostile_bytes_in_any_pieces() {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % below
    };
    let shifts: [&[u8]; 7] = [b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B$@", b"\x1B$B", b"\x1B$", b"\x1B"];
    for encoding in multi_byte() {
        let codec = codec(encoding);
        for round in 0..1500 {
            let mut bytes = Vec::new();
            for _ in 0..random(if round % 10 == 0 { 400 } else { 40 }) {
                match random(8) {
                    0 => bytes.push(random(256) as u8),
                    1 => bytes.push(0x30 + random(10) as u8),
                    2 if encoding == ISO_2022_JP => bytes.extend_from_slice(shifts[random(7)]),
                    2 => bytes.push([0x80, 0x8E, 0x8F, 0xA0, 0xFF, 0x1B, b'\n'][random(7)]),
                    3 => bytes.push(0x21 + random(0x5E) as u8),
                    _ if encoding == ISO_2022_JP => bytes.push(0x21 + random(0x54) as u8),
                    _ => bytes.push(0x81 + random(0x7E) as u8),
                }
            }
            let expected = theirs(encoding, &bytes);
            for (cuts, room, forks) in [
                (vec![1 << 16], 1 << 16, false),
                (vec![1], 64, true),
                (vec![1 + random(5), 1 + random(3), random(40)], 64 + random(600), true),
                (vec![1 + random(30), random(80)], 64 + random(600), false),
            ] {
                let found = ours(&*codec, &bytes, &cuts, room, forks);
                assert_eq!(found, expected, "{} {bytes:02X?} {cuts:?} {room} {forks}", encoding.name());
            }
        }
    }
}

#[test]
fn shifts_of_iso_2022_jp() {
    let job = Transcode::new().from("UTF-8").unwrap().to("ISO-2022-JP").unwrap();
    assert_eq!(whole(&job, "a漢b¥c漢".as_bytes()).output, b"a\x1B$B4A\x1B(Bb\x1B(J\\c\x1B$B4A\x1B(B");
    // A stand-in is written in the set that has it.
    let mut encoder = codec(ISO_2022_JP).encoder().unwrap();
    let mut room = [0; 64];
    let mut sink = ByteSink::new(&mut room);
    assert_eq!(encoder.feed("漢", &mut sink).stop, Stop::InputEmpty);
    assert!(encoder.stand_in('😀', StandIn::Substitute, &mut sink));
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    assert_eq!(sink.as_bytes(), b"\x1B$B4A\x1B(B\x1A");
}

/// The offset of what the target lacks is that of its own bytes, though a fault made earlier ones be read again.
#[test]
fn an_unmappable_character_after_a_fault() {
    // 81 30 is a beginning that 81 41 does not complete: a bad byte, a digit, and a character at 3.
    let input = b"a\x81\x30\x81\x41";
    let job = Transcode::new().from("gb18030").unwrap().to("US-ASCII").unwrap().malformed(OnMalformed::Drop);
    let job = job.relabel(Relabel::Never).bom(Bom::Strip);
    assert_eq!(theirs(codec_of("gb18030"), input).len(), 3);
    for cuts in [1, 2, 3, 4, 5] {
        let outcome = common::drive(&job, input, &mut std::iter::repeat(cuts), &mut std::iter::repeat(4096), false);
        assert_eq!(outcome.offset, Some(3), "{cuts}: {outcome:?}");
    }
}

fn codec_of(name: &str) -> &'static Encoding {
    Encoding::for_label(name.as_bytes()).unwrap()
}
