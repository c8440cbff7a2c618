//! Text stages: changes to the text between decoder and encoder.
//!
//! A stage does not rewrite text. It cuts the text into [`Piece`]s: stretches that are kept in place, and new text
//! inserted at a position. So nothing is copied unless it changes, and for every character that reaches the encoder,
//! its position in the decoded text is still known. Exact input offsets are computed from these positions.
//!
//! | file | does |
//! |---|---|
//! | `relabel.rs` | plans the change that corrects the label in a declaration; the change is made at the byte offsets that detection found |
//! | `eol.rs` | converts line endings, handles newlines within records, and replaces the NEL of EBCDIC XML |
//! | `controls.rs` | handles control characters by policy |
//! | `mojibake.rs` | repairs text that was decoded with the wrong charset, before all other stages |
//! | `normalize.rs` | normalises the text, after all other stages |
//!
//! Only the last two hold text back.
//!
//! In addition, `translit.rs` has approximations of characters that the target lacks, and `xml.rs` follows the text
//! that reaches the encoder, and so knows where a character reference is allowed. (Spaces at the end of a record are
//! trimmed while it is decoded, before any stage.)

pub(crate) mod controls;
pub(crate) mod eol;
#[cfg(feature = "mojibake")]
pub(crate) mod mojibake;
#[cfg(feature = "normalize")]
pub(crate) mod normalize;
pub(crate) mod relabel;
#[cfg(feature = "translit")]
pub(crate) mod translit;
pub(crate) mod xml;

use crate::error::{RecordPosition, TextPosition};
use std::ops::Range;

/// A stretch of text on its way to the encoder.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The position in the decoded text. For new text, the position at which it is inserted.
    pub(crate) at: usize,
    pub(crate) text: Text,
}

/// Where the text of a piece comes from.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// From the decoded text: this many bytes, starting at the piece's position.
    Kept(usize),
    /// Inserted by a stage at the piece's position.
    New(&'static str),
    /// Inserted where the input has the end of a record or a movement of the printer.
    Put(&'static str, Place),
    /// The end of a record, or of a line that becomes a record.
    End,
    /// A control character at this position, or at this place of the input, to be counted or reported as an error.
    Control(char, Option<Place>),
    /// A newline at a position, or at a place of the input, where none is allowed.
    Newline(char, Option<Place>),
    /// Made by a stage from other text.
    Made(Box<Made>),
    /// These repairs are in the text that a stage has made, which follows.
    #[cfg(feature = "mojibake")]
    Repaired(Box<Repairs>),
    /// At the piece's position, or at this place of the input, begins a sequence that is too long to be normalised.
    #[cfg_attr(not(feature = "normalize"), expect(dead_code, reason = "only one stage has a limit"))]
    TooLong(Option<Place>),
}

/// Text that a stage made, and where each of its characters came from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub(crate) text: String,
    /// The index of each character that came from elsewhere than the one before it, and where it came from. The first
    /// index is 0.
    pub(crate) sources: Vec<(usize, CharSource)>,
}

#[cfg(any(feature = "mojibake", feature = "normalize"))]
impl Made {
    /// Adds a character and where it came from.
    fn push(&mut self, ch: char, source: CharSource) {
        if self.sources.last().is_none_or(|(_, before)| *before != source) {
            self.sources.push((self.text.len(), source));
        }
        self.text.push(ch);
    }
}

impl Made {
    /// Returns a piece that was cut from the text, as one of the decoded text. `at`: where that continues.
    fn piece(&self, cut: Piece, at: usize) -> Piece {
        let (at, place) = match self.source(cut.at) {
            CharSource::Here(position) => (position, None),
            CharSource::There(place) => (at, Some(place)),
        };
        let text = match (cut.text, place) {
            (Text::Kept(len), _) => Text::Made(Box::new(self.part(cut.at..cut.at + len))),
            (Text::New(text), Some(place)) => Text::Put(text, place),
            (Text::Control(ch, None), place) => Text::Control(ch, place),
            (Text::Newline(ch, None), place) => Text::Newline(ch, place),
            (text, _) => text,
        };
        Piece { at, text }
    }

    fn part(&self, range: Range<usize>) -> Made {
        let sources = self.sources.iter().filter(|(index, _)| range.contains(index));
        let first = (0, self.source(range.start));
        let rest = sources.map(|(index, source)| (index - range.start, *source)).filter(|(index, _)| *index > 0);
        let text = self.text[range.clone()].to_owned();
        Made { text, sources: std::iter::once(first).chain(rest).collect() }
    }

    /// Returns where the character at `index` of the text came from.
    pub(crate) fn source(&self, index: usize) -> CharSource {
        let after = self.sources.partition_point(|(begin, _)| *begin <= index);
        self.sources.get(after.saturating_sub(1)).map_or(CharSource::Here(0), |(_, source)| *source)
    }
}

/// Where a character came from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum CharSource {
    /// From this position of the decoded text.
    Here(usize),
    /// From there in the input: it was held back from earlier text.
    There(Place),
}

/// Damaged text that was repaired.
#[cfg(feature = "mojibake")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Repairs {
    /// How many characters were made.
    pub(crate) count: u64,
    /// Those that are listed.
    pub(crate) first: Vec<Repair>,
}

/// A character that was made from damaged text.
#[cfg(feature = "mojibake")]
#[derive(Clone, Debug)]
pub(crate) struct Repair {
    /// Where the damaged text begins.
    pub(crate) source: CharSource,
    pub(crate) before: Box<str>,
    pub(crate) after: char,
}

/// The most characters that are normalised together.
pub(crate) const MAX_SEQUENCE: usize = 1024;

/// A place in the input: an offset, and the position in the records or, if it is counted, in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) record: Option<RecordPosition>,
    pub(crate) position: Option<TextPosition>,
}

impl From<u64> for Place {
    fn from(offset: u64) -> Self {
        Place { offset, record: None, position: None }
    }
}

/// Appends the text at `at`, if there is any, as it is.
pub(crate) fn keep(out: &mut Vec<Piece>, at: Range<usize>) {
    if !at.is_empty() {
        out.push(Piece { at: at.start, text: Text::Kept(at.len()) });
    }
}

/// Adds `len` bytes of text as they are, to the piece before if they follow it.
#[cfg(any(feature = "mojibake", feature = "normalize"))]
fn push_kept(out: &mut Vec<Piece>, at: usize, len: usize) {
    if let Some(Piece { at: before, text: Text::Kept(kept) }) = out.last_mut()
        && *before + *kept == at
    {
        *kept += len;
        return;
    }
    keep(out, at..at + len);
}

/// Replaces the positions of held text with places of the input; see [`Stage::settle`].
#[cfg(any(feature = "mojibake", feature = "normalize"))]
fn settle<'a>(sources: impl Iterator<Item = &'a mut CharSource>, places: &dyn Fn(&[usize]) -> Vec<Place>) {
    let here = |source: &CharSource| if let CharSource::Here(at) = source { Some(*at) } else { None };
    // What was held before is settled. The rest follows it.
    let rest: Vec<&mut CharSource> = sources.filter(|source| here(source).is_some()).collect();
    let positions: Vec<usize> = rest.iter().filter_map(|source| here(source)).collect();
    if !positions.is_empty() {
        for (source, place) in rest.into_iter().zip(places(&positions)) {
            *source = CharSource::There(place);
        }
    }
}

/// Methods of every [`Stage`] that is `Clone`.
pub(crate) trait Fork {
    /// Returns a copy in the same state.
    fn fork(&self) -> Box<dyn Stage>;
}

impl<S: Stage + Clone + 'static> Fork for S {
    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }
}

/// A stage that changes text. It sees the text that earlier stages kept, but not the text that they inserted.
pub(crate) trait Stage: Send + Fork {
    /// Cuts `text`, which is at the positions `at`, into pieces, and appends them to `out`.
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>);

    /// Takes a piece that is not text of the input: it goes to `out`, after anything that the stage has held back. Text
    /// that an earlier stage has made is cut like any other.
    fn pass(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        match piece.text {
            Text::Made(made) => {
                let mut pieces = Vec::new();
                self.cut(&made.text, 0..made.text.len(), &mut pieces);
                out.extend(pieces.into_iter().map(|cut| made.piece(cut, piece.at)));
            }
            _ => out.push(piece),
        }
    }

    /// Tells the stage where in the input positions of the text are that was just cut, for text that it holds back. The
    /// function takes positions in ascending order. After this, positions mean other places.
    fn settle(&mut self, _places: &dyn Fn(&[usize]) -> Vec<Place>) {}

    /// Appends text that the stage has held back.
    fn flush(&mut self, _out: &mut Vec<Piece>) {}

    /// Returns whether the stage may hold back text.
    fn holds_text(&self) -> bool {
        false
    }

    /// Tells the stage that text was inserted here. The stage does not see this text.
    fn inserted(&mut self) {}

    /// Returns whether the stage is in its initial state, so that the text to come does not depend on the text before.
    fn is_between(&self) -> bool {
        true
    }
}
