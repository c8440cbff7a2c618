//! The engine for every multi-byte charset that a [`Table`](crate::codec::table::Table) can describe: pairs, single
//! bytes and pairs between shift codes, sequences that follow a state table, and mappings of several characters.
//!
//! Decoding walks a tree of nodes, one byte per step, whose leaves are ready UTF-8. Encoding looks the code point up in
//! a two-level table. In both directions the longest mapping wins, so if one mapping begins another, the text after it
//! decides, and both wait for it.
//!
//! # What is malformed
//!
//! Bytes that do not end a sequence of the charset: from the one that begins a sequence up to the first that cannot
//! continue it or could begin a sequence itself. That byte is looked at again, so nothing valid is swallowed. A whole
//! sequence that has no character is malformed as a whole; so is a sequence that the end of the input cuts.
//!
//! In a shifted charset, a shift code that changes nothing is accepted, and the input may end in either state. Control
//! characters do not occur among pairs: there they are malformed.
//!
//! # What moves together
//!
//! * A decoder holds at most [`MAX_BYTES`] undecided bytes and looks at as many new ones: `held` and the window of
//!   `feed` are `2 * MAX_BYTES` long. [`fits`] keeps longer sequences out of the tables, and `DecodeTable::first` stops
//!   there. [`MAX_FAULT`](crate::codec::MAX_FAULT) is at least `2 * MAX_BYTES`, the farthest back that a fault can
//!   begin.
//! * [`MIN_ROOM`](crate::codec::MIN_ROOM) is at least the longest output of one step: `3 * MAX_TEXT` bytes of text, or
//!   `MAX_BYTES` and two shift codes.
//! * Whatever a text looks up must be among the keys that `prepare` adds before: a part of the tables has nothing else
//!   (`part.rs`; for web pages, `whole.rs` has the same interface).
//! * A note in the decode tables is a [`Utf8Word`](crate::codec::Utf8Word) that is not a character. Its value has 24
//!   bits, which bounds the numbers of nodes, texts and `longer` entries.
//! * A lane in the encode table has the layout of [`lanes::codes`](crate::arch::lanes::codes): `LEN`, `MAY_GO_ON` and
//!   `FOLLOWS` of `arch/types.rs`. Code numbers have 24 bits, so codes of more than three bytes are in `fours` or
//!   `long`.

mod decode;
mod draft;
mod encode;
#[cfg(not(target_family = "wasm"))]
mod part;
#[cfg(target_family = "wasm")]
mod whole;

pub(super) use decode::{DecodeTable, MultiByteDecoder};
#[cfg(feature = "legacy")]
pub(in crate::codec) use encode::ShiftedCodes;
pub(super) use encode::{EncodeTable, MultiByteEncoder};
#[cfg(not(target_family = "wasm"))]
pub(super) use part::Shared;
#[cfg(target_family = "wasm")]
pub(super) use whole::Shared;

use crate::arch::types::Shifts;
use crate::codec::batches::{LEAST_REACH, WORTH};
use crate::codec::table::limits::{MAX_BYTES, MAX_TEXT};
use crate::codec::table::{SI, SO};
#[cfg(not(target_family = "wasm"))]
use part::InUse;
#[cfg(target_family = "wasm")]
use whole::InUse;

const SHIFTS: Shifts = Shifts { out: SO, back: SI };

/// Returns whether a mapping keeps the bounds that room and faults are calculated with. A table made by hand may have
/// others; [`Table::check`](crate::codec::table::Table::check) finds them.
fn fits(bytes: &[u8], text: &str) -> bool {
    // A UTF-16 unit has at most three bytes in UTF-8.
    (1..=MAX_BYTES).contains(&bytes.len()) && (1..=3 * MAX_TEXT).contains(&text.len())
}

#[cfg(all(test, feature = "legacy"))]
mod tests {
    use super::*;
    use crate::codec::table::Way;
    use crate::codec::{ByteSink, Decoder, Encoder, Stop, Utf8Sink, pages};
    use std::sync::Arc;

    /// Encodes with this much room at a time.
    fn encoded(encoder: &mut MultiByteEncoder, text: &str, room: usize) -> Vec<u8> {
        let (mut room, mut bytes, mut read) = (vec![0; room], Vec::new(), 0);
        while read < text.len() {
            let mut sink = ByteSink::new(&mut room);
            let step = encoder.feed(&text[read..], &mut sink);
            assert!(!matches!(step.stop, Stop::Fault(_)));
            bytes.extend(sink.as_bytes());
            read += step.read;
        }
        bytes
    }

    fn decoded(decoder: &mut MultiByteDecoder, bytes: &[u8], room: usize) -> String {
        let (mut room, mut text, mut read) = (vec![0; room], String::new(), 0);
        while read < bytes.len() {
            let mut sink = Utf8Sink::new(&mut room);
            let step = decoder.feed(&bytes[read..], &mut sink);
            assert!(!matches!(step.stop, Stop::Fault(_)));
            text.push_str(sink.as_str());
            read += step.read;
        }
        text
    }

    /// Codes of one, two and four bytes, next to each other and with some text between them, come out of long texts as
    /// they do one by one.
    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn codes_of_all_lengths_are_converted_in_long_texts() {
        let page = pages().find(|page| page.name() == "EUC-TW").expect("a built-in page");
        let table = page.table();
        let tables = Arc::new(Shared::new(DecodeTable::new(&table)));
        let codes = Arc::new(Shared::new(EncodeTable::new(&table)));
        let mut encoder = MultiByteEncoder::new(codes);
        let mut decoder = MultiByteDecoder::new(tables);
        for (gap, filler) in
            [(0, ""), (1, "一a"), (11, "一a"), (100, "一a"), (200, "a"), (150, "一aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
        {
            let chars = table.mappings.iter().filter(|mapping| mapping.way == Way::RoundTrip).map(|mapping| mapping.ch);
            // From all places of the table; of long fillers, fewer are needed.
            let step = if gap > 100 { 70 } else { 7 };
            let chars = chars.enumerate().filter(|(at, _)| crate::arch::is_full() || at % step < 2);
            let text: String =
                chars.flat_map(|(_, ch)| [ch].into_iter().chain(filler.chars().cycle().take(gap))).collect();
            let single: Vec<u8> =
                text.chars().flat_map(|ch| encoded(&mut encoder, ch.encode_utf8(&mut [0; 4]), 64)).collect();
            for room in [1 << 20, 1000, 70] {
                assert!(encoded(&mut encoder, &text, room) == single, "{gap} {filler} {room}");
                assert!(decoded(&mut decoder, &single, room) == text, "{gap} {filler} {room}");
            }
        }
    }
}
