//! `charpipe rows --exact --filler` in both directions, with random layouts and records: the result is the same bytes,
//! or an error.

use crate::rows::rows;
use charpipe::records::{Framer, Shape};
use proptest::prelude::*;
use std::cell::Cell;
use std::fs;

/// Decisions, one after the other; 0 when there are no more.
struct Tape<'a>(std::slice::Iter<'a, u8>);

impl Tape<'_> {
    /// Returns a number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }

    /// Returns whether something rare happens.
    fn rarely(&mut self) -> bool {
        self.below(16) == 15
    }
}

/// A field, or fields that belong together.
enum Part {
    Text(usize),
    Filler(usize),
    Zoned {
        digits: usize,
        signed: bool,
    },
    Packed(usize),
    Binary,
    /// A binary number after slack bytes, if it does not begin at an even place.
    Aligned,
    Edited,
    /// Two fields, and text of this length in the same place.
    Redefined(usize),
    /// An array whose count comes before it.
    Array(usize),
}

impl Part {
    fn choose(tape: &mut Tape<'_>) -> Self {
        match tape.below(12) {
            0 | 1 => Part::Text(1 + tape.below(4)),
            2 | 3 => Part::Filler(1 + tape.below(3)),
            4 => Part::Zoned { digits: 1 + tape.below(3), signed: tape.below(2) == 1 },
            5 => Part::Packed(1 + tape.below(3)),
            6 => Part::Binary,
            7 => Part::Aligned,
            8 => Part::Edited,
            9 => Part::Redefined(1 + tape.below(4)),
            _ => Part::Array(1 + tape.below(3)),
        }
    }

    /// Adds the clauses of a copybook, at level 10. `n` makes names unique.
    fn describe(&self, n: usize, out: &mut String) {
        let mut line = |text: String| *out += &format!("           {text}.\n");
        match self {
            Part::Text(len) => line(format!("10 F{n} PIC X({len})")),
            Part::Filler(len) => line(format!("10 FILLER PIC X({len})")),
            Part::Zoned { digits, signed: true } => line(format!("10 F{n} PIC S9({digits})")),
            Part::Zoned { digits, signed: false } => line(format!("10 F{n} PIC 9({digits})")),
            Part::Packed(len) => line(format!("10 F{n} PIC S9({}) COMP-3", 2 * len - 1)),
            Part::Binary => line(format!("10 F{n} PIC S9(4) COMP")),
            Part::Aligned => line(format!("10 F{n} PIC S9(4) COMP SYNC")),
            Part::Edited => line(format!("10 F{n} PIC ZZ9")),
            Part::Redefined(len) => {
                line(format!("10 G{n}"));
                line(format!("   15 A{n} PIC X(2)"));
                line(format!("   15 B{n} PIC 99"));
                line(format!("10 R{n} REDEFINES G{n} PIC X({len})"));
            }
            Part::Array(len) => {
                line(format!("10 C{n} PIC 9"));
                line(format!("10 F{n} PIC X({len}) OCCURS 0 TO 3 DEPENDING ON C{n}"));
            }
        }
    }

    /// The most bytes that it takes, with one before it.
    fn longest(&self) -> usize {
        match self {
            Part::Text(len) | Part::Filler(len) | Part::Zoned { digits: len, .. } | Part::Packed(len) => *len,
            Part::Binary => 2,
            Part::Aligned | Part::Edited => 3,
            Part::Redefined(_) => 4,
            Part::Array(len) => 1 + 3 * len,
        }
    }

    /// Adds bytes for it, which are mostly valid.
    fn fill(&self, tape: &mut Tape<'_>, out: &mut Vec<u8>) {
        let mut text = |tape: &mut Tape<'_>, len: usize| {
            out.extend((0..len).map(|_| [0x40, 0xC1, 0xF1, 0x40, 0x6B, 0x7F, 0x25, 0x15][tape.below(8)]));
        };
        let digit = |tape: &mut Tape<'_>| 0xF0 + tape.below(10) as u8;
        match self {
            Part::Text(len) | Part::Filler(len) => text(tape, *len),
            Part::Zoned { digits, signed } => {
                (1..*digits).for_each(|_| out.push(digit(tape)));
                let sign = [0xC0, 0xD0, 0xF0, 0xC0][tape.below(4)];
                out.push(if *signed { sign + tape.below(10) as u8 } else { digit(tape) });
            }
            Part::Packed(len) => {
                (1..*len).for_each(|_| out.push((tape.below(10) << 4 | tape.below(10)) as u8));
                out.push((tape.below(10) << 4) as u8 | [0x0C, 0x0D, 0x0C, 0x0F][tape.below(4)]);
            }
            Part::Binary => out.extend([tape.below(20) as u8, tape.below(256) as u8]),
            Part::Aligned => {
                if out.len() % 2 == 1 {
                    out.push([0x40, 0x40, 0x00][tape.below(3)]);
                }
                out.extend([tape.below(20) as u8, tape.below(256) as u8]);
            }
            Part::Edited => out.extend([[0x40, 0x40, 0xF1], [0x40, 0xF2, 0xF0], [0xF3, 0xF0, 0xF1]][tape.below(3)]),
            Part::Redefined(_) => {
                text(tape, 2);
                (0..2).for_each(|_| out.push(digit(tape)));
            }
            Part::Array(len) => {
                let count = tape.below(4);
                out.push(0xF0 + count as u8);
                (0..count * len).for_each(|_| out.push([0x40, 0xC1, 0xC2][tape.below(3)]));
            }
        }
    }
}

fn describe(parts: &[Part], from: usize, out: &mut String) {
    parts.iter().enumerate().for_each(|(index, part)| part.describe(from + index, out));
}

/// A layout: a key, parts that every record has, and for some layouts two record types.
struct Random {
    parts: Vec<Part>,
    types: Option<[Vec<Part>; 2]>,
}

impl Random {
    fn choose(tape: &mut Tape<'_>) -> Self {
        let some = |tape: &mut Tape<'_>, most: usize| -> Vec<Part> {
            (0..1 + tape.below(most)).map(|_| Part::choose(tape)).collect()
        };
        let has_types = tape.below(2) == 1;
        Random { parts: some(tape, 3), types: has_types.then(|| [some(tape, 2), some(tape, 2)]) }
    }

    fn copybook(&self) -> String {
        let mut text = "       01 R.\n         05 P.\n           10 K PIC X.\n".to_owned();
        describe(&self.parts, 0, &mut text);
        if let Some([one, two]) = &self.types {
            text += "         05 T1.\n";
            describe(one, 100, &mut text);
            text += "         05 T2 REDEFINES T1.\n";
            describe(two, 200, &mut text);
        }
        text
    }

    /// A length that no record exceeds.
    fn longest(&self) -> usize {
        let total = |parts: &[Part]| parts.iter().map(Part::longest).sum::<usize>();
        1 + total(&self.parts) + self.types.as_ref().map_or(0, |types| 1 + total(&types[0]).max(total(&types[1])))
    }

    fn record(&self, tape: &mut Tape<'_>) -> Vec<u8> {
        let kind = tape.below(2);
        let mut record = vec![0xC1 + kind as u8];
        self.parts.iter().for_each(|part| part.fill(tape, &mut record));
        if let Some(types) = &self.types {
            types[kind].iter().for_each(|part| part.fill(tape, &mut record));
        }
        if tape.rarely() {
            record.extend([&b"\x40"[..], b"\x40\x40\x40", b"\x00", b"\xC1"][tape.below(4)]);
        }
        if tape.rarely() && record.len() > 1 {
            record.pop();
        }
        if tape.rarely() {
            let at = tape.below(record.len());
            record[at] = tape.below(256) as u8;
        }
        record
    }
}

/// Returns the length of the layout, if the command can read it.
fn max_len(copybook: &str, rules: &[&str]) -> Option<usize> {
    let mut layout = charpipe::fields::Copybook::new().read(copybook.as_bytes()).ok()?;
    for rule in rules {
        layout = layout.apply(&rule.replace('#', " ").parse().unwrap()).ok()?;
    }
    Some(layout.max_len())
}

/// Spaces after a shorter record type are written back only in fixed-length records.
#[test]
fn blanks_after_a_shorter_type() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "K 1 1 text\nwhen K=A: LONG\nX 2 10 text\nwhen K=B: SHORT\nY 2 3 text\n").unwrap();
    let line = format!("-q --layout {} -f latin1", list.display());
    let forward = format!("{line} --exact --filler --records");
    let output = rows(&format!("{forward} rdw"), b"\0\x0F\0\0Babc       ");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "charpipe: <stdin>: byte 8: record 1: it has 11 bytes, but the layout describes only 4 of them (is the layout \
         complete? see --show-layout; use --rejects PATH to continue)\n"
    );
    let output = rows(&format!("{forward} fb:11"), b"Babc       ");
    let back = rows(&format!("{line} --from-rows csv --to-records fb:11"), &output.stdout);
    assert_eq!(String::from_utf8(back.stdout).unwrap(), "Babc       ");
}

#[test]
fn options_that_change_something() {
    for option in ["--overlong cut", "--on-bad null", "--controls space", "--controls drop", "--record-newlines space"]
    {
        let output = rows(&format!("--layout missing --exact {option}"), b"");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(words.starts_with("charpipe: --exact: cannot be used with "), "{words}");
    }
}

#[test]
fn the_same_bytes_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tried, came_back) = (Cell::new(0), Cell::new(0));
    proptest!(ProptestConfig::with_cases(400), |(choices in proptest::collection::vec(any::<u8>(), 60..200))| {
        let mut tape = Tape(choices.iter());
        let random = Random::choose(&mut tape);
        let copybook = random.copybook();
        let rules = if random.types.is_some() { &["K=A:#T1", "K=B:#T2"][..] } else { &[] };
        let Some(len) = max_len(&copybook, rules) else {
            // Nothing is aligned after an array whose count varies.
            return Ok(());
        };
        prop_assert!(len <= random.longest() + 4, "{copybook}");
        let fixed = [format!("fb:{len}"), format!("awstape,fb:{len}")];
        let shapes = [&*fixed[0], "rdw", "vb", "u16", "u32", "rdw:le", &fixed[0], "mode-b", "awstape,rdw", "vbs", &fixed[1]];
        let shape = shapes[tape.below(shapes.len())];
        let format = ["csv", "jsonl"][tape.below(2)];
        let parsed: Shape = shape.parse().unwrap();
        let (mut framer, mut input) = (Framer::new(&parsed, b"\x40").unwrap(), Vec::new());
        for _ in 0..1 + tape.below(3) {
            let mut record = random.record(&mut tape);
            if parsed.lrecl().is_some() {
                record.truncate(len);
                if tape.rarely() {
                    record.resize(len, 0x00);
                }
            }
            framer.record(&record, 0, &mut input).unwrap();
        }
        framer.finish(&mut input);

        fs::write(path("list"), &copybook).unwrap();
        let rules: String = rules.iter().map(|rule| format!("--when {rule} ")).collect();
        let line = format!("-q --layout {} -f IBM037 {rules}", path("list"));
        let forward = rows(&format!("{line} --records {shape} --exact --filler --format {format}"), &input);
        let words = String::from_utf8_lossy(&forward.stderr).into_owned();
        prop_assert!(matches!(forward.status.code(), Some(0 | 1)), "{words}\n{copybook}");
        tried.set(tried.get() + 1);
        if forward.status.success() {
            let back = rows(&format!("{line} --from-rows {format} --to-records {shape}"), &forward.stdout);
            let words = String::from_utf8_lossy(&back.stderr).into_owned();
            prop_assert!(back.status.success(), "{shape} {words}\n{copybook}{}", String::from_utf8_lossy(&forward.stdout));
            prop_assert!(back.stdout == input, "{shape} {format}: {:02X?}, not {:02X?}\n{copybook}", back.stdout, input);
            came_back.set(came_back.get() + 1);
        }
    });
    let (tried, came_back) = (tried.get(), came_back.get());
    assert!(came_back * 4 > tried, "only {came_back} of {tried} could be read");
}
