//! The values of one field as a column: [`Leaf`].

use arrow_array::types::{
    ArrowPrimitiveType, BinaryType, ByteArrayType, Date32Type, Decimal128Type, Float64Type, Int32Type, Int64Type,
    TimestampMicrosecondType, Utf8Type,
};
use arrow_array::{ArrayRef, GenericByteArray, PrimitiveArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use charpipe::fields::{Decimal, RunReader, Value};
use charpipe::rows::ColumnType;
use std::fmt;
use std::sync::Arc;

/// Values of variable length, one after another.
struct Bytes {
    /// Where each value ends; the first number is 0.
    ends: Vec<i32>,
    bytes: Vec<u8>,
}

impl Bytes {
    fn new() -> Self {
        Bytes { ends: vec![0], bytes: Vec::new() }
    }

    #[inline]
    fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        // A batch ends long before this is too large; see `batches.rs`.
        self.ends.push(self.bytes.len() as i32);
    }

    fn truncate(&mut self, len: usize) {
        self.ends.truncate(len + 1);
        self.bytes.truncate(self.ends[len] as usize);
    }

    /// Takes the values as an array, and makes room for as many again.
    fn take<T: ByteArrayType<Offset = i32>>(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let fresh = Bytes { ends: Vec::with_capacity(self.ends.len()), bytes: Vec::with_capacity(self.bytes.len()) };
        let Bytes { ends, bytes } = std::mem::replace(self, fresh);
        self.ends.push(0);
        let (offsets, bytes) = (OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(bytes));
        Ok(Arc::new(GenericByteArray::<T>::try_new(offsets, bytes, nulls)?))
    }
}

/// How the values of a field are kept.
enum Values {
    Text(Bytes),
    Raw(Bytes),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Decimal { values: Vec<i128>, precision: u8, scale: i8 },
    Double(Vec<f64>),
    Date(Vec<i32>),
    Timestamp(Vec<i64>),
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

/// The values of one field.
pub(super) struct Leaf {
    values: Values,
    validity: NullBufferBuilder,
}

impl Leaf {
    /// Makes the column for values of this type.
    pub(super) fn new(column: ColumnType) -> Self {
        Leaf::of(match column {
            ColumnType::Text { .. } => Values::Text(Bytes::new()),
            ColumnType::Single | ColumnType::Double => Values::Double(Vec::new()),
            ColumnType::Int32 => Values::Int32(Vec::new()),
            ColumnType::Int64 => Values::Int64(Vec::new()),
            ColumnType::Decimal { precision, scale } => {
                // At most 38.
                Values::Decimal { values: Vec::new(), precision, scale: scale as i8 }
            }
            ColumnType::Date => Values::Date(Vec::new()),
            ColumnType::Timestamp => Values::Timestamp(Vec::new()),
            _ => Values::Raw(Bytes::new()),
        })
    }

    pub(super) fn of_text() -> Self {
        Leaf::of(Values::Text(Bytes::new()))
    }

    pub(super) fn of_bytes() -> Self {
        Leaf::of(Values::Raw(Bytes::new()))
    }

    pub(super) fn of_integers() -> Self {
        Leaf::of(Values::Int64(Vec::new()))
    }

    fn of(values: Values) -> Self {
        Leaf { values, validity: NullBufferBuilder::new(0) }
    }

    pub(super) fn data_type(&self) -> DataType {
        match &self.values {
            Values::Text(_) => DataType::Utf8,
            Values::Raw(_) => DataType::Binary,
            Values::Int32(_) => DataType::Int32,
            Values::Int64(_) => DataType::Int64,
            Values::Decimal { precision, scale, .. } => DataType::Decimal128(*precision, *scale),
            Values::Double(_) => DataType::Float64,
            Values::Date(_) => DataType::Date32,
            Values::Timestamp(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.validity.len()
    }

    /// Returns the length of all texts, or of all values that are bytes.
    pub(super) fn bytes(&self) -> usize {
        match &self.values {
            Values::Text(all) | Values::Raw(all) => all.bytes.len(),
            _ => 0,
        }
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
        match &mut self.values {
            Values::Decimal { values, precision, scale } => values.push(fitting(number, *precision, *scale)?),
            Values::Int32(values) => values.push(integer(number)?),
            Values::Int64(values) => values.push(integer(number)?),
            _ => {
                self.push_null();
                return Ok(());
            }
        }
        self.validity.append_non_null();
        Ok(())
    }

    #[inline]
    fn push_text(&mut self, text: &str) {
        let Values::Text(texts) = &mut self.values else { return self.push_null() };
        texts.push(text.as_bytes());
        self.validity.append_non_null();
    }

    fn push_other(&mut self, value: Value<'_>) {
        match (&mut self.values, value) {
            (Values::Double(values), Value::Single(number)) => values.push(number.into()),
            (Values::Double(values), Value::Double(number)) => values.push(number),
            (Values::Raw(all), Value::Raw(bytes)) => all.push(bytes),
            (Values::Date(values), Value::Date(date)) => values.push(date.days()),
            (Values::Timestamp(values), Value::Timestamp(moment)) => values.push(moment.micros()),
            _ => return self.push_null(),
        }
        self.validity.append_non_null();
    }

    #[cold]
    pub(super) fn push_null(&mut self) {
        match &mut self.values {
            Values::Text(bytes) | Values::Raw(bytes) => bytes.push(b""),
            Values::Int32(values) | Values::Date(values) => values.push(0),
            Values::Int64(values) | Values::Timestamp(values) => values.push(0),
            Values::Decimal { values, .. } => values.push(0),
            Values::Double(values) => values.push(0.0),
        }
        self.validity.append_null();
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match &mut self.values {
            Values::Text(bytes) | Values::Raw(bytes) => bytes.truncate(len),
            Values::Int32(values) | Values::Date(values) => values.truncate(len),
            Values::Int64(values) | Values::Timestamp(values) => values.truncate(len),
            Values::Decimal { values, .. } => values.truncate(len),
            Values::Double(values) => values.truncate(len),
        }
        self.validity.truncate(len);
    }

    /// Appends the values of a field in all of these records, which are so many. Returns `false` if they have to be
    /// read one by one; then the column has to be [cut](Self::truncate).
    pub(super) fn push_run(&mut self, reader: &mut RunReader, field: usize, records: &[u8], count: usize) -> bool {
        let is_read = match &mut self.values {
            Values::Text(Bytes { ends, bytes }) => reader.texts(field, records, ends, bytes),
            Values::Decimal { values, precision, scale } => reader.decimals(field, records, *scale, *precision, values),
            Values::Int64(values) => reader.integers(field, records, values),
            Values::Int32(values) => {
                let mut found = Vec::new();
                let begin = values.len();
                let is_read = reader.integers(field, records, &mut found);
                values.extend(found.iter().map_while(|number| i32::try_from(*number).ok()));
                is_read && values.len() == begin + found.len()
            }
            _ => {
                return reader.values_of(field, records, &mut |value| {
                    self.push_other(value);
                    true
                });
            }
        };
        if is_read {
            self.validity.append_n_non_nulls(count);
        }
        is_read
    }

    /// Takes the values as an array.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        fn all<T: ArrowPrimitiveType>(
            values: &mut Vec<T::Native>,
            nulls: Option<NullBuffer>,
        ) -> Result<PrimitiveArray<T>, ArrowError> {
            let room = Vec::with_capacity(values.len());
            PrimitiveArray::try_new(std::mem::replace(values, room).into(), nulls)
        }
        let nulls = self.validity.finish();
        Ok(match &mut self.values {
            Values::Text(texts) => texts.take::<Utf8Type>(nulls)?,
            Values::Raw(raw) => raw.take::<BinaryType>(nulls)?,
            Values::Int32(values) => Arc::new(all::<Int32Type>(values, nulls)?),
            Values::Int64(values) => Arc::new(all::<Int64Type>(values, nulls)?),
            Values::Double(values) => Arc::new(all::<Float64Type>(values, nulls)?),
            Values::Date(values) => Arc::new(all::<Date32Type>(values, nulls)?),
            Values::Timestamp(values) => Arc::new(all::<TimestampMicrosecondType>(values, nulls)?),
            Values::Decimal { values, precision, scale } => {
                Arc::new(all::<Decimal128Type>(values, nulls)?.with_precision_and_scale(*precision, *scale)?)
            }
        })
    }
}

const POWERS: [u128; 39] = {
    let mut powers = [1; 39];
    let mut index = 1;
    while index < 39 {
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
