//! The characters that our own loops convert, and their tables.
//!
//! Our own loops go first, once there are tables. They know the *plain* characters, which encoding_rs converts by
//! themselves, each to one or two bytes, from tables that are read out of encoding_rs; see [`Plain`]. At anything else
//! they stop between two characters, and encoding_rs continues. So no rule of the standard is written down twice, and a
//! character that is missing in a table costs speed, but is converted correctly. In ISO-2022-JP they also read and write
//! the escape sequences between ASCII and JIS X 0208.

use super::jis::{ESC, JIS_OTHERS, Shift, ascii_of_jis};
use super::one_way::OneWay;
use crate::arch::{self, lanes};
use crate::codec::batches::{Codes, PlainPairs, Switched};
use crate::codec::pairs::PlainCodes;
use crate::codec::{Utf8Char, Utf8Units, Utf8Word};
use encoding_rs::{DecoderResult, EncoderResult, Encoding, ISO_2022_JP};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The length of the longest character, in bytes.
pub(super) const LONGEST: usize = 4;

/// How far encoding_rs goes where the tables stopped, in bytes. If they do not get [`FAR`] from there, it goes twice as
/// far.
pub(super) const SHORT: usize = LONGEST;
pub(super) const FAR: usize = 24;

/// The plain characters of an encoding, for all of its decoders and encoders.
///
/// A table takes a while to build, which a short text does not repay. So it is built when some text was converted, by
/// one decoder or encoder or by many.
#[derive(Debug)]
pub(super) struct Plain {
    encoding: &'static Encoding,
    /// How much is converted before a table is built, in bytes.
    enough: usize,
    pairs: Later<PlainPairs>,
    codes: Later<PlainCodes>,
    /// ASCII and the pairs of ISO-2022-JP.
    jis: Later<Switched>,
    verdicts: OnceLock<Verdicts>,
}

/// For each two bytes, what encoding_rs says of them between two characters: how many of them are malformed whatever
/// follows, plus 1; 0 if it was not asked yet. In ISO-2022-JP two bytes are a pair, and a 0 precedes others.
#[derive(Debug)]
struct Verdicts(Box<[AtomicU8]>);

/// A table that is built when it is worth its time.
#[derive(Debug)]
struct Later<T> {
    /// How much was converted without it, in bytes.
    count: AtomicUsize,
    table: OnceLock<Arc<T>>,
    /// What tests have built once, for each of the many that they make.
    #[cfg(test)]
    built: Arc<OnceLock<Arc<T>>>,
}

impl<T> Later<T> {
    fn new() -> Self {
        Later {
            count: AtomicUsize::new(0),
            table: OnceLock::new(),
            #[cfg(test)]
            built: Arc::default(),
        }
    }

    /// Returns the table for `len` bytes, if it is there or `enough` bytes were converted, or will be.
    fn get(&self, len: usize, enough: usize, make: impl FnOnce() -> T) -> Option<&Arc<T>> {
        let is_enough = || self.count.load(Ordering::Relaxed) >= enough || len / 4 >= enough;
        self.table.get().or_else(|| is_enough().then(|| self.table.get_or_init(|| self.build(make))))
    }

    #[cfg(not(test))]
    fn build(&self, make: impl FnOnce() -> T) -> Arc<T> {
        Arc::new(make())
    }

    #[cfg(test)]
    fn build(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.built.get_or_init(|| Arc::new(make())).clone()
    }

    fn add(&self, len: usize) {
        if self.table.get().is_none() {
            self.count.fetch_add(len, Ordering::Relaxed);
        }
    }
}

impl Plain {
    /// Less in WebAssembly: there, encoding_rs has no tables for encoding, and searches lists instead.
    pub(super) const ENOUGH: usize = if cfg!(target_family = "wasm") { 64 * 1024 } else { 256 * 1024 };

    /// Whether there are tables at all. They take 128 and 256 KiB, which is a lot for a machine with a small memory.
    /// Those for decoding need vectors that WebAssembly does not have.
    const ENCODES: bool = cfg!(any(target_pointer_width = "64", target_family = "wasm"));
    const DECODES: bool = cfg!(all(target_pointer_width = "64", not(target_family = "wasm")));
    /// Whether there are those of ISO-2022-JP, whose code a web page can do without.
    pub(super) const SWITCHES: bool = Self::DECODES;

    pub(super) fn new(encoding: &'static Encoding, enough: usize) -> Self {
        Plain {
            encoding,
            enough,
            pairs: Later::new(),
            codes: Later::new(),
            jis: Later::new(),
            verdicts: OnceLock::new(),
        }
    }

    /// Returns one for the same encoding whose tables are those that `other` has built, once it has converted `enough`.
    #[cfg(test)]
    pub(super) fn sharing(other: &Plain, enough: usize) -> Self {
        let mut plain = Self::new(other.encoding, enough);
        plain.pairs.built = other.pairs.built.clone();
        plain.codes.built = other.codes.built.clone();
        plain.jis.built = other.jis.built.clone();
        plain
    }

    pub(super) fn add_decoded(&self, len: usize) {
        self.pairs.add(len);
        self.jis.add(len);
    }

    pub(super) fn add_encoded(&self, len: usize) {
        self.codes.add(len);
    }

    /// Returns the table for decoding `len` bytes, if there is one now.
    pub(super) fn pairs(&self, len: usize) -> Option<&PlainPairs> {
        let is_wanted = Self::DECODES && self.encoding != ISO_2022_JP && lanes::are_worth_it(arch::isa());
        is_wanted.then(|| self.pairs.get(len, self.enough, || self.make_pairs()).map(|pairs| &**pairs))?
    }

    /// Returns the tables for decoding `len` bytes of ISO-2022-JP, if they are there now.
    pub(super) fn jis(&self, len: usize) -> Option<&Switched> {
        let is_wanted = Self::DECODES && self.encoding == ISO_2022_JP && lanes::are_worth_it(arch::isa());
        is_wanted.then(|| self.jis.get(len, self.enough, || self.make_jis()).map(|jis| &**jis))?
    }

    /// Returns how many bytes at the front of `src`, which begins between two characters, are malformed, whatever
    /// follows them; 0 if none are, or if encoding_rs has to look at more. `is_double`: bytes are pairs in ISO-2022-JP.
    pub(super) fn malformed(&self, is_double: bool, src: &[u8]) -> usize {
        let is_jis = self.encoding == ISO_2022_JP;
        match *src {
            // An escape sequence begins there, or the 0 is taken for another one.
            [ESC, ..] | [_, ESC, ..] | [0, ..] if is_jis => 0,
            [byte, ..] if is_jis && !is_double => self.verdict([0, byte], Shift::INITIAL, &[byte]),
            [first, last, ..] if is_jis => self.verdict([first, last], Shift::JIS_X_0208, &[first, last]),
            [first, last, ..] => self.verdict([first, last], Shift::INITIAL, &[first, last]),
            _ => 0,
        }
    }

    fn verdict(&self, place: [u8; 2], shift: Shift, bytes: &[u8]) -> usize {
        let all = self.verdicts.get_or_init(|| Verdicts((0..1 << 16).map(|_| AtomicU8::new(0)).collect()));
        let place = &all.0[usize::from(u16::from_be_bytes(place))];
        let known = place.load(Ordering::Relaxed);
        if known > 0 {
            return usize::from(known - 1);
        }
        let mut inner = self.encoding.new_decoder_without_bom_handling();
        shift.lead(&mut inner);
        let len = match inner.decode_to_utf8_without_replacement(bytes, &mut [0; 32], false) {
            (DecoderResult::Malformed(len, after), read, 0) if usize::from(len + after) == read => len,
            _ => 0,
        };
        place.store(len + 1, Ordering::Relaxed);
        len.into()
    }

    fn make_jis(&self) -> Switched {
        let mut units = Utf8Units::new();
        for (pair, ch) in self.jis_chars() {
            units.put(u16::from_be_bytes(pair), &[Utf8Word::new(ch).expect("of the plane")]);
        }
        Switched::new(units, Codes::JIS_X_0208, &JIS_OTHERS)
    }

    /// Returns the pairs that ISO-2022-JP decodes to one character.
    fn jis_chars(&self) -> Vec<([u8; 2], char)> {
        let pairs = || (0x21..=0x7E).flat_map(|lead| (0x21..=0x7E).map(move |trail| [lead, trail]));
        let lines: Vec<u8> =
            pairs().flat_map(|[lead, trail]| [ESC, b'$', b'B', lead, trail, ESC, b'(', b'B', b'\n']).collect();
        let (text, _) = self.encoding.decode_without_bom_handling(&lines);
        pairs().zip(text.split('\n')).filter_map(|(pair, line)| Some((pair, plain_char(line)?))).collect()
    }

    /// Returns the table for encoding `len` bytes, if there is one now.
    pub(super) fn codes(&self, len: usize) -> Option<Arc<PlainCodes>> {
        let is_wanted = Self::ENCODES && (Self::SWITCHES || self.encoding != ISO_2022_JP);
        is_wanted.then(|| self.codes.get(len, self.enough, || self.make_codes()).cloned())?
    }

    /// Returns what encoding_rs decodes to one character by itself: single bytes, with 0 before them, and pairs. One
    /// row after another, so that it needs little memory.
    fn chars(&self) -> impl Iterator<Item = ([u8; 2], char)> {
        let rows = [0].into_iter().chain(0x80..=0xFF);
        rows.flat_map(|lead| self.row(lead)).chain([([0, b'\n'], '\n')])
    }

    /// Returns those of the pairs with `lead`, or of the single bytes.
    fn row(&self, lead: u8) -> Vec<([u8; 2], char)> {
        let lasts = if lead == 0 { 0..=0xFF } else { 0x30..=0xFE };
        // A line for each code, so that nothing depends on what is before and after it.
        let codes = || lasts.clone().filter(|last| *last != b'\n').map(|last| [lead, last]);
        let lines: Vec<u8> =
            codes().flat_map(|[lead, last]| [lead, last, b'\n'].into_iter().skip((lead == 0).into())).collect();
        let (text, _) = self.encoding.decode_without_bom_handling(&lines);
        codes().zip(text.split('\n')).filter_map(|(code, line)| Some((code, plain_char(line)?))).collect()
    }

    fn make_pairs(&self) -> PlainPairs {
        let (mut units, mut singles, mut leads) = (Utf8Units::new(), [Utf8Char::NONE; 256], [false; 256]);
        for ([lead, last], ch) in self.chars() {
            units.put(u16::from_be_bytes([lead, last]), &[Utf8Word::new(ch).expect("of the plane")]);
            match lead {
                0 => singles[usize::from(last)] = Utf8Char::new(ch),
                lead => leads[usize::from(lead)] = true,
            }
        }
        PlainPairs::new(units, |byte| singles[usize::from(byte)], |byte| leads[usize::from(byte)])
    }

    fn make_codes(&self) -> PlainCodes {
        let one_way = OneWay::of(self.encoding);
        let is_plain = |ch: &char| *ch != '\n' && !one_way.is_some_and(|one_way| one_way.has(*ch));
        let chars: Vec<char> = match Self::SWITCHES && self.encoding == ISO_2022_JP {
            true => self.jis_chars().into_iter().map(|(_, ch)| ch).chain(ascii_of_jis()).filter(is_plain).collect(),
            false => self.chars().map(|(_, ch)| ch).filter(is_plain).collect(),
        };
        let lines = self.encoded_lines(&chars);
        let codes = lines.split(|byte| *byte == b'\n').map(|code| match code {
            // The escape sequences around a pair; other characters with one are in other sets, and not plain.
            [ESC, b'$', b'B', pair @ .., ESC, b'(', b'B'] => pair,
            code => code,
        });
        PlainCodes::new(chars.iter().copied().zip(codes).chain([('\n', &b"\n"[..])]))
    }

    /// Encodes each of the characters and a line end. What is unmappable is an empty line.
    fn encoded_lines(&self, chars: &[char]) -> Vec<u8> {
        /// Encoding_rs stops before the room is quite full.
        const MORE: usize = 32;
        let text: String = chars.iter().flat_map(|ch| [*ch, '\n']).collect();
        let (mut encoder, mut lines) = (self.encoding.new_encoder(), vec![0; 8 * chars.len() + text.len() + MORE]);
        let (mut read, mut written) = (0, 0);
        loop {
            let (result, more, put) =
                encoder.encode_from_utf8_without_replacement(&text[read..], &mut lines[written..], false);
            (read, written) = (read + more, written + put);
            if !matches!(result, EncoderResult::Unmappable(_)) {
                break;
            }
        }
        lines.truncate(written);
        lines
    }
}

/// Returns the character of a line that has just one, if a table can have it.
pub(super) fn plain_char(line: &str) -> Option<char> {
    let mut chars = line.chars();
    chars.next().filter(|ch| chars.next().is_none() && *ch != '\u{FFFD}' && *ch <= '\u{FFFF}')
}
