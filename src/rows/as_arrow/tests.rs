//! Reads what [`RowArrow`] writes, and checks every number, every place and every bit in it.

use super::flat_buffer_tests::Reader;
use super::{RowArrow, flat_buffer};
use crate::rows::schema::{Member, Value, members};
use crate::rows::{Batch, ColumnType, Rows, RowsError, RowsJob};
use std::io::BufReader;

/// A batch of a stream.
struct Found<'a> {
    rows: usize,
    entries: Vec<[usize; 2]>,
    buffers: Vec<&'a [u8]>,
}

impl<'a> Found<'a> {
    /// Takes the next batch from a stream, whose buffers have to be in order and at multiples of eight.
    fn take(stream: &mut &'a [u8]) -> Option<Self> {
        let reader = Reader::of_message(stream)?;
        let root = reader.follow(0);
        let of = |slot| reader.member(root, slot).unwrap();
        assert_eq!((reader.number::<2>(of(0)), reader.number::<1>(of(1))), (4, 3));
        let (body, rest) = stream.split_at(reader.number::<8>(of(3)));
        *stream = rest;
        let batch = reader.follow(of(2));
        let of = |slot| reader.member(batch, slot).unwrap();
        let mut end = 0;
        let mut buffer = |[begin, len]: [usize; 2]| {
            assert_eq!(begin, end);
            end = (begin + len).next_multiple_of(8);
            assert!(body[begin + len..end].iter().all(|byte| *byte == 0));
            &body[begin..begin + len]
        };
        let buffers = reader.pairs(of(2)).into_iter().map(&mut buffer).collect();
        assert_eq!(end, body.len());
        Some(Found { rows: reader.number::<8>(of(0)), entries: reader.pairs(of(1)), buffers })
    }

    /// Returns each row as text.
    fn rows(mut self, rows: &Rows) -> Vec<String> {
        self.entries.reverse();
        self.buffers.reverse();
        let shown = self.structs(&members(rows), self.rows);
        assert!(self.entries.is_empty() && self.buffers.is_empty());
        shown
    }

    fn structs(&mut self, members: &[Member], len: usize) -> Vec<String> {
        let mut shown = vec![String::new(); len];
        for member in members {
            let column = self.column(&member.value);
            assert_eq!(column.len(), len);
            for (row, value) in shown.iter_mut().zip(column) {
                *row += if row.is_empty() { "" } else { " " };
                *row += &value;
            }
        }
        shown
    }

    fn column(&mut self, value: &Value) -> Vec<String> {
        let [len, nulls] = self.entries.pop().unwrap();
        let bits = self.buffers.pop().unwrap();
        assert_eq!(bits.len(), if nulls == 0 { 0 } else { len.div_ceil(8) });
        let is_null = |index: usize| !bits.is_empty() && bits[index / 8] >> (index % 8) & 1 == 0;
        assert_eq!((0..len).filter(|index| is_null(*index)).count(), nulls);
        assert!((len..8 * bits.len()).all(is_null), "bits after the last one are 0");
        let mut shown = match value {
            Value::Object(_, members) => {
                self.structs(members, len).into_iter().map(|one| format!("{{{one}}}")).collect()
            }
            Value::Array(element, _) => {
                let ends = self.ends(len);
                let values = self.column(element);
                assert_eq!(values.len(), *ends.last().unwrap());
                ends.windows(2).map(|pair| format!("[{}]", values[pair[0]..pair[1]].join(" "))).collect()
            }
            Value::Leaf(ColumnType::Text { .. }) => self.texts(len, |text| String::from_utf8(text.to_vec()).unwrap()),
            Value::Leaf(ColumnType::Bytes { .. }) => self.texts(len, |bytes| format!("{:X}", crate::hex::Hex(bytes))),
            Value::Leaf(column) => self.numbers(*column, len),
        };
        for index in (0..len).filter(|index| is_null(*index)) {
            let empty = ["", "[]", "0"].contains(&&*shown[index]) || matches!(value, Value::Object(..));
            assert!(empty, "a null has no content");
            shown[index] = "~".to_owned();
        }
        shown
    }

    fn ends(&mut self, len: usize) -> Vec<usize> {
        let of = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().unwrap()) as usize;
        let ends: Vec<usize> = self.buffers.pop().unwrap().chunks(4).map(of).collect();
        assert!(ends.len() == len + 1 && ends[0] == 0 && ends.is_sorted());
        ends
    }

    fn texts(&mut self, len: usize, shown: impl Fn(&[u8]) -> String) -> Vec<String> {
        let (ends, bytes) = (self.ends(len), self.buffers.pop().unwrap());
        assert_eq!(bytes.len(), ends[len]);
        ends.windows(2).map(|pair| shown(&bytes[pair[0]..pair[1]])).collect()
    }

    fn numbers(&mut self, column: ColumnType, len: usize) -> Vec<String> {
        let bytes = self.buffers.pop().unwrap();
        let width = bytes.len() / len.max(1);
        let shown = |bytes: &[u8]| match (column, bytes.len()) {
            (ColumnType::Int32 | ColumnType::Date, 4) => i32::from_le_bytes(bytes.try_into().unwrap()).to_string(),
            (ColumnType::Int64 | ColumnType::Timestamp, 8) => i64::from_le_bytes(bytes.try_into().unwrap()).to_string(),
            (ColumnType::Single | ColumnType::Double, 8) => f64::from_le_bytes(bytes.try_into().unwrap()).to_string(),
            (ColumnType::Decimal { .. }, 16) => i128::from_le_bytes(bytes.try_into().unwrap()).to_string(),
            other => panic!("{other:?}"),
        };
        bytes.chunks(width.max(1)).map(shown).collect()
    }
}

fn job(options: &[(&str, &str)], layout: &str) -> Rows {
    let job = options.iter().try_fold(RowsJob::new(), |job, one| job.set(one.0, one.1)).unwrap();
    job.rows(&job.layout(layout.as_bytes()).unwrap()).unwrap()
}

/// Returns the stream, and what ended it before the end of the input. The input comes in pieces of this length.
fn stream(rows: &Rows, input: &[u8], piece: usize) -> (Vec<u8>, Option<RowsError>) {
    let mut arrow = RowArrow::new(rows).unwrap();
    let mut stream = arrow.header().to_vec();
    let (shape, input) = rows.open(BufReader::with_capacity(piece, input)).unwrap();
    let (mut batches, mut reader, mut batch) = (rows.batches(input, &shape), rows.reader(&shape), Batch::default());
    let mut error = None;
    while error.is_none() && batches.read(&mut batch).unwrap() {
        for record in batch.records(0) {
            let before = (arrow.waiting(), stream.len());
            match arrow.write(&mut reader, record, "in", &mut stream) {
                Ok(row) => assert_eq!((row.text, row.len), (0, stream.len() - before.1)),
                Err(failed) => {
                    assert_eq!((arrow.waiting(), stream.len()), before);
                    error = Some(RowsError::Record { offset: record.offset_of(failed.offset()), error: failed });
                    break;
                }
            }
        }
    }
    arrow.finish(&mut stream);
    (stream, error)
}

/// Returns the batches of a stream.
fn found<'a>(rows: &Rows, stream: &'a [u8]) -> Vec<Found<'a>> {
    let schema = rows.arrow_schema().unwrap();
    let mut rest = stream.strip_prefix(&schema[..schema.len() - flat_buffer::END.len()]).unwrap();
    let found = std::iter::from_fn(|| Found::take(&mut rest)).collect();
    assert!(rest.is_empty());
    found
}

/// Returns the rows of each batch in a stream.
fn batches(rows: &Rows, stream: &[u8]) -> Vec<Vec<String>> {
    found(rows, stream).into_iter().map(|batch| batch.rows(rows)).collect()
}

/// Checks the rows of an input, however it is cut, and the code of the error.
#[track_caller]
fn check(options: &[(&str, &str)], layout: &str, input: &[u8], expected: &[&str], code: Option<&str>) {
    let rows = job(options, layout);
    let (whole, error) = stream(&rows, input, 1 << 16);
    assert_eq!(batches(&rows, &whole).concat(), expected);
    assert_eq!(error.as_ref().map(RowsError::code), code);
    for piece in [1, 2, 3, 7] {
        assert!(stream(&rows, input, piece).0 == whole, "pieces of {piece} bytes");
    }
}

#[test]
fn columns_of_every_type() {
    let layout = "T 1 2 text\nX 3 1 raw\nI 4 2 binary\nL 6 8 binary\nF 14 4 float,ieee\nG 18 8 float,ieee\n\
                  P 26 2 packed.1\nD 28 8 zoned,unsigned\nM 36 14 text\n";
    let options = [("dates", "D=YYYYMMDD,M=YYYYMMDDHHMISS"), ("on-bad", "null")];
    let input = [
        &b"\xC1\x40\xFF\xFF\xFE"[..],
        &9_i64.to_be_bytes(),
        &1.5_f32.to_be_bytes(),
        &(-2.25_f64).to_be_bytes(),
        b"\x12\x3D\xF1\xF9\xF7\xF0\xF0\xF1\xF0\xF2",
        b"\xF1\xF9\xF6\xF9\xF1\xF2\xF3\xF1\xF2\xF3\xF5\xF9\xF5\xF9",
        &[0xFF; 49],
    ];
    let rows = ["A FF -2 9 1.5 -2.25 -123 1 -1000000", "\u{9F}\u{9F} FF -1 -1 NaN NaN ~ ~ ~"];
    check(&options, layout, &input.concat(), &rows, None);
}

#[test]
fn groups_and_arrays() {
    let copybook = "01 R.\n 05 G.\n 10 A PIC X.\n 10 B PIC 9 OCCURS 2.\n 05 N PIC 9.\n \
                    05 V OCCURS 0 TO 3 DEPENDING ON N.\n 10 C PIC X.\n 10 D PIC 9.\n";
    let input = b"\xC1\xF1\xF2\xF2\xC2\xF3\xC3\xF4\xC4\xF5\xF6\xF0\xC5\xF7\xF8\xF1\xC6\xF9";
    let rows = ["{A [1 2]} 2 [{B 3} {C 4}]", "{D [5 6]} 0 []", "{E [7 8]} 1 [{F 9}]"];
    check(&[("records", "layout")], copybook, input, &rows, None);
    // The record that is not complete is an error of the input; one that cannot be read adds nothing.
    let bad = b"\xC1\xF1\xF2\xF1\xC2\xF3\xC1\xF1\xF2\xF1\xC2\xC0\xC1\xF1\xF2\xF1\xC2\xC1";
    let rows = ["{A [1 2]} 1 [{B 3}]", "{A [1 2]} 1 [{B 0}]"];
    let options = [("records", "layout"), ("integers", "true")];
    check(&options, copybook, bad, &[rows[0], rows[1], "{A [1 2]} 1 [{B 1}]"], None);
    let worse = [&bad[..6], b"\xC1\xF1\xF2\xF1\xC2\xFF"].concat();
    check(&options, copybook, &worse, &rows[..1], Some("bad-number"));
}

/// Two types of records, of which one is the parent of the other one, and what precedes and follows their fields.
#[test]
fn types_parents_and_columns_that_are_not_fields() {
    let copybook = "01 REC.\n 05 K PIC X.\n 05 A.\n 10 ID PIC 99.\n 05 B REDEFINES A.\n 10 X PIC X OCCURS 2.\n";
    let options = [
        ("when", "K=A: A"),
        ("when", "K=B: B"),
        ("parent", "B < A: ID"),
        ("add-columns", "file,number,offset,record,errors"),
        ("on-bad", "null"),
    ];
    let input = b"\xC2\xC3\xC4\xC1\xF4\xF2\xC2\xC1\xC2\xC1\xF4\xFF\xC5\xF4\xF2";
    let rows = [
        "in 1 0 B ~ ~ B ~ {[C D]} C2C3C4 [{~ no-parent there is no A before it that this B belongs to }]",
        "in 2 3 A ~ ~ A {42} ~ C1F4F2 ~",
        "in 3 6 B 2 42 B ~ {[A B]} C2C1C2 ~",
        "in 4 9 A ~ ~ A {~} ~ C1F4FF [{A.ID bad-number F4 FF is not a number; expected digits from F0 to F9 F4FF}]",
        "in 5 12 ~ ~ ~ ~ ~ ~ C5F4F2 [{A unknown-type no record type matches; expected K=A, or K=B C5}]",
    ];
    check(&options, copybook, input, &rows, None);
    // Without types, a record has none.
    check(&[("add-columns", "type,file")], "A 1 1 text\n", b"\xC1", &["in ~ A"], None);
}

#[test]
fn numbers_that_do_not_fit_their_column() {
    let layout = "S 1 1 text\nA 2 8 binary,unsigned,digits=18\n";
    let input = [&b"\xC1\0\0\0\0\0\0\0\x05\xC2"[..], &[0xFF; 8]].concat();
    check(&[], layout, &input, &["A 5"], Some("does-not-fit"));
    check(&[("on-bad", "null")], layout, &input, &["A 5", "B ~"], None);
    let problem = "\"18446744073709551615\" does not fit; expected at most the digits that its picture has";
    let second = format!("B ~ [{{A does-not-fit {problem} FFFFFFFFFFFFFFFF}}]");
    check(&[("on-bad", "null"), ("add-columns", "errors")], layout, &input, &["A 5 ~", &second], None);
    let rows = job(&[("on-bad", "null")], layout);
    let (mut arrow, (shape, input)) = (RowArrow::new(&rows).unwrap(), rows.open(&input[..]).unwrap());
    let (mut batches, mut reader, mut batch) = (rows.batches(input, &shape), rows.reader(&shape), Batch::default());
    batches.read(&mut batch).unwrap();
    batch.records(0).for_each(|one| _ = arrow.write(&mut reader, one, "", &mut Vec::new()).unwrap());
    let counts = reader.take_counts();
    assert_eq!((counts.records, counts.nulls), (2, 1));
    // What waits is forgotten.
    let mut stream = Vec::new();
    arrow.clear();
    arrow.finish(&mut stream);
    assert_eq!(stream, flat_buffer::END);
}

/// Batches end where they do because of their records alone.
#[test]
fn where_batches_end() {
    let lens = |rows: &Rows, input: &[u8], piece| -> Vec<usize> {
        let (whole, _) = stream(rows, input, piece);
        found(rows, &whole).iter().map(|batch| batch.rows).collect()
    };
    let rows = job(&[], "A 1 1 raw\n");
    assert_eq!(lens(&rows, b"", 1), [0; 0]);
    for (count, expected) in [(65_535, vec![65_535]), (65_536, vec![65_536]), (131_073, vec![65_536, 65_536, 1])] {
        assert_eq!(lens(&rows, &vec![1; count], 1000), expected);
    }
    // Long texts, and long lists of short numbers: 32 MiB in a batch.
    let rows = job(&[], "A 1 1000000 raw\n");
    assert_eq!(lens(&rows, &vec![1; 40_000_000], 1 << 16), [34, 6]);
    let rows = job(&[], "01 R.\n 05 A PIC 9V9 COMP-3 OCCURS 250000.\n");
    assert_eq!(lens(&rows, &[0x01, 0x2F].repeat(10 * 250_000), 1 << 16), [9, 1]);
}

#[test]
fn rows_that_have_other_outputs_are_refused() {
    let layout = RowsJob::new().layout(b"when otherwise: A\nB 1 1 text\n").unwrap();
    let error = RowArrow::new(&RowsJob::new().separate_types(true).rows(&layout).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "option separate_types: the rows of Arrow are in one stream, one for each record");
}

#[test]
fn records_that_are_too_long_are_refused() {
    let rows = |len| job(&[], &format!("A 1 {len} text\n"));
    assert!(RowArrow::new(&rows(33_554_432)).is_ok());
    let error = RowArrow::new(&rows(33_554_433)).unwrap_err().to_string();
    let why = "its records have up to 33554433 bytes; rows of Arrow need records of at most 33554432 (use CSV or JSON)";
    assert!(error.ends_with(why), "{error}");
}
