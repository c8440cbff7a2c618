//! Text stages: what happens to the text between decoder and encoder.
//!
//! A stage does not rewrite text; it cuts it into [`Piece`]s: stretches that are kept as they are, where they are, and
//! new text put in at a place. So nothing is copied that isn't changed, and every character that reaches the encoder
//! still knows where in the decoded text it stood, which is what exact input offsets are made of.
//!
//! | stage | does |
//! |---|---|
//! | `relabel.rs` | what to change in a declaration so that it tells the truth; planned once, cut in at the byte offsets that detection found |
//! | `eol.rs` | ends of line, newlines within records, and the NEL of EBCDIC XML |
//! | `controls.rs` | control characters, by policy |
//!
//! Beside them, `xml.rs` follows the text that reaches the encoder and knows where a character reference may stand.
//! (The blanks at the end of a record are trimmed as it is decoded, before any stage.)

pub(crate) mod controls;
pub(crate) mod eol;
pub(crate) mod relabel;
pub(crate) mod xml;

use crate::error::RecordPosition;
use std::ops::Range;

/// A stretch of text on its way to the encoder.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Where in the decoded text it stands, or, for new text, where it is put in.
    pub(crate) at: usize,
    pub(crate) text: Text,
}

/// Whose text a piece is.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// The decoded text's, from the piece's place on; so many bytes.
    Kept(usize),
    /// Put in by a stage; it stands where the piece does.
    New(&'static str),
    /// Put in where a record ends or a printer moves, which is there in the input.
    Put(&'static str, u64, Option<RecordPosition>),
    /// The end of a record, or of a line that is to become one.
    End,
    /// A control character stood here: to be counted, or refused.
    Control(char),
    /// A newline stood here, where there may be none.
    Newline(char),
}

/// Something that changes text on the way. It sees what stages before it kept, not what they put in.
pub(crate) trait Stage: Send {
    /// Cuts `text`, which stands at `at`, into pieces, at the end of `out`.
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>);

    /// Text that the stage does not see was put in here.
    fn inserted(&mut self);

    /// A copy in the same state.
    fn fork(&self) -> Box<dyn Stage>;

    /// Whether it is as new: what comes next does not depend on what came before.
    fn is_between(&self) -> bool {
        true
    }
}
