//! Tests recognising the format of records: on generated files of every format, and on files that have no records.

use charpipe::Transcode;
use charpipe::records::{Hypothesis, NoShape, SNIFFED, Shape, TapeFile, look};
use proptest::prelude::*;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::common::sample;
use crate::common::shapes::*;

/// Fails if the result is wrong for more than one in a hundred of `files`.
#[track_caller]
fn at_most_one_in_a_hundred(files: usize, wrong: &[String]) {
    assert!(wrong.len() * 100 <= files, "{} of {files} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_right_shape_survives_alone() {
    let mut wrong = Vec::new();
    let files =
        (0..KINDS).flat_map(|kind| sample::one_in(4, &format!("shape {kind}"), 0..FILES).map(move |seed| (kind, seed)));
    let mut count = 0;
    for (kind, seed) in files {
        count += 1;
        let (shape, bytes, about) = generated(kind, seed, 1);
        if look(&bytes, true, None).shape().ok() != Some(shape) {
            wrong.push(format!("{about}\n{}", described(&sniff(&bytes, true))));
        }
    }
    at_most_one_in_a_hundred(count, &wrong);
}

/// The right shape is also found if the prefix ends inside a record or a header.
#[test]
fn the_right_shape_is_found_in_a_prefix() {
    const LEAST: usize = 64 << 10;
    let mut wrong = Vec::new();
    let mut files = 0;
    for (kind, seed) in (0..KINDS)
        .flat_map(|kind| sample::one_in(3, &format!("cut shape {kind}"), 100..106).map(move |seed| (kind, seed)))
    {
        let (shape, bytes, about) = generated(kind, seed, 8);
        let mut dice = Dice::new(seed);
        for _ in 0..4 {
            let Some(rest) = bytes.len().checked_sub(LEAST) else { break };
            let cut = LEAST + dice.below(rest.max(1));
            files += 1;
            if look(&bytes[..cut], false, None).shape().ok().as_ref() != Some(&shape) {
                wrong.push(format!("{about}, cut at {cut}\n{}", described(&sniff(&bytes[..cut], false))));
            }
        }
    }
    assert!(files > if sample::is_full() { 100 } else { 30 }, "{files}");
    at_most_one_in_a_hundred(files, &wrong);
}

/// Only the first MiB is examined.
#[test]
fn the_first_mebibyte_is_enough() {
    let (_, bytes, _) = generated(1, 3, 8);
    let mut long = bytes.repeat(2 * SNIFFED / bytes.len());
    long.extend([0xFF; 100]);
    let found = sniff(&long, true);
    assert_eq!((found[0].survives, &found[0].shape, found[0].bytes), (true, &Shape::RDW, SNIFFED as u64));
}

#[track_caller]
fn nothing_survives(what: &str, bytes: &[u8]) {
    for (bytes, eof) in [(bytes, true), (bytes, false), (&bytes[..bytes.len() / 2], false)] {
        let found = sniff(bytes, eof);
        assert!(!found.iter().any(|one| one.survives), "{what}, {eof}:\n{}", described(&found));
    }
}

/// Returns lines of a text of at most `most` characters or a little more.
fn lines(dice: &mut Dice, language: &str, count: usize, most: usize) -> Vec<String> {
    let pieces = pieces(language);
    let line = |dice: &mut Dice| {
        let most = dice.between(1, most);
        let mut line = String::new();
        while line.chars().count() < most {
            line.push_str(&pieces[dice.below(pieces.len())]);
            line.push(' ');
        }
        line
    };
    (0..count).map(|_| line(dice)).collect()
}

#[test]
fn text_with_newlines_has_no_records() {
    let mut dice = Dice::new(7);
    for language in sample::one_in(2, "languages of text", ["en", "code", "de", "ru", "ja", "zh-Hans"]) {
        let lines = lines(&mut dice, language, 900, 90);
        let utf8 = lines.join("\n");
        nothing_survives(language, utf8.as_bytes());
        nothing_survives(language, lines.join("\r\n").as_bytes());
        nothing_survives(language, utf8.replace('\n', " ").as_bytes());
        let pages =
            ["UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE", "IBM1047", "IBM273", "IBM1025", "IBM930", "IBM935"];
        for page in sample::one_in(3, language, pages) {
            nothing_survives(&format!("{language} {page}"), &encode(page, &utf8));
            nothing_survives(&format!("{language} {page}, NEL"), &encode(page, &lines.join("\u{85}")));
        }
        // Lines of equal length are still lines.
        let alike: Vec<String> = lines.iter().map(|line| format!("{:<80.80}", line)).collect();
        for newline in ["\n", "\r\n"] {
            nothing_survives(language, alike.join(newline).as_bytes());
            nothing_survives(language, (alike.join(newline) + newline).as_bytes());
        }
        nothing_survives(language, &encode("IBM1047", &(alike.join("\u{85}") + "\u{85}")));
        nothing_survives(language, &encode("IBM037", &(alike.join("\n") + "\n")));
    }
    let row = |count: usize| format!("{count:05};name {count:05};{:8}.00;;\n", count * 3);
    let table: String = (0..2000).map(row).collect();
    nothing_survives("CSV", table.as_bytes());
    nothing_survives("CSV in EBCDIC", &encode("IBM1047", &table.replace('\n', "\u{85}")));
    let element = |dice: &mut Dice| format!("<item id=\"{:04}\"><b>x</b></item>", dice.below(10_000));
    let markup: String = (0..2000).map(|_| element(&mut dice)).collect();
    nothing_survives("XML on one line", format!("<?xml version=\"1.0\"?><all>{markup}</all>").as_bytes());
}

#[test]
fn the_files_of_this_repository_have_no_records() {
    fn visit(path: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            // These have: the files of mainframes.
            if ["carddemo", "mainframe-data-utilities"].iter().any(|folder| path.ends_with(folder)) {
                continue;
            }
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|end| end != "bin") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    for folder in ["src", "spec", "codecs", "benches", "tests"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        if folder.is_dir() {
            visit(&folder, &mut files);
        }
    }
    assert!(files.len() > 100, "{}", files.len());
    files.sort();
    for path in sample::one_in(5, "files of this repository", files) {
        nothing_survives(&path.display().to_string(), &std::fs::read(&path).unwrap());
    }
}

#[test]
fn images_programs_and_noise_have_no_records() {
    let mut dice = Dice::new(11);
    let mut noise = |len: usize| -> Vec<u8> { (0..len).map(|_| dice.below(256) as u8).collect() };
    for len in [0, 1, 4, 11, 100, 1000, 70_000, 300_000] {
        for _ in 0..if sample::is_full() { 10 } else { 3 } {
            nothing_survives("noise", &noise(len));
        }
        for byte in [0x00, 0x01, 0x20, 0x40, 0x80, 0xFF] {
            nothing_survives("one byte", &vec![byte; len]);
        }
    }
    let mut png = b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x04\0\0\0\x03\0\x08\x02\0\0\0".to_vec();
    png.extend(noise(4));
    for _ in 0..20 {
        png.extend(b"\0\0\x20\0IDAT");
        png.extend(noise(0x2000 + 4));
    }
    png.extend(b"\0\0\0\0IEND\xAE\x42\x60\x82");
    nothing_survives("PNG", &png);
    let mut gz = b"\x1F\x8B\x08\x08\x12\x34\x56\x78\0\x03name\0".to_vec();
    gz.extend(noise(100_000));
    nothing_survives("gz", &gz);
    // Sound samples, and numbers of two and four bytes.
    let sound = (0..60_000).flat_map(|at: i32| ((at % 441 - 220) as i16 * 90).to_le_bytes());
    nothing_survives("sound", &sound.collect::<Vec<u8>>());
    nothing_survives("numbers", &(0..30_000).flat_map(|at: u32| (at % 300).to_be_bytes()).collect::<Vec<u8>>());
    nothing_survives("numbers", &(0..60_000).flat_map(|at: u32| (at as u16 % 300).to_be_bytes()).collect::<Vec<u8>>());
    nothing_survives("ones", &[0, 1].repeat(50_000));
    nothing_survives("zeros with ones", &[&[0; 37][..], &[1]].concat().repeat(5000));
    nothing_survives("this program", &std::fs::read(std::env::current_exe().unwrap()).unwrap());
}

/// A field of records that contain little text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Field {
    /// A name, padded with this byte.
    Name(u8),
    Digits,
    Zoned,
    Packed,
    Counter,
    Binary,
    Flag,
    Filler(u8),
    Key,
}

/// Kinds of files of records that contain little text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum LittleText {
    NulPadded,
    DigitsAndZeros,
    Packed,
    Counters,
    Mixed,
}

const LITTLE_TEXT: [LittleText; 5] =
    [LittleText::NulPadded, LittleText::DigitsAndZeros, LittleText::Packed, LittleText::Counters, LittleText::Mixed];

/// Returns fields of `lrecl` bytes in total.
fn layout(dice: &mut Dice, like: LittleText, lrecl: usize) -> Vec<(Field, usize)> {
    use Field::*;
    let kinds: &[Field] = match like {
        LittleText::NulPadded => &[Name(0), Name(0), Key, Counter, Name(0), Filler(0)],
        LittleText::DigitsAndZeros => &[Digits, Digits, Zoned, Key],
        LittleText::Packed => &[Packed, Packed, Packed, Packed, Packed, Key],
        LittleText::Counters => &[Counter, Binary, Counter, Flag],
        LittleText::Mixed => &[Name(0x40), Name(0), Digits, Zoned, Packed, Counter, Flag, Filler(0), Filler(0x40)],
    };
    let mut fields = vec![(Key, 8)];
    let mut left = lrecl - 8;
    while left > 0 {
        let field = dice.of(kinds);
        let len = match field {
            Name(_) => dice.between(8, 30),
            Digits => dice.between(3, 12),
            Zoned => dice.between(4, 11),
            Packed => dice.between(2, 8),
            Counter => dice.of(&[4, 4, 8]),
            Binary => dice.of(&[2, 4]),
            Flag => 1,
            Filler(_) => dice.between(1, 20 + lrecl / 10),
            Key => dice.between(6, 10),
        };
        fields.push((field, len.min(left)));
        left -= len.min(left);
    }
    fields
}

/// Returns the last `len` digits of a number.
fn digits(number: usize, len: usize) -> Vec<u8> {
    let text = format!("{number:0len$}");
    text.bytes().skip(text.len() - len).map(|digit| digit - b'0' + 0xF0).collect()
}

/// Returns the bytes of a field in the record `number`.
fn field(dice: &mut Dice, field: Field, len: usize, number: usize) -> Vec<u8> {
    let most = 10usize.pow(len.min(9) as u32);
    let low = |value: usize| value.to_be_bytes()[8 - len.min(8)..].to_vec();
    match field {
        Field::Key => digits(1000 + number * 7, len),
        Field::Digits => {
            let most = dice.of(&[most, 1000, 100]).min(most);
            digits(dice.below(most), len)
        }
        Field::Zoned => {
            let most = dice.of(&[most, 10_000]).min(most);
            let mut digits = digits(dice.below(most), len);
            digits[len - 1] -= dice.of(&[0x20, 0x30, 0x30, 0x30]);
            digits
        }
        Field::Packed => {
            let most = dice.of(&[10usize.pow((2 * len as u32 - 1).min(9)), 1000]);
            packed(dice.below(most), len)
        }
        Field::Counter => low(number * 3 + 1),
        Field::Binary => low(dice.below(70_000)),
        Field::Flag => vec![dice.of(&[0xC1, 0xC2, 0xE8, 0xD5, 0xF1])],
        Field::Filler(byte) => vec![byte; len],
        Field::Name(filler) => {
            let count = dice.between(len.min(3), len);
            let letter = |at: usize, dice: &mut Dice| match at % 2 {
                0 => dice.of(&[0x82, 0x83, 0x84, 0x86, 0x93, 0x94, 0x95, 0x99, 0xA2, 0xA3]),
                _ => dice.of(&[0x81, 0x85, 0x89, 0x96, 0xA4]),
            };
            let mut name: Vec<u8> = (0..count).map(|at| letter(at, dice)).collect();
            name[0] |= 0x40;
            name.resize(len, filler);
            name
        }
    }
}

fn records_of_fields(dice: &mut Dice, layout: &[(Field, usize)], count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        for (kind, len) in layout {
            bytes.extend(field(dice, *kind, *len, number));
        }
    }
    bytes
}

/// Fields padded with NULs, digits and zeros, packed decimals, binary counters, and all of them: the length found is
/// never wrong, and nearly always it is found.
#[test]
fn records_with_little_text() {
    // Record lengths, and numbers of records.
    let sizes = [
        (20..=60, 20..=200),
        (20..=60, 1000..=5000),
        (60..=300, 6..=20),
        (60..=300, 20..=500),
        (300..=1000, 6..=200),
        (1000..=4000, 6..=20),
        (1000..=4000, 20..=60),
    ];
    let (mut all, mut right, mut wrong) = (0, 0, Vec::new());
    for (like, (lrecls, counts)) in LITTLE_TEXT.iter().flat_map(|like| sizes.iter().map(move |size| (*like, size))) {
        for seed in sample::one_in(2, "hardly text", 0..5) {
            let mut dice =
                Dice::new(seed * 977 + *lrecls.start() as u64 * 31 + *counts.start() as u64 * 7 + like as u64);
            let lrecl = dice.between(*lrecls.start(), *lrecls.end());
            let count = dice.between(*counts.start(), *counts.end());
            let layout = layout(&mut dice, like, lrecl);
            let bytes = records_of_fields(&mut dice, &layout, count);
            let eof = bytes.len() <= SNIFFED;
            all += 1;
            match look(&bytes, eof, None).shape() {
                Ok(Shape::Fixed { lrecl: found }) if found as usize == lrecl => right += 1,
                Err(NoShape::None | NoShape::Several(_)) => {}
                _ => {
                    wrong.push(format!("{like:?} {count} of {lrecl}, seed {seed}\n{}", described(&sniff(&bytes, eof))))
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right * 100 >= all * 95, "{right} of {all}");
}

/// Files that only look like columns: without a recognisable length, or with something before and after the records.
#[test]
fn files_that_only_look_like_columns() {
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let like = dice.of(&LITTLE_TEXT);
        let total = dice.between(60, 300);
        let fields = layout(&mut dice, like, total);
        let fixed = records_of_fields(&mut dice, &fields, 100);
        // Records of any length after unknown headers.
        let mut variable = Vec::new();
        for record in fixed.chunks(total) {
            let len = dice.between(total / 3, total);
            variable.extend([0xC8, 0x55, 0x01, len as u8, (len >> 8) as u8]);
            variable.extend(&record[..len]);
        }
        let found = sniff(&variable, true);
        assert!(!found.iter().any(|one| one.survives), "{like:?}, any length\n{}", described(&found));
        // Something before the records, and something after them.
        let (before, after) = (dice.between(1, total - 1), dice.between(1, total - 1));
        let between = [vec![0x55; before], fixed, vec![0xC1; after]].concat();
        if (before + after) % total != 0 {
            let found = sniff(&between, true);
            assert!(!found.iter().any(|one| one.survives), "{like:?} {total}\n{}", described(&found));
        }
    }
    let object = |number: usize| format!("{{\"id\":{number:05},\"value\":{:03},\"ok\":true}}", number * 37 % 1000);
    nothing_survives("JSON on one line", (0..900).map(object).collect::<String>().as_bytes());
    nothing_survives("digits", &(0..5000).map(|at: u32| 0xF0 + (at * at / 7 % 10) as u8).collect::<Vec<u8>>());
    nothing_survives(
        "one column",
        &(0..7400).map(|at| if at % 37 == 0 { (at / 37) as u8 } else { 0 }).collect::<Vec<u8>>(),
    );
    nothing_survives(
        "floats",
        &(0..9000).flat_map(|at: u32| (f64::from(at % 977) / 7.0).to_be_bytes()).collect::<Vec<u8>>(),
    );
}

/// Some shapes fit whenever another one fits. They do not survive, and `why` gives the reason.
#[test]
fn of_two_shapes_that_fit_one_survives() {
    let record = |text: &str| encode("IBM037", text);
    let texts = ["FIRST", "SECOND RECORD", "THE THIRD ONE", "4", "NUMBER FIVE IS A LONG ONE"];
    let records: Vec<Vec<u8>> = texts.iter().cycle().take(200).map(|text| record(text)).collect();
    let mut dice = Dice::new(3);
    let blksize = 32760;
    let against = |bytes: &[u8], shape: Shape| {
        let found = sniff(bytes, true);
        let one = found.iter().find(|one| one.shape == shape).unwrap().clone();
        assert!(!one.survives && found[0].survives && !found[1].survives, "{}", described(&found));
        one.why.last().unwrap().clone()
    };
    let vb = framed_by_hand(&mut dice, &Shape::Vb { blksize }, &records);
    assert_eq!(against(&vb, Shape::Vbs { blksize }), "no record is spanned, so this is vb");
    // The file needs more than two blocks to tell.
    let vb = framed_by_hand(&mut dice, &Shape::Vb { blksize }, &vec![records.clone(); 20].concat());
    assert_eq!(against(&vb, Shape::RDW), "its records are really blocks of records");
    let u32 = framed_by_hand(&mut dice, &Shape::U32, &records);
    assert_eq!(against(&u32, Shape::U16), "every other record is empty, so this is u32");
    let fixed: Vec<Vec<u8>> = texts.iter().cycle().take(200).map(|text| record(&format!("{text:<76}"))).collect();
    let rdw = framed_by_hand(&mut dice, &Shape::RDW, &fixed);
    assert_eq!(against(&rdw, Shape::Fixed { lrecl: 80 }), "its period comes from the headers of rdw");
}

#[test]
fn a_tape_with_several_data_sets() {
    let tape = several();
    let found = look(&tape, true, None);
    let Err(NoShape::DataSets(sets)) = found.shape() else { panic!("{}", described(&found.hypotheses)) };
    let listed: Vec<String> = sets.iter().map(ToString::to_string).collect();
    assert_eq!(
        listed,
        [
            "1: PROD.CARDS: RECFM FB, LRECL 80, BLKSIZE 400, 6 blocks",
            "2: PROD.VARIABLE: RECFM VB, LRECL 300, BLKSIZE 3000, 4 blocks",
            "3: PROD.SPANNED: RECFM VS, BLKSIZE 100, 4 blocks",
        ]
    );
    for (file, shape, records) in [
        ("1", "awstape:sl,fb:80", 30),
        ("PROD.CARDS", "awstape:sl,fb:80", 30),
        ("2", "awstape:sl,vb", 28),
        ("prod.variable", "awstape:sl,vb", 28),
        ("3", "awstape:sl,vbs", 2),
        ("THE.NAME.IN.FULL.IS.LONGER.PROD.SPANNED", "", 0),
        ("PROD.SPANNED", "awstape:sl,vbs", 2),
        ("4", "", 0),
    ] {
        let file: TapeFile = file.parse().unwrap();
        let found = look(&tape, true, Some(&file));
        match shape {
            "" => assert_eq!(found.shape(), Err(NoShape::NoFile(file))),
            shape => {
                assert_eq!(found.shape().map(|shape| shape.to_string()), Ok(shape.to_owned()));
                assert_eq!(found.hypotheses[0].records, records, "{file}");
            }
        }
    }
    assert_eq!(look(b"no tape", true, Some(&TapeFile::Number(1))).shape(), Err(NoShape::NoTape));
}

/// A column that is blank in exactly nine of ten records is named.
#[test]
fn columns_that_are_nearly_always_blank() {
    for (filled, blank) in [(10, "41-80"), (11, "41-59, 61-80")] {
        let mut dice = Dice::new(7);
        let record = |at: usize| {
            let mut record: Vec<u8> = (0..40).map(|_| 0x81 + dice.below(9) as u8).collect();
            record[0] = 0x40;
            record.resize(80, 0x40);
            record[59] = if at < filled { 0xC1 } else { 0x40 };
            record
        };
        let input: Vec<u8> = (0..100).flat_map(record).collect();
        let found = look(&input, true, None);
        let text = described(&found.hypotheses);
        assert!(text.contains(&format!("{blank} are blank in at least 90 % of the records")), "{text}");
    }
}

/// Six bytes may be the header of a block by chance. Those of a second one, with the length before it, are not.
#[test]
fn one_header_makes_no_tape() {
    let mut tape = vec![80, 0, 0, 0, 0xA0, 0];
    tape.extend(encode("IBM037", &format!("{:<80}", "A CARD")));
    assert_eq!(look(&tape, true, Some(&TapeFile::Number(1))).shape(), Err(NoShape::NoTape));
    assert!(sniff(&tape, true).iter().all(|found| !matches!(found.shape, Shape::AwsTape { .. })));
    tape.extend([0, 0, 80, 0, 0x40, 0]);
    assert_eq!(look(&tape, true, None).shape().map(|shape| shape.to_string()), Ok("awstape,fb:80".to_owned()));
}

/// The shape is taken from the labels, which may be in ASCII.
#[test]
fn a_tape_with_one_data_set() {
    let lines = |count: usize| (0..count).flat_map(|at| encode("US-ASCII", &format!("{at:<40}"))).collect::<Vec<u8>>();
    let tape = labelled(&[("A.NAME.OF.17.LONG", 'F', 'B', 40, 400, vec![lines(10), lines(3)])], true);
    let found = look(&tape, true, None);
    assert_eq!(found.shape().map(|shape| shape.to_string()), Ok("awstape:sl,fb:40".to_owned()));
    assert_eq!((&*found.data_sets[0].name, found.data_sets[0].blocks), ("A.NAME.OF.17.LONG", 2));
    // A label has the last 17 characters of a longer name.
    let long: TapeFile = "PROD.A.NAME.OF.17.LONG".parse().unwrap();
    assert!(look(&tape, true, Some(&long)).shape().is_ok());
}

/// Only the records of the chosen file are converted, with input in any pieces.
#[test]
fn one_file_of_a_tape() {
    let tape = several();
    let read = |shape: &str, file: &str, piece: usize| {
        let job = Transcode::new().source_encoding("IBM037").unwrap().records(shape.parse().unwrap());
        let job = job.tape_file(file.parse().unwrap());
        let mut out = Vec::new();
        let input = BufReader::with_capacity(piece, &tape[..]);
        job.run(input, &mut out).map(|report| (String::from_utf8(out).unwrap(), report.records))
    };
    for piece in [1, 2, 3, 7, 79, 1000, 100_000] {
        let (text, records) = read("awstape:sl,fb:80", "1", piece).unwrap();
        assert_eq!((text.lines().next(), text.lines().count(), records), (Some("CARD 0"), 30, Some(30)));
        let (text, records) = read("awstape:sl,vb", "PROD.VARIABLE", piece).unwrap();
        assert_eq!((text.lines().nth(1), text.lines().count(), records), (Some("RECORD X"), 28, Some(28)));
        let (text, _) = read("awstape:sl,vbs", "3", piece).unwrap();
        assert_eq!(text, "A RECORD THAT IS SPANNED\n".repeat(2));
        for file in ["4", "PROD"] {
            let error = read("awstape:sl,fb:80", file, piece).unwrap_err();
            assert_eq!((error.code(), error.offset()), ("no-tape-file", Some(0)));
        }
    }
    assert_eq!(read("fb:80", "1", 100).unwrap_err().code(), "options");
}

/// The pages of a listing all have the same length, but the lines are its records.
#[test]
fn pages_of_a_listing_are_not_records() {
    let mut dice = Dice::new(5);
    let names = pieces("en");
    let mut listing = String::new();
    for page in 1..=30 {
        listing += &format!("{:<132.132}", format!("1MONTHLY REPORT OF ACCOUNTS{:>80} {page:4}", "PAGE"));
        listing += &format!("{:<132}", "0ACCOUNT   NAME                    CITY                          BALANCE");
        for _ in 0..58 {
            let (name, city) = (&names[dice.below(names.len())], &names[dice.below(names.len())]);
            let (account, balance) = (dice.below(1_000_000), dice.below(100_000));
            listing += &format!("{:<132.132}", format!(" {account:08}  {name:<23} {city:<23} {balance:>12}.00"));
        }
    }
    for page in ["IBM037", "US-ASCII"] {
        let bytes = encode(page, &listing);
        assert_eq!(
            look(&bytes, true, None).shape().ok(),
            Some(Shape::Fixed { lrecl: 132 }),
            "{}",
            described(&sniff(&bytes, true))
        );
    }
}

/// If the last record is truncated or a header is invalid, the hypothesis tells how far the shape fits, and why no
/// further.
#[test]
fn a_shape_that_fits_only_the_beginning() {
    let bytes = encode("IBM037", "SOME TEXT").into_iter().collect::<Vec<u8>>();
    let mut file = [&[0, 13, 0, 0][..], &bytes].concat().repeat(100);
    let rdw = |file: &[u8]| sniff(file, true).into_iter().find(|one| one.shape == Shape::RDW).unwrap();
    let whole = rdw(&file);
    assert_eq!((whole.survives, whole.records, whole.bytes, whole.failed.is_none()), (true, 100, 1300, true));
    let cut = rdw(&file[..1299]);
    assert_eq!((cut.survives, cut.records, cut.bytes), (false, 99, 1299));
    assert_eq!(cut.failed.unwrap().code(), "record-cut");
    assert!(sniff(&file[..1299], false)[0].survives);
    file[13 * 60 + 2] = 0x40;
    let wrong = rdw(&file);
    assert_eq!((wrong.survives, wrong.records, wrong.bytes), (false, 60, 780));
    let error = wrong.failed.unwrap();
    assert_eq!((error.code(), error.offset()), ("bad-header", Some(780)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample::cases(64)))]

    /// Any bytes, with any headers among them, give consistent hypotheses.
    #[test]
    fn any_bytes(parts in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..40), 1..30usize), 0..20), eof: bool) {
        let mut bytes = Vec::new();
        for (kind, data, times) in parts {
            for _ in 0..times {
                let len = data.len() as u8;
                match kind % 6 {
                    0 => bytes.extend([0, len + 4, 0, 0]),
                    1 => bytes.extend([0, 0, 0, len]),
                    2 => bytes.extend([0, len]),
                    3 => bytes.extend([len, 0, len, 0, 0xA0, 0]),
                    4 => bytes.extend([0, len + 8, 0, 0, 0, len + 4, kind >> 6, 0]),
                    _ => bytes.extend([0x40; 20]),
                }
                bytes.extend(&data);
            }
        }
        let found = sniff(&bytes, eof);
        for one in &found {
            prop_assert!(one.bytes <= bytes.len() as u64);
            prop_assert!(!one.survives || one.failed.is_none() && one.bytes == bytes.len() as u64 && one.records > 0);
            prop_assert!(one.failed.as_ref().is_none_or(|error| error.offset().is_some_and(|at| at <= bytes.len() as u64)));
        }
        prop_assert!(found.is_sorted_by_key(|one| !one.survives));
        let survivors = found.iter().filter(|one| one.survives).count();
        prop_assert_eq!(look(&bytes, eof, None).shape().is_ok(), survivors == 1);
    }
}

/// A caller can return it with `?`.
#[test]
fn having_no_shape_is_an_error() {
    let shape = || -> Result<Shape, Box<dyn std::error::Error>> { Ok(look(b"", true, None).shape()?) };
    assert_eq!(shape().unwrap_err().to_string(), "no record shape fits");
}

/// Returns the hypotheses about an input that begins with `prefix`.
fn sniff(prefix: &[u8], eof: bool) -> Vec<Hypothesis> {
    look(prefix, eof, None).hypotheses
}
