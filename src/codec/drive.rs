//! The loop that feeds a decoder, and the bound for codecs that stop making progress.

use super::{Decoder, MIN_ROOM, Malformed, Step, Stop, Utf8Sink};

/// One step of a decoder that [`drive`] feeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Driven<'a> {
    /// The text that this step wrote. The characters come before the fault, if there is one.
    pub text: &'a str,
    /// How many bytes of the input this step read.
    pub read: usize,
    /// The malformed bytes at which it stopped.
    pub fault: Option<Malformed>,
    /// How many bytes are [pending](Decoder::pending) after it.
    pub pending: usize,
}

/// Decodes all of `src`, and then ends the input if `is_end`. Calls `each` after every step of the decoder, until it
/// returns `false`.
///
/// Returns whether all of the input was decoded. If `each` did not end the loop, `false` means that the codec breaks
/// the [contract](super#the-contract): it reads more than it is given, continues without reading, or exchanges the
/// sink. Such a codec can neither keep this function busy forever nor make it panic.
///
/// `room` is the buffer for the text of one step, and has at least [`MIN_ROOM`] bytes. The decoder may have bytes
/// pending from earlier input, and without `is_end` keeps those that the end of `src` cuts. After the end, it has to be
/// [reset](Decoder::reset) before it is used again.
///
/// ```
/// use charpipe::codec::{MIN_ROOM, drive};
///
/// let codec = charpipe::Registry::builtin().codec("UTF-8")?;
/// let mut text = String::new();
/// let is_decoded = drive(&mut *codec.decoder(), b"caf\xE9 \xC3\xA9", true, &mut [0; MIN_ROOM], |step| {
///     text.push_str(step.text);
///     if step.fault.is_some() {
///         text.push('?');
///     }
///     true
/// });
/// assert!(is_decoded);
/// assert_eq!(text, "caf? é");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[inline]
pub fn drive(
    decoder: &mut dyn Decoder,
    mut src: &[u8],
    is_end: bool,
    room: &mut [u8],
    mut each: impl FnMut(Driven<'_>) -> bool,
) -> bool {
    let mut stalls = Stalls::default();
    // An empty slice has no effect.
    let mut is_read = src.is_empty();
    while !is_read || is_end {
        let mut sink = Utf8Sink::new(room);
        let (space, lent) = (sink.room(), sink.identity());
        let step = match is_read {
            true => Step { read: 0, stop: decoder.finish(&mut sink) },
            false => decoder.feed(src, &mut sink),
        };
        // A codec can exchange the sink for another one in safe code.
        if sink.identity() != lent || stalls.check(src.len(), space, sink.written(), &step).is_err() {
            return false;
        }
        let fault = if let Stop::Fault(fault) = step.stop { Some(fault) } else { None };
        if !each(Driven { text: sink.as_str(), read: step.read, fault, pending: decoder.pending() }) {
            return false;
        }
        src = &src[step.read..];
        if step.stop == Stop::InputEmpty {
            if is_read {
                return true;
            }
            is_read = true;
        }
    }
    true
}

/// How many times in a row a codec may return without having read anything. A correct one does so a few times: when the
/// output is full, and for the faults of a sequence that it holds.
const MAX_STALLS: u32 = 1024;

/// How a codec broke the contract; completes the sentence "it …".
pub(crate) type Problem = &'static str;

/// Detects codecs that stop making progress.
#[derive(Default)]
pub(crate) struct Stalls {
    count: u32,
}

impl Stalls {
    /// Checks a step of a codec that had `given` bytes of input and `room` bytes for output, and wrote `written`.
    #[inline]
    pub(crate) fn check<F>(
        &mut self,
        given: usize,
        room: usize,
        written: usize,
        step: &Step<F>,
    ) -> Result<(), Problem> {
        if step.read > given {
            return Err("reports that it read more than it was given");
        }
        match step.stop {
            Stop::InputEmpty if step.read < given => {
                return Err("stopped before the end of its input without a reason");
            }
            Stop::OutputFull if step.read == 0 && written == 0 && room >= MIN_ROOM => {
                return Err("asks for more space for output, although it has enough");
            }
            _ => {}
        }
        if step.read > 0 || matches!(step.stop, Stop::InputEmpty) {
            self.count = 0;
        } else {
            self.count += 1;
        }
        if self.count > MAX_STALLS { Err("goes on without reading anything") } else { Ok(()) }
    }
}
