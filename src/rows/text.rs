//! What to do with control characters and newlines in the text of a field.

use crate::text::controls::OnControl;
use crate::text::eol::OnNewlineInRecord;

/// The choices for characters that other programs may reject.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextPolicy {
    pub(super) controls: OnControl,
    pub(super) newlines: OnNewlineInRecord,
}

/// A character that the policy does not allow.
pub(super) struct Refused {
    pub(super) ch: char,
    pub(super) is_newline: bool,
}

/// How many characters were changed.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Changed {
    pub(super) controls: u64,
    pub(super) newlines: u64,
}

impl TextPolicy {
    /// Whether all text stays as it is.
    pub(super) fn keeps_all(&self) -> bool {
        self.controls == OnControl::Keep && self.newlines == OnNewlineInRecord::Keep
    }

    /// Returns `text` with the policy applied to it, in `room` if that changes it.
    pub(super) fn apply<'t>(
        &self,
        text: &'t str,
        room: &'t mut String,
        changed: &mut Changed,
    ) -> Result<&'t str, Refused> {
        let is_special = |ch: char| ch.is_control() || matches!(ch, '\u{FFFE}' | '\u{FFFF}');
        if !text.contains(is_special) {
            return Ok(text);
        }
        room.clear();
        for ch in text.chars() {
            let is_newline = matches!(ch, '\n' | '\r' | '\u{85}');
            let instead = match is_newline {
                true => self.newline(ch),
                false if is_special(ch) => self.control(ch),
                false => Some(Some(ch)),
            };
            let instead = instead.ok_or(Refused { ch, is_newline })?;
            let count = if is_newline { &mut changed.newlines } else { &mut changed.controls };
            *count += u64::from(instead != Some(ch));
            room.extend(instead);
        }
        Ok(room)
    }

    /// Returns what to write for a newline; `None` if it is an error.
    fn newline(&self, ch: char) -> Option<Option<char>> {
        match self.newlines {
            OnNewlineInRecord::Keep => Some(Some(ch)),
            OnNewlineInRecord::Space => Some(Some(' ')),
            _ => None,
        }
    }

    /// Returns what to write for a control character that is not a newline, or for a noncharacter; `None` if it is an error.
    fn control(&self, ch: char) -> Option<Option<char>> {
        let is_noncharacter = !ch.is_control();
        let is_refused_by_xml = is_noncharacter || ch < ' ' && ch != '\t';
        let is_control = !is_noncharacter && ch != '\t';
        match self.controls {
            OnControl::Xml => Some(Some(if is_refused_by_xml { ' ' } else { ch })),
            OnControl::Space if is_control => Some(Some(' ')),
            OnControl::Drop if is_control => Some(None),
            OnControl::Error if is_control => None,
            _ => Some(Some(ch)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(controls: OnControl, newlines: OnNewlineInRecord, text: &str) -> Option<String> {
        let (mut room, mut changed) = (String::new(), Changed::default());
        TextPolicy { controls, newlines }.apply(text, &mut room, &mut changed).ok().map(str::to_owned)
    }

    #[test]
    fn controls_and_newlines() {
        use {OnControl as Control, OnNewlineInRecord as Newline};
        let text = "a\0\tb\n\u{85}\u{9F}\u{7F}\u{FFFE}é";
        assert_eq!(applied(Control::Keep, Newline::Keep, text).as_deref(), Some(text));
        let spaced = applied(Control::Space, Newline::Space, text);
        assert_eq!(spaced.as_deref(), Some("a \tb    \u{FFFE}é"));
        assert_eq!(applied(Control::Drop, Newline::Keep, text).as_deref(), Some("a\tb\n\u{85}\u{FFFE}é"));
        assert_eq!(applied(Control::Xml, Newline::Keep, text).as_deref(), Some("a \tb\n\u{85}\u{9F}\u{7F} é"));
        assert_eq!(applied(Control::Error, Newline::Keep, text), None);
        assert_eq!(applied(Control::Keep, Newline::Error, text), None);
        assert_eq!(applied(Control::Error, Newline::Error, "\ta\u{FFFE}").as_deref(), Some("\ta\u{FFFE}"));
    }
}
