//! Tests conversions from records to records between single-byte pages. If the options allow it, whole records are
//! converted by a table and never become text. This must not change the result. Pieces of less than 1 KiB never take
//! this fast path, so each run is compared with a run in such pieces.

use crate::common::{Outcome, drive, faults, whole};
use charpipe::records::{Framer, Shape};
use charpipe::{EbcdicNl, OnMalformed, OnOverlong, OnUnmappable, Padding, Report, Transcode};
use proptest::prelude::*;
use std::num::NonZeroUsize;

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

/// Converts in pieces that are too small for the fast path.
fn in_small_pieces(job: &Transcode, input: &[u8]) -> Outcome {
    drive(job, input, &mut [700, 1, 300].into_iter().cycle(), &mut [1 << 20, 64, 999].into_iter().cycle(), false)
}

/// Converts from a reader to a writer, perhaps with several jobs. Returns the output, the error and the report.
fn run_with_reader_and_writer(job: &Transcode, input: &[u8]) -> (Vec<u8>, Option<String>, String) {
    let (mut output, mut reader) = (Vec::new(), input);
    let mut transcoder = job.transcoder().unwrap();
    let error = transcoder.run(&mut reader, &mut output).err().map(|error| error.to_string());
    let report: &Report = transcoder.report();
    (output, error, faults(report))
}

/// Asserts that the outcome does not depend on the pieces, the size of the buffers or the number of jobs. Returns it.
fn every_way_gives_the_same(job: &Transcode, input: &[u8]) -> Outcome {
    let expected = in_small_pieces(job, input);
    assert_eq!(whole(job, input), expected, "{job:?}");
    let cuts = [1500, 3, 4000, 20, 1024, 1 << 17];
    let buffer_sizes = [5000, 1, 64, 1 << 16];
    let mixed = drive(job, input, &mut cuts.into_iter().cycle(), &mut buffer_sizes.into_iter().cycle(), true);
    assert_eq!(mixed, expected, "{job:?}");
    for jobs in [1, 2] {
        let job = job.clone().jobs(NonZeroUsize::new(jobs).unwrap()).block_bytes(2048);
        let (output, error, faults) = run_with_reader_and_writer(&job, input);
        assert!((&output, &error) == (&expected.output, &expected.error), "{jobs} jobs: {error:?}: {job:?}");
        assert_eq!(faults, expected.faults, "{jobs} jobs: {job:?}");
    }
    expected
}

const SHAPES: [&str; 13] = [
    "fb:7",
    "fb:80",
    "rdw",
    "rdw:exclusive",
    "rdw:le",
    "vb:90",
    "vbs:64",
    "u32",
    "u16",
    "mode-b",
    "awstape,fb:16,blksize=160",
    "awstape,vb:90",
    "awstape,rdw",
];

const TO_SHAPES: [&str; 12] = [
    "fb:7",
    "fb:80",
    "fb:16",
    "rdw",
    "rdw:le:exclusive",
    "vb:90",
    "vbs:64",
    "u32",
    "u16",
    "mode-b",
    "awstape,fb:16,blksize=48",
    "awstape,vb:90",
];

/// Single-byte pages: with a character for every byte, with unassigned bytes, for other scripts, based on ASCII.
const PAGES: [&str; 7] = ["IBM037", "IBM1047", "IBM500", "IBM424", "IBM290", "ISO-8859-1", "US-ASCII"];

/// Returns the records framed in this shape. If the shape has files, a file ends before each record listed in `ends`.
fn framed(shape: &Shape, records: &[Vec<u8>], ends: &[usize]) -> Vec<u8> {
    let mut framer = Framer::new(shape, b"\x40").unwrap();
    let mut bytes = Vec::new();
    for (index, record) in records.iter().enumerate() {
        if ends.contains(&index) && matches!(shape, Shape::AwsTape { .. } | Shape::ModeB) {
            framer.finish(&mut bytes);
        }
        framer.record(&record[..record.len().min(shape.longest())], 0, &mut bytes).unwrap();
    }
    framer.finish(&mut bytes);
    bytes
}

/// Generates a record of text with trailing spaces, and sometimes a more unusual record.
fn record() -> impl Strategy<Value = Vec<u8>> {
    let byte = || 0x81u8..0x8A;
    prop_oneof![
        30 => (prop::collection::vec(byte(), 0..16), 0usize..40)
            .prop_map(|(text, blanks)| [text, vec![0x40; blanks]].concat()),
        4 => prop::collection::vec(0x40u8..=0xFF, 0..90),
        2 => prop::collection::vec(any::<u8>(), 0..30),
        1 => Just(b"\xC1\xC2\x00\x12\x34\x5C\x40".to_vec()),
        1 => Just(b"\xC1\x15\xC2\x25\x0D".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(crate::common::sample::cases(250)) })]

    #[test]
    fn the_table_path_equals_the_text_path(
        some in prop::collection::vec(record(), 1..40),
        times in 1usize..20,
        (from, to) in (0..PAGES.len(), 0..PAGES.len()),
        (read_as, write_as) in (prop::sample::select(SHAPES.to_vec()), prop::sample::select(TO_SHAPES.to_vec())),
        malformed in prop::sample::select(vec![OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop]),
        unmappable in prop::sample::select(vec![OnUnmappable::Fail, OnUnmappable::Replace, OnUnmappable::Drop, OnUnmappable::Escape]),
        overlong in prop::sample::select(vec![OnOverlong::Fail, OnOverlong::Cut, OnOverlong::Cut]),
        blanks in prop::sample::select(vec![Padding::Trim, Padding::Trim, Padding::Keep, Padding::Nuls, Padding::TrimNuls]),
        nl in prop::sample::select(vec![EbcdicNl::Table, EbcdicNl::Table, EbcdicNl::Zos]),
        ends in prop::collection::vec(0usize..60, 0..3),
        damage in prop::option::weighted(0.2, (any::<prop::sample::Index>(), any::<u8>())),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        strict in prop::bool::weighted(0.1),
    ) {
        let records: Vec<Vec<u8>> = some.iter().cycle().take(some.len() * times).cloned().collect();
        let read_as = shape(read_as);
        let mut input = framed(&read_as, &records, &ends);
        if let Some((place, byte)) = damage {
            let place = place.index(input.len());
            input[place] = byte;
        }
        if let Some(cut) = cut {
            input.truncate(cut.index(input.len()));
        }
        let job = Transcode::new().source_encoding(PAGES[from]).unwrap().target_encoding(PAGES[to]).unwrap();
        let job = job.records(read_as).to_records(shape(write_as)).on_malformed(malformed).on_unmappable(unmappable);
        let job = job.on_overlong(overlong).padding(blanks).ebcdic_nl(nl).strict(strict);
        every_way_gives_the_same(&job, &input);
    }
}

/// Tests one bad record of each kind, at several positions among good ones.
#[test]
fn one_bad_record_among_good_ones() {
    let good = b"\xC1\xC2\xC3\x40\x40\x40\x40\x40\x40\x40".to_vec();
    // Malformed in IBM424; a character that US-ASCII lacks; a packed decimal; NULs; newlines.
    for (from, to, bad) in [
        ("IBM424", "IBM424", b"\xC1\xFE\xFD\xC2\x70\x40\x40\x40\x40\x40"),
        ("IBM037", "US-ASCII", b"\xC1\x51\xC2\x51\x40\x40\x40\x40\x40\x40"),
        ("IBM037", "IBM1047", b"\xC1\xC2\x00\x12\x34\x5C\x40\x40\x40\x40"),
        ("IBM037", "IBM037", b"\xC1\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
        ("IBM037", "IBM037", b"\xC1\x15\xC2\x25\x40\x40\x40\x40\x40\x40"),
    ] {
        for at in [0, 1, 99, 150, 300, 399] {
            let mut records = vec![good.clone(); 400];
            records[at] = bad.to_vec();
            for write_as in ["fb:10", "fb:3", "fb:12", "rdw", "vb:40", "u16"] {
                let input = framed(&shape("fb:10"), &records, &[]);
                for malformed in [OnMalformed::Fail, OnMalformed::Replace] {
                    let job = Transcode::new()
                        .source_encoding(from)
                        .unwrap()
                        .target_encoding(to)
                        .unwrap()
                        .on_malformed(malformed);
                    let job = job.records(shape("fb:10")).to_records(shape(write_as));
                    every_way_gives_the_same(&job, &input);
                }
            }
        }
    }
}

/// If source and target are the same page, every byte stays the same, and records are padded with spaces or trimmed.
#[test]
fn bytes_of_the_same_page() {
    let all: Vec<u8> = (0..=255).cycle().take(76 * 300).collect();
    let job = |to: &str| {
        let job = Transcode::new().source_encoding("IBM037").unwrap().target_encoding("IBM037").unwrap();
        job.records(shape("fb:76")).to_records(shape(to))
    };
    let outcome = every_way_gives_the_same(&job("fb:76"), &all);
    assert!(outcome.output == all);
    let padded: Vec<u8> = all.chunks(76).flat_map(|record| [record, &[0x40; 4]].concat()).collect();
    assert!(every_way_gives_the_same(&job("fb:80"), &all).output == padded);
    let back = Transcode::new().source_encoding("IBM037").unwrap().target_encoding("IBM037").unwrap();
    let back = back.records(shape("fb:80")).to_records(shape("fb:76"));
    assert!(every_way_gives_the_same(&back, &padded).output == all);
}
