//! The values of one array: [`Leaf`].

use crate::buffers::{Array, Buffers, Validity, offset, word};
use crate::schema::{Field, Kind, Number, Width};
use crate::{Malformed, Result};
use charpipe::Hex;
use charpipe::fields::{Date, Decimal, Timestamp, Value};
use std::fmt;
use std::ops::Range;

/// A value that is not what its type says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadValue<'a> {
    /// Text that is not UTF-8.
    NotUtf8(&'a [u8]),
    /// A value, or an element of a list, that does not lie within its buffer: it begins and ends there.
    Outside(i64, i64),
    /// A view of a buffer that is not there.
    NoBuffer(i32),
    /// A key that the dictionary does not have.
    NoKey(i128),
    /// A list with this many elements, of an array that has at most this many.
    TooMany(usize, usize),
    /// A number that is not a date or a moment.
    NoDate(i64),
}

/// Continues a sentence that begins with the place.
impl fmt::Display for BadValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::NotUtf8(bytes) => {
                let Err(error) = std::str::from_utf8(bytes) else { return Ok(()) };
                let (at, end) = (error.valid_up_to(), error.error_len().map(|len| error.valid_up_to() + len));
                let bytes = bytes.get(at..end.unwrap_or(bytes.len())).unwrap_or_default();
                write!(f, "the text is not valid UTF-8: {} at byte {at}", Hex(bytes))
            }
            BadValue::Outside(begin, end) => write!(f, "the value from {begin} to {end} is not within its buffer"),
            BadValue::NoBuffer(index) => write!(f, "the value is in buffer {index}, which does not exist"),
            BadValue::NoKey(key) => write!(f, "the dictionary has no value {key}"),
            BadValue::NoDate(number) => {
                write!(f, "{number} is not a date in the years 1 to 9999, or not a whole number of microseconds")
            }
            BadValue::TooMany(elements, most) => write!(f, "the list has {elements} elements; expected at most {most}"),
        }
    }
}

/// A value, or the error in it.
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
    Run(Run<'a>),
    Views(Views<'a>),
    /// Keys, which count the values from 0.
    Dictionary(Number, &'a [u8], Box<Leaf<'a>>),
}

/// Text or bytes between two offsets.
struct Run<'a> {
    is_text: bool,
    width: Width,
    offsets: &'a [u8],
    bytes: &'a [u8],
    /// The text of all rows, and where it begins; empty if it is long, or not UTF-8 as a whole. Then each value is
    /// checked alone.
    text: (usize, &'a str),
}

/// Text or bytes that views point to.
struct Views<'a> {
    is_text: bool,
    views: &'a [u8],
    /// The buffers, each also as text, which is empty if it is not UTF-8 as a whole. Then each value is checked alone.
    buffers: Vec<(&'a [u8], &'a str)>,
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
    /// Takes the values of the column of `path`. `rows`: those of them that belong to the rows of the batch, if they
    /// lie side by side. Only these are read.
    pub(crate) fn new(array: Array<'a>, path: &str, rows: Option<Range<usize>>) -> Result<Self> {
        let field = array.field();
        match is_writable(field) {
            true => Self::of(array, rows).map_err(|error| error.of(path)),
            false => Err(Malformed::new(format!("the column of {path} is {field}, which no field can contain"))),
        }
    }

    fn of(array: Array<'a>, rows: Option<Range<usize>>) -> Result<Self> {
        let (span, kind) = (array.span()?, array.field().kind);
        let values = match (kind, array.buffers()?) {
            (Kind::Number(number), Buffers::Fixed(bytes, _)) => match array.dictionary()? {
                Some(values) => Values::Dictionary(number, bytes, Box::new(Leaf::of(values, None)?)),
                None => Values::Number(number, bytes),
            },
            (_, Buffers::Fixed(bytes, width)) => Values::Fixed(width, bytes),
            (Kind::Run { is_text, .. }, Buffers::Run(offsets, width, bytes)) => {
                let rows = rows.filter(|_| is_text).map(|rows| span.offset + rows.start..span.offset + rows.end);
                Values::Run(Run { is_text, width, offsets, bytes, text: (0, "") }.checked(rows))
            }
            (Kind::View { is_text }, Buffers::Views(views, buffers)) => {
                Values::Views(Views::new(is_text, views, buffers, rows.map_or(0, |rows| rows.len())))
            }
            _ => Values::Null,
        };
        // Only arrays without any values have no buffer that says which ones they lack.
        let validity = if kind == Kind::Null { Validity::ALL } else { array.validity()? };
        Ok(Leaf { len: span.len, offset: span.offset, validity, values })
    }

    /// Returns the value with this index; `None` if it is null.
    #[inline]
    pub(crate) fn value(&self, index: usize) -> Checked<'a, Option<Value<'a>>> {
        if index >= self.len {
            return Err(elsewhere(index));
        }
        if !self.validity.has(index) {
            return Ok(None);
        }
        let index = self.offset + index;
        let found = match &self.values {
            Values::Null => return Ok(None),
            Values::Number(number @ (Number::Date | Number::Timestamp(_)), bytes) => {
                Some(moment(*number, bytes, index)?)
            }
            Values::Number(number, bytes) => value(*number, bytes, index),
            Values::Fixed(width, bytes) => bytes.get(index * width..(index + 1) * width).map(Value::Raw),
            Values::Run(run) => Some(run.value(index)?),
            Values::Views(views) => Some(views.value(index)?),
            Values::Dictionary(keys, bytes, values) => return values.at_key(key(*keys, bytes, index)),
        };
        found.map(Some).ok_or_else(|| elsewhere(index))
    }

    /// Returns the value that a key stands for.
    fn at_key(&self, key: Option<i128>) -> Checked<'a, Option<Value<'a>>> {
        let key = key.unwrap_or(-1);
        let index = usize::try_from(key).ok().filter(|index| *index < self.len);
        self.value(index.ok_or(BadValue::NoKey(key))?)
    }
}

impl<'a> Run<'a> {
    /// Checks the text of these rows at once, which is faster than each value alone, unless it is long. Most batches
    /// have only valid text.
    fn checked(mut self, rows: Option<Range<usize>>) -> Self {
        let most = rows.as_ref().map_or(0, |rows| rows.len().saturating_mul(AT_ONCE));
        if let Some(rows) = rows
            && let Some(begin) = offset(self.offsets, self.width, rows.start)
            && let Some(end) = offset(self.offsets, self.width, rows.end)
            && let (Ok(begin), Ok(end)) = (usize::try_from(begin), usize::try_from(end))
            && let Some(bytes) = self.bytes.get(begin..end).filter(|bytes| bytes.len() <= most)
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            self.text = (begin, text);
        }
        self
    }

    #[inline]
    fn value(&self, index: usize) -> Checked<'a, Value<'a>> {
        let (begin, end) = bounds(self.offsets, self.width, index)?;
        let (before, text) = self.text;
        // This fails in the middle of a character, too.
        if let Some(start) = begin.checked_sub(before)
            && let Some(text) = text.get(start..end - before)
            && self.is_text
        {
            return Ok(Value::Text(text));
        }
        let bytes = self.bytes.get(begin..end).ok_or(BadValue::Outside(begin as i64, end as i64))?;
        typed(self.is_text, bytes)
    }
}

/// The array has fewer values.
fn elsewhere(index: usize) -> BadValue<'static> {
    BadValue::Outside(index as i64, index as i64)
}

/// Returns the bounds of a value: its offset and the next one.
#[inline]
pub(crate) fn bounds(offsets: &[u8], width: Width, index: usize) -> Checked<'static, (usize, usize)> {
    let begin = offset(offsets, width, index).unwrap_or(-1);
    let end = offset(offsets, width, index + 1).unwrap_or(-1);
    match (usize::try_from(begin), usize::try_from(end)) {
        (Ok(begin), Ok(end)) if begin <= end => Ok((begin, end)),
        _ => Err(BadValue::Outside(begin, end)),
    }
}

/// Up to how many bytes for each row text is checked at once. Other batches can have views of the same buffers, and
/// other columns the same bytes, so that these may be far more than what the records get of them.
const AT_ONCE: usize = 64;

impl<'a> Views<'a> {
    fn new(is_text: bool, views: &'a [u8], buffers: Vec<&'a [u8]>, rows: usize) -> Self {
        let size = buffers.iter().fold(0usize, |size, buffer| size.saturating_add(buffer.len()));
        let at_once = is_text && size <= rows.saturating_mul(AT_ONCE);
        let text = |bytes| if at_once { std::str::from_utf8(bytes).unwrap_or_default() } else { "" };
        Views { is_text, views, buffers: buffers.into_iter().map(|bytes| (bytes, text(bytes))).collect() }
    }

    /// A view begins with its length. If that is at most 12, the bytes follow; otherwise four of them, the number of a
    /// buffer, and where they begin there.
    #[inline]
    fn value(&self, index: usize) -> Checked<'a, Value<'a>> {
        let view = self.views.get(index * 16..).and_then(<[u8]>::first_chunk::<16>).ok_or_else(|| elsewhere(index))?;
        let part = |at| word(view, at).map_or(-1, i32::from_ne_bytes);
        let (len, buffer, begin) = (part(0), part(2), part(3));
        if let Ok(len) = usize::try_from(len)
            && let Some(bytes) = view[4..].get(..len)
        {
            return typed(self.is_text, bytes);
        }
        let found = usize::try_from(buffer).ok().and_then(|buffer| self.buffers.get(buffer));
        let (bytes, text) = *found.ok_or(BadValue::NoBuffer(buffer))?;
        let end = i64::from(begin) + i64::from(len);
        let (Ok(from), Ok(to)) = (usize::try_from(begin), usize::try_from(end)) else {
            return Err(BadValue::Outside(begin.into(), end));
        };
        match text.get(from..to) {
            Some(text) if self.is_text => Ok(Value::Text(text)),
            _ => typed(self.is_text, bytes.get(from..to).ok_or(BadValue::Outside(begin.into(), end))?),
        }
    }
}

#[inline]
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
        Number::F32 | Number::F64 | Number::Decimal(_) | Number::Date | Number::Timestamp(_) => return None,
    })
}

/// Returns the date or the moment with this index.
fn moment(number: Number, bytes: &[u8], index: usize) -> Checked<'static, Value<'static>> {
    const MICROS: i64 = 1_000_000;
    let Number::Timestamp(of_second) = number else {
        let days = i32::from_ne_bytes(word(bytes, index).ok_or_else(|| elsewhere(index))?);
        return Date::of_days(days).map(Value::Date).ok_or(BadValue::NoDate(days.into()));
    };
    let time = i64::from_ne_bytes(word(bytes, index).ok_or_else(|| elsewhere(index))?);
    let micros = match of_second > MICROS {
        true => (time % (of_second / MICROS) == 0).then_some(time / (of_second / MICROS)),
        false => time.checked_mul(MICROS / of_second),
    };
    micros.and_then(Timestamp::of_micros).map(Value::Timestamp).ok_or(BadValue::NoDate(time))
}
