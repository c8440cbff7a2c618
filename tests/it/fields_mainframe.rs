//! Reads and writes real mainframe files with their layouts. CardDemo's ASCII copies are the reference for its EBCDIC
//! files.

use charpipe::Registry;
use charpipe::fields::{FieldError, Layout, OnBad, ReadOptions, Value, ValueSource, Visitor};
use charpipe::records::{Records, Shape};
use std::collections::BTreeMap;
use std::path::Path;

/// A record as the text of its values, by path.
type Row = BTreeMap<String, String>;

const ACCOUNTS: &str = "
ACCT-ID                  1  11 zoned,unsigned
ACCT-ACTIVE-STATUS      12   1 text
ACCT-CURR-BAL           13  12 zoned.2
ACCT-CREDIT-LIMIT       25  12 zoned.2
ACCT-CASH-CREDIT-LIMIT  37  12 zoned.2
ACCT-OPEN-DATE          49  10 text
ACCT-EXPIRAION-DATE     59  10 text
ACCT-REISSUE-DATE       69  10 text
ACCT-CURR-CYC-CREDIT    79  12 zoned.2
ACCT-CURR-CYC-DEBIT     91  12 zoned.2
ACCT-ADDR-ZIP          103  10 text
ACCT-GROUP-ID          113  10 text
FILLER                 123 178 text
";

const CUSTOMERS: &str = "
CUST-ID                    1   9 zoned,unsigned
CUST-FIRST-NAME           10  25 text
CUST-MIDDLE-NAME          35  25 text
CUST-LAST-NAME            60  25 text
CUST-ADDR-LINE            85  50*3 text
CUST-ADDR-STATE-CD       235   2 text
CUST-ADDR-COUNTRY-CD     237   3 text
CUST-ADDR-ZIP            240  10 text
CUST-PHONE-NUM           250  15*2 text
CUST-SSN                 280   9 zoned,unsigned
CUST-GOVT-ISSUED-ID      289  20 text
CUST-DOB-YYYY-MM-DD      309  10 text
CUST-EFT-ACCOUNT-ID      319  10 text
CUST-PRI-CARD-HOLDER-IND 329   1 text
CUST-FICO-CREDIT-SCORE   330   3 zoned,unsigned
FILLER                   333 168 text
";

const CROSS_REFERENCES: &str = "
XREF-CARD-NUM  1 16 text
XREF-CUST-ID  17  9 zoned,unsigned
XREF-ACCT-ID  26 11 zoned,unsigned
FILLER        37 14 text
";

const CATEGORY_BALANCES: &str = "
TRANCAT-ACCT-ID  1 11 zoned,unsigned
TRANCAT-TYPE-CD 12  2 text
TRANCAT-CD      14  4 zoned,unsigned
TRAN-CAT-BAL    18 11 zoned.2
FILLER          29 22 text
";

const DISCOUNT_GROUPS: &str = "
DIS-ACCT-GROUP-ID  1 10 text
DIS-TRAN-TYPE-CD  11  2 text
DIS-TRAN-CAT-CD   13  4 zoned,unsigned
DIS-INT-RATE      17  6 zoned.2
FILLER            23 28 text
";

const TYPES: &str = "TRAN-TYPE 1 2 text\nTRAN-TYPE-DESC 3 50 text\nFILLER 53 8 text\n";

const CATEGORIES: &str = "
TRAN-TYPE-CD        1  2 text
TRAN-CAT-CD         3  4 zoned,unsigned
TRAN-CAT-TYPE-DESC  7 50 text
FILLER             57  4 text
";

const EXPORT: &str = "
EXPORT-REC-TYPE        1   1 text
EXPORT-TIMESTAMP       2  26 text
EXPORT-SEQUENCE-NUM   28   4 binary,unsigned
EXPORT-BRANCH-ID      32   4 text
EXPORT-REGION-CODE    36   5 text
when EXPORT-REC-TYPE=C: CUSTOMER
EXP-CUST-ID           41   4 binary,unsigned
EXP-CUST-FIRST-NAME   45  25 text
EXP-CUST-MIDDLE-NAME  70  25 text
EXP-CUST-LAST-NAME    95  25 text
EXP-CUST-ADDR-LINE   120  50*3 text
EXP-CUST-ADDR        270  15 text
EXP-CUST-PHONE-NUM   285  15*2 text
EXP-CUST-SSN         315   9 zoned,unsigned
EXP-CUST-IDS         324  41 text
EXP-CUST-FICO        365   2 packed,unsigned
FILLER               367 134 raw
when EXPORT-REC-TYPE=A: ACCOUNT
EXP-ACCT-ID           41  11 zoned,unsigned
EXP-ACCT-STATUS       52   1 text
EXP-ACCT-CURR-BAL     53   7 packed.2,digits=12
EXP-ACCT-CREDIT-LIMIT 60  12 zoned.2
EXP-ACCT-CASH-LIMIT   72   7 packed.2,digits=12
EXP-ACCT-DATES        79  10*3 text
EXP-ACCT-CYC-CREDIT  109  12 zoned.2
EXP-ACCT-CYC-DEBIT   121   8 binary.2
EXP-ACCT-ADDR-ZIP    129  10 text
EXP-ACCT-GROUP-ID    139  10 text
FILLER               149 352 raw
when EXPORT-REC-TYPE=T: TRANSACTION
EXP-TRAN-ID           41  16 text
EXP-TRAN-TYPE-CD      57   2 text
EXP-TRAN-CAT-CD       59   4 zoned,unsigned
EXP-TRAN-SOURCE       63  10 text
EXP-TRAN-DESC         73 100 text
EXP-TRAN-AMT         173   6 packed.2
EXP-TRAN-MERCHANT-ID 179   4 binary,unsigned
EXP-TRAN-MERCHANT    183 110 text
EXP-TRAN-CARD-NUM    293  16 text
EXP-TRAN-TS          309  26*2 text
FILLER               361 140 raw
when EXPORT-REC-TYPE=X: XREF
EXP-XREF-CARD-NUM     41  16 text
EXP-XREF-CUST-ID      57   9 zoned,unsigned
EXP-XREF-ACCT-ID      66   8 binary,unsigned
FILLER                74 427 raw
when otherwise: CARD
EXP-CARD-NUM          41  16 text
EXP-CARD-ACCT-ID      57   8 binary,unsigned
EXP-CARD-CVV-CD       65   2 binary,unsigned
EXP-CARD-NAME         67  50 text
EXP-CARD-EXPIRY      117  10 text
EXP-CARD-STATUS      127   1 text
FILLER               128 373 raw
";

const CLIENTS: &str = "
CLIENT-ID    1   4 binary,unsigned
CLIENT-TYPE  5   2 binary,unsigned
when 5-6=0001: MAIN
NAME         7  30 text
BDATE       37  10 text
ED-LVL      47  10 text
INCOME      57   5 packed.2,unsigned
FILLER      62 439 raw
when 5-6=0002: ADDRESS
NUMBER       7   4 binary,unsigned
STREET      11  40 text
FILLER      51 450 raw
when CLIENT-TYPE=0: HEADER
COUNT        7   4 binary,unsigned
FILLER      11 490 raw
";

fn data(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Collects the values of a record, as the reader gives them.
#[derive(Default)]
struct Seen(BTreeMap<usize, Owned>);

enum Owned {
    Text(String),
    Raw(Vec<u8>),
}

impl Visitor for Seen {
    type Error = FieldError;

    fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        match value {
            Value::Null => None,
            Value::Raw(bytes) => self.0.insert(column, Owned::Raw(bytes.to_vec())),
            value => self.0.insert(column, Owned::Text(value.to_string())),
        };
        Ok(())
    }
}

impl ValueSource for Seen {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        Some(match self.0.get(&column)? {
            Owned::Text(text) => Value::Text(text),
            Owned::Raw(bytes) => Value::Raw(bytes),
        })
    }
}

/// Reads records in a code page.
fn rows(layout: &str, page: &str, records: impl Iterator<Item = Vec<u8>>) -> Vec<Row> {
    let (layout, registry) = (Layout::from_field_list(layout).unwrap(), Registry::builtin());
    let options = ReadOptions::new().short_records(true);
    let mut reader = layout.reader(&registry, &registry.codec(page).unwrap(), &options).unwrap();
    let columns = reader.columns().unwrap();
    let row = |(index, record): (usize, Vec<u8>)| {
        let mut seen = Seen::default();
        reader.read(index as u64 + 1, &record, &mut seen).unwrap_or_else(|error| panic!("{error}"));
        let text = |owned| match owned {
            Owned::Text(text) => text,
            Owned::Raw(bytes) => Value::Raw(&bytes).to_string(),
        };
        seen.0.into_iter().map(|(column, owned)| (columns[column].path.clone(), text(owned))).collect()
    };
    records.enumerate().map(row).collect()
}

fn fixed(name: &str, lrecl: usize) -> impl Iterator<Item = Vec<u8>> {
    let bytes = data(name);
    assert_eq!(bytes.len() % lrecl, 0, "{name}");
    bytes.chunks(lrecl).map(<[u8]>::to_vec).collect::<Vec<_>>().into_iter()
}

fn lines(name: &str) -> impl Iterator<Item = Vec<u8>> {
    let text = String::from_utf8(data(name)).unwrap();
    text.lines().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>().into_iter()
}

/// Every value of the EBCDIC file is that of the ASCII file. In the repository itself, the files differ in the group of
/// one account (`ZEROAPR`) and in the rate of one discount group.
#[test]
fn ebcdic_and_ascii_have_the_same_values() {
    let files = [
        ("ACCTDATA", "acctdata", 300, ACCOUNTS, 1),
        ("CUSTDATA", "custdata", 500, CUSTOMERS, 0),
        ("CARDXREF", "cardxref", 50, CROSS_REFERENCES, 0),
        ("TCATBALF", "tcatbal", 50, CATEGORY_BALANCES, 0),
        ("DISCGRP", "discgrp", 50, DISCOUNT_GROUPS, 1),
        ("TRANTYPE", "trantype", 60, TYPES, 0),
        ("TRANCATG", "trancatg", 60, CATEGORIES, 0),
    ];
    for (ebcdic, ascii, lrecl, layout, differ) in files {
        let name = format!("carddemo/ebcdic/AWS.M2.CARDDEMO.{ebcdic}.PS");
        let found = rows(layout, "IBM037", fixed(&name, lrecl));
        let expected = rows(layout, "US-ASCII", lines(&format!("carddemo/ascii/{ascii}.txt")));
        assert_eq!(found.len(), expected.len(), "{name}");
        let others: Vec<_> = found.iter().zip(&expected).filter(|(found, expected)| found != expected).collect();
        assert_eq!(others.len(), differ, "{name}: {others:#?}");
    }
}

/// Returns the first ten records of each type, which the first byte names.
fn ten_of_each(records: impl Iterator<Item = Vec<u8>>) -> impl Iterator<Item = Vec<u8>> {
    let mut counts = BTreeMap::new();
    records.filter(move |record| {
        let count = counts.entry(record[0]).or_insert(0);
        *count += 1;
        *count <= 10
    })
}

/// The same customers and accounts as packed, binary and zoned numbers.
#[test]
fn exported_records_agree_with_the_tables() {
    let export = rows(EXPORT, "IBM037", ten_of_each(fixed("carddemo/ebcdic/AWS.M2.CARDDEMO.EXPORT.DATA.PS", 500)));
    let count = |path: &str| export.iter().filter(|row| row.contains_key(path)).count();
    for path in [
        "CUSTOMER.EXP-CUST-ID",
        "ACCOUNT.EXP-ACCT-ID",
        "TRANSACTION.EXP-TRAN-ID",
        "XREF.EXP-XREF-CARD-NUM",
        "CARD.EXP-CARD-NUM",
    ] {
        assert_eq!(count(path), 10, "{path}");
    }
    // In how many records each field is different; in the repository, some were changed after the export.
    let compare = |table: Vec<Row>, key: (&str, &str), fields: &[(&str, &str, usize)]| {
        let by_key: BTreeMap<u64, &Row> = table.iter().map(|row| (row[key.1].parse().unwrap(), row)).collect();
        for (exported, field, differ) in fields {
            let rows = export.iter().filter(|row| row.contains_key(key.0));
            let others = rows.filter(|row| row[*exported] != by_key[&row[key.0].parse::<u64>().unwrap()][*field]);
            assert_eq!(others.count(), *differ, "{exported}");
        }
    };
    compare(
        rows(CUSTOMERS, "IBM037", fixed("carddemo/ebcdic/AWS.M2.CARDDEMO.CUSTDATA.PS", 500)),
        ("CUSTOMER.EXP-CUST-ID", "CUST-ID"),
        &[
            ("CUSTOMER.EXP-CUST-SSN", "CUST-SSN", 0),
            ("CUSTOMER.EXP-CUST-FICO", "CUST-FICO-CREDIT-SCORE", 1),
            ("CUSTOMER.EXP-CUST-PHONE-NUM[2]", "CUST-PHONE-NUM[2]", 1),
        ],
    );
    compare(
        rows(ACCOUNTS, "IBM037", fixed("carddemo/ebcdic/AWS.M2.CARDDEMO.ACCTDATA.PS", 300)),
        ("ACCOUNT.EXP-ACCT-ID", "ACCT-ID"),
        &[
            ("ACCOUNT.EXP-ACCT-CURR-BAL", "ACCT-CURR-BAL", 1),
            ("ACCOUNT.EXP-ACCT-CREDIT-LIMIT", "ACCT-CREDIT-LIMIT", 0),
            ("ACCOUNT.EXP-ACCT-CASH-LIMIT", "ACCT-CASH-CREDIT-LIMIT", 0),
            ("ACCOUNT.EXP-ACCT-CYC-DEBIT", "ACCT-CURR-CYC-DEBIT", 0),
        ],
    );
}

#[test]
fn clients_of_three_types() {
    let clients = rows(CLIENTS, "IBM037", fixed("mainframe-data-utilities/CLIENT.EBCDIC.txt", 500));
    assert_eq!(clients[0]["HEADER.COUNT"], "220");
    let (main, address) = (&clients[1], &clients[2]);
    println!("{main:?} {address:?}");
    assert!(main["MAIN.INCOME"].ends_with(".00") && main["MAIN.BDATE"].len() == 10, "{main:?}");
    assert_eq!(main["CLIENT-ID"], address["CLIENT-ID"]);
    assert!(address["ADDRESS.NUMBER"].parse::<u32>().is_ok());
    assert_eq!(clients.iter().filter(|row| row.contains_key("ADDRESS.STREET")).count(), 110);
}

/// What is read is written back byte for byte, in each file.
#[test]
fn records_come_back() {
    let carddemo = |name: &str| format!("carddemo/ebcdic/AWS.M2.CARDDEMO.{name}.PS");
    let files = [
        (carddemo("ACCTDATA"), 300, ACCOUNTS),
        (carddemo("CUSTDATA"), 500, CUSTOMERS),
        (carddemo("CARDXREF"), 50, CROSS_REFERENCES),
        (carddemo("TCATBALF"), 50, CATEGORY_BALANCES),
        (carddemo("DISCGRP"), 50, DISCOUNT_GROUPS),
        (carddemo("TRANTYPE"), 60, TYPES),
        (carddemo("TRANCATG"), 60, CATEGORIES),
        (carddemo("EXPORT.DATA"), 500, EXPORT),
        ("mainframe-data-utilities/CLIENT.EBCDIC.txt".into(), 500, CLIENTS),
    ];
    for (name, lrecl, layout) in files {
        let layout = Layout::from_field_list(layout).unwrap();
        let raw = comes_back(&layout, fixed(&name, lrecl));
        println!("{name}: {raw} fields are not canonical");
    }
}

/// Reads and writes each record; returns how many fields had to be carried as raw bytes.
fn comes_back(layout: &Layout, records: impl Iterator<Item = Vec<u8>>) -> u64 {
    let registry = Registry::builtin();
    let codec = registry.codec("IBM037").unwrap();
    let options = ReadOptions::new().canonical(true).on_bad(OnBad::Raw).fillers(true);
    let mut reader = layout.reader(&registry, &codec, &options).unwrap();
    let mut writer = layout.writer(&registry, &codec).unwrap();
    let (mut written, mut raw) = (Vec::new(), 0);
    for (record, number) in records.zip(1..) {
        let mut seen = Seen::default();
        raw += reader.read(number, &record, &mut seen).unwrap().bad;
        writer.write(number, &mut seen, &mut written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(written, record, "record {number}");
    }
    raw
}

/// An array whose count is packed.
#[test]
fn an_array_of_varying_count() {
    use charpipe::fields::{FieldKind, Item, Occurs, Packed, Zoned};
    let layout = Layout::new(vec![
        Item::group(1, "OUT-RECORD"),
        Item::group(3, "OUT-KEY"),
        Item::field(5, "OUTK-TYPE", FieldKind::text(2)),
        Item::field(5, "OUTK-SEQT", FieldKind::Zoned(Zoned::unsigned(2, 0))),
        Item::field(3, "OUT-REC-CNT", FieldKind::Packed(Packed::new(3, 0))),
        Item::group(3, "OUT-REC").occurring(Occurs::depending_on(0, 10, "OUT-REC-CNT")),
        Item::field(5, "OUT-REC-NO", FieldKind::Zoned(Zoned::unsigned(9, 0))),
        Item::field(5, "OUT-NAME", FieldKind::text(21)),
    ])
    .unwrap();
    let bytes = data("mainframe-data-utilities/COBVBFM2.EBCDIC.txt");
    let mut records = Records::new(&bytes[..], &Shape::RDW);
    let mut all = Vec::new();
    while let Some(record) = records.next_record().unwrap() {
        all.push(record.data.to_vec());
    }
    let registry = Registry::builtin();
    let mut reader = layout.reader(&registry, &registry.codec("IBM037").unwrap(), &ReadOptions::new()).unwrap();
    let mut counts = Vec::new();
    for (record, number) in all.iter().zip(1..) {
        let mut seen = Seen::default();
        let row = reader.read(number, record, &mut seen).unwrap();
        assert_eq!(row.len, record.len());
        counts.push((seen.0.len() - 3) / 2);
    }
    println!("{counts:?}");
    assert!(counts.iter().any(|count| *count != counts[0]));
    comes_back(&layout, all.into_iter());
}
