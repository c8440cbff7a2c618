//! Runs every vector of `spec/`: in one piece, byte by byte, and cut at every position (a long one at some positions).

use crate::common::vectors::{self, Row, rows};
use crate::common::{invariant, sample, whole};
use charpipe::codec::{ByteSink, MIN_ROOM, Stop};
use charpipe::detect::{ContentType, Hints, Looks, Policy};
use charpipe::{Codec, Detector, OnMalformed, Registry, Transcode, Verdict};

fn encode(codec: &dyn Codec, text: &str) -> Vec<u8> {
    let mut encoder = codec.encoder().unwrap();
    let mut bytes = Vec::new();
    for ch in text.chars() {
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let step = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink);
        assert_eq!(step.stop, Stop::InputEmpty, "{ch:?} in {}", codec.name());
        bytes.extend_from_slice(sink.as_bytes());
    }
    bytes
}

fn detect(input: &[u8], hints: &Hints, cuts: impl Iterator<Item = usize>) -> (Verdict, Vec<u8>) {
    let mut detector = Detector::new(Registry::builtin(), hints.clone());
    let mut at = 0;
    for cut in cuts.chain([usize::MAX]) {
        let end = input.len().min(at + cut.min(input.len() - at));
        let taken = detector.feed(&input[at..end]);
        assert!(taken == end - at || detector.is_done());
        at += taken;
        if at == input.len() || detector.is_done() {
            break;
        }
    }
    let verdict = detector.finish();
    assert_eq!(detector.prefix(), &input[..at], "the prefix has every byte");
    (verdict, detector.prefix().to_vec())
}

/// Returns the verdict on `input`, after checking that no cut changes it.
fn verdict(input: &[u8], hints: &Hints) -> Verdict {
    let (expected, prefix) = detect(input, hints, std::iter::empty());
    let seen = format!("{expected:?}");
    let check = |(verdict, taken): (Verdict, Vec<u8>)| {
        assert_eq!(format!("{verdict:?}"), seen);
        assert_eq!(taken, prefix);
    };
    check(detect(input, hints, std::iter::repeat_n(1, input.len())));
    let stride = 1 + input.len() / if sample::is_full() { 200 } else { 25 };
    for cut in (0..=input.len()).step_by(stride) {
        check(detect(input, hints, [cut, 0, 1].into_iter()));
    }
    expected
}

#[test]
fn appendix_f() {
    let rows = rows("appendix-f.tsv");
    assert!(rows.len() > 100);
    for row in rows {
        let input = row.bytes("input");
        let found = verdict(&input, &Hints::default());
        let what = format!("{:?}", row.get("id"));
        assert_eq!(Some(found.family.name()), row.get("family"), "{what}");
        assert_eq!(found.signature.map_or(Vec::new(), |row| row.bytes.to_vec()), row.bytes("signature"), "{what}");
        assert_eq!(found.bom().unwrap_or_default(), row.bytes("bom"), "{what}");
    }
}

#[test]
fn xml_declaration() {
    const FAMILIES: [&str; 10] = [
        "UTF-8",
        "UTF-16BE",
        "UTF-16LE",
        "UTF-32BE",
        "UTF-32LE",
        "X-ISO-10646-UCS-4-2143",
        "X-ISO-10646-UCS-4-3412",
        "IBM037",
        "IBM290",
        "IBM1047",
    ];
    let registry = Registry::builtin();
    let rows = rows("xml-declaration.tsv");
    assert!(rows.len() > 30);
    for row in rows {
        let codecs = match row.get("codec").unwrap() {
            "*" => FAMILIES.to_vec(),
            codec => vec![codec],
        };
        for name in codecs {
            let codec = registry.codec(name).unwrap();
            let text = row.text("text").unwrap_or_default();
            let found = verdict(&encode(&*codec, &text), &Hints::default());
            let what = format!("{:?} in {name}: {found:?}", row.get("id"));
            // Converts a position in characters to a position in bytes.
            let byte = |chars: &str| {
                let chars: usize = chars.parse().unwrap();
                let before: String = text.chars().take(chars).collect();
                encode(&*codec, &before).len() as u64
            };
            let span = row.get("start").map(|start| byte(start)..byte(row.get("end").unwrap()));
            assert_eq!(found.declared.as_deref(), row.get("declared"), "{what}");
            assert_eq!(found.declared_span, span, "{what}");
            let malformed = found.diagnostics.iter().any(|note| note.code == "declaration-malformed");
            assert_eq!(malformed, row.get("malformed") == Some("yes"), "{what}");
            let error = found.error.as_ref().map(|error| error.code()).filter(|code| *code != "unknown-label");
            // What is not a declaration leaves the encoding open, and may not be UTF-8.
            let error = error.filter(|code| *code != "unknown-encoding" || row.get("declared").is_some());
            assert_eq!(error, row.get("error"), "{what}");
        }
    }
}

#[test]
fn rfc7303() {
    let registry = Registry::builtin();
    let rows = rows("rfc7303.tsv");
    assert!(rows.len() > 50);
    for row in rows {
        let codec = registry.codec(row.get("codec").unwrap()).unwrap();
        let bom = if row.get("bom") == Some("yes") { "\u{FEFF}" } else { "" };
        let input = encode(&*codec, &format!("{bom}{}", row.text("text").unwrap_or_default()));
        let mut hints = Hints::default();
        hints.charset = row.get("charset").map(str::to_owned);
        let found = verdict(&input, &hints);
        let what = format!("{:?}: {found:?}", row.get("id"));
        assert_eq!(found.codec.as_ref().map(|codec| codec.name()), row.get("codec_expected"), "{what}");
        assert_eq!(found.encoding.as_deref(), row.get("codec_expected"), "{what}");
        assert_eq!(Some(found.family.name()), row.get("family"), "{what}");
        assert_eq!(found.rule, row.get("rule"), "{what}");
        assert_eq!(found.source.map(|source| source.name()), row.get("source"), "{what}");
        assert_eq!(Some(found.kind.name()), row.get("kind"), "{what}");
        assert_eq!(found.declared.as_deref(), row.get("declared"), "{what}");
        let codes: Vec<&str> = found.diagnostics.iter().map(|note| note.code).collect();
        assert_eq!(codes.join(","), row.get("diagnostics").unwrap_or(""), "{what}");
        assert_eq!(found.error.as_ref().map(|error| error.code()), row.get("error"), "{what}");

        // With `strict`, the first warning becomes the error, and nothing else changes.
        hints.strict = true;
        let strict = verdict(&input, &hints);
        let expected = found.error.as_ref().map(|error| error.code()).or(codes.first().copied());
        assert_eq!(strict.error.as_ref().map(|error| error.code()), expected, "{what}");
        assert_eq!(strict.rule, found.rule, "{what}");
    }
}

#[test]
fn contents() {
    let rows = rows("contents.tsv");
    assert!(rows.len() > 40);
    for row in rows {
        let is_known = |name| Registry::builtin().codec(name).is_ok();
        let needs_web = row.get("id").is_some_and(|id| id.contains("shift-jis") || id.contains("comment"))
            || row.get("encoding").is_some_and(|name| !is_known(name));
        if needs_web && cfg!(not(feature = "whatwg")) {
            continue;
        }
        let mut input = row.bytes("head");
        if let Some((count, byte)) = row.get("pad").and_then(|pad| pad.split_once('*')) {
            input.extend(vectors::unhex(byte).repeat(count.parse().unwrap()));
        }
        input.extend(row.bytes("tail"));
        let mut hints = Hints::default();
        hints.charset = row.get("charset").map(str::to_owned);
        // A long input is not cut at every place.
        let found = if input.len() < 10_000 {
            verdict(&input, &hints)
        } else {
            detect(&input, &hints, std::iter::repeat_n(997, 100)).0
        };
        let what = format!("{:?}: {found:?}", row.get("id"));
        assert_eq!(found.encoding.as_deref(), row.get("encoding"), "{what}");
        assert_eq!(found.codec.as_ref().map(|codec| codec.name()), row.get("encoding"), "{what}");
        assert_eq!(found.rule, row.get("rule"), "{what}");
        assert_eq!(Some(found.kind.name()), row.get("kind"), "{what}");
        assert_eq!(found.ascii, row.get("ascii") == Some("yes"), "{what}");
        assert_eq!(found.looks.map(|looks| looks.name()), row.get("looks"), "{what}");
        let notes: Vec<String> =
            found.diagnostics.iter().map(|note| format!("{}@{}", note.code, note.offset)).collect();
        // A build without the charsets that switch by escape sequences does not name them.
        let has_escapes = cfg!(any(feature = "whatwg", feature = "legacy"));
        let is_expected = |notes: &&str| has_escapes || !notes.starts_with("looks-like-escapes");
        assert_eq!(notes.join(","), row.get("diagnostics").filter(is_expected).unwrap_or(""), "{what}");
        let error = found.error.as_ref().map(|error| format!("{}@{}", error.code(), error.offset().unwrap()));
        assert_eq!(error.as_deref(), row.get("error"), "{what}");

        // A conversion has the same verdict on what it can know before output begins, and fails at the same place.
        if let Some((code, offset)) = row.get("error").and_then(|error| error.split_once('@')) {
            assert_eq!(code, "unknown-encoding");
            let outcome = charpipe::decode(&input).unwrap_err();
            let expected = if found.looks == Some(Looks::Binary) { "unknown-encoding" } else { "malformed" };
            assert_eq!((outcome.code(), outcome.offset()), (expected, offset.parse().ok()), "{what}");
        }
    }
}

/// An input that is read to its end is judged as in the window, for a bad byte at any position.
#[test]
fn contents_of_whole_inputs() {
    for (head, code) in [("", "unknown-encoding"), ("<?xml version='1.0'?>", "contents-contradict")] {
        for at in [100, 65_534, 65_535, 65_536, 65_537, 200_000] {
            let mut input = head.as_bytes().to_vec();
            input.resize(at, b'a');
            input.extend(b"\xC3\x28 and more");
            for cut in [1000, 65_536, usize::MAX] {
                let mut detector = Detector::whole(Registry::builtin(), Hints::default());
                input.chunks(cut).for_each(|chunk| assert_eq!(detector.feed(chunk), chunk.len()));
                let found = detector.finish();
                let note = found.diagnostics.iter().map(|note| (note.code, Some(note.offset))).next();
                let found = found.error.as_ref().map(|error| (error.code(), error.offset())).or(note);
                assert_eq!(found, Some((code, Some(at as u64))), "{head} {at} {cut}");
            }
        }
    }
}

/// Runs the vectors of a policy other than `rfc7303`. Their files have more columns, which are the same for all.
fn policy(file: &str, least: usize) {
    let registry = Registry::builtin();
    let rows = rows(file);
    assert!(rows.len() >= least, "{file}");
    for row in rows {
        if cfg!(not(feature = "guess")) && row.get("source") == Some("statistics") {
            continue;
        }
        // Without the web charsets, rows that name one are skipped.
        let charset = row.get("content-type").and_then(|value| ContentType::parse(value).charset);
        let mut labels = ["codec", "codec_expected", "declared", "fallback"].map(|column| row.get(column)).to_vec();
        labels.push(charset.as_deref());
        let is_known = |label: &&str| !matches!(registry.codec(label), Err(error) if error.code() == "unknown-label");
        let is_of_the_web = labels.iter().flatten().any(|label| !is_known(label));
        if cfg!(not(feature = "whatwg")) && is_of_the_web {
            continue;
        }
        let what = format!("{file} {:?}", row.get("id"));
        let codec = registry.codec(row.get("codec").unwrap()).unwrap();
        let mut input = row.bytes("head");
        input.extend(encode(&*codec, &row.text("text").unwrap_or_default()));
        let policy = row.get("policy").unwrap().parse::<Policy>().unwrap();
        let codec_of = |column: &str| row.get(column).map(|label| registry.codec(label).unwrap());
        let mut hints = Hints::default();
        hints.policy = policy;
        hints.content_type = row.get("content-type").map(str::to_owned);
        hints.fallback = codec_of("fallback");
        hints.ebcdic_fallback = codec_of("ebcdic-fallback");
        let found = verdict(&input, &hints);
        let what = format!("{what}: {found:?}");
        assert_eq!(found.encoding.as_deref(), row.get("encoding"), "{what}");
        assert_eq!(found.codec.as_ref().map(|codec| codec.name()), row.get("codec_expected"), "{what}");
        assert_eq!(Some(found.family.name()), row.get("family"), "{what}");
        assert_eq!(found.rule, row.get("rule"), "{what}");
        assert_eq!(found.source.map(|source| source.name()), row.get("source"), "{what}");
        assert_eq!(Some(found.kind.name()), row.get("kind"), "{what}");
        assert_eq!(found.declared.as_deref(), row.get("declared"), "{what}");
        assert_eq!(found.declared.is_some(), found.declared_span.is_some(), "{what}");
        let codes: Vec<&str> = found.diagnostics.iter().map(|note| note.code).collect();
        assert_eq!(codes.join(","), row.get("diagnostics").unwrap_or(""), "{what}");
        assert_eq!(found.error.as_ref().map(|error| error.code()), row.get("error"), "{what}");
        // Every error and every warning has an offset within the input.
        let places = found.diagnostics.iter().map(|note| note.offset);
        for at in places.chain(found.error.as_ref().map(|error| error.offset().expect(&what))) {
            assert!(at <= input.len() as u64, "{what}");
        }

        // With `strict`, the first warning becomes the error, and nothing else changes.
        hints.strict = true;
        let strict = verdict(&input, &hints);
        let expected = found.error.as_ref().map(|error| error.code()).or(codes.first().copied());
        assert_eq!(strict.error.as_ref().map(|error| error.code()), expected, "{what}");
        assert_eq!(strict.rule, found.rule, "{what}");
    }
}

#[test]
fn rfc3023() {
    policy("rfc3023.tsv", 120);
}

#[test]
fn rome() {
    policy("rome.tsv", 450);
}

#[test]
fn feedparser() {
    policy("feedparser.tsv", 330);
}

#[cfg(feature = "whatwg")]
#[test]
fn whatwg() {
    policy("whatwg.tsv", 170);
}

/// Checks the positions of a decoder's errors, and the text with replacements.
fn faults(row: &Row, codec: &str) {
    let input = row.bytes("input");
    let what = format!("{:?} {codec}", row.get("id"));
    let job = Transcode::new().source_encoding(codec).unwrap().on_malformed(OnMalformed::Replace);
    let outcome = invariant(&job, &input, &what);
    // The vectors are about codecs, which keep a BOM, but a run removes it.
    let text = row.text("output").unwrap_or_default();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    assert_eq!(outcome.text(), text, "{what}");
    let expected: Vec<(u64, usize)> = row
        .get("faults")
        .map(|list| {
            let pairs = list.split(',').map(|fault| fault.split_once('+').unwrap());
            pairs.map(|(at, len)| (at.parse().unwrap(), len.parse().unwrap())).collect()
        })
        .unwrap_or_default();
    let report = job.run(&input[..], std::io::sink()).unwrap();
    assert_eq!(report.malformed.count, expected.len() as u64, "{what}");
    for (fault, (offset, len)) in report.malformed.first.iter().zip(&expected) {
        assert_eq!((fault.offset, fault.bytes.len()), (*offset, *len), "{what}");
        assert_eq!(fault.bytes, input[*offset as usize..][..*len], "{what}");
    }
    // By default the run fails at the first malformed bytes, and the text before them is written.
    let failing = whole(&job.clone().on_malformed(OnMalformed::Fail), &input);
    assert_eq!(failing.offset, expected.first().map(|(at, _)| *at), "{what}");
    let good = &input[..expected.first().map_or(input.len(), |(at, _)| *at as usize)];
    assert_eq!(failing.output, whole(&job, good).output, "{what}");
}

#[test]
fn utf8_replacement() {
    let rows = rows("utf8-replacement.tsv");
    assert!(rows.len() > 200);
    for row in rows {
        faults(&row, "UTF-8");
    }
}

#[test]
fn ucs4_orders() {
    let rows = rows("ucs4-orders.tsv");
    assert!(rows.len() > 50);
    for row in rows {
        faults(&row, row.get("codec").unwrap());
    }
}

#[test]
fn utf_ebcdic() {
    let rows = rows("utf-ebcdic.tsv");
    assert!(rows.len() > 700);
    let bytes = vectors::rows("utf-ebcdic-bytes.tsv");
    let byte_of = |i8: u8| bytes.iter().find(|row| row.bytes("i8") == [i8]).unwrap().bytes("byte")[0];
    for row in rows {
        faults(&row, "UTF-EBCDIC");
        // The vectors contain each input twice: as UTF-8-Mod (I8) for readers, and as UTF-EBCDIC for this test.
        assert_eq!(
            row.bytes("i8").into_iter().map(byte_of).collect::<Vec<_>>(),
            row.bytes("input"),
            "{:?}",
            row.get("id")
        );
    }
}
