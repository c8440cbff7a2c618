//! `--jobs`: several jobs print, report and write the same as one.

use crate::common::encode;
use crate::common::records::{framed, shape};
use charpipe::Registry;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn charpipe(line: &str, folder: &Path, stdin: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(stdin).output().unwrap()
}

/// Checks that one job and three jobs have the same exit status, output, messages and report.
#[track_caller]
fn same_with_one_job_and_three(line: &str, folder: &Path, stdin: impl Fn() -> Stdio) -> Output {
    let [one, three] = [1, 3].map(|jobs| {
        let output = charpipe(&format!("--jobs {jobs} --report report {line}"), folder, stdin());
        let report = fs::read(folder.join("report")).unwrap_or_default();
        _ = fs::remove_file(folder.join("report"));
        let named = fs::read(folder.join("out")).ok();
        _ = fs::remove_file(folder.join("out"));
        (output, report, named)
    });
    let stderr = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr(&three.0), stderr(&one.0), "{line}");
    assert_eq!(String::from_utf8_lossy(&three.1), String::from_utf8_lossy(&one.1), "{line}");
    assert_eq!(three.0.status, one.0.status, "{line}");
    assert!(three.0.stdout == one.0.stdout && three.2 == one.2, "{line}: the output differs");
    three.0
}

/// Returns numbered lines, so that no two are alike.
fn lines(from: &str, words: &str, size: usize) -> Vec<Vec<u8>> {
    let codec = Registry::builtin().codec(from).unwrap();
    let words = encode(&*codec, words);
    let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].map(|digit| encode(&*codec, digit));
    let number = |number: usize| {
        (0..7).rev().flat_map(|place| digits[number / 10_usize.pow(place) % 10].clone()).collect::<Vec<u8>>()
    };
    (0..size / (words.len() + number(0).len())).map(|line| [number(line), words.clone()].concat()).collect()
}

#[test]
fn files_of_several_parts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    // A little more than one part.
    let size = 5 << 18;
    let mut utf8 = lines("UTF-8", "Straße, 漢字 and\tmore\r\n", size).concat();
    write("utf8", &utf8);
    let middle = utf8.len() * 3 / 4;
    utf8[middle] = 0xFF;
    write("bad", &utf8);
    write("utf16", &[b"\xFF\xFE".to_vec(), lines("UTF-16LE", "𝄞 Straße 漢字\n", size).concat()].concat());
    let mut mixed = lines("IBM939", "ABC 漢字の日本 xyz   ", size);
    write("rdw", &framed(&shape("rdw"), &mixed));
    write("vbs", &framed(&shape("vbs:32760"), &mixed));
    mixed.iter_mut().for_each(|record| record.resize(80, 0x40));
    write("fb", &mixed.concat());
    let last = mixed.len() - 9;
    mixed[last][..5].copy_from_slice(b"\x0E\xFF\xFF\x12\x3C");
    mixed[last / 2][..5].copy_from_slice(b"\x00\x12\x34\x5C\xC1");
    write("odd", &mixed.concat());
    for line in [
        "utf8",
        "-t UTF-16 --eol lf utf8",
        "-t IBM1047 utf8",
        "bad",
        "-v --malformed replace bad",
        "-f IBM939 --records fb:80 fb",
        "-f IBM939 --records rdw rdw -o out",
        "-v -f IBM939 --records auto rdw",
        "-f IBM939 --records vbs vbs -t UTF-16BE",
        "-f IBM939 --records rdw --to-records u16 -t IBM1399 --unmappable replace rdw",
        "-f IBM939 --records fb:80 odd",
        "-f IBM939 --records fb:80 --malformed replace odd",
        "-f IBM939 --records fb:80 --strict odd",
        "-f IBM939 --records fb:81 fb",
        "-f IBM939 --records u16 rdw",
        "-f UTF-8 utf8 missing utf16 --malformed drop -o out",
    ] {
        same_with_one_job_and_three(line, folder, Stdio::null);
    }
    // Standard input from its current position.
    let from_middle = || {
        let mut file = File::open(folder.join("utf8")).unwrap();
        file.seek(SeekFrom::Start(1 << 17)).unwrap();
        Stdio::from(file)
    };
    let output = same_with_one_job_and_three("-t UTF-16LE", folder, from_middle);
    assert!(output.status.success() && output.stdout.len() > 1 << 20);
}

#[test]
fn an_input_that_is_not_a_regular_file_is_converted_by_one_thread() {
    let text = lines("UTF-8", "漢字\n", 3 << 20).concat();
    for (verbose, expected) in [("", None), ("-v", Some("<stdin>: not a regular file, so one thread converts it"))] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        command.args(["--jobs", "2"]).args(verbose.split_whitespace());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        // Output for what was written appears before more is written.
        stdin.write_all(b"first\n").unwrap();
        let mut first = [0; 6];
        stdout.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"first\n");
        let mut rest = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut stdin = stdin;
                stdin.write_all(&text).unwrap();
            });
            stdout.read_to_end(&mut rest).unwrap();
        });
        assert!(rest == text);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.lines().find(|line| line.contains("one thread")).map(|line| &line[10..]), expected);
    }
}

#[test]
fn invalid_numbers_of_jobs_are_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    for jobs in ["0", "-1", "x", ""] {
        let output = charpipe(&format!("--jobs={jobs}"), folder.path(), Stdio::null());
        assert_eq!(output.status.code(), Some(2), "{jobs:?}");
    }
}
