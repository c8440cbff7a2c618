//! Tests that `spec/promises.tsv`, `spec/assurance.tsv` and `docs/limits.md` name only tests that exist, that the first
//! has a cell for each promise at each interface, and that `spec/promises.md` shows it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The columns of the table, after the promise.
const DOORS: [&str; 8] = ["library", "command", "Python", "Arrow and Spark", "C", "iconv shim", "npm", "page"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns whether the test exists that a cell names, in the way that the page explains.
fn exists(test: &str) -> bool {
    let npm = ["web/test/package.test.mjs", "web/test/cases.test.mjs"];
    let (file, mark) = if let Some(title) = test.strip_prefix("npm: ") {
        let mark = format!("test(\"{title}");
        let has = |file: &&str| fs::read_to_string(root().join(file)).unwrap().contains(&mark);
        return npm.iter().any(has);
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

/// The kinds of promises. Each has at least one row.
const KINDS: [&str; 10] = [
    "same bytes",
    "same counts and codes",
    "same offsets",
    "bad files refused",
    "no data lost before an error",
    "old files intact",
    "no unauthorised access",
    "limits",
    "progress and interruption",
    "jobs",
];

/// Returns the cells of `spec/promises.tsv`, with the line of the names of the columns first.
fn table(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect()
}

fn tsv() -> String {
    fs::read_to_string(root().join("spec/promises.tsv")).unwrap()
}

#[test]
fn every_cell_names_a_test_or_a_reason() {
    let text = tsv();
    let rows = table(&text);
    assert_eq!(rows[0], [&["kind", "promise"], &DOORS[..]].concat());
    let kinds: BTreeSet<&str> = rows[1..].iter().map(|row| row[0]).collect();
    assert_eq!(kinds, BTreeSet::from(KINDS));
    for row in &rows[1..] {
        assert_eq!(row.len(), DOORS.len() + 2, "{row:?}");
        for cell in &row[2..] {
            assert!(!cell.trim().is_empty() && !cell.contains("no test yet"), "{}: {cell:?}", row[1]);
            for test in cell.split('`').skip(1).step_by(2) {
                assert!(exists(test), "{}: there is no {test}", row[1]);
            }
        }
    }
}

#[test]
fn every_failure_names_tests() {
    let text = fs::read_to_string(root().join("spec/assurance.tsv")).unwrap();
    let rows = table(&text);
    assert_eq!(rows[0], ["area", "failure or attack", "result", "tests"]);
    assert!(rows.len() > 70);
    for row in &rows[1..] {
        let tests: Vec<&str> = row[3].split('`').skip(1).step_by(2).collect();
        assert!(row.len() == 4 && !tests.is_empty(), "{row:?}");
        for test in tests {
            assert!(exists(test), "{}: there is no {test}", row[1]);
        }
    }
}

#[test]
fn every_limit_names_a_test() {
    let page = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let limits = page.split("## Sizes and times").next().unwrap();
    let rows = limits.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| what |"));
    let mut seen = 0;
    for row in rows {
        let tests: Vec<&str> = row.split('`').skip(1).step_by(2).filter(|name| name.contains("::")).collect();
        assert!(!tests.is_empty(), "{row}");
        for test in tests {
            assert!(exists(test), "{row}: there is no {test}");
        }
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
}

/// The page shows the table. `CHARPIPE_WRITE_PROMISES=1 cargo test -p charpipe-cli promises::` writes it.
#[test]
fn the_page_has_the_table() {
    let (path, text) = (root().join("spec/promises.md"), tsv());
    let page = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = table(&text).iter().map(|row| format!("| {} |\n", row.join(" | "))).collect();
    lines.insert(1, format!("{}|\n", "|---".repeat(DOORS.len() + 2)));
    let expected = format!("{}{}", &page[..page.find("| kind |").unwrap()], lines.concat());
    if std::env::var_os("CHARPIPE_WRITE_PROMISES").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == expected, "out of date: CHARPIPE_WRITE_PROMISES=1 writes it");
}
