//! Charsets that switch between sets, or between text and base64, by codes in the text: UTF-7, HZ and ISO-2022.
//!
//! Each is a [`Reader`] and a [`Writer`], small state machines that know nothing of buffers. The decoder and the
//! encoder here run them on inputs and outputs that are cut anywhere. Whole characters in the middle of an input go
//! through `run`, which a charset has for speed only. What it leaves goes byte by byte, or character by character: the
//! ends of inputs and outputs, and anything that is rare or malformed.
//!
//! # What is malformed
//!
//! One maximal subpart: the bytes up to the first that cannot continue them. That byte is read again, so a byte that
//! interrupts a pair or an escape sequence still means what it means. A whole pair without a character is malformed as
//! a whole. The state stays as it was before the malformed bytes.

mod batch;
mod hz;
mod iso2022;
mod sets;
mod utf7;

pub(crate) use hz::Hz;
pub(crate) use iso2022::Iso2022;
pub(crate) use utf7::Utf7;

use crate::codec::batches::Pace;
use crate::codec::faults::{Faults, replacing};
use crate::codec::{ByteSink, Decoder, Encoder, MIN_ROOM, Malformed, Replaced, Step, Stop, Unmappable, Utf8Sink};
use std::ops::ControlFlow;

/// The state of a reader or a writer between two characters.
trait Carried: Sized {
    /// Returns it as a number. The numbers of different states differ.
    fn to_number(&self) -> u64;

    /// Returns `self` with what the number says; `None` if it is not the number of a state.
    fn with_number(&self, number: u64) -> Option<Self>;
}

/// Returns the state of `now` as a number that is 0 if it is `initial`.
fn state_of<C: Carried>(initial: &C, now: &C) -> u64 {
    now.to_number() ^ initial.to_number()
}

/// The inverse of [`state_of`].
fn of_state<C: Carried>(initial: &C, state: u64) -> Option<C> {
    initial.with_number(state ^ initial.to_number())
}

/// Reads bytes, one at a time.
trait Reader: Carried + Copy + Send + 'static {
    /// Reads the last of `bytes`. Those before it were undecided; there are at most [`LONGEST`].
    fn read(&mut self, bytes: &[u8]) -> Reading;

    /// Reads whole characters and codes from the front of `src`, where nothing is undecided, to `dst`; returns how many
    /// bytes. Does the same as [`read`](Self::read), and may stop between any two of them, or read nothing. The end of
    /// `src`, the end of the room or something rare may be near. `pace` says when to try what is for long runs;
    /// `faults` may be replaced.
    fn run(&mut self, src: &[u8], pace: &mut Pace, faults: &mut Option<Faults>, dst: &mut Utf8Sink<'_>) -> usize;
}

/// Replaces a fault at the front of `src`, if faults are replaced and one or two bytes decide that there is one.
/// `reader` is the state there, and after the fault.
fn replace_fault<R: Reader>(
    mut reader: R,
    src: &[u8],
    faults: &mut Option<Faults>,
    dst: &mut Utf8Sink<'_>,
) -> ControlFlow<usize, usize> {
    let len = match *src {
        _ if faults.is_none() => 0,
        [first, second, ..] => match reader.read(&[first]) {
            Reading::Malformed => 1,
            Reading::More => match reader.read(&[first, second]) {
                Reading::Malformed => 2,
                Reading::MalformedBefore => 1,
                _ => 0,
            },
            _ => 0,
        },
        _ => 0,
    };
    if len > 0 && Faults::replace(faults, dst) { ControlFlow::Continue(len) } else { ControlFlow::Break(0) }
}

/// Copies the bytes at the front of `src` that `is_plain`, which are ASCII, as far as there is room; returns how many.
fn copy_plain(src: &[u8], dst: &mut Utf8Sink<'_>, is_plain: impl Fn(u8) -> bool) -> usize {
    dst.push_ascii(&src[..plain_len(src, is_plain)])
}

/// Copies the characters at the front of `src` that are plain, as far as there is room; returns how many bytes, twice.
fn copied(src: &str, spare: &mut [u8], is_plain: impl Fn(u8) -> bool) -> (usize, usize) {
    let most = src.len().min(spare.len());
    let len = plain_len(&src.as_bytes()[..most], is_plain);
    spare[..len].copy_from_slice(&src.as_bytes()[..len]);
    (len, len)
}

/// Returns how many bytes at the front of `src` are plain.
fn plain_len(src: &[u8], is_plain: impl Fn(u8) -> bool) -> usize {
    let mut len = 0;
    // No branch per byte in a block, so that the compiler vectorizes it.
    for block in src.as_chunks::<32>().0 {
        if !block.iter().fold(true, |all, byte| all & is_plain(*byte)) {
            break;
        }
        len += block.len();
    }
    len + src[len..].iter().position(|byte| !is_plain(*byte)).unwrap_or(src.len() - len)
}

/// The meaning of some bytes.
enum Reading {
    /// Undecided: the next byte decides.
    More,
    /// These characters.
    Text(char, Option<char>),
    /// A code that only changes the state.
    Shift,
    /// Malformed, all of them.
    Malformed,
    /// All but the last, of which there are some, are malformed. The last is read again, by itself.
    MalformedBefore,
}

impl Reading {
    /// Returns the character, or that the bytes are malformed.
    fn of(ch: Option<char>) -> Reading {
        ch.map_or(Reading::Malformed, |ch| Reading::Text(ch, None))
    }
}

/// The most undecided bytes, and the next one: an escape sequence has four, a surrogate pair in base64 with the sign
/// before it has seven.
const LONGEST: usize = 12;

#[derive(Clone)]
struct ByteDecoder<R> {
    initial: R,
    reader: R,
    /// The reader before the undecided bytes.
    settled: R,
    /// The undecided bytes.
    held: [u8; LONGEST],
    len: usize,
    pace: Pace,
}

impl<R: Reader> ByteDecoder<R> {
    fn new(reader: R) -> Self {
        ByteDecoder { initial: reader, settled: reader, reader, held: [0; LONGEST], len: 0, pace: Pace::new() }
    }
}

impl<R: Reader> ByteDecoder<R> {
    // Once in a program, not for each of the two ways to call it.
    #[inline(never)]
    fn feed_all(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, faults: &mut Option<Faults>) -> Step<Malformed> {
        let fault = |len: usize| Stop::Fault(Malformed { len: len as u8, after: 0 });
        let mut read = 0;
        while let Some(&byte) = src.get(read) {
            if self.len == 0 {
                let run = self.reader.run(&src[read..], &mut self.pace, faults, dst);
                if run > 0 {
                    read += run;
                    continue;
                }
                self.settled = self.reader;
            }
            let mut reader = self.reader;
            self.held[self.len] = byte;
            let len = self.len + 1;
            match reader.read(&self.held[..len]) {
                Reading::More => self.len = len,
                Reading::Shift => self.len = 0,
                Reading::Text(first, second) => {
                    if dst.room() < first.len_utf8() + second.map_or(0, char::len_utf8) {
                        return Step { read, stop: Stop::OutputFull };
                    }
                    dst.push(first);
                    second.map(|second| dst.push(second));
                    self.len = 0;
                }
                Reading::Malformed => {
                    (self.reader, self.len) = (reader, 0);
                    return Step { read: read + 1, stop: fault(len) };
                }
                Reading::MalformedBefore => {
                    (self.reader, self.len) = (reader, 0);
                    return Step { read, stop: fault(len - 1) };
                }
            }
            self.reader = reader;
            read += 1;
        }
        Step { read, stop: Stop::InputEmpty }
    }
}

impl<R: Reader> Decoder for ByteDecoder<R> {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        self.feed_all(src, dst, &mut None)
    }

    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        replacing(src, replacement, dst, |src, dst, faults| self.feed_all(src, dst, faults))
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        match std::mem::take(&mut self.len) {
            0 => Stop::InputEmpty,
            len => Stop::Fault(Malformed { len: len as u8, after: 0 }),
        }
    }

    fn reset(&mut self) {
        (self.reader, self.len) = (self.initial, 0);
    }

    fn state(&self) -> Option<u64> {
        Some(state_of(&self.initial, if self.len == 0 { &self.reader } else { &self.settled }))
    }

    fn set_state(&mut self, state: u64) -> bool {
        let reader = of_state(&self.initial, state);
        let is_known = reader.is_some();
        (self.reader, self.len) = (reader.unwrap_or(self.initial), 0);
        is_known
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        self.len
    }
}

/// Writes characters, one at a time.
trait Writer: Carried + Copy + Send + 'static {
    /// Writes `ch` to `out`, which has room for it. Returns `false`, writes nothing and changes nothing if the charset
    /// does not have it.
    fn write(&mut self, ch: char, out: &mut ByteSink<'_>) -> bool;

    /// Writes characters from the front of `src` while nothing is held; returns how many bytes of `src` that was. Does
    /// the same as [`write`](Self::write), and may stop between any two of them, or write nothing. `pace` says when to
    /// try what is for long runs.
    fn run(&mut self, src: &str, pace: &mut Pace, out: &mut ByteSink<'_>) -> usize;

    /// Goes back to the initial state.
    fn end(&mut self, out: &mut ByteSink<'_>);

    /// Returns the character that was read and is not written yet, because the next one may combine with it.
    fn held(&self) -> Option<char> {
        None
    }

    /// Writes the held character, unless it combines with `next`.
    fn release(&mut self, next: Option<char>, out: &mut ByteSink<'_>) {
        let _ = (next, out);
    }
}

#[derive(Clone)]
struct CharEncoder<W> {
    initial: W,
    writer: W,
    pace: Pace,
}

impl<W: Writer> CharEncoder<W> {
    fn new(writer: W) -> Self {
        CharEncoder { initial: writer, writer, pace: Pace::new() }
    }

    /// Lets the writer do something, if its output fits.
    fn step<T>(&mut self, dst: &mut ByteSink<'_>, act: impl FnOnce(&mut W, &mut ByteSink<'_>) -> T) -> Option<T> {
        if dst.room() >= MIN_ROOM {
            return Some(act(&mut self.writer, dst));
        }
        let mut writer = self.writer;
        let mut room = [0; MIN_ROOM];
        let mut out = ByteSink::new(&mut room);
        let done = act(&mut writer, &mut out);
        dst.push(out.as_bytes()).then(|| self.writer = writer)?;
        Some(done)
    }
}

impl<W: Writer> Encoder for CharEncoder<W> {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let mut read = 0;
        loop {
            if self.writer.held().is_none() {
                read += self.writer.run(&src[read..], &mut self.pace, dst);
            }
            let Some(ch) = src[read..].chars().next() else { break };
            if self.writer.held().is_some() && self.step(dst, |writer, out| writer.release(Some(ch), out)).is_none() {
                return Step { read, stop: Stop::OutputFull };
            }
            let Some(is_written) = self.step(dst, |writer, out| writer.write(ch, out)) else {
                return Step { read, stop: Stop::OutputFull };
            };
            read += ch.len_utf8();
            if !is_written {
                return Step { read, stop: Stop::Fault(Unmappable { ch, after: 0 }) };
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        let end = |writer: &mut W, out: &mut ByteSink<'_>| {
            writer.release(None, out);
            writer.end(out);
        };
        self.step(dst, end).map_or(Stop::OutputFull, |()| Stop::InputEmpty)
    }

    fn reset(&mut self) {
        self.writer = self.initial;
    }

    fn state(&self) -> Option<u64> {
        Some(state_of(&self.initial, &self.writer))
    }

    fn set_state(&mut self, state: u64) -> bool {
        let writer = of_state(&self.initial, state);
        let is_known = writer.is_some();
        self.writer = writer.unwrap_or(self.initial);
        is_known
    }

    fn fork(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(self.clone()))
    }

    fn pending(&self) -> usize {
        self.writer.held().map_or(0, char::len_utf8)
    }
}
