//! `-r`: which files of a folder are converted, which are skipped, and the messages about those.

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// `é` in ISO-8859-1.
const TEXT: &[u8] = b"\xE9";

const PNG: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

/// Valid UTF-8 with NULs.
const NULS: &[u8] = b"one\0two\0";

struct Folder(TempDir);

impl Folder {
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = Folder(TempDir::new().unwrap());
        files.iter().for_each(|(name, content)| folder.file(name, content));
        folder
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: impl AsRef<Path>, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn run(&self, line: &str) -> Output {
        self.args(line.split_whitespace())
    }

    fn args<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        Command::new(CHARPIPE).current_dir(&self.0).stdin(Stdio::null()).args(args).output().unwrap()
    }

    /// Returns the names of the files that a check takes, without those that are binary, and the last message.
    fn taken(&self, line: &str) -> (String, String) {
        let output = self.run(&format!("-f latin1 -r --check {line}"));
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
        let lines = text(&output.stdout);
        let names = lines.lines().filter(|line| !line.ends_with(": binary, left alone"));
        let names: Vec<&str> = names.map(|line| line.split(": ").next().unwrap().trim_start_matches("./")).collect();
        let message = text(&output.stderr);
        let message = message.lines().last().filter(|line| line.contains("left alone")).unwrap_or_default().to_owned();
        (names.join(" "), message)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Checks the exit status, standard output and standard error.
#[track_caller]
fn check(output: &Output, expected: (i32, &str, &str)) {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), &*stdout, &*stderr), (Some(expected.0), expected.1, expected.2));
}

fn objects(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// --- By name ---------------------------------------------------------------------------------------------------------

#[test]
fn hidden_files_and_version_control_are_left_alone() {
    let folder = Folder::with(&[
        ("a", TEXT),
        (".x", TEXT),
        (".d/a", TEXT),
        (".d/b", TEXT),
        (".git/config", TEXT),
        ("sub/.git", TEXT),
        ("sub/b", TEXT),
        ("sub/CVS/Root", TEXT),
        ("sub/.svn/x", TEXT),
        ("sub/.hg/x", TEXT),
        ("sub/.jj/x", TEXT),
    ]);
    let message = "charpipe: left alone: 2 hidden, 6 of version control";
    assert_eq!(folder.taken("."), ("a sub/b".into(), message.into()));
    let message = "charpipe: left alone: 6 of version control";
    assert_eq!(folder.taken("--hidden ."), (".d/a .d/b .x a sub/b".into(), message.into()));
    // What a user named is taken regardless of its name, but not what is in it.
    assert_eq!(folder.taken(".git .d").0, ".git/config .d/a .d/b");
    assert_eq!(folder.taken("sub .x").0, "sub/b .x");
    folder.file(".git/.git/x", TEXT);
    assert_eq!(folder.taken(".git").0, ".git/config");
    // Symlinks too, which are not followed anyway.
    symlink("a", folder.path(".link")).unwrap();
    assert_eq!(folder.taken(".").1, "charpipe: left alone: 3 hidden, 6 of version control");
}

#[test]
fn globs_choose_files_and_folders() {
    let folder = Folder::with(&[
        ("a.c", TEXT),
        ("a.h", TEXT),
        ("README", TEXT),
        ("src/b.c", TEXT),
        ("src/deep/c.c", TEXT),
        ("src/deep/c.txt", TEXT),
        ("build/d.c", TEXT),
        ("src/build/e.c", TEXT),
    ]);
    for (line, expected) in [
        ("--include *.c", "a.c build/d.c src/b.c src/build/e.c src/deep/c.c"),
        ("--include *.{h,txt}", "a.h src/deep/c.txt"),
        ("--include src/*.c", "src/b.c"),
        ("--include src/**/*.c", "src/b.c src/build/e.c src/deep/c.c"),
        ("--include /*.c", "a.c"),
        ("--exclude build", "README a.c a.h src/b.c src/deep/c.c src/deep/c.txt"),
        ("--exclude /build", "README a.c a.h src/b.c src/build/e.c src/deep/c.c src/deep/c.txt"),
        ("--exclude src/ --exclude README/", "README a.c a.h build/d.c"),
        ("--include *.c --exclude build/", "a.c src/b.c src/deep/c.c"),
        ("--include *.c --exclude build --include /build", "a.c build/d.c src/b.c src/deep/c.c"),
        ("--include * --exclude *.c --include b.c", "README a.h src/b.c src/deep/c.txt"),
        ("--exclude *.c --include *.c", "a.c build/d.c src/b.c src/build/e.c src/deep/c.c"),
        ("--include *.c --exclude *.c", ""),
    ] {
        assert_eq!(folder.taken(&format!("{line} .")).0, expected, "{line}");
        // The path is that below the directory that was named, however that was written.
        let absolute = folder.taken(&format!("{line} {}", folder.0.path().display())).0;
        let top = format!("{}/", folder.0.path().display());
        assert_eq!(absolute.replace(&top, ""), expected, "{line}");
    }
    // A folder counts once. Operands are not chosen.
    let message = "charpipe: left alone: 3 excluded";
    assert_eq!(
        folder.taken("--exclude src --exclude *.h --exclude build . a.h"),
        ("README a.c a.h".into(), message.into())
    );
}

#[test]
fn globs_match_names_of_any_bytes() {
    let folder = Folder::with(&[("a.txt", TEXT), ("ü.txt", TEXT)]);
    let names: [&[u8]; 3] = [b"\xFF.txt", b"d\xFE/x.txt", b"d\xFE/\xFD"];
    for name in names {
        folder.file(OsStr::from_bytes(name), TEXT);
    }
    assert_eq!(folder.taken("--include *.txt .").0, "a.txt d\\xFE/x.txt ü.txt \\xFF.txt");
    assert_eq!(folder.taken("--include d*/* .").0, "d\\xFE/x.txt d\\xFE/\\xFD");
    assert_eq!(folder.taken("--exclude ü* --exclude d* .").0, "a.txt \\xFF.txt");
}

#[test]
fn globs_without_r_are_wrong_usage() {
    let folder = Folder::with(&[("a", TEXT)]);
    for (line, start) in [
        ("--include x a", "--include requires --recursive"),
        ("--exclude x a", "--exclude requires --recursive"),
        ("--hidden a", "--hidden requires --recursive"),
        ("detect --hidden a", "--hidden requires --recursive"),
        ("detect --include x a", "--include requires --recursive"),
        ("-r --include [a .", "--include: \"[a\": unclosed character class"),
        ("detect -r --exclude {a/b,c} .", "--exclude: \"{a/b,c}\": unclosed alternate group"),
        ("-r --exclude ../a .", "--exclude: \"../a\": "),
        ("-r --include a", "--recursive needs a directory among the FILEs"),
    ] {
        let output = folder.run(line);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{line}: {message}");
        assert!(message.starts_with(&format!("charpipe: {start}")), "{line}: {message}");
    }
}

/// The backup of a file that is left alone is not an input either.
#[test]
fn backups_of_excluded_files_are_left_out() {
    let folder = Folder::with(&[("a", TEXT), ("b", TEXT)]);
    check(&folder.run("-q -f latin1 -r --in-place=.old ."), (0, "", ""));
    fs::remove_file(folder.path("b.old")).unwrap();
    check(&folder.run("-q -f latin1 -r --exclude a --in-place=.old ."), (0, "", ""));
    assert_eq!((folder.read("a.old"), folder.read("b.old")), (TEXT.to_vec(), "é".into()));
}

#[test]
fn detect_takes_the_same_options() {
    let folder = Folder::with(&[("a.txt", b"a"), ("b.png", PNG), (".c", b"c"), (".git/x", b"x"), ("d/e.txt", b"e")]);
    let all = "./a.txt: UTF-8 (text; rule rfc7303:default)\n./b.png: unknown (binary)\n\
               ./d/e.txt: UTF-8 (text; rule rfc7303:default)\n";
    let output = folder.run("detect -r .");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), all.to_owned()));
    assert!(text(&output.stderr).ends_with("\ncharpipe: left alone: 1 hidden, 1 of version control\n"), "{output:?}");
    let output = folder.run("detect -q -r --hidden --exclude d --exclude *.png .");
    let chosen = "./.c: UTF-8 (text; rule rfc7303:default)\n./a.txt: UTF-8 (text; rule rfc7303:default)\n";
    check(&output, (0, chosen, ""));
}

// --- By contents -----------------------------------------------------------------------------------------------------

/// A folder with two texts, and two files that are not text.
fn mixed() -> Folder {
    Folder::with(&[("a.txt", b"a\n"), ("b.png", PNG), ("c/nuls", NULS), ("d.txt", b"d\n")])
}

#[test]
fn binary_files_are_left_alone() {
    let folder = mixed();
    let left = "charpipe: left alone: 2 binary\n";
    check(&folder.run("-r ."), (0, "a\nd\n", left));
    check(&folder.run("-r -o all ."), (0, "", left));
    assert_eq!(folder.read("all"), b"a\nd\n");
    fs::remove_file(folder.path("all")).unwrap();
    let summary = |done| format!("charpipe: 2 files {done}; 4 bytes in, 6 bytes out\ncharpipe:   2 UTF-8\n{left}");
    let output = folder.run("-r --eol crlf --output-dir out .");
    check(&output, (0, "", &summary("converted")));
    assert!(folder.path("out/a.txt").exists() && !folder.path("out/b.png").exists() && !folder.path("out/c").exists());
    fs::remove_dir_all(folder.path("out")).unwrap();
    let lines = "./a.txt: UTF-8 -> UTF-8, 2 -> 3 bytes\n./b.png: binary, left alone\n./c/nuls: binary, left alone\n\
                 ./d.txt: UTF-8 -> UTF-8, 2 -> 3 bytes\n";
    check(&folder.run("-r --eol crlf --check ."), (0, lines, &summary("would be converted")));
    check(&folder.run("-r --eol crlf --in-place=.old ."), (0, "", &summary("converted")));
    assert_eq!((folder.read("b.png"), folder.read("c/nuls")), (PNG.to_vec(), NULS.to_vec()));
    assert!(!folder.path("b.png.old").exists() && folder.path("a.txt.old").exists());
    let output = folder.run("-r -v .");
    assert!(text(&output.stderr).contains("\ncharpipe: ./b.png: binary, left alone\n"), "{output:?}");
}

/// What a user names is not left alone: a binary file is an error, or what the options make of it.
#[test]
fn a_file_that_was_named_is_not_left_alone() {
    let folder = mixed();
    let output = folder.run("-r . b.png");
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b"a\nd\n"[..]), "{output:?}");
    check(&folder.run("-q c/nuls"), (0, &text(NULS), ""));
}

#[test]
fn the_report_counts_what_was_left_alone() {
    let folder = mixed();
    folder.file(".x", TEXT);
    symlink("a.txt", folder.path("link")).unwrap();
    let lines = "./a.txt: UTF-8 -> UTF-8, 2 -> 2 bytes\n./b.png: binary, left alone\n./c/nuls: binary, left alone\n";
    check(&folder.run("-q -r --exclude d.txt --check --report report ."), (0, lines, ""));
    let lines = objects(&folder.read("report"));
    let why: Vec<_> = lines.iter().map(|line| (line["input"].as_str(), line["left_alone"].as_str())).collect();
    let binary = Some("binary");
    assert_eq!(why, [(Some("./a.txt"), None), (Some("./b.png"), binary), (Some("./c/nuls"), binary), (None, None)]);
    assert_eq!(lines[1]["error"], Value::Null);
    assert_eq!(lines[1]["verdict"]["looks"], "binary");
    let counts = r#"{"binary":2,"hidden":1,"version_control":0,"excluded":1,"symlinks":1,"special":0}"#;
    assert_eq!(lines[3]["left_alone"], serde_json::from_str::<Value>(counts).unwrap());
    // The key is there with -r only, and the last line only if anything was left alone.
    check(&folder.run("-q --check --report report a.txt"), (0, "a.txt: UTF-8 -> UTF-8, 2 -> 2 bytes\n", ""));
    assert_eq!(objects(&folder.read("report"))[0].get("left_alone"), None);
    fs::create_dir(folder.path("one")).unwrap();
    fs::rename(folder.path("a.txt"), folder.path("one/a.txt")).unwrap();
    check(&folder.run("-q -r --report report one"), (0, "a\n", ""));
    let lines = objects(&folder.read("report"));
    assert_eq!((lines.len(), lines[0].get("left_alone")), (1, Some(&Value::Null)));
}

/// `--unknown pass` copies binary files where each file has its own output.
#[test]
fn binary_files_are_copied_if_that_is_asked_for() {
    let long = [NULS, &[b'a'; 200_000], b"\xFF\x80"].concat();
    let folder = mixed();
    folder.file("long", &long);
    for options in ["", "-f latin1", "--fallback latin1", "--malformed replace", "-c --eol crlf"] {
        let output = folder.run(&format!("-q -r --unknown pass {options} --output-dir out ."));
        check(&output, (0, "", ""));
        for (name, content) in [("b.png", PNG), ("c/nuls", NULS), ("long", &long)] {
            assert!(folder.read(&format!("out/{name}")) == content, "{name} {options}");
        }
        fs::remove_dir_all(folder.path("out")).unwrap();
    }
    check(&folder.run("-q -r --unknown pass ."), (0, "a\nd\n", ""));
    // What is left out by its name is not copied.
    check(&folder.run("-q -r --unknown pass --exclude c --output-dir out ."), (0, "", ""));
    assert!(folder.path("out/b.png").exists() && !folder.path("out/c").exists());
}

/// One thread converts all files with one transcoder, and each comes out as if it were the only one.
#[test]
fn a_file_does_not_depend_on_those_before_it() {
    let files: [(&str, &[u8]); 9] = [
        ("a", b"plain ascii\n"),
        ("b", b"caf\xE9\n"),
        ("c", b"d\xC3\xA9j\xC3\xA0\n"),
        ("d", b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>"),
        ("e", b"caf\xE9\n"),
        ("f", b"<!DOCTYPE html><meta charset=koi8-r><p>\xC1"),
        ("g", b"\xFF\xFEa\0\xE9\0"),
        ("h", b"d\xC3\xA9j\xC3"),
        ("i", b"caf\xE9\n"),
    ];
    for options in [
        "",
        "--fallback UTF-8,ISO-8859-15,IBM037",
        "--fallback UTF-8,latin1",
        "--guess",
        "-f latin1",
        "--policy feedparser --fallback UTF-8,latin1",
        "--malformed replace --eol crlf",
        "-t IBM1047 --guess --unmappable replace",
    ] {
        let folder = Folder::with(&files);
        let together = folder.run(&format!("-r --jobs 1 {options} --output-dir out ."));
        let mut messages = String::new();
        for (name, _) in files {
            let alone = folder.run(&format!("{options} -o alone {name}"));
            let written = folder.path("alone").exists().then(|| folder.read("alone"));
            let expected = written.filter(|_| alone.status.success());
            let found = fs::read(folder.path(format!("out/{name}"))).ok();
            assert_eq!(found, expected, "{options}: {name}");
            messages.extend(text(&alone.stderr).lines().map(|line| format!("{line}\n")));
            _ = fs::remove_file(folder.path("alone"));
        }
        let found = text(&together.stderr).replace("./", "");
        let count = found.lines().filter(|line| messages.contains(line)).count();
        assert_eq!(count, messages.lines().count(), "{options}: {found}{messages}");
    }
}

/// In UTF-16, UTF-32, EBCDIC and records, text has any bytes.
#[test]
fn an_encoding_that_was_named_may_need_any_bytes() {
    let folder = Folder::with(&[("x", b"a\0b\0")]);
    check(&folder.run("-q -r -f UTF-16LE ."), (0, "ab", ""));
    let content_type = ["-q", "-r", "--content-type", "text/plain; charset=utf-16le", "."];
    check(&folder.args(content_type), (0, "ab", ""));
    check(&folder.run("-q -r --guess ."), (0, "", ""));
    folder.file("x", b"\xC1\x00\x05\x15");
    check(&folder.run("-q -r -f IBM037 ."), (0, "A\0\t\u{85}", ""));
    check(&folder.run("-q -r -f latin1 --records fb:2 ."), (0, "\u{C1}\0\n\u{5}\u{15}\n", ""));
    check(&folder.run("-r -f latin1 ."), (0, "", "charpipe: left alone: 1 binary\n"));
}

/// UTF-16 without a mark is left alone, with a warning, but guessed if that is asked for.
#[test]
fn utf16_without_a_mark() {
    let wide: Vec<u8> = "a line of text, and another one\n".bytes().flat_map(|byte| [byte, 0]).collect();
    let folder = Folder::with(&[("x", &wide)]);
    let output = folder.run("-r --eol crlf --in-place .");
    assert_eq!((output.status.code(), folder.read("x")), (Some(0), wide.clone()));
    let message = text(&output.stderr);
    assert!(message.contains("(looks-like-utf16)") && message.ends_with("left alone: 1 binary\n"), "{message}");
    assert_eq!(folder.run("-q --strict -r --in-place .").status.code(), Some(1));
    check(&folder.run("-q -r --guess --in-place ."), (0, "", ""));
    assert_eq!(folder.read("x"), b"a line of text, and another one\n");
}
