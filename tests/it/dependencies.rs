//! Checks charpipe's dependencies: `spec/dependencies.tsv` names every crate with the reason for it, no crate is
//! unnecessary, and all come from one registry.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Licences that require no more than a notice. Each crate offers one of them.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "ISC",
    "CC0-1.0",
    "(Apache-2.0 OR MIT) AND BSD-3-Clause",
    "(MIT OR Apache-2.0) AND Unicode-3.0",
];

fn file(name: &str) -> String {
    fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Returns the text between the quotes after `key = `.
fn value<'a>(block: &'a str, key: &str) -> Option<&'a str> {
    let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
    line.split('"').next()
}

/// Returns the dependencies of each crate in `Cargo.lock`.
fn locked() -> BTreeMap<String, Vec<String>> {
    let lock = file("Cargo.lock");
    let packages = lock.split("[[package]]").skip(1).map(|package| {
        let name = value(package, "name").unwrap().to_owned();
        if !name.starts_with("charpipe") {
            let source = value(package, "source");
            assert_eq!(source, Some("registry+https://github.com/rust-lang/crates.io-index"), "{name}");
            assert!(value(package, "checksum").is_some_and(|sum| sum.len() == 64), "{name}");
        }
        let list = package.split_once("dependencies = [").map_or("", |(_, list)| list.split(']').next().unwrap());
        let names = list.lines().filter_map(|line| line.trim().strip_prefix('"')?.split(['"', ' ']).next());
        (name, names.map(str::to_owned).collect())
    });
    packages.collect()
}

/// Returns the dependencies in `manifest`, without those of tests.
fn direct(manifest: &str) -> Vec<String> {
    let manifest = file(manifest);
    let mut names = Vec::new();
    let (mut counts, mut has_reason) = (false, false);
    for line in manifest.lines() {
        if line.starts_with('[') {
            counts = line.ends_with("dependencies]") && !line.contains("dev-");
        } else if counts && let Some((name, _)) = line.split_once(" = ") {
            assert!(has_reason, "Cargo.toml: {name} has no comment that says what it is for");
            names.push(name.to_owned());
        }
        // A table for a single dependency may have the comment before its head.
        has_reason = line.starts_with('#') || has_reason && line.starts_with('[');
    }
    names
}

#[test]
fn every_dependency_has_a_reason() {
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join("cli").is_dir() {
        crate::common::skipped("the page is about all packages of the repository, and only the library is here");
        return;
    }
    let locked = locked();
    let (mut used, mut left) = (
        BTreeSet::new(),
        ["", "cli/", "python/", "python/arrow-input/"].map(|folder| direct(&format!("{folder}Cargo.toml"))).concat(),
    );
    left.retain(|name| !name.starts_with("charpipe"));
    assert!(left.len() > 10);
    while let Some(name) = left.pop() {
        if used.insert(name.clone()) {
            left.extend(locked[&name].iter().cloned());
        }
    }
    let table = file("spec/dependencies.tsv");
    let rows = table.lines().skip_while(|line| line.starts_with('#')).skip(1);
    let mut named = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let [name, reason, _, licence] = cells[..] else { panic!("{row}") };
        assert!(!reason.is_empty() && named.insert(name.to_owned()), "{row}");
        let is_free = LICENCES.contains(&licence) || licence.split([' ', '/']).any(|one| LICENCES.contains(&one));
        assert!(is_free, "{row}");
    }
    let missing: Vec<&String> = used.difference(&named).collect();
    let gone: Vec<&String> = named.difference(&used).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "not in spec/dependencies.tsv: {missing:?}; listed but not used: {gone:?}"
    );
}
