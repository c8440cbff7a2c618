//! The columns of a batch while they receive the values of records: [`Columns`].
//!
//! A group is a column of structs, and an array a column of lists. Every column has one entry for each record (within
//! an array: for each element); an entry that does not apply to a record is null.

use super::leaf::{Leaf, TooLarge};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use charpipe::fields::{Decimal, FieldError, Layout, Problem, RunReader, Value, Visitor};
use charpipe::records::{Record, RecordRun};
use charpipe::rows::{AddedColumn, KeyColumn, Parent, ParentKeys, RowReader, Rows};
use std::sync::Arc;

/// A column and what is in it.
enum Node {
    Leaf(Leaf),
    Struct {
        fields: Fields,
        children: Vec<usize>,
        validity: NullBufferBuilder,
    },
    /// `most`: how many elements a list has at most, and has if the count does not vary.
    List {
        child: usize,
        most: usize,
        ends: Vec<i32>,
        validity: NullBufferBuilder,
    },
}

/// The index of a node that does not exist.
const NONE: usize = usize::MAX;

/// All columns of a batch.
pub(super) struct Columns {
    schema: SchemaRef,
    layout: Layout,
    nodes: Vec<Node>,
    /// The nodes of the fields on the outermost level.
    top: Vec<usize>,
    /// For each item of the layout: the node of its values, of its group, and of its list.
    leaf: Vec<usize>,
    group: Vec<usize>,
    list: Vec<usize>,
    /// Whether some items do not apply to all records.
    is_sparse: bool,
    added: Added,
    rows: usize,
    values: usize,
    /// Whether a value that does not fit its column is an error, and not null.
    is_bad_error: bool,
    /// The error in the current record.
    report: Vec<FieldError>,
    /// How many values there were before it, and those of its values that do not fit.
    before: usize,
    misfits: Vec<Misfit>,
}

impl Columns {
    /// Makes the columns of the rows that `reader` reads. `name` is that of the input.
    ///
    /// # Errors
    /// Two columns in a group with the same name, because of underscores.
    pub(super) fn new(rows: &Rows, reader: &RowReader, name: &str, is_bad_error: bool) -> Result<Self, String> {
        let layout = rows.layout().clone();
        let (count, is_sparse) = (layout.items().len(), layout.types().next().is_some());
        let mut columns = Columns {
            schema: Arc::new(Schema::empty()),
            nodes: Vec::new(),
            top: Vec::new(),
            leaf: vec![NONE; count],
            group: vec![NONE; count],
            list: vec![NONE; count],
            is_sparse,
            added: Added::new(rows, name),
            rows: 0,
            values: 0,
            is_bad_error,
            report: Vec::new(),
            before: 0,
            misfits: Vec::new(),
            layout,
        };
        let mut fields = Vec::new();
        columns.add(rows, reader, None, &mut fields)?;
        columns.top = fields.iter().map(|(node, _)| *node).collect();
        let own = |is_before| columns.added.fields(is_before);
        let all: Vec<Field> =
            own(true).into_iter().chain(fields.into_iter().map(|one| one.1)).chain(own(false)).collect();
        columns.schema = Arc::new(Schema::new(all));
        Ok(columns)
    }

    /// Adds the columns of the items in a group.
    fn add(
        &mut self,
        rows: &Rows,
        reader: &RowReader,
        parent: Option<usize>,
        into: &mut Vec<(usize, Field)>,
    ) -> Result<(), String> {
        let layout = rows.layout();
        for item in layout.children(parent) {
            if !reader.is_selected(item) {
                continue;
            }
            let Some(name) = rows.key(item) else {
                self.add(rows, reader, Some(item), into)?;
                continue;
            };
            if rows.underscores() && into.iter().any(|(_, field)| *field.name() == *name) {
                return Err(format!("underscores: two columns would have the name {name}"));
            }
            let (mut node, mut data_type) = match &layout.items()[item].kind {
                Some(_) => {
                    let leaf = Leaf::new(rows.column_type(item));
                    let data_type = leaf.data_type();
                    self.leaf[item] = self.nodes.len();
                    (self.push(Node::Leaf(leaf)), data_type)
                }
                None => {
                    let mut children = Vec::new();
                    self.add(rows, reader, Some(item), &mut children)?;
                    let (children, fields): (Vec<usize>, Vec<Field>) = children.into_iter().unzip();
                    self.group[item] = self.nodes.len();
                    let fields = Fields::from(fields);
                    let validity = NullBufferBuilder::new(0);
                    let node = self.push(Node::Struct { fields: fields.clone(), children, validity });
                    (node, DataType::Struct(fields))
                }
            };
            if let Some(occurs) = &layout.items()[item].occurs {
                self.list[item] = self.nodes.len();
                let (most, validity) = (occurs.max, NullBufferBuilder::new(0));
                node = self.push(Node::List { child: node, most, ends: vec![0], validity });
                data_type = DataType::List(element(data_type));
            }
            into.push((node, Field::new(name, data_type, true)));
        }
        Ok(())
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the number of rows so far.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of values so far.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// Returns how many bytes the longest of the columns has so far that are neither fields nor bytes of records.
    pub(super) fn added_bytes(&self) -> usize {
        if self.added.is_empty() { 0 } else { self.added.bytes() }
    }

    /// Sets the name of the input from which the next rows are.
    pub(super) fn set_file(&mut self, name: &str) {
        name.clone_into(&mut self.added.file);
    }

    /// Begins a row.
    #[inline]
    pub(super) fn begin_row(&mut self) {
        self.before = self.values;
    }

    /// Ends the row of a record of this type.
    #[inline]
    pub(super) fn end_row(&mut self, record: &Record<'_>, record_type: Option<usize>, parent: FoundParent<'_>) {
        self.rows += 1;
        if self.is_sparse {
            self.pad_all();
        }
        if !self.added.is_empty() {
            let record_type = record_type.map(|item| self.layout.path(item));
            self.added.push(record, record_type, parent, &self.report);
        }
        self.report.clear();
    }

    /// Makes a row without values of a record that cannot be read because of `error`.
    pub(super) fn end_unreadable(
        &mut self,
        record: &Record<'_>,
        record_type: Option<usize>,
        parent: FoundParent<'_>,
        error: FieldError,
    ) {
        self.undo_row();
        self.rows += 1;
        self.pad_all();
        let record_type = record_type.map(|item| self.layout.path(item));
        self.added.push(record, record_type, parent, &[error]);
        self.report.clear();
    }

    /// Returns whether a value of the row did not fit its column.
    #[inline]
    pub(super) fn has_misfits(&self) -> bool {
        !self.misfits.is_empty()
    }

    /// Reports the values that did not fit. Their places are found by reading the record once more, so that other
    /// records need not keep them. Returns the first error.
    #[cold]
    pub(super) fn report_misfits(&mut self, reader: &mut RowReader, record: &Record<'_>) -> Option<FieldError> {
        let mut first = None;
        for misfit in std::mem::take(&mut self.misfits) {
            let (path, place) = (self.layout.path(misfit.item).to_owned(), reader.place(record.data, misfit.index));
            let bytes = record.data.get(place.clone()).unwrap_or_default();
            let error = FieldError::new(path, place.start, bytes, misfit.problem).in_record(record.number);
            first.get_or_insert_with(|| error.clone());
            self.report.push(error);
        }
        self.report.sort_by_key(FieldError::offset);
        first
    }

    /// Adds the rows of a run of records. If a value needs a closer look, adds nothing and returns `false`.
    pub(super) fn push_run(&mut self, reader: &mut RunReader, run: &RecordRun<'_>) -> bool {
        let count = run.count();
        for field in 0..reader.items().len() {
            let (item, times) = reader.items()[field];
            let Node::Leaf(leaf) = &mut self.nodes[self.leaf[item]] else { continue };
            if !leaf.push_run(reader, field, run.data, count * times) {
                self.undo_row();
                return false;
            }
        }
        for index in 0..self.top.len() {
            end_run(&mut self.nodes, self.top[index], count);
        }
        self.rows += count;
        self.values += count * reader.values();
        true
    }

    fn pad_all(&mut self) {
        for index in 0..self.top.len() {
            pad(&mut self.nodes, self.top[index], self.rows);
        }
    }

    /// Removes what was read of the current row.
    pub(super) fn undo_row(&mut self) {
        for index in 0..self.top.len() {
            self.truncate(self.top[index], self.rows);
        }
    }

    fn truncate(&mut self, node: usize, len: usize) {
        match &mut self.nodes[node] {
            Node::Leaf(leaf) => leaf.truncate(len),
            Node::Struct { children, validity, .. } => {
                let children = children.clone();
                if validity.len() > len {
                    validity.truncate(len);
                }
                children.into_iter().for_each(|child| self.truncate(child, len));
            }
            Node::List { child, ends, validity, .. } => {
                ends.truncate(len + 1);
                let (child, end) = (*child, ends.last().map_or(0, |end| *end as usize));
                if validity.len() > len {
                    validity.truncate(len);
                }
                self.truncate(child, end);
            }
        }
    }

    /// Takes the rows as a batch.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        self.values = 0;
        let mut arrays = self.added.finish(true)?;
        for index in 0..self.top.len() {
            arrays.push(take(&mut self.nodes, self.top[index])?);
        }
        arrays.extend(self.added.finish(false)?);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }
}

/// A value that does not fit its column.
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
        self.misfits.push(Misfit { item, index: self.values - self.before - 1, problem: problem.clone() });
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
        let Node::Leaf(leaf) = &mut self.nodes[self.leaf[item]] else { return Ok(()) };
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
        end_struct(&mut self.nodes, self.group[item], self.is_sparse);
        Ok(())
    }

    fn end_element(&mut self, item: usize) -> Result<(), FieldError> {
        self.end_group(item)
    }

    fn end_array(&mut self, item: usize) -> Result<(), FieldError> {
        let nodes = &mut self.nodes;
        let node = self.list[item];
        let len = match nodes.get(node) {
            Some(Node::List { child, .. }) => len_of(&nodes[*child]),
            _ => return Ok(()),
        };
        if let Node::List { ends, validity, .. } = &mut nodes[node] {
            ends.push(len as i32);
            validity.append_non_null();
        }
        Ok(())
    }
}

fn element(data_type: DataType) -> Arc<Field> {
    // Spark's name for it.
    Arc::new(Field::new("element", data_type, true))
}

fn len_of(node: &Node) -> usize {
    match node {
        Node::Leaf(leaf) => leaf.len(),
        Node::Struct { validity, .. } | Node::List { validity, .. } => validity.len(),
    }
}

/// Ends one struct: what it lacks is null.
fn end_struct(nodes: &mut [Node], node: usize, is_sparse: bool) {
    let Some(Node::Struct { validity, .. }) = nodes.get_mut(node) else { return };
    validity.append_non_null();
    let len = validity.len();
    if is_sparse {
        pad_children(nodes, node, len);
    }
}

fn pad_children(nodes: &mut [Node], node: usize, len: usize) {
    let count = if let Node::Struct { children, .. } = &nodes[node] { children.len() } else { 0 };
    for index in 0..count {
        if let Node::Struct { children, .. } = &nodes[node] {
            pad(nodes, children[index], len);
        }
    }
}

/// Adds nulls up to this length.
fn pad(nodes: &mut [Node], node: usize, len: usize) {
    let missing = len.saturating_sub(len_of(&nodes[node]));
    if missing == 0 {
        return;
    }
    match &mut nodes[node] {
        Node::Leaf(leaf) => (0..missing).for_each(|_| leaf.push_null()),
        Node::Struct { validity, .. } => {
            validity.append_n_nulls(missing);
            pad_children(nodes, node, len);
        }
        Node::List { ends, validity, .. } => {
            let end = ends.last().copied().unwrap_or(0);
            ends.resize(len + 1, end);
            validity.append_n_nulls(missing);
        }
    }
}

/// Ends the groups and the arrays of a run, all of which have the same form: so many entries of a node.
fn end_run(nodes: &mut [Node], node: usize, count: usize) {
    let (children, count) = match &mut nodes[node] {
        Node::Leaf(_) => return,
        Node::Struct { children, validity, .. } => {
            validity.append_n_non_nulls(count);
            (children.clone(), count)
        }
        Node::List { child, most, ends, validity } => {
            let (begin, most) = (ends.last().copied().unwrap_or(0), *most);
            ends.extend((1..=count).map(|entry| begin + (entry * most) as i32));
            validity.append_n_non_nulls(count);
            (vec![*child], count * most)
        }
    };
    children.into_iter().for_each(|child| end_run(nodes, child, count));
}

/// Takes the entries of a node as an array.
fn take(nodes: &mut [Node], node: usize) -> Result<ArrayRef, ArrowError> {
    let (children, len) = match &nodes[node] {
        Node::Struct { children, .. } => (children.clone(), len_of(&nodes[node])),
        Node::List { child, .. } => (vec![*child], 0),
        Node::Leaf(_) => (Vec::new(), 0),
    };
    let arrays = children.into_iter().map(|child| take(nodes, child)).collect::<Result<Vec<_>, _>>()?;
    match &mut nodes[node] {
        Node::Leaf(leaf) => leaf.finish(),
        Node::Struct { fields, validity, .. } => {
            let nulls = validity.finish();
            Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, nulls, len)?))
        }
        Node::List { ends, validity, .. } => {
            let values = arrays.into_iter().next();
            list(ends, values.ok_or_else(|| ArrowError::SchemaError("a list of nothing".into()))?, validity)
        }
    }
}

/// The parent of a record, and what it has in the columns with its fields.
pub(super) type FoundParent<'a> = (Parent, Option<&'a ParentKeys>);

/// The columns that are not fields, as far as they are wanted: where a record is, and the error in it.
struct Added {
    /// The columns with their values, except for the errors.
    columns: Vec<(AddedColumn, Leaf)>,
    /// The columns with fields of the parent. They follow the other columns before the fields.
    keys: Vec<(String, Leaf)>,
    file: String,
    errors: Errors,
}

impl Added {
    fn new(rows: &Rows, file: &str) -> Self {
        let leaf = |column: &AddedColumn| match column {
            // SQL has no unsigned integers, and no file has this many bytes.
            AddedColumn::Number | AddedColumn::Offset | AddedColumn::Parent => Leaf::of_integers(),
            AddedColumn::Record => Leaf::of_bytes(),
            _ => Leaf::of_text(),
        };
        let columns = rows.added().iter().map(|column| (*column, leaf(column))).collect();
        let key = |key: &KeyColumn| (key.name().to_owned(), Leaf::new(key.column_type()));
        let keys = rows.key_columns().iter().map(key).collect();
        Added { columns, keys, file: file.to_owned(), errors: Errors::new() }
    }

    fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Returns how many bytes the longest of these columns has so far, not counting those of the records.
    fn bytes(&self) -> usize {
        let of = |(column, leaf): &(AddedColumn, Leaf)| match column {
            AddedColumn::Record => 0,
            AddedColumn::Errors => self.errors.columns.iter().map(Leaf::bytes).max().unwrap_or(0),
            _ => leaf.bytes(),
        };
        let keys = self.keys.iter().map(|(_, leaf)| leaf.bytes());
        self.columns.iter().map(of).chain(keys).max().unwrap_or(0)
    }

    /// Returns the columns before the fields, or those after them.
    fn fields(&self, is_before: bool) -> Vec<Field> {
        let part = self.columns.iter().filter(|(column, _)| column.is_before_fields() == is_before);
        let field = |(column, leaf): &(AddedColumn, Leaf)| {
            let is_errors = *column == AddedColumn::Errors;
            Field::new(column.column(), if is_errors { Errors::data_type() } else { leaf.data_type() }, true)
        };
        let keys = self.keys.iter().filter(|_| is_before);
        part.map(field).chain(keys.map(|(name, leaf)| Field::new(name, leaf.data_type(), true))).collect()
    }

    fn push(&mut self, record: &Record<'_>, record_type: Option<&str>, parent: FoundParent<'_>, errors: &[FieldError]) {
        let integer = |number: u64| Value::Number(Decimal::new(number.cast_signed().into(), 0));
        for (column, leaf) in &mut self.columns {
            let fits = leaf.push(match column {
                AddedColumn::Number => integer(record.number),
                AddedColumn::Offset => integer(record.offset),
                AddedColumn::Parent => parent.0.number().map_or(Value::Null, integer),
                AddedColumn::Type => record_type.map_or(Value::Null, Value::Text),
                AddedColumn::Record => Value::Raw(record.data),
                AddedColumn::Errors => {
                    self.errors.push(errors);
                    continue;
                }
                _ => Value::Text(&self.file),
            });
            debug_assert!(fits.is_ok());
        }
        for (index, (_, leaf)) in self.keys.iter_mut().enumerate() {
            // What does not fit was an error of the parent's own row.
            if leaf.push(parent.1.map_or(Value::Null, |keys| keys.value(index))).is_err() {
                leaf.push_null();
            }
        }
    }

    fn finish(&mut self, is_before: bool) -> Result<Vec<ArrayRef>, ArrowError> {
        let Added { columns, keys, errors, .. } = self;
        let part = columns.iter_mut().filter(|(column, _)| column.is_before_fields() == is_before);
        let keys = keys.iter_mut().filter(|_| is_before).map(|(_, leaf)| leaf.finish());
        part.map(|(column, leaf)| if *column == AddedColumn::Errors { errors.finish() } else { leaf.finish() })
            .chain(keys)
            .collect()
    }
}

/// The error in each record: a list of the bad fields, or null.
struct Errors {
    ends: Vec<i32>,
    validity: NullBufferBuilder,
    columns: [Leaf; 4],
}

impl Errors {
    fn new() -> Self {
        let columns = [Leaf::of_text(), Leaf::of_text(), Leaf::of_text(), Leaf::of_bytes()];
        Errors { ends: vec![0], validity: NullBufferBuilder::new(0), columns }
    }

    fn fields() -> Fields {
        let text = |name| Field::new(name, DataType::Utf8, true);
        vec![text("field"), text("code"), text("message"), Field::new("bytes", DataType::Binary, true)].into()
    }

    fn data_type() -> DataType {
        DataType::List(element(DataType::Struct(Errors::fields())))
    }

    fn push(&mut self, errors: &[FieldError]) {
        for one in errors {
            let message = one.message();
            let path = Some(one.path()).filter(|path| !path.is_empty()).map_or(Value::Null, Value::Text);
            let values = [path, Value::Text(one.code()), Value::Text(&message), Value::Raw(one.bytes())];
            for (column, value) in self.columns.iter_mut().zip(values) {
                let fits = column.push(value);
                debug_assert!(fits.is_ok());
            }
        }
        self.ends.push(self.columns[0].len() as i32);
        self.validity.append(!errors.is_empty());
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let arrays = self.columns.iter_mut().map(Leaf::finish).collect::<Result<Vec<_>, _>>()?;
        let structs = Arc::new(StructArray::try_new(Errors::fields(), arrays, None)?);
        list(&mut self.ends, structs, &mut self.validity)
    }
}

/// Takes lists of these values, which end there.
fn list(ends: &mut Vec<i32>, values: ArrayRef, validity: &mut NullBufferBuilder) -> Result<ArrayRef, ArrowError> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(ends, vec![0])));
    Ok(Arc::new(ListArray::try_new(element(values.data_type().clone()), offsets, values, validity.finish())?))
}
