//! Days of the Gregorian calendar, and moments in them: [`Date`] and [`Timestamp`].

use std::fmt;

/// A day of the Gregorian calendar, in the years 1 to 9999.
///
/// ```
/// use charpipe::fields::Date;
///
/// let date = Date::new(2024, 2, 29).unwrap();
/// assert_eq!((date.days(), &*date.to_string()), (19782, "2024-02-29"));
/// assert_eq!(Date::new(2023, 2, 29), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Returns the day with these numbers, from 1; `None` if there is no such day.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let is_valid = (1..=9999).contains(&year) && (1..=12).contains(&month);
        (is_valid && (1..=len_of_month(year, month)).contains(&day)).then_some(Date { year, month, day })
    }

    /// Returns the day of a year with this number, from 1.
    #[must_use]
    pub fn of_year(year: u16, mut day: u16) -> Option<Self> {
        for month in 1..=12 {
            let len = u16::from(len_of_month(year, month));
            if day <= len {
                return Date::new(year, month, u8::try_from(day).ok()?);
            }
            day -= len;
        }
        None
    }

    /// Returns the number of days since 1970-01-01, negative before.
    #[must_use]
    pub fn days(self) -> i32 {
        let year = i32::from(self.year);
        // The days of whole years since the year 0, which is a leap year.
        let before = |year: i32| 365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
        before(year) - before(1970) + i32::from(self.day_of_year()) - 1
    }

    /// Returns the day that is this many days after 1970-01-01; `None` if its year is not from 1 to 9999.
    ///
    /// ```
    /// use charpipe::fields::Date;
    ///
    /// assert_eq!(Date::of_days(19782), Date::new(2024, 2, 29));
    /// assert_eq!((Date::of_days(-719_163), Date::of_days(2_932_897)), (None, None));
    /// ```
    #[must_use]
    pub fn of_days(days: i32) -> Option<Self> {
        // A year has 365.2425 days on average, so this is the year or one beside it.
        let year = 1970 + (i64::from(days) * 10_000).div_euclid(3_652_425);
        [year - 1, year, year + 1].into_iter().find_map(|year| {
            let first = Date::new(u16::try_from(year).ok()?, 1, 1)?;
            let day = u16::try_from(days.checked_sub(first.days())?.checked_add(1)?).ok()?;
            Date::of_year(first.year, day)
        })
    }

    /// Returns the number of the year.
    #[must_use]
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the number of the month, from 1.
    #[must_use]
    pub fn month(self) -> u8 {
        self.month
    }

    /// Returns the number of the day in its month, from 1.
    #[must_use]
    pub fn day(self) -> u8 {
        self.day
    }

    /// Returns the number of the day in its year, from 1.
    #[must_use]
    pub fn day_of_year(self) -> u16 {
        let before: u16 = (1..self.month).map(|month| u16::from(len_of_month(self.year, month))).sum();
        before + u16::from(self.day)
    }
}

fn len_of_month(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Writes the date as in ISO 8601: `2024-02-29`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A moment in local time, to the microsecond: a day and the time since its beginning.
///
/// ```
/// use charpipe::fields::{Date, Timestamp};
///
/// let date = Date::new(2026, 11, 23).unwrap();
/// let timestamp = Timestamp::new(date, 5, 6, 7).unwrap().with_micros(123_456).unwrap();
/// assert_eq!(timestamp.to_string(), "2026-11-23 05:06:07.123456");
/// assert_eq!(Timestamp::of_micros(timestamp.micros()), Some(timestamp));
/// assert_eq!(Timestamp::new(date, 24, 0, 0), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timestamp {
    date: Date,
    /// In microseconds since the beginning of the day.
    time: u64,
}

const SECOND: u64 = 1_000_000;
const DAY: u64 = 24 * 60 * 60 * SECOND;

impl Timestamp {
    /// Returns the beginning of a second; `None` if the day has no such hour, minute or second.
    #[must_use]
    pub fn new(date: Date, hour: u8, minute: u8, second: u8) -> Option<Self> {
        let time = (u64::from(hour) * 60 + u64::from(minute)) * 60 + u64::from(second);
        (hour < 24 && minute < 60 && second < 60).then_some(Timestamp { date, time: time * SECOND })
    }

    /// Returns the same second with this number of microseconds; `None` if a second has not as many.
    #[must_use]
    pub fn with_micros(self, micros: u32) -> Option<Self> {
        let time = self.time - self.time % SECOND + u64::from(micros);
        (u64::from(micros) < SECOND).then_some(Timestamp { time, ..self })
    }

    /// Returns the moment that is this many microseconds after 1970-01-01; `None` if its year is not from 1 to 9999.
    #[must_use]
    pub fn of_micros(micros: i64) -> Option<Self> {
        let days = i32::try_from(micros.div_euclid(DAY as i64)).ok()?;
        Some(Timestamp { date: Date::of_days(days)?, time: micros.rem_euclid(DAY as i64).unsigned_abs() })
    }

    /// Returns the number of microseconds since 1970-01-01, negative before.
    #[must_use]
    pub fn micros(self) -> i64 {
        i64::from(self.date.days()) * DAY as i64 + self.time as i64
    }

    /// Returns the day.
    #[must_use]
    pub fn date(self) -> Date {
        self.date
    }

    /// Returns the number of microseconds since the beginning of the day.
    #[must_use]
    pub fn micros_of_day(self) -> u64 {
        self.time
    }
}

/// Writes the moment as databases do: `2026-11-23 05:06:07.123456`, always with six decimal places.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.time / SECOND, self.time % SECOND);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{} {hour:02}:{minute:02}:{second:02}.{micros:06}", self.date)
    }
}
