//! The options that select files for `-r`. `--include` and `--exclude` form one list, in the order in which they were
//! typed, which clap's derive macro cannot express.

use crate::args::headings::FILES;
use crate::selection::glob::Glob;
use crate::selection::{Rule, Selection};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

const INCLUDE: &str = "With -r: use only files that match GLOB";
const LONG_INCLUDE: &str = "\
With -r: use only files that match GLOB

A GLOB without a slash is compared with the name of each file. One with a slash is compared with the path below the \
directory that was given, in which `**` stands for any number of directories. May be repeated; of several --include \
and --exclude, the last that matches wins. If there is an --include, files that match none of them are skipped.";
const EXCLUDE: &str = "With -r: skip files and directories that match GLOB";
const LONG_EXCLUDE: &str = "\
With -r: skip files and directories that match GLOB

Everything in these directories is excluded too. A slash at the end of GLOB means directories only. May be repeated: \
see --include.";
const HIDDEN: &str = "With -r: also use hidden files";
const LONG_HIDDEN: &str = "\
With -r: also use hidden files

These are files and directories whose names begin with a dot. Version control directories, such as .git, are always skipped.";

impl Args for Selection {
    fn augment_args(command: Command) -> Command {
        let glob = |name: &'static str, help, long_help| {
            Arg::new(name)
                .long(name)
                .help_heading(FILES)
                .value_name("GLOB")
                .action(ArgAction::Append)
                .value_parser(Glob::parse)
                .requires("recursive")
                .help(help)
                .long_help(long_help)
        };
        let hidden =
            Arg::new("hidden").long("hidden").hide_short_help(true).help_heading(FILES).action(ArgAction::SetTrue);
        command
            .arg(glob("include", INCLUDE, LONG_INCLUDE))
            .arg(glob("exclude", EXCLUDE, LONG_EXCLUDE))
            .arg(hidden.requires("recursive").help(HIDDEN).long_help(LONG_HIDDEN))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Selection::augment_args(command)
    }
}

impl FromArgMatches for Selection {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let globs = |name, rule| {
            let indices = matches.indices_of(name).into_iter().flatten();
            let globs = matches.get_many::<Glob>(name).into_iter().flatten();
            indices.zip(globs).map(move |(index, glob)| (index, rule, glob.clone()))
        };
        let mut rules: Vec<_> = globs("include", Rule::Include).chain(globs("exclude", Rule::Exclude)).collect();
        rules.sort_by_key(|(index, ..)| *index);
        let rules = rules.into_iter().map(|(_, rule, glob)| (rule, glob)).collect();
        Ok(Selection { rules, hidden: matches.get_flag("hidden") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Selection::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_command_line() {
        let command =
            Selection::augment_args(Command::new("x")).arg(Arg::new("recursive").short('r').action(ArgAction::SetTrue));
        let line = "x -r --exclude a --include b --include=c --exclude d";
        let matches = command.try_get_matches_from(line.split(' ')).unwrap();
        let selection = Selection::from_arg_matches(&matches).unwrap();
        let rules: Vec<Rule> = selection.rules.iter().map(|(rule, _)| *rule).collect();
        assert_eq!(rules, [Rule::Exclude, Rule::Include, Rule::Include, Rule::Exclude]);
    }
}
