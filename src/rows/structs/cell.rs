//! The deserializer of a row and of what is in it: [`Deserialize`](serde::Deserialize) for records and for
//! [`RowValues`](super::RowValues).

use super::BadRow;
use super::names::matching;
use super::scalar::Scalar;
use crate::fields::Value;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

/// A value, a group or an array in a row.
pub(super) trait Cell<'t>: Copy {
    type Inside: Iterator<Item = Self>;

    fn open(self) -> Opened<'t, Self::Inside>;

    /// Returns its name in its group. Elements of arrays have none.
    fn name(self) -> &'t str;

    /// Returns its name as a struct with these fields has it.
    fn name_in(self, fields: &'static [&'static str]) -> &'t str;

    /// Returns the record type if this is a row that has one.
    fn record_type(self) -> Option<&'t str>;

    /// Returns its place on a tape.
    fn node(self) -> Option<usize>;
}

/// The content of a cell.
pub(super) enum Opened<'t, I> {
    Value(Value<'t>),
    Group(I),
    Array(I),
}

/// Deserializes a cell.
#[derive(Clone, Copy)]
pub(super) struct CellDeserializer<C>(pub(super) C);

/// Hands a method to the [deserializer of a value](Scalar), or to `deserialize_any` for groups and arrays.
macro_rules! scalars {
    ($($method:ident)+) => {$(
        #[inline]
        fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
            match self.0.open() {
                Opened::Value(value) => Scalar(value).$method(visitor),
                opened => opened.visit(visitor),
            }
        }
    )+};
}

impl<'t, C: Cell<'t, Inside = I>, I: Iterator<Item = C>> Opened<'t, I> {
    fn visit<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self {
            Opened::Value(value) => Scalar(value).deserialize_any(visitor),
            Opened::Group(inside) => visitor.visit_map(Members { inside, value: None, fields: None }),
            Opened::Array(inside) => visitor.visit_seq(Elements { inside, index: 0, is_group: false }),
        }
    }

    /// Gives an array, or the values of a group one after the other.
    fn visit_in_order<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self {
            Opened::Value(value) => Scalar(value).deserialize_seq(visitor),
            Opened::Group(inside) => visitor.visit_seq(Elements { inside, index: 0, is_group: true }),
            Opened::Array(inside) => visitor.visit_seq(Elements { inside, index: 0, is_group: false }),
        }
    }
}

impl<'t, C: Cell<'t>> Deserializer<'t> for CellDeserializer<C> {
    type Error = BadRow;

    scalars! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_map deserialize_identifier
    }

    #[inline]
    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        match self.0.open() {
            Opened::Value(Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'t>>(self, _: &'static str, visitor: V) -> Result<V::Value, BadRow> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'t>>(self, name: &'static str, visitor: V) -> Result<V::Value, BadRow> {
        match self.0.open() {
            Opened::Value(value) => Scalar(value).deserialize_newtype_struct(name, visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        self.0.open().visit_in_order(visitor)
    }

    fn deserialize_tuple<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, BadRow> {
        self.0.open().visit_in_order(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, BadRow> {
        self.0.open().visit_in_order(visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BadRow> {
        match self.0.open() {
            Opened::Group(inside) => visitor.visit_map(Members { inside, value: None, fields: Some(fields) }),
            opened => opened.visit(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'t>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BadRow> {
        match (self.0.record_type(), self.0.open()) {
            (Some(record_type), _) => {
                visitor.visit_enum(Typed { variant: matching(record_type, variants).unwrap_or(record_type), row: self })
            }
            (None, Opened::Value(value)) => Scalar(value).deserialize_enum(name, variants, visitor),
            (None, Opened::Group(inside)) => {
                let members = Members { inside, value: None, fields: Some(variants) };
                visitor.visit_enum(MapAccessDeserializer::new(members))
            }
            (None, opened) => opened.visit(visitor),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, BadRow> {
        visitor.visit_unit()
    }
}

/// The members of a group, by their names.
struct Members<C, I> {
    inside: I,
    value: Option<C>,
    /// The fields of the struct that they are for.
    fields: Option<&'static [&'static str]>,
}

impl<'t, C: Cell<'t, Inside = I>, I: Iterator<Item = C>> MapAccess<'t> for Members<C, I> {
    type Error = BadRow;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'t>>(&mut self, seed: K) -> Result<Option<K::Value>, BadRow> {
        self.value = self.inside.next();
        let Some(cell) = self.value else { return Ok(None) };
        let name = self.fields.map_or_else(|| cell.name(), |fields| cell.name_in(fields));
        seed.deserialize(Scalar(Value::Text(name))).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, BadRow> {
        let Some(cell) = self.value.take() else { return Err(BadRow::new("a value without a name")) };
        seed.deserialize(CellDeserializer(cell)).map_err(|error| error.at_node(cell.node()).within(cell.name()))
    }
}

/// The elements of an array, or the values of a group in order.
struct Elements<I> {
    inside: I,
    index: usize,
    is_group: bool,
}

impl<'t, C: Cell<'t, Inside = I>, I: Iterator<Item = C>> SeqAccess<'t> for Elements<I> {
    type Error = BadRow;

    #[inline]
    fn next_element_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<Option<V::Value>, BadRow> {
        let Some(cell) = self.inside.next() else { return Ok(None) };
        self.index += 1;
        let value = seed.deserialize(CellDeserializer(cell)).map_err(|error| {
            let error = error.at_node(cell.node());
            if self.is_group { error.within(cell.name()) } else { error.in_element(self.index - 1) }
        });
        value.map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.inside.size_hint().0)
    }
}

/// A row as an enum: the variant is its record type, and has the row.
struct Typed<'t, C> {
    variant: &'t str,
    row: CellDeserializer<C>,
}

impl<'t, C: Cell<'t>> EnumAccess<'t> for Typed<'t, C> {
    type Error = BadRow;
    type Variant = CellDeserializer<C>;

    fn variant_seed<V: DeserializeSeed<'t>>(self, seed: V) -> Result<(V::Value, Self::Variant), BadRow> {
        Ok((seed.deserialize(StrDeserializer::new(self.variant))?, self.row))
    }
}

impl<'t, C: Cell<'t>> VariantAccess<'t> for CellDeserializer<C> {
    type Error = BadRow;

    fn unit_variant(self) -> Result<(), BadRow> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'t>>(self, seed: T) -> Result<T::Value, BadRow> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, BadRow> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'t>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, BadRow> {
        self.deserialize_struct("", fields, visitor)
    }
}
