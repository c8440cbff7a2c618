//! Tests several fallbacks: which one is chosen, when, and what is written before that.

#[cfg(feature = "whatwg")]
use crate::common::drive;
use crate::common::{invariant, whole};
use charpipe::{Kind, Transcode};
use std::num::NonZeroUsize;

fn job(labels: &[&str]) -> Transcode {
    Transcode::new().fallbacks(labels.iter().copied()).unwrap()
}

fn chosen(job: &Transcode, input: &[u8]) -> Option<String> {
    job.run(input, std::io::sink()).unwrap().from
}

const WINDOW: usize = 64 * 1024;

#[test]
fn the_first_that_fits_is_used() {
    for (labels, input, from, expected) in [
        (&["UTF-8", "ISO-8859-1"][..], &b"plain"[..], "UTF-8", "plain"),
        (&["UTF-8", "ISO-8859-1"], b"", "UTF-8", ""),
        (&["UTF-8", "ISO-8859-1"], b"caf\xC3\xA9", "UTF-8", "café"),
        (&["UTF-8", "ISO-8859-1"], b"caf\xE9 ", "ISO-8859-1", "café "),
        // The end of the input cuts a character.
        (&["UTF-8", "ISO-8859-1"], b"caf\xC3", "ISO-8859-1", "cafÃ"),
        (&["US-ASCII", "UTF-8", "ISO-8859-1"], b"caf\xC3\xA9", "UTF-8", "café"),
        // One that fits comes before the last.
        (&["ISO-8859-1", "UTF-8"], b"caf\xC3\xA9", "ISO-8859-1", "cafÃ©"),
        // Without a common byte.
        (&["IBM037", "UTF-8"], b"\xC8\x85\x93\x93\x96", "IBM037", "Hello"),
        (&["UTF-16LE", "ISO-8859-1"], b"abc", "ISO-8859-1", "abc"),
        (&["UTF-16LE", "ISO-8859-1"], b"a\0b\0", "UTF-16LE", "ab"),
    ] {
        let job = job(labels);
        let outcome = invariant(&job, input, &format!("{labels:?}"));
        assert_eq!((outcome.text(), &outcome.error), (expected, &None), "{labels:?} {input:X?}");
        assert_eq!(chosen(&job, input).as_deref(), Some(from), "{labels:?} {input:X?}");
        let report = job.run(input, std::io::sink()).unwrap();
        assert_eq!(report.verdict.unwrap().encoding.as_deref(), Some(from));
    }
}

/// The last one is used even if it does not fit.
#[test]
fn the_last_one_is_used_anyway() {
    let outcome = invariant(&job(&["US-ASCII", "UTF-8"]), b"abc\xFFd", "none fits");
    assert_eq!((outcome.text(), outcome.offset), ("abc", Some(3)));
    assert_eq!(outcome.error.as_deref(), Some("byte 3: FF is not valid UTF-8"));
}

/// Anything else that identifies the encoding wins.
#[test]
fn only_if_nothing_else_identifies_the_encoding() {
    let job = job(&["UTF-8", "ISO-8859-1"]);
    assert_eq!(chosen(&job, b"\xFE\xFF\0a").as_deref(), Some("UTF-16BE"));
    assert_eq!(chosen(&job, b"<?xml version='1.0' encoding='ISO-8859-9'?><a>\xFD</a>").as_deref(), Some("ISO-8859-9"));
    let html = job.kind(Kind::Html);
    assert_eq!(chosen(&html, b"<p>\xE9").as_deref(), Some("ISO-8859-1"));
}

/// Long after the beginning, and after everything that detection looked at.
#[test]
fn the_window_begins_at_the_first_difference() {
    let job = job(&["UTF-8", "ISO-8859-1"]);
    let plain = b"plain text\n".repeat(20_000);
    for jobs in [1, 2] {
        let job = job.clone().jobs(NonZeroUsize::new(jobs).unwrap()).block_bytes(10_000);
        let run = |tail: &[u8]| {
            let mut output = Vec::new();
            let result = job.run(&[&plain[..], tail].concat()[..], &mut output);
            let text = String::from_utf8(output).unwrap();
            (text.strip_prefix(str::from_utf8(&plain).unwrap()).unwrap().to_owned(), result)
        };
        let (text, report) = run(b"\xE9t\xE9");
        assert_eq!((&*text, report.unwrap().from.as_deref()), ("été", Some("ISO-8859-1")));
        let (text, report) = run("été".as_bytes());
        assert_eq!((&*text, report.unwrap().from.as_deref()), ("été", Some("UTF-8")));
        // The end of the window cuts a character, and what comes after the window is not looked at.
        let inside = |len: usize| ["é".as_bytes(), &vec![b'x'; len], "é".as_bytes(), b"\xFF"].concat();
        let (text, result) = run(&inside(WINDOW - 3));
        assert_eq!(text.len(), WINDOW + 1);
        let error = result.unwrap_err();
        assert_eq!(error.offset(), Some((plain.len() + WINDOW + 1) as u64));
        let (text, result) = run(&inside(WINDOW - 5));
        assert!(text.ends_with("xÃ©ÿ") && result.is_ok());
    }
}

/// What all of them read alike is written at once; the rest waits for the window, or for the end.
#[test]
fn what_is_common_is_written_at_once() {
    let mut transcoder = job(&["UTF-8", "ISO-8859-1"]).transcoder().unwrap();
    let (mut room, mut output) = (vec![0; 1 << 18], Vec::new());
    let mut feed = |bytes: &[u8], eof| {
        let step = transcoder.step(bytes, &mut room, eof).unwrap();
        assert_eq!(step.read, bytes.len());
        output.extend_from_slice(&room[..step.written]);
        output.len()
    };
    let plain = vec![b'a'; 3 * WINDOW];
    assert_eq!(feed(&plain, false), plain.len());
    assert_eq!(feed(b"bc\xE9d", false), plain.len() + 2);
    assert_eq!(feed(&vec![b'a'; WINDOW - 3], false), plain.len() + 2);
    assert_eq!(feed(b"e", false), plain.len() + 2 + WINDOW + 1);
    // One label alone waits for nothing.
    let mut transcoder = job(&["ISO-8859-1"]).transcoder().unwrap();
    let _ = transcoder.step(&plain, &mut room, false).unwrap();
    let step = transcoder.step(b"\xE9", &mut room, false).unwrap();
    assert_eq!(step.written, 2);
}

#[test]
fn with_records_and_other_targets() {
    let records = job(&["UTF-8", "ISO-8859-1"]).records("rdw".parse().unwrap());
    let outcome = invariant(&records, b"\0\x06\0\0ab\0\x06\0\0c\xE9\0\x06\0\0\xE8d", "records");
    assert_eq!(outcome.text(), "ab\ncé\nèd\n");
    let latin = job(&["UTF-8", "ISO-8859-1"]).target_encoding("ISO-8859-1").unwrap();
    for input in [&b"a\xE9b"[..], "aéb".as_bytes()] {
        assert_eq!(invariant(&latin, input, "to ISO-8859-1").output, b"a\xE9b");
    }
    // A character that the target lacks has its place.
    let ascii = job(&["UTF-8", "ISO-8859-1"]).target_encoding("US-ASCII").unwrap();
    assert_eq!(invariant(&ascii, b"abc\xE9", "place").offset, Some(3));
    assert_eq!(whole(&ascii, "abcé".as_bytes()).offset, Some(3));
    assert!(Transcode::new().fallbacks(["UTF-8", "no such"]).is_err());
}

/// Detection chooses by the beginning of the input.
#[test]
fn detection_chooses_too() {
    let mut hints = charpipe::detect::Hints::default();
    let codec = |label: &str| charpipe::Registry::builtin().codec(label).unwrap();
    hints.fallback = Some(codec("UTF-8"));
    hints.further_fallbacks = vec![codec("US-ASCII"), codec("ISO-8859-1")];
    for (input, expected) in [(&b"plain"[..], "UTF-8"), (b"caf\xE9", "ISO-8859-1"), (b"caf\xC3", "ISO-8859-1")] {
        let mut detector = charpipe::Detector::new(charpipe::Registry::builtin(), hints.clone());
        detector.feed(input);
        assert_eq!(detector.finish().encoding.as_deref(), Some(expected), "{input:X?}");
    }
}

/// A character that the end of the input cuts off is an error, but a character that only the window cuts off is not.
/// Tests pieces of any size.
#[test]
#[cfg(feature = "whatwg")]
fn the_end_of_the_input_at_the_end_of_the_window() {
    let in_pieces = |job: &Transcode, input: &[u8], size: usize| {
        // Each step is given a new buffer, and byte by byte there are many steps.
        let room = if size == 1 { 256 } else { 1 << 17 };
        let (mut cuts, mut buffers) = (std::iter::repeat(size), std::iter::repeat(room));
        drive(job, input, &mut cuts, &mut buffers, true)
    };
    for labels in [&["UTF-8", "windows-1252"][..], &["UTF-8", "UTF-16LE", "IBM037"]] {
        for cut in [&b"\xC3"[..], b"\xE2\x82", b"\xF0\x9F\x98"] {
            for len in WINDOW - 4..=WINDOW + 4 {
                // So much from the first byte on that is read differently. All labels read UTF-16 and EBCDIC differently
                // from the first byte on.
                let before: &[u8] = if labels.len() == 2 { b"abc" } else { b"" };
                let text = ["é".as_bytes(), &vec![b'x'; len - 2 - cut.len()], cut].concat();
                let input = [before, &text].concat();
                let job = job(labels);
                let expected = whole(&job, &input);
                let is_utf8 = len > WINDOW;
                assert_eq!(expected.error.is_some(), is_utf8, "{len} {cut:X?} {:?}", expected.error);
                assert_eq!(expected.output.starts_with(&[before, "éx".as_bytes()].concat()), is_utf8, "{len} {cut:X?}");
                for size in [1, 4096, WINDOW, input.len()] {
                    assert!(in_pieces(&job, &input, size) == expected, "{labels:?} {len} {cut:X?} in pieces of {size}");
                }
            }
        }
    }
    // As records, of which the text is examined.
    for len in WINDOW - 2..=WINDOW + 2 {
        let input = [&vec![b'x'; len - 1][..], b"\xC3"].concat();
        let job = job(&["UTF-8", "windows-1252"]).records("fb:1".parse().unwrap());
        let expected = whole(&job, &input);
        for size in [1, WINDOW, input.len()] {
            assert!(in_pieces(&job, &input, size) == expected, "{len} in pieces of {size}");
        }
    }
}
