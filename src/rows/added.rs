//! The columns of a row that are not fields: [`AddedColumn`].

use crate::words::words;

/// A column of a row that is not a field. Its name is the word with an underscore before it, `_number` for example; no name
/// in COBOL begins like this.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum AddedColumn {
    /// The name of the input.
    File,
    /// The number of the record, from 1.
    Number,
    /// Where the record begins in the input, in bytes from 0: its first header.
    Offset,
    /// The name of its type.
    Type,
    /// The number of the record that is its [parent](super::RowsJob::parent).
    Parent,
    /// Its bytes.
    Record,
    /// The errors in its fields: for each field its name, a code, a message, and its bytes.
    Errors,
}

words! {
    AddedColumn {
        File: "file", Number: "number", Offset: "offset", Type: "type", Parent: "parent", Record: "record", Errors: "errors",
    }
}

impl AddedColumn {
    /// Returns the name of the column.
    ///
    /// ```
    /// use charpipe::rows::AddedColumn;
    ///
    /// assert_eq!(AddedColumn::Number.column(), "_number");
    /// ```
    #[must_use]
    pub const fn column(self) -> &'static str {
        match self {
            AddedColumn::File => "_file",
            AddedColumn::Number => "_number",
            AddedColumn::Offset => "_offset",
            AddedColumn::Type => "_type",
            AddedColumn::Parent => "_parent",
            AddedColumn::Record => "_record",
            AddedColumn::Errors => "_errors",
        }
    }

    /// Whether the column is before the fields; the others are after them. On each side, the order is that of
    /// [`ALL`](Self::ALL).
    #[must_use]
    pub const fn is_before_fields(self) -> bool {
        !matches!(self, AddedColumn::Record | AddedColumn::Errors)
    }
}
