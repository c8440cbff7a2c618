//! Tests text that is already Unicode: encoded as a whole, as values and by writers, it gives the same output as a run
//! from UTF-8, and its own encoding declaration is corrected, never used.

use crate::common::sample;
use crate::common::work::work_in;
use charpipe::detect::Policy;
use charpipe::{Bom, EbcdicNl, Eol, Error, Kind, OnControl, OnUnmappable, Transcode};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Texts of any kind: documents, and what is nearly one.
const TEXTS: [&str; 16] = [
    "",
    "plain",
    "Le café était déjà fermé",
    "日本語のテキスト、漢字",
    "5 € 😀 ﾊﾛｰ \u{FFFD}",
    "a\r\nb\u{85}c\0\u{1A}\u{7F}\u{9F}\r",
    "\u{FEFF}a",
    "<?xml version='1.0' encoding='ISO-8859-1'?><a>café €</a>",
    "<?xml version='1.0'?>\u{85}<a/>\u{85}",
    "  <?xml version='1.0' encoding='Shift_JIS'?><a/>",
    "<?xmlish?> é",
    "<meta charset=ISO-8859-9>é",
    "<html><head><meta charset='x'></head>é €",
    "<p>é",
    "~{ +ADw- \u{1B}$B",
    "¥‾−｡",
];

/// Encodes the text with a run that is told that it is UTF-8.
fn with_a_run(job: &Transcode, text: &str) -> Result<Vec<u8>, Error> {
    let mut output = Vec::new();
    // The lines of a text are known, and those of a stream are if they are counted.
    job.clone().count_lines(true).source_encoding("UTF-8")?.run(text.as_bytes(), &mut output)?;
    Ok(output)
}

fn visible(error: &Error) -> String {
    format!("{:?} {error}", error.kind())
}

fn check(job: &Transcode, texts: &[&str]) {
    let mut values = job.value_encoder().unwrap();
    for text in texts {
        let what = format!("{job:?}: {text:?}");
        let expected = with_a_run(job, text).map_err(|error| visible(&error));
        let encoded = job.encode(text);
        if let Ok(bytes) = &encoded {
            let is_same = **bytes == *text.as_bytes();
            assert_eq!(matches!(bytes, std::borrow::Cow::Borrowed(_)), is_same, "{what}");
        }
        assert_eq!(encoded.map(Vec::from).map_err(|error| visible(&error)), expected, "{what}");
        assert_eq!(job.encode_to_vec(text).map_err(|error| visible(&error)), expected, "{what}");
        assert_eq!(values.encode(text).map(<[u8]>::to_vec).map_err(|error| visible(&error)), expected, "{what}");
        for into in [&mut |bytes: &mut Vec<u8>| job.encode_into(text, bytes), &mut |bytes: &mut Vec<u8>| {
            values.encode_into(text, bytes)
        }] as [&mut dyn FnMut(&mut Vec<u8>) -> Result<(), Error>; 2]
        {
            let mut bytes = b"before".to_vec();
            let result = into(&mut bytes).map_err(|error| visible(&error));
            let appended = [b"before", &expected.clone().unwrap_or_default()[..]].concat();
            assert_eq!((result.err(), bytes), (expected.clone().err(), appended), "{what}");
        }
        let mut writer = job.clone().count_lines(true).text_writer(Vec::new()).unwrap();
        let written = text.chars().try_for_each(|ch| writer.write_char(ch));
        let finished = writer.finish().map_err(|error| visible(error.error()));
        assert_eq!(finished, expected, "{what}");
        assert!(written.is_ok() || expected.is_err(), "{what}");
    }
}

#[test]
fn every_codec_and_every_policy() {
    for codec in sample::codecs("text for every codec").into_iter().filter(|codec| codec.encoder().is_some()) {
        let long = "é日€a".repeat(3000);
        for policy in [None, Some(OnUnmappable::Replace), Some(OnUnmappable::Drop), Some(OnUnmappable::Escape)] {
            let job = Transcode::new().target_encoding(codec.name()).unwrap();
            let job = if let Some(policy) = policy { job.on_unmappable(policy) } else { job };
            check(&job, &TEXTS);
            if policy == Some(OnUnmappable::Replace) {
                check(&job, &[&long]);
            }
        }
    }
}

#[test]
fn every_option_that_changes_text() {
    for label in ["UTF-8", "UTF-16", "UTF-16LE", "IBM1047", "IBM939", "US-ASCII", "ISO-8859-1"] {
        let base = || Transcode::new().target_encoding(label).unwrap();
        let jobs = [
            base().ebcdic_nl(EbcdicNl::Zos),
            base().eol(Eol::Crlf),
            base().on_control(OnControl::Drop),
            base().on_control(OnControl::Error),
            base().bom(Bom::Keep),
            base().bom(Bom::Strip),
            base().best_fit(true).on_unmappable(OnUnmappable::Replace),
            base().strict(true),
            base().kind(Kind::Xml),
            base().kind(Kind::Html),
            base().kind(Kind::Text),
            base().policy(Policy::Whatwg),
            base().content_type("text/html; charset=windows-1251"),
            base().charset("IBM037"),
            base().guess(true),
            base().fallback("ISO-8859-9").unwrap(),
        ];
        for job in jobs {
            check(&job, &TEXTS);
        }
    }
}

#[test]
fn a_text_is_never_taken_for_what_it_says() {
    let job = |label| Transcode::new().target_encoding(label).unwrap();
    let xml = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>café</a>";
    assert_eq!(job("UTF-8").encode(xml).unwrap(), xml.replace("ISO-8859-1", "UTF-8").as_bytes());
    assert_eq!(job("UTF-8").encode("<meta charset=ISO-8859-9>é").unwrap(), "<meta charset=UTF-8>é".as_bytes());
    assert_eq!(*job("ISO-8859-1").encode("<meta charset=utf-8>é").unwrap(), *b"<meta charset=ISO-8859-1>\xE9");
    // A source that is named for other inputs of the same job makes no difference.
    let both = job("ISO-8859-1").source_encoding("IBM037").unwrap();
    assert_eq!(*both.encode("é").unwrap(), *b"\xE9");
    assert_eq!(both.decode(b"\xC1").unwrap_err().code(), "not-utf-8");
    // Records are those of an input in bytes.
    for error in [
        job("UTF-8").records("fb:3".parse().unwrap()).encode("abc").err(),
        job("UTF-8").records("fb:3".parse().unwrap()).value_encoder().err(),
        job("UTF-8").records("fb:3".parse().unwrap()).text_writer(Vec::new()).err(),
        job("UTF-8").to_records("fb:3".parse().unwrap()).value_encoder().err(),
    ] {
        assert_eq!(error.unwrap().code(), "options");
    }
}

/// A writer that takes this many bytes and then fails.
#[derive(Debug)]
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("the disk is full"));
        }
        let len = bytes.len().min(self.0);
        self.0 -= len;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_cause_of_a_failed_write_is_told_by_finish() {
    // More than the writer buffers, so that it fails before the end.
    let text = "a".repeat(1 << 20);
    let mut writer = Transcode::new().text_writer(Full(10)).unwrap();
    assert_eq!(writer.write_str(&text), Err(std::fmt::Error));
    assert_eq!(writer.write_str("b"), Err(std::fmt::Error), "and nothing is written after it");
    assert_eq!(Write::write(&mut writer, b"b").unwrap_err().to_string(), "the disk is full");
    let error = writer.finish().unwrap_err();
    assert_eq!(error.error().code(), "write");
    assert!(error.to_string().contains("the disk is full"), "{error}");

    let mut writer = Transcode::new().target_encoding("US-ASCII").unwrap().text_writer(Vec::new()).unwrap();
    let text = format!("{text}é{text}");
    assert_eq!(writer.write_str(&text), Err(std::fmt::Error));
    let error = writer.finish().unwrap_err();
    assert_eq!((error.error().code(), error.error().offset()), ("unmappable", Some(1 << 20)));
    assert_eq!(error.into_inner().len(), 1 << 20, "all that is good is written");

    // Bytes that are not UTF-8 are malformed.
    let mut writer = Transcode::new().text_writer(Vec::new()).unwrap();
    // Whether this call fails, or a later one, depends on how much is buffered.
    _ = writer.write_all(b"a\xE9b");
    assert_eq!(writer.finish().unwrap_err().error().to_string(), "byte 1: E9 is not valid UTF-8");
}

#[test]
fn short_text_takes_one_allocation_at_most() {
    for label in ["UTF-8", "ISO-8859-1", "IBM037", "IBM939", "US-ASCII", "UTF-16BE", "UTF-EBCDIC"] {
        let text =
            if matches!(label, "US-ASCII" | "IBM939") { "plain text, 24 bytes ..." } else { "Le café était fermé" };
        let job = Transcode::new().target_encoding(label).unwrap();
        let mut values = job.value_encoder().unwrap();
        let mut bytes = Vec::with_capacity(200);
        values.encode(text).unwrap();
        assert!(work_in(|| drop(job.encode(text).unwrap())).allocations <= 1, "{label}");
        assert!(work_in(|| drop(job.encode_to_vec(text).unwrap())).allocations <= 1, "{label}");
        assert_eq!(work_in(|| job.encode_into(text, &mut bytes).unwrap()).allocations, 0, "{label}");
        assert_eq!(work_in(|| _ = values.encode(text).unwrap()).allocations, 0, "{label}");
    }
}

proptest! {
    #[test]
    fn any_text_in_any_pieces(text in "\\PC{0,200}", cuts in prop::collection::vec(1usize..40, 1..8)) {
        for label in ["UTF-8", "ISO-8859-1", "IBM939", "UTF-16"] {
            let job = Transcode::new().target_encoding(label).unwrap().on_unmappable(OnUnmappable::Replace);
            let mut writer = job.clone().count_lines(true).text_writer(Vec::new()).unwrap();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                writer.write_all(piece).unwrap();
                rest = after;
            }
            let expected = with_a_run(&job, &text).unwrap();
            prop_assert_eq!(&writer.finish().unwrap(), &expected);
            prop_assert_eq!(&job.encode_to_vec(&text).unwrap(), &expected);
        }
    }
}
