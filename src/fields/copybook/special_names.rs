//! The clauses about pictures in a program's paragraph SPECIAL-NAMES.
//!
//! ```text
//! point    = "DECIMAL-POINT" ["IS"] "COMMA"
//! currency = "CURRENCY" ["SIGN"] ["IS"] sign [["WITH"] "PICTURE" "SYMBOL" literal]
//! sign     = literal | "X" literal            the second one is in hex
//! ```

use super::tokens::{Token, Tokens};
use super::words::is_one_of;

/// The settings for the pictures of a copybook.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct SpecialNames {
    /// Whether the decimal point is a comma.
    pub(super) decimal_comma: bool,
    currencies: Vec<Currency>,
}

/// A currency sign.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Currency {
    /// The character that stands for it in pictures.
    symbol: char,
    /// The number of bytes of the sign.
    len: usize,
}

/// The symbols that no currency can have, because pictures could not be read with it.
const RESERVED: &str = "ABCDNPRSVXZ0123456789+-,.*/;()\"'= ";

impl SpecialNames {
    /// Finds the clauses in the text before the data division; in the whole text, if it is not a program.
    pub(super) fn of(text: &str) -> SpecialNames {
        let data = super::program::to_data_division(text).unwrap_or("");
        let head = &text[..text.len() - data.len()];
        let words: Vec<(Token, &str)> = Tokens::of(head).map(|(token, place)| (token, &head[place])).collect();
        let mut names = SpecialNames::default();
        for (at, (_, word)) in words.iter().enumerate() {
            let after = &words[at + 1..];
            match () {
                () if is_one_of(word, &["DECIMAL-POINT"]) => {
                    let after = without(after, "IS").first();
                    names.decimal_comma |= after.is_some_and(|(_, word)| is_one_of(word, &["COMMA"]));
                }
                () if is_one_of(word, &["CURRENCY"]) => names.currencies.extend(currency(after)),
                () => {}
            }
        }
        names
    }

    /// Returns the length of the sign that a symbol of a picture stands for, in bytes; `None` if it is not a currency
    /// symbol. Two symbols can differ only in their case.
    pub(super) fn currency(&self, symbol: char) -> Option<usize> {
        let same = self.currencies.iter().find(|currency| currency.symbol == symbol);
        let alike = || self.currencies.iter().find(|currency| currency.symbol.eq_ignore_ascii_case(&symbol));
        let usual = || "$¢£¤¥€".contains(symbol).then_some(1);
        same.or_else(alike).map(|currency| currency.len).or_else(usual)
    }
}

/// Reads the clause after its word `CURRENCY`.
fn currency(words: &[(Token, &str)]) -> Option<Currency> {
    let words = without(without(words, "SIGN"), "IS");
    let digits = without(words, "X");
    let (sign, after) = literal(digits)?;
    let sign_len = if digits.len() < words.len() { sign.len() / 2 } else { sign.chars().count() };
    let phrase = without(after, "WITH");
    let symbol = match phrase {
        [(_, picture), (_, symbol), rest @ ..]
            if is_one_of(picture, &["PICTURE", "PIC"]) && is_one_of(symbol, &["SYMBOL"]) =>
        {
            literal(rest)?.0
        }
        _ => sign,
    };
    let symbol = Some(symbol).filter(|symbol| symbol.chars().count() == 1)?.chars().next()?;
    let is_reserved = RESERVED.contains(symbol.to_ascii_uppercase());
    (!is_reserved && sign_len > 0).then_some(Currency { symbol, len: sign_len })
}

/// Returns the content of a literal, and what follows it.
fn literal<'w, 't>(words: &'w [(Token, &'t str)]) -> Option<(&'t str, &'w [(Token, &'t str)])> {
    let ((token, text), after) = words.split_first()?;
    let content = text.get(1..text.len().checked_sub(1)?)?;
    (*token == Token::Literal).then_some((content, after))
}

/// Returns the words after `word`, if they begin with it.
fn without<'w, 't>(words: &'w [(Token, &'t str)], word: &str) -> &'w [(Token, &'t str)] {
    match words {
        [(Token::Word, first), rest @ ..] if first.eq_ignore_ascii_case(word) => rest,
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses() {
        let text = "SPECIAL-NAMES. C01 IS TOP-OF-FORM, CURRENCY SIGN 'E' currency is 'EUR' picture symbol 'u'\n\
                    CURRENCY X'9FA0' WITH PICTURE SYMBOL 'G' CURRENCY SIGN IS 'S' CURRENCY 'DM'. DECIMAL-POINT COMMA.\n\
                    DATA DIVISION. 05 CURRENCY PIC X. DISPLAY CURRENCY '?'.";
        let names = SpecialNames::of(text);
        assert!(names.decimal_comma);
        let found: Vec<_> = "E u U G S ? $ D".split(' ').filter_map(|ch| names.currency(ch.parse().ok()?)).collect();
        assert_eq!(found, [1, 3, 3, 2, 1]);
        assert_eq!(SpecialNames::of("05 CURRENCY PIC X. 05 DECIMAL-POINT PIC X."), SpecialNames::default());
    }
}
