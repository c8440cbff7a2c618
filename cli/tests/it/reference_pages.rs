//! The pages in docs/reference are what `charpipe --generate reference` prints.

use crate::readme::{check_generated, root};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// Returns the pages, by their file names.
fn printed() -> BTreeMap<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_charpipe")).args(["--generate", "reference"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let pages = text.split("# charpipe").skip(1).map(|page| {
        let title = page.lines().next().unwrap().trim();
        let name = if title.is_empty() { "convert" } else { title };
        (format!("{name}.md"), format!("# charpipe{page}"))
    });
    pages.collect()
}

#[test]
fn the_pages_are_what_the_command_prints() {
    let pages = printed();
    assert_eq!(pages.len(), 6, "{:?}", pages.keys());
    for (name, page) in &pages {
        check_generated(&format!("docs/reference/{name}"), page, "reference_pages");
    }
    let known = fs::read_dir(root().join("docs/reference"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(known.into_iter().all(|name| pages.contains_key(&name)));
}
