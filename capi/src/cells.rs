//! The meaning of each byte of an input, and code charts, as JSON.

use crate::failure::Failure;
use charpipe::codec::{Codec, Driven, MIN_ROOM, drive};
use charpipe::{Error, Hex, Registry};
use serde::Serialize;
use serde_json::{Value, json};

/// The meaning of some bytes.
#[derive(Serialize, PartialEq, Debug)]
#[serde(untagged)]
enum Cell {
    /// Text.
    Text(usize, String),
    /// A shift code, an escape sequence or a byte order mark: no text.
    Silent(usize, u8),
    /// Malformed.
    Bad(usize, Option<()>),
}

/// Returns what the bytes are in the encoding `label`: `{"codec", "cells"}`, with a cell `[bytes, text]` for each
/// character. The text is null for malformed bytes and 0 for shift codes. `is_last`: nothing follows `bytes`; otherwise
/// the cells leave out an unfinished character at the end.
#[cfg(feature = "inspect")]
pub(crate) fn explain(label: &str, bytes: &[u8], is_last: bool) -> Value {
    match Registry::builtin().codec(label) {
        Ok(codec) => json!({ "codec": codec.name(), "cells": cells(&*codec, bytes, is_last) }),
        Err(error) => failed(error),
    }
}

fn failed(error: Error) -> Value {
    json!({ "error": Failure::from(error).json() })
}

fn cells(codec: &dyn Codec, bytes: &[u8], is_last: bool) -> Vec<Cell> {
    let mut decoder = codec.decoder();
    let mut cells = Vec::new();
    // Bytes that were read and have no cell yet.
    let mut held = 0;
    let mut room = [0; 4 * MIN_ROOM];
    let mut settle = |step: Driven<'_>| {
        settle(&mut cells, &mut held, &step);
        true
    };
    for byte in bytes {
        drive(&mut *decoder, std::slice::from_ref(byte), false, &mut room, &mut settle);
    }
    if is_last {
        drive(&mut *decoder, &[], true, &mut room, settle);
    }
    cells
}

/// Makes cells of the `held` bytes and of those that `step` read, as far as their meaning is known after it.
fn settle(cells: &mut Vec<Cell>, held: &mut usize, step: &Driven<'_>) {
    *held += step.read;
    let (bad, after) = step.fault.map_or((0, step.pending), |fault| (fault.len.into(), fault.after.into()));
    let known = held.saturating_sub(bad + after);
    if !step.text.is_empty() {
        cells.push(Cell::Text(known, step.text.to_owned()));
    } else if known > 0 {
        cells.push(Cell::Silent(known, 0));
    }
    if bad > 0 {
        cells.push(Cell::Bad(bad, None));
    }
    *held = after.min(*held);
}

/// Returns the code chart of the bytes after `lead`: `{"codec", "lead", "single_byte", "cells"}`, with the text of each
/// of the 256 bytes, null if it is not a character, or `{"leads": true}` if more bytes follow it. `lead` includes a
/// shift code if one is needed.
pub(crate) fn chart(label: &str, lead: &[u8]) -> Value {
    let codec = match Registry::builtin().codec(label) {
        Ok(codec) => codec,
        Err(error) => return failed(error),
    };
    let cells = (0..=255).map(|byte| {
        let bytes = [lead, &[byte]].concat();
        match &*cells(&*codec, &bytes, false) {
            // What is missing at the end is unfinished.
            found if total(found) < bytes.len() => json!({ "leads": true }),
            [.., Cell::Text(len, text)] if *len > lead.len() || lead.is_empty() || is_whole(lead, *len) => json!(text),
            _ => Value::Null,
        }
    });
    let single_byte = codec.decoder().is_bytewise();
    json!({ "codec": codec.name(), "lead": format!("{:X}", Hex(lead)), "single_byte": single_byte, "cells": cells.collect::<Vec<_>>() })
}

fn total(cells: &[Cell]) -> usize {
    cells
        .iter()
        .map(|cell| match cell {
            Cell::Text(len, _) | Cell::Silent(len, _) | Cell::Bad(len, _) => *len,
        })
        .sum()
}

/// Returns whether a cell of `len` bytes at the end has all of `lead` except a shift code before it.
fn is_whole(lead: &[u8], len: usize) -> bool {
    let is_shift = matches!(lead.first(), Some(0x0E | 0x0F));
    len > lead.len() - usize::from(is_shift)
}
