//! The serializer of rows: puts values where their names lead to.

use super::BadRow;
use super::entry::Entry;
use super::exact::EXACT;
use crate::fields::{Decimal, Value, ValueSource};
use crate::rows::{AddedColumn, KeyColumn};
use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt::{Display, Write as _};

/// The values of a row by the columns of the layout.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<Stored>,
    /// The columns that have a value.
    set: Vec<usize>,
    text: String,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Stored {
    Nothing,
    Integer(Decimal),
    /// A place in the text.
    Text(usize, usize),
    /// A place in the bytes.
    Raw(usize, usize),
}

impl Cells {
    pub(super) fn new(columns: usize) -> Self {
        Cells { cells: vec![Stored::Nothing; columns], ..Cells::default() }
    }

    /// Begins a row.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.bytes.clear();
        for column in self.set.drain(..) {
            self.cells[column] = Stored::Nothing;
        }
    }

    fn set(&mut self, column: usize, value: Stored) -> Result<(), BadRow> {
        self.set.push(column);
        match std::mem::replace(&mut self.cells[column], value) {
            Stored::Nothing => Ok(()),
            _ => Err(BadRow::new("it occurs twice")),
        }
    }

    /// Sets the value of a field to a text, as it is in the command's rows: an empty text is not a value.
    fn set_text(&mut self, entry: &Entry, column: usize, text: &dyn Display) -> Result<(), BadRow> {
        let begin = self.text.len();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{text}");
        if let Some(pattern) = &entry.date {
            let date = pattern.write_iso(&self.text[begin..]).map_err(BadRow::new)?;
            self.text.truncate(begin);
            self.text.push_str(&date);
        }
        match self.text.len() {
            end if end == begin => Ok(()),
            end => self.set(column, Stored::Text(begin, end)),
        }
    }
}

impl ValueSource for Cells {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        match *self.cells.get(column)? {
            Stored::Nothing => None,
            Stored::Integer(number) => Some(Value::Number(number)),
            Stored::Text(begin, end) => Some(Value::Text(&self.text[begin..end])),
            Stored::Raw(begin, end) => Some(Value::Raw(&self.bytes[begin..end])),
        }
    }
}

/// Where a value goes.
pub(super) struct Place<'a> {
    pub(super) cells: &'a mut Cells,
    /// `None` if the value is ignored: that of an added column.
    pub(super) entry: Option<&'a Entry>,
    /// Its first column.
    pub(super) column: usize,
    pub(super) kind: PlaceKind,
    /// Whether a value of this library is inside of its mark, so that it gives all that it is.
    pub(super) is_exact: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind {
    Row,
    Member,
    Element,
}

impl<'a> Place<'a> {
    /// Returns what is expected here, for messages.
    fn expected(&self) -> &'static str {
        match self.entry {
            Some(entry) if entry.times.is_some() && self.kind == PlaceKind::Member => "an array",
            Some(Entry { inside: Some(_), .. }) => "a group",
            _ => "text or a number",
        }
    }

    #[cold]
    fn wrong(&self, found: &str) -> BadRow {
        BadRow::new(format!("found {found}; expected {}", self.expected()))
    }

    /// Returns the field whose value this is.
    fn field(&self, found: &str) -> Result<Option<&'a Entry>, BadRow> {
        match self.entry {
            Some(_) if self.expected() != "text or a number" => Err(self.wrong(found)),
            entry => Ok(entry),
        }
    }

    fn integer(self, number: Decimal) -> Result<(), BadRow> {
        match self.field("a number")? {
            Some(entry) if entry.date.is_some() => self.cells.set_text(entry, self.column, &number),
            Some(_) => self.cells.set(self.column, Stored::Integer(number)),
            None => Ok(()),
        }
    }

    fn text(self, text: &dyn Display, found: &str) -> Result<(), BadRow> {
        match self.field(found)? {
            Some(entry) => self.cells.set_text(entry, self.column, text),
            None => Ok(()),
        }
    }

    /// Begins a group.
    fn group(self, any_case: bool) -> Result<GroupPlace<'a>, BadRow> {
        if self.entry.is_some() && self.expected() != "a group" {
            return Err(self.wrong("a map"));
        }
        let Place { cells, entry, column, kind, .. } = self;
        Ok(GroupPlace { cells, entry, column, is_row: kind == PlaceKind::Row, any_case, hint: 0, key: String::new() })
    }

    /// Begins an array; or a group whose values come in order.
    fn array(self) -> Result<ArrayPlace<'a>, BadRow> {
        match self.entry {
            Some(_) if self.expected() == "text or a number" => Err(self.wrong("a sequence")),
            _ => {
                let is_group = self.expected() == "a group";
                Ok(ArrayPlace { cells: self.cells, entry: self.entry, column: self.column, is_group, index: 0 })
            }
        }
    }
}

/// Takes integers.
macro_rules! integers {
    ($($method:ident($type:ty))+) => {$(
        fn $method(self, number: $type) -> Result<(), BadRow> {
            self.integer(Decimal::new(number.into(), 0))
        }
    )+};
}

impl<'a> Serializer for Place<'a> {
    type Ok = ();
    type Error = BadRow;
    type SerializeSeq = ArrayPlace<'a>;
    type SerializeTuple = ArrayPlace<'a>;
    type SerializeTupleStruct = ArrayPlace<'a>;
    type SerializeTupleVariant = ArrayPlace<'a>;
    type SerializeMap = GroupPlace<'a>;
    type SerializeStruct = StructPlace<'a>;
    type SerializeStructVariant = GroupPlace<'a>;

    fn is_human_readable(&self) -> bool {
        !self.is_exact
    }

    integers! {
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
    }

    fn serialize_u128(self, number: u128) -> Result<(), BadRow> {
        self.integer(Decimal::from_parts(false, number, 0))
    }

    fn serialize_bool(self, _: bool) -> Result<(), BadRow> {
        match self.entry {
            None => Ok(()),
            Some(_) => Err(self.wrong("true or false")),
        }
    }

    /// The fewest digits that identify the number, as in JSON.
    fn serialize_f32(self, number: f32) -> Result<(), BadRow> {
        self.text(&Value::Single(number), "a number")
    }

    fn serialize_f64(self, number: f64) -> Result<(), BadRow> {
        self.text(&Value::Double(number), "a number")
    }

    fn serialize_char(self, ch: char) -> Result<(), BadRow> {
        self.text(&ch, "text")
    }

    fn serialize_str(self, text: &str) -> Result<(), BadRow> {
        self.text(&text, "text")
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), BadRow> {
        if self.field("bytes")?.is_none() {
            return Ok(());
        }
        let begin = self.cells.bytes.len();
        self.cells.bytes.extend_from_slice(bytes);
        self.cells.set(self.column, Stored::Raw(begin, begin + bytes.len()))
    }

    fn serialize_none(self) -> Result<(), BadRow> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), BadRow> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), BadRow> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), BadRow> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), BadRow> {
        match self.kind {
            // A record type without values of its own.
            PlaceKind::Row => Ok(()),
            _ => self.text(&variant, "text"),
        }
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), BadRow> {
        value.serialize(Place { is_exact: name == EXACT, ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), BadRow> {
        match self.kind {
            PlaceKind::Row => value.serialize(self),
            _ => self.group(true)?.member(variant, value),
        }
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ArrayPlace<'a>, BadRow> {
        self.array()
    }

    fn serialize_tuple(self, _: usize) -> Result<ArrayPlace<'a>, BadRow> {
        self.array()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<ArrayPlace<'a>, BadRow> {
        self.array()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ArrayPlace<'a>, BadRow> {
        match self.kind {
            PlaceKind::Row => self.array(),
            _ => self.group(true)?.into_member(variant)?.array(),
        }
    }

    fn serialize_map(self, _: Option<usize>) -> Result<GroupPlace<'a>, BadRow> {
        self.group(false)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<StructPlace<'a>, BadRow> {
        // A number of serde_json, with its feature `arbitrary_precision`.
        if name == "$serde_json::private::Number" {
            return Ok(StructPlace::Number(self));
        }
        self.group(true).map(StructPlace::Group)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<GroupPlace<'a>, BadRow> {
        match self.kind {
            PlaceKind::Row => self.group(true),
            _ => self.group(true)?.into_member(variant)?.group(true),
        }
    }
}

/// Whether a name is that of a column that is not a field.
fn is_no_field(name: &str) -> bool {
    name.starts_with(KeyColumn::PREFIX) || AddedColumn::ALL.iter().any(|one| one.column() == name)
}

/// Where the members of a group go.
pub(super) struct GroupPlace<'a> {
    cells: &'a mut Cells,
    entry: Option<&'a Entry>,
    column: usize,
    is_row: bool,
    /// Whether names are those of a struct, which match in any case.
    any_case: bool,
    hint: usize,
    /// The last key of a map.
    key: String,
}

impl<'a> GroupPlace<'a> {
    /// Returns the entry of a member, and its first column; `None` if the group has no member with this name.
    fn find(&mut self, name: &str) -> Option<(Option<&'a Entry>, usize)> {
        let entry = match self.entry {
            None => None,
            Some(entry) => match entry.member(name, self.any_case, &mut self.hint) {
                Some(member) => Some(member),
                None if self.is_row && is_no_field(name) => None,
                None => return None,
            },
        };
        Some((entry, self.column + entry.map_or(0, |entry| entry.column)))
    }

    fn into_member(mut self, name: &'static str) -> Result<Place<'a>, BadRow> {
        let Some((entry, column)) = self.find(name) else { return Err(no_field().within(name)) };
        Ok(Place { cells: self.cells, entry, column, kind: PlaceKind::Member, is_exact: false })
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), BadRow> {
        let done = match self.find(name) {
            Some((entry, column)) => {
                let kind = PlaceKind::Member;
                value.serialize(Place { cells: self.cells, entry, column, kind, is_exact: false })
            }
            // No value for a field that the layout does not have is nothing.
            None => value.serialize(NoPlace),
        };
        done.map_err(|error| error.within(name))
    }
}

#[cold]
fn no_field() -> BadRow {
    BadRow::new("there is no such field in the layout")
}

impl SerializeMap for GroupPlace<'_> {
    type Ok = ();
    type Error = BadRow;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BadRow> {
        self.key.clear();
        key.serialize(Key(&mut self.key))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BadRow> {
        let key = std::mem::take(&mut self.key);
        let done = self.member(&key, value);
        self.key = key;
        done
    }

    fn end(self) -> Result<(), BadRow> {
        Ok(())
    }
}

impl SerializeStructVariant for GroupPlace<'_> {
    type Ok = ();
    type Error = BadRow;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), BadRow> {
        self.member(key, value)
    }

    fn end(self) -> Result<(), BadRow> {
        Ok(())
    }
}

/// Where the fields of a struct go.
pub(super) enum StructPlace<'a> {
    Group(GroupPlace<'a>),
    /// The struct stands for a number, whose digits its field has.
    Number(Place<'a>),
}

impl SerializeStruct for StructPlace<'_> {
    type Ok = ();
    type Error = BadRow;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), BadRow> {
        match self {
            StructPlace::Group(group) => group.member(key, value),
            StructPlace::Number(Place { cells, entry, column, kind, .. }) => {
                value.serialize(Place { cells, entry: *entry, column: *column, kind: *kind, is_exact: false })
            }
        }
    }

    fn end(self) -> Result<(), BadRow> {
        Ok(())
    }
}

/// Where the elements of an array go, or the values of a group in order.
pub(super) struct ArrayPlace<'a> {
    cells: &'a mut Cells,
    entry: Option<&'a Entry>,
    column: usize,
    is_group: bool,
    index: usize,
}

impl ArrayPlace<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BadRow> {
        let ArrayPlace { cells, entry, column, is_group, index } = self;
        let (at, cells) = (*index, &mut **cells);
        *index += 1;
        let Some(array) = *entry else { return Ok(()) };
        if *is_group {
            let Some(member) = array.inside.iter().flatten().nth(at) else { return value.serialize(NoPlace) };
            let (column, kind) = (*column + member.column, PlaceKind::Member);
            let place = Place { cells, entry: Some(member), column, kind, is_exact: false };
            return value.serialize(place).map_err(|error| error.within(&member.key));
        }
        let done = match at < array.times.unwrap_or(0) {
            true => {
                let column = *column + at * array.columns;
                value.serialize(Place { cells, entry: *entry, column, kind: PlaceKind::Element, is_exact: false })
            }
            false => value.serialize(NoPlace),
        };
        done.map_err(|error| error.in_element(at))
    }
}

/// Implements the traits of sequences.
macro_rules! sequences {
    ($($trait:ident $method:ident)+) => {$(
        impl $trait for ArrayPlace<'_> {
            type Ok = ();
            type Error = BadRow;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BadRow> {
                self.element(value)
            }

            fn end(self) -> Result<(), BadRow> {
                Ok(())
            }
        }
    )+};
}

sequences! {
    SerializeSeq serialize_element SerializeTuple serialize_element SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

/// Refuses types in a serializer that takes only some.
macro_rules! refuses {
    ($error:expr; $($method:ident($($type:ty),*))+) => {
        type Ok = ();
        type Error = BadRow;
        type SerializeSeq = Impossible<(), BadRow>;
        type SerializeTuple = Impossible<(), BadRow>;
        type SerializeTupleStruct = Impossible<(), BadRow>;
        type SerializeTupleVariant = Impossible<(), BadRow>;
        type SerializeMap = Impossible<(), BadRow>;
        type SerializeStruct = Impossible<(), BadRow>;
        type SerializeStructVariant = Impossible<(), BadRow>;

        $(
            fn $method(self, $(_: $type),*) -> Result<(), BadRow> {
                Err($error)
            }
        )+

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<(), BadRow> {
            Err($error)
        }

        fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, BadRow> {
            Err($error)
        }

        fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, BadRow> {
            Err($error)
        }

        fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, BadRow> {
            Err($error)
        }

        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleVariant, BadRow> {
            Err($error)
        }

        fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, BadRow> {
            Err($error)
        }

        fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, BadRow> {
            Err($error)
        }

        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeStructVariant, BadRow> {
            Err($error)
        }
    };
}

/// Takes nothing but null.
struct NoPlace;

impl Serializer for NoPlace {
    refuses! {
        no_field();
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128) serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128) serialize_f32(f32) serialize_f64(f64) serialize_char(char) serialize_str(&str)
        serialize_bytes(&[u8]) serialize_unit_variant(&'static str, u32, &'static str)
    }

    fn serialize_none(self) -> Result<(), BadRow> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), BadRow> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), BadRow> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), BadRow> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), BadRow> {
        value.serialize(self)
    }
}

/// Takes the key of a map: text.
struct Key<'a>(&'a mut String);

#[cold]
fn not_a_name() -> BadRow {
    BadRow::new("the key of a map is not text; expected the name of a field")
}

impl Serializer for Key<'_> {
    refuses! {
        not_a_name();
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128) serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128) serialize_f32(f32) serialize_f64(f64) serialize_bytes(&[u8]) serialize_none()
        serialize_unit() serialize_unit_struct(&'static str)
    }

    fn serialize_char(self, ch: char) -> Result<(), BadRow> {
        self.0.push(ch);
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), BadRow> {
        self.0.push_str(text);
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), BadRow> {
        self.0.push_str(variant);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), BadRow> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), BadRow> {
        value.serialize(self)
    }
}
