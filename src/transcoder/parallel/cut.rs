//! Finds places to cut the input at: between records, as the deframer says, or between characters.

use crate::codec::{MAX_FAULT, MIN_ROOM, Stop, Utf8Sink};
use crate::records::Deframer;
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::records::stretch::each_record;
use crate::transcoder::way::Route;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The state in which a part begins: between two records, as this deframer says, or between two characters.
pub(super) type Begin = Option<Deframer>;

/// How many code units before a cut are looked at, at most: first few, then more if there is no place to cut in those.
const LOOK_BACK: [usize; 2] = [64, 4096];

/// How far back an end of line is looked for, in bytes, and how many are tried.
const LINE_BYTES: usize = 64 * 1024;
const LINES: usize = 16;

/// Room for the text of one code unit, and of what was undecided before it.
const UNIT_ROOM: usize = 16 * MIN_ROOM;

/// Finds the places to cut at.
pub(super) enum Cutter {
    Records(Box<RecordCutter>),
    Characters {
        unit: usize,
        decoder: Box<CheckedDecoder>,
        place: Place,
    },
    /// After the bytes that end a line, in a charset whose code units are bytes.
    Lines {
        ends: Box<[bool; 256]>,
        decoder: Box<CheckedDecoder>,
    },
}

/// Between which characters the input is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Any.
    Characters,
    /// Lines: at the end of a line, a charset is usually in its initial state.
    Lines,
}

impl Place {
    /// Whether the input can be cut after this character.
    fn is_after(self, ch: Option<char>) -> bool {
        match self {
            // CR may be the first half of an end of line.
            Place::Characters => ch != Some('\r'),
            Place::Lines => matches!(ch, Some('\n' | '\u{85}')),
        }
    }
}

/// Finds the ends of records in a block.
pub(super) struct RecordCutter {
    deframer: Deframer,
    /// How many bytes of the block it has seen.
    seen: usize,
    /// The last end of a record in them, and the deframer there.
    last: Option<(usize, Deframer)>,
}

impl Cutter {
    /// `deframer`: where the records are, if there are records.
    pub(super) fn new(deframer: Option<Deframer>, route: &Route) -> Self {
        match deframer {
            Some(deframer) => Cutter::Records(Box::new(RecordCutter { deframer, seen: 0, last: None })),
            None => Cutter::of_text(route),
        }
    }

    fn of_text(route: &Route) -> Self {
        let (unit, decoder) = (route.source.code_unit().unwrap_or(1), Box::new(route.source.new_decoder()));
        if route.carries_nothing() {
            return Cutter::Characters { unit, decoder, place: Place::Characters };
        }
        if unit > 1 {
            return Cutter::Characters { unit, decoder, place: Place::Lines };
        }
        // A panic of the codec is caught here too.
        let char_of = |byte: usize| catch_unwind(AssertUnwindSafe(|| decoder.alone(byte as u8))).unwrap_or(None);
        let ends_line = |byte| Place::Lines.is_after(char_of(byte));
        Cutter::Lines { ends: Box::new(std::array::from_fn(ends_line)), decoder }
    }

    /// Returns the last place at which `block` can be cut. The code units begin after its `first` bytes. If it returns
    /// `None`, it can be called again with more bytes at the end of the same block. Otherwise the next block must begin
    /// at the cut.
    pub(super) fn cut(&mut self, block: &[u8], first: usize) -> Option<(usize, Begin)> {
        match self {
            Cutter::Records(records) => records.cut(block),
            Cutter::Characters { unit, decoder, place } => {
                let units = block.len().checked_sub(first)? / *unit;
                let end = first + units * *unit;
                LOOK_BACK.into_iter().find_map(|back| {
                    let begin = first + units.saturating_sub(back) * *unit;
                    let cut = last_cut(decoder, &block[begin..end], *unit, *place)?;
                    Some((begin + cut, None))
                })
            }
            Cutter::Lines { ends, decoder } => {
                let from = block.len().saturating_sub(LINE_BYTES);
                let places = (from..block.len()).rev().filter(|at| ends[usize::from(block[*at])]);
                let mut cuts = places.map(|at| at + 1).take(LINES);
                let cut = cuts.find(|cut| {
                    let window = &block[cut.saturating_sub(LOOK_BACK[0])..*cut];
                    last_cut(decoder, window, 1, Place::Lines) == Some(window.len())
                })?;
                Some((cut, None))
            }
        }
    }
}

impl RecordCutter {
    fn cut(&mut self, block: &[u8]) -> Option<(usize, Begin)> {
        let RecordCutter { deframer, seen, last } = self;
        let from = *seen;
        each_record(deframer, &block[from..], |at, deframer| match last {
            Some((end, state)) => {
                *end = from + at;
                state.clone_from(deframer);
            }
            None => *last = Some((from + at, deframer.clone())),
        });
        *seen = block.len();
        let (at, state) = last.take()?;
        // What follows the cut comes again.
        deframer.clone_from(&state);
        *seen = 0;
        (at > 0).then_some((at, Some(state)))
    }
}

/// Returns the last place in `window` at which a new decoder can take over. It is never the beginning of the window. A
/// panic of the codec is caught; the fallback run reproduces it at the right place.
fn last_cut(decoder: &CheckedDecoder, window: &[u8], unit: usize, place: Place) -> Option<usize> {
    catch_unwind(AssertUnwindSafe(|| try_last_cut(decoder.fresh_at(0), window, unit, place))).unwrap_or(None)
}

/// Does what [`last_cut`] does, decoding the window unit by unit. Faults belong to the beginning, which may be within a
/// character, or to the data; neither matters here.
fn try_last_cut(mut decoder: CheckedDecoder, window: &[u8], unit: usize, place: Place) -> Option<usize> {
    let (mut cut, mut before) = (None, None);
    // In UTF-8 a continuation byte does not begin a character.
    let has_continuations = unit == 1 && place == Place::Characters && !decoder.is_bytewise();
    for end in (unit..=window.len()).step_by(unit) {
        before = decode_unit(&mut decoder, &window[end - unit..end])?.or(before);
        let goes_on = has_continuations && window.get(end).is_some_and(|byte| byte & 0xC0 == 0x80);
        if !goes_on && place.is_after(before) && decoder.is_initial() {
            cut = Some(end);
        }
    }
    cut
}

/// Decodes one code unit. Returns the last character that it completed, if any; `None` if the decoder makes no
/// progress.
fn decode_unit(decoder: &mut CheckedDecoder, mut unit: &[u8]) -> Option<Option<char>> {
    let mut last = None;
    // A fault for each byte that may be pending, and one for each of the unit.
    for _ in 0..2 * MAX_FAULT {
        let mut buffer = [0; UNIT_ROOM];
        let mut sink = Utf8Sink::new(&mut buffer);
        let step = decoder.feed(unit, &mut sink).ok()?;
        last = sink.as_str().chars().next_back().or(last);
        unit = unit.get(step.read..)?;
        if step.stop == Stop::InputEmpty {
            return Some(last);
        }
    }
    None
}
