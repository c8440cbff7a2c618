//! The values of one array: [`Leaf`].

use crate::buffers::{Array, Buffers, Validity};
use crate::schema::{Field, Kind, Number, Width};
use crate::{Malformed, Result};
use charpipe::fields::{Decimal, Value};
use std::fmt;

/// A value that is not what its type says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadValue<'a> {
    /// Text that is not UTF-8.
    NotUtf8(&'a [u8]),
    /// A value, or an element of a list, that does not lie within its buffer: it begins and ends there.
    Outside(i128, i128),
    /// A view of a buffer that is not there.
    NoBuffer(i32),
    /// A key that the dictionary does not have.
    NoKey(i128),
}

/// Continues a sentence that begins with the place.
impl fmt::Display for BadValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::NotUtf8(bytes) => {
                let Err(error) = std::str::from_utf8(bytes) else { return Ok(()) };
                let (at, end) = (error.valid_up_to(), error.error_len().map(|len| error.valid_up_to() + len));
                let bytes = bytes.get(at..end.unwrap_or(bytes.len())).unwrap_or_default();
                let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                write!(f, "the text is not valid UTF-8: {} at byte {at}", bytes.join(" "))
            }
            BadValue::Outside(begin, end) => write!(f, "the value from {begin} to {end} is not within its buffer"),
            BadValue::NoBuffer(index) => write!(f, "the value is in buffer {index}, which does not exist"),
            BadValue::NoKey(key) => write!(f, "the dictionary has no value {key}"),
        }
    }
}

/// A value, or what is wrong with it.
pub(crate) type Checked<'a, T> = std::result::Result<T, BadValue<'a>>;

/// The values of a column, or those of a field or of elements within it.
pub(crate) struct Leaf<'a> {
    len: usize,
    offset: usize,
    validity: Validity<'a>,
    values: Values<'a>,
}

enum Values<'a> {
    Null,
    Number(Number, &'a [u8]),
    Fixed(usize, &'a [u8]),
    /// Text or bytes between two offsets.
    Run(bool, Width, &'a [u8], &'a [u8]),
    /// Text or bytes that views point to.
    Views(bool, &'a [u8], Vec<&'a [u8]>),
    /// Keys, which count the values from 0.
    Dictionary(Number, &'a [u8], Box<Leaf<'a>>),
}

/// Whether a field of a record can contain values of this type.
fn is_writable(field: &Field) -> bool {
    match (&field.dictionary, field.kind) {
        (None, kind) => !matches!(kind, Kind::Struct | Kind::List(_) | Kind::Other(_)),
        (Some(values), Kind::Number(keys)) => keys.is_integer() && values.dictionary.is_none() && is_writable(values),
        _ => false,
    }
}

impl<'a> Leaf<'a> {
    /// Takes the values of the column of `path`.
    pub(crate) fn new(array: Array<'a>, path: &str) -> Result<Self> {
        let field = array.field();
        match is_writable(field) {
            true => Self::of(array).map_err(|error| error.of(path)),
            false => Err(Malformed::new(format!("the column of {path} is {field}, which no field can contain"))),
        }
    }

    fn of(array: Array<'a>) -> Result<Self> {
        let (span, kind) = (array.span()?, array.field().kind);
        let values = match (kind, array.buffers()?) {
            (Kind::Number(number), Buffers::Fixed(bytes, _)) => match array.dictionary()? {
                Some(values) => Values::Dictionary(number, bytes, Box::new(Leaf::of(values)?)),
                None => Values::Number(number, bytes),
            },
            (_, Buffers::Fixed(bytes, width)) => Values::Fixed(width, bytes),
            (Kind::Run { is_text, .. }, Buffers::Run(offsets, width, bytes)) => {
                Values::Run(is_text, width, offsets, bytes)
            }
            (Kind::View { is_text }, Buffers::Views(views, buffers)) => Values::Views(is_text, views, buffers),
            _ => Values::Null,
        };
        // Only arrays without any values have no buffer that says which ones they lack.
        let validity = if kind == Kind::Null { Validity::ALL } else { array.validity()? };
        Ok(Leaf { len: span.len, offset: span.offset, validity, values })
    }

    /// Returns the value with this index; `None` if it is null.
    pub(crate) fn value(&self, index: usize) -> Checked<'a, Option<Value<'a>>> {
        if index >= self.len {
            return Err(outside(index, index));
        }
        if !self.validity.has(index) {
            return Ok(None);
        }
        let index = self.offset + index;
        let found = match &self.values {
            Values::Null => return Ok(None),
            Values::Number(number, bytes) => value(*number, bytes, index),
            Values::Fixed(width, bytes) => bytes.get(index * width..(index + 1) * width).map(Value::Raw),
            Values::Run(is_text, width, offsets, bytes) => {
                Some(typed(*is_text, between(*width, offsets, bytes, index)?)?)
            }
            Values::Views(is_text, views, buffers) => Some(typed(*is_text, viewed(views, buffers, index)?)?),
            Values::Dictionary(keys, bytes, values) => return values.at_key(key(*keys, bytes, index)),
        };
        found.map(Some).ok_or(outside(index, index))
    }

    /// Returns the value that a key stands for.
    fn at_key(&self, key: Option<i128>) -> Checked<'a, Option<Value<'a>>> {
        let key = key.unwrap_or(-1);
        let index = usize::try_from(key).ok().filter(|index| *index < self.len);
        self.value(index.ok_or(BadValue::NoKey(key))?)
    }
}

fn outside<N: TryInto<i128>>(begin: N, end: N) -> BadValue<'static> {
    BadValue::Outside(begin.try_into().unwrap_or(-1), end.try_into().unwrap_or(-1))
}

/// Returns the number of `N` bytes with this index.
fn word<const N: usize>(bytes: &[u8], index: usize) -> Option<[u8; N]> {
    bytes.get(index * N..)?.first_chunk().copied()
}

/// Returns the offset with this index.
pub(crate) fn offset(offsets: &[u8], width: Width, index: usize) -> Option<i64> {
    match width {
        Width::Narrow => word(offsets, index).map(|bytes| i32::from_ne_bytes(bytes).into()),
        Width::Wide => word(offsets, index).map(i64::from_ne_bytes),
    }
}

/// Returns the bounds of a value: its offset and the next one.
pub(crate) fn bounds(offsets: &[u8], width: Width, index: usize) -> Checked<'static, (usize, usize)> {
    let begin = offset(offsets, width, index).unwrap_or(-1);
    let end = offset(offsets, width, index + 1).unwrap_or(-1);
    match (usize::try_from(begin), usize::try_from(end)) {
        (Ok(begin), Ok(end)) if begin <= end => Ok((begin, end)),
        _ => Err(outside(begin, end)),
    }
}

/// Returns the bytes of a value between two offsets.
fn between<'a>(width: Width, offsets: &[u8], bytes: &'a [u8], index: usize) -> Checked<'a, &'a [u8]> {
    let (begin, end) = bounds(offsets, width, index)?;
    bytes.get(begin..end).ok_or(outside(begin, end))
}

/// Returns the bytes of a view. It begins with its length. If that is at most 12, the bytes follow; otherwise four of them,
/// the number of a buffer, and where they begin there.
fn viewed<'a>(views: &'a [u8], buffers: &[&'a [u8]], index: usize) -> Checked<'a, &'a [u8]> {
    let view = views.get(index * 16..).and_then(<[u8]>::first_chunk::<16>).ok_or(outside(index, index))?;
    let part = |at| word(view, at).map_or(-1, i32::from_ne_bytes);
    let (len, buffer, begin) = (part(0), part(2), part(3));
    if let Ok(len) = usize::try_from(len)
        && let Some(bytes) = view[4..].get(..len)
    {
        return Ok(bytes);
    }
    let found = usize::try_from(buffer).ok().and_then(|buffer| buffers.get(buffer));
    let end = i64::from(begin) + i64::from(len);
    match (usize::try_from(begin), usize::try_from(end)) {
        (Ok(from), Ok(to)) => found.ok_or(BadValue::NoBuffer(buffer))?.get(from..to),
        _ => None,
    }
    .ok_or(outside(i64::from(begin), end))
}

fn typed(is_text: bool, bytes: &[u8]) -> Checked<'_, Value<'_>> {
    match is_text {
        true => std::str::from_utf8(bytes).map(Value::Text).map_err(|_| BadValue::NotUtf8(bytes)),
        false => Ok(Value::Raw(bytes)),
    }
}

/// Returns the number with this index.
fn value(number: Number, bytes: &[u8], index: usize) -> Option<Value<'static>> {
    Some(match number {
        Number::F32 => Value::Single(f32::from_ne_bytes(word(bytes, index)?)),
        Number::F64 => Value::Double(f64::from_ne_bytes(word(bytes, index)?)),
        Number::Decimal(scale) => Value::Number(Decimal::new(i128::from_ne_bytes(word(bytes, index)?), scale)),
        _ => Value::Number(Decimal::new(key(number, bytes, index)?, 0)),
    })
}

/// Returns the integer with this index.
fn key(number: Number, bytes: &[u8], index: usize) -> Option<i128> {
    Some(match number {
        Number::I8 => i8::from_ne_bytes(word(bytes, index)?).into(),
        Number::I16 => i16::from_ne_bytes(word(bytes, index)?).into(),
        Number::I32 => i32::from_ne_bytes(word(bytes, index)?).into(),
        Number::I64 => i64::from_ne_bytes(word(bytes, index)?).into(),
        Number::U8 => u8::from_ne_bytes(word(bytes, index)?).into(),
        Number::U16 => u16::from_ne_bytes(word(bytes, index)?).into(),
        Number::U32 => u32::from_ne_bytes(word(bytes, index)?).into(),
        Number::U64 => u64::from_ne_bytes(word(bytes, index)?).into(),
        Number::F32 | Number::F64 | Number::Decimal(_) => return None,
    })
}
