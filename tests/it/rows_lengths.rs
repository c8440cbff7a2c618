//! Tests records without headers, whose lengths come from a field, from a map, or from their contents: however the
//! input is cut, record by record and in batches, the records, their places and the error are the same.

use charpipe::rows::{Batch, Rows, RowsJob};
use std::io::BufReader;

/// A record: its number, its place in the input, its bytes, and the places of its first and its last byte.
type Found = (u64, u64, Vec<u8>, u64, u64);

fn rows(options: &[(&str, &str)], layout: &str) -> Rows {
    let job = [("from", "US-ASCII")].iter().chain(options);
    let job = job.fold(RowsJob::new(), |job, (name, value)| job.set(name, value).unwrap());
    job.rows(&job.layout(layout.as_bytes()).unwrap()).unwrap()
}

/// Returns the records, and the error after them.
fn one_by_one(rows: &Rows, input: &[u8], capacity: usize) -> (Vec<Found>, String) {
    let (shape, opened) = match rows.open(BufReader::with_capacity(capacity, input)) {
        Ok(opened) => opened,
        Err(error) => return (Vec::new(), error.to_string()),
    };
    let (mut records, mut found) = (rows.records(opened, &shape), Vec::new());
    loop {
        match records.next_record() {
            Ok(Some(one)) => {
                let last = one.offset_of(one.data.len().saturating_sub(1));
                found.push((one.number, one.offset, one.data.to_vec(), one.offset_of(0), last));
            }
            Ok(None) => return (found, String::new()),
            Err(error) => return (found, error.to_string()),
        }
    }
}

fn in_batches(rows: &Rows, input: &[u8], capacity: usize) -> (Vec<Found>, String) {
    let (shape, opened) = match rows.open(BufReader::with_capacity(capacity, input)) {
        Ok(opened) => opened,
        Err(error) => return (Vec::new(), error.to_string()),
    };
    let (mut batches, mut batch, mut found) = (rows.batches(opened, &shape), Batch::default(), Vec::new());
    loop {
        let read = batches.read(&mut batch);
        for one in batch.records(0) {
            let last = one.offset_of(one.data.len().saturating_sub(1));
            found.push((one.number, one.offset, one.data.to_vec(), one.offset_of(0), last));
        }
        match read {
            Ok(true) => {}
            Ok(false) => return (found, String::new()),
            Err(error) => return (found, error.to_string()),
        }
    }
}

/// Checks what both ways of reading find: the records, and the beginning of the error.
#[track_caller]
fn check(options: &[(&str, &str)], layout: &str, input: &[u8], records: &[&[u8]], error: &str) {
    let rows = rows(options, layout);
    let expected = one_by_one(&rows, input, 1 << 16);
    let data: Vec<&[u8]> = expected.0.iter().map(|one| &*one.2).collect();
    assert_eq!(data, records, "{options:?}: {}", expected.1);
    assert!(expected.1.starts_with(error) && expected.1.is_empty() == error.is_empty(), "{options:?}: {}", expected.1);
    for (_, _, data, first, last) in expected.0.iter().filter(|one| !one.2.is_empty()) {
        assert_eq!(&input[*first as usize..=*last as usize], data, "{options:?}");
    }
    for capacity in 1..=input.len() + 1 {
        assert_eq!(one_by_one(&rows, input, capacity), expected, "{options:?}, {capacity} bytes at a time");
        assert_eq!(in_batches(&rows, input, capacity), expected, "{options:?}, batches of {capacity} bytes");
    }
}

#[test]
fn what_is_skipped_at_the_edges() {
    let list = "X 1 2 text\n";
    let skip = |head, tail| [("skip-head", head), ("skip-tail", tail), ("records", "fb:2")];
    check(&skip("0", "0"), list, b"aabb", &[b"aa", b"bb"], "");
    check(&skip("3", "1"), list, b"hhhaabbt", &[b"aa", b"bb"], "");
    check(&skip("1r", "2r"), list, b"hhaabbccttTT", &[b"aa", b"bb", b"cc"], "");
    check(&skip("1", "3r"), list, b"haattTT..", &[b"aa"], "");
    check(&skip("2r", "3"), list, b"hhHHttt", &[], "");
    check(&skip("2r", "1r"), list, b"hhHHtt", &[], "");
    check(&skip("0", "3"), list, b"aabttt", &[b"aa"], "byte 3: record 2, which begins at byte 2, is incomplete");
    check(&skip("0", "1r"), list, b"aabbc", &[b"aa"], "byte 5: record 3, which begins at byte 4, is incomplete");
    check(&skip("0", "5"), list, b"aabb", &[], "byte 0: the input has only 4 of the 5 bytes to skip at its end");
    check(&skip("5", "0"), list, b"aabb", &[], "byte 4: the input has only 4 of the 5 bytes to skip at its beginning");
    check(
        &skip("3r", "0"),
        list,
        b"aabb",
        &[],
        "byte 4: the input has only 2 of the 3 records to skip at its beginning",
    );
    check(&skip("1r", "2r"), list, b"aabb", &[], "byte 4: the input has only 1 of the 2 records to skip at its end");
    // Headers are between the bytes of a spanned record, and before a record without data.
    let spanned = b"h\0\x0F\0\0\0\x05\0\0a\0\x06\x01\0bc\0\x0D\0\0\0\x05\x02\0d\0\x04\0\0\0\x09\0\0\0\x05\0\0t";
    let framed = rows(&[("skip-head", "1"), ("skip-tail", "2r"), ("records", "vbs")], "X 1 3 text\n");
    let expected = (vec![(1, 5, b"a".to_vec(), 9, 9), (2, 10, b"bcd".to_vec(), 14, 24)], String::new());
    for capacity in 1..=spanned.len() {
        assert_eq!(one_by_one(&framed, spanned, capacity), expected, "{capacity} bytes at a time");
        assert_eq!(in_batches(&framed, spanned, capacity), expected, "batches of {capacity} bytes");
    }
    // Records that are held back are not too large.
    let large = rows(&[("skip-tail", "5r"), ("records", "u32"), ("overlong", "cut")], "X 1 3 text\n");
    let input = [&[0, 0x10, 0, 0][..], &[b'x'; 1 << 20]].concat().repeat(5);
    for capacity in [1000, 1 << 17, 1 << 23] {
        let expected = "byte 4194320: the last 5 records have too many bytes to be held back";
        assert_eq!(one_by_one(&large, &input, capacity).1, expected);
        assert_eq!(in_batches(&large, &input, capacity).1, expected);
    }
}

#[test]
fn bytes_around_each_record() {
    let around = [("record-prefix", "2"), ("record-suffix", "1")];
    check(&around, "X 1 2 text\n", b"..aa;..bb;", &[b"aa", b"bb"], "");
    check(&around, "X 1 2 text\n", b"..aa;..bb", &[b"aa"], "byte 9: record 2, which begins at byte 5, is incomplete");
    let field = [&around[..], &[("length-field", "LEN")]].concat();
    check(&field, LENGTH, b"..A04x;..B03;..C06abc;", &[b"A04x", b"B03", b"C06abc"], "");
    check(
        &field,
        LENGTH,
        b"..A04x;..B0?;",
        &[b"A04x"],
        "byte 10: record 2 has no valid length: field LEN: 30 3F is not",
    );
    check(&field, LENGTH, b"..A04x;..B03", &[b"A04x"], "byte 12: record 2, which begins at byte 7, is incomplete");
    check(&field, LENGTH, b"..A04x;.", &[b"A04x"], "byte 8: record 2, which begins at byte 7, is incomplete");
    // Headers and trailers need not have them.
    let framed = [&around[..], &[("records", "u16"), ("skip-head", "1r"), ("skip-tail", "1r")]].concat();
    check(&framed, "X 1 2 text\n", b"\0\0\0\x05..aa;\0\x03..;\0\x01t", &[b"aa", b""], "");
    let expected =
        "byte 9: record 3 has no valid length: it has 2 bytes, but there should be 2 before its data and 1 after it";
    check(&framed, "X 1 2 text\n", b"\0\0\0\x05..aa;\0\x02..\0\x05..bb;\0\x01t", &[b"aa"], expected);
    // The positions of bytes are correct even if there are headers between them.
    let spanned = b"\0\x17\0\0\0\x05\x01\0p\0\x07\x03\0qab\0\x07\x02\0cds";
    let rows = rows(&[&around[..], &[("records", "vbs")]].concat(), "X 1 4 text\n");
    for capacity in 1..=spanned.len() {
        for found in [one_by_one(&rows, spanned, capacity), in_batches(&rows, spanned, capacity)] {
            assert_eq!(found, (vec![(1, 4, b"abcd".to_vec(), 14, 21)], String::new()), "{capacity}");
        }
    }
}

const LENGTH: &str = "T 1 1 text\nLEN 2 2 zoned,unsigned\nX 4 3 text\n";

#[test]
fn lengths_from_a_field() {
    let field = ("length-field", "LEN");
    check(&[field], LENGTH, b"A06abcB03C04x", &[b"A06abc", b"B03", b"C04x"], "");
    check(&[("length-field", "LEN+3")], LENGTH, b"A03abcB00", &[b"A03abc", b"B00"], "");
    check(&[("length-field", "LEN-1")], LENGTH, b"A05xB04", &[b"A05x", b"B04"], "");
    check(&[field], LENGTH, b"", &[], "");
    let expected = "byte 5: record 2 has no valid length: field LEN: its value 2 makes a length of 2 bytes, but the field itself \
                    ends at byte 3";
    check(&[field], LENGTH, b"A04xB02C03", &[b"A04x"], expected);
    let expected = "byte 5: record 2 has no valid length: field LEN: 78 32 is not a number";
    check(&[field], LENGTH, b"A04xBx2C03", &[b"A04x"], expected);
    let expected = "byte 6: record 2, which begins at byte 4, is incomplete: it lacks at least 1 byte, by the length that its \
                    field LEN gives it";
    check(&[field], LENGTH, b"A04xB0", &[b"A04x"], expected);
    check(&[field], LENGTH, b"A04xB06ab", &[b"A04x"], "byte 9: record 2, which begins at byte 4, is incomplete");
    // The longest record is that of the layout, or 1 MiB.
    let long = "LEN 1 8 zoned,unsigned\nX 9 2 text\n";
    let input = b"01048576".iter().chain(&[b'x'; 1048568]).copied().collect::<Vec<u8>>();
    assert_eq!(one_by_one(&rows(&[field], long), &input, 1000).0.len(), 1);
    let expected = "byte 0: record 1 has no valid length: field LEN: its value 1048577 makes a length of 1048577 bytes, but \
                    records have at most 1048576 bytes";
    check(&[field], long, b"01048577", &[], expected);
}

#[test]
fn lengths_by_the_value_of_a_field() {
    let map = ("length-map", "T:A=4, B=3");
    check(
        &[map],
        LENGTH,
        b"A06abB03A04x",
        &[b"A06a"],
        "byte 4: record 2 has no valid length: field T: no length is known",
    );
    check(&[map], LENGTH, b"A00xB00A00y", &[b"A00x", b"B00", b"A00y"], "");
    check(&[("length-map", "LEN:3=3,4=4")], LENGTH, b"A04xB03", &[b"A04x", b"B03"], "");
    // Of a long value, the beginning is shown.
    let rows = rows(&[("length-map", "T:A=60")], "T 1 50 text\n");
    let (_, error) = one_by_one(&rows, &[b'z'; 50], 8);
    assert!(error.ends_with(&format!("the value \"{}\"…", "z".repeat(40))), "{error}");
}

#[test]
fn lengths_from_counts_and_types() {
    let unframed = ("records", "layout");
    let counted = "01 R.\n 05 N PIC 9.\n 05 L OCCURS 1 TO 3 DEPENDING ON N.\n  10 M PIC 9.\n  10 X PIC X OCCURS 0 TO 2 \
                   DEPENDING ON M.\n 05 Z PIC X.\n";
    check(
        &[unframed],
        counted,
        b"12abz20z1az",
        &[b"12abz"],
        "byte 7: record 2 has no valid length: field L[2].M: 7A is not",
    );
    check(&[unframed], counted, b"12abz201az3000z", &[b"12abz", b"201az", b"3000z"], "");
    check(
        &[unframed],
        counted,
        b"12abz4",
        &[b"12abz"],
        "byte 5: record 2 has no valid length: field N: 34 is the count 4",
    );
    check(&[unframed], counted, b"12abz3000", &[b"12abz"], "byte 9: record 2, which begins at byte 5, is incomplete");
    check(&[unframed], counted, b"0z", &[], "byte 0: record 1 has no valid length: field N: 30 is the count 0");
    check(&[unframed, ("on-bad", "null")], counted, b"0z10z", &[b"0z", b"10z"], "");
    let types = "01 A.\n 05 T PIC X.\n 05 X PIC X(3).\n01 B.\n 05 U PIC X.\n 05 N PIC 9.\n 05 Y PIC X OCCURS 0 TO 4 \
                 DEPENDING ON N.\n";
    let of_types = [unframed, ("when", "T=A: A"), ("when", "T=B: B")];
    let typed = |input: &[u8], records: &[&[u8]], error: &str| check(&of_types, types, input, records, error);
    typed(b"AabcB1xB4abcdB0Adef", &[b"Aabc", b"B1x", b"B4abcd", b"B0", b"Adef"], "");
    typed(b"B0C0", &[b"B0"], "byte 2: record 2 has no valid length: field A: no record type matches");
}
