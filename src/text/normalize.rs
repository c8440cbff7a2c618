//! Normalises a stream of text (Unicode Standard Annex #15).
//!
//! The text is cut into sequences. A sequence begins at every character that cannot combine with the text before it, or
//! change places with it: the first character of its full decomposition has combining class 0, and, for the composed
//! forms, it is never the second of a pair that composes. Each sequence is normalised on its own (Annex #15 §9.1); most
//! are a single character that stays as it is. The last sequence of a text is held back until the text after it shows
//! where it ends.
//!
//! Every character of the result has the place of one of the input. A character that decomposes gives all its parts its
//! place, and a composed character has the place of the first character that it is made from. So a character that stays
//! as it is keeps its place, whatever combines with it or changes places with it.
//!
//! A sequence has at most [`MAX_SEQUENCE`] characters. Real text has a handful; Unicode's stream-safe format allows 30
//! marks. A longer sequence is an error: normalising it would need memory without limit, and cutting it would not be
//! normalisation.

use super::{CharSource, MAX_SEQUENCE, Made, Piece, Place, Stage, Text, push_kept};
use crate::words::words;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick};

/// A normalization form of Unicode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Normalization {
    /// Composed: `é` is one character. This is the usual form of text, and the form that the web uses.
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

    fn is_composed(self) -> bool {
        matches!(self, Normalization::Nfc | Normalization::Nfkc)
    }

    /// Normalises a sequence of characters, each with its place.
    fn apply(self, sequence: impl Iterator<Item = (char, CharSource)>) -> Vec<(char, CharSource)> {
        let mut parts: Vec<Part> = Vec::new();
        for (ch, source) in sequence {
            let add = |ch| parts.push(Part { ch, class: canonical_combining_class(ch), source });
            match self {
                Normalization::Nfc | Normalization::Nfd => decompose_canonical(ch, add),
                Normalization::Nfkc | Normalization::Nfkd => decompose_compatible(ch, add),
            }
        }
        // Marks between two characters of class 0 come in the order of their classes (Unicode, D109).
        for marks in parts.chunk_by_mut(|before, after| (before.class == 0) == (after.class == 0)) {
            // They nearly always are.
            if marks[0].class != 0 && !marks.is_sorted_by_key(|part| part.class) {
                crate::sort::by_key(marks, |part| part.class);
            }
        }
        if self.is_composed() {
            parts = composed(parts);
        }
        parts.into_iter().map(|part| (part.ch, part.source)).collect()
    }

    /// Returns the stage for this form. `joins`: a control character that an earlier stage finds is dropped, so that
    /// the text on its sides becomes one.
    pub(crate) fn stage(self, joins: bool) -> NormalizeStage {
        NormalizeStage { form: self, joins, open: Open::default() }
    }
}

/// A character on the way to its normal form.
struct Part {
    ch: char,
    /// Its canonical combining class.
    class: u8,
    source: CharSource,
}

/// Composes characters (Unicode, D117): each with the last one of class 0, unless one between them blocks it.
fn composed(parts: Vec<Part>) -> Vec<Part> {
    let mut result: Vec<Part> = Vec::with_capacity(parts.len());
    // The index of the last character of class 0, and the class of the last one after it.
    let (mut starter, mut last_class) = (None::<usize>, None);
    for part in parts {
        if let Some(starter) = starter
            && last_class.is_none_or(|class| class < part.class)
            && let Some(ch) = compose(result[starter].ch, part.ch)
        {
            result[starter].ch = ch;
            continue;
        }
        (starter, last_class) = match part.class {
            0 => (Some(result.len()), None),
            class => (starter, Some(class)),
        };
        result.push(part);
    }
    result
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
    /// Its characters from before the text that is being cut, and where each came from.
    held: Vec<(char, CharSource)>,
    /// How many characters it has.
    len: usize,
    /// It has to be normalised.
    is_unstable: bool,
}

impl NormalizeStage {
    /// Ends the open sequence, whose last part is `last`, at the position `at`.
    fn end(&mut self, last: &str, at: usize, out: &mut Vec<Piece>) {
        let Open { held, is_unstable, .. } = std::mem::take(&mut self.open);
        if held.is_empty() && !is_unstable {
            push_kept(out, at, last.len());
            return;
        }
        let is_here = held.is_empty();
        let sequence = held.into_iter().chain(placed(last, at));
        let made = if is_unstable { self.form.apply(sequence) } else { sequence.collect() };
        if is_here && made.iter().map(|(ch, _)| *ch).eq(last.chars()) {
            push_kept(out, at, last.len());
        } else if !made.is_empty() {
            out.push(Piece { at, text: Text::Made(Box::new(made_of(&made))) });
        }
    }

    /// Takes text that another stage has made, at the position `at`.
    fn take_made(&mut self, made: &Made, at: usize, out: &mut Vec<Piece>) {
        for (index, ch) in made.text.char_indices() {
            let class = self.form.class(ch);
            if class != Class::Continuing && self.open.len > 0 {
                self.end("", at, out);
            }
            self.open.len += 1;
            self.open.is_unstable |= class != Class::Stable;
            if self.open.len > MAX_SEQUENCE {
                out.push(self.too_long(at));
                return;
            }
            self.open.held.push((ch, made.source(index)));
        }
    }

    /// Returns the place of the open sequence, which is too long, as a piece. It begins at `begin` if nothing is held.
    fn too_long(&self, begin: usize) -> Piece {
        match self.open.held.first() {
            Some((_, CharSource::There(place))) => Piece { at: begin, text: Text::TooLong(Some(*place)) },
            Some((_, CharSource::Here(at))) => Piece { at: *at, text: Text::TooLong(None) },
            None => Piece { at: begin, text: Text::TooLong(None) },
        }
    }
}

/// The characters of `text`, which is at the position `at`, with their places.
fn placed(text: &str, at: usize) -> impl Iterator<Item = (char, CharSource)> {
    text.char_indices().map(move |(index, ch)| (ch, CharSource::Here(at + index)))
}

fn made_of(chars: &[(char, CharSource)]) -> Made {
    let mut made = Made::default();
    chars.iter().for_each(|(ch, source)| made.push(*ch, *source));
    made
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
        self.open.held.extend(placed(&text[begin..], at.start + begin));
    }

    fn pass(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        match piece.text {
            Text::Made(made) => self.take_made(&made, piece.at, out),
            #[cfg(feature = "mojibake")]
            Text::Repaired(_) => out.push(piece),
            _ => {
                if !(self.joins && matches!(piece.text, Text::Control(..))) {
                    self.end("", piece.at, out);
                }
                out.push(piece);
            }
        }
    }

    fn settle(&mut self, places: &dyn Fn(&[usize]) -> Vec<Place>) {
        super::settle(self.open.held.iter_mut().map(|(_, source)| source), places);
    }

    fn flush(&mut self, out: &mut Vec<Piece>) {
        self.end("", 0, out);
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
    use unicode_normalization::UnicodeNormalization as _;

    /// The result of the crate for the whole text.
    fn reference(form: Normalization, text: &str) -> String {
        match form {
            Normalization::Nfc => text.nfc().collect(),
            Normalization::Nfd => text.nfd().collect(),
            Normalization::Nfkc => text.nfkc().collect(),
            Normalization::Nfkd => text.nfkd().collect(),
        }
    }

    const FORMS: [Normalization; 4] =
        [Normalization::Nfc, Normalization::Nfd, Normalization::Nfkc, Normalization::Nfkd];

    fn through(form: Normalization, chunks: &[&str]) -> String {
        let mut stage = form.stage(false);
        let mut result = String::new();
        let mut add = |chunk: &str, pieces: Vec<Piece>| {
            for piece in pieces {
                match piece.text {
                    Text::Kept(len) => result.push_str(&chunk[piece.at..piece.at + len]),
                    Text::Made(made) => result.push_str(&made.text),
                    Text::TooLong(_) => result.push_str("TOO LONG"),
                    _ => unreachable!("this stage does not produce it"),
                }
            }
        };
        for chunk in chunks {
            let mut pieces = Vec::new();
            stage.cut(chunk, 0..chunk.len(), &mut pieces);
            stage.settle(&|at| at.iter().map(|at| (*at as u64).into()).collect());
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
                let expected = reference(form, &text);
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
            assert_eq!(through(form, &[&text]), reference(form, &text));
            assert_eq!(through(form, &[&marks(MAX_SEQUENCE)]), "xTOO LONG");
        }
        // No limit for long texts of characters that are normalised one by one.
        let ligatures = "ﬁ".repeat(10_000);
        assert_eq!(through(Normalization::Nfkc, &[&ligatures]), "fi".repeat(10_000));
        let syllables = "\u{1112}\u{1161}\u{11AB}".repeat(10_000);
        assert_eq!(through(Normalization::Nfc, &[&syllables]), "한".repeat(10_000));
    }
}
