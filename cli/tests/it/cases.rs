//! Runs the cases of `spec/cases` with the command: by file and by pipe, with one job and with three. On Linux the pipe
//! gives pieces of exact sizes too.

use crate::common::process::{Start as _, piped_through};
use crate::suite::{Case, RowsCase, cases, rows_cases};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the arguments for options.
fn arguments(options: &[(String, String)]) -> Vec<String> {
    let argument = |name: &str, value: &str| match (name, value) {
        (_, "false") => vec![],
        (_, "true") => vec![format!("--{name}")],
        ("when", rules) => rules.lines().map(|rule| format!("--when={rule}")).collect(),
        _ => vec![format!("--{name}={value}")],
    };
    options.iter().flat_map(|(name, value)| argument(name, value)).collect()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).into_os_string().into_string().unwrap()
    }

    /// Runs the command for a case, and checks what it gives.
    fn check(&self, case: &Case, how: &str, more: &[&str], run: impl FnOnce(&[&str]) -> Output) {
        let (report, given) = (self.path("report"), arguments(&case.options));
        let mut args = vec!["convert", "--report", &report];
        args.extend(given.iter().map(String::as_str));
        args.extend(more);
        let output = run(&args);
        let what = format!("{}, {how}: {}", case.name, String::from_utf8_lossy(&output.stderr));
        if case.refused.is_some() {
            assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{what}");
            assert!(!output.stderr.is_empty(), "{what}");
            return;
        }
        let mut report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        // The command alone looks for text that was decoded wrongly before.
        if let Some(notes) = report["diagnostics"].as_array_mut() {
            notes.retain(|note| note["code"] != "looks-like-mojibake");
        }
        let error = Some(&report["error"]).filter(|error| !error.is_null());
        assert_eq!(output.status.code(), Some(error.is_some().into()), "{what}");
        case.check(how, &output.stdout, &report, error);
    }
}

/// Runs a conversion in each way.
fn convert(folder: &Folder, case: &Case) {
    let command = || Command::new(env!("CARGO_BIN_EXE_charpipe"));
    let input = folder.path("input");
    fs::write(&input, &case.input).unwrap();
    for jobs in ["1", "3"] {
        let jobs = ["--jobs", jobs];
        let jobs = if case.options.iter().any(|(name, _)| name == "jobs") { &[][..] } else { &jobs };
        let with_file = [jobs, &[&*input]].concat();
        folder.check(case, &format!("a file, {jobs:?}"), &with_file, |args| command().args(args).run());
        folder.check(case, &format!("a pipe, {jobs:?}"), jobs, |args| piped_through(command().args(args), &case.input));
    }
    #[cfg(target_os = "linux")]
    for size in [1, 2, 3, 7].into_iter().filter(|_| case.input.len() < 1000) {
        folder.check(case, &format!("pieces of {size}"), &[], |args| crate::pieces::in_pieces(args, &case.input, size));
    }
}

#[test]
fn conversions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found = cases(&root, "convert.jsonl", "command");
    assert!(found.left_out.is_empty(), "the command can do everything: {:?}", found.left_out);
    // The command mostly waits.
    std::thread::scope(|scope| {
        for part in found.cases.chunks(found.cases.len().div_ceil(4)) {
            scope.spawn(move || {
                let folder = Folder(tempfile::TempDir::new().unwrap());
                part.iter().for_each(|case| convert(&folder, case));
            });
        }
    });
    assert!(found.cases.len() > 200, "{}", found.cases.len());
}

/// Reads the records of a case, and writes the rows back if the case says so.
fn rows(folder: &Folder, case: &RowsCase, format: &str, jobs: &[&str]) {
    let (report, layout) = (folder.path("report"), folder.path("layout"));
    fs::write(&layout, &case.layout).unwrap();
    let run = |words: &[&str], options: &[(String, String)], input: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        command.args(["rows", "-q", "--layout", &layout, "--report", &report]).args(words).args(arguments(options));
        piped_through(&mut command, input)
    };
    let output = run(&[&["--format", format], jobs].concat(), &case.options, &case.input);
    let what = format!("{}, {format}, {jobs:?}: {}", case.name, String::from_utf8_lossy(&output.stderr));
    if case.refused.is_some() {
        return assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{what}");
    }
    let expected = if format == "csv" { &case.csv } else { &case.jsonl };
    assert_eq!(&String::from_utf8_lossy(&output.stdout), expected, "{what}");
    let found: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    case.check(&what, &found);
    assert_eq!(output.status.code(), Some(case.error.is_some().into()), "{what}");
    if case.back {
        let kept = [
            "from",
            "float",
            "byte-order",
            "zoned-signs",
            "layout-format",
            "replacing",
            "decimal-comma",
            "record-name",
            "count-map",
            "when",
            "varchar",
            "null-indicator",
            "groups",
            "records",
            "length-field",
            "length-map",
            "dates",
            "underscores",
        ];
        let mut back: Vec<_> = case.options.iter().filter(|(name, _)| kept.contains(&&**name)).cloned().collect();
        for (name, _) in back.iter_mut().filter(|(name, _)| name == "records") {
            *name = "to-records".to_owned();
        }
        let records = run(&["--from-rows", format], &back, &output.stdout);
        assert_eq!(records.stdout, case.input, "{what}, back: {}", String::from_utf8_lossy(&records.stderr));
    }
}

#[test]
fn rows_jobs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Folder(tempfile::TempDir::new().unwrap());
    let (found, left_out) = rows_cases(&root, "rows.jsonl", "command");
    assert!(left_out.is_empty(), "the command can do everything: {left_out:?}");
    for case in &found {
        let jobs = if case.options.iter().any(|(name, _)| name == "jobs") { &[][..] } else { &["--jobs", "3"] };
        for (format, jobs) in [("csv", &[][..]), ("csv", jobs), ("jsonl", &[])] {
            rows(&folder, case, format, jobs);
        }
    }
    assert!(found.len() > 100, "{}", found.len());
}
