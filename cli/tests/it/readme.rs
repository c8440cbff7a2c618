//! Tests that the README and the pages in `docs/` are correct: every command in them prints what they show, every piece
//! of Rust comes from an example that is run, and every link has a target.
//!
//! A ```` ```console ```` block is a session of `sh` in the root of the repository. Lines that begin with `$ ` are
//! typed, and so are lines that begin with `> ` and continue a line that ends with a backslash; the lines up to the
//! next one are the expected output, standard error included. `cargo run --release --` stands for the command itself,
//! `cargo test` is not run again, and files are written to a scratch directory.
//!
//! A ```` ```rust ```` block is below a comment that names the file that contains it.
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a page.
struct Block {
    /// The path of the page.
    page: String,
    /// The line of its first fence, from 1.
    line: usize,
    language: String,
    /// The line above it.
    above: String,
    /// Its lines, without the indentation of the fence.
    lines: Vec<String>,
}

pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the README and the pages in `docs/`, with their paths from the root.
fn pages() -> Vec<String> {
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()));
    let mut pages: Vec<String> = docs.filter(|name| name.ends_with(".md")).collect();
    pages.sort();
    pages.insert(0, "README.md".to_owned());
    assert!(pages.len() > 5, "{pages:?}");
    pages
}

fn blocks(language: &str) -> Vec<Block> {
    let blocks: Vec<Block> = pages().iter().flat_map(|page| blocks_of(page)).collect();
    let blocks: Vec<Block> = blocks.into_iter().filter(|block| block.language == language).collect();
    assert!(!blocks.is_empty(), "no {language} in any page");
    blocks
}

fn blocks_of(page: &str) -> Vec<Block> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut indentation = None;
    let mut above = "";
    for (index, line) in text.lines().enumerate() {
        match (indentation, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                indentation = Some(line.len() - line.trim_start().len());
                let (page, language, above) = (page.to_owned(), language.to_owned(), above.to_owned());
                blocks.push(Block { page, line: index + 1, language, above, lines: Vec::new() });
            }
            (Some(_), Some(_)) => indentation = None,
            (Some(cut), None) => blocks.last_mut().unwrap().lines.push(line.get(cut..).unwrap_or("").to_owned()),
            (None, None) => {}
        }
        above = line;
    }
    blocks
}

/// Returns the commands that are typed on a page, with their continuations.
pub fn typed(page: &str) -> Vec<String> {
    let mut typed: Vec<String> = Vec::new();
    for block in blocks_of(page).into_iter().filter(|block| block.language == "console") {
        for line in &block.lines {
            match (line.strip_prefix("$ "), line.strip_prefix("> "), typed.last_mut()) {
                (Some(command), ..) => typed.push(command.to_owned()),
                (None, Some(more), Some(command)) if command.ends_with('\\') => {
                    command.pop();
                    command.push_str(more);
                }
                _ => {}
            }
        }
    }
    typed
}

/// A directory that looks like the root of the repository, and a PATH on which `charpipe` is the command under test.
pub(crate) struct Scratch {
    directory: tempfile::TempDir,
    path: OsString,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_charpipe"), bin.join("charpipe")).unwrap();
        let root_of_scratch = directory.path().join("root");
        fs::create_dir(&root_of_scratch).unwrap();
        for name in ["codecs", "docs", "examples", "tests"] {
            symlink(root().join(name), root_of_scratch.join(name)).unwrap();
        }
        let old = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([bin].into_iter().chain(env::split_paths(&old))).unwrap();
        Scratch { directory, path }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    /// Returns what `sh` prints for `script`, on both streams.
    pub(crate) fn run(&self, script: &str) -> String {
        let script = format!("exec 2>&1\n{}", script.replace("cargo run --release --", "charpipe"));
        let output =
            Command::new("sh").args(["-c", &script]).current_dir(self.root()).env("PATH", &self.path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn commands_print_what_is_shown() {
    let scratch = Scratch::new();
    let mut run = 0;
    for block in blocks("console") {
        // `cd` has an effect up to the end of the block.
        let mut before = String::new();
        let mut lines = block.lines.iter().peekable();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ ");
            let mut command =
                command.unwrap_or_else(|| panic!("{}, line {}: no `$ `", block.page, block.line)).to_owned();
            while command.ends_with('\\') {
                let more = lines.next().and_then(|line| line.strip_prefix("> ")).expect("a continued line");
                command.push('\n');
                command.push_str(more);
            }
            let mut shown = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push_str(line);
                shown.push('\n');
            }
            if command == "cargo test" {
                continue;
            }
            if command.starts_with("cd ") {
                before.push_str(&command);
                before.push('\n');
                continue;
            }
            let printed = scratch.run(&format!("{before}{command}"));
            assert!(
                printed == shown,
                "{}, block at line {}: $ {command}\nprinted:\n{printed}\nshown:\n{shown}",
                block.page,
                block.line
            );
            run += 1;
        }
    }
    assert!(run > 30, "only {run} commands were found");
}

#[test]
fn rust_is_from_an_example() {
    let significant = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    for block in blocks("rust") {
        let name = block.above.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let name =
            name.unwrap_or_else(|| panic!("{}, line {}: no comment with a file above it", block.page, block.line));
        let example = significant(&fs::read_to_string(root().join(name)).unwrap());
        let shown = significant(&block.lines.join("\n"));
        let found = example.windows(shown.len()).any(|window| window == shown);
        assert!(found, "{}, line {}: not in {name}", block.page, block.line);
    }
}

/// The versions of the other programs in the table of `docs/compared.md`.
const OTHERS: [(&str, &str); 3] = [("iconv", "2.36"), ("uconv", "ICU 72"), ("recode", "3.6")];

#[test]
fn the_comparison_is_what_the_script_prints() {
    let scratch = Scratch::new();
    let printed = scratch.run("sh docs/beside-others.sh");
    let page = fs::read_to_string(root().join("docs/compared.md")).unwrap();
    let mut seen = 0;
    for printed in printed.lines() {
        let cells: Vec<&str> = printed.split(" | ").collect();
        let shown = page.lines().find(|line| line.split(" | ").next() == Some(cells[0]));
        let shown: Vec<&str> =
            shown.unwrap_or_else(|| panic!("not in docs/compared.md: {printed}")).split(" | ").collect();
        assert_eq!(cells.get(1), shown.get(1), "{}", cells[0]);
        for ((tool, version), at) in OTHERS.iter().zip(2..) {
            let is_it = Command::new(tool).arg("--version").output().is_ok_and(|output| {
                String::from_utf8_lossy(&output.stdout).lines().next().is_some_and(|line| line.contains(version))
            });
            if is_it {
                assert_eq!(cells.get(at), shown.get(at), "{tool}: {}", cells[0]);
            } else {
                crate::common::skipped(format_args!("{tool} {version} is not installed"));
            }
        }
        seen += 1;
    }
    assert!(seen > 15, "{printed}");
}

#[test]
fn every_link_has_a_target() {
    let others = [
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "codecs/README.md",
        "spec/README.md",
        "spec/assurance.md",
        "benches/README.md",
    ];
    for file in pages().iter().map(String::as_str).chain(others) {
        let path = root().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let pictures = ["src=\"", "srcset=\""].into_iter().flat_map(|attribute| text.split(attribute).skip(1));
        let pictures = pictures.filter_map(|rest| rest.split('"').next());
        for link in links.chain(pictures).filter(|link| !link.contains("://")) {
            let (target, heading) =
                link.split_once('#').map_or((link, None), |(target, heading)| (target, Some(heading)));
            let target = if target.is_empty() { path.clone() } else { path.parent().unwrap().join(target) };
            assert!(target.exists(), "{file}: {link}");
            let Some(heading) = heading else { continue };
            let text = fs::read_to_string(&target).unwrap();
            let is_it = |line: &str| anchor(line.trim_start_matches('#')) == heading;
            assert!(text.lines().filter(|line| line.starts_with('#')).any(is_it), "{file}: {link}");
        }
    }
}

/// Returns the anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim().to_lowercase().replace(' ', "-");
    heading.chars().filter(|ch| ch.is_alphanumeric() || matches!(ch, '-' | '_')).collect()
}
