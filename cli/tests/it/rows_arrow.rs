//! Tests `charpipe rows --format arrow`: the batches, which do not depend on how the input comes, errors, and what is
//! refused. integrations/arrow has the values, which pyarrow reads.

use crate::rows::rows;
use serde_json::Value;
use std::fs;

/// What ends a stream.
const END: &[u8] = b"\xFF\xFF\xFF\xFF\0\0\0\0";

/// Records of two bytes: a text, and a digit.
const LIST: &str = "T 1 1 text\nN 2 1 zoned,unsigned\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("list", LIST.as_bytes());
        folder
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.path().join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }

    /// Returns the status, the output, and the messages. `@` is the folder.
    fn run(&self, line: &str, input: &[u8]) -> (i32, Vec<u8>, String) {
        let path = self.0.path().display().to_string();
        let output = rows(&format!("-q --layout @/list {line}").replace('@', &path), input);
        let messages = String::from_utf8(output.stderr).unwrap().replace(&path, "@");
        (output.status.code().unwrap(), output.stdout, messages)
    }

    #[track_caller]
    fn passes(&self, line: &str, input: &[u8]) -> Vec<u8> {
        let (status, output, messages) = self.run(&format!("--format arrow {line}"), input);
        assert_eq!((status, &*messages), (0, ""), "{line}");
        output
    }
}

/// Returns the number of rows in each batch, and whether the mark of the end follows them.
fn batches(mut stream: &[u8]) -> (Vec<usize>, bool) {
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut found = Vec::new();
    while !stream.is_empty() {
        assert_eq!(stream[..4], END[..4]);
        let (metadata, rest) = stream[8..].split_at(number(stream, 4));
        if metadata.is_empty() {
            assert!(rest.is_empty());
            return (found, true);
        }
        // Where a table has a member: its list of places is before it.
        let member = |table: usize, slot: usize| {
            let list = table - number(metadata, table);
            table + usize::from(metadata[list + 4 + 2 * slot]) + 256 * usize::from(metadata[list + 5 + 2 * slot])
        };
        let follow = |at: usize| at + number(metadata, at);
        let message = follow(0);
        let is_batch = metadata[member(message, 1)] == 3;
        if is_batch {
            found.push(number(metadata, member(follow(member(message, 2)), 0)));
        }
        stream = &rest[if is_batch { number(metadata, member(message, 3)) } else { 0 }..];
    }
    (found, false)
}

#[test]
fn batches_do_not_depend_on_the_input() {
    let folder = Folder::new();
    let schema = folder.run("--schema arrow", b"").1;
    assert_eq!(folder.passes("", b""), schema);
    let records = b"\xC1\xF1\xC2\xF2\xC3\xF3\xC4\xF4".repeat(35_000);
    folder.write("all", &records);
    folder.write("first", &records[..10]);
    folder.write("second", &records[10..]);
    let whole = folder.passes("@/all", b"");
    assert!(whole.starts_with(&schema[..schema.len() - END.len()]));
    assert_eq!(batches(&whole), (vec![65_536, 65_536, 8928], true));
    assert!(folder.passes("--jobs 3 @/all", b"") == whole && folder.passes("", &records) == whole);
    assert!(
        folder.passes("@/first @/second", b"") == whole && folder.passes("--jobs 2 @/first @/second", b"") == whole
    );
    let line = "--report @/report -o @/out --add-columns file,number @/first @/second";
    assert_eq!(folder.passes(line, b""), b"");
    assert_eq!(batches(&folder.read("out")), (vec![65_536, 65_536, 8928], true));
    let report = String::from_utf8(folder.read("report")).unwrap();
    let lines: Vec<Value> = report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["rows"], &lines[1]["rows"]), (&5.into(), &139_995.into()));
    let bytes = lines.iter().map(|line| line["bytes_out"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(bytes, folder.read("out").len() as u64);
}

#[test]
fn errors() {
    let folder = Folder::new();
    let records = b"\xC1\xF1\xC2\xFF\xC3\xF3";
    // The rows before the error, and no mark of the end.
    let (status, output, messages) = folder.run("--format arrow --jobs 3", records);
    assert_eq!((status, batches(&output)), (1, (vec![1], false)));
    assert!(messages.contains("record 2, field N, ") && messages.contains("FF is not a number"), "{messages}");
    folder.write("bad", records);
    folder.write("good", &records[..2]);
    folder.write("out", b"old");
    let (status, output, _) = folder.run("--format arrow @/bad @/good", b"");
    assert_eq!((status, batches(&output)), (1, (vec![2], false)));
    assert_eq!(folder.run("--format arrow -o @/out @/good @/bad", b"").0, 1);
    assert_eq!(folder.read("out"), b"old");
    let (status, output, _) = folder.run("--format arrow @/missing", b"");
    assert_eq!((status, &*output), (3, &b""[..]));
    // Errors that the options allow.
    let rejected = folder.passes("--rejects @/rejects", records);
    assert_eq!(batches(&rejected), (vec![2], true));
    assert_eq!(folder.read("rejects").iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(batches(&folder.passes("--on-bad null", records)), (vec![3], true));
    let reported = folder.passes("--on-bad null --add-columns errors,record", records);
    assert!(reported.windows(10).any(|bytes| bytes == b"bad-number"));
}

/// Numbers have the types that `--integers` chooses; the options of text are refused.
#[test]
fn options() {
    let folder = Folder::new();
    let records = b"\xC1\xF1\xC2\xF2";
    let columns = |options: &str| {
        let schema = folder.run(&format!("--schema arrow {options}"), b"").1;
        let found = folder.passes(options, records);
        assert!(found.starts_with(&schema[..schema.len() - END.len()]), "{options}");
        found
    };
    // Two numbers of sixteen bytes, or of four.
    assert_eq!(columns("").len(), columns("--integers").len() + 24);
    columns("--select T --add-columns number,offset,record --underscores");
    columns("--dates N=YYYYMMDD --on-bad null");
    for (line, message) in [
        ("--formulas quote", "--formulas quote: no program runs the text of Arrow; leave the option out"),
        ("--quote-empty", "--quote-empty: Arrow has null for a missing value; leave the option out"),
        ("--nest", "--nest: only JSON has rows in other rows; add --format jsonl"),
        ("--output-dir @/dir", "--output-dir: the rows of Arrow are in one stream"),
    ] {
        let (status, output, messages) = folder.run(&format!("--format arrow {line}"), records);
        assert!(status == 2 && output.is_empty() && messages.contains(message), "{line}: {messages}");
    }
    let (status, _, messages) = folder.run("--from-rows arrow", records);
    assert!(status == 2 && messages.contains("--from-rows") && messages.contains("csv, jsonl"), "{messages}");
    let (status, _, messages) = folder.run("--integers --format jsonl", records);
    assert!(status == 2 && messages.contains("only --schema and --format arrow have some"), "{messages}");
}
