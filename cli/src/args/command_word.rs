//! Finds the command if options precede it: `charpipe -q rows …`.

use clap::Command;
use std::ffi::OsString;

/// The commands whose options can precede their name.
const NAMES: [&str; 6] = ["convert", "detect", "rows", "list", "chart", "git-filter"];

/// Returns the index of the command among the arguments: the first argument that is neither an option nor the value of
/// one, if it is the name of a command. Options are those of that command. `program` is built only if there is a name.
pub(super) fn find(argv: &[OsString], program: impl FnOnce() -> Command) -> Option<usize> {
    let end = argv.iter().position(|arg| arg == "--").unwrap_or(argv.len());
    let mut named = (1..end).filter(|at| NAMES.iter().any(|name| argv[*at] == *name)).peekable();
    named.peek()?;
    let mut program = program();
    program.build();
    named.find(|at| {
        let command = argv[*at].to_str().and_then(|name| program.find_subcommand(name));
        command.is_some_and(|command| are_options(&argv[1..*at], command))
    })
}

/// Returns whether arguments are whole options of a command, with their values.
fn are_options(args: &[OsString], command: &Command) -> bool {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some(wants_value) = arg.to_str().and_then(|arg| option(arg, command)) else { return false };
        if wants_value && args.next().is_none() {
            return false;
        }
    }
    true
}

/// Returns whether the next argument is the value of this option; `None` if it is not an option of the command.
fn option(arg: &str, command: &Command) -> Option<bool> {
    if let Some(long) = arg.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let is_it = |found: &&clap::Arg| {
            found.get_long() == Some(name) || found.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
        };
        let found = command.get_arguments().find(is_it)?;
        return Some(value.is_none() && takes_value(found));
    }
    let mut letters = arg.strip_prefix('-').filter(|letters| !letters.is_empty())?.chars();
    while let Some(letter) = letters.next() {
        let is_it = |found: &&clap::Arg| {
            found.get_short() == Some(letter)
                || found.get_all_short_aliases().is_some_and(|aliases| aliases.contains(&letter))
        };
        if takes_value(command.get_arguments().find(is_it)?) {
            return Some(letters.as_str().is_empty());
        }
    }
    Some(false)
}

fn takes_value(arg: &clap::Arg) -> bool {
    arg.get_action().takes_values() && !arg.is_require_equals_set()
}
