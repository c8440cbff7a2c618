//! What a caller says about records: their layout and shape, the code page, and which columns are wanted.

use super::batches::{Batches, State};
use super::columns::{Columns, Naming};
use super::date::DatePattern;
use super::failure::Failure;
use super::leaf::Integers;
use super::source::Source;
use super::stream::RecordStream;
use crate::error::raised;
use crate::registry;
use charpipe::codec::Codec;
use charpipe::fields::{BadLayout, ByteOrder, Copybook, FloatFormat, Layout, OnBad, ReadOptions, Reader, Rule, Trim};
use charpipe::records::{Records, SNIFFED, Shape, Split, TapeFile, look, numbered_splits, splits};
use charpipe::{OnOverlong, Registry};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::io::{BufReader, Seek as _};
use std::sync::Arc;

/// A column that is not a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extra {
    File,
    Number,
    Offset,
    Type,
    Record,
    Errors,
}

impl Extra {
    /// In the order in which they stand in a batch.
    pub(super) const ALL: [Extra; 6] =
        [Extra::File, Extra::Number, Extra::Offset, Extra::Type, Extra::Record, Extra::Errors];

    /// Returns its name. No name in COBOL begins like this.
    pub(super) fn name(self) -> &'static str {
        match self {
            Extra::File => "_file",
            Extra::Number => "_number",
            Extra::Offset => "_offset",
            Extra::Type => "_type",
            Extra::Record => "_record",
            Extra::Errors => "_errors",
        }
    }

    /// Returns whether it stands before the fields.
    pub(super) fn is_before(self) -> bool {
        !matches!(self, Extra::Record | Extra::Errors)
    }
}

/// How a layout is read, and how records are stored. `charpipe/arrow.py` explains each option.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Description {
    /// A field list or a copybook.
    layout: Vec<u8>,
    encoding: String,
    records: Option<String>,
    when: Vec<String>,
    floats: String,
    byteorder: String,
}

/// Which columns are wanted, and what becomes of values that cannot be read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    columns: Option<Vec<String>>,
    extra: Vec<String>,
    on_bad: String,
    trim: String,
    short_records: bool,
    overlong: String,
    empty_is_null: bool,
    integers: bool,
    underscores: bool,
    dates: HashMap<String, String>,
    batch_rows: usize,
    /// A file of a tape.
    file: Option<String>,
    /// The name of the input, if it is not that of the source.
    name: Option<String>,
}

pub(super) fn bad(what: impl ToString) -> PyErr {
    PyValueError::new_err(what.to_string())
}

/// Makes the error for a word that is none of those expected.
fn unknown(option: &str, word: &str, expected: &str) -> PyErr {
    bad(format!("{option}={word:?}: expected {expected}"))
}

fn bad_layout(error: &BadLayout) -> PyErr {
    bad(format!("layout: {error}"))
}

/// A [`Description`] that was understood.
pub(super) struct Setup {
    pub(super) layout: Layout,
    pub(super) registry: Registry,
    pub(super) codec: Arc<dyn Codec>,
}

impl Description {
    pub(super) fn setup(&self) -> PyResult<Setup> {
        let floats = match &*self.floats {
            "ibm" => FloatFormat::Ibm,
            "ieee" => FloatFormat::Ieee,
            word => return Err(unknown("floats", word, "ibm or ieee")),
        };
        let order = match &*self.byteorder {
            "big" => ByteOrder::Big,
            "little" => ByteOrder::Little,
            word => return Err(unknown("byteorder", word, "big or little")),
        };
        let registry = registry::current();
        let raised = |error| Python::attach(|py| raised(py, &error));
        let codec = registry.codec(&self.encoding).map_err(raised)?;
        let copybook = Copybook::new().float(floats).native_order(order);
        let mut layout = Layout::read(&self.layout, &copybook).map_err(|error| bad_layout(&error))?;
        for rule in &self.when {
            let rule: Rule = rule.parse().map_err(|error| bad(format!("when: {error}")))?;
            layout =
                layout.apply(&rule).map_err(|error| bad(format!("when={:?}: {}", rule.to_string(), error.what)))?;
        }
        Ok(Setup { layout, registry, codec })
    }

    pub(super) fn records(&self) -> Option<&str> {
        self.records.as_deref()
    }

    /// Returns the shape of the records of `source`.
    fn shape(&self, layout: &Layout, source: &Source, file: Option<&TapeFile>) -> PyResult<Shape> {
        match self.records() {
            Some(text) => shape_of(text, source, file),
            None => shape_for(None, layout),
        }
    }
}

/// Returns the shape of records that are written: as it is named, or that of records of a fixed length.
pub(super) fn shape_for(records: Option<&str>, layout: &Layout) -> PyResult<Shape> {
    if let Some(text) = records {
        return text.parse().map_err(|error| bad(format!("records: {error}")));
    }
    let (min, max) = (layout.min_len(), layout.max_len());
    match u32::try_from(max) {
        Ok(lrecl) if min == max && lrecl > 0 => Ok(Shape::Fixed { lrecl }),
        _ => Err(bad(format!(
            "the records of this layout have {min} to {max} bytes: say how they are stored, such as records=\"rdw\""
        ))),
    }
}

/// Reads the notation of a shape. `auto`: finds it in the first bytes of `source`.
pub(super) fn shape_of(text: &str, source: &Source, file: Option<&TapeFile>) -> PyResult<Shape> {
    if !text.eq_ignore_ascii_case("auto") {
        return text.parse().map_err(|error| bad(format!("records: {error}")));
    }
    let head = source.head(SNIFFED as u64 + 1)?;
    look(&head, head.len() <= SNIFFED, file).shape().map_err(|none| {
        let name = source.name().map_or_else(String::new, |name| format!("{name}: "));
        bad(format!("{name}records=\"auto\": {none}"))
    })
}

impl Wanted {
    fn extras(&self) -> PyResult<Vec<Extra>> {
        let named = self.columns.iter().flatten().filter(|name| name.starts_with('_')).chain(&self.extra);
        let mut extras = Vec::new();
        for name in named {
            let expected = "one of _file, _number, _offset, _type, _record and _errors";
            let extra = Extra::ALL.into_iter().find(|extra| extra.name() == name);
            let extra = extra.ok_or_else(|| unknown("extra", name, expected))?;
            if !extras.contains(&extra) {
                extras.push(extra);
            }
        }
        if self.on_bad == "null" && self.columns.is_none() && !extras.contains(&Extra::Errors) {
            extras.push(Extra::Errors);
        }
        Ok(extras)
    }

    fn reader(&self, setup: &Setup) -> PyResult<Reader> {
        let trim = match &*self.trim {
            "blanks" => Trim::Blanks,
            "nuls" => Trim::BlanksAndNuls,
            "nothing" => Trim::Nothing,
            word => return Err(unknown("trim", word, "blanks, nuls or nothing")),
        };
        let on_bad = match &*self.on_bad {
            "error" => OnBad::Error,
            "null" => OnBad::Report,
            word => return Err(unknown("on_bad", word, "error or null")),
        };
        let overlong: OnOverlong =
            self.overlong.parse().map_err(|_| unknown("overlong", &self.overlong, "fail or cut"))?;
        let mut options = ReadOptions::new()
            .trim(trim)
            .on_bad(on_bad)
            .short_records(self.short_records)
            .overlong(overlong)
            .empty_is_null(self.empty_is_null);
        if let Some(columns) = &self.columns {
            options = options.select(columns.iter().filter(|name| !name.starts_with('_')).cloned());
        }
        setup.layout.reader(&setup.registry, &setup.codec, &options).map_err(|error| bad_layout(&error))
    }

    /// Finds the fields that contain dates.
    fn dates(&self, layout: &Layout) -> PyResult<HashMap<usize, DatePattern>> {
        let mut dates = HashMap::new();
        for (name, pattern) in &self.dates {
            let item = layout.find(name).map_err(|error| bad(format!("dates: {}", error.what)))?;
            let can_be = |kind: &charpipe::fields::Kind| kind.is_decimal() || kind.name() == "text";
            if !layout.items()[item].kind.as_ref().is_some_and(can_be) {
                return Err(bad(format!("dates: {name} is neither text nor a number")));
            }
            dates.insert(item, DatePattern::new(pattern).map_err(|what| bad(format!("dates: {name}: {what}")))?);
        }
        Ok(dates)
    }
}

fn tape_file(text: Option<&String>) -> PyResult<Option<TapeFile>> {
    text.map(|text| text.parse().map_err(|error| bad(format!("file={text:?}: {error}")))).transpose()
}

/// Reads records from a path, a buffer or a file object. `part`: the beginning and the end of the part to read, and the
/// number of its first record.
#[pyfunction]
#[pyo3(signature = (source, description, wanted, part = None))]
pub(crate) fn read_records(
    source: &Bound<'_, PyAny>,
    description: &Bound<'_, PyAny>,
    wanted: &Bound<'_, PyAny>,
    part: Option<(u64, u64, Option<u64>)>,
) -> PyResult<RecordStream> {
    let (description, wanted): (Description, Wanted) = (description.extract()?, wanted.extract()?);
    let source = Source::new(source)?;
    let (setup, file) = (description.setup()?, tape_file(wanted.file.as_ref())?);
    let shape = description.shape(&setup.layout, &source, file.as_ref())?;
    let (reader, dates) = (wanted.reader(&setup)?, wanted.dates(&setup.layout)?);
    let integers = if wanted.integers { Integers::All } else { Integers::Binary };
    let naming = Naming { integers, underscores: wanted.underscores, dates: &dates };
    let name = wanted.name.clone().or_else(|| source.name());
    let keeps_bad = wanted.on_bad == "null";
    let columns = Columns::new(&reader, &naming, &wanted.extras()?, name.as_deref().unwrap_or_default(), keeps_bad);
    let input = source.reader(part.map(|part| part.0))?;
    let longest = setup.layout.max_len().max(charpipe::records::RECORD_LIMIT);
    let mut records = Records::new(input, &shape).limit(longest).file(file);
    if let Some((begin, end, number)) = part {
        records = records.part(&Split::new(begin, end, number));
    }
    // Errors have the numbers of records, which are those of the file only if the number of the first one is known.
    let name = match (part, name) {
        (Some((begin, _, None)), Some(name)) => Some(format!("{name}, records counted from byte {begin}")),
        (_, name) => name,
    };
    let rows = wanted.batch_rows.max(1);
    Ok(RecordStream::new(Batches { records, reader, columns, rows, shape, name, keeps_bad, state: State::Running }))
}

/// Cuts a file into parts of about `bytes` bytes. Returns the beginning and the end of each, and the number of its first
/// record, if it is known or `numbers` asks for it.
#[pyfunction]
pub(crate) fn split_records(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    records: &str,
    bytes: u64,
    numbers: bool,
) -> PyResult<Vec<(u64, u64, Option<u64>)>> {
    let source = Source::new(source)?;
    let shape = shape_of(records, &source, None)?;
    let (name, mut input) = (source.name(), source.open()?);
    let at = source.position(&mut input)?;
    let parts = py.detach(|| match (numbers, &shape) {
        // Of these the numbers are known anyway.
        (false, _) | (true, Shape::Fixed { .. } | Shape::FixedBlocks { .. } | Shape::AwsTape { .. }) => {
            splits(&mut input, &shape, bytes)
        }
        _ => {
            input.rewind().map_err(|error| charpipe::Error::read(0, error))?;
            numbered_splits(BufReader::with_capacity(1 << 20, &mut input), &shape, bytes)
        }
    });
    let parts = parts.map_err(|error| Failure::from(error).raise(name.as_deref()))?;
    source.go_to(&mut input, at)?;
    Ok(parts.into_iter().map(|part| (part.begin, part.end, part.number)).collect())
}
