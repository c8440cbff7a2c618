//! Dates in text and numbers: a pattern such as `YYYYMMDD` says how a field contains one.

use crate::fields::{Date, Problem, Value};
use std::fmt::{self, Write as _};
use std::str::FromStr;

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

/// How a field contains a date: `YYYY` or `YY` (1950 to 2049), with `MM` and `DD` or with `DDD` (the day of the year), and
/// any other characters.
///
/// ```
/// use charpipe::fields::{Date, Value};
/// use charpipe::rows::DatePattern;
///
/// let pattern: DatePattern = "DD.MM.YYYY".parse()?;
/// assert_eq!(pattern.read(Value::Text("29.02.2024")), Ok(Date::new(2024, 2, 29)));
/// assert_eq!(pattern.read(Value::Text("00.00.0000")), Ok(None));
/// assert_eq!(pattern.read(Value::Text("31.02.2024")), Err("31.02.2024".to_owned()));
/// assert!("YYYYMM".parse::<DatePattern>().is_err());
/// # Ok::<(), charpipe::rows::BadDatePattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatePattern {
    text: String,
    tokens: Vec<Token>,
}

/// The error for text that is not a valid [`DatePattern`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadDatePattern(String);

impl fmt::Display for BadDatePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a pattern of a date: expected YYYY or YY once, with MM and DD or with DDD, such as YYYYMMDD, \
             YYYY-MM-DD or YYYYDDD",
            self.0
        )
    }
}

impl std::error::Error for BadDatePattern {}

impl FromStr for DatePattern {
    type Err = BadDatePattern;

    fn from_str(text: &str) -> Result<Self, BadDatePattern> {
        const KNOWN: [(&str, Token); 5] = [
            ("YYYY", Token::Year(4)),
            ("YY", Token::Year(2)),
            ("MM", Token::Month),
            ("DDD", Token::DayOfYear),
            ("DD", Token::Day),
        ];
        let (mut rest, mut tokens) = (text, Vec::new());
        while let Some(ch) = rest.chars().next() {
            let (len, token) = match KNOWN.iter().find(|(word, _)| rest.starts_with(word)) {
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
            _ => Err(BadDatePattern(text.to_owned())),
        }
    }
}

impl DatePattern {
    /// Returns the pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the date in the value of a field; `None` if it has none: blanks, zeros or nothing.
    ///
    /// # Errors
    /// The value as text if it is not a date of this pattern.
    pub fn read(&self, value: Value<'_>) -> Result<Option<Date>, String> {
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
        self.date(&text).map(Some).ok_or(text)
    }

    /// Returns the text of a field that contains this date; `None` if two digits cannot express the year.
    #[must_use]
    pub fn write(&self, date: Date) -> Option<String> {
        let mut text = String::new();
        for token in &self.tokens {
            _ = match token {
                Token::Year(4) => write!(text, "{:04}", date.year()),
                Token::Year(_) if (1950..2050).contains(&date.year()) => write!(text, "{:02}", date.year() % 100),
                Token::Year(_) => return None,
                Token::Month => write!(text, "{:02}", date.month()),
                Token::Day => write!(text, "{:02}", date.day()),
                Token::DayOfYear => write!(text, "{:03}", date.day_of_year()),
                Token::Other(ch) => write!(text, "{ch}"),
            };
        }
        Some(text)
    }

    /// Returns the text of a field that contains the date that is written as in ISO 8601 (`2024-02-29`), as it is in rows.
    /// Empty if there is none.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn write_iso(&self, text: &str) -> Result<String, String> {
        const ISO: &str = "YYYY-MM-DD";
        let iso = ISO.parse::<DatePattern>().map_err(|error| error.to_string())?;
        let found = iso.read(Value::Text(text));
        let date = found.map_err(|value| Problem::NotADate { value, pattern: ISO.to_owned() }.to_string())?;
        let Some(date) = date else { return Ok(String::new()) };
        self.write(date).ok_or_else(|| format!("the year of {date} does not fit into {}", self.text))
    }

    fn date(&self, text: &str) -> Option<Date> {
        let (mut year, mut month, mut day, mut rest) = (0, 1, 1, text);
        let mut of_year = None;
        for token in &self.tokens {
            let part = rest.get(..token.width())?;
            rest = &rest[part.len()..];
            let number = || part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u16>().ok()).flatten();
            match token {
                Token::Year(4) => year = number()?,
                Token::Year(_) => year = number().map(|year| if year < 50 { 2000 + year } else { 1900 + year })?,
                Token::Month => month = number()?,
                Token::Day => day = number()?,
                Token::DayOfYear => of_year = Some(number()?),
                Token::Other(ch) => part.chars().eq([*ch]).then_some(())?,
            }
        }
        rest.trim_end_matches([' ', '\0']).is_empty().then_some(())?;
        match of_year {
            Some(day) => Date::of_year(year, day),
            None => Date::new(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_there_and_back() {
        for pattern in ["YYYYMMDD", "DD/MM/YYYY", "YYYYDDD"] {
            let pattern: DatePattern = pattern.parse().unwrap();
            let mut last = None;
            for (year, day) in (1999..=2001).flat_map(|year| (1..=366).map(move |day| (year, day))) {
                let Some(date) = Date::of_year(year, day) else {
                    assert!(day == 366 && year != 2000);
                    continue;
                };
                let text = pattern.write(date).unwrap();
                assert_eq!(pattern.read(Value::Text(&text)), Ok(Some(date)), "{text}");
                assert!(last.is_none_or(|last| last + 1 == date.days()), "{date}");
                last = Some(date.days());
            }
        }
        let short: DatePattern = "YYMMDD".parse().unwrap();
        assert_eq!(short.read(Value::Text("500101")), Ok(Date::new(1950, 1, 1)));
        assert_eq!(short.read(Value::Text("491231")), Ok(Date::new(2049, 12, 31)));
        assert_eq!(short.write(Date::new(2050, 1, 1).unwrap()), None);
        assert_eq!(Date::new(1, 1, 1).unwrap().days(), -719_162);
        assert_eq!(Date::new(1970, 1, 1).unwrap().days(), 0);
    }
}
