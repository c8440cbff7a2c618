//! `detect --records`: the record format of a file.

use crate::common::process::Start;
use crate::common::shapes::*;
use charpipe::records::SNIFFED;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn charpipe(args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    command.args(["detect", "--records"]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.start();
    // The command reads no more than it needs.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Returns the exit status, standard output and standard error.
fn detect_records(args: &[&str], input: &[u8]) -> (i32, String, String) {
    let output = charpipe(args, input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn rdw() -> Vec<u8> {
    let record = encode("IBM037", "SOME TEXT");
    [&[0, 13, 0, 0][..], &record].concat().repeat(100)
}

#[test]
fn the_result_is_on_the_first_line() {
    let expected = "<stdin>: rdw: 100 records of 9 bytes; all of 1300 bytes\n";
    assert_eq!(detect_records(&["-q"], &rdw()), (0, expected.to_owned(), String::new()));
    let (status, out, err) = detect_records(&["-v"], &rdw());
    assert_eq!((status, &*err), (0, ""));
    assert!(out.starts_with(expected), "{out}");
    let vb = "  vb: 0 records in 1 block; fails at byte 4: record 1: the header E2 D6 D4 C5 is wrong: ";
    assert!(out.lines().any(|line| line.starts_with(vb)), "{out}");
    // Without `-v` only formats that fit the beginning are listed.
    assert!(!detect_records(&[], &rdw()).1.contains("  vb: "));
}

/// The examined bytes are all of the input if they are as many as are examined at most.
#[test]
fn how_much_was_examined() {
    let record = [&[0, 16, 0, 0][..], &encode("IBM037", "SOME MORE TEXT")[..12]].concat();
    let input = record.repeat(SNIFFED / 16 + 1);
    for (len, records, part) in [(0, 65536, "all of"), (1, 65536, "the first"), (16, 65536, "the first")] {
        let (status, out, _) = detect_records(&["-q"], &input[..SNIFFED + len]);
        let expected = format!("<stdin>: rdw: {records} records of 12 bytes; {part} 1048576 bytes\n");
        assert_eq!((status, out), (0, expected), "{len}");
    }
}

#[test]
fn no_shape_fits() {
    let (status, out, err) = detect_records(&["-q"], b"Some text\nin lines\n");
    assert_eq!((status, &*out, &*err), (1, "<stdin>: no record shape fits\n", ""));
    let mut cut = rdw();
    cut.pop();
    let (status, out, _) = detect_records(&[], &cut);
    let line = "  rdw: 99 records of 9 bytes; fails at byte 1299: record 100, which begins at byte 1287, is incomplete: \
                it lacks at least 1 byte\n";
    assert!(status == 1 && out.contains(line), "{out}");
}

#[test]
fn one_line_of_json_for_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let (good, text) = (folder.path().join("good"), folder.path().join("text"));
    std::fs::write(&good, rdw()).unwrap();
    std::fs::write(&text, "no records\n").unwrap();
    let names = [&good, &text, &folder.path().join("missing")].map(|path| path.to_str().unwrap().to_owned());
    let (status, out, err) = detect_records(&["--json", &names[0], &names[1], &names[2]], b"");
    assert_eq!((status, err.lines().count()), (3, 1), "{err}");
    let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 3);
    for (object, name) in objects.iter().zip(&names) {
        let keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["error", "hypotheses", "input", "records"]);
        assert_eq!(object["input"], json!(name));
    }
    assert_eq!((&objects[0]["records"], &objects[0]["error"]), (&json!("rdw"), &Value::Null));
    let first = json!({
        "shape": "rdw", "survives": true, "records": 100, "bytes": 1300, "why": ["100 records of 9 bytes"],
        "error": null
    });
    assert_eq!(objects[0]["hypotheses"][0], first);
    let error = json!({"code": "no-record-shape", "message": "no record shape fits", "offset": 0, "line": null, "column": null});
    assert_eq!((&objects[1]["records"], &objects[1]["error"]), (&Value::Null, &error));
    assert!(objects[1]["hypotheses"].as_array().unwrap().iter().all(|one| one["survives"] == json!(false)));
    let wrong = &objects[1]["hypotheses"].as_array().unwrap().iter().find(|one| one["shape"] == json!("rdw"));
    assert_eq!(wrong.unwrap()["error"]["code"], json!("bad-header"));
    assert_eq!((&objects[2]["error"]["code"], &objects[2]["hypotheses"]), (&json!("open"), &json!([])));
}

/// Only the first MiB is examined.
#[test]
fn only_the_beginning_of_a_long_input_is_read() {
    let mut long = rdw().repeat(1000);
    long.extend([0xFF; 10]);
    let (status, out, err) = detect_records(&["-q"], &long);
    assert_eq!((status, &*err), (0, ""));
    assert_eq!(out, "<stdin>: rdw: 80659 records of 9 bytes; the first 1048576 bytes\n");
}

/// `convert --records auto` and `detect --records` report the same, with the same code, whether the input ends before,
/// at or after the first MiB.
#[test]
fn convert_and_detect_find_the_same_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file").to_str().unwrap().to_owned();
    let report = folder.path().join("report").to_str().unwrap().to_owned();
    let out = folder.path().join("out").to_str().unwrap().to_owned();
    let rdw = rdw().repeat(900);
    let blocks: Vec<u8> = (0..SNIFFED / 64 + 1).flat_map(|_| [&[0, 64, 0, 0][..], &[0xC1; 60]].concat()).collect();
    let cases: [(&[u8], usize, Option<&str>); 7] = [
        // The last record is cut by the end of the file, if the file ends there.
        (&rdw, SNIFFED - 1, Some("no-record-shape")),
        (&rdw, SNIFFED, Some("no-record-shape")),
        (&rdw, SNIFFED + 1, None),
        // The last record is complete.
        (&blocks, SNIFFED, None),
        (&blocks, SNIFFED + 1, None),
        (&blocks, SNIFFED - 1, Some("no-record-shape")),
        (b"Some text\nin lines\n", 19, Some("no-record-shape")),
    ];
    for (bytes, len, code) in cases {
        std::fs::write(&path, &bytes[..len]).unwrap();
        let (status, found, _) = detect_records(&["--json", &path], b"");
        let detected: Value = serde_json::from_str(&found).unwrap();
        let args = ["-f", "IBM037", "--records", "auto", "--report", &report, "-o", &out, &path];
        let converted = Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args).run();
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
        assert_eq!(detected["error"]["code"].as_str(), code, "{len}");
        match code {
            Some(_) => {
                assert_eq!((status, converted.status.code()), (1, Some(1)));
                assert_eq!(detected["error"], report["error"]);
            }
            // A record that is cut after the first MiB is an error of the conversion.
            None => assert_ne!(report["error"]["code"].as_str(), Some("no-record-shape"), "{len}"),
        }
    }
}

#[test]
fn the_data_sets_of_a_tape() {
    let expected = "<stdin>: the tape has 3 data sets: choose one with --tape-file N or --tape-file NAME\n  \
                  data set 1: PROD.CARDS: RECFM FB, LRECL 80, BLKSIZE 400, 6 blocks\n  \
                  data set 2: PROD.VARIABLE: RECFM VB, LRECL 300, BLKSIZE 3000, 4 blocks\n  \
                  data set 3: PROD.SPANNED: RECFM VS, BLKSIZE 100, 4 blocks\n";
    assert_eq!(detect_records(&["-q"], &several()), (1, expected.to_owned(), String::new()));
    let (status, out, _) = detect_records(&["--json"], &several());
    let object: Value = serde_json::from_str(&out).unwrap();
    let first = json!({
        "file": 1, "name": "PROD.CARDS", "recfm": "FB", "lrecl": 80, "blksize": 400, "blocks": 6
    });
    assert_eq!((status, &object["data_sets"][0], &object["records"]), (1, &first, &Value::Null));
    assert_eq!((&object["error"]["code"], &object["error"]["offset"]), (&json!("several-data-sets"), &json!(0)));
    let (status, out, _) = detect_records(&["-q", "--tape-file", "prod.variable"], &several());
    assert_eq!((status, out.starts_with("<stdin>: awstape:sl,vb: 4 tape blocks, 28 records;")), (0, true), "{out}");
    let (status, out, _) = detect_records(&["-q", "--tape-file", "9"], &several());
    assert_eq!((status, &*out), (1, "<stdin>: the tape has no file 9\n"));
    let (status, out, _) = detect_records(&["-q", "--tape-file", "1"], &rdw());
    let expected = "<stdin>: only a tape image has files to choose from, and this input is not a tape image\n";
    assert_eq!((status, out.starts_with(expected)), (1, true), "{out}");
    assert_eq!(detect_records(&["--tape-file", "0"], b"").0, 2);
}

#[test]
fn a_data_set_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape").to_str().unwrap().to_owned();
    std::fs::write(&path, several()).unwrap();
    let convert = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        let output = command.args(["-q", "-f", "IBM037", "--records"]).args(args).arg(&path).run();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (status, out, _) = convert(&["auto", "--tape-file", "PROD.CARDS"]);
    assert_eq!((status, out.lines().last(), out.lines().count()), (0, Some("CARD 29"), 30));
    let (status, out, _) = convert(&["awstape:sl,vb", "--tape-file", "2"]);
    assert_eq!((status, out.lines().count()), (0, 28));
    let (status, out, err) = convert(&["auto"]);
    assert_eq!((status, &*out), (1, ""));
    assert!(err.contains("2: PROD.VARIABLE: RECFM VB") && err.contains("--tape-file N"), "{err}");
    let (status, _, err) = convert(&["awstape:sl,fb:80", "--tape-file", "9"]);
    assert!(status == 1 && err.contains("the tape has no file 9"), "{err}");
    assert_eq!(convert(&["fb:80", "--tape-file", "1"]).0, 2);
}

#[test]
fn wrong_usage() {
    assert_eq!(detect_records(&["--explain"], b"").0, 2);
}
