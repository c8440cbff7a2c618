//! Tests the errors of `charpipe rows`: the exact messages, and that the rows before an error are delivered.

use crate::rows::{CLIENTS, rows};
use std::fs;

/// A layout for records of 12 bytes: an ID, a name, an amount.
const COPYBOOK: &str = "\
       01  SALE.
           05  ID      PIC 9(4).
           05  NAME    PIC X(5).
           05  AMOUNT  PIC S9(3)V99 COMP-3.
";

/// Two good records, and one with a bad amount.
const RECORDS: &[u8] = b"\xF0\xF0\xF0\xF1\xD1\x96\x85\x40\x40\x12\x34\x5C\
                         \xF0\xF0\xF0\xF2\xC1\x6B\x7F\x40\x40\x00\x00\x1D\
                         \xF0\xF0\xF0\xF3\xC1\x95\x95\x40\x40\x00\x0A\x1D";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("sale.cpy", COPYBOOK.as_bytes());
        folder
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// Runs with `@` for the folder. Returns the status, the output, and the messages.
    fn run(&self, line: &str, input: &[u8]) -> (i32, String, String) {
        let folder = self.0.path().display().to_string();
        let output = rows(&line.replace('@', &folder), input);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&folder, "@");
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    #[track_caller]
    fn check(&self, line: &str, input: &[u8], status: i32, shown: &str, words: &str) {
        let found = self.run(line, input);
        assert_eq!((found.0, &*found.1, &*found.2), (status, shown, words), "{line}");
    }
}

const GOOD: &str = "ID,NAME,AMOUNT\n1,Joe,123.45\n2,\"A,\"\"\",-0.01\n";

#[test]
fn a_bad_number() {
    let folder = Folder::new();
    folder.check(
        "--layout @/sale.cpy",
        RECORDS,
        1,
        GOOD,
        "charpipe: assuming fb:12 records (the length of the layout) and code page IBM037; use --records and -f to \
         change that\n\
         charpipe: <stdin>: byte 33: record 3, field AMOUNT, columns 10-12: 00 0A 1D is not a number; expected a digit in \
         each half byte, and a sign from A to F in the last one (is the layout right? see --show-layout; use \
         --on-bad null or --rejects PATH to continue)\n",
    );
    folder.check("-q --layout @/sale.cpy -f IBM037 --on-bad null", RECORDS, 0, &format!("{GOOD}3,Ann,\n"), "");
    folder.check(
        "--layout @/sale.cpy -f IBM037 --records fb:12 --on-bad null --format jsonl",
        &RECORDS[24..],
        0,
        "{\"ID\":3,\"NAME\":\"Ann\",\"AMOUNT\":null}\n",
        "charpipe: <stdin>: 1 field that could not be read was left empty\n",
    );
    // The record before the error is delivered, and a file stays unchanged.
    folder.write("out", b"old");
    assert_eq!(folder.run("-q --layout @/sale.cpy -o @/out", RECORDS).0, 1);
    assert_eq!(folder.read("out"), "old");
}

#[test]
fn rejected_records() {
    let folder = Folder::new();
    folder.check(
        "--layout @/sale.cpy -f IBM037 --records fb:12 --rejects @/bad --report @/report",
        RECORDS,
        0,
        GOOD,
        "charpipe: <stdin>: 1 record rejected, written to @/bad\n",
    );
    assert_eq!(
        folder.read("bad"),
        "{\"input\":\"<stdin>\",\"record\":3,\"offset\":24,\"code\":\"bad-number\",\"field\":\"AMOUNT\",\"message\":\
         \"record 3, field AMOUNT, columns 10-12: 00 0A 1D is not a number; expected a digit in each half byte, and a sign \
         from A to F in the last one\",\"bytes\":\"F0F0F0F3C195954040000A1D\"}\n"
    );
    assert_eq!(
        folder.read("report"),
        "{\"input\":\"<stdin>\",\"output\":\"<stdout>\",\"from\":\"IBM037\",\"shape\":\"fb:12\",\"bytes_in\":36,\
         \"bytes_out\":43,\"records\":3,\"rows\":2,\"types\":null,\"rejected\":{\"count\":1,\"first\":[{\"record\":3,\
         \"offset\":24,\"code\":\"bad-number\"}]},\"nulls\":0,\"loose_numbers\":0,\"malformed\":0,\"controls\":0,\"record_newlines\":0,\"records_cut\":0,\
         \"error\":null,\"stopped\":false}\n"
    );
}

#[test]
fn records_of_the_wrong_length() {
    let folder = Folder::new();
    let run = |line: &str| format!("--layout @/sale.cpy -f IBM037 {line}");
    folder.check(
        &run("--records fb:12"),
        &RECORDS[..20],
        1,
        "ID,NAME,AMOUNT\n1,Joe,123.45\n",
        "charpipe: <stdin>: byte 20: record 2, which begins at byte 12, is incomplete: it lacks at least 4 bytes \
         (the input is truncated or has another shape; see `charpipe detect --records`)\n",
    );
    folder.check(
        &run("--records fb:14"),
        &RECORDS[..14],
        1,
        "ID,NAME,AMOUNT\n",
        "charpipe: <stdin>: byte 12: record 1: it has 14 bytes, but the layout describes only 12 of them (is the layout \
         complete? see --show-layout; use --overlong cut to leave out the rest)\n",
    );
    folder.check(
        &run("--records fb:14 --overlong cut"),
        &RECORDS[..14],
        0,
        "ID,NAME,AMOUNT\n1,Joe,123.45\n",
        "charpipe: <stdin>: 1 record longer than the layout: the rest was left out\n",
    );
    folder.check(
        &run("--records fb:10"),
        &RECORDS[..10],
        1,
        "ID,NAME,AMOUNT\n",
        "charpipe: <stdin>: byte 9: record 1, field AMOUNT, column 10: 12: the record has 10 bytes, but this field ends at \
         byte 12 (is the shape right? see `charpipe detect --records`; use --rejects PATH to continue)\n",
    );
    // No byte of the field is there.
    folder.check(
        &run("--records fb:9"),
        &RECORDS[..9],
        1,
        "ID,NAME,AMOUNT\n",
        "charpipe: <stdin>: byte 9: record 1, field AMOUNT, column 10: the record has 9 bytes, but this field ends at byte 12 \
         (is the shape right? see `charpipe detect --records`; use --short-records null or --rejects PATH to continue)\n",
    );
    // The place counts headers.
    let (_, _, words) = folder.run(&run("--records rdw"), &[&b"\0\x10\0\0"[..], &RECORDS[24..]].concat());
    assert!(words.starts_with("charpipe: <stdin>: byte 13: record 1, field AMOUNT"), "{words}");
}

#[test]
fn a_table_without_elements() {
    let folder = Folder::new();
    folder.write("table.cpy", b"01 A.\n 05 N PIC 9.\n 05 B PIC X OCCURS 1 TO 9 DEPENDING ON N.\n");
    let advice = " (use --on-bad null to leave the table empty, or --rejects PATH to continue)";
    for (count, advice) in [(b"\xF0", advice), (b"\xC1", "")] {
        let (status, _, words) = folder.run("--layout @/table.cpy -f IBM037 --records fb:1", count);
        assert_eq!((status, words.contains(advice)), (1, true), "{words}");
        assert_eq!(words.contains("leave the table empty"), !advice.is_empty(), "{words}");
    }
    folder.check(
        "--layout @/table.cpy -f IBM037 --records fb:1 --on-bad null --select N",
        b"\xF0",
        0,
        "N\n0\n",
        "charpipe: <stdin>: 1 field that could not be read was left empty\n",
    );
}

#[test]
fn characters_in_text() {
    let folder = Folder::new();
    let record = b"\xF0\xF0\xF0\xF1\xD1\x00\x25\x40\xC1\x12\x34\x5C";
    let run = |line: &str| format!("--layout @/sale.cpy -f IBM037 --records fb:12 {line}");
    folder.check(&run(""), record, 0, "ID,NAME,AMOUNT\n1,\"J\0\n A\",123.45\n", "");
    folder.check(
        &run("--controls space --record-newlines space"),
        record,
        0,
        "ID,NAME,AMOUNT\n1,J   A,123.45\n",
        "charpipe: <stdin>: 1 control character replaced by a space\n\
         charpipe: <stdin>: 1 newline in text replaced by a space\n",
    );
    folder.check(
        &run("--controls error"),
        record,
        1,
        "ID,NAME,AMOUNT\n",
        "charpipe: <stdin>: byte 4: record 1, field NAME, columns 5-9: D1 00 25 40 C1 has the control character U+0000 \
         (use --controls space to replace it)\n",
    );
    folder.check(
        &run("--record-newlines error"),
        record,
        1,
        "ID,NAME,AMOUNT\n",
        "charpipe: <stdin>: byte 4: record 1, field NAME, columns 5-9: D1 00 25 40 C1 has the newline U+000A (are the \
         length and shape of the records right? see `charpipe detect --records`; if they are, use --record-newlines space)\n",
    );
}

#[test]
fn layouts() {
    let folder = Folder::new();
    folder.write("bad.cpy", b"       01  A.\n           05  B  PIC X(3) OCURS 3.\n");
    folder.write("moves.cpy", b"01 A.\n 05 N PIC 9.\n 05 B PIC X OCCURS 1 TO 9 DEPENDING ON N.\n");
    let (status, shown, words) = folder.run("--layout @/bad.cpy", b"");
    assert_eq!((status, &*shown), (2, ""));
    assert!(words.starts_with("charpipe: @/bad.cpy: line 2, column 28: found OCURS, expected"), "{words}");
    let (status, shown, words) = folder.run("--layout @/none.cpy", b"");
    assert_eq!((status, &*shown), (3, ""));
    assert!(words.starts_with("charpipe: @/none.cpy: cannot open: ") && words.ends_with("(os error 2)\n"), "{words}");
    folder.check(
        "--layout @/moves.cpy",
        b"",
        2,
        "",
        "charpipe: @/moves.cpy: its records have 2 to 10 bytes: name their shape with --records, such as --records rdw \
         (`charpipe detect --records FILE` reports it), or --records layout if nothing frames them\n",
    );
    folder.check(
        "--layout @/sale.cpy --select AMONT",
        b"",
        2,
        "",
        "charpipe: @/sale.cpy: there is no AMONT; did you mean AMOUNT?\n",
    );
    folder.check(
        "--layout @/sale.cpy --when ID=1:#NOBODY",
        b"",
        2,
        "",
        "charpipe: --when: 'ID=1: NOBODY': there is no NOBODY\n",
    );
    folder.check(
        "--layout @/sale.cpy -f klingon",
        b"",
        2,
        "",
        "charpipe: --from: \"klingon\" is not known (see `charpipe list`)\n",
    );
    let (status, _, words) = folder.run("--layout @/sale.cpy --when ID:#NAME", b"");
    assert_eq!(status, 2);
    assert!(words.contains("expected FIELD=VALUE: ITEM"), "{words}");
}

#[test]
fn a_record_of_no_known_type() {
    let line = CLIENTS.replace("--when CLIENT-TYPE=2:#CLIENT-ADDRESS", "");
    let line = format!(
        "--layout mainframe-data-utilities/COBKS05.cpy {line} -f IBM037 --records fb:500 mainframe-data-utilities/CLIENT.EBCDIC.txt"
    );
    let output = rows(&line, b"");
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(
        words.starts_with("charpipe: mainframe-data-utilities/CLIENT.EBCDIC.txt: byte 1004: record 3, field CLIENT-MAIN, columns 5-6: 00 02"),
        "{words}"
    );
    assert!(
        words.ends_with("(add a rule with --when, such as `--when 'otherwise: NAME'`, or use --rejects PATH)\n"),
        "{words}"
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 3);
}

#[test]
fn rows_that_do_not_fit() {
    let folder = Folder::new();
    let back = |format: &str| format!("-q --layout @/sale.cpy -f IBM037 --from-rows {format}");
    let (csv, json) = (back("csv"), back("jsonl"));
    let check = |line: &str, text: &str, records: usize, words: &str| {
        let folder_name = folder.0.path().display().to_string();
        let output = rows(&line.replace('@', &folder_name), text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("charpipe: <stdin>: {words}\n"), "{text}");
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &RECORDS[..12 * records]), "{text}");
    };
    check(
        &csv,
        "ID,NAME,AMOUNT\n1,Joe,123.45\n2,\"A,\"\"\",1234.56\n",
        1,
        "line 3, column 1 (byte 28): row 2: field AMOUNT: \"1234.56\" does not fit; expected at most 5 digits, 2 of them decimal \
         places",
    );
    check(
        &csv,
        "ID,NAME\n1,Joe\n",
        0,
        "line 2, column 1 (byte 8): row 1: field AMOUNT: there is no value (only rows with all fields can be written back: leave out --select and --on-bad null)",
    );
    check(
        &csv,
        "ID,NAME,AMOUNT\n1,Joe,123.45\n2,b\n",
        1,
        "line 3, column 1 (byte 28): row 2: it has 2 fields, but the header has 3",
    );
    check(&csv, "ID,NAME,WHAT\n", 0, "line 1, column 1 (byte 0): the header: there is no field \"WHAT\" in SALE");
    check(&csv, "ID,NAME,ID\n", 0, "line 1, column 1 (byte 0): the header: ID occurs twice");
    check(
        &json,
        "{\"ID\":1,\"NAME\":\"Joe\",\"AMOUNT\":123.45}\n{\"ID\":2,\"NAME\":\"漢\",\"AMOUNT\":1}\n",
        1,
        "line 2, column 1 (byte 38): row 2: field NAME: U+6F22 '漢' is not in IBM037 (name the code page of the records with -f)",
    );
    check(
        &json,
        "{\"ID\":1,\n",
        0,
        "line 1, column 1 (byte 0): row 1: column 8: EOF while parsing a value; expected an object of JSON",
    );
    check(
        &json,
        "{\"ID\":true}\n",
        0,
        "line 1, column 1 (byte 0): row 1: field ID: found true; expected text or a number",
    );
    check(&json, "{\"ID\":1,\"ID\":2}\n", 0, "line 1, column 1 (byte 0): row 1: field ID occurs twice");
    check(
        &json,
        "{\"NAME\":\"toolong\",\"ID\":1,\"AMOUNT\":1}\n",
        0,
        "line 1, column 1 (byte 0): row 1: field NAME: \"toolong\" does not fit; expected text of at most 5 bytes in IBM037",
    );
    // A number is never rounded.
    check(
        &json,
        "{\"ID\":1,\"NAME\":\"a\",\"AMOUNT\":0.125}\n",
        0,
        "line 1, column 1 (byte 0): row 1: field AMOUNT: \"0.125\" does not fit; expected at most 2 decimal places",
    );
}

/// The 256 bytes of a table file that maps each byte to itself.
#[cfg(unix)]
fn identity() -> Vec<u8> {
    (0..=255).collect()
}

// Only Unix tells files apart, regardless of their names.
#[cfg(unix)]
#[test]
fn outputs_do_not_replace_what_the_run_reads() {
    let folder = Folder::new();
    folder.write("mine.bin", &identity());
    folder.write("in", RECORDS);
    let layout = "-q --layout @/sale.cpy --codec-file @/mine.bin,to=IBM037";
    let refused = |line: &str, name: &str, what: &str| {
        let words = format!("charpipe: @/{name}: this output cannot also be {what}\n");
        folder.check(&format!("{layout} {line}"), b"", 2, "", &words);
        assert!(
            folder.read("sale.cpy") == COPYBOOK && fs::read(folder.0.path().join("mine.bin")).unwrap() == identity()
        );
        assert_eq!(fs::read(folder.0.path().join("in")).unwrap(), RECORDS, "{line}");
    };
    for option in ["-o", "--rejects", "--report", "--from-rows csv -o", "--from-rows csv --report", "--show-layout -o"]
    {
        for name in ["sale.cpy", "mine.bin"] {
            refused(&format!("{option} @/{name} @/in"), name, "the layout or a table file");
        }
    }
    for option in ["--rejects", "--report", "--from-rows csv --report", "--show-layout -o"] {
        refused(&format!("{option} @/in @/in"), "in", "an input");
    }
    // The file of a record type may have the name of the layout.
    folder.write("SALE.csv", COPYBOOK.as_bytes());
    folder.check(
        "-q --layout @/SALE.csv --output-dir @ @/in",
        b"",
        2,
        "",
        "charpipe: @/SALE.csv: this output cannot also be the layout or a table file\n",
    );
    assert_eq!(folder.read("SALE.csv"), COPYBOOK);
    // So may an input.
    let words = "charpipe: @/SALE.csv: this output cannot also be an input\n";
    folder.check("-q --layout @/sale.cpy --output-dir @ @/in @/SALE.csv", b"", 2, "", words);
    assert_eq!(folder.read("SALE.csv"), COPYBOOK);
    // The rows may replace the records.
    folder.check("-q --layout @/sale.cpy --on-bad null -o @/in @/in", b"", 0, "", "");
    assert_eq!(folder.read("in"), format!("{GOOD}3,Ann,\n"));
}

#[test]
fn the_place_of_a_character() {
    let folder = Folder::new();
    // Elements of three bytes, each with an array of two; then an array whose length varies, and a field after it.
    let book = b"01 A.\n 05 N PIC 9.\n 05 G OCCURS 2.\n  10 B PIC X.\n  10 C PIC X OCCURS 2.\n \
                 05 V PIC X OCCURS 0 TO 3 DEPENDING ON N.\n 05 Z PIC X.\n";
    folder.write("place.cpy", book);
    let good = b"\xF3\xC1\xC1\xC1\xC1\xC1\xC1\xC1\xC1\xC1\xC1";
    for (at, name, byte) in
        [(1, "G[1].B", 1), (3, "G[1].C[2]", 3), (4, "G[2].B", 4), (6, "G[2].C[2]", 6), (9, "V[3]", 9), (10, "Z", 10)]
    {
        let mut record = good.to_vec();
        record[at] = 0;
        let input = [&b"\0\x0F\0\0"[..], good, b"\0\x0F\0\0", &record].concat();
        let (status, _, words) = folder.run("-q --layout @/place.cpy --records rdw --controls error", &input);
        let place = format!("byte {}: record 2, field {name}, column {}", 19 + byte, at + 1);
        let expected = format!("{place}: 00 has the control character U+0000");
        assert!(status == 1 && words.contains(&expected), "{expected}: {words}");
    }
}

#[test]
fn names_that_clash() {
    let folder = Folder::new();
    folder.write("own.list", b"_number 1 1 text\n_type 2 1 text\n");
    folder.write("in", b"\xC1\xC2");
    let clash = |name: &str| {
        format!(
            "charpipe: --add-columns: the layout has a field with the name of the column {name}: rename one of them\n"
        )
    };
    folder.check("-q --layout @/own.list @/in", b"", 0, "_number,_type\nA,B\n", "");
    folder.check("-q --layout @/own.list --add-columns number @/in", b"", 2, "", &clash("_number"));
    folder.check("-q --layout @/own.list --add-columns number --select _type @/in", b"", 0, "_number,_type\n1,B\n", "");
    folder.check("-q --layout @/own.list --from-rows csv", b"_number,_type\nA,B\n", 0, "\u{FFFD}\u{FFFD}", "");
    folder.write("own.list", b"K 1 1 text\n_type 2 1 text\nwhen K=A: T\nX 3 1 text\nend\n");
    folder.check("-q --layout @/own.list --records fb:3 @/in", b"", 2, "", &clash("_type"));
}

#[test]
fn elements_are_not_selected() {
    let folder = Folder::new();
    folder.write("array.list", b"A 1 1*3 text\n");
    folder.check(
        "-q --layout @/array.list --select A[2]",
        b"",
        2,
        "",
        "charpipe: --select: A[2] is an element of an array; only the whole array can be selected: A\n",
    );
}

/// 1.5 in both formats of COMP-1.
#[test]
fn formats_of_floating_point() {
    let folder = Folder::new();
    folder.write("float.cpy", b" 01 A.\n 05 F COMP-1.\n");
    folder.check("-q --layout @/float.cpy", b"\x41\x18\0\0", 0, "F\n1.5\n", "");
    folder.check("-q --layout @/float.cpy --float ieee", b"\x3F\xC0\0\0", 0, "F\n1.5\n", "");
}

#[test]
fn long_names_of_types() {
    let folder = Folder::new();
    let name = "N".repeat(300);
    folder.write("long.list", format!("K 1 1 text\nwhen K=A: {name}\nX 2 1 text\nend\n").as_bytes());
    folder.check("-q --layout @/long.list --records fb:2 --output-dir @/out", b"\xC1\xC2", 0, "", "");
    let file = format!("out/{}.csv", &name[..200]);
    assert!(folder.read(&file).ends_with("\nA,B\n"), "{}", folder.read(&file));
}
