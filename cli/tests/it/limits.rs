//! Tests every limit that `docs/limits.md` states, at its value and one beyond it. If the command has an option for the
//! limit, the test uses the command.

use crate::common::process::piped_through;
use charpipe::Faults;
use charpipe::Transcode;
use charpipe::codec::table::{Table, limits};
use charpipe::detect::{DECLARATION_LIMIT, PRESCAN_LIMIT, statistics};
use charpipe::records::{RECORD_LIMIT, Records, SNIFFED, Shape};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Returns the output and the messages.
fn run(line: &str, input: &[u8]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    let output = piped_through(command.args(line.split_whitespace()), input);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, stderr)
}

#[track_caller]
fn passes(line: &str, input: &[u8]) -> Output {
    let (output, stderr) = run(line, input);
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{line}");
    output
}

#[track_caller]
fn fails(line: &str, input: &[u8], status: i32, expected: &str) {
    let (output, stderr) = run(line, input);
    assert_eq!(output.status.code(), Some(status), "{line}: {stderr}");
    assert!(stderr.contains(expected), "{line}: {stderr}");
}

/// Parses the one object that is printed.
fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_declaration() {
    let of = |len: usize| {
        let (begin, end) = ("<?xml version='1.0'", "encoding='ISO-8859-1'?>");
        format!("{begin}{}{end}<a>", " ".repeat(len - begin.len() - end.len()))
    };
    assert_eq!(DECLARATION_LIMIT, 4096);
    let found = object(&passes("detect --json", of(4096).as_bytes()));
    assert_eq!(found["declared"], "ISO-8859-1");
    let (output, _) = run("detect --json", of(4097).as_bytes());
    assert_eq!((output.status.code(), &object(&output)["error"]["code"]), (Some(1), &"declaration-too-long".into()));
    fails("", of(4097).as_bytes(), 1, "longer than 4096 characters");
    // A character counts once, however many bytes it has.
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    assert_eq!(object(&passes("detect --json -q", &utf16(&of(4096))))["declared"], "ISO-8859-1");
    fails("detect", &utf16(&of(4097)), 1, "longer than 4096 characters");
}

#[test]
fn the_prescan() {
    assert_eq!(PRESCAN_LIMIT, 1 << 20);
    let meta = "<meta charset=koi8-r>";
    let page = |len: usize| format!("<!doctype html>{}{meta}", " ".repeat(len - meta.len() - 15)).into_bytes();
    let detect = |line: &str, page: &[u8]| {
        let output = passes(&format!("detect --json --as html {line}"), page);
        object(&output)["declared"].clone()
    };
    assert_eq!(detect("", &page(1024)), "koi8-r");
    assert_eq!(detect("", &page(1025)), Value::Null);
    assert_eq!(detect("--prescan 1048576", &page(PRESCAN_LIMIT)), "koi8-r");
    assert_eq!(detect("--prescan 1048576", &page(PRESCAN_LIMIT + 1)), Value::Null);
    fails("--prescan 1048577", b"", 2, "0 to 1048576");
    fails("--prescan 18446744073709551615", b"", 2, "0 to 1048576");
    // The library reduces larger values to the limit.
    let job = Transcode::new().kind(charpipe::Kind::Html).prescan(usize::MAX);
    let report = job.run(&page(PRESCAN_LIMIT)[..], std::io::sink()).unwrap();
    assert_eq!(report.verdict.unwrap().declared.as_deref(), Some("koi8-r"));
}

/// Runs the command with a table file.
fn with_table(folder: &TempDir, content: &str) -> (Output, String) {
    let path = folder.path().join("x-own.txt");
    fs::write(&path, content).unwrap();
    run(&format!("--codec-file {} -f x-own", path.display()), b"")
}

#[track_caller]
fn table(content: &dyn Fn(usize) -> String, most: usize, expected: &str) {
    let folder = TempDir::new().unwrap();
    let (output, stderr) = with_table(&folder, &content(most));
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
    let (output, stderr) = with_table(&folder, &content(most + 1));
    assert_ne!(output.status.code(), Some(0), "{expected}");
    assert!(stderr.contains(expected), "{stderr}");
}

fn ucm(head: &str, body: &str) -> String {
    let class = if head.contains("uconv_class") { "" } else { "<uconv_class> \"SBCS\"\n" };
    format!("<code_set_name> \"x-own\"\n{class}{head}CHARMAP\n{body}\nEND CHARMAP\n")
}

#[test]
fn table_files() {
    let body = "<U0041> \\x41 |0";
    table(&|lines| ucm("", body) + &"\n".repeat(lines - ucm("", body).len()), limits::MAX_FILE, "33554432 bytes");
    table(&|len| format!("#{}\n", "x".repeat(len - 1)) + &ucm("", body), limits::MAX_LINE, "at most 4096 bytes");
    table(
        &|count| ucm(&format!("<uconv_class> \"MBCS\"\n{}", "<icu:state> 0-7f\n".repeat(count)), body),
        limits::MAX_STATES,
        "at most 256 states",
    );
    table(&|count| ucm("", &format!("<U0041> {} |0", "\\x41".repeat(count))), limits::MAX_BYTES, "at most 31 bytes");
    table(&|count| ucm("", &format!("{} \\x41 |0", "<UFF21>".repeat(count))), limits::MAX_TEXT, "19 UTF-16 code units");
}

#[test]
fn aliases_and_bases_of_tables() {
    let aliases = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let body = "<U0041> \\x41 |0";
    let expected = "a table may have at most 1024";
    table(&|count| ucm(&aliases(count, &|n| format!("<icu:alias> \"x-a{n}\"\n")), body), limits::MAX_ALIASES, expected);
    table(
        &|count| {
            let aliases = aliases(count, &|n| format!("% alias x-a{n}\n"));
            format!("<code_set_name> x-own\n<escape_char> /\n{aliases}CHARMAP\n<U0041> /x41\nEND CHARMAP\n")
        },
        limits::MAX_ALIASES,
        expected,
    );
    let own = |head: String| format!("name x-own\nsubstitute 6F\n{head}like IBM037\n");
    table(&|count| own(aliases(count, &|n| format!("alias x-a{n}\n"))), limits::MAX_ALIASES, expected);
    table(&|count| own("like IBM037\n".repeat(count - 1)), limits::MAX_BASES, "at most 16");
    // All of them are labels.
    let page = own(aliases(limits::MAX_ALIASES, &|n| format!("alias x-a{n}\n")));
    let table = Table::read(page.as_bytes(), "", &|name| {
        charpipe::Registry::builtin().codec(name).ok()?.info().table().map(|table| table.into_owned())
    });
    assert_eq!(table.unwrap().aliases.len(), 1024);
}

#[test]
fn numbers_on_the_command_line() {
    for (option, most, expected) in [
        ("--jobs", 65535, "1 to 65535"),
        ("--records fb:", 65535, "1 to 65535"),
        ("--records vb:", 32760, "9 to 32760"),
        ("--to-records vbs:", 32760, "9 to 32760"),
    ] {
        let gap = if option.ends_with(':') { "" } else { " " };
        passes(&format!("-f latin1 {option}{gap}{most}"), b"");
        fails(&format!("-f latin1 {option}{gap}{}", most + 1), b"", 2, expected);
    }
    let columns = |count: usize| (0..count).map(|n| (2 * n + 1).to_string()).collect::<Vec<_>>().join(",");
    passes(&format!("-f latin1 --records fb:2000 --columns {}", columns(1000)), b"");
    fails(&format!("-f latin1 --records fb:2000 --columns {}", columns(1001)), b"", 2, "more than 1000 ranges");
    // Each of these shapes would be nested in the one before it.
    fails(&format!("--records {}fb:80", "awstape,".repeat(10_000)), b"", 2, "cannot contain a tape image");
}

/// A label may be as long as its context allows, and its cost is linear in its length.
#[test]
fn labels() {
    let long = "x".repeat(100_000);
    fails(&format!("-t {long}"), b"", 2, "is not known");
    fails(&format!("--content-type text/xml;charset={long}"), b"<a/>", 1, "is not known");
    fails(&format!("--content-type text/xml{}", ";charset=x".repeat(9_000)), b"<a/>", 1, "is not known");
    let declared = format!("<?xml version='1.0' encoding='{}'?>", "x".repeat(4000));
    fails("", declared.as_bytes(), 1, "is not known");
}

#[test]
fn records_of_the_greatest_length() {
    for (shape, most) in [("fb:80", 80), ("rdw", 32756), ("vb", 32752), ("u16", 65535), ("u32", RECORD_LIMIT)] {
        let line = |len: usize| ["a".repeat(len), "b\n".into()].join("\n").into_bytes();
        passes(&format!("-f latin1 -t latin1 --to-records {shape}"), &line(most));
        let expected = format!("record 1 is longer than {most} bytes");
        fails(&format!("-f latin1 -t latin1 --to-records {shape}"), &line(most + 1), 1, &expected);
    }
}

#[test]
fn records_in_memory() {
    let of = |len: usize| [&(len as u32).to_be_bytes()[..], &vec![b'a'; len]].concat();
    for (len, code) in [(RECORD_LIMIT, None), (RECORD_LIMIT + 1, Some("record-too-long"))] {
        let input = of(len);
        let mut records = Records::new(&input[..], &Shape::U32);
        let found = records.next_record().map(|record| record.is_some());
        assert_eq!(found.as_ref().err().map(|error| error.code()), code);
        assert!(code.is_some() || found.unwrap());
    }
    // No record is held in memory during conversion.
    passes("-f latin1 --records u32", &of(RECORD_LIMIT + 1));
    assert_eq!(SNIFFED, 1 << 20);
}

#[test]
fn recorded_errors() {
    assert_eq!(Faults::<()>::KEPT, 16);
    for (line, input, what) in [
        ("--malformed replace -f utf-8", vec![0xFF; 17], "malformed"),
        ("-f utf-8 -t latin1 --unmappable replace", "€".repeat(17).into_bytes(), "unmappable"),
        ("-f latin1 --controls drop", vec![1; 17], "controls"),
    ] {
        for count in [16, 17] {
            let input = &input[..input.len() / 17 * count];
            let (output, report) = run(&format!("-q --report - {line}"), input);
            let report: Value = serde_json::from_str(&report).unwrap();
            assert_eq!(output.status.code(), Some(0));
            assert_eq!(report[what]["count"], count);
            assert_eq!(report[what]["first"].as_array().unwrap().len(), 16);
        }
    }
}

#[test]
fn candidates() {
    let text = "Größe und Maß, Überfluß an Äpfeln. ".repeat(2 * statistics::WINDOW / 40);
    let bytes: Vec<u8> = text.chars().map(|ch| ch as u8).collect();
    let found = object(&passes("detect --json --guess", &bytes));
    let count = found["candidates"].as_array().unwrap().len();
    assert!(count > 0 && count <= statistics::MOST, "{count}");
    assert_eq!((statistics::WINDOW, statistics::MINIMUM, statistics::MOST), (65536, 24, 12));
}

/// The data of a run that guesses is at most 3 MiB. A charset with a large table costs nothing if the input cannot be in
/// it.
#[cfg(target_os = "linux")]
#[test]
fn memory_of_a_guess() {
    for (label, text) in [
        ("windows-1252", "Größe und Übermut, die Straße läuft über den Fluß. Schöne Grüße.\n"),
        ("KOI8-R", "Это простой русский текст для проверки кодировки.\n"),
        ("Shift_JIS", "これは日本語のテキストです。漢字とかな。\n"),
        ("GBK", "这是一个简单的中文文本，用来测试编码的猜测。我们希望结果是正确的。\n"),
        ("Big5", "這是一個簡單的中文文本，用來測試編碼的猜測。我們希望結果是正確的。\n"),
        ("EUC-KR", "한국어 텍스트입니다. 인코딩을 추측하는 시험입니다.\n"),
    ] {
        let text = text.repeat(20_000);
        let bytes = passes(&format!("-t {label}"), text.as_bytes()).stdout;
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -d 3072; exec \"$0\" -q --guess", env!("CARGO_BIN_EXE_charpipe")]);
        let output = piped_through(&mut command, &bytes);
        assert!(output.status.success(), "{label}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout == text.as_bytes(), "{label}");
    }
}

#[test]
fn globs() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a"), "text").unwrap();
    let line = |glob: &str| format!("-q -r --check --exclude {glob} {}", folder.path().display());
    let nested = |depth: usize| "{".repeat(depth) + &"}".repeat(depth);
    // 256 alternatives of 255 bytes, each of them counted as one more. Windows takes no argument of 65,535 bytes.
    let long = |rest: usize| "{a,b}".repeat(8) + &"x".repeat(rest);
    for glob in [long(247), "{a,b}".repeat(11), nested(50)] {
        passes(&line(&glob), b"");
    }
    for (glob, why) in [
        (long(248), "it is longer than 65535 bytes with its braces written out"),
        ("{a,b}".repeat(13), "it is longer than 65535 bytes with its braces written out"),
        (nested(51), "braces in braces, more than 50 deep"),
    ] {
        fails(&line(&glob), b"", 2, why);
    }
}

/// charpipe follows as many symlinks as Linux does.
#[cfg(unix)]
#[test]
fn links_to_the_output() {
    let folder = TempDir::new().unwrap();
    let path = |n: usize| folder.path().join(format!("link{n}"));
    for n in 1..=40 {
        std::os::unix::fs::symlink(path(n - 1), path(n)).unwrap();
    }
    passes(&format!("-f latin1 -o {}", path(39).display()), b"whole");
    assert_eq!(fs::read(path(0)).unwrap(), b"whole");
    fails(&format!("-f latin1 -o {}", path(40).display()), b"", 3, "link40");
}

/// A small copybook asks for half a million columns with names of 1500 bytes, which are never made: the command may have
/// 64 MiB.
#[cfg(target_os = "linux")]
#[test]
fn names_of_columns() {
    let folder = TempDir::new().unwrap();
    let name = |name: &str| folder.path().join(name).display().to_string();
    let group = |level: usize| {
        let occurs = if level <= 20 { " OCCURS 2" } else { "" };
        format!("{level:02} G{level}-{}{occurs}.\n", "X".repeat(26))
    };
    let copybook = |lowest: &str| format!("01 R.\n{}{lowest}", (2..=48).map(group).collect::<String>());
    fs::write(name("long"), copybook("49 F PIC X.\n")).unwrap();
    fs::write(name("rows"), "F\na\n").unwrap();
    let limited = |options: &str| {
        let line = format!("rows --layout {} {options}", name("long"));
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 65536; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_charpipe")]);
        let output = piped_through(command.args(line.split_whitespace()), b"");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let rows = format!("--from-rows csv {}", name("rows"));
    for options in ["-f IBM037", "-f IBM037 --format jsonl", &rows] {
        let (status, stderr) = limited(options);
        assert_eq!(status, Some(2), "{options}: {stderr}");
        assert!(stderr.contains("the names of the columns are longer than 16777216 bytes in total"), "{stderr}");
    }
    // Fields that are not selected have no columns.
    fs::write(name("long"), copybook("49 F PIC X.\n02 LAST PIC X.\n")).unwrap();
    assert_eq!(limited("-q -f IBM037 --select LAST"), (Some(0), String::new()));
}

#[test]
fn layouts_and_rows() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("list"), "A 1 4 text\n").unwrap();
    fs::write(path("large"), "#".repeat((16 << 20) + 1)).unwrap();
    let line = |options: &str| format!("rows -q --layout {} {options}", path("list").display());
    fails(&format!("rows --layout {}", path("large").display()), b"", 2, "the layout is longer than 16777216 bytes");
    let record = |len: u32| [&len.to_be_bytes()[..], &vec![0x40; len as usize]].concat();
    passes(&line("--records u32 --overlong cut"), &record(1 << 20));
    fails(&line("--records u32 --overlong cut"), &record((1 << 20) + 1), 1, "record 1 is longer than 1048576 bytes");
    let csv = |len: usize| format!("A\n\"{}\"\n", "a".repeat(len)).into_bytes();
    fails(&line("--from-rows csv"), &csv(1 << 20), 1, "does not fit");
    fails(
        &line("--from-rows csv"),
        &csv(17 << 20),
        1,
        "line 2, column 1 (byte 2): row 1: it is longer than 16777216 bytes",
    );
    let json = |len: usize| format!("{{\"A\":\"{}\"}}\n", "a".repeat(len)).into_bytes();
    fails(&line("--from-rows jsonl"), &json(17 << 20), 1, "row 1: it is longer than 16777216 bytes");
}
