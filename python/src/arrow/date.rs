//! Dates in text and numbers: a pattern such as `YYYYMMDD` says how a field contains one.

use super::leaf::Misfit;
use charpipe::fields::Value;
use std::fmt::Write as _;

/// What comes next in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// This many digits of the year: 4, or 2 for the years 1950 to 2049.
    Year(usize),
    Month,
    Day,
    DayOfYear,
    Other(char),
}

/// How a field contains a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatePattern {
    text: String,
    tokens: Vec<Token>,
}

impl DatePattern {
    /// Reads a pattern: `YYYY` or `YY`, with `MM` and `DD` or with `DDD`, and any other characters.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let (mut rest, mut tokens) = (text, Vec::new());
        let known = [
            ("YYYY", Token::Year(4)),
            ("YY", Token::Year(2)),
            ("MM", Token::Month),
            ("DDD", Token::DayOfYear),
            ("DD", Token::Day),
        ];
        while let Some(ch) = rest.chars().next() {
            let (len, token) = match known.iter().find(|(word, _)| rest.starts_with(word)) {
                Some((word, token)) => (word.len(), *token),
                None => (ch.len_utf8(), Token::Other(ch)),
            };
            tokens.push(token);
            rest = &rest[len..];
        }
        let count = |wanted: fn(&Token) -> bool| tokens.iter().filter(|token| wanted(token)).count();
        let years = count(|token| matches!(token, Token::Year(_)));
        let parts = (count(|token| *token == Token::Month), count(|token| *token == Token::Day));
        match (years, parts, count(|token| *token == Token::DayOfYear)) {
            (1, (1, 1), 0) | (1, (0, 0), 1) => Ok(DatePattern { text: text.to_owned(), tokens }),
            _ => Err(format!(
                "{text:?} is not a pattern of a date: expected YYYY or YY once, with MM and DD or with DDD, such as \
                 YYYYMMDD, YYYY-MM-DD or YYYYDDD"
            )),
        }
    }

    /// Returns the number of days since 1970-01-01; `None` if the field has no date: blanks, zeros or nothing.
    pub(super) fn read(&self, value: Value<'_>) -> Result<Option<i32>, Misfit> {
        let mut text = String::new();
        // Writing to a string cannot fail.
        _ = match value {
            Value::Null => return Ok(None),
            Value::Number(number) => {
                let width = self.tokens.iter().map(Token::width).sum();
                write!(text, "{:0width$}", number.magnitude())
            }
            value => write!(text, "{value}"),
        };
        let is_filler = |ch: char| matches!(ch, ' ' | '\0' | '0') || self.tokens.contains(&Token::Other(ch));
        if text.chars().all(is_filler) {
            return Ok(None);
        }
        let what = || format!("{:?} is not a date like {}", text, self.text);
        self.days(&text).map(Some).ok_or_else(|| Misfit { code: "bad-date", what: what() })
    }

    fn days(&self, text: &str) -> Option<i32> {
        let (mut year, mut month, mut day, mut rest) = (0, 1, 1, text);
        let mut of_year = None;
        for token in &self.tokens {
            let part = rest.get(..token.width())?;
            rest = &rest[part.len()..];
            let number = || part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<i32>().ok()).flatten();
            match token {
                Token::Year(4) => year = number()?,
                Token::Year(_) => year = number().map(|year| if year < 50 { 2000 + year } else { 1900 + year })?,
                Token::Month => month = number()?,
                Token::Day => day = number()?,
                Token::DayOfYear => of_year = Some(number()?),
                Token::Other(ch) => part.chars().eq([*ch]).then_some(())?,
            }
        }
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let lens = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let in_year = match of_year {
            Some(day) => (1..=lens.iter().sum()).contains(&day).then_some(day - 1)?,
            None => {
                let index = usize::try_from(month - 1).ok().filter(|index| *index < 12)?;
                (1..=lens[index]).contains(&day).then_some(())?;
                lens[..index].iter().sum::<i32>() + day - 1
            }
        };
        // The days of whole years since the year 0, which is a leap year.
        let leaps = |year: i32| (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
        let before = |year: i32| 365 * year + leaps(year);
        (rest.trim_end_matches([' ', '\0']).is_empty() && year > 0).then(|| before(year) - before(1970) + in_year)
    }
}

impl Token {
    fn width(&self) -> usize {
        match self {
            Token::Year(width) => *width,
            Token::Month | Token::Day => 2,
            Token::DayOfYear => 3,
            Token::Other(ch) => ch.len_utf8(),
        }
    }
}
