//! Tests how `charpipe rows` ends: with an output that fails before the last input, left-over bytes, records longer or
//! shorter than their counts, rows without values, and invalid layouts. Each case lists the expected status, output and
//! messages.

use crate::common::process::piped_through;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Two fields: text and a digit.
const LIST: &str = "A 1 1 text\nB 2 1 zoned\n";

/// An array of at most three elements of two bytes.
const COUNTED: &str = "       01 R.\n           05 N PIC 9.\n           05 V PIC X(2) OCCURS 0 TO 3 DEPENDING ON N.\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        let files: [(&str, &[u8]); 4] = [
            ("list", LIST.as_bytes()),
            ("counted.cpy", COUNTED.as_bytes()),
            ("a", b"\xC1\xF1\xC2\xF2"),
            ("b", b"\xC3\xF3"),
        ];
        for (name, bytes) in files {
            fs::write(folder.path(name), bytes).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the status, the output, and the messages up to their hints, without the program's name.
    fn run(&self, line: &str, input: &[u8]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        let output = piped_through(command.arg("rows").args(line.split_whitespace()).current_dir(&self.0), input);
        let messages = String::from_utf8(output.stderr).unwrap();
        // Without the hint, which is in parentheses like the byte.
        let plain = |line: &str| {
            let line = line.strip_prefix("charpipe: ").unwrap();
            let at = line.find(" (byte ").map_or(0, |at| at + 1);
            let end = line[at..].find(" (").map_or(line.len(), |end| at + end);
            line[..end].to_owned()
        };
        let text = output.stdout.iter().map(|byte| char::from(*byte)).collect();
        (output.status.code().unwrap(), text, messages.lines().map(plain).collect::<Vec<_>>().join("\n"))
    }

    #[track_caller]
    fn check(&self, line: &str, input: &[u8], status: i32, text: &str, messages: &str) {
        let found = self.run(line, input);
        assert_eq!((found.0, &*found.1, &*found.2), (status, text, messages), "{line}");
    }

    /// Returns how many lines the report has, and the members of each that say what became of the input.
    fn report(&self) -> Vec<(String, u64, String)> {
        let text = fs::read_to_string(self.path("report")).unwrap();
        let line = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let code = line["error"]["code"].as_str().unwrap_or_default().to_owned();
            (line["input"].as_str().unwrap().to_owned(), line["rows"].as_u64().unwrap(), code)
        };
        text.lines().map(line).collect()
    }
}

/// After an output has failed, no other input is read, and the error is printed once.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_fails_ends_the_run() {
    let folder = Folder::new();
    let line = "-q --layout list -f IBM037 --records fb:2 --report report a b a -o /dev/full";
    for jobs in ["", " --jobs 2"] {
        folder.check(&format!("{line}{jobs}"), b"", 3, "", "/dev/full: cannot write: No space left on device");
        assert_eq!(folder.report(), [("a".to_owned(), 0, "write".to_owned())]);
    }
}

/// An input that fails does not keep the others from being read.
#[test]
fn an_input_that_fails_does_not() {
    let folder = Folder::new();
    let options = "-q --layout list -f IBM037 --records fb:2 --report report";
    let all = "A,B\nA,1\nB,2\nC,3\n";
    folder.check(&format!("{options} a nope b"), b"", 3, all, "nope: cannot open: No such file or directory");
    let line = |name: &str, rows, code: &str| (name.to_owned(), rows, code.to_owned());
    assert_eq!(folder.report(), [line("a", 2, ""), line("nope", 0, "open"), line("b", 1, "")]);
    folder.check(&format!("{options} a b --jobs 2"), b"", 0, all, "");
    fs::write(folder.path("cut"), b"\xC1\xF1\xC2").unwrap();
    let lacks = "cut: byte 3: record 2, which begins at byte 2, is incomplete: it lacks at least 1 byte";
    folder.check(&format!("{options} cut b"), b"", 1, "A,B\nA,1\nC,3\n", lacks);
    assert_eq!(folder.report(), [line("cut", 1, "record-cut"), line("b", 1, "")]);
}

#[test]
fn bytes_left_over() {
    let folder = Folder::new();
    let incomplete = |at: u32, begin: u32, lacks: &str| {
        format!("<stdin>: byte {at}: record 2, which begins at byte {begin}, is incomplete: it lacks at least {lacks}")
    };
    let cases: [(&str, &[u8], String); 6] = [
        ("fb:2", b"\xC1\xF1\xC2", incomplete(3, 2, "1 byte")),
        ("rdw", b"\0\x06\0\0\xC1\xF1\0\x06\0\0\xC1", incomplete(11, 6, "1 byte")),
        ("rdw", b"\0\x06\0\0\xC1\xF1\0\x06\0\0", incomplete(10, 6, "2 bytes")),
        ("rdw", b"\0\x06\0\0\xC1\xF1\0\x06", incomplete(8, 6, "2 bytes")),
        ("u16", b"\0\x02\xC1\xF1\0", incomplete(5, 4, "1 byte")),
        ("u32", b"\0\0\0\x02\xC1\xF1\0\0\0\x02\xC2", incomplete(11, 6, "1 byte")),
    ];
    for (shape, input, message) in cases {
        for (format, text) in [("csv", "A,B\nA,1\n"), ("jsonl", "{\"A\":\"A\",\"B\":1}\n")] {
            let line = format!("-q --layout list -f IBM037 --records {shape} --format {format}");
            folder.check(&line, input, 1, text, &message);
        }
    }
}

/// A record has the bytes that its count says: no byte more is left out in silence, and none is made up.
#[test]
fn records_longer_and_shorter_than_their_counts() {
    let folder = Folder::new();
    let line = |options: &str| format!("--layout counted.cpy -f IBM037 --records rdw {options}");
    let head = "N,V[1],V[2],V[3]\n";
    let framed = |data: &[u8]| [&[0, data.len() as u8 + 4, 0, 0], data].concat();
    folder.check(&line(""), &framed(b"\xF1\xC1\xC2"), 0, &format!("{head}1,AB,,\n"), "");
    folder.check(&line(""), &framed(b"\xF0"), 0, &format!("{head}0,,,\n"), "");
    for extra in [&b"\x40"[..], b"\xC3", b"\xC3\xC4"] {
        let long = framed(&[b"\xF1\xC1\xC2", extra].concat());
        let len = 3 + extra.len();
        let found = format!("record 1: it has {len} bytes, but the layout describes only 3 of them");
        folder.check(&line(""), &long, 1, head, &format!("<stdin>: byte 7: {found}"));
        let left_out = "<stdin>: 1 record longer than the layout: the rest was left out";
        folder.check(&line("--overlong cut"), &long, 0, &format!("{head}1,AB,,\n"), left_out);
        let rejected = "<stdin>: 1 record rejected, written to rejects";
        folder.check(&line("--rejects rejects"), &long, 0, head, rejected);
        let line: serde_json::Value = serde_json::from_slice(&fs::read(folder.path("rejects")).unwrap()).unwrap();
        assert_eq!(
            (&line["code"], &line["offset"], &line["message"]),
            (&"longer-than-layout".into(), &4.into(), &found.into())
        );
    }
    let short =
        "<stdin>: byte 5: record 1, field V[1], column 2: C1: the record has 2 bytes, but this field ends at byte 3";
    folder.check(&line(""), &framed(b"\xF1\xC1"), 1, head, short);
}

/// Cells that are empty, blank or missing.
#[test]
fn rows_without_values() {
    let folder = Folder::new();
    let back = |format: &str| format!("-q --layout list -f IBM037 --from-rows {format} --to-records fb:2");
    for (text, records) in [
        ("A,B\nA,1\n", "\u{C1}\u{C1}"),
        ("A,B\n,1\n", "\u{40}\u{C1}"),
        ("A,B\n\" \",1\n", "\u{40}\u{C1}"),
        ("B\n1\n", "\u{40}\u{C1}"),
        ("B,A\n1,A\n", "\u{C1}\u{C1}"),
    ] {
        folder.check(&back("csv"), text.as_bytes(), 0, records, "");
    }
    let missing = "<stdin>: line 2, column 1 (byte 4): row 1: field B: there is no value";
    for text in ["A,B\nA,\n", "A,B\nA,\" \"\n", "A,B\n,\n"] {
        folder.check(&back("csv"), text.as_bytes(), 1, "", missing);
    }
    folder.check(&back("csv"), b"A\nA\n", 1, "", &missing.replace("byte 4", "byte 2"));
    for (text, records) in [
        ("{\"A\":null,\"B\":1}\n", "\u{40}\u{C1}"),
        ("{\"B\":1}", "\u{40}\u{C1}"),
        ("\n\n{\"A\":\"A\",\"B\":1}\n\n", "\u{C1}\u{C1}"),
        ("", ""),
    ] {
        folder.check(&back("jsonl"), text.as_bytes(), 0, records, "");
    }
    for (text, message) in [
        ("{\"A\":\"A\",\"B\":null}", "field B: there is no value"),
        ("{}", "field B: there is no value"),
        ("{\"A\":\"A\",\"B\":1,\"C\":2}", "there is no field \"C\" in the layout"),
        ("{\"A\":\"A\",\"B\":1,\"B\":2}", "field B occurs twice"),
        ("{\"A\":\"A\",\"B\":1}{}", "column 16: trailing characters; expected an object of JSON"),
        ("{\"A\":\"A\",\"B\":1", "column 14: EOF while parsing an object; expected an object of JSON"),
    ] {
        folder.check(
            &back("jsonl"),
            text.as_bytes(),
            1,
            "",
            &format!("<stdin>: line 1, column 1 (byte 0): row 1: {message}"),
        );
    }
}

#[test]
fn files_that_are_no_layouts() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("binary", b"\0\x01\x02\x03\xFF"),
        ("bad", b"A 1 1 text\nB 2 x text\n"),
        ("comment.cpy", b"      * nothing\n"),
        ("bad.json", b"[{\"name\":"),
    ] {
        fs::write(folder.path(name), bytes).unwrap();
    }
    for (layout, status, message) in [
        ("nope", 3, "nope: cannot open: No such file or directory"),
        (
            "empty",
            2,
            "empty: line 1, column 1: the copybook is empty: expected entries such as 01 CUSTOMER. and 05 NAME PIC X(10).",
        ),
        (
            "binary",
            2,
            "binary: line 1: found a byte 00, which a copybook cannot contain: if this is a copybook, convert it to UTF-8",
        ),
        ("bad", 2, "bad: line 2, column 5: \"x\" is not a length; expected a number of bytes, or 5*12 for an array"),
        (
            "comment.cpy",
            2,
            "comment.cpy: line 1, column 1: the copybook has only comments: expected entries such as 01 CUSTOMER. and 05 NAME PIC X(10).",
        ),
        ("bad.json", 2, "bad.json: line 1: invalid type: sequence, expected a map"),
    ] {
        folder.check(&format!("-q --layout {layout} a"), b"", status, "", message);
        // No output is made.
        folder.check(&format!("-q --layout {layout} a -o new"), b"", status, "", message);
        assert!(!folder.path("new").exists(), "{layout}");
    }
}

/// The longest row, and one byte more.
#[test]
fn the_longest_row() {
    let folder = Folder::new();
    let most = 16 << 20;
    let line = |format: &str| format!("-q --layout list -f IBM037 --from-rows {format}");
    let too_long = |place: &str| format!("<stdin>: {place}: it is longer than 16777216 bytes");
    // Commas and quotes do not count.
    let csv = |len: usize| format!("A,B\n\"{}\",1\n", "a".repeat(len - 1)).into_bytes();
    let json = |len: usize| format!("{{\"A\":\"{}\"}}\n", "a".repeat(len - 8)).into_bytes();
    let fits = |format: &str, text: &[u8]| {
        let (status, _, message) = folder.run(&line(format), text);
        assert!(status == 1 && message.contains("does not fit"), "{format}: {status} {message:.200}");
    };
    fits("csv", &csv(most));
    folder.check(
        &line("csv"),
        &csv(most + 1),
        1,
        "",
        &(too_long("line 2, column 1 (byte 4): row 1") + "; is a quote not closed?"),
    );
    fits("jsonl", &json(most));
    folder.check(&line("jsonl"), &json(most + 1), 1, "", &too_long("line 1, column 1 (byte 0): row 1"));
}

/// All inputs are written back, even after one that fails; after an output that fails, no other input is read.
#[test]
fn several_inputs_of_rows() {
    let folder = Folder::new();
    for (name, text) in [("a.csv", "A,B\nA,1\n"), ("bad.csv", "A,B\nA,x\n"), ("b.csv", "B,A\n2,B\n")] {
        fs::write(folder.path(name), text).unwrap();
    }
    let line = "-q --layout list -f IBM037 --from-rows csv --to-records fb:2 --report report";
    folder.check(&format!("{line} a.csv b.csv a.csv"), b"", 0, "\u{C1}\u{C1}\u{C2}\u{C2}\u{C1}\u{C1}", "");
    assert_eq!(folder.report().len(), 3);
    let (status, records, message) = folder.run(&format!("{line} a.csv bad.csv b.csv"), b"");
    assert_eq!((status, &*records), (1, "\u{C1}\u{C1}\u{C2}\u{C2}"));
    assert!(message.starts_with("bad.csv: line 2, column 1 (byte 4): row 1: field B: \"x\" "), "{message}");
    if cfg!(target_os = "linux") {
        let full = "/dev/full: cannot write: No space left on device";
        folder.check(&format!("{line} -o /dev/full a.csv b.csv"), b"", 3, "", full);
    }
}

/// The layout that is shown has all clauses.
#[test]
fn the_conditions_of_a_layout_are_shown() {
    let folder = Folder::new();
    fs::write(folder.path("types"), "K 1 1 text\nwhen K=A: ONE\nX 2 1 zoned\nwhen K=B: TWO\nY 2 1 zoned\n").unwrap();
    let expected = "\
layout
2 bytes, 3 fields, code page IBM037; layout types

level  name  from  length  kind   picture
   01  K       1        1  text
   01  ONE     1        2  group  when K=A
   02    X     2        1  zoned
   01  TWO     1        2  group  when K=B
   02    Y     2        1  zoned
";
    folder.check("-q --layout types --show-layout", b"", 0, expected, "");
}
