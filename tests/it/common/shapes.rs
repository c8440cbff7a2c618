//! Generates files of records, and tapes.

use charpipe::Registry;
use charpipe::codec::{ByteSink, Codec, Stop};
use charpipe::records::{Hypothesis, Shape};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

pub const TEXTS: &str = include_str!("../../../src/detect/statistics/texts.txt");

/// Marsaglia's xorshift generator.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            dice.below(2);
        }
        dice
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    pub fn of<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.below(these.len())]
    }

    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }
}

/// Returns the text of a language, on one line.
pub fn text(language: &str) -> String {
    let part = TEXTS.split("\n[").find(|part| part.split([']', ' ']).next() == Some(language)).unwrap();
    part.split_once('\n').unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the words of that text. In a language without spaces, a few characters make a word.
pub fn pieces(language: &str) -> Vec<String> {
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

/// Encodes the text of one record, without the characters that the page lacks.
pub fn encode(page: &str, text: &str) -> Vec<u8> {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);
    thread_local! {
        // Looking up a label takes longer than encoding a record.
        static CODECS: RefCell<HashMap<String, Arc<dyn Codec>>> = RefCell::default();
    }
    let codec = CODECS.with_borrow_mut(|codecs| match codecs.get(page) {
        Some(codec) => codec.clone(),
        None => codecs.entry(page.to_owned()).or_insert(REGISTRY.codec(page).unwrap()).clone(),
    });
    let mut encoder = codec.encoder().unwrap();
    let mut buffer = vec![0; 8 * text.len() + 64];
    let mut sink = ByteSink::new(&mut buffer);
    let mut rest = text;
    loop {
        let step = encoder.feed(rest, &mut sink);
        rest = &rest[step.read..];
        match step.stop {
            Stop::Fault(_) => {}
            Stop::OutputFull => panic!("the buffer is full"),
            Stop::InputEmpty => break,
        }
    }
    assert!(matches!(encoder.finish(&mut sink), Stop::InputEmpty));
    sink.as_bytes().to_vec()
}

pub const PAGES: [(&str, &str); 14] = [
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

/// The kind of data in generated records.
#[derive(Clone, Copy, Debug)]
pub enum Like {
    /// Lines of prose, broken between words.
    Prose,
    /// Lines of any length, including very short ones.
    Ragged,
    /// Fields: a name, a number in digits, a packed number, and as much of a text as fits.
    Fields,
}

/// Returns a number as a packed decimal of `len` bytes.
pub fn packed(mut number: usize, len: usize) -> Vec<u8> {
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

/// Returns words of the text, from a random position on, that take at most `most` bytes when encoded.
pub fn words(page: &str, words: &[&str], at: &mut usize, most: usize) -> Vec<u8> {
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

/// Returns records of text of at most `most` bytes, or of exactly as many if they are `fixed`.
pub fn records(
    dice: &mut Dice,
    (page, language): (&str, &str),
    like: Like,
    count: usize,
    most: usize,
    fixed: bool,
) -> Vec<Vec<u8>> {
    let pieces = pieces(language);
    // In random order, and enough of them that any repetition is accidental.
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

/// Frames records by the documented rules of `Shape`, without using the library.
pub fn framed_by_hand(dice: &mut Dice, shape: &Shape, records: &[Vec<u8>]) -> Vec<u8> {
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
            // At least the longest record is spanned.
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
                    let inner = framed_by_hand(dice, shape, records);
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

/// Returns what was found, for an assertion's message.
pub fn described(found: &[Hypothesis]) -> String {
    let line = |one: &Hypothesis| {
        let mark = if one.survives { "* " } else { "  " };
        let failed = one.failed.as_ref().map_or(String::new(), |error| format!(": {error}"));
        format!("{mark}{}: {} bytes: {}{failed}", one.shape, one.bytes, one.why.join("; "))
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a file of a shape with at least a hundred records, repeated `times` times.
pub fn generated(kind: usize, seed: u64, times: usize) -> (Shape, Vec<u8>, String) {
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
    let bytes = framed_by_hand(&mut dice, &shape, &records);
    let about =
        format!("{shape} {page:?} {like:?} {count} of {lrecl}, fixed {fixed}, seed {seed}, {} bytes", bytes.len());
    (shape, bytes, about)
}

pub const KINDS: usize = 13;

/// The number of files of each kind of shape.
pub const FILES: u64 = 24;

/// A data set of a generated tape: its name, RECFM, the attribute of its blocks, LRECL, BLKSIZE, and its blocks.
pub type Set<'a> = (&'a str, char, char, usize, usize, Vec<Vec<u8>>);

/// Returns a tape with standard labels, in EBCDIC or ASCII.
pub fn labelled(sets: &[Set<'_>], is_ascii: bool) -> Vec<u8> {
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

/// Cards, records of variable length, and spanned records without an LRECL, each in its own data set.
pub fn several() -> Vec<u8> {
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
