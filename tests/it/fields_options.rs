//! Reads records of random layouts with every feature and every option: the values are those that the test wrote, the
//! record is written back byte for byte, and one byte too many or too few is handled as the options say.
//!
//! The test makes the bytes and the values itself, without the library.

use crate::common::sample;
use charpipe::fields::{
    Copybook, FieldError, FloatFormat, Layout, OnBad, ReadOptions, Trim, Value, ValueSource, Visitor,
};
use charpipe::{Codec, OnOverlong, Registry};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Makes choices out of bytes. Without any left, every choice is the first one.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % count
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// What a field contains.
#[derive(Clone, PartialEq, Debug)]
enum Content {
    /// Text, without the spaces at its end.
    Text(String),
    /// A number or text of another kind, as it is shown.
    Other(String),
    /// An edited number that is blank.
    Nothing,
    /// A number that is blank or of low-values.
    Empty,
    /// Text of low-values.
    Nuls,
}

/// A field of a record.
#[derive(Clone, Debug)]
struct Cell {
    name: String,
    place: Range<usize>,
    content: Content,
}

/// A record while it is made.
#[derive(Clone, Default, Debug)]
struct Record {
    bytes: Vec<u8>,
    cells: Vec<Cell>,
    /// The name of its type, if another type is longer and nothing follows.
    shorter: String,
}

impl Record {
    fn push(&mut self, name: &str, bytes: &[u8], content: Content) {
        let place = self.bytes.len()..self.bytes.len() + bytes.len();
        self.bytes.extend(bytes);
        self.cells.push(Cell { name: name.to_owned(), place, content });
    }
}

/// A field of a layout, with the clauses of its item.
#[derive(Clone, Copy, Debug)]
enum Part {
    Text(usize),
    Filler(usize),
    DoubleByte,
    Zoned {
        clauses: &'static str,
        signed: bool,
    },
    SeparateSign {
        leading: bool,
    },
    Packed {
        signed: bool,
    },
    /// A packed number without a sign.
    Unsigned6,
    Binary {
        len: usize,
    },
    Single,
    Double,
    Edited,
    /// Two fields, and text over both of them.
    Redefined,
    /// Two elements.
    Array,
}

const PARTS: [Part; 19] = [
    Part::Text(1),
    Part::Text(3),
    Part::Filler(2),
    Part::DoubleByte,
    Part::Zoned { clauses: "PIC 9(3)V99", signed: false },
    Part::Zoned { clauses: "PIC S9(3)V99", signed: true },
    Part::Zoned { clauses: "PIC S9(3)V99 SIGN IS TRAILING", signed: true },
    Part::SeparateSign { leading: true },
    Part::SeparateSign { leading: false },
    Part::Packed { signed: true },
    Part::Packed { signed: false },
    Part::Unsigned6,
    Part::Binary { len: 2 },
    Part::Binary { len: 4 },
    Part::Single,
    Part::Double,
    Part::Edited,
    Part::Redefined,
    Part::Array,
];

/// Writes a number of hundredths.
fn hundredths(number: i32) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", number.abs() / 100, number.abs() % 100)
}

/// Returns the digits in EBCDIC.
fn digits(number: i32, count: usize) -> Vec<u8> {
    format!("{:0count$}", number.abs()).bytes().map(|digit| digit - b'0' + 0xF0).collect()
}

/// Returns the digits and a last half-byte, two in each byte.
fn packed(number: i32, count: usize, last: Option<u8>) -> Vec<u8> {
    let halves: Vec<u8> = digits(number, count).iter().map(|digit| digit & 15).chain(last).collect();
    halves.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

impl Part {
    /// Adds the lines of a copybook, at this level.
    fn describe(self, level: u8, name: &str, out: &mut String) {
        let mut line = |text: String| *out += &format!("  {level:02} {text}.\n");
        match self {
            Part::Text(len) => line(format!("{name} PIC X({len})")),
            Part::Filler(len) => line(format!("FILLER PIC X({len})")),
            Part::DoubleByte => line(format!("{name} PIC G(2) DISPLAY-1")),
            Part::Zoned { clauses, .. } => line(format!("{name} {clauses}")),
            Part::SeparateSign { leading } => {
                let end = if leading { "LEADING" } else { "TRAILING" };
                line(format!("{name} PIC S9(3)V99 SIGN IS {end} SEPARATE CHARACTER"));
            }
            Part::Packed { signed: true } => line(format!("{name} PIC S9(3)V99 COMP-3")),
            Part::Packed { signed: false } => line(format!("{name} PIC 9(3)V99 COMP-3")),
            Part::Unsigned6 => line(format!("{name} PIC 9(4)V99 COMP-6")),
            Part::Binary { len: 2 } => line(format!("{name} PIC S9(2)V99 COMP")),
            Part::Binary { .. } => line(format!("{name} PIC S9(5)V99 COMP")),
            Part::Single => line(format!("{name} COMP-1")),
            Part::Double => line(format!("{name} COMP-2")),
            Part::Edited => line(format!("{name} PIC ZZ9.99-")),
            Part::Redefined => {
                line(format!("{name}G.\n  {0:02} {name}A PIC X(2).\n  {0:02} {name}B PIC 9(2)", level + 1));
                line(format!("{name}R REDEFINES {name}G PIC X(4)"));
            }
            Part::Array => line(format!("{name} PIC X(2) OCCURS 2 TIMES")),
        }
    }

    fn len(self) -> usize {
        match self {
            Part::Text(len) | Part::Filler(len) | Part::Binary { len } => len,
            Part::Packed { .. } | Part::Unsigned6 => 3,
            Part::DoubleByte | Part::Single | Part::Redefined | Part::Array => 4,
            Part::Zoned { .. } => 5,
            Part::SeparateSign { .. } => 6,
            Part::Edited => 7,
            Part::Double => 8,
        }
    }

    /// Adds bytes for it. With `may_be_empty`, a number may be blank.
    fn fill(self, name: &str, may_be_empty: bool, choices: &mut Choices<'_>, record: &mut Record) {
        let number: i32 = [0, 1, 12345, -12345, 90, -7][choices.below(6)];
        let empty = if may_be_empty { choices.below(12) } else { 0 };
        let is_decimal = matches!(self, Part::Zoned { .. } | Part::SeparateSign { .. } | Part::Packed { .. });
        match self {
            Part::Text(len) if empty == 11 => return record.push(name, &vec![0; len], Content::Nuls),
            _ if is_decimal && empty == 11 => return record.push(name, &vec![0; self.len()], Content::Empty),
            _ if is_decimal && empty == 10 => return record.push(name, &vec![0x40; self.len()], Content::Empty),
            _ => {}
        }
        let shown = |number| Content::Other(hundredths(number));
        match self {
            Part::Text(len) | Part::Filler(len) => {
                let text: String = choices.of(&["", "A", "A B", "  C"]).chars().take(len).collect();
                let bytes: Vec<u8> = format!("{text:<len$}").bytes().map(letter).collect();
                let name = if matches!(self, Part::Filler(_)) { "" } else { name };
                record.push(name, &bytes, Content::Text(text.trim_end().to_owned()));
            }
            Part::DoubleByte => {
                let (text, bytes) = choices.of(&[("日本", b"\x45\x62\x45\x66"), ("日", b"\x45\x62\x40\x40")]);
                record.push(name, bytes, Content::Text(text.to_owned()));
            }
            Part::Zoned { signed, .. } => {
                let number = if signed { number } else { number.abs() };
                let mut bytes = digits(number, 5);
                if signed {
                    bytes[4] = bytes[4] & 15 | if number < 0 { 0xD0 } else { 0xC0 };
                }
                record.push(name, &bytes, shown(number));
            }
            Part::SeparateSign { leading } => {
                let sign = if number < 0 { 0x60 } else { 0x4E };
                let mut bytes = digits(number, 5);
                bytes.insert(if leading { 0 } else { 5 }, sign);
                record.push(name, &bytes, shown(number));
            }
            Part::Packed { signed } => {
                let number = if signed { number } else { number.abs() };
                let sign = if !signed {
                    15
                } else if number < 0 {
                    13
                } else {
                    12
                };
                record.push(name, &packed(number, 5, Some(sign)), shown(number));
            }
            Part::Unsigned6 => record.push(name, &packed(number | 1, 6, None), shown((number | 1).abs())),
            Part::Binary { len: 2 } => {
                let number = number.clamp(-9999, 9999);
                record.push(name, &(number as i16).to_be_bytes(), shown(number));
            }
            Part::Binary { .. } => record.push(name, &number.to_be_bytes(), shown(number)),
            Part::Single => {
                let (text, bytes) =
                    choices.of(&[("0.0", [0; 4]), ("1.5", *b"\x41\x18\0\0"), ("-0.25", *b"\xC0\x40\0\0")]);
                record.push(name, &bytes, Content::Other(text.to_owned()));
            }
            Part::Double => {
                let (text, first) = choices.of(&[("0.0", [0; 2]), ("1.5", *b"\x41\x18"), ("-0.25", *b"\xC0\x40")]);
                record.push(name, &[&first[..], &[0; 6]].concat(), Content::Other(text.to_owned()));
            }
            Part::Edited => match choices.below(4) {
                0 => record.push(name, &[0x40; 7], Content::Nothing),
                _ => {
                    let text = hundredths(number.abs());
                    let text = format!("{text:>6}{}", if number < 0 { "-" } else { " " });
                    record.push(name, &text.bytes().map(letter).collect::<Vec<_>>(), shown(number));
                }
            },
            Part::Redefined => {
                let (text, whole) = choices.of(&[("AB", "AB07"), ("", "  07"), ("A", "A 07")]);
                let bytes: Vec<u8> = whole.bytes().map(letter).collect();
                record.push(&format!("{name}A"), &bytes[..2], Content::Text(text.to_owned()));
                record.push(&format!("{name}B"), &bytes[2..], Content::Other("7".to_owned()));
                let place = record.bytes.len() - 4..record.bytes.len();
                let content = Content::Text(whole.to_owned());
                record.cells.push(Cell { name: format!("{name}R"), place, content });
            }
            Part::Array => (0..2).for_each(|_| {
                let text = choices.of(&["X", "YZ", ""]);
                let bytes: Vec<u8> = format!("{text:<2}").bytes().map(letter).collect();
                record.push(name, &bytes, Content::Text(text.to_owned()));
            }),
        }
    }
}

/// Returns a character in EBCDIC.
fn letter(ascii: u8) -> u8 {
    match ascii {
        b'A'..=b'I' => ascii - b'A' + 0xC1,
        b'X'..=b'Z' => ascii - b'X' + 0xE7,
        b'0'..=b'9' => ascii - b'0' + 0xF0,
        b' ' => 0x40,
        b'.' => 0x4B,
        b'-' => 0x60,
        _ => panic!("{ascii}"),
    }
}

/// Where the field is that says which type a record has.
#[derive(Clone, Copy, PartialEq, Debug)]
enum TypeField {
    /// There are no types.
    None,
    Before,
    Behind,
}

/// A random layout: a count, an array whose count varies, parts, record types, and another such array.
#[derive(Debug)]
struct Shape {
    counter: usize,
    has_array: bool,
    parts: Vec<Part>,
    type_field: TypeField,
    types: [Vec<Part>; 3],
    has_tail: bool,
}

/// The clauses of the field with the count, and its bytes for each count.
const COUNTERS: [(&str, [&[u8]; 3]); 3] = [
    ("PIC 9", [b"\xF0", b"\xF1", b"\xF2"]),
    ("PIC S9(4) COMP", [b"\0\0", b"\0\x01", b"\0\x02"]),
    ("PIC S9(3) COMP-3", [b"\0\x0C", b"\0\x1C", b"\0\x2C"]),
];

impl Shape {
    fn choose(choices: &mut Choices<'_>) -> Shape {
        let some = |choices: &mut Choices<'_>, least: usize, most: usize| -> Vec<Part> {
            (0..least + choices.below(most)).map(|_| choices.of(&PARTS)).collect()
        };
        let type_field = choices.of(&[TypeField::None, TypeField::Before, TypeField::Behind]);
        Shape {
            counter: choices.below(3),
            // A type field that moves would not be found.
            has_array: choices.below(2) == 1 && type_field != TypeField::Behind,
            parts: some(choices, 1, 4),
            type_field,
            types: [some(choices, 1, 2), some(choices, 1, 2), some(choices, 1, 2)],
            has_tail: choices.below(2) == 1,
        }
    }

    fn layout(&self) -> Layout {
        let mut text = "01 R.\n".to_owned();
        if self.type_field == TypeField::Before {
            text += "  05 T PIC X.\n";
        }
        if self.has_counts() {
            text += &format!("  05 N {}.\n", COUNTERS[self.counter].0);
        }
        if self.has_array {
            text += "  05 V OCCURS 0 TO 2 TIMES DEPENDING ON N.\n    10 VX PIC X.\n    10 VY PIC 9(2).\n";
        }
        for (index, part) in self.parts.iter().enumerate() {
            part.describe(5, &format!("P{index}"), &mut text);
        }
        if self.type_field != TypeField::None {
            for (index, parts) in self.types.iter().enumerate() {
                let redefines = if index == 0 { "" } else { " REDEFINES T0" };
                text += &format!("  05 T{index}{redefines}.\n");
                for (number, part) in parts.iter().enumerate() {
                    part.describe(10, &format!("T{index}P{number}"), &mut text);
                }
            }
        }
        if self.type_field == TypeField::Behind {
            text += "  05 T PIC X.\n";
        }
        if self.has_tail {
            // Spaces after a shorter type are written only if a field follows.
            text += "  05 E PIC X.\n  05 Z PIC X(2) OCCURS 0 TO 2 TIMES DEPENDING ON N.\n";
        }
        let mut layout = Copybook::new()
            .float(FloatFormat::Ibm)
            .read(text.as_bytes())
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        if self.type_field != TypeField::None {
            for rule in ["T=A:T0", "T=B:T1", "otherwise:T2"] {
                layout = layout.apply(&rule.parse().unwrap()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            }
        }
        layout
    }

    fn has_counts(&self) -> bool {
        self.has_array || self.has_tail
    }

    /// Returns a record with the number of its type, and how much longer a record of another type may be.
    fn record(&self, choices: &mut Choices<'_>) -> (Record, usize, usize) {
        let (kind, count) = (choices.below(3), choices.below(3));
        let (letter, name) = ([0xC1, 0xC2, 0xC3][kind], ["A", "B", "C"][kind]);
        let mut record = Record::default();
        if self.type_field == TypeField::Before {
            record.push("T", &[letter], Content::Text(name.to_owned()));
        }
        if self.has_counts() {
            record.push("N", COUNTERS[self.counter].1[count], Content::Other(count.to_string()));
        }
        for _ in 0..if self.has_array { count } else { 0 } {
            record.push("VX", b"\xC1", Content::Text("A".to_owned()));
            record.push("VY", b"\xF0\xF7", Content::Other("7".to_owned()));
        }
        let fill = |parts: &[Part], prefix: &str, choices: &mut Choices<'_>, record: &mut Record| {
            for (index, part) in parts.iter().enumerate() {
                let has_empty = record.cells.iter().any(|cell| matches!(cell.content, Content::Empty | Content::Nuls));
                part.fill(&format!("{prefix}{index}"), !has_empty, choices, record);
            }
        };
        fill(&self.parts, "P", choices, &mut record);
        let mut room = 0;
        if self.type_field != TypeField::None {
            fill(&self.types[kind], &format!("T{kind}P"), choices, &mut record);
            let len = |parts: &Vec<Part>| parts.iter().map(|part| part.len()).sum::<usize>();
            let longest = self.types.iter().map(len).max().unwrap();
            room = longest - len(&self.types[kind]);
            if self.has_tail || self.type_field == TypeField::Behind {
                record.bytes.resize(record.bytes.len() + std::mem::take(&mut room), 0x40);
            }
        }
        if self.type_field == TypeField::Behind {
            record.push("T", &[letter], Content::Text(name.to_owned()));
        }
        if self.has_tail {
            record.push("E", b"\xC5", Content::Text("E".to_owned()));
            (0..count).for_each(|_| record.push("Z", b"\xE9\x40", Content::Text("Z".to_owned())));
        }
        if room > 0 {
            record.shorter = format!("T{kind}");
        }
        (record, kind, room)
    }
}

/// The options of a reader.
#[derive(Clone, Copy, Debug)]
struct Options {
    trim: Trim,
    on_bad: OnBad,
    empty_is_null: bool,
    canonical: bool,
    fillers: bool,
    short_records: bool,
    overlong: OnOverlong,
    /// Whether records are filled up with spaces.
    fixed: bool,
}

impl Options {
    /// Returns all of them.
    fn all() -> Vec<Options> {
        let mut all = Vec::new();
        let both = [false, true];
        for trim in [Trim::Nothing, Trim::Blanks, Trim::BlanksAndNuls] {
            for on_bad in [OnBad::Error, OnBad::Null, OnBad::Raw, OnBad::Report] {
                for (empty_is_null, canonical) in both.into_iter().flat_map(|one| both.map(|two| (one, two))) {
                    for (fillers, short_records) in both.into_iter().flat_map(|one| both.map(|two| (one, two))) {
                        for (overlong, fixed) in [OnOverlong::Fail, OnOverlong::Cut]
                            .into_iter()
                            .flat_map(|overlong| both.map(|fixed| (overlong, fixed)))
                        {
                            all.push(Options {
                                trim,
                                on_bad,
                                empty_is_null,
                                canonical,
                                fillers,
                                short_records,
                                overlong,
                                fixed,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    fn of_library(self) -> ReadOptions {
        ReadOptions::new()
            .trim(self.trim)
            .on_bad(self.on_bad)
            .empty_is_null(self.empty_is_null)
            .canonical(self.canonical)
            .fillers(self.fillers)
            .short_records(self.short_records)
            .overlong(self.overlong)
    }
}

/// A value that was read, or that is expected.
#[derive(Clone, PartialEq, Debug)]
enum Found {
    Text(String),
    Raw(Vec<u8>),
    Null,
}

/// What reading a record gives: the places and values of its fields in order, the bad fields, and the numbers of bytes.
#[derive(PartialEq, Debug, Default)]
struct Reading {
    values: Vec<(Range<usize>, Found)>,
    reported: Vec<(usize, &'static str)>,
    bad: u64,
    cut: usize,
    unused: usize,
}

/// An error: its code, where it is, and the name of the field.
type Refused = (&'static str, usize, String);

impl Record {
    /// Returns what the options make of the record if it has `len` bytes, of which those after the record are spaces.
    /// It may be `room` bytes longer than it is.
    fn expected(&self, len: usize, room: usize, options: Options) -> Result<Reading, Refused> {
        let mut reading = Reading::default();
        for cell in self.cells.iter().filter(|cell| options.fillers || !cell.name.is_empty()) {
            let is_cut = cell.place.end > len;
            let found = if is_cut { cell.if_cut(len, options) } else { cell.if_whole(options) };
            // Also those that became null because they are empty.
            reading.bad += u64::from(!is_cut && found == Ok(Found::Null));
            let found = found.or_else(|code| {
                if options.on_bad == OnBad::Error {
                    return Err((code, cell.place.start, cell.name.clone()));
                }
                if options.on_bad == OnBad::Report {
                    reading.reported.push((cell.place.start, code));
                }
                reading.bad += 1;
                Ok(match options.on_bad {
                    OnBad::Raw if !is_cut || code == "malformed" => {
                        Found::Raw(self.bytes[cell.place.start..cell.place.end.min(len)].to_vec())
                    }
                    _ => Found::Null,
                })
            })?;
            reading.values.push((cell.place.clone(), found));
        }
        let beyond = len.saturating_sub(self.bytes.len());
        (reading.unused, reading.cut) = (beyond.min(room), beyond.saturating_sub(room));
        let too_long = |at: usize| Err(("longer-than-layout", at, String::new()));
        if reading.cut > 0 && options.overlong == OnOverlong::Fail {
            return too_long(self.bytes.len() + room);
        }
        if options.canonical {
            self.check_gaps(len, options)?;
        }
        Ok(reading)
    }
}

impl Record {
    /// Checks the bytes that no field covers: spaces between fields, and after the last one only if records are filled
    /// up. The bytes of a field that is cut, or of a filler that is not read, belong to no field either.
    fn check_gaps(&self, len: usize, options: Options) -> Result<(), Refused> {
        let is_read = |cell: &&Cell| cell.place.end <= len && (options.fillers || !cell.name.is_empty());
        let covered: Vec<Range<usize>> = self.cells.iter().filter(is_read).map(|cell| cell.place.clone()).collect();
        let end = covered.iter().map(|place| place.end).max().unwrap_or(0);
        let is_gap = |at: &usize| !covered.iter().any(|place| place.contains(at));
        let is_blank = |at: &usize| self.bytes.get(*at).is_none_or(|byte| *byte == 0x40);
        let not_blank = |from: usize, to: usize| (from..to).find(|at| is_gap(at) && !is_blank(at));
        match not_blank(0, end) {
            Some(at) => Err(("not-canonical", at, String::new())),
            None if len > end && !options.fixed => Err(("longer-than-layout", end, String::new())),
            None if not_blank(end, len).is_some() => Err(("not-canonical", end, self.shorter.clone())),
            None => Ok(()),
        }
    }
}

impl Cell {
    /// Returns the value of a field that the record contains, or the code of the error.
    fn if_whole(&self, options: Options) -> Result<Found, &'static str> {
        let is_canonical_null = |is_canonical: bool| match options.canonical && !is_canonical {
            true => Err("not-canonical"),
            false => Ok(Found::Null),
        };
        let len = self.place.len();
        match &self.content {
            Content::Text(text) if options.trim == Trim::Nothing => {
                let is_double = !text.is_ascii();
                let count = if is_double { len / 2 } else { len };
                let blank = if is_double { '\u{3000}' } else { ' ' };
                Ok(Found::Text(text.chars().chain(std::iter::repeat(blank)).take(count).collect()))
            }
            Content::Text(text) | Content::Other(text) => Ok(Found::Text(text.clone())),
            Content::Nothing => is_canonical_null(true),
            Content::Empty | Content::Nuls if options.empty_is_null => is_canonical_null(false),
            Content::Empty => Err("bad-number"),
            Content::Nuls if options.trim != Trim::BlanksAndNuls => Ok(Found::Text("\0".repeat(len))),
            Content::Nuls if options.canonical => Err("not-canonical"),
            Content::Nuls => Ok(Found::Text(String::new())),
        }
    }

    /// Returns the value of a field that the end of the record, at `len`, cuts; or the code of the error.
    fn if_cut(&self, len: usize, options: Options) -> Result<Found, &'static str> {
        let rest = len.saturating_sub(self.place.start);
        if !options.short_records || options.canonical {
            return Err("record-too-short");
        }
        match &self.content {
            _ if rest == 0 => Ok(Found::Null),
            Content::Text(text) if text.is_ascii() => {
                let text: String = text.chars().chain(std::iter::repeat(' ')).take(rest).collect();
                Ok(Found::Text(if options.trim == Trim::Nothing { text } else { text.trim_end().to_owned() }))
            }
            Content::Nuls if options.empty_is_null => Ok(Found::Null),
            Content::Nuls if options.trim == Trim::BlanksAndNuls => Ok(Found::Text(String::new())),
            Content::Nuls => Ok(Found::Text("\0".repeat(rest))),
            // Half a pair of bytes.
            Content::Text(_) => Err("malformed"),
            _ => Err("record-too-short"),
        }
    }
}

/// Collects what a reader delivers.
#[derive(Default)]
struct Seen {
    reading: Reading,
    names: Vec<Option<String>>,
    by_column: BTreeMap<usize, Found>,
}

struct Visit<'a>(&'a Layout, Seen);

impl Visitor for Visit<'_> {
    type Error = FieldError;

    fn place(&mut self, item: usize, _column: usize, place: Range<usize>) -> Result<(), FieldError> {
        self.1.names.push(self.0.items()[item].name.clone());
        self.1.reading.values.push((place, Found::Null));
        Ok(())
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), FieldError> {
        self.1.reading.reported.push((error.offset(), error.code()));
        Ok(())
    }

    fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        let value = match value {
            Value::Null => Found::Null,
            Value::Raw(bytes) => Found::Raw(bytes.to_vec()),
            value => Found::Text(value.to_string()),
        };
        self.1.reading.values.last_mut().unwrap().1 = value.clone();
        assert_eq!(self.1.by_column.insert(column, value), None);
        Ok(())
    }
}

impl ValueSource for Seen {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        Some(match self.by_column.get(&column)? {
            Found::Text(text) => Value::Text(text),
            Found::Raw(bytes) => Value::Raw(bytes),
            Found::Null => Value::Null,
        })
    }
}

/// A layout and a record of it.
struct Case {
    layout: Layout,
    registry: Registry,
    codec: Arc<dyn Codec>,
    record: Record,
    kind: usize,
    room: usize,
    has_types: bool,
}

impl Case {
    fn read(&self, bytes: &[u8], options: &ReadOptions, fixed: bool) -> Result<Seen, FieldError> {
        let mut reader = self.layout.reader(&self.registry, &self.codec, options).unwrap().fixed_length(fixed);
        let kind = self.has_types.then(|| self.layout.find(&format!("T{}", self.kind)).unwrap());
        assert_eq!(reader.record_type(bytes), kind);
        let mut visit = Visit(&self.layout, Seen::default());
        let row = reader.read(7, bytes, &mut visit)?;
        assert_eq!((row.record_type, row.len + row.cut), (kind, bytes.len().max(self.record.bytes.len())));
        let reading = Reading { bad: row.bad, cut: row.cut, unused: row.unused, ..visit.1.reading };
        Ok(Seen { reading, ..visit.1 })
    }

    /// Compares what is read with what is expected.
    fn check(&self, bytes: &[u8], options: Options) {
        let of_library = options.of_library();
        if options.canonical && options.overlong == OnOverlong::Cut {
            assert!(self.layout.reader(&self.registry, &self.codec, &of_library).is_err());
            return;
        }
        let found = self.read(bytes, &of_library, options.fixed);
        let found = found.map(|seen| seen.reading).map_err(|error| {
            assert_eq!(error.record(), 7);
            let name = error.path().rsplit('.').next().unwrap().split('[').next().unwrap();
            let name = if name.starts_with("FILLER") { "" } else { name };
            (error.code(), error.offset(), name.to_owned())
        });
        assert_eq!(
            found,
            self.record.expected(bytes.len(), self.room, options),
            "{options:?}, {bytes:02X?} for {:?}",
            self.record
        );
    }

    fn writes_back(&self) {
        let options = ReadOptions::new().canonical(true).on_bad(OnBad::Raw).fillers(true);
        let mut seen = self.read(&self.record.bytes, &options, false).unwrap();
        let mut written = Vec::new();
        let mut writer = self.layout.writer(&self.registry, &self.codec).unwrap();
        writer.write(1, &mut seen, &mut written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(written, self.record.bytes);
    }

    /// A selected field has the value that it has among all fields.
    fn selects(&self, choices: &mut Choices<'_>) {
        let cell = &self.record.cells[choices.below(self.record.cells.len())];
        if cell.name.is_empty() {
            return;
        }
        let options = ReadOptions::new().on_bad(OnBad::Raw);
        let all = self.read(&self.record.bytes, &options, false).unwrap();
        let one = self.read(&self.record.bytes, &options.select([&cell.name]), false).unwrap();
        let is_it = |at: &usize| all.names[*at].as_deref() == Some(&*cell.name);
        let some: Vec<_> = (0..all.names.len()).filter(is_it).map(|at| all.reading.values[at].clone()).collect();
        assert_eq!(one.reading.values, some);
    }
}

fn check(choices: &[u8]) {
    let mut choices = Choices(choices.iter());
    let shape = Shape::choose(&mut choices);
    let registry = Registry::builtin();
    let codec = registry.codec("IBM939").unwrap();
    let layout = shape.layout();
    let (record, kind, room) = shape.record(&mut choices);
    let has_types = shape.type_field != TypeField::None;
    let case = Case { layout, registry, codec, record, kind, room, has_types };
    let whole = &case.record.bytes[..];
    for options in Options::all() {
        case.check(whole, options);
        case.check(&[whole, b"\x40"].concat(), options);
        // Without its last byte a record with a type behind has none.
        if shape.type_field != TypeField::Behind || shape.has_tail {
            case.check(&whole[..whole.len() - 1], options);
        }
    }
    case.writes_back();
    case.selects(&mut choices);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sample::cases(800), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_feature_with_every_option(choices in prop::collection::vec(any::<u8>(), 20..60)) {
        check(&choices);
    }
}
