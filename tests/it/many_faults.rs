//! Tests inputs with more faults than a report keeps. From the seventeenth on, faults are only counted and a faster way
//! replaces them; output, counts and errors must be the same as if faults were handled one by one.

use crate::common::records::{framed, shape};
use crate::common::shapes::Dice;
use crate::common::{codecs, encode, invariant};
use charpipe::codec::{ByteSink, MIN_ROOM, Malformed, Replaced, Replacement, Step, Stop, Utf8Sink};
use charpipe::{Codec, Decoder, Encoder, ErrorKind, Faults, OnMalformed, OnUnmappable, Registry, Transcode};
use std::num::NonZeroUsize;
use std::sync::Arc;

const MARK: char = char::REPLACEMENT_CHARACTER;

/// Text, and the places of malformed sequences in it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Item {
    Char(char),
    Malformed,
}

/// Decodes with a stop at every fault.
fn items(codec: &dyn Codec, input: &[u8]) -> Vec<Item> {
    let (mut decoder, mut items, mut read) = (codec.decoder(), Vec::new(), 0);
    loop {
        let mut room = [0; MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let is_over = read == input.len();
        let stop = if is_over {
            decoder.finish(&mut sink)
        } else {
            let step = decoder.feed(&input[read..], &mut sink);
            read += step.read;
            step.stop
        };
        items.extend(sink.as_str().chars().map(Item::Char));
        match stop {
            Stop::Fault(_) => items.push(Item::Malformed),
            Stop::InputEmpty if is_over => return items,
            Stop::InputEmpty | Stop::OutputFull => {}
        }
    }
}

/// What a run should do: its output, its two counts, and whether it ends in an error.
#[derive(PartialEq, Debug)]
struct Expected {
    output: Vec<u8>,
    malformed: u64,
    unmappable: u64,
    fails: bool,
}

/// Encodes item by item, as the policies say.
fn expected(codec: &dyn Codec, items: &[Item], malformed: OnMalformed, unmappable: OnUnmappable) -> Expected {
    let mut encoder = codec.encoder().unwrap();
    let mut all = Expected { output: Vec::new(), malformed: 0, unmappable: 0, fails: false };
    for item in items {
        let mut room = [0; 4 * MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let (ch, is_mark) = match item {
            Item::Char(ch) => (*ch, false),
            Item::Malformed => {
                all.malformed += 1;
                if malformed == OnMalformed::Drop {
                    continue;
                }
                (MARK, true)
            }
        };
        if let Stop::Fault(_) = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink).stop {
            match unmappable {
                _ if is_mark => assert!(encoder.encode_replacement(ch, Replacement::Substitute, &mut sink)),
                OnUnmappable::Replace => assert!(encoder.encode_replacement(ch, Replacement::Substitute, &mut sink)),
                OnUnmappable::Drop => {}
                _ => all.fails = true,
            }
            all.unmappable += u64::from(!is_mark && !all.fails);
        }
        all.output.extend_from_slice(sink.as_bytes());
        if all.fails {
            break;
        }
    }
    let mut room = [0; MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let _ = encoder.finish(&mut sink);
    all.output.extend_from_slice(sink.as_bytes());
    all
}

/// Text of `len` pieces, many of which are malformed or likely to be unmappable.
fn input(codec: &dyn Codec, dice: &mut Dice, len: usize) -> Vec<u8> {
    let chars = "aé€漢\u{FFFD}я　\n".chars().map(|ch| encode(codec, ch.encode_utf8(&mut [0; 4])));
    let mut chars: Vec<Vec<u8>> = chars.filter(|bytes| !bytes.is_empty()).collect();
    if chars.is_empty() {
        // There is no encoder.
        chars.push(b"a".to_vec());
    }
    let mut input = Vec::new();
    // Stretches of one kind, so that the faster ways begin and end.
    while input.len() < len {
        let (kind, count) = (dice.below(4), dice.between(1, 90));
        for _ in 0..count {
            match kind {
                0 => input.push(dice.below(256) as u8),
                1 => input.extend(&chars[dice.below(chars.len())]),
                2 => input.extend(&chars[0]),
                _ => input.push(0xFF),
            }
        }
    }
    input
}

#[test]
fn the_run_is_that_of_the_faults_one_by_one() {
    let registry = Registry::builtin();
    let mut dice = Dice::new(7);
    for (from, to) in [
        ("UTF-8", "UTF-8"),
        ("UTF-8", "UTF-16LE"),
        ("UTF-8", "IBM037"),
        ("UTF-8", "IBM939"),
        ("UTF-8", "US-ASCII"),
        ("IBM424", "UTF-8"),
        ("IBM424,nl=zos", "UTF-8"),
        ("IBM424", "UTF-32BE"),
        ("IBM424", "IBM037"),
        ("IBM939", "UTF-8"),
        ("IBM939", "UTF-16BE"),
        ("IBM939", "windows-1252"),
        ("UTF-16LE", "UTF-8"),
        ("UTF-16LE", "ISO-8859-1"),
    ] {
        let (source, target) = (registry.codec(from).unwrap(), registry.codec(to).unwrap());
        for malformed in [OnMalformed::Replace, OnMalformed::Drop] {
            for unmappable in [OnUnmappable::Replace, OnUnmappable::Drop, OnUnmappable::Fail] {
                let input = input(&*source, &mut dice, 900);
                let name = format!("{from} to {to}, {malformed:?}, {unmappable:?}: {input:02X?}");
                let job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap();
                let job = job.kind(charpipe::Kind::Text).on_malformed(malformed).on_unmappable(unmappable);
                let job = job.ebcdic_nl(charpipe::EbcdicNl::Table).eol(charpipe::Eol::Keep);
                let outcome = invariant(&job, &input, &name);
                let expected = expected(&*target, &items(&*source, &input), malformed, unmappable);
                assert_eq!((&outcome.output, outcome.error.is_some()), (&expected.output, expected.fails), "{name}");
                let mut transcoder = job.transcoder().unwrap();
                let ended = transcoder.run(&mut &input[..], &mut std::io::sink());
                assert_eq!(ended.is_err(), expected.fails);
                let report = transcoder.report();
                let counts = (report.malformed.count, report.unmappable.count);
                assert_eq!(counts, (expected.malformed, expected.unmappable), "{name}");
                let kept = report.malformed.first.len() as u64;
                assert_eq!(kept, expected.malformed.min(Faults::<charpipe::MalformedAt>::KEPT as u64), "{name}");
            }
        }
    }
}

/// The place of an unmappable character after many replaced bytes, and the count at the error.
#[test]
fn an_error_after_many_faults() {
    for (to, faults) in [("UTF-16LE", 0), ("IBM037", 1), ("US-ASCII", 1)] {
        for malformed in [OnMalformed::Replace, OnMalformed::Drop] {
            // U+FFFD in the input is a character like any other, not one of those that stand for malformed bytes.
            for bad in ["€", "\u{FFFD}"] {
                let mut input = b"abc\x80".repeat(500);
                let at = input.len() as u64;
                input.extend(bad.as_bytes());
                input.extend(b"\x80\x80".repeat(40));
                let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(to).unwrap();
                let job = job.on_malformed(malformed).kind(charpipe::Kind::Text);
                let mut transcoder = job.transcoder().unwrap();
                let ended = transcoder.run(&mut &input[..], &mut std::io::sink());
                let offset = ended.err().and_then(|error| error.offset());
                assert_eq!(offset, (faults > 0).then_some(at), "{to} {bad}");
                let count = if faults > 0 { 500 } else { 580 };
                assert_eq!(transcoder.report().malformed.count, count, "{to} {bad} {malformed:?}");
            }
        }
    }
}

#[test]
fn records_with_many_faults() {
    let (registry, mut dice) = (Registry::builtin(), Dice::new(3));
    let source = registry.codec("IBM424").unwrap();
    for (shape_text, lrecl) in [("fb:10", 10), ("rdw", 0)] {
        let records: Vec<Vec<u8>> = (0..120)
            .map(|_| {
                let len = if lrecl > 0 { lrecl } else { dice.below(14) };
                // Spaces and holes: the pages of Hebrew have none at 70.
                (0..len).map(|_| dice.of(&[0x40, 0x40, 0x70, 0xC1, 0xC2])).collect()
            })
            .collect();
        let input = framed(&shape(shape_text), &records);
        for malformed in [OnMalformed::Replace, OnMalformed::Drop] {
            let job = Transcode::new().source_encoding("IBM424").unwrap().records(shape(shape_text));
            let job = job.on_malformed(malformed);
            let outcome = invariant(&job, &input, shape_text);
            let mut text = String::new();
            let mut count = 0;
            for record in &records {
                let items = items(&*source, record);
                let end = items.iter().rposition(|item| *item != Item::Char(' ')).map_or(0, |last| last + 1);
                for item in &items[..end] {
                    match item {
                        Item::Char(ch) => text.push(*ch),
                        Item::Malformed if malformed == OnMalformed::Replace => text.push(MARK),
                        Item::Malformed => {}
                    }
                }
                count += items.iter().filter(|item| **item == Item::Malformed).count() as u64;
                text.push('\n');
            }
            assert_eq!(outcome.text(), text, "{shape_text} {malformed:?}");
            assert_eq!(job.run(&input[..], std::io::sink()).unwrap().malformed.count, count);
        }
    }
}

/// Parts of one input, each with more faults than are kept.
#[test]
fn several_jobs() {
    let mut dice = Dice::new(11);
    for (from, to) in [("UTF-8", "UTF-8"), ("UTF-8", "IBM037"), ("IBM424", "UTF-16LE")] {
        let source = Registry::builtin().codec(from).unwrap();
        let input = input(&*source, &mut dice, 60_000);
        let job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap();
        let job = job.on_malformed(OnMalformed::Replace).on_unmappable(OnUnmappable::Replace);
        let run = |job: &Transcode| {
            let mut output = Vec::new();
            let report = job.run(&input[..], &mut output).unwrap();
            (output, report.malformed, report.unmappable)
        };
        let jobs = job.clone().jobs(NonZeroUsize::new(3).unwrap()).block_bytes(4096);
        assert!(run(&job) == run(&jobs), "{from} to {to}");
    }
}

/// The result of decoding `input` with pieces and rooms of any size: by `feed_replacing`, or fault by fault.
fn decoded(codec: &dyn Codec, input: &[u8], dice: Option<&mut Dice>, replacement: Option<char>) -> (String, u64) {
    let Some(dice) = dice else {
        let items = items(codec, input);
        let count = items.iter().filter(|item| **item == Item::Malformed).count() as u64;
        let text = items.iter().filter_map(|item| match item {
            Item::Char(ch) => Some(*ch),
            Item::Malformed => replacement,
        });
        return (text.collect(), count);
    };
    let (mut decoder, mut text, mut count, mut read): (Box<dyn Decoder>, _, _, _) =
        (codec.decoder(), String::new(), 0, 0);
    loop {
        let (size, len) = (dice.between(MIN_ROOM, 700), dice.below(400).min(input.len() - read));
        let mut room = vec![0; size];
        let mut sink = Utf8Sink::new(&mut room);
        let is_over = read == input.len();
        let stop = if is_over {
            decoder.finish(&mut sink)
        } else {
            let replaced = decoder.feed_replacing(&input[read..read + len], replacement, &mut sink);
            read += replaced.step.read;
            count += replaced.count;
            replaced.step.stop
        };
        text.push_str(sink.as_str());
        match stop {
            Stop::Fault(_) => {
                count += 1;
                text.extend(replacement);
            }
            Stop::InputEmpty if is_over => return (text, count),
            Stop::InputEmpty | Stop::OutputFull => {}
        }
    }
}

#[test]
fn decoders_replace_what_they_report() {
    let mut dice = Dice::new(5);
    for codec in codecs() {
        for replacement in [Some(MARK), None, Some('\u{1F600}')] {
            let input = input(&*codec, &mut dice, 1500);
            let by_one = decoded(&*codec, &input, None, replacement);
            assert_eq!(decoded(&*codec, &input, Some(&mut dice), replacement), by_one, "{}", codec.name());
        }
    }
}

/// The result of decoding all of `input` at once, with room for it: by `feed_replacing`, or by `feed`.
fn decoded_at_once(codec: &dyn Codec, input: &[u8], replacement: Option<char>, replaces: bool) -> (String, u64) {
    let (mut decoder, mut text, mut count, mut read) = (codec.decoder(), String::new(), 0, 0);
    let mut room = vec![0; 4 * input.len() + MIN_ROOM];
    loop {
        let mut sink = Utf8Sink::new(&mut room);
        let is_over = read == input.len();
        let Replaced { step, count: more } = match replaces {
            _ if is_over => Replaced { step: Step { read: 0, stop: decoder.finish(&mut sink) }, count: 0 },
            true => decoder.feed_replacing(&input[read..], replacement, &mut sink),
            false => Replaced { step: decoder.feed(&input[read..], &mut sink), count: 0 },
        };
        (read, count) = (read + step.read, count + more);
        text.push_str(sink.as_str());
        match step.stop {
            Stop::Fault(_) => {
                count += 1;
                text.extend(replacement);
            }
            Stop::InputEmpty if is_over => return (text, count),
            Stop::InputEmpty | Stop::OutputFull => {}
        }
    }
}

/// Texts so long that decoders look up characters together, with a damaged byte now and then.
#[test]
fn long_damaged_texts() {
    const TEXT: &str =
        "日本語の文章、カナと漢字。中文字符和标点，繁體中文與乂儳。가나다라 한국어 ascii, more of it, 123\nｱｲｳΩЯ丂\n";
    let mut dice = Dice::new(13);
    for codec in codecs() {
        let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(codec.name());
        let Ok(job) = job else { continue };
        let mut source = Vec::new();
        let text = TEXT.repeat(300);
        if job.on_unmappable(OnUnmappable::Drop).run(text.as_bytes(), &mut source).is_err()
            || ["漢", "가"].iter().all(|text| encode(&*codec, text).is_empty())
        {
            continue;
        }
        for (gap, replacement) in [(20, None), (300, Some(MARK)), (2000, Some('?'))] {
            let mut input = source.clone();
            for _ in 0..input.len() / gap {
                let at = dice.below(input.len());
                match dice.below(4) {
                    0 => drop(input.remove(at)),
                    1 => input.insert(at, dice.of(&[0xFF, 0x80, 0x8E, 0x1B, 0x0E, 0x7E, 0x30])),
                    2 => input[at] = 0xFF,
                    _ => input[at] = dice.below(256) as u8,
                }
            }
            let by_one = decoded(&*codec, &input, None, replacement);
            for replaces in [false, true] {
                let at_once = decoded_at_once(&*codec, &input, replacement, replaces);
                assert!(at_once == by_one, "{}: {gap} {replaces}", codec.name());
            }
        }
    }
}

/// The result of encoding `text`: by `feed_replacing` in pieces and rooms of any size, or fault by fault.
fn encoded(
    codec: &dyn Codec,
    text: &str,
    mut dice: Option<&mut Dice>,
    replacement: Option<Replacement<'static>>,
) -> Option<(Vec<u8>, u64)> {
    let mut encoder: Box<dyn Encoder> = codec.encoder()?;
    let (mut bytes, mut count, mut read) = (Vec::new(), 0, 0);
    loop {
        let mut room = vec![0; dice.as_mut().map_or(2 * MIN_ROOM, |dice| dice.between(2 * MIN_ROOM, 700))];
        let mut sink = ByteSink::new(&mut room);
        let is_over = read == text.len();
        let stop = match &mut dice {
            _ if is_over => encoder.finish(&mut sink),
            Some(dice) => {
                let mut end = (read + dice.below(400)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let replaced = encoder.feed_replacing(&text[read..end], replacement, &mut sink);
                read += replaced.step.read;
                count += replaced.count;
                replaced.step.stop
            }
            None => {
                let step = encoder.feed(&text[read..], &mut sink);
                read += step.read;
                step.stop
            }
        };
        bytes.extend_from_slice(sink.as_bytes());
        match stop {
            Stop::Fault(fault) => {
                count += 1;
                let mut sink = ByteSink::new(&mut room);
                if let Some(which) = replacement {
                    encoder.encode_replacement(fault.ch, which, &mut sink);
                }
                bytes.extend_from_slice(sink.as_bytes());
            }
            Stop::InputEmpty if is_over => return Some((bytes, count)),
            Stop::InputEmpty | Stop::OutputFull => {}
        }
    }
}

#[test]
fn encoders_replace_what_they_report() {
    let mut dice = Dice::new(9);
    for codec in codecs() {
        let mut text = String::new();
        while text.len() < 1500 {
            let (kind, count) = (dice.below(3), dice.between(1, 60));
            for _ in 0..count {
                text.push(match kind {
                    0 => dice.of(&['a', 'é', 'я', '€', '漢', '😀', '\u{FFFD}', '\u{1A}', '\u{E000}', '\u{530}']),
                    1 => 'a',
                    _ => dice.of(&['€', '\u{E000}']),
                });
            }
        }
        for replacement in [None, Some(Replacement::Substitute), Some(Replacement::Text("?"))] {
            let by_one = encoded(&*codec, &text, None, replacement);
            assert_eq!(encoded(&*codec, &text, Some(&mut dice), replacement), by_one, "{}", codec.name());
        }
    }
}

/// ASCII, in which `!` makes the decoder break its contract. Every other byte is malformed.
#[derive(Clone, Copy)]
struct Liar {
    /// It counts more faults than there are bytes. If not, it says that it read more than there is.
    miscounts: bool,
}

impl Codec for Liar {
    fn name(&self) -> &str {
        "X-LIAR"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(*self)
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        None
    }
}

impl Decoder for Liar {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let end = src.iter().position(|byte| *byte == b'!').unwrap_or(src.len());
        let read = dst.push_ascii(&src[..end]);
        match src.get(read) {
            None => Step { read, stop: Stop::InputEmpty },
            Some(b'!') if read == 0 && !self.miscounts => Step { read: src.len() + 1, stop: Stop::InputEmpty },
            Some(_) if dst.room() == 0 || read > 0 => Step { read, stop: Stop::OutputFull },
            Some(_) => Step { read: 1, stop: Stop::Fault(Malformed { len: 1, after: 0 }) },
        }
    }

    fn feed_replacing(&mut self, src: &[u8], _: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        let count = if self.miscounts && src[0] == b'!' { 2 } else { 0 };
        Replaced { step: self.feed(src, dst), count }
    }

    fn finish(&mut self, _: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(*self)
    }

    fn pending(&self) -> usize {
        0
    }
}

/// Good output before the breach is delivered, and counted.
#[test]
fn a_codec_that_lies_while_it_replaces() {
    let input = [&b"\xFFab".repeat(30)[..], b"c!d"].concat();
    for miscounts in [false, true] {
        let mut registry = Registry::builtin();
        registry.register(Arc::new(Liar { miscounts }), &[]).unwrap();
        let job = Transcode::new().registry(registry).source_encoding("X-LIAR").unwrap();
        for malformed in [OnMalformed::Replace, OnMalformed::Drop] {
            let job = job.clone().on_malformed(malformed).kind(charpipe::Kind::Text);
            for target in ["UTF-8", "UTF-16LE"] {
                let mut transcoder = job.clone().target_encoding(target).unwrap().transcoder().unwrap();
                let mut output = Vec::new();
                let error = transcoder.run(&mut &input[..], &mut output).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Codec { offset: 91 | 92, .. }), "{error}");
                let mark = if malformed == OnMalformed::Replace { "\u{FFFD}" } else { "" };
                let text = format!("{mark}ab").repeat(30) + "c";
                let bytes = if target == "UTF-8" { text.into_bytes() } else { utf16(&text) };
                assert_eq!(output, bytes, "{target} {malformed:?}");
                assert_eq!(transcoder.report().malformed.count, 30);
            }
        }
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}
