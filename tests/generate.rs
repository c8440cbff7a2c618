//! `--generate`: completions that the shells take, and man pages that refer to pages that there are.

#![cfg(feature = "generate")]

use std::process::Command;

/// What `charpipe ARGUMENTS` prints.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_charpipe")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn page(name: &str) -> String {
    printed(&["--generate", name])
}

/// The lines of a section, hyphens as they are typed.
fn section(page: &str, title: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| line.replace('"', "") != format!(".SH {title}")).skip(1);
    // Every section begins with what an apostrophe is.
    lines.take_while(|line| !line.starts_with(".ie ")).map(|line| line.replace("\\-", "-")).collect()
}

#[test]
fn every_page_that_is_named_can_be_made() {
    let first = page("man");
    let named: Vec<String> = section(&first, "COMMANDS")
        .iter()
        .filter_map(|line| Some(line.strip_prefix("charpipe-")?.strip_suffix("(1)")?.to_owned()))
        .collect();
    assert!(named.len() >= 3, "{named:?}");
    for name in named {
        let page = page(&format!("man-{name}"));
        assert!(page.contains(&format!(".TH charpipe-{name} 1")), "{page}");
        let synopsis = section(&page, "SYNOPSIS");
        assert!(synopsis[1].starts_with(&format!("charpipe {name} ")), "{synopsis:?}");
    }
}

#[test]
fn lines_of_the_help_stay_lines() {
    let page = page("man");
    let help = printed(&["--help"]);
    let synopsis = section(&page, "SYNOPSIS");
    assert_eq!(synopsis[..2], [".nf", "charpipe [convert] [OPTIONS] [FILE]..."]);
    let examples = section(&page, "EXAMPLES");
    assert_eq!(examples.first().unwrap(), ".nf");
    assert_eq!(examples.last().unwrap(), ".fi");
    for line in &examples[1..examples.len() - 1] {
        assert!(help.contains(&format!("\n  {line}\n")), "{line:?} is not in the help");
    }
    assert_eq!(section(&page, "EXIT STATUS").len(), 2 + 4);
}

#[test]
fn options_have_their_words() {
    for (page, option) in [("man", "--unmappable"), ("man-detect", "--explain"), ("man-chart", "--lead")] {
        let text = self::page(page).replace("\\-", "-");
        assert!(text.contains(&format!("\\fB{option}\\fR")), "{page} has no {option}");
    }
}

#[test]
fn completions_are_of_the_shell_that_is_named() {
    for (shell, words) in [
        ("bash", "-F _charpipe"),
        ("zsh", "#compdef charpipe"),
        ("fish", "complete -c charpipe"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = page(&format!("complete-{shell}"));
        assert!(script.contains("unmappable") && script.contains("detect"), "{shell}");
        assert!(script.contains(words), "{shell}");
    }
}

#[test]
fn what_cannot_be_made_is_wrong_usage() {
    let output = Command::new(env!("CARGO_BIN_EXE_charpipe")).args(["--generate", "poetry"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("man-detect"), "{output:?}");
}
