//! Which shape the records of a file have: on generated files of every shape, on files that have none, and the command
//! `detect --records`.

use charpipe::Registry;
use charpipe::codec::{ByteSink, Stop};
use charpipe::records::{Hypothesis, SNIFFED, Shape, sniff, sniff_one};
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

const TEXTS: &str = include_str!("../src/detect/statistics/texts.txt");

/// Marsaglia's xorshift generator.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            dice.below(2);
        }
        dice
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.below(these.len())]
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }
}

/// The text of a language, on one line.
fn text(language: &str) -> String {
    let part = TEXTS.split("\n[").find(|part| part.split([']', ' ']).next() == Some(language)).unwrap();
    part.split_once('\n').unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Its words; where there are no blanks, a few characters are a word.
fn pieces(language: &str) -> Vec<String> {
    let text = text(language);
    match language {
        "ja" | "zh-Hans" | "kana" => {
            let chars: Vec<char> = text.chars().filter(|ch| *ch != ' ').collect();
            let mut lens = (2..=7).cycle();
            let mut rest = &chars[..];
            let next = || {
                let piece;
                (piece, rest) = rest.split_at_checked(lens.next()?)?;
                Some(piece.iter().collect())
            };
            std::iter::from_fn(next).collect()
        }
        _ => text.split(' ').map(str::to_owned).collect(),
    }
}

/// What a page writes of one record's text; what it lacks is left out.
fn encode(page: &str, text: &str) -> Vec<u8> {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);
    let codec = REGISTRY.codec(page).unwrap();
    let mut encoder = codec.encoder().unwrap();
    let mut room = vec![0; 8 * text.len() + 64];
    let mut sink = ByteSink::new(&mut room);
    let mut rest = text;
    loop {
        let step = encoder.feed(rest, &mut sink);
        rest = &rest[step.read..];
        match step.stop {
            Stop::Fault(_) => {}
            Stop::OutputFull => panic!("no room"),
            Stop::InputEmpty => break,
        }
    }
    assert!(matches!(encoder.finish(&mut sink), Stop::InputEmpty));
    sink.as_bytes().to_vec()
}

const PAGES: [(&str, &str); 14] = [
    ("IBM037", "en"),
    ("IBM1047", "en"),
    ("IBM1047", "code"),
    ("IBM037", "code"),
    ("IBM273", "de"),
    ("IBM297", "fr"),
    ("IBM1025", "ru"),
    ("IBM930", "ja"),
    ("IBM290", "kana"),
    ("IBM935", "zh-Hans"),
    ("US-ASCII", "en"),
    ("UTF-8", "fr"),
    ("UTF-8", "ru"),
    ("ISO-8859-1", "de"),
];

/// What the records of a file are like.
#[derive(Clone, Copy, Debug)]
enum Like {
    /// Lines of prose, broken between words.
    Prose,
    /// Lines of any length, also very short.
    Ragged,
    /// Fields: a name, a number in digits, a packed one, and what fits of a text.
    Fields,
}

/// A number as packed decimals of `len` bytes.
fn packed(mut number: usize, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    for (count, byte) in bytes.iter_mut().rev().enumerate() {
        let mut digit = || {
            let digit = number % 10;
            number /= 10;
            digit as u8
        };
        let low = if count == 0 { 0x0C } else { digit() };
        *byte = digit() << 4 | low;
    }
    bytes
}

/// Words of the text from a place on, no more than `most` bytes once they are encoded.
fn words(page: &str, words: &[&str], at: &mut usize, most: usize) -> Vec<u8> {
    let mut line = String::new();
    let mut bytes = Vec::new();
    loop {
        let word = words[*at % words.len()];
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        let encoded = encode(page, &longer);
        if encoded.len() > most {
            if line.is_empty() {
                *at += 1;
            }
            return bytes;
        }
        *at += 1;
        (line, bytes) = (longer, encoded);
    }
}

/// Records of text of up to `most` bytes; of just so many where they are `fixed`.
fn records(
    dice: &mut Dice,
    (page, language): (&str, &str),
    like: Like,
    count: usize,
    most: usize,
    fixed: bool,
) -> Vec<Vec<u8>> {
    let pieces = pieces(language);
    // In another order each time, and so many that nothing comes again but by chance.
    let pieces: Vec<&str> = (0..50_000).map(|_| &*pieces[dice.below(pieces.len())]).collect();
    let blank = encode(page, " ")[0];
    let mut at = dice.below(pieces.len());
    let mut all = Vec::new();
    for number in 0..count {
        let mut record = match like {
            Like::Prose => words(page, &pieces, &mut at, most),
            Like::Ragged => {
                let most = if dice.below(4) == 0 { dice.between(1, 12.min(most)) } else { dice.between(1, most) };
                words(page, &pieces, &mut at, most)
            }
            Like::Fields => {
                let mut record = encode(page, &format!("{:06}", 1000 + number * 7));
                let mut name = words(page, &pieces, &mut at, 18.min(most));
                name.resize(20, blank);
                record.extend(name);
                record.extend(packed(dice.below(1_000_000), 5));
                record.extend(encode(page, &format!("{:08}", dice.below(100_000_000))));
                let rest = most.saturating_sub(record.len());
                record.extend(words(page, &pieces, &mut at, dice.between(rest / 3, rest)));
                record.truncate(most);
                record
            }
        };
        if fixed {
            record.resize(most, blank);
        }
        all.push(record);
    }
    all
}

/// The records in a shape, laid out by the rules of `Shape` and nothing of the library.
fn laid_out(dice: &mut Dice, shape: &Shape, records: &[Vec<u8>]) -> Vec<u8> {
    let word = |length: usize, control: u8| vec![(length >> 8) as u8, length as u8, control, 0];
    let blksize = dice.of(&[700, 3120, 6144, 27998]);
    let longest = records.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = Vec::new();
    match shape {
        Shape::Fixed { .. } => out = records.concat(),
        Shape::Rdw { little, inclusive } => {
            for record in records {
                let length = record.len() + if *inclusive { 4 } else { 0 };
                out.extend(if *little { vec![0, 0, length as u8, (length >> 8) as u8] } else { word(length, 0) });
                out.extend(record);
            }
        }
        Shape::Vb { .. } => {
            let blksize = blksize.max(longest + 8);
            let mut block = Vec::new();
            for record in records {
                if block.len() + record.len() + 8 > blksize {
                    out.extend(word(block.len() + 4, 0));
                    out.append(&mut block);
                }
                block.extend(word(record.len() + 4, 0));
                block.extend(record);
            }
            out.extend(word(block.len() + 4, 0));
            out.append(&mut block);
        }
        Shape::Vbs { .. } => {
            // At least the longest is spanned.
            let blksize = dice.of(&[100, 256, 700, 3120]).min(longest + 4).max(20);
            let mut block = Vec::new();
            for record in records {
                let (mut rest, mut first) = (&record[..], true);
                loop {
                    if block.len() + 4 + 5 > blksize - 4 {
                        out.extend(word(block.len() + 4, 0));
                        out.append(&mut block);
                    }
                    let len = rest.len().min(blksize - 4 - block.len() - 4);
                    let last = len == rest.len();
                    let control = match (first, last) {
                        (true, true) => 0,
                        (true, false) => 1,
                        (false, true) => 2,
                        (false, false) => 3,
                    };
                    block.extend(word(len + 4, control));
                    block.extend(&rest[..len]);
                    (rest, first) = (&rest[len..], false);
                    if last {
                        break;
                    }
                }
            }
            out.extend(word(block.len() + 4, 0));
            out.append(&mut block);
        }
        Shape::U32 => {
            for record in records {
                out.extend((record.len() as u32).to_be_bytes());
                out.extend(record);
            }
        }
        Shape::U16 => {
            for record in records {
                out.extend((record.len() as u16).to_be_bytes());
                out.extend(record);
            }
        }
        Shape::ModeB => {
            for record in records {
                out.push(0x80);
                out.extend((record.len() as u16).to_be_bytes());
                out.extend(record);
            }
            out.extend([0x40, 0, 0]);
        }
        Shape::AwsTape { labels, shape } => {
            let mut previous = 0;
            let mut chunk = |data: &[u8], flags: u8| {
                out.extend((data.len() as u16).to_le_bytes());
                out.extend((previous as u16).to_le_bytes());
                out.extend([flags, 0]);
                out.extend(data);
                previous = data.len();
            };
            let label = |text: &str| encode("IBM037", &format!("{text:<80}"));
            if *labels {
                chunk(&label("VOL1TAPE01"), 0xA0);
                chunk(&label("HDR1SOME.DATA"), 0xA0);
                chunk(&[], 0x40);
            }
            match &**shape {
                Shape::Fixed { lrecl } => {
                    let each = (blksize / *lrecl as usize).max(1);
                    for block in records.chunks(each) {
                        chunk(&block.concat(), 0xA0);
                    }
                }
                shape => {
                    let inner = laid_out(dice, shape, records);
                    let mut rest = &inner[..];
                    while !rest.is_empty() {
                        let len = usize::from(rest[0]) << 8 | usize::from(rest[1]);
                        chunk(&rest[..len], 0xA0);
                        rest = &rest[len..];
                    }
                }
            }
            chunk(&[], 0x40);
            if *labels {
                chunk(&label("EOF1SOME.DATA"), 0xA0);
                chunk(&[], 0x40);
            }
            chunk(&[], 0x40);
        }
        other => panic!("{other}"),
    }
    out
}

/// What was found, for an assertion's words.
fn in_words(found: &[Hypothesis]) -> String {
    let line = |one: &Hypothesis| {
        let mark = if one.survives { "* " } else { "  " };
        let failed = one.failed.as_ref().map_or(String::new(), |error| format!(": {error}"));
        format!("{mark}{}: {} bytes: {}{failed}", one.shape, one.bytes, one.why.join("; "))
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A file of a shape, of a hundred records or more, so many `times`.
fn generated(kind: usize, seed: u64, times: usize) -> (Shape, Vec<u8>, String) {
    let mut dice = Dice::new(seed * 16 + kind as u64);
    let page = dice.of(&PAGES);
    let like = dice.of(&[Like::Prose, Like::Ragged, Like::Fields]);
    let count = times * dice.of(&[100, 120, 250, 600]);
    let lrecl = dice.of(&[80, 132, 133, 121, 100, 60, 72, 96, 256, 240, 333, 500]);
    let fixed = dice.below(3) == 0;
    let blksize = 32760;
    let rdw = |little, inclusive| Shape::Rdw { little, inclusive };
    let fb = Shape::Fixed { lrecl: lrecl as u32 };
    let tape = |labels, shape| Shape::AwsTape { labels, shape: Box::new(shape) };
    let labels = dice.below(2) == 0;
    let (shape, fixed) = match kind {
        0 => (fb, true),
        1 => (Shape::RDW, fixed),
        2 => (rdw(false, false), fixed),
        3 => (rdw(true, true), fixed),
        4 => (rdw(true, false), fixed),
        5 => (Shape::Vb { blksize }, fixed),
        6 => (Shape::Vbs { blksize }, fixed),
        7 => (Shape::U32, fixed),
        8 => (Shape::U16, fixed),
        9 => (Shape::ModeB, fixed),
        10 => (tape(labels, fb), true),
        11 => (tape(labels, Shape::Vb { blksize }), fixed),
        _ => (tape(labels, Shape::Vbs { blksize }), fixed),
    };
    let records = records(&mut dice, page, like, count, lrecl, fixed);
    let bytes = laid_out(&mut dice, &shape, &records);
    let about =
        format!("{shape} {page:?} {like:?} {count} of {lrecl}, fixed {fixed}, seed {seed}, {} bytes", bytes.len());
    (shape, bytes, about)
}

const KINDS: usize = 13;

/// Of each kind of shape this many files.
const FILES: u64 = 24;

/// Fails where more than one in a hundred of `files` is wrong.
#[track_caller]
fn at_most_one_in_a_hundred(files: usize, wrong: &[String]) {
    assert!(wrong.len() * 100 <= files, "{} of {files} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_right_shape_survives_alone() {
    let mut wrong = Vec::new();
    for (kind, seed) in (0..KINDS).flat_map(|kind| (0..FILES).map(move |seed| (kind, seed))) {
        let (shape, bytes, about) = generated(kind, seed, 1);
        if sniff_one(&bytes, true).ok() != Some(shape) {
            wrong.push(format!("{about}\n{}", in_words(&sniff(&bytes, true))));
        }
    }
    at_most_one_in_a_hundred(KINDS * FILES as usize, &wrong);
}

/// Within a record, within a header, or wherever.
#[test]
fn so_it_does_where_the_prefix_is_cut() {
    const LEAST: usize = 64 << 10;
    let mut wrong = Vec::new();
    let mut files = 0;
    for (kind, seed) in (0..KINDS).flat_map(|kind| (100..106).map(move |seed| (kind, seed))) {
        let (shape, bytes, about) = generated(kind, seed, 8);
        let mut dice = Dice::new(seed);
        for _ in 0..4 {
            let Some(room) = bytes.len().checked_sub(LEAST) else { break };
            let cut = LEAST + dice.below(room.max(1));
            files += 1;
            if sniff_one(&bytes[..cut], false).ok().as_ref() != Some(&shape) {
                wrong.push(format!("{about}, cut at {cut}\n{}", in_words(&sniff(&bytes[..cut], false))));
            }
        }
    }
    assert!(files > 100, "{files}");
    at_most_one_in_a_hundred(files, &wrong);
}

/// No more than the first MiB is looked at, and what is behind it is not missed.
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
        assert!(!found.iter().any(|one| one.survives), "{what}, {eof}:\n{}", in_words(&found));
    }
}

/// Lines of a text, no longer than so many characters.
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
    for language in ["en", "code", "de", "ru", "ja", "zh-Hans"] {
        let lines = lines(&mut dice, language, 900, 90);
        let utf8 = lines.join("\n");
        nothing_survives(language, utf8.as_bytes());
        nothing_survives(language, lines.join("\r\n").as_bytes());
        nothing_survives(language, utf8.replace('\n', " ").as_bytes());
        for page in ["UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE", "IBM1047", "IBM273", "IBM1025", "IBM930", "IBM935"]
        {
            nothing_survives(&format!("{language} {page}"), &encode(page, &utf8));
            nothing_survives(&format!("{language} {page}, NEL"), &encode(page, &lines.join("\u{85}")));
        }
        // Lines of one length are lines all the same.
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
    fn visit(path: &Path, files: &mut usize) {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|end| end != "bin") {
                nothing_survives(&path.display().to_string(), &std::fs::read(&path).unwrap());
                *files += 1;
            }
        }
    }
    let mut files = 0;
    for folder in ["src", "spec", "codecs", "benches", "tests"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        if folder.is_dir() {
            visit(&folder, &mut files);
        }
    }
    assert!(files > 100, "{files}");
}

#[test]
fn neither_have_images_programs_and_noise() {
    let mut dice = Dice::new(11);
    let mut noise = |len: usize| -> Vec<u8> { (0..len).map(|_| dice.below(256) as u8).collect() };
    for len in [0, 1, 4, 11, 100, 1000, 70_000, 300_000] {
        for _ in 0..10 {
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
    // Sound, and numbers of two and four bytes.
    let sound = (0..60_000).flat_map(|at: i32| ((at % 441 - 220) as i16 * 90).to_le_bytes());
    nothing_survives("sound", &sound.collect::<Vec<u8>>());
    nothing_survives("numbers", &(0..30_000).flat_map(|at: u32| (at % 300).to_be_bytes()).collect::<Vec<u8>>());
    nothing_survives("numbers", &(0..60_000).flat_map(|at: u32| (at as u16 % 300).to_be_bytes()).collect::<Vec<u8>>());
    nothing_survives("ones", &[0, 1].repeat(50_000));
    nothing_survives("zeros with ones", &[&[0; 37][..], &[1]].concat().repeat(5000));
    nothing_survives("this program", &std::fs::read(std::env::current_exe().unwrap()).unwrap());
}

/// What lies in one another, and what stands against it.
#[test]
fn of_two_that_fit_one_is_meant() {
    let record = |text: &str| encode("IBM037", text);
    let texts = ["FIRST", "SECOND RECORD", "THE THIRD ONE", "4", "NUMBER FIVE IS A LONG ONE"];
    let records: Vec<Vec<u8>> = texts.iter().cycle().take(200).map(|text| record(text)).collect();
    let mut dice = Dice::new(3);
    let blksize = 32760;
    let against = |bytes: &[u8], shape: Shape| {
        let found = sniff(bytes, true);
        let one = found.iter().find(|one| one.shape == shape).unwrap().clone();
        assert!(!one.survives && found[0].survives && !found[1].survives, "{}", in_words(&found));
        one.why.last().unwrap().clone()
    };
    let vb = laid_out(&mut dice, &Shape::Vb { blksize }, &records);
    assert_eq!(against(&vb, Shape::Vbs { blksize }), "no segment is spanned: that is vb");
    // Long enough for more than two blocks, or there are too few of them to tell.
    let vb = laid_out(&mut dice, &Shape::Vb { blksize }, &vec![records.clone(); 20].concat());
    assert_eq!(against(&vb, Shape::RDW), "what it takes for records are blocks of records");
    let u32 = laid_out(&mut dice, &Shape::U32, &records);
    assert_eq!(against(&u32, Shape::U16), "every other record is empty: that is u32");
    let fixed: Vec<Vec<u8>> = texts.iter().cycle().take(200).map(|text| record(&format!("{text:<76}"))).collect();
    let rdw = laid_out(&mut dice, &Shape::RDW, &fixed);
    assert_eq!(against(&rdw, Shape::Fixed { lrecl: 80 }), "its period is that of the headers: rdw");
}

/// A listing has pages, all of one length: its records are the lines.
#[test]
fn a_page_is_no_record() {
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
            sniff_one(&bytes, true).ok(),
            Some(Shape::Fixed { lrecl: 132 }),
            "{}",
            in_words(&sniff(&bytes, true))
        );
    }
}

/// A record that is cut by the end of the file, and a header that is wrong: how far it fits, and why no further.
#[test]
fn how_far_it_fits() {
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
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the bytes, and whatever headers are mixed among them.
    #[test]
    fn it_answers_always(parts in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..40), 1..30usize), 0..20), eof: bool) {
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
        prop_assert_eq!(sniff_one(&bytes, eof).is_ok(), survivors == 1);
    }
}

/// The command `detect --records`.
#[cfg(feature = "cli")]
mod command {
    use super::*;
    use serde_json::{Value, json};
    use std::io::Write;
    use std::process::{Command, Output, Stdio};

    fn charpipe(args: &[&str], input: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        command.args(["detect", "--records"]).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It reads no more than it needs.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    /// The exit status, standard output and standard error.
    fn said(args: &[&str], input: &[u8]) -> (i32, String, String) {
        let output = charpipe(args, input);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn rdw() -> Vec<u8> {
        let record = encode("IBM037", "SOME TEXT");
        [&[0, 13, 0, 0][..], &record].concat().repeat(100)
    }

    #[test]
    fn the_answer_is_on_the_first_line() {
        let answer = "<stdin>: rdw: 100 records of 9 bytes; all of 1300 bytes\n";
        assert_eq!(said(&["-q"], &rdw()), (0, answer.to_owned(), String::new()));
        let (status, out, err) = said(&["-v"], &rdw());
        assert_eq!((status, &*err), (0, ""));
        assert!(out.starts_with(answer), "{out}");
        let vb = "  vb: 0 records in 1 block; fails at byte 4: record 1: the header E2 D6 D4 C5 is wrong: ";
        assert!(out.lines().any(|line| line.starts_with(vb)), "{out}");
        // Without `-v` only what came some way.
        assert!(!said(&[], &rdw()).1.contains("  vb: "));
    }

    #[test]
    fn none_fits() {
        let (status, out, err) = said(&["-q"], b"Some text\nin lines\n");
        assert_eq!((status, &*out, &*err), (1, "<stdin>: no shape of records fits\n", ""));
        let mut cut = rdw();
        cut.pop();
        let (status, out, _) = said(&[], &cut);
        let line = "  rdw: 99 records of 9 bytes; fails at byte 1299: record 100, which begins at byte 1287, is cut: \
                    at least 1 more bytes belong to it\n";
        assert!(status == 1 && out.contains(line), "{out}");
    }

    #[test]
    fn a_line_of_json_for_each() {
        let folder = tempfile::tempdir().unwrap();
        let (good, text) = (folder.path().join("good"), folder.path().join("text"));
        std::fs::write(&good, rdw()).unwrap();
        std::fs::write(&text, "no records\n").unwrap();
        let names = [&good, &text, &folder.path().join("missing")].map(|path| path.to_str().unwrap().to_owned());
        let (status, out, err) = said(&["--json", &names[0], &names[1], &names[2]], b"");
        assert_eq!((status, err.lines().count()), (3, 1), "{err}");
        let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), 3);
        for (object, name) in objects.iter().zip(&names) {
            let keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["error", "hypotheses", "input", "records"]);
            assert_eq!(object["input"], json!(name));
        }
        assert_eq!((&objects[0]["records"], &objects[0]["error"]), (&json!("rdw"), &Value::Null));
        let first = json!({
            "shape": "rdw", "survives": true, "records": 100, "bytes": 1300, "why": ["100 records of 9 bytes"],
            "error": null
        });
        assert_eq!(objects[0]["hypotheses"][0], first);
        let error = json!({"code": "no-record-shape", "message": "no shape of records fits", "offset": null});
        assert_eq!((&objects[1]["records"], &objects[1]["error"]), (&Value::Null, &error));
        assert!(objects[1]["hypotheses"].as_array().unwrap().iter().all(|one| one["survives"] == json!(false)));
        let wrong = &objects[1]["hypotheses"].as_array().unwrap().iter().find(|one| one["shape"] == json!("rdw"));
        assert_eq!(wrong.unwrap()["error"]["code"], json!("bad-header"));
        assert_eq!((&objects[2]["error"]["code"], &objects[2]["hypotheses"]), (&json!("open"), &json!([])));
    }

    /// The first MiB, and not a byte more is looked at.
    #[test]
    fn a_long_input_is_read_in_part() {
        let mut long = rdw().repeat(1000);
        long.extend([0xFF; 10]);
        let (status, out, err) = said(&["-q"], &long);
        assert_eq!((status, &*err), (0, ""));
        assert_eq!(out, "<stdin>: rdw: 80659 records of 9 bytes; the first 1048576 bytes\n");
    }

    #[test]
    fn wrong_usage() {
        assert_eq!(said(&["--explain"], b"").0, 2);
    }
}
