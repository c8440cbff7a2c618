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
    #[cfg(feature = "serde")]
    structs::measure(&input, runs);
}

/// Records as structs: by `Rows::deserialize`, and by a visitor written for the struct.
#[cfg(feature = "serde")]
mod structs {
    use charpipe::fields::{Decimal, FieldError, Value, Visitor};
    use charpipe::records::Shape;
    use charpipe::rows::{Rows, RowsJob, StoredAs};
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use std::time::Instant;

    /// Text and numbers.
    #[derive(Deserialize, Default)]
    struct Customer {
        id: u32,
        name: String,
        address: String,
        phone: String,
        date: String,
        count: i64,
        amount: Option<Decimal>,
        balance: Option<Decimal>,
    }

    /// Eight numbers: zoned, binary and packed.
    #[derive(Deserialize, Default)]
    struct Numbers {
        a: u32,
        b: u32,
        c: i64,
        d: i64,
        e: Option<Decimal>,
        f: Option<Decimal>,
        g: f64,
        h: i32,
    }

    const NUMBERS: &str = "
    A  1 6 zoned,unsigned
    B 47 8 zoned,unsigned
    C 63 4 binary
    D 63 4 binary
    E 67 8 packed.2
    F 75 9 zoned.2
    G 67 8 packed.2
    H 55 8 zoned,unsigned
    FILLER 84 41 raw
    ";

    fn integer<T: TryFrom<i128> + Default>(value: Value<'_>) -> T {
        let Value::Number(number) = value else { return T::default() };
        let mantissa = number.rescale(0).and_then(|number| number.mantissa());
        mantissa.and_then(|number| T::try_from(number).ok()).expect("the number fits")
    }

    fn text(value: Value<'_>) -> String {
        if let Value::Text(text) = value { text.to_owned() } else { String::new() }
    }

    fn decimal(value: Value<'_>) -> Option<Decimal> {
        if let Value::Number(number) = value { Some(number) } else { None }
    }

    fn magnitude(number: Option<Decimal>) -> u64 {
        number.map_or(0, |number| number.magnitude() as u64)
    }

    impl Visitor for Customer {
        type Error = FieldError;

        fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
            match column {
                0 => self.id = integer(value),
                1 => self.name = text(value),
                2 => self.address = text(value),
                3 => self.phone = text(value),
                4 => self.date = text(value),
                5 => self.count = integer(value),
                6 => self.amount = decimal(value),
                _ => self.balance = decimal(value),
            }
            Ok(())
        }
    }

    impl Visitor for Numbers {
        type Error = FieldError;

        fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
            match column {
                0 => self.a = integer(value),
                1 => self.b = integer(value),
                2 => self.c = integer(value),
                3 => self.d = integer(value),
                4 => self.e = decimal(value),
                5 => self.f = decimal(value),
                6 => self.g = value.to_string().parse().expect("a decimal is a number"),
                _ => self.h = integer(value),
            }
            Ok(())
        }
    }

    fn rows(layout: &str, fields: &str) -> Rows {
        let job = RowsJob::new().records(StoredAs::Shape(Shape::RDW)).select(fields.split(' '));
        job.rows(&job.layout(layout.as_bytes()).expect("it is valid")).expect("the selection is valid")
    }

    /// Prints the speed of the fastest run of `read`, which returns a sum.
    fn best(name: &str, input: &[u8], runs: usize, read: impl Fn() -> u64) {
        let mut best = f64::INFINITY;
        let mut sum = 0;
        for _ in 0..runs {
            let start = Instant::now();
            sum = read();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name:24} {:7.0} MB/s, sum {sum}", input.len() as f64 / best / 1e6);
    }

    fn by_serde<T: DeserializeOwned>(rows: &Rows, input: &[u8], add: impl Fn(T) -> u64) -> u64 {
        let read = rows.deserialize::<T, _>(input).expect("the shape is known");
        read.map(|row| add(row.expect("the rows are valid"))).fold(0, u64::wrapping_add)
    }

    fn by_visitor<T: Visitor<Error = FieldError> + Default>(rows: &Rows, input: &[u8], add: impl Fn(T) -> u64) -> u64 {
        let (mut records, mut reader) = (rows.records(input, &Shape::RDW), rows.reader(&Shape::RDW));
        let mut sum = 0;
        while let Some(record) = records.next_record().expect("the records are valid") {
            let mut row = T::default();
            reader.read(record.number, record.data, &mut row).expect("the fields are valid");
            sum = u64::wrapping_add(sum, add(row));
        }
        sum
    }

    pub(super) fn measure(input: &[u8], runs: usize) {
        let all = rows(super::LAYOUT, "ID NAME ADDRESS PHONE DATE COUNT AMOUNT BALANCE");
        let of_customer = |row: Customer| {
            let texts = row.name.len() + row.address.len() + row.phone.len() + row.date.len();
            let numbers = u64::from(row.id) + row.count.unsigned_abs();
            texts as u64 + numbers + magnitude(row.amount) + magnitude(row.balance)
        };
        best("structs by a visitor", input, runs, || by_visitor(&all, input, of_customer));
        best("structs by serde", input, runs, || by_serde(&all, input, of_customer));
        let numbers = rows(NUMBERS, "A B C D E F G H");
        let of_numbers = |row: Numbers| {
            let integers = u64::from(row.a) + u64::from(row.b) + row.c.unsigned_abs() + row.d.unsigned_abs();
            integers + magnitude(row.e) + magnitude(row.f) + row.g.abs() as u64 + row.h as u64
        };
        best("8 numbers by a visitor", input, runs, || by_visitor(&numbers, input, of_numbers));
        best("8 numbers by serde", input, runs, || by_serde(&numbers, input, of_numbers));
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
