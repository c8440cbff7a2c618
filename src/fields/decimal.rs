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

    /// Returns whether the sign is a minus, even for zero.
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

    /// Appends the text to `out`, as [`append_to`](Self::append_to) does, but faster still.
    ///
    /// ```
    /// use charpipe::fields::Decimal;
    ///
    /// let mut line = b"total ".to_vec();
    /// Decimal::new(1999, 2).push_to_bytes(&mut line);
    /// assert_eq!(line, b"total 19.99");
    /// ```
    #[inline]
    pub fn push_to_bytes(&self, out: &mut Vec<u8>) {
        let (magnitude, places) = (self.magnitude, usize::from(self.scale.unsigned_abs()));
        match magnitude {
            0..EIGHT if (0..8).contains(&self.scale) => push_eight(out, self.negative, magnitude as u64, places),
            0..SIXTEEN if (0..16).contains(&self.scale) => push_sixteen(out, self.negative, magnitude as u64, places),
            _ => out.extend_from_slice(self.format(&mut [0; MAX_TEXT]).as_bytes()),
        }
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
            // At least one digit precedes the decimal point.
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

/// 10 to the power of 8 and of 16: the numbers below them are written without a division for each digit.
const EIGHT: u128 = 10u128.pow(8);
const SIXTEEN: u128 = 10u128.pow(16);

/// Appends the text of a number below [`EIGHT`] with fewer than 8 decimal places.
fn push_eight(out: &mut Vec<u8>, negative: bool, number: u64, places: usize) {
    let digits = eight_digits(number);
    // The first digit is in the lowest byte. At least one precedes the point.
    let count = (8 - digits.trailing_zeros() as usize / 8).max(places + 1);
    let digits = digits | all(b'0');
    // Room of a fixed size, of which the rest is given back, takes a few stores and no call.
    let begin = out.len();
    out.extend_from_slice(&[b'-'; 1 + 8 + 1 + 8]);
    let room = &mut out[begin + usize::from(negative)..];
    // All digits, and over them the point and those after it.
    room[..8].copy_from_slice(&(digits >> (8 * (8 - count))).to_le_bytes());
    let mut len = count;
    if places > 0 {
        let point = count - places;
        room[point] = b'.';
        room[point + 1..][..8].copy_from_slice(&(digits >> (8 * (8 - places))).to_le_bytes());
        len += 1;
    }
    out.truncate(begin + usize::from(negative) + len);
}

/// Does the same for a number below [`SIXTEEN`] with fewer than 16 decimal places.
fn push_sixteen(out: &mut Vec<u8>, negative: bool, number: u64, places: usize) {
    let [high, low] = [number / 100_000_000, number % 100_000_000].map(eight_digits);
    let digits = u128::from(low) << 64 | u128::from(high);
    let count = (16 - digits.trailing_zeros() as usize / 8).max(places + 1);
    let digits = digits | u128::from_ne_bytes([b'0'; 16]);
    let begin = out.len();
    out.extend_from_slice(&[b'-'; 1 + 16 + 1 + 16]);
    let room = &mut out[begin + usize::from(negative)..];
    room[..16].copy_from_slice(&(digits >> (8 * (16 - count))).to_le_bytes());
    let mut len = count;
    if places > 0 {
        let point = count - places;
        room[point] = b'.';
        room[point + 1..][..16].copy_from_slice(&(digits >> (8 * (16 - places))).to_le_bytes());
        len += 1;
    }
    out.truncate(begin + usize::from(negative) + len);
}

/// The same byte in all eight places.
pub(super) const fn all(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns the digits of a number below 10 to the power of 8 as bytes from 0 to 9, the first one in the lowest byte.
/// Each step splits all parts at once: into four digits, two, one. The multiplications divide by 100 and by 10, rounded
/// down.
#[inline]
fn eight_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    tens | ((twos - tens * 10) << 8)
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
/// optional, and spaces around the number are ignored.
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

    /// Both ways to write a number give the same text: around each power of ten and at each scale, and for all numbers
    /// of four digits, each of which is at each place of eight digits.
    #[test]
    fn both_ways_to_write_agree() {
        let check = |decimal: Decimal| {
            let mut out = b"abc".to_vec();
            decimal.push_to_bytes(&mut out);
            assert_eq!(out, format!("abc{decimal}").into_bytes(), "{decimal:?}");
        };
        for power in (0..39).map(|exponent| 10u128.pow(exponent)) {
            for magnitude in [power - 1, power, power + 1, power * 2 + power / 3] {
                for scale in -20..=20 {
                    for negative in [false, true] {
                        check(Decimal::from_parts(negative, magnitude, scale));
                    }
                }
            }
        }
        for four in 0..10_000 {
            for shift in [1, 10_000, 100_000_000, 1_000_000_000_000] {
                check(Decimal::from_parts(false, four * shift, 2));
                check(Decimal::from_parts(true, four * shift + four, 5));
            }
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
