//! Days of the Gregorian calendar: [`Date`].

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
