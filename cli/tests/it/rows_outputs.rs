//! The outputs of one run of `charpipe rows`: all of them are replaced or none, and only the reader of the rows may
//! stop early. A pipe without a reader is a real one; other failures of system calls are made by strace, without which
//! the tests print a line and do nothing.

use crate::common::signals::with_default_signals;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Records of two bytes: the type, and a digit.
const LAYOUT: &str = "K 1 1 text\nwhen K=A: ONE\nX 2 1 zoned\nwhen K=B: TWO\nY 2 1 zoned\n";

/// A good record of each type, and one of no known type.
const RECORDS: &[u8] = b"\xC1\xF1\xC2\xF2\xE9\xF3";

struct Folder(TempDir);

impl Folder {
    /// Makes a folder with a layout, data, and old files.
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::create_dir(folder.path("types")).unwrap();
        fs::write(folder.path("list"), LAYOUT).unwrap();
        fs::write(folder.path("data"), RECORDS).unwrap();
        for name in ["t.csv", "rejects", "report", "types/ONE.csv", "types/TWO.csv"] {
            fs::write(folder.path(name), "old").unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, program: &str, args: &str) -> Command {
        let mut command = with_default_signals(program);
        command.args(args.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs `charpipe rows` with a pipe as standard output that no one reads. Returns the status and the messages.
    fn unread(&self, args: &str) -> (Option<i32>, String) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = self.command(env!("CARGO_BIN_EXE_charpipe"), &format!("rows -f IBM037 {args}"));
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        ending(&child.wait_with_output().unwrap())
    }

    /// Runs `charpipe rows` with a system call that fails, as an option of strace. Returns nothing without strace.
    fn failing(&self, inject: &str, args: &str) -> Option<(Option<i32>, String)> {
        let charpipe = env!("CARGO_BIN_EXE_charpipe");
        let traced = self.command("strace", "-f -o /dev/null -e trace=none true").output();
        if !traced.is_ok_and(|traced| traced.status.success()) {
            crate::common::skipped("no strace");
            return None;
        }
        let args = format!("-f -o /dev/null -e inject={inject} {charpipe} rows -f IBM037 {args}");
        Some(ending(&self.command("strace", &args).output().unwrap()))
    }

    /// Returns a member of the last line of the report.
    fn report(&self, key: &str) -> Value {
        let text = self.text("report");
        let line: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        line[key].clone()
    }

    #[track_caller]
    fn has_old(&self, names: &[&str]) {
        for name in names {
            assert_eq!(self.text(name), "old", "{name}");
        }
    }
}

fn ending(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn rejects_without_a_reader_are_an_error() {
    let folder = Folder::new();
    let (status, words) = folder.unread("-q --layout list -o t.csv --rejects /dev/stdout --report report data");
    assert_eq!((status, &*words), (Some(3), "charpipe: /dev/stdout: cannot write: Broken pipe (os error 32)\n"));
    folder.has_old(&["t.csv"]);
    assert_eq!(folder.report("error")["code"], "write");
    assert_eq!(folder.report("stopped"), false);

    let (status, words) = folder.unread("-q --layout list --output-dir types --rejects /dev/stdout data");
    assert_eq!((status, words.lines().count()), (Some(3), 1), "{words}");
    folder.has_old(&["types/ONE.csv", "types/TWO.csv"]);
}

#[test]
fn a_report_without_a_reader_is_an_error() {
    let folder = Folder::new();
    for args in
        ["--rejects rejects -o t.csv --report /dev/stdout data", "--from-rows csv -o back --report /dev/stdout rows"]
    {
        fs::write(folder.path("rows"), "K,ONE.X,TWO.Y\nA,1,\n").unwrap();
        let (status, words) = folder.unread(&format!("-q --layout list {args}"));
        assert_eq!((status, &*words), (Some(3), "charpipe: /dev/stdout: cannot write: Broken pipe (os error 32)\n"));
    }
}

/// The reader of the rows has all that it wanted. What it did not read has no rejected records.
#[test]
fn rows_without_a_reader_are_done() {
    let folder = Folder::new();
    let ended = folder.unread("-q --layout list --rejects rejects --report report data data");
    assert_eq!(ended, (Some(0), String::new()));
    folder.has_old(&["rejects"]);
    assert_eq!((folder.report("stopped"), folder.report("error")), (true.into(), Value::Null));
    assert_eq!(folder.text("report").lines().count(), 1);

    fs::write(folder.path("rows"), "K,ONE.X,TWO.Y\nA,1,\n").unwrap();
    let ended = folder.unread("-q --layout list --from-rows csv --to-records fb:2 --report report rows rows");
    assert_eq!(ended, (Some(0), String::new()));
    assert_eq!((folder.report("stopped"), folder.report("bytes_out")), (true.into(), 0.into()));
}

/// A file has no reader: if a write to it fails with the error of a pipe, as FUSE and networks may return it, rows are
/// missing.
#[test]
fn a_file_that_fails_like_a_pipe() {
    let folder = Folder::new();
    fs::write(folder.path("rows"), "K,ONE.X,TWO.Y\nA,1,\n").unwrap();
    for args in ["-o t.csv data", "--output-dir types data", "--from-rows csv --to-records fb:2 -o t.csv rows"] {
        for inject in ["write:error=EPIPE:when=1", "fdatasync:error=EPIPE:when=1"] {
            let args = format!("-q --layout list --rejects rejects {args}");
            let args = if args.contains("--from-rows") { args.replace("--rejects rejects ", "") } else { args };
            let Some((status, words)) = folder.failing(inject, &args) else { return };
            assert_eq!(status, Some(3), "{args} {inject}: {words}");
            assert!(words.ends_with("cannot write: Broken pipe (os error 32)\n"), "{words}");
            folder.has_old(&["t.csv", "rejects", "types/ONE.csv", "types/TWO.csv"]);
        }
    }
}

/// Rows and rejected records are replaced together: the disk fails with the second file.
#[test]
fn a_disk_that_fails_with_the_second_output() {
    let folder = Folder::new();
    for args in ["-o t.csv --rejects rejects", "--output-dir types --rejects rejects"] {
        let args = format!("-q --layout list {args} --report report data");
        let Some((status, words)) = folder.failing("fdatasync:error=EIO:when=2", &args) else { return };
        assert_eq!(status, Some(3), "{args}: {words}");
        folder.has_old(&["t.csv", "rejects", "types/ONE.csv", "types/TWO.csv"]);
        assert_eq!(folder.report("error")["code"], "write", "{args}");
    }
}

#[test]
fn everything_is_replaced_at_the_end() {
    let folder = Folder::new();
    let charpipe = env!("CARGO_BIN_EXE_charpipe");
    let args = "rows -q -f IBM037 --layout list --output-dir types --rejects rejects --report report data";
    let output = folder.command(charpipe, args).output().unwrap();
    assert_eq!(ending(&output), (Some(0), String::new()));
    assert_eq!((&*folder.text("types/ONE.csv"), &*folder.text("types/TWO.csv")), ("K,ONE.X\nA,1\n", "K,TWO.Y\nB,2\n"));
    assert_eq!(folder.text("rejects").lines().count(), 1);
    // The bytes of the headers count as well.
    assert_eq!((folder.report("bytes_out"), folder.report("stopped")), (24.into(), false.into()));
}
