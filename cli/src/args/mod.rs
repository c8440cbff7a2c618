//! The command line: one file for each command, and one for each group of options that commands share. A new option
//! touches one file and its test.
//!
//! | file | options |
//! |---|---|
//! | `convert.rs`, `detect.rs`, `rows.rs`, `list.rs`, `chart.rs`, `git_filter.rs` | each command's own |
//! | `operands.rs` | which files are read |
//! | `reading.rs`, `tables.rs` | input and its encoding; table files |
//! | `many.rs`, `selection.rs`, `records.rs` | many files; which of those in directories; mainframe records |
//! | `messages.rs`, `color.rs` | how much is printed, and in colour or not |
//! | `named.rs` | the way of options to the library, by name |
//! | `choice.rs` | values that are one word of several |
//! | `plain.rs` | the plain form of the command line, without clap |
//! | `compat.rs` | what users of other converters type |
//! | `usage.rs` | messages about a wrong command line |
//! | `command_word.rs` | the command after options |
//! | `manual.rs`, `headings.rs`, `generate.rs` | examples and exit statuses; headings of the help; what `--generate` makes |

mod chart;
mod choice;
mod color;
mod command_word;
mod compat;
mod convert;
mod detect;
#[cfg(feature = "generate")]
pub(crate) mod generate;
mod git_filter;
mod headings;
mod list;
pub(crate) mod manual;
mod many;
mod messages;
mod named;
mod operands;
mod plain;
mod reading;
pub(crate) mod records;
pub(crate) mod rows;
mod selection;
mod tables;
pub(crate) mod usage;

pub(crate) use crate::args::chart::Chart;
pub(crate) use crate::args::convert::Convert;
pub(crate) use crate::args::detect::Detect;
pub(crate) use crate::args::git_filter::GitFilter;
pub(crate) use crate::args::list::List;
pub(crate) use crate::args::many::ManyArgs;
pub(crate) use crate::args::rows::Rows;

use crate::args::color::ColorArgs;
use crate::args::operands::Operands;
use crate::args::usage::Wrong;
use crate::status::Status;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::Path;

const ABOUT: &str = "Detect the encoding of the input, convert it to UTF-8 (or another charset), and correct the \
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
  charpipe rows --layout FILE [FILE]...
  charpipe list [OPTIONS] [PATTERN]
  charpipe chart [OPTIONS] CODEC [OTHER]
  charpipe git-filter [OPTIONS] -f LABEL";

/// The usage is below its heading, so that it fits into narrow terminals.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading}\n  {usage}\n\n{all-args}{after-help}";

/// Of `-h`.
const SEE_ALSO: &str =
    "All options, details and examples: charpipe --help. The options of a command: charpipe detect -h";

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
    Convert(Box<Convert>),
    Detect(Detect),
    Rows(Box<Rows>),
    List(List),
    Chart(Chart),
    GitFilter(GitFilter),
}

impl Command {
    /// Whether the run reads from a terminal and should say so: no FILE was given, which may be an oversight.
    pub(crate) fn waits_at_terminal(&self) -> bool {
        let (reading, messages) = match self {
            #[cfg(feature = "generate")]
            Command::Convert(convert) if convert.generate.is_some() => return false,
            Command::Convert(convert) if !convert.list => (&convert.reading, &convert.messages),
            Command::Detect(detect) => (&detect.reading, &detect.messages),
            Command::Rows(rows) => return !rows.messages.quiet && rows.is_from_terminal(),
            _ => return false,
        };
        !messages.quiet && reading.operands.is_from_terminal()
    }

    /// Takes the FILEs from a list, if the command line says so, as `read` reads it. Returns the status if nothing is
    /// left to do.
    pub(crate) fn take_list(&mut self, read: impl Fn(&Path) -> Result<Vec<OsString>, Status>) -> Result<(), Status> {
        self.operands().map_or(Ok(()), |operands| operands.take_list(read))
    }

    /// Returns the FILEs of the command, if it has any.
    fn operands(&mut self) -> Option<&mut Operands> {
        match self {
            Command::Convert(convert) => Some(&mut convert.reading.operands),
            Command::Detect(detect) => Some(&mut detect.reading.operands),
            Command::Rows(rows) => Some(&mut rows.operands),
            Command::List(_) | Command::Chart(_) | Command::GitFilter(_) => None,
        }
    }

    pub(crate) fn color(&self) -> ColorArgs {
        match self {
            Command::Convert(convert) => convert.messages.color,
            Command::Detect(detect) => detect.messages.color,
            Command::Rows(rows) => rows.messages.color,
            Command::List(list) => list.color,
            Command::Chart(chart) => chart.color,
            Command::GitFilter(filter) => filter.messages.color,
        }
    }
}

/// Parses the command line. Not inlined, so that its stack is free again before the command runs (see
/// [`crate::apart`]).
#[inline(never)]
pub(crate) fn parse(argv: impl IntoIterator<Item = OsString>) -> Result<Cli, Wrong> {
    let argv = with_command(argv);
    parse_command(&argv).map_err(|error| Wrong { argv, error })
}

fn parse_command(argv: &[OsString]) -> Result<Cli, clap::Error> {
    parse_plain(&argv[1..]).map_or_else(|| parse_with_clap(argv), |command| Ok(Cli { command }))
}

/// Parses a command and its arguments if they have the plain form.
fn parse_plain(args: &[OsString]) -> Option<Command> {
    let (command, args) = args.split_first()?;
    match command.to_str()? {
        "convert" => Some(Command::Convert(Box::new(Convert::plain(plain::parse(args, &Convert::PLAIN)?)?))),
        "detect" => Some(Command::Detect(Detect::plain(plain::parse(args, &Detect::PLAIN)?)?)),
        _ => None,
    }
}

#[inline(never)]
fn parse_with_clap(argv: &[OsString]) -> Result<Cli, clap::Error> {
    let asks = |names: &[&str]| argv.iter().skip(1).any(|arg| names.iter().any(|name| arg == name));
    let styled = |command: clap::Command| if asks(&["-h"]) { choice::brief(command) } else { command };
    // Help without a command is about the whole program.
    let is_of_whole = argv.get(1).is_some_and(|first| ["-h", "--help", "help"].iter().any(|help| first == help));
    if is_of_whole && let Err(help) = styled(shown()).try_get_matches_from(argv) {
        return Err(help);
    }
    let mut definition = styled(command_for(&argv[1]));
    let matches = definition.try_get_matches_from_mut(argv);
    // Freeing thousands of strings would take longer than converting a short file.
    std::mem::forget(definition);
    <Cli as clap::FromArgMatches>::from_arg_matches(&matches?)
}

/// Returns what [`command`] returns, without the subcommands that the first argument `name` does not name: they are not
/// worth defining.
fn command_for(name: &OsStr) -> clap::Command {
    type Define = fn(clap::Command) -> clap::Command;
    let commands: [(&str, Define); 6] = [
        ("convert", Convert::augment_args),
        ("detect", Detect::augment_args),
        ("rows", Rows::augment_args),
        ("list", List::augment_args),
        ("chart", Chart::augment_args),
        ("git-filter", GitFilter::augment_args),
    ];
    let Some((name, define)) = commands.into_iter().find(|(command, _)| name == *command) else { return command() };
    clap::Command::new("charpipe")
        .version(env!("CARGO_PKG_VERSION"))
        .args_override_self(true)
        .override_usage(USAGE)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .help_template(TEMPLATE)
        .subcommand(define(clap::Command::new(name)).help_template(TEMPLATE))
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
const COMMANDS: [&str; 11] =
    ["convert", "detect", "rows", "list", "chart", "git-filter", "help", "-h", "--help", "-V", "--version"];

/// Puts the command first. It may follow options ([`command_word`]); if there is none, it is `convert`.
fn with_command(argv: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut argv: Vec<OsString> = argv.into_iter().collect();
    if argv.is_empty() {
        argv.push("charpipe".into());
    }
    let is_command = |first: &OsString| COMMANDS.iter().any(|command| first.as_os_str() == OsStr::new(command));
    if !argv.get(1).is_some_and(is_command) {
        let word = command_word::find(&argv, command).map(|at| argv.remove(at));
        argv.insert(1, word.unwrap_or_else(|| "convert".into()));
    }
    argv
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe::OptionValue;
    use charpipe::rows::RowsJob;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
        shown().debug_assert();
        choice::brief(shown()).debug_assert();
    }

    /// The library's options by name are those of `convert`, except for what concerns files and messages.
    #[test]
    fn the_library_has_the_same_options_by_name() {
        const OF_THE_COMMAND: [&str; 21] = [
            "codec-file",
            "files0-from",
            "list",
            "output",
            "output-dir",
            "output-suffix",
            "recursive",
            "include",
            "exclude",
            "hidden",
            "in-place",
            "force",
            "inputs",
            "skip-existing",
            "fail-fast",
            "check",
            "quiet",
            "verbose",
            "color",
            "progress",
            "report",
        ];
        let mut command = Cli::command();
        command.build();
        let convert = command.find_subcommand("convert").unwrap();
        let args: Vec<&clap::Arg> = convert.get_arguments().filter(|arg| arg.get_long().is_some()).collect();
        let in_library = |name: &str| charpipe::Transcode::OPTIONS.iter().find(|option| option.name == name);
        for arg in &args {
            let name = arg.get_long().unwrap();
            let is_own = OF_THE_COMMAND.contains(&name) || ["help", "version", "generate"].contains(&name);
            assert_eq!(in_library(name).is_none(), is_own, "--{name}");
            let words: Vec<String> =
                arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
            match in_library(name).map(|option| option.value) {
                Some(OptionValue::Flag) => assert!(!arg.get_action().takes_values(), "--{name}"),
                // A raw response is a matter of the command.
                Some(OptionValue::Word(known)) if name == "as" => assert_eq!(words, [known, &["http"]].concat()),
                Some(OptionValue::Word(known)) => assert_eq!(words, known, "--{name}"),
                Some(OptionValue::WordOrLabel(known)) if name == "malformed" => assert_eq!(words, known),
                _ => assert!(words.is_empty() || is_own, "--{name}: {words:?}"),
            }
        }
        for option in charpipe::Transcode::OPTIONS {
            assert!(args.iter().any(|arg| arg.get_long() == Some(option.name)), "{}", option.name);
        }
    }

    /// The library's options of a rows job by name are those of `rows`, except for what concerns files and messages.
    #[test]
    fn the_library_has_the_same_options_of_rows() {
        const OF_THE_COMMAND: [&str; 21] = [
            "layout",
            "files0-from",
            "nest",
            "codec-file",
            "show-layout",
            "schema",
            "formulas",
            "quote-empty",
            "html",
            "format",
            "from-rows",
            "merge",
            "rejects",
            "output",
            "output-dir",
            "report",
            "quiet",
            "verbose",
            "color",
            "help",
            "version",
        ];
        let command = Rows::augment_args(clap::Command::new("rows"));
        let args: Vec<&clap::Arg> = command.get_arguments().filter(|arg| arg.get_long().is_some()).collect();
        let in_library = |name: &str| RowsJob::OPTIONS.iter().find(|option| option.name == name);
        for arg in &args {
            let name = arg.get_long().unwrap();
            assert_eq!(in_library(name).is_none(), OF_THE_COMMAND.contains(&name), "--{name}");
        }
        for option in RowsJob::OPTIONS {
            let arg = args.iter().find(|arg| arg.get_long() == Some(option.name));
            let arg = arg.unwrap_or_else(|| panic!("--{}", option.name));
            let takes_value = arg.get_action().takes_values();
            let words: Vec<String> = match takes_value {
                true => arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
                false => Vec::new(),
            };
            let known = match option.value {
                OptionValue::Word(known) | OptionValue::WordOrLabel(known) => known,
                _ => &[],
            };
            assert_eq!(words, known, "--{}", option.name);
            assert_eq!(takes_value, !matches!(option.value, OptionValue::Flag), "--{}", option.name);
            assert!(!arg.is_hide_set(), "--{}", option.name);
        }
    }

    /// The command's options and the library's options by name make the same job of the same words.
    #[test]
    fn options_by_name_do_the_same() {
        for line in [
            "",
            "from=IBM1047 to=ISO-8859-1 ebcdic-nl=zos eol=lf",
            "fallback=UTF-8,IBM1047,nl=zos,windows-1252 guess as=html policy=whatwg prescan=2048 strict",
            "content-type=text/xml;charset=utf-8 malformed=windows-1252 unmappable=escape best-fit controls=xml",
            "malformed=drop unknown=pass relabel=never bom=add unmappable=translit",
            "records=awstape,fb:80 tape-file=2 trim=none carriage-control=asa shift-blanks record-newlines=space",
            "records=fb:80 to-records=rdw trim=blanks,nuls columns=1-40,57- overlong=cut from=IBM939",
            "records=fb:80 to-records=fb:80 columns=1-27=IBM1047 gaps=keep",
            "ebcdic-fallback=IBM273 carriage-control=machine trim=nuls records=vb gaps=hex columns=2-",
        ] {
            let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
            let argv = ["charpipe".to_owned(), "convert".to_owned()].into_iter();
            let argv = argv.chain(words.iter().map(|word| format!("--{word}")));
            let Ok(Cli { command: Command::Convert(convert) }) = Cli::try_parse_from(argv) else {
                panic!("{line}");
            };
            // The command sets its defaults too.
            let mut job = charpipe::Transcode::new().set("prescan", "1024").unwrap();
            for word in &words {
                let (name, value) = word.split_once('=').unwrap_or((word, "true"));
                job = job.set(name, value).unwrap();
            }
            assert_eq!(format!("{job:?}"), format!("{:?}", convert.transcode().unwrap()), "{line}");
        }
    }

    /// With one subcommand or all of them: the same options, help and errors.
    #[test]
    fn one_subcommand_is_as_good_as_all() {
        for line in [
            "convert --help",
            "convert -h",
            "convert --jobs 0",
            "convert --no-such",
            "convert --include x",
            "convert -r --exclude a/[b c",
            "convert -o",
            "convert -l a",
            "convert --in-place -o a b",
            "convert --controls no",
            "convert --version",
            "detect --help",
            "detect -h",
            "detect --html",
            "detect a b --json",
            "detect -r --include [a b",
            "detect --hidden a",
            "detect --jsn",
            "rows --help",
            "rows -h",
            "rows",
            "rows --layout",
            "rows --layout a b",
            "rows --layout a --no-such",
            "list --help",
            "list a b",
            "list --bad",
            "chart --help",
            "chart",
            "chart a b c",
            "git-filter --help",
            "git-filter",
            "git-filter -f a b",
        ] {
            let argv: Vec<OsString> = std::iter::once("charpipe").chain(line.split(' ')).map(OsString::from).collect();
            for styled in [std::convert::identity, choice::brief] {
                let [all, one] = [command(), command_for(&argv[1])].map(|command| {
                    match styled(command).try_get_matches_from(&argv) {
                        Ok(matches) => format!("{:?}", matches.subcommand()),
                        Err(error) => format!("{}", error.render().ansi()),
                    }
                });
                assert_eq!(one, all, "{line}");
            }
        }
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
            ("charpipe -V", "charpipe -V"),
            ("charpipe chart a", "charpipe chart a"),
            ("charpipe rows --layout a b", "charpipe rows --layout a b"),
            // Options can precede the command, with their values.
            ("charpipe -q rows --layout a", "charpipe rows -q --layout a"),
            ("charpipe --json --policy=whatwg detect a", "charpipe detect --json --policy=whatwg a"),
            ("charpipe --records detect a", "charpipe detect --records a"),
            ("charpipe -qf IBM037 rows b", "charpipe rows -qf IBM037 b"),
            ("charpipe -o rows a", "charpipe convert -o rows a"),
            ("charpipe -f a rows --layout b", "charpipe rows -f a --layout b"),
            ("charpipe -q ./rows", "charpipe convert -q ./rows"),
            ("charpipe -q -- rows", "charpipe convert -q -- rows"),
            ("charpipe -q a rows", "charpipe convert -q a rows"),
            ("charpipe -l rows", "charpipe convert -l rows"),
            ("charpipe -q detect a", "charpipe detect -q a"),
            ("charpipe -f L1 detect a", "charpipe detect -f L1 a"),
            ("charpipe -qf L1 detect a", "charpipe detect -qf L1 a"),
            ("charpipe --from=L1 --json detect", "charpipe detect --from=L1 --json"),
            ("charpipe --from detect a", "charpipe convert --from detect a"),
            ("charpipe -f L1 ./detect", "charpipe convert -f L1 ./detect"),
            ("charpipe -q -- detect", "charpipe convert -q -- detect"),
            ("charpipe -q - detect", "charpipe convert -q - detect"),
            ("charpipe --json list x", "charpipe list --json x"),
            ("charpipe -q git-filter -f L1", "charpipe git-filter -q -f L1"),
            // An option that the command does not have leaves the word a file.
            ("charpipe --in-place detect a", "charpipe convert --in-place detect a"),
        ] {
            assert_eq!(whole(given), meant);
        }
        assert_eq!(with_command([]), ["charpipe", "convert"]);
    }
}
