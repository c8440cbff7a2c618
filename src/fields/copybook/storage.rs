//! The storage of an item: how many bytes its picture, usage and sign take on IBM mainframes.
//!
//! | usage | bytes |
//! |---|---|
//! | `DISPLAY` | one for each character or digit, and one for a separate sign |
//! | `DISPLAY-1`, `NATIONAL` | two for each character |
//! | `BINARY`, `COMP`, `COMP-4`, `COMP-5` | 2 for 1 to 4 digits, 4 for 5 to 9, 8 for 10 to 18, 9 to 16 for 19 to 38 |
//! | `COMP-9` | the same, but 1 for 1 and 2 digits; little-endian |
//! | `COMP-X` | as few as the digits need: 1 for 1 and 2 digits, 2 for 3 and 4, 3 for 5 to 7, … |
//! | `COMP-1`, `COMP-2` | 4, 8 |
//! | `COMP-3`, `PACKED-DECIMAL` | half a byte for each digit and for the sign, rounded up |
//! | `COMP-6` | half a byte for each digit, rounded up |
//! | `INDEX`, `POINTER`, `FUNCTION-POINTER`, `PROCEDURE-POINTER` | 4, 4, 4, 8 |
//!
//! See "Computational items" in IBM's Enterprise COBOL for z/OS Language Reference. `BINARY-CHAR` and the like,
//! `COMP-X` and `COMP-6`, come from other compilers. `COMP-9`, `COMP-3U` (which is `COMP-6`) and binary numbers of more
//! than 18 digits come from Cobrix.

use super::entry::{Entry, Placed};
use super::lexical::BadText;
use super::options::Copybook;
use super::picture::Picture;
use super::words::Usage;
use crate::fields::{Binary, ByteOrder, Edited, FieldKind, Float, Packed, PackedSign, SignPlace, Text, Zoned};

/// The properties that an item inherits from its groups.
#[derive(Clone, Copy, Default)]
pub(super) struct Inherited<'a> {
    pub(super) usage: Option<Placed<'a, Usage>>,
    pub(super) sign: Option<Placed<'a, SignPlace>>,
    pub(super) is_synchronized: bool,
}

/// The storage of an elementary item.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) kind: FieldKind,
    /// The picture, the sign and the usage, for display.
    pub(super) picture: String,
    /// The boundary that the item is on if it is synchronized, in bytes.
    pub(super) boundary: usize,
}

/// Returns the storage of the elementary item `entry`.
pub(super) fn storage<'a>(
    options: &Copybook,
    entry: &Entry<'a>,
    inherited: &Inherited<'a>,
) -> Result<Storage, BadText<'a>> {
    let clauses = &entry.clauses;
    let usage = agreed(clauses.usage, inherited.usage)?;
    let kind = match (&clauses.picture, usage.map(|usage| usage.value)) {
        (Some(picture), usage) => pictured(options, entry, inherited, picture.value.1, usage)
            .map_err(|what| BadText::message(picture.rest, what))?,
        (None, Some(usage)) if !usage.needs_picture() => unpictured(options, usage),
        (None, _) => {
            let name = entry.name.unwrap_or("FILLER");
            return Err(BadText::message(
                entry.level.rest,
                format!("{name} has neither a picture nor items of higher levels after it"),
            ));
        }
    };
    let mut shown: Vec<&str> = clauses.picture.iter().map(|picture| picture.value.0).collect();
    if let FieldKind::Zoned(zoned) = &kind {
        shown.extend(sign_name(zoned.sign));
    }
    let usage = usage.map(|usage| usage.value).filter(|usage| *usage != Usage::Display);
    shown.extend(usage.map(Usage::name));
    Ok(Storage { picture: shown.join(" "), boundary: usage.map_or(1, |usage| boundary(usage, &kind)), kind })
}

/// Returns the usage of an item in a group that has one: both must be the same.
pub(super) fn agreed<'a>(
    own: Option<Placed<'a, Usage>>,
    of_group: Option<Placed<'a, Usage>>,
) -> Result<Option<Placed<'a, Usage>>, BadText<'a>> {
    match (own, of_group) {
        (Some(own), Some(of_group)) if own.value != of_group.value => {
            let (own_name, group_name) = (own.value.name(), of_group.value.name());
            let what = format!("found {own_name}, but a group of this item is {group_name}: they must agree");
            Err(BadText::message(own.rest, what))
        }
        (own, of_group) => Ok(own.or(of_group)),
    }
}

fn sign_name(sign: SignPlace) -> Option<&'static str> {
    match sign {
        SignPlace::Unsigned | SignPlace::Trailing => None,
        SignPlace::Leading => Some("SIGN LEADING"),
        SignPlace::TrailingSeparate => Some("SIGN TRAILING SEPARATE"),
        SignPlace::LeadingSeparate => Some("SIGN LEADING SEPARATE"),
    }
}

/// Returns the kind of an item with a picture.
fn pictured(
    options: &Copybook,
    entry: &Entry<'_>,
    inherited: &Inherited<'_>,
    picture: Picture,
    usage: Option<Usage>,
) -> Result<FieldKind, String> {
    let own_sign = entry.clauses.sign;
    match (picture, usage) {
        // A sign that has a separate byte is there, even if the picture lacks the S.
        (Picture::Number { signed: false, .. }, _) if own_sign.is_some_and(|sign| !sign.value.is_separate()) => {
            Err("the SIGN clause needs a picture that begins with S".into())
        }
        (Picture::Number { .. }, Some(usage))
            if own_sign.is_some() && !matches!(usage, Usage::Display | Usage::National) =>
        {
            Err(format!("the SIGN clause needs the usage DISPLAY, not {}", usage.name()))
        }
        // Spaces instead of zero: the item is an edited number. The compiler refuses the clause with a sign.
        (Picture::Number { digits, scale: scale @ 0.., signed: false }, None | Some(Usage::Display))
            if entry.clauses.blank_when_zero && own_sign.is_none() && scale as u8 <= digits =>
        {
            Ok(FieldKind::Edited(Edited { scale, blank_when_zero: true, ..Edited::new(digits) }))
        }
        (Picture::Number { digits, scale, signed }, _) => {
            let sign = own_sign.or(inherited.sign).map_or(SignPlace::Trailing, |sign| sign.value);
            let sign = if signed || own_sign.is_some() { sign } else { SignPlace::Unsigned };
            numeric(options, digits, scale, sign, usage.unwrap_or(Usage::Display))
        }
        (_, _) if own_sign.is_some() => Err("the SIGN clause needs a numeric picture, such as S9(5)".into()),
        (Picture::Edited(_, Some(edited)), None | Some(Usage::Display)) => {
            let blank_when_zero = entry.clauses.blank_when_zero && !edited.is_blank_if_zero();
            Ok(FieldKind::Edited(Edited { blank_when_zero, ..edited }))
        }
        (Picture::Text(len) | Picture::Edited(len, _), None | Some(Usage::Display)) => Ok(FieldKind::text(len)),
        // A number of this many bytes, as other compilers have it.
        (Picture::Text(len @ 1..=16), Some(usage @ (Usage::Fewest | Usage::Native))) => {
            let order = if usage == Usage::Native { options.native_order } else { ByteOrder::Big };
            Ok(FieldKind::Binary(Binary { signed: false, order, ..Binary::native(len as u8) }))
        }
        (Picture::Graphic(len), None | Some(Usage::Graphic)) => Ok(double_byte(len)),
        (Picture::National(len), Some(Usage::Graphic)) => Ok(double_byte(len)),
        (Picture::National(len), None) if options.graphic_n => Ok(double_byte(len)),
        (Picture::National(len), None | Some(Usage::National)) => Ok(national(len)),
        (Picture::Edited(len, _), Some(Usage::National)) => Ok(national(len)),
        (_, Some(usage)) => Err(format!("this picture does not fit the usage {}", usage.name())),
    }
}

fn double_byte(chars: usize) -> FieldKind {
    FieldKind::Text(Text::graphic(2 * chars))
}

fn national(chars: usize) -> FieldKind {
    FieldKind::Text(Text::national(2 * chars))
}

/// Returns the kind of an item with a numeric picture.
fn numeric(options: &Copybook, digits: u8, scale: i8, sign: SignPlace, usage: Usage) -> Result<FieldKind, String> {
    let signed = sign != SignPlace::Unsigned;
    match usage {
        Usage::Display => Ok(FieldKind::Zoned(Zoned { digits, scale, sign, signs: options.zoned_signs })),
        Usage::Packed if signed => Ok(FieldKind::Packed(Packed::new(digits, scale))),
        Usage::Packed => Ok(FieldKind::Packed(Packed::unsigned(digits, scale))),
        Usage::Unsigned if signed => Err("COMP-6 has no sign: its picture cannot begin with S".into()),
        Usage::Unsigned => Ok(FieldKind::Packed(Packed { sign: PackedSign::Absent, ..Packed::new(digits, scale) })),
        Usage::Binary => Ok(FieldKind::Binary(Binary { signed, ..Binary::comp(digits, scale) })),
        Usage::Little => {
            let comp = Binary { signed, order: ByteOrder::Little, ..Binary::comp(digits, scale) };
            Ok(FieldKind::Binary(Binary { len: if digits <= 2 { 1 } else { comp.len }, ..comp }))
        }
        Usage::Fewest => {
            let bits = 10u128.pow(digits.into()).ilog2() + 1;
            Ok(FieldKind::Binary(Binary { signed, scale, ..Binary::native(bits.div_ceil(8) as u8) }))
        }
        Usage::Native => {
            let order = options.native_order;
            Ok(FieldKind::Binary(Binary { signed, order, digits: None, ..Binary::comp(digits, scale) }))
        }
        Usage::National if !signed && scale == 0 => Ok(national(digits.into())),
        Usage::National => Err("numbers of usage NATIONAL with a sign or decimal places are not supported".into()),
        Usage::Graphic => Err("a number cannot have the usage DISPLAY-1".into()),
        Usage::Float | Usage::Double | Usage::Integer(..) | Usage::Index | Usage::Address(_) => {
            Err(format!("the usage {} allows no picture", usage.name()))
        }
    }
}

/// Returns the kind of an item without a picture.
fn unpictured(options: &Copybook, usage: Usage) -> FieldKind {
    let order = options.native_order;
    match usage {
        Usage::Float => FieldKind::Float(Float { format: options.float, order, ..Float::COMP_1 }),
        Usage::Double => FieldKind::Float(Float { format: options.float, order, ..Float::COMP_2 }),
        Usage::Integer(len, signed) => FieldKind::Binary(Binary { signed, order, ..Binary::native(len) }),
        Usage::Index => FieldKind::Binary(Binary { order, ..Binary::native(4) }),
        Usage::Address(len) => FieldKind::Raw(len.into()),
        // The others have a picture.
        _ => FieldKind::Raw(0),
    }
}

/// Returns the boundary for a synchronized item: halfword, fullword or doubleword. Binary items of 8 bytes are on
/// fullwords; see "Slack bytes within records" in the Language Reference.
fn boundary(usage: Usage, kind: &FieldKind) -> usize {
    match usage {
        Usage::Binary | Usage::Native | Usage::Little | Usage::Integer(..) => kind.len().min(4),
        Usage::Fewest => 1,
        Usage::Float | Usage::Index | Usage::Address(_) => 4,
        Usage::Double => 8,
        _ => 1,
    }
}
