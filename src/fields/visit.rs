//! How values are delivered and requested: [`Visitor`], [`ValueSource`] and [`Column`].

use super::{FieldError, Value};
use crate::words::words;
use std::ops::Range;

/// Receives the values of a record from a [`Reader`](super::Reader), in the order of the layout.
///
/// Only [`value`](Visitor::value) has to be implemented. It is enough for flat rows, such as CSV: columns come in
/// ascending order, and those that a record does not have are skipped. [`place`](Visitor::place) and
/// [`bad`](Visitor::bad) say more about a field. The other methods report the structure, for JSON and other nested
/// forms. Their default does nothing, and costs nothing.
///
/// ```text
/// 05 NAME                           value(0)
/// 05 PHONE OCCURS 2 TIMES           begin_array(PHONE)
///    10 KIND                          begin_element(PHONE)  value(1)  value(2)  end_element(PHONE)
///    10 NUMBER                        begin_element(PHONE)  value(3)  value(4)  end_element(PHONE)
///                                   end_array(PHONE)
/// 05 ADDRESS                        begin_group(ADDRESS)
///    10 CITY                          value(5)
///                                   end_group(ADDRESS)
/// ```
///
/// An array of fields has elements without groups: `begin_array`, one `value` each, `end_array`. Groups without a name
/// are not reported, but what is in them is. Groups and arrays that are not selected, or do not apply to the record,
/// are not reported at all.
pub trait Visitor {
    /// The error that stops the reader; [`FieldError`] or a type made from it.
    type Error: From<FieldError>;

    /// Receives the value of a field. `item` is its index in [`Layout::items`](super::Layout::items), and `column` its
    /// index in [`Reader::columns`](super::Reader::columns), which also tells the occurrences of an array apart.
    ///
    /// # Errors
    /// Any error stops the reader, which returns it.
    fn value(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), Self::Error>;

    /// Receives the place of a field in the record, in bytes from 0, just before its [value](Self::value). In a record
    /// that is too short for the field, the place ends after the record.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn place(&mut self, item: usize, column: usize, place: Range<usize>) -> Result<(), Self::Error> {
        let _ = (item, column, place);
        Ok(())
    }

    /// The bytes of a field are not a value of its kind, under [`OnBad::Report`]. `item` and `column` are those of
    /// [`value`](Self::value), which receives [`Value::Null`] next. Only for the count 0 of an array that should have
    /// elements, they are those of the array, which begins next.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn bad(&mut self, item: usize, column: usize, error: FieldError) -> Result<(), Self::Error> {
        let _ = (item, column, error);
        Ok(())
    }

    /// A group begins: `item` is its index.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn begin_group(&mut self, item: usize) -> Result<(), Self::Error> {
        let _ = item;
        Ok(())
    }

    /// The group ends.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn end_group(&mut self, item: usize) -> Result<(), Self::Error> {
        let _ = item;
        Ok(())
    }

    /// An array of `count` elements begins.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn begin_array(&mut self, item: usize, count: usize) -> Result<(), Self::Error> {
        let _ = (item, count);
        Ok(())
    }

    /// The array ends.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn end_array(&mut self, item: usize) -> Result<(), Self::Error> {
        let _ = item;
        Ok(())
    }

    /// An element of an array of groups begins.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn begin_element(&mut self, item: usize) -> Result<(), Self::Error> {
        let _ = item;
        Ok(())
    }

    /// The element ends.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    fn end_element(&mut self, item: usize) -> Result<(), Self::Error> {
        let _ = item;
        Ok(())
    }
}

/// Supplies the values of a record to a [`Writer`](super::Writer).
///
/// ```text
/// impl ValueSource for CsvRow {
///     fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
///         self.cells.get(column).map(|cell| Value::Text(cell))
///     }
/// }
/// ```
pub trait ValueSource {
    /// Returns the value of a field; `None` if there is none. `item` is its index in
    /// [`Layout::items`](super::Layout::items), and `column` its index in [`Writer::columns`](super::Writer::columns).
    ///
    /// [`Value::Text`] is accepted for every kind: a number in digits, raw bytes in hex. [`Value::Raw`] of the length
    /// of the field is accepted for every kind as well, and written unchanged.
    fn value(&mut self, item: usize, column: usize) -> Option<Value<'_>>;
}

/// Supplies values by their columns.
impl ValueSource for &[Option<Value<'_>>] {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        *self.get(column)?
    }
}

/// A place for a value in a flat row: a field, or one occurrence of a field in an array.
///
/// An array has as many columns as its largest count, so that all rows of a table have the same columns.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Column {
    /// The path with the numbers of occurrences, from 1: `CUSTOMER.PHONE[2]`.
    pub path: String,
    /// The index of the field in [`Layout::items`](super::Layout::items).
    pub item: usize,
    /// The record types that it belongs to: the items with a condition that contain it, outermost first. Empty if every
    /// record has it.
    pub types: Vec<usize>,
}

/// What to do with a field whose bytes are not a value of its kind: a number with wrong digits, text with malformed
/// bytes, a field that the record is too short for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnBad {
    /// The reader returns the error.
    #[default]
    Error,
    /// The value is [`Value::Null`], and the reader counts it.
    Null,
    /// The same, and [`Visitor::bad`] receives the error before.
    Report,
    /// The value is [`Value::Raw`], and the reader counts it. A [`Writer`](super::Writer) writes it back as it was.
    Raw,
}

/// What to remove from the end of text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Trim {
    /// Nothing.
    Nothing,
    /// Spaces: U+0020, and U+3000 if the field ends with double-byte characters. A [`Writer`](super::Writer) adds them
    /// again.
    #[default]
    Blanks,
    /// NULs (low-values, U+0000). This cannot be undone when writing.
    Nuls,
    /// Spaces and NULs. This cannot be undone when writing.
    BlanksAndNuls,
}

words! { Trim { Nothing: "none", Blanks: "blanks", Nuls: "nuls", BlanksAndNuls: "blanks,nuls" } }
