//! Sets options by name and value, such as `malformed` to `replace`, for configuration files, C programs and web pages.
//!
//! Each kind of job has one table of all its options, with the names and the values of the command line. The bindings use
//! it too, so an option has the same name everywhere.

use crate::error::{Error, ErrorKind};
use crate::registry::label;
use crate::words::{self, Word};
use std::fmt::Display;
use std::str::FromStr;

/// An option that [`Transcode::set`](crate::Transcode::set) can set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NamedOption {
    /// The name: `malformed`, `ebcdic-nl` …
    pub name: &'static str,
    /// The type of its value.
    pub value: OptionValue,
}

/// An option that had another name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RenamedOption {
    /// The old name.
    pub old: &'static str,
    /// The name of the option that took its place.
    pub name: &'static str,
    /// The value of that option which has the old meaning; `None` if the value is the same as before.
    pub value: Option<&'static str>,
}

impl RenamedOption {
    /// Makes the row of a table: the old name, the new one, and the new value if the old option had none.
    pub(crate) const fn new(old: &'static str, name: &'static str, value: Option<&'static str>) -> Self {
        RenamedOption { old, name, value }
    }
}

/// The type of the value of a [`NamedOption`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OptionValue {
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or the label of an encoding.
    WordOrLabel(&'static [&'static str]),
    /// The labels of encodings, separated by commas.
    Labels,
    /// `true` or `false`.
    Flag,
    /// Text in a special format: a number, a record format, columns.
    Text,
}

/// The text that an option is set to.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    option: &'static str,
    pub(crate) text: &'a str,
}

impl Given<'_> {
    /// Returns the error for this text, which the option cannot have because of `why`.
    pub(crate) fn bad(self, why: impl Display) -> Error {
        ErrorKind::BadOption { option: self.option.to_owned(), why: why.to_string() }.into()
    }

    /// Parses the text.
    pub(crate) fn parse<T: FromStr<Err: Display>>(self) -> Result<T, Error> {
        self.part(self.text)
    }

    /// Parses a part of the text.
    pub(crate) fn part<T: FromStr<Err: Display>>(self, part: &str) -> Result<T, Error> {
        part.parse().map_err(|why| self.bad(why))
    }

    /// Returns which of `words` the text is.
    pub(crate) fn place(self, words: &'static [&'static str]) -> Result<usize, Error> {
        words::place(self.text, words).map_err(|why| self.bad(why))
    }

    pub(crate) fn flag(self) -> Result<bool, Error> {
        self.text.parse().map_err(|_| self.bad(format_args!("{:?} is not true or false", self.text)))
    }
}

type Set<J> = fn(J, Given<'_>) -> Result<J, Error>;

/// A row of the table of options: an option, and what sets it in a job.
pub(crate) struct Row<J> {
    option: NamedOption,
    set: Set<J>,
}

impl<J> Row<J> {
    pub(crate) const fn new(name: &'static str, value: OptionValue, set: Set<J>) -> Self {
        Row { option: NamedOption { name, value }, set }
    }

    /// An option whose value is a word of the choice `T`.
    pub(crate) const fn word<T: Word>(name: &'static str, set: Set<J>) -> Self {
        Row::new(name, OptionValue::Word(T::NAMES), set)
    }

    /// An option that is on or off.
    pub(crate) const fn flag(name: &'static str, set: Set<J>) -> Self {
        Row::new(name, OptionValue::Flag, set)
    }

    /// An option with text of its own form.
    pub(crate) const fn text(name: &'static str, set: Set<J>) -> Self {
        Row::new(name, OptionValue::Text, set)
    }
}

/// Returns the options of a table of `N` rows.
pub(crate) const fn listing<J, const N: usize>(table: &[Row<J>]) -> [NamedOption; N] {
    let mut all = [table[0].option; N];
    let mut at = 0;
    while at < N {
        all[at] = table[at].option;
        at += 1;
    }
    all
}

/// Sets the option `name` of `job`. A name may have `_` in place of `-`.
pub(crate) fn set<J>(job: J, table: &[Row<J>], renamed: &[RenamedOption], name: &str, value: &str) -> Result<J, Error> {
    let name = name.replace('_', "-");
    match table.iter().find(|row| row.option.name == name) {
        Some(row) => (row.set)(job, Given { option: row.option.name, text: value }),
        None => Err(unknown(name, renamed, table.iter().map(|row| row.option.name))),
    }
}

/// The options that only builds with some feature have: option, what it is for, feature.
const OF_FEATURES: [(&str, &str, &str); 2] =
    [("mojibake", "repair of mojibake", "mojibake"), ("normalize", "normalisation", "normalize")];

/// Makes the error for an option that is not in the table: it has another name now, there is none, or this build lacks its
/// feature. `names` are those of all options.
fn unknown(name: String, renamed: &[RenamedOption], names: impl Iterator<Item = &'static str>) -> Error {
    if let Some(renamed) = renamed.iter().find(|renamed| renamed.old == name) {
        let RenamedOption { name: new, value, .. } = renamed;
        let why = value.map_or_else(|| format!("it is now {new}"), |value| format!("it is now {new}={value}"));
        return ErrorKind::BadOption { option: name, why }.into();
    }
    let near = label::near_misses(&name, names, |_| true);
    let feature = OF_FEATURES.iter().find(|(option, ..)| *option == name);
    let why = match (feature, &*near) {
        (Some((_, what, feature)), _) => format!("this build has no {what}: it lacks the feature `{feature}`"),
        (None, []) => "there is no such option".to_owned(),
        (None, near) => format!("there is no such option; did you mean {}?", near.join(" or ")),
    };
    ErrorKind::BadOption { option: name, why }.into()
}
