//! The multi-byte charsets of East Asia: the window is decoded in each, and each character has a cost.

use super::limits::{MARGIN, MAX_MEAN_COST, SCORE_SCALE, SHORT_ALLOWANCE};
use super::structure;
use crate::codec::{Codec, drive};
use crate::detect::statistics::guess::{Candidate, Guess, MINIMUM};
use crate::registry::Registry;
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock, OnceLock};

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
/// The cost of malformed bytes. Text from the web has some.
const MALFORMED_COST: f32 = 20.0;
/// At most one character in this many may be malformed.
const MALFORMED_SHARE: usize = 50;
/// The cost of a character beside an ASCII letter. Words of both scripts are mostly separated.
const BOUNDARY_COST: f32 = 3.0;

/// A reading of the window.
pub(super) struct MultiByte {
    name: String,
    /// A hash of the text: two texts that differ differ in it. The texts themselves would take megabytes.
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
    let count = |most| {
        let mut characters = 0;
        let malformed = decode(codec, window, complete, most, |ch| characters += usize::from(!ch.is_ascii()))?;
        Some((characters, malformed))
    };
    let (characters, malformed) = count(window.len() / MALFORMED_SHARE)?;
    if characters == 0 || malformed * MALFORMED_SHARE > characters {
        return None;
    }
    let (_, costs) = costs().iter().find(|(language, _)| *language == charset.language)?;
    let mut cost = MALFORMED_COST * malformed as f32;
    let mut before = ' ';
    let mut text = DefaultHasher::new();
    decode(codec, window, complete, usize::MAX, |ch| {
        text.write_u32(ch.into());
        if !ch.is_ascii() {
            cost += costs.of(ch);
        }
        let is_boundary = ch.is_ascii() != before.is_ascii();
        if is_boundary && (ch.is_ascii_alphabetic() || before.is_ascii_alphabetic()) {
            cost += BOUNDARY_COST;
        }
        before = ch;
    });
    let text = text.finish();
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

/// The costs of the characters of a language.
struct Costs {
    /// Sorted.
    common: Vec<(char, f32)>,
    /// The characters of the first level of the national standard, sorted.
    level_1: Vec<char>,
}

/// The first levels: the charset whose table has the characters of a language in order, and the lead bytes of the
/// common ones.
const LEVELS: &[(&str, &str, RangeInclusive<u8>)] = &[
    ("ja", "EUC-JP", 0xB0..=0xCF),
    ("zh-Hans", "GBK", 0xB0..=0xD7),
    ("zh-Hant", "Big5", 0xA4..=0xC6),
    ("ko", "EUC-KR", 0xB0..=0xC8),
];

fn costs() -> &'static [(&'static str, Costs)] {
    static COSTS: LazyLock<Vec<(&str, Costs)>> = LazyLock::new(|| {
        let mut all: Vec<(&str, Costs)> = Vec::new();
        for line in CHARACTERS.lines() {
            if let Some(code) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                all.push((code, Costs { common: Vec::new(), level_1: level_1(code) }));
            } else if let Some((cost, chars)) = line.split_once(' ')
                && let Some((_, costs)) = all.last_mut()
            {
                // Whole numbers: to read others takes a table of 10 KB.
                let cost = cost.parse::<u8>().map_or(LEVEL_1_COST, f32::from);
                costs.common.extend(chars.chars().map(|ch| (ch, cost)));
            }
        }
        for (_, costs) in &mut all {
            crate::sort::by_key(&mut costs.common, |(ch, _)| *ch);
        }
        all
    });
    &COSTS
}

/// Returns the characters of the first level of a language, sorted.
fn level_1(language: &str) -> Vec<char> {
    let found = LEVELS.iter().find(|(code, ..)| *code == language);
    let Some((_, label, leads)) = found else { return Vec::new() };
    let Ok(codec) = Registry::builtin().codec(label) else { return Vec::new() };
    let trails = (0x40..=0x7E).chain(0xA1..=0xFE).filter(|trail| *label == "Big5" || *trail >= 0xA1);
    let pairs: Vec<u8> = trails.flat_map(|trail: u8| leads.clone().flat_map(move |lead| [lead, trail])).collect();
    let mut chars: Vec<char> = Vec::with_capacity(pairs.len() / 2);
    decode(&*codec, &pairs, true, usize::MAX, |ch| chars.extend((!ch.is_ascii()).then_some(ch)));
    chars.sort_unstable();
    chars
}

impl Costs {
    fn of(&self, ch: char) -> f32 {
        if let Ok(at) = self.common.binary_search_by_key(&ch, |(ch, _)| *ch) {
            return self.common[at].1;
        }
        match ch {
            '\u{FF61}'..='\u{FF9F}' => 5.0,
            '\u{3000}'..='\u{303F}' | '\u{FF01}'..='\u{FF5E}' => 6.0,
            '\u{3040}'..='\u{30FF}' => 8.0,
            _ if self.level_1.binary_search(&ch).is_ok() => LEVEL_1_COST,
            '\u{2010}'..='\u{203B}' | '\u{2190}'..='\u{27BF}' => 8.0,
            '\u{370}'..='\u{45F}' => 9.5,
            '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => LEVEL_2_COST,
            '\u{E000}'..='\u{F8FF}' => 16.0,
            _ => 12.0,
        }
    }
}
