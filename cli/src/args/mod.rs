//! The command line: one file for each command, and one for each group of options that commands share. A new option
//! touches one file and its test.
//!
//! | file | options |
//! |---|---|
//! | `convert.rs`, `detect.rs`, `list.rs`, `chart.rs` | each command's own |
//! | `reading.rs`, `tables.rs` | input and its encoding; table files |
//! | `many.rs`, `records.rs` | many files; mainframe records |
//! | `messages.rs`, `color.rs` | how much is printed, and in colour or not |
//! | `choice.rs` | values that are one word of several |
//! | `compat.rs` | what users of other converters type |
//! | `usage.rs` | messages about a wrong command line |
//! | `manual.rs`, `headings.rs`, `generate.rs` | examples and exit statuses; headings of the help; what `--generate` makes |

mod chart;
mod choice;
mod color;
mod compat;
mod convert;
mod detect;
#[cfg(feature = "generate")]
pub(crate) mod generate;
mod headings;
mod list;
pub(crate) mod manual;
mod many;
mod messages;
mod reading;
pub(crate) mod records;
mod tables;
pub(crate) mod usage;

pub(crate) use crate::args::chart::Chart;
pub(crate) use crate::args::convert::Convert;
pub(crate) use crate::args::detect::Detect;
pub(crate) use crate::args::list::List;
pub(crate) use crate::args::many::ManyArgs;

use crate::args::color::ColorArgs;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::{OsStr, OsString};

const ABOUT: &str = "Detects the encoding of its input, converts it to UTF-8 (or another charset), and corrects the \
                     document's own encoding declaration.";

const DESCRIPTION: &str = "\
The options here are those of `convert`. The word `convert` may be left out unless the first FILE has the name of a \
command. For the options of the other commands see `charpipe detect --help` and so on.

Several FILEs are detected and converted one by one and written to one output in order, unless --output-dir or \
--in-place gives each an output of its own.";

/// Each line fits into 40 columns with its indentation.
const USAGE: &str = "\
charpipe [convert] [OPTIONS] [FILE]...
  charpipe detect [OPTIONS] [FILE]...
  charpipe list [OPTIONS] [PATTERN]
  charpipe chart [OPTIONS] CODEC [OTHER]";

/// The usage is below its heading, so that it fits into narrow terminals.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading}\n  {usage}\n\n{all-args}{after-help}";

/// Of `-h`.
const SEE_ALSO: &str = "For details and examples: charpipe --help. For the options of a command: charpipe detect -h";

/// The command line. It always has a command; [`parse`] adds `convert` if it was left out.
#[derive(Parser)]
#[command(name = "charpipe", version, args_override_self = true, override_usage = USAGE)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of them in a run")]
pub(crate) enum Command {
    Convert(Convert),
    Detect(Detect),
    List(List),
    Chart(Chart),
}

impl Command {
    /// Whether the run reads from a terminal and should say so: no FILE was given, which may be an oversight.
    pub(crate) fn waits_at_terminal(&self) -> bool {
        let (reading, messages) = match self {
            #[cfg(feature = "generate")]
            Command::Convert(Convert { generate: Some(_), .. }) => return false,
            Command::Convert(convert) if !convert.list => (&convert.reading, &convert.messages),
            Command::Detect(detect) => (&detect.reading, &detect.messages),
            _ => return false,
        };
        !messages.quiet && reading.is_from_terminal()
    }

    pub(crate) fn color(&self) -> ColorArgs {
        match self {
            Command::Convert(convert) => convert.messages.color,
            Command::Detect(detect) => detect.messages.color,
            Command::List(list) => list.color,
            Command::Chart(chart) => chart.color,
        }
    }
}

/// Parses the command line. Help and version are errors, as clap has it.
pub(crate) fn parse(argv: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let argv = with_command(argv);
    let asks = |names: &[&str]| argv.iter().skip(1).any(|arg| names.iter().any(|name| arg == name));
    let styled = |command: clap::Command| if asks(&["-h"]) { choice::brief(command) } else { command };
    // Help without a command is about the whole program.
    let is_of_whole = argv.get(1).is_some_and(|first| ["-h", "--help", "help"].iter().any(|help| first == help));
    if is_of_whole && let Err(help) = styled(shown()).try_get_matches_from(&argv) {
        return Err(help);
    }
    let matches = styled(command()).try_get_matches_from(&argv)?;
    <Cli as clap::FromArgMatches>::from_arg_matches(&matches)
}

/// Returns the program as its users see it: `convert` may be left out, so its options are those of the whole program.
pub(crate) fn shown() -> clap::Command {
    Convert::augment_args(command())
        .about(ABOUT)
        .long_about(format!("{ABOUT}\n\n{DESCRIPTION}"))
        .override_usage(USAGE)
        .subcommand_required(false)
        .subcommand_help_heading("Commands")
        .after_help(SEE_ALSO)
        .after_long_help(manual::after_help())
}

/// Returns the program as clap parses it: the command is never left out.
pub(crate) fn command() -> clap::Command {
    Cli::command().help_template(TEMPLATE).mut_subcommands(|command| command.help_template(TEMPLATE))
}

/// First arguments that need no `convert` before them.
const COMMANDS: [&str; 9] = ["convert", "detect", "list", "chart", "help", "-h", "--help", "-V", "--version"];

/// Adds `convert` if the first argument is no command.
fn with_command(argv: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut argv: Vec<OsString> = argv.into_iter().collect();
    if argv.is_empty() {
        argv.push("charpipe".into());
    }
    let is_command = |first: &OsString| COMMANDS.iter().any(|command| first.as_os_str() == OsStr::new(command));
    if !argv.get(1).is_some_and(is_command) {
        argv.insert(1, "convert".into());
    }
    argv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
        shown().debug_assert();
        choice::brief(shown()).debug_assert();
    }

    #[test]
    fn convert_is_added_if_it_was_left_out() {
        let whole = |line: &str| {
            let argv = with_command(line.split(' ').map(OsString::from));
            argv.into_iter().map(|arg| arg.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (given, meant) in [
            ("charpipe", "charpipe convert"),
            ("charpipe a detect", "charpipe convert a detect"),
            ("charpipe -- detect", "charpipe convert -- detect"),
            ("charpipe -f auto", "charpipe convert -f auto"),
            ("charpipe detect a", "charpipe detect a"),
            ("charpipe list a", "charpipe list a"),
            ("charpipe -l", "charpipe convert -l"),
            ("charpipe chart a", "charpipe chart a"),
            ("charpipe -V", "charpipe -V"),
        ] {
            assert_eq!(whole(given), meant);
        }
        assert_eq!(with_command([]), ["charpipe", "convert"]);
    }
}
