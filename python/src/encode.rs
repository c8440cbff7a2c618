//! Encodes text with faults: calls Python's error handlers with the exact position of every fault.

use crate::charset::Run;
use crate::error::{broken, handled, wrong_part};
use crate::scratch::Scratch;
use crate::strings::to_ucs4;
use charpipe::codec::{ByteSink, Encoder, Stop, Unmappable};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ops::Range;

/// How many characters are encoded at a time. After a fault there are few, and then twice as many each time, so that
/// text full of faults is not copied again and again.
const PIECE: usize = 8 << 10;
const FIRST_PIECE: usize = 16;

/// Encodes `text` with `encoder`, which has nothing pending, and calls the error handler for each fault. Without `is_last`,
/// text that the next character decides about stays pending in the encoder.
///
/// # Errors
/// `UnicodeEncodeError`, and what the handler raises. The state of the encoder is undefined then.
pub(crate) fn encode<'py>(
    encoder: &mut dyn Encoder,
    text: &Bound<'py, PyString>,
    run: &Run<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    let chars = to_ucs4(text)?;
    let mut out = Encoded::new(chars.len() + 16);
    let (mut at, mut piece, mut len) = (0, String::new(), PIECE);
    loop {
        text.py().check_signals()?;
        piece.clear();
        piece.extend(chars[at..].iter().take(len).map_while(|code| char::from_u32(*code)));
        let (read, fault) = out.push(encoder, &piece);
        at += piece[..read].chars().count();
        let mut is_surrogate = false;
        let fault = fault.or_else(|| match chars.get(at) {
            Some(code) => {
                is_surrogate = char::from_u32(*code).is_none();
                // What is pending comes before the surrogate.
                if is_surrogate { out.settle(encoder) } else { None }
            }
            None if run.is_last => out.finish(encoder),
            None => None,
        });
        let range = match fault {
            Some(Unmappable { after, .. }) => {
                // What was read after the character is at the end of what was read.
                let end = at - back(&chars[..at], after.into());
                end.checked_sub(1).ok_or_else(|| broken(run.name, "reports a fault outside what it read"))?..end
            }
            None if is_surrogate => at..at + 1,
            None if at < chars.len() => {
                len = PIECE.min(2 * len);
                continue;
            }
            None => return Ok(out.to_bytes(text.py())),
        };
        len = FIRST_PIECE;
        let range = if run.is_page { range.start..end_of_run(encoder, &chars, range) } else { range };
        at = replace(encoder, text, &chars, range.clone(), run, &mut out)?.unwrap_or(at.max(range.end));
    }
}

/// Returns how many of the last characters have `len` bytes in UTF-8.
fn back(chars: &[u32], mut len: usize) -> usize {
    let lens = chars.iter().rev().map(|code| char::from_u32(*code).map_or(3, char::len_utf8));
    lens.take_while(|char_len| {
        let is_inside = len > 0;
        len = len.saturating_sub(*char_len);
        is_inside
    })
    .count()
}

/// Returns the end of the characters that a single-byte page lacks, as CPython's own pages report them: together.
fn end_of_run(encoder: &mut dyn Encoder, chars: &[u32], range: Range<usize>) -> usize {
    let mut lacks = |code: &u32| {
        let Some(ch) = char::from_u32(*code) else { return true };
        let mut room = [0; 64];
        let step = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut ByteSink::new(&mut room));
        matches!(step.stop, Stop::Fault(_))
    };
    range.end + chars[range.end..].iter().take_while(|code| lacks(code)).count()
}

/// Lets the handler replace the characters of `range`. Returns where to continue, if that is not after what was read.
fn replace(
    encoder: &mut dyn Encoder,
    text: &Bound<'_, PyString>,
    chars: &[u32],
    range: Range<usize>,
    run: &Run<'_>,
    out: &mut Encoded,
) -> PyResult<Option<usize>> {
    let py = text.py();
    let exception = exception(run, text, range.clone())?;
    if run.errors == "strict" {
        return Err(exception);
    }
    let (replacement, position) = handled(py, run.errors, &exception, || Ok(chars.len()), "encoding")?;
    // What is pending comes after the fault, and is encoded again.
    let is_moved = position != range.end || encoder.pending() > 0;
    if is_moved {
        let state = encoder.state().ok_or_else(|| broken(run.name, "does not tell its state"))?;
        encoder.set_state(state);
    }
    if let Ok(bytes) = replacement.cast::<PyBytes>() {
        out.extend(bytes.as_bytes());
    } else {
        let replacement = replacement.cast::<PyString>()?;
        let codes = to_ucs4(replacement)?;
        let whole: Option<String> = codes.iter().map(|code| char::from_u32(*code)).collect();
        let begin = out.len;
        let is_encoded =
            whole.is_some_and(|whole| out.push(encoder, &whole).1.is_none() && out.settle(encoder).is_none());
        if !is_encoded {
            out.len = begin;
            // CPython's pages report the text, its other codecs the replacement.
            let (text, range) = if run.is_page { (text, range) } else { (replacement, 0..codes.len()) };
            return Err(self::exception(run, text, range)?);
        }
    }
    Ok(is_moved.then_some(position))
}

/// Encoded bytes.
pub(crate) struct Encoded {
    bytes: Scratch,
    len: usize,
}

impl Encoded {
    /// Makes room for this many bytes. There can be more.
    pub(crate) fn new(room: usize) -> Self {
        Encoded { bytes: Scratch::new(room), len: 0 }
    }

    pub(crate) fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes[..self.len])
    }

    fn extend(&mut self, bytes: &[u8]) {
        let begin = self.len;
        self.len += bytes.len();
        self.bytes.reach(self.len);
        self.bytes[begin..self.len].copy_from_slice(bytes);
    }

    /// Encodes `text`. Returns how many bytes of it were read, and the fault.
    pub(crate) fn push(&mut self, encoder: &mut dyn Encoder, text: &str) -> (usize, Option<Unmappable>) {
        let mut read = 0;
        loop {
            self.bytes.reach(self.len + 2 * (text.len() - read) + 64);
            let mut sink = ByteSink::new(&mut self.bytes[self.len..]);
            let step = encoder.feed(&text[read..], &mut sink);
            self.len += sink.written();
            read += step.read;
            match step.stop {
                Stop::InputEmpty => return (read, None),
                Stop::OutputFull => {}
                Stop::Fault(fault) => return (read, Some(fault)),
            }
        }
    }

    /// Ends the text. Returns the fault.
    pub(crate) fn finish(&mut self, encoder: &mut dyn Encoder) -> Option<Unmappable> {
        loop {
            self.bytes.reach(self.len + 64);
            let mut sink = ByteSink::new(&mut self.bytes[self.len..]);
            let stop = encoder.finish(&mut sink);
            self.len += sink.written();
            match stop {
                Stop::InputEmpty => return None,
                Stop::OutputFull => {}
                Stop::Fault(fault) => return Some(fault),
            }
        }
    }

    /// Writes the text that is pending, so that what follows does not combine with it.
    fn settle(&mut self, encoder: &mut dyn Encoder) -> Option<Unmappable> {
        if encoder.pending() == 0 {
            return None;
        }
        // The end of the text decides; the shift code that leads back is the price.
        let fault = self.finish(encoder);
        encoder.reset();
        fault
    }
}

/// Returns the exception for the characters of `range`.
fn exception(run: &Run<'_>, text: &Bound<'_, PyString>, range: Range<usize>) -> PyResult<PyErr> {
    let reason = if run.is_page { "character maps to <undefined>" } else { "illegal multibyte sequence" };
    wrong_part::<PyUnicodeEncodeError>(run.name, text, range, reason)
}
