//! Language models: which character follows which in each language. They are built from `texts.txt` on first use.
//!
//! The texts are small. A pair that is missing from them is estimated from the frequency of its second character, and a
//! missing character from its kind: a letter, a mark or a control.

use crate::codec::{Codec, MIN_ROOM, Stop, Utf8Sink};
use std::sync::LazyLock;

static TEXTS: &str = include_str!("texts.txt");

/// The weight of a character's own frequency against that of the pair, counted in pairs.
const SINGLES_WEIGHT: f32 = 3.0;
/// The weight of a character's kind against its own frequency, counted in characters.
const PRIOR_WEIGHT: f32 = 12.0;

/// The model of a language.
pub(super) struct Model {
    /// The code of the language in `texts.txt`.
    pub(super) code: &'static str,
    /// The folded characters of the text, sorted. The index of a character is its class.
    chars: Vec<char>,
    /// The pairs of classes that occur in the text, sorted, with their counts.
    pairs: Vec<((u16, u16), f32)>,
    /// For each class, the number of pairs that begin with it.
    sums: Vec<f32>,
    /// The likelihood of each class.
    singles: Vec<f32>,
    /// The letters, with their share of all letters.
    letters: Vec<(char, f32)>,
}

/// Returns the models, in the order of the texts.
pub(super) fn models() -> &'static [Model] {
    static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
        let body = TEXTS.lines().filter(|line| !line.starts_with("# "));
        let mut texts: Vec<(&str, String)> = Vec::new();
        for line in body {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(code) => texts.push((code, String::new())),
                None if line.is_empty() => {}
                None => {
                    if let Some((_, text)) = texts.last_mut() {
                        text.push_str(line);
                        text.push(' ');
                    }
                }
            }
        }
        texts.iter().map(|(code, text)| Model::new(code, text)).collect()
    });
    &MODELS
}

impl Model {
    fn new(code: &'static str, text: &str) -> Model {
        let folded: Vec<char> = text.chars().map(fold).collect();
        let mut chars = folded.clone();
        chars.sort_unstable();
        chars.dedup();
        let classes: Vec<u16> = folded.iter().map(|ch| chars.binary_search(ch).unwrap_or(0) as u16).collect();
        let mut counts = vec![0f32; chars.len()];
        for class in &classes {
            counts[usize::from(*class)] += 1.0;
        }
        let all = folded.len() as f32;
        let singles =
            chars.iter().zip(&counts).map(|(ch, n)| (n + PRIOR_WEIGHT * prior(*ch)) / (all + PRIOR_WEIGHT)).collect();
        let mut seen: Vec<(u16, u16)> = classes.windows(2).map(|pair| (pair[0], pair[1])).collect();
        seen.sort_unstable();
        let pairs = seen.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as f32)).collect();
        let mut sums = vec![0f32; chars.len()];
        for (first, _) in &seen {
            sums[usize::from(*first)] += 1.0;
        }
        let is_letter = |(ch, _): &(&char, &f32)| ch.is_alphabetic();
        let sum: f32 = chars.iter().zip(&counts).filter(is_letter).map(|(_, n)| n).sum();
        let letters = chars.iter().zip(&counts).filter(is_letter).map(|(ch, n)| (*ch, n / sum)).collect();
        Model { code, chars, pairs, sums, singles, letters }
    }

    /// Returns whether a page with these characters has the letters of the language: more than 99 in 100 of the letters
    /// in its text.
    pub(super) fn is_covered(&self, has: impl Fn(char) -> bool) -> bool {
        let mut missing = 0.0;
        self.letters.iter().filter(|(ch, _)| !has(*ch)).all(|(_, share)| {
            missing += share;
            missing < 0.01
        })
    }

    /// Returns whether the language is written in double-byte characters.
    pub(super) fn is_east_asian(&self) -> bool {
        matches!(self.code, "ja" | "ko" | "zh-Hans" | "zh-Hant")
    }

    /// Returns the class of a character.
    pub(super) fn class(&self, ch: char) -> Class {
        let folded = fold(ch);
        self.class_of_folded(folded, missing(folded))
    }

    /// Returns the class of a character that is already [folded](fold); `missing` is its likelihood in a language whose
    /// text lacks it.
    pub(super) fn class_of_folded(&self, folded: char, missing: f32) -> Class {
        let place = self.chars.binary_search(&folded).ok();
        let single = place.map_or(missing, |place| self.singles[place]);
        Class { place, single }
    }

    /// Returns the likelihood of `next` after `before`.
    pub(super) fn likelihood(&self, before: Class, next: Class) -> f32 {
        match (before.place, next.place) {
            (Some(before), Some(after)) => {
                let pair = (before as u16, after as u16);
                let seen = self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair).map_or(0.0, |at| self.pairs[at].1);
                (seen + SINGLES_WEIGHT * self.singles[after]) / (self.sums[before] + SINGLES_WEIGHT)
            }
            (Some(before), None) => SINGLES_WEIGHT / (self.sums[before] + SINGLES_WEIGHT) * next.single,
            (None, _) => next.single,
        }
    }
}

/// Returns whether the second character is a capital within a word, which mostly means that the page is wrong.
pub(super) fn is_break(before: char, next: char) -> bool {
    before.is_lowercase() && next.is_uppercase()
}

/// The lowest likelihood of a single character.
pub(super) const MIN_LIKELIHOOD: f32 = 0.000_000_1;

/// The factor on the likelihood of a character that does not occur in the text of a language.
const MISSING_FACTOR: f32 = 0.2;

/// The class of a character in a model.
#[derive(Clone, Copy)]
pub(super) struct Class {
    place: Option<usize>,
    /// The likelihood of the character on its own.
    pub(super) single: f32,
}

/// Folds the cases and forms of a letter to one letter, all digits to one digit, and everything that separates words to
/// one space.
pub(super) fn fold(ch: char) -> char {
    match ch {
        '0'..='9' => '0',
        '\t' | '\n' | '\r' | '\u{85}' | '\u{A0}' | '\u{3000}' => ' ',
        '\u{FF01}'..='\u{FF5E}' => fold(char::from_u32(ch as u32 - 0xFEE0).unwrap_or(' ')),
        'ς' => 'σ',
        '\u{FE80}'..='\u{FEFC}' => {
            let at = FORMS.iter().rposition(|(first, _)| *first <= ch).unwrap_or(0);
            FORMS[at].1
        }
        _ => ch.to_lowercase().next().unwrap_or(ch),
    }
}

/// The first presentation form of each Arabic letter, and the letter. Pages 420 and 425 have these forms.
#[rustfmt::skip]
const FORMS: &[(char, char)] = &[
    ('\u{FE80}', 'ء'), ('\u{FE81}', 'آ'), ('\u{FE83}', 'أ'), ('\u{FE85}', 'ؤ'), ('\u{FE87}', 'إ'),
    ('\u{FE89}', 'ئ'), ('\u{FE8D}', 'ا'), ('\u{FE8F}', 'ب'), ('\u{FE93}', 'ة'), ('\u{FE95}', 'ت'),
    ('\u{FE99}', 'ث'), ('\u{FE9D}', 'ج'), ('\u{FEA1}', 'ح'), ('\u{FEA5}', 'خ'), ('\u{FEA9}', 'د'),
    ('\u{FEAB}', 'ذ'), ('\u{FEAD}', 'ر'), ('\u{FEAF}', 'ز'), ('\u{FEB1}', 'س'), ('\u{FEB5}', 'ش'),
    ('\u{FEB9}', 'ص'), ('\u{FEBD}', 'ض'), ('\u{FEC1}', 'ط'), ('\u{FEC5}', 'ظ'), ('\u{FEC9}', 'ع'),
    ('\u{FECD}', 'غ'), ('\u{FED1}', 'ف'), ('\u{FED5}', 'ق'), ('\u{FED9}', 'ك'), ('\u{FEDD}', 'ل'),
    ('\u{FEE1}', 'م'), ('\u{FEE5}', 'ن'), ('\u{FEE9}', 'ه'), ('\u{FEED}', 'و'), ('\u{FEEF}', 'ى'),
    ('\u{FEF1}', 'ي'), ('\u{FEF5}', 'ل'),
];

/// Returns the presentation forms of an Arabic letter, and nothing for any other character.
pub(super) fn forms(ch: char) -> impl Iterator<Item = char> {
    let at = FORMS.iter().position(|(_, letter)| *letter == ch);
    at.map_or('\u{FE80}'..'\u{FE80}', |at| FORMS[at].0..FORMS.get(at + 1).map_or('\u{FEFC}', |next| next.0))
}

/// Returns the likelihood of a [folded](fold) character in a language whose text lacks it.
pub(super) fn missing(folded: char) -> f32 {
    prior(folded) * MISSING_FACTOR
}

/// Returns the likelihood of a character that is missing from a text, by its kind. Estimated, not counted.
fn prior(ch: char) -> f32 {
    match ch {
        ' ' => 0.15,
        'a'..='z' => 0.02,
        '0' => 0.05,
        '.' | ',' | '-' => 0.01,
        '\'' | '"' | '(' | ')' | ':' | '/' => 0.004,
        '!' | '?' | ';' | '&' | '*' | '+' | '=' | '<' | '>' | '_' | '%' => 0.002,
        '#' | '$' | '@' | '[' | ']' | '{' | '}' => 0.001,
        '|' | '\\' | '^' | '~' | '`' => 0.0003,
        '€' | '£' | '§' | '°' => 0.000_05,
        '«' | '»' | '¿' | '¡' | 'º' | 'ª' | '¬' | '¢' | '¥' => 0.000_05,
        'à'..='ö' | 'ø'..='ÿ' => 0.0002,
        '\u{A1}'..='\u{BF}' | '÷' | '×' => 0.000_01,
        '\u{0}'..='\u{1F}' | '\u{7F}' => 0.000_003,
        '\u{80}'..='\u{9F}' => 0.000_000_3,
        UNASSIGNED => 0.000_000_01,
        '\u{E000}'..='\u{F8FF}' => 0.000_000_01,
        'ﾡ'..='ￜ' => 0.000_001,
        '\u{3040}'..='\u{30FF}' => 0.001,
        '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => 0.000_3,
        ch if ch.is_alphabetic() => 0.000_02,
        _ => 0.000_005,
    }
}

/// Marks a byte that a page does not assign. It is a noncharacter, so it cannot be confused with a real one.
pub(super) const UNASSIGNED: char = '\u{FFFF}';

/// Returns a function that decodes a few bytes on their own and returns their character.
pub(super) fn reader(codec: &dyn Codec) -> impl FnMut(&[u8]) -> char + use<> {
    let mut decoder = codec.decoder();
    move |bytes| {
        let mut room = [0; 2 * MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(bytes, &mut sink);
        let ended = decoder.finish(&mut sink);
        decoder.reset();
        let is_good = step.stop == Stop::InputEmpty && ended == Stop::InputEmpty;
        sink.as_str().chars().next().filter(|_| is_good).unwrap_or(UNASSIGNED)
    }
}
