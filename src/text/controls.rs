//! Handles control characters, which some databases, parsers and terminals reject.
//!
//! They are C0 except TAB, LF and CR; DEL; and C1 except NEL. (Line endings are handled in `eol.rs`.) They include
//! U+0000 (low values) and U+001A, which EBCDIC has at 3F and which marks a character that an earlier conversion lost.

use super::{Piece, Stage, Text, keep};
use crate::words::words;
use std::ops::Range;

/// What to do with control characters in the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnControl {
    /// Keeps them.
    #[default]
    Keep,
    /// Replaces each with a space.
    Space,
    /// Drops them.
    Drop,
    /// Fails at the first one.
    Error,
    /// Replaces those that XML 1.0 does not allow (production 2: C0 except TAB, LF and CR), and U+FFFE and U+FFFF, with
    /// spaces.
    Xml,
}

words! { OnControl { Keep: "keep", Space: "space", Drop: "drop", Error: "error", Xml: "xml" } }

impl OnControl {
    /// Returns the stage for this policy, or `None` if there is nothing to do.
    pub(crate) fn stage(self) -> Option<ControlStage> {
        (self != OnControl::Keep).then_some(ControlStage { policy: self })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ControlStage {
    policy: OnControl,
}

impl ControlStage {
    /// Returns the control character at the front of `text`, as the policy defines them.
    fn control(&self, text: &[u8]) -> Option<char> {
        let ch = match *text {
            [byte @ (0x00..=0x08 | 0x0B | 0x0C | 0x0E..=0x1F), ..] => char::from(byte),
            [0x7F, ..] if self.policy != OnControl::Xml => '\u{7F}',
            [0xC2, byte @ (0x80..=0x84 | 0x86..=0x9F), ..] if self.policy != OnControl::Xml => char::from(byte),
            [0xEF, 0xBF, 0xBE, ..] if self.policy == OnControl::Xml => '\u{FFFE}',
            [0xEF, 0xBF, 0xBF, ..] if self.policy == OnControl::Xml => '\u{FFFF}',
            _ => return None,
        };
        Some(ch)
    }
}

impl Stage for ControlStage {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let bytes = text.as_bytes();
        let (mut kept, mut index) = (0, 0);
        while index < bytes.len() {
            // Blocks without a suspicious byte are skipped in one step.
            let block = &bytes[index..bytes.len().min(index + 64)];
            let suspicious =
                block.iter().fold(false, |any, &byte| any | (byte < 0x20) | matches!(byte, 0x7F | 0xC2 | 0xEF));
            if !suspicious {
                index += block.len();
                continue;
            }
            let end = index + block.len();
            while index < end {
                let Some(ch) = self.control(&bytes[index..]) else {
                    index += 1;
                    continue;
                };
                keep(out, at.start + kept..at.start + index);
                out.push(Piece { at: at.start + index, text: Text::Control(ch, None) });
                if matches!(self.policy, OnControl::Space | OnControl::Xml) {
                    out.push(Piece { at: at.start + index, text: Text::New(" ") });
                }
                index += ch.len_utf8();
                kept = index;
            }
        }
        keep(out, at.start + kept..at.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(policy: OnControl, text: &str) -> (String, String) {
        let mut pieces = Vec::new();
        ControlStage { policy }.cut(text, 7..7 + text.len(), &mut pieces);
        let (mut kept, mut found) = (String::new(), String::new());
        for piece in pieces {
            match piece.text {
                Text::Kept(len) => kept.push_str(&text[piece.at - 7..][..len]),
                Text::New(new) => kept.push_str(new),
                Text::Control(ch, _) => {
                    assert!(text[piece.at - 7..].starts_with(ch));
                    found.push(ch);
                }
                _ => {
                    unreachable!("this stage does not produce it")
                }
            }
        }
        (kept, found)
    }

    #[test]
    fn every_character_by_every_policy() {
        let all: String = (0..0x300).chain(0xFFF0..0x1_0010).filter_map(char::from_u32).collect();
        let is_line = |ch: char| matches!(ch, '\t' | '\n' | '\r' | '\u{85}');
        let is_xml =
            |ch: char| matches!(ch, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
        for (policy, is_removed, leaves_blank) in [
            (OnControl::Space, &(|ch: char| ch.is_control() && !is_line(ch)) as &dyn Fn(char) -> bool, true),
            (OnControl::Drop, &|ch: char| ch.is_control() && !is_line(ch), false),
            (OnControl::Xml, &|ch: char| !is_xml(ch), true),
        ] {
            let (kept, found) = through(policy, &all);
            let expected: String = all
                .chars()
                .filter_map(|ch| if !is_removed(ch) { Some(ch) } else { leaves_blank.then_some(' ') })
                .collect();
            assert_eq!(kept, expected, "{policy:?}");
            assert_eq!(found, all.chars().filter(|ch| is_removed(*ch)).collect::<String>(), "{policy:?}");
        }
    }
}
