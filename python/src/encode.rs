//! Encoding with faults: Python's error handlers, with the exact place of every fault.

use crate::error::{broken, handled};
use crate::strings::to_ucs4;
use charpipe::codec::{ByteSink, Encoder, Stop, Unmappable};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ops::Range;

/// What a run of an encoder is about.
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

/// How many characters are encoded at a time. After a fault there are few, and then twice as many each time, so that
/// text full of faults is not copied again and again.
const PIECE: usize = 8 << 10;
const FIRST_PIECE: usize = 16;

/// Encodes `text` with `encoder`, which has nothing pending, and calls the error handler for each fault. Without `is_last`,
/// text that the next character decides about stays pending in the encoder.
///
/// # Errors
/// `UnicodeEncodeError`, and what the handler raises. The state of the encoder is undefined then.
pub(crate) fn encode(encoder: &mut dyn Encoder, text: &Bound<'_, PyString>, run: &Run<'_>) -> PyResult<Vec<u8>> {
    let chars = to_ucs4(text)?;
    let mut out = Vec::with_capacity(chars.len() + 16);
    let (mut at, mut piece, mut len) = (0, String::new(), PIECE);
    loop {
        text.py().check_signals()?;
        piece.clear();
        piece.extend(chars[at..].iter().take(len).map_while(|code| char::from_u32(*code)));
        let (read, fault) = feed(encoder, &piece, &mut out);
        at += piece[..read].chars().count();
        let mut is_surrogate = false;
        let fault = fault.or_else(|| match chars.get(at) {
            Some(code) => {
                is_surrogate = char::from_u32(*code).is_none();
                // What is pending comes before the surrogate.
                if is_surrogate { settle(encoder, &mut out) } else { None }
            }
            None if run.is_last => finish(encoder, &mut out),
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
            None => return Ok(out),
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
    let lacks = |code: &u32| {
        let Some(ch) = char::from_u32(*code) else { return true };
        let mut room = [0; 64];
        let step = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut ByteSink::new(&mut room));
        matches!(step.stop, Stop::Fault(_))
    };
    range.end
        + chars[range.end..]
            .iter()
            .copied()
            .take_while({
                let mut lacks = lacks;
                move |code| lacks(code)
            })
            .count()
}

/// Lets the handler replace the characters of `range`. Returns where to go on, if that is not after what was read.
fn replace(
    encoder: &mut dyn Encoder,
    text: &Bound<'_, PyString>,
    chars: &[u32],
    range: Range<usize>,
    run: &Run<'_>,
    out: &mut Vec<u8>,
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
        out.extend_from_slice(bytes.as_bytes());
    } else {
        let replacement = replacement.cast::<PyString>()?;
        let codes = to_ucs4(replacement)?;
        let whole: Option<String> = codes.iter().map(|code| char::from_u32(*code)).collect();
        let begin = out.len();
        let mut fault = whole.is_none();
        if let Some(whole) = whole {
            fault = feed(encoder, &whole, out).1.is_some() || settle(encoder, out).is_some();
        }
        if fault {
            out.truncate(begin);
            // CPython's pages report the text, its other codecs the replacement.
            let (text, range) = if run.is_page { (text, range) } else { (replacement, 0..codes.len()) };
            return Err(self::exception(run, text, range)?);
        }
    }
    Ok(is_moved.then_some(position))
}

/// Writes the text that is pending, so that what follows does not combine with it.
fn settle(encoder: &mut dyn Encoder, out: &mut Vec<u8>) -> Option<Unmappable> {
    if encoder.pending() == 0 {
        return None;
    }
    // The end of the text decides; the shift code that leads back is the price.
    let fault = finish(encoder, out);
    encoder.reset();
    fault
}

/// Encodes `text` to the end of `out`. Returns how many bytes were read, and the fault.
fn feed(encoder: &mut dyn Encoder, text: &str, out: &mut Vec<u8>) -> (usize, Option<Unmappable>) {
    let mut read = 0;
    loop {
        let begin = out.len();
        out.resize(begin + 2 * (text.len() - read) + 64, 0);
        let mut sink = ByteSink::new(&mut out[begin..]);
        let step = encoder.feed(&text[read..], &mut sink);
        let made = sink.written();
        out.truncate(begin + made);
        read += step.read;
        match step.stop {
            Stop::InputEmpty => return (read, None),
            Stop::OutputFull => {}
            Stop::Fault(fault) => return (read, Some(fault)),
        }
    }
}

/// Ends the text. Returns the fault.
fn finish(encoder: &mut dyn Encoder, out: &mut Vec<u8>) -> Option<Unmappable> {
    loop {
        let mut room = [0; 256];
        let mut sink = ByteSink::new(&mut room);
        let stop = encoder.finish(&mut sink);
        out.extend_from_slice(sink.as_bytes());
        match stop {
            Stop::InputEmpty => return None,
            Stop::OutputFull => {}
            Stop::Fault(fault) => return Some(fault),
        }
    }
}

/// Returns the exception for the characters of `range`.
fn exception(run: &Run<'_>, text: &Bound<'_, PyString>, range: Range<usize>) -> PyResult<PyErr> {
    let reason = if run.is_page { "character maps to <undefined>" } else { "illegal multibyte sequence" };
    let arguments = (run.name, text, range.start, range.end, reason);
    Ok(PyErr::from_value(text.py().get_type::<PyUnicodeEncodeError>().call1(arguments)?))
}
