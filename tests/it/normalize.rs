//! Tests normalization as a stage of conversions.

use crate::common::process::piped_through;
use crate::common::{installed, invariant, whole};
use charpipe::{Bom, Normalization, OnControl, OnMalformed, OnUnmappable, Transcode};
use std::io::Read;
use std::num::NonZeroUsize;
use std::process::Command;

fn job(form: Normalization) -> Transcode {
    Transcode::new().normalize(form)
}

fn nfc() -> Transcode {
    job(Normalization::Nfc)
}

#[test]
fn every_form_in_every_encoding() {
    let text = "a\u{301}\u{323} \u{1112}\u{1161}\u{11AB} ﬁ Å e\u{301}\n";
    for (form, expected) in [
        (Normalization::Nfc, "ạ\u{301} 한 ﬁ Å é\n"),
        (Normalization::Nfd, "a\u{323}\u{301} \u{1112}\u{1161}\u{11AB} ﬁ A\u{30A} e\u{301}\n"),
        (Normalization::Nfkc, "ạ\u{301} 한 fi Å é\n"),
        (Normalization::Nfkd, "a\u{323}\u{301} \u{1112}\u{1161}\u{11AB} fi A\u{30A} e\u{301}\n"),
    ] {
        for (from, to) in [("UTF-8", "UTF-8"), ("UTF-16LE", "UTF-8"), ("UTF-8", "UTF-16BE")] {
            let encode = |label: &str, text: &str| {
                let mut bytes = Vec::new();
                let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(label).unwrap();
                job.run(text.as_bytes(), &mut bytes).unwrap();
                bytes
            };
            let job = job(form).source_encoding(from).unwrap().target_encoding(to).unwrap();
            let outcome = invariant(&job, &encode(from, text), from);
            assert_eq!((outcome.output, outcome.error), (encode(to, expected), None), "{form} {from} {to}");
        }
    }
}

/// A character that was made has the place of the first character that it was made from.
#[test]
fn errors_have_exact_places() {
    let to = |label: &str| nfc().target_encoding(label).unwrap();
    for (text, offset, output) in [
        // é and ō are made; ISO-8859-1 lacks ō.
        ("xe\u{301}o\u{304}z", 4, "x\u{E9}"),
        // Nothing is made of these.
        ("xyz€", 3, "xyz"),
        ("e\u{301}q\u{304}", 4, "\u{E9}q"),
        ("o\u{304}", 0, ""),
    ] {
        let outcome = invariant(&to("ISO-8859-1").source_encoding("UTF-8").unwrap(), text.as_bytes(), text);
        let latin1: Vec<u8> = output.chars().map(|ch| ch as u8).collect();
        assert_eq!((outcome.output, outcome.offset.is_some()), (latin1, true), "{text}");
        assert_eq!(outcome.offset, Some(offset), "{text}");
    }
    let wide: Vec<u8> = "xo\u{304}".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let outcome = invariant(&to("US-ASCII").source_encoding("UTF-16BE").unwrap(), &wide, "UTF-16BE");
    assert_eq!(outcome.offset, Some(2));
    let outcome =
        invariant(&to("US-ASCII").on_unmappable(OnUnmappable::Replace), "xo\u{304}o\u{304}".as_bytes(), "count");
    assert!(outcome.faults.contains("offset: 1") && outcome.faults.contains("offset: 4"), "{}", outcome.faults);
}

/// Each character has a separate offset: that of the character that it is, that it is part of, or that is the first
/// of those that it is made from.
#[test]
fn every_character_has_its_own_place() {
    use Normalization::{Nfc, Nfd, Nfkc, Nfkd};

    for (form, text, expected) in [
        (Nfd, "e\u{301}", &[(1, '\u{301}')][..]),
        (Nfd, "xé", &[(1, '\u{301}')]),
        (Nfc, "xe\u{301}z", &[(1, 'é')]),
        (Nfc, "q\u{304}\u{301}", &[(1, '\u{304}'), (3, '\u{301}')]),
        // The marks change places, and the dot is composed with the letter.
        (Nfd, "xe\u{301}\u{323}", &[(4, '\u{323}'), (2, '\u{301}')]),
        (Nfc, "xe\u{301}\u{323}", &[(1, 'ẹ'), (2, '\u{301}')]),
        (Nfc, "é\u{323}", &[(0, 'ẹ'), (0, '\u{301}')]),
        (Nfd, "é\u{323}", &[(2, '\u{323}'), (0, '\u{301}')]),
        (Nfc, "a\u{1112}\u{1161}\u{11AB}b\u{11AB}", &[(1, '한'), (11, '\u{11AB}')]),
        (Nfd, "a한", &[(1, '\u{1112}'), (1, '\u{1161}'), (1, '\u{11AB}')]),
        (Nfkd, "ﬁé①", &[(3, '\u{301}')]),
        (Nfkc, "ﬁe\u{301}½", &[(3, 'é'), (6, '\u{2044}')]),
        (Nfc, "\u{301}e", &[(0, '\u{301}')]),
        (Nfc, "\u{344}", &[(0, '\u{308}'), (0, '\u{301}')]),
    ] {
        for (label, scale) in [("UTF-8", None), ("UTF-16BE", Some(2)), ("UTF-32LE", Some(4))] {
            let job = job(form).source_encoding(label).unwrap().target_encoding("US-ASCII").unwrap();
            let codec = charpipe::Registry::builtin().codec(label).unwrap();
            let input = crate::common::encode(&*codec, text);
            let what = format!("{form} {text:?} in {label}");
            let offset = |utf8: usize| match scale {
                Some(scale) => (text[..utf8].chars().count() * scale) as u64,
                None => utf8 as u64,
            };
            let expected: Vec<(u64, char)> = expected.iter().map(|(at, ch)| (offset(*at), *ch)).collect();
            // Of the places of all characters, and of that of an error.
            let replaced = job.clone().on_unmappable(OnUnmappable::Drop);
            invariant(&replaced, &input, &what);
            let report = replaced.run(&input[..], std::io::sink()).unwrap();
            let found: Vec<(u64, char)> = report.unmappable.first.iter().map(|at| (at.offset, at.ch)).collect();
            assert_eq!(found, expected, "{what}");
            let failed = invariant(&job, &input, &what);
            assert_eq!(failed.offset, Some(expected[0].0), "{what}");
        }
    }
    // A control character that is dropped is between them.
    let job = job(Nfd).target_encoding("US-ASCII").unwrap().on_control(OnControl::Drop);
    assert_eq!(invariant(&job, "xe\x01\u{301}".as_bytes(), "control").offset, Some(3));
}

/// Text before an error is written, including text that was held back.
#[test]
fn text_before_an_error_is_written() {
    let outcome = invariant(&nfc().source_encoding("UTF-8").unwrap(), b"xe\xFF", "malformed");
    assert_eq!((outcome.text(), outcome.offset), ("xe", Some(2)));
    let replaced = nfc().source_encoding("UTF-8").unwrap().on_malformed(OnMalformed::Replace);
    assert_eq!(invariant(&replaced, b"e\xFF\xCC\x81", "replaced").text(), "e\u{FFFD}\u{301}");
    let dropped = nfc().source_encoding("UTF-8").unwrap().on_malformed(OnMalformed::Drop);
    assert_eq!(invariant(&dropped, b"e\xFF\xCC\x81", "dropped").text(), "é");
    let outcome = invariant(&nfc().on_control(OnControl::Error), b"xe\x01y", "control");
    assert_eq!((outcome.text(), outcome.offset), ("xe", Some(2)));
    assert_eq!(invariant(&nfc().on_control(OnControl::Drop), b"e\x01\xCC\x81", "dropped").text(), "é");
    #[cfg(feature = "whatwg")]
    {
        // Page 1258 has combining accents.
        let read = nfc().source_encoding("UTF-8").unwrap().malformed_as("windows-1258").unwrap();
        assert_eq!(invariant(&read, b"ae\xECz", "read as").text(), "aéz");
    }
}

#[test]
fn with_marks_labels_and_records() {
    let xml = "<?xml version='1.0' encoding='UTF-8'?><a b='e\u{301}'>\u{304}</a>";
    let job = nfc().target_encoding("UTF-16").unwrap();
    let outcome = invariant(&job, xml.as_bytes(), "XML");
    let expected = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><a b='é'>\u{304}</a>";
    assert_eq!(outcome.output, expected.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>());
    let outcome = invariant(&nfc().bom(Bom::Add), "\u{301}e\u{301}".as_bytes(), "mark");
    assert_eq!(outcome.text(), "\u{FEFF}\u{301}é");
    // Each record by itself.
    let records = nfc().source_encoding("UTF-8").unwrap().records("fb:3".parse().unwrap());
    assert_eq!(invariant(&records, "e\u{301}e  \u{301} ".as_bytes(), "records").text(), "é\ne\n\u{301}\n");
    let lines = nfc().target_encoding("UTF-8").unwrap().to_records("rdw".parse().unwrap());
    assert_eq!(
        invariant(&lines, "e\u{301}\n\u{301}".as_bytes(), "lines").output,
        b"\0\x06\0\0\xC3\xA9\0\x06\0\0\xCC\x81"
    );
}

/// A gigabyte of combining marks is an error after a kilobyte of them, with the place where they begin.
#[test]
fn endless_marks_are_an_error() {
    let text = format!("ab{}", "\u{301}".repeat(3000));
    let outcome = whole(&nfc(), text.as_bytes());
    let message = "byte 1: more than 1024 characters in a row combine with each other, and cannot be normalised";
    assert_eq!((outcome.text(), outcome.error.as_deref()), ("a", Some(message)));
    let marks = "\u{301}".repeat(1024);
    let mut endless = b"ab".chain(std::io::repeat(0).take(0));
    let mut input = std::io::BufReader::new(Read::chain(&mut endless, Marks { text: marks.as_bytes(), at: 0 }));
    let mut transcoder = nfc().transcoder().unwrap();
    let error = transcoder.run(&mut input, &mut std::io::sink()).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("sequence-too-long", Some(1)));
    let held = format!("a{}\n", "\u{301}".repeat(1023)).repeat(100);
    assert_eq!(whole(&job(Normalization::Nfd), held.as_bytes()).text(), held);
}

/// Combining marks without end.
struct Marks<'a> {
    text: &'a [u8],
    at: usize,
}

impl Read for Marks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = self.text[self.at % self.text.len()];
            self.at += 1;
        }
        Ok(buffer.len())
    }
}

#[test]
fn several_jobs_give_the_same() {
    let text = "e\u{301} ﬁ a\u{323}\u{301} plain text\n".repeat(20_000);
    for form in Normalization::ALL {
        let run = |jobs| {
            let mut output = Vec::new();
            let job = job(*form).jobs(NonZeroUsize::new(jobs).unwrap()).block_bytes(5_000);
            job.run(text.as_bytes(), &mut output).unwrap();
            output
        };
        assert!(run(1) == run(3), "{form}");
    }
}

/// Every character that Python's Unicode has, on its own, after a letter, and before a mark.
#[test]
fn as_python_normalises() {
    if !installed("python3", &["python3", "--version"]) {
        return;
    }
    let script = "
import sys, unicodedata as u
for c in range(0xA0, 0x30000):
    ch = chr(c)
    if 0xD800 <= c < 0xE000 or u.category(ch) == 'Cn': continue
    text = ch + 'a' + ch + '\\u0301' + ch + '\\u0323' + '\\u1161'
    line = [text] + [u.normalize(form, text) for form in ('NFC', 'NFD', 'NFKC', 'NFKD')]
    sys.stdout.buffer.write('\\t'.join(line).encode('utf-8') + b'\\n')
";
    let output = piped_through(Command::new("python3").args(["-c", script]), b"").stdout;
    let lines = String::from_utf8(output).unwrap();
    // Lines are split at U+000A alone.
    let rows: Vec<Vec<&str>> = lines.split('\n').map(|line| line.split('\t').collect()).collect();
    let rows: Vec<&Vec<&str>> = rows.iter().filter(|row| row.len() == 5).collect();
    assert!(rows.len() > 100_000, "{}", rows.len());
    for (at, form) in Normalization::ALL.iter().enumerate() {
        let text = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<_>>().join("\n");
        let (given, expected) = (text(0), text(at + 1));
        let outcome = whole(&job(*form).source_encoding("UTF-8").unwrap(), given.as_bytes());
        let different = outcome.text().split('\n').zip(expected.split('\n')).find(|(ours, theirs)| ours != theirs);
        assert_eq!(different, None, "{form}");
        assert!(outcome.output == expected.as_bytes(), "{form}");
    }
}
