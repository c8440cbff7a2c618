//! Tests characters that the target lacks, under every policy.

use crate::common::{Outcome, invariant};
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
    use charpipe::codec::{TableCodec, table::chart};
    let without = |missing: &str| {
        let mut table = chart::parse(include_str!("../../codecs/ISO-8859-1.txt"), &|_| None).unwrap();
        table.name = "X-INCOMPLETE".into();
        table.mappings.retain(|mapping| !missing.contains(mapping.ch));
        let mut registry = charpipe::Registry::builtin();
        registry.register(std::sync::Arc::new(TableCodec::new(table)), &[]).unwrap();
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
