//! Edited numbers as bytes: digits with a sign, a decimal point, and spaces instead of zeros.
//!
//! [`write_edited`] writes the same text as COBOL: see "Editing rules" of the PICTURE clause in IBM's Enterprise COBOL
//! for z/OS Language Reference. [`read_edited`] accepts more, because other programs write other forms: spaces or NULs
//! in place of leading zeros, and a plus sign for a positive number even if the picture has none.

use super::Decimal;
use super::kind::{Edited, EditedSign, ZonedSigns};
use super::number::Characters;

/// An edited number whose character set is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EditedForm {
    pub(super) edited: Edited,
    pub(super) signs: ZonedSigns,
}

impl EditedForm {
    /// Returns what the bytes should be, for messages.
    pub(super) fn expected(&self) -> &'static str {
        match (self.edited.sign, self.edited.point) {
            (EditedSign::Absent, false) => "digits, which only blanks may precede",
            (EditedSign::Absent, true) => "digits and a decimal point, which only blanks may precede",
            (EditedSign::Zone, _) => "digits and a decimal point, and a sign in the zone of the last digit",
            (EditedSign::PlusBefore | EditedSign::MinusBefore, false) => "a sign, and digits after it",
            (EditedSign::PlusBefore | EditedSign::MinusBefore, true) => {
                "a sign, and digits with a decimal point after it"
            }
            (EditedSign::PlusAfter | EditedSign::MinusAfter, false) => "digits, and a sign after them",
            (EditedSign::PlusAfter | EditedSign::MinusAfter, true) => {
                "digits with a decimal point, and a sign after them"
            }
        }
    }

    /// Splits the bytes of a field into its sign, if that is a character, and the rest.
    fn split<'a>(&self, bytes: &'a [u8]) -> Option<(Option<u8>, &'a [u8])> {
        let (sign, rest) = match self.edited.sign {
            EditedSign::Absent | EditedSign::Zone => return Some((None, bytes)),
            EditedSign::PlusBefore | EditedSign::MinusBefore => bytes.split_first()?,
            EditedSign::PlusAfter | EditedSign::MinusAfter => bytes.split_last()?,
        };
        Some((Some(*sign), rest))
    }

    /// Returns the character of the decimal point.
    fn point(&self, characters: &Characters) -> u8 {
        if self.edited.comma { characters.comma } else { characters.point }
    }

    /// Returns how many digits are in front of the decimal point.
    fn whole(&self) -> usize {
        usize::from(self.edited.digits) - usize::from(self.edited.scale.unsigned_abs())
    }
}

/// Reads an edited number.
pub(super) fn read_edited(bytes: &[u8], form: &EditedForm) -> Option<Decimal> {
    let (edited, characters) = (&form.edited, Characters::of(form.signs));
    if edited.is_blank_if_zero() && bytes.iter().all(|byte| *byte == characters.blank) {
        return Some(Decimal::new(0, edited.scale));
    }
    let (sign, mut rest) = form.split(bytes)?;
    let mut is_negative = match sign {
        Some(sign) if sign == characters.minus => true,
        Some(sign) if sign == characters.plus || sign == characters.blank => false,
        Some(_) => return None,
        None => false,
    };
    let (mut magnitude, mut is_leading) = (0u128, true);
    for place in 0..usize::from(edited.digits) {
        if edited.point && place == form.whole() {
            let (point, after) = rest.split_first()?;
            rest = if *point == form.point(&characters) { after } else { return None };
        }
        let (byte, after) = rest.split_first()?;
        let is_last = place + 1 == usize::from(edited.digits);
        is_leading = is_leading && place < form.whole() && (*byte == characters.blank || *byte == 0);
        let digit = match byte.wrapping_sub(characters.zero) {
            _ if is_leading && !is_last => 0,
            digit @ 0..=9 => digit,
            _ if is_last && edited.sign == EditedSign::Zone => {
                let (is_below_zero, digit) = characters.signed_digit(*byte)?;
                is_negative = is_below_zero;
                digit
            }
            _ => return None,
        };
        magnitude = magnitude.checked_mul(10)?.checked_add(digit.into())?;
        rest = after;
    }
    Some(Decimal::from_parts(is_negative, magnitude, edited.scale))
}

/// Writes an edited number, whose magnitude has at most as many digits as `form`.
pub(super) fn write_edited(bytes: &mut [u8], number: &Decimal, form: &EditedForm) {
    let (edited, characters) = (&form.edited, Characters::of(form.signs));
    if edited.is_blank_if_zero() && number.is_zero() {
        return bytes.fill(characters.blank);
    }
    let (is_negative, is_zoned) = (number.is_negative(), edited.sign == EditedSign::Zone);
    let sign = match edited.sign {
        _ if is_negative => characters.minus,
        EditedSign::PlusBefore | EditedSign::PlusAfter => characters.plus,
        _ => characters.blank,
    };
    let digits = match (edited.sign, &mut *bytes) {
        (EditedSign::PlusBefore | EditedSign::MinusBefore, [byte, digits @ ..])
        | (EditedSign::PlusAfter | EditedSign::MinusAfter, [digits @ .., byte]) => {
            *byte = sign;
            digits
        }
        (_, digits) => digits,
    };
    let whole = form.whole();
    let mut rest = number.magnitude();
    for (place, byte) in digits.iter_mut().enumerate().rev() {
        if edited.point && place == whole {
            *byte = form.point(&characters);
            continue;
        }
        *byte = characters.zero | (rest % 10) as u8;
        rest /= 10;
    }
    if let Some(last) = digits.last_mut().filter(|_| is_zoned) {
        *last = characters.with_sign(*last & 15, is_negative);
    }
    // Spaces stand for zeros up to the first other digit, but not after the decimal point.
    for byte in digits.iter_mut().take(whole.min(edited.blanks.into())).take_while(|byte| **byte == characters.zero) {
        *byte = characters.blank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(digits: u8, scale: i8, blanks: u8, point: bool, sign: EditedSign) -> EditedForm {
        EditedForm {
            edited: Edited { digits, scale, blanks, point, comma: false, sign, blank_when_zero: false },
            signs: ZonedSigns::AsciiLetters,
        }
    }

    /// Tests the text that COBOL writes for a number, and that it reads as the same number.
    #[test]
    fn numbers_are_edited_as_in_cobol() {
        use EditedSign::*;
        let cases = [
            // PIC +9(3), -9(3), 9(3)+, 9(3)-
            (form(3, 0, 0, false, PlusBefore), &["12", "-12"][..], &["+012", "-012"][..]),
            (form(3, 0, 0, false, MinusBefore), &["12", "-12"], &[" 012", "-012"]),
            (form(3, 0, 0, false, PlusAfter), &["12", "-12"], &["012+", "012-"]),
            (form(3, 0, 0, false, MinusAfter), &["12", "-12"], &["012 ", "012-"]),
            // PIC +9(3)V99, 9(3).99-, .99
            (form(5, 2, 0, false, PlusBefore), &["1.25"], &["+00125"]),
            (form(5, 2, 0, true, MinusAfter), &["1.25", "-999.00"], &["001.25 ", "999.00-"]),
            (form(2, 2, 0, true, Absent), &["0.05"], &[".05"]),
            // PIC ZZ9, Z(3)
            (form(3, 0, 2, false, Absent), &["0", "12", "120"], &["  0", " 12", "120"]),
            (form(3, 0, 3, false, Absent), &["0", "12", "120"], &["   ", " 12", "120"]),
            // PIC Z(3).99, Z(3).ZZ, Z(3)VZZ-
            (form(5, 2, 3, true, Absent), &["0.00", "0.05", "10.00"], &["   .00", "   .05", " 10.00"]),
            (form(5, 2, 5, true, Absent), &["0.00", "0.05", "10.00"], &["      ", "   .05", " 10.00"]),
            (form(5, 2, 5, false, MinusAfter), &["0.00", "0.05", "-10.00"], &["      ", "   05 ", " 1000-"]),
            // PIC S9(3).99
            (form(5, 2, 0, true, Zone), &["1.25", "-1.20"], &["001.2E", "001.2}"]),
        ];
        for (form, numbers, texts) in cases {
            for (number, text) in numbers.iter().zip(texts) {
                let number: Decimal = number.parse().unwrap();
                let mut bytes = vec![0; text.len()];
                write_edited(&mut bytes, &number, &form);
                assert_eq!(std::str::from_utf8(&bytes).unwrap(), *text);
                assert_eq!(read_edited(text.as_bytes(), &form), Some(number), "{text:?}");
            }
        }
    }

    #[test]
    fn blank_when_zero() {
        let edited = Edited { scale: 2, blank_when_zero: true, ..Edited::new(5) };
        let form = EditedForm { edited, signs: ZonedSigns::AsciiLetters };
        for (number, text) in [("0.00", "     "), ("0.05", "00005")] {
            let number: Decimal = number.parse().unwrap();
            let mut bytes = [0; 5];
            write_edited(&mut bytes, &number, &form);
            assert_eq!(bytes, text.as_bytes());
            assert_eq!(read_edited(text.as_bytes(), &form), Some(number));
        }
        assert_eq!(read_edited(b"00000", &form), Some(Decimal::new(0, 2)));
    }

    #[test]
    fn other_forms() {
        use EditedSign::*;
        let read = |text: &str, form| read_edited(text.as_bytes(), &form).map(|number| number.to_string());
        let price = form(5, 2, 0, true, Absent);
        for (text, expected) in [
            ("  1.25", Some("1.25")),
            ("\0\x001.25", Some("1.25")),
            ("   .25", Some("0.25")),
            ("      ", None),
            ("  1 25", None),
            ("1  .25", None),
            ("  1.2 ", None),
            ("001,25", None),
            ("-01.25", None),
            ("001.2E", None),
        ] {
            assert_eq!(read(text, price).as_deref(), expected, "{text:?}");
        }
        assert_eq!(read("+12", form(2, 0, 0, false, MinusBefore)).as_deref(), Some("12"));
        assert_eq!(read(" 12", form(2, 0, 0, false, PlusBefore)).as_deref(), Some("12"));
        assert_eq!(read("12E", form(2, 0, 0, false, PlusAfter)), None);
        assert_eq!(read("   ", form(2, 0, 0, false, PlusAfter)), None);
    }
}
