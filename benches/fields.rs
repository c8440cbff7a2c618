//! Measures how fast records become CSV by a layout: records with an RDW and eight typed fields, as in
//! `cargo bench --bench fields`. Prints megabytes of input per second of the fastest of several runs, for text alone,
//! numbers alone, and all.
//!
//! Run without `--bench`, as by `cargo test --benches`, it reads only a few records.

use charpipe::Registry;
use charpipe::fields::{FieldError, Layout, ReadOptions, Value, Visitor};
use charpipe::records::{Deframer, Framer, Part, Shape};
use std::time::Instant;

const LAYOUT: &str = "
ID        1  6 zoned,unsigned
NAME      7 20 text
ADDRESS  27 20 text
PHONE    47  8 text
DATE     55  8 text
COUNT    63  4 binary
AMOUNT   67  8 packed.2
BALANCE  75  9 zoned.2
FILLER   84 41 raw
";

/// Writes CSV.
struct Csv {
    text: String,
    column: usize,
}

impl Visitor for Csv {
    type Error = FieldError;

    fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        for _ in self.column..column {
            self.text.push(',');
        }
        self.column = column;
        match value {
            Value::Text(text) if !text.contains([',', '"', '\n', '\r']) => self.text.push_str(text),
            Value::Number(number) => number.append_to(&mut self.text),
            value => self.text.push_str(&format!("\"{}\"", value.to_string().replace('"', "\"\""))),
        }
        Ok(())
    }
}

fn main() {
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    let (count, runs) = if is_measured { (400_000, 7) } else { (100, 1) };
    let (registry, layout) = (Registry::builtin(), Layout::from_field_list(LAYOUT).expect("the layout is valid"));
    let codec = registry.codec("IBM037").expect("IBM037 is built in");
    let input = records(&layout, count);
    let selections = [
        ("text", &["NAME", "ADDRESS", "PHONE", "DATE"][..]),
        ("numbers", &["ID", "COUNT", "AMOUNT", "BALANCE"]),
        ("all", &["ID", "NAME", "ADDRESS", "PHONE", "DATE", "COUNT", "AMOUNT", "BALANCE"]),
    ];
    for (name, fields) in selections {
        let options = ReadOptions::new().select(fields.iter().copied());
        let mut reader = layout.reader(&registry, &codec, &options).expect("the selection is valid");
        let mut best = f64::INFINITY;
        let mut written = 0;
        for _ in 0..runs {
            let mut csv = Csv { text: String::with_capacity(1 << 20), column: 0 };
            let start = Instant::now();
            written = 0;
            let (mut deframer, mut at, mut number) = (Deframer::new(&Shape::RDW), 0, 0);
            loop {
                match deframer.next(&input[at..], true).expect("the records are valid") {
                    Part::Framing(len) => at += len,
                    Part::Data(len) => {
                        number += 1;
                        csv.column = 0;
                        reader.read(number, &input[at..at + len], &mut csv).expect("the fields are valid");
                        csv.text.push('\n');
                        at += len;
                    }
                    Part::Done => break,
                    _ => {}
                }
                if csv.text.len() > 1 << 19 {
                    written += csv.text.len();
                    csv.text.clear();
                }
            }
            written += csv.text.len();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name:8} {:7.0} MB/s, {written} bytes of CSV", input.len() as f64 / best / 1e6);
    }
}

/// Makes records, with an RDW each.
fn records(layout: &Layout, count: u32) -> Vec<u8> {
    let registry = Registry::builtin();
    let mut writer = layout.writer(&registry, &registry.codec("IBM037").expect("it is built in")).expect("it is valid");
    let mut framer = Framer::new(&Shape::RDW, b"").expect("RDW can be written");
    let (mut all, mut record) = (Vec::new(), Vec::new());
    for number in 0..count {
        let mixed = number.wrapping_mul(0x9E37_79B9);
        let cells = [
            (mixed % 1_000_000).to_string(),
            format!("Customer {}", mixed % 9973),
            format!("{} Main Street", mixed % 997),
            format!("{:08}", mixed % 100_000_000),
            format!("2026{:04}", mixed % 1231),
            (mixed as i32 / 3).to_string(),
            format!("{}.{:02}", mixed as i32, mixed % 100),
            format!("-{}.{:02}", mixed % 10_000_000, mixed % 100),
        ];
        let cells: Vec<Option<Value<'_>>> = cells.iter().map(|cell| Some(Value::Text(cell))).collect();
        writer.write(number.into(), &mut &cells[..], &mut record).expect("the values fit");
        framer.record(&record, 0, &mut all).expect("the record is short");
    }
    framer.finish(&mut all);
    all
}
