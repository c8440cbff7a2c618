//! The codecs of the process: the built-in ones, and the tables that a program loaded.

use crate::codec::Codec;
use crate::error::raised;
use charpipe::Registry;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

static LOADED: RwLock<Option<Registry>> = RwLock::new(None);

/// Returns the registry as it is now.
pub(crate) fn current() -> Registry {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    loaded.clone().unwrap_or_else(Registry::builtin)
}

/// Returns the codec that a label names.
///
/// Raises `charpipe.UnknownEncoding` with similar labels if there is none.
#[pyfunction]
pub(crate) fn lookup(py: Python<'_>, label: &str) -> PyResult<Codec> {
    current().codec(label).map(Codec::new).map_err(|error| raised(py, &error))
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
