//! Tests jobs with rows: options by name, their effect on values, errors with their positions, and batches.

use charpipe::fields::{FieldError, Value, Visitor};
use charpipe::records::{Framer, Records, Shape};
use charpipe::rows::{AddedColumn, Batch, RowsError, RowsJob, SchemaFormat};
use charpipe::{OptionValue, Registry};
use std::io::BufReader;

/// Collects the values of a record, and its errors.
#[derive(Default)]
struct Seen {
    values: Vec<String>,
    bad: Vec<String>,
}

impl Visitor for Seen {
    type Error = FieldError;

    fn value(&mut self, _item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.values.push(if value == Value::Null { "null".to_owned() } else { value.to_string() });
        Ok(())
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), FieldError> {
        self.bad.push(error.to_string());
        Ok(())
    }
}

fn job(options: &[(&str, &str)]) -> Result<RowsJob, charpipe::Error> {
    let job = RowsJob::new().registry(Registry::builtin());
    [("from", "UTF-8")].iter().chain(options).try_fold(job, |job, (name, value)| job.set(name, value))
}

/// Returns the values of a record, or the error.
fn read(options: &[(&str, &str)], layout: &str, record: &[u8]) -> Result<Vec<String>, String> {
    let job = job(options).map_err(|error| error.to_string())?;
    let layout = job.layout(layout.as_bytes()).map_err(|error| error.to_string())?;
    let rows = job.rows(&layout).map_err(|error| error.to_string())?;
    let mut reader = rows.reader(&rows.fixed_shape().unwrap_or(Shape::RDW));
    let mut seen = Seen::default();
    reader.read(1, record, &mut seen).map_err(|error| error.to_string())?;
    Ok(seen.values)
}

#[track_caller]
fn check(options: &[(&str, &str)], layout: &str, record: &[u8], expected: &[&str]) {
    let expected = expected.iter().map(|&value| value.to_owned()).collect();
    assert_eq!(read(options, layout, record), Ok(expected), "{options:?}");
}

#[track_caller]
fn check_error(options: &[(&str, &str)], layout: &str, record: &[u8], expected: &str) {
    assert_eq!(read(options, layout, record), Err(expected.to_owned()), "{options:?}");
}

#[test]
fn every_option_takes_its_values_and_no_others() {
    for option in RowsJob::OPTIONS {
        let good: Vec<&str> = match option.value {
            OptionValue::Word(words) => words.to_vec(),
            OptionValue::WordOrLabel(words) => {
                [words, &[if option.name == "from" { "IBM037" } else { "US-ASCII" }]].concat()
            }
            OptionValue::Flag => vec!["true", "false"],
            _ => vec![match option.name {
                "when" => "A=1: B",
                "records" | "to-records" => "fb:80",
                "tape-file" | "jobs" => "2",
                "select" => "A, B",
                "record-name" => "CUSTOMER",
                "record-prefix" | "record-suffix" => "4",
                "skip-head" | "skip-tail" => "2r",
                "length-field" => "A-LEN-4",
                "length-map" => "A:B=1,C = 20",
                "count-map" => "A:B=1,C = 20",
                "copy-path" => ".",
                "replacing" => "==:TAG:==BY==X== A BY B",
                "add-columns" => "file,number,offset,type,parent,record,errors",
                "dates" => "A=YYYYMMDD,B=DD.MM.YY",
                "null-indicator" => "A=A-NULL, B=B-NULL",
                "parent" => "B < A, C<B: ID, NAME",
                other => panic!("{other} is new: which values does it take?"),
            }],
        };
        for value in good {
            assert!(RowsJob::new().set(option.name, value).is_ok(), "{} {value}", option.name);
            assert!(RowsJob::new().set(&option.name.replace('-', "_"), value).is_ok(), "{} {value}", option.name);
        }
        if !["select", "tape-file", "record-name"].contains(&option.name) {
            let error = RowsJob::new().set(option.name, "no such value").err().unwrap_or_else(|| panic!("{option:?}"));
            assert!(matches!(error.code(), "bad-option" | "unknown-label"), "{error}");
        }
    }
    let error = job(&[("on-bed", "null")]).err().unwrap().to_string();
    assert_eq!(error, "option on-bed: there is no such option; did you mean on-bad?");
}

/// What a program that shows the rows in its own way asks of a job.
#[test]
fn what_a_job_says_of_its_options() {
    let new = RowsJob::new;
    assert!(new().is_bad_error() && new().is_encoding_assumed());
    for on_bad in ["null", "error"] {
        assert_eq!(new().set("on-bad", on_bad).unwrap().is_bad_error(), on_bad == "error", "{on_bad}");
    }
    assert!(!new().set("from", "IBM037").unwrap().is_encoding_assumed());
}

#[test]
fn dates_in_text_and_numbers() {
    let layout = "D 1 8 zoned,unsigned\nT 9 10*2 text\n";
    let record = b"2024022929.02.2024          ";
    let dates = ("dates", "D=YYYYMMDD,T=DD.MM.YYYY");
    check(&[dates], layout, record, &["2024-02-29", "2024-02-29", "null"]);
    let bad = b"2023022901.01.2024x1.01.2024";
    check_error(
        &[dates],
        layout,
        bad,
        "record 1, field D, columns 1-8: 32 30 32 33 30 32 32 39: \"20230229\" is not a date like YYYYMMDD",
    );
    check(&[dates, ("on-bad", "null")], layout, bad, &["null", "2024-01-01", "null"]);
    // The element of the array is named.
    check_error(
        &[("dates", "T=DD.MM.YYYY")],
        layout,
        bad,
        "record 1, field T[2], columns 19-28: 78 31 2E 30 31 2E 32 30 32 34: \"x1.01.2024\" is not a date like DD.MM.YYYY",
    );
    check_error(&[("dates", "X=YYYYMMDD")], layout, b"", "option dates: there is no X");
    check_error(
        &[("dates", "D=YYYY")],
        layout,
        b"",
        "option dates: \"YYYY\" is not a pattern of a date: expected YYYY \
        or YY once, with MM and DD or with DDD, such as YYYYMMDD, YYYY-MM-DD or YYYYDDD; and for a time HH, MI and SS, \
        such as YYYY-MM-DD-HH.MI.SS.FFFFFF",
    );
    check_error(&[("dates", "R=YYYYMMDD")], "R 1 8 raw\n", b"", "option dates: R is neither text nor a number");
    check_error(
        &[dates, ("exact", "true")],
        layout,
        b"",
        "option exact: cannot be used with dates: records would not come back byte for byte",
    );
}

#[test]
fn text_and_what_is_trimmed() {
    let layout = "A 1 4 text\nB 5 4 text\n";
    let record = b"a \0 b\n\x01\0";
    check(&[], layout, record, &["a \0", "b\n\u{1}\0"]);
    check(&[("trim", "none")], layout, record, &["a \0 ", "b\n\u{1}\0"]);
    check(&[("trim", "nuls")], layout, record, &["a \0 ", "b\n\u{1}"]);
    check(&[("trim", "nuls,blanks")], layout, record, &["a", "b\n\u{1}"]);
    check(&[("controls", "space")], layout, record, &["a  ", "b\n  "]);
    check(&[("controls", "drop"), ("record-newlines", "space")], layout, record, &["a ", "b "]);
    check_error(
        &[("controls", "error")],
        layout,
        record,
        "record 1, field A, columns 1-4: 61 20 00 20 has the control character U+0000",
    );
    check_error(
        &[("record-newlines", "error")],
        layout,
        record,
        "record 1, field B, columns 5-8: 62 0A 01 00 has the newline U+000A",
    );
}

#[test]
fn options_of_the_layout_and_of_the_reader() {
    let copybook = "01 R.\n 05 N PIC 9(4) COMP-5.\n 05 F COMP-1.\n";
    let record = b"\x01\x00\x00\x00\x80\x3F";
    check(&[("byte-order", "little"), ("float", "ieee")], copybook, record, &["1", "1.0"]);
    check(&[("layout-format", "copybook-free"), ("select", "N")], copybook, record, &["256"]);
    assert!(read(&[("layout-format", "copybook-fixed")], copybook, record).is_err());
    assert!(read(&[("layout-format", "fields")], copybook, record).is_err());
    let tagged = ("replacing", "==:T:==BY==X== ==:LEN:== BY ==3==");
    check(&[tagged, ("select", "X-A")], "01 R. 05 :T:-A PIC X(:LEN:).", b"abc", &["abc"]);
    check(
        &[("decimal-comma", "true")],
        "05 A PIC Z.ZZ9,99. 05 B PIC ZZ9,99-.",
        b"1.234,50 12,30-",
        &["1.234,50", "-12.30"],
    );
    check_error(
        &[("replacing", "A B")],
        "",
        b"",
        "option replacing: expected BY in the replacements, as in ==:TAG:== BY ==CUSTOMER==",
    );
    check_error(&[("replacing", "A BY B. C")], "", b"", "option replacing: found \". C\" after the replacements");
    let several = "LINKAGE SECTION. 01 A PIC X. 01 B. 05 C PIC X(6).";
    check(&[("record-name", "b")], several, b"of six", &["of six"]);
    check_error(
        &[("record-name", "A")],
        "A 1 1 text\n",
        b"x",
        "option record-name: only a copybook can have it, and the layout is none",
    );
    let sizes = "01 R. 05 G. 10 S PIC X(2). 05 N PIC 9 OCCURS 1 TO 3 DEPENDING ON S. 05 A PIC X.";
    for name in ["S", "s", "G.S"] {
        let map = format!("{name}:S=1, XL = 3,=2");
        let map = [("count-map", &*map), ("records", "rdw")];
        check(&map, sizes, b"S 1x", &["S", "1", "x"]);
        check(&map, sizes, b"XL123x", &["XL", "1", "2", "3", "x"]);
        check(&map, sizes, b"  12x", &["", "1", "2", "x"]);
        check_error(&map, sizes, b"M 1x", "record 1, field G.S, columns 1-2: 4D 20 is not in the map of counts");
    }
    for (map, expected) in
        [("S:S=0", "is the count 0, but N occurs 1 to 3 times"), ("S:S=4", "is the count 4, but N occurs 1 to 3 times")]
    {
        let error = read(&[("count-map", map), ("records", "rdw")], sizes, b"S 1x").unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let numbers = "01 R. 05 S PIC 9 COMP. 05 N PIC 9 OCCURS 1 TO 3 DEPENDING ON S.";
    check(&[("count-map", "S:10=3"), ("records", "rdw")], numbers, b"\0\x0A123", &["10", "1", "2", "3"]);
    for (map, expected) in [
        ("S:A=1", "layout: the count map of S: \"A\" is not a value of S"),
        ("X:1=1", "layout: the count map of X: there is no X"),
        ("N:1=1", "layout: the count map of N: no array depends on it"),
    ] {
        check_error(&[("count-map", map)], numbers, b"", expected);
    }
    let twice = RowsJob::new().count_map("S", [("1", 1)]).count_map("R.S", [("2", 1)]);
    let error = twice.layout(numbers.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "layout: the count map of R.S: it has one already");
    for (list, value, holds) in [
        ("F 1 4 float", "0.1", "40 19 99 9A"),
        ("F 1 4 float", "1e-1", "40 19 99 9A"),
        ("F 1 4 float,ieee", "0.1", "3D CC CC CD"),
        ("F 1 4 float,ieee,little", "-7,0.1", "CD CC CC 3D"),
        ("F 1 8 float", "0.1", "40 19 99 99 99 99 99 9A"),
        ("F 1 8 float,ieee", "2,-0.1", "BF B9 99 99 99 99 99 9A"),
        ("F 1 4 float", "0", "80 00 00 00"),
    ] {
        let list = format!("{list}\nwhen F={value}: A\nX 9 1 text\nwhen otherwise: B\nY 9 2 text\n");
        let mut record: Vec<u8> = holds.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        record.resize(8, 0);
        record.extend(b"yz");
        let last = |record: &[u8]| read(&[("overlong", "cut")], &list, record).unwrap().pop();
        assert_eq!(last(&record).as_deref(), Some("y"), "{list}");
        record[2] ^= 1;
        assert_eq!(last(&record).as_deref(), Some("yz"), "{list}");
    }
    for (value, kind) in [("1E90", "4 float"), ("x", "8 float"), ("inf", "4 float,ieee"), ("NaN", "8 float,ieee")] {
        let expected =
            format!("layout: the condition F={value}: {value:?} is not a value of F, which is {}", &kind[2..]);
        check_error(&[], &format!("F 1 {kind}\nwhen F={value}: A\nX 9 1 text\n"), b"", &expected);
    }
    let nulls = "A 1 2 zoned\nA-N 3 2 binary\nB 5 1 text\nB-N 6 1 text\nC-N 7 1 raw\nC 8 1*2 text\n";
    let pairs = ("null-indicator", "A=A-N, B=B-N,C=C-N");
    check(&[pairs], nulls, b"12\0\0x \0yz", &["12", "0", "x", "", "00", "y", "z"]);
    check(&[pairs], nulls, b"??\xFF\xFFx?\xFFyz", &["null", "-1", "null", "?", "FF", "null", "null"]);
    check(&[pairs, ("select", "B")], nulls, b"12\0\0x\xFF\0yz", &["null"]);
    for (pair, expected) in [
        ("A", "\"A\" is not FIELD=INDICATOR, such as NAME=NAME-NULL"),
        ("A=X", "the null indicator X: there is no X"),
        ("A=A", "the null indicator A: expected another field, which is an integer or one byte"),
        ("A=C", "the null indicator C: the place of C varies; expected a field that is not an array"),
        ("A=B-N,A=A-N", "A already has the null indicator B-N"),
    ] {
        let error = read(&[("null-indicator", pair)], nulls, b"").unwrap_err();
        assert!(error.starts_with(&format!("option null-indicator: {expected}")), "{error}");
    }
    let list = "A-1 1 2 zoned,unsigned\nFILLER 3 1 text\nB 4 1 text\n";
    check(&[("filler", "true")], list, b"12-x", &["12", "-", "x"]);
    check(&[("empty-is-null", "true")], list, b"  -x", &["null", "x"]);
    check(&[("short-records", "null")], list, b"12", &["12", "null"]);
    check(&[("overlong", "cut")], list, b"12-xyz", &["12", "x"]);
    check_error(
        &[("exact", "true"), ("on-bad", "null")],
        list,
        b"",
        "option exact: cannot be used with on-bad null: \
        records would not come back byte for byte",
    );
    check_error(
        &[("select", "B[2]")],
        "B 1 1*2 text\n",
        b"",
        "option select: B[2] is an element of an array; only the \
        whole array can be selected: B",
    );
}

/// Quotes in a name stay part of it.
#[test]
fn a_schema_has_the_columns_of_the_rows() {
    let job = job(&[("select", "B-1,A\")C"), ("underscores", "true")]).unwrap();
    let layout = job.layout(b"A\")C 1 1*2 text\nB-1 3 2 packed.1\nB 5 1 zoned\nD 6 1 text\n").unwrap();
    let rows = job.rows(&layout).unwrap();
    let columns: Vec<String> = rows.columns().unwrap().into_iter().map(|column| column.path).collect();
    for format in [SchemaFormat::DuckDb, SchemaFormat::PostgreSql, SchemaFormat::Db2, SchemaFormat::Sqlite] {
        let schema = rows.schema(format).unwrap();
        let named = |line: &str| line.trim().rsplit_once("\" ").map(|(name, _)| name[1..].replace("\"\"", "\""));
        let found: Vec<String> = schema.lines().skip(1).filter_map(named).collect();
        assert_eq!(found, columns, "{format}");
    }
    assert_eq!(columns, ["A\")C[1]", "A\")C[2]", "B_1"]);
}

#[test]
fn columns_that_are_not_fields() {
    let layout = "A-B 1 1 text\nwhen A-B=x: X\nC 2 1 text\nwhen otherwise: O\nD 2 1 text\n";
    let rows = |options: &[(&str, &str)], layout: &str| -> Result<_, RowsError> {
        let job = job(options)?;
        job.rows(&job.layout(layout.as_bytes())?)
    };
    let names = |options: &[(&str, &str)]| -> Vec<&str> {
        rows(options, layout).unwrap().added().iter().map(|column| column.column()).collect()
    };
    assert_eq!(names(&[]), ["_type"], "rows of several types tell which one they are");
    assert_eq!(
        names(&[("add-columns", "errors,number"), ("add-columns", "file")]),
        ["_file", "_number", "_type", "_errors"]
    );
    assert!(!rows(&[("add-columns", "errors")], layout).unwrap().keeps_unreadable());
    assert!(rows(&[("add-columns", "errors"), ("on-bad", "null")], layout).unwrap().keeps_unreadable());
    assert!(
        job(&[])
            .unwrap()
            .separate_types(true)
            .rows(&job(&[]).unwrap().layout(layout.as_bytes()).unwrap())
            .unwrap()
            .added()
            .is_empty()
    );
    let paths = |options: &[(&str, &str)]| -> Vec<String> {
        rows(options, layout).unwrap().columns().unwrap().into_iter().map(|column| column.path).collect()
    };
    assert_eq!(paths(&[("underscores", "true")]), ["A_B", "X.C", "O.D"]);
    let error = rows(&[("add-columns", "number")], "_number 1 1 text\n").err().unwrap().to_string();
    assert_eq!(
        error,
        "option add-columns: the layout has a field with the name of the column _number: rename one of them"
    );
    let clash = rows(&[("underscores", "true")], "A-B 1 1 text\nA_B 2 1 text\n").unwrap().columns();
    assert_eq!(clash.unwrap_err().to_string(), "option underscores: two columns would have the name A_B");
    assert_eq!(AddedColumn::ALL.iter().filter(|column| column.is_before_fields()).count(), 5);
}

/// Errors of fields are handed over where they are to be a column.
#[test]
fn bad_fields_are_reported() {
    let job = job(&[("on-bad", "null"), ("add-columns", "errors")]).unwrap();
    let rows = job.rows(&job.layout(b"N 1 2 zoned,unsigned\n").unwrap()).unwrap();
    let (mut reader, mut seen) = (rows.reader(&rows.fixed_shape().unwrap()), Seen::default());
    reader.read(7, b"x1", &mut seen).unwrap();
    assert_eq!((seen.values, seen.bad.len()), (vec!["null".to_owned()], 1));
    assert!(seen.bad[0].starts_with("record 7, field N, columns 1-2: 78 31 is not a number"), "{}", seen.bad[0]);
    let counts = reader.take_counts();
    assert_eq!((counts.records, counts.nulls), (1, 1));
    assert_eq!(reader.take_counts(), charpipe::rows::Counts::default());
}

/// With every framing, each byte of a record is found in the input, record by record and in batches.
#[test]
fn places_of_bytes() {
    for shape in ["fb:5", "rdw", "rdw:le", "vb:40", "vbs:12", "u16", "u32", "mode-b", "awstape,fb:5,blksize=10"] {
        let shape: Shape = shape.parse().unwrap();
        let (mut framer, mut input) = (Framer::new(&shape, b" ").unwrap(), Vec::new());
        // Each byte of data occurs once, so that its place is known.
        let data: Vec<u8> = (0..40).map(|byte| 0xC5 + byte).collect();
        data.chunks(5).for_each(|record| framer.record(record, 0, &mut input).unwrap());
        framer.finish(&mut input);
        let place = |byte: u8| input.iter().position(|one| *one == byte).unwrap() as u64;
        let job = RowsJob::new().records(charpipe::rows::StoredAs::Shape(shape.clone()));
        let rows = job.rows(&job.layout(b"A 1 5 text\n").unwrap()).unwrap();
        for capacity in [1, 3, 7, 1000] {
            let mut count = 0;
            let mut records: Records<_> = rows.records(BufReader::with_capacity(capacity, &input[..]), &shape);
            while let Some(record) = records.next_record().unwrap() {
                for (index, byte) in record.data.iter().enumerate() {
                    assert_eq!(record.offset_of(index), place(*byte), "{shape} {capacity}");
                }
                assert_eq!([5, 99].map(|index| record.offset_of(index)), [place(record.data[4]) + 1; 2]);
                count += 1;
            }
            let mut batches = rows.batches(BufReader::with_capacity(capacity, &input[..]), &shape);
            let mut batch = Batch::default();
            while batches.read(&mut batch).unwrap() {
                for record in batch.records(0) {
                    for (index, byte) in record.data.iter().enumerate() {
                        assert_eq!(record.offset_of(index), place(*byte), "{shape} {capacity}");
                    }
                    // Not the place of the next record, which is behind the headers between them.
                    assert_eq!([5, 99].map(|index| record.offset_of(index)), [place(record.data[4]) + 1; 2]);
                    count += 1;
                }
            }
            assert_eq!(count, 16, "{shape}");
        }
        let mut slices = charpipe::records::RecordSlices::new(&input, charpipe::records::Deframer::new(&shape));
        while let Some(record) = slices.next_record().unwrap() {
            for (index, byte) in record.data.iter().enumerate() {
                assert_eq!(record.offset_of(index), place(*byte), "{shape}");
            }
        }
    }
}
