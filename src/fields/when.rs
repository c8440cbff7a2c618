//! Record types: which alternatives apply to a record, depending on its contents.

use super::kind::MAX_LEN;
use crate::hex::Hex;
use std::fmt;
use std::str::FromStr;

/// The condition under which an item applies to a record. All of its tests must hold.
///
/// The text form is a list of tests, separated by ` and `: `SEGMENT-ID=C,D and 5-6=0002`; or `otherwise`.
///
/// ```
/// use charpipe::fields::{Test, When};
///
/// let when: When = "SEGMENT-ID=C,D and 5-6=0002".parse()?;
/// assert_eq!(when.tests().len(), 2);
/// assert_eq!(when.to_string(), "SEGMENT-ID=C,D and 5-6=0002");
/// assert_eq!("otherwise".parse::<When>()?, When::OTHERWISE);
/// # Ok::<(), charpipe::fields::BadRule>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct When {
    tests: Vec<Test>,
}

/// A test of a [`When`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Test {
    /// A field has one of these values. Text is compared without spaces at its end, numbers by their value, and bytes
    /// in hex. A value for a floating-point field is rounded as if it were written to the field.
    ///
    /// The field has the same place in every record. For an alternative in an array, it can also be in the same
    /// element: in the alternative itself, or before it without an array of varying count between them.
    Field {
        /// Its name or path; see [`Layout::find`](super::Layout::find).
        field: String,
        /// The values, at least one.
        values: Vec<String>,
    },
    /// Bytes of the record are equal to one of these sequences.
    Bytes {
        /// Where they begin in the record, in bytes from 0.
        offset: usize,
        /// The sequences, at least one, all of the same length.
        values: Vec<Vec<u8>>,
    },
}

impl When {
    /// The condition of an alternative that applies if no other does. It has no tests.
    pub const OTHERWISE: When = When { tests: Vec::new() };

    /// Returns the condition that all of these tests hold.
    #[must_use]
    pub fn new(tests: Vec<Test>) -> Self {
        When { tests }
    }

    /// Returns the condition that a field has this value.
    ///
    /// ```
    /// use charpipe::fields::When;
    ///
    /// assert_eq!(When::field("SEGMENT-ID", "C").to_string(), "SEGMENT-ID=C");
    /// ```
    #[must_use]
    pub fn field(field: impl Into<String>, value: impl Into<String>) -> Self {
        When::new(vec![Test::Field { field: field.into(), values: vec![value.into()] }])
    }

    /// Returns the tests. There are none in [`OTHERWISE`](Self::OTHERWISE).
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }
}

/// A condition for an item: `SEGMENT-ID=C: COMPANY`. [`Layout::apply`](super::Layout::apply) adds it to a layout.
///
/// ```
/// use charpipe::fields::Rule;
///
/// let rule: Rule = "SEGMENT-ID=C: COMPANY".parse()?;
/// assert_eq!((rule.when.to_string().as_str(), rule.item.as_str()), ("SEGMENT-ID=C", "COMPANY"));
/// let error = "SEGMENT-ID: COMPANY".parse::<Rule>().unwrap_err();
/// assert!(error.to_string().contains("FIELD=VALUE: ITEM"));
/// # Ok::<(), charpipe::fields::BadRule>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The condition.
    pub when: When,
    /// The name or path of the item that it applies to.
    pub item: String,
}

/// The error for text that is not a [`When`] or a [`Rule`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRule(String);

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRule {}

impl Rule {
    /// Makes the rule that the item with this name or path applies under a condition.
    #[must_use]
    pub fn new(when: When, item: impl Into<String>) -> Self {
        Rule { when, item: item.into() }
    }
}

impl FromStr for Rule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let bad = |why: &str| {
            BadRule(format!("{text:?}: {why}; expected FIELD=VALUE: ITEM, for example SEGMENT-ID=C: COMPANY"))
        };
        let (when, item) = text.rsplit_once(':').ok_or_else(|| bad("there is no colon"))?;
        let item = item.trim();
        if item.is_empty() || item.contains(char::is_whitespace) {
            return Err(bad("the name of an item must follow the colon"));
        }
        let when = when.parse().map_err(|BadRule(why)| bad(&why))?;
        Ok(Rule { when, item: item.to_owned() })
    }
}

impl FromStr for When {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        if text.trim().eq_ignore_ascii_case("otherwise") {
            return Ok(When::OTHERWISE);
        }
        text.split(" and ").map(Test::parse).collect::<Result<_, _>>().map(When::new)
    }
}

impl Test {
    fn parse(text: &str) -> Result<Test, BadRule> {
        let Some((place, values)) = text.split_once('=') else {
            return Err(BadRule(format!("there is no = in {:?}", text.trim())));
        };
        let (place, values) = (place.trim(), split_values(values)?);
        match range(place) {
            Some((first, last)) => Test::of_bytes(first, last, &values),
            None if place.is_empty() || place.contains(char::is_whitespace) => {
                Err(BadRule(format!("{place:?} is neither the name of a field nor a range of columns")))
            }
            None => Ok(Test::Field { field: place.to_owned(), values }),
        }
    }

    /// Makes a test of columns, from 1.
    fn of_bytes(first: usize, last: usize, values: &[String]) -> Result<Test, BadRule> {
        if first == 0 || first > last || last > MAX_LEN {
            let most = MAX_LEN;
            return Err(BadRule(format!("{first}-{last} is not a range of columns, which count from 1 to {most}")));
        }
        let len = last - first + 1;
        let parse = |value: &String| {
            let wrong = || BadRule(format!("{value:?} is not {len} bytes in hex, two digits each"));
            unhex(value).filter(|bytes| bytes.len() == len).ok_or_else(wrong)
        };
        Ok(Test::Bytes { offset: first - 1, values: values.iter().map(parse).collect::<Result<_, _>>()? })
    }
}

/// Returns the columns that `text` names: `5` or `5-6`. `None` if it is the name of a field.
fn range(text: &str) -> Option<(usize, usize)> {
    // A number that is too large is still not a name.
    let column = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((column(first)?, column(last)?))
}

/// Returns the bytes that `text` has in hex.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// Splits values at commas. A value in double quotes can contain commas and spaces; two quotes stand for one.
fn split_values(text: &str) -> Result<Vec<String>, BadRule> {
    let mut values = Vec::new();
    let mut rest = text.trim();
    loop {
        let value;
        (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted).ok_or_else(|| BadRule(format!("a quote is not closed in {text:?}")))?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim_end().to_owned(), &rest[end..])
            }
        };
        values.push(value);
        rest = match rest.trim_start().strip_prefix(',') {
            Some(rest) => rest.trim_start(),
            None if rest.trim().is_empty() => return Ok(values),
            None => return Err(BadRule(format!("expected a comma before {:?}", rest.trim()))),
        };
    }
}

/// Returns the value up to the closing quote, and what follows the quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        value.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => (value, rest) = (value + "\"", after),
            None => return Some((value, after)),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tests.is_empty() {
            return f.write_str("otherwise");
        }
        for (index, test) in self.tests.iter().enumerate() {
            write!(f, "{}{test}", if index == 0 { "" } else { " and " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = |index: usize| if index == 0 { "" } else { "," };
        match self {
            Test::Field { field, values } => {
                write!(f, "{field}=")?;
                values.iter().enumerate().try_for_each(|(index, value)| {
                    let plain = !value.is_empty() && !value.contains([',', '"', ':', ' ']);
                    match plain {
                        true => write!(f, "{}{value}", comma(index)),
                        false => write!(f, "{}\"{}\"", comma(index), value.replace('"', "\"\"")),
                    }
                })
            }
            Test::Bytes { offset, values } => {
                let len = values.first().map_or(1, Vec::len);
                write!(f, "{}", offset.saturating_add(1))?;
                if len > 1 {
                    write!(f, "-{}", offset.saturating_add(len))?;
                }
                f.write_str("=")?;
                values.iter().enumerate().try_for_each(|(index, value)| {
                    f.write_str(comma(index))?;
                    write!(f, "{:X}", Hex(value))
                })
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.when, self.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_back() {
        for text in [
            "SEGMENT-ID=C: COMPANY",
            "HEAD.TYPE=1,2 and CODE=\"a, b\": GROUP.PART",
            "5-6=0002,0003: CLIENT-MAIN",
            "7=C1: A",
            "otherwise: REST",
            "TYPE=\"\",\"say \"\"x\"\"\": X",
        ] {
            assert_eq!(text.parse::<Rule>().map(|rule| rule.to_string()), Ok(text.to_owned()));
        }
        let spaced: Rule = " SEGMENT-ID = C , D :  COMPANY ".parse().unwrap();
        assert_eq!(spaced.to_string(), "SEGMENT-ID=C,D: COMPANY");
    }

    #[test]
    fn invalid_rules() {
        for bad in [
            "",
            "A=B",
            "A: B",
            "=B: C",
            "A B=C: D",
            "5-6=02: A",
            "6-5=0002: A",
            "0=C1: A",
            "5=XX: A",
            "A=\"b: C",
            "18446744073709551615=C1: A",
            "99999999999999999999=C1: A",
            "1073741825=C1: A",
        ] {
            assert!(bad.parse::<Rule>().is_err(), "{bad}");
        }
    }
}
