//! The encoder of a multi-byte encoding.

use super::jis::{ESC, JIS_OTHERS, Shift, TO_ASCII, TO_JIS_X_0208, TO_ROMAN, last_escape};
use super::one_way::OneWay;
use super::plain::{FAR, Plain, SHORT};
use super::triples::Triples;
use crate::codec::pairs::{PlainCodes, Switch};
use crate::codec::{ByteSink, Encoder, Replacement, Step, Stop, Unmappable};
use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP};
use std::sync::Arc;

/// Encodes a multi-byte encoding.
pub(super) struct MultiByteEncoder {
    inner: encoding_rs::Encoder,
    triples: Option<fn() -> &'static Triples>,
    one_way: Option<&'static OneWay>,
    plain: Arc<Plain>,
    /// Its table, once it was there.
    codes: Option<Arc<PlainCodes>>,
    /// How many characters to look up at once: few if the last one that is not plain was near.
    reach: usize,
    /// `inner` wrote [`TO_ASCII`] before something unmappable. It is kept back until ASCII follows: before another escape
    /// sequence it would be a fault. Neither is written if the other one leads back to the same set.
    has_pending_escape: bool,
    /// The escape sequence that was written last, for ISO-2022-JP.
    set: [u8; 3],
    /// Whether the table has written it, so that `inner` may be in another set.
    is_behind: bool,
}

impl MultiByteEncoder {
    pub(super) fn new(
        encoding: &'static Encoding,
        plain: Arc<Plain>,
        triples: Option<fn() -> &'static Triples>,
    ) -> Self {
        MultiByteEncoder {
            inner: encoding.new_encoder(),
            triples,
            one_way: OneWay::of(encoding),
            plain,
            codes: None,
            reach: 0,
            has_pending_escape: false,
            set: Shift::INITIAL.set,
            is_behind: false,
        }
    }

    /// Encodes the front of `src`: plain characters by the table, and the others through encoding_rs.
    fn feed_plain(&mut self, src: &str, dst: &mut ByteSink<'_>, codes: &PlainCodes) -> Step<Unmappable> {
        let (mut read, mut stretch) = (0, SHORT);
        while read < src.len() {
            let before = read;
            dst.fill(|spare| {
                let (more, written) = self.encode_plain(&src[read..], spare, codes);
                read += more;
                written
            });
            stretch = if read - before >= FAR { SHORT } else { stretch.saturating_mul(2) };
            let rest = &src[read..];
            let len = (stretch..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            let step = self.feed_others(&rest[..len], dst);
            read += step.read;
            if step.stop != Stop::InputEmpty {
                return Step { read, stop: step.stop };
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    /// Encodes plain characters from the front of `src` by the table; returns how many bytes were read and written.
    fn encode_plain(&mut self, src: &str, spare: &mut [u8], codes: &PlainCodes) -> (usize, usize) {
        if !Plain::SWITCHES || self.inner.encoding() != ISO_2022_JP {
            return codes.encode(src, spare, &mut self.reach);
        }
        static SWITCH: Switch = Switch::new(TO_ASCII, TO_JIS_X_0208, JIS_OTHERS);
        let was_double = self.set == *TO_JIS_X_0208;
        if self.has_pending_escape || !(was_double || self.set == *TO_ASCII) {
            return (0, 0);
        }
        let mut is_double = was_double;
        let done = codes.encode_switched(&SWITCH, &mut is_double, src, spare, &mut self.reach);
        if is_double != was_double {
            self.set = if is_double { *TO_JIS_X_0208 } else { *TO_ASCII };
            self.is_behind = true;
        }
        done
    }

    /// Makes `inner` afresh, in a set of ISO-2022-JP.
    fn enter(&mut self, set: [u8; 3]) {
        self.inner = ISO_2022_JP.new_encoder();
        (self.set, self.is_behind) = (set, false);
        // A character of the set leads there.
        let way = match &set {
            TO_JIS_X_0208 => "あ",
            TO_ROMAN => "¥",
            _ => "",
        };
        let _ = self.inner.encode_from_utf8_without_replacement(way, &mut [0; 32], false);
    }

    /// Encodes the front of `src` through encoding_rs.
    fn feed_others(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        match self.one_way {
            _ if src.is_empty() => Step { read: 0, stop: Stop::InputEmpty },
            Some(one_way) => self.feed_watching(src, dst, one_way),
            None => self.run(src, dst, false),
        }
    }

    /// Encodes the front of `src`. The characters of `one_way` are faults.
    fn feed_watching(&mut self, src: &str, dst: &mut ByteSink<'_>, one_way: &OneWay) -> Step<Unmappable> {
        /// How much is searched before it is encoded: at first little, and never much, because what follows a fault, and
        /// what does not fit, is searched again.
        const STRETCHES: [usize; 2] = [128, 2048];
        let [mut length, longest] = STRETCHES;
        let mut read = 0;
        while read < src.len() {
            let rest = &src[read..];
            let end = (length..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            length = longest.min(2 * length);
            let stretch = &rest[..end];
            let found = one_way.first_in(stretch);
            let sound = found.map_or(stretch.len(), |(at, _)| at);
            if sound > 0 {
                let step = self.run(&stretch[..sound], dst, false);
                read += step.read;
                if step.stop != Stop::InputEmpty {
                    return Step { read, stop: step.stop };
                }
            }
            if let Some((_, ch)) = found {
                return Step { read: read + ch.len_utf8(), stop: Stop::Fault(Unmappable { ch, after: 0 }) };
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    /// Encodes the front of `src`, also what takes three bytes.
    fn run(&mut self, src: &str, dst: &mut ByteSink<'_>, last: bool) -> Step<Unmappable> {
        let mut read = 0;
        if Plain::SWITCHES && self.is_behind {
            self.enter(self.set);
        }
        loop {
            let step = self.run_inner(&src[read..], dst, last);
            read += step.read;
            let Stop::Fault(Unmappable { ch, .. }) = step.stop else { return Step { read, stop: step.stop } };
            match self.triples.and_then(|triples| triples().get(ch)) {
                None => return Step { read, stop: step.stop },
                // The encoder has no state, so the character can be given to it again.
                Some(code) if !dst.push(&code) => return Step { read: read - ch.len_utf8(), stop: Stop::OutputFull },
                Some(_) if read == src.len() => return Step { read, stop: Stop::InputEmpty },
                Some(_) => {}
            }
        }
    }

    /// Encodes the front of `src` by encoding_rs.
    fn run_inner(&mut self, src: &str, dst: &mut ByteSink<'_>, last: bool) -> Step<Unmappable> {
        let pending = if self.has_pending_escape { &TO_ASCII[..] } else { b"" };
        let mut outcome = (EncoderResult::OutputFull, 0);
        dst.fill(|room| {
            let Some((front, rest)) = room.split_at_mut_checked(pending.len()) else { return 0 };
            let (result, read, mut written) = self.inner.encode_from_utf8_without_replacement(src, rest, last);
            // Also where the room ends after it: what follows may be unmappable.
            let may_be_useless = !matches!(result, EncoderResult::InputEmpty);
            outcome = (result, read);
            if self.inner.encoding() != ISO_2022_JP || written == 0 {
                return written;
            }
            if rest[0] == ESC {
                // Back in the set that the text is still in, the escape sequence says nothing new.
                let is_known = !pending.is_empty() && rest[..written].starts_with(&self.set);
                let known = if is_known { self.set.len() } else { 0 };
                room.copy_within(pending.len() + known..pending.len() + written, 0);
                written -= known;
            } else {
                front.copy_from_slice(pending);
                written += pending.len();
            }
            self.has_pending_escape = may_be_useless && room[..written].ends_with(TO_ASCII);
            if self.has_pending_escape {
                written -= TO_ASCII.len();
            }
            if let Some(at) = last_escape(&room[..written])
                && let Some(set) = room[at..].first_chunk()
            {
                self.set = *set;
            }
            written
        });
        let stop = match outcome.0 {
            EncoderResult::InputEmpty => Stop::InputEmpty,
            EncoderResult::OutputFull => Stop::OutputFull,
            // For SO, SI and ESC in ISO-2022-JP encoding_rs reports U+FFFD. Report the character that it stopped at.
            EncoderResult::Unmappable(ch) => {
                let ch = src[..outcome.1].chars().next_back().unwrap_or(ch);
                Stop::Fault(Unmappable { ch, after: 0 })
            }
        };
        Step { read: outcome.1, stop }
    }
}

impl Encoder for MultiByteEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let Some(codes) = self.codes.take().or_else(|| self.plain.codes(src.len())) else {
            let step = self.feed_others(src, dst);
            self.plain.add_encoded(step.read);
            return step;
        };
        let step = self.feed_plain(src, dst, &codes);
        self.codes = Some(codes);
        step
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        if self.has_pending_escape {
            if !dst.push(TO_ASCII) {
                return Stop::OutputFull;
            }
            self.has_pending_escape = false;
            self.set = Shift::INITIAL.set;
        }
        if !self.is_behind && !self.inner.has_pending_state() {
            return Stop::InputEmpty;
        }
        let stop = self.run("", dst, true).stop;
        if stop == Stop::InputEmpty {
            // `inner` would panic if it were used again.
            self.reset();
        }
        stop
    }

    fn reset(&mut self) {
        let new = Self::new(self.inner.encoding(), self.plain.clone(), self.triples);
        *self = MultiByteEncoder { codes: self.codes.take(), ..new };
    }

    fn fork(&self) -> Option<Box<dyn Encoder>> {
        let mut fork = Self::new(self.inner.encoding(), self.plain.clone(), self.triples);
        fork.set_state(self.state()?).then_some(Box::new(fork))
    }

    /// The last byte of the escape sequence that was written last, and whether the one to ASCII is kept back.
    fn state(&self) -> Option<u64> {
        let is_initial = self.set == Shift::INITIAL.set;
        Some(if is_initial { 0 } else { u64::from(self.set[2]) << 1 | u64::from(self.has_pending_escape) })
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        let set = match state >> 1 {
            _ if self.inner.encoding() != ISO_2022_JP => return state == 0,
            0x4A => *TO_ROMAN,
            0x42 => *TO_JIS_X_0208,
            _ => return state == 0,
        };
        // `inner` has written the escape sequence that is kept back.
        self.has_pending_escape = state & 1 == 1;
        self.enter(if self.has_pending_escape { *TO_ASCII } else { set });
        self.set = set;
        true
    }

    /// The substitution character is SUB, as in the single-byte pages.
    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        let text = match which {
            Replacement::Substitute => "\u{1A}",
            Replacement::BestFit => {
                let has_one = self.one_way.is_some_and(|one_way| one_way.has(ch));
                return has_one && self.run(ch.encode_utf8(&mut [0; 4]), dst, false).stop == Stop::InputEmpty;
            }
            Replacement::Text(text) => text,
        };
        // All of these charsets have ASCII, so all of it is written.
        text.is_ascii() && self.run(text, dst, false).stop == Stop::InputEmpty
    }
}
