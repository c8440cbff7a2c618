//! Conversions of mainframe files, end to end: the command on records of every format, as files and byte by byte
//! through a pipe. The expected output was made by `examples/data/records/make.py`, which shares no code with charpipe.

use crate::common::process::Start;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The customer files: file, format, and the format that writes the same blocks.
const CUSTOMERS: [(&str, &str, &str); 3] =
    [("customers.fb", "fb:76", "fb:76"), ("customers.vb", "vb", "vb:800"), ("customers.vbs", "vbs", "vbs:64")];

/// All columns of a customer record except the packed decimal.
const TEXT: &str = "1-51,57-";

const PACKED: &str = "columns 52-56 look like a packed decimal (COMP-3) in 99 of 100 records, which converting \
                      destroys: say which columns are text";

fn path(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/data/records").join(name)
}

fn data(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap()
}

fn text(name: &str) -> String {
    String::from_utf8(data(name)).unwrap()
}

/// Runs the command with `input` on standard input, in pieces of `piece` bytes.
fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8], piece: usize) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_charpipe"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A run that fails does not read to the end.
        scope.spawn(move || input.chunks(piece).try_for_each(|piece| stdin.write_all(piece)));
        child.wait_with_output().unwrap()
    })
}

/// Runs the command with the arguments in `line`, separated by spaces.
fn typed(line: &str, input: &[u8]) -> Output {
    run(line.split_whitespace(), input, usize::MAX)
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Checks the exit status, standard output and standard error.
#[track_caller]
fn check(output: &Output, status: i32, expected: &[u8], messages: &str) {
    assert_eq!((output.status.code(), stderr(output)), (Some(status), messages));
    if output.stdout != expected {
        let (got, expected) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(expected));
        panic!("printed:\n{got}\nexpected:\n{expected}");
    }
}

/// Checks that the file `name` becomes `expected` without messages: read as a file, through a pipe, and through a pipe
/// that delivers a byte at a time.
#[track_caller]
fn becomes(line: &str, name: &str, expected: &[u8]) {
    let (file, input) = (path(name), data(name));
    check(&run(line.split_whitespace().map(OsStr::new).chain([file.as_os_str()]), b"", 1), 0, expected, "");
    check(&typed(line, &input), 0, expected, "");
    check(&run(line.split_whitespace(), &input, 1), 0, expected, "");
}

// --- To lines ------------------------------------------------------------------------------------

#[test]
fn customers_in_every_shape_give_the_same_lines() {
    for (name, shape, _) in CUSTOMERS {
        let line = format!("-f IBM037 --records {shape} --columns {TEXT}");
        becomes(&line, name, &data("customers.txt"));
        becomes(&format!("{line} --gaps hex"), name, &data("customers-hex.txt"));
    }
}

#[test]
fn a_packed_decimal_in_text_gives_a_warning() {
    let input = data("customers.fb");
    // A packed decimal is not text, but may contain the bytes of newlines.
    let output = typed("-f IBM037 --records fb:76 --record-newlines space", &input);
    assert_eq!(output.status.code(), Some(0));
    let newlines = input.iter().filter(|byte| matches!(byte, 0x0D | 0x15 | 0x25)).count();
    let messages = format!(
        "charpipe: <stdin>: byte 51: warning: {PACKED} (looks-packed)\n\
         charpipe: <stdin>: {newlines} newlines within records replaced by spaces\n"
    );
    assert_eq!((stderr(&output), newlines > 1), (&*messages, true));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 100);
    assert!(text.starts_with("1000001José Müller         1 Main Street"), "{text}");

    // One record is one line unless another policy is given; the earlier warning explains why there would be two.
    for how in ["", "--record-newlines error"] {
        let output = typed(&format!("-f IBM037 --records fb:76 {how}"), &input);
        let messages = format!(
            "charpipe: <stdin>: byte 51: warning: {} (looks-packed)\n\
             charpipe: <stdin>: byte 736: record 10, column 53: U+0085, a newline, is inside a record \
             (not all of the record is text; use --columns to say which bytes are)\n",
            PACKED.replace("99 of 100", "9 of 9")
        );
        assert_eq!((output.status.code(), stderr(&output)), (Some(1), &*messages));
        assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 9);
    }
    assert_eq!(input[736], 0x15);

    let output = typed("--strict -f IBM037 --records fb:76 --record-newlines keep", &input);
    let messages = format!("charpipe: <stdin>: byte 51: {PACKED} (looks-packed) (leave out --strict to continue)\n");
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), &*messages));
}

#[test]
fn every_record_begins_without_shift_state() {
    becomes("-f IBM930 --records fb:41", "members.fb", &data("members.txt"));
    becomes("-f IBM930 --records fb:41 --shift-blanks", "members.fb", &data("members-spaced.txt"));

    // Read as one stream, the digits of the second record are taken for a pair, because there was no shift-in before.
    let input = data("members.fb");
    let output = typed("-f IBM930", &input);
    let messages = "charpipe: <stdin>: line 1, column 31 (byte 41): F2 F0 is not valid IBM930 (use --malformed replace to continue)\n";
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), messages));
    let first = text("members.txt").lines().next().unwrap().to_owned();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), first);

    // A record that ends within a pair loses that pair and nothing else.
    let short: Vec<u8> = input.chunks(41).flat_map(|record| &record[..40]).copied().collect();
    let output = typed("-f IBM930 --records fb:40", &short);
    let messages = "charpipe: <stdin>: byte 39: record 1, column 40: 45 is not valid IBM930 \
                (use --malformed replace to continue)\n";
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), messages));
    let output = typed("-q -f IBM930 --records fb:40 --malformed replace", &short);
    assert_eq!(output.status.code(), Some(0));
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut damaged = 0;
    for ((got, whole), record) in lines.lines().zip(text("members.txt").lines()).zip(input.chunks(41)) {
        if record[40] == 0x40 && record[39] != 0x40 || record[20..].iter().all(|byte| *byte == 0x40) {
            assert_eq!(got, whole);
            continue;
        }
        // Its last pair is lost if the shift-in is missing.
        let shifted = !record.contains(&0x0F);
        let expected = whole.chars().rev().skip(usize::from(shifted)).collect::<Vec<_>>().into_iter().rev();
        let expected: String = expected.chain(shifted.then_some('\u{FFFD}')).collect();
        assert_eq!(got, expected);
        damaged += usize::from(shifted);
    }
    assert_eq!((lines.lines().count(), damaged), (28, 20));
}

#[test]
fn printer_control_of_a_listing() {
    becomes("-f IBM037 --records fb:133 --carriage-control asa", "listing.fba", &data("listing.txt"));
    // Without the option the first column is ordinary text.
    let output = typed("-f IBM037 --records fb:133", &data("listing.fba"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with('1')).count(), 3);
    assert_eq!(text.lines().filter(|line| line.starts_with("+CUSTOMER BALANCES")).count(), 2);
}

// --- To records ------------------------------------------------------------------------------------------------------

#[test]
fn the_same_charset_and_shape_give_the_same_bytes() {
    for (name, from, to) in CUSTOMERS {
        // Even packed decimals round-trip, because page 037 has a character for each of the 256 bytes.
        becomes(&format!("-q -f IBM037 --records {from} -t IBM037 --to-records {to}"), name, &data(name));
    }
    becomes("-f IBM037 --records fb:133 -t IBM037 --to-records fb:133", "listing.fba", &data("listing.fba"));
}

#[test]
fn lines_are_written_to_records() {
    let listing = data("listing.fba");
    let lines = typed("-f IBM037 --records fb:133", &listing).stdout;
    check(&typed("-t IBM037 --to-records fb:133", &lines), 0, &listing, "");
    check(&run("-t IBM037 --to-records fb:133".split(' '), &lines, 1), 0, &listing, "");
    let lines = data("customers.txt");
    for shape in ["rdw", "rdw:le:exclusive", "vb:800", "vbs:64", "u32", "u16", "mode-b", "awstape,vb:800"] {
        let records = typed(&format!("-t IBM037 --to-records {shape}"), &lines);
        check(&records, 0, &records.stdout, "");
        assert_ne!(records.stdout, lines, "{shape}");
        check(&typed(&format!("-f IBM037 --records {shape}"), &records.stdout), 0, &lines, "");
    }
}

#[test]
fn a_missing_shift_in_is_added_if_there_is_space() {
    // If a record ends within double-byte text, a shift-in is written, except into a full record that was read without
    // one.
    let input = data("members.fb");
    becomes("-f IBM930 --records fb:41 -t IBM930 --to-records fb:41", "members.fb", &input);
    let expected: Vec<u8> = input
        .chunks(41)
        .flat_map(|record| {
            let last = if record.contains(&0x0E) && !record.contains(&0x0F) { 0x0F } else { 0x40 };
            [record, &[last]].concat()
        })
        .collect();
    becomes("-f IBM930 --records fb:41 -t IBM930 --to-records fb:42", "members.fb", &expected);
    // The same through lines. A line was never truncated, so the shift-in needs space.
    let lines = typed("-f IBM930 --records fb:41", &input).stdout;
    check(&typed("-t IBM930 --to-records fb:42", &lines), 0, &expected, "");
    let messages = "charpipe: <stdin>: line 1, column 1 (byte 0): record 1 is longer than 41 bytes \
                (use --overlong cut to cut long lines)\n";
    let output = typed("-t IBM930 --to-records fb:41", &lines);
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), messages));
}

// --- Finding the record format ---------------------------------------------------------------------------------------

#[test]
fn the_shape_is_found() {
    let found = [CUSTOMERS[0], CUSTOMERS[1], CUSTOMERS[2]].map(|(name, shape, _)| (name, shape, "IBM037"));
    for (name, shape, charset) in
        found.into_iter().chain([("listing.fba", "fb:133", "IBM037"), ("members.fb", "fb:41", "IBM930")])
    {
        let input = data(name);
        let columns = if name.starts_with("customers") { format!("--columns {TEXT}") } else { String::new() };
        let expected = typed(&format!("-f {charset} {columns} --records {shape}"), &input).stdout;
        let line = format!("-f {charset} {columns} --records auto");
        let messages = format!("charpipe: <stdin>: detected records of shape {shape}\n");
        check(&typed(&line, &input), 0, &expected, &messages);
        check(&run(line.split_whitespace(), &input, 1), 0, &expected, &messages);
        check(&typed(&format!("-q {line}"), &input), 0, &expected, "");

        let output = typed("detect --records", &input);
        assert_eq!(output.status.code(), Some(0));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.starts_with(&format!("<stdin>: {shape}: ")), "{printed}");
    }
    // Lines of text are not records.
    let messages = "charpipe: <stdin>: byte 0: no record shape fits \
                (see `charpipe detect --records`, and name one with --records)\n";
    check(&typed("--records auto", &data("customers.txt")), 1, b"", messages);
}

// --- Damage --------------------------------------------------------------------------------------

#[test]
fn a_truncated_file_gives_the_data_before_the_cut() {
    let golden = text("customers.txt");
    let begins: Vec<usize> = golden.match_indices('\n').map(|(at, _)| at + 1).collect();
    for (name, shape, _) in CUSTOMERS {
        let input = data(name);
        for len in (1..input.len()).step_by(211) {
            let output = typed(&format!("-f IBM037 --records {shape} --columns {TEXT}"), &input[..len]);
            let text = std::str::from_utf8(&output.stdout).unwrap();
            let (lines, messages) = (text.matches('\n').count(), stderr(&output));
            assert!(golden.starts_with(text), "{name} cut to {len}: {text}");
            let record = format!("charpipe: <stdin>: byte {len}: record {}, which begins at byte ", lines + 1);
            let is_cut = output.status.code() == Some(1)
                && messages.starts_with(&record)
                && messages.contains(" is incomplete: ");
            // If the file is truncated between two fixed records, nothing is missing.
            let is_whole = shape == "fb:76" && len % 76 == 0 && output.status.code() == Some(0) && messages.is_empty();
            assert!(
                is_cut != is_whole && is_whole == (shape == "fb:76" && len % 76 == 0),
                "{name} cut to {len}: {messages}"
            );
            if shape == "fb:76" {
                assert_eq!(lines, len / 76);
                assert!(lines == 0 || text.len() >= begins[lines - 1]);
            }
        }
    }
}

#[test]
fn a_wrong_header_is_shown() {
    // The third record claims to have two bytes.
    let mut input = data("customers.vb");
    let length = |input: &[u8], at: usize| usize::from(u16::from_be_bytes([input[at], input[at + 1]]));
    let mut at = 4;
    at += length(&input, at);
    at += length(&input, at);
    input[at..at + 2].copy_from_slice(&[0, 2]);
    let two: String = text("customers.txt").split_inclusive('\n').take(2).collect();
    let messages = format!(
        "charpipe: <stdin>: byte {at}: record 3: the header 00 02 00 00 is wrong: the length is smaller than \
         the header itself (see `charpipe detect --records` for the shapes that fit)\n"
    );
    let line = format!("-f IBM037 --records vb --columns {TEXT}");
    check(&typed(&line, &input), 1, two.as_bytes(), &messages);
    check(&run(line.split(' '), &input, 1), 1, two.as_bytes(), &messages);

    // In the segmented file the second record continues in the third block, with another first segment.
    let mut input = data("customers.vbs");
    let third = length(&input, 0) + length(&input, length(&input, 0));
    let at = third + 4;
    assert_eq!(input[at + 2], 2);
    input[at + 2] = 1;
    let output = typed(&format!("-f IBM037 --records vbs --columns {TEXT}"), &input);
    let header: Vec<String> = input[at..at + 4].iter().map(|byte| format!("{byte:02X}")).collect();
    let messages = format!("charpipe: <stdin>: byte {at}: record 2: the header {} is wrong: ", header.join(" "));
    assert!(output.status.code() == Some(1) && stderr(&output).starts_with(&messages), "{}", stderr(&output));
    assert!(text("customers.txt").starts_with(std::str::from_utf8(&output.stdout).unwrap()));
}

#[test]
fn the_report_counts_records() {
    let report = |line: &str| -> Value {
        let output = typed(&format!("--report - -q {line}"), &data("customers.vbs"));
        serde_json::from_slice(output.stderr.split(|byte| *byte == b'\n').next().unwrap()).unwrap()
    };
    let to_lines = report("-f IBM037 --records vbs --record-newlines keep");
    assert_eq!((&to_lines["records"], &to_lines["bytes_in"]), (&Value::from(100), &Value::from(7872)));
    let again = report("-f IBM037 --records vbs -t IBM037 --to-records rdw");
    assert_eq!(again["records"], 100);
    assert_eq!(report("-f IBM037")["records"], Value::Null);
}

/// Changes that make one record one line, and text that does not fit into a record, are counted in messages and in the
/// report.
#[test]
fn newlines_and_cut_records_are_counted() {
    let output = typed("--report - -f IBM037 --records fb:3 --record-newlines space", b"\xC1\x15\xC2\xC3\x0D\x25");
    let (report, messages): (Vec<&str>, Vec<&str>) = stderr(&output).lines().partition(|line| line.starts_with('{'));
    let counted = "charpipe: <stdin>: 3 newlines within records replaced by spaces";
    // The spaces that replace newlines are not trailing spaces of the record; those are trimmed before.
    assert_eq!((&*output.stdout, &*messages), (&b"A B\nC  \n"[..], &[counted][..]));
    let report: Value = serde_json::from_str(report[0]).unwrap();
    assert_eq!((&report["record_newlines"]["count"], &report["records"]), (&Value::from(3), &Value::from(2)));
    let first = serde_json::json!({"offset": 1, "line": null, "column": 2, "record": 1, "char": "\u{85}"});
    assert_eq!(report["record_newlines"]["first"][0], first);
    assert_eq!(report.get("records_cut"), None);

    let output = typed("--report - -t IBM037 --to-records fb:3 --overlong cut", b"ABCDEF\nABC   \nABCD\n");
    let (report, messages): (Vec<&str>, Vec<&str>) = stderr(&output).lines().partition(|line| line.starts_with('{'));
    assert_eq!(messages, ["charpipe: <stdin>: 2 records were too long and cut: 4 bytes lost"]);
    let report: Value = serde_json::from_str(report[0]).unwrap();
    let first = serde_json::json!([
        {"offset": 0, "line": 1, "column": 1, "record": 1, "bytes": 3},
        {"offset": 14, "line": 3, "column": 1, "record": 3, "bytes": 1},
    ]);
    assert_eq!(report["records_cut"], serde_json::json!({"count": 2, "bytes": 4, "first": first}));
}

#[test]
fn columns_change_their_page_in_place() {
    let keep = "--records fb:4 --columns 1-2=IBM037,4=IBM273 --gaps keep --to-records fb:4";
    let output = typed(&format!("{keep} -t IBM1047"), b"\xBA\xBB\x3C\xB5");
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"\xAD\xBD\x3C\x7C"[..]));
    assert_eq!(stderr(&output), "");
    let output = typed(&format!("{keep} -t UTF-8"), b"\xC1\xC2\x3C\xC3\xC1\x71\x3C\xC3");
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b"AB\x3CC"[..]));
    let message = "byte 4: record 2, column 1: the text takes 3 bytes in UTF-8, but its columns have 2 \
                   (use --overlong cut to cut the text in columns)";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    let output = typed(&format!("{keep} -t UTF-8 --overlong cut"), b"\xC1\x71\x3C\xC3");
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"A \x3CC"[..]));
    assert!(stderr(&output).contains("1 record was too long and cut: 2 bytes lost"), "{}", stderr(&output));
    let shorter = keep.replace("--to-records fb:4", "--to-records fb:3");
    let output = typed(&format!("{shorter} -t IBM1047 --overlong cut"), b"\xBA\xBB\x3C\xB5");
    assert!(stderr(&output).contains("(choose a --to-records that takes longer records"), "{}", stderr(&output));
}

// --- Wrong usage ---------------------------------------------------------------------------------

#[test]
fn wrong_usage_says_what_was_expected() {
    for (line, messages) in [
        ("--records fb", "`fb` needs a record length, for example `fb:80`"),
        ("--records fb:0", "expected a number from 1 to 65535 after `fb:`"),
        ("--records fba:133", "\"fba:133\" is not a record shape; expected fb:N, rdw, "),
        ("--records awstape", "`awstape` needs the shape of the records on the tape, for example `awstape,fb:80`"),
        ("--to-records auto", "\"auto\" is not a record shape"),
        ("--to-records awstape:sl,fb:80", "cannot write records as awstape:sl,fb:80: labels contain a volume"),
        ("--to-records awstape,fb:80,blksize=3210", "expected a multiple of the record length 80, at most 65535"),
        (
            "--records fb:80,blksize=3200",
            "only a tape image preserves blocks of fixed-length records (awstape,fb:80,blksize=3200)",
        ),
        ("--records fb:80 --columns 0-3", "expected column numbers from 1"),
        ("--records fb:80 --columns 9-3", "a range ends before it begins"),
        ("--records fb:133 --asa", "--asa is now --carriage-control asa\n"),
        ("--records fb:133 --machine", "--machine is now --carriage-control machine\n"),
        ("--records fb:80 --keep-blanks", "--keep-blanks is now --trim none\n"),
        ("--records fb:80 --trim-nuls", "--trim-nuls is now --trim blanks,nuls\n"),
        ("--records awstape,fb:80 --file 2", "--file is now --tape-file\n"),
        ("--records awstape,fb:80 --file=2", "--file is now --tape-file\n"),
        ("detect --records --file 2", "--file is now --tape-file\n"),
        (
            "--records fb:80 --trim none,blanks",
            "--trim: \"none,blanks\" is not one of blanks, nuls, blanks,nuls, none; did you mean none?\n",
        ),
        (
            "--records fb:133 --carriage-control asa --to-records vb",
            "printer control codes become lines and pages, so the output cannot consist of records",
        ),
        // An option that would have no effect.
        ("--carriage-control machine", "--records SHAPE"),
        ("--columns 1-3", "--records SHAPE"),
        ("--shift-blanks", "--records SHAPE"),
        ("--trim none", "--records SHAPE"),
        ("--record-newlines space", "--records SHAPE"),
        ("--records fb:80 --gaps hex", "--columns LIST"),
        ("--records fb:80 --overlong cut", "--to-records SHAPE"),
        ("--records fb:80 --gaps keep --to-records fb:80", "--columns LIST"),
        ("--records fb:80 --columns 1-9 --gaps keep", "--to-records SHAPE"),
        (
            "--records fb:80 --columns 1-9=IBM1047",
            "--columns without --gaps keep: a column can have a code page of its own only if the bytes",
        ),
        (
            "--records fb:80 --columns 1-9 --gaps keep --to-records fb:80 --controls space",
            "--gaps keep: newlines and control characters cannot be changed",
        ),
        ("--records fb:80 --columns 1-9=IBM1O47 --gaps keep --to-records fb:80", "--columns: \"IBM1O47\" is not known"),
        ("--records fb:80 --columns 1-9= --gaps keep --to-records fb:80", "expected a code page after ="),
    ] {
        let output = typed(line, b"\xC1");
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{line}");
        assert!(stderr(&output).contains(messages), "{line}: {}", stderr(&output));
    }
}

#[test]
fn help_has_a_section_for_record_options() {
    let output = typed("convert --help", b"");
    let help = String::from_utf8(output.stdout).unwrap();
    let (others, records) = help.split_once("\nRecords:\n").unwrap();
    let names = |part: &str| -> Vec<String> {
        let options = part.lines().filter(|line| line.trim_start().starts_with('-'));
        options
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .map(str::to_owned)
            .collect()
    };
    let expected = [
        "--records",
        "--tape-file",
        "--to-records",
        "--trim",
        "--carriage-control",
        "--columns",
        "--gaps",
        "--shift-blanks",
        "--record-newlines",
        "--overlong",
    ];
    assert_eq!(names(records), expected);
    assert!(names(others).contains(&"--report".to_owned()));
}
