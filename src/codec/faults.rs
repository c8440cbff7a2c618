//! Faults that a decoder replaces itself, so that it need not return at each of them.

use super::{Malformed, Replaced, Step, Stop, Utf8Sink};

/// Faults that are replaced and counted.
pub(super) struct Faults {
    /// The text that replaces each; empty if they are dropped.
    replacement: Option<char>,
    count: u64,
}

impl Faults {
    /// Replaces a fault, if that is wanted and there is room.
    #[inline]
    pub(super) fn replace(faults: &mut Option<Faults>, dst: &mut Utf8Sink<'_>) -> bool {
        let Some(Faults { replacement, count }) = faults else { return false };
        let is_done = replacement.is_none_or(|ch| dst.push(ch));
        *count += u64::from(is_done);
        is_done
    }
}

/// Decodes `src` by `feed`, and replaces the faults at which that stops. It may replace others itself.
pub(super) fn replacing(
    src: &[u8],
    replacement: Option<char>,
    dst: &mut Utf8Sink<'_>,
    mut feed: impl FnMut(&[u8], &mut Utf8Sink<'_>, &mut Option<Faults>) -> Step<Malformed>,
) -> Replaced<Malformed> {
    let (mut faults, mut read) = (Some(Faults { replacement, count: 0 }), 0);
    let stop = loop {
        let step = feed(&src[read..], dst, &mut faults);
        read += step.read;
        let is_replaced = matches!(step.stop, Stop::Fault(_)) && Faults::replace(&mut faults, dst);
        if !is_replaced {
            break step.stop;
        }
    };
    Replaced { step: Step { read, stop }, count: faults.map_or(0, |faults| faults.count) }
}
