//! From a record to the values of its row: [`RowReader`].
//!
//! ```text
//! record ─ fields::Reader ─ Rules ─ the caller's Visitor
//!          values           dates, characters in text
//! ```

use super::Parent;
use super::date::DatePattern;
use super::text::{Changed, TextPolicy};
use crate::fields::{FieldError, Layout, OnBad, Problem, Reader, Row, RunReader, Value, Visitor};
use std::ops::Range;
use std::sync::Arc;

/// Counts of problems that the options allow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Counts {
    /// Records that were read, rejected ones included.
    pub records: u64,
    /// Records with an error that were [set aside](RowReader::reject).
    pub rejected: u64,
    /// Fields that could not be read and are null.
    pub nulls: u64,
    /// Numbers with [spaces after their digits](super::RowsJob::loose_numbers).
    pub loose_numbers: u64,
    /// [Malformed sequences](super::RowsJob::on_malformed) in text that were replaced, or left out.
    pub malformed: u64,
    /// Records that were longer than the layout.
    pub cut: u64,
    /// Control characters in text that were replaced or dropped.
    pub controls: u64,
    /// Newlines in text that were replaced.
    pub newlines: u64,
}

impl Counts {
    /// Adds the counts of another part of the input.
    pub fn add(&mut self, other: &Counts) {
        self.records += other.records;
        self.rejected += other.rejected;
        self.nulls += other.nulls;
        self.loose_numbers += other.loose_numbers;
        self.malformed += other.malformed;
        self.cut += other.cut;
        self.controls += other.controls;
        self.newlines += other.newlines;
    }
}

/// Reads records by the rules of a job. Made by [`Rows::reader`](super::Rows::reader); a clone works independently, in
/// another thread for example.
#[derive(Clone)]
pub struct RowReader {
    pub(super) reader: Reader,
    pub(super) rules: Arc<Rules>,
    /// Whether all values stay as they are.
    is_plain: bool,
    /// Whether the layout has record types.
    has_types: bool,
    room: String,
    at: Vec<usize>,
    pub(super) counts: Counts,
}

/// The settings of a job besides those of the reader of fields.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) layout: Layout,
    pub(super) text: TextPolicy,
    /// For each item, the pattern of its dates; empty if no field contains any.
    pub(super) dates: Vec<Option<DatePattern>>,
    pub(super) on_bad: OnBad,
    /// The items that can be the type of a record.
    pub(super) types: Vec<usize>,
    /// The parent of each of them: an index into `types`. Empty if no type has one.
    pub(super) parents: Vec<Option<usize>>,
    /// Whether a record of a type without a parent is not among the children of others.
    pub(super) nest: bool,
}

impl RowReader {
    pub(super) fn new(reader: Reader, rules: Arc<Rules>) -> Self {
        let (is_plain, has_types) = (rules.is_plain(), !rules.types.is_empty());
        RowReader { reader, rules, is_plain, has_types, room: String::new(), at: Vec::new(), counts: Counts::default() }
    }

    /// Returns the layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.rules.layout
    }

    /// Returns whether an item is selected: a field, or a group or array with selected fields in it.
    #[must_use]
    pub fn is_selected(&self, item: usize) -> bool {
        self.reader.is_selected(item)
    }

    /// Returns the type of a record, which only its conditions decide: the index of an item. `None` if the layout has
    /// no record types, or if none applies.
    pub fn record_type(&mut self, record: &[u8]) -> Option<usize> {
        if self.rules.types.is_empty() { None } else { self.reader.record_type(record) }
    }

    /// Checks that a record has the parent that its type wants, before the record is [read](Self::read). Where fields
    /// that cannot be read are null, so is the missing parent, and it is counted with them.
    ///
    /// # Errors
    /// [`FieldError`], or the error of the visitor.
    pub fn check_parent<V: Visitor>(&mut self, number: u64, parent: Parent, visitor: &mut V) -> Result<(), V::Error> {
        let Parent::Missing { record_type } = parent else { return Ok(()) };
        let error = self.rules.no_parent(record_type, number);
        match self.rules.on_bad {
            OnBad::Error => return Err(error.into()),
            OnBad::Report => visitor.bad(record_type, 0, error)?,
            OnBad::Null | OnBad::Raw => {}
        }
        self.counts.nulls += 1;
        Ok(())
    }

    /// Makes a reader for runs of records of one length, which gives the same values as [`read`](Self::read), field by
    /// field. `None` if the options or the layout need a look at each record: if there are record types, counts, null
    /// indicators, dates, or characters in text that are replaced. The records are not in the
    /// [counts](Self::take_counts).
    #[must_use]
    pub fn run_reader(&self) -> Option<RunReader> {
        if self.is_plain && !self.has_types { self.reader.run_reader() } else { None }
    }

    /// Reads a record and gives its values to `visitor`. `number` is the number of the record, from 1, for errors.
    ///
    /// # Errors
    /// [`FieldError`], or the error of the visitor, which has received all values before it. The next record can be
    /// read. [`FieldError::offset`] is the place in the record; its place in the input is what
    /// [`Record::offset_of`](crate::records::Record::offset_of) and
    /// [`BatchRecord::offset_of`](super::BatchRecord::offset_of) return for it.
    #[inline]
    pub fn read<V: Visitor>(&mut self, number: u64, record: &[u8], visitor: &mut V) -> Result<Row, V::Error> {
        let row = match self.is_plain {
            true => self.reader.read(number, record, visitor)?,
            false => return self.read_filtered(number, record, visitor),
        };
        if self.has_types
            && let Some(error) = self.rules.other_type(&row, number)
        {
            return Err(error.into());
        }
        self.counts.records += 1;
        if row.bad > 0 || row.loose > 0 || row.malformed > 0 || row.cut > 0 {
            self.count(&row, Changed::default());
        }
        Ok(row)
    }

    pub(super) fn read_filtered<V: Visitor>(
        &mut self,
        number: u64,
        record: &[u8],
        visitor: &mut V,
    ) -> Result<Row, V::Error> {
        let RowReader { reader, rules, room, at, .. } = self;
        at.clear();
        let changed = Changed::default();
        let mut filter = Filter { visitor, rules, record, number, place: 0..0, room, at, changed, bad: 0 };
        let mut row = reader.read(number, record, &mut filter)?;
        row.bad += filter.bad;
        let changed = filter.changed;
        if let Some(error) = self.rules.other_type(&row, number) {
            return Err(error.into());
        }
        self.counts.records += 1;
        self.count(&row, changed);
        Ok(row)
    }

    /// Returns the place in a record of the value before which a visitor receives `index` others.
    #[must_use]
    pub fn place(&mut self, record: &[u8], index: usize) -> Range<usize> {
        let mut finder = Finder { left: index, place: 0..0 };
        // Stopped at the value, or at an error before it.
        let _ = self.reader.read(0, record, &mut finder);
        finder.place
    }

    #[cold]
    fn count(&mut self, row: &Row, changed: Changed) {
        self.counts.nulls += row.bad;
        self.counts.loose_numbers += row.loose;
        self.counts.malformed += row.malformed;
        self.counts.cut += u64::from(row.cut > 0);
        self.counts.controls += changed.controls;
        self.counts.newlines += changed.newlines;
    }

    /// Counts a record with an error that is set aside.
    pub fn reject(&mut self) {
        self.counts.records += 1;
        self.counts.rejected += 1;
    }

    /// Counts a record that could not be read and becomes a row without values.
    pub fn read_as_null(&mut self) {
        self.counts.records += 1;
        self.counts.nulls += 1;
    }

    /// Returns the counts since the last call.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }
}

/// Finds the place of a value in a record.
struct Finder {
    /// How many values precede it.
    left: usize,
    place: Range<usize>,
}

impl Visitor for Finder {
    type Error = FieldError;

    fn value(&mut self, _item: usize, _column: usize, _value: Value<'_>) -> Result<(), FieldError> {
        let found = || FieldError::new(String::new(), 0, &[], Problem::Missing);
        self.left = self.left.checked_sub(1).ok_or_else(found)?;
        Ok(())
    }

    fn place(&mut self, _item: usize, _column: usize, place: Range<usize>) -> Result<(), FieldError> {
        self.place = place;
        Ok(())
    }
}

impl Rules {
    /// Whether all values stay as they are.
    fn is_plain(&self) -> bool {
        self.text.keeps_all() && self.dates.is_empty()
    }

    /// Returns the error for a record of this type that has no parent.
    #[cold]
    fn no_parent(&self, record_type: usize, number: u64) -> FieldError {
        let own = self.types.iter().position(|one| *one == record_type);
        let parent = own.and_then(|own| *self.parents.get(own)?);
        let path = |item: usize| self.layout.path(item).to_owned();
        let problem = Problem::NoParent {
            record_type: path(record_type),
            parent: parent.map(|parent| path(self.types[parent])).unwrap_or_default(),
        };
        FieldError::new(String::new(), 0, &[], problem).in_record(number)
    }

    /// Returns the error for a record whose type is not one of those that rows have.
    fn other_type(&self, row: &Row, number: u64) -> Option<FieldError> {
        if self.types.is_empty() || row.record_type.is_some_and(|found| self.types.contains(&found)) {
            return None;
        }
        let path = row.record_type.map(|item| self.layout.path(item).to_owned());
        Some(FieldError::new(String::new(), 0, &[], Problem::OtherType { path }).in_record(number))
    }
}

/// Applies the rules to the values on their way to the visitor.
struct Filter<'r, V> {
    visitor: &'r mut V,
    rules: &'r Rules,
    record: &'r [u8],
    number: u64,
    /// The place of the next value.
    place: Range<usize>,
    room: &'r mut String,
    /// The occurrences of the arrays that this is in, from 1.
    at: &'r mut Vec<usize>,
    changed: Changed,
    bad: u64,
}

impl<V: Visitor> Filter<'_, V> {
    #[cold]
    fn error(&self, item: usize, problem: Problem) -> FieldError {
        let at: Vec<usize> = self.at.iter().map(|occurrence| occurrence.saturating_sub(1)).collect();
        let bytes = self.record.get(self.place.clone()).unwrap_or_default();
        FieldError::new(self.rules.layout.path_at(item, &at), self.place.start, bytes, problem).in_record(self.number)
    }

    fn changed(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), V::Error> {
        if let Some(Some(pattern)) = self.rules.dates.get(item) {
            return self.date(item, column, value, pattern);
        }
        let Value::Text(text) = value else { return self.visitor.value(item, column, value) };
        match self.rules.text.apply(text, self.room, &mut self.changed) {
            Ok(text) => self.visitor.value(item, column, Value::Text(text)),
            Err(refused) => {
                let problem = Problem::Character { ch: refused.ch, is_newline: refused.is_newline };
                Err(self.error(item, problem).into())
            }
        }
    }

    fn date(&mut self, item: usize, column: usize, value: Value<'_>, pattern: &DatePattern) -> Result<(), V::Error> {
        let value = match pattern.read_value(value) {
            Ok(value) => value,
            Err(value) => {
                let error = self.error(item, Problem::NotADate { value, pattern: pattern.as_str().to_owned() });
                match self.rules.on_bad {
                    OnBad::Error => return Err(error.into()),
                    OnBad::Report => self.visitor.bad(item, column, error)?,
                    OnBad::Null | OnBad::Raw => {}
                }
                self.bad += 1;
                Value::Null
            }
        };
        self.visitor.value(item, column, value)
    }
}

impl<V: Visitor> Visitor for Filter<'_, V> {
    type Error = V::Error;

    #[inline]
    fn value(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), V::Error> {
        self.changed(item, column, value)
    }

    #[inline]
    fn place(&mut self, item: usize, column: usize, place: Range<usize>) -> Result<(), V::Error> {
        self.place = place.clone();
        if self.rules.layout.items()[item].occurs.is_some()
            && let Some(occurrence) = self.at.last_mut()
        {
            *occurrence += 1;
        }
        self.visitor.place(item, column, place)
    }

    fn bad(&mut self, item: usize, column: usize, error: FieldError) -> Result<(), V::Error> {
        self.visitor.bad(item, column, error)
    }

    #[inline]
    fn begin_group(&mut self, item: usize) -> Result<(), V::Error> {
        self.visitor.begin_group(item)
    }

    #[inline]
    fn end_group(&mut self, item: usize) -> Result<(), V::Error> {
        self.visitor.end_group(item)
    }

    #[inline]
    fn begin_array(&mut self, item: usize, count: usize) -> Result<(), V::Error> {
        self.at.push(0);
        self.visitor.begin_array(item, count)
    }

    #[inline]
    fn end_array(&mut self, item: usize) -> Result<(), V::Error> {
        self.at.pop();
        self.visitor.end_array(item)
    }

    #[inline]
    fn begin_element(&mut self, item: usize) -> Result<(), V::Error> {
        if let Some(occurrence) = self.at.last_mut() {
            *occurrence += 1;
        }
        self.visitor.begin_element(item)
    }

    #[inline]
    fn end_element(&mut self, item: usize) -> Result<(), V::Error> {
        self.visitor.end_element(item)
    }
}
