//! `charpipe detect` on several files: names alone, columns on a terminal, and fewer hints.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File, OpenOptions};
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with a text, text in a legacy charset, UTF-16 that nothing marks, binary data, and text whose declared
/// encoding is probably wrong.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let files: [(&str, &[u8]); 5] = [
        ("text", "é\n".as_bytes()),
        ("legacy.txt", b"caf\xE9\n"),
        ("wide", b"a\0b\0c\0d\0\n\0"),
        ("data", b"\x7FELF\x02\x01\x01\0\0\0\xFF\xFE"),
        ("named.xml", b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\x80</a>"),
    ];
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn charpipe(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    command.args(line.split(' ')).current_dir(folder).env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
    command
}

fn run(folder: &Path, line: &str) -> (i32, String, String) {
    let output = charpipe(folder, line).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn names_alone() {
    let folder = folder();
    let (status, names, _) = run(folder.path(), "detect --brief text legacy.txt data named.xml absent");
    assert_eq!((status, &*names), (3, "UTF-8\nunknown\nunknown\nISO-8859-1\nunknown\n"));
    let (status, names, _) = run(folder.path(), "detect -b --guess legacy.txt");
    assert_eq!((status, &*names), (0, "windows-1252\n"));
    assert_eq!(run(folder.path(), "detect -b --json text").0, 2);
}

/// What is an error or a warning is always printed, what to try only for one file, or with `-v`.
#[test]
fn hints_about_one_file_only() {
    let folder = folder();
    let hint = "(try -f windows-1252 or --guess)";
    let (_, _, one) = run(folder.path(), "detect legacy.txt");
    assert!(one.contains(hint), "{one}");
    for line in ["detect legacy.txt text", "detect -r ."] {
        let (status, _, many) = run(folder.path(), line);
        assert!(
            status == 1 && many.contains("line 1, column 4 (byte 3): unknown encoding") && !many.contains(hint),
            "{many}"
        );
        let (_, _, verbose) = run(folder.path(), &format!("{line} -v"));
        assert!(verbose.contains(hint), "{verbose}");
    }
    fs::write(folder.path().join("mac"), b"<?xml version='1.0' encoding='IBM037'?><a/>").unwrap();
    let (_, _, one) = run(folder.path(), "detect -f latin1 named.xml");
    let (_, _, many) = run(folder.path(), "detect -f latin1 named.xml text");
    assert!(one.contains("hint: ") && !many.contains("hint: "), "{one}\n{many}");
}

/// Returns what a run prints on a terminal.
fn on_terminal(folder: &Path, line: &str) -> String {
    let mut owner = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map(File::from).unwrap();
    grantpt(&owner).unwrap();
    unlockpt(&owner).unwrap();
    let name = ptsname(&owner, Vec::new()).unwrap().into_string().unwrap();
    let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut child = charpipe(folder, line).stdout(terminal).stderr(Stdio::null()).spawn().unwrap();
    let mut shown = Vec::new();
    // The end is an error, as the other side is closed.
    _ = owner.read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

#[test]
fn columns_on_a_terminal() {
    let folder = folder();
    let expected = "\
text:       UTF-8 (text; rule rfc7303:default)
legacy.txt: unknown (legacy)
data:       unknown (binary)
";
    assert_eq!(on_terminal(folder.path(), "detect text legacy.txt data"), expected);
    let shown = on_terminal(folder.path(), "detect -r .");
    assert!(shown.contains("./data:       unknown (binary)\n./legacy.txt: unknown (legacy)\n"), "{shown}");
    // In a pipe, there is one space after each name.
    let (_, shown, _) = run(folder.path(), "detect text legacy.txt");
    assert_eq!(shown, "text: UTF-8 (text; rule rfc7303:default)\nlegacy.txt: unknown (legacy)\n");
}
