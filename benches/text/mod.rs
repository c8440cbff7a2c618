//! Texts to measure with, made anew and alike on every run: no data files, no randomness from outside.
//!
//! Each is prose-like enough that a branch predictor meets what it would meet in earnest: words of a natural length
//! from a list, shuffled by a fixed generator, in lines of some seventy columns.

// Each benchmark is a program of its own and uses its part of this.
#![allow(dead_code)]

/// What a text is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// English: ASCII alone.
    English,
    /// French: 8 % of the characters outside ASCII, all of them in Latin-1.
    French,
    /// Russian: nearly all of it two bytes a character in UTF-8.
    Russian,
    /// Thai: nearly all of it three bytes a character in UTF-8, in long runs.
    Thai,
    /// Japanese in half-width katakana, with Latin capitals and digits: what IBM290 holds.
    Katakana,
    /// Chinese and hiragana: nearly all of it three bytes a character in UTF-8 and one unit in UTF-16.
    Cjk,
    /// English and a little Chinese with emoji among the words: surrogate pairs, and every length of UTF-8.
    Emoji,
}

impl Kind {
    pub(crate) const ALL: [Kind; 7] =
        [Kind::English, Kind::French, Kind::Russian, Kind::Thai, Kind::Katakana, Kind::Cjk, Kind::Emoji];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::English => "English",
            Kind::French => "French",
            Kind::Russian => "Russian",
            Kind::Thai => "Thai",
            Kind::Katakana => "katakana",
            Kind::Cjk => "CJK",
            Kind::Emoji => "emoji",
        }
    }

    /// A text of about `len` bytes of UTF-8: whole lines, and no fewer bytes than that.
    pub(crate) fn text(self, len: usize) -> String {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        let mut text = String::with_capacity(len + 512);
        while text.len() < len {
            let mut columns = 0;
            while columns < 68 {
                let from = text.len();
                self.word(&mut dice, &mut text);
                columns += text[from..].chars().count();
            }
            text.push('\n');
        }
        text
    }

    /// Adds a word and what parts it from the next.
    fn word(self, dice: &mut Dice, text: &mut String) {
        match self {
            Kind::English => {
                text.push_str(dice.one_of(ENGLISH));
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::French => {
                text.push_str(dice.one_of(FRENCH));
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Russian => {
                letters(dice, text, 1..11, &[('\u{430}', 32), ('\u{430}', 16)]);
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Thai => {
                letters(dice, text, 5..40, &[('\u{E01}', 58), ('\u{E01}', 46), ('\u{E40}', 28)]);
                text.push(' ');
            }
            Kind::Katakana => {
                if dice.below(6) == 0 {
                    text.push_str(dice.one_of(&["ABC", "2024", "KK", "NO.7", "12,800", "TEL"]));
                } else {
                    letters(dice, text, 2..8, &[('\u{FF66}', 56)]);
                }
                text.push_str(dice.one_of(&[" ", " ", "\u{FF64}", "\u{FF61}", "\u{FF65}"]));
            }
            Kind::Cjk => {
                letters(dice, text, 1..5, &[('\u{4E00}', 4096), ('\u{4E00}', 512), ('\u{3042}', 80)]);
                text.push_str(dice.one_of(&["", "", "", "", "", "，", "。", "、", "12", " "]));
            }
            Kind::Emoji => {
                match dice.below(8) {
                    0..3 => letters(dice, text, 1..3, &[('\u{1F600}', 64), ('\u{1F400}', 64), ('\u{1F680}', 64)]),
                    3 => letters(dice, text, 1..4, &[('\u{4E00}', 2048)]),
                    4 => text.push_str(dice.one_of(FRENCH)),
                    _ => text.push_str(dice.one_of(ENGLISH)),
                }
                text.push_str(dice.one_of(BETWEEN));
            }
        }
    }
}

/// Adds a number within `count` of letters, each from one of `ranges`: its first character and how many there are.
fn letters(dice: &mut Dice, text: &mut String, count: std::ops::Range<usize>, ranges: &[(char, usize)]) {
    for _ in 0..count.start + dice.below(count.len()) {
        let (first, len) = ranges[dice.below(ranges.len())];
        text.extend(char::from_u32(first as u32 + dice.below(len) as u32));
    }
}

/// Marsaglia's xorshift generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const BETWEEN: &[&str] = &[" ", " ", " ", " ", " ", " ", " ", " ", ", ", ". ", " ", "; ", " ", " ", "' ", " (", ") "];

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "the", "of", "and", "a", "to", "in", "is", "that", "it", "was", "for", "on", "are", "with", "as", "his", "they",
    "be", "at", "one", "have", "this", "from", "or", "had", "by", "hot", "but", "some", "what", "there", "we", "can",
    "out", "other", "were", "all", "your", "when", "up", "use", "word", "how", "said", "an", "each", "she", "which",
    "do", "their", "time", "if", "will", "way", "about", "many", "then", "them", "would", "write", "like", "so",
    "these", "her", "long", "make", "thing", "see", "him", "two", "has", "look", "more", "day", "could", "go", "come",
    "did", "my", "sound", "no", "most", "number", "who", "over", "know", "water", "than", "call", "first", "people",
    "may", "down", "side", "been", "now", "find", "The", "Any", "New", "In", "Account", "1987", "balance", "statement",
];

#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "le", "la", "de", "des", "un", "une", "et", "à", "être", "été", "où", "déjà", "après", "même", "très", "près",
    "élève", "fenêtre", "garçon", "français", "château", "théâtre", "noël", "naïve", "août", "maïs", "différent",
    "année", "journée", "société", "général", "écrire", "répondre", "créé", "dès", "là", "voilà", "peut-être",
    "maison", "jardin", "monde", "temps", "homme", "femme", "enfant", "ville", "eau", "vie", "main", "chose", "mot",
    "pour", "dans", "sur", "avec", "sans", "sous", "mais", "donc", "car", "qui", "que", "dont", "il", "elle", "nous",
    "vous", "ils", "faire", "dire", "aller", "voir", "savoir", "pouvoir", "vouloir", "venir", "prendre", "Relevé",
    "compte", "numéro", "solde", "1987", "«", "»", "plus", "moins", "bien", "mal", "ici",
];
