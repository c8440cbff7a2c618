//! What users of other converters type: suffixes, options, and every right-hand side of spec/habits.md.
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs a shell command line in which `charpipe` is the command under test.
fn shell(folder: &Path, line: &str) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_charpipe")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path).env_remove("CLICOLOR_FORCE");
    command.output().unwrap()
}

/// Runs `line` with a `FILE` that contains `input`; returns the status, the output and the messages.
fn on(input: &[u8], line: &str) -> (i32, Vec<u8>, String) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("FILE"), input).unwrap();
    let output = shell(folder.path(), line);
    (output.status.code().unwrap(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn every_command_of_the_table_runs() {
    let page = fs::read_to_string(concat!(concat!(env!("CARGO_MANIFEST_DIR"), "/.."), "/spec/habits.md")).unwrap();
    let commands: Vec<&str> =
        (page.lines().filter(|line| line.starts_with("| `"))).filter_map(|line| line.rsplit('`').nth(1)).collect();
    assert!(commands.len() > 25);
    for line in commands {
        assert!(line.starts_with("charpipe "), "{line}");
        let folder = TempDir::new().unwrap();
        // Both are text in every encoding that the page names; the dump consists of whole records.
        fs::write(folder.path().join("FILE"), "text\n").unwrap();
        fs::create_dir(folder.path().join("DIR")).unwrap();
        fs::write(folder.path().join("DIR/a.txt"), "text\n").unwrap();
        fs::write(folder.path().join("DUMP"), "t".repeat(160)).unwrap();
        let output = shell(folder.path(), line);
        assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
        let written =
            ["FILE", "OUT"].iter().any(|name| fs::read(folder.path().join(name)).is_ok_and(|is| is != b"text\n"));
        // `-f L1 --in-place FILE` does not change a file that is ASCII.
        assert!(
            !output.stdout.is_empty()
                || written
                || line.contains("--in-place")
                || line.contains("-o ")
                || line.contains("> OUT"),
            "{line}"
        );
    }
}

#[test]
fn suffixes_of_the_target() {
    let input = "a€b\u{FF}c".as_bytes();
    let mut broken = input.to_vec();
    broken.push(0xFF);
    for (label, bytes, expected) in [
        ("ASCII//TRANSLIT", input, (0, &b"aEURbyc"[..])),
        ("ascii//translit//", input, (0, b"aEURbyc")),
        ("ASCII//TRANSLIT", &broken, (1, b"aEURbyc")),
        ("ISO-8859-1//TRANSLIT", "Łódź".as_bytes(), (0, b"L\xF3dz")),
        // No approximation: a question mark, not the control character SUB.
        ("ISO-8859-1//TRANSLIT", "a\u{E000}b".as_bytes(), (0, b"a?b")),
        ("ASCII//IGNORE", &broken, (0, b"abc")),
        ("ASCII//TRANSLIT//IGNORE", &broken, (0, b"aEURbyc")),
        ("ASCII//IGNORE,TRANSLIT", &broken, (0, b"aEURbyc")),
        ("ASCII//TRANSLIT//IGNORE", "a\u{E000}é".as_bytes(), (0, b"ae")),
        ("ASCII//NON_IDENTICAL_DISCARD", input, (0, b"abc")),
        ("ASCII//NON_IDENTICAL_DISCARD", &broken, (1, b"abc")),
        ("ASCII//", input, (1, b"a")),
        // A one-way mapping of the page: U+FF01 is written as an exclamation mark.
        ("IBM037//TRANSLIT", "a！".as_bytes(), (0, b"\x81\x5A")),
        ("IBM037//TRANSLIT//IGNORE", "a！\u{E000}".as_bytes(), (0, b"\x81\x5A")),
        ("IBM037//IGNORE", "a！€".as_bytes(), (0, b"\x81")),
    ] {
        let (status, output, stderr) = on(bytes, &format!("charpipe -f UTF-8 -t {label} FILE"));
        assert_eq!((status, &*output), expected, "{label}: {stderr}");
        if expected.0 == 0 {
            assert!(stderr.contains("not in "), "replaced characters are counted: {stderr}");
        }
    }
}

#[test]
fn options_win_over_suffixes() {
    let input = b"a\xE2\x82\xACb\xFF";
    for (options, expected) in [
        ("-t ASCII//IGNORE --unmappable escape", (0, &b"a\\u{20AC}b"[..])),
        ("-t ASCII//IGNORE --malformed escape", (0, b"ab\\xFF")),
        ("-t ASCII//IGNORE --malformed fail", (1, b"ab")),
        ("-t ASCII//IGNORE --unmappable fail", (1, b"a")),
        ("-c -t ASCII//TRANSLIT", (0, b"aEURb")),
        ("--unmappable drop -t ASCII//IGNORE", (0, b"ab")),
        ("-f UTF-8//IGNORE -t UTF-8", (0, b"a\xE2\x82\xACb")),
        ("-f UTF-8//IGNORE -t ASCII", (1, b"a")),
    ] {
        let (status, output, stderr) = on(input, &format!("charpipe -f UTF-8 {options} FILE"));
        assert_eq!((status, &*output), expected, "{options}: {stderr}");
    }
}

#[test]
fn suffixes_that_make_no_sense_are_wrong_usage() {
    for (options, why) in [
        ("-f UTF-8//TRANSLIT", "charpipe: --from: //TRANSLIT applies to the output; put it after the label of --to\n"),
        (
            "-f UTF-8//NON_IDENTICAL_DISCARD",
            "charpipe: --from: //NON_IDENTICAL_DISCARD applies to the output; put it after the label of --to\n",
        ),
        (
            "-t ASCII//TRANSLITERATE",
            "charpipe: --to: unknown suffix \"TRANSLITERATE\"; use //TRANSLIT, //IGNORE or //NON_IDENTICAL_DISCARD\n",
        ),
        (
            "-t ASCII//TRANSLIT//NON_IDENTICAL_DISCARD",
            "charpipe: --to: //TRANSLIT and //NON_IDENTICAL_DISCARD cannot be used together\n",
        ),
        ("-t //TRANSLIT", "charpipe: --to: \"//TRANSLIT\" has no encoding before the `//`\n"),
    ] {
        assert_eq!(on(b"text", &format!("charpipe {options} FILE")), (2, vec![], why.to_owned()));
    }
    let (status, _, stderr) = on(b"text", "charpipe detect -f UTF-8//TRANSLIT FILE");
    assert!(status == 2 && stderr.starts_with("charpipe: --from: //TRANSLIT"), "{stderr}");
    assert_eq!(on(b"text", "charpipe detect -f UTF-8//IGNORE FILE").0, 0);
}

#[test]
fn options_of_other_programs_get_a_tip() {
    for (typed, expected) in [
        ("--byte-subst=x", "--malformed escape"),
        ("--unicode-subst=x", "--unmappable escape"),
        ("--widechar-subst=x", "--unmappable"),
        ("-x NFC", "--normalize nfc"),
        ("-L", "--unmappable translit"),
        ("--callback skip", "--malformed and --unmappable"),
        ("--from-callback skip", "--malformed"),
        ("--to-callback skip", "--unmappable"),
        ("-i", "charpipe detect"),
        ("-b", "charpipe detect"),
        ("--mime", "charpipe detect"),
        ("--mime-encoding", "charpipe detect"),
        ("--encoding L1", "-f"),
        ("--lrecl 80", "--records fb:N"),
        ("--json", "charpipe detect --json"),
        ("-d", "--eol lf"),
        ("--d2u", "--eol lf"),
        ("-w", "-t UTF-8"),
        ("-S", "-f Shift_JIS"),
        ("--fix", "--malformed windows-1252"),
        ("--overwrite", "--in-place"),
        ("-g", "--guess"),
        ("--language de", "--guess"),
        ("--add-signature", "--bom add"),
        ("--remove-signature", "--bom strip"),
        ("--block-size 9", "--jobs"),
    ] {
        let (status, output, stderr) = on(b"text", &format!("charpipe {typed} FILE"));
        assert_eq!((status, &*output), (2, &b""[..]), "{typed}");
        let name = typed.split([' ', '=']).next().unwrap();
        assert!(stderr.starts_with(&format!("charpipe: there is no option {name}")), "{stderr}");
        let (_, hint) = stderr.split_once(" (").unwrap_or_default();
        assert!(hint.contains(expected) && stderr.lines().count() == 1, "{stderr}");
    }
}

#[test]
fn arguments_of_other_programs_that_are_not_files() {
    for (typed, hint) in [
        ("latin1..utf8", "(for recode's latin1..utf8 use -f latin1 -t utf8, with --in-place to replace FILE)"),
        ("if=FILE", "(for dd's if=FILE use the argument FILE)"),
        ("of=OUT", "(for dd's of=OUT use -o OUT)"),
        ("conv=ascii", "(for dd's conv=ascii use -f with the code page, such as -f IBM1047)"),
        ("cbs=80", "(for dd's cbs=80 use --records fb:80 or --to-records fb:80)"),
        ("detcet", "(did you mean the command `detect`? it comes first: charpipe detect)"),
    ] {
        let (status, _, stderr) = on(b"text", &format!("charpipe {typed}"));
        assert_eq!(status, 3);
        assert!(stderr.starts_with(&format!("charpipe: {typed}: cannot open: ")), "{stderr}");
        assert!(stderr.trim_end().ends_with(hint), "{stderr}");
    }
    // If there is a file of that name, it is converted.
    assert_eq!(on(b"text", "cp FILE latin1..utf8; charpipe latin1..utf8"), (0, b"text".to_vec(), String::new()));
    let (_, _, stderr) = on(b"text", "charpipe nosuch..file");
    assert!(!stderr.contains('('.to_string().as_str()) || !stderr.contains("recode"), "{stderr}");
}

/// Values that other programs have get a tip, and say what is possible.
#[test]
fn values_of_other_programs_get_a_tip() {
    for (typed, tip) in [
        ("--eol unix", "--eol lf"),
        ("--eol=dos", "--eol crlf"),
        ("--unmappable ignore", "--unmappable drop"),
        ("--unmappable backslashreplace", "--unmappable escape"),
        ("--bom none", "--bom strip"),
        ("--as csv", "--as text"),
        ("--policy browser", "--policy whatwg"),
        ("--normalize C", "--normalize nfc"),
    ] {
        let (status, _, stderr) = on(b"text", &format!("charpipe {typed} FILE"));
        assert!(status == 2 && stderr.ends_with(&format!(" (use {tip})\n")), "{typed}: {stderr}");
    }
    for (word, instead) in [
        ("ignore", "(use drop)"),
        ("lossy", "(use replace)"),
        ("strict", "(use fail)"),
        ("backslashreplace", "(use escape)"),
        ("no-such-page", "(use fail, replace, drop, escape, or a single-byte charset such as windows-1252)"),
        ("UTF-8", "(use fail, replace, drop, escape, or a single-byte charset such as windows-1252)"),
    ] {
        let (status, _, stderr) = on(b"text", &format!("charpipe --malformed {word} FILE"));
        assert!(status == 2 && stderr.starts_with("charpipe: --malformed: "), "{word}: {stderr}");
        assert!(stderr.trim_end().ends_with(instead), "{word}: {stderr}");
    }
}

/// An option that needs another one says so.
#[test]
fn who_requires_what() {
    for (typed, expected) in [
        ("--carriage-control asa", "charpipe: --carriage-control requires --records SHAPE (see --help)\n"),
        ("--trim none --shift-blanks", "charpipe: --trim and --shift-blanks require --records SHAPE (see --help)\n"),
        ("--overlong cut", "charpipe: --overlong requires --to-records SHAPE (see --help)\n"),
        ("--skip-existing", "charpipe: --skip-existing requires --output-dir DIR (see --help)\n"),
        ("--output-suffix .x", "charpipe: --output-suffix requires --output-dir DIR (see --help)\n"),
        ("detect --html", "charpipe: --html requires --explain (see --help)\n"),
    ] {
        let (status, _, stderr) = on(b"text", &format!("charpipe {typed} FILE"));
        assert!(status == 2 && stderr.starts_with(expected), "{typed}: {stderr}");
    }
}

/// Options may come before the word of the command.
#[test]
fn options_before_the_command() {
    let (status, output, _) = on(b"caf\xE9", "charpipe -q -f L1 detect FILE");
    assert_eq!((status, String::from_utf8(output).unwrap().as_str()), (0, "FILE: ISO-8859-1 (text; rule user)\n"));
    let (status, output, _) = on(b"x", "cp FILE detect; charpipe -q -f L1 ./detect");
    assert_eq!((status, output), (0, b"x".to_vec()));
}
