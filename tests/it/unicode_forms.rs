//! Compares UTF-16, UCS-2 and UCS-4 with a loop over code units, on texts that are long enough for the kernels: the
//! same text, and the same errors at the same positions, however the input is cut and however small the buffers.

use charpipe::codec::{ByteSink, MIN_ROOM, Stop, Utf8Sink, decode_strictly};
use charpipe::{Codec, Registry};
use proptest::prelude::*;
use std::sync::Arc;

const NAMES: [&str; 7] = [
    "UTF-16BE",
    "UTF-16LE",
    "ISO-10646-UCS-2",
    "UTF-32BE",
    "UTF-32LE",
    "X-ISO-10646-UCS-4-2143",
    "X-ISO-10646-UCS-4-3412",
];

fn is_ucs4(name: &str) -> bool {
    name.contains("32") || name.contains("UCS-4")
}

/// Returns a code unit in the form `name`.
fn bytes(name: &str, unit: u32) -> Vec<u8> {
    let [a, b, c, d] = unit.to_be_bytes();
    match name {
        "UTF-16BE" | "ISO-10646-UCS-2" => vec![c, d],
        "UTF-16LE" => vec![d, c],
        "UTF-32BE" => vec![a, b, c, d],
        "UTF-32LE" => vec![d, c, b, a],
        "X-ISO-10646-UCS-4-2143" => vec![b, a, d, c],
        "X-ISO-10646-UCS-4-3412" => vec![c, d, a, b],
        _ => unreachable!("{name}"),
    }
}

fn units(name: &str, text: &str) -> Vec<u32> {
    if is_ucs4(name) { text.chars().map(u32::from).collect() } else { text.encode_utf16().map(u32::from).collect() }
}

/// A character, or the offset and length of an error.
#[derive(PartialEq, Eq, Debug)]
enum Event {
    Char(char),
    Fault(usize, usize),
}

/// Decodes code units, with `cut` bytes of an incomplete unit after them.
fn decode_slowly(name: &str, units: &[u32], cut: usize) -> Vec<Event> {
    let width = bytes(name, 0).len();
    let mut events = Vec::new();
    let mut at = 0;
    if is_ucs4(name) {
        for unit in units {
            events.push(char::from_u32(*unit).map_or(Event::Fault(at, width), Event::Char));
            at += width;
        }
    } else {
        for result in char::decode_utf16(units.iter().map(|unit| *unit as u16)) {
            let len = result.as_ref().map_or(1, |ch| ch.len_utf16());
            events.push(result.map_or(Event::Fault(at, width), Event::Char));
            at += width * len;
        }
    }
    if cut > 0 {
        // A high surrogate before an incomplete unit is a separate error, as in the loop above.
        events.push(Event::Fault(at, cut));
    }
    events
}

/// Decodes `input` in pieces of `cuts` bytes into buffers of `buffer_sizes`, both repeated.
fn decode(codec: &dyn Codec, input: &[u8], cuts: &[usize], buffer_sizes: &[usize]) -> Vec<Event> {
    let mut decoder = codec.decoder();
    let mut events = Vec::new();
    let (mut cuts, mut buffer_sizes) = (cuts.iter().cycle(), buffer_sizes.iter().cycle());
    // For every stop with a full sink: the number of events so far, and the space left.
    let mut full = Vec::new();
    let (mut at, mut piece) = (0, 0);
    loop {
        if piece == 0 {
            piece = *cuts.next().unwrap();
        }
        let end = input.len().min(at + piece);
        let mut buffer = vec![0; *buffer_sizes.next().unwrap()];
        let mut sink = Utf8Sink::new(&mut buffer);
        let (read, stop) = if at < input.len() {
            let step = decoder.feed(&input[at..end], &mut sink);
            (step.read, step.stop)
        } else {
            (0, decoder.finish(&mut sink))
        };
        at += read;
        piece -= read.min(piece);
        events.extend(sink.as_str().chars().map(Event::Char));
        match stop {
            Stop::InputEmpty if at == input.len() && read == 0 => break,
            Stop::InputEmpty => assert!(at == end),
            Stop::OutputFull => full.push((events.len(), sink.room())),
            Stop::Fault(fault) => {
                let (len, after) = (usize::from(fault.len), usize::from(fault.after));
                events.push(Event::Fault(at - len - after, len));
            }
        }
    }
    for (next, space) in full {
        let fits = events.get(next).is_some_and(|event| matches!(event, Event::Char(ch) if ch.len_utf8() <= space));
        assert!(!fits, "OutputFull with {space} bytes left");
    }
    events
}

/// Encodes `text` in pieces of `cuts` characters into buffers of `buffer_sizes`. Unmappable characters become U+FFFD.
fn encode(codec: &dyn Codec, text: &str, cuts: &[usize], buffer_sizes: &[usize]) -> Vec<u8> {
    let mut encoder = codec.encoder().unwrap();
    let mut output = Vec::new();
    let (mut cuts, mut buffer_sizes) = (cuts.iter().cycle(), buffer_sizes.iter().cycle());
    let mut rest = text;
    while !rest.is_empty() {
        let cut = *cuts.next().unwrap();
        let end = rest.char_indices().nth(cut).map_or(rest.len(), |(at, _)| at);
        let (mut piece, after) = rest.split_at(end);
        rest = after;
        loop {
            let mut buffer = vec![0; *buffer_sizes.next().unwrap()];
            let mut sink = ByteSink::new(&mut buffer);
            let step = encoder.feed(piece, &mut sink);
            output.extend_from_slice(sink.as_bytes());
            let done = &piece[..step.read];
            let left = sink.room();
            piece = &piece[step.read..];
            match step.stop {
                Stop::InputEmpty => break assert!(piece.is_empty()),
                Stop::OutputFull => {
                    let next = piece.chars().next().unwrap();
                    let need = units(codec.name(), &next.to_string()).len() * bytes(codec.name(), 0).len();
                    assert!(left < need, "OutputFull with {left} bytes left");
                }
                Stop::Fault(fault) => {
                    assert!(done.ends_with(fault.ch) && fault.ch > '\u{FFFF}' && fault.after == 0);
                    output.extend(bytes(codec.name(), 0xFFFD));
                }
            }
        }
    }
    output
}

fn text() -> impl Strategy<Value = String> {
    let run = prop_oneof![
        "[ -~]{0,200}",
        "[ -~]{40}([ -~]{0,6}[é-ÿ]){1,40}",
        "([а-я]{1,9} ){1,30}",
        "[一-龥]{1,80}",
        "([a-z ]{0,20}[😀-🙏]){1,20}",
        "[aé€😀\u{0}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}]{1,80}",
    ];
    proptest::collection::vec(run, 1..8).prop_map(|runs| runs.concat())
}

/// Sizes of pieces or buffers: some small, some of hundreds of bytes, none 0.
fn sizes(least: usize) -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(prop_oneof![least..least + 9, least..3000usize, Just(1 << 20)], 1..6)
}

fn codec(name: &str) -> Arc<dyn Codec> {
    Registry::builtin().codec(name).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::sample::cases(300), ..Default::default() })]

    #[test]
    fn decoding_equals_a_loop_over_code_units(
        text in text(),
        bad in proptest::collection::vec((any::<usize>(), any::<u32>(), 0..32u32), 0..6),
        cut in 0..4usize,
        cuts in sizes(1),
        buffer_sizes in sizes(4),
    ) {
        for name in NAMES {
            let mut units = units(name, &text);
            for (at, unit, shift) in &bad {
                let at = at % (units.len() + 1);
                units.insert(at, if is_ucs4(name) { unit >> shift } else { 0xD800 | unit & 0x7FF });
            }
            let mut input: Vec<u8> = units.iter().flat_map(|unit| bytes(name, *unit)).collect();
            let cut = if is_ucs4(name) { cut } else { cut.min(1) };
            input.extend(std::iter::repeat_n(b'A', cut));
            let expected = decode_slowly(name, &units, cut);
            let codec = codec(name);
            prop_assert!(decode(&*codec, &input, &cuts, &buffer_sizes) == expected, "{}", name);
            prop_assert!(decode(&*codec, &input, &[usize::MAX >> 1], &[1 << 20]) == expected, "{}", name);
        }
    }

    #[test]
    fn encoding_equals_a_loop_over_code_units(text in text(), cuts in sizes(1), buffer_sizes in sizes(MIN_ROOM)) {
        for name in NAMES {
            let codec = codec(name);
            let can: String = match name {
                "ISO-10646-UCS-2" => text.replace(|ch| ch > '\u{FFFF}', "\u{FFFD}"),
                _ => text.clone(),
            };
            let expected: Vec<u8> = units(name, &can).into_iter().flat_map(|unit| bytes(name, unit)).collect();
            prop_assert!(encode(&*codec, &text, &cuts, &buffer_sizes) == expected, "{}", name);
            prop_assert!(encode(&*codec, &text, &[usize::MAX], &[1 << 20]) == expected, "{}", name);
        }
    }
}

/// libiconv's labels: the native order, and the opposite.
#[test]
fn labels_of_the_order_of_the_machine() {
    let registry = Registry::builtin();
    let decode = |label: &str, bytes: &[u8]| decode_strictly(&*registry.codec(label).unwrap(), bytes);
    let (long, short) = (u32::from('é'), 0xE9_u16);
    assert_eq!(decode("UCS-4-INTERNAL", &long.to_ne_bytes()).as_deref(), Some("é"));
    assert_eq!(decode("UCS-4-SWAPPED", &long.swap_bytes().to_ne_bytes()).as_deref(), Some("é"));
    assert_eq!(decode("UCS-2-INTERNAL", &short.to_ne_bytes()).as_deref(), Some("é"));
    assert_eq!(decode("UCS-2-SWAPPED", &short.swap_bytes().to_ne_bytes()).as_deref(), Some("é"));
}
