//! Readable approximations of characters that the target lacks: `é` → `e`, `€` → `EUR`, `“` → `"`.
//!
//! They come from the crate any_ascii, one character at a time, and do not depend on the language. A few are replaced
//! here, because next to other characters they would change the meaning: `1½` is not `11/2`. `spec/translit.md` has the
//! rules, and the differences from glibc.

use std::borrow::Cow;

/// Returns the approximation of `ch`: printable ASCII, or nothing for a character that is only a mark on another one or
/// is invisible. `None` if there is none.
pub(crate) fn approximation(ch: char) -> Option<Cow<'static, str>> {
    if let Some((_, text)) = BETTER.iter().find(|(better, _)| *better == ch) {
        return Some(Cow::Borrowed(text));
    }
    let text = any_ascii::any_ascii_char(ch);
    if text.is_empty() {
        return is_invisible(ch).then_some(Cow::Borrowed(""));
    }
    Some(match ch {
        '\u{BC}'..='\u{BE}' | '\u{2150}'..='\u{215F}' | '\u{2189}' => Cow::Owned(fraction(text)),
        '\u{2460}'..='\u{2473}' | '\u{24B6}'..='\u{24EA}' | '\u{3251}'..='\u{325F}' | '\u{32B1}'..='\u{32BF}' => {
            Cow::Owned(format!("({text})"))
        }
        _ => Cow::Borrowed(text),
    })
}

/// Sets a fraction apart from the digits around it. The numerator 1 of U+215F is followed by its denominator.
fn fraction(text: &str) -> String {
    if text.ends_with('/') { format!(" {text}") } else { format!(" {text} ") }
}

/// The approximations of glibc, for characters for which they are better.
const BETTER: &[(char, &str)] = &[
    ('Æ', "AE"),
    ('×', "x"),
    ('Œ', "OE"),
    ('—', "--"),
    ('₹', "INR"),
    ('™', "(TM)"),
    ('←', "<-"),
    ('→', "->"),
    ('↔', "<->"),
    ('⇐', "<="),
    ('⇒', "=>"),
    ('⇔', "<=>"),
];

/// Returns whether `ch` can be left out without the text losing a letter: it is a combining mark of Latin, Greek or
/// Cyrillic, a format character or a variation selector.
fn is_invisible(ch: char) -> bool {
    matches!(ch,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{FEFF}'
        | '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{E0100}'..='\u{E01EF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_approximation_is_printable_ascii() {
        let mut count = 0;
        for ch in ('\u{80}'..=char::MAX).filter(|ch| !ch.is_ascii()) {
            let Some(text) = approximation(ch) else { continue };
            assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{ch:?}: {text:?}");
            count += 1;
        }
        assert!(count > 120_000, "{count}");
    }

    #[test]
    fn what_people_expect() {
        let of = |text: &str| -> String {
            text.chars()
                .map(|ch| if ch.is_ascii() { ch.to_string().into() } else { approximation(ch).unwrap() })
                .collect()
        };
        for (text, expected) in [
            ("Łódź", "Lodz"),
            ("“5 €” – naïve…", "\"5 EUR\" - naive..."),
            ("«©Æß»", "<<(C)AEss>>"),
            ("½ × ½ = ¼", " 1/2  x  1/2  =  1/4 "),
            ("1⅟2", "1 1/2"),
            ("①Ⓐ", "(1)(A)"),
            ("e\u{301}\u{200B}", "e"),
            ("Привет, Ελλάδα", "Privet, Ellada"),
        ] {
            assert_eq!(of(text), expected);
        }
        // Private use, a noncharacter, an unassigned character.
        for ch in ['\u{E000}', '\u{FFFF}', '\u{378}', '\u{FFFD}'] {
            assert!(matches!(approximation(ch).as_deref(), None | Some("?")), "{ch:?}");
        }
    }
}
