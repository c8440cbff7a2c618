//! Which shape the records of a file have: on generated files of every shape, on files that have none, and the command
//! `detect --records`.

use charpipe::Registry;
use charpipe::codec::{ByteSink, Stop};
use charpipe::records::{Hypothesis, SNIFFED, Shape, sniff, sniff_one};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// What a page writes of one record's text; what it lacks is left out.
fn encode(page: &str, text: &str) -> Vec<u8> {
    let codec = Registry::builtin().codec(page).unwrap();
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
    let text = text(language);
    // Where there are no blanks, a few characters are a word.
    let pieces: Vec<String> = match language {
        "ja" | "zh-Hans" | "kana" => text
            .chars()
            .filter(|ch| *ch != ' ')
            .collect::<Vec<_>>()
            .chunks(6)
            .map(|chars| chars.iter().collect())
            .collect(),
        _ => text.split(' ').map(str::to_owned).collect(),
    };
    // In another order each time, so that nothing comes again but by chance.
    let pieces: Vec<&str> = (0..3000).map(|_| &*pieces[dice.below(pieces.len())]).collect();
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

/// A file of a shape, of a hundred records or more.
fn generated(kind: usize, seed: u64) -> (Shape, Vec<u8>, String) {
    let mut dice = Dice::new(seed * 16 + kind as u64);
    let page = dice.of(&PAGES);
    let like = dice.of(&[Like::Prose, Like::Ragged, Like::Fields]);
    let count = dice.of(&[100, 120, 250, 600]);
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
const FILES: u64 = 30;

#[test]
fn the_right_shape_survives_alone() {
    let mut wrong: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for kind in 0..KINDS {
        for seed in 0..FILES {
            let (shape, bytes, about) = generated(kind, seed);
            match sniff_one(&bytes, true) {
                Ok(found) if found == shape => {}
                _ => wrong.entry(kind).or_default().push(format!("{about}\n{}", in_words(&sniff(&bytes, true)))),
            }
        }
    }
    let all: Vec<String> = wrong.into_values().flatten().collect();
    let files = KINDS * FILES as usize;
    assert!(all.len() * 100 <= files, "{} of {files} wrong:\n{}", all.len(), all.join("\n"));
}
