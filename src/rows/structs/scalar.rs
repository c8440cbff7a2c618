//! The deserializer of one value.

use super::BadRow;
use super::exact::{DECIMAL, ShortText, VALUE, Whole, nearest, nearest_single, non_finite, whole};
use super::names::matching;
use crate::fields::{Decimal, Value};
use crate::hex::Hex;
use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess, Unexpected, VariantAccess, Visitor,
};

/// Deserializes a value of a field.
#[derive(Clone, Copy)]
pub(super) struct Scalar<'t>(pub(super) Value<'t>);

/// Gives a number as an integer.
macro_rules! integers {
    ($($method:ident)+) => {$(
        #[inline]
        fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
            match self.0 {
                Value::Number(number) => visit_integer(&number, visitor),
                _ => self.deserialize_any(visitor),
            }
        }
    )+};
}

/// Hands methods to `deserialize_any`.
macro_rules! as_any {
    ($($method:ident($($type:ty),*))+) => {$(
        #[inline]
        fn $method<V: Visitor<'t>>(self, $(_: $type,)* visitor: V) -> Result<V::Value, BadRow> {
            self.deserialize_any(visitor)
        }
    )+};
}

#[inline]
fn visit_integer<'t, V: Visitor<'t>>(number: &Decimal, visitor: V) -> Result<V::Value, BadRow> {
    if let (0, Ok(magnitude)) = (number.scale(), i64::try_from(number.magnitude())) {
        return visitor.visit_i64(if number.is_negative() { -magnitude } else { magnitude });
    }
    match whole(number) {
        Some(Whole::Signed(number)) => visitor.visit_i64(number),
        Some(Whole::Unsigned(number)) => visitor.visit_u64(number),
        Some(Whole::Wide(number)) => visitor.visit_i128(number),
        Some(Whole::WideUnsigned(number)) => visitor.visit_u128(number),
        None => Err(serde::de::Error::invalid_type(Unexpected::Other(&format!("the number {number}")), &visitor)),
    }
}

/// Gives a number as JSON has it.
fn visit_number<'t, V: Visitor<'t>>(number: &Decimal, visitor: V) -> Result<V::Value, BadRow> {
    let is_integer = number.scale() <= 0 && !(number.is_zero() && number.is_negative());
    match if is_integer { whole(number) } else { None } {
        Some(Whole::Signed(number)) => visitor.visit_i64(number),
        Some(Whole::Unsigned(number)) => visitor.visit_u64(number),
        _ => visitor.visit_f64(nearest(number)),
    }
}

impl<'t> Scalar<'t> {
    /// Gives the value as text.
    #[inline]
    fn visit_text<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        let word = |number: f64| non_finite(number).map(str::to_owned);
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Number(number) => visitor.visit_str(ShortText::new(number).as_str()),
            Value::Single(number) => visitor.visit_string(word(number.into()).unwrap_or_else(|| self.0.to_string())),
            Value::Double(number) => visitor.visit_string(word(number).unwrap_or_else(|| self.0.to_string())),
            Value::Raw(bytes) => {
                let mut text = String::new();
                Hex(bytes).push_to(&mut text);
                visitor.visit_string(text)
            }
            Value::Date(date) => visitor.visit_str(ShortText::new(date).as_str()),
            Value::Timestamp(timestamp) => visitor.visit_str(ShortText::new(timestamp).as_str()),
        }
    }

    fn visit_bytes<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Raw(bytes) => visitor.visit_borrowed_bytes(bytes),
            _ => self.visit_text(visitor),
        }
    }
}

impl<'t> Deserializer<'t> for Scalar<'t> {
    type Error = BadRow;

    #[inline]
    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Number(number) => visit_number(&number, visitor),
            // The number that has the text of the `f32`, as in JSON.
            Value::Single(number) if number.is_finite() => {
                visitor.visit_f64(ShortText::new(self.0).as_str().parse().unwrap_or(f64::from(number)))
            }
            Value::Double(number) if number.is_finite() => visitor.visit_f64(number),
            _ => self.visit_text(visitor),
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    as_any! {
        deserialize_bool() deserialize_unit() deserialize_unit_struct(&'static str) deserialize_map()
        deserialize_struct(&'static str, &'static [&'static str])
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Number(number) => visitor.visit_f64(nearest(&number)),
            Value::Single(number) => visitor.visit_f64(number.into()),
            Value::Double(number) => visitor.visit_f64(number),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Number(number) => visitor.visit_f32(nearest_single(&number)),
            Value::Single(number) => visitor.visit_f32(number),
            Value::Double(number) => visitor.visit_f64(number),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_char<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.visit_text(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.visit_text(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.visit_text(visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.visit_text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.visit_bytes(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.visit_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'t>>(self, name: &'static str, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Number(number) if name == DECIMAL => visitor.visit_seq(Parts { number, next: 0 }),
            Value::Number(_)
            | Value::Single(_)
            | Value::Double(_)
            | Value::Raw(_)
            | Value::Date(_)
            | Value::Timestamp(_)
                if name == VALUE =>
            {
                visitor.visit_enum(self)
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    /// Gives raw bytes one by one.
    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Raw(bytes) => visitor.visit_seq(SeqDeserializer::new(bytes.iter().copied())),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, BadRow> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, BadRow> {
        self.deserialize_seq(visitor)
    }

    /// Gives the variant that the text of the value names.
    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BadRow> {
        match self.0 {
            Value::Text(text) => visitor.visit_enum(StrDeserializer::new(matching(text, variants).unwrap_or(text))),
            Value::Number(number) => {
                let text = ShortText::new(number);
                let known = matching(text.as_str(), variants).unwrap_or(text.as_str());
                visitor.visit_enum(StrDeserializer::new(known))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        visitor.visit_unit()
    }
}

/// The parts of a number, for [`Decimal`].
struct Parts {
    number: Decimal,
    next: u8,
}

impl<'t> SeqAccess<'t> for Parts {
    type Error = BadRow;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'t>>(&mut self, seed: T) -> Result<Option<T::Value>, BadRow> {
        self.next += 1;
        match self.next {
            1 => seed.deserialize(self.number.is_negative().into_deserializer()).map(Some),
            2 => seed.deserialize(self.number.magnitude().into_deserializer()).map(Some),
            3 => seed.deserialize(self.number.scale().into_deserializer()).map(Some),
            _ => Ok(None),
        }
    }
}

/// A value with its variant, for [`RowValue`](super::RowValue).
impl<'t> EnumAccess<'t> for Scalar<'t> {
    type Error = BadRow;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'t>>(self, seed: V) -> Result<(V::Value, Self), BadRow> {
        let variant: u8 = match self.0 {
            Value::Number(_) => 0,
            Value::Single(_) => 1,
            Value::Double(_) => 2,
            Value::Raw(_) => 3,
            Value::Date(_) => 4,
            _ => 5,
        };
        Ok((seed.deserialize(variant.into_deserializer())?, self))
    }
}

impl<'t> VariantAccess<'t> for Scalar<'t> {
    type Error = BadRow;

    fn unit_variant(self) -> Result<(), BadRow> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'t>>(self, seed: T) -> Result<T::Value, BadRow> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, BadRow> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'t>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, BadRow> {
        self.deserialize_any(visitor)
    }
}
