//! The output of `--generate`, checked with the shells and man page readers that are installed. A test whose program is
//! missing prints a line that says so.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_charpipe");

fn generated(what: &str) -> String {
    let output = Command::new(BIN).args(["--generate", what]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{what}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns whether a program is installed.
fn has(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        crate::common::skipped(format_args!("no {program}"));
    }
    found
}

/// Returns a folder with a file `some.txt` and the script, and the path of the script.
fn folder(what: &str, name: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("some.txt"), "").unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    let script = folder.path().join("scripts").join(name);
    fs::write(&script, generated(what)).unwrap();
    (folder, script)
}

/// Runs a program in `folder`, with `charpipe` on its path.
fn run(folder: &Path, program: &str, args: &[&str]) -> Output {
    let path = format!("{}:{}", Path::new(BIN).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("PATH", path).env("HOME", folder).env("TERM", "xterm");
    command.stdin(Stdio::null()).output().unwrap()
}

/// Command lines at the moment TAB is pressed, and one of their completions.
const LINES: &[(&str, &str)] = &[
    ("charpipe --fr", "--from"),
    ("charpipe some.txt --fr", "--from"),
    ("charpipe convert --fr", "--from"),
    ("charpipe dete", "detect"),
    ("charpipe detect --js", "--json"),
    ("charpipe list --js", "--json"),
    ("charpipe chart --le", "--lead"),
    ("charpipe --policy w", "whatwg"),
    ("charpipe detect --policy w", "whatwg"),
    ("charpipe -t IBM104", "IBM1047"),
    ("charpipe detect --from IBM104", "IBM1047"),
];

#[test]
fn bash() {
    if !has("bash") {
        return;
    }
    let (folder, script) = folder("complete-bash", "charpipe.bash");
    for (line, expected) in LINES {
        // Calls it as bash does: with all words, the word to complete, and the one before it.
        let program = format!(
            "source '{}'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _charpipe charpipe \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let output = run(folder.path(), "bash", &["--norc", "-c", &program]);
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(found.lines().any(|one| one == *expected), "{line}: {output:?}");
    }
    // If there is no completion, bash completes file names.
    let output =
        run(folder.path(), "bash", &["--norc", "-c", &format!("source '{}'; complete -p charpipe", script.display())]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("-o default"), "{output:?}");
}

#[test]
fn fish() {
    if !has("fish") {
        return;
    }
    let (folder, script) = folder("complete-fish", "charpipe.fish");
    let files = [("charpipe so", "some.txt"), ("charpipe -f latin1 so", "some.txt"), ("charpipe -o so", "some.txt")];
    for (line, expected) in LINES.iter().chain(&files) {
        let program = format!("source '{}'; complete -C '{line}'", script.display());
        let output = run(folder.path(), "fish", &["--no-config", "-c", &program]);
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(found.lines().any(|one| one.split('\t').next() == Some(*expected)), "{line}: {output:?}");
    }
}

#[test]
fn zsh() {
    if !has("zsh") {
        return;
    }
    let (folder, script) = folder("complete-zsh", "_charpipe");
    let checked = run(folder.path(), "zsh", &["-n", script.to_str().unwrap()]);
    assert!(checked.status.success() && checked.stderr.is_empty(), "{checked:?}");
    // A line is typed in a shell with its own terminal and TAB is pressed; the expected completion has to appear.
    let program = r#"
        zmodload zsh/zpty || { print no-zpty; exit 0 }
        setopt extendedglob
        zpty -b shell zsh -f -i
        zpty -w shell 'PS1=; stty cols 200; fpath=(scripts $fpath); autoload -U compinit; compinit -u -D; setopt nobeep; print REA""DY'
        zpty -r -m shell out '*READY*'
        zpty -w -n shell "$1"$'\t'
        # Up to ten minutes, which only a shell that hangs takes.
        for i in {1..6000}; do
            sleep 0.1
            while zpty -r -t shell out; do all+=$out; done
            plain=${${all//$'\e'\[[0-9;?]#[a-zA-Z]/}//[$'\r\b']/ }
            [[ $plain == *$2* ]] && { print found; exit 0 }
        done
        print -r -- $plain
    "#;
    let files = [("charpipe so", "some.txt"), ("charpipe -f latin1 so", "some.txt")];
    // Each waits for a shell to start, so all run at the same time.
    std::thread::scope(|scope| {
        for (line, expected) in LINES.iter().chain(&files) {
            let folder = folder.path();
            scope.spawn(move || {
                let output = run(folder, "zsh", &["-f", "-c", program, "zsh", line, expected]);
                let printed = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(["found", "no-zpty"].contains(&printed.trim()), "{line}: {output:?}");
            });
        }
    });
}

#[test]
fn other_shells_have_a_script() {
    for what in ["complete-powershell", "complete-elvish"] {
        assert!(generated(what).contains("--from"), "{what}");
    }
}

#[test]
fn man_pages() {
    let pages = ["man", "man-detect", "man-rows", "man-list", "man-chart", "man-git-filter"];
    let folder = TempDir::new().unwrap();
    for page in pages {
        let text = generated(page);
        assert!(text.contains(".SH SYNOPSIS\ncharpipe ") && text.contains(".SH OPTIONS"), "{page}");
        fs::write(folder.path().join(page), text).unwrap();
    }
    let whole = fs::read_to_string(folder.path().join("man")).unwrap();
    for part in ["\\-\\-from", "\\-\\-records", ".SH EXAMPLES", ".SH EXIT STATUS", "charpipe\\-detect(1)"] {
        assert!(whole.contains(part), "{part}");
    }
    if has("man") {
        for page in pages {
            let output = run(folder.path(), "man", &["--warnings", "-l", page]);
            let rendered = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success() && output.stderr.is_empty(), "{page}: {output:?}");
            // Docker images have a `man` that only says that it is not installed.
            assert!(rendered.contains("SYNOPSIS") || rendered.contains("minimized"), "{page}: {rendered}");
        }
    }
    if has("mandoc") {
        for page in pages {
            let output = run(folder.path(), "mandoc", &["-Tlint", "-Wwarning", page]);
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            // The pages have no date, because it would be the date of the build.
            let warnings: Vec<&str> = printed.lines().filter(|line| !line.contains("missing date")).collect();
            assert!(warnings.is_empty(), "{page}: {warnings:?}");
        }
    }
}

#[test]
fn generate_is_used_alone_and_only_in_the_long_help() {
    let output = Command::new(BIN).args(["--generate", "man", "-v"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = Command::new(BIN).args(["--generate", "woman"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && stderr.contains("complete-zsh"), "{stderr}");
    let help = |flag| String::from_utf8(Command::new(BIN).arg(flag).output().unwrap().stdout).unwrap();
    assert!(help("--help").contains("--generate") && !help("-h").contains("--generate"));
}
