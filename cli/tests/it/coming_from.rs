//! Tests habits of other programs' users: the commands of docs/coming-from.md, which are compared with the originals as
//! far as these are installed; suffixes; and options that charpipe does not have.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Runs a shell command line in which `charpipe` is the command under test.
fn shell(folder: &Path, line: &str) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_charpipe")).parent().unwrap();
    // Debian has no package of ftfy, so .ci/run installs it here.
    let others = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/peers-venv/bin");
    let path = format!("{}:{}:{others}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path).env_remove("CLICOLOR_FORCE");
    // glibc's iconv approximates by the locale.
    command.env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command.output().unwrap()
}

/// Runs `line` with a `FILE` that contains `input`; returns the status, the output and the messages.
fn on(input: &[u8], line: &str) -> (i32, Vec<u8>, String) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("FILE"), input).unwrap();
    let output = shell(folder.path(), line);
    (output.status.code().unwrap(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

/// A row of a table of the page.
struct Row {
    /// The commands of the other program: each does what `ours` does.
    theirs: Vec<String>,
    ours: String,
    /// How the results differ, empty if they do not. `None`: the table says nothing about that.
    difference: Option<String>,
}

/// Returns the texts between backticks in a cell.
fn commands(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(|command| command.replace("\\|", "|")).collect()
}

fn rows() -> Vec<Row> {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/coming-from.md")).unwrap();
    let mut rows = Vec::new();
    let mut compares = false;
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells = line.replace("\\|", "\u{1}");
        let mut cells = cells.trim_matches('|').split('|').map(|cell| cell.replace('\u{1}', "\\|").trim().to_owned());
        let (theirs, ours, difference) = (cells.next().unwrap(), cells.next().unwrap(), cells.next());
        assert_eq!(cells.next(), None, "{line}");
        if ours == "charpipe" {
            compares = difference.as_deref() == Some("difference");
            continue;
        }
        let [ours] = &commands(&ours)[..] else { panic!("{line}") };
        assert!(ours.starts_with("charpipe ") && compares == difference.is_some(), "{line}");
        rows.push(Row { theirs: commands(&theirs), ours: ours.clone(), difference });
    }
    assert!(rows.len() > 90 && rows.iter().filter(|row| row.difference.is_some()).count() > 75);
    rows
}

/// The other programs: a command that succeeds if the program is installed, and a word that it then prints.
const PROGRAMS: [(&str, &str, &str); 16] = [
    // Other systems have other programs of this name.
    ("iconv", "iconv --version", "Free Software Foundation"),
    ("dd", "dd --version", "coreutils"),
    ("uconv", "uconv --version", "ICU"),
    ("recode", "recode --version", "recode"),
    ("file", "file --version", "file"),
    ("enca", "enca --version", "enca"),
    ("enconv", "enconv --version", "enc"),
    ("chardetect", "chardetect --version", "chardet"),
    ("uchardet", "uchardet --version", "uchardet"),
    ("dos2unix", "dos2unix --version", "dos2unix"),
    ("unix2dos", "unix2dos --version", "unix2dos"),
    ("mac2unix", "mac2unix --version", "mac2unix"),
    ("nkf", "nkf --version", "Network Kanji Filter"),
    ("fix_latin", "fix_latin --help", "fix_latin"),
    ("ftfy", "ftfy --help", "ftfy"),
    ("find", "find --version", "find"),
];

const LATIN: &[u8] = b"Jos\xE9 M\xFCller, K\xF6ln\n";
const ACCENTS: &[u8] = "José Müller, Köln\n".as_bytes();
const SIGNS: &[u8] = "José: 5 € “naïve”\n".as_bytes();
const MALFORMED: &[u8] = b"Jos\xC3\xA9 \xFF M\xC3\xBCller\n";
const MARKED: &[u8] = b"\xEF\xBB\xBFcaf\xC3\xA9\r\n";
const CZECH: &[u8] = b"P\xF8\xEDli\xB9 \xBElu\xBBou\xE8k\xFD k\xF9\xF2 \xFAp\xECl \xEF\xE1belsk\xE9 \xF3dy.\n\
    Nen\xED to pravda, \xBEe by to tak bylo, \xBEe \xBEena \xB9la k l\xE9ka\xF8i.\n";
const SHIFT_JIS: &[u8] =
    b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x95\xB6\x8F\xCD\r\n\x82\xB1\x82\xF1\x82\xC9\x82\xBF\x82\xCD\r\n";
const EUC_JP: &[u8] = b"\xC6\xFC\xCB\xDC\xB8\xEC\xA4\xCE\xCA\xB8\xBE\xCF\n\xA4\xB3\xA4\xF3\xA4\xCB\xA4\xC1\xA4\xCF\n";
const PRINTABLE: &[u8] = b" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmno\n\
    pqrstuvwxyz{|}~\n";

/// What FILE contains: that of the first entry whose text is in the command of the other program. The entries of a
/// program are together, and its last one has its name.
const SAMPLES: &[(&str, &[u8])] = &[
    ("iconv -f UTF-8 -t UTF-8", MARKED),
    ("iconv -c -f UTF-8 -t ASCII", "José\u{301}, 5 €\n".as_bytes()),
    ("iconv -f UTF-8 -t ASCII", SIGNS),
    ("iconv -f UTF-8", ACCENTS),
    ("iconv", LATIN),
    ("uconv -f ibm-1047", b"\xC8\x85\x93\x93\x96\x15\xC8\x89\x25"),
    ("--from-callback", MALFORMED),
    ("uconv -f UTF-8 -t UTF-8 -i", MALFORMED),
    ("--remove-signature", MARKED),
    ("-x nfc", "e\u{301}t\u{e9} \u{fb01}n\n".as_bytes()),
    ("-x any-nfkd", "e\u{301}t\u{e9} \u{fb01}n\n".as_bytes()),
    ("uconv", SIGNS),
    ("L1/CR-LF", b"caf\xE9\r\ncr\xE8me\r\n"),
    ("recode L1", LATIN),
    ("recode UTF-8..L1", SIGNS),
    ("recode", ACCENTS),
    ("file -", ACCENTS),
    ("enca", CZECH),
    ("enconv", CZECH),
    ("chardet", LATIN),
    ("dos2unix FILE; mac2unix", b"a\r\nb\rc\n"),
    ("dos2unix FILE", b"a\r\nb\rc\r\n"),
    ("dos2unix -r", MARKED),
    ("dos2unix -b", MARKED),
    ("unix2dos FILE", b"\xEF\xBB\xBFcaf\xC3\xA9\n"),
    ("dos2unix -iso", b"caf\x82\r\n"),
    ("dos2unix -437", b"caf\x82\r\n"),
    ("dos2unix -1252", b"caf\xE9 \x80\r\n"),
    ("dos", b"a\r\nb\n"),
    ("nkf -S -w FILE", b"\xB1\xB2\xB3 kana\n"),
    ("nkf -S", b"\xB1\xB2\xB3 kana \x93\xFA\n"),
    ("nkf -E", EUC_JP),
    ("nkf", SHIFT_JIS),
    ("fix_latin", b"Jos\xC3\xA9, Ren\xE9e: 5 \x80\n"),
    ("ftfy FILE", "trÃ¨s joli, “cafÃ©” &amp; l’Ã©tÃ©\n".as_bytes()),
    ("ftfy -e latin-1", b"tr\xC3\x83\xC2\xA8s joli, caf\xE9\n"),
    ("ftfy", "trÃ¨s joli: 5 â‚¬, cafÃ©\n".as_bytes()),
    ("dd conv=ascii if=FILE", b"\xC8\x85\x93\x93\x96\x5F\x51\x25"),
    ("dd conv=swab", b"\0J\0o\0s\0\xE9"),
    ("dd", PRINTABLE),
];

/// Runs `line` in a folder of samples. Returns what it printed, and the files after it with their contents.
fn outcome(line: &str, input: &[u8]) -> (Output, BTreeMap<String, Vec<u8>>) {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    write("FILE", input);
    fs::create_dir(folder.path().join("DIR")).unwrap();
    write("DIR/a.txt", input);
    write("DIR/b.dat", input);
    // Whole records, with spaces at their ends. No byte is a newline in EBCDIC or ASCII.
    write("DUMP", &[&[0xF1; 70][..], &[0x40; 10], &[0xF2; 79], &[0x40]].concat());
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/records");
    let customers = fs::read(records.join("customers.fb")).unwrap();
    write("records.fb", &customers);
    let framed = customers.chunks(76).flat_map(|record| [&[0, 80, 0, 0], record].concat());
    write("records.rdw", &framed.collect::<Vec<u8>>());
    write("records.vb", &fs::read(records.join("customers.vb")).unwrap());
    write("customer.cpy", &fs::read(records.join("customer.cpy")).unwrap());
    write("rows.jsonl", b"{\"ID\":1,\"NAME\":\"JOE\",\"ADDRESS\":\"\",\"BALANCE\":1.5,\"NOTE\":\"\"}\n");
    let output = shell(folder.path(), line);
    let mut files = BTreeMap::new();
    for (part, prefix) in [(".", ""), ("DIR", "DIR/")] {
        for entry in fs::read_dir(folder.path().join(part)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    (output, files)
}

/// Every command of charpipe on the page succeeds and says nothing about plain text, which every encoding there can
/// have.
#[test]
fn every_command_of_the_page_runs() {
    for Row { ours, .. } in rows() {
        // An even number of bytes, for UTF-16.
        let input = b"texts\n";
        let (output, files) = outcome(&ours, input);
        let is_quiet = output.stderr.is_empty() || output.stderr == b"charpipe: left alone: 1 excluded\n";
        assert!(output.status.success() && is_quiet, "{ours}: {output:?}");
        let has_written = files.get("FILE").map(Vec::as_slice) != Some(input) || files.contains_key("OUT");
        // `-f L1 --in-place FILE` does not change a file that is ASCII.
        assert!(!output.stdout.is_empty() || has_written || ours.contains("--in-place"), "{ours}");
    }
}

/// Both commands of a row give the same bytes if the page says nothing else, and other bytes if it does.
#[test]
fn commands_of_a_row_do_the_same() {
    let is_installed = |(name, probe, word): &(&'static str, &str, &str)| {
        let output = shell(Path::new("."), &format!("{probe} 2>&1"));
        let is_it = String::from_utf8_lossy(&output.stdout).contains(word) && output.status.success();
        if !is_it {
            crate::common::skipped(format_args!("{name} is not installed"));
        }
        is_it.then_some(*name)
    };
    let installed: Vec<&str> = PROGRAMS.iter().filter_map(is_installed).collect();
    let mut used = BTreeSet::new();
    let (mut compared, mut left_out) = (0, 0);
    for Row { theirs, ours, difference } in rows() {
        let Some(difference) = difference else { continue };
        for theirs in theirs {
            let (which, (_, input)) = (SAMPLES.iter().enumerate().find(|(_, (text, _))| theirs.contains(text)))
                .unwrap_or_else(|| panic!("no sample for {theirs}"));
            used.insert(which);
            let words: Vec<&str> = theirs.split([' ', ';']).collect();
            let mut needs = PROGRAMS.iter().map(|(name, ..)| *name).filter(|name| words.contains(name)).peekable();
            assert!(needs.peek().is_some(), "{theirs}");
            if !needs.all(|name| installed.contains(&name)) {
                left_out += 1;
                continue;
            }
            let (before, untouched) = outcome("true", input);
            let (expected, their_files) = outcome(&theirs, input);
            let (output, our_files) = outcome(&ours, input);
            assert!(
                before.stdout != expected.stdout || untouched != their_files,
                "{theirs} does nothing: {expected:?}"
            );
            let is_equal = expected.stdout == output.stdout && their_files == our_files;
            let changed = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
                let changed = files.iter().filter(|(name, content)| untouched.get(*name) != Some(*content));
                changed.map(|(name, content)| format!("{name}: {}", content.escape_ascii())).collect()
            };
            assert!(
                is_equal == difference.is_empty(),
                "$ {theirs}\n{expected:?}\n{:?}\n$ {ours}\n{output:?}\n{:?}",
                changed(&their_files),
                changed(&our_files)
            );
            assert!(output.status.success(), "{ours}: {output:?}");
            compared += 1;
        }
    }
    assert_eq!(used.len(), SAMPLES.len(), "samples that nothing uses");
    assert!(compared + left_out > 80, "only {compared} rows");
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
