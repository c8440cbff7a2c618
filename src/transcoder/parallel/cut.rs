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

/// Room for the text of one code unit, and of what was undecided before it.
const UNIT_ROOM: usize = 16 * MIN_ROOM;

/// Finds the places to cut at.
pub(super) enum Cutter {
    Records(Box<RecordCutter>),
    Characters { unit: usize, decoder: Box<CheckedDecoder>, place: Place },
}

/// Between which characters the input is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Any.
    Characters,
    /// Lines: whatever the state of a charset is in the middle of a line, it is usually the initial one at the end.
    Lines,
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
            None => Cutter::Characters {
                unit: route.source.code_unit().unwrap_or(1),
                decoder: Box::new(route.source.new_decoder()),
                place: if route.carries_nothing() { Place::Characters } else { Place::Lines },
            },
        }
    }

    /// Returns the last place at which `block` can be cut. The code units begin after its `first` bytes. If it returns
    /// `None`, it can be called again with more bytes at the end of the same block. Otherwise the next block must begin at the cut.
    pub(super) fn cut(&mut self, block: &[u8], first: usize) -> Option<(usize, Begin)> {
        match self {
            Cutter::Records(records) => records.cut(block),
            Cutter::Characters { unit, decoder, place } => {
                let units = block.len().checked_sub(first)? / *unit;
                let end = first + units * *unit;
                LOOK_BACK.into_iter().find_map(|back| {
                    let begin = first + units.saturating_sub(back) * *unit;
                    // A panic of the codec is caught here; the fallback run reproduces it at the right place.
                    let trial = || last_cut(decoder.at(0), &block[begin..end], *unit, *place);
                    let cut = catch_unwind(AssertUnwindSafe(trial)).unwrap_or(None);
                    cut.map(|cut| (begin + cut, None))
                })
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

/// Returns the last place in `window` at which a new decoder can take over, decoding the window unit by unit. It is never
/// the beginning of the window. Faults belong to the beginning, which may be within a character, or to the data; neither
/// matters here.
fn last_cut(mut decoder: CheckedDecoder, window: &[u8], unit: usize, place: Place) -> Option<usize> {
    let (mut cut, mut before) = (None, None);
    // In UTF-8 a continuation byte does not begin a character.
    let has_continuations = unit == 1 && !decoder.is_bytewise();
    for end in (unit..=window.len()).step_by(unit) {
        let last = decode_unit(&mut decoder, &window[end - unit..end])?;
        before = last.or(before);
        let is_there = match place {
            // CR may be the first half of an end of line.
            Place::Characters => {
                let goes_on = has_continuations && window.get(end).is_some_and(|byte| byte & 0xC0 == 0x80);
                !goes_on && before != Some('\r')
            }
            Place::Lines => matches!(before, Some('\n' | '\u{85}')),
        };
        if is_there && decoder.is_initial() {
            cut = Some(end);
        }
    }
    cut
}

/// Decodes one code unit. Returns the last character that it completed, if any; `None` if the decoder makes no progress.
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
