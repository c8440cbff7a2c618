//! A codec of the library, and the tables that Python's strings are made with: [`Charset`].

use crate::page::Page;
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

/// What a conversion with Python's error handlers is about.
pub(crate) struct Run<'a> {
    /// The name of the charset.
    pub(crate) name: &'a str,
    /// Whether each byte is a character.
    pub(crate) is_page: bool,
    /// The name of the error handler.
    pub(crate) errors: &'a str,
    /// Whether nothing follows.
    pub(crate) is_last: bool,
}

/// A charset, and the tables that Python's strings are made with.
pub(crate) struct Charset {
    pub(crate) codec: Arc<dyn charpipe::Codec>,
    page: OnceLock<Option<Page>>,
}

impl Charset {
    pub(crate) fn new(codec: Arc<dyn charpipe::Codec>) -> Self {
        Charset { codec, page: OnceLock::new() }
    }

    pub(crate) fn name(&self) -> &str {
        self.codec.name()
    }

    /// Returns the tables, if it is a single-byte page.
    pub(crate) fn page(&self) -> Option<&Page> {
        self.page.get_or_init(|| Page::of(&*self.codec)).as_ref()
    }

    /// Returns what a conversion with this error handler is about.
    pub(crate) fn run<'a>(&'a self, errors: &'a str, is_last: bool) -> Run<'a> {
        Run { name: self.name(), is_page: self.page().is_some(), errors, is_last }
    }

    /// Returns a new encoder.
    ///
    /// # Errors
    /// `LookupError` if the charset can only be read.
    pub(crate) fn encoder(&self) -> PyResult<Box<dyn charpipe::Encoder>> {
        let missing =
            || pyo3::exceptions::PyLookupError::new_err(format!("{} can be read but not written", self.name()));
        self.codec.encoder().ok_or_else(missing)
    }
}
