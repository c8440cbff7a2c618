//! How a chart shows a character: the character itself if it can be printed, otherwise its name; and how many columns
//! that takes.

/// The text for a character, and its width in terminal columns.
pub(crate) struct Glyph {
    pub(crate) text: String,
    pub(crate) width: usize,
}

impl Glyph {
    /// Returns an ASCII word as a glyph.
    pub(crate) fn named(name: &str) -> Self {
        Glyph { text: name.to_owned(), width: name.len() }
    }
}

/// Returns the glyph for a text.
pub(crate) fn glyph(text: &str) -> Glyph {
    let mut chars = text.chars();
    let (Some(first), rest) = (chars.next(), chars.as_str()) else { return Glyph::named("") };
    if rest.is_empty() {
        return of_char(first);
    }
    // A base with combining characters is one glyph. Other texts may have any length, and are cut.
    if rest.chars().all(is_combining) && name(first).is_none() && !is_combining(first) {
        return Glyph { text: text.to_owned(), width: width(first) };
    }
    let first = of_char(first);
    Glyph { text: format!("{}…", first.text), width: first.width + 1 }
}

fn of_char(ch: char) -> Glyph {
    if let Some(name) = name(ch) {
        return Glyph::named(name);
    }
    if is_combining(ch) {
        return Glyph { text: format!("\u{25CC}{ch}"), width: 1 };
    }
    if is_right_to_left(ch) {
        // Otherwise a terminal would reverse the whole row.
        return Glyph { text: format!("{ch}\u{200E}"), width: 1 };
    }
    Glyph { text: ch.to_string(), width: width(ch) }
}

/// The kind of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Letter,
    /// Any number.
    Digit,
    Sign,
    Blank,
    /// Including format characters.
    Control,
    Combining,
    Private,
    Lead,
    Shift,
    None,
}

/// Returns the kind of a text, which is that of its first character.
pub(crate) fn class(text: &str) -> Class {
    let Some(first) = text.chars().next() else { return Class::None };
    match name(first) {
        Some("SP" | "NBSP" | "IDSP") => Class::Blank,
        Some("priv") => Class::Private,
        // All white space except newlines is blank, regardless of its width.
        Some("?") if first.is_whitespace() => Class::Blank,
        Some(_) => Class::Control,
        None if is_combining(first) => Class::Combining,
        None if first.is_numeric() => Class::Digit,
        None if first.is_alphabetic() => Class::Letter,
        None => Class::Sign,
    }
}

/// Returns whether a text is one of IBM's thirteen variant characters: the characters of programming languages that
/// EBCDIC pages have at different bytes.
pub(crate) fn is_variant(text: &str) -> bool {
    matches!(text, "\\" | "[" | "]" | "{" | "}" | "^" | "~" | "!" | "#" | "|" | "`" | "$" | "@")
}

/// Returns the name of a shift code. The shift codes of EBCDIC and ASCII are the same bytes.
pub(crate) fn shift(byte: u8) -> &'static str {
    match byte {
        0x0E | 0x0F => C0[byte as usize],
        0x1B => "ESC",
        _ => "shft",
    }
}

/// The names of U+0000 to U+0020.
const C0: [&str; 33] = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI", "DLE",
    "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US", "SP",
];

/// The names of U+007F to U+00A0.
const C1: [&str; 34] = [
    "DEL", "PAD", "HOP", "BPH", "NBH", "IND", "NEL", "SSA", "ESA", "HTS", "HTJ", "VTS", "PLD", "PLU", "RI", "SS2",
    "SS3", "DCS", "PU1", "PU2", "STS", "CCH", "MW", "SPA", "EPA", "SOS", "SGC", "SCI", "CSI", "ST", "OSC", "PM", "APC",
    "NBSP",
];

/// Returns the name of a character that has no glyph, or none that differs from a space.
fn name(ch: char) -> Option<&'static str> {
    Some(match ch {
        '\0'..=' ' => C0[ch as usize],
        '\u{7F}'..='\u{A0}' => C1[ch as usize - 0x7F],
        '\u{AD}' => "SHY",
        '\u{61C}' => "ALM",
        '\u{200B}' => "ZWSP",
        '\u{200C}' => "ZWNJ",
        '\u{200D}' => "ZWJ",
        '\u{200E}' => "LRM",
        '\u{200F}' => "RLM",
        '\u{202A}' => "LRE",
        '\u{202B}' => "RLE",
        '\u{202C}' => "PDF",
        '\u{202D}' => "LRO",
        '\u{202E}' => "RLO",
        '\u{2060}' => "WJ",
        '\u{3000}' => "IDSP",
        '\u{FEFF}' => "BOM",
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' => "priv",
        _ if is_escaped(ch) && !is_combining(ch) => "?",
        _ => return None,
    })
}

/// Returns whether the standard library escapes the character, for another reason than Rust's syntax. The standard
/// library counts U+FF9E and U+FF9F as combining characters, but they stand alone.
fn is_escaped(ch: char) -> bool {
    ch.escape_debug().len() > 1 && !matches!(ch, '\u{FF9E}' | '\u{FF9F}' | '\\' | '\'' | '"')
}

/// Returns whether the character combines with the one before it: such a character is escaped only at the beginning of
/// a text.
fn is_combining(ch: char) -> bool {
    is_escaped(ch) && ['a', ch].iter().collect::<String>().escape_debug().count() == 2
}

fn is_right_to_left(ch: char) -> bool {
    matches!(ch, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// Returns the width in columns: two for characters that are wide or full-width by East Asian Width (Unicode Standard
/// Annex #11), one for all others.
fn width(ch: char) -> usize {
    let wide = matches!(ch,
        '\u{1100}'..='\u{115F}' | '\u{2329}' | '\u{232A}' | '\u{2E80}'..='\u{303E}' | '\u{3041}'..='\u{A4CF}'
        | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FE10}'..='\u{FE19}'
        | '\u{FE30}'..='\u{FE6F}' | '\u{FF01}'..='\u{FF60}' | '\u{FFE0}'..='\u{FFE6}' | '\u{1F300}'..='\u{1F64F}'
        | '\u{1F900}'..='\u{1F9FF}' | '\u{20000}'..='\u{3FFFD}');
    1 + usize::from(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        for (texts, expected) in [
            ("AéøßЖאخアｱ漢ªก", Class::Letter),
            ("07²½٣１Ⅷ", Class::Digit),
            ("%[¬€\\|→\u{25CC}", Class::Sign),
            (" \u{A0}\u{3000}\u{2003}", Class::Blank),
            ("\0\u{15}\u{7F}\u{85}\u{AD}\u{200D}", Class::Control),
            ("\u{301}\u{E31}\u{64B}", Class::Combining),
            ("\u{E000}\u{F8FF}", Class::Private),
        ] {
            for ch in texts.chars() {
                assert_eq!(class(&ch.to_string()), expected, "{ch:?}");
            }
        }
        assert_eq!((class(""), class("か\u{309A}")), (Class::None, Class::Letter));
    }

    #[test]
    fn glyphs_and_their_widths() {
        for (text, shown, width) in [
            ("A", "A", 1),
            ("\\", "\\", 1),
            ("\"", "\"", 1),
            ("\0", "NUL", 3),
            (" ", "SP", 2),
            ("\u{85}", "NEL", 3),
            ("\u{9F}", "APC", 3),
            ("\u{A0}", "NBSP", 4),
            ("\u{301}", "\u{25CC}\u{301}", 1),
            ("\u{E31}", "\u{25CC}\u{E31}", 1),
            ("\u{E33}", "\u{E33}", 1),
            ("ﾞ", "ﾞ", 1),
            ("漢", "漢", 2),
            ("Ａ", "Ａ", 2),
            ("ｱ", "ｱ", 1),
            ("か\u{309A}", "か\u{309A}", 2),
            ("ﾊﾟ", "ﾊ…", 2),
            ("א", "א\u{200E}", 1),
            ("\u{E000}", "priv", 4),
            ("\u{378}", "?", 1),
            ("😀", "😀", 2),
        ] {
            let found = glyph(text);
            assert_eq!((&*found.text, found.width), (shown, width), "{text:?}");
        }
    }
}
