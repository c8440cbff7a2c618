//! Tests characters that the target lacks, under every policy.

use crate::common::{Outcome, codecs, drive, encode, invariant, whole};
use charpipe::{ErrorKind, Kind, OnMalformed, OnUnmappable, Report, Transcode};

fn to(label: &str) -> Transcode {
    Transcode::new().target_encoding(label).unwrap()
}

fn run(job: &Transcode, input: &str) -> (Outcome, Report) {
    let outcome = invariant(job, input.as_bytes(), input);
    let mut transcoder = job.transcoder().unwrap();
    let _ = transcoder.run(&mut input.as_bytes(), &mut std::io::sink());
    (outcome, transcoder.report().clone())
}

#[test]
fn every_policy() {
    for (policy, expected) in [
        (OnUnmappable::Replace, "a\u{1A}b\u{1A}"),
        (OnUnmappable::Drop, "ab"),
        (OnUnmappable::Escape, "a\\u{20AC}b\\u{1F600}"),
        (OnUnmappable::Xml, "a&#x20AC;b&#x1F600;"),
    ] {
        let (outcome, report) = run(&to("ISO-8859-1").on_unmappable(policy), "a€b😀");
        assert_eq!((outcome.text(), &outcome.error), (expected, &None));
        let seen: Vec<(u64, char)> = report.unmappable.first.iter().map(|fault| (fault.offset, fault.ch)).collect();
        assert_eq!((report.unmappable.count, &seen[..]), (2, &[(1, '€'), (5, '😀')][..]));
    }
    let (outcome, _) = run(&to("ISO-8859-1").on_unmappable(OnUnmappable::Fail), "a€b");
    assert_eq!((outcome.offset, outcome.text()), (Some(1), "a"));
}

/// Escapes and substitutes are encoded in the target.
#[test]
fn escapes_are_encoded_in_the_target() {
    let (outcome, _) = run(&to("IBM037").on_unmappable(OnUnmappable::Xml), "a€");
    // & # x 2 0 A C ; in page 37
    assert_eq!(outcome.output, b"\x81\x50\x7B\xA7\xF2\xF0\xC1\xC3\x5E");
    let (outcome, _) = run(&to("IBM1047").on_unmappable(OnUnmappable::Escape), "€");
    assert_eq!(outcome.output, b"\xE0\xA4\xC0\xF2\xF0\xC1\xC3\xD0");
    // UCS-2 can write all characters of the Basic Multilingual Plane.
    let (outcome, _) = run(&to("ISO-10646-UCS-2").on_unmappable(OnUnmappable::Replace), "€😀");
    assert_eq!(outcome.output, b"\x20\xAC\xFF\xFD");
}

#[test]
fn best_fit_comes_first() {
    // U+FF21, FULLWIDTH LATIN CAPITAL LETTER A.
    let (outcome, report) = run(&to("IBM037").best_fit(true), "Ａ");
    assert_eq!((&outcome.output[..], report.unmappable.count), (&b"\xC1"[..], 1));
    let (outcome, _) = run(&to("IBM037").best_fit(true), "Ａ€");
    assert_eq!(outcome.offset, Some(3));
    let (outcome, _) = run(&to("IBM037"), "Ａ");
    assert_eq!(outcome.offset, Some(0));
}

/// By default, character references are written if XML allows them there. Elsewhere the run fails at that offset.
#[test]
fn references_in_xml() {
    let good = "<?xml version='1.0'?><!-- c --><a é='€' b=\"漢\">x€<![CDATA[y]]>😀</a>";
    let (outcome, report) = run(&to("ISO-8859-1"), good);
    assert_eq!(outcome.error, None);
    let text: String = outcome.output.iter().map(|byte| *byte as char).collect();
    let expected = "<?xml version='1.0' encoding='ISO-8859-1'?><!-- c --><a é='&#x20AC;' b=\"&#x6F22;\">x&#x20AC;\
                    <![CDATA[y]]>&#x1F600;</a>";
    assert_eq!(text, expected);
    assert_eq!(report.unmappable.count, 4);
    for bad in [
        "<?xml version='1.0'?><a><€/></a>",
        "<?xml version='1.0'?><!--€--><a/>",
        "<?xml version='1.0'?><a><?p €?></a>",
        "<?xml version='1.0'?><a><![CDATA[€]]></a>",
        "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e '€'>]><a/>",
        "<?xml version='1.0'?><a €='1'/>",
    ] {
        let (outcome, _) = run(&to("ISO-8859-1"), bad);
        assert_eq!(outcome.offset, bad.find('€').map(|at| at as u64), "{bad}");
    }
    // XML does not allow this character, not even as a reference.
    let (outcome, _) = run(&to("IBM037"), "<?xml version='1.0'?><a>\u{FFFE}</a>");
    assert_eq!(outcome.offset, Some(24));
    // Nothing is escaped if the target can write everything.
    for target in ["UTF-8", "UTF-16", "X-ISO-10646-UCS-4-2143"] {
        let (outcome, report) = run(&to(target), good);
        assert_eq!((outcome.error, report.unmappable.count), (None, 0));
    }
    // If the input is not known to be XML, the run fails by default.
    let (outcome, _) = run(&to("ISO-8859-1"), "<a>€</a>");
    assert_eq!(outcome.offset, Some(3));
    let (outcome, _) = run(&to("US-ASCII").kind(Kind::Xml), "<a>é</a>");
    assert_eq!(outcome.text(), "<?xml version=\"1.0\" encoding=\"US-ASCII\"?><a>&#xE9;</a>");
}

/// If the target lacks a character of a reference, another form of reference is written, or the run fails.
#[test]
fn a_target_that_cannot_write_a_reference() {
    use charpipe::codec::table::chart;
    let without = |missing: &str| {
        let mut table = chart::parse(include_str!("../../codecs/ISO-8859-1.txt"), &|_| None).unwrap();
        table.name = "X-INCOMPLETE".into();
        table.mappings.retain(|mapping| !missing.contains(mapping.ch));
        let mut registry = charpipe::Registry::builtin();
        registry.register(std::sync::Arc::new(table.into_codec()), &[]).unwrap();
        Transcode::new().registry(registry).target_encoding("X-INCOMPLETE").unwrap().on_unmappable(OnUnmappable::Xml)
    };
    assert_eq!(run(&without("x"), "€").0.text(), "&#8364;");
    for missing in ["#", ";", "&", "x8"] {
        let (outcome, _) = run(&without(missing), "a€");
        assert_eq!((outcome.offset, outcome.text()), (Some(1), "a"), "{missing}");
    }
}

/// U+FFFD that replaces malformed input is not counted as unmappable. The two policies are independent.
#[test]
fn replacements_of_malformed_input_are_not_unmappable() {
    for policy in [OnUnmappable::Fail, OnUnmappable::Drop, OnUnmappable::Escape] {
        let job = to("US-ASCII").on_malformed(OnMalformed::Replace).on_unmappable(policy);
        let mut output = Vec::new();
        let report = job.run(&b"a\xFFb"[..], &mut output).unwrap();
        assert_eq!(output, b"a\x1Ab");
        assert_eq!((report.malformed.count, report.unmappable.count), (1, 0));
    }
    let error = to("US-ASCII").on_malformed(OnMalformed::Replace).run("\u{FFFD}".as_bytes(), Vec::new()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unmappable { offset: 0, .. }));
}

/// All unmappable characters are counted, but only the first ones are recorded with their offsets.
#[test]
fn only_the_first_unmappable_characters_are_recorded() {
    let input = "€".repeat(200_000);
    let report = to("ISO-8859-1").on_unmappable(OnUnmappable::Drop).run(input.as_bytes(), std::io::sink()).unwrap();
    assert_eq!((report.unmappable.count, report.unmappable.first.len()), (200_000, 16));
}

/// What a character becomes that the target lacks, in a charset with a state: the text that replaces it, with the escape
/// sequences and shift codes that this text has. If it is dropped, the output is that of the text without it.
#[test]
fn no_code_without_need_around_what_the_target_lacks() {
    let mut tested = 0;
    for codec in codecs().iter().filter(|codec| codec.encoder().is_some_and(|encoder| !encoder.is_stateless())) {
        let name = codec.name();
        let can = |ch: &char| !encode(&**codec, ch.encode_utf8(&mut [0; 4])).is_empty();
        let lacked: Vec<char> = "\u{10FFFD}\u{E000}😀ｱ한Ж€é".chars().filter(|ch| !can(ch)).collect();
        let has: Vec<char> = "あい漢字가나日本ア中国βéŁ".chars().filter(can).collect();
        let [first, second, ..] = has[..] else { continue };
        let ascii = if can(&'a') { "a" } else { "" };
        for lacked in lacked.into_iter().take(2) {
            tested += 1;
            for pattern in ["1X2", "1Xa", "aX1", "X1", "1X", "1XX2", "1X\n2", "aXa", "1aX2", "1XaX2"] {
                // From the seventeenth on they are counted only.
                let pattern = pattern.repeat(20);
                let text = |replacement: &str| {
                    let text = pattern.replace('1', &first.to_string()).replace('2', &second.to_string());
                    let text = text.replace('\n', if can(&'\n') { "\n" } else { "" }).replace('a', ascii);
                    text.replace('X', replacement)
                };
                let code = lacked as u32;
                let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap();
                let job = job.kind(Kind::Text);
                for (policy, replacement) in [
                    (OnUnmappable::Drop, String::new()),
                    (OnUnmappable::Escape, format!("\\u{{{code:X}}}")),
                    (OnUnmappable::Xml, format!("&#x{code:X};")),
                ] {
                    if !replacement.chars().all(|ch| can(&ch)) {
                        continue;
                    }
                    let expected = whole(&job, text(&replacement).as_bytes());
                    assert_eq!(expected.error, None, "{name}");
                    let job = job.clone().on_unmappable(policy);
                    let input = text(&lacked.to_string());
                    let what = format!("{name}, {policy:?}, {:?}", &input[..input.len() / 20]);
                    let found = whole(&job, input.as_bytes());
                    assert_eq!(found.error, None, "{what}");
                    assert!(
                        found.output == expected.output,
                        "{what}: {:02X?}",
                        &found.output[..expected.output.len() / 10]
                    );
                    for size in [1, 5] {
                        let (mut cuts, mut buffers) = (std::iter::repeat(size), std::iter::repeat(70));
                        assert!(drive(&job, input.as_bytes(), &mut cuts, &mut buffers, true) == found, "{what}");
                    }
                }
            }
        }
    }
    assert!(tested > 20, "{tested}");
}

/// The same with a substitute: without any of the escape sequences the output would be another text.
#[test]
#[cfg(all(feature = "legacy", feature = "whatwg"))]
fn no_escape_sequence_without_need_around_a_substitute() {
    for name in ["ISO-2022-JP", "ISO-2022-JP-2", "ISO-2022-JP-3", "ISO-2022-KR", "ISO-2022-CN", "HZ-GB-2312"] {
        let Ok(codec) = charpipe::Registry::builtin().codec(name) else { continue };
        let has: Vec<char> = "あ가漢国".chars().filter(|ch| !encode(&*codec, &ch.to_string()).is_empty()).collect();
        for text in ["1X1", "1XX1a", "aX1", "1Xa1", "X"] {
            let text = text.replace('1', &has[0].to_string()).replace('X', "😀");
            for policy in [OnUnmappable::Replace, OnUnmappable::Drop, OnUnmappable::Escape] {
                let job = to(name).source_encoding("UTF-8").unwrap().on_unmappable(policy);
                let output = whole(&job, text.as_bytes()).output;
                let read = charpipe::codec::decode_strictly(&*codec, &output).unwrap();
                let codes = (0..output.len()).filter(|at| matches!(output[*at], 0x1B | b'~'));
                for at in codes {
                    let escape = &output[at..];
                    // What a charset requires at the beginning and at the end may say nothing new.
                    let len = if output[at] == b'~' {
                        2
                    } else {
                        escape.iter().skip(1).take_while(|b| **b < 0x30).count() + 2
                    };
                    let without = [&output[..at], &output[at + len..]].concat();
                    let same = charpipe::codec::decode_strictly(&*codec, &without).as_deref() == Some(&*read);
                    let is_edge = at == 0 || at + len == output.len();
                    assert!(!same || is_edge, "{name}, {policy:?}, {text:?}: {output:02X?} at {at}");
                }
            }
        }
    }
}
