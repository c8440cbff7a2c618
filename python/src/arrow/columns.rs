//! The columns of a batch while they receive the values of records: [`Columns`].
//!
//! A group is a column of structs, and an array a column of lists. Every column has one entry for each record (within an
//! array: for each element); what does not apply to a record is null.

use super::failure::BadField;
use super::leaf::{Bytes, Integers, Leaf, Misfit};
use super::setup::Extra;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, ListArray, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray, StructArray,
};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use charpipe::fields::{FieldError, Layout, Reader, Value, Visitor};
use std::collections::HashMap;
use std::sync::Arc;

/// How a layout becomes columns.
pub(super) struct Naming<'a> {
    pub(super) integers: Integers,
    /// Whether hyphens in names become underscores.
    pub(super) underscores: bool,
    /// The patterns of dates, by the fields that have one.
    pub(super) dates: &'a HashMap<usize, super::date::DatePattern>,
}

/// A column and what is in it.
enum Node {
    Leaf(Leaf),
    Struct { fields: Fields, children: Vec<usize>, validity: NullBufferBuilder },
    List { child: usize, ends: Vec<i32>, validity: NullBufferBuilder },
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
    extras: Extras,
    rows: usize,
    values: usize,
    /// What is wrong with the current record, if that is to be reported in a column.
    report: Option<Vec<BadField>>,
    /// The record that is being read.
    record: u64,
}

impl Columns {
    /// Makes the columns for the fields that `reader` reads.
    pub(super) fn new(reader: &Reader, naming: &Naming<'_>, extras: &[Extra], name: &str, reports: bool) -> Self {
        let layout = reader.layout().clone();
        let (count, is_sparse) = (layout.items().len(), layout.types().next().is_some());
        let mut columns = Columns {
            schema: Arc::new(Schema::empty()),
            nodes: Vec::new(),
            top: Vec::new(),
            leaf: vec![NONE; count],
            group: vec![NONE; count],
            list: vec![NONE; count],
            is_sparse,
            extras: Extras::new(extras, name),
            rows: 0,
            values: 0,
            report: reports.then(Vec::new),
            record: 0,
            layout,
        };
        let mut fields = Vec::new();
        let layout = columns.layout.clone();
        columns.add(reader, &layout, naming, None, &mut fields);
        columns.top = fields.iter().map(|(node, _)| *node).collect();
        let own = |is_before| columns.extras.fields(is_before);
        let all: Vec<Field> =
            own(true).into_iter().chain(fields.into_iter().map(|one| one.1)).chain(own(false)).collect();
        columns.schema = Arc::new(Schema::new(all));
        columns
    }

    /// Adds the columns of the items in a group.
    fn add(
        &mut self,
        reader: &Reader,
        layout: &Layout,
        naming: &Naming<'_>,
        parent: Option<usize>,
        into: &mut Vec<(usize, Field)>,
    ) {
        for item in layout.children(parent) {
            if !reader.is_selected(item) {
                continue;
            }
            let Some(key) = layout.key(item) else {
                self.add(reader, layout, naming, Some(item), into);
                continue;
            };
            let name = if naming.underscores { key.replace('-', "_") } else { key.to_owned() };
            let (mut node, mut data_type) = match &layout.items()[item].kind {
                Some(kind) => {
                    let leaf = Leaf::new(kind, naming.integers, naming.dates.get(&item).cloned());
                    let data_type = leaf.data_type();
                    self.leaf[item] = self.nodes.len();
                    (self.push(Node::Leaf(leaf)), data_type)
                }
                None => {
                    let mut children = Vec::new();
                    self.add(reader, layout, naming, Some(item), &mut children);
                    let (children, fields): (Vec<usize>, Vec<Field>) = children.into_iter().unzip();
                    self.group[item] = self.nodes.len();
                    let fields = Fields::from(fields);
                    let validity = NullBufferBuilder::new(0);
                    let node = self.push(Node::Struct { fields: fields.clone(), children, validity });
                    (node, DataType::Struct(fields))
                }
            };
            if layout.items()[item].occurs.is_some() {
                self.list[item] = self.nodes.len();
                node = self.push(Node::List { child: node, ends: vec![0], validity: NullBufferBuilder::new(0) });
                data_type = DataType::List(element(data_type));
            }
            into.push((node, Field::new(name, data_type, true)));
        }
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
    pub(super) fn extra_bytes(&self) -> usize {
        if self.extras.is_empty() { 0 } else { self.extras.bytes() }
    }

    /// Begins the row of a record.
    pub(super) fn begin_row(&mut self, record: u64) {
        self.record = record;
    }

    /// Ends the row of a record of this type, which begins at `offset` of the input.
    #[inline]
    pub(super) fn end_row(&mut self, data: &[u8], offset: u64, record_type: Option<usize>) {
        self.rows += 1;
        if self.is_sparse {
            self.pad_all();
        }
        if !self.extras.is_empty() {
            let record_type = record_type.map(|item| self.layout.path(item));
            self.extras.push(self.record, offset, record_type, data, self.report.as_deref().unwrap_or_default());
        }
        if let Some(report) = &mut self.report {
            report.clear();
        }
    }

    /// Makes a row without values of a record that cannot be read.
    pub(super) fn end_bad_row(&mut self, data: &[u8], offset: u64, bad: BadField) {
        self.undo_row();
        self.report.get_or_insert_default().push(bad);
        self.rows += 1;
        self.pad_all();
        self.extras.push(self.record, offset, None, data, self.report.as_deref().unwrap_or_default());
        self.report.get_or_insert_default().clear();
    }

    /// Removes what was read of the current row.
    pub(super) fn undo_row(&mut self) {
        for index in 0..self.top.len() {
            self.truncate(self.top[index], self.rows);
        }
    }

    fn pad_all(&mut self) {
        for index in 0..self.top.len() {
            pad(&mut self.nodes, self.top[index], self.rows);
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
            Node::List { child, ends, validity } => {
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
        let mut arrays = self.extras.finish(true)?;
        for index in 0..self.top.len() {
            arrays.push(take(&mut self.nodes, self.top[index])?);
        }
        arrays.extend(self.extras.finish(false)?);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }

    /// Reports a value that does not fit its column, or fails.
    #[cold]
    fn misfit(&mut self, item: usize, misfit: Misfit) -> Result<(), Box<BadField>> {
        let (record, field) = (self.record, self.layout.path(item).to_owned());
        let message = format!("record {record}, field {field}: {}", misfit.what);
        let bad = BadField { record, field, code: misfit.code, bytes: Vec::new(), message };
        let Some(report) = &mut self.report else { return Err(Box::new(bad)) };
        report.push(bad);
        if let Node::Leaf(leaf) = &mut self.nodes[self.leaf[item]] {
            leaf.push_null();
        }
        Ok(())
    }
}

impl From<FieldError> for Box<BadField> {
    fn from(error: FieldError) -> Self {
        Box::new(error.into())
    }
}

impl Visitor for Columns {
    type Error = Box<BadField>;

    #[inline]
    fn value(&mut self, item: usize, _column: usize, value: Value<'_>) -> Result<(), Box<BadField>> {
        self.values += 1;
        let Node::Leaf(leaf) = &mut self.nodes[self.leaf[item]] else { return Ok(()) };
        match leaf.push(value) {
            Ok(()) => Ok(()),
            Err(misfit) => self.misfit(item, misfit),
        }
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), Box<BadField>> {
        if let Some(report) = &mut self.report {
            report.push(error.into());
        }
        Ok(())
    }

    fn end_group(&mut self, item: usize) -> Result<(), Box<BadField>> {
        end_struct(&mut self.nodes, self.group[item], self.is_sparse);
        Ok(())
    }

    fn end_element(&mut self, item: usize) -> Result<(), Box<BadField>> {
        self.end_group(item)
    }

    fn end_array(&mut self, item: usize) -> Result<(), Box<BadField>> {
        let node = self.list[item];
        let len = match self.nodes.get(node) {
            Some(Node::List { child, .. }) => len_of(&self.nodes[*child]),
            _ => return Ok(()),
        };
        if let Node::List { ends, validity, .. } = &mut self.nodes[node] {
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
            let ends = std::mem::replace(ends, vec![0]);
            let values =
                arrays.into_iter().next().ok_or_else(|| ArrowError::SchemaError("a list of nothing".into()))?;
            let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
            Ok(Arc::new(ListArray::try_new(element(values.data_type().clone()), offsets, values, validity.finish())?))
        }
    }
}

/// The columns that are not fields, as far as they are wanted: where a record is, and what is wrong with it.
struct Extras {
    wanted: Vec<Extra>,
    file: String,
    rows: usize,
    numbers: Vec<u64>,
    offsets: Vec<u64>,
    types: Bytes,
    type_validity: NullBufferBuilder,
    records: Bytes,
    errors: Errors,
}

impl Extras {
    fn new(wanted: &[Extra], file: &str) -> Self {
        Extras {
            wanted: wanted.to_vec(),
            file: file.to_owned(),
            rows: 0,
            numbers: Vec::new(),
            offsets: Vec::new(),
            types: Bytes::new(),
            type_validity: NullBufferBuilder::new(0),
            records: Bytes::new(),
            errors: Errors::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Returns how many bytes the longest of these columns has so far, not counting those of the records.
    fn bytes(&self) -> usize {
        let of = |extra: &Extra| match extra {
            Extra::File => self.rows * self.file.len(),
            Extra::Type => self.types.bytes(),
            Extra::Errors => self.errors.columns.iter().map(Bytes::bytes).max().unwrap_or(0),
            Extra::Number | Extra::Offset | Extra::Record => 0,
        };
        self.wanted.iter().map(of).max().unwrap_or(0)
    }

    /// Returns the columns before the fields, or those after them.
    fn part(&self, is_before: bool) -> impl Iterator<Item = Extra> + use<> {
        let wanted = self.wanted.clone();
        Extra::ALL.into_iter().filter(move |one| wanted.contains(one) && one.is_before() == is_before)
    }

    fn fields(&self, is_before: bool) -> Vec<Field> {
        self.part(is_before).map(|extra| Field::new(extra.name(), extra.data_type(), true)).collect()
    }

    fn push(&mut self, number: u64, offset: u64, record_type: Option<&str>, data: &[u8], bad: &[BadField]) {
        self.rows += 1;
        for extra in &self.wanted {
            match extra {
                Extra::File => {}
                Extra::Number => self.numbers.push(number),
                Extra::Offset => self.offsets.push(offset),
                Extra::Type => {
                    self.types.push(record_type.unwrap_or_default().as_bytes());
                    self.type_validity.append(record_type.is_some());
                }
                Extra::Record => self.records.push(data),
                Extra::Errors => self.errors.push(bad),
            }
        }
    }

    fn finish(&mut self, is_before: bool) -> Result<Vec<ArrayRef>, ArrowError> {
        // SQL has no unsigned integers, and no file has so many bytes.
        fn signed(numbers: &mut Vec<u64>) -> ArrayRef {
            let numbers: Vec<i64> = std::mem::take(numbers).into_iter().map(u64::cast_signed).collect();
            Arc::new(PrimitiveArray::<Int64Type>::from(numbers))
        }
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for extra in self.part(is_before) {
            arrays.push(match extra {
                Extra::File => Arc::new(StringArray::from_iter_values(std::iter::repeat_n(&self.file, self.rows))),
                Extra::Number => signed(&mut self.numbers),
                Extra::Offset => signed(&mut self.offsets),
                Extra::Type => {
                    let (offsets, bytes) = self.types.take();
                    Arc::new(StringArray::try_new(offsets, bytes, self.type_validity.finish())?)
                }
                Extra::Record => {
                    let (offsets, bytes) = self.records.take();
                    Arc::new(BinaryArray::try_new(offsets, bytes, None)?)
                }
                Extra::Errors => self.errors.finish()?,
            });
        }
        if !is_before {
            self.rows = 0;
        }
        Ok(arrays)
    }
}

impl Extra {
    fn data_type(self) -> DataType {
        match self {
            Extra::File | Extra::Type => DataType::Utf8,
            Extra::Number | Extra::Offset => DataType::Int64,
            Extra::Record => DataType::Binary,
            Extra::Errors => DataType::List(element(DataType::Struct(Errors::fields()))),
        }
    }
}

/// What is wrong with each record: a list of the bad fields, or null.
struct Errors {
    ends: Vec<i32>,
    validity: NullBufferBuilder,
    columns: [Bytes; 4],
}

impl Errors {
    fn new() -> Self {
        let columns = [Bytes::new(), Bytes::new(), Bytes::new(), Bytes::new()];
        Errors { ends: vec![0], validity: NullBufferBuilder::new(0), columns }
    }

    fn fields() -> Fields {
        let text = |name| Field::new(name, DataType::Utf8, true);
        vec![text("field"), text("code"), text("message"), Field::new("bytes", DataType::Binary, true)].into()
    }

    fn push(&mut self, bad: &[BadField]) {
        for one in bad {
            let values = [one.field.as_bytes(), one.code.as_bytes(), one.message.as_bytes(), &one.bytes];
            self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        self.ends.push(self.columns[0].len() as i32);
        self.validity.append(!bad.is_empty());
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let [field, code, message, bytes] = &mut self.columns;
        let text = |column: &mut Bytes| -> Result<ArrayRef, ArrowError> {
            let (offsets, bytes) = column.take();
            Ok(Arc::new(StringArray::try_new(offsets, bytes, None)?))
        };
        let mut arrays = vec![text(field)?, text(code)?, text(message)?];
        let (offsets, bytes) = bytes.take();
        arrays.push(Arc::new(BinaryArray::try_new(offsets, bytes, None)?));
        let structs = StructArray::try_new(Errors::fields(), arrays, None)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(&mut self.ends, vec![0])));
        let element = element(structs.data_type().clone());
        Ok(Arc::new(ListArray::try_new(element, offsets, Arc::new(structs), self.validity.finish())?))
    }
}
