//! Runs the blocks of docs/other-programs.md with the programs that they are about, as far as these are installed.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Returns whether `program` is installed; prints a message if it is not.
fn has(program: &str) -> bool {
    let mut probe = Command::new(program);
    let found = probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        crate::common::skipped(format_args!("{program} is not installed"));
    }
    found
}

/// Returns the block of the page below the heading.
fn block(heading: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/other-programs.md")).unwrap();
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap().to_owned();
    section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

/// Runs a script in `folder`, with the command under test on the path.
fn shell(folder: &Path, script: &str) -> Output {
    let bin: PathBuf = Path::new(env!("CARGO_BIN_EXE_charpipe")).parent().unwrap().to_owned();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder).env("PATH", path).env("LC_ALL", "C.UTF-8");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.stdin(Stdio::null()).output().unwrap()
}

/// COBOL, in lines.
const COBOL: &str = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HELLO.\n       PROCEDURE DIVISION.\n           \
                     DISPLAY 'Hello from the mainframe, and good morning'.\n           STOP RUN.\n";

/// A folder with text in several encodings, and what is no text.
fn mixed() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mixed = folder.path().join("mixed");
    fs::create_dir(&mixed).unwrap();
    let german = "Jos\u{e9} M\u{fc}ller wohnt in K\u{f6}ln, sch\u{f6}ne Gr\u{fc}\u{df}e aus \u{d6}sterreich\n";
    let latin1: Vec<u8> = german.chars().map(|ch| ch as u8).collect();
    fs::write(mixed.join("latin1.txt"), latin1).unwrap();
    fs::write(mixed.join("utf8.txt"), german).unwrap();
    let utf16: Vec<u8> = format!("\u{feff}{german}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(mixed.join("utf16.txt"), utf16).unwrap();
    fs::write(mixed.join("a.gz"), b"\x1F\x8B\x08\0\0\0\0\0\0\x03M\xFCller\0\xFF\xFE").unwrap();
    fs::write(folder.path().join("customers.csv"), german.chars().map(|ch| ch as u8).collect::<Vec<u8>>()).unwrap();
    let xml = [&b"\x4C\x6F\xA7\x94\x93\x40\xA5\x85\x99\xA2\x89\x96\x95\x7E\x7F\xF1\x4B\xF0\x7F\x40\x85\x95\x83\x96\x84\x89\x95\x87\x7E\x7F\xC9\xC2\xD4\xF0\xF3\xF7\x7F\x6F\x6E"[..], b"\x4C\x81\x61\x6E"].concat();
    fs::write(folder.path().join("mainframe.xml"), xml).unwrap();
    folder
}

#[test]
fn ripgrep() {
    if !has("rg") {
        return;
    }
    let folder = mixed();
    let output = shell(folder.path(), &block("ripgrep").replace("rg --pre", "rg --sort path --pre"));
    let found = String::from_utf8(output.stdout).unwrap();
    let files: Vec<&str> = found.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        files,
        ["mixed/latin1.txt", "mixed/utf16.txt", "mixed/utf8.txt"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn less() {
    if !has("less") {
        return;
    }
    let folder = mixed();
    let output = shell(folder.path(), &format!("{}less mixed/a.gz", block("less")));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.starts_with("José Müller wohnt in Köln"), "{shown:?}");
    // What is not text is shown as it is.
    assert!(output.stdout.ends_with(&fs::read(folder.path().join("mixed/a.gz")).unwrap()), "{shown:?}");
}

#[test]
fn bat() {
    let Some(name) = ["bat", "batcat"].into_iter().find(|name| has(name)) else { return };
    let folder = mixed();
    let output = shell(folder.path(), &block("bat").replace("| bat", &format!("| {name}")));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>");
}

#[test]
fn git_diff() {
    if !has("git") {
        return;
    }
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.txt"), COBOL).unwrap();
    let make = "charpipe -t IBM1047 --ebcdic-nl zos -o a.cbl a.txt";
    let lines = block("git diff").replace("git diff\n", "");
    let change = "git init -q && git add . && git -c user.name=x -c user.email=x@example.org commit -q -m x";
    let output =
        shell(folder.path(), &format!("{make} && {change}\n{lines}printf '\\306\\311\\325\\25' >> a.cbl\ngit diff"));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("\n            STOP RUN.\n+FIN\n"), "{shown:?} {output:?}");
}

/// Names of columns come from a layout that somebody else wrote, and the name of the table from a file: none of them is
/// SQL, whatever is in it.
#[test]
fn sqlite_gets_any_names() {
    if !has("python3") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let names = [
        "x\");DROP/**/TABLE/**/t;--",
        "\"",
        "\"\"",
        "a\",\"b",
        "'",
        "`",
        "{x}",
        "%s",
        "?",
        "x\"/**/DEFAULT(1),\"y",
        "select",
    ];
    let list: String = names.iter().zip(1..).map(|(name, at)| format!("{name} {at} 1 text\n")).collect();
    fs::write(folder.path().join("list"), list).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/load-sqlite.py");
    let load = format!(
        "printf 123456789AB | charpipe rows -q -f ASCII --layout list > 't\");--.csv' &&
         python3 '{script}' 't\");--.csv' 'SELECT * FROM \"t\"\");--\"' &&
         python3 '{script}' 't\");--.csv' \"SELECT name FROM pragma_table_info('t\\\");--')\""
    );
    let output = shell(folder.path(), &load);
    let expected = format!("1|2|3|4|5|6|7|8|9|A|B\n{}\n", names.join("\n"));
    assert_eq!(
        (&*String::from_utf8_lossy(&output.stderr), &*String::from_utf8_lossy(&output.stdout)),
        ("", &*expected)
    );
}
