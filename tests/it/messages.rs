//! Tests many messages with one transcoder: each has the same output, verdict, report and error as with a new
//! transcoder, regardless of the messages before it, and plain text needs no allocation.

use crate::common::work::work_in;
use crate::common::{TEXT, drive_this, encode, sample, samples, whole};
use charpipe::{OnControl, OnMalformed, OnUnmappable, Status, Transcode};
use std::iter::repeat;

/// Texts, most of them plain.
const TEXTS: [&str; 14] = [
    "Le café était fermé",
    "plain text",
    "日本語のテキスト",
    "Le café était fermé",
    "  white space first",
    "\u{FEFF}marked",
    "<?xml version='1.0'?><a>é</a>",
    "a\u{85}b",
    "Привет",
    "Lo",
    "%PDF-1.4 é",
    "5 € 😀",
    "Łódź é",
    LONG,
];

/// A text without the end of a line, which is a hint about EBCDIC.
const LONG: &str = const {
    match str::from_utf8(&[b'x'; 2100]) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// Sends the messages through one transcoder, each as a whole and then in pieces, and compares each with a new one's.
fn check(job: &Transcode, messages: &[Vec<u8>]) {
    let mut transcoder = job.transcoder().unwrap();
    for message in messages.iter().chain(messages.iter().rev()) {
        let expected = whole(job, message);
        for (cut, room, late) in [
            (usize::MAX, 1 << 16, false),
            (usize::MAX, 1 << 16, false),
            (usize::MAX, 7, false),
            (3, 64, true),
            (1, 64, false),
            (1, 7, true),
        ] {
            transcoder.reset();
            let found = drive_this(&mut transcoder, message, &mut repeat(cut), &mut repeat(room), late);
            assert_eq!(found, expected, "{job:?}: {message:02X?}, pieces of {cut}, room {room}");
            assert_eq!(transcoder.is_done(), expected.error.is_none());
            let report = transcoder.report();
            let fresh = job.run(&message[..], std::io::sink());
            if let Ok(fresh) = fresh {
                assert_eq!(format!("{report:?}"), format!("{fresh:?}"), "{job:?}: {message:02X?}");
            }
        }
    }
}

#[test]
fn every_codec() {
    for codec in sample::codecs("messages in every codec") {
        let mut messages: Vec<Vec<u8>> = match codec.encoder() {
            Some(_) => TEXTS.iter().map(|text| encode(&*codec, text)).chain(samples(&*codec)).collect(),
            None => Vec::new(),
        };
        messages.extend(
            [&b"\xC3\xA9"[..], b"a\xC3\xA9", b"\x80 \x9F", b"abc\0", b"\0\0abc", b"", b"\x1B$B"].map(Vec::from),
        );
        // The first character comes late.
        messages.extend([&b"\x0E\x0F\x0E\x0F\xC1"[..], b"\x0E\x0F\x0E\x45\xC1", b"\x1B(B\x1B(B\xC1"].map(Vec::from));
        let named = Transcode::new().source_encoding(codec.name()).unwrap();
        check(&named, &messages);
        check(&named.clone().on_malformed(OnMalformed::Replace), &messages);
        check(&named.target_encoding("IBM1047").unwrap().on_unmappable(OnUnmappable::Replace), &messages);
    }
}

#[test]
fn detected_ones() {
    let mut messages: Vec<Vec<u8>> = TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect();
    messages.extend(["UTF-16LE", "UTF-32BE", "IBM1047", "windows-1252", "ISO-8859-1"].iter().filter_map(|label| {
        let codec = charpipe::Registry::builtin().codec(label).ok()?;
        Some(encode(&*codec, TEXT))
    }));
    messages.extend(
        [&b"\xEF\xBB\xBFa"[..], b"PK\x03\x04abc", b"GIF89a", b"\x01\x02ab", b"\0a\0b\0c\0d\0e\0f\0g", b"caf\xE9"]
            .map(Vec::from),
    );
    let job = Transcode::new();
    check(&job, &messages);
    for job in [
        job.clone().guess(true),
        job.clone().fallback("ISO-8859-1").unwrap(),
        job.clone().fallbacks(["UTF-8", "ISO-8859-1"]).unwrap(),
        job.clone().fallbacks(["UTF-8", "ISO-8859-1", "IBM037"]).unwrap(),
        job.clone().charset("UTF-8"),
        job.clone().content_type("text/plain"),
        job.clone().policy(charpipe::detect::Policy::Whatwg),
        job.clone().on_control(OnControl::Space),
        job.clone().strict(true),
        job.clone().malformed_as("ISO-8859-1").unwrap(),
        job.clone().target_encoding("UTF-16").unwrap(),
        job.clone().target_encoding("ISO-8859-1").unwrap(),
        job.bom(charpipe::Bom::Add),
    ] {
        check(&job, &messages);
    }
}

/// Some charsets are there only with the features of the crate.
fn is_known(label: &str) -> bool {
    charpipe::Registry::builtin().codec(label).is_ok()
}

/// Documents that begin alike, or nearly so, and continue differently.
#[test]
fn documents_that_begin_alike() {
    let mut messages: Vec<Vec<u8>> = Vec::new();
    for label in ["UTF-8", "windows-1252", "Shift_JIS", "IBM037", "UTF-16", "UTF-16LE", "ISO-8859-1"] {
        if !is_known(label) {
            continue;
        }
        let codec = charpipe::Registry::builtin().codec(label).unwrap();
        for text in [
            format!("<?xml version='1.0' encoding='{label}'?><a>1</a>"),
            format!("<?xml version='1.0' encoding='{label}'?><a>2\u{E9}</a>"),
            format!("<?xml version='1.0' encoding='{label}'?>"),
            format!("<?xml version='1.0' encoding='{label}'"),
            format!("<?xml version='1.0' encoding='{label}'?><html><meta charset={label}>x</html>"),
            format!("<!DOCTYPE html><meta charset={label}><p>one"),
            format!("<!DOCTYPE html><meta charset={label}><p>another\u{E9}"),
            format!("<!DOCTYPE html><meta charset={label}>"),
            format!("<?xml version='1.0'?><a>{label}</a>"),
            "<a>plain</a>".into(),
        ] {
            messages.push(encode(&*codec, &text));
        }
    }
    messages.extend(
        [&b"GIF is a format"[..], b"GIF89a", b"G", b"Ga", b"P", b"PK\x03\x04", b"\xEF\xBB", b"\xEF\xBB\xBFa"]
            .map(Vec::from),
    );
    messages.extend(
        [&b"caf\xE9 ol\xE9"[..], b"caf\xC3\xA9", b"cafe", b"@@caf", b"ab\0\0", b"\x1B$BF|K\\\x1B(B"].map(Vec::from),
    );
    let job = Transcode::new();
    for job in [
        job.clone(),
        job.clone().target_encoding("UTF-16").unwrap(),
        job.clone().target_encoding("IBM1047").unwrap().on_unmappable(OnUnmappable::Replace),
        job.clone().on_malformed(OnMalformed::Replace).guess(true),
        job.clone().fallback("ISO-8859-1").unwrap(),
        job.clone().fallbacks(["UTF-8", "ISO-8859-1"]).unwrap(),
        job.clone()
            .fallbacks([if is_known("Shift_JIS") { "Shift_JIS" } else { "US-ASCII" }, "UTF-8", "ISO-8859-1"])
            .unwrap()
            .bom(charpipe::Bom::Add),
        job.clone().malformed_as("ISO-8859-1").unwrap(),
        job.clone().eol(charpipe::Eol::Crlf),
        job.clone().on_unknown(charpipe::OnUnknown::Pass),
        job.policy(charpipe::detect::Policy::Whatwg),
    ] {
        check(&job, &messages);
        // Each beside each that begins alike.
        let twice: Vec<Vec<u8>> = messages.chunks(5).flat_map(|some| [some, some].concat()).collect();
        check(&job, &twice);
    }
}

/// In pieces of any size, with the end of the input in the last one or after it.
#[test]
fn a_message_in_pieces_takes_no_allocation() {
    const GERMAN: &str = "Gr\u{F6}\u{DF}e \u{FC}ber 40 f\u{FC}r M\u{FC}ller";
    const JAPANESE: &str = "これは日本語の文です、abc";
    let job = Transcode::new();
    let mut cases: Vec<(String, Transcode, Vec<u8>)> = Vec::new();
    for (label, text) in [
        ("UTF-8", GERMAN),
        ("windows-1252", GERMAN),
        ("ISO-8859-1", GERMAN),
        ("Shift_JIS", JAPANESE),
        ("EUC-JP", JAPANESE),
        ("GBK", "中文文本abc"),
        ("ISO-2022-JP", JAPANESE),
        ("IBM037", GERMAN),
        ("IBM939", JAPANESE),
        ("UTF-16LE", GERMAN),
        ("UTF-16", GERMAN),
        ("UTF-32BE", JAPANESE),
    ] {
        if !is_known(label) {
            continue;
        }
        let codec = charpipe::Registry::builtin().codec(label).unwrap();
        let bytes = encode(&*codec, text);
        let named = job.clone().source_encoding(label).unwrap();
        cases.push((format!("{label} to UTF-8"), named.clone(), bytes.clone()));
        for to in ["UTF-16", "UTF-32", "gb18030"].into_iter().filter(|label| is_known(label)) {
            cases.push((format!("{label} to {to}"), named.clone().target_encoding(to).unwrap(), bytes.clone()));
        }
        if text == GERMAN {
            cases.push((format!("{label} to IBM1047"), named.target_encoding("IBM1047").unwrap(), bytes));
        }
        for to in ["UTF-8", "UTF-16"] {
            let job = job.clone().target_encoding(to).unwrap();
            let xml = format!("<?xml version='1.0' encoding='{label}'?><a>text</a>");
            cases.push((format!("XML in {label} to {to}"), job.clone(), encode(&*codec, &xml)));
            let html = format!("<!DOCTYPE html><meta charset='{label}'><p>text</p>");
            let bytes = encode(&*codec, &html);
            if bytes == html.as_bytes() {
                cases.push((format!("HTML in {label} to {to}"), job, bytes));
            }
        }
    }
    let utf8 = |name: &str, job: Transcode| (name.to_owned(), job, GERMAN.as_bytes().to_vec());
    cases.extend([
        utf8("detected", job.clone()),
        utf8("guessed", job.clone().guess(true)),
        utf8("one of several", job.clone().fallbacks(["UTF-8", "ISO-8859-1"]).unwrap()),
        utf8("malformed as", job.clone().malformed_as("ISO-8859-1").unwrap()),
        utf8("with other newlines", job.clone().eol(charpipe::Eol::Crlf)),
        utf8("without control characters", job.clone().on_control(OnControl::Space)),
        ("ASCII".into(), job.clone(), b"plain\ntext\n".to_vec()),
        ("XML without a label".into(), job, b"<a>text</a>".to_vec()),
    ]);
    for (name, job, message) in cases {
        for (cut, is_late) in [(usize::MAX, true), (7, false), (7, true), (3, false), (1, true), (1, false)] {
            let (mut transcoder, mut room) = (job.transcoder().unwrap(), [0; 1024]);
            let mut once = || {
                transcoder.reset();
                let mut pieces = message.chunks(cut.min(message.len())).peekable();
                let mut is_last = false;
                while !is_last {
                    let piece = pieces.next().unwrap_or_default();
                    is_last = if is_late { piece.is_empty() } else { pieces.peek().is_none() };
                    let step = transcoder.step(piece, &mut room, is_last).unwrap();
                    assert_eq!((step.read, step.state == Status::Done), (piece.len(), is_last), "{name}");
                }
            };
            (0..3).for_each(|_| once());
            let work = work_in(once);
            assert_eq!((work.allocations, work.bytes), (0, 0), "{name}, pieces of {cut}, late: {is_late}");
        }
    }
}

#[test]
fn plain_text_takes_no_allocation() {
    let text = "Le café était fermé";
    for (from, to) in [
        (None, "UTF-8"),
        (Some("UTF-8"), "UTF-8"),
        (Some("IBM037"), "UTF-8"),
        (Some("ISO-8859-1"), "UTF-8"),
        (Some("UTF-8"), "IBM037"),
        (Some("IBM037"), "IBM1047"),
        (Some("UTF-16LE"), "UTF-8"),
    ] {
        let job = Transcode::new().target_encoding(to).unwrap();
        let job = if let Some(label) = from { job.source_encoding(label).unwrap() } else { job };
        let message = match from {
            Some(label) => Transcode::new().target_encoding(label).unwrap().encode_to_vec(text).unwrap(),
            None => text.as_bytes().to_vec(),
        };
        let (mut transcoder, mut room) = (job.transcoder().unwrap(), [0; 200]);
        let mut once = || {
            transcoder.reset();
            _ = transcoder.step(&message, &mut room, true).unwrap();
        };
        (0..3).for_each(|_| once());
        assert_eq!(work_in(once).allocations, 0, "{from:?} to {to}");
    }
}
