//! Converts line endings. CRLF, CR NEL, NEL, CR and LF each count as one line ending, and each is replaced with the
//! requested one.
//!
//! (XML 1.1 §2.11 has the same list and U+2028, which is left unchanged here.)

use super::{Piece, Stage, Text, keep};
use crate::words::words;
use std::ops::Range;

/// What to do with line endings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Eol {
    /// Keeps them, except when EBCDIC XML is converted to a charset that is not EBCDIC: then U+0085 becomes U+000A.
    #[default]
    Auto,
    /// Keeps them.
    Keep,
    /// Replaces them with U+000A.
    Lf,
    /// Replaces them with U+000D U+000A.
    Crlf,
    /// Replaces them with U+0085.
    Nel,
}

words! { Eol { Auto: "auto", Keep: "keep", Lf: "lf", Crlf: "crlf", Nel: "nel" } }

impl Eol {
    /// Returns the stage for this convention, or `None` if there is nothing to do.
    pub(crate) fn stage(self) -> Option<EolStage> {
        match self {
            Eol::Auto | Eol::Keep => None,
            eol => Some(EolStage::new(Text::New(eol.text()))),
        }
    }

    /// Returns the line ending to use when one is inserted.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Eol::Auto | Eol::Keep | Eol::Lf => "\n",
            Eol::Crlf => "\r\n",
            Eol::Nel => "\u{85}",
        }
    }
}

/// Makes all line endings the same.
#[derive(Clone, Debug)]
pub(crate) struct EolStage {
    /// The replacement for each line ending.
    eol: Text,
    /// Whether the text so far ends in a CR that has already been replaced. An LF or NEL that follows is part of the
    /// same line ending.
    after_cr: bool,
}

impl EolStage {
    pub(crate) fn new(eol: Text) -> Self {
        EolStage { eol, after_cr: false }
    }
}

impl Stage for EolStage {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let bytes = text.as_bytes();
        let mut kept = 0;
        let mut index = 0;
        while index < bytes.len() {
            // U+0085 is C2 85. In no other character does 85 follow C2.
            let (len, cr) = match bytes[index] {
                b'\r' => (1, true),
                b'\n' => (1, false),
                0xC2 if bytes[index + 1] == 0x85 => (2, false),
                _ => {
                    self.after_cr = false;
                    index += 1;
                    continue;
                }
            };
            keep(out, at.start + kept..at.start + index);
            if cr || !self.after_cr {
                out.push(Piece { at: at.start + index, text: self.eol.clone() });
            }
            self.after_cr = cr;
            index += len;
            kept = index;
        }
        keep(out, at.start + kept..at.end);
    }

    fn inserted(&mut self) {
        self.after_cr = false;
    }

    fn is_between(&self) -> bool {
        !self.after_cr
    }
}

/// What to do with newlines inside a record: U+000A, U+000D and U+0085 in its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum OnNewlineInRecord {
    /// Keeps them. If records become lines, there will be more lines than records.
    Keep,
    /// Replaces each with a space, and counts them.
    Space,
    /// Fails at the first one.
    Error,
}

words! { OnNewlineInRecord { Keep: "keep", Space: "space", Error: "error" } }

impl OnNewlineInRecord {
    /// Returns the stage for this policy, or `None` if there is nothing to do.
    pub(crate) fn stage(self) -> Option<InRecordStage> {
        match self {
            OnNewlineInRecord::Keep => None,
            OnNewlineInRecord::Space => Some(InRecordStage { puts_blanks: true }),
            OnNewlineInRecord::Error => Some(InRecordStage { puts_blanks: false }),
        }
    }
}

/// Handles newlines inside records.
#[derive(Clone, Debug)]
pub(crate) struct InRecordStage {
    /// Whether each newline is replaced with a space.
    puts_blanks: bool,
}

impl Stage for InRecordStage {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let mut kept = 0;
        for (index, found) in text.match_indices(['\n', '\r', NEL]) {
            keep(out, at.start + kept..at.start + index);
            out.extend(found.chars().map(|ch| Piece { at: at.start + index, text: Text::Newline(ch, None) }));
            if self.puts_blanks {
                out.push(Piece { at: at.start + index, text: Text::New(" ") });
            }
            kept = index + found.len();
        }
        keep(out, at.start + kept..at.end);
    }
}

/// Replaces U+0085 with U+000A when EBCDIC XML is converted to a charset that is not EBCDIC. In XML 1.0, U+0085 is not
/// white space, and no parser accepts it in a prolog or a tag. Elsewhere in such a document, an XML 1.1 processor would
/// make the same replacement (§2.11).
#[derive(Clone, Debug)]
pub(crate) struct NelAsLf;

impl Stage for NelAsLf {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let mut kept = 0;
        while let Some(index) = text[kept..].find(NEL).map(|found| kept + found) {
            keep(out, at.start + kept..at.start + index);
            out.push(Piece { at: at.start + index, text: Text::New("\n") });
            kept = index + NEL.len_utf8();
        }
        keep(out, at.start + kept..at.end);
    }
}

const NEL: char = '\u{85}';

#[cfg(test)]
mod tests {
    use super::*;

    fn through(eol: Eol, chunks: &[&str]) -> String {
        let mut stage = eol.stage().unwrap();
        let mut result = String::new();
        for chunk in chunks {
            let mut pieces = Vec::new();
            stage.cut(chunk, 0..chunk.len(), &mut pieces);
            for piece in pieces {
                result.push_str(match piece.text {
                    Text::Kept(len) => &chunk[piece.at..piece.at + len],
                    Text::New(text) => text,
                    _ => {
                        unreachable!("this stage does not produce it")
                    }
                });
            }
        }
        result
    }

    #[test]
    fn each_end_of_line_once() {
        let text = "a\r\nb\r\u{85}c\u{85}d\re\nf\r\rg\n\n\u{85}\r\n\r\nü\u{105}";
        assert_eq!(through(Eol::Lf, &[text]), "a\nb\nc\nd\ne\nf\n\ng\n\n\n\n\nü\u{105}");
        assert_eq!(through(Eol::Crlf, &["a\r", "\nb\r", "c\r", "\u{85}"]), "a\r\nb\r\nc\r\n");
        let chars: Vec<String> = text.chars().map(String::from).collect();
        let cut: Vec<&str> = chars.iter().map(String::as_str).collect();
        for eol in [Eol::Lf, Eol::Crlf, Eol::Nel] {
            assert_eq!(through(eol, &cut), through(eol, &[text]));
        }
    }
}
