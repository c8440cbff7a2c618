//! A working tree of git, with binary files of many formats and texts in many encodings, survives every command of the
//! README, of the first tutorial and every policy under `-r`: no binary file changes, and the repository is whole.

use crate::common::installed;
use crate::readme;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// A picture of one pixel, in three formats.
const PNG: &str = "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc00000\
                   03010100c9fe92ef0000000049454e44ae426082";
const JPEG: &str = "ffd8ffe000104a46494600010101004800480000ffdb004300ffffffffffffffffffffffffffffffffffffffffffffffff\
                    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc0000b0800\
                    01000101011100ffc40014000100000000000000000000000000000003ffc4001410010000000000000000000000000000\
                    0000ffda0008010100003f0037ffd9";
const GIF: &str = "47494638396101000100800000ffffff00000021f90400000000002c00000000010001000002024401003b";

/// Text that gzip compressed, and a zip file with an XML document, as in a workbook.
const GZIP: &str = "1f8b08000000000002032bcecf4d552849ad285128c9482c51c82c5648cecf2d284a2d2e4e4dd15148cc4b512806a9c8cd\
                    2f4a55c84f53c82ce12aa6830e00be54825a96000000";
const ZIP: &str = "504b030414000000080000002100b45a7d301f0000004e00000008000000786c2f612e786d6cb349b42b49ad285148cc4b5\
                   1c8cd2f4a55c84f53c82cb1d14fb4b321430600504b0102140314000000080000002100b45a7d301f0000004e0000000800\
                   00000000000000000000800100000000786c2f612e786d6c504b0506000000000100010036000000450000000000";

const PYTHON: &str = "cb0d0d0a00000000";

/// Options for a whole folder, as people type them. Those of the README come in addition.
const OPTIONS: &[&str] = &[
    "",
    "--fallback UTF-8,windows-1252",
    "--fallback windows-1252",
    "--fallback UTF-8,IBM1047",
    "--malformed windows-1252",
    "--malformed replace",
    "--malformed drop",
    "--malformed escape",
    "-c",
    "--guess",
    "--guess --malformed replace",
    "--unmappable replace -t US-ASCII",
    "--unmappable translit -t ISO-8859-1 --malformed drop",
    "--unmappable escape -t ISO-8859-15 --malformed replace",
    "--unmappable xml -t US-ASCII --as xml --malformed replace",
    "--eol lf",
    "--eol crlf --malformed replace",
    "--eol nel --guess",
    "--mojibake repair",
    "--normalize nfc",
    "--normalize nfkd --fallback UTF-8,windows-1252",
    "--controls drop",
    "--controls space --malformed drop",
    "--policy whatwg",
    "--policy whatwg --eol lf",
    "--policy feedparser -c",
    "--policy rome-lenient --malformed replace",
    "--policy rfc3023 --malformed replace",
    "--as html --policy whatwg",
    "--as xml --malformed replace",
    "--content-type text/html;charset=windows-1252",
    "--unknown pass",
    "--unknown pass --fallback UTF-8,windows-1252",
    "-t UTF-16 --bom add --malformed replace",
    "-t IBM1047 --fallback UTF-8,windows-1252 --unmappable replace",
    "--bom add --eol crlf -c",
    "--jobs 3 --fallback UTF-8,windows-1252",
    "--hidden --fallback UTF-8,windows-1252",
    "-f windows-1252",
    "-f windows-1252 --eol lf",
    "-f ISO-8859-1 -t UTF-16LE",
    "-f UTF-8 --malformed replace",
    "-f Shift_JIS --malformed replace",
    "-f ISO-2022-JP -c",
];

/// The working tree, and what must not change in it.
struct Tree {
    top: TempDir,
    texts: Vec<(&'static str, Vec<u8>)>,
    binaries: Vec<(&'static str, Vec<u8>)>,
    /// All files in `.git`.
    repository: Vec<(PathBuf, Vec<u8>)>,
}

impl Tree {
    fn new() -> Self {
        let mut tree =
            Tree { top: TempDir::new().unwrap(), texts: texts(), binaries: binaries(), repository: Vec::new() };
        fs::create_dir(tree.root()).unwrap();
        tree.git("init -q");
        // Two commits, of which the first is packed, and another work tree inside.
        tree.restore();
        tree.git("add -A");
        tree.git("commit -q -m one");
        tree.git("gc -q");
        fs::write(tree.root().join("src/utf8.txt"), "caf\u{E9}, second\n").unwrap();
        tree.git("commit -q -a -m two");
        tree.git("worktree add -q inner HEAD~1");
        tree.restore();
        tree.repository = files(&tree.root().join(".git"));
        assert!(tree.repository.iter().any(|(path, _)| path.extension().is_some_and(|end| end == "pack")));
        tree
    }

    fn root(&self) -> PathBuf {
        self.top.path().join("tree")
    }

    fn git(&self, line: &str) -> Output {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"];
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").current_dir(self.root()).args(who);
        let output = git.args(line.split(' ')).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "git {line}: {output:?}");
        output
    }

    /// Returns the roots of the work trees.
    fn roots(&self) -> Vec<PathBuf> {
        let inner = self.root().join("inner");
        std::iter::once(self.root()).chain(inner.exists().then_some(inner)).collect()
    }

    /// Writes all files that are not the repository's, and removes backups.
    fn restore(&self) {
        for root in self.roots() {
            for (name, content) in self.texts.iter().chain(&self.binaries) {
                let path = root.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
                _ = fs::remove_file(root.join(format!("{name}.old")));
            }
        }
    }

    fn charpipe(&self, line: &str) -> Output {
        Command::new(CHARPIPE)
            .current_dir(self.root())
            .args(line.split_whitespace())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Checks that a run has left the repository whole and, unless it read records, all binary files as they were.
    fn check(&self, line: &str, output: &Output) {
        let is_known = matches!(output.status.code(), Some(0 | 1));
        assert!(is_known, "{line}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(files(&self.root().join(".git")) == self.repository, "{line}: the repository has changed");
        self.git("fsck --full --strict");
        let inner = fs::read_to_string(self.root().join("inner/.git")).unwrap();
        assert!(inner.starts_with("gitdir: "), "{line}: {inner}");
        if line.contains("--records") {
            return;
        }
        for (root, (name, content)) in
            self.roots().iter().flat_map(|root| self.binaries.iter().map(move |file| (root, file)))
        {
            assert!(fs::read(root.join(name)).unwrap() == *content, "{line}: {name} has changed");
            assert!(!root.join(format!("{name}.old")).exists(), "{line}: {name}.old");
        }
    }
}

/// Returns the files in a folder, sorted, with their contents.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let content = fs::read(&path).unwrap();
            found.push((path, content));
        }
    }
    found.sort();
    found
}

fn hex(digits: &str) -> Vec<u8> {
    digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn binaries() -> Vec<(&'static str, Vec<u8>)> {
    let noise = noise(5000);
    let head = "1 0 obj << /Type /Catalog >> endobj\n".repeat(80);
    let pdf = [b"%PDF-1.4\n", head.as_bytes(), b"stream\n", &noise[..3000], b"\nendstream\n%%EOF\n"].concat();
    let script = "#!/bin/sh\n# Unpacks what is below the last line.\ntail -n +50 \"$0\" | gunzip\nexit\n".repeat(20);
    let log = "2026-11-23 12:00:00 caf\u{E9}: \0\0 an empty field\n".repeat(50);
    vec![
        ("pictures/pixel.png", hex(PNG)),
        ("pictures/pixel.jpg", hex(JPEG)),
        ("pictures/pixel.gif", hex(GIF)),
        ("archives/text.gz", hex(GZIP)),
        ("archives/book.xlsx", hex(ZIP)),
        ("archives/texts.tar", tar("a.txt", b"plain text\n")),
        ("archives/installer.sh", [script.as_bytes(), &hex(GZIP), &noise[..2000]].concat()),
        ("documents/text-first.pdf", pdf),
        ("programs/elf", [&b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0"[..], &noise[..500]].concat()),
        (
            "programs/Main.class",
            [&b"\xCA\xFE\xBA\xBE\0\0\0\x34\0\x10\x0A\0\x03\0\x0D\x07\0\x0E"[..], b"java/lang/Object"].concat(),
        ),
        ("programs/main.pyc", [hex(PYTHON), noise[..200].to_vec()].concat()),
        ("data/rows.sqlite", [&b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20"[..], &[0; 4072]].concat()),
        ("data/noise", noise.clone()),
        ("data/nuls", vec![0; 600]),
        ("logs/with-nuls.log", log.into_bytes()),
    ]
}

fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let latin = b"Jos\xE9;K\xF6ln;10 \x80\nRen\xE9e;M\xE1laga;3 \x80\n".repeat(20);
    let ebcdic = b"\xC8\x85\x93\x93\x96\x6B\x40\xA6\x96\x99\x93\x84\x05\x4B\x15".repeat(40);
    vec![
        ("src/utf8.txt", "caf\u{E9}, first\n".into()),
        ("src/ascii.c", b"int main(void) { return 0; }\n".to_vec()),
        ("src/latin.csv", latin),
        ("src/utf16.txt", [b"\xFF\xFE".to_vec(), utf16("line\r\n")].concat()),
        ("src/ebcdic.txt", ebcdic),
        ("src/page.xml", b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE9</a>\n".to_vec()),
        ("src/iso2022.txt", b"\x1B$B$\"$$$&\x1B(B\n".repeat(10)),
        ("src/dos.txt", b"DOS text\r\n\x1A".to_vec()),
        ("src/empty", Vec::new()),
        // It is skipped, unless `--guess` finds its encoding.
        ("logs/utf16.txt", utf16("a log in UTF-16, without a mark\r\n")),
        (".gitattributes", b"*.txt -text\n".to_vec()),
    ]
}

fn utf16(text: &str) -> Vec<u8> {
    text.repeat(20).encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Returns bytes that look random. Their first one is not a part of a signature.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::once(0xF9).chain(std::iter::repeat_with(next)).take(len).collect()
}

/// Returns an archive with one file.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 512];
    let size = format!("{:011o}", content.len());
    let fields: [(usize, &[u8]); 8] = [
        (0, name.as_bytes()),
        (100, b"0000644"),
        (108, b"0000000"),
        (116, b"0000000"),
        (124, size.as_bytes()),
        (136, b"00000000000"),
        (148, b"        0"),
        (257, b"ustar\x0000"),
    ];
    for (at, field) in fields {
        head[at..at + field.len()].copy_from_slice(field);
    }
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut archive = [&head, content].concat();
    archive.resize(512 + 512 + 1024, 0);
    archive
}

/// Returns the options of a command of the README that converts files, without the files and the output.
fn options(command: &str) -> Option<String> {
    let command = command.split(['|', '>', '<', '#']).next()?;
    let mut words = command.trim().strip_prefix("charpipe ")?.split_whitespace().peekable();
    words.next_if(|word| *word == "convert");
    if words.next_if(|word| ["detect", "rows", "list", "chart", "git-filter"].contains(word)).is_some() {
        return None;
    }
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "-o" | "--output-dir" => _ = words.next(),
            "-r" | "--check" => {}
            word if word.contains('/') || word == "try" || word.starts_with("--in-place") => {}
            word => options.push(word),
        }
    }
    Some(options.join(" "))
}

fn git_is_installed() -> bool {
    installed("git", &["git", "--version"])
}

#[test]
fn no_binary_file_changes() {
    if !git_is_installed() {
        return;
    }
    let tree = Tree::new();
    let typed = ["README.md", "docs/first-files.md"].into_iter().flat_map(readme::typed);
    let of_readme: Vec<String> = typed.filter_map(|command| options(&command)).collect();
    assert!(of_readme.len() > 10 && of_readme.iter().any(|line| line.contains("--fallback")), "{of_readme:?}");
    let mut changed = 0;
    for (line, keep) in
        OPTIONS.iter().copied().chain(of_readme.iter().map(String::as_str)).zip([false, true].iter().cycle())
    {
        let output = tree.charpipe(&format!("{line} -r {} .", if *keep { "--in-place=.old" } else { "--in-place" }));
        tree.check(line, &output);
        let texts = tree.texts.iter();
        changed += texts.filter(|(name, text)| fs::read(tree.root().join(name)).unwrap() != *text).count();
        tree.restore();
    }
    // Texts do change.
    assert!(changed > OPTIONS.len(), "{changed}");
}

#[test]
fn no_binary_file_is_written_elsewhere() {
    if !git_is_installed() {
        return;
    }
    let tree = Tree::new();
    let out = tree.top.path().join("out");
    for line in OPTIONS {
        let output = tree.charpipe(&format!("{line} -r --output-dir ../out ."));
        tree.check(line, &output);
        assert!(out.join("src/ascii.c").exists() && !out.join(".git").exists(), "{line}");
        for (name, content) in &tree.binaries {
            let copy = fs::read(out.join(name)).ok();
            let is_passed = line.contains("--unknown pass");
            assert!(copy.as_ref() == is_passed.then_some(content), "{line}: {name}");
        }
        fs::remove_dir_all(&out).unwrap();

        let output = tree.charpipe(&format!("{line} -q -r --check ."));
        tree.check(line, &output);
        let lines = String::from_utf8(output.stdout).unwrap();
        for (name, _) in &tree.binaries {
            assert!(lines.contains(&format!("./{name}: binary, left alone\n")), "{line}: {name}: {lines}");
        }
        for (name, _) in tree.texts.iter().filter(|(name, _)| name.starts_with("src/")) {
            assert!(!lines.contains(&format!("./{name}: binary")), "{line}: {name}: {lines}");
        }
    }
}

/// The one stream gets nothing of a binary file, not even its head.
#[test]
fn nothing_of_a_binary_file_is_in_the_stream() {
    if !git_is_installed() {
        return;
    }
    let tree = Tree::new();
    let output = tree.charpipe("--fallback UTF-8,windows-1252 -r --exclude src --exclude utf16.* --exclude inner .");
    tree.check("to one stream", &output);
    let message =
        format!("charpipe: left alone: {} binary, 1 hidden, 1 of version control, 3 excluded\n", tree.binaries.len());
    assert_eq!((output.stdout, String::from_utf8(output.stderr).unwrap()), (Vec::new(), message));
}

/// What `detect` says about these files has not changed.
#[test]
fn detect_lists_binary_files() {
    if !git_is_installed() {
        return;
    }
    let tree = Tree::new();
    let output = tree.charpipe("detect -q -r .");
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(tree.binaries.iter().all(|(name, _)| lines.contains(&format!("./{name}: "))), "{lines}");
    assert!(!lines.contains(".git"), "{lines}");
}

/// A file is binary if anything in its first 64 KiB shows it, however much text comes before.
#[test]
fn a_binary_file_with_a_long_head_of_text() {
    let text = "one line of many, in plain ASCII\n".repeat(1800);
    let content = [text.as_bytes(), &noise(20_000)].concat();
    let top = TempDir::new().unwrap();
    fs::write(top.path().join("installer.run"), &content).unwrap();
    for line in OPTIONS {
        for to in ["", "--in-place=.old"] {
            let words = line.split(' ').chain(["-q", "-r", to, "."]).filter(|word| !word.is_empty());
            let output = Command::new(CHARPIPE).args(words).current_dir(&top).output().unwrap();
            assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b""[..]), "{line}");
            assert!(fs::read(top.path().join("installer.run")).unwrap() == content, "{line}");
        }
    }
    assert_eq!(files(top.path()).len(), 1);
}
