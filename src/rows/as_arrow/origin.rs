//! Where a row comes from, for the columns that are not fields: [`Origin`].

use crate::fields::{Decimal, Value};
use crate::rows::{AddedColumn, BatchRecord};

/// Where a row comes from.
pub(super) struct Origin<'a> {
    pub(super) record: BatchRecord<'a>,
    /// The name of the input.
    pub(super) input: &'a str,
    /// The name of the type of the record, if it is known.
    pub(super) record_type: Option<&'a str>,
}

impl Origin<'_> {
    /// Returns the row's value in a column that is not a field. Errors are not a value.
    pub(super) fn value(&self, column: AddedColumn) -> Value<'_> {
        // SQL has no unsigned integers, and no file has this many bytes.
        let integer = |number: u64| Value::Number(Decimal::new(number.cast_signed().into(), 0));
        match column {
            AddedColumn::File => Value::Text(self.input),
            AddedColumn::Number => integer(self.record.number),
            AddedColumn::Offset => integer(self.record.offset),
            AddedColumn::Parent => self.record.parent.number().map_or(Value::Null, integer),
            AddedColumn::Type => self.record_type.map_or(Value::Null, Value::Text),
            AddedColumn::Record => Value::Raw(self.record.data),
            AddedColumn::Errors => Value::Null,
        }
    }
}
