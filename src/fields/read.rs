//! From the bytes of a record to values: [`Reader`].

use super::form::{Decode, Encode, Form};
use super::page::Pages;
use super::plan::{Alternative, Array, Check, Count, Expected, Field, Op, Plan, Set};
use super::{BadLayout, Column, FieldError, Layout, OnBad, Problem, Trim, Value, Visitor};
use crate::codec::{Codec, MIN_ROOM, Utf8Buf};
use crate::registry::Registry;
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
    trim: Trim,
    on_bad: OnBad,
    empty_is_null: bool,
    canonical: bool,
    fillers: bool,
    short_records: bool,
    select: Option<Vec<String>>,
}

impl ReadOptions {
    /// Returns the defaults: blanks at the end of text are removed, bad fields are errors, and all fields with a name
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

    /// Sets whether a zoned or packed number that consists of blanks or of low-values (00) is [`Value::Null`] and not
    /// an error, and whether text of low-values is. They are [counted](Row::bad). In binary numbers, low-values are
    /// zero, and blanks are a number.
    #[must_use]
    pub fn empty_is_null(self, empty_is_null: bool) -> Self {
        ReadOptions { empty_is_null, ..self }
    }

    /// Sets whether a field is bad if a [`Writer`](super::Writer) would write its value as other bytes: a packed number
    /// with a sign of A, for example, or F in a signed field. Together with [`OnBad::Raw`], every record that the
    /// layout covers is written back byte for byte.
    ///
    /// The [unused](Row::unused) bytes after a shorter record type must be blanks then, with which records are filled
    /// up to a fixed length. Anything else there is an error even with [`OnBad::Raw`], because no field contains these bytes.
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
    /// fields after it are [`Value::Null`]. Otherwise these fields are bad.
    #[must_use]
    pub fn short_records(self, short_records: bool) -> Self {
        ReadOptions { short_records, ..self }
    }

    /// Selects fields, by name or path; see [`Layout::find`]. A group stands for all fields in it. All other fields are
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

/// What was read of a record, besides its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The record type: the item whose condition held. `None` if the layout has no conditions. If alternatives contain
    /// other alternatives, it is the outermost one. Alternatives in arrays are not types of the record.
    pub record_type: Option<usize>,
    /// The length that the layout gives this record, in bytes, with the [unused](Self::unused) ones. If the record is
    /// longer, the rest was not read.
    pub len: usize,
    /// The number of bytes at the end of these that no field covers. In records of a fixed length, a record type that
    /// is shorter than the others leaves them. A [`Writer`](super::Writer) does not write them.
    pub unused: usize,
    /// The number of bad fields that became null or raw, and of
    /// [empty fields that became null](ReadOptions::empty_is_null).
    pub bad: u64,
}

/// Reads records by a [`Layout`]. Made by [`Layout::reader`].
///
/// A reader is made once and then reads any number of records, without allocating memory for them. A clone works
/// independently, in another thread for example.
///
/// ```
/// use charpipe::fields::{FieldError, Item, Kind, Layout, Packed, ReadOptions, Value, Visitor};
///
/// let layout = Layout::new(vec![
///     Item::field(5, "NAME", Kind::text(5)),
///     Item::field(5, "AMOUNT", Kind::Packed(Packed::new(5, 2))),
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
    plan: Arc<Plan>,
    decode: Decode,
    /// Writes values back, if that is to be checked.
    encode: Option<Encode>,
    on_bad: OnBad,
    short_records: bool,
    counts: Vec<Count>,
    at: Vec<usize>,
}

impl Layout {
    /// Makes a reader.
    ///
    /// `codec` is the code page of the records: it decodes text whose kind names no page, and determines the character
    /// set of zoned numbers. `registry` has the pages that fields name.
    ///
    /// # Errors
    /// [`BadLayout`] if a selected name is not in the layout, if a field names an unknown code page, or if a value in a
    /// condition is not one of its field's kind.
    pub fn reader(
        &self,
        registry: &Registry,
        codec: &Arc<dyn Codec>,
        options: &ReadOptions,
    ) -> Result<Reader, BadLayout> {
        let selected = options.selected(self)?;
        let bad = |what| BadLayout::at(0, 0, what);
        let mut pages = Pages::new(codec, options.canonical).map_err(bad)?;
        let plan = Plan::new(self, registry, &mut pages, selected)?;
        let encode = options.canonical.then(|| Encode { pages: pages.clone(), room: Vec::new() });
        let decode =
            Decode { pages, text: Utf8Buf::new(room(self)), trim: options.trim, empty_is_null: options.empty_is_null };
        let counts = vec![Count::default(); plan.counts];
        let ReadOptions { on_bad, short_records, .. } = *options;
        Ok(Reader { plan, decode, encode, on_bad, short_records, counts, at: Vec::new() })
    }
}

/// Returns the largest size of the buffer for text. The buffer gets as large as the fields need, which is a sixteenth
/// of it; only for a table that turns a few bytes into long text, it gets larger.
pub(super) fn room(layout: &Layout) -> usize {
    let lens = layout.items().iter().filter_map(|item| item.kind.as_ref()).map(super::Kind::len);
    lens.max().unwrap_or(0).saturating_add(MIN_ROOM).saturating_mul(16 * 4)
}

impl Clone for Reader {
    fn clone(&self) -> Self {
        let Decode { pages, trim, empty_is_null, .. } = &self.decode;
        let (pages, text) = (pages.clone(), Utf8Buf::new(room(&self.plan.layout)));
        Reader {
            plan: self.plan.clone(),
            decode: Decode { pages, text, trim: *trim, empty_is_null: *empty_is_null },
            encode: self.encode.clone(),
            on_bad: self.on_bad,
            short_records: self.short_records,
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

    /// Returns the columns of a flat row: the selected fields, in the order of the layout.
    ///
    /// # Errors
    /// [`BadLayout`] if there are more than 1,048,576, because of large arrays, or if their names are longer than 16 MiB
    /// in total. This is found out before any name is made.
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
    /// because it determines where everything after the array is.
    pub fn read<V: Visitor>(&mut self, number: u64, record: &[u8], visitor: &mut V) -> Result<Row, V::Error> {
        let Reader { plan, decode, encode, on_bad, short_records, counts, at } = self;
        at.clear();
        let row = Row { record_type: None, len: plan.len, unused: 0, bad: 0 };
        let mut run = Run {
            plan,
            decode,
            encode: encode.as_mut(),
            on_bad: *on_bad,
            short_records: *short_records,
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
        run.unused()?;
        Ok(run.row)
    }

    /// Returns the record type: the item whose condition holds, as [`read`](Self::read) finds it. `None` if the layout
    /// has no conditions, or if none holds.
    ///
    /// This decodes only what the conditions need.
    pub fn record_type(&mut self, record: &[u8]) -> Option<usize> {
        fn first(decode: &mut Decode, ops: &[Op], record: &[u8]) -> Option<usize> {
            ops.iter().find_map(|op| match op {
                Op::Set(set) if set.is_conditional => applying(decode, set, record).map(|one| one.item),
                Op::Set(set) => set.alternatives.iter().find_map(|one| first(decode, &one.body, record)),
                Op::Group { body, .. } => first(decode, body, record),
                Op::Field(_) | Op::Array(_) => None,
            })
        }
        first(&mut self.decode, &self.plan.ops, record)
    }
}

/// Returns the alternative that applies to a record. This does not depend on how empty fields are read.
pub(super) fn applying<'s>(decode: &mut Decode, set: &'s Set, record: &[u8]) -> Option<&'s Alternative> {
    let empty_is_null = std::mem::replace(&mut decode.empty_is_null, false);
    let found = first_that_holds(decode, set, record);
    decode.empty_is_null = empty_is_null;
    found
}

/// Returns the first alternative whose condition holds, or else the one for all other records.
fn first_that_holds<'s>(decode: &mut Decode, set: &'s Set, record: &[u8]) -> Option<&'s Alternative> {
    let mut otherwise = None;
    for one in &set.alternatives {
        match &one.checks {
            Some(checks) if checks.is_empty() => otherwise = otherwise.or(Some(one)),
            Some(checks) if checks.iter().all(|check| check.holds(decode, record)) => return Some(one),
            _ => {}
        }
    }
    otherwise
}

impl Check {
    fn holds(&self, decode: &mut Decode, record: &[u8]) -> bool {
        match self {
            Check::Bytes { offset, values } => {
                let rest = record.get(*offset..).unwrap_or_default();
                values.iter().any(|value| rest.starts_with(value))
            }
            Check::Field { offset, len, form, values } => {
                let Some(bytes) = record.get(*offset..offset + len) else { return false };
                match (decode.value(form, bytes), values) {
                    (Ok(Value::Text(text)), Expected::Texts(texts)) => {
                        let text = text.trim_end_matches([' ', '\u{3000}', '\0']);
                        texts.iter().any(|expected| expected == text)
                    }
                    (Ok(Value::Number(number)), Expected::Numbers(numbers)) => {
                        numbers.iter().any(|expected| expected.same_value(&number))
                    }
                    (Ok(Value::Raw(bytes)), Expected::Raw(all)) => all.iter().any(|expected| expected == bytes),
                    _ => false,
                }
            }
        }
    }
}

/// Reads one record.
struct Run<'r, V> {
    plan: &'r Plan,
    decode: &'r mut Decode,
    encode: Option<&'r mut Encode>,
    on_bad: OnBad,
    short_records: bool,
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
    /// much arrays of varying count made it longer.
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
        if !field.is_selected {
            return Ok(());
        }
        self.visitor.place(field.item, column + field.column, offset..offset + field.len)?;
        let Some(bytes) = bytes else { return self.too_short(field, offset, column) };
        let problem = match self.decode.value(&field.form, bytes) {
            Ok(value) => match self.encode.as_mut().and_then(|encode| not_canonical(encode, &field.form, value, bytes))
            {
                None => {
                    self.row.bad += u64::from(matches!(value, Value::Null));
                    return self.visitor.value(field.item, column + field.column, value);
                }
                Some(problem) => problem,
            },
            Err(problem) => problem,
        };
        self.bad(field, offset, column, bytes, problem)
    }

    /// Keeps a count for the arrays that depend on it.
    fn count(&mut self, field: &Field, offset: usize, bytes: Option<&[u8]>, count: usize) -> Result<(), V::Error> {
        let number = bytes.and_then(|bytes| self.decode.number(&field.form, bytes));
        let value = number.and_then(|number| number.rescale(0)).and_then(|number| number.mantissa());
        if value.is_none()
            && let Some(bytes) = bytes
        {
            let problem = self.decode.not_a_number(&field.form);
            return Err(self.error(field.item, offset, bytes, problem).into());
        }
        self.counts[count] = Count { value, offset, len: field.len };
        Ok(())
    }

    #[cold]
    fn too_short(&mut self, field: &Field, offset: usize, column: usize) -> Result<(), V::Error> {
        let rest = self.record.get(offset..).unwrap_or_default();
        if self.short_records && rest.is_empty() {
            return self.visitor.value(field.item, column + field.column, Value::Null);
        }
        if let (true, Form::Text(_)) = (self.short_records, &field.form) {
            return match self.decode.value(&field.form, rest) {
                Ok(value) => self.visitor.value(field.item, column + field.column, value),
                Err(problem) => self.bad(field, offset, column, rest, problem),
            };
        }
        let problem = Problem::RecordTooShort { len: self.record.len(), needed: offset + field.len };
        match self.on_bad {
            OnBad::Error => Err(self.error(field.item, offset, rest, problem).into()),
            // The bytes that are there would not fill the field when it is written.
            OnBad::Null | OnBad::Raw | OnBad::Report => {
                self.row.bad += 1;
                if self.on_bad == OnBad::Report {
                    let error = self.error(field.item, offset, rest, problem);
                    self.visitor.bad(field.item, column + field.column, error)?;
                }
                self.visitor.value(field.item, column + field.column, Value::Null)
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
            OnBad::Error => return Err(self.error(field.item, offset, bytes, problem).into()),
            OnBad::Null => Value::Null,
            OnBad::Report => {
                let error = self.error(field.item, offset, bytes, problem);
                self.visitor.bad(field.item, column + field.column, error)?;
                Value::Null
            }
            OnBad::Raw => Value::Raw(bytes),
        };
        self.row.bad += 1;
        self.visitor.value(field.item, column + field.column, value)
    }

    #[cold]
    fn error(&self, item: usize, offset: usize, bytes: &[u8], problem: Problem) -> FieldError {
        FieldError::new(self.plan.layout.path_at(item, self.at), offset, bytes, problem).in_record(self.number)
    }

    fn array(&mut self, array: &'r Array, base: usize, column: usize) -> Result<usize, V::Error> {
        let (plan, at) = (self.plan, &*self.at);
        let count = match array.times.get(self.counts, || plan.layout.path_at(array.item, at)) {
            Ok(count) => count,
            Err((found, problem)) => return Err(self.bad_count(array, found, problem).into()),
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

    fn set(&mut self, set: &'r Set, base: usize, column: usize) -> Result<usize, V::Error> {
        if set.is_conditional {
            let Some(one) = applying(self.decode, set, self.record) else {
                return Err(self.unknown_type(set, base).into());
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

    /// Adds the bytes that a shorter record type leaves. If values are to come back, they must be blanks.
    fn unused(&mut self) -> Result<(), V::Error> {
        let Some(one) = self.shorter else { return Ok(()) };
        let begin = self.row.len;
        self.row.len = self.record.len().clamp(begin, begin + one.room);
        self.row.unused = self.row.len - begin;
        let Some(encode) = self.encode.as_deref_mut().filter(|_| self.row.unused > 0) else { return Ok(()) };
        let unused = &self.record[begin..self.row.len];
        let mut canonical = vec![0; unused.len()];
        let is_filled = encode.pages.main().fill(&mut canonical).is_ok();
        if is_filled && canonical == unused {
            return Ok(());
        }
        Err(self.error(one.item, begin, unused, Problem::NotCanonical { canonical }).into())
    }

    #[cold]
    fn unknown_type(&self, set: &Set, base: usize) -> FieldError {
        let tested = set.alternatives.iter().flat_map(|one| &one.checks).flatten().next();
        let (offset, len) = match tested {
            Some(Check::Field { offset, len, .. }) => (*offset, *len),
            Some(Check::Bytes { offset, values }) => (*offset, values.first().map_or(0, Vec::len)),
            None => (base, 0),
        };
        let rest = self.record.get(offset..).unwrap_or_default();
        let problem = Problem::UnknownType { known: self.plan.known_types(set) };
        self.error(set.item, offset, &rest[..len.min(rest.len())], problem)
    }
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
