//! Messages about an invalid command line.

use crate::args::compat;
use crate::escape::printable;
use crate::messages::{color, hints, say, say_parts, say_problem};
use crate::status::Status;
use charpipe::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// A command line that is not carried out. Help and version are errors, as clap has it.
pub(crate) struct Wrong {
    /// The program and its arguments, of which the first is the command, or an option instead of one.
    pub(crate) argv: Vec<OsString>,
    pub(crate) error: clap::Error,
}

/// Prints the errors in the value of an option, and what to try instead.
pub(crate) fn wrong_value(option: &str, error: &Error) -> Status {
    say_problem(&option, None, error, &hints::for_option(error));
    Status::Usage
}

/// Prints the errors in the label that `--malformed` names, and what else it takes.
pub(super) fn wrong_malformed(label: &str, error: &Error) -> Status {
    let hint = compat::malformed(label).map_or_else(
        || " (use fail, replace, drop, escape, or a single-byte charset such as windows-1252)".to_owned(),
        |instead| format!(" (use {instead})"),
    );
    say_problem(&"--malformed", None, error, &hint);
    Status::Usage
}

/// Prints the errors in the suffix of a label, such as `//TRANSLIT`.
pub(super) fn wrong_suffix(option: &str, why: &str) -> Status {
    say(format_args!("{option}: {}", printable(why)));
    Status::Usage
}

/// Prints what clap found wrong, in our words: what was found, and what to type instead.
pub(crate) fn say_error(wrong: &Wrong) {
    let (what, hint) = words(wrong);
    say_parts(&[(color::ERROR, &printable(&what)), (color::HINT, &printable(&hint))]);
}

/// Returns the error, and a hint to be appended.
fn words(Wrong { argv, error }: &Wrong) -> (String, String) {
    let arg = texts(error, ContextKind::InvalidArg);
    let typed = arg.first().map(String::as_str).unwrap_or_default();
    let option = name(typed);
    match error.kind() {
        ErrorKind::UnknownArgument if typed.starts_with('-') => unknown_option(error, typed, argv[1] == "rows"),
        ErrorKind::UnknownArgument => (format!("unexpected argument {typed:?}"), " (see --help)".to_owned()),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => wrong_word(error, typed),
        ErrorKind::TooManyValues => {
            (format!("{option} takes no value, but has {:?}", text(error, ContextKind::InvalidValue)), String::new())
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<&str> = texts(error, ContextKind::PriorArg).iter().map(|other| name(other)).collect();
            let others = if others.is_empty() { "other arguments".to_owned() } else { others.join(" or ") };
            (format!("{option} cannot be used with {others}"), String::new())
        }
        ErrorKind::MissingRequiredArgument => (missing(arg, argv), " (see --help)".to_owned()),
        ErrorKind::InvalidSubcommand => {
            let command = text(error, ContextKind::InvalidSubcommand);
            (format!("there is no command {command:?}"), suggestion(error, ContextKind::SuggestedSubcommand))
        }
        ErrorKind::InvalidUtf8 => ("an argument that has to be text is not UTF-8".to_owned(), String::new()),
        _ => (error.kind().to_string(), " (see --help)".to_owned()),
    }
}

/// Returns the strings of a context; none if clap gives none.
fn texts(error: &clap::Error, kind: ContextKind) -> &[String] {
    match error.get(kind) {
        Some(ContextValue::String(text)) => std::slice::from_ref(text),
        Some(ContextValue::Strings(texts)) => texts,
        _ => &[],
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> &str {
    texts(error, kind).first().map(String::as_str).unwrap_or_default()
}

/// Returns the name of an argument as it is typed, from clap's `--eol <EOL>`, `--in-place[=<SUFFIX>]` or `[FILE]...`.
fn name(arg: &str) -> &str {
    match arg.starts_with('-') {
        true => arg.split([' ', '=', '[']).next().unwrap_or_default(),
        false => arg.trim_end_matches("...").trim_matches(['<', '>', '[', ']']),
    }
}

/// Returns the hint that names what the user may have meant, if clap has found anything similar.
fn suggestion(error: &clap::Error, kind: ContextKind) -> String {
    match texts(error, kind) {
        [] => " (see --help)".to_owned(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// An option that the command does not have: an old name, one of another program, or a slip.
fn unknown_option(error: &clap::Error, typed: &str, is_of_rows: bool) -> (String, String) {
    match (compat::renamed(typed, is_of_rows), compat::option(typed)) {
        (Some(new), _) => (format!("{} is now ", name(typed)), new),
        (None, Some(instead)) => (format!("there is no option {typed}"), format!(" ({instead})")),
        (None, None) => (format!("there is no option {typed}"), suggestion(error, ContextKind::SuggestedArg)),
    }
}

/// A value that the option `typed` cannot have, or that is missing.
fn wrong_word(error: &clap::Error, typed: &str) -> (String, String) {
    let (option, value) = (name(typed), text(error, ContextKind::InvalidValue));
    let words = texts(error, ContextKind::ValidValue).join(", ");
    if error.kind() == ErrorKind::InvalidValue && value.is_empty() {
        let form: String = typed[option.len()..].chars().filter(|ch| !"<>[]= ".contains(*ch)).collect();
        let hint = if words.is_empty() { String::new() } else { format!(": {words}") };
        return (format!("{option} needs a value, {form}"), hint);
    }
    match (std::error::Error::source(error), compat::value(option, value)) {
        (Some(why), _) => {
            let why = why.to_string();
            let is_named = why.starts_with(&format!("{value:?}"));
            (if is_named { format!("{option}: {why}") } else { format!("{option}: {value:?}: {why}") }, String::new())
        }
        (None, Some(instead)) => {
            (format!("{option}: {value:?} is not one of {words}"), format!(" (use {option} {instead})"))
        }
        (None, None) => {
            let near = texts(error, ContextKind::SuggestedValue).first();
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            (format!("{option}: {value:?} is not one of {words}"), hint)
        }
    }
}

/// Arguments that are required: by an option that was typed, or always.
fn missing(args: &[String], argv: &[OsString]) -> String {
    let typed: Vec<String> = argv.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let plain = |arg: &String| arg.replace(['<', '>'], "");
    let who = match args {
        [one] => compat::who_needs(name(one), &typed),
        _ => vec![],
    };
    let what = args.iter().map(plain).collect::<Vec<_>>().join(" and ");
    match who.len() {
        0 => format!("{what} is missing"),
        1 => format!("{} requires {what}", who[0]),
        _ => format!("{} require {what}", who.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let argv = std::iter::once("charpipe").chain(line.split(' ')).map(std::ffi::OsString::from);
        let Err(wrong) = crate::args::parse(argv) else { panic!("{line}") };
        assert!(wrong.error.use_stderr(), "{line}");
        let (what, hint) = words(&wrong);
        what + &hint
    }

    /// Each kind of error has a message of ours.
    #[test]
    fn every_kind_of_error() {
        for (line, expected) in [
            ("--malfromed drop", "there is no option --malfromed; did you mean --malformed?"),
            ("--no-such", "there is no option --no-such (see --help)"),
            ("-Z", "there is no option -Z (see --help)"),
            ("--file=2", "--file is now --tape-file"),
            ("--d2u", "there is no option --d2u (use --eol lf)"),
            ("-o", "--output needs a value, PATH"),
            ("--bom", "--bom needs a value, WHEN: auto, keep, add, strip"),
            ("--eol lff", "--eol: \"lff\" is not one of auto, keep, lf, crlf, nel; did you mean lf?"),
            ("--eol qqq", "--eol: \"qqq\" is not one of auto, keep, lf, crlf, nel"),
            ("--eol unix", "--eol: \"unix\" is not one of auto, keep, lf, crlf, nel (use --eol lf)"),
            ("--jobs 0", "--jobs: \"0\": expected a number from 1 to 65535"),
            ("--guess=yes", "--guess takes no value, but has \"yes\""),
            ("--in-place -o x a", "--in-place cannot be used with --output"),
            ("-c --malformed drop", "-c cannot be used with --malformed"),
            ("rows", "--layout FILE is missing (see --help)"),
            ("git-filter", "--from LABEL is missing (see --help)"),
            ("chart", "CODEC is missing (see --help)"),
            ("chart a b c", "unexpected argument \"c\" (see --help)"),
            ("list a b", "unexpected argument \"b\" (see --help)"),
            ("help no-such", "there is no command \"no-such\" (see --help)"),
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
    }

    /// No words of clap's.
    #[test]
    fn one_voice() {
        for line in
            ["--no-such", "-o", "--eol x", "--jobs 0", "--guess=1", "-c --malformed drop", "rows", "chart a b c"]
        {
            let said = said(line);
            for words in ["found", "tip:", "try '", "invalid value", "Usage", "<", "were not provided"] {
                assert!(!said.contains(words), "{said}");
            }
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}
