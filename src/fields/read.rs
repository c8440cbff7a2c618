//! Reads values from the bytes of a record: [`Reader`].

use super::form::{Decode, Encode, Form, Lenience};
use super::page::{Pages, Repair};
use super::plan::{Alternative, Array, Count, Field, Op, Plan, Set};
use super::{BadLayout, Column, FieldError, Layout, OnBad, Problem, Trim, Value, Visitor};
use crate::codec::{Codec, MIN_ROOM};
use crate::records::overlong::OnOverlong;
use crate::registry::Registry;
use std::ops::Range;
use std::sync::Arc;

/// How a [`Reader`] reads.
///
/// ```
/// use charpipe::fields::{OnBad, ReadOptions};
///
/// let options = ReadOptions::new().on_bad(OnBad::Null).select(["ID", "ADDRESS"]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    pub(super) trim: Trim,
    pub(crate) on_bad: OnBad,
    pub(super) lenience: Lenience,
    pub(crate) canonical: bool,
    fillers: bool,
    short_records: bool,
    pub(crate) overlong: OnOverlong,
    pub(crate) select: Option<Vec<String>>,
}

impl ReadOptions {
    /// Returns the defaults: spaces at the end of text are removed, bad fields are errors, and all fields with a name
    /// are selected.
    #[must_use]
    pub fn new() -> Self {
        ReadOptions::default()
    }

    /// Sets what to remove from the end of text.
    #[must_use]
    pub fn trim(self, trim: Trim) -> Self {
        ReadOptions { trim, ..self }
    }

    /// Sets what to do with a field whose bytes are not a value of its kind.
    #[must_use]
    pub fn on_bad(self, on_bad: OnBad) -> Self {
        ReadOptions { on_bad, ..self }
    }

    /// Sets whether a zoned or packed number that consists of spaces or of low-values (00) is [`Value::Null`] and not
    /// an error, and whether text of low-values is. They are [counted](Row::bad). In binary numbers, low-values are
    /// zero, and spaces are a number.
    #[must_use]
    pub fn empty_is_null(self, empty_is_null: bool) -> Self {
        ReadOptions { lenience: Lenience { empty_is_null, ..self.lenience }, ..self }
    }

    /// Sets whether spaces or low-values (00) may follow the digits of a zoned number, as in `12 `, which is 12 then.
    /// Such numbers are [counted](Row::loose).
    #[must_use]
    pub fn loose_numbers(self, loose_numbers: bool) -> Self {
        ReadOptions { lenience: Lenience { loose_numbers, ..self.lenience }, ..self }
    }

    /// Sets whether a field is bad if a [`Writer`](super::Writer) would write its value as other bytes: a packed number
    /// with a sign of A, for example, or F in a signed field. Together with [`OnBad::Raw`], every record that the
    /// layout covers is written back byte for byte.
    ///
    /// Bytes that no field covers must be those that a writer puts there: spaces between fields, and nothing after the
    /// last one. In records [of a fixed length](Reader::fixed_length), spaces may follow, with which records are filled
    /// up. Anything else is an error even with [`OnBad::Raw`], because no field contains these bytes. Records cannot be
    /// [cut](OnOverlong::Cut) then.
    #[must_use]
    pub fn canonical(self, canonical: bool) -> Self {
        ReadOptions { canonical, ..self }
    }

    /// Sets whether fields without a name (`FILLER`) are read as well.
    #[must_use]
    pub fn fillers(self, fillers: bool) -> Self {
        ReadOptions { fillers, ..self }
    }

    /// Sets whether a record may end before its layout does. Text that the end of the record cuts is shorter then, and
    /// fields after it are [`Value::Null`]. Otherwise these fields are bad, and always if fields must be
    /// [canonical](Self::canonical), because a writer would write them in full.
    #[must_use]
    pub fn short_records(self, short_records: bool) -> Self {
        ReadOptions { short_records, ..self }
    }

    /// Sets what to do with a record that is longer than the layout says: an error by default
    /// ([`Problem::RecordTooLong`]), or the rest is [left out](Row::cut).
    ///
    /// A record may be longer than its type, up to the length of the layout; these bytes are [unused](Row::unused).
    /// This does not apply if the layout has counts, because a wrong count would not be found.
    #[must_use]
    pub fn overlong(self, overlong: OnOverlong) -> Self {
        ReadOptions { overlong, ..self }
    }

    /// Selects fields, by name or path; see [`Layout::find`]. A group selects all of its fields. All other fields are
    /// not decoded, except those that a count or a condition needs.
    #[must_use]
    pub fn select<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        ReadOptions { select: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// Returns for each item whether it is selected.
    fn selected(&self, layout: &Layout) -> Result<Vec<bool>, BadLayout> {
        let is_read = |index: usize| {
            let item = &layout.items()[index];
            !item.is_group() && (self.fillers || item.name.is_some())
        };
        let count = layout.items().len();
        let Some(names) = &self.select else { return Ok((0..count).map(is_read).collect()) };
        let mut selected = vec![false; count];
        for name in names {
            let found = layout.find(name)?;
            selected[found] = !layout.items()[found].is_group();
            for (index, is_selected) in selected.iter_mut().enumerate().take(layout.placed(found).end).skip(found + 1) {
                *is_selected |= is_read(index);
            }
        }
        Ok(selected)
    }
}

/// The result of reading a record, besides its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The record type: the item whose condition held. `None` if the layout has no conditions. If alternatives contain
    /// other alternatives, it is the outermost one. Alternatives in arrays are not types of the record.
    pub record_type: Option<usize>,
    /// The length that the layout gives this record, in bytes, with the [unused](Self::unused) ones.
    pub len: usize,
    /// The number of bytes after these, which were not read. More than 0 only with [`OnOverlong::Cut`].
    pub cut: usize,
    /// The number of bytes at the end of these that no field covers. In records of a fixed length, a record type that
    /// is shorter than the others leaves them. A [`Writer`](super::Writer) does not write them.
    pub unused: usize,
    /// The number of bad fields that became null or raw, and of
    /// [empty fields that became null](ReadOptions::empty_is_null).
    pub bad: u64,
    /// The number of numbers with [spaces after their digits](ReadOptions::loose_numbers).
    pub loose: u64,
    /// The number of [malformed sequences](crate::rows::RowsJob::on_malformed) in text that were replaced, or left out.
    pub malformed: u64,
}

/// Reads records by a [`Layout`]. Made by [`Layout::reader`].
///
/// A reader is made once and then reads any number of records, without allocating memory for them. A clone works
/// independently, in another thread for example.
///
/// ```
/// use charpipe::fields::{FieldError, Item, FieldKind, Layout, Packed, ReadOptions, Value, Visitor};
///
/// let layout = Layout::new(vec![
///     Item::field(5, "NAME", FieldKind::text(5)),
///     Item::field(5, "AMOUNT", FieldKind::Packed(Packed::new(5, 2))),
/// ])?;
///
/// struct Line(String);
///
/// impl Visitor for Line {
///     type Error = FieldError;
///
///     fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
///         self.0 += &format!("{column}={value};");
///         Ok(())
///     }
/// }
///
/// let registry = charpipe::Registry::builtin();
/// let mut reader = layout.reader(&registry, &registry.codec("IBM037")?, &ReadOptions::new())?;
/// let mut line = Line(String::new());
/// reader.read(1, b"\xD1\x96\x85\x40\x40\x12\x34\x5D", &mut line)?;
/// assert_eq!(line.0, "0=Joe;1=-123.45;");
///
/// let error = reader.read(2, b"\xD1\x96\x85\x40\x40\x40\x40\x40", &mut line).unwrap_err();
/// assert_eq!(error.code(), "bad-number");
/// assert!(error.to_string().starts_with("record 2, field AMOUNT, columns 6-8: 40 40 40 is not a number"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader {
    pub(super) plan: Arc<Plan>,
    pub(super) decode: Decode,
    /// Writes values back, if that is to be checked.
    pub(super) exact: Option<Exact>,
    on_bad: OnBad,
    short_records: bool,
    overlong: OnOverlong,
    counts: Vec<Count>,
    at: Vec<usize>,
}

/// Finds out whether a record would be written back byte for byte.
#[derive(Clone)]
pub(super) struct Exact {
    encode: Encode,
    /// Whether records are filled up with spaces to a fixed length.
    is_filled: bool,
    /// For each byte of the record, whether a field covers it.
    covered: Vec<bool>,
    /// Where the last field ends.
    end: usize,
}

impl Exact {
    /// Notes the place of a field in the record.
    fn cover(&mut self, place: Range<usize>) {
        self.end = self.end.max(place.end);
        self.covered[place].fill(true);
    }

    /// Returns the bytes from `begin` to `end` of the record that a writer would write as others, and those others;
    /// nothing if there are none.
    fn changed<'r>(&self, record: &'r [u8], begin: usize, end: usize) -> Option<(usize, &'r [u8], Vec<u8>)> {
        let mut blank = [0];
        // As the writer does it: each byte on its own, and 00 if a space does not fit.
        let _ = self.encode.pages.main().fill(&mut blank);
        let is_gap = |at: &usize| !self.covered[*at];
        let first = (begin..end).find(|at| is_gap(at) && record[*at] != blank[0])?;
        let len = (first..end).take_while(is_gap).count();
        Some((first, &record[first..first + len], blank.repeat(len)))
    }
}

impl Layout {
    /// Makes a reader.
    ///
    /// `codec` is the code page of the records: it decodes text whose kind does not name a page, and determines the
    /// character set of zoned numbers. `registry` has the pages that fields name.
    ///
    /// # Errors
    /// [`BadLayout`] if a selected name is not in the layout, if a field names an unknown code page, or if a value in a
    /// condition is not one of its field's kind. Also if fields must be [canonical](ReadOptions::canonical) while
    /// records may be [cut](ReadOptions::overlong).
    pub fn reader(
        &self,
        registry: &Registry,
        codec: &Arc<dyn Codec>,
        options: &ReadOptions,
    ) -> Result<Reader, BadLayout> {
        let bad = |what| BadLayout::at(0, 0, what);
        if options.canonical && options.overlong == OnOverlong::Cut {
            return Err(bad(
                "records that are cut cannot be written back: canonical fields and OnOverlong::Cut exclude \
                            each other"
                    .to_owned(),
            ));
        }
        let selected = options.selected(self)?;
        let mut pages = Pages::new(codec, options.canonical).map_err(bad)?;
        let plan = Plan::new(self, registry, &mut pages, selected)?;
        let exact = options.canonical.then(|| {
            let encode = Encode::new(pages.clone());
            Exact { encode, is_filled: false, covered: Vec::new(), end: 0 }
        });
        let decode = Decode::new(pages, room(self), options.trim, options.lenience);
        let counts = vec![Count::default(); plan.counts];
        let ReadOptions { on_bad, short_records, overlong, .. } = *options;
        Ok(Reader { plan, decode, exact, on_bad, short_records, overlong, counts, at: Vec::new() })
    }
}

/// Returns the largest size of the buffer for text. The buffer gets as large as the fields need, which is a sixteenth
/// of it; only for a table that turns a few bytes into long text, it gets larger.
pub(super) fn room(layout: &Layout) -> usize {
    let lens = layout.items().iter().filter_map(|item| item.kind.as_ref()).map(super::FieldKind::len);
    lens.max().unwrap_or(0).saturating_add(MIN_ROOM).saturating_mul(16 * 4)
}

impl Clone for Reader {
    fn clone(&self) -> Self {
        let Decode { pages, trim, lenience, repair, .. } = &self.decode;
        Reader {
            plan: self.plan.clone(),
            decode: Decode::new(pages.clone(), room(&self.plan.layout), *trim, *lenience).repair(repair.clone()),
            exact: self.exact.clone(),
            on_bad: self.on_bad,
            short_records: self.short_records,
            overlong: self.overlong,
            counts: self.counts.clone(),
            at: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("layout", &self.plan.layout).finish_non_exhaustive()
    }
}

impl Reader {
    /// Returns the layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    /// Says whether all records of the file have the same length ([`Shape::lrecl`](crate::records::Shape::lrecl)), so
    /// that they are filled up with spaces when they are written. This matters only for
    /// [canonical](ReadOptions::canonical) fields; if it is not called, records end with their last field.
    #[must_use]
    pub fn fixed_length(mut self, is_fixed: bool) -> Self {
        if let Some(exact) = &mut self.exact {
            exact.is_filled = is_fixed;
        }
        self
    }

    /// Sets what happens to malformed bytes in text. Conditions do not depend on it.
    pub(crate) fn repair(mut self, repair: Option<Repair>) -> Self {
        self.decode.repair = repair;
        self
    }

    /// Returns the columns of a flat row: the selected fields, in the order of the layout.
    ///
    /// # Errors
    /// [`BadLayout`] if there are more than 1,048,576, because of large arrays, or if their names are longer than 16
    /// MiB in total. This is found out before any name is made.
    pub fn columns(&self) -> Result<Vec<Column>, BadLayout> {
        self.plan.columns()
    }

    /// Returns whether an item is selected: a field, or a group or array with selected fields in it.
    #[must_use]
    pub fn is_selected(&self, item: usize) -> bool {
        self.plan.is_selected(item)
    }

    /// Reads a record and gives its values to `visitor`. `number` is the number of the record, from 1, for errors.
    ///
    /// # Errors
    /// [`FieldError`], or the error of the visitor. The visitor has received all values before the error. The next
    /// record can be read. A field that contains a count must be valid even if bad fields are [null](OnBad::Null),
    /// because it determines where everything after the array is. Only a count of 0 may be less than the smallest one
    /// then: the array has no elements, and the count is [counted](Row::bad) as a bad field.
    pub fn read<V: Visitor>(&mut self, number: u64, record: &[u8], visitor: &mut V) -> Result<Row, V::Error> {
        let Reader { plan, decode, exact, on_bad, short_records, overlong, counts, at } = self;
        at.clear();
        if let Some(exact) = exact {
            exact.end = 0;
            exact.covered.clear();
            exact.covered.resize(record.len(), false);
        }
        (decode.loosely_read, decode.repaired) = (0, 0);
        let row = Row { record_type: None, len: plan.len, cut: 0, unused: 0, bad: 0, loose: 0, malformed: 0 };
        let mut run = Run {
            plan,
            decode,
            exact: exact.as_mut(),
            on_bad: *on_bad,
            short_records: *short_records,
            overlong: *overlong,
            counts,
            at,
            record,
            number,
            visitor,
            row,
            shorter: None,
        };
        let grown = run.ops(&plan.ops, 0, 0)?;
        run.row.len += grown;
        run.end()?;
        (run.row.loose, run.row.malformed) = (run.decode.loosely_read, run.decode.repaired);
        Ok(run.row)
    }

    /// Returns the record type: the item whose condition holds, as [`read`](Self::read) finds it. `None` if the layout
    /// has no conditions, or if none holds.
    ///
    /// This decodes only what the conditions need.
    pub fn record_type(&mut self, record: &[u8]) -> Option<usize> {
        fn first(decode: &mut Decode, ops: &[Op], record: &[u8]) -> Option<usize> {
            ops.iter().find_map(|op| match op {
                Op::Set(set) if set.is_conditional => applying(decode, set, record, 0).map(|one| one.item),
                Op::Set(set) => set.alternatives.iter().find_map(|one| first(decode, &one.body, record)),
                Op::Group { body, .. } => first(decode, body, record),
                Op::Field(_) | Op::Array(_) => None,
            })
        }
        first(&mut self.decode, &self.plan.ops, record)
    }
}

/// Returns the alternative that applies to a record, or to the element of an array whose offsets are from `base`. This
/// does not depend on what else fields may contain.
pub(super) fn applying<'s>(decode: &mut Decode, set: &'s Set, record: &[u8], base: usize) -> Option<&'s Alternative> {
    decode.plainly(|decode| first_that_holds(decode, set, record, base))
}

/// Returns the first alternative whose condition holds, or else the one for all other records.
fn first_that_holds<'s>(decode: &mut Decode, set: &'s Set, record: &[u8], base: usize) -> Option<&'s Alternative> {
    let mut otherwise = None;
    for one in &set.alternatives {
        match &one.checks {
            Some(checks) if checks.is_empty() => otherwise = otherwise.or(Some(one)),
            Some(checks) if checks.iter().all(|check| check.holds(decode, record, base)) => return Some(one),
            _ => {}
        }
    }
    otherwise
}

/// Reads one record.
struct Run<'r, V> {
    plan: &'r Plan,
    decode: &'r mut Decode,
    exact: Option<&'r mut Exact>,
    on_bad: OnBad,
    short_records: bool,
    overlong: OnOverlong,
    counts: &'r mut [Count],
    /// The occurrences of the arrays that this is in, from 0.
    at: &'r mut Vec<usize>,
    record: &'r [u8],
    number: u64,
    visitor: &'r mut V,
    row: Row,
    /// The alternative that ends the record, if it is shorter than another one.
    shorter: Option<&'r Alternative>,
}

impl<'r, V: Visitor> Run<'r, V> {
    /// Runs the operations of a group whose offsets count from `base`, and its columns from `column`. Returns by how
    /// much arrays of varying count made it longer. There is one for each kind of visitor, and it is large.
    #[inline(never)]
    fn ops(&mut self, ops: &'r [Op], base: usize, column: usize) -> Result<usize, V::Error> {
        let mut grown = 0;
        for op in ops {
            match op {
                Op::Field(field) => self.field(field, base + grown, column)?,
                Op::Group { item, is_selected, body } => {
                    if *is_selected {
                        self.visitor.begin_group(*item)?;
                    }
                    grown += self.ops(body, base + grown, column)?;
                    if *is_selected {
                        self.visitor.end_group(*item)?;
                    }
                }
                Op::Array(array) => grown += self.array(array, base + grown, column)?,
                Op::Set(set) => grown += self.set(set, base + grown, column)?,
            }
        }
        Ok(grown)
    }

    #[inline]
    fn field(&mut self, field: &Field, base: usize, column: usize) -> Result<(), V::Error> {
        let offset = base + field.offset;
        let bytes = self.record.get(offset..).and_then(|rest| rest.get(..field.len));
        if let Some(count) = field.count {
            self.count(field, offset, bytes, count)?;
        }
        if let (Some(exact), Some(_)) = (self.exact.as_deref_mut(), bytes) {
            exact.cover(offset..offset + field.len);
        }
        if !field.is_selected {
            return Ok(());
        }
        self.visitor.place(field.item, column + field.column, offset..offset + field.len)?;
        let Some(bytes) = bytes else { return self.too_short(field, offset, column) };
        if let Some(indicator) = &field.indicator
            && indicator.is_null(self.decode, self.record, base)
        {
            return self.null(field, offset, column, bytes);
        }
        if self.exact.is_none() {
            if let Some(number) = Decode::plain_number(&field.form, bytes) {
                return self.visitor.value(field.item, column + field.column, Value::Number(number));
            }
            if let Some(text) = self.decode.plain_text(&field.form, bytes) {
                return deliver_text(self.visitor, field, column, text);
            }
        }
        self.other_value(field, offset, column, bytes)
    }

    /// Reads a field that is not a plain number, or that must be written back as it is.
    fn other_value(&mut self, field: &Field, offset: usize, column: usize, bytes: &[u8]) -> Result<(), V::Error> {
        let problem = match self.decode.value(&field.form, bytes) {
            Ok(value) => {
                match self.exact.as_mut().and_then(|exact| not_canonical(&mut exact.encode, &field.form, value, bytes))
                {
                    None => {
                        self.row.bad += u64::from(matches!(value, Value::Null));
                        return deliver(self.visitor, field, column, value);
                    }
                    Some(problem) => problem,
                }
            }
            Err(problem) => problem,
        };
        self.bad(field, offset, column, bytes, problem)
    }

    /// Reads a field whose indicator says that it has no value.
    fn null(&mut self, field: &Field, offset: usize, column: usize, bytes: &[u8]) -> Result<(), V::Error> {
        if let Some(exact) = self.exact.as_mut() {
            let mut canonical = vec![0; bytes.len()];
            exact.encode.fill(&field.form, &mut canonical);
            if canonical != bytes {
                return self.bad(field, offset, column, bytes, Problem::NotCanonical { canonical });
            }
        }
        deliver(self.visitor, field, column, Value::Null)
    }

    /// Keeps a count for the arrays that depend on it.
    fn count(&mut self, field: &Field, offset: usize, bytes: Option<&[u8]>, count: usize) -> Result<(), V::Error> {
        let value = match bytes.map(|bytes| (bytes, self.plan.count(self.decode, &field.form, count, bytes))) {
            Some((bytes, Err(problem))) => return Err(self.whole().error(field.item, offset, bytes, problem).into()),
            Some((_, Ok(value))) => Some(value),
            None => None,
        };
        self.counts[count] = Count { value, offset, len: field.len };
        Ok(())
    }

    #[cold]
    fn too_short(&mut self, field: &Field, offset: usize, column: usize) -> Result<(), V::Error> {
        let rest = self.record.get(offset..).unwrap_or_default();
        // A writer fills such a field.
        let is_allowed = self.short_records && self.exact.is_none();
        if is_allowed && rest.is_empty() {
            return deliver(self.visitor, field, column, Value::Null);
        }
        if is_allowed && field.form.is_text() {
            return match self.decode.value(&field.form, rest) {
                Ok(value) => deliver(self.visitor, field, column, value),
                Err(problem) => self.bad(field, offset, column, rest, problem),
            };
        }
        let problem = Problem::RecordTooShort { len: self.record.len(), needed: offset + field.len };
        match self.on_bad {
            OnBad::Error => Err(self.whole().error(field.item, offset, rest, problem).into()),
            // The bytes that are there would not fill the field when it is written.
            OnBad::Null | OnBad::Raw | OnBad::Report => {
                self.row.bad += 1;
                if self.on_bad == OnBad::Report {
                    let error = self.whole().error(field.item, offset, rest, problem);
                    self.visitor.bad(field.item, column + field.column, error)?;
                }
                deliver(self.visitor, field, column, Value::Null)
            }
        }
    }

    #[cold]
    fn bad(
        &mut self,
        field: &Field,
        offset: usize,
        column: usize,
        bytes: &[u8],
        problem: Problem,
    ) -> Result<(), V::Error> {
        let value = match self.on_bad {
            OnBad::Error => return Err(self.whole().error(field.item, offset, bytes, problem).into()),
            OnBad::Null => Value::Null,
            OnBad::Report => {
                let error = self.whole().error(field.item, offset, bytes, problem);
                self.visitor.bad(field.item, column + field.column, error)?;
                Value::Null
            }
            OnBad::Raw => Value::Raw(bytes),
        };
        self.row.bad += 1;
        deliver(self.visitor, field, column, value)
    }

    fn array(&mut self, array: &'r Array, base: usize, column: usize) -> Result<usize, V::Error> {
        let (plan, at) = (self.plan, &*self.at);
        let count = match array.times.get(self.counts, || plan.layout.path_at(array.item, at)) {
            Ok(count) => count,
            Err((found, problem)) => self.too_few(array, found, problem, column)?,
        };
        if array.is_selected {
            self.visitor.begin_array(array.item, count)?;
        }
        let mut grown = 0;
        if !array.body.is_empty() {
            for occurrence in 0..count {
                let base = base + array.offset + occurrence * array.stride + grown;
                let column = column + array.column + occurrence * array.columns;
                self.at.push(occurrence);
                let has_events = array.is_group && array.is_selected;
                if has_events {
                    self.visitor.begin_element(array.item)?;
                }
                grown += self.ops(&array.body, base, column)?;
                if has_events {
                    self.visitor.end_element(array.item)?;
                }
                self.at.pop();
            }
        }
        if array.is_selected {
            self.visitor.end_array(array.item)?;
        }
        // The elements of an array that varies are not part of the offsets after it.
        Ok(if array.varies { count * array.stride + grown } else { 0 })
    }

    /// Returns the count of an array that should have elements and has none, if bad fields are null. Programs that do
    /// not check counts write such records.
    #[cold]
    fn too_few(&mut self, array: &Array, found: Count, problem: Problem, column: usize) -> Result<usize, V::Error> {
        let error = self.whole().bad_count(array, found, problem);
        if found.value != Some(0) || !matches!(self.on_bad, OnBad::Null | OnBad::Report) {
            return Err(error.into());
        }
        self.row.bad += 1;
        if self.on_bad == OnBad::Report {
            self.visitor.bad(array.item, column + array.column, error)?;
        }
        Ok(0)
    }

    fn set(&mut self, set: &'r Set, base: usize, column: usize) -> Result<usize, V::Error> {
        if set.is_conditional {
            let Some(one) = applying(self.decode, set, self.record, base) else {
                return Err(self.whole().unknown_type(set, base).into());
            };
            let is_type = self.at.is_empty();
            self.row.record_type = self.row.record_type.or(is_type.then_some(one.item));
            if set.is_last {
                self.row.len -= set.end - one.end;
                self.shorter = Some(one).filter(|one| one.room > 0);
            }
            let grown = self.ops(&one.body, base, column)?;
            return Ok(if set.is_last { grown } else { (one.end + grown).saturating_sub(set.end) });
        }
        let mut end = set.end;
        for one in &set.alternatives {
            end = end.max(one.end + self.ops(&one.body, base, column)?);
        }
        Ok(end - set.end)
    }

    /// Ends the record: adds the bytes that a shorter record type leaves, and checks what follows the last field.
    fn end(&mut self) -> Result<(), V::Error> {
        let (begin, len) = (self.row.len, self.record.len());
        let room = self.shorter.map_or(0, |one| one.room);
        // If there are counts, bytes after a record mean that a count is invalid.
        let longest = if self.plan.counts > 0 { begin + room } else { self.plan.layout.max_len().max(begin + room) };
        self.row.len = len.clamp(begin, longest.max(begin));
        self.row.unused = self.row.len - begin;
        self.row.cut = len - self.row.len.min(len);
        if self.row.cut > 0 && self.overlong == OnOverlong::Fail {
            return Err(self.whole().too_long(self.row.len).into());
        }
        let exact = self.exact.as_deref();
        let gap = exact.and_then(|exact| self.whole().gap(exact, self.shorter));
        gap.map_or(Ok(()), |error| Err(error.into()))
    }

    fn whole(&self) -> Whole<'_> {
        Whole { plan: self.plan, at: self.at, record: self.record, number: self.number }
    }
}

/// A record that has an error. Its code is not compiled again for each kind of visitor.
struct Whole<'r> {
    plan: &'r Plan,
    at: &'r [usize],
    record: &'r [u8],
    number: u64,
}

impl Whole<'_> {
    #[cold]
    fn error(&self, item: usize, offset: usize, bytes: &[u8], problem: Problem) -> FieldError {
        FieldError::new(self.plan.layout.path_at(item, self.at), offset, bytes, problem).in_record(self.number)
    }

    #[cold]
    fn bad_count(&self, array: &Array, found: Count, problem: Problem) -> FieldError {
        let item = match array.times {
            super::plan::Times::Counted { counter, .. } => counter,
            super::plan::Times::Fixed(_) => array.item,
        };
        let bytes = self.record.get(found.offset..).and_then(|rest| rest.get(..found.len));
        let problem = match (bytes, found.value) {
            (None, _) => Problem::RecordTooShort { len: self.record.len(), needed: found.offset + found.len },
            _ => problem,
        };
        self.error(item, found.offset, bytes.unwrap_or_default(), problem)
    }

    /// Checks the bytes that no field covers, if values are to come back.
    #[inline(never)]
    fn gap(&self, exact: &Exact, shorter: Option<&Alternative>) -> Option<FieldError> {
        let Exact { encode, is_filled, end, .. } = exact;
        if let Some((at, bytes, canonical)) = exact.changed(self.record, 0, *end) {
            return Some(self.of_record(at, bytes, Problem::NotCanonical { canonical }));
        }
        let rest = &self.record[*end..];
        if rest.is_empty() {
            return None;
        }
        if !is_filled {
            return Some(self.too_long(*end));
        }
        let mut canonical = vec![0; rest.len()];
        if encode.pages.main().fill(&mut canonical).is_ok() && canonical == rest {
            return None;
        }
        let problem = Problem::NotCanonical { canonical };
        Some(match shorter {
            Some(one) => self.error(one.item, *end, rest, problem),
            None => self.of_record(*end, rest, problem),
        })
    }

    #[cold]
    fn too_long(&self, described: usize) -> FieldError {
        self.of_record(described, &[], Problem::RecordTooLong { len: self.record.len(), described })
    }

    /// Makes an error for bytes that are not those of a field.
    #[cold]
    fn of_record(&self, offset: usize, bytes: &[u8], problem: Problem) -> FieldError {
        FieldError::new(String::new(), offset, bytes, problem).in_record(self.number)
    }

    #[cold]
    fn unknown_type(&self, set: &Set, base: usize) -> FieldError {
        let tested = set.alternatives.iter().flat_map(|one| &one.checks).flatten().next();
        let place = tested.map_or(base..base, |check| check.place(base));
        let (offset, len) = (place.start, place.len());
        let rest = self.record.get(offset..).unwrap_or_default();
        let problem = Problem::UnknownType { known: self.plan.known_types(set) };
        self.error(set.item, offset, &rest[..len.min(rest.len())], problem)
    }
}

/// Gives text to the visitor. It is not compiled into its caller: there, the compiler may merge it with what numbers do,
/// which then pass through memory.
#[inline(never)]
fn deliver_text<V: Visitor>(visitor: &mut V, field: &Field, column: usize, text: &str) -> Result<(), V::Error> {
    visitor.value(field.item, column + field.column, Value::Text(text))
}

/// Gives a value to the visitor. Visitors may be compiled into where the values that most fields have are read; this is
/// for all others.
#[inline(never)]
fn deliver<V: Visitor>(visitor: &mut V, field: &Field, column: usize, value: Value<'_>) -> Result<(), V::Error> {
    visitor.value(field.item, column + field.column, value)
}

/// Returns the problem with a value that would be written back as other bytes.
fn not_canonical(encode: &mut Encode, form: &Form, value: Value<'_>, bytes: &[u8]) -> Option<Problem> {
    if matches!(value, Value::Raw(_)) {
        return None;
    }
    // Text has only one NaN.
    let is_nan = matches!(value, Value::Single(number) if number.is_nan())
        || matches!(value, Value::Double(number) if number.is_nan());
    if is_nan {
        return Some(Problem::NotCanonical { canonical: Vec::new() });
    }
    let mut canonical = vec![0; bytes.len()];
    let is_written = match (form, value) {
        // Without a value, the writer leaves it blank.
        (Form::Edited(_), Value::Null) => {
            encode.fill(form, &mut canonical);
            Ok(true)
        }
        _ => encode.value(form, value, &mut canonical),
    };
    match is_written {
        Ok(true) if canonical == bytes => None,
        Ok(true) => Some(Problem::NotCanonical { canonical }),
        _ => Some(Problem::NotCanonical { canonical: Vec::new() }),
    }
}
