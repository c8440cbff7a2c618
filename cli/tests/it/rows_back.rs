//! `charpipe rows --from-rows`: rows that are not what they seem, and where the errors are.

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
    fails("A,B\n1,\"x\n2,y\n", "", "byte 4: row 1 on line 2: the quote of field 2 is not closed");
    fails("A,B\n1,x\n\"", "1 x  ", "byte 8: row 2 on line 3: the quote of field 1 is not closed");
    fails(
        "A,B\n1,x\n\"2\"0,y\n",
        "1 x  ",
        "byte 8: row 2 on line 3: text follows the closing quote of field 1; expected a comma or the end of the line",
    );
    fails(
        "A,B\n1, \"x\"\n",
        "",
        "byte 4: row 1 on line 2: a quote is inside field 2; expected quotes around the whole field, and \"\" in it",
    );
    for text in ["", "\n\r\n"] {
        fails(text, "", "byte 0: the header: there is none; expected a line with the names of the fields");
    }
    // What follows the first field too many is not read.
    let commas = ",".repeat(1 << 20);
    fails(
        &format!("A,B\n1,x\n{commas}"),
        "1 x  ",
        "byte 8: row 2 on line 3: it has more than 2 fields, but the header has 2",
    );
    fails(&commas, "", "byte 0: the header: it has more than 8 fields, but the layout has 2");
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
    assert!(words.contains("byte 4: row 1 on line 2: it has more than 2 fields"), "{words}");
}

#[test]
fn places_count_all_line_ends() {
    let fails = |text: &str, words: &str| fails("csv", text, "1 x  ", words);
    fails("A,B\r\n1,x\r\n2\r\n", "byte 10: row 2 on line 3: it has 1 field, but the header has 2");
    fails("A,B\n\n\n1,x\n\n2\n", "byte 11: row 2 on line 6: it has 1 field, but the header has 2");
    fails("\r\n\r\nA,B\r\n\r\n1,x\r\n\r\n2\r\n", "byte 18: row 2 on line 7: it has 1 field, but the header has 2");
    fails("A,B\r1,x\r2\r", "byte 8: row 2 on line 3: it has 1 field, but the header has 2");
}

#[test]
fn rows_of_json_are_objects() {
    let fails = |text: &str, words: &str| fails("jsonl", text, "1 x  ", words);
    let good = "{\"A\":1,\"B\":\"x\"}\n";
    fails(&format!("{good}[1, 2]\n"), "byte 16: row 2: found [1, 2]; expected an object of JSON");
    fails(&format!("{good} 7\n"), "byte 16: row 2: found 7; expected an object of JSON");
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
    fails("jsonl", &text, "1 x  ", &format!("byte 16: row 2: {found}"));
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
