//! Writes values as the bytes of a record: [`Writer`].

use super::form::{Decode, Encode, Form, Lenience};
use super::page::Pages;
use super::plan::{Array, Count, Field, Indicator, Op, Plan, Set, Times};
use super::read::{applying, room};
use super::{BadLayout, BinaryRange, Column, FieldError, Layout, Problem, Trim, Value, ValueSource};
use crate::codec::Codec;
use crate::registry::Registry;
use std::ops::Range;
use std::sync::Arc;

/// Writes records by a [`Layout`]. Made by [`Layout::writer`].
///
/// A record that a [`Reader`](super::Reader) has read is written back byte for byte if the layout covers it, and if all
/// of its fields are [canonical](super::ReadOptions::canonical). A value that cannot be written exactly is an error:
/// nothing is rounded, truncated or replaced.
///
/// Fields without a value:
///
/// * Text and edited numbers are blank. So are places that no field covers, and `FILLER`s of text; other `FILLER`s are
///   zero.
/// * For any other field it is an error ([`Problem::Missing`]), unless another field that shares its place has a value.
///
/// If several fields share bytes (`REDEFINES` without conditions), those that have a value must agree on them.
///
/// ```
/// use charpipe::fields::{Item, FieldKind, Layout, Packed, Value};
///
/// let layout = Layout::new(vec![
///     Item::field(5, "NAME", FieldKind::text(5)),
///     Item::field(5, "AMOUNT", FieldKind::Packed(Packed::new(5, 2))),
/// ])?;
/// let registry = charpipe::Registry::builtin();
/// let mut writer = layout.writer(&registry, &registry.codec("IBM037")?)?;
///
/// let mut record = Vec::new();
/// writer.write(1, &mut &[Some(Value::Text("Joe")), Some(Value::Text("-123.45"))][..], &mut record)?;
/// assert_eq!(record, b"\xD1\x96\x85\x40\x40\x12\x34\x5D");
///
/// let values = [Some(Value::Text("Joe")), Some(Value::Text("0.125"))];
/// let error = writer.write(2, &mut &values[..], &mut record).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "record 2, field AMOUNT, column 6: \"0.125\" does not fit; expected at most 2 decimal places"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    plan: Arc<Plan>,
    encode: Encode,
    /// Evaluates conditions on what was written.
    decode: Decode,
    /// The places that conditions and null indicators need.
    places: Vec<Range<usize>>,
    /// The fields in these places. They are written first.
    tested: Vec<Early>,
    /// For each item, whether it is zero if it has no value; nothing if no item is.
    zeros: Vec<bool>,
    counts: Vec<Count>,
    at: Vec<usize>,
    marks: Vec<Mark>,
}

/// A field that is written before the others: its place in the plan, which does not vary.
#[derive(Clone, Debug)]
struct Early {
    offset: usize,
    len: usize,
    item: usize,
    column: usize,
    form: Form,
    /// Whether it is in an alternative with a condition, so that not every record has it.
    is_conditional: bool,
}

/// The state of a byte of the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// Nothing.
    Free,
    /// Spaces or zeros, because a field has no value.
    Filled,
    /// A value.
    Written,
}

impl Layout {
    /// Makes a writer. `codec` and `registry` have the same meaning as for [`reader`](Self::reader).
    ///
    /// # Errors
    /// Those of [`reader`](Self::reader). [`BadLayout`] if a code page can only be read.
    pub fn writer(&self, registry: &Registry, codec: &Arc<dyn Codec>) -> Result<Writer, BadLayout> {
        let bad = |what| BadLayout::at(0, 0, what);
        let mut pages = Pages::new(codec, true).map_err(bad)?;
        let selected = self.items().iter().map(|item| !item.is_group()).collect();
        let plan = Plan::new(self, registry, &mut pages, selected)?;
        let decode = Decode::new(pages.clone(), room(self), Trim::Blanks, Lenience::default());
        let mut places = Vec::new();
        conditions(&plan.ops, &mut places);
        let mut tested = Vec::new();
        early(&plan.ops, &places, false, &mut tested);
        let counts = vec![Count::default(); plan.counts];
        let encode = Encode::new(pages);
        let (zeros, at, marks) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Writer { plan, encode, decode, places, tested, zeros, counts, at, marks })
    }
}

/// Collects the places that conditions test, and those of null indicators.
fn conditions(ops: &[Op], places: &mut Vec<Range<usize>>) {
    for op in ops {
        match op {
            Op::Field(field) => places.extend(field.indicator.as_ref().and_then(Indicator::fixed_place)),
            Op::Group { body, .. } => conditions(body, places),
            Op::Array(array) => conditions(&array.body, places),
            Op::Set(set) => {
                for one in &set.alternatives {
                    let checks = one.checks.iter().flatten().filter(|check| !check.is_beside());
                    places.extend(checks.map(|check| check.place(0)));
                    conditions(&one.body, places);
                }
            }
        }
    }
}

/// Collects the fields in these places, up to the first array whose count varies. Returns `false` if what follows
/// moves.
///
/// Fields in alternatives belong to them, because each of several record descriptions can have its own field for the
/// record type. Only the fields of the alternative that applies have values.
fn early(ops: &[Op], places: &[Range<usize>], is_conditional: bool, fields: &mut Vec<Early>) -> bool {
    ops.iter().all(|op| match op {
        Op::Field(field) => {
            let end = field.offset + field.len;
            if places.iter().any(|place| place.start < end && field.offset < place.end) {
                let Field { offset, len, item, column, form, .. } = *field;
                fields.push(Early { offset, len, item, column, form, is_conditional });
            }
            true
        }
        Op::Group { body, .. } => early(body, places, is_conditional, fields),
        Op::Array(array) => !array.varies,
        Op::Set(set) => {
            for one in &set.alternatives {
                early(&one.body, places, is_conditional || set.is_conditional, fields);
            }
            !set.varies
        }
    })
}

/// Collects the fields of alternatives in an array that are in the places that their conditions test in the same
/// element, and where these places end. All other fields in these places are before the alternatives.
fn beside(set: &Set) -> (Vec<Early>, Option<usize>) {
    let checks = set.alternatives.iter().flat_map(|one| &one.checks).flatten();
    let places: Vec<Range<usize>> = checks.filter(|check| check.is_beside()).map(|check| check.place(0)).collect();
    let mut fields = Vec::new();
    if !places.is_empty() {
        for one in &set.alternatives {
            early(&one.body, &places, true, &mut fields);
        }
    }
    (fields, places.iter().map(|place| place.end).max())
}

impl Clone for Writer {
    fn clone(&self) -> Self {
        let Decode { pages, trim, lenience, .. } = &self.decode;
        Writer {
            plan: self.plan.clone(),
            encode: self.encode.clone(),
            decode: Decode::new(pages.clone(), room(&self.plan.layout), *trim, *lenience),
            places: self.places.clone(),
            tested: self.tested.clone(),
            zeros: self.zeros.clone(),
            counts: self.counts.clone(),
            at: Vec::new(),
            marks: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("layout", &self.plan.layout).finish_non_exhaustive()
    }
}

impl Writer {
    /// Returns the layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    /// Returns the columns of a flat row: all fields, `FILLER`s as well, in the order of the layout.
    ///
    /// # Errors
    /// Those of [`Reader::columns`](super::Reader::columns).
    pub fn columns(&self) -> Result<Vec<Column>, BadLayout> {
        self.plan.columns()
    }

    /// Sets which numbers fit into a binary field. The default is [`BinaryRange::Full`].
    #[must_use]
    pub fn binary_range(mut self, range: BinaryRange) -> Self {
        self.encode.binary_range = range;
        self
    }

    /// Sets which items are zero if they have no value. Nothing: none.
    pub(crate) fn zeros(self, zeros: Vec<bool>) -> Self {
        Writer { zeros, ..self }
    }

    /// Replaces the contents of `record` with a record of the values that `source` has. `number` is the number of the
    /// row, from 1, for errors.
    ///
    /// # Errors
    /// [`FieldError`]: a value that does not fit its field, a missing value, a count out of bounds, values for
    /// occurrences beyond the count or for alternatives that do not apply, contradicting values. The next record can be
    /// written.
    pub fn write<S: ValueSource>(
        &mut self,
        number: u64,
        source: &mut S,
        record: &mut Vec<u8>,
    ) -> Result<(), FieldError> {
        let Writer { plan, encode, decode, places, tested, zeros, counts, at, marks } = self;
        at.clear();
        marks.clear();
        record.clear();
        let missing = Vec::new();
        let (sets, end) = (0, 0);
        let mut run =
            Run { plan, encode, decode, zeros, counts, at, record, marks, number, source, missing, sets, end };
        for field in &*tested {
            run.early(field, 0, 0)?;
        }
        run.fill_tested(places);
        run.ops(&plan.ops, 0, 0)?;
        run.finish();
        Ok(())
    }
}

/// Writes one record.
struct Run<'r, S> {
    plan: &'r Plan,
    encode: &'r mut Encode,
    decode: &'r mut Decode,
    zeros: &'r [bool],
    counts: &'r mut [Count],
    at: &'r mut Vec<usize>,
    record: &'r mut Vec<u8>,
    /// One for each byte of the record.
    marks: &'r mut Vec<Mark>,
    number: u64,
    source: &'r mut S,
    /// Fields without a value that are in alternatives: another one may have it.
    missing: Vec<(Range<usize>, FieldError)>,
    /// How many alternatives this is in.
    sets: usize,
    /// Where the last field ends.
    end: usize,
}

impl<S: ValueSource> Run<'_, S> {
    /// Writes a field that a condition needs, if it has a value. An empty text in an alternative is not a value: it
    /// says that the record does not have the field.
    fn early(&mut self, field: &Early, base: usize, from: usize) -> Result<(), FieldError> {
        let Early { offset, len, item, column, form, is_conditional } = *field;
        let has_value = match self.source.value(item, from + column) {
            None | Some(Value::Null) => false,
            Some(Value::Text(text)) if is_conditional => !text.trim_matches(' ').is_empty(),
            Some(_) => true,
        };
        match has_value {
            true => {
                let (count, indicator) = (None, None);
                self.field(&Field { offset, len, column, item, form, is_selected: true, count, indicator }, base, from)
            }
            false => Ok(()),
        }
    }

    /// Fills the rest of the tested places with spaces, as if they had no field: a field that has no value yet may get
    /// one later.
    fn fill_tested(&mut self, places: &[Range<usize>]) {
        let len = places.iter().map(|place| place.end).max().unwrap_or(0).min(self.plan.layout.max_len());
        self.reach(len);
        self.fill_gaps();
    }

    /// Ends the record after its last field.
    fn finish(&mut self) {
        self.record.truncate(self.end);
        self.marks.truncate(self.end);
        self.fill_gaps();
    }

    /// Makes the record at least `len` bytes long.
    fn grow(&mut self, len: usize) {
        self.end = self.end.max(len);
        self.reach(len);
    }

    /// Makes room for `len` bytes, which need not all belong to the record.
    fn reach(&mut self, len: usize) {
        if self.record.len() < len {
            self.record.resize(len, 0);
            self.marks.resize(len, Mark::Free);
        }
    }

    /// As when reading, returns by how much arrays of varying count made the group longer.
    fn ops(&mut self, ops: &[Op], base: usize, column: usize) -> Result<usize, FieldError> {
        let mut grown = 0;
        for op in ops {
            match op {
                Op::Field(field) => self.field(field, base + grown, column)?,
                Op::Group { body, .. } => grown += self.ops(body, base + grown, column)?,
                Op::Array(array) => grown += self.array(array, base + grown, column)?,
                Op::Set(set) => grown += self.set(set, base + grown, column)?,
            }
        }
        Ok(grown)
    }

    fn field(&mut self, field: &Field, base: usize, column: usize) -> Result<(), FieldError> {
        let place = base + field.offset..base + field.offset + field.len;
        self.grow(place.end);
        if let Some(indicator) = field.indicator.filter(|indicator| indicator.is_beside) {
            self.beside(&indicator, base, column)?;
        }
        let null = field.indicator.filter(|indicator| indicator.is_null(self.decode, self.record, base));
        let value = match (self.source.value(field.item, column + field.column), null) {
            (None, _) => Value::Null,
            (Some(Value::Text(text)), Some(_)) if text.trim_matches(' ').is_empty() => Value::Null,
            (Some(value), Some(indicator)) if !matches!(value, Value::Null | Value::Raw(_)) => {
                let problem = Problem::NotNull {
                    value: value.to_string(),
                    indicator: self.plan.layout.path(indicator.item).to_owned(),
                };
                return Err(self.error(field.item, place.start, problem));
            }
            (Some(value), _) => value,
        };
        let is_free = !self.marks[place.clone()].contains(&Mark::Written);
        let before = if is_free { Vec::new() } else { self.record[place.clone()].to_vec() };
        match self.encode.value(&field.form, value, &mut self.record[place.clone()]) {
            Ok(true) if is_free => self.marks[place.clone()].fill(Mark::Written),
            Ok(true) => self.compare(field, place.clone(), before)?,
            Ok(false) => self.no_value(field, place.clone(), null.is_some())?,
            Err(problem) => return Err(self.error(field.item, place.start, problem)),
        }
        match field.count {
            Some(count) => self.count(field, place, count),
            None => Ok(()),
        }
    }

    /// Writes the indicator that is beside a field, if it has a value: the field needs it.
    fn beside(&mut self, indicator: &Indicator, base: usize, from: usize) -> Result<(), FieldError> {
        let Indicator { item, offset, len, form, column, .. } = *indicator;
        if matches!(self.source.value(item, from + column), None | Some(Value::Null)) {
            return Ok(());
        }
        let (count, indicator) = (None, None);
        self.field(&Field { offset, len, column, item, form, is_selected: true, count, indicator }, base, from)
    }

    /// Checks that a value has not changed bytes that an earlier one had written, which were `before`.
    fn compare(&mut self, field: &Field, place: Range<usize>, before: Vec<u8>) -> Result<(), FieldError> {
        let marks = &mut self.marks[place.clone()];
        let mut changed = marks.iter().zip(&before).zip(&self.record[place.clone()]);
        if changed.any(|((mark, before), now)| *mark == Mark::Written && before != now) {
            return Err(self.error(field.item, place.start, Problem::Conflict { written: before }));
        }
        marks.fill(Mark::Written);
        Ok(())
    }

    /// Fills a field that has no value, or notes that it needs one, unless `is_null`.
    fn no_value(&mut self, field: &Field, place: Range<usize>, is_null: bool) -> Result<(), FieldError> {
        let is_written = |mark: &Mark| *mark == Mark::Written;
        if self.marks[place.clone()].iter().all(is_written) {
            return Ok(());
        }
        let item = &self.plan.layout.items()[field.item];
        let is_blank = field.form.is_text() || matches!(field.form, Form::Edited(_));
        let is_zero = is_null || item.name.is_none() || self.zeros.get(field.item) == Some(&true);
        if !is_blank && !is_zero {
            let error = self.error(field.item, place.start, Problem::Missing);
            if self.sets == 0 {
                return Err(error);
            }
            self.missing.push((place.clone(), error));
        }
        let mut filling = vec![0; place.len()];
        self.encode.fill(&field.form, &mut filling);
        for ((byte, mark), fill) in self.record[place.clone()].iter_mut().zip(&mut self.marks[place]).zip(filling) {
            if !is_written(mark) {
                (*byte, *mark) = (fill, Mark::Filled);
            }
        }
        Ok(())
    }

    fn count(&mut self, field: &Field, place: Range<usize>, count: usize) -> Result<(), FieldError> {
        let bytes = &self.record[place.clone()];
        let value = match self.plan.count(self.decode, &field.form, count, bytes) {
            Err(Problem::UnknownCount) => {
                let error = FieldError::new(
                    self.plan.layout.path_at(field.item, self.at),
                    place.start,
                    bytes,
                    Problem::UnknownCount,
                );
                return Err(error.in_record(self.number));
            }
            value => value.ok(),
        };
        self.counts[count] = Count { value, offset: place.start, len: place.len() };
        Ok(())
    }

    #[cold]
    fn error(&self, item: usize, offset: usize, problem: Problem) -> FieldError {
        FieldError::new(self.plan.layout.path_at(item, self.at), offset, &[], problem).in_record(self.number)
    }

    fn array(&mut self, array: &Array, base: usize, column: usize) -> Result<usize, FieldError> {
        let (plan, at) = (self.plan, &*self.at);
        let count = match array.times.get(self.counts, || plan.layout.path_at(array.item, at)) {
            Ok(count) => count,
            Err((found, problem)) => {
                let item = if let Times::Counted { counter, .. } = array.times { counter } else { array.item };
                return Err(self.error(item, found.offset, problem));
            }
        };
        let mut grown = 0;
        for occurrence in 0..count {
            let base = base + array.offset + occurrence * array.stride + grown;
            self.at.push(occurrence);
            grown += self.ops(&array.body, base, column + array.column + occurrence * array.columns)?;
            self.at.pop();
        }
        for occurrence in count..array.times.max() {
            self.at.push(occurrence);
            self.no_values(&array.body, column + array.column + occurrence * array.columns)?;
            self.at.pop();
        }
        Ok(if array.varies { count * array.stride + grown } else { 0 })
    }

    /// Checks that there are no values for fields that the record does not have.
    fn no_values(&mut self, ops: &[Op], column: usize) -> Result<(), FieldError> {
        for op in ops {
            match op {
                Op::Field(field) => match self.source.value(field.item, column + field.column) {
                    None | Some(Value::Null | Value::Text("")) => {}
                    Some(value) => {
                        let (value, item) = (value.to_string(), field.item);
                        let expected = "no value, because the record does not have this field".into();
                        return Err(self.error(item, 0, Problem::DoesNotFit { value, expected }));
                    }
                },
                Op::Group { body, .. } => self.no_values(body, column)?,
                Op::Array(array) => {
                    for occurrence in 0..array.times.max() {
                        self.at.push(occurrence);
                        self.no_values(&array.body, column + array.column + occurrence * array.columns)?;
                        self.at.pop();
                    }
                }
                Op::Set(set) => set.alternatives.iter().try_for_each(|one| self.no_values(&one.body, column))?,
            }
        }
        Ok(())
    }

    fn set(&mut self, set: &Set, base: usize, column: usize) -> Result<usize, FieldError> {
        if set.is_conditional {
            let (fields, end) = beside(set);
            self.reach(end.map_or(0, |end| base + end));
            fields.iter().try_for_each(|field| self.early(field, base, column))?;
            let Some(one) = applying(self.decode, set, self.record, base) else {
                let known = self.plan.known_types(set);
                return Err(self.error(set.item, base, Problem::UnknownType { known }));
            };
            let grown = self.ops(&one.body, base, column)?;
            for other in set.alternatives.iter().filter(|other| other.item != one.item) {
                self.no_values(&other.body, column)?;
            }
            return Ok((one.end + grown).saturating_sub(set.end));
        }
        self.sets += 1;
        let mut end = set.end;
        for one in &set.alternatives {
            end = end.max(one.end + self.ops(&one.body, base, column)?);
        }
        self.sets -= 1;
        if self.sets == 0 {
            for (place, error) in std::mem::take(&mut self.missing) {
                if !self.marks[place].iter().all(|mark| *mark == Mark::Written) {
                    return Err(error);
                }
            }
        }
        Ok(end - set.end)
    }

    /// Fills the places that no field covers with spaces.
    fn fill_gaps(&mut self) {
        for (byte, mark) in self.record.iter_mut().zip(&*self.marks) {
            if *mark == Mark::Free {
                let _ = self.encode.pages.main().fill(std::slice::from_mut(byte));
            }
        }
    }
}
