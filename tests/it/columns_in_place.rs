//! Tests of `Gaps::Keep`: from records to records, columns of text change their code page and all other bytes stay.

use crate::common::records::{framed, shape};
use crate::common::{Outcome, drive, faults, invariant};
use charpipe::{Bom, Eol, Gaps, OnControl, OnMalformed, OnOverlong, OnUnmappable, Transcode};
use std::num::NonZeroUsize;

/// Records of shape `from` become records of shape `to_shape`.
fn job(columns: &str, to: &str, from: &str, to_shape: &str) -> Transcode {
    Transcode::new()
        .records(shape(from))
        .to_records(shape(to_shape))
        .columns(columns.parse().unwrap())
        .gaps(Gaps::Keep)
        .target_encoding(to)
        .unwrap()
}

fn output(job: &Transcode, input: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    job.run(input, &mut output).unwrap();
    output
}

/// Asserts that the outcome does not depend on the pieces of the input or the number of jobs. Returns it.
fn every_way(job: &Transcode, input: &[u8], what: &str) -> Outcome {
    let expected = invariant(job, input, what);
    let job = job.clone().jobs(NonZeroUsize::new(2).unwrap()).block_bytes(64);
    let (mut output, mut reader) = (Vec::new(), input);
    let mut transcoder = job.transcoder().unwrap();
    let error = transcoder.run(&mut reader, &mut output).err().map(|error| error.to_string());
    assert_eq!((&output, &error), (&expected.output, &expected.error), "{what}, jobs");
    assert_eq!(faults(transcoder.report()), expected.faults, "{what}, jobs");
    expected
}

fn encode(page: &str, text: &str) -> Vec<u8> {
    let mut output = Vec::new();
    Transcode::new()
        .source_encoding("UTF-8")
        .unwrap()
        .target_encoding(page)
        .unwrap()
        .run(text.as_bytes(), &mut output)
        .unwrap();
    output
}

// --- What is converted and what is carried -----------------------------------------------------------

#[test]
fn columns_change_their_pages_and_a_packed_field_stays() {
    let job = job("1-3=IBM037,6-7=IBM273,8-11=IBM300", "IBM1047", "fb:11", "fb:11").on_unmappable(OnUnmappable::Fail);
    // `[A]` in IBM037, a packed decimal, `Ü@` in IBM273, and two characters of IBM300 that are in IBM1047.
    let kanji = encode("IBM300", "\u{3000}\u{3000}");
    let input = [&encode("IBM037", "[A]")[..], &[0x12, 0x3C], &encode("IBM273", "Ü@"), &kanji].concat();
    let expected = [&encode("IBM1047", "[A]")[..], &[0x12, 0x3C], &encode("IBM1047", "Ü@"), &[0x40; 4]].concat();
    let outcome = every_way(&job, &input.repeat(3), "pages");
    assert_eq!((outcome.output, outcome.error), (expected.repeat(3), None));
}

#[test]
fn the_page_of_a_column_is_that_of_the_input_if_it_names_none() {
    let job = job("1-2,4-5=IBM273", "IBM1047", "fb:5", "rdw").source_encoding("IBM037").unwrap();
    let input = [&encode("IBM037", "[]")[..], &[0xBA], &encode("IBM273", "ßü")].concat();
    let expected = [&[0, 9, 0, 0][..], &encode("IBM1047", "[]"), &[0xBA], &encode("IBM1047", "ßü")].concat();
    assert_eq!(every_way(&job, &input, "default").output, expected);
}

#[test]
fn a_column_in_the_target_charset_is_carried_byte_for_byte() {
    // Shift codes that change nothing, half a pair, a lone shift in.
    let bytes = b"\x0E\x0F\xC1\x0F\x0E\x45\x0F\x41\x0E\x45\x66\x40";
    let web = cfg!(feature = "whatwg").then_some("Shift_JIS");
    for page in ["IBM930", "IBM939", "UTF-8", "IBM300", "US-ASCII"].into_iter().chain(web) {
        let job = job(&format!("1-5={page},7-"), page, "rdw", "rdw").source_encoding(page).unwrap();
        let input = framed(&shape("rdw"), &[bytes.to_vec(), Vec::new(), b"\xFF\xFF".to_vec()]);
        assert_eq!(every_way(&job, &input, page).output, input, "{page}");
    }
}

#[test]
fn files_of_carddemo_survive_a_change_of_page_and_back() {
    // Text columns, by the copybooks; all else is zoned, packed or binary.
    for (name, lrecl, columns) in [
        ("ACCDATA", 300, "1-12,109-300"),
        ("CARDDATA", 150, "1-16,31-150"),
        ("DALYTRAN", 350, "1-132,144-350"),
        ("DISCGRP", 50, "1-10"),
    ] {
        let file = format!("{}/tests/data/carddemo/ebcdic/AWS.M2.CARDDEMO.{name}.PS", env!("CARGO_MANIFEST_DIR"));
        let Ok(input) = std::fs::read(&file) else { panic!("{file}") };
        let fb = format!("fb:{lrecl}");
        let there = job(columns, "IBM1047", &fb, &fb).source_encoding("IBM037").unwrap();
        let back = job(columns, "IBM037", &fb, &fb).source_encoding("IBM1047").unwrap();
        let made = output(&there, &input);
        assert_eq!(made.len(), input.len(), "{name}");
        assert_eq!(output(&back, &made), input, "{name}");
    }
}

#[test]
fn packed_and_binary_fields_of_carddemo_accounts_survive() {
    let file = format!("{}/tests/data/carddemo/ebcdic/AWS.M2.CARDDEMO.EXPORT.DATA.PS", env!("CARGO_MANIFEST_DIR"));
    let export = std::fs::read(file).unwrap();
    // The records of accounts, by CVEXPORT.cpy: COMP in 28-31 and 121-128, COMP-3 in 53-59 and 72-78.
    let accounts: Vec<u8> = export.chunks(500).filter(|record| record[0] == 0xC1).flatten().copied().collect();
    assert!(accounts.len() >= 10 * 500);
    let columns = "1-27,32-52,60-71,79-120,129-148";
    let there = job(columns, "IBM1047", "fb:500", "fb:500").source_encoding("IBM037").unwrap();
    let back = job(columns, "IBM037", "fb:500", "fb:500").source_encoding("IBM1047").unwrap();
    let made = output(&there, &accounts);
    for (before, after) in accounts.chunks(500).zip(made.chunks(500)) {
        for field in [27..31, 52..59, 71..78, 120..128, 148..500] {
            assert_eq!(before[field.clone()], after[field]);
        }
    }
    assert_eq!(output(&back, &made), accounts);
}

#[test]
fn packed_bytes_that_are_brackets_as_text_stay() {
    // BA and BB are the brackets of IBM037, which are elsewhere in IBM1047.
    let input = [&encode("IBM037", "[x]")[..], &[0xBA, 0xBB, 0x0C]].concat().repeat(200);
    let there = output(&job("1-3=IBM037", "IBM1047", "fb:6", "fb:6"), &input);
    assert_ne!(there, input);
    assert!(there.chunks(6).all(|record| record[3..] == [0xBA, 0xBB, 0x0C]));
    assert_eq!(output(&job("1-3=IBM1047", "IBM037", "fb:6", "fb:6"), &there), input);
}

#[test]
fn every_shape_to_every_shape() {
    let records: Vec<Vec<u8>> =
        (0..9).map(|n| [&encode("IBM037", "[ab]")[..], &[n, 0x25, 0xBA, 0x0C]].concat()).collect();
    let expected: Vec<Vec<u8>> =
        (0..9).map(|n| [&encode("IBM1047", "[ab]")[..], &[n, 0x25, 0xBA, 0x0C]].concat()).collect();
    let shapes = [
        "fb:8",
        "rdw",
        "rdw:exclusive",
        "rdw:le",
        "vb:40",
        "vbs:11",
        "u32",
        "u16",
        "mode-b",
        "awstape,fb:8,blksize=24",
        "awstape,vb:40",
        "awstape,vbs:13",
    ];
    for from in shapes {
        let input = framed(&shape(from), &records);
        let to = shapes[(shapes.iter().position(|shape| *shape == from).unwrap() + 5) % shapes.len()];
        for to in [from, to, "fb:8"] {
            let job = job("1-4=IBM037", "IBM1047", from, to);
            let outcome = every_way(&job, &input, &format!("{from} to {to}"));
            assert_eq!((outcome.output, outcome.error), (framed(&shape(to), &expected), None), "{from} to {to}");
        }
    }
}

// --- Widths --------------------------------------------------------------------------------------------

#[test]
fn a_record_may_end_before_or_within_a_column() {
    let job = job("2-4=IBM037,6-", "UTF-8", "rdw", "rdw").source_encoding("IBM037").unwrap();
    let at = |records: &[&[u8]]| framed(&shape("rdw"), &records.iter().map(|r| r.to_vec()).collect::<Vec<_>>());
    // `É` is 71 in IBM037 and two bytes in UTF-8. Within a column it may grow up to the end of the column, or without end.
    let input =
        at(&[b"", b"\xFF", b"\xFF\x71", b"\xFF\x71\x40", b"\xFF\xC1\x40\x40\xFE", b"\xFF\xC1\xC2\xC3\xFE\x71\x71"]);
    let expected =
        at(&[b"", b"\xFF", b"\xFF\xC3\x89", b"\xFF\xC3\x89", b"\xFFA  \xFE", b"\xFFABC\xFE\xC3\x89\xC3\x89"]);
    let outcome = every_way(&job, &input, "short");
    assert_eq!((outcome.output, outcome.error), (expected, None));
}

#[test]
fn a_column_that_becomes_longer_is_an_error_or_cut() {
    let strict = job("2-4=IBM037", "UTF-8", "fb:5", "fb:5");
    let input = b"\xFF\xC1\xC2\xC3\xFE\xFF\xC1\x71\xC2\xFE\xFF\xC1\x71\x40\xFE";
    let outcome = every_way(&strict, input, "fail");
    assert_eq!(outcome.output, b"\xFFABC\xFE");
    assert_eq!(
        outcome.error.as_deref(),
        Some("byte 6: record 2, column 2: the text takes 4 bytes in UTF-8, but its columns have 3")
    );
    let error = strict.run(&input[..], Vec::new()).unwrap_err();
    assert_eq!(error.code(), "column-too-long");
    let cut = strict.on_overlong(OnOverlong::Cut);
    let outcome = every_way(&cut, input, "cut");
    // The blank at the end is padding: the last record loses nothing.
    assert_eq!(outcome.output, b"\xFFABC\xFE\xFFA\xC3\x89\xFE\xFFA\xC3\x89\xFE");
    let report = cut.run(&input[..], Vec::new()).unwrap();
    let cuts = report.records_cut.unwrap();
    assert_eq!((cuts.count, cuts.bytes), (1, 1));
    assert_eq!((cuts.first[0].offset, cuts.first[0].record, cuts.first[0].bytes), (6, 2, 1));
}

#[test]
fn a_mixed_column_keeps_its_shift_codes_balanced_within_its_width() {
    // Pure double bytes become mixed text, which needs two bytes more for the shift codes.
    let pair = encode("IBM300", "日本語");
    let input = [&[0xFF][..], &pair, &[0x40; 4], &[0xFE], &[0xFF], &pair[..4], &pair[..], &[0xFE]].concat();
    let from = job("2-11=IBM300", "IBM930", "fb:12", "fb:12");
    let mixed = encode("IBM930", "日本語");
    assert_eq!((mixed.len(), mixed[0], mixed[7]), (8, 0x0E, 0x0F));
    let outcome = every_way(&from, &input, "mixed");
    assert_eq!(outcome.output, [&[0xFF][..], &mixed, &[0x40, 0x40], &[0xFE]].concat());
    assert_eq!(
        outcome.error.as_deref(),
        Some("byte 13: record 2, column 2: the text takes 12 bytes in IBM930, but its columns have 10")
    );
    let outcome = every_way(&from.on_overlong(OnOverlong::Cut), &input, "mixed, cut");
    let cut = encode("IBM930", "日本日本");
    assert_eq!(outcome.output[12..], [&[0xFF][..], &cut, &[0xFE]].concat());
}

#[test]
fn blanks_that_cannot_fill_a_column_are_an_error() {
    let job = job("1-3=IBM037", "IBM300", "fb:4", "fb:4").on_unmappable(OnUnmappable::Drop);
    let error = every_way(&job, b"\x40\x40\x40\xFF", "odd").error.unwrap();
    assert_eq!(
        error,
        "byte 0: record 1, column 1: record 1 is 3 bytes too short, and blanks of 2 bytes cannot fill the gap"
    );
}

#[test]
fn a_record_that_is_too_long_for_the_output_is_never_cut() {
    let job = job("1-2=IBM037", "IBM1047", "rdw", "fb:3").on_overlong(OnOverlong::Cut);
    let input = framed(&shape("rdw"), &[b"\xC1\xC2\xFF".to_vec(), b"\xC1\xC2\xFF\xFE".to_vec()]);
    let outcome = every_way(&job, &input, "record");
    assert_eq!(outcome.output, b"\xC1\xC2\xFF");
    assert_eq!(outcome.error.as_deref(), Some("byte 11: record 2 is longer than 3 bytes"));
}

// --- Policies ------------------------------------------------------------------------------------------

#[test]
fn malformed_bytes_and_characters_that_the_target_lacks() {
    // Record 2: a byte that is not ASCII; record 3: a character that IBM037 lacks.
    let input = b"abc\xFFxyzabc\xFFx\x80zabc\xFFxyz";
    let ascii = |job: Transcode| job.source_encoding("US-ASCII").unwrap();
    let fail = ascii(job("1-3,5-", "IBM037", "fb:7", "fb:7"));
    let outcome = every_way(&fail, input, "malformed");
    assert_eq!(outcome.output, b"\x81\x82\x83\xFF\xA7\xA8\xA9");
    assert_eq!(outcome.error.as_deref(), Some("byte 12: record 2, column 6: 80 is not valid US-ASCII"));
    let replace = fail.clone().on_malformed(OnMalformed::Replace);
    let outcome = every_way(&replace, input, "replaced");
    assert_eq!(outcome.output[7..14], *b"\x81\x82\x83\xFF\xA7\x3F\xA9");
    assert_eq!(replace.run(&input[..], Vec::new()).unwrap().malformed.count, 1);
    let drop = fail.on_malformed(OnMalformed::Drop);
    assert_eq!(every_way(&drop, input, "dropped").output[7..14], *b"\x81\x82\x83\xFF\xA7\xA9\x40");

    let input = "abc\u{20AC}zabc\u{E9}  z".as_bytes();
    let fail = job("1-6=UTF-8", "IBM037", "fb:7", "fb:7");
    let input = [&input[..7], "abcé z".as_bytes(), &input[..7]].concat();
    let outcome = every_way(&fail, &input, "unmappable");
    assert!(outcome.output.is_empty());
    assert_eq!(outcome.error.as_deref(), Some("byte 3: record 1, column 4: U+20AC '€' is not in IBM037"));
    let replace = fail.on_unmappable(OnUnmappable::Replace);
    let outcome = every_way(&replace, &input, "unmappable, replaced");
    assert_eq!(
        outcome.output,
        [&b"\x81\x82\x83\x3F\x40\x40z"[..], b"\x81\x82\x83\x51\x40\x40z", b"\x81\x82\x83\x3F\x40\x40z"].concat()
    );
    let report = replace.run(&input[..], Vec::new()).unwrap();
    assert_eq!((report.unmappable.count, report.unmappable.first[1].offset), (2, 17));
}

#[test]
fn the_earlier_of_two_errors_counts() {
    // Byte 1 is a character that the target lacks, byte 4 is malformed: the first one is the error, and nothing after it
    // is counted.
    let job = job("1-6=UTF-8", "IBM037", "fb:6", "fb:6");
    let input = b"a\xE2\x82\xAC\xFFz";
    let first = "byte 1: record 1, column 2: U+20AC '€' is not in IBM037";
    assert_eq!(every_way(&job, input, "both").error.as_deref(), Some(first));
    let outcome = every_way(&job.clone().on_malformed(OnMalformed::Replace), input, "one");
    assert_eq!(outcome.error.as_deref(), Some(first));
    assert!(outcome.faults.starts_with("Faults { count: 0"), "{}", outcome.faults);
    let outcome = every_way(&job.on_unmappable(OnUnmappable::Replace), input, "the other");
    assert_eq!(outcome.error.as_deref(), Some("byte 4: record 1, column 5: FF is not valid UTF-8"));
}

#[test]
fn places_in_segments_count_their_headers() {
    // One record in two segments: `ab` and `c`, 80.
    let input = b"\0\x10\0\0\0\x06\x01\0ab\0\x06\x02\0c\x80";
    let job = job("1-4=US-ASCII", "IBM037", "vbs", "rdw");
    let outcome = every_way(&job, input, "segments");
    assert_eq!(outcome.error.as_deref(), Some("byte 15: record 1, column 4: 80 is not valid US-ASCII"));
}

#[test]
fn wrong_framing_ends_the_run_after_the_records_before_it() {
    let job = job("1-2=IBM037", "IBM1047", "rdw", "rdw");
    let input = [&framed(&shape("rdw"), &[b"\xBA\xBB\xFF".to_vec()])[..], b"\0\x02\0\0"].concat();
    let outcome = every_way(&job, &input, "framing");
    assert_eq!(outcome.output, b"\0\x07\0\0\xAD\xBD\xFF");
    assert!(outcome.error.unwrap().starts_with("byte 7: record 2: the header"));
}

// --- Options -------------------------------------------------------------------------------------------

#[test]
fn options_that_cannot_be_combined() {
    let keep = job("1-2=IBM037", "IBM1047", "rdw", "rdw");
    let code = |job: &Transcode| job.validate().map_err(|error| error.code());
    assert_eq!(code(&keep), Ok(()));
    for wrong in [
        keep.clone().on_control(OnControl::Space),
        keep.clone().eol(Eol::Lf),
        keep.clone().shifts_as_blanks(true),
        keep.clone().gaps(Gaps::Drop),
        keep.clone().gaps(Gaps::Hex),
        Transcode::new().records(shape("rdw")).columns("1".parse().unwrap()).gaps(Gaps::Keep),
        Transcode::new().records(shape("rdw")).to_records(shape("rdw")).gaps(Gaps::Keep),
    ] {
        assert_eq!(code(&wrong), Err("options"), "{wrong:?}");
    }
    assert_eq!(code(&job("1=IBM037", "UTF-16", "rdw", "rdw").bom(Bom::Add)), Err("options"));
    assert_eq!(code(&job("1=nonsense", "IBM037", "rdw", "rdw")), Err("unknown-label"));
}

#[test]
fn pieces_of_every_length_of_a_long_input() {
    let record = |n: usize| {
        [&encode("IBM037", "[ab] ")[..], &[(n % 256) as u8, 0x0C], &encode("IBM037", &"x".repeat(n % 7))].concat()
    };
    let input = framed(&shape("vb:300"), &(0..3000).map(record).collect::<Vec<_>>());
    let job = job("1-5=IBM037,8-", "UTF-8", "vb", "rdw").source_encoding("IBM037").unwrap();
    let expected = output(&job, &input);
    for size in [1, 5, 1000, 4096, 65536] {
        let outcome = drive(&job, &input, &mut std::iter::repeat(size), &mut [70, 1, 9999].into_iter().cycle(), true);
        assert!(outcome.output == expected && outcome.error.is_none(), "{size}");
    }
}
