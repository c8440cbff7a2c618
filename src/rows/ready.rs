//! A job that is ready: [`Rows`].

use super::error::contradicts;
use super::keys::{KeyColumn, Keys};
use super::read::Rules;
use super::{AddedColumn, Batches, DatePattern, Parents, RowReader, RowsError, RowsJob, StoredAs, parents, types};
use crate::codec::{ByteSink, Codec, MIN_ROOM};
use crate::error::Error;
use crate::fields::{BadLayout, Column, Layout, LengthFrom, Lengths, OnBad, Writer};
use crate::records::edges::Edges;
use crate::records::{Deframer, Framer, RECORD_LIMIT, Records, SNIFFED, Shape, look};
use std::borrow::Cow;
use std::io::{BufRead, Chain, Cursor, Read as _};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A job that is ready to read and to write the records of a layout. Made by [`RowsJob::rows`].
#[derive(Clone)]
pub struct Rows {
    job: RowsJob,
    codec: Arc<dyn Codec>,
    reader: RowReader,
    /// Finds the lengths of records without headers, if they vary.
    lengths: Option<Lengths>,
    added: Vec<AddedColumn>,
    keys: Option<Keys>,
    keeps_unreadable: bool,
}

impl Rows {
    fn new(job: &RowsJob, layout: &Layout) -> Result<Self, RowsError> {
        let codec = job.codec()?;
        let types = types::record_types(layout);
        let has_type = !types.is_empty() && !job.separate_types;
        let parents = parents::links(&job.parents, layout, &types)?;
        if parents.is_empty() && job.added.contains(&AddedColumn::Parent) {
            let why = "the column parent needs the option parent, which says what the parents are";
            return Err(contradicts("add-columns", why).into());
        }
        check_nested(job)?;
        let is_added = |one: &AddedColumn| match one {
            AddedColumn::Parent if job.nest => false,
            AddedColumn::Type if has_type => true,
            AddedColumn::Number | AddedColumn::Parent if !parents.is_empty() => true,
            one => job.added.contains(one),
        };
        let added: Vec<AddedColumn> = AddedColumn::ALL.iter().copied().filter(is_added).collect();
        let reports = job.read.on_bad == OnBad::Null && added.contains(&AddedColumn::Errors);
        let on_bad = if reports { OnBad::Report } else { job.read.on_bad };
        check_selected(job, layout)?;
        let lengths = lengths(job, layout, &codec)?;
        let reader = layout.reader(&job.registry, &codec, &job.read.clone().on_bad(on_bad))?.repair(job.repair.clone());
        let is_field = |name: &str| (0..layout.items().len()).any(|i| layout.path(i) == name && reader.is_selected(i));
        if let Some(column) = added.iter().find(|one| is_field(one.column())) {
            let name = column.column();
            let why = format!("the layout has a field with the name of the column {name}: rename one of them");
            return Err(contradicts("add-columns", why).into());
        }
        let rules = Rules {
            dates: dates(job, layout)?,
            layout: layout.clone(),
            text: job.text,
            on_bad,
            types,
            parents,
            nest: job.nest,
        };
        let keys = Keys::new(job, &rules, &codec)?;
        let (job, reader) = (job.clone(), RowReader::new(reader, Arc::new(rules)));
        Ok(Rows { job, codec, reader, lengths, added, keys, keeps_unreadable: reports })
    }

    /// Returns the layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.reader.layout()
    }

    /// Returns the code page of the records.
    #[must_use]
    pub fn codec(&self) -> &Arc<dyn Codec> {
        &self.codec
    }

    /// Returns the columns that are not fields, in their order: [those before the
    /// fields](AddedColumn::is_before_fields), and those after them.
    #[must_use]
    pub fn added(&self) -> &[AddedColumn] {
        &self.added
    }

    /// Returns the columns of the selected fields, in the order of the layout.
    ///
    /// # Errors
    /// Those of [`Reader::columns`](crate::fields::Reader::columns), and two columns with one name because of
    /// [underscores](RowsJob::underscores).
    pub fn columns(&self) -> Result<Vec<Column>, RowsError> {
        self.named(self.reader.reader.columns()?)
    }

    /// Returns the columns that a row has when it is [written](Self::writer): all fields, `FILLER`s as well.
    ///
    /// # Errors
    /// Those of [`columns`](Self::columns).
    pub fn target_columns(&self, writer: &Writer) -> Result<Vec<Column>, RowsError> {
        self.named(writer.columns()?)
    }

    /// Returns the columns with the names that they have in rows.
    fn named(&self, mut columns: Vec<Column>) -> Result<Vec<Column>, RowsError> {
        if self.job.underscores {
            let mut taken = std::collections::HashSet::new();
            for column in &mut columns {
                column.path = column.path.replace('-', "_");
                if !taken.insert(column.path.clone()) {
                    let why = format!("two columns would have the name {}", column.path);
                    return Err(contradicts("underscores", why).into());
                }
            }
        }
        Ok(columns)
    }

    /// Returns the name of an item in nested rows, as [`Layout::key`] does.
    #[must_use]
    pub fn key(&self, item: usize) -> Option<Cow<'_, str>> {
        let key = self.layout().key(item)?;
        Some(if self.job.underscores { Cow::Owned(key.replace('-', "_")) } else { Cow::Borrowed(key) })
    }

    /// Returns the items that can be the type of a record. Empty if the layout has no record types.
    #[must_use]
    pub fn record_types(&self) -> &[usize] {
        &self.reader.rules.types
    }

    /// Returns the type of the [parents](RowsJob::parent) of a record type, both as indices of items.
    #[must_use]
    pub fn parent_type(&self, record_type: usize) -> Option<usize> {
        let Rules { types, parents, .. } = &*self.reader.rules;
        let own = types.iter().position(|one| *one == record_type)?;
        Some(types[(*parents.get(own)?)?])
    }

    /// Returns an object that finds the parents of the records of an input, if the job [has any](RowsJob::parent).
    /// Records in [batches](Self::batches) already have their parents.
    #[must_use]
    pub fn parents(&self) -> Option<Parents> {
        (!self.reader.rules.parents.is_empty()).then(|| Parents::new(&self.reader, self.keys.as_ref()))
    }

    /// Returns whether the rows of a record type have this added column, if each type has [a separate
    /// output](RowsJob::separate_types): only types with a parent have the column [`Parent`](AddedColumn::Parent).
    #[must_use]
    pub fn has_added(&self, column: AddedColumn, record_type: Option<usize>) -> bool {
        let Rules { types, parents, .. } = &*self.reader.rules;
        let own = types.iter().position(|one| Some(*one) == record_type);
        let is_top = || own.is_some_and(|own| matches!(parents.get(own), Some(None)));
        self.added.contains(&column) && !(column == AddedColumn::Parent && self.job.separate_types && is_top())
    }

    /// Returns the columns with [fields of the record's parent](RowsJob::parent_keys). They follow the other columns
    /// before the fields.
    #[must_use]
    pub fn key_columns(&self) -> &[KeyColumn] {
        self.keys.as_ref().map_or(&[], |keys| &keys.columns)
    }

    /// Returns whether the rows of a record type have this key column: if each type has [a separate
    /// output](RowsJob::separate_types), only if its records can have a value.
    #[must_use]
    pub fn has_key(&self, column: &KeyColumn, record_type: Option<usize>) -> bool {
        !self.job.separate_types || record_type.is_some_and(|record_type| column.is_of(record_type))
    }

    /// Returns what happens to fields that cannot be read.
    pub(super) fn on_bad(&self) -> OnBad {
        self.reader.rules.on_bad
    }

    /// Returns for each item the pattern of its dates; nothing if there are none.
    pub(super) fn dates(&self) -> &[Option<DatePattern>] {
        &self.reader.rules.dates
    }

    /// Returns the pattern of the dates in a field, if it contains any.
    #[must_use]
    pub fn date(&self, item: usize) -> Option<&DatePattern> {
        self.reader.rules.dates.get(item)?.as_ref()
    }

    /// Whether a record that cannot be read becomes a row without values, whose errors are in the column
    /// [`Errors`](AddedColumn::Errors). Otherwise it is an error, or set aside.
    #[must_use]
    pub fn keeps_unreadable(&self) -> bool {
        self.keeps_unreadable
    }

    /// Whether numbers of up to 18 digits without decimal places are [integers](RowsJob::integers).
    #[must_use]
    pub fn integers(&self) -> bool {
        self.job.integers
    }

    /// Whether the hyphens in names become [underscores](RowsJob::underscores).
    #[must_use]
    pub fn underscores(&self) -> bool {
        self.job.underscores
    }

    /// Whether the rows of each record type have [a separate output](RowsJob::separate_types).
    #[must_use]
    pub fn has_separate_types(&self) -> bool {
        self.job.separate_types
    }

    /// Whether the rows of children are put into [the rows of their parents](RowsJob::nest).
    pub(super) fn nests(&self) -> bool {
        self.job.nest
    }

    /// Returns whether an item is selected: a field, or a group or array with selected fields in it.
    #[must_use]
    pub fn is_selected(&self, item: usize) -> bool {
        self.reader.is_selected(item)
    }

    /// Returns how many threads work on an input.
    #[must_use]
    pub fn jobs(&self) -> NonZeroUsize {
        self.job.jobs
    }

    /// Returns the shape of the records of an input, and the whole input again.
    ///
    /// # Errors
    /// [`RowsError::NoShape`] if the shape is to be found and is not certain, [`RowsError::Layout`] if none was named
    /// and the records of the layout have different lengths, and [`ErrorKind::Read`](crate::ErrorKind::Read).
    pub fn open<R: BufRead>(&self, mut input: R) -> Result<(Shape, Opened<R>), RowsError> {
        let mut head = Vec::new();
        if *self.stored_as() == StoredAs::Auto {
            let most = self.edges().head_bytes + SNIFFED + 1;
            let read = input.by_ref().take(most as u64).read_to_end(&mut head);
            read.map_err(|source| Error::read(head.len() as u64, source))?;
        }
        let shape = self.shape(&head)?;
        Ok((shape, Cursor::new(head).chain(input)))
    }

    /// Returns the shape of the records of an input that begins with `head`: all of it, or one byte more than
    /// [`SNIFFED`] after the bytes that are [skipped](RowsJob::skip_head).
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn shape(&self, head: &[u8]) -> Result<Shape, RowsError> {
        match self.stored_as() {
            StoredAs::Shape(shape) => Ok(shape.clone()),
            StoredAs::Layout => self.layout_shape(),
            StoredAs::Auto => {
                let Edges { head_bytes, tail_bytes, .. } = self.edges();
                let head = head.get(head_bytes..).unwrap_or_default();
                let is_whole = head.len() <= SNIFFED;
                let tail = if is_whole { tail_bytes.min(head.len()) } else { 0 };
                Ok(look(&head[..head.len() - tail], is_whole, self.job.tape_file.as_ref()).shape()?)
            }
        }
    }

    /// Returns how the records of the input are stored.
    #[must_use]
    pub fn stored_as(&self) -> &StoredAs {
        self.job.records.as_ref().unwrap_or(&StoredAs::Layout)
    }

    /// Returns the shape of records without headers: [`Shape::Unframed`] if each has the length that it says
    /// itself.
    ///
    /// # Errors
    /// Those of [`fixed_shape`](Self::fixed_shape).
    pub fn layout_shape(&self) -> Result<Shape, RowsError> {
        if self.lengths.is_some() { Ok(Shape::Unframed) } else { self.fixed_shape() }
    }

    /// Returns the shape of records that all have the length of the layout, with the bytes
    /// [before](RowsJob::record_prefix) and [after](RowsJob::record_suffix) their data.
    ///
    /// # Errors
    /// [`RowsError::Layout`] if they have different lengths.
    pub fn fixed_shape(&self) -> Result<Shape, RowsError> {
        self.fixed(self.edges().prefix + self.edges().suffix)
    }

    /// Returns the shape of records that have the length of the layout, and this many bytes around it.
    fn fixed(&self, around: usize) -> Result<Shape, RowsError> {
        let (min, max) = (self.layout().min_len(), self.layout().max_len());
        match u32::try_from(max + around) {
            Ok(lrecl) if min == max && max > 0 => Ok(Shape::Fixed { lrecl }),
            _ => {
                let what = format!("its records have {min} to {max} bytes, so it must be said how they are stored");
                Err(BadLayout::at(0, 0, what).into())
            }
        }
    }

    /// Returns the records of an input that has this shape, one after the other.
    pub fn records<R: BufRead>(&self, input: R, shape: &Shape) -> Records<R> {
        Records::of(input, self.deframer(shape), self.edges()).limit(self.limit())
    }

    /// Returns the records of an input that has this shape, in batches for [`in_order`](super::in_order).
    pub fn batches<R: BufRead>(&self, input: R, shape: &Shape) -> Batches<R> {
        Batches::new(input, self.deframer(shape), self.limit(), self.edges(), self.parents())
    }

    /// Whether [the beginning](RowsJob::skip_head) or [the end](RowsJob::skip_tail) of each input is skipped, so that
    /// no part of it can be read alone.
    #[must_use]
    pub fn skips_edges(&self) -> bool {
        let Edges { head_bytes, head_records, tail_bytes, tail_records, .. } = self.edges();
        head_bytes + tail_bytes + tail_records > 0 || head_records > 0
    }

    fn edges(&self) -> Edges {
        Edges::new(self.job.skip_head, self.job.skip_tail).of_records(self.job.record_prefix, self.job.record_suffix)
    }

    fn deframer(&self, shape: &Shape) -> Deframer {
        match &self.lengths {
            Some(lengths) if *shape == Shape::Unframed => {
                let Edges { prefix, suffix, .. } = self.edges();
                Deframer::unframed(Box::new(lengths.clone()), (prefix, suffix))
            }
            _ => Deframer::new(shape).file(self.job.tape_file.clone()),
        }
    }

    /// Returns the longest record that is read: that of the layout, or [`RECORD_LIMIT`].
    fn limit(&self) -> usize {
        self.layout().max_len().max(RECORD_LIMIT) + self.edges().prefix + self.edges().suffix
    }

    /// Returns a reader for the records of an input that has this shape.
    #[must_use]
    pub fn reader(&self, shape: &Shape) -> RowReader {
        let RowReader { reader, rules, .. } = self.reader.clone();
        RowReader::new(reader.fixed_length(shape.lrecl().is_some()), rules)
    }

    /// Returns a writer for the records of the layout. A number without [a date](RowsJob::date) becomes zeros.
    ///
    /// # Errors
    /// Those of [`Layout::writer`].
    pub fn writer(&self) -> Result<Writer, RowsError> {
        let writer = self.layout().writer(&self.job.registry, &self.codec)?;
        let dates = self.dates().iter().map(Option::is_some).collect();
        Ok(writer.binary_range(self.job.binary_range).zeros(dates))
    }

    /// Returns the shape in which records are written.
    ///
    /// # Errors
    /// Those of [`layout_shape`](Self::layout_shape) if none was named.
    pub fn target_shape(&self) -> Result<Shape, RowsError> {
        match &self.job.to_records {
            Some(shape) if *shape != Shape::Unframed => Ok(shape.clone()),
            _ if self.lengths.is_some() => Ok(Shape::Unframed),
            _ => self.fixed(0),
        }
    }

    /// Returns a framer for records that are written in this shape. Records that are shorter than it says are filled up
    /// with [spaces](Self::blank). A record that nothing frames must have the length that it says itself.
    ///
    /// # Errors
    /// Those of [`Framer::new`].
    pub fn framer(&self, shape: &Shape) -> Result<Framer, Error> {
        let framer = Framer::new(shape, &self.blank())?;
        Ok(match &self.lengths {
            Some(lengths) if *shape == Shape::Unframed => framer.unframed(Box::new(lengths.clone())),
            _ => framer,
        })
    }

    /// Returns the space of the code page, with which records are filled up that are shorter than their shape says.
    /// Empty if the page cannot be written.
    #[must_use]
    pub fn blank(&self) -> Vec<u8> {
        let Some(mut encoder) = self.codec.encoder() else { return Vec::new() };
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let step = encoder.feed(" ", &mut sink);
        if step.read == 1 { sink.as_bytes().to_vec() } else { Vec::new() }
    }
}

/// An input whose first bytes were read.
pub type Opened<R> = Chain<Cursor<Vec<u8>>, R>;

/// Refuses what nested rows cannot have.
fn check_nested(job: &RowsJob) -> Result<(), Error> {
    let bad = |option, why| Err(contradicts(option, why));
    match job.nest {
        true if job.parents.is_empty() => bad("nest", "needs the option parent, which says what the parents are"),
        true if !job.parent_keys.is_empty() => {
            bad("parent", "cannot have keys with the option nest: children stand in the row of their parent")
        }
        true if job.added.contains(&AddedColumn::Parent) => {
            bad("add-columns", "cannot have parent with the option nest: children stand in the row of their parent")
        }
        _ => Ok(()),
    }
}

/// Refuses to select elements of arrays.
fn check_selected(job: &RowsJob, layout: &Layout) -> Result<(), Error> {
    for name in job.read.select.iter().flatten() {
        if let Some((array, _)) = name.split_once('[')
            && layout.find(name).is_err()
            && layout.find(array).is_ok()
        {
            let why = format!("{name} is an element of an array; only the whole array can be selected: {array}");
            return Err(contradicts("select", why));
        }
    }
    Ok(())
}

/// Returns what finds out the lengths of records without headers; `None` if all have the same length.
fn lengths(job: &RowsJob, layout: &Layout, codec: &Arc<dyn Codec>) -> Result<Option<Lengths>, RowsError> {
    let is_unframed = job.records == Some(StoredAs::Layout) || job.to_records == Some(Shape::Unframed);
    let from = match &job.length_from {
        Some(option) => option.of(layout),
        None if is_unframed => LengthFrom::Contents,
        None => return Ok(None),
    };
    let lengths = layout.lengths(&job.registry, codec, &job.read, &from);
    match (lengths, &job.length_from) {
        (Ok(lengths), _) => Ok(Some(lengths).filter(Lengths::vary)),
        (Err(error), Some(option)) => Err(contradicts(option.name(), error.what).into()),
        (Err(error), None) => Err(error.into()),
    }
}

/// Returns for each item the pattern of its dates; nothing if there are none.
fn dates(job: &RowsJob, layout: &Layout) -> Result<Vec<Option<DatePattern>>, Error> {
    let mut dates = Vec::new();
    for (name, pattern) in &job.dates {
        let item = layout.find(name).map_err(|error| contradicts("dates", error.what))?;
        let can_be = |kind: &crate::fields::FieldKind| kind.is_decimal() || kind.name() == "text";
        if !layout.items()[item].kind.as_ref().is_some_and(can_be) {
            return Err(contradicts("dates", format!("{name} is neither text nor a number")));
        }
        dates.resize(layout.items().len(), None);
        dates[item] = Some(pattern.clone());
    }
    Ok(dates)
}

impl RowsJob {
    /// Makes the job ready to read and to write records of this layout.
    ///
    /// # Errors
    /// [`RowsError::Layout`] if an option names a field that the layout does not have, and
    /// [`ErrorKind::BadOption`](crate::ErrorKind::BadOption) if options contradict each other.
    pub fn rows(&self, layout: &Layout) -> Result<Rows, RowsError> {
        self.validate()?;
        Rows::new(self, layout)
    }
}
