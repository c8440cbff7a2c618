//! Finds places to cut the input at: between records, as the deframer says, or between characters.

use crate::codec::{MIN_ROOM, Stop, Utf8Sink};
use crate::records::Deframer;
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::records::stretch::each_record;
use crate::transcoder::way::Route;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The state in which a part begins: between two records, as this deframer says, or between two characters.
pub(super) type Begin = Option<Deframer>;

/// How many bytes before a cut are looked at, and how many code units are tried.
const LOOK_BACK: usize = 64;

/// Finds the places to cut at.
pub(super) enum Cutter {
    Records(Box<RecordCutter>),
    Characters { unit: usize, decoder: Box<CheckedDecoder> },
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
            },
        }
    }

    /// Returns the last place at which `block` can be cut. The code units begin after its `first` bytes. If it returns
    /// `None`, it can be called again with more bytes at the end of the same block. Otherwise the next block must begin at the cut.
    pub(super) fn cut(&mut self, block: &[u8], first: usize) -> Option<(usize, Begin)> {
        match self {
            Cutter::Records(records) => records.cut(block),
            Cutter::Characters { unit, decoder } => {
                let units = block.len().checked_sub(first)? / *unit;
                let ends = (units.saturating_sub(LOOK_BACK)..=units).rev().map(|units| first + units * *unit);
                let mut ends = ends.filter(|end| *end > first);
                ends.find(|end| {
                    let begin = first + (end - first).saturating_sub(LOOK_BACK);
                    // A panic of the codec is caught here; the fallback run reproduces it at the right place.
                    let trial = || is_between_characters(decoder, &block[begin..*end], &block[*end..]);
                    catch_unwind(AssertUnwindSafe(trial)).unwrap_or(false)
                })
                .map(|end| (end, None))
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

/// Whether a character ends at the end of `before`, and it is not CR, which may be the first half of an end of line.
fn is_between_characters(decoder: &CheckedDecoder, before: &[u8], after: &[u8]) -> bool {
    let mut decoder = decoder.at(0);
    let mut buffer = [0; LOOK_BACK * MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut buffer);
    let mut rest = before;
    // Faults belong to the beginning of `before`, which may be within a character, or to the data. Neither matters here.
    while let Ok(step) = decoder.feed(rest, &mut sink)
        && let Some(unread) = rest.get(step.read..)
    {
        rest = unread;
        if step.stop == Stop::InputEmpty {
            // In UTF-8 a continuation byte does not begin a character.
            let goes_on = decoder.code_unit() == Some(1)
                && !decoder.is_bytewise()
                && after.first().is_some_and(|byte| byte & 0xC0 == 0x80);
            return decoder.pending() == 0 && !sink.as_str().ends_with('\r') && !goes_on;
        }
        if step.stop == Stop::OutputFull {
            break;
        }
    }
    false
}
