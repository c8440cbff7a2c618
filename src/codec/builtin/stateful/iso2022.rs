//! The seven-bit charsets of ISO 2022 for Chinese, Japanese and Korean.
//!
//! Escape sequences designate sets to the places G0 to G3. Bytes mean G0; between SO and SI they mean G1; `ESC N` and
//! `ESC O` take one character from G2 or G3. Each charset has a list of the sets that it designates, and where:
//! RFC 1557 (Korean), RFC 1922 (Chinese), RFC 1468, 1554 and 2237 (Japanese), JIS X 0213.
//!
//! At a line end G1 to G3 are forgotten, except in Korean, where G1 is designated once at the beginning of the text.
//! When reading Korean, the designation may be missing. An escape sequence of another charset is malformed, and so is
//! that of ISO-IR-165, which RFC 1922 allows in Chinese but for which there is no table here.

use super::batch::{Batch, LONG, WriteBatch};
use super::sets::Set;
use super::{ByteDecoder, Carried, CharEncoder, Reader, Reading, Writer, copied, copy_plain, replace_fault};
use crate::arch::types::Shifts;
use crate::arch::{self, lanes};
use crate::codec::batches::{Codes, Pace};
use crate::codec::engine::ShiftedCodes;
use crate::codec::faults::Faults;
use crate::codec::pairs::Switch;
use crate::codec::{ByteSink, Codec, CodecInfo, Decoder, Encoder, MIN_ROOM, Utf8Sink, Utf8Word};
use std::sync::OnceLock;

const ESC: u8 = 0x1B;
const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// A set, the place that it is designated to, and the escape sequence.
type Designation = (Set, usize, &'static [u8]);

/// A charset of ISO 2022.
#[derive(Debug)]
pub(crate) struct Iso2022 {
    name: &'static str,
    source: &'static str,
    /// In the order in which they are tried for a character. Sequences that are only read have a set that another one
    /// before them has.
    designations: &'static [Designation],
    /// Whether G1 is designated once, at the beginning.
    is_announced: bool,
    /// Whether two characters can share a code.
    joins: bool,
}

/// See [`Iso2022::unread`].
const UNREAD: &[char] = &['\u{FF07}'];

const ASCII: Designation = (Set::Ascii, 0, b"\x1B(B");
const ROMAN: Designation = (Set::Roman, 0, b"\x1B(J");
const JIS_0208: Designation = (Set::Jis0208, 0, b"\x1B$B");
const JIS_0208_OF_1978: Designation = (Set::Jis0208, 0, b"\x1B$@");
// The longer sequences of ISO 2022 for the same sets, which are only read.
const JIS_0208_LONG: Designation = (Set::Jis0208, 0, b"\x1B$(B");
const JIS_0208_OF_1978_LONG: Designation = (Set::Jis0208, 0, b"\x1B$(@");
const JIS_0212: Designation = (Set::Jis0212, 0, b"\x1B$(D");
const JIS_0213_OF_2000: Designation = (Set::Jis0213a, 0, b"\x1B$(O");
const JIS_0213_OF_2004: Designation = (Set::Jis0213a, 0, b"\x1B$(Q");
const JIS_0213_PLANE_2: Designation = (Set::Jis0213b, 0, b"\x1B$(P");
const KATAKANA: Designation = (Set::Katakana, 0, b"\x1B(I");

const JAPANESE: &[Designation] = &[ASCII, JIS_0208, JIS_0208_OF_1978, JIS_0208_LONG, JIS_0208_OF_1978_LONG];
const CHINESE: &[Designation] =
    &[ASCII, (Set::Gb2312, 1, b"\x1B$)A"), (Set::Cns1, 1, b"\x1B$)G"), (Set::Cns2, 2, b"\x1B$*H")];

/// Returns the designations that a charset shares with others, and its own.
const fn joined<const N: usize>(shared: &[Designation], own: &[Designation]) -> [Designation; N] {
    assert!(shared.len() + own.len() == N);
    let mut all = [ASCII; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < shared.len() { shared[at] } else { own[at - shared.len()] };
        at += 1;
    }
    all
}

impl Iso2022 {
    pub(crate) const JP_1: &Iso2022 =
        &Iso2022::new("ISO-2022-JP-1", "RFC 2237", &joined::<7>(JAPANESE, &[JIS_0212, ROMAN]));
    pub(crate) const JP_2: &Iso2022 = &Iso2022::new(
        "ISO-2022-JP-2",
        "RFC 1554",
        &joined::<13>(
            JAPANESE,
            &[
                JIS_0212,
                (Set::Gb2312, 0, b"\x1B$A"),
                (Set::Gb2312, 0, b"\x1B$(A"),
                (Set::Ks1001, 0, b"\x1B$(C"),
                (Set::Latin1, 2, b"\x1B.A"),
                (Set::Greek, 2, b"\x1B.F"),
                ROMAN,
                // Not in the RFC, but glibc writes it.
                KATAKANA,
            ],
        ),
    );
    pub(crate) const JP_3: &Iso2022 = &Iso2022::new(
        "ISO-2022-JP-3",
        "JIS X 0213:2000",
        &joined::<10>(JAPANESE, &[JIS_0213_OF_2000, JIS_0213_OF_2004, JIS_0213_PLANE_2, ROMAN, KATAKANA]),
    );
    pub(crate) const JP_2004: &Iso2022 = &Iso2022::new(
        "ISO-2022-JP-2004",
        "JIS X 0213:2004",
        &joined::<10>(JAPANESE, &[JIS_0213_OF_2004, JIS_0213_OF_2000, JIS_0213_PLANE_2, ROMAN, KATAKANA]),
    );
    pub(crate) const JP_EXT: &Iso2022 =
        &Iso2022::new("ISO-2022-JP-EXT", "RFC 2237, JIS X 0201", &joined::<8>(JAPANESE, &[JIS_0212, ROMAN, KATAKANA]));
    pub(crate) const KR: &Iso2022 = &Iso2022 {
        is_announced: true,
        ..Iso2022::new("ISO-2022-KR", "RFC 1557", &[ASCII, (Set::Ks1001, 1, b"\x1B$)C")])
    };
    pub(crate) const CN: &Iso2022 = &Iso2022::new("ISO-2022-CN", "RFC 1922", CHINESE);
    pub(crate) const CN_EXT: &Iso2022 = &Iso2022::new(
        "ISO-2022-CN-EXT",
        "RFC 1922",
        &joined::<9>(
            CHINESE,
            &[
                (Set::Cns3, 3, b"\x1B$+I"),
                (Set::Cns4, 3, b"\x1B$+J"),
                (Set::Cns5, 3, b"\x1B$+K"),
                (Set::Cns6, 3, b"\x1B$+L"),
                (Set::Cns7, 3, b"\x1B$+M"),
            ],
        ),
    );

    const fn new(name: &'static str, source: &'static str, designations: &'static [Designation]) -> Self {
        let (mut joins, mut at) = (false, 0);
        while at < designations.len() {
            joins |= matches!(designations[at].0, Set::Jis0213a | Set::Jis0213b);
            at += 1;
        }
        Iso2022 { name, source, designations, is_announced: false, joins }
    }

    /// Returns whether JIS X 0208 can be designated, which has the same two escape sequences everywhere.
    fn has_jis_x_0208(&self) -> bool {
        self.designations.iter().any(|(set, ..)| *set == Set::Jis0208)
    }

    /// Returns whether something can be designated to this place.
    fn has(&self, place: usize) -> bool {
        self.designations.iter().any(|designation| designation.1 == place)
    }

    /// Returns the characters with which two begin that share a code.
    fn starts(&self) -> &'static [char] {
        let sets = self.designations.iter().filter(|_| self.joins);
        let starts = sets.map(|designation| designation.0.starts());
        starts.max_by_key(|starts| starts.len()).unwrap_or_default()
    }

    /// Returns the characters that are not written, though a set has them: ICU reads U+FF07 of GB 2312 as U+00B4,
    /// except in HZ.
    fn unread(&self) -> &'static [char] {
        if self.designations.iter().any(|(set, ..)| *set == Set::Cns1) { UNREAD } else { &[] }
    }

    /// Returns the characters that are not written in runs.
    fn not_in_runs(&self) -> &'static [char] {
        if self.joins { self.starts() } else { self.unread() }
    }

    fn initial(&'static self) -> State {
        State { of: self, places: [Some(Set::Ascii), None, None, None], is_shifted: false, is_begun: false, held: None }
    }
}

impl Codec for &'static Iso2022 {
    fn name(&self) -> &str {
        self.name
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        let mut reader = self.initial();
        if self.is_announced {
            reader.places[1] = self.designations.iter().find(|(_, place, _)| *place == 1).map(|(set, ..)| *set);
        }
        Box::new(ByteDecoder::new(reader))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(CharEncoder::new(self.initial())))
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: self.source, ..CodecInfo::new(self.name) }
    }
}

/// Returns the tables that write batches of Korean, which has only shift codes after its announcement, if they are
/// there or worth their time for `len` bytes.
fn korean_codes(len: usize) -> Option<&'static ShiftedCodes> {
    static CODES: OnceLock<ShiftedCodes> = OnceLock::new();
    if !lanes::are_worth_it(arch::isa()) {
        return None;
    }
    let make = || ShiftedCodes::new(&Set::Ks1001.with_ascii(&[ESC, SO, SI]));
    if len >= LONG { Some(CODES.get_or_init(make)) } else { CODES.get() }
}

/// The sets that are designated and invoked, in a decoder or an encoder.
#[derive(Clone, Copy, Debug)]
struct State {
    of: &'static Iso2022,
    places: [Option<Set>; 4],
    /// Whether bytes mean G1.
    is_shifted: bool,
    /// Whether the announcement was written.
    is_begun: bool,
    /// The character that was read and not written, because the next one may share its code.
    held: Option<char>,
}

impl State {
    fn end_of_line(&mut self) {
        if !self.of.is_announced {
            self.places[1..].fill(None);
            self.is_shifted = false;
        }
    }

    /// Returns the set that a byte is in.
    fn invoked(&self) -> Option<Set> {
        self.places[usize::from(self.is_shifted)]
    }

    fn read_byte(&mut self, byte: u8) -> Reading {
        match byte {
            ESC => Reading::More,
            SO | SI if self.of.has(1) => {
                if byte == SO && self.places[1].is_none() {
                    return Reading::Malformed;
                }
                self.is_shifted = byte == SO;
                Reading::Shift
            }
            SO | SI => Reading::Malformed,
            b'\r' | b'\n' => {
                self.end_of_line();
                Reading::Text(char::from(byte), None)
            }
            0..0x21 | 0x7F => Reading::Text(char::from(byte), None),
            0x80.. => Reading::Malformed,
            _ => match self.invoked() {
                Some(set) if set.is_double() => Reading::More,
                set => Reading::of(set.and_then(|set| set.single(byte))),
            },
        }
    }

    /// Reads the last byte of an escape sequence, or of the character after one.
    fn read_escape(&mut self, bytes: &[u8]) -> Reading {
        if let [_, single @ (b'N' | b'O'), code @ ..] = bytes
            && let Some(set) = self.places[if *single == b'N' { 2 } else { 3 }]
        {
            return match code {
                [] => Reading::More,
                [0x20..=0x7F] if set.has_96() => Reading::of(set.single(code[0])),
                [0x21..=0x7E] if set.is_double() => Reading::More,
                [lead, trail @ 0x21..=0x7E] => pair(set, *lead, *trail),
                _ => Reading::MalformedBefore,
            };
        }
        if let Some((set, place, _)) = self.of.designations.iter().find(|(_, _, escape)| *escape == bytes) {
            self.places[*place] = Some(*set);
            return Reading::Shift;
        }
        match self.of.designations.iter().any(|(_, _, escape)| escape.starts_with(bytes)) {
            true => Reading::More,
            false => Reading::MalformedBefore,
        }
    }
}

fn pair(set: Set, lead: u8, trail: u8) -> Reading {
    match set.two_of_pair(lead, trail) {
        Some([first, second]) => Reading::Text(first, Some(second)),
        None => Reading::of(set.pair(lead, trail)),
    }
}

impl Carried for State {
    /// Five bits for each place, 0 if nothing is designated; then one for each flag.
    fn to_number(&self) -> u64 {
        let places = self.places.iter().map(|set| set.map_or(0, |set| set as u64 + 1));
        let places = places.fold(0, |number, place| number << 5 | place);
        places << 2 | u64::from(self.is_shifted) << 1 | u64::from(self.is_begun)
    }

    fn with_number(&self, number: u64) -> Option<Self> {
        let set = |place: usize| {
            let number = (number >> 2 >> (5 * (3 - place))) & 0x1F;
            self.of
                .designations
                .iter()
                .find(|(set, at, _)| *set as u64 + 1 == number && *at == place)
                .map(|(set, ..)| *set)
        };
        let places = [set(0), set(1), set(2), set(3)];
        let (is_shifted, is_begun) = (number & 2 != 0, number & 1 != 0);
        let state = State { places, is_shifted, is_begun, held: None, ..*self };
        (state.to_number() == number && state.invoked().is_some()).then_some(state)
    }
}

impl Reader for State {
    fn read(&mut self, bytes: &[u8]) -> Reading {
        match (bytes, self.invoked()) {
            ([byte], _) => self.read_byte(*byte),
            ([ESC, ..], _) => self.read_escape(bytes),
            ([lead, trail @ 0x21..=0x7E], Some(set)) => pair(set, *lead, *trail),
            _ => Reading::MalformedBefore,
        }
    }

    fn run(&mut self, src: &[u8], pace: &mut Pace, faults: &mut Option<Faults>, dst: &mut Utf8Sink<'_>) -> usize {
        let mut read = 0;
        loop {
            let before = read;
            read += pace.turn(|reach| self.run_batches(&src[read..], reach, faults, dst));
            let line_end_counts = self.line_end_counts();
            match self.invoked() {
                Some(Set::Ascii) => read += copy_plain(&src[read..], dst, |byte| is_plain(byte, line_end_counts)),
                Some(set) if set.is_double() => {
                    set.read_pairs(src, &mut read, dst, |byte| other_among_pairs(byte, line_end_counts));
                }
                _ => {}
            }
            read += self.run_code(&src[read..], dst);
            if read == before {
                return read;
            }
        }
    }
}

/// Returns whether an ASCII character leaves the state as it is, if a line end does.
fn is_plain(byte: u8, line_end_counts: bool) -> bool {
    let is_line_end = (byte == b'\r') | (byte == b'\n');
    !((byte >= 0x80) | (byte == ESC) | (byte == SO) | (byte == SI) | (is_line_end & line_end_counts))
}

/// Returns what a byte is that does not begin a pair, although bytes mean pairs: a character, or a note for a code.
#[inline(always)]
fn other_among_pairs(byte: u8, line_end_counts: bool) -> Option<Utf8Word> {
    match byte {
        0x21..=0x7E => None,
        _ if is_plain(byte, line_end_counts) => Some(Utf8Word::of_ascii(byte)),
        _ => Some(Utf8Word::note(0, 0)),
    }
}

impl State {
    /// Reads batches from the front of `src`, if there are tables for what is designated; returns how many bytes.
    fn run_batches(
        &mut self,
        src: &[u8],
        reach: &mut usize,
        faults: &mut Option<Faults>,
        dst: &mut Utf8Sink<'_>,
    ) -> Option<usize> {
        const SHIFTS: Codes = Codes::Shifts(Shifts { out: SO, back: SI });
        let state = *self;
        let batch = match self.places {
            [Some(Set::Ascii), Some(Set::Ks1001), None, None] if self.of.is_announced => {
                static KOREAN: Batch = Batch::new(Set::Ks1001, SHIFTS, &[ESC, SO, SI]);
                &KOREAN
            }
            [Some(Set::Ascii), Some(Set::Gb2312), ..] => {
                static SIMPLIFIED: Batch = Batch::new(Set::Gb2312, SHIFTS, &[ESC, SO, SI, b'\r', b'\n']);
                &SIMPLIFIED
            }
            [Some(Set::Ascii), Some(Set::Cns1), ..] => {
                static TRADITIONAL: Batch = Batch::new(Set::Cns1, SHIFTS, &[ESC, SO, SI, b'\r', b'\n']);
                &TRADITIONAL
            }
            [Some(Set::Ascii | Set::Jis0208), None, None, None] if self.of.has_jis_x_0208() => {
                static JAPANESE: Batch = Batch::new(Set::Jis0208, Codes::JIS_X_0208, &[ESC, SO, SI]);
                let mut is_double = self.places[0] == Some(Set::Jis0208);
                let others = &mut |is_double, rest: &[u8], dst: &mut Utf8Sink<'_>| {
                    let set = if is_double { Set::Jis0208 } else { Set::Ascii };
                    replace_fault(State { places: [Some(set), None, None, None], ..state }, rest, faults, dst)
                };
                let read = JAPANESE.read(&mut is_double, src, reach, others, dst);
                self.places[0] = Some(if is_double { Set::Jis0208 } else { Set::Ascii });
                return Some(read);
            }
            _ => return None,
        };
        let others = &mut |is_shifted, rest: &[u8], dst: &mut Utf8Sink<'_>| {
            replace_fault(State { is_shifted, ..state }, rest, faults, dst)
        };
        Some(batch.read(&mut self.is_shifted, src, reach, others, dst))
    }

    /// Returns whether a line end changes the state.
    fn line_end_counts(&self) -> bool {
        !self.of.is_announced && (self.is_shifted || self.places[1..] != [None; 3])
    }

    /// Reads a code that changes the state from the front of `src`; returns its length, or 0 if there is none.
    fn run_code(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        match *src {
            [byte @ (SO | SI), ..] if self.places[1].is_some() => {
                self.is_shifted = byte == SO;
                1
            }
            [byte @ (b'\r' | b'\n'), ..] if dst.push(char::from(byte)) => {
                self.end_of_line();
                1
            }
            [ESC, ..] => {
                let is_there = |designation: &&Designation| src.starts_with(designation.2);
                let Some((set, place, escape)) = self.of.designations.iter().find(is_there) else { return 0 };
                self.places[*place] = Some(*set);
                escape.len()
            }
            _ => 0,
        }
    }
}

impl State {
    /// Writes what begins a text.
    fn begin(&mut self, out: &mut ByteSink<'_>) {
        if self.of.is_announced && !std::mem::replace(&mut self.is_begun, true) {
            for (set, place, escape) in self.of.designations.iter().filter(|(_, place, _)| *place == 1) {
                out.push(escape);
                self.places[*place] = Some(*set);
            }
        }
    }

    /// Writes the code of a set, with what designates and invokes the set.
    fn put(&mut self, (set, place, escape): Designation, code: &[u8], out: &mut ByteSink<'_>) {
        if self.places[place] != Some(set) {
            out.push(escape);
            self.places[place] = Some(set);
        }
        match place {
            0 | 1 if self.is_shifted != (place == 1) => {
                self.is_shifted = place == 1;
                out.push(if self.is_shifted { &[SO] } else { &[SI] });
            }
            2 => _ = out.push(b"\x1BN"),
            3 => _ = out.push(b"\x1BO"),
            _ => {}
        }
        out.push(code);
    }

    /// Returns how `ch` is written: in the set that bytes mean now, if that has it, or in the first that does.
    fn find(&self, ch: char) -> Option<(Designation, [u8; 2], usize)> {
        let unread = self.of.unread();
        let code = |designation: &Designation| {
            let set = designation.0;
            match set.is_double() {
                true => set.code(ch).filter(|_| !unread.contains(&ch)).map(|code| (*designation, code, 2)),
                false => set.byte(ch).map(|byte| (*designation, [byte, 0], 1)),
            }
        };
        // ASCII was tried before.
        let now = self.invoked().filter(|set| *set != Set::Ascii).and_then(|set| {
            let is_current = |found: &&Designation| found.0 == set && found.1 == usize::from(self.is_shifted);
            self.of.designations.iter().find(is_current)
        });
        let others = || self.of.designations.iter().filter(|designation| designation.0 != Set::Ascii);
        now.and_then(code).or_else(|| others().find_map(code))
    }

    /// Writes characters from the front of `src` in the set that bytes mean now, while it has them; returns how many
    /// bytes of `src` that was.
    fn run_in_set(&self, src: &str, out: &mut ByteSink<'_>) -> usize {
        let (mut read, line_end_counts) = (0, self.line_end_counts());
        out.fill(|spare| {
            let written;
            (read, written) = match self.invoked() {
                Some(Set::Ascii) => copied(src, spare, |byte| is_plain(byte, line_end_counts)),
                Some(set) if set.is_double() => set.write_pairs(src, self.of.not_in_runs(), spare),
                _ => (0, 0),
            };
            written
        });
        read
    }

    /// Writes batches from the front of `src`, if there are tables for what is designated; returns how many bytes were
    /// read.
    fn write_batches(&mut self, src: &str, reach: &mut usize, out: &mut ByteSink<'_>) -> Option<usize> {
        match self.places {
            _ if self.of.is_announced => {
                let (codes, mut read) = (korean_codes(src.len())?, 0);
                out.fill(|spare| {
                    let written;
                    (read, written) = codes.encode(&mut self.is_shifted, src, spare);
                    written
                });
                Some(read)
            }
            // The first set of pairs that is tried, if no other one is invoked.
            [Some(Set::Ascii | Set::Jis0208), None, None, None] if self.of.has_jis_x_0208() && !self.of.joins => {
                const SWITCH: Switch = Switch::new(b"\x1B(B", b"\x1B$B", [ESC, SO, SI, SI, SI]);
                static JAPANESE: WriteBatch = WriteBatch::new(Set::Jis0208, SWITCH);
                let mut is_double = self.places[0] == Some(Set::Jis0208);
                let read = JAPANESE.write(&mut is_double, src, reach, out);
                self.places[0] = Some(if is_double { Set::Jis0208 } else { Set::Ascii });
                Some(read)
            }
            [Some(Set::Ascii), Some(Set::Gb2312), ..] => {
                const SWITCH: Switch = Switch::new(&[SI], &[SO], [ESC, SO, SI, b'\r', b'\n']);
                static CHINESE: WriteBatch = WriteBatch::without(UNREAD, Set::Gb2312, SWITCH);
                Some(CHINESE.write(&mut self.is_shifted, src, reach, out))
            }
            _ => None,
        }
    }

    /// Returns whether a character waits for the next one, because two that begin with it share a code.
    fn is_held_first(&self, ch: char) -> bool {
        self.of.joins && self.of.designations.iter().any(|designation| designation.0.starts().contains(&ch))
    }

    /// Returns how two characters that share a code are written.
    fn find_two(&self, text: [char; 2]) -> Option<(Designation, [u8; 2])> {
        self.of.designations.iter().find_map(|found| Some((*found, found.0.code_of_two(text)?)))
    }
}

impl Writer for State {
    fn write(&mut self, ch: char, out: &mut ByteSink<'_>) -> bool {
        if let Some(first) = self.held
            && let Some((designation, code)) = self.find_two([first, ch])
        {
            self.held = None;
            self.put(designation, &code, out);
            return true;
        }
        // These would be read as something else.
        if matches!(ch, '\x1B' | '\x0E' | '\x0F') {
            return false;
        }
        if ch.is_ascii() {
            self.begin(out);
            self.put(ASCII, &[ch as u8], out);
            if matches!(ch, '\r' | '\n') {
                self.end_of_line();
            }
            return true;
        }
        if self.is_held_first(ch) {
            self.held = Some(ch);
            return true;
        }
        let Some((designation, code, len)) = self.find(ch) else { return false };
        self.begin(out);
        self.put(designation, &code[..len], out);
        true
    }

    fn run(&mut self, src: &str, pace: &mut Pace, out: &mut ByteSink<'_>) -> usize {
        if self.of.is_announced && !self.is_begun {
            return 0;
        }
        let mut read = 0;
        loop {
            read += pace.turn(|reach| self.write_batches(&src[read..], reach, out));
            read += self.run_in_set(&src[read..], out);
            // The next character is probably in another set.
            let Some(ch) = src[read..].chars().next().filter(|_| out.room() >= MIN_ROOM) else { return read };
            if self.is_held_first(ch) || !self.write(ch, out) {
                return read;
            }
            read += ch.len_utf8();
        }
    }

    fn end(&mut self, out: &mut ByteSink<'_>) {
        if self.is_shifted {
            out.push(&[SI]);
        }
        if self.places[0] != Some(Set::Ascii) {
            out.push(ASCII.2);
        }
        *self = self.of.initial();
    }

    fn held(&self) -> Option<char> {
        self.held
    }

    fn release(&mut self, next: Option<char>, out: &mut ByteSink<'_>) {
        let Some(first) = self.held else { return };
        if next.is_some_and(|next| self.find_two([first, next]).is_some()) {
            return;
        }
        self.held = None;
        if let Some((designation, code, len)) = self.find(first) {
            self.put(designation, &code[..len], out);
        }
    }
}
