//! Checks that codecs keep their [contract](crate::codec#the-contract). A codec that breaks it causes an error; the
//! transcoder does not hang, panic or read out of bounds because of it.

use crate::codec::{
    ByteSink, Decoder, Encoder, MAX_FAULT, MIN_ROOM, Malformed, Problem, Replacement, Stalls, Step, Stop, Unmappable,
    Utf8Sink, char_of_byte, has_shift_codes,
};
use crate::error::{Error, ErrorKind};

/// A decoder, how far it has read the input, and the last bytes that it read.
///
/// `read`, `history` and `known` move together, in `remember` alone: the bytes of a fault are looked up in the history.
pub(super) struct CheckedDecoder {
    name: String,
    inner: Box<dyn Decoder>,
    stalls: Stalls,
    /// The input offset at which it began.
    start: u64,
    /// The input offset of the byte that it is fed next.
    read: u64,
    /// The last bytes that it read, [`MAX_FAULT`] or a few more, and how many there are.
    history: [u8; 2 * MAX_FAULT],
    known: usize,
    /// The text that it writes in place of malformed bytes, which are only counted.
    passing: Option<Passing>,
    /// How many malformed sequences it has replaced since that was asked for last.
    replaced: u64,
    /// How the codec broke the contract after it had done something that counts. The next call fails with it.
    breach: Option<Problem>,
}

/// How malformed bytes that are only counted are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    Replace(char),
    Drop,
}

impl Passing {
    fn replacement(self) -> Option<char> {
        match self {
            Passing::Replace(ch) => Some(ch),
            Passing::Drop => None,
        }
    }
}

impl CheckedDecoder {
    pub(super) fn new(name: &str, inner: Box<dyn Decoder>, start: u64) -> Self {
        let (stalls, history) = (Stalls::default(), [0; 2 * MAX_FAULT]);
        let (passing, replaced, breach) = (None, 0, None);
        let name = name.to_owned();
        CheckedDecoder { name, inner, stalls, start, read: start, history, known: 0, passing, replaced, breach }
    }

    /// From here on replaces malformed bytes, and counts them only; or reports each if `passing` is `None`. A few are
    /// reported all the same.
    pub(super) fn pass(&mut self, passing: Option<Passing>) {
        self.passing = passing;
    }

    /// Returns what happens to malformed bytes; `None` if each is reported.
    pub(super) fn passing(&self) -> Option<Passing> {
        self.passing
    }

    /// How many malformed sequences were replaced since this was last set.
    pub(super) fn replaced(&mut self) -> &mut u64 {
        &mut self.replaced
    }

    pub(super) fn read(&self) -> u64 {
        self.read
    }

    /// A new decoder of the same kind, which starts at input offset `start`.
    pub(super) fn fresh_at(&self, start: u64) -> Self {
        let mut inner = self.inner.fork();
        inner.reset();
        CheckedDecoder::new(&self.name, inner, start)
    }

    /// The size of a code unit, if a new decoder can take over between any two characters.
    pub(super) fn code_unit(&self) -> Option<usize> {
        self.inner.code_unit()
    }

    /// Whether it can tell what it carries from one character to the next.
    pub(super) fn has_state(&self) -> bool {
        self.inner.state().is_some()
    }

    /// Whether a new decoder can take over now.
    pub(super) fn is_initial(&self) -> bool {
        self.inner.pending() == 0 && self.inner.state() == Some(0)
    }

    /// What it carries to the next character, if it can tell and nothing is pending.
    pub(super) fn state(&self) -> Option<u64> {
        if self.inner.pending() == 0 { self.inner.state() } else { None }
    }

    /// The state in which the first of the pending bytes was read, if it can tell.
    pub(super) fn state_before_pending(&self) -> Option<u64> {
        self.inner.state()
    }

    /// Continues at input offset `at`, in a state that it told. Returns `false` if there is no such state.
    pub(super) fn go_on_at(&mut self, at: u64, state: u64) -> bool {
        (self.start, self.read, self.known) = (at, at, 0);
        self.inner.set_state(state)
    }

    /// A copy in the same state.
    pub(super) fn fork(&self) -> Self {
        let (name, inner, stalls) = (self.name.clone(), self.inner.fork(), Stalls::default());
        CheckedDecoder { name, inner, stalls, replaced: 0, ..*self }
    }

    /// Becomes a copy of `other`, which decodes the same charset, without a new decoder. Returns `false` if that is not
    /// possible; the decoder is of no use then.
    pub(super) fn copy_from(&mut self, other: &Self) -> bool {
        let pending = other.inner.pending();
        let Some(state) = other.inner.state().filter(|_| pending <= other.pending().min(other.known)) else {
            return false;
        };
        if !self.inner.set_state(state) {
            return false;
        }
        if pending > 0 {
            let mut room = [0; 2 * MIN_ROOM];
            let mut sink = Utf8Sink::new(&mut room);
            let held = &other.history[other.known - pending..other.known];
            let step = self.inner.feed(held, &mut sink);
            let is_same = step == Step { read: pending, stop: Stop::InputEmpty } && sink.written() == 0;
            if !is_same || self.inner.pending() != pending {
                return false;
            }
        }
        (self.stalls, self.start, self.read) = (Stalls::default(), other.start, other.read);
        (self.history, self.known) = (other.history, other.known);
        (self.passing, self.replaced, self.breach) = (other.passing, 0, other.breach);
        true
    }

    /// Goes back to the initial state, for another input, which starts at the offset `start`.
    pub(super) fn restart(&mut self, start: u64) {
        self.inner.reset();
        (self.stalls, self.start, self.read, self.known) = (Stalls::default(), start, start, 0);
        (self.passing, self.replaced, self.breach) = (None, 0, None);
    }

    /// Back to the initial state, at the end of a record.
    pub(super) fn reset(&mut self) {
        self.inner.reset();
    }

    /// Decodes all of `src` as a whole value, and resets the decoder. Returns `false` if anything is wrong with the
    /// value or with the decoder, or if `dst` is too small; the contents of `dst` are meaningless then. For speed, what
    /// was read is not recorded.
    #[inline]
    pub(super) fn whole(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, is_bytewise: bool) -> bool {
        if is_bytewise {
            return self.inner.feed(src, dst) == Step { read: src.len(), stop: Stop::InputEmpty };
        }
        let is_whole = self.inner.decode_whole(src, dst);
        self.inner.reset();
        is_whole
    }

    /// Decodes `src` without recording it: the caller [records](Self::skip) it, or [goes back](Self::go_back). Returns
    /// why the decoder stopped; `None` if what it did cannot be used.
    #[inline]
    pub(super) fn feed_unrecorded(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Option<Stop<Malformed>> {
        let lent = dst.identity();
        let step = self.inner.feed(src, dst);
        let is_usable = dst.identity() == lent && (step.read == src.len() || step.stop != Stop::InputEmpty);
        (is_usable && self.breach.is_none()).then_some(step.stop)
    }

    /// Forgets the unfinished character at the end, which was not recorded. Returns how many bytes of it there were;
    /// `None` if the decoder cannot.
    pub(super) fn drop_pending(&mut self) -> Option<usize> {
        let pending = self.inner.pending();
        let is_dropped = pending == 0 || self.inner.state().is_some_and(|state| self.inner.set_state(state));
        is_dropped.then_some(pending)
    }

    /// Goes back to a state that it told, with nothing pending.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`] if the decoder does not take that state.
    pub(super) fn go_back(&mut self, state: u64) -> Result<(), Error> {
        if self.inner.set_state(state) { Ok(()) } else { Err(self.broken(STATE_REFUSED)) }
    }

    /// Returns the character that one byte decodes to; `None` if a single byte is not a character. The decoder must be
    /// new.
    pub(super) fn alone(&self, byte: u8) -> Option<char> {
        char_of_byte(&*self.inner, byte)
    }

    /// Records bytes that were converted without this decoder.
    pub(super) fn skip(&mut self, bytes: &[u8]) {
        self.remember(bytes);
    }

    /// Whether each byte is a character, independent of the others.
    pub(super) fn is_bytewise(&self) -> bool {
        self.inner.is_bytewise()
    }

    /// Whether SO and SI switch it between single bytes and pairs. The decoder must be new.
    pub(super) fn shifts(&self) -> bool {
        has_shift_codes(&*self.inner)
    }

    /// How many bytes were read and are undecided; never more than were read.
    pub(super) fn pending(&self) -> usize {
        at_most(self.inner.pending(), self.read - self.start)
    }

    #[inline]
    pub(super) fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Result<Step<Malformed>, Error> {
        if let Some(what) = self.breach.take() {
            return Err(self.broken(what));
        }
        match self.passing {
            None => self.watched(src, dst, |decoder, dst| decoder.feed(src, dst)),
            Some(passing) => self.feed_passing(src, passing.replacement(), dst),
        }
    }

    /// Replaces malformed bytes, as far as the codec does not do so itself.
    fn feed_passing(
        &mut self,
        src: &[u8],
        replacement: Option<char>,
        dst: &mut Utf8Sink<'_>,
    ) -> Result<Step<Malformed>, Error> {
        let mut read = 0;
        loop {
            let rest = &src[read..];
            let (held, before) = (self.pending(), dst.written());
            let mut count = 0;
            let fed = self.watched(rest, dst, |decoder, dst| {
                let replaced = decoder.feed_replacing(rest, replacement, dst);
                count = replaced.count;
                replaced.step
            });
            let written = dst.written().saturating_sub(before) as u64;
            let shortest = count.saturating_mul(replacement.map_or(0, char::len_utf8) as u64);
            let step = match fed {
                Ok(step) if count <= (held + step.read) as u64 && shortest <= written => Ok(step),
                Ok(_) => Err(self.broken("counts more malformed sequences than there are")),
                Err(error) => Err(error),
            };
            let step = match step {
                Ok(step) => step,
                Err(error) if read == 0 => return Err(error),
                Err(error) => {
                    // What was done before counts.
                    if let ErrorKind::Codec { what, .. } = error.kind() {
                        self.breach = Some(what);
                    }
                    return Ok(Step { read, stop: Stop::OutputFull });
                }
            };
            self.replaced += count;
            read += step.read;
            match step.stop {
                Stop::Fault(_) if replacement.is_none_or(|ch| dst.push(ch)) => self.replaced += 1,
                stop => return Ok(Step { read, stop }),
            }
        }
    }

    pub(super) fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Result<Stop<Malformed>, Error> {
        let step = self.watched(&[], dst, |decoder, dst| Step { read: 0, stop: decoder.finish(dst) })?;
        Ok(step.stop)
    }

    fn watched(
        &mut self,
        src: &[u8],
        dst: &mut Utf8Sink<'_>,
        call: impl FnOnce(&mut dyn Decoder, &mut Utf8Sink<'_>) -> Step<Malformed>,
    ) -> Result<Step<Malformed>, Error> {
        let (lent, before, room) = (dst.identity(), dst.written(), dst.room());
        let step = call(&mut *self.inner, dst);
        let written = dst.written().checked_sub(before).filter(|_| dst.identity() == lent);
        let mut checked = match written {
            Some(written) => self.stalls.check(src.len(), room, written, &step),
            None => Err(EXCHANGED),
        };
        if checked.is_ok() {
            self.remember(&src[..step.read]);
            checked = self.check_fault(step.stop);
        }
        if checked.is_ok() && self.inner.pending() > MAX_FAULT {
            checked = Err("keeps more bytes than the contract allows");
        }
        checked.map_err(|what| self.broken(what))?;
        Ok(step)
    }

    fn check_fault(&self, stop: Stop<Malformed>) -> Result<(), Problem> {
        let Stop::Fault(Malformed { len, after }) = stop else { return Ok(()) };
        let reach = len as usize + after as usize;
        if len == 0 || reach > MAX_FAULT || reach as u64 > self.read - self.start {
            return Err("reports a fault outside what it read");
        }
        Ok(())
    }

    #[inline]
    fn remember(&mut self, bytes: &[u8]) {
        self.read += bytes.len() as u64;
        if let Some(last) = bytes.last_chunk::<MAX_FAULT>() {
            self.history[..MAX_FAULT].copy_from_slice(last);
            self.known = MAX_FAULT;
            return;
        }
        if self.known + bytes.len() > self.history.len() {
            self.history.copy_within(self.known - MAX_FAULT..self.known, 0);
            self.known = MAX_FAULT;
        }
        self.history[self.known..][..bytes.len()].copy_from_slice(bytes);
        self.known += bytes.len();
    }

    /// Returns the bytes of a fault that was just reported.
    pub(super) fn fault_bytes(&self, fault: Malformed) -> Vec<u8> {
        let end = self.known - fault.after as usize;
        self.history[end - fault.len as usize..end].to_vec()
    }

    fn broken(&self, what: Problem) -> Error {
        ErrorKind::Codec { codec: self.name.clone(), offset: self.read, what }.into()
    }
}

/// Limits what a codec claims to hold to what it may hold and to what it has `read`. The latter is a length of the
/// input and may need more than 32 bits, so it is compared before it becomes a `usize`.
fn at_most(pending: usize, read: u64) -> usize {
    (pending.min(MAX_FAULT) as u64).min(read) as usize
}

/// The characters that an encoder replaces without reporting each.
#[derive(Clone, Copy, Default)]
pub(super) struct PassingChars {
    /// The replacement for a character that the target lacks; may be empty. `None` if each is reported.
    pub(super) unmappable: Option<Option<Replacement<'static>>>,
    /// All U+FFFD in the text stand for malformed bytes. Those are counted already, and replaced regardless of the
    /// policy.
    pub(super) stands_for_malformed: bool,
}

impl PassingChars {
    /// Whether any character is replaced.
    pub(super) fn is_any(self) -> bool {
        self.unmappable.is_some() || self.stands_for_malformed
    }

    /// Returns what happens to a character that the target lacks. `is_mark`: it stands for malformed bytes.
    fn of(self, is_mark: bool) -> Option<Option<Replacement<'static>>> {
        if is_mark { Some(Some(Replacement::Substitute)) } else { self.unmappable }
    }

    /// Returns the front of `text` in which all characters are treated alike, and whether they stand for malformed
    /// bytes.
    fn piece(self, text: &str) -> (&str, bool) {
        if !self.stands_for_malformed {
            return (text, false);
        }
        let is_marks = text.starts_with(MARK);
        let end = if is_marks { text.find(|ch| ch != MARK) } else { text.find(MARK) };
        (&text[..end.unwrap_or(text.len())], is_marks)
    }
}

/// The replacement for malformed bytes.
const MARK: char = char::REPLACEMENT_CHARACTER;

const STATE_REFUSED: Problem = "does not take a state that it told";

const EXCHANGED: Problem = "replaced the sink that it was given with another one";

/// An encoder, and how much text it has been fed.
pub(super) struct CheckedEncoder {
    name: String,
    inner: Box<dyn Encoder>,
    stalls: Stalls,
    fed: u64,
}

impl CheckedEncoder {
    pub(super) fn new(name: &str, inner: Box<dyn Encoder>) -> Self {
        CheckedEncoder { name: name.to_owned(), inner, stalls: Stalls::default(), fed: 0 }
    }

    /// A copy in the same state; `None` if the encoder cannot be copied.
    pub(super) fn fork(&self) -> Option<Self> {
        let inner = self.inner.fork()?;
        Some(self.renewed(inner))
    }

    /// The same with `inner`, which is in the same state.
    pub(super) fn renewed(&self, inner: Box<dyn Encoder>) -> Self {
        CheckedEncoder { fed: self.fed, ..CheckedEncoder::new(&self.name, inner) }
    }

    /// Goes back to the initial state, for another output.
    pub(super) fn restart(&mut self) {
        self.inner.reset();
        (self.stalls, self.fed) = (Stalls::default(), 0);
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of text read so far.
    pub(super) fn fed(&self) -> u64 {
        self.fed
    }

    /// How many bytes of text were read and not written; never more than were read.
    pub(super) fn pending(&self) -> usize {
        at_most(self.inner.pending(), self.fed)
    }

    pub(super) fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>, offset: u64) -> Result<Step<Unmappable>, Error> {
        self.watched(src, dst, offset, |encoder, dst| encoder.feed(src, dst))
    }

    /// Does what [`feed`](Self::feed) does, but replaces the characters that `passing` names. Returns how many it
    /// replaced and counts. A few are reported all the same.
    pub(super) fn feed_passing(
        &mut self,
        src: &str,
        passing: PassingChars,
        dst: &mut ByteSink<'_>,
        offset: u64,
    ) -> Result<(Step<Unmappable>, u64), Error> {
        let (mut read, mut replaced) = (0, 0);
        loop {
            let (piece, is_marks) = passing.piece(&src[read..]);
            let held = self.pending();
            let mut count = 0;
            let step = self.watched(piece, dst, offset, |encoder, dst| match passing.of(is_marks) {
                Some(replacement) => {
                    let replaced = encoder.feed_replacing(piece, replacement, dst);
                    count = replaced.count;
                    replaced.step
                }
                None => encoder.feed(piece, dst),
            })?;
            if count > (held + step.read) as u64 {
                return Err(self.broken("counts more unmappable characters than there are", offset));
            }
            read += step.read;
            replaced += if is_marks { 0 } else { count };
            match step.stop {
                Stop::InputEmpty if read < src.len() => {}
                Stop::Fault(fault) => {
                    let is_mark = passing.stands_for_malformed && fault.ch == MARK;
                    let is_replaced = match passing.of(is_mark) {
                        None => false,
                        Some(None) => true,
                        Some(Some(which)) => {
                            dst.room() >= MIN_ROOM && self.encode_replacement(fault.ch, which, dst, offset)?
                        }
                    };
                    if !is_replaced {
                        return Ok((Step { read, ..step }, replaced));
                    }
                    replaced += u64::from(!is_mark);
                }
                Stop::InputEmpty | Stop::OutputFull => return Ok((Step { read, ..step }, replaced)),
            }
        }
    }

    /// Encodes `text`, all of which the caller [takes back](Self::go_back) if this is not the end of it. Returns why
    /// the encoder stopped; `None` if what it did cannot be used, or if it holds text back.
    #[inline]
    pub(super) fn feed_at_once(&mut self, text: &str, dst: &mut ByteSink<'_>) -> Option<Stop<Unmappable>> {
        let lent = dst.identity();
        let step = self.inner.feed(text, dst);
        self.fed += text.len() as u64;
        let is_whole = step.read == text.len() && self.inner.pending() == 0;
        (dst.identity() == lent && (is_whole || step.stop != Stop::InputEmpty)).then_some(step.stop)
    }

    /// Goes back to a state that it told, with nothing pending, and to where it had been fed so much.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`] if the encoder does not take that state.
    pub(super) fn go_back(&mut self, state: u64, fed: u64) -> Result<(), Error> {
        self.fed = fed;
        if self.inner.set_state(state) { Ok(()) } else { Err(self.broken(STATE_REFUSED, 0)) }
    }

    pub(super) fn finish(&mut self, dst: &mut ByteSink<'_>, offset: u64) -> Result<Stop<Unmappable>, Error> {
        let step = self.watched("", dst, offset, |encoder, dst| Step { read: 0, stop: encoder.finish(dst) })?;
        Ok(step.stop)
    }

    fn watched(
        &mut self,
        src: &str,
        dst: &mut ByteSink<'_>,
        offset: u64,
        call: impl FnOnce(&mut dyn Encoder, &mut ByteSink<'_>) -> Step<Unmappable>,
    ) -> Result<Step<Unmappable>, Error> {
        let (lent, before, room) = (dst.identity(), dst.written(), dst.room());
        let step = call(&mut *self.inner, dst);
        let written = dst.written().checked_sub(before).filter(|_| dst.identity() == lent);
        let mut checked = match written {
            Some(written) => self.stalls.check(src.len(), room, written, &step),
            None => Err(EXCHANGED),
        };
        if checked.is_ok() && !src.is_char_boundary(step.read) {
            checked = Err("stopped within a character");
        }
        if checked.is_ok() {
            self.fed += step.read as u64;
            checked = self.check_fault(step.stop);
        }
        if checked.is_ok() && self.inner.pending() > MAX_FAULT {
            checked = Err("keeps more text than the contract allows");
        }
        checked.map_err(|what| self.broken(what, offset))?;
        Ok(step)
    }

    /// Back to the initial state, at the end of a record.
    pub(super) fn reset(&mut self) {
        self.inner.reset();
    }

    /// Whether a new encoder can take over where nothing is pending.
    pub(super) fn is_stateless(&self) -> bool {
        self.inner.is_stateless()
    }

    /// Whether it can tell what it carries from one character to the next.
    pub(super) fn has_state(&self) -> bool {
        self.inner.state().is_some()
    }

    /// What it carries to the next character, if it can tell and nothing is pending.
    pub(super) fn state(&self) -> Option<u64> {
        if self.inner.pending() == 0 { self.inner.state() } else { None }
    }

    /// Whether a new encoder can take over now.
    pub(super) fn is_initial(&self) -> bool {
        self.inner.pending() == 0 && self.inner.state() == Some(0)
    }

    /// Writes a replacement for `ch`. Returns `false` if the charset has none.
    pub(super) fn encode_replacement(
        &mut self,
        ch: char,
        which: Replacement<'_>,
        dst: &mut ByteSink<'_>,
        offset: u64,
    ) -> Result<bool, Error> {
        let (lent, before) = (dst.identity(), dst.written());
        let done = self.inner.encode_replacement(ch, which, dst);
        if dst.identity() != lent || (dst.written() > before) != done {
            return Err(self.broken(
                if dst.identity() != lent { EXCHANGED } else { "reports wrongly whether it wrote a replacement" },
                offset,
            ));
        }
        Ok(done)
    }

    fn check_fault(&self, stop: Stop<Unmappable>) -> Result<(), Problem> {
        let Stop::Fault(Unmappable { ch, after }) = stop else { return Ok(()) };
        if ch.len_utf8() as u64 + u64::from(after) > self.fed {
            return Err("reports a fault outside what it read");
        }
        Ok(())
    }

    fn broken(&self, what: Problem, offset: u64) -> Error {
        ErrorKind::Codec { codec: self.name.clone(), offset, what }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    /// Beyond 4 GiB too, even if a `usize` has 32 bits.
    #[test]
    fn what_is_pending_far_into_the_input() {
        for read in [2, 3, u64::from(u32::MAX), 1 << 32, (1 << 32) + 1, 1 << 40] {
            assert_eq!(at_most(3, read) as u64, read.min(3), "{read}");
            assert_eq!(at_most(usize::MAX, read) as u64, read.min(MAX_FAULT as u64), "{read}");
        }
        let codec = Registry::builtin().codec("UTF-8").unwrap();
        let mut decoder = CheckedDecoder::new("UTF-8", codec.decoder(), 1);
        let mut room = [0; MIN_ROOM];
        // Two bytes of three; everything before them was dealt with otherwise.
        decoder.read = (1 << 32) - 1;
        let _ = decoder.feed("€".as_bytes().split_last().unwrap().1, &mut Utf8Sink::new(&mut room)).unwrap();
        assert_eq!((decoder.read, decoder.pending()), ((1 << 32) + 1, 2));
    }
}
