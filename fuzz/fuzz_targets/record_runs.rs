//! Tests jobs on records: however the input is cut, the result is the same as in one piece, for any shape, charset and
//! options: blanks, columns, carriage control, control characters, records again. A payload that begins with `<`
//! becomes an XML document in fixed-length records, which may cut its declaration anywhere.

#![no_main]

use charpipe::codec::can_encode;
use charpipe::records::{Carriage, Framer, Shape};
use charpipe::{Eol, Gaps, OnControl, OnMalformed, OnNewlineInRecord, OnOverlong, OnUnmappable, Padding, Transcode};
use charpipe_fuzz::{CODECS, Choices, Cuts, encode, whole};
use libfuzzer_sys::fuzz_target;

const SHAPES: [&str; 14] = [
    "fb:3",
    "fb:7",
    "rdw",
    "rdw:exclusive",
    "rdw:le",
    "rdw:le:exclusive",
    "vb",
    "vbs",
    "u32",
    "u16",
    "mode-b",
    "awstape,fb:5",
    "awstape,vbs",
    "awstape:sl,vb",
];
const TO_RECORDS: [&str; 8] =
    ["fb:6", "rdw", "vb:30", "vbs:20", "u32", "awstape,fb:4", "awstape,fb:4,blksize=12", "mode-b"];

/// More records than it takes to use the fast path through a table, if the job allows it.
const LARGE: usize = 5000;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let mut cuts = Cuts::new(&mut choices);
    let mut large = false;
    let shape: Shape = choices.one(&SHAPES).parse().unwrap();
    let mut job = Transcode::new()
        .records(shape.clone())
        .on_malformed(*choices.one(&[OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape]))
        .on_unmappable(*choices.one(&[OnUnmappable::Replace, OnUnmappable::Fail, OnUnmappable::Escape]))
        .padding(*choices.one(&[Padding::Trim, Padding::Nuls, Padding::TrimNuls, Padding::Keep]))
        .on_control(*choices.one(&[
            OnControl::Keep,
            OnControl::Space,
            OnControl::Drop,
            OnControl::Error,
            OnControl::Xml,
        ]));
    if let Some(newlines) = *choices.one(&[
        Some(OnNewlineInRecord::Keep),
        Some(OnNewlineInRecord::Space),
        Some(OnNewlineInRecord::Error),
        None,
    ]) {
        job = job.on_newline_in_record(newlines);
    }
    job = job
        .eol(*choices.one(&[Eol::Auto, Eol::Crlf, Eol::Nel]))
        .gaps(*choices.one(&[Gaps::Drop, Gaps::Hex]))
        .on_overlong(*choices.one(&[OnOverlong::Fail, OnOverlong::Cut]))
        .shifts_as_blanks(choices.byte() % 2 == 1)
        .strict({
            let byte = choices.byte();
            large = byte % 4 > 1;
            byte % 2 == 1
        });
    let columns = *choices.one(&["", "1-3", "2-4,6-", "3"]);
    if !columns.is_empty() {
        job = job.columns(columns.parse().unwrap());
    }
    match choices.byte() % 4 {
        1 => job = job.carriage(Carriage::Asa),
        2 => job = job.carriage(Carriage::Machine),
        3 => job = job.to_records(choices.one(&TO_RECORDS).parse().unwrap()),
        _ => {}
    }
    if let Some(from) = choices.codec_or_none() {
        job = job.source_encoding(from.name()).unwrap();
    }
    let Ok(job) = job.target_encoding(choices.codec().name()) else { return };
    if job.transcoder().is_err() {
        return;
    }
    let mut input = match choices.payload() {
        [b'<', len, which, rest @ ..] => document(&shape, usize::from(*len), usize::from(*which), rest),
        payload => payload.to_vec(),
    };
    if large && !input.is_empty() {
        input = input.iter().copied().cycle().take(LARGE).collect();
        cuts = cuts.times(101);
    }
    let expected = whole(&job, &input);
    assert!(expected.offset.is_none_or(|offset| offset <= input.len() as u64), "{expected:?}");
    assert!(!expected.error.as_ref().is_some_and(|error| error.contains("is broken")), "{:?}", expected.error);
    assert_eq!(cuts.run(&job, &input), expected, "{job:?}");
});

/// Returns a document that declares a charset, in records of `len` bytes.
fn document(shape: &Shape, len: usize, which: usize, rest: &[u8]) -> Vec<u8> {
    let codec = &CODECS[which % CODECS.len()];
    let name = codec.info().xml_name.unwrap_or("UTF-8");
    let mut bytes = match can_encode(&**codec) {
        true => encode(&**codec, &format!("<?xml version='1.0' encoding='{name}'?><a>")),
        false => Vec::new(),
    };
    bytes.extend_from_slice(rest);
    let most = match shape {
        Shape::Fixed { lrecl } => *lrecl as usize,
        _ => len % 120 + 1,
    };
    let mut framed = Vec::new();
    if let Ok(mut framer) = Framer::new(shape, b" ") {
        let mut records = bytes.chunks(most.min(shape.longest()));
        // Records that are too long for their shape are left out.
        if records.try_for_each(|record| framer.record(record, 0, &mut framed)).is_ok() {
            framer.finish(&mut framed);
        }
    }
    framed
}
