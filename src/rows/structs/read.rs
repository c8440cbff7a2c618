//! The rows of an input, as values of the user's type: [`DeserializeRows`].

use super::BadRow;
use super::cell::CellDeserializer;
use super::tape::{Locate, Names, Tape};
use crate::fields::{FieldError, Problem, Value};
use crate::records::{Record, Records, Shape};
use crate::rows::{AddedColumn, Counts, Opened, Parent, Parents, RowReader, Rows, RowsError};
use serde::de::DeserializeOwned;
use std::io::BufRead;
use std::marker::PhantomData;

impl Rows {
    /// Feature `serde`. Returns the rows of an input, each deserialized into a `T`: a struct, a map, a tuple,
    /// [`RowValues`](super::RowValues), or anything else that implements `Deserialize`.
    ///
    /// All options of the job hold as for the command's rows of JSON, whose names and values these rows have: groups
    /// are structs, arrays are sequences, and the [added columns](AddedColumn) are fields such as `_number`.
    /// The work is done by one thread, whatever [`jobs`](Rows::jobs) says.
    ///
    /// ```
    /// use charpipe::fields::Decimal;
    /// use charpipe::rows::RowsJob;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Order {
    ///     order_id: u32,
    ///     customer: String,
    ///     line: Vec<Line>,
    /// }
    ///
    /// #[derive(Deserialize)]
    /// struct Line {
    ///     item: String,
    ///     price: Decimal,
    /// }
    ///
    /// let job = RowsJob::new();
    /// let layout = job.layout(
    ///     b"01 ORDER.
    ///         05 ORDER-ID PIC 9(3).
    ///         05 CUSTOMER PIC X(5).
    ///         05 LINE OCCURS 2 TIMES.
    ///           10 ITEM PIC X(2).
    ///           10 PRICE PIC S9(3)V99 COMP-3.
    /// ")?;
    /// let rows = job.rows(&layout)?;
    /// let input = b"\xF0\xF4\xF2\xD1\x96\x85\x40\x40\xC1\xF1\x12\x34\x5C\xC2\xF2\x00\x99\x9D";
    /// for order in rows.deserialize::<Order, _>(&input[..])? {
    ///     let order = order?;
    ///     assert_eq!((order.order_id, &*order.customer), (42, "Joe"));
    ///     assert_eq!((&*order.line[1].item, order.line[1].price), ("B2", Decimal::new(-999, 2)));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Names
    ///
    /// A field of a struct has the name of an item in the layout if both have the same letters and digits, in any case:
    /// `order_id` is `ORDER-ID`. `#[serde(rename = "ORDER-ID")]` names it exactly. Added columns have to be named
    /// exactly, and so do the keys of maps. Fields that the struct does not have are ignored. A group or a field that
    /// not every record has, because it belongs to a record type, is an `Option`.
    ///
    /// A layout with record types also fits an enum: the variant is the record type, and contains the row.
    ///
    /// # Values
    ///
    /// | field | can become |
    /// |---|---|
    /// | text | `String`, `char`, an enum whose variant has this name, [`Decimal`](crate::fields::Decimal), and any type that reads text |
    /// | number | [`Decimal`](crate::fields::Decimal) and `String` with all digits; the nearest `f64` or `f32`; an integer type if it has no decimal places other than zeros, and fits; an enum whose variant is renamed to its digits |
    /// | float | `f64`, `f32`, `String` |
    /// | raw | bytes (`serde_bytes`), `Vec<u8>` and arrays of `u8`; `String` with the bytes in hex |
    /// | date | [`Date`](crate::fields::Date), `String` and any type that reads `2024-02-29` |
    /// | null | `Option` |
    /// | group | struct, map, tuple |
    /// | array | `Vec`, tuple, and any sequence |
    ///
    /// A type that takes whatever comes, such as `serde_json::Value`, gets numbers as a reader of JSON does: integers
    /// that fit into an `i64` or `u64`, and the nearest `f64` for all others. With more than 15 digits that is a
    /// rounded number. The same is true inside of `#[serde(flatten)]`, and of enums that are untagged or have their tag
    /// inside, because serde collects their values without asking for a type.
    ///
    /// # Errors
    /// Those of [`open`](Rows::open).
    pub fn deserialize<T: DeserializeOwned, R: BufRead>(&self, input: R) -> Result<DeserializeRows<T, R>, RowsError> {
        let (shape, input) = self.open(input)?;
        let (records, reader) = (self.records(input, &shape), self.reader(&shape));
        let (before, after) = self.added().iter().partition(|one| one.is_before_fields());
        Ok(DeserializeRows {
            shape,
            records,
            work: Work {
                reader,
                parents: self.parents(),
                names: Names::new(self),
                tape: Tape::default(),
                before,
                keys: self.key_columns().len(),
                after,
                file: "-".to_owned(),
                keeps_unreadable: self.keeps_unreadable(),
                mismatches: 0,
            },
            has_ended: false,
            rows: PhantomData,
        })
    }
}

/// The rows of an input, each as a `T`. Made by [`Rows::deserialize`].
///
/// # Errors
/// An item is an error if a record cannot be read, or if its row does not match `T`: a [`RowsError::Record`] with the
/// code `deserialize`, the field, and its place and bytes. The next item is the row of the next record. After any other
/// error there are no more rows.
pub struct DeserializeRows<T, R> {
    shape: Shape,
    records: Records<Opened<R>>,
    work: Work,
    has_ended: bool,
    rows: PhantomData<fn() -> T>,
}

/// The parts needed to make a row from a record.
struct Work {
    reader: RowReader,
    parents: Option<Parents>,
    names: Names,
    tape: Tape,
    /// The columns before the fields, which are not fields.
    before: Vec<AddedColumn>,
    /// How many columns with fields of the parent follow them.
    keys: usize,
    /// Those after the fields.
    after: Vec<AddedColumn>,
    /// The name of the input.
    file: String,
    keeps_unreadable: bool,
    /// How many rows did not match the type.
    mismatches: u64,
}

impl<T, R> DeserializeRows<T, R> {
    /// Sets the name of the input, for the column [`File`](AddedColumn::File). It is `-` otherwise.
    #[must_use]
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.work.file = name.into();
        self
    }

    /// Returns the shape of the records.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the counts so far. Records whose row is an error are [rejected](Counts::rejected).
    #[must_use]
    pub fn counts(&self) -> Counts {
        let counts = self.work.reader.counts;
        Counts { rejected: counts.rejected + self.work.mismatches, ..counts }
    }
}

impl<T: DeserializeOwned, R: BufRead> Iterator for DeserializeRows<T, R> {
    type Item = Result<T, RowsError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        match self.records.next_record() {
            Ok(Some(record)) => Some(self.work.row(&record)),
            Ok(None) => {
                self.has_ended = true;
                None
            }
            Err(error) => {
                self.has_ended = true;
                Some(Err(error.into()))
            }
        }
    }
}

impl<T: DeserializeOwned, R: BufRead> std::iter::FusedIterator for DeserializeRows<T, R> {}

impl<T, R> std::fmt::Debug for DeserializeRows<T, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeserializeRows").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Work {
    #[inline]
    fn row<T: DeserializeOwned>(&mut self, record: &Record<'_>) -> Result<T, RowsError> {
        self.read(record).map_err(|error| {
            let offset = record.offset_of(error.offset());
            RowsError::Record { offset, error }
        })?;
        T::deserialize(CellDeserializer(self.tape.row(&self.names))).map_err(|error| self.mismatch(record, &error))
    }

    /// Puts the row of a record on the tape.
    #[inline]
    fn read(&mut self, record: &Record<'_>) -> Result<(), FieldError> {
        self.tape.begin();
        let find = |parents: &mut Parents| parents.next(record.number, record.data);
        let parent = self.parents.as_mut().map(find).unwrap_or_default();
        if !self.before.is_empty() {
            self.add_before(record, parent);
        }
        let checked = self.reader.check_parent(record.number, parent, &mut self.tape);
        let record_type = match checked.and_then(|()| self.reader.read(record.number, record.data, &mut self.tape)) {
            Ok(row) => row.record_type,
            Err(error) if self.keeps_unreadable => {
                self.tape.begin();
                self.add_before(record, parent);
                self.tape.add_error(error);
                self.reader.read_as_null();
                self.reader.record_type(record.data)
            }
            Err(error) => {
                self.reader.reject();
                return Err(error);
            }
        };
        for column in &self.after {
            match column {
                AddedColumn::Errors => self.tape.add_errors(&self.names),
                column => self.tape.add(&self.names, *column, Value::Raw(record.data)),
            }
        }
        self.tape.end(record_type);
        Ok(())
    }

    /// Adds the columns that precede the fields.
    fn add_before(&mut self, record: &Record<'_>, parent: Parent) {
        let Work { reader, parents, names, tape, before, keys, file, .. } = self;
        for column in before {
            let integer = |number: u64| Value::Number(crate::fields::Decimal::new(number.into(), 0));
            let value = match column {
                AddedColumn::File => Value::Text(file),
                AddedColumn::Number => integer(record.number),
                AddedColumn::Offset => integer(record.offset),
                AddedColumn::Parent => parent.number().map_or(Value::Null, integer),
                _ => reader
                    .record_type(record.data)
                    .and_then(|found| names.of_type(found))
                    .map_or(Value::Null, Value::Text),
            };
            tape.add(names, *column, value);
        }
        let found = parents.as_ref().map(Parents::keys);
        for column in 0..*keys {
            tape.add_key(names, column, found.map_or(Value::Null, |found| found.value(column)));
        }
    }

    /// Returns the error for a row that does not match the type. Reads the record once more to find the place.
    #[cold]
    fn mismatch(&mut self, record: &Record<'_>, error: &BadRow) -> RowsError {
        self.mismatches += 1;
        let place = error.node().and_then(|node| {
            let mut locate = Locate::new(1 + self.before.len() + self.keys, node);
            let _ = self.reader.reader.read(record.number, record.data, &mut locate);
            locate.found
        });
        let place = place.unwrap_or_default();
        let bytes = record.data.get(place.clone()).unwrap_or_default();
        let problem = Problem::NotOfType { why: error.what().to_owned() };
        let error = FieldError::new(error.path().to_owned(), place.start, bytes, problem).in_record(record.number);
        RowsError::Record { offset: record.offset_of(place.start), error }
    }
}
