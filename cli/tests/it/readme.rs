//! Tests that the README and the pages in `docs/` are correct: every command in them prints what they show, every piece
//! of Rust comes from an example that is run, and every link has a target.
//!
//! A ```` ```console ```` block is a session of `sh`. Lines that begin with `$ ` are typed, and so are lines that begin
//! with `> ` and continue a line that ends with a backslash. The lines up to the next command are what it prints, on
//! both streams. The blocks of a page are one session: a reader pastes them one after another, in the root of a fresh
//! clone. They may write below `try/` only, which git ignores, and a page that changes the folder must come back.
//!
//! To add a page, put it into `docs/`: nothing else is needed. Commands that need root, the network, or a program that
//! the tests cannot expect are not in `console` blocks. They are indented, or in `sh` blocks, and [`NOT_RUN`] names
//! their pages. The pages in `docs/with/`, about other programs, have only `sh` and `python` blocks: `.ci/integrations`
//! installs these programs and runs the blocks.
//!
//! A ```` ```rust ```` block is below a comment that names the file that contains it.
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

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

/// Checks that a generated page is up to date. With `CHARPIPE_WRITE_PAGES=1` it is written first. `module`: the tests that
/// make it.
#[track_caller]
pub(crate) fn check_generated(path: &str, page: &str, module: &str) {
    let file = root().join(path);
    if env::var_os("CHARPIPE_WRITE_PAGES").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, page).unwrap();
    }
    let is_current = fs::read_to_string(&file).is_ok_and(|found| found == page);
    assert!(is_current, "CHARPIPE_WRITE_PAGES=1 cargo test -p charpipe-cli {module}:: writes {path} anew");
}

pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the README and the pages in `docs/`, with their paths from the root.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> = Vec::new();
    for folder in ["docs", "docs/reference", "docs/with"] {
        let docs = fs::read_dir(root().join(folder)).unwrap();
        let docs = docs.map(|entry| format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()));
        pages.extend(docs.filter(|name| name.ends_with(".md")));
    }
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
    /// Links to the folders of the repository.
    pub(crate) fn new() -> Self {
        Scratch::with(|from, to| symlink(from, to).unwrap())
    }

    /// Copies the folders of the repository, so that a command can do them no harm.
    fn copied() -> Self {
        Scratch::with(copy)
    }

    fn with(take: impl Fn(&Path, &Path)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_charpipe"), bin.join("charpipe")).unwrap();
        let root_of_scratch = directory.path().join("root");
        fs::create_dir(&root_of_scratch).unwrap();
        for name in ["codecs", "docs", "examples", "tests"] {
            take(&root().join(name), &root_of_scratch.join(name));
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
        let script = format!("exec 2>&1\n{script}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(self.root()).env("PATH", &self.path).stdin(Stdio::null());
        String::from_utf8(shell.output().unwrap().stdout).unwrap()
    }

    /// Runs commands one after another in one shell. Returns what each prints, and the folder at the end.
    fn session<'a>(&self, commands: impl Iterator<Item = &'a str>) -> (Vec<String>, String) {
        // A subshell prints the mark and hands on the exit status, so the next command can use it.
        let mark = |command| format!("{command}\n(status=$?; printf '\\036'; exit $status)\n");
        let script: String = commands.map(mark).collect();
        let printed = self.run(&format!("{script}pwd -P"));
        let mut printed: Vec<String> = printed.split('\x1E').map(str::to_owned).collect();
        let folder = printed.pop().unwrap().trim_end().to_owned();
        (printed, folder)
    }
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Collects all files and folders below `folder` except `try` at the top, with the sizes and times of the files.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Option<(u64, SystemTime)>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            let (path, about) = (entry.path(), entry.metadata().unwrap());
            if path == folder.join("try") {
                continue;
            }
            found.insert(path.clone(), about.is_file().then(|| (about.len(), about.modified().unwrap())));
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

/// A command on a page.
struct Step {
    /// Where the block is.
    place: String,
    /// The command, with its continuations.
    command: String,
    /// What it prints.
    shown: String,
}

fn steps(block: &Block) -> Vec<Step> {
    let place = format!("{}, block at line {}", block.page, block.line);
    let mut steps = Vec::new();
    let mut lines = block.lines.iter().peekable();
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ");
        let mut command = command.unwrap_or_else(|| panic!("{place}: no `$ `")).to_owned();
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
        steps.push(Step { place: place.clone(), command, shown });
    }
    steps
}

/// Runs steps as one session in the root of a clone, and removes `try`. Returns the first difference.
fn run_in_order(clone: &Scratch, steps: &[Step]) -> Result<(), String> {
    if steps.is_empty() {
        return Ok(());
    }
    let before = everything(&clone.root());
    let (printed, folder) = clone.session(steps.iter().map(|step| &*step.command));
    let changed: Vec<PathBuf> = {
        let after = everything(&clone.root());
        let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
        paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
    };
    _ = fs::remove_dir_all(clone.root().join("try"));
    let mut printed = printed.into_iter();
    for Step { place, command, shown } in steps {
        let printed = printed.next().ok_or_else(|| format!("{place}: the shell ended before $ {command}"))?;
        if printed != *shown {
            return Err(format!("{place}: $ {command}\nprinted:\n{printed}\nshown:\n{shown}"));
        }
    }
    let place = &steps[0].place;
    if Path::new(&folder) != clone.root().canonicalize().unwrap() {
        return Err(format!("{place}: the page ends in the folder {folder}"));
    }
    // Folders change with what is in them, so the first path is enough.
    changed.first().map_or(Ok(()), |path| Err(format!("{place}: the page changes {}, outside try/", path.display())))
}

#[test]
fn commands_print_what_is_shown() {
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "/try"), "git does not ignore try/");
    let clone = Scratch::copied();
    let mut run = 0;
    for page in pages() {
        let blocks = blocks_of(&page).into_iter().filter(|block| block.language == "console");
        let blocks: Vec<Vec<Step>> = blocks.map(|block| steps(&block)).filter(|steps| !steps.is_empty()).collect();
        run += blocks.iter().flatten().count();
        if let Err(why) = run_in_order(&clone, &blocks.into_iter().flatten().collect::<Vec<Step>>()) {
            panic!("{why}");
        }
    }
    assert!(run > 200, "only {run} commands were found");
}

/// The test above fails if a page does what it must not do.
#[test]
fn a_page_must_keep_to_its_folder() {
    let clone = Scratch::copied();
    let session = |commands: &[&str]| {
        let step = |command: &&str| Step { place: "page".into(), command: (*command).into(), shown: String::new() };
        run_in_order(&clone, &commands.iter().map(step).collect::<Vec<Step>>())
    };
    assert_eq!(session(&["mkdir try", "cd try", "echo x > file", "cd .."]), Ok(()));
    for (commands, why) in [
        (&["mkdir try", "cd try"][..], "page: the page ends in the folder "),
        (&["true", "echo x"], "page: $ echo x\nprinted:\nx\n"),
        (&["exit 1", "true"], "page: the shell ended before $ exit 1"),
        (&["echo x > new", "rm new; echo x > docs/new", "rm docs/new; mkdir made"], "page: the page changes "),
        (&["rmdir made; echo x >> codecs/README.md"], "page: the page changes "),
    ] {
        let error = session(commands).unwrap_err();
        assert!(error.starts_with(why), "{error}");
    }
}

/// Pages with commands that no test here runs, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("README.md", "needs the network; the steps `install` and `wheel` of .ci/run build the same"),
    ("docs/install.md", "needs the network and root, and writes to the home directory"),
    ("docs/other-programs.md", "needs ripgrep, less and bat; other_programs.rs runs it if they are installed"),
    ("docs/records.md", "`payroll.aws` stands for the reader's own tape"),
    ("docs/c.md", "needs pkg-config and the installed library; capi/check runs it"),
];

/// Returns the indented lines of a page that look like commands, and the lines of its `sh` blocks.
fn typed_elsewhere(page: &str) -> Vec<String> {
    const STARTS: [&str; 9] = ["$ ", "charpipe ", "cargo ", "cc ", "git ", "sudo ", "pip ", "rustup ", "npm "];
    let text = fs::read_to_string(root().join(page)).unwrap();
    // Fences are at every second place.
    let outside = text.split("```").step_by(2).flat_map(str::lines);
    let indented = outside.filter_map(|line| line.strip_prefix("    ")).filter(|line| {
        let is_declaration = line.starts_with("charpipe =") || line.starts_with("charpipe *");
        !is_declaration && STARTS.iter().any(|start| line.starts_with(start))
    });
    let in_sh = blocks_of(page).into_iter().filter(|block| block.language == "sh").flat_map(|block| block.lines);
    indented.map(str::to_owned).chain(in_sh).collect()
}

#[test]
fn commands_that_are_not_run_are_on_known_pages() {
    for page in pages() {
        let found = typed_elsewhere(&page);
        let is_known = page.starts_with("docs/with/") || NOT_RUN.iter().any(|(known, _)| *known == page);
        assert!(is_known || found.is_empty(), "{page}: not in a `console` block: {found:?}");
    }
    for (page, _) in NOT_RUN {
        assert!(!typed_elsewhere(page).is_empty(), "{page} has no such commands any more");
    }
}

/// `.ci/integrations` runs a page beside the tests of the same name, and the manual has it.
#[test]
fn pages_about_other_programs_have_tests() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for page in pages().iter().filter_map(|page| page.strip_prefix("docs/with/")) {
        let tests = root().join("integrations").join(page.trim_end_matches(".md"));
        assert!(tests.is_dir(), "there is no folder {}", tests.display());
        assert!(summary.contains(&format!("](with/{page})")), "docs/SUMMARY.md lacks docs/with/{page}");
        let blocks = blocks_of(&format!("docs/with/{page}"));
        assert!(blocks.iter().all(|block| block.language != "console"), "docs/with/{page} has `console` blocks");
    }
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
