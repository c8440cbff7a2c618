//! The codecs of the process: the built-in ones, and the tables that a program loaded.

use crate::codec::Codec;
use crate::error::raised;
use charpipe::Registry;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

static LOADED: RwLock<Option<Registry>> = RwLock::new(None);

/// Returns the registry as it is now.
pub(crate) fn current() -> Registry {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    loaded.clone().unwrap_or_else(Registry::builtin)
}

/// The codecs that were looked up, by label: making the tables of one takes longer than to decode a value with it.
static FOUND: Mutex<Option<HashMap<String, Py<Codec>>>> = Mutex::new(None);

/// How many codecs are kept. A program uses few labels, but they may come from its input.
const KEPT: usize = 256;

/// Returns the codec that a label names.
///
/// Raises `charpipe.UnknownEncoding` with similar labels if there is none.
#[pyfunction]
pub(crate) fn lookup(py: Python<'_>, label: &str) -> PyResult<Py<Codec>> {
    // Nothing of Python runs while it is locked, so no one waits for someone who waits for the GIL.
    if let Some(codec) = found().as_ref().and_then(|found| found.get(label)) {
        return Ok(codec.clone_ref(py));
    }
    let codec = Py::new(py, current().codec(label).map(Codec::new).map_err(|error| raised(py, &error))?)?;
    let kept = codec.clone_ref(py);
    let dropped = {
        let mut found = found();
        let found = found.get_or_insert_default();
        let dropped = if found.len() < KEPT { HashMap::new() } else { std::mem::take(found) };
        (found.insert(label.to_owned(), kept), dropped)
    };
    drop(dropped);
    Ok(codec)
}

fn found() -> MutexGuard<'static, Option<HashMap<String, Py<Codec>>>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a table file and adds it as a codec; returns the names of the codec and of those that lost a label to it.
#[pyfunction]
#[pyo3(signature = (path, to=None))]
pub(crate) fn load_table(py: Python<'_>, path: PathBuf, to: Option<&str>) -> PyResult<(String, Vec<String>)> {
    let mut registry = current();
    let codec = match to {
        Some(to) => registry.load_to(path, to),
        None => registry.load(path),
    };
    let codec = codec.map_err(|error| raised(py, &error))?;
    let shadowed = registry.shadowed(&*codec).to_vec();
    *LOADED.write().unwrap_or_else(PoisonError::into_inner) = Some(registry);
    // Any label may now name another codec.
    let dropped = found().take();
    drop(dropped);
    Ok((codec.name().to_owned(), shadowed))
}

/// Returns the names of all codecs.
#[pyfunction]
pub(crate) fn names() -> Vec<String> {
    current().codecs().map(|codec| codec.name().to_owned()).collect()
}

/// Returns all labels of a codec, its name first.
#[pyfunction]
pub(crate) fn labels(name: &str) -> Vec<String> {
    current().labels(name).map(str::to_owned).collect()
}

/// Returns the languages or the use of a codec, in a few words.
#[pyfunction]
pub(crate) fn description(name: &str) -> String {
    current().description(name).to_owned()
}
