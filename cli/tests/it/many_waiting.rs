//! New files of short inputs wait for each other, and are written to disk together: the results are the same as without
//! that, and no name is given to a file that is not on disk.

use crate::common::signals::with_default_signals;
use crate::common::skipped;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// How many files there are, in four folders.
const FILES: usize = 300;

/// A folder `in` with short files in windows-1252.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for number in 0..FILES {
        let below = folder.path().join("in").join((number % 4).to_string());
        fs::create_dir_all(&below).unwrap();
        let text = [b"Gr\xF6\xDFe ", number.to_string().as_bytes(), b"\n"].concat();
        fs::write(below.join(format!("{number:03}.txt")), text).unwrap();
    }
    folder
}

/// What `in` is when it is converted to UTF-8.
fn expected() -> BTreeMap<PathBuf, String> {
    let name = |number: usize| Path::new(&(number % 4).to_string()).join(format!("{number:03}.txt"));
    (0..FILES).map(|number| (name(number), format!("Größe {number}\n"))).collect()
}

/// Returns the files below a folder, temporary ones too.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                files.insert(entry.path().strip_prefix(root).unwrap().to_owned(), text);
            }
        }
    }
    files
}

/// Runs a program in the folder. Returns the status and the messages.
fn run(folder: &TempDir, program: &str, args: &str) -> (Option<i32>, String) {
    let mut command = with_default_signals(program);
    command.args(args.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs charpipe under strace with these options. Returns the status, the messages, and what strace printed; `None` if
/// there is no strace, or if the file system is not one that is written as a whole.
fn traced(folder: &TempDir, options: &str, args: &str) -> Option<(Option<i32>, String, String)> {
    let mut command = with_default_signals("strace");
    let is_there = command.args("-f -o /dev/null -e trace=none true".split(' ')).current_dir(folder).status();
    if !is_there.is_ok_and(|status| status.success()) {
        skipped("no strace");
        return None;
    }
    let args = format!("-f -o trace -e trace=syncfs,fdatasync,linkat,renameat {options} {CHARPIPE} -q {args}");
    let (status, words) = run(folder, "strace", &args);
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    if !trace.contains("syncfs(") {
        skipped("the file system of temporary files is not written as a whole");
        return None;
    }
    Some((status, words, trace))
}

fn count(trace: &str, call: &str) -> usize {
    trace.lines().filter(|line| line.contains(&format!(" {call}("))).count()
}

const INTO: &str = "-f windows-1252 --output-dir out -r in";

#[test]
fn no_file_has_its_name_before_it_is_on_disk() {
    for (args, root) in [(INTO, "out"), ("-f windows-1252 --in-place -r in", "in")] {
        let folder = folder();
        let Some((status, words, trace)) = traced(&folder, "", &format!("--jobs 2 {args}")) else { return };
        assert_eq!((status, words), (Some(0), String::new()), "{args}");
        assert_eq!(files(&folder.path().join(root)), expected(), "{args}");
        assert_eq!(count(&trace, "fdatasync"), 0, "{args}");
        let syncs = count(&trace, "syncfs");
        assert!((3..20).contains(&syncs), "{args}: {syncs}");
        let calls =
            trace.lines().filter(|line| line.contains("syncfs(") || line.contains("linkat(") && line.ends_with("= 0"));
        let mut named = 0;
        for (index, call) in calls.enumerate() {
            // No more can wait than that.
            named = if call.contains("syncfs(") { 0 } else { named + 1 };
            assert!((index > 0 || call.contains("syncfs(")) && named <= 128, "{args}: {call}");
        }
    }
}

/// If the file system cannot be written as a whole, each file is written for itself, and the one that fails is named.
#[test]
fn a_disk_that_fails() {
    let whole = folder();
    let Some((status, words, trace)) = traced(&whole, "-e inject=syncfs:error=EIO", INTO) else { return };
    assert_eq!((status, words), (Some(0), String::new()));
    assert_eq!(files(&whole.path().join("out")), expected());
    assert_eq!(count(&trace, "fdatasync"), FILES);

    let failing = folder();
    let injected = "-e inject=syncfs:error=EIO -e inject=fdatasync:error=EIO:when=3";
    let (status, words, _) = traced(&failing, injected, &format!("--jobs 1 {INTO}")).unwrap();
    assert_eq!(status, Some(3), "{words}");
    let (written, mut all) = (files(&failing.path().join("out")), expected());
    all.retain(|name, _| written.contains_key(name));
    assert_eq!((written.len(), written), (FILES - 1, all));
    assert_eq!(words.lines().filter(|line| line.contains("cannot write")).count(), 1, "{words}");
}

/// Files that wait, and those that do not, because a failure ends the run or there are few descriptors.
#[test]
fn waiting_changes_nothing() {
    for damaged in [0, 1, 7] {
        let results: Vec<_> = ["--jobs 1", "--jobs 3", "--jobs 3 limited", "--fail-fast"]
            .iter()
            .filter(|options| damaged == 0 || **options != "--fail-fast")
            .map(|options| {
                let folder = folder();
                for number in (0..FILES).filter(|number| number % 50 < damaged) {
                    let name = format!("in/{}/{number:03}.txt", number % 4);
                    // ISO-8859-2 lacks this letter.
                    fs::write(folder.path().join(name), b"\xE5").unwrap();
                }
                let args = format!("-q --report report {} {INTO} -t ISO-8859-2", options.trim_end_matches(" limited"));
                let script = format!(
                    "ulimit -n {}; exec {CHARPIPE} {args}",
                    if options.ends_with("limited") { 60 } else { 1024 }
                );
                let mut shell = with_default_signals("sh");
                let output = shell.args(["-c", &script]).current_dir(&folder).stdin(Stdio::null()).output().unwrap();
                let (status, words) = (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
                let report = fs::read_to_string(folder.path().join("report")).unwrap();
                (status, words, report, files(&folder.path().join("out")))
            })
            .collect();
        let (status, _, report, written) = &results[0];
        assert_eq!(*status, Some(if damaged == 0 { 0 } else { 1 }));
        assert_eq!((report.lines().count(), written.len()), (FILES, FILES - 6 * damaged));
        for result in &results {
            assert_eq!(result, &results[0]);
        }
    }
}
