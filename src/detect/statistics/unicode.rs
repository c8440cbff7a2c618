//! Recognises the Unicode encoding forms without a byte order mark, by the structure of their code units.

use super::guess::{Looks, MINIMUM};

/// The result of decoding a window as UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Utf8 {
    /// Well-formed, with some characters outside ASCII.
    Text,
    /// Only ASCII, so there is nothing to guess.
    Ascii,
    /// Malformed.
    Not,
}

/// Examines the window as UTF-8. A sequence that the end of the window cuts is not an error unless the input ends there
/// too.
pub(super) fn utf8(window: &[u8], complete: bool) -> Utf8 {
    match std::str::from_utf8(window) {
        _ if window.is_ascii() => Utf8::Ascii,
        Ok(_) => Utf8::Text,
        Err(error) if error.error_len().is_none() => {
            // A truncated sequence is accepted if the input continues, or if enough well-formed sequences came before
            // it.
            let non_ascii = window[..error.valid_up_to()].iter().filter(|byte| !byte.is_ascii()).count();
            if non_ascii >= if complete { 8 } else { 1 } { Utf8::Text } else { Utf8::Not }
        }
        Err(_) => Utf8::Not,
    }
}

/// Returns whether the window is UTF-8 mixed with something else: at least twice as many valid sequences of several
/// bytes as other bytes outside ASCII, or at least a fifth of the lines that are not ASCII are valid. In text in a
/// legacy charset, few bytes form a valid sequence by chance, and hardly ever all of a line.
pub(super) fn is_mixed(window: &[u8]) -> bool {
    let [mut valid_lines, mut invalid_lines] = [0usize; 2];
    for line in window.split(|byte| *byte == b'\n').filter(|line| !line.is_ascii()) {
        match str::from_utf8(line) {
            Ok(_) => valid_lines += 1,
            Err(_) => invalid_lines += 1,
        }
    }
    if valid_lines >= MIN_VALID_LINES && valid_lines * 4 >= invalid_lines {
        return true;
    }
    let [mut valid, mut invalid] = [0usize; 2];
    for chunk in window.utf8_chunks() {
        valid += chunk.valid().chars().filter(|ch| !ch.is_ascii()).count();
        invalid += chunk.invalid().len();
    }
    valid >= 2 * invalid || window.len() < MINIMUM && valid >= invalid
}

/// The fewest lines of valid UTF-8 from which a window is recognised that is mixed line by line.
const MIN_VALID_LINES: usize = 2;

/// The fewest code units from which UTF-16 or UTF-32 is recognised. Text such as `b");"` is too short to tell.
const MIN_UNITS: usize = 6;

/// Recognises UTF-32, and UTF-16 in which zero bytes show the byte order. That includes every script except those of
/// East Asia.
pub(super) fn wide(window: &[u8]) -> Option<Looks> {
    let utf32 = |unit: fn([u8; 4]) -> u32| {
        let mut units = 0;
        let mut printable = 0;
        for bytes in window.as_chunks::<4>().0 {
            let ch = char::from_u32(unit(*bytes))?;
            units += 1;
            printable += usize::from(ch == '\n' || ch == '\r' || ch == '\t' || (ch >= ' ' && !is_strange(ch)));
        }
        (units >= MIN_UNITS && printable * 20 >= units * 19).then_some(())
    };
    if utf32(u32::from_be_bytes).is_some() {
        return Some(Looks::Utf32Be);
    }
    if utf32(u32::from_le_bytes).is_some() {
        return Some(Looks::Utf32Le);
    }
    // Basic Latin and spaces have a zero byte. In the other half of the code units there are almost none.
    let mut zeros = [0usize; 2];
    for pair in window.as_chunks::<2>().0 {
        zeros[0] += usize::from(pair[0] == 0);
        zeros[1] += usize::from(pair[1] == 0);
    }
    let units = window.len() / 2;
    let (order, many, few) = match zeros[0] > zeros[1] {
        true => (Order::Big, zeros[0], zeros[1]),
        false => (Order::Little, zeros[1], zeros[0]),
    };
    if units < MIN_UNITS || many * 10 < units || few * 50 > many {
        return None;
    }
    let text = Units::count(window, order)?;
    // Apart from Basic Latin, one script, which occupies one or two blocks of 256 characters.
    (text.printable * 50 >= units * 49 && text.alphabetic * 10 >= units * 9).then_some(order.looks())
}

/// Recognises East Asian UTF-16, in which zero bytes are rare: spaces and marks (3000 to 3002) among ideographs, kana
/// and hangul.
pub(super) fn cjk_utf16(window: &[u8]) -> Option<Looks> {
    let units = window.len() / 2;
    if units < 4 * MIN_UNITS {
        return None;
    }
    [Order::Little, Order::Big].into_iter().find_map(|order| {
        let text = Units::count(window, order)?;
        let is_text = text.printable == units && text.marks * 100 >= units;
        (is_text && text.asian * 20 >= units * 19).then_some(order.looks())
    })
}

#[derive(Clone, Copy)]
enum Order {
    Big,
    Little,
}

impl Order {
    fn looks(self) -> Looks {
        match self {
            Order::Big => Looks::Utf16Be,
            Order::Little => Looks::Utf16Le,
        }
    }
}

/// Counts of the code units in a window.
struct Units {
    printable: usize,
    /// In Basic Latin, or in one of the two commonest blocks of 256 below 3000 (or of the surrogates).
    alphabetic: usize,
    /// In Basic Latin or in the East Asian blocks.
    asian: usize,
    /// Spaces, newlines and East Asian marks.
    marks: usize,
}

impl Units {
    /// Counts the code units. `None`: a surrogate is unpaired.
    fn count(window: &[u8], order: Order) -> Option<Units> {
        let mut found = Units { printable: 0, alphabetic: 0, asian: 0, marks: 0 };
        let mut blocks = [0usize; 256];
        let mut high_surrogate = false;
        for bytes in window.as_chunks::<2>().0 {
            let unit = match order {
                Order::Big => u16::from_be_bytes(*bytes),
                Order::Little => u16::from_le_bytes(*bytes),
            };
            if high_surrogate != matches!(unit, 0xDC00..=0xDFFF) {
                return None;
            }
            high_surrogate = matches!(unit, 0xD800..=0xDBFF);
            let ch = char::from_u32(unit.into()).unwrap_or('a');
            let is_blank = matches!(ch, '\t' | '\n' | '\r' | ' ');
            found.printable += usize::from(is_blank || !is_strange(ch));
            found.marks += usize::from(is_blank || matches!(ch, '\u{3000}'..='\u{3002}'));
            found.asian += usize::from(matches!(unit,
                0x20..=0x7E | 9 | 10 | 13 | 0x3000..=0x30FF | 0x4E00..=0x9FFF | 0xAC00..=0xDFFF | 0xFF00..=0xFFEF));
            blocks[usize::from(unit >> 8)] += 1;
        }
        let mut others = blocks;
        let latin = std::mem::take(&mut others[0]);
        others[0x30..0xD8].fill(0);
        let [most, second] = others
            .into_iter()
            .fold([0; 2], |[most, second], count| if count > most { [count, most] } else { [most, second.max(count)] });
        found.alphabetic = latin + blocks[0x20].min(latin) + most + second;
        Some(found)
    }
}

/// Returns whether `ch` is a control, a private-use character or a noncharacter, which text hardly contains.
fn is_strange(ch: char) -> bool {
    ch.is_control()
        || matches!(ch, '\u{E000}'..='\u{F8FF}' | '\u{FFF0}'..='\u{FFFC}' | '\u{FFFE}' | '\u{FFFF}')
        || ch > '\u{E0000}'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two valid lines are enough if they are at least a fifth of the lines that are not ASCII.
    #[test]
    fn valid_and_invalid_lines() {
        let window = |valid: usize, invalid: usize| {
            [&b"plain\n".repeat(30)[..], &"\u{E9}\n".repeat(valid).into_bytes(), &b"\xE9\xE9\xE9\xE9\n".repeat(invalid)]
                .concat()
        };
        for (valid, invalid, expected) in
            [(1, 4, false), (2, 8, true), (2, 9, false), (3, 12, true), (3, 13, false), (10, 40, true), (10, 41, false)]
        {
            assert_eq!(is_mixed(&window(valid, invalid)), expected, "{valid} and {invalid}");
        }
    }
}
