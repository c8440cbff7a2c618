//! Message after message through one transcoder: each has the output, the verdict, the report and the error that a new
//! transcoder gives, whatever came before, and plain text takes no allocation.

use crate::common::work::work_in;
use crate::common::{TEXT, drive_this, encode, sample, samples, whole};
use charpipe::{OnControl, OnMalformed, OnUnmappable, Transcode};
use std::iter::repeat;

/// Texts, most of them plain.
const TEXTS: [&str; 12] = [
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
];

/// Sends the messages through one transcoder, each as a whole and then in pieces, and compares each with a new one's.
fn check(job: &Transcode, messages: &[Vec<u8>]) {
    let mut transcoder = job.transcoder().unwrap();
    for message in messages.iter().chain(messages.iter().rev()) {
        let expected = whole(job, message);
        for (cut, room, late) in
            [(usize::MAX, 1 << 16, false), (usize::MAX, 1 << 16, false), (usize::MAX, 7, false), (3, 64, true)]
        {
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
