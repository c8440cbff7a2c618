//! Tests that `spec/promises.md` names only tests that exist, and has a cell for each promise at each door.

use std::fs;
use std::path::{Path, PathBuf};

/// The columns of the table, after the promise.
const DOORS: [&str; 8] = ["library", "command", "Python", "Arrow and Spark", "C", "iconv shim", "npm", "page"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns whether the test exists that a cell names, in the way that the page explains.
fn exists(test: &str) -> bool {
    let (file, mark) = if let Some(title) = test.strip_prefix("npm: ") {
        ("web/test/package.test.mjs".to_owned(), format!("test(\"{title}"))
    } else if let Some(title) = test.strip_prefix("page: ") {
        ("web/test/page.test.mjs".to_owned(), format!("test(\"{title}"))
    } else if let Some(name) = test.strip_prefix("fuzz/") {
        (format!("fuzz/fuzz_targets/{name}.rs"), "fuzz_target!".to_owned())
    } else {
        let (path, name) = test.split_once("::").unwrap_or_else(|| panic!("`{test}` does not say where it is"));
        let (folder, module) = path.split_once('/').unwrap();
        let folder = match folder {
            "it" => "tests/it",
            "cli" if !module.starts_with("src/") => "cli/tests/it",
            "py" => "python/tests",
            "capi" => "capi/tests",
            "iconv" => "capi/iconv",
            other => other,
        };
        let found = ["rs", "py", "c"].map(|ending| format!("{folder}/{module}.{ending}"));
        let found = found.into_iter().find(|file| root().join(file).exists());
        (found.unwrap_or_else(|| panic!("{test}: there is no such file")), format!(" {name}("))
    };
    let text = fs::read_to_string(root().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.contains(&mark)
}

#[test]
fn every_cell_names_a_test_or_a_reason() {
    let page = fs::read_to_string(root().join("spec/promises.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|---"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert_eq!(rows[0][1..], DOORS);
    assert!(rows.len() > 12, "{}", rows.len());
    for row in &rows[1..] {
        assert_eq!(row.len(), DOORS.len() + 1, "{row:?}");
        for cell in &row[1..] {
            assert!(!cell.is_empty(), "{}", row[0]);
            for test in cell.split('`').skip(1).step_by(2) {
                assert!(exists(test), "{}: there is no {test}", row[0]);
            }
        }
    }
}
