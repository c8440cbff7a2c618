//! Runs the `sh` blocks of docs/other-programs.md with the programs that they are about, if these are installed. The
//! `console` blocks of the page are run with those of the other pages.
use crate::readme::{self, Scratch};
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

/// Returns a root with the files that the page makes first, and one that is not text.
fn mixed() -> Scratch {
    let scratch = Scratch::new();
    let commands = readme::typed("docs/other-programs.md");
    let made: Vec<&str> = commands.iter().map(String::as_str).take_while(|line| !line.starts_with("git ")).collect();
    assert_eq!(scratch.run(&made.join("\n")), "");
    fs::write(scratch.root().join("try/mixed/a.gz"), b"\x1F\x8B\x08\0\0\0\0\0\0\x03M\xFCller\0\xFF\xFE").unwrap();
    scratch
}

#[test]
fn ripgrep() {
    if !has("rg") {
        return;
    }
    let scratch = mixed();
    let output = shell(&scratch.root(), &block("ripgrep").replace("rg --pre", "rg --sort path --pre"));
    let found = String::from_utf8(output.stdout).unwrap();
    let files: Vec<&str> = found.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        files,
        ["try/mixed/utf16.txt", "try/mixed/utf8.txt", "try/mixed/windows.txt"],
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
    let scratch = mixed();
    let output = shell(&scratch.root(), &format!("{}less try/mixed/a.gz", block("less")));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.starts_with("José Müller wohnt in Köln"), "{shown:?}");
    // Input that is not text is shown unchanged.
    assert!(output.stdout.ends_with(&fs::read(scratch.root().join("try/mixed/a.gz")).unwrap()), "{shown:?}");
}

#[test]
fn bat() {
    let Some(name) = ["bat", "batcat"].into_iter().find(|name| has(name)) else { return };
    let scratch = mixed();
    let output = shell(&scratch.root(), &block("bat").replace("| bat", &format!("| {name}")));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<customers>\n"), "{shown}");
}

/// Names of columns come from a layout that someone else wrote, and the name of the table from a file: none of them is
/// SQL, regardless of their contents.
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
