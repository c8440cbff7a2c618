//! Whole conversions: `decode`, `detect`, `transcode`, `records`, and the stream behind `open`.
//!
//! Options are pairs of text. The library has the table of their names and values ([`Transcode::OPTIONS`]), so they are
//! the same as those of the command.

use crate::error::{raised, wrong_part};
use crate::output::Output;
use crate::registry::current;
use crate::source::{Reader, Source, found_shape};
use crate::strings::Memory;
use charpipe::records::{self, Shape, TapeFile};
use charpipe::rows::RowsJob;
use charpipe::{Error, ErrorKind, NamedOption, OptionValue, Report, Status, Transcode, Transcoder};
use pyo3::exceptions::{PyUnicodeDecodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::io::{self, BufRead, Read, Write};
use std::sync::{Mutex, PoisonError};

/// Options by name.
type Options = Vec<(String, String)>;

/// Returns the conversion that the options ask for, with the codecs of this process.
fn job(py: Python<'_>, options: &Options) -> PyResult<Transcode> {
    let mut job = Transcode::new().registry(current());
    for (name, value) in options {
        job = job.set(name, value).map_err(|error| raised(py, &error))?;
    }
    Ok(job)
}

/// A named option: the name, what the value is, and its words.
type Listed = (&'static str, &'static str, Vec<&'static str>);

/// Returns all options that a conversion has.
#[pyfunction]
pub(crate) fn options() -> Vec<Listed> {
    listed(Transcode::OPTIONS)
}

/// Returns all options that a rows job has.
#[pyfunction]
pub(crate) fn rows_options() -> Vec<Listed> {
    listed(RowsJob::OPTIONS)
}

fn listed(options: &[NamedOption]) -> Vec<Listed> {
    let kind = |value| match value {
        OptionValue::Word(words) => ("word", words.to_vec()),
        OptionValue::WordOrLabel(words) => ("word or label", words.to_vec()),
        OptionValue::Labels => ("labels", Vec::new()),
        OptionValue::Flag => ("flag", Vec::new()),
        _ => ("text", Vec::new()),
    };
    options.iter().map(|option| (option.name, kind(option.value).0, kind(option.value).1)).collect()
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Decodes all of `data`; returns the text and the report as JSON.
#[pyfunction]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    options: Options,
) -> PyResult<(Bound<'py, PyString>, String)> {
    let job = job(py, &options)?;
    let memory = Memory::of(data)?;
    let mut text = Vec::with_capacity(memory.as_slice().len());
    let source = Source::Memory(memory.into());
    let outcome = run(py, &job, &source, &mut text)?;
    let report = outcome.map_err(|error| in_memory(py, data, &error))?;
    let text = String::from_utf8(text).map_err(|_| PyValueError::new_err("the target is not UTF-8"))?;
    Ok((PyString::new(py, &text), json(&report)?))
}

/// Converts `source` to `output`, and finds the lines and columns of what is wrong. A file object is not read again;
/// its lines are counted.
fn run(
    py: Python<'_>,
    job: &Transcode,
    source: &Source,
    output: &mut (impl Write + Send),
) -> PyResult<Result<Report, Error>> {
    let job = job.clone().count_lines(source.is_object());
    let mut transcoder = job.transcoder().map_err(|error| raised(py, &error))?;
    let mut input = Watched::new(source.open()?);
    let mut outcome = py.detach(|| transcoder.run(&mut input, output));
    if !source.is_object()
        && let Ok(again) = source.open()
    {
        // Without lines and columns, there are the offsets.
        _ = py.detach(|| transcoder.locate(Watched::new(again), outcome.as_mut().err()));
    }
    Ok(outcome.map(|()| transcoder.report().clone()))
}

/// Returns the exception for an error in `data`: a `UnicodeDecodeError` for bytes that are malformed.
fn in_memory(py: Python<'_>, data: &Bound<'_, PyAny>, error: &Error) -> PyErr {
    let ErrorKind::Malformed { codec, offset, bytes, .. } = error.kind() else { return raised(py, error) };
    let (Ok(memory), Ok(start)) = (Memory::of(data), usize::try_from(*offset)) else { return raised(py, error) };
    let (object, part) = (PyBytes::new(py, memory.as_slice()), start..start + bytes.len());
    let reason = error.with_position(None).to_string();
    wrong_part::<PyUnicodeDecodeError>(codec, &object, part, &reason).unwrap_or_else(|failure| failure)
}

/// Detects the encoding of `data`, or of a file; returns the verdict as JSON. If `whole`, all of the input is compared
/// with the encoding that was found.
#[pyfunction]
#[pyo3(signature = (input, options, whole=false))]
pub(crate) fn detect(py: Python<'_>, input: &Bound<'_, PyAny>, options: Options, whole: bool) -> PyResult<String> {
    let job = job(py, &options)?;
    let mut detector = if whole { job.whole_detector() } else { job.detector() };
    let mut source = Watched::of(input)?;
    let verdict = py.detach(|| {
        while !detector.is_done() {
            let src = source.fill_buf()?;
            if src.is_empty() {
                break;
            }
            let taken = detector.feed(src);
            source.consume(taken);
        }
        Ok::<_, io::Error>(detector.finish())
    });
    let verdict = verdict.map_err(|source| raised(py, &Error::read(0, source)))?;
    json(&verdict)
}

/// Converts all of `input` to `output`; returns the report as JSON. Both are paths or binary files; the input may be
/// bytes.
#[pyfunction]
pub(crate) fn transcode(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    output: &Bound<'_, PyAny>,
    options: Options,
) -> PyResult<String> {
    let job = job(py, &options)?;
    job.validate().map_err(|error| raised(py, &error))?;
    let source = Source::of(input)?;
    let mut sink = Output::of(output)?;
    let report = run(py, &job, &source, &mut sink)?.map_err(|error| raised(py, &error))?;
    py.detach(|| sink.commit())?;
    json(&report)
}

/// How many bytes are read until Ctrl-C is looked for.
const STRETCH: usize = 4 << 20;

/// How many bytes of output a piece of input can have room for at once.
const ROOM: usize = 512 << 10;

/// Input that looks for Ctrl-C now and then.
pub(crate) struct Watched {
    reader: Reader,
    /// How many bytes were read since it looked.
    read: usize,
}

impl Watched {
    fn new(reader: Reader) -> Self {
        Watched { reader, read: 0 }
    }

    fn of(input: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Watched::new(Source::of(input)?.open()?))
    }
}

impl Read for Watched {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(dst)?;
        self.consume(len);
        Ok(len)
    }
}

impl BufRead for Watched {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read >= STRETCH {
            self.read = 0;
            Python::attach(|py| py.check_signals()).map_err(io::Error::other)?;
        }
        self.reader.fill_buf()
    }

    fn consume(&mut self, len: usize) {
        self.read += len;
        self.reader.consume(len);
    }
}

/// A conversion piece by piece.
#[pyclass(module = "charpipe._charpipe")]
pub(crate) struct Stream {
    /// The lock makes it `Sync`; it is never waited for. In a separate box, as Python aligns objects to 16 bytes at
    /// most, and the transcoder's tables need 64.
    transcoder: Box<Mutex<Transcoder>>,
    room: Vec<u8>,
}

#[pymethods]
impl Stream {
    #[new]
    fn new(py: Python<'_>, options: Options) -> PyResult<Self> {
        // A stream is not read again.
        let transcoder = job(py, &options)?.count_lines(true).transcoder().map_err(|error| raised(py, &error))?;
        Ok(Stream { transcoder: Box::new(Mutex::new(transcoder)), room: vec![0; ROOM] })
    }

    /// Converts `src`, all of it; returns the output and the error, if there is one. With `last`, nothing follows.
    #[pyo3(signature = (src, last=false))]
    fn feed<'py>(
        &mut self,
        py: Python<'py>,
        src: &Bound<'py, PyAny>,
        last: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<PyErr>)> {
        let memory = Memory::of(src)?;
        let (transcoder, room) = (self.transcoder.get_mut().unwrap_or_else(PoisonError::into_inner), &mut self.room);
        let run = || {
            let (src, mut at, mut out) = (memory.as_slice(), 0, Vec::new());
            loop {
                match transcoder.step(&src[at..], room, last) {
                    Ok(step) => {
                        at += step.read;
                        out.extend_from_slice(&room[..step.written]);
                        if step.state != Status::NeedRoom {
                            return (out, None);
                        }
                    }
                    Err(error) => return (out, Some(error)),
                }
            }
        };
        let (out, error) = py.detach(run);
        Ok((PyBytes::new(py, &out), error.map(|error| raised(py, &error))))
    }

    /// Returns the report so far, as JSON.
    fn report(&mut self) -> PyResult<String> {
        json(self.transcoder.get_mut().unwrap_or_else(PoisonError::into_inner).report())
    }

    /// Returns the verdict as JSON, once there is one.
    fn verdict(&mut self) -> PyResult<Option<String>> {
        self.transcoder.get_mut().unwrap_or_else(PoisonError::into_inner).verdict().map(json).transpose()
    }
}

/// Finds how the records of an input are stored. `head` has its first `SHAPE_BYTES`, or all of it. `file` chooses a
/// file of a tape image.
#[pyfunction]
#[pyo3(signature = (head, file=None))]
pub(crate) fn find_shape(head: &Bound<'_, PyAny>, file: Option<&str>) -> PyResult<String> {
    let bad = |what: String| PyValueError::new_err(what);
    let file = file.map(|text| text.parse::<TapeFile>().map_err(|error| bad(format!("file={text:?}: {error}"))));
    let head = Memory::of(head)?;
    let shape = found_shape(head.as_slice(), file.transpose()?.as_ref());
    shape.map(|shape| shape.to_string()).map_err(|none| bad(format!("records=\"auto\": {none}")))
}

/// Iterates over records.
#[pyclass(module = "charpipe._charpipe")]
pub(crate) struct Records {
    /// The lock makes it `Sync`; it is never waited for.
    records: Mutex<records::Records<Watched>>,
    /// The number and the offset of the record that was returned last.
    place: (u64, u64),
}

#[pymethods]
impl Records {
    #[new]
    #[pyo3(signature = (input, shape, limit=None))]
    fn new(input: &Bound<'_, PyAny>, shape: &str, limit: Option<usize>) -> PyResult<Self> {
        let shape: Shape =
            shape.parse().map_err(|error: records::BadShape| PyValueError::new_err(error.to_string()))?;
        let mut records = records::Records::new(Watched::of(input)?, &shape);
        if let Some(limit) = limit {
            records = records.limit(limit);
        }
        Ok(Records { records: Mutex::new(records), place: (0, 0) })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let records = self.records.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(record) = records.next_record().map_err(|error| raised(py, &error))? else { return Ok(None) };
        self.place = (record.number, record.offset);
        Ok(Some(PyBytes::new(py, record.data)))
    }

    /// The number of the record that was returned last, from 1; 0 before the first.
    #[getter]
    fn number(&self) -> u64 {
        self.place.0
    }

    /// The byte of the input at which that record begins, with its header.
    #[getter]
    fn offset(&self) -> u64 {
        self.place.1
    }
}
