//! One row of a batch, as the source of a record: [`Row`].

use crate::access::Access;
use crate::leaf::BadValue;
use charpipe::fields::{Value, ValueSource};

/// One row of a batch.
pub struct Row<'a, 'b> {
    columns: &'b [Option<Access<'a>>],
    index: usize,
    bad: Option<(usize, BadValue<'a>)>,
}

impl<'a, 'b> Row<'a, 'b> {
    /// Takes a row of a batch. `columns` are those of the layout; `None` for those that the batch does not have.
    #[must_use]
    pub fn new(columns: &'b [Option<Access<'a>>], index: usize) -> Self {
        Row { columns, index, bad: None }
    }

    /// Returns the first bad value that was asked for, and the index of its column. The writer took it for a field
    /// without a value, so what it wrote, or its error, does not count.
    #[must_use]
    pub fn bad(&self) -> Option<(usize, BadValue<'a>)> {
        self.bad
    }
}

impl ValueSource for Row<'_, '_> {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        match self.columns.get(column)?.as_ref()?.value(self.index) {
            Ok(value) => value,
            Err(bad) => {
                self.bad.get_or_insert((column, bad));
                None
            }
        }
    }
}
