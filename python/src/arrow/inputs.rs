//! Opens the inputs of a stream of batches, one after another: [`Inputs`].

use super::failure::{Failure, bad, refused};
use super::runs::Runs;
use crate::source::Source;
use charpipe::records::{Records, Shape, Split};
use charpipe::rows::{Parents, RowReader, Rows, StoredAs};
use pyo3::prelude::*;
use std::io::{BufRead, Read as _};
use std::sync::Arc;

/// A part of an input: its beginning and its end, in bytes from 0, and the number of its first record, if it is known.
pub(super) type Part = (u64, u64, Option<u64>);

/// An input that is about to be read.
pub(super) struct Opened {
    pub(super) records: Records<Box<dyn BufRead + Send>>,
    pub(super) reader: RowReader,
    pub(super) parents: Option<Parents>,
    pub(super) runs: Option<Runs>,
    pub(super) shape: Shape,
    pub(super) name: Option<String>,
}

/// Several inputs, which are opened one after another.
pub(super) struct Inputs {
    rows: Rows,
    /// The inputs that follow, if there are any: an iterator of sources and their names.
    rest: Option<Py<PyAny>>,
}

impl Inputs {
    pub(super) fn new(rows: Rows, rest: Option<Py<PyAny>>) -> Self {
        Inputs { rows, rest }
    }

    /// Returns what all inputs are read with.
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Opens an input. `name` is its name, if the source has another one.
    pub(super) fn open(&self, source: &Source, name: Option<String>, part: Option<Part>) -> PyResult<Opened> {
        let rows = &self.rows;
        let name = name.or_else(|| source.name());
        let refused = |error| refused(error, name.as_deref());
        if part.is_some() && rows.skips_edges() {
            return Err(bad("skip_head and skip_tail are about a whole input: leave out split"));
        }
        let parents = rows.parents();
        if parents.is_some() && part.is_some_and(|(begin, ..)| begin > 0) {
            return Err(bad(
                "parent: a part of an input lacks the parents before it; read the whole input, without split",
            ));
        }
        let (shape, input): (Shape, Box<dyn BufRead + Send>) = match part {
            None => {
                let (shape, opened) = rows.open(source.open()?).map_err(refused)?;
                let (head, rest) = opened.into_inner();
                // The end of the head is not looked for in each read if there is none.
                (shape, if head.get_ref().is_empty() { Box::new(rest) } else { Box::new(head.chain(rest)) })
            }
            Some((begin, ..)) => {
                // The beginning of the whole input shows its shape.
                let head = if *rows.stored_as() == StoredAs::Auto { source.head()? } else { Vec::new() };
                (rows.shape(&head).map_err(refused)?, Box::new(source.open_at(begin)?))
            }
        };
        let mut records = rows.records(input, &shape);
        if let Some((begin, end, number)) = part {
            records = records.part(&Split::new(begin, end, number));
        }
        let reader = rows.reader(&shape);
        let has_only_fields = parents.is_none() && rows.added().is_empty();
        let runs = if has_only_fields { reader.run_reader() } else { None };
        let runs = runs.filter(|runs| shape.lrecl().is_some_and(|lrecl| lrecl as usize == runs.record_len()));
        let runs = runs.map(Runs::new);
        Ok(Opened { records, reader, parents, runs, shape, name })
    }

    /// Opens the next input, or returns `None` after the last.
    pub(super) fn open_next(&mut self) -> Result<Option<Opened>, Failure> {
        let Some(rest) = &self.rest else { return Ok(None) };
        let next = Python::attach(|py| {
            let Some(next) = rest.bind(py).try_iter()?.next() else { return Ok(None) };
            let (source, name): (Bound<'_, PyAny>, Option<String>) = next?.extract()?;
            Ok(Some((Source::of(&source)?, name)))
        });
        let opened = next.and_then(|next| next.map(|(source, name)| self.open(&source, name, None)).transpose());
        opened.map_err(|error| Failure::NotOpened(Arc::new(error)))
    }
}
