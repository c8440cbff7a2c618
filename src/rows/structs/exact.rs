//! How decimals, dates and values are serialized and deserialized.
//!
//! Formats such as JSON get numbers as serde has them: integers and `f64`. The serializer and the deserializer of this
//! module understand two names of newtype structs, by which numbers and bytes keep all that they are.

use crate::fields::{Date, Decimal, Timestamp, Value};
use crate::hex::Hex;
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Write as _};

/// The name by which a [`Decimal`] asks for its parts: the sign, the magnitude and the scale.
pub(super) const DECIMAL: &str = "charpipe::fields::Decimal";

/// The name by which a value is written as it is. A serializer that knows it is not "human readable" inside of it.
pub(super) const EXACT: &str = "charpipe::fields::Value";

/// The name by which a [`RowValue`](super::RowValue) asks for a value as it is.
pub(super) const VALUE: &str = "charpipe::rows::RowValue";

/// How many digits an `f64` keeps, whichever they are.
const SAFE_DIGITS: u32 = 15;

/// Returns the `f64` that is nearest to a number.
pub(super) fn nearest(number: &Decimal) -> f64 {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    let power = usize::try_from(number.scale()).ok().and_then(|scale| POWERS.get(scale));
    match power {
        // Both are exact, so the quotient is rounded once.
        Some(power) if number.magnitude() < 1 << 53 => {
            let quotient = number.magnitude() as f64 / power;
            if number.is_negative() { -quotient } else { quotient }
        }
        _ => ShortText::new(number).as_str().parse().unwrap_or(f64::NAN),
    }
}

/// Returns the `f32` that is nearest to a number: not by way of an `f64`, because it would be rounded twice.
pub(super) fn nearest_single(number: &Decimal) -> f32 {
    ShortText::new(number).as_str().parse().unwrap_or(f32::NAN)
}

/// The text of a number or a date, without allocated memory.
pub(super) struct ShortText {
    bytes: [u8; 192],
    len: usize,
}

impl ShortText {
    pub(super) fn new(value: impl fmt::Display) -> Self {
        let mut text = ShortText { bytes: [0; 192], len: 0 };
        // There is room for the longest number.
        let _ = write!(text, "{value}");
        text
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// A number as an integer, if it is one.
pub(super) enum Whole {
    Signed(i64),
    Unsigned(u64),
    Wide(i128),
    WideUnsigned(u128),
}

/// Returns a number as an integer; `None` if it has decimal places other than zeros. The sign of a zero is lost.
pub(super) fn whole(number: &Decimal) -> Option<Whole> {
    let number = number.rescale(0)?;
    let Some(mantissa) = number.mantissa() else {
        return (!number.is_negative()).then(|| Whole::WideUnsigned(number.magnitude()));
    };
    Some(match (i64::try_from(mantissa), u64::try_from(mantissa)) {
        (Ok(signed), _) => Whole::Signed(signed),
        (_, Ok(unsigned)) => Whole::Unsigned(unsigned),
        _ => Whole::Wide(mantissa),
    })
}

/// Returns the text of a number of floating point that is not finite; JSON has no number for it.
pub(super) fn non_finite(number: f64) -> Option<&'static str> {
    match number {
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ if number.is_nan() => Some("NaN"),
        _ => None,
    }
}

// --- Decimals --------------------------------------------------------------------------------------------------------

/// A number as other formats get it.
struct Plain<'a>(&'a Decimal);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0;
        let is_safe = number.magnitude() < 10u128.pow(SAFE_DIGITS) && (-22..=22).contains(&number.scale());
        let is_integer = number.scale() <= 0 && !(number.is_zero() && number.is_negative());
        match if is_integer { whole(number) } else { None } {
            _ if !serializer.is_human_readable() => serializer.collect_str(number),
            Some(Whole::Signed(number)) => serializer.serialize_i64(number),
            Some(Whole::Unsigned(number)) => serializer.serialize_u64(number),
            _ if is_safe => serializer.serialize_f64(nearest(number)),
            _ => serializer.collect_str(number),
        }
    }
}

/// Feature `serde`. Writes a number: an integer if it has no decimal places and fits into an `i64` or a `u64`, and
/// otherwise an `f64` if it has at most 15 digits. All other numbers are text, so that no digit is lost. In formats
/// that are not human-readable, every number is text. A [`RowSerializer`](crate::rows::RowSerializer) gets all digits.
impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(EXACT, &Plain(self))
    }
}

/// Feature `serde`. Reads a number from a field of [rows](crate::rows::Rows::deserialize) with all of its digits, and
/// from other formats: integers, text, and an `f64` whose shortest text has at most 15 digits. An `f64` with more
/// digits is an error, because it may have been rounded.
impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(DECIMAL, Parts)
    }
}

/// Receives the parts of a number from the deserializer of rows, and anything else from other formats.
struct Parts;

impl<'de> Visitor<'de> for Parts {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Number.expecting(f)
    }

    #[inline]
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<Decimal, A::Error> {
        match (parts.next_element()?, parts.next_element()?, parts.next_element()?) {
            (Some(negative), Some(magnitude), Some(scale)) => Ok(Decimal::from_parts(negative, magnitude, scale)),
            _ => Err(de::Error::custom("a number has three parts")),
        }
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Decimal, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(Number),
            false => deserializer.deserialize_str(Number),
        }
    }
}

/// Reads a number of any format.
struct Number;

impl<'de> Visitor<'de> for Number {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Decimal, E> {
        Ok(number.into())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Decimal, E> {
        Ok(Decimal::new(number.into(), 0))
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Decimal, E> {
        Ok(Decimal::new(number, 0))
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Decimal, E> {
        Ok(Decimal::from_parts(false, number, 0))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Decimal, E> {
        let exact = format!("{number:?}").parse().ok().filter(|parsed: &Decimal| {
            // "5.0" is 5.
            let parsed = if number.fract() == 0.0 { parsed.rescale(0).unwrap_or(*parsed) } else { *parsed };
            parsed.magnitude() < 10u128.pow(SAFE_DIGITS)
        });
        exact.ok_or_else(|| {
            de::Error::invalid_value(Unexpected::Float(number), &"a decimal number of at most 15 digits, or as text")
        })
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
        text.parse().map_err(|_| de::Error::invalid_value(Unexpected::Str(text), &self))
    }
}

// --- Dates -----------------------------------------------------------------------------------------------------------

/// Feature `serde`. Writes the date as in ISO 8601: `2024-02-29`.
impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Feature `serde`. Reads a date as in ISO 8601: `2024-02-29`.
impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Iso;

        impl Visitor<'_> for Iso {
            type Value = Date;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date like 2024-02-29")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Date, E> {
                iso_date(text).ok_or_else(|| de::Error::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Iso)
    }
}

/// Feature `serde`. Writes the moment as [rows](crate::rows) have it: `2024-02-29 12:30:00.000000`.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Feature `serde`. Reads a moment like `2024-02-29 12:30:00.000000`, also with a `T` and with fewer decimal places.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Moment;

        impl Visitor<'_> for Moment {
            type Value = Timestamp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a moment like 2024-02-29 12:30:00")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                iso_moment(text).ok_or_else(|| de::Error::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Moment)
    }
}

fn iso_moment(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_once([' ', 'T'])?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let parts: Vec<u8> = time.split(':').map(number).collect::<Option<_>>()?;
    let is_fraction = (1..=6).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let micros = is_fraction.then(|| format!("{fraction:0<6}").parse().ok()).flatten()?;
    let &[hour, minute, second] = &*parts else { return None };
    Timestamp::new(iso_date(date)?, hour, minute, second)?.with_micros(micros)
}

fn iso_date(text: &str) -> Option<Date> {
    let is_digit =
        |(index, byte): (usize, u8)| if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if text.len() != 10 || !text.bytes().enumerate().all(is_digit) {
        return None;
    }
    Date::new(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?)
}

// --- Values ----------------------------------------------------------------------------------------------------------

/// Bytes as other formats get them.
struct PlainBytes<'a>(&'a [u8]);

impl Serialize for PlainBytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(&format_args!("{:X}", Hex(self.0))),
            false => serializer.serialize_bytes(self.0),
        }
    }
}

/// Feature `serde`. Writes the value as in the command's rows of JSON: null, text, a [number](Decimal), bytes in
/// upper-case hex, a date as in ISO 8601, and `"NaN"`, `"Infinity"` and `"-Infinity"` as text. In formats that are not
/// human-readable, bytes are bytes and all floating-point numbers are numbers.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = |number: f64| non_finite(number).filter(|_| serializer.is_human_readable());
        match self {
            Value::Null => serializer.serialize_none(),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Number(number) => number.serialize(serializer),
            Value::Single(number) => match word((*number).into()) {
                Some(word) => serializer.serialize_str(word),
                None => serializer.serialize_f32(*number),
            },
            Value::Double(number) => match word(*number) {
                Some(word) => serializer.serialize_str(word),
                None => serializer.serialize_f64(*number),
            },
            Value::Raw(bytes) => serializer.serialize_newtype_struct(EXACT, &PlainBytes(bytes)),
            Value::Date(date) => date.serialize(serializer),
            Value::Timestamp(timestamp) => timestamp.serialize(serializer),
        }
    }
}
