//! The types of columns, for formats in which columns have types: [`ColumnType`].

use crate::fields::{Binary, FieldKind, FloatFormat, Layout};
use crate::rows::DatePattern;

/// The type of a column whose values are not text, as they are in CSV.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text.
    Text {
        /// The most characters that it can have; `None` if there is no limit.
        most: Option<usize>,
    },
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// An exact decimal number.
    Decimal {
        /// The most digits that it can have, 1 to 38.
        precision: u8,
        /// How many of them are decimal places.
        scale: u8,
    },
    /// A floating-point number of 32 bits.
    Single,
    /// A floating-point number of 64 bits.
    Double,
    /// A date.
    Date,
    /// A moment in local time, to the microsecond.
    Timestamp,
    /// Bytes. In CSV and JSON, they are in hex.
    Bytes {
        /// The most bytes that it can have; `None` if there is no limit.
        most: Option<usize>,
    },
}

impl ColumnType {
    /// Returns the type of the column of a field. `dates` has for each item the pattern of its dates, or nothing at all.
    pub(in crate::rows) fn of_item(
        layout: &Layout,
        item: usize,
        dates: &[Option<DatePattern>],
        integers: bool,
    ) -> ColumnType {
        let pattern = dates.get(item).and_then(Option::as_ref);
        match &layout.items()[item].kind {
            _ if pattern.is_some_and(DatePattern::has_time) => ColumnType::Timestamp,
            _ if pattern.is_some() => ColumnType::Date,
            Some(kind) => ColumnType::new(kind, integers),
            None => ColumnType::Text { most: None },
        }
    }

    /// Returns the type that has all values of two types, if there is one.
    pub(in crate::rows) fn union(self, other: ColumnType) -> Option<ColumnType> {
        use ColumnType::{Bytes, Decimal, Int32, Int64, Text};
        let longest = |one: Option<usize>, other: Option<usize>| Some(one?.max(other?));
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Text { most: one }, Text { most: other }) => Some(Text { most: longest(one, other) }),
            (Bytes { most: one }, Bytes { most: other }) => Some(Bytes { most: longest(one, other) }),
            (Int32 | Int64, Int32 | Int64) => Some(Int64),
            (one, other) => {
                let ((before, after), (more_before, more_after)) = (one.digits()?, other.digits()?);
                let (before, scale) = (before.max(more_before), after.max(more_after));
                let precision = before.checked_add(scale).filter(|digits| *digits <= FieldKind::MAX_DIGITS)?;
                Some(Decimal { precision, scale })
            }
        }
    }

    /// Returns how many digits an exact number has before and after the point.
    fn digits(self) -> Option<(u8, u8)> {
        match self {
            ColumnType::Int32 => Some((10, 0)),
            ColumnType::Int64 => Some((19, 0)),
            ColumnType::Decimal { precision, scale } => Some((precision - scale.min(precision), scale)),
            _ => None,
        }
    }

    fn new(kind: &FieldKind, integers: bool) -> ColumnType {
        match kind {
            FieldKind::Text(text) => ColumnType::Text { most: Some(text.len) },
            FieldKind::Float(float) if float.double || float.format == FloatFormat::Ibm => ColumnType::Double,
            FieldKind::Float(_) => ColumnType::Single,
            FieldKind::Binary(binary) if binary.scale <= 0 => ColumnType::of_binary(binary),
            FieldKind::Zoned(_) | FieldKind::Edited(_) | FieldKind::Packed(_) | FieldKind::Binary(_) => {
                ColumnType::of_decimal(kind, integers)
            }
            FieldKind::Raw(len) => ColumnType::Bytes { most: Some(*len) },
        }
    }

    /// Chooses the type of a binary number without decimal places. All values of its bytes fit; only of an unsigned number
    /// of eight bytes with a picture, no more than the 18 digits that a picture can have.
    fn of_binary(binary: &Binary) -> ColumnType {
        let zeros = binary.scale.unsigned_abs();
        let digits = FieldKind::Binary(*binary).digits().unwrap_or(FieldKind::MAX_DIGITS).saturating_add(zeros);
        match (binary.len, binary.signed, zeros) {
            (0..=3, _, 0) | (4, true, 0) => ColumnType::Int32,
            (4..=7, _, 0) | (8, true, 0) => ColumnType::Int64,
            (8, false, 0) if binary.digits.is_some() => ColumnType::Int64,
            _ => ColumnType::Decimal { precision: digits.min(FieldKind::MAX_DIGITS), scale: 0 },
        }
    }

    /// Chooses the type of a decimal number. Its precision and scale are those of its picture; a binary number can have as
    /// many digits as its bytes allow.
    fn of_decimal(kind: &FieldKind, integers: bool) -> ColumnType {
        let digits = kind.digits().unwrap_or(FieldKind::MAX_DIGITS);
        let scale = kind.scale().unwrap_or(0);
        // Zeros that a scale adds, after the digits or between them and the point.
        let zeros = if scale < 0 { scale.unsigned_abs() } else { scale.unsigned_abs().saturating_sub(digits) };
        let precision = digits.saturating_add(zeros).clamp(1, FieldKind::MAX_DIGITS);
        match (integers, scale, precision) {
            (true, ..=0, ..=9) => ColumnType::Int32,
            (true, ..=0, ..=18) => ColumnType::Int64,
            _ => ColumnType::Decimal { precision, scale: scale.max(0).unsigned_abs() },
        }
    }
}
