//! Numbers as bytes: zoned, packed, binary, and floating-point.
//!
//! Each kind has a function that reads and one that writes. A number that was written is always read as the same
//! number. The opposite is not always true: some numbers have several forms, and may be written as bytes other than
//! those that were read; see [`Packed`] and [`ZonedSigns`].
//!
//! Digits are checked and converted eight bytes at a time, in a `u64`, without a branch for each digit.

use super::decimal::all;
use super::kind::{Binary, ByteOrder, Float, FloatFormat, Packed, PackedSign, SignPlace, Zoned, ZonedSigns};
use super::{Decimal, Value};

const POWERS: [u64; 17] = {
    let mut powers = [1; 17];
    let mut index = 1;
    while index < 17 {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

/// Returns up to eight bytes as a big-endian integer.
#[inline(always)]
fn big_endian(bytes: &[u8]) -> u64 {
    // Parts that overlap, which is faster than a loop.
    match *bytes {
        [] => 0,
        [first, .., last] if bytes.len() < 4 => {
            let middle = u64::from(bytes[1]) << (8 * (bytes.len() - 2));
            u64::from(first) << (8 * (bytes.len() - 1)) | middle | u64::from(last)
        }
        [only] => only.into(),
        [..] => {
            let len = bytes.len();
            let half = |bytes: &[u8]| u64::from(u32::from_be_bytes(bytes.try_into().unwrap_or_default()));
            half(&bytes[..4]) << (8 * (len - 4)) | half(&bytes[len - 4..])
        }
    }
}

// --- Packed
// -----------------------------------------------------------------------------------------------------------

/// Returns the number that sixteen decimal digits, one in each half byte, stand for; `None` if one is above 9.
#[inline(always)]
fn of_halves(digits: u64) -> Option<u64> {
    // A half is above 9 if its highest bit is set, and 2 or more remain of it without that bit.
    if digits & ((digits & all(0x77)) + all(0x66)) & all(0x88) != 0 {
        return None;
    }
    let pairs = (digits >> 4 & all(0x0F)) * 10 + (digits & all(0x0F));
    Some(of_pairs(pairs))
}

/// Returns the number that eight bytes from 0 to 99 stand for.
#[inline(always)]
fn of_pairs(pairs: u64) -> u64 {
    let fours = (pairs >> 8 & 0x00FF_00FF_00FF_00FF) * 100 + (pairs & 0x00FF_00FF_00FF_00FF);
    let eights = (fours >> 16 & 0x0000_FFFF_0000_FFFF) * 10_000 + (fours & 0x0000_FFFF_0000_FFFF);
    (eights >> 32) * 100_000_000 + (eights & 0xFFFF_FFFF)
}

/// The expected bytes of a packed number, for messages.
pub(super) const EXPECTED_PACKED: &str = "a digit in each half byte, and a sign from A to F in the last one";
pub(super) const EXPECTED_PACKED_WITHOUT_SIGN: &str = "a digit in each half byte";
pub(super) const EXPECTED_PACKED_AFTER_ZERO: &str =
    "zero in the first half byte, digits after it, and a sign from A to F in the last one";
pub(super) const EXPECTED_PACKED_AFTER_ZERO_WITHOUT_SIGN: &str = "zero in the first half byte, and digits after it";

/// Reads a packed number. A [spare half byte](Packed::has_spare_half) must be zero: with a digit there, the number
/// would not fit its picture. `NUMCHECK(PAC)` of IBM's compilers rejects it as well.
#[inline(always)]
pub(super) fn read_packed(bytes: &[u8], packed: &Packed) -> Option<Decimal> {
    let has_sign = packed.sign != PackedSign::Absent;
    let sign = bytes.last()? & 15;
    let is_too_large = packed.has_spare_half() && bytes[0] > 0x0F;
    if has_sign && sign < 10 || is_too_large {
        return None;
    }
    let negative = has_sign && matches!(sign, 0xB | 0xD);
    let magnitude = match bytes.len() {
        0..=8 => u128::from(of_halves(big_endian(bytes) >> if has_sign { 4 } else { 0 })?),
        _ => read_long_packed(bytes, has_sign)?,
    };
    Some(Decimal::from_parts(negative, magnitude, packed.scale))
}

/// Reads the digits of a packed number of more than eight bytes.
fn read_long_packed(bytes: &[u8], has_sign: bool) -> Option<u128> {
    let (whole, last) = match has_sign {
        true => bytes.split_at(bytes.len() - 1),
        false => bytes.split_at(bytes.len()),
    };
    let mut magnitude = 0u128;
    for chunk in whole.chunks(8) {
        let digits = of_halves(big_endian(chunk))?;
        magnitude = magnitude.checked_mul(POWERS[2 * chunk.len()].into())?.checked_add(digits.into())?;
    }
    match last {
        [last] if last >> 4 <= 9 => magnitude.checked_mul(10)?.checked_add(u128::from(last >> 4)),
        [_] => None,
        _ => Some(magnitude),
    }
}

/// Writes a packed number, whose magnitude has at most as many digits as `packed`.
pub(super) fn write_packed(bytes: &mut [u8], number: &Decimal, packed: &Packed) {
    let mut rest = number.magnitude();
    let mut digit = || {
        let digit = (rest % 10) as u8;
        rest /= 10;
        digit
    };
    let mut low = match packed.sign {
        PackedSign::Signed => Some(if number.is_negative() { 0xD } else { 0xC }),
        PackedSign::Unsigned => Some(0xF),
        PackedSign::Absent => None,
    };
    for byte in bytes.iter_mut().rev() {
        let low = low.take().unwrap_or_else(&mut digit);
        *byte = low | digit() << 4;
    }
}

// --- Zoned
// ------------------------------------------------------------------------------------------------------------

/// The characters that numbers consist of, in one character set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Characters {
    /// The digit 0. It has the zone of all digits without a sign.
    pub(super) zero: u8,
    pub(super) blank: u8,
    pub(super) point: u8,
    pub(super) comma: u8,
    pub(super) plus: u8,
    pub(super) minus: u8,
    signs: ZonedSigns,
}

impl Characters {
    /// Returns the characters of a set.
    #[inline(always)]
    pub(super) const fn of(signs: ZonedSigns) -> Self {
        match signs {
            ZonedSigns::Ebcdic => {
                Characters { zero: 0xF0, blank: 0x40, point: 0x4B, comma: 0x6B, plus: 0x4E, minus: 0x60, signs }
            }
            _ => Characters { zero: b'0', blank: b' ', point: b'.', comma: b',', plus: b'+', minus: b'-', signs },
        }
    }

    /// Splits the byte of a digit with a sign: whether it is negative, and the digit.
    #[inline(always)]
    pub(super) fn signed_digit(&self, byte: u8) -> Option<(bool, u8)> {
        let digit = byte & 15;
        match self.signs {
            ZonedSigns::Ebcdic if digit <= 9 && byte >= 0xA0 => Some((matches!(byte >> 4, 0xB | 0xD), digit)),
            ZonedSigns::Ebcdic => None,
            // Both forms of ASCII are accepted, because no byte has two meanings.
            _ => match byte {
                b'0'..=b'9' => Some((false, digit)),
                b'{' => Some((false, 0)),
                b'}' => Some((true, 0)),
                b'A'..=b'I' => Some((false, digit)),
                b'J'..=b'R' => Some((true, byte - b'I')),
                b'p'..=b'y' => Some((true, byte - b'p')),
                _ => None,
            },
        }
    }

    /// Returns the byte of a digit with a sign.
    pub(super) fn with_sign(&self, digit: u8, negative: bool) -> u8 {
        match (self.signs, negative) {
            (ZonedSigns::Ebcdic, false) => 0xC0 | digit,
            (ZonedSigns::Ebcdic, true) => 0xD0 | digit,
            (ZonedSigns::AsciiLetters, false) => b"{ABCDEFGHI"[usize::from(digit)],
            (ZonedSigns::AsciiLetters, true) => b"}JKLMNOPQR"[usize::from(digit)],
            (ZonedSigns::AsciiLowercase, false) => b'0' | digit,
            (ZonedSigns::AsciiLowercase, true) => b'p' + digit,
        }
    }
}

/// A zoned number whose character set is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ZonedForm {
    pub(super) digits: u8,
    pub(super) scale: i8,
    pub(super) sign: SignPlace,
    pub(super) signs: ZonedSigns,
}

impl ZonedForm {
    /// `default`: the character set if the kind does not determine it.
    pub(super) fn new(zoned: &Zoned, default: ZonedSigns) -> Self {
        let Zoned { digits, scale, sign, signs } = *zoned;
        ZonedForm { digits, scale, sign, signs: signs.unwrap_or(default) }
    }

    /// Returns the byte of a space.
    pub(super) fn blank(&self) -> u8 {
        Characters::of(self.signs).blank
    }

    /// Returns what the bytes should be, for messages.
    pub(super) fn expected(&self) -> &'static str {
        match (self.signs, self.sign) {
            (ZonedSigns::Ebcdic, SignPlace::Unsigned) => "digits from F0 to F9",
            (ZonedSigns::Ebcdic, SignPlace::Trailing) => {
                "digits from F0 to F9, the last one with a sign: C0 to C9 or D0 to D9"
            }
            (ZonedSigns::Ebcdic, SignPlace::Leading) => {
                "digits from F0 to F9, the first one with a sign: C0 to C9 or D0 to D9"
            }
            (ZonedSigns::Ebcdic, SignPlace::TrailingSeparate) => {
                "digits from F0 to F9, and 4E (+) or 60 (-) after them"
            }
            (ZonedSigns::Ebcdic, SignPlace::LeadingSeparate) => "4E (+) or 60 (-), and digits from F0 to F9 after it",
            (_, SignPlace::Unsigned) => "ASCII digits",
            (_, SignPlace::Trailing) => "ASCII digits, the last one with a sign: { A to I, } J to R, or p to y",
            (_, SignPlace::Leading) => "ASCII digits, the first one with a sign: { A to I, } J to R, or p to y",
            (_, SignPlace::TrailingSeparate) => "ASCII digits, and + or - after them",
            (_, SignPlace::LeadingSeparate) => "+ or -, and ASCII digits after it",
        }
    }
}

/// Returns the number that up to eight digits of this zone stand for; `None` if a byte is something else.
#[inline(always)]
fn of_zoned(bytes: &[u8], zone: u8) -> Option<u64> {
    let number = big_endian(bytes);
    let used = !0u64 >> (64 - 8 * bytes.len() as u32);
    // One subtraction leaves the digits, if all zones are right.
    let digits = number ^ (all(zone) & used);
    if digits & all(0xF0) != 0 || (digits + all(0x06)) & all(0xF0) != 0 {
        return None;
    }
    let pairs = (digits >> 8 & 0x00FF_00FF_00FF_00FF) * 10 + (digits & 0x00FF_00FF_00FF_00FF);
    let fours = (pairs >> 16 & 0x0000_FFFF_0000_FFFF) * 100 + (pairs & 0x0000_FFFF_0000_FFFF);
    Some((fours >> 32) * 10_000 + (fours & 0xFFFF_FFFF))
}

/// Returns the number that digits of this zone stand for.
#[inline]
fn of_zoned_digits(digits: &[u8], zone: u8) -> Option<u128> {
    match digits.len() {
        0 => Some(0),
        1..=8 => of_zoned(digits, zone).map(u128::from),
        9..=16 => {
            let (high, low) = digits.split_at(digits.len() - 8);
            Some((of_zoned(high, zone)? * POWERS[8] + of_zoned(low, zone)?).into())
        }
        _ => digits.chunks(8).try_fold(0u128, |number, chunk| {
            number.checked_mul(POWERS[chunk.len()].into())?.checked_add(of_zoned(chunk, zone)?.into())
        }),
    }
}

/// Reads a zoned number of at most 16 digits whose sign, if it has one, is in the last digit; `None` for any other.
#[inline(always)]
pub(super) fn read_plain_zoned(bytes: &[u8], form: &ZonedForm) -> Option<Decimal> {
    if bytes.len() > 16 || !matches!(form.sign, SignPlace::Unsigned | SignPlace::Trailing) {
        return None;
    }
    let characters = Characters::of(form.signs);
    let (last, digits) = bytes.split_last()?;
    let (negative, digit) = match form.sign {
        SignPlace::Unsigned if last & 0xF0 == characters.zero && last & 15 <= 9 => (false, last & 15),
        _ => characters.signed_digit(*last)?,
    };
    let (high, low) = digits.split_at(digits.len().saturating_sub(8));
    let high = if high.is_empty() { 0 } else { of_zoned(high, characters.zero)? * POWERS[8] };
    let low = if low.is_empty() { 0 } else { of_zoned(low, characters.zero)? };
    Some(Decimal::from_parts(negative, ((high + low) * 10 + u64::from(digit)).into(), form.scale))
}

/// Reads a zoned number.
#[inline]
pub(super) fn read_zoned(bytes: &[u8], form: &ZonedForm) -> Option<Decimal> {
    read_digits(bytes, form).or_else(|| read_after_blanks(bytes, form))
}

/// Reads a zoned number with spaces or NULs instead of zeros in front. Mainframes calculate with both as with zeros.
#[cold]
fn read_after_blanks(bytes: &[u8], form: &ZonedForm) -> Option<Decimal> {
    let Characters { blank, .. } = Characters::of(form.signs);
    let empty = bytes.iter().take_while(|byte| **byte == blank || **byte == 0).count();
    let digits = &bytes[empty..];
    let is_sign_behind = !matches!(form.sign, SignPlace::Leading | SignPlace::LeadingSeparate);
    let has_digits = digits.len() > usize::from(form.sign.is_separate());
    if is_sign_behind && has_digits { read_digits(digits, form) } else { None }
}

/// Reads a zoned number that has all its digits. It is large, and what most numbers need is in [`read_plain_zoned`].
#[inline(never)]
fn read_digits(bytes: &[u8], form: &ZonedForm) -> Option<Decimal> {
    let characters = Characters::of(form.signs);
    let zone = characters.zero;
    let separate = |sign: u8| {
        let Characters { plus, minus, .. } = characters;
        (sign == plus || sign == minus).then_some(sign == minus)
    };
    let (negative, magnitude) = match form.sign {
        SignPlace::Trailing => {
            let (last, digits) = bytes.split_last()?;
            let (negative, digit) = characters.signed_digit(*last)?;
            (negative, of_zoned_digits(digits, zone)?.checked_mul(10)?.checked_add(digit.into())?)
        }
        SignPlace::Leading => {
            let (first, digits) = bytes.split_first()?;
            let (negative, digit) = characters.signed_digit(*first)?;
            let high = u128::from(digit).checked_mul(10u128.checked_pow(digits.len() as u32)?)?;
            (negative, high.checked_add(of_zoned_digits(digits, zone)?)?)
        }
        SignPlace::TrailingSeparate => {
            let (sign, digits) = bytes.split_last()?;
            (separate(*sign)?, of_zoned_digits(digits, zone)?)
        }
        SignPlace::LeadingSeparate => {
            let (sign, digits) = bytes.split_first()?;
            (separate(*sign)?, of_zoned_digits(digits, zone)?)
        }
        SignPlace::Unsigned => match of_zoned_digits(bytes, zone) {
            Some(magnitude) => (false, magnitude),
            // A sign in the zone of the last digit, which programs leave there after a calculation.
            None => {
                let (last, digits) = bytes.split_last()?;
                let (negative, digit) = characters.signed_digit(*last)?;
                (negative, of_zoned_digits(digits, zone)?.checked_mul(10)?.checked_add(digit.into())?)
            }
        },
    };
    Some(Decimal::from_parts(negative, magnitude, form.scale))
}

/// Writes a zoned number, whose magnitude has at most as many digits as `form`.
pub(super) fn write_zoned(bytes: &mut [u8], number: &Decimal, form: &ZonedForm) {
    let characters = Characters::of(form.signs);
    let separate = if number.is_negative() { characters.minus } else { characters.plus };
    let digits = match (form.sign, &mut *bytes) {
        (SignPlace::LeadingSeparate, [sign, digits @ ..]) | (SignPlace::TrailingSeparate, [digits @ .., sign]) => {
            *sign = separate;
            digits
        }
        (_, digits) => digits,
    };
    let mut rest = number.magnitude();
    for byte in digits.iter_mut().rev() {
        *byte = characters.zero | (rest % 10) as u8;
        rest /= 10;
    }
    let signed = match form.sign {
        SignPlace::Trailing => digits.last_mut(),
        SignPlace::Leading => digits.first_mut(),
        _ => None,
    };
    if let Some(byte) = signed {
        *byte = characters.with_sign(*byte & 15, number.is_negative());
    }
}

// --- Binary
// -----------------------------------------------------------------------------------------------------------

/// Reads a binary number of 1 to 16 bytes.
#[inline]
pub(super) fn read_binary(bytes: &[u8], binary: &Binary) -> Option<Decimal> {
    if bytes.len() > 8 {
        return Some(read_long_binary(bytes, binary));
    }
    let bits = 8 * bytes.len() as u32;
    let number = match binary.order {
        ByteOrder::Big => big_endian(bytes),
        ByteOrder::Little => bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    };
    let mantissa = match binary.signed {
        true => i128::from((number << (64 - bits)) as i64 >> (64 - bits)),
        false => i128::from(number),
    };
    Some(Decimal::new(mantissa, binary.scale))
}

/// Reads a binary number of 9 to 16 bytes.
fn read_long_binary(bytes: &[u8], binary: &Binary) -> Decimal {
    let append = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
    let number = match binary.order {
        ByteOrder::Big => bytes.iter().fold(0, append),
        ByteOrder::Little => bytes.iter().rev().fold(0, append),
    };
    let unused = 128 - 8 * bytes.len() as u32;
    match binary.signed {
        true => Decimal::new((number << unused) as i128 >> unused, binary.scale),
        // The largest numbers of 16 bytes do not fit into an `i128`.
        false => Decimal::from_parts(false, number, binary.scale),
    }
}

/// Returns whether a number fits into a binary number of the same scale. An unsigned one has no negative zero.
pub(super) fn fits_binary(number: &Decimal, binary: &Binary) -> bool {
    let is_negative = number.is_negative();
    let bits = 8 * u32::from(binary.len) - u32::from(binary.signed);
    let most = u128::MAX >> (128 - bits);
    let most = if is_negative { most + 1 } else { most };
    (binary.signed || !is_negative)
        && number.magnitude() <= most
        && binary.digits.is_none_or(|digits| number.magnitude() < 10u128.pow(digits.min(38).into()))
}

/// Writes a binary number that [fits](fits_binary).
pub(super) fn write_binary(bytes: &mut [u8], number: &Decimal, binary: &Binary) {
    let magnitude = number.magnitude();
    let all = if number.is_negative() { magnitude.wrapping_neg() } else { magnitude }.to_be_bytes();
    bytes.copy_from_slice(&all[all.len() - bytes.len()..]);
    if binary.order == ByteOrder::Little {
        bytes.reverse();
    }
}

// --- Floating point
// ---------------------------------------------------------------------------------------------------

/// The number of bits in the fraction of a hexadecimal number of 8 bytes. One of 4 bytes has 32 fewer, all of them
/// zero.
const FRACTION_BITS: u32 = 56;

/// Reads a floating-point number of 4 or 8 bytes.
///
/// A hexadecimal number of 8 bytes whose fraction has more than 53 significant bits is rounded to the nearest `f64`.
/// All others are exact.
pub(super) fn read_float(bytes: &[u8], float: &Float) -> Option<Value<'static>> {
    let bits = match float.order {
        ByteOrder::Big => big_endian(bytes),
        ByteOrder::Little => bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    };
    Some(match (float.format, float.double) {
        (FloatFormat::Ieee, false) => Value::Single(f32::from_bits(bits as u32)),
        (FloatFormat::Ieee, true) => Value::Double(f64::from_bits(bits)),
        (FloatFormat::Ibm, true) => Value::Double(from_hexadecimal(bits)),
        (FloatFormat::Ibm, false) => {
            let number = from_hexadecimal(bits << 32);
            let single = number as f32;
            // A subnormal `f32` is written with so few digits that they lead to another hexadecimal number.
            let is_exact = f64::from(single) == number && !single.is_subnormal();
            if is_exact { Value::Single(single) } else { Value::Double(number) }
        }
    })
}

/// Returns the value of a hexadecimal number: a sign, seven bits of exponent, and the fraction.
fn from_hexadecimal(bits: u64) -> f64 {
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let exponent = 4 * ((bits >> FRACTION_BITS & 0x7F) as i32 - 64) - FRACTION_BITS as i32;
    // A power of two between 2^-312 and 2^196, so that the product is exact.
    let power = f64::from_bits(((1023 + exponent) as u64) << 52);
    let number = fraction as f64 * power;
    if bits >> 63 == 1 { -number } else { number }
}

/// Returns the nearest hexadecimal number; `None` if it is too large or too small for one, or is not a number.
fn to_hexadecimal(number: f64, double: bool) -> Option<u64> {
    let sign = u64::from(number.is_sign_negative()) << 63;
    if number == 0.0 {
        return Some(sign);
    }
    // Subnormal numbers are far too small.
    if !number.is_normal() {
        return None;
    }
    let bits = number.to_bits();
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    // The number is mantissa × 2^(power - 56).
    let power = (bits >> 52 & 0x7FF) as i32 - 1023 - 52 + FRACTION_BITS as i32;
    let shift = power.rem_euclid(4);
    let (mut fraction, mut exponent) = (mantissa << shift, (power - shift) / 4 + 64);
    if !double {
        let (half, rest) = (1u64 << 31, fraction & 0xFFFF_FFFF);
        fraction &= !0xFFFF_FFFF;
        if rest > half || rest == half && fraction >> 32 & 1 == 1 {
            fraction += 1 << 32;
        }
        if fraction >> FRACTION_BITS != 0 {
            (fraction, exponent) = (fraction >> 4, exponent + 1);
        }
    }
    let exponent = u64::try_from(exponent).ok().filter(|exponent| *exponent < 128)?;
    Some(sign | exponent << FRACTION_BITS | fraction)
}

/// Writes a floating-point number. Returns `false` if it is too large or too small, or if the format has no infinities
/// and no NaN.
pub(super) fn write_float(bytes: &mut [u8], number: f64, float: &Float) -> bool {
    let bits = match (float.format, float.double) {
        (FloatFormat::Ieee, false) if number.is_finite() && !(number as f32).is_finite() => None,
        (FloatFormat::Ieee, false) if number != 0.0 && number as f32 == 0.0 => None,
        (FloatFormat::Ieee, false) => Some(u64::from((number as f32).to_bits()) << 32),
        (FloatFormat::Ieee, true) => Some(number.to_bits()),
        (FloatFormat::Ibm, double) => to_hexadecimal(number, double),
    };
    let Some(bits) = bits else { return false };
    let len = bytes.len();
    bytes.copy_from_slice(&bits.to_be_bytes()[..len]);
    if float.order == ByteOrder::Little {
        bytes.reverse();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bytes: &[u8], sign: PackedSign) -> Option<String> {
        read_packed(bytes, &Packed { digits: 1, scale: 0, sign }).map(|number| number.to_string())
    }

    /// The sign codes of z/Architecture (Principles of Operation, "Decimal instructions"): A, C, E and F are plus, B
    /// and D are minus.
    #[test]
    fn packed_signs() {
        for (sign, text) in [(0xA, "12"), (0xB, "-12"), (0xC, "12"), (0xD, "-12"), (0xE, "12"), (0xF, "12")] {
            assert_eq!(packed(&[0x01, 0x20 | sign], PackedSign::Signed).as_deref(), Some(text));
            assert_eq!(packed(&[0x01, 0x20 | sign], PackedSign::Unsigned).as_deref(), Some(text));
        }
        for sign in 0..10 {
            assert_eq!(packed(&[0x01, 0x20 | sign], PackedSign::Signed), None);
        }
        assert_eq!(packed(&[0x01, 0x23], PackedSign::Absent).as_deref(), Some("123"));
        assert_eq!(packed(&[0x01, 0x2C], PackedSign::Absent), None);
        assert_eq!(packed(b"\x00\x0D", PackedSign::Signed).as_deref(), Some("-0"));
    }

    #[test]
    fn packed_numbers_of_any_length() {
        for sign in [PackedSign::Signed, PackedSign::Unsigned, PackedSign::Absent] {
            for digits in 1..=38 {
                let packed = Packed { digits, scale: 0, sign };
                let nines = 10u128.pow(digits.into()) - 1;
                for magnitude in [0, 1, nines, nines / 7, nines - nines / 9] {
                    let number = Decimal::from_parts(sign == PackedSign::Signed && digits % 2 == 0, magnitude, 0);
                    let mut bytes = vec![0; super::super::FieldKind::Packed(packed).len()];
                    write_packed(&mut bytes, &number, &packed);
                    assert_eq!(read_packed(&bytes, &packed), Some(number), "{bytes:02X?}");
                }
            }
        }
    }

    /// Each half byte is checked, at any position.
    #[test]
    fn packed_digits_are_checked() {
        for len in 1..=20 {
            for half in 0..2 * len - 1 {
                for digit in 0..16u8 {
                    let mut bytes = vec![0; len];
                    bytes[len - 1] = 0x0C;
                    bytes[half / 2] |= if half % 2 == 0 { digit << 4 } else { digit };
                    let expected = 10u128
                        .checked_pow((2 * len - 2 - half) as u32)
                        .and_then(|power| power.checked_mul(digit.into()));
                    let found = read_packed(&bytes, &Packed::new(1, 0)).map(|number| number.magnitude());
                    assert_eq!(found, expected.filter(|_| digit <= 9), "{bytes:02X?}");
                }
            }
        }
    }

    /// The largest number of each picture is read, and none that has a digit in a half byte that the picture leaves
    /// free.
    #[test]
    fn a_spare_half_of_a_packed_number_is_zero() {
        for sign in [PackedSign::Signed, PackedSign::Unsigned, PackedSign::Absent] {
            for digits in 1..=38u8 {
                let packed = Packed { digits, scale: 0, sign };
                let largest = Decimal::from_parts(false, 10u128.pow(digits.into()) - 1, 0);
                let mut bytes = vec![0; packed.len()];
                write_packed(&mut bytes, &largest, &packed);
                assert_eq!(read_packed(&bytes, &packed), Some(largest), "{bytes:02X?}");
                let is_spare = bytes[0] >> 4 == 0;
                assert_eq!(is_spare, 2 * bytes.len() > usize::from(digits) + usize::from(sign != PackedSign::Absent));
                for digit in (1..16).filter(|_| is_spare) {
                    bytes[0] = digit << 4 | bytes[0] & 15;
                    assert_eq!(read_packed(&bytes, &packed), None, "{bytes:02X?}");
                }
            }
        }
    }

    fn zoned(bytes: &[u8], sign: SignPlace, signs: ZonedSigns) -> Option<String> {
        let form = ZonedForm { digits: 1, scale: 1, sign, signs };
        read_zoned(bytes, &form).map(|number| number.to_string())
    }

    /// The examples of "Examples: numeric data and internal representation" (Enterprise COBOL for z/OS, Programming
    /// Guide): +1234 and -1234 as PIC S9999 in all forms of DISPLAY.
    #[test]
    fn zoned_forms_of_ibm() {
        use SignPlace::*;
        let read = |bytes: &[u8], sign| zoned(bytes, sign, ZonedSigns::Ebcdic);
        assert_eq!(read(b"\xF1\xF2\xF3\xC4", Trailing).as_deref(), Some("123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xD4", Trailing).as_deref(), Some("-123.4"));
        assert_eq!(read(b"\xC1\xF2\xF3\xF4", Leading).as_deref(), Some("123.4"));
        assert_eq!(read(b"\xD1\xF2\xF3\xF4", Leading).as_deref(), Some("-123.4"));
        assert_eq!(read(b"\x4E\xF1\xF2\xF3\xF4", LeadingSeparate).as_deref(), Some("123.4"));
        assert_eq!(read(b"\x60\xF1\xF2\xF3\xF4", LeadingSeparate).as_deref(), Some("-123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xF4\x4E", TrailingSeparate).as_deref(), Some("123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xF4\x60", TrailingSeparate).as_deref(), Some("-123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xF4", Unsigned).as_deref(), Some("123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xF4", Trailing).as_deref(), Some("123.4"));
        // Spaces in front of the digits count as zeros.
        assert_eq!(read(b"\x40\xF2\xF3\xC4", Trailing).as_deref(), Some("23.4"));
        // A sign in an unsigned number, as calculations leave it; the other zones.
        assert_eq!(read(b"\xF1\xF2\xF3\xC4", Unsigned).as_deref(), Some("123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xA4", Trailing).as_deref(), Some("123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xB4", Trailing).as_deref(), Some("-123.4"));
        assert_eq!(read(b"\xF1\xF2\xF3\xE4", Trailing).as_deref(), Some("123.4"));
        for bad in [
            &b"\xF1\xF2\xF3\xCA"[..],
            b"\xF1\xC2\xF3\xC4",
            b"\xF1\x40\xF3\xC4",
            b"\xF1\xF2\xF3\x94",
            b"\xF1\xF2\xFA\xC4",
        ] {
            assert_eq!(read(bad, Trailing), None, "{bad:02X?}");
        }
        assert_eq!(read(b"\xF1\xF2\xF3\xF4", LeadingSeparate), None);
    }

    #[test]
    fn zoned_forms_of_ascii() {
        use SignPlace::*;
        for signs in [ZonedSigns::AsciiLetters, ZonedSigns::AsciiLowercase] {
            let read = |bytes: &[u8], sign| zoned(bytes, sign, signs);
            for (byte, text) in
                [(b'{', "1.0"), (b'A', "1.1"), (b'I', "1.9"), (b'}', "-1.0"), (b'J', "-1.1"), (b'R', "-1.9")]
            {
                assert_eq!(read(&[b'1', byte], Trailing).as_deref(), Some(text));
            }
            for (byte, text) in [(b'0', "1.0"), (b'9', "1.9"), (b'p', "-1.0"), (b'y', "-1.9")] {
                assert_eq!(read(&[b'1', byte], Trailing).as_deref(), Some(text));
            }
            assert_eq!(read(b"-12", LeadingSeparate).as_deref(), Some("-1.2"));
            assert_eq!(read(b"12+", TrailingSeparate).as_deref(), Some("1.2"));
            assert_eq!(read(b" 1", Trailing).as_deref(), Some("0.1"));
            for bad in [&b"1S"[..], b"1z", b"1@", b"1 ", b"A1", b"1:"] {
                assert_eq!(read(bad, Trailing), None, "{bad:?}");
            }
        }
    }

    #[test]
    fn zoned_numbers_come_back() {
        use SignPlace::*;
        for signs in [ZonedSigns::Ebcdic, ZonedSigns::AsciiLetters, ZonedSigns::AsciiLowercase] {
            for sign in [Unsigned, Trailing, Leading, TrailingSeparate, LeadingSeparate] {
                for digits in 1..=38 {
                    let form = ZonedForm { digits, scale: 3, sign, signs };
                    let nines = 10u128.pow(digits.into()) - 1;
                    for magnitude in [0, 1, nines, nines / 7, nines - nines / 9] {
                        let number = Decimal::from_parts(sign != Unsigned && magnitude % 2 == 0, magnitude, 3);
                        let mut bytes = vec![0; usize::from(digits) + usize::from(sign.is_separate())];
                        write_zoned(&mut bytes, &number, &form);
                        assert_eq!(read_zoned(&bytes, &form), Some(number), "{bytes:02X?}");
                    }
                }
            }
        }
    }

    #[test]
    fn binary_numbers() {
        let read = |bytes: &[u8], signed, order| {
            let binary = Binary { len: bytes.len() as u8, signed, scale: 2, order, digits: None };
            let number = read_binary(bytes, &binary).unwrap();
            assert!(fits_binary(&number, &binary));
            let mut back = vec![0; bytes.len()];
            write_binary(&mut back, &number, &binary);
            assert_eq!(back, bytes);
            number.to_string()
        };
        use ByteOrder::*;
        // Enterprise COBOL, Programming Guide: S9999 BINARY, +1234 is 04D2 and -1234 is FB2E.
        assert_eq!(read(b"\x04\xD2", true, Big), "12.34");
        assert_eq!(read(b"\xFB\x2E", true, Big), "-12.34");
        assert_eq!(read(b"\xFB\x2E", false, Big), "643.02");
        assert_eq!(read(b"\xD2\x04", true, Little), "12.34");
        for len in 1..=16 {
            let (ones, low) = (vec![0xFF; len], [&[0x80][..], &vec![0; len - 1]].concat());
            assert_eq!(read(&ones, true, Big), "-0.01");
            let most = Decimal::from_parts(false, u128::MAX >> (128 - 8 * len), 2).to_string();
            assert_eq!(read(&ones, false, Little), most);
            assert_eq!(read(&low, true, Big), Decimal::from_parts(true, 1 << (8 * len - 1), 2).to_string());
        }
        // More than 18 digits, in the places that Cobrix gives them.
        assert_eq!(read(b"\x00\x2A\x55\x2C\x81\x95\x0A\x60\xA7", false, Big), "30503932576762676.87");
        assert_eq!(read(b"\xFF\xD5\xAA\xD3\x7E\x6A\xF5\x9F\x59", true, Big), "-30503932576762676.87");
        let fits = |mantissa, binary| fits_binary(&Decimal::new(mantissa, 0), &binary);
        let comp = Binary::comp(4, 0);
        assert!(fits(9999, comp) && fits(-9999, comp) && !fits(10_000, comp));
        assert!(!fits(-1, Binary { signed: false, ..comp }) && !fits(40_000, Binary::native(2)));
        assert!(fits(-32_768, Binary::native(2)) && !fits(-32_769, Binary::native(2)));
        assert!(fits(i128::MIN, Binary::native(16)) && !fits(1 << 71, Binary::native(9)));
        assert!(!fits_binary(&Decimal::from_parts(false, 1 << 127, 0), &Binary::native(16)));
    }

    fn hexadecimal(bits: u64, double: bool) -> String {
        let float = if double { Float::COMP_2 } else { Float::COMP_1 };
        let len = if double { 8 } else { 4 };
        let bytes = bits.to_be_bytes();
        let value = read_float(&bytes[8 - len..], &float).unwrap();
        let number = match value {
            Value::Single(number) => number.into(),
            Value::Double(number) => number,
            _ => unreachable!(),
        };
        let mut back = [0; 8];
        assert!(write_float(&mut back[..len], number, &float));
        assert_eq!(back[..len], bytes[8 - len..], "{value}");
        // The text leads back as well.
        assert!(write_float(&mut back[..len], value.to_string().parse().unwrap(), &float));
        assert_eq!(back[..len], bytes[8 - len..], "{value}");
        value.to_string()
    }

    /// Known hexadecimal numbers: the examples of Principles of Operation, and the constants of System/360 programs.
    #[test]
    fn hexadecimal_numbers() {
        for (bits, text) in [
            (0x4110_0000, "1.0"),
            (0xC110_0000, "-1.0"),
            (0x4020_0000, "0.125"),
            (0x4264_0000, "100.0"),
            (0xC276_A000, "-118.625"),
            (0x4019_999A, "0.100000024"),
            (0x4132_43F7, "3.141593"),
            (0x0000_0000, "0.0"),
            (0x8000_0000, "-0.0"),
            (0x0010_0000, "5.397605346934028e-79"),
            (0x7FFF_FFFF, "7.2370051459731155e75"),
        ] {
            assert_eq!(hexadecimal(bits, false), text, "{bits:08X}");
        }
        for (bits, text) in [
            (0x4110_0000_0000_0000, "1.0"),
            (0x4132_43F6_A888_5A30, "3.141592653589793"),
            (0x4019_9999_9999_999A, "0.1"),
            (0xC276_A000_0000_0000, "-118.625"),
        ] {
            assert_eq!(hexadecimal(bits, true), text, "{bits:016X}");
        }
        // 56 bits do not fit into an f64, and are rounded.
        let value = read_float(&0x41FF_FFFF_FFFF_FFFFu64.to_be_bytes(), &Float::COMP_2).unwrap();
        assert_eq!(value, Value::Double(16.0));
        let mut bytes = [0; 4];
        for bad in [1e80, -1e80, 1e-90, f64::NAN, f64::INFINITY, 5e-324] {
            assert!(!write_float(&mut bytes, bad, &Float::COMP_1), "{bad}");
        }
    }

    #[test]
    fn ieee_numbers() {
        let ieee = |double, order| Float { double, format: FloatFormat::Ieee, order };
        assert_eq!(read_float(&0.1f32.to_be_bytes(), &ieee(false, ByteOrder::Big)), Some(Value::Single(0.1)));
        assert_eq!(read_float(&0.1f64.to_le_bytes(), &ieee(true, ByteOrder::Little)), Some(Value::Double(0.1)));
        let mut bytes = [0; 4];
        assert!(!write_float(&mut bytes, 1e60, &ieee(false, ByteOrder::Big)));
        assert!(write_float(&mut bytes, f64::INFINITY, &ieee(false, ByteOrder::Little)));
        assert_eq!(bytes, f32::INFINITY.to_le_bytes());
    }
}
