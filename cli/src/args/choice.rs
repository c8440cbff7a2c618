//! Options whose value is one word of several: the list of words, and how help shows them.

use charpipe::Word;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Parses the words of one of the library's choices. `help` describes each word for the long help.
pub(crate) fn choice<T: Word>(help: fn(T) -> &'static str) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words(help)).try_map(|word| word.parse())
}

/// Parses one of `words`, each with its description for the long help.
pub(crate) fn described(words: &'static [(&'static str, &'static str)]) -> PossibleValuesParser {
    PossibleValuesParser::new(words.iter().map(|(word, help)| PossibleValue::new(*word).help(*help)))
}

/// A word of one of the library's choices, or something else: a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum WordOr<T> {
    Word(T),
    Other(String),
}

/// Parses a word of one of the library's choices, or anything else. Help and completions have the words.
pub(crate) fn word_or<T: Word>(help: fn(T) -> &'static str) -> WordOrParser<T> {
    WordOrParser(help)
}

#[derive(Clone)]
pub(crate) struct WordOrParser<T>(fn(T) -> &'static str);

impl<T: Word> TypedValueParser for WordOrParser<T> {
    type Value = WordOr<T>;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        Ok(text.parse().map_or(WordOr::Other(text), WordOr::Word))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(words(self.0)))
    }
}

fn words<T: Word>(help: fn(T) -> &'static str) -> impl Iterator<Item = PossibleValue> {
    T::ALL.iter().map(move |choice| PossibleValue::new(choice.name()).help(help(*choice)))
}

/// Changes `command` for `-h`, which has one line for each option: the words of a choice follow its description. In the
/// long help they are a list.
pub(crate) fn brief(command: Command) -> Command {
    command.mut_args(brief_arg).mut_subcommands(brief)
}

fn brief_arg(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    let words: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let (Some(help), true) = (arg.get_help(), words.len() > 1 && arg.get_action().takes_values()) else { return arg };
    let help = format!("{help}: {}", words.join(", "));
    arg.help(help).hide_possible_values(true)
}

#[cfg(test)]
mod tests {
    use crate::args::shown;

    #[test]
    fn every_word_of_a_choice_is_described() {
        let mut command = shown();
        command.build();
        for command in std::iter::once(&command).chain(command.get_subcommands()) {
            for arg in command
                .get_arguments()
                .filter(|arg| !["generate", "color", "progress"].contains(&arg.get_id().as_str()))
            {
                for value in arg.get_possible_values().iter().filter(|_| arg.get_action().takes_values()) {
                    assert!(value.get_help().is_some_and(|help| !help.to_string().is_empty()), "{arg} {value:?}");
                }
            }
        }
    }
}
