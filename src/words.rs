//! The words for the values of choices, such as `replace` for `OnMalformed::Replace`.
//!
//! Each choice has one table of words, beside its type. `Display`, `FromStr`, serde, the command line and the docs all
//! use this table:
//!
//! ```text
//! words! { Bom { Auto: "auto", Keep: "keep", Add: "add", Strip: "strip" } }
//! ```
//!
//! A variant without a word does not compile.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

/// A choice: a type with a fixed set of values, each of which has a word. Policies, kinds and conventions are choices.
///
/// The command line, its JSON and serde use these words. They never change.
///
/// ```
/// use charpipe::OnMalformed;
///
/// assert_eq!("replace".parse(), Ok(OnMalformed::Replace));
/// assert_eq!(OnMalformed::Replace.to_string(), "replace");
/// let all: Vec<&str> = OnMalformed::ALL.iter().map(|policy| policy.name()).collect();
/// assert_eq!(all, ["fail", "replace", "drop", "escape"]);
/// let error = "skip".parse::<OnMalformed>().unwrap_err();
/// assert_eq!(error.to_string(), r#""skip" is not one of fail, replace, drop, escape"#);
/// ```
pub trait Word: Copy + Eq + Debug + Display + FromStr<Err = UnknownWord> + Send + Sync + 'static {
    /// All values, in the order of their documentation.
    const ALL: &'static [Self];

    /// The words of all values, in the same order.
    const NAMES: &'static [&'static str];

    /// Returns the word for this value.
    fn name(self) -> &'static str;
}

/// The error for a word that is not one of the choice's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownWord {
    word: String,
    expected: &'static [&'static str],
}

impl UnknownWord {
    /// Returns the words of the choice.
    #[must_use]
    pub fn expected(&self) -> &'static [&'static str] {
        self.expected
    }
}

impl Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not one of {}", self.word, self.expected.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Returns which of `expected` is `word`.
pub(crate) fn place(word: &str, expected: &'static [&'static str]) -> Result<usize, UnknownWord> {
    let place = expected.iter().position(|one| *one == word);
    place.ok_or_else(|| UnknownWord { word: word.to_owned(), expected })
}

/// Returns the value that has the word `word`.
pub(crate) fn parse<T: Word>(word: &str) -> Result<T, UnknownWord> {
    place(word, T::NAMES).map(|place| T::ALL[place])
}

/// Returns the edit distance: how many letters have to be inserted, deleted, swapped with their neighbour, or changed.
/// Changing one letter to another costs what `weighs` returns.
pub(crate) fn distance(a: &str, b: &str, weighs: impl Fn(u8, u8) -> usize) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = above[j - 1] + if a[i - 1] == b[j - 1] { 0 } else { weighs(a[i - 1], b[j - 1]) };
            row[j] = changed.min(row[j - 1] + 1).min(above[j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// Declares the words of a choice. Implements [`Word`], `Display` and `FromStr` for it.
macro_rules! words {
    ($type:ident { $($value:ident: $word:literal),+ $(,)? }) => {
        impl $type {
            /// All values, in the order of their documentation.
            pub const ALL: &'static [Self] = &[$($type::$value),+];

            /// Returns the word for this value, as `Display` writes it and `FromStr` reads it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$value => $word,)+
                }
            }
        }

        impl crate::words::Word for $type {
            const ALL: &'static [Self] = $type::ALL;
            const NAMES: &'static [&'static str] = &[$($word),+];

            fn name(self) -> &'static str {
                $type::name(self)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(crate::words::Word::name(*self))
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                crate::words::parse(word)
            }
        }
    };
}
pub(crate) use words;
