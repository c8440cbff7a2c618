//! From batches to records: [`write_records`].
//!
//! A column has the name of its field, and groups and arrays are structs and lists, as in the batches that are read.

use super::capsule::import;
use super::failure::Failure;
use super::setup::{Description, Setup, bad, shape_for};
use crate::output::Output;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, RecordBatch, StructArray};
use arrow_schema::DataType;
use charpipe::codec::{ByteSink, MIN_ROOM};
use charpipe::fields::{Decimal, Source, Value, Writer};
use charpipe::records::RecordWriter;
use pyo3::prelude::*;
use std::io;

/// A part of the way from a column to a value.
enum Step<'a> {
    /// A struct, whose fields are null if it is.
    Struct(&'a StructArray),
    /// An element of a list, from 0.
    List(&'a ListArray, usize),
    LargeList(&'a LargeListArray, usize),
}

/// Where the values of one column of the layout are; `None` if the data has none.
type Access<'a> = Option<(Vec<Step<'a>>, &'a dyn Array)>;

/// Finds the values of a field, such as `CUSTOMER.PHONE[2]`.
fn access<'a>(batch: &'a RecordBatch, path: &str, underscores: bool) -> Result<Access<'a>, String> {
    let (mut steps, mut array): (Vec<Step<'a>>, Option<&'a ArrayRef>) = (Vec::new(), None);
    for segment in path.split('.') {
        let (name, occurrence) = match segment.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            Some((name, number)) => (name, number.parse::<usize>().ok()),
            None => (segment, None),
        };
        let name = if underscores { name.replace('-', "_") } else { name.to_owned() };
        let found = match array {
            None => batch.column_by_name(&name),
            Some(outer) => {
                let group = outer.as_struct_opt().ok_or_else(|| mismatch(path, outer, "a struct"))?;
                steps.push(Step::Struct(group));
                group.column_by_name(&name)
            }
        };
        let Some(mut found) = found else { return Ok(None) };
        if let Some(occurrence) = occurrence {
            let index = occurrence.saturating_sub(1);
            if let Some(list) = found.as_list_opt::<i32>() {
                steps.push(Step::List(list, index));
                found = list.values();
            } else if let Some(list) = found.as_list_opt::<i64>() {
                steps.push(Step::LargeList(list, index));
                found = list.values();
            } else {
                return Err(mismatch(path, found, "a list"));
            }
        }
        array = Some(found);
    }
    Ok(array.map(|array| (steps, array.as_ref())))
}

fn mismatch(path: &str, array: &ArrayRef, expected: &str) -> String {
    format!("the column of {path} is {}, but the layout has {expected}", array.data_type())
}

impl Step<'_> {
    /// Returns the index within this step, of the entry with this index around it; `None` if there is none.
    fn enter(&self, index: usize) -> Option<usize> {
        fn element(begin: usize, end: usize, index: usize) -> Option<usize> {
            (index < end - begin).then_some(begin + index)
        }
        match self {
            Step::Struct(group) => group.is_valid(index).then_some(index),
            Step::List(list, at) if list.is_valid(index) => {
                let offsets = list.value_offsets();
                element(offsets[index] as usize, offsets[index + 1] as usize, *at)
            }
            Step::LargeList(list, at) if list.is_valid(index) => {
                let offsets = list.value_offsets();
                element(offsets[index] as usize, offsets[index + 1] as usize, *at)
            }
            _ => None,
        }
    }
}

/// Returns the value with this index.
fn value(array: &dyn Array, index: usize) -> Option<Value<'_>> {
    macro_rules! integer {
        ($kind:ty) => {
            Value::Number(Decimal::new(array.as_primitive::<$kind>().value(index).into(), 0))
        };
    }
    if array.is_null(index) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(index)),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(index)),
        DataType::Utf8View => Value::Text(array.as_string_view().value(index)),
        DataType::Binary => Value::Raw(array.as_binary::<i32>().value(index)),
        DataType::LargeBinary => Value::Raw(array.as_binary::<i64>().value(index)),
        DataType::BinaryView => Value::Raw(array.as_binary_view().value(index)),
        DataType::FixedSizeBinary(_) => Value::Raw(array.as_fixed_size_binary().value(index)),
        DataType::Int8 => integer!(Int8Type),
        DataType::Int16 => integer!(Int16Type),
        DataType::Int32 => integer!(Int32Type),
        DataType::Int64 => integer!(Int64Type),
        DataType::UInt8 => integer!(UInt8Type),
        DataType::UInt16 => integer!(UInt16Type),
        DataType::UInt32 => integer!(UInt32Type),
        DataType::UInt64 => integer!(UInt64Type),
        DataType::Float32 => Value::Single(array.as_primitive::<Float32Type>().value(index)),
        DataType::Float64 => Value::Double(array.as_primitive::<Float64Type>().value(index)),
        DataType::Decimal128(_, scale) => {
            Value::Number(Decimal::new(array.as_primitive::<Decimal128Type>().value(index), *scale))
        }
        _ => return None,
    })
}

/// Whether [`value`] knows a type.
fn is_writable(data_type: &DataType) -> bool {
    use DataType as Type;
    data_type.is_integer()
        || matches!(data_type, Type::Utf8 | Type::LargeUtf8 | Type::Utf8View | Type::Binary | Type::LargeBinary)
        || matches!(data_type, Type::BinaryView | Type::FixedSizeBinary(_) | Type::Float32 | Type::Float64)
        || matches!(data_type, Type::Decimal128(..))
}

/// One row of a batch.
struct Row<'a, 'b> {
    columns: &'b [Access<'a>],
    index: usize,
}

impl Source for Row<'_, '_> {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        let (steps, array) = self.columns.get(column)?.as_ref()?;
        let index = steps.iter().try_fold(self.index, |index, step| step.enter(index))?;
        value(*array, index)
    }
}

/// Writes the rows of an Arrow stream as records, to a path or a file object. Returns how many there are.
#[pyfunction]
pub(crate) fn write_records(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    description: &Bound<'_, PyAny>,
    underscores: bool,
) -> PyResult<u64> {
    let description: Description = description.extract()?;
    let setup = description.setup()?;
    let shape = shape_for(description.records(), &setup.layout)?;
    let writer = setup.layout.writer(&setup.registry, &setup.codec);
    let writer = writer.map_err(|error| bad(format!("layout: {error}")))?;
    let batches = import(data)?;
    let output = Output::of(target)?;
    let name = output.name();
    let pad = blank(&setup);
    let output = RecordWriter::new(output, &shape, &pad).map_err(|error| Failure::from(error).raise(None))?;
    py.detach(|| {
        let (number, output) = run(batches, writer, output, underscores).map_err(|failure| match failure {
            Problem::Failure(failure) => failure.raise(name.as_deref()),
            Problem::Value(what) => bad(what),
        })?;
        output.commit()?;
        Ok(number)
    })
}

enum Problem {
    Failure(Failure),
    /// The data does not fit the layout.
    Value(String),
}

impl<T: Into<Failure>> From<T> for Problem {
    fn from(failure: T) -> Self {
        Problem::Failure(failure.into())
    }
}

fn run(
    batches: RecordBatchStreamReader,
    mut writer: Writer,
    mut output: RecordWriter<Output>,
    underscores: bool,
) -> Result<(u64, Output), Problem> {
    let columns = writer.columns().map_err(|error| Problem::Value(error.to_string()))?;
    let (mut number, mut record) = (0, Vec::new());
    for batch in batches {
        let interrupted = Python::attach(|py| py.check_signals());
        interrupted.map_err(|error| Failure::from(charpipe::Error::write(0, io::Error::other(error))))?;
        let batch = batch.map_err(|error| Problem::Value(error.to_string()))?;
        check_names(&batch, &columns, underscores).map_err(Problem::Value)?;
        let found =
            columns.iter().map(|column| access(&batch, &column.path, underscores)).collect::<Result<Vec<_>, _>>();
        let found = found.map_err(Problem::Value)?;
        for (column, access) in columns.iter().zip(&found) {
            if let Some((_, array)) = access
                && !is_writable(array.data_type())
                && array.data_type() != &DataType::Null
            {
                let what =
                    format!("the column of {} is {}, which no field can contain", column.path, array.data_type());
                return Err(Problem::Value(what));
            }
        }
        for index in 0..batch.num_rows() {
            number += 1;
            record.clear();
            let written = writer.write(number, &mut Row { columns: &found, index }, &mut record);
            written.map_err(|error| Failure::Field(Box::new(error.into()), None))?;
            output.write_record(&record).map_err(Failure::from)?;
        }
    }
    Ok((number, output.finish().map_err(Failure::from)?))
}

/// Fails for a column that is not a field. Names that begin with an underscore are those of `read`.
fn check_names(batch: &RecordBatch, columns: &[charpipe::fields::Column], underscores: bool) -> Result<(), String> {
    let first = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    for field in batch.schema().fields() {
        let is_known = columns.iter().any(|column| {
            let name = first(&column.path);
            *field.name() == if underscores { name.replace('-', "_") } else { name }
        });
        if !is_known && !field.name().starts_with('_') {
            return Err(format!("the layout has no field {:?}", field.name()));
        }
    }
    Ok(())
}

/// Returns the blank of the code page, which fills up records that are shorter than their shape says.
fn blank(setup: &Setup) -> Vec<u8> {
    let Some(mut encoder) = setup.codec.encoder() else { return Vec::new() };
    let mut room = [0; MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let step = encoder.feed(" ", &mut sink);
    if step.read == 1 { sink.as_bytes().to_vec() } else { Vec::new() }
}
