//! Tests whole conversions of records. Each record is decoded on its own, trimmed, and written as a line or as a
//! record. The result does not depend on how the input is cut.

use crate::common;

use crate::common::{Stutter, drive, encode, invariant, sample, whole};
use charpipe::records::{Carriage, Framer, Shape};
use charpipe::{
    Bom, Eol, ErrorKind, Gaps, Kind, OnControl, OnMalformed, OnNewlineInRecord, OnOverlong, OnUnmappable, Padding,
    RecordPosition, Registry, Relabel, Transcode,
};
use proptest::prelude::*;

/// Returns the numbers of the record and the column.
fn place(position: Option<RecordPosition>) -> Option<(u64, u64)> {
    position.map(|at| (at.number, at.column))
}

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
    Transcode::new().source_encoding(from).unwrap().records(shape(records))
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

/// Generates texts like those in records: words, trailing spaces, some NULs.
fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop::collection::vec(prop::sample::select(vec!["A", "é", "x1", " ", "  ", "\0", "   ", "漢字"]), 0..9),
        0..9,
    )
    .prop_map(|records| records.into_iter().map(|words| words.concat()).collect())
}

/// Returns the expected line of a record, computed another way: the record is decoded alone, then trimmed.
fn line(charset: &str, record: &[u8], blanks: Padding) -> String {
    let text = Transcode::new().source_encoding(charset).unwrap().decode(record).unwrap().into_owned();
    match blanks {
        Padding::Trim => text.trim_end_matches(' ').to_owned(),
        Padding::Nuls => text.trim_end_matches('\0').to_owned(),
        Padding::TrimNuls => text.trim_end_matches([' ', '\0']).to_owned(),
        _ => text,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample::cases(150)))]

    /// The output consists of the text of each record, decoded independently, for every shape.
    #[test]
    fn each_record_is_decoded_on_its_own(
        texts in texts(),
        which in 0..SHAPES.len(),
        charset in prop::sample::select(vec!["IBM037", "IBM939", "IBM1388", "UTF-8"]),
        blanks in prop::sample::select(vec![Padding::Trim, Padding::Nuls, Padding::TrimNuls, Padding::Keep]),
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
            // Records that are too long are left out, and shorter ones are padded.
            records.retain(|record| record.len() <= lrecl as usize);
            records.iter_mut().for_each(|record| record.resize(lrecl as usize, 0x40));
        } else {
            records.retain(|record| record.len() <= shape.longest());
        }
        let input = framed(&shape, &records);
        let job = Transcode::new().source_encoding(charset).unwrap().records(shape).padding(blanks).target_encoding(to).unwrap();
        let outcome = whole(&job.on_unmappable(OnUnmappable::Drop), &input);
        prop_assert_eq!(&outcome.error, &None);
        let expected: String = records.iter().map(|record| line(charset, record, blanks) + "\n").collect();
        let mut expected_bytes = Vec::new();
        Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(to).unwrap().on_unmappable(OnUnmappable::Drop)
            .run(expected.as_bytes(), &mut expected_bytes).unwrap();
        // On a mixed page, the end of each record is encoded with a shift-in, so the bytes differ but not the text.
        if to == "IBM1399" {
            let read = |bytes: &[u8]| Transcode::new().source_encoding(to).unwrap().decode(bytes).unwrap().into_owned();
            prop_assert_eq!(read(&outcome.output), read(&expected_bytes));
        } else {
            prop_assert_eq!(outcome.output, expected_bytes);
        }
    }

    /// For any bytes and options, the result does not depend on how the input is cut or on the size of the output
    /// buffer.
    #[test]
    fn cuts_and_buffer_sizes_make_no_difference(
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
            prop::sample::select(vec![Padding::Trim, Padding::Nuls, Padding::TrimNuls, Padding::Keep]),
            prop::sample::select(vec![OnControl::Keep, OnControl::Space, OnControl::Error, OnControl::Xml, OnControl::Drop]),
            prop::sample::select(vec![None, Some(OnNewlineInRecord::Keep), Some(OnNewlineInRecord::Space), Some(OnNewlineInRecord::Error)]),
            prop::sample::select(vec![Eol::Auto, Eol::Crlf]),
        ),
        carriage in prop::option::of(prop::sample::select(vec![Carriage::Asa, Carriage::Machine])),
        columns in prop::option::of(prop::sample::select(vec!["1-3", "2-4,6-", "3", "1-"])),
        to_records in prop::option::of(prop::sample::select(vec!["fb:9", "rdw", "vb:30", "u32", "vbs:20"])),
        flags in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        cuts in prop::collection::vec(0usize..9, 1..20),
        buffer_sizes in prop::collection::vec(0usize..200, 1..8),
    ) {
        let (malformed, blanks, controls, newlines, eol) = policies;
        let (hex, spaced, cut, strict) = flags;
        let mut job = Transcode::new().target_encoding(to).unwrap().records(shape(SHAPES[which]))
            .on_malformed(malformed).on_unmappable(if cut { OnUnmappable::Replace } else { OnUnmappable::Fail })
            .padding(blanks).on_control(controls).eol(eol)
            .gaps(if hex { Gaps::Hex } else { Gaps::Drop })
            .shifts_as_blanks(spaced).strict(strict)
            .on_overlong(if cut { OnOverlong::Cut } else { OnOverlong::Fail });
        if let Some(newlines) = newlines {
            job = job.on_newline_in_record(newlines);
        }
        if let Some(charset) = charset {
            job = job.source_encoding(charset).unwrap();
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
        let mut buffer_sizes = buffer_sizes;
        buffer_sizes.push(100);
        let got = drive(&job, &input, &mut cuts.iter().copied().chain([1]).cycle(), &mut buffer_sizes.iter().copied().cycle(), true);
        prop_assert_eq!(&got, &expected);
        let got = drive(&job, &input, &mut std::iter::repeat(1), &mut std::iter::repeat(70), false);
        prop_assert_eq!(&got, &expected);
    }
}

#[test]
fn blanks_are_trimmed_as_text() {
    // Inside a run of double bytes, 4040 is U+3000, which is not trimmed. After the run, 40 is a space.
    let record = b"\xC1\x0E\x42\xC1\x40\x40\x0F\x40\x40";
    let outcome = invariant(&job("IBM939", "fb:9"), record, "mixed");
    assert_eq!(outcome.text(), "AＡ\u{3000}\n");
    // On a pure double-byte page, U+3000 is the only blank, so it is trimmed.
    let outcome = invariant(&job("IBM300", "fb:8"), b"\x42\xC1\x40\x40\x42\xC2\x40\x40", "pure");
    assert_eq!(outcome.text(), "Ａ\u{3000}Ｂ\n");
    // A record that ends with spaces and NULs, and a record of nothing else.
    let nuls = job("IBM037", "fb:6").padding(Padding::TrimNuls);
    let outcome = invariant(&nuls, b"\xC1\x00\x40\x00\x40\x40\x40\x00\x40\x00\x00\x00", "NULs");
    assert_eq!(outcome.text(), "A\n\n");
    let outcome = invariant(&job("IBM037", "fb:6").padding(Padding::Keep), b"\xC1\x40\x40\x40\x40\x40", "kept");
    assert_eq!(outcome.text(), "A     \n");
}

#[test]
fn every_record_begins_without_shift_state() {
    // Each record ends inside a run of double bytes, without a shift-in, and half way through a pair.
    let input = b"\xC1\xC2\x0E\x45\x62\x45\xC1\xC2\x0E\x45\x62\x45";
    let outcome = whole(&job("IBM939", "fb:6"), input);
    assert_eq!(outcome.error.as_deref(), Some("byte 5: record 1, column 6: 45 is not valid IBM939"));
    let outcome = invariant(&job("IBM939", "fb:6").on_malformed(OnMalformed::Replace), input, "cut");
    assert_eq!(
        outcome.text(),
        "AB字\u{FFFD}\nAB字\u{FFFD}\n".replace('字', &line("IBM939", b"\x0E\x45\x62\x0F", Padding::Keep))
    );
}

#[test]
fn shift_codes_can_be_blanks() {
    let outcome = invariant(&job("IBM939", "fb:7").shifts_as_blanks(true), b"\xC1\x0E\x42\xC1\x0F\xC2\x40", "shifts");
    assert_eq!(outcome.text(), "A Ａ B\n");
    let outcome =
        invariant(&job("IBM037", "fb:3").shifts_as_blanks(true), b"\xC1\x0E\xC2", "a page without shift codes");
    assert_eq!(outcome.text(), "A\u{E}B\n");
}

#[test]
fn errors_have_record_and_column() {
    // In the third record, 00 is malformed within double-byte text. It is the first byte of the record's second
    // segment.
    let input =
        b"\x00\x0E\x00\x00\x00\x05\x00\x00\xC1\x00\x05\x00\x00\xC2\x00\x0C\x00\x00\x00\x08\x01\x00\xC3\x0E\x42\xC1\
        \x00\x0A\x00\x00\x00\x06\x02\x00\x00\x00";
    let outcome = whole(&job("IBM939", "vbs"), &input[..0]);
    assert_eq!(outcome.error, None);
    let mut output = Vec::new();
    let error = job("IBM939", "vbs").run(&input[..], &mut output).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Malformed { bytes, .. } if bytes == b"\x00"), "{error:?}");
    assert_eq!(error.offset(), Some(34));
    assert_eq!(place(error.record()), Some((3, 5)));
    assert_eq!(output, "A\nB\nCＡ".as_bytes());
    invariant(&job("IBM939", "vbs"), input, "spanned");

    // The malformed pair 42 00 is split across two segments; its first byte is in the first one.
    let input = b"\x00\x0B\x00\x00\x00\x07\x01\x00\xC3\x0E\x42\x00\x0A\x00\x00\x00\x06\x02\x00\x00\x00";
    let error = job("IBM939", "vbs").run(&input[..], &mut Vec::new()).unwrap_err();
    assert_eq!((error.offset(), place(error.record())), (Some(10), Some((1, 3))));

    // A character that the target lacks.
    let input = framed(&Shape::RDW, &[ebcdic("abc"), ebcdic("a é")]);
    let error = job("IBM037", "rdw").target_encoding("US-ASCII").unwrap().run(&input[..], &mut Vec::new()).unwrap_err();
    assert_eq!((error.offset(), place(error.record())), (Some(13), Some((2, 3))));
    let report = job("IBM037", "rdw")
        .target_encoding("US-ASCII")
        .unwrap()
        .on_unmappable(OnUnmappable::Drop)
        .run(&input[..], &mut Vec::new())
        .unwrap();
    assert_eq!(place(report.unmappable.first[0].record), Some((2, 3)));
    assert_eq!(report.records, Some(2));
}

/// Each record becomes exactly one line unless another policy is chosen. This holds for pages that take the fast path,
/// for other pages, for charsets based on ASCII, and for any target. If the output is records, they may contain
/// newlines.
#[test]
fn a_newline_inside_a_record_is_an_error_when_lines_are_written() {
    for from in ["IBM037", "IBM1047,nl=zos", "IBM1047,nl=fold", "IBM939", "ISO-8859-1", "UTF-8", "UTF-16BE"] {
        let codec = Registry::builtin().codec(from).unwrap();
        for (ch, to) in
            [('\n', "UTF-8"), ('\r', "UTF-8"), ('\u{85}', "UTF-8"), ('\u{85}', "IBM273"), ('\n', "UTF-16LE")]
        {
            let bytes = encode(&*codec, &format!("ab{ch}c"));
            if Transcode::new().source_encoding(from).unwrap().decode(&bytes).unwrap() != format!("ab{ch}c") {
                continue;
            }
            let input = framed(&Shape::U16, &[encode(&*codec, "abc"), encode(&*codec, ""), bytes]);
            let job = job(from, "u16").target_encoding(to).unwrap();
            let what = format!("{from} to {to}, {ch:?}");
            let outcome = invariant(&job, &input, &what);
            let message = outcome.error.clone().unwrap_or_default();
            assert!(
                message.contains("a newline, is inside a record") && message.contains("record 3"),
                "{what}: {outcome:?}"
            );
            let kept = invariant(&job.clone().on_newline_in_record(OnNewlineInRecord::Keep), &input, &what);
            assert!(kept.error.is_none() && kept.output.starts_with(&outcome.output), "{what}");
            let space = invariant(&job.clone().on_newline_in_record(OnNewlineInRecord::Space), &input, &what);
            assert!(space.error.is_none() && space.faults.contains("count: 1"), "{what}: {space:?}");
            let lines = Transcode::new().source_encoding(to).unwrap().decode(&space.output).unwrap().into_owned();
            assert_eq!(lines.split('\n').collect::<Vec<_>>(), ["abc", "", "ab c", ""], "{what}");
            let records = invariant(&job.to_records(Shape::U32), &input, &what);
            assert_eq!(records.error, None, "{what}");
        }
    }
    // Newlines that come from printer control are not newlines inside a record.
    let input = framed(&Shape::RDW, &[ebcdic("0a"), ebcdic(" b\n")]);
    let outcome = invariant(&job("IBM037", "rdw").carriage(Carriage::Asa), &input, "a printer");
    assert_eq!((outcome.text(), outcome.offset), ("\na\nb", Some(12)));
}

/// A conversion that begins on the fast path leaves it at the first newline in a record, and loses nothing there.
#[test]
fn a_newline_after_much_text() {
    let mut records = vec![ebcdic("some text   "); 9000];
    records[8000] = ebcdic("some\u{85}text  ");
    let input = framed(&Shape::RDW, &records);
    let job = job("IBM037", "rdw");
    let expected = |n: usize| "some text\n".repeat(n);
    let outcome = whole(&job, &input);
    assert_eq!((outcome.text(), outcome.offset), (&*(expected(8000) + "some"), Some(8000 * 16 + 8)));
    let space = job.on_newline_in_record(OnNewlineInRecord::Space);
    for jobs in [1, 2] {
        let mut output = Vec::new();
        let report =
            space.clone().jobs(jobs.try_into().unwrap()).block_bytes(1 << 14).run(&input[..], &mut output).unwrap();
        assert_eq!((String::from_utf8(output).unwrap(), report.records), (expected(9000), Some(9000)), "{jobs}");
        let newlines = report.record_newlines.unwrap();
        assert_eq!((newlines.count, newlines.first[0].offset), (1, 8000 * 16 + 8), "{jobs}");
    }
    for (cut, room) in [(1000, 700), (77, 64), (60_000, 1 << 16)] {
        let mut cuts = std::iter::repeat(cut);
        let got = drive(&space, &input, &mut cuts, &mut std::iter::repeat(room), true);
        assert_eq!(got, whole(&space, &input), "{cut} {room}");
    }
}

/// The report counts the records that were cut and the bytes that they lost.
#[test]
fn records_that_are_cut_are_counted() {
    let job =
        Transcode::new().source_encoding("UTF-8").unwrap().target_encoding("IBM939").unwrap().to_records(shape("fb:6"));
    let job = job.on_overlong(OnOverlong::Cut);
    let outcome = invariant(&job, "abcdef   \nabcdefgh\nＡＡＡ\nab\n".as_bytes(), "cut");
    let cut = "RecordsCut { count: 2, bytes: 4, first: [CutRecord { offset: 10, record: 2, bytes: 2, position: None }, \
               CutRecord { offset: 19, record: 3, bytes: 2, position: None }] }";
    assert!(outcome.faults.contains(cut), "{}", outcome.faults);
    assert!(invariant(&job, b"abc", "none").faults.contains("RecordsCut { count: 0, bytes: 0, first: [] }"));
    // The counts are the same with several jobs.
    let input = framed(&Shape::U16, &vec![ebcdic("seven!!"); 5000]);
    let job = self::job("IBM037", "u16")
        .target_encoding("IBM273")
        .unwrap()
        .to_records(shape("fb:5"))
        .on_overlong(OnOverlong::Cut);
    let report = |jobs: usize| {
        let job = job.clone().jobs(jobs.try_into().unwrap()).block_bytes(4096);
        format!("{:?}", job.run(&input[..], std::io::sink()).unwrap().records_cut)
    };
    assert!(report(1).starts_with("Some(RecordsCut { count: 5000, bytes: 10000,"), "{}", report(1));
    assert_eq!(report(1), report(2));
}

/// The offset of a record that is too long is the beginning of the record, even if its text is copied unchanged.
#[test]
fn an_overlong_record_is_reported_at_its_beginning() {
    for (input, record, offset) in [
        (&b"abc\xDB\xA7\xA7"[..], 2, 3),
        (b"\xC1\0\0\x11\0\0\x02\0\x3C\xDB\xA7\xA7", 4, 9),
        (b"ab\0\0\0\0\xDB\xA7\xA7", 3, 6),
    ] {
        let job =
            job("UTF-8", "fb:3").to_records(shape("fb:4")).on_malformed(OnMalformed::Escape).padding(Padding::TrimNuls);
        let outcome = invariant(&job, input, "too long");
        assert_eq!(outcome.error, Some(format!("byte {offset}: record {record} is longer than 4 bytes")));
        assert_eq!(outcome.offset, Some(offset));
    }
}

/// Substitutes for unmappable characters can be cut like other characters.
#[test]
fn a_record_of_substitutes_is_cut() {
    let input = framed(&shape("rdw"), &["ab".into(), "a😀😀b".into()]);
    let job = job("UTF-8", "rdw").target_encoding("IBM937").unwrap().to_records(shape("fb:6"));
    let job = job.on_unmappable(OnUnmappable::Replace).on_overlong(OnOverlong::Cut);
    let outcome = invariant(&job, &input, "substitutes");
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.output, b"\x81\x82\x40\x40\x40\x40\x81\x0E\xFE\xFE\x0F\x40");
}

#[test]
fn a_record_that_cannot_be_padded_is_reported_at_its_beginning() {
    let job = job("UTF-8", "rdw").target_encoding("IBM300").unwrap().to_records(shape("fb:5"));
    let outcome = invariant(&job, &framed(&shape("rdw"), &["漢".into()]), "an odd length");
    assert_eq!(outcome.offset, Some(4), "{:?}", outcome.error);
}

#[test]
fn wrong_framing_is_an_error_after_the_good_output() {
    let input = b"\x00\x06\x00\x00\xC1\xC2\x00\x03\x00\x00\xC3";
    let outcome = invariant(&job("IBM037", "rdw"), input, "bad header");
    assert_eq!(outcome.text(), "AB\n");
    let message = "byte 6: record 2: the header 00 03 00 00 is wrong: the length is smaller than the RDW itself";
    assert_eq!(outcome.error.as_deref(), Some(message));
    let outcome = invariant(&job("IBM037", "fb:4"), b"\xC1\xC2\xC3\xC4\xC5\xC6", "cut");
    assert_eq!((outcome.text(), outcome.offset), ("ABCD\nEF", Some(6)));
    let message = "byte 6: record 2, which begins at byte 4, is incomplete: it lacks at least 2 bytes";
    assert_eq!(outcome.error.as_deref(), Some(message));
}

#[test]
fn carriage_control() {
    let records = ["1TITLE", " a", "0b", "-c", "+_", "xd"].map(ebcdic);
    let input = framed(&Shape::RDW, &records);
    for (eol, controls) in [(Eol::Auto, OnControl::Keep), (Eol::Crlf, OnControl::Keep), (Eol::Auto, OnControl::Drop)] {
        let job = job("IBM037", "rdw").carriage(Carriage::Asa).eol(eol).on_control(controls);
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
    // A run of double bytes ends at the end of its columns.
    let columns = job("IBM939", "fb:6").columns("1-3,5-".parse().unwrap()).on_malformed(OnMalformed::Replace);
    assert_eq!(invariant(&columns, b"\x0E\x42\xC1\x00\xC1\xC2", "mixed").text(), "ＡAB\n");
}

#[test]
fn one_warning_about_packed_decimals() {
    let input = b"\xC1\xC2\x40\x00\x12\x3C\xC1\xC2\x40\x00\x12\x3C";
    let outcome = invariant(&job("IBM037", "fb:6"), input, "packed");
    assert_eq!(outcome.faults.matches("looks-packed").count(), 1);
    assert!(outcome.faults.contains("offset: 3"), "{}", outcome.faults);
    assert!(outcome.faults.contains("columns 4-6 "), "{}", outcome.faults);
    // With `strict` it is an error. The pattern is recognised after enough records, or at the end of the input.
    let outcome = invariant(&job("IBM037", "fb:6").strict(true), input, "strict");
    assert_eq!((outcome.offset, outcome.output.len()), (Some(3), 14));
    // One record is not enough to recognise a packed decimal.
    let once = b"\xC1\xC2\x40\x00\x12\x3C\xC1\xC2\x40\x00\x00\x01";
    assert!(!invariant(&job("IBM037", "fb:6"), once, "binary").faults.contains("looks-packed"));
    let columns = job("IBM037", "fb:6").columns("1-3".parse().unwrap());
    assert!(!invariant(&columns, input, "text only").faults.contains("looks-packed"));
}

#[test]
fn policies_for_newlines_in_records() {
    let input = framed(&Shape::RDW, &[ebcdic("a\nb\rc\u{85}d"), ebcdic("e")]);
    let with = |policy| job("IBM037", "rdw").on_newline_in_record(policy);
    assert_eq!(invariant(&with(OnNewlineInRecord::Keep), &input, "kept").text(), "a\nb\rc\u{85}d\ne\n");
    assert_eq!(invariant(&with(OnNewlineInRecord::Space), &input, "blanks").text(), "a b c d\ne\n");
    assert!(invariant(&with(OnNewlineInRecord::Space), &input, "counted").faults.contains("count: 3"));
    let outcome = invariant(&with(OnNewlineInRecord::Error), &input, "error");
    assert_eq!(outcome.text(), "a");
    assert_eq!(outcome.error.as_deref(), Some("byte 5: record 1, column 2: U+000A, a newline, is inside a record"));
}

#[test]
fn policies_for_control_characters() {
    let with = |policy| Transcode::new().source_encoding("IBM037").unwrap().on_control(policy);
    let input = ebcdic("a\0b\u{1A}c\u{80}\t\n");
    assert_eq!(invariant(&with(OnControl::Keep), &input, "kept").text(), "a\0b\u{1A}c\u{80}\t\n");
    assert_eq!(invariant(&with(OnControl::Space), &input, "space").text(), "a b c \t\n");
    assert_eq!(invariant(&with(OnControl::Drop), &input, "drop").text(), "abc\t\n");
    let outcome = invariant(&with(OnControl::Xml), &input, "xml");
    assert_eq!(outcome.text(), "a b c\u{80}\t\n");
    assert!(outcome.faults.contains("offset: 3, ch: '\\u{1a}'"), "{}", outcome.faults);
    let outcome = invariant(&with(OnControl::Error), &input, "error");
    assert_eq!((outcome.text(), outcome.offset), ("a", Some(1)));
}

#[test]
fn a_text_with_no_newlines_but_nel_gets_a_hint() {
    let job = Transcode::new().source_encoding("IBM037").unwrap();
    assert!(invariant(&job, &ebcdic("abc\u{85}def\u{85}"), "NEL").faults.contains("nel-kept"));
    for text in ["abc\u{85}def\n", "abc", ""] {
        assert!(!invariant(&job, &ebcdic(text), "other").faults.contains("nel-kept"), "{text:?}");
    }
    // A long text without any newline is suspicious: it may be records.
    assert!(whole(&job, &ebcdic(&"abc ".repeat(600))).faults.contains("no-newline"));
    assert!(!whole(&job, &ebcdic(&"abc ".repeat(400))).faults.contains("no-newline"));
    assert!(!whole(&job, &ebcdic(&("abc ".repeat(600) + "\n"))).faults.contains("no-newline"));
    let outcome = invariant(&job.clone().eol(Eol::Lf), &ebcdic("a\u{85}"), "converted");
    assert!(!outcome.faults.contains("nel-kept"));
}

#[test]
fn lines_become_records() {
    let to = |shape_text: &str| {
        Transcode::new()
            .source_encoding("UTF-8")
            .unwrap()
            .target_encoding("IBM939")
            .unwrap()
            .to_records(shape(shape_text))
    };
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
    // The length is counted in encoded bytes: these four characters are ten bytes.
    let outcome = invariant(&to("fb:9"), "good\nＡＡＡＡ\n".as_bytes(), "too long");
    assert_eq!(outcome.output.len(), 9);
    assert_eq!(outcome.error.as_deref(), Some("byte 5: record 2 is longer than 9 bytes"));
    let outcome =
        invariant(&to("fb:9").on_overlong(OnOverlong::Cut), "good\nＡＡＡＡ\nabcdefghijk\n".as_bytes(), "cut");
    assert_eq!(outcome.output[9..], *b"\x0E\x42\xC1\x42\xC1\x42\xC1\x0F\x40\x81\x82\x83\x84\x85\x86\x87\x88\x89");
    // Trailing spaces that do not fit do not make a record too long.
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
        // The output equals the input, byte for byte.
        let job = job("IBM037", from).target_encoding("IBM037").unwrap().to_records(shape_from);
        assert_eq!(invariant(&job, &input, from).output, input, "{from}");
    }
    // A newline in a record is an ordinary character.
    let input = framed(&Shape::RDW, &[ebcdic("a\nb")]);
    let job = job("IBM037", "rdw").target_encoding("IBM1047").unwrap().to_records(Shape::U16);
    assert_eq!(invariant(&job, &input, "newline").output, b"\x00\x03\x81\x25\x82");
}

#[test]
fn documents_in_records_get_a_correct_label() {
    let lines = ["<?xml version='1.0'", " encoding='IBM037'?>", "<a>é</a>"];
    for shape_text in ["rdw", "fb:20", "vbs:16"] {
        let shape = shape(shape_text);
        let input = framed(&shape, &lines.map(ebcdic));
        let job = Transcode::new().records(shape);
        let outcome = invariant(&job, &input, shape_text);
        assert_eq!(outcome.text(), "<?xml version='1.0'\n encoding='UTF-8'?>\n<a>é</a>\n", "{shape_text}");
        let mut transcoder = job.transcoder().unwrap();
        let mut buffer = vec![0; 1 << 16];
        let _ = transcoder.step(&input, &mut buffer, true).unwrap();
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
fn options_that_cannot_be_combined() {
    let refused = |job: Transcode| matches!(job.transcoder().err().unwrap().kind(), ErrorKind::Options { .. });
    assert!(refused(Transcode::new().carriage(Carriage::Asa)));
    assert!(refused(Transcode::new().columns("1-".parse().unwrap())));
    assert!(refused(job("IBM037", "rdw").carriage(Carriage::Asa).to_records(Shape::U32)));
}

// --- Labels that are split across records --------------------------------------------------------

/// A document, the length of its BOM, and the position of the name in its label, or the place where a label will be
/// inserted.
struct Labelled {
    from: &'static str,
    to: &'static str,
    bytes: Vec<u8>,
    bom: usize,
    label: std::ops::Range<usize>,
    /// The text in that position after the conversion.
    becomes: &'static str,
    is_xml: bool,
}

/// Returns a document with this text, in which bars enclose the name: `encoding="|IBM1047|"`. A conversion to `to`
/// changes the name to `becomes`.
fn labelled(from: &'static str, bom: &[u8], text: &str, to: &'static str, becomes: &'static str) -> Labelled {
    let codec = Registry::builtin().codec(from).unwrap();
    let parts: Vec<Vec<u8>> = text.split('|').map(|part| encode(&*codec, part)).collect();
    let begin = bom.len() + parts[0].len();
    let name = if parts.len() == 3 { parts[1].len() } else { 0 };
    let bytes = [bom, &parts.concat()].concat();
    Labelled { from, to, bytes, bom: bom.len(), label: begin..begin + name, becomes, is_xml: true }
}

fn documents() -> Vec<Labelled> {
    let xml = |name: &str| format!("<?xml version=\"1.0\" encoding=\"|{name}|\"?><a>hello</a>");
    let declared = |from, to, becomes| labelled(from, b"", &xml(from), to, becomes);
    let mut documents = vec![
        // A shorter name, a longer one, one of the same length, and a target of another family.
        declared("IBM1047", "UTF-8", "UTF-8"),
        declared("IBM037", "ISO-8859-9", "ISO-8859-9"),
        declared("IBM037", "IBM273", "IBM273"),
        declared("IBM930", "UTF-8", "UTF-8"),
        declared("IBM939", "IBM1047", "IBM1047"),
        declared("ISO-8859-1", "UTF-8", "UTF-8"),
        declared("ISO-8859-9", "IBM1047", "IBM1047"),
        labelled("UTF-16BE", b"\xFE\xFF", &xml("UTF-16"), "UTF-8", "UTF-8"),
        labelled("UTF-16LE", b"\xFF\xFE", &xml("UTF-16"), "ISO-8859-1", "ISO-8859-1"),
        labelled("UTF-8", b"\xEF\xBB\xBF", &xml("UTF-8"), "IBM037", "IBM037"),
        // With double bytes, and with other quotes and spaces.
        labelled("IBM939", b"", "<?xml version='1.0'  encoding = '|IBM939|'  ?>\u{85}<a>漢字 é</a> ", "UTF-8", "UTF-8"),
        // Without a name, and without a declaration.
        labelled("UTF-8", b"", "<?xml version='1.0'| standalone='yes'?><a/>", "IBM037", " encoding='IBM037'"),
        labelled("UTF-8", b"", "|<a>hello</a>", "IBM1047", "<?xml version=\"1.0\" encoding=\"IBM1047\"?>"),
    ];
    let mut html = labelled("ISO-8859-1", b"", "<html><meta charset=  |iso-8859-1|><p>x</p>", "UTF-8", "UTF-8");
    html.is_xml = false;
    documents.push(html);
    documents
}

/// Splits the document into records of `len` bytes. The last record may be shorter; if `is_fixed`, it is padded.
fn as_records(document: &Labelled, len: usize, is_fixed: bool) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = document.bytes.chunks(len).map(<[u8]>::to_vec).collect();
    if is_fixed && let Some(last) = records.last_mut() {
        let blank = encode(&*Registry::builtin().codec(document.from).unwrap(), " ");
        let blanks = blank.iter().cycle().take(len - last.len());
        last.extend(blanks);
    }
    records
}

/// Returns the expected lines, computed another way. The parts of each record before and after the name are decoded on
/// their own, and the new name is put into the record in which the old name begins.
fn lines_of(document: &Labelled, records: &[Vec<u8>], blanks: Padding) -> Vec<String> {
    let decode = |bytes: &[u8]| {
        let job = Transcode::new().source_encoding(document.from).unwrap().relabel(Relabel::Never);
        let job = job.kind(Kind::Text).bom(Bom::Keep).on_malformed(OnMalformed::Replace);
        // Detection would remove a BOM from each part, but the BOM of the document has been removed already.
        let text = job.decode(bytes).unwrap().into_owned();
        if document.is_xml && document.from.starts_with("IBM") && !document.to.starts_with("IBM") {
            text.replace('\u{85}', "\n")
        } else {
            text
        }
    };
    let mut at = 0;
    let mut lines = Vec::new();
    for record in records {
        let within = |place: usize| place.clamp(at, at + record.len()) - at;
        let (bom, begin, end) = (within(document.bom), within(document.label.start), within(document.label.end));
        let has_label = match document.label.is_empty() {
            // The label is inserted after the byte that precedes it, or at the beginning of the document.
            true => {
                document.label.start > at && document.label.start <= at + record.len()
                    || document.label.start == at && at == 0
            }
            false => (at..at + record.len()).contains(&document.label.start),
        };
        let mut line = decode(&record[bom.min(begin)..begin]);
        line.push_str(if has_label { document.becomes } else { "" });
        line.push_str(&decode(&record[end.max(bom)..]));
        lines.push(if blanks == Padding::Trim { line.trim_end_matches(' ').to_owned() } else { line });
        at += record.len();
    }
    lines
}

fn label_job(document: &Labelled, shape_text: &str, is_lines: bool) -> Transcode {
    let job = Transcode::new().records(shape(shape_text)).on_malformed(OnMalformed::Replace);
    let job = job.on_newline_in_record(OnNewlineInRecord::Keep).target_encoding(document.to).unwrap();
    let job = if document.is_xml { job.kind(Kind::Xml) } else { job.kind(Kind::Html) };
    // A declared encoding must be detected; only a document without a declared encoding needs `source_encoding`.
    let job = if document.label.is_empty() { job.source_encoding(document.from).unwrap() } else { job };
    if is_lines { job } else { job.to_records(Shape::U32) }
}

fn labelled_shapes(len: usize) -> [String; 4] {
    [format!("fb:{len}"), "rdw".into(), format!("vb:{}", len + 8), format!("vbs:{}", (len / 2).max(1) + 13)]
}

/// Tests records of many lengths, so that each byte in and around the label is the last byte of a record once: the
/// quotes, the name, `?>`.
#[test]
fn a_label_that_is_split_across_records() {
    for document in documents() {
        let codec = Registry::builtin().codec(document.to).unwrap();
        // Every length at which a record ends near the label, and a sample of the others.
        let near = document.label.start.max(3) - 2..=document.label.end + 2;
        let others = sample::one_in(5, document.to, (1..=120).filter(|len| !near.contains(len)));
        for len in near.clone().filter(|len| *len <= 120).chain(others) {
            if document.from.starts_with("UTF-16") && len % 2 == 1 {
                continue;
            }
            for shape_text in labelled_shapes(len) {
                let records = as_records(&document, len, shape_text.starts_with("fb"));
                let input = framed(&shape(&shape_text), &records);
                for is_lines in [true, false] {
                    let what = format!("{} to {}, {shape_text}, {len}, lines {is_lines}", document.from, document.to);
                    let job = label_job(&document, &shape_text, is_lines);
                    let outcome = whole(&job, &input);
                    let blanks = if is_lines { Padding::Trim } else { Padding::Keep };
                    let lines = lines_of(&document, &records, blanks);
                    let expected = if is_lines {
                        encode(&*codec, &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
                    } else {
                        framed(&Shape::U32, &lines.iter().map(|line| encode(&*codec, line)).collect::<Vec<_>>())
                    };
                    if outcome.output != expected {
                        let read = |bytes: &[u8]| {
                            Transcode::new()
                                .source_encoding(document.to)
                                .unwrap()
                                .decode(bytes)
                                .map(|text| text.into_owned())
                        };
                        panic!("{what}:\n{:?}\n{:?}\n{:?}", read(&outcome.output), read(&expected), outcome.error);
                    }
                    assert_eq!(outcome.error, None, "{what}");
                    // Cuts and buffer sizes that are likely to matter.
                    for (cut, room) in [(1, 64), (len, 70), (document.label.start + 2, 1 << 16)] {
                        let mut cuts = std::iter::repeat(cut);
                        let got = drive(&job, &input, &mut cuts, &mut std::iter::repeat(room), cut == len);
                        assert_eq!(got, outcome, "{what}, cut {cut}, room {room}");
                    }
                }
            }
        }
    }
}

/// Tests every cut of the input, with records that end inside the name or next to it. Also checks that several jobs
/// give the same result.
#[test]
fn a_label_that_is_split_across_records_in_any_pieces() {
    for document in documents() {
        let near = document.label.start.max(3) - 2..=document.label.end + 2;
        for len in
            sample::one_in(4, document.to, near).filter(|len| !document.from.starts_with("UTF-16") || len % 2 == 0)
        {
            for is_lines in [true, false] {
                let records = as_records(&document, len, false);
                let job = label_job(&document, "rdw", is_lines);
                let what = format!("{} to {}, {len}, lines {is_lines}", document.from, document.to);
                let mut input = framed(&Shape::RDW, &records);
                let expected = invariant(&job, &input, &what);
                assert_eq!(expected.error, None, "{what}");
                for _ in 0..40 {
                    input.extend(framed(&Shape::RDW, &records));
                }
                let run = |jobs: usize| {
                    let mut output = Vec::new();
                    // A BOM in the middle of the input is an ordinary character, and some targets lack it.
                    let job =
                        job.clone().on_unmappable(OnUnmappable::Drop).jobs(jobs.try_into().unwrap()).block_bytes(100);
                    let report = job.run(Stutter::new(&input), &mut output).unwrap();
                    (output, common::faults(&report), report.bytes_in)
                };
                assert_eq!(run(2), run(1), "{what}");
            }
        }
    }
}

// --- Pending spaces and errors -------------------------------------------------------------------

/// Text after many spaces is written long after it was read, in several steps if the buffer is small. A fault in it
/// must still be reported at its own place.
#[test]
fn the_place_of_a_fault_after_many_blanks() {
    for (charset, blanks) in [("IBM037", 90), ("IBM037", 1000), ("IBM037", 70_000), ("UTF-8", 1000), ("IBM939", 5000)] {
        let codec = Registry::builtin().codec(charset).unwrap();
        let record = encode(&*codec, &format!("{}ab\0c", " ".repeat(blanks)));
        let input = framed(&Shape::U32, &[record, encode(&*codec, "last")]);
        let job = job(charset, "u32").on_control(OnControl::Error);
        let expected = whole(&job, &input);
        let message = format!("byte {}: record 1, column {}: U+0000 is a control character", blanks + 6, blanks + 3);
        assert_eq!(expected.error.as_deref(), Some(&*message), "{charset}");
        assert_eq!(expected.output.len(), blanks + 2, "{charset}");
        for cut in [1, 8, 100, 4096] {
            for room in [64, 100, 1 << 16] {
                let got = drive(&job, &input, &mut std::iter::repeat(cut), &mut std::iter::repeat(room), true);
                assert_eq!(got, expected, "{charset}, {blanks} blanks, cut {cut}, room {room}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample::cases(60)))]

    /// Spaces are held back until it is known whether the record ends after them. The output before an error, and
    /// everything else, must be correct however many spaces are pending: more than a piece of the input has, more than
    /// fit into the output buffer, or more than are decoded at a time.
    #[test]
    fn any_number_of_blanks_can_be_pending(
        runs in prop::collection::vec((0..6usize, prop_oneof![4 => 0..12usize, 4 => 60..140usize, 4 => 1000..9000usize, 1 => Just(70_000)]), 1..6),
        end in 0..5usize,
        charset in prop::sample::select(vec!["IBM037", "IBM939", "UTF-8"]),
        to in prop::sample::select(vec!["UTF-8", "UTF-16LE", "IBM1047"]),
        policies in (
            prop::sample::select(vec![OnMalformed::Fail, OnMalformed::Drop, OnMalformed::Replace]),
            prop::sample::select(vec![Padding::Trim, Padding::Nuls, Padding::TrimNuls, Padding::Keep]),
            prop::sample::select(vec![OnControl::Keep, OnControl::Error]),
            prop::sample::select(vec![OnNewlineInRecord::Keep, OnNewlineInRecord::Space, OnNewlineInRecord::Error]),
            prop::sample::select(vec![Eol::Auto, Eol::Crlf]),
        ),
        spaced in any::<bool>(),
        cuts in prop::collection::vec(1usize..70_000, 1..4),
        buffer_sizes in prop::collection::vec(prop_oneof![0usize..200, 4000..70_000usize], 1..4),
    ) {
        let (malformed, blanks, controls, newlines, eol) = policies;
        let codec = Registry::builtin().codec(charset).unwrap();
        let of = |text: &str, times: usize| encode(&*codec, text).repeat(times);
        let mut record: Vec<u8> = Vec::new();
        for (kind, len) in runs {
            record.extend(match kind {
                0 | 1 => of(" ", len),
                2 => of("\0", len),
                3 => of(" \0", len / 2),
                4 if charset == "IBM939" => b"\x0E\x42\xC1\x0F".repeat(len.min(9)),
                _ => of("a", len.min(200)),
            });
        }
        match end {
            0 => record.extend(of("x", 1)),
            // A malformed byte, a control character or a newline in the middle of the record.
            1 => record.extend([if charset == "UTF-8" { 0xFF } else { 0x0E }, 0x01, 0x40, 0x41]),
            2 => record.extend(of("\u{1}b ", 1)),
            3 => record.extend(of("\nb ", 1)),
            _ => {}
        }
        let mut input = framed(&Shape::U32, &[of("first ", 1), record.clone(), of("last  ", 1)]);
        if end == 4 {
            // The input ends inside the record.
            input.truncate(input.len() - 6 - 4 - 1);
        }
        let job = Transcode::new().source_encoding(charset).unwrap().target_encoding(to).unwrap().records(Shape::U32).on_malformed(malformed)
            .padding(blanks).on_control(controls).on_newline_in_record(newlines).eol(eol).shifts_as_blanks(spaced);
        let expected = whole(&job, &input);
        if end == 0 && controls == OnControl::Keep && expected.error.is_none() {
            // Nothing is lost.
            let text = Transcode::new().source_encoding(charset).unwrap().decode(&record).unwrap().chars().count();
            let shifts = if spaced && charset == "IBM939" { record.iter().filter(|byte| matches!(byte, 0x0E | 0x0F)).count() } else { 0 };
            let lines = Transcode::new().source_encoding(to).unwrap().decode(&expected.output).unwrap().into_owned();
            prop_assert_eq!(lines.lines().nth(1).map(|line| line.chars().count()), Some(text + shifts));
        }
        let mut buffer_sizes = buffer_sizes;
        buffer_sizes.push(100);
        let run = |cuts: &mut dyn Iterator<Item = usize>| drive(&job, &input, cuts, &mut buffer_sizes.iter().copied().cycle(), true);
        prop_assert!(run(&mut cuts.iter().copied().cycle()) == expected, "{job:?}");
        prop_assert!(run(&mut std::iter::repeat(usize::MAX)) == expected, "{job:?}");
        prop_assert!(drive(&job, &input, &mut cuts.iter().copied().cycle(), &mut std::iter::repeat(1 << 16), true) == expected, "{job:?}");
        let mut output = Vec::new();
        let result = job.clone().jobs(2.try_into().unwrap()).block_bytes(cuts[0]).run(&input[..], &mut output);
        prop_assert!(output == expected.output, "{job:?} {} {}", output.len(), expected.output.len());
        prop_assert_eq!(result.err().map(|error| error.to_string()), expected.error);
    }
}
