//! Compares the charsets of the web with encoding_rs itself: labels, bytes, characters, pairs of bytes, and hostile
//! bytes in pieces.
use crate::common;

use crate::common::vectors::{Row, rows};
use crate::common::{sample, whole};
use charpipe::codec::{ByteSink, MIN_ROOM, Replacement, Stop, Utf8Sink, WebCodec, decode_strictly};
use charpipe::detect::{Policy, Severity};
use charpipe::{Bom, Codec, Decoder, Kind, OnMalformed, Registry, Relabel, Transcode};
use encoding_rs::{DecoderResult, EUC_JP, EncoderResult, Encoding, GB18030, ISO_2022_JP};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// A row of `spec/whatwg-labels.tsv`.
struct Label {
    label: &'static str,
    /// The Encoding Standard's name for it.
    web: &'static str,
    /// Our name; `None` if we refuse the label.
    codec: Option<&'static str>,
    superset: Option<&'static str>,
    xml_name: Option<&'static str>,
}

fn labels() -> impl Iterator<Item = Label> {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| rows("whatwg-labels.tsv"));
    ROWS.iter().map(|row| {
        let [codec, superset, xml_name] = ["codec", "superset", "xml_name"].map(|column| row.get(column));
        Label { label: &row["id"], web: &row["web"], codec, superset, xml_name }
    })
}

/// Returns every encoding for which we use encoding_rs or its tables.
fn encodings() -> Vec<&'static Encoding> {
    let mut names: Vec<&str> = labels().map(|row| row.web).collect();
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

#[test]
fn every_label_resolves() {
    let registry = Registry::builtin();
    let mut count = 0;
    for Label { label, web, codec, superset, xml_name } in labels() {
        assert_eq!(Encoding::for_label(label.as_bytes()).unwrap().name(), web, "{label}");
        let Some(name) = codec else {
            // Refused under the policy `whatwg`. Named by a user, they are ordinary codecs.
            assert_eq!(web, "replacement", "{label}");
            if label == "replacement" || cfg!(not(feature = "legacy")) {
                assert!(registry.codec(label).is_err(), "{label}");
            } else {
                assert!(registry.codec(label).is_ok(), "{label}");
            }
            let document = format!("<html><meta charset={label}>");
            let outcome = whole(&Transcode::new().policy(Policy::Whatwg), document.as_bytes());
            assert_eq!(outcome.offset, Some(20), "{label}: {outcome:?}");
            assert!(outcome.error.unwrap().contains("the Encoding Standard lets no document choose it"), "{label}");
            count += 1;
            continue;
        };
        let codec = registry.codec(label).unwrap();
        assert_eq!(
            (codec.name(), codec.info().read_as_superset, codec.info().xml_name),
            (name, superset, xml_name),
            "{label}"
        );
        // What we write names its encoding, and is read as that without a warning if there is a name for it.
        let written = registry.codec(xml_name.unwrap()).unwrap();
        assert_eq!(written.name(), name, "{label}");
        assert!(written.info().read_as_superset.is_none() || xml_name == Some(name), "{label}");
        count += 1;
    }
    assert_eq!(count, 228);
    assert_eq!(encodings().len(), 36);
}

/// Tests the warning and its position, for every way in which a label can be given.
#[test]
fn a_label_of_a_smaller_charset() {
    let warnings = |job: &Transcode, input: &[u8]| {
        let report = job.run(input, &mut Vec::new()).unwrap();
        let seen = report.diagnostics.iter().map(|found| (found.code, found.offset)).collect::<Vec<_>>();
        assert!(report.diagnostics.iter().all(|found| found.severity == Severity::Warning));
        seen
    };
    for Label { label, codec, superset, .. } in labels().filter(|row| !row.web.starts_with("UTF-16")) {
        if codec.is_none() {
            continue;
        }
        let document = format!("<?xml version='1.0' encoding='{label}'?><a/>");
        let mut found = warnings(&Transcode::new(), document.as_bytes());
        // `ISO_8859-2:1987` is not an EncName.
        found.retain(|(code, _)| *code != "declaration-malformed");
        assert_eq!(found, Vec::from_iter(superset.map(|_| ("superset-used", 30))), "declared {label}");

        let expected = Vec::from_iter(superset.map(|_| ("superset-used", 0)));
        let text = b"plain";
        for job in [
            Transcode::new().source_encoding(label).unwrap(),
            Transcode::new().charset(label),
            Transcode::new().fallback(label).unwrap(),
        ] {
            assert_eq!(warnings(&job, text), expected, "{label}");
            let strict = job.strict(true).run(&text[..], &mut Vec::new());
            let error = strict.err().map(|error| (error.code(), error.offset()));
            assert_eq!(error, superset.map(|_| ("superset-used", Some(0))), "{label}");
        }
    }
    // Labels in another spelling, labels that are not the web's, and a label that does not decide.
    for (label, expected) in [("EUC_KR", true), (" Gb-2312 ", true), ("CP950", false), ("CP949", false), ("949", false)]
    {
        let seen = warnings(&Transcode::new().source_encoding(label).unwrap(), b"plain");
        assert_eq!(!seen.is_empty(), expected, "{label}");
    }
    for label in ["CP51932", "csCP50220", "GBK", "CP936", "gb18030", "CP932", "UHC"] {
        assert_eq!(warnings(&Transcode::new().source_encoding(label).unwrap(), b"plain"), [], "{label}");
    }
    let seen = warnings(&Transcode::new(), b"\xEF\xBB\xBF<?xml version='1.0' encoding='Big5'?><a/>");
    assert_eq!(seen, [("bom-declaration-conflict", 33)]);
}

/// The written declaration names the superset, for any original label.
#[test]
fn the_superset_is_named_in_the_declaration() {
    for (label, name, text) in [
        ("GB2312", "GBK", "镕"),
        ("EUC-KR", "windows-949", "똠"),
        ("ks_c_5601-1987", "windows-949", "똠"),
        ("Shift_JIS", "Windows-31J", "①"),
        ("Big5", "Big5-HKSCS", "裏"),
        ("EUC-JP", "EUC-JP", "①"),
    ] {
        let document = format!("<?xml version='1.0' encoding='{label}'?><a>{text}</a>");
        let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(label).unwrap();
        let mut written = Vec::new();
        let report = job.run(document.as_bytes(), &mut written).unwrap();
        let head = format!("<?xml version='1.0' encoding='{name}'?><a>");
        assert!(written.starts_with(head.as_bytes()), "{label}: {}", String::from_utf8_lossy(&written));
        let relabelled = report.relabelled.map(|label| (label.from.unwrap(), label.to));
        assert_eq!(relabelled, (label != name).then(|| (label.to_owned(), name.to_owned())));
        let read = whole(&Transcode::new(), &written);
        assert_eq!(read.text(), format!("<?xml version='1.0' encoding='UTF-8'?><a>{text}</a>"));
    }
}

/// No label belongs to two codecs.
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
fn an_unsupported_label_in_a_document_is_an_error_with_its_offset() {
    let outcome = whole(&Transcode::new(), b"<?xml version='1.0' encoding='ISO-2022-KR'?><a/>");
    assert_eq!(outcome.offset, Some(30));
    let expected = "byte 30: \"ISO-2022-KR\" is not supported: no document is read with it because of a label; name it as \
                    the source";
    assert_eq!(outcome.error.as_deref(), Some(expected));
}

#[test]
fn utf_8_and_utf_16_are_charpipes_codecs() {
    for (name, bytes) in [("UTF-16LE", &b"\xE9\0"[..]), ("UTF-16BE", b"\0\xE9"), ("unicode", b"\xE9\0")] {
        let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap();
        assert_eq!(whole(&job, "é".as_bytes()).output, bytes, "{name}");
    }
}

#[test]
fn single_byte_tables_equal_those_of_encoding_rs() {
    for encoding in encodings().into_iter().filter(|encoding| encoding.is_single_byte()) {
        let codec = codec(encoding);
        for byte in 0..=255 {
            let expected = encoding.decode_without_bom_handling_and_without_replacement(&[byte]).map(String::from);
            assert_eq!(decode_strictly(&*codec, &[byte]), expected, "{} {byte:02X}", encoding.name());
        }
    }
}

/// Leaves out the escape sequences of the set that the text is in already: encoding_rs writes them after an unmappable
/// character, as if there were a replacement in ASCII.
fn without_known_escapes(bytes: &[u8]) -> Vec<u8> {
    let (mut set, mut kept, mut rest) = (&b"\x1B(B"[..], Vec::new(), bytes);
    while let Some((&first, after)) = rest.split_first() {
        if first != 0x1B {
            kept.push(first);
            rest = after;
            continue;
        }
        let (escape, after) = rest.split_at(3);
        if escape != set {
            kept.extend_from_slice(escape);
            set = escape;
        }
        rest = after;
    }
    kept
}

/// Encodes all of Unicode in one run, with approximations, into buffers of many sizes. Compares the bytes and the
/// unmappable characters.
#[test]
fn every_character_is_encoded_as_by_encoding_rs() {
    for encoding in encodings() {
        let name = encoding.name();
        let all: String = sample::scalars(name).collect();
        let all = &*all;
        // As the codec of the web: a registry's EUC-JP writes more, as `euc_jp_writes_jis_x_0212` tests.
        let web: Arc<dyn Codec> = if encoding == EUC_JP { WebCodec::from(encoding).into() } else { codec(encoding) };
        let (mut ours, mut theirs) = (web.encoder().unwrap(), encoding.new_encoder());
        let (mut our_rest, mut their_rest) = (all, all);
        let (mut our_buffer, mut their_buffer) = (vec![0; 8 << 20], vec![0; 8 << 20]);
        let (mut written, mut expected, mut small) = (Vec::new(), Vec::new(), MIN_ROOM);
        loop {
            let (result, read, length) =
                theirs.encode_from_utf8_without_replacement(their_rest, &mut their_buffer, false);
            their_rest = &their_rest[read..];
            expected.extend_from_slice(&their_buffer[..length]);
            let fault = loop {
                small = if small < 4 * MIN_ROOM { small + 1 } else { MIN_ROOM };
                let mut sink = ByteSink::new(&mut our_buffer[..small]);
                let step = ours.feed(our_rest, &mut sink);
                our_rest = &our_rest[step.read..];
                written.extend_from_slice(sink.as_bytes());
                match step.stop {
                    Stop::InputEmpty => break None,
                    Stop::OutputFull => {}
                    Stop::Fault(fault) => {
                        let mut sink = ByteSink::new(&mut our_buffer);
                        if !ours.encode_replacement(fault.ch, Replacement::BestFit, &mut sink) {
                            break Some(fault);
                        }
                        written.extend_from_slice(sink.as_bytes());
                    }
                }
            };
            assert_eq!(our_rest.len(), their_rest.len(), "{name}");
            match (fault, result) {
                (None, EncoderResult::InputEmpty) => break,
                (Some(fault), EncoderResult::Unmappable(ch)) => {
                    let is_same = ch == fault.ch || (encoding == ISO_2022_JP && "\x0E\x0F\x1B".contains(fault.ch));
                    assert!(is_same && all[..all.len() - our_rest.len()].ends_with(fault.ch), "{name} {ch:?}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        let mut sink = ByteSink::new(&mut our_buffer);
        assert_eq!(ours.finish(&mut sink), Stop::InputEmpty);
        written.extend_from_slice(sink.as_bytes());
        let (_, _, length) = theirs.encode_from_utf8_without_replacement("", &mut their_buffer, true);
        expected.extend_from_slice(&their_buffer[..length]);
        if encoding == ISO_2022_JP {
            // encoding_rs returns to ASCII before an unmappable character. If no ASCII follows, that could not be
            // decoded.
            let back = |at: usize| expected[at..].starts_with(b"\x1B(B\x1B");
            let kept = |at: usize| !(at.saturating_sub(2)..=at).any(back);
            expected = (0..expected.len()).filter(|at| kept(*at)).map(|at| expected[at]).collect();
            expected = without_known_escapes(&expected);
            assert!(decode_strictly(&*codec(encoding), &written).is_some());
        }
        assert!(written == expected, "{name}");
    }
}

/// One event of a decoder: text, or an error with its position and length.
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
        let mut buffer = vec![0; 4 * bytes.len() + 64];
        let (result, more, written) = decoder.decode_to_utf8_without_replacement(&bytes[read..], &mut buffer, true);
        read += more;
        push(&mut events, std::str::from_utf8(&buffer[..written]).unwrap());
        match result {
            DecoderResult::InputEmpty => return events,
            DecoderResult::OutputFull => panic!("the buffer is large enough"),
            DecoderResult::Malformed(len, after) => {
                events.push(Event::Fault { at: read - usize::from(after) - usize::from(len), len: len.into() });
            }
        }
    }
}

/// Decodes with our codec in pieces of `cuts` bytes. With `forks`, a copy of the decoder takes over after each piece.
fn ours(codec: &dyn Codec, bytes: &[u8], cuts: &[usize], buffer: usize, forks: bool) -> Vec<Event> {
    let mut decoder = codec.decoder();
    let mut events = Vec::new();
    let mut read = 0;
    let mut cuts = cuts.iter().cycle();
    let mut buffer = vec![0; buffer];
    while read < bytes.len() {
        let end = (read + cuts.next().unwrap()).min(bytes.len());
        loop {
            let mut sink = Utf8Sink::new(&mut buffer);
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
        let mut buffer = [0; MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut buffer);
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
fn every_pair_is_decoded_as_by_encoding_rs() {
    for encoding in multi_byte() {
        let codec = codec(encoding);
        let prefix: &[u8] = if encoding == ISO_2022_JP { b"\x1B$B" } else { b"" };
        for lead in sample::one_in(3, encoding.name(), 0..=255) {
            let mut all = prefix.to_vec();
            for trail in 0..=255 {
                // The bytes between the pairs make sure that the next pair begins a character.
                all.extend_from_slice(&[lead, trail]);
                all.extend_from_slice(if prefix.is_empty() { b"\n" } else { b"!!\x1B$B" });
            }
            assert_eq!(ours(&*codec, &all, &[1 << 16], 1 << 16, false), theirs(encoding, &all), "{}", encoding.name());
        }
    }
}

/// Inputs with the sequences of the Encoding Standard that are longer than a pair or need a state, good and bad ones:
/// the id of a row of `spec/whatwg-sequences.tsv`, the encoding, and the input. `web/test/package.test.mjs` makes the
/// same inputs.
fn sequences() -> impl Iterator<Item = (String, &'static Encoding, Vec<u8>)> {
    let four = (0x81..=0xFE).map(|a: u8| {
        let rest = (0x30..=0x39).flat_map(|b| (0x80..=0xFF).flat_map(move |c| (0x2F..=0x3A).map(move |d| [b, c, d])));
        (format!("gb18030-{a:02x}"), GB18030, rest.flat_map(|[b, c, d]| [a, b, c, d, b'\n']).collect())
    });
    let three = (0xA0..=0xFF).map(|b: u8| {
        let input = (0x80..=0xFF).flat_map(|c| [0x8F, b, c, b' ', b' ', b'\n']);
        (format!("euc-jp-8f-{b:02x}"), EUC_JP, input.collect())
    });
    let pairs = (0x20..=0x7F).map(|a: u8| {
        let input = (0x20..=0x7F).flat_map(|b| [0x1B, b'$', b'B', a, b, 0x1B, b'(', b'B', b'\n']);
        (format!("iso-2022-jp-{a:02x}"), ISO_2022_JP, input.collect())
    });
    four.chain(three).chain(pairs)
}

/// The digests are those of what encoding_rs decodes, and the codecs decode the same.
#[test]
fn sequences_have_the_digests_of_the_vectors() {
    let digest = |text: &str| -> String {
        Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    };
    let mut lines = Vec::new();
    for (id, encoding, input) in sequences() {
        let (text, _) = encoding.decode_without_bom_handling(&input);
        if sample::is_full() || !id.starts_with("gb18030") || id.ends_with(['0', '1', '4']) {
            let job = Transcode::new().source_encoding(encoding.name()).unwrap();
            let job = job.kind(Kind::Text).on_malformed(OnMalformed::Replace);
            assert_eq!(job.decode(&input).unwrap(), text, "{id}");
        }
        lines.push(format!("{id}\t{}", digest(&text)));
    }
    let rows = rows("whatwg-sequences.tsv");
    let found: Vec<String> = rows.iter().map(|row| format!("{}\t{}", &row["id"], &row["digest"])).collect();
    assert!(found == lines, "spec/whatwg-sequences.tsv should have these rows:\n{}", lines.join("\n"));
}

/// Decodes random bytes of the kinds that matter, in pieces and buffers of many sizes, and with copies of the decoder.
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
        for round in 0..if sample::is_full() { 1500 } else { 300 } {
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
            for (cuts, buffer, forks) in [
                (vec![1 << 16], 1 << 16, false),
                (vec![1], 64, true),
                (vec![1 + random(5), 1 + random(3), random(40)], 64 + random(600), true),
                (vec![1 + random(30), random(80)], 64 + random(600), false),
            ] {
                let found = ours(&*codec, &bytes, &cuts, buffer, forks);
                assert_eq!(found, expected, "{} {bytes:02X?} {cuts:?} {buffer} {forks}", encoding.name());
            }
        }
    }
}

/// Every encoding of encoding_rs can be turned into a codec of the same name, and back. No other codec can be turned
/// into an encoding.
#[test]
fn encodings_are_codecs_and_back() {
    let mut web: Vec<&Encoding> = labels().map(|row| Encoding::for_label(row.web.as_bytes()).unwrap()).collect();
    web.dedup();
    assert_eq!(web.len(), 40);
    let bytes: Vec<u8> = (0..=255).chain(*b"\xB0\xA1\x1B$B4A\x1B(B a\xFF").collect();
    for encoding in web.iter().copied() {
        let codec = WebCodec::from(encoding);
        assert_eq!(codec.name(), encoding.name());
        assert_eq!(WebCodec::of(&codec).map(<&Encoding>::from), Some(encoding));
        for (cuts, buffer, forks) in [(1 << 10, 1 << 16, false), (1, 64, true)] {
            assert_eq!(ours(&codec, &bytes, &[cuts], buffer, forks), theirs(encoding, &bytes), "{}", encoding.name());
        }
        let own = encoding.output_encoding() == encoding || encoding.name().starts_with("UTF-16");
        assert_eq!(codec.encoder().is_some(), own, "{}", encoding.name());
        let registered: Arc<dyn Codec> = codec.into();
        assert_eq!(registered.name(), encoding.name());
    }
    for codec in Registry::builtin().codecs() {
        let found = WebCodec::of(&**codec).map(<&Encoding>::from);
        assert_eq!(found, web.iter().copied().find(|encoding| encoding.name() == codec.name()), "{codec:?}");
    }
    let latin1 = Registry::builtin().codec("ISO-8859-1").unwrap();
    assert!(WebCodec::of(&*latin1).is_none());
}

#[test]
fn shifts_of_iso_2022_jp() {
    let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding("ISO-2022-JP").unwrap();
    assert_eq!(whole(&job, "a漢b¥c漢".as_bytes()).output, b"a\x1B$B4A\x1B(Bb\x1B(J\\c\x1B$B4A\x1B(B");
    // A replacement is encoded in a set that contains it.
    let mut encoder = codec(ISO_2022_JP).encoder().unwrap();
    let mut buffer = [0; 64];
    let mut sink = ByteSink::new(&mut buffer);
    assert_eq!(encoder.feed("漢", &mut sink).stop, Stop::InputEmpty);
    assert!(encoder.encode_replacement('😀', Replacement::Substitute, &mut sink));
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    assert_eq!(sink.as_bytes(), b"\x1B$B4A\x1B(B\x1A");
}

/// The offset of an unmappable character is that of its own bytes, even if an error made the decoder read some again.
#[test]
fn an_unmappable_character_after_malformed_bytes() {
    // 81 41 does not continue 81 30, which is then a malformed byte and a digit; a character follows at 3.
    let input = b"a\x81\x30\x81\x41";
    let job = Transcode::new()
        .source_encoding("gb18030")
        .unwrap()
        .target_encoding("US-ASCII")
        .unwrap()
        .on_malformed(OnMalformed::Drop);
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

/// What browsers encode is encoded the same. The other characters of JIS X 0212 take three bytes, as in glibc, and are
/// read back; with the web's policy they are unmappable.
#[test]
fn euc_jp_writes_jis_x_0212() {
    let registry = Registry::builtin();
    let job = Transcode::new().target_encoding("EUC-JP").unwrap();
    let web = job.clone().policy(Policy::Whatwg);
    let encode = |job: &Transcode, ch: char| job.encode(ch.encode_utf8(&mut [0; 4])).ok().map(Cow::into_owned);
    let codec = registry.codec("EUC-JP").unwrap();
    let glibc = registry.codec("glibc-EUC_JP-2.3.3").ok();
    let (mut count, mut differ) = (0, String::new());
    for ch in ('\u{80}'..='\u{FFFF}').filter(|ch| !['¥', '‾', '−', '\u{FEFF}'].contains(ch)) {
        let text = ch.to_string();
        let (theirs, _, is_unmappable) = EUC_JP.encode(&text);
        let expected = (!is_unmappable).then(|| theirs.into_owned());
        assert_eq!(encode(&web, ch), expected, "{ch}");
        let ours = encode(&job, ch);
        let Some(bytes) = ours.as_ref().filter(|_| expected.is_none()) else {
            assert_eq!(ours, expected, "{ch}");
            continue;
        };
        assert_eq!((bytes.len(), bytes[0]), (3, 0x8F), "{ch}");
        assert_eq!(decode_strictly(&*codec, bytes).as_deref(), Some(&*ch.to_string()));
        if let Some(glibc) = &glibc
            && decode_strictly(&**glibc, bytes).as_deref() != Some(&*ch.to_string())
        {
            differ.push(ch);
        }
        count += 1;
    }
    assert_eq!((count, &*differ), (5786, ""));
    assert_eq!(encode(&job, 'ü').as_deref(), Some(&b"\x8F\xAB\xE4"[..]));
    assert_eq!(encode(&web.policy(Policy::Rfc7303), 'ß').as_deref(), Some(&b"\x8F\xA9\xCE"[..]));
    // In a run, with little room, and with a fault after it.
    let text = format!("{}日本ü漢字ß€", "müßig ".repeat(40));
    let error = job.encode(&text).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("unmappable", Some(text.find('€').unwrap() as u64)));
    let sound = text.trim_end_matches('€');
    let bytes = job.encode(sound).unwrap();
    assert_eq!(decode_strictly(&*codec, &bytes).as_deref(), Some(sound));
    let mut encoder = codec.encoder().unwrap();
    let (mut read, mut buffer, mut slow) = (0, [0; MIN_ROOM], Vec::new());
    while read < sound.len() {
        let mut sink = ByteSink::new(&mut buffer);
        let step = encoder.feed(&sound[read..], &mut sink);
        slow.extend_from_slice(sink.as_bytes());
        read += step.read;
        assert!(step.stop == Stop::OutputFull || read == sound.len());
    }
    assert_eq!(slow, *bytes);
}

/// Whole characters are not kept back because the room is full: they are written, or left unread. With tables, which
/// are there after this much text.
#[test]
fn a_full_room_keeps_no_whole_character_back() {
    for encoding in multi_byte() {
        let codec = codec(encoding);
        let line = common::encode(&*codec, "<p lang='ja'>日本語、中文 한국어 ｶﾅ \u{E9}&amp; plain text.</p>\n");
        let warm = line.repeat((1 << 19) / line.len());
        let job = Transcode::new().source_encoding(encoding.name()).unwrap().kind(Kind::Text);
        assert!(job.decode(&warm).is_ok(), "{}", encoding.name());
        for input in [line.repeat(4), vec![b'a'; 200]] {
            let text = decode_strictly(&*codec, &input).unwrap();
            for room in MIN_ROOM..=text.len().min(140) {
                for len in 0..=input.len() {
                    let (mut decoder, mut buffer, mut found) = (codec.decoder(), vec![0; room], String::new());
                    let mut read = 0;
                    while read < len {
                        let mut sink = Utf8Sink::new(&mut buffer);
                        let step = decoder.feed(&input[read..len], &mut sink);
                        (read, found) = (read + step.read, found + sink.as_str());
                        let is_stuck = step.read == 0 && sink.written() == 0;
                        assert!(!is_stuck && step.stop != Stop::InputEmpty || read == len);
                    }
                    assert!(text.starts_with(&found));
                    // What is pending is not a character yet.
                    let pending = input[..len].len() - decoder.pending();
                    let before = decode_strictly(&*codec, &input[..pending]).unwrap_or_default();
                    assert_eq!(found.len(), before.len(), "{}: {room} {len}", encoding.name());
                    if decoder.pending() > 0 {
                        assert_eq!(decode_strictly(&*codec, &input[..len]), None, "{}: {room} {len}", encoding.name());
                    }
                }
            }
        }
    }
}
