//! Tests the batches of other libraries: whatever lengths, offsets, views, keys and bytes they have, each value is read
//! from within its buffer or is an error, text is UTF-8, and a record is written of it or not.
//!
//! Buffers have the size that Arrow's interface promises. Everything else is the fuzzer's choice.

#![no_main]

use charpipe::Registry;
use charpipe::fields::{Layout, Value, ValueSource, Writer};
use charpipe_arrow_input::produce::{Node, stream};
use charpipe_arrow_input::{Batch, Finder, Row};
use charpipe_fuzz::Choices;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;

const TYPES: [&str; 33] = [
    "u",
    "U",
    "vu",
    "z",
    "Z",
    "vz",
    "w:3",
    "w:0",
    "c",
    "C",
    "s",
    "S",
    "i",
    "I",
    "l",
    "L",
    "f",
    "g",
    "d:5,2",
    "d:38,-128",
    "tdD",
    "tss:",
    "tsu:",
    "tsn:",
    "n",
    "b",
    "d:40,1,256",
    "?",
    "+s",
    "+s",
    "+l",
    "+L",
    "+m",
];
/// How many of them have no children.
const SIMPLE: usize = 28;

/// The ways to a value of the column A.
const PATHS: [&str; 8] = ["A", "A[1]", "A[2]", "A.B", "A[1].B", "A[2].B[1]", "A.B[1]", "A.B.C"];

const LAYOUTS: [&str; 6] =
    ["A 1 4 text\n", "A 1 4 zoned.1\n", "A 1 3 packed.-2\n", "A 1 4 binary\n", "A 1 8 float\n", "A 1 3 raw\n"];

thread_local! {
    static WRITERS: RefCell<Vec<Writer>> = RefCell::new(LAYOUTS.iter().map(|list| writer(list)).collect());
}

fn writer(list: &str) -> Writer {
    let registry = Registry::builtin();
    let codec = registry.codec("IBM037").expect("a built-in page");
    Layout::from_field_list(list).expect("a layout").writer(&registry, &codec).expect("a writer")
}

/// Returns a number, which is usually `near`.
fn number(choices: &mut Choices, near: i64) -> i64 {
    match choices.byte() {
        byte @ 0..200 => near.wrapping_add(i64::from(byte / 100)),
        byte @ 200..248 => i64::from(byte - 200),
        byte => [-1, -2, i64::MIN, i64::MAX, i64::MAX - 7, 1 << 61, 5000, 0][usize::from(byte - 248)],
    }
}

fn bytes(choices: &mut Choices, len: usize) -> Vec<u8> {
    (0..len).map(|_| choices.byte()).collect()
}

/// Returns offsets: mostly ascending ones, and any numbers.
fn offsets(choices: &mut Choices, count: usize, is_wide: bool) -> Vec<u8> {
    let mut at = 0i64;
    let mut words = Vec::new();
    for _ in 0..count {
        let byte = choices.byte();
        match byte {
            0..240 => at = at.wrapping_add(i64::from(byte % 4)),
            _ => at = number(choices, i64::from(byte) - 248),
        }
        match is_wide {
            true => words.extend(at.to_ne_bytes()),
            false => words.extend((at as i32).to_ne_bytes()),
        }
    }
    words
}

fn views(choices: &mut Choices, count: usize) -> Vec<u8> {
    let mut views = Vec::new();
    for _ in 0..count {
        let len = number(choices, 13) as i32;
        views.extend(len.to_ne_bytes());
        match len {
            0..=12 => views.extend(bytes(choices, 12)),
            _ => {
                views.extend([0; 4]);
                views.extend((choices.byte() as i8 as i32 % 4).to_ne_bytes());
                views.extend((number(choices, 0) as i32).to_ne_bytes());
            }
        }
    }
    views
}

/// Returns an array of any type, with about as many values.
fn node(choices: &mut Choices, length: i64, depth: usize) -> Node {
    let types = if depth < 4 { &TYPES[..] } else { &TYPES[..SIMPLE] };
    let format = *choices.one(types);
    let (length, offset) = (number(choices, length), number(choices, 0));
    let count = length.saturating_add(offset).clamp(0, 64) as usize;
    let mut buffers = vec![Some(bytes(choices, count.div_ceil(8)))];
    match format {
        "n" => buffers.clear(),
        "+s" => {}
        "u" | "z" | "U" | "Z" => {
            buffers.push(Some(offsets(choices, count + 1, matches!(format, "U" | "Z"))));
            buffers.push(Some(bytes(choices, count * 2)));
        }
        "+l" | "+L" | "+m" => buffers.push(Some(offsets(choices, count + 1, format == "+L"))),
        "vu" | "vz" => {
            buffers.push(Some(views(choices, count)));
            buffers.extend([Some(bytes(choices, 20)), Some(bytes(choices, 3))]);
            let lengths = [number(choices, 20), number(choices, 3)];
            buffers.push(Some(lengths.iter().flat_map(|length| length.to_ne_bytes()).collect()));
        }
        _ => buffers.push(Some(bytes(choices, count * 2))),
    }
    let mut node = Node { offset, null_count: number(choices, 0), ..Node::new(format, length, buffers) };
    spoil(choices, &mut node);
    let children = match format {
        "+s" => ["A", "B", "C"].get(..usize::from(choices.byte() % 4)).unwrap_or_default(),
        "+l" | "+L" | "+m" => &["B"],
        _ => &[],
    };
    node.children = children.iter().map(|name| self::node(choices, length, depth + 1).named(name)).collect();
    if format.len() == 1 && choices.byte() % 4 == 1 {
        node.dictionary = Some(Box::new(self::node(choices, 3, 4)));
    }
    node
}

/// Takes away parts of an array, if the fuzzer wants it.
fn spoil(choices: &mut Choices, node: &mut Node) {
    let what = choices.byte();
    let at = usize::from(what % 8);
    match what / 8 {
        // Most arrays have no bits for null values.
        0..12 => *node.buffers.first_mut().unwrap_or(&mut None) = None,
        24..26 => node.buffers.truncate(at),
        26 => node.buffers.push(None),
        27..29 => *node.buffers.get_mut(at).unwrap_or(&mut None) = None,
        29 => node.passed = Some(at % 2),
        30 => node.lacks_dictionary = true,
        _ => {}
    }
}

/// Reads all values, and writes records of them.
fn read(batch: &Batch, choices: &mut Choices) {
    let Ok(rows) = batch.rows() else { return };
    let mut finder = Finder::new(batch, false);
    let columns: Vec<_> = PATHS.iter().map(|path| finder.access(path).unwrap_or_default()).collect();
    for index in 0..rows.min(64) {
        for column in 0..columns.len() {
            let mut row = Row::new(&columns, index);
            match row.value(0, column) {
                Some(Value::Text(text)) => assert!(std::str::from_utf8(text.as_bytes()).is_ok(), "{text:?}"),
                Some(value) => assert!(value.to_string().len() < 1000),
                None => drop(row.bad().map(|bad| bad.1.to_string())),
            }
            WRITERS.with_borrow_mut(|writers| {
                let writer = &mut writers[usize::from(choices.byte()) % LAYOUTS.len()];
                let _ = writer.write(1, &mut Row::new(&columns[column..], index), &mut Vec::new());
            });
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let column = node(&mut choices, 3, 0).named("A");
    let rows = number(&mut choices, 3);
    let mut root = Node::new("+s", rows, vec![None]).with([column]);
    root.offset = number(&mut choices, 0);
    let Ok(mut batches) = stream([root]) else { return };
    while let Ok(Some(batch)) = batches.next_batch() {
        read(&batch, &mut choices);
    }
});
