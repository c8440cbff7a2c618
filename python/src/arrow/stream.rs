//! The Python classes of record batches, and Arrow's C interface.

use super::batches::{Batches, State};
use super::failure::Failure;
use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray, ffi};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

/// The names of the capsules in Arrow's C interface.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Record batches, read while they are consumed.
///
/// pyarrow, Polars, DuckDB and pandas take it as it is: pyarrow.table(stream), polars.from_arrow(stream). It is consumed
/// once. Iterating over it gives batches that can be passed on in the same way.
#[pyclass(module = "charpipe", frozen)]
pub(crate) struct RecordStream(Arc<Mutex<Batches>>);

impl RecordStream {
    pub(super) fn new(batches: Batches) -> Self {
        RecordStream(Arc::new(Mutex::new(batches)))
    }
}

impl RecordStream {
    /// Raises an error if the stream was read to its end: a second table of it would be empty.
    fn check_not_ended(&self, py: Python<'_>) -> PyResult<()> {
        match py.detach(|| lock(&self.0).is_ended()) {
            true => {
                Err(PyValueError::new_err("this stream was read to its end; call charpipe.read again for another one"))
            }
            false => Ok(()),
        }
    }
}

/// Returns the names of the columns, and their types.
fn shown(schema: &SchemaRef) -> impl Iterator<Item = (String, String)> {
    schema.fields().iter().map(|field| (field.name().clone(), field.data_type().to_string()))
}

fn lock(batches: &Mutex<Batches>) -> MutexGuard<'_, Batches> {
    batches.lock().unwrap_or_else(|poisoned| {
        // A panic is reported where it happens. What it left must not be read.
        let mut batches = poisoned.into_inner();
        batches.state = State::Broken;
        batches
    })
}

fn invalid(error: &ArrowError) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(error.to_string())
}

#[pymethods]
impl RecordStream {
    /// Arrow's C interface: a stream of batches. The batches that were not read yet are in it.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer that wants other types converts the columns itself, which the interface allows.
        let _ = requested_schema;
        self.check_not_ended(py)?;
        // Another thread that reads the stream may need the GIL before it unlocks it.
        let consumer = py.detach(|| Consumer::new(self.0.clone()));
        let stream = FFI_ArrowArrayStream::new(Box::new(consumer));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    /// Arrow's C interface: the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = py.detach(|| lock(&self.0).schema());
        let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|error| invalid(&error))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// How the records are stored, such as rdw.
    #[getter]
    fn shape(&self, py: Python<'_>) -> String {
        py.detach(|| lock(&self.0).shape.to_string())
    }

    /// The schema, as pyarrow has it.
    #[getter]
    fn schema<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("pyarrow")?.call_method1("schema", (this,))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let batches = lock(&self.0);
            let name = batches.name.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
            let columns: Vec<String> =
                shown(&batches.schema()).map(|(name, kind)| format!("  {name}: {kind}")).collect();
            format!("<charpipe.RecordStream{name}, {}>\n{}", batches.shape, columns.join("\n"))
        })
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let row =
            |(name, kind): (String, String)| format!("<tr><td>{}</td><td>{}</td></tr>", escaped(&name), escaped(&kind));
        let rows: String = py.detach(|| shown(&lock(&self.0).schema()).map(row).collect());
        format!("<table><thead><tr><th>column</th><th>type</th></tr></thead><tbody>{rows}</tbody></table>")
    }

    /// NumPy's interface, which pandas.DataFrame asks for: it would make one cell of each batch.
    #[pyo3(signature = (*_args, **_options))]
    fn __array__(&self, _args: &Bound<'_, PyTuple>, _options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let what = "a stream of records is not an array: call pyarrow.table(stream).to_pandas() for a pandas.DataFrame";
        Err(PyTypeError::new_err(what))
    }

    fn __iter__(this: &Bound<'_, Self>) -> PyResult<Py<Self>> {
        this.get().check_not_ended(this.py())?;
        Ok(this.clone().unbind())
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        py.check_signals()?;
        let (batch, name) = py.detach(|| {
            let mut batches = lock(&self.0);
            (batches.next_batch(), batches.name.clone())
        });
        match batch {
            Ok(batch) => Ok(batch.map(Batch)),
            Err(failure) => Err(failure.raise(name.as_deref())),
        }
    }
}

/// One batch of records.
#[pyclass(module = "charpipe", frozen, name = "RecordBatch")]
pub(crate) struct Batch(RecordBatch);

#[pymethods]
impl Batch {
    /// The number of records.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// Arrow's C interface: the schema and the array of structs that the batch is.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let data = StructArray::from(self.0.clone()).into_data();
        let (array, schema): (FFI_ArrowArray, FFI_ArrowSchema) = ffi::to_ffi(&data).map_err(|error| invalid(&error))?;
        let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
        Ok((schema, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    /// Arrow's C interface: the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(|error| invalid(&error))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }
}

/// Gives the batches to a consumer that knows nothing of Python.
struct Consumer {
    batches: Arc<Mutex<Batches>>,
    schema: SchemaRef,
}

impl Consumer {
    fn new(batches: Arc<Mutex<Batches>>) -> Self {
        let schema = lock(&batches).schema();
        Consumer { batches, schema }
    }

    fn next_batch(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let mut batches = lock(&self.batches);
        let batch = batches.next_batch();
        // C's strings end at a NUL.
        let message = |failure: Failure| failure.message(batches.name.as_deref()).replace('\0', "\u{FFFD}");
        batch.map_err(|failure| ArrowError::ExternalError(message(failure).into())).transpose()
    }
}

impl Iterator for Consumer {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // A panic must not reach the consumer, which would be aborted.
        catch_unwind(AssertUnwindSafe(|| self.next_batch()))
            .unwrap_or_else(|_| Some(Err(ArrowError::ExternalError("a panic, which is a bug in charpipe".into()))))
    }
}

impl RecordBatchReader for Consumer {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
