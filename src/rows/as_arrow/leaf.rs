//! The values of one field as a column: [`Leaf`].

use super::bits::{Ends, Validity};
use crate::fields::{Decimal, FieldKind, Value};
use crate::rows::ColumnType;
use std::fmt;

/// How the values of a field are kept.
#[derive(Clone, Debug)]
enum Kind {
    Text(Ends),
    Raw(Ends),
    Int32,
    Int64,
    Decimal { precision: u8, scale: i8 },
    Double,
    Date,
    Timestamp,
}

/// The values of one field.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    kind: Kind,
    /// The values, one after another, as the stream has them. Those of a fixed length are 0 if they are null.
    bytes: Vec<u8>,
    validity: Validity,
}

/// A number that does not fit its column.
pub(super) struct TooLarge {
    pub(super) number: Decimal,
    room: Room,
}

/// The capacity of a column.
enum Room {
    /// This many digits.
    Digits(u8),
    /// An integer.
    Bits,
}

impl TooLarge {
    /// A box, so that values that do fit are returned in registers.
    #[cold]
    fn new(number: &Decimal, room: Room) -> Box<Self> {
        Box::new(TooLarge { number: *number, room })
    }
}

/// Writes what there is room for.
impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.room {
            Room::Digits(1) => f.write_str("the one digit that its picture has"),
            Room::Digits(digits) => write!(f, "the {digits} digits that its picture has"),
            Room::Bits => f.write_str("the digits that its picture has"),
        }
    }
}

impl Leaf {
    /// Makes the column for values of this type.
    pub(super) fn new(column: ColumnType) -> Self {
        let kind = match column {
            ColumnType::Text { .. } => Kind::Text(Ends::new()),
            // All floating-point numbers are of 64 bits.
            ColumnType::Single | ColumnType::Double => Kind::Double,
            ColumnType::Int32 => Kind::Int32,
            ColumnType::Int64 => Kind::Int64,
            // At most 38.
            ColumnType::Decimal { precision, scale } => Kind::Decimal { precision, scale: scale as i8 },
            ColumnType::Date => Kind::Date,
            ColumnType::Timestamp => Kind::Timestamp,
            ColumnType::Bytes { .. } => Kind::Raw(Ends::new()),
        };
        Leaf { kind, bytes: Vec::new(), validity: Validity::default() }
    }

    /// Returns how many bytes each entry has, without those of text.
    pub(super) fn width(&self) -> usize {
        match self.kind {
            Kind::Text(_) | Kind::Raw(_) => Ends::WIDTH,
            Kind::Int32 | Kind::Date => 4,
            Kind::Int64 | Kind::Double | Kind::Timestamp => 8,
            Kind::Decimal { .. } => 16,
        }
    }

    pub(super) fn validity(&self) -> &Validity {
        &self.validity
    }

    /// Returns the buffers of the column in the stream.
    pub(super) fn buffers(&self) -> [Option<&[u8]>; 3] {
        let ends = match &self.kind {
            Kind::Text(ends) | Kind::Raw(ends) => Some(ends.as_bytes()),
            _ => None,
        };
        [Some(self.validity.as_bytes()), ends, Some(&self.bytes)]
    }

    /// Appends a value. If it does not fit, nothing is appended.
    #[inline(always)]
    pub(super) fn push(&mut self, value: Value<'_>) -> Result<(), Box<TooLarge>> {
        match value {
            Value::Number(number) => self.push_number(number),
            Value::Text(text) => {
                self.push_text(text);
                Ok(())
            }
            other => {
                self.push_other(other);
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn push_number(&mut self, number: Decimal) -> Result<(), Box<TooLarge>> {
        match self.kind {
            Kind::Decimal { precision, scale } => self.put(fitting(number, precision, scale)?.to_le_bytes()),
            Kind::Int32 => self.put(integer::<i32>(number)?.to_le_bytes()),
            Kind::Int64 => self.put(integer::<i64>(number)?.to_le_bytes()),
            _ => self.push_null(),
        }
        Ok(())
    }

    /// Appends a value of a fixed length.
    #[inline(always)]
    fn put<const N: usize>(&mut self, value: [u8; N]) {
        self.bytes.extend_from_slice(&value);
        self.validity.push(true);
    }

    #[inline(always)]
    fn push_text(&mut self, text: &str) {
        let Kind::Text(ends) = &mut self.kind else { return self.push_null() };
        self.bytes.extend_from_slice(text.as_bytes());
        ends.push(self.bytes.len());
        self.validity.push(true);
    }

    fn push_other(&mut self, value: Value<'_>) {
        match (&mut self.kind, value) {
            (Kind::Double, Value::Single(number)) => self.put(f64::from(number).to_le_bytes()),
            (Kind::Double, Value::Double(number)) => self.put(number.to_le_bytes()),
            (Kind::Date, Value::Date(date)) => self.put(date.days().to_le_bytes()),
            (Kind::Timestamp, Value::Timestamp(moment)) => self.put(moment.micros().to_le_bytes()),
            (Kind::Raw(ends), Value::Raw(bytes)) => {
                self.bytes.extend_from_slice(bytes);
                ends.push(self.bytes.len());
                self.validity.push(true);
            }
            _ => self.push_null(),
        }
    }

    pub(super) fn push_null(&mut self) {
        self.push_nulls(1);
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        let width = self.width();
        match &mut self.kind {
            Kind::Text(ends) | Kind::Raw(ends) => ends.push_empty(count),
            _ => self.bytes.resize(self.bytes.len() + count * width, 0),
        }
        self.validity.push_nulls(count);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.validity.len() {
            return;
        }
        let width = self.width();
        let end = match &mut self.kind {
            Kind::Text(ends) | Kind::Raw(ends) => {
                ends.truncate(len);
                ends.last()
            }
            _ => len * width,
        };
        self.bytes.truncate(end);
        self.validity.truncate(len);
    }
}

/// The powers of ten, up to one more digit than a number can have.
const POWERS: [u128; FieldKind::MAX_DIGITS as usize + 1] = {
    let mut powers = [1; FieldKind::MAX_DIGITS as usize + 1];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = 10 * powers[index - 1];
        index += 1;
    }
    powers
};

/// Returns the digits of a number with `scale` decimal places, if there are at most `precision`.
#[inline(always)]
fn fitting(number: Decimal, precision: u8, scale: i8) -> Result<i128, Box<TooLarge>> {
    let magnitude = number.magnitude();
    if number.scale() == scale && magnitude < POWERS[usize::from(precision)] {
        let mantissa = magnitude.cast_signed();
        return Ok(if number.is_negative() { -mantissa } else { mantissa });
    }
    rescaled(number, precision, scale)
}

#[inline(never)]
fn rescaled(number: Decimal, precision: u8, scale: i8) -> Result<i128, Box<TooLarge>> {
    let scaled = number.rescale(scale).filter(|number| number.magnitude() < POWERS[usize::from(precision)]);
    scaled.and_then(|number| number.mantissa()).ok_or_else(|| TooLarge::new(&number, Room::Digits(precision)))
}

#[inline(always)]
fn integer<T: TryFrom<i128>>(number: Decimal) -> Result<T, Box<TooLarge>> {
    let fits = |number: Decimal| number.mantissa().and_then(|number| T::try_from(number).ok());
    let found = if number.scale() == 0 { fits(number) } else { number.rescale(0).and_then(fits) };
    found.ok_or_else(|| TooLarge::new(&number, Room::Bits))
}
