//! Replacing text: `REPLACING ==:TAG:== BY ==CUST==`, of `COPY`, of `REPLACE` and of the option.
//!
//! ```text
//! pairs   = 1*(["LEADING" | "TRAILING"] operand "BY" operand)
//! operand = "==" text "==" | literal | word
//! ```
//!
//! Text is compared word by word, in any case; so `:TAG:` is found in `:TAG:-NAME`, but `TAG` is not found in `TAGS`
//! unless it is `LEADING`.

use super::lexical::gap;
use super::limits::MAX_EDITS;
use super::source::Edit;
use super::tokens::{Token, Tokens};
use super::words::{is_blank, is_one_of};
use std::collections::HashMap;
use std::ops::Range;

/// The most pairs of one statement, or of the option.
const MAX_PAIRS: usize = 1000;

/// The text to replace, and its replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    part: Part,
    /// The words, in upper case but for literals.
    from: Vec<String>,
    to: String,
}

/// Which part of a word must be the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Whole,
    Leading,
    Trailing,
}

/// A mistake in pairs: where it is, and what was expected.
pub(super) type BadPairs = (usize, String);

/// Reads pairs from `at` on, up to a period or the end of the text. Returns what follows them.
pub(super) fn pairs(text: &str, at: usize) -> Result<(Vec<Pair>, usize), BadPairs> {
    let (mut pairs, mut at) = (Vec::new(), at);
    loop {
        at = text.len() - gap(&text[at..]).map_or("", |(rest, ())| rest).len();
        let Some((token, place)) = Tokens::from(text, at).next().filter(|(token, _)| *token != Token::Period) else {
            return if pairs.is_empty() { Err((at, expected("==a== BY ==b=="))) } else { Ok((pairs, at)) };
        };
        let (part, start) = match &text[place.clone()] {
            _ if token != Token::Word => (Part::Whole, at),
            word if word.eq_ignore_ascii_case("LEADING") => (Part::Leading, place.end),
            word if word.eq_ignore_ascii_case("TRAILING") => (Part::Trailing, place.end),
            _ => (Part::Whole, at),
        };
        let (from, end) = operand(text, start)?;
        let by = Tokens::from(text, end).next().filter(|(_, place)| is_one_of(&text[place.clone()], &["BY"]));
        let by = by.ok_or_else(|| (end, expected("BY")))?;
        let (to, end) = operand(text, by.1.end)?;
        let from: Vec<String> = Tokens::of(from).map(|(token, place)| folded(token, &from[place])).collect();
        if from.is_empty() || part != Part::Whole && from.len() > 1 {
            return Err((start, expected("a word to be replaced")));
        }
        if pairs.len() == MAX_PAIRS {
            return Err((start, format!("there are more than {MAX_PAIRS} replacements")));
        }
        pairs.push(Pair { part, from, to: to.to_owned() });
        at = end;
    }
}

fn expected(what: &str) -> String {
    format!("expected {what} in the replacements, as in ==:TAG:== BY ==CUSTOMER==")
}

/// Reads an operand. Returns its text and the place after it.
fn operand(text: &str, at: usize) -> Result<(&str, usize), BadPairs> {
    let start = at + text[at..].find(|ch| !is_blank(ch)).unwrap_or(text.len() - at);
    if text[start..].starts_with("==") {
        let begin = start + 2;
        let end = text[begin..].find("==").ok_or_else(|| (start, expected("== at the end of ==")))?;
        return Ok((text[begin..begin + end].trim_matches(is_blank), begin + end + 2));
    }
    match Tokens::from(text, start).next() {
        Some((Token::Word | Token::Literal, place)) => Ok((&text[place.clone()], place.end)),
        _ => Err((start, expected("text between == and ==, or a word"))),
    }
}

/// Returns a token as it is compared.
fn folded(token: Token, text: &str) -> String {
    if token == Token::Word { text.to_uppercase() } else { text.to_owned() }
}

/// Returns the replacements in a part of a text, in order.
pub(super) fn edits<'p>(text: &str, within: Range<usize>, pairs: &'p [Pair]) -> Vec<Edit<'p>> {
    // Most words begin no replacement.
    let mut whole: HashMap<&str, Vec<&Pair>> = HashMap::new();
    let (mut parts, mut edits) = (Vec::new(), Vec::new());
    if pairs.is_empty() {
        return edits;
    }
    for pair in pairs {
        match pair.part {
            Part::Whole => whole.entry(&pair.from[0]).or_default().push(pair),
            _ => parts.push(pair),
        }
    }
    let text = &text[..within.end];
    let mut tokens = Tokens::from(text, within.start);
    while let Some((token, place)) = tokens.next().filter(|_| edits.len() <= MAX_EDITS) {
        let found = folded(token, &text[place.clone()]);
        let same = whole
            .get(&*found)
            .into_iter()
            .flatten()
            .find_map(|pair| end_of_match(text, place.end, &pair.from[1..]).map(|end| (*pair, end)));
        if let Some((pair, end)) = same {
            edits.push(Edit { place: place.start..end, text: pair.to.as_str().into() });
            tokens = Tokens::from(text, end);
        } else if token == Token::Word {
            edits.extend(parts.iter().find_map(|pair| in_word(pair, &text[place.clone()], place.start)));
        }
    }
    edits
}

/// Returns where the tokens `from` end, if they are the next ones.
fn end_of_match(text: &str, at: usize, from: &[String]) -> Option<usize> {
    let mut tokens = Tokens::from(text, at);
    from.iter().try_fold(at, |_, wanted| {
        let (token, place) = tokens.next()?;
        (folded(token, &text[place.clone()]) == *wanted).then_some(place.end)
    })
}

/// Replaces the beginning or the end of a word, which is at `at`.
fn in_word<'p>(pair: &'p Pair, word: &str, at: usize) -> Option<Edit<'p>> {
    let len = pair.from[0].len();
    let rest = word.len().checked_sub(len)?;
    let place = if pair.part == Part::Leading { 0..len } else { rest..word.len() };
    let is_same = word.get(place.clone())?.to_uppercase() == pair.from[0];
    is_same.then(|| Edit { place: at + place.start..at + place.end, text: pair.to.as_str().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(pairs_text: &str, text: &str) -> String {
        let (pairs, _) = pairs(pairs_text, 0).unwrap();
        let mut made = String::new();
        let mut at = 0;
        for edit in edits(text, 0..text.len(), &pairs) {
            made += &text[at..edit.place.start];
            made += &edit.text;
            at = edit.place.end;
        }
        made + &text[at..]
    }

    #[test]
    fn words_and_parts_of_words() {
        for (pairs, text, expected) in [
            (
                "==:TAG:== BY ==CUST==",
                "01 :tag:-REC. 05 X-:TAG:-Y PIC X(:TAG:).",
                "01 CUST-REC. 05 X-CUST-Y PIC X(CUST).",
            ),
            ("==:TAG:==BY==X==", "05 :TAG:A :TAGS: 'it :TAG:'", "05 XA :TAGS: 'it :TAG:'"),
            ("==()== BY ==W==", "05 ()-A", "05 W-A"),
            ("A BY B, C by ==D E==", "A A-B c AA 'A'", "B A-B D E AA 'A'"),
            ("==PIC  X== BY ==PIC XX==", "05 A PIC\nX. 05 B pic x", "05 A PIC XX. 05 B PIC XX"),
            ("LEADING ==A-== BY ==B-== TRAILING ==-Z== BY ====", "a-1 B-A- A-2-z Q-Z", "B-1 B-A- B-2-z Q"),
            ("'x' BY 'y'", "VALUE 'x' 'X'", "VALUE 'y' 'X'"),
            ("==05 A== BY ====", "01 R. 05 A PIC X.", "01 R.  PIC X."),
        ] {
            assert_eq!(replaced(pairs, text), expected, "{pairs}");
        }
    }

    #[test]
    fn wrong_pairs() {
        for text in
            ["", "A", "A B C", "==A", "==A== BY", "==A== BY ==B", "==== BY ==A==", "LEADING ==A B== BY C", "= BY B"]
        {
            assert!(pairs(text, 0).is_err(), "{text}");
        }
        assert!(pairs(&"A BY B ".repeat(MAX_PAIRS), 0).is_ok());
        assert!(pairs(&"A BY B ".repeat(MAX_PAIRS + 1), 0).is_err());
        let (found, end) = pairs("A BY B. 01 C.", 0).unwrap();
        assert_eq!((found.len(), end), (1, 6));
    }
}
