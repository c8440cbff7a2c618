//! A row with its values, owned: [`RowValues`].

use super::BadRow;
use super::cell::{Cell, CellDeserializer, Opened};
use super::exact::VALUE;
use super::names::matching;
use crate::fields::{Date, Decimal, Timestamp, Value};
use serde::de::{DeserializeOwned, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A row, or a group in it: the values with their names, in the order of the layout.
///
/// Use it with [`Rows::deserialize`](super::super::Rows::deserialize) if you do not want to define a type. All values
/// are kept unchanged: every digit, bytes as bytes, dates as dates. It can be [deserialized](Self::to) into any type
/// that a row can be, and [serialized](crate::rows::RowSerializer) into the same record.
///
/// ```
/// use charpipe::fields::Decimal;
/// use charpipe::rows::{RowValue, RowValues, RowsJob};
///
/// let job = RowsJob::new();
/// let rows = job.rows(&job.layout(b"NAME 1 4 text\nAMOUNT 5 3 packed.2\n")?)?;
/// let row: RowValues = rows.deserialize(&b"\xD1\x96\x85\x40\x12\x34\x5D"[..])?.next().unwrap()?;
/// assert_eq!(row.get("AMOUNT"), Some(&RowValue::Number(Decimal::new(-12345, 2))));
/// assert_eq!(row.at(0), Some(("NAME", &RowValue::Text("Joe".into()))));
/// assert_eq!(serde_json::to_string(&row)?, r#"{"NAME":"Joe","AMOUNT":-123.45}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RowValues {
    members: Vec<(String, RowValue)>,
}

/// A value in [`RowValues`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum RowValue {
    /// There is no value.
    Null,
    /// Text.
    Text(String),
    /// An exact decimal number.
    Number(Decimal),
    /// A floating-point number of 4 bytes.
    Single(f32),
    /// Any other floating-point number.
    Double(f64),
    /// Bytes of the record.
    Raw(Vec<u8>),
    /// A date.
    Date(Date),
    /// A moment.
    Timestamp(Timestamp),
    /// A group.
    Group(RowValues),
    /// The elements of an array.
    Array(Vec<RowValue>),
}

impl RowValues {
    /// Returns a row without values.
    #[must_use]
    pub fn new() -> Self {
        RowValues::default()
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RowValue> {
        self.members.iter().find(|(one, _)| one == name).map(|(_, value)| value)
    }

    /// Returns the name and the value at this position, from 0.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<(&str, &RowValue)> {
        self.members.get(index).map(|(name, value)| (&**name, value))
    }

    /// Sets the value with this name, after all others if there was none.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<RowValue>) {
        let (name, value) = (name.into(), value.into());
        match self.members.iter_mut().find(|(one, _)| *one == name) {
            Some((_, old)) => *old = value,
            None => self.members.push((name, value)),
        }
    }

    /// Returns the names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RowValue)> {
        self.members.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns how many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Deserializes the row into another type.
    ///
    /// # Errors
    /// [`BadRow`] if they do not match.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, BadRow> {
        T::deserialize(self)
    }
}

impl RowValue {
    /// Returns the value of a field; `None` for a group and for an array.
    #[must_use]
    pub fn value(&self) -> Option<Value<'_>> {
        Some(match self {
            RowValue::Null => Value::Null,
            RowValue::Text(text) => Value::Text(text),
            RowValue::Number(number) => Value::Number(*number),
            RowValue::Single(number) => Value::Single(*number),
            RowValue::Double(number) => Value::Double(*number),
            RowValue::Raw(bytes) => Value::Raw(bytes),
            RowValue::Date(date) => Value::Date(*date),
            RowValue::Timestamp(timestamp) => Value::Timestamp(*timestamp),
            RowValue::Group(_) | RowValue::Array(_) => return None,
        })
    }

    /// Returns the values of a group.
    #[must_use]
    pub fn group(&self) -> Option<&RowValues> {
        if let RowValue::Group(group) = self { Some(group) } else { None }
    }

    /// Returns the elements of an array.
    #[must_use]
    pub fn array(&self) -> Option<&[RowValue]> {
        if let RowValue::Array(elements) = self { Some(elements) } else { None }
    }
}

impl From<Value<'_>> for RowValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => RowValue::Null,
            Value::Text(text) => RowValue::Text(text.to_owned()),
            Value::Number(number) => RowValue::Number(number),
            Value::Single(number) => RowValue::Single(number),
            Value::Double(number) => RowValue::Double(number),
            Value::Raw(bytes) => RowValue::Raw(bytes.to_vec()),
            Value::Date(date) => RowValue::Date(date),
            Value::Timestamp(timestamp) => RowValue::Timestamp(timestamp),
        }
    }
}

/// Makes values of types that are one.
macro_rules! from {
    ($($type:ty => $variant:ident)+) => {$(
        impl From<$type> for RowValue {
            fn from(value: $type) -> Self {
                RowValue::$variant(value.into())
            }
        }
    )+};
}

from! {
    &str => Text String => Text Decimal => Number i64 => Number f32 => Single f64 => Double Vec<u8> => Raw Date => Date
    Timestamp => Timestamp     RowValues => Group Vec<RowValue> => Array
}

impl<N: Into<String>> FromIterator<(N, RowValue)> for RowValues {
    fn from_iter<I: IntoIterator<Item = (N, RowValue)>>(members: I) -> Self {
        RowValues { members: members.into_iter().map(|(name, value)| (name.into(), value)).collect() }
    }
}

// --- From rows and other formats -------------------------------------------------------------------------------------

/// Feature `serde`. Reads a row of any format: a map.
impl<'de> Deserialize<'de> for RowValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = RowValues;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RowValues, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RowValues { members })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// Feature `serde`. Reads a value of a row as it is, and one of any other format: text, integers, `f32` and `f64`,
/// bytes, null, maps and sequences.
impl<'de> Deserialize<'de> for RowValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Exact;

        impl<'de> Visitor<'de> for Exact {
            type Value = RowValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of a row")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<RowValue, D::Error> {
                deserializer.deserialize_any(Plain)
            }

            fn visit_enum<A: EnumAccess<'de>>(self, value: A) -> Result<RowValue, A::Error> {
                Ok(match value.variant::<u8>()? {
                    (0, value) => RowValue::Number(value.newtype_variant()?),
                    (1, value) => RowValue::Single(value.newtype_variant()?),
                    (2, value) => RowValue::Double(value.newtype_variant()?),
                    (3, value) => RowValue::Raw(value.newtype_variant()?),
                    (4, value) => RowValue::Date(value.newtype_variant()?),
                    (_, value) => RowValue::Timestamp(value.newtype_variant()?),
                })
            }
        }

        deserializer.deserialize_newtype_struct(VALUE, Exact)
    }
}

/// Reads a value of any format.
struct Plain;

/// Makes values of what a format has.
macro_rules! visits {
    ($($method:ident($type:ty) $make:expr;)+) => {$(
        fn $method<E: serde::de::Error>(self, value: $type) -> Result<RowValue, E> {
            let make: fn($type) -> RowValue = $make;
            Ok(make(value))
        }
    )+};
}

impl<'de> Visitor<'de> for Plain {
    type Value = RowValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a row")
    }

    visits! {
        visit_i64(i64) |number| RowValue::Number(number.into());
        visit_u64(u64) |number| RowValue::Number(Decimal::new(number.into(), 0));
        visit_i128(i128) |number| RowValue::Number(Decimal::new(number, 0));
        visit_u128(u128) |number| RowValue::Number(Decimal::from_parts(false, number, 0));
        visit_f32(f32) RowValue::Single;
        visit_f64(f64) RowValue::Double;
        visit_str(&str) |text| RowValue::Text(text.to_owned());
        visit_string(String) RowValue::Text;
        visit_bytes(&[u8]) |bytes| RowValue::Raw(bytes.to_vec());
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<RowValue, E> {
        Ok(RowValue::Null)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<RowValue, E> {
        Ok(RowValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<RowValue, D::Error> {
        RowValue::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<RowValue, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = array.next_element()? {
            elements.push(element);
        }
        Ok(RowValue::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RowValue, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(RowValue::Group(RowValues { members }))
    }
}

// --- Into other types ------------------------------------------------------------------------------------------------

/// Feature `serde`. Writes a map.
impl Serialize for RowValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Feature `serde`. Writes the value as [`Value`] is written, groups as maps and arrays as sequences.
impl Serialize for RowValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self, self.value()) {
            (RowValue::Group(group), _) => group.serialize(serializer),
            (RowValue::Array(elements), _) => elements.serialize(serializer),
            (_, value) => value.unwrap_or(Value::Null).serialize(serializer),
        }
    }
}

/// A member of a row.
#[derive(Clone, Copy)]
pub(super) enum Member<'t> {
    Row(&'t RowValues),
    Value(&'t str, &'t RowValue),
}

/// The members of a group, or the elements of an array.
pub(super) enum Inside<'t> {
    Group(std::slice::Iter<'t, (String, RowValue)>),
    Array(std::slice::Iter<'t, RowValue>),
}

impl<'t> Iterator for Inside<'t> {
    type Item = Member<'t>;

    fn next(&mut self) -> Option<Member<'t>> {
        match self {
            Inside::Group(members) => members.next().map(|(name, value)| Member::Value(name, value)),
            Inside::Array(elements) => elements.next().map(|value| Member::Value("", value)),
        }
    }
}

impl<'t> Cell<'t> for Member<'t> {
    type Inside = Inside<'t>;

    fn open(self) -> Opened<'t, Inside<'t>> {
        match self {
            Member::Row(group) | Member::Value(_, RowValue::Group(group)) => {
                Opened::Group(Inside::Group(group.members.iter()))
            }
            Member::Value(_, RowValue::Array(elements)) => Opened::Array(Inside::Array(elements.iter())),
            Member::Value(_, value) => Opened::Value(value.value().unwrap_or(Value::Null)),
        }
    }

    fn name(self) -> &'t str {
        if let Member::Value(name, _) = self { name } else { "" }
    }

    fn name_in(self, fields: &'static [&'static str]) -> &'t str {
        matching(self.name(), fields).unwrap_or(self.name())
    }

    /// The text of the column [`Type`](crate::rows::AddedColumn::Type).
    fn record_type(self) -> Option<&'t str> {
        let Member::Row(row) = self else { return None };
        let column = row.get(crate::rows::AddedColumn::Type.column())?;
        if let RowValue::Text(text) = column { Some(text) } else { None }
    }

    fn node(self) -> Option<usize> {
        None
    }
}

/// Implements [`Deserializer`] for a reference by that of its [`Member`].
macro_rules! deserializer {
    ($type:ident $member:expr; $($method:ident($($arg:ident: $of:ty),*))+) => {
        /// Feature `serde`. Gives the values in the same way as a record does.
        impl<'t> Deserializer<'t> for &'t $type {
            type Error = BadRow;

            $(
                fn $method<V: Visitor<'t>>(self, $($arg: $of,)* visitor: V) -> Result<V::Value, BadRow> {
                    let member: fn(&'t $type) -> Member<'t> = $member;
                    CellDeserializer(member(self)).$method($($arg,)* visitor)
                }
            )+
        }
    };
    ($($type:ident $member:expr;)+) => {$(
        deserializer! {
            $type $member;
            deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
            deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
            deserialize_f32() deserialize_f64() deserialize_char() deserialize_str() deserialize_string()
            deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit() deserialize_seq()
            deserialize_map() deserialize_identifier() deserialize_ignored_any()
            deserialize_unit_struct(name: &'static str)
            deserialize_newtype_struct(name: &'static str)
            deserialize_tuple(len: usize)
            deserialize_tuple_struct(name: &'static str, len: usize)
            deserialize_struct(name: &'static str, fields: &'static [&'static str])
            deserialize_enum(name: &'static str, variants: &'static [&'static str])
        }
    )+};
}

deserializer! {
    RowValues Member::Row;
    RowValue |value| Member::Value("", value);
}
