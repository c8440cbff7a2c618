//! Compares copybooks, and the values in records, with GnuCOBOL: a COBOL program writes records by a copybook, and
//! prints the length of each item and each value; another program reads what was written back, and prints the values
//! again.
//!
//! GnuCOBOL writes text in ASCII, so the tests translate text and zoned numbers to EBCDIC. It has no hexadecimal
//! floating point, and aligns binary items of 8 bytes, and items in tables, otherwise than IBM's compilers do.
//! Without `cobc`, the tests are skipped, and say so.

use super::common::{encode, installed};
use charpipe::fields::{
    ByteOrder, Copybook, FieldError, FieldKind, FloatFormat, Item, Layout, ReadOptions, Trim, Value, Visitor,
    ZonedSigns,
};
use charpipe::{Codec, Registry, Transcode};
use std::fs;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// The clauses of the items, and the values that the program moves to them, one for each record.
const ITEMS: &[(&str, [&str; 3])] = &[
    ("PIC X(5)", ["'ABCDE'", "'A'", "SPACES"]),
    ("PIC A(3)", ["'abc'", "'Z'", "SPACES"]),
    ("PIC 9(5)", ["0", "12345", "99999"]),
    ("PIC S9(5)", ["0", "-12345", "12340"]),
    ("PIC S9(5)", ["-1", "99999", "-10"]),
    ("PIC S9(3)V99", ["1.25", "-999.99", "-0.07"]),
    ("PIC 9V9(4)", ["3.1415", "0.0001", "9"]),
    ("PIC S9(5) SIGN IS LEADING", ["12345", "-12345", "-7"]),
    ("PIC S9(5) SIGN TRAILING SEPARATE", ["12345", "-12345", "0"]),
    ("PIC S9(3)V9 SIGN IS LEADING SEPARATE CHARACTER", ["12.5", "-999.9", "0"]),
    ("PIC 9(3)P(2)", ["100", "12300", "99900"]),
    ("PIC SVPP99", ["0.0012", "-0.0099", "0"]),
    ("PIC S9(18)", ["123456789012345678", "-999999999999999999", "-1"]),
    ("PIC S9(31)", ["1234567890123456789012345678901", "-9999999999999999999999999999999", "0"]),
    ("PIC S9(4) COMP", ["0", "-9999", "9999"]),
    ("PIC 9(4) COMP", ["0", "9999", "258"]),
    ("PIC S9(7)V99 COMP", ["1234567.89", "-0.01", "99"]),
    ("PIC S9(9) BINARY", ["999999999", "-999999999", "-2"]),
    ("PIC 9(9) COMP-4", ["999999999", "1", "65536"]),
    ("PIC S9(10) COMP", ["9999999999", "-9999999999", "4294967296"]),
    ("PIC S9(18) COMP", ["999999999999999999", "-999999999999999999", "-1"]),
    ("PIC 9(18) BINARY", ["999999999999999999", "0", "72057594037927936"]),
    ("PIC S9(4) COMP-5", ["32767", "-32768", "258"]),
    ("PIC 9(4) COMP-5", ["65535", "0", "258"]),
    ("PIC S9(9) COMP-5", ["2147483647", "-2147483648", "16909060"]),
    ("PIC S9(16)V99 COMP-5", ["1234567890123456.78", "-0.01", "0"]),
    ("PIC S9 COMP-3", ["9", "-9", "0"]),
    ("PIC S9(4) COMP-3", ["1234", "-1234", "-1"]),
    ("PIC 9(5) COMP-3", ["12345", "0", "7"]),
    ("PIC S9(7)V99 PACKED-DECIMAL", ["1234567.89", "-1234567.89", "-0.05"]),
    ("PIC S9(31) COMP-3", ["1234567890123456789012345678901", "-1", "0"]),
    ("PIC 9(4) COMP-6", ["1234", "0", "9999"]),
    ("PIC 9(5) COMP-6", ["12345", "1", "99999"]),
    ("BINARY-CHAR", ["127", "-128", "0"]),
    ("BINARY-CHAR UNSIGNED", ["255", "0", "128"]),
    ("BINARY-SHORT", ["32767", "-32768", "258"]),
    ("BINARY-LONG", ["2147483647", "-2147483648", "16909060"]),
    ("BINARY-DOUBLE", ["9223372036854775807", "-9223372036854775807", "72623859790382856"]),
    ("COMP-1", ["1.5", "-0.25", "1024"]),
    ("COMP-2", ["1.5", "-123456.0625", "0"]),
    ("PIC ZZ,ZZ9.99-", ["1234.5", "-0.5", "99999.99"]),
    ("PIC $$$9.99CR", ["12.34", "-1.5", "0"]),
    ("PIC **9.9DB", ["1", "-2.5", "999.9"]),
    ("PIC +9(3)", ["12", "-12", "0"]),
    ("PIC -9(3).99", ["1.5", "-999.99", "0"]),
    ("PIC 9(3)+", ["12", "-12", "0"]),
    ("PIC 9(3).9-", ["12.5", "-12", "0"]),
    ("PIC ZZZ9.99-", ["1234.5", "-0.5", "0"]),
    ("PIC -Z(3)9", ["1234", "-5", "0"]),
    ("PIC Z(3).99", ["0.05", "10", "0"]),
    ("PIC Z(3).ZZ+", ["0.05", "-10", "0"]),
    ("PIC Z(4)", ["5", "1000", "0"]),
    ("PIC .99", ["0.05", "0.5", "0"]),
    ("PIC 99/99/9999", ["31122025", "1", "0"]),
    ("PIC XXBXX", ["'abcd'", "'x'", "SPACES"]),
];

/// Items whose places matter: tables, redefinitions, and slack bytes.
const SHAPES: &str = "\
01 S.
   05 S-COUNT PIC 9(2).
   05 S-A PIC X.
   05 S-B PIC S9(4) COMP SYNC.
   05 S-C PIC X.
   05 S-D PIC S9(9) COMP SYNC.
   05 S-E OCCURS 3.
      10 S-F PIC X(2).
      10 S-G OCCURS 2.
         15 S-H PIC S9(9) COMP.
         15 S-I PIC X.
      10 S-J PIC S9(4) COMP.
   05 S-K PIC X(3).
   05 S-L REDEFINES S-K.
      10 S-M PIC X(5).
   05 S-N REDEFINES S-L PIC 9(2).
   05 S-O PIC X.
   05 S-P COMP-1 SYNC.
   05 S-Q PIC X.
   05 S-R COMP-2 SYNC.
   05 S-S COMP-3.
      10 S-T PIC S9(5).
      10 S-U PIC 9(4).
   05 S-V SIGN LEADING SEPARATE.
      10 S-W PIC S9(3).
      10 S-X PIC 9(3).
   05 S-Y OCCURS 2 TO 9 DEPENDING ON S-COUNT PIC X(3).
";

/// The copybook with all items, in free form.
fn copybook() -> String {
    let mut text = "01 R.\n".to_owned();
    for (number, (clauses, _)) in ITEMS.iter().enumerate() {
        text += &format!("   05 F-{number} {clauses}.\n");
    }
    text
}

/// The names of the items of [`SHAPES`], with subscripts for the first elements of tables.
fn shapes() -> Vec<(&'static str, &'static str)> {
    let names = SHAPES.lines().skip(1).map(|line| line.split_whitespace().nth(1).unwrap().trim_end_matches('.'));
    let subscripts = |name| match name {
        "S-E" | "S-F" | "S-J" | "S-Y" => "(1)",
        "S-G" | "S-H" | "S-I" => "(1, 1)",
        _ => "",
    };
    names.map(|name| (name, subscripts(name))).collect()
}

/// Reads a copybook as GnuCOBOL does on this machine.
fn read(text: &str) -> Layout {
    pc().read(text.as_bytes()).unwrap()
}

/// The result of reading a copybook with COBOL on this machine.
fn pc() -> Copybook {
    let order = if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };
    Copybook::new().native_order(order).float(FloatFormat::Ieee)
}

/// The length of a record, in bytes.
fn length() -> usize {
    read(&copybook()).max_len()
}

/// A program in free form. With the argument `write`, it writes records to OUT.DAT, and prints their values, the length
/// of each item, and where the items of [`SHAPES`] begin. Otherwise it prints the values of the records in BACK.DAT.
fn program() -> String {
    let mut lines = vec![
        "IDENTIFICATION DIVISION. PROGRAM-ID. ORACLE.".to_owned(),
        "ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.".into(),
        "SELECT OUT-FILE ASSIGN TO 'OUT.DAT' ORGANIZATION SEQUENTIAL.".into(),
        "SELECT BACK-FILE ASSIGN TO 'BACK.DAT' ORGANIZATION SEQUENTIAL.".into(),
        format!("DATA DIVISION. FILE SECTION. FD OUT-FILE. 01 OUT-RECORD PIC X({}).", length()),
        format!("FD BACK-FILE. 01 BACK-RECORD PIC X({}).", length()),
        "WORKING-STORAGE SECTION.".into(),
        "01 WHAT PIC X(5). 01 PLACE PIC 9(9). 01 FRACTION PIC -9(19).9(18). 01 WHOLE PIC -9(37).".into(),
        "01 BASE POINTER. 01 BASE-N REDEFINES BASE PIC S9(18) COMP-5.".into(),
        "01 HERE POINTER. 01 HERE-N REDEFINES HERE PIC S9(18) COMP-5.".into(),
        copybook(),
        SHAPES.into(),
        "PROCEDURE DIVISION.".into(),
        "ACCEPT WHAT FROM COMMAND-LINE".into(),
        "IF WHAT = 'write' PERFORM WRITE-ALL ELSE PERFORM READ-ALL END-IF".into(),
        "STOP RUN.".into(),
        "WRITE-ALL. MOVE 9 TO S-COUNT. OPEN OUTPUT OUT-FILE.".into(),
    ];
    for record in 0..3 {
        lines.push("INITIALIZE R.".into());
        lines.extend(
            ITEMS.iter().enumerate().map(|(number, (_, values))| format!("MOVE {} TO F-{number}.", values[record])),
        );
        lines.push("PERFORM SHOW. WRITE OUT-RECORD FROM R.".into());
    }
    lines.push("CLOSE OUT-FILE.".into());
    lines.extend((0..ITEMS.len()).map(|number| format!("DISPLAY LENGTH OF F-{number}.")));
    lines.push("SET BASE TO ADDRESS OF S.".into());
    for (name, subscripts) in shapes() {
        lines.push(format!("SET HERE TO ADDRESS OF {name}{subscripts}. COMPUTE PLACE = HERE-N - BASE-N."));
        lines.push(format!("DISPLAY PLACE ' ' LENGTH OF {name}{subscripts}."));
    }
    lines.push("READ-ALL. OPEN INPUT BACK-FILE.".into());
    lines.push("PERFORM 3 TIMES READ BACK-FILE INTO R END-READ PERFORM SHOW END-PERFORM. CLOSE BACK-FILE.".into());
    lines.push("SHOW.".into());
    for (number, (clauses, _)) in ITEMS.iter().enumerate() {
        // As it is, or as a number with a point and a sign.
        let shown = match clauses.split(' ').nth(1) {
            Some(picture) if picture.chars().all(|ch| "S9VP()012345678".contains(ch)) => {
                if picture.contains(['V', 'P']) { "FRACTION" } else { "WHOLE" }
            }
            _ => {
                lines.push(format!("DISPLAY F-{number}."));
                continue;
            }
        };
        lines.push(format!("MOVE F-{number} TO {shown}. DISPLAY {shown}."));
    }
    lines.join("\n") + "\n"
}

/// The program, compiled.
struct Oracle {
    folder: TempDir,
    /// What it printed, line by line.
    printed: Vec<String>,
    /// The records that it wrote.
    records: Vec<Vec<u8>>,
}

impl Oracle {
    /// Compiles and runs the program with signs of this character set; `None` if there is no compiler.
    fn new(signs: &str) -> Option<Oracle> {
        if !installed("GnuCOBOL", &["cobc", "--version"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("oracle.cob"), program()).unwrap();
        let signs = format!("-fsign={signs}");
        let args = ["-x", "-free", "-std=ibm", &signs, "-o", "oracle", "oracle.cob"];
        let compiled = Command::new("cobc").args(args).current_dir(&folder).output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let mut oracle = Oracle { folder, printed: Vec::new(), records: Vec::new() };
        oracle.printed = oracle.run("write");
        let file = fs::read(oracle.folder.path().join("OUT.DAT")).unwrap();
        assert_eq!(file.len(), 3 * length());
        oracle.records = file.chunks(length()).map(<[u8]>::to_vec).collect();
        Some(oracle)
    }

    fn run(&self, what: &str) -> Vec<String> {
        let program = self.folder.path().join("oracle");
        let output = Command::new(program).arg(what).current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// What it prints for these records.
    fn shows(&self, records: &[Vec<u8>]) -> Vec<String> {
        fs::write(self.folder.path().join("BACK.DAT"), records.concat()).unwrap();
        self.run("read")
    }

    /// The values that it printed.
    fn values(&self) -> &[String] {
        &self.printed[..3 * ITEMS.len()]
    }
}

/// Collects the values of a record.
struct Values(Vec<String>);

impl Visitor for Values {
    type Error = FieldError;

    fn value(&mut self, _item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.0.push(value.to_string());
        Ok(())
    }
}

/// Compares the values of records with what the program printed for them, and writes them back.
fn compare(layout: &Layout, codec: &Arc<dyn Codec>, records: &[Vec<u8>], printed: &[String]) {
    let registry = Registry::builtin();
    let mut reader = layout.reader(&registry, codec, &ReadOptions::new().trim(Trim::Nothing)).unwrap();
    let mut writer = layout.writer(&registry, codec).unwrap();
    let fields: Vec<&Item> = layout.items().iter().filter(|item| !item.is_group()).collect();
    for (number, record) in (1..).zip(records) {
        let mut values = Values(Vec::new());
        reader.read(number, record, &mut values).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(values.0.len(), ITEMS.len());
        let printed = &printed[(number as usize - 1) * ITEMS.len()..];
        for ((item, value), printed) in fields.iter().zip(&values.0).zip(printed) {
            let same = match item.kind {
                Some(FieldKind::Text(_)) => value == printed,
                _ => digits(value) == digits(printed),
            };
            assert!(same, "record {number}, {:?} {}: {value:?}, COBOL has {printed:?}", item.name, item.picture);
        }
        let row: Vec<_> = values.0.iter().map(|value| Some(Value::Text(value))).collect();
        let mut back = Vec::new();
        writer.write(number, &mut &row[..], &mut back).unwrap_or_else(|error| panic!("{error}"));
        for (index, item) in layout.items().iter().enumerate().skip(1) {
            let range = layout.offset(index).unwrap()..layout.offset(index).unwrap() + layout.len_of(index);
            assert_eq!(back[range.clone()], record[range], "record {number}, {:?} {}", item.name, item.picture);
        }
        assert_eq!(back, *record);
    }
}

/// A number without spaces, needless zeros and a plus sign.
fn digits(number: &str) -> String {
    let number = number.trim();
    let bare = number.trim_matches(['+', '-', ' ']);
    let (whole, places) = bare.split_once('.').unwrap_or((bare, ""));
    let (whole, places) = (whole.trim_start_matches('0'), places.trim_end_matches('0'));
    let sign = if number.contains('-') && !(whole.is_empty() && places.is_empty()) { "-" } else { "" };
    format!("{sign}{}.{places}", if whole.is_empty() { "0" } else { whole })
}

/// The record in EBCDIC, or back in ASCII: only the text and the zoned numbers.
fn translated(layout: &Layout, record: &[u8], translate: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut record = record.to_vec();
    for (index, item) in layout.items().iter().enumerate() {
        if let Some(FieldKind::Text(_) | FieldKind::Zoned(_) | FieldKind::Edited(_)) = item.kind {
            let begin = layout.offset(index).unwrap();
            let range = begin..begin + layout.len_of(index);
            let bytes = translate(&record[range.clone()]);
            record[range].copy_from_slice(&bytes);
        }
    }
    record
}

#[test]
fn lengths_and_places_are_those_of_cobol() {
    let Some(oracle) = Oracle::new("EBCDIC") else { return };
    let layout = read(&copybook());
    let mut printed = oracle.printed[3 * ITEMS.len()..].iter().map(String::as_str);
    for (index, item) in layout.items().iter().enumerate().skip(1) {
        assert_eq!(
            printed.next().unwrap().parse(),
            Ok(layout.len_of(index)),
            "{} {}",
            layout.path(index),
            item.picture
        );
    }
    let layout = read(SHAPES);
    for (name, _) in shapes() {
        let item = layout.find(name).unwrap();
        // Version 4 prints lengths with zeros before them.
        let numbers: Vec<usize> = printed.next().unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers, [layout.offset(item).unwrap(), layout.len_of(item)], "{name}");
    }
    assert_eq!(printed.next(), None);
}

/// A program in fixed form, with marks and sequence numbers, constants, copied members and a decimal comma.
const PROGRAM: &str = "\
000100 IDENTIFICATION DIVISION.                                         PROG0001
000200 PROGRAM-ID. ORACLE.                                              PROG0002
ALTF  * a mark of a change
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES. DECIMAL-POINT IS COMMA.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       78  MAX-ROWS            VALUE 4.
       01  NAME-LEN            CONSTANT AS 7.
       77  WS-OTHER            PIC X(99).
RF06   01  CUST.                                                        05 X
           COPY PARTS REPLACING ==:TAG:== BY ==CUST==
                                ==PART-LEN== BY ==NAME-LEN==.
           COPY INNER REPLACING LEADING ==OLD-== BY ==CUST-==.
           05 CUST-ROWS        OCCURS MAX-ROWS.
              10 CUST-ROW      PIC X(NAME-LEN)X(MAX-ROWS).
           05 CUST-DUE         PIC ZZ9,99-.
           05 CUST-SUM         PIC Z.ZZ9,99.
           05 CUST-PACKED      PIC S9(MAX-ROWS)V9(2) COMP-3.
       PROCEDURE DIVISION.
           MOVE SPACES TO CUST. MOVE -12,5 TO CUST-DUE.
           MOVE 1234,5 TO CUST-SUM. MOVE 1 TO CUST-PACKED.
           DISPLAY LENGTH OF CUST. DISPLAY LENGTH OF CUST-CITY.
           DISPLAY LENGTH OF CUST-INNER. DISPLAY LENGTH OF CUST-ROWS.
           DISPLAY LENGTH OF CUST-DUE. DISPLAY LENGTH OF CUST-PACKED.
           DISPLAY CUST-DUE CUST-SUM.
           STOP RUN.
";

#[test]
fn programs_are_read_as_by_cobol() {
    if !installed("GnuCOBOL", &["cobc", "--version"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let members = folder.path().join("members");
    fs::create_dir(&members).unwrap();
    fs::write(members.join("PARTS.cpy"), "CR0001     05 :TAG:-CITY PIC X(PART-LEN).\n").unwrap();
    let inner = format!("{:72}00000100\n", "000100     05 OLD-INNER PIC X(NAME-LEN)X(3).");
    fs::write(members.join("INNER.cpy"), inner).unwrap();
    fs::write(folder.path().join("oracle.cob"), PROGRAM).unwrap();
    let args = ["-x", "-fixed", "-std=ibm", "-I", "members", "-o", "oracle", "oracle.cob"];
    let compiled = Command::new("cobc").args(args).current_dir(&folder).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(folder.path().join("oracle")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let layout = Copybook::new().copy_path(&members).record_name("CUST").read(PROGRAM.as_bytes()).unwrap();
    let of = |name: &str| layout.len_of(layout.find(name).unwrap());
    let lengths =
        [layout.max_len(), of("CUST-CITY"), of("CUST-INNER"), of("CUST-ROWS"), of("CUST-DUE"), of("CUST-PACKED")];
    let mut printed = printed.lines();
    for length in lengths {
        assert_eq!(printed.next().unwrap().parse(), Ok(length), "{lengths:?}");
    }
    let edited = printed.next().unwrap().as_bytes();
    let ascii = Registry::builtin().codec("ISO-8859-1").unwrap();
    let (begin, mut values) = (layout.offset(layout.find("CUST-DUE").unwrap()).unwrap(), Values(Vec::new()));
    let mut record = vec![b' '; layout.max_len()];
    record[begin..begin + edited.len()].copy_from_slice(edited);
    let options = ReadOptions::new().select(["CUST-DUE", "CUST-SUM"]);
    let mut reader = layout.reader(&Registry::builtin(), &ascii, &options).unwrap();
    reader.read(1, &record, &mut values).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(values.0, ["-12.50", "1.234,50"]);
}

#[test]
fn values_in_ebcdic_are_those_of_cobol() {
    let Some(oracle) = Oracle::new("EBCDIC") else { return };
    let layout = read(&copybook());
    let registry = Registry::builtin();
    let codec = registry.codec("IBM037").unwrap();
    let to_ebcdic = |bytes: &[u8]| encode(&*codec, std::str::from_utf8(bytes).unwrap());
    let records: Vec<_> = oracle.records.iter().map(|record| translated(&layout, record, to_ebcdic)).collect();
    compare(&layout, &codec, &records, oracle.values());
    // COBOL reads what was written back.
    let to_ascii = |bytes: &[u8]| {
        Transcode::new().source_encoding("IBM037").unwrap().decode(bytes).unwrap().into_owned().into_bytes()
    };
    let back: Vec<_> = records.iter().map(|record| translated(&layout, record, to_ascii)).collect();
    assert_eq!(oracle.shows(&back), oracle.values());
}

#[test]
fn values_in_ascii_are_those_of_cobol() {
    let ascii = Registry::builtin().codec("ISO-8859-1").unwrap();
    let layout = read(&copybook());
    // Signs that were translated from EBCDIC: { and A to I, } and J to R.
    let Some(oracle) = Oracle::new("EBCDIC") else { return };
    compare(&layout, &ascii, &oracle.records, oracle.values());
    // Signs of ASCII: p to y.
    let Some(oracle) = Oracle::new("ASCII") else { return };
    let layout = pc().zoned_signs(Some(ZonedSigns::AsciiLowercase)).read(copybook().as_bytes()).unwrap();
    compare(&layout, &ascii, &oracle.records, oracle.values());
    assert_eq!(oracle.shows(&oracle.records), oracle.values());
}
