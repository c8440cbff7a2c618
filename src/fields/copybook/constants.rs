//! Constants: entries of level 78, and of level 01 with `CONSTANT`, whose names can stand for numbers.
//!
//! ```text
//! constant = "78" name "VALUE" ["IS"] value "." | "01" name "CONSTANT" ["IS"] ["GLOBAL"] ["AS"] value "."
//! value    = integer | name            any other value is skipped: it says nothing about the storage
//! use      = "OCCURS" name ["TO" name] | symbol "(" name ")"
//! ```

use super::source::Edit;
use super::tokens::{Token, Tokens};
use super::words::is_one_of;
use std::collections::HashMap;

/// Returns what stands for the constants in a text, in order.
pub(super) fn edits(text: &str) -> Vec<Edit<'static>> {
    let constants = constants(text);
    if constants.is_empty() {
        return Vec::new();
    }
    let value = |name: &str| constants.get(&name.to_uppercase()).cloned();
    let (mut edits, mut state) = (Vec::new(), Before::Other);
    let mut tokens = Tokens::of(text).peekable();
    while let Some((token, place)) = tokens.next() {
        let found = &text[place.clone()];
        let mut is_closed = || tokens.peek().is_some_and(|(_, next)| &text[next.clone()] == ")");
        let is_use = match state {
            Before::Occurs | Before::To => token == Token::Word,
            Before::Parenthesis => token == Token::Word && is_closed(),
            Before::Count | Before::Other => false,
        };
        if let Some(value) = value(found).filter(|_| is_use) {
            edits.push(Edit { place: place.clone(), text: value.into() });
        }
        state = match (&state, found) {
            (Before::Occurs, _) => Before::Count,
            (Before::Count, to) if to.eq_ignore_ascii_case("TO") => Before::To,
            (_, "(") => Before::Parenthesis,
            (_, occurs) if occurs.eq_ignore_ascii_case("OCCURS") => Before::Occurs,
            _ => Before::Other,
        };
    }
    edits
}

/// The text before a token.
enum Before {
    Occurs,
    /// `OCCURS` and a number or a name.
    Count,
    /// These two and `TO`.
    To,
    Parenthesis,
    Other,
}

/// Returns the constants whose values are integers, with their names in upper case.
fn constants(text: &str) -> HashMap<String, String> {
    let mut constants = HashMap::new();
    let mut is_start = true;
    let mut tokens = Tokens::of(text);
    while let Some((token, place)) = tokens.next() {
        let found = &text[place];
        if is_start
            && token == Token::Word
            && matches!(found.trim_start_matches('0'), "78" | "1")
            && let Some((name, value)) = constant(text, tokens.clone(), found == "78", &constants)
        {
            constants.insert(name, value);
        }
        is_start = token == Token::Period || found.eq_ignore_ascii_case("END-EXEC");
    }
    constants
}

/// Reads a constant after its level.
fn constant(text: &str, tokens: Tokens<'_>, is_78: bool, known: &HashMap<String, String>) -> Option<(String, String)> {
    let mut tokens = tokens.map(|(token, place)| (token, &text[place])).peekable();
    let (_, name) = tokens.next().filter(|(token, _)| *token == Token::Word)?;
    let (_, keyword) = tokens.next()?;
    if !keyword.eq_ignore_ascii_case(if is_78 { "VALUE" } else { "CONSTANT" }) {
        return None;
    }
    while tokens.next_if(|(_, word)| is_one_of(word, &["IS", "GLOBAL", "AS"])).is_some() {}
    tokens.next_if(|(_, sign)| *sign == "+");
    let (token, value) = tokens.next()?;
    let is_alone = tokens.next().is_some_and(|(token, _)| token == Token::Period);
    let value = match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Some(value.to_owned()),
        false => known.get(&value.to_uppercase()).cloned(),
    };
    Some((name.to_uppercase(), value.filter(|_| is_alone && token == Token::Word)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses() {
        let text = "78 N VALUE 12. 78 m value is n. 01 K CONSTANT IS GLOBAL AS 007. 78 T VALUE 'x'. 78 E VALUE N + 1.\n\
                    01 N. 05 N OCCURS n TO M DEPENDING ON N PIC X(K)9(M)N(T) VALUE 'X(N)'. 05 K PIC 9(N.";
        let found: Vec<_> =
            edits(text).into_iter().map(|edit| (text[edit.place].to_owned(), edit.text.into_owned())).collect();
        let expected = [("n", "12"), ("M", "12"), ("K", "007"), ("M", "12")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(edits("01 A. 05 B OCCURS C TIMES PIC X(D).").is_empty());
    }
}
