//! `charpipe rows --show-layout`: the table that a user checks before running a job.

use crate::rows::{CLIENTS, passes, rows};

#[test]
fn the_layout_alone() {
    let shown = passes("--layout mainframe-data-utilities/COBVBFM2.cpy --show-layout", b"");
    assert_eq!(
        shown,
        "\
OUT-RECORD
36 to 306 bytes, 5 fields, code page IBM037; layout mainframe-data-utilities/COBVBFM2.cpy

level  name            from  length  kind            picture
   01  OUT-RECORD        1      306  group
   03    OUT-KEY         1        4  group
   05      OUTK-TYPE     1        2  text            XX
   05      OUTK-SEQT     3        2  zoned,unsigned  99
   03    OUT-REC-CNT     5        2  packed          S999 COMP-3
   03    OUT-REC         7       30  group           OCCURS 1 TO 10 DEPENDING ON OUT-REC-CNT
   05      OUT-REC-NO    7        9  zoned,unsigned  9(09)
   05      OUT-NAME     16       21  text            X(21)
"
    );
}

#[test]
fn with_the_first_record() {
    let line = "--layout mainframe-data-utilities/COBVBFM2.cpy --show-layout --records rdw \
                mainframe-data-utilities/COBVBFM2.EBCDIC.txt";
    let shown = passes(line, b"");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[2], "first record of mainframe-data-utilities/COBVBFM2.EBCDIC.txt: 36 bytes");
    assert_eq!(
        lines[4..].join("\n"),
        "\
level  name            from  length  kind            picture                                           bytes                   value
   01  OUT-RECORD        1      306  group
   03    OUT-KEY         1        4  group
   05      OUTK-TYPE     1        2  text            XX                                                F0 F0                   \"00\"
   05      OUTK-SEQT     3        2  zoned,unsigned  99                                                F0 F1                   1
   03    OUT-REC-CNT     5        2  packed          S999 COMP-3                                       00 1C                   1
   03    OUT-REC         7       30  group           OCCURS 1 TO 10 DEPENDING ON OUT-REC-CNT (here 1)
   05      OUT-REC-NO    7        9  zoned,unsigned  9(09)                                             F0 F0 F0 F0 F0 … F0 F1  1
   05      OUT-NAME     16       21  text            X(21)                                             D5 C1 D4 C5 40 … 00 00  \"NAME NUMBE000000001\\0\\0\""
    );
}

#[test]
fn alternatives_that_do_not_apply_and_bad_fields() {
    let file = "mainframe-data-utilities/CLIENT.EBCDIC.txt";
    let line = "--layout mainframe-data-utilities/COBKS05.cpy --show-layout";
    let shown = passes(&format!("{line} {CLIENTS} {file}"), b"");
    let find = |shown: &str, name: &str| {
        shown.lines().find(|line| line.contains(&format!(" {name} "))).map(str::to_owned).unwrap()
    };
    assert!(find(&shown, "CLIENT-NAME").ends_with(" -"));
    assert!(find(&shown, "CLIENT-RECORD-COUNT").ends_with(" 220"));
    let output = rows(&format!("-q {line} {file}"), b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(find(&String::from_utf8_lossy(&output.stdout), "CLIENT-INCOME").ends_with(" not a number"));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(words, format!("charpipe: {file}: byte 0: record 1: 1 field cannot be read\n"));
}

#[test]
fn the_page_is_well_formed_and_complete() {
    let line = format!(
        "--layout mainframe-data-utilities/COBKS05.cpy {CLIENTS} --show-layout --html mainframe-data-utilities/CLIENT.EBCDIC.txt"
    );
    let page = passes(&line, b"");
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let parsed = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let rows: Vec<_> = parsed.descendants().filter(|node| node.has_tag_name("tr")).collect();
    assert_eq!(rows.len(), 17 + 1);
    // All 490 bytes are there, not only the first.
    let longest = parsed.descendants().filter_map(|node| node.text()).map(str::len).max();
    assert!(longest >= Some(490 * 3 - 1), "{longest:?}");
    assert!(parsed.descendants().any(|node| node.text() == Some("220")));
}

/// Without the escape sequences, coloured text is what is shown without colour, to the ends of the lines.
#[test]
fn in_colour() {
    let line = "--layout mainframe-data-utilities/COBVBFM2.cpy --show-layout --records rdw \
                mainframe-data-utilities/COBVBFM2.EBCDIC.txt";
    let colored = passes(&format!("--color always {line}"), b"");
    assert!(colored.contains("\x1B[32mtext\x1B[0m"), "{colored}");
    let plain: String = format!("m{colored}").split("\x1B[").map(|part| part.split_once('m').unwrap().1).collect();
    assert_eq!(plain, passes(line, b""));
}
