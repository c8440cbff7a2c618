//! The tokens of a text, for searches and replacements before its entries are read.

use super::lexical::{gap, is_word_char};
use super::words::is_blank;
use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Word,
    /// A literal with its quotes; to the end of its line if it is not closed there.
    Literal,
    /// A period at the end of a sentence.
    Period,
    /// Any other character.
    Mark,
}

/// The tokens of a text, with their places in it.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Tokens { text, at: 0 }
    }

    /// Returns the tokens from `at` on.
    pub(super) fn from(text: &'a str, at: usize) -> Self {
        Tokens { text, at }
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text[self.at..].trim_start_matches(is_blank);
        let start = self.text.len() - rest.len();
        let first = rest.chars().next()?;
        let word = rest.find(|ch| !is_word_char(ch)).unwrap_or(rest.len());
        let (token, len) = match first {
            _ if word > 0 => (Token::Word, word),
            '\'' | '"' => {
                let end = rest[1..].find([first, '\n']).map_or(rest.len(), |at| 1 + at);
                (Token::Literal, if rest[end..].starts_with(first) { end + 1 } else { end })
            }
            '.' if rest[1..].chars().next().is_none_or(is_blank) => (Token::Period, 1),
            other => (Token::Mark, other.len_utf8()),
        };
        self.at = start + len;
        Some((token, start..self.at))
    }
}

/// Returns the text after the sentence at the beginning of `text`, which ends with a period.
pub(super) fn after_sentence(text: &str) -> &str {
    let end = Tokens::of(text).find(|(token, _)| *token == Token::Period).map_or(text.len(), |(_, place)| place.end);
    gap(&text[end..]).map_or("", |(rest, ())| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        Tokens::of(text).map(|(token, place)| format!("{token:?} {}", &text[place])).collect()
    }

    #[test]
    fn tokens_of_entries() {
        assert_eq!(shown(" 05 A-:T: PIC\n").join("|"), "Word 05|Word A-|Mark :|Word T|Mark :|Word PIC");
        assert_eq!(
            shown("PIC Z9.9(2)."),
            ["Word PIC", "Word Z9", "Mark .", "Word 9", "Mark (", "Word 2", "Mark )", "Period ."]
        );
        assert_eq!(
            shown("'a. b' \"c'd\". 'it''s'"),
            ["Literal 'a. b'", "Literal \"c'd\"", "Period .", "Literal 'it'", "Literal 's'"]
        );
        assert_eq!(shown("'open. \n==É=="), ["Literal 'open. ", "Mark =", "Mark =", "Word É", "Mark =", "Mark ="]);
    }

    #[test]
    fn sentences() {
        assert_eq!(after_sentence("FD A VALUE OF ID IS 'x. y' RECORD 80. 01 B."), "01 B.");
        assert_eq!(after_sentence("78 A VALUE 1.5.\n\n"), "");
        assert_eq!(after_sentence("no end"), "");
    }
}
