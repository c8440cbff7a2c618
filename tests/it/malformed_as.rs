//! Tests malformed bytes that are read as bytes of a single-byte page.

use crate::common::{Outcome, invariant, whole};
use charpipe::{EbcdicNl, Eol, ErrorKind, OnControl, OnMalformed, Transcode};
use std::num::NonZeroUsize;

fn job(label: &str) -> Transcode {
    Transcode::new().malformed_as(label).unwrap()
}

fn utf8(label: &str) -> Transcode {
    job(label).source_encoding("UTF-8").unwrap()
}

#[test]
fn mixed_text_comes_out_right() {
    let mixed = b"caf\xC3\xA9 \x80 caf\xE9, \xE2\x82\xAC na\xEFve \x93x\x94 end\xE2\x82";
    let outcome = invariant(&utf8("windows-1252"), mixed, "to UTF-8");
    assert_eq!(outcome.text(), "café € café, € naïve “x” endâ‚");
    let outcome = invariant(&utf8("windows-1252").target_encoding("windows-1252").unwrap(), mixed, "to windows-1252");
    assert_eq!(outcome.output, b"caf\xE9 \x80 caf\xE9, \x80 na\xEFve \x93x\x94 end\xE2\x82");
    let report = utf8("windows-1252").run(&mixed[..], std::io::sink()).unwrap();
    assert_eq!(report.malformed.count, 6, "sequences, of which the last has two bytes");
    assert_eq!(report.malformed.first[5].bytes, b"\xE2\x82");
    assert_eq!(report.read_as.as_deref(), Some("windows-1252"));
}

/// More faults than are kept, and more than fit into a buffer.
#[test]
fn a_file_of_nothing_else() {
    let latin = [b"\xE4\xF6\xFC ".repeat(30_000), b"plain text ".repeat(3_000)].concat();
    let expected = format!("{}{}", "äöü ".repeat(30_000), "plain text ".repeat(3_000));
    for jobs in [1, 2] {
        let mut output = Vec::new();
        let job = utf8("windows-1252").jobs(NonZeroUsize::new(jobs).unwrap()).block_bytes(10_000);
        let report = job.run(&latin[..], &mut output).unwrap();
        assert!(output == expected.as_bytes());
        assert_eq!((report.malformed.count, report.malformed.first.len()), (90_000, 16));
    }
}

/// A byte that the page lacks is the error, at its own place, after what came before it.
#[test]
fn a_byte_that_the_page_lacks() {
    // windows-1253 has no AA and no D2.
    let outcome = invariant(&utf8("windows-1253"), b"a\xE1\xD2b", "D2");
    assert_eq!((outcome.text(), outcome.offset), ("aα", Some(2)));
    assert_eq!(outcome.error.as_deref(), Some("byte 2: D2 is not valid UTF-8"));
    // The second byte of a malformed sequence.
    let outcome = invariant(&utf8("windows-1253"), b"a\xE1\xAAb", "AA");
    assert_eq!((outcome.text(), outcome.offset), ("aα", Some(2)));
}

/// The text stages and the policies see the characters like any others.
#[test]
fn stages_and_policies_apply() {
    let lines = utf8("ISO-8859-1").eol(Eol::Lf).on_control(OnControl::Space);
    let outcome = invariant(&lines, b"a\r\x85b\x9Fc\xE9", "stages");
    assert_eq!(outcome.text(), "a\nb cé");
    let outcome =
        invariant(&utf8("windows-1252").target_encoding("US-ASCII").unwrap(), b"ab\x80", "the target lacks it");
    assert_eq!((outcome.text(), outcome.offset), ("ab", Some(2)));
    let records = utf8("windows-1252").records("fb:4".parse().unwrap());
    let outcome = invariant(&records, b"a\x80  \xE9bcd", "records");
    assert_eq!(outcome.text(), "a€\nébcd\n");
    let outcome = invariant(&utf8("windows-1253").records("fb:4".parse().unwrap()), b"abcda\xE1\xD2d", "in a record");
    assert_eq!(outcome.error.as_deref(), Some("byte 6: record 2, column 3: D2 is not valid UTF-8"));
}

/// Charsets that contain ASCII are read so; others fail, and a hint says why.
#[test]
fn only_in_charsets_that_contain_ascii() {
    let of = |from: &str, input: &[u8]| -> Outcome {
        invariant(&job("windows-1252").source_encoding(from).unwrap(), input, from)
    };
    assert_eq!(of("US-ASCII", b"a\xE9").text(), "aé");
    assert_eq!(of("Shift_JIS", b"\x82\xA0\xFF").text(), "あÿ");
    for (from, input) in
        [("UTF-16BE", &b"\0a\xD8\0\0b"[..]), ("UTF-32LE", b"a\0\0\0\0\0\x11\0"), ("IBM290", b"\x81\x57")]
    {
        let outcome = of(from, input);
        if outcome.error.is_some() {
            assert!(outcome.faults.contains("not-read-as"), "{from}: {outcome:?}");
        }
    }
    let report = job("windows-1252").source_encoding("UTF-16BE").unwrap().run(&b"\0a"[..], std::io::sink()).unwrap();
    assert!(report.read_as.is_none() && report.diagnostics.is_empty());
    let _ = EbcdicNl::Table;
}

#[test]
fn the_page_must_be_single_bytes_with_ascii() {
    for label in ["UTF-8", "Shift_JIS", "IBM037", "UTF-16", "GB18030", "IBM290"] {
        let error = Transcode::new().malformed_as(label).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotAnAsciiPage { .. }), "{label}: {error}");
        assert_eq!(error.code(), "not-an-ascii-page");
    }
    for label in ["windows-1252", "ISO-8859-15", "KOI8-R", "cp437", "US-ASCII"] {
        assert!(Transcode::new().malformed_as(label).is_ok(), "{label}");
    }
    // The last call counts.
    let job = utf8("windows-1252").on_malformed(OnMalformed::Drop);
    assert_eq!(whole(&job, b"a\xE9b").text(), "ab");
    let job = utf8("windows-1252").on_malformed(OnMalformed::Drop).malformed_as("ISO-8859-1").unwrap();
    assert_eq!(whole(&job, b"a\xE9b").text(), "aéb");
}
