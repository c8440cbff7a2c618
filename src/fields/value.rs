//! The value of a field: [`Value`].

use super::{Date, Decimal, Timestamp};
use crate::hex::Hex;
use std::fmt;

/// The value of a field, borrowed from the record or from the reader.
///
/// Which variants a field can have follows from its [`FieldKind`](super::FieldKind):
///
/// | kind | variants |
/// |---|---|
/// | text | `Text` |
/// | zoned, edited, packed, binary | `Number` |
/// | float | `Single`, `Double` |
/// | raw | `Raw` |
///
/// A [rows job](crate::rows) makes a `Date` or a `Timestamp` of text and of numbers that are dates.
///
/// In addition, every field can be `Null`, or `Raw` if the [`Reader`](super::Reader) returns bad fields as bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// There is no value.
    Null,
    /// Text, decoded.
    Text(&'a str),
    /// An exact decimal number. An integer has the scale 0.
    Number(Decimal),
    /// A floating-point number of 4 bytes that `f32` represents exactly.
    Single(f32),
    /// Any other floating-point number.
    Double(f64),
    /// Bytes of the record, unchanged.
    Raw(&'a [u8]),
    /// A date. Only a [rows job](crate::rows::RowsJob::date) delivers dates.
    Date(Date),
    /// A moment. Only a [rows job](crate::rows::RowsJob::date) delivers moments.
    Timestamp(Timestamp),
}

/// Writes nothing for `Null`, numbers in digits, floating-point numbers with the fewest digits that identify them, and
/// bytes in upper-case hex without spaces, and dates as in ISO 8601: `2026-11-23`, with a time
/// `2026-11-23 05:06:07.123456`.
///
/// ```
/// use charpipe::fields::{Decimal, Value};
///
/// assert_eq!(Value::Number(Decimal::new(150, 2)).to_string(), "1.50");
/// assert_eq!(Value::Raw(b"\x00\xC1").to_string(), "00C1");
/// assert_eq!(Value::Single(0.1).to_string(), "0.1");
/// ```
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => Ok(()),
            Value::Text(text) => f.write_str(text),
            Value::Number(number) => number.fmt(f),
            // `Debug` uses an exponent for very large and very small numbers.
            Value::Single(number) => write!(f, "{number:?}"),
            Value::Double(number) => write!(f, "{number:?}"),
            Value::Date(date) => date.fmt(f),
            Value::Timestamp(timestamp) => timestamp.fmt(f),
            Value::Raw(bytes) => fmt::UpperHex::fmt(&Hex(bytes), f),
        }
    }
}
