//! Tests that nothing is printed if there is nothing to count, and otherwise one line: for each option that counts
//! something, there is one input without a match and one with a match.

use crate::common::process::piped_through;
use std::fs;
use std::process::Command;

#[test]
fn counts_of_nothing_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), "A 1 2 text\nB 3 1 zoned\n").unwrap();
    let run = |line: &str, input: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        let output = piped_through(command.args(line.split(' ')).current_dir(&folder), input);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let cases: [(&str, &[u8], &[u8], &str); 15] = [
        ("-f UTF-8 --malformed replace", b"ab\n", b"a\xFF\n", "1 malformed sequence replaced"),
        ("-f UTF-8 --malformed drop", b"ab\n", b"a\xFF\xFF\n", "2 malformed sequences dropped"),
        ("-f UTF-8 --malformed escape", b"ab\n", b"a\xFF\n", "1 malformed sequence escaped"),
        (
            "-f UTF-8 -t ascii --unmappable replace",
            b"ab\n",
            "é\n".as_bytes(),
            "1 character not in US-ASCII was replaced",
        ),
        (
            "-f UTF-8 -t ascii --unmappable drop",
            b"ab\n",
            "éé\n".as_bytes(),
            "2 characters not in US-ASCII were dropped",
        ),
        ("-f UTF-8 -t ascii --unmappable escape", b"ab\n", "é\n".as_bytes(), "1 character not in US-ASCII was escaped"),
        (
            "-f UTF-8 -t Shift_JIS --best-fit",
            b"ab\n",
            "¥\n".as_bytes(),
            "1 character not in Shift_JIS was written as something similar",
        ),
        ("-f UTF-8 --controls space", b"a\tb\n", b"a\x01\n", "1 control character replaced by a space"),
        ("-f UTF-8 --controls drop", b"a\tb\n", b"a\x01\x02\n", "2 control characters dropped"),
        (
            "-f latin1 --records fb:3 --record-newlines space",
            b"abc",
            b"a\nc",
            "1 newline within a record replaced by a space",
        ),
        (
            "-f latin1 -t latin1 --to-records fb:3 --overlong cut",
            b"abc\nde\n",
            b"abc\ndefgh\n",
            "1 record was too long and cut: 2 bytes lost",
        ),
        (
            "-f latin1 -t latin1 --to-records fb:3 --overlong cut",
            b"\n",
            b"abcd\ndefgh\n",
            "2 records were too long and cut: 3 bytes lost",
        ),
        (
            "rows --layout list -f latin1 --records u16 --overlong cut",
            b"\0\x03ab1",
            b"\0\x04ab1c",
            "1 record longer than the layout: the rest was left out",
        ),
        (
            "rows --layout list -f latin1 --records fb:3 --rejects rejects",
            b"ab1",
            b"ab!ab2cd!",
            "2 records rejected, written to rejects",
        ),
        (
            "rows --layout list -f latin1 --records fb:3 --controls drop",
            b"ab1",
            b"a\x011",
            "1 control character dropped",
        ),
    ];
    for (line, nothing, something, message) in cases {
        assert_eq!(run(line, nothing), (Some(0), String::new()), "{line}");
        assert_eq!(run(line, something), (Some(0), format!("charpipe: <stdin>: {message}\n")), "{line}");
        assert_eq!(run(&format!("{line} -q"), something), (Some(0), String::new()), "{line}");
    }
}
