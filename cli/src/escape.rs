//! Makes text safe to print: file names, labels and tables may contain anything, but no control character in them may
//! reach a terminal.

/// Returns `text` with every character escaped that a terminal might obey or cannot show, including direction marks.
/// Quotes and backslashes stay as they are.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive(['\\', '"', '\'']) {
        let rest = part.trim_end_matches(['\\', '"', '\'']);
        shown.extend(rest.escape_debug());
        shown.push_str(&part[rest.len()..]);
    }
    shown
}

/// Returns `lines` with every character escaped that a terminal obeys, except newlines. For whole lines, into which the
/// names of a user's tables and codecs may have been inserted anywhere.
///
/// Text that is [`printable`] already does not change. U+200E stays too: charts put it after letters that run from right
/// to left, and it reorders nothing.
pub(crate) fn harmless(lines: &str) -> String {
    let is_obeyed = |ch: char| {
        (ch.is_control() && ch != '\n')
            || matches!(ch, '\u{61C}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(lines.len());
    for ch in lines.chars() {
        if is_obeyed(ch) { shown.extend(ch.escape_debug()) } else { shown.push(ch) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(printable("a \"b\" c:\\d\u{1B}[31m\n\u{202E}é"), "a \"b\" c:\\d\\u{1b}[31m\\n\\u{202e}é");
    }
}
