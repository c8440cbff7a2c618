//! The command, run as a user runs it: options, exit statuses, messages, JSON, and what happens to files.

use crate::common::process::Start;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
#[cfg(unix)]
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const XML_1047: &[u8] = include_bytes!("../../../examples/data/hello-ibm1047.xml");

/// `<?xml version='1.0'?>` in code page 037 and related pages: EBCDIC that names no page.
const UNNAMED_EBCDIC: &[u8] =
    b"\x4C\x6F\xA7\x94\x93\x40\xA5\x85\x99\xA2\x89\x96\x95\x7E\x7D\xF1\x4B\xF0\x7D\x6F\x6E\x15\x4C\x81\x61\x6E";

fn charpipe() -> Command {
    Command::new(env!("CARGO_BIN_EXE_charpipe"))
}

/// Runs the command with `input` on standard input.
fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8]) -> Output {
    let mut command = charpipe();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.start();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A run that needs no input may end before all of it is written.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// Runs the command with the arguments in `line`, separated by spaces.
fn typed(line: &str, input: &[u8]) -> Output {
    run(line.split_whitespace(), input)
}

/// In IBM1047, Java expects another newline than IBM's table has, so there is a hint.
#[test]
fn newlines_of_xml_in_ibm1047() {
    let xml = b"<?xml version='1.0'?>\n<a/>\n";
    let hint = "charpipe: <stdin>: line 1, column 22 (byte 21): hint: newlines are byte 25, as in IBM's table; Java and z/OS UNIX expect \
                byte 15 in XML of this page; try --ebcdic-nl zos (lf-at-25)\n";
    for line in ["-t IBM1047", "-t IBM1047 --unmappable fail -f ISO-8859-1", "-t CP1047 --eol lf"] {
        assert_eq!(stderr(&typed(line, xml)), hint, "{line}");
        assert_eq!(status(&typed(&format!("--strict {line}"), xml)), 0);
    }
    for line in ["-t IBM1047 --ebcdic-nl zos", "-t IBM1047,nl=zos", "-t IBM1047 --eol nel", "-t IBM037", "-t IBM500"] {
        assert_eq!(stderr(&typed(line, xml)), "", "{line}");
    }
    assert_eq!(stderr(&typed("-t IBM1047", b"<?xml version='1.0'?><a/>")), "");
    assert_eq!(stderr(&typed("-t IBM1047", b"text\n")), "");
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("the run was not ended by a signal")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Checks the exit status, standard output and standard error.
#[track_caller]
fn check(output: &Output, expected: (i32, &[u8], &str)) {
    let found = (status(output), &*output.stdout, stderr(output));
    assert_eq!(found, expected, "standard output: {}", String::from_utf8_lossy(&output.stdout));
}

/// Checks that the run succeeds and prints no messages.
#[track_caller]
fn silent(output: &Output, expected: &[u8]) {
    check(output, (0, expected, ""));
}

fn objects(text: &[u8]) -> Vec<Value> {
    std::str::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn utf16be(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Returns the names in a folder, which would include any temporary file.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn convert_is_the_default_command() {
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<customers>\n";
    for line in ["", "-", "convert", "convert -", "--", "--quiet", "-f auto"] {
        let output = typed(line, XML_1047);
        assert_eq!((status(&output), stderr(&output)), (0, ""), "{line}");
        assert!(output.stdout.starts_with(expected.as_bytes()), "{line}");
    }
}

#[test]
fn a_file_named_like_a_command() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("detect"), "text").unwrap();
    for args in [&["convert", "detect"][..], &["--", "detect"], &["./detect"]] {
        silent(&charpipe().current_dir(&folder).args(args).run(), b"text");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for line in ["-h", "--help", "help", "-V", "--version", "convert -h", "detect --help", "help detect"] {
        let output = typed(line, b"");
        assert_eq!((status(&output), stderr(&output)), (0, ""), "{line}");
        assert!(output.stdout.starts_with(b"charpipe ") || output.stdout.len() > 200, "{line}");
    }
    assert_eq!(typed("-V", b"").stdout, format!("charpipe {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
}

#[test]
fn wrong_usage_exits_2_before_anything_is_read() {
    for line in [
        "--nonsense",
        "-f",
        "--malformed perhaps",
        "--relabel always",
        "--bom maybe",
        "--eol cr",
        "--ebcdic-nl jdk",
        "--as pdf",
        "detect --to UTF-8",
        "detect --output x",
        "convert --json",
        "-f nonsense",
        "-t nonsense",
        "-t auto",
        "--fallback nonsense",
        "--ebcdic-fallback nonsense",
        "detect -f nonsense",
        "detect --fallback nonsense",
        "--bom add -t IBM037",
    ] {
        let output = typed(line, b"text");
        assert_eq!((status(&output), &*output.stdout), (2, &b""[..]), "{line}");
        assert!(stderr(&output).starts_with("charpipe: "), "{line}: {}", stderr(&output));
    }
}

#[test]
fn an_unknown_label_on_the_command_line_names_near_misses() {
    check(&typed("-f lattin1", b""), (2, b"", "charpipe: --from: \"lattin1\" is not known; did you mean latin1?\n"));
    let output = typed("-t ibm1o47", b"");
    assert_eq!(status(&output), 2);
    assert!(stderr(&output).starts_with("charpipe: --to: \"ibm1o47\" is not known; did you mean "), "{output:?}");
    check(&typed("--bom add -t IBM037", b""), (2, b"", "charpipe: --bom: IBM037 has no byte order mark\n"));
}

#[test]
fn the_last_value_of_an_option_counts() {
    silent(&typed("-t UTF-16BE -t ISO-8859-1 -f UTF-16LE -f UTF-8", "é".as_bytes()), b"\xE9");
    assert_eq!(stderr(&typed("-q -v", b"a")).lines().count(), 2);
    assert_eq!(stderr(&typed("-v -q", b"a")), "");
}

#[test]
fn from_and_to() {
    silent(&typed("-f IBM037", b"\xC8\x85\x93\x93\x96"), b"Hello");
    silent(&typed("--from=latin1 --to IBM1047", b"\xE9["), b"\x51\xAD");
    silent(&typed("-t UTF-16LE", "é".as_bytes()), b"\xE9\x00");
    silent(&typed("-f UTF-16", b"\xFF\xFEa\x00"), b"a");
    // Even if the document's label says otherwise.
    let output = typed("-f ISO-8859-1", b"<?xml version='1.0' encoding='UTF-8'?>\xE9");
    silent(&output, "<?xml version='1.0' encoding='UTF-8'?>é".as_bytes());
}

#[test]
fn malformed() {
    let input = b"a\xFFb\xC3";
    check(
        &typed("", input),
        (
            1,
            b"a",
            "charpipe: <stdin>: line 1, column 2 (byte 1): FF is not valid UTF-8 (use --malformed replace to continue)\n",
        ),
    );
    for (policy, expected, became) in [
        ("replace", "a\u{FFFD}b\u{FFFD}", "replaced"),
        ("drop", "ab", "dropped"),
        ("escape", "a\\xFFb\\xC3", "escaped"),
    ] {
        let output = run(["--malformed", policy], input);
        let count = format!("charpipe: <stdin>: 2 malformed sequences {became}\n");
        check(&output, (0, expected.as_bytes(), &count));
        silent(&run(["-q", "--malformed", policy], input), expected.as_bytes());
        silent(&run(["-s", "--malformed", policy], input), expected.as_bytes());
    }
    let one = typed("--malformed drop", b"\xFF");
    check(&one, (0, b"", "charpipe: <stdin>: 1 malformed sequence dropped\n"));
}

#[test]
fn unmappable_characters_by_policy() {
    for (options, expected, became) in [
        ("--unmappable replace", &b"a\x1Ab"[..], "replaced"),
        ("--unmappable drop", b"ab", "dropped"),
        ("--unmappable escape", b"a\\u{20AC}b", "escaped"),
        ("--unmappable xml", b"a&#x20AC;b", "written as references"),
        ("-c", b"ab", "dropped"),
    ] {
        let count = format!("charpipe: <stdin>: 1 character not in US-ASCII was {became}\n");
        check(&typed(&format!("-t US-ASCII {options}"), "a€b".as_bytes()), (0, expected, &count));
    }
    silent(&typed("-c -q -t US-ASCII", b"a\xFFb\xE2\x82\xAC"), b"ab");
    silent(&typed("-q -t IBM037 --best-fit", "Ａ".as_bytes()), b"\xC1");
    let output = typed("-q -t US-ASCII --unmappable drop --report -", "a€".as_bytes());
    let report = &objects(&output.stderr)[0];
    let expected = serde_json::json!({ "count": 1, "first": [{ "offset": 1, "line": 1, "column": 2, "char": "€" }] });
    assert_eq!(report["unmappable"], expected);
}

#[test]
fn an_unmappable_character_is_reported_with_its_offset() {
    let output = typed("-t ISO-8859-1", "é€".as_bytes());
    assert_eq!((status(&output), &*output.stdout), (1, &b"\xE9"[..]));
    assert!(
        stderr(&output).starts_with("charpipe: <stdin>: line 1, column 2 (byte 2): U+20AC '€' is not in ISO-8859-1 ("),
        "{output:?}"
    );
}

#[test]
fn an_unknown_label_in_the_document_exits_1() {
    let input = b"<?xml version='1.0' encoding='nonsense'?>";
    check(
        &typed("", input),
        (
            1,
            b"",
            "charpipe: <stdin>: line 1, column 31 (byte 30): \"nonsense\" is not known (name the encoding with -f)\n",
        ),
    );
    assert_eq!(status(&typed("-f UTF-8", input)), 0);
    // No escape sequence of a document reaches the terminal.
    let output = typed("", b"<?xml version='1.0' encoding='a\x1B[31m\x07'?>");
    assert_eq!(status(&output), 1);
    assert!(stderr(&output).contains("\\u{1b}[31m\\u{7}"), "{output:?}");
    assert!(stderr(&output).chars().all(|ch| ch == '\n' || !ch.is_control()), "{output:?}");
}

#[test]
fn every_error_with_exit_1_names_a_byte() {
    let too_long = [&b"<?xml "[..], &[b' '; 5000]].concat();
    for (line, input) in [
        ("", &b"\xFF"[..]),
        ("-t US-ASCII", "é".as_bytes()),
        ("", b"<?xml version='1.0' encoding='x'?>"),
        ("", &too_long),
        ("--strict", UNNAMED_EBCDIC),
    ] {
        let output = typed(line, input);
        assert_eq!(status(&output), 1, "{line}");
        assert!(stderr(&output).starts_with("charpipe: <stdin>: line 1, column "), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn strict_turns_warnings_into_errors() {
    let warning = "charpipe: <stdin>: line 1, column 1 (byte 0): warning: ";
    for line in ["", "detect", "detect --json"] {
        let output = typed(line, UNNAMED_EBCDIC);
        assert_eq!(status(&output), 0, "{line}");
        assert!(stderr(&output).starts_with(warning), "{line}: {}", stderr(&output));
        assert!(stderr(&output).ends_with(" (ebcdic-page-assumed)\n"), "{line}: {}", stderr(&output));
        let quiet = format!("{line} -q");
        assert_eq!(stderr(&run(quiet.split_whitespace(), UNNAMED_EBCDIC)), "", "{line}");
        let strict = format!("{line} --strict");
        let output = run(strict.split_whitespace(), UNNAMED_EBCDIC);
        assert_eq!(status(&output), 1, "{line}");
        assert_eq!(stderr(&output).lines().count(), 1, "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains("(ebcdic-page-assumed)"), "{line}: {}", stderr(&output));
    }
}

#[test]
fn the_option_as_sets_the_kind_of_document() {
    // XML without a declaration gets one if the target needs it; text does not.
    silent(&typed("--as xml -t ISO-8859-1", b"<a/>"), b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>");
    silent(&typed("--as auto -t ISO-8859-1", b"<a/>"), b"<a/>");
    // The prescan of HTML reads an XML declaration if nothing else names an encoding, so it has to be corrected like a
    // `meta`.
    for (kind, name) in [("text", "UTF-8"), ("html", "ISO-8859-1")] {
        let input = b"<?xml version='1.0' encoding='UTF-8'?>";
        let expected = format!("<?xml version='1.0' encoding='{name}'?>");
        silent(&run(["--as", kind, "-t", "ISO-8859-1"], input), expected.as_bytes());
        let object = &objects(&run(["detect", "--json", "--as", kind], input).stdout)[0];
        assert_eq!(object["kind"], kind);
    }
}

/// The label in the `meta` of an HTML document is corrected; none is added if there is none.
#[test]
fn relabel_of_html() {
    let web = |line: &str, input: &[u8]| typed(&format!("--policy whatwg {line}"), input);
    let shift_jis = b"<!doctype html><meta charset='shift_jis'><p>\x93\xFA\x96\x7B";
    silent(&web("", shift_jis), "<!doctype html><meta charset='UTF-8'><p>日本".as_bytes());
    silent(&web("--relabel never", shift_jis), "<!doctype html><meta charset='shift_jis'><p>日本".as_bytes());
    silent(&web("-t EUC-JP", shift_jis), b"<!doctype html><meta charset='EUC-JP'><p>\xC6\xFC\xCB\xDC");
    let http_equiv = b"<META HTTP-EQUIV=Content-Type CONTENT=\"text/html;charset=latin1\">\x80";
    silent(&web("", http_equiv), "<META HTTP-EQUIV=Content-Type CONTENT=\"text/html;charset=UTF-8\">€".as_bytes());
    silent(&web("", b"<p>\x80"), "<p>€".as_bytes());
    // A `meta` after the bytes that are searched has no effect and is left alone.
    let far = [&[b' '; 1020][..], b"<meta charset=koi8-r>\x80"].concat();
    silent(&web("", &far), &[&[b' '; 1020][..], "<meta charset=koi8-r>€".as_bytes()].concat());
    // A label that is already correct keeps its spelling.
    silent(&web("--prescan 2000 -t koi8-r", &far), &far);
    // The media type makes it HTML under another policy: the byte order mark decides, and the label follows.
    silent(
        &run(["--content-type", "text/html"], "\u{FEFF}<meta charset=koi8-r>é".as_bytes()),
        "<meta charset=UTF-8>é".as_bytes(),
    );
    // An encoding that must not be decoded is refused at the place where it is named.
    let output = web("", b"<meta charset=iso-2022-kr>x");
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output).contains("line 1, column 15 (byte 14): \"iso-2022-kr\" is not supported"),
        "{}",
        stderr(&output)
    );
}

/// If the input is not in the encoding that was assumed, a message says what it looks like and what to try.
#[test]
fn a_hint_says_what_the_input_looks_like() {
    let ebcdic = b"\xC4\x85\x81\x99\x40\xD4\x99\x4B\x40\xE2\x94\x89\xA3\x88\x6B\x15";
    let output = run([""; 0], ebcdic);
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output)
            .contains("looks like EBCDIC: too short to guess the code page; try -f IBM1047 (looks-like-ebcdic)")
    );
    let object = &objects(&run(["detect", "--json"], ebcdic).stdout)[0];
    assert_eq!(object["diagnostics"][0]["code"], "looks-like-ebcdic");
    // There is no such message if the user named the encoding.
    assert!(!stderr(&run(["-f", "UTF-8"], ebcdic)).contains("looks"));
    assert!(!stderr(&run([""; 0], b"caf\xE9, and no more than that")).contains("looks"));
}

/// If nothing names the encoding and the bytes are not UTF-8, there is no encoding to report.
#[test]
fn detect_says_that_it_does_not_know() {
    let gzip = b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x4B\x04\0";
    let output = run(["detect"], gzip);
    assert_eq!((status(&output), &*output.stdout), (1, &b"<stdin>: unknown (binary)\n"[..]));
    assert!(stderr(&output).contains("byte 1: unknown encoding"), "{}", stderr(&output));
    let object = &objects(&run(["detect", "--json"], gzip).stdout)[0];
    assert!(object["encoding"].is_null() && object["codec"].is_null());
    assert_eq!((&object["looks"], &object["ascii"]), (&"binary".into(), &false.into()));
    assert_eq!((&object["error"]["code"], &object["error"]["offset"]), (&"unknown-encoding".into(), &1.into()));
    // What a message suggests, a guess finds.
    let latin = "Die Prüfung der Beträge für Müller".chars().map(|ch| ch as u8).collect::<Vec<u8>>();
    let output = run(["detect"], &latin);
    assert_eq!(&*output.stdout, b"<stdin>: unknown (legacy)\n");
    assert!(stderr(&output).contains("(try -f windows-1252 or --guess)"), "{}", stderr(&output));
    assert!(run(["detect", "--guess"], &latin).stdout.starts_with(b"<stdin>: windows-1252 ("));
    // A last resort that the user names is taken for text, and never for what is binary.
    assert_eq!(status(&run(["detect", "--fallback", "UTF-8"], &latin)), 0);
    assert_eq!(status(&run(["detect", "--fallback", "UTF-8"], gzip)), 1);
    silent(&run(["detect"], b""), b"<stdin>: UTF-8 (text; rule rfc7303:default)\n");
}

/// UTF-16 without a byte order mark is valid UTF-8 if its text is ASCII. `--strict` stops it before anything is
/// written.
#[test]
fn utf16_without_a_mark_is_a_warning() {
    let bytes = utf16le("id;name\r\n1;Smith\r\n");
    let output = run([""; 0], &bytes);
    assert_eq!((status(&output), &output.stdout), (0, &bytes));
    assert!(stderr(&output).contains("warning: looks like UTF-16LE"), "{}", stderr(&output));
    let output = run(["--strict"], &bytes);
    assert_eq!((status(&output), output.stdout.len()), (1, 0));
    assert!(stderr(&output).contains("(looks-like-utf16)"), "{}", stderr(&output));
    assert_eq!(objects(&run(["detect", "--json"], &bytes).stdout)[0]["looks"], "utf-16le");
}

/// Malformed bytes in a document that names its encoding are a warning, if they are not an error.
#[test]
fn contents_that_contradict_a_label() {
    let xml = b"<?xml version='1.0' encoding='UTF-8'?><a>caf\xE9</a>";
    let output = typed("--malformed replace", xml);
    assert_eq!(status(&output), 0);
    assert!(
        stderr(&output).contains("line 1, column 45 (byte 44): warning: the input is not valid UTF-8: E9"),
        "{}",
        stderr(&output)
    );
    assert_eq!(status(&typed("--malformed replace --strict", xml)), 1);
    assert!(!stderr(&typed("", xml)).contains("contents-contradict"));
    assert!(!stderr(&typed("-f UTF-8 --malformed replace", xml)).contains("contents-contradict"));
}

#[test]
fn detect_reads_directories_and_whole_files() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("sub")).unwrap();
    fs::write(path("a.txt"), "plain").unwrap();
    fs::write(path("sub/b.gz"), b"\x1F\x8B\x08\0").unwrap();
    fs::write(path("z.txt"), [&[b'a'; 70_000][..], b"\xE9"].concat()).unwrap();
    let root = folder.path().to_str().unwrap();
    let lines = |args: &[&str]| {
        let output = run([args, &[root]].concat(), b"");
        (status(&output), String::from_utf8(output.stdout).unwrap().replace(root, "").replace('\\', "/"))
    };
    let expected = "/a.txt: UTF-8 (text; rule rfc7303:default)\n/sub/b.gz: unknown (binary)\n\
                    /z.txt: UTF-8 (text; rule rfc7303:default)\n";
    assert_eq!(lines(&["detect", "-r"]), (1, expected.to_owned()));
    let (status, found) = lines(&["detect", "-r", "--whole"]);
    assert!(status == 1 && found.ends_with("/z.txt: unknown (legacy)\n"), "{found}");
}

#[test]
fn guessing_needs_the_option() {
    let text = b"\xC4\x85\x99\x40\x86\xC0\x93\x93\x89\x87\x85\x40\xC2\x85\xA3\x99\x81\x87\x6B\x40\x86\xD0\x99\x40\xD4\xD0\x93\x93\x85\x99\x6B\x40\
                 \x89\xA2\xA3\x40\x82\x85\xA9\x81\x88\x93\xA3\x4B\x25";
    let object = &objects(&run(["detect", "--json", "--guess"], text).stdout)[0];
    assert_eq!((&object["codec"], &object["source"]), (&"IBM273".into(), &"statistics".into()), "{object}");
    assert_eq!(object["candidates"][0]["codec"], "IBM273");
    let output = run(["--guess"], text);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Der fällige Betrag, für Müller, ist bezahlt.\n");
    assert_ne!(status(&run([""; 0], text)), 0);
}

/// The verdict of each policy on a document, and its rule.
#[test]
fn explain() {
    let output =
        run(["detect", "--explain", "--content-type", "text/xml"], b"<?xml version='1.0' encoding='koi8-r'?><a/>");
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "3C 3F 78 6D 6C 20",
        "N  bytes 30..36: encoding declared: koi8-r",
        "rfc7303       KOI8-R",
        "rfc3023:text-xml",
        "rome:2.1",
        "us-ascii",
        "whatwg:declaration",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let output = run(["detect", "--explain", "--json"], b"<a/>");
    let policies = objects(&output.stdout)[0]["policies"].clone();
    let names: Vec<&str> =
        policies.as_array().unwrap().iter().map(|object| object["policy"].as_str().unwrap()).collect();
    assert_eq!(names, ["rfc7303", "rfc3023", "rome-strict", "rome-lenient", "feedparser", "whatwg"]);
}

#[test]
fn relabel() {
    let input = b"<?xml version='1.0' encoding='UTF-8'?><a/>";
    silent(&typed("-t ISO-8859-1", input), b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>");
    silent(&typed("-t ISO-8859-1 --relabel auto", input), b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>");
    silent(&typed("-t ISO-8859-1 --relabel never", input), input);
}

#[test]
fn bom() {
    let marked = "\u{FEFF}a".as_bytes();
    silent(&typed("", marked), b"a");
    silent(&typed("--bom auto", marked), b"a");
    silent(&typed("--bom keep", marked), marked);
    silent(&typed("--bom keep", b"a"), b"a");
    silent(&typed("--bom add", b"a"), marked);
    silent(&typed("--bom strip -t UTF-16", marked), b"\x00a");
    silent(&typed("-t UTF-16", b"a"), b"\xFE\xFF\x00a");
    silent(&typed("-t UTF-16LE --bom add", b"a"), b"\xFF\xFEa\x00");
}

#[test]
fn fallbacks() {
    silent(&typed("--fallback ISO-8859-1", b"\xE9"), "é".as_bytes());
    let object = &objects(&typed("detect --json --fallback ISO-8859-1", b"\xE9").stdout)[0];
    assert_eq!((&object["encoding"], &object["source"]), (&"ISO-8859-1".into(), &"fallback".into()));
    let object = &objects(&typed("detect --json --ebcdic-fallback IBM1047", UNNAMED_EBCDIC).stdout)[0];
    assert_eq!(object["encoding"], "IBM1047");
    // 4A is the cent sign in code page 037 and an opening bracket in code page 500.
    let input = [UNNAMED_EBCDIC, b"\x4A"].concat();
    assert!(typed("", &input).stdout.ends_with("¢".as_bytes()));
    assert!(typed("--ebcdic-fallback IBM500", &input).stdout.ends_with(b"["));
}

#[test]
fn ends_of_line() {
    let input = "a\r\nb\rc\n\u{85}".as_bytes();
    silent(&typed("--eol auto", input), input);
    silent(&typed("--eol keep", input), input);
    silent(&typed("--eol lf", input), b"a\nb\nc\n\n");
    silent(&typed("--eol crlf", input), b"a\r\nb\r\nc\r\n\r\n");
    silent(&typed("--eol nel", b"a\n"), "a\u{85}".as_bytes());
    // NEL is not a newline in XML, except in EBCDIC.
    let xml = b"<?xml version='1.0'\nencoding='UTF-8'?>\r\n<a>\xC2\x85</a>\n";
    let expected = b"<?xml version='1.0'\nencoding='UTF-8'?>\n<a>\n</a>\n";
    let output = typed("--eol nel", xml);
    assert_eq!((status(&output), &output.stdout[..]), (0, &expected[..]));
    assert!(stderr(&output).contains("(nel-in-xml)"), "{}", stderr(&output));
    assert_eq!(status(&typed("--strict --eol nel", xml)), 1);
    let records = [0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x6F, 0x6E, 0x40, 0x4C, 0x81, 0x61, 0x6E];
    let output = typed("--as xml -f IBM037 --records fb:8 --eol nel", &[&records[..], &[0x40; 4]].concat());
    assert_eq!(output.stdout, b"<?xml?>\n<a/>\n");
    silent(&typed("--eol nel -t IBM037 --as xml --relabel never", b"<a>\n</a>"), b"\x4C\x81\x6E\x15\x4C\x61\x81\x6E");
    silent(&typed("--eol nel --as text", b"<?xml version='1.0'?>\n"), "<?xml version='1.0'?>\u{85}".as_bytes());
}

#[test]
fn newlines_of_ebcdic() {
    let input = b"\x81\x15\x25";
    silent(&typed("-f IBM1047 --ebcdic-nl table", input), "a\u{85}\n".as_bytes());
    silent(&typed("-f IBM1047 --ebcdic-nl zos", input), "a\n\u{85}".as_bytes());
    silent(&typed("-f IBM1047 --ebcdic-nl fold", input), b"a\n\n");
    silent(&typed("-t IBM1047 --ebcdic-nl zos", b"a\n"), b"\x81\x15");
    silent(&typed("-f IBM1047,nl=zos", input), "a\n\u{85}".as_bytes());
}

#[test]
fn verbose_prints_what_was_done() {
    let output = typed("-v --malformed replace", b"<?xml version='1.0' encoding='US-ASCII'?>\xFF");
    let found = stderr(&output);
    for line in [
        "charpipe: <stdin>: US-ASCII (xml; rule rfc7303:declaration; ",
        "charpipe: <stdin>: line 1, column 42 (byte 41): FF replaced\n",
        "charpipe: <stdin>: 1 malformed sequence replaced\n",
        "charpipe: <stdin>: label \"US-ASCII\" changed to \"UTF-8\"\n",
        "charpipe: <stdin>: 42 bytes in, 41 bytes out in UTF-8\n",
    ] {
        assert!(found.contains(line), "{line}in\n{found}");
    }
}

#[test]
fn small_inputs_and_small_pieces() {
    silent(&typed("", b""), b"");
    silent(&typed("", b"a"), b"a");
    check(
        &typed("", b"\xFF"),
        (
            1,
            b"",
            "charpipe: <stdin>: line 1, column 1 (byte 0): FF is not valid UTF-8 (use --malformed replace to continue)\n",
        ),
    );
    assert_eq!(status(&typed("detect", b"")), 0);
    assert_eq!(status(&typed("detect", b"\x00")), 0);

    let mut child = charpipe().stdin(Stdio::piped()).stdout(Stdio::piped()).start();
    let mut stdin = child.stdin.take().unwrap();
    for byte in XML_1047 {
        stdin.write_all(&[*byte]).unwrap();
        stdin.flush().unwrap();
    }
    drop(stdin);
    silent(&typed("", XML_1047), &child.wait_with_output().unwrap().stdout);
}

#[test]
fn output_is_written_before_more_input_arrives() {
    let mut child = charpipe().stdin(Stdio::piped()).stdout(Stdio::piped()).start();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for line in ["first\n", "second\n"] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut found = vec![0; line.len()];
        stdout.read_exact(&mut found).unwrap();
        assert_eq!(found, line.as_bytes());
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn detect_answers_before_the_end_of_the_input() {
    let declaration = "<?xml version='1.0' encoding='US-ASCII'?><";
    // The default policy also compares the first 64 KiB with the encoding.
    let window = declaration.to_owned() + &"a".repeat(64 * 1024);
    for (policy, input) in [("rfc3023", declaration), ("rfc7303", &window)] {
        let args = ["detect", "--policy", policy];
        let mut child = charpipe().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).start();
        let mut stdin = child.stdin.take().unwrap();
        // It may have read enough before all of it is written.
        _ = stdin.write_all(input.as_bytes());
        // The pipe stays open meanwhile.
        assert!(child.wait().unwrap().success());
        drop(stdin);
    }
}

#[test]
fn a_closed_standard_output_is_not_an_error() {
    let big = "0123456789\n".repeat(200_000);
    for line in [&["convert"][..], &["detect"], &["detect", "--json"]] {
        let mut child =
            charpipe().args(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
        drop(child.stdout.take());
        _ = child.stdin.take().unwrap().write_all(big.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_eq!((status(&output), stderr(&output)), (0, ""), "{line:?}");
    }
}

#[test]
fn a_closed_standard_error_stops_nothing() {
    let mut child = charpipe()
        .args(["-v", "--malformed", "drop"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start();
    drop(child.stderr.take());
    child.stdin.take().unwrap().write_all(b"a\xFF").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((status(&output), &*output.stdout), (0, &b"a"[..]));
}

#[test]
fn each_of_several_files_has_its_own_encoding() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), utf16le("\u{FEFF}eins ")).unwrap();
    fs::write(path("b"), utf16be("\u{FEFF}zwei ")).unwrap();
    fs::write(path("c"), "\u{FEFF}drei").unwrap();
    let files = [path("a"), path("b"), path("c")];
    silent(&run(files.clone(), b""), b"eins zwei drei");
    // At most one byte order mark.
    let marked = "\u{FEFF}eins zwei drei";
    for bom in ["add", "keep"] {
        let output = charpipe().args(["--bom", bom]).args(&files).run();
        silent(&output, marked.as_bytes());
    }
    silent(&charpipe().args(["-t", "UTF-16"]).args(&files).run(), &utf16be(marked));
    // The missing file does not count as the first.
    let output = charpipe().args(["-q", "--bom", "add"]).arg(path("none")).args(&files).run();
    assert_eq!((status(&output), &*output.stdout), (3, marked.as_bytes()));
    // Standard input may be one of the files.
    let output = run([OsStr::new("-"), path("c").as_os_str()], b"null ");
    silent(&output, b"null drei");
}

#[test]
fn a_failing_file_does_not_stop_the_others_and_the_highest_status_counts() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("good"), "good").unwrap();
    fs::write(path("bad"), b"bad\xFF").unwrap();
    let output = run([path("bad"), path("good")], b"");
    assert_eq!((status(&output), &*output.stdout), (1, &b"badgood"[..]));
    let output = run([path("none"), path("bad"), path("good")], b"");
    assert_eq!((status(&output), &*output.stdout), (3, &b"badgood"[..]));
    let lines: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with(&format!("charpipe: {}: cannot open: ", path("none").display())), "{lines:?}");
    assert!(
        lines[1].starts_with(&format!("charpipe: {}: line 1, column 4 (byte 3): FF is", path("bad").display())),
        "{lines:?}"
    );
    // With `-o` the old file stays.
    fs::write(path("old"), "old").unwrap();
    let output = charpipe().arg("-o").args([path("old"), path("good"), path("bad")]).run();
    assert_eq!((status(&output), fs::read_to_string(path("old")).unwrap()), (1, "old".into()));
}

#[test]
fn output_to_a_new_file_and_onto_the_input() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("doc.xml");
    silent(&run([OsStr::new("-o"), path.as_os_str()], b"new"), b"");
    assert_eq!(fs::read(&path).unwrap(), b"new");
    fs::write(&path, XML_1047).unwrap();
    silent(&run([OsStr::new("-o"), path.as_os_str(), path.as_os_str()], b""), b"");
    assert_eq!(fs::read(&path).unwrap(), typed("", XML_1047).stdout);
    assert_eq!(names(&folder), ["doc.xml"]);
    // A name without a folder.
    let output = charpipe().current_dir(&folder).args(["-o", "bare", "doc.xml"]).run();
    silent(&output, b"");
    assert_eq!(names(&folder), ["bare", "doc.xml"]);
}

#[test]
fn a_failed_run_leaves_the_old_file_and_no_litter() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("old");
    for input in [&b"a\xFF"[..], b"<?xml version='1.0' encoding='nonsense'?>"] {
        fs::write(&path, "old").unwrap();
        let output = run([OsStr::new("-o"), path.as_os_str()], input);
        assert_eq!(status(&output), 1);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&folder), ["old"]);
        // A file that did not exist is not created.
        let output = run([OsStr::new("-o"), folder.path().join("new").as_os_str()], input);
        assert_eq!((status(&output), names(&folder)), (1, vec!["old".into()]));
    }
}

#[test]
fn output_that_cannot_be_opened_exits_3() {
    let folder = TempDir::new().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("none/file"), folder.path().join("new/")] {
        let output = run([OsStr::new("-o"), path.as_os_str()], b"text");
        assert_eq!(status(&output), 3, "{}", path.display());
        let start = format!("charpipe: {}: cannot open for writing: ", path.display());
        assert!(stderr(&output).starts_with(&start), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1);
    }
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn files_in_place_and_their_backups() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), b"caf\xE9").unwrap();
    let run = |options: &[&str]| charpipe().current_dir(&folder).args(["-f", "ISO-8859-1"]).args(options).run();
    silent(&run(&["--in-place", "a"]), b"");
    assert_eq!(fs::read(path("a")).unwrap(), "café".as_bytes());
    fs::write(path("a"), b"caf\xE9").unwrap();
    silent(&run(&["--in-place=.old", "a"]), b"");
    let output = run(&["--in-place=.old", "a"]);
    assert_eq!(status(&output), 1);
    assert!(stderr(&output).starts_with("charpipe: a: byte 0: a.old exists already"), "{}", stderr(&output));
    assert_eq!(fs::read(path("a")).unwrap(), "café".as_bytes());
    assert_eq!(fs::read(path("a.old")).unwrap(), b"caf\xE9");
    let output = run(&["--in-place=.old", "--force", "a"]);
    assert_eq!(status(&output), 0);
    assert!(stderr(&output).ends_with("(looks-like-utf8)\n"), "{}", stderr(&output));
    assert_eq!(fs::read(path("a")).unwrap(), "cafÃ©".as_bytes());
    assert_eq!(fs::read(path("a.old")).unwrap(), "café".as_bytes());
    assert_eq!(names(&folder), ["a", "a.old"]);
}

/// It has read all that it wanted.
#[test]
fn a_reader_that_closes_the_pipe() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a"), "a line of text\n".repeat(100_000)).unwrap();
    let mut command = charpipe();
    command.current_dir(&folder).arg("a").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 10]).unwrap();
    drop(output);
    silent(&child.wait_with_output().unwrap(), b"");
}

/// No shell does that there.
#[cfg(windows)]
#[test]
fn patterns_on_windows() {
    let folder = TempDir::new().unwrap();
    for name in ["a.txt", "b.txt", "c.csv"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    silent(&charpipe().current_dir(&folder).arg("*.txt").run(), b"a.txtb.txt");
}

#[test]
fn input_that_cannot_be_opened_or_read_exits_3() {
    let folder = TempDir::new().unwrap();
    for command in ["convert", "detect"] {
        let output = run([OsStr::new(command), folder.path().as_os_str()], b"");
        let hint = "(use -r for the files in it)";
        let line = format!("charpipe: {}: cannot open: is a directory {hint}\n", folder.path().display());
        check(&output, (3, b"", &line));
        let output = run([OsStr::new(command), folder.path().join("none").as_os_str()], b"");
        assert_eq!(status(&output), 3);
    }
}

/// A report has a line for each input, with every key.
#[test]
fn report() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("doc.xml"), XML_1047).unwrap();
    fs::write(path("bad"), b"a\xFF\xC3\x80\x80").unwrap();
    let report = path("report");
    let output = charpipe()
        .args(["-q", "--malformed", "drop", "--report"])
        .args([&report, &path("doc.xml"), &path("bad"), &path("none")])
        .run();
    assert_eq!(status(&output), 3);
    let lines = objects(&fs::read(&report).unwrap());
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
        let mut expected = [
            "input",
            "output",
            "from",
            "to",
            "verdict",
            "bytes_in",
            "bytes_out",
            "malformed",
            "unmappable",
            "relabelled",
            "records",
            "passed",
            "diagnostics",
            "stopped",
            "error",
        ];
        expected.sort();
        assert_eq!(keys, expected);
        assert_eq!((&line["output"], &line["to"]), (&"<stdout>".into(), &"UTF-8".into()));
        assert_eq!(line["records"], Value::Null);
        assert_eq!(line["unmappable"], serde_json::json!({ "count": 0, "first": [] }));
    }
    let [doc, bad, none] = &lines[..] else { unreachable!() };
    assert_eq!(doc["input"], path("doc.xml").to_str().unwrap());
    assert_eq!(doc["from"], "IBM1047");
    assert_eq!(doc["relabelled"], serde_json::json!({ "from": "IBM1047", "to": "UTF-8" }));
    assert_eq!(doc["bytes_in"], XML_1047.len());
    assert_eq!(doc["error"], Value::Null);
    assert_eq!(doc["malformed"], serde_json::json!({ "count": 0, "first": [], "read_as": null }));
    let detected = objects(&run([OsStr::new("detect"), OsStr::new("--json"), path("doc.xml").as_os_str()], b"").stdout);
    assert_eq!(doc["verdict"], detected[0]);
    assert_eq!(bad["relabelled"], Value::Null);
    let first = serde_json::json!([
        { "offset": 1, "line": 1, "column": 2, "bytes": "FF" },
        { "offset": 4, "line": 1, "column": 3, "bytes": "80" },
    ]);
    assert_eq!(bad["malformed"], serde_json::json!({ "count": 2, "first": first, "read_as": null }));
    assert_eq!(bad["bytes_out"], 3);
    assert_eq!((&none["verdict"], &none["from"]), (&Value::Null, &Value::Null));
    assert_eq!((&none["error"]["code"], &none["error"]["offset"]), (&"open".into(), &Value::Null));
}

#[test]
fn report_on_standard_error_and_errors_in_it() {
    let output = typed("-q --report - -t ISO-8859-1", "é€".as_bytes());
    assert_eq!(status(&output), 1);
    let json = stderr(&output).lines().find(|line| line.starts_with('{')).unwrap();
    // The keys keep their order.
    assert!(
        json.starts_with("{\"input\":\"<stdin>\",\"output\":\"<stdout>\",\"from\":\"UTF-8\",\"to\":\"ISO-8859-1\",")
    );
    let error = &objects(json.as_bytes())[0]["error"];
    let expected = serde_json::json!({
        "code": "unmappable", "message": "U+20AC '€' is not in ISO-8859-1", "offset": 2, "line": 1, "column": 2,
    });
    assert_eq!(*error, expected);
    let output = typed("--report - --strict", UNNAMED_EBCDIC);
    let json = stderr(&output).lines().find(|line| line.starts_with('{')).unwrap();
    let error = &objects(json.as_bytes())[0]["error"];
    assert_eq!((&error["code"], &error["offset"]), (&"ebcdic-page-assumed".into(), &0.into()));
}

#[test]
fn output_and_report_cannot_be_the_same_file() {
    let folder = TempDir::new().unwrap();
    let output = charpipe().current_dir(&folder).args(["-o", "x", "--report", "x"]).run();
    assert_eq!((status(&output), names(&folder)), (2, vec![]));
}

const VERDICT_KEYS: &str = r#"{"input":"<stdin>","encoding":"UTF-16BE","codec":"UTF-16BE","family":"utf-16be","kind":"xml","signature":"FEFF","bom":"FEFF","declared":"UTF-16","declared_span":[62,74],"charset":null,"ascii":false,"looks":null,"policy":"rfc7303","rule":"rfc7303:bom","source":"bom","candidates":[],"diagnostics":[],"error":null}
"#;

#[test]
fn detect_in_json() {
    let input = utf16be("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><a/>");
    silent(&typed("detect --json", &input), VERDICT_KEYS.as_bytes());

    // Absent values are null, not missing.
    let line = typed("detect --json", b"text").stdout;
    let expected = r#"{"input":"<stdin>","encoding":"UTF-8","codec":"UTF-8","family":"unknown","kind":"text","signature":null,"bom":null,"declared":null,"declared_span":null,"charset":null,"ascii":true,"looks":null,"policy":"rfc7303","rule":"rfc7303:default","source":"default","candidates":[],"diagnostics":[],"error":null}
"#;
    assert_eq!(std::str::from_utf8(&line).unwrap(), expected);

    let object = &objects(&typed("detect --json", b"\xFF\xFE\x00\x00a\x00\x00\x00").stdout)[0];
    assert_eq!((&object["signature"], &object["bom"]), (&"FFFE0000".into(), &"FFFE0000".into()));
    let object = &objects(&typed("detect --json -q", UNNAMED_EBCDIC).stdout)[0];
    assert_eq!((&object["signature"], &object["bom"]), (&"4C6FA794".into(), &Value::Null));
    let note = object["diagnostics"][0].as_object().unwrap();
    let mut keys: Vec<&String> = note.keys().collect();
    keys.sort();
    assert_eq!(keys, ["code", "column", "line", "message", "offset", "severity"]);
    assert_eq!((&note["code"], &note["severity"]), (&"ebcdic-page-assumed".into(), &"warning".into()));
    let object = &objects(&typed("detect --json -f ISO-8859-1", b"a").stdout)[0];
    assert_eq!((&object["source"], &object["rule"]), (&"user".into(), &"user".into()));
}

#[test]
fn detect_has_an_object_for_every_file_and_exits_1_when_one_has_an_error() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("unknown"), "<?xml version='1.0' encoding='nonsense'?>").unwrap();
    fs::write(path("good"), "text").unwrap();
    let output = charpipe().args(["detect", "--json"]).args([path("unknown"), path("good")]).run();
    assert_eq!(status(&output), 1);
    let lines = objects(&output.stdout);
    assert_eq!(lines.len(), 2);
    let error = &lines[0]["error"];
    assert_eq!((&error["code"], &error["offset"]), (&"unknown-label".into(), &30.into()));
    assert_eq!((&lines[0]["encoding"], &lines[0]["declared"]), (&Value::Null, &"nonsense".into()));
    assert_eq!(lines[1]["error"], Value::Null);

    let output = charpipe().args(["detect", "--json"]).args([path("none"), path("good")]).run();
    let lines = objects(&output.stdout);
    assert_eq!((status(&output), lines.len()), (3, 2));
    assert_eq!(lines[0].as_object().unwrap().len(), lines[1].as_object().unwrap().len());
    assert_eq!(lines[0]["error"]["code"], "open");
}

#[test]
fn detect_in_plain_text() {
    let input = utf16be("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><a/>");
    silent(
        &typed("detect", &input),
        b"<stdin>: UTF-16BE (xml; rule rfc7303:bom; byte order mark FE FF; declared \"UTF-16\" at bytes 62..74)\n",
    );
    silent(&typed("detect", b"text"), b"<stdin>: UTF-8 (text; rule rfc7303:default)\n");
    silent(
        &typed("detect -v", b"text"),
        b"<stdin>: UTF-8 (text; rule rfc7303:default; family unknown; source default)\n",
    );
    check(
        &typed("detect", b"<?xml version='1.0' encoding='x'?>"),
        (1, b"", "charpipe: <stdin>: line 1, column 31 (byte 30): \"x\" is not known (name the encoding with -f)\n"),
    );
}

#[test]
fn control_characters_in_arguments_do_not_reach_the_terminal() {
    for args in [&["\u{1B}[31m"][..], &["-f", "\u{1B}[31m"], &["detect", "\u{1B}[31m\n\u{202E}"]] {
        let output = run(args, b"");
        assert!(status(&output) >= 2);
        assert!(!stderr(&output).contains(['\u{1B}', '\u{202E}']), "{args:?}");
        assert!(stderr(&output).contains("\\u{1b}[31m"), "{args:?}: {}", stderr(&output));
    }
    for args in [&["--\u{1B}[31m\u{7}"][..], &["--bom", "\u{1B}[31m\u{7}"]] {
        let output = run(args, b"");
        assert_eq!(status(&output), 2);
        assert!(stderr(&output).chars().all(|ch| ch == '\n' || !ch.is_control()), "{args:?}: {}", stderr(&output));
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::PathBuf;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn to(path: &Path, input: &[u8]) -> Output {
        run([OsStr::new("-o"), path.as_os_str()], input)
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_a_new_one_gets_the_usual() {
        let folder = TempDir::new().unwrap();
        let (old, new, usual) = (folder.path().join("old"), folder.path().join("new"), folder.path().join("usual"));
        for bits in [0o640, 0o604, 0o755, 0o400] {
            fs::write(&old, "old").unwrap();
            fs::set_permissions(&old, fs::Permissions::from_mode(bits)).unwrap();
            silent(&to(&old, b"new"), b"");
            assert_eq!((fs::read(&old).unwrap(), mode(&old)), (b"new".to_vec(), bits));
            fs::remove_file(&old).unwrap();
        }
        silent(&to(&new, b"new"), b"");
        fs::write(&usual, "").unwrap();
        assert_eq!(mode(&new), mode(&usual));
    }

    #[test]
    fn a_symlink_stays_and_its_target_is_replaced() {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).unwrap();
        fs::write(path("sub/file"), "old").unwrap();
        symlink("sub/second", path("first")).unwrap();
        symlink("file", path("sub/second")).unwrap();
        silent(&to(&path("first"), b"new"), b"");
        assert_eq!(fs::read(path("sub/file")).unwrap(), b"new");
        assert!(path("first").is_symlink() && path("sub/second").is_symlink());
        // Links to files that do not exist yet.
        symlink("absent", path("dangling")).unwrap();
        silent(&to(&path("dangling"), b"new"), b"");
        assert_eq!(fs::read(path("absent")).unwrap(), b"new");
        assert!(path("dangling").is_symlink());
        // Links to themselves, and to a folder.
        symlink("loop", path("loop")).unwrap();
        symlink("sub", path("folder")).unwrap();
        assert_eq!(status(&to(&path("loop"), b"new")), 3);
        assert_eq!(status(&to(&path("folder"), b"new")), 3);
    }

    #[test]
    fn a_fifo_is_written_to() {
        let folder = TempDir::new().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let reader = {
            let fifo = fifo.clone();
            std::thread::spawn(move || fs::read(fifo).unwrap())
        };
        silent(&to(&fifo, "é".as_bytes()), b"");
        assert_eq!(reader.join().unwrap(), "é".as_bytes());
        assert_eq!(names(&folder), ["fifo"]);
    }

    #[test]
    fn devices_are_written_to() {
        silent(&to(Path::new("/dev/null"), b"text"), b"");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        silent(&to(Path::new("/dev/stdout"), b"text"), b"text");
    }

    #[test]
    fn dev_stdout_is_never_replaced() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "before ").unwrap();
        let log = fs::OpenOptions::new().append(true).open(&path).unwrap();
        let mut child = charpipe().args(["-o", "/dev/stdout"]).stdin(Stdio::piped()).stdout(log).start();
        child.stdin.take().unwrap().write_all(b"after").unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(fs::read(&path).unwrap(), b"before after");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_exits_3() {
        let line = "charpipe: /dev/full: cannot write: No space left on device (os error 28)\n";
        check(&to(Path::new("/dev/full"), b"text"), (3, b"", line));
        let input = concat!(concat!(env!("CARGO_MANIFEST_DIR"), "/.."), "/Cargo.toml");
        for args in [&["convert", input][..], &["detect", input], &["--version"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = charpipe().args(args).stdout(full).run();
            let line = "charpipe: <stdout>: cannot write: No space left on device (os error 28)\n";
            check(&output, (3, b"", line));
        }
    }

    #[test]
    fn standard_input_that_cannot_be_read_names_the_byte() {
        for command in ["convert", "detect"] {
            let folder = fs::File::open("/").unwrap();
            let output = charpipe().arg(command).stdin(folder).run();
            assert_eq!(status(&output), 3);
            assert!(stderr(&output).starts_with("charpipe: <stdin>: byte 0: cannot read: "), "{}", stderr(&output));
        }
    }

    #[test]
    fn names_that_are_not_utf8() {
        let folder = TempDir::new().unwrap();
        let path: PathBuf = folder.path().join(OsStr::from_bytes(b"a\xFF\x1B"));
        if fs::write(&path, "text").is_err() {
            return; // This file system has no such names.
        }
        silent(&run([&path], b""), b"text");
        let output = run([OsStr::new("detect"), path.as_os_str()], b"");
        let line = format!("{}/a\\xFF\\u{{1b}}: UTF-8 (text; rule rfc7303:default)\n", folder.path().display());
        silent(&output, line.as_bytes());
        let output = run([OsStr::new("detect"), OsStr::new("--json"), path.as_os_str()], b"");
        let input = format!("{}/a\\xFF\u{1B}", folder.path().display());
        assert_eq!(objects(&output.stdout)[0]["input"], *input);
        fs::write(&path, b"\xFF").unwrap();
        let line =
            format!("charpipe: {}/a\\xFF\\u{{1b}}: line 1, column 1 (byte 0): FF is not", folder.path().display());
        assert!(stderr(&run([&path], b"")).starts_with(&line));
        silent(&to(&path, b"new"), b"");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        // A label that is not UTF-8 is a usage error.
        assert_eq!(status(&run([OsStr::new("-f"), OsStr::from_bytes(b"\xFF")], b"")), 2);
    }
}

/// A user's table is an encoding like any other: it is listed, read, written, declared and charted.
#[test]
fn codec_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(
        path("site.ucm"),
        "<code_set_name> \"X-SITE\"\n<uconv_class> \"SBCS\"\n<subchar> \\x3F\n<icu:alias> \"CP1047\"\nCHARMAP\n\
         <U0041> \\xC1 |0\n<U20AC> \\x9F |0\n<U001A> \\x3F |0\nEND CHARMAP\n",
    )
    .unwrap();
    let raw: Vec<u8> = (0..=255).rev().collect();
    std::fs::write(path("mirror.tbl"), &raw).unwrap();
    std::fs::write(path("bad.ucm"), "<code_set_name> \"BAD\"\n<uconv_class> \"SBCS\"\nCHARMAP\n<U0041> \\xZZ |0\n")
        .unwrap();
    let site = format!("--codec-file={}", path("site.ucm"));

    assert_eq!(run([&site, "-f", "x-site"], b"\xC1\x9F").stdout, "A€".as_bytes());
    assert_eq!(run([&site, "-t", "X-SITE"], "€A".as_bytes()).stdout, b"\x9F\xC1");
    // It has taken a label from a built-in encoding, and detection reports that.
    let output = run(["detect", "--json", &site, "-f", "cp1047"], b"\xC1");
    let verdict: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&verdict["codec"], &verdict["diagnostics"][0]["code"]), (&"X-SITE".into(), &"shadowed-codec".into()));
    assert_eq!(verdict["diagnostics"][0]["severity"], "hint");
    assert!(String::from_utf8(run(["list", &site, "x-site"], b"").stdout).unwrap().starts_with("X-SITE"));

    // A table of bytes, mapped to Latin-1 or another page; several tables.
    let mirror = format!("--codec-file={}", path("mirror.tbl"));
    assert_eq!(run([&mirror, "-f", "mirror"], b"\xBE\x16").stdout, "Aé".as_bytes());
    let mirror = format!("--codec-file={},to=IBM1047", path("mirror.tbl"));
    assert_eq!(run([&mirror, &site, "-f", "mirror", "-t", "X-SITE"], b"\x3E").stdout, b"\xC1");

    let failed = |args: &[&str], status: i32, expected: &str| {
        let output = run(args, b"");
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{messages}");
        assert!(messages.contains(expected), "{messages}");
    };
    failed(&[&format!("--codec-file={}", path("bad.ucm"))], 2, "bad.ucm: line 4, column 9: expected ");
    failed(&[&format!("--codec-file={}", path("none"))], 3, "none: cannot read: ");
    failed(&[&format!("--codec-file={},to=UTF-8", path("mirror.tbl"))], 2, "UTF-8 is not a code page");
    failed(&["detect", &format!("--codec-file={}", path("bad.ucm"))], 2, "line 4");
    failed(&["list", &format!("--codec-file={}", path("bad.ucm"))], 2, "line 4");
}

/// Names in a user's tables are escaped wherever a message names a codec.
#[test]
fn control_characters_in_the_names_of_tables_do_not_reach_the_terminal() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table.ucm");
    let name = "X-\u{1B}[31m";
    let head = format!(
        "<code_set_name> \"{name}\"\n<uconv_class> \"SBCS\"\n<icu:alias> \"also\u{1B}]0;x\u{7}\u{9B}\u{202E}\"\n"
    );
    fs::write(&path, head + "CHARMAP\n<U0041> \\xC1 |0\n<U20AC> \\x9F |0\n<U001A> \\x3F |0\nEND CHARMAP\n").unwrap();
    let table = format!("--codec-file={}", path.display());
    for (args, input, expected) in [
        (&["chart", name][..], &b""[..], 0),
        (&["chart", name, "IBM037"], b"", 0),
        (&["chart", name, "--lead", "41"], b"", 2),
        (&["list"], b"", 0),
        (&["list", "x-*"], b"", 0),
        (&["detect", "-f", name], b"\xC1", 0),
        (&["detect", "--explain", "-v", "-f", name], b"\xC1", 0),
        (&["-v", "-f", name], b"\xC1", 0),
        (&["-v", "-f", name], b"\x00", 1),
        (&["-v", "-t", name], b"A", 0),
        (&["-t", name], b"B", 1),
    ] {
        let output = run([args, &[&*table]].concat(), input);
        assert_eq!(status(&output), expected, "{args:?}: {}", stderr(&output));
        let shown = String::from_utf8_lossy(&output.stdout).into_owned() + stderr(&output);
        assert!(shown.chars().all(|ch| ch == '\n' || !ch.is_control() && ch != '\u{202E}'), "{args:?}: {shown:?}");
        assert!(shown.contains("X-\\u{1b}[31m"), "{args:?}: {shown}");
    }
}
