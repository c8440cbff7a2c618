//! Exact decimal numbers: [`Decimal`].

use std::fmt;
use std::str::FromStr;

/// An exact decimal number: a sign, a magnitude and a number of decimal places. No calculation with it uses
/// floating-point numbers.
///
/// Zero has a sign as well, because packed and zoned numbers have one: `-0.00` is written back as it was read.
/// `Display` writes all decimal places; the text is a valid number in JSON, CSV and SQL. With a negative scale, zeros
/// follow the digits.
///
/// Two decimals are equal if all their parts are; [`same_value`](Decimal::same_value) compares their values.
///
/// ```
/// use charpipe::fields::Decimal;
///
/// assert_eq!(Decimal::new(-123_456, 2).to_string(), "-1234.56");
/// assert_eq!(Decimal::new(5, 3).to_string(), "0.005");
/// assert_eq!(Decimal::new(5, -3).to_string(), "5000");
/// assert_eq!("-0.00".parse(), Ok(Decimal::from_parts(true, 0, 2)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decimal {
    magnitude: u128,
    negative: bool,
    scale: i8,
}

/// The longest text of a decimal: a sign, the digits of a `u128`, a point, and as many zeros as a scale can add.
const MAX_TEXT: usize = 1 + 39 + 1 + 128 + 7;

impl Decimal {
    /// Returns `mantissa` divided by 10 to the power of `scale`.
    #[must_use]
    pub const fn new(mantissa: i128, scale: i8) -> Self {
        Decimal { magnitude: mantissa.unsigned_abs(), negative: mantissa < 0, scale }
    }

    /// Returns `magnitude` divided by 10 to the power of `scale`, with a sign, which zero can have as well.
    #[must_use]
    pub const fn from_parts(negative: bool, magnitude: u128, scale: i8) -> Self {
        Decimal { magnitude, negative, scale }
    }

    /// Returns the number without its decimal point: -123456 for -1234.56. `None` if it does not fit into an `i128`,
    /// which numbers of up to 38 digits do. The sign of a zero is lost.
    #[must_use]
    pub const fn mantissa(&self) -> Option<i128> {
        match self.negative {
            true => 0i128.checked_sub_unsigned(self.magnitude),
            false => 0i128.checked_add_unsigned(self.magnitude),
        }
    }

    /// Returns the number without its decimal point and its sign.
    #[must_use]
    pub const fn magnitude(&self) -> u128 {
        self.magnitude
    }

    /// Returns whether the sign is a minus, also that of a zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns the number of decimal places.
    #[must_use]
    pub const fn scale(&self) -> i8 {
        self.scale
    }

    /// Returns whether it is zero, with either sign.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.magnitude == 0
    }

    /// Returns the same value with another number of decimal places; `None` if digits other than zeros would be lost,
    /// or if the number gets too long.
    ///
    /// ```
    /// use charpipe::fields::Decimal;
    ///
    /// assert_eq!(Decimal::new(15, 1).rescale(2), Some(Decimal::new(150, 2)));
    /// assert_eq!(Decimal::new(150, 2).rescale(1), Some(Decimal::new(15, 1)));
    /// assert_eq!(Decimal::new(155, 2).rescale(1), None);
    /// ```
    #[must_use]
    pub fn rescale(&self, scale: i8) -> Option<Decimal> {
        let steps = i32::from(scale) - i32::from(self.scale);
        let magnitude = match (self.magnitude, 10u128.checked_pow(steps.unsigned_abs())) {
            (0, _) => 0,
            (magnitude, Some(power)) if steps >= 0 => magnitude.checked_mul(power)?,
            (magnitude, Some(power)) if magnitude.is_multiple_of(power) => magnitude / power,
            _ => return None,
        };
        Some(Decimal { magnitude, scale, ..*self })
    }

    /// Returns whether both have the same value: 1.5 and 1.50 do, and so do 0 and -0.
    #[must_use]
    pub fn same_value(&self, other: &Decimal) -> bool {
        let signs_match = self.negative == other.negative || self.is_zero();
        let scale = self.scale.max(other.scale);
        let same =
            |a: Option<Decimal>, b: Option<Decimal>| a.is_some_and(|a| b.is_some_and(|b| a.magnitude == b.magnitude));
        signs_match && same(self.rescale(scale), other.rescale(scale))
    }

    /// Appends the text to `text`, as `Display` writes it, but faster.
    ///
    /// ```
    /// use charpipe::fields::Decimal;
    ///
    /// let mut line = String::from("total ");
    /// Decimal::new(1999, 2).append_to(&mut line);
    /// assert_eq!(line, "total 19.99");
    /// ```
    pub fn append_to(&self, text: &mut String) {
        text.push_str(self.format(&mut [0; MAX_TEXT]));
    }

    /// Writes the text into `room`, from the back.
    fn format<'a>(&self, room: &'a mut [u8; MAX_TEXT]) -> &'a str {
        let mut at = MAX_TEXT;
        let places = usize::from(self.scale.max(0).unsigned_abs());
        if self.scale < 0 && self.magnitude > 0 {
            at -= usize::from(self.scale.unsigned_abs());
            room[at..].fill(b'0');
        }
        let digits_end = at;
        at = put_digits(self.magnitude, room, at);
        if places > 0 {
            // At least one digit stands before the decimal point.
            let first = at.min(digits_end - places - 1);
            room[first..at].fill(b'0');
            at = first - 1;
            room.copy_within(first..digits_end - places, at);
            room[digits_end - places - 1] = b'.';
        }
        if self.negative {
            at -= 1;
            room[at] = b'-';
        }
        std::str::from_utf8(&room[at..]).unwrap_or_default()
    }
}

/// Writes the digits of `number`, at least one, so that they end at `end`. Returns where they begin.
fn put_digits(number: u128, room: &mut [u8; MAX_TEXT], end: usize) -> usize {
    const STEP: u128 = 10u128.pow(18);
    let (mut rest, mut at) = (number, end);
    // Divisions of 128-bit numbers are slow, so there is one for each 18 digits at most.
    while rest > u128::from(u64::MAX) {
        let begin = put_short((rest % STEP) as u64, room, at);
        room[at - 18..begin].fill(b'0');
        (rest, at) = (rest / STEP, at - 18);
    }
    put_short(rest as u64, room, at)
}

/// Writes the digits of `number`, at least one, so that they end at `end`. Returns where they begin.
fn put_short(mut number: u64, room: &mut [u8; MAX_TEXT], end: usize) -> usize {
    let mut at = end;
    while number >= 100 {
        let pair = (number % 100) as u8;
        number /= 100;
        at -= 2;
        room[at] = b'0' + pair / 10;
        room[at + 1] = b'0' + pair % 10;
    }
    let pair = number as u8;
    at -= 1;
    room[at] = b'0' + pair % 10;
    if pair >= 10 {
        at -= 1;
        room[at] = b'0' + pair / 10;
    }
    at
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.format(&mut [0; MAX_TEXT]))
    }
}

/// The error for text that is not a decimal number, or one that is too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadDecimal;

impl fmt::Display for BadDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a decimal number of at most 38 digits, such as -1234.56")
    }
}

impl std::error::Error for BadDecimal {}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Decimal::new(number.into(), 0)
    }
}

/// Reads a number as JSON and CSV have it: a sign, digits, a decimal point, and an exponent. All but the digits are
/// optional, and blanks around the number are ignored.
impl FromStr for Decimal {
    type Err = BadDecimal;

    fn from_str(text: &str) -> Result<Self, BadDecimal> {
        let text = text.trim_matches(' ');
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().map_err(|_| BadDecimal)?),
            None => (text, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(BadDecimal);
        }
        let mut magnitude = 0u128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return Err(BadDecimal);
            }
            magnitude = magnitude.checked_mul(10).and_then(|tens| tens.checked_add(digit.into())).ok_or(BadDecimal)?;
        }
        let scale = i32::try_from(fraction.len()).map_err(|_| BadDecimal)?.checked_sub(exponent);
        let scale = scale.and_then(|scale| i8::try_from(scale).ok()).ok_or(BadDecimal)?;
        Ok(Decimal { magnitude, negative, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let cases: [(i128, i8, &str); 12] = [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (5, 1, "0.5"),
            (-5, 3, "-0.005"),
            (100, 2, "1.00"),
            (12345, 0, "12345"),
            (12345, 5, "0.12345"),
            (12345, 6, "0.012345"),
            (7, -4, "70000"),
            (0, -4, "0"),
            (10i128.pow(38) - 1, 2, "999999999999999999999999999999999999.99"),
            (-(10i128.pow(36) + 7), 0, "-1000000000000000000000000000000000007"),
        ];
        for (mantissa, scale, text) in cases {
            let decimal = Decimal::new(mantissa, scale);
            assert_eq!(decimal.to_string(), text);
            assert!(text.parse::<Decimal>().unwrap().same_value(&decimal), "{text}");
            assert_eq!(decimal.mantissa(), Some(mantissa));
        }
        assert_eq!(Decimal::from_parts(true, 0, 1).to_string(), "-0.0");
        for scale in [i8::MIN, i8::MAX] {
            let longest = Decimal::from_parts(true, u128::MAX, scale).to_string();
            assert_eq!(longest.trim_matches(['-', '0', '.']), u128::MAX.to_string());
        }
        for number in (0..130).map(|shift| u128::MAX.checked_shr(shift).unwrap_or(0)) {
            assert_eq!(Decimal::from_parts(false, number, 0).to_string(), number.to_string());
        }
    }

    #[test]
    fn numbers_in_text() {
        let parsed = |text: &str| text.parse::<Decimal>().map(|decimal| decimal.to_string());
        assert_eq!(parsed(" +1.50 ").as_deref(), Ok("1.50"));
        assert_eq!(parsed("1.5e2").as_deref(), Ok("150"));
        assert_eq!(parsed("15E-1").as_deref(), Ok("1.5"));
        assert_eq!(parsed(".5").as_deref(), Ok("0.5"));
        assert_eq!(parsed("5.").as_deref(), Ok("5"));
        for bad in ["", "-", ".", "1,5", "1e", "e5", "--1", "1 2", "0x1", "1e400", "٣", "NaN", &"9".repeat(40)] {
            assert_eq!(parsed(bad), Err(BadDecimal), "{bad}");
        }
    }

    #[test]
    fn values_are_compared_at_any_scale() {
        let same = |a: &str, b: &str| a.parse::<Decimal>().unwrap().same_value(&b.parse().unwrap());
        assert!(same("1.5", "1.500") && same("0", "-0.00") && same("1e3", "1000") && same("0", "0e-100"));
        assert!(!same("1.5", "-1.5") && !same("1.5", "1.51") && !same("1", "10"));
    }
}
