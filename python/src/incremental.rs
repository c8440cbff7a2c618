//! Decoders and encoders that keep their state between calls and can report it, which `io.TextIOWrapper` needs for
//! `tell` and `seek`.
//!
//! The state between two calls consists of a number from the library, and of the bytes or the text that the codec has
//! not taken yet. These are kept here, and fed again before the next input.

use crate::charset::Charset;
use crate::error::wrong_part;
use crate::strings::{Buffer, Data};
use crate::{decode, encode};
use charpipe::codec::Stop;
use pyo3::exceptions::{PyUnicodeDecodeError, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes, or bytes of text, that can be pending.
const LONGEST: usize = charpipe::codec::MAX_FAULT;

/// Decodes piece by piece.
#[pyclass(module = "charpipe._charpipe")]
pub(crate) struct IncrementalDecoder {
    charset: Arc<Charset>,
    /// In `state`, with nothing pending. The lock makes it `Sync`; it is never waited for.
    decoder: Mutex<Box<dyn charpipe::Decoder>>,
    state: u64,
    pending: Vec<u8>,
    /// The name of the error handler.
    #[pyo3(get, set)]
    errors: String,
}

impl IncrementalDecoder {
    pub(crate) fn new(charset: Arc<Charset>, errors: Option<String>) -> Self {
        let decoder = Mutex::new(charset.codec.decoder());
        let errors = errors.unwrap_or_else(|| "strict".to_owned());
        IncrementalDecoder { charset, decoder, state: 0, pending: Vec::new(), errors }
    }

    /// Decodes `src`, which no one changes, after what was left of the input before.
    fn decode_constant<'py>(&mut self, py: Python<'py>, src: &[u8], is_last: bool) -> PyResult<Bound<'py, PyString>> {
        let run = self.charset.run(&self.errors, is_last);
        let joined = if self.pending.is_empty() { None } else { Some([&self.pending[..], src].concat()) };
        let src = joined.as_deref().unwrap_or(src);
        let decoder = self.decoder.get_mut().unwrap_or_else(PoisonError::into_inner);
        let decoded = decode::decode(py, &mut **decoder, src, &run);
        if decoded.is_ok() {
            let pending = src.len() - decoder.pending().min(src.len());
            self.pending = src[pending..].to_vec();
            self.state = if is_last { 0 } else { decoder.state().unwrap_or(0) };
        }
        decoder.set_state(self.state);
        decoded
    }
}

#[pymethods]
impl IncrementalDecoder {
    /// Decodes `input`, after what was left of the input before. With `final`, nothing may be left.
    #[pyo3(signature = (input, r#final=false))]
    fn decode<'py>(
        &mut self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        r#final: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        let mut buffer = Buffer::none();
        let data = Data::of(input, &mut buffer)?;
        if let Some(page) = self.charset.page()
            && let Some(text) = page.decode(py, &data)?
        {
            return Ok(text);
        }
        data.with_constant(py, |src| self.decode_constant(py, src, r#final))
    }

    /// Forgets what is left, and goes back to the initial state.
    fn reset(&mut self) {
        self.decoder.get_mut().unwrap_or_else(PoisonError::into_inner).reset();
        (self.state, self.pending) = (0, Vec::new());
    }

    /// Returns the bytes that are left, and the rest of the state as a number.
    fn getstate<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, u64) {
        (PyBytes::new(py, &self.pending), self.state)
    }

    /// Goes back to a state that `getstate` returned.
    fn setstate(&mut self, state: (Bound<'_, PyBytes>, u64)) -> PyResult<()> {
        let (bytes, state) = state;
        let pending = bytes.as_bytes();
        // As Python 3.13 does; before, it was any UnicodeError.
        let name = self.charset.name();
        let bad = |reason| wrong_part::<PyUnicodeDecodeError>(name, &bytes, 0..pending.len(), reason);
        if pending.len() > LONGEST {
            return Err(bad("pending buffer too large")?);
        }
        let decoder = self.decoder.get_mut().unwrap_or_else(PoisonError::into_inner);
        // What is pending must be the beginning of something.
        let mut room = [0; 2 * LONGEST];
        let mut sink = charpipe::codec::Utf8Sink::new(&mut room);
        let is_known = decoder.set_state(state)
            && decoder.feed(pending, &mut sink).stop == Stop::InputEmpty
            && decoder.pending() == pending.len();
        decoder.set_state(if is_known { state } else { self.state });
        if !is_known {
            return Err(bad("no such state")?);
        }
        (self.state, self.pending) = (state, pending.to_vec());
        Ok(())
    }
}

/// Encodes piece by piece.
#[pyclass(module = "charpipe._charpipe")]
pub(crate) struct IncrementalEncoder {
    charset: Arc<Charset>,
    /// In `state`, with nothing pending. The lock makes it `Sync`; it is never waited for.
    encoder: Mutex<Box<dyn charpipe::Encoder>>,
    state: u64,
    pending: String,
    /// The name of the error handler.
    #[pyo3(get, set)]
    errors: String,
}

impl IncrementalEncoder {
    pub(crate) fn new(charset: Arc<Charset>, errors: Option<String>) -> PyResult<Self> {
        let encoder = Mutex::new(charset.encoder()?);
        let errors = errors.unwrap_or_else(|| "strict".to_owned());
        Ok(IncrementalEncoder { charset, encoder, state: 0, pending: String::new(), errors })
    }
}

#[pymethods]
impl IncrementalEncoder {
    /// Encodes `text`, after what was left of the text before. With `final`, nothing is left, and the bytes end in the
    /// initial state.
    #[pyo3(signature = (text, r#final=false))]
    fn encode<'py>(
        &mut self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        r#final: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if let Some(page) = self.charset.page()
            && let Some(bytes) = page.encode(text)?
        {
            return Ok(bytes);
        }
        let run = self.charset.run(&self.errors, r#final);
        let joined = match self.pending.is_empty() {
            true => text.clone(),
            false => PyString::new(py, &self.pending).add(text)?.cast_into::<PyString>()?,
        };
        let encoder = self.encoder.get_mut().unwrap_or_else(PoisonError::into_inner);
        let encoded = encode::encode(&mut **encoder, &joined, &run);
        if encoded.is_ok() {
            self.pending = last_chars(&joined, encoder.pending())?;
            self.state = if r#final { 0 } else { encoder.state().unwrap_or(0) };
        }
        encoder.set_state(self.state);
        encoded
    }

    /// Forgets what is left, and goes back to the initial state.
    fn reset(&mut self) {
        self.encoder.get_mut().unwrap_or_else(PoisonError::into_inner).reset();
        (self.state, self.pending) = (0, String::new());
    }

    /// Returns the state as a number: in its bytes, the lowest first, the length of the text that is left, that text in
    /// UTF-8, and eight bytes for the rest. That is the form of CPython's own codecs.
    fn getstate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = vec![self.pending.len() as u8];
        bytes.extend(self.pending.as_bytes());
        bytes.extend(self.state.to_le_bytes());
        py.get_type::<pyo3::types::PyInt>().call_method1("from_bytes", (PyBytes::new(py, &bytes), "little"))
    }

    /// Goes back to a state that `getstate` returned.
    fn setstate(&mut self, state: &Bound<'_, pyo3::types::PyInt>) -> PyResult<()> {
        let len = (state.call_method0("bit_length")?.extract::<usize>()?).div_ceil(8).max(1);
        let bytes: Vec<u8> = state.call_method1("to_bytes", (len, "little"))?.extract()?;
        let count = usize::from(bytes[0]);
        if count > LONGEST {
            return Err(PyUnicodeError::new_err("pending buffer too large"));
        }
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let pending: Vec<u8> = (1..=count).map(byte).collect();
        let pending = match String::from_utf8(pending) {
            Ok(pending) => pending,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let (bytes, reason) = (PyBytes::new(state.py(), error.as_bytes()), "invalid start byte");
                return Err(wrong_part::<PyUnicodeDecodeError>("utf-8", &bytes, at..at + 1, reason)?);
            }
        };
        let number = u64::from_le_bytes(std::array::from_fn(|at| byte(1 + count + at)));
        let encoder = self.encoder.get_mut().unwrap_or_else(PoisonError::into_inner);
        // What is pending must be the beginning of something.
        let mut room = [0; 4 * LONGEST];
        let mut sink = charpipe::codec::ByteSink::new(&mut room);
        let is_known = len <= 9 + count
            && encoder.set_state(number)
            && encoder.feed(&pending, &mut sink).stop == Stop::InputEmpty
            && encoder.pending() == pending.len();
        encoder.set_state(if is_known { number } else { self.state });
        if !is_known {
            return Err(PyUnicodeError::new_err(format!("{} has no such state", self.charset.name())));
        }
        (self.state, self.pending) = (number, pending);
        Ok(())
    }
}

/// Returns the last characters of `text`, which have `len` bytes in UTF-8.
fn last_chars(text: &Bound<'_, PyString>, len: usize) -> PyResult<String> {
    if len == 0 {
        return Ok(String::new());
    }
    let chars = crate::strings::to_ucs4(text)?;
    let mut last: Vec<char> = Vec::new();
    for ch in chars.iter().rev().filter_map(|code| char::from_u32(*code)) {
        if last.iter().map(|ch| ch.len_utf8()).sum::<usize>() >= len {
            break;
        }
        last.push(ch);
    }
    Ok(last.into_iter().rev().collect())
}
