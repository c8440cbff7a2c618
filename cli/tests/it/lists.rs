//! `--inputs`, `--files0-from`, `--as http`, `--output-suffix` and `--skip-existing`.
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn charpipe(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args).current_dir(folder).output().unwrap()
}

fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[test]
fn each_line_has_its_own_options() {
    let list = br#"{"input": "a.txt", "from": "ISO-8859-1", "output": "a.out"}

{"input": "b.html", "content_type": "text/html; charset=windows-1251", "output": "b.out", "to": "UTF-16LE"}
{"input": "c.txt", "output": "c.out"}
"#;
    let folder = folder(&[("a.txt", b"\xE9"), ("b.html", b"\xC4"), ("c.txt", "é".as_bytes()), ("list.jsonl", list)]);
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let output = charpipe(folder.path(), &["-q", "--inputs", "list.jsonl", "--report", "report.jsonl"]);
    assert_eq!(texts(&output), (0, String::new(), String::new()));
    assert_eq!((read("a.out"), read("b.out"), read("c.out")), ("é".into(), b"\x14\x04".to_vec(), "é".into()));
    let report = String::from_utf8(read("report.jsonl")).unwrap();
    let inputs: Vec<String> = report
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["input"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(inputs, ["a.txt", "b.html", "c.txt"]);
}

#[test]
fn without_outputs_everything_goes_to_one() {
    let list = br#"{"input": "a.txt", "from": "ISO-8859-1"}
{"input": "b.txt"}"#;
    let folder = folder(&[("a.txt", b"\xE9\n"), ("b.txt", "é\n".as_bytes()), ("list.jsonl", list)]);
    let output = charpipe(folder.path(), &["--inputs", "list.jsonl"]);
    assert_eq!(texts(&output), (0, "é\né\n".to_owned(), String::new()));
    let output = charpipe(folder.path(), &["-q", "--inputs", "list.jsonl", "--output-dir", "new"]);
    assert_eq!(texts(&output), (0, String::new(), String::new()));
    assert_eq!(fs::read(folder.path().join("new/a.txt")).unwrap(), "é\n".as_bytes());
}

/// `auto` detects the encoding, even if `-f` names one for the other lines.
#[test]
fn auto_in_a_line() {
    let list = br#"{"input": "a.xml", "from": "auto"}
{"input": "b.txt"}
{"input": "a.xml", "from": "AUTO", "to": "ISO-8859-1"}"#;
    let folder = folder(&[
        ("a.xml", "<?xml version='1.0' encoding='UTF-8'?><a>é</a>\n".as_bytes()),
        ("b.txt", b"\xE9\n"),
        ("list", list),
    ]);
    let output = charpipe(folder.path(), &["-f", "ISO-8859-1", "--inputs", "list", "--report", "report"]);
    assert_eq!(output.status.code(), Some(0));
    let report = fs::read_to_string(folder.path().join("report")).unwrap();
    let from = |line: &str| serde_json::from_str::<Value>(line).unwrap()["from"].as_str().unwrap().to_owned();
    assert_eq!(report.lines().map(from).collect::<Vec<_>>(), ["UTF-8", "ISO-8859-1", "UTF-8"]);
}

/// A bad line is an error with its place, and nothing is written.
#[test]
fn a_bad_line() {
    let good = r#"{"input": "a.txt", "output": "a.out"}"#;
    let long = "x".repeat(1 << 20);
    for (bad, why) in [
        (&*long, "line 2: it is longer than 1048576 bytes"),
        ("{\"input\": \"a.txt\"", "line 2: column 17: EOF while parsing an object"),
        ("[]", "line 2: column "),
        ("{\"output\": \"x\"}", "line 2: column 15: missing field `input`"),
        ("{\"input\": \"b.txt\", \"encoding\": \"L1\"}", "unknown field `encoding`, expected one of `input`"),
        ("{\"input\": \"b.txt\", \"from\": \"no-such\"}", "line 2: \"no-such\" is not known (see `charpipe list`)"),
        ("{\"input\": \"b.txt\"}", "line 2: it has no `output`, but other lines have one"),
        ("{\"input\": \"b.txt\", \"output\": \"a.out\"}", "a.out: both a.txt and b.txt would be written to it"),
    ] {
        let folder = folder(&[("a.txt", b"x"), ("b.txt", b"y"), ("list", format!("{good}\n{bad}\n").as_bytes())]);
        let output = charpipe(folder.path(), &["--inputs", "list"]);
        let (status, _, stderr) = texts(&output);
        assert_eq!(status, 2, "{bad}: {stderr}");
        assert!(stderr.contains(why), "{bad}: {stderr}");
        assert!(!folder.path().join("a.out").exists(), "{bad}");
    }
    let folder = folder(&[]);
    assert_eq!(texts(&charpipe(folder.path(), &["--inputs", "no-such"])).0, 3);
    assert_eq!(texts(&charpipe(folder.path(), &["--inputs", "x", "FILE"])).0, 2);
}

#[test]
fn responses() {
    let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-2\r\n\r\n<p>\xB1</p>\n";
    let folder = folder(&[
        ("page", page),
        ("gzip", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1F\x8B"),
        ("chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        ("plain", b"no response"),
        ("bad", b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nab\xFF"),
    ]);
    let run = |args: &[&str]| texts(&charpipe(folder.path(), args));
    assert_eq!(run(&["--as", "http", "page"]), (0, "<p>ą</p>\n".to_owned(), String::new()));
    // The option wins.
    let (_, text, _) = run(&["-q", "--as", "http", "--content-type", "text/html; charset=iso-8859-1", "page"]);
    assert_eq!(text, "<p>±</p>\n");
    let (status, found, _) = run(&["detect", "--as", "http", "page"]);
    assert!(status == 0 && found.starts_with("page: ISO-8859-2 (html; rule rfc7303:charset"), "{found}");
    for (file, why) in [
        (
            "gzip",
            "gzip: byte 17: the body was compressed (gzip); fetch it uncompressed, as curl does without --compressed",
        ),
        ("chunked", "chunked: byte 17: the body is transferred as chunked; save it without --raw"),
        ("plain", "plain: byte 0: this is not an HTTP response"),
        ("bad", "bad: line 1, column 3 (byte 2): FF is not valid UTF-8"),
    ] {
        let (status, _, stderr) = run(&["--as", "http", file]);
        assert!(status == 1 && stderr.starts_with(&format!("charpipe: {why}")), "{file}: {stderr}");
        if file != "bad" {
            let (status, _, stderr) = run(&["detect", "--as", "http", file]);
            assert!(status == 1 && stderr.starts_with(&format!("charpipe: {why}")), "{file}: {stderr}");
        }
    }
    // A transfer that ended before its declared length leaves the old file.
    fs::write(folder.path().join("cut"), b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n<p>caf</p").unwrap();
    fs::write(folder.path().join("whole"), b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n<p>a</p>").unwrap();
    fs::write(folder.path().join("out"), "old").unwrap();
    let (status, _, stderr) = run(&["--as", "http", "cut", "-o", "out"]);
    assert_eq!(stderr, "charpipe: cut: byte 9: cannot read: the body of the response ends after 9 of 10 bytes\n");
    assert_eq!((status, &*fs::read(folder.path().join("out")).unwrap()), (3, &b"old"[..]));
    assert_eq!(run(&["--as", "http", "whole", "-o", "out"]).0, 0);
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"<p>a</p>");
    // One invalid input does not stop the others, and each has a line in the report.
    let output =
        charpipe(folder.path(), &["-q", "--as", "http", "--output-dir", "new", "--report", "-", "gzip", "page"]);
    let (status, _, stderr) = texts(&output);
    assert_eq!(status, 1);
    assert!(stderr.lines().any(|line| line.contains("\"code\":\"http\"")), "{stderr}");
    assert_eq!(fs::read(folder.path().join("new/page")).unwrap(), "<p>ą</p>\n".as_bytes());
}

#[test]
fn suffixes_and_existing_outputs() {
    let folder = folder(&[("a.txt", b"a"), ("b.txt", b"b")]);
    let run = |args: &[&str]| texts(&charpipe(folder.path(), args));
    let args = ["-q", "--output-dir", "new", "--output-suffix", ".utf8", "a.txt", "b.txt"];
    assert_eq!(run(&args), (0, String::new(), String::new()));
    let read = |name: &str| fs::read(folder.path().join("new").join(name)).unwrap();
    assert_eq!((read("a.txt.utf8"), read("b.txt.utf8")), (b"a".to_vec(), b"b".to_vec()));
    fs::write(folder.path().join("a.txt"), b"changed").unwrap();
    fs::remove_file(folder.path().join("new/b.txt.utf8")).unwrap();
    let (status, _, stderr) =
        run(&["--skip-existing", "--output-dir", "new", "--output-suffix", ".utf8", "a.txt", "b.txt"]);
    assert_eq!((status, &*stderr), (0, "charpipe: 1 file was skipped: its output exists\n"));
    assert_eq!((read("a.txt.utf8"), read("b.txt.utf8")), (b"a".to_vec(), b"b".to_vec()));
    let (status, _, stderr) =
        run(&["--skip-existing", "--output-dir", "new", "--output-suffix", ".utf8", "a.txt", "b.txt"]);
    assert_eq!((status, &*stderr), (0, "charpipe: 2 files were skipped: their outputs exist\n"));
    let (status, _, stderr) = run(&["--output-dir", "new", "--output-suffix", "/x", "a.txt"]);
    assert_eq!((status, &*stderr), (2, "charpipe: --output-suffix: SUFFIX must not contain a slash\n"));
}

/// The names may have spaces and newlines. The last one needs no NUL after it.
#[test]
fn names_separated_by_nul() {
    let folder =
        folder(&[("a b", b"1\n"), ("-c", b"2\n"), ("d\ne", b"3\n"), ("list", b"a b\0-c\0d\ne\0"), ("none", b"")]);
    let run = |args: &[&str]| texts(&charpipe(folder.path(), args));
    assert_eq!(run(&["--files0-from", "list"]), (0, "1\n2\n3\n".to_owned(), String::new()));
    assert_eq!(run(&["detect", "-b", "--files0-from=list"]), (0, "UTF-8\n".repeat(3), String::new()));
    assert_eq!(run(&["-q", "--files0-from", "list", "--output-dir", "new"]), (0, String::new(), String::new()));
    assert_eq!(fs::read(folder.path().join("new/d\ne")).unwrap(), b"3\n");
    fs::write(folder.path().join("layout"), "A 1 1 text\n").unwrap();
    let rows = run(&[
        "rows",
        "--layout",
        "layout",
        "-f",
        "latin1",
        "--records",
        "fb:2",
        "--overlong",
        "cut",
        "--files0-from",
        "list",
    ]);
    assert_eq!((rows.0, &*rows.1), (0, "A\n1\n2\n3\n"));
    // An empty name is not a file, and not standard input.
    for command in ["convert", "detect", "rows --layout layout"] {
        let words: Vec<&str> = command.split(' ').chain(["--files0-from", "none"]).collect();
        assert_eq!(run(&words), (0, String::new(), String::new()), "{command}");
    }
}

#[test]
fn what_is_wrong_with_a_list_of_names() {
    let folder = folder(&[("a", b"1\n"), ("empty", b"a\0\0a"), ("long", &[b'x'; 70_000])]);
    for (args, status, expected) in [
        (&["--files0-from", "empty"][..], 2, "empty: name 2: it is empty"),
        (&["--files0-from", "long"], 2, "long: name 1: it is longer than 64 KiB"),
        (&["--files0-from", "absent"], 3, "absent: cannot open: "),
        (&["--files0-from", "empty", "a"], 2, "--files0-from"),
        (&["--files0-from", "empty", "--inputs", "a"], 2, "--files0-from"),
        (&["detect", "--files0-from", "empty"], 2, "empty: name 2: it is empty"),
        (&["rows", "--layout", "a", "--files0-from", "empty"], 2, "empty: name 2: it is empty"),
    ] {
        let (code, stdout, stderr) = texts(&charpipe(folder.path(), args));
        assert_eq!((code, &*stdout), (status, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
    }
    // The list is read, so it is not an output.
    fs::write(folder.path().join("list"), b"a").unwrap();
    let (code, _, stderr) = texts(&charpipe(folder.path(), &["--files0-from", "list", "-o", "list"]));
    assert!(code == 2 && stderr.contains("--files0-from reads this file"), "{stderr}");
    assert_eq!(fs::read(folder.path().join("list")).unwrap(), b"a");
}
