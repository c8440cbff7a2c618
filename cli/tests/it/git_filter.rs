//! `charpipe git-filter` with real git: add, checkout, and how many processes that takes.
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Returns whether git is installed; prints a message if it is not.
fn has_git() -> bool {
    let found =
        Command::new("git").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !found {
        crate::common::skipped("git is not installed");
    }
    found
}

/// Runs git in `tree`. The configuration of the user and of the system is left out.
fn git(tree: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(tree).args(["-c", "user.name=x", "-c", "user.email=x@example.org"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
    command.output().unwrap()
}

fn done(output: Output) -> Vec<u8> {
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// Makes a repository whose `*.txt` go through the filter with these options. The filter appends a line to `starts` each
/// time that git starts it.
fn repository(options: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let tree = folder.path();
    done(git(tree, &["init", "-q"]));
    let starts = tree.join(".git/starts");
    let process =
        format!("echo >> '{}'; exec '{}' git-filter {options}", starts.display(), env!("CARGO_BIN_EXE_charpipe"));
    done(git(tree, &["config", "filter.x.process", &process]));
    done(git(tree, &["config", "filter.x.required", "true"]));
    fs::write(tree.join(".gitattributes"), "*.txt filter=x\n").unwrap();
    folder
}

fn starts(tree: &Path) -> usize {
    fs::read_to_string(tree.join(".git/starts")).unwrap_or_default().lines().count()
}

/// 500 files, both ways, by one process for each command.
#[test]
fn many_files_by_one_process() {
    if !has_git() {
        return;
    }
    let folder = repository("-f IBM1047 --ebcdic-nl zos");
    let tree = folder.path();
    // Short ones, an empty one, and one of several packets.
    let content = |number: usize| match number {
        0 => Vec::new(),
        1 => [0xC1; 79].iter().chain(&[0x15]).copied().collect::<Vec<u8>>().repeat(3000),
        _ => [&[0xF0 + (number % 10) as u8][..], b"\xC8\x85\x93\x93\x96\x15"].concat(),
    };
    for number in 0..500 {
        fs::write(tree.join(format!("{number}.txt")), content(number)).unwrap();
    }
    done(git(tree, &["add", "."]));
    assert_eq!(starts(tree), 1);
    done(git(tree, &["commit", "-q", "-m", "x"]));
    assert_eq!(done(git(tree, &["show", "HEAD:7.txt"])), b"7Hello\n");
    assert_eq!(done(git(tree, &["show", "HEAD:1.txt"])), [vec![b'A'; 79], vec![b'\n']].concat().repeat(3000));
    for number in 0..500 {
        fs::remove_file(tree.join(format!("{number}.txt"))).unwrap();
    }
    // Commands in between may have compared files, each by one process.
    let before = starts(tree);
    done(git(tree, &["checkout", "-q", "."]));
    assert_eq!(starts(tree), before + 1);
    for number in 0..500 {
        assert!(fs::read(tree.join(format!("{number}.txt"))).unwrap() == content(number), "{number}");
    }
    assert_eq!(done(git(tree, &["status", "--porcelain", "--untracked-files=no"])), b"");
}

/// A file that cannot be converted stops git, with the position and the error.
#[test]
fn a_file_that_cannot_be_converted_stops_git() {
    if !has_git() {
        return;
    }
    let folder = repository("-f US-ASCII");
    let tree = folder.path();
    fs::write(tree.join("a.txt"), b"ab\xE9").unwrap();
    let output = git(tree, &["add", "a.txt"]);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{output:?}");
    assert!(messages.contains("charpipe: a.txt: line 1, column 3 (byte 2): E9 is not valid US-ASCII"), "{messages}");
    // The filter is not required, so git uses the file unchanged.
    done(git(tree, &["config", "filter.x.required", "false"]));
    done(git(tree, &["add", "a.txt"]));
    assert_eq!(done(git(tree, &["show", ":a.txt"])), b"ab\xE9");
}

/// If a user starts the command directly, it explains its purpose.
#[test]
fn by_hand_it_says_what_it_is_for() {
    let run = |args: &[&str], input: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        command.arg("git-filter").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input);
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, message) = run(&["-f", "IBM037"], b"hello");
    assert_eq!(status, 1);
    assert!(message.starts_with("charpipe: git-filter: the protocol is broken: byte 0: \"hell\""), "{message}");
    let (status, message) = run(&["-f", "IBM037"], b"0016git-filter-cl");
    assert_eq!(status, 1);
    assert!(message.contains("byte 17: the input ends within a request"), "{message}");
    let (status, message) = run(&["-f", "no-such-page"], b"");
    assert!(status == 2 && message.starts_with("charpipe: --from: "), "{message}");
    assert_eq!(run(&[], b"").0, 2);
}
