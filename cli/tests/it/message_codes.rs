//! The codes of messages: spec/messages.tsv explains every code in the sources, its commands give the stated codes, and
//! docs/messages.md is made from it.

use crate::readme::{Scratch, check_generated, root};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A line of the list.
struct Entry {
    code: String,
    meaning: String,
    advice: String,
    /// A command; empty if there is none.
    example: String,
}

/// Returns the list: for each section its title and its entries.
fn list() -> Vec<(String, Vec<Entry>)> {
    let mut sections: Vec<(String, Vec<Entry>)> = Vec::new();
    for line in fs::read_to_string(root().join("spec/messages.tsv")).unwrap().lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title.to_owned(), Vec::new()));
        } else if !line.starts_with('#') {
            let [code, meaning, advice, example] =
                line.split('\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("{line:?}"));
            let entry = Entry {
                code: code.to_owned(),
                meaning: meaning.to_owned(),
                advice: advice.to_owned(),
                example: example.to_owned(),
            };
            sections.last_mut().expect("a section first").1.push(entry);
        }
    }
    sections
}

/// Returns the text of all sources below `path`, without their tests.
fn sources(path: &Path, text: &mut String) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            text.push_str(source.split("#[cfg(test)]\nmod ").next().unwrap_or_default());
        }
    }
}

/// Returns the text literals of `text` that can be codes.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let is_code = |text: &&str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    text.split('"').skip(1).step_by(2).filter(is_code)
}

/// Returns the codes that the sources have: what functions called `code` return, and what errors and diagnostics are
/// made with.
fn codes_of_sources() -> BTreeSet<String> {
    let mut text = String::new();
    for folder in ["src", "cli/src"] {
        sources(&root().join(folder), &mut text);
    }
    let mut codes = BTreeSet::new();
    for body in text.split("fn code(&self) -> &'static str {").skip(1) {
        let end = body.find("\n    }\n").unwrap();
        codes.extend(literals(&body[..end]).map(str::to_owned));
    }
    for maker in ["Diagnostic::warning(", "Diagnostic::hint(", "ErrorObject::new(", "const CODE: &str = "] {
        for call in text.split(maker).skip(1) {
            let call = call.trim_start();
            if call.starts_with('"') {
                codes.extend(literals(call).next().map(str::to_owned));
            }
        }
    }
    // Those that are in a table before a diagnostic is made from them.
    let looks = text.split("\"looks-").skip(1).filter_map(|rest| rest.split('"').next());
    codes.extend(looks.map(|rest| format!("looks-{rest}")));
    codes.extend(["contents-contradict", "charset-family-conflict", "fallback-family-conflict"].map(str::to_owned));
    codes
}

#[test]
fn every_code_is_explained() {
    let listed: Vec<String> = list().into_iter().flat_map(|(_, entries)| entries).map(|entry| entry.code).collect();
    let set: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(set.len(), listed.len(), "a code is listed twice");
    let found = codes_of_sources();
    assert!(found.len() > 60, "{found:?}");
    let missing: Vec<_> = found.difference(&set).collect();
    let unknown: Vec<_> = set.difference(&found).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "not in spec/messages.tsv: {missing:?}; in no source: {unknown:?}"
    );
}

#[test]
fn the_examples_give_their_codes() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.root().join("try")).unwrap();
    let mut run = 0;
    for entry in list().into_iter().flat_map(|(_, entries)| entries).filter(|entry| !entry.example.is_empty()) {
        // The last command is the one that gives the code.
        let script = match entry.example.rsplit_once("charpipe") {
            Some((_, rest)) if rest.starts_with(" detect") => format!("{} --json", entry.example),
            _ => format!(
                "{} --report try/report >/dev/null; echo status $?; cat try/report; rm -f try/report",
                entry.example
            ),
        };
        let printed = scratch.run(&script);
        // The error in the options is told before there is a report.
        let is_usage = printed.contains("status 2\n");
        assert!(is_usage || printed.contains(&format!("\"code\":\"{}\"", entry.code)), "$ {script}\n{printed}");
        run += 1;
    }
    assert!(run > 50, "only {run} have an example");
}

#[test]
fn the_page_is_made_from_the_list() {
    check_generated("docs/messages.md", &page(), "message_codes");
}

/// Returns the page. The commands are run, as it shows what they print.
fn page() -> String {
    let scratch = Scratch::new();
    fs::create_dir(scratch.root().join("try")).unwrap();
    let mut page = "\
# Messages, by code

Every error, warning and hint has a short name that does not change, for programs: `code` in the JSON of
`charpipe detect --json` and `--report`, `Error::code` in Rust, `error.code` in Python and JavaScript. Warnings and hints
show it in parentheses. This page explains each, with a command that gives it. The exit status is 1 if the data are at
fault, 2 if the options are, and 3 if the system is.

The commands can be pasted in the root of the repository. They write to `try/` only:

```console
$ mkdir -p try
```
"
    .to_owned();
    for (title, entries) in list() {
        _ = write!(page, "\n## {title}\n");
        for Entry { code, meaning, advice, example } in entries {
            _ = write!(page, "\n### {code}\n\n{meaning}\n\n**What to do:** {advice}\n");
            if example.is_empty() {
                continue;
            }
            let is_detect = example.rsplit_once("charpipe").is_some_and(|(_, rest)| rest.starts_with(" detect"));
            let command = if is_detect { example } else { format!("{example} > /dev/null") };
            _ = write!(page, "\n```console\n$ {command}\n{}```\n", scratch.run(&command));
        }
    }
    page
}
