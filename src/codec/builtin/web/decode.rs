//! The decoder of a multi-byte encoding.
//!
//! A decoder of encoding_rs cannot be cloned, and does not tell how many bytes it holds. It is fed here in a way that
//! makes both unnecessary: whole runs in the middle of the input, and then what is left. A character has at most four
//! bytes, so one of the last four positions is between two characters, and there the decoder is *neutral*: it holds
//! nothing. The bytes after that position are kept, and a copy is a new decoder that is fed these bytes. If a piece of
//! the input ends within a character, fresh decoders find the position. ISO-2022-JP is fed byte by byte there instead; its
//! decoder is neutral in each of its sets, and a copy is first fed the escape sequence of the set.
//!
//! Bytes that a fault gives back to be decoded again (the digit in 81 30 FF) are kept too, but not fed yet.

use super::jis::{ESC, Shift};
use super::plain::{FAR, LONGEST, Plain, SHORT};
use crate::arch;
use crate::codec::batches::{FEW, Pace, PlainPairs, Switched, WORTH};
use crate::codec::faults::{Faults, replacing};
use crate::codec::{Decoder, Malformed, Replaced, Step, Stop, Utf8Sink};
use encoding_rs::{DecoderResult, Encoding, ISO_2022_JP};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The room that encoding_rs needs to decode a single byte, whatever it holds, and the end of a run after the run.
const STEP_ROOM: usize = 32;

/// The length of the shortest run. Shorter input is fed at once if there is room for a run, otherwise byte by byte.
const RUN: usize = 4 * LONGEST;

/// The room for the shortest run and for completing its last character.
const RUN_ROOM: usize = 3 * RUN + RUN_RESERVE;
const RUN_RESERVE: usize = 2 * LONGEST * STEP_ROOM;

/// The length of a run after a fault; the next is twice as long. The room for a run is zeroed first, which is wasted if
/// there is a fault at its beginning.
const CAREFUL_RUN: usize = 2 * RUN;

/// The longest run where characters are rarely plain, in bytes.
const MOST: usize = 256;

/// Decodes a multi-byte encoding.
pub(super) struct MultiByteDecoder {
    encoding: &'static Encoding,
    inner: encoding_rs::Decoder,
    shift: Shift,
    /// Bytes that were read and not decided. The first `fed` of them were fed to `inner` since it was neutral.
    held: [u8; 2 * LONGEST],
    len: usize,
    fed: usize,
    /// The length limit for the next run, in bytes.
    run_limit: usize,
    plain: Arc<Plain>,
    /// When to try the tables.
    pace: Pace,
    /// Whether the tables have decoded since `inner` was fed, so that it may not be in the state `shift`.
    is_behind: bool,
}

impl MultiByteDecoder {
    pub(super) fn new(encoding: &'static Encoding, plain: Arc<Plain>, shift: Shift) -> Self {
        let mut inner = encoding.new_decoder_without_bom_handling();
        shift.lead(&mut inner);
        let (held, run_limit, pace) = ([0; 2 * LONGEST], usize::MAX, Pace::new());
        MultiByteDecoder { encoding, inner, shift, held, len: 0, fed: 0, run_limit, plain, pace, is_behind: false }
    }

    /// Makes it afresh, in this state.
    fn restart(&mut self, shift: Shift) {
        *self = Self::new(self.encoding, self.plain.clone(), shift);
    }

    /// Makes `inner` afresh, in the state.
    fn renew(&mut self) {
        self.inner = self.encoding.new_decoder_without_bom_handling();
        self.shift.lead(&mut self.inner);
        (self.fed, self.is_behind) = (0, false);
    }

    /// Decodes the front of `src` while nothing is held, if there are tables: plain characters by them, and what is among
    /// those. Ends neutral, or with a fault; `faults` are replaced if it has room for that.
    fn feed_plain(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, faults: &mut Option<Faults>) -> Step<Malformed> {
        let plain = self.plain.clone();
        if let Some(pairs) = plain.pairs(src.len()) {
            self.feed_pairs(pairs, &plain, src, dst, faults)
        } else if self.is_shifted()
            && self.pace.is_due()
            && let Some(pairs) = plain.jis(src.len())
        {
            self.feed_jis(pairs, &plain, src, dst, faults)
        } else {
            Step { read: 0, stop: Stop::InputEmpty }
        }
    }

    /// Does so with the pairs of a charset without escape sequences.
    fn feed_pairs(
        &mut self,
        pairs: &PlainPairs,
        plain: &Plain,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        faults: &mut Option<Faults>,
    ) -> Step<Malformed> {
        let (mut reach, mut left, mut limit) = (self.pace.reach, src.len(), SHORT);
        let mut fault = None;
        let read = pairs.decode(arch::isa(), &mut reach, src, dst, &mut |_, rest, dst| {
            let step = match plain.malformed(false, rest) {
                0 if rest.len() < RUN || dst.room() < RUN_ROOM => return ControlFlow::Break(0),
                0 => {
                    limit = if left - rest.len() >= FAR { SHORT } else { MOST.min(2 * limit) };
                    self.feed_run(rest, dst, limit)
                }
                len => Step { read: len, stop: Stop::Fault(Malformed { len: len as u8, after: 0 }) },
            };
            left = rest.len() - step.read;
            match step.stop {
                Stop::Fault(_) if Faults::replace(faults, dst) => {}
                Stop::Fault(malformed) => fault = Some(malformed),
                _ => {}
            }
            if fault.is_some() { ControlFlow::Break(step.read) } else { ControlFlow::Continue(step.read) }
        });
        self.pace.reach = reach;
        self.run_limit = usize::MAX;
        Step { read, stop: fault.map_or(Stop::InputEmpty, Stop::Fault) }
    }

    fn is_shifted(&self) -> bool {
        self.encoding == ISO_2022_JP
    }

    /// Returns whether `inner`, which was fed `bytes` since it was neutral, is neutral again.
    fn is_neutral(&self, bytes: &[u8]) -> bool {
        if self.is_shifted() {
            match bytes {
                [ESC, ..] => bytes.len() >= 3,
                _ => !self.shift.is_double() || bytes.len().is_multiple_of(2),
            }
        } else {
            self.inner.latin1_byte_compatible_up_to(b"").is_some()
        }
    }

    /// Feeds `inner`; returns how many bytes it read, and its fault.
    fn run(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, last: bool) -> (usize, Option<(u8, u8)>) {
        if Plain::SWITCHES && self.is_behind {
            self.renew();
        }
        let most = 3 * src.len() + STEP_ROOM;
        let inner = &mut self.inner;
        let (result, read) = dst.fill_str(most, |text| {
            let (result, read, written) = inner.decode_to_str_without_replacement(src, text, last);
            ((result, read), written)
        });
        match result {
            DecoderResult::Malformed(len, after) => (read, Some((len, after))),
            // There is always room for the worst case.
            DecoderResult::InputEmpty | DecoderResult::OutputFull => (read, None),
        }
    }

    /// Updates the shift state after `bytes`, which brought `inner` from neutral to neutral.
    fn update_shift(&mut self, bytes: &[u8]) {
        match *bytes {
            [ESC, x, y, ..] if self.is_shifted() => self.shift = Shift { set: [ESC, x, y], fresh: true },
            [] => {}
            _ => self.shift.fresh = false,
        }
    }

    /// Feeds `inner` the next held byte; returns whether it was read, and the fault.
    fn feed_held(&mut self, dst: &mut Utf8Sink<'_>) -> (bool, Option<Malformed>) {
        let byte = self.held[self.fed];
        let (read, fault) = self.run(&[byte], dst, false);
        self.fed += read;
        let fed = self.fed;
        if let Some((len, after)) = fault {
            return (read > 0, Some(self.fault(len, fed - after as usize)));
        }
        let held = self.held;
        if self.is_neutral(&held[..fed]) {
            self.update_shift(&held[..fed]);
            self.held.copy_within(fed..self.len, 0);
            self.len -= fed;
            self.fed = 0;
        }
        (true, None)
    }

    /// Makes a fault of `len` bytes. Drops the first `done` held bytes; those after them will be fed again.
    fn fault(&mut self, len: u8, done: usize) -> Malformed {
        self.held.copy_within(done..self.len, 0);
        self.len -= done;
        self.shift.fresh = false;
        self.renew();
        self.run_limit = CAREFUL_RUN;
        Malformed { len, after: self.len as u8 }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Decodes a run of about `limit` bytes from the front of `src` while nothing is held; ends neutral, or right after a
    /// fault. It leaves at least [`LONGEST`] bytes of `src`, so that the last character of the run can be completed.
    fn feed_run(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, limit: usize) -> Step<Malformed> {
        let most = (src.len() - LONGEST).min((dst.room() - RUN_RESERVE) / 3).min(limit);
        let mut len = most;
        if self.is_shifted() {
            len = src[..most].iter().position(|byte| *byte == ESC).unwrap_or(most);
            if self.shift.is_double() {
                len &= !1;
            }
        }
        let (mut read, mut fault) = self.run(&src[..len], dst, false);
        while fault.is_none() && read < src.len() && !self.is_neutral(&src[..read]) {
            let (more, found) = self.run(&src[read..read + 1], dst, false);
            read += more;
            fault = found;
        }
        if let Some((len, after)) = fault {
            // What was read after it is read again.
            return Step { read: read - usize::from(after), stop: Stop::Fault(self.fault(len, 0)) };
        }
        // There is no escape sequence in the run.
        self.shift.fresh &= read == 0;
        Step { read, stop: Stop::InputEmpty }
    }

    /// Decodes a rest of the input shorter than [`RUN`] while nothing is held, up to the first fault. Holds the bytes of
    /// an incomplete character at its end. Not for ISO-2022-JP.
    fn feed_end(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let (read, fault) = self.run(src, dst, false);
        if let Some((len, after)) = fault {
            return Step { read: read - usize::from(after), stop: Stop::Fault(self.fault(len, 0)) };
        }
        if !self.is_neutral(src) {
            self.hold(&src[self.last_neutral(src)..]);
            self.fed = self.len;
        }
        Step { read, stop: Stop::InputEmpty }
    }

    /// Returns where the incomplete character at the end of `src` begins. `src` is shorter than [`RUN`], begins with a
    /// character, and has no fault.
    fn last_neutral(&self, src: &[u8]) -> usize {
        let mut text = [0; 3 * RUN + STEP_ROOM];
        let is_between = |end: &usize| {
            let mut decoder = self.encoding.new_decoder_without_bom_handling();
            _ = decoder.decode_to_utf8_without_replacement(&src[..*end], &mut text, false);
            decoder.latin1_byte_compatible_up_to(b"").is_some()
        };
        (0..src.len()).rev().find(is_between).unwrap_or(0)
    }
}

impl MultiByteDecoder {
    /// Decodes ASCII, pairs and escape sequences of ISO-2022-JP from the front of `src` while nothing is held, and faults among
    /// them, up to another set or anything else that may be a fault; ends as [`feed_plain`](Self::feed_plain) does.
    fn feed_jis(
        &mut self,
        jis: &Switched,
        plain: &Plain,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        faults: &mut Option<Faults>,
    ) -> Step<Malformed> {
        let Some(mut is_double) = self.set_of_tables(src) else {
            self.pace.tried(0);
            return Step { read: 0, stop: Stop::InputEmpty };
        };
        let mut fault = None;
        let others = &mut |is_double, rest: &[u8], dst: &mut Utf8Sink<'_>| match plain.malformed(is_double, rest) {
            0 => ControlFlow::Break(0),
            len if Faults::replace(faults, dst) => ControlFlow::Continue(len),
            len => {
                fault = Some(Malformed { len: len as u8, after: 0 });
                ControlFlow::Break(len)
            }
        };
        let read = jis.decode(arch::isa(), &mut self.pace.reach, &mut is_double, src, dst, others);
        self.pace.tried(read);
        self.after_tables(is_double, &src[..read]);
        if read >= FAR || self.run_limit == usize::MAX {
            self.run_limit = SHORT;
        }
        Step { read, stop: fault.map_or(Stop::InputEmpty, Stop::Fault) }
    }

    /// Decodes the front of a few bytes by the tables, if they are there, while nothing is held; returns how many it read.
    fn feed_few(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        if self.is_shifted() {
            return self.feed_few_jis(src, dst);
        }
        self.plain.pairs(0).map_or(0, |pairs| pairs.decode_few(src, dst))
    }

    /// Does so with ISO-2022-JP, up to anything that may be a fault; returns how many were read.
    fn feed_few_jis(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let plain = self.plain.clone();
        let (Some(jis), Some(mut is_double)) = (plain.jis(0), self.set_of_tables(src)) else { return 0 };
        let read = jis.decode_few(&mut is_double, src, dst);
        self.after_tables(is_double, &src[..read]);
        read
    }

    /// Returns whether the tables are to begin with pairs; `None` if they cannot decode the front of `src`.
    fn set_of_tables(&self, src: &[u8]) -> Option<bool> {
        let Shift { set, fresh } = self.shift;
        let is_double = self.shift.is_double();
        // An escape sequence right after another one is a fault.
        let is_fault = fresh && src.first() == Some(&ESC);
        ((is_double || set == Shift::INITIAL.set) && !is_fault).then_some(is_double)
    }

    /// Takes over the state in which the tables have left off, after they have decoded `src`.
    fn after_tables(&mut self, is_double: bool, src: &[u8]) {
        if !src.is_empty() {
            let set = if is_double { *b"\x1B$B" } else { Shift::INITIAL.set };
            self.shift = Shift { set, fresh: matches!(src, [.., ESC, b'$' | b'(', _]) };
            self.is_behind = true;
        }
    }

    // Once in a program, not for each of the two ways to call it.
    #[inline(never)]
    fn feed_all(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, faults: &mut Option<Faults>) -> Step<Malformed> {
        let mut read = 0;
        let mut ran = false;
        // Also without input: text of held bytes must not wait for the bytes after them.
        while read < src.len() || self.fed < self.len {
            if dst.room() < STEP_ROOM {
                return Step { read, stop: Stop::OutputFull };
            }
            if self.fed < self.len {
                let before = dst.written();
                if let Some(fault) = self.feed_held(dst).1 {
                    return Step { read, stop: Stop::Fault(fault) };
                }
                if dst.written() > before {
                    // Stop, so that it is clear which bytes the next character comes from.
                    return Step { read, stop: Stop::OutputFull };
                }
                continue;
            }
            if self.len == 0 && src.len() - read >= if self.is_shifted() { WORTH } else { FEW } {
                let step = self.feed_plain(&src[read..], dst, faults);
                read += step.read;
                ran |= step.read > 0;
                if step.stop != Stop::InputEmpty {
                    return Step { read, stop: step.stop };
                }
                if read == src.len() {
                    break;
                }
                if dst.room() < STEP_ROOM {
                    return Step { read, stop: Stop::OutputFull };
                }
            }
            if self.len == 0 && src.len() - read < FEW {
                let few = self.feed_few(&src[read..], dst);
                read += few;
                ran |= few > 0;
                if read == src.len() {
                    break;
                }
                if dst.room() < STEP_ROOM {
                    return Step { read, stop: Stop::OutputFull };
                }
            }
            let rest = &src[read..];
            if self.len == 0 && rest.len() >= RUN {
                if dst.room() >= RUN_ROOM {
                    let step = self.feed_run(rest, dst, self.run_limit);
                    read += step.read;
                    if step.stop == Stop::InputEmpty {
                        self.run_limit = self.run_limit.saturating_mul(2);
                    }
                    ran = true;
                    match step.stop {
                        Stop::InputEmpty if step.read == 0 => {}
                        Stop::InputEmpty => continue,
                        stop => return Step { read, stop },
                    }
                } else if ran && read > 0 {
                    return Step { read, stop: Stop::OutputFull };
                }
            }
            if self.len == 0 && !self.is_shifted() && rest.len() < RUN && dst.room() >= RUN_ROOM {
                let step = self.feed_end(rest, dst);
                read += step.read;
                match step.stop {
                    Stop::InputEmpty => continue,
                    stop => return Step { read, stop },
                }
            }
            self.hold(&rest[..1]);
            match self.feed_held(dst) {
                (_, None) => read += 1,
                (true, Some(fault)) => return Step { read: read + 1, stop: Stop::Fault(fault) },
                (false, Some(Malformed { len, after })) => {
                    // The byte is the last held one, and stays unread.
                    self.len -= 1;
                    return Step { read, stop: Stop::Fault(Malformed { len, after: after - 1 }) };
                }
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }
}

impl Decoder for MultiByteDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let step = self.feed_all(src, dst, &mut None);
        self.plain.add_decoded(step.read);
        step
    }

    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        let replaced = replacing(src, replacement, dst, |src, dst, faults| self.feed_all(src, dst, faults));
        self.plain.add_decoded(replaced.step.read);
        replaced
    }

    /// By the table, or in one run: a short text would otherwise be fed byte by byte.
    fn decode_whole(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> bool {
        let read = self.feed_few(src, dst);
        if read == 0 {
            self.plain.add_decoded(src.len());
        }
        read == src.len() || self.run(&src[read..], dst, true) == (src.len() - read, None)
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        while self.fed < self.len {
            if dst.room() < STEP_ROOM {
                return Stop::OutputFull;
            }
            if let Some(fault) = self.feed_held(dst).1 {
                return Stop::Fault(fault);
            }
        }
        if self.len == 0 {
            return Stop::InputEmpty;
        }
        match self.run(&[], dst, true).1 {
            // `inner` is finished; `fault` replaces it.
            Some((len, after)) => Stop::Fault(self.fault(len, self.len - after as usize)),
            None => {
                self.reset();
                Stop::InputEmpty
            }
        }
    }

    fn reset(&mut self) {
        self.restart(Shift::INITIAL);
    }

    fn fork(&self) -> Box<dyn Decoder> {
        let mut fork = Self::new(self.encoding, self.plain.clone(), self.shift);
        fork.hold(&self.held[..self.len]);
        Box::new(fork)
    }

    fn pending(&self) -> usize {
        self.len
    }

    /// The last two bytes of the escape sequence of the set, and whether nothing has followed it.
    fn state(&self) -> Option<u64> {
        let [_, second, third] = self.shift.set.map(u64::from);
        let is_initial = self.shift == Shift::INITIAL;
        Some(if is_initial { 0 } else { second << 16 | third << 8 | u64::from(self.shift.fresh) })
    }

    fn set_state(&mut self, state: u64) -> bool {
        let set = [(state >> 16) as u8, (state >> 8) as u8];
        let shift = Shift { set: [ESC, set[0], set[1]], fresh: state & 1 == 1 };
        self.restart(Shift::INITIAL);
        if self.is_shifted() && Shift::SETS.contains(&&set) {
            self.restart(shift);
        }
        self.state() == Some(state)
    }
}
