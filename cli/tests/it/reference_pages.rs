//! The pages in docs/reference are what `charpipe --generate reference` prints.

use crate::readme::root;
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
    let folder = root().join("docs/reference");
    let pages = printed();
    assert_eq!(pages.len(), 6, "{:?}", pages.keys());
    if std::env::var_os("CHARPIPE_WRITE_PAGES").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for (name, page) in &pages {
            fs::write(folder.join(name), page).unwrap();
        }
    }
    for (name, page) in &pages {
        let found = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(
            found == *page,
            "CHARPIPE_WRITE_PAGES=1 cargo test -p charpipe-cli reference_pages:: writes docs/reference/{name} anew"
        );
    }
    let known = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(known.into_iter().all(|name| pages.contains_key(&name)));
}
