//! What hands trained on iconv, uconv, recode and dd type: the suffixes that mean something here too, and for the rest
//! a sentence that says what to type instead.

use charpipe::Registry;
use clap::error::{ContextKind, ErrorKind};
use std::ffi::OsStr;

/// What stands behind `//` in a label of iconv.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Suffixes {
    /// `//TRANSLIT`: what resembles a character that the target lacks.
    pub(crate) translit: bool,
    /// `//IGNORE`: malformed input and unmappable characters are dropped, as glibc does it.
    pub(crate) ignore: bool,
    /// `//NON_IDENTICAL_DISCARD` of GNU libiconv: unmappable characters are dropped.
    pub(crate) discard: bool,
}

/// Which of the two labels it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    From,
    To,
}

/// The label, and what is behind it: `ASCII//TRANSLIT//IGNORE`, `ASCII//translit,ignore`, `ASCII//`.
pub(crate) fn split(label: &str, side: Side) -> Result<(&str, Suffixes), String> {
    let Some((plain, behind)) = label.split_once("//") else { return Ok((label, Suffixes::default())) };
    let mut found = Suffixes::default();
    for suffix in behind.split(['/', ',']).filter(|suffix| !suffix.is_empty()) {
        match &*suffix.to_ascii_uppercase() {
            "TRANSLIT" => found.translit = true,
            "IGNORE" => found.ignore = true,
            "NON_IDENTICAL_DISCARD" => found.discard = true,
            _ => {
                return Err(format!(
                    "{suffix:?} is no suffix; there are //TRANSLIT, //IGNORE and //NON_IDENTICAL_DISCARD"
                ));
            }
        }
    }
    if side == Side::From && (found.translit || found.discard) {
        let name = if found.translit { "TRANSLIT" } else { "NON_IDENTICAL_DISCARD" };
        return Err(format!("//{name} says what is written, and belongs behind the label of --to"));
    }
    if found.translit && found.discard {
        return Err("//TRANSLIT and //NON_IDENTICAL_DISCARD exclude each other".to_owned());
    }
    if plain.is_empty() {
        return Err(format!("{label:?} names no encoding before the `//`"));
    }
    Ok((plain, found))
}

/// Options of others, and what does the same here.
const OPTIONS: &[(&[&str], &str)] = &[
    // GNU libiconv.
    (&["--byte-subst"], "use --malformed escape, which writes \\xNN for each byte, or --malformed replace"),
    (&["--unicode-subst"], "use --unmappable escape, which writes \\u{HEX}, or xml, which writes &#xHEX;, or replace"),
    (&["--widechar-subst"], "there are no wide characters here; see --unmappable"),
    // uconv.
    (&["-x"], "there is no transliteration here; --best-fit uses the one-way mappings of the target's table"),
    (&["-L", "--list-transliterators"], "there is no transliteration here; `charpipe list` lists the encodings"),
    (&["--callback"], "use --malformed and --unmappable: fail, replace, drop or escape"),
    (&["--from-callback"], "use --malformed: fail (stop), replace (substitute), drop (skip) or escape (escape)"),
    (
        &["--to-callback"],
        "use --unmappable: fail (stop), replace (substitute), drop (skip), escape (escape-unicode) or xml (escape-xml-hex)",
    ),
    (&["-i"], "use -c, which drops malformed input and unmappable characters, or --malformed drop"),
    (&["--add-signature"], "use --bom add"),
    (&["--remove-signature"], "use --bom strip"),
    (&["-b", "--block-size"], "blocks have their size by themselves; see --jobs for large files"),
    (&["--fallback-mappings"], "use --best-fit"),
];

/// Returns what to type instead of the unknown option that `error` is about.
pub(crate) fn instead_of(error: &clap::Error) -> Option<&'static str> {
    let typed = error.get(ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    option(&typed.to_string())
}

/// What to type instead of an option that there is not.
fn option(typed: &str) -> Option<&'static str> {
    let name = typed.split('=').next()?;
    OPTIONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

/// What was meant by an operand that is no file.
pub(crate) fn operand(typed: &OsStr) -> Option<String> {
    let typed = typed.to_str()?;
    if let Some((key, value)) = typed.split_once('=') {
        return match (key, value) {
            ("if", file) => Some(format!("dd's if={file} is here the operand {file}")),
            ("of", file) => Some(format!("dd's of={file} is here -o {file}")),
            ("cbs", size) => Some(format!("dd's cbs={size} is here --records fb:{size}, or --to-records fb:{size}")),
            ("conv", "ascii") => Some("dd's conv=ascii is here -f and the code page, as -f IBM1047".to_owned()),
            ("conv", "ebcdic" | "ibm") => {
                Some(format!("dd's conv={value} is here -t and the code page, as -t IBM1047"))
            }
            _ => None,
        };
    }
    let is_near = |command: &&&str| is_one_slip_from(typed, command);
    if let Some(command) = ["convert", "detect", "list", "chart"].iter().find(is_near) {
        return Some(format!("if the command `{command}` is meant, it comes first: charpipe {command}"));
    }
    // recode's request; its `..` may name more than one step.
    let (from, to) = typed.split_once("..")?;
    let known = |label: &str| Registry::builtin().codec(label).is_ok();
    (known(from) && known(to))
        .then(|| format!("recode's {typed} is here -f {from} -t {to}, with --in-place to replace FILE"))
}

/// Whether one character was left out, added or changed, or two neighbours were swapped.
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
    fn suffixes_in_any_order() {
        let with = |translit, ignore, discard| Suffixes { translit, ignore, discard };
        for (label, plain, expected) in [
            ("ASCII", "ASCII", with(false, false, false)),
            ("ASCII//", "ASCII", with(false, false, false)),
            ("IBM1047/ZOS_UNIX", "IBM1047/ZOS_UNIX", with(false, false, false)),
            ("ASCII//translit", "ASCII", with(true, false, false)),
            ("ASCII//TRANSLIT//IGNORE", "ASCII", with(true, true, false)),
            ("ASCII//IGNORE,TRANSLIT", "ASCII", with(true, true, false)),
            ("IBM1047/ZOS_UNIX//IGNORE/", "IBM1047/ZOS_UNIX", with(false, true, false)),
            ("ASCII//NON_IDENTICAL_DISCARD", "ASCII", with(false, false, true)),
        ] {
            assert_eq!(split(label, Side::To), Ok((plain, expected)), "{label}");
        }
        assert!(split("ASCII//IGNORE", Side::From).is_ok());
        for (label, side) in [
            ("ASCII//TRANSLIT", Side::From),
            ("ASCII//NON_IDENTICAL_DISCARD", Side::From),
            ("ASCII//TRANSLIT//NON_IDENTICAL_DISCARD", Side::To),
            ("ASCII//TRANSLITERATE", Side::To),
            ("//TRANSLIT", Side::To),
        ] {
            assert!(split(label, side).is_err(), "{label}");
        }
    }

    #[test]
    fn operands_of_others() {
        for typed in ["latin1..utf8", "if=x", "conv=ascii", "cbs=80", "detct"] {
            assert!(operand(OsStr::new(typed)).is_some(), "{typed}");
        }
        for typed in ["a..b", "x=y", "conv=swab", "file.txt"] {
            assert_eq!(operand(OsStr::new(typed)), None, "{typed}");
        }
    }
}
