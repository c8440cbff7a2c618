//! The models of the languages: which characters follow which, as costs.

use std::sync::LazyLock;

static ALPHABETS: &str = include_str!("alphabets.txt");
static COSTS: &[u8] = include_bytes!("costs.bin");

/// The classes of characters that all languages have. The letters of the alphabet come after them.
const SPACE: u8 = 0;
const DIGIT: u8 = 1;
const MARK: u8 = 2;
/// Quotation marks, dashes, the ellipsis and the no-break space.
const QUOTE: u8 = 3;
/// Currency and other signs that are common in text.
const SIGN: u8 = 4;
/// Lines, blocks and signs that are rare in text.
const GRAPHIC: u8 = 5;
/// ASCII letters in a language of another script.
const LATIN: u8 = 6;
/// Letters of ISO-8859-1 that the language does not use.
const ACCENTED: u8 = 7;
const FOREIGN: u8 = 8;
/// Control characters, private use, and bytes that the page does not assign.
const CONTROL: u8 = 9;
const GENERIC: usize = 10;

/// The class of a character in a language: an index into its costs.
pub(super) type Class = u8;

/// The model of a language.
pub(super) struct Language {
    pub(super) code: &'static str,
    /// Whether it is written in Latin letters. ASCII text within other scripts is taken for English.
    pub(super) is_latin: bool,
    /// The letters, sorted.
    alphabet: Vec<char>,
    /// The classes of ASCII.
    pub(super) ascii: [Class; 128],
    /// The costs, two in a byte, row by row.
    costs: &'static [u8],
}

/// Returns the models. English comes first.
pub(super) fn languages() -> &'static [Language] {
    static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
        let mut costs = COSTS;
        let read = |line: &'static str| {
            let (code, letters) = line.split_once(' ').unwrap_or((line, ""));
            let alphabet: Vec<char> = letters.chars().collect();
            let len = (alphabet.len() + GENERIC).pow(2).div_ceil(2).min(costs.len());
            let (own, rest) = costs.split_at(len);
            costs = rest;
            let mut language =
                Language { code, is_latin: alphabet.contains(&'e'), alphabet, ascii: [0; 128], costs: own };
            language.ascii = std::array::from_fn(|byte| class(char::from(byte as u8), &language));
            language
        };
        ALPHABETS.lines().map(read).collect()
    });
    &LANGUAGES
}

impl Language {
    /// Returns how many classes there are.
    fn classes(&self) -> usize {
        self.alphabet.len() + GENERIC
    }

    /// Returns the cost of a character of class `second` after one of class `first`.
    pub(super) fn cost(&self, first: Class, second: Class) -> f32 {
        let at = usize::from(first) * self.classes() + usize::from(second);
        f32::from(self.costs[at / 2] >> (at % 2 * 4) & 15)
    }
}

/// Returns the class of a character. `U+FFFF` stands for a byte that a page does not assign.
pub(super) fn class(ch: char, language: &Language) -> Class {
    if let Ok(at) = language.alphabet.binary_search(&fold(ch)) {
        return (GENERIC + at) as Class;
    }
    match ch {
        '\t' | '\n' | '\u{B}' | '\u{C}' | '\r' | ' ' => SPACE,
        '0'..='9' => DIGIT,
        'A'..='Z' | 'a'..='z' => LATIN,
        '!'..='~' => MARK,
        '\u{0}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFE}' | '\u{FFFF}' => CONTROL,
        '“' | '”' | '‘' | '’' | '–' | '—' | '…' | '«' | '»' | '\u{A0}' | '„' | '‚' | '•' | '·' => {
            QUOTE
        }
        '€' | '£' | '§' | '©' | '®' | '°' | '™' | '´' | '¨' | '¸' | '½' | '¼' | '¾' | '²' | '³' | '¹' | 'µ' | '¿'
        | '¡' | 'ª' | 'º' | '‹' | '›' | '№' | '±' | '×' | '†' => SIGN,
        'À'..='ÿ' | 'Œ' | 'œ' | 'Ÿ' if ch.is_alphabetic() => ACCENTED,
        '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' => FOREIGN,
        ch if ch.is_alphabetic() => FOREIGN,
        _ => GRAPHIC,
    }
}

/// Folds the cases and forms of a letter to the one that the alphabets have.
fn fold(ch: char) -> char {
    match ch {
        'ș' | 'Ș' => 'ş',
        'ț' | 'Ț' => 'ţ',
        'İ' => 'i',
        'ی' => 'ي',
        'ک' => 'ك',
        'ہ' | 'ە' => 'ه',
        // Presentation forms of Arabic are letters to DOS. The model of EBCDIC folds them.
        '\u{FE80}'..='\u{FEFC}' => super::super::models::fold(ch),
        'ς' => 'σ',
        _ => ch.to_lowercase().next().unwrap_or(ch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_costs() {
        let all: usize = languages().iter().map(|language| language.costs.len()).sum();
        assert_eq!(all, COSTS.len());
        for language in languages() {
            assert_eq!(
                language.costs.len(),
                (language.alphabet.len() + GENERIC).pow(2).div_ceil(2),
                "{}",
                language.code
            );
            assert!(language.alphabet.is_sorted(), "{}", language.code);
        }
        assert_eq!(languages()[0].code, "en");
    }

    #[test]
    fn likely_pairs_cost_less() {
        let language = |code: &str| languages().iter().find(|language| language.code == code).unwrap();
        let cost = |code: &str, text: &str| {
            let classes: Vec<Class> = text.chars().map(|ch| class(ch, language(code))).collect();
            classes.windows(2).map(|pair| language(code).cost(pair[0], pair[1])).sum::<f32>()
        };
        assert!(cost("pl", " źródło ") < cost("de", " źródło "));
        assert!(cost("ru", " время ") < cost("bg", " ыремя "));
        assert!(cost("en", " the ") < 10.0);
    }
}
