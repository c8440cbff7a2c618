//! `charpipe convert` on many files: separate outputs, in-place conversion, directories, refusals, messages.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// `Hello` in EBCDIC.
const HELLO: &[u8] = b"\xC8\x85\x93\x93\x96";

/// Latin-1, declared.
const LATIN1: &[u8] = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE9</a>";
const LATIN1_AS_UTF8: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>é</a>";

/// A folder for one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(TempDir::new().unwrap())
    }

    /// Creates files with these names and contents, and their folders.
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = Folder::new();
        for (name, content) in files {
            folder.file(name, content);
        }
        folder
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[track_caller]
    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns all files and folders in it, sorted. The names would include any temporary file.
    fn names(&self) -> Vec<String> {
        fn add(folder: &Path, root: &Path, names: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                names.push(entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned());
                if entry.file_type().unwrap().is_dir() {
                    add(&entry.path(), root, names);
                }
            }
        }
        let mut names = Vec::new();
        add(self.0.path(), self.0.path(), &mut names);
        names.sort();
        names
    }

    /// Returns the contents of all files, to be compared.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.names().into_iter().filter(|name| self.path(name).is_file());
        files.map(|name| (name.clone(), fs::read(self.path(name)).unwrap())).collect()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(CHARPIPE);
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs the command with the arguments in `line`, separated by spaces.
    fn run(&self, line: &str) -> Output {
        self.args(line.split_whitespace())
    }

    fn args<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        self.command().args(args).output().unwrap()
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks the exit status, standard output and standard error.
#[track_caller]
fn check(output: &Output, expected: (i32, &str, &str)) {
    assert_eq!((output.status.code(), &*text(output), &*stderr(output)), (Some(expected.0), expected.1, expected.2));
}

/// Checks for exit status 2, one line with this beginning, and no output.
#[track_caller]
fn refused(folder: &Folder, line: &str, start: &str) {
    let before = folder.contents();
    let names = folder.names();
    let output = folder.run(line);
    let stderr = stderr(&output);
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{line}: {stderr}");
    assert!(stderr.starts_with(&format!("charpipe: {start}")), "{line}: {stderr}");
    // clap prints the usage below it.
    assert!(stderr.lines().filter(|line| line.starts_with("charpipe: ")).count() == 1, "{line}: {stderr}");
    assert!(folder.contents() == before && folder.names() == names, "{line}");
}

// --- Separate outputs ------------------------------------------------------------------------------------------------

#[test]
fn each_file_has_its_own_output_in_the_directory() {
    let folder = Folder::with(&[("a.txt", HELLO), ("sub/b.txt", HELLO), ("out/deep/a.txt", b"old")]);
    fs::set_permissions(folder.path("out/deep/a.txt"), Permissions::from_mode(0o640)).unwrap();
    let output = folder.run("-q -f IBM037 --output-dir out/deep a.txt ./sub/b.txt");
    check(&output, (0, "", ""));
    assert_eq!((&*folder.text("out/deep/a.txt"), &*folder.text("out/deep/b.txt")), ("Hello", "Hello"));
    assert_eq!(fs::metadata(folder.path("out/deep/a.txt")).unwrap().mode() & 0o777, 0o640);
    check(&folder.run("-q -f IBM037 --output-dir new/one a.txt"), (0, "", ""));
    assert_eq!(folder.text("new/one/a.txt"), "Hello");
    assert_eq!(folder.names().len(), 10);
}

#[test]
fn each_output_has_its_own_bom() {
    let folder = Folder::with(&[("a", b"a"), ("b", b"b")]);
    check(&folder.run("-q -t UTF-16 --output-dir out a b"), (0, "", ""));
    assert_eq!(fs::read(folder.path("out/a")).unwrap(), b"\xFE\xFF\0a");
    assert_eq!(fs::read(folder.path("out/b")).unwrap(), b"\xFE\xFF\0b");
}

#[test]
fn directories_keep_their_structure() {
    let files: [(&str, &[u8]); 5] =
        [("in/b", HELLO), ("in/a/z", HELLO), ("in/a/y", HELLO), ("in/empty/x", b""), ("one", HELLO)];
    let folder = Folder::with(&files);
    let output = folder.run("-f IBM037 -r --output-dir out --report report in one");
    let summary = "charpipe: 5 files converted; 20 bytes in, 20 bytes out\ncharpipe:   5 IBM037\n";
    check(&output, (0, "", summary));
    for name in ["out/b", "out/a/z", "out/a/y", "out/one"] {
        assert_eq!(folder.text(name), "Hello", "{name}");
    }
    assert_eq!(folder.text("out/empty/x"), "");
    let lines = objects(&folder.text("report"));
    let pairs: Vec<_> = lines.iter().map(|line| (&line["input"], &line["output"])).collect();
    let expected = ["in/a/y", "in/a/z", "in/b", "in/empty/x", "one"]
        .map(|name| (Value::from(name), Value::from(format!("out/{}", name.trim_start_matches("in/")))));
    assert_eq!(pairs, expected.each_ref().map(|(input, output)| (input, output)));
    // The directory of the outputs is skipped, although it is inside.
    for _ in 0..2 {
        check(&folder.run("-q -f IBM037 -r --output-dir in/new in"), (0, "", ""));
    }
    assert!(folder.path("in/new/a/z").exists() && !folder.path("in/new/new").exists());
}

#[test]
fn a_directory_can_be_converted_to_one_output() {
    let folder = Folder::with(&[("in/b", b"b"), ("in/a", b"a"), ("in/c/d", b"d")]);
    check(&folder.run("-r in"), (0, "abd", ""));
    check(&folder.run("-r -o in/all in"), (0, "", ""));
    // Output files are not taken as inputs.
    check(&folder.run("-r -o in/all --report in/report in"), (0, "", ""));
    check(&folder.run("-r -o in/all --report in/report in"), (0, "", ""));
    assert_eq!(folder.text("in/all"), "abd");
    assert_eq!(folder.run("in").status.code(), Some(3));
}

#[test]
fn symlinks_in_a_directory_are_not_followed() {
    let folder = Folder::with(&[("in/a", b"a"), ("far/b", b"b")]);
    symlink("../far", folder.path("in/dir")).unwrap();
    symlink("../far/b", folder.path("in/file")).unwrap();
    symlink("..", folder.path("in/loop")).unwrap();
    symlink("in", folder.path("operand")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("in/fifo")).status().unwrap().success());
    let passed = "charpipe: skipped 3 symbolic links (to convert what they lead to, name them)\n\
                  charpipe: skipped 1 entry that is not a regular file\n";
    check(&folder.run("-r in"), (0, "a", passed));
    check(&folder.run("-q -r in in/file operand"), (0, "aba", ""));
    check(&folder.run("-q -r --output-dir out operand"), (0, "", ""));
    assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 1);
}

#[test]
fn odd_names() {
    let folder = Folder::new();
    let names: [&[u8]; 6] =
        [b"two words", b"a\nnew line", b"esc\x1B[31m", b"\xFFnot UTF-8\xC3", b"-o", "é\u{202E}".as_bytes()];
    for name in names {
        folder.file(Path::new("in/d\x1B\n").join(OsStr::from_bytes(name)), HELLO);
    }
    let output = folder.run("-v -f IBM037 -r --output-dir out --report report in");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in names {
        let path = folder.path("out/d\x1B\n").join(OsStr::from_bytes(name));
        assert_eq!(fs::read(path).unwrap(), b"Hello", "{name:?}");
    }
    let messages = stderr(&output);
    assert!(
        messages.contains("esc\\u{1b}[31m") && messages.contains("a\\u{a}new line") && messages.contains("\\xFFnot"),
        "{messages}"
    );
    assert!(
        messages.lines().all(|line| line.starts_with("charpipe: ") && !line.contains(['\x1B', '\u{202E}'])),
        "{messages}"
    );
    let outputs: Vec<_> = objects(&folder.text("report")).iter().map(|line| line["output"].clone()).collect();
    assert!(outputs.contains(&"out/d\x1B\n/two words".into()), "{outputs:?}");
    assert!(outputs.contains(&"out/d\x1B\n/\\xFFnot UTF-8\\xC3".into()), "{outputs:?}");
    let output = folder.run("--check -f IBM037 -r in");
    assert_eq!((output.status.code(), text(&output).lines().count()), (Some(0), 6));
    assert!(!text(&output).contains(['\x1B', '\u{202E}']));
    // In place too.
    check(&folder.run("-q -f IBM037 -r --in-place=~ in"), (0, "", ""));
    for name in names {
        let path = folder.path("in/d\x1B\n").join(OsStr::from_bytes(name));
        let kept = [path.as_os_str().as_bytes(), b"~"].concat();
        assert_eq!(fs::read(path).unwrap(), b"Hello", "{name:?}");
        assert_eq!(fs::read(OsStr::from_bytes(&kept)).unwrap(), HELLO, "{name:?}");
    }
}

#[test]
fn thousands_of_small_files() {
    const COUNT: usize = 2000;
    let folder = Folder::new();
    for at in 0..COUNT {
        // Every tenth is bad, and the first takes the longest.
        let len = if at == 0 { 300_000 } else { 20 };
        let content = if at % 10 == 9 { vec![b'\xFF'; 3] } else { vec![b'a'; len] };
        folder.file(format!("in/{:02}/{at:04}", at % 50), content);
    }
    let script = "ulimit -n 40 && exec \"$0\" -r --output-dir out --report report --jobs 5 in";
    let output = Command::new("sh").args(["-c", script, CHARPIPE]).current_dir(&folder.0).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let lines = objects(&folder.text("report"));
    assert_eq!(lines.len(), COUNT);
    let inputs: Vec<&str> = lines.iter().map(|line| line["input"].as_str().unwrap()).collect();
    assert!(inputs.is_sorted(), "the report is in the order of the inputs");
    let messages = stderr(&output);
    let errors: Vec<&str> = messages.lines().take(COUNT / 10).collect();
    assert!(
        errors.is_sorted()
            && errors.iter().all(|line| line.contains(": line 1, column 1 (byte 0): FF is not valid UTF-8")),
        "{messages}"
    );
    let bytes = 300_000 + (COUNT - COUNT / 10 - 1) * 20;
    let rest: Vec<&str> = messages.lines().skip(COUNT / 10).collect();
    let count = format!("charpipe: 1800 files converted, 200 failed; {bytes} bytes in, {bytes} bytes out");
    assert_eq!(rest, [&*count, "charpipe:   1800 UTF-8"]);
    let written = folder.names().iter().filter(|name| name.starts_with("out/") && name.len() == 11).count();
    assert_eq!(written, 1800);
}

/// A path of any length is an argument: it is made, or the system refuses it.
#[test]
fn an_output_directory_of_many_names() {
    let folder = Folder::with(&[("a", HELLO)]);
    let dir = "d/".repeat(300);
    check(&folder.run(&format!("-q -f IBM037 --output-dir {dir} a")), (0, "", ""));
    assert_eq!(folder.text(&format!("{dir}a")), "Hello");
    let output = folder.run(&format!("-q -f IBM037 --output-dir {} a", "q8/".repeat(40_000)));
    let message = stderr(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(3), 1), "{message}");
    assert!(message.contains("/q8/: cannot make the directory: File name too long"), "{message}");
    assert!(!folder.path("q8").exists());
}

/// In a directory that was not there, names are not looked up. What someone else puts there meanwhile is never replaced.
#[test]
fn what_comes_into_a_new_directory_is_not_replaced() {
    for is_link in [false, true] {
        let folder = Folder::with(&[("a", HELLO), ("other", b"other")]);
        let (input, output) = (folder.path("b"), folder.path("out/b"));
        assert!(Command::new("mkfifo").arg(&input).status().unwrap().success());
        let mut child = folder.command();
        child.args(["-q", "-f", "IBM037", "--output-dir", "out", "a", "b"]);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It is opened once the directory is there.
        let mut writer = File::create(&input).unwrap();
        if is_link {
            symlink("../other", &output).unwrap();
        } else {
            fs::write(&output, "other").unwrap();
        }
        writer.write_all(HELLO).unwrap();
        drop(writer);
        let expected = "charpipe: out/b: cannot write: another process has changed the file meanwhile\n";
        check(&child.wait_with_output().unwrap(), (3, "", expected));
        assert_eq!(["out/a", "out/b", "other"].map(|name| folder.text(name)), ["Hello", "other", "other"]);
        assert_eq!(fs::symlink_metadata(&output).unwrap().is_symlink(), is_link);
        assert_eq!(folder.names(), ["a", "b", "other", "out", "out/a", "out/b"]);
    }
}

/// A name that the system refuses is the error of that file, with any number of jobs, in new directories and in old ones.
#[test]
fn names_that_are_refused() {
    let folder = Folder::new();
    let long = "x".repeat(253);
    for name in ["a", "b", &long, "y", "z"] {
        folder.file(format!("in/{name}"), HELLO);
    }
    fs::create_dir(folder.path("old")).unwrap();
    for (dir, jobs) in [("old", 1), ("old", 2), ("new1", 1), ("new2", 2)] {
        let output = folder.run(&format!("-q -r -f IBM037 --jobs {jobs} --output-suffix .txt --output-dir {dir} in"));
        let what = if dir == "old" { "cannot open for writing" } else { "cannot write" };
        let expected = format!("charpipe: {dir}/{long}.txt: {what}: File name too long (os error ");
        assert!(stderr(&output).starts_with(&expected) && stderr(&output).lines().count() == 1, "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(3));
        let start = format!("{dir}/");
        let written: Vec<String> = folder.names().into_iter().filter(|name| name.starts_with(&start)).collect();
        assert_eq!(written, ["a", "b", "y", "z"].map(|name| format!("{dir}/{name}.txt")));
    }
}

/// However deep and numerous the directories are, a few descriptors are enough.
#[test]
fn directories_need_few_descriptors() {
    let folder = Folder::new();
    let deep = "d/".repeat(300);
    folder.file(format!("deep/{deep}x"), HELLO);
    let mut line = format!("ulimit -n 24 && exec {CHARPIPE} -q -r -f IBM037 --jobs 2 --output-dir out deep");
    for at in 0..100 {
        folder.file(format!("many/{at:03}/{at}/x"), HELLO);
        line.push_str(&format!(" many/{at:03}"));
    }
    let output = Command::new("sh").args(["-c", &line]).current_dir(&folder.0).output().unwrap();
    check(&output, (0, "", ""));
    assert_eq!(folder.text(&format!("out/{deep}x")), "Hello");
    assert_eq!(folder.text("out/42/x"), "Hello");
    let line = format!("ulimit -n 24 && exec {CHARPIPE} -q -r -f IBM037 --jobs 2 --in-place=.old deep many/*");
    let output = Command::new("sh").args(["-c", &line]).current_dir(&folder.0).output().unwrap();
    check(&output, (0, "", ""));
    assert_eq!(folder.text(&format!("deep/{deep}x")), "Hello");
    assert_eq!(fs::read(folder.path("many/042/42/x.old")).unwrap(), HELLO);
}

/// Each of these paths is up to 240 KB long, and all together are 145 MB: nothing may hold them all, or go through all
/// directories above each file. The command gets 24 MiB.
#[cfg(target_os = "linux")]
#[test]
fn paths_in_deep_directories_share_their_names() {
    let folder = Folder::new();
    let name = "n".repeat(200);
    // From the inside out, as no path of this length can be used at once.
    for _ in 0..1200 {
        folder.file("next/x", HELLO);
        if folder.path("deep").exists() {
            fs::rename(folder.path("deep"), folder.path(format!("next/{name}"))).unwrap();
        }
        fs::rename(folder.path("next"), folder.path("deep")).unwrap();
    }
    for to in ["--output-dir out", "--output-dir out --skip-existing", "--jobs 3 --in-place=.old"] {
        let line = format!("ulimit -d 24576 && ulimit -n 64 && exec {CHARPIPE} -q -r -f IBM037 {to} deep");
        let output = Command::new("sh").args(["-c", &line]).current_dir(&folder.0).output().unwrap();
        check(&output, (0, "", ""));
    }
    // From the outside in.
    for top in ["out", "deep"] {
        for _ in 0..1200 {
            assert_eq!(folder.text(&format!("{top}/x")), "Hello");
            let inner = folder.path(format!("{top}/{name}"));
            if inner.exists() {
                fs::rename(inner, folder.path("next")).unwrap();
            }
            fs::remove_dir_all(folder.path(top)).unwrap();
            if folder.path("next").exists() {
                fs::rename(folder.path("next"), folder.path(top)).unwrap();
            }
        }
        assert!(!folder.path(top).exists());
    }
}

#[test]
fn several_files_at_a_time() {
    let folder = Folder::new();
    let content: Vec<u8> = (0..400_000).flat_map(|line| format!("{line} \u{e9}\n").into_bytes()).collect();
    for name in ["a", "b", "c"] {
        folder.file(name, &content);
    }
    let expected: Vec<u8> = folder.run("-t IBM1047 a").stdout;
    for jobs in ["--jobs 1", "--jobs 2", "--jobs 9", ""] {
        check(&folder.run(&format!("-q {jobs} -t IBM1047 --output-dir out a b c")), (0, "", ""));
        for name in ["out/a", "out/b", "out/c"] {
            assert!(fs::read(folder.path(name)).unwrap() == expected, "{jobs} {name}");
        }
        fs::remove_dir_all(folder.path("out")).unwrap();
    }
}

/// Jobs are as many as the limit on descriptors allows.
#[test]
fn many_jobs_with_few_descriptors() {
    let folder = Folder::new();
    for at in 0..100 {
        folder.file(format!("in/{}/{at}", at % 7), "text\n");
    }
    for (limit, jobs) in [(20, "--jobs 16"), (20, ""), (40, "--jobs 500")] {
        for options in ["--in-place -r in", "--in-place=.old -r in", "--output-dir out -r in"] {
            let eol = if folder.text("in/0/0").contains('\r') { "lf" } else { "crlf" };
            let script =
                format!("ulimit -n {limit}; exec \"$CHARPIPE\" -q {jobs} --eol {eol} --report report {options}");
            let output =
                Command::new("sh").args(["-c", &script]).env("CHARPIPE", CHARPIPE).current_dir(&folder.0).output();
            check(&output.unwrap(), (0, "", ""));
            let report = objects(&folder.text("report"));
            assert!(report.len() == 100 && report.iter().all(|line| line["error"].is_null()), "{limit} {options}");
            for name in folder.names().iter().filter(|name| name.ends_with(".old")) {
                fs::remove_file(folder.path(name)).unwrap();
            }
        }
    }
}

// --- In place ------------------------------------------------------------------------------------

#[test]
fn in_place_replaces_each_file() {
    let folder = Folder::with(&[("a.xml", LATIN1), ("b.xml", LATIN1)]);
    fs::set_permissions(folder.path("a.xml"), Permissions::from_mode(0o604)).unwrap();
    let output = folder.run("--in-place a.xml b.xml");
    let summary = "charpipe: 2 files converted; 102 bytes in, 94 bytes out\ncharpipe:   2 ISO-8859-1\n";
    check(&output, (0, "", summary));
    assert_eq!((&*folder.text("a.xml"), &*folder.text("b.xml")), (LATIN1_AS_UTF8, LATIN1_AS_UTF8));
    assert_eq!(fs::metadata(folder.path("a.xml")).unwrap().mode() & 0o7777, 0o604);
    assert_eq!(folder.names(), ["a.xml", "b.xml"]);
}

#[test]
fn in_place_keeps_a_backup() {
    let folder = Folder::with(&[("a.xml", LATIN1)]);
    fs::set_permissions(folder.path("a.xml"), Permissions::from_mode(0o604)).unwrap();
    check(&folder.run("--in-place=.old a.xml"), (0, "", ""));
    assert_eq!((&*folder.text("a.xml"), fs::read(folder.path("a.xml.old")).unwrap()), (LATIN1_AS_UTF8, LATIN1.into()));
    for name in ["a.xml", "a.xml.old"] {
        assert_eq!(fs::metadata(folder.path(name)).unwrap().mode() & 0o7777, 0o604, "{name}");
    }
    // A second run has nothing to change, and nothing is lost.
    check(&folder.run("--in-place=.old a.xml"), (0, "", ""));
    assert_eq!(fs::read(folder.path("a.xml.old")).unwrap(), LATIN1);
    // An existing backup is not overwritten, and the file stays.
    let what = "a.xml.old exists already, so the file is left as it is; --force replaces a.xml.old";
    let line = format!("charpipe: a.xml: byte 0: {what}\n");
    for check_only in ["", "--check "] {
        let output = folder.run(&format!("{check_only}-t UTF-16 --in-place=.old --report report a.xml"));
        assert_eq!((output.status.code(), stderr(&output)), (Some(1), line.clone()));
        let report: serde_json::Value = serde_json::from_str(&folder.text("report")).unwrap();
        assert_eq!(
            report["error"],
            serde_json::json!({"code": "backup-exists", "message": what, "offset": 0, "line": null, "column": null})
        );
        fs::remove_file(folder.path("report")).unwrap();
    }
    assert_eq!((&*folder.text("a.xml"), fs::read(folder.path("a.xml.old")).unwrap()), (LATIN1_AS_UTF8, LATIN1.into()));
    // In a directory, backups are not converted.
    check(&folder.run("-r --in-place=.old ."), (0, "", ""));
    check(&folder.run("-q -r -t UTF-16 --in-place=.again ."), (0, "", ""));
    assert_eq!(folder.names(), ["a.xml", "a.xml.again", "a.xml.old", "a.xml.old.again"]);
    // A dangling symlink counts as an existing backup.
    symlink("nowhere", folder.path("b.old")).unwrap();
    folder.file("b", HELLO);
    assert_eq!(folder.run("-f IBM037 --in-place=.old b").status.code(), Some(1));
    assert_eq!(fs::read(folder.path("b")).unwrap(), HELLO);
}

#[test]
fn in_place_replaces_a_backup_only_by_force() {
    let folder = Folder::with(&[("a", HELLO), ("a.old", b"older"), ("b", HELLO)]);
    check(&folder.run("-q --check -f IBM037 --in-place=.old --force a"), (0, "a: IBM037 -> UTF-8, 5 -> 5 bytes\n", ""));
    assert_eq!(folder.text("a.old"), "older");
    check(&folder.run("-q -f IBM037 --in-place=.old --force a b"), (0, "", ""));
    for name in ["a", "b"] {
        assert_eq!(folder.text(name), "Hello");
        assert_eq!(fs::read(folder.path(format!("{name}.old"))).unwrap(), HELLO);
    }
    assert_eq!(folder.names(), ["a", "a.old", "b", "b.old"]);
    // A run that fails leaves the backup.
    folder.file("a", b"\xFF");
    assert_eq!(folder.run("-q -f UTF-8 --in-place=.old --force a").status.code(), Some(1));
    assert_eq!(fs::read(folder.path("a.old")).unwrap(), HELLO);
    for (line, message) in [
        ("--force --in-place a", "charpipe: --force needs --in-place=SUFFIX; without SUFFIX, no old files are kept\n"),
        ("--force a", "charpipe: --force requires --in-place[=SUFFIX] (see --help)\n"),
    ] {
        let output = folder.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).starts_with(message), "{}", stderr(&output));
    }
}

/// Runs on the same files at the same time: each file is converted once, and each backup has its original.
#[test]
fn in_place_by_several_runs_at_once() {
    const FILES: usize = 50;
    let original = |at: usize| format!("caf\u{e9} {at}\n");
    for round in 0..4 {
        let folder = Folder::new();
        for at in 0..FILES {
            let bytes: Vec<u8> = original(at).chars().map(|ch| ch as u8).collect();
            folder.file(format!("{at:03}"), bytes);
        }
        let begin = |_| {
            let mut command = folder.command();
            command.args(["-q", "-f", "windows-1252", "--in-place=.old", "-r", "."]).stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        // One of them is killed.
        let mut runs: Vec<Child> = (0..4).map(begin).collect();
        if round % 2 == 1 {
            runs[0].kill().unwrap();
        }
        for run in runs {
            let output = run.wait_with_output().unwrap();
            let messages = stderr(&output);
            assert!(messages.lines().all(|line| line.contains(".old exists already")), "{messages}");
            let expected = if messages.is_empty() { 0 } else { 1 };
            assert!(output.status.code().is_none_or(|code| code == expected), "{messages}");
        }
        for at in 0..FILES {
            let (name, kept) = (format!("{at:03}"), format!("{at:03}.old"));
            let bytes: Vec<u8> = original(at).chars().map(|ch| ch as u8).collect();
            assert!(fs::read(folder.path(&kept)).unwrap() == bytes, "{kept}");
            // The run that was killed may have made the backup only.
            let found = fs::read(folder.path(&name)).unwrap();
            assert!(found == original(at).as_bytes() || round % 2 == 1 && found == bytes, "{name}");
        }
        let names = folder.names();
        assert!(names.iter().filter(|name| !name.starts_with(".charpipe-")).count() == 2 * FILES, "{names:?}");
    }
}

/// What a killed run has left is not an input.
#[test]
fn temporary_files_are_not_inputs() {
    let folder = Folder::with(&[("a", HELLO), (".charpipe-abc123", HELLO)]);
    check(&folder.run("-q -f IBM037 -r --in-place ."), (0, "", ""));
    assert_eq!(fs::read(folder.path(".charpipe-abc123")).unwrap(), HELLO);
    assert_eq!(folder.text("a"), "Hello");
}

/// A directory is written to disk once, however many of its files were replaced.
#[cfg(target_os = "linux")]
#[test]
fn directories_are_synced_once() {
    let folder = Folder::new();
    for at in 0..50 {
        folder.file(format!("in/{at}"), HELLO);
        folder.file(format!("in/sub/{at}"), HELLO);
    }
    let trace = folder.path("trace");
    for args in ["-q -f IBM037 --output-dir out -r in", "-q -f IBM037 --in-place=.old -r in", "-q -o one in/0"] {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-e", "trace=fsync", "-o"]).arg(&trace).arg(CHARPIPE).current_dir(&folder.0);
        let Ok(output) = strace.args(args.split(' ')).output() else {
            crate::common::skipped("there is no strace");
            return;
        };
        check(&output, (0, "", ""));
        let calls = fs::read_to_string(&trace).unwrap();
        let count = calls.lines().filter(|line| line.contains("fsync(")).count();
        assert_eq!(count, if args.contains("-r") { 2 } else { 1 }, "{args}: {calls}");
    }
}

/// A run that was killed is continued by the same command: files that it has converted are left alone. A run that was
/// killed between the two steps of one file has left that file under both names, and the message says so.
#[test]
fn in_place_continues_after_a_killed_run() {
    let folder = Folder::with(&[("a", b"Hello"), ("a.old", HELLO), ("b", HELLO), ("c", HELLO)]);
    fs::hard_link(folder.path("b"), folder.path("b.old")).unwrap();
    let expected = "charpipe: ./a: byte 0: ./a.old exists already, so the file is left as it is; \
        --force replaces ./a.old\n\
        charpipe: ./b: byte 0: ./b.old exists already, with the same content; --force converts the file all the same\n";
    check(&folder.run("-q -f IBM037 --in-place=.old -r ."), (1, "", expected));
    assert_eq!((&*folder.text("a"), fs::read(folder.path("a.old")).unwrap()), ("Hello", HELLO.into()));
    assert_eq!((&*folder.text("c"), fs::read(folder.path("c.old")).unwrap()), ("Hello", HELLO.into()));
    assert_eq!(fs::read(folder.path("b")).unwrap(), HELLO);
    check(&folder.run("-q -f IBM037 --in-place=.old --force b"), (0, "", ""));
    assert_eq!((&*folder.text("b"), fs::read(folder.path("b.old")).unwrap()), ("Hello", HELLO.into()));
    // Nor is a converted file malformed that is not text in its old encoding.
    folder.file("d", "caf\u{e9}");
    folder.file("d.old", "older");
    assert!(stderr(&folder.run("-q -f US-ASCII --in-place=.old d")).contains("d.old exists already"));
    // On a file system without hard links it has left a copy.
    let long = b"\xC8\x85".repeat(100_000);
    for (content, copy, is_same) in
        [(HELLO, HELLO, true), (&*long, &*long, true), (&long, &long[1..], false), (HELLO, b"Hello", false)]
    {
        folder.file("a", content);
        folder.file("a.old", copy);
        for check_only in ["", "--check "] {
            let output = folder.run(&format!("-q {check_only}-f IBM037 --in-place=.old a"));
            assert_eq!(output.status.code(), Some(1));
            assert_eq!(stderr(&output).contains("with the same content"), is_same);
        }
        assert_eq!(
            (fs::read(folder.path("a")).unwrap(), fs::read(folder.path("a.old")).unwrap()),
            (content.into(), copy.into())
        );
    }
    // A symlink to the same content does not count as a copy.
    folder.file("a", HELLO);
    folder.file("far", HELLO);
    fs::remove_file(folder.path("a.old")).unwrap();
    symlink("far", folder.path("a.old")).unwrap();
    let output = folder.run("-q -f IBM037 --in-place=.old a");
    assert!(output.status.code() == Some(1) && !stderr(&output).contains("the same content"));
}

#[test]
fn in_place_does_not_touch_a_file_that_would_not_change() {
    let long: Vec<u8> = (0..50_000).flat_map(|line| format!("line {line}: é\n").into_bytes()).collect();
    let almost: Vec<u8> = [&long[..], b"\r\n"].concat();
    let folder = Folder::with(&[("same", &long), ("almost", &almost), ("empty", b""), ("latin1", LATIN1)]);
    let past = SystemTime::now() - Duration::from_secs(86400);
    let look = |name: &str| {
        let found = fs::metadata(folder.path(name)).unwrap();
        (found.ino(), found.mtime(), found.ctime_nsec())
    };
    for name in ["same", "almost", "empty"] {
        fs::File::options().write(true).open(folder.path(name)).unwrap().set_modified(past).unwrap();
    }
    let before = ["same", "empty"].map(look);
    let inode = look("almost").0;
    let output = folder.run("--eol lf --in-place=.old same almost empty latin1");
    let messages = stderr(&output);
    assert!(messages.starts_with("charpipe: 2 files converted, 2 unchanged; "), "{messages}");
    assert_eq!(["same", "empty"].map(look), before);
    assert_ne!(look("almost").0, inode);
    assert!(fs::read(folder.path("almost")).unwrap() == [&long[..], b"\n"].concat());
    assert_eq!(folder.names(), ["almost", "almost.old", "empty", "latin1", "latin1.old", "same"]);
    // The same content, but truncated.
    folder.file("blanks", "text\x01");
    check(&folder.run("-q --controls drop --in-place blanks"), (0, "", ""));
    assert_eq!(folder.text("blanks"), "text");
    // A read-only folder does not matter if nothing is written.
    let output = folder.run("--check --in-place same latin1");
    let lines = format!("same: UTF-8 -> UTF-8, unchanged, {0} -> {0} bytes\n", long.len());
    assert!(text(&output).starts_with(&lines), "{}", text(&output));
}

#[test]
fn in_place_does_not_change_a_bad_file() {
    let folder = Folder::with(&[("a", HELLO), ("bad", b"good\xFFbad"), ("c", b"\xC8")]);
    let output = folder.run("-q -f UTF-8 --eol crlf --in-place=.old bad");
    let line =
        "charpipe: bad: line 1, column 5 (byte 4): FF is not valid UTF-8 (use --malformed replace to continue)\n";
    check(&output, (1, "", line));
    // The error comes after the good data has been written.
    folder.file("late", [&b"a\n".repeat(300_000)[..], b"\xFF"].concat());
    assert_eq!(folder.run("-q --eol crlf --in-place=.old late").status.code(), Some(1));
    assert_eq!(fs::metadata(folder.path("late")).unwrap().len(), 600_001);
    assert_eq!(folder.names(), ["a", "bad", "c", "late"]);
    assert_eq!(fs::read(folder.path("bad")).unwrap(), b"good\xFFbad");
}

#[test]
fn in_place_replaces_the_target_of_a_symlink() {
    let folder = Folder::with(&[("far/a", HELLO)]);
    symlink("far/a", folder.path("link")).unwrap();
    check(&folder.run("-f IBM037 --in-place=.old link"), (0, "", ""));
    assert!(fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
    assert_eq!((&*folder.text("far/a"), fs::read(folder.path("link.old")).unwrap()), ("Hello", HELLO.into()));
}

#[test]
fn in_place_refuses_what_is_not_a_regular_file() {
    let folder = Folder::new();
    fs::create_dir(folder.path("dir")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    let line = "charpipe: dir: cannot open: is a directory (use -r for the files in it)\n";
    check(&folder.run("--in-place dir"), (3, "", line));
    let line = "charpipe: dir: cannot open for writing: is a directory (use --output-dir to write a file for each FILE \
                into it)\n";
    check(&folder.run("-o dir /dev/null"), (3, "", line));
    check(
        &folder.run("--in-place none"),
        (3, "", "charpipe: none: cannot open: No such file or directory (os error 2)\n"),
    );
    // No process blocks on the FIFO.
    symlink("fifo", folder.path("link")).unwrap();
    for name in ["/dev/null", "fifo", "link"] {
        for options in ["--in-place", "--check --in-place", "--in-place=.old"] {
            let output = folder.run(&format!("-q {options} {name}"));
            let line = format!("charpipe: {name}: cannot open for writing: not a regular file\n");
            assert_eq!((output.status.code(), stderr(&output)), (Some(3), line));
        }
    }
    assert_eq!(folder.names(), ["dir", "fifo", "link"]);
}

/// A run that is killed while it writes leaves the old file, and nothing else.
#[cfg(target_os = "linux")]
#[test]
fn in_place_killed_in_the_middle() {
    let folder = Folder::new();
    let content = b"a line of text\n".repeat(4_000_000);
    // Sometimes the run ends before this test looks.
    loop {
        folder.file("big", &content);
        let mut child = folder.command().args(["--eol", "crlf", "--in-place=.old", "big"]).spawn().unwrap();
        let was_writing = stopped_while_writing(&child);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if was_writing {
            assert!(status.code().is_none(), "{status}");
            assert_eq!(folder.names(), ["big"]);
            assert!(fs::read(folder.path("big")).unwrap() == content);
            return;
        }
        assert_eq!(folder.names(), ["big", "big.old"]);
        fs::remove_file(folder.path("big.old")).unwrap();
    }
}

/// Lets the run continue a little at a time, until it is stopped in the middle of its output. Returns `false` if it
/// ended before that.
#[cfg(target_os = "linux")]
fn stopped_while_writing(child: &Child) -> bool {
    let pid = child.id();
    let (fds, stat) = (format!("/proc/{pid}/fd"), format!("/proc/{pid}/stat"));
    let send = |signal: &str| {
        let kill = Command::new("sh").arg("-c").arg(format!("kill -{signal} {pid}")).status();
        assert!(kill.unwrap().success());
    };
    let is_writing = || {
        let Ok(entries) = fs::read_dir(&fds) else { return false };
        let files = entries.filter_map(|entry| fs::metadata(entry.ok()?.path()).ok());
        files.into_iter().any(|file| file.nlink() == 0 && file.is_file() && file.len() > 100_000)
    };
    loop {
        send("STOP");
        loop {
            let stat = fs::read_to_string(&stat).unwrap();
            match stat.rsplit(") ").next().unwrap().chars().next() {
                Some('T') => break,
                Some('Z') => return false,
                _ => std::thread::yield_now(),
            }
        }
        if is_writing() {
            return true;
        }
        send("CONT");
    }
}

// --- Refusals --------------------------------------------------------------------------------------------------------

#[test]
fn options_that_make_no_sense_together_are_wrong_usage() {
    let folder = Folder::with(&[("a", b"a"), ("dir/b", b"b")]);
    for (line, start) in [
        ("--output-dir out -o x a", "--output-dir cannot be used with --output"),
        ("--in-place -o x a", "--in-place cannot be used with --output"),
        ("--in-place --output-dir out a", "--in-place cannot be used with --output-dir"),
        ("--output-dir out", "--output-dir needs file names; standard input has none (use -o)"),
        ("--output-dir out a -", "--output-dir needs file names; standard input has none (use -o)"),
        ("--in-place", "--in-place needs file names; standard input cannot be replaced"),
        ("--in-place a -", "--in-place needs file names; standard input cannot be replaced"),
        ("--in-place=old/ a", "--in-place: SUFFIX must not contain a slash; old files are kept in the same directory"),
        ("-r", "--recursive needs a directory among the FILEs"),
        ("-r a -", "--recursive needs a directory among the FILEs"),
        ("--output-dir out dir/..", "--output-dir: dir/.. is not a file name"),
        ("--progress sometimes a", "--progress: \"sometimes\" is not one of auto, always, never"),
    ] {
        refused(&folder, line, start);
    }
}

#[test]
fn collisions_are_refused_before_anything_is_written() {
    let folder = Folder::with(&[("a/x", b"1"), ("b/x", b"2"), ("c/x/y", b"3"), ("x", b"4"), ("x.old", b"5")]);
    folder.file("e/f", "6");
    folder.file("e/f.out/g", "7");
    fs::hard_link(folder.path("x"), folder.path("hard")).unwrap();
    symlink("x", folder.path("soft")).unwrap();
    fs::create_dir(folder.path("out")).unwrap();
    symlink("../hard", folder.path("out/hard")).unwrap();
    for (line, start) in [
        ("--output-dir new a/x b/x", "new/x: both a/x and b/x would be written to it"),
        ("--output-dir new -r a b", "new/x: both a/x and b/x would be written to it"),
        ("--output-dir new a/x ./a/x", "new/x: both a/x and ./a/x would be written to it"),
        ("--output-dir new -r a a", "new/x: both a/x and a/x would be written to it"),
        ("--output-dir new -r a c", "c/x/y: it needs a directory where a/x would be a file"),
        ("--output-dir new --output-suffix .out -r e", "e/f.out/g: it needs a directory where e/f would be a file"),
        ("--output-dir a a/x", "a/x: it is the input itself (use --in-place to replace it)"),
        ("--output-dir . -r a b/x x", "./x: "),
        ("--output-dir a b/x a/x", "a/x: "),
        ("--output-dir b x b/x", "b/x: "),
        ("--output-dir out x hard", "out/hard: it is the input itself"),
        ("--output-dir new --report new/x a/x", "new/x: output and report cannot be the same file"),
        ("--output-dir a --report a/x b/x", "a/x: output and report cannot be the same file"),
        ("--in-place x x", "x: it is the same file as x, and cannot be replaced twice"),
        ("--in-place x hard", "hard: it is the same file as x, and cannot be replaced twice"),
        ("--in-place x soft", "soft: it is the same file as x, and cannot be replaced twice"),
        ("--in-place=.old x x.old", "x.old: it is an input, and would be the backup of x"),
        ("--in-place=.old --report x.old a/x x", "x.old: output and report cannot be the same file"),
        ("--in-place --report x x", "x: input and report cannot be the same file"),
    ] {
        for check_only in ["", "--check "] {
            let lines = stderr(&folder.run(&format!("{check_only}{line}")));
            assert!(lines.starts_with(&format!("charpipe: {start}")), "{line}: {lines}");
            if !start.ends_with(": ") {
                refused(&folder, &format!("{check_only}{line}"), start);
            }
        }
    }
    assert!(!folder.path("new").join("x").exists());
    // Dangling symlinks, direct and indirect, and a file that would be created where they lead.
    for (name, target) in [("1", "y"), ("2", "../out/y"), ("3", "1")] {
        symlink(target, folder.path("out").join(name)).unwrap();
    }
    symlink("out/y", folder.path("report")).unwrap();
    for name in ["1", "2", "3", "y"] {
        folder.file(format!("d/{name}"), "text");
    }
    for (line, start) in [
        ("--output-dir out d/1 d/2", "out/2: both d/1 and d/2 would be written to it"),
        ("--output-dir out d/2 d/3", "out/3: both d/2 and d/3 would be written to it"),
        ("--output-dir out d/y d/3", "out/3: both d/y and d/3 would be written to it"),
        ("--output-dir ./out d/3 d/y", "./out/y: both d/3 and d/y would be written to it"),
        ("--output-dir out --report report d/2", "out/2: output and report cannot be the same file"),
        ("--output-dir out --report report d/y", "out/y: output and report cannot be the same file"),
        ("-o out/1 --report report d/y", "out/1: output and report cannot be the same file"),
    ] {
        refused(&folder, line, start);
    }
    // If there are many, not all are named.
    let many = folder.args(["--output-dir", "new"].into_iter().chain(["a/x"; 20]));
    assert_eq!((many.status.code(), stderr(&many).lines().count()), (Some(2), 6));
    assert!(stderr(&many).ends_with("charpipe: 14 more collisions\n"), "{}", stderr(&many));
    let many = folder.args(["--output-dir", "new"].into_iter().chain(["a/x"; 7]));
    assert!(stderr(&many).ends_with("charpipe: 1 more collision\n"), "{}", stderr(&many));
}

/// Paths in a list that lead to the same new file collide, however they are written.
#[test]
fn new_files_with_two_paths_in_a_list() {
    let folder = Folder::with(&[("a", b"1"), ("b", b"2"), ("in/c", b"3")]);
    symlink(".", folder.path("link")).unwrap();
    for (list, options, start) in [
        (r#"{"input":"b","output":"link/x"} {"input":"a","output":"x"}"#, "", "x: both b and a would be written to it"),
        (
            r#"{"input":"b","output":"in/../x"} {"input":"a","output":"x"}"#,
            "",
            "x: both b and a would be written to it",
        ),
        (
            r#"{"input":"b","output":"link/new/a"} {"input":"a"}"#,
            "--output-dir new",
            "new/a: both b and a would be written to it",
        ),
        (
            r#"{"input":"a"} {"input":"b","output":"new/a"}"#,
            "--output-dir in/../new",
            "new/a: both a and b would be written to it",
        ),
    ] {
        folder.file("list", list.replace("} {", "}\n{"));
        refused(&folder, &format!("--inputs list {options}"), start);
    }
    // Other names, and the same name in other directories.
    folder.file(
        "list",
        "{\"input\":\"a\",\"output\":\"x\"}\n{\"input\":\"b\",\"output\":\"in/x\"}\n{\"input\":\"in/c\"}\n",
    );
    check(&folder.run("-q --inputs list --output-dir new"), (0, "", ""));
    assert_eq!(["x", "in/x", "new/c"].map(|name| folder.text(name)), ["1", "2", "3"]);
}

#[test]
fn outputs_that_cannot_be_created() {
    let folder = Folder::with(&[("a", b"a"), ("file", b"")]);
    for dir in ["file", "file/below"] {
        let output = folder.run(&format!("--output-dir {dir} a"));
        let start = format!("charpipe: {dir}: cannot make the directory: ");
        assert!(output.status.code() == Some(3) && stderr(&output).starts_with(&start), "{}", stderr(&output));
    }
    // A symlink to a file is followed, as with `-o`; a symlink to a directory is not.
    let links = Folder::with(&[("in/a", b"a"), ("in/sub/b", b"b"), ("out/c", b"c"), ("far/b", b"far")]);
    symlink("c", links.path("out/a")).unwrap();
    symlink("../far", links.path("out/sub")).unwrap();
    let output = links.run("-q -r --output-dir out in");
    let line = "charpipe: out/sub/b: cannot open for writing: the directory sub is a symbolic link, which is not followed here\n";
    check(&output, (3, "", line));
    assert_eq!((&*links.text("out/c"), &*links.text("far/b")), ("a", "far"));
    assert!(links.path("out/a").is_symlink());
    // One output that cannot be written does not stop the others.
    folder.file("out/a/is a directory", "");
    folder.file("b", "b");
    let output = folder.run("--output-dir out --report report a b");
    assert!(stderr(&output).starts_with("charpipe: out/a: cannot open for writing: is a directory\n"), "{output:?}");
    assert_eq!((output.status.code(), &*folder.text("out/b")), (Some(3), "b"));
    let lines = objects(&folder.text("report"));
    assert_eq!(lines[0]["error"]["code"], "write");
    assert_eq!(lines[1]["error"], Value::Null);
}

// --- One bad file --------------------------------------------------------------------------------

#[test]
fn a_bad_file_does_not_stop_the_others() {
    let folder = Folder::with(&[("a", b"a"), ("bad", b"x\xFF"), ("c", b"c")]);
    let error =
        "charpipe: bad: line 1, column 2 (byte 1): FF is not valid UTF-8 (use --malformed replace to continue)\n";
    let summary = "charpipe: 2 files converted, 1 failed; 2 bytes in, 2 bytes out\ncharpipe:   2 UTF-8\n";
    check(&folder.run("--output-dir out a bad c"), (1, "", &format!("{error}{summary}")));
    check(&folder.run("-q --output-dir out a bad c"), (1, "", error));
    assert_eq!(folder.names(), ["a", "bad", "c", "out", "out/a", "out/c"]);
    check(&folder.run("a bad c"), (1, "axc", error));
    // The highest exit status counts.
    let output = folder.run("-q --output-dir out a bad none c");
    assert_eq!((output.status.code(), stderr(&output).lines().count()), (Some(3), 2));
}

#[test]
fn fail_fast_starts_no_other_file() {
    let folder = Folder::with(&[("a", b"a"), ("bad", b"x\xFF"), ("c", b"c")]);
    let error =
        "charpipe: bad: line 1, column 2 (byte 1): FF is not valid UTF-8 (use --malformed replace to continue)\n";
    let summary = "charpipe: 1 file converted, 1 failed, 1 not started; 1 byte in, 1 byte out\ncharpipe:   1 UTF-8\n";
    let output = folder.run("--jobs 1 --fail-fast --output-dir out --report report a bad c");
    check(&output, (1, "", &format!("{error}{summary}")));
    assert_eq!(folder.names(), ["a", "bad", "c", "out", "out/a", "report"]);
    assert_eq!(objects(&folder.text("report")).len(), 2);
    check(&folder.run("--fail-fast a bad c"), (1, "ax", error));
    check(&folder.run("-q --fail-fast -o new a bad c"), (1, "", error));
    assert!(!folder.path("new").exists());
    // In parallel: all files before the failure are converted, and those that were started are finished and reported.
    for at in 0..1000 {
        folder.file(format!("in/{at:04}"), if at == 3 { &b"\xFF"[..] } else { b"good" });
    }
    let output = folder.run("--jobs 4 --fail-fast -r --output-dir new --report report in");
    assert_eq!(output.status.code(), Some(1));
    let lines = objects(&folder.text("report"));
    let written = fs::read_dir(folder.path("new")).unwrap().count();
    // At most 512 wait for an earlier one.
    assert!((3..=3 + 512).contains(&written), "{written}");
    assert_eq!(lines.iter().filter(|line| line["error"].is_null()).count(), written);
    let inputs: Vec<&Value> = lines.iter().take(4).map(|line| &line["input"]).collect();
    assert_eq!(inputs, ["in/0000", "in/0001", "in/0002", "in/0003"]);
}

// --- Check ---------------------------------------------------------------------------------------

#[test]
fn check_prints_what_would_happen() {
    let folder = Folder::with(&[("a.xml", LATIN1), ("bad", b"x\xFFy\xFF"), ("text", "é€".as_bytes())]);
    let before = folder.contents();
    let output = folder.run("--check a.xml bad text");
    let lines = "a.xml: ISO-8859-1 -> UTF-8, label \"ISO-8859-1\" -> \"UTF-8\", 51 -> 47 bytes\n\
                 bad: UTF-8 -> UTF-8, fails at line 1, column 2 (byte 1) (malformed), 1 -> 1 bytes\n\
                 text: UTF-8 -> UTF-8, 5 -> 5 bytes\n";
    assert_eq!((output.status.code(), &*text(&output)), (Some(1), lines));
    assert_eq!(
        stderr(&output),
        "charpipe: bad: line 1, column 2 (byte 1): FF is not valid UTF-8 (use --malformed replace to continue)\n\
         charpipe: 2 files would be converted, 1 failed; 56 bytes in, 52 bytes out\n\
         charpipe:   1 ISO-8859-1\ncharpipe:   1 UTF-8\n"
    );
    let output = folder.run("-q --check -t ISO-8859-1 --malformed drop --unmappable replace bad text");
    let lines = "bad: UTF-8 -> ISO-8859-1, 4 -> 2 bytes, 2 malformed\n\
                 text: UTF-8 -> ISO-8859-1, 5 -> 2 bytes, 1 unmappable\n";
    check(&output, (0, lines, ""));
    let output = folder.run("-q --check --report - none");
    assert!(text(&output) == "none: unknown -> UTF-8, fails (open)\n", "{output:?}");
    assert_eq!(folder.contents(), before);
}

#[test]
fn check_has_the_exit_status_of_the_run_and_leaves_nothing() {
    let files: [(&str, &[u8]); 6] = [
        ("in/a.xml", LATIN1),
        ("in/bad", b"x\xFF"),
        ("in/same", b"same"),
        ("in/unknown", b"<?xml version='1.0' encoding='nonsense'?>"),
        ("in/sub/euro", "€".as_bytes()),
        ("file", b""),
    ];
    for options in [
        "--output-dir out -r in",
        "--output-dir out in/a.xml in/same",
        "--output-dir file in/same",
        "--output-dir file/below in/same",
        "--output-dir out -t IBM037 -r in/sub",
        "--output-dir out -t IBM037 --unmappable drop -r in/sub",
        "--output-dir out none in/same",
        "--output-dir in/bad in/same",
        "--in-place -r in",
        "--in-place=.old -r in",
        "--in-place in/same",
        "--strict -r in",
        "-o out in/a.xml in/same",
        "-o in/sub in/same",
        "-o none/out in/same",
        "-o out in/bad",
        "-o out --report out in/same",
        "--fail-fast -r in",
        "in",
        "-t nonsense in/same",
    ] {
        let folder = Folder::with(&files);
        let before = (folder.contents(), folder.names());
        let rehearsed = folder.run(&format!("--check {options}"));
        assert_eq!((folder.contents(), folder.names()), before, "{options}");
        let real = folder.run(options);
        assert_eq!(rehearsed.status.code(), real.status.code(), "{options}: {rehearsed:?} {real:?}");
    }
}

// --- Summary and progress ------------------------------------------------------------------------

#[test]
fn the_summary_is_short() {
    let folder = Folder::with(&[("a", b"a")]);
    // There is no summary for one file.
    check(&folder.run("--output-dir out a"), (0, "", ""));
    let labels = "US-ASCII ISO-8859-1 ISO-8859-9 IBM037 IBM500 IBM273 IBM277 IBM278 IBM280 IBM284 IBM285 IBM297 IBM871";
    let mut args = vec!["--output-dir".to_owned(), "out".to_owned(), "-t".into(), "UTF-8".into()];
    for (at, label) in labels.split(' ').enumerate() {
        for copy in 0..=usize::from(at == 7) {
            let name = format!("{at}-{copy}.xml");
            let document = format!("<?xml version=\"1.0\" encoding=\"{label}\"?><a/>");
            let mut child = Command::new(CHARPIPE)
                .args(["-f", "UTF-8", "-t", label, "--relabel", "never", "-o"])
                .arg(folder.path(&name))
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.take().unwrap().write_all(document.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success());
            args.push(name);
        }
    }
    let output = folder.args(&args);
    let messages = stderr(&output);
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(output.status.code(), Some(0), "{messages}");
    assert!(lines[0].starts_with("charpipe: 14 files converted; "), "{messages}");
    assert_eq!((lines.len(), lines[1], lines[11]), (12, "charpipe:   2 IBM278", "charpipe:   3 in 3 other encodings"));
}

#[test]
fn progress_only_if_it_is_asked_for() {
    let folder = Folder::with(&[("a", b"abc"), ("b", b"def")]);
    for line in ["-q --output-dir out a b", "-q --progress auto --output-dir out a b", "-q --progress never a"] {
        assert_eq!(stderr(&folder.run(line)), "", "{line}");
    }
    // Not on a terminal: a line without control characters.
    let messages = stderr(&folder.run("-q --progress always --output-dir out a b"));
    // One line, if it takes less than a second.
    let last = messages.lines().last().unwrap();
    assert!(last.starts_with("charpipe: 6 B of 6 B, ") && last.ends_with(", 2 of 2 files"), "{messages}");
    assert!(messages.lines().all(|line| line.starts_with("charpipe: ")) && !messages.contains('\x1B'), "{messages}");
    let messages = stderr(&folder.run("--progress always a"));
    let last = messages.lines().last().unwrap();
    assert!(last.starts_with("charpipe: 3 B of 3 B, ") && last.ends_with(" left"), "{messages}");
    let output = folder.run("--progress always");
    assert!(stderr(&output).lines().last().unwrap().starts_with("charpipe: 0 B in "), "{output:?}");
}

/// Opens both sides of a terminal.
fn terminal() -> (File, File) {
    let owner = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&owner).unwrap();
    unlockpt(&owner).unwrap();
    let name = ptsname(&owner, Vec::new()).unwrap().into_string().unwrap();
    (File::from(owner), OpenOptions::new().read(true).write(true).open(name).unwrap())
}

/// Returns what appears on a terminal, up to `end` or to its end.
fn shown(owner: &mut File, end: Option<&str>) -> String {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    // The end is an error if the other side is closed.
    while let Ok(len @ 1..) = owner.read(&mut buffer) {
        all.extend_from_slice(&buffer[..len]);
        if end.is_some_and(|end| String::from_utf8_lossy(&all).contains(end)) {
            break;
        }
    }
    String::from_utf8(all).unwrap()
}

/// A run with a terminal as standard error and, if wanted, standard output. Its input is a pipe, to which half of the
/// input was written.
struct AtTerminal {
    child: Child,
    stdin: ChildStdin,
    owner: File,
}

impl AtTerminal {
    fn begin(folder: &Folder, line: &str, term: &str, is_output: bool) -> Self {
        let (owner, terminal) = terminal();
        let mut command = folder.command();
        command.env("TERM", term).env("NO_COLOR", "1").args(line.split_whitespace()).stdin(Stdio::piped());
        command.stdout(if is_output { Stdio::from(terminal.try_clone().unwrap()) } else { Stdio::null() });
        // The command holds the other side of the terminal, and is dropped after this.
        let mut child = command.stderr(terminal).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A run that reads no input may have ended.
        _ = stdin.write_all(b"abc");
        AtTerminal { child, stdin, owner }
    }

    /// Writes the second half; returns what the terminal shows from now on.
    fn end(self) -> String {
        let AtTerminal { mut child, mut stdin, mut owner } = self;
        _ = stdin.write_all(b"def");
        drop(stdin);
        let screen = shown(&mut owner, None);
        child.wait().unwrap();
        screen
    }
}

/// Unit tests of `progress.rs`, which have their own clock, check when it appears, and that short runs show nothing.
#[test]
fn progress_on_a_terminal() {
    let folder = Folder::with(&[("a", b"abc"), ("bad", b"\xFF"), ("c", b"abc")]);
    // These runs start before the one that shows progress, so they have run at least as long when it does.
    let silent = [("-q -o 1", "xterm"), ("--progress never -o 2", "xterm"), ("-q", "xterm"), ("-o 3", "dumb")];
    let silent = silent.map(|(line, term)| (line, AtTerminal::begin(&folder, line, term, false)));
    let between = AtTerminal::begin(&folder, "-t UTF-8", "xterm", true);
    // It appears after a while without further input, and is erased at the end.
    let mut slow = AtTerminal::begin(&folder, "-o out", "xterm", false);
    shown(&mut slow.owner, Some("charpipe: 3 B in "));
    let screen = slow.end();
    assert!(screen.trim_end().ends_with("\x1B[2K"), "{screen:?}");
    assert_eq!(folder.text("out"), "abcdef");
    for (line, run) in silent {
        assert_eq!(run.end(), "", "{line}");
    }
    // It is not drawn between the lines of the output.
    assert_eq!(between.end(), "abcdef");
    // Errors are on separate lines, and the last frame is correct.
    let screen = AtTerminal::begin(&folder, "--progress always --output-dir new a bad c", "xterm", false).end();
    let line =
        "charpipe: bad: line 1, column 1 (byte 0): FF is not valid UTF-8 (use --malformed replace to continue)\r\n";
    let at = screen.find(line).unwrap_or_else(|| panic!("{screen:?}"));
    assert!(at == 0 || screen[..at].ends_with(['\n', '\r', 'K', 'G']), "{screen:?}");
    let last = screen.rfind(" B [").map(|at| &screen[screen[..at].rfind("charpipe: ").unwrap()..]);
    let last = last.unwrap_or_else(|| panic!("{screen:?}"));
    assert!(last.starts_with("charpipe: 7 B of 7 B [") && last.contains(", 3 of 3 files"), "{screen:?}");
}
