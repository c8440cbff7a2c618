//! Repairs mojibake (`crate::mojibake`) in a stream of text. This is the first stage, so that the others see the
//! repaired text.

use super::{CharSource, Made, Piece, Place, Repair, Repairs, Stage, Text};
use crate::mojibake::{Item, Layers};
use crate::words::words;
use std::ops::Range;

/// What to do with text that was once decoded with the wrong charset, such as `Ã©` for `é`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnMojibake {
    /// Keeps it.
    #[default]
    Keep,
    /// Repairs each sequence that is certainly damaged, once or more. Text that was never damaged stays as it is,
    /// except where it quotes such a sequence.
    Repair,
}

words! { OnMojibake { Keep: "keep", Repair: "repair" } }

impl OnMojibake {
    /// Returns the stage for this policy, or `None` if there is nothing to do. `is_exact`: the text may have to end at
    /// any character, because the target lacks some, or because a later stage has a limit.
    pub(crate) fn stage(self, is_exact: bool) -> Option<MojibakeStage> {
        (self == OnMojibake::Repair).then(|| MojibakeStage {
            layers: Box::new(Layers::new()),
            held: String::new(),
            sources: Vec::new(),
            listed: 0,
            is_exact,
        })
    }
}

#[derive(Clone)]
pub(crate) struct MojibakeStage {
    layers: Box<Layers>,
    /// The text that is held back, up to the text that is being cut, and where each of its characters came from.
    held: String,
    sources: Vec<CharSource>,
    /// How many repairs were listed.
    listed: usize,
    is_exact: bool,
}

/// How many repairs are listed with their places; the others are only counted.
pub(crate) const LISTED: usize = 16;

impl MojibakeStage {
    /// Decides about all that is held back: nothing follows it directly.
    fn end(&mut self, at: usize, out: &mut Vec<Piece>) {
        let (layers, mut output) = self.parts("", at, out);
        layers.finish(&mut |item| output.put(item));
        output.end(0);
        self.held.clear();
        self.sources.clear();
    }

    /// Returns the layers, and what takes the characters that they are done with, while `text` is cut. It is at the
    /// position `start`.
    fn parts<'a>(&'a mut self, text: &'a str, start: usize, out: &'a mut Vec<Piece>) -> (&'a mut Layers, Output<'a>) {
        let MojibakeStage { layers, held, sources, listed, is_exact } = self;
        let (made, repairs) = (Made::default(), Repairs::default());
        let output = Output { text, start, held, sources, made, repairs, listed, is_exact: *is_exact, out };
        (layers, output)
    }

    /// Holds back what is not decided about at the end of `text`, which is at the position `start`.
    fn hold(&mut self, text: &str, start: usize) {
        let begin = self.layers.begin().unwrap_or(text.len() as isize);
        let from = begin.max(0) as usize;
        let gone = self.held.len().saturating_add_signed(begin).min(self.held.len());
        self.sources.drain(..self.held[..gone].chars().count());
        self.held.drain(..gone);
        self.held.push_str(&text[from..]);
        self.sources.extend(text[from..].char_indices().map(|(index, _)| CharSource::Here(start + from + index)));
        self.layers.shift(text.len());
    }
}

/// Makes pieces of the characters that the layers are done with.
struct Output<'a> {
    text: &'a str,
    start: usize,
    held: &'a str,
    sources: &'a [CharSource],
    made: Made,
    repairs: Repairs,
    listed: &'a mut usize,
    is_exact: bool,
    out: &'a mut Vec<Piece>,
}

impl Output<'_> {
    fn put(&mut self, item: Item) {
        if item.is_repaired() && !item.is_half() {
            self.repair(item);
        } else if item.begin >= 0 {
            self.keep(item.begin as usize, item.len as usize);
        } else {
            self.restore(item);
        }
    }

    /// Keeps text where it is.
    fn keep(&mut self, begin: usize, len: usize) {
        self.end(begin);
        super::push_kept(self.out, self.start + begin, len);
    }

    /// Writes what an item stands for, which is held back.
    fn restore(&mut self, item: Item) {
        if self.repairs.count > 0 {
            self.end(0);
        }
        let from = self.held.len().saturating_add_signed(item.begin);
        let before = self.held[..from].chars().count();
        let end = item.len as usize - (self.held.len() - from).min(item.len as usize);
        let len = item.len as usize - end;
        for (ch, source) in self.held[from..from + len].chars().zip(&self.sources[before..]) {
            self.made.push(ch, *source);
        }
        if end > 0 {
            self.keep(0, end);
        }
    }

    fn repair(&mut self, item: Item) {
        let source = match usize::try_from(item.begin) {
            Ok(begin) => CharSource::Here(self.start + begin),
            Err(_) => {
                let from = self.held.len().saturating_add_signed(item.begin);
                self.sources.get(self.held[..from].chars().count()).copied().unwrap_or(CharSource::Here(self.start))
            }
        };
        if self.repairs.count == 0 {
            // What was restored may be an error for a later stage, before any repair.
            self.end(item.begin.max(0) as usize);
        }
        self.made.push(item.ch, source);
        self.repairs.count += 1;
        if *self.listed < LISTED {
            *self.listed += 1;
            let before = self.original(item).into();
            self.repairs.first.push(Repair { source, before, after: item.ch });
        }
        if self.is_exact {
            self.end(item.begin.max(0) as usize);
        }
    }

    /// The text that an item stands for.
    fn original(&self, item: Item) -> String {
        let all = [self.held, self.text].concat();
        let from = self.held.len().saturating_add_signed(item.begin);
        all[from..from + item.len as usize].to_owned()
    }

    /// Ends the text that is being made. `at`: where the text of the input continues.
    fn end(&mut self, at: usize) {
        let at = self.start + at;
        if self.repairs.count > 0 {
            self.out.push(Piece { at, text: Text::Repaired(Box::new(std::mem::take(&mut self.repairs))) });
        }
        if !self.made.text.is_empty() {
            self.out.push(Piece { at, text: Text::Made(Box::new(std::mem::take(&mut self.made))) });
        }
    }
}

impl Stage for MojibakeStage {
    fn cut(&mut self, text: &str, at: Range<usize>, out: &mut Vec<Piece>) {
        let (layers, mut output) = self.parts(text, at.start, out);
        let mut index = 0;
        while index < text.len() {
            if layers.is_idle() {
                let found = layers.find(text, index).unwrap_or(text.len());
                if let Some(last) = text[index..found].chars().next_back() {
                    output.keep(index, found - index);
                    layers.skip(last);
                    index = found;
                    continue;
                }
            }
            let mut emit = |item| output.put(item);
            let decided = layers.decide(text, index, &mut emit);
            if decided == 0
                && let Some(ch) = text[index..].chars().next()
            {
                layers.push(Item::new(ch, index), &mut emit);
                index += ch.len_utf8();
            }
            index += decided;
        }
        output.end(text.len());
        self.hold(text, at.start);
    }

    fn pass(&mut self, piece: Piece, out: &mut Vec<Piece>) {
        self.end(piece.at, out);
        out.push(piece);
    }

    fn settle(&mut self, places: &dyn Fn(&[usize]) -> Vec<Place>) {
        super::settle(self.sources.iter_mut(), places);
    }

    fn flush(&mut self, out: &mut Vec<Piece>) {
        self.end(0, out);
    }

    fn inserted(&mut self) {
        self.layers.skip(' ');
    }

    fn is_between(&self) -> bool {
        // The list of repairs is that of one input.
        self.layers.is_new() && self.listed == 0
    }

    fn holds_text(&self) -> bool {
        true
    }
}
