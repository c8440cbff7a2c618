//! The multi-byte charsets of East Asia: the window is decoded in each, and each character has a cost.

use super::limits::{MARGIN, MAX_MEAN_COST, SCORE_SCALE, SHORT_ALLOWANCE};
use super::structure;
use crate::codec::{Codec, drive};
use crate::detect::statistics::guess::{Candidate, Guess, MINIMUM};
use crate::registry::Registry;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

/// The common characters of each language, by cost.
static CHARACTERS: &str = include_str!("characters.txt");

/// A charset and the language that it is for.
struct Charset {
    label: &'static str,
    language: &'static str,
    /// As for the single-byte pages.
    handicap: f32,
    /// What the built-in registry has under the label.
    built_in: OnceLock<Option<Arc<dyn Codec>>>,
}

impl Charset {
    fn codec(&self, registry: &Registry) -> Option<Arc<dyn Codec>> {
        let find = || registry.codec(self.label).ok();
        if registry.is_builtin() { self.built_in.get_or_init(find).clone() } else { find() }
    }
}

const fn charset(label: &'static str, language: &'static str, handicap: f32) -> Charset {
    Charset { label, language, handicap, built_in: OnceLock::new() }
}

static CHARSETS: [Charset; 8] = [
    charset("Shift_JIS", "ja", 0.0),
    charset("EUC-JP", "ja", 0.0),
    charset("GBK", "zh-Hans", 0.0),
    charset("gb18030", "zh-Hans", 1.0),
    charset("Big5", "zh-Hant", 0.0),
    charset("EUC-KR", "ko", 0.0),
    charset("JOHAB", "ko", 4.0),
    charset("EUC-TW", "zh-Hant", 4.0),
];

/// The costs of characters that are not among the common ones of a language.
const LEVEL_1_COST: f32 = 10.0;
const LEVEL_2_COST: f32 = 13.0;
const OTHER_COST: f32 = 12.0;
/// The cost of malformed bytes. Text from the web has some.
const MALFORMED_COST: f32 = 20.0;
/// At most one character in this many may be malformed.
const MALFORMED_SHARE: usize = 50;
/// The cost of a character beside an ASCII letter. Words of both scripts are mostly separated.
const BOUNDARY_COST: f32 = 3.0;
/// The cost of a half-width katakana character between two ASCII characters, if most characters are such: words have more
/// letters, and these bytes are signs or letters of a single-byte page, as in `£5`.
const ALONE_COST: f32 = 10.0;

/// A hash of a text.
#[derive(Default)]
struct TextHash(u64);

impl TextHash {
    #[inline]
    fn add(&mut self, ch: char) {
        // Each step can be undone, so that texts of the same length that differ in one character differ in the hash.
        let mixed = (self.0 ^ u64::from(u32::from(ch))).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = (mixed ^ mixed >> 32).wrapping_add(1);
    }
}

/// A reading of the window.
pub(super) struct MultiByte {
    name: String,
    /// A hash of the text: two texts that differ hardly ever share it. The texts themselves would take megabytes.
    text: u64,
    pub(super) cost: f32,
    /// The cost of the next reading that gives another text, minus that of this one.
    distance: f32,
    characters: usize,
}

impl MultiByte {
    pub(super) fn guess(&self, len: usize) -> Guess {
        let candidates = vec![Candidate { codec: self.name.clone(), score: 0.9, same_text: true }];
        // Two hundred characters in which nothing is malformed are proof enough of the structure.
        let is_certain = len >= MINIMUM && self.characters >= 6 && self.distance > MARGIN.max(SCORE_SCALE);
        if is_certain { Guess::Certain(candidates) } else { Guess::Ambiguous(candidates) }
    }
}

/// Returns the readings that look like text, in order of cost.
pub(super) fn read(window: &[u8], complete: bool, registry: &Registry) -> Vec<MultiByte> {
    let possible = CHARSETS.iter().filter(|charset| structure::may_be(charset.label, window));
    let known = possible.filter_map(|charset| Some((charset, charset.codec(registry)?)));
    let mut readings: Vec<MultiByte> =
        known.filter_map(|(charset, codec)| reading(window, complete, charset, &*codec)).collect();
    crate::sort::by(&mut readings, |one, other| one.cost.total_cmp(&other.cost));
    if let [first, rest @ ..] = &mut readings[..] {
        let next = rest.iter().find(|other| other.text != first.text);
        first.distance = next.map_or(f32::MAX, |next| next.cost - first.cost);
    }
    readings
}

fn reading(window: &[u8], complete: bool, charset: &Charset, codec: &dyn Codec) -> Option<MultiByte> {
    let costs = costs(charset.language)?;
    let read = |most, malformed: usize| {
        let mut cost = MALFORMED_COST * malformed as f32;
        let (mut before, mut characters, mut text) = (' ', 0, TextHash::default());
        let (mut is_alone, mut alone) = (false, 0);
        let malformed = decode(codec, window, complete, most, |ch| {
            text.add(ch);
            if !ch.is_ascii() {
                characters += 1;
                cost += costs.of(ch);
            }
            let is_boundary = ch.is_ascii() != before.is_ascii();
            if is_boundary && (ch.is_ascii_alphabetic() || before.is_ascii_alphabetic()) {
                cost += BOUNDARY_COST;
            }
            alone += usize::from(is_alone && ch.is_ascii());
            is_alone = matches!(ch, '\u{FF61}'..='\u{FF9F}') && before.is_ascii();
            before = ch;
        })?;
        if alone * 2 > characters {
            cost += ALONE_COST * alone as f32;
        }
        Some((characters, malformed, cost, text.0))
    };
    let (characters, malformed, mut cost, text) = read(window.len() / MALFORMED_SHARE, 0)?;
    if characters == 0 || malformed * MALFORMED_SHARE > characters {
        return None;
    }
    if malformed > 0 {
        // The sum begins with them: another order of the terms would round it otherwise.
        (_, _, cost, _) = read(usize::MAX, malformed)?;
    }
    let bytes = window.iter().filter(|byte| !byte.is_ascii()).count() as f32;
    // However long the text is, it may repeat itself.
    let is_text = cost <= bytes * (MAX_MEAN_COST + SHORT_ALLOWANCE / libm::sqrtf(bytes.min(200.0)));
    let cost = cost + charset.handicap;
    let name = codec.name().to_owned();
    is_text.then_some(MultiByte { name, text, cost, distance: f32::MAX, characters })
}

/// Decodes the window, and calls `take` with each character. Returns how often something is malformed, which is left out.
/// `None`: more often than `most` times.
fn decode(codec: &dyn Codec, window: &[u8], complete: bool, most: usize, mut take: impl FnMut(char)) -> Option<usize> {
    let mut malformed = 0;
    let mut is_decoded = false;
    codec.with_decoder(&mut |decoder| {
        let mut room = [0; 1024];
        is_decoded = drive(decoder, window, false, &mut room, |step| {
            step.text.chars().for_each(&mut take);
            malformed += usize::from(step.fault.is_some());
            malformed <= most
        });
        if is_decoded && complete && !drive(decoder, &[], true, &mut room, |step| step.fault.is_none()) {
            malformed += 1;
        }
    });
    is_decoded.then_some(malformed)
}

/// The costs of the characters of a language, in halves: those of the basic plane, by code point.
struct Costs(Box<[u8]>);

/// The first levels: the charset whose table has the characters of a language in order, and the lead bytes of the
/// common ones.
const LEVELS: &[(&str, &str, RangeInclusive<u8>)] = &[
    ("ja", "EUC-JP", 0xB0..=0xCF),
    ("zh-Hans", "GBK", 0xB0..=0xD7),
    ("zh-Hant", "Big5", 0xA4..=0xC6),
    ("ko", "EUC-KR", 0xB0..=0xC8),
];

/// Returns the costs of a language. They are collected when they are first needed.
fn costs(language: &str) -> Option<&'static Costs> {
    static COSTS: [OnceLock<Costs>; LEVELS.len()] = [const { OnceLock::new() }; LEVELS.len()];
    let place = LEVELS.iter().position(|(code, ..)| *code == language)?;
    Some(COSTS[place].get_or_init(|| Costs::new(language)))
}

/// Returns the characters of the first level of a language.
fn level_1(language: &str) -> Vec<char> {
    let found = LEVELS.iter().find(|(code, ..)| *code == language);
    let Some((_, label, leads)) = found else { return Vec::new() };
    let Ok(codec) = Registry::builtin().codec(label) else { return Vec::new() };
    let trails = (0x40..=0x7E).chain(0xA1..=0xFE).filter(|trail| *label == "Big5" || *trail >= 0xA1);
    let pairs: Vec<u8> = trails.flat_map(|trail: u8| leads.clone().flat_map(move |lead| [lead, trail])).collect();
    let mut chars: Vec<char> = Vec::with_capacity(pairs.len() / 2);
    decode(&*codec, &pairs, true, usize::MAX, |ch| chars.extend((!ch.is_ascii()).then_some(ch)));
    chars
}

impl Costs {
    fn new(language: &str) -> Costs {
        let half = |cost: f32| (2.0 * cost) as u8;
        let mut costs = vec![half(OTHER_COST); 0x1_0000];
        let mut set = |chars: RangeInclusive<char>, cost: f32| {
            costs[*chars.start() as usize..=*chars.end() as usize].fill(half(cost));
        };
        set('\u{E000}'..='\u{F8FF}', 16.0);
        set('\u{3400}'..='\u{9FFF}', LEVEL_2_COST);
        set('\u{AC00}'..='\u{D7A3}', LEVEL_2_COST);
        set('\u{370}'..='\u{45F}', 9.5);
        set('\u{2010}'..='\u{203B}', 8.0);
        set('\u{2190}'..='\u{27BF}', 8.0);
        level_1(language).into_iter().filter(is_basic).for_each(|ch| set(ch..=ch, LEVEL_1_COST));
        set('\u{3040}'..='\u{30FF}', 8.0);
        set('\u{3000}'..='\u{303F}', 6.0);
        set('\u{FF01}'..='\u{FF5E}', 6.0);
        set('\u{FF61}'..='\u{FF9F}', 5.0);
        let lines = CHARACTERS.lines().skip_while(|line| line.trim_matches(['[', ']']) != language).skip(1);
        for (cost, chars) in lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(' ')) {
            // Whole numbers: to read others takes a table of 10 KB.
            let cost = cost.parse::<u8>().map_or(LEVEL_1_COST, f32::from);
            chars.chars().filter(is_basic).for_each(|ch| set(ch..=ch, cost));
        }
        Costs(costs.into())
    }

    #[inline]
    fn of(&self, ch: char) -> f32 {
        self.0.get(ch as usize).map_or(OTHER_COST, |halves| f32::from(*halves) / 2.0)
    }
}

fn is_basic(ch: &char) -> bool {
    *ch <= '\u{FFFF}'
}
