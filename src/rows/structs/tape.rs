//! The values of a record in order, in memory that is used again for the next record: [`Tape`].

use super::cell::{Cell, Opened};
use super::names::matching;
use crate::fields::{Date, Decimal, FieldError, Timestamp, Value, Visitor};
use crate::rows::{AddedColumn, Rows};
use std::cell::Cell as Shared;
use std::ops::Range;

/// The data that all rows of a job share: the names, by the index of the item. Those of added columns, those in
/// [`AddedColumn::Errors`], and those of key columns follow them.
pub(super) struct Names {
    names: Vec<Name>,
    items: usize,
    /// The paths of the record types, by the index of the item.
    types: Vec<(usize, String)>,
}

struct Name {
    key: String,
    /// The struct that wanted a name last, and its field with this name.
    matched: Shared<Option<(&'static [&'static str], Option<&'static str>)>>,
}

/// The keys of an error.
const ERROR_KEYS: [&str; 4] = ["field", "code", "message", "bytes"];

impl Names {
    pub(super) fn new(rows: &Rows) -> Self {
        let items = rows.layout().items().len();
        let of_items = (0..items).map(|item| rows.key(item).unwrap_or_default().into_owned());
        let added = AddedColumn::ALL.iter().map(|one| one.column().to_owned());
        let keys = of_items.chain(added).chain(ERROR_KEYS.map(str::to_owned));
        let keys = keys.chain(rows.key_columns().iter().map(|one| one.name().to_owned()));
        let types = rows.record_types().iter().map(|item| (*item, rows.layout().path(*item).to_owned()));
        Names {
            names: keys.map(|key| Name { key, matched: Shared::new(None) }).collect(),
            items,
            types: types.collect(),
        }
    }

    fn of_added(&self, column: AddedColumn) -> usize {
        self.items + AddedColumn::ALL.iter().position(|one| *one == column).unwrap_or_default()
    }

    fn of_error(&self, key: usize) -> usize {
        self.items + AddedColumn::ALL.len() + key
    }

    fn of_key(&self, column: usize) -> usize {
        self.of_error(ERROR_KEYS.len()) + column
    }

    /// Returns the path of a record type.
    pub(super) fn of_type(&self, item: usize) -> Option<&str> {
        self.types.iter().find(|(one, _)| *one == item).map(|(_, path)| &**path)
    }
}

/// A value, a group or an array, with the name that it has in its group.
struct Node {
    name: u32,
    /// The index after the last node in it.
    end: u32,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Null,
    /// A place in the text.
    Text(usize, usize),
    /// A number that fits: its mantissa and its scale. A node should be small.
    Short(i64, i8),
    /// A place among the numbers.
    Number(usize),
    Single(f32),
    Double(f64),
    /// A place in the bytes.
    Raw(usize, usize),
    Date(Date),
    Timestamp(Timestamp),
    Group,
    Array,
}

/// The values of a record.
#[derive(Default)]
pub(super) struct Tape {
    nodes: Vec<Node>,
    text: String,
    bytes: Vec<u8>,
    numbers: Vec<Decimal>,
    /// The groups and arrays that have not ended.
    open: Vec<usize>,
    /// The errors of fields that could not be read.
    errors: Vec<FieldError>,
    record_type: Option<usize>,
}

impl Tape {
    /// Begins a row.
    pub(super) fn begin(&mut self) {
        self.nodes.clear();
        self.text.clear();
        self.bytes.clear();
        self.numbers.clear();
        self.open.clear();
        self.errors.clear();
        self.record_type = None;
        self.enter(u32::MAX as usize, What::Group);
    }

    /// Ends the row, of a record of this type.
    pub(super) fn end(&mut self, record_type: Option<usize>) {
        self.record_type = record_type;
        self.leave();
    }

    /// Returns the row, for the deserializer.
    pub(super) fn row<'t>(&'t self, names: &'t Names) -> At<'t> {
        At { tape: self, names, index: 0 }
    }

    /// Adds a column that is not a field.
    pub(super) fn add(&mut self, names: &Names, column: AddedColumn, value: Value<'_>) {
        self.push(names.of_added(column), value);
    }

    /// Adds a column with a field of the parent.
    pub(super) fn add_key(&mut self, names: &Names, column: usize, value: Value<'_>) {
        self.push(names.of_key(column), value);
    }

    /// Adds the column with the errors of the row.
    pub(super) fn add_errors(&mut self, names: &Names) {
        let column = names.of_added(AddedColumn::Errors);
        if self.errors.is_empty() {
            return self.push(column, Value::Null);
        }
        self.enter(column, What::Array);
        for error in std::mem::take(&mut self.errors) {
            self.enter(column, What::Group);
            let path = Some(error.path()).filter(|path| !path.is_empty()).map_or(Value::Null, Value::Text);
            let bytes = format!("{:X}", crate::hex::Hex(error.bytes()));
            let values = [path, Value::Text(error.code()), Value::Text(&error.message()), Value::Text(&bytes)];
            for (key, value) in values.into_iter().enumerate() {
                self.push(names.of_error(key), value);
            }
            self.leave();
        }
        self.leave();
    }

    /// Adds the error of a field or of the record to those of the row.
    pub(super) fn add_error(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    #[inline(always)]
    fn push(&mut self, name: usize, value: Value<'_>) {
        let what = match value {
            Value::Text(text) => {
                let begin = self.text.len();
                self.text.push_str(text);
                What::Text(begin, self.text.len())
            }
            Value::Number(number) => match i64::try_from(number.magnitude()) {
                Ok(mantissa) if !number.is_negative() => What::Short(mantissa, number.scale()),
                Ok(mantissa) if mantissa > 0 => What::Short(-mantissa, number.scale()),
                _ => self.long(number),
            },
            Value::Raw(bytes) => {
                let begin = self.bytes.len();
                self.bytes.extend_from_slice(bytes);
                What::Raw(begin, self.bytes.len())
            }
            Value::Single(number) => What::Single(number),
            Value::Double(number) => What::Double(number),
            Value::Date(date) => What::Date(date),
            Value::Timestamp(timestamp) => What::Timestamp(timestamp),
            Value::Null => What::Null,
        };
        // More nodes than a `u32` counts would take 128 GiB.
        let end = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { name: name as u32, end, what });
    }

    #[cold]
    fn long(&mut self, number: Decimal) -> What {
        self.numbers.push(number);
        What::Number(self.numbers.len() - 1)
    }

    fn enter(&mut self, name: usize, what: What) {
        self.open.push(self.nodes.len());
        self.nodes.push(Node { name: name as u32, end: 0, what });
    }

    fn leave(&mut self) {
        if let Some(index) = self.open.pop() {
            self.nodes[index].end = self.nodes.len() as u32;
        }
    }
}

impl Visitor for Tape {
    type Error = FieldError;

    #[inline]
    fn value(&mut self, item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.push(item, value);
        Ok(())
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), FieldError> {
        self.errors.push(error);
        Ok(())
    }

    fn begin_group(&mut self, item: usize) -> Result<(), FieldError> {
        self.enter(item, What::Group);
        Ok(())
    }

    fn end_group(&mut self, _item: usize) -> Result<(), FieldError> {
        self.leave();
        Ok(())
    }

    fn begin_array(&mut self, item: usize, _count: usize) -> Result<(), FieldError> {
        self.enter(item, What::Array);
        Ok(())
    }

    fn end_array(&mut self, _item: usize) -> Result<(), FieldError> {
        self.leave();
        Ok(())
    }

    fn begin_element(&mut self, item: usize) -> Result<(), FieldError> {
        self.enter(item, What::Group);
        Ok(())
    }

    fn end_element(&mut self, _item: usize) -> Result<(), FieldError> {
        self.leave();
        Ok(())
    }
}

/// Finds the place of a node in its record, by reading that once more.
pub(super) struct Locate {
    /// The node that is reported next.
    next: usize,
    wanted: usize,
    /// The place of the value, or that of the first value in a group or an array.
    pub(super) found: Option<Range<usize>>,
}

impl Locate {
    /// `first`: the node of the first value of the record.
    pub(super) fn new(first: usize, wanted: usize) -> Self {
        Locate { next: first, wanted, found: None }
    }

    fn pass(&mut self) -> Result<(), FieldError> {
        self.next += 1;
        Ok(())
    }
}

impl Visitor for Locate {
    type Error = FieldError;

    fn value(&mut self, _item: usize, _column: usize, _value: Value<'_>) -> Result<(), FieldError> {
        self.pass()
    }

    fn place(&mut self, _item: usize, _column: usize, place: Range<usize>) -> Result<(), FieldError> {
        if self.next >= self.wanted && self.found.is_none() {
            self.found = Some(place);
        }
        Ok(())
    }

    fn begin_group(&mut self, _item: usize) -> Result<(), FieldError> {
        self.pass()
    }

    fn begin_array(&mut self, _item: usize, _count: usize) -> Result<(), FieldError> {
        self.pass()
    }

    fn begin_element(&mut self, _item: usize) -> Result<(), FieldError> {
        self.pass()
    }
}

/// A node of a tape.
#[derive(Clone, Copy)]
pub(super) struct At<'t> {
    tape: &'t Tape,
    names: &'t Names,
    index: usize,
}

/// The nodes in a group or an array.
pub(super) struct Inside<'t> {
    next: At<'t>,
    end: usize,
}

impl<'t> Iterator for Inside<'t> {
    type Item = At<'t>;

    #[inline]
    fn next(&mut self) -> Option<At<'t>> {
        let at = self.next;
        if at.index >= self.end {
            return None;
        }
        self.next.index = at.tape.nodes[at.index].end as usize;
        Some(at)
    }
}

impl<'t> Cell<'t> for At<'t> {
    type Inside = Inside<'t>;

    #[inline(always)]
    fn open(self) -> Opened<'t, Inside<'t>> {
        let At { tape, index, .. } = self;
        let node = &tape.nodes[index];
        let inside = || Inside { next: At { index: index + 1, ..self }, end: node.end as usize };
        Opened::Value(match node.what {
            What::Null => Value::Null,
            What::Text(begin, end) => Value::Text(&tape.text[begin..end]),
            What::Short(mantissa, scale) => Value::Number(Decimal::new(mantissa.into(), scale)),
            What::Number(index) => Value::Number(tape.numbers[index]),
            What::Single(number) => Value::Single(number),
            What::Double(number) => Value::Double(number),
            What::Raw(begin, end) => Value::Raw(&tape.bytes[begin..end]),
            What::Date(date) => Value::Date(date),
            What::Timestamp(timestamp) => Value::Timestamp(timestamp),
            What::Group => return Opened::Group(inside()),
            What::Array => return Opened::Array(inside()),
        })
    }

    fn name(self) -> &'t str {
        self.names.names.get(self.tape.nodes[self.index].name as usize).map_or("", |name| &*name.key)
    }

    #[inline]
    fn name_in(self, fields: &'static [&'static str]) -> &'t str {
        let Some(name) = self.names.names.get(self.tape.nodes[self.index].name as usize) else { return "" };
        let field = match name.matched.get() {
            Some((last, field)) if std::ptr::eq(last, fields) => field,
            _ => {
                let field = matching(&name.key, fields);
                name.matched.set(Some((fields, field)));
                field
            }
        };
        field.unwrap_or(&name.key)
    }

    fn record_type(self) -> Option<&'t str> {
        self.tape.record_type.filter(|_| self.index == 0).and_then(|item| self.names.of_type(item))
    }

    fn node(self) -> Option<usize> {
        Some(self.index)
    }
}
