//! Which shape the records of a file have: on generated files of every shape, on files that have none, and the command
//! `detect --records`.

use charpipe::codec::{ByteSink, Codec, Stop};
use charpipe::records::{Hypothesis, NoShape, SNIFFED, Shape, TapeFile, look, sniff, sniff_one};
use charpipe::{Registry, Transcode};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, LazyLock};

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
    thread_local! {
        // To look a label up takes longer than to encode a record.
        static CODECS: RefCell<HashMap<String, Arc<dyn Codec>>> = RefCell::default();
    }
    let codec = CODECS.with_borrow_mut(|codecs| match codecs.get(page) {
        Some(codec) => codec.clone(),
        None => codecs.entry(page.to_owned()).or_insert(REGISTRY.codec(page).unwrap()).clone(),
    });
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

/// A field of records that are hardly text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Field {
    /// A name, filled up with this byte.
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

/// What files of records are like of which little is text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Hardly {
    NulPadded,
    DigitsAndZeros,
    Packed,
    Counters,
    Mixed,
}

const HARDLY: [Hardly; 5] =
    [Hardly::NulPadded, Hardly::DigitsAndZeros, Hardly::Packed, Hardly::Counters, Hardly::Mixed];

/// Fields of so many bytes in all.
fn layout(dice: &mut Dice, like: Hardly, lrecl: usize) -> Vec<(Field, usize)> {
    use Field::*;
    let kinds: &[Field] = match like {
        Hardly::NulPadded => &[Name(0), Name(0), Key, Counter, Name(0), Filler(0)],
        Hardly::DigitsAndZeros => &[Digits, Digits, Zoned, Key],
        Hardly::Packed => &[Packed, Packed, Packed, Packed, Packed, Key],
        Hardly::Counters => &[Counter, Binary, Counter, Flag],
        Hardly::Mixed => &[Name(0x40), Name(0), Digits, Zoned, Packed, Counter, Flag, Filler(0), Filler(0x40)],
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

/// The last `len` digits of a number.
fn digits(number: usize, len: usize) -> Vec<u8> {
    let text = format!("{number:0len$}");
    text.bytes().skip(text.len() - len).map(|digit| digit - b'0' + 0xF0).collect()
}

/// The bytes of a field in the record `number`.
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

fn hardly_text(dice: &mut Dice, layout: &[(Field, usize)], count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        for (kind, len) in layout {
            bytes.extend(field(dice, *kind, *len, number));
        }
    }
    bytes
}

/// Fields padded with NULs, digits and zeros, packed decimals, binary counters, and all of them: never a length that is
/// wrong, and nearly always the right one.
#[test]
fn records_that_are_hardly_text() {
    // Lengths, and how many records.
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
    for (like, (lrecls, counts)) in HARDLY.iter().flat_map(|like| sizes.iter().map(move |size| (*like, size))) {
        for seed in 0..5 {
            let mut dice =
                Dice::new(seed * 977 + *lrecls.start() as u64 * 31 + *counts.start() as u64 * 7 + like as u64);
            let lrecl = dice.between(*lrecls.start(), *lrecls.end());
            let count = dice.between(*counts.start(), *counts.end());
            let layout = layout(&mut dice, like, lrecl);
            let bytes = hardly_text(&mut dice, &layout, count);
            let eof = bytes.len() <= SNIFFED;
            all += 1;
            match look(&bytes, eof, None).shape() {
                Ok(Shape::Fixed { lrecl: found }) if found as usize == lrecl => right += 1,
                Err(NoShape::None | NoShape::Several(_)) => {}
                _ => wrong.push(format!("{like:?} {count} of {lrecl}, seed {seed}\n{}", in_words(&sniff(&bytes, eof)))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right * 100 >= all * 95, "{right} of {all}");
}

/// What looks like columns and is none: lengths that nothing tells, files with something before and after the records.
#[test]
fn columns_that_are_none() {
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let like = dice.of(&HARDLY);
        let total = dice.between(60, 300);
        let fields = layout(&mut dice, like, total);
        let fixed = hardly_text(&mut dice, &fields, 100);
        // Records of any length behind headers that nobody knows.
        let mut variable = Vec::new();
        for record in fixed.chunks(total) {
            let len = dice.between(total / 3, total);
            variable.extend([0xC8, 0x55, 0x01, len as u8, (len >> 8) as u8]);
            variable.extend(&record[..len]);
        }
        let found = sniff(&variable, true);
        assert!(!found.iter().any(|one| one.survives), "{like:?}, any length\n{}", in_words(&found));
        // Something before the records, and something after them.
        let (before, after) = (dice.between(1, total - 1), dice.between(1, total - 1));
        let between = [vec![0x55; before], fixed, vec![0xC1; after]].concat();
        if (before + after) % total != 0 {
            let found = sniff(&between, true);
            assert!(!found.iter().any(|one| one.survives), "{like:?} {total}\n{}", in_words(&found));
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
    assert_eq!(against(&vb, Shape::Vbs { blksize }), "no record is spanned, so this is vb");
    // Long enough for more than two blocks, or there are too few of them to tell.
    let vb = laid_out(&mut dice, &Shape::Vb { blksize }, &vec![records.clone(); 20].concat());
    assert_eq!(against(&vb, Shape::RDW), "its records are really blocks of records");
    let u32 = laid_out(&mut dice, &Shape::U32, &records);
    assert_eq!(against(&u32, Shape::U16), "every other record is empty, so this is u32");
    let fixed: Vec<Vec<u8>> = texts.iter().cycle().take(200).map(|text| record(&format!("{text:<76}"))).collect();
    let rdw = laid_out(&mut dice, &Shape::RDW, &fixed);
    assert_eq!(against(&rdw, Shape::Fixed { lrecl: 80 }), "its period comes from the headers of rdw");
}

/// A data set of a made-up tape: its name, RECFM, the attribute of its blocks, LRECL, BLKSIZE, and its blocks.
type Set<'a> = (&'a str, char, char, usize, usize, Vec<Vec<u8>>);

/// A tape with standard labels, in EBCDIC or ASCII.
fn labelled(sets: &[Set<'_>], is_ascii: bool) -> Vec<u8> {
    let (mut out, mut previous) = (Vec::new(), 0);
    let mut chunk = |data: &[u8], flags: u8| {
        out.extend((data.len() as u16).to_le_bytes());
        out.extend((previous as u16).to_le_bytes());
        out.extend([flags, 0]);
        out.extend(data);
        previous = data.len();
    };
    let label = |text: String| encode(if is_ascii { "US-ASCII" } else { "IBM037" }, &format!("{text:<80}"));
    chunk(&label("VOL1TAPE01".to_owned()), 0xA0);
    for (name, recfm, attribute, lrecl, blksize, blocks) in sets {
        for (kind, count) in [("HDR", 0), ("EOF", blocks.len())] {
            if kind == "EOF" {
                blocks.iter().for_each(|block| chunk(block, 0xA0));
                chunk(&[], 0x40);
            }
            chunk(&label(format!("{:<54}{count:06}", format!("{kind}1{name:<17}TAPE0100010001"))), 0xA0);
            chunk(&label(format!("{:<38}{attribute}", format!("{kind}2{recfm}{blksize:05}{lrecl:05}"))), 0xA0);
            chunk(&[], 0x40);
        }
    }
    chunk(&[], 0x40);
    out
}

/// Cards, records of variable length, and spanned ones that name no LRECL: each in a data set of its own.
fn several() -> Vec<u8> {
    let word = |len: usize, control: u8| vec![(len >> 8) as u8, len as u8, control, 0];
    let card = |number: usize| encode("IBM037", &format!("{:<80}", format!("CARD {number}")));
    let cards = (0..6).map(|block| (0..5).flat_map(|at| card(block * 5 + at)).collect()).collect();
    let record = |number: usize| encode("IBM037", &format!("RECORD {}", "X".repeat(number % 7)));
    let framed = |number: usize| [word(record(number).len() + 4, 0), record(number)].concat();
    let block = |data: Vec<u8>| [word(data.len() + 4, 0), data].concat();
    let variable = (0..4).map(|at| block((0..7).flat_map(|next| framed(at * 7 + next)).collect())).collect();
    let (head, tail) = (encode("IBM037", "A RECORD THAT IS"), encode("IBM037", " SPANNED"));
    let segment = |data: &[u8], control| block([word(data.len() + 4, control), data.to_vec()].concat());
    let spanned = vec![segment(&head, 1), segment(&tail, 2), segment(&head, 1), segment(&tail, 2)];
    let sets = [
        ("PROD.CARDS", 'F', 'B', 80, 400, cards),
        ("PROD.VARIABLE", 'V', 'B', 300, 3000, variable),
        ("PROD.SPANNED", 'V', 'S', 0, 100, spanned),
    ];
    labelled(&sets, false)
}

#[test]
fn a_tape_with_several_data_sets() {
    let tape = several();
    let found = look(&tape, true, None);
    let Err(NoShape::DataSets(sets)) = found.shape() else { panic!("{}", in_words(&found.hypotheses)) };
    let said: Vec<String> = sets.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
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

/// The labels decide, in ASCII too; without HDR2 it is the blocks.
#[test]
fn a_tape_with_one_data_set() {
    let lines = |count: usize| (0..count).flat_map(|at| encode("US-ASCII", &format!("{at:<40}"))).collect::<Vec<u8>>();
    let tape = labelled(&[("A.NAME.OF.17.LONG", 'F', 'B', 40, 400, vec![lines(10), lines(3)])], true);
    let found = look(&tape, true, None);
    assert_eq!(found.shape().map(|shape| shape.to_string()), Ok("awstape:sl,fb:40".to_owned()));
    assert_eq!((&*found.data_sets[0].name, found.data_sets[0].blocks), ("A.NAME.OF.17.LONG", 2));
    // A longer name stands in the label with its last 17 characters.
    let long: TapeFile = "PROD.A.NAME.OF.17.LONG".parse().unwrap();
    assert!(look(&tape, true, Some(&long)).shape().is_ok());
}

/// Whatever the pieces, the records of the file that was chosen come out.
#[test]
fn one_file_of_a_tape() {
    let tape = several();
    let read = |shape: &str, file: &str, piece: usize| {
        let job = Transcode::new().from("IBM037").unwrap().records(shape.parse().unwrap());
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
        assert_eq!((status, &*out, &*err), (1, "<stdin>: no record shape fits\n", ""));
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
        let error = json!({"code": "no-record-shape", "message": "no record shape fits", "offset": 0});
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

    /// `convert --records auto` and `detect --records` say the same, by one code, where the input ends within the first
    /// MiB, with it, and after it.
    #[test]
    fn one_question_has_one_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file").to_str().unwrap().to_owned();
        let report = folder.path().join("report").to_str().unwrap().to_owned();
        let rdw = rdw().repeat(900);
        let blocks: Vec<u8> = (0..SNIFFED / 64 + 1).flat_map(|_| [&[0, 64, 0, 0][..], &[0xC1; 60]].concat()).collect();
        let cases: [(&[u8], usize, Option<&str>); 7] = [
            // The last record is cut by the end of the file, if that is where it ends.
            (&rdw, SNIFFED - 1, Some("no-record-shape")),
            (&rdw, SNIFFED, Some("no-record-shape")),
            (&rdw, SNIFFED + 1, None),
            // It is whole.
            (&blocks, SNIFFED, None),
            (&blocks, SNIFFED + 1, None),
            (&blocks, SNIFFED - 1, Some("no-record-shape")),
            (b"Some text\nin lines\n", 19, Some("no-record-shape")),
        ];
        for (bytes, len, code) in cases {
            std::fs::write(&path, &bytes[..len]).unwrap();
            let (status, out, _) = said(&["--json", &path], b"");
            let detected: Value = serde_json::from_str(&out).unwrap();
            let args = ["-f", "IBM037", "--records", "auto", "--report", &report, "-o", "/dev/null", &path];
            let converted = Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args).output().unwrap();
            let report: Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
            assert_eq!(detected["error"]["code"].as_str(), code, "{len}");
            match code {
                Some(_) => {
                    assert_eq!((status, converted.status.code()), (1, Some(1)));
                    assert_eq!(detected["error"], report["error"]);
                }
                // What is cut after the first MiB is an error of the conversion.
                None => assert_ne!(report["error"]["code"].as_str(), Some("no-record-shape"), "{len}"),
            }
        }
    }

    #[test]
    fn the_data_sets_of_a_tape() {
        let answer = "<stdin>: the tape has 3 data sets: choose one with --file N or --file NAME\n  \
                      data set 1: PROD.CARDS: RECFM FB, LRECL 80, BLKSIZE 400, 6 blocks\n  \
                      data set 2: PROD.VARIABLE: RECFM VB, LRECL 300, BLKSIZE 3000, 4 blocks\n  \
                      data set 3: PROD.SPANNED: RECFM VS, BLKSIZE 100, 4 blocks\n";
        assert_eq!(said(&["-q"], &several()), (1, answer.to_owned(), String::new()));
        let (status, out, _) = said(&["--json"], &several());
        let object: Value = serde_json::from_str(&out).unwrap();
        let first = json!({
            "file": 1, "name": "PROD.CARDS", "recfm": "FB", "lrecl": 80, "blksize": 400, "blocks": 6
        });
        assert_eq!((status, &object["data_sets"][0], &object["records"]), (1, &first, &Value::Null));
        assert_eq!((&object["error"]["code"], &object["error"]["offset"]), (&json!("several-data-sets"), &json!(0)));
        let (status, out, _) = said(&["-q", "--file", "prod.variable"], &several());
        assert_eq!((status, out.starts_with("<stdin>: awstape:sl,vb: 4 tape blocks, 28 records;")), (0, true), "{out}");
        let (status, out, _) = said(&["-q", "--file", "9"], &several());
        assert_eq!((status, &*out), (1, "<stdin>: the tape has no file 9\n"));
        let (status, out, _) = said(&["-q", "--file", "1"], &rdw());
        let answer = "<stdin>: only a tape image has files to choose from, and this input is not a tape image\n";
        assert_eq!((status, out.starts_with(answer)), (1, true), "{out}");
        assert_eq!(said(&["--file", "0"], b"").0, 2);
    }

    #[test]
    fn a_data_set_is_converted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape").to_str().unwrap().to_owned();
        std::fs::write(&path, several()).unwrap();
        let convert = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
            let output = command.args(["-q", "-f", "IBM037", "--records"]).args(args).arg(&path).output().unwrap();
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
        };
        let (status, out, _) = convert(&["auto", "--file", "PROD.CARDS"]);
        assert_eq!((status, out.lines().last(), out.lines().count()), (0, Some("CARD 29"), 30));
        let (status, out, _) = convert(&["awstape:sl,vb", "--file", "2"]);
        assert_eq!((status, out.lines().count()), (0, 28));
        let (status, out, err) = convert(&["auto"]);
        assert_eq!((status, &*out), (1, ""));
        assert!(err.contains("2: PROD.VARIABLE: RECFM VB") && err.contains("--file N"), "{err}");
        let (status, _, err) = convert(&["awstape:sl,fb:80", "--file", "9"]);
        assert!(status == 1 && err.contains("the tape has no file 9"), "{err}");
        assert_eq!(convert(&["fb:80", "--file", "1"]).0, 2);
    }

    #[test]
    fn wrong_usage() {
        assert_eq!(said(&["--explain"], b"").0, 2);
    }
}
