//! A charset as Python's codecs need it.

use crate::charset::Charset;
use crate::incremental::{IncrementalDecoder, IncrementalEncoder};
use crate::strings::{Buffer, Data};
use crate::{decode, encode, multi};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::sync::Arc;

/// A charset. `charpipe.lookup` finds it.
#[pyclass(frozen, module = "charpipe._charpipe")]
pub(crate) struct Codec {
    pub(crate) charset: Arc<Charset>,
}

impl Codec {
    pub(crate) fn new(codec: Arc<dyn charpipe::Codec>) -> Self {
        Codec { charset: Arc::new(Charset::new(codec)) }
    }

    /// Decodes all of `src`, which no one changes.
    fn decode_data<'py>(
        &self,
        py: Python<'py>,
        data: &Data<'_, 'py>,
        errors: Option<&str>,
    ) -> PyResult<Bound<'py, PyString>> {
        if let Some(page) = self.charset.page()
            && let Some(text) = page.decode(py, data)?
        {
            return Ok(text);
        }
        data.with_constant(py, |src| {
            if self.charset.page().is_none() {
                let mut text = Ok(None);
                self.charset.codec.with_decoder(&mut |decoder| text = multi::decode(py, decoder, src));
                if let Some(text) = text? {
                    return Ok(text);
                }
            }
            let run = self.charset.run(errors.unwrap_or("strict"), true);
            decode::decode(py, &mut *self.charset.codec.decoder(), src, &run)
        })
    }
}

#[pymethods]
impl Codec {
    /// The preferred name.
    #[getter]
    fn name(&self) -> &str {
        self.charset.name()
    }

    /// Where the table or the rules come from.
    #[getter]
    fn source(&self) -> String {
        self.charset.codec.info().source.to_owned()
    }

    /// Whether the charset is EBCDIC.
    #[getter]
    fn is_ebcdic(&self) -> bool {
        charpipe::codec::is_ebcdic(&*self.charset.codec)
    }

    /// Whether each byte is a character.
    #[getter]
    fn is_single_byte(&self) -> bool {
        self.charset.page().is_some()
    }

    /// Decodes all of `data`; returns the text and the number of bytes.
    #[pyo3(signature = (data, errors=None))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        errors: Option<&str>,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        let mut buffer = Buffer::none();
        let data = Data::of(data, &mut buffer)?;
        Ok((self.decode_data(py, &data, errors)?, data.len()))
    }

    /// Encodes all of `text`; returns the bytes and the number of characters.
    #[pyo3(signature = (text, errors=None))]
    fn encode<'py>(&self, text: &Bound<'py, PyString>, errors: Option<&str>) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let len = text.code_point_len()?;
        let fast = match self.charset.page() {
            Some(page) => page.encode(text)?,
            None => multi::encode(&mut *self.charset.encoder()?, text)?,
        };
        if let Some(bytes) = fast {
            return Ok((bytes, len));
        }
        let run = self.charset.run(errors.unwrap_or("strict"), true);
        Ok((encode::encode(&mut *self.charset.encoder()?, text, &run)?, len))
    }

    /// Returns a decoder that keeps its state between calls.
    #[pyo3(signature = (errors=None))]
    fn decoder(&self, errors: Option<String>) -> IncrementalDecoder {
        IncrementalDecoder::new(self.charset.clone(), errors)
    }

    /// Returns an encoder that keeps its state between calls.
    #[pyo3(signature = (errors=None))]
    fn encoder(&self, errors: Option<String>) -> PyResult<IncrementalEncoder> {
        IncrementalEncoder::new(self.charset.clone(), errors)
    }

    fn __repr__(&self) -> String {
        format!("<charpipe codec {}>", self.charset.name())
    }
}
