//! Records through the transcoder: each decoded by itself, trimmed, and written as a line or a record again; and no way
//! of cutting the input makes a difference.

mod common;

use charpipe::records::{Carriage, Framer, Shape};
use charpipe::{
    Blanks, Controls, Eol, ErrorKind, Gaps, InRecord, OnMalformed, OnUnmappable, Overlong, RecordPosition, Registry,
    Transcode,
};
use common::{Stutter, drive, encode, invariant, whole};
use proptest::prelude::*;

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

fn framed(shape: &Shape, records: &[Vec<u8>]) -> Vec<u8> {
    let mut framer = Framer::new(shape, b"\x40").unwrap();
    let mut bytes = Vec::new();
    for record in records {
        framer.record(record, 0, &mut bytes).unwrap();
    }
    framer.finish(&mut bytes);
    bytes
}

fn ebcdic(text: &str) -> Vec<u8> {
    encode(&*Registry::builtin().codec("IBM037").unwrap(), text)
}

fn job(from: &str, records: &str) -> Transcode {
    Transcode::new().from(from).unwrap().records(shape(records))
}

const SHAPES: [&str; 13] = [
    "fb:7",
    "fb:80",
    "rdw",
    "rdw:exclusive",
    "rdw:le",
    "rdw:le:exclusive",
    "vb:40",
    "vbs:32",
    "u32",
    "u16",
    "mode-b",
    "awstape,fb:11",
    "awstape,vbs:40",
];

/// Text as records have it: words, blanks at the end, some NULs.
fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop::collection::vec(prop::sample::select(vec!["A", "é", "x1", " ", "  ", "\0", "   ", "漢字"]), 0..9),
        0..9,
    )
    .prop_map(|records| records.into_iter().map(|words| words.concat()).collect())
}

/// How a line is to look, said another way: the record's own text, trimmed.
fn line(charset: &str, record: &[u8], blanks: Blanks) -> String {
    let text = Transcode::new().from(charset).unwrap().decode(record).unwrap().into_owned();
    match blanks {
        Blanks::Trim => text.trim_end_matches(' ').to_owned(),
        Blanks::TrimNuls => text.trim_end_matches([' ', '\0']).to_owned(),
        _ => text,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// What comes out is each record by itself, whatever the shape.
    #[test]
    fn each_record_by_itself(
        texts in texts(),
        which in 0..SHAPES.len(),
        charset in prop::sample::select(vec!["IBM037", "IBM939", "IBM1388", "UTF-8"]),
        blanks in prop::sample::select(vec![Blanks::Trim, Blanks::TrimNuls, Blanks::Keep]),
        to in prop::sample::select(vec!["UTF-8", "UTF-16LE", "IBM1399"]),
    ) {
        let codec = Registry::builtin().codec(charset).unwrap();
        let shape = shape(SHAPES[which]);
        let mut records: Vec<Vec<u8>> = texts.iter().map(|text| encode(&*codec, text)).collect();
        let lrecl = match &shape {
            Shape::Fixed { lrecl } => Some(*lrecl),
            Shape::AwsTape { shape, .. } => match **shape { Shape::Fixed { lrecl } => Some(lrecl), _ => None },
            _ => None,
        };
        if let Some(lrecl) = lrecl {
            // As long as they have to be; what does not fit is left out.
            records.retain(|record| record.len() <= lrecl as usize);
            records.iter_mut().for_each(|record| record.resize(lrecl as usize, 0x40));
        } else {
            records.retain(|record| record.len() <= shape.longest());
        }
        let input = framed(&shape, &records);
        let job = Transcode::new().from(charset).unwrap().records(shape).blanks(blanks).to(to).unwrap();
        let outcome = whole(&job.unmappable(OnUnmappable::Drop), &input);
        prop_assert_eq!(&outcome.error, &None);
        let expected: String = records.iter().map(|record| line(charset, record, blanks) + "\n").collect();
        let mut wanted = Vec::new();
        Transcode::new().from("UTF-8").unwrap().to(to).unwrap().unmappable(OnUnmappable::Drop)
            .run(expected.as_bytes(), &mut wanted).unwrap();
        // A mixed page shifts back at each end.
        if to == "IBM1399" {
            let read = |bytes: &[u8]| Transcode::new().from(to).unwrap().decode(bytes).unwrap().into_owned();
            prop_assert_eq!(read(&outcome.output), read(&wanted));
        } else {
            prop_assert_eq!(outcome.output, wanted);
        }
    }

    /// No cut and no room makes a difference, whatever the bytes and the options.
    #[test]
    fn any_cut(
        input in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            prop::collection::vec(prop::sample::select(b"\x00\x04\x06\x40\xC1\x0E\x0F\x42\x15\x25\x12\x5C\x80\x01\x02\xF1".to_vec()), 0..200),
            (texts(), 0..SHAPES.len()).prop_map(|(texts, which)| {
                let mut records: Vec<Vec<u8>> = texts.iter().map(|text| ebcdic(text)).collect();
                records.iter_mut().for_each(|record| record.truncate(7));
                framed(&shape(SHAPES[which]), &records)
            }),
        ],
        which in 0..SHAPES.len(),
        charset in prop::sample::select(vec![Some("IBM037"), Some("IBM939"), Some("UTF-8"), Some("UTF-16BE"), Some("IBM300"), None]),
        to in prop::sample::select(vec!["UTF-8", "UTF-16LE", "IBM1399", "US-ASCII", "IBM300"]),
        policies in (
            prop::sample::select(vec![OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop]),
            prop::sample::select(vec![Blanks::Trim, Blanks::TrimNuls, Blanks::Keep]),
            prop::sample::select(vec![Controls::Keep, Controls::Space, Controls::Error, Controls::Xml, Controls::Drop]),
            prop::sample::select(vec![InRecord::Keep, InRecord::Space, InRecord::Error]),
            prop::sample::select(vec![Eol::Auto, Eol::Crlf]),
        ),
        carriage in prop::option::of(prop::sample::select(vec![Carriage::Asa, Carriage::Machine])),
        columns in prop::option::of(prop::sample::select(vec!["1-3", "2-4,6-", "3", "1-"])),
        to_records in prop::option::of(prop::sample::select(vec!["fb:9", "rdw", "vb:30", "u32", "vbs:20"])),
        flags in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        cuts in prop::collection::vec(0usize..9, 1..20),
        rooms in prop::collection::vec(0usize..200, 1..8),
    ) {
        let (malformed, blanks, controls, newlines, eol) = policies;
        let (hex, spaced, cut, strict) = flags;
        let mut job = Transcode::new().to(to).unwrap().records(shape(SHAPES[which]))
            .malformed(malformed).unmappable(if cut { OnUnmappable::Replace } else { OnUnmappable::Fail })
            .blanks(blanks).controls(controls).newlines_in_records(newlines).eol(eol)
            .gaps(if hex { Gaps::Hex } else { Gaps::Drop })
            .shifts_as_blanks(spaced).strict(strict)
            .overlong(if cut { Overlong::Cut } else { Overlong::Fail });
        if let Some(charset) = charset {
            job = job.from(charset).unwrap();
        }
        if let Some(columns) = columns {
            job = job.columns(columns.parse().unwrap());
        }
        match (carriage, to_records) {
            (Some(carriage), _) => job = job.carriage(carriage),
            (None, Some(to_records)) => job = job.to_records(shape(to_records)),
            (None, None) => {}
        }
        let expected = whole(&job, &input);
        let mut rooms = rooms;
        rooms.push(100);
        let got = drive(&job, &input, &mut cuts.iter().copied().chain([1]).cycle(), &mut rooms.iter().copied().cycle(), true);
        prop_assert_eq!(&got, &expected);
        let got = drive(&job, &input, &mut std::iter::repeat(1), &mut std::iter::repeat(70), false);
        prop_assert_eq!(&got, &expected);
    }
}

#[test]
fn blanks_are_trimmed_as_text() {
    // Within a shift run 4040 is U+3000, no blank; behind it 40 is one.
    let record = b"\xC1\x0E\x42\xC1\x40\x40\x0F\x40\x40";
    let outcome = invariant(&job("IBM939", "fb:9"), record, "mixed");
    assert_eq!(outcome.text(), "AＡ\u{3000}\n");
    // A pure double-byte page has no other blank.
    let outcome = invariant(&job("IBM300", "fb:8"), b"\x42\xC1\x40\x40\x42\xC2\x40\x40", "pure");
    assert_eq!(outcome.text(), "Ａ\u{3000}Ｂ\n");
    // Blanks and NULs, and a record of nothing else.
    let nuls = job("IBM037", "fb:6").blanks(Blanks::TrimNuls);
    let outcome = invariant(&nuls, b"\xC1\x00\x40\x00\x40\x40\x40\x00\x40\x00\x00\x00", "NULs");
    assert_eq!(outcome.text(), "A\n\n");
    let outcome = invariant(&job("IBM037", "fb:6").blanks(Blanks::Keep), b"\xC1\x40\x40\x40\x40\x40", "kept");
    assert_eq!(outcome.text(), "A     \n");
}

#[test]
fn the_shift_state_starts_afresh_in_every_record() {
    // Each record is cut within a run of pairs, without a shift in; the second also within a pair.
    let input = b"\xC1\xC2\x0E\x45\x62\x45\xC1\xC2\x0E\x45\x62\x45";
    let outcome = whole(&job("IBM939", "fb:6"), input);
    assert_eq!(outcome.error.as_deref(), Some("byte 5: record 1, column 6: 45 is not valid IBM939"));
    let outcome = invariant(&job("IBM939", "fb:6").malformed(OnMalformed::Replace), input, "cut");
    assert_eq!(
        outcome.text(),
        "AB字\u{FFFD}\nAB字\u{FFFD}\n".replace('字', &line("IBM939", b"\x0E\x45\x62\x0F", Blanks::Keep))
    );
}

#[test]
fn shift_codes_can_be_blanks() {
    let outcome = invariant(&job("IBM939", "fb:7").shifts_as_blanks(true), b"\xC1\x0E\x42\xC1\x0F\xC2\x40", "shifts");
    assert_eq!(outcome.text(), "A Ａ B\n");
    let outcome = invariant(&job("IBM037", "fb:3").shifts_as_blanks(true), b"\xC1\x0E\xC2", "no shifts there");
    assert_eq!(outcome.text(), "A\u{E}B\n");
}

#[test]
fn faults_say_record_and_column() {
    // 42 40 is no pair: in the third record, after its descriptor word, in the second segment of the record.
    let input =
        b"\x00\x0E\x00\x00\x00\x05\x00\x00\xC1\x00\x05\x00\x00\xC2\x00\x0C\x00\x00\x00\x08\x01\x00\xC3\x0E\x42\xC1\
        \x00\x0A\x00\x00\x00\x06\x02\x00\x00\x00";
    let (outcome, _) = (whole(&job("IBM939", "vbs"), &input[..0]), ());
    assert_eq!(outcome.error, None);
    let mut output = Vec::new();
    let error = job("IBM939", "vbs").run(&input[..], &mut output).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Malformed { bytes, .. } if bytes == b"\x00"), "{error:?}");
    assert_eq!(error.offset(), Some(34));
    assert_eq!(error.record(), Some(RecordPosition { number: 3, column: 5 }));
    assert_eq!(output, "A\nB\nCＡ".as_bytes());
    invariant(&job("IBM939", "vbs"), input, "spanned");

    // The pair itself is cut by the segment's end: its first byte is in the one before.
    let input = b"\x00\x0B\x00\x00\x00\x07\x01\x00\xC3\x0E\x42\x00\x0A\x00\x00\x00\x06\x02\x00\x00\x00";
    let error = job("IBM939", "vbs").run(&input[..], &mut Vec::new()).unwrap_err();
    assert_eq!((error.offset(), error.record()), (Some(10), Some(RecordPosition { number: 1, column: 3 })));

    // Characters that the target lacks.
    let input = framed(&Shape::RDW, &[ebcdic("abc"), ebcdic("a é")]);
    let error = job("IBM037", "rdw").to("US-ASCII").unwrap().run(&input[..], &mut Vec::new()).unwrap_err();
    assert_eq!((error.offset(), error.record()), (Some(13), Some(RecordPosition { number: 2, column: 3 })));
    let report = job("IBM037", "rdw")
        .to("US-ASCII")
        .unwrap()
        .unmappable(OnUnmappable::Drop)
        .run(&input[..], &mut Vec::new())
        .unwrap();
    assert_eq!(report.unmappable.first[0].record, Some(RecordPosition { number: 2, column: 3 }));
    assert_eq!(report.records, Some(2));
}

/// The place of a record that is too long is where it begins, also where text passes as it is.
#[test]
fn a_record_without_room_is_named_by_its_beginning() {
    for (input, record, offset) in [
        (&b"abc\xDB\xA7\xA7"[..], 2, 3),
        (b"\xC1\0\0\x11\0\0\x02\0\x3C\xDB\xA7\xA7", 4, 9),
        (b"ab\0\0\0\0\xDB\xA7\xA7", 3, 6),
    ] {
        let job =
            job("UTF-8", "fb:3").to_records(shape("fb:4")).malformed(OnMalformed::Escape).blanks(Blanks::TrimNuls);
        let outcome = invariant(&job, input, "too long");
        assert_eq!(outcome.error, Some(format!("byte {offset}: record {record} is longer than 4 bytes")));
        assert_eq!(outcome.offset, Some(offset));
    }
}

/// What stands for characters that the target lacks can be cut as the others can.
#[test]
fn a_record_of_substitutes_is_cut() {
    let input = framed(&shape("rdw"), &["ab".into(), "a😀😀b".into()]);
    let job = job("UTF-8", "rdw").to("IBM937").unwrap().to_records(shape("fb:6"));
    let job = job.unmappable(OnUnmappable::Replace).overlong(Overlong::Cut);
    let outcome = invariant(&job, &input, "substitutes");
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.output, b"\x81\x82\x40\x40\x40\x40\x81\x0E\xFE\xFE\x0F\x40");
}

#[test]
fn a_record_that_cannot_be_filled_up_is_named_by_its_beginning() {
    let job = job("UTF-8", "rdw").to("IBM300").unwrap().to_records(shape("fb:5"));
    let outcome = invariant(&job, &framed(&shape("rdw"), &["漢".into()]), "an odd length");
    assert_eq!(outcome.offset, Some(4), "{:?}", outcome.error);
}

#[test]
fn wrong_framing_stops_behind_good_output() {
    let input = b"\x00\x06\x00\x00\xC1\xC2\x00\x03\x00\x00\xC3";
    let outcome = invariant(&job("IBM037", "rdw"), input, "bad header");
    assert_eq!(outcome.text(), "AB\n");
    let words = "byte 6: record 2: the header 00 03 00 00 is wrong: the length is less than that of the RDW itself";
    assert_eq!(outcome.error.as_deref(), Some(words));
    let outcome = invariant(&job("IBM037", "fb:4"), b"\xC1\xC2\xC3\xC4\xC5\xC6", "cut");
    assert_eq!((outcome.text(), outcome.offset), ("ABCD\nEF", Some(6)));
    let words = "byte 6: record 2, which begins at byte 4, is cut: at least 2 more bytes belong to it";
    assert_eq!(outcome.error.as_deref(), Some(words));
}

#[test]
fn carriage_control() {
    let records = ["1TITLE", " a", "0b", "-c", "+_", "xd"].map(ebcdic);
    let input = framed(&Shape::RDW, &records);
    for (eol, controls) in [(Eol::Auto, Controls::Keep), (Eol::Crlf, Controls::Keep), (Eol::Auto, Controls::Drop)] {
        let job = job("IBM037", "rdw").carriage(Carriage::Asa).eol(eol).controls(controls);
        let outcome = invariant(&job, &input, "ASA");
        let wanted = "\u{C}TITLE\na\n\nb\n\n\nc\r_\nd\n";
        assert_eq!(outcome.text(), if eol == Eol::Crlf { wanted.replace('\n', "\r\n") } else { wanted.into() });
        assert!(outcome.faults.contains("carriage-control-unknown"), "{}", outcome.faults);
    }
    let mut records = ["\0a", "\0b", "\0c", "\0", "\0d"].map(ebcdic);
    for (record, code) in records.iter_mut().zip([0x09, 0x01, 0x11, 0x8B, 0x09]) {
        record[0] = code;
    }
    let outcome =
        invariant(&job("IBM037", "rdw").carriage(Carriage::Machine), &framed(&Shape::RDW, &records), "machine");
    assert_eq!(outcome.text(), "a\nb\rc\n\n\u{C}d\n");
}

#[test]
fn columns() {
    let input = b"\xC1\xC2\x12\x3C\xC3\x40\xC4\xC5\x00\x0D\xC6\xC7";
    let columns = job("IBM037", "fb:6").columns("1-2,5-".parse().unwrap());
    assert_eq!(invariant(&columns, input, "dropped").text(), "ABC\nDEFG\n");
    assert_eq!(invariant(&columns.gaps(Gaps::Hex), input, "hex").text(), "AB123CC\nDE000DFG\n");
    // A run of pairs ends where its columns do.
    let columns = job("IBM939", "fb:6").columns("1-3,5-".parse().unwrap()).malformed(OnMalformed::Replace);
    assert_eq!(invariant(&columns, b"\x0E\x42\xC1\x00\xC1\xC2", "mixed").text(), "ＡAB\n");
}

#[test]
fn packed_decimals_are_warned_of_once() {
    let input = b"\xC1\xC2\x40\x00\x12\x3C\xC1\xC2\x40\x00\x12\x3C";
    let outcome = invariant(&job("IBM037", "fb:6"), input, "packed");
    assert_eq!(outcome.faults.matches("looks-packed").count(), 1);
    assert!(outcome.faults.contains("offset: 3"), "{}", outcome.faults);
    let outcome = invariant(&job("IBM037", "fb:6").strict(true), input, "strict");
    assert_eq!((outcome.offset, outcome.output.len()), (Some(3), 6));
    let columns = job("IBM037", "fb:6").columns("1-3".parse().unwrap());
    assert!(!invariant(&columns, input, "text only").faults.contains("looks-packed"));
}

#[test]
fn newlines_in_records() {
    let input = framed(&Shape::RDW, &[ebcdic("a\nb\rc\u{85}d"), ebcdic("e")]);
    let with = |policy| job("IBM037", "rdw").newlines_in_records(policy);
    assert_eq!(invariant(&with(InRecord::Keep), &input, "kept").text(), "a\nb\rc\u{85}d\ne\n");
    assert_eq!(invariant(&with(InRecord::Space), &input, "blanks").text(), "a b c d\ne\n");
    let outcome = invariant(&with(InRecord::Error), &input, "error");
    assert_eq!(outcome.text(), "a");
    assert_eq!(outcome.error.as_deref(), Some("byte 5: record 1, column 2: U+000A within a record: a newline"));
}

#[test]
fn controls_by_policy() {
    let with = |policy| Transcode::new().from("IBM037").unwrap().controls(policy);
    let input = ebcdic("a\0b\u{1A}c\u{80}\t\n");
    assert_eq!(invariant(&with(Controls::Keep), &input, "kept").text(), "a\0b\u{1A}c\u{80}\t\n");
    assert_eq!(invariant(&with(Controls::Space), &input, "space").text(), "a b c \t\n");
    assert_eq!(invariant(&with(Controls::Drop), &input, "drop").text(), "abc\t\n");
    let outcome = invariant(&with(Controls::Xml), &input, "xml");
    assert_eq!(outcome.text(), "a b c\u{80}\t\n");
    assert!(outcome.faults.contains("offset: 3, ch: '\\u{1a}'"), "{}", outcome.faults);
    let outcome = invariant(&with(Controls::Error), &input, "error");
    assert_eq!((outcome.text(), outcome.offset), ("a", Some(1)));
}

#[test]
fn a_text_of_nel_alone_is_worth_a_hint() {
    let job = Transcode::new().from("IBM037").unwrap();
    assert!(invariant(&job, &ebcdic("abc\u{85}def\u{85}"), "NEL").faults.contains("nel-kept"));
    for text in ["abc\u{85}def\n", "abc", ""] {
        assert!(!invariant(&job, &ebcdic(text), "other").faults.contains("nel-kept"), "{text:?}");
    }
    // None at all is odd in a long text: it may be records.
    assert!(whole(&job, &ebcdic(&"abc ".repeat(600))).faults.contains("no-newline"));
    assert!(!whole(&job, &ebcdic(&"abc ".repeat(400))).faults.contains("no-newline"));
    assert!(!whole(&job, &ebcdic(&("abc ".repeat(600) + "\n"))).faults.contains("no-newline"));
    let outcome = invariant(&job.clone().eol(Eol::Lf), &ebcdic("a\u{85}"), "converted");
    assert!(!outcome.faults.contains("nel-kept"));
}

#[test]
fn lines_become_records() {
    let to =
        |shape_text: &str| Transcode::new().from("UTF-8").unwrap().to("IBM939").unwrap().to_records(shape(shape_text));
    let outcome = invariant(&to("fb:6"), "AB\r\n\nＡ\u{85}x".as_bytes(), "fixed");
    assert_eq!(
        outcome.output,
        b"\xC1\xC2\x40\x40\x40\x40\x40\x40\x40\x40\x40\x40\x0E\x42\xC1\x0F\x40\x40\xA7\x40\x40\x40\x40\x40"
    );
    let outcome = invariant(&to("vb:20"), "AB\nＡ\nxyz".as_bytes(), "vb");
    assert_eq!(
        outcome.output,
        b"\x00\x12\x00\x00\x00\x06\x00\x00\xC1\xC2\x00\x08\x00\x00\x0E\x42\xC1\x0F\x00\x0B\x00\x00\x00\x07\x00\x00\xA7\xA8\xA9"
    );
    assert_eq!(invariant(&to("u32"), b"", "nothing").output, b"");
    // Too long, in encoded bytes: four characters of text are ten of them.
    let outcome = invariant(&to("fb:9"), "good\nＡＡＡＡ\n".as_bytes(), "too long");
    assert_eq!(outcome.output.len(), 9);
    assert_eq!(outcome.error.as_deref(), Some("byte 5: record 2 is longer than 9 bytes"));
    let outcome = invariant(&to("fb:9").overlong(Overlong::Cut), "good\nＡＡＡＡ\nabcdefghijk\n".as_bytes(), "cut");
    assert_eq!(outcome.output[9..], *b"\x0E\x42\xC1\x42\xC1\x42\xC1\x0F\x40\x81\x82\x83\x84\x85\x86\x87\x88\x89");
    // Blanks that do not fit are none of its length.
    assert_eq!(invariant(&to("fb:2"), b"AB    \n", "blanks").output, b"\xC1\xC2");
    let long = " ".repeat(200_000) + "x\n";
    assert!(whole(&to("fb:2"), long.as_bytes()).error.is_some());
}

#[test]
fn records_become_records() {
    let records = ["abc  ", "", "d", " e"].map(ebcdic).to_vec();
    for from in SHAPES {
        let shape_from = shape(from);
        let records: Vec<Vec<u8>> = records.iter().map(|record| record[..record.len().min(7)].to_vec()).collect();
        let input = framed(&shape_from, &records);
        // The same again, byte for byte.
        let job = job("IBM037", from).to("IBM037").unwrap().to_records(shape_from);
        assert_eq!(invariant(&job, &input, from).output, input, "{from}");
    }
    // A newline in a record is a character like another.
    let input = framed(&Shape::RDW, &[ebcdic("a\nb")]);
    let job = job("IBM037", "rdw").to("IBM1047").unwrap().to_records(Shape::U16);
    assert_eq!(invariant(&job, &input, "newline").output, b"\x00\x03\x81\x25\x82");
}

#[test]
fn documents_in_records_keep_a_true_label() {
    let lines = ["<?xml version='1.0'", " encoding='IBM037'?>", "<a>é</a>"];
    for shape_text in ["rdw", "fb:20", "vbs:16"] {
        let shape = shape(shape_text);
        let input = framed(&shape, &lines.map(ebcdic));
        let job = Transcode::new().records(shape);
        let outcome = invariant(&job, &input, shape_text);
        assert_eq!(outcome.text(), "<?xml version='1.0'\n encoding='UTF-8'?>\n<a>é</a>\n", "{shape_text}");
        let mut transcoder = job.transcoder().unwrap();
        let mut room = vec![0; 1 << 16];
        let _ = transcoder.step(&input, &mut room, true).unwrap();
        let span = transcoder.verdict().unwrap().declared_span.clone().unwrap();
        if shape_text != "vbs:16" {
            assert_eq!(input[span.start as usize..span.end as usize], ebcdic("IBM037"), "{shape_text}");
        }
    }
}

#[test]
fn a_stuttering_reader() {
    let input = framed(&shape("vbs:30"), &vec![ebcdic("some text  "); 20]);
    let mut output = Vec::new();
    job("IBM037", "vbs").run(Stutter::new(&input), &mut output).unwrap();
    assert_eq!(output, b"some text\n".repeat(20));
}

#[test]
fn options_that_do_not_go_together() {
    let refused = |job: Transcode| matches!(job.transcoder().err().unwrap().kind(), ErrorKind::Options { .. });
    assert!(refused(Transcode::new().carriage(Carriage::Asa)));
    assert!(refused(Transcode::new().columns("1-".parse().unwrap())));
    assert!(refused(job("IBM037", "rdw").carriage(Carriage::Asa).to_records(Shape::U32)));
}
