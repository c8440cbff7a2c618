//! Ends of line: CRLF, CR NEL, NEL, CR and LF, each one end of line, become the one that is asked for.
//!
//! (XML 1.1 §2.11 has the same list, with U+2028, which is left alone here.)

use super::{Piece, Stage, Text};
use crate::words::words;
use std::ops::Range;

/// What an end of line becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Eol {
    /// Kept, but that U+0085 becomes U+000A where EBCDIC XML goes to a charset that is not EBCDIC.
    #[default]
    Auto,
    /// Kept.
    Keep,
    /// U+000A.
    Lf,
    /// U+000D U+000A.
    Crlf,
    /// U+0085.
    Nel,
}

words! { Eol { Auto: "auto", Keep: "keep", Lf: "lf", Crlf: "crlf", Nel: "nel" } }

impl Eol {
    /// The stage that does it; `None` where there is nothing to do.
    pub(crate) fn stage(self) -> Option<EolStage> {
        match self {
            Eol::Auto | Eol::Keep => None,
            eol => Some(EolStage::new(Text::New(eol.text()))),
        }
    }

    /// What ends a line where one is put in.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Eol::Auto | Eol::Keep | Eol::Lf => "\n",
            Eol::Crlf => "\r\n",
            Eol::Nel => "\u{85}",
        }
    }
}

/// Makes ends of line alike.
#[derive(Clone, Debug)]
pub(crate) struct EolStage {
    /// What each becomes.
    eol: Text,
    /// The text so far ends in a CR, which was answered for; an LF or NEL that follows belongs to it.
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
        let keep = |out: &mut Vec<Piece>, range: Range<usize>| {
            if !range.is_empty() {
                out.push(Piece { at: at.start + range.start, text: Text::Kept(range.len()) });
            }
        };
        while index < bytes.len() {
            // U+0085 is C2 85; no other character has C2 before 85.
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
            keep(out, kept..index);
            if cr || !self.after_cr {
                out.push(Piece { at: at.start + index, text: self.eol.clone() });
            }
            self.after_cr = cr;
            index += len;
            kept = index;
        }
        keep(out, kept..bytes.len());
    }

    fn inserted(&mut self) {
        self.after_cr = false;
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn is_between(&self) -> bool {
        !self.after_cr
    }
}

/// What becomes of newlines inside a record: U+000A, U+000D and U+0085 in its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum OnNewlineInRecord {
    /// They are kept, and where records become lines there are more lines than records.
    Keep,
    /// Each becomes a blank, and is counted.
    Space,
    /// The first one is an error.
    Error,
}

words! { OnNewlineInRecord { Keep: "keep", Space: "space", Error: "error" } }

impl OnNewlineInRecord {
    /// The stage that does it; `None` where there is nothing to do.
    pub(crate) fn stage(self) -> Option<InRecordStage> {
        match self {
            OnNewlineInRecord::Keep => None,
            OnNewlineInRecord::Space => Some(InRecordStage { puts_blanks: true }),
            OnNewlineInRecord::Error => Some(InRecordStage { puts_blanks: false }),
        }
    }
}

/// Deals with newlines inside records.
#[derive(Clone, Debug)]
pub(crate) struct InRecordStage {
    /// A blank takes the place of each.
    puts_blanks: bool,
}

impl Stage for InRecordStage {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let mut kept = 0;
        for (index, found) in text.match_indices(['\n', '\r', NEL]) {
            if kept < index {
                out.push(Piece { at: at.start + kept, text: Text::Kept(index - kept) });
            }
            out.extend(found.chars().map(|ch| Piece { at: at.start + index, text: Text::Newline(ch) }));
            if self.puts_blanks {
                out.push(Piece { at: at.start + index, text: Text::New(" ") });
            }
            kept = index + found.len();
        }
        if kept < text.len() {
            out.push(Piece { at: at.start + kept, text: Text::Kept(text.len() - kept) });
        }
    }

    fn inserted(&mut self) {}

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }
}

/// U+0085 read as U+000A, for EBCDIC XML on its way to a charset that is not EBCDIC: XML 1.0 knows no U+0085 as white
/// space, and no parser takes it in a prolog or a tag. Elsewhere in such a document a processor of XML 1.1 would read
/// it so (§2.11).
#[derive(Clone, Debug)]
pub(crate) struct NelAsLf;

impl Stage for NelAsLf {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let mut kept = 0;
        let keep = |out: &mut Vec<Piece>, range: Range<usize>| {
            if !range.is_empty() {
                out.push(Piece { at: at.start + range.start, text: Text::Kept(range.len()) });
            }
        };
        while let Some(index) = text[kept..].find(NEL).map(|found| kept + found) {
            keep(out, kept..index);
            out.push(Piece { at: at.start + index, text: Text::New("\n") });
            kept = index + NEL.len_utf8();
        }
        keep(out, kept..text.len());
    }

    fn inserted(&mut self) {}

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
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
                    Text::End | Text::Put(..) | Text::Control(_) | Text::Newline(_) => {
                        unreachable!("not of this stage")
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
