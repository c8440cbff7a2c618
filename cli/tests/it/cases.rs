//! The cases of `spec/cases` through the command: by file and by pipe, with one job and with three. On Linux the pipe
//! gives pieces of exact sizes too.

use crate::common::cases::{Case, cases};
use crate::common::process::{Start as _, piped_through};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the arguments for the options of a case.
fn arguments(case: &Case) -> Vec<String> {
    let is_flag = |value: &str| value == "true" || value == "false";
    let given = case.options.iter().filter(|(_, value)| value != "false");
    given.map(|(name, value)| if is_flag(value) { format!("--{name}") } else { format!("--{name}={value}") }).collect()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).into_os_string().into_string().unwrap()
    }

    /// Runs the command for a case, and checks what it gives.
    fn check(&self, case: &Case, how: &str, more: &[&str], run: impl FnOnce(&[&str]) -> Output) {
        let (report, given) = (self.path("report"), arguments(case));
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
        let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        let error = Some(&report["error"]).filter(|error| !error.is_null());
        assert_eq!(output.status.code(), Some(error.is_some().into()), "{what}");
        case.check(how, &output.stdout, &report, error);
    }
}

#[test]
fn conversions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found = cases(&root, "convert.jsonl", "command");
    assert!(found.left_out.is_empty(), "the command can do everything: {:?}", found.left_out);
    let folder = Folder(tempfile::TempDir::new().unwrap());
    let command = || Command::new(env!("CARGO_BIN_EXE_charpipe"));
    for case in &found.cases {
        let input = folder.path("input");
        fs::write(&input, &case.input).unwrap();
        for jobs in ["1", "3"] {
            let jobs = ["--jobs", jobs];
            let jobs = if case.options.iter().any(|(name, _)| name == "jobs") { &[][..] } else { &jobs };
            let with_file = [jobs, &[&*input]].concat();
            folder.check(case, &format!("a file, {jobs:?}"), &with_file, |args| command().args(args).run());
            folder.check(case, &format!("a pipe, {jobs:?}"), jobs, |args| {
                piped_through(command().args(args), &case.input)
            });
        }
        #[cfg(target_os = "linux")]
        for size in [1, 2, 3, 7].into_iter().filter(|_| case.input.len() < 1000) {
            folder.check(case, &format!("pieces of {size}"), &[], |args| {
                crate::pieces::in_pieces(args, &case.input, size)
            });
        }
    }
    assert!(found.cases.len() > 200, "{}", found.cases.len());
}
