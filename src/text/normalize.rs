//! Normalises text (Unicode Standard Annex #15) as it streams by.
//!
//! The text is cut into sequences. A sequence begins at every character that cannot combine with the text before it, or
//! change places with it: the first character of its full decomposition has combining class 0, and, for the composed
//! forms, it is never the second of a pair that composes. Each sequence is normalised on its own (Annex #15 §9.1); most
//! are a single character that stays as it is. The last sequence of a text is held back until the text after it shows
//! where it ends.
//!
//! A sequence has at most [`MAX_SEQUENCE`] characters. Real text has a handful; Unicode's stream-safe format allows 30
//! marks. A longer sequence is an error: normalising it would need memory without limit, and cutting it would not be
//! normalisation.

use super::{At, MAX_SEQUENCE, Piece, Stage, Text};
use crate::words::words;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick};

/// A normalization form of Unicode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Normalization {
    /// Composed: `é` is one character. The usual form of text, and that of the web.
    Nfc,
    /// Decomposed: `é` is `e` and a combining accent.
    Nfd,
    /// Composed, with compatibility characters replaced: `ﬁ` is `fi`, `①` is `1`, `½` is `1⁄2`. Loses distinctions.
    Nfkc,
    /// Decomposed, with compatibility characters replaced.
    Nfkd,
}

words! { Normalization { Nfc: "nfc", Nfd: "nfd", Nfkc: "nfkc", Nfkd: "nfkd" } }

/// How a character stands to the text before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// It begins a sequence, and stays as it is if nothing that changes it follows.
    Stable,
    /// It begins a sequence that has to be normalised.
    Unstable,
    /// It belongs to the sequence before it.
    Continuing,
}

impl Normalization {
    fn class(self, ch: char) -> Class {
        // Before U+00A0 no form changes anything, and before U+00C0 no canonical one.
        let first = if matches!(self, Normalization::Nfkc | Normalization::Nfkd) { '\u{A0}' } else { '\u{C0}' };
        if ch < first {
            return Class::Stable;
        }
        let is_normal = match self {
            Normalization::Nfc => is_nfc_quick([ch].into_iter()),
            Normalization::Nfd => is_nfd_quick([ch].into_iter()),
            Normalization::Nfkc => is_nfkc_quick([ch].into_iter()),
            Normalization::Nfkd => is_nfkd_quick([ch].into_iter()),
        } == IsNormalized::Yes;
        if is_normal && canonical_combining_class(ch) == 0 {
            return Class::Stable;
        }
        if self.begins_sequence(ch) { Class::Unstable } else { Class::Continuing }
    }

    /// Whether neither `ch` nor what it decomposes to has to do with the text before it.
    fn begins_sequence(self, ch: char) -> bool {
        let mut first = None;
        let emit = |part| {
            first.get_or_insert(part);
        };
        match self {
            Normalization::Nfc | Normalization::Nfd => decompose_canonical(ch, emit),
            Normalization::Nfkc | Normalization::Nfkd => decompose_compatible(ch, emit),
        }
        let first = first.unwrap_or(ch);
        let composes = match self {
            Normalization::Nfc | Normalization::Nfkc => is_nfc_quick([first].into_iter()) != IsNormalized::Yes,
            Normalization::Nfd | Normalization::Nfkd => false,
        };
        canonical_combining_class(first) == 0 && !composes
    }

    fn apply(self, text: &str) -> String {
        match self {
            Normalization::Nfc => text.nfc().collect(),
            Normalization::Nfd => text.nfd().collect(),
            Normalization::Nfkc => text.nfkc().collect(),
            Normalization::Nfkd => text.nfkd().collect(),
        }
    }

    /// Returns the stage for this form. `joins`: a control character that an earlier stage finds is dropped, so that the
    /// text on its sides becomes one.
    pub(crate) fn stage(self, joins: bool) -> NormalizeStage {
        NormalizeStage { form: self, joins, open: Open::default() }
    }
}

/// Normalises the text. It must be the last stage, since no other sees what it makes.
#[derive(Clone, Debug)]
pub(crate) struct NormalizeStage {
    form: Normalization,
    joins: bool,
    open: Open,
}

/// The sequence that has begun and not ended.
#[derive(Clone, Debug, Default)]
struct Open {
    /// Its text from before the text that is being cut.
    held: String,
    /// Where that begins.
    place: Held,
    /// How many characters it has.
    len: usize,
    /// It has to be normalised.
    is_unstable: bool,
}

/// Where the held text begins.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// At this position of the text that was just cut.
    Here(usize),
    /// There in the input.
    There(At),
}

impl Default for Held {
    fn default() -> Self {
        Held::Here(0)
    }
}

impl NormalizeStage {
    /// Ends the open sequence, whose last part is `last`, at the position `at`.
    fn end(&mut self, last: &str, at: usize, out: &mut Vec<Piece>) {
        let Open { mut held, place, is_unstable, .. } = std::mem::take(&mut self.open);
        let (from, at) = match place {
            Held::There(place) if !held.is_empty() => (Some(place), at),
            Held::Here(at) if !held.is_empty() => (None, at),
            _ => (None, at),
        };
        if held.is_empty() && !is_unstable {
            push_kept(out, at, last.len());
            return;
        }
        held.push_str(last);
        let text = if is_unstable { self.form.apply(&held) } else { held };
        if from.is_none() && text == last {
            push_kept(out, at, last.len());
        } else if !text.is_empty() {
            out.push(Piece { at, text: Text::Made(text.into(), from) });
        }
    }

    /// Returns the place of the open sequence, which is too long, as a piece. It begins at `begin` if nothing is held.
    fn too_long(&self, begin: usize) -> Piece {
        match self.open.place {
            Held::There(place) if !self.open.held.is_empty() => Piece { at: begin, text: Text::TooLong(Some(place)) },
            _ => Piece { at: begin, text: Text::TooLong(None) },
        }
    }
}

/// Adds `len` bytes of text as they are, to the piece before if they follow it.
fn push_kept(out: &mut Vec<Piece>, at: usize, len: usize) {
    if len == 0 {
        return;
    }
    if let Some(Piece { at: before, text: Text::Kept(kept) }) = out.last_mut()
        && *before + *kept == at
    {
        *kept += len;
        return;
    }
    out.push(Piece { at, text: Text::Kept(len) });
}

impl Stage for NormalizeStage {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let mut begin = 0;
        for (index, ch) in text.char_indices() {
            let class = self.form.class(ch);
            if class != Class::Continuing && self.open.len > 0 {
                self.end(&text[begin..index], at.start + begin, out);
                begin = index;
            }
            self.open.len += 1;
            self.open.is_unstable |= class != Class::Stable;
            if self.open.len > MAX_SEQUENCE {
                out.push(self.too_long(at.start + begin));
                return;
            }
        }
        if self.open.held.is_empty() {
            self.open.place = Held::Here(at.start + begin);
        }
        self.open.held.push_str(&text[begin..]);
    }

    fn pass(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        if !(self.joins && matches!(piece.text, Text::Control(_))) {
            self.end("", piece.at, out);
        }
        out.push(piece);
    }

    fn settle(&mut self, place: &dyn Fn(usize) -> At) {
        if let Held::Here(at) = self.open.place
            && !self.open.held.is_empty()
        {
            self.open.place = Held::There(place(at));
        }
    }

    fn flush(&mut self, out: &mut Vec<Piece>) {
        self.end("", 0, out);
    }

    fn inserted(&mut self) {}

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn is_between(&self) -> bool {
        self.open.held.is_empty()
    }

    fn holds_text(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::is_full;

    const FORMS: [Normalization; 4] =
        [Normalization::Nfc, Normalization::Nfd, Normalization::Nfkc, Normalization::Nfkd];

    fn through(form: Normalization, chunks: &[&str]) -> String {
        let mut stage = form.stage(false);
        let mut result = String::new();
        let mut add = |chunk: &str, pieces: Vec<Piece>| {
            for piece in pieces {
                match piece.text {
                    Text::Kept(len) => result.push_str(&chunk[piece.at..piece.at + len]),
                    Text::Made(text, _) => result.push_str(&text),
                    Text::TooLong(_) => result.push_str("TOO LONG"),
                    _ => unreachable!("this stage does not produce it"),
                }
            }
        };
        for chunk in chunks {
            let mut pieces = Vec::new();
            stage.cut(chunk, 0..chunk.len(), &mut pieces);
            stage.settle(&|at| (at as u64, None));
            add(chunk, pieces);
        }
        let mut pieces = Vec::new();
        stage.flush(&mut pieces);
        add("", pieces);
        result
    }

    /// Every character between others of every kind, in one piece and with each character on its own, is what the crate
    /// makes of the whole text. By default one in 8 of those that are not in the first 4096.
    #[test]
    fn every_character_among_others() {
        let others =
            ["a", "\u{300}", "\u{323}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{344}", "\u{FF9E}", "か"];
        for form in FORMS {
            for ch in ('\0'..=char::MAX)
                .filter(|ch| !('\u{20000}'..'\u{2F800}').contains(ch) || (*ch as u32).is_multiple_of(512))
            {
                if !is_full() && ch > '\u{1000}' && ch as u32 % 8 != 3 {
                    continue;
                }
                let parts: Vec<String> =
                    others.iter().flat_map(|other| [(*other).to_owned(), ch.to_string()]).collect();
                if ch > '\u{3400}' && form.class(ch) == Class::Stable && !(ch as u32).is_multiple_of(61) {
                    continue;
                }
                let text = parts.concat();
                let expected = form.apply(&text);
                assert_eq!(through(form, &[&text]), expected, "{form} {ch:?}");
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                assert_eq!(through(form, &parts), expected, "{form} {ch:?} in parts");
            }
        }
    }

    #[test]
    fn a_sequence_has_a_limit() {
        let marks = |count: usize| format!("xa{}", "\u{301}".repeat(count));
        for form in FORMS {
            let text = marks(MAX_SEQUENCE - 1);
            assert_eq!(through(form, &[&text]), form.apply(&text));
            assert_eq!(through(form, &[&marks(MAX_SEQUENCE)]), "xTOO LONG");
        }
        // No limit for long texts of characters that are normalised one by one.
        let ligatures = "ﬁ".repeat(10_000);
        assert_eq!(through(Normalization::Nfkc, &[&ligatures]), "fi".repeat(10_000));
        let syllables = "\u{1112}\u{1161}\u{11AB}".repeat(10_000);
        assert_eq!(through(Normalization::Nfc, &[&syllables]), "한".repeat(10_000));
    }
}
