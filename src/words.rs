//! One table of words for each choice: the word of each value, once.
//!
//! `Display`, `FromStr`, serde, the command line and the docs all read the same table, which stands beside the choice it
//! is about:
//!
//! ```text
//! words! { Bom { Auto: "auto", Keep: "keep", Add: "add", Strip: "strip" } }
//! ```
//!
//! A variant without a word does not compile.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

/// A value from a fixed set, each of which has a word: policies, kinds, conventions.
///
/// The words are those of the command line, of its JSON and of serde. They never change.
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

    /// Returns the word for this value.
    fn name(self) -> &'static str;
}

/// The error for a word that is none of a choice's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownWord {
    word: String,
    expected: Vec<&'static str>,
}

impl UnknownWord {
    /// Returns the words that would do.
    #[must_use]
    pub fn expected(&self) -> &[&'static str] {
        &self.expected
    }
}

impl Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not one of {}", self.word, self.expected.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Returns the value whose word is `word`.
pub(crate) fn parse<T: Word>(word: &str) -> Result<T, UnknownWord> {
    T::ALL.iter().copied().find(|value| value.name() == word).ok_or_else(|| UnknownWord {
        word: word.to_owned(),
        expected: T::ALL.iter().map(|value| value.name()).collect(),
    })
}

/// Declares the words of a choice: [`Word`], `Display` and `FromStr`.
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
