//! How the bytes of a field represent its value: [`FieldKind`].
//!
//! A kind also determines the length of the field in bytes.

pub use crate::codec::ByteOrder;
use crate::words::words;
use std::fmt;

/// The length of the longest record that a layout can describe, in bytes.
pub(super) const MAX_LEN: usize = 1 << 30;

/// How the bytes of a field represent its value.
///
/// | kind | COBOL |
/// |---|---|
/// | [`Text`](FieldKind::Text) | `PIC X`, `A`, `G`, `N`, and edited pictures with other characters, such as `$$,$$9.99CR` |
/// | [`Zoned`](FieldKind::Zoned) | `PIC 9`, `USAGE DISPLAY` |
/// | [`Edited`](FieldKind::Edited) | edited pictures of `9`, `Z`, `V`, a point and a sign, such as `ZZ9.99-` |
/// | [`Packed`](FieldKind::Packed) | `COMP-3`, `PACKED-DECIMAL`; `COMP-6` |
/// | [`Binary`](FieldKind::Binary) | `COMP`, `COMP-4`, `BINARY`, `COMP-5`; `INDEX` |
/// | [`Float`](FieldKind::Float) | `COMP-1`, `COMP-2` |
/// | [`Raw`](FieldKind::Raw) | `POINTER` and whatever else is not to be interpreted |
///
/// `Display` writes the kind as a field list does: `packed.2`, `zoned.2,leading,separate`.
///
/// ```
/// use charpipe::fields::{FieldKind, Packed};
///
/// // PIC S9(7)V99 COMP-3
/// let amount = FieldKind::Packed(Packed::new(9, 2));
/// assert_eq!((amount.len(), amount.to_string().as_str()), (5, "packed.2"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text in a code page.
    Text(Text),
    /// A decimal number with one digit per byte.
    Zoned(Zoned),
    /// A decimal number as it is printed: with a sign, a decimal point, or spaces instead of zeros.
    Edited(Edited),
    /// A decimal number with two digits per byte.
    Packed(Packed),
    /// A binary integer, which may stand for a decimal number with a fixed number of decimal places.
    Binary(Binary),
    /// A floating-point number.
    Float(Float),
    /// This many bytes without an interpretation.
    Raw(usize),
}

/// Text in a code page.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Text {
    /// The length of the text in bytes. For `PIC G` and `PIC N`, that is twice the number of characters.
    pub len: usize,
    /// The label of its code page; `None` if it is the page of the record.
    pub page: Option<String>,
    /// Whether the text consists of double-byte characters only, without shift codes (`PIC G`, `USAGE DISPLAY-1`). If
    /// the page is a mixed one, such as IBM939, its double-byte part is meant. `PIC N USAGE NATIONAL` does not need
    /// this: its page is `UTF-16BE`.
    pub double_byte: bool,
    /// Whether a binary number of two bytes before the text says how long it is, in bytes, or in characters if it is
    /// double-byte text or UTF-16: `VARCHAR` and `VARGRAPHIC` of Db2. [`len`](Self::len) is the longest text then.
    pub varying: bool,
}

/// A decimal number with one digit per byte, as characters: `PIC S9(5)V99`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Zoned {
    /// The number of digits, 1 to 38.
    pub digits: u8,
    /// The number of decimal places. A negative scale means that this many zeros follow the digits: -2 for `PIC 9PP`. A
    /// scale above the number of digits means that zeros precede them: 4 for `PIC VPP99`.
    pub scale: i8,
    /// Where the sign is.
    pub sign: SignPlace,
    /// The character set of the digits and signs; `None` if it follows from the page of the record. Then it is
    /// [`ZonedSigns::Ebcdic`] for an EBCDIC page, and [`ZonedSigns::AsciiLetters`] otherwise.
    pub signs: Option<ZonedSigns>,
}

/// Where a zoned number has its sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SignPlace {
    /// There is no sign: the number is not negative.
    Unsigned,
    /// In the zone of the last digit (the default of COBOL for `PIC S9`).
    Trailing,
    /// In the zone of the first digit: `SIGN LEADING`.
    Leading,
    /// In a byte after the digits, `+` or `-`: `SIGN TRAILING SEPARATE`.
    TrailingSeparate,
    /// In a byte before the digits: `SIGN LEADING SEPARATE`.
    LeadingSeparate,
}

/// The characters of zoned numbers: digits, and digits that carry a sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ZonedSigns {
    /// EBCDIC: digits are F0 to F9. With a sign they are C0 to C9 (`{` and `A` to `I`) and D0 to D9 (`}` and `J` to
    /// `R`). When reading, the zones A, E and F are positive as well, and B is negative.
    Ebcdic,
    /// ASCII that was converted from EBCDIC: `{` and `A` to `I` are positive, `}` and `J` to `R` negative.
    AsciiLetters,
    /// ASCII as Micro Focus and GnuCOBOL write it: `0` to `9` are positive, `p` to `y` negative.
    AsciiLowercase,
}

words! { ZonedSigns { Ebcdic: "ebcdic", AsciiLetters: "ascii", AsciiLowercase: "ascii-p" } }

/// A decimal number as an edited picture prints it: `-9(5)`, `ZZ9.99`, `Z(6)VZZ-`.
///
/// A number is written as COBOL writes it. When reading, leading zeros may be spaces or NULs, and a sign may be
/// `+`, `-` or a space. A field of spaces is null, or zero if all its digits are `Z`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Edited {
    /// The number of digits, 1 to 38.
    pub digits: u8,
    /// The number of decimal places, from 0 to the number of digits.
    pub scale: i8,
    /// How many of the digits, from the first one on, are `Z`: they become spaces instead of leading zeros. If all are
    /// `Z`, zero becomes a blank field.
    pub blanks: u8,
    /// Whether there is a character for the decimal point: `.` in the picture, and not `V`. It needs decimal places.
    pub point: bool,
    /// Whether that character is a comma, and not a point: `DECIMAL-POINT IS COMMA`.
    pub comma: bool,
    /// Where the sign is, and how a positive one is written.
    pub sign: EditedSign,
    /// Whether zero is written as spaces, even if not all digits are `Z`: `BLANK WHEN ZERO`.
    pub blank_when_zero: bool,
}

/// The sign of an edited number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EditedSign {
    /// There is none: the number is not negative.
    Absent,
    /// `+` or `-` before the digits: `PIC +9(5)`.
    PlusBefore,
    /// `+` or `-` after the digits: `PIC 9(5)+`.
    PlusAfter,
    /// A blank or `-` before the digits: `PIC -9(5)`.
    MinusBefore,
    /// A blank or `-` after the digits: `PIC 9(5)-`.
    MinusAfter,
    /// In the zone of the last digit: `PIC S9(3).99`, which some readers of copybooks accept. ASCII fields have the
    /// signs of [`ZonedSigns::AsciiLetters`].
    Zone,
}

words! {
    EditedSign {
        Absent: "no-sign",
        PlusBefore: "plus-before",
        PlusAfter: "plus-after",
        MinusBefore: "minus-before",
        MinusAfter: "minus-after",
        Zone: "zone",
    }
}

/// A decimal number with two digits per byte: `COMP-3`, or `COMP-6` if it has no sign at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Packed {
    /// The number of digits, 1 to 38.
    pub digits: u8,
    /// The number of decimal places; see [`Zoned::scale`].
    pub scale: i8,
    /// The content of the last half byte.
    pub sign: PackedSign,
}

/// The content of the last half byte of a packed number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PackedSign {
    /// The sign: C is positive, D negative. When reading, A, E and F are positive as well, and B is negative.
    Signed,
    /// F: the picture has no `S`. When reading, all signs are accepted, as in a signed number.
    Unsigned,
    /// A digit: there is no sign (`COMP-6`).
    Absent,
}

/// A binary integer in two's complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Binary {
    /// Its length in bytes, 1 to 16.
    pub len: u8,
    /// Whether it is signed.
    pub signed: bool,
    /// The number of decimal places; see [`Zoned::scale`].
    pub scale: i8,
    /// The order of its bytes. Mainframes are big-endian.
    pub order: ByteOrder,
    /// The number of decimal digits that the picture allows; `None` if every value that fits into the bytes is allowed
    /// (`COMP-5`). Only a [`Writer`](super::Writer) with [`BinaryRange::Picture`](BinaryRange::Picture) enforces it.
    /// When reading, all digits in the bytes count, as COBOL programs compiled with `TRUNC(OPT)` or `TRUNC(BIN)` see
    /// it.
    pub digits: Option<u8>,
}

/// A floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Float {
    /// Whether it has 8 bytes (`COMP-2`) and not 4 (`COMP-1`).
    pub double: bool,
    /// How its bits are used.
    pub format: FloatFormat,
    /// The order of its bytes. Mainframes are big-endian.
    pub order: ByteOrder,
}

/// How a floating-point number uses its bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FloatFormat {
    /// Hexadecimal, as on IBM mainframes: a sign, an exponent of 16 with an excess of 64, and a fraction of 24 or 56
    /// bits.
    Ibm,
    /// IEEE 754 binary32 and binary64.
    Ieee,
}

words! { FloatFormat { Ibm: "ibm", Ieee: "ieee" } }

/// Which numbers fit into a binary field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum BinaryRange {
    /// All that fit into its bytes, which are those that a [`Reader`](super::Reader) accepts: `TRUNC(BIN)` of IBM's
    /// compilers, and an `INTEGER` of Db2.
    #[default]
    Full,
    /// Those with as many digits as the [picture](Binary::digits) has: `TRUNC(STD)`.
    Picture,
}

words! { BinaryRange { Full: "full", Picture: "picture" } }

impl FieldKind {
    /// The maximum number of digits of a zoned or packed number.
    pub const MAX_DIGITS: u8 = 38;

    /// Returns text of `len` bytes in the page of the record.
    #[must_use]
    pub fn text(len: usize) -> FieldKind {
        FieldKind::Text(Text::new(len))
    }

    /// Returns the length of the field in bytes.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a kind is not a collection")]
    pub fn len(&self) -> usize {
        match self {
            FieldKind::Text(text) => text.len.saturating_add(if text.varying { Text::LENGTH_BYTES } else { 0 }),
            FieldKind::Zoned(zoned) => zoned.len(),
            FieldKind::Edited(edited) => edited.len(),
            FieldKind::Packed(packed) => packed.len(),
            FieldKind::Binary(binary) => binary.len.into(),
            FieldKind::Float(float) => float.len(),
            FieldKind::Raw(len) => *len,
        }
    }

    /// Returns the word for the kind: `text`, `zoned`, `edited`, `packed`, `binary`, `float` or `raw`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            FieldKind::Text(_) => "text",
            FieldKind::Zoned(_) => "zoned",
            FieldKind::Edited(_) => "edited",
            FieldKind::Packed(_) => "packed",
            FieldKind::Binary(_) => "binary",
            FieldKind::Float(_) => "float",
            FieldKind::Raw(_) => "raw",
        }
    }

    /// Returns whether its values are exact decimal numbers: zoned, edited, packed or binary.
    #[must_use]
    pub fn is_decimal(&self) -> bool {
        self.scale().is_some()
    }

    /// Returns the number of decimal places of a zoned, edited, packed or binary number; `None` for other kinds.
    #[must_use]
    pub fn scale(&self) -> Option<i8> {
        match self {
            FieldKind::Zoned(Zoned { scale, .. })
            | FieldKind::Edited(Edited { scale, .. })
            | FieldKind::Packed(Packed { scale, .. })
            | FieldKind::Binary(Binary { scale, .. }) => Some(*scale),
            FieldKind::Text(_) | FieldKind::Float(_) | FieldKind::Raw(_) => None,
        }
    }

    /// Returns the maximum number of digits that a value can have before and after the decimal point together, without
    /// the zeros that a scale adds; `None` if it is not a decimal number. Binary numbers have as many digits as their
    /// bytes allow, which may be more than their picture has.
    ///
    /// ```
    /// use charpipe::fields::{Binary, FieldKind, Packed};
    ///
    /// assert_eq!(FieldKind::Packed(Packed::new(9, 2)).digits(), Some(9));
    /// // PIC 9(4) COMP can contain 65535.
    /// let mut count = Binary::comp(4, 0);
    /// count.signed = false;
    /// assert_eq!(FieldKind::Binary(count).digits(), Some(5));
    /// ```
    #[must_use]
    pub fn digits(&self) -> Option<u8> {
        match self {
            FieldKind::Zoned(zoned) => Some(zoned.digits),
            FieldKind::Edited(edited) => Some(edited.digits),
            FieldKind::Packed(packed) => Some(packed.digits),
            FieldKind::Binary(binary) => Some(decimal_digits(binary.len, binary.signed)),
            FieldKind::Text(_) | FieldKind::Float(_) | FieldKind::Raw(_) => None,
        }
    }
}

/// Returns the number of decimal digits of the largest integer of `len` bytes.
fn decimal_digits(len: u8, signed: bool) -> u8 {
    let bits = 8 * u32::from(len.clamp(1, 16)) - u32::from(signed);
    (u128::MAX >> (128 - bits)).ilog10() as u8 + 1
}

impl Text {
    /// The number of bytes before [varying](Self::varying) text.
    pub(super) const LENGTH_BYTES: usize = 2;

    /// Returns text of `len` bytes in the page of the record.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Text { len, page: None, double_byte: false, varying: false }
    }

    /// Returns `len` bytes of double-byte characters in the page of the record: `PIC G`.
    #[must_use]
    pub fn graphic(len: usize) -> Self {
        Text { double_byte: true, ..Text::new(len) }
    }

    /// Returns `len` bytes of UTF-16BE: `PIC N USAGE NATIONAL`.
    #[must_use]
    pub fn national(len: usize) -> Self {
        Text { page: Some("UTF-16BE".to_owned()), ..Text::new(len) }
    }
}

impl Zoned {
    /// Returns a signed number with the sign in the zone of the last digit: `PIC S9(…)V9(…)`.
    #[must_use]
    pub fn new(digits: u8, scale: i8) -> Self {
        Zoned { digits, scale, sign: SignPlace::Trailing, signs: None }
    }

    /// Returns a number without a sign: `PIC 9(…)V9(…)`.
    #[must_use]
    pub fn unsigned(digits: u8, scale: i8) -> Self {
        Zoned { sign: SignPlace::Unsigned, ..Zoned::new(digits, scale) }
    }

    fn len(&self) -> usize {
        usize::from(self.digits) + usize::from(self.sign.is_separate())
    }
}

impl Edited {
    /// Returns an integer without a sign that is printed with all its zeros.
    #[must_use]
    pub fn new(digits: u8) -> Self {
        Edited {
            digits,
            scale: 0,
            blanks: 0,
            point: false,
            comma: false,
            sign: EditedSign::Absent,
            blank_when_zero: false,
        }
    }

    /// Returns whether zero is written as spaces.
    pub(super) fn is_blank_if_zero(&self) -> bool {
        self.blank_when_zero || self.blanks == self.digits
    }

    fn len(&self) -> usize {
        usize::from(self.digits) + usize::from(self.point) + usize::from(self.sign.is_character())
    }
}

impl EditedSign {
    /// Returns whether the sign is a separate byte.
    #[must_use]
    pub fn is_character(self) -> bool {
        !matches!(self, EditedSign::Absent | EditedSign::Zone)
    }
}

impl SignPlace {
    /// Returns whether the sign is a separate byte.
    #[must_use]
    pub fn is_separate(self) -> bool {
        matches!(self, SignPlace::LeadingSeparate | SignPlace::TrailingSeparate)
    }
}

impl Packed {
    /// Returns a signed number: `PIC S9(…)V9(…) COMP-3`.
    #[must_use]
    pub fn new(digits: u8, scale: i8) -> Self {
        Packed { digits, scale, sign: PackedSign::Signed }
    }

    /// Returns a number whose sign is always F: `PIC 9(…)V9(…) COMP-3`.
    #[must_use]
    pub fn unsigned(digits: u8, scale: i8) -> Self {
        Packed { sign: PackedSign::Unsigned, ..Packed::new(digits, scale) }
    }

    /// Returns whether its first half byte is not a digit of the picture: with an even number of digits, or with an odd
    /// one and no sign.
    #[inline(always)]
    pub(super) fn has_spare_half(&self) -> bool {
        (self.digits % 2 == 1) == (self.sign == PackedSign::Absent)
    }

    pub(super) fn len(&self) -> usize {
        let halves = usize::from(self.digits) + usize::from(self.sign != PackedSign::Absent);
        halves.div_ceil(2)
    }
}

impl Binary {
    /// Returns a signed big-endian integer for a picture of this many digits, as IBM allocates it: 2 bytes for up to 4
    /// digits, 4 bytes for up to 9, 8 bytes for up to 18. IBM's compilers allow no more digits. Then it has as many
    /// bytes as a signed number of up to 38 digits needs, 9 to 16, as Cobrix reads it.
    ///
    /// ```
    /// use charpipe::fields::Binary;
    ///
    /// // PIC S9(8)V99 COMP
    /// assert_eq!(Binary::comp(10, 2).len, 8);
    /// ```
    #[must_use]
    pub fn comp(digits: u8, scale: i8) -> Self {
        let len = match digits {
            0..=4 => 2,
            5..=9 => 4,
            10..=18 => 8,
            _ => {
                let largest = 10u128.pow(u32::from(digits.min(FieldKind::MAX_DIGITS))) - 1;
                (largest.ilog2() + 2).div_ceil(8) as u8
            }
        };
        Binary { len, signed: true, scale, order: ByteOrder::Big, digits: Some(digits) }
    }

    /// Returns a signed big-endian integer of `len` bytes that may have any value.
    #[must_use]
    pub fn native(len: u8) -> Self {
        Binary { len, signed: true, scale: 0, order: ByteOrder::Big, digits: None }
    }
}

impl Float {
    /// `COMP-1` on a mainframe: hexadecimal, 4 bytes.
    pub const COMP_1: Float = Float { double: false, format: FloatFormat::Ibm, order: ByteOrder::Big };
    /// `COMP-2` on a mainframe: hexadecimal, 8 bytes.
    pub const COMP_2: Float = Float { double: true, format: FloatFormat::Ibm, order: ByteOrder::Big };

    pub(super) fn len(&self) -> usize {
        if self.double { 8 } else { 4 }
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, FieldKind::Text(Text { double_byte: true, .. })) {
            "graphic"
        } else {
            self.name()
        })?;
        if let Some(scale) = self.scale().filter(|scale| *scale != 0) {
            write!(f, ".{scale}")?;
        }
        match self {
            FieldKind::Zoned(zoned) => {
                f.write_str(match zoned.sign {
                    SignPlace::Unsigned => ",unsigned",
                    SignPlace::Trailing => "",
                    SignPlace::Leading => ",leading",
                    SignPlace::TrailingSeparate => ",separate",
                    SignPlace::LeadingSeparate => ",leading,separate",
                })?;
                zoned.signs.map_or(Ok(()), |signs| write!(f, ",{signs}"))
            }
            FieldKind::Edited(Edited { blanks, point, comma, sign, blank_when_zero, .. }) => {
                if *sign != EditedSign::Absent {
                    write!(f, ",{sign}")?;
                }
                f.write_str(match (point, comma) {
                    (false, _) => "",
                    (true, false) => ",point",
                    (true, true) => ",comma",
                })?;
                if *blanks > 0 {
                    write!(f, ",blanks={blanks}")?;
                }
                f.write_str(if *blank_when_zero { ",blank-when-zero" } else { "" })
            }
            FieldKind::Packed(packed) => {
                f.write_str(match packed.sign {
                    PackedSign::Signed => "",
                    PackedSign::Unsigned => ",unsigned",
                    PackedSign::Absent => ",no-sign",
                })?;
                match packed.has_spare_half() {
                    true => write!(f, ",digits={}", packed.digits),
                    false => Ok(()),
                }
            }
            FieldKind::Binary(binary) => {
                f.write_str(if binary.signed { "" } else { ",unsigned" })?;
                f.write_str(little(binary.order))?;
                binary.digits.map_or(Ok(()), |digits| write!(f, ",digits={digits}"))
            }
            FieldKind::Float(float) => {
                f.write_str(if float.format == FloatFormat::Ieee { ",ieee" } else { "" })?;
                f.write_str(little(float.order))
            }
            FieldKind::Text(text) => f.write_str(if text.varying { ",varying" } else { "" }),
            FieldKind::Raw(_) => Ok(()),
        }
    }
}

fn little(order: ByteOrder) -> &'static str {
    if order == ByteOrder::Little { ",little" } else { "" }
}
