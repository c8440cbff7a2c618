//! Which bytes of a record are text.

use std::fmt;
use std::str::FromStr;

/// Columns of a record: bytes, counted from 1, as in `1-40,57-`.
///
/// A range may name the code page of its text: `1-27=IBM1047,28-40=IBM300`. That is for [`Gaps::Keep`](crate::Gaps::Keep).
///
/// ```
/// use charpipe::records::Columns;
///
/// let columns: Columns = "1-40,57-".parse().unwrap();
/// assert_eq!(columns.to_string(), "1-40,57-");
/// assert!("40-1".parse::<Columns>().is_err());
/// assert!("1-27=IBM1047,28-40=IBM300".parse::<Columns>().is_ok());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns {
    /// In order and without overlaps.
    ranges: Vec<ColumnRange>,
}

/// A range of columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ColumnRange {
    /// The first and the last column, from 1. A last column of `u64::MAX` means the end of the record.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The label of the charset of its text, if it has its own.
    pub(crate) page: Option<String>,
}

/// The most ranges allowed.
const MAX_RANGES: usize = 1000;

impl Columns {
    /// Returns whether the column `at` (from 0) is included, and for how many bytes from there this holds.
    pub(crate) fn stretch(&self, at: u64) -> (bool, u64) {
        let column = at + 1;
        match self.ranges.get(self.ranges.partition_point(|range| range.last < column)) {
            None => (false, u64::MAX),
            Some(range) if range.first > column => (false, range.first - column),
            Some(range) => (true, range.last.saturating_sub(at)),
        }
    }

    /// Returns the ranges, in order and without overlaps.
    pub(crate) fn ranges(&self) -> &[ColumnRange] {
        &self.ranges
    }

    /// Returns the labels of the charsets that ranges have of their own.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().filter_map(|range| range.page.as_deref())
    }

    /// The columns in the charset of the input: those that have no charset of their own.
    pub(crate) fn without_pages(&self) -> Columns {
        Columns { ranges: self.ranges.iter().filter(|range| range.page.is_none()).cloned().collect() }
    }
}

/// The error for text that is not a valid list of [`Columns`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadColumns(String);

impl fmt::Display for BadColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadColumns {}

impl FromStr for Columns {
    type Err = BadColumns;

    fn from_str(text: &str) -> Result<Self, BadColumns> {
        let bad = |why: &str| BadColumns(format!("{text:?}: {why}"));
        let number = |digits: &str| {
            digits.trim().parse().ok().filter(|column| *column > 0).ok_or_else(|| bad("expected column numbers from 1"))
        };
        let mut ranges: Vec<ColumnRange> = Vec::new();
        for range in text.split(',') {
            let (range, page) = match range.split_once('=') {
                Some((_, page)) if page.trim().is_empty() => return Err(bad("expected a code page after =")),
                Some((range, page)) => (range, Some(page.trim().to_owned())),
                None => (range, None),
            };
            let (first, last) = match range.split_once('-') {
                None => (number(range)?, number(range)?),
                Some((first, last)) if last.trim().is_empty() => (number(first)?, u64::MAX),
                Some((first, last)) => (number(first)?, number(last)?),
            };
            if last < first {
                return Err(bad("a range ends before it begins"));
            }
            if ranges.last().is_some_and(|before| before.last >= first) {
                return Err(bad("ranges must be in order and must not overlap"));
            }
            ranges.push(ColumnRange { first, last, page });
        }
        if ranges.len() > MAX_RANGES {
            return Err(bad("more than 1000 ranges"));
        }
        Ok(Columns { ranges })
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ColumnRange { first, last, page }) in self.ranges.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            match last {
                last if last == first => write!(f, "{first}")?,
                &u64::MAX => write!(f, "{first}-")?,
                last => write!(f, "{first}-{last}")?,
            }
            if let Some(page) = page {
                write!(f, "={page}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_follow_each_other() {
        let columns: Columns = "1-3,5,9-".parse().unwrap();
        let mut at = 0;
        let mut seen = Vec::new();
        while at < 12 {
            let (text, len) = columns.stretch(at);
            assert!(len > 0);
            seen.push((at, text));
            at = at.saturating_add(len);
        }
        assert_eq!(seen, [(0, true), (3, false), (4, true), (5, false), (8, true)]);
        assert_eq!("2-4".parse::<Columns>().unwrap().stretch(4), (false, u64::MAX));
    }

    #[test]
    fn ranges_with_pages() {
        let columns: Columns = "1-27=IBM1047, 28 = IBM300 ,30-=ibm-37,".trim_end_matches(',').parse().unwrap();
        assert_eq!(columns.to_string(), "1-27=IBM1047,28=IBM300,30-=ibm-37");
        assert_eq!(columns.pages().collect::<Vec<_>>(), ["IBM1047", "IBM300", "ibm-37"]);
        let columns: Columns = "1-2=IBM037,3-4,6".parse().unwrap();
        assert_eq!(columns.without_pages().to_string(), "3-4,6");
    }

    #[test]
    fn invalid_lists_of_columns() {
        for bad in ["", "0", "3-2", "1-2,2-3", "5,1", "a", "-4", "1,,2", "-", "1-2=", "1=,3", "=IBM037"] {
            assert!(bad.parse::<Columns>().is_err(), "{bad}");
        }
    }
}
