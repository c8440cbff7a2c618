//! Messages about a wrong command line.

use crate::args::compat;
use crate::escape::printable;
use crate::messages::{color, hints, say, say_parts};
use crate::status::Status;
use anstyle::Style;
use charpipe::Error;
use clap::error::{ContextKind, ErrorKind};
use std::fmt::Display;

/// Prints what is wrong with the value of an option, and what to try instead.
pub(crate) fn wrong_value(option: &str, error: &Error) -> Status {
    let hint = hints::for_option(error);
    say_parts(&[(color::PLAIN, &format_args!("{option}: ")), (color::ERROR, error), (color::HINT, &hint)]);
    Status::Usage
}

/// Prints what is wrong with the suffix of a label, such as `//TRANSLIT`.
pub(super) fn wrong_suffix(option: &str, why: &str) -> Status {
    say(format_args!("{option}: {}", printable(why)));
    Status::Usage
}

/// Prints what clap found wrong. Its text quotes arguments, which may contain anything.
pub(crate) fn say_error(error: &clap::Error) {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    let unknown = (error.kind() == ErrorKind::UnknownArgument).then(|| error.get(ContextKind::InvalidArg)).flatten();
    if let Some(instead) = unknown.and_then(|typed| compat::option(&typed.to_string())) {
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
