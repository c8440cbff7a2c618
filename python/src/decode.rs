//! Decodes text with faults: calls Python's error handlers with the exact position of every fault.

use crate::charset::Run;
use crate::error::{broken, handled, wrong_part};
use charpipe::codec::{Decoder, Malformed, Stop, Utf8Sink};
use pyo3::exceptions::PyUnicodeDecodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// Decodes `src` with `decoder`, which has nothing pending, and calls the error handler for each fault. Without `is_last`
/// what is cut at the end stays pending in the decoder.
///
/// # Errors
/// `UnicodeDecodeError`, and what the handler raises. The state of the decoder is undefined then.
pub(crate) fn decode<'py>(
    py: Python<'py>,
    decoder: &mut dyn Decoder,
    src: &[u8],
    run: &Run<'_>,
) -> PyResult<Bound<'py, PyString>> {
    let mut room = vec![0; (3 * src.len()).clamp(256, 32 << 10)];
    let mut pieces = Pieces { py, text: String::new(), list: None };
    let mut at = 0;
    // What the exceptions show: a copy of `src`, made for the first of them, unless a handler exchanges the bytes.
    let mut shown: Option<Bound<'py, PyBytes>> = None;
    let mut is_exchanged = false;
    loop {
        py.check_signals()?;
        let held = shown.clone();
        let src = held.as_ref().filter(|_| is_exchanged).map_or(src, |bytes| bytes.as_bytes());
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(&src[at..], &mut sink);
        at += step.read;
        let (mut stop, mut is_end) = (step.stop, false);
        if stop == Stop::InputEmpty && run.is_last {
            (stop, is_end) = (decoder.finish(&mut sink), true);
        }
        pieces.text.push_str(sink.as_str());
        match stop {
            Stop::InputEmpty => return pieces.joined(),
            Stop::OutputFull => {}
            Stop::Fault(Malformed { len, after }) => {
                let Some(end) = at.checked_sub(after.into()).filter(|end| *end >= usize::from(len)) else {
                    return Err(broken(run.name, "reports a fault outside what it read"));
                };
                let before = held.clone().unwrap_or_else(|| PyBytes::new(py, src));
                let reason = match (run.is_page, is_end) {
                    (true, _) => "character maps to <undefined>",
                    (false, true) => "incomplete multibyte sequence",
                    (false, false) => "illegal multibyte sequence",
                };
                let range = end - usize::from(len)..end;
                let exception = wrong_part::<PyUnicodeDecodeError>(run.name, &before, range, reason)?;
                if run.errors == "strict" {
                    return Err(exception);
                }
                let mut object = None;
                let len = || {
                    let now = exception.value(py).getattr("object")?.cast_into::<PyBytes>()?;
                    let len = now.as_bytes().len();
                    object = Some(now).filter(|now| !now.is(&before));
                    Ok(len)
                };
                let (text, position) = handled(py, run.errors, &exception, len, "decoding")?;
                pieces.push(text.cast_into::<PyString>()?)?;
                if position != end || object.is_some() {
                    // What is pending comes after the fault, and is read again.
                    let state = decoder.state().ok_or_else(|| broken(run.name, "does not tell its state"))?;
                    decoder.set_state(state);
                    at = position;
                }
                is_exchanged |= object.is_some();
                shown = object.or(Some(before));
            }
        }
    }
}

/// Text of the decoder and of the handlers, in order. Handlers may return lone surrogates, which `String` cannot hold.
struct Pieces<'py> {
    py: Python<'py>,
    text: String,
    list: Option<Bound<'py, PyList>>,
}

impl<'py> Pieces<'py> {
    fn push(&mut self, text: Bound<'py, PyString>) -> PyResult<()> {
        if let Ok(text) = text.to_str() {
            self.text.push_str(text);
            return Ok(());
        }
        let list = self.list.get_or_insert_with(|| PyList::empty(self.py));
        list.append(PyString::new(self.py, &self.text))?;
        self.text.clear();
        list.append(text)
    }

    fn joined(self) -> PyResult<Bound<'py, PyString>> {
        let text = PyString::new(self.py, &self.text);
        let Some(list) = self.list else { return Ok(text) };
        list.append(text)?;
        Ok(PyString::new(self.py, "").call_method1("join", (list,))?.cast_into::<PyString>()?)
    }
}
