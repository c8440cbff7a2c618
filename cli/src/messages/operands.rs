//! Operands that are not files but look like those of dd or recode, or like a misspelt command, with advice on what to
//! type instead.

use charpipe::Registry;
use std::ffi::OsStr;

/// Returns what was probably meant by an operand that is not a file, as a sentence.
pub(super) fn hint(typed: &OsStr) -> Option<String> {
    let typed = typed.to_str()?;
    if let Some((key, value)) = typed.split_once('=') {
        return match (key, value) {
            ("if", file) => Some(format!("for dd's if={file} use the argument {file}")),
            ("of", file) => Some(format!("for dd's of={file} use -o {file}")),
            ("cbs", size) => Some(format!("for dd's cbs={size} use --records fb:{size} or --to-records fb:{size}")),
            ("conv", "ascii") => Some("for dd's conv=ascii use -f with the code page, such as -f IBM1047".to_owned()),
            ("conv", "ebcdic" | "ibm") => {
                Some(format!("for dd's conv={value} use -t with the code page, such as -t IBM1047"))
            }
            _ => None,
        };
    }
    let is_near = |command: &&&str| is_one_slip_from(typed, command);
    if let Some(command) = ["convert", "detect", "rows", "list", "chart", "git-filter"].iter().find(is_near) {
        return Some(format!("did you mean the command `{command}`? it comes first: charpipe {command}"));
    }
    // A request of recode. Several steps, which it allows, are not a label after the first `..`.
    let (from, to) = typed.split_once("..")?;
    let known = |label: &str| Registry::builtin().codec(label).is_ok();
    (known(from) && known(to))
        .then(|| format!("for recode's {typed} use -f {from} -t {to}, with --in-place to replace FILE"))
}

/// Whether `typed` is `word` with one character left out, added or changed, or two adjacent ones swapped.
fn is_one_slip_from(typed: &str, word: &str) -> bool {
    let (typed, word) = (typed.as_bytes(), word.as_bytes());
    let same = typed.iter().zip(word).take_while(|(a, b)| a == b).count();
    let (typed, word) = (&typed[same..], &word[same..]);
    match (typed, word) {
        ([], []) => false,
        ([_, rest @ ..], _) if rest == word => true,
        (_, [_, rest @ ..]) if rest == typed => true,
        ([_, typed @ ..], [_, word @ ..]) if typed == word => true,
        ([a, b, typed @ ..], [c, d, word @ ..]) => (a, b) == (d, c) && typed == word,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_other_programs() {
        for typed in ["latin1..utf8", "if=x", "conv=ascii", "cbs=80", "detct"] {
            assert!(hint(OsStr::new(typed)).is_some(), "{typed}");
        }
        for typed in ["a..b", "x=y", "conv=swab", "file.txt"] {
            assert_eq!(hint(OsStr::new(typed)), None, "{typed}");
        }
    }
}
