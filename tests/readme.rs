//! The README tells the truth: every command that it shows prints what it shows, and every piece of Rust is from an
//! example, where it is run.
//!
//! A ```` ```console ```` block is a session of `sh` in the root of the repository: a line that begins with `$ ` is
//! typed, the lines up to the next one are what it prints, standard error included. `cargo run --release --` is the
//! command itself, `cargo test` is not run again, and what is written goes to a scratch directory.
//!
//! A ```` ```rust ```` block stands below a comment with the file that it is from.
#![cfg(all(unix, feature = "cli"))]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of the README.
struct Block {
    /// From 1, of its first fence.
    line: usize,
    language: String,
    /// The line above it.
    above: String,
    /// Its lines, without the indentation of the fence.
    lines: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blocks(language: &str) -> Vec<Block> {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut indentation = None;
    let mut above = "";
    for (index, line) in text.lines().enumerate() {
        match (indentation, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                indentation = Some(line.len() - line.trim_start().len());
                let (language, above) = (language.to_owned(), above.to_owned());
                blocks.push(Block { line: index + 1, language, above, lines: Vec::new() });
            }
            (Some(_), Some(_)) => indentation = None,
            (Some(cut), None) => blocks.last_mut().unwrap().lines.push(line.get(cut..).unwrap_or("").to_owned()),
            (None, None) => {}
        }
        above = line;
    }
    blocks.retain(|block| block.language == language);
    assert!(!blocks.is_empty(), "no {language} in the README");
    blocks
}

/// A directory that looks like the root of the repository, and a PATH on which `charpipe` is the one under test.
struct Scratch {
    directory: tempfile::TempDir,
    path: OsString,
}

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_charpipe"), bin.join("charpipe")).unwrap();
        let root_of_scratch = directory.path().join("root");
        fs::create_dir(&root_of_scratch).unwrap();
        for name in ["codecs", "examples"] {
            symlink(root().join(name), root_of_scratch.join(name)).unwrap();
        }
        let old = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([bin].into_iter().chain(env::split_paths(&old))).unwrap();
        Scratch { directory, path }
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    /// What `sh` prints for `script`, on both streams.
    fn run(&self, script: &str) -> String {
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
        // `cd` holds for the rest of the block.
        let mut before = String::new();
        let mut lines = block.lines.iter().peekable();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("line {}: no `$ `", block.line));
            let mut shown = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push_str(line);
                shown.push('\n');
            }
            if command == "cargo test" {
                continue;
            }
            if command.starts_with("cd ") {
                before.push_str(command);
                before.push('\n');
                continue;
            }
            let printed = scratch.run(&format!("{before}{command}"));
            assert!(
                printed == shown,
                "README.md, block at line {}: $ {command}\nprinted:\n{printed}\nshown:\n{shown}",
                block.line
            );
            run += 1;
        }
    }
    assert!(run > 5, "only {run} commands were found");
}

#[test]
fn rust_is_from_an_example() {
    let significant = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    for block in blocks("rust") {
        let name = block.above.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let name = name.unwrap_or_else(|| panic!("README.md, line {}: no comment with a file above it", block.line));
        let example = significant(&fs::read_to_string(root().join(name)).unwrap());
        let shown = significant(&block.lines.join("\n"));
        let found = example.windows(shown.len()).any(|window| window == shown);
        assert!(found, "README.md, line {}: not in {name}", block.line);
    }
}

#[test]
fn links_lead_somewhere() {
    for file in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "codecs/README.md"] {
        let path = root().join(file);
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = path.parent().unwrap().join(link);
            let is_heading = |heading: &str| {
                let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                link.strip_prefix('#') == Some(&*heading)
            };
            let leads = target.exists() || text.lines().filter(|line| line.starts_with('#')).any(is_heading);
            assert!(link.contains("://") || leads, "{file}: {link}");
        }
    }
}
