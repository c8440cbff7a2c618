//! `charpipe rows --from-rows`: invalid and misleading rows, and the positions of errors.

use crate::rows::rows;
use std::fs;

/// Two fields of text.
const LIST: &str = "A 1 2 text\nB 3 3 text\n";

/// Returns the status, the records and the messages, without the name of the input.
fn back(options: &str, text: &[u8]) -> (i32, Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    fs::write(&list, LIST).unwrap();
    let line = format!("-q --layout {} -f US-ASCII --to-records fb:5 {options}", list.display());
    let output = rows(&line, text);
    let words = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), output.stdout, words.replace("charpipe: <stdin>: ", ""))
}

#[track_caller]
fn fails(format: &str, text: &str, records: &str, words: &str) {
    let (status, shown, found) = back(&format!("--from-rows {format}"), text.as_bytes());
    assert_eq!((status, &*String::from_utf8_lossy(&shown), &*found), (1, records, &*format!("{words}\n")), "{text:?}");
}

#[track_caller]
fn csv_passes(text: &str, records: &str) {
    let (status, shown, found) = back("--from-rows csv", text.as_bytes());
    assert_eq!((status, &*String::from_utf8_lossy(&shown), &*found), (0, records, ""), "{text:?}");
}

#[test]
fn csv_of_all_kinds() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["\u{FEFF}A,B", "1,x", "\"2,\",\"a\"\"b\"", "", "_"].map(|line| format!("{line}{end}")).concat();
        csv_passes(&text.replace('_', "\"3\","), "1 x  2,a\"b3    ");
    }
    csv_passes("\u{FEFF}\"A\",B,_number,_type\n1,x,1,T", "1 x  ");
    csv_passes("A,B\n", "");
    // The header of rows without columns.
    csv_passes("\"\"\n\"\"\n", "     ");
}

/// In a file with one column, an empty line is a row with an empty value.
#[test]
fn empty_lines() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    std::fs::write(&list, "A 1 2 text\n").unwrap();
    let line = format!("-q --layout {} -f latin1 --from-rows csv", list.display());
    for (text, records) in [("\nA\nx\n\ny\n", "x   y "), ("A\r\n\r\n\r\n", "    "), ("A\n", ""), ("A\nx", "x ")] {
        assert_eq!(String::from_utf8(rows(&line, text.as_bytes()).stdout).unwrap(), records, "{text:?}");
    }
    // With several columns, it is nothing.
    std::fs::write(&list, "A 1 2 text\nB 3 2 text\n").unwrap();
    assert_eq!(rows(&line, b"A,B\n\nx,y\n\n").stdout, b"x y ");
}

#[test]
fn csv_is_malformed() {
    let fails = |text: &str, records: &str, words: &str| fails("csv", text, records, words);
    fails("A,B\n1,\"x\n2,y\n", "", "line 2, column 1 (byte 4): row 1: the quote of field 2 is not closed");
    fails("A,B\n1,x\n\"", "1 x  ", "line 3, column 1 (byte 8): row 2: the quote of field 1 is not closed");
    fails(
        "A,B\n1,x\n\"2\"0,y\n",
        "1 x  ",
        "line 3, column 1 (byte 8): row 2: text follows the closing quote of field 1; expected a comma or the end of the line",
    );
    fails(
        "A,B\n1, \"x\"\n",
        "",
        "line 2, column 1 (byte 4): row 1: a quote is inside field 2; expected quotes around the whole field, and \"\" in it",
    );
    for text in ["", "\n\r\n"] {
        fails(
            text,
            "",
            "line 1, column 1 (byte 0): the header: there is none; expected a line with the names of the fields",
        );
    }
    // What follows the first field too many is not read.
    let commas = ",".repeat(1 << 20);
    fails(
        &format!("A,B\n1,x\n{commas}"),
        "1 x  ",
        "line 3, column 1 (byte 8): row 2: it has more than 2 fields, but the header has 2",
    );
    fails(&commas, "", "line 1, column 1 (byte 0): the header: it has more than 11 fields, but the layout has 2");
}

/// Commas without end need no memory.
#[cfg(target_os = "linux")]
#[test]
fn a_line_of_commas_in_little_memory() {
    use crate::common::process::Start;

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), LIST).unwrap();
    let script = "ulimit -d 8192; { printf 'A,B\\n'; head -c 30M /dev/zero | tr '\\0' ,; } | \
                  \"$0\" rows -q --layout list --to-records fb:5 --from-rows csv";
    let charpipe = env!("CARGO_BIN_EXE_charpipe");
    let output = std::process::Command::new("sh").args(["-c", script, charpipe]).current_dir(folder.path()).run();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("line 2, column 1 (byte 4): row 1: it has more than 2 fields"), "{words}");
}

#[test]
fn places_count_all_line_ends() {
    let fails = |text: &str, words: &str| fails("csv", text, "1 x  ", words);
    fails("A,B\r\n1,x\r\n2\r\n", "line 3, column 1 (byte 10): row 2: it has 1 field, but the header has 2");
    fails("A,B\n\n\n1,x\n\n2\n", "line 6, column 1 (byte 11): row 2: it has 1 field, but the header has 2");
    fails(
        "\r\n\r\nA,B\r\n\r\n1,x\r\n\r\n2\r\n",
        "line 7, column 1 (byte 18): row 2: it has 1 field, but the header has 2",
    );
    fails("A,B\r1,x\r2\r", "line 3, column 1 (byte 8): row 2: it has 1 field, but the header has 2");
}

#[test]
fn rows_of_json_are_objects() {
    let fails = |text: &str, words: &str| fails("jsonl", text, "1 x  ", words);
    let good = "{\"A\":1,\"B\":\"x\"}\n";
    fails(&format!("{good}[1, 2]\n"), "line 2, column 1 (byte 16): row 2: found [1, 2]; expected an object of JSON");
    fails(&format!("{good} 7\n"), "line 2, column 1 (byte 16): row 2: found 7; expected an object of JSON");
}

/// A byte order mark is nothing at the beginning of the text, and not allowed later.
#[test]
fn json_of_all_kinds() {
    let rows = ["{\"A\":1,\"B\":\"x\"}", "", " ", "{ \"B\" : \"yz\" , \"A\" : 2 }"];
    for mark in ["", "\u{FEFF}"] {
        for end in ["\n", "\r\n"] {
            let text = format!("{mark}{}", rows.join(end));
            let (status, records, words) = back("--from-rows jsonl", text.as_bytes());
            assert_eq!((status, &*records, &*words), (0, &b"1 x  2 yz "[..], ""), "{text:?}");
        }
    }
    let text = format!("{}\n\u{FEFF}{}\n", rows[0], rows[3]);
    let found = "found \u{FEFF}{ \"B\" : \"yz\" , \"A\" : 2 }; expected an object of JSON";
    fails("jsonl", &text, "1 x  ", &format!("line 2, column 1 (byte 16): row 2: {found}"));
}

/// The records take the place of a file only if all rows were written.
#[test]
fn into_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (list, output) = (folder.path().join("list"), folder.path().join("out"));
    fs::write(&list, LIST).unwrap();
    let (shown, out) = (list.display(), output.display());
    let line = format!("-q --layout {shown} -f US-ASCII --to-records fb:5 --from-rows csv -o {out}");
    for (text, status, records) in
        [("A,B\n1,x\n", 0, "1 x  "), ("A,B\n2,y\n3\n", 1, "1 x  "), ("A,B\n2,y\n3,z\n", 0, "2 y  3 z  ")]
    {
        let found = rows(&line, text.as_bytes());
        assert_eq!((found.status.code(), &*found.stdout), (Some(status), &b""[..]), "{text:?}");
        assert_eq!(fs::read_to_string(&output).unwrap(), records, "{text:?}");
    }
}

/// Rows of several files become the records that they were read from, in the order of their numbers.
#[test]
fn merged_tables() {
    const TYPES: &str = "K 1 1 text\nwhen K=C: CUSTOMER\nNAME 2 2 text\nwhen K=A: ACCOUNT\nNUM 2 1 zoned,unsigned\n\
                         FLAG 3 1 text\nwhen K=N: NOTE\nTEXT 2 2 text\n";
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("list"), TYPES).unwrap();
    let kinds = "CANACAANNCNA".chars().cycle().take(60_000).enumerate();
    let records: String = kinds.map(|(index, kind)| format!("{kind}{}x", index % 10)).collect();
    fs::write(at("records"), &records).unwrap();
    for (format, number) in [("csv", "--add-columns number"), ("jsonl", "--parent ACCOUNT<CUSTOMER")] {
        let base = format!("-q --layout {} -f US-ASCII", at("list"));
        let read = format!("{base} {number} --format {format} --output-dir {} {}", at("tables"), at("records"));
        assert_eq!(rows(&read, b"").status.code(), Some(0));
        let files = ["NOTE", "CUSTOMER", "ACCOUNT"].map(|name| format!("{}/{name}.{format}", at("tables")));
        let line = format!("{base} --from-rows {format} --merge {}", files.join(" "));
        let merged = rows(&format!("{line} --report {}", at("report")), b"");
        assert_eq!((merged.status.code(), &*merged.stderr), (Some(0), &b""[..]));
        assert!(merged.stdout == records.as_bytes(), "{format}");
        let report = fs::read_to_string(at("report")).unwrap();
        let expected = ["20000,\"bytes_out\":60000", "15000,\"bytes_out\":45000", "25000,\"bytes_out\":75000"];
        for (line, expected) in report.lines().zip(expected) {
            assert!(line.contains(&format!("\"records_out\":{expected}")), "{line}");
        }
        // In one file they are in order already.
        let one = format!("{base} --add-columns number --format {format} {} -o {}", at("records"), at("one"));
        assert_eq!(rows(&one, b"").status.code(), Some(0));
        let line = format!("{base} --from-rows {format} --merge {}", at("one"));
        assert!(rows(&line, b"").stdout == records.as_bytes(), "{format}");
    }
}

#[test]
fn tables_that_cannot_be_merged() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("list"), LIST).unwrap();
    for (name, text) in [
        ("odd", "_number,A,B\n1,a,a\n3,c,c\n"),
        ("even", "_number,A,B\n2,b,b\n4,d,d\n"),
        ("none", "A,B\nx,x\n"),
        ("late", "_number,A,B\n5,e,e\nx,f,f\n"),
        ("back", "_number,A,B\n6,g,g\n4,h,h\n"),
        ("empty", "A,B\n"),
    ] {
        fs::write(at(name), text).unwrap();
    }
    let merge = |names: &[&str]| {
        let files = names.iter().map(|name| at(name)).collect::<Vec<_>>().join(" ");
        let line = format!("-q --layout {} -f US-ASCII --from-rows csv --merge {files}", at("list"));
        let output = rows(&line, b"");
        let words = String::from_utf8(output.stderr).unwrap().replace(&at(""), "");
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap(), words)
    };
    assert_eq!(merge(&["even", "odd", "empty"]), (0, "a a  b b  c c  d d  ".to_owned(), String::new()));
    let (status, records, words) = merge(&["odd", "none"]);
    assert_eq!((status, &*records), (2, ""), "{words}");
    assert!(
        words.contains("none: line 2, column 1 (byte 4): row 1: it has no _number, the number of its record (write "),
        "{words}"
    );
    let (status, records, words) = merge(&["late", "odd"]);
    assert_eq!((status, &*records), (1, "a a  c c  e e  "), "{words}");
    assert!(words.contains("its _number is missing, or not a number"), "{words}");
    let (status, records, words) = merge(&["back", "odd"]);
    assert_eq!((status, &*records), (1, "a a  c c  g g  "), "{words}");
    assert!(words.contains("its _number 4 does not come after 6"), "{words}");
    let (status, records, words) = merge(&["odd", "odd"]);
    assert_eq!((status, &*records), (1, "a a  "), "{words}");
    let (status, _, words) = merge(&["odd", "missing"]);
    assert_eq!(status, 3, "{words}");
    // An old output is unchanged.
    fs::write(at("out"), "old").unwrap();
    let files = format!("{} {} -o {}", at("back"), at("odd"), at("out"));
    let line = format!("-q --layout {} -f US-ASCII --from-rows csv --merge {files}", at("list"));
    assert_eq!(rows(&line, b"").status.code(), Some(1));
    assert_eq!(fs::read_to_string(at("out")).unwrap(), "old");
    assert_eq!(rows(&line.replace("--from-rows csv ", ""), b"").status.code(), Some(2), "it needs --from-rows");
}
