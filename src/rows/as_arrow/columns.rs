//! The columns of a batch while they receive the values of records: [`Columns`].
//!
//! A group is a column of structs, and an array a column of lists. Every column has one entry for each record (within
//! an array: for each element); an entry that does not apply to a record is null.

use super::bits::{Ends, Validity};
use super::leaf::{Leaf, TooLarge};
use super::origin::Origin;
use crate::fields::{FieldError, OnBad, Problem, Value, Visitor};
use crate::rows::schema::{self, Member, Source};
use crate::rows::{AddedColumn, BatchRecord, RowReader, Rows};

/// A column and what is in it.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(Leaf),
    Struct {
        children: Vec<usize>,
        validity: Validity,
    },
    /// `width`: how many bytes an element has, without those of text.
    List {
        child: usize,
        ends: Ends,
        validity: Validity,
        width: usize,
    },
}

impl Node {
    pub(super) fn validity(&self) -> &Validity {
        match self {
            Node::Leaf(leaf) => leaf.validity(),
            Node::Struct { validity, .. } | Node::List { validity, .. } => validity,
        }
    }

    fn len(&self) -> usize {
        self.validity().len()
    }
}

/// The index of a node that does not exist.
const NONE: usize = usize::MAX;

/// All columns of a batch.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Each node is before those in it, as in the stream.
    nodes: Vec<Node>,
    /// The nodes of the fields on the outermost level, and of the columns that are not fields.
    fields: Vec<usize>,
    added: Vec<(AddedColumn, usize)>,
    /// The columns with fields of the parent, by their index.
    keys: Vec<(usize, usize)>,
    /// For each item of the layout: the node of its values, of its group, and of its list.
    leaf: Vec<usize>,
    group: Vec<usize>,
    list: Vec<usize>,
    /// Whether some items do not apply to all records.
    is_sparse: bool,
    /// How many bytes each row has, without those of text and in lists.
    width: usize,
    rows: usize,
    size: usize,
    /// The errors in the current record.
    report: Vec<FieldError>,
    /// How many values it has so far, and those that do not fit.
    values: usize,
    misfits: Vec<Misfit>,
    is_bad_error: bool,
    /// The size before it.
    size_before: usize,
}

impl Columns {
    /// Makes the columns of rows.
    pub(super) fn new(rows: &Rows, on_bad: OnBad) -> Self {
        let (count, is_sparse) = (rows.layout().items().len(), rows.layout().types().next().is_some());
        let mut columns = Columns {
            nodes: Vec::new(),
            fields: Vec::new(),
            added: Vec::new(),
            keys: Vec::new(),
            leaf: vec![NONE; count],
            group: vec![NONE; count],
            list: vec![NONE; count],
            is_sparse,
            width: 0,
            rows: 0,
            size: 0,
            report: Vec::new(),
            values: 0,
            misfits: Vec::new(),
            is_bad_error: on_bad == OnBad::Error,
            size_before: 0,
        };
        for member in schema::members(rows) {
            let (node, width) = columns.add(&member.value, &member.source);
            columns.width += width;
            match member.source {
                Source::Added(column) => columns.added.push((column, node)),
                Source::Key(index) => columns.keys.push((index, node)),
                Source::Item(_) | Source::Error => columns.fields.push(node),
            }
        }
        columns
    }

    /// Adds a column. Returns its node, and how many bytes each of its entries has.
    fn add(&mut self, value: &schema::Value, source: &Source) -> (usize, usize) {
        let node = self.nodes.len();
        let (items, width) = match value {
            schema::Value::Leaf(column) => {
                let leaf = Leaf::new(*column);
                let width = leaf.width();
                self.nodes.push(Node::Leaf(leaf));
                (&mut self.leaf, width)
            }
            schema::Value::Object(_, members) => {
                self.nodes.push(Node::Struct { children: Vec::new(), validity: Validity::default() });
                let add = |Member { value, source, .. }: &Member| self.add(value, source);
                let (all, widths): (Vec<usize>, Vec<usize>) = members.iter().map(add).unzip();
                if let Node::Struct { children, .. } = &mut self.nodes[node] {
                    *children = all;
                }
                (&mut self.group, widths.into_iter().sum())
            }
            schema::Value::Array(element, _) => {
                let (ends, validity) = (Ends::new(), Validity::default());
                self.nodes.push(Node::List { child: node + 1, ends, validity, width: 0 });
                let (_, each) = self.add(element, source);
                if let Node::List { width, .. } = &mut self.nodes[node] {
                    *width = each;
                }
                (&mut self.list, Ends::WIDTH)
            }
        };
        if let Source::Item(item) = source {
            items[*item] = node;
        }
        (node, width)
    }

    /// Returns the columns in the order of the stream.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the number of rows so far.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns about how many bytes they have.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        (0..self.nodes.len()).for_each(|node| self.truncate(node, 0));
        (self.rows, self.size) = (0, 0);
    }

    /// Begins a row.
    #[inline]
    pub(super) fn begin_row(&mut self) {
        self.report.clear();
        (self.values, self.size_before) = (0, self.size);
    }

    /// Ends a row.
    #[inline]
    pub(super) fn end_row(&mut self, origin: &Origin<'_>) {
        self.rows += 1;
        self.size += self.width;
        if self.is_sparse {
            self.pad_all();
        }
        self.push_added(origin);
    }

    /// Ends a row without values, because of an error.
    #[cold]
    pub(super) fn end_unreadable(&mut self, error: FieldError, origin: &Origin<'_>) {
        self.undo_row();
        self.report = vec![error];
        self.rows += 1;
        self.size += self.width;
        self.pad_all();
        self.push_added(origin);
    }

    /// Removes what was read of the current row.
    #[cold]
    pub(super) fn undo_row(&mut self) {
        for index in 0..self.fields.len() {
            self.truncate(self.fields[index], self.rows);
        }
        self.size = self.size_before;
    }

    /// Reports the values of the row that did not fit. Their places are found by reading the record once more, so that
    /// other records need not keep them. Returns how many there were, and the error if they may not be null.
    #[inline]
    pub(super) fn report_misfits(
        &mut self,
        reader: &mut RowReader,
        record: &BatchRecord<'_>,
    ) -> (usize, Option<FieldError>) {
        if self.misfits.is_empty() { (0, None) } else { self.place_misfits(reader, record) }
    }

    #[cold]
    fn place_misfits(&mut self, reader: &mut RowReader, record: &BatchRecord<'_>) -> (usize, Option<FieldError>) {
        let misfits = std::mem::take(&mut self.misfits);
        let count = misfits.len();
        for misfit in misfits {
            let (path, place) = (reader.layout().path(misfit.item).to_owned(), reader.place(record.data, misfit.index));
            let bytes = record.data.get(place.clone()).unwrap_or_default();
            self.report.push(FieldError::new(path, place.start, bytes, misfit.problem).in_record(record.number));
        }
        let first = if self.is_bad_error { self.report.first().cloned() } else { None };
        self.report.sort_by_key(FieldError::offset);
        (count, first)
    }

    /// Adds the row's values to the columns that are not fields.
    #[inline]
    fn push_added(&mut self, origin: &Origin<'_>) {
        for index in 0..self.added.len() {
            let (column, node) = self.added[index];
            match column {
                AddedColumn::Errors => self.push_errors(node),
                other => self.push(node, origin.value(other)),
            }
        }
        for index in 0..self.keys.len() {
            let (key, node) = self.keys[index];
            self.push(node, origin.record.key(key));
        }
    }

    /// Appends a value to a column that is not a field. A key that does not fit, which is an error of the parent's own
    /// row, is null.
    fn push(&mut self, node: usize, value: Value<'_>) {
        self.size += text_len(&value);
        if let Node::Leaf(leaf) = &mut self.nodes[node]
            && leaf.push(value).is_err()
        {
            leaf.push_null();
        }
    }

    /// Appends the errors of the row to a column of lists.
    fn push_errors(&mut self, list: usize) {
        // The columns of a struct in a list follow it.
        let (element, first) = (list + 1, list + 2);
        for error in std::mem::take(&mut self.report) {
            let message = error.message();
            let path = Some(error.path()).filter(|path| !path.is_empty()).map_or(Value::Null, Value::Text);
            let values = [path, Value::Text(error.code()), Value::Text(&message), Value::Raw(error.bytes())];
            for (node, value) in (first..).zip(values) {
                self.push(node, value);
            }
            self.end_struct(element);
        }
        let has_errors = self.end_list(list);
        if !has_errors && let Node::List { validity, .. } = &mut self.nodes[list] {
            validity.truncate(validity.len() - 1);
            validity.push(false);
        }
    }
}

/// Returns how many bytes a value has besides those that every value of its column has.
#[inline(always)]
fn text_len(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Raw(bytes) => bytes.len(),
        _ => 0,
    }
}

/// The ends of groups and lists.
impl Columns {
    /// Ends one struct: what it lacks is null.
    fn end_struct(&mut self, node: usize) {
        let Some(Node::Struct { validity, .. }) = self.nodes.get_mut(node) else { return };
        validity.push(true);
        let len = validity.len();
        if self.is_sparse {
            self.pad_children(node, len);
        }
    }

    /// Ends one list. Returns whether anything is in it.
    fn end_list(&mut self, node: usize) -> bool {
        let Some(Node::List { child, .. }) = self.nodes.get(node) else { return false };
        let end = self.nodes[*child].len();
        let Node::List { ends, validity, width, .. } = &mut self.nodes[node] else { return false };
        let count = end - ends.last();
        ends.push(end);
        validity.push(true);
        self.size += count * *width;
        count > 0
    }

    fn pad_all(&mut self) {
        for index in 0..self.fields.len() {
            self.pad(self.fields[index], self.rows);
        }
    }

    /// Adds nulls up to this length.
    fn pad(&mut self, node: usize, len: usize) {
        let missing = len.saturating_sub(self.nodes[node].len());
        if missing == 0 {
            return;
        }
        match &mut self.nodes[node] {
            Node::Leaf(leaf) => leaf.push_nulls(missing),
            Node::Struct { validity, .. } => {
                validity.push_nulls(missing);
                self.pad_children(node, len);
            }
            Node::List { ends, validity, .. } => {
                ends.push_empty(missing);
                validity.push_nulls(missing);
            }
        }
    }

    fn pad_children(&mut self, node: usize, len: usize) {
        let mut index = 0;
        while let Node::Struct { children, .. } = &self.nodes[node]
            && let Some(child) = children.get(index)
        {
            self.pad(*child, len);
            index += 1;
        }
    }

    fn truncate(&mut self, node: usize, len: usize) {
        match &mut self.nodes[node] {
            Node::Leaf(leaf) => leaf.truncate(len),
            Node::Struct { children, validity } => {
                validity.truncate(len);
                let children = children.clone();
                children.into_iter().for_each(|child| self.truncate(child, len));
            }
            Node::List { child, ends, validity, .. } => {
                ends.truncate(len);
                validity.truncate(len);
                let (child, end) = (*child, ends.last());
                self.truncate(child, end);
            }
        }
    }
}

/// A value that does not fit its column.
#[derive(Clone, Debug)]
struct Misfit {
    item: usize,
    /// How many values of the record precede it.
    index: usize,
    problem: Problem,
}

impl Columns {
    /// Notes a value that does not fit its column, or fails. The error has no place yet.
    #[cold]
    fn misfit(&mut self, item: usize, found: &TooLarge) -> Result<(), FieldError> {
        let problem = Problem::DoesNotFit { value: found.number.to_string(), expected: format!("at most {found}") };
        self.misfits.push(Misfit { item, index: self.values - 1, problem: problem.clone() });
        if self.is_bad_error {
            return Err(FieldError::new(String::new(), 0, &[], problem));
        }
        if let Node::Leaf(leaf) = &mut self.nodes[self.leaf[item]] {
            leaf.push_null();
        }
        Ok(())
    }
}

impl Visitor for Columns {
    type Error = FieldError;

    // Compiled into where numbers and texts are read, so that they need not pass through memory.
    #[inline(always)]
    fn value(&mut self, item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.values += 1;
        self.size += text_len(&value);
        let Some(Node::Leaf(leaf)) = self.nodes.get_mut(self.leaf[item]) else { return Ok(()) };
        match leaf.push(value) {
            Ok(()) => Ok(()),
            Err(found) => self.misfit(item, &found),
        }
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), FieldError> {
        self.report.push(error);
        Ok(())
    }

    fn end_group(&mut self, item: usize) -> Result<(), FieldError> {
        self.end_struct(self.group[item]);
        Ok(())
    }

    fn end_element(&mut self, item: usize) -> Result<(), FieldError> {
        self.end_group(item)
    }

    fn end_array(&mut self, item: usize) -> Result<(), FieldError> {
        self.end_list(self.list[item]);
        Ok(())
    }
}
