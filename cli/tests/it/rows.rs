//! `charpipe rows` on real files: the values of CardDemo's EBCDIC files are those of its ASCII copies, and every file
//! comes back byte for byte.

use crate::common::process::{Start, piped_through};
use charpipe::fields::{Copybook, FieldKind, Layout, SignPlace};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(path)
}

/// Runs `charpipe rows` in the folder of the data. `#` stands for a space inside of an argument.
pub fn rows(line: &str, input: &[u8]) -> Output {
    let args = line.split_whitespace().map(|arg| arg.replace('#', " "));
    piped_through(Command::new(env!("CARGO_BIN_EXE_charpipe")).arg("rows").args(args).current_dir(data("")), input)
}

/// Returns the output of a run that must succeed without messages.
#[track_caller]
pub fn passes(line: &str, input: &[u8]) -> String {
    let output = rows(&format!("-q {line}"), input);
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""), "{line}");
    String::from_utf8(output.stdout).unwrap()
}

/// A file with its layout, and the options for it.
pub struct Sample {
    copybook: &'static str,
    file: &'static str,
    /// The options of both directions.
    options: &'static str,
    shape: &'static str,
}

const EXPORT: &str = "--when EXPORT-REC-TYPE=C:#EXPORT-CUSTOMER-DATA --when EXPORT-REC-TYPE=A:#EXPORT-ACCOUNT-DATA \
                      --when EXPORT-REC-TYPE=T:#EXPORT-TRANSACTION-DATA --when EXPORT-REC-TYPE=X:#EXPORT-CARD-XREF-DATA \
                      --when EXPORT-REC-TYPE=D:#EXPORT-CARD-DATA";
pub const CLIENTS: &str =
    "--when CLIENT-ID=0:#CLIENT-HEADER --when CLIENT-TYPE=1:#CLIENT-MAIN --when CLIENT-TYPE=2:#CLIENT-ADDRESS";

const fn sample(copybook: &'static str, file: &'static str, shape: &'static str, options: &'static str) -> Sample {
    Sample { copybook, file, options, shape }
}

const SAMPLES: [Sample; 14] = [
    sample("carddemo/copybooks/CVACT01Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.ACCDATA.PS", "fb:300", ""),
    sample("carddemo/copybooks/CVACT01Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.ACCTDATA.PS", "fb:300", ""),
    sample("carddemo/copybooks/CVACT02Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.CARDDATA.PS", "fb:150", ""),
    sample("carddemo/copybooks/CVACT03Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.CARDXREF.PS", "fb:50", ""),
    sample("carddemo/copybooks/CVCUS01Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.CUSTDATA.PS", "fb:500", ""),
    sample("carddemo/copybooks/CVTRA06Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.DALYTRAN.PS", "fb:350", ""),
    sample("carddemo/copybooks/CVTRA02Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.DISCGRP.PS", "fb:50", ""),
    sample("carddemo/copybooks/CVEXPORT.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.EXPORT.DATA.PS", "fb:500", EXPORT),
    sample("carddemo/copybooks/CVTRA01Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.TCATBALF.PS", "fb:50", ""),
    sample("carddemo/copybooks/CVTRA04Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.TRANCATG.PS", "fb:60", ""),
    sample("carddemo/copybooks/CVTRA03Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.TRANTYPE.PS", "fb:60", ""),
    sample("carddemo/copybooks/CSUSR01Y.cpy", "carddemo/ebcdic/AWS.M2.CARDDEMO.USRSEC.PS", "fb:80", ""),
    sample("mainframe-data-utilities/COBKS05.cpy", "mainframe-data-utilities/CLIENT.EBCDIC.txt", "fb:500", CLIENTS),
    sample("mainframe-data-utilities/COBVBFM2.cpy", "mainframe-data-utilities/COBVBFM2.EBCDIC.txt", "rdw", ""),
];

#[test]
fn every_file_comes_back_byte_for_byte() {
    for Sample { copybook, file, options, shape } in SAMPLES {
        let bytes = fs::read(data(file)).unwrap();
        for format in ["csv", "jsonl"] {
            let layout = format!("--layout {copybook} -f IBM037 {options}");
            let forward = format!("{layout} --records {shape} --filler --exact --format {format} {file}");
            let text = passes(&forward, b"");
            let back = rows(&format!("-q {layout} --from-rows {format} --to-records {shape}"), text.as_bytes());
            assert_eq!((back.status.code(), &*String::from_utf8_lossy(&back.stderr)), (Some(0), ""), "{file} {format}");
            assert!(back.stdout == bytes, "{file} {format}: other bytes came back");
        }
    }
}

/// The files of CardDemo with their ASCII copies, and the record that differs upstream, from 1.
const COPIES: [(&str, &str, &str, usize); 10] = [
    ("CVACT01Y", "ACCDATA", "acctdata", 49),
    ("CVACT01Y", "ACCTDATA", "acctdata", 49),
    ("CVACT02Y", "CARDDATA", "carddata", 0),
    ("CVACT03Y", "CARDXREF", "cardxref", 0),
    ("CVCUS01Y", "CUSTDATA", "custdata", 0),
    ("CVTRA06Y", "DALYTRAN", "dailytran", 0),
    ("CVTRA02Y", "DISCGRP", "discgrp", 34),
    ("CVTRA01Y", "TCATBALF", "tcatbal", 0),
    ("CVTRA04Y", "TRANCATG", "trancatg", 0),
    ("CVTRA03Y", "TRANTYPE", "trantype", 0),
];

/// Returns the cells that a line of an ASCII copy must become: text without spaces at its end, numbers without zeros at
/// their beginning. This does not use the library's readers.
fn cells(layout: &Layout, line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    for (index, item) in layout.items().iter().enumerate() {
        let (Some(kind), Some(_), Some(from)) = (&item.kind, &item.name, layout.offset(index)) else { continue };
        let text = line.get(from..from + kind.len()).unwrap_or_else(|| line.get(from..).unwrap_or_default());
        cells.push(match kind {
            FieldKind::Zoned(zoned) => {
                let (digits, last) = text.split_at(text.len() - 1);
                let last = last.chars().next().unwrap();
                let signed = zoned.sign == SignPlace::Trailing;
                let (negative, digit) = match last {
                    '{' if signed => (false, '0'),
                    'A'..='I' if signed => (false, char::from(last as u8 - b'A' + b'1')),
                    '}' if signed => (true, '0'),
                    'J'..='R' if signed => (true, char::from(last as u8 - b'J' + b'1')),
                    digit => (false, digit),
                };
                let number: u128 = format!("{digits}{digit}").parse().unwrap();
                let places = zoned.scale as usize;
                let digits = format!("{number:0width$}", width = places + 1);
                let (whole, fraction) = digits.split_at(digits.len() - places);
                let point = if places > 0 { "." } else { "" };
                format!("{}{whole}{point}{fraction}", if negative { "-" } else { "" })
            }
            _ => text.trim_end_matches(' ').to_owned(),
        });
    }
    cells
}

#[test]
fn values_are_those_of_the_ascii_copies() {
    let mut compared = 0;
    for (copybook, file, copy, other) in COPIES {
        let copybook = format!("carddemo/copybooks/{copybook}.cpy");
        let layout = Copybook::new().read(&fs::read(data(&copybook)).unwrap()).unwrap();
        let line = format!("--layout {copybook} carddemo/ebcdic/AWS.M2.CARDDEMO.{file}.PS");
        let (csv, json) = (passes(&line, b""), passes(&format!("{line} --format jsonl"), b""));
        let copy = fs::read_to_string(data(&format!("carddemo/ascii/{copy}.txt"))).unwrap();
        assert_eq!([csv.lines().count() - 1, json.lines().count()], [copy.lines().count(); 2], "{file}");
        let quoted = |cell: String| match cell.contains([',', '"']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell,
        };
        let rows = csv.lines().skip(1).zip(json.lines());
        for (number, ((csv, json), line)) in (1..).zip(rows.zip(copy.lines())) {
            let expected: Vec<String> = cells(&layout, line).into_iter().map(quoted).collect();
            assert_eq!(csv == expected.join(","), number != other, "{file}, record {number}: {csv}");
            if number != other {
                assert_eq!(members(&layout, json), expected, "{file}, record {number}");
            }
            compared += expected.len();
        }
    }
    assert!(compared > 6000, "{compared}");
}

/// Returns the values of the fields in a JSON object, as cells of CSV. Numbers are as they are written.
fn members(layout: &Layout, json: &str) -> Vec<String> {
    let items = layout.items().iter().enumerate();
    let fields = items.filter(|(_, item)| item.kind.is_some() && item.name.is_some());
    let member = |object: String, key: &str| {
        let mut members: HashMap<String, Box<RawValue>> = serde_json::from_str(&object).unwrap();
        members.remove(key).unwrap().get().to_owned()
    };
    let cell = |(index, _)| {
        let raw = layout.path(index).split('.').fold(json.to_owned(), member);
        match serde_json::from_str::<Value>(&raw).unwrap() {
            Value::String(text) if text.contains([',', '"']) => format!("\"{}\"", text.replace('"', "\"\"")),
            Value::String(text) => text,
            _ => raw,
        }
    };
    fields.map(cell).collect()
}

#[test]
fn headers_and_rows() {
    let clients = format!("--layout mainframe-data-utilities/COBKS05.cpy {CLIENTS}");
    let file = "mainframe-data-utilities/CLIENT.EBCDIC.txt";
    let text = passes(&format!("{clients} --add-columns number {file}"), b"");
    let lines: Vec<&str> = text.lines().take(4).collect();
    assert_eq!(
        lines,
        [
            "_number,_type,CLIENT-KEY.CLIENT-ID,CLIENT-KEY.CLIENT-TYPE,CLIENT-MAIN.CLIENT-NAME,CLIENT-MAIN.CLIENT-BDATE,\
             CLIENT-MAIN.CLIENT-ED-LVL,CLIENT-MAIN.CLIENT-INCOME,CLIENT-ADDRESS.CLIENT-ADDR-NUMBER,\
             CLIENT-ADDRESS.CLIENT-ADDR-STREET,CLIENT-HEADER.CLIENT-RECORD-COUNT",
            "1,CLIENT-HEADER,0,0,,,,,,,220",
            "2,CLIENT-MAIN,1,1,HERBERT MOHAMED,1958-08-31,BACHELOR,10000.00,,,",
            "3,CLIENT-ADDRESS,1,2,,,,,36,THE ROE AVENUE,",
        ]
    );
    let text = passes(&format!("{clients} --select CLIENT-ID,CLIENT-INCOME {file}"), b"");
    assert_eq!(text.lines().nth(2), Some("CLIENT-MAIN,1,10000.00"));
    let text = passes(&format!("{clients} --format jsonl --add-columns number --select CLIENT-MAIN {file}"), b"");
    assert_eq!(
        text.lines().take(2).collect::<Vec<_>>(),
        [
            "{\"_number\":1,\"_type\":\"CLIENT-HEADER\"}",
            "{\"_number\":2,\"_type\":\"CLIENT-MAIN\",\"CLIENT-MAIN\":{\"CLIENT-NAME\":\"HERBERT MOHAMED\",\
             \"CLIENT-BDATE\":\"1958-08-31\",\"CLIENT-ED-LVL\":\"BACHELOR\",\"CLIENT-INCOME\":10000.00}}",
        ]
    );
}

#[test]
fn arrays() {
    let line =
        "--layout mainframe-data-utilities/COBVBFM2.cpy --records rdw mainframe-data-utilities/COBVBFM2.EBCDIC.txt";
    let text = passes(&format!("{line} --trim blanks,nuls"), b"");
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(
        header
            .starts_with("OUT-KEY.OUTK-TYPE,OUT-KEY.OUTK-SEQT,OUT-REC-CNT,OUT-REC[1].OUT-REC-NO,OUT-REC[1].OUT-NAME,")
    );
    assert!(header.ends_with(",OUT-REC[10].OUT-NAME"));
    assert_eq!(lines.next(), Some("00,1,1,1,NAME NUMBE000000001,,,,,,,,,,,,,,,,,,"));
    // All rows have the columns of the header.
    let commas = |line: &str| line.matches(',').count();
    assert!(text.lines().all(|line| commas(line) == commas(header)));
    let text = passes(&format!("{line} --format jsonl --controls drop"), b"");
    assert_eq!(
        text.lines().nth(1),
        Some(
            "{\"OUT-KEY\":{\"OUTK-TYPE\":\"00\",\"OUTK-SEQT\":2},\"OUT-REC-CNT\":2,\"OUT-REC\":[{\"OUT-REC-NO\":1,\
             \"OUT-NAME\":\"NAME NUMBE000000001\"},{\"OUT-REC-NO\":2,\"OUT-NAME\":\"NAME NUMBE000000002\"}]}"
        )
    );
}

#[test]
fn a_file_for_each_type() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("types");
    let line = format!(
        "--layout mainframe-data-utilities/COBKS05.cpy {CLIENTS} --output-dir {} mainframe-data-utilities/CLIENT.EBCDIC.txt",
        dir.display()
    );
    assert_eq!(passes(&line, b""), "");
    let mut names: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["CLIENT-ADDRESS.csv", "CLIENT-HEADER.csv", "CLIENT-MAIN.csv"]);
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(
        read("CLIENT-HEADER.csv"),
        "CLIENT-KEY.CLIENT-ID,CLIENT-KEY.CLIENT-TYPE,CLIENT-HEADER.CLIENT-RECORD-COUNT\n0,0,220\n"
    );
    assert_eq!([read("CLIENT-MAIN.csv"), read("CLIENT-ADDRESS.csv")].map(|text| text.lines().count()), [111, 111]);
    assert_eq!(read("CLIENT-MAIN.csv").lines().nth(1), Some("1,1,HERBERT MOHAMED,1958-08-31,BACHELOR,10000.00"));
    // A failed run leaves the files as they were.
    let rules = CLIENTS.replace("--when CLIENT-TYPE=2:#CLIENT-ADDRESS", "");
    assert_eq!(rows(&line.replace(CLIENTS, &rules), b"").status.code(), Some(1));
    assert_eq!(read("CLIENT-MAIN.csv").lines().count(), 111);
}

/// Runs with standard input in pieces of `size` bytes.
fn in_pieces(line: &str, input: &[u8], size: usize) -> Output {
    use std::io::Write as _;

    let args = line.split_whitespace().map(|arg| arg.replace('#', " "));
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    command.arg("rows").args(args).current_dir(data(""));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || input.chunks(size).all(|piece| stdin.write_all(piece).is_ok()));
        child.wait_with_output().unwrap()
    })
}

/// However many batches a file has, threads give their rows in the order of the records, up to the first error.
#[test]
fn threads_keep_the_order_of_rows() {
    /// Not larger than a batch.
    const STEP: usize = 160 << 10;
    let folder = tempfile::tempdir().unwrap();
    let (list, path) = (folder.path().join("list"), folder.path().join("in"));
    fs::write(&list, "N 1 7 zoned,unsigned\nTEXT 8 1993 text\n").unwrap();
    let record = |number: usize| format!("{number:07}{:1993}", "x");
    for steps in 0..=12 {
        let count = steps * STEP / 2000 + 1;
        let mut input: String = (0..count).map(record).collect();
        for is_bad in [false, true] {
            if is_bad {
                // Digits that are letters, in the middle.
                let at = count / 2 * 2000;
                input.replace_range(at..at + 3, "xyz");
            }
            fs::write(&path, &input).unwrap();
            let line = format!("-q --layout {} --records fb:2000 -f latin1", list.display());
            let run = |jobs: usize| rows(&format!("{line} --jobs {jobs} {}", path.display()), b"");
            let alone = run(1);
            assert_eq!(alone.status.code(), Some(i32::from(is_bad)), "{}", String::from_utf8_lossy(&alone.stderr));
            for jobs in [2, 3, 4] {
                let threads = run(jobs);
                assert!(threads.stdout == alone.stdout, "{count} records, {jobs} jobs, bad: {is_bad}");
                assert_eq!(String::from_utf8_lossy(&threads.stderr), String::from_utf8_lossy(&alone.stderr));
            }
        }
    }
}

#[test]
fn pieces_and_threads_make_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many");
    let mut many = fs::read(data("mainframe-data-utilities/CLIENT.EBCDIC.txt")).unwrap().repeat(30);
    for is_bad in [false, true] {
        if is_bad {
            let place = many.len() / 2 / 500 * 500 + 500 + 5;
            many[place] = 0x77;
        }
        fs::write(&path, &many).unwrap();
        let all = ["", "--format jsonl --add-columns number", "--rejects /dev/null"];
        for options in &all[..if cfg!(unix) { 3 } else { 2 }] {
            let line = format!("-q --layout mainframe-data-utilities/COBKS05.cpy {CLIENTS} {options}");
            let whole = rows(&format!("{line} {}", path.display()), b"");
            assert_eq!(whole.status.code(), Some(i32::from(is_bad && !options.contains("rejects"))));
            assert!(!whole.stdout.is_empty());
            for jobs in [2, 3] {
                let threads = rows(&format!("{line} --jobs {jobs} {}", path.display()), b"");
                assert!(threads.stdout == whole.stdout && threads.status == whole.status, "{options} --jobs {jobs}");
                assert_eq!(String::from_utf8_lossy(&threads.stderr), String::from_utf8_lossy(&whole.stderr));
            }
            let piped = rows(&line, &many);
            let pieces = in_pieces(&line, &many, 499);
            assert!(piped.stdout == whole.stdout && pieces.stdout == whole.stdout, "{options}: pieces");
            assert_eq!(String::from_utf8_lossy(&pieces.stderr), String::from_utf8_lossy(&piped.stderr));
            assert!(pieces.status == whole.status);
        }
    }
}

/// Several files, of which one has an error: threads give the same rows, rejected records, report and messages.
#[test]
fn threads_and_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("list"), "N 1 7 zoned,unsigned\nTEXT 8 1993 text\n").unwrap();
    let records = |count: usize| (0..count).map(|number| format!("{number:07}{:1993}", "x")).collect::<String>();
    fs::write(path("good"), records(600)).unwrap();
    let mut bad = records(500);
    bad.replace_range(450 * 2000 + 2..450 * 2000 + 5, "xyz");
    fs::write(path("bad"), &bad).unwrap();
    fs::write(path("cut"), &records(300)[..599_000]).unwrap();
    for (files, status) in
        [("good bad good", 1), ("bad good", 1), ("cut bad", 1), ("good good", 0), ("missing good", 3)]
    {
        let files: String = files.split(' ').map(|name| format!("{} ", path(name))).collect();
        for rejects in [false, true] {
            let run = |jobs: usize| {
                let mut line = format!("--layout {} --records fb:2000 -f latin1 --jobs {jobs}", path("list"));
                line += &format!(" --report {} {}", path("report"), files);
                if rejects {
                    line += &format!("--rejects {}", path("rejects"));
                    _ = fs::remove_file(path("rejects"));
                }
                let output = rows(&line, b"");
                let read = |name: &str| fs::read_to_string(path(name)).unwrap_or_default();
                let words = String::from_utf8(output.stderr).unwrap();
                (output.status.code(), output.stdout, words, read("report"), read("rejects"))
            };
            let alone = run(1);
            let is_mended = rejects && status == 1 && !files.contains("cut");
            assert_eq!(alone.0, Some(if is_mended { 0 } else { status }), "{}", alone.2);
            for jobs in [2, 3, 4] {
                let threads = run(jobs);
                assert!(threads.1 == alone.1, "{files} {jobs}: rows");
                assert_eq!(
                    (threads.0, threads.2, threads.3, threads.4),
                    (alone.0, alone.2.clone(), alone.3.clone(), alone.4.clone())
                );
            }
        }
    }
    // By a pipe, an input has another name and is read in other pieces.
    let line = format!("-q --layout {} --records fb:2000 -f latin1 --jobs 3 --report {}", path("list"), path("report"));
    let by_file = rows(&format!("{line} {}", path("bad")), b"");
    let name = path("bad").replace('\\', r"\\");
    let report = fs::read_to_string(path("report")).unwrap().replace(&name, "<stdin>");
    let by_pipe = rows(&line, bad.as_bytes());
    let pieces = in_pieces(&line, bad.as_bytes(), 1999);
    assert!(by_pipe.stdout == by_file.stdout && pieces.stdout == by_file.stdout);
    assert_eq!((by_pipe.status, pieces.status), (by_file.status, by_file.status));
    assert_eq!(fs::read_to_string(path("report")).unwrap(), report);
}

/// How much was read of a record that is too long depends on the size of the buffers, and is not reported.
#[test]
fn a_record_that_is_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("list"), "A 1 4 text\n").unwrap();
    fs::write(path("in"), [&b"\0\0\0\x04abcd\0\x20\0\0"[..], &vec![b'x'; 3 << 19]].concat()).unwrap();
    for jobs in [1, 2] {
        let line = format!("-q --layout {} --records u32 -f latin1 --report {}", path("list"), path("report"));
        assert_eq!(rows(&format!("{line} --jobs {jobs} {}", path("in")), b"").status.code(), Some(1));
        let report: Value = serde_json::from_str(&fs::read_to_string(path("report")).unwrap()).unwrap();
        assert_eq!((&report["bytes_in"], &report["error"]["offset"]), (&8.into(), &8.into()), "{jobs}");
        assert_eq!(report["error"]["code"], "record-too-long");
    }
}

#[test]
fn edited_numbers_are_numbers_in_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    let copybook = folder.path().join("prices.cpy");
    fs::write(&copybook, "01 R.\n05 A PIC -9(3).99.\n05 B PIC Z(4)9.\n05 C PIC Z(3).\n05 D PIC Z,ZZ9.\n").unwrap();
    let layout = format!("--layout {} -f windows-1252", copybook.display());
    let records = b" 012.50   42   1,000-000.01    0120   12           5       0";
    let rows = passes(&format!("{layout} --records fb:20 --exact --format jsonl"), records);
    let expected = [
        r#"{"A":12.50,"B":42,"C":0,"D":"1,000"}"#,
        r#"{"A":-0.01,"B":0,"C":120,"D":"   12"}"#,
        r#"{"A":null,"B":5,"C":0,"D":"    0"}"#,
    ];
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);
    for format in ["jsonl", "csv"] {
        let rows = passes(&format!("{layout} --records fb:20 --exact --format {format}"), records);
        let back = passes(&format!("{layout} --from-rows {format} --to-records fb:20"), rows.as_bytes());
        assert_eq!(back.as_bytes(), records, "{format}");
    }
}

#[test]
fn tables_without_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // Only FILLER.
    fs::write(path("filler.cpy"), "01 A.\n 05 FILLER PIC X(2).\n").unwrap();
    let line = format!("--layout {} --records fb:2", path("filler.cpy"));
    assert_eq!(passes(&line, b"\xC1\xC1\xC2\xC2\xC3\xC3"), "\"\"\n\"\"\n\"\"\n\"\"\n");
    assert_eq!(passes(&format!("{line} --add-columns number"), b"\xC1\xC1\xC2\xC2"), "_number\n1\n2\n");
    // A record type without selected fields.
    fs::write(path("types.cpy"), "01 A.\n 05 K PIC X.\n 05 B PIC X.\n 05 C REDEFINES B PIC X.\n").unwrap();
    let line = format!("--layout {} --when K=B:#B --when K=C:#C --select B", path("types.cpy"));
    let records = b"\xC2\xF1\xC3\xF2\xC3\xF3\xC2\xF4";
    assert_eq!(passes(&line, records), "_type,B\nB,1\nC,\nC,\nB,4\n");
    assert_eq!(passes(&format!("{line} --output-dir {}", path("out")), records), "");
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert_eq!([read("B.csv"), read("C.csv")], ["B\n1\n4\n", "\"\"\n\"\"\n\"\"\n"]);
}

/// Each record of two bytes becomes a row of 20,000 commas: 20 MB of rows for a batch of 6 KB.
#[cfg(target_os = "linux")]
#[test]
fn short_records_with_long_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let book = "01 A.\n 05 N PIC 9(4) COMP.\n 05 T PIC X OCCURS 0 TO 20000 DEPENDING ON N.\n";
    fs::write(path("odo.cpy"), book).unwrap();
    let mut input = b"\0\x06\0\0\0\0".repeat(1000);
    let row = format!("0{}\n", ",".repeat(20000));
    let after_header = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    for is_bad in [false, true] {
        if is_bad {
            // Record 501 has no room for its array.
            input[500 * 6 + 5] = 1;
        }
        fs::write(path("in"), &input).unwrap();
        for (options, rows, status) in [("", 500, 1), ("--rejects /dev/null", 999, 0)] {
            let line = format!("-q --layout odo.cpy --records rdw {options}");
            let (rows, status) = if is_bad { (rows, status) } else { (1000, 0) };
            for jobs in ["", "--jobs 2"] {
                let script = format!("ulimit -d 24576; \"$0\" rows {line} {jobs} in");
                let script = if jobs.is_empty() { script } else { script.replace("ulimit -d 24576; ", "") };
                let charpipe = env!("CARGO_BIN_EXE_charpipe");
                let output = Command::new("sh").args(["-c", &script, charpipe]).current_dir(folder.path()).run();
                let words = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(output.status.code(), Some(status), "{script}: {words}");
                let text = String::from_utf8(output.stdout).unwrap();
                assert!(after_header(&text) == row.repeat(rows), "{script}: {} bytes", text.len());
                assert_eq!(words.contains("record 501"), status == 1, "{words}");
            }
        }
    }
}

/// The records of a type that is inside of another alternative never become rows of another type.
#[test]
fn record_types_inside_of_other_alternatives() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("nested.cpy");
    let text = "01 REC-A.\n 05 K PIC X.\n 05 D1 PIC X(3).\n 05 D2 REDEFINES D1.\n  10 N PIC 9(3).\n\
                01 REC-B.\n 05 WHOLE PIC X(4).\n";
    fs::write(&book, text).unwrap();
    let line = format!("-q --layout {} --records fb:4 --when K=A:#D1 --when K=B:#D2", book.display());
    let output = rows(&line, b"\xC1\xE7\xE7\xE7\xC2\xF1\xF2\xF3");
    let text = String::from_utf8(output.stdout).unwrap();
    let types: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let refused = output.status.code() == Some(1) && types == ["REC-A.D1"];
    assert!(refused || output.status.success() && types == ["REC-A.D1", "REC-A.D2"], "{text}");
}

/// A record type that is shorter than the others is filled up in a file of records of one length.
#[test]
fn record_types_of_different_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("short.cpy");
    fs::write(&book, "01 A.\n 05 K PIC X.\n 05 D1 PIC X(5).\n 05 D2 REDEFINES D1.\n  10 N PIC 9(3).\n").unwrap();
    let layout = format!("--layout {} -f IBM037 --when K=A:#D1 --when K=B:#D2", book.display());
    let blank = b"\xC1\xE7\xE7\xE7\xE7\xE7\xC2\xF1\xF2\xF3\x40\x40";
    let other = b"\xC1\xE7\xE7\xE7\xE7\xE7\xC2\xF1\xF2\xF3\0\0";
    let text = "_type,K,D1,D2.N\nD1,A,XXXXX,\nD2,B,,123\n";
    for (input, options) in [(blank, ""), (other, ""), (blank, "--exact"), (other, "--overlong cut")] {
        assert_eq!(passes(&format!("{layout} --records fb:6 {options}"), input), text, "{options}");
    }
    let back = rows(&format!("-q {layout} --from-rows csv --to-records fb:6"), text.as_bytes());
    assert_eq!(back.stdout, blank);
    // Bytes that would not be written back unchanged.
    let output = rows(&format!("-q {layout} --records fb:6 --exact"), other);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    // Records that are longer than the whole layout.
    let output = rows(&format!("-q {layout} --records fb:7"), b"\xC2\xF1\xF2\xF3\x40\x40\x40");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("it has 7 bytes, but the layout describes only"));
}
