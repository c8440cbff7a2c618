//! Tests rows as the user's own types, in both directions: the cases of `spec/cases`, every kind of field, errors and
//! their places, and random records that are written back byte for byte.

use crate::common::layouts::layout;
use crate::common::work::work_in;
use crate::suite::rows_cases;
use charpipe::fields::{Date, Decimal, Layout, OnBad};
use charpipe::records::{Framer, Shape};
use charpipe::rows::{AddedColumn, RowValue, RowValues, Rows, RowsError, RowsJob, StoredAs};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

fn rows_of(options: &[(&str, &str)], layout: &str) -> Rows {
    let job = options.iter().try_fold(RowsJob::new(), |job, (name, value)| job.set(name, value)).unwrap();
    job.rows(&job.layout(layout.as_bytes()).unwrap()).unwrap()
}

/// Returns the rows of an input in UTF-8.
fn read<T: DeserializeOwned>(options: &[(&str, &str)], layout: &str, input: &[u8]) -> Vec<Result<T, RowsError>> {
    let options = [&[("from", "UTF-8")], options].concat();
    rows_of(&options, layout).deserialize(input).unwrap().collect()
}

fn read_one<T: DeserializeOwned>(layout: &str, input: &[u8]) -> Result<T, String> {
    read(&[], layout, input).remove(0).map_err(|error| error.to_string())
}

/// Returns the record of a row in UTF-8, or the error.
fn write<T: Serialize + ?Sized>(options: &[(&str, &str)], layout: &str, row: &T) -> Result<String, String> {
    let options = [&[("from", "UTF-8")], options].concat();
    let mut record = Vec::new();
    let written = rows_of(&options, layout).row_serializer().unwrap().write(7, row, &mut record);
    written.map(|()| String::from_utf8(record).unwrap()).map_err(|error| format!("{}: {error}", error.code()))
}

// --- The cases -------------------------------------------------------------------------------------------------------

#[test]
fn every_case_gives_the_json_of_the_command() {
    let (cases, _) = rows_cases(Path::new(env!("CARGO_MANIFEST_DIR")), "rows.jsonl", "library");
    let mut back = 0;
    for case in cases.iter().filter(|case| case.refused.is_none()) {
        let options = case.options.iter().flat_map(|(name, value)| match &**name {
            "when" => value.lines().map(|rule| (&**name, rule)).collect(),
            _ => vec![(&**name, &**value)],
        });
        let job = options.clone().try_fold(RowsJob::new(), |job, (name, value)| job.set(name, value)).unwrap();
        let rows = job.rows(&job.layout(case.layout.as_bytes()).unwrap()).unwrap();
        let expected: Vec<Value> = case.jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for capacity in [1, 3, 1 << 16] {
            let found = all::<Value>(&rows, BufReader::with_capacity(capacity, &case.input[..]));
            let [given, wanted] = [found.0, expected.clone()].map(|rows| shortened(Value::Array(rows)));
            assert_eq!(given, wanted, "{}", case.name);
            let error = found.1.map(|error| json!({ "code": error.code(), "offset": error.offset() }));
            let code = case.error.as_ref().map(|error| json!({ "code": error["code"], "offset": error["offset"] }));
            assert_eq!(error, code, "{}", case.name);
        }
        // An owned row keeps every value, and is the same in JSON, but for numbers that an `f64` would round.
        let (owned, _) = all::<RowValues>(&rows, &case.input[..]);
        assert_eq!(owned.len(), expected.len(), "{}", case.name);
        for (owned, expected) in owned.iter().zip(&expected) {
            assert_eq!(shortened(owned.to::<Value>().unwrap()), shortened(expected.clone()), "{}", case.name);
            assert_eq!(shortened(serde_json::to_value(owned).unwrap()), shortened(expected.clone()), "{}", case.name);
        }
        if case.back {
            back += 1;
            check_back(&case.name, &rows, &case.input, &owned);
        }
    }
    assert!(back > 30, "{back}");
}

/// Returns the rows up to the first error.
fn all<T: DeserializeOwned>(rows: &Rows, input: impl std::io::BufRead) -> (Vec<T>, Option<RowsError>) {
    let mut found = Vec::new();
    let read = match rows.deserialize::<T, _>(input) {
        Ok(read) => read,
        Err(error) => return (found, Some(error)),
    };
    for row in read {
        match row {
            Ok(row) => found.push(row),
            Err(error) => return (found, Some(error)),
        }
    }
    (found, None)
}

/// Returns JSON whose numbers of many digits are an `f64` of 15 digits: serde_json does not round them exactly.
fn shortened(value: Value) -> Value {
    let rounded = |number: f64| json!(format!("{number:.14e}").parse::<f64>().unwrap());
    match value {
        Value::String(text) if text.len() > 15 && text.parse::<Decimal>().is_ok() => rounded(text.parse().unwrap()),
        Value::Number(number) if number.is_f64() => rounded(number.as_f64().unwrap()),
        Value::Array(elements) => elements.into_iter().map(shortened).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, shortened(value))).collect(),
        value => value,
    }
}

/// Checks that rows give the records that they came from.
fn check_back(name: &str, rows: &Rows, input: &[u8], owned: &[RowValues]) {
    let (shape, input) = rows.open(input).unwrap();
    let mut records = rows.records(input, &shape);
    let (mut serializer, mut record) = (rows.row_serializer().unwrap(), Vec::new());
    for row in owned {
        let expected = records.next_record().unwrap().unwrap();
        serializer.write(expected.number, row, &mut record).unwrap();
        assert_eq!(record, expected.data, "{name}");
        let row = serde_json::to_value(row).unwrap();
        serializer.write(expected.number, &row, &mut record).unwrap();
        assert_eq!(record, expected.data, "{name} from {row}");
    }
}

// --- Types -----------------------------------------------------------------------------------------------------------

/// In IBM037: text, numbers, dates, an array and a group.
const ORDERS: &str = "
01 ORDER.
   05 ORDER-ID PIC 9(4).
   05 CUST-NAME PIC X(5).
   05 AMOUNT PIC S9(5)V99.
   05 STATUS PIC X.
   05 ORDERED PIC 9(8).
   05 LINE OCCURS 2 TIMES.
      10 ITEM PIC X(2).
      10 COUNT-1 PIC 9.
   05 PLACE.
      10 CITY PIC X(3).
";

const ORDER: &[u8] = b"0042Joe  001234EO20240229A11B22Rom";

#[derive(Deserialize, Serialize, PartialEq, Debug)]
struct Order {
    order_id: u32,
    cust_name: String,
    amount: Decimal,
    status: Status,
    ordered: Option<Date>,
    line: Vec<Line>,
    place: Place,
}

#[derive(Deserialize, Serialize, PartialEq, Debug)]
enum Status {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Closed,
}

#[derive(Deserialize, Serialize, PartialEq, Debug)]
struct Line {
    item: String,
    count1: u8,
}

#[derive(Deserialize, Serialize, PartialEq, Debug)]
struct Place {
    #[serde(rename = "CITY")]
    town: String,
}

#[test]
fn a_struct_there_and_back() {
    let options = [("dates", "ORDERED=YYYYMMDD")];
    let input = [ORDER, b"0001     0000000C00000000  0  0   "].concat();
    let orders: Vec<Order> = read(&options, ORDERS, &input).into_iter().map(Result::unwrap).collect();
    let order = Order {
        order_id: 42,
        cust_name: "Joe".into(),
        amount: Decimal::new(12345, 2),
        status: Status::Open,
        ordered: Date::new(2024, 2, 29),
        line: vec![Line { item: "A1".into(), count1: 1 }, Line { item: "B2".into(), count1: 2 }],
        place: Place { town: "Rom".into() },
    };
    assert_eq!(orders[0], order);
    assert_eq!((orders[1].cust_name.as_str(), orders[1].ordered), ("", None));
    assert_eq!(write(&options, ORDERS, &order).unwrap().as_bytes(), ORDER);
    // Without a date, the field is zeros again, from which it was read; the amount has the usual sign.
    assert_eq!(write(&options, ORDERS, &orders[1]).as_deref(), Ok("0001     000000{C00000000  0  0   "));
    // A number that is not a date needs a value.
    let missing = "missing-value: record 7, field ORDERED, column 18: there is no value";
    assert_eq!(write(&[], ORDERS, &orders[1]), Err(missing.into()));
}

#[test]
fn other_types_of_rows() {
    type Tuple = (u16, String, f64, char, String, Vec<(String, i8)>, BTreeMap<String, String>);
    let tuple: Tuple = read_one(ORDERS, ORDER).unwrap();
    let city = BTreeMap::from([("CITY".into(), "Rom".into())]);
    let lines = vec![("A1".to_owned(), 1), ("B2".to_owned(), 2)];
    assert_eq!(tuple, (42, "Joe".into(), 123.45, 'O', "20240229".into(), lines, city));
    assert_eq!(write(&[], ORDERS, &tuple).unwrap().as_bytes(), ORDER);

    #[derive(Deserialize, Debug)]
    struct Flat {
        #[serde(rename = "ORDER-ID")]
        id: String,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    let flat: Flat = read_one(ORDERS, ORDER).unwrap();
    assert_eq!((&*flat.id, &flat.rest["AMOUNT"]), ("42", &json!(123.45)));
    #[derive(Deserialize, Debug, PartialEq)]
    struct Id(u64);
    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        order_id: Id,
    }
    let error = read_one::<Strict>(ORDERS, ORDER).unwrap_err();
    assert_eq!(error, "byte 0: record 1: unknown field `CUST-NAME`, expected `order_id`");
    let strict: Strict = read(&[("select", "ORDER-ID")], ORDERS, ORDER).remove(0).unwrap();
    assert_eq!(strict.order_id, Id(42));
}

#[test]
fn every_kind_of_field() {
    #[derive(Deserialize, Debug, PartialEq)]
    struct Numbers<T> {
        n: T,
    }
    fn number<T: DeserializeOwned>(kind: &str, digits: &str) -> Result<T, String> {
        let layout = format!("N 1 {} {kind}\n", digits.len());
        read_one::<Numbers<T>>(&layout, digits.as_bytes()).map(|row| row.n)
    }
    let text = |kind: &str, digits: &str| number::<String>(kind, digits).unwrap();
    assert_eq!(text("zoned.2", "0000150"), "1.50");
    assert_eq!(text("zoned", "1234567890123456789012345678901"), "1234567890123456789012345678901");
    assert_eq!(number("zoned", "1234567890123456789012345678901"), Ok(1234567890123456789012345678901_i128));
    assert_eq!(number("zoned.2", "0000150"), Ok(1.5_f64));
    assert_eq!(number("zoned.2", "00000010"), Ok(0.1_f32));
    assert_eq!(number("zoned.1", "12345678901234567890123"), Ok(1234567890123456789012.3_f64));
    assert_eq!(number("zoned.2", "0001200"), Ok(12_u8));
    assert_eq!(number("zoned.2", "0001200"), Ok(Some(12_i64)));
    assert_eq!(number("zoned", "00300"), Ok(300_u16));
    assert_eq!(number("zoned", "0020p"), Ok(-200_i16));
    let error = |found: Result<u8, String>| found.unwrap_err().split(": ").skip(2).collect::<Vec<_>>().join(": ");
    assert_eq!(error(number("zoned", "00300")), "30 30 33 30 30: invalid value: integer `300`, expected u8");
    assert_eq!(error(number("zoned.1", "015")), "30 31 35: invalid type: the number 1.5, expected u8");
    assert_eq!(error(number("text", "12")), "31 32: invalid type: string \"12\", expected u8");
    assert_eq!(error(number("zoned", "0020p")), "30 30 32 30 70: invalid value: integer `-200`, expected u8");
    assert!(number::<u64>("zoned", "99999999999999999999").is_err());
    assert_eq!(number("text", "1.50"), Ok(Decimal::new(150, 2)));
    assert_eq!(number("zoned.1", "00p"), Ok(Decimal::from_parts(true, 0, 1)));
    assert_eq!(number("raw", "AB"), Ok("4142".to_owned()));
    assert_eq!(number("raw", "AB"), Ok(vec![0x41_u8, 0x42]));
    assert_eq!(number("raw", "AB"), Ok([0x41_u8, 0x42]));
    assert_eq!(number("raw", "AB"), Ok(json!("4142")));
    assert_eq!(number::<Value>("zoned", "18446744073709551615"), Ok(json!(u64::MAX)));
    assert_eq!(number::<Value>("zoned", "18446744073709551616"), Ok(json!(18446744073709551616.0)));
    #[derive(Deserialize, PartialEq, Debug)]
    enum Code {
        #[serde(rename = "1")]
        One,
        Two,
    }
    assert_eq!(number("zoned", "01"), Ok(Code::One));
    assert_eq!(number("text", "two"), Ok(Code::Two));
    assert!(number::<Code>("zoned", "03").unwrap_err().ends_with("unknown variant `3`, expected `1` or `Two`"));
    // IEEE: 0.1 in four bytes, infinity, and not a number.
    let float = |bytes: &[u8]| read_one::<Numbers<f64>>("N 1 4 float,ieee\n", bytes).unwrap().n;
    assert_eq!(float(b"\x3D\xCC\xCC\xCD"), f64::from(0.1_f32));
    assert_eq!(float(b"\x7F\x80\x00\x00"), f64::INFINITY);
    assert_eq!(read_one("N 1 4 float,ieee\n", b"\x3D\xCC\xCC\xCD"), Ok(json!({ "N": 0.1 })));
    assert_eq!(read_one("N 1 4 float,ieee\n", b"\x7F\xC0\x00\x00"), Ok(json!({ "N": "NaN" })));
}

/// Decimals and dates in other formats.
#[test]
fn decimals_in_json() {
    let read = |text: &str| serde_json::from_str::<Decimal>(text).map_err(|error| error.to_string());
    assert_eq!(read("12"), Ok(Decimal::new(12, 0)));
    assert_eq!(read("-1.5"), Ok(Decimal::new(-15, 1)));
    assert_eq!(read("\"1234567890123456789012345.50\""), Ok(Decimal::new(123456789012345678901234550, 2)));
    assert_eq!(read("18446744073709551615"), Ok(Decimal::new(u64::MAX.into(), 0)));
    assert!(read("0.12345678901234567").unwrap_err().contains("expected a decimal number of at most 15 digits"));
    assert!(read("[false, 1, 2]").is_err() && read("\"x\"").is_err() && read("null").is_err());
    let write = |number: &str| serde_json::to_string(&number.parse::<Decimal>().unwrap()).unwrap();
    assert_eq!([write("12"), write("1.50"), write("-0.5")], ["12", "1.5", "-0.5"]);
    assert_eq!(write("18446744073709551616"), "\"18446744073709551616\"");
    assert_eq!(write("1234567890123456.5"), "\"1234567890123456.5\"");
    let date: Date = serde_json::from_str("\"2024-02-29\"").unwrap();
    assert_eq!(serde_json::to_string(&date).unwrap(), "\"2024-02-29\"");
    for bad in ["\"2023-02-29\"", "\"2024-2-29\"", "\"+024-02-29\"", "\"2024-02-290\"", "20240229"] {
        assert!(serde_json::from_str::<Date>(bad).is_err(), "{bad}");
    }
}

/// A struct without text needs no memory of its own, however many fields it has.
#[test]
fn numbers_are_not_allocated() {
    #[derive(Deserialize)]
    struct Numbers {
        a: u32,
        b: i64,
        c: Decimal,
        d: f64,
        e: f32,
        f: Option<i128>,
        g: Date,
        h: [u8; 4],
    }
    let layout = "A 1 6 zoned,unsigned\nB 7 9 zoned\nC 16 8 zoned.2\nD 24 5 zoned.3\nE 29 3 zoned.1\nF 32 31 zoned\n\
                  G 63 8 zoned,unsigned\nH 71 4 raw\n";
    let rows = rows_of(&[("from", "UTF-8"), ("dates", "G=YYYYMMDD")], layout);
    let numbers = format!("000012{:09}{:08}12345123{:031}20240229", 34, 150, 7);
    let record = [numbers.as_bytes(), &[0, 1, 2, 3]].concat();
    let allocations = |count: usize| {
        let input = record.repeat(count);
        let work = work_in(|| {
            for row in rows.deserialize::<Numbers, _>(&input[..]).unwrap() {
                let row = row.unwrap();
                assert_eq!((row.a, row.b, row.c.scale(), row.d, row.e), (12, 34, 2, 12.345, 12.3));
                assert_eq!((row.f, row.g.year(), row.h), (Some(7), 2024, [0, 1, 2, 3]));
            }
        });
        work.allocations
    };
    // The date is read by way of its text.
    let dates = 2 * 1000;
    assert!(allocations(1010) <= allocations(10) + dates, "{} {}", allocations(1010), allocations(10));
}

// --- Record types and added columns ----------------------------------------------------------------------------------

const TYPES: &str = "
KIND 1 1 text
when KIND=P: PERSON
NAME 2 3 text
when KIND=C: BIG-COMPANY
STAFF 2 3 zoned,unsigned
";

#[test]
fn record_types() {
    #[derive(Deserialize, Serialize, PartialEq, Debug)]
    enum Record {
        Person { kind: char, person: Person },
        BigCompany(Company),
    }
    #[derive(Deserialize, Serialize, PartialEq, Debug)]
    struct Person {
        name: String,
    }
    #[derive(Deserialize, Serialize, PartialEq, Debug)]
    struct Company {
        _type: String,
        kind: String,
        #[serde(rename = "BIG-COMPANY")]
        company: BTreeMap<String, u16>,
    }
    let options = [("records", "fb:4")];
    let found: Vec<Record> = read(&options, TYPES, b"PJoeC007").into_iter().map(Result::unwrap).collect();
    let person = Record::Person { kind: 'P', person: Person { name: "Joe".into() } };
    let company = BTreeMap::from([("STAFF".to_owned(), 7)]);
    let company = Company { _type: "BIG-COMPANY".into(), kind: "C".into(), company };
    assert_eq!(found, [person, Record::BigCompany(company)]);
    assert_eq!(write(&[], TYPES, &found[0]).as_deref(), Ok("PJoe"));
    assert_eq!(write(&[], TYPES, &found[1]).as_deref(), Ok("C007"));

    #[derive(Deserialize)]
    struct Either {
        person: Option<Person>,
        big_company: Option<Value>,
    }
    let found: Vec<Either> = read(&options, TYPES, b"PJoeC007").into_iter().map(Result::unwrap).collect();
    assert!(found[0].person.is_some() && found[0].big_company.is_none());
    assert!(found[1].person.is_none() && found[1].big_company.is_some());
    // An owned row still knows its type.
    let owned: RowValues = read(&options, TYPES, b"PJoe").remove(0).unwrap();
    assert!(matches!(owned.to::<Record>(), Ok(Record::Person { .. })));
}

/// The parent of a record is a field of its row, and a parent that is missing an error.
#[test]
fn parents_of_records() {
    let layout = b"K 1 1 text\nwhen K=C: CUSTOMER\nNAME 2 1 text\nwhen K=A: ACCOUNT\nNUM 2 1 text\n";
    let job = RowsJob::new().encoding("UTF-8").unwrap().parent("ACCOUNT", "CUSTOMER");
    let read = |job: &RowsJob, input: &[u8]| -> Vec<Result<Value, RowsError>> {
        job.rows(&job.layout(layout).unwrap()).unwrap().deserialize(input).unwrap().collect()
    };
    let found: Vec<_> = read(&job, b"C1A2A3C4A5").into_iter().map(|row| row.unwrap()["_parent"].clone()).collect();
    assert_eq!(json!(found), json!([null, 1, 1, null, 4]));
    let found = read(&job, b"A1C2A3");
    let error = found[0].as_ref().unwrap_err();
    assert_eq!((error.code(), error.offset()), ("no-parent", Some(0)));
    assert_eq!(found[2].as_ref().unwrap()["_parent"], 2, "the next rows can be read");
    let job = job.on_bad(charpipe::fields::OnBad::Null).add_columns([AddedColumn::Errors]);
    let row = read(&job, b"A1").pop().unwrap().unwrap();
    assert_eq!((&row["_parent"], &row["_errors"][0]["code"]), (&Value::Null, &json!("no-parent")));
}

/// Fields of the parent are fields of the row.
#[test]
fn keys_of_parents() {
    #[derive(Deserialize, Debug)]
    struct Account {
        #[serde(rename = "_parent.NAME")]
        customer: Option<String>,
        account: Option<Num>,
    }
    #[derive(Deserialize, Debug)]
    struct Num {
        num: Decimal,
    }
    let layout = b"K 1 1 text\nwhen K=C: CUSTOMER\nNAME 2 1 text\nwhen K=A: ACCOUNT\nNUM 2 1 text\n";
    let job = RowsJob::new().encoding("UTF-8").unwrap().parent("ACCOUNT", "CUSTOMER").parent_keys("ACCOUNT", ["NAME"]);
    let rows = job.rows(&job.layout(layout).unwrap()).unwrap();
    let read: Vec<Result<Account, RowsError>> = rows.deserialize(&b"CxA2CyA3Ax"[..]).unwrap().collect();
    let found =
        read.iter().flatten().map(|row| (row.customer.as_deref(), row.account.as_ref().map(|one| one.num.to_string())));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [(None, None), (Some("x"), Some("2".into())), (None, None), (Some("y"), Some("3".into()))]
    );
    // The place of a value that does not match comes after the keys.
    let error = read[4].as_ref().unwrap_err();
    assert_eq!((error.code(), error.offset()), ("deserialize", Some(9)));
    let values: Vec<RowValues> = rows.deserialize(&b"CxA2"[..]).unwrap().map(Result::unwrap).collect();
    let mut output = rows.serialize(Vec::new()).unwrap();
    values.iter().for_each(|row| output.write(row).unwrap());
    assert_eq!(output.finish().unwrap(), b"CxA2");
}

#[test]
fn added_columns() {
    let options = [("add-columns", "file,number,offset,record,errors"), ("on-bad", "null"), ("records", "rdw")];
    let job = options.iter().try_fold(RowsJob::new(), |job, (name, value)| job.set(name, value)).unwrap();
    let job = job.encoding("UTF-8").unwrap();
    let rows = job.rows(&job.layout(b"N 1 2 zoned,unsigned\n").unwrap()).unwrap();
    let input = b"\0\x06\0\x0012\0\x06\0\0x1\0\x07\0\x00123";
    let mut read = rows.deserialize::<Value, _>(&input[..]).unwrap().file("a.dat");
    let added = [AddedColumn::Number, AddedColumn::Errors].map(AddedColumn::column);
    assert_eq!(
        read.next().unwrap().unwrap(),
        json!({ "_file": "a.dat", "_number": 1, "_offset": 0, "N": 12, "_record": "3132", "_errors": null })
    );
    let row = read.next().unwrap().unwrap();
    assert_eq!((&row[added[0]], &row["N"]), (&json!(2), &Value::Null));
    assert_eq!(row[added[1]][0]["code"], "bad-number");
    assert_eq!(row[added[1]][0]["bytes"], "7831");
    // A record that cannot be read at all is a row without values.
    let row = read.next().unwrap().unwrap();
    assert_eq!((&row["_number"], row.get("N"), &row["_record"]), (&json!(3), None, &json!("313233")));
    assert_eq!(row["_errors"][0]["code"], "longer-than-layout");
    assert!(read.next().is_none());
    let counts = read.counts();
    assert_eq!((counts.records, counts.nulls, counts.rejected), (3, 2, 0));

    #[derive(Deserialize)]
    struct Numbered {
        _number: u64,
        _record: Vec<u8>,
        n: Option<u8>,
    }
    let found: Vec<Numbered> = rows.deserialize(&input[..]).unwrap().map(Result::unwrap).collect();
    assert_eq!((found[1]._number, &*found[1]._record, found[1].n), (2, &b"x1"[..], None));
}

// --- Errors ----------------------------------------------------------------------------------------------------------

#[test]
fn errors_have_their_place_and_the_rows_go_on() {
    #[derive(Deserialize, Debug)]
    struct Lines {
        #[allow(dead_code)]
        line: Vec<Counted>,
    }
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Counted {
        #[serde(rename = "COUNT-1")]
        count: u8,
        item: i8,
    }
    let job = RowsJob::new().encoding("UTF-8").unwrap().records(StoredAs::Shape(Shape::RDW));
    let items = "01 R.\n 05 A PIC XX.\n 05 LINE OCCURS 2.\n  10 COUNT-1 PIC S9.\n  10 ITEM PIC S9.\n";
    let rows = job.rows(&job.layout(items.as_bytes()).unwrap()).unwrap();
    let input = b"\0\x0A\0\0ab112q\0\x0A\0\0ab1122\0\x0A\0\0ab11p2\0\x0A\0\0ab11!2\0\x0A\0\0ab1122";
    let mut read = rows.deserialize::<Lines, _>(&input[..]).unwrap();
    let mut found = Vec::new();
    for row in &mut read {
        found.push(match row {
            Ok(_) => "read".to_owned(),
            Err(error) => format!("{} at {:?}: {error}", error.code(), error.offset()),
        });
    }
    // The item -1 fits, the count -0 does too.
    assert_eq!(found[..3], ["read", "read", "read"]);
    assert!(found[3].starts_with("bad-number at Some(38): byte 38: record 4, field LINE[2].COUNT-1"), "{}", found[3]);
    assert_eq!(found[4], "read");
    assert_eq!((read.counts().records, read.counts().rejected), (5, 1));

    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Positive {
        line: Vec<BTreeMap<String, u8>>,
    }
    let mut read = rows.deserialize::<Positive, _>(&input[..]).unwrap();
    let error = read.next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 9: record 1, field LINE[2].ITEM, column 6: 71: invalid value: integer `-1`, expected u8"
    );
    assert_eq!((error.code(), error.offset()), ("deserialize", Some(9)));
    let RowsError::Record { error, .. } = error else { panic!("{error}") };
    assert_eq!((error.record(), error.path(), error.offset(), error.bytes()), (1, "LINE[2].ITEM", 5, &b"q"[..]));
    assert!(read.next().unwrap().is_ok());
    assert_eq!((read.counts().records, read.counts().rejected), (2, 1));

    // The end of the input is an error after which nothing comes.
    let mut read = rows.deserialize::<Value, _>(&input[..15]).unwrap();
    assert!(read.next().unwrap().is_ok());
    assert_eq!(read.next().unwrap().unwrap_err().code(), "record-cut");
    assert!(read.next().is_none());
}

#[test]
fn rows_that_are_not_those_of_the_layout() {
    let check = |row: Value, expected: &str| {
        assert_eq!(write(&[], ORDERS, &row), Err(expected.to_owned()), "{row}");
    };
    let whole: Value = read_one(ORDERS, ORDER).unwrap();
    assert_eq!(write(&[], ORDERS, &whole).unwrap().as_bytes(), ORDER);
    let with = |name: &str, value: Value| {
        let mut row = whole.clone();
        row[name] = value;
        row
    };
    check(with("X", json!(1)), "bad-row: record 7, field X, column 1: there is no such field in the layout");
    check(
        with("order-id", json!(1)),
        "bad-row: record 7, field order-id, column 1: there is no such field in the layout",
    );
    check(with("PLACE", json!(1)), "bad-row: record 7, field PLACE, column 1: found a number; expected a group");
    check(with("LINE", json!({})), "bad-row: record 7, field LINE, column 1: found a map; expected an array");
    check(
        with("LINE", json!([{ "ITEM": [1] }])),
        "bad-row: record 7, field LINE[1].ITEM, column 1: found a sequence; expected text or a number",
    );
    check(
        with("LINE", json!([{}, {}, { "ITEM": 1 }])),
        "bad-row: record 7, field LINE[3], column 1: there is no such field in the layout",
    );
    check(
        with("STATUS", json!(true)),
        "bad-row: record 7, field STATUS, column 1: found true or false; expected text or a number",
    );
    check(with("ORDER-ID", json!(null)), "missing-value: record 7, field ORDER-ID, column 1: there is no value");
    check(
        with("AMOUNT", json!(0.125)),
        "does-not-fit: record 7, field AMOUNT, column 10: \"0.125\" does not fit; expected at most 2 decimal places",
    );
    // No value in a field that is not there, and what rows have besides fields, are nothing.
    let row = with("X", json!(null));
    assert_eq!(write(&[], ORDERS, &row).unwrap().as_bytes(), ORDER);
    let row = with("_errors", json!([{ "field": "A" }]));
    assert_eq!(write(&[], ORDERS, &row).unwrap().as_bytes(), ORDER);
    #[derive(Serialize)]
    struct Twice {
        order_id: u8,
        #[serde(rename = "ORDER-ID")]
        again: u8,
    }
    let twice = "bad-row: record 7, field ORDER-ID, column 1: it occurs twice";
    assert_eq!(write(&[], ORDERS, &Twice { order_id: 1, again: 2 }), Err(twice.into()));
    let keys = BTreeMap::from([(1, 2)]);
    let not_text = "bad-row: record 7: the key of a map is not text; expected the name of a field";
    assert_eq!(write(&[], ORDERS, &keys), Err(not_text.into()));
    let dates = [("dates", "ORDERED=YYYYMMDD")];
    let row = with("ORDERED", json!("2024-02-30"));
    let error = write(&dates, ORDERS, &row).unwrap_err();
    assert_eq!(error, "bad-row: record 7, field ORDERED, column 1: \"2024-02-30\" is not a date like YYYY-MM-DD");
}

#[test]
fn a_whole_output() {
    let rows = rows_of(&[("from", "UTF-8"), ("to-records", "rdw"), ("records", "rdw")], "A 1 3 text\nB 4 1 zoned\n");
    let mut output = rows.serialize(Vec::new()).unwrap();
    for number in 0..20_000 {
        output.write(&("x", number % 10)).unwrap();
        let error = output.write(&("xxxx", 1)).unwrap_err();
        assert_eq!((error.code(), error.offset()), ("does-not-fit", Some(8 * (number + 1))));
    }
    let bytes = output.finish().unwrap();
    assert_eq!(bytes.len(), 160_000);
    let back: Vec<(String, u64)> = rows.deserialize(&bytes[..]).unwrap().map(Result::unwrap).collect();
    assert!(back.iter().zip(0..20_000).all(|(row, number)| *row == ("x".to_owned(), number % 10)));
    assert_eq!(back.len(), 20_000);
}

/// An owned row is made, changed and compared.
#[test]
fn owned_rows() {
    let dates = [("dates", "ORDERED=YYYYMMDD")];
    let row: RowValues = read(&dates, ORDERS, ORDER).remove(0).unwrap();
    assert_eq!(row.at(0), Some(("ORDER-ID", &RowValue::Number(Decimal::new(42, 0)))));
    let lines = row.get("LINE").and_then(RowValue::array).unwrap();
    assert_eq!(lines[1].group().unwrap().get("ITEM"), Some(&RowValue::from("B2")));
    assert_eq!((row.len(), row.at(7), row.get("X")), (7, None, None));
    let mut changed = row.clone();
    assert_eq!(changed, row);
    changed.set("AMOUNT", Decimal::new(5, 1));
    assert_ne!(changed, row);
    assert_eq!(write(&dates, ORDERS, &changed).unwrap().as_bytes(), b"0042Joe  000005{O20240229A11B22Rom");
    let collected: RowValues = row.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    assert_eq!(collected, row);
    let json: RowValues = serde_json::from_str(r#"{"A":1,"B":"x","C":[null,1.5],"D":{"E":true}}"#).unwrap_or_default();
    assert!(json.is_empty(), "true is not a value of a row");
    let json: RowValues = serde_json::from_str(r#"{"A":1,"B":"x","C":[null,1.5]}"#).unwrap();
    assert_eq!(json.get("C"), Some(&RowValue::Array(vec![RowValue::Null, RowValue::Double(1.5)])));
    let order: Order = row.to().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(order.order_id, 42);
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Wrong {
        line: Vec<BTreeMap<String, u8>>,
    }
    let error = row.to::<Wrong>().unwrap_err();
    assert_eq!(error.path(), "LINE[1].ITEM");
    assert!(error.to_string().starts_with("field LINE[1].ITEM: invalid type: string \"A1\""), "{error}");
}

// --- Random layouts and records --------------------------------------------------------------------------------------

/// Reads a record into owned rows and into JSON, and writes it back.
fn check_bytes(choices: &[u8], record: &[u8]) {
    let layout = layout(choices, true);
    let job = RowsJob::new().encoding("IBM939").unwrap().records(StoredAs::Shape(Shape::RDW)).fillers(true);
    check_job(&job.clone().exact(true).on_bad(OnBad::Raw), &layout, record, true);
    check_job(&job.exact(true), &layout, record, false);
}

fn check_job(job: &RowsJob, layout: &Layout, record: &[u8], has_raw: bool) {
    let rows = job.rows(layout).unwrap();
    let (mut framer, mut input) = (Framer::new(&Shape::RDW, b"").unwrap(), Vec::new());
    framer.record(record, 0, &mut input).unwrap();
    struct Nothing;
    impl charpipe::fields::Visitor for Nothing {
        type Error = charpipe::fields::FieldError;

        fn value(&mut self, _: usize, _: usize, _: charpipe::fields::Value<'_>) -> Result<(), Self::Error> {
            Ok(())
        }
    }
    let read = rows.reader(&Shape::RDW).read(1, record, &mut Nothing);
    let mut found = rows.deserialize::<RowValues, _>(&input[..]).unwrap();
    let row = match (read, found.next().unwrap()) {
        (Ok(read), Ok(row)) if read.len <= record.len() => row,
        (read, found) => return assert_eq!(read.is_ok(), found.is_ok()),
    };
    let (mut serializer, mut written) = (rows.row_serializer().unwrap(), Vec::new());
    serializer.write(1, &row, &mut written).unwrap();
    assert_eq!(written, record, "{row:?}");
    if has_raw {
        // In JSON, bytes of a field that is a number are text.
        return;
    }
    let json = serde_json::to_value(&row).unwrap();
    serializer.write(1, &json, &mut written).unwrap();
    assert_eq!(written, record, "{json}");
    let json: Value = rows.deserialize(&input[..]).unwrap().next().unwrap().unwrap();
    if digits(&row) <= 15 {
        serializer.write(1, &json, &mut written).unwrap();
        assert_eq!(written, record, "{json}");
    }
}

/// Returns how many digits the longest number in a row has.
fn digits(row: &RowValues) -> usize {
    fn of(value: &RowValue) -> usize {
        match value {
            RowValue::Number(number) => number.magnitude().to_string().len(),
            RowValue::Group(group) => digits(group),
            RowValue::Array(elements) => elements.iter().map(of).max().unwrap_or(0),
            _ => 0,
        }
    }
    row.iter().map(|(_, value)| of(value)).max().unwrap_or(0)
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..most)
}

/// Bytes of digits, signs, letters, spaces and shift codes.
const LIKELY: &[u8] = b"\x00\x01\x02\x0C\x12\x1D\x3F\x40\xC1\xC5\xD3\xF0\xF1\xF9\x0E\x0F";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_back(choices in bytes(120), record in bytes(300)) {
        check_bytes(&choices, &record);
    }

    #[test]
    fn likely_bytes_come_back(
        choices in bytes(120),
        record in prop::collection::vec(prop::sample::select(LIKELY), 0..300),
    ) {
        check_bytes(&choices, &record);
    }

    /// Records of the length of a layout whose length does not vary.
    #[test]
    fn fitting_bytes_come_back(
        choices in bytes(60),
        record in prop::collection::vec(prop::sample::select(LIKELY), 2000),
    ) {
        let len = layout(&choices, false).max_len();
        if let Some(record) = record.get(..len) {
            check_job(
                &RowsJob::new().encoding("IBM939").unwrap().exact(true).on_bad(OnBad::Raw).fillers(true)
                    .records(StoredAs::Shape(Shape::RDW)),
                &layout(&choices, false),
                record,
                true,
            );
        }
    }
}
