//! Finds the values of a column by its path: [`Finder`].
//!
//! A column has the name of its field, and groups and arrays are structs and lists, as in the batches that are read.
//! All elements of a list are one array, so that the columns of an `OCCURS` share its values.

use crate::border::Batch;
use crate::buffers::{Array, Buffers, Span, Validity};
use crate::leaf::{BadValue, Checked, Leaf, bounds};
use crate::schema::{Field, Kind, Width};
use crate::{Malformed, Result};
use charpipe::fields::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Where the values of one column of the layout are.
pub struct Access<'a> {
    steps: Box<[Step<'a>]>,
    pub(crate) leaf: Rc<Leaf<'a>>,
}

/// Finds the values of columns of the layout in a batch. What several columns have in common is taken and checked only
/// once, so that a batch needs neither more memory nor more time for each of them than their paths do.
pub struct Finder<'a> {
    batch: &'a Batch,
    underscores: bool,
    /// The fields of structs, by their names.
    names: HashMap<*const Field, Names<'a>>,
    /// The values of arrays. Each array of a batch has a separate field.
    leaves: HashMap<*const Field, Rc<Leaf<'a>>>,
    /// How many elements lists may have, if they were [checked](Self::check).
    most: HashMap<*const Field, usize>,
}

/// The indexes of the fields of a struct; `None` for a name that several of them have.
type Names<'a> = HashMap<&'a str, Option<usize>>;

/// A part of the way from a row to a value.
enum Step<'a> {
    /// A struct, whose fields are null if it is. They begin at a separate offset.
    Struct(Validity<'a>, usize),
    List(List<'a>),
}

/// An element of each list.
struct List<'a> {
    validity: Validity<'a>,
    offset: usize,
    offsets: &'a [u8],
    width: Width,
    /// Which element, from 0.
    at: usize,
    /// How many elements all lists have.
    elements: usize,
    /// How many elements each of them may have.
    most: usize,
}

impl List<'_> {
    /// Returns the index of the element of the list with this index; `None` if the list is null or shorter.
    fn element(&self, index: usize) -> Checked<'static, Option<usize>> {
        if !self.validity.has(index) {
            return Ok(None);
        }
        let (begin, end) = bounds(self.offsets, self.width, self.offset + index)?;
        if end - begin > self.most {
            return Err(BadValue::TooMany(end - begin, self.most));
        }
        match end <= self.elements {
            true => Ok((self.at < end - begin).then(|| begin + self.at)),
            false => Err(BadValue::Outside(begin as i64, end as i64)),
        }
    }
}

impl<'a> Step<'a> {
    /// Continues to an element of each list, of at most `most` elements, and to the array that has all elements.
    fn element(list: Array<'a>, at: usize, most: usize) -> Result<(Self, Array<'a>)> {
        let (offset, validity) = (list.span()?.offset, list.validity()?);
        let Buffers::Run(offsets, width, _) = list.buffers()? else { return Err(Malformed::new("it is no list")) };
        let values = list.child(0)?;
        let elements = values.span()?.len;
        Ok((Step::List(List { validity, offset, offsets, width, at, elements, most }), values))
    }

    /// Returns the index within this step, of the entry with this index around it; `None` if there is none.
    fn enter(&self, index: usize) -> Checked<'static, Option<usize>> {
        match self {
            Step::Struct(validity, offset) => Ok(validity.has(index).then_some(offset + index)),
            Step::List(list) => list.element(index),
        }
    }
}

impl<'a> Access<'a> {
    /// Returns the value of a row; `None` if it has none.
    #[inline]
    pub(crate) fn value(&self, row: usize) -> Checked<'a, Option<Value<'a>>> {
        let mut index = row;
        for step in &self.steps {
            match step.enter(index)? {
                Some(inner) => index = inner,
                None => return Ok(None),
            }
        }
        self.leaf.value(index)
    }
}

impl<'a> Finder<'a> {
    /// Takes a batch. `underscores`: its columns have no hyphens in their names.
    #[must_use]
    pub fn new(batch: &'a Batch, underscores: bool) -> Self {
        Finder { batch, underscores, names: HashMap::new(), leaves: HashMap::new(), most: HashMap::new() }
    }

    /// Finds the values of a field, such as `CUSTOMER.PHONE[2]`; `None` if the batch has no such column.
    ///
    /// # Errors
    /// [`Malformed`]: a type that no field can contain, or that is not that of the field; an array that is not what its
    /// type says; a name that several columns have.
    pub fn access(&mut self, path: &str) -> Result<Option<Access<'a>>> {
        let (mut steps, mut array) = (Vec::new(), self.batch.root());
        let mut rows = Some(0..self.batch.rows()?);
        for segment in path.split('.') {
            let (name, occurrence) = occurrence(segment);
            if array.field().kind == Kind::Null {
                // Such a column has no values of any type.
                return Ok(None);
            }
            if array.field().kind != Kind::Struct {
                return Err(mismatch(path, array, "a struct"));
            }
            let Some(at) = self.index(array.field(), name).map_err(|error| error.of(path))? else { return Ok(None) };
            let offset;
            (array, offset) = inner(&mut steps, array, at).map_err(|error| error.of(path))?;
            rows = rows.map(|rows| rows.start + offset..rows.end + offset);
            if let Some(occurrence) = occurrence {
                if array.field().kind == Kind::Null {
                    return Ok(None);
                }
                if !matches!(array.field().kind, Kind::List(_)) {
                    return Err(mismatch(path, array, "a list"));
                }
                let most = self.most.get(&std::ptr::from_ref(array.field())).copied().unwrap_or(usize::MAX);
                let (step, values) = Step::element(array, occurrence, most).map_err(|error| error.of(path))?;
                steps.push(step);
                (array, rows) = (values, None);
            }
        }
        Ok(Some(Access { steps: steps.into(), leaf: self.leaf(array, path, rows)? }))
    }

    pub(crate) fn batch(&self) -> &'a Batch {
        self.batch
    }

    pub(crate) fn underscores(&self) -> bool {
        self.underscores
    }

    /// Sets how many elements the lists of a column may have.
    pub(crate) fn limit(&mut self, lists: &'a Field, most: usize) {
        self.most.insert(lists, most);
    }

    /// Of how many structs it has a table of names.
    #[cfg(test)]
    pub(crate) fn tables(&self) -> usize {
        self.names.len()
    }

    /// Returns which field of a struct has the name; `None` if there is none.
    fn index(&mut self, group: &'a Field, name: &str) -> Result<Option<usize>> {
        let (names, name) = (self.names.entry(group).or_insert_with(|| names(group)), named(name, self.underscores));
        match names.get(&*name) {
            Some(None) => Err(Malformed::new(format!("several columns have the name {name:?}"))),
            found => Ok(found.copied().flatten()),
        }
    }

    /// Returns the values of an array. Whichever column leads to it, it has the same path but for occurrences, and so
    /// the same rows.
    fn leaf(&mut self, array: Array<'a>, path: &str, rows: Option<Range<usize>>) -> Result<Rc<Leaf<'a>>> {
        let field: *const Field = array.field();
        if let Some(leaf) = self.leaves.get(&field) {
            return Ok(leaf.clone());
        }
        let leaf = Rc::new(Leaf::new(array, path, rows)?);
        self.leaves.insert(field, leaf.clone());
        Ok(leaf)
    }
}

fn names(group: &Field) -> Names<'_> {
    let mut names = Names::with_capacity(group.children.len());
    for (index, field) in group.children.iter().enumerate() {
        names.entry(&field.name).and_modify(|found| *found = None).or_insert(Some(index));
    }
    names
}

/// Continues to a field of a struct. Returns with which of its values the struct begins.
fn inner<'a>(steps: &mut Vec<Step<'a>>, group: Array<'a>, at: usize) -> Result<(Array<'a>, usize)> {
    let (Span { offset, len }, validity, field) = (group.span()?, group.validity()?, group.child(at)?);
    group.buffers()?;
    let (needed, len) = (offset + len, field.span()?.len);
    if len < needed {
        return Err(Malformed::new(format!("it has {len} values for {needed} rows of its struct")));
    }
    // Most structs, including the one of all columns, need no step.
    if offset > 0 || !validity.is_all() {
        steps.push(Step::Struct(validity, offset));
    }
    Ok((field, offset))
}

/// Splits `PHONE[2]` into the name and the occurrence, counted from 0.
fn occurrence(segment: &str) -> (&str, Option<usize>) {
    match segment.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((name, number)) => (name, number.parse().ok().map(|number: usize| number.saturating_sub(1))),
        None => (segment, None),
    }
}

pub(crate) fn named(name: &str, underscores: bool) -> Cow<'_, str> {
    if underscores { name.replace('-', "_").into() } else { name.into() }
}

pub(crate) fn mismatch(path: &str, array: Array<'_>, expected: &str) -> Malformed {
    Malformed::new(format!("the column of {path} is {}, but the layout has {expected}", array.field()))
}
