//! Messages about a wrong command line.

use crate::args::compat;
use crate::escape::printable;
use crate::messages::{color, hints, say, say_parts};
use crate::status::Status;
use anstyle::Style;
use charpipe::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt::Display;

/// Prints what is wrong with the value of an option, and what to try instead.
pub(crate) fn wrong_value(option: &str, error: &Error) -> Status {
    let hint = hints::for_option(error);
    say_parts(&[(color::PLAIN, &format_args!("{option}: ")), (color::ERROR, error), (color::HINT, &hint)]);
    Status::Usage
}

/// Prints what is wrong with the label that `--malformed` names, and what else it takes.
pub(super) fn wrong_malformed(label: &str, error: &Error) -> Status {
    let hint = compat::malformed(label).map_or_else(
        || " (use fail, replace, drop, escape, or a single-byte charset such as windows-1252)".to_owned(),
        |instead| format!(" (use {instead})"),
    );
    say_parts(&[(color::PLAIN, &"--malformed: "), (color::ERROR, error), (color::HINT, &hint)]);
    Status::Usage
}

/// Prints what is wrong with the suffix of a label, such as `//TRANSLIT`.
pub(super) fn wrong_suffix(option: &str, why: &str) -> Status {
    say(format_args!("{option}: {}", printable(why)));
    Status::Usage
}

/// Returns what to type instead of an option or a value that another program has.
fn instead(error: &clap::Error) -> Option<String> {
    let context = |kind| error.get(kind).map(ToString::to_string);
    let option = context(ContextKind::InvalidArg)?;
    match error.kind() {
        ErrorKind::UnknownArgument => compat::option(&option).map(str::to_owned),
        ErrorKind::InvalidValue => {
            let option = option.split([' ', '=']).next()?;
            let value = compat::value(option, &context(ContextKind::InvalidValue)?)?;
            Some(format!("use {option} {value}"))
        }
        _ => None,
    }
}

/// Returns which option requires another one that is missing, as a sentence.
fn who_requires(error: &clap::Error) -> Option<String> {
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) if error.kind() == ErrorKind::MissingRequiredArgument => missing,
        _ => return None,
    };
    let typed: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let [missing] = &missing[..] else { return None };
    let missing: String = missing.chars().filter(|ch| !matches!(ch, '<' | '>')).collect();
    let who = compat::who_needs(missing.split(' ').next()?, &typed);
    let verb = if who.len() == 1 { "requires" } else { "require" };
    (!who.is_empty()).then(|| format!("{} {verb} {missing}", who.join(" and ")))
}

/// Prints what clap found wrong. Its text quotes arguments, which may contain anything.
pub(crate) fn say_error(error: &clap::Error) {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let is_of_rows = usage.is_some_and(|usage| usage.contains("charpipe rows"));
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(old)) = error.get(ContextKind::InvalidArg)
        && let Some(new) = compat::renamed(old, is_of_rows)
    {
        return say_parts(&[(color::ERROR, &old), (color::PLAIN, &" is now "), (color::HINT, &new)]);
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    let first = who_requires(error).unwrap_or_else(|| lines[0].clone());
    if first != lines[0] {
        return say_parts(&[(color::ERROR, &first), (color::PLAIN, &"\n\nFor more information, try '--help'.")]);
    }
    if let Some(instead) = instead(error) {
        let tip = format!("  tip: {instead}");
        return say_parts(&[
            (color::ERROR, &lines[0]),
            (color::PLAIN, &"\n\n"),
            (color::HINT, &tip),
            (color::PLAIN, &"\n\nFor more information, try '--help'."),
        ]);
    }
    let rest: Vec<(Style, String)> = lines[1..]
        .iter()
        .map(|line| (if line.starts_with("  tip:") { color::HINT } else { color::PLAIN }, format!("\n{line}")))
        .collect();
    let mut parts: Vec<(Style, &dyn Display)> = vec![(color::ERROR, &lines[0])];
    parts.extend(rest.iter().map(|(style, line)| (*style, line as &dyn Display)));
    say_parts(&parts);
}
