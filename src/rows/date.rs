//! Dates in text and numbers: a pattern such as `YYYYMMDD` says how a field contains one, with or without a time.

use crate::fields::{Date, Problem, Timestamp, Value};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// The next part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// This many digits of the year: 4, or 2 for the years 1950 to 2049.
    Year(usize),
    Month,
    Day,
    DayOfYear,
    Hour,
    Minute,
    Second,
    /// This many digits of the fraction of a second.
    Fraction(usize),
    Other(char),
}

/// How a field contains a date: `YYYY` or `YY` (1950 to 2049), with `MM` and `DD` or with `DDD` (the day of the year),
/// and any other characters. A time is `HH` (0 to 23), `MI` and `SS`, with `F` for each digit after the point of the
/// second: up to twelve, of which those after the sixth have to be zeros. 24:00:00 is read as the beginning of the next
/// day.
///
/// ```
/// use charpipe::fields::{Date, Value};
/// use charpipe::rows::DatePattern;
///
/// let pattern: DatePattern = "DD.MM.YYYY".parse()?;
/// assert_eq!(pattern.read(Value::Text("29.02.2024")), Ok(Date::new(2024, 2, 29)));
/// assert_eq!(pattern.read(Value::Text("00.00.0000")), Ok(None));
/// assert_eq!(pattern.read(Value::Text("31.02.2024")), Err("31.02.2024".to_owned()));
/// let pattern: DatePattern = "YYYY-MM-DD-HH.MI.SS.FFFFFF".parse()?;
/// let found = pattern.read_value(Value::Text("2026-11-23-05.06.07.123456"));
/// assert_eq!(found.map(|value| value.to_string()), Ok("2026-11-23 05:06:07.123456".to_owned()));
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
             YYYY-MM-DD or YYYYDDD; and for a time HH, MI and SS, such as YYYY-MM-DD-HH.MI.SS.FFFFFF",
            self.0
        )
    }
}

impl std::error::Error for BadDatePattern {}

impl FromStr for DatePattern {
    type Err = BadDatePattern;

    fn from_str(text: &str) -> Result<Self, BadDatePattern> {
        const KNOWN: [(&str, Token); 8] = [
            ("YYYY", Token::Year(4)),
            ("YY", Token::Year(2)),
            ("MM", Token::Month),
            ("DDD", Token::DayOfYear),
            ("DD", Token::Day),
            ("HH", Token::Hour),
            ("MI", Token::Minute),
            ("SS", Token::Second),
        ];
        let (mut rest, mut tokens) = (text, Vec::new());
        while let Some(ch) = rest.chars().next() {
            let (len, token) = match KNOWN.iter().find(|(word, _)| rest.starts_with(word)) {
                Some((word, token)) => (word.len(), *token),
                None if ch == 'F' && tokens.contains(&Token::Second) => {
                    let digits = rest.len() - rest.trim_start_matches('F').len();
                    (digits, Token::Fraction(digits))
                }
                None => (ch.len_utf8(), Token::Other(ch)),
            };
            tokens.push(token);
            rest = &rest[len..];
        }
        let count = |wanted: fn(&Token) -> bool| tokens.iter().filter(|token| wanted(token)).count();
        let years = count(|token| matches!(token, Token::Year(_)));
        let parts = (count(|token| *token == Token::Month), count(|token| *token == Token::Day));
        let time =
            [Token::Hour, Token::Minute, Token::Second].map(|part| tokens.iter().filter(|one| **one == part).count());
        let fractions =
            tokens.iter().filter_map(|token| if let Token::Fraction(digits) = token { Some(*digits) } else { None });
        let is_time = match &*fractions.collect::<Vec<_>>() {
            [] => time == [1; 3] || time == [0; 3],
            [digits] => time == [1; 3] && *digits <= MOST_DIGITS,
            _ => false,
        };
        match (years, parts, count(|token| *token == Token::DayOfYear)) {
            (1, (1, 1), 0) | (1, (0, 0), 1) if is_time => Ok(DatePattern { text: text.to_owned(), tokens }),
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

    /// Returns whether the pattern has a time.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.tokens.contains(&Token::Hour)
    }

    /// Returns the date in the value of a field, without its time; `None` if it has none: spaces, zeros or nothing.
    ///
    /// # Errors
    /// The value as text if it is not a date of this pattern.
    pub fn read(&self, value: Value<'_>) -> Result<Option<Date>, String> {
        self.moment(value).map(|moment| moment.map(Timestamp::date))
    }

    /// Returns the value of a field as a date, or as a moment if the pattern [has a time](Self::has_time); null if it
    /// has none: spaces, zeros or nothing.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn read_value(&self, value: Value<'_>) -> Result<Value<'static>, String> {
        Ok(match self.moment(value)? {
            None => Value::Null,
            Some(moment) if self.has_time() => Value::Timestamp(moment),
            Some(moment) => Value::Date(moment.date()),
        })
    }

    fn moment(&self, value: Value<'_>) -> Result<Option<Timestamp>, String> {
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
        self.parse(&text).map(Some).ok_or(text)
    }

    /// Returns the text of a field that contains this date; `None` if two digits cannot express the year.
    #[must_use]
    pub fn write(&self, date: Date) -> Option<String> {
        self.write_timestamp(Timestamp::new(date, 0, 0, 0)?)
    }

    /// Returns the text of a field that contains this moment; `None` if the pattern cannot express it: it has no time,
    /// or too few digits.
    #[must_use]
    pub fn write_timestamp(&self, moment: Timestamp) -> Option<String> {
        let (date, time) = (moment.date(), moment.micros_of_day());
        let (seconds, micros) = (time / 1_000_000, time % 1_000_000);
        let fraction = format!("{micros:06}000000");
        let digits =
            self.tokens.iter().find_map(|one| if let Token::Fraction(digits) = one { Some(*digits) } else { None });
        let is_whole = fraction[digits.unwrap_or(0)..].bytes().all(|digit| digit == b'0');
        if !is_whole || !self.has_time() && time > 0 {
            return None;
        }
        let mut text = String::new();
        for token in &self.tokens {
            _ = match token {
                Token::Year(4) => write!(text, "{:04}", date.year()),
                Token::Year(_) if (1950..2050).contains(&date.year()) => write!(text, "{:02}", date.year() % 100),
                Token::Year(_) => return None,
                Token::Month => write!(text, "{:02}", date.month()),
                Token::Day => write!(text, "{:02}", date.day()),
                Token::DayOfYear => write!(text, "{:03}", date.day_of_year()),
                Token::Hour => write!(text, "{:02}", seconds / 3600),
                Token::Minute => write!(text, "{:02}", seconds / 60 % 60),
                Token::Second => write!(text, "{:02}", seconds % 60),
                Token::Fraction(digits) => write!(text, "{}", &fraction[..*digits]),
                Token::Other(ch) => write!(text, "{ch}"),
            };
        }
        Some(text)
    }

    /// Returns the text of a field that contains the date that is written as in ISO 8601 (`2024-02-29`), as it is in
    /// rows; if the pattern [has a time](Self::has_time), `2024-02-29 12:30:00`, with up to twelve decimal places or
    /// none, and also with a `T`. Empty if there is none.
    ///
    /// # Errors
    /// A description of the error.
    pub fn write_iso(&self, text: &str) -> Result<String, String> {
        let parts: [&str; 2] = if self.has_time() { ["YYYY-MM-DD", " HH:MI:SS"] } else { ["YYYY-MM-DD", ""] };
        let trimmed = text.trim_end_matches(' ');
        let digits = trimmed.split_once('.').map_or(0, |(_, fraction)| fraction.len()).min(MOST_DIGITS);
        let fraction = if self.has_time() && digits > 0 { format!(".{}", "F".repeat(digits)) } else { String::new() };
        let iso = (parts.concat() + &fraction).parse::<DatePattern>().map_err(|error| error.to_string())?;
        let blank =
            if self.has_time() && text.get(10..11) == Some("T") { text.replacen('T', " ", 1) } else { text.into() };
        let not_a_date = |value: String| Problem::NotADate { value, pattern: parts.concat() }.to_string();
        let found = iso.moment(Value::Text(&blank)).map_err(|_| not_a_date(text.to_owned()))?;
        let Some(moment) = found else { return Ok(String::new()) };
        self.write_timestamp(moment).ok_or_else(|| self.does_not_fit(moment))
    }

    /// Returns the text of a field that contains a value of a column of dates or moments, or what [`write_iso`] takes.
    /// Empty if there is none.
    ///
    /// # Errors
    /// A description of the error.
    ///
    /// [`write_iso`]: Self::write_iso
    pub fn write_value(&self, value: Value<'_>) -> Result<String, String> {
        let moment = match value {
            Value::Date(date) => Timestamp::new(date, 0, 0, 0),
            Value::Timestamp(moment) => Some(moment),
            value => return self.write_iso(&value.to_string()),
        };
        let Some(moment) = moment else { return Ok(String::new()) };
        self.write_timestamp(moment).ok_or_else(|| self.does_not_fit(moment))
    }

    fn does_not_fit(&self, moment: Timestamp) -> String {
        match self.has_time() || moment.micros_of_day() > 0 {
            true => format!("{moment} does not fit into {}", self.text),
            false => format!("the year of {} does not fit into {}", moment.date(), self.text),
        }
    }

    fn parse(&self, text: &str) -> Option<Timestamp> {
        let (mut year, mut month, mut day, mut rest) = (0, 1, 1, text);
        let (mut of_year, mut time, mut micros) = (None, [0; 3], 0);
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
                Token::Hour => time[0] = number()?,
                Token::Minute => time[1] = number()?,
                Token::Second => time[2] = number()?,
                Token::Fraction(_) => micros = fraction(part)?,
                Token::Other(ch) => part.chars().eq([*ch]).then_some(())?,
            }
        }
        rest.trim_end_matches([' ', '\0']).is_empty().then_some(())?;
        let small = |number: u16| u8::try_from(number).ok();
        let date = match of_year {
            Some(day) => Date::of_year(year, day),
            None => Date::new(year, small(month)?, small(day)?),
        };
        let (date, hour) = match (time, micros) {
            ([24, 0, 0], 0) => (next_day(date?)?, 0),
            _ => (date?, time[0]),
        };
        Timestamp::new(date, small(hour)?, small(time[1])?, small(time[2])?)?.with_micros(micros)
    }
}

/// Returns the day after this one, unless it is the last day of the calendar.
fn next_day(date: Date) -> Option<Date> {
    Date::of_year(date.year(), date.day_of_year() + 1).or_else(|| Date::of_year(date.year() + 1, 1))
}

/// The most digits after the point of a second: those of Db2.
const MOST_DIGITS: usize = 12;

/// Returns the microseconds that the digits after the point of a second are; `None` if they are not whole.
fn fraction(digits: &str) -> Option<u32> {
    let (micros, rest) = digits.split_at_checked(6).unwrap_or((digits, ""));
    let is_whole = rest.bytes().all(|digit| digit == b'0') && micros.bytes().all(|digit| digit.is_ascii_digit());
    is_whole.then(|| format!("{micros:0<6}").parse().ok()).flatten()
}

impl Token {
    fn width(&self) -> usize {
        match self {
            Token::Year(width) => *width,
            Token::Month | Token::Day | Token::Hour | Token::Minute | Token::Second => 2,
            Token::Fraction(digits) => *digits,
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
        for day in [-719_162, -1, 0, 58, 59, 789, 11_016, 11_322, 19_782, 2_932_896] {
            assert_eq!(Date::of_days(day).map(Date::days), Some(day));
        }
        assert_eq!(Date::new(1, 1, 1).unwrap().days(), -719_162);
        assert_eq!(Date::new(1970, 1, 1).unwrap().days(), 0);
    }

    /// Db2 has 24.00.00 as the end of a day. It is the same moment as the beginning of the next day.
    #[test]
    fn the_end_of_a_day() {
        let pattern: DatePattern = "YYYY-MM-DD-HH.MI.SS.FFFFFF".parse().unwrap();
        let read = |text: &str| pattern.read_value(Value::Text(text)).map(|value| value.to_string());
        for (day, next) in [
            ("2026-11-23", "2026-11-24"),
            ("2024-02-28", "2024-02-29"),
            ("2023-02-28", "2023-03-01"),
            ("2024-12-31", "2025-01-01"),
        ] {
            assert_eq!(read(&format!("{day}-24.00.00.000000")), Ok(format!("{next} 00:00:00.000000")));
            assert_eq!(
                pattern.read(Value::Text(&format!("{day}-24.00.00.000000"))).unwrap().unwrap().to_string(),
                next
            );
            assert_eq!(pattern.write_iso(&format!("{day} 24:00:00")), Ok(format!("{next}-00.00.00.000000")));
        }
        for bad in ["24.00.00.000001", "24.00.01.000000", "24.01.00.000000", "25.00.00.000000"] {
            assert!(read(&format!("2026-11-23-{bad}")).is_err(), "{bad}");
        }
        assert!(read("9999-12-31-24.00.00.000000").is_err() && read("2023-02-29-24.00.00.000000").is_err());
    }

    #[test]
    fn moments_there_and_back() {
        for (pattern, text, iso) in [
            ("YYYY-MM-DD-HH.MI.SS.FFFFFF", "2026-11-23-05.06.07.123456", "2026-11-23 05:06:07.123456"),
            ("YYYY-MM-DD-HH.MI.SS.FFFFFFFFFFFF", "0001-01-01-23.59.59.000001000000", "0001-01-01 23:59:59.000001"),
            ("YYYYDDDHHMISSFF", "202605900000012", "2026-02-28 00:00:00.120000"),
            ("DD.MM.YY HH:MI:SS", "31.12.99 12:00:00", "1999-12-31 12:00:00.000000"),
            ("FYYYYMMDDSSMIHH", "F20240229595823", "2024-02-29 23:58:59.000000"),
        ] {
            let pattern: DatePattern = pattern.parse().unwrap();
            assert_eq!(pattern.read_value(Value::Text(text)).map(|value| value.to_string()), Ok(iso.to_owned()));
            assert_eq!(pattern.write_iso(iso), Ok(text.to_owned()));
            assert_eq!(pattern.write_iso(&iso.replace(' ', "T")), Ok(text.to_owned()));
            assert_eq!(pattern.write_iso(&format!("{iso}000000")), Ok(text.to_owned()));
        }
        let pattern: DatePattern = "YYYY-MM-DD-HH.MI.SS.FFF".parse().unwrap();
        assert_eq!(pattern.write_iso("2026-11-23 05:06:07"), Ok("2026-11-23-05.06.07.000".to_owned()));
        assert_eq!(pattern.write_iso("  "), Ok(String::new()));
        assert_eq!(pattern.read_value(Value::Text("0000-00-00-00.00.00.000")), Ok(Value::Null));
        for text in ["2026-11-23-05.60.07.000", "2026-11-23-05.06.60.000", "2026-11-23-05.06.07"] {
            assert_eq!(pattern.read_value(Value::Text(text)), Err(text.to_owned()));
        }
        for (iso, expected) in [
            ("2026-11-23 05:06:07.1234", "2026-11-23 05:06:07.123400 does not fit into YYYY-MM-DD-HH.MI.SS.FFF"),
            ("2026-11-23 05:06:07.1234567", "\"2026-11-23 05:06:07.1234567\" is not a date like YYYY-MM-DD HH:MI:SS"),
            ("2026-11-23", "\"2026-11-23\" is not a date like YYYY-MM-DD HH:MI:SS"),
        ] {
            assert_eq!(pattern.write_iso(iso), Err(expected.to_owned()));
        }
        for bad in [
            "YYYYMMDDHHMI",
            "YYYYMMDDSS",
            "HHMISS",
            "YYYYMMDDHHMISSFFFFFFFFFFFFF",
            "YYYYMMDDHHMISSFF.F",
            "YYYYMMDDHHHHMISS",
        ] {
            assert!(bad.parse::<DatePattern>().is_err(), "{bad}");
        }
        let date: DatePattern = "YYMMDD".parse().unwrap();
        let noon = Timestamp::new(Date::new(2024, 2, 29).unwrap(), 12, 0, 0).unwrap();
        assert_eq!(
            date.write_value(Value::Timestamp(noon)),
            Err("2024-02-29 12:00:00.000000 does not fit into YYMMDD".to_owned())
        );
        assert_eq!(date.write_value(Value::Date(noon.date())), Ok("240229".to_owned()));
        assert_eq!(date.write_iso("2050-01-01"), Err("the year of 2050-01-01 does not fit into YYMMDD".to_owned()));
    }
}
