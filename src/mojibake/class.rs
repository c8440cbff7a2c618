//! Estimates how likely it is that two characters are adjacent, and which characters damaged text may have been. The
//! kinds of characters follow those of ftfy (see NOTICE); the weights do not.

/// The kinds of characters, as far as it matters what is beside them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Class {
    /// White space, digits, ASCII punctuation, and what no page has.
    Other,
    /// `a` to `z`.
    AsciiLower,
    /// `A` to `Z`.
    AsciiUpper,
    /// Other small letters.
    Lower,
    /// Other capital letters.
    Upper,
    /// Characters that may be anywhere: dashes, the ellipsis, the apostrophe, the no-break space.
    Common,
    /// Characters that are hardly ever next to a letter, such as `¤`, `¬` or `†`.
    Rare,
    /// Mathematical signs, fractions and superscripts.
    Math,
    Currency,
    /// Characters that precede a word, such as `¿` and `“`.
    Open,
    /// Characters that follow a word, such as `»` and `™`.
    Close,
    /// Lines, boxes and blocks.
    Box,
    /// C1 controls.
    Control,
}

use Class::{
    AsciiLower, AsciiUpper, Box as Boxes, Close, Common, Control, Currency, Lower, Math, Open, Other, Rare, Upper,
};

/// Returns the kind of a character.
pub(super) fn class(ch: char) -> Class {
    match ch {
        'a'..='z' => AsciiLower,
        'A'..='Z' => AsciiUpper,
        '\0'..='\u{7F}' => Other,
        '\u{80}'..='\u{9F}' => Control,
        '\u{A0}' | '\u{AD}' | '·' | '–' | '—' | '―' | '…' | '’' | '”' => Common,
        '¤' | '¦' | '¨' | '¬' | '¯' | '¸' | 'ƒ' | 'ˆ' | '˜' | 'ˇ' | '˘' | '˛' | '˙' | '˝' | '†' | '‡' | '‰' | '⌐'
        | '◊' | '§' | '¶' | '‗' => Rare,
        '²'
        | '³'
        | '¹'
        | '±'
        | '¼'
        | '½'
        | '¾'
        | '×'
        | '÷'
        | 'µ'
        | '⁄'
        | '№'
        | '\u{2200}'..='\u{22FF}'
        | '⌠'
        | '⌡'
        | 'ⁿ' => Math,
        '¢' | '£' | '¥' | '€' | '₧' => Currency,
        '¡' | '«' | '¿' | '©' | '΄' | '΅' | '‘' | '‚' | '“' | '„' | '•' | '‹' | '\u{F8FF}' => Open,
        '®' | '»' | '›' | '™' | '°' | '´' | 'º' | 'ª' => Close,
        '\u{2500}'..='\u{25FF}' => Boxes,
        '\u{FFFD}' => Rare,
        _ if ch.is_lowercase() => Lower,
        _ if ch.is_uppercase() => Upper,
        _ => Other,
    }
}

/// How unlikely it is that the second stands right after the first in text that is not damaged: 0 to 2.
pub(super) fn unlikely(first: Class, second: Class) -> u32 {
    match (first, second) {
        (_, Control) | (Control, _) => 2,
        (AsciiLower | Lower, Upper) | (Lower, AsciiUpper) => 2,
        (Upper, Rare | Math) | (Lower, Rare | Currency) | (Rare, Rare | Upper | Math | Currency) => 2,
        (Upper, Currency | Open | Close) | (Lower, Math) => 1,
        (AsciiLower, Rare) => 2,
        (AsciiLower | AsciiUpper, Math | Currency | Open | Boxes) | (AsciiUpper, Rare) => 1,
        (Rare | Math | Close, AsciiLower | AsciiUpper | Lower | Upper) => 1,
        (Rare, Open | Close | Boxes) | (Open | Close | Currency | Math, Rare) => 1,
        (Math, Math | Currency | Open | Close) => 1,
        (Currency | Open, AsciiLower | Lower) => 1,
        (Currency, Currency | Close | Math | Open) => 1,
        (Open, Open | Close | Math) | (Close, Open | Currency | Math) => 1,
        (Boxes, AsciiLower | AsciiUpper) => 1,
        (Boxes, Lower | Upper | Rare | Math | Currency | Open | Close) => 2,
        (Lower | Upper | Currency | Close, Boxes) => 2,
        _ => 0,
    }
}

/// The scripts of what damaged text can have been.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Script {
    /// Punctuation, symbols, marks: may be beside any script.
    Neutral,
    Latin,
    Greek,
    Cyrillic,
    /// Other scripts, which are identified by their Unicode block.
    Block(u8),
    /// Chinese, Japanese and Korean.
    Han,
}

/// Returns the script of `ch`, and whether it is seldom used; `None` if text that someone reads hardly ever has it.
pub(super) fn plausible(ch: char) -> Option<(Script, bool)> {
    let (script, is_rare) = match u32::from(ch) {
        0x80..=0xBF => (Script::Neutral, false),
        0xC0..=0x17F => (Script::Latin, false),
        0x192 | 0x1A0..=0x1A1 | 0x1AF..=0x1B0 | 0x218..=0x21B => (Script::Latin, false),
        0x1CD..=0x1DC | 0x259 => (Script::Latin, true),
        0x2BB..=0x2BD => (Script::Neutral, false),
        0x2C6 | 0x2C7 | 0x2D8..=0x2DD => (Script::Neutral, true),
        0x300..=0x36F => (Script::Neutral, false),
        0x384..=0x3CE => (Script::Greek, false),
        0x400..=0x45F | 0x490..=0x491 => (Script::Cyrillic, false),
        0x492..=0x4E9 => (Script::Cyrillic, true),
        0x531..=0x556 | 0x561..=0x587 | 0x589 => (Script::Block(1), false),
        0x5B0..=0x5C7 | 0x5D0..=0x5EA | 0x5F0..=0x5F4 => (Script::Block(2), false),
        0x60C..=0x6D5 | 0x6F0..=0x6F9 => (Script::Block(3), false),
        0x900..=0x10FF | 0x1780..=0x17FF => (Script::Block(4 + (u32::from(ch) >> 7) as u8), false),
        0x1200..=0x137F => (Script::Block(4), false),
        0x1E00..=0x1EFF => (Script::Latin, false),
        0x1F00..=0x1FFF => (Script::Greek, true),
        0x2000..=0x206F | 0x20A0..=0x20BF | 0x2100..=0x214F | 0x2190..=0x23FF | 0x2460..=0x2BFF => {
            (Script::Neutral, false)
        }
        0x3000..=0x303F | 0xFF01..=0xFF0F | 0xFF1A..=0xFF20 => (Script::Neutral, false),
        0x3040..=0x9FFF | 0xAC00..=0xD7A3 | 0xFF00..=0xFFEF => (Script::Han, false),
        0x1100..=0x11FF | 0xF900..=0xFAFF => (Script::Han, true),
        0xFB00..=0xFB06 => (Script::Latin, false),
        0xFB50..=0xFDFF | 0xFE70..=0xFEFE => (Script::Block(3), true),
        0xFE00..=0xFE0F | 0xFEFF | 0xFFFD | 0x1F000..=0x1FAFF => (Script::Neutral, false),
        0x1D400..=0x1D7FF | 0xE0020..=0xE007F => (Script::Neutral, true),
        0x20000..=0x2FA1F => (Script::Han, true),
        _ => return None,
    };
    Some((script, is_rare))
}
